/* shortcuts.c: every row of the list of actions is done, by each of its keys or, where it has none, by its name in the palette, and does
 * what the table below says of it. An action without a row here fails.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/shortcuts-effects.h"

#include <string.h>

#include "app/actions.h"
#include "app/palette.h"
#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "tests/share.h"
#include "tests/ui/action-lines.h"
#include "views/bottom-pane.h"
#include "views/change-pill.h"
#include "views/console-pane.h"
#include "views/history-panel.h"
#include "views/inspector.h"
#include "views/legend.h"
#include "views/query-bar.h"

static gboolean other_model; /* the last row left another one, or another pipeline */

/* In this order; each starts with the keyboard in the graph of the example cse, at its start. */
/* clang-format off */
static const Row rows[] = {
  { "command.open",          NULL,             NULL,          opened_window,     NULL },
  { "command.save",          NULL,             NULL,          opened_window,     NULL },
  { "command.render",        NULL,             NULL,          opened_window,     NULL },
  { "command.reload",        NULL,             "run --ahead", NULL,              NULL },
  { "command.info",          NULL,             "info",        NULL,              NULL },
  { "command.diff",          "step",           "diff",        NULL,              NULL },
  { "command.why",           "node n10",       "why",         NULL,              NULL },
  { "command.find",          NULL,             NULL,          searching,         NULL },
  { "command.enter",         "node n10",       "enter",       NULL,              NULL },
  { "command.leave",         NULL,             "leave",       NULL,              NULL },
  { "command.run",           NULL,             "run",         NULL,              NULL },
  { "command.step",            NULL,              NULL,          went_forward,      NULL },
  { "command.back",            "goto end",        NULL,          went_back,         NULL },
  { "command.step-into",       NULL,              "step into",   went_forward,      NULL },
  { "command.back-into",       "goto end",        "goto ",       went_back,         NULL },
  { "command.eval",          NULL,             "eval",        NULL,              NULL },
  { "command.grad",          NULL,             NULL,          focused_panel,     "PhConsolePane" },
  { "command.llvm",          NULL,             NULL,          focused_panel,     "PhConsolePane" },
  { "command.exec",          NULL,             "exec",        NULL,              NULL },
  { "command.adjoint",       NULL,             "adjoint",     NULL,              NULL },
  { "command.verify",        "step",           "verify",      NULL,              NULL },
  { "command.profile",       NULL,             "profile",     NULL,              NULL },
  { "command.compare-kernels", "node n10",     "compare-kernels", NULL,          NULL },
  { "win.palette",           NULL,             NULL,          opened_palette,    NULL },
  { "win.search-next",         NULL,              NULL,          selected_other,    NULL },
  { "win.search-previous",     NULL,              NULL,          selected_other,    NULL },
  { "win.new-tab",           NULL,             NULL,          opened_tab,        NULL },
  { "win.shortcuts",         NULL,             NULL,          opened_window,     NULL },
  { "win.go-first",            "goto end",        "goto 0",      went_back,         NULL },
  { "win.go-last",             NULL,              "goto ",       went_forward,      NULL },
  { "win.break-node",        "node n10",       "breakpoint n10", NULL,            NULL },
  { "view.zoom::in",           NULL,             NULL,          zoomed,            NULL },
  { "view.zoom::out",          NULL,             NULL,          zoomed,            NULL },
  { "view.zoom::normal",       NULL,             NULL,          zoomed,            NULL },
  { "view.zoom::fit",          NULL,             NULL,          zoomed,            NULL },
  { "view.zoom::selection",      "node n10",        NULL,          zoomed,            NULL },
  { "view.diff",         NULL,             NULL,          changed_property,  "diff" },
  { "win.compare-with",      NULL,             NULL,          opened_window,     NULL },
  { "view.form::side",         "step",           NULL,          side_by_side,      NULL },
  { "view.form::text",         "step",           NULL,          as_text,           NULL },
  { "view.form::overlay",      "step",           NULL,          in_one_picture,    NULL },
  { "win.next-change",       "compare 0 end",       NULL,          selected,          NULL },
  { "win.previous-change",   "compare 0 end",       NULL,          selected,          NULL },
  { "view.compact",           NULL,             NULL,          changed_property,  "compact" },
  { "view.group",           NULL,             NULL,          changed_property,  "group" },
  { "view.open::all",          NULL,              NULL,          opened_groups,     NULL },
  { "view.open::none",        NULL,              NULL,          closed_groups,     NULL },
  { "view.part::around",       "select-node n10", NULL,          is_partial,        NULL },
  { "view.part::touched",      "compare 0 end",  NULL,          is_partial,        NULL },
  { "view.part::paths",        "select-node n10", NULL,          asks_for_paths,    NULL },
  { "view.part::all",          "select-node n10", NULL,          is_whole,          NULL },
  { "view.pipeline",     NULL,             NULL,          toggled_panel,     "PhHistoryPanel" },
  { "view.inspector",    NULL,             NULL,          toggled_panel,     "PhInspector" },
  { "view.bottom",       NULL,             NULL,          toggled_panel,     "PhBottomPane" },
  { "win.focus-console",     NULL,             NULL,          focused_panel,     "PhConsolePane" },
  { "win.focus-graph",       NULL,             NULL,          focused_panel,     "PhGraphCanvas" },
  { "win.next-pane",         NULL,             NULL,          moved_focus,       NULL },
  { "win.previous-pane",     NULL,             NULL,          moved_focus,       NULL },
  { "view.page::text",       NULL,             NULL,          shows_text,        NULL },
  { "win.fullscreen",          NULL,              NULL,          was_asked,         NULL },
  /* Without a key. */
  { "win.fix-dimension",       NULL,              NULL,          focused_panel,     "PhConsolePane" },
  { "command.problems",        NULL,              "problems",    NULL,              NULL },
  { "command.help",            NULL,              "help",        NULL,              NULL },
  { "command.source",          NULL,              NULL,          opened_window,     NULL },
  { "command.steps",           "goto end",        "steps",       NULL,              NULL },
  { "command.rewrites",        "goto end",        "rewrites",    NULL,              NULL },
  { "command.passes",          NULL,              "passes",      NULL,              NULL },
  { "command.pipeline",        NULL,              "pipeline",    NULL,              NULL },
  { "command.feed",            NULL,              "feed",        NULL,              NULL },
  { "command.tables",          NULL,              "tables",       NULL,              NULL },
  { "command.values",          "eval --random 1", "values",      NULL,              NULL },
  { "command.bisect",          "goto end",        "bisect",      NULL,              NULL },
  { "command.hunt",            "goto end",        NULL,          hunted,            NULL },
  { "app.about",               NULL,              NULL,          opened_window,     NULL },
  { "view.part::wider",          "select-node n10", NULL,          is_wider,          NULL },
  { "view.part::narrower",       "select-node n10", NULL,          is_narrower,       NULL },
  { "view.values",         NULL,              NULL,          changed_property,  "values" },
  { "view.edges",          NULL,              NULL,          changed_property,  "edges" },
  { "view.follow",              NULL,              NULL,           changed_property,  "follow" },
  { "view.color::role",          NULL,              NULL,          other_colours,     NULL },
  { "view.color::device",        NULL,              NULL,          other_colours,     NULL },
  { "view.color::cost",          NULL,              NULL,          other_colours,     NULL },
  { "view.color::memory",        NULL,              NULL,          other_colours,     NULL },
  { "view.color::time",          NULL,              NULL,          other_colours,     NULL },
  { "view.color::kernel",      NULL,              NULL,          other_colours,     NULL },
  { "view.color::layout",      NULL,              NULL,          other_colours,     NULL },
  { "view.color::roof",        NULL,              NULL,          other_colours,     NULL },
  { "view.color::error",         "compare 0 end",   NULL,          other_colours,     NULL },
  { "view.color::query",         NULL,              NULL,          asks_for_query,    NULL },
  { "view.color::kind",          NULL,              NULL,          usual_colours,     NULL },
  { "view.legend",              NULL,              NULL,          toggled_legend,    NULL },
  /* These two take away what the others need. */
  { "win.close-tab",         NULL,             NULL,          NULL,              NULL },
  { "command.quit",          NULL,             NULL,          NULL,              NULL },
};
/* clang-format on */

