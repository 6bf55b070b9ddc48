/* attention.c: Attention, RotaryEmbedding.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/attention.h"

#include <math.h>

/* ── heads ── */

void
ph_heads_clear (PhHeads *heads)
{
  g_clear_pointer (&heads->data, g_free);
}

gboolean
ph_heads_alloc (PhKernel *kernel, PhHeads *heads, GError **error)
{
  const gint64 dims[] = { heads->batch, heads->heads, heads->length, heads->size };
  gint64 n = sizeof (double);

  for (guint i = 0; i < 4; i++)
    if (dims[i] < 0 || __builtin_mul_overflow (n, MAX (dims[i], 1), &n))
      return ph_kernel_exceed (kernel, error, "is too large for memory");
  heads->data = g_try_malloc0 (n);
  return heads->data != NULL || ph_kernel_exceed (kernel, error, "is too large for memory");
}

gboolean
ph_heads_read (PhKernel *kernel, guint input, gint64 n_heads, PhHeads *heads, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);
  const gint64 *dims = ph_tensor_dims (tensor);
  const guint rank = ph_tensor_rank (tensor);
  gconstpointer data;

  if (rank != 3 && rank != 4)
    return ph_kernel_fail (kernel, error, "input %u must have 3 or 4 dimensions, it has %u", input, rank);
  if (rank == 3 && (n_heads < 1 || dims[2] % n_heads != 0))
    return ph_kernel_fail (kernel, error, "input %u has 3 dimensions: say how many heads its last one holds", input);
  *heads = rank == 4 ? (PhHeads) { dims[0], dims[1], dims[2], dims[3] }
                     : (PhHeads) { dims[0], n_heads, dims[1], dims[2] / n_heads };
  if (!ph_heads_alloc (kernel, heads, error))
    return FALSE;
  data = ph_tensor_data (tensor);
  for (gint64 b = 0; b < heads->batch; b++)
    for (gint64 h = 0; h < heads->heads; h++)
      for (gint64 i = 0; i < heads->length; i++)
        {
          const gint64 from = rank == 4 ? ((b * heads->heads + h) * heads->length + i) * heads->size
                                        : ((b * heads->length + i) * heads->heads + h) * heads->size;
          double *to = ph_heads_at (heads, b, h, i);

          for (gint64 k = 0; k < heads->size; k++)
            to[k] = ph_dtype_load (ph_tensor_dtype (tensor), data, from + k);
        }
  return TRUE;
}

gboolean
ph_heads_write (PhKernel *kernel, guint i, const PhHeads *heads, PhDType dtype, gboolean flat, GError **error)
{
  const gint64 deep[] = { heads->batch, heads->heads, heads->length, heads->size };
  const gint64 shallow[] = { heads->batch, heads->length, heads->heads * heads->size };
  gpointer out;

  if (!ph_kernel_wants (kernel, i))
    return TRUE;
  out = ph_kernel_output (kernel, i, dtype, flat ? 3 : 4, flat ? shallow : deep, error);
  if (out == NULL)
    return FALSE;
  for (gint64 b = 0; b < heads->batch; b++)
    for (gint64 h = 0; h < heads->heads; h++)
      for (gint64 n = 0; n < heads->length; n++)
        {
          const gint64 to = flat ? ((b * heads->length + n) * heads->heads + h) * heads->size
                                 : ((b * heads->heads + h) * heads->length + n) * heads->size;
          const double *from = ph_heads_at (heads, b, h, n);

          for (gint64 k = 0; k < heads->size; k++)
            ph_dtype_store (dtype, out, to + k, from[k]);
        }
  return TRUE;
}

void
ph_softmax_row (double *row, gint64 n)
{
  double most = -INFINITY;
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    most = fmaxf (most, row[i]);
  for (gint64 i = 0; i < n; i++)
    sum += row[i] = exp (row[i] - most);
  for (gint64 i = 0; i < n; i++)
    row[i] = row[i] / sum;
}

