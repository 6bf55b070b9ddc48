/* source-pane.c: the text of the file that is open. The line of the selected node is marked; a click on a line selects the node that it made.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/source-pane.h"

#include <adwaita.h>
#include <gtksourceview/gtksource.h>
#include <string.h>

#include "core/document/own-text.h"
#include "views/late-bar.h"
#include "views/text-fill.h"

#define LONG (1 << 20) /* bytes: a longer text has no colours */

struct _PhSourcePane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkLabel *why;
  GtkSourceView *view;
  GtkWidget *bar;    /* of what can be done with a program                */
  GtkLabel *problem; /* why the last of it failed                         */
  GtkScrolledWindow *scrolled;
  GtkAdjustment *down, *along; /* of the bars beside it                      */
  PhConsole *console;          /* (nullable)                                        */
  PhDocument *document;        /* (nullable)                                        */
  char *file;                  /* (nullable) whose text is shown                    */
  char *text;                  /* (nullable) what the buffer is filled with         */
  PhTextFill *fill;            /* (nullable)                                        */
  guint line;                  /* that is marked, from 1; 0: none                   */
  gboolean stale;              /* another file was opened since it was last shown   */
};

G_DEFINE_FINAL_TYPE (PhSourcePane, ph_source_pane, GTK_TYPE_WIDGET)

guint
ph_source_pane_get_line (PhSourcePane *self)
{
  return self->line;
}

/* --- the text -------------------------------------------------------------------------------------------------------- */

static void
follow_style (PhSourcePane *self)
{
  const gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), "selected");

  gtk_source_buffer_set_style_scheme (GTK_SOURCE_BUFFER (buffer),
                                      gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark" : "Adwaita"));
  if (tag != NULL)
    g_object_set (tag, "paragraph-background", dark ? "#1d3a5c" : "#d3e5fa", NULL);
}

static GtkSourceLanguage *
language_of (const char *file)
{
  static const char *const folder = "resource:///org/peephole/Peephole/language-specs";
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  const char *const *folders = gtk_source_language_manager_get_search_path (manager);

  if (!g_strv_contains (folders, folder))
    gtk_source_language_manager_append_search_path (manager, folder);
  return gtk_source_language_manager_guess_language (manager, file, NULL);
}

static void
clear (PhSourcePane *self)
{
  g_clear_pointer (&self->fill, ph_text_fill_free);
  g_clear_pointer (&self->file, g_free);
  g_clear_pointer (&self->text, g_free);
  self->line = 0;
}

/* The mark is put where it belongs when that part of the text is there. */
static void
mark (PhSourcePane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  GtkTextIter from, to;

  gtk_text_buffer_get_bounds (buffer, &from, &to);
  gtk_text_buffer_remove_tag_by_name (buffer, "selected", &from, &to);
  if (self->line == 0 || !gtk_text_buffer_get_iter_at_line (buffer, &from, (int) self->line - 1))
    return;
  to = from;
  gtk_text_iter_forward_line (&to);
  gtk_text_buffer_apply_tag_by_name (buffer, "selected", &from, &to);
  gtk_text_buffer_place_cursor (buffer, &from);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer), 0.2, FALSE, 0, 0);
}

static void
on_filled (guint from, guint end, gboolean done, gpointer self)
{
  if (PH_SOURCE_PANE (self)->line > from && PH_SOURCE_PANE (self)->line <= end)
    mark (self);
}

static void
show_file (PhSourcePane *self, const char *file)
{
  g_autoptr (GtkSourceBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  if (file != NULL && g_strcmp0 (self->file, file) == 0)
    return;
  clear (self);
  self->text = file != NULL ? ph_own_text_read (self->document, file, &error) : NULL;
  gtk_label_set_text (self->why, error != NULL ? error->message : "");
  gtk_stack_set_visible_child_name (self->content, self->text != NULL ? "text" : "empty");
  if (self->text == NULL)
    return;
  self->file = g_strdup (file);
  buffer = gtk_source_buffer_new (NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "selected", NULL);
  if (strlen (self->text) <= LONG)
    gtk_source_buffer_set_language (buffer, language_of (file));
  gtk_text_view_set_buffer (GTK_TEXT_VIEW (self->view), GTK_TEXT_BUFFER (buffer));
  follow_style (self);
  self->fill = ph_text_fill_new (GTK_TEXT_BUFFER (buffer), self->text, on_filled, self);
}

/* --- the selection --------------------------------------------------------------------------------------------------- */

/* The file of the selected node, or the one that is open; nothing is read while the pane is not seen. */
static void
update (PhSourcePane *self)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  PhNode *node = model != NULL ? ph_model_find_node (model, ph_document_get_selection (self->document)) : NULL;
  const char *path = self->document != NULL ? ph_document_get_path (self->document) : NULL;
  g_autofree char *file = NULL;
  guint line = 0;

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  if (self->stale)
    {
      const gboolean program = self->document != NULL && ph_document_get_program (self->document, NULL) != NULL;

      clear (self);
      gtk_label_set_text (self->problem, "");
      gtk_widget_set_visible (self->bar, program);
    }
  file = node != NULL ? ph_own_text_find (self->document, node, &line) : NULL;
  if (file == NULL)
    line = 0;
  if (path == NULL && self->document != NULL)
    path = ph_document_get_program (self->document, NULL);
  if (self->stale || file != NULL)
    show_file (self, file != NULL ? file : path);
  self->stale = FALSE;
  if (self->line == line)
    return;
  self->line = line;
  if (self->text != NULL)
    mark (self);
}

