/* program.h: LLVM's own programs, of whatever version is installed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The newest @name ("opt", "llvm-dis") in the path. (transfer full) (nullable) */
char *ph_llvm_program_find (const char *name);
/* What @program with @arguments (NULL-ended) writes to its standard output, given @input (nullable) on its standard input. @arguments
 * are those of a present LLVM; what an older one wants beside them is added. NULL with @error. For a worker. */
GBytes *ph_llvm_program_run (const char *program, const char *const *arguments, GBytes *input, gsize model_size,
                             GCancellable *cancellable, GError **error);
/* The same for opt, which dumps to its standard error. If it fails or crashes, @error says in a few lines why, and what it had dumped
 * until then is returned. (nullable) */
GBytes *ph_llvm_program_dump (const char *program, const char *const *arguments, GBytes *input, GCancellable *cancellable,
                              GError **error);

G_END_DECLS
