/* commands-help.c: help, source, history, quit.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-script.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/console-state.h"
#include "core/console/meant.h"
#include "core/console/reply-table.h"
#include "core/io/format.h"
#include "core/nearest.h"
#include "core/ops/dialect.h"
#include "core/ops/formula.h"
#include "core/ops/op.h"
#include "core/run/kernels.h"
#include "core/script/words.h"

static void
command_to_json (const PhCommand *row, JsonObject *object)
{
  json_object_set_string_member (object, "name", row->name);
  json_object_set_string_member (object, "arguments", row->arguments != NULL ? row->arguments : "");
  json_object_set_string_member (object, "summary", row->summary);
  ph_json_set (object, "help", row->help);
  ph_json_set (object, "shortcut", row->shortcut);
}

static gboolean
help_on_op (PhCall *call, const PhOp *op)
{
  JsonObject *json = call->reply->json;

  json_object_set_string_member (json, "operator", op->name);
  ph_json_set (json, "doc", op->doc);
  ph_reply_say (call->reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET ": %s\n", op->name, op->doc != NULL ? op->doc : "");
  for (guint i = 0; i < PH_MAX_ARGS && op->inputs[i].name != NULL; i++)
    ph_reply_say (call->reply, "  input %s%s\n", op->inputs[i].name, op->inputs[i].flags & PH_ARG_OPTIONAL ? " (optional)" : "");
  for (guint i = 0; i < PH_MAX_ARGS && op->outputs[i].name != NULL; i++)
    ph_reply_say (call->reply, "  output %s\n", op->outputs[i].name);
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name != NULL; i++)
    {
      g_autofree char *words = ph_op_attr_words (&op->attrs[i]);

      ph_reply_say (call->reply, "  attribute %s%s%s%s%s\n", op->attrs[i].name, op->attrs[i].fallback != NULL ? " = " : "",
                    op->attrs[i].fallback != NULL ? op->attrs[i].fallback : "", words != NULL ? ": " : "",
                    words != NULL ? words : "");
    }
  if (op->example.body != NULL)
    ph_reply_say (call->reply, "  example %s\n", op->example.body);
  ph_json_set (json, "example", op->example.body);
  json_object_set_string_member (json, "family", ph_family_name (op->family));
  for (const PhKernelRow *const *row = ph_kernel_rows (op); row != NULL && *row != NULL; row++)
    ph_reply_say (call->reply, "  kernel %s (%s)\n", (*row)->name, ph_device_name ((*row)->device));
  for (guint i = 0; i < PH_MAX_ARGS && op->inputs[i].name != NULL; i++)
    if (op->grad[i] != NULL)
      {
        g_autoptr (GString) text = g_string_new (NULL);

        ph_pattern_print (op->grad[i], op, text);
        ph_reply_say (call->reply, "  d/d%s = %s\n", op->inputs[i].name, text->str);
      }
    else
      {
        g_autofree char *text = ph_op_gradient_text (op, NULL, i);

        if (text != NULL)
          ph_reply_say (call->reply, "  d/d%s = %s\n", op->inputs[i].name, text);
      }
  return TRUE;
}

static void
say_rule (PhCall *call, const PhRule *rule, JsonObject *row)
{
  g_autofree char *text = ph_rule_to_string (rule);

  json_object_set_string_member (row, "name", rule->name);
  json_object_set_string_member (row, "text", text);
  ph_json_set (row, "why", rule->why);
  json_object_set_boolean_member (row, "exact", rule->exactness == PH_EXACT);
  ph_reply_say (call->reply, "  %s\n      " PH_STYLE_KEY "%s" PH_STYLE_RESET " (%s): %s\n", text, rule->name,
                ph_exactness_name (rule->exactness), rule->why != NULL ? rule->why : "");
}

static void
help_on_pass (PhCall *call, const PhPass *pass)
{
  JsonArray *rules = ph_reply_array (call->reply, "rules");

  json_object_set_string_member (call->reply->json, "pass", pass->name);
  ph_json_set (call->reply->json, "summary", pass->summary);
  ph_reply_say (call->reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET " (%s): %s\n", pass->name, pass->group, pass->summary);
  for (guint i = 0; i < pass->n_rules; i++)
    say_rule (call, &pass->rules[i], ph_json_add_object (rules));
  ph_json_set (call->reply->json, "elsewhere", pass->elsewhere);
  ph_json_set (call->reply->json, "trap", pass->trap);
  if (pass->trap != NULL)
    ph_reply_say (call->reply, "What goes wrong: %s\n", pass->trap);
  if (pass->elsewhere != NULL)
    ph_reply_say (call->reply, "Elsewhere: %s\n", pass->elsewhere);
}

/* Explains a rule: "square" in all passes that have one, or "strength-reduction/square". */
static gboolean
help_on_rule (PhCall *call, const char *name)
{
  const char *slash = strchr (name, '/'), *rule = slash != NULL ? slash + 1 : name;
  JsonArray *rules = NULL;
  guint n;
  const PhPass *const *list = ph_pass_list (&n);

  for (guint p = 0; p < n; p++)
    for (guint i = 0; i < list[p]->n_rules; i++)
      if (g_str_equal (list[p]->rules[i].name, rule)
          && (slash == NULL || strncmp (list[p]->name, name, (gsize) (slash - name)) == 0))
        {
          JsonObject *row;

          if (rules == NULL)
            rules = ph_reply_array (call->reply, "rules");
          row = ph_json_add_object (rules);
          json_object_set_string_member (row, "pass", list[p]->name);
          ph_reply_say (call->reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET " (%s): %s\n", list[p]->name, list[p]->group,
                        list[p]->summary);
          say_rule (call, &list[p]->rules[i], row);
        }
  return rules != NULL;
}

