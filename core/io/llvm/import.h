/* import.h: LLVM's functions as graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"
#include "core/io/llvm/llvm.h"

G_BEGIN_DECLS

#define PH_LLVM_FUNCTION_DOMAIN "llvm.func"

/* Which functions the module defines besides the one that is shown first: name -> PhLlvmFunction. */
typedef GHashTable PhLlvmFunctions;
/* Whether a call of @name with @n arguments can be a node that opens. */
gboolean ph_llvm_functions_takes (const PhLlvmFunctions *functions, const char *name, guint n);

gboolean ph_llvm_import (PhImporter *importer, PhGraph *graph, PhLlvmFunction *function, const PhLlvmFunctions *functions, GError **error);

G_END_DECLS
