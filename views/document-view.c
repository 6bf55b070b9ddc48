/* document-view.c: one open model: its document, console, picture, and messages above it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/document-view.h"

#include <glib/gi18n.h>

#include "core/io/choose.h"
#include "views/access-names.h"
#include "views/diff-ahead.h"
#include "views/file-watch.h"
#include "views/find-bar.h"
#include "views/graph-pane.h"
#include "views/hand-steps.h"
#include "views/run-ahead.h"
#include "views/start-page.h"
#include "views/tab-state.h"
#include "views/verify-cost.h"

#define PROGRESS_AFTER_MS 300

struct _PhDocumentView
{
  GtkWidget parent_instance;
  AdwToastOverlay *toasts;
  GListModel *toast_widgets; /* the widgets below the overlay */
  AdwToast *offer;           /* (nullable) the last toast with a button                          */
  GtkInfoBar *banner;
  GtkLabel *banner_text;
  GtkButton *banner_button;
  PhFindBar *find_bar;
  GtkStack *stack;
  AdwBin *graph;
  GtkRevealer *progress_card;
  GtkSpinner *spinner;
  GtkLabel *progress_text;
  GtkProgressBar *progress_bar;

  PhDocument *document;
  PhConsole *console;
  PhRunAhead *ahead;
  PhFileWatch *watch; /* (nullable) of the open file; NULL once the view is disposed of   */
  PhGraphPane *pane;
  PhGraphCanvas *canvas; /* of @pane */
  guint progress_timer;
  guint running;      /* lines that run or wait, a layout that is awaited, other work     */
  GCancellable *work; /* (nullable) of ph_document_view_begin_work()                      */
  GCallback retry;    /* (nullable) of the banner                                         */
  gpointer retry_data;
  gboolean laying_out; /* a layout that is awaited                                         */
  char *file;          /* (nullable) absolute path of the file, open or about to be        */
  gboolean seen;       /* has been on the screen                                           */
  guint look;          /* source that confirms that the view stays on the screen           */
};

static guint signal_file_changed;

G_DEFINE_FINAL_TYPE (PhDocumentView, ph_document_view, GTK_TYPE_WIDGET)

/* --- progress: a card with a cancel button, once something has taken 0.3 s ---------------------------------------- */

static gboolean
show_progress (gpointer data)
{
  PhDocumentView *self = data;

  self->progress_timer = 0;
  gtk_widget_set_can_target (GTK_WIDGET (self->progress_card), TRUE);
  gtk_revealer_set_reveal_child (self->progress_card, TRUE);
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
  if (self->progress_timer == 0 && !gtk_revealer_get_reveal_child (self->progress_card))
    self->progress_timer = g_timeout_add (PROGRESS_AFTER_MS, show_progress, self);
}

/* The activities that commands report, for translation; names of passes and files stay untranslated. */
static G_GNUC_UNUSED const char *const doings[] = { N_ ("counting"),        N_ ("reading"),   N_ ("writing"),   N_ ("comparing"),
                                                    N_ ("comparing steps"), N_ ("computing"), N_ ("measuring"), N_ ("drawing"),
                                                    N_ ("printing"),        N_ ("searching") };

static void
on_progress (PhDocumentView *self, const char *what, double fraction)
{
  g_autofree char *shown = g_utf8_make_valid (*what ? _ (what) : "", -1);

  gtk_label_set_text (self->progress_text, shown);
  gtk_widget_set_visible (GTK_WIDGET (self->progress_bar), fraction >= 0);
  if (fraction >= 0)
    gtk_progress_bar_set_fraction (self->progress_bar, CLAMP (fraction, 0, 1));
}

static void
on_finished (PhDocumentView *self, PhReply *reply)
{
  const char *stopped = reply && reply->ok && reply->json
                            ? json_object_get_string_member_with_default (reply->json, "stopped", NULL)
                            : NULL;

  if (stopped)
    ph_document_view_toast (self, stopped);
  if (self->running > 0 && --self->running > 0)
    return;
  g_clear_handle_id (&self->progress_timer, g_source_remove);
  gtk_revealer_set_reveal_child (self->progress_card, FALSE);
  gtk_widget_set_can_target (GTK_WIDGET (self->progress_card), FALSE);
  gtk_spinner_stop (self->spinner);
}

