/* field-spell.c: operators that are evaluated as the graph that spells them out.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-graph.h"
#include "core/prove/field/field-rules.h"

#include <math.h>

#define ADD(x_, y_) PH_BUILD (b, Add, x_, y_)
#define SUB(x_, y_) PH_BUILD (b, Sub, x_, y_)
#define MUL(x_, y_) PH_BUILD (b, Mul, x_, y_)
#define DIV(x_, y_) PH_BUILD (b, Div, x_, y_)

static PhDType
dtype_of (const PhValue *value)
{
  return value != NULL && value->type != NULL ? value->type->dtype : PH_FLOAT;
}

static guint
rank_of (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->has_rank ? value->type->rank : 0;
}

static gint64
size_of (const PhValue *value, guint axis)
{
  return axis < rank_of (value) ? value->type->dims[axis].size : -1;
}

/* Casts an input of a narrower type to float: an operator does not round intermediate results to its element type. */
static PhValue *
wide (PhExpand *x, guint i)
{
  PhValue *value = ph_expand_in (x, i);

  return value == NULL || dtype_of (value) == PH_FLOAT || dtype_of (value) == PH_DOUBLE
             ? value
             : PH_BUILD_WITH (x->b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT)), value);
}

static PhValue *
number (PhBuilder *b, const PhValue *like, double value)
{
  return ph_build_scalar (b, dtype_of (like), value);
}

static PhValue *
reshape (PhBuilder *b, PhValue *value, guint n, const gint64 *dims)
{
  return PH_BUILD (b, Reshape, value, ph_build_ints (b, dims, n));
}

static PhValue *
transpose (PhBuilder *b, PhValue *value, const gint64 *perm, guint n)
{
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, n)), value);
}

static PhValue *
mean (PhBuilder *b, PhValue *value, guint from, guint to)
{
  gint64 axes[PH_MAX_RANK];

  if (value == NULL || from > to) /* the builder has the error */
    return NULL;
  for (guint i = from; i < to; i++)
    axes[i - from] = i;
  return PH_BUILD (b, ReduceMean, value, ph_build_ints (b, axes, to - from));
}

/* [C] as [C, 1, ..., 1], which broadcasts along axis 1 of a tensor of @rank. */
static PhValue *
by_channel (PhBuilder *b, PhValue *value, guint rank)
{
  gint64 axes[PH_MAX_RANK];

  for (guint i = 0; i + 2 < rank; i++)
    axes[i] = i + 1;
  return rank <= 2 ? value : PH_BUILD (b, Unsqueeze, value, ph_build_ints (b, axes, rank - 2));
}

/* Builds the root of a variance plus epsilon. */
static PhValue *
deviation (PhExpand *x, PhValue *variance)
{
  PhBuilder *b = x->b;

  return PH_BUILD (b, Sqrt, ADD (variance, number (b, variance, ph_node_attr_float (x->node, "epsilon", 1e-5f))));
}

/* ── normalisations ── */

/* Subtracts the mean over the axes from @from on, and divides by the deviation. */
static PhValue *
normalise (PhExpand *x, PhValue *value, guint from, gboolean centre, PhValue **level, PhValue **inverse)
{
  PhBuilder *b = x->b;
  const guint rank = rank_of (value);
  PhValue *middle = mean (b, value, from, rank), *centred = centre ? SUB (value, middle) : value;
  PhValue *one_over = PH_BUILD (b, Reciprocal, deviation (x, mean (b, MUL (centred, centred), from, rank)));

  if (level != NULL)
    *level = middle;
  if (inverse != NULL)
    *inverse = one_over;
  return MUL (centred, one_over);
}

static gboolean
spell_batch_norm (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const guint rank = rank_of (ph_expand_in (x, 0));
  PhValue *factor;

  if (ph_node_attr_int (x->node, "training_mode", 0) != 0 || rank < 2)
    return ph_expand_fail (x, error, "is in training");
  factor = DIV (wide (x, 1), deviation (x, wide (x, 4)));
  x->out[0] = ADD (MUL (SUB (wide (x, 0), by_channel (b, wide (x, 3), rank)), by_channel (b, factor, rank)),
                   by_channel (b, wide (x, 2), rank));
  return x->out[0] != NULL;
}

static gboolean
spell_instance_norm (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const guint rank = rank_of (ph_expand_in (x, 0));

  x->out[0] = ADD (MUL (normalise (x, wide (x, 0), 2, TRUE, NULL, NULL), by_channel (b, wide (x, 1), rank)),
                   by_channel (b, wide (x, 2), rank));
  return x->out[0] != NULL;
}

