/* export-dialog.c: exports the picture to a file: asks for format, part and size, shows a preview, and writes it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/export-dialog.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/document/snapshot.h"
#include "core/draw/export.h"
#include "core/scene/scene.h"
#include "views/access-names.h"

#define PREVIEW_WIDTH  440
#define PREVIEW_HEIGHT 240
#define MAX_PIXELS     12000
#define OTHER_HEIGHT   130 /* of a screen: the title, the progress, a panel */

struct _PhExportDialog
{
  AdwWindow parent_instance;
  GtkWidget *content;
  GtkScrolledWindow *scrolled;
  GtkButton *export_button;
  GtkPicture *preview;
  AdwComboRow *format, *part, *theme;
  GtkSwitch *changes, *legend;
  AdwActionRow *scale_row, *size_row;
  GtkSpinButton *scale;
  GtkLabel *size;
  GtkRevealer *progress;
  GtkSpinner *spinner;
  PhDocumentView *view;              /* owned */
  GCancellable *previewing, *saving; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PhExportDialog, ph_export_dialog, ADW_TYPE_WINDOW)

static const char *const endings[] = { ".svg", ".pdf", ".png" };

/* --- drawing in a worker --------------------------------------------------------------------------------------------- */

typedef struct
{
  PhPicture picture;
  PhSnapshot *snapshot; /* (nullable) for the notes */
  PhPosition a, b;
  double scale;
  char *path; /* (nullable) a preview     */
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  ph_scene_unref (job->picture.scene);
  g_clear_pointer (&job->picture.options.paint, ph_paint_unref);
  g_clear_pointer (&job->snapshot, ph_snapshot_free);
  g_free (job->path);
  g_free (job);
}

/* (nullable) */
static Job *
job_new (PhExportDialog *self)
{
  PhGraphCanvas *canvas = ph_document_view_get_canvas (self->view);
  PhDocument *document = ph_document_view_get_document (self->view);
  PhPicture picture;

  if (!ph_document_is_open (document)
      || !ph_graph_canvas_get_picture (canvas, adw_combo_row_get_selected (self->part) == 0, &picture))
    return NULL;
  Job *job = g_new0 (Job, 1);
  job->picture = picture;
  job->picture.legend = gtk_switch_get_active (self->legend);
  PhPaint *paint = job->picture.legend ? ph_graph_canvas_get_paint (canvas) : picture.options.paint;
  job->picture.options.paint = paint ? ph_paint_ref (paint) : NULL;
  job->picture.options.theme = adw_combo_row_get_selected (self->theme) == 0 ? PH_THEME_LIGHT : PH_THEME_DARK;
  job->scale = gtk_spin_button_get_value (self->scale);
  if (!gtk_switch_get_active (self->changes))
    job->picture.options.since = job->picture.options.time;
  else if (job->picture.options.since != job->picture.options.time)
    {
      job->snapshot = ph_snapshot_new (document);
      job->a = ph_document_get_since (document);
      job->b = ph_document_get_position (document);
    }
  ph_scene_ref (job->picture.scene);
  return job;
}

static PhDiff *
notes (Job *job)
{
  if (!job->snapshot)
    return NULL;
  PhDiff *diff = ph_diff_new (ph_snapshot_get_history (job->snapshot), ph_snapshot_at (job->snapshot, job->b), job->a, job->b);
  ph_snapshot_done (job->snapshot);
  return diff;
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  g_autoptr (PhDiff) diff = notes (job);
  g_autoptr (GError) error = NULL;
  double width, height;

  job->picture.diff = diff;
  if (job->path)
    {
      if (ph_picture_save (&job->picture, job->path, job->scale, cancellable, &error))
        g_task_return_boolean (task, TRUE);
      else
        g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  if (g_task_return_error_if_cancelled (task))
    return;
  g_autoptr (PhInk) ink = ph_ink_new ();
  ph_picture_size (&job->picture, ink, &width, &height);
  const double scale = MIN (2.0, MIN (2 * PREVIEW_WIDTH / width, 2 * PREVIEW_HEIGHT / height));
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) ceil (width * scale),
                                                         (int) ceil (height * scale));
  cairo_t *cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  ph_picture_draw (&job->picture, cr, ink, scale);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  g_task_return_pointer (task, surface, (GDestroyNotify) cairo_surface_destroy);
}

