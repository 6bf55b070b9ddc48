/* commands-script.c: compile, and trace and compare with a function: its graph, and the three ways to run it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-script.h"
#include "core/console/call-work.h"
#include "core/console/reply-table.h"
#include "core/console/trace.h"
#include "core/nearest.h"
#include "core/number.h"
#include "core/script/compare.h"
#include "core/script/words.h"

typedef struct
{
  PhScriptText *text;
  gboolean compile;
  PhScriptGraph *graph;           /* (nullable) until work is done */
  PhScriptComparison *comparison; /* (nullable) until work is done */
  guint n_inputs;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  ph_script_text_free (work->text);
  ph_script_graph_free (work->graph);
  ph_script_comparison_free (work->comparison);
  g_free (work);
}

gboolean
ph_call_names_function (PhCall *call)
{
  g_autofree char *name = g_strndup (call->rest, strcspn (call->rest, " \t("));

  return ph_script_has_function (ph_console_get_script (call->console), name);
}

gboolean
ph_call_read_function (PhCall *call, gboolean compile, GError **error)
{
  Work *work = g_new0 (Work, 1);
  const char *option = strstr (call->rest, "--inputs");
  g_autofree char *rest = g_strndup (call->rest, option != NULL ? (gsize) (option - call->rest) : strlen (call->rest));
  double number = 20;

  ph_call_set_data (call, work, work_free);
  work->compile = compile;
  if (option != NULL && !ph_call_take_number (call, "--inputs", &number, error))
    return FALSE;
  if (number < 0 || number > 10000)
    return ph_call_usage (call, error, "--inputs is from 0 to 10000");
  work->n_inputs = (guint) number;
  work->text = ph_script_parse (rest, NULL, error);
  if (work->text == NULL)
    return FALSE;
  ph_trace_find_outside (call, work->text);
  return TRUE;
}

gboolean
ph_call_make_graph (PhCall *call, GError **error)
{
  Work *work = call->data;
  PhScript *script = ph_console_get_script (call->console);

  if (work == NULL)
    return TRUE;
  ph_call_progress (call, work->compile ? "compiling" : "tracing", -1);
  work->graph = work->compile ? ph_script_compile (script, work->text, call->cancellable, error)
                              : ph_script_trace (script, work->text, call->cancellable, error);
  return work->graph != NULL;
}

void
ph_call_open_newcomer (PhCall *call, PhNewcomer *newcomer, const char *what)
{
  g_autofree char *name = ph_document_dup_name (call->document);
  const guint nodes = ph_model_n_nodes (newcomer->model, TRUE);
  const gboolean beside = ph_document_admit (call->document, newcomer, call->typed);

  json_object_set_int_member (call->reply->json, "nodes", nodes);
  json_object_set_boolean_member (call->reply->json, "beside", beside);
  ph_json_set (call->reply->json, "replaced", beside ? NULL : name);
  ph_reply_say (call->reply, "the %s is open%s: %u node%s%s%s\n", what, beside ? " in a tab beside" : "", nodes,
                nodes == 1 ? "" : "s", !beside && name != NULL ? ", in the place of " : "", !beside && name != NULL ? name : "");
}

gboolean
ph_call_open_graph (PhCall *call, GError **error)
{
  Work *work = call->data;
  PhNewcomer *newcomer;

  if (work == NULL)
    return TRUE;
  newcomer = ph_newcomer_new (g_steal_pointer (&work->graph->model));
  work->graph->model = ph_model_new ();
  /* All typed programs have the same name, so that source locations cannot tell them apart. */
  newcomer->program = work->graph->typed ? NULL : g_strdup (work->graph->file);
  newcomer->text = g_strdup (work->graph->text);
  newcomer->feeds = g_hash_table_ref (work->graph->feeds);
  ph_call_open_newcomer (call, newcomer, work->compile ? "compiled graph" : "trace");
  return TRUE;
}

/* ── files ── */

