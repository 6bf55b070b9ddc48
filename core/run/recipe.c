/* recipe.c: a constant that remembers the expression that it was computed by.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/recipe.h"

#include "core/graph/edit.h"
#include "core/run/executor.h"
#include "core/tensor/origin.h"

#include <string.h>

struct _PhRecipe
{
  PhModel  *model;             /* (nullable) NULL once it is spent */
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

  return ph_tensor_dtype (tensor) == PH_DOUBLE ? value
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

/* ── what it gives ── */

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

static PhTensor *
as_splat (PhTensor *tensor)
{
  const gsize size = ph_dtype_size (ph_tensor_dtype (tensor)), n = ph_tensor_count (tensor);
  const char *data = ph_tensor_data (tensor);
  PhTensor *splat;

  if (data == NULL || n < 2 || memcmp (data, data + size, (n - 1) * size) != 0)
    return tensor;
  splat = ph_tensor_new_splat (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor), data);
  ph_tensor_unref (tensor);
  return splat;
}

static PhTensor *
compute (PhModel *model, PhDType dtype, GError **error)
{
  static const PhRunOptions options = { .reference = TRUE };
  g_autoptr (GHashTable) results = ph_run_model (model, NULL, NULL, &options, error);
  const PhValue *output = model->graph->outputs->pdata[0];
  PhTensor *tensor;

  ph_model_set_program (model, NULL, NULL);          /* there are many of them, and hardly one runs twice */
  if (results == NULL)
    return NULL;
  tensor = ph_tensor_cast (g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)), dtype);
  if (tensor == NULL)
    g_set_error_literal (error, PH_ERROR, PH_ERROR_FAILED, "A constant is too large for memory");
  return tensor;
}

/* An expression that gives one of its constants: nothing was computed, and the constant must not own what owns it. */
static gboolean
is_constant_of (PhModel *model, const PhTensor *tensor)
{
  for (guint i = 0; i < model->graph->constants->len; i++)
    if (((PhValue *) model->graph->constants->pdata[i])->tensor == tensor)
      return TRUE;
  return FALSE;
}

PhTensor *
ph_recipe_tensor (PhRecipe *self, PhValue *result, PhDType dtype, GError **error)
{
  PhTensor *tensor;

  g_return_val_if_fail (self->model != NULL, NULL);

  if (result != NULL && self->b.error == NULL)
    ph_graph_set_output (self->model->graph, 0, result, &self->b.error);
  if (!ph_builder_finish (&self->b, error))
    return NULL;
  tensor = compute (self->model, dtype, error);
  if (tensor == NULL)
    return NULL;
  if (all_splats (self->model))
    tensor = as_splat (tensor);
  if (!is_constant_of (self->model, tensor))
    ph_tensor_set_origin (tensor, g_steal_pointer (&self->model), (GDestroyNotify) ph_model_free);
  return tensor;
}

PhModel *
ph_recipe_of (const PhTensor *tensor)
{
  return ph_tensor_get_origin (tensor);
}

gboolean
ph_recipe_holds (PhTensor *tensor, GError **error)
{
  PhModel *model = ph_recipe_of (tensor);
  g_autoptr (PhTensor) again = model != NULL ? compute (model, ph_tensor_dtype (tensor), error) : NULL;

  if (model != NULL && again == NULL)
    return FALSE;
  if (again != NULL && ph_tensor_equal (tensor, again))
    return TRUE;
  g_set_error_literal (error, PH_ERROR, PH_ERROR_FAILED, "A constant is not what its recipe gives");
  return FALSE;
}
