/* training.c: optimizers as operators, of ai.onnx.preview.training.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <math.h>

/* All three operators take a rate R, a count of updates T, and then n tensors of each of several kinds: the parameters, their gradients,
 * and the optimizer's state. They output the new parameters and the new state. */
#define MAX_KINDS 4

typedef struct
{
  const PhNode *node;
  double rate, count;
} Step;

/* @in: one element of each kind; @out: the resulting elements. */
typedef void (*Update) (const Step *step, const double *in, double *out);

static gboolean
infer_optimizer (PhInfer *infer, guint n_kinds)
{
  const PhNode *node = ph_infer_node_of (infer);
  const guint n = (node->inputs->len - 2) / n_kinds;

  for (guint i = 0; i < node->outputs->len && n > 0; i++)
    {
      const PhType *type = ph_infer_type (infer, 2 + (i / n == 0 ? i : i + n)); /* the gradients do not come out */

      if (type != NULL)
        ph_infer_set (infer, i, type);
    }
  return TRUE;
}

static gboolean
same_shape (PhTensor *a, PhTensor *b)
{
  const guint rank = a != NULL ? ph_tensor_rank (a) : 0;

  return a != NULL && b != NULL && ph_tensor_rank (b) == rank
         && memcmp (ph_tensor_dims (a), ph_tensor_dims (b), rank * sizeof (gint64)) == 0;
}

static gboolean
run_optimizer (PhKernel *kernel, guint n_kinds, Update update, GError **error)
{
  const guint n = (kernel->n_inputs - 2) / n_kinds;
  Step step = { .node = kernel->node };

  if (kernel->n_inputs < 2 + n_kinds || (kernel->n_inputs - 2) % n_kinds != 0 || kernel->n_outputs > n * (n_kinds - 1))
    return ph_kernel_fail (kernel, error, "needs a rate, a count and %u tensors for each one that it trains", n_kinds);
  for (guint i = 0; i < kernel->n_inputs; i++)
    if (ph_kernel_input (kernel, i) == NULL
        || (i < 2 ? ph_tensor_count (ph_kernel_input (kernel, i)) != 1
                  : !same_shape (ph_kernel_input (kernel, i), ph_kernel_input (kernel, 2 + (i - 2) % n))))
      return ph_kernel_fail (kernel, error, "input %u is missing or of the wrong shape", i);
  step.rate = ph_tensor_get (ph_kernel_input (kernel, 0), 0);
  step.count = ph_tensor_get (ph_kernel_input (kernel, 1), 0);
  for (guint t = 0; t < n; t++)
    {
      PhTensor *trained = ph_kernel_input (kernel, 2 + t);
      const PhDType dtype = ph_tensor_dtype (trained);
      gpointer out[MAX_KINDS] = { NULL };

      for (guint k = 0; k + 1 < n_kinds; k++)
        if (k * n + t < kernel->n_outputs)
          {
            out[k] = ph_kernel_output (kernel, k * n + t, dtype, ph_tensor_rank (trained), ph_tensor_dims (trained), error);
            if (out[k] == NULL)
              return FALSE;
          }
      for (gsize i = 0; i < ph_tensor_count (trained); i++)
        {
          double values[MAX_KINDS], results[MAX_KINDS];

          for (guint k = 0; k < n_kinds; k++)
            values[k] = ph_tensor_get (ph_kernel_input (kernel, 2 + k * n + t), i);
          update (&step, values, results);
          for (guint k = 0; k + 1 < n_kinds; k++)
            if (out[k] != NULL)
              ph_dtype_store (dtype, out[k], i, results[k]);
        }
    }
  return TRUE;
}

static double
attr (const Step *step, const char *name, double fallback)
{
  return ph_node_attr_float (step->node, name, (float) fallback);
}

#define REAL (PH_T (FLOAT) | PH_T (DOUBLE))
/* clang-format off */
#define OPTIMIZER(infer_, kernel_)                                                                                     \
  .domain = "ai.onnx.preview.training", .since = 1,                                                                    \
  .inputs = { { "R", 0, REAL }, { "T", 0, PH_T (INT64) }, { "inputs", 0, REAL, PH_ARG_VARIADIC } },                    \
  .outputs = { { "outputs", 0, REAL, PH_ARG_VARIADIC } }, .infer = infer_, .kernel = kernel_
/* clang-format on */

/* ── Adagrad ── */

static void
adagrad (const Step *step, const double *in, double *out)
{
  const double rate = step->rate / (1 + step->count * attr (step, "decay_factor", 0));
  const double gradient = attr (step, "norm_coefficient", 0) * in[0] + in[1];

  out[1] = in[2] + gradient * gradient;
  out[0] = in[0] - rate * gradient / (sqrt (out[1]) + attr (step, "epsilon", 0));
}

