/* fuzzy.c: scores how well a few typed letters match a text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/fuzzy.h"

/* Avoids the tables of GLib's functions, which are slow for a hundred thousand names. */
static inline gunichar
lower (const char *p)
{
  const guchar c = (guchar) *p;

  return c >= 0x80 ? g_unichar_tolower (g_utf8_get_char (p)) : c >= 'A' && c <= 'Z' ? c + 32u : c;
}

static inline gboolean
is_alnum (gunichar c)
{
  return c < 0x80 ? g_ascii_isalnum ((char) c) : g_unichar_isalnum (c);
}

int
ph_fuzzy_score (const char *typed, const char *text)
{
  int score = 0, run = 0;
  gunichar before = ' ';
  const char *p = text;

  for (; *typed; typed = g_utf8_next_char (typed))
    {
      gunichar wanted = lower (typed);
      if (g_unichar_isspace (wanted))
        {
          run = 0;
          continue;
        }
      for (;; p = g_utf8_next_char (p))
        {
          if (!*p)
            return 0;
          gunichar c = lower (p);
          gboolean word_start = !is_alnum (before);
          before = c;
          if (c == wanted)
            {
              run++;
              score += 10 + 15 * (run - 1) + (word_start ? 12 : 0) + (p == text ? 8 : 0);
              p = g_utf8_next_char (p);
              break;
            }
          run = 0;
        }
    }
  glong length = g_utf8_strlen (text, -1);
  return score == 0 ? 1 : MAX (1, score - (int) MIN (length / 4, 20));
}
