/* loss.c: losses of classifiers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/support.h"

/* Operands of both losses: scores [N, C, positions], and the label of each position. */
typedef struct
{
  PhTensor *labels, *weights; /* weights: (nullable) (unowned)   */
  gsize batch, classes, places;
  gboolean has_ignored;
  gint64 ignored;
  const char *reduction;
} Loss;

static gboolean
loss_init (Loss *loss, PhKernel *kernel, GError **error)
{
  PhTensor *scores = ph_kernel_input (kernel, 0);
  guint rank = ph_tensor_rank (scores);
  const gint64 *dims = ph_tensor_dims (scores);

  if (rank < 2)
    return ph_kernel_fail (kernel, error, "its input has rank %u, must have classes on axis 1", rank);
  *loss = (Loss) { ph_kernel_input (kernel, 1), ph_kernel_input (kernel, 2), dims[0], dims[1], ph_dims_product (dims, 2, rank) };
  loss->has_ignored = ph_node_attr (kernel->node, "ignore_index") != NULL;
  loss->ignored = ph_node_attr_int (kernel->node, "ignore_index", 0);
  loss->reduction = ph_node_attr_string (kernel->node, "reduction", "mean");
  if (ph_tensor_rank (loss->labels) != rank - 1 || ph_tensor_count (loss->labels) != loss->batch * loss->places
      || (rank > 2 && memcmp (ph_tensor_dims (loss->labels) + 1, dims + 2, (rank - 2) * sizeof (gint64)) != 0))
    return ph_kernel_fail (kernel, error, "there are %" G_GSIZE_FORMAT " labels for %" G_GSIZE_FORMAT " places",
                           ph_tensor_count (loss->labels), loss->batch * loss->places);
  if (loss->weights != NULL && (ph_tensor_rank (loss->weights) != 1 || ph_tensor_count (loss->weights) != loss->classes))
    return ph_kernel_fail (kernel, error, "there are %" G_GSIZE_FORMAT " weights for %" G_GSIZE_FORMAT " classes",
                           ph_tensor_count (loss->weights), loss->classes);
  return TRUE;
}

/* Computes output 0 from the logarithms of the probabilities. */
static gboolean
loss_of (PhKernel *kernel, const Loss *loss, const double *log_prob, PhDType dtype, GError **error)
{
  gboolean each = loss->reduction[0] == 'n';
  PhTensor *labels = loss->labels;
  gpointer out = ph_kernel_output (kernel, 0, dtype, each ? ph_tensor_rank (labels) : 0, ph_tensor_dims (labels), error);
  double sum = 0, total_weight = 0;

  if (out == NULL)
    return FALSE;
  for (gsize n = 0; n < loss->batch; n++)
    for (gsize p = 0; p < loss->places; p++)
      {
        gint64 label = ph_tensor_get_int (labels, n * loss->places + p);
        double weight = 0, value = 0;

        if (!loss->has_ignored || label != loss->ignored)
          {
            if (label < 0 || label >= (gint64) loss->classes)
              return ph_kernel_fail (kernel, error, "label %" G_GINT64_FORMAT " is none of %" G_GSIZE_FORMAT " classes", label,
                                     loss->classes);
            weight = loss->weights != NULL ? ph_tensor_get (loss->weights, label) : 1;
            value = -weight * log_prob[(n * loss->classes + label) * loss->places + p];
          }
        sum += value;
        total_weight += weight;
        if (each)
          ph_dtype_store (dtype, out, n * loss->places + p, value);
      }
  if (!each)
    ph_dtype_store (dtype, out, 0, loss->reduction[0] == 'm' ? sum / total_weight : sum);
  return TRUE;
}

static gboolean
nll_kernel (PhKernel *kernel, GError **error)
{
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error);
  Loss loss;

  return wide != NULL && loss_init (&loss, kernel, error)
         && loss_of (kernel, &loss, ph_tensor_data (wide), ph_tensor_dtype (ph_kernel_input (kernel, 0)), error);
}

static gboolean
cross_entropy_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *scores = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (scores);
  g_autoptr (PhTensor) wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error), log_prob = NULL;
  const double *in;
  double *out;
  Loss loss;

  if (wide == NULL || !loss_init (&loss, kernel, error))
    return FALSE;
  log_prob = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (scores), ph_tensor_dims (scores));
  if (log_prob == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  in = ph_tensor_data (wide);
  out = ph_tensor_writable (log_prob);
  for (gsize n = 0; n < loss.batch; n++)
    for (gsize p = 0; p < loss.places; p++)
      {
        gsize base = n * loss.classes * loss.places + p;
        double greatest = -INFINITY, sum = 0;

        for (gsize c = 0; c < loss.classes; c++)
          greatest = MAX (greatest, in[base + c * loss.places]);
        for (gsize c = 0; c < loss.classes; c++)
          sum += exp (in[base + c * loss.places] - greatest);
        for (gsize c = 0; c < loss.classes; c++)
          out[base + c * loss.places] = in[base + c * loss.places] - greatest - log (sum);
      }
  if (!loss_of (kernel, &loss, out, dtype, error))
    return FALSE;
  return !ph_kernel_wants (kernel, 1) || ph_kernel_take_as (kernel, 1, g_steal_pointer (&log_prob), dtype, error);
}

