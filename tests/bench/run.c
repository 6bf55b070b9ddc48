/* run.c: wall time of an inference, after a pipeline: see BENCHMARKS.md.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/run/profile.h"
#include "passes/pass.h"

#define MOST_RUNS 1000

static gboolean
run_pipeline (PhModel *model, const char *name, GError **error)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);
  g_autoptr (PhHistory) history = ph_history_new ();

  for (int i = -1; pipeline != NULL && (i < 0 || pipeline->passes[i] != NULL); i++)
    {
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      if (i < 0 && ph_model_opset (model, "") >= PH_OPSET_NEWEST)
        continue;
      options.allow = pipeline->allow;
      if (!ph_pass_run (ph_pass_find (i < 0 ? "upgrade-opset" : pipeline->passes[i]), model, history, &options, error))
        return FALSE;
    }
  return pipeline != NULL;
}

static PhTensor *
make_input (const PhType *type, int n_sizes, char **sizes)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  for (guint d = 0; d < type->rank; d++)
    {
      dims[d] = type->dims[d].symbol == NULL && type->dims[d].size > 0 ? type->dims[d].size : 1;
      if (d < (guint) n_sizes)
        dims[d] = g_ascii_strtoll (sizes[d], NULL, 10);
    }
  tensor = ph_tensor_new (type->dtype, type->rank, dims);
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ph_dtype_store (type->dtype, ph_tensor_writable (tensor), i,
                    type->dtype == PH_FLOAT ? (double) (i % 97) / 97 : (double) (i % 7));
  return tensor;
}

static int
compare (const void *a, const void *b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Of this process, in us: what other programs do at the same time is not in it. */
static gint64
cpu_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* ── memory ── */

static gsize most_used; /* bytes of tensors after any node, at most */

static void
note_used (const PhNode *node, PhTensor *const *outputs, gpointer data)
{
  most_used = MAX (most_used, ph_tensor_get_used ());
}

/* "VmHWM" or "VmRSS" of this process, in bytes; 0: the system does not say. */
static gsize
resident (const char *what)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL) || (line = strstr (text, what)) == NULL)
    return 0;
  return (gsize) g_ascii_strtoull (line + strlen (what) + 1, NULL, 10) * 1024;
}

/* What the first run makes this process grow by, and the greatest sum of tensors in it. */
static void
measure_memory (PhModel *model, GHashTable *feeds, double *growth, double *mapped, double *live)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) results = NULL;
  const gsize used = ph_tensor_get_used ();
  gsize before, files;
  FILE *peak = fopen ("/proc/self/clear_refs", "w");

  if (peak != NULL)
    {
      fputs ("5", peak); /* the high water mark begins anew */
      fclose (peak);
    }
  before = resident ("VmRSS:");
  files = resident ("RssFile:");
  results = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .ran = note_used }, &error);
  g_assert_no_error (error);
  *growth = ((double) resident ("VmHWM:") - (double) before) / 1e6;
  *mapped = ((double) resident ("RssFile:") - (double) files) / 1e6;
  *live = (double) (most_used - used) / 1e6;
}

/* Bytes of weights that kernels keep in an order of their own. */
static double
packed_bytes (PhModel *model, GHashTable *feeds)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhProfile) profile = ph_profile_model (model, feeds, 1, NULL, &error);
  const PhNodeTime *times;
  double sum = 0;
  guint n = 0;

  g_assert_no_error (error);
  times = ph_profile_times (profile, &n);
  for (guint i = 0; i < n; i++)
    sum += (double) times[i].packed;
  return sum;
}

/* bench-run FILE PIPELINE RUNS [SIZE,SIZE,...]: the sizes of every input. PIPELINE: "raw" leaves the file as it is. With BENCH_MEMORY in the
 * environment it says by how many MB the first run makes the process grow, and the greatest sum of tensors in it. */
int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (PhModel) model = argc > 3 ? ph_io_open (argv[1], NULL, NULL, &error) : NULL;
  g_auto (GStrv) sizes = argc > 4 ? g_strsplit (argv[4], ",", -1) : g_new0 (char *, 1);
  gint64 times[MOST_RUNS], first = 0, first_cpu = 0, least_cpu = G_MAXINT64;
  const int runs = argc > 3 ? CLAMP (atoi (argv[3]), 1, MOST_RUNS) : 0;
  double sum = 0, growth = 0, mapped = 0, live = 0;

  if (model == NULL)
    {
      g_printerr ("%s\n", error != NULL ? error->message : "usage: bench-run FILE PIPELINE RUNS [SIZE,SIZE,...]");
      return 1;
    }
  if (strcmp (argv[2], "raw") != 0 && !run_pipeline (model, argv[2], &error))
    {
      g_printerr ("%s\n", error != NULL ? error->message : "no such pipeline");
      return 1;
    }
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];

      if (input->tensor == NULL)
        g_hash_table_insert (feeds, input, make_input (input->type, (int) g_strv_length (sizes), sizes));
    }
  if (g_getenv ("BENCH_MEMORY") != NULL)
    measure_memory (model, feeds, &growth, &mapped, &live);
  for (int i = -1; i < runs; i++)
    {
      const gint64 start = g_get_monotonic_time (), before = cpu_time ();
      g_autoptr (GHashTable) results = ph_run_model (model, feeds, NULL, NULL, &error);
      const gint64 cpu = cpu_time () - before;
      const gint64 took = g_get_monotonic_time () - start;

      g_assert_no_error (error);
      if (i >= 0)
        {
          times[i] = took;
          least_cpu = MIN (least_cpu, cpu);
        }
      else
        {
          first = took;
          first_cpu = cpu;
        }
      if (i == runs - 1)
        {
          PhTensor *y = g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id));

          for (gsize k = 0; k < ph_tensor_count (y); k++)
            sum += ph_tensor_get (y, k) * (double) (k % 13 + 1);
        }
    }
  qsort (times, (size_t) runs, sizeof *times, compare);
  g_print (
      "{\"file\": \"%s\", \"pipeline\": \"%s\", \"median_ms\": %.3f, \"min_ms\": %.3f, \"cpu_ms\": %.3f, \"first_ms\": %.3f, \"first_cpu_ms\": %.3f, \"growth_mb\": %.1f, \"mapped_mb\": %.1f, \"live_mb\": %.1f, \"packed_mb\": %.1f, \"sum\": %.8g}\n",
      argv[1], argv[2], times[runs / 2] / 1e3, times[0] / 1e3, (double) least_cpu / 1e3, first / 1e3, first_cpu / 1e3, growth,
      mapped, live, g_getenv ("BENCH_MEMORY") != NULL ? packed_bytes (model, feeds) / 1e6 : 0, sum);
  return 0;
}
