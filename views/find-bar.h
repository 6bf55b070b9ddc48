/* find-bar.h: looks for nodes by words or a pattern, and goes from one to the next in the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "views/graph-canvas.h"

G_BEGIN_DECLS

#define PH_TYPE_FIND_BAR (ph_find_bar_get_type ())
G_DECLARE_FINAL_TYPE (PhFindBar, ph_find_bar, PH, FIND_BAR, GtkWidget)

/* Once: what is searched, and where it is shown. */
void ph_find_bar_set_canvas (PhFindBar *bar, PhDocument *document, PhGraphCanvas *canvas);
/* Shows it with the keyboard in it; @text is then what is looked for. */
void ph_find_bar_open (PhFindBar *bar);
void ph_find_bar_open_for (PhFindBar *bar, const char *text);
/* To the next match (@direction 1) or the one before (-1), and round. */
void ph_find_bar_move (PhFindBar *bar, int direction);

G_END_DECLS
