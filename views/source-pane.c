/* source-pane.c: the text of the open file. The line of the selected node is marked, and a click on a line selects its node. A program of
 * the tensor language can be edited, run and turned into a graph here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/source-pane.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <string.h>

#include "core/document/own-text.h"
#include "core/io/format.h"
#include "core/replace.h"
#include "views/late-bar.h"
#include "views/text-fill.h"

#define LONG (1 << 20) /* bytes: a longer text has no colours */

struct _PhSourcePane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkLabel *why;
  GtkSourceView *view;
  GtkWidget *bar;    /* with the actions for a program                    */
  GtkLabel *problem; /* why it last failed                                */
  GtkScrolledWindow *scrolled;
  GtkAdjustment *down, *along; /* of the scrollbars beside it                */
  PhConsole *console;          /* (nullable)                                        */
  PhDocument *document;        /* (nullable)                                        */
  char *file;                  /* (nullable) the file whose text is shown           */
  char *text;                  /* (nullable) the file's text in the buffer          */
  PhTextFill *fill;            /* (nullable)                                        */
  char *made_of;               /* (nullable) the program from which the graph was made */
  char *typed_over;            /* (nullable) the text another program wrote, which saving will replace */
  gboolean clicking;           /* a click is selecting: the cursor must not move */
  gboolean sourced;            /* show the program that the console read last */
  guint line;                  /* the marked line, from 1; 0: none                  */
  guint reaching;              /* the source of reach(); 0: none                    */
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

/* What a file's name does not say, as that of a log, its text does. (nullable) */
static const char *
language_of_format (const char *file, const char *text)
{
  /* clang-format off */
  static const struct { const char *format, *language; } rows[] = {
    { "hlo", "hlo" }, { "mlir", "mlir" }, { "mlir-dump", "mlir" }, { "llvm", "llvm" }, { "llvm-dump", "llvm" }, { "jaxpr", "jaxpr" }, { "torch-graph", "graph-text" }, { "mindspore-ir", "graph-text" }, { "relay", "graph-text" }, { "fx", "python3" }, { "torch-trace", "python3" },
    { "tvmscript", "python3" }, { "tensorflow", "pbtxt" }, { "onednn", "json" }, { "openvino", "xml" }, { "onnx-text", "onnx-text" },
  };
  /* clang-format on */
  g_autoptr (GBytes) head = g_bytes_new_static (text, strnlen (text, PH_FORMAT_HEAD));
  const PhFormat *format = ph_format_recognise (head, file);

  for (guint i = 0; format != NULL && i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].format, format->name))
      return rows[i].language;
  return NULL;
}

static GtkSourceLanguage *
language_of (const char *file, const char *text)
{
  static const char *const folder = "resource:///org/peephole/Peephole/language-specs";
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();
  const char *const *folders = gtk_source_language_manager_get_search_path (manager);
  GtkSourceLanguage *named;
  const char *id;

  if (!g_strv_contains (folders, folder))
    gtk_source_language_manager_append_search_path (manager, folder);
  named = gtk_source_language_manager_guess_language (manager, file, NULL);
  id = named == NULL ? language_of_format (file, text) : NULL;
  return id != NULL ? gtk_source_language_manager_get_language (manager, id) : named;
}

static void
clear (PhSourcePane *self)
{
  g_clear_pointer (&self->fill, ph_text_fill_free);
  g_clear_pointer (&self->file, g_free);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->made_of, g_free);
  g_clear_pointer (&self->typed_over, g_free);
  self->line = 0;
}

/* --- mapping lines of the program to those of the edited text -------------------------------------------------------- */

/* Maps line @line of @from to a line of @to, both from 1; 0 if it was changed. */
static guint
follow_line (const char *from, const char *to, guint line)
{
  g_auto (GStrv) a = g_strsplit (from, "\n", -1), b = g_strsplit (to, "\n", -1);
  const guint n_a = g_strv_length (a), n_b = g_strv_length (b);
  guint before = 0, behind = 0;

  while (before < n_a && before < n_b && g_str_equal (a[before], b[before]))
    before++;
  while (behind < n_a - before && behind < n_b - before && g_str_equal (a[n_a - 1 - behind], b[n_b - 1 - behind]))
    behind++;
  return line <= before ? line : line <= n_a && line > n_a - behind ? line + n_b - n_a : 0;
}

