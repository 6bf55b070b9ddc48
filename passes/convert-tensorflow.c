/* convert-tensorflow.c: TensorFlow's operators in ONNX's: arithmetic, products, windows, and the table.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/copy.h"
#include "passes/convert-body.h"
#include "passes/convert-foreign.h"
#include "passes/convert-session.h"

/* ── arithmetic ── */

PH_CONVERT_TO (not_equal, PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, l->in[0], l->in[1])))

static gboolean
squared_difference (PhConvert *l, PhValue **out)
{
  PhValue *difference = PH_BUILD (l->b, Sub, l->in[0], l->in[1]);

  out[0] = PH_BUILD (l->b, Mul, difference, difference);
  return TRUE;
}

PH_CONVERT_TO (square, PH_BUILD (l->b, Mul, l->in[0], l->in[0]))

PH_CONVERT_TO (rsqrt, PH_BUILD (l->b, Reciprocal, PH_BUILD (l->b, Sqrt, l->in[0])))

PH_CONVERT_TO (log1p_, PH_BUILD (l->b, Log, PH_BUILD (l->b, Add, l->in[0], ph_foreign_number (l, l->in[0], 1))))

PH_CONVERT_TO (expm1_, PH_BUILD (l->b, Sub, PH_BUILD (l->b, Exp, l->in[0]), ph_foreign_number (l, l->in[0], 1)))

/* Divides and rounds down, which for integers is one less for a remainder of the other sign. */
static gboolean
floor_div (PhConvert *l, PhValue **out)
{
  const PhDType dtype = ph_convert_dtype (l->in[0]);
  PhValue *quotient = PH_BUILD (l->b, Div, l->in[0], l->in[1]), *rest, *zero, *down;

  if (dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  if (ph_dtype_is_float (dtype))
    {
      out[0] = PH_BUILD (l->b, Floor, quotient);
      return TRUE;
    }
  zero = ph_foreign_number (l, l->in[0], 0);
  rest = PH_BUILD (l->b, Sub, l->in[0], PH_BUILD (l->b, Mul, quotient, l->in[1]));
  down = PH_BUILD (l->b, And, PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, rest, zero)),
                   PH_BUILD (l->b, Xor, PH_BUILD (l->b, Less, rest, zero), PH_BUILD (l->b, Less, l->in[1], zero)));
  out[0] = PH_BUILD (l->b, Sub, quotient, ph_convert_cast (l, down, dtype));
  return TRUE;
}

static gboolean
floor_mod (PhConvert *l, PhValue **out)
{
  if (ph_dtype_is_integer (ph_convert_dtype (l->in[0])))
    return ph_foreign_node (l, &ph_op_Mod, out);
  out[0] = PH_BUILD (l->b, Sub, l->in[0],
                     PH_BUILD (l->b, Mul, PH_BUILD (l->b, Floor, PH_BUILD (l->b, Div, l->in[0], l->in[1])), l->in[1]));
  return TRUE;
}

static gboolean
div_no_nan (PhConvert *l, PhValue **out)
{
  PhValue *zero = ph_foreign_number (l, l->in[1], 0);

  out[0] = PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, l->in[1], zero), zero, PH_BUILD (l->b, Div, l->in[0], l->in[1]));
  return TRUE;
}

static gboolean
clip (PhConvert *l, PhValue *low, PhValue *high, PhValue **out)
{
  out[0] = PH_BUILD (l->b, Clip, l->in[0], low, high);
  return TRUE;
}

static gboolean
relu6 (PhConvert *l, PhValue **out)
{
  return clip (l, ph_foreign_number (l, l->in[0], 0), ph_foreign_number (l, l->in[0], 6), out);
}

PH_CONVERT_TO (clip_by_value, PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, l->in[0], l->in[1]), l->in[2]))

PH_CONVERT_TO (leaky_relu,
               PH_BUILD_WITH (l->b, LeakyRelu,
                              PH_ATTRS (ph_attr_new_float ("alpha", ph_node_attr_float (l->node, "alpha", 0.2f))), l->in[0]))

