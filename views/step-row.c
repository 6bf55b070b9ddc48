/* step-row.c: one row of the pipeline list: a pass, its effect, and its state.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/step-row.h"

#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/step-verdict.h"
#include "views/tooltip.h"

struct _PhStepRow
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkToggleButton *breakpoint;
  GtkLabel *name;
  GtkMenuButton *verdict;
  GtkImage *verdict_icon;
  GtkLabel *note; /* beside the name, in place of the counts */
  GtkWidget *counts;
  GtkLabel *added, *removed, *changed, *detail;
  GtkCheckButton *enabled;
  PhConsole *console; /* (nullable) */
  PhStepItem *item;   /* (nullable) */
  gboolean updating;  /* toggles move because of update(), not of the user */
};

G_DEFINE_FINAL_TYPE (PhStepRow, ph_step_row, GTK_TYPE_WIDGET)

static char *
duration_text (double ms)
{
  if (ms < 0.95)
    return g_strdup (_ ("<1 ms"));
  if (ms < 1000)
    return g_strdup_printf (_ ("%.0f ms"), ms);
  return g_strdup_printf (_ ("%.1f s"), ms / 1000);
}

static void
set_count (GtkLabel *label, const char *sign, guint n)
{
  /* U+200E: the sign stays before the number where text runs to the left. */
  g_autofree char *text = g_strdup_printf ("\u200e%s%u", sign, n);
  gtk_label_set_text (label, text);
  gtk_widget_set_visible (GTK_WIDGET (label), n > 0);
}

/* Checks the class first, since adding or removing one makes GTK lay out the row even if nothing changes. */
static void
set_class (GtkWidget *widget, const char *name, gboolean on)
{
  if (on && !gtk_widget_has_css_class (widget, name))
    gtk_widget_add_css_class (widget, name);
  else if (!on && gtk_widget_has_css_class (widget, name))
    gtk_widget_remove_css_class (widget, name);
}

/* A pass that changed nothing has nothing to be verified, so its place stays empty. */
static void
set_verdict (PhStepRow *self, const PhStep *step)
{
  PhDocument *document = self->console ? ph_console_get_document (self->console) : NULL;
  const PhProof *proof = step && document ? ph_document_get_proof (document, self->item->step) : NULL;
  gboolean shown = proof && step->n_rewrites > 0;

  ph_verdict_style (GTK_WIDGET (self->verdict_icon), shown ? proof : NULL);
  gtk_widget_set_opacity (GTK_WIDGET (self->verdict), shown ? 1 : 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->verdict), shown);
  if (!shown)
    {
      ph_access_set_name (GTK_WIDGET (self->verdict), "%s", _ ("Not verified"));
      return;
    }
  if (g_strcmp0 (gtk_image_get_icon_name (self->verdict_icon), ph_verdict_icon (proof)) != 0)
    gtk_image_set_from_icon_name (self->verdict_icon, ph_verdict_icon (proof));
  g_autofree char *text = ph_verdict_text (proof);
  ph_tooltip_set (GTK_WIDGET (self->verdict), text);
  ph_access_set_name (GTK_WIDGET (self->verdict), "%s", text);
}

/* Fills the popover when it opens, since most are never opened. A menu button that gets another popover while it opens closes again, so the
 * first one is reused. */
static void
on_verdict_popup (GtkMenuButton *button, gpointer data)
{
  PhStepRow *self = data;
  GtkPopover *popover = gtk_menu_button_get_popover (button);

  if (!self->console || !self->item)
    return;
  if (popover)
    ph_verdict_popover_fill (popover, self->console, self->item->step);
  else
    gtk_menu_button_set_popover (button, ph_verdict_popover_new (self->console, self->item->step));
}

/* Returns the pass's special settings in this pipeline. */
static char *
note_of (const PhPipelineEntry *entry, const char *state)
{
  g_autoptr (GString) note = g_string_new (NULL);

  if (entry && entry->limit != G_MAXUINT)
    g_string_append_printf (note, _ ("limit %u"), entry->limit);
  if (entry && entry->repeat)
    g_string_append_printf (note, "%s%s", note->len ? ", " : "", _ ("repeated"));
  if (*state)
    g_string_append_printf (note, "%s%s", note->len ? " · " : "", state);
  return g_string_free (g_steal_pointer (&note), FALSE);
}

static void
show_step (PhStepRow *self, const PhPipelineEntry *entry, const PhStep *step)
{
  gboolean unchanged = step->n_added + step->n_removed + step->n_changed == 0;
  const char *state = step->failure ? _ ("failed") : unchanged && step->n_rewrites == 0 ? _ ("no change") : "";
  g_autofree char *time = duration_text (step->ms);
  g_autofree char *nodes = g_strdup_printf (ngettext ("%u node", "%u nodes", step->n_nodes), step->n_nodes);
  g_autofree char *detail = g_strdup_printf ("%s · %s", time, nodes);

  gtk_label_set_text (self->name, step->pass);
  g_autofree char *note = note_of (entry, state);
  gtk_label_set_text (self->note, note);
  gtk_widget_set_visible (self->counts, !unchanged || step->n_rewrites > 0);
  set_count (self->added, "+", step->n_added);
  set_count (self->removed, "−", step->n_removed);
  set_count (self->changed, "~", step->n_changed);
  gtk_label_set_text (self->detail, detail);
  set_verdict (self, step);
  set_class (self->content, "step-unchanged", unchanged && step->n_rewrites == 0 && !step->failure);
  set_class (GTK_WIDGET (self->note), "error", step->failure != NULL);
}

