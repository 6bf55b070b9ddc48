/* whole-layout.c: works around a bug of GTK 4.8 that leaves panes blank.
 *
 * While a scrolled window is allocated, a scrollbar may appear or disappear. GTK 4.8 then queues another allocation of all widgets up to
 * the window, but drops this request for a widget that is being allocated. The widgets in between, which kept their allocation in this
 * layout, do not drop it:
 *
 *     window            is allocated    drops the request, and starts no other layout
 *       pane            is not          waits for an allocation, and is not drawn until it gets one
 *         box           is not          the same
 *           scrolled    is allocated    a scrollbar appears
 *
 * So a whole pane can be blank until the window is resized. If the pane and the box are allocated as well, none of them waits.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/whole-layout.h"

/* Marks widgets between here and scrolled windows. Returns TRUE if there is a scrolled window below. */
static gboolean
mark (GtkWidget *widget)
{
  gboolean scrolls = GTK_IS_SCROLLED_WINDOW (widget);

  /* The rows of a list are not scrolled windows. */
  if (!gtk_widget_get_visible (widget) || !gtk_widget_get_child_visible (widget) || GTK_IS_LIST_VIEW (widget)
      || GTK_IS_NATIVE (widget))
    return FALSE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    scrolls |= mark (child);
  if (scrolls)
    gtk_widget_queue_allocate (widget);
  return scrolls;
}

void
ph_whole_layout (GtkWidget *root)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    mark (child);
}
