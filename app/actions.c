/* actions.c: the list of actions: the rows of the command table and of the view's that have a title, and the window's own below.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/actions.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <string.h>

#include "core/console/command.h"
#include "views/view-actions.h"

/* Actions of the window alone: looking, not doing. Each name is implemented in window-actions.c. */
/* clang-format off */
static const PhAction own_actions[] = {
  { "win.palette",        N_("Find a Command"),               N_("Find and run any command"), "<Control>k|<Control><Shift>p", NULL, N_("Help") },
  { "win.search-next",    N_("Find Next"),              NULL, "<Control>g", NULL, N_("Find") },
  { "win.search-previous", N_("Find Previous"),         NULL, "<Control><Shift>g", NULL, N_("Find") },
  { "win.new-tab",        N_("New Tab"),                NULL, "<Control>t", NULL, N_("File") },
  { "win.close-tab",      N_("Close Tab"),              NULL, "<Control>w", NULL, N_("File") },
  { "win.shortcuts",      N_("Keyboard Shortcuts"),     NULL, "<Control>question", NULL, N_("Help") },
  { "app.about",          N_("About Peephole"),         NULL, NULL, NULL, N_("Help") },
  { "win.go-first",       N_("Back to the File"),       N_("Undo all steps"), "<Alt>Home", "go-first-symbolic", N_("Steps") },
  { "win.go-last",        N_("To the Last Step"),       NULL, "<Alt>End", "go-last-symbolic", N_("Steps") },
  { "win.break-node",     N_("Breakpoint at the Node"), N_("Stop the run before rewrites of the selected node, or no longer"), "F7", NULL, N_("Steps") },
  { "win.fix-dimension",  N_("Fix a _Dimension…"),      N_("Give an open dimension of the inputs, such as batch, its size"), NULL, NULL, N_("Steps") },
  { "win.compare-with",   N_("Compare _With…"),         N_("Open another model and show what it has instead"), "<Control><Shift>o", NULL, N_("Changes") },
  { "win.next-change",    N_("Next Change"),            N_("Select the next node, or line, that changed"), "F8", NULL, N_("Changes") },
  { "win.previous-change", N_("Previous Change"),       NULL, "<Shift>F8", NULL, N_("Changes") },
  { "win.focus-console",  N_("Go to Console"),          NULL, "F12", NULL, N_("View") },
  { "win.focus-graph",    N_("Go to Graph"),            NULL, "<Control>F12", NULL, N_("View") },
  { "win.next-pane",      N_("Next Pane"),              N_("Move the keyboard to the next pane"), "F6", NULL, N_("View") },
  { "win.previous-pane",  N_("Previous Pane"),          NULL, "<Shift>F6", NULL, N_("View") },
  { "win.fullscreen",     N_("Full Screen"),            NULL, "<Control>F11", NULL, N_("View") },
};
/* clang-format on */

/* Returns the heading of a command in the menu and among the shortcuts. */
static const char *
command_group (const PhCommand *command)
{
  /* clang-format off */
  static const struct { const char *group; const char *commands[12]; } groups[] = {
    { N_("File"), { "open", "reload", "save", "render", "source", "info", "problems", "quit" } },
    { N_("Values"), { "feed", "eval", "values", "grad", "profile" } },
    { N_("Find"), { "find", "why" } },
    { N_("Help"), { "help" } },
  };
  /* clang-format on */

  for (guint g = 0; g < G_N_ELEMENTS (groups); g++)
    if (g_strv_contains (groups[g].commands, command->name))
      return _ (groups[g].group);
  return _ ("Steps");
}

gboolean
ph_action_is_editing_key (const char *accelerator)
{
  guint key;
  GdkModifierType modifiers;

  if (!gtk_accelerator_parse (accelerator, &key, &modifiers) || key >= 128 || !g_ascii_isalpha ((char) key))
    return FALSE;
  /* Ctrl+letter, and Ctrl+Shift+C and V, with which terminals copy and paste. */
  return modifiers == GDK_CONTROL_MASK
         || (modifiers == (GDK_CONTROL_MASK | GDK_SHIFT_MASK) && strchr ("cv", g_ascii_tolower ((char) key)) != NULL);
}

