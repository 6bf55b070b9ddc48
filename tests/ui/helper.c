/* helper.c: the layout helper dies in the middle of a layout, or stands still, again and again. The window goes on and has its picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver.h"

/* Seconds for the picture: on a busy machine the window waits for a helper several times as long, while that is given no processor. */
#define PATIENCE 600

static gboolean
helper_killed (gpointer data)
{
  return driver_kill_helper ();
}

/* Dies whenever it is seen, until the picture is done without it. */
static gboolean
drawn (gpointer data)
{
  PhDocumentView *view = ph_window_get_view (driver_window ());

  driver_kill_helper ();
  return ph_graph_canvas_get_scene (ph_document_view_get_canvas (view)) != NULL
         && !ph_graph_canvas_is_busy (ph_document_view_get_canvas (view));
}

/* Layers of nodes that all read two of the layer before: work enough to be caught at. */
static char *
write_model (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 17]>\nweave (float[4] l0_0) => (float[4] out)\n{\n");
  const guint layers = 40, width = 16;

  for (guint l = 1; l <= layers; l++)
    for (guint i = 0; i < width; i++)
      {
        guint before = l == 1 ? 1 : width;
        g_string_append_printf (text, "  l%u_%u = Add (l%u_%u, l%u_%u)\n", l, i, l - 1, i % before, l - 1,
                                (i * 5 + 3 * l) % before);
      }
  g_string_append_printf (text, "  out = Relu (l%u_0)\n}\n", layers);
  char *path = g_build_filename (g_get_tmp_dir (), "peephole-weave.onnxtxt", NULL);
  g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  return path;
}

static void
test_killed (void)
{
  g_autofree char *path = write_model ();
  g_autofree char *line = g_strconcat ("open ", path, NULL);
  PhDocumentView *view = ph_window_get_view (driver_window ());

  ph_document_view_run (view, "layout dot"); /* who is asked by itself is seldom at it for long enough to be caught */
  ph_document_view_run (view, "view group off");
  ph_document_view_run (view, line);
  driver_wait (helper_killed, NULL, 200, "the helper runs");
  driver_wait (drawn, NULL, PATIENCE, "the picture is there");
  driver_settle ();
  g_assert_null (ph_document_view_get_banner (view));

  /* The rest of the window works. */
  g_assert_true (ph_document_is_open (driver_document ()));
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_key ("F10");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, >, 0);
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    {
      graphene_rect_t rect;
      g_assert_true (ph_graph_canvas_node_rect (ph_document_view_get_canvas (view), node->id, &rect));
    }
}

static gboolean
helper_stopped (gpointer data)
{
  return driver_stop_helper (0);
}

/* Stands still whenever it is seen. */
static gboolean
drawn_without (gpointer data)
{
  PhGraphCanvas *canvas = ph_document_view_get_canvas (ph_window_get_view (driver_window ()));

  driver_stop_helper (0);
  return ph_graph_canvas_get_scene (canvas) != NULL && !ph_graph_canvas_is_busy (canvas);
}

typedef struct
{
  gint64 last, longest;
} Gap;

static gboolean
on_tick (gpointer data)
{
  Gap *gap = data;
  const gint64 now = g_get_monotonic_time ();

  gap->longest = MAX (gap->longest, now - gap->last);
  gap->last = now;
  return G_SOURCE_CONTINUE;
}

static void
test_stopped (void)
{
  g_autofree char *path = write_model ();
  g_autofree char *line = g_strconcat ("open ", path, NULL);
  PhDocumentView *view = ph_window_get_view (driver_window ());
  Gap gap = { g_get_monotonic_time (), 0 };

  ph_document_view_run (view, "layout dot"); /* who is asked by itself is seldom at it for long enough to be caught */
  ph_document_view_run (view, "view group off");
  ph_document_view_run (view, line);
  driver_wait (helper_stopped, NULL, 200, "the helper runs");
  gap.last = g_get_monotonic_time ();
  guint timer = g_timeout_add (20, on_tick, &gap);
  driver_wait (drawn_without, NULL, PATIENCE, "the picture is there");
  g_source_remove (timer);
  /* Meanwhile keys and frames were answered. */
  g_assert_cmpint (gap.longest, <, 2 * G_USEC_PER_SEC);
  driver_settle ();
  g_assert_true (ph_document_is_open (driver_document ()));
  driver_key ("F10");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, >, 0);
  /* Nobody is left behind. */
  driver_wait (driver_has_no_helper, NULL, 200, "the last helper is gone");
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/helper/killed", test_killed);
  g_test_add_func ("/helper/stopped", test_stopped);
  return driver_main ();
}
