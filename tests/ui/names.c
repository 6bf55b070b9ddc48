/* names.c: what a screen reader is told of every panel, over the bus of assistive technologies: whatever can be pressed, typed into or
 * moved has a role and a name of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "config.h"
#include "tests/ui/access-bus.h"
#include "views/bottom-pane.h"
#include "views/history-private.h"
#include "views/inspector.h"
#include "views/rewrite-row.h"
#include "views/step-verdict.h"

#define FOCUSABLE 11 /* ATSPI_STATE_FOCUSABLE */
#define VISIBLE   30 /* ATSPI_STATE_VISIBLE; GTK 4.8 does not tell what is behind another page */

static guint n_seen;

/* What GTK calls a widget that nobody named; a picture's file; or marks that nobody can read out. */
static gboolean
is_no_name (const char *name)
{
  gboolean readable = FALSE;

  for (const char *c = name; *c && !readable; c = g_utf8_next_char (c))
    readable = g_unichar_isalnum (g_utf8_get_char (c));
  return !readable || g_regex_match_simple ("^_|^(Gtk|Adw|Ph|Vte)[A-Z]|-symbolic$", name, 0, 0);
}

static gboolean
is_operated (const char *role)
{
  static const char *const roles[] = { "button",       "push button", "toggle button", "checkbox",    "check box",
                                       "radio button", "switch",      "slider",        "spin button", "search box",
                                       "text box",     "combo box",   "link",          "menu item",   "tab",
                                       "list item",    "tree item",   "grid cell",     NULL };
  return g_strv_contains (roles, role);
}

/* What holds others, and says what they are. */
static gboolean
is_place (const char *role)
{
  static const char *const roles[] = { "list",   "grid",   "table",  "tree",  "menu", "dialog",
                                       "window", "region", "legend", "alert", NULL };

  return g_strv_contains (roles, role);
}

/* What scrolls, parts panes or holds tabs is GTK's and libadwaita's own, and not to be named from outside. */
static gboolean
is_frame (const char *name, const char *role)
{
  return g_str_equal (role, "group") || g_regex_match_simple ("^Adw|^GtkPaned", name, 0, 0);
}

static gboolean
is_leaf (const char *role)
{
  static const char *const roles[]
      = { "label", "image", "separator", "combo box", "scroll bar", NULL }; /* what is in the last two is GTK's */

  return g_strv_contains (roles, role);
}

static gboolean
has_state (const AccessNode *node, guint state)
{
  return (node->states >> state & 1) != 0;
}

/* Nothing has the role of a "widget" that can have the keyboard, or is ours: that is no role at all. A picture in what bears a name of
 * its own need not say anything. */
static const char *
fault_of (const AccessNode *node, gboolean in_named)
{
  const gboolean unnamed = is_no_name (node->name), is_widget = g_str_equal (node->role, "widget");

  if (is_operated (node->role))
    return unnamed ? "no name" : NULL;
  if (is_place (node->role))
    return unnamed && has_state (node, VISIBLE) ? "a place without name" : NULL;
  if (g_str_equal (node->role, "image"))
    return unnamed && !in_named && has_state (node, VISIBLE) ? "a picture that says nothing" : NULL;
  if (is_widget && g_regex_match_simple ("^Ph[A-Z]|^GtkPopover$", node->name, 0, 0))
    return "no role";
  if (!is_leaf (node->role) && !is_frame (node->name, node->role) && (unnamed || is_widget) && has_state (node, FOCUSABLE))
    return "no name or role";
  return NULL;
}

static void
look (const AccessNode *node, const char *place, gboolean in_named, GString *faults)
{
  if (!node->name || !node->role)
    return;
  g_autofree char *here = g_strdup_printf ("%s > %s '%s'", place, node->role, node->name);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  const char *fault = fault_of (node, in_named);

  n_seen++;
  if (fault)
    g_string_append_printf (faults, "\n%s: %s", fault, here);
  for (guint i = 0; i < node->children->len && !is_leaf (node->role); i++)
    {
      const AccessNode *child = node->children->pdata[i];
      if (g_strcmp0 (child->role, "button") == 0 && child->name && !g_hash_table_add (names, child->name))
        g_string_append_printf (faults, "\na second button '%s': %s", child->name, here);
      look (child, here, in_named || is_operated (node->role) || (in_named && !is_place (node->role)), faults);
    }
}

static const AccessNode *
find_node (const AccessNode *node, const char *role, const char *name)
{
  if (g_strcmp0 (node->role, role) == 0 && node->name && strstr (node->name, name) && has_state (node, VISIBLE))
    return node;
  for (guint i = 0; i < node->children->len; i++)
    {
      const AccessNode *found = find_node (node->children->pdata[i], role, name);
      if (found)
        return found;
    }
  return NULL;
}

/* Only what is below the window: a menu button has a button in it that bears its name, and is one for a screen reader. @found, (nullable):
 * a role and a part of a name of what is to be there; NULL at its end. */
