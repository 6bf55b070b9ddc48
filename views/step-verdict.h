/* step-verdict.h: what the comparison of a step found, as an icon, a line, and a card with all of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "core/console/console.h"

G_BEGIN_DECLS

const char *ph_verdict_icon (const PhProof *proof);
char *ph_verdict_text (const PhProof *proof); /* "Equal within 3e-07" */
/* Gives @widget the style class of the verdict; NULL: of none. */
void ph_verdict_style (GtkWidget *widget, const PhProof *proof);
const char *ph_exactness_text (PhExactness exactness); /* "Rounding may differ" */

/* verdict-card.c. A popover: what the verdict rests on, what differs, the rewrites to blame, and ways there. (nullable) */
GtkWidget *ph_verdict_popover_new (PhConsole *console, guint step);
/* The same into one that is there. FALSE: the step was not compared yet, and nothing changed. */
gboolean ph_verdict_popover_fill (GtkPopover *popover, PhConsole *console, guint step);

G_END_DECLS
