/* shortcuts.c: the window of keyboard shortcuts, made from the list of actions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/shortcuts.h"

#include <glib/gi18n.h>

#include "app/actions.h"

/* Keys that a widget handles by itself, so that no action has them. */
static const struct { const char *keys, *title; } own_keys[] = {
  { "Up Down", N_("In the pipeline: step by step") },
  { "Left Right Up Down", N_("In the graph: along the edges") },
  { "<Control><Alt>1...9", N_("Go to a bookmark, or set it here") },
  { "<Control>r", N_("In the console: search its history") },
  { "Tab", N_("In the console: complete the word") },
};

static void
add_shortcut (GString *ui, const char *keys, const char *title)
{
  g_auto (GStrv) parts = g_strsplit (title, "_", -1);
  g_autofree char *plain = g_strjoinv ("", parts);
  g_autofree char *markup = g_markup_printf_escaped ("<child><object class='GtkShortcutsShortcut'><property name='accelerator'>%s</property>"
                                                     "<property name='title'>%s</property></object></child>", keys, plain);
  g_string_append (ui, markup);
}

static void
add_group (GString *ui, const char *group)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);
  g_autofree char *start = g_markup_printf_escaped ("<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>", group);

  g_string_append (ui, start);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (actions[i].group, group) && actions[i].shortcut)
      {
        g_autofree char *keys = g_strdelimit (g_strdup (actions[i].shortcut), "|", ' ');
        add_shortcut (ui, keys, actions[i].title);
      }
  g_string_append (ui, "</object></child>");
}

/* GtkShortcutsWindow can be filled by a builder only. */
GtkWindow *
ph_shortcuts_new (GtkWindow *parent)
{
  g_autoptr (GString) ui = g_string_new ("<interface><object class='GtkShortcutsWindow' id='window'><property name='modal'>1</property>"
                                         "<child><object class='GtkShortcutsSection'><property name='section-name'>all</property>"
                                         "<property name='max-height'>14</property>");
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();
  g_autoptr (GtkBuilder) builder = gtk_builder_new ();
  g_autoptr (GError) error = NULL;
  guint n;
  const PhAction *actions = ph_action_list (&n);

  for (guint i = 0; i < n; i++)
    if (actions[i].shortcut && !g_ptr_array_find_with_equal_func (groups, actions[i].group, g_str_equal, NULL))
      {
        g_ptr_array_add (groups, (gpointer) actions[i].group);
        add_group (ui, actions[i].group);
      }
  g_autofree char *start = g_markup_printf_escaped ("<child><object class='GtkShortcutsGroup'><property name='title'>%s</property>", _("Within a Panel"));
  g_string_append (ui, start);
  for (guint i = 0; i < G_N_ELEMENTS (own_keys); i++)
    add_shortcut (ui, own_keys[i].keys, _(own_keys[i].title));
  g_string_append (ui, "</object></child></object></child></object></interface>");

  gtk_builder_add_from_string (builder, ui->str, (gssize) ui->len, &error);
  g_assert_no_error (error);
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "window"));
  gtk_window_set_transient_for (window, parent);
  return window;
}
