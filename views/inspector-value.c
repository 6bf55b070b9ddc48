/* inspector-value.c: the inspector's page of a value: its producer, its users, its contents.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "core/scene/short-type.h"
#include "views/access-names.h"
#include "views/feed-popover.h"
#include "views/inspector-private.h"
#include "views/tensor-view.h"
#include "views/tooltip.h"
#include "views/verify-cost.h"

#define MAX_READERS 100

static PhTensor *
find_tensor (PhInspector *self, const PhValue *value)
{
  PhTensor *tensor = ph_document_get_value (self->document, value->id);

  if (!tensor && value->is_input)
    tensor = g_hash_table_lookup (ph_document_get_feeds (self->document), value->name);
  return tensor ? tensor : value->tensor;
}

static void
add_readers (PhInspector *self, const PhValue *value)
{
  if (value->uses->len == 0 && value->n_output_uses == 0)
    {
      ph_inspector_add_text (self, _ ("Nothing reads it."), "dim-label");
      return;
    }
  GtkListBox *section = ph_inspector_add_section (self, _ ("Read By"));
  for (guint i = 0; i < MIN (value->uses->len, MAX_READERS); i++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, i);
      g_autofree char *text = *use->node->name ? g_strdup_printf (_ ("%s, input %u"), use->node->name, use->index)
                                               : g_strdup_printf (_ ("input %u"), use->index);
      ph_inspector_add_link (section, use->node->op_type, text, PH_LINK_NODE, use->node->id);
    }
  if (value->uses->len > MAX_READERS)
    {
      g_autofree char *text = g_strdup_printf (_ ("and %u more"), value->uses->len - MAX_READERS);
      ph_inspector_add_row (section, "", text);
    }
  if (value->n_output_uses)
    ph_inspector_add_row (section, _ ("Output"), _ ("of the graph"));
}

static void
on_evaluate (GtkButton *button, PhInspector *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhValue *value = model ? ph_model_find_value (model, self->value) : NULL;

  if (value)
    {
      /* For a cheap model all values are kept, so that the next one is available at once. */
      g_autofree char *dear = ph_verify_cost (model), *name = g_shell_quote (value->name);
      g_autofree char *line = g_strdup_printf ("eval %s --random 1%s", name, dear ? "" : " --all");
      ph_console_run_async (self->console, line, NULL, NULL);
    }
}

static void
feed (PhInspector *self, const char *what)
{
  PhModel *model = ph_document_get_model (self->document);
  PhValue *value = model ? ph_model_find_value (model, self->value) : NULL;

  if (!value)
    return;
  g_autofree char *name = g_shell_quote (value->name), *line = g_strdup_printf ("feed %s %s", name, what);
  ph_console_run_async (self->console, line, NULL, NULL);
}

static void
on_feed_random (GtkButton *button, PhInspector *self)
{
  feed (self, "random 1");
}

static void
on_feed_nothing (GtkEntry *entry, GtkEntryIconPosition position, PhInspector *self)
{
  feed (self, "none");
}

static void
on_feed_file_chosen (GtkNativeDialog *dialog, int response, PhInspector *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path)
    {
      g_autofree char *quoted = g_shell_quote (path);
      feed (self, quoted);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_feed_file (GtkButton *button, PhInspector *self)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (_ ("Values for the Input"), parent, GTK_FILE_CHOOSER_ACTION_OPEN,
                                                              _ ("_Open"), NULL);
  GtkFileFilter *filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Tensors (.npy, .pb)"));
  gtk_file_filter_add_pattern (filter, "*.npy");
  gtk_file_filter_add_pattern (filter, "*.pb");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_object_unref (filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_feed_file_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* --- typed values --------------------------------------------------------------------------------------------------- */

/* A successful line rebuilds the page; otherwise the entry shows the error. */
static void
on_entered (GObject *console, GAsyncResult *result, gpointer data)
{
  g_autoptr (GtkWidget) entry = data;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);

  if (!reply || reply->ok)
    return;
  g_autofree char *problem = ph_reply_problem (reply, NULL);
  gtk_widget_add_css_class (entry, "error");
  ph_tooltip_set (entry, problem);
}

static void
run_entered (PhInspector *self, GtkEntry *entry, const char *line)
{
  gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  ph_tooltip_set (GTK_WIDGET (entry), NULL);
  ph_console_run_async (self->console, line, on_entered, g_object_ref (entry));
}

static void
on_feed_typed (GtkEntry *entry, PhInspector *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhValue *value = model ? ph_model_find_value (model, self->value) : NULL;
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));

  if (!value || !*text)
    return;
  g_autofree char *name = g_shell_quote (value->name), *line = g_strdup_printf ("feed %s %s", name, text);
  run_entered (self, entry, line);
}

static void
on_size_typed (GtkEntry *entry, PhInspector *self)
{
  const char *symbol = g_object_get_data (G_OBJECT (entry), "symbol");
  g_autofree char *text = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (entry))));
  g_autofree char *binding = g_strdup_printf ("%s=%s", symbol, text), *quoted = g_shell_quote (binding);
  g_autofree char *line = g_strdup_printf ("run bind-dimensions %s", quoted);

  if (*text)
    run_entered (self, entry, line);
}

