/* window.c: the window: panels around the tabs of open models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/window.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "app/actions.h"
#include "app/window-private.h"
#include "core/document/newcomer.h"
#include "core/io/choose.h"
#include "views/access-names.h"
#include "views/hand-steps.h"
#include "views/recent-files.h"
#include "views/tab-state.h"
#include "views/whole-layout.h"

G_DEFINE_FINAL_TYPE (PhWindow, ph_window, ADW_TYPE_APPLICATION_WINDOW)

PhDocumentView *
ph_window_get_view (PhWindow *self)
{
  AdwTabPage *page = adw_tab_view_get_selected_page (self->tabs);
  return page ? PH_DOCUMENT_VIEW (adw_tab_page_get_child (page)) : NULL;
}

/* --- titles and sensitivity ---------------------------------------------------------------------------------------- */

static char *
position_text (PhDocument *document)
{
  PhHistory *history = ph_document_get_history (document);
  PhPosition at = ph_document_get_position (document);

  if (!history || (at.step == 0 && at.rewrite == 0))
    return g_strdup (_ ("As in the file"));
  g_autofree char *position = ph_position_to_string (at);
  guint shown = at.step - (at.rewrite == 0);
  const PhStep *step = &g_array_index (history->steps, PhStep, MIN (shown, history->steps->len - 1));
  return g_strdup_printf (_ ("Step %s of %u · %s"), position, history->steps->len, step->pass);
}

/* Returns "a.onnx", or "a.onnx ↔ b.onnx" after a comparison with another model; for a graph without a file the name of its function.
 * (nullable) */
static char *
name_of (PhDocumentView *view)
{
  PhDocument *document = ph_document_view_get_document (view);
  const char *file = ph_document_view_get_file (view);
  guint s;

  if (!file)
    {
      const PhModel *model = ph_document_get_model (document);
      return model && *model->graph->name ? g_strdup (model->graph->name) : NULL;
    }
  g_autofree char *name = ph_io_display_name (file);
  if (ph_hand_steps_find_compare (document, &s))
    return g_strdup_printf ("%s ↔ %s", name,
                            g_array_index (ph_document_get_history (document)->steps, PhStep, s).pass + strlen ("compare "));
  return g_steal_pointer (&name);
}

/* Updates the title of a tab, also of one in the background. */
static void
update_page (PhDocumentView *view)
{
  GtkWidget *tabs = gtk_widget_get_ancestor (GTK_WIDGET (view), ADW_TYPE_TAB_VIEW);
  AdwTabPage *page = tabs ? adw_tab_view_get_page (ADW_TAB_VIEW (tabs), GTK_WIDGET (view)) : NULL;
  g_autofree char *name = name_of (view);

  if (!page)
    return;
  /* Texts must be UTF-8, and a tab's tooltip is markup; but a file name may be any bytes. */
  const char *file = ph_document_view_get_file (view);
  g_autofree char *whole = file ? g_filename_display_name (file) : NULL;
  g_autofree char *tooltip = whole ? g_markup_escape_text (whole, -1) : NULL;
  adw_tab_page_set_title (page, name ? name : _ ("New Tab"));
  adw_tab_page_set_tooltip (page, tooltip);
}

static void
update_title (PhWindow *self)
{
  PhDocumentView *view = ph_window_get_view (self);
  PhDocument *document = view ? ph_document_view_get_document (view) : NULL;
  g_autofree char *name = view ? name_of (view) : NULL;

  if (!name)
    {
      gtk_window_set_title (GTK_WINDOW (self), "Peephole");
      adw_window_title_set_title (self->title, "Peephole");
      adw_window_title_set_subtitle (self->title, _ ("A window into a graph compiler"));
      return;
    }
  g_autofree char *position = ph_document_is_open (document) ? position_text (document) : g_strdup (_ ("Opening"));
  g_autofree char *title = g_strdup_printf ("%s – Peephole", name);
  adw_window_title_set_title (self->title, name);
  adw_window_title_set_subtitle (self->title, position);
  gtk_window_set_title (GTK_WINDOW (self), title);
}

