/* history.c: the journal: recording, and moving along it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/history.h"

#include <string.h>

#include "core/discard.h"
#include "core/graph/net.h"

const char *
ph_verdict_name (PhVerdict verdict)
{
  static const char *const names[] = { "none", "proved", "same", "close", "nothing shown", "different" };
  return names[verdict];
}

gboolean
ph_verdict_is_good (PhVerdict verdict)
{
  return verdict == PH_VERDICT_PROVED || verdict == PH_VERDICT_SAME || verdict == PH_VERDICT_CLOSE;
}

static void
step_clear (gpointer data)
{
  PhStep *step = data;
  g_clear_pointer (&step->first_difference, g_free);
}

PhHistory *
ph_history_new (void)
{
  PhHistory *history = g_new0 (PhHistory, 1);

  history->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_edit_free);
  history->rewrites = g_array_new (FALSE, FALSE, sizeof (PhRewrite));
  history->steps = g_array_new (FALSE, TRUE, sizeof (PhStep));
  g_array_set_clear_func (history->steps, step_clear);
  return history;
}

void
ph_history_free (PhHistory *history)
{
  g_clear_pointer (&history->past, ph_history_free);
  g_ptr_array_unref (history->edits);
  g_array_unref (history->rewrites);
  g_array_unref (history->steps);
  g_free (history);
}

void
ph_history_discard (PhHistory *history)
{
  if (history != NULL)
    ph_discard_parts (history, (GDestroyNotify) ph_history_free, history->edits->len);
}

GPtrArray *
ph_history_all_edits (PhHistory *history)
{
  GPtrArray *edits = g_ptr_array_new ();
  guint n_past = history->past != NULL ? ph_history_edit_index (history->past, history->past_end) : 0;

  for (guint i = 0; i < n_past; i++)
    g_ptr_array_add (edits, history->past->edits->pdata[i]);
  g_ptr_array_extend (edits, history->edits, NULL, NULL);
  return edits;
}

PhHistory *
ph_history_snapshot (PhHistory *history)
{
  PhHistory *copy = ph_history_new ();

  g_ptr_array_unref (copy->edits);
  copy->edits = g_ptr_array_ref (history->edits);
  copy->shared = history->shared = TRUE;
  g_array_append_vals (copy->rewrites, history->rewrites->data, history->rewrites->len);
  for (guint i = 0; i < history->steps->len; i++)
    {
      PhStep step = g_array_index (history->steps, PhStep, i);

      step.first_difference = g_strdup (step.first_difference);
      g_array_append_val (copy->steps, step);
    }
  copy->position = history->position;
  copy->first_id = history->first_id;
  return copy;
}

void
ph_history_own_edits (PhHistory *history, guint n)
{
  GPtrArray *edits = history->edits;

  if (!history->shared)
    return;
  n = MIN (n, edits->len);
  history->edits = g_ptr_array_new_full (n, (GDestroyNotify) ph_edit_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (history->edits, ph_edit_ref (edits->pdata[i]));
  history->shared = FALSE;
  ph_discard (edits, (GDestroyNotify) g_ptr_array_unref);
}

/* ── positions ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhStep *
step_at (PhHistory *history, guint index)
{
  return &g_array_index (history->steps, PhStep, index);
}

/* Returns the number of rewrites before @position, over all steps. */
static guint
rewrite_index (PhHistory *history, PhPosition position)
{
  if (position.step >= history->steps->len)
    return history->rewrites->len;
  return step_at (history, position.step)->first_rewrite + position.rewrite;
}

guint
ph_history_edit_index (PhHistory *history, PhPosition position)
{
  guint index = rewrite_index (history, position);

  return index < history->rewrites->len ? g_array_index (history->rewrites, PhRewrite, index).first_edit : history->edits->len;
}

gboolean
ph_history_has (PhHistory *history, PhPosition position)
{
  if (position.step >= history->steps->len)
    return position.step == history->steps->len && position.rewrite == 0;
  return position.rewrite == 0 || position.rewrite < step_at (history, position.step)->n_rewrites;
}

PhPosition
ph_history_next (PhHistory *history, PhPosition at, gboolean by_rewrite)
{
  if (at.step >= history->steps->len)
    return at;
  if (by_rewrite && at.rewrite + 1 < step_at (history, at.step)->n_rewrites)
    return (PhPosition) { at.step, at.rewrite + 1 };
  return (PhPosition) { at.step + 1, 0 };
}

PhPosition
ph_history_previous (PhHistory *history, PhPosition at, gboolean by_rewrite)
{
  guint n;

  if (at.rewrite > 0)
    return (PhPosition) { at.step, by_rewrite ? at.rewrite - 1 : 0 };
  if (at.step == 0)
    return at;
  n = step_at (history, at.step - 1)->n_rewrites;
  return (PhPosition) { at.step - 1, by_rewrite && n > 1 ? n - 1 : 0 };
}

