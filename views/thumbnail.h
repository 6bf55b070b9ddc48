/* thumbnail.h: a small picture of the model in a file, drawn as the canvas draws it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define PH_THUMBNAIL_WIDTH  184
#define PH_THUMBNAIL_HEIGHT 88

/* Empty until a worker has drawn it; drawn anew in dark and in light. Empty for ever where @path cannot be read. */
GtkWidget *ph_thumbnail_new (const char *path);

G_END_DECLS
