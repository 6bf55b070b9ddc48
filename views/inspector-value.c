/* inspector-value.c: the inspector's page of a value: who makes it, who reads it, what is in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "views/inspector-private.h"
#include "views/tensor-view.h"

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
      ph_inspector_add_text (self, _("Nothing reads it."), "dim-label");
      return;
    }
  GtkListBox *section = ph_inspector_add_section (self, _("Read By"));
  for (guint i = 0; i < MIN (value->uses->len, MAX_READERS); i++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, i);
      g_autofree char *text = g_strdup_printf (_("%s, input %u"), *use->node->name ? use->node->name : use->node->op_type, use->index);
      ph_inspector_add_link (section, use->node->op_type, text, PH_LINK_NODE, use->node->id);
    }
  if (value->uses->len > MAX_READERS)
    {
      g_autofree char *text = g_strdup_printf (_("and %u more"), value->uses->len - MAX_READERS);
      ph_inspector_add_row (section, "", text);
    }
  if (value->n_output_uses)
    ph_inspector_add_row (section, _("Output"), _("of the graph"));
}

static void
on_evaluate (GtkButton *button, PhInspector *self)
{
  PhModel *model = ph_document_get_model (self->document);
  PhValue *value = model ? ph_model_find_value (model, self->value) : NULL;

  if (value)
    {
      g_autofree char *line = g_strdup_printf ("eval %s", value->name);
      ph_console_run_async (self->console, line, NULL, NULL, NULL);
    }
}

void
ph_inspector_fill_value (PhInspector *self, PhValue *value)
{
  g_autofree char *badge = g_strdup_printf ("v%u", value->id);
  g_autofree char *type = ph_type_to_string (value->type);
  gint64 size = value->type ? ph_type_bytes (value->type) : -1;
  PhTensor *tensor = find_tensor (self, value);

  gtk_label_set_text (self->title, value->name);
  gtk_label_set_text (self->badge, badge);
  GtkListBox *section = ph_inspector_add_section (self, NULL);
  ph_inspector_add_row (section, _("Type"), type);
  g_autofree char *bytes = ph_bytes_text (tensor ? (gint64) ph_tensor_bytes (tensor) : size);
  ph_inspector_add_row (section, _("Size"), bytes);
  if (value->producer)
    {
      g_autofree char *text = g_strdup_printf ("%s %s", value->producer->op_type, value->producer->name);
      ph_inspector_add_link (section, _("Made by"), text, PH_LINK_NODE, value->producer->id);
    }
  else
    ph_inspector_add_row (section, _("Made by"), value->is_input ? _("an input of the graph") : _("a constant of the file"));
  add_readers (self, value);

  GtkWidget *label = GTK_WIDGET (ph_inspector_add_text (self, _("Values"), "section"));
  gtk_widget_set_margin_top (label, 10);
  if (tensor)
    gtk_box_append (self->sections, ph_tensor_view_new (tensor, value->name));
  else
    {
      GtkWidget *button = gtk_button_new_with_mnemonic (_("_Evaluate"));
      ph_inspector_add_text (self, _("Not computed yet. Feed the inputs at the console (feed NAME VALUE, or feed NAME random 1), then evaluate."), "dim-label");
      gtk_widget_set_halign (button, GTK_ALIGN_START);
      g_signal_connect (button, "clicked", G_CALLBACK (on_evaluate), self);
      gtk_box_append (self->sections, button);
    }
}
