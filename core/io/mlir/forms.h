/* forms.h: operations of MLIR text: the parts that all forms share, and the forms that dialects print. Private to core/io/mlir.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/mlir/lexer.h"

G_BEGIN_DECLS

gboolean ph_mlir_parse_top (PhMlirParser *parser);
PhMlirValue ph_mlir_take_value (PhMlirParser *parser);                    /* "%name" is the present token */
gboolean ph_mlir_is_defined (PhMlirParser *parser, const char *name);     /* a value that is in scope here */
gboolean ph_mlir_types (PhMlirParser *parser, GArray *types, char close); /* up to @close, which is passed */
gboolean ph_mlir_results (PhMlirParser *parser, GArray *types);           /* after "->": one type, or several in parentheses */
void ph_mlir_add_attr (PhMlirOp *op, const char *name, PhMlirAttr *attr);
/* @arguments: (nullable) of its first block. @isolated: it sees no value from outside. NULL: failed. */
PhMlirRegion *ph_mlir_region (PhMlirParser *parser, GArray *arguments, gboolean isolated);

/* custom.c: an operation in the form of its dialect; its name is the present token. */
gboolean ph_mlir_custom (PhMlirParser *parser, PhMlirOp *op);
gboolean ph_mlir_begins_operation (PhMlirParser *parser); /* does what begins at the present token begin another operation? */

/* unknown.c: the same of a form that cannot be read so: its operands, results and regions; the rest is the attribute "text". */
gboolean ph_mlir_unknown (PhMlirParser *parser, PhMlirOp *op);

/* forms.c: what is known of those forms. */
/* Its operands are all written with "%", and none of them names an argument of a region. */
gboolean ph_mlir_is_known (const char *name);
/* "applies stablehlo.add": the region that is meant. */
void ph_mlir_add_applied (PhMlirParser *parser, PhMlirOp *op, const char *name);
/* A word that stands alone: "EQ". */
void ph_mlir_add_word (PhMlirParser *parser, PhMlirOp *op, const char *word);
/* The types of its results out of @types, and the names of attributes as the specification has them. */
void ph_mlir_settle (PhMlirOp *op, GArray *types, gboolean typed);

G_END_DECLS
