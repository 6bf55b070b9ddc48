/* shortcuts.c: every key of every row of the list of actions is pressed, and does what the table below says of it. A shortcut without
 * a row here fails.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "app/actions.h"
#include "tests/ui/driver.h"
#include "views/palette.h"
#include "views/bottom-pane.h"
#include "views/console-pane.h"
#include "views/history-panel.h"
#include "views/inspector.h"

typedef struct
{
  const char *action;
  const char *prepare;                   /* (nullable) a line of the console that comes first           */
  const char *line;                      /* (nullable) what the console then runs: its beginning        */
  gboolean  (*effect) (gpointer data);   /* (nullable) what has changed, compared to @before            */
  const char *state;                     /* (nullable) of the effect: a property of the canvas, a type  */
} Row;

static struct { double x, y, zoom; guint tabs, windows; gboolean property, visible; } before;
static const Row *row;

static GtkWidget *
find (GType type)
{
  return driver_find (GTK_WIDGET (driver_window ()), type);
}

static PhGraphCanvas *
canvas (void)
{
  return ph_document_view_get_canvas (ph_window_get_view (driver_window ()));
}

static gboolean
property (void)
{
  gboolean value = FALSE;

  g_object_get (canvas (), row->state, &value, NULL);
  return value;
}

static GtkWidget *
panel (void)
{
  return find (g_type_from_name (row->state));
}

static guint
n_windows (void)
{
  guint n = 0;
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);
      n += gtk_widget_get_mapped (window);
    }
  return n;
}

static gboolean
has_focus (GtkWidget *widget)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (driver_window ()));

  return focus && (focus == widget || gtk_widget_is_ancestor (focus, widget));
}

static gboolean
changed_property (gpointer data)
{
  return property () != before.property;
}

static gboolean
toggled_panel (gpointer data)
{
  return gtk_widget_get_visible (panel ()) != before.visible;
}

static gboolean
focused_panel (gpointer data)
{
  return has_focus (panel ());
}

static gboolean
moved_focus (gpointer data)
{
  return !has_focus (GTK_WIDGET (canvas ()));
}

static gboolean
opened_window (gpointer data)
{
  return n_windows () == before.windows + 1;
}

static gboolean
opened_palette (gpointer data)
{
  GtkWidget *palette = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_PALETTE);

  return palette && gtk_widget_get_mapped (palette);
}

static gboolean
zoomed (gpointer data)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (canvas (), &x, &y, &zoom);
  return zoom != before.zoom || x != before.x || y != before.y;
}

static gboolean
opened_tab (gpointer data)
{
  return driver_n_tabs () == before.tabs + 1;
}

static gboolean
searching (gpointer data)
{
  return gtk_search_bar_get_search_mode (GTK_SEARCH_BAR (find (GTK_TYPE_SEARCH_BAR)));
}

static gboolean
shows_text (gpointer data)
{
  GtkWidget *text = driver_find (find (PH_TYPE_BOTTOM_PANE), g_type_from_name ("PhTextPane"));

  return text && gtk_widget_get_mapped (text);
}

static PhForm
form (void)
{
  return ph_graph_pane_get_form (ph_document_view_get_pane (ph_window_get_view (driver_window ())));
}

static gboolean
side_by_side (gpointer data)
{
  return form () == PH_FORM_SIDE;
}

static gboolean
as_text (gpointer data)
{
  return form () == PH_FORM_TEXT;
}

static gboolean
in_one_picture (gpointer data)
{
  return form () == PH_FORM_OVERLAY;
}

static gboolean
is_partial (gpointer data)
{
  return ph_graph_canvas_is_partial (canvas ());
}

static gboolean
is_whole (gpointer data)
{
  return !ph_graph_canvas_is_partial (canvas ());
}

static gboolean
asks_for_paths (gpointer data)
{
  return ph_graph_pane_get_path_start (ph_document_view_get_pane (ph_window_get_view (driver_window ()))) == 10;
}

static gboolean
selected (gpointer data)
{
  return ph_document_get_selection (driver_document ()) != 0;
}

/* Under Xvfb nobody makes a window as large as the screen: what can be seen is that the action was asked for. */
static gboolean
anything (gpointer data)
{
  return TRUE;
}

