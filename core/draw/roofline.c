/* roofline.c: how far each node is below the limits of the machine.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/roofline.h"

#include <math.h>
#include <string.h>

#include "core/draw/draw-private.h"
#include "core/number.h"
#include "core/run/peaks.h"

/* Marks text for translation; the window translates it. */
#define N_(text) text

#define SVG_WIDTH  760.0
#define SVG_HEIGHT 480.0
#define LEFT       56.0 /* of the plot */
#define RIGHT      16.0
#define TOP        28.0
#define BOTTOM     42.0
#define LINE       18.0 /* of the legend */
#define LETTER     7.0  /* about the width of one */
#define LEAST      3.0  /* radii of dots */
#define MOST       22.0
#define REACH      2.0 /* points around a dot at which it is still meant */

typedef struct
{
  GArray *marks;
  PhTheme theme;
  double x0, x1, y0, y1;                 /* log10 of the axes' ranges: flop per byte, Gflop per second */
  double left, right, top, bottom;       /* of the plot */
  double most;                           /* the largest radius */
  GPtrArray *kernels;                    /* (element-type utf8) by name, so that each keeps its colour */
  const char *(*say) (const char *text); /* (nullable) */
} Plot;

static const char *words (const Plot *plot, const char *text) G_GNUC_FORMAT (2);

static const char *
words (const Plot *plot, const char *text)
{
  return plot->say != NULL ? plot->say (text) : text;
}

static double
across (const Plot *plot, double intensity)
{
  return plot->left + (log10 (intensity) - plot->x0) / (plot->x1 - plot->x0) * (plot->right - plot->left);
}

static double
up (const Plot *plot, double rate)
{
  return plot->bottom - (log10 (rate) - plot->y0) / (plot->y1 - plot->y0) * (plot->bottom - plot->top);
}

/* Returns the colour of text, mixed with the background. */
static PhColor
ink_color (const Plot *plot, double strength)
{
  return ph_mix (ph_theme_background (plot->theme), ph_theme_text (plot->theme), strength);
}

static void
add_text (Plot *plot, double x, double y, double at, double strength, const char *text)
{
  const PhRooflineMark mark = {
    .kind = PH_ROOFLINE_TEXT, .x = x, .y = y, .at = at, .color = ink_color (plot, strength), .text = g_utf8_make_valid (text, -1)
  };

  g_array_append_val (plot->marks, mark);
}

static void
add_line (Plot *plot, double x1, double y1, double x2, double y2, double width, double strength)
{
  const PhRooflineMark mark = {
    .kind = PH_ROOFLINE_LINE, .x = x1, .y = y1, .to_x = x2, .to_y = y2, .size = width, .color = ink_color (plot, strength)
  };

  g_array_append_val (plot->marks, mark);
}

static gboolean
is_shown (const PhNodeTime *time)
{
  return time->flops > 0 && time->bytes > 0 && time->ns > 0 && !time->inside;
}

static double
intensity_of (const PhNodeTime *time)
{
  return (double) time->flops / (double) time->bytes;
}

static double
rate_of (const PhNodeTime *time)
{
  return (double) time->flops / (double) time->ns;
}