/* The button of the card, or Escape. */
static void
on_cancel (PhDocumentView *self)
{
  ph_console_cancel (self->console);
  ph_graph_canvas_cancel_layout (self->canvas);
  g_cancellable_cancel (self->work);
}

gboolean
ph_document_view_cancel (PhDocumentView *self)
{
  g_return_val_if_fail (PH_IS_DOCUMENT_VIEW (self), FALSE);

  if (!gtk_revealer_get_reveal_child (self->progress_card))
    return FALSE;
  on_cancel (self);
  return TRUE;
}

gboolean
ph_document_view_has_work (PhDocumentView *self)
{
  g_return_val_if_fail (PH_IS_DOCUMENT_VIEW (self), FALSE);
  return self->work != NULL;
}

GCancellable *
ph_document_view_begin_work (PhDocumentView *self, const char *what)
{
  g_return_val_if_fail (PH_IS_DOCUMENT_VIEW (self) && self->work == NULL, NULL);

  self->work = g_cancellable_new ();
  on_started (self, what);
  return self->work;
}

void
ph_document_view_end_work (PhDocumentView *self)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));

  /* The tab may have been closed meanwhile. */
  if (!self->work)
    return;
  g_clear_object (&self->work);
  on_finished (self, NULL);
}

/* --- the picture ---------------------------------------------------------------------------------------------------- */

static void
on_layout_started (PhDocumentView *self, gboolean awaited)
{
  if (awaited && !self->laying_out)
    {
      on_started (self, _ ("Laying out"));
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
    ph_document_view_set_banner (self, message ? message : _ ("The picture could not be laid out."), NULL,
                                 G_CALLBACK (ph_graph_canvas_retry), self->canvas);
}

/* --- toasts and the banner ------------------------------------------------------------------------------------------ */

void
ph_document_view_toast (PhDocumentView *self, const char *text)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));

  /* A toast shows one line of markup; the console has the whole message. */
  g_autofree char *line = g_strdelimit (g_utf8_make_valid (text, -1), "\n", ' ');
  g_autofree char *markup = g_markup_escape_text (line, -1);
  AdwToast *toast = adw_toast_new (markup);
  adw_toast_set_timeout (toast, 8);
  /* The reply to a request takes precedence over pending offers. */
  adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* Drops an offer that concerned the previous model. */
static void
drop_offer (PhDocumentView *self)
{
  if (self->offer)
    adw_toast_dismiss (self->offer);
  g_clear_object (&self->offer);
}

void
ph_document_view_toast_button (PhDocumentView *self, const char *text, const char *button, GCallback pressed)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));

  AdwToast *toast = adw_toast_new (text);
  adw_toast_set_button_label (toast, button);
  adw_toast_set_timeout (toast, 10);
  g_signal_connect_object (toast, "button-clicked", pressed, self, G_CONNECT_SWAPPED);
  drop_offer (self);
  self->offer = g_object_ref (toast);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

/* A toast may wait for the previous one and gets its widget only then. */
static void
on_toasts (PhDocumentView *self, guint position, guint n_removed, guint n_added, GListModel *widgets)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr (GtkWidget) widget = g_list_model_get_item (widgets, i);
      ph_access_name_all (widget);
    }
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
  gtk_button_set_label (self->banner_button, button ? button : _ ("_Retry"));
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
  g_autofree char *problem = ph_reply_problem (reply, error);

  if (problem)
    ph_document_view_toast (self, problem);
}

void
ph_document_view_run (PhDocumentView *self, const char *line)
{
  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));
  ph_console_run_async (self->console, line, on_line_done, g_object_ref (self));
}

/* --- models of hidden tabs are not read or computed ---------------------------------------------------------------- */

static gboolean
on_look (gpointer data)
{
  PhDocumentView *self = data;

  self->look = 0;
  self->seen |= gtk_widget_get_mapped (GTK_WIDGET (self));
  if (self->seen)
    ph_console_set_held (self->console, FALSE);
  return G_SOURCE_REMOVE;
}

/* When several files are opened at once, each tab is mapped for a moment, so the model is read in an idle source. */
static void
ph_document_view_map (GtkWidget *widget)
{
  PhDocumentView *self = PH_DOCUMENT_VIEW (widget);

  GTK_WIDGET_CLASS (ph_document_view_parent_class)->map (widget);
  if (!self->seen && self->look == 0)
    self->look = g_idle_add (on_look, self);
}

