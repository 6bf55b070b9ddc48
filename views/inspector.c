/* inspector.c: the right panel: its frame and rows, and the choice of its page.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/inspector-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/scene/short-type.h"
#include "views/access-names.h"
#include "views/tooltip.h"

G_DEFINE_FINAL_TYPE (PhInspector, ph_inspector, GTK_TYPE_WIDGET)

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static void
on_row_activated (GtkListBox *section, GtkListBoxRow *row, PhInspector *self)
{
  PhLinkKind kind = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (row), "kind"));
  PhId id = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "id"));
  const char *line = g_object_get_data (G_OBJECT (row), "line");

  if (!self->document)
    return;
  switch (kind)
    {
    case PH_LINK_NODE:
      self->value = PH_NO_ID;
      if (ph_document_get_selection (self->document) == id)
        ph_inspector_show_value (self, PH_NO_ID);
      ph_document_set_selection (self->document, id);
      break;
    case PH_LINK_VALUE: ph_inspector_show_value (self, id); break;
    case PH_LINK_LINE: ph_console_run_async (self->console, line, NULL, NULL); break;
    case PH_LINK_SEARCH: gtk_widget_activate_action (GTK_WIDGET (self), "win.find-text", "s", line); break;
    case PH_LINK_NONE: break;
    }
}

GtkListBox *
ph_inspector_add_section (PhInspector *self, const char *title)
{
  GtkWidget *list = gtk_list_box_new ();

  if (title)
    {
      GtkWidget *label = gtk_label_new (title);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_widget_add_css_class (label, "section");
      gtk_box_append (self->sections, label);
      gtk_accessible_update_relation (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
    }
  else
    ph_access_set_name (list, "%s", _ ("Overview"));
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  g_signal_connect (list, "row-activated", G_CALLBACK (on_row_activated), self);
  gtk_box_append (self->sections, list);
  return GTK_LIST_BOX (list);
}

#define SHORT_VALUE 8 /* characters */

static GtkWidget *
add_row (GtkListBox *section, const char *name, const char *text, int indent, GtkLabel **label)
{
  GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *left = gtk_label_new (name), *right = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (left), 0);
  /* Several words wrap: "inside n16 Relu: attribute alpha" says at its end what it is about. One long name keeps both its ends. */
  const gboolean words = name && strchr (name, ' ') != NULL;
  gtk_label_set_wrap (GTK_LABEL (left), words);
  gtk_label_set_wrap_mode (GTK_LABEL (left), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (left), words ? 4 : -1);
  gtk_label_set_ellipsize (GTK_LABEL (left), words ? PANGO_ELLIPSIZE_END : PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (left), 18);
  gtk_widget_set_valign (left, GTK_ALIGN_BASELINE);
  gtk_widget_add_css_class (left, "property-name");
  gtk_widget_set_margin_start (left, 10 * indent);
  gtk_label_set_xalign (GTK_LABEL (right), name && *name ? 1 : 0);
  gtk_label_set_justify (GTK_LABEL (right), name && *name ? GTK_JUSTIFY_RIGHT : GTK_JUSTIFY_LEFT);
  gtk_label_set_wrap (GTK_LABEL (right), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (right), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (right), 4);
  /* A short value stays on its line: a long word to the left of it breaks. */
  gtk_label_set_width_chars (GTK_LABEL (right), text != NULL ? (int) MIN (g_utf8_strlen (text, -1), SHORT_VALUE) : 0);
  gtk_label_set_ellipsize (GTK_LABEL (right), PANGO_ELLIPSIZE_END);
  gtk_widget_set_valign (right, GTK_ALIGN_BASELINE);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_add_css_class (right, "value");
  if (name && *name)
    gtk_box_append (GTK_BOX (box), left);
  else
    g_object_ref_sink (left), g_object_unref (left);
  gtk_box_append (GTK_BOX (box), right);
  ph_tooltip_set (box, text);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_list_box_append (section, row);
  ph_access_name_row (box);
  if (label)
    *label = GTK_LABEL (right);
  return row;
}

static void
make_link (GtkWidget *row, PhLinkKind kind)
{
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_widget_set_cursor_from_name (row, "pointer");
  GtkWidget *box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));
  GtkWidget *arrow = gtk_image_new_from_icon_name ("go-next-symbolic");
  gtk_widget_add_css_class (arrow, "dim-label");
  gtk_box_append (GTK_BOX (box), arrow);
  g_object_set_data (G_OBJECT (row), "kind", GINT_TO_POINTER (kind));
}

GtkLabel *
ph_inspector_add_row (GtkListBox *section, const char *name, const char *text)
{
  GtkLabel *label;

  add_row (section, name, text, 0, &label);
  return label;
}

