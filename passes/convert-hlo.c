/* convert-hlo.c: forms of HLO and jaxprs that differ from StableHLO (fusions and calls, operands of branches, constants of loops, dimension
 * labels), and primitives of JAX without a StableHLO operator.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <string.h>

#include "core/ops/copy.h"

static gboolean
is_foreign (const PhNode *node)
{
  return g_str_equal (node->domain, "hlo") || g_str_equal (node->domain, "jax");
}

/* ── calls and fusions ── */

static gboolean
is_call (const PhNode *node)
{
  /* clang-format off */
  static const char *const names[] = {
    "fusion", "call", "jit", "pjit", "closed_call", "core_call", "xla_call", "remat", "checkpoint", "custom_jvp_call",
    "custom_vjp_call", "custom_vjp_call_jaxpr", NULL
  };
  /* clang-format on */
  const PhGraph *body = node->graphs != NULL && node->graphs->len == 1 ? node->graphs->pdata[0] : NULL;

  return is_foreign (node) && body != NULL && g_strv_contains (names, node->op_type) && body->inputs->len == node->inputs->len
         && body->outputs->len == node->outputs->len;
}

/* Inlines calls until there are none, as an inlined body may contain more. Returns FALSE if stopped. */
static gboolean
inline_all (PhPassRun *run, GError **error)
{
  for (gboolean again = TRUE; again;)
    {
      g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model), ids = g_ptr_array_new ();

      again = FALSE;
      for (guint i = 0; i < nodes->len; i++)
        g_ptr_array_add (ids, GUINT_TO_POINTER (((PhNode *) nodes->pdata[i])->id));
      for (guint i = 0; i < ids->len; i++)
        {
          PhNode *node = ph_model_find_node (run->model, GPOINTER_TO_UINT (ids->pdata[i]));
          g_autoptr (GError) reason = NULL;

          if (node == NULL || !is_call (node))
            continue;
          if (!ph_pass_begin (run, g_str_equal (node->op_type, "fusion") ? "fusion" : "call", node,
                              "The call is inlined: the body of its computation replaces it."))
            return FALSE;
          if (ph_graph_inline_node (node, &reason))
            {
              ph_pass_end (run);
              again = TRUE;
            }
          else
            ph_pass_abort (run);
        }
    }
  return TRUE;
}

/* ── branches and loops ── */

typedef struct
{
  PhNode *from, *to;
  PhBuilder outside;
} Rewrite;

/* Adds a copy of @body to @rewrite->to, with its first inputs replaced by @values; the others become inputs of the copy. */
static gboolean
copy_body (Rewrite *rewrite, const char *attr, PhGraph *body, PhValue *const *values, guint n)
{
  GError **error = &rewrite->outside.error;
  PhGraph *to = ph_node_add_graph (rewrite->to, attr, body->name, error);
  PhBuilder inside = { .graph = to };
  g_autofree PhValue **inputs = g_new0 (PhValue *, body->inputs->len + 1), **outputs = g_new0 (PhValue *, body->outputs->len + 1);

  for (guint i = 0; to != NULL && i < body->inputs->len; i++)
    {
      const PhValue *input = body->inputs->pdata[i];

      inputs[i] = i < n ? values[i]
                        : ph_graph_add_input (to, ph_graph_unique_name (to, input->name), input->type, NULL, G_MAXUINT, error);
      if (inputs[i] == NULL)
        return FALSE;
    }
  if (to == NULL || !ph_build_copy (&inside, body, inputs, outputs, NULL))
    return ph_builder_finish (&inside, error) && FALSE;
  for (guint i = 0; i < body->outputs->len; i++)
    if (!ph_graph_set_output (to, i, outputs[i], error))
      return FALSE;
  return ph_builder_finish (&inside, error);
}

/* Begins a node of operator @op in place of @node, without its first @skip operands, which its bodies capture now. */
static PhNode *
begin_node (Rewrite *rewrite, PhNode *node, const char *op, PhValue **inputs, guint n)
{
  g_autofree const PhType **types = g_new0 (const PhType *, node->outputs->len + 1);

  for (guint i = 0; i < node->outputs->len; i++)
    types[i] = ph_node_output (node, i)->type;
  rewrite->from = node;
  rewrite->outside = (PhBuilder) { .graph = node->graph, .before = node };
  rewrite->to = ph_graph_add_node (node->graph,
                                   &(PhNodeSpec) { .op_type = op,
                                                   .domain = node->domain,
                                                   .name = node->name,
                                                   .inputs = inputs,
                                                   .n_inputs = n,
                                                   .n_outputs = node->outputs->len,
                                                   .output_types = types,
                                                   .before = node },
                                   &rewrite->outside.error);
  return rewrite->to;
}