int
ph_position_compare (PhPosition a, PhPosition b)
{
  if (a.step != b.step)
    return a.step < b.step ? -1 : 1;
  return a.rewrite < b.rewrite ? -1 : a.rewrite > b.rewrite;
}

char *
ph_position_to_string (PhPosition position)
{
  if (position.rewrite == 0)
    return g_strdup_printf ("%u", position.step);
  return g_strdup_printf ("%u.%u", position.step + 1, position.rewrite);
}

gboolean
ph_position_parse (PhHistory *history, const char *text, PhPosition *position, GError **error)
{
  char *end = NULL;
  guint64 step = g_ascii_isdigit (*text) ? g_ascii_strtoull (text, &end, 10) : 0, rewrite = 0;
  gboolean ok = end != NULL && (*end == '\0' || (*end == '.' && g_ascii_isdigit (end[1])));

  if (ok && *end == '.')
    {
      rewrite = g_ascii_strtoull (end + 1, &end, 10);
      ok = *end == '\0' && step > 0;
    }
  if (!ok)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE,
                   "'%s' is not a position: write a step such as 3, or a step and a rewrite such as 3.2", text);
      return FALSE;
    }
  if (step <= history->steps->len && rewrite > 0 && rewrite > step_at (history, (guint) step - 1)->n_rewrites)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                   "there is no position %s: step %u (%s) has %u rewrites ('rewrites %u' lists them)", text, (guint) step,
                   step_at (history, (guint) step - 1)->pass, step_at (history, (guint) step - 1)->n_rewrites, (guint) step);
      return FALSE;
    }
  if (step > history->steps->len)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no position %s: %u steps were run ('steps' lists them)", text,
                   history->steps->len);
      return FALSE;
    }
  if (end != NULL && rewrite == 0 && strchr (text, '.') == NULL)
    *position = (PhPosition) { (guint) step, 0 };
  else if (rewrite == step_at (history, (guint) step - 1)->n_rewrites)
    *position = (PhPosition) { (guint) step, 0 };
  else
    *position = (PhPosition) { (guint) step - 1, (guint) rewrite };
  return TRUE;
}

gboolean
ph_history_go (PhHistory *history, PhModel *model, PhPosition to, GError **error)
{
  guint from, end;
  PhHistory *journal = model->journal;

  if (!ph_history_has (history, to))
    {
      g_autofree char *text = ph_position_to_string (to);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no position %s: %u steps were run", text, history->steps->len);
      return FALSE;
    }
  from = ph_history_edit_index (history, history->position);
  end = ph_history_edit_index (history, to);
  model->journal = NULL;
  for (; from < end; from++)
    ph_edit_apply (model, history->edits->pdata[from]);
  for (; from > end; from--)
    ph_edit_revert (model, history->edits->pdata[from - 1]);
  model->journal = journal;
  history->position = to;
  return TRUE;
}

/* ── recording ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
count_step (PhHistory *history, PhModel *model, PhStep *step)
{
  guint first = step->first_rewrite < history->rewrites->len
                    ? g_array_index (history->rewrites, PhRewrite, step->first_rewrite).first_edit
                    : history->edits->len;
  g_autoptr (GHashTable) net = first < history->edits->len ? ph_net_new_counted (history, model, first, history->edits->len)
                                                           : NULL;
  GHashTableIter iter;
  gpointer data;

  step->n_added = step->n_removed = step->n_changed = 0;
  step->n_nodes = ph_model_n_nodes (model, TRUE);
  if (net == NULL)
    return;
  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      const PhNetNode *node = data;

      if (!ph_net_counts (node))
        continue;
      if (!node->before)
        step->n_added++;
      else if (!node->after)
        step->n_removed++;
      else
        step->n_changed++;
    }
}

/* Drops everything after the present position. A partly applied step becomes a step of its own. */
static void
drop_future (PhHistory *history, PhModel *model)
{
  guint rewrites = rewrite_index (history, history->position);
  guint edits = ph_history_edit_index (history, history->position);
  guint steps = history->position.step + (history->position.rewrite > 0 ? 1 : 0);

  if (steps == history->steps->len && rewrites == history->rewrites->len)
    return;
  ph_history_own_edits (history, edits);
  g_ptr_array_set_size (history->edits, (int) edits);
  g_array_set_size (history->rewrites, rewrites);
  g_array_set_size (history->steps, steps);
  if (history->position.rewrite > 0)
    {
      PhStep *step = step_at (history, steps - 1);

      step->n_rewrites = history->position.rewrite;
      step->verdict = PH_VERDICT_NONE;
      count_step (history, model, step);
    }
  history->position = (PhPosition) { steps, 0 };
}

