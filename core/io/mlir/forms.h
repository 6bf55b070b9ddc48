/* forms.h: what is known of the forms that dialects print. Private to core/io/mlir.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/mlir/lexer.h"

G_BEGIN_DECLS

gboolean ph_mlir_parse_top   (PhMlirParser *parser);
/* Its operands are all written with "%", and none of them names an argument of a region. */
gboolean ph_mlir_is_known    (const char *name);
/* "applies stablehlo.add": the region that is meant. */
void     ph_mlir_add_applied (PhMlirParser *parser, PhMlirOp *op, const char *name);
/* A word that stands alone: "EQ". */
void     ph_mlir_add_word    (PhMlirParser *parser, PhMlirOp *op, const char *word);
/* The types of its results out of @types, and the names of attributes as the specification has them. */
void     ph_mlir_settle      (PhMlirOp *op, GArray *types, gboolean typed);

G_END_DECLS
