/* frames.c: time per painted frame while the picture is panned, zoomed and stepped, on graphs of different sizes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <adwaita.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "app/window.h"
#include "core/io/io.h"
#include "core/scene/scene-read.h"
#include "tests/bench/transformer.h"
#include "views/graph-canvas.h"
#include "views/renderer.h"

#define QUIET  100000 /* µs without a frame: all that was put off until after a step is done */
#define REPEAT 33000  /* µs between two steps while their key is held down                    */

static gint64 paint_start;
static double cpu_start, cpu_total; /* ms of the main thread: what is left of a frame when nothing else runs */
static double all_start;            /* ms of all threads, between frames too                                  */
static GArray *times;               /* (element-type double) ms */
static guint n_frames;

static double
cpu_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000.0 + now.tv_nsec / 1e6;
}

static double
process_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1000.0 + now.tv_nsec / 1e6;
}

/* A new movement is measured from here. */
static void
reset (void)
{
  g_array_set_size (times, 0);
  cpu_total = 0;
  all_start = process_ms ();
}

static void
before_paint (GdkFrameClock *clock, gpointer data)
{
  paint_start = g_get_monotonic_time ();
  cpu_start = cpu_ms ();
}

static void
after_paint (GdkFrameClock *clock, gpointer data)
{
  const double ms = (g_get_monotonic_time () - paint_start) / 1000.0;

  g_array_append_val (times, ms);
  cpu_total += cpu_ms () - cpu_start;
  n_frames++;
}

static int
compare_doubles (const void *a, const void *b)
{
  return *(const double *) a < *(const double *) b ? -1 : *(const double *) a > *(const double *) b;
}

static double
percentile (double p)
{
  return times->len > 0 ? g_array_index (times, double, MIN (times->len - 1, (guint) (p * times->len))) : 0;
}

static void
frame (GtkWidget *canvas)
{
  const guint before = n_frames;

  gtk_widget_queue_draw (canvas);
  while (n_frames == before)
    g_main_context_iteration (NULL, TRUE);
}

static void
settle (GtkWidget *canvas)
{
  for (int i = 0; i < 6000 && ph_graph_canvas_is_busy (PH_GRAPH_CANVAS (canvas)); i++)
    frame (canvas);
}

/* Until nothing is painted any more. Else the wait for the display's next frame would be measured too. */
static void
rest (void)
{
  const gint64 most = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;
  gint64 quiet = g_get_monotonic_time (), now = quiet;

  for (guint seen = n_frames; now < quiet + QUIET && now < most; now = g_get_monotonic_time ())
    {
      if (!g_main_context_iteration (NULL, FALSE))
        g_usleep (500);
      if (seen != n_frames)
        quiet = now;
      seen = n_frames;
    }
}

static void
pass_time (gint64 us)
{
  const gint64 until = g_get_monotonic_time () + us;

  while (g_get_monotonic_time () < until)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (500);
}

static void
report (const char *graph, const char *what, int shown)
{
  double mean = 0;

  for (guint i = 0; i < times->len; i++)
    mean += g_array_index (times, double, i) / times->len;
  g_array_sort (times, compare_doubles);
  printf ("%-26s %-26s %7d %7u %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n", graph, what, shown, times->len, percentile (0.5),
          percentile (0.95), percentile (0.99), mean, cpu_total / MAX (times->len, 1),
          (process_ms () - all_start) / MAX (times->len, 1));
  fflush (stdout);
  reset ();
}

static int
visible (PhGraphCanvas *canvas)
{
  g_autoptr (GArray) boxes = g_array_new (FALSE, FALSE, sizeof (int));
  double x, y, zoom;

  ph_graph_canvas_get_view (canvas, &x, &y, &zoom);
  ph_scene_boxes_in (
      ph_graph_canvas_get_scene (canvas),
      &(PhRect) { x, y, gtk_widget_get_width (GTK_WIDGET (canvas)) / zoom, gtk_widget_get_height (GTK_WIDGET (canvas)) / zoom },
      boxes);
  return boxes->len;
}

static void
pan (PhGraphCanvas *canvas, const char *graph, const char *what, double x, double y, double zoom)
{
  const double across = 400 / zoom;
  int shown;

  ph_graph_canvas_set_view (canvas, x, y, zoom);
  settle (GTK_WIDGET (canvas));
  shown = visible (canvas);
  reset ();
  for (int i = 0; i < 150; i++)
    {
      ph_graph_canvas_set_view (canvas, x + across * sin (i / 14.0), y + across * (1 - cos (i / 11.0)), zoom);
      frame (GTK_WIDGET (canvas));
    }
  report (graph, what, shown);
}

