/* stored.h: MLIR's binary form as a file or as part of one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"

G_BEGIN_DECLS

gboolean ph_mlir_is_bytecode (const guint8 *data, gsize size); /* by how it begins */
/* The model of @bytes, or of the function that was asked for. */
PhModel *ph_mlir_read_bytecode (PhSource *source, GBytes *bytes, GError **error);
/* What @bytes, a module as bytecode or text that a node holds, defines, as functions of the importer's model. The name of its entry, of
 * domain "func"; NULL: failed. */
const char *ph_mlir_import_stored (PhImporter *importer, GBytes *bytes, GError **error);

G_END_DECLS
