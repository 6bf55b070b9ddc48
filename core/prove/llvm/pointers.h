/* pointers.h: LLVM's instructions on pointers and memory. Private to core/prove/llvm/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/llvm/memory.h"

G_BEGIN_DECLS

#define PH_POINTERS_MOST 8u /* operands of an instruction on pointers */

/* Why @node cannot be evaluated although its operands can; NULL: it can be, or is none on pointers. (static) */
const char *ph_pointers_why_not (const PhNode *node);
/* Operands of a function on memory that can be evaluated: copying, filling, lifetimes; 0: it is none. */
guint ph_pointers_operands (const char *callee);
/* Sets @r to what @node gives of its operands @in. FALSE: it is no instruction on pointers. */
gboolean ph_pointers_evaluate (PhMemory *memory, const PhNode *node, const PhInteger *in, PhInteger *r, PhAccess *access);

G_END_DECLS
