/* compare.c: changes in their forms, between any two positions, and two models side by side, by key and pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/export-dialog.h"
#include "views/graph-pane.h"
#include "views/history-slider.h"
#include "views/history-track.h"
#include "views/legend.h"
#include "views/query-bar.h"
#include "views/text-pane.h"

static PhGraphPane *
pane (void)
{
  return ph_document_view_get_pane (ph_window_get_view (driver_window ()));
}

static PhHistorySlider *
slider (void)
{
  return PH_HISTORY_SLIDER (driver_find (GTK_WIDGET (pane ()), PH_TYPE_HISTORY_SLIDER));
}

static void
run (const char *line)
{
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  g_assert_true (driver_last_ok ());
}

static void
open_example (const char *name, const char *passes)
{
  g_autofree char *path = driver_example (name), *line = g_strconcat ("pipeline ", passes, NULL);

  driver_open (path);
  g_assert_true (driver_last_ok ());
  run (line);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_key ("ctrl+1");
}

static void
assert_position (guint step, guint rewrite)
{
  const PhPosition at = ph_document_get_position (driver_document ());

  g_assert_cmpuint (at.step, ==, step);
  g_assert_cmpuint (at.rewrite, ==, rewrite);
}

static void
assert_since (gboolean set, guint step, guint rewrite)
{
  const PhPosition at = ph_document_get_since (driver_document ());

  g_assert_cmpint (ph_document_has_since (driver_document ()), ==, set);
  g_assert_cmpuint (at.step, ==, step);
  g_assert_cmpuint (at.rewrite, ==, rewrite);
}

static GtkWidget *
handle (const char *class)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (slider ())); child; child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_has_css_class (child, class))
      return child;
  g_assert_not_reached ();
}

/* --- the line of the history ------------------------------------------------------------------------------------------ */

static void
test_track (void)
{
  PhStep steps[3] = { { .n_rewrites = 4 }, { .n_rewrites = 0 }, { .n_rewrites = 1 } };
  PhHistory history = { .steps = g_array_new (FALSE, FALSE, sizeof (PhStep)) };
  PhHistoryTrack track = {
    NULL,
  };

  g_array_append_vals (history.steps, steps, 3);
  ph_history_track_read (&track, &history);
  /* What is found at a position's place is that position. */
  for (guint s = 0; s < 3; s++)
    for (guint r = 0; r < MAX (steps[s].n_rewrites, 1); r++)
      {
        const PhPosition at = { s, r };
        const PhPosition found = ph_history_track_find (&track, &history, ph_history_track_place (&track, &history, at), TRUE);
        g_assert_cmpint (ph_position_compare (at, found), ==, 0);
      }
  g_assert_cmpfloat (track.ends[2] - track.ends[1], <, track.ends[1] - track.ends[0]);
  ph_history_track_zoom (&track, 0.5, 4);
  g_assert_cmpfloat_with_epsilon (track.to - track.from, ph_history_track_length (&track) / 4, 1e-9);
  g_assert_cmpfloat (track.from, <=, 0.5);
  g_assert_cmpfloat (track.to, >=, 0.5);
  ph_history_track_zoom (&track, 0.5, 0.001);
  g_assert_cmpfloat_with_epsilon (track.to - track.from, ph_history_track_length (&track), 1e-9);
  ph_history_track_clear (&track);
  g_array_unref (history.steps);
}

static void
test_slider_keys (void)
{
  open_example ("cse", "cse,dce");
  guint n = ph_document_get_history (driver_document ())->steps->len;
  g_assert_cmpuint (n, ==, 3);

  gtk_widget_grab_focus (handle ("now"));
  driver_key ("Right");
  assert_position (1, 0);
  driver_key ("Right");
  assert_position (2, 0);
  driver_key ("shift+Left");
  assert_position (1, 0);
  driver_key ("End");
  assert_position (n, 0);
  g_assert_cmpstr (driver_last_line (), ==, "goto 3");

  gtk_widget_grab_focus (handle ("since"));
  driver_key ("Home");
  assert_since (TRUE, 0, 0);
  g_assert_cmpstr (driver_last_line (), ==, "compare 0");
  guint added, removed, changed;
  ph_graph_canvas_count_changes (ph_graph_pane_get_canvas (pane ()), &added, &removed, &changed);
  g_assert_cmpuint (added, ==, 0);
  g_assert_cmpuint (removed, ==, 1);
  g_assert_cmpuint (changed, ==, 1);
  driver_key ("Right");
  assert_since (TRUE, 1, 0);
  driver_key ("Delete");
  assert_since (FALSE, n - 1, 0);
}