gboolean
ph_call_read_script (PhCall *call, const char *text, GError **error)
{
  Work *work = g_new0 (Work, 1);

  ph_call_set_data (call, work, work_free);
  ph_trace_set_program (call->console, call->argv[0]);
  work->text = ph_script_parse (text, call->argv[0], error);
  if (work->text == NULL)
    return FALSE;
  ph_trace_find_outside (call, work->text);
  return TRUE;
}

gboolean
ph_call_run_script (PhCall *call, GError **error)
{
  Work *work = call->data;
  PhScriptResult result = { NULL };
  gboolean ok;

  if (work == NULL)
    return TRUE;
  ok = ph_script_run (ph_console_get_script (call->console), work->text, FALSE, call->cancellable, &result, error);
  if (result.out != NULL && result.out->len > 0)
    {
      ph_json_set (call->reply->json, "printed", result.out->str);
      ph_reply_say (call->reply, "%s", result.out->str);
    }
  ph_script_result_clear (&result);
  return ok;
}

static gboolean
compile_begin (PhCall *call, GError **error)
{
  if (call->argc == 0)
    return ph_call_usage (call, error, "compile wants a function");
  return ph_call_read_function (call, TRUE, error);
}

/* ── compare ── */

gboolean
ph_call_compare_function (PhCall *call, GError **error)
{
  Work *work = call->data;

  ph_call_progress (call, "running", -1);
  work->comparison = ph_script_compare (ph_console_get_script (call->console), work->text, work->n_inputs, call->cancellable,
                                        error);
  return work->comparison != NULL;
}

#define LIST_WIDTH 24

/* Joins as many names as fit into a column, and says how many more there are. */
static char *
join (GPtrArray *nodes)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < nodes->len; i++)
    {
      const char *node = nodes->pdata[i];

      if (i > 0 && i + 1 < nodes->len && out->len + strlen (node) + strlen (", 99 more") > LIST_WIDTH)
        {
          g_string_append_printf (out, ", %u more", nodes->len - i);
          break;
        }
      g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", node);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static void
set_nodes (JsonObject *row, const char *member, GPtrArray *nodes)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    json_array_add_string_element (array, nodes->pdata[i]);
  json_object_set_array_member (row, member, array);
}

static void
reply_lines (PhReply *reply, const PhScriptComparison *comparison)
{
  static const PhColumn columns[]
      = { { "line", "line", .right = TRUE }, { "source", "source" }, { "trace", "trace" }, { "graph", "compiled" } };
  JsonArray *rows = ph_reply_array (reply, "lines");

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const PhScriptRow *row = comparison->rows->pdata[i];
      g_autofree char *left = join (row->traced), *right = join (row->compiled);
      JsonObject *object = ph_json_add_object (rows);

      json_object_set_int_member (object, "line", row->line);
      ph_json_set (object, "source", row->text);
      set_nodes (object, "traced", row->traced);
      set_nodes (object, "compiled", row->compiled);
      ph_json_set (object, "trace", left);
      ph_json_set (object, "graph", right);
    }
  ph_reply_table (reply, rows, columns, G_N_ELEMENTS (columns));
}

