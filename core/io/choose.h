/* choose.h: which of the modules of a file is opened: "FILE/NAME" names one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/source.h"

G_BEGIN_DECLS

/* Finds the one of @names (elements: nullable) that source->part names, which may be its number, from 1, too; names that several have are
 * "NAME#NUMBER". Without a part @chosen is G_MAXUINT. source->parts are all of them, where there are several. @kind: "module", for the
 * error that there is no such one. */
gboolean ph_source_choose (PhSource *source, const GPtrArray *names, const char *kind, guint *chosen, GError **error);
/* "first, second and 3 more" */
char *ph_source_list_parts (const PhSource *source);

/* The names of what @path, a file, holds, NULL-ended; NULL: one alone, or it cannot be opened. Reads the file. */
char **ph_io_list_parts (const char *path);
/* @path, or the file or folder that it names a module of. (transfer full) (nullable) there is none */
char *ph_io_file_of (const char *path);
/* "dump.hlo/second" of "/tmp/dump.hlo/second" */
char *ph_io_display_name (const char *path);

G_END_DECLS
