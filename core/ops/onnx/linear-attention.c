/* linear-attention.c: attention by recurrence, or with scores modified by a body: LinearAttention, CausalConvWithState, FlexAttention.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/attention.h"

#include <math.h>

/* ── LinearAttention ── */

enum
{
  Q,
  K,
  V,
  PAST,
  DECAY,
  BETA
};

static gboolean
infer_linear_attention (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const gint64 n_q = ph_node_attr_int (node, "q_num_heads", 0), n_kv = ph_node_attr_int (node, "kv_num_heads", 0);
  const PhType *q = ph_infer_ranked (infer, Q), *v = ph_infer_type (infer, V);
  const PhType *state = ph_infer_type (infer, PAST);
  PhDim v_size = ph_heads_dim (v, n_kv, 3);

  if (q == NULL)
    return TRUE;
  if (q->rank != 3)
    return ph_infer_fail (infer, error, "query must be [batch, length, heads * size]");
  ph_infer_set_shape (infer, 0, q->dtype, 3,
                      (PhDim[]) { q->dims[0], q->dims[1], n_q > 0 ? ph_dim_mul (PH_DIM (n_q), v_size) : PH_DIM_UNKNOWN });
  ph_infer_set_shape (
      infer, 1, state != NULL ? state->dtype : q->dtype, 4,
      (PhDim[]) { q->dims[0], ph_heads_dim (ph_infer_type (infer, K), n_kv, 1), ph_heads_dim (q, n_q, 3), v_size });
  return TRUE;
}

typedef struct
{
  gboolean gated, delta;
  double scale;
} Rule;

/* Computes one step of one head: the state decays, and key and value are added to it. @state: [key, value]. */
static void
write_state (const Rule *rule, gint64 n_key, gint64 n_value, const double *key, const double *value, const double *decay,
             gboolean decay_each, double beta, double *state, double *change)
{
  for (gint64 d = 0; d < n_key && rule->gated; d++)
    {
      const double kept = exp (decay[decay_each ? d : 0]);

      for (gint64 e = 0; e < n_value; e++)
        state[d * n_value + e] *= kept;
    }
  for (gint64 e = 0; e < n_value; e++)
    {
      double found = 0;

      for (gint64 d = 0; d < n_key && rule->delta; d++)
        found += state[d * n_value + e] * key[d];
      change[e] = rule->delta ? beta * (value[e] - found) : value[e];
    }
  for (gint64 d = 0; d < n_key; d++)
    for (gint64 e = 0; e < n_value; e++)
      state[d * n_value + e] += key[d] * change[e];
}

/* Reads an optional input of one or more numbers per head. */
static gboolean
read_optional (PhKernel *kernel, guint input, gint64 n_heads, const PhHeads *like, PhHeads *heads, GError **error)
{
  if (ph_kernel_input (kernel, input) == NULL)
    return ph_kernel_fail (kernel, error, "its update rule needs input %u", input);
  if (!ph_heads_read (kernel, input, n_heads, heads, error))
    return FALSE;
  if (heads->batch != like->batch || heads->length != like->length || heads->heads != like->heads
      || (heads->size != 1 && heads->size != like->size))
    return ph_kernel_fail (kernel, error, "input %u does not fit key", input);
  return TRUE;
}

