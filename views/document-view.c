/* document-view.c: one open model: its document, its console, its picture, and what is said above it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/document-view.h"

#include <glib/gi18n.h>

#include "views/access-names.h"
#include "views/diff-ahead.h"
#include "views/graph-pane.h"
#include "views/graph-search.h"
#include "views/hand-steps.h"
#include "views/recent-files.h"
#include "views/run-ahead.h"
#include "views/verify-cost.h"
#include "views/view-state.h"

#define PROGRESS_AFTER_MS 300
#define SEARCH_SLICE_US 6000
#define SEARCH_EVERY_MS 10

struct _PhDocumentView
{
  GtkWidget        parent_instance;
  AdwToastOverlay *toasts;
  GtkInfoBar      *banner;
  GtkLabel        *banner_text;
  GtkButton       *banner_button;
  GtkSearchBar    *search_bar;
  GtkSearchEntry  *search_entry;
  GtkToggleButton *search_regex;
  GtkLabel        *search_count;
  GtkStack        *stack;
  GtkOverlay      *overlay;
  GtkFlowBox      *recent, *examples;
  GtkWidget       *recent_title, *examples_title;
  GtkRevealer     *progress;
  GtkSpinner      *spinner;
  GtkLabel        *progress_text;
  GtkProgressBar  *progress_bar;

  PhDocument      *document;
  PhConsole       *console;
  PhRunAhead      *ahead;
  GFileMonitor    *monitor;          /* (nullable) of the open file                                      */
  guint            reload_timer;
  PhGraphPane     *pane;
  PhGraphCanvas   *canvas;           /* of @pane */
  PhGraphSearch   *search;           /* (nullable) of what is typed                                      */
  guint            search_timer;     /* it goes on                                                       */
  gboolean         search_stays;     /* it found its place when it finds what is selected                */
  guint            match;            /* index of the present one                                         */
  guint            progress_timer;
  guint            running;          /* lines that run or wait                                           */
  GCallback        retry;            /* (nullable) of the banner                                         */
  gpointer         retry_data;
  gboolean         laying_out;       /* and nothing is drawn meanwhile                                   */
};

G_DEFINE_FINAL_TYPE (PhDocumentView, ph_document_view, GTK_TYPE_WIDGET)

/* --- progress: a card with a cancel button, once something has taken 0.3 s ---------------------------------------- */

static gboolean
show_progress (gpointer data)
{
  PhDocumentView *self = data;

  self->progress_timer = 0;
  gtk_widget_set_can_target (GTK_WIDGET (self->progress), TRUE);
  gtk_revealer_set_reveal_child (self->progress, TRUE);
  gtk_spinner_start (self->spinner);
  return G_SOURCE_REMOVE;
}

static void
on_started (PhDocumentView *self, const char *line)
{
  self->running++;
  g_autofree char *shown = g_utf8_make_valid (line, -1);
  gtk_label_set_text (self->progress_text, shown);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), FALSE);
  if (self->progress_timer == 0 && !gtk_revealer_get_reveal_child (self->progress))
    self->progress_timer = g_timeout_add (PROGRESS_AFTER_MS, show_progress, self);
}

/* What the commands say of themselves; names of passes and files stay as they are. */
static G_GNUC_UNUSED const char *const doings[] = {
  N_("reading"), N_("writing"), N_("comparing"), N_("comparing steps"), N_("computing"), N_("measuring"), N_("drawing"), N_("printing"),
  N_("searching"),
};

static void
on_progress (PhDocumentView *self, const char *what, double fraction)
{
  g_autofree char *shown = g_utf8_make_valid (*what ? _(what) : "", -1);

  gtk_label_set_text (self->progress_text, shown);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), fraction >= 0);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (self->progress_bar, CLAMP (fraction, 0, 1));
}

static void
on_finished (PhDocumentView *self, PhReply *reply)
{
  const char *stopped = reply && reply->ok && reply->json ? json_object_get_string_member_with_default (reply->json, "stopped", NULL) : NULL;

  if (stopped)
    ph_document_view_toast (self, stopped);
  if (self->running > 0 && --self->running > 0)
    return;
  g_clear_handle_id (&self->progress_timer, g_source_remove);
  gtk_revealer_set_reveal_child (self->progress, FALSE);
  gtk_widget_set_can_target (GTK_WIDGET (self->progress), FALSE);
  gtk_spinner_stop (self->spinner);
}

