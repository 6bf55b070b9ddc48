/* names.c: what a screen reader is told of every panel, over the bus of assistive technologies: whatever can be pressed, typed into or
 * moved has a role and a name of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/access-bus.h"
#include "views/inspector.h"

#define FOCUSABLE 11             /* ATSPI_STATE_FOCUSABLE */

static guint n_seen;

/* What GTK calls a widget that nobody named. */
static gboolean
is_no_name (const char *name)
{
  return !*name || g_str_equal (name, "\u200e") || g_regex_match_simple ("^_|^(Gtk|Adw|Ph|Vte)[A-Z]", name, 0, 0);
}

static gboolean
is_operated (const char *role)
{
  static const char *const roles[] = { "button", "push button", "toggle button", "checkbox", "check box", "radio button", "switch", "slider",
                                       "spin button", "search box", "text box", "combo box", "link", "menu item", "tab", "list item",
                                       "tree item", "grid cell", NULL };
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
  static const char *const roles[] = { "label", "image", "separator", "combo box", "scroll bar", NULL };     /* what is in the last two is GTK's */

  return g_strv_contains (roles, role);
}

/* Nothing has the role of a "widget" that can have the keyboard: that is no role at all. */
static void
look (const AccessObject *object, const char *name, const char *role, const char *place, GString *faults)
{
  g_autofree char *here = g_strdup_printf ("%s > %s '%s'", place, role, name);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gboolean asks = !is_leaf (role) && !is_operated (role) && !is_frame (name, role);

  n_seen++;
  if (is_operated (role) && is_no_name (name))
    g_string_append_printf (faults, "\nno name: %s", here);
  else if (asks && (is_no_name (name) || g_str_equal (role, "widget")) && access_has_state (object, FOCUSABLE))
    g_string_append_printf (faults, "\nno name or role: %s", here);
  if (is_leaf (role))
    return;
  g_autoptr (GPtrArray) children = access_children (object);
  for (guint i = 0; i < children->len; i++)
    {
      g_autofree char *child_role = access_role (children->pdata[i]), *child = access_name (children->pdata[i]);
      if (g_str_equal (child_role, "button") && !g_hash_table_add (names, g_strdup (child)))
        g_string_append_printf (faults, "\na second button '%s': %s", child, here);
      look (children->pdata[i], child, child_role, here, faults);
    }
}

/* Only what is below the window: a menu button has a button in it that bears its name, and is one for a screen reader. */
static void
look_at_all (const char *when)
{
  g_autoptr (GString) faults = g_string_new (NULL);

  driver_settle ();
  n_seen = 0;
  look (&access_root, "", "root", "", faults);
  g_test_message ("%s: %u objects", when, n_seen);
  g_assert_cmpuint (n_seen, >, 100);
  if (faults->len)
    {
      g_test_message ("%s:%s", when, faults->str);
      g_test_fail ();
    }
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
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), action, NULL);
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
  static const char *const forms[] = { "win.form-side", "win.form-text" };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      activate (forms[i]);
      look_at_all (forms[i]);
    }
  activate ("win.form-overlay");
}

static void
test_bars (void)
{
  driver_key ("ctrl+f");
  driver_type ("add");
  activate ("win.color-query");
  activate ("win.legend");
  driver_run ("select-node n%u", ((PhValue *) ph_document_get_model (driver_document ())->graph->outputs->pdata[0])->producer->id);
  activate ("win.part-around");
  driver_run ("breakpoint cse");
  activate ("win.show-text");
  look_at_all ("all bars, the text, a breakpoint");
  driver_run ("breakpoint cse");
  activate ("win.color-kind");
  activate ("win.legend");
  activate ("win.part-all");
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
  int status = driver_main ();
  access_close ();
  return status;
}