PH_CONVERT_TO (softmax, PH_BUILD_WITH (l->b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", -1)), l->in[0]))

static gboolean
cast (PhConvert *l, PhValue **out)
{
  const PhDType to = ph_foreign_type_attr (l, "DstT", PH_UNDEFINED);

  if (to == PH_UNDEFINED)
    return ph_convert_stay (l, "there is no such element type in ONNX");
  out[0] = PH_BUILD_WITH (l->b, Cast, PH_ATTRS (ph_attr_new_int ("to", to)), l->in[0]);
  return TRUE;
}

/* Converts Select, in which a condition of one dimension chooses rows. */
static gboolean
select_v1 (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]), of = ph_value_rank (l->in[1]);
  PhValue *condition = l->in[0];

  if (rank == 1 && of < 0)
    return ph_convert_stay (l, "the rank of its operands is not known");
  for (int i = 1; rank == 1 && i < of; i++)
    condition = ph_foreign_axis (l, &ph_op_Unsqueeze, condition, i);
  out[0] = PH_BUILD (l->b, Where, condition, l->in[1], l->in[2]);
  return TRUE;
}

/* ── products ── */

static PhValue *
transposed (PhConvert *l, PhValue *value, gboolean really)
{
  const int rank = ph_value_rank (value);
  gint64 perm[PH_MAX_RANK];

  if (!really)
    return value;
  if (rank < 2)
    {
      ph_convert_stay (l, "the rank of its operands is not known");
      return NULL;
    }
  for (int i = 0; i < rank; i++)
    perm[i] = i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2;
  return ph_convert_transpose (l, value, perm, (guint) rank);
}

static gboolean
mat_mul (PhConvert *l, PhValue **out)
{
  const gboolean batch = strstr (l->op, "Batch") != NULL;
  PhValue *a, *b;

  if (!batch) /* two matrices, even if their types are unknown */
    {
      const gint64 perm[] = { 1, 0 };

      a = ph_node_attr_int (l->node, "transpose_a", 0) ? ph_convert_transpose (l, l->in[0], perm, 2) : l->in[0];
      b = ph_node_attr_int (l->node, "transpose_b", 0) ? ph_convert_transpose (l, l->in[1], perm, 2) : l->in[1];
    }
  else
    {
      a = transposed (l, l->in[0], ph_node_attr_int (l->node, "adj_x", 0) != 0);
      b = transposed (l, l->in[1], ph_node_attr_int (l->node, "adj_y", 0) != 0);
    }
  out[0] = a != NULL && b != NULL ? PH_BUILD (l->b, MatMul, a, b) : NULL;
  return out[0] != NULL;
}

PH_CONVERT_TO (einsum,
               ph_build_node (l->b, &ph_op_Einsum, l->in, l->n_in,
                              PH_ATTRS (ph_attr_new_string ("equation", ph_node_attr_string (l->node, "equation", ""))), 1))

static gboolean
is_nhwc (PhConvert *l)
{
  return !g_str_has_prefix (ph_node_attr_string (l->node, "data_format", "NHWC"), "NC");
}

static gboolean
bias_add (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  PhValue *bias = l->in[1];

  if (!is_nhwc (l))
    {
      if (rank < 2)
        return ph_convert_stay (l, "the rank of its operand is not known");
      for (int i = 2; i < rank; i++)
        bias = ph_foreign_axis (l, &ph_op_Unsqueeze, bias, i - 1);
    }
  out[0] = PH_BUILD (l->b, Add, l->in[0], bias);
  return TRUE;
}

/* ── windows ── */

