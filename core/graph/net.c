/* net.c: the net effect of a range of edits on each node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/net.h"

#include "core/graph/graph-private.h"
#include "core/graph/made-from.h"
#include "core/tensor/origin.h"

static void
net_node_free (gpointer data)
{
  PhNetNode *node = data;

  g_clear_pointer (&node->fields, g_array_unref);
  g_clear_pointer (&node->inside, g_array_unref);
  g_free (node);
}

static PhNetNode *
touch (GHashTable *net, const PhEdit *edit, PhId id)
{
  PhNetNode *node = g_hash_table_lookup (net, GUINT_TO_POINTER (id));

  if (node == NULL)
    {
      node = g_new0 (PhNetNode, 1);
      node->id = id;
      node->before = node->after = TRUE;
      g_hash_table_insert (net, GUINT_TO_POINTER (id), node);
    }
  node->hidden |= edit->hidden;
  return node;
}

static PhNetField *
touch_field (PhNetNode *node, const PhNetField *wish)
{
  if (node->fields == NULL)
    node->fields = g_array_new (FALSE, FALSE, sizeof (PhNetField));
  for (guint i = 0; i < node->fields->len; i++)
    {
      PhNetField *field = &g_array_index (node->fields, PhNetField, i);

      if (field->kind == wish->kind && field->index == wish->index && field->name == wish->name && field->value == wish->value)
        {
          field->after = wish->after;
          field->new_attr = wish->new_attr;
          field->new_type = wish->new_type;
          return field;
        }
    }
  g_array_append_vals (node->fields, wish, 1);
  return &g_array_index (node->fields, PhNetField, node->fields->len - 1);
}

/* ── constants ── */

static PhTensor *
tensor_of_attrs (GPtrArray *attrs)
{
  for (guint i = 0; attrs != NULL && i < attrs->len; i++)
    {
      const PhAttr *attr = attrs->pdata[i];

      if (attr->kind == PH_ATTR_TENSOR && g_str_equal (attr->name, "value"))
        return attr->tensor;
    }
  return NULL;
}

/* Returns the constants that the edits [@first, @end) create or remove, by value id. (transfer full) */
static GHashTable *
index_constants (const PhHistory *history, guint first, guint end)
{
  GHashTable *index = g_hash_table_new (NULL, NULL);

  for (guint i = first; i < end; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_ADD_VALUE || edit->kind == PH_EDIT_REMOVE_VALUE)
        {
          const PhValueRecord *record = edit->spec;

          g_hash_table_insert (index, GUINT_TO_POINTER (edit->id), record->is_input ? NULL : record->tensor);
        }
      else if (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_REMOVE_NODE)
        {
          const PhNodeRecord *record = edit->spec;

          if (record->n_outputs == 1 && g_str_equal (record->op_type, "Constant"))
            g_hash_table_insert (index, GUINT_TO_POINTER (record->outputs[0]), tensor_of_attrs (record->attrs));
        }
    }
  return index;
}

PhTensor *
ph_history_find_tensor (PhHistory *history, PhModel *model, GHashTable **index, PhId id)
{
  const PhValue *value = ph_model_find_value (model, id);

  if (id == PH_NO_ID)
    return NULL;
  if (value != NULL)
    return ph_value_constant (value);
  if (*index == NULL)
    *index = index_constants (history, 0, history->edits->len);
  return g_hash_table_lookup (*index, GUINT_TO_POINTER (id));
}

typedef struct
{
  PhHistory *history;
  PhModel *model;
  guint first, end; /* the stretch                                                     */
  GHashTable *net;
  GHashTable *tensors, *gone; /* (nullable) constants by value: of the journal, of the stretch   */
  GHashTable *places, *near;  /* (nullable) owners of nodes and graphs, likewise                 */
  GHashTable *callers;        /* (nullable)                                                      */
  gboolean counted;
} Net;

/* Most deleted values were deleted in this range of edits; the whole journal is indexed only for the others. */
static PhTensor *
find_tensor (Net *self, PhId id)
{
  gpointer tensor;

  if (id != PH_NO_ID && ph_model_find_value (self->model, id) == NULL)
    {
      if (self->gone == NULL)
        self->gone = index_constants (self->history, self->first, self->end);
      if (g_hash_table_lookup_extended (self->gone, GUINT_TO_POINTER (id), NULL, &tensor))
        return tensor;
    }
  return ph_history_find_tensor (self->history, self->model, &self->tensors, id);
}

