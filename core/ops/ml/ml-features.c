/* ml-features.c: operators of ai.onnx.ml that prepare the features of a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/ml/ml.h"

#include <math.h>

/* Returns element @i of a list that has one number for each feature or a single one for all. */
static double
at (const float *list, gsize n, gsize i, double fallback)
{
  return list == NULL ? fallback : list[n == 1 ? 0 : i];
}

static gint64
last_dim (PhTensor *x)
{
  return ph_tensor_rank (x) > 0 ? ph_tensor_dims (x)[ph_tensor_rank (x) - 1] : 1;
}

static gboolean
infer_float (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, PH_FLOAT));
  return TRUE;
}

/* ── Scaler ── */

static gboolean
scaler_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gsize features = last_dim (x);
  gsize n_offset, n_scale;
  const float *offset = ph_ml_floats (kernel->node, "offset", &n_offset), *scale = ph_ml_floats (kernel->node, "scale", &n_scale);
  float *y;

  if ((n_offset > 1 && n_offset != features) || (n_scale > 1 && n_scale != features))
    return ph_kernel_fail (kernel, error, "has %u offsets and %u scales for %u features", (guint) n_offset, (guint) n_scale,
                           (guint) features);
  y = ph_kernel_output (kernel, 0, PH_FLOAT, ph_tensor_rank (x), ph_tensor_dims (x), error);
  for (gsize i = 0; y != NULL && i < ph_tensor_count (x); i++)
    y[i] = (ph_tensor_get (x, i) - at (offset, n_offset, i % features, 0)) * at (scale, n_scale, i % features, 1);
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_Scaler = {
  .name = "Scaler", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_NORM,
  .doc = "Each feature less an offset, times a scale.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "offset", PH_ATTR_FLOATS }, { "scale", PH_ATTR_FLOATS } }, .infer = infer_float, .kernel = scaler_kernel, .grad_build = ph_grad_scaler,
  .grad_text = "dX = dY * scale",
};
/* clang-format on */

/* ── Normalizer ── */

static gboolean
normalizer_kernel (PhKernel *kernel, GError **error)
{
  const char *norm = ph_node_attr_string (kernel->node, "norm", "MAX");
  PhTensor *x = ph_kernel_input (kernel, 0);
  g_autofree double *data = NULL;
  gsize rows, features;
  float *y;

  if (!ph_ml_rows (kernel, &rows, &features, &data, error))
    return FALSE;
  y = ph_kernel_output (kernel, 0, PH_FLOAT, ph_tensor_rank (x), ph_tensor_dims (x), error);
  for (gsize i = 0; y != NULL && i < rows; i++)
    {
      const double *row = data + i * features;
      double size = g_str_equal (norm, "MAX") ? -INFINITY : 0;

      for (gsize k = 0; k < features; k++)
        size = g_str_equal (norm, "MAX") ? MAX (size, row[k])
                                         : size + (g_str_equal (norm, "L1") ? fabs (row[k]) : row[k] * row[k]);
      for (gsize k = 0; k < features; k++)
        if (g_str_equal (norm, "L2") && size != 0) /* the sign is kept, as the root of a square would not */
          y[i * features + k] = copysign (sqrt (row[k] * row[k] / size), row[k]);
        else
          y[i * features + k] = size != 0 ? row[k] / size : row[k];
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_Normalizer = {
  .name = "Normalizer", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_NORM,
  .doc = "Each row by its largest number, its sum, or its length.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "norm", PH_ATTR_STRING, "\"MAX\"", .words = "MAX|L1|L2" } }, .infer = infer_float, .kernel = normalizer_kernel,
  .grad_build = ph_grad_normalizer,
  .grad_text = "dX = the gradient of X / norm(X)",
};
/* clang-format on */

/* ── Imputer ── */