/* Reads the spatial part of the attributes, in NHWC or NCHW. Returns FALSE if the rank is not 4 or 5. */
static gboolean
read_window (PhConvert *l, const char *kernel, PhForeignWindow *window)
{
  const gboolean nhwc = is_nhwc (l);
  gsize n_strides, n_dilations, n_kernel = 0, n_pads;
  const gint64 *strides = ph_node_attr_ints (l->node, "strides", &n_strides),
               *dilations = ph_node_attr_ints (l->node, "dilations", &n_dilations);
  const gint64 *sizes = kernel != NULL ? ph_node_attr_ints (l->node, kernel, &n_kernel) : NULL,
               *pads = ph_node_attr_ints (l->node, "explicit_paddings", &n_pads);
  const guint from = nhwc ? 1 : 2;

  if (strides == NULL || n_strides < 4 || n_strides > 5 || (kernel != NULL && n_kernel != n_strides))
    return ph_convert_stay (l, "its strides do not have four or five numbers");
  *window = (PhForeignWindow) { .n = (guint) n_strides - 2,
                                .group = 1,
                                .padding = ph_node_attr_string (l->node, "padding", "VALID") };
  for (guint i = 0; i < window->n; i++)
    {
      window->stride[i] = strides[from + i];
      window->dilation[i] = dilations != NULL && n_dilations == n_strides ? dilations[from + i] : 1;
      window->kernel[i] = sizes != NULL ? sizes[from + i] : 0;
      if (pads != NULL && n_pads == 2 * n_strides)
        {
          window->explicit_pads[i] = pads[2 * (from + i)];
          window->explicit_pads[window->n + i] = pads[2 * (from + i) + 1];
        }
    }
  return TRUE;
}

static gboolean
read_kernel (PhConvert *l, PhValue *filters, PhForeignWindow *window)
{
  for (guint i = 0; i < window->n; i++)
    {
      window->kernel[i] = ph_value_dim (filters, (int) i);
      if (window->kernel[i] <= 0)
        return ph_convert_stay (l, "the size of its filters is not known");
    }
  return TRUE;
}

static gboolean
conv (PhConvert *l, PhValue **out)
{
  const gint64 perm[2][5] = { { 3, 2, 0, 1 }, { 4, 3, 0, 1, 2 } };
  PhValue *x = is_nhwc (l) ? ph_foreign_to_nchw (l, l->in[0]) : l->in[0], *w, *y;
  PhForeignWindow window;

  if (!read_window (l, NULL, &window) || !read_kernel (l, l->in[1], &window))
    return FALSE;
  if (ph_value_dim (l->in[1], (int) window.n) > 0 && ph_value_dim (x, 1) > 0)
    window.group = MAX (ph_value_dim (x, 1) / ph_value_dim (l->in[1], (int) window.n), 1);
  w = ph_convert_transpose (l, l->in[1], perm[window.n - 2], window.n + 2);
  y = ph_foreign_window (l, &ph_op_Conv, &window, x, w, NULL);
  out[0] = is_nhwc (l) ? ph_foreign_to_nhwc (l, y) : y;
  return out[0] != NULL;
}

/* Filters are [height, width, channels, multiplier], one group per channel. */
static gboolean
depthwise (PhConvert *l, PhValue **out)
{
  const gint64 channels = ph_value_dim (l->in[1], 2), times = ph_value_dim (l->in[1], 3), perm[] = { 3, 2, 0, 1 };
  PhValue *x = is_nhwc (l) ? ph_foreign_to_nchw (l, l->in[0]) : l->in[0], *w, *y;
  PhForeignWindow window;

  if (!read_window (l, NULL, &window) || !read_kernel (l, l->in[1], &window))
    return FALSE;
  if (channels <= 0 || times <= 0)
    return ph_convert_stay (l, "the size of its filters is not known");
  w = ph_convert_reshape (l, l->in[1], (gint64[]) { window.kernel[0], window.kernel[1], 1, channels * times }, 4);
  w = w != NULL ? ph_convert_transpose (l, w, perm, 4) : NULL;
  window.group = channels;
  y = ph_foreign_window (l, &ph_op_Conv, &window, x, w, NULL);
  out[0] = is_nhwc (l) ? ph_foreign_to_nhwc (l, y) : y;
  return out[0] != NULL;
}

static gboolean
conv_backprop (PhConvert *l, PhValue **out)
{
  g_autoptr (GArray) sizes = ph_foreign_ints (l, 0);
  const gint64 perm[2][5] = { { 3, 2, 0, 1 }, { 4, 3, 0, 1, 2 } };
  const guint from = is_nhwc (l) ? 1 : 2;
  PhValue *x = is_nhwc (l) ? ph_foreign_to_nchw (l, l->in[2]) : l->in[2], *y;
  PhForeignWindow window;

  if (sizes == NULL || !read_window (l, NULL, &window) || !read_kernel (l, l->in[1], &window))
    return FALSE;
  if (sizes->len != window.n + 2)
    return ph_convert_stay (l, "the size of its result does not have a number for each dimension");
  y = ph_foreign_transposed (l, &window, x, ph_convert_transpose (l, l->in[1], perm[window.n - 2], window.n + 2), NULL,
                             &g_array_index (sizes, gint64, from));
  out[0] = is_nhwc (l) ? ph_foreign_to_nhwc (l, y) : y;
  return out[0] != NULL;
}