PhDim
ph_heads_dim (const PhType *type, gint64 n_heads, guint which)
{
  if (type == NULL || !type->has_rank || type->rank < 3 || type->rank > 4)
    return PH_DIM_UNKNOWN;
  if (type->rank == 4 || which == 0)
    return type->dims[which];
  if (which == 1)
    return n_heads > 0 ? PH_DIM (n_heads) : PH_DIM_UNKNOWN;
  return which == 2 ? type->dims[1] : n_heads > 0 ? ph_dim_div (type->dims[2], PH_DIM (n_heads)) : PH_DIM_UNKNOWN;
}

/* ── Attention ── */

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
infer_attention (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const gint64 n_q = ph_node_attr_int (node, "q_num_heads", 0), n_kv = ph_node_attr_int (node, "kv_num_heads", 0);
  const PhType *q = ph_infer_ranked (infer, Q), *k = ph_infer_type (infer, K), *v = ph_infer_type (infer, V);
  const PhType *past = ph_infer_type (infer, PAST_K);
  const gint64 shown = ph_node_attr_int (node, "qk_matmul_output_mode", 0);
  PhDim length, total, size, batch;

  if (shown < 0 || shown > 3)
    return ph_infer_fail (infer, error, "qk_matmul_output_mode is %" G_GINT64_FORMAT ", must be 0 to 3", shown);
  if (q == NULL)
    return TRUE;
  if (q->rank != 3 && q->rank != 4)
    return ph_infer_fail (infer, error, "Q must have 3 or 4 dimensions, it has %u", q->rank);
  batch = q->dims[0];
  length = ph_heads_dim (q, n_q, 2);
  size = ph_heads_dim (v, n_kv, 3);
  total = ph_heads_dim (k, n_kv, 2);
  if (ph_infer_has (infer, PAST_K))
    total = ph_dim_add (total, ph_heads_dim (past, 0, 2));
  if (q->rank == 3)
    ph_infer_set_shape (infer, 0, q->dtype, 3,
                        (PhDim[]) { batch, length, n_q > 0 ? ph_dim_mul (PH_DIM (n_q), size) : PH_DIM_UNKNOWN });
  else
    ph_infer_set_shape (infer, 0, q->dtype, 4, (PhDim[]) { batch, q->dims[1], length, size });
  if (k != NULL)
    ph_infer_set_shape (infer, 1, k->dtype, 4, (PhDim[]) { batch, ph_heads_dim (k, n_kv, 1), total, ph_heads_dim (k, n_kv, 3) });
  if (v != NULL)
    ph_infer_set_shape (infer, 2, v->dtype, 4, (PhDim[]) { batch, ph_heads_dim (v, n_kv, 1), total, size });
  ph_infer_set_shape (infer, 3, q->dtype, 4, (PhDim[]) { batch, ph_heads_dim (q, n_q, 1), length, total });
  return TRUE;
}

/* Appends the current keys or values @now to the past ones of @input, which may be absent. The result is the past of the next decoding
 * step. */
static gboolean
append_past (PhKernel *kernel, guint input, PhHeads *now, GError **error)
{
  g_auto (PhHeads) past = { 0 };
  PhHeads both;

  if (ph_kernel_input (kernel, input) == NULL)
    return TRUE;
  if (!ph_heads_read (kernel, input, now->heads, &past, error))
    return FALSE;
  if (past.batch != now->batch || past.heads != now->heads || past.size != now->size)
    return ph_kernel_fail (kernel, error, "input %u does not fit the tensor that it is joined with", input);
  both = (PhHeads) { now->batch, now->heads, past.length + now->length, now->size };
  if (!ph_heads_alloc (kernel, &both, error))
    return FALSE;
  for (gint64 b = 0; b < both.batch; b++)
    for (gint64 h = 0; h < both.heads; h++)
      {
        memcpy (ph_heads_at (&both, b, h, 0), ph_heads_at (&past, b, h, 0), past.length * past.size * sizeof (double));
        memcpy (ph_heads_at (&both, b, h, past.length), ph_heads_at (now, b, h, 0), now->length * now->size * sizeof (double));
      }
  ph_heads_clear (now);
  *now = both;
  return TRUE;
}

