/* sample.c: seeded inputs for comparing two models, and the comparison.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample.h"

#include <math.h>

#include "core/run/executor.h"
#include "core/tensor/compare.h"

static gint64
size_of_dim (PhDim dim, guint64 seed)
{
  static const gint64 sizes[] = { 2, 3, 1, 4 };

  if (dim.symbol == NULL && dim.size >= 0)
    return dim.size;
  return sizes[((dim.symbol != NULL ? g_str_hash (dim.symbol) : 0) + seed) % G_N_ELEMENTS (sizes)];
}

static double
sample_float (GRand *rand, PhExactness exactness, PhDType dtype)
{
  static const double special[] = { 0.0, -0.0, 1, -1, 1e-3, -1e-3, NAN, INFINITY, -INFINITY, 3e38, -3e38, 1e-45, 1e-38 };
  guint n_special = exactness == PH_EXACT ? G_N_ELEMENTS (special) : 6;

  if (g_rand_int_range (rand, 0, 4) == 0)
    return special[g_rand_int_range (rand, 0, n_special)];
  return g_rand_double_range (rand, -3, 3);
}

PhTensor *
sample_tensor (const PhType *type, PhExactness exactness, const SampleRange *range, guint64 seed, guint input)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) (seed * 7919 + input * 104729 + 1));
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = size_of_dim (type->dims[i], seed);
  tensor = ph_tensor_new (type->dtype, type->rank, dims);
  g_assert_nonnull (tensor);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      gpointer data = ph_tensor_writable (tensor);

      if (type->dtype == PH_STRING)
        ph_tensor_set_string (tensor, i, i % 2 ? "b" : "a");
      else if (type->dtype == PH_BOOL)
        ph_dtype_store_int (PH_BOOL, data, i, g_rand_boolean (rand));
      else if (range != NULL && ph_dtype_is_integer (type->dtype))
        ph_dtype_store_int (type->dtype, data, i, g_rand_int_range (rand, (int) range->low, (int) range->high + 1));
      else if (range != NULL)
        ph_dtype_store (type->dtype, data, i, g_rand_double_range (rand, range->low, range->high));
      else if (ph_dtype_is_integer (type->dtype))
        ph_dtype_store_int (type->dtype, data, i, g_rand_int_range (rand, ph_dtype_is_signed (type->dtype) ? -5 : 0, 6));
      else
        ph_dtype_store (type->dtype, data, i, sample_float (rand, exactness, type->dtype));
    }
  return tensor;
}

GHashTable *
sample_feeds (PhModel *model, PhExactness exactness, GHashTable *ranges, guint64 seed)
{
  GHashTable *feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (model->graph->inputs, i);

      if (value->tensor == NULL)
        g_hash_table_insert (
            feeds, g_strdup (value->name),
            sample_tensor (value->type, exactness, ranges != NULL ? g_hash_table_lookup (ranges, value->name) : NULL, seed, i));
    }
  return feeds;
}

GPtrArray *
sample_outputs (PhModel *model, GHashTable *feeds, GError **error)
{
  g_autoptr (GHashTable) by_value = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) results = NULL;
  GPtrArray *outputs;
  PhRunOptions options = { .seed = 1 };
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      PhValue *value = ph_model_find_value_named (model, name);

      if (value != NULL && value->is_input)
        g_hash_table_insert (by_value, value, tensor);
    }
  results = ph_run_model (model, by_value, NULL, &options, error);
  if (results == NULL)
    return NULL;

  outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *value = g_ptr_array_index (model->graph->outputs, i);
      PhTensor *result = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));

      g_assert_nonnull (result);
      g_ptr_array_add (outputs, ph_tensor_ref (result));
    }
  return outputs;
}

/* Bits, but for NaN, of which one is as good as another. */
static gsize
first_other_bits (PhTensor *a, PhTensor *b)
{
  gsize n = ph_tensor_count (a);

  if (!ph_dtype_is_float (ph_tensor_dtype (a)))
    return G_MAXSIZE;
  for (gsize i = 0; i < n; i++)
    {
      double x = ph_tensor_get (a, i), y = ph_tensor_get (b, i);

      if (!(isnan (x) && isnan (y)) && (x != y || signbit (x) != signbit (y)))
        return i;
    }
  return G_MAXSIZE;
}

static double
largest (PhTensor *tensor)
{
  double max = 0;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (tensor)))
    return 0;
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if (isfinite (ph_tensor_get (tensor, i)))
      max = MAX (max, fabs (ph_tensor_get (tensor, i)));
  return max;
}

char *
sample_compare (GPtrArray *before, GPtrArray *after, PhExactness exactness)
{
  if (before->len != after->len)
    return g_strdup_printf ("%u outputs became %u", before->len, after->len);
  for (guint i = 0; i < before->len; i++)
    {
      PhTensor *a = g_ptr_array_index (before, i), *b = g_ptr_array_index (after, i);
      gboolean half = ph_tensor_dtype (a) == PH_FLOAT16 || ph_tensor_dtype (a) == PH_BFLOAT16;
      /* Where what is large cancels out, the error is of its scale, not of the rest's: inputs are about 1. */
      double rtol = exactness < PH_ROUNDING ? 0 : exactness == PH_ROUNDING ? (half ? 2e-2 : 1e-4) : 5e-2;
      g_auto (PhComparison) comparison = ph_tensor_compare (b, a, (PhTolerance) { rtol, rtol * MAX (largest (a), 0.1) });
      gsize other;

      /* What is lossy may come out as the neighbouring byte. */
      if (exactness == PH_LOSSY && ph_tensor_kind (a) == PH_KIND_TENSOR && ph_dtype_is_integer (ph_tensor_dtype (a))
          && comparison.max_abs_error <= 1)
        continue;
      if (!comparison.close)
        return g_strdup_printf ("output %u: %s", i, comparison.why);
      if (exactness == PH_EXACT && ph_tensor_kind (a) == PH_KIND_TENSOR && (other = first_other_bits (a, b)) != G_MAXSIZE)
        return g_strdup_printf ("output %u, element %" G_GSIZE_FORMAT ": %g became %g", i, other, ph_tensor_get (a, other),
                                ph_tensor_get (b, other));
    }
  return NULL;
}