static void
on_document_changed (PhWindow *self)
{
  update_title (self);
  ph_window_update_actions (self);
}

/* --- tabs ------------------------------------------------------------------------------------------------------------ */

static void
on_reply (PhWindow *self, PhReply *reply)
{
  if (reply->quit)
    gtk_window_close (GTK_WINDOW (self));
}

/* Remembers files opened in any way, but not those that could not be read. */
static void
remember_file (PhDocument *document)
{
  const char *path = ph_document_get_path (document);
  g_autofree char *absolute = path ? g_canonicalize_filename (path, NULL) : NULL;
  g_autofree char *uri = absolute ? g_filename_to_uri (absolute, NULL, NULL) : NULL;

  if (uri)
    gtk_recent_manager_add_item (gtk_recent_manager_get_default (), uri);
}

static void
on_file_changed (PhDocumentView *view)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (view));

  update_page (view);
  if (PH_IS_WINDOW (root) && ph_window_get_view (PH_WINDOW (root)) == view)
    update_title (PH_WINDOW (root));
}

typedef struct
{
  PhWindow *window; /* (nullable) weak */
  PhNewcomer *newcomer;
} Arrival;

/* Continues after the reply to the line that made it. */
static gboolean
settle (gpointer data)
{
  g_autofree Arrival *arrival = data;

  if (arrival->window && !arrival->window->closing)
    {
      PhDocument *document = ph_document_view_get_document (ph_window_add_tab (arrival->window));

      ph_newcomer_settle (arrival->newcomer, document);
    }
  else
    ph_newcomer_free (arrival->newcomer);
  g_clear_weak_pointer (&arrival->window);
  return G_SOURCE_REMOVE;
}

static void
on_beside (PhDocument *document, PhNewcomer *newcomer, gpointer data)
{
  GtkRoot *root = gtk_widget_get_root (data);
  Arrival *arrival = g_new0 (Arrival, 1);

  arrival->newcomer = newcomer;
  if (PH_IS_WINDOW (root))
    g_set_weak_pointer (&arrival->window, PH_WINDOW (root));
  g_idle_add (settle, arrival);
}

PhDocumentView *
ph_window_add_tab (PhWindow *self)
{
  PhDocumentView *view = ph_document_view_new ();

  /* The session must save a reply before it is shown, so it connects before the console, which starts when the tab is raised. */
  ph_session_watch (self->session, view);
  g_signal_connect (ph_document_view_get_document (view), "opened", G_CALLBACK (remember_file), NULL);
  ph_document_set_beside (ph_document_view_get_document (view), on_beside, view);
  g_signal_connect (view, "file-changed", G_CALLBACK (on_file_changed), NULL);
  g_signal_connect_object (ph_document_view_get_document (view), "history-changed", G_CALLBACK (update_page), view,
                           G_CONNECT_SWAPPED);
  AdwTabPage *page = adw_tab_view_append (self->tabs, GTK_WIDGET (view));
  update_page (view);
  ph_access_name_all (GTK_WIDGET (view));
  adw_tab_view_set_selected_page (self->tabs, page);
  return view;
}

/* @document: (nullable) */
static void
forget_document (PhDocument *document, PhWindow *self)
{
  if (!document)
    return;
  g_signal_handlers_disconnect_by_data (ph_document_get_view (document), self);
  g_signal_handlers_disconnect_by_data (document, self);
}