typedef struct
{
  PhTensor *mask;     /* (nullable) bool, or numbers to add                        */
  gint64 stride[4];   /* of the mask, 0 where it is broadcast                      */
  gint64 mask_length; /* positions past it are masked                              */
  PhTensor *nonpad;   /* (nullable) number of valid positions per batch */
  gboolean causal;
  gint64 past;
} Bias;

static gboolean
bias_init (PhKernel *kernel, Bias *bias, const gint64 *dims, gint64 past, GError **error)
{
  PhTensor *mask = ph_kernel_input (kernel, MASK), *nonpad = ph_kernel_input (kernel, NONPAD);
  gint64 own[PH_MAX_RANK];
  guint rank;

  *bias = (Bias) { .mask = mask, .nonpad = nonpad, .past = past, .causal = ph_node_attr_int (kernel->node, "is_causal", 0) != 0 };
  if (nonpad != NULL && (gint64) ph_tensor_count (nonpad) != dims[0])
    return ph_kernel_fail (kernel, error, "nonpad_kv_seqlen needs one number for each batch");
  if (mask == NULL)
    return TRUE;
  rank = ph_tensor_rank (mask);
  if (rank < 1 || rank > 4)
    return ph_kernel_fail (kernel, error, "attn_mask must have 1 to 4 dimensions");
  ph_strides (rank, ph_tensor_dims (mask), own);
  bias->mask_length = ph_tensor_dims (mask)[rank - 1];
  if (bias->mask_length == 1)
    bias->mask_length = dims[3];
  for (guint i = 0; i < rank; i++)
    {
      const gint64 size = ph_tensor_dims (mask)[i], wanted = dims[4 - rank + i];

      if (size != 1 && size != wanted && !(i == rank - 1 && size < wanted))
        return ph_kernel_fail (kernel, error, "attn_mask cannot be broadcast to the scores");
      bias->stride[4 - rank + i] = size == 1 ? 0 : own[i];
    }
  return TRUE;
}

/* Returns the bias for the score of query @i and key @j. */
static double
bias_of (const Bias *bias, gint64 b, gint64 h, gint64 i, gint64 j, gint64 n_queries)
{
  const gint64 nonpad = bias->nonpad != NULL ? ph_tensor_get_int (bias->nonpad, b) : G_MAXINT64;
  const gint64 offset = bias->nonpad != NULL && bias->past == 0 ? nonpad - n_queries : bias->past;
  gint64 at;

  if (j >= nonpad || (bias->causal && j > i + offset))
    return -INFINITY;
  if (bias->mask == NULL)
    return 0;
  if (j >= bias->mask_length)
    return -INFINITY;
  at = b * bias->stride[0] + h * bias->stride[1] + i * bias->stride[2] + j * bias->stride[3];
  if (ph_tensor_dtype (bias->mask) == PH_BOOL)
    return ph_tensor_get_int (bias->mask, at) ? 0 : -INFINITY;
  return ph_tensor_get (bias->mask, at);
}

typedef struct
{
  double scale, softcap;
  int mode;
} Scoring;

/* Computes the weights of one query. @shown: (nullable) the row of qk_matmul_output. */
static void
weigh_row (const Scoring *scoring, const Bias *bias, const PhHeads *q, const PhHeads *k, const gint64 at[3], gint64 kv_head,
           double *row, double *shown)
{
  const double *query = ph_heads_at (q, at[0], at[1], at[2]);
  gboolean all_masked = TRUE;

  for (gint64 j = 0; j < k->length; j++)
    {
      const double *key = ph_heads_at (k, at[0], kv_head, j);
      const double extra = bias_of (bias, at[0], at[1], at[2], j, q->length);
      double sum = 0;

      for (gint64 d = 0; d < q->size; d++)
        sum += query[d] * key[d];
      row[j] = sum * scoring->scale;
      if (shown != NULL && scoring->mode == 0)
        shown[j] = row[j];
      if (scoring->softcap > 0)
        row[j] = scoring->softcap * tanh (row[j] / scoring->softcap);
      if (shown != NULL && scoring->mode == 1)
        shown[j] = row[j];
      row[j] += extra;
      all_masked = all_masked && extra == -INFINITY;
    }
  if (shown != NULL && scoring->mode == 2)
    memcpy (shown, row, k->length * sizeof (double));
  if (all_masked) /* a query without visible keys gets zeros rather than NaN */
    memset (row, 0, k->length * sizeof (double));
  else
    ph_softmax_row (row, k->length);
  if (shown != NULL && scoring->mode == 3)
    memcpy (shown, row, k->length * sizeof (double));
}