static gboolean
pool (PhConvert *l, PhValue **out)
{
  const PhOp *op = strstr (l->op, "Max") != NULL ? &ph_op_MaxPool : &ph_op_AveragePool;
  PhValue *x = is_nhwc (l) ? ph_foreign_to_nchw (l, l->in[0]) : l->in[0], *y;
  PhForeignWindow window;

  if (!read_window (l, "ksize", &window))
    return FALSE;
  y = ph_foreign_window (l, op, &window, x, NULL, NULL);
  out[0] = is_nhwc (l) ? ph_foreign_to_nhwc (l, y) : y;
  return out[0] != NULL;
}

static gboolean
batch_norm (PhConvert *l, PhValue **out)
{
  PhValue *x = is_nhwc (l) ? ph_foreign_to_nchw (l, l->in[0]) : l->in[0],
          *inputs[5] = { x, l->in[1], l->in[2], l->in[3], l->in[4] }, *y;

  if (ph_node_attr_int (l->node, "is_training", 1) != 0)
    return ph_convert_stay (l, "it computes the mean and variance of the batch: freeze the graph for inference");
  y = ph_build_node (l->b, &ph_op_BatchNormalization, inputs, 5,
                     PH_ATTRS (ph_attr_new_float ("epsilon", ph_node_attr_float (l->node, "epsilon", 1e-4f))), 1);
  out[0] = is_nhwc (l) ? ph_foreign_to_nhwc (l, y) : y;
  return out[0] != NULL;
}

static gboolean
resize (PhConvert *l, PhValue **out)
{
  return ph_foreign_resize (l, strstr (l->op, "Bilinear") != NULL, ph_node_attr_int (l->node, "align_corners", 0) != 0,
                            ph_node_attr_int (l->node, "half_pixel_centers", 0) != 0, out);
}

static gboolean
space_depth (PhConvert *l, PhValue **out)
{
  PhValue *x = is_nhwc (l) ? ph_foreign_to_nchw (l, l->in[0]) : l->in[0];
  PhAttr **attrs = PH_ATTRS (ph_attr_new_int ("blocksize", ph_node_attr_int (l->node, "block_size", 1)));
  PhValue *y = ph_build_node (l->b, strstr (l->op, "SpaceToDepth") != NULL ? &ph_op_SpaceToDepth : &ph_op_DepthToSpace, &x, 1,
                              attrs, 1);

  out[0] = is_nhwc (l) ? ph_foreign_to_nhwc (l, y) : y;
  return out[0] != NULL;
}

/* ── reductions ── */

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  static const PhForeignReduction kinds[] = { { "EuclideanNorm", &ph_op_ReduceL2 }, { "Sum", &ph_op_ReduceSum },
                                              { "Mean", &ph_op_ReduceMean },        { "Max", &ph_op_ReduceMax },
                                              { "Min", &ph_op_ReduceMin },          { "Prod", &ph_op_ReduceProd },
                                              { "Any", &ph_op_ReduceMax },          { "All", &ph_op_ReduceMin } };

  return ph_foreign_reduction (l, kinds, G_N_ELEMENTS (kinds), out);
}

static gboolean
arg (PhConvert *l, PhValue **out)
{
  const gint64 axis = l->n_in > 1 ? ph_foreign_int (l, 1, G_MAXINT64) : 0;
  PhAttr **attrs = axis != G_MAXINT64 ? PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("keepdims", 0)) : NULL;
  PhValue *place;

  if (attrs == NULL)
    return FALSE;
  place = ph_build_node (l->b, strstr (l->op, "Max") != NULL ? &ph_op_ArgMax : &ph_op_ArgMin, l->in, 1, attrs, 1);
  out[0] = ph_convert_cast (l, place, ph_foreign_type_attr (l, "output_type", PH_INT64));
  return TRUE;
}