static void
on_cancel (PhDocumentView *self)
{
  ph_console_cancel (self->console);
}

/* --- the picture ---------------------------------------------------------------------------------------------------- */

static void
on_layout_started (PhDocumentView *self, gboolean visible)
{
  if (visible && !self->laying_out)
    {
      on_started (self, _("Laying out"));
      self->laying_out = TRUE;
    }
}

static void
on_layout_finished (PhDocumentView *self, gboolean ok, const char *message)
{
  if (self->laying_out)
    on_finished (self, NULL);
  self->laying_out = FALSE;
  if (ok && self->retry == G_CALLBACK (ph_graph_canvas_retry))
    ph_document_view_set_banner (self, NULL, NULL, NULL, NULL);
  else if (!ok)
    ph_document_view_set_banner (self, message ? message : _("The picture could not be laid out."), NULL,
                                 G_CALLBACK (ph_graph_canvas_retry), self->canvas);
}

/* --- toasts and the banner ------------------------------------------------------------------------------------------ */

void
ph_document_view_toast (PhDocumentView *self, const char *text)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));

  /* A toast is one line of markup; the console has the whole message. */
  g_autofree char *line = g_strdelimit (g_utf8_make_valid (text, -1), "\n", ' ');
  g_autofree char *markup = g_markup_escape_text (line, -1);
  AdwToast *toast = adw_toast_new (markup);
  adw_toast_set_timeout (toast, 8);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

void
ph_document_view_toast_button (PhDocumentView *self, const char *text, const char *button, GCallback pressed)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));

  AdwToast *toast = adw_toast_new (text);
  adw_toast_set_button_label (toast, button);
  adw_toast_set_timeout (toast, 10);
  g_signal_connect_object (toast, "button-clicked", pressed, self, G_CONNECT_SWAPPED);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

void
ph_document_view_set_banner (PhDocumentView *self, const char *text, const char *button, GCallback retry, gpointer data)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));

  self->retry = retry;
  self->retry_data = data;
  g_autofree char *shown = g_utf8_make_valid (text ? text : "", -1);
  if (text)
    gtk_label_set_text (self->banner_text, shown);
  gtk_button_set_label (self->banner_button, button ? button : _("_Retry"));
  gtk_widget_set_visible (GTK_WIDGET (self->banner_button), retry != NULL);
  gtk_info_bar_set_revealed (self->banner, text != NULL);
}

const char *
ph_document_view_get_banner (PhDocumentView *self)
{
  return gtk_info_bar_get_revealed (self->banner) ? gtk_label_get_text (self->banner_text) : NULL;
}

static void
on_banner_response (PhDocumentView *self, int response)
{
  GCallback retry = self->retry;
  gpointer data = self->retry_data;

  ph_document_view_set_banner (self, NULL, NULL, NULL, NULL);
  if (response == 1 && retry)
    ((void (*) (gpointer)) retry) (data);
}

/* --- running lines -------------------------------------------------------------------------------------------------- */

static void
on_line_done (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhDocumentView) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (source), result, &error);
  const GError *problem = reply ? reply->error : error;

  if (problem && !g_error_matches (problem, PH_ERROR, PH_ERROR_CANCELLED)
      && !g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    ph_document_view_toast (self, problem->message);
}

void
ph_document_view_run (PhDocumentView *self, const char *line)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));
  ph_console_run_async (self->console, line, NULL, on_line_done, g_object_ref (self));
}

/* --- search --------------------------------------------------------------------------------------------------------- */

static void
stop_search (PhDocumentView *self)
{
  g_clear_handle_id (&self->search_timer, g_source_remove);
  g_clear_pointer (&self->search, ph_graph_search_free);
}

static void
show_count (PhDocumentView *self)
{
  GArray *found = self->search ? ph_graph_search_get (self->search) : NULL;
  g_autofree char *count = NULL;

  if (!found)
    count = g_strdup ("");
  else if (found->len == 0)
    count = g_strdup (self->search_timer ? "…" : _("Not found"));
  else if (self->search_timer)
    count = g_strdup_printf (_("%'u of %'u…"), self->match + 1, found->len);
  else
    count = g_strdup_printf (_("%'u of %'u"), self->match + 1, found->len);
  gtk_label_set_text (self->search_count, count);
}

