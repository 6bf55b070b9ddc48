/* shrink.c: the same model on smaller sizes and rounder numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/shrink.h"

#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/ops/infer.h"
#include "core/ops/op-list.h"

/* An integer tensor of so many elements may be a shape, axes or pads: its own length is the rank of something. */
#define SHAPE_LIKE 8

typedef struct
{
  const PhShrink *shrink;
  gboolean changed;
} Change;

static gboolean
is_shape_like (PhTensor *tensor)
{
  return ph_dtype_is_integer (ph_tensor_dtype (tensor)) && ph_tensor_rank (tensor) <= 1 && ph_tensor_count (tensor) <= SHAPE_LIKE;
}

/* Returns TRUE for lists of sizes, axes or pads, which keep their length whatever the sizes become. */
static gboolean
is_shape_like_type (const PhType *type)
{
  return ph_dtype_is_integer (type->dtype) && (type->rank == 0 || (type->rank == 1 && type->dims[0].size <= SHAPE_LIKE));
}

static gboolean
has_elements (PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && dtype != PH_STRING && ph_dtype_size (dtype) > 0
         && ph_dtype_file_bits (dtype) == 8 * ph_dtype_size (dtype) && ph_tensor_count (tensor) > 0;
}

/* Sizes that a shape names. (transfer full) */
static PhTensor *
renamed (PhTensor *tensor, Change *change)
{
  PhTensor *copy = ph_tensor_new (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const gint64 size = ph_tensor_get_int (tensor, i);

      ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (copy), i,
                          size == change->shrink->from ? change->shrink->to : size);
      change->changed |= size == change->shrink->from;
    }
  return copy;
}

/* Keeps the first elements along each axis. (transfer full) */
static PhTensor *
corner (PhTensor *tensor, Change *change)
{
  const guint rank = ph_tensor_rank (tensor);
  const gsize size = ph_dtype_size (ph_tensor_dtype (tensor));
  const gint64 *was = ph_tensor_dims (tensor);
  g_autofree gint64 *dims = g_new (gint64, rank + 1), *at = g_new0 (gint64, rank + 1);
  const guint8 *in;
  PhTensor *copy;
  guint8 *out;

  for (guint k = 0; k < rank; k++)
    {
      dims[k] = was[k] == change->shrink->from ? change->shrink->to : was[k];
      change->changed |= was[k] == change->shrink->from;
    }
  copy = ph_tensor_new (ph_tensor_dtype (tensor), rank, dims);
  in = ph_tensor_data (tensor);
  out = ph_tensor_writable (copy);
  for (gsize i = 0; i < ph_tensor_count (copy); i++)
    {
      gsize index = 0;

      for (guint k = 0; k < rank; k++)
        index = index * was[k] + at[k];
      memcpy (out + i * size, in + index * size, size);
      for (guint k = rank; k-- > 0 && ++at[k] == dims[k];)
        at[k] = 0;
    }
  return copy;
}

static double
rounded_to (double x, PhGrain grain)
{
  const double scale = grain == PH_GRAIN_WHOLE || x == 0 || !isfinite (x) ? 1
                       : grain == PH_GRAIN_TENTH                          ? 10
                                                                          : pow (10, 1 - floor (log10 (fabs (x))));

  return isfinite (x) && isfinite (scale) ? rint (x * scale) / scale : x;
}

/* (transfer full) */
static PhTensor *
rounder (PhTensor *tensor, Change *change)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  PhTensor *copy = ph_tensor_new (dtype, ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const double x = ph_tensor_get (tensor, i);

      ph_dtype_store (dtype, ph_tensor_writable (copy), i, rounded_to (x, change->shrink->grain));
      change->changed |= isfinite (x) && ph_tensor_get (copy, i) != x;
    }
  return copy;
}

/* Returns the replacement of @tensor. (transfer full) */
static PhTensor *
changed_tensor (PhTensor *tensor, const char *name, Change *change)
{
  if (!has_elements (tensor))
    return ph_tensor_ref (tensor);
  if (change->shrink->to > 0)
    return is_shape_like (tensor) ? renamed (tensor, change) : corner (tensor, change);
  if (!ph_dtype_is_float (ph_tensor_dtype (tensor))
      || (change->shrink->only != NULL && !g_str_equal (change->shrink->only, name)))
    return ph_tensor_ref (tensor);
  return rounder (tensor, change);
}

static const PhType *
changed_type (const PhType *type, Change *change)
{
  g_autofree PhDim *dims = NULL;

  if (change->shrink->to == 0 || type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || is_shape_like_type (type))
    return type;
  dims = g_new (PhDim, type->rank + 1);
  for (guint k = 0; k < type->rank; k++)
    {
      dims[k] = type->dims[k].size == change->shrink->from ? PH_DIM (change->shrink->to) : type->dims[k];
      change->changed |= type->dims[k].size == change->shrink->from;
    }
  return ph_type_tensor (type->dtype, type->rank, dims);
}

/* Types follow from the new sizes alone. */
static void
forget_types (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint k = 0; k < node->outputs->len; k++)
        {
          PhValue *value = node->outputs->pdata[k];

          if (value->type != NULL && value->type->kind == PH_KIND_TENSOR)
            ph_value_set_type (value, ph_type_unranked (value->type->dtype), NULL);
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        forget_types (node->graphs->pdata[i]);
    }
}

