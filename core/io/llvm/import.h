/* import.h: LLVM's functions as graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"
#include "core/io/llvm/llvm.h"

G_BEGIN_DECLS

#define PH_LLVM_FUNCTION_DOMAIN "llvm.func"

/* @functions (element-type PhLlvmFunction): main or the first one is the main graph, the others are functions of the model. Nothing
 * of them is kept. */
PhModel *ph_llvm_model (PhSource *source, GPtrArray *functions, GError **error);

G_END_DECLS
