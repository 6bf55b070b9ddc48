/* whole-layout.h: a window whose parts keep their places.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Everything around what scrolls below @root is given its place anew in this layout. For size_allocate() of a window, before its parent's. */
void ph_whole_layout (GtkWidget *root);

G_END_DECLS
