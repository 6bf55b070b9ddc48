/* example-file.h: where the bundled examples are.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "seed": its file in the folder of the environment, the installed one or the source, whichever is there. (transfer full) (nullable) */
char *ph_example_find (const char *name);

G_END_DECLS
