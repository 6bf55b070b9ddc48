/* label.c: finds the beginning and end of blocks and functions in LLVM assembly.
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

gboolean
ph_llvm_is_cut (const char *text, gsize size)
{
  const char *end = text + size;
  gboolean inside = FALSE;

  for (const char *p = text; p < end;)
    {
      const char *eol = memchr (p, '\n', (gsize) (end - p));

      eol = eol != NULL ? eol : end;
      if (eol - p > 7 && memcmp (p, "define ", 7) == 0)
        inside = eol[-1] != '}';
      else if (inside && eol == p + 1 && *p == '}')
        inside = FALSE;
      p = eol < end ? eol + 1 : end;
    }
  return inside;
}
