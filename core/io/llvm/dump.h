/* dump.h: what LLVM's passes print as the states of one module.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/format.h"

G_BEGIN_DECLS

/* As PhFormat's record. */
gboolean ph_llvm_dump_read (PhSource *source, const char *text, gsize size, PhRecordFunc each, gpointer data, GError **error);
/* The function @text, where the blocks in @fresh_text take the places of those of the same names; what is not reached any more is gone.
 * NULL: it has no blocks, or LLVM changed more than it printed: nothing leads to a block, or numbers of registers do not follow each other.
 * (transfer full) */
GString *ph_llvm_merge_blocks (const char *text, gsize size, const char *fresh_text, gsize fresh_size);
/* Two printings of a function or block that show the same: comments, empty lines and the numbers of attribute groups and of metadata depend on
 * what is printed beside it (a loop marks its exits, a module counts differently than a function). */
gboolean ph_llvm_same_text (const char *a, gsize size_a, const char *b, gsize size_b);

/* Of a pass over a loop -print-changed prints the loop alone. With -print-module-scope it prints the module after every pass, which takes ten
 * times as long. So opt runs a second time with -print-module-scope, and with these passes as its -filter-passes. */
extern const char *const ph_llvm_module_passes;
/* How many changed sections of a dump show a loop, or functions that call each other. */
guint ph_llvm_count_parts (GBytes *dump);
/* Takes from @modules each section that was not filtered out there, and the others from @functions. NULL: they are not of the same passes.
 * (transfer full) */
GBytes *ph_llvm_join_scopes (GBytes *functions, GBytes *modules);

G_END_DECLS
