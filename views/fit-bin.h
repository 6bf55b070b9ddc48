/* fit-bin.h: a frame that folds away what there is no room for, and unfolds it when there is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PH_TYPE_FIT_BIN (ph_fit_bin_get_type ())
G_DECLARE_FINAL_TYPE (PhFitBin, ph_fit_bin, PH, FIT_BIN, GtkWidget)

/* Property: child. Signal: folded (GtkWidget *widget, gboolean folded), after its visibility was changed. */
/* @widget, somewhere below the child, is folded after those that were added before it. */
void ph_fit_bin_add (PhFitBin *bin, GtkWidget *widget);
/* Somebody shows @widget, or hides it, by hand: shown, it is folded last of all; hidden, it stays so. */
void ph_fit_bin_touch (PhFitBin *bin, GtkWidget *widget, gboolean shown);
/* What the window is about goes last, and only for something that somebody showed by hand since the window has that width; it comes back
 * when that is hidden, or when it is asked for. */
void ph_fit_bin_add_main (PhFitBin *bin, GtkWidget *widget);
void ph_fit_bin_show_main (PhFitBin *bin);
gboolean ph_fit_bin_is_folded (PhFitBin *bin, GtkWidget *widget);

G_END_DECLS
