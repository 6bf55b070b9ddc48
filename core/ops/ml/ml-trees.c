/* ml-trees.c: TreeEnsembleRegressor and TreeEnsembleClassifier, the older forms of ai.onnx.ml's decision trees.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/ml/ml.h"

#include <math.h>

typedef enum
{
  BRANCH_LEQ,
  BRANCH_LT,
  BRANCH_GTE,
  BRANCH_GT,
  BRANCH_EQ,
  BRANCH_NEQ,
  LEAF
} Mode;

/* An entry of target_* or class_*. */
typedef struct
{
  gint64 id;
  double weight;
} Vote;

typedef struct
{
  gsize n;
  const gint64 *features, *missing; /* @missing: (nullable)                                   */
  double *values;
  guint8 *modes;               /* Mode                                                   */
  gsize *yes, *no;             /* places of nodes                                        */
  gsize *first_vote, *n_votes; /* per leaf                                               */
  Vote *votes;
  gsize n_all_votes;
  GArray *roots; /* (element-type gsize)                                   */
} Forest;

static void
forest_clear (Forest *forest)
{
  g_free (forest->values);
  g_free (forest->modes);
  g_free (forest->yes);
  g_free (forest->no);
  g_free (forest->first_vote);
  g_free (forest->n_votes);
  g_free (forest->votes);
  g_clear_pointer (&forest->roots, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Forest, forest_clear)

/* Returns the numbers of @name or, in double, of @name_as_tensor. (transfer full) (nullable) */
static double *
numbers_of (const PhNode *node, const char *name, gsize *n)
{
  g_autofree char *tensor_name = g_strconcat (name, "_as_tensor", NULL);
  const PhAttr *floats = ph_node_attr (node, name), *tensor = ph_node_attr (node, tensor_name);
  double *numbers;

  *n = 0;
  if (tensor != NULL && tensor->kind == PH_ATTR_TENSOR && ph_tensor_count (tensor->tensor) > 0)
    *n = ph_tensor_count (tensor->tensor);
  else if (floats != NULL && floats->kind == PH_ATTR_FLOATS)
    {
      tensor = NULL;
      *n = floats->n;
    }
  if (*n == 0)
    return NULL;
  numbers = g_new (double, *n);
  for (gsize i = 0; i < *n; i++)
    numbers[i] = tensor != NULL ? ph_tensor_get (tensor->tensor, i) : floats->floats[i];
  return numbers;
}

static const gint64 *
ints_of (const PhNode *node, const char *name, gsize n)
{
  gsize given;
  const gint64 *ints = ph_node_attr_ints (node, name, &given);

  return given == n ? ints : NULL;
}

static guint
node_hash (gconstpointer key)
{
  const gint64 *pair = key;

  return g_int64_hash (&pair[0]) * 31 + g_int64_hash (&pair[1]);
}

static gboolean
node_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, 2 * sizeof (gint64)) == 0;
}

static gboolean
read_modes (const PhNode *node, Forest *forest)
{
  const PhAttr *modes = ph_node_attr (node, "nodes_modes");

  if (modes == NULL || modes->kind != PH_ATTR_STRINGS || modes->n != forest->n)
    return FALSE;
  forest->modes = g_new0 (guint8, forest->n + 1);
  for (gsize i = 0; i < forest->n; i++)
    {
      gsize size;
      const char *data = g_bytes_get_data (modes->strings[i], &size);

      forest->modes[i] = ph_op_attr_place (ph_op_attr (node->op, "nodes_modes"), data, size);
    }
  return TRUE;
}

#define MODES "BRANCH_LEQ|BRANCH_LT|BRANCH_GTE|BRANCH_GT|BRANCH_EQ|BRANCH_NEQ|LEAF"

