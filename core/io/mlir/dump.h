/* dump.h: what mlir-opt prints after or before each of its passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/format.h"

G_BEGIN_DECLS

#define PH_MLIR_DUMP_HEADER "// -----// IR Dump "

/* @text has sections "// -----// IR Dump After CSE (cse) //----- //": a whole module, or one function of it, which takes the place of
 * that of its name in the last module that is known. Calls @each for each of them. */
gboolean ph_mlir_dump_read (PhSource *source, const char *text, gsize size, PhRecordFunc each, gpointer data, GError **error);
/* The files of a tree (-mlir-print-ir-tree-dir) as one such text; NULL: @folder is none. (transfer full) */
char *ph_mlir_dump_tree (const char *folder);

G_END_DECLS