static void
start (PhExportDialog *self, Job *job, GCancellable *cancellable, GAsyncReadyCallback callback)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, NULL);

  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, work);
}

/* --- the preview ------------------------------------------------------------------------------------------------------- */

static void
on_preview (GObject *source, GAsyncResult *result, gpointer data)
{
  PhExportDialog *self = PH_EXPORT_DIALOG (source);
  cairo_surface_t *surface = g_task_propagate_pointer (G_TASK (result), NULL);

  if (!surface)
    return;
  if (self->content)
    {
      const int height = cairo_image_surface_get_height (surface), stride = cairo_image_surface_get_stride (surface);
      g_autoptr (GBytes) bytes = g_bytes_new (cairo_image_surface_get_data (surface), (gsize) height * (gsize) stride);
      g_autoptr (GdkTexture) texture = gdk_memory_texture_new (cairo_image_surface_get_width (surface), height,
                                                               GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, (gsize) stride);
      gtk_picture_set_paintable (self->preview, GDK_PAINTABLE (texture));
    }
  cairo_surface_destroy (surface);
}

static void
update (PhExportDialog *self)
{
  Job *job = self->view ? job_new (self) : NULL;
  const gboolean png = adw_combo_row_get_selected (self->format) == 2;

  g_cancellable_cancel (self->previewing);
  g_clear_object (&self->previewing);
  gtk_widget_set_visible (GTK_WIDGET (self->scale_row), png);
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), job != NULL && !self->saving);
  if (!job)
    return;
  g_autoptr (PhInk) ink = ph_ink_new ();
  double width, height;
  ph_picture_size (&job->picture, ink, &width, &height);
  const double scale = png ? MIN (job->scale, MAX_PIXELS / MAX (width, height)) : 1;
  g_autofree char *text = g_strdup_printf (png ? _ ("%.0f × %.0f pixels") : _ ("%.0f × %.0f points"), ceil (width * scale),
                                           ceil (height * scale));
  gtk_label_set_text (self->size, text);
  self->previewing = g_cancellable_new ();
  start (self, job, self->previewing, on_preview);
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  PhExportDialog *self = PH_EXPORT_DIALOG (source);
  const Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  const gboolean ok = g_task_propagate_boolean (G_TASK (result), &error);

  if (!self->content)
    return;
  g_clear_object (&self->saving);
  gtk_revealer_set_reveal_child (self->progress, FALSE);
  gtk_spinner_stop (self->spinner);
  if (ok)
    {
      g_autofree char *name = g_filename_display_basename (job->path), *text = g_strdup_printf (_ ("%s was written"), name);
      ph_document_view_toast (self->view, text);
      gtk_window_close (GTK_WINDOW (self));
      return;
    }
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), TRUE);
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_autofree char *markup = g_markup_escape_text (error->message, -1);
      adw_action_row_set_subtitle (self->size_row, markup);
    }
}

void
ph_export_dialog_save (PhExportDialog *self, const char *path)
{
  g_return_if_fail (PH_IS_EXPORT_DIALOG (self) && path != NULL);

  Job *job = self->saving ? NULL : job_new (self);
  if (!job)
    return;
  adw_action_row_set_subtitle (self->size_row, NULL);
  job->path = g_strdup (path);
  self->saving = g_cancellable_new ();
  gtk_widget_set_sensitive (GTK_WIDGET (self->export_button), FALSE);
  gtk_revealer_set_reveal_child (self->progress, TRUE);
  gtk_spinner_start (self->spinner);
  start (self, job, self->saving, on_saved);
}