gboolean
ph_document_view_is_seen (PhDocumentView *self)
{
  g_return_val_if_fail (PH_IS_DOCUMENT_VIEW (self), FALSE);
  return self->seen;
}

const char *
ph_document_view_get_file (PhDocumentView *self)
{
  g_return_val_if_fail (PH_IS_DOCUMENT_VIEW (self), NULL);
  return self->file;
}

static void
set_file (PhDocumentView *self, const char *path)
{
  g_free (self->file);
  self->file = path ? g_canonicalize_filename (path, NULL) : NULL;
  g_signal_emit (self, signal_file_changed, 0);
}

/* If the file could not be opened, the previous one is still open, or none. */
static void
on_open_done (GObject *console, GAsyncResult *result, gpointer data)
{
  PhDocumentView *self = data;

  if (self->document)
    set_file (self, ph_document_is_open (self->document) ? ph_document_get_path (self->document) : NULL);
  on_line_done (console, result, self);
}

void
ph_document_view_open (PhDocumentView *self, const char *path)
{
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *line = g_strconcat ("open ", strpbrk (path, " \t'\"\\") ? quoted : path, NULL);

  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self) && path != NULL);
  set_file (self, path);
  ph_console_run_async (self->console, line, on_open_done, g_object_ref (self));
}

/* --- the file on disk ----------------------------------------------------------------------------------------------- */

static void
on_reloaded (GObject *console, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhDocumentView) self = data;
  g_autoptr (GKeyFile) state = g_object_steal_data (data, "reload");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, &error);
  const GError *problem = reply ? reply->error : error;
  const char *path = ph_document_get_path (self->document);
  g_autofree char *name = path ? ph_io_display_name (path) : g_strdup ("");

  if (problem)
    {
      g_autofree char *text = g_strdup_printf (
          _ ("%s cannot be read any more. This is the graph that was read before; weights that nothing had asked for are gone. %s"),
          name, problem->message);
      ph_document_view_set_banner (self, text, _ ("_Retry"), G_CALLBACK (ph_document_view_reload), self);
      return;
    }
  g_autofree char *text = g_strdup_printf (_ ("%s was read again: this is its new content."), name);
  ph_document_view_toast (self, text);
  ph_tab_state_restore (self, state, "file", FALSE);
}

void
ph_document_view_reload (PhDocumentView *self)
{
  GKeyFile *state = g_key_file_new ();

  g_return_if_fail (PH_IS_DOCUMENT_VIEW (self));
  ph_tab_state_save (self, state, "file");
  g_object_set_data_full (G_OBJECT (self), "reload", state, (GDestroyNotify) g_key_file_unref);
  ph_console_run_async (self->console, "reload", on_reloaded, g_object_ref (self));
}

static gboolean
on_file_settled (gpointer data)
{
  PhDocumentView *self = data;
  const char *path = ph_document_get_path (self->document);

  /* The running line may add a step or open another file. */
  if (ph_console_is_running (self->console))
    return G_SOURCE_CONTINUE;
  /* Notifications come late: this one may be of a write before the file was read. */
  if (!path || ph_document_is_current (self->document))
    return G_SOURCE_REMOVE;
  g_autofree char *name = ph_io_display_name (path);
  if (ph_hand_steps_any (self))
    {
      g_autofree char *text = g_strdup_printf (
          _ ("%s changed on disk. When it is read again, the steps made by hand are made again too."), name);
      ph_document_view_set_banner (self, text, _ ("_Reload"), G_CALLBACK (ph_document_view_reload), self);
      return G_SOURCE_REMOVE;
    }
  ph_document_view_reload (self);
  return G_SOURCE_REMOVE;
}

/* --- the document --------------------------------------------------------------------------------------------------- */

