/* relay-text.c: the words of Relay's text; see relay.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/relay.h"

gpointer
ph_relay_fail (PhRelay *r, const char *wanted)
{
  guint line, column;

  ph_text_place (&r->line, r->begin, r->p, &line, &column);
  if (r->error == NULL)
    ph_source_fail_at (r->source, &r->error, line, column, "%s was expected", wanted);
  return NULL;
}

void
ph_relay_skip (PhRelay *r)
{
  while (r->p < r->end)
    if (g_ascii_isspace (*r->p))
      r->p++;
    else if (r->end - r->p >= 2 && r->p[0] == '/' && r->p[1] == '/')
      while (r->p < r->end && *r->p != '\n')
        r->p++;
    else if (r->end - r->p >= 2 && r->p[0] == '/' && r->p[1] == '*')
      {
        guint depth = 0;

        do
          {
            if (r->end - r->p >= 2 && r->p[0] == '/' && r->p[1] == '*')
              depth++, r->p++;
            else if (r->end - r->p >= 2 && r->p[0] == '*' && r->p[1] == '/')
              depth--, r->p++;
            r->p++;
          }
        while (r->p < r->end && depth > 0);
      }
    else
      break;
}

gboolean
ph_relay_is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

gboolean
ph_relay_looks (PhRelay *r, const char *text)
{
  const gsize n = strlen (text);

  ph_relay_skip (r);
  return (gsize) (r->end - r->p) >= n && memcmp (r->p, text, n) == 0
         && !(ph_relay_is_word (text[n - 1]) && r->p + n < r->end && ph_relay_is_word (r->p[n]));
}

gboolean
ph_relay_take (PhRelay *r, const char *text)
{
  if (!ph_relay_looks (r, text))
    return FALSE;
  r->p += strlen (text);
  return TRUE;
}

gboolean
ph_relay_expect (PhRelay *r, const char *text)
{
  g_autofree char *wanted = NULL;

  if (ph_relay_take (r, text))
    return TRUE;
  wanted = g_strdup_printf ("'%s'", text);
  ph_relay_fail (r, wanted);
  return FALSE;
}

char *
ph_relay_raw (PhRelay *r, const char *stops)
{
  g_autoptr (GString) out = g_string_new (NULL);
  guint depth = 0;

  ph_relay_skip (r);
  while (r->p < r->end && (depth > 0 || strchr (stops, *r->p) == NULL))
    {
      const char *before = r->p;

      if (*r->p == '"')
        {
          for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
            if (*r->p == '\\' && r->p + 1 < r->end)
              r->p++;
          r->p = MIN (r->p + 1, r->end);
          g_string_append_len (out, before, r->p - before);
          continue;
        }
      if (strchr ("([{", *r->p) != NULL)
        depth++;
      else if (strchr (")]}", *r->p) != NULL)
        {
          if (depth == 0)
            break;
          depth--;
        }
      else if (*r->p == '-' && r->p + 1 < r->end && r->p[1] == '>')
        g_string_append_c (out, *r->p++);
      g_string_append_c (out, *r->p++);
      before = r->p;
      ph_relay_skip (r);
      if (r->p > before)
        g_string_append_c (out, ' ');
    }
  return g_utf8_make_valid (g_strstrip (out->str), -1);
}

char *
ph_relay_word (PhRelay *r)
{
  const char *start;

  ph_relay_skip (r);
  for (start = r->p; r->p < r->end && ph_relay_is_word (*r->p);)
    r->p++;
  return g_strndup (start, (gsize) (r->p - start));
}

char *
ph_relay_name (PhRelay *r)
{
  const gboolean local = r->p < r->end && *r->p == '%';
  const char *start;

  while (r->p < r->end && (*r->p == '%' || *r->p == '@'))
    r->p++;
  if (!local)
    return ph_relay_word (r);
  for (start = r->p; r->p < r->end && *r->p != '.' && ph_relay_is_word (*r->p);) /* %0.1 is a member of %0 */
    r->p++;
  return g_strndup (start, (gsize) (r->p - start));
}
