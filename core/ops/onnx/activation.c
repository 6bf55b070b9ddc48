/* activation.c: the nonlinearities of neural networks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"
#include "core/ops/onnx/elementwise.h"

PH_REAL_LOOPS (relu, x > 0 || x != x ? x : 0)
PH_UNARY_LOOP (relu_i64, gint64, gint64, MAX (x, 0))
PH_KERNEL (relu, relu_f32, relu_f64, relu_i64)

#define ACTIVATION(since_, kernel_) .since = since_, .flags = PH_OP_ELEMENTWISE, PH_UNARY (kernel_, PH_FLOATS)

/* The gradient at 0 is 0, as in PyTorch. */
/* clang-format off */
const PhOp ph_op_Relu = {
  "Relu", .since = 14, .flags = PH_OP_ELEMENTWISE | PH_OP_IDEMPOTENT, PH_UNARY (relu, PH_FLOATS | PH_SIGNED),
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_CURVE, .example = { "x[6]", "y = Relu (x)", -1, 1 },
  .doc  = "Elementwise max (x, 0).",
  .grad = { P (Where, P (Greater, OUT, NUM (0)), DY, NUM (0)) },
};
/* clang-format on */

#define ALPHA(fallback_) ph_node_attr_float (node, "alpha", fallback_)
#define POSITIVE(x_)     PH_BUILD (grad->b, Greater, x_, ph_grad_like (grad, x_, 0))

PH_REAL_KERNEL (sigmoid, x >= 0 ? 1 / (1 + exp (-x)) : exp (x) / (1 + exp (x)))
PH_REAL_KERNEL (softplus, x > 0 ? x + log1p (exp (-x)) : log1p (exp (x)))
PH_REAL_KERNEL (softsign, x / (1 + fabs (x)))

/* clang-format off */
const PhOp ph_op_Sigmoid = {
  "Sigmoid", ACTIVATION (13, sigmoid),
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_GATE, .example = { "x[4]", "y = Sigmoid (x)", -3, 3 },
  .doc = "Elementwise 1 / (1 + exp (-x)).",
  .grad = { P (Mul, DY, P (Mul, OUT, P (Sub, NUM (1), OUT))) },
};

const PhOp ph_op_Softplus = {
  "Softplus", ACTIVATION (22, softplus),
  .family = PH_FAMILY_ACTIVATION, .example = { "x[4]", "y = Softplus (x)", -3, 3 },
  .doc = "Elementwise log (1 + exp (x)), a smooth Relu.",
  .grad = { P (Mul, DY, P (Sigmoid, A)) },
};
/* clang-format on */

/* 1 - |y| = 1 / (1 + |x|) */
/* clang-format off */
const PhOp ph_op_Softsign = {
  "Softsign", ACTIVATION (22, softsign),
  .family = PH_FAMILY_ACTIVATION, .example = { "x[4]", "y = Softsign (x)", -3, 3 },
  .doc = "Elementwise x / (1 + |x|).",
  .grad = { P (Mul, DY, P (Mul, P (Sub, NUM (1), P (Abs, OUT)), P (Sub, NUM (1), P (Abs, OUT)))) },
};
/* clang-format on */

/* LeakyRelu */

static void
leaky_parameters (const PhNode *node, double *p)
{
  p[0] = ALPHA (0.01f);
}

PH_REAL_KERNEL_WITH (leaky_relu, leaky_parameters, x < 0 ? x * p[0] : x)