static gboolean
field_differs (Net *self, const PhNetField *field)
{
  PhTensor *a, *b;

  switch (field->kind)
    {
    case PH_NET_INPUT:
      if (field->before == field->after)
        return FALSE;
      if (!self->counted)
        return TRUE;
      b = find_tensor (self, field->after);
      a = b != NULL ? find_tensor (self, field->before) : NULL;
      /* A constant computed by a rule counts as changed: comparing it would force its computation. */
      return a == NULL || b == NULL || ph_tensor_get_origin (a) != ph_tensor_get_origin (b) || !ph_tensor_equal (a, b);
    case PH_NET_TYPE: return field->old_type != field->new_type;
    case PH_NET_ATTR:
      /* Where a node was made from is told anew by each snapshot, and is no change of it. */
      if (self->counted && g_str_equal (field->name, PH_ATTR_FROM))
        return FALSE;
      return field->old_attr == NULL || field->new_attr == NULL ? field->old_attr != field->new_attr
                                                                : !ph_attr_equal (field->old_attr, field->new_attr);
    default: g_assert_not_reached ();
    }
}

static gboolean
only_types (const PhNetNode *node)
{
  if (node->before != node->after || node->inside != NULL)
    return FALSE;
  for (guint i = 0; node->fields != NULL && i < node->fields->len; i++)
    if (g_array_index (node->fields, PhNetField, i).kind != PH_NET_TYPE)
      return FALSE;
  return TRUE;
}

/* ── bodies ── */

/* Nodes that the edits [@first, @end) make or take away -> their graphs, and graphs -> their owners. (transfer full) */
static GHashTable *
index_places (const PhHistory *history, guint first, guint end)
{
  GHashTable *index = g_hash_table_new (NULL, NULL);

  for (guint i = first; i < end; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_REMOVE_NODE || edit->kind == PH_EDIT_ADD_GRAPH
          || edit->kind == PH_EDIT_REMOVE_GRAPH)
        g_hash_table_insert (index, GUINT_TO_POINTER (edit->id), GUINT_TO_POINTER (edit->graph));
    }
  return index;
}

/* Finds where a removed object was: a node's graph, a graph's owner. Returns FALSE if it never existed. */
static gboolean
find_place (Net *self, PhId id, PhId *place)
{
  gpointer found = NULL;

  if (self->near == NULL)
    self->near = index_places (self->history, self->first, self->end);
  if (!g_hash_table_lookup_extended (self->near, GUINT_TO_POINTER (id), NULL, &found))
    {
      if (self->places == NULL)
        self->places = index_places (self->history, 0, self->history->edits->len);
      if (!g_hash_table_lookup_extended (self->places, GUINT_TO_POINTER (id), NULL, &found))
        return FALSE;
    }
  *place = GPOINTER_TO_UINT (found);
  return TRUE;
}

/* Returns the node whose body contains node or graph @id, or PH_NO_ID for the main graph. */
static PhId
owner_of (Net *self, PhId id)
{
  const PhNode *node = ph_model_find_node (self->model, id);
  const PhGraph *graph = node != NULL ? node->graph : ph_model_find_graph (self->model, id);
  PhId place = PH_NO_ID, above;

  if (graph != NULL)
    return graph->owner != NULL ? graph->owner->id : PH_NO_ID;
  if (!find_place (self, id, &place) || place == PH_NO_ID || ph_model_find_node (self->model, place) != NULL)
    return place;
  return ph_model_find_graph (self->model, place) != NULL || find_place (self, place, &above) ? owner_of (self, place) : PH_NO_ID;
}

/* Returns the function whose graph or body contains, or contained, node @id. (nullable) */
static const PhFunction *
function_of (Net *self, PhId id)
{
  const PhNode *node = ph_model_find_node (self->model, id);
  const PhGraph *graph = node != NULL ? node->graph : NULL;
  PhId place;

  if (graph == NULL && find_place (self, id, &place))
    graph = ph_model_find_graph (self->model, place);
  return graph != NULL ? ph_graph_root (graph)->function : NULL;
}

/* The nodes that call @function: (element-type PhNode) */
static GPtrArray *
callers_of (Net *self, const PhFunction *function)
{
  GPtrArray *callers;

  if (self->callers == NULL)
    self->callers = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  callers = g_hash_table_lookup (self->callers, function);
  if (callers != NULL)
    return callers;
  callers = g_ptr_array_new ();
  g_hash_table_insert (self->callers, (gpointer) function, callers);
  for (PhId id = 1; id < self->model->next_id; id++)
    {
      PhNode *node = ph_model_find_node (self->model, id);

      if (node != NULL && node->op_type == function->name && ph_node_function (node) == function)
        g_ptr_array_add (callers, node);
    }
  return callers;
}

