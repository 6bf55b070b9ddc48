/* look.c: how the picture is seen: what keys and menus do is a line, and the lines of a walk give the same view and picture again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/scene/scene-read.h"
#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/tab-state.h"

static const char *folder;

/* Runs @lines, as `history` has them, without a window. (transfer full) */
static PhConsole *
replay (const char *lines)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  PhConsole *console = ph_console_new (document);
  g_auto (GStrv) all = g_strsplit (lines, "\n", -1);

  for (guint i = 0; all[i]; i++)
    {
      if (*all[i] == '\0' || g_str_has_prefix (all[i], "render "))
        continue;
      g_autoptr (PhReply) reply = ph_console_run (console, all[i], NULL);
      if (!reply->ok)
        g_error ("%s: %s", all[i], reply->error->message);
    }
  return console;
}

static char *
read_picture (const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, length, &error);
  g_assert_no_error (error);
  g_remove (path);
  return text;
}

static void
assert_same_again (void)
{
  g_autofree char *line = NULL, *shown = NULL, *again = NULL;
  gsize n_shown, n_again;

  driver_run ("render %s/shown.png", folder);
  driver_run ("history");
  g_autoptr (PhConsole) console = replay (driver_last_text ());
  PhDocument *document = ph_console_get_document (console);
  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    {
      g_autofree char *ours = ph_view_state_text (ph_document_get_view (driver_document ()), field);
      g_autofree char *theirs = ph_view_state_text (ph_document_get_view (document), field);

      g_test_message ("%s: %s", ph_view_row (field)->name, ours);
      /* Where the window stands is noted, not said by every turn of a wheel. */
      if (field != PH_VIEW_ZOOM)
        g_assert_cmpstr (ours, ==, theirs);
    }
  g_assert_cmpint (ph_position_compare (ph_document_get_position (document), ph_document_get_position (driver_document ())), ==,
                   0);
  g_assert_cmpuint (ph_document_get_selection (document), ==, ph_document_get_selection (driver_document ()));
  line = g_strdup_printf ("render %s/again.png", folder);
  g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);
  g_assert_true (reply->ok);
  shown = read_picture ("shown.png", &n_shown);
  again = read_picture ("again.png", &n_again);
  g_assert_cmpmem (shown, n_shown, again, n_again);
}

static void
focus_graph (void)
{
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-graph", NULL);
  driver_settle ();
}

/* Groups, colours, direction and a part, by keys and by menus. */
static void
test_walk (void)
{
  driver_open_example ("attention", "dce,cse");
  driver_run ("run");
  focus_graph ();
  driver_activate ("view.layout::layered");
  driver_settle ();
  driver_key ("g");
  g_assert_cmpstr (driver_last_line (), ==, "view group on");
  driver_activate ("view.open::none");
  driver_settle ();
  PhScene *scene = ph_graph_canvas_get_scene (driver_canvas ());
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    if (ph_scene_box (scene, b)->can_open && ph_scene_box (scene, b)->shown)
      {
        ph_graph_canvas_toggle_group (driver_canvas (), (int) b);
        break;
      }
  driver_settle ();
  g_assert_true (g_str_has_prefix (driver_last_line (), "view open +"));
  assert_same_again ();

  driver_activate ("view.color::cost");
  /* It says how long the layout took. */
  driver_activate ("view.legend");
  g_assert_cmpstr (driver_last_line (), ==, "view legend off");
  driver_activate ("view.edges");
  driver_activate ("view.direction::right");
  driver_settle ();
  focus_graph ();
  driver_key ("d");
  driver_key ("d");
  g_assert_cmpstr (driver_last_line (), ==, "view diff on");
  driver_run ("select-node n20");
  focus_graph ();
  driver_key ("n");
  driver_key ("n");
  driver_key ("f");
  g_assert_cmpstr (driver_last_line (), ==, "view zoom fit");
  driver_picture ("look-part");
  assert_same_again ();
  driver_key ("Escape");
  g_assert_false (ph_graph_canvas_is_partial (driver_canvas ()));
  driver_activate ("view.compact");
  driver_activate ("view.form::side");
  driver_settle ();
  driver_picture ("look-side");
  assert_same_again ();
  driver_run ("view default");
  g_assert_cmpint (ph_graph_pane_get_form (driver_pane ()), ==, PH_FORM_OVERLAY);
  driver_picture ("look-default");
  assert_same_again ();
}

