/* complete.c: completions of the word before the cursor.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/recording.h"
#include "core/console/call-arguments.h"
#include "core/console/command-words.h"
#include "core/console/console-state.h"
#include "core/console/trace.h"
#include "core/fuzzy.h"
#include "core/io/choose.h"
#include "core/io/format.h"
#include "core/ops/op.h"
#include "core/script/words.h"

/* @fuzzy: matches contain the letters rather than begin with the prefix. */
typedef struct
{
  GHashTable *set;
  const char *prefix;
  gsize length;
  gboolean fuzzy;
} Matches;

/* Names of files need not be UTF-8. No line that has such a name is run, so none is completed. */
static void
add (Matches *matches, const char *text)
{
  if (text != NULL && *text != '\0' && g_hash_table_size (matches->set) < PH_MAX_COMPLETIONS && g_utf8_validate (text, -1, NULL)
      && (matches->fuzzy ? ph_fuzzy_score (matches->prefix, text) > 0 : strncmp (text, matches->prefix, matches->length) == 0))
    g_hash_table_add (matches->set, g_strdup (text));
}

/* The modules of the file that is typed before the last slash. */
static void
add_parts (Matches *matches, const char *file, const char *typed)
{
  g_auto (GStrv) parts = ph_io_list_parts (file);

  for (guint i = 0; parts != NULL && parts[i] != NULL; i++)
    {
      g_autofree char *text = g_strconcat (typed, parts[i], NULL);

      add (matches, text);
    }
}

static void
add_files (Matches *matches)
{
  const char *slash = strrchr (matches->prefix, '/');
  g_autofree char *typed = slash != NULL ? g_strndup (matches->prefix, (gsize) (slash - matches->prefix) + 1) : g_strdup ("");
  g_autofree char *folder = *typed == '~'    ? g_build_filename (g_get_home_dir (), typed + 1, NULL)
                            : *typed == '\0' ? g_strdup (".")
                                             : g_strdup (typed);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL && slash != NULL)
    {
      folder[strlen (folder) - 1] = '\0';
      if (g_file_test (folder, G_FILE_TEST_IS_REGULAR))
        add_parts (matches, folder, typed);
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = g_strconcat (typed, name, g_file_test (path, G_FILE_TEST_IS_DIR) ? "/" : "", NULL);

      if (*name != '.' || (slash != NULL && slash[1] == '.'))
        add (matches, text);
    }
  if (dir != NULL)
    {
      g_autoptr (GPtrArray) modules = ph_recording_list_modules (folder);

      for (guint i = 0; i < modules->len; i++)
        {
          g_autofree char *whole = g_strconcat (typed, modules->pdata[i], NULL);

          add (matches, whole);
        }
    }
}

static void
add_passes (Matches *matches)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    add (matches, list[i]->name);
}

static void
add_pipelines (Matches *matches)
{
  guint n;
  const PhPipeline *list = ph_pipeline_list (&n);

  for (guint i = 0; i < n; i++)
    add (matches, list[i].name);
}

static void
add_nodes (Matches *matches, PhModel *model)
{
  for (guint i = 0; model != NULL && i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];

      /* Nodes are scattered in memory. */
      if (i + 16 < model->nodes->len)
        __builtin_prefetch (model->nodes->pdata[i + 16]);
      if (node == NULL)
        continue;
      add (matches, node->name);
      if (*matches->prefix == 'n' && g_ascii_isdigit (matches->prefix[1]))
        {
          g_autofree char *id = g_strdup_printf ("n%u", node->id);
          add (matches, id);
        }
    }
}

static void
add_functions (Matches *matches, PhModel *model)
{
  for (guint i = 0; model != NULL && i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];
      g_autofree char *name = g_strdup_printf ("%s%s%s", function->domain, *function->domain != '\0' ? "." : "", function->name);

      add (matches, name);
    }
}

static void
add_formats (Matches *matches)
{
  guint n;
  const PhFormat *const *list = ph_format_list (&n);

  for (guint i = 0; i < n; i++)
    add (matches, list[i]->name);
}

static void
add_values (Matches *matches, PhModel *model)
{
  for (guint i = 0; model != NULL && i < model->values->len; i++)
    if (model->values->pdata[i] != NULL)
      add (matches, ((PhValue *) model->values->pdata[i])->name);
}

static void
add_steps (Matches *matches, PhDocument *document)
{
  PhHistory *history = ph_document_get_history (document);

  for (guint s = 0; history != NULL && s <= history->steps->len; s++)
    {
      g_autofree char *text = g_strdup_printf ("%u", s);
      add (matches, text);
    }
}

