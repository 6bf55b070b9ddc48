/* window.c: what people do in the window, by key and pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>

#include "app/actions.h"
#include "app/palette.h"
#include "app/session.h"
#include "tests/ui/driver.h"
#include "views/console-pane.h"

static void
open_example (const char *name)
{
  g_autofree char *path = driver_example (name);

  driver_open (path);
  g_assert_true (driver_last_ok ());
  g_assert_true (ph_document_is_open (driver_document ()));
}

static void
use_pipeline (const char *passes)
{
  g_autofree char *line = g_strconcat ("pipeline ", passes, NULL);

  ph_document_view_run (ph_window_get_view (driver_window ()), line);
  driver_settle ();
  g_assert_true (driver_last_ok ());
}

static void
focus_graph (void)
{
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_settle ();
}

static char *
console_text (void)
{
  return ph_console_pane_dup_text (PH_CONSOLE_PANE (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_CONSOLE_PANE)));
}

static gboolean
console_says (gpointer text)
{
  g_autofree char *all = console_text ();

  return strstr (all, text) != NULL;
}

/* Every key does one thing. */
static void
test_shortcuts (void)
{
  g_autoptr (GHashTable) owners = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n;
  const PhAction *actions = ph_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) keys = g_strsplit (actions[i].shortcut ? actions[i].shortcut : "", "|", -1);
      for (guint k = 0; keys[k] && *keys[k]; k++)
        {
          guint key;
          GdkModifierType modifiers;
          g_assert_true (gtk_accelerator_parse (keys[k], &key, &modifiers));
          char *name = gtk_accelerator_name (key, modifiers);
          const char *owner = g_hash_table_lookup (owners, name);
          if (owner)
            g_error ("%s belongs to %s and to %s", name, owner, actions[i].action);
          g_hash_table_insert (owners, name, (gpointer) actions[i].action);
        }
    }
}

/* --- stepping -------------------------------------------------------------------------------------------------------- */

static void
test_step_keys (void)
{
  open_example ("cse");
  use_pipeline ("dce,cse,dce");
  focus_graph ();
  guint steps = ph_document_get_history (driver_document ())->steps->len;
  g_assert_cmpuint (steps, >=, 3);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 0);

  /* The file is old: first its opset. Then over the first dce, which finds nothing, to cse; then to the end. */
  driver_key ("F10");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 1);
  driver_key ("F10");
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, 3);
  guint changed = ph_document_get_position (driver_document ()).step;
  g_assert_cmpuint (changed, ==, steps - 1);
  driver_key ("F10");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, steps);
  /* Back over what changed nothing, and before what did. */
  driver_key ("shift+F10");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, changed - 1);
  driver_key ("alt+Home");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, 0);
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (driver_document ()), TRUE), ==, 4);
}

static void
test_rewrite_keys (void)
{
  open_example ("attention");
  use_pipeline ("propagate-shapes,dce");
  focus_graph ();
  driver_key ("F11");
  PhPosition at = ph_document_get_position (driver_document ());
  g_assert_true (at.rewrite == 1 || at.step == 1);
  driver_key ("shift+F11");
  at = ph_document_get_position (driver_document ());
  g_assert_true (at.rewrite == 0 && at.step == 0);
  driver_expect_line ("back into");
}

/* The rewrite keys, too, pass over what changed nothing. */
static void
test_rewrite_keys_pass_over (void)
{
  open_example ("cse");
  use_pipeline ("sccp,loop-state,cse,dce");
  driver_run ("goto end");
  const PhHistory *history = ph_document_get_history (driver_document ());
  guint changed = 0;
  for (guint i = 0; i < history->steps->len; i++)
    if (g_str_equal (g_array_index (history->steps, PhStep, i).pass, "cse"))
      changed = i + 1;
  g_assert_cmpuint (changed, >, 2);
  driver_run ("goto %u", changed - 3);
  focus_graph ();
  driver_key ("F11");
  PhPosition at = ph_document_get_position (driver_document ());
  g_assert_cmpuint (at.step, ==, changed);
  /* Back from behind a pass that did nothing, too. */
  driver_run ("goto end");
  focus_graph ();
  driver_key ("shift+F11");
  at = ph_document_get_position (driver_document ());
  g_assert_cmpuint (at.step, ==, changed - 1);
}

