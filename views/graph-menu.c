/* graph-menu.c: the menu of a node in the picture, opened by the right button or the Menu key.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-menu.h"

#include <glib/gi18n.h>

#include "core/scene/scene-read.h"
#include "views/context-menu.h"
#include "views/verify-cost.h"

#define ACTION(name_) static void name_ (GSimpleAction *action, GVariant *parameter, gpointer data)

static PhNode *
selected_node (PhGraphPane *pane)
{
  PhDocument *document = ph_console_get_document (ph_graph_pane_get_console (pane));
  PhModel *model = ph_document_get_model (document);

  return model ? ph_model_find_node (model, ph_document_get_selection (document)) : NULL;
}

ACTION (toggle_box)
{
  ph_graph_canvas_toggle_group (ph_graph_pane_get_canvas (data), g_variant_get_int32 (parameter));
}

ACTION (select_node)
{
  ph_document_set_selection (ph_console_get_document (ph_graph_pane_get_console (data)), g_variant_get_uint32 (parameter));
  ph_graph_canvas_show_node (ph_graph_pane_get_canvas (data), g_variant_get_uint32 (parameter));
}

ACTION (feed)
{
  g_signal_emit_by_name (ph_graph_pane_get_canvas (data), "node-activated", g_variant_get_uint32 (parameter));
}

ACTION (copy_name)
{
  PhNode *node = selected_node (data);

  if (!node)
    return;
  g_autofree char *id = g_strdup_printf ("n%u", node->id);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (data), *node->name ? node->name : id);
}

/* For a cheap model all values are kept, so that the next one is available at once. */
ACTION (compute)
{
  PhNode *node = selected_node (data);

  if (!node || node->outputs->len == 0 || !node->outputs->pdata[0])
    return;
  g_autofree char *dear = ph_verify_cost (node->graph->model),
                  *name = g_shell_quote (((PhValue *) node->outputs->pdata[0])->name);
  g_autofree char *line = g_strdup_printf ("eval %s --random 1%s", name, dear ? "" : " --all");
  ph_console_run_async (ph_graph_pane_get_console (data), line, NULL, NULL);
}

ACTION (explain)
{
  PhNode *node = selected_node (data);
  g_autofree char *line = node ? g_strdup_printf ("why n%u", node->id) : NULL;

  if (line)
    ph_console_run_async (ph_graph_pane_get_console (data), line, NULL, NULL);
}

static void
add_partner (GMenu *section, PhNode *node)
{
  PhModel *model = node->graph->model;
  PhId partner = node->role == PH_ROLE_BACKWARD ? node->partner : PH_NO_ID;

  for (guint i = 1; i < model->nodes->len && node->role != PH_ROLE_BACKWARD && !partner; i++)
    {
      const PhNode *other = model->nodes->pdata[i];
      if (other && other->role == PH_ROLE_BACKWARD && other->partner == node->id)
        partner = other->id;
    }
  if (!partner)
    return;
  g_autofree char *action = g_strdup_printf ("graph.select(uint32 %u)", partner);
  g_menu_append (section, node->role == PH_ROLE_BACKWARD ? _ ("Go to What It _Differentiates") : _ ("Go to Its _Gradient"),
                 action);
}

static void
add_node (GMenu *menu, PhGraphPane *pane, PhNode *node)
{
  PhDocument *document = ph_console_get_document (ph_graph_pane_get_console (pane));
  g_autofree char *id = g_strdup_printf ("n%u", node->id);
  gboolean stops = g_ptr_array_find_with_equal_func (ph_document_get_breaks (document), id, g_str_equal, NULL);
  PhModel *model = ph_document_get_model (document);
  PhNode *from = ph_model_find_node (model, ph_graph_pane_get_path_start (pane));
  GMenu *section = ph_context_menu_section (menu);

  if (ph_node_inside (node) != PH_NO_ID)
    g_menu_append (section, _ ("Go _Inside"), "command.enter");
  g_menu_append (section, _ ("Only What Is _Around It"), "view.part::around");
  if (from && from != node)
    {
      g_autofree char *label = g_strdup_printf (_ ("All _Paths From n%u %s to Here"), from->id, from->op_type);
      g_menu_append (section, label, "view.part::paths");
    }
  else if (!from)
    g_menu_append (section, _ ("_Paths From Here…"), "view.part::paths");
  g_menu_append (section, _ ("_Zoom to It"), "view.zoom::selection");
  section = ph_context_menu_section (menu);
  g_menu_append (section, stops ? _ ("Remove the _Breakpoint") : _ ("Stop _Before Rewrites of It"), "win.break-node");
  g_menu_append (section, _ ("_Why It Is There"), "graph.explain");
  g_menu_append (section, _ ("_Compute Its Value"), "graph.compute");
  g_menu_append (section, _ ("Compare Its _Kernels"), "command.compare-kernels");
  add_partner (section, node);
  for (guint i = 0; i < node->outputs->len; i++)
    if (node->outputs->pdata[i] && ((PhValue *) node->outputs->pdata[i])->n_output_uses > 0 && node->role != PH_ROLE_BACKWARD)
      {
        g_menu_append (section, _ ("Differentiate This _Output"), "command.grad");
        break;
      }
  g_menu_append (ph_context_menu_section (menu), *node->name ? _ ("Copy Its _Name") : _ ("Copy Its _Number"), "graph.copy-name");
}