/* Sets the axes to whole powers of ten around all points and the ridge of the roof. */
static void
find_ranges (Plot *plot, const PhNodeTime *times, guint n, const PhPeaks *peaks)
{
  const double ridge = peaks->gbytes > 0 ? peaks->gflops / peaks->gbytes : 1;
  double low = MAX (ridge, 1e-3), high = low, least = MAX (peaks->gflops, 1e-3), most = least;

  for (guint i = 0; i < n; i++)
    if (is_shown (&times[i]))
      {
        low = MIN (low, intensity_of (&times[i]));
        high = MAX (high, intensity_of (&times[i]));
        least = MIN (least, rate_of (&times[i]));
        most = MAX (most, rate_of (&times[i]));
      }
  plot->x0 = floor (log10 (low) - 0.1);
  plot->x1 = ceil (log10 (high) + 0.1);
  plot->y0 = floor (log10 (least) - 0.1);
  plot->y1 = ceil (log10 (most) + 0.1);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static guint
index_of (Plot *plot, const char *kernel)
{
  guint at;

  if (!g_ptr_array_find (plot->kernels, kernel, &at))
    {
      at = plot->kernels->len;
      g_ptr_array_add (plot->kernels, (gpointer) kernel);
    }
  return at;
}

/* Finds the kernels, and places the plot so that they have room at its right, in columns. */
static void
place (Plot *plot, const PhNodeTime *times, guint n, double width, double height, guint *rows, double *column)
{
  glong longest = 0;

  for (guint i = 0; i < n; i++)
    if (is_shown (&times[i]))
      {
        index_of (plot, times[i].kernel);
        longest = MAX (longest, g_utf8_strlen (times[i].kernel, -1));
      }
  g_ptr_array_sort (plot->kernels, by_name);
  *rows = (guint) MAX ((height - TOP) / LINE, 1);
  *column = 30 + LETTER * (double) longest;
  plot->left = LEFT;
  plot->top = TOP;
  plot->bottom = MAX (height - BOTTOM, TOP + 1);
  plot->right = MAX (width - RIGHT - *column * ((plot->kernels->len + *rows - 1) / *rows), LEFT + 1);
  plot->most = CLAMP ((plot->bottom - plot->top) / 12, LEAST, MOST);
}

static void
add_axes (Plot *plot)
{
  double last = G_MAXDOUBLE;

  for (double at = plot->x0; at <= plot->x1; at++)
    {
      g_autofree char *label = ph_number_to_string ("%g", pow (10, at));
      const double x = across (plot, pow (10, at));

      add_line (plot, x, plot->top, x, plot->bottom, 1, 0.15);
      add_text (plot, x, plot->bottom + 12, 0.5, 0.8, label);
    }
  for (double at = plot->y0; at <= plot->y1; at++)
    {
      g_autofree char *label = ph_number_to_string ("%g", pow (10, at));
      const double y = up (plot, pow (10, at));

      add_line (plot, plot->left, y, plot->right, y, 1, 0.15);
      if (last - y < LINE - 4)
        continue;
      add_text (plot, plot->left - 8, y, 1, 0.8, label);
      last = y;
    }
  add_text (plot, (plot->left + plot->right) / 2, plot->bottom + 30, 0.5, 0.8,
            words (plot, N_ ("operations for each byte that is read or written")));
  add_text (plot, 8, plot->top - 16, 0, 0.8, "Gflop/s");
}

static void
add_roof (Plot *plot, const PhPeaks *peaks)
{
  g_autofree char *gflops = ph_number_to_string ("%.3g", peaks->gflops),
                  *compute = g_strdup_printf (words (plot, N_ ("%s Gflop/s, a large product")), gflops);
  g_autofree char *gbytes = ph_number_to_string ("%.3g", peaks->gbytes),
                  *memory = g_strdup_printf (words (plot, N_ ("%s GB/s, a copy")), gbytes);
  const double left = pow (10, plot->x0), right = pow (10, plot->x1), bottom = pow (10, plot->y0);
  const double ridge = CLAMP (peaks->gbytes > 0 ? peaks->gflops / peaks->gbytes : left, left, right);
  double from = left;

  if (peaks->gflops <= 0 || peaks->gbytes <= 0)
    return;
  if (ph_peaks_roof (peaks, left) < bottom)
    from = bottom / peaks->gbytes;

  const double x = across (plot, from), y = up (plot, ph_peaks_roof (peaks, from)), top = up (plot, peaks->gflops);

  add_line (plot, x, y, across (plot, ridge), top, 2, 0.7);
  add_line (plot, across (plot, ridge), top, plot->right, top, 2, 0.7);
  add_text (plot, plot->right - 4, top - 10, 1, 0.7, compute);
  /* Above the slope, in its middle. */
  add_text (plot, (x + across (plot, ridge)) / 2 - 8, (y + top) / 2 - 12, 1, 0.7, memory);
}

/* Says how many nodes the picture leaves out. */
static void
add_missing (Plot *plot, const PhNodeTime *times, guint n)
{
  guint missing = 0, all = 0;

  for (guint i = 0; i < n; i++)
    if (!times[i].inside)
      {
        missing += !is_shown (&times[i]);
        all++;
      }
  if (missing == 0)
    return;
  g_autofree char *text = g_strdup_printf (words (plot, N_ ("%u of %u nodes without a dot: no operations to count")), missing,
                                           all);
  add_text (plot, plot->right - 4, plot->top - 16, 1, 0.8, text);
}

static PhColor
kernel_color (Plot *plot, const char *kernel, double alpha)
{
  PhColor color = ph_name_color (index_of (plot, kernel), plot->theme);

  color.alpha = alpha;
  return color;
}

/* Says all about a node in a line. (transfer full) */
static char *
describe (const Plot *plot, const PhNodeTime *time, const PhNode *node, const PhPeaks *peaks, double share)
{
  g_autofree char *label = node != NULL ? ph_node_label (node)
                                        : g_strdup_printf (words (plot, N_ ("n%u, not at this position")), time->node);
  const gboolean brief = time->ns < 1000000;
  g_autofree char *took = ph_number_to_string ("%.3g", (double) time->ns / (brief ? 1e3 : 1e6)),
                  *part = ph_number_to_string ("%.1f", 100 * share);
  g_autofree char *rate = ph_number_to_string ("%.3g", rate_of (time)),
                  *bytes = ph_number_to_string ("%.3g", (double) time->bytes / (double) time->ns);
  g_autofree char *text = g_strdup_printf (
      words (plot, N_ ("%s: %s, %s %s, %s%% of the time, %s Gflop/s, %s GB/s, %.0f%% of the roof")), label, time->kernel, took,
      brief ? "µs" : "ms", part, rate, bytes, 100 * ph_peaks_reached (peaks, time));

  return g_utf8_make_valid (text, -1);
}

static void
add_node (Plot *plot, const PhNodeTime *time, const PhNode *node, const PhPeaks *peaks, gint64 total)
{
  const double share = total > 0 ? (double) time->ns / (double) total : 0;
  const PhRooflineMark mark = { .kind = PH_ROOFLINE_DOT,
                                .x = across (plot, intensity_of (time)),
                                .y = up (plot, rate_of (time)),
                                .size = CLAMP (plot->most * sqrt (share * 2), LEAST, plot->most),
                                .color = kernel_color (plot, time->kernel, 0.7),
                                .text = describe (plot, time, node, peaks, share),
                                .node = time->node };

  g_array_append_val (plot->marks, mark);
}

static void
add_legend (Plot *plot, guint rows, double column)
{
  for (guint i = 0; i < plot->kernels->len; i++)
    {
      const double x = plot->right + 20 + column * (i / rows), y = TOP + LINE * (i % rows) + LINE / 2;
      const PhRooflineMark mark
          = { .kind = PH_ROOFLINE_DOT, .x = x, .y = y, .size = 5, .color = kernel_color (plot, plot->kernels->pdata[i], 1) };

      g_array_append_val (plot->marks, mark);
      add_text (plot, x + 9, y, 0, 0.8, plot->kernels->pdata[i]);
    }
}

static void
clear_mark (gpointer data)
{
  g_free (((PhRooflineMark *) data)->text);
}

GArray *
ph_roofline_marks (const PhProfile *profile, PhModel *model, const char *(*say) (const char *text), PhTheme theme, double width,
                   double height)
{
  const PhPeaks *peaks = ph_profile_peaks (profile);
  g_autoptr (GPtrArray) kernels = g_ptr_array_new ();
  Plot plot = { .marks = g_array_new (FALSE, FALSE, sizeof (PhRooflineMark)), .theme = theme, .kernels = kernels, .say = say };
  double column;
  guint n, rows;
  const PhNodeTime *times = ph_profile_times (profile, &n);

  g_array_set_clear_func (plot.marks, clear_mark);
  find_ranges (&plot, times, n, peaks);
  place (&plot, times, n, width, height, &rows, &column);
  add_axes (&plot);
  add_missing (&plot, times, n);
  add_roof (&plot, peaks);
  for (guint i = 0; i < n; i++)
    if (is_shown (&times[i]))
      add_node (&plot, &times[i], model != NULL ? ph_model_find_node (model, times[i].node) : NULL, peaks,
                ph_profile_total (profile));
  add_legend (&plot, rows, column);
  return plot.marks;
}

const PhRooflineMark *
ph_roofline_at (const GArray *marks, double x, double y)
{
  for (guint i = marks->len; i-- > 0;)
    {
      const PhRooflineMark *mark = &g_array_index (marks, PhRooflineMark, i);

      if (mark->kind == PH_ROOFLINE_DOT && mark->node != PH_NO_ID && hypot (mark->x - x, mark->y - y) <= mark->size + REACH)
        return mark;
    }
  return NULL;
}

/* --- as a picture --------------------------------------------------------------------------------------------------- */

void
ph_roofline_draw (const GArray *marks, cairo_t *cr, PhInk *ink, PhTheme theme, PhId selected)
{
  const PhRooflineMark *ringed = NULL;

  for (guint i = 0; i < marks->len; i++)
    {
      const PhRooflineMark *mark = &g_array_index (marks, PhRooflineMark, i);

      ph_set_color (cr, mark->color);
      if (mark->kind == PH_ROOFLINE_TEXT)
        ph_ink_show (cr, ink, PH_INK_TEXT, mark->text, mark->x, mark->y, mark->at, 0);
      else if (mark->kind == PH_ROOFLINE_LINE)
        {
          cairo_move_to (cr, mark->x, mark->y);
          cairo_line_to (cr, mark->to_x, mark->to_y);
          cairo_set_line_width (cr, mark->size);
          cairo_stroke (cr);
        }
      else
        {
          cairo_new_path (cr); /* text leaves a point, from which a line would lead here */
          cairo_arc (cr, mark->x, mark->y, mark->size, 0, 2 * G_PI);
          cairo_fill_preserve (cr);
          cairo_set_line_width (cr, 0.5);
          ph_set_color (cr, ph_theme_text (theme));
          cairo_stroke (cr);
          if (mark->node != PH_NO_ID && mark->node == selected)
            ringed = mark;
        }
    }
  if (ringed == NULL)
    return;
  cairo_new_path (cr);
  cairo_arc (cr, ringed->x, ringed->y, ringed->size + 3, 0, 2 * G_PI);
  cairo_set_line_width (cr, 3);
  ph_set_color (cr, ph_theme_accent (theme));
  cairo_stroke (cr);
}

/* --- as a file ------------------------------------------------------------------------------------------------------- */

/* " name="12.3"": numbers in SVG have a point wherever one is. */
static void
add_number (GString *out, const char *name, double number)
{
  g_autofree char *text = ph_number_to_string ("%.1f", number);

  g_string_append_printf (out, " %s=\"%s\"", name, text);
}

static void
write_color (GString *out, const char *name, PhColor color)
{
  g_string_append_printf (out, " %s=\"#%02x%02x%02x\"", name, (guint) round (color.red * 255), (guint) round (color.green * 255),
                          (guint) round (color.blue * 255));
}

static void
write_mark (GString *out, const PhRooflineMark *mark)
{
  static const char *const anchors[] = { "start", "middle", "end" };
  g_autofree char *text = mark->text != NULL ? g_markup_escape_text (mark->text, -1) : NULL;

  if (mark->kind == PH_ROOFLINE_LINE)
    {
      g_string_append (out, "<line");
      add_number (out, "x1", mark->x);
      add_number (out, "y1", mark->y);
      add_number (out, "x2", mark->to_x);
      add_number (out, "y2", mark->to_y);
      add_number (out, "stroke-width", mark->size);
      write_color (out, "stroke", mark->color);
      g_string_append (out, "/>\n");
    }
  else if (mark->kind == PH_ROOFLINE_TEXT)
    {
      g_string_append (out, "<text");
      add_number (out, "x", mark->x);
      add_number (out, "y", mark->y + 4); /* of the baseline */
      write_color (out, "fill", mark->color);
      g_string_append_printf (out, " text-anchor=\"%s\">%s</text>\n", anchors[CLAMP ((int) (mark->at * 2), 0, 2)], text);
    }
  else
    {
      g_string_append (out, "<circle");
      add_number (out, "cx", mark->x);
      add_number (out, "cy", mark->y);
      add_number (out, "r", mark->size);
      add_number (out, "fill-opacity", mark->color.alpha);
      write_color (out, "fill", mark->color);
      if (text != NULL)
        g_string_append_printf (out, " stroke=\"#333\" stroke-width=\"0.5\"><title>%s</title></circle>\n", text);
      else
        g_string_append (out, "/>\n");
    }
}

char *
ph_roofline_svg (const PhProfile *profile, PhModel *model)
{
  GString *out = g_string_new (NULL);
  g_autoptr (GArray) marks = ph_roofline_marks (profile, model, NULL, PH_THEME_LIGHT, SVG_WIDTH, SVG_HEIGHT);

  g_string_append_printf (
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>Roofline</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT);
  for (guint i = 0; i < marks->len; i++)
    write_mark (out, &g_array_index (marks, PhRooflineMark, i));
  g_string_append (out, "</svg>\n");
  return g_string_free (out, FALSE);
}