static GtkWidget *
new_entry (PhInspector *self, const char *name, const char *placeholder, GCallback activated)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), placeholder);
  ph_access_set_name (entry, "%s", name);
  g_signal_connect (entry, "activate", activated, self);
  return entry;
}

/* Adds an entry for each symbolic dimension of the input, whose size a gradient or a folded shape may need. */
static void
add_sizes (PhInspector *self, const PhValue *value)
{
  for (guint i = 0; value->type && value->type->has_rank && i < value->type->rank; i++)
    {
      const char *symbol = ph_dim_name (value->type->dims[i]);
      if (!symbol)
        continue;
      g_autofree char *placeholder = g_strdup_printf (_ ("Fix %s at…"), symbol),
                      *name = g_strdup_printf (_ ("Size of %s"), symbol);
      GtkWidget *entry = new_entry (self, name, placeholder, G_CALLBACK (on_size_typed));
      gtk_box_append (self->sections, entry);
      gtk_entry_set_input_purpose (GTK_ENTRY (entry), GTK_INPUT_PURPOSE_DIGITS);
      g_object_set_data (G_OBJECT (entry), "symbol", (gpointer) symbol);
    }
}

/* Adds the ways to feed an input; @fed is its present feed. */
static void
add_feeding (PhInspector *self, const PhValue *value, PhTensor *fed)
{
  /* clang-format off */
  const struct { const char *label; GCallback clicked; } ways[] = {
    { _("_Random"), G_CALLBACK (on_feed_random) },
    { _("From a _File…"), G_CALLBACK (on_feed_file) },
  };
  /* clang-format on */
  GtkWidget *all = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  ph_inspector_add_text (self, fed ? _ ("This input is fed.") : _ ("Feed this input:"), "dim-label");
  if (value->type && value->type->kind == PH_KIND_TENSOR)
    {
      GtkWidget *entry = new_entry (self, _ ("Values"), ph_feed_example (value->type), G_CALLBACK (on_feed_typed));
      g_autofree char *text = ph_feed_text (fed);

      gtk_editable_set_text (GTK_EDITABLE (entry), text ? text : "");
      if (fed)
        {
          gtk_entry_set_icon_from_icon_name (GTK_ENTRY (entry), GTK_ENTRY_ICON_SECONDARY, "edit-clear-symbolic");
          gtk_entry_set_icon_tooltip_text (GTK_ENTRY (entry), GTK_ENTRY_ICON_SECONDARY, _ ("Feed nothing"));
          g_signal_connect (entry, "icon-release", G_CALLBACK (on_feed_nothing), self);
        }
      gtk_box_append (GTK_BOX (all), entry);
    }
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      GtkWidget *button = gtk_button_new_with_mnemonic (ways[i].label);
      gtk_widget_set_hexpand (button, TRUE);
      g_signal_connect (button, "clicked", ways[i].clicked, self);
      gtk_box_append (GTK_BOX (box), button);
    }
  gtk_widget_set_margin_top (all, 6);
  gtk_widget_set_margin_bottom (all, 6);
  gtk_box_append (GTK_BOX (all), box);
  gtk_box_append (self->sections, all);
}

void
ph_inspector_fill_value (PhInspector *self, PhValue *value)
{
  g_autofree char *badge = g_strdup_printf ("v%u", value->id);
  g_autofree char *type = ph_type_to_shown (value->type);
  gint64 size = value->type ? ph_type_bytes (value->type) : -1;
  PhTensor *tensor = find_tensor (self, value);

  gtk_label_set_text (self->title, value->name);
  gtk_label_set_text (self->badge, badge);
  GtkListBox *section = ph_inspector_add_section (self, NULL);
  ph_inspector_add_row (section, _ ("Type"), type);
  g_autofree char *bytes = ph_bytes_text (tensor ? (gint64) ph_tensor_bytes (tensor) : size);
  ph_inspector_add_row (section, _ ("Size"), bytes);
  if (value->producer)
    {
      g_autofree char *text = g_strdup_printf ("%s %s", value->producer->op_type, value->producer->name);
      ph_inspector_add_link (section, _ ("Made by"), text, PH_LINK_NODE, value->producer->id);
    }
  else
    ph_inspector_add_row (section, _ ("Made by"), value->is_input ? _ ("an input of the graph") : _ ("a constant of the file"));
  add_readers (self, value);
  if (value->is_input && !value->tensor)
    add_sizes (self, value);

  GtkWidget *label = GTK_WIDGET (ph_inspector_add_text (self, _ ("Values"), "section"));
  gtk_widget_set_margin_top (label, 10);
  if (value->is_input && value->graph == value->graph->model->graph)
    add_feeding (self, value, g_hash_table_lookup (ph_document_get_feeds (self->document), value->name));
  if (tensor)
    gtk_box_append (self->sections, ph_tensor_view_new (tensor, value->name));
  else if (!value->is_input)
    {
      GtkWidget *button = gtk_button_new_with_mnemonic (_ ("_Evaluate"));
      ph_inspector_add_text (self, _ ("Not computed yet. Inputs that are not fed are made up."), "dim-label");
      gtk_widget_set_halign (button, GTK_ALIGN_START);
      g_signal_connect (button, "clicked", G_CALLBACK (on_evaluate), self);
      gtk_box_append (self->sections, button);
    }
}