GtkWidget *
ph_inspector_add_link (GtkListBox *section, const char *name, const char *text, PhLinkKind kind, PhId id)
{
  GtkWidget *row = add_row (section, name, text, 0, NULL);

  make_link (row, kind);
  g_object_set_data (G_OBJECT (row), "id", GUINT_TO_POINTER (id));
  return row;
}

void
ph_inspector_add_line (GtkListBox *section, const char *name, const char *text, const char *line, int indent)
{
  GtkWidget *row = add_row (section, name, text, indent, NULL);

  make_link (row, PH_LINK_LINE);
  g_object_set_data_full (G_OBJECT (row), "line", g_strdup (line), g_free);
}

void
ph_inspector_add_search (GtkListBox *section, const char *name, const char *text, const char *what)
{
  GtkWidget *row = add_row (section, name, text, 0, NULL);

  make_link (row, PH_LINK_SEARCH);
  g_object_set_data_full (G_OBJECT (row), "line", g_strdup (what), g_free);
}

void
ph_inspector_add_value_row (PhInspector *self, GtkListBox *section, const char *name, const PhValue *value)
{
  g_autofree char *type = ph_type_to_shown (value->type);
  g_autofree char *narrow = ph_type_to_short (type, self->dimensions);
  g_autoptr (GString) broken = g_string_new (narrow);
  g_autofree char *text = NULL;
  g_autofree char *whole = g_strdup_printf ("%s\n%s", value->name, type);

  /* A long type may wrap between dimensions, not within one. */
  g_string_replace (broken, ",", ",\u200b", 0);
  g_string_replace (broken, "[", "[\u200b", 0);
  text = *name ? g_strdup_printf ("%s\n%s", value->name, broken->str) : g_strdup (broken->str);
  GtkWidget *row = ph_inspector_add_link (section, *name ? name : value->name, text, PH_LINK_VALUE, value->id);
  ph_tooltip_set (gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row)), whole);
}

GtkLabel *
ph_inspector_add_text (PhInspector *self, const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  if (style)
    gtk_widget_add_css_class (label, style);
  gtk_box_append (self->sections, label);
  return GTK_LABEL (label);
}

char *
ph_bytes_text (gint64 bytes)
{
  return bytes < 0 ? g_strdup ("–") : g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);
}

char *
ph_seconds_text (double seconds)
{
  static const char *const units[] = { "s", "ms", "µs", "ns" };
  guint unit = 0;

  while (seconds > 0 && seconds < 1 && unit + 1 < G_N_ELEMENTS (units))
    {
      seconds *= 1000;
      unit++;
    }
  return g_strdup_printf ("%.3g %s", seconds, units[unit]);
}

char *
ph_count_text (double count)
{
  static const char *const units[] = { "", " k", " M", " G", " T" };
  guint unit = 0;

  while (fabs (count) >= 1000 && unit + 1 < G_N_ELEMENTS (units))
    {
      count /= 1000;
      unit++;
    }
  return g_strdup_printf (unit ? "%.2f%s" : "%.0f%s", count, units[unit]);
}

/* --- which page ---------------------------------------------------------------------------------------------------- */

static void
show_breakpoint (PhInspector *self, PhId node)
{
  g_autofree char *id = g_strdup_printf ("n%u", node);

  self->updating = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (self->breakpoint), TRUE);
  gtk_toggle_button_set_active (
      self->breakpoint, g_ptr_array_find_with_equal_func (ph_document_get_breaks (self->document), id, g_str_equal, NULL));
  self->updating = FALSE;
}

static void
on_breakpoint_toggled (PhInspector *self)
{
  if (self->updating || !self->console)
    return;
  g_autofree char *line = g_strdup_printf ("breakpoint n%u", ph_document_get_selection (self->document));
  ph_console_run_async (self->console, line, NULL, NULL);
}

static gboolean
update (gpointer data)
{
  PhInspector *self = data;
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;
  GtkWidget *child;

  g_clear_handle_id (&self->update_timer, g_source_remove);
  ph_in_pause_cancel (&self->pause);
  g_clear_handle_id (&self->totals_source, g_source_remove);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->sections))))
    gtk_box_remove (self->sections, child);
  gtk_label_set_text (self->title, "");
  gtk_label_set_text (self->badge, "");
  /* An input of the graph that was selected in the picture is a value, and has no node to go back to. */
  const PhId chosen = self->document ? ph_document_get_selection (self->document) : PH_NO_ID;
  if (model && self->value == PH_NO_ID && chosen != PH_NO_ID && ph_model_find_value (model, chosen))
    self->value = chosen;
  gtk_widget_set_visible (GTK_WIDGET (self->back), self->value != PH_NO_ID && self->value != chosen);
  gtk_widget_set_visible (GTK_WIDGET (self->breakpoint), FALSE);
  if (!model)
    return G_SOURCE_REMOVE;

  g_clear_pointer (&self->dimensions, g_ptr_array_unref);
  self->dimensions = ph_long_dimensions (model->graph);
  PhId selected = ph_document_get_selection (self->document);
  PhValue *value = self->value ? ph_model_find_value (model, self->value) : NULL;
  PhNode *node = selected ? ph_model_find_node (model, selected) : NULL;
  if (value)
    ph_inspector_fill_value (self, value);
  else if (node)
    {
      show_breakpoint (self, node->id);
      ph_inspector_fill_node (self, node);
    }
  else if (selected)
    ph_inspector_fill_removed (self, selected);
  else
    ph_inspector_fill_graph (self);
  ph_access_name_all (GTK_WIDGET (self->sections));
  return G_SOURCE_REMOVE;
}

