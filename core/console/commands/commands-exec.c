/* commands-exec.c: exec walks through a run of the graph, node after node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"
#include "core/document/adjoint.h"

#define BEFORE 6 /* lines of the order before the current one, and after it */
#define AFTER  9

typedef struct
{
  PhSnapshot *snapshot;
  PhExecution *execution;
} Exec;

static void
exec_free (gpointer data)
{
  Exec *exec = data;

  g_clear_pointer (&exec->snapshot, ph_snapshot_free);
  g_clear_pointer (&exec->execution, ph_execution_free);
  g_free (exec);
}

static const char *const words[] = { "next", "back", "turn", "to", "start", "end", "stop", NULL };

static gboolean
exec_begin (PhCall *call, GError **error)
{
  Exec *exec;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  if (call->argc > 0 && !g_strv_contains (words, call->argv[0]))
    return ph_call_usage (call, error, "'%s' is none of next, back, turn, to, start, end and stop", call->argv[0]);
  if (call->argc == 2 && !g_str_equal (call->argv[0], "to") && !g_str_equal (call->argv[0], "next")
      && !g_str_equal (call->argv[0], "back"))
    return ph_call_usage (call, error, "'%s' takes nothing more", call->argv[0]);
  if (call->argc == 1 && g_str_equal (call->argv[0], "to"))
    return ph_call_usage (call, error, "to which node?");
  exec = g_new0 (Exec, 1);
  ph_call_set_data (call, exec, exec_free);
  if (ph_document_get_execution (call->document, NULL) == NULL && (call->argc == 0 || !g_str_equal (call->argv[0], "stop")))
    exec->snapshot = ph_snapshot_new (call->document);
  return TRUE;
}

static gboolean
exec_work (PhCall *call, GError **error)
{
  Exec *exec = call->data;

  if (exec->snapshot == NULL)
    return TRUE;
  ph_call_progress (call, "computing", -1);

  g_autoptr (PhModel) model = ph_snapshot_take (exec->snapshot, ph_snapshot_get_history (exec->snapshot)->position);
  exec->execution = ph_execution_new (model, ph_snapshot_get_feeds (exec->snapshot), call->cancellable, error);
  return exec->execution != NULL;
}

/* Writes the name of a node for lists: "Add n3". */
static void
describe (const PhExecution *execution, guint index, PhModel *model, JsonObject *row)
{
  const PhExecutionEvent *event = execution->events->pdata[index];
  const guint turn = ph_execution_turn (execution, index, model);
  g_autofree char *id = g_strdup_printf ("n%u", event->node);
  g_autoptr (GString) value = g_string_new (NULL);

  json_object_set_int_member (row, "number", index + 1);
  json_object_set_string_member (row, "id", id);
  json_object_set_string_member (row, "op", event->op_type);
  ph_json_set (row, "name", event->name);
  if (turn > 0)
    json_object_set_int_member (row, "turn", turn);
  for (guint i = 0; i < event->n_outputs; i++)
    if (event->tensors[i] != NULL)
      {
        g_autofree char *text = ph_adjoint_text (event->tensors[i], ph_type_of_tensor (event->tensors[i]));
        g_string_append_printf (value, "%s%s", value->len > 0 ? ", " : "", text);
      }
  ph_json_set (row, "value", value->str);
}

/* Prints the current line of the order and some lines before and after it. */
static void
reply_order (PhCall *call, const PhExecution *execution, guint at)
{
  static const PhColumn columns[] = { { "mark", "" }, { "number", "", .right = TRUE },   { "id", "node", .style = PH_STYLE_KEY },
                                      { "op", "op" }, { "turn", "turn", .right = TRUE }, { "value", "value" } };
  JsonArray *rows = ph_reply_array (call->reply, "order");
  const guint first = at > BEFORE ? at - BEFORE : 0, last = MIN (at + AFTER, execution->events->len);

  for (guint i = first; i < last; i++)
    {
      JsonObject *row = ph_json_add_object (rows);

      json_object_set_string_member (row, "mark", i + 1 == at ? "→" : "");
      describe (execution, i, ph_document_get_model (call->document), row);
      /* Values of later events are not known yet. */
      if (i >= at)
        json_object_set_string_member (row, "value", "");
    }
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  ph_reply_say (call->reply, "%u of %u nodes ran%s\n", at, execution->events->len,
                execution->cut ? "; what came later is more than can be kept" : "");
}