static gboolean
infer_adagrad (PhInfer *infer, GError **error)
{
  return infer_optimizer (infer, 3);
}

static gboolean
run_adagrad (PhKernel *kernel, GError **error)
{
  return run_optimizer (kernel, 3, adagrad, error);
}

/* clang-format off */
const PhOp ph_op_Adagrad = {
  .name = "Adagrad", OPTIMIZER (infer_adagrad, run_adagrad),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "One step of Adagrad: the rate falls with the squares of all gradients so far.",
  .attrs = { { "decay_factor", PH_ATTR_FLOAT, "0.0" }, { "epsilon", PH_ATTR_FLOAT, "0.0" },
             { "norm_coefficient", PH_ATTR_FLOAT, "0.0" } },
};
/* clang-format on */

/* ── Adam ── */

static void
adam (const Step *step, const double *in, double *out)
{
  const double alpha = attr (step, "alpha", 0.9), beta = attr (step, "beta", 0.999);
  const double gradient = attr (step, "norm_coefficient", 0) * in[0] + in[1];
  const double rate = step->count > 0 ? step->rate * sqrt (1 - pow (beta, step->count)) / (1 - pow (alpha, step->count))
                                      : step->rate;

  out[1] = alpha * in[2] + (1 - alpha) * gradient;
  out[2] = beta * in[3] + (1 - beta) * gradient * gradient;
  out[0] = (1 - attr (step, "norm_coefficient_post", 0)) * (in[0] - rate * out[1] / (sqrt (out[2]) + attr (step, "epsilon", 0)));
}

static gboolean
infer_adam (PhInfer *infer, GError **error)
{
  return infer_optimizer (infer, 4);
}

static gboolean
run_adam (PhKernel *kernel, GError **error)
{
  return run_optimizer (kernel, 4, adam, error);
}

/* clang-format off */
const PhOp ph_op_Adam = {
  .name = "Adam", OPTIMIZER (infer_adam, run_adam),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "One step of Adam: running means of the gradient and of its square.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, "0.9" }, { "beta", PH_ATTR_FLOAT, "0.999" }, { "epsilon", PH_ATTR_FLOAT, "0.0" },
             { "norm_coefficient", PH_ATTR_FLOAT, "0.0" }, { "norm_coefficient_post", PH_ATTR_FLOAT, "0.0" } },
};
/* clang-format on */

/* ── Momentum ── */

static void
momentum (const Step *step, const double *in, double *out)
{
  const double alpha = attr (step, "alpha", 0), beta = step->count > 0 ? attr (step, "beta", 0) : 1;
  const double gradient = attr (step, "norm_coefficient", 0) * in[0] + in[1];
  const gboolean nesterov = strcmp (ph_node_attr_string (step->node, "mode", "standard"), "nesterov") == 0;

  out[1] = alpha * in[2] + beta * gradient;
  out[0] = in[0] - step->rate * (nesterov ? gradient + alpha * out[1] : out[1]);
}

static gboolean
infer_momentum (PhInfer *infer, GError **error)
{
  return infer_optimizer (infer, 3);
}

static gboolean
run_momentum (PhKernel *kernel, GError **error)
{
  return run_optimizer (kernel, 3, momentum, error);
}

/* clang-format off */
const PhOp ph_op_Momentum = {
  .name = "Momentum", OPTIMIZER (infer_momentum, run_momentum),
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "One step of gradient descent with momentum, plain or Nesterov's.",
  .attrs = { { "alpha", PH_ATTR_FLOAT, NULL, TRUE }, { "beta", PH_ATTR_FLOAT, NULL, TRUE },
             { "mode", PH_ATTR_STRING, NULL, TRUE, "standard|nesterov" }, { "norm_coefficient", PH_ATTR_FLOAT, NULL, TRUE } },
};
/* clang-format on */

/* Gradient */

static gboolean
infer_gradient (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);

  for (guint i = 0; i < MIN (node->inputs->len, node->outputs->len); i++)
    ph_infer_set (infer, i, ph_infer_type (infer, i));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Gradient = {
  .name = "Gradient", .domain = "ai.onnx.preview.training", .since = 1,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "The derivative of the value y by the values xs, all named. To execute it, the pass expand-gradient writes it out first.",
  .inputs = { { "Inputs", 0, PH_ANY, PH_ARG_VARIADIC } }, .outputs = { { "Outputs", 0, REAL, PH_ARG_VARIADIC } },
  .attrs = { { "xs", PH_ATTR_STRINGS, NULL, TRUE, PH_ANY_TEXT }, { "y", PH_ATTR_STRING, NULL, TRUE, PH_ANY_TEXT }, { "zs", PH_ATTR_STRINGS, .words = PH_ANY_TEXT } },
  .infer = infer_gradient,
};
/* clang-format on */
