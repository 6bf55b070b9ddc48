/* build.h: the parts of making a model of MLIR modules. Private to core/io/mlir.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"
#include "core/io/mlir/mlir.h"

G_BEGIN_DECLS

/* The attributes of @op's node, its symbol and successors among them. (transfer full) (element-type PhAttr) */
GPtrArray *ph_mlir_build_attrs (const PhMlirOp *op);

/* The attribute for region @index of @op: "body". Interned. */
const char *ph_mlir_region_name (const PhMlirOp *op, guint index);
/* Adds to @ops the operations of @region outside of functions, which the main graph shows; @results: also those that have some. */
void ph_mlir_find_others (const PhMlirRegion *region, gboolean results, GPtrArray *ops);
/* The functions of @module into the importer's model, under names that are free there. The name of its entry; NULL: failed. */
const char *ph_mlir_import (PhImporter *importer, PhMlirModule *module, GError **error);

/* Adds to @called the names of all functions that an operation in @region calls or mentions. */
void ph_mlir_note_calls (const PhMlirRegion *region, GHashTable *called);
/* @main; else the first of @functions that is not in @called. (nullable) */
const PhMlirOp *ph_mlir_choose_entry (GPtrArray *functions, GHashTable *called);

G_END_DECLS