static gboolean
grad_leaky_relu (PhGrad *grad, GError **error)
{
  PhValue *dy = grad->dy[0], *alpha = ph_grad_like (grad, dy, ph_node_attr_float (grad->node, "alpha", 0.01f));

  grad->dx[0] = PH_BUILD (grad->b, Where, POSITIVE (ph_grad_in (grad, 0)), dy, PH_BUILD (grad->b, Mul, dy, alpha));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_LeakyRelu = {
  "LeakyRelu", ACTIVATION (16, leaky_relu), .grad_build = grad_leaky_relu,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = LeakyRelu <alpha = 0.2> (x)", -1, 1 },
  .doc   = "Elementwise x, or alpha x below 0.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "0.01" } },
  .grad_text = "dX = dY where X >= 0, else alpha * dY",
};
/* clang-format on */

/* PRelu */

PH_BINARY_LOOP (prelu_f32, float, float, x < 0 ? x * z : x)
PH_BINARY_LOOP (prelu_f64, double, double, x < 0 ? x * z : x)
PH_BINARY_LOOP (prelu_i64, gint64, gint64, x < 0 ? (guint64) x * (guint64) z : (guint64) x)
PH_BINARY_LOOP (prelu_u64, guint64, guint64, ((void) z, x)) /* never below 0 */
PH_KERNEL (prelu, prelu_f32, prelu_f64, prelu_i64, prelu_u64)

#define PRELU_TYPES (PH_FLOATS | PH_INDICES | PH_T (UINT32) | PH_T (UINT64))

/* clang-format off */
const PhOp ph_op_PRelu = {
  "PRelu", .since = 16, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[2,3] s[3]", "y = PRelu (x, s)", -1, 1 },
  .doc     = "Elementwise x, or slope x below 0, where the slope is learnt.",
  .inputs  = { { "X", 'T', PRELU_TYPES }, { "slope", 'T', PRELU_TYPES } }, .outputs = { { "Y", 'T', PRELU_TYPES } },
  .infer   = ph_infer_broadcast, .kernel = prelu_kernel,
  .grad    = { P (Where, P (Greater, A, NUM (0)), DY, P (Mul, DY, B)),
               P (Where, P (Greater, A, NUM (0)), NUM (0), P (Mul, DY, A)) },
};
/* clang-format on */

/* ThresholdedRelu */

static void
thresholded_parameters (const PhNode *node, double *p)
{
  p[0] = ALPHA (1);
}

PH_REAL_KERNEL_WITH (thresholded_relu, thresholded_parameters, x > p[0] ? x : 0)

static gboolean
grad_thresholded_relu (PhGrad *grad, GError **error)
{
  PhValue *x = ph_grad_in (grad, 0), *alpha = ph_grad_like (grad, x, ph_node_attr_float (grad->node, "alpha", 1));

  grad->dx[0] = PH_BUILD (grad->b, Where, PH_BUILD (grad->b, Greater, x, alpha), grad->dy[0], ph_grad_like (grad, x, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ThresholdedRelu = {
  "ThresholdedRelu", ACTIVATION (22, thresholded_relu), .grad_build = grad_thresholded_relu,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = ThresholdedRelu <alpha = 0.3> (x)", -1, 1 },
  .doc   = "Elementwise x above alpha, else 0.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" } },
  .grad_text = "dX = dY where X > alpha",
};
/* clang-format on */

/* Elu, Celu, Selu: exponential below 0. The slope there follows from the output: (y + shift) * factor. */

static void
elu_parameters (const PhNode *node, double *p)
{
  p[0] = ALPHA (1);
}

#define SELU_ALPHA 1.67326319217681884765625f
#define SELU_GAMMA 1.05070102214813232421875f

static void
selu_parameters (const PhNode *node, double *p)
{
  p[0] = ALPHA (SELU_ALPHA);
  p[1] = ph_node_attr_float (node, "gamma", SELU_GAMMA);
}

PH_REAL_KERNEL_WITH (elu, elu_parameters, x < 0 ? p[0] * expm1 (x) : x)
PH_REAL_KERNEL_WITH (celu, elu_parameters, x < 0 ? p[0] * expm1 (x / p[0]) : x)
PH_REAL_KERNEL_WITH (selu, selu_parameters, x <= 0 ? p[1] * p[0] * expm1 (x) : p[1] * x)

static void
grad_bent (PhGrad *grad, double above, double shift, double factor)
{
  PhBuilder *b = grad->b;
  PhValue *dy = grad->dy[0], *out = ph_grad_out (grad, 0);
  PhValue *slope = PH_BUILD (b, Add, out, ph_grad_like (grad, out, shift));

  if (factor != 1)
    slope = PH_BUILD (b, Mul, slope, ph_grad_like (grad, out, factor));
  grad->dx[0] = PH_BUILD (b, Mul, dy,
                          PH_BUILD (b, Where, POSITIVE (ph_grad_in (grad, 0)), ph_grad_like (grad, out, above), slope));
}

static gboolean
grad_elu (PhGrad *grad, GError **error)
{
  grad_bent (grad, 1, ph_node_attr_float (grad->node, "alpha", 1), 1);
  return TRUE;
}

static gboolean
grad_celu (PhGrad *grad, GError **error)
{
  double alpha = ph_node_attr_float (grad->node, "alpha", 1);

  grad_bent (grad, 1, alpha, 1 / alpha);
  return TRUE;
}

static gboolean
grad_selu (PhGrad *grad, GError **error)
{
  double p[2];

  selu_parameters (grad->node, p);
  grad_bent (grad, p[1], p[0] * p[1], 1);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Elu = {
  "Elu", ACTIVATION (22, elu), .grad_build = grad_elu,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = Elu <alpha = 1.5> (x)", -2, 2 },
  .doc   = "Elementwise x, or alpha (exp (x) - 1) below 0.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" } },
  .grad_text = "dX = dY where X > 0, else dY * (Y + alpha)",
};

const PhOp ph_op_Celu = {
  "Celu", ACTIVATION (28, celu), .grad_build = grad_celu,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = Celu <alpha = 1.5> (x)", -2, 2 },
  .doc   = "Elementwise x, or alpha (exp (x / alpha) - 1) below 0.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" } },
  .grad_text = "dX = dY where X > 0, else dY * exp(X / alpha)",
};