static void
on_tab_selected (PhWindow *self)
{
  PhDocumentView *view = ph_window_get_view (self);
  PhDocument *document = view ? ph_document_view_get_document (view) : NULL;
  PhConsole *console = view ? ph_document_view_get_console (view) : NULL;

  if (self->closing || self->document == document)
    return;
  g_autoptr (PhDocument) before = g_steal_pointer (&self->document);
  forget_document (before, self);
  if (self->console)
    g_signal_handlers_disconnect_by_data (self->console, self);
  g_set_object (&self->document, document);
  g_set_object (&self->console, console);
  g_clear_object (&self->view_actions);
  if (view)
    self->view_actions = g_object_ref (ph_graph_pane_get_view_actions (ph_document_view_get_pane (view)));
  gtk_widget_insert_action_group (GTK_WIDGET (self), "view", G_ACTION_GROUP (self->view_actions));
  if (document)
    {
      ph_window_follow_view (self, before);
      g_signal_connect_swapped (document, "opened", G_CALLBACK (on_document_changed), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (on_document_changed), self);
      g_signal_connect_swapped (document, "history-changed", G_CALLBACK (on_document_changed), self);
      g_signal_connect_swapped (document, "notify::busy", G_CALLBACK (on_document_changed), self);
      g_signal_connect_swapped (console, "finished", G_CALLBACK (on_reply), self);
    }
  ph_history_panel_set_console (self->history_panel, console);
  ph_inspector_set_console (self->inspector, console);
  ph_bottom_pane_set_console (self->bottom_pane, console);
  on_document_changed (self);
}

/* The bar creates a tab's buttons, which get accessible names here. */
static void
on_tab_added (PhWindow *self)
{
  ph_access_name_all (GTK_WIDGET (self->tab_bar));
}

typedef struct
{
  PhWindow *window;
  AdwTabPage *page;
} Closing;

static void
closing_free (gpointer data)
{
  Closing *closing = data;

  g_object_unref (closing->window);
  g_object_unref (closing->page);
  g_free (closing);
}

/* Resets the gestures of a widget tree that will be removed: GTK 4.8 keeps looking for the widget under a pressed button, and a widget that
 * misses its release, for instance because of a menu, keeps a reference to itself forever. */
static void
forget_presses (GtkWidget *root)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (root);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_GESTURE (controller))
        gtk_event_controller_reset (controller);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    forget_presses (child);
}

static gboolean
finish_closing (gpointer data)
{
  const Closing *closing = data;
  PhWindow *self = closing->window;

  if (self->closing)
    return G_SOURCE_REMOVE;
  /* There is always a present view, so an empty tab is added before the last one closes. */
  if (adw_tab_view_get_n_pages (self->tabs) == 1)
    ph_window_add_tab (self);
  forget_presses (GTK_WIDGET (self->tab_bar));
  forget_presses (adw_tab_page_get_child (closing->page));
  adw_tab_view_close_page_finish (self->tabs, closing->page, TRUE);
  return G_SOURCE_REMOVE;
}

/* A tab's button closes it from an idle source, and once more after a double click. AdwTab 1.2 holds no reference meanwhile, so the tab is
 * closed after all pending events. */
static gboolean
on_close_page (PhWindow *self, AdwTabPage *page)
{
  if (self->closing)
    adw_tab_view_close_page_finish (self->tabs, page, TRUE);
  else
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE + 1, finish_closing,
                     g_memdup2 (&(Closing) { g_object_ref (self), g_object_ref (page) }, sizeof (Closing)), closing_free);
  return GDK_EVENT_STOP;
}

/* Keeps a tab dropped outside: there is only one window, as there is one console. */
static AdwTabView *
on_create_window (PhWindow *self)
{
  return self->tabs;
}

/* --- public ---------------------------------------------------------------------------------------------------------- */

void
ph_window_run (PhWindow *self, const char *format, ...)
{
  PhDocumentView *view = ph_window_get_view (self);
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  ph_document_view_run (view, line);
}

static gboolean
is_empty (PhDocumentView *view)
{
  return !ph_document_view_get_file (view) && !ph_document_is_open (ph_document_view_get_document (view))
         && !ph_console_is_running (ph_document_view_get_console (view));
}