static gboolean
infer_loss (PhInfer *infer, GError **error)
{
  const PhType *scores = ph_infer_type (infer, 0), *labels = ph_infer_type (infer, 1);
  const char *reduction = ph_node_attr_string (ph_infer_node_of (infer), "reduction", "mean");

  if (scores == NULL)
    return TRUE;
  if (scores->has_rank && labels != NULL && labels->has_rank && labels->rank + 1 != scores->rank)
    {
      g_autofree char *text = ph_type_to_string (scores), *other = ph_type_to_string (labels);

      return ph_infer_fail (infer, error, "labels %s do not fit scores %s: they must lack just the classes on axis 1", other,
                            text);
    }
  if (reduction[0] != 'n')
    ph_infer_set_shape (infer, 0, scores->dtype, 0, NULL);
  else
    ph_infer_set (infer, 0, labels != NULL ? ph_type_with_dtype (labels, scores->dtype) : ph_type_unranked (scores->dtype));
  ph_infer_set (infer, 1, scores);
  return TRUE;
}

static gint64
loss_flops (const PhNode *node)
{
  const PhType *in = ph_node_input (node, 0)->type;
  gint64 count = in != NULL ? ph_type_count (in) : -1;

  return count < 0 ? -1 : 5 * count;
}

/* d loss / d log p: minus the label's weight for the class of the label, else 0; divided by the sum of weights for a mean. */
static PhValue *
grad_of_log_prob (PhGrad *grad)
{
  PhBuilder *b = grad->b;
  PhValue *scores = ph_grad_in (grad, 0), *labels = ph_grad_in (grad, 1), *weights = ph_grad_in (grad, 2), *dy = grad->dy[0];
  const char *reduction = ph_node_attr_string (grad->node, "reduction", "mean");
  PhAttr *ignored = ph_node_attr (grad->node, "ignore_index");
  const PhType *type = scores->type;
  gint64 one = 1;
  PhValue *axis = ph_build_ints (b, &one, 1), *classes, *weight, *hot, *is_ignored = NULL, *share;
  PhTensor *values = ph_tensor_new (type != NULL ? type->dtype : PH_FLOAT, 1, (gint64[]) { 2 });

  ph_dtype_store (ph_tensor_dtype (values), ph_tensor_writable (values), 1, 1);
  if (ignored != NULL)
    {
      is_ignored = PH_BUILD (b, Equal, labels, ph_grad_like (grad, labels, ignored->i));
      labels = PH_BUILD (b, Where, is_ignored, ph_grad_like (grad, labels, 0), labels);
    }
  if (type != NULL && type->has_rank && type->rank > 1 && ph_dim_known (type->dims[1]))
    classes = ph_build_ints (b, &type->dims[1].size, 1);
  else
    classes = PH_BUILD_WITH (b, Shape, PH_ATTRS (ph_attr_new_int ("start", 1), ph_attr_new_int ("end", 2)), scores);
  hot = PH_BUILD_WITH (b, OneHot, PH_ATTRS (ph_attr_new_int ("axis", 1)), labels, classes, ph_build_tensor (b, values));

  if (weights != NULL)
    weight = PH_BUILD (b, Gather, weights, labels);
  else
    weight = PH_BUILD (b, Expand, ph_grad_like (grad, scores, 1), ph_grad_shape (grad, labels));
  if (is_ignored != NULL)
    weight = PH_BUILD (b, Where, is_ignored, ph_grad_like (grad, scores, 0), weight);
  share = PH_BUILD (b, Mul, dy, weight);
  if (reduction[0] == 'm')
    share = PH_BUILD (b, Div, share, PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), weight));
  return PH_BUILD (b, Neg, PH_BUILD (b, Mul, hot, PH_BUILD (b, Unsqueeze, share, axis)));
}