/* Finds "Conv" or "com.microsoft.Gelu". A name without a domain is looked up in ONNX's own domain first. */
static const PhOp *
find_op (const char *name)
{
  const char *dot = strrchr (name, '.');
  g_autofree char *domain = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : NULL;
  guint n;
  const PhOp *const *list = ph_op_list (&n);
  const PhOp *op = ph_op_find (domain, dot != NULL ? dot + 1 : name);

  for (guint i = 0; op == NULL && dot == NULL && i < n; i++)
    if (g_str_equal (list[i]->name, name))
      op = list[i];
  return op;
}

/* Finds "llvm.phi", or "phi" if only one dialect has it. */
static const PhForeignOp *
find_foreign (const char *name, const PhDialect **dialect)
{
  guint n;
  const PhDialect *const *list = ph_dialect_list (&n);
  const PhForeignOp *found = NULL;

  for (guint i = 0; i < n; i++)
    {
      const gboolean whole = g_str_has_prefix (name, list[i]->domain) && name[strlen (list[i]->domain)] == '.';
      const PhForeignOp *op = ph_dialect_find_foreign (list[i]->domain, whole ? name + strlen (list[i]->domain) + 1 : name);

      if (op == NULL || (found != NULL && !whole))
        continue;
      found = op;
      *dialect = list[i];
      if (whole)
        break;
    }
  return found;
}

static gboolean
help_on_foreign (PhCall *call, const PhForeignOp *op, const PhDialect *dialect)
{
  json_object_set_string_member (call->reply->json, "operator", op->name);
  json_object_set_string_member (call->reply->json, "dialect", dialect->title);
  ph_json_set (call->reply->json, "doc", op->doc);
  json_object_set_string_member (call->reply->json, "family", ph_family_name (op->family));
  ph_reply_say (call->reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET " (%s): %s\n", op->name, dialect->title, op->doc);
  return TRUE;
}