static void
look_for (const char *when, const char *const *found)
{
  g_autoptr (GString) faults = g_string_new (NULL);

  driver_settle ();
  n_seen = 0;
  AccessNode *root = access_read (&access_root);
  look (root, "", FALSE, faults);
  g_test_message ("%s: %u objects", when, n_seen);
  g_assert_cmpuint (n_seen, >, 100);
  for (; found && *found; found += 2)
    if (!find_node (root, found[0], found[1]))
      g_string_append_printf (faults, "\nmissing: %s '%s'", found[0], found[1]);
  if (faults->len)
    {
      g_test_message ("%s:%s", when, faults->str);
      g_test_fail ();
    }
  access_node_free (root);
}

#define LOOK_FOR(when_, ...) look_for (when_, (const char *const[]) { __VA_ARGS__, NULL })

static void
look_at_all (const char *when)
{
  look_for (when, NULL);
}

static void
test_start (void)
{
  look_at_all ("the start page");
}

static void
test_panels (void)
{
  driver_open_example ("attention", "propagate-shapes,dce,cse");
  driver_run ("goto 2");
  look_at_all ("a step with rewrites");
}

static void
activate (const char *action)
{
  driver_activate (action);
}

static void
test_inspector (void)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhValue *output = model->graph->outputs->pdata[0];
  GtkWidget *inspector = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_INSPECTOR);

  driver_run ("select-node n%u", output->producer->id);
  look_at_all ("a node in the inspector");
  driver_run ("eval --random 1 --all");
  ph_inspector_show_value (PH_INSPECTOR (inspector), output->id);
  driver_expect_text (inspector, "Deviation");
  look_at_all ("a value in the inspector");
  ph_inspector_show_value (PH_INSPECTOR (inspector), ((PhValue *) model->graph->inputs->pdata[0])->id);
  driver_expect_text (inspector, "Random");
  look_at_all ("an input in the inspector");
  driver_run ("select-node");
}

static void
test_forms (void)
{
  static const char *const forms[] = { "view.form::side", "view.form::text" };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      activate (forms[i]);
      look_at_all (forms[i]);
    }
  activate ("view.form::overlay");
}

static void
test_bars (void)
{
  driver_key ("ctrl+f");
  driver_type ("add");
  activate ("view.color::query");
  activate ("view.legend");
  driver_run ("select-node n%u",
              ((PhValue *) ph_document_get_model (driver_document ())->graph->outputs->pdata[0])->producer->id);
  activate ("view.part::around");
  driver_run ("breakpoint cse");
  activate ("view.page::text");
  look_at_all ("all bars, the text, a breakpoint");
  driver_run ("breakpoint cse");
  activate ("view.color::kind");
  activate ("view.legend");
  activate ("view.part::all");
}

static void
test_dialogs (void)
{
  driver_key ("ctrl+k");
  look_at_all ("the palette");
  driver_key ("Escape");
  driver_key ("ctrl+shift+e");
  look_at_all ("export");
  driver_key ("Escape");
  driver_key ("ctrl+t");
  look_at_all ("two tabs");
  driver_key ("ctrl+w");
}

static gpointer
find (const char *type)
{
  return driver_find (GTK_WIDGET (driver_window ()), g_type_from_name (type));
}

