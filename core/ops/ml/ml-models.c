/* ml-models.c: linear models and support vectors of ai.onnx.ml, and helpers shared with the other models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/ml/ml.h"

#include <math.h>

double
ph_logistic (double x)
{
  const double v = 1 / (1 + exp (-fabs (x)));

  return x < 0 ? 1 - v : v;
}

/* Computes the inverse of the error function after S. Winitzki, like ONNX Runtime. */
static double
inverse_erf (double x)
{
  const double sign = x < 0 ? -1 : 1, log_x = log ((1 - x) * (1 + x)), a = 2 / (G_PI * 0.147) + 0.5 * log_x;

  return sign * sqrt (-a + sqrt (a * a - log_x / 0.147));
}

void
ph_post_apply (PhPost post, double *scores, gsize n)
{
  double largest = -INFINITY, sum = 0;

  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, scores[i]);
  for (gsize i = 0; i < n; i++)
    switch (post)
      {
      case PH_POST_LOGISTIC: scores[i] = ph_logistic (scores[i]); break;
      case PH_POST_PROBIT: scores[i] = G_SQRT2 * inverse_erf (2 * scores[i] - 1); break;
      case PH_POST_SOFTMAX: sum += scores[i] = exp (scores[i] - largest); break;
      case PH_POST_SOFTMAX_ZERO:
        /* Scores of zero stay zero. */
        sum += scores[i] = fabs (scores[i]) > 1e-7 ? exp (scores[i] - largest) : scores[i] * exp (-largest);
        break;
      default: break;
      }
  for (gsize i = 0; i < n && sum != 0; i++)
    scores[i] /= sum;
}

gboolean
ph_ml_rows (PhKernel *kernel, gsize *rows, gsize *features, double **data, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const guint rank = ph_tensor_rank (x);

  if (rank < 1 || rank > 2)
    return ph_kernel_fail (kernel, error, "its input must be [rows, features]");
  *rows = rank == 2 ? ph_tensor_dims (x)[0] : 1;
  *features = ph_tensor_dims (x)[rank - 1];
  *data = g_try_new (double, ph_tensor_count (x) + 1);
  if (*data == NULL)
    return ph_kernel_exceed (kernel, error, "is too large for memory");
  for (gsize i = 0; i < ph_tensor_count (x); i++)
    (*data)[i] = ph_tensor_get (x, i);
  return TRUE;
}

const float *
ph_ml_floats (const PhNode *node, const char *name, gsize *n)
{
  const PhAttr *attr = ph_node_attr (node, name);

  *n = attr != NULL && attr->kind == PH_ATTR_FLOATS ? attr->n : 0;
  return *n > 0 ? attr->floats : NULL;
}

/* ── labels ── */

static const PhAttr *
labels_of (const PhNode *node)
{
  static const char *const names[] = { "classlabels_strings", "classlabels_ints", "classlabels_int64s" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const PhAttr *attr = ph_node_attr (node, names[i]);

      if (attr != NULL && attr->n > 0)
        return attr;
    }
  return NULL;
}

gsize
ph_ml_n_labels (const PhNode *node)
{
  const PhAttr *labels = labels_of (node);

  return labels != NULL ? labels->n : 0;
}

PhDType
ph_ml_label_type (const PhNode *node)
{
  const PhAttr *labels = labels_of (node);

  return labels != NULL && labels->kind == PH_ATTR_STRINGS ? PH_STRING : PH_INT64;
}

void
ph_ml_set_label (const PhNode *node, PhTensor *out, gsize row, gssize label)
{
  const PhAttr *labels = labels_of (node);
  const gboolean known = labels != NULL && label >= 0 && (gsize) label < labels->n;

  if (ph_tensor_dtype (out) == PH_STRING)
    {
      g_autofree char *text = known ? g_strndup (g_bytes_get_data (labels->strings[label], NULL),
                                                 g_bytes_get_size (labels->strings[label]))
                                    : g_strdup ("");
      ph_tensor_set_string (out, row, text);
    }
  else
    ((gint64 *) ph_tensor_writable (out))[row] = known ? labels->ints[label] : label;
}

