/* layout.c: time and memory from a model to a picture, for made-up transformers or for files.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/draw/draw.h"
#include "core/draw/export.h"
#include "core/io/io.h"
#include "core/scene/scene.h"
#include "passes/pass.h"
#include "tests/bench/stability.h"
#include "tests/bench/transformer.h"

static gboolean grouped, quick, engines, gradient, mask = TRUE, unscoped, stability;
static char *output, *window, *dump, *saved;
static PhStabilityOptions stable;
static int engine, open_all = 400;
static const GOptionEntry entries[] = {
  { "grouped", 'g', 0, G_OPTION_ARG_NONE, &grouped, "Group by scope or region", NULL },
  { "open-all", 'a', 0, G_OPTION_ARG_INT, &open_all, "Open groups while at most N boxes show", "N" },
  { "engines", 't', 0, G_OPTION_ARG_NONE, &engines, "A table: who drew, dot's picture beside our own", NULL },
  { "gradient", 0, 0, G_OPTION_ARG_NONE, &gradient, "With the gradient of the first output", NULL },
  { "quick", 'q', 0, G_OPTION_ARG_NONE, &quick, "The layered layout only", NULL },
  { "engine", 'e', 0, G_OPTION_ARG_INT, &engine, "0 the better one, 1 dot, 2 layered", "N" },
  { "unscoped", 'u', 0, G_OPTION_ARG_NONE, &unscoped, "Names without scopes", NULL },
  { "no-mask", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &mask, "No value that feeds every block", NULL },
  { "stability", 's', 0, G_OPTION_ARG_NONE, &stability, "The layout of a whole history against its single positions", NULL },
  { "samples", 'r', 0, G_OPTION_ARG_INT, &stable.samples, "With -s: rewrites that are laid out alone too", "N" },
  { "pipeline", 'p', 0, G_OPTION_ARG_STRING, &stable.pipeline, "With -s: only O2, O3 or train", "NAME" },
  { "positions", 0, 0, G_OPTION_ARG_NONE, &stable.positions, "With -s: every position by itself, too", NULL },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write the picture", "FILE" },
  { "dump", 'd', 0, G_OPTION_ARG_FILENAME, &dump, "Write boxes and edges as JSON, for another program to lay out", "FILE" },
  { "model", 'm', 0, G_OPTION_ARG_FILENAME, &saved, "Write the model, as ONNX", "FILE" },
  { "window", 'w', 0, G_OPTION_ARG_STRING, &window, "Only a part of the picture, as a PNG", "X,Y,WIDTH,HEIGHT,SCALE" },
  { NULL }
};

/* One row: who drew, and both pictures as far as they were tried. Crossings, lines over boxes, pairs off their row, size. */
static void
print_engines (PhScene *scene, const char *name)
{
  PhLayoutJudgement pictures[2];
  const char *reason = ph_scene_judgements (scene, &pictures[0], &pictures[1]);
  PhCrossings crossings;
  guint over, shown = 0;
  float ms;
  const PhLayoutEngine drawn_by = ph_scene_drawn_by (scene, &ms);

  ph_scene_count_faults (scene, 0, &crossings, &over);
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    shown += ph_scene_box (scene, b)->shown;
  printf ("| %s | %u | %s | %.0f | %" G_GUINT64_FORMAT " | %u |", name, shown, ph_layout_engine_name (drawn_by), ms, crossings.n,
          over);
  for (int i = 0; i < 2; i++)
    if (pictures[i].there)
      printf (" %.0f, %u, %u | %.0fx%.0f | %.1f |", pictures[i].crossings, pictures[i].over, pictures[i].off_row,
              pictures[i].width, pictures[i].height, pictures[i].ms);
    else
      printf (" | | |");
  printf (" %s |\n", reason != NULL ? reason : "");
}

/* As a file has it, without a history. */
static gboolean
add_gradient (PhModel *model)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  const char *arguments[] = { NULL, NULL };

  options.allow = PH_ROUNDING;
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, NULL);
  if (model->graph->outputs->len == 0)
    return FALSE;
  arguments[0] = ((PhValue *) model->graph->outputs->pdata[0])->name;
  options.arguments = arguments;
  return ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, NULL);
}