static gboolean
on_update_timer (gpointer data)
{
  PH_INSPECTOR (data)->update_timer = 0;
  return update (data);
}

/* Updates once after a series of signals, and after the frame that shows the step. An idle source would never run during an animation with
 * slow frames. */
static void
queue_update (PhInspector *self)
{
  if (self->update_timer == 0)
    self->update_timer = g_timeout_add (20, on_update_timer, self);
}

/* The rows are made after a pause, since nobody reads them while stepping. */
static void
update_in_pause (PhInspector *self)
{
  if (self->update_timer == 0)
    ph_in_pause (GTK_WIDGET (self), &self->pause, update);
}

static void
on_selection (PhInspector *self)
{
  self->value = PH_NO_ID;
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
  queue_update (self);
}

void
ph_inspector_show_value (PhInspector *self, PhId value)
{
  g_return_if_fail (PH_IS_INSPECTOR (self));
  self->value = value;
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
  queue_update (self);
}

static void
on_value_shown (PhInspector *self)
{
  ph_inspector_show_value (self, ph_document_get_shown_value (self->document));
}

static void
on_back (PhInspector *self)
{
  ph_inspector_show_value (self, PH_NO_ID);
}

void
ph_inspector_set_console (PhInspector *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_INSPECTOR (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console ? ph_console_get_document (console) : NULL));
  self->value = PH_NO_ID;
  if (self->document)
    {
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_selection), self);
      g_signal_connect_swapped (self->document, "notify::selection", G_CALLBACK (on_selection), self);
      g_signal_connect_swapped (self->document, "value-shown", G_CALLBACK (on_value_shown), self);
      g_signal_connect_swapped (self->document, "position-changed", G_CALLBACK (update_in_pause), self);
      g_signal_connect_swapped (self->document, "diff-changed", G_CALLBACK (update_in_pause), self);
      g_signal_connect_swapped (self->document, "history-changed", G_CALLBACK (update_in_pause), self);
      g_signal_connect_swapped (self->document, "pipeline-changed", G_CALLBACK (queue_update), self);
      g_signal_connect_swapped (self->document, "values-changed", G_CALLBACK (update_in_pause), self);
      g_signal_connect_swapped (self->document, "profile-changed", G_CALLBACK (queue_update), self);
      g_signal_connect_swapped (self->document, "feeds-changed", G_CALLBACK (queue_update), self);
    }
  queue_update (self);
}

static void
ph_inspector_dispose (GObject *object)
{
  PhInspector *self = PH_INSPECTOR (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_handle_id (&self->update_timer, g_source_remove);
  ph_in_pause_cancel (&self->pause);
  g_clear_handle_id (&self->totals_source, g_source_remove);
  g_clear_object (&self->document);
  g_clear_object (&self->console);
  g_clear_pointer (&self->dimensions, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_INSPECTOR);
  G_OBJECT_CLASS (ph_inspector_parent_class)->dispose (object);
}

static void
ph_inspector_class_init (PhInspectorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_inspector_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/inspector.ui");
  gtk_widget_class_bind_template_child (widget_class, PhInspector, content);
  gtk_widget_class_bind_template_child (widget_class, PhInspector, back);
  gtk_widget_class_bind_template_child (widget_class, PhInspector, title);
  gtk_widget_class_bind_template_child (widget_class, PhInspector, badge);
  gtk_widget_class_bind_template_child (widget_class, PhInspector, breakpoint);
  gtk_widget_class_bind_template_child (widget_class, PhInspector, scroller);
  gtk_widget_class_bind_template_child (widget_class, PhInspector, sections);
  gtk_widget_class_bind_template_callback (widget_class, on_back);
  gtk_widget_class_bind_template_callback (widget_class, on_breakpoint_toggled);
}

static void
ph_inspector_init (PhInspector *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_access_set_name (GTK_WIDGET (self), "%s", _ ("Inspector"));
}
