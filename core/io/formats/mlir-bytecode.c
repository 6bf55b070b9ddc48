/* mlir-bytecode.c: MLIR's binary form: StableHLO as JAX, TensorFlow and PyTorch store it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/choose.h"
#include "core/io/format.h"
#include "core/io/mlir/mlir.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  return size >= 4 && memcmp (head, "ML\xefR", 4) == 0 ? 100 : 0;
}

static PhModel *
build (PhSource *source, PhMlirModule *module, GError **error)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new (), functions = NULL, names = g_ptr_array_new ();
  guint chosen;

  g_ptr_array_add (modules, module);
  functions = ph_mlir_functions (modules);
  for (guint i = 0; i < functions->len; i++)
    g_ptr_array_add (names, (gpointer) ((const PhMlirOp *) functions->pdata[i])->symbol);
  if (!ph_source_choose (source, names, "function", &chosen, error))
    return NULL;
  return ph_mlir_build (source, modules, chosen != G_MAXUINT ? functions->pdata[chosen] : NULL, NULL, error);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (GHashTable) blobs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_autoptr (PhMlirModule) module = NULL;
  g_autofree char *text = NULL;
  gsize size;

  if (bytes == NULL || (text = ph_mlir_bytecode_text (source, bytes, blobs, &size, error)) == NULL)
    return NULL;
  module = ph_mlir_parse_with (source, text, size, 1, blobs, error);
  return module != NULL ? build (source, module, error) : NULL;
}

/* clang-format off */
const PhFormat ph_format_mlir_bytecode = {
  .name = "mlir-bytecode", .title = "MLIR bytecode (StableHLO)", .patterns = (const char *const[]) { "*.mlirbc", "*.bytecode", NULL },
  .mime = "application/x-mlir-bytecode", .probe = probe, .read = read_model, .parts = TRUE, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