static gboolean
run_linear_attention (PhKernel *kernel, GError **error)
{
  const gint64 n_q = ph_node_attr_int (kernel->node, "q_num_heads", 0), n_kv = ph_node_attr_int (kernel->node, "kv_num_heads", 0);
  const char *name = ph_node_attr_string (kernel->node, "update_rule", "gated_delta");
  const PhDType dtype = ph_tensor_dtype (ph_kernel_input (kernel, Q));
  g_auto (PhHeads) q = { 0 }, k = { 0 }, v = { 0 }, state = { 0 }, decay = { 0 }, beta = { 0 }, y = { 0 };
  g_autofree double *change = NULL;
  Rule rule = { .gated = strstr (name, "gated") != NULL, .delta = strstr (name, "delta") != NULL };

  if (!ph_heads_read (kernel, Q, n_q, &q, error) || !ph_heads_read (kernel, K, n_kv, &k, error)
      || !ph_heads_read (kernel, V, n_kv, &v, error) || (rule.gated && !read_optional (kernel, DECAY, n_kv, &k, &decay, error))
      || (rule.delta && !read_optional (kernel, BETA, n_kv, &k, &beta, error)))
    return FALSE;
  if (q.batch != k.batch || k.batch != v.batch || q.length != k.length || k.length != v.length || q.size != k.size || k.heads == 0
      || q.heads % k.heads != 0)
    return ph_kernel_fail (kernel, error, "the shapes of query, key and value do not fit together");
  state = (PhHeads) { k.batch, k.heads, k.size, v.size };
  y = (PhHeads) { q.batch, q.heads, q.length, v.size };
  if (!ph_heads_alloc (kernel, &y, error))
    return FALSE;
  if (ph_kernel_input (kernel, PAST) == NULL ? !ph_heads_alloc (kernel, &state, error)
                                             : !ph_heads_read (kernel, PAST, k.heads, &state, error))
    return FALSE;
  if (state.batch != k.batch || state.heads != k.heads || state.length != k.size || state.size != v.size)
    return ph_kernel_fail (kernel, error, "past_state must be [batch, heads, key size, value size]");

  rule.scale = ph_node_attr_float (kernel->node, "scale", 0);
  rule.scale = rule.scale != 0 ? rule.scale : 1 / sqrt (k.size);
  change = g_new (double, v.size + 1);
  for (gint64 b = 0; b < k.batch; b++)
    for (gint64 h = 0; h < k.heads; h++)
      for (gint64 i = 0; i < k.length; i++)
        {
          double *memory = ph_heads_at (&state, b, h, 0);

          write_state (&rule, k.size, v.size, ph_heads_at (&k, b, h, i), ph_heads_at (&v, b, h, i),
                       rule.gated ? ph_heads_at (&decay, b, h, i) : NULL, decay.size > 1,
                       rule.delta ? *ph_heads_at (&beta, b, h, i) : 1, memory, change);
          for (gint64 g = h * (q.heads / k.heads); g < (h + 1) * (q.heads / k.heads); g++)
            for (gint64 d = 0; d < k.size; d++)
              for (gint64 e = 0; e < v.size; e++)
                ph_heads_at (&y, b, g, i)[e] += rule.scale * ph_heads_at (&q, b, g, i)[d] * memory[d * v.size + e];
        }
  return ph_heads_write (kernel, 0, &y, dtype, TRUE, error) && ph_heads_write (kernel, 1, &state, dtype, FALSE, error);
}

/* clang-format off */
const PhOp ph_op_LinearAttention = {
  .name = "LinearAttention", .since = 27,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX,
  .doc = "Attention without softmax, as a recurrence: a state takes in keys and values, decays, and queries read it.",
  .inputs = { { "query", 'T', PH_FLOATS }, { "key", 'T', PH_FLOATS }, { "value", 'T', PH_FLOATS },
              { "past_state", 'S', PH_FLOATS, PH_ARG_OPTIONAL }, { "decay", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "beta", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "present_state", 'S', PH_FLOATS } },
  .attrs = { { "chunk_size", PH_ATTR_INT, "64" }, { "kv_num_heads", PH_ATTR_INT, NULL, TRUE },
             { "q_num_heads", PH_ATTR_INT, NULL, TRUE }, { "scale", PH_ATTR_FLOAT, "0.0" },
             { "update_rule", PH_ATTR_STRING, "\"gated_delta\"", .words = "linear|gated|delta|gated_delta" } },
  .infer = infer_linear_attention, .kernel = run_linear_attention, .grad_build = ph_grad_linear_attention,
  .grad_text = "dquery = dY @ S^T * scale, S the state at its position; dkey = dS @ (what was written); dvalue = dS^T @ key, from the last "
               "position to the first; dpast_state = dS before the first; ddecay = sum(dS * S); dbeta = sum(dS * what it scaled)",
};
/* clang-format on */

/* ── CausalConvWithState ── */

static gboolean
infer_causal_conv (PhInfer *infer, GError **error)
{
  const PhType *x = ph_infer_ranked (infer, 0), *w = ph_infer_type (infer, 1);
  PhDim dims[3];

  if (x == NULL)
    return TRUE;
  if (x->rank != 3)
    return ph_infer_fail (infer, error, "its input must be [batch, channels, length]");
  ph_infer_set (infer, 0, x);
  memcpy (dims, x->dims, sizeof dims);
  dims[2] = w != NULL && w->has_rank && w->rank == 3 ? ph_dim_sub (w->dims[2], PH_DIM (1)) : PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 1, x->dtype, 3, dims);
  return TRUE;
}

/* Returns element @i of the past followed by @x: negative indices are in the past. */
static double
sample (PhTensor *x, PhTensor *past, gint64 channel, gint64 length, gint64 memory, gint64 i)
{
  if (i >= 0)
    return ph_tensor_get (x, channel * length + i);
  return past != NULL ? ph_tensor_get (past, channel * memory + memory + i) : 0;
}

