/* draw.c: draws a scene with cairo, with details that depend on the scale.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/draw-private.h"
#include "core/scene/scene-read.h"

int
ph_draw_compare_depth (gconstpointer a, gconstpointer b, gpointer data)
{
  const PhSceneBox *x = ph_scene_box (data, *(const int *) a), *y = ph_scene_box (data, *(const int *) b);
  const PhRect *at_x = ph_scene_reach (data, *(const int *) a), *at_y = ph_scene_reach (data, *(const int *) b);
  const float in_x = x->n_states > 0 ? at_x->width * at_x->height : 0, in_y = y->n_states > 0 ? at_y->width * at_y->height : 0;

  /* A frame around several groups is below them. */
  return x->depth != y->depth ? (int) x->depth - (int) y->depth
         : in_x != in_y       ? (in_x > in_y ? -1 : 1)
                              : *(const int *) a - *(const int *) b;
}

/* Arrow heads, badges, pills, shadows and far marks extend beyond their boxes. */
static PhRect
around_of (const PhDrawOptions *options)
{
  const double mark = PH_FAR_MARK / options->scale, left = MAX (12, mark), top = MAX (14, mark), right = MAX (168, mark);

  return (PhRect) { options->clip.x - left, options->clip.y - top, options->clip.width + left + right,
                    options->clip.height + 2 * top };
}

guint64
ph_scene_look_hash (PhScene *scene, const PhDrawOptions *options)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (int));
  const PhRect around = around_of (options);
  guint64 hash = ph_hash_mix (options->theme << 8 | options->side << 4 | options->edge_width << 3 | options->transparent << 2
                                  | options->dim << 1 | (options->since != options->time),
                              boxes->len);

  hash = ph_hash_point (hash, options->scale, 0);
  ph_scene_boxes_in (scene, &around, boxes);
  ph_scene_edges_in (scene, &options->clip, edges);
  for (guint i = 0; i < boxes->len; i++)
    {
      const int at = g_array_index (boxes, int, i);
      const PhSceneBox *box = ph_scene_box (scene, at);
      const gboolean group = box->kind == PH_BOX_GROUP || box->open;

      hash = ph_hash_mix (hash, group ? ph_hash_group (scene, at, options) : ph_hash_card (scene, at, options));
    }
  for (guint i = 0; i < edges->len; i++)
    hash = ph_hash_mix (hash, ph_hash_edge (scene, g_array_index (edges, int, i), options));
  return hash;
}

void
ph_scene_draw (PhScene *scene, cairo_t *cr, PhInk *ink, const PhDrawOptions *options)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (int));
  const PhRect around = around_of (options);
  gboolean groups = FALSE;

  if (!options->transparent)
    {
      ph_set_color (cr, ph_theme_background (options->theme));
      cairo_rectangle (cr, options->clip.x, options->clip.y, options->clip.width, options->clip.height);
      cairo_fill (cr);
    }
  ph_scene_boxes_in (scene, &around, boxes);
  ph_scene_edges_in (scene, &options->clip, edges);
  for (guint i = 0; i < boxes->len && !groups; i++)
    groups = ph_scene_box (scene, g_array_index (boxes, int, i))->depth > 0
             || ph_scene_box (scene, g_array_index (boxes, int, i))->open;
  if (groups)
    {
      g_array_sort_with_data (boxes, ph_draw_compare_depth, scene);
      for (guint i = 0; i < boxes->len; i++)
        if (ph_scene_box (scene, g_array_index (boxes, int, i))->open)
          ph_draw_group (scene, cr, ink, g_array_index (boxes, int, i), options);
      for (guint i = 0; i < boxes->len; i++)
        if (ph_scene_box (scene, g_array_index (boxes, int, i))->open)
          ph_draw_group_top (scene, cr, ink, g_array_index (boxes, int, i), options);
    }
  ph_draw_edges (scene, cr, options, edges);
  for (guint i = 0; i < boxes->len; i++)
    if (!ph_scene_box (scene, g_array_index (boxes, int, i))->open)
      ph_scene_draw_box (scene, cr, ink, g_array_index (boxes, int, i), options);
  /* From afar marks are larger than the marked boxes and are drawn last, so that nothing covers them. */
  for (guint i = 0; i < boxes->len && options->scale < PH_FAR_SCALE && options->since != options->time; i++)
    {
      const int at = g_array_index (boxes, int, i);
      const PhSceneBox *box = ph_scene_box (scene, at);

      if (!box->open && box->n_tenants > 0 && ph_scene_change (scene, at, options->since, options->time, NULL) != PH_CHANGE_NONE)
        ph_scene_draw_box (scene, cr, ink, at, options);
    }
  for (guint i = 0; i < boxes->len && groups; i++)
    if (ph_scene_box (scene, g_array_index (boxes, int, i))->open)
      ph_draw_group_title (scene, cr, ink, g_array_index (boxes, int, i), options);
  if (options->scale >= PH_NEAR_SCALE)
    ph_draw_counts (scene, cr, ink, options, edges);
  if (options->scale >= PH_LABEL_SCALE)
    ph_draw_labels (scene, cr, ink, options, edges);
}
