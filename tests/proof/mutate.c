/* mutate.c: one seeded small mistake in a model, as a wrong rewrite could make it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "mutate.h"

#include <math.h>
#include <string.h>

#include "core/ops/builder.h"
#include "core/ops/infer.h"
#include "core/ops/op-list.h"
#include "core/ops/verify.h"

typedef struct
{
  PhModel *model;
  PhNode *node;
  GRand *rand;
  GString *what;
} Place;

static guint
below (Place *place, guint n)
{
  return (guint) g_rand_int_range (place->rand, 0, (gint32) n);
}

static double
pick (Place *place, const double *values, guint n)
{
  return values[below (place, n)];
}
#define PICK(place_, ...) pick (place_, (const double[]) { __VA_ARGS__ }, G_N_ELEMENTS (((const double[]) { __VA_ARGS__ })))

/* An input of the node that is there. */
static PhValue *
some_input (Place *place, guint *index)
{
  PhNode *node = place->node;

  if (node->inputs->len == 0)
    return NULL;
  *index = below (place, node->inputs->len);
  return node->inputs->pdata[*index];
}

static PhDType
dtype_of (const PhValue *value)
{
  return value->type != NULL && value->type->kind == PH_KIND_TENSOR ? value->type->dtype : PH_UNDEFINED;
}

static PhBuilder
builder_at (Place *place)
{
  return (PhBuilder) { .graph = place->node->graph, .before = place->node, .name = "mutant" };
}

static gboolean
redirect (Place *place, PhBuilder *b, guint index, PhValue *value)
{
  return ph_builder_finish (b, NULL) && value != NULL && ph_node_set_input (place->node, index, value, NULL);
}

/* ── attributes ── */

/* Another of the words that the attribute may be. (transfer full) (nullable) */
static char *
other_word (Place *place, const PhOpAttr *row, const char *now)
{
  g_auto (GStrv) words = row->words != NULL ? g_strsplit (row->words, "|", -1) : NULL;
  const guint n = words != NULL ? g_strv_length (words) : 0;
  const char *word = n > 1 ? words[below (place, n)] : now;

  return g_ascii_strcasecmp (word, now) == 0 ? NULL : g_strdup (word);
}

static PhAttr *
other_attr (Place *place, const PhOpAttr *row)
{
  const PhAttr *attr = ph_node_attr (place->node, row->name);
  const gboolean is_set = attr != NULL && attr->kind == row->kind;
  double f;
  gint64 i;

  /* These say how to round, which a run in double does not. */
  if (g_str_has_suffix (row->name, "precision") || g_str_equal (row->name, "stash_type") || (!is_set && row->fallback == NULL))
    return NULL;
  switch (row->kind)
    {
    case PH_ATTR_FLOAT:
      f = is_set ? attr->f : g_ascii_strtod (row->fallback, NULL);
      f = f == 0 ? PICK (place, 1, -1, 0.01, 100) : f * PICK (place, 10, 0.1, 1.01, -1, 2, 0, 100);
      return ph_attr_new_float (row->name, (float) f);
    case PH_ATTR_INT:
      i = is_set ? attr->i : g_ascii_strtoll (row->fallback, NULL, 10);
      return ph_attr_new_int (row->name,
                              i == 0 || i == 1 ? (below (place, 3) > 0 ? 1 - i : i + 1) : i + (below (place, 2) ? 1 : -1));
    case PH_ATTR_STRING:
      {
        g_autofree char *bare = g_strdup (row->fallback != NULL ? row->fallback : "");

        g_autofree char *word = NULL;

        g_strdelimit (bare, "\"", ' ');
        word = other_word (place, row, is_set ? ph_node_attr_string (place->node, row->name, "") : g_strstrip (bare));
        return word != NULL ? ph_attr_new_string (row->name, word) : NULL;
      }
    case PH_ATTR_INTS:
      if (is_set && attr->n > 0)
        {
          g_autofree gint64 *ints = g_memdup2 (attr->ints, attr->n * sizeof (gint64));
          const guint k = below (place, (guint) attr->n), other = below (place, (guint) attr->n);

          if (ints[k] != ints[other] && below (place, 2))
            {
              ints[k] = attr->ints[other];
              ints[other] = attr->ints[k];
            }
          else
            ints[k] += below (place, 2) ? 1 : -1;
          return ph_attr_new_ints (row->name, ints, attr->n);
        }
      return NULL;
    case PH_ATTR_FLOATS:
      if (is_set && attr->n > 0)
        {
          g_autofree float *floats = g_memdup2 (attr->floats, attr->n * sizeof (float));
          const guint k = below (place, (guint) attr->n);

          floats[k] = floats[k] * (float) PICK (place, 1.01, -1, 2) + (float) PICK (place, 0.01, 0);
          return ph_attr_new_floats (row->name, floats, attr->n);
        }
      return NULL;
    default: return NULL;
    }
}

