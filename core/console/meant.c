/* meant.c: suggestions for mistyped words, and the line of a file to which a message refers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/meant.h"

#include <stdlib.h>
#include <string.h>

#include "core/console/console-state.h"
#include "core/nearest.h"
#include "core/ops/op.h"
#include "passes/pass.h"

static char *
say (const char *nearest)
{
  return nearest != NULL ? g_strdup_printf ("; did you mean '%s'?", nearest) : g_strdup ("");
}

char *
ph_meant (const char *typed, const char *const *names, guint n)
{
  return say (ph_nearest (typed, names, n));
}

static void
add_rules (GPtrArray *names, gboolean whole)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);

  for (guint p = 0; p < n; p++)
    for (guint r = 0; r < list[p]->n_rules; r++)
      g_ptr_array_add (names, whole ? g_strdup_printf ("%s/%s", list[p]->name, list[p]->rules[r].name)
                                    : g_strdup (list[p]->rules[r].name));
}

char *
ph_meant_pass (const char *typed)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint n;
  const PhPass *const *list = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (names, (gpointer) list[i]->name);
  return ph_meant (typed, (const char *const *) names->pdata, names->len);
}

char *
ph_meant_rule (const char *typed)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  add_rules (names, TRUE);
  if (strchr (typed, '/') == NULL) /* a rule is named with its pass */
    {
      g_autoptr (GPtrArray) bare = g_ptr_array_new ();
      const char *nearest;

      for (guint i = 0; i < names->len; i++)
        g_ptr_array_add (bare, strchr (names->pdata[i], '/') + 1);
      nearest = ph_nearest (typed, (const char *const *) bare->pdata, bare->len);
      for (guint i = 0; i < names->len; i++)
        if (nearest == bare->pdata[i])
          return say (names->pdata[i]);
    }
  return ph_meant (typed, (const char *const *) names->pdata, names->len);
}

char *
ph_meant_help (const char *typed, const char *command)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);

  if (command != NULL)
    g_ptr_array_add (names, g_strdup (command));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (names, g_strdup (passes[i]->name));
  add_rules (names, FALSE);
  const PhOp *const *ops = ph_op_list (&n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (names, g_strdup (ops[i]->name));
  return ph_meant (typed, (const char *const *) names->pdata, names->len);
}

char *
ph_meant_step (PhDocument *document, const char *typed)
{
  PhHistory *history = ph_document_get_history (document);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; history != NULL && i < history->steps->len; i++)
    g_ptr_array_add (names, (gpointer) g_array_index (history->steps, PhStep, i).pass);
  return ph_meant (typed, (const char *const *) names->pdata, names->len);
}

/* ── SQL ── */

static const char *const keywords[] = { "select",  "from",   "where",  "group",     "by",     "order",     "limit",  "having",
                                        "join",    "left",   "on",     "as",        "and",    "or",        "not",    "union",
                                        "with",    "case",   "when",   "then",      "else",   "end",       "like",   "glob",
                                        "in",      "is",     "null",   "desc",      "asc",    "using",     "exists", "distinct",
                                        "between", "offset", "values", "recursive", "except", "intersect", "inner",  "cross" };
static const char *const functions[] = { "count",        "sum",    "avg",       "min",    "max",    "abs",
                                         "round",        "length", "lower",     "upper",  "substr", "replace",
                                         "trim",         "total",  "instr",     "printf", "format", "coalesce",
                                         "group_concat", "ifnull", "json_each", "typeof", "log",    "log10" };

static gboolean
is_one_of (const char *word, const char *const *words, guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_ascii_strcasecmp (word, words[i]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_letter (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* Returns the keyword that the word around or before @at most likely stands for. */
static const char *
keyword_near (const char *text, const char *at)
{
  g_auto (GStrv) known = ph_sql_names (PH_SQL_ANY);
  const char *ends[2] = { at, at }, *p = at;

  while (p > text && !is_letter (p[-1]))
    p--;
  ends[0] = p; /* of the word before it, which SQLite took for a name */
  while (is_letter (*ends[1]))
    ends[1]++;
  for (guint i = 0; i < 2; i++)
    {
      const char *word = i == 0 ? "group" : "order";

      if (p - text >= 5 && g_ascii_strncasecmp (p - 5, word, 5) == 0 && (p - 5 == text || !is_letter (p[-6])))
        return i == 0 ? "group by" : "order by";
    }
  for (guint i = 0; i < 2; i++)
    {
      const char *start = ends[i], *nearest;
      g_autofree char *word = NULL;

      while (start > text && is_letter (start[-1]))
        start--;
      word = g_ascii_strdown (start, ends[i] - start);
      /* A text in quotes is no keyword. */
      if ((start > text && (start[-1] == '\'' || start[-1] == '"')) || strlen (word) < 3
          || is_one_of (word, keywords, G_N_ELEMENTS (keywords)) || g_strv_contains ((const char *const *) known, word))
        continue;
      nearest = ph_nearest (word, keywords, G_N_ELEMENTS (keywords));
      if (nearest != NULL)
        return nearest;
    }
  return NULL;
}

char *
ph_meant_sql (const char *message, const char *text, int offset)
{
  const char *none = "no such function: ";

  if (g_str_has_prefix (message, none))
    {
      g_auto (GStrv) known = ph_sql_names (PH_SQL_ANY);
      g_autoptr (GPtrArray) names = g_ptr_array_new ();

      for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
        g_ptr_array_add (names, (gpointer) functions[i]);
      for (guint i = 0; known[i] != NULL; i++)
        if (ph_sql_function_arguments (known[i]) != NULL)
          g_ptr_array_add (names, known[i]);
      return ph_meant (message + strlen (none), (const char *const *) names->pdata, names->len);
    }
  if (strstr (message, "syntax error") == NULL || offset < 0 || offset > (int) strlen (text))
    return g_strdup ("");
  return say (keyword_near (text, text + offset));
}

/* ── a line of a file ── */

#define MAX_QUOTED 200

void
ph_quote_line (const char *path, GError *error)
{
  g_autofree char *base = g_path_get_basename (path), *text = NULL, *shown = NULL, *message = NULL;
  const char *place = strstr (error->message, base), *start;
  guint64 line, column;
  char *end;
  gsize length;

  if (place == NULL || place[strlen (base)] != ':' || strchr (error->message, '\n') != NULL)
    return;
  line = g_ascii_strtoull (place + strlen (base) + 1, &end, 10);
  column = *end == ':' ? g_ascii_strtoull (end + 1, &end, 10) : 0;
  if (line == 0 || column == 0 || *end != ':' || !g_file_get_contents (path, &text, &length, NULL) || memchr (text, '\0', length))
    return;
  start = text;
  for (guint64 i = 1; i < line && start != NULL; i++)
    start = (start = strchr (start, '\n')) != NULL ? start + 1 : NULL;
  if (start == NULL)
    return;
  shown = g_strndup (start, strcspn (start, "\r\n"));
  if (!g_utf8_validate (shown, -1, NULL) || strlen (shown) > MAX_QUOTED || column > strlen (shown) + 1)
    return;
  g_strdelimit (shown, "\t", ' ');
  /* Columns are bytes of the line. */
  message = g_strdup_printf ("%s\n  %s\n  %*s^", error->message, shown, (int) g_utf8_strlen (shown, (gssize) column - 1), "");
  g_free (error->message);
  error->message = g_steal_pointer (&message);
}
