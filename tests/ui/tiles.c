/* tiles.c: whatever order threads end in, what they painted of an older look never stays in the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/scene/scene.h"
#include "passes/pass.h"
#include "tests/unit/scene-sample.h"
#include "views/canvas-tiles.h"

#define PATIENCE 120 /* s, on any machine */

static gboolean
set (gpointer flag)
{
  *(gboolean *) flag = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
draw (PhTiles *tiles)
{
  const PhTileView view = { 0, 0, 1, 900, 700, 1, FALSE };
  const GdkRGBA white = { 1, 1, 1, 1 };
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  const gboolean complete = ph_tiles_snapshot (tiles, snapshot, TRUE, &view, &white, 0);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);

  g_clear_pointer (&node, gsk_render_node_unref);
  return complete;
}

/* As the window does: a frame lacked something, so another follows when threads have more. */
static void
draw_whole (PhTiles *tiles, gboolean *ready)
{
  gboolean late = FALSE;
  const guint timer = g_timeout_add_seconds (PATIENCE, set, &late);

  while (!draw (tiles))
    {
      while (!*ready && !late)
        g_main_context_iteration (NULL, TRUE);
      if (late)
        g_error ("A tile of an older look stays");
      *ready = FALSE;
      ph_tiles_update (tiles);
    }
  g_source_remove (timer);
}

static void
test_order (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = scene_example ("inception");
  g_autoptr (PhScene) scene = ph_scene_new (ph_io_open (path, NULL, NULL, &error), NULL, NULL, NULL, &error);
  PhDrawOptions options = { .side = PH_SIDE_BOTH };
  gboolean ready = FALSE;

  g_assert_no_error (error);
  PhTiles *tiles = ph_tiles_new (set, &ready);
  for (int round = 0; round < 200; round++)
    {
      /* Several looks follow each other while the one before is being painted; the last is the first again, or a third one. */
      for (int look = 0; look < g_test_rand_int_range (2, 5); look++)
        {
          options.theme = g_test_rand_int_range (0, 2) ? PH_THEME_DARK : PH_THEME_LIGHT;
          options.dim = g_test_rand_int_range (0, 3) == 0;
          ph_tiles_set_look (tiles, scene, &options);
          draw (tiles);
          g_usleep ((gulong) g_test_rand_int_range (0, 3000));
        }
      draw_whole (tiles, &ready);
    }
  ph_tiles_free (tiles);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gtk_init ();
  g_test_add_func ("/tiles/order", test_order);
  return g_test_run ();
}