static void
test_differentiate (void)
{
  open_example ("seed");
  use_pipeline ("cse");
  focus_graph ();
  driver_key ("ctrl+d");
  driver_expect_line ("grad y");
  g_assert_true (driver_last_ok ());
  guint backward = 0;
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    backward += node->role == PH_ROLE_BACKWARD;
  g_assert_cmpuint (backward, >, 0);
}

/* --- the console ----------------------------------------------------------------------------------------------------- */

static void
test_console_typing (void)
{
  open_example ("seed");
  driver_key ("F12");
  driver_type ("ingo");
  driver_key ("BackSpace");
  driver_key ("BackSpace");
  driver_type ("fo\n");
  driver_expect_line ("info");
  driver_key ("Up");
  driver_key ("Return");
  driver_expect_line ("info");
  g_autofree char *text = console_text ();
  g_assert_nonnull (strstr (text, "opset"));
}

/* A long reply is turned page by page; it ends with q, or with what is typed next, and then stands above the prompt as a whole. */
static void
test_console_pager (void)
{
  open_example ("seed");
  driver_key ("F12");
  driver_type ("passes\n");
  driver_expect_line ("passes");
  driver_pause (0.3);
  g_autofree char *page = console_text ();
  g_assert_nonnull (strstr (page, "space b / n Home End q"));
  driver_key ("End");
  driver_pause (0.2);
  g_autofree char *end = console_text ();
  g_assert_cmpstr (page, !=, end);
  driver_type ("select 40 + 2\n");
  driver_expect_line ("select 40 + 2");
  driver_pause (0.3);
  g_autofree char *whole = console_text ();
  g_assert_null (strstr (whole, "space b / n Home End q"));
  g_assert_nonnull (strstr (whole, "42"));
}

static void
test_console_editing_keys (void)
{
  /* Ctrl+A, Ctrl+K and Ctrl+D are readline's while the console has the keyboard. */
  open_example ("seed");
  driver_key ("F12");
  driver_type ("nonsense");
  driver_key ("ctrl+a");
  driver_key ("ctrl+k");
  driver_type ("xinfo");
  driver_key ("ctrl+a");
  driver_key ("ctrl+d");
  driver_key ("Return");
  driver_expect_line ("info");
  driver_type ("never run");
  driver_key ("ctrl+c");
  driver_type ("steps\n");
  driver_expect_line ("steps");
}

static void
test_console_completion (void)
{
  open_example ("seed");
  driver_key ("F12");
  driver_type ("inf");
  driver_key ("Tab");
  driver_key ("Return");
  driver_expect_line ("info");
}

static void
test_console_shows_clicks (void)
{
  open_example ("cse");
  use_pipeline ("cse");
  driver_key ("F12");
  driver_type ("inf");
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "command.step", NULL);
  driver_wait (console_says, (gpointer) "peephole> step", 20, "the console shows the line of the click");
  /* The line that was being typed is still there, and can be finished. */
  driver_type ("o\n");
  driver_expect_line ("info");
}

/* --- palette, search, tabs, errors ------------------------------------------------------------------------------------- */

static gboolean
palette_is (gpointer wanted)
{
  GtkWidget *palette = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_PALETTE);

  return (palette && gtk_widget_get_mapped (palette)) == GPOINTER_TO_INT (wanted);
}

static void
open_palette (void)
{
  driver_key ("ctrl+k");
  driver_wait (palette_is, GINT_TO_POINTER (TRUE), 20, "the palette is there");
}

static gboolean
can_step (gpointer data)
{
  return !ph_window_why_off (driver_window (), "command.step");
}

static void
test_palette (void)
{
  open_example ("cse");
  use_pipeline ("cse");
  focus_graph ();
  driver_settle (); /* what is run ahead is, so that what can be done stays so */
  driver_wait (can_step, NULL, 20, "there is a step to make");
  open_palette ();
  driver_type ("step");
  driver_key ("Return");
  driver_wait (palette_is, GINT_TO_POINTER (FALSE), 20, "the palette is gone");
  driver_expect_line ("step");
  focus_graph ();
  open_palette ();
  driver_type ("select count(*) from nodes");
  driver_key ("Return");
  driver_wait (palette_is, GINT_TO_POINTER (FALSE), 20, "the palette is gone");
  driver_settle ();
  driver_expect_line ("select count(*) from nodes");
  focus_graph ();
  open_palette ();
  driver_key ("Escape");
}