static PhDim
rows_dim (PhInfer *infer)
{
  const PhType *type = ph_infer_type (infer, 0);

  return type == NULL || !type->has_rank ? PH_DIM_UNKNOWN : type->rank == 2 ? type->dims[0] : PH_DIM (1);
}

gboolean
ph_infer_classifier (PhInfer *infer, gint64 n_scores)
{
  const PhDim rows = rows_dim (infer);

  ph_infer_set_shape (infer, 0, ph_ml_label_type (ph_infer_node_of (infer)), 1, &rows);
  ph_infer_set_shape (infer, 1, PH_FLOAT, 2, (PhDim[]) { rows, n_scores >= 0 ? PH_DIM (n_scores) : PH_DIM_UNKNOWN });
  return TRUE;
}

gboolean
ph_infer_regressor (PhInfer *infer, gint64 n_targets)
{
  ph_infer_set_shape (infer, 0, PH_FLOAT, 2,
                      (PhDim[]) { rows_dim (infer), n_targets >= 0 ? PH_DIM (n_targets) : PH_DIM_UNKNOWN });
  return TRUE;
}

/* ── linear ── */

/* Computes the product of a row with each row of coefficients, plus the intercepts. */
static void
linear_scores (const double *x, gsize features, const float *coefficients, const float *intercepts, gsize n, double *scores)
{
  for (gsize k = 0; k < n; k++)
    {
      scores[k] = intercepts != NULL ? intercepts[k] : 0;
      for (gsize i = 0; i < features; i++)
        scores[k] += x[i] * coefficients[k * features + i];
    }
}

static gboolean
infer_linear_regressor (PhInfer *infer, GError **error)
{
  return ph_infer_regressor (infer, ph_node_attr_int (ph_infer_node_of (infer), "targets", 1));
}

static gboolean
linear_regressor_kernel (PhKernel *kernel, GError **error)
{
  const gint64 targets = ph_node_attr_int (kernel->node, "targets", 1);
  g_autofree double *x = NULL, *scores = NULL;
  const float *coefficients, *intercepts;
  gsize rows, features, n, n_intercepts;
  const PhPost post = ph_node_attr_word (kernel->node, "post_transform");
  float *y;

  if (!ph_ml_rows (kernel, &rows, &features, &x, error))
    return FALSE;
  coefficients = ph_ml_floats (kernel->node, "coefficients", &n);
  intercepts = ph_ml_floats (kernel->node, "intercepts", &n_intercepts);
  if (targets < 1 || targets > G_MAXINT32 || n != targets * features || (intercepts != NULL && n_intercepts != (gsize) targets))
    return ph_kernel_fail (kernel, error, "has %u coefficients, but %u targets of %u features", (guint) n, (guint) targets,
                           (guint) features);
  y = ph_kernel_output (kernel, 0, PH_FLOAT, 2, (gint64[]) { rows, targets }, error);
  scores = g_new (double, targets);
  for (gsize i = 0; y != NULL && i < rows; i++)
    {
      linear_scores (x + i * features, features, coefficients, intercepts, targets, scores);
      ph_post_apply (post, scores, targets);
      for (gint64 k = 0; k < targets; k++)
        y[i * targets + k] = scores[k];
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_LinearRegressor = {
  .name = "LinearRegressor", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_LINEAR,
  .doc = "Sums of the features of each row by coefficients, plus intercepts.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "coefficients", PH_ATTR_FLOATS }, { "intercepts", PH_ATTR_FLOATS }, { "post_transform", PH_ATTR_STRING, "\"NONE\"", .words = PH_ML_POST },
             { "targets", PH_ATTR_INT, "1" } },
  .infer = infer_linear_regressor, .kernel = linear_regressor_kernel, .grad_build = ph_grad_linear_regressor,
  .grad_text = "dX = dY @ coefficients",
};
/* clang-format on */

