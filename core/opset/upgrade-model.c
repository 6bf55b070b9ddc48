/* upgrade-model.c: upgrades a model of an older opset to the newest one. Operators are declared at their newest version only, so only this
 * file and what it calls know older ones. Nodes are visited in program order and typed once upgraded, for some upgrades depend on ranks. If
 * possible, an upgrade edits the node in place, so that a diff says "changed".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"

#include "core/ops/infer.h"
#include "core/opset/named.h"
#include "core/opset/upgrades.h"

#define OLD_DEFAULT_OPSET 1

typedef struct
{
  const char *rule, *ops;
  int below;
  PhUpgradeFunc func;
  const char *why;
} UpgradeRow;

#define UPGRADE_ROW(name_, ops_, below_, func_, why_) { name_, ops_, below_, ph_upgrade_##func_, why_ },

static const UpgradeRow upgrades[] = { UPGRADES (UPGRADE_ROW) };

/* Infers missing types, which only nodes made by upgrades lack: later upgrades depend on ranks. */
static void
infer_types (const PhUpgradeJournal *journal, PhNode *node)
{
  gboolean untyped = FALSE;

  for (guint i = 0; i < node->outputs->len; i++)
    untyped |= ((PhValue *) g_ptr_array_index (node->outputs, i))->type == NULL;
  if (node->op == NULL || !untyped || !journal->begin (journal->data, "infer-types", node, "Some upgrades depend on ranks."))
    return;
  if (ph_infer_one (node, NULL))
    journal->end (journal->data);
  else
    journal->abort (journal->data);
}

static gboolean
upgrade_node (PhModel *model, const PhUpgradeJournal *journal, PhId id, int opset, GError **error)
{
  PhNode *node = ph_model_find_node (model, id);

  if (node != NULL && node->outputs->len == 0) /* a node without outputs computes nothing */
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (upgrades) && node != NULL && *node->domain == '\0'; i++)
    {
      const UpgradeRow *rule = &upgrades[i];
      PhUpgrade u = { .model = model, .node = node, .opset = opset };

      if (opset >= rule->below || (*rule->ops != '*' && !is_named (rule->ops, node->op_type)))
        continue;
      if (!journal->begin (journal->data, rule->rule, node, rule->why))
        return TRUE;
      u.b = (PhBuilder) { .graph = node->graph,
                          .before = node,
                          .name = ph_node_output (node, 0)->name,
                          .role = node->role,
                          .partner = node->partner,
                          .device = node->device };
      rule->func (&u);
      if (!ph_builder_finish (&u.b, error))
        {
          journal->abort (journal->data);
          return FALSE;
        }
      journal->end (journal->data);
      node = ph_model_find_node (model, id);
    }
  if (node != NULL)
    infer_types (journal, node);
  return TRUE;
}

/* Returns TRUE if an upgrade from @opset changes nodes of this operator of ONNX's. */
static gboolean
has_upgrade (const char *op_type, int opset)
{
  for (guint i = 0; i < G_N_ELEMENTS (upgrades); i++)
    if (opset < upgrades[i].below && (*upgrades[i].ops == '*' || is_named (upgrades[i].ops, op_type)))
      return TRUE;
  return FALSE;
}

/* Likewise, of the nodes whose operator is not declared, as Upsample, which the newest opset lacks. */
static gboolean
graph_has_upgrade (const PhGraph *graph, int opset, GHashTable *clean)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (graph_has_upgrade (node->graphs->pdata[i], opset, clean))
          return TRUE;
      if (node->op != NULL || *node->domain != '\0' || g_hash_table_contains (clean, node->op_type))
        continue;
      if (has_upgrade (node->op_type, opset))
        return TRUE;
      g_hash_table_add (clean, (gpointer) node->op_type);
    }
  return FALSE;
}

