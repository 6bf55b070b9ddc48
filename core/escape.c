/* escape.c: makes text from a file safe to display.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/escape.h"

/* Returns TRUE for characters that change the direction of the following text or act as line separators. */
static gboolean
is_misleading (gunichar c)
{
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029;
}

/* Returns how many bytes @text begins with that need no look at what they mean. */
static gsize
plain_length (const char *text)
{
  gsize n = 0;

  while (g_ascii_isprint (text[n]))
    n++;
  return n;
}

gboolean
ph_escape_is_plain (const char *text)
{
  return text[plain_length (text)] == '\0';
}

void
ph_escape_append (GString *out, const char *text, gboolean lines)
{
  while (*text != '\0')
    {
      const gsize plain = plain_length (text);
      gunichar c;

      g_string_append_len (out, text, plain);
      text += plain;
      if (*text == '\0')
        break;
      c = g_utf8_get_char_validated (text, -1);
      if (c >= (gunichar) -2)
        {
          g_string_append (out, "\357\277\275");
          text++;
          continue;
        }
      if ((c < 0x20 && !(lines && (c == '\n' || c == '\t'))) || (c >= 0x7f && c < 0xa0))
        g_string_append_printf (out, "\\x%02x", c);
      else if (is_misleading (c))
        g_string_append_printf (out, "\\u%04x", c);
      else
        g_string_append_unichar (out, c);
      text = g_utf8_next_char (text);
    }
}

char *
ph_escape (const char *text, gboolean lines)
{
  GString *out = g_string_new (NULL);

  ph_escape_append (out, text, lines);
  return g_string_free (out, FALSE);
}
