/* window-actions.c: implements the window's actions: run a command, first asking for its arguments, or change the view.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include "config.h"

#include "app/actions.h"
#include "app/palette.h"
#include "app/shortcuts.h"
#include "app/window-private.h"
#include "views/example-file.h"
#include "views/export-dialog.h"

/* --- "command.*" --------------------------------------------------------------------------------------------------- */

/* Differentiates the only output, or the selected node's output if it is one of the graph; otherwise asks for the output. */
static void
differentiate (PhWindow *self)
{
  PhModel *model = ph_document_get_model (self->document);

  if (!model)
    return;
  GPtrArray *outputs = model->graph->outputs;
  PhNode *selected = ph_model_find_node (model, ph_document_get_selection (self->document));
  for (guint i = 0; i < outputs->len; i++)
    {
      PhValue *value = outputs->pdata[i];
      if (outputs->len == 1 || (selected && value->producer == selected))
        {
          ph_window_run (self, "grad %s", value->name);
          return;
        }
    }
  ph_window_prompt (self, "grad ");
}

static gboolean
step_changed (PhHistory *history, guint index)
{
  const PhStep *step = &g_array_index (history->steps, PhStep, index);
  return step->n_rewrites > 0 || step->n_added + step->n_removed + step->n_changed > 0;
}

/* Steps with the step keys, which skip passes that changed nothing, by steps or by rewrites (@into). The console's own commands do not
 * skip. */
static void
step_over_unchanged (PhWindow *self, const char *command, gboolean forward, gboolean into)
{
  PhHistory *history = ph_document_get_history (self->document);
  const PhPosition at = ph_document_get_position (self->document);
  PhPosition from = at, to;

  if (forward)
    while (from.rewrite == 0 && from.step + 1 < history->steps->len && !step_changed (history, from.step))
      from.step++;
  else
    while (from.rewrite == 0 && from.step > 0 && !step_changed (history, from.step - 1))
      from.step--;
  if (from.step == at.step)
    {
      ph_window_run (self, "%s", command);
      return;
    }
  to = forward ? ph_history_next (history, from, into) : ph_history_previous (history, from, into);

  g_autofree char *text = ph_position_to_string (to);
  ph_window_run (self, "goto %s", text);
}

/* Returns TRUE if a command's first argument is mandatory: it must be completed by hand. */
static gboolean
needs_arguments (const PhCommand *command)
{
  return command->arguments && *command->arguments && *command->arguments != '[';
}

/* Shows the console for commands that reply in text only. */
static void
show_answer (PhWindow *self, const PhCommand *command)
{
  static const char *const silent[] = { "step", "step into", "back", "back into", "run", "close", "quit", NULL };

  if (!g_strv_contains (silent, command->name))
    ph_window_show_bottom (self, "console");
}

static void
on_command (GSimpleAction *action, GVariant *parameter, PhWindow *self)
{
  static const char *const stepping[] = { "step", "back", "step into", "back into", NULL };
  const PhCommand *command = g_object_get_data (G_OBJECT (action), "command");

  if (ph_window_ask_for_file (self, command->name))
    return;
  const gboolean forward = g_str_has_prefix (command->name, "step"), into = g_str_has_suffix (command->name, " into");
  if (ph_document_is_open (self->document) && g_strv_contains (stepping, command->name))
    step_over_unchanged (self, command->name, forward, into);
  else if (g_str_equal (command->name, "grad"))
    differentiate (self);
  else if (g_str_equal (command->name, "hunt") && ph_document_is_open (self->document))
    ph_window_hunt (self);
  else if (g_str_equal (command->name, "render") && ph_document_is_open (self->document))
    ph_export_dialog_present (GTK_WINDOW (self), ph_window_get_view (self));
  else if (g_str_equal (command->name, "reload") && ph_document_get_path (self->document))
    ph_document_view_reload (ph_window_get_view (self));
  else if (g_str_equal (command->name, "find"))
    ph_find_bar_open (ph_document_view_get_find_bar (ph_window_get_view (self)));
  else if (needs_arguments (command))
    {
      g_autofree char *start = g_strconcat (command->name, " ", NULL);
      ph_window_prompt (self, start);
    }
  else
    {
      show_answer (self, command);
      ph_window_run (self, "%s", command->name);
    }
}

