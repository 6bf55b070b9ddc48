/* roofline-pane.c: how far each node of the last profile is below what the machine can do, as a picture. A dot selects its node, and a
 * selected node's dot has a ring.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/roofline-pane.h"

#include <glib/gi18n.h>

#include "core/draw/roofline.h"
#include "views/access-names.h"
#include "views/style-color.h"

struct _PhRooflinePane
{
  GtkWidget parent_instance;
  GtkStack *content;
  GtkWidget *chart;
  PhInk *ink;
  PhConsole *console;   /* (nullable) */
  PhDocument *document; /* (nullable) its document */
  GArray *marks;        /* (nullable) (element-type PhRooflineMark): made when they are drawn, for this size: */
  int width, height;
  guint first_dot, n_dots; /* of @marks: the nodes, the slowest first */
};

G_DEFINE_FINAL_TYPE (PhRooflinePane, ph_roofline_pane, GTK_TYPE_WIDGET)

static PhProfile *
get_profile (PhRooflinePane *self)
{
  return self->document ? ph_document_get_profile (self->document) : NULL;
}

static PhId
get_selection (PhRooflinePane *self)
{
  return self->document ? ph_document_get_selection (self->document) : PH_NO_ID;
}

static const PhRooflineMark *
get_dot (PhRooflinePane *self, guint dot)
{
  return dot < self->n_dots ? &g_array_index (self->marks, PhRooflineMark, self->first_dot + dot) : NULL;
}

/* Returns the number of the selected node's dot, or how many there are. */
static guint
find_selected (PhRooflinePane *self)
{
  const PhId selected = get_selection (self);
  guint dot = 0;

  while (dot < self->n_dots && get_dot (self, dot)->node != selected)
    dot++;
  return dot;
}

/* Says in words what is drawn, for screen readers. */
static void
describe (PhRooflinePane *self)
{
  const PhRooflineMark *selected = get_dot (self, find_selected (self));
  g_autofree char *text = g_strdup_printf (
      ngettext ("Roofline of the last profile, %u node", "Roofline of the last profile, %u nodes", self->n_dots), self->n_dots);

  ph_access_set_name (self->chart, "%s%s%s", text, selected ? ": " : "", selected ? selected->text : "");
}

static void
forget_marks (PhRooflinePane *self)
{
  g_clear_pointer (&self->marks, g_array_unref);
  self->n_dots = 0;
}

static const char *
say (const char *text)
{
  return _ (text);
}

static void
make_marks (PhRooflinePane *self, int width, int height)
{
  PhProfile *profile = get_profile (self);

  if (!profile || (self->marks && self->width == width && self->height == height))
    return;
  forget_marks (self);
  self->marks = ph_roofline_marks (profile, ph_document_get_model (self->document), say, ph_style_theme (), width, height);
  self->width = width;
  self->height = height;
  for (guint i = 0; i < self->marks->len; i++)
    if (g_array_index (self->marks, PhRooflineMark, i).node != PH_NO_ID && self->n_dots++ == 0)
      self->first_dot = i;
  describe (self);
}

static void
on_draw (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer data)
{
  PhRooflinePane *self = data;

  make_marks (self, width, height);
  if (self->marks)
    ph_roofline_draw (self->marks, cr, self->ink, ph_style_theme (), get_selection (self));
}

/* The names of nodes, or the colours, are others. */
static void
on_changed (PhRooflinePane *self)
{
  forget_marks (self);
  gtk_widget_queue_draw (self->chart);
}

static void
on_profile (PhRooflinePane *self)
{
  gtk_stack_set_visible_child_name (self->content, get_profile (self) ? "chart" : "empty");
  on_changed (self);
}

static void
on_selection (PhRooflinePane *self)
{
  if (!self->marks)
    return;
  describe (self);
  gtk_widget_queue_draw (self->chart);
}

/* What is not fed is made up, so that there is always something to see. */
static void
on_measure (PhRooflinePane *self)
{
  if (self->document && ph_document_is_open (self->document))
    ph_console_run_async (self->console, "profile --random 1", NULL, NULL);
}

