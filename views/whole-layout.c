/* whole-layout.c: a window whose parts keep their places.
 *
 * While a scrolled window is given its place, its child may find that a scrollbar comes or goes. GTK 4.8 then asks for another layout, of
 * everything up to the window, and forgets it where a widget is just being given its place. What lies between that widget and the scrolled
 * window remembers, because it kept its own place in this layout:
 *
 *     window            is given its place    forgets, and asks for no other layout
 *       pane            keeps it              waits for a place, and is not drawn until it gets one
 *         box           keeps it              the same
 *           scrolled    is given its place    a scrollbar comes
 *
 * So a whole pane can be blank until somebody resizes the window. Where the pane and the box are given their places too, nobody waits.
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