/* In this order; each starts with the keyboard in the graph of the example cse, at its start. */
static const Row rows[] = {
  { "command.open",          NULL,             NULL,          opened_window,     NULL },
  { "command.save",          NULL,             NULL,          opened_window,     NULL },
  { "command.render",        NULL,             NULL,          opened_window,     NULL },
  { "command.reload",        NULL,             "run --ahead", NULL,              NULL },
  { "command.info",          NULL,             "info",        NULL,              NULL },
  { "command.diff",          "step",           "diff",        NULL,              NULL },
  { "command.why",           "node n10",       "why",         NULL,              NULL },
  { "command.find",          NULL,             NULL,          searching,         NULL },
  { "command.run",           NULL,             "run",         NULL,              NULL },
  { "command.step",          NULL,             "",            NULL,              NULL },
  { "command.back",          "goto end",       "",            NULL,              NULL },
  { "command.step-into",     NULL,             "step into",   NULL,              NULL },
  { "command.back-into",     "goto end",       "back into",   NULL,              NULL },
  { "command.eval",          NULL,             "eval",        NULL,              NULL },
  { "command.grad",          NULL,             NULL,          focused_panel,     "PhConsolePane" },
  { "command.verify",        "step",           "verify",      NULL,              NULL },
  { "command.profile",       NULL,             "profile",     NULL,              NULL },
  { "win.palette",           NULL,             NULL,          opened_palette,    NULL },
  { "win.search-next",       "find Add",       NULL,          anything,          NULL },
  { "win.search-previous",   "find Add",       NULL,          anything,          NULL },
  { "win.new-tab",           NULL,             NULL,          opened_tab,        NULL },
  { "win.shortcuts",         NULL,             NULL,          opened_window,     NULL },
  { "win.go-first",          "goto end",       "goto 0",      NULL,              NULL },
  { "win.go-last",           NULL,             "goto ",       NULL,              NULL },
  { "win.break-node",        "node n10",       "breakpoint n10", NULL,            NULL },
  { "win.zoom-in",           NULL,             NULL,          zoomed,            NULL },
  { "win.zoom-out",          NULL,             NULL,          zoomed,            NULL },
  { "win.zoom-normal",       NULL,             NULL,          zoomed,            NULL },
  { "win.zoom-fit",          NULL,             NULL,          zoomed,            NULL },
  { "win.zoom-selection",    "node n10",       NULL,          anything,          NULL },
  { "win.show-diff",         NULL,             NULL,          changed_property,  "show-diff" },
  { "win.compare-with",      NULL,             NULL,          opened_window,     NULL },
  { "win.form-side",         "step",           NULL,          side_by_side,      NULL },
  { "win.form-text",         "step",           NULL,          as_text,           NULL },
  { "win.form-overlay",      "step",           NULL,          in_one_picture,    NULL },
  { "win.next-change",       "compare 0 end",       NULL,          selected,          NULL },
  { "win.previous-change",   "compare 0 end",       NULL,          selected,          NULL },
  { "win.compact",           NULL,             NULL,          changed_property,  "compact" },
  { "win.grouped",           NULL,             NULL,          changed_property,  "grouped" },
  { "win.expand-all",        NULL,             NULL,          anything,          NULL },
  { "win.collapse-all",      NULL,             NULL,          anything,          NULL },
  { "win.part-around",       "select-node n10", NULL,          is_partial,        NULL },
  { "win.part-touched",      "compare 0 end",  NULL,          is_partial,        NULL },
  { "win.part-paths",        "select-node n10", NULL,          asks_for_paths,    NULL },
  { "win.part-all",          NULL,             NULL,          is_whole,          NULL },
  { "win.show-pipeline",     NULL,             NULL,          toggled_panel,     "PhHistoryPanel" },
  { "win.show-inspector",    NULL,             NULL,          toggled_panel,     "PhInspector" },
  { "win.show-bottom",       NULL,             NULL,          toggled_panel,     "PhBottomPane" },
  { "win.focus-console",     NULL,             NULL,          focused_panel,     "PhConsolePane" },
  { "win.focus-graph",       NULL,             NULL,          focused_panel,     "PhGraphCanvas" },
  { "win.next-pane",         NULL,             NULL,          moved_focus,       NULL },
  { "win.previous-pane",     NULL,             NULL,          moved_focus,       NULL },
  { "win.show-text",         NULL,             NULL,          shows_text,        NULL },
  { "win.fullscreen",        NULL,             NULL,          anything,          NULL },
  /* These two take away what the others need. */
  { "win.close-tab",         NULL,             NULL,          NULL,              NULL },
  { "command.quit",          NULL,             NULL,          NULL,              NULL },
};

/* --- pressing ---------------------------------------------------------------------------------------------------------- */