static void
show_other (PhStepRow *self, const PhPipelineEntry *entry, const char *name, const char *state)
{
  g_autofree char *note = note_of (entry, state);

  gtk_label_set_text (self->name, name);
  gtk_label_set_text (self->note, note);
  gtk_widget_set_visible (self->counts, FALSE);
  set_class (GTK_WIDGET (self->note), "error", FALSE);
  set_verdict (self, NULL);
}

static void
update (PhStepRow *self)
{
  if (!self->item || !self->console)
    return;
  PhDocument *document = ph_console_get_document (self->console);
  PhHistory *history = ph_document_get_history (document);
  GArray *entries = ph_document_get_entries (document);
  PhPosition at = ph_document_get_position (document);
  const PhPipelineEntry *entry = self->item->entry >= 0 && entries && (guint) self->item->entry < entries->len
                                     ? &g_array_index (entries, PhPipelineEntry, self->item->entry)
                                     : NULL;
  guint row_position = self->item->kind == PH_STEP_ITEM_STEP ? self->item->step + 1 : 0;
  gboolean future = self->item->kind == PH_STEP_ITEM_ENTRY
                    || (self->item->kind == PH_STEP_ITEM_STEP && row_position > at.step + (at.rewrite > 0));

  self->updating = TRUE;
  if (self->item->kind != PH_STEP_ITEM_STEP)
    set_class (self->content, "step-unchanged", FALSE);
  if (self->item->kind == PH_STEP_ITEM_STEP && history && self->item->step < history->steps->len)
    show_step (self, entry, &g_array_index (history->steps, PhStep, self->item->step));
  else if (self->item->kind == PH_STEP_ITEM_ENTRY && entry)
    show_other (self, entry, entry->pass->name, entry->enabled ? _ ("not run yet") : _ ("switched off"));
  else if (self->item->kind == PH_STEP_ITEM_FILE)
    show_other (self, NULL, _ ("As in the file"), "");
  set_class (self->content, "step-future", future);
  set_class (self->content, "step-current", self->item->kind != PH_STEP_ITEM_ENTRY && row_position == at.step + (at.rewrite > 0));

  gtk_widget_set_opacity (GTK_WIDGET (self->enabled), entry ? 1 : 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->enabled), entry != NULL);
  gtk_check_button_set_active (self->enabled, entry && entry->enabled);
  gtk_widget_set_opacity (GTK_WIDGET (self->breakpoint), entry ? 1 : 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->breakpoint), entry != NULL);
  gtk_toggle_button_set_active (self->breakpoint, entry && entry->breakpoint);
  ph_tooltip_set (self->content, entry ? entry->pass->summary : NULL);
  if (entry)
    {
      ph_access_set_name (GTK_WIDGET (self->breakpoint), _ ("Breakpoint on %s"), entry->pass->name);
      ph_access_set_name (GTK_WIDGET (self->enabled), _ ("Run %s"), entry->pass->name);
    }
  ph_access_name_row (GTK_WIDGET (self));
  self->updating = FALSE;
}

static void
run_on_entry (PhStepRow *self, const char *command)
{
  /* Named by index, since a pipeline may contain a pass twice. */
  g_autofree char *line = g_strdup_printf ("%s %d", command, self->item->entry + 1);

  ph_console_run_async (self->console, line, NULL, NULL);
}

static void
on_enabled_toggled (PhStepRow *self)
{
  if (!self->updating && self->item && self->item->entry >= 0)
    run_on_entry (self, gtk_check_button_get_active (self->enabled) ? "pass on" : "pass off");
}

static void
on_breakpoint_toggled (PhStepRow *self)
{
  if (!self->updating && self->item && self->item->entry >= 0)
    run_on_entry (self, "breakpoint");
}

void
ph_step_row_bind (PhStepRow *self, PhConsole *console, PhStepItem *item)
{
  g_return_if_fail (PH_IS_STEP_ROW (self));

  if (self->item)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_set_object (&self->item, item);
  g_set_object (&self->console, console);
  if (item)
    g_signal_connect_swapped (item, "changed", G_CALLBACK (update), self);
  update (self);
}

void
ph_step_row_set_drop (PhStepRow *self, int where)
{
  static const char *const classes[] = { "drop-above", "drop-below" };

  for (int i = 0; i < 2; i++)
    if (where == 2 * i - 1)
      gtk_widget_add_css_class (GTK_WIDGET (self), classes[i]);
    else
      gtk_widget_remove_css_class (GTK_WIDGET (self), classes[i]);
}

PhStepItem *
ph_step_row_get_item (PhStepRow *self)
{
  return self->item;
}

static void
ph_step_row_dispose (GObject *object)
{
  PhStepRow *self = PH_STEP_ROW (object);

  if (self->item)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_clear_object (&self->item);
  g_clear_object (&self->console);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_STEP_ROW);
  G_OBJECT_CLASS (ph_step_row_parent_class)->dispose (object);
}

static void
ph_step_row_class_init (PhStepRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_step_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/step-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, content);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, breakpoint);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, name);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, verdict);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, note);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, counts);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, added);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, removed);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, changed);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, detail);
  gtk_widget_class_bind_template_child (widget_class, PhStepRow, enabled);
  gtk_widget_class_bind_template_callback (widget_class, on_enabled_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_breakpoint_toggled);
}

static void
ph_step_row_init (PhStepRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_tooltip_set (GTK_WIDGET (self->breakpoint), _ ("Stop before this pass"));
  ph_tooltip_set (GTK_WIDGET (self->enabled), _ ("Whether the pipeline runs this pass"));
  gtk_menu_button_set_create_popup_func (self->verdict, on_verdict_popup, self, NULL);
}

GtkWidget *
ph_step_row_new (void)
{
  return g_object_new (PH_TYPE_STEP_ROW, NULL);
}