void
ph_history_begin_step (PhHistory *history, PhModel *model, const char *pass)
{
  PhStep step = { .pass = ph_intern (pass) };

  g_return_if_fail (model->journal == NULL || model->journal == history);
  drop_future (history, model);
  step.first_rewrite = history->rewrites->len;
  g_array_append_val (history->steps, step);
  model->journal = history;
}

static PhRewrite *
last_rewrite (PhHistory *history)
{
  return &g_array_index (history->rewrites, PhRewrite, history->rewrites->len - 1);
}

void
ph_history_begin_rewrite (PhHistory *history, const char *rule, PhId node, const char *why)
{
  const PhRewrite *last = history->rewrites->len > 0 ? last_rewrite (history) : NULL;
  PhRewrite rewrite = { .rule = ph_intern (rule), .node = node, .first_edit = history->edits->len };

  /* A rule that fires often gives the same reason each time, so the string is reused. */
  rewrite.why = last != NULL && g_strcmp0 (last->why, why) == 0 ? last->why : ph_intern (why != NULL ? why : "");
  g_array_append_val (history->rewrites, rewrite);
}

gboolean
ph_history_end_rewrite (PhHistory *history)
{
  PhRewrite *rewrite = last_rewrite (history);

  rewrite->n_edits = history->edits->len - rewrite->first_edit;
  if (rewrite->n_edits == 0)
    {
      g_array_set_size (history->rewrites, history->rewrites->len - 1);
      return FALSE;
    }
  step_at (history, history->steps->len - 1)->n_rewrites++;
  return TRUE;
}

static void
revert_to (PhHistory *history, PhModel *model, guint n_edits)
{
  PhHistory *journal = model->journal;

  model->journal = NULL;
  ph_history_own_edits (history, G_MAXUINT);
  while (history->edits->len > n_edits)
    {
      ph_edit_revert (model, history->edits->pdata[history->edits->len - 1]);
      g_ptr_array_set_size (history->edits, (int) history->edits->len - 1);
    }
  model->journal = journal;
}

void
ph_history_abort_rewrite (PhHistory *history, PhModel *model)
{
  revert_to (history, model, last_rewrite (history)->first_edit);
  g_array_set_size (history->rewrites, history->rewrites->len - 1);
}

PhStep *
ph_history_end_step (PhHistory *history, PhModel *model, double ms)
{
  PhStep *step = step_at (history, history->steps->len - 1);

  model->journal = NULL;
  step->ms = ms;
  count_step (history, model, step);
  history->position = (PhPosition) { history->steps->len, 0 };
  return step;
}

void
ph_history_abort_step (PhHistory *history, PhModel *model)
{
  guint first = step_at (history, history->steps->len - 1)->first_rewrite;

  revert_to (history, model,
             first < history->rewrites->len ? g_array_index (history->rewrites, PhRewrite, first).first_edit
                                            : history->edits->len);
  g_array_set_size (history->rewrites, first);
  g_array_set_size (history->steps, history->steps->len - 1);
  history->position = (PhPosition) { history->steps->len, 0 };
  model->journal = NULL;
}

void
ph_history_append (PhHistory *history, PhHistory *from)
{
  guint edits = history->edits->len, rewrites = history->rewrites->len;

  ph_history_own_edits (history, G_MAXUINT);
  ph_history_own_edits (from, G_MAXUINT);
  if (edits == 0)
    history->first_id = from->first_id;
  g_ptr_array_extend_and_steal (history->edits, g_steal_pointer (&from->edits));
  for (guint i = 0; i < from->rewrites->len; i++)
    {
      PhRewrite rewrite = g_array_index (from->rewrites, PhRewrite, i);

      rewrite.first_edit += edits;
      g_array_append_val (history->rewrites, rewrite);
    }
  for (guint i = 0; i < from->steps->len; i++)
    {
      PhStep step = g_array_index (from->steps, PhStep, i);

      step.first_rewrite += rewrites;
      g_array_append_val (history->steps, step);
    }
  /* The new array owns the steps' contents now. */
  g_array_set_clear_func (from->steps, NULL);
  g_array_set_size (from->steps, 0);
  g_array_set_size (from->rewrites, 0);
  from->edits = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_edit_free);
  from->position = (PhPosition) { 0, 0 };
}

const char *
ph_exactness_name (PhExactness exactness)
{
  static const char *const names[] = { "exact", "exact-finite", "rounding", "lossy" };

  return names[exactness];
}
