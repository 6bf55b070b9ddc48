/* random-slope.c: the gradient of a random model says how the model moves when all that it is differentiated by moves a little.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/op-list.h"
#include "core/run/executor.h"
#include "random-graph.h"

#define STEP 1e-4

typedef struct
{
  PhModel *model;
  GHashTable *feeds;    /* PhValue -> PhTensor: of the model as it is fed                           */
  GPtrArray *wanted;    /* the value that was differentiated; behind it the gradient of each source */
  GPtrArray *sources;   /* (element-type PhValue)                                                   */
  GPtrArray *direction; /* (element-type PhTensor) of each source, in double                        */
  guint narrow;         /* runs of nodes that were not in double                                    */
} Slope;

static void
slope_clear (Slope *slope)
{
  g_clear_pointer (&slope->feeds, g_hash_table_unref);
  g_clear_pointer (&slope->wanted, g_ptr_array_unref);
  g_clear_pointer (&slope->sources, g_ptr_array_unref);
  g_clear_pointer (&slope->direction, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Slope, slope_clear)

static gboolean
is_wide (const PhType *type)
{
  return type == NULL || type->kind != PH_KIND_TENSOR || !ph_dtype_is_float (type->dtype) || type->dtype == PH_FLOAT
         || type->dtype == PH_DOUBLE;
}

/* What is rounded to a narrow float moves in jumps; and of several elements that are written to one place, ONNX does not say which stays. */
static gboolean
is_steady (PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);

  if (ph_model_has_op (model, &ph_op_MaxUnpool) || ph_model_has_op (model, &ph_op_ScatterElements)
      || ph_model_has_op (model, &ph_op_ScatterND))
    return FALSE;
  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i];

      for (guint k = 0; k < node->outputs->len; k++)
        if (!is_wide (ph_node_output (node, k)->type))
          return FALSE;
    }
  return TRUE;
}

static PhTensor *
base_of (const Slope *slope, PhValue *source)
{
  PhTensor *fed = g_hash_table_lookup (slope->feeds, source);

  return fed != NULL ? fed : source->tensor;
}

/* Finds the sources by the outputs named after them, and draws where to move each. A weight becomes an input, which alone can be fed. */
static void
find_sources (Slope *slope, guint64 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);

  for (guint i = 0; i < slope->model->graph->outputs->len; i++)
    {
      PhValue *gradient = slope->model->graph->outputs->pdata[i], *source;
      PhTensor *base, *direction;

      if (!g_str_has_prefix (gradient->name, "grad_"))
        continue;
      source = ph_model_find_value_named (slope->model, gradient->name + strlen ("grad_"));
      base = source != NULL && source->producer == NULL ? base_of (slope, source) : NULL;
      if (base == NULL || (ph_tensor_dtype (base) != PH_FLOAT && ph_tensor_dtype (base) != PH_DOUBLE))
        continue;
      if (!source->is_input)
        {
          g_autofree char *name = g_strconcat ("moved_", source->name, NULL);
          PhValue *input = ph_graph_add_input (slope->model->graph, name, source->type, base, G_MAXUINT, NULL);

          g_assert_true (input != NULL && ph_value_replace_uses (source, input, NULL));
          source = input;
        }
      direction = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (base), ph_tensor_dims (base));
      for (gsize k = 0; k < ph_tensor_count (base); k++)
        ((double *) ph_tensor_writable (direction))[k] = g_rand_double_range (rand, -1, 1);
      g_ptr_array_add (slope->sources, source);
      g_ptr_array_add (slope->direction, direction);
      g_ptr_array_add (slope->wanted, gradient);
    }
}

