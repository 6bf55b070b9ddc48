/* history-actions.c: the menus of the left panel, whose items run lines of the console, and the list of breakpoints.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/context-menu.h"
#include "views/history-private.h"
#include "views/tooltip.h"

/* --- of a pass ----------------------------------------------------------------------------------------------------- */

#define ACTION(name_) static void name_ (GSimpleAction *action, GVariant *parameter, gpointer data)

static const PhPipelineEntry *
menu_entry (PhHistoryPanel *self)
{
  GArray *entries = self->document ? ph_document_get_entries (self->document) : NULL;
  return entries && self->menu_entry >= 0 && self->menu_entry < (int) entries->len
             ? &g_array_index (entries, PhPipelineEntry, self->menu_entry)
             : NULL;
}

/* Actions that are a single command on the entry. */
ACTION (on_entry)
{
  /* clang-format off */
  static const struct { const char *action, *command; } commands[] = {
    { "break", "breakpoint" }, { "repeat", "pass repeat" }, { "remove", "pass remove" }, { "run-to", "run --to" },
  };
  /* clang-format on */
  PhHistoryPanel *self = data;
  const char *name = g_action_get_name (G_ACTION (action));
  const PhPipelineEntry *entry = menu_entry (self);

  if (!entry)
    return;
  if (g_str_equal (name, "enabled"))
    ph_history_run (self, "pass %s %d", entry->enabled ? "off" : "on", self->menu_entry + 1);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (commands[i].action, name))
      ph_history_run (self, "%s %d", commands[i].command, self->menu_entry + 1);
}

ACTION (move)
{
  PhHistoryPanel *self = data;
  int to = self->menu_entry + g_variant_get_int32 (parameter);

  self->focus_entry = to;
  ph_history_run (self, "pass move %d %d", self->menu_entry + 1, to + 1);
}

ACTION (limit)
{
  PhHistoryPanel *self = data;
  int n = g_variant_get_int32 (parameter);

  if (n > 0)
    ph_history_run (self, "pass limit %d %d", self->menu_entry + 1, n);
  else
    ph_history_run (self, "pass limit %d", self->menu_entry + 1);
}

ACTION (go_to_step)
{
  PhHistoryPanel *self = data;
  if (self->menu_step >= 0)
    ph_history_run (self, "goto %d", self->menu_step + 1);
}

ACTION (blame)
{
  PhHistoryPanel *self = data;
  if (self->menu_step >= 0)
    ph_history_run (self, "bisect %d %d", self->menu_step, self->menu_step + 1);
}

ACTION (insert)
{
  PhHistoryPanel *self = data;
  ph_history_run (self, "pass add %s %d", g_variant_get_string (parameter, NULL), self->menu_entry + 1);
}

ACTION (append)
{
  ph_history_run (data, "pass add %s", g_variant_get_string (parameter, NULL));
}

/* --- of a rewrite -------------------------------------------------------------------------------------------------- */

ACTION (on_rewrite)
{
  PhHistoryPanel *self = data;
  const char *name = g_action_get_name (G_ACTION (action));
  PhRewriteItem *item = self->menu_rewrite;

  if (!item)
    return;
  if (g_str_equal (name, "break-rule"))
    ph_history_run (self, "breakpoint %s/%s", item->pass, item->rule);
  else if (g_str_equal (name, "break-node"))
    ph_history_run (self, "breakpoint n%u", item->node);
  else if (g_str_equal (name, "rule-off"))
    ph_history_run (self, "rule off %s/%s", item->pass, item->rule);
  else if (g_str_equal (name, "filter-rule"))
    {
      gtk_toggle_button_set_active (self->rewrites_search, TRUE);
      gtk_editable_set_text (GTK_EDITABLE (self->rewrites_filter), item->rule);
    }
  else
    ph_document_set_selection (self->document, item->node);
}

/* --- of the pipeline ----------------------------------------------------------------------------------------------- */

ACTION (choose)
{
  ph_history_run (data, "pipeline %s", g_variant_get_string (parameter, NULL));
}

