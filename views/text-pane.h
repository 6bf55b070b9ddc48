/* text-pane.h: the graph as ONNX text, with what the present step changed marked.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_TEXT_PANE (ph_text_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhTextPane, ph_text_pane, PH, TEXT_PANE, GtkWidget)

void ph_text_pane_set_document (PhTextPane *pane, PhDocument *document);     /* (nullable) */

G_END_DECLS