static void
reply_verdicts (PhReply *reply, const PhScriptComparison *comparison)
{
  const guint tried = comparison->n_inputs - comparison->n_refused;

  json_object_set_int_member (reply->json, "inputs", comparison->n_inputs);
  json_object_set_int_member (reply->json, "refused", comparison->n_refused);
  json_object_set_int_member (reply->json, "trace_wrong", comparison->n_trace_wrong);
  json_object_set_int_member (reply->json, "compiled_wrong", comparison->n_compiled_wrong);
  ph_json_set (reply->json, "trace_input", comparison->trace_input);
  json_object_set_int_member (reply->json, "trace_line", comparison->trace_line);
  ph_json_set (reply->json, "compiled_input", comparison->compiled_input);
  ph_json_set (reply->json, "trace_error", comparison->trace_error);
  ph_json_set (reply->json, "compile_error", comparison->compile_error);
  if (comparison->trace_error != NULL)
    ph_reply_say (reply, "trace: %s\n", comparison->trace_error);
  else if (comparison->n_trace_wrong == 0)
    ph_reply_say (reply, "trace: agrees with the eager run on all %u inputs\n", tried);
  else
    {
      ph_reply_say (reply, PH_STYLE_CHANGED "trace: wrong on %u of %u inputs" PH_STYLE_RESET ", first where %s\n",
                    comparison->n_trace_wrong, tried, comparison->trace_input);
      if (comparison->trace_line > 0)
        ph_reply_say (reply, "       line %u decides otherwise there, and the trace cannot\n", comparison->trace_line);
      ph_reply_say (reply, "       eager gives %s, the trace %s\n", comparison->trace_eager, comparison->trace_gave);
    }
  if (comparison->compile_error != NULL)
    ph_reply_say (reply, "compiled: %s\n", comparison->compile_error);
  else if (comparison->n_compiled_wrong == 0)
    ph_reply_say (reply, "compiled: agrees with the eager run on all %u inputs\n", tried);
  else
    ph_reply_say (reply, PH_STYLE_CHANGED "compiled: wrong on %u of %u inputs" PH_STYLE_RESET ", first where %s: %s\n",
                  comparison->n_compiled_wrong, tried, comparison->compiled_input, comparison->compiled_why);
  json_object_set_int_member (reply->json, "endless", comparison->n_endless);
  if (comparison->n_refused > comparison->n_endless)
    ph_reply_say (reply, "%u inputs stopped the eager run with an error\n", comparison->n_refused - comparison->n_endless);
  if (comparison->n_endless > 0)
    ph_reply_say (reply, "%u inputs were left out: after %u steps the eager run had not ended\n", comparison->n_endless,
                  comparison->limit);
}

static void
say_bytes (PhReply *reply, JsonObject *object, const char *what, const char *member, gint64 bytes)
{
  g_autofree char *size = bytes >= 0 ? ph_size_to_string ((guint64) bytes) : NULL;

  if (bytes >= 0)
    json_object_set_int_member (object, member, bytes);
  else
    json_object_set_null_member (object, member);
  ph_reply_say (reply, "%s %s", what, size != NULL ? size : "unknown");
}

static void
reply_memory (PhReply *reply, const PhScriptComparison *comparison)
{
  JsonObject *bytes = json_object_new ();

  say_bytes (reply, bytes, "computed values at once: eager", "eager", comparison->eager_bytes);
  if (comparison->trace_error == NULL)
    say_bytes (reply, bytes, ", trace", "trace", comparison->trace_bytes);
  if (comparison->compile_error == NULL)
    {
      say_bytes (reply, bytes, ", compiled", "compiled", comparison->compiled_bytes);
      say_bytes (reply, bytes, ", after O2", "optimised", comparison->optimised_bytes);
    }
  ph_reply_say (reply, "\n");
  json_object_set_object_member (reply->json, "bytes", bytes);
}

static void
reply_times (PhReply *reply, const PhScriptComparison *comparison)
{
  JsonObject *times = json_object_new ();

  json_object_set_double_member (times, "eager_ms", comparison->eager_ms);
  json_object_set_double_member (times, "trace_ms", comparison->trace_ms);
  json_object_set_double_member (times, "compiled_ms", comparison->compiled_ms);
  json_object_set_double_member (times, "optimised_ms", comparison->optimised_ms);
  json_object_set_object_member (reply->json, "times", times);
  ph_reply_say (reply, "eager %.3f ms", comparison->eager_ms);
  if (comparison->trace_error == NULL)
    ph_reply_say (reply, ", trace %.3f ms (%u node%s)", comparison->trace_ms, comparison->n_traced,
                  comparison->n_traced == 1 ? "" : "s");
  if (comparison->compile_error == NULL)
    ph_reply_say (reply, ", compiled %.3f ms (%u nodes), after O2 %.3f ms (%u nodes)", comparison->compiled_ms,
                  comparison->n_compiled, comparison->optimised_ms, comparison->n_optimised);
  ph_reply_say (reply, "\n");
}

