/* after-frame.h: work that can wait until the picture has answered.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Calls @function once, with @widget, right behind the next frame, however often it is asked for until then; at once when
 * @widget is not shown. @id: 0, or what an earlier call set there; 0 again when @function runs. */
void ph_after_frame (GtkWidget *widget, guint *id, void (*function) (gpointer widget));
void ph_after_frame_cancel (GtkWidget *widget, guint *id);

/* Calls @function once, with @widget, when it was not asked for again for some frames, as it is while a key is held down; it does
 * not wait for longer than a second. @pause: zero, or what an earlier call left there. */
typedef struct
{
  guint id;
  gint64 first;
} PhPause;

void ph_in_pause (GtkWidget *widget, PhPause *pause, gboolean (*function) (gpointer widget));
void ph_in_pause_cancel (PhPause *pause);

G_END_DECLS
