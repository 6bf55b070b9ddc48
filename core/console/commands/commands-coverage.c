/* commands-coverage.c: counts the operators of another system that convert-to-onnx has no rule for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/other-code.h"
#include "core/console/reply-table.h"
#include "core/ops/dialect.h"
#include "passes/pass.h"

typedef struct
{
  guint here, stay;
} Count;

/* Returns TRUE if the body of @function is not entirely ONNX: a call of it that could not be inlined stays. */
static gboolean
is_foreign (const PhFunction *function)
{
  PH_FOREACH_NODE (node, function->graph)
    if (node->op == NULL && !ph_node_is_fused (node))
      return TRUE;
  return FALSE;
}

/* Counts operators of other systems by "domain.name". @after: count them as staying. */
static void
count_foreign (PhModel *model, gboolean after, GHashTable *counts, guint *n_nodes)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];
      g_autofree char *name = NULL;
      Count *count;

      (*n_nodes)++;
      if (node->op != NULL || ph_node_is_fused (node) || ph_dialect_is_box (node)
          || (ph_node_function (node) != NULL && (!after || !is_foreign (ph_node_function (node)))))
        continue;
      name = g_strdup_printf ("%s.%s", node->domain, node->op_type);
      count = g_hash_table_lookup (counts, name);
      if (count == NULL)
        {
          count = g_new0 (Count, 1);
          g_hash_table_insert (counts, g_strdup (name), count);
        }
      if (after)
        count->stay++;
      else
        count->here++;
    }
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static gboolean
coverage_work (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "op", "operator", .style = PH_STYLE_KEY }, { "here", "here", .right = TRUE }, { "stay", "stay", .right = TRUE },
  };
  /* clang-format on */
  g_autoptr (PhModel) model = ph_model_clone (call->model);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree gpointer *names = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  JsonArray *rows = ph_reply_array (call->reply, "operators");
  JsonObject *left = json_object_new ();
  guint before = 0, after = 0, n, stay = 0;
  const char *note;

  ph_call_progress (call, "converting", -1);
  options.cancellable = call->cancellable;
  count_foreign (model, FALSE, counts, &before);
  if (!ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &options, error))
    return FALSE;
  count_foreign (model, TRUE, counts, &after);
  names = g_hash_table_get_keys_as_array (counts, &n);
  qsort (names, n, sizeof *names, by_name);
  for (guint i = 0; i < n; i++)
    {
      const Count *count = g_hash_table_lookup (counts, names[i]);
      JsonObject *row = ph_json_add_object (rows);

      stay += count->stay;
      ph_json_set (row, "op", names[i]);
      json_object_set_int_member (row, "here", count->here);
      json_object_set_int_member (row, "stay", count->stay);
      if (count->stay > 0)
        json_object_set_int_member (left, names[i], count->stay);
    }
  json_object_set_object_member (call->reply->json, "left", left);
  json_object_set_int_member (call->reply->json, "stay", stay);
  note = g_array_index (history->steps, PhStep, 0).note;
  ph_json_set (call->reply->json, "why", note);
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  if (before == 0 && model->graph->outputs->len == 0)
    ph_reply_say (call->reply, "there is nothing to convert: the file has no main function%s\n",
                  model->functions->len > 0 ? "; `functions` lists those that it has" : "");
  else if (stay == 0)
    ph_reply_say (call->reply, "all of the model is, or becomes, ONNX\n");
  else
    ph_reply_say (call->reply, "%u of %u nodes would stay after convert-to-onnx%s%s\n", stay, after, note != NULL ? ": " : "",
                  note != NULL ? note : "");
  return TRUE;
}

static gboolean
coverage_begin (PhCall *call, GError **error)
{
  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

/* Begins convert [onnx|stablehlo], which runs the pass that writes the model in that dialect. */
static gboolean
convert_begin (PhCall *call, GError **error)
{
  const char *to;
  char *pass;

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  to = call->argc > 0 ? call->argv[0] : "onnx";
  if (!g_str_equal (to, "onnx") && !g_str_equal (to, "stablehlo"))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "nothing converts to '%s': convert onnx, or convert stablehlo", to);
      return FALSE;
    }
  pass = g_strdup_printf ("convert-to-%s", to);
  g_strfreev (call->argv);
  call->argv = g_new0 (char *, 2);
  call->argv[0] = pass;
  call->argc = 1;
  return ph_run_begin (call, error);
}

static gboolean
convert_finish (PhCall *call, GError **error)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  JsonObject *left = json_object_new ();
  GHashTableIter iter;
  gpointer name, count;
  guint n = 0;
  const gboolean ok = ph_run_finish (call, error);

  if (ok && ph_document_get_model (call->document) != NULL)
    count_foreign (ph_document_get_model (call->document), TRUE, counts, &n);
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &name, &count))
    json_object_set_int_member (left, name, ((const Count *) count)->stay);
  json_object_set_object_member (call->reply->json, "left", left);
  return ok;
}

static const PhCommand rows[] = {
  { "convert", "[onnx | stablehlo]", "Write the model in ONNX's operators, or in StableHLO's",
    "It runs the pass convert-to-onnx or convert-to-stablehlo, of which each rewrite is a step; `left` counts what no rule takes.",
    NULL, NULL, NULL, PH_CODE (convert_begin, ph_run_work, convert_finish, .finish_after_error = TRUE) },
  { "coverage", "", "Which operators of another system would stay after convert-to-onnx",
    "It converts a copy. 'here' counts the operators at the current position, in bodies too; 'stay' those that no rule takes, also "
    "from within functions that are called. What stays is drawn, compared and asked about all the same, but not computed.",
    NULL, NULL, NULL, PH_CODE (coverage_begin, coverage_work) },
};
const PhCommandGroup ph_commands_coverage = { rows, G_N_ELEMENTS (rows) };
