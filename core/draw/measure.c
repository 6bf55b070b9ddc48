/* measure.c: a number or name for each node, computed from the model or given.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/paint-private.h"
#include "core/ops/op.h"
#include "core/run/peaks.h"

/* The source of a mode's colours. */
typedef enum
{
  OF_MODEL,
  OF_PROFILE,
  OF_ELSEWHERE
} Origin;

/* clang-format off */
static const struct { const char *name, *title; Origin origin; } modes[PH_N_COLOR_MODES] = {
  [PH_COLOR_FAMILY] = { "kind", "Operator kind" },
  [PH_COLOR_ROLE] = { "role", "Role" },
  [PH_COLOR_DEVICE] = { "device", "Device" },
  [PH_COLOR_COST] = { "cost", "Cost" },
  [PH_COLOR_MEMORY] = { "memory", "Memory of the outputs" },
  [PH_COLOR_TIME] = { "time", "Time", OF_PROFILE },
  [PH_COLOR_KERNEL] = { "kernel", "Kernel that ran it", OF_PROFILE },
  [PH_COLOR_LAYOUT] = { "layout", "Order of the result in memory", OF_PROFILE },
  [PH_COLOR_ROOF] = { "roof", "Distance to what the machine can do", OF_PROFILE },
  [PH_COLOR_ERROR] = { "error", "Difference of the values", OF_ELSEWHERE },
  [PH_COLOR_QUERY] = { "query", "Result of the query", OF_ELSEWHERE },
};
/* clang-format on */

const char *
ph_color_mode_name (PhColorMode mode)
{
  return modes[mode].name;
}
const char *
ph_color_mode_title (PhColorMode mode)
{
  return modes[mode].title;
}
gboolean
ph_color_mode_is_given (PhColorMode mode)
{
  return modes[mode].origin != OF_MODEL;
}
gboolean
ph_color_mode_is_measured (PhColorMode mode)
{
  return modes[mode].origin == OF_PROFILE;
}

gboolean
ph_color_mode_find (const char *name, PhColorMode *mode)
{
  for (int i = 0; i < PH_N_COLOR_MODES; i++)
    if (g_strcmp0 (modes[i].name, name) == 0)
      {
        *mode = i;
        return TRUE;
      }
  return FALSE;
}

static PhMeasure *
measure_new (PhColorMode mode, const char *title, const char *unit, GHashTable *numbers, GHashTable *names)
{
  PhMeasure *measure = g_new0 (PhMeasure, 1);

  g_atomic_ref_count_init (&measure->ref_count);
  measure->mode = mode;
  measure->title = g_strdup (title != NULL ? title : modes[mode].title);
  measure->unit = g_strdup (unit != NULL ? unit : "");
  measure->numbers = numbers;
  measure->names = names;
  return measure;
}

PhMeasure *
ph_measure_new_numbers (PhColorMode mode, const char *title, const char *unit, GHashTable *numbers)
{
  return measure_new (mode, title, unit, numbers, NULL);
}

PhMeasure *
ph_measure_new_names (PhColorMode mode, const char *title, GHashTable *names)
{
  return measure_new (mode, title, NULL, NULL, names);
}

static void
measure_graph (PhGraph *graph, PhMeasure *measure)
{
  PH_FOREACH_NODE (node, graph)
    {
      double number = 0;

      if (measure->mode == PH_COLOR_DEVICE)
        {
          if (node->device != NULL && *node->device != 0)
            g_hash_table_insert (measure->names, GUINT_TO_POINTER (node->id), g_strdup (node->device));
        }
      else if (measure->mode == PH_COLOR_COST)
        number = ph_node_flops (node);
      else
        for (guint i = 0; i < node->outputs->len && number >= 0; i++)
          {
            const PhValue *value = node->outputs->pdata[i];
            const gint64 bytes = value->type != NULL ? ph_type_bytes (value->type) : -1;

            number = bytes < 0 ? -1 : number + bytes;
          }
      if (measure->by_id != NULL && number >= 0)
        measure->by_id[node->id] = number;
      for (guint i = 0; node->graphs != NULL && !ph_node_is_fused (node) && i < node->graphs->len; i++)
        measure_graph (node->graphs->pdata[i], measure);
    }
}

PhMeasure *
ph_measure_new_of_model (PhModel *model, PhColorMode mode)
{
  const gboolean numbers = mode == PH_COLOR_COST || mode == PH_COLOR_MEMORY;
  PhMeasure *measure;

  if (ph_color_mode_is_given (mode))
    return NULL;
  measure = measure_new (mode, NULL,
                         mode == PH_COLOR_COST     ? "FLOP"
                         : mode == PH_COLOR_MEMORY ? "B"
                                                   : NULL,
                         NULL, mode == PH_COLOR_DEVICE ? g_hash_table_new_full (NULL, NULL, NULL, g_free) : NULL);
  if (numbers)
    {
      measure->n_ids = model->next_id;
      measure->by_id = g_new (double, measure->n_ids + 1);
      for (guint id = 0; id < measure->n_ids; id++)
        measure->by_id[id] = NAN;
    }
  if (mode != PH_COLOR_FAMILY && mode != PH_COLOR_ROLE)
    measure_graph (model->graph, measure);
  return measure;
}

PhMeasure *
ph_measure_new_of_profile (const PhProfile *profile, PhColorMode mode)
{
  GHashTable *table = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint n;
  const PhNodeTime *times = ph_profile_times (profile, &n);

  for (guint i = 0; i < n; i++)
    {
      const double reached = mode == PH_COLOR_ROOF ? ph_peaks_reached (ph_profile_peaks (profile), &times[i]) : 0;
      const double number = mode == PH_COLOR_ROOF ? CLAMP (1 - reached, 0, 1) : (double) times[i].ns / 1e9;
      gpointer entry = mode == PH_COLOR_KERNEL   ? (gpointer) g_strdup (times[i].kernel)
                       : mode == PH_COLOR_LAYOUT ? (gpointer) g_strdup (times[i].layout)
                                                 : g_memdup2 (&number, sizeof number);

      if (entry != NULL && reached >= 0)
        g_hash_table_insert (table, GUINT_TO_POINTER (times[i].node), entry);
      else
        g_free (entry);
    }
  return mode == PH_COLOR_KERNEL || mode == PH_COLOR_LAYOUT
             ? measure_new (mode, NULL, NULL, NULL, table)
             : measure_new (mode, NULL, mode == PH_COLOR_TIME ? "s" : NULL, table, NULL);
}

PhMeasure *
ph_measure_ref (PhMeasure *measure)
{
  g_atomic_ref_count_inc (&measure->ref_count);
  return measure;
}

void
ph_measure_unref (PhMeasure *measure)
{
  if (measure == NULL || !g_atomic_ref_count_dec (&measure->ref_count))
    return;
  g_free (measure->title);
  g_free (measure->unit);
  g_clear_pointer (&measure->numbers, g_hash_table_unref);
  g_free (measure->by_id);
  g_clear_pointer (&measure->names, g_hash_table_unref);
  g_free (measure);
}