static void
end_node (PhPassRun *run, Rewrite *rewrite, gboolean ok)
{
  PhNode *node = rewrite->from;
  g_autofree PhValue **out = g_new0 (PhValue *, node->outputs->len + 1);
  g_autoptr (GError) ignored = NULL;

  for (guint i = 0; ok && i < node->outputs->len; i++)
    out[i] = ph_node_output (rewrite->to, i);
  if (ok && ph_node_replace_all (node, out, &rewrite->outside))
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  ph_builder_finish (&rewrite->outside, &ignored);
}

/* Makes branches capture their operands: each takes its own (HLO) or all of them (jaxpr). Returns FALSE if stopped. */
static gboolean
convert_branches (PhPassRun *run, PhNode *node)
{
  const gboolean hlo = g_str_equal (node->domain, "hlo");
  const guint n = node->graphs->len;
  PhValue *index = ph_node_input (node, 0);
  const gboolean two = index != NULL && index->type != NULL && index->type->dtype == PH_BOOL && n == 2;
  Rewrite rewrite;
  guint used = 1;
  gboolean ok;

  if (index == NULL || index->type == NULL)
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      const PhGraph *branch = node->graphs->pdata[i];

      if (branch->outputs->len != node->outputs->len
          || (hlo ? used + branch->inputs->len : 1 + branch->inputs->len) > node->inputs->len)
        return TRUE;
      used += hlo ? branch->inputs->len : 0;
    }
  if (!ph_pass_begin (run, "branches", node, "A branch in ONNX has no operands: it reads values of the graph around it."))
    return FALSE;
  ok = begin_node (&rewrite, node, two ? "if" : "case", &index, 1) != NULL;
  used = 1;
  for (guint i = 0; ok && i < n; i++)
    {
      /* For two branches and a boolean, HLO lists the true branch first, jaxprs the false one. */
      PhGraph *branch = node->graphs->pdata[two && !hlo ? 1 - i : i];
      g_autofree char *attr = g_strdup_printf ("branch_%u", i);

      ok = copy_body (&rewrite, attr, branch, (PhValue *const *) node->inputs->pdata + used, branch->inputs->len);
      used += hlo ? branch->inputs->len : 0;
    }
  end_node (run, &rewrite, ok);
  return TRUE;
}

/* Renames the body "condition" to cond, and makes a jaxpr loop capture its constants. Returns FALSE if stopped. */
static gboolean
convert_loop (PhPassRun *run, PhNode *node)
{
  PhGraph *cond = ph_node_graph (node, "condition"), *body = ph_node_graph (node, "body");
  const guint in_cond = (guint) CLAMP (ph_node_attr_int (node, "cond_nconsts", 0), 0, 1000000);
  const guint in_body = (guint) CLAMP (ph_node_attr_int (node, "body_nconsts", 0), 0, 1000000);
  PhValue **inputs = (PhValue **) node->inputs->pdata;
  Rewrite rewrite;
  guint carried;
  gboolean ok;

  if (cond == NULL)
    cond = ph_node_graph (node, "cond");
  if (cond == NULL || body == NULL || in_cond + in_body > node->inputs->len)
    return TRUE;
  carried = node->inputs->len - in_cond - in_body;
  if (cond->inputs->len != in_cond + carried || body->inputs->len != in_body + carried || node->outputs->len != carried)
    return TRUE;
  if (cond->attr == ph_intern ("cond") && in_cond + in_body == 0)
    return TRUE;
  if (!ph_pass_begin (run, "loop", node,
                      "A value that the loop does not change is invariant, so the body reads it from outside."))
    return FALSE;
  ok = begin_node (&rewrite, node, "while", inputs + in_cond + in_body, carried) != NULL
       && copy_body (&rewrite, "cond", cond, inputs, in_cond) && copy_body (&rewrite, "body", body, inputs + in_cond, in_body);
  end_node (run, &rewrite, ok);
  return TRUE;
}

/* ── dimension labels ── */

typedef struct
{
  const char *attr;
  char label;
} Label;

