/* convert-tensorflow-math.c: TensorFlow's gradients of activations, simulated quantisation, bits, and other arithmetic that ONNX lacks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-foreign.h"

#define ADD(a_, b_) PH_BUILD (l->b, Add, a_, b_)
#define SUB(a_, b_) PH_BUILD (l->b, Sub, a_, b_)
#define MUL(a_, b_) PH_BUILD (l->b, Mul, a_, b_)
#define DIV(a_, b_) PH_BUILD (l->b, Div, a_, b_)
#define NUMBER(n_)  ph_foreign_number (l, l->in[0], n_)

/* ── products in which zero wins ── */

/* Returns @otherwise where @value is not 0, and 0 where it is. */
static PhValue *
unless_zero (PhConvert *l, PhValue *value, PhValue *otherwise)
{
  return PH_BUILD (l->b, Where, PH_BUILD (l->b, Equal, value, NUMBER (0)), NUMBER (0), otherwise);
}

PH_CONVERT_TO (xdivy, unless_zero (l, l->in[0], DIV (l->in[0], l->in[1])))

PH_CONVERT_TO (xlogy, unless_zero (l, l->in[0], MUL (l->in[0], PH_BUILD (l->b, Log, l->in[1]))))

PH_CONVERT_TO (xlog1py, unless_zero (l, l->in[0], MUL (l->in[0], PH_BUILD (l->b, Log, ADD (l->in[1], NUMBER (1))))))

PH_CONVERT_TO (mul_no_nan, unless_zero (l, l->in[1], MUL (l->in[0], l->in[1])))

PH_CONVERT_TO (l2_loss,
               MUL (PH_BUILD_WITH (l->b, ReduceSumSquare, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), l->in[0]), NUMBER (0.5)))

/* ── gradients: of the result and of the operand, or of the gradient ── */

static PhValue *
above (PhConvert *l, PhValue *value, double number)
{
  return PH_BUILD (l->b, Greater, value, NUMBER (number));
}

PH_CONVERT_TO (relu_grad, PH_BUILD (l->b, Where, above (l, l->in[1], 0), l->in[0], NUMBER (0)))

PH_CONVERT_TO (relu6_grad,
               PH_BUILD (l->b, Where, PH_BUILD (l->b, And, above (l, l->in[1], 0), PH_BUILD (l->b, Less, l->in[1], NUMBER (6))),
                         l->in[0], NUMBER (0)))

PH_CONVERT_TO (leaky_relu_grad, PH_BUILD (l->b, Where, above (l, l->in[1], 0), l->in[0],
                                          MUL (l->in[0], NUMBER (ph_node_attr_float (l->node, "alpha", 0.2f)))))

PH_CONVERT_TO (elu_grad, PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, l->in[1], NUMBER (0)),
                                   MUL (l->in[0], ADD (l->in[1], NUMBER (1))), l->in[0]))

PH_CONVERT_TO (softplus_grad, MUL (l->in[0], PH_BUILD (l->b, Sigmoid, l->in[1])))

PH_CONVERT_TO (sigmoid_grad, MUL (l->in[1], MUL (l->in[0], SUB (NUMBER (1), l->in[0]))))

PH_CONVERT_TO (tanh_grad, MUL (l->in[1], SUB (NUMBER (1), MUL (l->in[0], l->in[0]))))

PH_CONVERT_TO (sqrt_grad, DIV (MUL (l->in[1], NUMBER (0.5)), l->in[0]))

PH_CONVERT_TO (rsqrt_grad, MUL (MUL (l->in[1], NUMBER (-0.5)), MUL (l->in[0], MUL (l->in[0], l->in[0]))))

PH_CONVERT_TO (reciprocal_grad, PH_BUILD (l->b, Neg, MUL (l->in[1], MUL (l->in[0], l->in[0]))))

static gboolean
bias_add_grad (PhConvert *l, PhValue **out)
{
  const int rank = ph_value_rank (l->in[0]);
  const gboolean second = g_str_has_prefix (ph_node_attr_string (l->node, "data_format", "NHWC"), "NC");
  gint64 axes[PH_MAX_RANK];
  guint n = 0;

  if (rank < 2)
    return ph_convert_stay (l, "the rank of its operand is not known");
  for (int i = 0; i < rank; i++)
    if (i != (second ? 1 : rank - 1))
      axes[n++] = i;
  out[0] = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), l->in[0],
                          ph_convert_ints_value (l, axes, n));
  return out[0] != NULL;
}

/* ── simulated quantisation ── */

