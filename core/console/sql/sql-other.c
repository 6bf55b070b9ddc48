/* sql-other.c: the tables steps, rewrites, edits, passes, rules, ops, pipeline, feeds, problems.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/sql/sql-table.h"
#include "core/ops/op.h"
#include "core/run/candidates.h"
#include "core/run/peaks.h"

/* ── the journal ── */

static gint64
count_steps (PhSql *sql)
{
  return sql->history != NULL ? sql->history->steps->len : 0;
}

static const PhStep *
step_at (PhSql *sql, gint64 slot)
{
  return &g_array_index (sql->history->steps, PhStep, slot);
}

static void
range_of_step (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  *first = *end = 0;
  if (value >= 1 && value <= count_steps (sql))
    {
      *first = value - 1;
      *end = value;
    }
}

static void
column_of_step (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhStep *step = step_at (sql, slot);
  const guint numbers[] = { step->n_rewrites, step->n_added, step->n_removed, step->n_changed, step->n_nodes };

  switch (column)
    {
    case 0: sqlite3_result_int64 (out, slot + 1); break;
    case 1: ph_sql_result_text (out, step->pass); break;
    case 7: sqlite3_result_double (out, step->ms); break;
    case 8: ph_sql_result_text (out, ph_verdict_name (step->verdict)); break;
    case 9:
      if (step->verdict != PH_VERDICT_NONE)
        sqlite3_result_double (out, step->max_abs_error);
      break;
    case 10: ph_sql_result_text (out, step->first_difference); break;
    default: sqlite3_result_int64 (out, numbers[column - 2]);
    }
}

/* Returns the step of rewrite @index, counted over all steps. */
static gint64
step_of_rewrite (PhSql *sql, gint64 index)
{
  gint64 low = 0, high = count_steps (sql);

  while (high - low > 1)
    {
      gint64 middle = (low + high) / 2;

      if (step_at (sql, middle)->first_rewrite <= index)
        low = middle;
      else
        high = middle;
    }
  return low;
}

static gint64
count_rewrites (PhSql *sql)
{
  return sql->history != NULL ? sql->history->rewrites->len : 0;
}

static const PhRewrite *
rewrite_at (PhSql *sql, gint64 slot)
{
  return &g_array_index (sql->history->rewrites, PhRewrite, slot);
}

static const char *
text_of_rewrite (PhSql *sql, gint64 slot, int column)
{
  return rewrite_at (sql, slot)->rule;
}

static void
range_of_rewrite (PhSql *sql, int key, gint64 value, gint64 *first, gint64 *end)
{
  *first = *end = 0;
  if (value >= 1 && value <= count_steps (sql))
    {
      *first = step_at (sql, value - 1)->first_rewrite;
      *end = *first + step_at (sql, value - 1)->n_rewrites;
    }
}

static guint
count_edits_of (PhSql *sql, const PhRewrite *rewrite, PhEditKind kind)
{
  guint n = 0;

  for (guint i = 0; i < rewrite->n_edits; i++)
    n += ((const PhEdit *) sql->history->edits->pdata[rewrite->first_edit + i])->kind == kind;
  return n;
}

static void
column_of_rewrite (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhRewrite *rewrite = rewrite_at (sql, slot);
  gint64 step = step_of_rewrite (sql, slot);

  switch (column)
    {
    case 0: sqlite3_result_int64 (out, step + 1); break;
    case 1: sqlite3_result_int64 (out, slot - step_at (sql, step)->first_rewrite + 1); break;
    case 2: ph_sql_result_text (out, step_at (sql, step)->pass); break;
    case 3: ph_sql_result_text (out, rewrite->rule); break;
    case 4: ph_sql_result_id (out, rewrite->node); break;
    case 5: ph_sql_result_text (out, rewrite->why); break;
    case 6: sqlite3_result_int64 (out, rewrite->n_edits); break;
    case 7: sqlite3_result_int64 (out, count_edits_of (sql, rewrite, PH_EDIT_ADD_NODE)); break;
    default: sqlite3_result_int64 (out, count_edits_of (sql, rewrite, PH_EDIT_REMOVE_NODE));
    }
}