static void
add_input (GMenu *menu, const PhValue *input)
{
  const PhType *type = input->type;
  GMenu *section = ph_context_menu_section (menu);
  g_autofree char *action = g_strdup_printf ("graph.feed(uint32 %u)", input->id);
  gboolean open = FALSE;

  for (guint d = 0; type && type->kind == PH_KIND_TENSOR && type->has_rank && d < type->rank; d++)
    open = open || ph_dim_name (type->dims[d]);
  g_menu_append (section, _ ("Type Its _Value…"), action);
  if (open)
    g_menu_append (section, _ ("Fix a _Dimension…"), "win.fix-dimension");
}

/* @x, @y: in the canvas. */
static void
show (PhGraphPane *pane, PhGraphCanvas *canvas, guint id, int group, double x, double y)
{
  PhDocument *document = ph_console_get_document (ph_graph_pane_get_console (pane));
  PhModel *model = ph_document_get_model (document);
  PhNode *node = model && id ? ph_model_find_node (model, id) : NULL;
  PhValue *value = model && id && !node ? ph_model_find_value (model, id) : NULL,
          *input = value && value->is_input ? value : NULL;
  g_autoptr (GMenu) menu = g_menu_new ();
  graphene_point_t point;

  if (!model)
    return;
  if (id)
    ph_document_set_selection (document, id);
  if (group >= 0)
    {
      g_autofree char *action = g_strdup_printf ("graph.toggle-box(%d)", group);
      const PhSceneBox *box = ph_scene_box (ph_graph_canvas_get_scene (canvas), group);
      g_menu_append (ph_context_menu_section (menu), box->open ? _ ("_Close") : _ ("_Open"), action);
    }
  if (node)
    add_node (menu, pane, node);
  else if (input)
    add_input (menu, input);
  else
    {
      GMenu *section = ph_context_menu_section (menu);
      g_menu_append (section, _ ("Only What This Step _Touched"), "view.part::touched");
      g_menu_append (section, _ ("Whole _Graph in the Window"), "view.zoom::fit");
      section = ph_context_menu_section (menu);
      g_menu_append (section, _ ("Open _All Groups"), "view.open::all");
      g_menu_append (section, _ ("Close A_ll Groups"), "view.open::none");
    }
  if (ph_document_get_inside (document) != PH_NO_ID)
    g_menu_append (ph_context_menu_section (menu), _ ("Go _Out"), "command.leave");
  if (ph_graph_canvas_is_partial (canvas))
    g_menu_append (ph_context_menu_section (menu), _ ("Show _Everything Again"), "view.part::all");
  if (gtk_widget_compute_point (GTK_WIDGET (canvas), GTK_WIDGET (pane), &GRAPHENE_POINT_INIT ((float) x, (float) y), &point))
    ph_context_menu_pop_up (GTK_WIDGET (pane), G_MENU_MODEL (menu),
                            input                 ? input->name
                            : !node               ? _ ("Graph")
                            : *node->name != '\0' ? node->name
                                                  : node->op_type,
                            point.x, point.y);
}

void
ph_graph_menu_show_selected (PhGraphPane *pane)
{
  PhGraphCanvas *canvas = ph_graph_pane_get_canvas (pane);
  PhNode *node = selected_node (pane);
  graphene_rect_t rect = { .origin = { 0, 0 }, .size = { 0, 0 } };
  int group = -1;

  if (node && ph_graph_canvas_node_rect (canvas, node->id, &rect))
    {
      const int box = ph_scene_find (ph_graph_canvas_get_scene (canvas), node->id, NULL);
      if (box >= 0 && ph_scene_box (ph_graph_canvas_get_scene (canvas), box)->can_open)
        group = box;
    }
  show (pane, canvas, node ? node->id : PH_NO_ID, group,
        CLAMP (rect.origin.x + rect.size.width / 2, 0, gtk_widget_get_width (GTK_WIDGET (canvas))),
        CLAMP (rect.origin.y + rect.size.height, 0, gtk_widget_get_height (GTK_WIDGET (canvas))));
}

static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, PhGraphPane *pane)
{
  PhGraphCanvas *canvas = PH_GRAPH_CANVAS (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture)));
  int group;
  guint id = ph_graph_canvas_pick_node (canvas, x, y, &group);

  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_widget_grab_focus (GTK_WIDGET (canvas));
  show (pane, canvas, id, group, x, y);
}

static void
on_long_press (GtkGestureLongPress *gesture, double x, double y, PhGraphPane *pane)
{
  PhGraphCanvas *canvas = PH_GRAPH_CANVAS (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture)));
  int group;
  guint id = ph_graph_canvas_pick_node (canvas, x, y, &group);

  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  show (pane, canvas, id, group, x, y);
}

void
ph_graph_menu_attach (PhGraphPane *pane, PhGraphCanvas *canvas)
{
  GtkGesture *gesture = gtk_gesture_click_new ();

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), GDK_BUTTON_SECONDARY);
  g_signal_connect_object (gesture, "pressed", G_CALLBACK (on_pressed), pane, 0);
  gtk_widget_add_controller (GTK_WIDGET (canvas), GTK_EVENT_CONTROLLER (gesture));
  gesture = gtk_gesture_long_press_new ();
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (gesture), TRUE);
  g_signal_connect_object (gesture, "pressed", G_CALLBACK (on_long_press), pane, 0);
  gtk_widget_add_controller (GTK_WIDGET (canvas), GTK_EVENT_CONTROLLER (gesture));
}

void
ph_graph_menu_install (PhGraphPane *pane, GActionMap *actions)
{
  /* clang-format off */
  static const GActionEntry entries[] = {
    { "toggle-box", toggle_box, "i" }, { "select", select_node, "u" }, { "copy-name", copy_name }, { "compute", compute },
    { "explain", explain }, { "feed", feed, "u" },
  };
  /* clang-format on */

  g_action_map_add_action_entries (actions, entries, G_N_ELEMENTS (entries), pane);
}
