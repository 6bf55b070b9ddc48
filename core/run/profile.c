/* profile.c: measures the time of each node of a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/profile.h"

#include <time.h>

#include "core/graph/edit.h"
#include "core/ops/infer.h"
#include "core/run/kernels.h"
#include "core/run/peaks.h"
#include "core/run/run-private.h"

/* A node while the runs last. */
typedef struct
{
  PhNodeTime time; /* of the present run                       */
  GArray *runs;    /* (element-type gint64) ns of those before */
} Entry;

struct _PhProfile
{
  gatomicrefcount ref_count;
  GHashTable *entries; /* PhId -> Entry, until it is finished                          */
  GHashTable *origins; /* (nullable) PhId -> PhId                                      */
  GArray *candidates;  /* (element-type PhCandidate)                                   */
  GArray *totals;      /* (element-type gint64) ns per run                             */
  GArray *times;       /* (element-type PhNodeTime) the slowest first, once finished   */
  GHashTable *by_node; /* PhId -> its place in times, from 1                           */
  gint64 total;
  PhPeaks peaks;
  gboolean warm; /* the first run is over                                        */
};

gint64
ph_profile_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_array_unref (entry->runs);
  g_free (entry);
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static gint64
median (GArray *numbers)
{
  g_array_sort (numbers, compare_ns);
  return numbers->len > 0 ? g_array_index (numbers, gint64, numbers->len / 2) : 0;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const PhNodeTime *x = a, *y = b;

  return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->node > y->node) - (x->node < y->node);
}

static gint64
bytes_of (PhTensor *const *tensors, guint n)
{
  gint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    if (tensors[i] != NULL && ph_tensor_kind (tensors[i]) == PH_KIND_TENSOR)
      bytes += ph_tensor_bytes (tensors[i]);
  return bytes;
}

/* Returns the operations of the call. The model is the profile's own, so its values may take the shapes of this run, from which the
 * operator counts; later iterations of a loop may differ from the first. */
static gint64
flops_now (const PhKernel *kernel)
{
  for (guint i = 0; i < kernel->n_outputs; i++)
    {
      PhValue *value = ph_node_output (kernel->node, i);

      if (kernel->outputs[i] != NULL && value != NULL)
        ph_value_set_type (value, ph_type_of_tensor (kernel->outputs[i]), NULL);
    }
  return ph_node_flops (kernel->node);
}

/* Notes the kernel, and the order and reuse of the first output. */
static void
note_kernel (PhNodeTime *time, const PhKernel *kernel)
{
  const PhTensor *y = kernel->n_outputs > 0 ? kernel->outputs[0] : NULL;

  time->kernel = ph_node_state_name (kernel->state);
  time->packed = (gint64) ph_node_state_packed (kernel->state);
  time->layout = y != NULL && ph_tensor_kind (y) == PH_KIND_TENSOR ? ph_memory_format_name (ph_tensor_format (y)) : NULL;
  time->in_place = FALSE;
  for (guint i = 0; i < kernel->n_inputs && y != NULL; i++)
    time->in_place = time->in_place || kernel->inputs[i] == y;
}

void
ph_profile_add (PhProfile *profile, const PhKernel *kernel, gint64 ns)
{
  const PhNode *node = kernel->node;
  gpointer origin = profile->origins != NULL ? g_hash_table_lookup (profile->origins, GUINT_TO_POINTER (node->id)) : NULL;
  const PhId id = origin != NULL ? GPOINTER_TO_UINT (origin) : node->id;
  Entry *entry = g_hash_table_lookup (profile->entries, GUINT_TO_POINTER (id));

  if (entry == NULL)
    {
      entry = g_new0 (Entry, 1);
      entry->time = (PhNodeTime) { .node = id, .inside = node->graph->owner != NULL };
      entry->runs = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_hash_table_insert (profile->entries, GUINT_TO_POINTER (id), entry);
    }
  entry->time.calls++;
  entry->time.ns += ns;
  entry->time.bytes += bytes_of (kernel->inputs, kernel->n_inputs) + bytes_of (kernel->outputs, kernel->n_outputs);
  note_kernel (&entry->time, kernel);
  if (!profile->warm)
    {
      const guint first = profile->candidates->len;
      const gint64 flops = flops_now (kernel);

      if (entry->time.calls == 1)
        ph_candidates_add (profile->candidates, kernel, kernel->state->ran);
      for (guint i = first; i < profile->candidates->len; i++)
        g_array_index (profile->candidates, PhCandidate, i).node = id;
      entry->time.flops = flops < 0 || entry->time.flops < 0 ? -1 : entry->time.flops + flops;
    }
}

void
ph_profile_add_run (PhProfile *profile, gint64 ns)
{
  g_array_append_val (profile->totals, ns);
}

void
ph_profile_set_origins (PhProfile *profile, GHashTable *origins)
{
  g_clear_pointer (&profile->origins, g_hash_table_unref);
  profile->origins = origins;
}

