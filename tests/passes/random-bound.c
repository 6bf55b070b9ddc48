/* random-bound.c: how far rounding can carry the results of a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-graph.h"

#include <math.h>

#include "core/run/executor.h"
#include "sample.h"

#define N_RUNS 8
#define UNITS  4.0 /* in the last place, by which each value is off              */
#define FACTOR 8.0 /* over the largest deviation seen: eight draws are not all   */

static double
unit_of (PhDType dtype)
{
  switch (dtype)
    {
    case PH_DOUBLE: return 0x1p-53;
    case PH_FLOAT: return 0x1p-24;
    case PH_FLOAT16: return 0x1p-11;
    case PH_BFLOAT16: return 0x1p-8;
    default: return 0;
    }
}

/* @tensor with every element off at random, in proportion to its size. */
static PhTensor *
rounded (PhTensor *tensor, GRand *rand)
{
  PhDType dtype = ph_tensor_dtype (tensor);
  double unit = ph_tensor_kind (tensor) == PH_KIND_TENSOR ? unit_of (dtype) : 0;
  PhTensor *other;

  if (unit == 0)
    return ph_tensor_ref (tensor);
  other = ph_tensor_new (dtype, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ph_dtype_store (dtype, ph_tensor_writable (other), i,
                    ph_tensor_get (tensor, i) * (1 + UNITS * unit * g_rand_double_range (rand, -1, 1)));
  return other;
}

/* The outputs of @model when every value of its main graph is rounded at random. NULL: it cannot be computed so. */
static GPtrArray *
run_rounded (PhModel *model, GHashTable *feeds, GRand *rand)
{
  g_autoptr (GHashTable) values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *value = g_ptr_array_index (model->graph->inputs, i);
      PhTensor *tensor = g_hash_table_lookup (feeds, value->name);

      if (tensor != NULL)
        g_hash_table_insert (values, value, rounded (tensor, rand));
    }
  PH_FOREACH_NODE (node, model->graph)
    {
      g_autoptr (GHashTable) results = ph_run_model (model, values, &node->outputs->array, &(PhRunOptions) { .seed = 1 }, NULL);

      if (results == NULL)
        return NULL;
      for (guint i = 0; i < node->outputs->len; i++)
        {
          PhValue *value = ph_node_output (node, i);

          g_hash_table_insert (values, value, rounded (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)), rand));
        }
    }
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      PhValue *value = g_ptr_array_index (model->graph->outputs, i);
      PhTensor *tensor = value->tensor != NULL ? value->tensor : g_hash_table_lookup (values, value);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, ph_tensor_ref (tensor));
    }
  return g_steal_pointer (&outputs);
}

/* What @tensor deviates from @exact, at most, is gathered in @most. FALSE: even its shape or an integer does. */
static gboolean
gather_deviation (PhTensor *tensor, PhTensor *exact, double *most)
{
  gboolean is_float = ph_dtype_is_float (ph_tensor_dtype (exact));

  if (ph_tensor_kind (exact) != PH_KIND_TENSOR || ph_tensor_dtype (exact) == PH_STRING || ph_tensor_dtype (exact) == PH_COMPLEX64
      || ph_tensor_dtype (exact) == PH_COMPLEX128 || ph_tensor_count (tensor) != ph_tensor_count (exact))
    return FALSE;
  for (gsize i = 0; i < ph_tensor_count (exact); i++)
    {
      double off = fabs (ph_tensor_get (tensor, i) - ph_tensor_get (exact, i));

      most[i] = isnan (off) || (!is_float && off != 0) ? INFINITY : MAX (most[i], off);
    }
  return TRUE;
}

char *
random_differs (PhModel *model, GHashTable *feeds, GPtrArray *expected, GPtrArray *actual, PhExactness exactness, guint *bounded)
{
  g_autofree char *difference = sample_compare (expected, actual, exactness);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1183);
  g_autoptr (GPtrArray) runs = NULL;

  if (difference == NULL || exactness < PH_ROUNDING || expected->len != actual->len)
    return g_steal_pointer (&difference);
  runs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < N_RUNS; i++)
    {
      GPtrArray *outputs = run_rounded (model, feeds, rand);

      if (outputs != NULL)
        g_ptr_array_add (runs, outputs);
    }
  for (guint o = 0; o < expected->len; o++)
    {
      PhTensor *a = expected->pdata[o], *b = actual->pdata[o];
      g_autoptr (GPtrArray) one = g_ptr_array_new (), other = g_ptr_array_new ();
      g_autofree double *most = NULL;
      g_autofree char *here = NULL;

      g_ptr_array_add (one, a);
      g_ptr_array_add (other, b);
      here = sample_compare (one, other, exactness);
      if (here == NULL)
        continue;
      if (runs->len == 0 || ph_tensor_kind (a) != ph_tensor_kind (b) || ph_tensor_dtype (a) != ph_tensor_dtype (b)
          || ph_tensor_count (a) != ph_tensor_count (b))
        return g_steal_pointer (&difference);
      most = g_new0 (double, ph_tensor_count (a) + 1);
      for (guint r = 0; r < runs->len; r++)
        if (!gather_deviation (((GPtrArray *) runs->pdata[r])->pdata[o], a, most))
          return g_steal_pointer (&difference);
      for (gsize i = 0; i < ph_tensor_count (a); i++)
        {
          double x = ph_tensor_get (a, i), y = ph_tensor_get (b, i);

          if (x != y && !(fabs (x - y) <= MAX (FACTOR * most[i], 1e-5 * fabs (x))))
            return g_strdup_printf ("output %u, element %" G_GSIZE_FORMAT ": %.9g became %.9g; rounding moves it by %.3g at most",
                                    o, i, x, y, most[i]);
        }
    }
  ++*bounded;
  return NULL;
}
