/* fewer.c: replaces a region with many channels by one with few for a trial.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/fewer.h"

#include <string.h>

#include "core/graph/edit.h"
#include "core/prove/field/field-sizes.h"
#include "core/run/recipe.h"

typedef struct
{
  const PhRegionForm *form;
  PhRegionForm *own;
  GHashTable *made; /* PhTensor -> the smaller PhTensor (owned) that represents it */
} Making;

/* ── tensors ── */

/* Returns the first elements along each axis that is longer than in the form. (transfer full) (nullable) */
static PhTensor *
part_of (GHashTable *sizes, PhTensor *tensor)
{
  const guint rank = ph_tensor_rank (tensor);
  const gsize size = ph_dtype_size (ph_tensor_dtype (tensor));
  gint64 dims[PH_MAX_RANK], at[PH_MAX_RANK] = { 0 };
  guint n_outer = rank; /* axes outside of the runs of elements that are copied at once */
  gsize run = 1;
  const guint8 *data;
  PhTensor *part;
  guint8 *out;

  memcpy (dims, ph_tensor_dims (tensor), rank * sizeof *dims);
  ph_field_sizes_apply (sizes, rank, dims);
  for (guint k = 0; k < rank; k++)
    if (dims[k] > ph_tensor_dims (tensor)[k])
      return NULL;
  part = ph_tensor_new (ph_tensor_dtype (tensor), rank, dims);
  data = part != NULL ? ph_tensor_data (tensor) : NULL;
  if (data == NULL)
    {
      g_clear_pointer (&part, ph_tensor_unref);
      return NULL;
    }
  out = ph_tensor_writable (part);
  while (n_outer > 0 && dims[n_outer - 1] == ph_tensor_dims (tensor)[n_outer - 1])
    run *= (gsize) dims[--n_outer];
  if (n_outer > 0)
    run *= (gsize) dims[--n_outer];
  for (gsize i = 0; i < ph_tensor_count (part); i += run)
    {
      gsize from = 0;

      for (guint k = 0; k < rank; k++)
        from = from * (gsize) ph_tensor_dims (tensor)[k] + (gsize) at[k];
      memcpy (out + i * size, data + from * size, run * size);
      for (guint k = n_outer; k-- > 0 && ++at[k] == dims[k];)
        at[k] = 0;
    }
  return part;
}

/* Returns zeros where the part is so large that a proved pair is not tried on it: then only its shape counts. (transfer full) (nullable) */
static PhTensor *
captured_part (GHashTable *sizes, PhTensor *tensor)
{
  const guint rank = ph_tensor_rank (tensor);
  static const guint8 zero[16] = { 0 };
  gint64 dims[PH_MAX_RANK], count = 1;

  memcpy (dims, ph_tensor_dims (tensor), rank * sizeof *dims);
  ph_field_sizes_apply (sizes, rank, dims);
  for (guint k = 0; k < rank; k++)
    {
      if (dims[k] > ph_tensor_dims (tensor)[k])
        return NULL;
      count *= dims[k];
    }
  return count > PH_SAMPLER_ROWS ? ph_tensor_new_splat (ph_tensor_dtype (tensor), rank, dims, zero) : part_of (sizes, tensor);
}

static PhTensor *
fewer_numbers (GHashTable *sizes, PhTensor *tensor)
{
  PhTensor *copy = ph_tensor_new (PH_INT64, 1, ph_tensor_dims (tensor));

  for (gsize i = 0; copy != NULL && i < ph_tensor_count (tensor); i++)
    ph_dtype_store_int (PH_INT64, ph_tensor_writable (copy), i, ph_field_sizes_fewer (sizes, ph_tensor_get_int (tensor, i)));
  return copy;
}

static PhTensor *fewer_of (Making *making, PhTensor *tensor);

