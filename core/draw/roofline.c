/* roofline.c: how far each node is below the limits of the machine.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/roofline.h"

#include <math.h>

#include "core/draw/draw-private.h"
#include "core/number.h"

#define WIDTH  760.0
#define HEIGHT 480.0
#define LEFT   70.0 /* of the plot */
#define RIGHT  20.0
#define TOP    40.0
#define BOTTOM 60.0
#define LEAST  3.0 /* radii of circles */
#define MOST   22.0

typedef struct
{
  GString *out;
  double x0, x1, y0, y1; /* log10 of the axes' ranges: flop per byte, Gflop per second */
  GPtrArray *kernels;    /* (element-type utf8) in the order of the legend            */
} Plot;

static double
across (const Plot *plot, double intensity)
{
  return LEFT + (log10 (intensity) - plot->x0) / (plot->x1 - plot->x0) * (WIDTH - LEFT - RIGHT);
}

static double
up (const Plot *plot, double rate)
{
  return HEIGHT - BOTTOM - (log10 (rate) - plot->y0) / (plot->y1 - plot->y0) * (HEIGHT - TOP - BOTTOM);
}

/* " name="12.3"": numbers in SVG have a point wherever one is. */
static void
add_number (GString *out, const char *name, double number)
{
  g_autofree char *text = ph_number_to_string ("%.1f", number);

  g_string_append_printf (out, " %s=\"%s\"", name, text);
}

static void
add_text (GString *out, double x, double y, const char *attributes, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1), *escaped = g_markup_escape_text (valid, -1);

  g_string_append (out, "<text");
  add_number (out, "x", x);
  add_number (out, "y", y);
  g_string_append_printf (out, " %s>%s</text>\n", attributes, escaped);
}

