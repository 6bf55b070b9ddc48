/* range.c: values that overflow their element type, and operators whose result for NaN or infinities is unspecified.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/ops/op-list.h"
#include "core/prove/trial-private.h"

/* ── what an output depends on ── */

/* Returns TRUE if @value, or one that it is computed from, @is so. @by_integers: if it is only computed from an integer or a condition that was
 * made of that, too. */
static gboolean
depends (const PhValue *value, gboolean by_integers, gboolean (*is) (const PhValue *value))
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (stack, (gpointer) value);
  while (stack->len > 0)
    {
      const PhValue *at = g_ptr_array_steal_index (stack, stack->len - 1);
      const PhNode *node = at->producer;

      if (is (at))
        return TRUE;
      if (node == NULL || (!by_integers && at != value && ph_type_is_whole (at->type))
          || !g_hash_table_add (seen, (gpointer) node))
        continue;
      for (guint i = 0; i < node->inputs->len; i++)
        if (node->inputs->pdata[i] != NULL)
          g_ptr_array_add (stack, node->inputs->pdata[i]);
    }
  return FALSE;
}

static gboolean
is_fed_float (const PhValue *value)
{
  return value->producer == NULL && ph_value_constant (value) == NULL
         && (value->type == NULL || value->type->kind != PH_KIND_TENSOR || ph_dtype_is_float (value->type->dtype));
}

/* Bodies may read what is fed, too. */
static gboolean
is_fed (const PhValue *value)
{
  return value->producer == NULL ? ph_value_constant (value) == NULL
                                 : value->producer->graphs != NULL && value->producer->graphs->len > 0;
}

gboolean
ph_try_is_folded (PhTry *self, guint output)
{
  return !depends (self->pair->before->graph->outputs->pdata[output], TRUE, is_fed);
}

/* ── ranges of element types ── */

/* Numbers above this multiple of the type's least normal number are not lost in the rounding of small ones. */
#define CLEAR 4

static double
least_normal (const PhType *type)
{
  return type != NULL && type->kind == PH_KIND_TENSOR && type->dtype == PH_FLOAT16 ? 0x1p-14 : 0x1p-126;
}

/* Returns TRUE if element @i, which is @exact without limits on range, differs when computed in the range of its type. */
static gboolean
is_gone (PhTensor *exact, PhTensor *ranged, double least, gsize i)
{
  const double a = ph_tensor_get (exact, i), b = ph_tensor_get (ranged, i);

  return isfinite (a) && (!isfinite (b) || (fabs (a) > CLEAR * least && fabs (a - b) > fabs (a) / CLEAR));
}

/* Returns TRUE if output @k is an integer, or a condition, computed from such alone: a float on the way counts, and must do so to the last
 * one. */
static gboolean
is_counted (PhTry *self, guint k)
{
  const PhValue *before = self->pair->before->graph->outputs->pdata[k], *after = self->pair->after->graph->outputs->pdata[k];

  return ph_type_is_whole (before->type) && ph_type_is_whole (after->type) && !depends (before, FALSE, is_fed_float)
         && !depends (after, FALSE, is_fed_float);
}

static gboolean
is_miscounted (PhTensor *exact, PhTensor *ranged, gsize i)
{
  return ph_tensor_get_int (exact, i) != ph_tensor_get_int (ranged, i);
}

/* Elements that are gone in @ranged, and not in the other side's; of a @counted output, those that are other integers. @at: the first. */
static gsize
count_gone (PhTensor *exact, PhTensor *ranged, PhTensor *other_exact, PhTensor *other_ranged, double least, gboolean counted,
            gsize *at)
{
  gsize n = 0;

  if (ph_tensor_kind (exact) != PH_KIND_TENSOR || (ph_tensor_dtype (exact) != PH_DOUBLE && !counted)
      || ph_tensor_count (exact) != ph_tensor_count (other_exact) || ph_tensor_count (exact) != ph_tensor_count (ranged)
      || ph_tensor_count (exact) != ph_tensor_count (other_ranged)) /* NonZero, say, finds more on one side */
    return 0;
  for (gsize i = 0; i < ph_tensor_count (exact); i++)
    if ((counted ? is_miscounted (exact, ranged, i) && !is_miscounted (other_exact, other_ranged, i)
                 : is_gone (exact, ranged, least, i) && !is_gone (other_exact, other_ranged, least, i))
        && n++ == 0)
      *at = i;
  return n;
}

/* How many values of @graph become wider floats, to be computed with as such. */
static guint
count_widened (PhGraph *graph)
{
  guint n = 0;

  PH_FOREACH_NODE (node, graph)
    {
      const PhValue *x = node->op == &ph_op_Cast ? ph_node_input (node, 0) : NULL,
                    *y = x != NULL ? ph_node_output (node, 0) : NULL;

      n += y != NULL && ph_value_constant (x) == NULL && x->type != NULL && y->type != NULL
           && (x->type->dtype == PH_FLOAT16 || x->type->dtype == PH_BFLOAT16)
           && (y->type->dtype == PH_FLOAT || y->type->dtype == PH_DOUBLE);
    }
  return n;
}

