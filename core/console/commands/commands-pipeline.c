/* commands-pipeline.c: pipelines, and which of their passes and rules run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/meant.h"
#include "core/console/reply-table.h"
#include "core/replace.h"

/* clang-format off */
static const PhColumn entry_columns[] = {
  { "index", "", .right = TRUE }, { "pass", "pass", .style = PH_STYLE_KEY }, { "enabled", "on" },
  { "breakpoint", "breakpoint", .minor = TRUE }, { "repeat", "repeat", .minor = TRUE }, { "limit", "limit", .right = TRUE, .minor = TRUE }, { "step", "step", .right = TRUE }, { "summary", "does", .sentence = TRUE },
};
/* clang-format on */

/* Writes the complete list as JSON. Returns its rows. (transfer none) */
static JsonArray *
entries_to_json (PhCall *call)
{
  GArray *entries = ph_document_get_entries (call->document);
  JsonArray *rows = ph_reply_array (call->reply, "passes");

  ph_json_set (call->reply->json, "pipeline", ph_document_get_pipeline (call->document));
  json_object_set_string_member (call->reply->json, "allow", ph_exactness_name (ph_document_get_allow (call->document)));
  for (guint i = 0; i < entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, i);
      JsonObject *row = ph_json_add_object (rows);
      int step = ph_document_entry_step (call->document, i);

      json_object_set_int_member (row, "index", i + 1);
      json_object_set_string_member (row, "name", entry->pass->name);
      json_object_set_string_member (row, "pass", entry->pass->name);
      json_object_set_boolean_member (row, "enabled", entry->enabled);
      json_object_set_boolean_member (row, "breakpoint", entry->breakpoint);
      json_object_set_boolean_member (row, "repeat", entry->repeat);
      if (entry->limit != G_MAXUINT)
        json_object_set_int_member (row, "limit", entry->limit);
      if (step >= 0)
        json_object_set_int_member (row, "step", step + 1);
      else
        json_object_set_null_member (row, "step");
      json_object_set_string_member (row, "summary", entry->pass->summary);
    }
  return rows;
}

/* Shows only the changed entry; people know the rest. */
static void
reply_entry (PhCall *call, guint index)
{
  JsonArray *rows = entries_to_json (call);
  g_autoptr (JsonArray) changed = json_array_new ();

  json_array_add_element (changed, json_array_dup_element (rows, index));
  ph_reply_table (call->reply, changed, entry_columns, G_N_ELEMENTS (entry_columns));
}

/* Returns the least exactness among the enabled passes, as far as the pipeline allows it. */
static PhExactness
worst (PhDocument *document)
{
  GArray *entries = ph_document_get_entries (document);
  const PhExactness allow = ph_document_get_allow (document);
  PhExactness least = PH_EXACT;

  for (guint i = 0; i < entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, i);

      if (entry->enabled)
        least = MAX (least, entry->pass == ph_pass_plan_convert () ? ph_pass_exactness (entry->pass)
                                                                   : MIN (ph_pass_exactness (entry->pass), allow));
    }
  return least;
}

static void
reply_pipeline (PhCall *call)
{
  static const char *const words[] = { "stay exact", "stay exact where they are finite", "may differ by rounding",
                                       "may be lossy" };
  const char *pipeline = ph_document_get_pipeline (call->document);
  const char *idle = ph_document_get_idle (call->document);
  JsonArray *rows = entries_to_json (call);

  if (idle != NULL)
    {
      ph_json_set (call->reply->json, "idle", idle);
      ph_reply_say (call->reply, "pipeline %s has nothing to do: %s\n", pipeline, idle);
      return;
    }
  ph_reply_say (call->reply, "pipeline %s: results %s\n", strlen (pipeline) > 60 ? "of your own" : pipeline,
                words[worst (call->document)]);
  ph_reply_table (call->reply, rows, entry_columns, G_N_ELEMENTS (entry_columns));
}

/* Reads the name of a pipeline, passes, or a text file that lists passes, where # begins a comment. */
char *
ph_pipeline_text (const char *name, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  GError *own = NULL;

  if (ph_pipeline_find (name) != NULL || ph_pass_find (name) != NULL || !g_file_test (name, G_FILE_TEST_IS_REGULAR))
    return g_strdup (name);
  if (!g_file_get_contents (name, &text, NULL, &own) || !g_utf8_validate (text, -1, NULL))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s",
                   own != NULL ? own->message : "a pipeline is a text file with names of passes");
      g_clear_error (&own);
      return NULL;
    }
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = NULL;

      lines[i][strcspn (lines[i], "#")] = '\0';
      words = g_strsplit_set (lines[i], " \t,\r", -1);
      for (guint w = 0; words[w] != NULL; w++)
        if (*words[w] != '\0')
          g_string_append_printf (out, "%s%s", out->len > 0 ? "," : "", words[w]);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

