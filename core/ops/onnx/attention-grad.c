/* attention-grad.c: the gradient of Attention, in matrix products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/onnx/attention.h"

/* Inputs by number. */
enum
{
  QUERY,
  KEY,
  VALUE,
  MASK,
  PAST_KEY
};
/* The contents of output 3. */
enum
{
  SHOW_CAPPED = 1,
  SHOW_PROBABILITY = 3
};

/* Returns the known ones of (batch, heads, length, size). */
static gboolean
head_dims (const PhType *type, gint64 heads, PhDim *dims)
{
  if (type == NULL || !type->has_rank || (type->rank != 4 && (type->rank != 3 || heads <= 0)))
    return FALSE;
  dims[0] = type->dims[0];
  dims[1] = type->rank == 4 ? type->dims[1] : PH_DIM (heads);
  dims[2] = type->dims[type->rank - 2];
  dims[3] = type->rank == 4 ? type->dims[3] : ph_dim_div (type->dims[2], PH_DIM (heads));
  return TRUE;
}

#define MUL(x_, y_)    PH_BUILD (b, Mul, x_, y_)
#define MATMUL(x_, y_) PH_BUILD (b, MatMul, x_, y_)

/* [batch, kv heads, group, length, size], from 4-D or flat; keys and values are groups of one. */
static PhValue *
as_groups (PhBuilder *b, PhValue *value, gint64 kv_heads, gint64 group)
{
  if (value->type->rank == 4)
    {
      gint64 axis = 2;

      if (group == 1)
        return PH_BUILD (b, Unsqueeze, value, ph_build_ints (b, &axis, 1));

      /* The 0 keeps the batch and the heads are split; length and size are taken from the shape of the value itself. */
      PhValue *tail = PH_BUILD_WITH (b, Shape, PH_ATTRS (ph_attr_new_int ("start", 2)), value);
      gint64 front[3] = { 0, kv_heads, group };

      return PH_BUILD (b, Reshape, value,
                       PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_build_ints (b, front, 3), tail));
    }

  gint64 shape[5] = { 0, 0, kv_heads, group, -1 }, perm[5] = { 0, 2, 3, 1, 4 };

  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 5)),
                        PH_BUILD (b, Reshape, value, ph_build_ints (b, shape, 5)));
}

static PhValue *
from_groups (PhGrad *grad, PhValue *value, PhValue *like)
{
  PhBuilder *b = grad->b;
  gint64 perm[5] = { 0, 3, 1, 2, 4 };

  if (like->type->rank == 3)
    value = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 5)), value);
  return ph_grad_reshape_like (grad, value, like);
}

static PhValue *
swapped (PhBuilder *b, PhValue *value)
{
  gint64 perm[5] = { 0, 1, 2, 4, 3 };

  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 5)), value);
}

static PhValue *
sum_groups (PhBuilder *b, PhValue *value)
{
  gint64 axis = 2;

  return PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), value, ph_build_ints (b, &axis, 1));
}

/* Returns TRUE if the gradient has a cache, outputs other than the first, or a wanted mask that may be shorter than the keys. */
static gboolean
is_long (PhGrad *grad)
{
  const PhValue *mask = ph_grad_in (grad, MASK), *k = ph_grad_in (grad, KEY);

  if (ph_grad_in (grad, PAST_KEY) != NULL || ph_grad_in (grad, PAST_KEY + 1) != NULL)
    return TRUE;
  for (guint i = 1; i < grad->node->outputs->len; i++)
    if (grad->dy[i] != NULL)
      return TRUE;
  if (mask == NULL || !grad->wanted[MASK])
    return FALSE;
  return mask->type == NULL || !mask->type->has_rank || mask->type->rank == 0 || k->type == NULL || !k->type->has_rank
         || k->type->rank < 3 || !ph_dim_known (mask->type->dims[mask->type->rank - 1])
         || !ph_dim_equal (mask->type->dims[mask->type->rank - 1], k->type->dims[k->type->rank - 2]);
}

/* With S = scale Q K' (capped, biased), P = softmax S, Y = P V: dV = P' dY, dP = dY V', dS = P (dP - sum (dP P)), dQ = scale dS K, dK =
 * scale dS' Q. P is output 3 of a copy of the node; the other way to get it, the same node with an identity matrix as V, needs a matrix
 * just as large. */