static gboolean
help_begin (PhCall *call, GError **error)
{
  guint n;
  const PhCommand *const *list = ph_command_list (&n);
  g_autofree char *name = g_strjoinv (" ", call->argv);
  const PhCommand *row = ph_command_find (name);
  gboolean found = FALSE, several = FALSE;
  const PhForeignOp *foreign;
  const PhDialect *dialect = NULL;
  JsonArray *commands;
  /* clang-format off */
  static const PhColumn    columns[] = {
    { "usage", "command", .style = PH_STYLE_KEY, .sentence = TRUE }, { "summary", "does", .sentence = TRUE }, { "shortcut", "key", .minor = TRUE },
  };
  /* clang-format on */

  /* "pass" is not a command itself, but there are `pass on`, `pass off`, ... */
  for (guint i = 0; i < n && !several; i++)
    several = name != NULL && g_str_has_prefix (list[i]->name, name) && list[i]->name[strlen (name)] == ' ';
  if (call->argc == 0 || row != NULL || several)
    {
      commands = ph_reply_array (call->reply, "commands");
      for (guint i = 0; i < n; i++)
        if (call->argc == 0 || list[i] == row || g_str_has_prefix (list[i]->name, name))
          {
            JsonObject *object = ph_json_add_object (commands);
            g_autofree char *usage = g_strconcat (list[i]->name, " ", list[i]->arguments, NULL);

            command_to_json (list[i], object);
            json_object_set_string_member (object, "usage", g_strchomp (usage));
            found = TRUE;
          }
      /* The help of one command shows all arguments, however narrow the terminal is. */
      if (call->reply->width > 0 && json_array_get_length (commands) == 1 && call->reply->mode == PH_TABLES_TABLE)
        ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET "\n%s\n",
                      json_object_get_string_member (json_array_get_object_element (commands, 0), "usage"),
                      json_object_get_string_member (json_array_get_object_element (commands, 0), "summary"));
      else
        ph_reply_table (call->reply, commands, columns, G_N_ELEMENTS (columns));
      if (row != NULL && row->help != NULL)
        ph_reply_say (call->reply, "%s\n", row->help);
      if (call->argc == 0)
        ph_reply_say (call->reply,
                      "also: select … from nodes, values, edges, steps, … (SQL); y = log(x1) + x1*x2 (computes and records)\n"
                      "help COMMAND, help PASS, help RULE and help OPERATOR say more\n");
    }
  else if (ph_pass_find (name) != NULL)
    {
      help_on_pass (call, ph_pass_find (name));
      found = TRUE;
    }
  else if (find_op (name) != NULL)
    found = help_on_op (call, find_op (name));
  else if (help_on_rule (call, name))
    found = TRUE;
  else if ((foreign = find_foreign (name, &dialect)) != NULL)
    found = help_on_foreign (call, foreign, dialect);

  /* Words of the language with that name are described as well. */
  found = (name != NULL && ph_call_reply_word (call, name)) || found;
  if (!found)
    {
      guint n_words;
      const PhScriptWord *words = ph_script_words (&n_words);
      g_autofree const char **names = g_new (const char *, n + n_words);
      g_autofree char *meant = NULL;

      for (guint i = 0; i < n; i++)
        names[i] = list[i]->name;
      for (guint i = 0; i < n_words; i++)
        names[n + i] = words[i].name;
      meant = ph_meant_help (name, ph_nearest (name, names, n + n_words));
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no command, pass, rule, operator or word '%s'%s", name,
                   *meant != '\0' ? meant : ": `help` lists the commands");
      return FALSE;
    }
  return TRUE;
}

static gboolean
formats_begin (PhCall *call, GError **error)
{
  static const PhColumn columns[] = {
    { "name", "format", .style = PH_STYLE_KEY }, { "title", "is", .sentence = TRUE }, { "files", "files" }, { "can", "can be" }
  };
  guint n, n_found = 0;
  const PhFormat *const *list = ph_format_list (&n);
  JsonArray *rows = ph_reply_array (call->reply, "formats");

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (call->argc == 0 || g_str_equal (list[i]->name, call->argv[0]))
      {
        const PhFormat *format = list[i];
        JsonObject *row = ph_json_add_object (rows);
        g_autofree char *files = format->patterns != NULL ? g_strjoinv (" ", (char **) format->patterns) : NULL;

        json_object_set_string_member (row, "name", format->name);
        json_object_set_string_member (row, "title", format->title);
        json_object_set_string_member (row, "files", files != NULL ? files : "");
        json_object_set_string_member (row, "can",
                                       format->write != NULL  ? "opened, saved"
                                       : format->read != NULL ? "opened"
                                                              : "recognised");
        ph_json_set (row, "instead", format->instead);
        ph_json_set (row, "mime", format->mime);
        n_found++;
      }
  if (n_found == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no format '%s': `formats` lists them", call->argv[0]);
      return FALSE;
    }
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  if (call->argc > 0 && ph_format_find (call->argv[0])->instead != NULL)
    ph_reply_say (call->reply, "%s\n", ph_format_find (call->argv[0])->instead);
  return TRUE;
}