/* Two at once: nodes that stand before what they need, and an operator that nobody knows. */
static void
test_problems (void)
{
  static const char text[] = "<ir_version: 10, opset_import: [\"\" : 23]>\n"
                             "g (float[2,3] x) => (y) {\n[later] y = Relu (t)\n[sooner] t = Frobnicate (x)\n}\n";
  g_autofree char *folder = g_dir_make_tmp ("names-XXXXXX", NULL), *path = g_build_filename (folder, "problems.onnxtxt", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  driver_open (path);
  ph_window_show_bottom (driver_window (), "problems");
  LOOK_FOR ("problems", "list", "Problems", "list item", "out of order", "list item", "Frobnicate", "tab", "Problems (2)");
  ph_window_show_bottom (driver_window (), "console");
  driver_remove (folder);
}

/* What is drawn is said. */
static void
test_roofline (void)
{
  driver_open_example ("mlp", NULL);
  ph_window_show_bottom (driver_window (), "roofline");
  LOOK_FOR ("no roofline", "button", "Profile", "label", "No Profile Yet");
  driver_run ("profile --random 1 --runs 1");
  driver_run ("select-node n%u",
              ph_model_find_value_named (ph_document_get_model (driver_document ()), "probabilities")->producer->id);
  LOOK_FOR ("the roofline", "image", "Roofline of the last profile", "image", "of the roof");
  ph_window_show_bottom (driver_window (), "console");
}

static gboolean
is_unmapped (gpointer widget)
{
  return !gtk_widget_get_mapped (widget);
}

static void
test_popovers (void)
{
  driver_open_example ("attention", "propagate-shapes,dce,cse");
  driver_run ("goto 3");
  driver_run ("breakpoint cse");
  PhHistoryPanel *panel = find ("PhHistoryPanel");
  GtkMenuButton *looks = GTK_MENU_BUTTON (driver_find_named (GTK_WIDGET (driver_pane ()), "look_button"));
  /* clang-format off */
  const struct { GtkMenuButton *button; const char *when; const char *const *found; } popovers[] = {
    { panel->breaks_button, "breakpoints", (const char *const[]) { "dialog", "Breakpoints", "button", "Remove the breakpoint on cse", NULL } },
    { panel->pipeline_button, "the pipelines", (const char *const[]) { "button", "Pipeline: Own", "menu", "Which passes run", "menu item", "O1", NULL } },
    { looks, "colours", (const char *const[]) { "menu", "Colours and look", "menu item", "Cost", NULL } },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (popovers); i++)
    {
      gtk_menu_button_popup (popovers[i].button);
      look_for (popovers[i].when, popovers[i].found);
      gtk_menu_button_popdown (popovers[i].button);
      driver_wait (is_unmapped, gtk_menu_button_get_popover (popovers[i].button), 5, "it closes");
    }
}

static gboolean
has_rewrite (gpointer panel)
{
  GtkWidget *row = driver_find (GTK_WIDGET (((PhHistoryPanel *) panel)->rewrites), PH_TYPE_REWRITE_ROW);

  return row && gtk_widget_get_mapped (row) && ph_rewrite_row_get_item (PH_REWRITE_ROW (row));
}

static void
test_menus (void)
{
  PhHistoryPanel *panel = find ("PhHistoryPanel");

  ph_history_show_step_menu (panel, GTK_WIDGET (panel->steps), 1, 1, 5, 5);
  LOOK_FOR ("the menu of a pass", "menu", "propagate-shapes", "menu item", "Go Here", "menu item", "Limit");
  driver_key ("Escape");
  driver_run ("goto 1");
  driver_wait (has_rewrite, panel, 10, "the rewrites are listed");
  PhRewriteRow *row = PH_REWRITE_ROW (driver_find (GTK_WIDGET (panel->rewrites), PH_TYPE_REWRITE_ROW));
  ph_history_show_rewrite_menu (panel, GTK_WIDGET (row), ph_rewrite_row_get_item (row), 5, 5);
  LOOK_FOR ("the menu of a rewrite", "menu", "/", "menu item", "Filter by This Rule");
  driver_key ("Escape");
  /* The node that is selected, and the overview, which is there as soon as not all is in sight. */
  driver_run ("select-node n%u",
              ((PhValue *) ph_document_get_model (driver_document ())->graph->outputs->pdata[0])->producer->id);
  ph_graph_canvas_set_view (driver_canvas (), 0, 0, 2);
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_key ("Menu");
  LOOK_FOR ("the menu of a node, and the overview", "menu item", "Why It Is There", "image", "The whole graph, of which ");
  driver_key ("Escape");
}

/* The card of a step that was compared, and the filter of its rewrites. */
static void
test_verdict (void)
{
  PhHistoryPanel *panel = find ("PhHistoryPanel");
  GtkWidget *popover;

  driver_run ("verify");
  popover = ph_verdict_popover_new (driver_console (), 1);
  g_assert_nonnull (popover);
  gtk_widget_set_parent (popover, GTK_WIDGET (panel->steps));
  gtk_popover_popup (GTK_POPOVER (popover));
  gtk_toggle_button_set_active (panel->rewrites_search, TRUE);
  LOOK_FOR ("a verdict, and the filter", "dialog", "Proved", "search box", "Rule, reason or node");
  gtk_toggle_button_set_active (panel->rewrites_search, FALSE);
  gtk_popover_popdown (GTK_POPOVER (popover));
  driver_settle ();
  gtk_widget_unparent (popover);
}

static void
test_windows (void)
{
  driver_key ("ctrl+question");
  LOOK_FOR ("shortcuts", "window", "Shortcuts");
  driver_key ("Escape");
  activate ("app.about");
  LOOK_FOR ("about", "window", "About", "label", "Peephole", "button", PACKAGE_VERSION);
  driver_key ("Escape");
}

int
main (int argc, char *argv[])
{
  if (!access_open () || !driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/names/start", test_start);
  g_test_add_func ("/names/panels", test_panels);
  g_test_add_func ("/names/inspector", test_inspector);
  g_test_add_func ("/names/forms", test_forms);
  g_test_add_func ("/names/bars", test_bars);
  g_test_add_func ("/names/dialogs", test_dialogs);
  g_test_add_func ("/names/problems", test_problems);
  g_test_add_func ("/names/roofline", test_roofline);
  g_test_add_func ("/names/popovers", test_popovers);
  g_test_add_func ("/names/menus", test_menus);
  g_test_add_func ("/names/verdict", test_verdict);
  g_test_add_func ("/names/windows", test_windows);
  int status = driver_main ();
  access_close ();
  return status;
}