static gboolean
find_target (PhCall *call, const PhExecution *execution, guint at, guint *to, GError **error)
{
  const char *word = call->argv[0];
  guint64 n = 1;

  if (call->argc == 2 && !g_str_equal (word, "to") && !g_ascii_string_to_unsigned (call->argv[1], 10, 1, G_MAXUINT / 2, &n, NULL))
    return ph_call_usage (call, error, "a number of nodes is needed, not '%s'", call->argv[1]);
  if (g_str_equal (word, "next"))
    *to = MIN ((guint64) at + n, execution->events->len);
  else if (g_str_equal (word, "back"))
    *to = at - MIN ((guint64) at, n);
  else if (g_str_equal (word, "turn"))
    *to = ph_execution_next_turn (execution, at);
  else if (g_str_equal (word, "start"))
    *to = 0;
  else if (g_str_equal (word, "end"))
    *to = execution->events->len;
  else
    {
      PhNode *node = ph_call_find_node (call, call->argv[1], error);

      if (node == NULL)
        return FALSE;
      /* Search from the current event to the end, then from the start. */
      for (guint i = 0; i < execution->events->len; i++)
        {
          const guint index = (at + i) % execution->events->len;

          if (((PhExecutionEvent *) execution->events->pdata[index])->node == node->id)
            {
              *to = index + 1;
              return TRUE;
            }
        }
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "'%s' does not run with these inputs", call->argv[1]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
exec_finish (PhCall *call, GError **error)
{
  Exec *exec = call->data;
  const PhExecution *execution;
  guint at, to = 0;

  if (call->argc > 0 && g_str_equal (call->argv[0], "stop"))
    {
      ph_reply_say (call->reply, "%s\n",
                    ph_document_get_execution (call->document, NULL) != NULL ? "the run is over" : "nothing was running");
      ph_document_take_execution (call->document, NULL);
      return TRUE;
    }
  if (exec->execution != NULL)
    ph_document_take_execution (call->document, g_steal_pointer (&exec->execution));
  execution = ph_document_get_execution (call->document, &at);
  if (execution == NULL) /* the inputs changed meanwhile */
    return ph_call_usage (call, error, "the run ended: start again");
  to = at;
  if (call->argc > 0 && !find_target (call, execution, at, &to, error))
    return FALSE;
  if (to != at)
    ph_document_go_execution (call->document, to);
  json_object_set_int_member (call->reply->json, "at", to);
  json_object_set_int_member (call->reply->json, "nodes", execution->events->len);
  json_object_set_boolean_member (call->reply->json, "cut", execution->cut);
  reply_order (call, execution, to);
  return TRUE;
}

static const PhCommand rows[] = {
  { "exec", "[next [N] | back [N] | turn | to NODE | start | end | stop]", N_ ("Run the graph node by node, forwards and back"),
    "Alone it shows the order in which the nodes run on the inputs that are fed, with the current one marked. `exec next` runs the next "
    "node, `exec turn` goes to the next turn of a loop, or out of it, `exec to NODE` to where that node has run; `exec back` takes a node "
    "back. What is known so far stands in the picture and in `values`. `exec stop`, other inputs or another position end it.",
    N_ ("Step the E_xecution"), NULL, NULL, PH_CODE (exec_begin, exec_work, exec_finish) },
};

const PhCommandGroup ph_commands_exec = { rows, G_N_ELEMENTS (rows) };