/* --- pressing ---------------------------------------------------------------------------------------------------------- */

static void
on_activated (void)
{
  activated++;
}

/* Watches the action itself too: what a key does by a widget's own binding is no shortcut. */
static gulong
watch (const char *name, GAction **action)
{
  g_auto (GStrv) parts = g_strsplit (name, ".", 2);

  *action = NULL;
  if (g_str_equal (parts[0], "win"))
    *action = g_action_map_lookup_action (G_ACTION_MAP (driver_window ()), parts[1]);
  if (g_str_equal (parts[0], "view"))
    {
      GSimpleActionGroup *group = ph_graph_pane_get_view_actions (
          ph_document_view_get_pane (ph_window_get_view (driver_window ())));
      g_auto (GStrv) words = g_strsplit (parts[1], ":", 2);

      *action = g_action_map_lookup_action (G_ACTION_MAP (group), words[0]);
    }
  if (!*action)
    return 0;
  gboolean stateful = g_str_equal (parts[0], "win") && g_action_get_state_type (*action) != NULL;
  return g_signal_connect_swapped (*action, stateful ? "change-state" : "activate", G_CALLBACK (on_activated), NULL);
}

static void
close_dialogs (void)
{
  if (opened_palette (NULL))
    driver_key ("Escape");
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      if (window && window != GTK_WINDOW (driver_window ()))
        gtk_window_destroy (window);
    }
}