static void
on_file (GtkNativeDialog *chooser, int response, PhExportDialog *self)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (chooser));
      g_autofree char *path = g_file_get_path (file);
      const char *ending = endings[adw_combo_row_get_selected (self->format)];
      g_autofree char *whole = path && !g_str_has_suffix (path, ending) ? g_strconcat (path, ending, NULL) : g_strdup (path);
      if (whole)
        ph_export_dialog_save (self, whole);
    }
  gtk_native_dialog_destroy (chooser);
  g_object_unref (chooser);
}

static void
on_export (PhExportDialog *self)
{
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Export the Picture"), GTK_WINDOW (self),
                                                               GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), NULL);
  const char *path = ph_document_get_path (ph_document_view_get_document (self->view));
  g_autofree char *name = path ? g_filename_display_basename (path) : g_strdup ("graph");
  char *dot = strrchr (name, '.');

  if (dot)
    *dot = '\0';
  g_autofree char *suggestion = g_strconcat (name, endings[adw_combo_row_get_selected (self->format)], NULL);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), suggestion);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (chooser), TRUE);
  g_signal_connect_object (chooser, "response", G_CALLBACK (on_file), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

/* Cancels a running export, else closes the dialog. */
static void
on_cancel (PhExportDialog *self)
{
  if (self->saving)
    g_cancellable_cancel (self->saving);
  else
    gtk_window_close (GTK_WINDOW (self));
}

/* --- object ------------------------------------------------------------------------------------------------------------ */

static void
ph_export_dialog_dispose (GObject *object)
{
  PhExportDialog *self = PH_EXPORT_DIALOG (object);

  g_cancellable_cancel (self->previewing);
  g_clear_object (&self->previewing);
  g_cancellable_cancel (self->saving);
  g_clear_object (&self->saving);
  g_clear_object (&self->view);
  adw_window_set_content (ADW_WINDOW (self), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_EXPORT_DIALOG);
  G_OBJECT_CLASS (ph_export_dialog_parent_class)->dispose (object);
}

static void
ph_export_dialog_class_init (PhExportDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_export_dialog_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/export-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, content);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, scrolled);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, export_button);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, preview);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, format);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, part);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, theme);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, changes);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, legend);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, scale_row);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, size_row);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, scale);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, size);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, progress);
  gtk_widget_class_bind_template_child (widget_class, PhExportDialog, spinner);
  gtk_widget_class_bind_template_callback (widget_class, update);
  gtk_widget_class_bind_template_callback (widget_class, on_export);
  gtk_widget_class_bind_template_callback (widget_class, on_cancel);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
ph_export_dialog_init (PhExportDialog *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_access_name_all (GTK_WIDGET (self));
  gtk_spin_button_set_range (self->scale, 0.5, 4);
  gtk_spin_button_set_increments (self->scale, 0.5, 1);
  gtk_spin_button_set_value (self->scale, 2);
}

/* On a low screen the rows scroll, so that the last of them is not below its edge. */
static void
fit_screen (PhExportDialog *self, GtkWindow *parent)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (parent));
  GdkMonitor *monitor = surface ? gdk_display_get_monitor_at_surface (gdk_surface_get_display (surface), surface) : NULL;
  GdkRectangle screen;

  if (!monitor)
    return;
  gdk_monitor_get_geometry (monitor, &screen);
  gtk_scrolled_window_set_max_content_height (self->scrolled, MAX (200, screen.height - OTHER_HEIGHT));
}

void
ph_export_dialog_present (GtkWindow *parent, PhDocumentView *view)
{
  PhExportDialog *self = g_object_new (PH_TYPE_EXPORT_DIALOG, "transient-for", parent, "modal", TRUE, NULL);
  self->view = g_object_ref (view);
  fit_screen (self, parent);
  gtk_switch_set_active (self->legend,
                         ph_view_state_is_on (ph_document_get_view (ph_document_view_get_document (view)), PH_VIEW_LEGEND));
  adw_combo_row_set_selected (self->theme, adw_style_manager_get_dark (adw_style_manager_get_default ()) ? 1 : 0);
  update (self);
  gtk_window_present (GTK_WINDOW (self));
}
