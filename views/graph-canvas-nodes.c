/* graph-canvas-nodes.c: the selected node and its neighbours as objects that a screen reader can go to.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "core/scene/scene-read.h"
#include "core/scene/scene.h"
#include "views/canvas-node.h"
#include "views/graph-canvas-draw.h"
#include "views/graph-canvas-private.h"

#define MOST 12 /* neighbours on each side */

static const char *
change_of (PhGraphCanvas *self, PhId id)
{
  const int box = self->shown.scene != NULL && self->since != self->time ? ph_scene_find (self->shown.scene, id, NULL) : -1;

  if (box < 0 || ph_scene_box (self->shown.scene, box)->n_tenants == 0)
    return NULL;
  switch (ph_scene_change (self->shown.scene, box, self->since, self->time, NULL))
    {
    case PH_CHANGE_ADDED: return _ ("added");
    case PH_CHANGE_REMOVED: return _ ("removed");
    case PH_CHANGE_CHANGED: return _ ("changed");
    default: return NULL;
    }
}

/* A node, or an input of the graph. */
typedef struct
{
  PhNode *node;
  PhValue *value;
} Item;

static PhId
item_id (const Item *item)
{
  return item->node != NULL ? item->node->id : item->value->id;
}

static void
add (GArray *items, PhNode *node, PhValue *value)
{
  const Item item = { node, value };

  for (guint i = 0; i < items->len; i++)
    if (g_array_index (items, Item, i).node == node && g_array_index (items, Item, i).value == value)
      return;
  if (items->len < MOST && (node != NULL || value != NULL))
    g_array_append_val (items, item);
}

static void
add_users (GArray *items, const PhValue *value, PhGraph *graph)
{
  for (guint u = 0; u < value->uses->len && items->len < MOST; u++)
    {
      PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, u).node, graph);

      if (user != NULL)
        add (items, user, NULL);
    }
}

/* Returns the producers of a node, or its users: within its graph, in the order of inputs or uses. */
static GArray *
neighbours (const Item *item, PhModel *model, gboolean users)
{
  GArray *items = g_array_new (FALSE, FALSE, sizeof (Item));
  PhNode *node = item->node;

  if (node == NULL)
    {
      if (users)
        add_users (items, item->value, model->graph);
      return items;
    }
  for (guint i = 0; i < node->inputs->len && !users; i++)
    {
      PhValue *value = node->inputs->pdata[i];

      if (value != NULL && value->producer != NULL && value->producer->graph == node->graph)
        add (items, value->producer, NULL);
      else if (value != NULL && value->producer == NULL && ph_scene_draws_input (value))
        add (items, NULL, value);
    }
  for (guint i = 0; i < node->outputs->len && users; i++)
    add_users (items, node->outputs->pdata[i], node->graph);
  return items;
}

static PhCanvasNode *
find_child (PhGraphCanvas *self, PhId id)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (ph_canvas_node_get_id (PH_CANVAS_NODE (child)) == id)
      return PH_CANVAS_NODE (child);
  return NULL;
}

/* Adds the accessible child for @item after the others. An existing one stays the same object. */
static PhCanvasNode *
put (PhGraphCanvas *self, const Item *item, GHashTable *places, GHashTable *kept)
{
  const PhId id = item_id (item);
  PhCanvasNode *child = find_child (self, id);

  if (child == NULL)
    child = PH_CANVAS_NODE (ph_canvas_node_new ());
  gtk_widget_insert_before (GTK_WIDGET (child), GTK_WIDGET (self), NULL);
  if (item->node != NULL)
    ph_canvas_node_show (child, item->node, GPOINTER_TO_UINT (g_hash_table_lookup (places, item->node)),
                         g_hash_table_size (places), change_of (self, id));
  else
    ph_canvas_node_show_input (child, item->value);
  ph_canvas_node_set_selected (child, id == ph_document_get_selection (self->document));
  g_hash_table_add (kept, child);
  return child;
}