static void
show_match (PhDocumentView *self)
{
  GArray *found = self->search ? ph_graph_search_get (self->search) : NULL;

  show_count (self);
  if (!found || found->len == 0)
    return;
  ph_document_set_selection (self->document, g_array_index (found, PhId, self->match));
  ph_graph_canvas_show_node (self->canvas, g_array_index (found, PhId, self->match));
}

static gboolean
search_more (gpointer data)
{
  PhDocumentView *self = data;
  GArray *found = ph_graph_search_get (self->search);
  guint before = found->len;
  gboolean more = ph_graph_search_step (self->search, SEARCH_SLICE_US);

  if (!more)
    self->search_timer = 0;
  if (self->search_stays)
    for (guint i = before; i < found->len; i++)
      if (g_array_index (found, PhId, i) == ph_document_get_selection (self->document))
        self->match = i;
  /* The first one is shown while the others are looked for. */
  if (before == 0 && found->len > 0 && !self->search_stays)
    show_match (self);
  else
    show_count (self);
  return more ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* @stays: over another position of the same model, so nothing moves. */
static void
start_search (PhDocumentView *self, gboolean stays)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  PhModel *model = ph_document_get_model (self->document);
  g_autoptr (GError) error = NULL;

  stop_search (self);
  self->match = 0;
  self->search_stays = stays;
  if (model && *text)
    self->search = ph_graph_search_new (model, text, gtk_toggle_button_get_active (self->search_regex), &error);
  if (error)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->search_entry), "error");
      gtk_label_set_text (self->search_count, _("Not a pattern"));
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->search_entry), error->message);
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->search_entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->search_entry), NULL);
  if (!self->search)
    {
      show_count (self);
      return;
    }
  guint timer = self->search_timer = g_timeout_add (SEARCH_EVERY_MS, search_more, self);
  if (!search_more (self))
    g_source_remove (timer);
}

static void
on_search_changed (PhDocumentView *self)
{
  start_search (self, FALSE);
}

void
ph_document_view_search_move (PhDocumentView *self, int direction)
{
  GArray *found = self->search ? ph_graph_search_get (self->search) : NULL;

  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));
  if (!found || found->len == 0)
    return;
  self->match = (self->match + found->len + (guint) direction) % found->len;
  show_match (self);
}

static void
on_search_next (PhDocumentView *self)
{
  ph_document_view_search_move (self, 1);
}

static void
on_search_previous (PhDocumentView *self)
{
  ph_document_view_search_move (self, -1);
}

static void
on_search_stop (PhDocumentView *self)
{
  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static void
on_search_mode (PhDocumentView *self)
{
  if (!gtk_search_bar_get_search_mode (self->search_bar))
    stop_search (self);
}

void
ph_document_view_search (PhDocumentView *self)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));
  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
  gtk_editable_select_region (GTK_EDITABLE (self->search_entry), 0, -1);
}

void
ph_document_view_search_for (PhDocumentView *self, const char *text)
{
  ph_document_view_search (self);
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), text);
}

/* --- the file on disk ----------------------------------------------------------------------------------------------- */

typedef struct { PhDocumentView *view; GKeyFile *state; } Reload;

static void
on_reloaded (GObject *console, GAsyncResult *result, gpointer data)
{
  Reload *reload = data;
  g_autoptr (PhDocumentView) self = reload->view;
  g_autoptr (GKeyFile) state = reload->state;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, &error);
  const GError *problem = reply ? reply->error : error;
  const char *path = ph_document_get_path (self->document);
  g_autofree char *name = path ? g_filename_display_basename (path) : g_strdup ("");

  g_free (reload);
  if (problem)
    {
      g_autofree char *text = g_strdup_printf (_("%s cannot be read any more, so this is its old content. %s"), name, problem->message);
      ph_document_view_set_banner (self, text, _("_Retry"), G_CALLBACK (ph_document_view_reload), self);
      return;
    }
  g_autofree char *text = g_strdup_printf (_("%s was read again: this is its new content."), name);
  ph_document_view_toast (self, text);
  ph_view_state_restore (self, state, "file", FALSE);
}

void
ph_document_view_reload (PhDocumentView *self)
{
  Reload *reload = g_new0 (Reload, 1);

  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));
  *reload = (Reload) { g_object_ref (self), g_key_file_new () };
  ph_view_state_save (self, reload->state, "file");
  ph_console_run_async (self->console, "reload", NULL, on_reloaded, reload);
}

