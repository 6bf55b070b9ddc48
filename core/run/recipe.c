/* recipe.c: a constant that remembers the expression that it was computed by.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/recipe.h"

#include "core/graph/edit.h"
#include "core/run/executor.h"
#include "core/run/scaled.h"
#include "core/tensor/origin.h"

#define DEFERRED 65 /* elements; smaller constants are shared by ph_build_tensor() */

struct _PhRecipe
{
  PhModel *model; /* (nullable) NULL once it is spent */
  PhBuilder b;
};

PhRecipe *
ph_recipe_new (void)
{
  PhRecipe *self = g_new0 (PhRecipe, 1);

  self->model = ph_model_new ();
  ph_model_set_opset (self->model, "", PH_OPSET_NEWEST);
  self->b = (PhBuilder) { .graph = self->model->graph };
  return self;
}

void
ph_recipe_free (PhRecipe *self)
{
  g_clear_error (&self->b.error);
  g_clear_pointer (&self->model, ph_model_free);
  g_free (self);
}

PhBuilder *
ph_recipe_builder (PhRecipe *self)
{
  return &self->b;
}

PhValue *
ph_recipe_constant (PhRecipe *self, PhTensor *tensor)
{
  if (self->b.error != NULL)
    return NULL;
  return ph_graph_add_constant (self->model->graph, ph_model_unique_name (self->model, "c"), tensor, &self->b.error);
}

PhValue *
ph_recipe_wide (PhRecipe *self, PhTensor *tensor)
{
  PhValue *value = ph_recipe_constant (self, tensor);

  return ph_tensor_dtype (tensor) == PH_DOUBLE
             ? value
             : PH_BUILD_WITH (&self->b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_DOUBLE)), value);
}

PhValue *
ph_recipe_number (PhRecipe *self, double number)
{
  return ph_build_scalar (&self->b, PH_DOUBLE, number);
}

PhValue *
ph_recipe_reshape (PhRecipe *self, PhValue *value, guint rank, const gint64 *dims)
{
  return PH_BUILD (&self->b, Reshape, value, ph_build_ints (&self->b, dims, rank));
}

/* ── results ── */

static gboolean
all_splats (PhModel *model)
{
  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhTensor *tensor = ((PhValue *) model->graph->constants->pdata[i])->tensor;

      if (ph_dtype_is_float (ph_tensor_dtype (tensor)) && !ph_tensor_is_splat (tensor) && ph_tensor_count (tensor) > 1)
        return FALSE;
    }
  return TRUE;
}

/* Returns the recipe for one element of each splat, if it yields one element of the result; then the result is a splat too. (nullable) */
static PhModel *
of_one_element (PhModel *model)
{
  g_autoptr (PhModel) one = ph_model_new ();
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  PhBuilder b = { .graph = one->graph };

  ph_model_set_opset (one, "", PH_OPSET_NEWEST);
  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhValue *value = model->graph->constants->pdata[i];
      g_autoptr (PhTensor) element = NULL;

      if (!ph_dtype_is_float (ph_tensor_dtype (value->tensor)) || ph_tensor_count (value->tensor) == 0)
        continue;
      element = ph_tensor_new_scalar (ph_tensor_dtype (value->tensor), ph_tensor_get (value->tensor, 0));
      g_hash_table_insert (made, value, ph_graph_add_constant (one->graph, value->name, element, &b.error));
    }
  PH_FOREACH_NODE (node, model->graph)
    {
      const gboolean moves = node->op == &ph_op_Reshape || node->op == &ph_op_Expand;
      const guint n = moves ? 1 : node->inputs->len;
      g_autofree PhValue **inputs = g_new (PhValue *, n + 1);
      g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);

      for (guint i = 0; i < n; i++)
        {
          inputs[i] = g_hash_table_lookup (made, ph_node_input (node, i));
          if (inputs[i] == NULL)
            return NULL;
        }
      if (!moves && (node->op == NULL || (node->op->flags & PH_OP_ELEMENTWISE) == 0))
        return NULL;
      for (guint i = 0; !moves && i < node->attrs->len; i++)
        attrs[i] = ph_attr_ref (node->attrs->pdata[i]);
      g_hash_table_insert (made, ph_node_output (node, 0), moves ? inputs[0] : ph_build_node (&b, node->op, inputs, n, attrs, 1));
    }
  ph_graph_set_output (one->graph, 0, g_hash_table_lookup (made, model->graph->outputs->pdata[0]), &b.error);
  return ph_builder_finish (&b, NULL) ? g_steal_pointer (&one) : NULL;
}

