/* convert-to-stablehlo.c: rewrites ONNX's operators as StableHLO's, for writing files of StableHLO or HLO. Those without a rule stay and
 * are listed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"
#include "core/ops/expand.h"
#include "core/ops/infer.h"
#include "passes/stablehlo.h"
#include "passes/stays.h"

static const PhLowerRule *const tables[] = { ph_stable_elementwise, ph_stable_linear, ph_stable_reduce_rules, ph_stable_shape };

static const PhLowerRule *
find_rule (const PhOp *op)
{
  for (gsize t = 0; op != NULL && t < G_N_ELEMENTS (tables); t++)
    for (const PhLowerRule *rule = tables[t]; rule->op != NULL; rule++)
      if (rule->op == op)
        return rule;
  return NULL;
}

/* Returns TRUE if the type of some value of @node is not fully known. */
static gboolean
is_open (const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len + node->outputs->len; i++)
    {
      const PhValue *value = i < node->inputs->len ? ph_node_input (node, i) : ph_node_output (node, i - node->inputs->len);
      const gboolean left_out = i >= node->inputs->len && ph_value_n_uses (value) == 0;

      if (value != NULL && !left_out && (ph_value_dtype (value) == PH_UNDEFINED || !ph_value_is_static (value)))
        return TRUE;
    }
  return FALSE;
}

static gboolean
lower (PhPassRun *run, PhNode *node, const PhLowerRule *rule, char **stays)
{
  PhBuilder b = { .graph = node->graph, .before = node, .role = node->role, .partner = node->partner, .device = node->device };
  g_autofree PhValue **out = g_new0 (PhValue *, node->outputs->len + 1);
  PhConvert l = { .run = run,
                  .node = node,
                  .b = &b,
                  .in = (PhValue **) node->inputs->pdata,
                  .n_in = node->inputs->len,
                  .n_out = node->outputs->len };
  gboolean ok;

  if (node->outputs->len == 0)
    {
      *stays = g_strdup ("it makes nothing");
      return TRUE;
    }
  if (is_open (node))
    {
      *stays = g_strdup ("a shape is not known: `run bind-dimensions` gives the sizes");
      return TRUE;
    }
  if (!ph_pass_begin (run, node->op_type, node, rule->why))
    return FALSE;
  ph_model_set_opset (run->model, "stablehlo", 1);
  b.name = ph_node_output (node, 0)->name;
  /* Rules take sizes of the results for those of the operands: a file may declare others. */
  ok = ph_infer_one (node, &b.error) && rule->lower (&l, out) && b.error == NULL;
  for (guint i = 0; ok && i < node->outputs->len; i++)
    {
      const PhValue *old = ph_node_output (node, i);

      ok = out[i] != NULL || ph_value_n_uses (old) == 0;
      /* An output of a graph must be computed in it, and by a node of its own. */
      if (out[i] != NULL && old->n_output_uses > 0
          && (out[i]->graph != node->graph || out[i]->is_input || out[i]->n_output_uses > 0 || out[i]->producer == NULL))
        ok = (out[i] = ph_stable_node (&l, "reshape", out[i]->type, &out[i], 1, NULL)) != NULL;
    }
  if (ok && ph_node_replace_all (node, out, &b))
    ph_pass_end (run);
  else
    {
      ph_pass_abort (run);
      *stays = l.stays != NULL ? g_strdup (l.stays) : g_strdup (b.error != NULL ? b.error->message : "it could not be replaced");
    }
  g_free (l.stays);
  g_clear_error (&b.error);
  return TRUE;
}

/* Expands an operator into simpler ones, or inlines a fused node. Returns FALSE if it has no expansion. */
static gboolean
spell_out (PhPassRun *run, PhNode *node)
{
  const gboolean fused = ph_node_is_fused (node);

  if (!fused && (node->op == NULL || node->op->expand == NULL))
    return FALSE;
  if (!ph_pass_begin (run, fused ? "fused" : node->op_type, node,
                      "StableHLO has no such operator, so its definition is written out."))
    return FALSE;
  if (fused ? ph_graph_inline_node (node, NULL) : ph_expand_in_place (node, NULL))
    {
      if (!fused)
        ph_graph_remove_dead (node);
      ph_pass_end (run);
      return TRUE;
    }
  ph_pass_abort (run);
  return FALSE;
}

static gboolean
convert (PhPassRun *run, GError **error)
{
  g_autoptr (PhStays) stays = ph_stays_new ();
  gboolean again = TRUE;

  if (!ph_pass_run_inside (run, "inline-functions", error) || !ph_pass_run_inside (run, "decompose", error))
    return FALSE;
  for (guint round = 0; again && round < 16 && !run->stopped; round++)
    {
      g_autoptr (GPtrArray) nodes = ph_model_nodes (run->model);
      g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));

      again = FALSE;
      ph_stays_clear (stays);
      for (guint i = 0; i < nodes->len; i++)
        g_array_append_val (ids, ((PhNode *) nodes->pdata[i])->id);
      for (guint i = 0; i < ids->len && !run->stopped; i++)
        {
          PhNode *node = ph_model_find_node (run->model, g_array_index (ids, PhId, i));
          const PhLowerRule *rule = node != NULL ? find_rule (node->op) : NULL;
          g_autofree char *why = NULL, *label = NULL;

          if (node == NULL || (node->op == NULL && !ph_node_is_fused (node)))
            continue;
          label = g_strdup (node->op_type);
          if (rule != NULL && !lower (run, node, rule, &why))
            break;
          if (rule == NULL)
            {
              if (spell_out (run, node))
                again = TRUE;
              else
                why = g_strdup ("it has no rule");
            }
          if (why != NULL)
            ph_stays_add (stays, label, why);
        }
    }
  ph_stays_note (stays, run);
  return TRUE;
}

/* clang-format off */
const PhPass ph_pass_convert_to_stablehlo = {
  .name = "convert-to-stablehlo", .group = "upgrade", .summary = "Converts ONNX operators to StableHLO; saving as HLO or StableHLO runs it automatically",
  .elsewhere = "onnx-mlir --EmitStablehlo, torch-mlir",
  .trap = "shapes must be known, nothing broadcasts implicitly, and negative indices are clamped unless they are rewritten.",
  .run = convert, .exactness = PH_ROUNDING,
};
/* clang-format on */
