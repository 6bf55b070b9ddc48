/* decisions.c: decisions that depend on sizes, which trials at a few sizes cannot show.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/decisions.h"

#include "core/ops/infer.h"
#include "core/ops/op-list.h"

/* The origin of a value. For numbers, the evaluation over the finite field is right at any size. */
typedef enum
{
  OF_CONSTANTS,
  OF_SIZES,
  OF_NUMBERS
} Making;

typedef struct
{
  GHashTable *made;      /* PhValue -> Making + 1                    */
  GHashTable *decisions; /* (element-type utf8) -> how often they are on this side less than on the other */
  int by;
  guint depth;
} Walk;

#define MAX_DEPTH 16

static void
set_making (Walk *walk, const PhValue *value, Making making)
{
  g_hash_table_insert (walk->made, (gpointer) value, GUINT_TO_POINTER (making + 1));
}

/* Returns TRUE if the shape of @value has only known dimensions. */
static gboolean
is_known (const PhValue *value)
{
  g_autofree PhDim *dims = NULL;
  const int n = ph_value_dims (value, &dims);

  for (int i = 0; i < n; i++)
    if (!ph_dim_known (dims[i]))
      return FALSE;
  return n >= 0;
}

static gboolean
is_integer (const PhValue *value)
{
  return value->type != NULL && value->type->kind == PH_KIND_TENSOR && ph_dtype_is_integer (value->type->dtype);
}

static Making
making_of (Walk *walk, const PhValue *value)
{
  const guint told = value != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (walk->made, value)) : 0;
  Making making;

  if (value == NULL || value->tensor != NULL)
    return OF_CONSTANTS;
  if (told > 0)
    return (Making) (told - 1);
  /* An input of the graph: whether an integer is a size is unknown. */
  making = value->is_input || !is_integer (value) ? OF_NUMBERS : is_known (value) ? OF_CONSTANTS : OF_SIZES;
  set_making (walk, value, making);
  return making;
}

static Making
making_of_inputs (Walk *walk, const PhNode *node)
{
  Making making = OF_CONSTANTS;

  for (guint i = 0; i < node->inputs->len; i++)
    making = MAX (making, making_of (walk, ph_node_input (node, i)));
  return making;
}

/* Returns TRUE if an operand depends on sizes. A Div of a number by a size does not count: a mean divides by the number of elements. */
static gboolean
reads_sizes (Walk *walk, const PhNode *node)
{
  if (node->op == &ph_op_Div)
    return making_of_inputs (walk, node) == OF_SIZES;
  for (guint i = 0; i < node->inputs->len; i++)
    if (making_of (walk, ph_node_input (node, i)) == OF_SIZES)
      return TRUE;
  return FALSE;
}

static gboolean
is_decision (const PhNode *node)
{
  /* clang-format off */
  static const PhOp *const deciding[] = {
    &ph_op_Equal, &ph_op_Less, &ph_op_LessOrEqual, &ph_op_Greater, &ph_op_GreaterOrEqual, &ph_op_Where, &ph_op_If, &ph_op_Mod, &ph_op_Div,
    &ph_op_Min, &ph_op_Max, &ph_op_Clip, &ph_op_Relu, &ph_op_Abs, &ph_op_Sign, &ph_op_BitShift, &ph_op_BitwiseAnd, &ph_op_BitwiseOr,
    &ph_op_BitwiseXor, &ph_op_BitwiseNot, &ph_op_Floor, &ph_op_Ceil, &ph_op_Round, &ph_op_OneHot, &ph_op_Loop, NULL
  };
  /* clang-format on */

  for (guint i = 0; deciding[i] != NULL; i++)
    if (node->op == deciding[i])
      return TRUE;
  /* A narrow type wraps, and a boolean tells 0 from other sizes; sizes fit into 32 bits. */
  return node->op == &ph_op_Cast && ph_dtype_size ((PhDType) ph_node_attr_int (node, "to", PH_FLOAT)) < sizeof (gint32);
}

/* Notes a decision with the constants of its comparison: with another bound it is another decision. */
static void
note_decision (Walk *walk, const PhNode *node)
{
  GString *text = g_string_new (node->op_type);
  int n;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);
      PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;

      if (constant != NULL && ph_tensor_kind (constant) == PH_KIND_TENSOR && ph_tensor_count (constant) > 0
          && ph_tensor_dtype (constant) != PH_STRING)
        {
          char number[G_ASCII_DTOSTR_BUF_SIZE];

          g_string_append_printf (text, " %s", g_ascii_dtostr (number, sizeof number, ph_tensor_get (constant, 0)));
        }
      else
        g_string_append (text, " .");
    }
  n = GPOINTER_TO_INT (g_hash_table_lookup (walk->decisions, text->str)) + walk->by;
  g_hash_table_insert (walk->decisions, g_string_free (text, FALSE), GINT_TO_POINTER (n));
}

static void walk_graph (Walk *walk, PhGraph *graph);

/* If sizes may determine the number of iterations, a loop's counters depend on sizes. */
static void
walk_body (Walk *walk, const PhNode *node, PhGraph *body)
{
  const PhValue *trips = node->op == &ph_op_Loop ? ph_node_input (node, 0) : NULL;
  const gboolean is_open = node->op == &ph_op_Scan
                           || (node->op == &ph_op_Loop && (trips == NULL || ph_value_constant (trips) == NULL));

  for (guint i = 0; i < body->inputs->len; i++)
    {
      const Making making = making_of (walk, ph_node_input (node, i));

      set_making (walk, body->inputs->pdata[i], is_open && making == OF_CONSTANTS ? OF_SIZES : making);
    }
  walk_graph (walk, body);
}

static void
walk_node (Walk *walk, PhNode *node)
{
  PhFunction *function = ph_node_function (node);
  Making making = making_of_inputs (walk, node);

  if ((node->op == &ph_op_Shape || node->op == &ph_op_Size) && making == OF_NUMBERS)
    making = OF_SIZES;
  if (making == OF_SIZES && node->outputs->len == 1 && is_known (node->outputs->pdata[0]))
    making = OF_CONSTANTS;
  if (is_decision (node) && reads_sizes (walk, node))
    note_decision (walk, node);
  if (walk->depth++ < MAX_DEPTH)
    {
      for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
        walk_body (walk, node, node->graphs->pdata[g]);
      if (function != NULL)
        walk_body (walk, node, function->graph);
    }
  walk->depth--;
  /* Captured values are not tracked. */
  if (node->graphs != NULL && node->graphs->len > 0)
    making = OF_NUMBERS;
  for (guint k = 0; k < node->outputs->len; k++)
    set_making (walk, node->outputs->pdata[k], making);
}

static void
walk_graph (Walk *walk, PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    walk_node (walk, node);
}

gboolean
ph_region_decides_by_size (const PhRegion *region)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) decisions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Walk walk = { made, decisions, 0, 0 };
  GHashTableIter iter;
  gpointer n;

  for (guint side = 0; side < 2; side++)
    {
      const GPtrArray *nodes = side == 0 ? region->before : region->after;

      walk.by = side == 0 ? 1 : -1;
      for (guint i = 0; i < nodes->len; i++)
        walk_node (&walk, nodes->pdata[i]);
    }
  g_hash_table_iter_init (&iter, decisions);
  while (g_hash_table_iter_next (&iter, NULL, &n))
    if (GPOINTER_TO_INT (n) != 0)
      return TRUE;
  return FALSE;
}