/* Records the times of a finished run, if it counts, and resets them for the next. */
static void
end_run (PhProfile *profile, gboolean counts, gboolean is_last)
{
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, profile->entries);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      Entry *entry = data;

      if (counts)
        g_array_append_val (entry->runs, entry->time.ns);
      entry->time.ns = 0;
      if (!is_last)
        entry->time.calls = entry->time.bytes = 0;
      profile->warm = TRUE;
    }
  if (!counts)
    g_array_set_size (profile->totals, 0);
}

static void
finish (PhProfile *profile)
{
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, profile->entries);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      Entry *entry = data;

      entry->time.ns = median (entry->runs);
      g_array_append_val (profile->times, entry->time);
    }
  g_array_sort (profile->times, compare_times);
  for (guint i = 0; i < profile->times->len; i++)
    g_hash_table_insert (profile->by_node, GUINT_TO_POINTER (g_array_index (profile->times, PhNodeTime, i).node),
                         GUINT_TO_POINTER (i + 1));
  profile->total = median (profile->totals);
  g_hash_table_remove_all (profile->entries);
  g_clear_pointer (&profile->origins, g_hash_table_unref);
}

/* The progress of one run among several. */
typedef struct
{
  const PhRunOptions *outer;
  guint run, n_runs;
} Progress;

static void
run_progress (guint done, guint total, gpointer data)
{
  const Progress *progress = data;

  progress->outer->progress (progress->run * total + done, progress->n_runs * total, progress->outer->progress_data);
}

PhProfile *
ph_profile_model (PhModel *model, GHashTable *feeds, guint runs, const PhRunOptions *options, GError **error)
{
  g_autoptr (PhProfile) profile = g_new0 (PhProfile, 1);
  g_autoptr (PhModel) clone = ph_model_clone (model);
  g_autoptr (GHashTable) clone_feeds = g_hash_table_new (NULL, NULL);
  PhRunOptions own = options != NULL ? *options : (PhRunOptions) { 0 };
  Progress progress = { options, 0, MAX (runs, 1) + 1 };

  g_atomic_ref_count_init (&profile->ref_count);
  profile->entries = g_hash_table_new_full (NULL, NULL, NULL, entry_free);
  profile->candidates = g_array_new (FALSE, FALSE, sizeof (PhCandidate));
  profile->totals = g_array_new (FALSE, FALSE, sizeof (gint64));
  profile->times = g_array_new (FALSE, FALSE, sizeof (PhNodeTime));
  profile->by_node = g_hash_table_new (NULL, NULL);
  own.profile = profile;
  if (own.progress != NULL)
    {
      own.progress = run_progress;
      own.progress_data = &progress;
    }
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = clone->graph->inputs->pdata[i];
      PhTensor *tensor = feeds != NULL ? g_hash_table_lookup (feeds, model->graph->inputs->pdata[i]) : NULL;

      if (tensor == NULL)
        continue;
      ph_value_set_type (input, ph_type_of_tensor (tensor), NULL);
      g_hash_table_insert (clone_feeds, input, tensor);
    }
  ph_infer_model (clone, FALSE, NULL, NULL); /* the number of operations in bodies depends on their sizes */
  for (; progress.run < progress.n_runs; progress.run++)
    {
      g_autoptr (GHashTable) results = ph_run_model (clone, clone_feeds, NULL, &own, error);

      if (results == NULL)
        return NULL;
      end_run (profile, progress.run > 0, progress.run + 1 == progress.n_runs);
    }
  finish (profile);
  profile->peaks = ph_machine_peaks ();
  return g_steal_pointer (&profile);
}

PhProfile *
ph_profile_ref (PhProfile *profile)
{
  g_atomic_ref_count_inc (&profile->ref_count);
  return profile;
}

void
ph_profile_unref (PhProfile *profile)
{
  if (!g_atomic_ref_count_dec (&profile->ref_count))
    return;
  g_hash_table_unref (profile->entries);
  g_clear_pointer (&profile->origins, g_hash_table_unref);
  g_array_unref (profile->candidates);
  g_array_unref (profile->totals);
  g_array_unref (profile->times);
  g_hash_table_unref (profile->by_node);
  g_free (profile);
}

const PhPeaks *
ph_profile_peaks (const PhProfile *profile)
{
  return &profile->peaks;
}

guint
ph_profile_n_runs (const PhProfile *profile)
{
  return profile->totals->len;
}

gint64
ph_profile_total (const PhProfile *profile)
{
  return profile->total;
}

const PhNodeTime *
ph_profile_find (const PhProfile *profile, PhId node)
{
  const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (profile->by_node, GUINT_TO_POINTER (node)));

  return place > 0 ? &g_array_index (profile->times, PhNodeTime, place - 1) : NULL;
}

const PhNodeTime *
ph_profile_times (const PhProfile *profile, guint *n)
{
  *n = profile->times->len;
  return (const PhNodeTime *) profile->times->data;
}

const GArray *
ph_profile_candidates (const PhProfile *profile)
{
  return profile->candidates;
}