static gboolean
run_causal_conv (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  PhTensor *past = ph_kernel_input (kernel, 3);
  const char *activation = ph_node_attr_string (kernel->node, "activation", "none");
  const gboolean silu = strcmp (activation, "silu") == 0 || strcmp (activation, "swish") == 0;
  const PhDType dtype = ph_tensor_dtype (x);
  const gint64 *dims = ph_tensor_dims (x);
  gint64 memory;
  gpointer y, state = NULL;

  if (ph_tensor_rank (x) != 3 || ph_tensor_rank (w) != 3 || ph_tensor_dims (w)[0] != dims[1] || ph_tensor_dims (w)[1] != 1
      || ph_tensor_dims (w)[2] < 1 || (bias != NULL && (gint64) ph_tensor_count (bias) != dims[1]))
    return ph_kernel_fail (kernel, error, "needs an input [batch, channels, length] and a weight [channels, 1, kernel]");
  memory = ph_tensor_dims (w)[2] - 1;
  if (past != NULL
      && (ph_tensor_rank (past) != 3 || ph_tensor_dims (past)[0] != dims[0] || ph_tensor_dims (past)[1] != dims[1]
          || ph_tensor_dims (past)[2] != memory))
    return ph_kernel_fail (kernel, error, "past_state must be [batch, channels, kernel - 1]");
  y = ph_kernel_output (kernel, 0, dtype, 3, dims, error);
  if (y != NULL && kernel->n_outputs > 1)
    state = ph_kernel_output (kernel, 1, dtype, 3, (gint64[]) { dims[0], dims[1], memory }, error);
  if (y == NULL || (kernel->n_outputs > 1 && state == NULL))
    return FALSE;
  for (gint64 c = 0; c < dims[0] * dims[1]; c++)
    {
      for (gint64 i = 0; i < dims[2]; i++)
        {
          double sum = bias != NULL ? ph_tensor_get (bias, c % dims[1]) : 0;

          for (gint64 k = 0; k <= memory; k++)
            sum += sample (x, past, c, dims[2], memory, i + k - memory) * ph_tensor_get (w, (c % dims[1]) * (memory + 1) + k);
          ph_dtype_store (dtype, y, c * dims[2] + i, silu ? sum / (1 + exp (-sum)) : sum);
        }
      for (gint64 k = 0; k < memory && state != NULL; k++)
        ph_dtype_store (dtype, state, c * memory + k, sample (x, past, c, dims[2], memory, dims[2] - memory + k));
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_CausalConvWithState = {
  .name = "CausalConvWithState", .since = 27,
  .family = PH_FAMILY_LINEAR,
  .doc = "A convolution of each channel that sees only the past, part of which it was handed as state.",
  .inputs = { { "input", 'T', PH_FLOATS }, { "weight", 'T', PH_FLOATS }, { "bias", 'T', PH_FLOATS, PH_ARG_OPTIONAL },
              { "past_state", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "present_state", 'T', PH_FLOATS } },
  .attrs = { { "activation", PH_ATTR_STRING, "\"none\"", .words = "none|silu|swish" } },
  .infer = infer_causal_conv, .kernel = run_causal_conv, .grad_build = ph_grad_causal_conv,
  .grad_text = "dinput = the gradient of a Conv of past_state and input, its later part; dpast_state = its first part; dweight = the "
               "same Conv's by its weight; dbias = sum(dY)",
};
/* clang-format on */

/* ── FlexAttention ── */

static gboolean
infer_flex_attention (PhInfer *infer, GError **error)
{
  const PhType *q = ph_infer_ranked (infer, Q), *k = ph_infer_type (infer, K), *v = ph_infer_type (infer, V);
  PhDim dims[4];
  const PhType *scores;

  if (q == NULL)
    return TRUE;
  if (q->rank != 4)
    return ph_infer_fail (infer, error, "Q must have 4 dimensions, it has %u", q->rank);
  memcpy (dims, q->dims, sizeof dims);
  dims[3] = ph_heads_dim (k, 0, 2);
  scores = ph_type_tensor (PH_FLOAT, 4, dims);
  for (guint i = 0; i < 2; i++)
    {
      const char *body = i == 0 ? "score_mod" : "prob_mod";

      if (ph_node_graph (ph_infer_node_of (infer), body) != NULL && !ph_infer_body (infer, body, &scores, 1, error))
        return FALSE;
    }
  dims[3] = ph_heads_dim (v, 0, 3);
  ph_infer_set_shape (infer, 0, q->dtype, 4, dims);
  return TRUE;
}

/* Runs body @attr, if present, on @scores and replaces them by its result. */
static gboolean
run_modification (PhKernel *kernel, const char *attr, PhHeads *scores, GError **error)
{
  const gint64 dims[] = { scores->batch, scores->heads, scores->length, scores->size };
  g_autoptr (PhTensor) before = NULL, after = NULL;
  g_autoptr (PhTensor) plain = NULL;

  if (ph_node_graph (kernel->node, attr) == NULL)
    return TRUE;
  before = ph_tensor_new (PH_FLOAT, 4, dims);
  if (before == NULL)
    return ph_kernel_exceed (kernel, error, "its scores are too large for memory");
  for (gsize i = 0; i < ph_tensor_count (before); i++)
    ((float *) ph_tensor_writable (before))[i] = (float) scores->data[i];
  if (!ph_kernel_body (kernel, attr, &before, 1, &after, 1, error))
    return FALSE;
  if (ph_tensor_count (after) != ph_tensor_count (before) || !ph_dtype_is_float (ph_tensor_dtype (after)))
    return ph_kernel_fail (kernel, error, "its %s must keep the shape of the scores", attr);
  plain = ph_tensor_cast (after, PH_DOUBLE);
  if (plain == NULL)
    return ph_kernel_exceed (kernel, error, "its scores are too large for memory");
  memcpy (scores->data, ph_tensor_data (plain), ph_tensor_bytes (plain));
  return TRUE;
}

static gboolean
run_flex_attention (PhKernel *kernel, GError **error)
{
  g_auto (PhHeads) q = { 0 }, k = { 0 }, v = { 0 }, y = { 0 }, scores = { 0 };
  gint64 group;
  double scale;

  if (!ph_heads_read (kernel, Q, 0, &q, error) || !ph_heads_read (kernel, K, 0, &k, error)
      || !ph_heads_read (kernel, V, 0, &v, error))
    return FALSE;
  if (q.batch != k.batch || k.batch != v.batch || k.length != v.length || k.heads != v.heads || q.size != k.size || k.heads == 0
      || q.heads % k.heads != 0)
    return ph_kernel_fail (kernel, error, "the shapes of Q, K and V do not fit together");
  group = q.heads / k.heads;
  scale = ph_node_attr_float (kernel->node, "scale", 1 / sqrt (q.size));
  y = (PhHeads) { q.batch, q.heads, q.length, v.size };
  scores = (PhHeads) { q.batch, q.heads, q.length, k.length };
  if (!ph_heads_alloc (kernel, &y, error) || !ph_heads_alloc (kernel, &scores, error))
    return FALSE;
  for (gint64 b = 0; b < q.batch; b++)
    for (gint64 h = 0; h < q.heads; h++)
      for (gint64 i = 0; i < q.length; i++)
        for (gint64 j = 0; j < k.length; j++)
          {
            double sum = 0;

            for (gint64 d = 0; d < q.size; d++)
              sum += ph_heads_at (&q, b, h, i)[d] * ph_heads_at (&k, b, h / group, j)[d];
            ph_heads_at (&scores, b, h, i)[j] = sum * scale;
          }
  if (!run_modification (kernel, "score_mod", &scores, error))
    return FALSE;
  for (gint64 row = 0; row < q.batch * q.heads * q.length; row++)
    ph_softmax_row (scores.data + row * k.length, k.length);
  if (!run_modification (kernel, "prob_mod", &scores, error))
    return FALSE;
  for (gint64 b = 0; b < q.batch; b++)
    for (gint64 h = 0; h < q.heads; h++)
      for (gint64 i = 0; i < q.length; i++)
        for (gint64 j = 0; j < k.length; j++)
          for (gint64 d = 0; d < v.size; d++)
            ph_heads_at (&y, b, h, i)[d] += ph_heads_at (&scores, b, h, i)[j] * ph_heads_at (&v, b, h / group, j)[d];
  return ph_heads_write (kernel, 0, &y, ph_tensor_dtype (ph_kernel_input (kernel, Q)), FALSE, error);
}

/* clang-format off */
const PhOp ph_op_FlexAttention = {
  .name = "FlexAttention", .domain = "ai.onnx.preview", .since = 1,
  .family = PH_FAMILY_LINEAR, .motif = PH_MOTIF_SOFTMAX,
  .doc = "Attention whose scores and probabilities a body may change.",
  .inputs = { { "Q", 'T', PH_FLOATS }, { "K", 'T', PH_FLOATS }, { "V", 'T', PH_FLOATS } },
  .outputs = { { "Y", 'T', PH_FLOATS } },
  .attrs = { { "scale", PH_ATTR_FLOAT }, { "softmax_precision", PH_ATTR_INT }, { "score_mod", PH_ATTR_GRAPH },
             { "prob_mod", PH_ATTR_GRAPH } },
  .infer = infer_flex_attention, .kernel = run_flex_attention, .grad_build = ph_grad_flex_attention,
  .grad_text = "dV = P^T @ dY, P the probabilities; dQ = dS @ K * scale; dK = dS^T @ Q * scale, dS the gradient by the scores, through the "
               "softmax and the bodies",
};
/* clang-format on */