/* Evaluates the recipe of @tensor on the smaller constants. (transfer full) (nullable) */
static PhTensor *
computed (Making *making, PhTensor *tensor)
{
  const PhGraph *graph = ph_recipe_of (tensor)->graph;
  g_autoptr (PhRecipe) recipe = ph_recipe_new ();
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->constants->len; i++)
    {
      PhValue *value = graph->constants->pdata[i];
      PhTensor *leaf = fewer_of (making, value->tensor);

      if (leaf == NULL)
        return NULL;
      g_hash_table_insert (values, value, ph_recipe_constant (recipe, leaf));
    }
  PH_FOREACH_NODE (node, graph)
    {
      g_autofree PhValue **inputs = g_new0 (PhValue *, node->inputs->len + 1);
      g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);

      if (node->outputs->len != 1)
        return NULL;
      for (guint i = 0; i < node->inputs->len; i++)
        if (ph_node_input (node, i) != NULL && (inputs[i] = g_hash_table_lookup (values, ph_node_input (node, i))) == NULL)
          return NULL;
      for (guint i = 0; i < node->attrs->len; i++)
        attrs[i] = ph_attr_ref (node->attrs->pdata[i]);
      g_hash_table_insert (values, ph_node_output (node, 0),
                           ph_build_node (ph_recipe_builder (recipe), node->op, inputs, node->inputs->len, attrs, 1));
    }
  return ph_recipe_tensor (recipe, g_hash_table_lookup (values, graph->outputs->pdata[0]), ph_tensor_dtype (tensor), NULL);
}

/* Returns the smaller tensor that represents @tensor. (transfer none) (nullable) */
static PhTensor *
fewer_of (Making *making, PhTensor *tensor)
{
  const guint variable = GPOINTER_TO_UINT (g_hash_table_lookup (making->form->variables, tensor));
  PhTensor *made = g_hash_table_lookup (making->made, tensor);

  if (made != NULL)
    return made;
  if (variable > 0)
    made = part_of (making->form->sizes, tensor);
  else if (g_ptr_array_find (making->form->made, tensor, NULL))
    made = computed (making, tensor);
  else if (ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_INT64 && ph_tensor_rank (tensor) == 1)
    made = fewer_numbers (making->form->sizes, tensor);
  else
    made = ph_tensor_ref (tensor);
  if (made == NULL)
    return NULL;
  g_hash_table_insert (making->made, tensor, made);
  if (variable > 0)
    g_hash_table_insert (making->own->variables, made, GUINT_TO_POINTER (variable));
  else if (made != tensor && ph_recipe_of (made) != NULL)
    g_ptr_array_add (making->own->made, made);
  return made;
}

/* ── models ── */

static gboolean
add_node (Making *making, const PhNode *node, PhGraph *to, GHashTable *values, GError **error)
{
  g_autoptr (GPtrArray) attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  g_autofree PhValue **inputs = g_new0 (PhValue *, node->inputs->len + 1);
  PhNodeSpec spec = { .op = node->op,
                      .op_type = node->op_type,
                      .domain = node->domain,
                      .inputs = inputs,
                      .n_inputs = node->inputs->len,
                      .n_outputs = node->outputs->len };
  PhNode *copy;

  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && (inputs[i] = g_hash_table_lookup (values, ph_node_input (node, i))) == NULL)
      return FALSE;
  for (guint i = 0; i < node->attrs->len; i++)
    {
      PhAttr *attr = node->attrs->pdata[i];
      const gboolean is_group = attr->kind == PH_ATTR_INT && strcmp (attr->name, "group") == 0;

      g_ptr_array_add (attrs, is_group ? ph_attr_new_int ("group", ph_field_sizes_fewer (making->form->sizes, attr->i))
                                       : ph_attr_ref (attr));
    }
  spec.attrs = (PhAttr *const *) attrs->pdata;
  spec.n_attrs = attrs->len;
  copy = ph_graph_add_node (to, &spec, error);
  for (guint k = 0; copy != NULL && k < node->outputs->len; k++)
    g_hash_table_insert (values, ph_node_output (node, k), copy->outputs->pdata[k]);
  return copy != NULL;
}

