/* split.h: functions in Python's syntax as core/io/statements.h knows them: "name: type = f(other)", one below the other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/statements.h"

G_BEGIN_DECLS

/* The statements of @text's only function, or of that called @function; all around it is fixed. */
gboolean ph_py_split (PhStatements *statements, const char *function, const char *text, gsize size);
gboolean ph_py_describe (const char *key, gsize size, GPtrArray *reads, gboolean *typed);
/* "name: type = @call" */
void ph_py_stand (const char *text, gsize size, const char *call, GString *out);

G_END_DECLS