/* Marks all nodes, from @id outwards, whose bodies contain @inside, and the callers of the enclosing function. */
static void
mark_from (Net *self, PhId id, PhId inside, GHashTable *seen)
{
  const PhFunction *function = self->model->functions->len > 0 ? function_of (self, id != PH_NO_ID ? id : inside) : NULL;
  GPtrArray *callers = function != NULL && g_hash_table_add (seen, (gpointer) function) ? callers_of (self, function) : NULL;

  for (; id != PH_NO_ID; id = owner_of (self, id))
    {
      PhNetNode *node = g_hash_table_lookup (self->net, GUINT_TO_POINTER (id));
      const PhNode *owner = ph_model_find_node (self->model, id);

      if (node == NULL)
        {
          node = g_new0 (PhNetNode, 1);
          node->id = id;
          node->before = node->after = TRUE;
          node->hidden = owner != NULL && ph_graph_is_fused (owner->graph);
          g_hash_table_insert (self->net, GUINT_TO_POINTER (id), node);
        }
      /* A node that appeared or disappeared as a whole needs no details. */
      if (node->before != node->after)
        return;
      if (node->inside == NULL)
        node->inside = g_array_new (FALSE, FALSE, sizeof (PhId));
      g_array_append_val (node->inside, inside);
    }
  for (guint i = 0; callers != NULL && i < callers->len; i++)
    mark_from (self, ((const PhNode *) callers->pdata[i])->id, inside, seen);
}

static void
mark_owners (Net *self, PhId inside)
{
  const gboolean in_functions = self->model->functions->len > 0;
  const PhId owner = owner_of (self, inside);
  g_autoptr (GHashTable) seen = in_functions ? g_hash_table_new (NULL, NULL) : NULL;

  if (owner != PH_NO_ID || in_functions)
    mark_from (self, owner, inside, seen);
}

static int
by_id (gconstpointer a, gconstpointer b)
{
  const PhId x = *(const PhId *) a, y = *(const PhId *) b;

  return x < y ? -1 : x > y;
}

static void
mark_bodies (Net *self)
{
  g_autoptr (GArray) changed = g_array_new (FALSE, FALSE, sizeof (PhId));
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, self->net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    if (!only_types (data))
      g_array_append_val (changed, ((PhNetNode *) data)->id);
  g_array_sort (changed, by_id);
  for (guint i = 0; i < changed->len; i++)
    mark_owners (self, g_array_index (changed, PhId, i));
}

/* ── functions ── */

static guint
call_hash (gconstpointer record)
{
  return g_direct_hash (((const PhNodeRecord *) record)->op_type);
}

static gboolean
call_equal (gconstpointer a, gconstpointer b)
{
  const PhNodeRecord *x = a, *y = b;

  return x->op_type == y->op_type && x->domain == y->domain;
}

/* Hides what is in functions that come, or go, with a call, as what is in a fused body: the call says it. The edits of a function that
 * goes lead up to it. */
static void
hide_in_functions (Net *self, gboolean come)
{
  const PhEditKind function = come ? PH_EDIT_ADD_FUNCTION : PH_EDIT_REMOVE_FUNCTION;
  const PhEditKind graph = come ? PH_EDIT_ADD_GRAPH : PH_EDIT_REMOVE_GRAPH, node = come ? PH_EDIT_ADD_NODE : PH_EDIT_REMOVE_NODE;
  g_autoptr (GHashTable) inside = g_hash_table_new (NULL, NULL), calls = NULL;

  for (guint i = 0; i < self->end - self->first; i++)
    {
      const PhEdit *edit = self->history->edits->pdata[come ? self->first + i : self->end - 1 - i];
      gboolean hides = FALSE;

      if (edit->kind == function)
        {
          const PhFunctionRecord *record = edit->spec;

          if (calls == NULL)
            {
              calls = g_hash_table_new (call_hash, call_equal);
              for (guint k = self->first; k < self->end; k++)
                {
                  const PhEdit *other = self->history->edits->pdata[k];
                  const PhNetNode *call = other->kind == node ? g_hash_table_lookup (self->net, GUINT_TO_POINTER (other->id))
                                                              : NULL;

                  if (call != NULL && call->before != call->after)
                    g_hash_table_add (calls, other->spec);
                }
            }
          hides = g_hash_table_contains (calls, &(PhNodeRecord) { .op_type = record->name, .domain = record->domain });
        }
      else if (edit->kind == graph || edit->kind == node)
        hides = g_hash_table_contains (inside, GUINT_TO_POINTER (edit->graph));
      if (!hides)
        continue;
      g_hash_table_add (inside, GUINT_TO_POINTER (edit->id));
      if (edit->kind == node && g_hash_table_contains (self->net, GUINT_TO_POINTER (edit->id)))
        ((PhNetNode *) g_hash_table_lookup (self->net, GUINT_TO_POINTER (edit->id)))->hidden = TRUE;
    }
}

/* ── types that follow ── */

/* Returns the node whose change caused that of @node. Types propagate downwards, so a node of which only the types changed follows the
 * producer of its first changed input. */
