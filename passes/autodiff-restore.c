/* autodiff-restore.c: parameters that passes folded or merged, and the forward graph that contained them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/copy.h"
#include "core/ops/grad.h"
#include "passes/autodiff.h"

#include <string.h>

/*   as it came:      x ──► Conv(w) ──► BatchNormalization(g) ──► y
 *   now:             x ──► Conv(w * g ...) ──► y
 *   to differentiate: both; the gradients of w and g are taken from the upper one
 *
 * Both compute the same values, since only built-in passes were run in between. */

/* Returns TRUE if @step kept all values up to rounding. */
static gboolean
kept_values (const PhHistory *history, const PhStep *step, const PhPass *pass)
{
  if (!ph_pass_is_builtin (pass) || pass->takes_file || pass->exactness == PH_LOSSY)
    return FALSE;
  for (guint i = 0; i < step->n_rewrites; i++)
    {
      const char *rule = g_array_index (history->rewrites, PhRewrite, step->first_rewrite + i).rule;

      for (guint k = 0; k < pass->n_rules; k++)
        if (pass->rules[k].exactness == PH_LOSSY && g_str_equal (pass->rules[k].name, rule))
          return FALSE;
    }
  return TRUE;
}

/* Adds to @n_edits those of the upgrades at the start, while @upgrading, and everything up to the last conversion from another dialect,
 * since only ONNX is differentiated. @before: edits of earlier histories. Returns FALSE if one of the first @n_steps may have changed the
 * model's results. */
static gboolean
look_at_steps (PhHistory *history, guint n_steps, guint before, gboolean *upgrading, guint *n_edits)
{
  for (guint i = 0; i < n_steps; i++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, i);
      g_autofree char *name = g_strndup (step->pass, strcspn (step->pass, " "));
      const PhPass *pass = ph_pass_find (name);

      if (pass == NULL || !kept_values (history, step, pass))
        return FALSE;
      if (g_str_equal (name, "convert-to-onnx"))
        {
          *upgrading = TRUE;
          *n_edits = before + ph_history_edit_index (history, (PhPosition) { i + 1, 0 });
          continue;
        }
      *upgrading = *upgrading && (g_str_equal (name, "upgrade-opset") || g_str_equal (name, "newest-form"));
      if (*upgrading)
        *n_edits += ph_history_edit_index (history, (PhPosition) { i + 1, 0 })
                    - ph_history_edit_index (history, (PhPosition) { i, 0 });
    }
  return TRUE;
}

/* Returns the model as loaded, at the newest opset. (nullable) (transfer full) */
static PhModel *
original_of (PhPassRun *run, GError **error)
{
  PhHistory *history = run->history, *past = history != NULL ? history->past : NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (PhHistory) upgrade = NULL;
  g_autoptr (GPtrArray) edits = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  gboolean upgrading = TRUE;
  guint first = 0;

  if (history == NULL
      || (past != NULL && !look_at_steps (past, history->past_end.step + (history->past_end.rewrite > 0), 0, &upgrading, &first))
      || !look_at_steps (history, history->steps->len, past != NULL ? ph_history_edit_index (past, history->past_end) : 0,
                         &upgrading, &first))
    return NULL;
  edits = ph_history_all_edits (history);
  model = ph_model_clone (run->model);
  for (guint i = edits->len; i-- > first;)
    ph_edit_revert (model, edits->pdata[i]);
  if (ph_model_opset (model, "") < PH_OPSET_NEWEST)
    {
      upgrade = ph_history_new ();
      if (!ph_pass_run (ph_pass_find ("upgrade-opset"), model, upgrade, &options, error))
        return NULL;
      model->journal = NULL;
    }
  return g_steal_pointer (&model);
}

static gboolean
is_wanted (const char *const *names, const char *name)
{
  return names[0] == NULL || g_strv_contains (names, name);
}

/* Counts the forward users of @value. Fewer than in the original mean that some user was folded or merged, or that the parameter is
 * gone. */
static guint
n_forward_uses (const PhValue *value)
{
  guint n = 0;

  for (guint i = 0; i < value->uses->len; i++)
    n += g_array_index (value->uses, PhUse, i).node->role != PH_ROLE_BACKWARD;
  return n;
}

static gboolean
is_incomplete (PhModel *model, PhModel *original, const char *const *names)
{
  const GPtrArray *constants = original->graph->constants;

  for (guint i = 0; i < constants->len; i++)
    {
      const PhValue *value = constants->pdata[i], *now = ph_model_find_value (model, value->id);

      if (n_forward_uses (value) > 0 && ph_value_has_gradient (value) && is_wanted (names, value->name)
          && (now == NULL || n_forward_uses (now) != n_forward_uses (value)))
        return TRUE;
    }
  return FALSE;
}

