/* split.h: graphs that MindSpore dumps as text as core/io/statements.h knows them: "%2(name) = Op(%0, %1)", its details below.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/statements.h"

G_BEGIN_DECLS

/* The nodes of @text's only graph. Numbers, which count anew in each text, are replaced by names. */
gboolean ph_mindspore_split (PhStatements *statements, const char *text, gsize size);
gboolean ph_mindspore_describe (const char *key, gsize size, GPtrArray *reads, gboolean *typed);
void ph_mindspore_stand (const char *text, gsize size, GString *out);

G_END_DECLS