static gint64
count_edits (PhSql *sql)
{
  return sql->history != NULL ? sql->history->edits->len : 0;
}

static void
column_of_edit (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  /* clang-format off */
  static const char *const kinds[] = {
    [PH_EDIT_ADD_NODE] = "add node", [PH_EDIT_REMOVE_NODE] = "remove node", [PH_EDIT_ADD_VALUE] = "add value",
    [PH_EDIT_REMOVE_VALUE] = "remove value", [PH_EDIT_ADD_GRAPH] = "add graph", [PH_EDIT_REMOVE_GRAPH] = "remove graph",
    [PH_EDIT_SET_INPUT] = "set input", [PH_EDIT_SET_OUTPUT] = "set output", [PH_EDIT_SET_ATTR] = "set attribute",
    [PH_EDIT_SET_TYPE] = "set type", [PH_EDIT_RENAME] = "rename", [PH_EDIT_MOVE_NODE] = "move node", [PH_EDIT_SET_OPSET] = "set opset", [PH_EDIT_SET_CONTROL] = "set control",
    [PH_EDIT_ADD_FUNCTION] = "add function", [PH_EDIT_REMOVE_FUNCTION] = "remove function",
  };
  /* clang-format on */
  const PhEdit *edit = sql->history->edits->pdata[slot];
  gint64 low = 0, high = count_rewrites (sql);

  while (high - low > 1)
    {
      gint64 middle = (low + high) / 2;

      if (rewrite_at (sql, middle)->first_edit <= slot)
        low = middle;
      else
        high = middle;
    }
  switch (column)
    {
    case 0: sqlite3_result_int64 (out, step_of_rewrite (sql, low) + 1); break;
    case 1: sqlite3_result_int64 (out, low - step_at (sql, step_of_rewrite (sql, low))->first_rewrite + 1); break;
    case 2: ph_sql_result_text (out, (guint) edit->kind < G_N_ELEMENTS (kinds) ? kinds[edit->kind] : NULL); break;
    case 3: ph_sql_result_id (out, edit->id); break;
    default: ph_sql_result_take (out, ph_edit_to_string (edit));
    }
}

/* ── passes, rules, operators ── */

static gint64
count_passes (PhSql *sql)
{
  guint n;

  ph_pass_list (&n);
  return n;
}

static void
column_of_pass (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  guint n;
  const PhPass *pass = ph_pass_list (&n)[slot];

  switch (column)
    {
    case 0: ph_sql_result_text (out, pass->name); break;
    case 1: ph_sql_result_text (out, pass->group); break;
    case 2: ph_sql_result_text (out, pass->summary); break;
    case 3: sqlite3_result_int64 (out, pass->n_rules); break;
    default: ph_sql_result_text (out, ph_exactness_name (ph_pass_exactness (pass)));
    }
}

static gint64
count_rules (PhSql *sql)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);
  gint64 rules = 0;

  for (guint i = 0; i < n; i++)
    rules += list[i]->n_rules;
  return rules;
}

static void
column_of_rule (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  guint n;
  const PhPass *const *list = ph_pass_list (&n);
  guint p = 0;

  for (; slot >= list[p]->n_rules; p++)
    slot -= list[p]->n_rules;

  const PhRule *rule = &list[p]->rules[slot];
  switch (column)
    {
    case 0: ph_sql_result_text (out, list[p]->name); break;
    case 1: ph_sql_result_text (out, rule->name); break;
    case 2: ph_sql_result_take (out, ph_rule_to_string (rule)); break;
    case 3: ph_sql_result_text (out, rule->why); break;
    case 4: ph_sql_result_text (out, ph_exactness_name (rule->exactness)); break;
    default: sqlite3_result_int (out, rule->exactness == PH_EXACT);
    }
}

static gint64
count_ops (PhSql *sql)
{
  guint n;

  ph_op_list (&n);
  return n;
}

