/* file-watch.h: tells when a file on disk has been written by somebody, once it is quiet again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _PhFileWatch PhFileWatch;

/* @settled runs in the main loop. While it returns G_SOURCE_CONTINUE it is called again a moment later. */
PhFileWatch *ph_file_watch_new (GSourceFunc settled, gpointer data);
void ph_file_watch_free (PhFileWatch *watch);
/* @path: (nullable): nothing is watched. What was still to be told of the file before is dropped. */
void ph_file_watch_set_path (PhFileWatch *watch, const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFileWatch, ph_file_watch_free)

G_END_DECLS
