/* tensor-view.c: the values of a tensor: statistics, a histogram, a heat map of a slice, the first elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/tensor-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "core/io/io.h"
#include "views/access-names.h"
#include "views/inspector-private.h"
#include "views/style-color.h"
#include "views/tensor-summary.h"

#define ELEMENTS_SHOWN 32
#define MIN_MAP        260 /* pixels that a square slice takes */

struct _PhTensorView
{
  GtkWidget parent_instance;
  GtkWidget *content;
  GtkListBox *stats;
  GtkLabel *message;
  GtkLabel *elements, *low, *high, *place;
  GtkWidget *range;
  GtkButton *save;
  GtkDrawingArea *histogram, *heat_map;
  GtkWidget *slice_box;
  GtkAdjustment *slice_adjustment;
  PhTensor *tensor;
  char *name;
  PhTensorSummary *summary; /* (nullable) until it was computed */
  GCancellable *cancellable;
};

G_DEFINE_FINAL_TYPE (PhTensorView, ph_tensor_view, GTK_TYPE_WIDGET)

static void
draw_histogram (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  PhTensorView *self = data;
  const GdkRGBA colour = ph_style_color (GTK_WIDGET (area), "accent_color", 1);

  if (!self->summary || self->summary->tallest == 0)
    return;
  gdk_cairo_set_source_rgba (cr, &colour);
  double step = (double) width / PH_HISTOGRAM_BINS;
  for (guint i = 0; i < PH_HISTOGRAM_BINS; i++)
    {
      /* The square root keeps the tails visible next to a high peak. */
      double tall = height * sqrt ((double) self->summary->bins[i] / self->summary->tallest);
      if (tall > 0)
        cairo_rectangle (cr, i * step, height - MAX (tall, 1), MAX (step - 1, 1), MAX (tall, 1));
    }
  cairo_fill (cr);
}

/* From blue over white to red, as in seismic maps: readable with all common kinds of colour vision. */
static void
heat_colour (cairo_t *cr, float value)
{
  if (isnan (value))
    cairo_set_source_rgb (cr, 0.3, 0.3, 0.3);
  else if (value < 0.5f)
    cairo_set_source_rgb (cr, 0.13 + 0.84 * 2 * value, 0.32 + 0.65 * 2 * value, 0.65 + 0.32 * 2 * value);
  else
    cairo_set_source_rgb (cr, 0.97 - 0.27 * (2 * value - 1), 0.97 - 0.85 * (2 * value - 1), 0.97 - 0.80 * (2 * value - 1));
}

static void
draw_heat_map (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  PhTensorView *self = data;

  if (!self->summary || self->summary->rows == 0)
    return;
  double cell = MIN ((double) width / self->summary->columns, (double) height / self->summary->rows);
  double cell_width = self->summary->rows == 1 ? (double) width / self->summary->columns : cell;
  double cell_height = self->summary->rows == 1 ? MIN (24, height) : cell;
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  for (guint r = 0; r < self->summary->rows; r++)
    for (guint c = 0; c < self->summary->columns; c++)
      {
        heat_colour (cr, self->summary->cells[r * self->summary->columns + c]);
        cairo_rectangle (cr, c * cell_width, r * cell_height, cell_width + 1, cell_height + 1);
        cairo_fill (cr);
      }
}

