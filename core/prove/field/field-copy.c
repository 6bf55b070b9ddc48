/* field-copy.c: operators that pass on numbers unchanged, over the field: exact casts, writes by index.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"
#include "core/run/executor.h"

/* Ranks types by their precision. */
static guint
width (PhDType dtype)
{
  return dtype == PH_DOUBLE ? 4 : dtype == PH_FLOAT ? 3 : dtype == PH_FLOAT16 || dtype == PH_BFLOAT16 ? 2 : 1;
}

static gboolean
widens (PhDType from, PhDType to)
{
  return ph_dtype_is_float (from) && ph_dtype_is_float (to) && width (to) > width (from);
}

/* Returns TRUE if a cast to float type @to rounds no more than the arithmetic that it ends: input 0 was computed from numbers of that type. */
static gboolean
narrows_again (PhFieldNode *self, PhDType to)
{
  const PhValue *value = ph_node_input (self->node, 0);
  const PhDType source = value != NULL && widens (to, self->in[0]->dtype) ? ph_run_source (value, self->field->sources)
                                                                          : PH_UNDEFINED;

  return source == to || (source != PH_UNDEFINED && widens (source, to));
}

static gboolean
run_cast_to (PhFieldNode *self, PhDType to)
{
  PhFieldTensor *x = self->in[0];

  /* The cast is exact: to a wider float, or from a boolean. */
  if (x->dtype == to || (x->dtype == PH_BOOL && (ph_dtype_is_float (to) || ph_dtype_is_integer (to))) || widens (x->dtype, to)
      || narrows_again (self, to))
    {
      ph_field_parts (self->field, x);
      self->out[0] = ph_field_reshaped (self->field, x, x->rank, x->dims);
      g_clear_pointer (&self->out[0]->known, ph_tensor_unref);
      self->out[0]->dtype = to;
      return TRUE;
    }
  if (self->n_in > 1)
    {
      PhFieldNode one = *self;

      one.n_in = 1;
      return ph_field_unknown_of (&one, to) && (self->out[0] = one.out[0]) != NULL;
    }
  return ph_field_unknown_of (self, to);
}

static gboolean
run_cast (PhFieldNode *self, gconstpointer data)
{
  return run_cast_to (self, (PhDType) ph_node_attr_int (self->node, "to", PH_FLOAT));
}

static gboolean
run_cast_like (PhFieldNode *self, gconstpointer data)
{
  return run_cast_to (self, self->in[1]->dtype);
}

static gboolean
run_identity (PhFieldNode *self, gconstpointer data)
{
  self->out[0] = ph_field_tensor_ref (self->in[0]);
  ph_field_parts (self->field, self->out[0]);
  return TRUE;
}

/* At inference Dropout is the identity. */
static gboolean
run_dropout (PhFieldNode *self, gconstpointer data)
{
  PhTensor *training = ph_field_known (self, 2);

  if (ph_field_in (self, 2) != NULL && (training == NULL || ph_tensor_count (training) != 1 || ph_tensor_get_int (training, 0)))
    return ph_field_fail (self, "is random");
  return run_identity (self, data);
}

/* Scatters that add or multiply are arithmetic, not movement. */
static gboolean
run_scatter (PhFieldNode *self, gconstpointer data)
{
  const gboolean writes = g_str_equal (ph_node_attr_string (self->node, "reduction", "none"), "none");

  return writes && ph_field_known (self, 1) != NULL ? ph_field_moves (self, NULL) : ph_field_opaque (self, NULL);
}

/* Moves the nearest element. */
static gboolean
run_resize (PhFieldNode *self, gconstpointer data)
{
  const gboolean nearest = g_str_equal (ph_node_attr_string (self->node, "mode", "nearest"), "nearest");
  const gboolean crops = g_str_equal (ph_node_attr_string (self->node, "coordinate_transformation_mode", "half_pixel"),
                                      "tf_crop_and_resize");

  for (guint i = 1; i < self->n_in; i++)
    if (self->in[i] != NULL && self->in[i]->known == NULL)
      return ph_field_opaque (self, NULL);
  return nearest && !crops ? ph_field_moves (self, NULL) : ph_field_opaque (self, NULL);
}

PhFieldRule
ph_field_copy_rule (const PhOp *op, gconstpointer *data)
{
  /* clang-format off */
  static const PhFieldKind kinds[] = {
    { &ph_op_ScatterElements, run_scatter }, { &ph_op_ScatterND, run_scatter }, { &ph_op_Resize, run_resize }, { &ph_op_Cast, run_cast },
    { &ph_op_CastLike, run_cast_like }, { &ph_op_Identity, run_identity }, { &ph_op_Dropout, run_dropout },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].op == op)
      return kinds[i].rule;
  return NULL;
}
