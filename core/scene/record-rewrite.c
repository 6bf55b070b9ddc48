/* record-rewrite.c: records the additions, removals and changes by one rewrite of a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/scene/record-private.h"

static void
add_move (PhRecorder *recorder, int index, const PhNode *node, gboolean goes)
{
  const PhMove move = { recorder->now, index, node->order, goes, FALSE };

  g_array_append_val (recorder->record->moves, move);
}

static void
add_touched (GHashTable *touched, PhNode *node)
{
  if (node != NULL)
    g_hash_table_add (touched, GUINT_TO_POINTER (node->id));
}

/* Collects nodes whose face or uses an edit may change; called before the edit (for removed ones) and after it. */
static void
collect_touched (PhRecorder *recorder, const PhEdit *edit, GHashTable *nodes, GHashTable *graphs)
{
  PhModel *model = recorder->model;
  PhValue *value = NULL;

  switch (edit->kind)
    {
    case PH_EDIT_ADD_NODE:
    case PH_EDIT_REMOVE_NODE:
    case PH_EDIT_SET_INPUT:
    case PH_EDIT_SET_ATTR:
    case PH_EDIT_MOVE_NODE:
    case PH_EDIT_SET_CONTROL:
      if (edit->kind != PH_EDIT_MOVE_NODE)
        add_touched (nodes, ph_model_find_node (model, edit->id));
      break;
    case PH_EDIT_ADD_VALUE:
    case PH_EDIT_REMOVE_VALUE:
    case PH_EDIT_SET_TYPE:
    case PH_EDIT_RENAME:
      value = ph_model_find_value (model, edit->id);
      if (value == NULL)
        break;
      if (value->producer != NULL)
        add_touched (nodes, value->producer);
      else if (value->is_input)
        g_hash_table_add (graphs, GUINT_TO_POINTER (value->graph->id));
      if (value->n_output_uses > 0)
        g_hash_table_add (graphs, GUINT_TO_POINTER (value->graph->id));
      break;
    case PH_EDIT_ADD_GRAPH:
    case PH_EDIT_REMOVE_GRAPH:
    case PH_EDIT_SET_OUTPUT:
      {
        PhGraph *graph = ph_model_find_graph (model, edit->graph != PH_NO_ID ? edit->graph : edit->id);

        if (graph != NULL)
          {
            g_hash_table_add (graphs, GUINT_TO_POINTER (graph->id));
            add_touched (nodes, graph->owner);
          }
      }
      break;
    case PH_EDIT_SET_OPSET:
    case PH_EDIT_ADD_FUNCTION:
    case PH_EDIT_REMOVE_FUNCTION:
    case PH_N_EDITS: break;
    }
}

/* Records that a body of @node (nullable) changed, although the node looks the same. */
static void
touch_owner (PhRecorder *recorder, PhNode *node)
{
  const int index = node != NULL && ph_recorder_is_shown (recorder, node->graph) ? life_of (recorder, node->id) : -1;
  PhLife *life = index >= 0 ? life_at (recorder, index) : NULL;

  if (life == NULL || life->n_faces == 0 || life->born == recorder->now)
    return;
  /* The face of a call shows the contents of its function. */
  if (ph_node_function (node) != NULL)
    ph_recorder_touch_node (recorder, node);
  else
    ph_recorder_set_face (recorder, index,
                          ph_faces_add_again (recorder->record->faces, ph_life_face (life, life->n_faces - 1)->face, node));
}

static PhTensor *
constant_of (PhRecorder *recorder, PhId id)
{
  const PhValue *value = ph_model_find_value (recorder->model, id);

  return value != NULL ? ph_value_constant (value) : NULL;
}

static void note_callers (PhRecorder *recorder, const PhFunction *function, GHashTable *owners);

/* Marks the nodes whose bodies contain @node, and the callers of its function, as changed. */
static void
note_owners (PhRecorder *recorder, const PhGraph *graph, GHashTable *owners)
{
  for (; graph != NULL && graph->owner != NULL; graph = graph->owner->graph)
    {
      if (!ph_node_is_fused (graph->owner))
        ph_faces_note_change (recorder->record->faces, graph->owner->id);
      add_touched (owners, graph->owner);
    }
  /* Once per rewrite: its callers are all nodes with its name. */
  if (graph != NULL && graph->function != NULL && g_hash_table_add (owners, GUINT_TO_POINTER (graph->id)))
    note_callers (recorder, graph->function, owners);
}

static void
note_callers (PhRecorder *recorder, const PhFunction *function, GHashTable *owners)
{
  for (PhId id = 1; id < recorder->model->next_id; id++)
    {
      PhNode *node = ph_model_find_node (recorder->model, id);

      if (node == NULL || node->op_type != function->name || node->domain != function->domain)
        continue;
      ph_faces_note_change (recorder->record->faces, id);
      add_touched (owners, node);
      note_owners (recorder, node->graph, owners);
    }
}