static void
add_commands (PhWindow *self)
{
  guint n;
  const PhCommand *const *commands = ph_command_list (&n);

  self->commands = g_simple_action_group_new ();
  for (guint i = 0; i < n; i++)
    {
      if (!commands[i]->title)
        continue;
      g_autofree char *name = ph_action_name_of_command (commands[i]->name);
      g_autoptr (GSimpleAction) action = g_simple_action_new (name + strlen ("command."), NULL);
      g_object_set_data (G_OBJECT (action), "command", (gpointer) commands[i]);
      g_signal_connect (action, "activate", G_CALLBACK (on_command), self);
      g_action_map_add_action (G_ACTION_MAP (self->commands), G_ACTION (action));
    }
  gtk_widget_insert_action_group (GTK_WIDGET (self), "command", G_ACTION_GROUP (self->commands));
  g_object_unref (self->commands);
}

/* --- "win.*" ------------------------------------------------------------------------------------------------------- */

#define ACTION(name_) static void name_ (GSimpleAction *action, GVariant *parameter, gpointer data)

ACTION (compare_with)
{
  ph_window_ask_for_file (data, "compare");
}

ACTION (show_palette)
{
  ph_palette_present (data);
}

ACTION (show_shortcuts)
{
  gtk_window_present (ph_shortcuts_new (data));
}

ACTION (search_next)
{
  ph_find_bar_move (ph_document_view_get_find_bar (ph_window_get_view (data)), 1);
}

ACTION (search_previous)
{
  ph_find_bar_move (ph_document_view_get_find_bar (ph_window_get_view (data)), -1);
}

ACTION (find_text)
{
  ph_find_bar_open_for (ph_document_view_get_find_bar (ph_window_get_view (data)), g_variant_get_string (parameter, NULL));
}

ACTION (break_node)
{
  PhWindow *self = data;
  guint node = ph_document_get_selection (self->document);

  if (node != PH_NO_ID)
    ph_window_run (self, "breakpoint n%u", node);
  else
    ph_document_view_toast (ph_window_get_view (self), _ ("Select a node first: the run then stops before rewrites of it."));
}

/* Returns the name of an open dimension, of the selected input if it has one, or NULL if the model has none. */
static const char *
open_dimension (PhDocument *document)
{
  PhModel *model = ph_document_get_model (document);
  const PhId selected = ph_document_get_selection (document);
  const char *found = NULL;

  for (guint i = 0; model && i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      const PhType *type = input->type;

      for (guint d = 0; type && type->kind == PH_KIND_TENSOR && type->has_rank && d < type->rank; d++)
        {
          const char *name = ph_dim_name (type->dims[d]);

          if (name && input->id == selected)
            return name;
          if (name && !found)
            found = name;
        }
    }
  return found;
}

ACTION (fix_dimension)
{
  PhWindow *self = data;
  const char *name = open_dimension (self->document);
  g_autofree char *line = name ? g_strdup_printf ("run bind-dimensions %s=", name) : NULL;

  if (line)
    ph_window_prompt (self, line);
}

ACTION (go_first)
{
  ph_window_run (data, "goto 0");
}

ACTION (go_last)
{
  PhWindow *self = data;
  PhHistory *history = ph_document_get_history (self->document);
  if (history)
    ph_window_run (self, "goto %u", history->steps->len);
}

ACTION (open_uri)
{
  g_autoptr (GFile) file = g_file_new_for_uri (g_variant_get_string (parameter, NULL));
  ph_window_open (data, file);
}

ACTION (open_example)
{
  const char *name = g_variant_get_string (parameter, NULL);
  g_autofree char *path = ph_example_find (name);
  g_autoptr (GFile) file = path ? g_file_new_for_path (path) : NULL;

  if (file)
    {
      ph_window_open (data, file);
      return;
    }
  g_autofree char *message = g_strdup_printf (_ ("%s is not in %s: install Peephole, or run it from its source folder."), name,
                                              EXAMPLES_DIR);
  ph_document_view_toast (ph_window_get_view (data), message);
}