static char *
shown_text (PhSourcePane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  GtkTextIter from, to;

  gtk_text_buffer_get_bounds (buffer, &from, &to);
  return gtk_text_buffer_get_text (buffer, &from, &to, TRUE);
}

static guint
shown_line (PhSourcePane *self, guint line)
{
  g_autofree char *shown = self->made_of != NULL ? shown_text (self) : NULL;

  return shown != NULL ? follow_line (self->made_of, shown, line) : line;
}

static guint
line_at_cursor (PhSourcePane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  GtkTextIter at;

  gtk_text_buffer_get_iter_at_mark (buffer, &at, gtk_text_buffer_get_insert (buffer));
  return (guint) gtk_text_iter_get_line (&at) + 1;
}

/* Returns the node of the present graph from the line, or from the nearest line above. (nullable) */
static PhNode *
node_of_line (PhSourcePane *self, guint line)
{
  g_autofree char *shown = self->made_of != NULL ? shown_text (self) : NULL;

  if (shown != NULL)
    line = follow_line (shown, self->made_of, line);
  return line > 0 && self->file != NULL ? ph_own_text_node (self->document, self->file, line) : NULL;
}

/* --- saving ---------------------------------------------------------------------------------------------------------- */

static gboolean
is_edited (PhSourcePane *self)
{
  return self->file != NULL && gtk_text_buffer_get_modified (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view)));
}

/* Saves the text, but refuses once if another program has written the file since. */
static gboolean
save (PhSourcePane *self, GError **error)
{
  g_autofree char *shown = NULL, *there = NULL;

  if (!is_edited (self))
    return TRUE;
  if (g_file_get_contents (self->file, &there, NULL, NULL) && g_strcmp0 (there, self->text) != 0
      && g_strcmp0 (there, self->typed_over) != 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, _ ("%s has changed on the disk: once more writes over it"), self->file);
      g_free (self->typed_over);
      self->typed_over = g_steal_pointer (&there);
      return FALSE;
    }
  shown = shown_text (self);
  if (!ph_replace_contents (self->file, shown, strlen (shown), error))
    {
      g_prefix_error (error, "%s: ", self->file);
      return FALSE;
    }
  g_free (self->text);
  self->text = g_steal_pointer (&shown);
  gtk_text_buffer_set_modified (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view)), FALSE);
  return TRUE;
}

/* Saves before something else is shown; text that cannot be saved to its file goes to one beside it. */
static void
leave (PhSourcePane *self)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->typed_over, g_free);
  if (!save (self, &error))
    {
      g_autofree char *beside = g_strconcat (self->file, ".edited", NULL), *shown = shown_text (self);

      ph_replace_contents (beside, shown, strlen (shown), NULL);
    }
}

/* Scrolls to the marked line. In a text that was just set the view does not know the heights of lines before it is idle, and stops short. */
static gboolean
reach (gpointer data)
{
  PhSourcePane *self = data;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));

  self->reaching = 0;
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer), 0.2, FALSE, 0, 0);
  return G_SOURCE_REMOVE;
}

/* Marks the line if that part of the text is present already. */
static void
mark (PhSourcePane *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->view));
  GtkTextIter from, to;
  guint shown;

  gtk_text_buffer_get_bounds (buffer, &from, &to);
  gtk_text_buffer_remove_tag_by_name (buffer, "selected", &from, &to);
  shown = self->line > 0 ? shown_line (self, self->line) : 0;
  if (shown == 0 || !gtk_text_buffer_get_iter_at_line (buffer, &from, (int) shown - 1))
    return;
  to = from;
  gtk_text_iter_forward_line (&to);
  gtk_text_buffer_apply_tag_by_name (buffer, "selected", &from, &to);
  if (self->clicking)
    return;
  gtk_text_buffer_place_cursor (buffer, &from);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->view), gtk_text_buffer_get_insert (buffer), 0.2, FALSE, 0, 0);
  if (self->reaching == 0)
    self->reaching = g_idle_add_full (G_PRIORITY_LOW, reach, self, NULL);
}

