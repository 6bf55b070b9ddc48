/* renderer.h: makes GTK's frames cheap where the processor paints them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Before GTK starts. Without a graphics card GTK would paint by an OpenGL that the processor imitates, which takes twice as long
 * as cairo: then cairo it is. GSK_RENDERER in the environment is left as it is. */
void ph_renderer_choose (void);
/* GTK takes new memory for each frame, and on X11 new memory that is shared with the display: at 1280x800 two thousand page
 * faults, more than half of a frame. From here on the memory of the window that @widget is in is kept. @widget is realized. */
void ph_renderer_keep_memory (GtkWidget *widget);

G_END_DECLS
