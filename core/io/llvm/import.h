/* import.h: LLVM's functions as graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"
#include "core/io/llvm/llvm.h"

G_BEGIN_DECLS

#define PH_LLVM_FUNCTION_DOMAIN "llvm.func"

/* "loop" of "loop:    ; preds = %entry", NULL: the line is no label. */
char *ph_llvm_label_of (const char *line, const char *stop);
/* The last function in @text begins and does not end. */
gboolean ph_llvm_is_cut (const char *text, gsize size);
/* @text without what LLVM 20 and later may write and older ones cannot read; @left_out (element-type utf8) gets these words. (transfer full) */
char *ph_llvm_for_older (const char *text, gsize size, GPtrArray *left_out);

/* Whether it is in an order with others of its kind, whatever it makes. */
gboolean ph_llvm_has_effect (const char *opcode);

/* @functions (element-type PhLlvmFunction): main or the first one is the main graph, the others are functions of the model. Nothing
 * of them is kept. Those in @same (nullable) (element-type PhLlvmFunction) are as before. */
PhModel *ph_llvm_model (PhSource *source, GPtrArray *functions, GHashTable *same, GError **error);

/* The functions of @module, or where none has a body its globals and declarations. */
PhModel *ph_llvm_model_of (PhSource *source, const PhLlvmModule *module, GError **error);

G_END_DECLS
