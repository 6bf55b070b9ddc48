/* supported.h: which of LLVM's functions can be run. Private to core/prove/llvm/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* In bits; 0: it is no integer, or one of another width than 1, 8, 16, 32 and 64. @type: (nullable) */
guint ph_integer_width (const PhType *type);
/* The function that a call calls, else "". */
const char *ph_llvm_callee (const PhNode *node);
/* Those operands of a node that are no values are null; else they are poison. */
gboolean ph_llvm_is_null (const PhNode *node);
/* Why @graph cannot be run. (nullable) static */
const char *ph_integers_why_not (const PhGraph *graph);

G_END_DECLS