gboolean
ph_grad_attention (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  const PhNode *node = grad->node;
  PhValue *q = ph_grad_in (grad, QUERY), *k = ph_grad_in (grad, KEY), *v = ph_grad_in (grad, VALUE);
  PhValue *mask = ph_grad_in (grad, MASK);
  gint64 q_heads = ph_node_attr_int (node, "q_num_heads", 0), kv_heads = ph_node_attr_int (node, "kv_num_heads", 0), last = -1;
  double scale, cap = ph_node_attr_float (node, "softcap", 0);
  PhDim q_dims[4], k_dims[4];
  const char *problem = NULL;

  if (is_long (grad))
    return ph_grad_attention_at_length (grad, error);
  if (!head_dims (q->type, q_heads, q_dims) || !head_dims (k->type, kv_heads, k_dims) || v->type == NULL
      || v->type->rank != k->type->rank || q->type->rank != k->type->rank || !ph_dim_known (q_dims[1])
      || !ph_dim_known (k_dims[1]) || !ph_dim_known (q_dims[3]))
    problem = "cannot be differentiated while the number or size of its heads is unknown";
  if (problem != NULL)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "%s", problem);

  gint64 group = q_dims[1].size / MAX (k_dims[1].size, 1);
  g_autofree PhValue **inputs = g_new0 (PhValue *, node->inputs->len);
  g_autoptr (GPtrArray) attrs = g_ptr_array_new ();
  PhValue *probability, *capped = NULL, *qs, *ks, *vs, *dys, *dp, *ds, *product;

  scale = ph_node_attr_float (node, "scale", 1 / sqrt (q_dims[3].size));
  for (guint pass = 0; pass < (cap > 0 ? 2 : 1); pass++)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        inputs[i] = ph_grad_in (grad, i);
      for (guint i = 0; i < node->attrs->len; i++)
        if (!g_str_equal (((PhAttr *) node->attrs->pdata[i])->name, "qk_matmul_output_mode"))
          g_ptr_array_add (attrs, ph_attr_ref (node->attrs->pdata[i]));
      g_ptr_array_add (attrs, ph_attr_new_int ("qk_matmul_output_mode", pass == 0 ? SHOW_PROBABILITY : SHOW_CAPPED));
      g_ptr_array_add (attrs, NULL);
      product = ph_build_node (b, &ph_op_Attention, inputs, node->inputs->len, (PhAttr **) attrs->pdata, 4);
      g_ptr_array_set_size (attrs, 0);
      if (product == NULL)
        return TRUE; /* the builder holds the error */
      *(pass == 0 ? &probability : &capped) = ph_node_output (product->producer, 3);
    }

  qs = as_groups (b, q, k_dims[1].size, group);
  ks = as_groups (b, k, k_dims[1].size, 1);
  vs = as_groups (b, v, k_dims[1].size, 1);
  dys = as_groups (b, grad->dy[0], k_dims[1].size, group);
  probability = as_groups (b, probability, k_dims[1].size, group);
  dp = MATMUL (dys, swapped (b, vs));
  product = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), MUL (dp, probability),
                           ph_build_ints (b, &last, 1));
  ds = MUL (probability, PH_BUILD (b, Sub, dp, product));
  if (mask != NULL && grad->wanted[MASK] && mask->type != NULL && ph_dtype_is_float (mask->type->dtype))
    grad->dx[MASK] = PH_BUILD (b, Reshape, ds,
                               PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                                              ph_build_ints (b, (gint64[]) { 0, q_dims[1].size }, 2),
                                              PH_BUILD_WITH (b, Shape, PH_ATTRS (ph_attr_new_int ("start", 3)), ds)));
  if (cap > 0) /* c tanh (s / c) has the slope 1 - (capped / c)^2 */
    {
      PhValue *ratio = PH_BUILD (b, Div, as_groups (b, capped, k_dims[1].size, group), ph_grad_like (grad, q, cap));

      ds = MUL (ds, PH_BUILD (b, Sub, ph_grad_like (grad, q, 1), MUL (ratio, ratio)));
    }
  ds = MUL (ds, ph_grad_like (grad, q, scale));
  if (grad->wanted[QUERY])
    grad->dx[QUERY] = from_groups (grad, MATMUL (ds, ks), q);
  if (grad->wanted[KEY])
    grad->dx[KEY] = from_groups (grad, sum_groups (b, MATMUL (swapped (b, ds), qs)), k);
  if (grad->wanted[VALUE])
    grad->dx[VALUE] = from_groups (grad, sum_groups (b, MATMUL (swapped (b, probability), dys)), v);
  return TRUE;
}