static void
on_file (GtkNativeDialog *dialog, int response, PhHistoryPanel *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file ? g_file_get_path (file) : NULL;
  gboolean saves = gtk_file_chooser_get_action (GTK_FILE_CHOOSER (dialog)) == GTK_FILE_CHOOSER_ACTION_SAVE;

  if (response == GTK_RESPONSE_ACCEPT && path)
    {
      g_autofree char *quoted = g_shell_quote (path);
      ph_history_run (self, "pipeline %s%s", saves ? "--save " : "", quoted);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

ACTION (on_file_action)
{
  PhHistoryPanel *self = data;
  gboolean saves = g_str_equal (g_action_get_name (G_ACTION (action)), "save");
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkFileChooserNative *dialog
      = saves ? gtk_file_chooser_native_new (_ ("Save the Pipeline"), parent, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL)
              : gtk_file_chooser_native_new (_ ("Load a Pipeline"), parent, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), NULL);

  if (saves)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "pipeline.txt");
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* --- menus --------------------------------------------------------------------------------------------------------- */

/* Builds a menu of all passes that may be in a pipeline, with a submenu for each group. */
static GMenuModel *
passes_menu (const char *action_name)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    if (!passes[i]->needs_arguments && !g_ptr_array_find_with_equal_func (groups, passes[i]->group, g_str_equal, NULL))
      g_ptr_array_add (groups, (gpointer) passes[i]->group);
  for (guint g = 0; g < groups->len; g++)
    {
      g_autoptr (GMenu) submenu = g_menu_new ();
      for (guint i = 0; i < n; i++)
        if (g_str_equal (passes[i]->group, groups->pdata[g]) && !passes[i]->needs_arguments)
          {
            g_autofree char *action = g_strdup_printf ("%s('%s')", action_name, passes[i]->name);
            g_menu_append (submenu, passes[i]->name, action);
          }
      g_menu_append_submenu (menu, groups->pdata[g], G_MENU_MODEL (submenu));
    }
  return G_MENU_MODEL (menu);
}

static GMenuModel *
pipeline_menu (void)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) list = g_menu_new (), files = g_menu_new (), add_section = g_menu_new ();
  g_autoptr (GMenuModel) passes = passes_menu ("history.append");
  guint n;
  const PhPipeline *pipelines = ph_pipeline_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *label = g_strdup_printf ("%s – %s", pipelines[i].name, _ (pipelines[i].summary));
      g_autofree char *action = g_strdup_printf ("history.pipeline::%s", pipelines[i].name);
      g_menu_append (list, label, action);
    }
  g_menu_append (files, _ ("_Load From a File…"), "history.load");
  g_menu_append (files, _ ("_Save to a File…"), "history.save");
  g_menu_append_submenu (add_section, _ ("_Add a Pass"), passes);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (list));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (add_section));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (files));
  return G_MENU_MODEL (menu);
}

