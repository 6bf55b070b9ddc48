/* llvm.c: LLVM's assembly text. A module's first function, or main, is the main graph; the others are functions of the model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/llvm/import.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  static const char *const begins[] = { "define ",       "declare ",          "; ModuleID", "source_filename",
                                        "target triple", "target datalayout", "@",          "%" };
  g_autofree char *text = g_strndup ((const char *) head, size);
  guint sure = g_str_has_suffix (name, ".ll") ? 80 : 0;

  for (char *line = text; line != NULL && *line != '\0' && sure < 90;
       line = strchr (line, '\n') != NULL ? strchr (line, '\n') + 1 : NULL)
    for (guint i = 0; i < G_N_ELEMENTS (begins) - 2; i++)
      if (g_str_has_prefix (line, begins[i]) && (i != 0 || strchr (line, '@') != NULL) && (i != 1 || strchr (line, '@') != NULL))
        sure = MAX (sure, 70);
  if (memchr (head, 0, size) != NULL) /* one in a name, or another kind of file */
    return sure == 80 ? 20 : 0;
  return sure;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhLlvmModule) module = NULL;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL; /* NULL for an empty file, too */

  if (bytes == NULL || (module = ph_llvm_parse (source, text != NULL ? text : "", size, 1, NULL, error)) == NULL)
    return NULL;
  return ph_llvm_model_of (source, module, error);
}

/* clang-format off */
const PhFormat ph_format_llvm = {
  .name = "llvm", .title = "LLVM assembly", .patterns = (const char *const[]) { "*.ll", NULL },
  .mime = "text/x-llvm", .mime_parent = "text/plain", .text = TRUE, .probe = probe, .read = read_model, .dialect = &ph_dialect_llvm,
};
/* clang-format on */
