/* commands-pass.c: the passes there are, and those of your own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/call-arguments.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"

/* ── passes ── */

static void
pass_to_json (const PhPass *pass, JsonObject *row)
{
  JsonArray *rules = json_array_new ();

  json_object_set_string_member (row, "name", pass->name);
  json_object_set_string_member (row, "group", pass->group);
  json_object_set_string_member (row, "summary", pass->summary);
  json_object_set_boolean_member (row, "exact", ph_pass_exactness (pass) == PH_EXACT);
  json_object_set_string_member (row, "class", ph_exactness_name (ph_pass_exactness (pass)));
  for (guint i = 0; i < pass->n_rules; i++)
    {
      const PhRule *rule = &pass->rules[i];
      JsonObject *item = ph_json_add_object (rules);
      g_autofree char *text = ph_rule_to_string (rule);

      json_object_set_string_member (item, "name", rule->name);
      json_object_set_string_member (item, "text", text);
      ph_json_set (item, "why", rule->why);
      json_object_set_boolean_member (item, "exact", rule->exactness == PH_EXACT);
      json_object_set_string_member (item, "class", ph_exactness_name (rule->exactness));
    }
  ph_json_set (row, "elsewhere", pass->elsewhere);
  ph_json_set (row, "trap", pass->trap);
  json_object_set_array_member (row, "rules", rules);
  json_object_set_int_member (row, "n_rules", pass->n_rules);
}

static void
say_rules (PhReply *reply, const PhPass *pass)
{
  for (guint i = 0; i < pass->n_rules; i++)
    {
      const PhRule *rule = &pass->rules[i];
      g_autofree char *text = ph_rule_to_string (rule);

      ph_reply_say (reply, "  " PH_STYLE_KEY "%s" PH_STYLE_RESET "  %s  " PH_STYLE_DIM "(%s)" PH_STYLE_RESET "\n      %s\n",
                    rule->name, text, ph_exactness_name (rule->exactness), rule->why != NULL ? rule->why : "");
    }
}

static gboolean
passes_begin (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "name", "pass", .style = PH_STYLE_KEY }, { "group", "group", .minor = TRUE }, { "n_rules", "rules", .right = TRUE, .minor = TRUE },
    { "class", "results", .minor = TRUE }, { "summary", "does", .sentence = TRUE },
  };
  /* clang-format on */
  guint n;
  const PhPass *const *list = ph_pass_list (&n);
  JsonArray *rows = ph_reply_array (call->reply, "passes");

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (call->argc == 0 || g_str_equal (call->argv[0], list[i]->name) || g_str_equal (call->argv[0], list[i]->group)
        || (g_str_equal (call->argv[0], "plugin") && !ph_pass_is_builtin (list[i])))
      pass_to_json (list[i], ph_json_add_object (rows));
  if (json_array_get_length (rows) == 0 && call->argc > 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pass or group '%s': `passes` lists them", call->argv[0]);
      return FALSE;
    }
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  if (call->argc > 0 && ph_pass_find (call->argv[0]) != NULL)
    say_rules (call->reply, ph_pass_find (call->argv[0]));
  return TRUE;
}

/* ── user passes ── */

typedef struct
{
  char *path;
  GPtrArray *passes;
} Load;

static void
load_free (gpointer data)
{
  Load *load = data;

  g_clear_pointer (&load->passes, g_ptr_array_unref);
  g_free (load->path);
  g_free (load);
}

static gboolean
load_begin (PhCall *call, GError **error)
{
  Load *load;

  if (!ph_call_need_args (call, 1, 1, error))
    return FALSE;
  load = g_new0 (Load, 1);
  load->path = g_strdup (call->argv[0]);
  ph_call_set_data (call, load, load_free);
  return TRUE;
}

static gboolean
load_work (PhCall *call, GError **error)
{
  Load *load = call->data;

  load->passes = ph_pass_load (load->path, call->cancellable, error);
  return load->passes != NULL;
}

static gboolean
load_finish (PhCall *call, GError **error)
{
  Load *load = call->data;
  JsonArray *rows = ph_reply_array (call->reply, "passes");

  for (guint i = 0; i < load->passes->len; i++)
    {
      const PhPass *pass = load->passes->pdata[i];

      if (!ph_pass_register (pass, error))
        return FALSE;
      pass_to_json (pass, ph_json_add_object (rows));
      ph_reply_say (call->reply, PH_STYLE_KEY "%s" PH_STYLE_RESET ": %s\n", pass->name, pass->summary);
    }
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "passes", "[PASS]", N_ ("The passes there are, and their rules"), "`passes algebraic` shows its rules with their reasons.",
    N_ ("_Passes"), NULL, NULL, PH_CODE (passes_begin) },
  { "load-pass", "FILE", "Load passes of your own from a shared object",
    "Built against `pkg-config --cflags peephole`; see passes/pass.h. It runs in a process of its own. Without one, any program can be a "
    "pass: `run exec 'python3 mypass.py'` hands it the model on its standard input and takes over what it writes, as ONNX.",
    NULL, NULL, NULL, PH_CODE (load_begin, load_work, load_finish) },
};
/* clang-format on */
const PhCommandGroup ph_commands_pass = { rows, G_N_ELEMENTS (rows) };