/* Focuses the graph after opening if the focus was on the start page or a header button. Someone typing a command types on. */
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

  set_file (self, model ? ph_document_get_path (self->document) : NULL);
  g_autofree char *dear = model ? ph_verify_cost (model) : NULL;

  gtk_stack_set_visible_child_name (self->stack, model ? "graph" : "start");
  if (model)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->toasts), "above-bar");
      focus_graph (self);
    }
  ph_document_set_proves (self->document, model && !dear);
  drop_offer (self);
  ph_document_view_set_banner (self, NULL, NULL, NULL, NULL);
  ph_file_watch_set_path (self->watch, model ? ph_document_get_path (self->document) : NULL);
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
    {
      g_signal_handlers_disconnect_by_data (self->document, self);
      /* The comparison of steps holds the document and would run to its end unseen. */
      ph_document_set_proves (self->document, FALSE);
    }
  g_cancellable_cancel (self->work);
  g_clear_handle_id (&self->look, g_source_remove);
  if (self->ahead)
    ph_run_ahead_stop (self->ahead);
  g_clear_object (&self->ahead);
  g_clear_pointer (&self->watch, ph_file_watch_free);
  if (self->toast_widgets)
    g_signal_handlers_disconnect_by_data (self->toast_widgets, self);
  g_clear_object (&self->toast_widgets);
  g_clear_object (&self->offer);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_DOCUMENT_VIEW);
  g_clear_object (&self->work);
  g_clear_object (&self->console);
  g_clear_object (&self->document);
  G_OBJECT_CLASS (ph_document_view_parent_class)->dispose (object);
}

static void
ph_document_view_finalize (GObject *object)
{
  g_free (PH_DOCUMENT_VIEW (object)->file);
  G_OBJECT_CLASS (ph_document_view_parent_class)->finalize (object);
}

static void
ph_document_view_class_init (PhDocumentViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (PH_TYPE_FIND_BAR);
  g_type_ensure (PH_TYPE_START_PAGE);
  G_OBJECT_CLASS (klass)->dispose = ph_document_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = ph_document_view_finalize;
  widget_class->map = ph_document_view_map;
  signal_file_changed = g_signal_new ("file-changed", PH_TYPE_DOCUMENT_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                      0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/document-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, toasts);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, banner);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, banner_text);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, banner_button);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, find_bar);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, stack);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, graph);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, progress_card);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, spinner);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, progress_text);
  gtk_widget_class_bind_template_child (widget_class, PhDocumentView, progress_bar);
  gtk_widget_class_bind_template_callback (widget_class, on_banner_response);
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
}

static void
ph_document_view_init (PhDocumentView *self)
{
  self->watch = ph_file_watch_new (on_file_settled, self);
  self->document = ph_document_new ();
  ph_document_set_copied (self->document, TRUE);
  self->console = ph_console_new (self->document);
  ph_console_set_held (self->console, TRUE);
  self->ahead = ph_run_ahead_new (self->document);
  ph_diff_ahead_watch (self->document);
  ph_hand_steps_watch (self);
  gtk_widget_init_template (GTK_WIDGET (self));

  self->toast_widgets = gtk_widget_observe_children (GTK_WIDGET (self->toasts));
  g_signal_connect_swapped (self->toast_widgets, "items-changed", G_CALLBACK (on_toasts), self);
  self->pane = PH_GRAPH_PANE (ph_graph_pane_new (self->console));
  self->canvas = ph_graph_pane_get_canvas (self->pane);
  adw_bin_set_child (self->graph, GTK_WIDGET (self->pane));
  /* A running layout keeps the canvas alive longer than its tab. */
  g_signal_connect_object (self->canvas, "layout-started", G_CALLBACK (on_layout_started), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->canvas, "layout-finished", G_CALLBACK (on_layout_finished), self, G_CONNECT_SWAPPED);
  ph_find_bar_set_canvas (self->find_bar, self->document, self->canvas);

  g_signal_connect_swapped (self->console, "started", G_CALLBACK (on_started), self);
  g_signal_connect_swapped (self->console, "progress", G_CALLBACK (on_progress), self);
  g_signal_connect_swapped (self->console, "finished", G_CALLBACK (on_finished), self);
  g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_opened), self);
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

PhFindBar *
ph_document_view_get_find_bar (PhDocumentView *self)
{
  return self->find_bar;
}

PhGraphPane *
ph_document_view_get_pane (PhDocumentView *self)
{
  return self->pane;
}

gboolean
ph_document_view_is_working (PhDocumentView *self)
{
  return self->work || ph_run_ahead_is_running (self->ahead) || ph_tab_state_is_restoring (self)
         || (ph_document_is_open (self->document) && ph_graph_pane_is_working (self->pane));
}
