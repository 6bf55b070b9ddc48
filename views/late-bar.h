/* late-bar.h: a scrollbar that follows what it scrolls between two frames, never within one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @bar, of a scrollbar, follows @view, of a scrolled window without bars, and moves it; both for as long as @view is there. */
void ph_late_bar_bind (GtkAdjustment *bar, GtkAdjustment *view);

G_END_DECLS
