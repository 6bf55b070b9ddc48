/* region-form.c: a normal form of rewrites, equal for rewrites that differ in weights only.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/region-form.h"

#include "core/prove/field/field-sizes.h"
#include "core/prove/rows.h"
#include "core/run/recipe.h"

/* Constants with fewer elements, such as bounds and exponents, may decide what is computed. */
#define LEAST_VARIABLE 5

static gboolean
is_large (PhTensor *tensor)
{
  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor))
         && ph_tensor_count (tensor) >= LEAST_VARIABLE;
}

static void
add_variable (PhRegionForm *form, PhTensor *tensor)
{
  if (!g_hash_table_contains (form->variables, tensor))
    g_hash_table_insert (form->variables, tensor, GUINT_TO_POINTER (g_hash_table_size (form->variables) + 1));
}

/* Returns FALSE if a constant keeps the region from having a form. */
static gboolean
add_constants (PhRegionForm *form, GPtrArray *nodes, gboolean before, PhMagnitudes *magnitudes)
{
  for (guint n = 0; n < nodes->len; n++)
    {
      const PhNode *node = nodes->pdata[n];

      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *value = ph_node_input (node, i);
          PhTensor *tensor = value != NULL ? value->tensor : NULL;

          if (tensor == NULL || ph_value_constant (value) == NULL || !is_large (tensor)
              || g_hash_table_contains (form->variables, tensor))
            continue;
          if (!ph_magnitudes_are_finite (magnitudes, tensor))
            return FALSE;
          if (before)
            add_variable (form, tensor);
          else if (ph_recipe_of (tensor) == NULL)
            return FALSE;
          else if (!g_ptr_array_find (form->made, tensor, NULL))
            g_ptr_array_add (form->made, tensor);
        }
    }
  return TRUE;
}

/* If a rule computes with a small constant of the side before, that may be any number too: a factor. */
static gboolean
add_factors (PhRegionForm *form, GPtrArray *before, PhMagnitudes *magnitudes)
{
  g_autoptr (GHashTable) leaves = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < form->made->len; i++)
    {
      const GPtrArray *constants = ph_recipe_of (form->made->pdata[i])->graph->constants;

      for (guint k = 0; k < constants->len; k++)
        g_hash_table_add (leaves, ((PhValue *) constants->pdata[k])->tensor);
    }
  for (guint n = 0; n < before->len; n++)
    for (guint i = 0; i < ((PhNode *) before->pdata[n])->inputs->len; i++)
      {
        const PhValue *value = ph_node_input (before->pdata[n], i);

        if (value == NULL || value->tensor == NULL || ph_value_constant (value) == NULL
            || !g_hash_table_contains (leaves, value->tensor) || ph_tensor_kind (value->tensor) != PH_KIND_TENSOR
            || !ph_dtype_is_float (ph_tensor_dtype (value->tensor)))
          continue;
        if (!ph_magnitudes_are_finite (magnitudes, value->tensor))
          return FALSE;
        add_variable (form, value->tensor);
      }
  return TRUE;
}

PhRegionForm *
ph_region_form_new (const PhRegion *region, PhModel *before, PhModel *after, const PhTrialOptions *options,
                    PhMagnitudes *magnitudes)
{
  g_autoptr (PhRegionForm) form = g_new0 (PhRegionForm, 1);

  form->variables = g_hash_table_new (NULL, NULL);
  form->made = g_ptr_array_new ();
  form->tensors = g_ptr_array_new ();
  if (!add_constants (form, region->before, TRUE, magnitudes) || !add_constants (form, region->after, FALSE, magnitudes)
      || !add_factors (form, region->before, magnitudes) || g_hash_table_size (form->variables) == 0)
    return NULL;
  form->sizes = ph_field_sizes_of_nodes (region->before, region->after, form->variables);
  ph_rows_least (region, &form->batch, &form->image);
  form->key = ph_region_key (region, before, after, options, form, form->tensors);
  return form->key != NULL ? g_steal_pointer (&form) : NULL;
}

void
ph_region_form_free (PhRegionForm *form)
{
  g_clear_pointer (&form->key, g_bytes_unref);
  g_clear_pointer (&form->sizes, g_hash_table_unref);
  g_hash_table_unref (form->variables);
  g_ptr_array_unref (form->made);
  g_ptr_array_unref (form->tensors);
  g_free (form);
}