static void
test_slider_pointer (void)
{
  open_example ("inception", "fuse-activation");
  PhHistory *history = ph_document_get_history (driver_document ());
  const guint n = history->steps->len;
  GtkWidget *line = GTK_WIDGET (slider ());
  const double start = ph_history_slider_get_x (slider (), (PhPosition) { 0, 0 }),
               end = ph_history_slider_get_x (slider (), (PhPosition) { n, 0 });
  g_assert_cmpfloat (end - start, >, 100);

  /* A click goes there, one with the second button counts changes from there. */
  driver_click (line, end, 22, 1);
  assert_position (n, 0);
  driver_drag (line, end, 22, ph_history_slider_get_x (slider (), (PhPosition) { n - 1, 0 }), 22, 1);
  assert_position (n - 1, 0);
  driver_click (line, end, 22, 1);
  driver_click (line, start, 22, 3);
  assert_since (TRUE, 0, 0);
  assert_position (n, 0);
  g_assert_cmpstr (driver_last_line (), ==, "compare 0");

  /* Enlarged, a drag stops at rewrites. */
  const guint step = n - 1;
  g_assert_cmpuint (g_array_index (history->steps, PhStep, step).n_rewrites, ==, 6);
  driver_scroll (line, end, 22, -8, NULL);
  const double last = ph_history_slider_get_x (slider (), (PhPosition) { n, 0 });
  const double five = ph_history_slider_get_x (slider (), (PhPosition) { step, 5 });
  g_assert_cmpfloat (last - five, >, 40);
  driver_drag (line, ph_history_slider_get_x (slider (), (PhPosition) { n, 0 }), 22, five, 22, 1);
  assert_position (step, 5);
  driver_scroll (line, end, 22, 12, NULL);
  run ("compare");
}

/* --- forms ------------------------------------------------------------------------------------------------------------ */

static void
test_side_by_side (void)
{
  open_example ("inception", "fuse-activation");
  run ("goto end");
  driver_key ("ctrl+2");
  PhGraphCanvas *after = ph_graph_pane_get_canvas (pane ()), *before = ph_graph_pane_get_before (pane ());
  g_assert_nonnull (before);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (before)));
  g_assert_true (ph_graph_canvas_get_scene (before) == ph_graph_canvas_get_scene (after));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (before)), ==, gtk_widget_get_width (GTK_WIDGET (after)));

  /* They scroll and zoom as one, whichever is moved. */
  double x[2], y[2], zoom[2];
  GtkWidget *widgets[] = { GTK_WIDGET (before), GTK_WIDGET (after) };
  for (guint i = 0; i < 2; i++)
    {
      driver_scroll (widgets[i], 100, 100, -2, NULL);
      driver_drag (widgets[i], 60, 200, 100, 240, 1);
      driver_pause (0.4);
      ph_graph_canvas_get_view (before, &x[0], &y[0], &zoom[0]);
      ph_graph_canvas_get_view (after, &x[1], &y[1], &zoom[1]);
      g_assert_cmpfloat_with_epsilon (x[0], x[1], 1e-6);
      g_assert_cmpfloat_with_epsilon (y[0], y[1], 1e-6);
      g_assert_cmpfloat_with_epsilon (zoom[0], zoom[1], 1e-9);
    }

  /* A node that is gone is there before, and only there. */
  driver_key ("ctrl+9");
  driver_pause (0.5);
  PhHistory *history = ph_document_get_history (driver_document ());
  g_autoptr (PhDiff) diff = ph_diff_new (history, ph_document_get_model (driver_document ()),
                                         ph_document_get_since (driver_document ()),
                                         ph_document_get_position (driver_document ()));
  const PhNodeChange *gone = diff->nodes->pdata[0];
  graphene_rect_t rect;
  g_assert_cmpint (gone->change, ==, PH_CHANGE_REMOVED);
  g_assert_true (ph_graph_canvas_node_rect (before, gone->id, &rect));
  driver_click (GTK_WIDGET (before), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, gone->id);
  driver_click (GTK_WIDGET (after), 3, 3, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, 0);

  /* From change to change. */
  driver_key ("F8");
  const guint first = ph_document_get_selection (driver_document ());
  g_assert_cmpuint (first, !=, 0);
  driver_key ("F8");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, first);
  driver_key ("shift+F8");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, first);
  driver_key ("ctrl+1");
  g_assert_null (ph_graph_pane_get_before (pane ()));
}