/* ── control ── */

static gboolean
fill_branch (PhConvert *l, PhNode *choice, const char *name, PhGraph *from)
{
  g_autofree PhValue **outputs = g_new0 (PhValue *, l->n_out + 1);
  PhBuilder inside = { .graph = ph_node_add_graph (choice, name, name, &l->b->error), .name = l->b->name }, *outside = l->b;
  gboolean ok;

  if (inside.graph == NULL)
    return FALSE;
  l->b = &inside;
  ok = ph_build_copy (&inside, from, l->in + 1, outputs, NULL);
  for (guint i = 0; ok && i < l->n_out; i++)
    ph_convert_set_output (l, inside.graph, i, outputs[i]);
  l->b = outside;
  return ph_convert_finish_body (l, &inside) && ok;
}

static gboolean
if_ (PhConvert *l, PhValue **out)
{
  PhGraph *then = ph_node_graph (l->node, "then_branch"), *other = ph_node_graph (l->node, "else_branch");
  g_autofree const PhType **types = g_new0 (const PhType *, l->n_out + 1);
  PhNode *choice;

  if (then == NULL || other == NULL || then->inputs->len + 1 != l->n_in || other->inputs->len + 1 != l->n_in
      || then->outputs->len != l->n_out || other->outputs->len != l->n_out)
    return ph_convert_stay (l, "its branches do not have an input for each operand");
  choice = ph_graph_add_node (
      l->b->graph,
      &(PhNodeSpec) {
          .op = &ph_op_If, .inputs = l->in, .n_inputs = 1, .n_outputs = l->n_out, .output_types = types, .before = l->b->before },
      &l->b->error);
  if (choice == NULL || !fill_branch (l, choice, "then_branch", then) || !fill_branch (l, choice, "else_branch", other))
    return FALSE;
  for (guint i = 0; i < l->n_out; i++)
    {
      const PhValue *value = then->outputs->pdata[i];

      out[i] = ph_node_output (choice, i);
      if (value->type != NULL)
        ph_value_set_type (out[i], ph_type_unranked (value->type->dtype), NULL);
    }
  return TRUE;
}

/* Returns the constant made from @tensor before, or a new one. */
static PhValue *
constant_of (PhConvert *l, PhGraph *graph, const char *name, PhTensor *tensor)
{
  PhValue *made = NULL;

  for (guint i = 0; made == NULL && i < graph->constants->len; i++)
    if (((PhValue *) graph->constants->pdata[i])->tensor == tensor)
      made = graph->constants->pdata[i];
  return made != NULL ? made : ph_graph_add_constant (graph, ph_graph_unique_name (graph, name), tensor, &l->b->error);
}

/* Converts a variable to its value from the checkpoint; without one it becomes an input of the model. */
static gboolean
variable (PhConvert *l, PhValue **out)
{
  const PhNode *handle = l->n_in == 1 && l->in[0] != NULL ? l->in[0]->producer : l->node;
  const PhType *type = l->n_out > 0 ? ph_node_output (l->node, 0)->type : NULL;
  const PhAttr *value = NULL;
  GError *error = NULL;

  if (handle == NULL || handle->graph->owner != NULL || (l->n_in == 1 && strcmp (handle->op_type, "VarHandleOp") != 0))
    return ph_convert_stay (l, "its variable is not in the main graph");
  for (guint i = 0; i < ph_node_output (handle, 0)->uses->len; i++)
    if (ph_session_has_effect (g_array_index (ph_node_output (handle, 0)->uses, PhUse, i).node))
      return ph_convert_stay (l, "the graph may write to the variable '%s'", handle->name);
  value = ph_node_attr (handle, "value");
  if (value != NULL && value->kind == PH_ATTR_TENSOR)
    return (out[0] = constant_of (l, handle->graph, handle->name, value->tensor)) != NULL;
  for (guint i = 0; i < handle->graph->inputs->len; i++)
    if (g_str_has_prefix (((PhValue *) handle->graph->inputs->pdata[i])->name, "variable ")
        && strcmp (((PhValue *) handle->graph->inputs->pdata[i])->name + strlen ("variable "), handle->name) == 0)
      {
        out[0] = handle->graph->inputs->pdata[i];
        return TRUE;
      }
  {
    g_autofree char *name = g_strconcat ("variable ", handle->name, NULL);

    out[0] = ph_graph_add_input (handle->graph, name, type, NULL, G_MAXUINT, &error);
  }
  g_clear_error (&error);
  return out[0] != NULL;
}

