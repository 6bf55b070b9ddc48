/* find-bar.c: finds nodes by words or a pattern, and steps through them in the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/find-bar.h"

#include <glib/gi18n.h>

#include "views/graph-search.h"

#define SLICE_US 6000
#define EVERY_MS 10

struct _PhFindBar
{
  GtkWidget parent_instance;
  GtkSearchBar *bar;
  GtkSearchEntry *entry;
  GtkToggleButton *regex;
  GtkLabel *count;

  PhDocument *document;
  PhGraphCanvas *canvas;
  PhGraphSearch *search; /* (nullable) for the typed text                     */
  guint timer;           /* continues the search                              */
  gboolean stays;        /* the first match is to be the selected node */
  guint match;           /* index of the present one                          */
};

G_DEFINE_FINAL_TYPE (PhFindBar, ph_find_bar, GTK_TYPE_WIDGET)

static void
stop_search (PhFindBar *self)
{
  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_pointer (&self->search, ph_graph_search_free);
}

static void
show_count (PhFindBar *self)
{
  GArray *found = self->search ? ph_graph_search_get (self->search) : NULL;
  g_autofree char *count = NULL;

  if (!found)
    count = g_strdup ("");
  else if (found->len == 0)
    count = g_strdup (self->timer ? "…" : _ ("Not found"));
  else if (self->timer)
    count = g_strdup_printf (_ ("%'u of %'u…"), self->match + 1, found->len);
  else
    count = g_strdup_printf (_ ("%'u of %'u"), self->match + 1, found->len);
  gtk_label_set_text (self->count, count);
}

static void
show_match (PhFindBar *self)
{
  GArray *found = self->search ? ph_graph_search_get (self->search) : NULL;

  show_count (self);
  if (!found || found->len == 0)
    return;
  ph_document_set_selection (self->document, g_array_index (found, PhId, self->match));
  ph_graph_canvas_show_node (self->canvas, g_array_index (found, PhId, self->match));
}

static gboolean
search_more (gpointer data)
{
  PhFindBar *self = data;
  GArray *found = ph_graph_search_get (self->search);
  guint before = found->len;
  gboolean more = ph_graph_search_step (self->search, SLICE_US);

  if (!more)
    self->timer = 0;
  if (self->stays)
    for (guint i = before; i < found->len; i++)
      if (g_array_index (found, PhId, i) == ph_document_get_selection (self->document))
        self->match = i;
  /* The first one is shown while the others are looked for. */
  if (before == 0 && found->len > 0 && !self->stays)
    show_match (self);
  else
    show_count (self);
  return more ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* @stays: over another position of the same model, so nothing moves. */
static void
start_search (PhFindBar *self, gboolean stays)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  PhModel *model = ph_document_get_model (self->document);
  g_autoptr (GError) error = NULL;

  stop_search (self);
  self->match = 0;
  self->stays = stays;
  if (model && *text)
    self->search = ph_graph_search_new (model, text, gtk_toggle_button_get_active (self->regex), &error);
  if (error)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self->entry), "error");
      gtk_label_set_text (self->count, _ ("Not a pattern"));
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->entry), error->message);
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (self->entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->entry), NULL);
  if (!self->search)
    {
      show_count (self);
      return;
    }
  guint timer = self->timer = g_timeout_add (EVERY_MS, search_more, self);
  if (!search_more (self))
    g_source_remove (timer);
}

static void
on_changed (PhFindBar *self)
{
  start_search (self, FALSE);
}

void
ph_find_bar_move (PhFindBar *self, int direction)
{
  GArray *found = self->search ? ph_graph_search_get (self->search) : NULL;

  g_return_if_fail (PH_IS_FIND_BAR (self));
  if (!found || found->len == 0)
    return;
  self->match = (self->match + found->len + (guint) direction) % found->len;
  show_match (self);
}

static void
on_next (PhFindBar *self)
{
  ph_find_bar_move (self, 1);
}

static void
on_previous (PhFindBar *self)
{
  ph_find_bar_move (self, -1);
}

static void
on_stop (PhFindBar *self)
{
  gtk_search_bar_set_search_mode (self->bar, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->canvas));
}

static void
on_mode (PhFindBar *self)
{
  if (!gtk_search_bar_get_search_mode (self->bar))
    stop_search (self);
}

void
ph_find_bar_open (PhFindBar *self)
{
  g_return_if_fail (PH_IS_FIND_BAR (self));
  gtk_search_bar_set_search_mode (self->bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  gtk_editable_select_region (GTK_EDITABLE (self->entry), 0, -1);
}

void
ph_find_bar_open_for (PhFindBar *self, const char *text)
{
  ph_find_bar_open (self);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
}

/* Searches again at the new position. */
static void
on_position_changed (PhFindBar *self)
{
  if (self->search)
    start_search (self, TRUE);
}

void
ph_find_bar_set_canvas (PhFindBar *self, PhDocument *document, PhGraphCanvas *canvas)
{
  g_return_if_fail (PH_IS_FIND_BAR (self) && self->document == NULL);
  self->document = g_object_ref (document);
  self->canvas = g_object_ref (canvas);
  g_signal_connect_swapped (document, "opened", G_CALLBACK (stop_search), self);
  g_signal_connect_swapped (document, "position-changed", G_CALLBACK (on_position_changed), self);
}

static void
ph_find_bar_dispose (GObject *object)
{
  PhFindBar *self = PH_FIND_BAR (object);

  stop_search (self);
  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_FIND_BAR);
  g_clear_object (&self->document);
  g_clear_object (&self->canvas);
  G_OBJECT_CLASS (ph_find_bar_parent_class)->dispose (object);
}

static void
ph_find_bar_class_init (PhFindBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_find_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/find-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PhFindBar, bar);
  gtk_widget_class_bind_template_child (widget_class, PhFindBar, entry);
  gtk_widget_class_bind_template_child (widget_class, PhFindBar, regex);
  gtk_widget_class_bind_template_child (widget_class, PhFindBar, count);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_mode);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
ph_find_bar_init (PhFindBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->bar, GTK_EDITABLE (self->entry));
}