static gboolean
change_attribute (Place *place)
{
  const PhOp *op = place->node->op;
  guint n = 0;
  g_autofree char *text = NULL;
  g_autoptr (PhAttr) attr = NULL;

  while (op != NULL && n < G_N_ELEMENTS (op->attrs) && op->attrs[n].name != NULL)
    n++;
  attr = n > 0 ? other_attr (place, &op->attrs[below (place, n)]) : NULL;
  if (attr == NULL)
    return FALSE;
  text = ph_attr_value_to_string (attr);
  g_string_append_printf (place->what, "%s = %s", attr->name, text);
  return ph_node_set_attr (place->node, attr->name, attr, NULL);
}

/* ── constants ── */

/* A copy whose elements can be written. */
static PhTensor *
copy_of (PhTensor *tensor)
{
  PhTensor *copy = ph_tensor_new (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  ph_tensor_copy_data (tensor, ph_tensor_writable (copy));
  return copy;
}

static void
change_number (Place *place, PhDType dtype, gpointer data, gsize i)
{
  const double value = ph_dtype_load (dtype, data, i);

  if (dtype == PH_BOOL)
    ph_dtype_store_int (dtype, data, i, value == 0);
  else if (!ph_dtype_is_float (dtype))
    ph_dtype_store_int (dtype, data, i, ph_dtype_load_int (dtype, data, i) + (below (place, 2) ? 1 : -1));
  else if (value == 0)
    ph_dtype_store (dtype, data, i, PICK (place, 1, -1, 0.01, 1e-3));
  else
    ph_dtype_store (dtype, data, i, value * PICK (place, 1.01, 1.001, -1, 2, 0, 0.5, 10));
  g_string_append_printf (place->what, "[%" G_GSIZE_FORMAT "] %g -> %g", i, value, ph_dtype_load (dtype, data, i));
}

static gboolean
change_constant (Place *place)
{
  guint index = 0;
  PhValue *value = some_input (place, &index), *changed;
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;
  g_autoptr (PhTensor) copy = NULL;
  gsize n, k, other, size;
  PhDType dtype;
  char *data;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || (n = ph_tensor_count (tensor)) == 0 || n > 1000000)
    return FALSE;
  dtype = ph_tensor_dtype (tensor);
  if (!ph_dtype_is_float (dtype) && !ph_dtype_is_integer (dtype) && dtype != PH_BOOL)
    return FALSE;
  copy = copy_of (tensor);
  data = ph_tensor_writable (copy);
  size = ph_dtype_size (dtype);
  k = below (place, (guint) n);
  other = below (place, (guint) n);
  g_string_append_printf (place->what, "%s", value->name);
  if (n > 1 && below (place, 4) == 0 && memcmp (data + k * size, data + other * size, size) != 0)
    {
      char kept[16];

      memcpy (kept, data + k * size, size);
      memcpy (data + k * size, data + other * size, size);
      memcpy (data + other * size, kept, size);
      g_string_append_printf (place->what, ": [%" G_GSIZE_FORMAT "] and [%" G_GSIZE_FORMAT "] exchanged", k, other);
    }
  else if (ph_dtype_is_float (dtype) && below (place, 6) == 0)
    {
      for (gsize i = 0; i < n; i++)
        ph_dtype_store (dtype, data, i, ph_dtype_load (dtype, data, i) * 1.001);
      g_string_append (place->what, ": all * 1.001");
    }
  else
    change_number (place, dtype, data, k);
  if (ph_tensor_equal (tensor, copy))
    return FALSE;
  changed = ph_graph_add_constant (place->node->graph, ph_model_unique_name (place->model, "mutant"), copy, NULL);
  return changed != NULL && ph_node_set_input (place->node, index, changed, NULL);
}

