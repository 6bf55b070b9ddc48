/* linear-attention-grad.c: LinearAttention, CausalConvWithState and FlexAttention in simpler operators: for their gradients.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"
#include "core/ops/infer.h"
#include "core/ops/onnx/attention.h"

#include <math.h>

#define ADD(x_, y_)         PH_BUILD (b, Add, x_, y_)
#define SUB(x_, y_)         PH_BUILD (b, Sub, x_, y_)
#define MUL(x_, y_)         PH_BUILD (b, Mul, x_, y_)
#define MATMUL(x_, y_)      PH_BUILD (b, MatMul, x_, y_)
#define INTS(...)           ph_build_ints (b, (gint64[]) { __VA_ARGS__ }, sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64))
#define AXIS(name_, value_) PH_ATTRS (ph_attr_new_int (name_, value_))

static PhValue *
join (PhBuilder *b, PhValue *one, PhValue *other, gint64 axis)
{
  return ph_build_node (b, &ph_op_Concat, PH_VALUES_ (one, other), 2, AXIS ("axis", axis), 1);
}

static gboolean
known_ranks (PhGrad *grad, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      const PhValue *value = ph_grad_in (grad, i);

      if (value != NULL && (value->type == NULL || !value->type->has_rank))
        return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its gradient needs the rank of '%s': fix its shape first",
                             value->name);
    }
  return TRUE;
}

/* ── LinearAttention: a Scan over the positions ── */

enum
{
  Q,
  K,
  V,
  PAST,
  DECAY,
  BETA,
  N_INPUTS
};

/* [batch, length, heads, size]. */
static PhValue *
spread_heads (PhBuilder *b, PhValue *value, gint64 heads)
{
  gint64 perm[4] = { 0, 2, 1, 3 };

  if (value->type->rank == 3)
    return PH_BUILD (b, Reshape, value, INTS (0, 0, heads, -1));
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 4)), value);
}

/* Builds one position of the scan from @in, the state and the position's slice of each input: the new state and the output. */
static void
build_position (PhBuilder *b, PhValue *const *in, gint64 heads, gint64 group, gint64 size, double scale, PhValue **state,
                PhValue **y)
{
  PhValue *key = in[K], *memory = in[PAST], *change = PH_BUILD (b, Unsqueeze, in[V], INTS (2)), *query;

  if (in[DECAY] != NULL)
    memory = MUL (memory, PH_BUILD (b, Unsqueeze, PH_BUILD (b, Exp, in[DECAY]), INTS (3)));
  if (in[BETA] != NULL)
    {
      PhValue *found = MATMUL (PH_BUILD (b, Unsqueeze, key, INTS (2)), memory);
      PhValue *beta = PH_BUILD (b, Slice, in[BETA], INTS (0), INTS (1), INTS (2));

      change = MUL (SUB (change, found), PH_BUILD (b, Unsqueeze, beta, INTS (3)));
    }
  *state = ADD (memory, MATMUL (PH_BUILD (b, Unsqueeze, key, INTS (3)), change));
  query = PH_BUILD (b, Reshape, in[Q], INTS (0, heads, group, size));
  if (*state != NULL)
    *y = PH_BUILD (b, Reshape, MUL (MATMUL (query, *state), ph_build_scalar (b, (*state)->type->dtype, scale)), INTS (0, -1));
}

static gboolean
hand_out (PhBuilder *b, PhGraph *body, PhValue *value)
{
  return value != NULL && b->error == NULL && ph_graph_set_output (body, body->outputs->len, value, &b->error);
}