static gboolean
is_same_file (const char *a, const char *b)
{
  GStatBuf one, other;

  return g_str_equal (a, b)
         || (g_stat (a, &one) == 0 && g_stat (b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* Returns the tab of the file, but not a tab that compares with another model. (nullable) */
static PhDocumentView *
find_open (PhWindow *self, const char *path)
{
  g_autofree char *wanted = g_canonicalize_filename (path, NULL);

  for (int i = 0; i < adw_tab_view_get_n_pages (self->tabs); i++)
    {
      PhDocumentView *view = PH_DOCUMENT_VIEW (adw_tab_page_get_child (adw_tab_view_get_nth_page (self->tabs, i)));
      const char *file = ph_document_view_get_file (view);
      if (file && is_same_file (file, wanted) && !ph_hand_steps_compares (view) && !ph_tab_state_will_compare (view))
        return view;
    }
  return NULL;
}

PhDocumentView *
ph_window_open_tab (PhWindow *self, const char *path)
{
  PhDocumentView *view = ph_window_get_view (self);

  if (!is_empty (view))
    view = ph_window_add_tab (self);
  ph_document_view_open (view, path);
  return view;
}

void
ph_window_open (PhWindow *self, GFile *file)
{
  g_return_if_fail (PH_IS_WINDOW (self) && G_IS_FILE (file));

  g_autofree char *path = g_file_get_path (file);
  if (!path)
    {
      g_autofree char *uri = g_file_get_uri (file);
      g_autofree char *message = g_strdup_printf (_ ("%s is not on this computer. Copy it to a local folder and open it there."),
                                                  uri);
      ph_document_view_toast (ph_window_get_view (self), message);
      return;
    }
  PhDocumentView *there = find_open (self, path);
  if (there)
    {
      PhDocumentView *left = ph_window_get_view (self);
      adw_tab_view_set_selected_page (self->tabs, adw_tab_view_get_page (self->tabs, GTK_WIDGET (there)));
      /* An empty tab was there for this file only. */
      if (is_empty (left) && adw_tab_view_get_n_pages (self->tabs) > 1)
        adw_tab_view_close_page (self->tabs, adw_tab_view_get_page (self->tabs, GTK_WIDGET (left)));
      return;
    }
  ph_window_open_tab (self, path);
}

void
ph_window_prompt (PhWindow *self, const char *text)
{
  ph_window_show_bottom (self, "console");
  ph_console_pane_type (ph_bottom_pane_get_console_pane (self->bottom_pane), text);
}

/* --- recent files ---------------------------------------------------------------------------------------------------- */

static void
update_recent (PhWindow *self)
{
  g_autoptr (GPtrArray) ours = ph_recent_files (10);

  g_menu_remove_all (self->recent);
  for (guint i = 0; i < ours->len; i++)
    {
      /* An underscore of a file name is no mnemonic. */
      g_auto (GStrv) parts = g_strsplit (gtk_recent_info_get_display_name (ours->pdata[i]), "_", -1);
      g_autofree char *label = g_strjoinv ("__", parts);
      GMenuItem *item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "win.open-uri", "s", gtk_recent_info_get_uri (ours->pdata[i]));
      g_menu_append_item (self->recent, item);
      g_object_unref (item);
    }
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, gpointer data)
{
  if (!G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    return FALSE;
  g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));
  for (GSList *l = files; l; l = l->next)
    ph_window_open (data, l->data);
  return files != NULL;
}

/* --- object ---------------------------------------------------------------------------------------------------------- */

static gboolean
ph_window_close_request (GtkWindow *window)
{
  PhWindow *self = PH_WINDOW (window);

  self->closing = TRUE;
  if (self->session)
    ph_session_free (self->session);
  self->session = NULL;
  return GTK_WINDOW_CLASS (ph_window_parent_class)->close_request (window);
}

static void
ph_window_dispose (GObject *object)
{
  PhWindow *self = PH_WINDOW (object);

  self->closing = TRUE;
  forget_presses (GTK_WIDGET (self));
  if (self->session)
    ph_session_free (self->session);
  self->session = NULL;
  g_signal_handlers_disconnect_by_data (gtk_recent_manager_get_default (), self);
  forget_document (self->document, self);
  if (self->console)
    g_signal_handlers_disconnect_by_data (self->console, self);
  if (self->history_panel)
    {
      ph_history_panel_set_console (self->history_panel, NULL);
      ph_inspector_set_console (self->inspector, NULL);
      ph_bottom_pane_set_console (self->bottom_pane, NULL);
    }
  if (self->tabs) /* removes the pages while their bar exists: tabs of libadwaita 1.2 query it for their neighbours */
    {
      gtk_paned_set_start_child (GTK_PANED (gtk_widget_get_parent (GTK_WIDGET (self->tabs))), NULL);
      g_object_run_dispose (G_OBJECT (self->tabs));
    }
  adw_application_window_set_content (ADW_APPLICATION_WINDOW (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_WINDOW);
  g_clear_object (&self->document);
  g_clear_object (&self->console);
  g_clear_object (&self->view_actions);
  g_clear_object (&self->recent);
  G_OBJECT_CLASS (ph_window_parent_class)->dispose (object);
}

/* Handles keys wherever the focus is, except that an open menu is closed first. */
static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhWindow *self)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));
  PhDocumentView *view = ph_window_get_view (self);

  if (key != GDK_KEY_Escape || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK)) != 0
      || (focus && gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER)))
    return GDK_EVENT_PROPAGATE;
  return view && ph_document_view_cancel (view) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static void