/* --- pointer and keys ----------------------------------------------------------------------------------------------- */

static void
select_dot (PhRooflinePane *self, const PhRooflineMark *dot)
{
  if (dot && ph_model_find_node (ph_document_get_model (self->document), dot->node))
    ph_document_set_selection (self->document, dot->node);
}

static void
on_pressed (PhRooflinePane *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus (self->chart);
  if (self->marks)
    select_dot (self, ph_roofline_at (self->marks, x, y));
}

/* Arrows go from the slowest node to the fastest and back. */
static gboolean
on_key (PhRooflinePane *self, guint key)
{
  const guint at = find_selected (self), n = self->n_dots;
  guint next;

  if (n == 0)
    return GDK_EVENT_PROPAGATE;
  switch (key)
    {
    case GDK_KEY_Home: next = 0; break;
    case GDK_KEY_End: next = n - 1; break;
    case GDK_KEY_Right:
    case GDK_KEY_Down: next = at < n ? MIN (at + 1, n - 1) : 0; break;
    case GDK_KEY_Left:
    case GDK_KEY_Up: next = at < n ? MAX (at, 1) - 1 : n - 1; break;
    default: return GDK_EVENT_PROPAGATE;
    }
  select_dot (self, get_dot (self, next));
  return GDK_EVENT_STOP;
}

static gboolean
on_tooltip (PhRooflinePane *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const PhRooflineMark *dot = !self->marks ? NULL
                              : keyboard   ? get_dot (self, find_selected (self))
                                           : ph_roofline_at (self->marks, x, y);

  if (!dot)
    return FALSE;
  gtk_tooltip_set_text (tooltip, dot->text);
  gtk_tooltip_set_tip_area (tooltip, &(GdkRectangle) { (int) (dot->x - dot->size), (int) (dot->y - dot->size),
                                                       (int) (2 * dot->size) + 1, (int) (2 * dot->size) + 1 });
  return TRUE;
}

/* -------------------------------------------------------------------------------------------------------------------- */

void
ph_roofline_pane_set_console (PhRooflinePane *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_ROOFLINE_PANE (self));

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->console, console);
  g_set_object (&self->document, (console ? ph_console_get_document (console) : NULL));
  if (self->document)
    {
      g_signal_connect_swapped (self->document, "profile-changed", G_CALLBACK (on_profile), self);
      g_signal_connect_swapped (self->document, "opened", G_CALLBACK (on_profile), self);
      g_signal_connect_swapped (self->document, "position-changed", G_CALLBACK (on_changed), self);
      g_signal_connect_swapped (self->document, "notify::selection", G_CALLBACK (on_selection), self);
    }
  on_profile (self);
}

gboolean
ph_roofline_pane_get_dot (PhRooflinePane *self, guint dot, PhId *node, double *x, double *y)
{
  const PhRooflineMark *mark = get_dot (self, dot);

  if (!mark)
    return FALSE;
  *node = mark->node;
  *x = mark->x;
  *y = mark->y;
  return TRUE;
}

static void
ph_roofline_pane_dispose (GObject *object)
{
  PhRooflinePane *self = PH_ROOFLINE_PANE (object);

  if (self->document)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_clear_object (&self->document);
  g_clear_object (&self->console);
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_ROOFLINE_PANE);
  forget_marks (self);
  g_clear_pointer (&self->ink, ph_ink_free);
  G_OBJECT_CLASS (ph_roofline_pane_parent_class)->dispose (object);
}

static void
ph_roofline_pane_class_init (PhRooflinePaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = ph_roofline_pane_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/roofline-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhRooflinePane, content);
  gtk_widget_class_bind_template_child (widget_class, PhRooflinePane, chart);
  gtk_widget_class_bind_template_callback (widget_class, on_measure);
  gtk_widget_class_bind_template_callback (widget_class, on_pressed);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, on_tooltip);
}

static void
ph_roofline_pane_init (PhRooflinePane *self)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  self->ink = ph_ink_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self->chart), on_draw, self, NULL);
  g_signal_connect_object (style, "notify::dark", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (style, "notify::high-contrast", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
}