static gboolean
build_linear_attention (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const gint64 n_q = ph_node_attr_int (node, "q_num_heads", 0), heads = ph_node_attr_int (node, "kv_num_heads", 0);
  const char *rule = ph_node_attr_string (node, "update_rule", "gated_delta");
  const PhDim size = ph_heads_dim (in[K]->type, heads, 3), width = ph_heads_dim (in[V]->type, heads, 3);
  const gint64 axes[5] = { 1, 1, 1, 1, 1 };
  double scale = ph_node_attr_float (node, "scale", 0);
  PhValue *inputs[N_INPUTS], *inner[N_INPUTS] = { NULL, }, *state = NULL, *y = NULL;
  guint which[N_INPUTS] = { PAST, Q, K, V }, n = 4;
  PhBuilder inside = *b;
  PhAttr *attrs[3];
  PhGraph *body;
  PhNode *scan;

  if (heads < 1 || n_q % heads != 0 || !ph_dim_known (size) || !ph_dim_known (width) || size.size < 1)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs the number and the size of its heads: fix the shapes first");
  if (strstr (rule, "gated") != NULL)
    which[n++] = DECAY;
  if (strstr (rule, "delta") != NULL)
    which[n++] = BETA;
  for (guint i = 0; i < n; i++)
    if (which[i] != PAST && in[which[i]] == NULL)
      return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its update rule needs input %u", which[i]);
  scale = scale != 0 ? scale : 1 / sqrt (size.size);
  for (guint i = 1; i < n; i++)
    inputs[i] = spread_heads (b, in[which[i]], which[i] == Q ? n_q : heads);
  inputs[0] = in[PAST];
  if (inputs[0] == NULL)
    inputs[0] = PH_BUILD (b, Expand, ph_build_scalar (b, in[K]->type->dtype, 0),
                          join (b, PH_BUILD_WITH (b, Shape, AXIS ("end", 1), in[K]), INTS (heads, size.size, width.size), 0));
  if (b->error != NULL)
    return TRUE;
  attrs[0] = ph_attr_new_int ("num_scan_inputs", n - 1);
  attrs[1] = ph_attr_new_ints ("scan_input_axes", axes, n - 1);
  attrs[2] = ph_attr_new_ints ("scan_output_axes", axes, 1);
  scan = ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op = &ph_op_Scan,
                                            .op_type = "Scan",
                                            .domain = "",
                                            .name = b->name,
                                            .inputs = inputs,
                                            .n_inputs = n,
                                            .n_outputs = 2,
                                            .attrs = attrs,
                                            .n_attrs = 3,
                                            .before = b->before,
                                            .role = b->role,
                                            .partner = b->partner,
                                            .device = b->device },
                            &b->error);
  for (guint i = 0; i < 3; i++)
    ph_attr_unref (attrs[i]);
  body = scan != NULL ? ph_node_add_graph (scan, "body", NULL, &b->error) : NULL;
  if (body == NULL)
    return TRUE;
  inside.graph = body;
  inside.before = NULL;
  for (guint i = 0; i < n; i++)
    {
      const PhType *type = inputs[i]->type;

      if (i > 0 && type != NULL && type->has_rank && type->rank == 4)
        type = ph_type_tensor (type->dtype, 3, (PhDim[]) { type->dims[0], type->dims[2], type->dims[3] });
      inner[which[i]] = ph_graph_add_input (body, "part", type, NULL, G_MAXUINT, &b->error);
      if (inner[which[i]] == NULL)
        return TRUE;
    }
  build_position (&inside, inner, heads, n_q / heads, size.size, scale, &state, &y);
  hand_out (&inside, body, state);
  hand_out (&inside, body, y);
  if (inside.error != NULL)
    b->error = g_steal_pointer (&inside.error);
  if (b->error != NULL || !ph_infer_one (scan, &b->error))
    return TRUE;
  out[0] = ph_node_output (scan, 1);
  out[1] = ph_node_output (scan, 0);
  return TRUE;
}

gboolean
ph_grad_linear_attention (PhGrad *grad, GError **error)
{
  return known_ranks (grad, N_INPUTS, error) && ph_grad_through (grad, build_linear_attention, error);
}

/* ── CausalConvWithState: a Conv over the state and the input ── */

static gboolean
build_causal_conv (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const PhType *type = in[1]->type;
  PhValue *whole, *y, *start;

  if (type->rank != 3 || !ph_dim_known (type->dims[0]) || !ph_dim_known (type->dims[2]) || type->dims[2].size < 1)
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs the number of channels and the length of the kernel: fix the weight's shape first");
  if (in[3] != NULL)
    whole = join (b, in[3], in[0], 2);
  else
    whole = PH_BUILD (b, Pad, in[0], INTS (0, 0, type->dims[2].size - 1, 0, 0, 0));
  y = ph_build_node (b, &ph_op_Conv, PH_VALUES_ (whole, in[1], in[2]), in[2] != NULL ? 3 : 2, AXIS ("group", type->dims[0].size),
                     1);
  out[0] = g_str_equal (ph_node_attr_string (node, "activation", "none"), "none") ? y : MUL (y, PH_BUILD (b, Sigmoid, y));
  start = PH_BUILD_WITH (b, Shape, AXIS ("start", 2), in[0]);
  out[1] = PH_BUILD (b, Slice, whole, start, INTS (G_MAXINT64), INTS (2));
  return TRUE;
}