ph_window_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ph_whole_layout (widget);
  GTK_WIDGET_CLASS (ph_window_parent_class)->size_allocate (widget, width, height, baseline);
}

static void
ph_window_class_init (PhWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (PH_TYPE_FIT_BIN);
  g_type_ensure (PH_TYPE_HISTORY_PANEL);
  g_type_ensure (PH_TYPE_INSPECTOR);
  g_type_ensure (PH_TYPE_BOTTOM_PANE);
  G_OBJECT_CLASS (klass)->dispose = ph_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = ph_window_close_request;
  widget_class->size_allocate = ph_window_size_allocate;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/window.ui");
  gtk_widget_class_bind_template_child (widget_class, PhWindow, title);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, open_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, menu_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, fit_bin);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, first_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, back_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, last_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, pipeline_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, bottom_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, inspector_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, find_button);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, tabs);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, tab_bar);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, history_panel);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, inspector);
  gtk_widget_class_bind_template_child (widget_class, PhWindow, bottom_pane);
  gtk_widget_class_bind_template_callback (widget_class, on_tab_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_tab_added);
  gtk_widget_class_bind_template_callback (widget_class, on_close_page);
  gtk_widget_class_bind_template_callback (widget_class, on_create_window);
  gtk_widget_class_bind_template_callback (widget_class, ph_window_on_side_moved);
  gtk_widget_class_bind_template_callback (widget_class, ph_window_share_width);
  gtk_widget_class_bind_template_callback (widget_class, ph_window_share_height);
}

static void
ph_window_init (PhWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->side_width = gtk_paned_get_position (GTK_PANED (gtk_widget_get_parent (GTK_WIDGET (self->history_panel))));
  ph_window_install_actions (self);
  self->session = ph_session_new (self);

  g_autoptr (GMenuModel) menu = ph_action_menu ();
  gtk_menu_button_set_menu_model (self->menu_button, menu);
  self->recent = g_menu_new ();
  adw_split_button_set_menu_model (self->open_button, G_MENU_MODEL (self->recent));
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (update_recent), self, G_CONNECT_SWAPPED);
  update_recent (self);

  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
  ph_window_add_tab (self);
  ph_session_restore_panels (self->session);
  ph_access_name_all (GTK_WIDGET (self));
}

PhWindow *
ph_window_new (PhApplication *application)
{
  return g_object_new (PH_TYPE_WINDOW, "application", application, NULL);
}
