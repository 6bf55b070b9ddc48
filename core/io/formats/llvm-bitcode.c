/* llvm-bitcode.c: LLVM's bitcode, converted to assembly text by LLVM's disassembler, since each version has a bitcode of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/llvm/import.h"
#include "core/io/llvm/program.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  static const char bitcode[] = { 'B', 'C', (char) 0xC0, (char) 0xDE }, wrapped[] = { (char) 0xDE, (char) 0xC0, 0x17, 0x0B };

  return size >= 4 && (memcmp (head, bitcode, 4) == 0 || memcmp (head, wrapped, 4) == 0) ? 100 : 0;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  static const char *const arguments[] = { "-o", "-", "-", NULL };
  g_autofree char *program = ph_llvm_program_find ("llvm-dis");
  g_autoptr (GBytes) bytes = NULL, text = NULL;
  g_autoptr (PhLlvmModule) module = NULL;
  gsize size;
  const char *data;

  if (program == NULL)
    {
      ph_source_fail (source, error, PH_ERROR_UNSUPPORTED, NULL,
                      "LLVM bitcode is read by llvm-dis, which is not installed: Debian has it in the package llvm-19");
      return NULL;
    }
  bytes = ph_source_dup_bytes (source, error);
  text = bytes != NULL ? ph_llvm_program_run (program, arguments, bytes, g_bytes_get_size (bytes), source->cancellable, error)
                       : NULL;
  if (text == NULL)
    {
      g_prefix_error (error, "%s: ", source->path);
      return NULL;
    }
  data = g_bytes_get_data (text, &size);
  source->is_made_up = TRUE;
  module = ph_llvm_parse (source, data != NULL ? data : "", size, 1, NULL, error);
  return module != NULL ? ph_llvm_model_of (source, module, error) : NULL;
}

/* clang-format off */
const PhFormat ph_format_llvm_bitcode = {
  .name = "llvm-bitcode", .title = "LLVM bitcode", .patterns = (const char *const[]) { "*.bc", NULL },
  .mime = "application/x-llvm-bitcode", .probe = probe, .read = read_model, .dialect = &ph_dialect_llvm,
};
/* clang-format on */
