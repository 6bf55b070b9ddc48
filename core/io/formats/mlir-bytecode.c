/* mlir-bytecode.c: MLIR's binary form: StableHLO as JAX, TensorFlow and PyTorch store it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/format.h"
#include "core/io/mlir/stored.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  return ph_mlir_is_bytecode (head, size) ? 100 : 0;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);

  return bytes != NULL ? ph_mlir_read_bytecode (source, bytes, error) : NULL;
}

/* clang-format off */
const PhFormat ph_format_mlir_bytecode = {
  .name = "mlir-bytecode", .title = "MLIR bytecode (StableHLO)", .patterns = (const char *const[]) { "*.mlirbc", "*.bytecode", NULL },
  .mime = "application/x-mlir-bytecode", .probe = probe, .read = read_model, .parts = TRUE, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