/* Returns the number of rows of coefficients, and of scores: one row for two labels gives two scores. */
static gsize
linear_classes (const PhNode *node, gsize features, gsize *n_scores)
{
  gsize n, n_intercepts;

  ph_ml_floats (node, "coefficients", &n);
  ph_ml_floats (node, "intercepts", &n_intercepts);
  n = n_intercepts > 0 ? n_intercepts : features > 0 ? n / features : 0;
  *n_scores = n == 1 && ph_ml_n_labels (node) == 2 ? 2 : n;
  return n;
}

static gboolean
infer_linear_classifier (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  const gint64 features = type != NULL && type->has_rank && type->rank > 0 ? type->dims[type->rank - 1].size : -1;
  gsize n_scores;

  linear_classes (ph_infer_node_of (infer), MAX (features, 0), &n_scores);
  return ph_infer_classifier (infer, n_scores > 0 ? (gint64) n_scores : -1);
}

static gboolean
linear_classifier_kernel (PhKernel *kernel, GError **error)
{
  g_autofree double *x = NULL, *scores = NULL;
  const float *coefficients, *intercepts;
  gsize rows, features, n, n_scores, n_coefficients, n_intercepts;
  const PhPost post = ph_node_attr_word (kernel->node, "post_transform");
  float *z;

  if (!ph_ml_rows (kernel, &rows, &features, &x, error))
    return FALSE;
  coefficients = ph_ml_floats (kernel->node, "coefficients", &n_coefficients);
  intercepts = ph_ml_floats (kernel->node, "intercepts", &n_intercepts);
  n = linear_classes (kernel->node, features, &n_scores);
  if (n < 1 || n_coefficients != n * features)
    return ph_kernel_fail (kernel, error, "has %u coefficients, but %u classes of %u features", (guint) n_coefficients, (guint) n,
                           (guint) features);
  if (ph_kernel_output (kernel, 0, ph_ml_label_type (kernel->node), 1, (gint64[]) { rows }, error) == NULL)
    return FALSE;
  z = ph_kernel_output (kernel, 1, PH_FLOAT, 2, (gint64[]) { rows, n_scores }, error);
  scores = g_new (double, n_scores);
  for (gsize i = 0; z != NULL && i < rows; i++)
    {
      gsize best = 0;

      linear_scores (x + i * features, features, coefficients, intercepts, n, scores);
      for (gsize k = 1; k < n; k++)
        best = scores[k] > scores[best] ? k : best;
      if (n == 1)
        best = scores[0] > 0 ? n_scores - 1 : 0;
      if (kernel->n_outputs > 0)
        ph_ml_set_label (kernel->node, kernel->outputs[0], i, n == 1 && n_scores == 1 && scores[0] <= 0 ? -1 : (gssize) best);
      ph_post_apply (post, scores, n);
      if (n_scores > n)
        {
          scores[1] = scores[0];
          scores[0] = 1 - scores[0];
        }
      for (gsize k = 0; k < n_scores; k++)
        z[i * n_scores + k] = scores[k];
    }
  return z != NULL;
}

/* clang-format off */
#define LABELS { "classlabels_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "post_transform", PH_ATTR_STRING, "\"NONE\"", .words = PH_ML_POST }

const PhOp ph_op_LinearClassifier = {
  .name = "LinearClassifier", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_LINEAR, .main_attrs = { "post_transform" },
  .doc = "The class whose sum of the features of a row, by coefficients, is largest; and all sums.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } },
  .outputs = { { "Y", 0, PH_T (STRING) | PH_T (INT64) }, { "Z", 0, PH_T (FLOAT) } },
  .attrs = { { "coefficients", PH_ATTR_FLOATS, .required = TRUE }, { "intercepts", PH_ATTR_FLOATS }, { "multi_class", PH_ATTR_INT, "0" },
             { "classlabels_ints", PH_ATTR_INTS }, LABELS },
  .infer = infer_linear_classifier, .kernel = linear_classifier_kernel,
};
/* clang-format on */

