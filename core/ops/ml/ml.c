/* ml.c: operators of ai.onnx.ml: classical machine learning.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <math.h>

#define REAL (PH_T (FLOAT) | PH_T (DOUBLE))

/* ── Binarizer ── */

static gboolean
run_binarizer (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const double threshold = ph_node_attr_float (kernel->node, "threshold", 0);
  const PhDType dtype = ph_tensor_dtype (x);
  gpointer y = ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), error);

  for (gsize i = 0; y != NULL && i < ph_tensor_count (x); i++)
    ph_dtype_store (dtype, y, i, ph_tensor_get (x, i) > threshold);
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_Binarizer = {
  .name = "Binarizer", .domain = "ai.onnx.ml", .since = 1, .flags = PH_OP_NO_GRADIENT | PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC,
  .doc = "One where an element is above the threshold, else zero.",
  .inputs = { { "X", 'T', REAL | PH_INDICES } }, .outputs = { { "Y", 'T', REAL | PH_INDICES } },
  .attrs = { { "threshold", PH_ATTR_FLOAT, "0.0" } },
  .infer = ph_infer_same_as_input, .kernel = run_binarizer,
};
/* clang-format on */

/* ── LabelEncoder ── */

static PhTensor *
strings_of (const PhAttr *attr)
{
  PhTensor *tensor = ph_tensor_new (PH_STRING, 1, (gint64[]) { attr->n });

  for (gsize k = 0; k < attr->n; k++)
    {
      gsize size;
      const char *data = g_bytes_get_data (attr->strings[k], &size);
      g_autofree char *text = g_strndup (data != NULL ? data : "", size);

      ph_tensor_set_string (tensor, k, text);
    }
  return tensor;
}

/* Version 1 had a single list and mapped between its strings and their indices. (transfer full) (nullable) */
static PhTensor *
class_list (const PhNode *node, const char *which, PhDType input)
{
  const PhAttr *classes = ph_node_attr (node, "classes_strings");
  PhTensor *places;

  if (classes == NULL || classes->kind != PH_ATTR_STRINGS)
    return NULL;
  if (g_str_equal (which, "keys") == (input == PH_STRING))
    return strings_of (classes);
  places = ph_tensor_new (PH_INT64, 1, (gint64[]) { classes->n });
  for (gsize k = 0; k < classes->n; k++)
    ((gint64 *) ph_tensor_writable (places))[k] = k;
  return places;
}

/* Returns the list "keys" or "values" of a node, from whichever attribute has it. @input: the element type of the input. (transfer full)
 * (nullable) */
static PhTensor *
label_list (const PhNode *node, const char *which, PhDType input)
{
  static const char *const suffixes[] = { "tensor", "int64s", "floats", "strings" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *name = g_strconcat (which, "_", suffixes[i], NULL);
      const PhAttr *attr = ph_node_attr (node, name);

      if (attr == NULL)
        continue;
      if (attr->kind == PH_ATTR_TENSOR)
        return ph_tensor_ref (attr->tensor);
      if (attr->kind == PH_ATTR_INTS)
        return ph_tensor_new_int64s (attr->ints, attr->n);
      if (attr->kind == PH_ATTR_FLOATS)
        return ph_tensor_new_floats (attr->floats, attr->n);
      if (attr->kind != PH_ATTR_STRINGS)
        return NULL;
      return strings_of (attr);
    }
  return class_list (node, which, input);
}

static gboolean
infer_label_encoder (PhInfer *infer, GError **error)
{
  g_autoptr (PhTensor) values = NULL;
  const PhType *type = ph_infer_type (infer, 0);

  if (type != NULL)
    values = label_list (ph_infer_node_of (infer), "values", type->dtype);

  if (type != NULL && values != NULL)
    ph_infer_set (infer, 0, ph_type_with_dtype (type, ph_tensor_dtype (values)));
  return TRUE;
}

static gboolean
same_label (PhTensor *a, gsize i, PhTensor *b, gsize k)
{
  double x, y;

  if (ph_tensor_dtype (a) == PH_STRING)
    return strcmp (ph_tensor_get_string (a, i), ph_tensor_get_string (b, k)) == 0;
  if (!ph_dtype_is_float (ph_tensor_dtype (a)))
    return ph_tensor_get_int (a, i) == ph_tensor_get_int (b, k);
  x = ph_tensor_get (a, i);
  y = ph_tensor_get (b, k);
  return x == y || (isnan (x) && isnan (y));
}