void
ph_history_show_step_menu (PhHistoryPanel *self, GtkWidget *row, int entry_index, int step, double x, double y)
{
  g_autoptr (GMenu) menu = g_menu_new (), limits = g_menu_new ();
  g_autoptr (GMenuModel) passes = passes_menu ("history.insert");
  GArray *entries = ph_document_get_entries (self->document);
  GMenu *section = ph_context_menu_section (menu);

  self->menu_entry = entry_index;
  self->menu_step = step;
  const PhPipelineEntry *entry = menu_entry (self);
  if (step >= 0)
    g_menu_append (section, _ ("_Go Here"), "history.go");
  else if (entry && entry->enabled)
    g_menu_append (section, _ ("_Run to Here"), "history.run-to");
  if (entry)
    {
      g_menu_append (section, entry->breakpoint ? _ ("Remove the _Breakpoint") : _ ("Stop _Before This Pass"), "history.break");
      section = ph_context_menu_section (menu);
      g_menu_append (section, entry->enabled ? _ ("Switch _Off") : _ ("Switch _On"), "history.enabled");
      g_menu_append (section, entry->repeat ? _ ("Run _Once") : _ ("Re_peat Until Nothing Changes"), "history.repeat");
      for (guint i = 0; i < 4; i++)
        {
          static const int some[] = { 1, 2, 5, 10 };
          g_autofree char *label = g_strdup_printf (ngettext ("%d Rewrite", "%d Rewrites", (gulong) some[i]), some[i]);
          g_autofree char *action = g_strdup_printf ("history.limit(%d)", some[i]);
          g_menu_append (limits, label, action);
        }
      g_menu_append (limits, _ ("No Limit"), "history.limit(0)");
      g_menu_append_submenu (section, _ ("_Limit"), G_MENU_MODEL (limits));
      section = ph_context_menu_section (menu);
      if (entry_index > 0)
        g_menu_append (section, _ ("Move _Up"), "history.move(-1)");
      if (entry_index + 1 < (int) entries->len)
        g_menu_append (section, _ ("Move _Down"), "history.move(1)");
      g_menu_append_submenu (section, _ ("_Add a Pass Before It"), passes);
      g_menu_append (section, _ ("Re_move From the Pipeline"), "history.remove");
    }
  if (step >= 0)
    g_menu_append (ph_context_menu_section (menu), _ ("Find the Rewrite to Bla_me"), "history.blame");
  ph_context_menu_pop_up (row, G_MENU_MODEL (menu), entry ? entry->pass->name : _ ("As in the file"), x, y);
}

void
ph_history_show_rewrite_menu (PhHistoryPanel *self, GtkWidget *row, PhRewriteItem *item, double x, double y)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  GPtrArray *breaks = ph_document_get_breaks (self->document);
  g_autofree char *full = g_strdup_printf ("%s/%s", item->pass, item->rule), *id = g_strdup_printf ("n%u", item->node);
  GMenu *section = ph_context_menu_section (menu);

  g_set_object (&self->menu_rewrite, item);
  g_menu_append (section,
                 g_ptr_array_find_with_equal_func (breaks, full, g_str_equal, NULL) ? _ ("Remove the _Breakpoint on This Rule")
                                                                                    : _ ("Stop _Before This Rule"),
                 "history.break-rule");
  if (item->node != PH_NO_ID)
    {
      g_menu_append (section,
                     g_ptr_array_find_with_equal_func (breaks, id, g_str_equal, NULL) ? _ ("Remove the Breakpoint on This _Node")
                                                                                      : _ ("Stop Before Rewrites of This _Node"),
                     "history.break-node");
      g_menu_append (ph_context_menu_section (menu), _ ("_Select the Node"), "history.select");
    }
  section = ph_context_menu_section (menu);
  g_menu_append (section, _ ("_Filter by This Rule"), "history.filter-rule");
  g_menu_append (section, _ ("Switch This Rule _Off"), "history.rule-off");
  ph_context_menu_pop_up (row, G_MENU_MODEL (menu), full, x, y);
}

/* --- breakpoints --------------------------------------------------------------------------------------------------- */

static void
on_remove_break (GtkButton *button, PhHistoryPanel *self)
{
  ph_history_run (self, "breakpoint %s", (const char *) g_object_get_data (G_OBJECT (button), "what"));
}

static void
add_break (PhHistoryPanel *self, const char *kind, const char *name, const char *what)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *button = gtk_button_new_from_icon_name ("user-trash-symbolic");
  GtkWidget *dot = g_object_new (GTK_TYPE_IMAGE, "icon-name", "media-record-symbolic", "accessible-role",
                                 GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  GtkWidget *title = gtk_label_new (name), *note = gtk_label_new (kind);

  gtk_widget_add_css_class (dot, "error");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (title), 16);
  gtk_label_set_max_width_chars (GTK_LABEL (title), 32);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (note, "dim-label");
  gtk_widget_add_css_class (note, "caption");
  gtk_widget_add_css_class (button, "flat");
  ph_tooltip_set (button, _ ("Remove"));
  ph_access_set_name (button, _ ("Remove the breakpoint on %s"), name);
  g_object_set_data_full (G_OBJECT (button), "what", g_strdup (what), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (on_remove_break), self);
  gtk_box_append (GTK_BOX (box), dot);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), note);
  gtk_box_append (GTK_BOX (box), button);
  gtk_box_append (GTK_BOX (self->breaks_box), box);
}

