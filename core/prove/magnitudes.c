/* magnitudes.c: bounds on the elements of constants. For a deferred constant they are derived from its recipe.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/magnitudes.h"

#include <math.h>
#include <string.h>

#include "core/ops/facts.h"
#include "core/ops/op-list.h"
#include "core/run/recipe.h"
#include "core/tensor/origin.h"

/* For more elements only the largest magnitude is computed. */
#define FEW 4096
/* Floats between these magnitudes are safe from underflow and overflow, also when rounded to few digits. */
#define TINY 1e-30
#define HUGE 1e38

/* Every element lies in [low, high] with a magnitude of at least @least. If @most is not infinite, one has at least that magnitude: then it
 * is a sum in which losing a small term does not matter. */
typedef struct
{
  double low, high, least, most;
  gboolean known;    /* otherwise only that an element may be infinite or NaN                 */
  gboolean is_sound; /* no product underflowed                                                */
} Range;

typedef struct
{
  Range range;
  gboolean is_told; /* the range follows from the expression of the tensor */
} Found;

struct _PhMagnitudes
{
  GHashTable *found; /* PhTensor (owned) -> Found */
};

PhMagnitudes *
ph_magnitudes_new (void)
{
  PhMagnitudes *self = g_new0 (PhMagnitudes, 1);

  self->found = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_tensor_unref, g_free);
  return self;
}

void
ph_magnitudes_free (PhMagnitudes *self)
{
  g_hash_table_unref (self->found);
  g_free (self);
}

/* ── a tensor in memory ── */

/* Returns the largest bits: those of magnitudes are in the same order as the magnitudes, with NaN beyond infinity. */
static guint32
largest_bits (const guint32 *bits, gsize n)
{
  gint32 most = 0;

  for (gsize i = 0; i < n; i++)
    {
      const gint32 magnitude = (gint32) (bits[i] & 0x7fffffff);

      most = magnitude > most ? magnitude : most;
    }
  return (guint32) most;
}

static Range
of_elements (PhTensor *tensor)
{
  const gsize count = ph_tensor_count (tensor), n = ph_tensor_is_splat (tensor) ? MIN (count, 1) : count;
  Range range = { INFINITY, -INFINITY, INFINITY, 0, TRUE, TRUE };
  const float *floats = NULL;

  if (n > FEW && ph_tensor_dtype (tensor) == PH_FLOAT)
    {
      const guint32 bits = largest_bits (ph_tensor_data (tensor), n);
      float most;

      memcpy (&most, &bits, sizeof most);
      return (Range) { -(double) most, (double) most, 0, (double) most, isfinite (most), TRUE };
    }
  if (ph_tensor_dtype (tensor) == PH_FLOAT)
    floats = ph_tensor_data (tensor);
  for (gsize i = 0; i < n; i++)
    {
      const double value = floats != NULL ? (double) floats[i] : ph_tensor_get (tensor, i);

      if (!isfinite (value))
        return (Range) { .known = FALSE };
      range.low = MIN (range.low, value);
      range.high = MAX (range.high, value);
      range.least = MIN (range.least, fabs (value));
      range.most = MAX (range.most, fabs (value));
    }
  return range;
}

/* ── an expression ── */

static Range range_of (PhMagnitudes *self, PhTensor *tensor);

/* Returns a lower bound for a product's largest term: the largest element of one factor meets at least the other's least magnitude. */
static double
met (double most, double least)
{
  return least > 0 ? most * least : 0;
}

static Range
of_product (Range a, Range b)
{
  const double ends[] = { a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high };
  Range range = { ends[0], ends[0], a.least * b.least, 0, a.known && b.known, a.is_sound && b.is_sound };

  for (guint i = 1; i < G_N_ELEMENTS (ends); i++)
    {
      range.low = MIN (range.low, ends[i]);
      range.high = MAX (range.high, ends[i]);
    }
  range.most = MAX (met (a.most, b.least), met (b.most, a.least));
  range.is_sound = range.is_sound && range.most >= TINY;
  return range;
}

static Range
inverse (Range a)
{
  const double farthest = MAX (fabs (a.low), fabs (a.high));

  if (!a.known || (a.low <= 0 && a.high >= 0) || farthest > HUGE || MIN (fabs (a.low), fabs (a.high)) < TINY)
    return (Range) { .known = FALSE };
  return (Range) { 1 / a.high, 1 / a.low, 1 / farthest, 1 / farthest, TRUE, a.is_sound };
}

static Range
of_sum (Range a, Range b)
{
  return (Range) { a.low + b.low, a.high + b.high, 0, INFINITY, a.known && b.known, a.is_sound && b.is_sound };
}

static Range
negative (Range a)
{
  return (Range) { -a.high, -a.low, a.least, a.most, a.known, a.is_sound };
}

static Range
root (Range a)
{
  if (a.low < 0)
    return (Range) { .known = FALSE };
  return (Range) { sqrt (a.low), sqrt (a.high), sqrt (a.least), sqrt (a.most), a.known, a.is_sound };
}

