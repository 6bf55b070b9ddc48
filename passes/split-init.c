/* split-init.c: separates the nodes that depend on constants only from those that depend on inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/fuse.h"
#include "passes/run.h"

/*  W  B                           W  B
 *  |  |  ...                      ┌──────────┐
 * Mul Neg     x                   │ Mul  Neg │   x            A deployment evaluates the box once, when it loads the model,
 *   \  |     /                    └──────────┘  /             and keeps its outputs. fold-constants evaluates it now, which
 *    Add    /             =>         Init      /              makes the file larger if results are larger than the operands
 *      \   /                            \     /               (a Tile, a Range); this pass keeps the file small.           */

#define LEAST 2 /* nodes that are worth a box */

static const char why[] = "It depends on no input, so it can be computed once, when the model is loaded.";

static gboolean
is_prepared (const PhNode *node, GHashTable *prepared)
{
  if (node->op == NULL || node->graphs != NULL || ph_node_is_tied (node) || (node->op->flags & PH_OP_RANDOM)
      || node->op == &ph_op_Constant || node->inputs->len == 0)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);

      if (value != NULL && ph_value_constant (value) == NULL
          && (value->producer == NULL || !g_hash_table_contains (prepared, value->producer)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
split_init (PhPassRun *run, GError **error)
{
  PhModel *model = ph_pass_run_model (run);
  g_autoptr (GHashTable) prepared = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  PhBuilder b = { .graph = model->graph };
  PhNode *fused;

  PH_FOREACH_NODE (node, model->graph)
    if (is_prepared (node, prepared))
      {
        g_hash_table_add (prepared, node);
        g_ptr_array_add (nodes, node);
      }
  if (nodes->len < LEAST || !ph_pass_begin (run, "init", nodes->pdata[0], why))
    return TRUE;
  b.before = nodes->pdata[0];
  fused = ph_fuse_nodes ((PhNode **) nodes->pdata, nodes->len, "Init", &b);
  if (!ph_builder_finish (&b, error) || fused == NULL)
    {
      ph_pass_abort (run);
      return fused != NULL || *error == NULL;
    }
  ph_pass_end (run);
  return TRUE;
}

static const PhRule rules[] = {
  { "init", .matches = "the nodes that depend on constants only", .becomes = "Init(constants)", .why = why },
};

/* clang-format off */
const PhPass ph_pass_split_init = {
  .name = "split-init", .group = "constants", .summary = "Groups the nodes that depend only on constants into one node, computed once",
  .elsewhere = "onnxoptimizer split_init and split_predict; TVM LiftTransformParams",
  .trap = "a value that may be overridden or is drawn at random is not known before the model runs.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = split_init,
};
/* clang-format on */