ACTION (focus_console)
{
  ph_window_prompt (data, "");
}

ACTION (focus_graph)
{
  ph_fit_bin_show_main (((PhWindow *) data)->fit_bin);
  gtk_widget_grab_focus (GTK_WIDGET (ph_document_view_get_canvas (ph_window_get_view (data))));
}

/* Moves the focus in the order pipeline, graph, inspector, bottom pane, and round again, without hidden ones. */
static void
move_pane (PhWindow *self, int direction)
{
  GtkWidget *panes[] = { GTK_WIDGET (self->history_panel), GTK_WIDGET (ph_window_get_view (self)), GTK_WIDGET (self->inspector),
                         GTK_WIDGET (self->bottom_pane) };
  const int n = G_N_ELEMENTS (panes);
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));
  int at = direction > 0 ? n - 1 : 0;

  for (int i = 0; i < n; i++)
    if (focus && gtk_widget_is_ancestor (focus, panes[i]))
      at = i;
  for (int i = 1; i <= n; i++)
    {
      GtkWidget *pane = panes[((at + direction * i) % n + n) % n];
      if (gtk_widget_get_mapped (pane) && gtk_widget_child_focus (pane, GTK_DIR_TAB_FORWARD))
        return;
    }
}

ACTION (next_pane)
{
  move_pane (data, 1);
}

ACTION (previous_pane)
{
  move_pane (data, -1);
}

ACTION (new_tab)
{
  ph_window_add_tab (data);
}

ACTION (close_tab)
{
  PhWindow *self = data;
  AdwTabPage *page = adw_tab_view_get_selected_page (self->tabs);

  /* There is no page while a tab is being moved. */
  if (page)
    adw_tab_view_close_page (self->tabs, page);
}

ACTION (fullscreen)
{
  if (gtk_window_is_fullscreen (data))
    gtk_window_unfullscreen (data);
  else
    gtk_window_fullscreen (data);
}

ACTION (bookmark)
{
  ph_window_run (data, "bookmark %d", g_variant_get_int32 (parameter));
}

ACTION (do_graph)
{
  g_autofree char *name = g_strconcat ("graph.", g_action_get_name (G_ACTION (action)), NULL);

  gtk_widget_activate_action (GTK_WIDGET (ph_document_view_get_pane (ph_window_get_view (data))), name, NULL);
}

/* Returns TRUE for an action about the open model, such as "view.part" or "view.part::all". */
static gboolean
is_of_model (const char *action)
{
  g_auto (GStrv) words = g_strsplit_set (action, ".:", 3);
  PhViewField field;

  return g_str_equal (words[0], "view") && words[1] && ph_view_find (words[1], &field) && ph_view_row (field)->of_model;
}

/* Explains why an action is unavailable now, or returns NULL if it is available. Used by buttons, menus, keys and the palette. */
const char *
ph_window_why_off (PhWindow *self, const char *action)
{
  static const char *const always[] = { "command.open",   "command.help", "command.passes", "command.check",
                                        "command.source", "command.quit", "command.ops",    NULL };
  /* clang-format off */
  static const char *const need_document[]
      = { "win.break-node", "win.fix-dimension", "win.compare-with", "win.search-next",   "win.search-previous", "win.go-first",
          "win.go-last",    "view.page",        "view.pipeline",     "view.inspector",      NULL };
  /* clang-format on */
  gboolean is_command = g_str_has_prefix (action, "command.");

  if (is_command ? g_strv_contains (always, action) : !g_strv_contains (need_document, action) && !is_of_model (action))
    return NULL;
  if (!self->document || !ph_document_is_open (self->document))
    return _ ("No model is open.");

  PhPosition at = ph_document_get_position (self->document);
  PhHistory *history = ph_document_get_history (self->document);
  if ((g_str_has_prefix (action, "command.back") || g_str_equal (action, "win.go-first")) && at.step == 0 && at.rewrite == 0)
    return _ ("This is the model as it is in the file: there is nothing to go back to.");
  if ((g_str_equal (action, "command.step") || g_str_equal (action, "command.step-into") || g_str_equal (action, "command.run"))
      && at.step >= history->steps->len && ph_document_next_entry (self->document) == G_MAXUINT)
    return _ ("The pipeline has been run to its end.");
  if (g_str_equal (action, "win.go-last") && at.step >= history->steps->len)
    return _ ("This is the last step.");
  if (g_str_equal (action, "win.fix-dimension") && !open_dimension (self->document))
    return _ ("All dimensions of the inputs have their size.");
  return NULL;
}