/* Builds the loss from operators that also have gradients with respect to the class weights. */
static gboolean
build_weighted_loss (PhBuilder *b, const PhNode *node, PhValue *const *in, PhValue **out, GError **error)
{
  const char *reduction = ph_node_attr_string (node, "reduction", "mean");
  PhAttr *ignored = ph_node_attr (node, "ignore_index");
  PhDType dtype = in[0]->type != NULL ? in[0]->type->dtype : PH_FLOAT;
  const gint64 one = 1;
  PhValue *labels = in[1], *scores = in[0], *axis = ph_build_ints (b, &one, 1), *is_ignored = NULL, *weight, *each;

  if (ph_node_is (node, &ph_op_SoftmaxCrossEntropyLoss))
    scores = out[1] = PH_BUILD_WITH (b, LogSoftmax, PH_ATTRS (ph_attr_new_int ("axis", 1)), scores);
  if (ignored != NULL)
    {
      PhDType index = labels->type != NULL ? labels->type->dtype : PH_INT64;

      is_ignored = PH_BUILD (b, Equal, labels, ph_build_scalar (b, index, ignored->i));
      labels = PH_BUILD (b, Where, is_ignored, ph_build_scalar (b, index, 0), labels);
    }
  each = PH_BUILD_WITH (b, GatherElements, PH_ATTRS (ph_attr_new_int ("axis", 1)), scores, PH_BUILD (b, Unsqueeze, labels, axis));
  weight = PH_BUILD (b, Gather, in[2], labels);
  if (is_ignored != NULL)
    weight = PH_BUILD (b, Where, is_ignored, ph_build_scalar (b, dtype, 0), weight);
  each = PH_BUILD (b, Neg, PH_BUILD (b, Mul, weight, PH_BUILD (b, Squeeze, each, axis)));
  if (reduction[0] != 'n')
    each = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), each);
  if (reduction[0] == 'm')
    each = PH_BUILD (b, Div, each, PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), weight));
  out[0] = each;
  return TRUE;
}

static gboolean
grad_nll (PhGrad *grad, GError **error)
{
  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    return ph_grad_through (grad, build_weighted_loss, error);
  grad->dx[0] = grad_of_log_prob (grad);
  return TRUE;
}

/* log p is a log-softmax: dx = g - softmax sum g. */
static gboolean
grad_cross_entropy (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  gint64 one = 1;
  PhValue *g, *probability, *sum;

  if (ph_grad_in (grad, 2) != NULL && grad->wanted[2])
    return ph_grad_through (grad, build_weighted_loss, error);
  g = grad->dy[0] != NULL ? grad_of_log_prob (grad) : NULL;
  if (grad->node->outputs->len > 1 && grad->dy[1] != NULL)
    g = g != NULL ? PH_BUILD (b, Add, g, grad->dy[1]) : grad->dy[1];
  probability = PH_BUILD_WITH (b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", 1)), ph_grad_in (grad, 0));
  sum = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), g, ph_build_ints (b, &one, 1));
  grad->dx[0] = PH_BUILD (b, Sub, g, PH_BUILD (b, Mul, probability, sum));
  return TRUE;
}

#define LOSS_ATTRS \
  .attrs = { { "ignore_index", PH_ATTR_INT }, { "reduction", PH_ATTR_STRING, "\"mean\"", .words = "none|sum|mean" } }

/* clang-format off */
const PhOp ph_op_NegativeLogLikelihoodLoss = {
  "NegativeLogLikelihoodLoss", .since = 22, LOSS_ATTRS,
  .family = PH_FAMILY_POOL,
  .example = { "x[3,4]", "t = Constant <value_ints = [1, 3, 0]> () y = NegativeLogLikelihoodLoss (x, t)", -2, 2 },
  .doc     = "Minus the logarithm of the probability of the right class, weighted, then averaged, summed or left as it is.",
  .inputs  = { { "input", 'T', PH_FLOATS }, { "target", 0, PH_INDICES, PH_ARG_INDEX }, { "weight", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "loss", 'T', PH_FLOATS } },
  .infer   = infer_loss, .kernel = nll_kernel, .grad_build = grad_nll, .no_grad = 1 << 1, .flops = loss_flops,
  .grad_text = "dinput = -dY * weight[target] at target, else 0; dweight = what target picked, summed by class",
};

const PhOp ph_op_SoftmaxCrossEntropyLoss = {
  "SoftmaxCrossEntropyLoss", .since = 13, LOSS_ATTRS,
  .family = PH_FAMILY_POOL,
  .doc     = "Minus the logarithm of the softmax at the right class, weighted, then averaged, summed or left as it is.",
  .inputs  = { { "scores", 'T', PH_FLOATS }, { "labels", 0, PH_INDICES, PH_ARG_INDEX }, { "weights", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .outputs = { { "output", 'T', PH_FLOATS }, { "log_prob", 'T', PH_FLOATS, PH_ARG_OPTIONAL } },
  .infer   = infer_loss, .kernel = cross_entropy_kernel, .grad_build = grad_cross_entropy, .no_grad = 1 << 1,
  .flops   = loss_flops,
  .grad_text = "dscores = dY * (softmax(scores) - onehot(labels)); dweights = what labels picked, summed by class",
};
/* clang-format on */