const PhOp ph_op_Selu = {
  "Selu", ACTIVATION (22, selu), .grad_build = grad_selu,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = Selu (x)", -2, 2 },
  .doc   = "Elementwise gamma x, or gamma alpha (exp (x) - 1) below 0: keeps mean 0 and variance 1 from layer to layer.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.67326319217681884765625" }, { "gamma", PH_ATTR_FLOAT, "1.05070102214813232421875" } },
  .grad_text = "dX = dY * gamma where X > 0, else dY * (Y + gamma * alpha)",
};
/* clang-format on */

/* HardSigmoid, HardSwish: in straight lines. */

static void
hard_parameters (const PhNode *node, double *p)
{
  p[0] = ALPHA (0.2f);
  p[1] = ph_node_attr_float (node, "beta", 0.5f);
}

PH_REAL_KERNEL_WITH (hard_sigmoid, hard_parameters, MAX (0, MIN (1, p[0] * x + p[1])))
PH_REAL_KERNEL (hard_swish, x *MAX (0, MIN (1, x / 6 + 0.5f)))

static gboolean
grad_hard_sigmoid (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *out = ph_grad_out (grad, 0), *zero = ph_grad_like (grad, out, 0);
  PhValue *inside = PH_BUILD (b, And, PH_BUILD (b, Greater, out, zero), PH_BUILD (b, Less, out, ph_grad_like (grad, out, 1)));
  PhValue *alpha = ph_grad_like (grad, out, ph_node_attr_float (grad->node, "alpha", 0.2f));

  grad->dx[0] = PH_BUILD (b, Where, inside, PH_BUILD (b, Mul, grad->dy[0], alpha), zero);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_HardSigmoid = {
  "HardSigmoid", ACTIVATION (22, hard_sigmoid), .grad_build = grad_hard_sigmoid,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = HardSigmoid (x)", -4, 4 },
  .doc   = "Elementwise alpha x + beta, cut to [0, 1].",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "0.2" }, { "beta", PH_ATTR_FLOAT, "0.5" } },
  .grad_text = "dX = dY * alpha where 0 < Y < 1",
};
/* clang-format on */

/* 0 up to -3, x / 3 + 1 / 2 up to 3, then 1. */
/* clang-format off */
const PhOp ph_op_HardSwish = {
  "HardSwish", ACTIVATION (22, hard_swish),
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = HardSwish (x)", -5, 5 },
  .doc = "Elementwise x HardSigmoid (x) with alpha 1 / 6 and beta 1 / 2.",
  .grad = { P (Mul, DY, P (Where, P (Less, A, NUM (-3)), NUM (0),
                           P (Where, P (Greater, A, NUM (3)), NUM (1), P (Add, P (Div, A, NUM (3)), NUM (0.5))))) },
};
/* clang-format on */

