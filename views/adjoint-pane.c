/* adjoint-pane.c: the forward primal and the reverse adjoint trace. A row selects its node, and a selected node its rows.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/adjoint-pane.h"

#include <glib/gi18n.h>

#include "core/document/adjoint.h"
#include "core/document/snapshot.h"
#include "views/access-names.h"
#include "views/list-drag.h"

typedef enum
{
  FORWARD,
  REVERSE,
  N_TRACES
} Trace;

struct _PhAdjointPane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkLabel *message;
  GtkListView *forward_list, *reverse_list;
  GtkStringList *strings[N_TRACES];
  GArray *places[N_TRACES];  /* (element-type PhAdjointPlace) per row */
  PhDocument *document;      /* (nullable) */
  GCancellable *cancellable; /* (nullable) while the traces are computed */
  gboolean stale;            /* the contents belong to another position or other inputs */
  gboolean following;        /* rows follow the picture's selection */
};

G_DEFINE_FINAL_TYPE (PhAdjointPane, ph_adjoint_pane, GTK_TYPE_WIDGET)

/* Computing */

static void
compute (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  PhSnapshot *snapshot = data;
  g_autoptr (PhModel) model = ph_snapshot_take (snapshot, ph_snapshot_get_history (snapshot)->position);
  GError *error = NULL;
  PhAdjoint *adjoint = ph_adjoint_new (model, ph_snapshot_get_feeds (snapshot), NULL, cancellable, &error);

  if (adjoint != NULL)
    g_task_return_pointer (task, adjoint, (GDestroyNotify) ph_adjoint_free);
  else
    g_task_return_error (task, error);
}

static void
fill (PhAdjointPane *self, Trace trace, GPtrArray *lines)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  g_array_set_size (self->places[trace], 0);
  for (guint i = 0; i < lines->len; i++)
    {
      PhAdjointLine *line = lines->pdata[i];
      g_ptr_array_add (texts, line->text);
      g_array_append_val (self->places[trace], line->at);
    }
  g_ptr_array_add (texts, NULL);
  self->following = TRUE;
  gtk_string_list_splice (self->strings[trace], 0, g_list_model_get_n_items (G_LIST_MODEL (self->strings[trace])),
                          (const char *const *) texts->pdata);
  self->following = FALSE;
}

static void follow_selection (PhAdjointPane *self);

static void
on_computed (GObject *source, GAsyncResult *result, gpointer data)
{
  PhAdjointPane *self = PH_ADJOINT_PANE (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhAdjoint) adjoint = g_task_propagate_pointer (G_TASK (result), &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return;
  g_clear_object (&self->cancellable);
  if (adjoint == NULL)
    {
      gtk_label_set_text (self->message, error->message);
      gtk_stack_set_visible_child_name (self->content, "message");
      return;
    }

  g_autoptr (GPtrArray) forward = ph_adjoint_forward_lines (adjoint), reverse = ph_adjoint_reverse_lines (adjoint);
  fill (self, FORWARD, forward);
  fill (self, REVERSE, reverse);
  gtk_stack_set_visible_child_name (self->content, "traces");
  follow_selection (self);
}

/* Differentiates only while the pane is visible, as this is slow for a large model. */
static void
refresh (PhAdjointPane *self)
{
  if (!self->stale || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  self->stale = FALSE;
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->document == NULL || !ph_document_is_open (self->document))
    {
      gtk_label_set_text (self->message, _ ("Open a model to see how its output is computed and differentiated"));
      gtk_stack_set_visible_child_name (self->content, "message");
      return;
    }

  self->cancellable = g_cancellable_new ();

  g_autoptr (GTask) task = g_task_new (self, self->cancellable, on_computed, NULL);
  g_task_set_task_data (task, ph_snapshot_new (self->document), (GDestroyNotify) ph_snapshot_free);
  g_task_run_in_thread (task, compute);
}

static void
invalidate (PhAdjointPane *self)
{
  self->stale = TRUE;
  refresh (self);
}

/* Selection in both directions */

static GtkListView *
list_of (PhAdjointPane *self, Trace trace)
{
  return trace == FORWARD ? self->forward_list : self->reverse_list;
}

/* Returns the node of a row: in the reverse trace the backward node, if it exists at this position. */
static PhId
node_of_row (PhAdjointPane *self, Trace trace, guint row)
{
  PhModel *model = ph_document_get_model (self->document);
  const PhAdjointPlace *place = row < self->places[trace]->len ? &g_array_index (self->places[trace], PhAdjointPlace, row) : NULL;

  if (model == NULL || place == NULL || place->node == PH_NO_ID)
    return PH_NO_ID;
  if (trace == REVERSE)
    return ph_adjoint_place_find (place, model);
  return ph_model_find_node (model, place->node) != NULL ? place->node : PH_NO_ID;
}

static void
select_node_of (PhAdjointPane *self, Trace trace, guint row)
{
  const PhId node = self->document != NULL && row != GTK_INVALID_LIST_POSITION ? node_of_row (self, trace, row) : PH_NO_ID;

  if (node != PH_NO_ID)
    ph_document_set_selection (self->document, node);
}

static void
on_row_selected (GtkSingleSelection *selection, GParamSpec *pspec, gpointer data)
{
  PhAdjointPane *self = data;
  const Trace trace = selection == GTK_SINGLE_SELECTION (gtk_list_view_get_model (self->forward_list)) ? FORWARD : REVERSE;

  if (!self->following)
    select_node_of (self, trace, gtk_single_selection_get_selected (selection));
}

/* Handles a click on a selected row too: it may be selected only because its forward node is. */
static void
on_row_clicked (GtkGesture *gesture, int n, double x, double y, gpointer item)
{
  GtkWidget *label = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));
  PhAdjointPane *self = PH_ADJOINT_PANE (gtk_widget_get_ancestor (label, PH_TYPE_ADJOINT_PANE));

  select_node_of (self, gtk_widget_is_ancestor (label, GTK_WIDGET (self->forward_list)) ? FORWARD : REVERSE,
                  gtk_list_item_get_position (item));
}