static gboolean
save_window (PhScene *scene)
{
  PhDrawOptions options = { .scale = 1 };
  double x, y, w, h, scale;
  g_autoptr (PhInk) ink = ph_ink_new ();
  cairo_surface_t *surface;
  cairo_t *cr;
  gboolean ok;

  if (sscanf (window, "%lf,%lf,%lf,%lf,%lf", &x, &y, &w, &h, &scale) != 5)
    return FALSE;
  options.scale = scale;
  options.clip = (PhRect) { x, y, w / scale, h / scale };
  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, w, h);
  cr = cairo_create (surface);
  cairo_scale (cr, scale, scale);
  cairo_translate (cr, -x, -y);
  ph_scene_draw (scene, cr, ink, &options);
  cairo_destroy (cr);
  ok = cairo_surface_write_to_png (surface, output) == CAIRO_STATUS_SUCCESS;
  cairo_surface_destroy (surface);
  return ok;
}

/* {"boxes": [[width, height], ...], "edges": [[from, to], ...]} of all that is shown and not in a group. */
static gboolean
save_graph (PhScene *scene, const char *path)
{
  g_autoptr (GString) text = g_string_new ("{\"boxes\": [");
  g_autofree int *index = g_new (int, ph_scene_n_boxes (scene) + 1);
  int n = 0;

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, b);

      index[b] = box->shown && box->parent < 0 ? n++ : -1;
      if (index[b] >= 0)
        g_string_append_printf (text, "%s[%d, %d]", n > 1 ? ", " : "", (int) box->rect.width, (int) box->rect.height);
    }
  g_string_append (text, "],\n\"edges\": [");
  n = 0;
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);

      if (index[edge->from] >= 0 && index[edge->to] >= 0 && edge->from != edge->to)
        g_string_append_printf (text, "%s[%d, %d]", n++ > 0 ? ", " : "", index[edge->from], index[edge->to]);
    }
  g_string_append (text, "]}\n");
  return g_file_set_contents (path, text->str, text->len, NULL);
}

int
main (int argc, char *argv[])
{
  g_autoptr (GOptionContext) context = g_option_context_new ("NODES|FILE...");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  if (stability)
    ph_bench_stability_title ();
  else if (engines)
    printf (
        "| graph | boxes | shown | ms | x | over | own: x, over, off row | own: size | ms | dot: x, over, off row | dot: size | ms "
        "| why not dot |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  else
    printf ("%-34s %8s %8s %8s %10s %8s %10s\n", "graph", "nodes", "shown", "edges", "ms", "MiB", "size");
  for (int i = 1; i < argc; i++)
    {
      const int nodes = atoi (argv[i]);
      PhModel *model = nodes > 0 ? ph_bench_transformer (nodes, mask, !unscoped) : ph_io_open (argv[i], NULL, NULL, &error);
      const PhSceneOptions options
          = { .by_scope = grouped, .open_all = open_all, .engine = engine, .seconds = 20, .quick = quick };
      g_autoptr (PhScene) scene = NULL;
      struct rusage usage;
      gint64 start;
      guint n, shown = 0;

      if (model == NULL)
        {
          g_printerr ("%s\n", error->message);
          return 1;
        }
      if (saved != NULL && !ph_io_save (model, saved, NULL, &error))
        {
          g_printerr ("%s\n", error->message);
          return 1;
        }
      if (stability)
        {
          stable.engine = engine;
          ph_bench_stability (model, argv[i], &stable);
          continue;
        }
      if (gradient && !add_gradient (model))
        {
          g_autofree char *base = g_path_get_basename (argv[i]);

          printf (engines ? "| %s | no gradient | | | | | | | | | | | |\n" : "%s has no gradient\n", base);
          ph_model_free (model);
          continue;
        }
      n = ph_model_n_nodes (model, TRUE);
      start = g_get_monotonic_time ();
      scene = ph_scene_new (model, NULL, &options, NULL, &error);
      if (scene == NULL)
        {
          g_printerr ("%s\n", error->message);
          return 1;
        }
      if (engines)
        {
          g_autofree char *base = g_path_get_basename (argv[i]);

          print_engines (scene, base);
        }
      for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
        shown += ph_scene_box (scene, b)->shown;
      getrusage (RUSAGE_SELF, &usage);
      if (!engines)
        printf ("%-34s %8u %8u %8u %10.1f %8ld %5.0fx%-6.0f%s\n", argv[i], n, shown, ph_scene_n_edges (scene),
                (g_get_monotonic_time () - start) / 1000.0, usage.ru_maxrss / 1024, ph_scene_width (scene),
                ph_scene_height (scene), ph_scene_is_coarse (scene) ? " coarse" : "");
      if (dump != NULL)
        save_graph (scene, dump);
      if (output != NULL && window != NULL)
        save_window (scene);
      else if (output != NULL && !ph_scene_save (scene, output, 0, 0, PH_THEME_LIGHT, NULL, &error))
        {
          g_printerr ("%s\n", error->message);
          return 1;
        }
    }
  return 0;
}