/* The steps that did something are found by the names of their passes. */
static void
test_palette_step (void)
{
  open_example ("cse");
  GArray *steps = ph_document_get_history (driver_document ())->steps;
  guint number = 1;

  while (number < steps->len && !g_str_equal (g_array_index (steps, PhStep, number - 1).pass, "cse"))
    number++;
  g_autofree char *line = g_strdup_printf ("goto %u", number);
  driver_key ("ctrl+k");
  driver_wait (palette_is, GINT_TO_POINTER (TRUE), 20, "the palette is there");
  driver_type ("cse");
  driver_key ("Return");
  driver_expect_line (line);
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, number);
}

/* GTK's inspector has this key in every window of its own accord. */
static void
test_no_inspector (void)
{
  open_example ("seed");
  open_palette ();
  driver_key ("ctrl+shift+d");
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      g_assert_cmpstr (G_OBJECT_TYPE_NAME (window), !=, "GtkInspectorWindow");
    }
  driver_key ("Escape");
  driver_wait (palette_is, GINT_TO_POINTER (FALSE), 20, "the palette is gone");
}

/* What cannot be done now keeps its place in the palette, and says why when it is chosen. */
static void
test_palette_off (void)
{
  open_example ("cse");
  driver_key ("ctrl+k");
  driver_wait (palette_is, GINT_TO_POINTER (TRUE), 20, "the palette is there");
  guint lines = driver_n_lines ();
  GtkWidget *palette = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_PALETTE);
  GtkWidget *list = driver_find (palette, GTK_TYPE_LIST_VIEW);
  /* A pointer that happens to be there chooses nothing. */
  driver_move (list, 100, 100);
  driver_type ("back");
  driver_key ("Return");
  GtkWidget *notice = driver_find_named (palette, "notice");
  driver_expect_text (notice, "nothing to go back to");
  g_assert_cmpuint (driver_n_lines (), ==, lines);
  /* Another one can be looked for at once. */
  driver_key ("ctrl+a");
  driver_type ("info");
  g_assert_false (gtk_widget_get_mapped (notice));
  driver_click (list, 100, 20, 1);
  driver_expect_line ("info");
}

/* Who opened a model with a button has the keyboard in its picture, and who typed a command types on. */
static void
test_focus (void)
{
  PhWindow *window = driver_window ();
  g_autofree char *path = driver_example ("cse");

  driver_key ("ctrl+t");
  gtk_widget_child_focus (driver_find_named (GTK_WIDGET (window), "open_button"), GTK_DIR_TAB_FORWARD);
  driver_open (path);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window))
                 == GTK_WIDGET (ph_document_view_get_canvas (ph_window_get_view (window))));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.focus-console", NULL);
  driver_open (path);
  g_assert_nonnull (gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), PH_TYPE_CONSOLE_PANE));
  driver_key ("ctrl+w");
}

/* What is said about the model stays above the bar under the picture. */
static void
test_toast (void)
{
  open_example ("cse");
  PhDocumentView *view = ph_window_get_view (driver_window ());
  graphene_rect_t toast, bar;

  ph_document_view_run (view, "goto 1 2");
  driver_settle ();
  g_assert_false (driver_last_ok ());
  GtkWidget *widget = driver_find (GTK_WIDGET (view), g_type_from_name ("AdwToastWidget"));
  GtkWidget *title = driver_find (widget, GTK_TYPE_LABEL);
  /* Who clicked wrote no line, so how it is written is for the console. */
  g_assert_null (strstr (gtk_label_get_text (GTK_LABEL (title)), "usage"));
  GtkWidget *slider = driver_find (GTK_WIDGET (view), g_type_from_name ("PhHistorySlider"));
  g_assert_true (gtk_widget_compute_bounds (widget, GTK_WIDGET (view), &toast));
  g_assert_true (gtk_widget_compute_bounds (gtk_widget_get_parent (slider), GTK_WIDGET (view), &bar));
  g_assert_cmpfloat (toast.origin.y + toast.size.height, <=, bar.origin.y);
}

