/* terminal-stream.c: a stream that writes to a terminal widget.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/terminal-stream.h"

#include <string.h>

/* Writes text to the terminal, which needs a carriage return before each line feed. */
static ssize_t
feed_terminal (void *cookie, const char *text, size_t size)
{
  VteTerminal *terminal = cookie;

  for (const char *p = text, *end = text + size; p < end;)
    {
      const char *line = memchr (p, '\n', (gsize) (end - p));
      vte_terminal_feed (terminal, p, (line ? line : end) - p);
      if (line)
        vte_terminal_feed (terminal, "\r\n", 2);
      p = line ? line + 1 : end;
    }
  return (ssize_t) size;
}

FILE *
ph_terminal_stream_new (VteTerminal *terminal)
{
  return fopencookie (terminal, "w", (cookie_io_functions_t) { .write = feed_terminal });
}
