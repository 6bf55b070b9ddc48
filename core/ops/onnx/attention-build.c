/* attention-build.c: builds Attention from products and a softmax, for the forms without a short gradient: a cache of keys and values, a
 * mask shorter than the keys, further outputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/attention.h"

#include <math.h>

enum
{
  QUERY,
  KEY,
  VALUE,
  MASK,
  PAST_KEY,
  PAST_VALUE,
  NONPAD
};
/* qk_matmul_output_mode: the stage of the scores that is output 3. */
enum
{
  SHOW_PRODUCT,
  SHOW_CAPPED,
  SHOW_BIASED,
  SHOW_PROBABILITY
};

#define ADD(x_, y_)         PH_BUILD (b, Add, x_, y_)
#define MUL(x_, y_)         PH_BUILD (b, Mul, x_, y_)
#define INTS(...)           ph_build_ints (b, (gint64[]) { __VA_ARGS__ }, sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64))
#define AXIS(name_, value_) PH_ATTRS (ph_attr_new_int (name_, value_))

/* [batch, heads, length, size]. */
static PhValue *
split_heads (PhBuilder *b, PhValue *value, gint64 heads)
{
  gint64 perm[4] = { 0, 2, 1, 3 };

  if (value->type->rank == 4)
    return value;
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 4)),
                        PH_BUILD (b, Reshape, value, INTS (0, 0, heads, -1)));
}

/* Repeats each head of keys or values for all query heads of its group. */
static PhValue *
repeat_heads (PhBuilder *b, PhValue *value, gint64 heads, gint64 group)
{
  g_autofree gint64 *which = g_new (gint64, heads * group + 1);

  if (group == 1)
    return value;
  for (gint64 i = 0; i < heads * group; i++)
    which[i] = i / group;
  return PH_BUILD_WITH (b, Gather, AXIS ("axis", 1), value, ph_build_ints (b, which, heads * group));
}

static PhValue *
as_dtype (PhBuilder *b, PhValue *value, PhDType dtype)
{
  return value == NULL || value->type == NULL || value->type->dtype == dtype ? value
                                                                             : PH_BUILD_WITH (b, Cast, AXIS ("to", dtype), value);
}

static PhValue *
both (PhBuilder *b, PhValue *one, PhValue *other)
{
  return one == NULL ? other : other == NULL ? one : PH_BUILD (b, And, one, other);
}

static PhValue *
size_of (PhBuilder *b, PhValue *value, gint64 axis)
{
  return PH_BUILD_WITH (b, Gather, AXIS ("axis", 0), PH_BUILD (b, Shape, value), ph_build_scalar (b, PH_INT64, axis));
}

static PhValue *
count_to (PhBuilder *b, PhValue *n)
{
  return PH_BUILD (b, Range, ph_build_scalar (b, PH_INT64, 0), n, ph_build_scalar (b, PH_INT64, 1));
}

/* Builds the mask of the keys that each query may attend to, according to is_causal and nonpad_kv_seqlen. */
static PhValue *
build_visible (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue *scores)
{
  PhValue *keys = count_to (b, size_of (b, scores, 3)), *nonpad = NULL, *visible = NULL, *offset, *n_queries;

  if (in[NONPAD] != NULL)
    {
      nonpad = PH_BUILD (b, Reshape, in[NONPAD], INTS (-1, 1, 1, 1));
      visible = PH_BUILD (b, Less, keys, nonpad);
    }
  if (ph_node_attr_int (node, "is_causal", 0) == 0)
    return visible;
  n_queries = size_of (b, scores, 2);
  if (in[PAST_KEY] != NULL)
    offset = size_of (b, in[PAST_KEY], 2);
  else
    offset = nonpad != NULL ? PH_BUILD (b, Sub, nonpad, n_queries) : ph_build_scalar (b, PH_INT64, 0);
  return both (b, visible,
               PH_BUILD (b, LessOrEqual, keys, ADD (PH_BUILD (b, Unsqueeze, count_to (b, n_queries), INTS (1)), offset)));
}

/* Pads @mask to the number of keys, and removes the keys beyond its own length from @visible. */
static PhValue *
lengthen_mask (PhBuilder *b, PhValue *mask, PhValue *scores, PhValue **visible)
{
  const PhType *type = mask->type;
  PhDim keys = scores != NULL && scores->type != NULL && scores->type->has_rank ? scores->type->dims[3] : PH_DIM_UNKNOWN, last;
  PhValue *n_keys, *length, *missing, *whole;
  gint64 axis = (gint64) type->rank - 1;

  last = type->dims[axis];
  if (last.size == 1 || (ph_dim_known (last) && ph_dim_equal (last, keys)))
    return mask;
  n_keys = size_of (b, scores, 3);
  length = size_of (b, mask, axis);
  whole = PH_BUILD (b, Equal, length, ph_build_scalar (b, PH_INT64, 1));
  length = PH_BUILD (b, Where, whole, n_keys, length); /* one column is broadcast */
  missing = PH_BUILD (b, Sub, n_keys, length);
  *visible = both (b, *visible, PH_BUILD (b, Less, count_to (b, n_keys), length));
  missing = ph_build_node (b, &ph_op_Concat, PH_VALUES_ (INTS (0), PH_BUILD (b, Reshape, missing, INTS (-1))), 2,
                           AXIS ("axis", 0), 1);
  return ph_build_node (b, &ph_op_Pad, PH_VALUES_ (mask, missing, NULL, INTS (axis)), 4, NULL, 1);
}

