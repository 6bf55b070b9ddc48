/* commands-history.c: steps, rewrites, diff, why.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/console-private.h"

/* Comparing every step takes about one computation of the model for each: where that is not quick it is left to be asked for. */
static gboolean
is_quick (PhModel *model)
{
  gint64 flops = 0;

  if (model->graph->n_nodes > 5000)
    return FALSE;
  PH_FOREACH_NODE (node, model->graph)
    flops += MAX (ph_node_flops (node), 0);
  return flops < G_GINT64_CONSTANT (1000000000);
}

static gboolean
steps_begin (PhCall *call, GError **error)
{
  gboolean verify = ph_call_take_flag (call, "--verify");

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 0, error))
    return FALSE;
  if (verify || is_quick (ph_document_get_model (call->document)))
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

  if (call->data != NULL)
    ph_document_take_proofs (call->document, call->data);
  for (guint s = 0; s < ph_document_get_history (call->document)->steps->len; s++)
    ph_step_to_json (call->document, s, ph_json_add_object (rows));
  ph_call_reply_position (call);
  ph_reply_steps (call->reply, rows);
  if (json_array_get_length (rows) == 0)
    ph_reply_say (call->reply, "no steps yet: `run` runs the pipeline %s, `step` one pass\n",
                  ph_document_get_pipeline (call->document));
  return TRUE;
}

#define MAX_REWRITES_SHOWN 200

static void
rewrite_to_json (PhCall *call, PhHistory *history, guint s, guint r, JsonObject *row)
{
  const PhStep    *step = &g_array_index (history->steps, PhStep, s);
  const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + r);
  JsonArray       *added = json_array_new (), *removed = json_array_new ();
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
      const PhEdit    *edit = history->edits->pdata[rewrite->first_edit + i];
      g_autofree char *id = g_strdup_printf ("n%u", edit->id);

      if (edit->kind == PH_EDIT_ADD_NODE)
        json_array_add_string_element (added, id);
      else if (edit->kind == PH_EDIT_REMOVE_NODE)
        json_array_add_string_element (removed, id);
    }
  json_object_set_array_member (row, "added", added);
  json_object_set_array_member (row, "removed", removed);
}