/* Adds words of SQL. @before: the text in front of the word, whose last word may require a table. */
static void
add_sql (Matches *matches, const char *before)
{
  g_autofree char *trimmed = g_strchomp (g_strdup (before));
  const char *blank = strrchr (trimmed, ' '), *last = blank != NULL ? blank + 1 : trimmed;
  const gboolean table = g_ascii_strcasecmp (last, "from") == 0 || g_ascii_strcasecmp (last, "join") == 0;
  const char *point = strrchr (matches->prefix, '.');
  g_auto (GStrv) names = ph_sql_names (point != NULL ? PH_SQL_COLUMNS : table ? PH_SQL_TABLES : PH_SQL_ANY);
  g_autofree char *alias = point != NULL ? g_strndup (matches->prefix, (gsize) (point + 1 - matches->prefix)) : g_strdup ("");

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *text = g_strconcat (alias, names[i], NULL);

      add (matches, text);
    }
}

/* 'NAME' in a query. */
static void
add_text (Matches *matches, const char *name)
{
  g_autofree char *quoted = NULL;

  if (matches->fuzzy ? ph_fuzzy_score (matches->prefix + 1, name) == 0
                     : strncmp (name, matches->prefix + 1, matches->length - 1) != 0)
    return;
  quoted = g_strconcat ("'", name, "'", NULL);
  add (matches, quoted);
}

/* What a text in quotes of a query may be, by the column that it is compared with; where none is known, a node or a value. */
static void
add_texts (Matches *matches, PhModel *model, const char *before)
{
  g_autoptr (GRegex) regex = g_regex_new ("(\\w+)\\s*(?:not\\s+|in\\s*|like\\s*|[=<>!]+\\s*)*\\(?\\s*(?:'[^']*'\\s*,\\s*)*$",
                                          G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) info = NULL;
  g_autofree char *column = g_regex_match (regex, before, 0, &info) ? g_match_info_fetch (info, 1) : g_strdup ("");
  guint n;
  const PhPass *const *passes = ph_pass_list (&n);

  if (g_ascii_strcasecmp (column, "pass") == 0)
    for (guint i = 0; i < n; i++)
      add_text (matches, passes[i]->name);
  else if (g_ascii_strcasecmp (column, "rule") == 0)
    for (guint i = 0; i < n; i++)
      for (guint r = 0; r < passes[i]->n_rules; r++)
        add_text (matches, passes[i]->rules[r].name);
  else if (g_ascii_strcasecmp (column, "op") == 0)
    {
      for (guint i = 0; model != NULL && i < model->nodes->len; i++)
        if (model->nodes->pdata[i] != NULL)
          add_text (matches, ((PhNode *) model->nodes->pdata[i])->op_type);
    }
  /* Names may be hundreds of thousands: by how they begin alone. */
  else if (!matches->fuzzy)
    {
      for (guint i = 0; model != NULL && i < model->nodes->len; i++)
        if (model->nodes->pdata[i] != NULL && *((PhNode *) model->nodes->pdata[i])->name != '\0')
          add_text (matches, ((PhNode *) model->nodes->pdata[i])->name);
      for (guint i = 0; model != NULL && i < model->values->len; i++)
        if (model->values->pdata[i] != NULL)
          add_text (matches, ((PhValue *) model->values->pdata[i])->name);
    }
}

/* Functions that were defined at the prompt, or with @all everything that an expression may name. */
static void
add_language (Matches *matches, PhConsole *console, gboolean all)
{
  g_auto (GStrv) names = NULL;
  guint n_words, n_ops;
  const PhScriptWord *words = ph_script_words (&n_words);
  const PhOp *const *ops = ph_op_list (&n_ops);

  /* A running line may change them. */
  names = ph_console_is_running (console) ? g_new0 (char *, 1) : ph_trace_names (console);
  for (guint i = 0; names[i] != NULL; i++)
    if (all || ph_script_has_function (ph_console_get_script (console), names[i]))
      add (matches, names[i]);
  for (guint i = 0; all && i < n_words; i++)
    if (words[i].function != NULL)
      add (matches, words[i].name);
  for (guint i = 0; all && i < n_ops && *matches->prefix != '\0'; i++)
    {
      g_autofree char *lower = g_ascii_strdown (ops[i]->name, -1);

      add (matches, g_ascii_isupper (*matches->prefix) ? ops[i]->name : lower);
    }
}

static void
add_inputs (Matches *matches, PhModel *model)
{
  for (guint i = 0; model != NULL && i < model->graph->inputs->len; i++)
    add (matches, ((PhValue *) model->graph->inputs->pdata[i])->name);
}

static void
add_outputs (Matches *matches, PhModel *model)
{
  for (guint i = 0; model != NULL && i < model->graph->outputs->len; i++)
    if (model->graph->outputs->pdata[i] != NULL)
      add (matches, ((PhValue *) model->graph->outputs->pdata[i])->name);
}