/* (nullable): the recipe is another expression */
static PhTensor *
compute_scaled (PhModel *model)
{
  const PhType *type = ((PhValue *) model->graph->outputs->pdata[0])->type;
  g_autoptr (PhScaled) scaled = ph_scaled_new (model);
  g_autoptr (PhTensor) tensor = NULL;
  gint64 dims[PH_MAX_RANK];

  if (scaled == NULL || type == NULL || !ph_type_is_static (type))
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  tensor = ph_tensor_new_unset (PH_FLOAT, type->rank, dims);
  return tensor != NULL && ph_scaled_part (scaled, 0, ph_tensor_count (tensor), ph_tensor_writable (tensor))
             ? g_steal_pointer (&tensor)
             : NULL;
}

static PhTensor *
compute_whole (PhModel *model, PhDType dtype, GError **error)
{
  static const PhRunOptions options = { .reference = TRUE, .passing = TRUE };
  g_autoptr (GHashTable) results = ph_run_model (model, NULL, NULL, &options, error);
  const PhValue *output = model->graph->outputs->pdata[0];
  PhTensor *tensor;

  ph_model_drop_program (model); /* there are many recipes, and they rarely run twice */
  if (results == NULL)
    return NULL;
  tensor = ph_tensor_cast (g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)), dtype);
  if (tensor == NULL)
    g_set_error_literal (error, PH_ERROR, PH_ERROR_LIMIT, "A constant is too large for memory");
  return tensor;
}

static PhTensor *
compute (PhModel *model, PhDType dtype, GError **error)
{
  PhTensor *scaled = dtype == PH_FLOAT ? compute_scaled (model) : NULL;

  return scaled != NULL ? scaled : compute_whole (model, dtype, error);
}

static PhTensor *
compute_splat (PhModel *model, PhDType dtype, guint rank, const gint64 *dims)
{
  g_autoptr (PhModel) one = of_one_element (model);
  g_autoptr (PhTensor) element = one != NULL ? compute (one, dtype, NULL) : NULL;

  return element != NULL ? ph_tensor_new_splat (dtype, rank, dims, ph_tensor_data (element)) : NULL;
}

/* Returns TRUE if the result is one of the recipe's constants: nothing was computed, and a reference from the constant to the recipe would
 * form a cycle. */
static gboolean
is_constant_of (PhModel *model, const PhTensor *tensor)
{
  for (guint i = 0; i < model->graph->constants->len; i++)
    if (((PhValue *) model->graph->constants->pdata[i])->tensor == tensor)
      return TRUE;
  return FALSE;
}

static PhTensor *
compute_deferred (const PhTensor *tensor, GError **error)
{
  return compute (ph_recipe_of (tensor), ph_tensor_dtype (tensor), error);
}

/* Returns a tensor whose elements are computed when first read. Passes make many large constants that the next pass replaces unread. */
static PhTensor *
defer (PhRecipe *self, const PhType *type, PhDType dtype)
{
  g_autofree gint64 *dims = g_new (gint64, type->rank + 1);
  PhTensor *splat;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  splat = all_splats (self->model) ? compute_splat (self->model, dtype, type->rank, dims) : NULL;
  if (splat == NULL)
    return ph_tensor_new_deferred (dtype, type->rank, dims, g_steal_pointer (&self->model), compute_deferred,
                                   (GDestroyNotify) ph_model_free);
  ph_tensor_set_origin (splat, g_steal_pointer (&self->model), (GDestroyNotify) ph_model_free);
  return splat;
}

static gboolean
finish (PhRecipe *self, PhValue *result, GError **error)
{
  if (result != NULL && self->b.error == NULL)
    ph_graph_set_output (self->model->graph, 0, result, &self->b.error);
  return ph_builder_finish (&self->b, error);
}

PhTensor *
ph_recipe_tensor (PhRecipe *self, PhValue *result, PhDType dtype, GError **error)
{
  PhTensor *tensor;

  g_return_val_if_fail (self->model != NULL, NULL);

  if (!finish (self, result, error))
    return NULL;
  result = self->model->graph->outputs->pdata[0];
  if (result->producer != NULL && result->type != NULL && ph_type_count (result->type) >= DEFERRED)
    return defer (self, result->type, dtype);
  tensor = compute (self->model, dtype, error);
  if (tensor == NULL)
    return NULL;
  if (!is_constant_of (self->model, tensor))
    {
      ph_tensor_set_origin (tensor, g_steal_pointer (&self->model), (GDestroyNotify) ph_model_free);
      ph_tensor_set_computed (tensor, compute_deferred);
    }
  return tensor;
}