/* ── support vectors ── */

typedef struct
{
  double gamma, coef0, degree;
  const char *kind;
} Kernel;

static double
kernel_dot (const Kernel *kernel, const double *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += g_str_equal (kernel->kind, "RBF") ? (a[i] - b[i]) * (a[i] - b[i]) : a[i] * b[i];
  if (g_str_equal (kernel->kind, "RBF"))
    return exp (-kernel->gamma * sum);
  if (g_str_equal (kernel->kind, "POLY"))
    return pow (kernel->gamma * sum + kernel->coef0, kernel->degree);
  if (g_str_equal (kernel->kind, "SIGMOID"))
    return tanh (kernel->gamma * sum + kernel->coef0);
  return sum;
}

static gboolean
infer_svm_regressor (PhInfer *infer, GError **error)
{
  return ph_infer_regressor (infer, 1);
}

static gboolean
svm_regressor_kernel (PhKernel *kernel, GError **error)
{
  const gint64 n_supports = ph_node_attr_int (kernel->node, "n_supports", 0);
  g_autofree double *x = NULL;
  const float *coefficients, *rho, *vectors, *parameters;
  gsize rows, features, n, n_rho, n_vectors, n_parameters;
  const gsize count = MAX (n_supports, 1);
  Kernel function;
  float *y;

  if (!ph_ml_rows (kernel, &rows, &features, &x, error))
    return FALSE;
  coefficients = ph_ml_floats (kernel->node, "coefficients", &n);
  rho = ph_ml_floats (kernel->node, "rho", &n_rho);
  vectors = ph_ml_floats (kernel->node, "support_vectors", &n_vectors);
  parameters = ph_ml_floats (kernel->node, "kernel_params", &n_parameters);
  function = (Kernel) { n_parameters > 0 ? parameters[0] : 0, n_parameters > 1 ? parameters[1] : 0,
                        n_parameters > 2 ? parameters[2] : 0, ph_node_attr_string (kernel->node, "kernel_type", "LINEAR") };
  if (n_supports < 0 || n_supports > G_MAXINT32 || n_rho < 1 || (n_supports > 0 && (n_vectors != count * features || n != count))
      || (n_supports == 0 && n != features))
    return ph_kernel_fail (kernel, error, "the attributes that describe its support vectors do not fit together");
  y = ph_kernel_output (kernel, 0, PH_FLOAT, 2, (gint64[]) { rows, 1 }, error);
  for (gsize i = 0; y != NULL && i < rows; i++)
    {
      double sum = rho[0];

      if (n_supports == 0)
        sum += kernel_dot (&function, x + i * features, coefficients, features);
      for (gint64 k = 0; k < n_supports; k++)
        sum += coefficients[k] * kernel_dot (&function, x + i * features, vectors + k * features, features);
      if (ph_node_attr_int (kernel->node, "one_class", 0) != 0)
        sum = sum > 0 ? 1 : -1;
      y[i] = sum;
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_SVMRegressor = {
  .name = "SVMRegressor", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_LINEAR,
  .doc = "A sum over support vectors of how alike each is to a row.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "coefficients", PH_ATTR_FLOATS }, { "kernel_params", PH_ATTR_FLOATS }, { "kernel_type", PH_ATTR_STRING, "\"LINEAR\"", .words = "LINEAR|POLY|RBF|SIGMOID" },
             { "n_supports", PH_ATTR_INT, "0" }, { "one_class", PH_ATTR_INT, "0" }, { "post_transform", PH_ATTR_STRING, "\"NONE\"", .words = PH_ML_POST },
             { "rho", PH_ATTR_FLOATS }, { "support_vectors", PH_ATTR_FLOATS } },
  .infer = infer_svm_regressor, .kernel = svm_regressor_kernel,
};
/* clang-format on */
