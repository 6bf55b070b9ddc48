/* field-quantize.c: quantised elements over the field: what is read of them is arithmetic, what is rounded to them is not.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"

/* The element, its scale and its zero point, as each element meets them. */
typedef struct
{
  PhFieldTensor *in[3];
} Parts;

static void
parts_clear (Parts *parts)
{
  for (guint i = 0; i < 3; i++)
    g_clear_pointer (&parts->in[i], ph_field_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

/* Returns the scale or zero point @tensor in a shape that broadcasts to the elements: there is one for all, or one for each place on
 * the axis. NULL: there is one for each block. */
static PhFieldTensor *
spread (PhFieldNode *self, PhFieldTensor *tensor)
{
  const guint rank = self->in[0]->rank;
  gint64 dims[PH_MAX_RANK];
  guint axis;

  ph_field_parts (self->field, tensor);
  if (tensor->count == 1 && tensor->rank <= 1)
    return ph_field_reshaped (self->field, tensor, 0, NULL);
  if (tensor->rank != 1 || !ph_axis (ph_node_attr_int (self->node, "axis", 1), rank, &axis)
      || tensor->dims[0] != self->in[0]->dims[axis])
    return NULL;
  for (guint i = axis; i < rank; i++)
    dims[i - axis] = i == axis ? tensor->dims[0] : 1;
  return ph_field_reshaped (self->field, tensor, rank - axis, dims);
}

static gboolean
find_parts (PhFieldNode *self, Parts *parts)
{
  PhFieldTensor *zero = ph_field_in (self, 2);

  if (ph_field_in (self, 0) == NULL || ph_field_in (self, 1) == NULL)
    return FALSE;
  parts->in[0] = ph_field_tensor_ref (self->in[0]);
  parts->in[1] = spread (self, self->in[1]);
  if (zero != NULL)
    parts->in[2] = spread (self, zero);
  else if ((parts->in[2] = ph_field_tensor_new (self->field, PH_INT32, 0, NULL)) != NULL)
    ph_field_put (parts->in[2], 0, ph_num_int (0));
  return parts->in[1] != NULL && parts->in[2] != NULL;
}

/* Returns the element type of the output; PH_UNDEFINED: it is not known. */
static PhDType
output_dtype (PhFieldNode *self)
{
  const PhValue *output = ph_node_output (self->node, 0);

  return output != NULL && output->type != NULL ? output->type->dtype : PH_UNDEFINED;
}

/* Rounds and saturates: an opaque function of the three. */
static PhNum
quantized (PhField *field, const PhNum *in, gconstpointer data)
{
  guint64 hash = *(const guint64 *) data;

  for (guint i = 0; i < 3; i++)
    hash = ph_mix (hash, in[i].p);
  field->hashed++;
  return ph_field_hash (field, hash);
}

static gboolean
run_quantize (PhFieldNode *self, gconstpointer data)
{
  const PhDType dtype = output_dtype (self);
  g_auto (Parts) parts = { 0 };
  guint64 hash = ph_field_salt (self->field, self->node->op_type);

  if (dtype == PH_UNDEFINED || !find_parts (self, &parts))
    return ph_field_opaque (self, NULL);
  hash = ph_mix (ph_mix (ph_mix (hash, dtype), self->in[0]->dtype), self->in[1]->dtype);
  hash = ph_mix (hash, (guint64) ph_node_attr_int (self->node, "saturate", 1));
  hash = ph_mix (hash, (guint64) ph_node_attr_int (self->node, "precision", 0));
  self->out[0] = ph_field_map (self, parts.in, 3, dtype, quantized, &hash);
  if (self->out[0] != NULL)
    self->out[0]->over = self->out[0]->under = 1;
  return self->out[0] != NULL;
}

/* (x - zero point) scale: the difference does not wrap around, so integers may be variables here. */
static PhNum
dequantized (PhField *field, const PhNum *in, gconstpointer data)
{
  return ph_num_mul (ph_num_sub (in[0], in[2]), in[1]);
}

static gboolean
run_dequantize (PhFieldNode *self, gconstpointer data)
{
  const PhDType dtype = output_dtype (self);
  g_auto (Parts) parts = { 0 };
  PhFieldTensor *x, *scale, *zero;

  if (dtype == PH_UNDEFINED || !find_parts (self, &parts))
    return ph_field_opaque (self, NULL);
  for (guint i = 0; i < 3; i++)
    if (ph_field_any_special (self->field, parts.in[i]))
      return ph_field_opaque (self, NULL);
  x = parts.in[0];
  scale = parts.in[1];
  zero = parts.in[2];
  self->out[0] = ph_field_map (self, parts.in, 3, dtype, dequantized, NULL);
  if (self->out[0] == NULL)
    return FALSE;
  self->out[0]->over = MAX (x->over + zero->under, zero->over + x->under) + scale->over;
  self->out[0]->under = x->under + zero->under + scale->under;
  return TRUE;
}

PhFieldRule
ph_field_quantize_rule (const PhOp *op, gconstpointer *data)
{
  return op == &ph_op_QuantizeLinear ? run_quantize : op == &ph_op_DequantizeLinear ? run_dequantize : NULL;
}
