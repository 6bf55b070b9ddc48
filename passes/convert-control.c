/* convert-control.c: converts loops, branches and annotations of StableHLO, HLO and jaxpr to ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-body.h"

#include <string.h>

#include "core/ops/copy.h"

gboolean
ph_convert_finish_body (PhConvert *l, PhBuilder *in_body)
{
  if (in_body->error == NULL)
    return TRUE;
  if (l->b->error == NULL)
    g_propagate_error (&l->b->error, in_body->error);
  else
    g_error_free (in_body->error);
  return FALSE;
}

const PhType *
ph_convert_gathered_type (const PhValue *element, const PhValue *turns)
{
  PhTensor *constant = turns != NULL ? ph_value_constant (turns) : NULL;
  const PhType *type = element->type;
  PhDim dims[PH_MAX_RANK];

  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank + 1 > PH_MAX_RANK)
    return NULL;
  dims[0] = constant != NULL ? PH_DIM (MAX (ph_tensor_get_int (constant, 0), 0)) : PH_DIM_UNKNOWN;
  for (guint i = 0; i < type->rank; i++)
    dims[1 + i] = type->dims[i];
  return ph_type_tensor (type->dtype, type->rank + 1, dims);
}

void
ph_convert_set_output (PhConvert *l, PhGraph *body, guint index, PhValue *value)
{
  if (value != NULL && (value->graph != body || value->is_input || value->n_output_uses > 0))
    value = PH_BUILD (l->b, Identity, value);
  if (value != NULL && l->b->error == NULL)
    ph_graph_set_output (body, index, value, &l->b->error);
}

static gboolean branches (PhConvert *l, PhGraph *const *bodies, guint n, guint from, PhValue *index, PhValue *decided,
                          PhValue **out);

static gboolean
fill_branch (PhConvert *l, PhNode *choice, const char *name, PhGraph *const *bodies, guint n, guint from, PhValue *index)
{
  PhBuilder inside = { .name = l->b->name }, *outside = l->b;
  PhGraph *branch = ph_node_add_graph (choice, name, name, &l->b->error);
  g_autofree PhValue **outputs = g_new0 (PhValue *, l->n_out + 1);
  gboolean ok = branch != NULL;

  if (!ok)
    return FALSE;
  inside.graph = branch;
  l->b = &inside;
  if (from + 1 >= n)
    ok = ph_build_copy (&inside, bodies[from], NULL, outputs, NULL);
  else
    ok = branches (l, bodies, n, from, index, NULL, outputs);
  for (guint i = 0; ok && i < l->n_out; i++)
    ph_convert_set_output (l, branch, i, outputs[i]);
  l->b = outside;
  return ph_convert_finish_body (l, &inside) && ok;
}

/* Builds If (index is @from) { its body } else { the rest }. */
static gboolean
branches (PhConvert *l, PhGraph *const *bodies, guint n, guint from, PhValue *index, PhValue *decided, PhValue **out)
{
  g_autofree const PhType **types = g_new0 (const PhType *, l->n_out + 1);
  PhValue *condition = decided != NULL ? decided
                                       : PH_BUILD (l->b, Equal, index, ph_convert_number (l, ph_convert_dtype (index), from));
  PhNode *choice;

  if (condition == NULL)
    return FALSE;
  for (guint i = 0; i < l->n_out; i++)
    types[i] = ph_convert_type (l, i);
  choice = ph_graph_add_node (l->b->graph,
                              &(PhNodeSpec) { .op = &ph_op_If,
                                              .inputs = &condition,
                                              .n_inputs = 1,
                                              .n_outputs = l->n_out,
                                              .output_types = types,
                                              .before = l->b->before },
                              &l->b->error);
  if (choice == NULL || !fill_branch (l, choice, "then_branch", &bodies[from], 1, 0, index)
      || !fill_branch (l, choice, "else_branch", bodies, n, from + 1, index))
    return FALSE;
  for (guint i = 0; i < l->n_out; i++)
    out[i] = ph_node_output (choice, i);
  return TRUE;
}

static gboolean
if_or_case (PhConvert *l, PhValue **out)
{
  GPtrArray *bodies = l->node->graphs;

  if (bodies == NULL || bodies->len == 0 || l->n_in != 1)
    return ph_convert_stay (l, "it has no branches");
  for (guint i = 0; i < bodies->len; i++)
    if (((PhGraph *) bodies->pdata[i])->inputs->len != 0 || ((PhGraph *) bodies->pdata[i])->outputs->len != l->n_out)
      return ph_convert_stay (l, "its branches do not return as many values as it has outputs");
  if (bodies->len == 1)
    return ph_build_copy (l->b, bodies->pdata[0], NULL, out, NULL);
  if (bodies->len > 100)
    return ph_convert_stay (l, "it has %u branches", bodies->len);
  return branches (l, (PhGraph *const *) bodies->pdata, bodies->len, 0, l->in[0], g_str_equal (l->op, "if") ? l->in[0] : NULL,
                   out);
}