/* Names the slice that the heat map shows: "[0, 3, :, :]". */
static char *
slice_text (PhTensor *tensor, gsize slice)
{
  guint rank = ph_tensor_rank (tensor);
  const gint64 *dims = ph_tensor_dims (tensor);
  g_autofree gsize *index = g_new0 (gsize, rank + 1);
  GString *text = g_string_new ("[");

  for (guint i = rank > 2 ? rank - 2 : 0; i-- > 0; slice /= (gsize) MAX (dims[i], 1))
    index[i] = slice % (gsize) MAX (dims[i], 1);
  for (guint i = 0; i < rank; i++)
    if (i + 2 < rank)
      g_string_append_printf (text, "%" G_GSIZE_FORMAT ", ", index[i]);
    else
      g_string_append (text, i + 1 < rank ? ":, " : ":");
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static void
add_number (PhTensorView *self, const char *name, double number)
{
  g_autofree char *text = g_strdup_printf ("%.6g", number);

  ph_inspector_add_row (self->stats, name, text);
}

static void
add_count (PhTensorView *self, const char *name, gsize count)
{
  gsize all = ph_tensor_count (self->tensor);
  g_autofree char *text = count == all ? g_strdup (_ ("all"))
                                       : g_strdup_printf (_ ("%'zu (%.2g %%)"), count, 100.0 * (double) count / (double) all);

  if (count > 0)
    ph_inspector_add_row (self->stats, name, text);
}

static void
show_stats (PhTensorView *self)
{
  const PhTensorStats *stats = &self->summary->stats;
  GtkWidget *row;

  while ((row = GTK_WIDGET (gtk_list_box_get_row_at_index (self->stats, 0))))
    gtk_list_box_remove (self->stats, row);
  if (ph_tensor_count (self->tensor) == 1)
    {
      add_number (self, _ ("Value"), ph_dtype_load (ph_tensor_dtype (self->tensor), ph_tensor_data (self->tensor), 0));
      gtk_widget_set_visible (GTK_WIDGET (self->elements), FALSE);
      return;
    }
  add_number (self, _ ("Minimum"), stats->min);
  add_number (self, _ ("Maximum"), stats->max);
  add_number (self, _ ("Mean"), stats->mean);
  add_number (self, _ ("Deviation"), stats->std);
  add_count (self, _ ("Zeros"), stats->zeros);
  add_count (self, _ ("Not a number"), stats->nans);
  add_count (self, _ ("Infinite"), stats->infs);
}

static void
show_summary (PhTensorView *self)
{
  const PhTensorStats *stats = &self->summary->stats;

  gtk_widget_set_visible (GTK_WIDGET (self->message), !self->summary->numeric);
  if (!self->summary->numeric)
    {
      gtk_label_set_text (self->message, _ ("Not numbers, or empty"));
      return;
    }
  show_stats (self);
  gtk_widget_set_visible (GTK_WIDGET (self->histogram), self->summary->tallest > 0 && ph_tensor_count (self->tensor) > 1);
  gtk_widget_set_visible (GTK_WIDGET (self->heat_map), self->summary->rows > 0 && ph_tensor_count (self->tensor) > 1);
  if (self->summary->columns > 0)
    {
      double width = MAX (gtk_widget_get_width (GTK_WIDGET (self)), MIN_MAP);
      gtk_drawing_area_set_content_height (
          self->heat_map,
          self->summary->rows == 1 ? 24 : (int) CLAMP (width * self->summary->rows / self->summary->columns, 24, MIN_MAP));
    }
  g_autofree char *low = g_strdup_printf ("%.4g", stats->min), *high = g_strdup_printf ("%.4g", stats->max);
  g_autofree char *place = slice_text (self->tensor, self->summary->slice);
  gtk_label_set_text (self->low, low);
  gtk_label_set_text (self->high, high);
  gtk_label_set_text (self->place, place);
  gtk_widget_set_visible (self->range, gtk_widget_get_visible (GTK_WIDGET (self->histogram)));
  gtk_widget_set_visible (self->slice_box, self->summary->n_slices > 1);
  gtk_adjustment_set_upper (self->slice_adjustment, (double) self->summary->n_slices - 1);
  gtk_widget_queue_draw (GTK_WIDGET (self->histogram));
  gtk_widget_queue_draw (GTK_WIDGET (self->heat_map));
}

static void
on_summary (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (PhTensorView) self = data;
  PhTensorSummary *summary = ph_tensor_summary_finish (result, NULL);

  if (!summary || !self->content)
    {
      g_free (summary);
      return;
    }
  g_free (self->summary);
  self->summary = summary;
  show_summary (self);
}

static void
compute (PhTensorView *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  ph_tensor_summary_async (self->tensor, (gsize) gtk_adjustment_get_value (self->slice_adjustment), self->cancellable, on_summary,
                           g_object_ref (self));
}

static void
on_slice_changed (PhTensorView *self)
{
  if (self->tensor)
    compute (self);
}

static void
write_file (GTask *task, gpointer source, gpointer path, GCancellable *cancellable)
{
  PhTensorView *self = source;
  GError *error = NULL;

  /* Neither changes while the view lives, and the task keeps it. */
  if (ph_tensor_save (g_object_get_data (G_OBJECT (task), "tensor"), self->name, path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer data)
{
  PhTensorView *self = PH_TENSOR_VIEW (source);
  g_autoptr (GError) error = NULL;

  if (!self->content)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->save), TRUE);
  gtk_button_set_label (self->save, _ ("_Save as .npy…"));
  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      gtk_label_set_text (self->message, error->message);
      gtk_widget_set_visible (GTK_WIDGET (self->message), TRUE);
    }
}