static gboolean
selected_sin (gpointer data)
{
  PhNode *node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));

  return node && g_str_equal (node->op_type, "Sin");
}

static void
test_search (void)
{
  open_example ("seed");
  focus_graph ();
  driver_key ("ctrl+f");
  driver_type ("sin");
  driver_wait (selected_sin, NULL, 20, "what was searched for is selected");
  driver_key ("Escape");
}

/* The selected tab's. */
static GtkWidget *
find_close_button (GtkWidget *root)
{
  if (gtk_widget_has_css_class (root, "tab-close-button")
      && gtk_widget_get_state_flags (gtk_widget_get_parent (root)) & GTK_STATE_FLAG_SELECTED)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_close_button (child);
      if (found)
        return found;
    }
  return NULL;
}

static void
test_tabs (void)
{
  open_example ("seed");
  PhDocument *first = driver_document ();
  driver_key ("ctrl+t");
  g_assert_true (driver_document () != first);
  g_assert_false (ph_document_is_open (driver_document ()));
  open_example ("cse");
  focus_graph ();
  driver_key ("ctrl+w");
  g_assert_true (driver_document () == first);

  /* A double click on its button closes one tab; whoever closes two at once has one left. */
  driver_key ("ctrl+t");
  driver_key ("ctrl+t");
  const guint n = driver_n_tabs ();
  GtkWidget *button = find_close_button (driver_find (GTK_WIDGET (driver_window ()), ADW_TYPE_TAB_BAR));
  driver_send_click (button, gtk_widget_get_width (button) / 2.0, gtk_widget_get_height (button) / 2.0, 1, 2, NULL);
  driver_settle ();
  g_assert_cmpuint (driver_n_tabs (), ==, n - 1);
  while (driver_n_tabs () > 2)
    driver_key ("ctrl+w");
  AdwTabView *tabs = ADW_TAB_VIEW (driver_find (GTK_WIDGET (driver_window ()), ADW_TYPE_TAB_VIEW));
  adw_tab_view_close_page (tabs, adw_tab_view_get_nth_page (tabs, 0));
  adw_tab_view_close_page (tabs, adw_tab_view_get_nth_page (tabs, 1));
  driver_settle ();
  g_assert_cmpuint (driver_n_tabs (), ==, 1);
  g_assert_false (ph_document_is_open (driver_document ()));
}

static void
test_bad_file (void)
{
  open_example ("seed");
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "peephole-bad.onnx", NULL);
  g_assert_true (g_file_set_contents (path, "\x89PNG not a model", -1, NULL));
  driver_open (path);
  g_assert_false (driver_last_ok ());
  g_assert_nonnull (strstr (driver_last_text (), "peephole-bad.onnx"));
  g_assert_true (g_str_has_suffix (ph_document_get_path (driver_document ()), "seed.onnxtxt"));
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/window/shortcuts", test_shortcuts);
  g_test_add_func ("/window/step-keys", test_step_keys);
  g_test_add_func ("/window/rewrite-keys", test_rewrite_keys);
  g_test_add_func ("/window/rewrite-keys/pass-over", test_rewrite_keys_pass_over);
  g_test_add_func ("/window/differentiate", test_differentiate);
  g_test_add_func ("/window/console/typing", test_console_typing);
  g_test_add_func ("/window/console/typing-pager", test_console_pager);
  g_test_add_func ("/window/console/editing-keys", test_console_editing_keys);
  g_test_add_func ("/window/console/completion", test_console_completion);
  g_test_add_func ("/window/console/shows-clicks", test_console_shows_clicks);
  g_test_add_func ("/window/palette", test_palette);
  g_test_add_func ("/window/palette-step", test_palette_step);
  g_test_add_func ("/window/palette-off", test_palette_off);
  g_test_add_func ("/window/no-inspector", test_no_inspector);
  g_test_add_func ("/window/focus", test_focus);
  g_test_add_func ("/window/toast", test_toast);
  g_test_add_func ("/window/search", test_search);
  g_test_add_func ("/window/tabs", test_tabs);
  g_test_add_func ("/window/bad-file", test_bad_file);
  return driver_main ();
}