/* Records changes that the faces cannot detect by themselves, before the edit is applied. */
static void
note_edit (PhRecorder *recorder, const PhEdit *edit, GHashTable *owners)
{
  PhFaces *faces = recorder->record->faces;
  const PhNode *node = ph_model_find_node (recorder->model, edit->id);
  PhTensor *before, *after;

  switch (edit->kind)
    {
    case PH_EDIT_SET_INPUT:
      before = edit->before != PH_NO_ID && edit->after != PH_NO_ID ? constant_of (recorder, edit->before) : NULL;
      after = before != NULL ? constant_of (recorder, edit->after) : NULL;
      if (after != NULL && ph_tensor_equal (before, after))
        ph_faces_note_equal (faces, edit->id, edit->index, edit->before, edit->after);
      else if (node != NULL)
        note_owners (recorder, node->graph, owners);
      break;
    case PH_EDIT_SET_ATTR:
      if (edit->old_attr != NULL && edit->new_attr != NULL && edit->new_attr->kind == PH_ATTR_TENSOR
          && !ph_attr_equal (edit->old_attr, edit->new_attr))
        ph_faces_note_change (faces, edit->id);
      if (node != NULL)
        note_owners (recorder, node->graph, owners);
      break;
    case PH_EDIT_ADD_NODE:
    case PH_EDIT_REMOVE_NODE: note_owners (recorder, ph_model_find_graph (recorder->model, edit->graph), owners); break;
    case PH_EDIT_ADD_VALUE:
    case PH_EDIT_REMOVE_VALUE:
    case PH_EDIT_SET_TYPE:
    case PH_EDIT_RENAME:
    case PH_EDIT_MOVE_NODE:
    case PH_EDIT_ADD_GRAPH:
    case PH_EDIT_REMOVE_GRAPH:
    case PH_EDIT_SET_OUTPUT:
    case PH_EDIT_SET_OPSET:
    case PH_EDIT_SET_CONTROL:
    case PH_EDIT_ADD_FUNCTION:
    case PH_EDIT_REMOVE_FUNCTION:
    case PH_N_EDITS: break;
    }
}

void
ph_recorder_replay (PhRecorder *recorder, PhHistory *history, const PhRewrite *rewrite)
{
  g_autoptr (GHashTable) nodes = g_hash_table_new (NULL, NULL), graphs = g_hash_table_new (NULL, NULL),
                         owners = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer key;
  g_autoptr (GPtrArray) present = g_ptr_array_new ();

  recorder->now++;
  for (guint i = rewrite->first_edit; i < rewrite->first_edit + rewrite->n_edits; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_REMOVE_NODE)
        {
          PhNode *node = ph_model_find_node (recorder->model, edit->id);
          const int index = life_of (recorder, edit->id);

          if (node != NULL && index >= 0 && life_at (recorder, index)->kind == PH_LIFE_NODE)
            add_move (recorder, index, node, TRUE);
        }
      if (edit->kind == PH_EDIT_REMOVE_NODE || edit->kind == PH_EDIT_REMOVE_VALUE)
        {
          const int index = life_of (recorder, edit->id);

          if (index >= 0)
            {
              life_at (recorder, index)->died = recorder->now;
              g_array_set_size (recorder->wanted, 0);
              ph_recorder_set_uses (recorder, index);
            }
        }
      note_edit (recorder, edit, owners);
      collect_touched (recorder, edit, nodes, graphs);
      ph_edit_apply (recorder->model, edit);
      collect_touched (recorder, edit, nodes, graphs);
    }

  g_hash_table_iter_init (&iter, graphs);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhGraph *graph = ph_model_find_graph (recorder->model, GPOINTER_TO_UINT (key));

      if (graph == NULL || !ph_recorder_is_shown (recorder, graph))
        continue;
      for (guint i = 0; i < graph->inputs->len; i++)
        ph_recorder_touch_input (recorder, graph->inputs->pdata[i]);
    }
  /* Producers before users, so that a use finds the life of its source: by topological order within each graph. */
  g_hash_table_iter_init (&iter, nodes);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhNode *node = ph_model_find_node (recorder->model, GPOINTER_TO_UINT (key));

      if (node != NULL)
        g_ptr_array_add (present, node);
    }
  for (int round = 0; round < 2; round++)
    for (guint i = 0; i < present->len; i++)
      {
        PhNode *node = present->pdata[i];
        gboolean is_new;

        if (!ph_recorder_is_shown (recorder, node->graph))
          continue;
        is_new = life_of (recorder, node->id) < 0;
        ph_recorder_touch_node (recorder, node);
        if (is_new && life_at (recorder, life_of (recorder, node->id))->kind == PH_LIFE_NODE)
          add_move (recorder, life_of (recorder, node->id), node, FALSE);
      }
  for (guint i = 0; i < present->len; i++)
    if (ph_recorder_is_shown (recorder, ((PhNode *) present->pdata[i])->graph))
      ph_recorder_touch_links (recorder, present->pdata[i]);
  g_hash_table_iter_init (&iter, owners);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    touch_owner (recorder, ph_model_find_node (recorder->model, GPOINTER_TO_UINT (key)));
  g_hash_table_iter_init (&iter, graphs);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhGraph *graph = ph_model_find_graph (recorder->model, GPOINTER_TO_UINT (key));

      if (graph != NULL && ph_recorder_is_shown (recorder, graph))
        ph_recorder_touch_outputs (recorder, graph);
    }
}