static gboolean
on_file_settled (gpointer data)
{
  PhDocumentView *self = data;
  const char *path = ph_document_get_path (self->document);

  self->reload_timer = 0;
  if (!path || !g_file_test (path, G_FILE_TEST_EXISTS))
    return G_SOURCE_REMOVE;
  g_autofree char *name = g_filename_display_basename (path);
  if (ph_hand_steps_any (self))
    {
      g_autofree char *text = g_strdup_printf (_("%s changed on disk. When it is read again, the steps made by hand are made again too."), name);
      ph_document_view_set_banner (self, text, _("_Reload"), G_CALLBACK (ph_document_view_reload), self);
      return G_SOURCE_REMOVE;
    }
  ph_document_view_reload (self);
  return G_SOURCE_REMOVE;
}

/* A program that writes a file does so in pieces. */
static void
on_file_changed (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, PhDocumentView *self)
{
  if (event != G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT && event != G_FILE_MONITOR_EVENT_RENAMED
      && event != G_FILE_MONITOR_EVENT_MOVED_IN && event != G_FILE_MONITOR_EVENT_CREATED)
    return;
  g_clear_handle_id (&self->reload_timer, g_source_remove);
  self->reload_timer = g_timeout_add (300, on_file_settled, self);
}

static void
watch_file (PhDocumentView *self)
{
  const char *path = ph_document_get_path (self->document);

  if (self->monitor)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  if (!path || !ph_document_is_open (self->document))
    return;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor)
    g_signal_connect_object (self->monitor, "changed", G_CALLBACK (on_file_changed), self, 0);
}

/* --- the document --------------------------------------------------------------------------------------------------- */

/* What opened the model needs the keyboard no longer: a button of the header, or what stood here. Who typed a command types on. */
static void
focus_graph (PhDocumentView *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;

  if (root && gtk_widget_get_mapped (GTK_WIDGET (self))
      && (!focus || gtk_widget_is_ancestor (focus, GTK_WIDGET (self)) || gtk_widget_get_ancestor (focus, ADW_TYPE_HEADER_BAR)))
    gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static void
on_opened (PhDocumentView *self)
{
  PhModel *model = ph_document_get_model (self->document);
  g_autofree char *dear = model ? ph_verify_cost (model) : NULL;

  gtk_stack_set_visible_child_name (self->stack, model ? "graph" : "start");
  if (model)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->toasts), "above-bar");
      focus_graph (self);
    }
  ph_document_set_proves (self->document, model && !dear);
  stop_search (self);
  ph_document_view_set_banner (self, NULL, NULL, NULL, NULL);
  watch_file (self);
}

/* A search goes on over what the new position has. */
static void
on_position_changed (PhDocumentView *self)
{
  if (self->search)
    start_search (self, TRUE);
}

/* The button has the keyboard, not the cell around it, which would be one stop more on the way of Tab. */
static void
add_choice (GtkFlowBox *box, GtkWidget *button)
{
  gtk_flow_box_append (box, button);
  gtk_widget_set_focusable (gtk_widget_get_parent (button), FALSE);
  ph_access_name_row (button);
}

/* A row of what was opened last; without any there are only the examples, and nothing to tell them from. */
static void
add_recent (PhDocumentView *self)
{
  g_autoptr (GPtrArray) files = ph_recent_files (4);

  for (guint i = 0; i < files->len; i++)
    {
      GtkWidget *button = gtk_button_new_with_label (gtk_recent_info_get_display_name (files->pdata[i]));
      g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (files->pdata[i]), NULL, NULL);
      g_autofree char *shown = path ? g_filename_display_name (path) : NULL;
      GtkLabel *label = GTK_LABEL (gtk_button_get_child (GTK_BUTTON (button)));

      gtk_label_set_ellipsize (label, PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_max_width_chars (label, 24);
      gtk_widget_set_tooltip_text (button, shown);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.open-uri");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", gtk_recent_info_get_uri (files->pdata[i]));
      add_choice (self->recent, button);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->recent), files->len > 0);
  gtk_widget_set_visible (self->recent_title, files->len > 0);
  gtk_widget_set_visible (self->examples_title, files->len > 0);
}