static void
update_enabled (PhWindow *self, GActionMap *map, const char *prefix)
{
  g_auto (GStrv) names = g_action_group_list_actions (G_ACTION_GROUP (map));

  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *action = g_strconcat (prefix, names[i], NULL);
      g_simple_action_set_enabled (G_SIMPLE_ACTION (g_action_map_lookup_action (map, names[i])),
                                   !ph_window_why_off (self, action));
    }
}

void
ph_window_update_actions (PhWindow *self)
{
  ph_window_update_panels (self);
  update_enabled (self, G_ACTION_MAP (self), "win.");
  update_enabled (self, G_ACTION_MAP (self->commands), "command.");
  if (self->view_actions)
    update_enabled (self, G_ACTION_MAP (self->view_actions), "view.");
}

/* Hides a paned whose sides are both hidden, so that the rest takes all of the width. */
static void
update_panes (PhWindow *self)
{
  GtkWidget *upper = gtk_widget_get_ancestor (GTK_WIDGET (self->tabs), GTK_TYPE_PANED), *right = gtk_widget_get_parent (upper);
  const gboolean any = gtk_widget_get_visible (GTK_WIDGET (self->tabs)) || gtk_widget_get_visible (GTK_WIDGET (self->inspector));

  gtk_widget_set_visible (upper, any);
  gtk_widget_set_visible (right, any || gtk_widget_get_visible (GTK_WIDGET (self->bottom_pane)));
}

void
ph_window_install_actions (PhWindow *self)
{
  /* clang-format off */
  static const GActionEntry entries[] = {
    { "palette", show_palette }, { "shortcuts", show_shortcuts }, { "search-next", search_next },
    { "find-text", find_text, "s" }, { "break-node", break_node }, { "fix-dimension", fix_dimension }, { "search-previous", search_previous }, { "go-first", go_first },
    { "go-last", go_last }, { "open-uri", open_uri, "s" }, { "example", open_example, "s" }, { "focus-console", focus_console },
    { "focus-graph", focus_graph }, { "next-pane", next_pane }, { "previous-pane", previous_pane },
    { "new-tab", new_tab }, { "close-tab", close_tab }, { "fullscreen", fullscreen }, { "bookmark", bookmark, "i" },
    { "compare-with", compare_with }, { "next-change", do_graph }, { "previous-change", do_graph },
  };
  /* clang-format on */

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  add_commands (self);

  /* The picture first; all of this is in the menu too, and has a key. */
  GtkWidget *folds[] = { GTK_WIDGET (self->inspector), GTK_WIDGET (self->history_panel),
                         self->first_button,           self->last_button,
                         self->bottom_button,          self->inspector_button,
                         self->pipeline_button,        self->find_button,
                         GTK_WIDGET (self->title),     self->back_button };
  for (guint k = 0; k < G_N_ELEMENTS (folds); k++)
    ph_fit_bin_add (self->fit_bin, folds[k]);
  ph_fit_bin_add_main (self->fit_bin, GTK_WIDGET (self->bottom_pane));
  ph_fit_bin_add_main (self->fit_bin, GTK_WIDGET (self->tabs));
  GtkWidget *panes[] = { GTK_WIDGET (self->tabs), GTK_WIDGET (self->inspector), GTK_WIDGET (self->bottom_pane) };
  for (guint i = 0; i < G_N_ELEMENTS (panes); i++)
    g_signal_connect_object (panes[i], "notify::visible", G_CALLBACK (update_panes), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->fit_bin, "folded", G_CALLBACK (ph_window_on_folded), self, G_CONNECT_SWAPPED);
}