/* Runs the model with each source moved by @t along its direction. (nullable) */
static GHashTable *
run_at (Slope *slope, double t)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  GHashTableIter iter;
  gpointer value, tensor;

  g_hash_table_iter_init (&iter, slope->feeds);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    g_hash_table_insert (feeds, value, ph_tensor_ref (tensor));
  for (guint i = 0; i < slope->sources->len; i++)
    {
      PhTensor *base = base_of (slope, slope->sources->pdata[i]), *direction = slope->direction->pdata[i];
      PhTensor *moved = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (base), ph_tensor_dims (base));

      for (gsize k = 0; k < ph_tensor_count (base); k++)
        ((double *) ph_tensor_writable (moved))[k] = ph_tensor_get (base, k) + t * ph_tensor_get (direction, k);
      g_hash_table_insert (feeds, slope->sources->pdata[i], moved);
    }
  return ph_run_model (slope->model, feeds, slope->wanted,
                       &(PhRunOptions) { .seed = 1, .in_double = TRUE, .narrow = &slope->narrow }, NULL);
}

/* The sum of what was differentiated: the cotangent is ones. NaN: it cannot be computed. */
static double
sum_at (Slope *slope, double t)
{
  g_autoptr (GHashTable) results = run_at (slope, t);
  const PhValue *output = slope->wanted->pdata[0];
  PhTensor *tensor = results != NULL ? g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)) : NULL;
  double sum = tensor != NULL ? 0 : NAN;

  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    sum += ph_tensor_get (tensor, i);
  return sum;
}

/* Gradients times directions, and in @scale the sum of their magnitudes. NaN: they cannot be computed. */
static double
said_slope (Slope *slope, double *scale)
{
  g_autoptr (GHashTable) results = run_at (slope, 0);
  double sum = 0;

  *scale = 0;
  for (guint i = 0; i < slope->sources->len; i++)
    {
      const PhValue *value = slope->wanted->pdata[i + 1];
      PhTensor *gradient = results != NULL ? g_hash_table_lookup (results, GUINT_TO_POINTER (value->id)) : NULL;
      PhTensor *direction = slope->direction->pdata[i];

      if (gradient == NULL || ph_tensor_count (gradient) != ph_tensor_count (direction))
        return NAN;
      for (gsize k = 0; k < ph_tensor_count (direction); k++)
        {
          const double term = ph_tensor_get (gradient, k) * ph_tensor_get (direction, k);

          sum += term;
          *scale += fabs (term);
        }
    }
  return sum;
}

char *
random_slope_fault (PhModel *model, GHashTable *feeds, const char *output, guint64 seed, guint *compared)
{
  g_autoptr (PhModel) moving = ph_model_clone (model);
  g_auto (Slope) slope = { moving,
                           g_hash_table_new (NULL, NULL),
                           g_ptr_array_new (),
                           g_ptr_array_new (),
                           g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref),
                           0 };
  GHashTableIter iter;
  gpointer name, tensor;
  double said, scale, seen, finer, here, ahead, behind, near_ahead, near_behind, allowed;

  if (!is_steady (model))
    return NULL;
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      PhValue *value = ph_model_find_value_named (moving, name);

      if (value != NULL && value->is_input) /* not one that a smaller model has no more */
        g_hash_table_insert (slope.feeds, value, tensor);
    }
  g_ptr_array_add (slope.wanted, ph_model_find_value_named (moving, output));
  find_sources (&slope, seed);
  said = said_slope (&slope, &scale);
  here = sum_at (&slope, 0);
  ahead = sum_at (&slope, STEP);
  behind = sum_at (&slope, -STEP);
  seen = (ahead - behind) / (2 * STEP);
  near_ahead = sum_at (&slope, STEP / 16);
  near_behind = sum_at (&slope, -STEP / 16);
  finer = (near_ahead - near_behind) / (STEP / 8);
  scale += fabs (finer);
  allowed = 1e-4 * scale + 1e-7;
  /* A kink, also right here, a jump, or a curve so sharp that the steps are too long for it, and what computes in single precision. */
  if (slope.narrow > 0 || !isfinite (said) || !(fabs (seen - finer) < allowed)
      || !(fabs (near_ahead - 2 * here + near_behind) / (STEP / 16) < allowed))
    return NULL;
  (*compared)++;
  return fabs (said - finer) > allowed
             ? g_strdup_printf ("along a direction it moves by %.9g, and the gradient says %.9g", finer, said)
             : NULL;
}
