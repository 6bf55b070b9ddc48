/* text-pane.c: the graph as ONNX text, with what the present step changed marked by a sign and a colour.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/text-pane.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "views/text-diff.h"

struct _PhTextPane
{
  GtkWidget         parent_instance;
  GtkWidget        *content;
  GtkLabel         *summary;
  GtkToggleButton  *changes_only;
  GtkSourceView    *view;
  GtkSourceBuffer  *buffer;
  GtkSourceGutterRenderer *signs;
  PhDocument       *document;        /* (nullable) */
  PhTextDiff       *diff;            /* (nullable) what is shown */
  GCancellable     *cancellable;     /* (nullable) of what is being made */
  gboolean          stale;           /* the document changed while nobody looked */
};

G_DEFINE_FINAL_TYPE (PhTextPane, ph_text_pane, GTK_TYPE_WIDGET)

static char
sign_of_line (PhTextPane *self, guint line)
{
  return self->diff && line < self->diff->signs->len ? g_array_index (self->diff->signs, char, line) : ' ';
}

static void
on_query_sign (GtkSourceGutterRenderer *renderer, GtkSourceGutterLines *lines, guint line, PhTextPane *self)
{
  char sign = sign_of_line (self, line);
  gtk_source_gutter_renderer_text_set_text (GTK_SOURCE_GUTTER_RENDERER_TEXT (renderer), sign == '+' ? "+" : sign == '-' ? "−" : " ", -1);
}

static void
mark_lines (PhTextPane *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  gboolean only = gtk_toggle_button_get_active (self->changes_only);
  guint n = self->diff->signs->len;

  for (guint line = 0; line < n;)
    {
      char sign = sign_of_line (self, line);
      guint end = line + 1;
      GtkTextIter from, to;
      while (end < n && sign_of_line (self, end) == sign)
        end++;
      gtk_text_buffer_get_iter_at_line (buffer, &from, (int) line);
      gtk_text_buffer_get_iter_at_line (buffer, &to, (int) end);
      if (end >= n)
        gtk_text_buffer_get_end_iter (buffer, &to);
      if (sign != ' ')
        gtk_text_buffer_apply_tag_by_name (buffer, sign == '+' ? "added" : "removed", &from, &to);
      else if (only)
        gtk_text_buffer_apply_tag_by_name (buffer, "hidden", &from, &to);
      line = end;
    }
}

static void
go_to_change (PhTextPane *self, int direction)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark (buffer, &iter, gtk_text_buffer_get_insert (buffer));
  int n = gtk_text_buffer_get_line_count (buffer), line = gtk_text_iter_get_line (&iter);
  /* Out of the change that the cursor stands in, then to the start of the next. */
  while (line >= 0 && line < n && sign_of_line (self, (guint) line) != ' ')
    line += direction;
  while (line >= 0 && line < n && sign_of_line (self, (guint) line) == ' ')
    line += direction;
  if (line < 0 || line >= n)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &iter, line);
  gtk_text_buffer_place_cursor (buffer, &iter);
  /* To the mark, not the iter: the lines above may not have their heights yet. */
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer), 0, TRUE, 0, 0.3);
}

static void
show_diff (PhTextPane *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter start;
  g_autofree char *summary = self->diff->n_added + self->diff->n_removed == 0
                                 ? g_strdup (_("Nothing changed here"))
                                 : g_strdup_printf (_("This step: +%u −%u lines"), self->diff->n_added, self->diff->n_removed);

  gtk_label_set_text (self->summary, summary);
  gtk_text_buffer_set_text (buffer, self->diff->text->str, (int) self->diff->text->len);
  mark_lines (self);
  gtk_text_buffer_get_start_iter (buffer, &start);
  gtk_text_buffer_place_cursor (buffer, &start);
  if (self->diff->n_added + self->diff->n_removed > 0)
    go_to_change (self, 1);
}

static void
on_diff (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhTextPane) self = data;
  PhTextDiff *diff = ph_text_diff_finish (result, NULL);

  if (!diff)
    return;
  if (!self->content)
    {
      ph_text_diff_free (diff);
      return;
    }
  g_clear_pointer (&self->diff, ph_text_diff_free);
  self->diff = diff;
  show_diff (self);
}

static void
update (PhTextPane *self)
{
  self->stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->stale = FALSE;
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (!self->document || !ph_document_is_open (self->document))
    {
      gtk_text_buffer_set_text (GTK_TEXT_BUFFER (self->buffer), "", 0);
      g_clear_pointer (&self->diff, ph_text_diff_free);
      return;
    }
  PhPosition b = ph_document_get_position (self->document), a = b;
  if (b.rewrite > 0)
    a.rewrite = 0;
  else if (b.step > 0)
    a.step--;
  self->cancellable = g_cancellable_new ();
  ph_text_diff_async (self->document, a, b, self->cancellable, on_diff, g_object_ref (self));
}