/* Mish, Swish, Gelu: x times a gate. */

PH_REAL_KERNEL (mish, x *tanh (x > 0 ? x + log1p (exp (-x)) : log1p (exp (x))))

/* y = x t, t = tanh (softplus x): dy/dx = t + x (1 - t^2) sigmoid x */
#define MISH_T P (Tanh, P (Softplus, A))
/* clang-format off */
const PhOp ph_op_Mish = {
  "Mish", ACTIVATION (22, mish),
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = Mish (x)", -3, 3 },
  .doc = "Elementwise x tanh (softplus (x)).",
  .grad = { P (Mul, DY, P (Add, MISH_T, P (Mul, P (Mul, A, P (Sigmoid, A)), P (Sub, NUM (1), P (Mul, MISH_T, MISH_T))))) },
};
/* clang-format on */

static void
swish_parameters (const PhNode *node, double *p)
{
  p[0] = ALPHA (1);
}

PH_REAL_KERNEL_WITH (swish, swish_parameters, x / (1 + exp (-p[0] * x)))

/* y = x s, s = sigmoid (alpha x): dy/dx = s + alpha y (1 - s) */
static gboolean
grad_swish (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *out = ph_grad_out (grad, 0);
  PhValue *alpha = ph_grad_like (grad, x, ph_node_attr_float (grad->node, "alpha", 1));
  PhValue *gate = PH_BUILD (b, Sigmoid, PH_BUILD (b, Mul, alpha, x));
  PhValue *rest = PH_BUILD (b, Mul, PH_BUILD (b, Mul, alpha, out), PH_BUILD (b, Sub, ph_grad_like (grad, x, 1), gate));

  grad->dx[0] = PH_BUILD (b, Mul, grad->dy[0], PH_BUILD (b, Add, gate, rest));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Swish = {
  "Swish", ACTIVATION (24, swish), .grad_build = grad_swish,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = Swish <alpha = 1.5> (x)", -3, 3 },
  .doc   = "Elementwise x sigmoid (alpha x), also called SiLU.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "1.0" } },
  .grad_text = "dX = dY * s * (1 + alpha * X * (1 - s)), s = sigmoid(alpha * X)",
};
/* clang-format on */

#define SQRT_HALF    0.70710678118654752440
#define SQRT_2_BY_PI 0.79788456080286535588
#define GELU_CUBE    0.044715

PH_UNARY_LOOP (gelu_f32, float, float, 0.5f * x * (1 + erff (x * (float) SQRT_HALF)))
PH_UNARY_LOOP (gelu_f64, double, double, 0.5 * x * (1 + erf (x * SQRT_HALF)))
PH_UNARY_LOOP (gelu_tanh_f32, float, float, 0.5f * x * (1 + tanhf ((float) SQRT_2_BY_PI * (x + (float) GELU_CUBE * x * x * x))))
PH_UNARY_LOOP (gelu_tanh_f64, double, double, 0.5 * x * (1 + tanh (SQRT_2_BY_PI * (x + GELU_CUBE * x * x * x))))

static gboolean
gelu_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoops exact = { gelu_f32, gelu_f64 }, approximate = { gelu_tanh_f32, gelu_tanh_f64 };
  const char *how = ph_node_attr_string (kernel->node, "approximate", "none");

  return ph_elementwise_kernel (kernel, how[0] == 't' ? &approximate : &exact, NULL, error);
}

/* Exact: Phi (x) + x exp (-x^2 / 2) / sqrt (2 pi). With tanh: for t = tanh u, u = c (x + k x^3): (1 + t) / 2 + x / 2 (1 - t^2) c (1 + 3 k
 * x^2). */
