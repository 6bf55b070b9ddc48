/* variadic.c: sum, mean, least and greatest of any number of tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"
#include "core/ops/onnx/elementwise.h"

/* A NaN on either side wins, as in numpy. */
/* clang-format off */
#define MOST_KERNEL(name_, compare_)                                                                                   \
  PH_BINARY_LOOP (name_##_f32, float, float, x compare_ z || x != x ? x : z)                                           \
  PH_BINARY_LOOP (name_##_f64, double, double, x compare_ z || x != x ? x : z)                                         \
  PH_BINARY_LOOP (name_##_i64, gint64, gint64, x compare_ z ? x : z)                                                   \
  PH_BINARY_LOOP (name_##_u64, guint64, guint64, x compare_ z ? x : z)                                                 \
  static const PhLoops name_##_loops = { name_##_f32, name_##_f64, name_##_i64, name_##_u64 };
/* clang-format on */

MOST_KERNEL (max, >)
MOST_KERNEL (min, <)

PH_BINARY_LOOP (sum_f32, float, float, x + z)
PH_BINARY_LOOP (sum_f64, double, double, x + z)
PH_BINARY_LOOP (scale_f32, float, float, x / z)
PH_BINARY_LOOP (scale_f64, double, double, x / z)
static const PhLoops sum_loops = { sum_f32, sum_f64 }, scale_loops = { scale_f32, scale_f64 };

static PhTensor *
fold (PhKernel *kernel, const PhLoops *loops, GError **error)
{
  g_autoptr (PhTensor) so_far = ph_tensor_ref (ph_kernel_input (kernel, 0));
  g_autoptr (GError) problem = NULL;

  for (guint i = 1; i < kernel->n_inputs; i++)
    {
      PhTensor *next = ph_elementwise (loops, so_far, ph_kernel_input (kernel, i), NULL, &problem);

      if (next == NULL)
        {
          ph_kernel_pass_on (kernel, error, problem);
          return NULL;
        }
      ph_tensor_unref (so_far);
      so_far = next;
    }
  return g_steal_pointer (&so_far);
}

static gboolean
fold_kernel (PhKernel *kernel, const PhLoops *loops, GError **error)
{
  PhTensor *result = fold (kernel, loops, error);

  if (result != NULL)
    ph_kernel_take (kernel, 0, result);
  return result != NULL;
}

static gboolean
max_kernel (PhKernel *kernel, GError **error)
{
  return fold_kernel (kernel, &max_loops, error);
}

static gboolean
min_kernel (PhKernel *kernel, GError **error)
{
  return fold_kernel (kernel, &min_loops, error);
}

static gboolean
sum_kernel (PhKernel *kernel, GError **error)
{
  return fold_kernel (kernel, &sum_loops, error);
}

static gboolean
mean_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) sum = fold (kernel, &sum_loops, error), n = NULL;
  PhTensor *mean;

  if (sum == NULL)
    return FALSE;
  n = ph_tensor_new_scalar (ph_tensor_dtype (sum), kernel->n_inputs);
  mean = ph_elementwise (&scale_loops, sum, n, NULL, error);
  if (mean != NULL)
    ph_kernel_take (kernel, 0, mean);
  return mean != NULL;
}

static gint64
fold_flops (const PhNode *node)
{
  const PhType *out = ph_node_output (node, 0)->type;
  gint64 count = out != NULL ? ph_type_count (out) : -1;

  return count < 0 ? -1 : count * MAX (node->inputs->len, 2) - count;
}

/* Inputs equal to the result share the gradient evenly, as in PyTorch's maximum and minimum. If the result is NaN no input equals it: a
 * count of at least 1 avoids 0 / 0. */
static gboolean
grad_most (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *out = ph_grad_out (grad, 0), *dy = grad->dy[0];
  guint n = grad->node->inputs->len;
  g_autofree PhValue **is = g_new0 (PhValue *, n);

  if (n == 1)
    {
      grad->dx[0] = dy;
      return TRUE;
    }
  for (guint i = 0; i < n; i++)
    is[i] = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dy->type != NULL ? dy->type->dtype : PH_FLOAT)),
                           PH_BUILD (b, Equal, ph_grad_in (grad, i), out));

  PhValue *count = ph_build_node (b, &ph_op_Sum, is, n, NULL, 1);
  PhValue *share = PH_BUILD (b, Div, dy, PH_BUILD (b, Max, count, ph_grad_like (grad, dy, 1)));

  for (guint i = 0; i < n; i++)
    if (grad->wanted[i])
      grad->dx[i] = PH_BUILD (b, Mul, share, is[i]);
  return TRUE;
}

static gboolean
grad_sum (PhGrad *grad, GError **error)
{
  for (guint i = 0; i < grad->node->inputs->len; i++)
    grad->dx[i] = grad->dy[0];
  return TRUE;
}

static gboolean
grad_mean (PhGrad *grad, GError **error)
{
  guint n = grad->node->inputs->len;
  PhValue *share = PH_BUILD (grad->b, Div, grad->dy[0], ph_grad_like (grad, grad->dy[0], n));

  for (guint i = 0; i < n; i++)
    grad->dx[i] = share;
  return TRUE;
}