typedef struct
{
  GtkWidget *title;
  const char *text;
} Pointed;

static gboolean
find_tip (GtkWidget *root, const Pointed *pointed)
{
  if (GTK_IS_LABEL (root) && root != pointed->title && gtk_widget_get_mapped (root)
      && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), pointed->text))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (find_tip (child, pointed))
      return TRUE;
  return FALSE;
}

static gboolean
has_tip (gpointer pointed)
{
  return find_tip (GTK_WIDGET (driver_window ()), pointed);
}

/* The titles above the two pictures are short of room: pointed at, each says all of itself, also after a step. */
static void
test_side_titles (void)
{
  static const struct
  {
    const char *line, *before, *after;
  } rows[] = { { "goto 1", "Before: File", "After: 1 newest-form" }, { "goto 2", "Before: 1 newest-form", "After: 2 cse" } };
  PhGraphPane *own;

  open_example ("cse", "cse,dce");
  driver_key ("ctrl+2");
  own = pane ();
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Pointed titles[] = { { driver_find_named (GTK_WIDGET (own), "before_title"), rows[i].before },
                                 { driver_find_named (GTK_WIDGET (own), "after_title"), rows[i].after } };

      run (rows[i].line);
      for (guint k = 0; k < G_N_ELEMENTS (titles); k++)
        {
          g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (titles[k].title)), ==, titles[k].text);
          driver_move (titles[k].title, 20 + 4 * i, gtk_widget_get_height (titles[k].title) / 2.0);
          driver_pause (0.2);
          driver_move (titles[k].title, 24 + 4 * i, gtk_widget_get_height (titles[k].title) / 2.0);
          driver_wait (has_tip, (gpointer) &titles[k], 10, titles[k].text);
        }
    }
  driver_key ("ctrl+1");
}

static guint
count_signs (PhTextSide *side, char sign)
{
  guint n = 0, lines = (guint) gtk_text_buffer_get_line_count (ph_text_side_get_buffer (side));

  for (guint line = 0; line < lines; line++)
    n += ph_text_side_get_sign (side, line) == sign;
  return n;
}

static void
test_text (void)
{
  open_example ("cse", "cse");
  run ("goto end");
  driver_key ("ctrl+3");
  driver_settle ();
  PhTextPane *text = PH_TEXT_PANE (driver_find (GTK_WIDGET (pane ()), PH_TYPE_TEXT_PANE));
  PhTextSide *left = ph_text_pane_get_side (text, FALSE), *right = ph_text_pane_get_side (text, TRUE);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (left)) && gtk_widget_get_mapped (GTK_WIDGET (right)));
  g_assert_cmpint (gtk_text_buffer_get_line_count (ph_text_side_get_buffer (left)), ==,
                   gtk_text_buffer_get_line_count (ph_text_side_get_buffer (right)));
  /* One Mul is gone, and what used it uses the other. */
  g_assert_cmpuint (count_signs (left, '-'), ==, 1);
  g_assert_cmpuint (count_signs (left, '~'), ==, 1);
  g_assert_cmpuint (count_signs (right, '.'), ==, 1);
  g_assert_cmpuint (count_signs (right, '~'), ==, 1);
  /* It stands at the first change; the keys go on from there. */
  const int first = ph_text_side_get_line (left);
  g_assert_cmpint (ph_text_side_get_sign (left, (guint) first), !=, ' ');
  driver_key ("F8");
  g_assert_cmpint (ph_text_side_get_line (left), >=, first);
  driver_key ("shift+F8");
  g_assert_cmpint (ph_text_side_get_line (left), ==, first);
  /* Counted from the file there is as much, and nothing from here to here. */
  run ("compare 0");
  g_assert_cmpuint (count_signs (left, '-'), ==, 1);
  run ("compare .");
  g_assert_cmpuint (count_signs (left, '-') + count_signs (left, '~'), ==, 0);
  run ("compare");
  driver_key ("ctrl+1");
}