/* What is selected, and which panels there are, by keys and by the pointer. */
static void
test_window (void)
{
  GtkWidget *bottom = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_BOTTOM_PANE);
  graphene_rect_t rect;
  guint input;

  driver_open_example ("cse", "dce,cse,dce");
  driver_run ("run");
  driver_run ("compare 0 end");
  focus_graph ();
  driver_key ("F8");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, PH_NO_ID);
  assert_same_again ();

  /* Many in a row are one line. */
  driver_run ("compare");
  driver_run ("goto 0");
  focus_graph ();
  driver_key ("Escape");
  driver_key ("Down");
  driver_key ("Down");
  driver_run ("history");
  g_autofree char *text = g_strchomp (g_strdup (driver_last_text ()));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const guint n = g_strv_length (lines);
  g_assert_true (g_str_has_prefix (lines[n - 1], "select-node n") && !g_str_has_prefix (lines[n - 2], "select-node"));

  /* An input is no node. */
  input = ((PhValue *) ph_document_get_model (driver_document ())->graph->inputs->pdata[0])->id;
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), input, &rect));
  driver_click (GTK_WIDGET (driver_canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, input);
  assert_same_again ();

  driver_key ("F9");
  g_assert_cmpstr (driver_last_line (), ==, "view pipeline off");
  driver_key ("ctrl+u");
  g_assert_cmpstr (driver_last_line (), ==, "view page text");
  gtk_stack_set_visible_child_name (GTK_STACK (driver_find (bottom, GTK_TYPE_STACK)), "problems"); /* as its switcher does */
  g_assert_cmpstr (driver_last_line (), ==, "view page problems");
  assert_same_again ();
  driver_key ("ctrl+F9");
  g_assert_false (gtk_widget_get_mapped (bottom));
  driver_run ("view page along");
  g_assert_true (gtk_widget_get_mapped (bottom));
  /* Another tab has the same panels, and says so. */
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.new-tab", NULL);
  driver_settle ();
  g_assert_true (!driver_is_on (PH_VIEW_PIPELINE) && driver_is_on (PH_VIEW_BOTTOM));
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.close-tab", NULL);
  driver_settle ();
  driver_run ("view default");
  g_assert_true (driver_is_on (PH_VIEW_PIPELINE));
}

/* A line that only looks waits for nobody: the picture answers while a pass runs. */
static void
test_meanwhile (void)
{
  driver_open_example ("attention", NULL);
  const gboolean before = driver_is_on (PH_VIEW_DIFF);
  guint lines = driver_n_lines ();

  ph_console_run_async (driver_console (), "goto 0", NULL, NULL);
  g_assert_true (ph_console_is_running (driver_console ()));
  driver_activate ("view.diff");
  g_assert_cmpint (driver_is_on (PH_VIEW_DIFF), ==, !before);
  g_assert_cmpuint (driver_n_lines (), ==, lines);
  driver_settle ();
  driver_run ("history");
  g_assert_nonnull (strstr (driver_last_text (), before ? "view diff off\n" : "view diff on\n"));
}

/* A line typed at the console is seen in the window, and by its switches. */
static void
test_typed (void)
{
  GSimpleActionGroup *actions;
  static const struct
  {
    const char *line, *action, *state;
  } rows[] = {
    { "view form text", "form", "'text'" },     { "view form overlay", "form", "'overlay'" },
    { "view color role", "color", "'role'" },   { "view legend off", "legend", "false" },
    { "view color kind", "color", "'kind'" },   { "view values on", "values", "true" },
    { "view values off", "values", "false" },   { "layout layered right", "direction", "'right'" },
    { "layout best down", "layout", "'best'" }, { "view follow off", "follow", "false" },
    { "view follow on", "follow", "true" },
  };

  driver_open_example ("cse", NULL);
  actions = ph_graph_pane_get_view_actions (driver_pane ());
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      driver_run ("%s", rows[i].line);
      g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (actions), rows[i].action);
      g_autofree char *text = g_variant_print (state, FALSE);

      g_test_message ("%s", rows[i].line);
      g_assert_cmpstr (text, ==, rows[i].state);
    }
}

