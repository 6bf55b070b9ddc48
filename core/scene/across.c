/* across.c: lays out a picture from left to right as one from top to bottom, by exchanging x and y before and after.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/scene-build.h"
#include "core/scene/scene-private.h"

static void
turn_size (PhRect *rect)
{
  const float width = rect->width;

  rect->width = rect->height;
  rect->height = width;
}

static void
turn_rect (PhRect *rect)
{
  const float x = rect->x;

  rect->x = rect->y;
  rect->y = x;
  turn_size (rect);
}

static void
turn_lengths (float *a, float *b)
{
  const float other = *a;

  *a = *b;
  *b = other;
}

/* In this orientation pills are above their box, so that lines enter at its left. */
void
ph_scene_turn_sizes (PhSceneBuild *build)
{
  PhScene *scene = build->scene;

  for (guint b = 0; b < scene->boxes->len; b++)
    {
      PhSceneBox *box = ph_scene_box_at (scene, b);
      const float column = build->column[b];

      turn_size (&box->rect);
      if (column <= 0)
        continue;
      build->column[b] = build->stack[b] + PH_PILL_GAP;
      build->stack[b] = column - PH_PILL_GAP;
    }
  for (guint p = 0; p < scene->pills->len; p++)
    turn_rect (&g_array_index (scene->pills, PhPill, p).rect);
}

void
ph_scene_turn (PhScene *scene)
{
  for (guint b = 0; b < scene->boxes->len; b++)
    turn_rect (&ph_scene_box_at (scene, b)->rect);
  for (guint p = 0; p < scene->pills->len; p++)
    turn_rect (&g_array_index (scene->pills, PhPill, p).rect);
  for (guint p = 0; p < scene->points->len; p++)
    {
      PhPoint *point = &g_array_index (scene->points, PhPoint, p);

      *point = (PhPoint) { point->y, point->x };
    }
  turn_lengths (&scene->width, &scene->height);
  turn_lengths (&scene->own.width, &scene->own.height);
  turn_lengths (&scene->dot.width, &scene->dot.height);
}

/* Returns a turned copy of the parts that are read while the next scene is laid out. */
PhScene *
ph_scene_new_turned (PhScene *scene)
{
  PhScene *turned = g_memdup2 (scene, sizeof *scene);

  turned->boxes = g_array_copy (scene->boxes);
  turned->pills = g_array_copy (scene->pills);
  turned->points = g_array_copy (scene->points);
  ph_scene_turn (turned);
  return turned;
}

void
ph_scene_free_turned (PhScene *turned)
{
  g_array_unref (turned->boxes);
  g_array_unref (turned->pills);
  g_array_unref (turned->points);
  g_free (turned);
}