static gboolean
run_label_encoder (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *y;
  g_autoptr (PhTensor) keys = label_list (kernel->node, "keys", ph_tensor_dtype (x)),
                       values = label_list (kernel->node, "values", ph_tensor_dtype (x));
  const PhAttr *fallback = ph_node_attr (kernel->node, "default_tensor");
  const char *default_string = ph_node_attr_string (kernel->node, "default_string", "_Unused");
  PhDType dtype;

  if (keys == NULL || values == NULL || ph_tensor_count (keys) != ph_tensor_count (values)
      || (ph_tensor_dtype (keys) != ph_tensor_dtype (x)
          && !(ph_dtype_is_float (ph_tensor_dtype (keys))
               && ph_dtype_is_float (ph_tensor_dtype (x))))) /* x may be computed in double */
    return ph_kernel_fail (kernel, error, "needs as many values as keys, and keys of its input's element type");
  dtype = ph_tensor_dtype (values);
  if (ph_kernel_output (kernel, 0, dtype, ph_tensor_rank (x), ph_tensor_dims (x), error) == NULL)
    return FALSE;
  y = kernel->outputs[0];
  for (gsize i = 0; i < ph_tensor_count (x); i++)
    {
      PhTensor *from = values;
      gsize k = 0;

      while (k < ph_tensor_count (keys) && !same_label (x, i, keys, k))
        k++;
      if (k == ph_tensor_count (keys))
        {
          from = fallback != NULL && fallback->tensor != NULL ? fallback->tensor : NULL;
          k = 0;
        }
      if (dtype == PH_STRING)
        ph_tensor_set_string (y, i, from != NULL ? ph_tensor_get_string (from, k) : default_string);
      else if (from != NULL)
        ph_dtype_store (dtype, ph_tensor_writable (y), i, ph_tensor_get (from, k));
      else if (ph_dtype_is_float (dtype))
        ph_dtype_store (dtype, ph_tensor_writable (y), i, ph_node_attr_float (kernel->node, "default_float", -0.0f));
      else
        ph_dtype_store_int (dtype, ph_tensor_writable (y), i, ph_node_attr_int (kernel->node, "default_int64", -1));
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_LabelEncoder = {
  .name = "LabelEncoder", .domain = "ai.onnx.ml", .since = 4, .flags = PH_OP_NO_GRADIENT | PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "Looks each element up among the keys and returns the key's value.",
  .inputs = { { "X", 0, PH_ANY } }, .outputs = { { "Y", 0, PH_ANY } },
  .attrs = { { "keys_tensor", PH_ATTR_TENSOR }, { "keys_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "keys_int64s", PH_ATTR_INTS },
             { "keys_floats", PH_ATTR_FLOATS }, { "values_tensor", PH_ATTR_TENSOR }, { "values_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT },
             { "values_int64s", PH_ATTR_INTS }, { "values_floats", PH_ATTR_FLOATS }, { "default_tensor", PH_ATTR_TENSOR },
             { "default_string", PH_ATTR_STRING, "\"_Unused\"", .words = PH_ANY_TEXT }, { "default_int64", PH_ATTR_INT, "-1" },
             { "default_float", PH_ATTR_FLOAT, "-0.0" } },
  .infer = infer_label_encoder, .kernel = run_label_encoder,
};
/* clang-format on */

/* ── TreeEnsemble ── */

static gboolean
infer_tree_ensemble (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);

  if (type == NULL)
    return TRUE;
  if (type->rank != 2)
    return ph_infer_fail (infer, error, "its input must be [rows, features]");
  ph_infer_set_shape (infer, 0, type->dtype, 2,
                      (PhDim[]) { type->dims[0], PH_DIM (ph_node_attr_int (ph_infer_node_of (infer), "n_targets", 1)) });
  return TRUE;
}

enum
{
  LEQ,
  LT,
  GTE,
  GT,
  EQ,
  NEQ,
  MEMBER
};
enum
{
  AVERAGE,
  SUM,
  MIN_OF_ALL,
  MAX_OF_ALL
};

typedef struct
{
  gsize n_nodes, n_leaves, n_roots;
  const gint64 *features, *yes, *no, *yes_leaf, *no_leaf, *roots, *targets;
  const gint64 *missing_yes; /* (nullable) */
  PhTensor *modes, *splits, *weights;
  PhTensor *members;  /* (nullable) of the MEMBER nodes in order, each set ended by NaN */
  gsize *member_from; /* per node */
} Trees;

/* Returns the list @name if it has @n numbers (0: any). */
static const gint64 *
ints_of (const PhNode *node, const char *name, gsize *n)
{
  gsize given;
  const gint64 *ints = ph_node_attr_ints (node, name, &given);

  if (*n == 0)
    *n = given;
  return given == *n ? ints : NULL;
}

static PhTensor *
tensor_of (const PhNode *node, const char *name, gsize n)
{
  const PhAttr *attr = ph_node_attr (node, name);

  return attr != NULL && attr->tensor != NULL && (n == 0 || ph_tensor_count (attr->tensor) == n) ? attr->tensor : NULL;
}

static gboolean
read_trees (const PhNode *node, gint64 n_features, gint64 n_targets, Trees *trees)
{
  gsize set = 0;

  trees->features = ints_of (node, "nodes_featureids", &trees->n_nodes);
  trees->yes = ints_of (node, "nodes_truenodeids", &trees->n_nodes);
  trees->no = ints_of (node, "nodes_falsenodeids", &trees->n_nodes);
  trees->yes_leaf = ints_of (node, "nodes_trueleafs", &trees->n_nodes);
  trees->no_leaf = ints_of (node, "nodes_falseleafs", &trees->n_nodes);
  trees->missing_yes = ints_of (node, "nodes_missing_value_tracks_true", &trees->n_nodes);
  trees->roots = ints_of (node, "tree_roots", &trees->n_roots);
  trees->targets = ints_of (node, "leaf_targetids", &trees->n_leaves);
  trees->modes = tensor_of (node, "nodes_modes", trees->n_nodes);
  trees->splits = tensor_of (node, "nodes_splits", trees->n_nodes);
  trees->weights = tensor_of (node, "leaf_weights", trees->n_leaves);
  trees->members = tensor_of (node, "membership_values", 0);
  if (trees->features == NULL || trees->yes == NULL || trees->no == NULL || trees->yes_leaf == NULL || trees->no_leaf == NULL
      || trees->roots == NULL || trees->targets == NULL || trees->modes == NULL || trees->splits == NULL
      || trees->weights == NULL)
    return FALSE;
  trees->member_from = g_new0 (gsize, trees->n_nodes + 1);
  for (gsize i = 0; i < trees->n_nodes; i++)
    {
      if (trees->features[i] < 0 || trees->features[i] >= n_features || trees->yes[i] < 0
          || (gsize) trees->yes[i] >= (trees->yes_leaf[i] ? trees->n_leaves : trees->n_nodes) || trees->no[i] < 0
          || (gsize) trees->no[i] >= (trees->no_leaf[i] ? trees->n_leaves : trees->n_nodes))
        return FALSE;
      trees->member_from[i] = set;
      if (ph_tensor_get_int (trees->modes, i) == MEMBER)
        {
          while (trees->members != NULL && set < ph_tensor_count (trees->members) && !isnan (ph_tensor_get (trees->members, set)))
            set++;
          set++;
        }
    }
  for (gsize i = 0; i < trees->n_leaves; i++)
    if (trees->targets[i] < 0 || trees->targets[i] >= n_targets)
      return FALSE;
  for (gsize i = 0; i < trees->n_roots; i++)
    if (trees->roots[i] < 0 || (gsize) trees->roots[i] >= trees->n_nodes)
      return FALSE;
  return TRUE;
}

static gboolean
decide (const Trees *trees, gsize node, double x)
{
  const double split = ph_tensor_get (trees->splits, node);

  if (isnan (x) && trees->missing_yes != NULL && trees->missing_yes[node])
    return TRUE;
  switch (ph_tensor_get_int (trees->modes, node))
    {
    case LEQ: return x <= split;
    case LT: return x < split;
    case GTE: return x >= split;
    case GT: return x > split;
    case EQ: return x == split;
    case NEQ: return x != split;
    default:
      for (gsize i = trees->member_from[node]; trees->members != NULL && i < ph_tensor_count (trees->members); i++)
        {
          const double member = ph_tensor_get (trees->members, i);

          if (isnan (member))
            break;
          if (member == x)
            return TRUE;
        }
      return FALSE;
    }
}

/* Returns the leaf for @row, or -1 if the nodes form a cycle. */
static gssize
find_leaf (const Trees *trees, gsize node, PhTensor *x, gsize row)
{
  for (gsize steps = 0; steps <= trees->n_nodes; steps++)
    {
      const gboolean yes = decide (trees, node, ph_tensor_get (x, row + trees->features[node]));
      const gint64 next = yes ? trees->yes[node] : trees->no[node];

      if (yes ? trees->yes_leaf[node] : trees->no_leaf[node])
        return next;
      node = next;
    }
  return -1;
}

static gboolean
run_tree_ensemble (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gint64 n_targets = ph_node_attr_int (kernel->node, "n_targets", 1);
  const int aggregate = ph_node_attr_int (kernel->node, "aggregate_function", SUM);
  g_autofree double *totals = NULL;
  g_autofree guint8 *seen = NULL;
  g_autofree gsize *member_from = NULL;
  gint64 rows, features;
  Trees trees = { 0 };
  gboolean ok;
  gpointer y;

  if (ph_tensor_rank (x) != 2 || n_targets < 1)
    return ph_kernel_fail (kernel, error, "its input must be [rows, features]");
  if (ph_node_attr_int (kernel->node, "post_transform", 0) != 0)
    return ph_kernel_fail (kernel, error, "post_transform is not read: only 0, none");
  rows = ph_tensor_dims (x)[0];
  features = ph_tensor_dims (x)[1];
  ok = read_trees (kernel->node, features, n_targets, &trees);
  member_from = trees.member_from;
  if (!ok)
    return ph_kernel_fail (kernel, error, "the attributes that describe its trees do not fit together");
  y = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), 2, (gint64[]) { rows, n_targets }, error);
  if (y == NULL)
    return FALSE;
  totals = g_new (double, n_targets);
  seen = g_new (guint8, n_targets);
  for (gint64 r = 0; r < rows; r++)
    {
      memset (totals, 0, n_targets * sizeof *totals);
      memset (seen, 0, n_targets);
      for (gsize t = 0; t < trees.n_roots; t++)
        {
          const gssize leaf = find_leaf (&trees, trees.roots[t], x, r * features);
          double weight, *total;
          gint64 target;

          if (leaf < 0)
            return ph_kernel_fail (kernel, error, "tree %" G_GSIZE_FORMAT " never reaches a leaf", t);
          target = trees.targets[leaf];
          weight = ph_tensor_get (trees.weights, leaf);
          total = &totals[target];
          if (aggregate == MIN_OF_ALL)
            *total = seen[target] ? MIN (*total, weight) : weight;
          else if (aggregate == MAX_OF_ALL)
            *total = seen[target] ? MAX (*total, weight) : weight;
          else
            *total += aggregate == AVERAGE ? weight / trees.n_roots : weight;
          seen[target] = 1;
        }
      for (gint64 k = 0; k < n_targets; k++)
        ph_dtype_store (ph_tensor_dtype (x), y, r * n_targets + k, totals[k]);
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_TreeEnsemble = {
  .name = "TreeEnsemble", .domain = "ai.onnx.ml", .since = 5, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_LINEAR,
  .doc = "Decision trees: each row falls to a leaf of each tree, and the leaves' weights are aggregated by target.",
  .inputs = { { "X", 'T', REAL | PH_T (FLOAT16) } }, .outputs = { { "Y", 'T', REAL | PH_T (FLOAT16) } },
  .attrs = { { "aggregate_function", PH_ATTR_INT, "1" }, { "leaf_targetids", PH_ATTR_INTS, NULL, TRUE },
             { "leaf_weights", PH_ATTR_TENSOR, NULL, TRUE }, { "membership_values", PH_ATTR_TENSOR },
             { "n_targets", PH_ATTR_INT }, { "nodes_falseleafs", PH_ATTR_INTS, NULL, TRUE },
             { "nodes_falsenodeids", PH_ATTR_INTS, NULL, TRUE }, { "nodes_featureids", PH_ATTR_INTS, NULL, TRUE },
             { "nodes_missing_value_tracks_true", PH_ATTR_INTS }, { "nodes_modes", PH_ATTR_TENSOR, NULL, TRUE },
             { "nodes_splits", PH_ATTR_TENSOR, NULL, TRUE }, { "nodes_trueleafs", PH_ATTR_INTS, NULL, TRUE },
             { "nodes_truenodeids", PH_ATTR_INTS, NULL, TRUE }, { "post_transform", PH_ATTR_INT, "0" },
             { "tree_roots", PH_ATTR_INTS, NULL, TRUE } },
  .infer = infer_tree_ensemble, .kernel = run_tree_ensemble,
};
/* clang-format on */