static gboolean
is_back (gpointer view)
{
  return !ph_tab_state_is_restoring (view);
}

/* A session brings it all back, also what is said of nodes, which are those of a position. */
static void
test_kept (void)
{
  static const char *const lines[] = { "view group off",         "view color memory", "view direction right", "view values on",
                                       "view part around n20 1", "view part +n16",    "view open none +n42",  "view form side" };
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) kept = g_new0 (char *, PH_N_VIEW_FIELDS + 1);
  PhDocumentView *view = ph_window_get_view (driver_window ());

  driver_open_example ("attention", "cse");
  driver_run ("view default");
  driver_run ("run");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    driver_run ("%s", lines[i]);
  g_assert_true (ph_tab_state_save (view, file, "tab-1"));
  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    kept[field] = ph_view_state_text (ph_document_get_view (driver_document ()), field);
  driver_run ("view default");
  driver_open_example ("attention", "cse");
  g_assert_false (ph_graph_canvas_is_partial (driver_canvas ()));
  ph_tab_state_restore (view, file, "tab-1", TRUE);
  driver_wait (is_back, view, 60, "the session is back");
  driver_settle ();
  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    if (field != PH_VIEW_ZOOM)
      {
        g_autofree char *text = ph_view_state_text (ph_document_get_view (driver_document ()), field);

        g_assert_cmpstr (text, ==, kept[field]);
      }
  g_assert_true (ph_graph_canvas_is_partial (driver_canvas ()));
  driver_run ("view default");
}

/* A chain of ten scopes of twenty nodes, with an Identity in the seventh. */
static void
test_overview (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 17]>\nchain (float[4] v0) => (float[4] v200)\n{\n");
  g_autofree char *path = g_build_filename (folder, "scopes.onnxtxt", NULL);
  PhScene *scene;
  guint shown = 0, open = 0;

  for (guint i = 0; i < 200; i++)
    g_string_append_printf (text, "[\"block%u/n%u\"] v%u = %s (v%u)\n", i / 20, i, i + 1,
                            i == 130     ? "Identity"
                            : i % 3 == 0 ? "Relu"
                                         : "Tanh",
                            i);
  g_string_append (text, "}\n");
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
  driver_open (path);
  driver_run ("view default");
  driver_run ("pipeline eliminate-identity");
  driver_settle ();
  /* Not more at once than a window shows, and all of it is in the window. */
  scene = ph_graph_canvas_get_scene (driver_canvas ());
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      shown += ph_scene_box (scene, b)->shown;
      open += ph_scene_box (scene, b)->open;
    }
  g_assert_cmpuint (shown, <=, PH_SCENE_OPEN_BOXES);
  g_assert_cmpuint (open, ==, 0);
  driver_picture ("look-overview");
  /* The next change is seen, not the group that it is in. */
  driver_run ("run");
  driver_settle ();
  focus_graph ();
  driver_key ("F8");
  driver_settle ();
  driver_expect_line ("view open +block6");
  scene = ph_graph_canvas_get_scene (driver_canvas ());
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), !=, PH_NO_ID);
  g_assert_cmpint (ph_scene_box (scene, ph_scene_find (scene, ph_document_get_selection (driver_document ()), NULL))->kind, ==,
                   PH_BOX_NODE);
  driver_picture ("look-change");
  driver_run ("view default");
  g_remove (path);
}

int
main (int argc, char **argv)
{
  g_autofree char *made = NULL;
  int status;

  if (!driver_init (&argc, &argv))
    return 0;
  folder = made = g_dir_make_tmp ("peephole-look-XXXXXX", NULL);
  g_test_add_func ("/look/walk", test_walk);
  g_test_add_func ("/look/window", test_window);
  g_test_add_func ("/look/meanwhile", test_meanwhile);
  g_test_add_func ("/look/typed", test_typed);
  g_test_add_func ("/look/kept", test_kept);
  g_test_add_func ("/look/overview", test_overview);
  status = driver_main ();
  g_rmdir (folder);
  return status;
}
