/* llvm-dump.c: reads the output of LLVM's passes as a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/dump.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  return strstr (text, "*** IR Dump ") != NULL ? 90 : 0;
}

static gboolean
record (PhSource *source, PhRecordFunc each, gpointer data, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return bytes != NULL && ph_llvm_dump_read (source, text != NULL ? text : "", size, each, data, error);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  return ph_format_read_first (source, record, error);
}

/* clang-format off */
const PhFormat ph_format_llvm_dump = {
  .name = "llvm-dump", .title = "LLVM's passes (opt -print-changed, -print-after-all)", .patterns = (const char *const[]) { "*.txt", "*.log", NULL },
  .mime = "text/x-llvm-dump", .mime_parent = "text/plain", .text = TRUE, .probe = probe, .read = read_model, .record = record, .dialect = &ph_dialect_llvm,
};
/* clang-format on */