static gboolean
source_begin (PhCall *call, GError **error)
{
  g_autofree char *text = NULL;
  gsize size;
  g_autoptr (GPtrArray) lines = NULL;
  g_autoptr (GArray) first = g_array_new (FALSE, FALSE, sizeof (guint));
  GError *own = NULL;
  double to = G_MAXUINT;

  if (!ph_call_take_number (call, "--to", &to, error) || !ph_call_need_args (call, 1, 1, error))
    return FALSE;
  if (!(to >= 1 && to == floor (to)))
    return ph_call_usage (call, error, "--to is the number of a line, from 1");
  if (!g_file_get_contents (call->argv[0], &text, &size, &own))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "the script cannot be read: %s", own->message);
      g_error_free (own);
      return FALSE;
    }
  if (!g_utf8_validate (text, (gssize) size, NULL)) /* and a NUL byte is no text */
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s is not a script: it is not text", call->argv[0]);
      return FALSE;
    }
  for (char *end = text; to < G_MAXUINT && (end = strchr (end, '\n')) != NULL; end++)
    if (--to == 0)
      end[1] = '\0';
  /* A Python file runs as a whole, with Python's own numbers. */
  if (g_str_has_suffix (call->argv[0], ".py"))
    return ph_call_read_script (call, text, error);
  lines = ph_lines_join (text, first);
  for (guint i = 0; i < lines->len; i++)
    if (*(char *) lines->pdata[i] != '#')
      {
        g_autofree char *place = g_strdup_printf ("%s:%u", call->argv[0], g_array_index (first, guint, i));

        ph_call_push_line (call, lines->pdata[i], place);
      }
  return TRUE;
}

static gboolean
history_begin (PhCall *call, GError **error)
{
  GPtrArray *lines = ph_console_get_lines (call->console);
  JsonArray *array = ph_reply_array (call->reply, "lines");

  if (!ph_call_need_args (call, 0, 0, error))
    return FALSE;
  for (guint i = 0; i + 1 < lines->len; i++)
    {
      const PhCommand *command;
      const char *rest;

      /* It would only list itself; and a script's lines are listed individually. */
      if (ph_line_classify (lines->pdata[i], &command, &rest) == PH_LINE_COMMAND
          && (g_str_equal (command->name, "history")
              || (g_str_equal (command->name, "source") && !g_str_has_suffix (lines->pdata[i], ".py"))))
        continue;
      g_autofree char *valid = g_utf8_make_valid (lines->pdata[i], -1);

      json_array_add_string_element (array, valid);
      ph_reply_say (call->reply, "%s\n", valid);
    }
  return TRUE;
}

static gboolean
quit_begin (PhCall *call, GError **error)
{
  if (!ph_call_need_args (call, 0, 0, error))
    return FALSE;
  call->reply->quit = TRUE;
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "help", "[COMMAND|PASS|RULE|OPERATOR]", N_ ("What there is, or what one of it does"), NULL, N_ ("_Help"), NULL, "help-browser-symbolic",
    PH_CODE (help_begin) },
  { "formats", "[FORMAT]", "The file formats that can be opened and saved, and those that are only recognised", "The content of a file decides how it is "
    "opened, its extension how it is saved.", NULL, NULL, NULL, PH_CODE (formats_begin) },
  { "source", "FILE [--to LINE]", N_ ("Run the lines of a script"), "Empty lines and lines that begin with # are skipped; a backslash at the end, an open bracket and the head of a block join what follows; the first "
    "failure ends it. A file NAME.py is one program of the tensor language: its functions and variables are there after it.",
    N_ ("Run S_cript…"), NULL, NULL, PH_CODE (source_begin, ph_call_run_script) },
  { "history", "", "The lines that were run, ready to be saved as a script", "Those that failed are left out. `history > script` writes them, "
    "`source script` and `peep -f script` run them again.", NULL, NULL, NULL, PH_CODE (history_begin) },
  { "quit", "", N_ ("Leave"), NULL, N_ ("_Quit"), "<Control>q", NULL, PH_CODE (quit_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_help = { rows, G_N_ELEMENTS (rows) };
