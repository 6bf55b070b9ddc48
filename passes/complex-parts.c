/* complex-parts.c: what stands for complex numbers while a model is converted.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/parts.h"
#include "passes/complex.h"

gboolean
ph_complex_is_type (PhDType dtype)
{
  return dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128;
}

gboolean
ph_complex_is (const PhComplex *self, const PhValue *value)
{
  return value != NULL
         && (ph_complex_is_type (ph_value_dtype (value)) || g_hash_table_contains (self->pairs, GUINT_TO_POINTER (value->id)));
}

/* The parts are operands of a node, because later rules replace them. (nullable) */
static PhNode *
new_holder (PhComplexPair pair, const PhType *type, PhBuilder *b)
{
  PhValue *inputs[] = { pair.re, pair.im };

  if (b->error != NULL || pair.re == NULL)
    return NULL;
  return ph_graph_add_node (b->graph,
                            &(PhNodeSpec) { .op_type = "parts",
                                            .domain = "complex",
                                            .inputs = inputs,
                                            .n_inputs = pair.im != NULL ? 2 : 1,
                                            .n_outputs = 1,
                                            .output_types = &type,
                                            .before = b->before },
                            &b->error);
}

gboolean
ph_complex_keep (PhComplex *self, const PhValue *value, PhComplexPair pair, PhBuilder *b)
{
  PhNode *holder = new_holder (pair, NULL, b);

  if (holder == NULL)
    return FALSE;
  g_hash_table_insert (self->pairs, GUINT_TO_POINTER (value->id), GUINT_TO_POINTER (holder->id));
  return TRUE;
}

PhValue *
ph_complex_stand_in (PhComplex *self, const PhType *type, PhComplexPair pair, PhBuilder *b)
{
  PhNode *holder = new_holder (pair, type, b);

  if (holder == NULL)
    return NULL;
  g_hash_table_insert (self->pairs, GUINT_TO_POINTER (ph_node_output (holder, 0)->id), GUINT_TO_POINTER (holder->id));
  return ph_node_output (holder, 0);
}

gboolean
ph_complex_is_holder (const PhNode *node)
{
  return g_str_equal (node->domain, "complex");
}

gboolean
ph_complex_held (const PhComplex *self, const PhValue *value, PhComplexPair *pair)
{
  gpointer id = value != NULL ? g_hash_table_lookup (self->pairs, GUINT_TO_POINTER (value->id)) : NULL;
  PhNode *holder = id != NULL ? ph_model_find_node (value->graph->model, GPOINTER_TO_UINT (id)) : NULL;

  if (holder == NULL)
    return FALSE;
  *pair = (PhComplexPair) { ph_node_input (holder, 0), holder->inputs->len > 1 ? ph_node_input (holder, 1) : NULL };
  return TRUE;
}

PhTensor *
ph_complex_part_of (PhTensor *tensor, guint which)
{
  const gboolean wide = ph_tensor_dtype (tensor) == PH_COMPLEX128;
  const gsize n = ph_tensor_count (tensor);
  PhTensor *part = ph_tensor_new (wide ? PH_DOUBLE : PH_FLOAT, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
  gconstpointer from = ph_tensor_data (tensor);
  gpointer to = ph_tensor_writable (part);

  for (gsize i = 0; i < n; i++)
    if (wide)
      ((double *) to)[i] = ((const double *) from)[2 * i + which];
    else
      ((float *) to)[i] = ((const float *) from)[2 * i + which];
  return part;
}

const PhType *
ph_complex_real_type (const PhType *type)
{
  const PhDType dtype = type != NULL && type->kind == PH_KIND_TENSOR ? type->dtype : PH_UNDEFINED;

  if (!ph_complex_is_type (dtype))
    return type;
  return type->has_rank ? ph_type_tensor (dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE, type->rank, type->dims)
                        : ph_type_unranked (dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE);
}

/* An input of the model in place of a complex one, with both parts along a last dimension. */
static gboolean
split_input (PhComplex *self, PhValue *input, PhBuilder *b)
{
  const PhType *type = ph_complex_real_type (input->type);
  PhBuilder first = { .graph = input->graph, .before = input->graph->first };
  PhDim dims[PH_MAX_RANK + 1];
  guint index = 0;
  PhValue *both;
  PhComplexPair pair;

  if (type == NULL || !type->has_rank || type->rank + 1 > PH_MAX_RANK || input->graph->owner != NULL)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i];
  dims[type->rank] = (PhDim) { .size = 2 };
  while (index < input->graph->inputs->len && input->graph->inputs->pdata[index] != input)
    index++;
  both = ph_graph_add_input (input->graph, ph_model_unique_name (input->graph->model, input->name),
                             ph_type_tensor (type->dtype, type->rank + 1, dims),
                             input->tensor != NULL ? ph_tensor_parts (input->tensor) : NULL, index, &b->error);
  if (both == NULL)
    return FALSE;
  pair = ph_complex_unstacked (&first, both);
  g_hash_table_insert (self->inputs, GUINT_TO_POINTER (input->id), GUINT_TO_POINTER (both->id));
  if (ph_complex_keep (self, input, pair, &first))
    return TRUE;
  g_clear_error (&first.error);
  return FALSE;
}