/* Adds rules. @whole: with their pass, "algebraic/add-zero". */
static void
add_rules (Matches *matches, gboolean whole)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    for (guint r = 0; r < list[i]->n_rules; r++)
      {
        g_autofree char *text = whole ? g_strconcat (list[i]->name, "/", list[i]->rules[r].name, NULL) : NULL;

        add (matches, whole ? text : list[i]->rules[r].name);
      }
}

static void
add_operators (Matches *matches)
{
  guint n;
  const PhOp *const *list = ph_op_list (&n);

  for (guint i = 0; i < n; i++)
    add (matches, list[i]->name);
}

static void
add_commands (Matches *matches)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);

  for (guint i = 0; i < n; i++)
    add (matches, list[i]->name);
}

/* Adds the colourings that follow from the model alone. */
static void
add_colors (Matches *matches)
{
  for (PhColorMode mode = 0; mode < PH_N_COLOR_MODES; mode++)
    if (!ph_color_mode_is_given (mode))
      add (matches, ph_color_mode_name (mode));
}

static void
add_names (Matches *matches, char **names)
{
  for (guint i = 0; names[i] != NULL; i++)
    add (matches, names[i]);
  g_strfreev (names);
}

/* Adds the literals of a usage, which are its lower-case words: "show|open|clear", "wrt". */
static void
add_literals (Matches *matches, const char *kinds)
{
  g_auto (GStrv) words = g_strsplit_set (kinds, " |", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (words[i][strspn (words[i], "abcdefghijklmnopqrstuvwxyz")] == '\0')
      add (matches, words[i]);
}

/* Adds completions for each kind, a word in capitals in a command's arguments; "rule off [PASS/RULE]" has two kinds in one word. */
static void
add_arguments (Matches *matches, PhConsole *console, const char *kinds, const char *first)
{
  PhDocument *document = ph_console_get_document (console);
  PhModel *model = ph_document_get_model (document);

  if (strstr (kinds, "FILE") != NULL || strstr (kinds, "FOLDER") != NULL || strstr (kinds, "SCRIPT") != NULL)
    add_files (matches);
  if (strstr (kinds, "FORMAT") != NULL)
    add_formats (matches);
  if (strstr (kinds, "PASS/RULE") != NULL)
    add_rules (matches, TRUE);
  else if (strstr (kinds, "RULE") != NULL)
    add_rules (matches, FALSE);
  if (strstr (kinds, "OPERATOR") != NULL)
    add_operators (matches);
  if (strstr (kinds, "PASS") != NULL && strstr (kinds, "PASS/RULE") == NULL)
    add_passes (matches);
  if (strstr (kinds, "PIPELINE") != NULL)
    add_pipelines (matches);
  if (strstr (kinds, "NODE") != NULL)
    add_nodes (matches, model);
  if (strstr (kinds, "FUNCTION") != NULL)
    {
      add_functions (matches, model);
      add_language (matches, console, FALSE);
    }
  if (strstr (kinds, "WORD") != NULL)
    add_language (matches, console, TRUE);
  if (strstr (kinds, "INPUT") != NULL)
    add_inputs (matches, model);
  if (strstr (kinds, "OUTPUT") != NULL)
    add_outputs (matches, model);
  if (strstr (kinds, "VALUE") != NULL)
    add_values (matches, model);
  if (strstr (kinds, "COLOR") != NULL)
    add_colors (matches);
  if (strstr (kinds, "ENGINE") != NULL)
    add_names (matches, ph_view_names ("layout"));
  if (strstr (kinds, "DIRECTION") != NULL)
    add_names (matches, ph_view_names ("direction"));
  if (strstr (kinds, "FIELD") != NULL)
    add_names (matches, ph_view_names (NULL));
  if (strstr (kinds, "LOOK") != NULL && first != NULL)
    add_names (matches, ph_view_names (first));
  if (strstr (kinds, "LOOK") != NULL && g_strcmp0 (first, "part") == 0)
    add_nodes (matches, model);
  if (strstr (kinds, "STEP") != NULL)
    add_steps (matches, document);
  if (strstr (kinds, "SQL") != NULL)
    add_sql (matches, "");
  if (strstr (kinds, "COMMAND") != NULL)
    add_commands (matches);
  if (strstr (kinds, "SETTING") != NULL || strstr (kinds, "CHOICE") != NULL)
    add_names (matches, ph_setting_names (strstr (kinds, "CHOICE") != NULL ? first : NULL));
  add_literals (matches, kinds);
  if (*matches->prefix == '\0' || *matches->prefix == '-')
    for (const char *option = strstr (kinds, "--"); option != NULL; option = strstr (option + 2, "--"))
      {
        g_autofree char *text = g_strndup (option, strcspn (option, " "));
        add (matches, text);
      }
  if (*matches->prefix == '-')
    add (matches, "--wide");
}

static void
add_all_arguments (Matches *matches, PhConsole *console, const PhCommand *command, const char *rest, gsize length)
{
  g_autofree char *before = g_strndup (rest, length);
  g_auto (GStrv) words = ph_split_words (before, NULL);
  const guint n = words != NULL ? g_strv_length (words) : 0;
  g_autofree char *kinds = ph_arguments_next (command->arguments, words, n);

  add_arguments (matches, console, kinds, n > 0 ? words[0] : NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Finds the words with which the line may continue. */
static void
find (Matches *matches, PhConsole *console, const char *typed, guint start)
{
  const PhCommand *command = NULL;
  const char *rest;
  const PhLineKind kind = ph_line_classify (typed, &command, &rest);
  guint n;
  const PhCommand *const *list = ph_command_list (&n);
  gsize indent = strspn (typed, " \t");

  /* The first word is a command's; for commands of two words the second may be as well. */
  for (guint i = 0; i < n; i++)
    if (matches->fuzzy ? start == indent : strncmp (list[i]->name, typed + indent, strlen (typed + indent)) == 0)
      {
        gsize skip = start > indent ? start - indent : 0;
        g_autofree char *word = skip <= strlen (list[i]->name)
                                    ? g_strndup (list[i]->name + skip, strcspn (list[i]->name + skip, " "))
                                    : NULL;

        add (matches, word);
      }
  if (indent == start)
    add (matches, "select");
  if (kind == PH_LINE_SQL)
    {
      g_autofree char *before = g_strndup (typed, start);

      if (*matches->prefix == '\'')
        add_texts (matches, ph_document_get_model (ph_console_get_document (console)), before);
      else
        add_sql (matches, before);
    }
  else if (kind == PH_LINE_EXPRESSION && start > indent)
    {
      add_language (matches, console, TRUE);
      add_values (matches, ph_document_get_model (ph_console_get_document (console)));
    }
  else if (kind == PH_LINE_COMMAND && rest <= typed + start)
    add_all_arguments (matches, console, command, rest, (gsize) (typed + start - rest));
}

typedef struct
{
  char *text;
  int score;
} Found;

static int
compare_scores (gconstpointer a, gconstpointer b)
{
  const Found *one = a, *other = b;

  return one->score != other->score ? other->score - one->score : strcmp (one->text, other->text);
}

#define MAX_FUZZY 12

/* Takes the best fuzzy matches. */
static void
take_best (GHashTable *set, const char *typed, GPtrArray *out)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_array_append_val (found, ((Found) { key, ph_fuzzy_score (typed, key) }));
  g_array_sort (found, compare_scores);
  for (guint i = 0; i < MIN (found->len, MAX_FUZZY); i++)
    g_ptr_array_add (out, g_strdup (g_array_index (found, Found, i).text));
}

/* The quote behind which @typed ends; NULL: it does not end in a text. */
static const char *
open_quote (const char *typed)
{
  const char *open = NULL;

  for (const char *p = typed; *p != '\0'; p++)
    if (*p == '\'')
      open = open == NULL ? p : NULL;
  return open;
}

char **
ph_console_complete (PhConsole *console, const char *line, guint cursor, guint *word_start)
{
  g_autoptr (GHashTable) set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *typed = g_strndup (line, cursor);
  guint start = (guint) strlen (typed);
  const PhCommand *command = NULL;
  const char *rest;
  GPtrArray *out = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;
  const PhLineKind kind = ph_line_classify (typed, &command, &rest);
  const char *ends = kind == PH_LINE_SQL || kind == PH_LINE_EXPRESSION ? " \t,()=<>+-*/@[" : " \t\"'";

  const char *quote = kind == PH_LINE_SQL ? open_quote (typed) : NULL;

  while (quote == NULL && start > 0 && strchr (ends, typed[start - 1]) == NULL)
    start--;
  if (quote != NULL)
    start = (guint) (quote - typed);
  Matches matches = { set, typed + start, strlen (typed + start) };

  find (&matches, console, typed, start);
  matches.fuzzy = g_hash_table_size (set) == 0 && matches.length >= 2 && g_utf8_validate (typed, -1, NULL);
  if (matches.fuzzy)
    {
      find (&matches, console, typed, start);
      take_best (set, matches.prefix, out);
    }
  else
    {
      g_hash_table_iter_init (&iter, set);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        g_ptr_array_add (out, g_strdup (key));
      g_ptr_array_sort (out, compare_names);
    }
  g_ptr_array_add (out, NULL);
  *word_start = start;
  return (char **) g_ptr_array_free (out, FALSE);
}