gboolean
ph_call_reply_comparison (PhCall *call)
{
  const PhScriptComparison *comparison = ((Work *) call->data)->comparison;

  ph_json_set (call->reply->json, "function", comparison->name);
  reply_lines (call->reply, comparison);
  reply_verdicts (call->reply, comparison);
  reply_times (call->reply, comparison);
  reply_memory (call->reply, comparison);
  return TRUE;
}

/* ── language ── */

/* Words named @name, or all; how many. */
static guint
say_words (PhReply *reply, const char *name)
{
  guint n, found = 0;
  const PhScriptWord *words = ph_script_words (&n);
  JsonArray *rows = NULL;

  for (guint i = 0; i < n; i++)
    if (name == NULL || g_str_equal (words[i].name, name))
      {
        JsonObject *row;

        if (found++ == 0)
          rows = ph_reply_array (reply, "words");
        row = ph_json_add_object (rows);
        ph_json_set (row, "name", words[i].name);
        ph_json_set (row, "arguments", words[i].arguments);
        ph_json_set (row, "summary", words[i].summary);
        ph_reply_say (reply, PH_STYLE_KEY "%s%s" PH_STYLE_RESET "\n    %s\n", words[i].function != NULL ? words[i].name : "",
                      words[i].arguments, words[i].summary);
      }
  return found;
}

/* Refers from "softmax" to the operator Softmax, which `help` describes anyway under that name. */
static gboolean
say_operator (PhReply *reply, const char *name)
{
  const PhOp *op = ph_script_op (name, 1, NULL);
  JsonObject *row;

  if (op == NULL || g_str_equal (op->name, name))
    return FALSE;
  row = ph_json_add_object (ph_reply_array (reply, "words"));
  ph_json_set (row, "name", name);
  ph_json_set (row, "operator", op->name);
  ph_reply_say (reply, PH_STYLE_KEY "%s" PH_STYLE_RESET " in the tensor language is the operator %s: `help %s`\n", name, op->name,
                op->name);
  return TRUE;
}

gboolean
ph_call_reply_word (PhCall *call, const char *name)
{
  return say_words (call->reply, name) > 0 || say_operator (call->reply, name);
}

static gboolean
language_begin (PhCall *call, GError **error)
{
  guint n;
  const PhScriptWord *words = ph_script_words (&n);

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (say_words (call->reply, call->argc > 0 ? call->argv[0] : NULL) == 0
      && !(call->argc > 0 && say_operator (call->reply, call->argv[0])))
    {
      g_autofree const char **names = g_new (const char *, n);
      const char *nearest;

      for (guint i = 0; i < n; i++)
        names[i] = words[i].name;
      nearest = ph_nearest (call->argv[0], names, n);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "the language has no word '%s'%s%s%s; operators are there by their names: `help OPERATOR`", call->argv[0],
                   nearest != NULL ? ", did you mean '" : "", nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
      return FALSE;
    }
  if (call->argc == 0)
    ph_reply_say (
        call->reply,
        "every operator by its name, with its attributes: softmax(x, axis=1), reduce_sum(x), Conv(x, w, pads=[1, 1, 1, 1])\n");
  return TRUE;
}

static const PhCommand rows[] = {
  { "compile", "FUNCTION(ARGUMENTS)", "Open the source of a function as a graph, with If and Loop",
    "`def f(x): ...` first; `compile f(x)` makes the graph for tensors of the types and shapes of the arguments, which are its inputs and are fed; `compile f` "
    "takes the arguments of the last call. Numbers that are no tensors, and tensors that f reads from outside, are constants. `trace f(x)` opens one run "
    "instead, `compare f(x)` shows both beside the source. What cannot be a graph is refused with its line and column.",
    NULL, NULL, NULL, PH_CODE (compile_begin, ph_call_make_graph, ph_call_open_graph) },
  { "language", "[WORD]", "The words of the tensor language, or what one of them does",
    "A line that is neither a command nor a query is a part of Python with numpy's meaning. It runs at once and is recorded. `help OPERATOR` is for operators, which "
    "are all there by their ONNX names.",
    NULL, NULL, NULL, PH_CODE (language_begin) },
};
const PhCommandGroup ph_commands_script = { rows, G_N_ELEMENTS (rows) };