static PhId
cause_of (Net *self, PhNetNode *node, guint depth)
{
  const PhNode *present = ph_model_find_node (self->model, node->id);

  if (!only_types (node) || depth > 64)
    return node->id;
  if (node->follows != PH_NO_ID)
    return node->follows;
  for (guint i = 0; present != NULL && i < present->inputs->len; i++)
    {
      const PhValue *value = present->inputs->pdata[i];
      PhNetNode *maker = value != NULL && value->producer != NULL
                             ? g_hash_table_lookup (self->net, GUINT_TO_POINTER (value->producer->id))
                             : NULL;

      if (maker == NULL || maker == node)
        continue;
      node->follows = cause_of (self, maker, depth + 1);
      return node->follows;
    }
  return node->id;
}

gboolean
ph_net_counts (const PhNetNode *node)
{
  return !node->hidden && node->follows == PH_NO_ID;
}

/* ── the whole ── */

/* Returns the producer of value @id. A removed value has none: then the node came or went too, and its types need no comparison. */
static PhId
producer_of (PhModel *model, PhId id)
{
  const PhValue *value = ph_model_find_value (model, id);
  return value != NULL && value->producer != NULL ? value->producer->id : PH_NO_ID;
}

static GHashTable *
net_new (PhHistory *history, PhModel *model, guint first, guint end, gboolean counted)
{
  GHashTable *net = g_hash_table_new_full (NULL, NULL, NULL, net_node_free);
  Net self = { .history = history, .model = model, .first = first, .end = end, .net = net, .counted = counted };
  GHashTableIter iter;
  gpointer data;

  for (guint i = first; i < end; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];
      PhNetNode *node;
      PhId id;

      switch (edit->kind)
        {
        case PH_EDIT_ADD_NODE:
          /* Ids are never reused, so an addition is always the first that is heard of a node. */
          touch (net, edit, edit->id)->before = FALSE;
          break;
        case PH_EDIT_REMOVE_NODE: touch (net, edit, edit->id)->after = FALSE; break;
        case PH_EDIT_SET_INPUT:
          node = touch (net, edit, edit->id);
          touch_field (
              node, &(PhNetField) { .kind = PH_NET_INPUT, .index = edit->index, .before = edit->before, .after = edit->after });
          break;
        case PH_EDIT_SET_ATTR:
          node = touch (net, edit, edit->id);
          touch_field (node,
                       &(PhNetField) {
                           .kind = PH_NET_ATTR, .name = edit->new_name, .old_attr = edit->old_attr, .new_attr = edit->new_attr });
          break;
        case PH_EDIT_SET_TYPE:
          id = producer_of (model, edit->id);
          if (id == PH_NO_ID)
            break;
          touch_field (
              touch (net, edit, id),
              &(PhNetField) { .kind = PH_NET_TYPE, .value = edit->id, .old_type = edit->old_type, .new_type = edit->new_type });
          break;
        case PH_EDIT_ADD_VALUE:
        case PH_EDIT_REMOVE_VALUE:
        case PH_EDIT_ADD_GRAPH:
        case PH_EDIT_REMOVE_GRAPH:
        case PH_EDIT_SET_OUTPUT:
        case PH_EDIT_RENAME:
        case PH_EDIT_MOVE_NODE:
        case PH_EDIT_SET_OPSET:
        case PH_EDIT_SET_CONTROL:
        case PH_N_EDITS:
        default: break;
        }
    }

  g_hash_table_iter_init (&iter, net);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      PhNetNode *node = data;

      /* A node that appeared or disappeared counts as a whole. */
      for (guint i = node->fields != NULL && !(counted && node->before != node->after) ? node->fields->len : 0; i-- > 0;)
        if (!field_differs (&self, &g_array_index (node->fields, PhNetField, i)))
          g_array_remove_index (node->fields, i);
      if (node->before == node->after && (!node->before || node->fields == NULL || node->fields->len == 0))
        g_hash_table_iter_remove (&iter);
    }
  if (counted)
    {
      hide_in_functions (&self, TRUE);
      hide_in_functions (&self, FALSE);
      mark_bodies (&self);
      g_hash_table_iter_init (&iter, net);
      while (g_hash_table_iter_next (&iter, NULL, &data))
        cause_of (&self, data, 0);
    }
  g_clear_pointer (&self.tensors, g_hash_table_unref);
  g_clear_pointer (&self.gone, g_hash_table_unref);
  g_clear_pointer (&self.places, g_hash_table_unref);
  g_clear_pointer (&self.near, g_hash_table_unref);
  g_clear_pointer (&self.callers, g_hash_table_unref);
  return net;
}

GHashTable *
ph_net_new (PhHistory *history, PhModel *model, guint first, guint end)
{
  return net_new (history, model, first, end, FALSE);
}

GHashTable *
ph_net_new_counted (PhHistory *history, PhModel *model, guint first, guint end)
{
  return net_new (history, model, first, end, TRUE);
}
