/* refine.c: updates types after each rewrite.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

#include "core/ops/infer.h"

/* Further nodes after one rewrite get their types when the model is next loaded. */
#define MAX_NODES 20000

typedef struct
{
  PhPassRun *run;
  GArray *queue;      /* (element-type PhId) nodes */
  GHashTable *queued; /* ids in it, from where it is */
} Refine;

static void
enqueue (Refine *self, const PhNode *node)
{
  if (node != NULL && self->queue->len < MAX_NODES && g_hash_table_add (self->queued, GUINT_TO_POINTER (node->id)))
    g_array_append_val (self->queue, node->id);
}

/* Enqueues the users of @value; if it is an output of a body, also the body's owner. */
static void
enqueue_readers (Refine *self, const PhValue *value)
{
  for (guint i = 0; i < value->uses->len; i++)
    enqueue (self, g_array_index (value->uses, PhUse, i).node);
  if (value->n_output_uses > 0)
    enqueue (self, value->graph->owner);
}

/* Returns TRUE if the new input may refine the outputs: its type differs from before, or it is now constant. */
static gboolean
may_say_more (Refine *self, const PhEdit *edit)
{
  PhValue *after = ph_model_find_value (self->run->model, edit->after);
  const PhValue *before = ph_model_find_value (self->run->model, edit->before);

  return after != NULL && (before == NULL || before->type != after->type || ph_value_constant (after) != NULL);
}

static void
refine_node (Refine *self, PhNode *node)
{
  guint n = node->outputs->len;
  g_autofree const PhType **before = NULL;

  /* An operator that is not declared says nothing about its outputs, and what is in its bodies has its own turn. */
  if (node->op == NULL && !ph_node_is_fused (node))
    return;
  before = g_new0 (const PhType *, n + 1);
  for (guint k = 0; k < n; k++)
    before[k] = ph_node_output (node, k)->type;
  /* Errors are for the reader to report, not for a rewrite elsewhere. */
  ph_infer_one (node, NULL);
  for (guint k = 0; k < n; k++)
    if (ph_node_output (node, k)->type != before[k])
      enqueue_readers (self, ph_node_output (node, k));
}

void
ph_pass_refine (PhPassRun *run)
{
  GPtrArray *edits = run->history->edits;
  g_autoptr (GArray) queue = NULL;
  g_autoptr (GHashTable) queued = NULL;
  Refine self = { .run = run };

  /* Operators of an older opset may mean something else. */
  if (ph_model_opset (run->model, "") < PH_OPSET_NEWEST)
    return;
  self.queue = queue = g_array_new (FALSE, FALSE, sizeof (PhId));
  self.queued = queued = g_hash_table_new (NULL, NULL);
  for (guint i = run->first_edit; i < edits->len; i++)
    {
      const PhEdit *edit = g_ptr_array_index (edits, i);
      const PhValue *value;

      if (edit->hidden)
        continue;
      if (edit->kind == PH_EDIT_SET_ATTR || (edit->kind == PH_EDIT_SET_INPUT && may_say_more (&self, edit)))
        enqueue (&self, ph_model_find_node (run->model, edit->id));
      else if (edit->kind == PH_EDIT_SET_TYPE && (value = ph_model_find_value (run->model, edit->id)) != NULL)
        enqueue_readers (&self, value);
    }
  for (guint i = 0; i < queue->len; i++)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (queue, PhId, i));

      g_hash_table_remove (queued, GUINT_TO_POINTER (g_array_index (queue, PhId, i)));
      if (node != NULL)
        refine_node (&self, node);
    }
}