/* Reads the votes, grouped by leaf. @prefix: "target" or "class". Cycles in the trees are detected later by counting steps. */
static gboolean
read_forest (const PhNode *node, const char *prefix, gsize features, gint64 n_ids, Forest *forest)
{
  g_autofree char *trees_name = g_strconcat (prefix, "_treeids", NULL), *nodes_name = g_strconcat (prefix, "_nodeids", NULL),
                  *ids_name = g_strconcat (prefix, "_ids", NULL), *weights_name = g_strconcat (prefix, "_weights", NULL);
  const gint64 *trees = ph_node_attr_ints (node, "nodes_treeids", &forest->n), *ids, *yes, *no, *vote_trees, *vote_nodes,
               *vote_ids;
  g_autoptr (GHashTable) places = g_hash_table_new (node_hash, node_equal);
  g_autofree gint64 *keys = NULL;
  g_autofree double *weights = NULL;
  g_autofree gsize *leaf_of = NULL;
  gsize n_values, at = 0;

  ids = ints_of (node, "nodes_nodeids", forest->n);
  yes = ints_of (node, "nodes_truenodeids", forest->n);
  no = ints_of (node, "nodes_falsenodeids", forest->n);
  forest->features = ints_of (node, "nodes_featureids", forest->n);
  forest->missing = ints_of (node, "nodes_missing_value_tracks_true", forest->n);
  forest->values = numbers_of (node, "nodes_values", &n_values);
  weights = numbers_of (node, weights_name, &forest->n_all_votes);
  vote_trees = ints_of (node, trees_name, forest->n_all_votes);
  vote_nodes = ints_of (node, nodes_name, forest->n_all_votes);
  vote_ids = ints_of (node, ids_name, forest->n_all_votes);
  if (forest->n == 0 || trees == NULL || ids == NULL || yes == NULL || no == NULL || forest->features == NULL
      || n_values != forest->n || weights == NULL || vote_trees == NULL || vote_nodes == NULL || vote_ids == NULL
      || !read_modes (node, forest))
    return FALSE;
  keys = g_new (gint64, 2 * forest->n);
  forest->yes = g_new0 (gsize, forest->n);
  forest->no = g_new0 (gsize, forest->n);
  forest->first_vote = g_new0 (gsize, forest->n + 1);
  forest->n_votes = g_new0 (gsize, forest->n + 1);
  forest->votes = g_new0 (Vote, forest->n_all_votes + 1);
  forest->roots = g_array_new (FALSE, FALSE, sizeof (gsize));
  for (gsize i = 0; i < forest->n; i++)
    {
      keys[2 * i] = trees[i];
      keys[2 * i + 1] = ids[i];
      g_hash_table_insert (places, &keys[2 * i], GSIZE_TO_POINTER (i + 1));
      if (i == 0 || trees[i] != trees[i - 1])
        g_array_append_val (forest->roots, i);
    }
  for (gsize i = 0; i < forest->n; i++)
    {
      const gint64 yes_key[] = { trees[i], yes[i] }, no_key[] = { trees[i], no[i] };

      if (forest->modes[i] == LEAF)
        continue;
      forest->yes[i] = GPOINTER_TO_SIZE (g_hash_table_lookup (places, yes_key));
      forest->no[i] = GPOINTER_TO_SIZE (g_hash_table_lookup (places, no_key));
      if (forest->yes[i]-- == 0 || forest->no[i]-- == 0 || forest->features[i] < 0 || (gsize) forest->features[i] >= features)
        return FALSE;
    }
  leaf_of = g_new (gsize, forest->n_all_votes + 1);
  for (gsize k = 0; k < forest->n_all_votes; k++)
    {
      const gint64 key[] = { vote_trees[k], vote_nodes[k] };

      leaf_of[k] = GPOINTER_TO_SIZE (g_hash_table_lookup (places, key));
      if (leaf_of[k]-- == 0 || vote_ids[k] < 0 || vote_ids[k] >= n_ids)
        return FALSE;
      forest->n_votes[leaf_of[k]]++;
    }
  for (gsize i = 0; i < forest->n; i++)
    {
      forest->first_vote[i] = at;
      at += forest->n_votes[i];
      forest->n_votes[i] = 0;
    }
  for (gsize k = 0; k < forest->n_all_votes; k++)
    forest->votes[forest->first_vote[leaf_of[k]] + forest->n_votes[leaf_of[k]]++] = (Vote) { vote_ids[k], weights[k] };
  return TRUE;
}

static gboolean
is_yes (const Forest *forest, gsize node, double x)
{
  const double value = forest->values[node];

  if (isnan (x) && forest->missing != NULL && forest->missing[node])
    return TRUE;
  switch (forest->modes[node])
    {
    case BRANCH_LEQ: return x <= value;
    case BRANCH_LT: return x < value;
    case BRANCH_GTE: return x >= value;
    case BRANCH_GT: return x > value;
    case BRANCH_EQ: return x == value;
    default: return x != value;
    }
}

/* Returns FALSE if the nodes form a cycle. */
static gboolean
find_leaf (const Forest *forest, gsize node, const double *x, gsize *leaf)
{
  for (gsize steps = 0; steps <= forest->n; steps++)
    {
      if (forest->modes[node] == LEAF)
        {
          *leaf = node;
          return TRUE;
        }
      node = is_yes (forest, node, x[forest->features[node]]) ? forest->yes[node] : forest->no[node];
    }
  return FALSE;
}

/* Finds in each tree the leaf for the row @x. */
static gboolean
find_leaves (PhKernel *kernel, const Forest *forest, const double *x, gsize *leaves, GError **error)
{
  for (guint t = 0; t < forest->roots->len; t++)
    if (!find_leaf (forest, g_array_index (forest->roots, gsize, t), x, &leaves[t]))
      return ph_kernel_fail (kernel, error, "a path through its trees leads back to where it was");
  return TRUE;
}