static guint activated;

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
  if (!*action)
    return 0;
  gboolean stateful = g_action_get_state_type (*action) != NULL;
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
  g_autofree char *path = driver_example ("cse");

  g_autofree char *open = g_strdup_printf ("open '%s'", path);
  PhDocumentView *view = ph_window_get_view (driver_window ());

  driver_console ();
  ph_document_view_run (view, open);
  ph_document_view_run (view, "pipeline dce,cse,dce");
  driver_settle ();
  if (row->prepare)
    {
      ph_document_view_run (view, row->prepare);
      driver_settle ();
    }
  g_assert_true (driver_last_ok ());
  ph_graph_canvas_zoom_to (canvas (), 0.77);
  gtk_widget_grab_focus (GTK_WIDGET (canvas ()));
  if (g_str_equal (row->action, "win.focus-graph"))
    gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-console", NULL);
  driver_settle ();
  ph_graph_canvas_get_view (canvas (), &before.x, &before.y, &before.zoom);
  before.tabs = driver_n_tabs ();
  before.windows = n_windows ();
  before.property = row->state && g_ascii_islower (*row->state) ? property () : FALSE;
  before.visible = row->state && !g_ascii_islower (*row->state) ? gtk_widget_get_visible (panel ()) : FALSE;
  activated = 0;
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

static void
press (const char *accelerator)
{
  g_autofree char *keys = key_names (accelerator);
  GAction *action;

  start ();
  gulong id = watch (row->action, &action);
  if (action)
    g_object_ref (action);
  g_test_message ("%s: %s", keys, row->action);
  guint lines = driver_n_lines ();
  driver_key (keys);
  if (action && activated != 1)
    g_error ("%s activated %s %u times", keys, row->action, activated);
  if (row->line && (driver_n_lines () == lines || !g_str_has_prefix (driver_last_line (), row->line)))
    g_error ("%s should run '%s', the last line is '%s'", keys, row->line, driver_last_line ());
  if (row->effect)
    driver_wait (row->effect, NULL, 10, row->action);
  if (id)
    g_signal_handler_disconnect (action, id);
  g_clear_object (&action);
}

static void
put_back (void)
{
  close_dialogs ();
  if (row->effect == toggled_panel || row->effect == changed_property)
    {
      g_autofree char *name = g_strdup (row->action);
      gtk_widget_activate_action (GTK_WIDGET (driver_window ()), name, NULL);
    }
  if (row->effect == searching)
    gtk_search_bar_set_search_mode (GTK_SEARCH_BAR (find (GTK_TYPE_SEARCH_BAR)), FALSE);
  if (row->effect == opened_tab)
    gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.close-tab", NULL);
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
  g_auto (GStrv) keys = g_strsplit (action->shortcut, "|", -1);
  for (guint i = 0; keys[i]; i++)
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
  driver_key ("ctrl+q");
  g_assert_false (driver_has_window ());
  driver_open_window ();
  driver_settle ();
}

/* Bookmarks stand in no list: nine keys by one rule. */
static void
test_bookmarks (void)
{
  static const Row bookmarks = { "win.bookmark", NULL, NULL, NULL, NULL };

  row = &bookmarks;
  start ();
  for (guint i = 1; i <= 9; i++)
    {
      g_autofree char *key = g_strdup_printf ("ctrl+alt+%u", i), *line = g_strdup_printf ("bookmark %u", i);
      driver_key (key);
      g_assert_cmpstr (driver_last_line (), ==, line);
    }
}

/* A row for each shortcut, a shortcut for each row. */
static void
test_complete (void)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      gboolean found = FALSE;
      for (guint k = 0; k < G_N_ELEMENTS (rows); k++)
        found |= g_str_equal (rows[k].action, actions[i].action);
      if (actions[i].shortcut && !found)
        g_error ("%s (%s) has a shortcut, but no row in tests/ui/shortcuts.c that says what the key should do", actions[i].action, actions[i].shortcut);
    }
}

/* --dialogs: those that open GTK's file chooser; --no-dialogs: the others. */
int
main (int argc, char **argv)
{
  static const char *const dialogs[] = { "command.open", "command.save", "command.render", "win.compare-with", NULL };
  const char *only = argc > 1 && g_str_has_suffix (argv[1], "dialogs") ? argv[1] : NULL;

  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/shortcuts/complete", test_complete);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (only && g_str_equal (only, "--dialogs") != g_strv_contains (dialogs, rows[i].action))
        continue;
      g_autofree char *path = g_strconcat ("/shortcuts/", rows[i].action, NULL);
      g_test_add_data_func (path, &rows[i], g_str_equal (rows[i].action, "win.close-tab") ? test_close_tab
                                            : g_str_equal (rows[i].action, "command.quit") ? test_quit : test_key);
    }
  g_test_add_func ("/shortcuts/bookmarks", test_bookmarks);
  return driver_main ();
}
