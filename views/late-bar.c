/* late-bar.c: a scrollbar that follows its scrolled view between two frames, never within one. GTK 4.8 measures long text during allocation
 * or drawing. A scrollbar that is notified then requests an allocation when no more are done, and is drawn without one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/late-bar.h"

typedef struct
{
  GtkAdjustment *bar;  /* owned */
  GtkAdjustment *view; /* that holds this */
  guint idle;
  gboolean following; /* the bar, right now */
} LateBar;

static void
late_bar_free (gpointer data)
{
  LateBar *late = data;

  g_clear_handle_id (&late->idle, g_source_remove);
  g_signal_handlers_disconnect_by_data (late->bar, late);
  g_object_unref (late->bar);
  g_free (late);
}

static gboolean
follow (gpointer data)
{
  LateBar *late = data;

  late->idle = 0;
  late->following = TRUE;
  gtk_adjustment_configure (late->bar, gtk_adjustment_get_value (late->view), gtk_adjustment_get_lower (late->view),
                            gtk_adjustment_get_upper (late->view), gtk_adjustment_get_step_increment (late->view),
                            gtk_adjustment_get_page_increment (late->view), gtk_adjustment_get_page_size (late->view));
  late->following = FALSE;
  return G_SOURCE_REMOVE;
}

static void
on_view (LateBar *late)
{
  if (late->idle == 0)
    late->idle = g_idle_add (follow, late);
}

static void
on_bar (LateBar *late)
{
  if (!late->following)
    gtk_adjustment_set_value (late->view, gtk_adjustment_get_value (late->bar));
}

void
ph_late_bar_bind (GtkAdjustment *bar, GtkAdjustment *view)
{
  LateBar *late = g_new0 (LateBar, 1);

  g_return_if_fail (GTK_IS_ADJUSTMENT (bar) && GTK_IS_ADJUSTMENT (view));

  *late = (LateBar) { .bar = g_object_ref (bar), .view = view };
  g_signal_connect_swapped (bar, "value-changed", G_CALLBACK (on_bar), late);
  g_signal_connect_swapped (view, "changed", G_CALLBACK (on_view), late);
  g_signal_connect_swapped (view, "value-changed", G_CALLBACK (on_view), late);
  g_object_set_data_full (G_OBJECT (view), "late-bar", late, late_bar_free);
}