/* ── written later ── */

/* The origin of a tensor whose recipe is not written yet, or was. */
typedef struct
{
  PhRecipeLater later;
  PhModel *model; /* (nullable) */
} Written;

static void
free_written (gpointer data)
{
  Written *written = data;

  for (guint i = 0; i < PH_RECIPE_TENSORS; i++)
    g_clear_pointer (&written->later.tensors[i], ph_tensor_unref);
  g_clear_pointer (&written->model, ph_model_free);
  g_free (written);
}

/* Two threads may both write a recipe; the second one's is dropped. (transfer none) NULL with an error. */
static PhModel *
write_now (Written *written, GError **error)
{
  PhModel *model = g_atomic_pointer_get (&written->model);
  g_autoptr (PhRecipe) recipe = NULL;

  if (model != NULL)
    return model;
  recipe = ph_recipe_new ();
  if (!finish (recipe, written->later.write (recipe, written->later.tensors, written->later.numbers), error))
    return NULL;
  model = g_steal_pointer (&recipe->model);
  if (!g_atomic_pointer_compare_and_exchange (&written->model, NULL, model))
    ph_model_free (model);
  return g_atomic_pointer_get (&written->model);
}

static PhTensor *
compute_written (const PhTensor *tensor, GError **error)
{
  PhModel *model = write_now (ph_tensor_get_origin (tensor), error);

  return model != NULL ? compute (model, ph_tensor_dtype (tensor), error) : NULL;
}

static gboolean
is_splat_or_one (const PhTensor *tensor)
{
  return ph_tensor_is_splat (tensor) || ph_tensor_count (tensor) <= 1;
}

PhTensor *
ph_recipe_tensor_later (const PhRecipeLater *later, PhDType dtype, guint rank, const gint64 *dims, GError **error)
{
  gboolean splats = TRUE;
  Written *written;

  for (guint i = 0; i < PH_RECIPE_TENSORS && splats; i++)
    splats = later->tensors[i] == NULL || is_splat_or_one (later->tensors[i]);
  if (splats)
    {
      g_autoptr (PhRecipe) recipe = ph_recipe_new ();

      return ph_recipe_tensor (recipe, later->write (recipe, later->tensors, later->numbers), dtype, error);
    }
  written = g_new0 (Written, 1);
  written->later = *later;
  for (guint i = 0; i < PH_RECIPE_TENSORS; i++)
    if (later->tensors[i] != NULL)
      ph_tensor_ref (later->tensors[i]);
  return ph_tensor_new_deferred (dtype, rank, dims, written, compute_written, free_written);
}

PhScaled *
ph_recipe_scaled (const PhTensor *tensor)
{
  PhModel *recipe = ph_tensor_dtype (tensor) == PH_FLOAT
                            && (ph_tensor_is_deferred_by (tensor, compute_deferred)
                                || ph_tensor_is_deferred_by (tensor, compute_written))
                        ? ph_recipe_of (tensor)
                        : NULL;

  return recipe != NULL ? ph_scaled_new (recipe) : NULL;
}

PhModel *
ph_recipe_of (const PhTensor *tensor)
{
  gpointer origin = ph_tensor_get_origin (tensor);

  return ph_tensor_is_computed_by (tensor, compute_written) ? write_now (origin, NULL) : origin;
}

gboolean
ph_recipe_holds (PhTensor *tensor, GError **error)
{
  PhModel *model = ph_recipe_of (tensor);
  g_autoptr (PhTensor) again = NULL;

  if (ph_tensor_is_computed (tensor)) /* not by a recipe */
    return TRUE;
  again = model != NULL ? compute (model, ph_tensor_dtype (tensor), error) : NULL;
  if (model != NULL && again == NULL)
    return FALSE;
  if (again != NULL && ph_tensor_equal (tensor, again))
    return TRUE;
  g_set_error_literal (error, PH_ERROR, PH_ERROR_FAILED, "A constant is not what its recipe gives");
  return FALSE;
}