static void
add_examples (PhDocumentView *self)
{
  static const struct { const char *file, *title; } examples[] = {
    { "tour", N_("A Tour of the Passes") }, { "seed", N_("ln x₁ + x₁x₂ − sin x₂") }, { "linear-selu", N_("Linear and SeLU") },
    { "conv-bn-relu", N_("Conv, BatchNorm, ReLU") }, { "inception", N_("Inception Module") }, { "cse", N_("Common Subexpression") },
    { "attention", N_("Attention Block") }, { "loop-branch", N_("Loop and Branch") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      GtkWidget *button = gtk_button_new_with_label (_(examples[i].title));
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.example");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", examples[i].file);
      add_choice (self->examples, button);
    }
}

static void
ph_document_view_dispose (GObject *object)
{
  PhDocumentView *self = PH_DOCUMENT_VIEW (object);

  g_clear_handle_id (&self->progress_timer, g_source_remove);
  if (self->console)
    {
      g_signal_handlers_disconnect_by_data (self->console, self);
      ph_console_cancel (self->console);
    }
  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  if (self->ahead)
    ph_run_ahead_stop (self->ahead);
  g_clear_object (&self->ahead);
  g_clear_handle_id (&self->reload_timer, g_source_remove);
  if (self->monitor)
    g_file_monitor_cancel (self->monitor);
  g_clear_object (&self->monitor);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_DOCUMENT_VIEW);
  g_clear_object (&self->console);
  g_clear_object (&self->document);
  stop_search (self);
  G_OBJECT_CLASS (ph_document_view_parent_class)->dispose (object);
}

static void
ph_document_view_class_init (PhDocumentViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_document_view_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/document-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, toasts);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, banner);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, banner_text);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, banner_button);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, search_bar);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, search_entry);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, search_regex);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, search_count);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, stack);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, overlay);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, recent_title);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, recent);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, examples_title);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, examples);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, progress);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, spinner);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, progress_text);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, progress_bar);
  gtk_widget_class_bind_template_callback (widget_class, on_banner_response);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_mode);
  gtk_widget_class_bind_template_callback (widget_class, on_search_next);
  gtk_widget_class_bind_template_callback (widget_class, on_search_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_search_stop);
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
}

static void
ph_document_view_init (PhDocumentView *self)
{
  self->document = ph_document_new ();
  ph_document_set_copied (self->document, TRUE);
  self->console = ph_console_new (self->document);
  self->ahead = ph_run_ahead_new (self->document);
  ph_diff_ahead_watch (self->document);
  ph_hand_steps_watch (self);
  gtk_widget_init_template (GTK_WIDGET (self));

  self->pane = PH_GRAPH_PANE (ph_graph_pane_new (self->console));
  self->canvas = ph_graph_pane_get_canvas (self->pane);
  gtk_overlay_set_child (self->overlay, GTK_WIDGET (self->pane));
  /* A layout that is under way keeps the canvas for longer than its tab. */
  g_signal_connect_object (self->canvas, "layout-started", G_CALLBACK (on_layout_started), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "layout-finished", G_CALLBACK (on_layout_finished), self, G_CONNECT_SWAPPED);
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));
  add_recent (self);
  add_examples (self);

  g_signal_connect_swapped (self->console, "started", G_CALLBACK (on_started), self);
  g_signal_connect_swapped (self->console, "progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->console, "finished", G_CALLBACK (on_finished), self);
  g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_opened), self);
  g_signal_connect_swapped (self->document, "position-changed", G_CALLBACK (on_position_changed), self);
}

PhDocumentView *
ph_document_view_new (void)
{
  return g_object_new (PH_TYPE_DOCUMENT_VIEW, NULL);
}

PhDocument *
ph_document_view_get_document (PhDocumentView *self)
{
  return self->document;
}

PhConsole *
ph_document_view_get_console (PhDocumentView *self)
{
  return self->console;
}

PhGraphCanvas *
ph_document_view_get_canvas (PhDocumentView *self)
{
  return self->canvas;
}

PhGraphPane *
ph_document_view_get_pane (PhDocumentView *self)
{
  return self->pane;
}

gboolean
ph_document_view_is_working (PhDocumentView *self)
{
  return ph_run_ahead_is_running (self->ahead) || ph_view_state_is_restoring (self)
         || (ph_document_is_open (self->document) && ph_graph_pane_is_working (self->pane));
}
