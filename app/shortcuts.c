/* shortcuts.c: the window of keyboard shortcuts, from the list of actions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/shortcuts.h"

#include <glib/gi18n.h>

#include "app/actions.h"
#include "views/access-names.h"

/* tests/ui/keys.c presses each of them. */
/* clang-format off */
static const PhOwnKey own_keys[] = {
  { N_("In the Pipeline"), "Up Down", N_("Step by step") },
  { N_("In the Pipeline"), "Return", N_("Run to a pass") },
  { N_("In the Pipeline"), "space", N_("Switch a pass off or on") },
  { N_("In the Pipeline"), "<Alt>Up <Alt>Down", N_("Move a pass") },
  { N_("In the Pipeline"), "b", N_("Breakpoint on a pass or a rule") },
  { N_("In the Pipeline"), "Delete", N_("Take a pass out") },
  { N_("In the Pipeline"), "Menu", N_("What else can be done") },
  { N_("In the History Below the Graph"), "Left Right", N_("To the next step that changed something") },
  { N_("In the History Below the Graph"), "<Shift>Left <Shift>Right", N_("Rewrite by rewrite") },
  { N_("In the History Below the Graph"), "Page_Up Page_Down", N_("Five steps") },
  { N_("In the History Below the Graph"), "Home End", N_("To the file, or to the last step") },
  { N_("In the History Below the Graph"), "plus minus", N_("More room for each step, or less") },
  { N_("In the History Below the Graph"), "Delete Escape", N_("Count changes from the step before again") },
  { N_("In the Graph"), "Left Right Up Down", N_("Along the edges") },
  { N_("In the Graph"), "<Shift>Up <Shift>Down", N_("Scroll") },
  { N_("In the Graph"), "<Shift>Left <Shift>Right", N_("Scroll sideways") },
  { N_("In the Graph"), "Page_Up Page_Down", N_("Scroll far") },
  { N_("In the Graph"), "Home End", N_("To the top, or to the bottom") },
  { N_("In the Graph"), "plus minus", N_("Zoom") },
  { N_("In the Graph"), "0", N_("Actual size") },
  { N_("In the Graph"), "f <Shift>f", N_("Fit the graph, or the selection") },
  { N_("In the Graph"), "Return", N_("Open or close a group, go inside a node") },
  { N_("In the Graph"), "BackSpace <Alt>Up", N_("Go out of what is inside a node") },
  { N_("In the Graph"), "Menu", N_("What else can be done") },
  { N_("Parts and Look of the Graph"), "n <Shift>n", N_("More around the selection, or less") },
  { N_("Parts and Look of the Graph"), "p", N_("Paths from here; again: to here") },
  { N_("Parts and Look of the Graph"), "t", N_("What the step touched") },
  { N_("Parts and Look of the Graph"), "a Escape", N_("The whole graph again") },
  { N_("Parts and Look of the Graph"), "d", N_("Changes") },
  { N_("Parts and Look of the Graph"), "c", N_("Compact layout") },
  { N_("Parts and Look of the Graph"), "g", N_("Groups") },
  { N_("In the Console"), "Tab", N_("Complete the word") },
  { N_("In the Console"), "<Shift>Tab", N_("Leave it; Tab does too where nothing is typed") },
  { N_("In the Console"), "<Control>r", N_("Search its history") },
  { N_("In the Console"), "<Control>c", N_("Give up the line, or what runs") },
  { N_("Anywhere"), "<Control><Alt>1...9", N_("Go to a bookmark, or set it here") },
};
/* clang-format on */

/* Adds a shortcut. @where: (nullable) a place in which it has another effect or none. */
static void
add_shortcut (GString *ui, const char *keys, const char *title, const char *where)
{
  g_auto (GStrv) parts = g_strsplit (title, "_", -1);
  g_autofree char *plain = g_strjoinv ("", parts);
  g_autofree char *subtitle = where ? g_markup_printf_escaped ("<property name='subtitle'>%s</property>", where) : g_strdup ("");
  g_autofree char *markup = g_markup_printf_escaped (
      "<child><object class='GtkShortcutsShortcut'><property name='accelerator'>%s</property>"
      "<property name='title'>%s</property>",
      keys, plain);
  g_string_append_printf (ui, "%s%s</object></child>", markup, subtitle);
}