/* ── nodes ── */

static gboolean
exchange_operands (Place *place)
{
  guint i = 0, k = 0;
  PhValue *a = some_input (place, &i), *b = some_input (place, &k);

  if (a == NULL || b == NULL || a == b)
    return FALSE;
  g_string_append_printf (place->what, "inputs %u and %u", i, k);
  return ph_node_set_input (place->node, i, b, NULL) && ph_node_set_input (place->node, k, a, NULL);
}

static gboolean
drop_operand (Place *place)
{
  const PhOp *op = place->node->op;
  guint i = 0;
  PhValue *value = some_input (place, &i);

  if (op == NULL || value == NULL || i >= ph_op_n_inputs (op, NULL, NULL) || !(op->inputs[i].flags & PH_ARG_OPTIONAL))
    return FALSE;
  g_string_append_printf (place->what, "input %u '%s'", i, op->inputs[i].name);
  return ph_node_set_input (place->node, i, NULL, NULL);
}

static gboolean
replace (Place *place, PhBuilder *b, PhValue *value)
{
  if (!ph_builder_finish (b, NULL) || value == NULL || !ph_value_replace_uses (ph_node_output (place->node, 0), value, NULL))
    return FALSE;
  ph_graph_remove_dead (place->node);
  return TRUE;
}

/* One of its inputs passes it by. */
static gboolean
drop_node (Place *place)
{
  PhBuilder b = builder_at (place);
  PhValue *output = ph_node_output (place->node, 0), *value;
  guint i = 0;

  value = some_input (place, &i);
  if (value == NULL || output == NULL || value->type == NULL || output->type == NULL || dtype_of (value) != dtype_of (output)
      || ph_node_is (place->node, &ph_op_Identity))
    return FALSE;
  g_string_append_printf (place->what, "input %u passes it by", i);
  return replace (place, &b, PH_BUILD (&b, Identity, value));
}

/* clang-format off */
static const PhOp *const others[][2] = {
  { &ph_op_Greater, &ph_op_GreaterOrEqual }, { &ph_op_Less, &ph_op_LessOrEqual }, { &ph_op_Greater, &ph_op_Less },
  { &ph_op_Add, &ph_op_Sub }, { &ph_op_Mul, &ph_op_Div }, { &ph_op_Max, &ph_op_Min }, { &ph_op_And, &ph_op_Or },
  { &ph_op_Relu, &ph_op_Abs }, { &ph_op_Sigmoid, &ph_op_HardSigmoid }, { &ph_op_Swish, &ph_op_HardSwish },
  { &ph_op_Floor, &ph_op_Round }, { &ph_op_Ceil, &ph_op_Floor }, { &ph_op_Sqrt, &ph_op_Abs }, { &ph_op_Tanh, &ph_op_Erf },
  { &ph_op_ReduceSum, &ph_op_ReduceMean }, { &ph_op_ReduceMax, &ph_op_ReduceMin }, { &ph_op_ReduceL1, &ph_op_ReduceSum },
  { &ph_op_Relu, &ph_op_LeakyRelu }, { &ph_op_Gelu, &ph_op_Swish }, { &ph_op_Softmax, &ph_op_LogSoftmax },
  { &ph_op_ArgMax, &ph_op_ArgMin }, { &ph_op_Elu, &ph_op_Selu }, { &ph_op_Equal, &ph_op_GreaterOrEqual },
  { &ph_op_Exp, &ph_op_Softplus }, { &ph_op_Sum, &ph_op_Mean }, { &ph_op_Sin, &ph_op_Cos },
};
/* clang-format on */