static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char turns[]
    = "ONNX's Loop computes the condition of the next turn at the end of its body, or counts its turns itself.";
static const char windows[] = "In ONNX the channels are the second dimension, and the padding SAME is written as numbers.";

/* clang-format off */
#define DIRECT(name) { "tf:" name, ph_foreign_direct, "ONNX's own", elementwise }
#define SAME(name)   { "tf:" name, ph_foreign_same, "its operand", "It returns its operand unchanged." }
/* clang-format on */

static const char variable_why[]
    = "A variable that is never written is a constant, or an input if there is no checkpoint beside the graph.";

/* clang-format off */
const PhConvertRule ph_convert_tensorflow[] = {
  DIRECT ("Add"), DIRECT ("AddV2"), DIRECT ("Sub"), DIRECT ("Mul"), DIRECT ("RealDiv"), DIRECT ("Div"), DIRECT ("TruncateDiv"), DIRECT ("Pow"),
  DIRECT ("Maximum"), DIRECT ("Minimum"), DIRECT ("Abs"), DIRECT ("Neg"), DIRECT ("Sign"), DIRECT ("Sqrt"), DIRECT ("Exp"), DIRECT ("Log"),
  DIRECT ("Sin"), DIRECT ("Cos"), DIRECT ("Tan"), DIRECT ("Asin"), DIRECT ("Acos"), DIRECT ("Atan"), DIRECT ("Sinh"), DIRECT ("Cosh"),
  DIRECT ("Asinh"), DIRECT ("Acosh"), DIRECT ("Atanh"), DIRECT ("Erf"), DIRECT ("Floor"), DIRECT ("Ceil"), DIRECT ("Round"), DIRECT ("Rint"),
  DIRECT ("Reciprocal"), DIRECT ("Inv"), DIRECT ("Equal"), DIRECT ("Less"), DIRECT ("LessEqual"), DIRECT ("Greater"), DIRECT ("GreaterEqual"),
  DIRECT ("LogicalAnd"), DIRECT ("LogicalOr"), DIRECT ("LogicalNot"), DIRECT ("IsNan"), DIRECT ("IsInf"), DIRECT ("SelectV2"), DIRECT ("Relu"),
  DIRECT ("Elu"), DIRECT ("Selu"), DIRECT ("Softplus"), DIRECT ("Softsign"), DIRECT ("Sigmoid"), DIRECT ("Tanh"), DIRECT ("LogSoftmax"),
  { "tf:NotEqual", not_equal, "Not(Equal)", "ONNX has no identical operator, so it is composed of others." },
  { "tf:SquaredDifference", squared_difference, "Sub, then Mul with itself", "ONNX has no identical operator, so it is composed of others." },
  { "tf:Square", square, "Mul(x, x)", "ONNX has no identical operator, so it is composed of others." },
  { "tf:Rsqrt", rsqrt, "Reciprocal(Sqrt)", "ONNX has no identical operator, so it is composed of others." },
  { "tf:Log1p", log1p_, "Log(x + 1)", "ONNX has no identical operator; the formula loses digits for small operands." },
  { "tf:Expm1", expm1_, "Exp(x) - 1", "ONNX has no identical operator; the formula loses digits for small operands." },
  { "tf:FloorDiv", floor_div, "Div, rounded down", "ONNX's Div of integers rounds towards zero." },
  { "tf:FloorMod", floor_mod, "Mod", "The remainder has the sign of the divisor." },
  { "tf:DivNoNan", div_no_nan, "Where(divisor = 0, 0, Div)", "DivNoNan returns 0 where the divisor is 0, which Where selects." },
  { "tf:Relu6", relu6, "Clip", "The result is clipped to the interval from 0 to 6." },
  { "tf:ClipByValue", clip_by_value, "Min(Max)", "The bounds may be tensors, which Clip does not take." },
  { "tf:LeakyRelu", leaky_relu, "LeakyRelu", elementwise },
  { "tf:Softmax", softmax, "Softmax", "Both work along the last axis." },
  { "tf:Cast", cast, "Cast", elementwise },
  { "tf:Select", select_v1, "Where", "A condition of one dimension selects rows, so it gets trailing dimensions." },
  { "tf:MatMul", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands." },
  { "tf:BatchMatMul", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands." },
  { "tf:BatchMatMulV2", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands." },
  { "tf:BatchMatMulV3", mat_mul, "MatMul", "MatMul in ONNX has no transposed operands." },
  { "tf:Einsum", einsum, "Einsum", "Both evaluate the same Einstein summation equation." },
  { "tf:BiasAdd", bias_add, "Add", "A bias is added along the channels." },
  { "tf:Conv2D", conv, "Conv between Transposes", windows },
  { "tf:Conv3D", conv, "Conv between Transposes", windows },
  { "tf:DepthwiseConv2dNative", depthwise, "Conv in groups of one channel, between Transposes", windows },
  { "tf:Conv2DBackpropInput", conv_backprop, "ConvTranspose between Transposes", windows },
  { "tf:Conv3DBackpropInputV2", conv_backprop, "ConvTranspose between Transposes", windows },
  { "tf:MaxPool", pool, "MaxPool between Transposes", windows }, { "tf:MaxPool3D", pool, "MaxPool between Transposes", windows },
  { "tf:AvgPool", pool, "AveragePool between Transposes", windows }, { "tf:AvgPool3D", pool, "AveragePool between Transposes", windows },
  { "tf:FusedBatchNorm", batch_norm, "BatchNormalization between Transposes", windows },
  { "tf:FusedBatchNormV2", batch_norm, "BatchNormalization between Transposes", windows },
  { "tf:FusedBatchNormV3", batch_norm, "BatchNormalization between Transposes", windows },
  { "tf:ResizeBilinear", resize, "Resize between Transposes", windows }, { "tf:ResizeNearestNeighbor", resize, "Resize between Transposes", windows },
  { "tf:SpaceToDepth", space_depth, "SpaceToDepth between Transposes", windows }, { "tf:DepthToSpace", space_depth, "DepthToSpace between Transposes", windows },
  { "tf:EuclideanNorm", reduce, "ReduceL2", "Both reduce the given axes." },
  { "tf:Sum", reduce, "ReduceSum", "Both reduce the given axes." }, { "tf:Mean", reduce, "ReduceMean", "Both reduce the given axes." },
  { "tf:Max", reduce, "ReduceMax", "Both reduce the given axes." }, { "tf:Min", reduce, "ReduceMin", "Both reduce the given axes." },
  { "tf:Prod", reduce, "ReduceProd", "Both reduce the given axes." }, { "tf:Any", reduce, "ReduceMax", "The maximum of booleans is true if any of them is true." },
  { "tf:All", reduce, "ReduceMin", "The minimum of booleans is true if all of them are true." },
  { "tf:ArgMax", arg, "ArgMax", "Both return the first index of the extreme element." }, { "tf:ArgMin", arg, "ArgMin", "Both return the first index of the extreme element." },
  SAME ("Identity"), SAME ("StopGradient"), SAME ("PreventGradient"), SAME ("CheckNumerics"), SAME ("PlaceholderWithDefault"), SAME ("Snapshot"),
  SAME ("EnsureShape"), SAME ("LoopCond"),
  { "tf:While", ph_convert_while, "Loop", turns }, { "tf:StatelessWhile", ph_convert_while, "Loop", turns },
  { "tf:If", if_, "If", "A branch in ONNX has no operands: it reads values of the graph around it." },
  { "tf:StatelessIf", if_, "If", "A branch in ONNX has no operands: it reads values of the graph around it." },
  { "tf:ReadVariableOp", variable, "a constant", variable_why },
  { "tf:VariableV2", variable, "a constant", variable_why },
  { "tf:Variable", variable, "a constant", variable_why },
  { NULL }
};
/* clang-format on */