static gboolean
save_pipeline (PhCall *call, const char *file, GError **error)
{
  g_autofree char *words = ph_document_pipeline_to_text (call->document, "\n"), *text = NULL;
  GError *own = NULL;

  text = g_strdup_printf ("# A pipeline of Peephole: a pass a line. `pipeline FILE` reads it.\n%s\n", words);
  if (!ph_replace_contents (file, text, strlen (text), &own))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be written: %s", file, own->message);
      g_error_free (own);
      return FALSE;
    }
  ph_json_set (call->reply->json, "saved", file);
  ph_reply_say (call->reply, "saved to %s\n", file);
  return TRUE;
}

static gboolean
pipeline_begin (PhCall *call, GError **error)
{
  g_autofree char *file = NULL;

  if (!ph_call_take_option (call, "--save", &file, error) || !ph_call_need_args (call, 0, G_MAXUINT, error))
    return FALSE;
  if (call->argc > 0)
    {
      g_autofree char *name = call->argc == 1 ? ph_pipeline_text (call->argv[0], error) : g_strjoinv (",", call->argv);

      if (name == NULL || !ph_document_set_pipeline (call->document, name, error))
        return FALSE;
    }
  if (file != NULL && !save_pipeline (call, file, error))
    return FALSE;
  reply_pipeline (call);

  guint n;
  const PhPipeline *list = ph_pipeline_list (&n);
  JsonArray *pipelines = ph_reply_array (call->reply, "pipelines");

  ph_reply_say (call->reply, "others: ");
  for (guint i = 0; i < n; i++)
    {
      JsonObject *row = ph_json_add_object (pipelines);

      json_object_set_string_member (row, "name", list[i].name);
      json_object_set_string_member (row, "summary", list[i].summary);
      ph_reply_say (call->reply, "%s%s", i > 0 ? ", " : "", list[i].name);
    }
  ph_reply_say (call->reply, "\n");
  return TRUE;
}

/* Finds an entry by its index from 1, or by its pass (the first of that name). */
gboolean
ph_call_find_entry (PhCall *call, const char *text, guint *index, GError **error)
{
  GArray *entries = ph_document_get_entries (call->document);
  guint64 number;

  if (entries->len > 0 && g_ascii_string_to_unsigned (text, 10, 1, entries->len, &number, NULL))
    {
      *index = (guint) number - 1;
      return TRUE;
    }
  for (guint i = 0; i < entries->len; i++)
    if (g_str_equal (g_array_index (entries, PhPipelineEntry, i).pass->name, text))
      {
        *index = i;
        return TRUE;
      }
  /* In a user's pipeline newest-form takes the place of upgrade-opset. */
  if (entries->len > 0 && g_str_equal (text, "upgrade-opset")
      && g_str_equal (g_array_index (entries, PhPipelineEntry, 0).pass->name, "newest-form"))
    {
      *index = 0;
      return TRUE;
    }
  g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "the pipeline %s has no pass '%s': `pipeline` lists them",
               ph_document_get_pipeline (call->document), text);
  return FALSE;
}

static gboolean
switch_pass (PhCall *call, gboolean on, GError **error)
{
  PhPipelineEntry entry;
  guint index;

  if (!ph_call_need_args (call, 1, 1, error) || !ph_call_find_entry (call, call->argv[0], &index, error))
    return FALSE;
  entry = g_array_index (ph_document_get_entries (call->document), PhPipelineEntry, index);
  entry.enabled = on;
  ph_document_set_entry (call->document, index, &entry);
  reply_entry (call, index);
  return TRUE;
}

static gboolean
pass_repeat_begin (PhCall *call, GError **error)
{
  PhPipelineEntry entry;
  guint index;

  if (!ph_call_need_args (call, 1, 1, error) || !ph_call_find_entry (call, call->argv[0], &index, error))
    return FALSE;
  entry = g_array_index (ph_document_get_entries (call->document), PhPipelineEntry, index);
  entry.repeat = !entry.repeat;
  ph_document_set_entry (call->document, index, &entry);
  reply_entry (call, index);
  return TRUE;
}

