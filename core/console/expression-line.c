/* expression-line.c: lines of the tensor language.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/other-code.h"
#include "core/console/reply-rows.h"
#include "core/console/trace.h"
#include "core/nearest.h"
#include "core/script/words.h"

/* The names of commands in other consoles. */
static const char *const elsewhere[][2] = {
  { "exit", "quit" },    { "bye", "quit" },      { "load", "open" },   { "undo", "back" },       { "next", "step" },
  { "continue", "run" }, { "optimize", "run" },  { "show", "tables" }, { "describe", "tables" }, { "schema", "tables" },
  { "forward", "eval" }, { "backward", "grad" }, { "export", "save" }, { "write", "save" },      { "plot", "render" },
  { "draw", "render" },  { "search", "find" },   { "man", "help" },    { "explain", "why" },
};

/* Explains an unknown first word: the line was most likely meant as a command. */
static void
explain_unknown (PhCall *call, GError **error)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);
  g_auto (GStrv) variables = ph_trace_names (call->console);
  guint n_variables = g_strv_length (variables);
  g_autofree const char **names = g_new (const char *, n + n_variables + 1); /* and select, which is no row of the list */
  g_autofree char *word = g_strndup (call->rest, strcspn (call->rest, " \t"));
  const char *nearest;

  for (guint i = 0; i < n; i++)
    names[i] = list[i]->name;
  for (guint i = 0; i < n_variables; i++)
    names[n + i] = variables[i];
  names[n + n_variables] = "select";
  nearest = ph_nearest (call->rest, names, n + n_variables + 1);
  for (guint i = 0; i < G_N_ELEMENTS (elsewhere) && nearest == NULL; i++)
    nearest = g_ascii_strcasecmp (word, elsewhere[i][0]) == 0 ? elsewhere[i][1] : NULL;
  if (nearest == NULL)
    nearest = ph_nearest (word, names, n + n_variables + 1);
  g_clear_error (error);
  if (nearest != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no command '%s'; did you mean '%s'?", word, nearest);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no command '%s': `help` lists them", word);
}

/* `selct * from nodes` would make no sense as a product either. */
static gboolean
is_query (const char *line, const char *word)
{
  static const char *const select[] = { "select" };

  return strstr (line, " from ") != NULL && ph_nearest (word, select, 1) != NULL;
}

/* Returns TRUE if words follow each other that begin no statement: most likely a mistyped command. */
static gboolean
is_mistyped (PhCall *call)
{
  static const char *const statements[] = { "if",   "for",    "while", "def",    "return",   "not",    "import",
                                            "from", "assert", "pass",  "break",  "continue", "class",  "with",
                                            "try",  "del",    "raise", "global", "nonlocal", "lambda", "elif",
                                            "else", "async",  "await", NULL };
  const char *end = call->rest;
  g_autofree char *word = NULL;
  PhScript *script = ph_console_get_script (call->console);
  PhModel *model = ph_document_get_model (call->document);

  if (!g_ascii_isalpha (*end) && *end != '_')
    return FALSE;
  while (g_ascii_isalnum (*end) || *end == '_' || *end == '.' || *end == ':')
    end++;
  /* `try:` is the head of a block. */
  while (end > call->rest && end[-1] == ':')
    end--;
  word = g_strndup (call->rest, (gsize) (end - call->rest));
  while (*end == ' ' || *end == '\t')
    end++;
  if (g_strv_contains (statements, word))
    return FALSE;
  if (is_query (call->rest, word))
    return TRUE;
  {
    g_autofree char *first = g_strndup (word, strcspn (word, "."));

    if (strchr (word, '.') != NULL && ph_script_has (script, first))
      return FALSE;
  }
  if (*end != '\0' && !g_ascii_isalnum (*end) && *end != '_' && *end != '\'' && *end != '"')
    return FALSE;
  if (g_str_has_prefix (end, "if ") || g_str_has_prefix (end, "and ") || g_str_has_prefix (end, "or ")
      || g_str_has_prefix (end, "is ") || g_str_has_prefix (end, "in ") || g_str_has_prefix (end, "not "))
    return FALSE;
  return !ph_script_has (script, word) && !ph_script_has_function (script, word) && ph_script_word_find (word) == NULL
         && (model == NULL || ph_model_find_value_named (model, word) == NULL) && !g_str_equal (word, "pi")
         && !g_str_equal (word, "e") && !g_str_equal (word, "inf") && !g_str_equal (word, "nan") && !g_str_equal (word, "True")
         && !g_str_equal (word, "False") && !g_str_equal (word, "None");
}

typedef struct
{
  PhScriptText *text;
} Line;

static void
line_free (gpointer data)
{
  Line *line = data;

  ph_script_text_free (line->text);
  g_free (line);
}

gboolean
ph_expression_begin (PhCall *call, GError **error)
{
  Line *line = g_new0 (Line, 1);

  ph_call_set_data (call, line, line_free);
  if (is_mistyped (call))
    {
      explain_unknown (call, error);
      return FALSE;
    }
  line->text = ph_script_parse (call->rest, NULL, error);
  if (line->text == NULL)
    return FALSE;
  ph_trace_find_outside (call, line->text);
  return TRUE;
}

static void
reply_value (PhReply *reply, const char *name, PhScriptValue *value)
{
  g_autoptr (PhTensor) tensor = ph_script_value_tensor (value);
  g_autofree char *text = ph_script_value_text (value, 100);

  if (tensor != NULL)
    {
      JsonObject *row = ph_json_add_object (ph_reply_array (reply, "values"));

      ph_json_set (row, "name", name);
      ph_tensor_to_json (tensor, row, 1000);
    }
  else
    ph_json_set (reply->json, "value", text);
  ph_json_set (reply->json, "name", name);
  if (name[0] != '\0')
    ph_reply_say (reply, PH_STYLE_KEY "%s" PH_STYLE_RESET " = %s\n", name, text);
  else
    ph_reply_say (reply, "%s\n", text);
}

/* Replies with the output and the value of a line or script. */
static void
reply_result (PhCall *call, PhScriptResult *result)
{
  if (result->out->len > 0)
    {
      ph_json_set (call->reply->json, "printed", result->out->str);
      ph_reply_say (call->reply, "%s", result->out->str);
    }
  if (result->value != NULL && (result->target != NULL || !ph_script_value_is_none (result->value)))
    reply_value (call->reply, result->target != NULL ? result->target : "", result->value);
}

gboolean
ph_expression_work (PhCall *call, GError **error)
{
  Line *line = call->data;
  PhScriptResult result = { NULL };
  const gboolean ok = ph_script_run (ph_console_get_script (call->console), line->text, TRUE, call->cancellable, &result, error);

  /* Output before the failure is still shown. */
  if (ok)
    reply_result (call, &result);
  else if (result.out != NULL && result.out->len > 0)
    ph_reply_say (call->reply, "%s", result.out->str);
  if (ok && result.recorded)
    ph_trace_keep_line (call);
  ph_script_result_clear (&result);
  return ok;
}
