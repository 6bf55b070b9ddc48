/* text-side.h: one of two texts side by side, or both in one, with its changes marked; for reading only.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/draw/draw.h"
#include "views/text-diff.h"

G_BEGIN_DECLS

#define PH_TYPE_TEXT_SIDE (ph_text_side_get_type ())
G_DECLARE_FINAL_TYPE (PhTextSide, ph_text_side, PH, TEXT_SIDE, GtkWidget)

/* Signal: line-clicked (char *line, gboolean gone)     gone: a line that is no longer there */
/*         filled ()        the line that was to be seen is there: a long text is put in piece by piece */
/* Lines far from any change are left out with @changes_only. @diff (nullable): nothing; borrowed until the next call. */
void ph_text_side_show (PhTextSide *side, const PhTextDiff *diff, PhSide which, gboolean changes_only);
/* Without a scrollbar of its own: the one beside it has one for both. */
void ph_text_side_set_follower (PhTextSide *side, gboolean follower);
GtkAdjustment *ph_text_side_get_vadjustment (PhTextSide *side);
GtkAdjustment *ph_text_side_get_hadjustment (PhTextSide *side);
/* From the change at the cursor to the next one (@direction 1) or the one before (-1). FALSE: there is none. */
gboolean ph_text_side_go_to_change (PhTextSide *side, int direction);
/* The line that the cursor is on, and puts it there and into sight. */
int ph_text_side_get_line (PhTextSide *side);
void ph_text_side_go_to_line (PhTextSide *side, int line);
gboolean ph_text_side_is_in_sight (PhTextSide *side); /* that line */
gboolean ph_text_side_is_filling (PhTextSide *side);  /* there is more to come */
/* For tests: how line @line is marked: ' ' '+' '-' '~' or '.', which stands for a line that only the other side has. */
char ph_text_side_get_sign (PhTextSide *side, guint line);
GtkTextBuffer *ph_text_side_get_buffer (PhTextSide *side);

G_END_DECLS
