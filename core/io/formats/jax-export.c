/* jax-export.c: what jax.export serialises: a flatbuffer around StableHLO's bytecode.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/flatbuffer.h"
#include "core/io/format.h"
#include "core/io/mlir/stored.h"

/* Fields of the table Exported of JAX's serialization.fbs. */
enum
{
  FIELD_VERSION = 0,
  FIELD_NAME = 1,
  FIELD_PLATFORMS = 9,
  FIELD_MODULE = 13,
  FIELD_CONVENTION = 14
};

/* A file has no mark of its own: it has the fields that each exported function has. */
static guint
probe (const guint8 *head, gsize size, const char *name)
{
  const PhFlat flat = { head, size, NULL };
  const gsize root = size >= 8 && ph_flat_load (flat, 0, 4) < 256 ? ph_flat_root (flat) : 0;
  const gint64 version = ph_flat_int (flat, root, FIELD_VERSION, 2, 0),
               convention = ph_flat_int (flat, root, FIELD_CONVENTION, 2, 0);

  return version > 0 && version < 100 && convention > 0 && convention < 100 && ph_flat_int (flat, root, FIELD_NAME, 4, 0) > 0
                 && ph_flat_int (flat, root, FIELD_PLATFORMS, 4, 0) > 0 && ph_flat_int (flat, root, FIELD_MODULE, 4, 0) > 0
             ? 75
             : 0;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error), module = NULL;
  PhFlat flat = { NULL, 0, NULL };
  PhFlatVector span;

  if (bytes == NULL)
    return NULL;
  flat.data = g_bytes_get_data (bytes, &flat.size);
  span = ph_flat_vector (flat, ph_flat_root (flat), FIELD_MODULE, 1);
  if (span.n == 0)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "the exported function's module is missing: the file is incomplete");
      return NULL;
    }
  module = g_bytes_new (flat.data + span.at, span.n); /* places in it are aligned to its own beginning */
  if (!ph_mlir_is_bytecode (g_bytes_get_data (module, NULL), span.n))
    {
      ph_source_fail (source, error, PH_ERROR_UNSUPPORTED, NULL, "the exported function's module is no MLIR bytecode");
      return NULL;
    }
  return ph_mlir_read_bytecode (source, module, error);
}

/* clang-format off */
const PhFormat ph_format_jax_export = {
  .name = "jax-export", .title = "Exported function of JAX", .patterns = (const char *const[]) { "*.jax", NULL },
  .mime = "application/x-jax-export", .probe = probe, .read = read_model, .parts = TRUE, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