/* Returns TRUE for a program, also one that was read but is not a graph yet. */
static gboolean
is_program (PhSourcePane *self)
{
  const char *compiled = self->document != NULL ? ph_document_get_program (self->document, NULL) : NULL,
             *read = self->console != NULL ? ph_console_get_program (self->console) : NULL;

  return self->file != NULL && (g_strcmp0 (self->file, compiled) == 0 || g_strcmp0 (self->file, read) == 0);
}

/* Reads a program from the disk, or else returns the text from which the graph was made. */
static char *
read_file (PhSourcePane *self, const char *file, GError **error)
{
  const char *text = NULL, *program = ph_document_get_program (self->document, &text);
  char *there = NULL;
  gsize size;

  if (g_strcmp0 (program, file) != 0)
    return ph_own_text_read (self->document, file, error);
  self->made_of = g_strdup (text);
  if (g_file_get_contents (file, &there, &size, NULL) && g_utf8_validate (there, (gssize) size, NULL))
    return there;
  g_free (there);
  return g_strdup (text);
}

static void
on_filled (guint from, guint end, gboolean done, gpointer self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (PH_SOURCE_PANE (self)->view));

  if (PH_SOURCE_PANE (self)->line > from && PH_SOURCE_PANE (self)->line <= end)
    mark (self);
  if (!done)
    return;
  gtk_text_buffer_set_enable_undo (buffer, TRUE);
  gtk_text_buffer_set_modified (buffer, FALSE);
  gtk_text_view_set_editable (GTK_TEXT_VIEW (PH_SOURCE_PANE (self)->view), is_program (self));
}

static void
show_file (PhSourcePane *self, const char *file)
{
  g_autoptr (GtkSourceBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  if (file != NULL && g_strcmp0 (self->file, file) == 0)
    return;
  leave (self);
  clear (self);
  self->text = file != NULL ? read_file (self, file, &error) : NULL;
  gtk_label_set_text (self->why, error != NULL ? error->message : "");
  gtk_stack_set_visible_child_name (self->content, self->text != NULL ? "text" : "empty");
  if (self->text == NULL)
    return;
  self->file = g_strdup (file);
  buffer = gtk_source_buffer_new (NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "selected", NULL);
  gtk_text_buffer_set_enable_undo (GTK_TEXT_BUFFER (buffer), FALSE);
  if (strlen (self->text) <= LONG)
    gtk_source_buffer_set_language (buffer, language_of (file, self->text));
  gtk_text_view_set_buffer (GTK_TEXT_VIEW (self->view), GTK_TEXT_BUFFER (buffer));
  follow_style (self);
  self->fill = ph_text_fill_new (GTK_TEXT_BUFFER (buffer), self->text, on_filled, self);
}

/* --- the selection --------------------------------------------------------------------------------------------------- */

/* Shows the file of the selected node, or the open one; reads nothing while the pane is hidden. */
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
      leave (self);
      clear (self);
      gtk_label_set_text (self->problem, "");
    }
  file = node != NULL ? ph_own_text_find (self->document, node, &line) : NULL;
  if (file == NULL)
    line = 0;
  if (path == NULL && self->document != NULL)
    path = ph_document_get_program (self->document, NULL);
  if (self->console != NULL && ph_console_get_program (self->console) != NULL && (path == NULL || self->sourced))
    path = ph_console_get_program (self->console);
  if (self->sourced)
    g_clear_pointer (&file, g_free);
  if (self->stale || file != NULL)
    show_file (self, file != NULL ? file : path);
  self->stale = FALSE;
  self->sourced = FALSE;
  gtk_widget_set_visible (self->bar, is_program (self));
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
  node = node_of_line (self, (guint) gtk_text_iter_get_line (&at) + 1);
  self->clicking = gtk_text_view_get_editable (GTK_TEXT_VIEW (self->view));
  if (node != NULL)
    ph_document_set_selection (self->document, node->id);
  self->clicking = FALSE;
}

