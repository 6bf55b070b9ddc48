/* convert-tensorflow-branches.c: the conditionals of TensorFlow 1 in ONNX's If. Their operators have no effects, so both branches are computed,
 * and If chooses between the results.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   f, t = Switch (x, p)                       y = If (p) { g (x) } else { h (x) }
 *   y = Merge (h (f), g (t))            =>
 */
#include <string.h>

#include "passes/convert-body.h"
#include "passes/convert-tensorflow-lists.h"

typedef struct
{
  PhPassRun *run;
  GHashTable *entries; /* an If in place of a Merge -> (element-type PhValue) what went into its branches */
  GHashTable *decided; /* conditions of these Ifs                                                         */
  guint budget;        /* how many nodes may still be looked at                                           */
} Branches;

#define MOST_LOOKS 20000000

/* Where a branch begins: outputs @side of Switches by @condition. */
typedef struct
{
  PhValue *condition; /* (nullable) NULL: it depends on none */
  guint side;
  GPtrArray *entries; /* (element-type PhValue)              */
} Side;

static gboolean
is (const PhNode *node, const char *name)
{
  return node != NULL && g_str_equal (node->domain, "tf")
         && (g_str_equal (node->op_type, name)
             || (g_str_has_prefix (node->op_type, "Ref") && g_str_equal (node->op_type + 3, name)));
}

/* Follows @value back to the Switches that its branch begins with. Returns FALSE if they are of several conditions or sides. */
static gboolean
find_side (Branches *branches, PhValue *value, Side *side)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  PhGraph *graph = value->graph;

  g_ptr_array_add (stack, value);
  while (stack->len > 0)
    {
      PhValue *at = g_ptr_array_steal_index (stack, stack->len - 1);
      PhNode *node = at != NULL && at->graph == graph ? at->producer : NULL;
      const GPtrArray *entries = node != NULL ? g_hash_table_lookup (branches->entries, node) : NULL;

      if (is (node, "Switch") && node->inputs->len == 2 && ph_node_input (node, 1) != NULL)
        {
          PhValue *condition = ph_tf_origin (ph_node_input (node, 1));

          if (side->condition != NULL && (side->condition != condition || side->side != at->output))
            return FALSE;
          side->condition = condition;
          side->side = at->output;
          g_ptr_array_add (side->entries, ph_node_input (node, 0));
          g_ptr_array_add (side->entries, condition);
          continue;
        }
      if (node == NULL || !g_hash_table_add (seen, node))
        continue;
      if (branches->budget-- == 0)
        return branches->budget = 0, FALSE;
      for (guint i = 0; i < (entries != NULL ? entries->len : node->inputs->len); i++)
        g_ptr_array_add (stack, entries != NULL ? entries->pdata[i] : node->inputs->pdata[i]);
    }
  return TRUE;
}

static void
fill_branch (PhBuilder *b, PhNode *choice, const char *name, PhValue *value)
{
  PhBuilder inside = { .graph = ph_node_add_graph (choice, name, name, &b->error), .name = b->name };
  PhConvert l = { .b = &inside };

  if (inside.graph != NULL)
    ph_convert_set_output (&l, inside.graph, 0, value);
  l.b = b;
  ph_convert_finish_body (&l, &inside);
}

/* Puts an If in place of the Merge. @first: the side of its first operand. */
static gboolean
choose (Branches *branches, PhNode *node, PhValue *condition, guint first, GPtrArray *entries)
{
  PhBuilder b = { .graph = node->graph, .before = node };
  PhValue *out[2] = { NULL };
  const PhType *type = ph_node_output (node, 0)->type;
  PhNode *choice;
  gboolean ok;

  if (ph_model_opset (branches->run->model, "") == 0)
    ph_model_set_opset (branches->run->model, "", PH_OPSET_NEWEST);
  choice = ph_graph_add_node (
      node->graph,
      &(PhNodeSpec) {
          .op = &ph_op_If, .inputs = &condition, .n_inputs = 1, .n_outputs = 1, .output_types = &type, .before = node },
      &b.error);
  if (choice == NULL)
    return g_clear_error (&b.error), FALSE;
  fill_branch (&b, choice, "then_branch", ph_node_input (node, 1 - first));
  fill_branch (&b, choice, "else_branch", ph_node_input (node, first));
  out[0] = ph_node_output (choice, 0);
  if (node->outputs->len > 1 && ph_value_n_uses (ph_node_output (node, 1)) > 0)
    {
      out[1] = PH_BUILD_WITH (&b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_INT32)), condition);
      if (first == 1)
        out[1] = PH_BUILD (&b, Sub, ph_build_scalar (&b, PH_INT32, 1), out[1]);
    }
  ok = b.error == NULL && ph_node_replace_all (node, out, &b);
  g_clear_error (&b.error);
  if (ok)
    {
      g_hash_table_insert (branches->entries, choice, g_ptr_array_ref (entries));
      g_hash_table_add (branches->decided, condition);
    }
  return ok;
}