static gboolean
spell_group_norm (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *value = wide (x, 0);
  const guint rank = rank_of (value);
  const gint64 groups[3] = { 0, ph_node_attr_int (x->node, "num_groups", 1), -1 };
  gint64 dims[PH_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    dims[i] = size_of (value, i);
  value = reshape (b, normalise (x, reshape (b, value, 3, groups), 2, TRUE, NULL, NULL), rank, dims);
  x->out[0] = ADD (MUL (value, by_channel (b, wide (x, 1), rank)), by_channel (b, wide (x, 2), rank));
  return x->out[0] != NULL;
}

static gboolean
spell_layer_norm (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *value = wide (x, 0), *normal;
  guint axis;

  if (!ph_axis (ph_node_attr_int (x->node, "axis", -1), rank_of (value), &axis))
    return ph_expand_fail (x, error, "its axis does not fit");
  normal = MUL (normalise (x, value, axis, x->node->op == &ph_op_LayerNormalization, x->n_out > 1 ? &x->out[1] : NULL,
                           x->n_out > 2 ? &x->out[2] : NULL),
                wide (x, 1));
  x->out[0] = ph_expand_in (x, 2) != NULL ? ADD (normal, wide (x, 2)) : normal;
  return x->out[0] != NULL;
}

/* ── heads ── */

/* [batch, heads, length, size]; from [batch, length, heads * size] too. */
static PhValue *
as_heads (PhBuilder *b, PhValue *value, gint64 heads)
{
  const gint64 dims[4] = { 0, 0, heads, -1 }, perm[4] = { 0, 2, 1, 3 };

  return rank_of (value) == 4 ? value : transpose (b, reshape (b, value, 4, dims), perm, 4);
}

static PhValue *
from_heads (PhBuilder *b, PhValue *value, gboolean flat)
{
  const gint64 dims[3] = { 0, 0, -1 }, perm[4] = { 0, 2, 1, 3 };

  return flat ? reshape (b, transpose (b, value, perm, 4), 3, dims) : value;
}

static PhValue *
concat (PhBuilder *b, gint64 axis, PhValue *first, PhValue *second)
{
  return PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", axis)), first, second);
}

/* Repeats each head of keys or values for its group of query heads. */
static PhValue *
repeat_heads (PhBuilder *b, PhValue *value, gint64 heads)
{
  const gint64 own = size_of (value, 1), batch = size_of (value, 0), length = size_of (value, 2), size = size_of (value, 3);
  const gint64 spread[5] = { batch, own, own > 0 ? heads / own : 1, length, size }, all[4] = { batch, heads, length, size };

  if (own == heads)
    return value;
  value = PH_BUILD (b, Unsqueeze, value, ph_build_ints (b, (gint64[]) { 2 }, 1));
  return reshape (b, PH_BUILD (b, Expand, value, ph_build_ints (b, spread, 5)), 4, all);
}

/* Builds the mask of the keys up to the query's own position. */
static PhValue *
causal_mask (PhBuilder *b, gint64 queries, gint64 keys, gint64 past)
{
  PhTensor *mask = ph_tensor_new (PH_BOOL, 2, (gint64[]) { queries, keys });

  for (gint64 i = 0; mask != NULL && i < queries; i++)
    for (gint64 j = 0; j < keys; j++)
      ((guint8 *) ph_tensor_writable (mask))[i * keys + j] = j <= i + past;
  return ph_build_tensor (b, mask);
}

enum
{
  Q,
  K,
  V,
  MASK,
  PAST_K,
  PAST_V,
  NONPAD
};

static gboolean
spell_attention (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const gboolean flat = rank_of (ph_expand_in (x, Q)) == 3;
  PhValue *q = as_heads (b, wide (x, Q), ph_node_attr_int (x->node, "q_num_heads", 0)), *mask = ph_expand_in (x, MASK);
  PhValue *k = as_heads (b, wide (x, K), ph_node_attr_int (x->node, "kv_num_heads", 0));
  PhValue *v = as_heads (b, wide (x, V), ph_node_attr_int (x->node, "kv_num_heads", 0)), *scores, *lowest;
  const double softcap = ph_node_attr_float (x->node, "softcap", 0);
  const gint64 own = size_of (k, 2), perm[4] = { 0, 1, 3, 2 };
  gint64 past;

  if (ph_expand_in (x, NONPAD) != NULL || ph_expand_wants (x, 3) || own < 0)
    return ph_expand_fail (x, error, "has inputs or outputs that are not spelt out");
  if (ph_expand_in (x, PAST_K) != NULL)
    k = concat (b, 2, wide (x, PAST_K), k);
  if (ph_expand_in (x, PAST_V) != NULL)
    v = concat (b, 2, wide (x, PAST_V), v);
  past = size_of (k, 2) - own;
  if (x->n_out > 1)
    x->out[1] = k;
  if (x->n_out > 2)
    x->out[2] = v;
  if (mask != NULL && size_of (mask, rank_of (mask) - 1) != size_of (k, 2) && size_of (mask, rank_of (mask) - 1) != 1)
    return ph_expand_fail (x, error, "its mask is shorter than its keys");
  k = repeat_heads (b, k, size_of (q, 1));
  v = repeat_heads (b, v, size_of (q, 1));
  scores = MUL (PH_BUILD (b, MatMul, q, transpose (b, k, perm, 4)),
                number (b, q, ph_node_attr_float (x->node, "scale", (float) (1 / sqrt ((double) size_of (q, 3))))));
  if (softcap > 0)
    scores = MUL (number (b, q, softcap), PH_BUILD (b, Tanh, DIV (scores, number (b, q, softcap))));
  lowest = number (b, q, -INFINITY);
  if (ph_node_attr_int (x->node, "is_causal", 0) != 0)
    scores = PH_BUILD (b, Where, causal_mask (b, size_of (q, 2), size_of (k, 2), past), scores, lowest);
  if (mask != NULL)
    scores = dtype_of (mask) == PH_BOOL ? PH_BUILD (b, Where, mask, scores, lowest) : ADD (scores, wide (x, MASK));
  x->out[0] = from_heads (b, PH_BUILD (b, MatMul, PH_BUILD (b, Softmax, scores), v), flat);
  return x->out[0] != NULL;
}

static PhValue *
slice (PhBuilder *b, PhValue *value, gint64 from, gint64 to, gint64 step)
{
  return PH_BUILD (b, Slice, value, ph_build_ints (b, &from, 1), ph_build_ints (b, &to, 1),
                   ph_build_ints (b, (gint64[]) { -1 }, 1), ph_build_ints (b, &step, 1));
}

static gboolean
spell_rotary (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  const gboolean flat = rank_of (ph_expand_in (x, 0)) == 3, interleaved = ph_node_attr_int (x->node, "interleaved", 0) != 0;
  PhValue *value = as_heads (b, wide (x, 0), ph_node_attr_int (x->node, "num_heads", 0)), *positions = ph_expand_in (x, 3);
  PhValue *c = wide (x, 1), *s = wide (x, 2), *re, *im, *turned_re, *turned_im, *all;
  const gint64 size = size_of (value, 3), last[] = { -1 };
  gint64 turned = ph_node_attr_int (x->node, "rotary_embedding_dim", 0), half, dims[4] = { 0, 0, 0, -1 };

  turned = turned > 0 ? turned : size;
  half = turned / 2;
  if (positions != NULL)
    {
      c = PH_BUILD (b, Gather, c, positions);
      s = PH_BUILD (b, Gather, s, positions);
    }
  if (half < 1 || rank_of (c) != 3)
    return ph_expand_fail (x, error, "its caches have not the rank that they should have");
  c = PH_BUILD (b, Unsqueeze, c, ph_build_ints (b, (gint64[]) { 1 }, 1));
  s = PH_BUILD (b, Unsqueeze, s, ph_build_ints (b, (gint64[]) { 1 }, 1));
  re = slice (b, value, 0, interleaved ? turned : half, interleaved ? 2 : 1);
  im = slice (b, value, interleaved ? 1 : half, turned, interleaved ? 2 : 1);
  turned_re = SUB (MUL (c, re), MUL (s, im));
  turned_im = ADD (MUL (s, re), MUL (c, im));
  if (interleaved)
    all = reshape (b,
                   concat (b, -1, PH_BUILD (b, Unsqueeze, turned_re, ph_build_ints (b, last, 1)),
                           PH_BUILD (b, Unsqueeze, turned_im, ph_build_ints (b, last, 1))),
                   4, dims);
  else
    all = concat (b, -1, turned_re, turned_im);
  if (turned < size)
    all = concat (b, -1, all, slice (b, value, turned, size, 1));
  x->out[0] = from_heads (b, all, flat);
  return x->out[0] != NULL;
}

/* ── the table ── */

typedef struct
{
  const PhOp *op;
  PhFieldSpell spell;
} Row;

/* clang-format off */
static const Row rows[] = {
  { &ph_op_BatchNormalization, spell_batch_norm }, { &ph_op_InstanceNormalization, spell_instance_norm },
  { &ph_op_GroupNormalization, spell_group_norm }, { &ph_op_LayerNormalization, spell_layer_norm },
  { &ph_op_RMSNormalization, spell_layer_norm }, { &ph_op_Attention, spell_attention }, { &ph_op_RotaryEmbedding, spell_rotary },
};
/* clang-format on */

static gboolean
run_spelt (PhFieldNode *self, gconstpointer data)
{
  const Row *row = data;

  return ph_field_spell (self, row->spell);
}

PhFieldRule
ph_field_spelt_rule (const PhOp *op, gconstpointer *data)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == op)
      {
        *data = &rows[i];
        return run_spelt;
      }
  return NULL;
}