/* Converts "b01f_01io->b01f" to dimension numbers. Returns FALSE if stopped. */
static gboolean
convert_labels (PhPassRun *run, PhNode *node)
{
  static const char *const spatial[] = { "input_spatial_dimensions", "kernel_spatial_dimensions", "output_spatial_dimensions" };
  static const Label named[3][2] = {
    { { "input_batch_dimension", 'b' }, { "input_feature_dimension", 'f' } },
    { { "kernel_output_feature_dimension", 'o' }, { "kernel_input_feature_dimension", 'i' } },
    { { "output_batch_dimension", 'b' }, { "output_feature_dimension", 'f' } },
  };
  static const struct
  {
    const char *from, *to;
  } dilations[] = { { "base_dilations", "lhs_dilation" }, { "window_dilations", "rhs_dilation" } };
  const char *labels = ph_node_attr_string (node, "dim_labels", "");
  g_auto (GStrv) parts = g_strsplit_set (labels, "_>", 3);
  gboolean ok = g_strv_length (parts) == 3;

  if (!ok)
    return TRUE;
  if (!ph_pass_begin (run, "labels", node, "The labels tell which dimensions are batch, feature and space."))
    return FALSE;
  for (guint part = 0; ok && part < 3; part++)
    {
      gint64 places[10];
      gsize n = 0;

      for (guint k = 0; ok && k < 2; k++)
        {
          const char *at = strchr (parts[part], named[part][k].label);

          if (at != NULL)
            {
              PhAttr *attr = ph_attr_new_int (named[part][k].attr, at - parts[part]);

              ok = ph_node_set_attr (node, named[part][k].attr, attr, NULL);
              ph_attr_unref (attr);
            }
        }
      for (char digit = '0'; digit <= '9' && strchr (parts[part], digit) != NULL; digit++)
        places[n++] = strchr (parts[part], digit) - parts[part];
      {
        PhAttr *attr = ph_attr_new_ints (spatial[part], places, n);

        ok = ok && ph_node_set_attr (node, spatial[part], attr, NULL);
        ph_attr_unref (attr);
      }
    }
  for (gsize i = 0; ok && i < G_N_ELEMENTS (dilations); i++)
    {
      gsize n;
      const gint64 *values = ph_node_attr_ints (node, dilations[i].from, &n);
      PhAttr *attr = values != NULL ? ph_attr_new_ints (dilations[i].to, values, n) : NULL;

      if (attr != NULL)
        {
          ok = ph_node_set_attr (node, dilations[i].to, attr, NULL);
          ph_attr_unref (attr);
        }
    }
  if (ok)
    ph_pass_end (run);
  else
    ph_pass_abort (run);
  return TRUE;
}

gboolean
ph_convert_prepare (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = NULL, ids = g_ptr_array_new ();

  if (!inline_all (run, error))
    return TRUE;
  nodes = ph_model_nodes (run->model);
  for (guint i = 0; i < nodes->len; i++)
    if (is_foreign (nodes->pdata[i]))
      g_ptr_array_add (ids, GUINT_TO_POINTER (((PhNode *) nodes->pdata[i])->id));
  for (guint i = 0; i < ids->len; i++)
    {
      PhNode *node = ph_model_find_node (run->model, GPOINTER_TO_UINT (ids->pdata[i]));
      gboolean goes_on = TRUE;

      if (node == NULL)
        continue;
      if ((g_str_equal (node->op_type, "conditional") || g_str_equal (node->op_type, "cond")) && node->graphs != NULL
          && node->inputs->len > 0)
        goes_on = convert_branches (run, node);
      else if (g_str_equal (node->op_type, "while"))
        goes_on = convert_loop (run, node);
      else if (g_str_equal (node->op_type, "convolution") && ph_node_attr (node, "dim_labels") != NULL)
        goes_on = convert_labels (run, node);
      if (!goes_on)
        return TRUE;
    }
  return TRUE;
}

/* ── rules ── */

static gboolean
itself (PhConvert *l, PhValue **out)
{
  if (l->n_in == 0 || l->n_out != 1)
    return ph_convert_stay (l, "its results do not have the types of its operands");
  *out = PH_BUILD (l->b, Identity, l->in[0]);
  return TRUE;
}