static gboolean
read_bounds (PhConvert *l, guint input, const char *attr, float fallback, GArray *to)
{
  PhTensor *tensor = input < l->n_in && l->in[input] != NULL ? ph_value_constant (l->in[input]) : NULL;
  float number = ph_node_attr_float (l->node, attr, fallback);

  if (l->n_in > 1 && (tensor == NULL || !ph_dtype_is_float (ph_tensor_dtype (tensor))))
    return ph_convert_stay (l, "its bounds are not constant");
  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    {
      number = (float) ph_tensor_get (tensor, i);
      g_array_append_val (to, number);
    }
  if (tensor == NULL)
    g_array_append_val (to, number);
  return TRUE;
}

static PhValue *
numbers (PhConvert *l, const GArray *array)
{
  return array->len == 1 ? ph_build_scalar (l->b, PH_FLOAT, g_array_index (array, float, 0))
                         : ph_build_tensor (l->b, ph_tensor_new_floats ((const float *) array->data, array->len));
}

/* Moves the bounds so that 0 is a step, clips to them, and rounds to the nearest step: what training sees of the quantised model.
 * One pair of bounds for all, or one for each place on the last axis. */
static gboolean
fake_quant (PhConvert *l, PhValue **out)
{
  const gint64 bits = ph_node_attr_int (l->node, "num_bits", 8);
  const float low = ph_node_attr_int (l->node, "narrow_range", 0) != 0,
              high = bits < 2 || bits > 16 ? 0 : ldexpf (1, (int) bits) - 1;
  g_autoptr (GArray) least = g_array_new (FALSE, FALSE, sizeof (float)), greatest = g_array_new (FALSE, FALSE, sizeof (float)),
                     scales = g_array_new (FALSE, FALSE, sizeof (float)), inverses = g_array_new (FALSE, FALSE, sizeof (float));
  PhValue *x = l->in[0], *from;

  if (high == 0)
    return ph_convert_stay (l, "it has %" G_GINT64_FORMAT " bits", bits);
  if (!read_bounds (l, 1, "min", -6, least) || !read_bounds (l, 2, "max", 6, greatest))
    return FALSE;
  if (least->len != greatest->len)
    return ph_convert_stay (l, "it does not have as many minima as maxima");
  for (guint i = 0; i < least->len; i++)
    {
      float *a = &g_array_index (least, float, i), *b = &g_array_index (greatest, float, i);
      const float scale = (*b - *a) / (high - low), zero = low - *a / scale, inverse = 1 / scale;
      const float moved = zero < low ? low : zero > high ? high : roundf (zero);

      if (!(*a < *b))
        return ph_convert_stay (l, "its minimum is not below its maximum");
      *a = (low - moved) * scale;
      *b = (high - moved) * scale;
      g_array_append_val (scales, scale);
      g_array_append_val (inverses, inverse);
    }
  from = numbers (l, least);
  x = PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, x, from), numbers (l, greatest));
  x = PH_BUILD (l->b, Floor, ADD (MUL (SUB (x, from), numbers (l, inverses)), ph_build_scalar (l->b, PH_FLOAT, 0.5)));
  out[0] = ADD (MUL (x, numbers (l, scales)), from);
  return out[0] != NULL;
}

/* ── the others ── */

/* The neighbours of a channel are those at most a radius away, and their squares are added, not averaged. */
static gboolean
local_response (PhConvert *l, PhValue **out)
{
  const gboolean lite = g_str_has_prefix (l->op, "tflite:");
  const gint64 radius = ph_node_attr_int (l->node, lite ? "radius" : "depth_radius", lite ? 0 : 5), size = 2 * radius + 1;
  PhValue *y;

  if (radius < 0 || radius > G_MAXINT16)
    return ph_convert_stay (l, "its radius is negative or too large");
  y = PH_BUILD_WITH (l->b, LRN,
                     PH_ATTRS (ph_attr_new_int ("size", size),
                               ph_attr_new_float ("alpha", ph_node_attr_float (l->node, "alpha", lite ? 0 : 1) * (float) size),
                               ph_attr_new_float ("beta", ph_node_attr_float (l->node, "beta", lite ? 0 : 0.5f)),
                               ph_attr_new_float ("bias", ph_node_attr_float (l->node, "bias", lite ? 0 : 1))),
                     ph_foreign_to_nchw (l, l->in[0]));
  out[0] = ph_foreign_to_nhwc (l, y);
  return out[0] != NULL;
}