gboolean
ph_upgrade_changes_nodes (PhModel *model)
{
  g_autoptr (GHashTable) clean = NULL;
  const int opset = MAX (ph_model_opset (model, ""), OLD_DEFAULT_OPSET);
  GHashTableIter iter;
  gpointer key, n;

  if (ph_model_opset (model, "") >= PH_OPSET_NEWEST)
    return FALSE;
  g_hash_table_iter_init (&iter, model->census);
  while (g_hash_table_iter_next (&iter, &key, &n))
    {
      const PhOp *op = key;

      if (op != NULL && n != NULL && op->domain == NULL && has_upgrade (op->name, opset))
        return TRUE;
    }
  if (!ph_model_has_op (model, NULL))
    return FALSE;
  clean = g_hash_table_new (NULL, NULL);
  return graph_has_upgrade (model->graph, opset, clean);
}

/* Collects the nodes of @graph and of its bodies, including those of fused nodes, which have the model's opset too. */
static void
collect_nodes (const PhGraph *graph, GArray *ids)
{
  PH_FOREACH_NODE (node, graph)
    {
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        collect_nodes (node->graphs->pdata[i], ids);
      g_array_append_val (ids, node->id);
    }
}

gboolean
ph_model_upgrade_by (PhModel *model, const PhUpgradeJournal *journal, gboolean keep_opset, GError **error)
{
  int opset = ph_model_opset (model, "");
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  if (opset >= PH_OPSET_NEWEST && ph_model_opset (model, PH_FILE_OPSET) > 0 && !keep_opset
      && journal->begin (journal->data, "set-opset", NULL,
                         "Every operator is at its newest version already, and the file leaves so too."))
    {
      ph_model_set_opset (model, PH_FILE_OPSET, 0);
      journal->end (journal->data);
    }
  if (opset >= PH_OPSET_NEWEST || (opset == 0 && model->graph->n_nodes == 0))
    return TRUE;
  opset = MAX (opset, OLD_DEFAULT_OPSET);

  if (ph_upgrade_changes_nodes (model))
    collect_nodes (model->graph, ids);
  for (guint i = 0; i < ids->len && !journal->stopped (journal->data); i++)
    if (!upgrade_node (model, journal, g_array_index (ids, PhId, i), opset, error))
      return FALSE;

  if (journal->begin (journal->data, "set-opset", NULL,
                      keep_opset ? "Every operator is in its newest form now, which the passes know; the file keeps its opset."
                                 : "Every operator is at its newest version now."))
    {
      if (keep_opset)
        ph_model_set_opset (model, PH_FILE_OPSET, opset);
      ph_model_set_opset (model, "", PH_OPSET_NEWEST);
      journal->end (journal->data);
    }
  return TRUE;
}

/* ── recorded as one step ───────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhModel *model;
  PhHistory *history;
  GCancellable *cancellable;
} Recorder;

static gboolean
begin (gpointer data, const char *rule, PhNode *node, const char *why)
{
  Recorder *self = data;

  if (g_cancellable_is_cancelled (self->cancellable))
    return FALSE;
  ph_history_begin_rewrite (self->history, rule, node != NULL ? node->id : PH_NO_ID, why);
  return TRUE;
}

static void
end (gpointer data)
{
  ph_history_end_rewrite (((Recorder *) data)->history);
}

static void
abandon (gpointer data)
{
  Recorder *self = data;

  ph_history_abort_rewrite (self->history, self->model);
}

static gboolean
stopped (gpointer data)
{
  return g_cancellable_is_cancelled (((Recorder *) data)->cancellable);
}

gboolean
ph_model_upgrade (PhModel *model, PhHistory *history, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhHistory) own = history == NULL ? ph_history_new () : NULL;
  Recorder recorder = { model, history != NULL ? history : own, cancellable };
  const PhUpgradeJournal journal = { begin, end, abandon, stopped, &recorder };
  gboolean ok;

  ph_history_begin_step (recorder.history, model, "upgrade-opset");
  ok = ph_model_upgrade_by (model, &journal, FALSE, error) && !g_cancellable_set_error_if_cancelled (cancellable, error);
  if (!ok)
    {
      ph_history_abort_step (recorder.history, model);
      return FALSE;
    }
  ph_infer_model (model, FALSE, NULL, NULL);
  ph_history_end_step (recorder.history, model, 0);
  return TRUE;
}
