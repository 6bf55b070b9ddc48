/* bytecode-text.h: the text of what MLIR's binary form holds. Private to core/io/mlir.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/mlir/bytecode.h"

G_BEGIN_DECLS

void ph_mlir_write_quoted (GString *out, PhSpan text);
/* The name in a dictionary, of the text of a string: without its quotes where it may stand so. */
void ph_mlir_write_key (GString *out, const char *text);
/* @bits of a number of @type as an attribute. */
void ph_mlir_write_number (GString *out, const char *type, guint64 bits);
guint ph_mlir_bit_width (const char *type); /* of the type of a number; 0: unknown */
/* The elements of a tensor of @type. */
void ph_mlir_write_dense (PhMlirCode *code, GString *out, const char *type, PhSpan bytes);
void ph_mlir_write_dims (PhMlirBytes *bytes, GString *out); /* "2x?x" */
void ph_mlir_write_list (PhMlirBytes *bytes, GString *out, const char *(*take) (PhMlirBytes *bytes));
void ph_mlir_write_dictionary (PhMlirBytes *bytes, GString *out);
void ph_mlir_write_function (PhMlirBytes *bytes, GString *out);                    /* "(i32) -> (f32)"    */
void ph_mlir_write_tensor (PhMlirBytes *bytes, gboolean is_encoded, GString *out); /* "tensor<2x?xf32>"   */

/* What is stored here, of its dialect. FALSE: this kind is not known. */
gboolean ph_mlir_builtin_attr (PhMlirBytes *bytes, guint index, GString *out);
gboolean ph_mlir_builtin_type (PhMlirBytes *bytes, GString *out);
gboolean ph_mlir_sdy_attr (PhMlirBytes *bytes, GString *out);
gboolean ph_mlir_vhlo_attr (PhMlirBytes *bytes, GString *out);
gboolean ph_mlir_vhlo_type (PhMlirBytes *bytes, GString *out);
/* The operation of StableHLO that a versioned one is: "stablehlo.add" of "vhlo.add_v1"; of a version that is not known its own name.
 * (transfer full) */
char *ph_mlir_vhlo_op (const char *name, gboolean in_function);
const char *ph_mlir_vhlo_properties (const char *name);                /* (nullable) in the order in which they are stored */
gboolean ph_mlir_vhlo_is_default (const char *name, const char *text); /* an attribute that StableHLO leaves out */

/* bytecode-ops.c: what the section of operations holds, as text. */
void ph_mlir_write_ops (PhMlirCode *code, PhSpan section, GString *out);

G_END_DECLS
