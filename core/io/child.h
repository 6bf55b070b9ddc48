/* child.h: runs another program with limits on its time and output, and takes its answer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* What @command (NULL-ended) writes to its standard output, given @input (nullable) on its standard input, in @folder (nullable). It may
 * take a minute (PEEPHOLE_PASS_SECONDS), and write 256 MB or four times @model_size bytes. NULL with @error, which begins with @what: it
 * cannot be started, was cancelled, died or ended with another status than 0. For a worker. */
GBytes *ph_child_run (const char *const *command, const char *folder, GBytes *input, gsize model_size, const char *what,
                      GCancellable *cancellable, GError **error);
/* As ph_child_run (), but with @error what it had written until then is returned, too, if it was started. (nullable) */
GBytes *ph_child_run_to_end (const char *const *command, const char *folder, GBytes *input, gsize model_size, const char *what,
                             GCancellable *cancellable, GError **error);
/* The last line of peep's answers in JSON. (transfer full) (nullable) */
JsonObject *ph_child_last_reply (GBytes *output);
/* The newest "NAME-VERSION" in the path, as Debian calls LLVM's programs, else "NAME". (transfer full) (nullable) */
char *ph_child_find (const char *name, guint oldest);

G_END_DECLS
