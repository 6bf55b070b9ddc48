/* mlir.c: StableHLO and any other dialect of MLIR, as text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/mlir/mlir.h"

static gboolean
has (const guint8 *head, gsize size, const char *text)
{
  return g_strstr_len ((const char *) head, (gssize) size, text) != NULL;
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  if (memchr (head, 0, size) != NULL || (size > 9 && memcmp (head, "HloModule", 9) == 0) || has (head, size, "\nHloModule"))
    return 0;
  if (g_str_has_suffix (name, ".mlir"))
    return 80;
  return has (head, size, "func.func") || has (head, size, "stablehlo.") || has (head, size, "\nmodule ")
                 || has (head, size, "module @") || has (head, size, "builtin.module")
                 || (size > 8 && memcmp (head, "module {", 8) == 0)
             ? 60
             : 0;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (GPtrArray) modules = NULL;
  const char *text;
  gsize size;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  modules = ph_mlir_parse_all (source, text, size, error);
  return modules != NULL ? ph_mlir_build (source, modules, NULL, NULL, error) : NULL;
}

/* clang-format off */
const PhFormat ph_format_mlir = {
  .name = "mlir", .title = "MLIR text (StableHLO)", .patterns = (const char *const[]) { "*.mlir", NULL },
  .mime = "text/x-mlir", .mime_parent = "text/plain",
  .text = TRUE, .probe = probe, .read = read_model, .write = ph_mlir_save, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