static gboolean
pass_limit_begin (PhCall *call, GError **error)
{
  PhPipelineEntry entry;
  guint index;
  guint64 limit = G_MAXUINT;

  if (!ph_call_need_args (call, 1, 2, error) || !ph_call_find_entry (call, call->argv[0], &index, error))
    return FALSE;
  if (call->argc == 2 && !g_ascii_string_to_unsigned (call->argv[1], 10, 1, G_MAXUINT - 1, &limit, NULL))
    return ph_call_usage (call, error, "the limit is a number of rewrites, 1 or more; without one there is no limit");
  entry = g_array_index (ph_document_get_entries (call->document), PhPipelineEntry, index);
  entry.limit = (guint) limit;
  ph_document_set_entry (call->document, index, &entry);
  reply_entry (call, index);
  return TRUE;
}

static gboolean
pass_on_begin (PhCall *call, GError **error)
{
  return switch_pass (call, TRUE, error);
}

static gboolean
pass_off_begin (PhCall *call, GError **error)
{
  return switch_pass (call, FALSE, error);
}

static gboolean
pass_move_begin (PhCall *call, GError **error)
{
  guint from, to;

  if (!ph_call_need_args (call, 2, 2, error) || !ph_call_find_entry (call, call->argv[0], &from, error)
      || !ph_call_find_entry (call, call->argv[1], &to, error))
    return FALSE;
  ph_document_move_entry (call->document, from, to);
  reply_entry (call, to);
  return TRUE;
}

static gboolean
pass_add_begin (PhCall *call, GError **error)
{
  GArray *entries = ph_document_get_entries (call->document);
  const PhPass *pass;
  guint at = entries->len;

  if (!ph_call_need_args (call, 1, 2, error))
    return FALSE;
  pass = ph_pass_find (call->argv[0]);
  if (pass == NULL || pass->needs_arguments)
    {
      g_autofree char *meant = pass == NULL ? ph_meant_pass (call->argv[0]) : NULL;

      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s '%s'%s", pass == NULL ? "there is no pass" : "pass", call->argv[0],
                   pass != NULL     ? " needs arguments, so it cannot be part of a pipeline: run it alone"
                   : *meant != '\0' ? meant
                                    : ": `passes` lists them");
      return FALSE;
    }
  if (call->argc == 2 && !ph_call_find_entry (call, call->argv[1], &at, error))
    return FALSE;
  ph_document_insert_entry (call->document, at, pass);
  reply_entry (call, at);
  return TRUE;
}

static gboolean
pass_remove_begin (PhCall *call, GError **error)
{
  const char *name;
  guint index;

  if (!ph_call_need_args (call, 1, 1, error) || !ph_call_find_entry (call, call->argv[0], &index, error))
    return FALSE;
  name = g_array_index (ph_document_get_entries (call->document), PhPipelineEntry, index).pass->name;
  ph_document_remove_entry (call->document, index);
  entries_to_json (call);
  ph_reply_say (call->reply, "%s is no longer in the pipeline\n", name);
  return TRUE;
}

static gboolean
is_rule (const char *text)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);
  const char *slash = strchr (text, '/');

  for (guint p = 0; p < n; p++)
    for (guint r = 0; r < list[p]->n_rules; r++)
      if (g_str_equal (list[p]->rules[r].name, slash != NULL ? slash + 1 : text)
          && (slash == NULL
              || (strncmp (list[p]->name, text, (gsize) (slash - text)) == 0 && list[p]->name[slash - text] == '\0')))
        return TRUE;
  return FALSE;
}

static void
reply_breaks (PhCall *call)
{
  GArray *entries = ph_document_get_entries (call->document);
  GPtrArray *breaks = ph_document_get_breaks (call->document);
  JsonArray *array = ph_reply_array (call->reply, "breakpoints");
  guint n = breaks->len;

  for (guint i = 0; i < entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (entries, PhPipelineEntry, i);

      if (!entry->breakpoint)
        continue;
      ph_reply_say (call->reply, "run stops before: pass %s\n", entry->pass->name);
      n++;
    }
  for (guint i = 0; i < breaks->len; i++)
    {
      json_array_add_string_element (array, breaks->pdata[i]);
      ph_reply_say (call->reply, "run stops before: %s\n", (char *) breaks->pdata[i]);
    }
  if (n == 0)
    ph_reply_say (call->reply, "no breakpoints\n");
}