static gboolean
shift (PhConvert *l, PhValue **out)
{
  const gboolean left = g_ascii_strncasecmp (strchr (l->op, ':') + 1, "left", 4) == 0;
  const PhDType dtype = ph_convert_dtype (l->in[0]);

  if (dtype == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  return ph_foreign_as (l,
                        left                         ? "shift_left"
                        : ph_dtype_is_signed (dtype) ? "shift_right_arithmetic"
                                                     : "shift_right_logical",
                        out);
}

static gboolean
atan2_ (PhConvert *l, PhValue **out)
{
  return ph_foreign_as (l, "atan2", out);
}

static gboolean
gelu (PhConvert *l, PhValue **out)
{
  const gboolean fit = ph_node_attr_int (l->node, "approximate", 0) != 0;

  out[0] = PH_BUILD_WITH (l->b, Gelu, PH_ATTRS (ph_attr_new_string ("approximate", fit ? "tanh" : "none")), l->in[0]);
  return out[0] != NULL;
}

PH_CONVERT_TO (prelu, PH_BUILD (l->b, PRelu, l->in[0], l->in[1]))

PH_CONVERT_TO (embedding_lookup, PH_BUILD (l->b, Gather, l->in[1], l->in[0]))

static const char composed[] = "ONNX has no identical operator, so it is composed of others.";
static const char elementwise[] = "Both are elementwise, with numpy's broadcasting rules.";
static const char gradient[] = "It is the gradient of an activation, written out.";
static const char nudged[] = "The bounds are moved so that 0 is a step, and each element is rounded to the nearest step.";
static const char shifts[] = "ONNX only shifts unsigned integers.";

/* clang-format off */
#define BITS(name_) { "tf:" name_, ph_foreign_direct, "ONNX's own", elementwise }
const PhConvertRule ph_convert_tensorflow_math[] = {
  { "tf:Xdivy", xdivy, "Where(x = 0, 0, x / y)", composed }, { "tf:Xlogy", xlogy, "Where(x = 0, 0, x log(y))", composed },
  { "tf:Xlog1py", xlog1py, "Where(x = 0, 0, x log(y + 1))", composed }, { "tf:MulNoNan", mul_no_nan, "Where(y = 0, 0, x y)", composed },
  { "tf:L2Loss", l2_loss, "half of ReduceSumSquare", composed },
  { "tf:ReluGrad", relu_grad, "Where", gradient }, { "tf:Relu6Grad", relu6_grad, "Where", gradient }, { "tf:LeakyReluGrad", leaky_relu_grad, "Where", gradient },
  { "tf:EluGrad", elu_grad, "Where", gradient }, { "tf:SoftplusGrad", softplus_grad, "Mul", gradient }, { "tf:SigmoidGrad", sigmoid_grad, "Mul", gradient },
  { "tf:TanhGrad", tanh_grad, "Mul", gradient }, { "tf:SqrtGrad", sqrt_grad, "Div", gradient }, { "tf:RsqrtGrad", rsqrt_grad, "Mul", gradient },
  { "tf:InvGrad", reciprocal_grad, "Mul", gradient }, { "tf:ReciprocalGrad", reciprocal_grad, "Mul", gradient },
  { "tf:BiasAddGrad", bias_add_grad, "ReduceSum", "The gradient of a bias is the sum over all other axes." },
  { "tf:FakeQuantWithMinMaxArgs", fake_quant, "Clip and Floor", nudged }, { "tf:FakeQuantWithMinMaxVars", fake_quant, "Clip and Floor", nudged },
  { "tf:FakeQuantWithMinMaxVarsPerChannel", fake_quant, "Clip and Floor", nudged }, { "tflite:FAKE_QUANT", fake_quant, "Clip and Floor", nudged },
  { "tf:LRN", local_response, "LRN between Transposes", "ONNX divides the sum of squares by the size of the window." },
  { "tflite:LOCAL_RESPONSE_NORMALIZATION", local_response, "LRN between Transposes", "ONNX divides the sum of squares by the size of the window." },
  { "tf:LeftShift", shift, "BitShift", shifts }, { "tf:RightShift", shift, "BitShift", shifts }, { "tflite:RIGHT_SHIFT", shift, "BitShift", shifts },
  BITS ("BitwiseAnd"), BITS ("BitwiseOr"), BITS ("BitwiseXor"), BITS ("Invert"), { "tflite:BITWISE_XOR", ph_foreign_direct, "ONNX's own", elementwise },
  { "tf:Atan2", atan2_, "Atan of a quotient, and the quadrant", composed }, { "tflite:ATAN2", atan2_, "Atan of a quotient, and the quadrant", composed },
  { "tflite:GELU", gelu, "Gelu", "Both compute the same formula, or its fit by tanh." }, { "tflite:PRELU", prelu, "PRelu", elementwise },
  { "tflite:EMBEDDING_LOOKUP", embedding_lookup, "Gather", "Both gather rows of a table." },
  { "tf:BiasAddV1", ph_foreign_direct, "Add", elementwise },
  { NULL }
};
/* clang-format on */
