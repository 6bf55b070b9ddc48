/* scaled.c: weights times factors, the commonest recipe, a part at a time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/scaled.h"

#include "core/graph/edit.h"
#include "core/ops/op-list.h"
#include "core/run/executor.h"
#include "core/run/lanes.h"

#define PART 16384 /* floats that stay in the cache between being read and being multiplied */

struct _PhScaled
{
  PhTensor *weights, *factors; /* float, double                                                          */
  gsize n, inner;              /* of element i: factor i / inner % n                                     */
};

/* Returns what is reshaped into @value: the same elements in the same order. */
static PhValue *
before_reshapes (PhValue *value)
{
  while (value != NULL && value->producer != NULL && value->producer->op == &ph_op_Reshape)
    value = ph_node_input (value->producer, 0);
  return value;
}

/* Returns the float32 constant whose elements @value has as doubles, in the same order. (nullable) */
static PhTensor *
widened (PhValue *value)
{
  const PhValue *from = before_reshapes (value);
  const PhNode *cast = from != NULL ? from->producer : NULL;
  PhTensor *tensor = cast != NULL && cast->op == &ph_op_Cast ? ph_value_constant (ph_node_input (cast, 0)) : NULL;

  return tensor != NULL && ph_tensor_dtype (tensor) == PH_FLOAT ? tensor : NULL;
}

/* Finds how @factors are spread over a tensor of @type: they are 1 along all axes but adjacent ones that are not broadcast. */
static gboolean
find_spread (PhScaled *self, const PhType *factors, const PhType *type)
{
  const guint ahead = type->rank - factors->rank;
  guint first = 0, end = factors->rank;

  if (!ph_type_is_static (factors) || factors->rank > type->rank)
    return FALSE;
  while (first < end && factors->dims[first].size == 1)
    first++;
  while (end > first && factors->dims[end - 1].size == 1)
    end--;
  self->n = self->inner = 1;
  for (guint i = first; i < factors->rank; i++)
    {
      const gint64 size = type->dims[ahead + i].size;

      if (i < end && factors->dims[i].size != size)
        return FALSE;
      *(i < end ? &self->n : &self->inner) *= (gsize) size;
    }
  if (end == 0 || first == end) /* one factor for all */
    self->inner = (gsize) ph_type_count (type);
  return TRUE;
}

static PhTensor *
compute_factors (PhModel *recipe, PhValue *value)
{
  static const PhRunOptions options = { .reference = TRUE, .passing = TRUE };
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) results = NULL;

  g_ptr_array_add (wanted, value);
  results = ph_run_model (recipe, NULL, wanted, &options, NULL);
  ph_model_drop_program (recipe);
  return results != NULL ? ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id))) : NULL;
}

PhScaled *
ph_scaled_new (PhModel *recipe)
{
  const PhValue *product = before_reshapes (recipe->graph->outputs->pdata[0]);
  const PhNode *node = product != NULL ? product->producer : NULL;
  g_autoptr (PhScaled) self = NULL;

  if (node == NULL || node->op != &ph_op_Mul || product->type == NULL || !ph_type_is_static (product->type)
      || product->type->dtype != PH_DOUBLE)
    return NULL;
  for (guint i = 0; i < 2; i++)
    {
      PhTensor *weights = widened (ph_node_input (node, i));
      PhValue *factors = ph_node_input (node, 1 - i);

      if (weights == NULL || (gint64) ph_tensor_count (weights) != ph_type_count (product->type) || factors->type == NULL)
        continue;
      self = g_new0 (PhScaled, 1);
      if (!find_spread (self, factors->type, product->type))
        return NULL;
      self->weights = ph_tensor_dup_computed (weights);
      self->factors = compute_factors (recipe, factors);
      return self->weights != NULL && self->factors != NULL && ph_tensor_dtype (self->factors) == PH_DOUBLE
                 ? g_steal_pointer (&self)
                 : NULL;
    }
  return NULL;
}

void
ph_scaled_free (PhScaled *self)
{
  g_clear_pointer (&self->weights, ph_tensor_unref);
  g_clear_pointer (&self->factors, ph_tensor_unref);
  g_free (self);
}

gboolean
ph_scaled_part (PhScaled *self, gsize first, gsize n, float *out)
{
  const double *factors = ph_tensor_data (self->factors);

  for (gsize i = 0, m; i < n; i += m, out += m)
    {
      m = MIN (PART, n - i);
      if (!ph_tensor_copy_part (self->weights, first + i, m, out))
        return FALSE;
      for (gsize k = 0, run; k < m; k += run)
        {
          const gsize at = first + i + k, row = at / self->inner % self->n;

          /* Up to where the factor changes, or up to where the factors begin anew. */
          run = MIN (m - k, self->inner > 1 ? self->inner - at % self->inner : self->n - row);
          ph_lanes ()->multiply_wide (run, out + k, factors + row, self->inner == 1);
        }
    }
  return TRUE;
}