static void
start (void)
{
  gboolean groups = g_str_has_prefix (row->action, "view.open::");
  gboolean open_dimension = g_str_equal (row->action, "win.fix-dimension");
  g_autofree char *path = driver_example (groups ? "loop-branch" : open_dimension ? "mlp" : "cse");

  PhDocumentView *view = ph_window_get_view (driver_window ());
  const char *shown = ph_document_get_path (driver_document ());

  driver_console ();
  /* The model is still as it was, but for where one stands. */
  if (shown && g_str_equal (shown, path) && !other_model)
    {
      ph_document_view_run (view, "goto 0");
      ph_document_view_run (view, "compare");
      ph_document_view_run (view, "select-node");
    }
  else
    {
      driver_open (path);
      ph_document_view_run (view, "pipeline dce,cse,dce");
    }
  driver_settle ();
  if (row->prepare)
    {
      ph_document_view_run (view, row->prepare);
      driver_settle ();
    }
  g_assert_true (driver_last_ok ());
  if (g_str_has_prefix (row->action, "win.search"))
    {
      driver_key ("ctrl+f");
      driver_type ("Add");
      driver_wait (selected, NULL, 10, "what was searched for is selected");
    }
  if (row->effect == is_wider || row->effect == is_narrower || row->effect == is_whole)
    driver_activate ("view.part::around");
  if (row->effect == in_one_picture)
    ph_graph_pane_say (ph_document_view_get_pane (view), "view form side");
  if (row->effect == usual_colours)
    driver_look ("view color cost");
  if (groups)
    driver_activate (g_str_equal (row->action, "view.open::all") ? "view.open::none" : "view.open::all");
  ph_graph_canvas_zoom_to (canvas (), 0.77);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  if (g_str_equal (row->action, "win.focus-graph"))
    gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-console", NULL);
  driver_settle ();
  ph_graph_canvas_get_view (canvas (), &before.x, &before.y, &before.zoom);
  before.at = ph_document_get_position (driver_document ());
  before.selection = ph_document_get_selection (driver_document ());
  before.open = n_open ();
  before.color = color ();
  before.tabs = driver_n_tabs ();
  before.windows = n_windows ();
  before.property = row->state && g_ascii_islower (*row->state) ? property () : FALSE;
  before.visible = row->state && !g_ascii_islower (*row->state) ? gtk_widget_get_visible (panel ()) : FALSE;
  activated = 0;
  if (row->effect && row->effect (NULL))
    g_error ("%s: what it should do is so before it", row->action);
}