static gboolean
grad_gelu (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *square = PH_BUILD (b, Mul, x, x), *slope;
#define LIKE(number_) ph_grad_like (grad, x, number_)
  PhValue *half = LIKE (0.5), *one = LIKE (1);

  if (ph_node_attr_string (grad->node, "approximate", "none")[0] == 't')
    {
      PhValue *cubic = PH_BUILD (b, Add, one, PH_BUILD (b, Mul, LIKE (GELU_CUBE), square));
      PhValue *inner = PH_BUILD (b, Mul, PH_BUILD (b, Mul, LIKE (SQRT_2_BY_PI), x), cubic);
      PhValue *t = PH_BUILD (b, Tanh, inner);
      PhValue *steep = PH_BUILD (b, Mul, LIKE (SQRT_2_BY_PI),
                                 PH_BUILD (b, Add, one, PH_BUILD (b, Mul, LIKE (3 * GELU_CUBE), square)));
      PhValue *bend = PH_BUILD (b, Mul, PH_BUILD (b, Mul, half, x), PH_BUILD (b, Sub, one, PH_BUILD (b, Mul, t, t)));

      slope = PH_BUILD (b, Add, PH_BUILD (b, Mul, half, PH_BUILD (b, Add, one, t)), PH_BUILD (b, Mul, bend, steep));
    }
  else
    {
      PhValue *phi = PH_BUILD (b, Mul, half, PH_BUILD (b, Add, one, PH_BUILD (b, Erf, PH_BUILD (b, Mul, x, LIKE (SQRT_HALF)))));
      PhValue *bell = PH_BUILD (b, Mul, LIKE (SQRT_2_BY_PI / 2), PH_BUILD (b, Exp, PH_BUILD (b, Mul, LIKE (-0.5), square)));

      slope = PH_BUILD (b, Add, phi, PH_BUILD (b, Mul, x, bell));
    }
#undef LIKE
  grad->dx[0] = PH_BUILD (b, Mul, grad->dy[0], slope);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Gelu = {
  "Gelu", ACTIVATION (20, gelu), .grad_build = grad_gelu,
  .family = PH_FAMILY_ACTIVATION, .motif = PH_MOTIF_SMOOTH, .example = { "x[6]", "y = Gelu (x)", -3, 3 },
  .doc   = "Elementwise x times the chance that a normal variable is below x; exactly, or approximated by tanh.",
  .attrs = { { "approximate", PH_ATTR_STRING, "\"none\"", .words = "none|tanh" } },
  .grad_text = "dX = dY * (cdf(X) + X * pdf(X))",
};
/* clang-format on */

/* Shrink */

static void
shrink_parameters (const PhNode *node, double *p)
{
  p[0] = ph_node_attr_float (node, "lambd", 0.5f);
  p[1] = ph_node_attr_float (node, "bias", 0);
}

#define SHRINK (x < -p[0] ? x + p[1] : x > p[0] ? x - p[1] : 0)
PH_REAL_LOOPS (shrink, SHRINK)

/* Integers go through double. */
static gboolean
shrink_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoops loops = { shrink_f32, shrink_f64 };
  double p[2];

  shrink_parameters (kernel->node, p);
  return ph_elementwise_kernel (kernel, &loops, p, error);
}

static gboolean
grad_shrink (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *limit = ph_grad_like (grad, x, ph_node_attr_float (grad->node, "lambd", 0.5f));

  grad->dx[0] = PH_BUILD (b, Where, PH_BUILD (b, Greater, PH_BUILD (b, Abs, x), limit), grad->dy[0], ph_grad_like (grad, x, 0));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Shrink = {
  "Shrink", .since = 9, .flags = PH_OP_ELEMENTWISE, PH_UNARY (shrink, PH_NUMBERS), .grad_build = grad_shrink,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[6]", "y = Shrink <lambd = 0.4, bias = 0.2> (x)", -1, 1 },
  .doc   = "Elementwise 0 in [-lambd, lambd], else x moved towards 0 by the bias.",
  .attrs = { { "lambd", PH_ATTR_FLOAT, "0.5" }, { "bias", PH_ATTR_FLOAT, "0.0" } },
  .grad_text = "dX = dY where |X| > lambd",
};
/* clang-format on */