static gboolean
imputer_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const PhDType dtype = ph_tensor_dtype (x);
  const gsize features = last_dim (x);
  const gboolean whole = !ph_dtype_is_float (dtype);
  gsize n_floats, n_ints;
  const float *floats = ph_ml_floats (kernel->node, "imputed_value_floats", &n_floats);
  const gint64 *ints = ph_node_attr_ints (kernel->node, "imputed_value_int64s", &n_ints);
  const gsize n = whole ? n_ints : n_floats;
  const double replaced = whole ? (double) ph_node_attr_int (kernel->node, "replaced_value_int64", 0)
                                : ph_node_attr_float (kernel->node, "replaced_value_float", 0);
  gpointer y;

  if (n == 0 || (n != 1 && n != features))
    return ph_kernel_fail (kernel, error, "has %u values to put in, for %u features", (guint) n, (guint) features);
  y = ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), error);
  for (gsize i = 0; y != NULL && i < ph_tensor_count (x); i++)
    {
      const double value = ph_tensor_get (x, i);
      const gsize k = n == 1 ? 0 : i % features;

      if (whole)
        ph_dtype_store_int (dtype, y, i, ph_tensor_get_int (x, i) == (gint64) replaced ? ints[k] : ph_tensor_get_int (x, i));
      else
        ph_dtype_store (dtype, y, i, value == replaced || (isnan (value) && isnan (replaced)) ? floats[k] : value);
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_Imputer = {
  .name = "Imputer", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_NORM,
  .doc = "Puts a value of its own for each feature where one is missing.",
  .inputs = { { "X", 'T', PH_ML_NUMBERS } }, .outputs = { { "Y", 'T', PH_ML_NUMBERS } },
  .attrs = { { "imputed_value_floats", PH_ATTR_FLOATS }, { "imputed_value_int64s", PH_ATTR_INTS },
             { "replaced_value_float", PH_ATTR_FLOAT, "0.0" }, { "replaced_value_int64", PH_ATTR_INT, "0" } },
  .infer = ph_infer_same_as_input, .kernel = imputer_kernel, .grad_build = ph_grad_imputer,
  .grad_text = "dX = dY where X was there",
};
/* clang-format on */

/* ── categories ── */

/* Returns the index of @x's element @i among the strings or numbers of @attr, or -1. */
static gssize
find_category (const PhAttr *attr, PhTensor *x, gsize i)
{
  for (gsize k = 0; attr != NULL && k < attr->n; k++)
    if (attr->kind == PH_ATTR_STRINGS)
      {
        const char *text = ph_tensor_dtype (x) == PH_STRING ? ph_tensor_get_string (x, i) : "";
        gsize size;
        const char *data = g_bytes_get_data (attr->strings[k], &size);

        if (strlen (text) == size && memcmp (text, data, size) == 0)
          return k;
      }
    else if (attr->kind == PH_ATTR_INTS && ph_tensor_dtype (x) != PH_STRING && attr->ints[k] == (gint64) ph_tensor_get (x, i))
      return k;
  return -1;
}

static const PhAttr *
categories_of (const PhNode *node)
{
  const PhAttr *ints = ph_node_attr (node, "cats_int64s");

  return ints != NULL && ints->n > 0 ? ints : ph_node_attr (node, "cats_strings");
}

static gboolean
infer_one_hot_encoder (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  const PhAttr *categories = categories_of (ph_infer_node_of (infer));
  PhDim dims[PH_MAX_RANK + 1];

  if (type == NULL || categories == NULL || type->rank >= PH_MAX_RANK)
    return TRUE;
  memcpy (dims, type->dims, type->rank * sizeof *dims);
  dims[type->rank] = PH_DIM (categories->n);
  ph_infer_set_shape (infer, 0, PH_FLOAT, type->rank + 1, dims);
  return TRUE;
}

static gboolean
one_hot_encoder_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const PhAttr *categories = categories_of (kernel->node);
  const guint rank = ph_tensor_rank (x);
  gint64 dims[PH_MAX_RANK + 1];
  float *y;

  if (categories == NULL || rank >= PH_MAX_RANK)
    return ph_kernel_fail (kernel, error, "has no categories: give it cats_int64s or cats_strings");
  memcpy (dims, ph_tensor_dims (x), rank * sizeof *dims);
  dims[rank] = categories->n;
  y = ph_kernel_output (kernel, 0, PH_FLOAT, rank + 1, dims, error);
  for (gsize i = 0; y != NULL && i < ph_tensor_count (x); i++)
    {
      const gssize k = find_category (categories, x, i);

      if (k >= 0)
        y[i * categories->n + k] = 1;
      else if (ph_node_attr_int (kernel->node, "zeros", 1) == 0)
        return ph_kernel_fail (kernel, error, "element %u of its input is none of its categories", (guint) i);
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_OneHotEncoder = {
  .name = "OneHotEncoder", .domain = "ai.onnx.ml", .since = 1, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "One-hot encoding: for each element a row of zeros with a one at its category.",
  .inputs = { { "X", 0, PH_ML_NUMBERS | PH_T (STRING) } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "cats_int64s", PH_ATTR_INTS }, { "cats_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "zeros", PH_ATTR_INT, "1" } },
  .infer = infer_one_hot_encoder, .kernel = one_hot_encoder_kernel,
};
/* clang-format on */

static gboolean
infer_category_mapper (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, type->dtype == PH_STRING ? PH_INT64 : PH_STRING));
  return TRUE;
}

static gboolean
category_mapper_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const PhAttr *ints = ph_node_attr (kernel->node, "cats_int64s"), *strings = ph_node_attr (kernel->node, "cats_strings");
  const gboolean to_number = ph_tensor_dtype (x) == PH_STRING;

  if (ints == NULL || strings == NULL || ints->n != strings->n)
    return ph_kernel_fail (kernel, error, "needs as many cats_int64s as cats_strings");
  if (ph_kernel_output (kernel, 0, to_number ? PH_INT64 : PH_STRING, ph_tensor_rank (x), ph_tensor_dims (x), error) == NULL)
    return FALSE;
  for (gsize i = 0; i < ph_tensor_count (x) && kernel->n_outputs > 0; i++)
    {
      const gssize k = find_category (to_number ? strings : ints, x, i);

      if (to_number)
        ((gint64 *) ph_tensor_writable (kernel->outputs[0]))[i] = k >= 0 ? ints->ints[k]
                                                                         : ph_node_attr_int (kernel->node, "default_int64", -1);
      else
        {
          g_autofree char *text = k >= 0 ? g_strndup (g_bytes_get_data (strings->strings[k], NULL),
                                                      g_bytes_get_size (strings->strings[k]))
                                         : g_strdup (ph_node_attr_string (kernel->node, "default_string", "_Unused"));
          ph_tensor_set_string (kernel->outputs[0], i, text);
        }
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_CategoryMapper = {
  .name = "CategoryMapper", .domain = "ai.onnx.ml", .since = 1, .flags = PH_OP_NO_GRADIENT | PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The number of each text, or the text of each number.",
  .inputs = { { "X", 0, PH_T (STRING) | PH_T (INT64) } }, .outputs = { { "Y", 0, PH_T (STRING) | PH_T (INT64) } },
  .attrs = { { "cats_int64s", PH_ATTR_INTS }, { "cats_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "default_int64", PH_ATTR_INT, "-1" },
             { "default_string", PH_ATTR_STRING, "\"_Unused\"", .words = PH_ANY_TEXT } },
  .infer = infer_category_mapper, .kernel = category_mapper_kernel,
};
/* clang-format on */

/* ── columns ── */

static gboolean
infer_feature_vectorizer (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  const PhNode *node = ph_infer_node_of (infer);
  gsize n;
  const gint64 *sizes = ph_node_attr_ints (node, "inputdimensions", &n);
  gboolean known = n == node->inputs->len;
  gint64 sum = 0;

  for (gsize i = 0; i < n && known; i++)
    {
      known = sizes[i] >= 0 && sizes[i] <= G_MAXINT32;
      sum += sizes[i];
    }
  if (type != NULL)
    ph_infer_set_shape (infer, 0, PH_FLOAT, 2,
                        (PhDim[]) { type->rank == 2 ? type->dims[0] : PH_DIM (1), known ? PH_DIM (sum) : PH_DIM_UNKNOWN });
  return TRUE;
}

static gboolean
feature_vectorizer_kernel (PhKernel *kernel, GError **error)
{
  gsize n;
  const gint64 *sizes = ph_node_attr_ints (kernel->node, "inputdimensions", &n);
  gint64 width = 0, rows = -1, column = 0;
  float *y;

  if (n != kernel->n_inputs)
    return ph_kernel_fail (kernel, error, "inputdimensions has %" G_GSIZE_FORMAT " sizes for %u inputs; it needs one for each", n,
                           kernel->n_inputs);
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      PhTensor *x = ph_kernel_input (kernel, i);
      const guint rank = x != NULL ? ph_tensor_rank (x) : 0;
      const gint64 here = rank == 2 ? ph_tensor_dims (x)[0] : 1;

      if (rank < 1 || rank > 2 || sizes[i] < 0 || sizes[i] > G_MAXINT32 || (rows >= 0 && here != rows))
        return ph_kernel_fail (kernel, error,
                               "input %u must be [rows, features], with as many rows as the others and a size from 0 on", i);
      rows = here;
      width += sizes[i];
    }
  y = ph_kernel_output (kernel, 0, PH_FLOAT, 2, (gint64[]) { MAX (rows, 0), width }, error);
  for (guint i = 0; y != NULL && i < kernel->n_inputs; column += sizes[i++])
    {
      PhTensor *x = ph_kernel_input (kernel, i);
      const gint64 have = last_dim (x);

      for (gint64 r = 0; r < rows; r++) /* short rows are padded with zeros, long ones are cut */
        for (gint64 k = 0; k < MIN (have, sizes[i]); k++)
          y[r * width + column + k] = ph_tensor_get (x, r * have + k);
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_FeatureVectorizer = {
  .name = "FeatureVectorizer", .domain = "ai.onnx.ml", .since = 1,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The features of several inputs side by side.",
  .inputs = { { "X", 0, PH_ML_NUMBERS, PH_ARG_VARIADIC } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { { "inputdimensions", PH_ATTR_INTS } }, .infer = infer_feature_vectorizer, .kernel = feature_vectorizer_kernel,
};
/* clang-format on */

static gboolean
infer_array_feature_extractor (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0), *indices = ph_infer_type (infer, 1);
  const gint64 n = indices != NULL && indices->has_rank ? ph_type_count (indices) : -1;
  PhDim dims[PH_MAX_RANK];

  if (type == NULL || type->rank < 1)
    return TRUE;
  memcpy (dims, type->dims, type->rank * sizeof *dims);
  dims[type->rank - 1] = n >= 0 ? PH_DIM (n) : PH_DIM_UNKNOWN;
  if (type->rank == 1)
    ph_infer_set_shape (infer, 0, type->dtype, 2, (PhDim[]) { PH_DIM (1), dims[0] });
  else
    ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  return TRUE;
}

static gboolean
array_feature_extractor_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const guint rank = ph_tensor_rank (x);
  const gsize size = ph_dtype_size (ph_tensor_dtype (x));
  g_autofree gint64 *indices = NULL;
  gint64 dims[PH_MAX_RANK];
  gsize n, rows;
  gpointer y;

  indices = ph_kernel_ints (kernel, 1, &n);
  if (rank < 1 || indices == NULL || n == 0)
    return ph_kernel_fail (kernel, error, "needs an input with an axis, and indices");
  for (gsize k = 0; k < n; k++)
    if (indices[k] < 0 || indices[k] >= last_dim (x))
      return ph_kernel_fail (kernel, error, "index %" G_GINT64_FORMAT " is outside of the last axis, of size %" G_GINT64_FORMAT,
                             indices[k], last_dim (x));
  dims[0] = 1;
  memcpy (dims, ph_tensor_dims (x), (rank - 1) * sizeof *dims);
  dims[MAX (rank, 2) - 1] = n;
  y = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), MAX (rank, 2), dims, error);
  if (y == NULL)
    return FALSE;
  rows = ph_tensor_count (x) / last_dim (x);
  for (gsize r = 0; r < rows; r++)
    for (gsize k = 0; k < n; k++)
      ph_move (y, r * n + k, ph_tensor_data (x), r * last_dim (x) + indices[k], size);
  if (ph_tensor_dtype (x) == PH_STRING)
    ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_ArrayFeatureExtractor = {
  .name = "ArrayFeatureExtractor", .domain = "ai.onnx.ml", .since = 1, .flags = PH_OP_DATA_MOVEMENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Entries of the last axis, by their indices.",
  .inputs = { { "X", 'T', PH_ML_NUMBERS | PH_T (STRING) }, { "Y", 0, PH_T (INT64) } },
  .outputs = { { "Z", 'T', PH_ML_NUMBERS | PH_T (STRING) } },
  .infer = infer_array_feature_extractor, .kernel = array_feature_extractor_kernel,
};
/* clang-format on */