static gboolean
build_attention (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const gint64 q_heads = ph_heads_dim (in[QUERY]->type, ph_node_attr_int (node, "q_num_heads", 0), 1).size;
  const gint64 heads = ph_heads_dim (in[KEY]->type, ph_node_attr_int (node, "kv_num_heads", 0), 1).size;
  const gint64 size = ph_heads_dim (in[QUERY]->type, q_heads, 3).size, group = heads > 0 ? q_heads / heads : 1;
  const PhDType dtype = in[QUERY]->type->dtype;
  const int mode = (int) ph_node_attr_int (node, "qk_matmul_output_mode", SHOW_PRODUCT);
  const double scale = ph_node_attr_float (node, "scale", 1 / sqrt (size)), cap = ph_node_attr_float (node, "softcap", 0);
  const double low = dtype == PH_FLOAT16 ? -6e4 : -1e38;
  gint64 swap[4] = { 0, 1, 3, 2 }, back[4] = { 0, 2, 1, 3 };
  PhValue *q = split_heads (b, in[QUERY], q_heads), *k = split_heads (b, in[KEY], heads), *v = split_heads (b, in[VALUE], heads);
  PhValue *scores, *visible, *shown, *y;

  if (in[PAST_KEY] != NULL)
    {
      k = ph_build_node (b, &ph_op_Concat, PH_VALUES_ (in[PAST_KEY], k), 2, AXIS ("axis", 2), 1);
      v = ph_build_node (b, &ph_op_Concat, PH_VALUES_ (in[PAST_VALUE], v), 2, AXIS ("axis", 2), 1);
    }
  out[1] = k;
  out[2] = v;
  k = repeat_heads (b, k, heads, group);
  v = repeat_heads (b, v, heads, group);
  scores = MUL (PH_BUILD (b, MatMul, q, PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, 4)), k)),
                ph_build_scalar (b, dtype, scale));
  shown = scores;
  if (cap > 0)
    scores = MUL (PH_BUILD (b, Tanh, PH_BUILD (b, Div, scores, ph_build_scalar (b, dtype, cap))),
                  ph_build_scalar (b, dtype, cap));
  if (mode == SHOW_CAPPED)
    shown = scores;

  visible = build_visible (b, node, in, scores);
  if (in[MASK] != NULL)
    {
      PhValue *mask = lengthen_mask (b, in[MASK], scores, &visible);

      if (in[MASK]->type->dtype == PH_BOOL)
        visible = both (b, visible, mask);
      else
        {
          mask = as_dtype (b, mask, dtype);
          scores = ADD (scores, mask);
          visible = both (b, visible, PH_BUILD (b, Greater, mask, ph_build_scalar (b, dtype, low)));
        }
    }
  if (mode == SHOW_BIASED)
    shown = visible != NULL ? PH_BUILD (b, Where, visible, scores, ph_build_scalar (b, dtype, -INFINITY)) : scores;
  /* Hidden keys get no weight. If all are hidden, the softmax is uniform and is zeroed. */
  if (visible != NULL)
    scores = PH_BUILD (b, Where, visible, scores, ph_build_scalar (b, dtype, low));
  scores = PH_BUILD_WITH (b, Softmax, AXIS ("axis", -1), scores);
  if (visible != NULL)
    scores = PH_BUILD (b, Where, visible, scores, ph_build_scalar (b, dtype, 0));
  out[3] = mode == SHOW_PROBABILITY ? scores : shown;
  y = as_dtype (b, PH_BUILD (b, MatMul, as_dtype (b, scores, in[VALUE]->type->dtype), v), dtype);
  if (in[QUERY]->type->rank == 3)
    y = PH_BUILD (b, Reshape, PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", back, 4)), y), INTS (0, 0, -1));
  out[0] = y;
  return TRUE;
}

gboolean
ph_grad_attention_at_length (PhGrad *grad, GError **error)
{
  const PhNode *node = grad->node;

  for (guint i = QUERY; i <= PAST_VALUE; i++)
    {
      const PhValue *value = ph_grad_in (grad, i);

      if ((value == NULL && i <= VALUE) || (value != NULL && (value->type == NULL || !value->type->has_rank)))
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs the rank of its input %u", i);
    }
  if (!ph_dim_known (ph_heads_dim (ph_grad_in (grad, QUERY)->type, ph_node_attr_int (node, "q_num_heads", 0), 1))
      || !ph_dim_known (ph_heads_dim (ph_grad_in (grad, KEY)->type, ph_node_attr_int (node, "kv_num_heads", 0), 1))
      || !ph_dim_known (ph_heads_dim (ph_grad_in (grad, QUERY)->type, ph_node_attr_int (node, "q_num_heads", 0), 3))
      || (ph_grad_in (grad, PAST_KEY) == NULL) != (ph_grad_in (grad, PAST_VALUE) == NULL))
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its gradient needs the number and the size of its heads");
  return ph_grad_through (grad, build_attention, error);
}
