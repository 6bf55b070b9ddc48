/* inline-functions.c: replaces calls of the model's functions by the functions' bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

#include <math.h>

#include "core/io/io.h"
#include "core/ops/copy.h"
#include "passes/hand-over.h"
#include "passes/stays.h"

static const char why[] = "A call stands for the function's body; inlined, the body can be optimised with the nodes around it.";

/* Functions may be written for another opset than the model. */
static PhModel *
read_function (PhModel *model, const PhFunction *function, const PhNode *call, GError **error)
{
  PhModel *inside = ph_io_open_function (function, call, error);
  int opset = ph_model_opset (model, ""), own = inside != NULL ? ph_model_opset (inside, "") : 0;
  g_autoptr (PhHistory) history = NULL;

  if (inside == NULL || own == 0 || own == opset)
    return inside;
  if (opset == PH_OPSET_NEWEST && own < opset)
    {
      history = ph_history_new ();
      if (ph_pass_run (ph_pass_find ("upgrade-opset"), inside, history, NULL, error))
        return inside;
    }
  else
    g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                 "function %s is written for opset %d, the model for %d: run upgrade-opset "
                 "first",
                 function->name, own, opset);
  ph_model_free (inside);
  return NULL;
}

/* Returns why a call stays, or NULL if it is inlined. */
static const char *
why_left (const PhNode *node, const PhFunction *function, GHashTable *counted)
{
  if (g_str_equal (function->domain, "tir.func"))
    return "its function is a kernel in TVM's TIR, and ONNX has no operators for its loops over memory";
  if (isinf (ph_function_n_nodes (function, counted)))
    return "its function calls itself, so inlining it would not end";
  if (function->graph->outputs->len == 0)
    return "its function returns no value and is called for its effects";
  if (node->outputs->len > function->graph->outputs->len)
    return "it has more outputs than its function";
  for (guint i = 0; i < function->graph->inputs->len; i++)
    if (ph_node_input (node, i) == NULL)
      return "it omits an input";
  return NULL;
}

static gboolean
inline_call (PhNode *node, PhModel *inside, PhBuilder *b)
{
  const PhId first = node->graph->model->next_id;
  g_autofree PhValue **inputs = g_new0 (PhValue *, inside->graph->inputs->len + 1);
  g_autofree PhValue **outputs = g_new0 (PhValue *, inside->graph->outputs->len + 1);

  for (guint i = 0; i < inside->graph->inputs->len; i++)
    inputs[i] = ph_node_input (node, i);
  return ph_build_copy (b, inside->graph, inputs, outputs, NULL)
         && (!ph_node_is_tied (node) || ph_node_hand_over (node, first, &b->error)) && ph_node_replace_all (node, outputs, b);
}

/* Records which calls are left, only the first few by name to keep the sentence short. */
static void
note_left (PhPassRun *run, GPtrArray *nodes)
{
  enum
  {
    NAMED = 6
  };
  g_autoptr (PhStays) stays = ph_stays_new ();
  g_autoptr (GHashTable) counted = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint left = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      const PhFunction *function = ph_node_function (node);
      const char *why_not = function != NULL ? why_left (node, function, counted) : NULL;
      g_autofree char *name = why_not != NULL ? g_strdup_printf ("n%u %s", node->id, function->name) : NULL;

      if (why_not != NULL && left++ < NAMED)
        ph_stays_add (stays, name, why_not);
    }
  ph_stays_note (stays, run);
  if (left > NAMED)
    ph_pass_note (run, "%u more calls stay", left - NAMED);
}

/* Checks the budget before anything is inlined, since the pass would otherwise fail half way. */
static gboolean
check_growth (PhModel *model, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (ph_model_check_functions (model, &reason) || g_error_matches (reason, PH_ERROR, PH_ERROR_INVALID))
    return TRUE;
  g_propagate_prefixed_error (error, g_steal_pointer (&reason), "inline-functions: ");
  return FALSE;
}

static gboolean
inline_functions (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) nodes = NULL;
  guint rounds = 0;
  gboolean found = TRUE;

  if (run->model->functions == NULL || run->model->functions->len == 0)
    return TRUE;
  if (!check_growth (run->model, error))
    return FALSE;
  while (found && rounds++ < 64)
    {
      g_autoptr (GHashTable) counted = g_hash_table_new_full (NULL, NULL, NULL, g_free);

      g_clear_pointer (&nodes, g_ptr_array_unref);
      nodes = ph_model_nodes (run->model);
      found = FALSE;
      for (guint i = 0; i < nodes->len && !run->stopped; i++)
        {
          PhNode *node = g_ptr_array_index (nodes, i);
          const PhFunction *function = ph_node_function (node);
          g_autoptr (PhModel) inside = NULL;
          PhBuilder b;

          if (function == NULL || why_left (node, function, counted) != NULL)
            continue;
          inside = read_function (run->model, function, node, error);
          if (inside == NULL)
            return FALSE;
          b = (PhBuilder) {
            .graph = node->graph, .before = node, .role = node->role, .partner = node->partner, .device = node->device
          };
          if (!ph_pass_begin (run, "inline-function", node, why))
            return TRUE;
          if (inline_call (node, inside, &b))
            {
              ph_pass_end (run);
              found = TRUE;
            }
          else
            ph_pass_abort (run);
          if (!ph_builder_finish (&b, error))
            return FALSE;
        }
    }
  if (!run->stopped && !found)
    note_left (run, nodes);
  return TRUE;
}

/* clang-format off */
static const PhRule rules[] = {
  { "inline-function", .matches = "a call of a function of the model",
    .becomes = "the function's body", .why = why },
};

const PhPass ph_pass_inline_functions = {
  .name = "inline-functions", .group = "control", .summary = "Inlines calls of the model's own functions",
  .keeps_values = TRUE,
  .elsewhere = "ONNX Runtime's function inliner; XLA CallInliner; MindSpore inline",
  .trap = "two functions may import different opsets, and their inner names may clash.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = inline_functions,
};
/* clang-format on */