/* What stands for @value; a real one has no imaginary part. FALSE: it is complex, and was not split. */
gboolean
ph_complex_parts (PhComplex *self, PhValue *value, PhBuilder *b, PhComplexPair *pair)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (ph_complex_held (self, value, pair))
    return TRUE;
  *pair = (PhComplexPair) { value, NULL };
  if (value == NULL || !ph_complex_is_type (ph_value_dtype (value)))
    return value != NULL;
  if (tensor != NULL && ph_complex_is_type (ph_tensor_dtype (tensor)))
    *pair = (PhComplexPair) { ph_build_tensor (b, ph_complex_part_of (tensor, 0)),
                              ph_build_tensor (b, ph_complex_part_of (tensor, 1)) };
  else if (!value->is_input || value->graph->owner != NULL || !split_input (self, value, b)
           || !ph_complex_held (self, value, pair))
    return FALSE;
  return TRUE;
}

PhValue *
ph_complex_empty (const PhType *type, PhBuilder *b)
{
  gint64 dims[PH_MAX_RANK];

  type = ph_complex_real_type (type);
  if (type == NULL || type->kind != PH_KIND_TENSOR || ph_type_count (type) != 0)
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return ph_build_tensor (b, ph_tensor_new (type->dtype, type->rank, dims));
}

PhValue *
ph_complex_stacked (PhBuilder *b, PhComplexPair x)
{
  const gint64 last = -1;
  PhValue *both[2] = { x.re, ph_complex_imaginary (b, x) };

  for (guint i = 0; i < 2; i++)
    both[i] = PH_BUILD (b, Unsqueeze, both[i], ph_build_ints (b, &last, 1));
  return ph_build_node (b, &ph_op_Concat, both, 2, PH_ATTRS (ph_attr_new_int ("axis", -1)), 1);
}

PhComplexPair
ph_complex_unstacked (PhBuilder *b, PhValue *both)
{
  PhComplexPair x;

  for (guint i = 0; i < 2; i++)
    *(i == 0 ? &x.re : &x.im) = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)), both,
                                               ph_build_scalar (b, PH_INT64, i));
  return x;
}

gboolean
ph_complex_bitcast (PhBuilder *b, const PhNode *node, PhComplexPair *x)
{
  const PhType *to = ph_node_output (node, 0)->type, *real = ph_complex_real_type (to);
  PhValue *bits = x->im != NULL ? ph_complex_stacked (b, *x) : x->re;
  PhDim dims[PH_MAX_RANK + 1];
  guint rank = 0;

  if (bits == NULL || real == NULL || !real->has_rank || real->rank == PH_MAX_RANK)
    return FALSE;
  for (; rank < real->rank; rank++)
    dims[rank] = real->dims[rank];
  if (real != to)
    dims[rank++] = (PhDim) { .size = 2 };
  if (ph_value_dtype (bits) != real->dtype)
    {
      const PhType *type = ph_type_tensor (real->dtype, rank, dims);
      PhNode *cast = ph_graph_add_node (b->graph,
                                        &(PhNodeSpec) { .op_type = "bitcast_convert",
                                                        .domain = "stablehlo",
                                                        .inputs = &bits,
                                                        .n_inputs = 1,
                                                        .n_outputs = 1,
                                                        .output_types = &type,
                                                        .before = b->before },
                                        &b->error);

      if (cast == NULL)
        return FALSE;
      bits = ph_node_output (cast, 0);
    }
  *x = real != to ? ph_complex_unstacked (b, bits) : (PhComplexPair) { bits, NULL };
  return b->error == NULL;
}
