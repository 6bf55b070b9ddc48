/* mlir-dump.c: reads the output of MLIR's passes as a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/mlir/dump.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  if (g_strstr_len ((const char *) head, (gssize) size, "// -----// IR Dump ") == NULL)
    return g_strstr_len ((const char *) head, (gssize) size, ".mlir:") != NULL
                   && g_strstr_len ((const char *) head, (gssize) size, ": error: ") != NULL && !g_str_has_suffix (name, ".mlir")
               ? 60
               : 0; /* the compiler gave up before it printed anything */
  return g_str_has_suffix (name, ".mlir") ? 85 : 90;
}

static gboolean
record (PhSource *source, PhRecordFunc each, gpointer data, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return text != NULL && ph_mlir_dump_read (source, text, size, each, data, error);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  return ph_format_read_first (source, record, error);
}

/* clang-format off */
const PhFormat ph_format_mlir_dump = {
  .name = "mlir-dump", .title = "MLIR's passes (-mlir-print-ir-after-all)", .patterns = (const char *const[]) { "*.txt", "*.log", "*.mlir", NULL },
  .mime = "text/x-mlir-dump", .mime_parent = "text/plain", .text = TRUE, .probe = probe, .read = read_model, .record = record, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