/* clang-format off */
#define VARIADIC(kernel_, result_, types_)                                                                             \
  .inputs = { { "data_0", 'T', types_, PH_ARG_VARIADIC } }, .outputs = { { result_, 'T', types_ } },                   \
  .infer = ph_infer_broadcast, .kernel = kernel_##_kernel, .flops = fold_flops,                                        \
  .flags = PH_OP_ELEMENTWISE | PH_OP_COMMUTATIVE

const PhOp ph_op_Max = {
  "Max", .since = 13, VARIADIC (max, "max", PH_NUMBERS), .grad_build = grad_most,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[3] c[1]", "y = Max (a, b, c)", -1, 1 },
  .doc = "Elementwise greatest of its inputs, with broadcasting.",
  .grad_text = "dX = dY where X is the largest",
};

const PhOp ph_op_Min = {
  "Min", .since = 13, VARIADIC (min, "min", PH_NUMBERS), .grad_build = grad_most,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[2,1]", "y = Min (a, b)", -1, 1 },
  .doc = "Elementwise least of its inputs, with broadcasting.",
  .grad_text = "dX = dY where X is the smallest",
};

const PhOp ph_op_Sum = {
  "Sum", .since = 13, VARIADIC (sum, "sum", PH_FLOATS), .grad_build = grad_sum,
  .family = PH_FAMILY_ARITHMETIC, .motif = PH_MOTIF_SUM, .example = { "a[2,3] b[3] c", "y = Sum (a, b, c)", -1, 1 },
  .doc = "Elementwise sum of its inputs, with broadcasting.",
  .grad_text = "dX = dY * 1",
};

const PhOp ph_op_Mean = {
  "Mean", .since = 13, VARIADIC (mean, "mean", PH_FLOATS), .grad_build = grad_mean,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[3] c[2,1]", "y = Mean (a, b, c)", -1, 1 },
  .doc = "Elementwise mean of its inputs, with broadcasting.",
  .grad_text = "dX = dY / (number of inputs)",
};
/* clang-format on */

/* Clip */

static gboolean
clip_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) result = ph_tensor_ref (ph_kernel_input (kernel, 0));
  g_autoptr (GError) problem = NULL;

  for (guint i = 1; i < 3; i++)
    {
      PhTensor *bound = ph_kernel_input (kernel, i), *next;

      if (bound == NULL)
        continue;
      if (ph_tensor_count (bound) != 1)
        return ph_kernel_fail (kernel, error, "its bound %u has %" G_GSIZE_FORMAT " elements, must be a scalar", i,
                               ph_tensor_count (bound));

      g_autoptr (PhTensor) scalar = ph_tensor_reshaped (bound, 0, NULL);

      next = ph_elementwise (i == 1 ? &max_loops : &min_loops, result, scalar, NULL, &problem);
      if (next == NULL)
        return ph_kernel_pass_on (kernel, error, problem);
      ph_tensor_unref (result);
      result = next;
    }
  ph_kernel_take (kernel, 0, g_steal_pointer (&result));
  return TRUE;
}

/* Clip is min (max (x, low), high). The gradient goes to x inside (including the bounds, as in PyTorch), to low below, and to high above or
 * if the bounds cross. */
static gboolean
grad_clip (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *low = ph_grad_in (grad, 1), *high = ph_grad_in (grad, 2), *dy = grad->dy[0];
  PhValue *zero = ph_grad_like (grad, x, 0), *inside = NULL;

  if (low != NULL)
    inside = PH_BUILD (b, GreaterOrEqual, x, low);
  if (high != NULL)
    {
      PhValue *below = PH_BUILD (b, LessOrEqual, x, high);

      inside = inside != NULL ? PH_BUILD (b, And, inside, below) : below;
    }
  grad->dx[0] = inside != NULL ? PH_BUILD (b, Where, inside, dy, zero) : dy;
  if (low != NULL && grad->wanted[1])
    {
      PhValue *acts = PH_BUILD (b, Less, x, low);

      if (high != NULL)
        acts = PH_BUILD (b, And, acts, PH_BUILD (b, LessOrEqual, low, high));
      grad->dx[1] = PH_BUILD (b, Where, acts, dy, zero);
    }
  if (high != NULL && grad->wanted[2])
    {
      PhValue *acts = PH_BUILD (b, Greater, x, high);

      if (low != NULL)
        acts = PH_BUILD (b, Or, acts, PH_BUILD (b, Greater, low, high));
      grad->dx[2] = PH_BUILD (b, Where, acts, dy, zero);
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Clip = {
  "Clip", .since = 13, .flags = PH_OP_ELEMENTWISE | PH_OP_IDEMPOTENT,
  .family = PH_FAMILY_ACTIVATION, .example = { "x[8] lo hi", "y = Clip (x, lo, hi)", -1, 1 },
  .doc     = "Elementwise x, but at least min and at most max; either may be left out.",
  .inputs  = { { "input", 'T', PH_NUMBERS }, { "min", 'T', PH_NUMBERS, PH_ARG_OPTIONAL },
               { "max", 'T', PH_NUMBERS, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_NUMBERS } },
  .infer   = ph_infer_same_as_input, .kernel = clip_kernel, .grad_build = grad_clip,
  .grad_text = "dinput = dY where min <= input <= max; dmin = sum(dY where input < min); dmax = sum(dY where input > max)",
};
/* clang-format on */