static void
add_line (GString *out, double x1, double y1, double x2, double y2, const char *attributes)
{
  g_string_append (out, "<line");
  add_number (out, "x1", x1);
  add_number (out, "y1", y1);
  add_number (out, "x2", x2);
  add_number (out, "y2", y2);
  g_string_append_printf (out, " %s/>\n", attributes);
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

static void
add_axes (Plot *plot)
{
  for (double at = plot->x0; at <= plot->x1; at++)
    {
      g_autofree char *label = ph_number_to_string ("%g", pow (10, at));
      const double x = across (plot, pow (10, at));

      add_line (plot->out, x, TOP, x, HEIGHT - BOTTOM, "stroke=\"#ddd\"");
      add_text (plot->out, x, HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", label);
    }
  for (double at = plot->y0; at <= plot->y1; at++)
    {
      g_autofree char *label = ph_number_to_string ("%g", pow (10, at));
      const double y = up (plot, pow (10, at));

      add_line (plot->out, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#ddd\"");
      add_text (plot->out, LEFT - 8, y + 4, "text-anchor=\"end\"", label);
    }
  add_text (plot->out, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 36, "text-anchor=\"middle\"",
            "operations for each byte that is read or written");
  add_text (plot->out, LEFT, TOP - 22, "", "Gflop/s");
}

static void
add_roof (Plot *plot, const PhPeaks *peaks)
{
  g_autofree char *gflops = ph_number_to_string ("%.3g", peaks->gflops),
                  *compute = g_strdup_printf ("%s Gflop/s, a large product", gflops);
  g_autofree char *gbytes = ph_number_to_string ("%.3g", peaks->gbytes), *memory = g_strdup_printf ("%s GB/s, a copy", gbytes);
  const double left = pow (10, plot->x0), right = pow (10, plot->x1), bottom = pow (10, plot->y0);
  const double ridge = CLAMP (peaks->gbytes > 0 ? peaks->gflops / peaks->gbytes : left, left, right);
  double from = left;

  if (peaks->gflops <= 0 || peaks->gbytes <= 0)
    return;
  if (ph_peaks_roof (peaks, left) < bottom)
    from = bottom / peaks->gbytes;
  add_line (plot->out, across (plot, from), up (plot, ph_peaks_roof (peaks, from)), across (plot, ridge),
            up (plot, peaks->gflops), "stroke=\"#555\" stroke-width=\"2\"");
  add_line (plot->out, across (plot, ridge), up (plot, peaks->gflops), WIDTH - RIGHT, up (plot, peaks->gflops),
            "stroke=\"#555\" stroke-width=\"2\"");
  add_text (plot->out, WIDTH - RIGHT - 4, up (plot, peaks->gflops) - 6, "text-anchor=\"end\" fill=\"#555\"", compute);
  add_text (plot->out, across (plot, from) + 60, up (plot, ph_peaks_roof (peaks, from)) - 10, "fill=\"#555\"", memory);
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

static char *
color_of (Plot *plot, const char *kernel)
{
  const PhColor color = ph_name_color (index_of (plot, kernel), PH_THEME_LIGHT);

  return g_strdup_printf ("#%02x%02x%02x", (guint) (color.red * 255), (guint) (color.green * 255), (guint) (color.blue * 255));
}

static void
add_node (Plot *plot, const PhNodeTime *time, const PhNode *node, const PhPeaks *peaks, gint64 total)
{
  const double share = total > 0 ? (double) time->ns / (double) total : 0;
  g_autofree char *color = color_of (plot, time->kernel),
                  *label = node != NULL ? ph_node_label (node) : g_strdup_printf ("n%u", time->node);
  g_autofree char *took = ph_number_to_string ("%.3f", (double) time->ns / 1e6),
                  *part = ph_number_to_string ("%.1f", 100 * share);
  g_autofree char *rate = ph_number_to_string ("%.3g", rate_of (time));
  g_autofree char *title = g_strdup_printf ("%s: %s, %s ms, %s%% of the time, %s Gflop/s, %.0f%% of the roof", label,
                                            time->kernel, took, part, rate, 100 * ph_peaks_reached (peaks, time));
  g_autofree char *valid = g_utf8_make_valid (title, -1), *escaped = g_markup_escape_text (valid, -1);

  g_string_append (plot->out, "<circle");
  add_number (plot->out, "cx", across (plot, intensity_of (time)));
  add_number (plot->out, "cy", up (plot, rate_of (time)));
  add_number (plot->out, "r", CLAMP (MOST * sqrt (share * 2), LEAST, MOST));
  g_string_append_printf (plot->out,
                          " fill=\"%s\" fill-opacity=\"0.7\" stroke=\"#333\" stroke-width=\"0.5\"><title>%s</title></circle>\n",
                          color, escaped);
}

char *
ph_roofline_svg (const PhProfile *profile, PhModel *model, const PhPeaks *peaks)
{
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GPtrArray) kernels = g_ptr_array_new ();
  Plot plot = { .out = out, .kernels = kernels };
  double x = LEFT + 80;
  guint n;
  const PhNodeTime *times = ph_profile_times (profile, &n);

  g_string_append_printf (
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<title>Roofline</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      WIDTH, HEIGHT, WIDTH, HEIGHT);
  find_ranges (&plot, times, n, peaks);
  add_axes (&plot);
  add_roof (&plot, peaks);
  for (guint i = 0; i < n; i++) /* slowest first, so that smaller ones are on top */
    if (is_shown (&times[i]))
      add_node (&plot, &times[i], ph_model_find_node (model, times[i].node), peaks, ph_profile_total (profile));
  for (guint i = 0; i < kernels->len; i++)
    {
      g_autofree char *color = color_of (&plot, kernels->pdata[i]);

      g_string_append (out, "<circle");
      add_number (out, "cx", x);
      add_number (out, "cy", TOP - 26);
      g_string_append_printf (out, " r=\"5\" fill=\"%s\"/>\n", color);
      add_text (out, x + 9, TOP - 22, "", kernels->pdata[i]);
      x += 30 + 7.0 * (double) g_utf8_strlen (kernels->pdata[i], -1);
    }
  g_string_append (out, "</svg>\n");
  return g_string_free (g_steal_pointer (&out), FALSE);
}
