/* along.c: compares the common values of two positions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/along.h"

#include <math.h>

#include "core/prove/distance.h"
#include "core/run/inputs.h"

static void
clear_value (gpointer data)
{
  PhAlongValue *value = data;

  g_free (value->name);
  g_free (value->type);
  g_free (value->why);
  g_free (value->place);
  g_free (value->expected);
  g_free (value->actual);
}

void
ph_along_free (PhAlong *along)
{
  g_array_unref (along->values);
  g_free (along);
}

/* Returns the tensors of @given, the inputs of one model, by name. */
static GHashTable *
by_name (GHashTable *given)
{
  GHashTable *named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  GHashTableIter iter;
  gpointer value, tensor;

  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    g_hash_table_insert (named, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
  return named;
}

/* Returns the value of @before that corresponds to @value of @after: of the same id, of the same name, or the same output. (nullable) */
static PhValue *
counterpart (PhModel *before, PhModel *after, const PhValue *value)
{
  PhValue *same = ph_model_find_value (before, value->id);
  guint place;

  if (same == NULL || same->graph != before->graph)
    same = ph_graph_find_value_named (before->graph, value->name);
  if (same == NULL && g_ptr_array_find (after->graph->outputs, value, &place) && place < before->graph->outputs->len)
    same = before->graph->outputs->pdata[place];
  return same != NULL && same->graph == before->graph ? same : NULL;
}

static void
compare (PhAlong *along, const PhValue *value, PhTensor *is, PhTensor *was)
{
  g_auto (PhDistance) distance = ph_distance (is, was);
  PhAlongValue row = { .value = value->id,
                       .node = value->producer->id,
                       .name = g_strdup (value->name),
                       .max_abs = distance.max_abs,
                       .error = distance.error,
                       .why = g_steal_pointer (&distance.why) };
  gsize at = distance.at;

  row.type = value->type != NULL ? ph_type_to_string (value->type) : NULL;
  if (distance.n_lost > 0 || distance.n_gained > 0 || distance.n_changed > 0)
    {
      at = distance.n_lost > 0 ? distance.lost_at : distance.n_gained > 0 ? distance.gained_at : distance.changed_at;
      row.error = row.max_abs = INFINITY;
    }
  else if (distance.n_exact > 0)
    row.error = row.max_abs = MAX (distance.max_abs, 1);
  if (row.why != NULL)
    row.error = row.max_abs = INFINITY;
  else if (row.error > 0)
    {
      row.place = ph_element_place (is, at);
      row.expected = ph_element_to_string (was, at);
      row.actual = ph_element_to_string (is, at);
    }
  if (along->first == G_MAXUINT && !(row.error <= along->rounding))
    along->first = along->values->len;
  g_array_append_val (along->values, row);
}

PhAlong *
ph_along_new (PhModel *before, PhModel *after, GHashTable *named, guint64 seed, const PhRunOptions *options, GError **error)
{
  PhRunOptions all = *options;
  g_autoptr (GHashTable) was = NULL, is = NULL, given = NULL, given_after = NULL, both = NULL, same = NULL,
                         known = g_hash_table_new (NULL, NULL);
  g_autoptr (PhAlong) along = g_new0 (PhAlong, 1);

  all.keep_all = all.in_double = TRUE;
  along->values = g_array_new (FALSE, FALSE, sizeof (PhAlongValue));
  g_array_set_clear_func (along->values, clear_value);
  along->first = G_MAXUINT;
  along->rounding = PH_ALONG_ROUNDING;
  both = ph_feeds_copy (named);
  ph_inputs_join (both, before, after, seed);
  given = ph_inputs_find (before, both, PH_INPUTS_NORMAL, seed, NULL, &all, &was, error);
  same = given != NULL ? by_name (given) : NULL;
  if (same != NULL)
    ph_inputs_join (same, before, after, seed);
  given_after = same != NULL ? ph_inputs_collect (after, same, PH_INPUTS_NORMAL, seed, 1, 1, &all, error) : NULL;
  is = given_after != NULL ? ph_run_model (after, given_after, NULL, &all, error) : NULL;
  if (is == NULL)
    return NULL;
  PH_FOREACH_NODE (node, after->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        const PhValue *value = ph_node_output (node, i), *old = counterpart (before, after, value);
        PhTensor *now = g_hash_table_lookup (is, GUINT_TO_POINTER (value->id));
        PhTensor *then = old != NULL ? g_hash_table_lookup (was, GUINT_TO_POINTER (old->id)) : NULL;

        if (now == NULL)
          continue;
        if (then == NULL || !g_hash_table_add (known, (gpointer) old))
          along->n_after++;
        else
          compare (along, value, now, then);
      }
  PH_FOREACH_NODE (node, before->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      along->n_before += g_hash_table_contains (was, GUINT_TO_POINTER (ph_node_output (node, i)->id))
                                 && !g_hash_table_contains (known, ph_node_output (node, i))
                             ? 1
                             : 0;
  return g_steal_pointer (&along);
}

PhAlong *
ph_along_of_results (PhModel *model, GHashTable *was, GHashTable *is, double rounding)
{
  PhAlong *along = g_new0 (PhAlong, 1);

  along->values = g_array_new (FALSE, FALSE, sizeof (PhAlongValue));
  g_array_set_clear_func (along->values, clear_value);
  along->first = G_MAXUINT;
  along->rounding = rounding;
  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        const PhValue *value = ph_node_output (node, i);
        PhTensor *then = g_hash_table_lookup (was, GUINT_TO_POINTER (value->id)),
                 *now = g_hash_table_lookup (is, GUINT_TO_POINTER (value->id));

        if (then != NULL && now != NULL)
          compare (along, value, now, then);
      }
  return along;
}

double
ph_along_level (double error)
{
  return error <= PH_ALONG_ROUNDING ? 0 : CLAMP (1 + log10 (error) / -log10 (PH_ALONG_ROUNDING), 0.1, 1);
}

char *
ph_along_line (const PhAlong *along, guint width)
{
  static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
  const guint n = along->values->len, letters = MIN (width, n);
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < letters; i++)
    {
      double worst = 0;
      int bar;

      for (guint k = (guint) ((guint64) i * n / letters); k < (guint64) (i + 1) * n / letters; k++)
        worst = MAX (worst, g_array_index (along->values, PhAlongValue, k).error);
      bar = worst <= along->rounding ? 0 : worst >= 1 ? 7 : 7 + (int) floor (log10 (worst));
      g_string_append (line, bars[CLAMP (bar, worst > along->rounding ? 1 : 0, 7)]);
    }
  return g_string_free (line, FALSE);
}
