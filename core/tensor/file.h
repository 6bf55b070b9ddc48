/* file.h: a file of which parts are read when somebody asks for them, as it was when it was opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Models are rewritten while they are open: an exporter writes over the file, or cuts it short. A map of it would then
 * change its bytes, or kill the program where it ends. So nothing is mapped: parts are read into memory of our own, and
 * each reading makes sure that the file is still the one that was opened (by its size and time of change). One that was
 * replaced by another of its name can still be read. Reference-counted; all functions are safe from any thread. */
typedef struct _PhFile PhFile;

/* @fd (transfer full): of a regular file. @path: for messages, and to open it again when too many files are open. */
PhFile *ph_file_new (int fd, const char *path, GError **error);
PhFile *ph_file_open (const char *path, GError **error); /* G_FILE_ERROR: why it cannot be opened */
PhFile *ph_file_ref (PhFile *file);
void ph_file_unref (PhFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFile, ph_file_unref)

gsize ph_file_get_size (const PhFile *file);
const char *ph_file_get_path (const PhFile *file);
/* PH_ERROR_FILE, with the file's name, when it is no longer what was opened. */
gboolean ph_file_read (PhFile *file, gsize offset, gsize length, gpointer to, GError **error);
gboolean ph_file_check (PhFile *file, GError **error); /* the same without reading anything */
/* Its path still leads to what was opened, and nobody wrote to it since. */
gboolean ph_file_is_current (const PhFile *file);
GBytes *ph_file_read_bytes (PhFile *file, gsize offset, gsize length, GError **error); /* in memory of its own */
/* All of the file at @path, in memory of its own, through the same checks. */
GBytes *ph_file_load (const char *path, GError **error);

G_END_DECLS
