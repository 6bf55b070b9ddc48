/* jvp.c: computes tangents along with the values, by forward-mode differentiation.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/autodiff.h"

#include "core/ops/grad.h"

/*      x ──► Mul ──► Sin ──► y            tangent_x ──► Mul(.., w) ──► Mul(.., Cos(..)) ──► tangent_y
 *      w ──┘
 *
 *   for each node, first to last, the tangents of its outputs are computed from those of its inputs
 *
 * Arguments: the value to differentiate, then the values that vary (default: all float inputs, or, without any, all float
 * initializers). The model gets a new input tangent_NAME for each of these, with ones as its default, and a new output
 * tangent_OUTPUT: the Jacobian times the tangents. Operators need no rules for this: those of the gradient are transposed. The
 * result is plain ONNX. */

static void
add_read (const PhNode *node, GHashTable *needed)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      g_hash_table_add (needed, node->inputs->pdata[i]);
  for (guint g = 0; node->graphs != NULL && g < node->graphs->len; g++)
    {
      const PhGraph *body = node->graphs->pdata[g];

      for (guint i = 0; i < body->outputs->len; i++)
        g_hash_table_add (needed, body->outputs->pdata[i]);
      PH_FOREACH_NODE (inner, body)
        add_read (inner, needed);
    }
}

/* (transfer container) (element-type PhNode): those that @output is computed by, last to first. */
static GPtrArray *
find_way (PhValue *output)
{
  GPtrArray *way = g_ptr_array_new ();
  g_autoptr (GHashTable) needed = g_hash_table_new (NULL, NULL);

  g_hash_table_add (needed, output);
  for (PhNode *node = output->producer; node != NULL; node = node->prev)
    {
      gboolean any = FALSE;

      for (guint i = 0; i < node->outputs->len; i++)
        any |= g_hash_table_contains (needed, node->outputs->pdata[i]);
      if (!any)
        continue;
      add_read (node, needed);
      g_ptr_array_add (way, node);
    }
  return way;
}

static gboolean
append_output (PhModel *model, PhValue *output, PhValue *tangent, const char *of, PhId first_of_run, GError **error)
{
  g_autofree char *name = g_strconcat ("tangent_", of, NULL);
  PhBuilder builder
      = { .graph = model->graph, .name = name, .partner = output->producer != NULL ? output->producer->id : PH_NO_ID };

  if (tangent == NULL)
    tangent = ph_build_zeros_like (&builder, output);
  if (tangent != NULL && (tangent->producer == NULL || ph_value_is_output (tangent)))
    tangent = PH_BUILD (&builder, Identity, tangent);
  if (!ph_builder_finish (&builder, error) || !ph_autodiff_claim_name (model, tangent, name, first_of_run, error))
    return FALSE;
  return ph_graph_set_output (model->graph, model->graph->outputs->len, tangent, error);
}

static gboolean
run_jvp (PhPassRun *run, GError **error)
{
  PhModel *model = ph_pass_run_model (run);
  const char *const *arguments = ph_pass_run_options (run)->arguments;
  g_autoptr (GHashTable) tangents = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) sources = NULL, nodes = NULL;
  PhValue *output;
  PhId first_of_run;

  if (!ph_autodiff_prepare (run, "jvp", FALSE, &output, &sources, error))
    return FALSE;
  nodes = find_way (output);
  first_of_run = model->next_id;
  if (!ph_pass_begin (run, "tangents", NULL,
                      "The tangent of each of these values is a new input, which is ones where it is not fed."))
    return TRUE;
  for (guint i = 0; i < sources->len; i++)
    {
      PhValue *source = sources->pdata[i];
      PhValue *tangent = ph_autodiff_add_seed (model, source, "tangent_",
                                               i + 1 < g_strv_length ((char **) arguments) ? arguments[i + 1] : source->name,
                                               PH_ROLE_FORWARD, error);

      if (tangent == NULL)
        {
          ph_pass_abort (run);
          return FALSE;
        }
      g_hash_table_insert (tangents, source, tangent);
    }
  ph_pass_end (run);

  for (guint i = nodes->len; i-- > 0;)
    {
      PhNode *node = nodes->pdata[i];
      PhBuilder builder = { .graph = model->graph, .before = node->next, .role = PH_ROLE_FORWARD };
      g_autofree char *rule = g_strconcat ("jvp-", node->op_type, NULL);
      g_autofree char *why = NULL;

      if (!ph_tangent_moves (node, tangents))
        continue;
      why = g_strdup_printf (
          node->op != NULL && node->op->flags & PH_OP_MULTILINEAR
              ? "%s is linear in each of its inputs, so applied to a tangent it gives the tangent of the result."
          : node->op != NULL && node->op->flags & PH_OP_ELEMENTWISE
              ? "%s is elementwise, so the rule of its gradient, with the tangent in place of dY, gives "
                "the tangent of its result."
              : "The gradient rule of %s is linear in dY, so its transpose maps tangents of the inputs to that of the result.",
          node->op_type);
      if (!ph_pass_begin (run, rule, node, why))
        return TRUE;
      if (!ph_pass_close (run, ph_tangent_node (node, tangents, &builder, error)))
        return FALSE;
    }

  if (!ph_pass_begin (run, "output", output->producer,
                      "The tangent of the result, the Jacobian times the tangents, is a new output."))
    return TRUE;
  return ph_pass_close (run,
                        append_output (model, output, g_hash_table_lookup (tangents, output), arguments[0], first_of_run, error));
}

/* clang-format off */
const PhPass ph_pass_jvp = {
  .name            = "jvp",
  .group           = "autodiff",
  .keeps_values    = TRUE,
  .summary         = "Builds the tangent of a value (the Jacobian times a vector) beside the value, in plain ONNX",
  .elsewhere = "forward mode: Wengert 1964; jax.jvp, torch.func.jvp; transposed twice: Townsend 2017",
  .trap = "one run gives one column of the Jacobian (a direction), where a gradient gives one row: forward mode is for few "
          "inputs and many outputs.",
  .run             = run_jvp,
  .exactness       = PH_EXACT,
  .needs_arguments = TRUE,
};
/* clang-format on */