static gboolean
breakpoint_begin (PhCall *call, GError **error)
{
  guint index;

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 1)
    {
      const char *text = call->argv[0];

      if (ph_call_find_entry (call, text, &index, NULL))
        {
          PhPipelineEntry entry = g_array_index (ph_document_get_entries (call->document), PhPipelineEntry, index);

          entry.breakpoint = !entry.breakpoint;
          ph_document_set_entry (call->document, index, &entry);
        }
      else if (is_rule (text))
        ph_document_toggle_break (call->document, text);
      else
        {
          PhNode *node;
          g_autofree char *id = NULL, *meant = ph_meant_pass (text);

          if (!ph_call_need_open (call, error))
            return FALSE;
          node = ph_model_find_node_named (ph_document_get_model (call->document), text);
          if (node == NULL)
            {
              g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pass of the pipeline, no rule and no node '%s'%s",
                           text, meant);
              return FALSE;
            }
          id = g_strdup_printf ("n%u", node->id);
          ph_document_toggle_break (call->document, id);
        }
    }
  entries_to_json (call);
  reply_breaks (call);
  return TRUE;
}

static gboolean
rule_begin (PhCall *call, GError **error)
{
  const gboolean on = g_str_equal (call->command->name, "rule on");
  JsonArray *array;
  GPtrArray *off = ph_document_get_rules_off (call->document);

  if (!ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 1)
    {
      if (strchr (call->argv[0], '/') == NULL || !is_rule (call->argv[0]))
        {
          g_autofree char *meant = ph_meant_rule (call->argv[0]);

          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no rule '%s'%s", call->argv[0],
                       *meant != '\0' ? meant : ": write pass/rule, `select pass, name from rules` lists them");
          return FALSE;
        }
      ph_document_set_rule (call->document, call->argv[0], on);
    }
  array = ph_reply_array (call->reply, "off");
  for (guint i = 0; i < off->len; i++)
    {
      json_array_add_string_element (array, off->pdata[i]);
      ph_reply_say (call->reply, "off: %s\n", (char *) off->pdata[i]);
    }
  if (off->len == 0)
    ph_reply_say (call->reply, "every rule is on\n");
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "pipeline", "[PIPELINE|PASS...] [--save FILE]", N_ ("Show, choose or save the pipeline"),
    "`pipeline O2` chooses one; `pipeline cse dce` is one of your own, `pipeline mine.txt` one in a text file (names, # for comments). "
    "A pass can be followed by :off, :break (a breakpoint), :repeat and :limit=N, and allow=exact, exact-finite, rounding or lossy says "
    "which rules may run (in a list of your own all that you name, unless it says otherwise). Steps ahead are dropped, but what was recorded stays. --save writes such a file.",
    N_ ("Pipe_line"), NULL, NULL, PH_CODE (pipeline_begin) },
  { "pass on", "PASS", "Switch a pass of the pipeline on", NULL, NULL, NULL, NULL, PH_CODE (pass_on_begin) },
  { "pass off", "PASS", "Switch a pass of the pipeline off", "Steps that followed from it are dropped.", NULL, NULL, NULL,
    PH_CODE (pass_off_begin) },
  { "pass move", "PASS PASS", "Move a pass of the pipeline to another's place", "Places count from 1: `pass move 5 2`.", NULL,
    NULL, NULL, PH_CODE (pass_move_begin) },
  { "pass add", "PASS [PASS]", "Add a pass to the pipeline, before another or at its end", NULL, NULL, NULL, NULL,
    PH_CODE (pass_add_begin) },
  { "pass remove", "PASS", "Take a pass out of the pipeline", NULL, NULL, NULL, NULL, PH_CODE (pass_remove_begin) },
  { "pass repeat", "PASS", "Run a pass of the pipeline again and again until it finds nothing more, or no longer", NULL, NULL, NULL, NULL,
    PH_CODE (pass_repeat_begin) },
  { "pass limit", "PASS [N]", "Let a pass of the pipeline make N rewrites at most", "Without N there is no limit.", NULL, NULL, NULL,
    PH_CODE (pass_limit_begin) },
  { "breakpoint", "[PASS|RULE|NODE]", "Stop `run` before this pass, rule or node, or no longer",
    "At a rule or a node, `run` stops inside the step, before the rewrite.", NULL, NULL, NULL, PH_CODE (breakpoint_begin) },
  { "rule off", "[PASS/RULE]", "Switch a rule off, in every pipeline", NULL, NULL, NULL, NULL, PH_CODE (rule_begin) },
  { "rule on", "[PASS/RULE]", "Switch a rule on again", NULL, NULL, NULL, NULL, PH_CODE (rule_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_pipeline = { rows, G_N_ELEMENTS (rows) };