static gboolean
barrier (PhConvert *l, PhValue **out)
{
  if (l->n_in != l->n_out)
    return ph_convert_stay (l, "its results do not have the types of its operands");
  for (guint i = 0; i < l->n_out; i++)
    out[i] = PH_BUILD (l->b, Identity, l->in[i]);
  return TRUE;
}

/* Declares something that other operators name; what it gives is its name alone. */
static gboolean
declaration (PhConvert *l, PhValue **out)
{
  l->is_dropped = TRUE;
  return TRUE;
}

static gboolean
get_tuple_element (PhConvert *l, PhValue **out)
{
  const PhNode *tuple = l->in[0] != NULL ? l->in[0]->producer : NULL;
  const gint64 index = ph_convert_int (l, "index", -1);

  if (tuple == NULL || g_strcmp0 (ph_convert_name (tuple), "tuple") != 0 || index < 0 || index >= tuple->inputs->len)
    return ph_convert_stay (l, "the operator that makes its tuple stays");
  *out = ph_node_input (tuple, (guint) index);
  return TRUE;
}

static gboolean
custom_call (PhConvert *l, PhValue **out)
{
  const char *target = ph_convert_string (l, "call_target_name", "?");
  /* clang-format off */
  static const struct { const char *target, *op; } math[] = {
    { "Acos", "acos" }, { "Acosh", "acosh" }, { "Asin", "asin" }, { "Asinh", "asinh" }, { "Atan", "atan" }, { "Atanh", "atanh" },
    { "Cosh", "cosh" }, { "Sinh", "sinh" }, { "Lgamma", "lgamma" }, { "Digamma", "digamma" }, { "ErfInv", "erf_inv" }, { "Erfc", "erfc" },
  };
  /* These only place a value and do not change it. */
  static const char *const placing[] = {
    "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "LayoutConstraint", "xla.sdy.FuncResultSharding", "MoveToHost", "MoveToDevice",
    "annotate_device_placement", "Pin", "Unpin",
  };
  /* clang-format on */

  for (gsize i = 0; g_str_has_prefix (target, "xla_builder.math.") && i < G_N_ELEMENTS (math); i++)
    if (g_str_equal (target + strlen ("xla_builder.math."), math[i].target) && ph_dtype_is_float (ph_convert_dtype (l->in[0])))
      {
        l->op = math[i].op;
        return ph_convert_find (l->op)->lower (l, out);
      }

  for (gsize i = 0; i < G_N_ELEMENTS (placing); i++)
    if (g_str_equal (target, placing[i]) && l->n_in >= 1 && l->n_out == 1 && ph_node_output (l->node, 0)->type == l->in[0]->type)
      {
        *out = PH_BUILD (l->b, Identity, l->in[0]);
        return TRUE;
      }
  return ph_convert_stay (l, "only a backend can run @%s", target);
}

/* clang-format off */
const PhConvertRule ph_convert_control[] = {
  { "while", ph_convert_while, "Loop", "ONNX's Loop computes the condition of the next turn at the end of its body, or counts its turns itself." },
  { "if", if_or_case, "its If", "Both run one of two bodies, depending on a condition." },
  { "case", if_or_case, "nested Ifs", "ONNX's If has two branches; the last branch also serves every index out of range." },
  { "optimization_barrier", barrier, "its Identity", "ONNX orders nodes by the values that they read, so no explicit order is needed." },
  { "mesh", declaration, "nothing", "How devices are arranged does not change what is computed." },
  { "propagation_barrier", barrier, "its Identity", "Where a sharding stops to spread does not change the tensor's elements." },
  { "reshard", barrier, "its Identity", "The sharding of a tensor over devices does not change its elements." },
  { "sharding_constraint", barrier, "its Identity", "The sharding of a tensor over devices does not change its elements." },
  { "get_tuple_element", get_tuple_element, "the element itself", "ONNX's nodes have several outputs, so no tuple is needed." },
  { "custom_call", custom_call, "Identity, of a sharding", "The sharding of a tensor over devices does not change its elements." },
  { NULL }
};
/* clang-format on */
