/* split.c: splits a text at its lines "// -----". Such a line inside brackets may be a comment.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/split.h"

#include <string.h>

#include "core/io/source.h"

#define MARK "// -----"

/* "// -----// IR Dump" begins a section of a dump. */
static gboolean
is_split (const char *p, const char *eol)
{
  const gsize length = strlen (MARK);

  return (gsize) (eol - p) >= length && memcmp (p, MARK, length) == 0
         && memchr (p + length, 'I', (gsize) (eol - p) - length) == NULL;
}

/* Counts the brackets that a line opens, less those that it closes, outside strings and comments. */
static int
open_brackets (const char *p, const char *eol)
{
  int open = 0;

  for (; p < eol; p++)
    if (*p == '"')
      for (p++; p < eol && *p != '"'; p++)
        p += *p == '\\';
    else if (*p == '/' && p + 1 < eol && p[1] == '/')
      break;
    else
      open += (*p == '{' || *p == '(' || *p == '[') - (*p == '}' || *p == ')' || *p == ']');
  return open;
}

/* Finds for each part the next one at whose end no more brackets are open than at its own beginning; @depths are those at the ends. */
static void
find_last (GArray *parts, const int *depths)
{
  g_autofree guint *waiting = g_new (guint, parts->len);
  guint n = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      waiting[n++] = i;
      while (n > 0 && depths[i] <= (waiting[n - 1] > 0 ? depths[waiting[n - 1] - 1] : 0))
        g_array_index (parts, PhSplit, waiting[--n]).last = i;
    }
}

GArray *
ph_text_split (const char *text, gsize size, const char *header)
{
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (PhSplit));
  g_autoptr (GArray) depths = g_array_new (FALSE, FALSE, sizeof (int));
  const char *const end = text + size;
  PhSplit part = { text, end, 1, 0 };
  int depth = 0;
  guint line = 1;

  if ((size < strlen (MARK) || memcmp (text, MARK, strlen (MARK)) != 0)
      && memmem (text, size, "\n" MARK, strlen ("\n" MARK)) == NULL)
    {
      g_array_append_val (parts, part);
      return parts;
    }
  for (const char *p = text, *next; p < end; p = next, line++)
    {
      next = ph_text_line_after (p, end);
      if (!is_split (p, next))
        {
          if (header != NULL && (gsize) (next - p) > strlen (header) && memcmp (p, header, strlen (header)) == 0)
            depth = 0;
          depth += open_brackets (p, next);
          continue;
        }
      part.to = p;
      g_array_append_val (parts, part);
      g_array_append_val (depths, depth);
      part = (PhSplit) { next, end, line + 1, parts->len };
    }
  g_array_append_val (parts, part);
  g_array_append_val (depths, depth);
  find_last (parts, (const int *) (gpointer) depths->data);
  return parts;
}