static void
measure (PhDocument *document, GtkWidget *canvas, PhModel *model, const char *name)
{
  PhGraphCanvas *graph = PH_GRAPH_CANVAS (canvas);
  const gint64 start = g_get_monotonic_time ();
  struct rusage usage;
  double fit, width, height, x, y, first;

  ph_document_take_model (document, model, name, NULL);
  ph_view_state_say (ph_document_get_view (document), "view group off", NULL);
  while (ph_graph_canvas_get_scene (graph) == NULL || gtk_widget_get_width (canvas) == 0)
    g_main_context_iteration (NULL, TRUE);
  frame (canvas);
  first = (g_get_monotonic_time () - start) / 1000.0;
  settle (canvas);
  getrusage (RUSAGE_SELF, &usage);
  printf ("%s: %.0f ms to the first picture, %ld MiB\n", name, first, usage.ru_maxrss / 1024);

  width = ph_scene_width (ph_graph_canvas_get_scene (graph));
  height = ph_scene_height (ph_graph_canvas_get_scene (graph));
  fit = MIN (gtk_widget_get_width (canvas) / width, gtk_widget_get_height (canvas) / height);
  x = (width - gtk_widget_get_width (canvas) / fit) / 2;
  y = (height - gtk_widget_get_height (canvas) / fit) / 2;
  pan (graph, name, "pan, all of it", x, y, fit);
  for (int i = 0; i < 200; i++)
    {
      const double zoom = fit * pow (1.2 / fit, 0.5 - 0.5 * cos (i / 100.0 * G_PI));

      ph_graph_canvas_set_view (graph, width / 2 - gtk_widget_get_width (canvas) / zoom / 2,
                                height / 3 - gtk_widget_get_height (canvas) / zoom / 3, zoom);
      frame (canvas);
    }
  report (name, "zoom, from all to a label", 0);
  pan (graph, name, "pan, boxes of 8 pixels", width / 2, height / 3, 0.1);
  pan (graph, name, "pan, boxes of 20 pixels", width / 2, height / 3, 0.3);
  pan (graph, name, "pan, everything readable", width / 2, height / 3, 0.8);
}

/* A wall of boxes: as many as are asked for in the window at once, which no transformer gives. */
static PhModel *
wall (guint n)
{
  PhModel *model = ph_model_new ();
  const guint columns = MAX (1, (guint) sqrt (n / 1.3));
  const PhType *type = ph_type_static (PH_FLOAT, 2, (gint64[]) { 1, 64 });
  PhValue *x = ph_graph_add_input (model->graph, "x", type, NULL, G_MAXUINT, NULL);
  PhValue **row = g_new (PhValue *, columns);
  static const char *const ops[] = { "Relu", "Conv", "Add", "Reshape", "MaxPool", "Softmax" };

  for (guint i = 0; i < columns; i++)
    row[i] = x;
  for (guint k = 0; k < n; k++)
    {
      PhValue *input = row[k % columns];
      const PhNodeSpec spec = { .op_type = ops[(k / 7) % G_N_ELEMENTS (ops)],
                                .domain = "bench",
                                .inputs = &input,
                                .n_inputs = 1,
                                .n_outputs = 1,
                                .output_types = &type };

      row[k % columns] = ph_graph_add_node (model->graph, &spec, NULL)->outputs->pdata[0];
    }
  for (guint i = 0; i < columns; i++)
    ph_graph_set_output (model->graph, i, row[i], NULL);
  g_free (row);
  return model;
}

/* There and back through the history. @held: a step each time that the key repeats; else each in a window at rest. */
static void
step_through (PhDocument *document, GtkWidget *canvas, const char *name, gboolean held)
{
  PhHistory *history = ph_document_get_history (document);
  guint n_complete = 0, n = 0;
  double handlers = 0, to_frame = 0; /* ms of the main thread */

  reset ();
  for (guint step = 0; step <= 2 * history->steps->len; step++)
    {
      const guint to = step <= history->steps->len ? step : 2 * history->steps->len - step;
      gint64 start;
      double ms, cpu;

      if (held)
        pass_time (REPEAT);
      else
        rest ();
      start = g_get_monotonic_time ();
      cpu = cpu_ms ();
      ph_document_go (document, (PhPosition) { to, 0 }, NULL);
      handlers += cpu_ms () - cpu;
      frame (canvas);
      to_frame += cpu_ms () - cpu;
      g_array_set_size (times, n);
      ms = (g_get_monotonic_time () - start) / 1000.0;
      n_complete += !ph_graph_canvas_is_busy (PH_GRAPH_CANVAS (canvas));
      g_array_append_val (times, ms);
      n++;
      if (!held)
        settle (canvas);
      g_array_set_size (times, n);
    }
  printf ("%s: %u of %u steps complete in their first frame; main thread %.2f ms to it, %.2f of them before GTK\n", name,
          n_complete, n, to_frame / n, handlers / n);
  report (name, held ? "step, key held down" : "step, key to painted frame", 0);
}