/* ── RotaryEmbedding, by its caches as well ── */

/* clang-format off */
#define SPLIT_HALVES(value_) \
  ph_build_node (b, &ph_op_Split, &(PhValue *) { value_ }, 1, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("num_outputs", 2)), 2)
/* clang-format on */

/* Elements @from, @from + @step, ... before @to of the last axis. */
static PhValue *
slice_last (PhBuilder *b, PhValue *value, gint64 from, gint64 to, gint64 step)
{
  const gint64 last = -1;

  return PH_BUILD (b, Slice, value, ph_build_ints (b, &from, 1), ph_build_ints (b, &to, 1), ph_build_ints (b, &last, 1),
                   ph_build_ints (b, &step, 1));
}

static gboolean
build_rotary (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const gboolean interleaved = ph_node_attr_int (node, "interleaved", 0) != 0, flat = in[0]->type->rank == 3;
  const gint64 turned = ph_node_attr_int (node, "rotary_embedding_dim", 0), axis = flat ? 2 : 1, last = -1;
  gint64 split[4] = { 0, 0, ph_node_attr_int (node, "num_heads", 0), -1 }, join[4] = { 0, 0, 0, -1 };
  PhValue *x = in[0], *rest = NULL, *turn[2], *part[2], *result[2], *whole;

  if (flat)
    x = PH_BUILD (b, Reshape, x, ph_build_ints (b, split, 4));
  for (guint i = 0; i < 2; i++)
    {
      turn[i] = in[3] != NULL ? PH_BUILD (b, Gather, in[1 + i], in[3]) : in[1 + i];
      turn[i] = PH_BUILD (b, Unsqueeze, turn[i], ph_build_ints (b, &axis, 1));
    }
  if (turned > 0)
    {
      rest = slice_last (b, x, turned, G_MAXINT64, 1);
      x = slice_last (b, x, 0, turned, 1);
    }
  if (interleaved)
    for (guint i = 0; i < 2; i++)
      part[i] = slice_last (b, x, i, G_MAXINT64, 2);
  else
    {
      part[0] = SPLIT_HALVES (x);
      part[1] = part[0] != NULL ? ph_node_output (part[0]->producer, 1) : NULL;
    }
  result[0] = PH_BUILD (b, Sub, MUL (part[0], turn[0]), MUL (part[1], turn[1]));
  result[1] = PH_BUILD (b, Add, MUL (part[0], turn[1]), MUL (part[1], turn[0]));
  for (guint i = 0; i < 2 && interleaved; i++)
    result[i] = PH_BUILD (b, Unsqueeze, result[i], ph_build_ints (b, &last, 1));
  whole = ph_build_node (b, &ph_op_Concat, result, 2, PH_ATTRS (ph_attr_new_int ("axis", -1)), 1);
  if (interleaved)
    whole = PH_BUILD (b, Reshape, whole, ph_build_ints (b, join, 4));
  if (rest != NULL)
    whole = ph_build_node (b, &ph_op_Concat, PH_VALUES_ (whole, rest), 2, PH_ATTRS (ph_attr_new_int ("axis", -1)), 1);
  out[0] = flat ? PH_BUILD (b, Reshape, whole, ph_build_ints (b, (gint64[]) { 0, 0, -1 }, 3)) : whole;
  return TRUE;
}

gboolean
ph_grad_rotary_caches (PhGrad *grad, GError **error)
{
  const PhType *type = ph_grad_in (grad, 0)->type;

  if (type == NULL || !type->has_rank || (type->rank != 3 && type->rank != 4))
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its gradient by the caches needs the rank of its input");
  return ph_grad_through (grad, build_rotary, error);
}