static void
on_opened (PhSourcePane *self)
{
  self->stale = TRUE;
  update (self);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, PhSourcePane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  GtkTextIter at;
  PhNode *node;
  int text_x, text_y;

  if (gtk_text_buffer_get_has_selection (buffer) || self->file == NULL || self->console == NULL)
    return;
  gtk_text_view_window_to_buffer_coords (GTK_TEXT_VIEW (self->view), GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y, &text_x, &text_y);
  gtk_text_view_get_line_at_y (GTK_TEXT_VIEW (self->view), &at, text_y, NULL);
  node = ph_own_text_node (self->document, self->file, (guint) gtk_text_iter_get_line (&at) + 1);
  if (node != NULL)
    ph_document_set_selection (self->document, node->id);
}

/* --- the program ----------------------------------------------------------------------------------------------------- */

static void
on_line_done (GObject *console, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhSourcePane) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, &error);
  const GError *problem = reply != NULL ? reply->error : error;

  if (self->console != PH_CONSOLE (console)) /* another tab is in front, or the window is gone */
    return;
  gtk_label_set_text (self->problem, problem != NULL ? problem->message : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->problem), problem != NULL ? problem->message : NULL);
}

/* The line "@verb @what". */
static void
run_line (PhSourcePane *self, const char *verb, const char *what)
{
  g_autofree char *quoted = g_shell_quote (what), *line = NULL;

  line = g_strconcat (verb, " ", strpbrk (what, " \t'\"\\") != NULL ? quoted : what, NULL);
  ph_console_run_async (self->console, line, NULL, on_line_done, g_object_ref (self));
}

static void
on_run (GtkButton *button, PhSourcePane *self)
{
  const char *program = self->document != NULL ? ph_document_get_program (self->document, NULL) : NULL;

  if (program != NULL)
    run_line (self, "source", program);
}

/* The graph has the name of its function. */
static void
run_function (PhSourcePane *self, const char *verb)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;

  if (model != NULL)
    run_line (self, verb, model->graph->name);
}

static void
on_trace (GtkButton *button, PhSourcePane *self)
{
  run_function (self, "trace");
}

static void
on_compile (GtkButton *button, PhSourcePane *self)
{
  run_function (self, "compile");
}

void
ph_source_pane_set_console (PhSourcePane *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_SOURCE_PANE (self));

  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console != NULL ? ph_console_get_document (console) : NULL));
  if (self->document != NULL)
    {
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_opened), self);
      g_signal_connect_swapped (self->document, "notify::selection", G_CALLBACK (update), self);
    }
  on_opened (self);
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

static void
ph_source_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ph_source_pane_parent_class)->map (widget);
  update (PH_SOURCE_PANE (widget));
}

static void
ph_source_pane_dispose (GObject *object)
{
  PhSourcePane *self = PH_SOURCE_PANE (object);

  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  clear (self);
  g_clear_object (&self->document);
  g_clear_object (&self->console);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_SOURCE_PANE);
  G_OBJECT_CLASS (ph_source_pane_parent_class)->dispose (object);
}

static void
ph_source_pane_class_init (PhSourcePaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  G_OBJECT_CLASS (klass)->dispose = ph_source_pane_dispose;
  widget_class->map = ph_source_pane_map;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/source-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, content);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, why);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, view);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, bar);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, problem);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, scrolled);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, down);
  gtk_widget_class_bind_template_child (widget_class, PhSourcePane, along);
  gtk_widget_class_bind_template_callback (widget_class, on_released);
  gtk_widget_class_bind_template_callback (widget_class, on_run);
  gtk_widget_class_bind_template_callback (widget_class, on_trace);
  gtk_widget_class_bind_template_callback (widget_class, on_compile);
}

static void
ph_source_pane_init (PhSourcePane *self)
{
  self->stale = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_late_bar_bind (self->down, gtk_scrolled_window_get_vadjustment (self->scrolled));
  ph_late_bar_bind (self->along, gtk_scrolled_window_get_hadjustment (self->scrolled));
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (follow_style), self, G_CONNECT_SWAPPED);
}