static void
column_of_op (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  guint n;
  const PhOp *op = ph_op_list (&n)[slot];
  guint min;
  gboolean variadic;

  switch (column)
    {
    case 0: ph_sql_result_text (out, op->name); break;
    case 1: ph_sql_result_text (out, op->domain != NULL ? op->domain : ""); break;
    case 2: sqlite3_result_int (out, op->since); break;
    case 3: ph_sql_result_text (out, op->doc); break;
    case 4: sqlite3_result_int (out, (int) ph_op_n_inputs (op, &min, &variadic)); break;
    case 5: sqlite3_result_int (out, (int) ph_op_n_outputs (op)); break;
    case 6: sqlite3_result_int (out, ph_op_executable (op)); break;
    default: sqlite3_result_int (out, ph_op_differentiable (op));
    }
}

/* ── pipeline, feeds, problems ── */

static gint64
count_entries (PhSql *sql)
{
  return sql->entries != NULL ? sql->entries->len : 0;
}

static void
column_of_entry (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhPipelineEntry *entry = &g_array_index (sql->entries, PhPipelineEntry, slot);

  switch (column)
    {
    case 0: sqlite3_result_int64 (out, slot + 1); break;
    case 1: ph_sql_result_text (out, entry->pass->name); break;
    case 2: sqlite3_result_int (out, entry->enabled); break;
    default: sqlite3_result_int (out, entry->breakpoint);
    }
}

static gint64
count_inputs (PhSql *sql)
{
  return sql->here != NULL ? sql->here->model->graph->inputs->len : 0;
}

static void
column_of_feed (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhValue *input = sql->here->model->graph->inputs->pdata[slot];
  PhTensor *tensor = g_hash_table_lookup (sql->feeds, input->name);

  switch (column)
    {
    case 0: ph_sql_result_text (out, input->name); break;
    case 1: ph_sql_result_take (out, ph_type_to_string (input->type)); break;
    case 2: sqlite3_result_int (out, tensor != NULL); break;
    default:
      if (tensor != NULL)
        ph_sql_result_take (out, ph_tensor_to_string (tensor, 16));
    }
}

static gint64
count_problems (PhSql *sql)
{
  return sql->problems != NULL ? sql->problems->len : 0;
}

static void
column_of_problem (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  ph_sql_result_text (out, sql->problems->pdata[slot]);
}

static gint64
count_times (PhSql *sql)
{
  guint n = 0;

  if (sql->profile != NULL)
    ph_profile_times (sql->profile, &n);
  return n;
}

static void
column_of_time (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  guint n;
  const PhNodeTime *time = &ph_profile_times (sql->profile, &n)[slot];
  const PhNode *node = sql->here != NULL ? ph_model_find_node (sql->here->model, time->node) : NULL;

  switch (column)
    {
    case 0: ph_sql_result_id (out, time->node); break;
    case 1: ph_sql_result_text (out, node != NULL ? node->op_type : NULL); break;
    case 2: sqlite3_result_double (out, time->ns / 1e6); break;
    case 3:
      sqlite3_result_double (out, ph_profile_total (sql->profile) > 0 ? (double) time->ns / ph_profile_total (sql->profile) : 0);
      break;
    case 4: sqlite3_result_int64 (out, time->calls); break;
    case 5: sqlite3_result_int64 (out, time->bytes); break;
    case 6:
      if (time->flops >= 0)
        sqlite3_result_int64 (out, time->flops);
      break;
    case 7:
      if (time->flops >= 0 && time->ns > 0)
        sqlite3_result_double (out, (double) time->flops / time->ns);
      break;
    case 8: sqlite3_result_int (out, time->inside); break;
    case 9: ph_sql_result_text (out, time->kernel); break;
    case 10: ph_sql_result_text (out, time->layout); break;
    case 11: sqlite3_result_int64 (out, time->packed); break;
    case 12: sqlite3_result_int (out, time->in_place); break;
    case 13:
      if (time->ns > 0)
        sqlite3_result_double (out, (double) time->bytes / (double) time->ns);
      break;
    default:
      {
        const double reached = ph_peaks_reached (ph_profile_peaks (sql->profile), time);

        if (reached >= 0)
          sqlite3_result_double (out, reached);
      }
    }
}

static const GArray *
candidates_of (PhSql *sql)
{
  return sql->profile != NULL ? ph_profile_candidates (sql->profile) : NULL;
}

