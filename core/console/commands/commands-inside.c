/* commands-inside.c: enter and leave the graph inside a fused node, a call or a body; list the functions of the model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"

static char *
name_of (const PhFunction *function)
{
  return g_strdup_printf ("%s%s%s", function->domain, *function->domain != '\0' ? "." : "", function->name);
}

/* Finds a function by "domain.name", or by its bare name if that is unique. (nullable) */
static const PhFunction *
find_function (PhModel *model, const char *name)
{
  const PhFunction *found = NULL;
  guint n = 0;

  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];
      g_autofree char *full = name_of (function);

      if (g_str_equal (full, name))
        return function;
      if (g_str_equal (function->name, name))
        {
          found = function;
          n++;
        }
    }
  return n == 1 ? found : NULL;
}

/* Reports which graph the picture shows, as JSON and as a line of text. */
static void
reply_inside (PhCall *call)
{
  PhModel *model = ph_document_get_model (call->document);
  GArray *trail = ph_document_get_trail (call->document);
  JsonArray *path = ph_reply_array (call->reply, "path");
  GString *text = g_string_new (NULL);
  const PhId inside = ph_document_get_inside (call->document);
  const PhNode *node = ph_model_find_node (model, inside);
  const PhGraph *graph = inside == PH_NO_ID ? model->graph : ph_model_find_graph (model, inside);

  for (guint i = 0; i < trail->len; i++)
    {
      g_autofree char *part = ph_document_trail_text (call->document, i);

      json_array_add_string_element (path, part);
      g_string_append_printf (text, " / %s", part);
    }
  ph_reply_say (call->reply, "inside: %s%s\n", *model->graph->name != '\0' ? model->graph->name : "graph", text->str);
  g_string_free (text, TRUE);
  for (guint i = 0; graph != NULL || (node != NULL && node->graphs != NULL && i < node->graphs->len); i++)
    {
      const PhGraph *body = graph != NULL ? graph : node->graphs->pdata[i];

      ph_reply_say (call->reply, "  %s: %u inputs, %u nodes, %u outputs\n", body->attr != NULL ? body->attr : body->name,
                    body->inputs->len, body->n_nodes, body->outputs->len);
      if (graph != NULL)
        break;
    }
}

static gboolean
enter_begin (PhCall *call, GError **error)
{
  PhModel *model = ph_document_get_model (call->document);
  const PhFunction *function;
  const PhNode *node;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  function = call->argc == 1 ? find_function (model, call->argv[0]) : NULL;
  if (function != NULL)
    ph_document_enter_function (call->document, function);
  else
    {
      node = call->argc == 1 ? ph_call_find_node (call, call->argv[0], error)
                             : ph_model_find_node (model, ph_document_get_selection (call->document));
      if (node == NULL)
        return call->argc == 1 ? FALSE : ph_call_usage (call, error, "nothing is selected: click a node, or name one");
      if (!ph_document_enter (call->document, node, error))
        return FALSE;
    }
  reply_inside (call);
  return TRUE;
}

static gboolean
leave_begin (PhCall *call, GError **error)
{
  GArray *trail = ph_document_get_trail (call->document);
  guint64 levels = 1;
  PhId out;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 1 && g_str_equal (call->argv[0], "all"))
    levels = MAX (trail->len, 1);
  else if (call->argc == 1 && !g_ascii_string_to_unsigned (call->argv[0], 10, 1, G_MAXUINT16, &levels, NULL))
    return ph_call_usage (call, error, "'%s' is not a number of levels: say 1, 2, ... or all", call->argv[0]);
  if (trail->len == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "there is nothing to leave: the picture shows the whole model");
      return FALSE;
    }
  /* Select the node that was left, as a file manager selects the folder that was left. */
  out = g_array_index (trail, PhTrailPart, trail->len - MIN (levels, trail->len)).node;
  ph_document_leave (call->document, (guint) levels);
  if (out != PH_NO_ID)
    ph_document_set_selection (call->document, out);
  reply_inside (call);
  return TRUE;
}

/* Returns how often each function is called (PhFunction -> GUINT_TO_POINTER). */
static GHashTable *
count_calls (PhModel *model)
{
  GHashTable *calls = g_hash_table_new (NULL, NULL);

  for (PhId id = 1; id < model->next_id; id++)
    {
      const PhNode *node = ph_model_find_node (model, id);
      PhFunction *function = node != NULL ? ph_node_function (node) : NULL;

      if (function != NULL)
        g_hash_table_insert (calls, function, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (calls, function)) + 1));
    }
  return calls;
}

static gboolean
functions_begin (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "name", "function", .style = PH_STYLE_KEY }, { "inputs", "inputs", .right = TRUE }, { "outputs", "outputs", .right = TRUE },
    { "nodes", "nodes", .right = TRUE }, { "calls", "calls", .right = TRUE, .dim = "calls" }, { "note", "" },
  };
  /* clang-format on */
  PhModel *model = ph_document_get_model (call->document);
  JsonArray *rows = ph_reply_array (call->reply, "functions");
  g_autoptr (GHashTable) counted = g_hash_table_new_full (NULL, NULL, NULL, g_free), calls = NULL;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  calls = count_calls (model);
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];
      JsonObject *row = ph_json_add_object (rows);
      g_autofree char *name = name_of (function);

      ph_json_set (row, "name", name);
      json_object_set_int_member (row, "inputs", function->graph->inputs->len);
      json_object_set_int_member (row, "outputs", function->graph->outputs->len);
      json_object_set_int_member (row, "nodes", function->graph->n_nodes);
      json_object_set_int_member (row, "calls", GPOINTER_TO_UINT (g_hash_table_lookup (calls, function)));
      ph_json_set (row, "note", isinf (ph_function_n_nodes (function, counted)) ? "calls itself" : "");
    }
  if (model->functions->len == 0)
    ph_reply_say (call->reply, "the model has no functions\n");
  else
    ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "enter", "[NODE|FUNCTION]", N_ ("Show what is inside a fused node, a call of a function, or a node with bodies"),
    "`enter n42`, `enter local.scale`; without one, what is selected. The picture and `render` show the inside, with what changed in it, "
    "until `leave`.", N_ ("Go _Inside"), NULL, NULL, PH_CODE (enter_begin) },
  { "leave", "[N|all]", N_ ("Go out of what `enter` went into"), "`leave` goes out once, `leave all` to the whole model.", N_ ("Go _Out"),
    NULL, NULL, PH_CODE (leave_begin) },
  { "functions", "", "The functions of the model, and how often each is called", "`enter FUNCTION` shows one.", NULL, NULL, NULL,
    PH_CODE (functions_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_inside = { rows, G_N_ELEMENTS (rows) };