/* Reads the axes from the slowest to the fastest in memory; XLA lists them from the fastest on. Returns FALSE if that is no permutation. */
static gboolean
memory_order (PhConvert *l, const char *attr, guint rank, gint64 *order)
{
  const char *text = ph_node_attr_string (l->node, attr, "");
  gboolean seen[PH_MAX_RANK] = { FALSE };

  for (guint i = 0; i < rank; i++)
    order[i] = i;
  if (*text == '\0')
    return TRUE;
  for (guint i = rank; i-- > 0;)
    {
      char *end;

      order[i] = g_ascii_strtoll (text, &end, 10);
      if (end == text || order[i] < 0 || order[i] >= rank || seen[order[i]] || *end != (i > 0 ? ',' : '\0'))
        return ph_convert_stay (l, "its layout in memory is not a permutation of its axes");
      seen[order[i]] = TRUE;
      text = end + 1;
    }
  return TRUE;
}

/* Reinterprets the same bytes in memory order with another shape. */
static gboolean
bitcast (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  const guint from = ph_convert_rank (l->in[0]), to = type != NULL ? type->rank : 0;
  gint64 before[PH_MAX_RANK], after[PH_MAX_RANK], back[PH_MAX_RANK], dims[PH_MAX_RANK], there[PH_MAX_RANK];
  PhValue *value;

  if (l->n_in != 1 || type == NULL || ph_convert_dtype (l->in[0]) != type->dtype || l->in[0]->type == NULL
      || !l->in[0]->type->has_rank)
    return ph_convert_stay (l, "it changes the type of the elements");
  if (!memory_order (l, "operand_layout", from, before) || !memory_order (l, "layout", to, after)
      || !ph_convert_out_dims (l, 0, dims))
    return FALSE;
  for (guint i = 0; i < to; i++)
    {
      there[i] = dims[after[i]];
      back[after[i]] = i;
    }
  value = ph_convert_transpose (l, l->in[0], before, from);
  value = value != NULL ? ph_convert_reshape (l, value, there, to) : NULL;
  *out = value != NULL ? ph_convert_transpose (l, value, back, to) : NULL;
  return *out != NULL;
}

/* Gives the same elements another shape. */
static gboolean
reshaped (PhConvert *l, PhValue **out)
{
  gint64 dims[PH_MAX_RANK];
  const PhType *type = ph_convert_type (l, 0);

  if (type == NULL || l->n_in < 1 || ph_convert_dtype (l->in[0]) != type->dtype)
    return ph_convert_stay (l, "it changes the type of the elements");
  if (!ph_convert_out_dims (l, 0, dims))
    return FALSE;
  *out = ph_convert_reshape (l, l->in[0], dims, type->rank);
  return TRUE;
}

static gboolean
compare (PhConvert *l, PhValue **out)
{
  if (l->n_in != 2)
    return ph_convert_stay (l, "it does not have two operands");
  *out = g_str_equal (l->op, "lt")   ? PH_BUILD (l->b, Less, l->in[0], l->in[1])
         : g_str_equal (l->op, "gt") ? PH_BUILD (l->b, Greater, l->in[0], l->in[1])
         : g_str_equal (l->op, "le") ? PH_BUILD (l->b, LessOrEqual, l->in[0], l->in[1])
         : g_str_equal (l->op, "ge") ? PH_BUILD (l->b, GreaterOrEqual, l->in[0], l->in[1])
         : g_str_equal (l->op, "eq") ? PH_BUILD (l->b, Equal, l->in[0], l->in[1])
                                     : PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, l->in[0], l->in[1]));
  return TRUE;
}

static gboolean
select_n (PhConvert *l, PhValue **out)
{
  if (l->n_in != 3 || ph_convert_dtype (l->in[0]) != PH_BOOL)
    return ph_convert_stay (l, "it has more than two operands");
  *out = PH_BUILD (l->b, Where, l->in[0], l->in[2], l->in[1]);
  return TRUE;
}

static gboolean
cast (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);

  if (type == NULL || l->n_in != 1)
    return ph_convert_stay (l, "the type of its result is not known");
  *out = ph_convert_cast (l, l->in[0], type->dtype);
  return TRUE;
}

static gboolean
reduce_axes (PhConvert *l, PhValue **out)
{
  gsize n;
  const gint64 *axes = ph_convert_ints (l, "axes", &n);
  const gboolean logical = ph_convert_dtype (l->in[0]) == PH_BOOL;
  PhValue *places, *x;
  PhAttr **keep;

  if (axes == NULL || l->n_in != 1 || n == 0)
    return ph_convert_stay (l, "its axes are not known");
  places = ph_convert_ints_value (l, axes, n);
  x = logical ? ph_convert_cast (l, l->in[0], PH_UINT8) : l->in[0]; /* of nothing ReduceMax is 0 then, and ReduceMin is not */
  keep = PH_ATTRS (ph_attr_new_int ("keepdims", 0));
  *out = g_str_equal (l->op, "reduce_sum")    ? PH_BUILD_WITH (l->b, ReduceSum, keep, x, places)
         : g_str_equal (l->op, "reduce_prod") ? PH_BUILD_WITH (l->b, ReduceProd, keep, x, places)
         : g_str_equal (l->op, "reduce_max") || g_str_equal (l->op, "reduce_or")
             ? PH_BUILD_WITH (l->b, ReduceMax, keep, x, places)
             : PH_BUILD_WITH (l->b, ReduceMin, keep, x, places);
  if (logical && *out != NULL)
    *out = ph_convert_cast (l, *out, PH_BOOL);
  return TRUE;
}