static Range
joined (Range a, Range b)
{
  return (Range) { MIN (a.low, b.low),   MAX (a.high, b.high), MIN (a.least, b.least),
                   MIN (a.most, b.most), a.known && b.known,   a.is_sound && b.is_sound };
}

static gboolean
moves (const PhOp *op)
{
  static const PhOp *const moving[] = { &ph_op_Cast,      &ph_op_Identity, &ph_op_Reshape,
                                        &ph_op_Unsqueeze, &ph_op_Squeeze,  &ph_op_Expand,
                                        &ph_op_Transpose, &ph_op_Flatten,  NULL };

  return ph_op_is_any (op, moving);
}

/* Returns the number of input elements that each output element sums. */
static double
n_summed (const PhNode *node)
{
  const PhType *from = ph_node_input (node, 0)->type, *to = ph_node_output (node, 0)->type;
  const gint64 n = from != NULL ? ph_type_count (from) : -1, m = to != NULL ? ph_type_count (to) : -1;

  return n > 0 && m > 0 ? (double) n / (double) m : INFINITY;
}

static Range
of_node (GHashTable *ranges, const PhNode *node)
{
  const Range *in[2] = { NULL, NULL };

  for (guint i = 0; i < MIN (node->inputs->len, 2); i++)
    in[i] = g_hash_table_lookup (ranges, ph_node_input (node, i));
  if (in[0] == NULL)
    return (Range) { .known = FALSE };
  if (moves (node->op))
    return *in[0];
  if (node->op == &ph_op_Neg)
    return negative (*in[0]);
  if (node->op == &ph_op_Sqrt)
    return root (*in[0]);
  if (node->op == &ph_op_Reciprocal)
    return inverse (*in[0]);
  if (node->op == &ph_op_ReduceSum)
    {
      const double n = n_summed (node);

      return (Range) { MIN (n * in[0]->low, 0),      MAX (n * in[0]->high, 0), 0, INFINITY,
                       in[0]->known && isfinite (n), in[0]->is_sound };
    }
  if (node->op == &ph_op_Concat)
    {
      Range all = *in[0];

      for (guint i = 1; i < node->inputs->len; i++)
        {
          const Range *next = g_hash_table_lookup (ranges, ph_node_input (node, i));

          all = next != NULL ? joined (all, *next) : (Range) { .known = FALSE };
        }
      return all;
    }
  if (in[1] == NULL)
    return (Range) { .known = FALSE };
  if (node->op == &ph_op_Mul)
    return of_product (*in[0], *in[1]);
  if (node->op == &ph_op_Div)
    return of_product (*in[0], inverse (*in[1]));
  if (node->op == &ph_op_Add)
    return of_sum (*in[0], *in[1]);
  if (node->op == &ph_op_Sub)
    return of_sum (*in[0], negative (*in[1]));
  return (Range) { .known = FALSE };
}

/* Computes the range of a recipe; only known if every intermediate value stays in the range of floats. */
static Range
of_expression (PhMagnitudes *self, PhModel *model)
{
  g_autofree Range *all = g_new (Range, model->graph->constants->len + model->graph->n_nodes + 1);
  g_autoptr (GHashTable) ranges = g_hash_table_new (NULL, NULL); /* PhValue -> Range, of @all */
  const Range *result;
  guint n = 0;

  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhValue *value = model->graph->constants->pdata[i];

      if (!ph_dtype_is_float (ph_tensor_dtype (value->tensor)))
        continue;
      all[n] = range_of (self, value->tensor);
      g_hash_table_insert (ranges, value, &all[n++]);
    }
  PH_FOREACH_NODE (node, model->graph)
    {
      Range range = of_node (ranges, node);

      range.known = range.known && range.low > -HUGE && range.high < HUGE;
      if (!range.known)
        return (Range) { .known = FALSE };
      all[n] = range;
      g_hash_table_insert (ranges, ph_node_output (node, 0), &all[n++]);
    }
  result = g_hash_table_lookup (ranges, model->graph->outputs->pdata[0]);
  return result != NULL ? *result : (Range) { .known = FALSE };
}

static Range
range_of (PhMagnitudes *self, PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  Found *found = g_hash_table_lookup (self->found, tensor);

  if (found != NULL)
    return found->range;
  found = g_new0 (Found, 1);
  if (ph_tensor_is_computed (tensor) && (dtype == PH_FLOAT || dtype == PH_DOUBLE))
    found->range = of_expression (self, ph_recipe_of (tensor));
  found->is_told = found->range.known;
  if (!found->range.known)
    found->range = of_elements (tensor);
  g_hash_table_insert (self->found, ph_tensor_ref (tensor), found);
  return found->range;
}

gboolean
ph_magnitudes_are_finite (PhMagnitudes *self, PhTensor *tensor)
{
  return range_of (self, tensor).known;
}

gboolean
ph_magnitudes_are_sound (PhMagnitudes *self, PhTensor *tensor)
{
  const Found *found = g_hash_table_lookup (self->found, tensor);
  PhModel *recipe = ph_recipe_of (tensor);
  const Range range = found != NULL && found->is_told ? found->range
                      : recipe != NULL                ? of_expression (self, recipe)
                                                      : (Range) { .known = FALSE };

  return range.known && range.is_sound;
}