static void
update_breaks (PhHistoryPanel *self)
{
  GtkWidget *child;
  guint n = 0;

  while ((child = gtk_widget_get_first_child (self->breaks_box)))
    gtk_box_remove (GTK_BOX (self->breaks_box), child);
  GArray *entries = self->document ? ph_document_get_entries (self->document) : NULL;
  GPtrArray *breaks = self->document ? ph_document_get_breaks (self->document) : NULL;
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;
  for (guint i = 0; entries && i < entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, i);
      g_autofree char *what = g_strdup_printf ("%u", i + 1);
      if (entry->breakpoint)
        add_break (self, _ ("pass"), entry->pass->name, what);
      n += entry->breakpoint;
    }
  for (guint i = 0; breaks && i < breaks->len; i++, n++)
    {
      const char *text = breaks->pdata[i];
      guint64 id;
      gboolean is_node = *text == 'n' && g_ascii_string_to_unsigned (text + 1, 10, 1, G_MAXUINT32, &id, NULL);
      const PhNode *node = is_node && model ? ph_model_find_node (model, (PhId) id) : NULL;
      g_autofree char *name = node ? g_strdup_printf ("%s %s", text, *node->name ? node->name : node->op_type) : g_strdup (text);
      add_break (self, is_node ? _ ("node") : _ ("rule"), name, text);
    }
  if (n == 0)
    {
      GtkWidget *label = gtk_label_new (_ (
          "No breakpoints. Click left of a pass or of a rewrite, or press B there, to stop before it; F7 stops before rewrites of the selected node."));
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
      gtk_widget_add_css_class (label, "dim-label");
      gtk_box_append (GTK_BOX (self->breaks_box), label);
    }
  g_autofree char *text = g_strdup_printf (ngettext ("%u breakpoint", "%u breakpoints", n), n);
  ph_tooltip_set (GTK_WIDGET (self->breaks_button), n ? text : _ ("Breakpoints"));
  if (n)
    gtk_widget_add_css_class (GTK_WIDGET (self->breaks_button), "has-breaks");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->breaks_button), "has-breaks");
}

void
ph_history_update_pipeline (PhHistoryPanel *self)
{
  const char *name = self->document ? ph_document_get_pipeline (self->document) : "";
  gboolean own = self->document && ph_document_pipeline_is_own (self->document), listed = ph_pipeline_find (name) != NULL;
  /* Translators: the name of a pipeline, and that it was changed by hand. */
  g_autofree char *label = !own ? g_strdup (name) : listed ? g_strdup_printf (_ ("%s, changed"), name) : g_strdup (_ ("Own"));
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), "pipeline");

  gtk_label_set_text (self->pipeline_name, label);
  ph_access_set_name (GTK_WIDGET (self->pipeline_button), "%s: %s", _ ("Pipeline"), label);
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (own ? "" : name));
  update_breaks (self);
}

void
ph_history_install_actions (PhHistoryPanel *self)
{
  /* clang-format off */
  static const GActionEntry entries[] = {
    { "enabled", on_entry }, { "break", on_entry }, { "repeat", on_entry }, { "remove", on_entry }, { "run-to", on_entry },
    { "move", move, "i" }, { "limit", limit, "i" }, { "go", go_to_step }, { "blame", blame }, { "insert", insert, "s" },
    { "append", append, "s" },
    { "break-rule", on_rewrite }, { "break-node", on_rewrite }, { "rule-off", on_rewrite }, { "filter-rule", on_rewrite },
    { "select", on_rewrite }, { "pipeline", choose, "s", "''" }, { "load", on_file_action }, { "save", on_file_action },
  };
  /* clang-format on */
  g_autoptr (GMenuModel) menu = pipeline_menu ();

  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "history", G_ACTION_GROUP (self->actions));
  gtk_menu_button_set_menu_model (self->pipeline_button, menu);
}

GSimpleActionGroup *
ph_history_panel_get_actions (PhHistoryPanel *self)
{
  return self->actions;
}