static gboolean
attend (PhKernel *kernel, const PhHeads *q, const PhHeads *k, const PhHeads *v, gint64 past, PhHeads *y, PhHeads *shown,
        GError **error)
{
  const gint64 group = q->heads / k->heads;
  const Scoring scoring = { ph_node_attr_float (kernel->node, "scale", 1 / sqrt (q->size)),
                            ph_node_attr_float (kernel->node, "softcap", 0),
                            (int) ph_node_attr_int (kernel->node, "qk_matmul_output_mode", 0) };
  g_autofree double *row = g_new (double, k->length + 1);
  Bias bias;

  if (!bias_init (kernel, &bias, (gint64[]) { q->batch, q->heads, q->length, k->length }, past, error))
    return FALSE;
  for (gint64 b = 0; b < q->batch; b++)
    for (gint64 h = 0; h < q->heads; h++)
      {
        if (ph_kernel_cancelled (kernel, error))
          return FALSE;
        for (gint64 i = 0; i < q->length; i++)
          {
            double *out = ph_heads_at (y, b, h, i);

            weigh_row (&scoring, &bias, q, k, (gint64[]) { b, h, i }, h / group, row,
                       shown->data != NULL ? ph_heads_at (shown, b, h, i) : NULL);
            for (gint64 j = 0; j < k->length; j++)
              {
                const double *value = ph_heads_at (v, b, h / group, j);

                for (gint64 d = 0; d < v->size; d++)
                  out[d] += row[j] * value[d];
              }
          }
      }
  return TRUE;
}

static gboolean
run_attention (PhKernel *kernel, GError **error)
{
  const gint64 n_q = ph_node_attr_int (kernel->node, "q_num_heads", 0), n_kv = ph_node_attr_int (kernel->node, "kv_num_heads", 0);
  const PhDType dtype = ph_tensor_dtype (ph_kernel_input (kernel, Q));
  g_auto (PhHeads) q = { 0 }, k = { 0 }, v = { 0 }, y = { 0 }, shown = { 0 };
  gint64 past;

  if (!ph_heads_read (kernel, Q, n_q, &q, error) || !ph_heads_read (kernel, K, n_kv, &k, error)
      || !ph_heads_read (kernel, V, n_kv, &v, error))
    return FALSE;
  past = k.length;
  if (!append_past (kernel, PAST_K, &k, error) || !append_past (kernel, PAST_V, &v, error))
    return FALSE;
  past = k.length - past;
  if (q.batch != k.batch || k.batch != v.batch || k.length != v.length || k.heads != v.heads || q.size != k.size || k.heads == 0
      || q.heads % k.heads != 0)
    return ph_kernel_fail (kernel, error, "the shapes of Q, K and V do not fit together");
  y = (PhHeads) { q.batch, q.heads, q.length, v.size };
  shown = (PhHeads) { q.batch, q.heads, q.length, k.length };
  if (!ph_heads_alloc (kernel, &y, error) || (ph_kernel_wants (kernel, 3) && !ph_heads_alloc (kernel, &shown, error))
      || !attend (kernel, &q, &k, &v, past, &y, &shown, error))
    return FALSE;
  return ph_heads_write (kernel, 0, &y, dtype, ph_tensor_rank (ph_kernel_input (kernel, Q)) == 3, error)
         && ph_heads_write (kernel, 1, &k, ph_tensor_dtype (ph_kernel_input (kernel, K)), FALSE, error)
         && ph_heads_write (kernel, 2, &v, ph_tensor_dtype (ph_kernel_input (kernel, V)), FALSE, error)
         && (shown.data == NULL || ph_heads_write (kernel, 3, &shown, dtype, FALSE, error));
}