static void
toggle_bottom (void)
{
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "view.bottom", NULL);
  driver_settle ();
}

/* The lines' numbers belong to their lines; under a pointer that rests on them the pane becomes lower and higher. */
static void
test_numbers (void)
{
  open_example ("inception", "none");
  driver_key ("ctrl+3");
  GtkWidget *bottom = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_BOTTOM_PANE);
  if (gtk_widget_get_mapped (bottom))
    toggle_bottom ();
  PhTextPane *text = PH_TEXT_PANE (driver_find (GTK_WIDGET (pane ()), PH_TYPE_TEXT_PANE));
  GtkWidget *side = GTK_WIDGET (ph_text_pane_get_side (text, FALSE));
  driver_move (side, 20, gtk_widget_get_height (side) - 30);
  driver_settle ();
  const int height = gtk_widget_get_height (side);
  toggle_bottom ();
  g_assert_cmpint (gtk_widget_get_height (side), <, height);
  /* The first line of the view that says what a node computes. */
  GtkTextView *view = GTK_TEXT_VIEW (driver_find (side, GTK_TYPE_TEXT_VIEW));
  GtkTextIter start, end;
  GdkRectangle place;
  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (view), &start);
  g_assert_true (gtk_text_iter_forward_search (&start, " = Conv", 0, &start, &end, NULL));
  const int line = gtk_text_iter_get_line (&start);
  gtk_text_view_scroll_to_iter (view, &start, 0, TRUE, 0, 0.3);
  driver_settle ();
  gtk_text_view_get_iter_location (view, &start, &place);
  gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_WIDGET, place.x, place.y, &place.x, &place.y);
  driver_click (GTK_WIDGET (view), 20, place.y + place.height / 2.0, 1);
  g_assert_cmpint (ph_text_side_get_line (PH_TEXT_SIDE (side)), ==, line);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, PH_NO_ID);
  driver_key ("ctrl+1");
}

/* --- two models -------------------------------------------------------------------------------------------------------- */

static void
test_two_models (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "console", "data", "signs.onnxtxt", NULL);
  g_autofree char *other = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "console", "data", "signs-other.onnxtxt", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (other);
  guint added, removed, changed;

  driver_open (path);
  PhDocument *first = driver_document ();
  const guint steps = ph_document_get_history (first)->steps->len;
  ph_window_compare (driver_window (), file);
  driver_settle ();
  g_assert_true (driver_document () != first);
  assert_position (1, 0);
  ph_graph_canvas_count_changes (ph_graph_pane_get_canvas (pane ()), &added, &removed, &changed);
  g_assert_cmpuint (added, ==, 1);
  g_assert_cmpuint (removed, ==, 3);
  g_assert_cmpuint (changed, ==, 2);
  /* The first one is as it was. */
  g_assert_cmpuint (ph_document_get_history (first)->steps->len, ==, steps);
  driver_key ("ctrl+2");
  g_assert_nonnull (ph_graph_pane_get_before (pane ()));
  driver_key ("ctrl+1");
  driver_key ("ctrl+w");
  g_assert_true (driver_document () == first);
}

/* --- colours ----------------------------------------------------------------------------------------------------------- */

static gboolean
is_wide (gpointer widget)
{
  return gtk_widget_get_width (widget) > 40;
}