/* Finds out which operand of a Merge is of which branch. One that depends on no Switch is of the other. */
static gboolean
resolve (Branches *branches, PhNode *node)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  Side sides[2] = { { .entries = entries }, { .entries = entries } };
  guint first;

  if (node->inputs->len != 2 || node->outputs->len < 1 || node->outputs->len > 2 || ph_node_attr (node, PH_LINKS_ATTR) != NULL
      || ph_node_is_tied (node))
    return TRUE;
  for (guint i = 0; i < 2; i++)
    if (ph_node_input (node, i) == NULL || !find_side (branches, ph_node_input (node, i), &sides[i]))
      return TRUE;
  if (sides[0].condition == NULL && sides[1].condition == NULL)
    return TRUE;
  if (sides[0].condition != NULL && sides[1].condition != NULL
      && (sides[0].condition != sides[1].condition || sides[0].side == sides[1].side))
    return TRUE;
  first = sides[0].condition != NULL ? sides[0].side : 1 - sides[1].side;
  if (!ph_pass_begin (branches->run, "tf:Merge", node, "If returns the result of the branch that the condition chooses."))
    return FALSE;
  if (first <= 1 && choose (branches, node, sides[0].condition != NULL ? sides[0].condition : sides[1].condition, first, entries))
    ph_pass_end (branches->run);
  else
    ph_pass_abort (branches->run);
  return TRUE;
}

/* Lets both branches read the operand of a Switch whose condition an If has. */
static gboolean
open_switch (Branches *branches, PhNode *node)
{
  g_autofree PhValue **out = g_new0 (PhValue *, node->outputs->len + 1);
  PhBuilder b = { .graph = node->graph, .before = node };

  if (node->inputs->len != 2 || ph_node_input (node, 0) == NULL || ph_node_input (node, 1) == NULL
      || !g_hash_table_contains (branches->decided, ph_tf_origin (ph_node_input (node, 1))))
    return TRUE;
  if (!ph_pass_begin (branches->run, "tf:Switch", node, "Both branches read the operand, since neither has an effect."))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    out[i] = ph_node_input (node, 0);
  if (ph_node_replace_all (node, out, &b))
    ph_pass_end (branches->run);
  else
    ph_pass_abort (branches->run);
  g_clear_error (&b.error);
  return TRUE;
}

void
ph_tf_close_branches (PhPassRun *run)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));
  g_autoptr (GHashTable) entries = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref),
                         decided = g_hash_table_new (NULL, NULL);
  Branches branches = { run, entries, decided, MOST_LOOKS };
  gboolean go_on = TRUE;

  for (guint i = 0; i < nodes->len; i++)
    if (is (nodes->pdata[i], "Merge") || is (nodes->pdata[i], "Switch"))
      g_array_append_val (ids, ((PhNode *) nodes->pdata[i])->id);
  for (guint turn = 0; turn < 2; turn++)
    for (guint i = 0; go_on && i < ids->len; i++)
      {
        /* A Switch whose condition is another's output comes before that one. */
        PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, turn == 0 ? i : ids->len - 1 - i));

        if (turn == 0 && is (node, "Merge"))
          go_on = resolve (&branches, node);
        else if (turn == 1 && is (node, "Switch"))
          go_on = open_switch (&branches, node);
      }
}

static gboolean
stays (PhConvert *l, PhValue **out)
{
  return ph_convert_stay (l,
                          "it is of no conditional with a Switch for each operand and a Merge of two branches: freeze the graph "
                          "with the control flow of TensorFlow 2");
}

/* clang-format off */
const PhConvertRule ph_convert_tensorflow_branches[] = {
  { "tf:Merge", stays, "If", "If returns the result of the branch that the condition chooses." }, { "tf:RefMerge", stays, "If", "If returns the result of the branch that the condition chooses." },
  { "tf:Switch", stays, "its operand", "Both branches read the operand, since neither has an effect." }, { "tf:RefSwitch", stays, "its operand", "Both branches read the operand, since neither has an effect." },
  { NULL }
};
/* clang-format on */