gboolean
ph_grad_causal_conv (PhGrad *grad, GError **error)
{
  return known_ranks (grad, 2, error) && ph_grad_through (grad, build_causal_conv, error);
}

/* ── FlexAttention: products and a softmax, with the bodies between them ── */

/* Applies body @attr, if there is one, to the scores in single precision. */
static PhValue *
modify (PhBuilder *b, const PhNode *node, const char *attr, PhValue *scores, GHashTable *map)
{
  PhGraph *body = ph_node_graph (node, attr);
  PhDType dtype = scores != NULL ? scores->type->dtype : PH_FLOAT;
  PhValue *after = NULL;

  if (body == NULL || scores == NULL)
    return scores;
  scores = ph_build_as (b, scores, PH_FLOAT);
  if (scores == NULL || !ph_build_copy (b, body, &scores, &after, map))
    return NULL;
  return ph_build_as (b, after, dtype);
}

static PhValue *
build_flex_attention (PhBuilder *b, const PhNode *node, PhValue *const *in, gint64 heads, gint64 kv_heads, gint64 size,
                      GHashTable *map)
{
  g_autofree gint64 *which = g_new (gint64, heads + 1);
  gint64 swap[4] = { 0, 1, 3, 2 };
  PhValue *k = in[K], *v = in[V], *scores;

  for (gint64 i = 0; i < heads; i++)
    which[i] = i / (heads / kv_heads);
  if (heads != kv_heads)
    {
      k = PH_BUILD_WITH (b, Gather, AXIS ("axis", 1), k, ph_build_ints (b, which, heads));
      v = PH_BUILD_WITH (b, Gather, AXIS ("axis", 1), v, ph_build_ints (b, which, heads));
    }
  scores = MUL (MATMUL (in[Q], PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", swap, 4)), k)),
                ph_build_scalar (b, in[Q]->type->dtype, ph_node_attr_float (node, "scale", 1 / sqrt (size))));
  scores = PH_BUILD_WITH (b, Softmax, AXIS ("axis", -1), modify (b, node, "score_mod", scores, map));
  return MATMUL (modify (b, node, "prob_mod", scores, map), v);
}

gboolean
ph_grad_flex_attention (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  const PhType *q = ph_grad_in (grad, Q)->type, *k = ph_grad_in (grad, K)->type;
  g_autoptr (PhTape) tape = ph_tape_new (b->graph);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  PhValue *in[3], *y;

  if (!known_ranks (grad, 3, error))
    return FALSE;
  if (q->rank != 4 || k->rank != 4 || !ph_dim_known (q->dims[1]) || !ph_dim_known (q->dims[3]) || !ph_dim_known (k->dims[1])
      || k->dims[1].size < 1 || q->dims[1].size % k->dims[1].size != 0)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs the number and the size of its heads: fix the shapes first");
  /* Identities separate the nodes built here from those before, also for the values that bodies capture. */
  for (guint i = 0; i < 3; i++)
    {
      in[i] = PH_BUILD (b, Identity, ph_grad_in (grad, i));
      if (in[i] == NULL)
        return TRUE;
      if (grad->wanted[i])
        ph_tape_watch (tape, in[i]);
    }
  for (guint i = 0; grad->captures != NULL && i < grad->captures->len; i++)
    {
      PhValue *own = PH_BUILD (b, Identity, grad->captures->pdata[i]);

      if (own == NULL)
        return TRUE;
      ph_tape_watch (tape, own);
      g_hash_table_insert (map, grad->captures->pdata[i], own);
    }
  y = build_flex_attention (b, grad->node, in, q->dims[1].size, k->dims[1].size, q->dims[3].size, map);
  if (y == NULL)
    return TRUE;
  ph_tape_seed (tape, y, grad->dy[0]);
  if (!ph_tape_run (tape, b, NULL, error))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    {
      grad->zero[i] = TRUE;
      if (grad->wanted[i])
        grad->dx[i] = ph_tape_gradient (tape, b, in[i]);
    }
  for (guint i = 0; grad->captures != NULL && i < grad->captures->len; i++)
    grad->dcaptures[i] = ph_tape_gradient (tape, b, g_hash_table_lookup (map, grad->captures->pdata[i]));
  return TRUE;
}