static void
test_colours (void)
{
  open_example ("inception", "none");
  GtkWidget *legend = driver_find (GTK_WIDGET (pane ()), PH_TYPE_LEGEND);
  g_assert_false (gtk_widget_get_visible (legend));
  driver_activate ("view.color::memory");
  driver_settle ();
  g_assert_true (gtk_widget_get_mapped (legend));
  driver_wait (is_wide, legend, 20, "the legend is there");
  g_assert_cmpint (ph_paint_mode (ph_graph_canvas_get_paint (ph_graph_pane_get_canvas (pane ()))), ==, PH_COLOR_MEMORY);

  /* By what is typed. */
  driver_activate ("view.color::query");
  driver_settle ();
  driver_type ("length(op)\n");
  g_assert_cmpstr (driver_last_line (), ==, "view color query 'length(op)'");
  PhPaint *paint = ph_graph_canvas_get_paint (ph_graph_pane_get_canvas (pane ()));
  g_assert_cmpint (ph_paint_mode (paint), ==, PH_COLOR_QUERY);
  g_assert_cmpstr (ph_paint_title (paint), ==, "length(op)");
  driver_key ("ctrl+a");
  driver_type ("select id, op from nodes\n");
  paint = ph_graph_canvas_get_paint (ph_graph_pane_get_canvas (pane ()));
  g_assert_cmpuint (ph_paint_n_entries (paint), ==, 4);
  /* What is no query is told, and the colours stay. */
  driver_key ("ctrl+a");
  driver_type ("nonsense\n");
  g_assert_false (driver_last_ok ());
  g_assert_true (ph_graph_canvas_get_paint (ph_graph_pane_get_canvas (pane ())) == paint);
  driver_key ("Escape");
  driver_activate ("view.color::kind");
  driver_settle ();
  g_assert_false (gtk_widget_get_visible (legend));
}

/* --- parts ------------------------------------------------------------------------------------------------------------- */

static void
test_part (void)
{
  open_example ("inception", "fuse-activation");
  run ("goto end");
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_settle ();
  PhGraphCanvas *canvas = ph_graph_pane_get_canvas (pane ());
  g_assert_null (ph_graph_canvas_get_part (canvas));
  driver_key ("t");
  g_assert_true (ph_graph_canvas_is_partial (canvas));
  g_assert_nonnull (ph_graph_canvas_get_part (canvas));
  driver_key ("a");
  g_assert_false (ph_graph_canvas_is_partial (canvas));
  g_assert_null (ph_graph_canvas_get_part (canvas));
}

/* --- export ------------------------------------------------------------------------------------------------------------ */

static gboolean
is_gone (gpointer unused)
{
  return driver_front () == GTK_WINDOW (driver_window ());
}

static void
test_export (void)
{
  static const struct
  {
    const char *name, *magic;
  } files[] = { { "a.svg", "<?xml" }, { "a.pdf", "%PDF" }, { "a.png", "\x89PNG" } };
  g_autofree char *folder = g_dir_make_tmp ("peephole-export-XXXXXX", NULL);

  open_example ("inception", "fuse-activation");
  run ("goto end");
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (folder, files[i].name, NULL), *text = NULL;
      gsize length;

      driver_key ("ctrl+shift+e");
      g_assert_true (PH_IS_EXPORT_DIALOG (driver_front ()));
      ph_export_dialog_save (PH_EXPORT_DIALOG (driver_front ()), path);
      driver_wait (is_gone, NULL, 30, "the picture is written");
      g_assert_true (g_file_get_contents (path, &text, &length, NULL));
      g_assert_true (strncmp (text, files[i].magic, strlen (files[i].magic)) == 0);
      g_assert_cmpuint (length, >, 2000);
      g_unlink (path);
    }
  /* Where nothing can be written it says so, and stays. */
  driver_key ("ctrl+shift+e");
  PhExportDialog *dialog = PH_EXPORT_DIALOG (driver_front ());
  g_autofree char *nowhere = g_build_filename (folder, "no", "where.png", NULL);
  ph_export_dialog_save (dialog, nowhere);
  driver_pause (1);
  g_assert_true (driver_front () == GTK_WINDOW (dialog));
  driver_key ("Escape");
  driver_wait (is_gone, NULL, 20, "the dialog is closed");
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/compare/track", test_track);
  g_test_add_func ("/compare/slider-keys", test_slider_keys);
  g_test_add_func ("/compare/slider-pointer", test_slider_pointer);
  g_test_add_func ("/compare/side-by-side", test_side_by_side);
  g_test_add_func ("/compare/side-titles", test_side_titles);
  g_test_add_func ("/compare/text", test_text);
  g_test_add_func ("/compare/numbers", test_numbers);
  g_test_add_func ("/compare/two-models", test_two_models);
  g_test_add_func ("/compare/colours", test_colours);
  g_test_add_func ("/compare/part", test_part);
  g_test_add_func ("/compare/export", test_export);
  return driver_main ();
}