/* Says which keys of an action work in the console. (nullable) (transfer full) */
static char *
say_where (const char *shortcut)
{
  g_auto (GStrv) keys = g_strsplit (shortcut, "|", -1);
  guint key, n_editing = 0;
  GdkModifierType modifiers;
  g_autofree char *other = NULL;

  for (guint k = 0; keys[k]; k++)
    if (ph_action_is_editing_key (keys[k]))
      n_editing++;
    else if (!other && gtk_accelerator_parse (keys[k], &key, &modifiers))
      other = gtk_accelerator_get_label (key, modifiers);
  if (n_editing == 0)
    return NULL;
  return other ? g_strdup_printf (_ ("In the console: %s"), other) : g_strdup (_ ("Not in the console"));
}

/* Starts a section that is at most as high as a small screen. */
static void
start_section (GString *ui, const char *name, const char *title)
{
  g_autofree char *start = g_markup_printf_escaped (
      "<child><object class='GtkShortcutsSection'><property name='section-name'>%s</property>"
      "<property name='title'>%s</property><property name='max-height'>13</property>",
      name, title);

  g_string_append (ui, start);
}

static void
add_group (GString *ui, const char *group)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);
  g_autofree char *start = g_markup_printf_escaped (
      "<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>", group);

  g_string_append (ui, start);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (actions[i].group, group) && actions[i].shortcut)
      {
        g_autofree char *keys = g_strdelimit (g_strdup (actions[i].shortcut), "|", ' ');
        g_autofree char *where = say_where (actions[i].shortcut);
        add_shortcut (ui, keys, actions[i].title, where);
      }
  g_string_append (ui, "</object></child>");
}

const PhOwnKey *
ph_own_key_list (guint *n)
{
  *n = G_N_ELEMENTS (own_keys);
  return own_keys;
}

/* Uses a builder, the only way to fill a GtkShortcutsWindow. */
GtkWindow *
ph_shortcuts_new (GtkWindow *parent)
{
  g_autoptr (GString) ui = g_string_new (
      "<interface><object class='GtkShortcutsWindow' id='window'><property name='modal'>1</property>");
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();
  g_autoptr (GtkBuilder) builder = gtk_builder_new ();
  g_autoptr (GError) error = NULL;
  guint n;
  const PhAction *actions = ph_action_list (&n);

  start_section (ui, "window", _ ("In the Whole Window"));
  for (guint i = 0; i < n; i++)
    if (actions[i].shortcut && !g_ptr_array_find_with_equal_func (groups, actions[i].group, g_str_equal, NULL))
      {
        g_ptr_array_add (groups, (gpointer) actions[i].group);
        add_group (ui, actions[i].group);
      }
  g_string_append (ui, "</object></child>");
  start_section (ui, "panels", _ ("In a Panel That Has the Keyboard"));
  for (guint i = 0; i < G_N_ELEMENTS (own_keys); i++)
    {
      g_autofree char *start = g_markup_printf_escaped (
          "<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>", _ (own_keys[i].panel));
      if (i == 0 || !g_str_equal (own_keys[i].panel, own_keys[i - 1].panel))
        g_string_append (ui, start);
      add_shortcut (ui, own_keys[i].keys, _ (own_keys[i].title), NULL);
      if (i + 1 == G_N_ELEMENTS (own_keys) || !g_str_equal (own_keys[i].panel, own_keys[i + 1].panel))
        g_string_append (ui, "</object></child>");
    }
  g_string_append (ui, "</object></child></object></interface>");

  gtk_builder_add_from_string (builder, ui->str, (gssize) ui->len, &error);
  g_assert_no_error (error);
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "window"));
  g_object_set (window, "section-name", "window", NULL);
  gtk_window_set_title (window, _ ("Keyboard Shortcuts"));
  gtk_window_set_transient_for (window, parent);
  ph_access_name_all (GTK_WIDGET (window));
  return window;
}