static gboolean
exchange_operator (Place *place)
{
  const guint start = below (place, G_N_ELEMENTS (others)), n = G_N_ELEMENTS (others);
  PhNode *node = place->node;

  for (guint i = 0; i < n; i++)
    for (guint side = 0; side < 2; side++)
      if (node->op == others[(start + i) % n][side])
        {
          const PhOp *other = others[(start + i) % n][1 - side];
          g_autoptr (GPtrArray) attrs = g_ptr_array_new ();
          PhBuilder b = builder_at (place);

          for (guint k = 0; k < node->attrs->len; k++)
            {
              PhAttr *attr = node->attrs->pdata[k];

              if (ph_op_attr (other, attr->name) != NULL)
                g_ptr_array_add (attrs, ph_attr_ref (attr));
            }
          g_ptr_array_add (attrs, NULL);
          g_string_append_printf (place->what, "is %s", other->name);
          return replace (
              place, &b,
              ph_build_node (&b, other, (PhValue *const *) node->inputs->pdata, node->inputs->len, (PhAttr **) attrs->pdata, 1));
        }
  return FALSE;
}

/* ── on the way to an operand ── */

static gboolean
cast_on_the_way (Place *place)
{
  static const PhDType by[] = { PH_INT8, PH_UINT8, PH_INT32, PH_FLOAT16, PH_BFLOAT16, PH_FLOAT, PH_INT64, PH_INT16, PH_BOOL };
  PhBuilder b = builder_at (place);
  const PhDType over = by[below (place, G_N_ELEMENTS (by))];
  guint i = 0;
  PhValue *value = some_input (place, &i), *cast;
  PhDType dtype;

  if (value == NULL || (dtype = dtype_of (value)) == over || !(ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype)))
    return FALSE;
  g_string_append_printf (place->what, "input %u %s by way of %s", i, value->name, ph_dtype_name (over));
  cast = PH_BUILD_WITH (&b, Cast, PH_ATTRS (ph_attr_new_int ("to", over)), value);
  return redirect (place, &b, i, PH_BUILD_WITH (&b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), cast));
}

static gboolean
bound_on_the_way (Place *place)
{
  PhBuilder b = builder_at (place);
  guint i = 0;
  PhValue *value = some_input (place, &i), *bound;
  PhDType dtype = value != NULL ? dtype_of (value) : PH_UNDEFINED;
  const gboolean above = below (place, 2);
  double limit;

  if (dtype == PH_FLOAT || dtype == PH_DOUBLE)
    limit = PICK (place, 1e6, 1e4, 1000, 80, 6, 1) * (above ? 1 : -1);
  else if (dtype == PH_INT64 || dtype == PH_INT32)
    limit = above ? PICK (place, 1e9, 1000, 100, 3) : PICK (place, 0, -1, -1000);
  else
    return FALSE;
  g_string_append_printf (place->what, "input %u %s at %s %g", i, value->name, above ? "most" : "least", limit);
  bound = ph_build_scalar (&b, dtype, limit);
  return redirect (place, &b, i, above ? PH_BUILD (&b, Min, value, bound) : PH_BUILD (&b, Max, value, bound));
}

static gboolean
lose_nan (Place *place)
{
  PhBuilder b = builder_at (place);
  guint i = 0;
  PhValue *value = some_input (place, &i);

  if (value == NULL || (dtype_of (value) != PH_FLOAT && dtype_of (value) != PH_DOUBLE))
    return FALSE;
  g_string_append_printf (place->what, "input %u %s: NaN becomes 0", i, value->name);
  return redirect (place, &b, i,
                   PH_BUILD (&b, Where, PH_BUILD (&b, IsNaN, value), ph_build_scalar (&b, dtype_of (value), 0), value));
}