static PhCanvasNode *
put_all (PhGraphCanvas *self, PhModel *model, const Item *item, GHashTable *kept)
{
  g_autoptr (GArray) before = neighbours (item, model, FALSE), after = neighbours (item, model, TRUE);
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  PhCanvasNode *selected;
  GList *users = NULL;
  guint n = 0;

  PH_FOREACH_NODE (at, item->node != NULL ? item->node->graph : model->graph)
    g_hash_table_insert (places, at, GUINT_TO_POINTER (++n));
  for (guint i = 0; i < before->len; i++)
    put (self, &g_array_index (before, Item, i), places, kept);
  selected = put (self, item, places, kept);
  for (guint i = 0; i < before->len; i++)
    ph_canvas_node_flow_to (find_child (self, item_id (&g_array_index (before, Item, i))), g_list_append (NULL, selected));
  for (guint i = 0; i < after->len; i++)
    {
      PhCanvasNode *user = put (self, &g_array_index (after, Item, i), places, kept);

      ph_canvas_node_flow_to (user, NULL);
      users = g_list_append (users, user);
    }
  ph_canvas_node_flow_to (selected, users);
  return selected;
}

void
ph_canvas_update_nodes (PhGraphCanvas *self)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  const PhId id = model != NULL ? ph_document_get_selection (self->document) : PH_NO_ID;
  const gboolean inside = gtk_widget_get_focus_child (GTK_WIDGET (self)) != NULL;
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);
  Item item = { NULL, NULL };
  PhCanvasNode *selected = NULL;
  GtkWidget *child, *next;

  if (id != PH_NO_ID)
    {
      item.node = ph_model_find_node (model, id);
      item.value = item.node == NULL ? ph_model_find_value (model, id) : NULL;
    }
  if (item.node != NULL || item.value != NULL)
    selected = put_all (self, model, &item, kept);
  /* The focus stays in the picture when the focused child is removed. */
  if (inside)
    gtk_widget_grab_focus (selected != NULL ? GTK_WIDGET (selected) : GTK_WIDGET (self));
  for (child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL; child = next)
    {
      next = gtk_widget_get_next_sibling (child);
      if (!g_hash_table_contains (kept, child))
        gtk_widget_unparent (child);
    }
}

void
ph_canvas_focus_selection (PhGraphCanvas *self)
{
  PhCanvasNode *child = self->document != NULL ? find_child (self, ph_document_get_selection (self->document)) : NULL;

  if (child != NULL && (gtk_widget_is_focus (GTK_WIDGET (self)) || gtk_widget_get_focus_child (GTK_WIDGET (self)) != NULL))
    gtk_widget_grab_focus (GTK_WIDGET (child));
}

void
ph_canvas_allocate_nodes (PhGraphCanvas *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t rect = GRAPHENE_RECT_INIT (0, 0, 1, 1);

      ph_graph_canvas_node_rect (self, ph_canvas_node_get_id (PH_CANVAS_NODE (child)), &rect);
      gtk_widget_allocate (child, MAX (1, (int) rect.size.width), MAX (1, (int) rect.size.height), -1,
                           gsk_transform_translate (NULL, &rect.origin));
    }
}

static gboolean
on_moved (gpointer data)
{
  PhGraphCanvas *self = data;

  self->moved_id = 0;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

/* Updates the positions of accessible children now and then, not in each frame of a movement. */
void
ph_canvas_nodes_moved (PhGraphCanvas *self)
{
  if (self->moved_id == 0 && gtk_widget_get_first_child (GTK_WIDGET (self)) != NULL)
    self->moved_id = g_timeout_add (300, on_moved, self);
}

void
ph_canvas_remove_nodes (PhGraphCanvas *self)
{
  GtkWidget *child;

  g_clear_handle_id (&self->moved_id, g_source_remove);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))) != NULL)
    gtk_widget_unparent (child);
}