/* Replaces all uses of the constant @value by one with other elements. */
static gboolean
replace_constant (PhValue *value, PhTensor *tensor)
{
  g_autofree char *name = g_strdup (value->name);
  PhValue *other = ph_graph_add_constant (value->graph, NULL, tensor, NULL);

  while (other != NULL && value->uses->len > 0)
    {
      const PhUse use = g_array_index (value->uses, PhUse, 0);

      if (!ph_node_set_input (use.node, use.index, other, NULL))
        return FALSE;
    }
  return other != NULL && value->n_output_uses == 0 && ph_graph_remove_value (value, NULL) && ph_value_rename (other, name, NULL);
}

static gboolean
change_constants (PhModel *model, Change *change)
{
  g_autoptr (GPtrArray) constants = g_ptr_array_new ();

  g_ptr_array_extend (constants, model->graph->constants, NULL, NULL);
  for (guint i = 0; i < constants->len; i++)
    {
      PhValue *value = constants->pdata[i];
      g_autoptr (PhTensor) tensor = changed_tensor (value->tensor, value->name, change);

      if (!ph_tensor_equal (tensor, value->tensor) && !replace_constant (value, tensor))
        return FALSE;
    }
  PH_FOREACH_NODE (node, model->graph)
    {
      const PhAttr *value = ph_node_is (node, &ph_op_Constant) ? ph_node_attr (node, "value") : NULL;

      if (value != NULL && value->kind == PH_ATTR_TENSOR)
        {
          g_autoptr (PhTensor) tensor = changed_tensor (value->tensor, ((PhValue *) ph_node_output (node, 0))->name, change);
          g_autoptr (PhAttr) attr = ph_attr_new_tensor ("value", tensor);

          if (!ph_node_set_attr (node, "value", attr, NULL))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
change_inputs (PhModel *model, Change *change, GHashTable *feeds, GHashTable *other)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (input->tensor != NULL) /* a default has its own size */
        return FALSE;
      if (tensor != NULL)
        g_hash_table_insert (other, g_strdup (input->name), changed_tensor (tensor, input->name, change));
      if (!ph_value_set_type (input, changed_type (input->type, change), NULL))
        return FALSE;
    }
  return TRUE;
}

PhModel *
ph_shrink_apply (const PhShrink *shrink, PhModel *model, GHashTable *feeds, GHashTable *changed)
{
  g_autoptr (PhModel) copy = ph_model_clone (model);
  Change change = { shrink, FALSE };

  if (shrink->to > 0)
    forget_types (copy->graph);
  if (!change_inputs (copy, &change, feeds, changed) || !change_constants (copy, &change) || !change.changed)
    return NULL;
  return shrink->to == 0 || ph_infer_model (copy, TRUE, NULL, NULL) ? g_steal_pointer (&copy) : NULL;
}

/* ── which sizes there are ── */

static void
add_sizes (GArray *sizes, const PhType *type)
{
  for (guint k = 0; type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && k < type->rank; k++)
    {
      const gint64 size = type->dims[k].size;
      gboolean known = size <= 2;

      for (guint i = 0; i < sizes->len; i++)
        known |= g_array_index (sizes, gint64, i) == size;
      if (!known)
        g_array_append_val (sizes, size);
    }
}

static int
largest_first (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x < y) - (x > y);
}

static void
add_tensor (GArray *sizes, PhTensor *tensor)
{
  if (tensor != NULL && has_elements (tensor) && !is_shape_like (tensor))
    add_sizes (sizes, ph_type_of_tensor (tensor));
}

/* Returns the sizes above 2, largest first. (element-type gint64) (transfer full) */
static GArray *
sizes_of (PhModel *model, GHashTable *feeds)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      if (input->type != NULL && input->type->kind == PH_KIND_TENSOR && input->type->has_rank
          && !is_shape_like_type (input->type))
        add_sizes (sizes, input->type);
      add_tensor (sizes, g_hash_table_lookup (feeds, input->name));
    }
  for (guint i = 0; i < model->graph->constants->len; i++)
    add_tensor (sizes, ((PhValue *) model->graph->constants->pdata[i])->tensor);
  g_array_sort (sizes, largest_first);
  return sizes;
}

/* ── shrinking ── */

/* Tries a few smaller sizes for each: two is the smallest without special cases, a half keeps even sizes even. */
static void
shrink_sizes (PhShrinking *self)
{
  g_autoptr (GArray) sizes = sizes_of (self->model, self->feeds);

  for (guint i = 0; i < sizes->len; i++)
    {
      const gint64 from = g_array_index (sizes, gint64, i), smaller[] = { 2, 3, 4, from / 2 };
      gboolean done = FALSE;

      for (guint k = 0; k < G_N_ELEMENTS (smaller) && !done; k++)
        done = smaller[k] >= 2 && smaller[k] < from
               && self->try (self, &(PhShrink) { .from = from, .to = smaller[k] }, self->data);
    }
}

/* Rounds all inputs at once if possible, else one after the other. */
static void
shrink_digits (PhShrinking *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (PhGrain grain = 0; grain < PH_N_GRAINS; grain++)
    if (self->try (self, &(PhShrink) { .grain = grain }, self->data))
      return;
  for (guint i = 0; i < self->model->graph->inputs->len; i++)
    g_ptr_array_add (names, (gpointer) ((PhValue *) self->model->graph->inputs->pdata[i])->name);
  for (guint i = 0; i < self->model->graph->constants->len; i++)
    g_ptr_array_add (names, (gpointer) ((PhValue *) self->model->graph->constants->pdata[i])->name);
  for (guint i = 0; i < names->len; i++)
    for (PhGrain grain = 0; grain < PH_N_GRAINS; grain++)
      if (self->try (self, &(PhShrink) { .grain = grain, .only = names->pdata[i] }, self->data))
        break;
}

void
ph_shrink_all (PhShrinking *shrinking)
{
  shrink_sizes (shrinking);
  shrink_digits (shrinking);
}
