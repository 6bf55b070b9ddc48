/* palette.h: all commands in one list that one types into.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "app/window.h"

G_BEGIN_DECLS

#define PH_TYPE_PALETTE (ph_palette_get_type ())
G_DECLARE_FINAL_TYPE (PhPalette, ph_palette, PH, PALETTE, GtkPopover)

/* Under the header, in the middle, whatever the window manager does with windows. */
void ph_palette_present (PhWindow *window);

G_END_DECLS