/* ── regressor ── */

static gboolean
infer_tree_regressor (PhInfer *infer, GError **error)
{
  return ph_infer_regressor (infer, ph_node_attr_int (ph_infer_node_of (infer), "n_targets", 1));
}

static gboolean
tree_regressor_kernel (PhKernel *kernel, GError **error)
{
  const gint64 targets = ph_node_attr_int (kernel->node, "n_targets", 1);
  const char *aggregate = ph_node_attr_string (kernel->node, "aggregate_function", "SUM");
  const gboolean smallest = g_str_equal (aggregate, "MIN"), largest = g_str_equal (aggregate, "MAX");
  g_autofree double *x = NULL, *scores = NULL, *base = NULL;
  g_autofree guint8 *seen = NULL;
  g_autofree gsize *leaves = NULL;
  g_auto (Forest) forest = { 0 };
  gsize rows, features, n_base;
  const PhPost post = ph_node_attr_word (kernel->node, "post_transform");
  float *y;

  if (!ph_ml_rows (kernel, &rows, &features, &x, error))
    return FALSE;
  base = numbers_of (kernel->node, "base_values", &n_base);
  if (targets < 1 || targets > G_MAXINT32 || (n_base > 0 && n_base != (gsize) targets)
      || !read_forest (kernel->node, "target", features, targets, &forest))
    return ph_kernel_fail (kernel, error, "the attributes that describe its trees do not fit together");
  y = ph_kernel_output (kernel, 0, PH_FLOAT, 2, (gint64[]) { rows, targets }, error);
  scores = g_new (double, targets);
  leaves = g_new (gsize, forest.roots->len + 1);
  seen = g_new (guint8, targets);
  for (gsize i = 0; y != NULL && i < rows; i++)
    {
      memset (scores, 0, targets * sizeof *scores);
      memset (seen, 0, targets);
      if (ph_kernel_cancelled (kernel, error) || !find_leaves (kernel, &forest, x + i * features, leaves, error))
        return FALSE;
      for (guint t = 0; t < forest.roots->len; t++)
        for (gsize k = 0; k < forest.n_votes[leaves[t]]; k++)
          {
            const Vote *vote = &forest.votes[forest.first_vote[leaves[t]] + k];
            double *score = &scores[vote->id];

            if (smallest || largest)
              *score = !seen[vote->id] || (smallest ? vote->weight < *score : vote->weight > *score) ? vote->weight : *score;
            else
              *score += vote->weight;
            seen[vote->id] = 1;
          }
      for (gint64 k = 0; k < targets; k++)
        {
          if (g_str_equal (aggregate, "AVERAGE"))
            scores[k] /= forest.roots->len;
          scores[k] += base != NULL ? base[k] : 0;
        }
      ph_post_apply (post, scores, targets);
      for (gint64 k = 0; k < targets; k++)
        y[i * targets + k] = scores[k];
    }
  return y != NULL;
}

/* clang-format off */
#define TREE_ATTRS                                                                                                     \
  { "nodes_treeids", PH_ATTR_INTS }, { "nodes_nodeids", PH_ATTR_INTS }, { "nodes_featureids", PH_ATTR_INTS },         \
  { "nodes_modes", PH_ATTR_STRINGS, .words = MODES }, { "nodes_values", PH_ATTR_FLOATS }, { "nodes_truenodeids", PH_ATTR_INTS },       \
  { "nodes_falsenodeids", PH_ATTR_INTS }, { "base_values", PH_ATTR_FLOATS }, { "post_transform", PH_ATTR_STRING, "\"NONE\"", .words = PH_ML_POST }

const PhOp ph_op_TreeEnsembleRegressor = {
  .name = "TreeEnsembleRegressor", .domain = "ai.onnx.ml", .since = 3, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_LINEAR,
  .doc = "The leaves of decision trees that a row falls into, added up.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } }, .outputs = { { "Y", 0, PH_T (FLOAT) } },
  .attrs = { TREE_ATTRS, { "target_treeids", PH_ATTR_INTS }, { "target_nodeids", PH_ATTR_INTS }, { "target_ids", PH_ATTR_INTS },
             { "target_weights", PH_ATTR_FLOATS }, { "n_targets", PH_ATTR_INT, "1" }, { "aggregate_function", PH_ATTR_STRING, "\"SUM\"", .words = "AVERAGE|SUM|MIN|MAX" } },
  .infer = infer_tree_regressor, .kernel = tree_regressor_kernel,
};
/* clang-format on */

/* ── classifier ── */

static gboolean
infer_tree_classifier (PhInfer *infer, GError **error)
{
  return ph_infer_classifier (infer, ph_ml_n_labels (ph_infer_node_of (infer)));
}