static gint64
count_candidates (PhSql *sql)
{
  return candidates_of (sql) != NULL ? candidates_of (sql)->len : 0;
}

static void
column_of_candidate (PhSql *sql, int key, gint64 slot, int column, sqlite3_context *out)
{
  const PhCandidate *candidate = &g_array_index (candidates_of (sql), PhCandidate, slot);
  const PhNode *node = sql->here != NULL ? ph_model_find_node (sql->here->model, candidate->node) : NULL;

  switch (column)
    {
    case 0: ph_sql_result_id (out, candidate->node); break;
    case 1: ph_sql_result_text (out, node != NULL ? node->op_type : NULL); break;
    case 2: ph_sql_result_text (out, candidate->name); break;
    case 3: sqlite3_result_int (out, candidate->priority); break;
    case 4: sqlite3_result_int (out, candidate->takes); break;
    case 5: sqlite3_result_int (out, candidate->ran); break;
    default: ph_sql_result_text (out, candidate->why);
    }
}

/* clang-format off */
const PhSqlTable ph_sql_other_tables[] = {
  { "steps",
    "step INTEGER, pass TEXT, rewrites INTEGER, added INTEGER, removed INTEGER, changed INTEGER, nodes INTEGER, ms REAL, verdict TEXT, "
    "max_abs_error REAL, first_difference TEXT",
    "The passes that were run", count_steps, NULL, column_of_step, { 0, -1 }, range_of_step },
  { "rewrites",
    "step INTEGER, rewrite INTEGER, pass TEXT, rule TEXT, node INTEGER, why TEXT, edits INTEGER, added INTEGER, removed INTEGER",
    "Each application of a rule", count_rewrites, NULL, column_of_rewrite, { 0, -1 }, range_of_rewrite,
    text_of_rewrite, { 3 }, .kinds = TRUE },
  { "edits", "step INTEGER, rewrite INTEGER, kind TEXT, id INTEGER, edit TEXT", "Each single change", count_edits, NULL, column_of_edit,
    { -1 } },
  { "passes", "name TEXT, grp TEXT, summary TEXT, rules INTEGER, class TEXT", "The passes there are", count_passes, NULL,
    column_of_pass, { -1 } },
  { "rules", "pass TEXT, name TEXT, text TEXT, why TEXT, class TEXT, exact INTEGER", "Their rules", count_rules, NULL, column_of_rule,
    { -1 } },
  { "ops",
    "name TEXT, domain TEXT, since INTEGER, doc TEXT, n_inputs INTEGER, n_outputs INTEGER, kernel INTEGER, gradient INTEGER",
    "The operators that Peephole knows", count_ops, NULL, column_of_op, { -1 } },
  { "pipeline", "place INTEGER, pass TEXT, enabled INTEGER, breakpoint INTEGER", "The passes that `run` runs", count_entries, NULL,
    column_of_entry, { -1 } },
  { "feeds", "name TEXT, type TEXT, fed INTEGER, value TEXT", "The inputs, and what was fed", count_inputs, NULL, column_of_feed,
    { -1 } },
  { "profile",
    "node INTEGER, op TEXT, ms REAL, share REAL, calls INTEGER, bytes INTEGER, flops INTEGER, gflops_per_s REAL, inside INTEGER, "
    "kernel TEXT, layout TEXT, packed INTEGER, in_place INTEGER, gbytes_per_s REAL, reached REAL",
    "How long each node took when `profile` last measured it, the slowest first; reached: the share of what the machine can do", count_times, NULL,
    column_of_time, { -1 } },
  { "kernels", "node INTEGER, op TEXT, kernel TEXT, priority INTEGER, takes INTEGER, ran INTEGER, why TEXT",
    "Each kernel that is registered for a node, when `kernels` or `profile` last ran the graph, in the order of the run", count_candidates, NULL,
    column_of_candidate, { -1 } },
  { "problems", "message TEXT", "What the reader complained about", count_problems, NULL, column_of_problem, { -1 } },
};
/* clang-format on */
const guint ph_sql_n_other_tables = G_N_ELEMENTS (ph_sql_other_tables);