char *
ph_action_name_of_command (const char *command)
{
  g_autofree char *dashed = g_strdelimit (g_strdup (command), " _", '-');
  return g_strconcat ("command.", dashed, NULL);
}

/* Appends the values of a view setting as actions. */
static void
append_view (GArray *list, const PhViewRow *row)
{
  for (const PhViewWord *word = row->words; word->word; word++)
    if (word->title)
      {
        PhAction action = { .action = ph_view_action_name (row, word),
                            .title = _ (word->title),
                            .summary = word->summary ? _ (word->summary) : NULL,
                            .shortcut = word->shortcut,
                            .icon = word->icon,
                            .group = _ (row->heading) };
        g_array_append_val (list, action);
      }
}

static GArray *
build_list (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (PhAction));
  guint n;
  const PhCommand *const *commands = ph_command_list (&n);

  for (guint i = 0; i < n; i++)
    if (commands[i]->title)
      {
        /* clang-format off */
        PhAction action = {
          .action = ph_action_name_of_command (commands[i]->name), .title = _(commands[i]->title),
          .summary = commands[i]->summary ? _(commands[i]->summary) : NULL, .shortcut = commands[i]->shortcut,
          .icon = commands[i]->icon, .group = command_group (commands[i]),
        };
        /* clang-format on */
        g_array_append_val (list, action);
      }
  for (guint i = 0; i < G_N_ELEMENTS (own_actions); i++)
    {
      PhAction action = own_actions[i];
      action.title = _ (action.title);
      action.summary = action.summary ? _ (action.summary) : NULL;
      action.group = _ (action.group);
      g_array_append_val (list, action);
    }
  for (guint field = 0; field < PH_N_VIEW_FIELDS; field++)
    append_view (list, ph_view_row (field));
  return list;
}

const PhAction *
ph_action_list (guint *n)
{
  static gsize once;
  static GArray *list;

  if (g_once_init_enter (&once))
    {
      list = build_list ();
      g_once_init_leave (&once, 1);
    }
  *n = list->len;
  return (const PhAction *) list->data;
}

const PhAction *
ph_action_find (const char *name)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (actions[i].action, name))
      return &actions[i];
  return NULL;
}

/* Returns the menu: short names on top, and the rest by group in submenus to keep the menu small. */
GMenuModel *
ph_action_menu (void)
{
  static const char *const top[] = { "command.open", "command.save", "win.compare-with", "command.render", "command.grad", NULL };
  static const char *const bottom[] = { "win.palette", "win.shortcuts", "app.about", NULL };
  GMenu *menu = g_menu_new ();
  guint n;
  const PhAction *actions = ph_action_list (&n);
  const char *const *parts[] = { top, NULL, bottom };

  for (guint part = 0; part < G_N_ELEMENTS (parts); part++)
    {
      g_autoptr (GMenu) section = g_menu_new ();
      if (parts[part])
        for (guint i = 0; parts[part][i]; i++)
          {
            const PhAction *action = ph_action_find (parts[part][i]);
            if (action)
              g_menu_append (section, action->title, action->action);
          }
      else
        {
          g_autoptr (GPtrArray) groups = g_ptr_array_new ();
          for (guint i = 0; i < n; i++)
            if (!g_ptr_array_find_with_equal_func (groups, actions[i].group, g_str_equal, NULL))
              g_ptr_array_add (groups, (gpointer) actions[i].group);
          for (guint g = 0; g < groups->len; g++)
            {
              g_autoptr (GMenu) submenu = g_menu_new ();
              for (guint i = 0; i < n; i++)
                if (g_str_equal (actions[i].group, groups->pdata[g]) && !g_strv_contains (top, actions[i].action)
                    && !g_strv_contains (bottom, actions[i].action))
                  g_menu_append (submenu, actions[i].title, actions[i].action);
              g_menu_append_submenu (section, groups->pdata[g], G_MENU_MODEL (submenu));
            }
        }
      g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
    }
  return G_MENU_MODEL (menu);
}