static gboolean
integer_pow (PhConvert *l, PhValue **out)
{
  if (l->n_in != 1 || ph_node_attr (l->node, "y") == NULL)
    return ph_convert_stay (l, "its exponent is not known");
  *out = PH_BUILD (l->b, Pow, l->in[0], ph_convert_like (l, l->in[0], (double) ph_convert_int (l, "y", 1)));
  return TRUE;
}

PH_CONVERT_TO (two_to_the, PH_BUILD (l->b, Pow, ph_convert_like (l, l->in[0], 2), l->in[0]))

static gboolean
add_any (PhConvert *l, PhValue **out)
{
  if (l->n_in != 2)
    return ph_convert_stay (l, "it does not have two operands");
  *out = PH_BUILD (l->b, Add, l->in[0], l->in[1]);
  return TRUE;
}

static gboolean
cumsum (PhConvert *l, PhValue **out)
{
  PhAttr **attrs = PH_ATTRS (ph_attr_new_int ("reverse", ph_convert_int (l, "reverse", 0)));

  *out = PH_BUILD_WITH (l->b, CumSum, attrs, l->in[0], ph_convert_number (l, PH_INT64, (double) ph_convert_int (l, "axis", 0)));
  return TRUE;
}

#define SAME_WHY "Both compute the same function; only the names differ."

const PhConvertRule ph_convert_hlo[] = {
  { "copy", itself, "its Identity", "The place and layout of an array in memory do not change its elements." },
  { "copy_p", itself, "its Identity", "The place of an array in memory does not change its elements." },
  { "device_put", itself, "its Identity", "The place of an array in memory does not change its elements." },
  { "add_dependency", itself, "its Identity", "ONNX orders nodes by the values that they read, so no explicit order is needed." },
  { "stop_gradient", itself, "its Identity", "It only affects gradients, so its value is its operand." },
  { "pvary", itself, "its Identity", "On a single device it returns its operand unchanged." },
  { "bitcast", bitcast, "Transpose, Reshape, Transpose", "Both reshape the elements in the order of memory." },
  { "squeeze", reshaped, "its Reshape", "Only dimensions of size 1 are inserted or removed." },
  { "expand_dims", reshaped, "its Reshape", "Only dimensions of size 1 are inserted or removed." },
  { "lt", compare, "its Less", SAME_WHY },
  { "gt", compare, "its Greater", SAME_WHY },
  { "le", compare, "its LessOrEqual", SAME_WHY },
  { "ge", compare, "its GreaterOrEqual", SAME_WHY },
  { "eq", compare, "its Equal", SAME_WHY },
  { "ne", compare, "Not (Equal)", "ONNX has no operator for inequality, so Not negates Equal." },
  { "select_n", select_n, "its Where", "Its first case is taken where the predicate is false." },
  { "convert_element_type", cast, "its Cast", SAME_WHY },
  { "reduce_sum", reduce_axes, "its ReduceSum", SAME_WHY },
  { "reduce_prod", reduce_axes, "its ReduceProd", SAME_WHY },
  { "reduce_max", reduce_axes, "its ReduceMax", SAME_WHY },
  { "reduce_min", reduce_axes, "its ReduceMin", SAME_WHY },
  { "reduce_and", reduce_axes, "ReduceMin of integers", "All elements are true if the smallest is 1." },
  { "reduce_or", reduce_axes, "ReduceMax of integers", "At least one element is true if the largest is 1." },
  { "integer_pow", integer_pow, "its Pow", "The exponent is an attribute in jaxpr and an operand in ONNX." },
  { "exp2", two_to_the, "its Pow", "ONNX's Pow takes any base, here 2." },
  { "add_any", add_any, "its Add", "It adds two gradients." },
  { "cumsum", cumsum, "its CumSum", SAME_WHY },
  { NULL }
};
