/* stability.c: measures the layout of a whole history against layouts of its single positions: how far what survives a rewrite
 * moves, how much larger the picture is than the largest position alone, how often edges cross.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/stability.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/scene/scene-read.h"
#include "passes/pass.h"

/* How far the nodes of @model are at most from where they were seen first, which @places remembers. */
static double
largest_move (PhScene *scene, PhModel *model, int time, GHashTable *places)
{
  double most = 0;

  PH_FOREACH_NODE (node, model->graph)
    {
      int pill, box = ph_scene_find (scene, node->id, &pill);
      PhPoint *known = g_hash_table_lookup (places, GUINT_TO_POINTER (node->id)), at;
      PhRect rect;

      if (box < 0)
        continue;
      rect = pill >= 0 ? ph_scene_pill (scene, pill)->rect : ph_scene_card (scene, box, time, time);
      at = (PhPoint) { rect.x + rect.width / 2, rect.y + rect.height / 2 };
      if (known == NULL)
        g_hash_table_insert (places, GUINT_TO_POINTER (node->id), g_memdup2 (&at, sizeof at));
      else
        most = MAX (most, hypot (at.x - known->x, at.y - known->y));
    }
  return most;
}

static void
measure (PhModel *model, PhHistory *history, const char *name, const char *pipeline, const PhStabilityOptions *given)
{
  const PhSceneOptions options = { .seconds = 20, .engine = given->engine };
  const guint samples = given->samples;
  const gint64 start = g_get_monotonic_time ();
  g_autoptr (PhScene) whole = ph_scene_new (ph_model_clone (model), ph_history_snapshot (history), &options, NULL, NULL);
  g_autoptr (GHashTable) places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  const double ms = (g_get_monotonic_time () - start) / 1000.0;
  const guint n = history->rewrites->len, every = MAX (1, samples > 0 ? n / samples : n + 1);
  double largest = 0, largest_step = 0, worst = 0, moved = 0, area = 0;
  guint64 ours = 0, alone = 0;
  PhCrossings here = { 0, 1, 0 }, there = here;
  guint hidden, unused;
  PhPosition at = { 0, 0 };
  guint n_alone = 0, over = 0;
  int last = -1;

  ph_history_go (history, model, at, NULL);
  for (guint i = 0;; i++)
    {
      const int time = ph_scene_time (history, at);
      const PhPosition next = ph_history_next (history, at, TRUE);
      const gboolean at_step = at.rewrite == 0;

      moved = MAX (moved, largest_move (whole, model, time, places));
      if (at_step || (samples > 0 && i % every == 0))
        {
          /* A step that changed nothing looks like the one before it. */
          if (time != last)
            {
              g_autoptr (PhScene) scene = ph_scene_new (ph_model_clone (model), NULL, &options, NULL, NULL);

              ph_scene_count_faults (whole, time, &here, &hidden);
              ph_scene_count_faults (scene, 0, &there, &unused);
              over += hidden;
              area = ph_scene_width (scene) * ph_scene_height (scene);
              if (given->positions)
                printf ("  %3u.%-5u %5u boxes alone %6.0fx%-6.0f %9" G_GUINT64_FORMAT " crossings, here %9" G_GUINT64_FORMAT "\n",
                        at.step, at.rewrite, ph_scene_n_boxes (scene), ph_scene_width (scene), ph_scene_height (scene), there.n,
                        here.n);
            }
          last = time;
          largest = MAX (largest, area);
          if (at_step)
            largest_step = MAX (largest_step, area);
          ours += here.n;
          alone += there.n;
          worst = MAX (worst, (here.n + 1.0) / (there.n + 1.0));
          n_alone++;
        }
      if (ph_position_compare (next, at) == 0)
        break;
      at = next;
      ph_history_go (history, model, at, NULL);
    }
  printf (
      "%-32s %-6s %8u %6u %6u %6.2f %6.2f %6.2f %9" G_GUINT64_FORMAT " %9" G_GUINT64_FORMAT " %6.2f %6.2f %5u %7.0f  %.0fx%.0f\n",
      name, pipeline, n, n_alone, ph_scene_n_boxes (whole), moved,
      ph_scene_width (whole) * ph_scene_height (whole) / largest_step, ph_scene_width (whole) * ph_scene_height (whole) / largest,
      ours, alone, (ours + 1.0) / (alone + 1.0), worst, over, ms, ph_scene_width (whole), ph_scene_height (whole));
  fflush (stdout);
}

static void
run (PhModel *model, PhHistory *history, const char *pass, const char *argument, PhExactness allow)
{
  const char *arguments[] = { argument, NULL };
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = allow;
  options.arguments = argument != NULL ? arguments : NULL;
  if (ph_pass_find (pass) != NULL)
    ph_pass_run (ph_pass_find (pass), model, history, &options, NULL);
}

static void
run_pipeline (PhModel *model, PhHistory *history, const char *name)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);

  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    run (model, history, pipeline->passes[i], NULL, pipeline->allow);
}

void
ph_bench_stability_title (void)
{
  printf ("%-32s %-6s %8s %6s %6s %6s %6s %6s %9s %9s %6s %6s %5s %7s  %s\n", "model", "pipe", "rewrites", "alone", "boxes",
          "moved", "area", "(rw)", "crossings", "alone", "ratio", "worst", "over", "ms", "size");
}

void
ph_bench_stability (PhModel *model, const char *name, const PhStabilityOptions *options)
{
  static const char *const pipelines[] = { "O2", "O3", "train" };
  const char *base = strrchr (name, '/') != NULL ? strrchr (name, '/') + 1 : name;

  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    {
      g_autoptr (PhModel) clone = ph_model_clone (model);
      g_autoptr (PhHistory) history = ph_history_new ();

      if (options->pipeline != NULL && strcmp (options->pipeline, pipelines[i]) != 0)
        continue;
      run (clone, history, "upgrade-opset", NULL, PH_ROUNDING);
      run_pipeline (clone, history, pipelines[i]);
      if (i == 2 && clone->graph->outputs->len > 0)
        {
          run (clone, history, "autodiff", ((PhValue *) clone->graph->outputs->pdata[0])->name, PH_ROUNDING);
          run_pipeline (clone, history, "O2");
        }
      measure (clone, history, base, pipelines[i], options);
    }
  ph_model_free (model);
}
