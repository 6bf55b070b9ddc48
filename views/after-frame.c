/* after-frame.c: work that can wait until the picture has answered.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/after-frame.h"

typedef struct
{
  guint   *id;
  void   (*function) (gpointer widget);
  gboolean seen;                 /* the next frame went by */
} Wait;

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Wait *wait = data;

  if (!wait->seen)
    {
      wait->seen = TRUE;
      return G_SOURCE_CONTINUE;
    }
  *wait->id = 0;
  wait->function (widget);
  return G_SOURCE_REMOVE;
}

void
ph_after_frame (GtkWidget *widget, guint *id, void (*function) (gpointer widget))
{
  Wait *wait;

  if (*id != 0)
    return;
  if (!gtk_widget_get_mapped (widget))
    {
      function (widget);
      return;
    }
  wait = g_new0 (Wait, 1);
  wait->id = id;
  wait->function = function;
  *id = gtk_widget_add_tick_callback (widget, on_tick, wait, g_free);
}

void
ph_after_frame_cancel (GtkWidget *widget, guint *id)
{
  if (*id != 0)
    gtk_widget_remove_tick_callback (widget, *id);
  *id = 0;
}