/* (transfer full) (nullable) */
static PhModel *
fewer_model (Making *making, PhModel *from)
{
  g_autoptr (PhModel) to = ph_model_new ();
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  g_autoptr (GError) error = NULL;

  ph_model_set_opset (to, "", PH_OPSET_NEWEST);
  for (guint i = 0; i < from->graph->inputs->len; i++)
    {
      PhValue *value = from->graph->inputs->pdata[i];
      const PhType *type = value->type != NULL ? ph_type_unranked (value->type->dtype) : NULL;

      g_hash_table_insert (values, value, ph_graph_add_input (to->graph, value->name, type, NULL, G_MAXUINT, &error));
    }
  for (guint i = 0; i < from->graph->constants->len && error == NULL; i++)
    {
      PhValue *value = from->graph->constants->pdata[i];
      PhTensor *tensor = fewer_of (making, value->tensor);

      if (tensor == NULL)
        return NULL;
      g_hash_table_insert (values, value, ph_graph_add_constant (to->graph, value->name, tensor, &error));
    }
  PH_FOREACH_NODE (node, from->graph)
    if (error != NULL || node->graphs != NULL || *node->domain != '\0' || !add_node (making, node, to->graph, values, &error))
      return NULL;
  for (guint i = 0; i < from->graph->outputs->len; i++)
    {
      PhValue *output = g_hash_table_lookup (values, from->graph->outputs->pdata[i]);

      if (output == NULL || !ph_graph_set_output (to->graph, i, output, &error))
        return NULL;
    }
  return g_steal_pointer (&to);
}

static const PhType *
fewer_type (GHashTable *sizes, const PhType *type)
{
  PhDim dims[PH_MAX_RANK];

  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank)
    return type;
  memcpy (dims, type->dims, type->rank * sizeof *dims);
  for (guint k = 0; k < (type->rank >= 4 ? 2 : type->rank); k++)
    if (ph_dim_known (dims[k]))
      dims[k].size = ph_field_sizes_fewer (sizes, dims[k].size);
  return ph_type_tensor (type->dtype, type->rank, dims);
}

static void
unref_or_null (gpointer tensor)
{
  if (tensor != NULL)
    ph_tensor_unref (tensor);
}

PhFewer *
ph_fewer_new (const PhRegion *region, PhModel *before, PhModel *after, const PhRegionForm *form, PhTensor *const *captured)
{
  g_autoptr (PhFewer) self = g_new0 (PhFewer, 1);
  g_autoptr (GHashTable) made = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  PhModel *few[2] = { NULL, NULL };
  Making making;

  self->form = g_new0 (PhRegionForm, 1);
  self->form->variables = g_hash_table_new (NULL, NULL);
  self->form->made = g_ptr_array_new ();
  self->form->tensors = g_ptr_array_new ();
  self->form->key = g_bytes_ref (form->key);
  self->form->batch = form->batch;
  self->form->image = form->image;
  if (ph_model_opset (before, "") < PH_OPSET_NEWEST || ph_model_opset (after, "") < PH_OPSET_NEWEST)
    return NULL;
  self->pair = ph_pair_new (region, before, after, NULL);
  if (self->pair == NULL)
    return NULL;
  making = (Making) { form, self->form, made };
  few[0] = fewer_model (&making, self->pair->before);
  few[1] = few[0] != NULL ? fewer_model (&making, self->pair->after) : NULL;
  if (few[1] == NULL)
    {
      g_clear_pointer (&few[0], ph_model_free);
      return NULL;
    }
  ph_model_free (self->pair->before);
  ph_model_free (self->pair->after);
  self->pair->before = few[0];
  self->pair->after = few[1];
  for (guint i = 0; i < self->pair->types->len; i++)
    self->pair->types->pdata[i] = (gpointer) fewer_type (form->sizes, self->pair->types->pdata[i]);
  self->captured = captured != NULL ? g_ptr_array_new_with_free_func (unref_or_null) : NULL;
  for (guint i = 0; captured != NULL && i < self->pair->inputs->len; i++)
    g_ptr_array_add (self->captured, captured[i] != NULL && ph_tensor_kind (captured[i]) == PH_KIND_TENSOR
                                         ? captured_part (form->sizes, captured[i])
                                         : NULL);
  return g_steal_pointer (&self);
}

void
ph_fewer_free (PhFewer *self)
{
  g_clear_pointer (&self->pair, ph_pair_free);
  g_clear_pointer (&self->form, ph_region_form_free);
  g_clear_pointer (&self->captured, g_ptr_array_unref);
  g_free (self);
}
