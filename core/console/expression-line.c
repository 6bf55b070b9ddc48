/* expression-line.c: a line that is a tensor expression, or an assignment of one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/trace.h"

/* A line that begins with a word nobody knows was most likely meant to be a command. */
static void
explain_unknown (PhCall *call, GError **error)
{
  guint                   n;
  const PhCommand *const *list = ph_command_list (&n);
  g_auto (GStrv)           variables = ph_trace_names (call->console);
  guint                   n_variables = g_strv_length (variables);
  g_autofree const char **names = g_new (const char *, n + n_variables + 1);
  g_autofree char        *word = g_strndup (call->rest, strcspn (call->rest, " \t"));
  const char             *nearest;

  for (guint i = 0; i < n; i++)
    names[i] = list[i]->name;
  for (guint i = 0; i < n_variables; i++)
    names[n + i] = variables[i];
  nearest = ph_nearest (call->rest, names, n + n_variables);
  if (nearest == NULL)
    nearest = ph_nearest (word, names, n + n_variables);
  g_clear_error (error);
  if (nearest != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no command '%s'; did you mean '%s'?", word, nearest);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no command '%s': `help` lists them", word);
}

/* "y = ..." has a name; "x == y" and "log (x)" have none. @at: (out) where the expression begins. FALSE: the line is one word,
 * or words, and no variable. */
static gboolean
take_target (PhCall *call, char **name, const char **at)
{
  const char      *end = call->rest;
  g_autofree char *word = NULL;
  PhModel         *model = ph_document_get_model (call->document);
  gboolean         bare;

  *at = call->rest;
  if (!g_ascii_isalpha (*end) && *end != '_')
    return TRUE;
  while (g_ascii_isalnum (*end) || *end == '_' || *end == '.' || *end == ':')
    end++;
  word = g_strndup (call->rest, (gsize) (end - call->rest));
  while (g_ascii_isspace (*end))
    end++;
  if (*end == '=' && end[1] != '=')
    {
      *name = g_steal_pointer (&word);
      *at = end + 1;
      return TRUE;
    }
  bare = *end == '\0' || g_ascii_isalnum (*end) || *end == '_' || *end == '\'' || *end == '"';
  return !bare || ph_trace_has (call->console, word) || (model != NULL && ph_model_find_value_named (model, word) != NULL);
}

gboolean
ph_expression_begin (PhCall *call, GError **error)
{
  g_autofree char  *name = NULL, *text = NULL;
  g_auto (PhOperand) result = { NULL };
  const char       *at, *target;
  JsonObject       *row;

  if (!take_target (call, &name, &at))
    {
      explain_unknown (call, error);
      return FALSE;
    }
  if (!ph_expression_parse (call, call->rest, at, &result, error) || (name != NULL && !ph_trace_assign (call, name, &result, error)))
    return FALSE;

  ph_trace_keep_line (call, name != NULL);
  target = name != NULL ? name : result.value != NULL ? result.value->name : "";
  row = ph_json_add_object (ph_reply_array (call->reply, "values"));
  ph_json_set (row, "name", target);
  ph_tensor_to_json (result.tensor, row, 1000);
  ph_json_set (call->reply->json, "name", target);
  text = ph_tensor_to_string (result.tensor, 100);
  if (name != NULL)
    ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET " = %s\n", name, text);
  else
    ph_reply_say (call->reply, "%s\n", text);
  return TRUE;
}
