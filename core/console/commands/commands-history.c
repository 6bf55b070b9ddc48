/* commands-history.c: steps, rewrites.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/diff.h"
#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-rows.h"

static gboolean
steps_begin (PhCall *call, GError **error)
{
  gboolean verify = ph_call_take_flag (call, "--verify");

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  if (verify || ph_call_is_quick (call, 5000, G_GINT64_CONSTANT (1000000000)))
    ph_call_set_data (call, ph_proof_job_new (call->document, 0, G_MAXUINT), (GDestroyNotify) ph_proof_job_free);
  return TRUE;
}

static gboolean
steps_work (PhCall *call, GError **error)
{
  if (call->data == NULL)
    return TRUE;
  ph_call_progress (call, "comparing steps", -1);
  return ph_proof_job_run (call->data, call->cancellable, error);
}

static gboolean
steps_finish (PhCall *call, GError **error)
{
  JsonArray *rows = ph_reply_array (call->reply, "steps");
  const char *idle = ph_document_get_idle (call->document);

  if (call->data != NULL)
    ph_document_take_proofs (call->document, call->data);
  for (guint s = 0; s < ph_document_get_history (call->document)->steps->len; s++)
    ph_step_to_json (call->document, s, ph_json_add_object (rows));
  ph_call_reply_position (call);
  ph_reply_steps (call->reply, rows, FALSE);
  if (idle != NULL)
    ph_json_set (call->reply->json, "idle", idle);
  if (json_array_get_length (rows) == 0 && idle != NULL)
    ph_reply_say (call->reply, "no steps: %s\n", idle);
  else if (json_array_get_length (rows) == 0)
    ph_reply_say (call->reply, "no steps yet: `run` runs the pipeline %s, `step` one pass\n",
                  ph_document_get_pipeline (call->document));
  return TRUE;
}

#define MAX_REWRITES_SHOWN 200

static void
rewrite_to_json (PhHistory *history, guint s, guint r, JsonObject *row)
{
  const PhStep *step = &g_array_index (history->steps, PhStep, s);
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + r);
  JsonArray *added = json_array_new (), *removed = json_array_new ();
  g_autofree char *position = g_strdup_printf ("%u.%u", s + 1, r + 1);
  g_autofree char *node = rewrite->node != PH_NO_ID ? g_strdup_printf ("n%u", rewrite->node) : NULL;

  json_object_set_int_member (row, "step", s + 1);
  json_object_set_int_member (row, "index", r + 1);
  json_object_set_string_member (row, "position", position);
  json_object_set_string_member (row, "pass", step->pass);
  json_object_set_string_member (row, "rule", rewrite->rule);
  ph_json_set (row, "node", node);
  json_object_set_string_member (row, "why", rewrite->why);
  for (guint i = 0; i < rewrite->n_edits; i++)
    {
      const PhEdit *edit = history->edits->pdata[rewrite->first_edit + i];
      g_autofree char *id = g_strdup_printf ("n%u", edit->id);

      if (edit->kind == PH_EDIT_ADD_NODE)
        json_array_add_string_element (added, id);
      else if (edit->kind == PH_EDIT_REMOVE_NODE)
        json_array_add_string_element (removed, id);
    }
  json_object_set_array_member (row, "added", added);
  json_object_set_array_member (row, "removed", removed);
}

/* Lists the nodes that the rewrite removed or changed, by operator and name, which other processes can use to identify them. */
static void
name_nodes (PhHistory *history, PhModel *model, guint s, guint r, JsonObject *row)
{
  const PhPosition at = { s, r };
  g_autoptr (PhDiff) diff = ph_diff_new (history, model, at, ph_history_next (history, at, TRUE));
  JsonArray *nodes = json_array_new ();

  for (guint i = 0; i < diff->nodes->len; i++)
    {
      const PhNodeChange *change = diff->nodes->pdata[i];

      if (change->change != PH_CHANGE_ADDED && change->follows == PH_NO_ID)
        json_array_add_string_element (nodes, change->label);
    }
  json_object_set_array_member (row, "nodes", nodes);
}

typedef struct
{
  guint first, last;
  gboolean nodes;
} Steps; /* without @last */

static gboolean
rewrites_begin (PhCall *call, GError **error)
{
  Steps steps = { 0, 0, ph_call_take_flag (call, "--nodes") };
  PhPosition at;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  steps.last = ph_document_get_history (call->document)->steps->len;
  if (call->argc == 1)
    {
      if (!ph_call_find_position (call, call->argv[0], &at, error))
        return FALSE;
      steps.last = at.step + (at.rewrite > 0 ? 1 : 0);
      steps.first = MAX (steps.last, 1) - 1;
    }
  ph_call_set_data (call, g_memdup2 (&steps, sizeof steps), g_free);
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

static gboolean
rewrites_work (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "position", "position" }, { "rule", "rule", .style = PH_STYLE_KEY }, { "node", "at" },
    { "added", "added", "+", FALSE, PH_STYLE_ADDED }, { "removed", "removed", "-", FALSE, PH_STYLE_REMOVED },
    { "why", "why", .sentence = TRUE },
  };
  /* clang-format on */
  const Steps *steps = call->data;
  JsonArray *rows = ph_reply_array (call->reply, "rewrites");
  g_autoptr (JsonArray) shown = json_array_new ();

  for (guint s = steps->first; s < steps->last; s++)
    for (guint r = 0; r < g_array_index (call->history->steps, PhStep, s).n_rewrites; r++)
      {
        JsonObject *row = ph_json_add_object (rows);

        if (g_cancellable_set_error_if_cancelled (call->cancellable, error))
          return FALSE;
        rewrite_to_json (call->history, s, r, row);
        if (steps->nodes)
          name_nodes (call->history, call->model, s, r, row);
        if (json_array_get_length (shown) < MAX_REWRITES_SHOWN)
          json_array_add_object_element (shown, json_object_ref (row));
      }
  ph_reply_table (call->reply, shown, columns, G_N_ELEMENTS (columns));
  if (json_array_get_length (rows) > MAX_REWRITES_SHOWN)
    ph_reply_say (call->reply, "and %u more: ask for one step, or `select * from rewrites`\n",
                  json_array_get_length (rows) - MAX_REWRITES_SHOWN);
  else if (json_array_get_length (rows) == 0)
    ph_reply_say (call->reply, "no rewrites\n");
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "steps", "[--verify]", N_ ("The passes that were run, what each did, and whether the outputs still agree"),
    "Steps that were not compared yet are, on generated inputs and on those that were fed; of a large model only with --verify.",
    N_ ("S_teps"), NULL, NULL, PH_CODE (steps_begin, steps_work, steps_finish) },
  { "rewrites", "[STEP] [--nodes]", N_ ("Each rewrite of a step, with its reason"),
    "--nodes also names the nodes that each took away or changed, in JSON.", N_ ("Re_writes"), NULL, NULL, PH_CODE (rewrites_begin, rewrites_work) },
};
/* clang-format on */
const PhCommandGroup ph_commands_history = { rows, G_N_ELEMENTS (rows) };