/* Returns TRUE if what overflowed before need not do so any more: it is computed in larger operators, or in a wider type. */
static gboolean
may_hold_more (PhTry *self)
{
  return ph_graph_sums (self->pair->after->graph)
         || count_widened (self->pair->after->graph) > count_widened (self->pair->before->graph);
}

/* Computes both sides again with the ranges of their element types. In double x * 256 / 256 is x, but in float16 it is infinite from 256
 * on. A value that is lost is a difference. One that overflowed only before is not if may_hold_more(), but the sides are not the same. Returns
 * FALSE if they differ, which is then recorded. */
gboolean
ph_try_judge_range (PhTry *self, PhSampleKind kind, GPtrArray *inputs, GPtrArray *outputs[2])
{
  g_autoptr (GPtrArray) was = NULL, is = NULL;
  gboolean differs = FALSE;

  if (!self->left_range || kind == PH_SAMPLE_NONFINITE || kind == PH_SAMPLE_EXTREME)
    return TRUE;
  self->in_range = TRUE;
  was = ph_try_run (self, 0, inputs, TRUE, FALSE, NULL);
  is = was != NULL ? ph_try_run (self, 1, inputs, TRUE, FALSE, NULL) : NULL;
  self->in_range = FALSE;
  for (guint k = 0; is != NULL && k < is->len && !differs; k++)
    {
      const PhType *type = ((PhValue *) self->pair->before->graph->outputs->pdata[k])->type;
      const double least = least_normal (type);
      PhTensor *exact[2] = { outputs[0]->pdata[k], outputs[1]->pdata[k] };
      const gboolean counted = is_counted (self, k);
      gsize at = 0;

      if (self->options->promise != PH_PROMISE_NEAR
          && count_gone (exact[1], is->pdata[k], exact[0], was->pdata[k], least, counted, &at) > 0)
        differs = TRUE;
      else
        {
          const gsize n = count_gone (exact[0], was->pdata[k], exact[1], is->pdata[k], least, counted, &at);

          self->trial->n_out_of_range += n;
          differs = n > 0 && self->options->promise == PH_PROMISE_NONE && (counted || !may_hold_more (self));
        }
      if (differs)
        {
          g_autofree char *why = NULL;

          ph_try_set_different (self, kind, inputs, k, at, was->pdata[k], is->pdata[k], NULL);
          why = self->trial->why;
          self->trial->why = g_strconcat (why, ", as its element types hold it", NULL);
        }
    }
  return !differs;
}

/* ── unspecified results ── */

/* Returns TRUE if ONNX does not specify what @node makes of NaN (an order, an integer), or of infinities, where it depends on the order of
 * elimination. @all: NaN does not occur. */
static gboolean
leaves_open (const PhNode *node, gboolean all)
{
  /* clang-format off */
  static const PhOp *const ops[] = {
    &ph_op_TopK, &ph_op_ArgMax, &ph_op_ArgMin, &ph_op_Unique, &ph_op_NonMaxSuppression, &ph_op_QuantizeLinear,
    &ph_op_DynamicQuantizeLinear, NULL
  };
  /* clang-format on */

  for (guint i = 0; ops[i] != NULL && !all; i++)
    if (node->op == ops[i])
      return TRUE;
  if (node->op == &ph_op_Det)
    return TRUE;
  if (!all && node->op == &ph_op_Cast && ph_dtype_is_integer ((PhDType) ph_node_attr_int (node, "to", PH_FLOAT)))
    return TRUE;
  for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
    PH_FOREACH_NODE (inner, (PhGraph *) node->graphs->pdata[g])
      if (leaves_open (inner, all))
        return TRUE;
  return FALSE;
}

static gboolean
is_open_always (const PhValue *value)
{
  return value->producer != NULL && leaves_open (value->producer, TRUE);
}

static gboolean
is_open_for_nan (const PhValue *value)
{
  return value->producer != NULL && leaves_open (value->producer, FALSE);
}

/* Returns TRUE if @value depends on such a node. */
static gboolean
depends_on_open (const PhValue *value, gboolean all)
{
  return depends (value, TRUE, all ? is_open_always : is_open_for_nan);
}

static gboolean
has_nan (GPtrArray *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      PhTensor *tensor = inputs->pdata[i];

      for (gsize k = 0; ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor))
                        && k < ph_tensor_count (tensor);
           k++)
        if (isnan (ph_tensor_get (tensor, k)))
          return TRUE;
    }
  return FALSE;
}

gboolean
ph_try_is_open (PhTry *self, GPtrArray *inputs, guint output)
{
  const gboolean all = !has_nan (inputs);

  return depends_on_open (self->pair->before->graph->outputs->pdata[output], all)
         && depends_on_open (self->pair->after->graph->outputs->pdata[output], all);
}
