/* canvas-node.c: a node of the picture as a screen reader sees it; it draws nothing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/canvas-node.h"

#include <glib/gi18n.h>

#include "core/scene/short-type.h"

struct _PhCanvasNode
{
  GtkWidget parent_instance;
  PhId id;
};

G_DEFINE_FINAL_TYPE (PhCanvasNode, ph_canvas_node, GTK_TYPE_WIDGET)

static void
ph_canvas_node_class_init (PhCanvasNodeClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST_ITEM);
  gtk_widget_class_set_css_name (widget_class, "node");
}

static void
ph_canvas_node_init (PhCanvasNode *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
}

GtkWidget *
ph_canvas_node_new (void)
{
  return g_object_new (PH_TYPE_CANVAS_NODE, NULL);
}

void
ph_canvas_node_show (PhCanvasNode *self, PhNode *node, guint place, guint n_nodes, const char *change)
{
  g_autoptr (GString) text = g_string_new (node->op_type), more = g_string_new (NULL);

  self->id = node->id;
  if (node->name != NULL && *node->name != '\0')
    g_string_append_printf (text, " %s", node->name);
  g_string_append_printf (text, _ (", %u of %u"), place, n_nodes);
  if (node->outputs->len > 0)
    {
      const PhValue *output = node->outputs->pdata[0];
      g_autofree char *type = output->type != NULL ? ph_type_to_shown (output->type) : NULL;

      if (type != NULL && *type != '\0')
        g_string_append_printf (text, _ (", output %s"), type);
    }
  g_string_append_printf (more, "n%u", node->id);
  if (change != NULL)
    g_string_append_printf (more, ", %s", change);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text->str,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, more->str, -1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_POS_IN_SET, place,
                                  GTK_ACCESSIBLE_RELATION_SET_SIZE, n_nodes, -1);
}

void
ph_canvas_node_show_input (PhCanvasNode *self, const PhValue *value)
{
  g_autofree char *type = value->type != NULL ? ph_type_to_shown (value->type) : g_strdup ("");
  g_autofree char *text = g_strdup_printf (value->is_input ? _ ("Input %s, %s") : _ ("Value %s, %s"), value->name, type);

  self->id = value->id;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

PhId
ph_canvas_node_get_id (PhCanvasNode *self)
{
  return self->id;
}

void
ph_canvas_node_set_selected (PhCanvasNode *self, gboolean selected)
{
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_SELECTED, selected, -1);
}

void
ph_canvas_node_flow_to (PhCanvasNode *self, GList *list)
{
  GtkAccessibleRelation relation = GTK_ACCESSIBLE_RELATION_FLOW_TO;
  g_auto (GValue) value = G_VALUE_INIT;

  if (list == NULL)
    {
      gtk_accessible_reset_relation (GTK_ACCESSIBLE (self), relation);
      return;
    }
  gtk_accessible_relation_init_value (relation, &value);
  g_value_set_pointer (&value, list);
  gtk_accessible_update_relation_value (GTK_ACCESSIBLE (self), 1, &relation, &value);
}
