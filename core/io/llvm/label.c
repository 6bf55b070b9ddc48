/* label.c: labels of blocks in the text of LLVM assembly.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/import.h"

char *
ph_llvm_label_of (const char *line, const char *stop)
{
  const char *end = line;

  if (line < stop && *line == '"')
    {
      end = memchr (line + 1, '"', (gsize) (stop - line - 1));
      return end != NULL && end + 1 < stop && end[1] == ':' ? g_strndup (line, (gsize) (end + 1 - line)) : NULL;
    }
  while (end < stop && (g_ascii_isalnum (*end) || strchr ("-$._", *end) != NULL))
    end++;
  return end > line && end < stop && *end == ':' ? g_strndup (line, (gsize) (end - line)) : NULL;
}