/* A little more, everywhere or from the ninth row on. */
static gboolean
drift_on_the_way (Place *place)
{
  PhBuilder b = builder_at (place);
  guint i = 0;
  PhValue *value = some_input (place, &i), *end, *eight, *zero, *axis;
  const gboolean product = below (place, 2);
  const double by = product ? PICK (place, 1.001, 1.01, 0.999) : PICK (place, 1e-3, 0.01, -0.1);

  if (value == NULL || (dtype_of (value) != PH_FLOAT && dtype_of (value) != PH_DOUBLE))
    return FALSE;
  g_string_append_printf (place->what, "input %u %s %c %g", i, value->name, product ? '*' : '+', by);
  if (!value->type->has_rank || value->type->rank == 0 || ph_dim_known (value->type->dims[0]) || below (place, 2))
    {
      PhValue *number = ph_build_scalar (&b, dtype_of (value), by);

      return redirect (place, &b, i, product ? PH_BUILD (&b, Mul, value, number) : PH_BUILD (&b, Add, value, number));
    }
  g_string_append (place->what, " from row 8 on");
  zero = ph_build_ints (&b, (gint64[]) { 0 }, 1);
  axis = zero;
  eight = ph_build_ints (&b, (gint64[]) { 8 }, 1);
  end = ph_build_ints (&b, (gint64[]) { G_MAXINT64 }, 1);
  end = PH_BUILD (&b, Slice, value, eight, end, axis);
  end = product ? PH_BUILD (&b, Mul, end, ph_build_scalar (&b, dtype_of (value), by))
                : PH_BUILD (&b, Add, end, ph_build_scalar (&b, dtype_of (value), by));
  return redirect (
      place, &b, i,
      PH_BUILD_WITH (&b, Concat, PH_ATTRS (ph_attr_new_int ("axis", 0)), PH_BUILD (&b, Slice, value, zero, eight, axis), end));
}

/* ── all of them ── */

/* clang-format off */
static const struct { const char *name; gboolean (*change) (Place *place); guint weight; } kinds[] = {
  { "attribute", change_attribute, 5 },        { "constant", change_constant, 5 },       { "operands", exchange_operands, 2 },
  { "operand dropped", drop_operand, 1 },      { "node dropped", drop_node, 3 },         { "operator", exchange_operator, 3 },
  { "cast", cast_on_the_way, 2 },              { "bound", bound_on_the_way, 2 },         { "NaN", lose_nan, 1 },
  { "drift", drift_on_the_way, 1 },
};
/* clang-format on */

/* The types that followed before the change no longer do. */
static gboolean
infer_again (PhModel *model)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free), types = g_ptr_array_new ();

  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_ptr_array_add (types, (gpointer) ((PhValue *) model->graph->outputs->pdata[i])->type);
  for (guint i = 0; i < model->values->len; i++)
    {
      PhValue *value = model->values->pdata[i];

      if (value != NULL && value->producer != NULL)
        ph_value_set_type (value, NULL, NULL);
    }
  ph_infer_model (model, FALSE, problems, NULL);
  for (guint i = 0; i < types->len && problems->len == 0; i++)
    {
      PhValue *value = model->graph->outputs->pdata[i];
      const PhType *old = types->pdata[i], *merged = old != NULL && value->type != NULL ? ph_type_merge (old, value->type) : old;

      if (old != NULL && merged == NULL)
        return FALSE;
      if (merged != NULL && value->type == NULL && value->producer != NULL)
        ph_value_set_type (value, merged, NULL);
    }
  return problems->len == 0 && ph_model_verify (model, NULL);
}

gboolean
mutate (PhModel *model, guint64 seed, Mutation *mutation)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed_array ((const guint32[]) { (guint32) seed, (guint32) (seed >> 32), 77 }, 3);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  g_autoptr (GString) what = g_string_new (NULL);
  g_autofree char *label = NULL;
  Place place = { model, NULL, rand, what };
  guint total = 0, k = 0, at;

  for (guint i = 0; i < model->nodes->len; i++)
    if (model->nodes->pdata[i] != NULL)
      g_ptr_array_add (nodes, model->nodes->pdata[i]);
  if (nodes->len == 0)
    return FALSE;
  place.node = nodes->pdata[below (&place, nodes->len)];
  label = ph_node_label (place.node);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    total += kinds[i].weight;
  for (at = below (&place, total); at >= kinds[k].weight; k++)
    at -= kinds[k].weight;
  g_string_append_printf (what, "%s %s: ", label, kinds[k].name);
  if (!kinds[k].change (&place) || !infer_again (model))
    return FALSE;
  *mutation = (Mutation) { kinds[k].name, g_strdup (what->str) };
  return TRUE;
}