static void
measure_steps (PhDocument *document, GtkWidget *canvas, PhModel *model, const char *name)
{
  PhHistory *history;
  PhJob *job;
  g_autoptr (GError) error = NULL;

  ph_document_take_model (document, model, name, NULL);
  ph_document_set_pipeline (document, "O2", &error);
  job = ph_job_new (document, (PhPosition) { 0, 0 });
  ph_job_add_pipeline (job, G_MAXUINT);
  ph_job_run (job, NULL, NULL);
  ph_document_take_job (document, job, FALSE, NULL);
  ph_job_free (job);
  history = ph_document_get_history (document);
  while (gtk_widget_get_width (canvas) == 0)
    g_main_context_iteration (NULL, TRUE);
  do
    frame (canvas);
  while (ph_graph_canvas_get_scene (PH_GRAPH_CANVAS (canvas)) == NULL
         || ph_scene_end (ph_graph_canvas_get_scene (PH_GRAPH_CANVAS (canvas))) < (int) history->rewrites->len);
  settle (canvas);
  step_through (document, canvas, name, FALSE);
  step_through (document, canvas, name, TRUE);
}

/* The canvas alone in a window, or (WHOLE) in the program's own with all its panels. */
static GtkWidget *
open_window (gboolean whole, PhDocument **document, GtkWidget **canvas)
{
  GtkWidget *window;

  if (whole)
    {
      PhApplication *application = ph_application_new ();
      PhDocumentView *view;

      g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
      g_application_register (G_APPLICATION (application), NULL, NULL);
      window = GTK_WIDGET (ph_window_new (application));
      view = ph_window_get_view (PH_WINDOW (window));
      *canvas = GTK_WIDGET (ph_document_view_get_canvas (view));
      *document = g_object_ref (ph_document_view_get_document (view));
    }
  else
    {
      window = gtk_window_new ();
      *canvas = ph_graph_canvas_new ();
      *document = ph_document_new ();
      gtk_window_set_child (GTK_WINDOW (window), *canvas);
      ph_graph_canvas_set_document (PH_GRAPH_CANVAS (*canvas), *document);
    }
  gtk_window_set_default_size (GTK_WINDOW (window), 1280, 800);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

int
main (int argc, char *argv[])
{
  GtkWidget *window, *canvas;
  g_autoptr (PhDocument) document = NULL;
  GdkFrameClock *clock;

  ph_renderer_choose ();
  g_set_prgname ("peephole");
  /* Neither session nor recent files are the user's. */
  g_setenv ("XDG_STATE_HOME", g_dir_make_tmp ("peephole-bench-XXXXXX", NULL), TRUE);
  g_setenv ("XDG_DATA_HOME", g_getenv ("XDG_STATE_HOME"), TRUE);
  g_set_application_name ("Peephole");
  adw_init ();
  times = g_array_new (FALSE, FALSE, sizeof (double));
  window = open_window (argc > 1 && g_str_equal (argv[1], "--window"), &document, &canvas);
  while (!gtk_widget_get_mapped (window))
    g_main_context_iteration (NULL, TRUE);
  clock = gtk_widget_get_frame_clock (window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (before_paint), NULL);
  g_signal_connect_after (clock, "after-paint", G_CALLBACK (after_paint), NULL);
  printf ("%-26s %-26s %7s %7s %8s %8s %8s %8s %8s %8s\n", "graph", "what", "visible", "frames", "p50 ms", "p95", "p99", "mean",
          "main", "threads");
  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], "--window"))
      continue;
    else if (g_str_has_prefix (argv[i], "step:"))
      {
        const int nodes = atoi (argv[i] + 5);
        g_autoptr (GError) error = NULL;
        PhModel *model = nodes > 0 ? ph_bench_transformer (nodes, TRUE, TRUE) : ph_io_open (argv[i] + 5, NULL, NULL, &error);

        if (model == NULL)
          g_error ("%s", error->message);
        measure_steps (document, canvas, model, strrchr (argv[i], '/') != NULL ? strrchr (argv[i], '/') + 1 : argv[i]);
      }
    else
      measure (document, canvas, wall (atoi (argv[i])), argv[i]);
  gtk_window_destroy (GTK_WINDOW (window));
  g_array_unref (times);
  return 0;
}