/* Returns the name @name for a restored value, whose gradient is named after it. A value that a pass gave this name is renamed. */
static const char *
free_name (PhModel *model, const char *name)
{
  PhValue *taken = ph_model_find_value_named (model, name);

  if (taken != NULL && !taken->is_input && !ph_value_is_output (taken))
    ph_value_rename (taken, ph_model_unique_name (model, name), NULL);
  return ph_model_unique_name (model, name);
}

/* Maps the inputs and constants of the original to their counterparts in @model. Ids beyond its own are of an upgrade of the original alone:
 * what is added here may get the same. */
static gboolean
map_sources (PhModel *model, PhModel *original, GHashTable *map, GError **error)
{
  const PhId end = model->next_id;

  for (guint i = 0; i < original->graph->inputs->len; i++)
    {
      PhValue *value = original->graph->inputs->pdata[i], *now = value->id < end ? ph_model_find_value (model, value->id) : NULL;

      if (now == NULL)
        now = ph_graph_add_input (model->graph, free_name (model, value->name), value->type, value->tensor, G_MAXUINT, error);
      if (now == NULL)
        return FALSE;
      g_hash_table_insert (map, value, now);
    }
  for (guint i = 0; i < original->graph->constants->len; i++)
    {
      PhValue *value = original->graph->constants->pdata[i],
              *now = value->id < end ? ph_model_find_value (model, value->id) : NULL;

      if (value->uses->len == 0 && !ph_value_is_output (value))
        continue;
      if (now == NULL)
        now = value->id < end
                  ? ph_graph_restore_constant (model->graph, value->id, free_name (model, value->name), value->tensor, error)
                  : ph_graph_add_constant (model->graph, free_name (model, value->name), value->tensor, error);
      if (now == NULL)
        return FALSE;
      g_hash_table_insert (map, value, now);
    }
  return TRUE;
}

static gboolean
copy_forward (PhModel *model, PhModel *original, const char *output, GHashTable *map, PhValue **copy, GError **error)
{
  PhValue *from = ph_model_find_value_named (original, output);
  g_autoptr (GPtrArray) copies = g_ptr_array_new ();

  if (!map_sources (model, original, map, error))
    return FALSE;
  PH_FOREACH_NODE (node, original->graph)
    {
      PhNode *made = ph_copy_node (node, model->graph, NULL, map, error);

      if (made == NULL)
        return FALSE;
      g_ptr_array_add (copies, made);
    }
  *copy = g_hash_table_lookup (map, from);
  for (guint i = copies->len; i-- > 0;)
    {
      PhNode *node = copies->pdata[i];
      gboolean used = FALSE;

      for (guint k = 0; k < node->outputs->len; k++)
        used |= ph_value_n_uses (node->outputs->pdata[k]) > 0 || node->outputs->pdata[k] == *copy;
      if (!used && !ph_graph_remove_node (node, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
ph_autodiff_restore (PhPassRun *run, const char *name, const char *const *names, PhValue **output, GPtrArray *sources,
                     GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (PhModel) original = original_of (run, &local);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  const PhValue *from;

  *output = NULL;
  if (original == NULL || !is_incomplete (run->model, original, names))
    return TRUE;
  from = ph_model_find_value_named (original, name);
  if (from == NULL || from->graph != original->graph || !ph_value_has_gradient (from) || from->producer == NULL)
    return TRUE;
  for (guint i = 0; names[i] != NULL; i++)
    {
      const PhValue *value = ph_model_find_value_named (original, names[i]);

      if (value == NULL || value->graph != original->graph || value->producer != NULL)
        return TRUE;
    }
  if (!ph_pass_begin (run, "restore", NULL,
                      "Weights were folded or merged before, so their gradients are computed on the original model, "
                      "which is added beside. The pipeline train keeps all weights."))
    return TRUE;
  if (!ph_pass_close (run, copy_forward (run->model, original, name, map, output, error)))
    return FALSE;
  for (guint i = 0; names[i] != NULL; i++)
    g_ptr_array_add (sources, g_hash_table_lookup (map, ph_model_find_value_named (original, names[i])));
  for (guint i = 0; names[0] == NULL && i < original->graph->inputs->len; i++)
    if (ph_value_has_gradient (original->graph->inputs->pdata[i]))
      g_ptr_array_add (sources, g_hash_table_lookup (map, original->graph->inputs->pdata[i]));
  for (guint i = 0; names[0] == NULL && i < original->graph->constants->len; i++)
    {
      PhValue *value = original->graph->constants->pdata[i], *now = g_hash_table_lookup (map, value);

      if (now != NULL && ph_value_has_gradient (value))
        g_ptr_array_add (sources, now);
    }
  return TRUE;
}