/* Decides between two labels when only one of them gets votes: by a score above 0.5 if all votes are positive (a probability), above 0
 * otherwise. Replaces @scores[0] by the scores of both labels. Returns the index of the label. */
static gsize
decide_of_two (gboolean positive, PhPost post, double *scores)
{
  const double score = scores[0];

  if (positive)
    {
      scores[0] = 1 - score;
      scores[1] = score;
      return score > 0.5;
    }
  scores[0] = post == PH_POST_LOGISTIC ? ph_logistic (-score) : -score;
  scores[1] = post == PH_POST_LOGISTIC ? ph_logistic (score) : score;
  return score > 0;
}

static gboolean
tree_classifier_kernel (PhKernel *kernel, GError **error)
{
  const gsize classes = ph_ml_n_labels (kernel->node);
  g_autofree double *x = NULL, *scores = NULL, *base = NULL;
  g_autofree gsize *leaves = NULL;
  g_auto (Forest) forest = { 0 };
  gboolean one_id = TRUE, positive = TRUE;
  gsize rows, features, n_base;
  const PhPost post = ph_node_attr_word (kernel->node, "post_transform");
  float *z;

  if (!ph_ml_rows (kernel, &rows, &features, &x, error))
    return FALSE;
  base = numbers_of (kernel->node, "base_values", &n_base);
  if (classes < 1 || (n_base > 0 && n_base != classes && n_base != 1)
      || !read_forest (kernel->node, "class", features, classes, &forest))
    return ph_kernel_fail (kernel, error, "the attributes that describe its trees and labels do not fit together");
  for (gsize k = 0; k < forest.n_all_votes; k++)
    {
      one_id = one_id && forest.votes[k].id == forest.votes[0].id;
      positive = positive && forest.votes[k].weight >= 0;
    }
  one_id = one_id && classes == 2;
  if (ph_kernel_output (kernel, 0, ph_ml_label_type (kernel->node), 1, (gint64[]) { rows }, error) == NULL)
    return FALSE;
  z = ph_kernel_output (kernel, 1, PH_FLOAT, 2, (gint64[]) { rows, classes }, error);
  scores = g_new (double, classes + 1);
  leaves = g_new (gsize, forest.roots->len + 1);
  for (gsize i = 0; z != NULL && i < rows; i++)
    {
      gsize best = 0;

      memset (scores, 0, classes * sizeof *scores);
      if (ph_kernel_cancelled (kernel, error) || !find_leaves (kernel, &forest, x + i * features, leaves, error))
        return FALSE;
      for (guint t = 0; t < forest.roots->len; t++)
        for (gsize k = 0; k < forest.n_votes[leaves[t]]; k++)
          {
            const Vote *vote = &forest.votes[forest.first_vote[leaves[t]] + k];

            scores[one_id ? 0 : vote->id] += vote->weight;
          }
      if (one_id)
        {
          scores[0] += n_base > 0 ? base[n_base - 1] : 0;
          scores[0] = (float) scores[0]; /* rounded to float, so that a float sum of one half is not above it in double */
          best = decide_of_two (positive, post, scores);
        }
      else
        {
          for (gsize k = 0; k < classes; k++)
            scores[k] += n_base == classes ? base[k] : 0;
          for (gsize k = 1; k < classes; k++)
            best = scores[k] > scores[best] ? k : best;
          ph_post_apply (post, scores, classes);
        }
      if (kernel->n_outputs > 0)
        ph_ml_set_label (kernel->node, kernel->outputs[0], i, best);
      for (gsize k = 0; k < classes; k++)
        z[i * classes + k] = scores[k];
    }
  return z != NULL;
}

/* clang-format off */
const PhOp ph_op_TreeEnsembleClassifier = {
  .name = "TreeEnsembleClassifier", .domain = "ai.onnx.ml", .since = 3, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_LINEAR, .main_attrs = { "post_transform" },
  .doc = "The class for which the leaves of decision trees that a row falls into vote most; and all votes.",
  .inputs = { { "X", 0, PH_ML_NUMBERS } }, .outputs = { { "Y", 0, PH_T (STRING) | PH_T (INT64) }, { "Z", 0, PH_T (FLOAT) } },
  .attrs = { TREE_ATTRS, { "class_treeids", PH_ATTR_INTS }, { "class_nodeids", PH_ATTR_INTS }, { "class_ids", PH_ATTR_INTS },
             { "class_weights", PH_ATTR_FLOATS }, { "classlabels_strings", PH_ATTR_STRINGS, .words = PH_ANY_TEXT }, { "classlabels_int64s", PH_ATTR_INTS } },
  .infer = infer_tree_classifier, .kernel = tree_classifier_kernel,
};
/* clang-format on */
