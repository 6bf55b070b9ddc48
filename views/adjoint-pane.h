/* adjoint-pane.h: the forward primal and the reverse adjoint trace, row by row with the picture.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_ADJOINT_PANE (ph_adjoint_pane_get_type ())
G_DECLARE_FINAL_TYPE (PhAdjointPane, ph_adjoint_pane, PH, ADJOINT_PANE, GtkWidget)

void ph_adjoint_pane_set_document (PhAdjointPane *pane, PhDocument *document); /* (nullable) */

G_END_DECLS
