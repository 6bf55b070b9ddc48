/* microsoft-attention.c: the kinds of attention of com.microsoft.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/microsoft/microsoft.h"

#include <math.h>

/* Builds attention on heads [batch, heads, length, size]: softmax (q k' scale + bias) v, back as [batch, length, heads * size]. @bias:
 * (nullable) */
static PhValue *
dot_attention (PhBuilder *b, PhValue *q, PhValue *k, PhValue *v, double scale, PhValue *bias, double softcap)
{
  PhValue *scores = PH_BUILD (b, MatMul, q, ph_ms_transpose (b, k, (gint64[]) { 0, 1, 3, 2 }, 4)), *y;

  scores = PH_BUILD (b, Mul, scores, ph_ms_number (b, scores, scale));
  if (softcap > 0)
    scores = PH_BUILD (b, Mul, PH_BUILD (b, Tanh, PH_BUILD (b, Div, scores, ph_ms_number (b, scores, softcap))),
                       ph_ms_number (b, scores, softcap));
  if (bias != NULL)
    scores = PH_BUILD (b, Add, scores, bias);
  y = PH_BUILD (b, MatMul, PH_BUILD_WITH (b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", -1)), scores), v);
  return ph_ms_reshape (b, ph_ms_transpose (b, y, (gint64[]) { 0, 2, 1, 3 }, 4), (gint64[]) { 0, 0, -1 }, 3);
}

/* Reshapes [batch, length, heads * size] to [batch, heads, length, size]. */
static PhValue *
to_heads (PhBuilder *b, PhValue *value, gint64 heads)
{
  return ph_ms_transpose (b, ph_ms_reshape (b, value, (gint64[]) { 0, 0, heads, -1 }, 4), (gint64[]) { 0, 2, 1, 3 }, 4);
}

static PhValue *
part (PhBuilder *b, PhValue *value, gint64 axis, gint64 from, gint64 to)
{
  return PH_BUILD (b, Slice, value, ph_build_ints (b, &from, 1), ph_build_ints (b, &to, 1), ph_build_ints (b, &axis, 1));
}

static PhValue *
squeezed (PhBuilder *b, PhValue *value, gint64 axis)
{
  return PH_BUILD (b, Squeeze, value, ph_build_ints (b, &axis, 1));
}

static PhValue *
unsqueezed (PhBuilder *b, PhValue *value, gint64 axis)
{
  return PH_BUILD (b, Unsqueeze, value, ph_build_ints (b, &axis, 1));
}

static PhValue *
joined (PhBuilder *b, PhValue *first, PhValue *second, gint64 axis)
{
  return PH_BUILD_WITH (b, Concat, PH_ATTRS (ph_attr_new_int ("axis", axis)), first, second);
}

static gint64
size_of (const PhValue *value, int axis)
{
  const PhType *type = value != NULL ? value->type : NULL;

  return type != NULL && type->has_rank && axis < (int) type->rank ? type->dims[axis].size : -1;
}

/* Builds 0 where @keep is true, and @number elsewhere. */
static PhValue *
penalty (PhBuilder *b, PhValue *keep, PhValue *like, double number)
{
  return PH_BUILD (b, Where, keep, ph_ms_number (b, like, 0), ph_ms_number (b, like, number));
}

/* Builds the bias for scores [.., length, total] that hides later positions; past ones come first. @window >= 0 also hides positions
 * further back than that. */
static PhValue *
causal_bias (PhBuilder *b, PhValue *like, gint64 length, gint64 total, gint64 window, double number)
{
  PhTensor *keep = ph_tensor_new (PH_BOOL, 2, (gint64[]) { length, total });
  guint8 *data = keep != NULL ? ph_tensor_writable (keep) : NULL;

  for (gint64 i = 0; data != NULL && i < length; i++)
    for (gint64 j = 0; j < total; j++)
      data[i * total + j] = j <= total - length + i && (window < 0 || j > total - length + i - window);
  return penalty (b, ph_build_tensor (b, keep), like, number);
}

static PhValue *
added (PhBuilder *b, PhValue *sum, PhValue *value)
{
  return sum == NULL ? value : value == NULL ? sum : PH_BUILD (b, Add, sum, value);
}

/* Turns an integer mask in any of its forms into a bias for scores [batch, heads, length, total]. */
static PhValue *
mask_bias (PhExpand *x, PhValue *mask, PhValue *like, gint64 batch, gint64 total, double number)
{
  PhBuilder *b = x->b;
  const guint rank = mask->type != NULL ? mask->type->rank : 0;
  PhValue *keep, *places;

  if (rank == 1) /* lengths, and perhaps where each row starts */
    {
      PhTensor *range = ph_tensor_new (PH_INT32, 1, (gint64[]) { total });
      const gint64 n = size_of (mask, 0);
      PhValue *ends = n > batch ? part (b, mask, 0, 0, batch) : mask;

      for (gint64 i = 0; range != NULL && i < total; i++)
        ((gint32 *) ph_tensor_writable (range))[i] = i;
      places = ph_build_tensor (b, range);
      keep = PH_BUILD (b, Less, places, unsqueezed (b, ends, 1));
      if (n == 2 * batch)
        keep = PH_BUILD (b, And, keep,
                         PH_BUILD (b, GreaterOrEqual, places, unsqueezed (b, part (b, mask, 0, batch, 2 * batch), 1)));
      keep = ph_ms_reshape (b, keep, (gint64[]) { batch, 1, 1, total }, 4);
    }
  else
    {
      keep = PH_BUILD (b, Greater, mask, ph_ms_number (b, mask, 0));
      if (rank == 2)
        keep = ph_ms_reshape (b, keep, (gint64[]) { 0, 1, 1, -1 }, 4);
      else if (rank == 3)
        keep = unsqueezed (b, keep, 1);
    }
  return penalty (b, keep, like, number);
}

/* The arguments common to all kinds, after splitting into heads. @past: (nullable) [.., batch, heads, length, size] */
typedef struct
{
  PhValue *q, *k, *v, *past_k, *past_v, *mask, *bias; /* (nullable) except the first three */
  gint64 window;                                      /* -1: no window */
  gboolean causal;
  double scale, softcap, filter;
} Attend;

static gboolean
attend (PhExpand *x, Attend *a, PhValue **present_k, PhValue **present_v, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *bias = a->bias;
  gint64 batch, length, total;

  if (a->past_k != NULL && size_of (a->past_k, 2) != 0)
    {
      a->k = joined (b, a->past_k, a->k, 2);
      a->v = joined (b, a->past_v, a->v, 2);
    }
  if (b->error != NULL)
    return FALSE;
  *present_k = a->k;
  *present_v = a->v;
  batch = size_of (a->q, 0);
  length = size_of (a->q, 2);
  total = size_of (a->k, 2);
  if ((a->causal && (length < 0 || total < 0)) || (a->mask != NULL && (batch < 0 || total < 0)))
    return ph_expand_fail (x, error, "the lengths of its sequences are not known before it runs");
  if (a->mask != NULL)
    bias = added (b, bias, mask_bias (x, a->mask, a->q, batch, total, a->filter));
  if (a->causal && (length > 1 || a->window >= 0))
    bias = added (b, bias, causal_bias (b, a->q, length, total, a->window, -INFINITY));
  if (a->scale == 0)
    {
      if (size_of (a->q, 3) < 1)
        return ph_expand_fail (x, error, "the size of its heads is not known");
      a->scale = 1 / sqrt ((double) size_of (a->q, 3));
    }
  x->out[0] = dot_attention (b, a->q, a->k, a->v, a->scale, bias, a->softcap);
  return x->out[0] != NULL;
}

/* ── Attention ── */

/* Splits the packed projections [batch, length, all three]. */
static gboolean
attend_projected (PhExpand *x, PhValue *all, guint mask, guint past, guint bias, GError **error)
{
  PhBuilder *b = x->b;
  const gint64 heads = ph_node_attr_int (x->node, "num_heads", 0);
  PhValue *past_value = ph_expand_in (x, past), *present_k, *present_v;
  gint64 width = size_of (all, 2);
  gsize n = 0;
  const gint64 *sizes = ph_node_attr_ints (x->node, "qkv_hidden_sizes", &n);
  gint64 q_size, k_size;
  Attend a = { .window = -1,
               .mask = ph_expand_in (x, mask),
               .bias = ph_expand_in (x, bias),
               .causal = ph_node_attr_int (x->node, "unidirectional", 0) != 0,
               .scale = ph_node_attr_float (x->node, "scale", 0),
               .filter = ph_node_attr_float (x->node, "mask_filter_value", -10000) };

  if (b->error != NULL)
    return FALSE;
  if (heads < 1 || width < 1)
    return ph_expand_fail (x, error, "its num_heads is missing, or the shape of its weights is not known");
  if (ph_node_attr_int (x->node, "do_rotary", 0) != 0 || ph_node_attr_int (x->node, "past_present_share_buffer", 0) != 0)
    return ph_expand_fail (x, error, "do_rotary and past_present_share_buffer are not read here");
  q_size = n == 3 ? sizes[0] : width / 3;
  k_size = n == 3 ? sizes[1] : width / 3;
  a.q = to_heads (b, part (b, all, 2, 0, q_size), heads);
  a.k = to_heads (b, part (b, all, 2, q_size, q_size + k_size), heads);
  a.v = to_heads (b, part (b, all, 2, q_size + k_size, width), heads);
  if (past_value != NULL)
    {
      a.past_k = squeezed (b, part (b, past_value, 0, 0, 1), 0);
      a.past_v = squeezed (b, part (b, past_value, 0, 1, 2), 0);
    }
  if (!attend (x, &a, &present_k, &present_v, error))
    return FALSE;
  if (ph_expand_wants (x, 1))
    x->out[1] = joined (b, unsqueezed (b, present_k, 0), unsqueezed (b, present_v, 0), 0);
  return TRUE;
}

static gboolean
expand_attention (PhExpand *x, GError **error)
{
  PhValue *all = PH_BUILD (x->b, MatMul, ph_expand_in (x, 0), ph_expand_in (x, 1));

  if (ph_expand_in (x, 2) != NULL)
    all = PH_BUILD (x->b, Add, all, ph_expand_in (x, 2));
  return attend_projected (x, all, 3, 4, 5, error);
}

/* clang-format off */
#define ATTENTION_ATTRS                                                                                                \
  { "num_heads", PH_ATTR_INT, .required = TRUE }, { "unidirectional", PH_ATTR_INT, "0" }, { "qkv_hidden_sizes", PH_ATTR_INTS }, \
  { "mask_filter_value", PH_ATTR_FLOAT, "-10000.0" }, { "scale", PH_ATTR_FLOAT }, { "do_rotary", PH_ATTR_INT, "0" },   \
  { "rotary_embedding_dim", PH_ATTR_INT, "0" }, { "past_present_share_buffer", PH_ATTR_INT, "0" }

const PhOp ph_op_MsAttention = {
  PH_MS ("Attention"), PH_SPELT_OUT (expand_attention),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX,
  .main_attrs = { "num_heads", "unidirectional" },
  .example = { "x[1,3,4] w[4,12] b[12]", "y = com.microsoft.Attention <num_heads = 2, unidirectional = 1> (x, w, b)", -1, 1 },
  .doc = "Attention of several heads with its projections in one product.",
  .inputs = { { "input", 'T', PH_FLOATS }, { "weights", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "mask_index", 0, PH_T (INT32), PH_ARG_OPTIONAL }, { "past", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "attention_bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "past_sequence_length", 0, PH_T (INT32), PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "present", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { ATTENTION_ATTRS },
};
/* clang-format on */

static gboolean
expand_quantized_attention (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *scale = PH_BUILD (b, Mul, ph_expand_in (x, 3), ph_expand_in (x, 4)), *all;

  all = PH_BUILD (b, MatMulInteger, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 6), ph_expand_in (x, 7));
  all = PH_BUILD (b, Add, PH_BUILD (b, Mul, ph_ms_cast (b, all, ph_expand_dtype (x, 3)), scale), ph_expand_in (x, 2));
  return attend_projected (x, all, 5, 8, G_MAXUINT, error);
}

#define BYTES (PH_T (INT8) | PH_T (UINT8))

/* clang-format off */
const PhOp ph_op_MsQAttention = {
  PH_MS ("QAttention"), PH_SPELT_OUT (expand_quantized_attention),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX,
  .doc = "Attention of several heads whose input and weights are narrow integers.",
  .inputs = { { "input", 'X', BYTES }, { "weight", 'W', BYTES }, { "bias", 'T', PH_FLOATS }, { "input_scale", 'T', PH_FLOATS },
              { "weight_scale", 'T', PH_FLOATS }, { "mask_index", 0, PH_T (INT32), PH_ARG_OPTIONAL },
              { "input_zero_point", 'X', BYTES, PH_ARG_OPTIONAL }, { "weight_zero_point", 'W', BYTES, PH_ARG_OPTIONAL },
              { "past", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "present", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { ATTENTION_ATTRS },
};
/* clang-format on */

/* ── MultiHeadAttention ── */

/* Returns entry @i of axis 3 of [batch, length, heads, n, size], as heads. */
static PhValue *
unpacked (PhBuilder *b, PhValue *packed, gint64 i)
{
  return ph_ms_transpose (b, squeezed (b, part (b, packed, 3, i, i + 1), 3), (gint64[]) { 0, 2, 1, 3 }, 4);
}

static gboolean
expand_multi_head_attention (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *q = ph_expand_in (x, 0), *k = ph_expand_in (x, 1), *v = ph_expand_in (x, 2), *present_k, *present_v;
  const gint64 heads = ph_node_attr_int (x->node, "num_heads", 0);
  const int rank = ph_expand_rank (x, 0), k_rank = ph_expand_rank (x, 1);
  const gint64 width = ph_expand_dim (x, 0, 2);
  /* clang-format off */
  Attend a = {
    .window = -1, .mask = ph_expand_in (x, 4), .bias = ph_expand_in (x, 5), .past_k = ph_expand_in (x, 6),
    .past_v = ph_expand_in (x, 7), .causal = ph_node_attr_int (x->node, "unidirectional", 0) != 0,
    .scale = ph_node_attr_float (x->node, "scale", 0), .filter = ph_node_attr_float (x->node, "mask_filter_value", -10000)
  };
  /* clang-format on */

  if (heads < 1 || (rank != 3 && rank != 5) || (k != NULL && k_rank < 3))
    return ph_expand_fail (x, error, "num_heads is missing, or the rank of its query or key is not known");
  if (rank == 5)
    {
      if (ph_expand_in (x, 3) != NULL)
        return ph_expand_fail (x, error, "a bias with a packed query is not read here: add it before");
      a.q = unpacked (b, q, 0);
      a.k = unpacked (b, q, 1);
      a.v = unpacked (b, q, 2);
    }
  else
    {
      PhValue *bias = ph_expand_in (x, 3);

      if (bias != NULL && width < 0)
        return ph_expand_fail (x, error, "the width of its query is not known");
      if (bias != NULL)
        q = PH_BUILD (b, Add, q, part (b, bias, 0, 0, width));
      a.q = to_heads (b, q, heads);
      if (k == NULL)
        return ph_expand_fail (x, error, "a query that is not packed needs a key");
      if (k_rank == 5)
        {
          a.k = unpacked (b, k, 0);
          a.v = unpacked (b, k, 1);
        }
      else if (k_rank == 4) /* of another sequence, in heads already */
        {
          a.k = k;
          a.v = v;
        }
      else
        {
          if (bias != NULL)
            {
              k = PH_BUILD (b, Add, k, part (b, bias, 0, width, 2 * width));
              v = PH_BUILD (b, Add, v, part (b, bias, 0, 2 * width, G_MAXINT64));
            }
          a.k = to_heads (b, k, heads);
          a.v = to_heads (b, v, heads);
        }
    }
  if (!attend (x, &a, &present_k, &present_v, error))
    return FALSE;
  if (ph_expand_wants (x, 1))
    x->out[1] = present_k;
  if (ph_expand_wants (x, 2))
    x->out[2] = present_v;
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_MsMultiHeadAttention = {
  PH_MS ("MultiHeadAttention"), PH_SPELT_OUT (expand_multi_head_attention),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX,
  .main_attrs = { "num_heads" },
  .example = { "q[1,2,4] k[1,3,4] v[1,3,4] b[12]", "y = com.microsoft.MultiHeadAttention <num_heads = 2> (q, k, v, b)", -1, 1 },
  .doc = "Attention of several heads, after the projections.",
  .inputs = { { "query", 'T', PH_FLOATS }, { "key", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "value", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "key_padding_mask", 0, PH_T (INT32), PH_ARG_OPTIONAL },
              { "attention_bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "past_key", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "past_value", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "past_sequence_length", 0, PH_T (INT32), PH_ARG_OPTIONAL },
              { "cache_indirection", 0, PH_T (INT32), PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "present_key", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
               { "present_value", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { { "num_heads", PH_ATTR_INT, .required = TRUE }, { "unidirectional", PH_ATTR_INT, "0" },
             { "mask_filter_value", PH_ATTR_FLOAT, "-10000.0" }, { "scale", PH_ATTR_FLOAT } },
};
/* clang-format on */

/* ── RotaryEmbedding ── */

/* Rotates @value, [batch, length, heads * size] or [batch, heads, length, size]. @positions: [1], the position of the first element, or
 * [batch, length]. */
static PhValue *
rotate (PhExpand *x, PhValue *value, PhValue *positions, PhValue *cos, PhValue *sin, gint64 heads, gint64 rotary,
        gboolean interleaved)
{
  PhBuilder *b = x->b;
  const int rank = value != NULL && value->type != NULL && value->type->has_rank ? (int) value->type->rank : -1;
  const gint64 batch = size_of (value, 0), length = size_of (value, rank == 4 ? 2 : 1);

  if (rank < 3 || batch < 0 || length < 0)
    {
      if (b->error == NULL)
        ph_expand_fail (x, &b->error, "the shape of its operand is not known before it runs");
      return NULL;
    }
  if (size_of (positions, 0) == 1 && positions->type->rank == 1)
    {
      PhTensor *range = ph_tensor_new (PH_INT64, 2, (gint64[]) { batch, length });

      for (gint64 i = 0; range != NULL && i < batch * length; i++)
        ((gint64 *) ph_tensor_writable (range))[i] = i % length;
      positions = PH_BUILD (b, Add, ph_build_tensor (b, range), positions);
    }
  return PH_BUILD_WITH (b, RotaryEmbedding,
                        PH_ATTRS (ph_attr_new_int ("interleaved", interleaved), ph_attr_new_int ("num_heads", heads),
                                  ph_attr_new_int ("rotary_embedding_dim", rotary)),
                        value, cos, sin, positions);
}

static gboolean
expand_rotary_embedding (PhExpand *x, GError **error)
{
  const gint64 rotary = ph_node_attr_int (x->node, "rotary_embedding_dim", 0), half = ph_expand_dim (x, 2, 1);
  gint64 heads = ph_node_attr_int (x->node, "num_heads", 0);

  if (ph_node_attr_int (x->node, "is_packed_batching", 0) != 0)
    return ph_expand_fail (x, error, "is_packed_batching is not read here");
  if (heads < 1 && ph_expand_rank (x, 0) == 3)
    {
      if (half < 1 || ph_expand_dim (x, 0, 2) < 1 || rotary > 0)
        return ph_expand_fail (x, error, "num_heads is missing");
      heads = ph_expand_dim (x, 0, 2) / (2 * half);
    }
  x->out[0] = rotate (x, ph_expand_in (x, 0), ph_expand_in (x, 1), ph_expand_in (x, 2), ph_expand_in (x, 3), heads, rotary,
                      ph_node_attr_int (x->node, "interleaved", 0) != 0);
  return x->out[0] != NULL;
}

/* clang-format off */
const PhOp ph_op_MsRotaryEmbedding = {
  PH_MS ("RotaryEmbedding"), PH_SPELT_OUT (expand_rotary_embedding),
  .family = PH_FAMILY_LINEAR, .main_attrs = { "num_heads", "interleaved" },
  .doc = "Turns pairs of numbers of each head by angles that grow with the position.",
  .inputs = { { "input", 'T', PH_FLOATS }, { "position_ids", 0, PH_T (INT64) }, { "cos_cache", 'T', PH_FLOATS },
              { "sin_cache", 'T', PH_FLOATS } },
  .outputs = { { "output", 'T', PH_FLOATS } },
  .attrs = { { "interleaved", PH_ATTR_INT, "0" }, { "num_heads", PH_ATTR_INT, "0" }, { "rotary_embedding_dim", PH_ATTR_INT, "0" },
             { "is_packed_batching", PH_ATTR_INT, "0" }, { "scale", PH_ATTR_FLOAT, "1.0" } },
};
/* clang-format on */

/* ── GroupQueryAttention ── */

/* Repeats each head of @value @times times. */
static PhValue *
repeated (PhBuilder *b, PhValue *value, gint64 times)
{
  PhValue *y;

  if (times == 1)
    return value;
  y = unsqueezed (b, value, 2);
  y = PH_BUILD (b, Expand, y, ph_build_ints (b, (gint64[]) { 1, 1, times, 1, 1 }, 5));
  return ph_ms_reshape (b, y, (gint64[]) { size_of (value, 0), size_of (value, 1) * times, size_of (value, 2), -1 }, 4);
}

static gboolean
expand_group_query_attention (PhExpand *x, GError **error)
{
  PhBuilder *b = x->b;
  PhValue *q = ph_expand_in (x, 0), *k = ph_expand_in (x, 1), *v = ph_expand_in (x, 2), *lengths = ph_expand_in (x, 5);
  PhTensor *ends = lengths != NULL ? ph_value_constant (lengths) : NULL;
  const gint64 heads = ph_node_attr_int (x->node, "num_heads", 0), groups = ph_node_attr_int (x->node, "kv_num_heads", 0);
  const gint64 length = ph_expand_dim (x, 0, 1), batch = ph_expand_dim (x, 0, 0),
               window = ph_node_attr_int (x->node, "local_window_size", -1);
  const gint64 past = ph_expand_in (x, 3) != NULL ? ph_expand_dim (x, 3, 2) : 0;
  const gboolean interleaved = ph_node_attr_int (x->node, "rotary_interleaved", 0) != 0;
  PhValue *present_k, *present_v, *positions = ph_expand_in (x, 9);
  Attend a = { .window = window,
               .causal = TRUE,
               .scale = ph_node_attr_float (x->node, "scale", 0),
               .softcap = ph_node_attr_float (x->node, "softcap", 0) };

  if (heads < 1 || groups < 1 || heads % groups != 0 || ph_expand_rank (x, 0) != 3 || length < 0 || batch < 0 || past < 0)
    return ph_expand_fail (x, error,
                           "num_heads and kv_num_heads do not fit, or the shape of its query is not known before it runs");
  if (ends == NULL)
    return ph_expand_fail (x, error, "seqlens_k is not known before it runs");
  if (ph_node_attr_int (x->node, "smooth_softmax", 0) > 0)
    return ph_expand_fail (x, error, "smooth_softmax is not read here");
  /* Without a past, shorter rows are padded at their ends, which causal attention never reads. With a past, all rows must be full. */
  for (gsize i = 0; i < ph_tensor_count (ends); i++)
    if (past > 0 && ph_tensor_get_int (ends, i) + 1 != past + length)
      return ph_expand_fail (x, error,
                             "row %u has %d positions in seqlens_k, but past and query have %d: a past with room to grow, or of "
                             "several lengths, is not read here",
                             (guint) i, (int) ph_tensor_get_int (ends, i) + 1, (int) (past + length));
  if (k == NULL) /* packed */
    {
      const gint64 width = ph_expand_dim (x, 0, 2), size = width > 0 ? width / (heads + 2 * groups) : 0;

      if (size < 1)
        return ph_expand_fail (x, error, "the width of its query is not known");
      k = part (b, q, 2, heads * size, (heads + groups) * size);
      v = part (b, q, 2, (heads + groups) * size, width);
      q = part (b, q, 2, 0, heads * size);
    }
  if (ph_node_attr_int (x->node, "do_rotary", 0) != 0)
    {
      const gint64 turned = 2 * ph_expand_dim (x, 7, 1), rotary = turned > 0 && turned < size_of (q, 2) / heads ? turned : 0;

      if (positions == NULL)
        positions = ph_build_ints (b, &past, 1);
      q = rotate (x, q, positions, ph_expand_in (x, 7), ph_expand_in (x, 8), heads, rotary, interleaved);
      k = rotate (x, k, positions, ph_expand_in (x, 7), ph_expand_in (x, 8), groups, rotary, interleaved);
    }
  a.q = to_heads (b, q, heads);
  a.k = to_heads (b, k, groups);
  a.v = to_heads (b, v, groups);
  if (past > 0)
    {
      a.k = joined (b, ph_expand_in (x, 3), a.k, 2);
      a.v = joined (b, ph_expand_in (x, 4), a.v, 2);
    }
  if (ph_expand_wants (x, 1))
    x->out[1] = a.k;
  if (ph_expand_wants (x, 2))
    x->out[2] = a.v;
  if (b->error != NULL)
    return FALSE;
  a.k = repeated (b, a.k, heads / groups);
  a.v = repeated (b, a.v, heads / groups);
  return attend (x, &a, &present_k, &present_v, error);
}

/* clang-format off */
const PhOp ph_op_MsGroupQueryAttention = {
  PH_MS ("GroupQueryAttention"), PH_SPELT_OUT (expand_group_query_attention),
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX, .main_attrs = { "num_heads", "kv_num_heads" },
  .doc = "Attention where several heads of the query share one of the key and the value; no position looks ahead.",
  .inputs = { { "query", 'T', PH_FLOATS }, { "key", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "value", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "past_key", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "past_value", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "seqlens_k", 0, PH_T (INT32) }, { "total_sequence_length", 0, PH_T (INT32) },
              { "cos_cache", 'T', PH_FLOATS, PH_ARG_OPTIONAL }, { "sin_cache", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "position_ids", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "present_key", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
               { "present_value", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { { "num_heads", PH_ATTR_INT, .required = TRUE }, { "kv_num_heads", PH_ATTR_INT, .required = TRUE }, { "scale", PH_ATTR_FLOAT },
             { "do_rotary", PH_ATTR_INT, "0" }, { "rotary_interleaved", PH_ATTR_INT, "0" }, { "local_window_size", PH_ATTR_INT, "-1" },
             { "softcap", PH_ATTR_FLOAT, "0.0" }, { "smooth_softmax", PH_ATTR_INT, "0" } },
};
/* clang-format on */
