/* after-frame.c: runs work that can wait until after the next frame.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/after-frame.h"

#define PAUSE_US  60000   /* without a request */
#define LATEST_US 1000000 /* after the first   */

#define IDLE 0x80000000u /* in an id: of an idle source, not a tick */

typedef struct
{
  GtkWidget *widget;
  guint *id;
  void (*function) (gpointer widget);
} Wait;

static gboolean
on_idle (gpointer data)
{
  const Wait *wait = data;

  *wait->id = 0;
  wait->function (wait->widget);
  return G_SOURCE_REMOVE;
}

/* Runs before the frame is painted. The idle source it adds runs right after that, without delaying the next frame. */
static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  Wait *wait = data;

  *wait->id = IDLE | g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_idle, g_memdup2 (wait, sizeof *wait), g_free);
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
  *wait = (Wait) { widget, id, function };
  *id = gtk_widget_add_tick_callback (widget, on_tick, wait, g_free);
}

void
ph_after_frame_cancel (GtkWidget *widget, guint *id)
{
  if (*id & IDLE)
    g_source_remove (*id & ~IDLE);
  else if (*id != 0)
    gtk_widget_remove_tick_callback (widget, *id);
  *id = 0;
}

typedef struct
{
  GtkWidget *widget;
  PhPause *pause;
  gboolean (*function) (gpointer widget);
} Call;

static gboolean
on_pause (gpointer data)
{
  const Call *call = data;

  call->pause->id = 0;
  call->function (call->widget);
  return G_SOURCE_REMOVE;
}

void
ph_in_pause (GtkWidget *widget, PhPause *pause, gboolean (*function) (gpointer widget))
{
  const gint64 now = g_get_monotonic_time ();

  if (pause->id == 0)
    {
      Call *call = g_new (Call, 1);

      *call = (Call) { widget, pause, function };
      pause->first = now;
      /* A timeout rather than an idle source, which would never run during an animation with slow frames. */
      pause->id = g_timeout_add_full (G_PRIORITY_DEFAULT, PAUSE_US / 1000, on_pause, call, g_free);
    }
  else
    g_source_set_ready_time (g_main_context_find_source_by_id (NULL, pause->id), MIN (now + PAUSE_US, pause->first + LATEST_US));
}

void
ph_in_pause_cancel (PhPause *pause)
{
  g_clear_handle_id (&pause->id, g_source_remove);
}