static void
on_save_response (GtkNativeDialog *dialog, int response, PhTensorView *self)
{
  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *path = g_file_get_path (file);
      g_autoptr (GTask) task = g_task_new (self, NULL, on_written, NULL);
      gtk_widget_set_sensitive (GTK_WIDGET (self->save), FALSE);
      gtk_button_set_label (self->save, _ ("Saving…"));
      g_object_set_data_full (G_OBJECT (task), "tensor", ph_tensor_ref (self->tensor), (GDestroyNotify) ph_tensor_unref);
      g_task_set_task_data (task, g_steal_pointer (&path), g_free);
      g_task_run_in_thread (task, write_file);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_save (PhTensorView *self)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (_ ("Save the Values"), parent, GTK_FILE_CHOOSER_ACTION_SAVE,
                                                              _ ("_Save"), NULL);
  g_autofree char *name = g_strdelimit (g_strconcat (self->name, ".npy", NULL), "/", '_');

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_response), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
ph_tensor_view_dispose (GObject *object)
{
  PhTensorView *self = PH_TENSOR_VIEW (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->tensor, ph_tensor_unref);
  g_clear_pointer (&self->summary, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_TENSOR_VIEW);
  G_OBJECT_CLASS (ph_tensor_view_parent_class)->dispose (object);
}

static void
ph_tensor_view_finalize (GObject *object)
{
  g_free (PH_TENSOR_VIEW (object)->name);
  G_OBJECT_CLASS (ph_tensor_view_parent_class)->finalize (object);
}

static void
ph_tensor_view_class_init (PhTensorViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_tensor_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = ph_tensor_view_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/tensor-view.ui");
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, content);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, stats);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, message);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, elements);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, low);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, high);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, place);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, range);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, save);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, histogram);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, heat_map);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, slice_box);
  gtk_widget_class_bind_template_child (widget_class, PhTensorView, slice_adjustment);
  gtk_widget_class_bind_template_callback (widget_class, on_slice_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_save);
}

static void
ph_tensor_view_init (PhTensorView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  ph_access_name_all (GTK_WIDGET (self));
  gtk_drawing_area_set_draw_func (self->histogram, draw_histogram, self, NULL);
  gtk_drawing_area_set_draw_func (self->heat_map, draw_heat_map, self, NULL);
}

GtkWidget *
ph_tensor_view_new (PhTensor *tensor, const char *name)
{
  PhTensorView *self = g_object_new (PH_TYPE_TENSOR_VIEW, NULL);
  g_autofree char *elements = ph_tensor_to_string (tensor, ELEMENTS_SHOWN);

  self->tensor = ph_tensor_ref (tensor);
  self->name = g_strdup (name);
  gtk_label_set_text (self->elements, elements);
  compute (self);
  return GTK_WIDGET (self);
}
