/* dump.h: what LLVM's passes print as the states of one module.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/format.h"

G_BEGIN_DECLS

/* As PhFormat's record. */
gboolean ph_llvm_dump_read (PhSource *source, const char *text, gsize size, PhRecordFunc each, gpointer data, GError **error);

G_END_DECLS
