/* older.c: removes from LLVM assembly the keywords that an older LLVM cannot read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/import.h"

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || strchr ("_.$-", c) != NULL;
}

/* Returns the end of the parentheses that begin at @p, or @p. */
static const char *
arguments_end (const char *p, const char *end)
{
  const char *from = p;
  guint depth = 0;

  for (; p < end && *p != '\n'; p++)
    {
      depth += *p == '(';
      if (*p == ')' && --depth == 0)
        return p + 1;
      if (depth == 0)
        break;
    }
  return from;
}

/* Each of these only adds a guarantee: without it a program can be optimized less but means the same. */
char *
ph_llvm_for_older (const char *text, gsize size, GPtrArray *left_out)
{
  static const struct
  {
    const char *word, *instead;
    gboolean arguments;
  } words[] = { { "captures", "nocapture", TRUE },
                { "initializes", "", TRUE },
                { "samesign", "", FALSE },
                { "dead_on_return", "", FALSE },
                { "nocreateundeforpoison", "", FALSE } };
  const char *end = text + size;
  GString *out = g_string_sized_new (size);

  for (const char *p = text; p < end;)
    {
      const char *from = p;

      if (*p == '"' || *p == ';')
        {
          const char close = *p == '"' ? '"' : '\n';

          for (p++; p < end && *p != close; p++)
            ;
          p += p < end;
        }
      else if (!is_word_char (*p) && strchr ("%@#!", *p) == NULL)
        p++;
      else
        {
          gsize k = 0;

          for (p++; p < end && is_word_char (*p); p++)
            ;
          while (k < G_N_ELEMENTS (words)
                 && ((gsize) (p - from) != strlen (words[k].word) || memcmp (from, words[k].word, (gsize) (p - from)) != 0))
            k++;
          if (k < G_N_ELEMENTS (words) && (p < end && *p == '(') == words[k].arguments)
            {
              const char *after = words[k].arguments ? arguments_end (p, end) : p;

              if (after - p == strlen ("(none)") && memcmp (p, "(none)", strlen ("(none)")) == 0)
                g_string_append (out, words[k].instead);
              if (!g_ptr_array_find_with_equal_func (left_out, words[k].word, g_str_equal, NULL))
                g_ptr_array_add (left_out, (gpointer) words[k].word);
              p = after;
              continue;
            }
        }
      g_string_append_len (out, from, p - from);
    }
  return g_string_free (out, FALSE);
}