static char *
key_names (const char *accelerator)
{
  guint key;
  GdkModifierType modifiers;

  g_assert_true (gtk_accelerator_parse (accelerator, &key, &modifiers));
  return g_strdup_printf ("%s%s%s%s", modifiers & GDK_CONTROL_MASK ? "ctrl+" : "", modifiers & GDK_ALT_MASK ? "alt+" : "",
                          modifiers & GDK_SHIFT_MASK ? "shift+" : "", gdk_keyval_name (key));
}

/* The name as the menu has it, without what marks its letter. */
static void
choose_in_palette (void)
{
  g_auto (GStrv) parts = g_strsplit (ph_action_find (row->action)->title, "_", -1);

  driver_key ("ctrl+k");
  for (guint i = 0; parts[i]; i++)
    {
      char *dots = strstr (parts[i], "…");
      if (dots)
        *dots = '\0';
      driver_send_text (parts[i]);
    }
  driver_settle ();
  driver_key ("Return");
}

/* Whoever runs the lines again gets there, too. */
static void
check_history (void)
{
  GPtrArray *lines = ph_console_get_lines (driver_console ());
  const char *wanted = action_line (row->action), *last = lines->len > 0 ? lines->pdata[lines->len - 1] : NULL;

  /* A line that failed is none of a script that does the same again. */
  if (row->line && !driver_last_ok ())
    return;
  if (action_reason (row->action) == NULL && last == NULL)
    g_error ("%s is not a line: say in tests/ui/action-lines.c which it is, or why it is none", row->action);
  if (wanted != NULL && !g_str_has_prefix (last, wanted))
    g_error ("%s should be '%s' in the history, not '%s'", row->action, wanted, last);
}

/* @accelerator: (nullable) by the palette. */
static void
press (const char *accelerator)
{
  g_autofree char *keys = accelerator ? key_names (accelerator) : g_strdup ("the palette");
  GAction *action;

  start ();
  gulong id = watch (row->action, &action);
  if (action)
    g_object_ref (action);
  g_test_message ("%s: %s", keys, row->action);
  guint lines = driver_n_lines ();
  g_ptr_array_set_size (ph_console_get_lines (driver_console ()), 0);
  if (accelerator)
    driver_key (keys);
  else
    choose_in_palette ();
  if (action && activated != 1)
    g_error ("%s activated %s %u times", keys, row->action, activated);
  if (row->line && (driver_n_lines () == lines || !g_str_has_prefix (driver_last_line (), row->line)))
    g_error ("%s should run '%s', the last line is '%s'", keys, row->line, driver_last_line ());
  if (row->effect)
    driver_wait (row->effect, NULL, 10, row->action);
  check_history ();
  if (id)
    g_signal_handler_disconnect (action, id);
  g_clear_object (&action);
}

static void
put_back (void)
{
  static const char *const changing[] = { "command.reload", "command.run", "command.grad", NULL };

  other_model = g_strv_contains (changing, row->action);
  close_dialogs ();
  if (row->effect == toggled_panel || row->effect == changed_property)
    {
      driver_activate (row->action);
    }
  if (row->effect == asks_for_paths)
    driver_key ("Escape");
  if (ph_graph_canvas_is_partial (canvas ()))
    driver_look ("view part all");
  if (row->effect == searching)
    gtk_search_bar_set_search_mode (GTK_SEARCH_BAR (find (GTK_TYPE_SEARCH_BAR)), FALSE);
  if (row->effect == opened_tab)
    gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.close-tab", NULL);
  if (row->effect == shows_text)
    ph_window_show_bottom (driver_window (), "console");
  if (g_str_equal (row->action, "win.fullscreen"))
    gtk_window_unfullscreen (GTK_WINDOW (driver_window ()));
  driver_settle ();
}