/* Handles the reply to `source`, run here, in the console or by a menu. */
static void
on_finished (PhSourcePane *self, PhReply *reply)
{
  if (!g_str_has_prefix (reply->command, "source ") || ph_console_get_program (self->console) == NULL
      || g_strcmp0 (ph_console_get_program (self->console), self->file) == 0)
    return;
  self->stale = self->sourced = TRUE;
  update (self);
}

/* --- the program ----------------------------------------------------------------------------------------------------- */

static void
on_line_done (GObject *console, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhSourcePane) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, &error);
  g_autofree char *problem = ph_reply_problem (reply, error);

  if (self->console != PH_CONSOLE (console)) /* another tab is in front, or the window is gone */
    return;
  gtk_label_set_text (self->problem, problem != NULL ? problem : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->problem), problem);
}

/* Runs the line "@verb @what". */
static void
run_line (PhSourcePane *self, const char *verb, const char *what)
{
  g_autofree char *quoted = g_shell_quote (what), *line = NULL;

  line = g_strconcat (verb, " ", strpbrk (what, " \t'\"\\") != NULL ? quoted : what, NULL);
  ph_console_run_async (self->console, line, on_line_done, g_object_ref (self));
}

/* Saves an edited text and reads it again. Returns FALSE if that fails, after showing why. */
static gboolean
begin (PhSourcePane *self, gboolean always)
{
  g_autoptr (GError) error = NULL;
  const gboolean edited = is_edited (self);

  if (self->console == NULL || self->file == NULL)
    return FALSE;
  if (!save (self, &error))
    {
      gtk_label_set_text (self->problem, error->message);
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->problem), error->message);
      return FALSE;
    }
  if (edited || always)
    run_line (self, "source", self->file);
  return TRUE;
}

static void
on_run (GtkButton *button, PhSourcePane *self)
{
  begin (self, TRUE);
}

/* Runs until the line at the cursor: to its node if there is such a graph, else the program itself. */
static void
on_run_to_line (GtkButton *button, PhSourcePane *self)
{
  const guint line = line_at_cursor (self);
  const PhNode *node = self->console != NULL && !is_edited (self) ? node_of_line (self, line) : NULL;
  g_autofree char *what = NULL;

  if (node != NULL)
    {
      what = g_strdup_printf ("n%u", node->id);
      run_line (self, "exec to", what);
    }
  else if (begin (self, FALSE))
    {
      g_autofree char *quoted = g_shell_quote (self->file), *verb = NULL;

      what = g_strdup_printf ("%u", line);
      verb = g_strdup_printf ("source %s --to", quoted);
      run_line (self, verb, what);
    }
}

/* Returns "f" from the last line "def f(" at or above the cursor, else the name of the graph, that of its function. (transfer full)
 * (nullable) */
static char *
function_at_cursor (PhSourcePane *self)
{
  g_autofree char *text = shown_text (self);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  PhModel *model = ph_document_get_model (self->document);

  for (guint i = MIN (line_at_cursor (self), g_strv_length (lines)); i-- > 0;)
    if (g_str_has_prefix (lines[i], "def "))
      {
        const char *name = lines[i] + strlen ("def ");

        name += strspn (name, " ");
        return g_strndup (name, strcspn (name, " ("));
      }
  return model != NULL ? g_strdup (model->graph->name) : NULL;
}

static void
run_function (PhSourcePane *self, const char *verb)
{
  g_autofree char *name = begin (self, FALSE) ? function_at_cursor (self) : NULL;

  if (name != NULL)
    run_line (self, verb, name);
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

  leave (self);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  if (self->console != NULL)
    g_signal_handlers_disconnect_by_data (self->console, self);
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console != NULL ? ph_console_get_document (console) : NULL));
  if (self->document != NULL)
    {
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_opened), self);
      g_signal_connect_swapped (self->document, "notify::selection", G_CALLBACK (update), self);
      g_signal_connect_swapped (self->console, "finished", G_CALLBACK (on_finished), self);
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

  g_clear_handle_id (&self->reaching, g_source_remove);
  if (self->document != NULL)
    {
      leave (self);
      g_signal_handlers_disconnect_by_data (self->document, self);
      g_signal_handlers_disconnect_by_data (self->console, self);
    }
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
  gtk_widget_class_bind_template_callback (widget_class, on_run_to_line);
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