/* Returns the row of @node in a trace, else the first row of @forward, the node itself or the one that it differentiates. */
static guint
row_of_node (PhAdjointPane *self, Trace trace, const PhNode *node, PhId forward)
{
  guint row = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < self->places[trace]->len; i++)
    {
      const PhAdjointPlace *place = &g_array_index (self->places[trace], PhAdjointPlace, i);

      if (place->node != forward && (!place->adds || node->role != PH_ROLE_BACKWARD))
        continue;
      if (node_of_row (self, trace, i) == node->id)
        return i;
      if (place->node == forward && row == GTK_INVALID_LIST_POSITION)
        row = i;
    }
  return row;
}

/* Selects the rows about the selected node, or about the one that it differentiates. */
static void
follow_selection (PhAdjointPane *self)
{
  PhModel *model = self->document != NULL ? ph_document_get_model (self->document) : NULL;
  const PhNode *node = model != NULL ? ph_model_find_node (model, ph_document_get_selection (self->document)) : NULL;
  const PhId id = node == NULL ? PH_NO_ID : node->role == PH_ROLE_BACKWARD ? node->partner : node->id;

  self->following = TRUE;
  for (Trace trace = 0; trace < N_TRACES; trace++)
    {
      GtkSingleSelection *selection = GTK_SINGLE_SELECTION (gtk_list_view_get_model (list_of (self, trace)));
      const guint now = gtk_single_selection_get_selected (selection);
      guint row;

      if (node != NULL && node_of_row (self, trace, now) == node->id)
        continue;
      row = node != NULL ? row_of_node (self, trace, node, id) : GTK_INVALID_LIST_POSITION;
      gtk_single_selection_set_selected (selection, row);
      if (row != GTK_INVALID_LIST_POSITION)
        gtk_widget_activate_action (GTK_WIDGET (list_of (self, trace)), "list.scroll-to-item", "u", row);
    }
  self->following = FALSE;
}

void
ph_adjoint_pane_set_document (PhAdjointPane *self, PhDocument *document)
{
  g_return_if_fail (PH_IS_ADJOINT_PANE (self));

  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document != NULL)
    {
      g_signal_connect_swapped (document, "opened", G_CALLBACK (invalidate), self);
      g_signal_connect_swapped (document, "position-changed", G_CALLBACK (invalidate), self);
      g_signal_connect_swapped (document, "feeds-changed", G_CALLBACK (invalidate), self);
      g_signal_connect_swapped (document, "notify::selection", G_CALLBACK (follow_selection), self);
    }
  invalidate (self);
}

/* Rows */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect (click, "released", G_CALLBACK (on_row_clicked), item);
  gtk_widget_add_controller (label, GTK_EVENT_CONTROLLER (click));
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "monospace");
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)), gtk_string_object_get_string (gtk_list_item_get_item (item)));
  ph_access_name_row (gtk_list_item_get_child (item));
}

static void
set_up_list (PhAdjointPane *self, Trace trace)
{
  GtkListView *list = list_of (self, trace);
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  GtkSingleSelection *selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->strings[trace])));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  gtk_list_view_set_factory (list, factory);
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_single_selection_set_selected (selection, GTK_INVALID_LIST_POSITION);
  gtk_list_view_set_model (list, GTK_SELECTION_MODEL (selection));
  g_signal_connect_object (selection, "notify::selected", G_CALLBACK (on_row_selected), self, 0);
  g_object_unref (selection);
  ph_list_lies_still (list);
  ph_access_tab_leaves (GTK_WIDGET (list));
}

static void
ph_adjoint_pane_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (ph_adjoint_pane_parent_class)->map (widget);
  refresh (PH_ADJOINT_PANE (widget));
}

static void
ph_adjoint_pane_dispose (GObject *object)
{
  PhAdjointPane *self = PH_ADJOINT_PANE (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_ADJOINT_PANE);
  for (Trace trace = 0; trace < N_TRACES; trace++)
    {
      g_clear_object (&self->strings[trace]);
      g_clear_pointer (&self->places[trace], g_array_unref);
    }
  G_OBJECT_CLASS (ph_adjoint_pane_parent_class)->dispose (object);
}

static void
ph_adjoint_pane_class_init (PhAdjointPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_adjoint_pane_dispose;
  widget_class->map = ph_adjoint_pane_map;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/adjoint-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhAdjointPane, content);
  gtk_widget_class_bind_template_child (widget_class, PhAdjointPane, message);
  gtk_widget_class_bind_template_child (widget_class, PhAdjointPane, forward_list);
  gtk_widget_class_bind_template_child (widget_class, PhAdjointPane, reverse_list);
}

static void
ph_adjoint_pane_init (PhAdjointPane *self)
{
  for (Trace trace = 0; trace < N_TRACES; trace++)
    {
      self->strings[trace] = gtk_string_list_new (NULL);
      self->places[trace] = g_array_new (FALSE, FALSE, sizeof (PhAdjointPlace));
    }
  self->stale = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  set_up_list (self, FORWARD);
  set_up_list (self, REVERSE);
}