/* Two matrix products. */
static gint64
flops_attention (const PhNode *node)
{
  const PhValue *q = ph_node_input (node, Q), *k = ph_node_input (node, K), *v = ph_node_input (node, V);
  const gint64 n_q = ph_node_attr_int (node, "q_num_heads", 0), n_kv = ph_node_attr_int (node, "kv_num_heads", 0);
  gint64 batch, heads, length, total, sizes;

  if (q == NULL || k == NULL || v == NULL || q->type == NULL || k->type == NULL || v->type == NULL || !ph_type_is_static (q->type)
      || !ph_type_is_static (k->type) || !ph_type_is_static (v->type))
    return -1;
  batch = ph_heads_dim (q->type, n_q, 0).size;
  heads = ph_heads_dim (q->type, n_q, 1).size;
  length = ph_heads_dim (q->type, n_q, 2).size;
  total = ph_heads_dim (k->type, n_kv, 2).size;
  sizes = ph_heads_dim (q->type, n_q, 3).size + ph_heads_dim (v->type, n_kv, 3).size;
  return MIN (MIN (heads, length), MIN (total, sizes)) < 0 ? -1 : 2 * batch * heads * length * total * sizes;
}

/* clang-format off */
const PhOp ph_op_Attention = {
  .name = "Attention", .since = 24,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX,
  .main_attrs = { "q_num_heads", "kv_num_heads", "is_causal" },
  .example = { "q[1,2,2,3] k[1,2,3,3] v[1,2,3,2] m[2,3]", "y = Attention <softcap = 1.5> (q, k, v, m)", -1, 1 },
  .doc = "Scaled dot-product attention: softmax (Q K^T * scale + mask) V, with grouped heads and a cache of past keys and values.",
  .inputs = { { "Q", 'T', PH_FLOATS }, { "K", 'T', PH_FLOATS }, { "V", 'U', PH_FLOATS },
              { "attn_mask", 0, PH_NUMBERS | PH_T (BOOL), PH_ARG_OPTIONAL }, { "past_key", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "past_value", 'U', PH_FLOATS, PH_ARG_OPTIONAL }, { "nonpad_kv_seqlen", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS }, { "present_key", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
               { "present_value", 'U', PH_FLOATS, PH_ARG_OPTIONAL }, { "qk_matmul_output", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .attrs = { { "is_causal", PH_ATTR_INT, "0" }, { "kv_num_heads", PH_ATTR_INT }, { "q_num_heads", PH_ATTR_INT },
             { "qk_matmul_output_mode", PH_ATTR_INT, "0" }, { "scale", PH_ATTR_FLOAT }, { "softcap", PH_ATTR_FLOAT, "0.0" },
             { "softmax_precision", PH_ATTR_INT } },
  .infer = infer_attention, .kernel = run_attention, .grad_build = ph_grad_attention, .flops = flops_attention,
  .no_grad = 1 << NONPAD,
  .grad_text = "dV = P^T @ dY, P = softmax(Q @ K^T * scale + attn_mask); dQ = dS @ K * scale; dK = dS^T @ Q * scale; "
               "dattn_mask = sum(dS), dS = P * (dP - sum(P * dP)), dP = dY @ V^T; dpast_key = the part of dK before K; "
               "dpast_value = the part of dV before V",
};
/* clang-format on */

/* ── RotaryEmbedding ── */

static gboolean
run_rotary_embedding (PhKernel *kernel, GError **error)
{
  PhTensor *input = ph_kernel_input (kernel, 0), *cosines = ph_kernel_input (kernel, 1), *sines = ph_kernel_input (kernel, 2);
  PhTensor *positions = ph_kernel_input (kernel, 3);
  const gboolean interleaved = ph_node_attr_int (kernel->node, "interleaved", 0) != 0;
  gint64 turned = ph_node_attr_int (kernel->node, "rotary_embedding_dim", 0), half, rows;
  g_auto (PhHeads) x = { 0 };

  if (!ph_heads_read (kernel, 0, ph_node_attr_int (kernel->node, "num_heads", 0), &x, error))
    return FALSE;
  turned = turned > 0 ? turned : x.size;
  half = turned / 2;
  rows = half > 0 ? (gint64) ph_tensor_count (cosines) / half : 0;
  for (guint i = 1; i < 3; i++)
    {
      const PhTensor *cache = ph_kernel_input (kernel, i);
      const guint rank = ph_tensor_rank (cache);
      const gint64 *dims = ph_tensor_dims (cache);

      if (rank != (positions != NULL ? 2 : 3) || dims[rank - 1] != half
          || (positions == NULL && (dims[0] != x.batch || dims[1] != x.length)))
        return ph_kernel_fail (kernel, error, "input %u must be a cache of %s %" G_GINT64_FORMAT "%s", i,
                               positions != NULL ? "(positions," : "(batch, length,", half,
                               positions != NULL ? ")" : "), or position_ids be given");
    }
  if (turned > x.size || turned % 2 != 0 || ph_tensor_count (cosines) != ph_tensor_count (sines)
      || rows * half != (gint64) ph_tensor_count (cosines)
      || (positions == NULL ? rows != x.batch * x.length
                            : ph_tensor_rank (positions) != 2 || ph_tensor_dims (positions)[0] != x.batch
                                  || ph_tensor_dims (positions)[1] != x.length))
    return ph_kernel_fail (kernel, error, "its caches or positions do not fit %" G_GINT64_FORMAT " numbers of each head", turned);
  for (gint64 b = 0; b < x.batch; b++)
    for (gint64 i = 0; i < x.length; i++)
      {
        const gint64 at = b * x.length + i, row = positions != NULL ? ph_tensor_get_int (positions, at) : at;

        if (row < 0 || row >= rows)
          return ph_kernel_fail (kernel, error, "position %" G_GINT64_FORMAT " is outside the caches", row);
        for (gint64 h = 0; h < x.heads; h++)
          for (gint64 k = 0; k < half; k++)
            {
              const double c = ph_tensor_get (cosines, row * half + k), s = ph_tensor_get (sines, row * half + k);
              double *one = ph_heads_at (&x, b, h, i) + (interleaved ? 2 * k : k), *other = one + (interleaved ? 1 : half);
              const double re = *one, im = *other;

              *one = c * re - s * im;
              *other = s * re + c * im;
            }
      }
  return ph_heads_write (kernel, 0, &x, ph_tensor_dtype (input), ph_tensor_rank (input) == 3, error);
}

/* The gradient of a rotation is the reverse rotation. */
static gboolean
grad_rotary_embedding (PhGrad *grad, GError **error)
{
  PhValue *positions = ph_grad_in (grad, 3);

  if (grad->wanted[1] || grad->wanted[2])
    return ph_grad_rotary_caches (grad, error);

  PhValue *inputs[] = { grad->dy[0], ph_grad_in (grad, 1), PH_BUILD (grad->b, Neg, ph_grad_in (grad, 2)), positions };
  GPtrArray *attrs = g_ptr_array_new ();

  for (guint i = 0; i < grad->node->attrs->len; i++)
    g_ptr_array_add (attrs, ph_attr_ref (grad->node->attrs->pdata[i]));
  g_ptr_array_add (attrs, NULL);
  grad->dx[0] = ph_build_node (grad->b, &ph_op_RotaryEmbedding, inputs, positions != NULL ? 4 : 3, (PhAttr **) attrs->pdata, 1);
  g_ptr_array_free (attrs, TRUE);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_RotaryEmbedding = {
  .name = "RotaryEmbedding", .since = 23,
  .family = PH_FAMILY_LINEAR, .main_attrs = { "num_heads", "interleaved" },
  .doc = "Turns pairs of numbers of each head by angles that grow with the position.",
  .inputs = { { "X", 'T', PH_FLOATS }, { "cos_cache", 'T', PH_FLOATS }, { "sin_cache", 'T', PH_FLOATS },
              { "position_ids", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "interleaved", PH_ATTR_INT, "0" }, { "num_heads", PH_ATTR_INT }, { "rotary_embedding_dim", PH_ATTR_INT, "0" } },
  .infer = ph_infer_same_as_input, .kernel = run_rotary_embedding, .grad_build = grad_rotary_embedding,
  .no_grad = 1 << 3,
  .grad_text = "dX = dY turned back by the same angles; dcos_cache = sum(dY * X); dsin_cache = sum(dY * turned X)",
};
/* clang-format on */
