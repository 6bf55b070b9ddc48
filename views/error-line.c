/* error-line.c: bars for the differences of two positions' values, from the first value to the last.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/error-line.h"

#include <adwaita.h>

#include "core/draw/draw.h"

#define HEIGHT 34
#define LEAST  3.0f /* points, of a bar                      */
#define WIDEST 18.0f
#define FLAT   2.0f /* height of a bar where nothing differs */

struct _PhErrorLine
{
  GtkWidget parent_instance;
  GArray *errors; /* (element-type double) relative */
  guint selected; /* G_MAXUINT: none                */
};

G_DEFINE_FINAL_TYPE (PhErrorLine, ph_error_line, GTK_TYPE_WIDGET)

static guint signal_value_chosen;

/* Returns the number of bars; with too many values, one bar represents several. */
static guint
count_bars (PhErrorLine *self, float *width)
{
  const float room = (float) gtk_widget_get_width (GTK_WIDGET (self));
  const guint n = MIN (self->errors->len, MAX ((guint) (room / LEAST), 1));

  *width = n > 0 ? MIN (room / (float) n, WIDEST) : 0;
  return n;
}

static guint
first_of (PhErrorLine *self, guint bar, guint n)
{
  return (guint) ((guint64) bar * self->errors->len / n);
}

/* Returns the value with the largest error in the bar. */
static guint
worst_of (PhErrorLine *self, guint bar, guint n)
{
  guint worst = first_of (self, bar, n);

  for (guint i = worst + 1; i < first_of (self, bar + 1, n); i++)
    if (g_array_index (self->errors, double, i) > g_array_index (self->errors, double, worst))
      worst = i;
  return worst;
}

static guint
bar_of (PhErrorLine *self, guint index, guint n)
{
  guint bar = (guint) ((guint64) index * n / self->errors->len);

  while (bar + 1 < n && first_of (self, bar + 1, n) <= index)
    bar++;
  return bar;
}

static void
ph_error_line_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PhErrorLine *self = PH_ERROR_LINE (widget);
  const float height = (float) gtk_widget_get_height (widget);
  const PhTheme theme = adw_style_manager_get_dark (adw_style_manager_get_default ()) ? PH_THEME_DARK : PH_THEME_LIGHT;
  GdkRGBA text;
  float width;
  const guint n = count_bars (self, &width),
              selected = self->selected < self->errors->len ? bar_of (self, self->selected, n) : G_MAXUINT;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &text);
  for (guint bar = 0; bar < n; bar++)
    {
      const double level = ph_along_level (g_array_index (self->errors, double, worst_of (self, bar, n)));
      const PhColor heat = ph_heat_color ((float) level, theme);
      const GdkRGBA color = level > 0 ? (GdkRGBA) { (float) heat.red, (float) heat.green, (float) heat.blue, 1 }
                                      : (GdkRGBA) { text.red, text.green, text.blue, 0.3f };
      const float tall = MAX ((float) level * height, FLAT), gap = width > LEAST ? 1 : 0;

      if (bar == selected)
        gtk_snapshot_append_color (snapshot, &(GdkRGBA) { text.red, text.green, text.blue, 0.15f },
                                   &GRAPHENE_RECT_INIT ((float) bar * width, 0, MAX (width, LEAST), height));
      gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT ((float) bar * width, height - tall, width - gap, tall));
    }
}

static void
ph_error_line_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : 40;
}

static void
on_pressed (PhErrorLine *self, int n_press, double x)
{
  float width;
  const guint n = count_bars (self, &width), bar = width > 0 ? (guint) (MAX (x, 0) / width) : 0;

  if (bar < n)
    g_signal_emit (self, signal_value_chosen, 0, worst_of (self, bar, n));
}

void
ph_error_line_set_along (PhErrorLine *self, const PhAlong *along)
{
  g_return_if_fail (PH_IS_ERROR_LINE (self));

  g_array_set_size (self->errors, 0);
  for (guint i = 0; along && i < along->values->len; i++)
    g_array_append_val (self->errors, g_array_index (along->values, PhAlongValue, i).error);
  self->selected = G_MAXUINT;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
ph_error_line_set_selected (PhErrorLine *self, guint index)
{
  g_return_if_fail (PH_IS_ERROR_LINE (self));

  self->selected = index;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

float
ph_error_line_get_x (PhErrorLine *self, guint index)
{
  float width;
  const guint n = count_bars (self, &width);

  return ((float) bar_of (self, index, n) + 0.5f) * width;
}

static void
ph_error_line_finalize (GObject *object)
{
  g_array_unref (PH_ERROR_LINE (object)->errors);
  G_OBJECT_CLASS (ph_error_line_parent_class)->finalize (object);
}

static void
ph_error_line_class_init (PhErrorLineClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = ph_error_line_finalize;
  widget_class->snapshot = ph_error_line_snapshot;
  widget_class->measure = ph_error_line_measure;
  signal_value_chosen = g_signal_new ("value-chosen", PH_TYPE_ERROR_LINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                      G_TYPE_UINT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
ph_error_line_init (PhErrorLine *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  self->errors = g_array_new (FALSE, FALSE, sizeof (double));
  self->selected = G_MAXUINT;
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}
