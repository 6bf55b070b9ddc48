/* lines.h: the text of a large function as LLVM dumps it after a pass, and what of it is not as it was after the pass before: only that is
 * read again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/parts.h"

G_BEGIN_DECLS

typedef struct _PhLlvmLines PhLlvmLines;

/* NULL: the function is small, or not laid out as LLVM prints functions. */
PhLlvmLines *ph_llvm_lines_new (const char *name, const char *text, gsize size);
void ph_llvm_lines_free (PhLlvmLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhLlvmLines, ph_llvm_lines_free)

/* The names of all instructions, in order, when @lines is read whole. (transfer full) */
PhTextPart *ph_llvm_lines_all (PhLlvmLines *lines);
/* The function @after, where of what is as in @before only that stands which the rest reads, on the same lines. @standing: (element-type
 * uint) gets the lines, from 0 on, of what only stands for what is there. NULL: blocks came, went or lead elsewhere, or
 * too much differs. (transfer full) */
GString *ph_llvm_lines_compare (PhLlvmLines *before, PhLlvmLines *after, GHashTable *standing, PhTextPart **part);

G_END_DECLS