static void
test_key (gconstpointer data)
{
  const PhAction *action = ph_action_find (((const Row *) data)->action);

  row = data;
  g_assert_nonnull (action);
  g_auto (GStrv) keys = g_strsplit (action->shortcut ? action->shortcut : "", "|", -1);
  for (guint i = 0; i < MAX (g_strv_length (keys), 1); i++)
    {
      press (keys[i]);
      put_back ();
    }
}

static void
test_close_tab (gconstpointer data)
{
  row = data;
  start ();
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.new-tab", NULL);
  driver_settle ();
  guint tabs = driver_n_tabs ();
  driver_key ("ctrl+w");
  g_assert_cmpuint (driver_n_tabs (), ==, tabs - 1);
  /* The last tab is emptied. */
  driver_key ("ctrl+w");
  g_assert_cmpuint (driver_n_tabs (), ==, 1);
  g_assert_false (ph_document_is_open (driver_document ()));
}

static void
test_quit (gconstpointer data)
{
  row = data;
  start ();
  driver_look ("view inspector off");
  driver_key ("ctrl+q");
  g_assert_false (driver_has_window ());
  driver_open_window ();
  driver_settle ();
  /* Which panels are wanted outlives the window. */
  g_assert_false (ph_view_state_is_on (ph_document_get_view (driver_document ()), PH_VIEW_INSPECTOR));
  driver_look ("view inspector on");
}

/* A row for each action. */
static void
test_complete (void)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      gboolean found = FALSE;
      for (guint k = 0; k < G_N_ELEMENTS (rows); k++)
        found |= g_str_equal (rows[k].action, actions[i].action);
      if (!found)
        g_string_append_printf (missing, " %s", actions[i].action);
    }
  if (missing->len)
    g_error ("These have no row in tests/ui/shortcuts.c that says what they should do:%s", missing->str);
}

static void
check_group (const char *prefix, GActionGroup *group, GString *missing)
{
  g_auto (GStrv) names = g_action_group_list_actions (group);

  g_assert_nonnull (names[0]);
  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *name = g_strconcat (prefix, ".", names[i], NULL);

      if (!action_line (name) && !action_reason (name))
        g_string_append_printf (missing, " %s", name);
    }
}

/* Every action there is, also those that only a menu of a panel has, is a line or says why not. */
static void
test_lines (void)
{
  g_autoptr (GString) missing = g_string_new (NULL);

  check_group ("app", G_ACTION_GROUP (g_application_get_default ()), missing);
  check_group ("win", G_ACTION_GROUP (driver_window ()), missing);
  check_group ("graph", G_ACTION_GROUP (ph_graph_pane_get_actions (driver_pane ())), missing);
  check_group ("history", G_ACTION_GROUP (ph_history_panel_get_actions (PH_HISTORY_PANEL (find (PH_TYPE_HISTORY_PANEL)))),
               missing);
  if (missing->len)
    g_error ("These have no row in tests/ui/action-lines.c that says which line they are, or why they are none:%s", missing->str);
}

/* --dialogs: those that open GTK's file chooser; --no-dialogs: the others. */
int
main (int argc, char **argv)
{
  static const char *const dialogs[] = { "command.open",   "command.save",     "command.render",
                                         "command.source", "win.compare-with", NULL };
  const char *only = argc > 1 && g_str_has_suffix (argv[1], "dialogs") ? argv[1] : NULL;

  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/shortcuts/complete", test_complete);
  g_test_add_func ("/shortcuts/lines", test_lines);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const gboolean opens_dialog = g_strv_contains (dialogs, rows[i].action);
      if ((only && g_str_equal (only, "--dialogs") != opens_dialog) || (!opens_dialog && !test_share_takes (i)))
        continue;
      g_autofree char *path = g_strconcat ("/shortcuts/", rows[i].action, NULL);
      g_test_add_data_func (path, &rows[i],
                            g_str_equal (rows[i].action, "win.close-tab")  ? test_close_tab
                            : g_str_equal (rows[i].action, "command.quit") ? test_quit
                                                                           : test_key);
    }
  return driver_main ();
}