static gboolean
rewrites_begin (PhCall *call, GError **error)
{
  static const PhColumn columns[] = {
    { "position", "position" }, { "rule", "rule", .style = PH_STYLE_KEY }, { "node", "at" },
    { "added", "added", "+", FALSE, PH_STYLE_ADDED }, { "removed", "removed", "-", FALSE, PH_STYLE_REMOVED },
    { "why", "why" },
  };
  PhHistory           *history = ph_document_get_history (call->document);
  JsonArray           *rows = ph_reply_array (call->reply, "rewrites");
  g_autoptr(JsonArray) shown = json_array_new ();
  guint                first = 0, last = 0;
  PhPosition           at;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 1)
    {
      if (!ph_call_find_position (call, call->argv[0], &at, error))
        return FALSE;
      last = at.step + (at.rewrite > 0 ? 1 : 0);
      first = MAX (last, 1) - 1;
    }
  else
    last = history->steps->len;
  for (guint s = first; s < last; s++)
    for (guint r = 0; r < g_array_index (history->steps, PhStep, s).n_rewrites; r++)
      {
        JsonObject *row = ph_json_add_object (rows);

        rewrite_to_json (call, history, s, r, row);
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

static void
say_change (PhReply *reply, const PhNodeChange *change)
{
  static const char *const styles[] = { "", PH_STYLE_ADDED "+ ", PH_STYLE_REMOVED "- ", PH_STYLE_CHANGED "~ " };

  ph_reply_say (reply, "%sn%u %s" PH_STYLE_RESET, styles[change->change], change->id, change->label);
  if (change->fused_into != NULL && change->fused_into->len > 0)
    for (guint i = 0; i < change->fused_into->len; i++)
      ph_reply_say (reply, "%sn%u", i == 0 ? "  → " : ", ", g_array_index (change->fused_into, PhId, i));
  ph_reply_say (reply, "\n");
  for (guint i = 0; change->fields != NULL && i < change->fields->len; i++)
    {
      const PhFieldChange *field = &g_array_index (change->fields, PhFieldChange, i);

      ph_reply_say (reply, "    %s: %s → %s\n", field->field, field->before != NULL ? field->before : "none",
                    field->after != NULL ? field->after : "none");
    }
}

static gboolean
diff_begin (PhCall *call, GError **error)
{
  PhHistory         *history = ph_document_get_history (call->document);
  PhPosition         b = ph_document_get_position (call->document), a;
  g_autoptr(PhDiff)  diff = NULL;
  JsonArray         *lists[4] = { NULL };
  JsonObject        *json = call->reply->json;
  g_autofree char   *from = NULL, *to = NULL;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  a = ph_document_get_since (call->document);
  if (call->argc > 0 && !ph_call_find_position (call, call->argv[0], &a, error))
    return FALSE;
  if (call->argc > 1 && !ph_call_find_position (call, call->argv[1], &b, error))
    return FALSE;

  diff = ph_diff_new (history, ph_document_get_model (call->document), a, b);
  from = ph_position_to_string (a);
  to = ph_position_to_string (b);
  json_object_set_string_member (json, "from", from);
  json_object_set_string_member (json, "to", to);
  lists[PH_CHANGE_ADDED] = ph_reply_array (call->reply, "added");
  lists[PH_CHANGE_REMOVED] = ph_reply_array (call->reply, "removed");
  lists[PH_CHANGE_CHANGED] = ph_reply_array (call->reply, "changed");
  for (guint i = 0; i < diff->nodes->len; i++)
    {
      const PhNodeChange *change = diff->nodes->pdata[i];

      if (lists[change->change] != NULL)
        {
          ph_change_to_json (change, ph_json_add_object (lists[change->change]));
          say_change (call->reply, change);
        }
    }
  ph_reply_say (call->reply, "%s to %s: +%u -%u ~%u\n", from, to, diff->n_added, diff->n_removed, diff->n_changed);
  return TRUE;
}

/* Whether @id is, or ever was, a node: removed ones are known to the journal only. */
static gboolean
was_node (PhDocument *document, PhId id)
{
  GPtrArray *edits = ph_document_get_history (document)->edits;

  if (ph_model_find_node (ph_document_get_model (document), id) != NULL)
    return TRUE;
  for (guint i = 0; i < edits->len; i++)
    {
      const PhEdit *edit = edits->pdata[i];

      if (edit->id == id && (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_REMOVE_NODE))
        return TRUE;
    }
  return FALSE;
}

static gboolean
why_begin (PhCall *call, GError **error)
{
  JsonArray         *chain;
  g_autoptr(GArray)  origins = NULL;
  PhId               id = PH_NO_ID;
  guint64            number;
  const char        *name;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 0)
    {
      id = ph_document_get_selection (call->document);
      if (id == PH_NO_ID)
        return ph_call_usage (call, error, "nothing is selected");
    }
  else
    {
      /* A node that was removed has no place in the model, but the journal knows it by its id. */
      PhNode *node;

      name = call->argv[0];
      node = ph_model_find_node_named (ph_document_get_model (call->document), name);
      if (node != NULL)
        id = node->id;
      else if (g_ascii_string_to_unsigned (name + (*name == 'n' ? 1 : 0), 10, 1, G_MAXUINT32, &number, NULL))
        id = (PhId) number;
      else if (ph_call_find_node (call, name, error) == NULL)
        return FALSE;
    }

  if (!was_node (call->document, id))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there never was a node n%u here", id);
      return FALSE;
    }
  chain = ph_reply_array (call->reply, "chain");
  origins = ph_origin_chain (ph_document_get_history (call->document), ph_document_get_model (call->document), id);
  for (guint i = 0; i < origins->len; i++)
    {
      PhOrigin        *origin = &g_array_index (origins, PhOrigin, i);
      JsonObject      *row = ph_json_add_object (chain);
      g_autofree char *text = g_strdup_printf ("n%u", origin->id);

      json_object_set_string_member (row, "id", text);
      ph_json_set (row, "label", origin->label);
      json_object_set_int_member (row, "depth", origin->depth);
      json_object_set_int_member (row, "step", origin->step);
      json_object_set_int_member (row, "rewrite", origin->rewrite);
      ph_json_set (row, "pass", origin->pass);
      ph_json_set (row, "rule", origin->rule);
      ph_json_set (row, "why", origin->why);
      ph_reply_say (call->reply, "%*sn%u %s", (int) (2 * origin->depth), "", origin->id, origin->label);
      if (origin->pass != NULL)
        ph_reply_say (call->reply, "  made by %s/" PH_STYLE_KEY "%s" PH_STYLE_RESET " at %d.%d: %s\n", origin->pass, origin->rule,
                      origin->step, origin->rewrite, origin->why);
      else
        ph_reply_say (call->reply, "  in the file\n");
    }
  return TRUE;
}

static const PhCommand rows[] = {
  { "steps", "[--verify]", N_ ("The passes that were run, what each did, and whether the outputs still agree"),
    "Steps that were not compared yet are, on generated inputs and on those that were fed; of a large model only with --verify.",
    N_ ("S_teps"), NULL, NULL, PH_CODE (steps_begin, steps_work, steps_finish) },
  { "rewrites", "[STEP]", N_ ("Each rewrite of a step, with its reason"), NULL, N_ ("Re_writes"), NULL, NULL, PH_CODE (rewrites_begin) },
  { "diff", "[STEP STEP]", N_ ("What changed between two positions"),
    "Without arguments: what the present step, or inside a step the last rewrite, changed, or what `compare` asked for. "
    "`diff 0 .` is all since the file.",
    N_ ("_Diff"), "<Control><Shift>d", NULL, PH_CODE (diff_begin) },
  { "why", "[NODE]", N_ ("Where a node comes from, back to the file"), NULL, N_ ("_Why Is This Here"), "F1", "dialog-question-symbolic",
    PH_CODE (why_begin) },
};
const PhCommandGroup ph_commands_history = { rows, G_N_ELEMENTS (rows) };