static void
on_mapped (PhTextPane *self)
{
  if (self->stale)
    update (self);
}

static void
on_previous_change (PhTextPane *self)
{
  go_to_change (self, -1);
}

static void
on_next_change (PhTextPane *self)
{
  go_to_change (self, 1);
}

static void
on_changes_only (PhTextPane *self)
{
  if (self->diff)
    show_diff (self);
}

/* The node whose line the cursor was put on by a click becomes the selected one. */
static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, PhTextPane *self)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (self->buffer);
  GtkTextIter from, to;
  PhModel *model = self->document ? ph_document_get_model (self->document) : NULL;

  if (!model || gtk_text_buffer_get_has_selection (buffer))
    return;
  gtk_text_buffer_get_iter_at_mark (buffer, &from, gtk_text_buffer_get_insert (buffer));
  gtk_text_iter_set_line_offset (&from, 0);
  to = from;
  if (!gtk_text_iter_ends_line (&to))
    gtk_text_iter_forward_to_line_end (&to);
  g_autofree char *line = gtk_text_buffer_get_text (buffer, &from, &to, FALSE);
  g_strstrip (line);
  char *end = strpbrk (line, " ,=");
  if (!end || !strchr (line, '='))
    return;
  *end = '\0';
  PhValue *value = ph_model_find_value_named (model, line);
  if (value && value->producer)
    ph_document_set_selection (self->document, value->producer->id);
}

static void
follow_style (PhTextPane *self)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  GtkTextTagTable *tags = gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (self->buffer));

  gtk_source_buffer_set_style_scheme (self->buffer, gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark" : "Adwaita"));
  g_object_set (gtk_text_tag_table_lookup (tags, "added"), "paragraph-background", dark ? "#17391f" : "#d8f5dd", NULL);
  g_object_set (gtk_text_tag_table_lookup (tags, "removed"), "paragraph-background", dark ? "#47191d" : "#fbdcdd", NULL);
}

void
ph_text_pane_set_document (PhTextPane *self, PhDocument *document)
{
  g_return_if_fail (PH_IS_TEXT_PANE (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document)
    {
      g_signal_connect_swapped (document, "opened", G_CALLBACK (update), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (update), self);
    }
  update (self);
}

static void
ph_text_pane_dispose (GObject *object)
{
  PhTextPane *self = PH_TEXT_PANE (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_TEXT_PANE);
  g_clear_pointer (&self->diff, ph_text_diff_free);
  g_clear_object (&self->buffer);
  G_OBJECT_CLASS (ph_text_pane_parent_class)->dispose (object);
}

static void
ph_text_pane_class_init (PhTextPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  G_OBJECT_CLASS (klass)->dispose = ph_text_pane_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/text-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, summary);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, changes_only);
  gtk_widget_class_bind_template_child (widget_class, PhTextPane, view);
  gtk_widget_class_bind_template_callback (widget_class, on_previous_change);
  gtk_widget_class_bind_template_callback (widget_class, on_next_change);
  gtk_widget_class_bind_template_callback (widget_class, on_changes_only);
}

static GtkSourceLanguage *
onnx_text_language (void)
{
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  static gsize once;

  if (g_once_init_enter (&once))
    {
      gtk_source_language_manager_append_search_path (manager, "resource:///org/peephole/Peephole/language-specs");
      g_once_init_leave (&once, 1);
    }
  return gtk_source_language_manager_get_language (manager, "onnx-text");
}

static void
ph_text_pane_init (PhTextPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  self->buffer = gtk_source_buffer_new (NULL);
  gtk_source_buffer_set_language (self->buffer, onnx_text_language ());
  gtk_text_view_set_buffer (GTK_TEXT_VIEW (self->view), GTK_TEXT_BUFFER (self->buffer));
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "added", NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "removed", NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (self->buffer), "hidden", "invisible", TRUE, NULL);

  self->signs = gtk_source_gutter_renderer_text_new ();
  gtk_source_gutter_renderer_set_xpad (self->signs, 4);
  g_signal_connect (self->signs, "query-data", G_CALLBACK (on_query_sign), self);
  gtk_source_gutter_insert (gtk_source_view_get_gutter (self->view, GTK_TEXT_WINDOW_LEFT), self->signs, 10);

  GtkGesture *click = gtk_gesture_click_new ();
  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self->view), GTK_EVENT_CONTROLLER (click));
  g_signal_connect_swapped (self, "map", G_CALLBACK (on_mapped), self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (follow_style), self, G_CONNECT_SWAPPED);
  follow_style (self);
}
