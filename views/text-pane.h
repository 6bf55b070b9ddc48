/* text-pane.h: the graph as ONNX text, with what changed since another position marked, in one text or side by side.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/document/document.h"
#include "views/text-side.h"

G_BEGIN_DECLS

#define PH_TYPE_TEXT_PANE (ph_text_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhTextPane, ph_text_pane, PH, TEXT_PANE, GtkWidget)

/* Property: split, before | after. */
void ph_text_pane_set_document (PhTextPane *pane, PhDocument *document); /* (nullable) */
void ph_text_pane_set_split (PhTextPane *pane, gboolean split);
/* To the next change (1) or the one before (-1). */
void ph_text_pane_go_to_change (PhTextPane *pane, int direction);
/* For tests. */
PhTextSide *ph_text_pane_get_side (PhTextPane *pane, gboolean after);
gboolean ph_text_pane_is_working (PhTextPane *pane);

G_END_DECLS
