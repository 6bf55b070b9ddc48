/* completion-list.c: prints readline's list of completions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/completion-list.h"

#include <stdio.h>

#include <glib.h>
#include <readline/readline.h>

#include "core/console/console.h"
#include "core/escape.h"

#define MOST_ROWS 20

static int
text_width (const char *text)
{
  int width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    width += g_unichar_iszerowidth (g_utf8_get_char (p)) ? 0 : g_unichar_iswide (g_utf8_get_char (p)) ? 2 : 1;
  return width;
}

/* Prints @matches 1 to @n; the first element is their common prefix. */
static void
show_matches (char **matches, int n, int length)
{
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
  int rows = 24, columns = 80, width = 1, across, down, fit;

  rl_get_screen_size (&rows, &columns);
  for (int i = 1; i <= n; i++)
    {
      g_ptr_array_add (shown, ph_escape (matches[i], FALSE));
      width = MAX (width, text_width (shown->pdata[i - 1]) + 2);
    }
  across = MAX (columns / width, 1);
  down = (n + across - 1) / across;
  fit = MAX (MIN (rows - 3, MOST_ROWS), 1);
  if (down > fit)
    down = fit;
  fputc ('\n', rl_outstream);
  for (int row = 0; row < down; row++)
    {
      for (int column = 0; column < across && column * down + row < n; column++)
        {
          const char *text = shown->pdata[column * down + row];

          fputs (text, rl_outstream);
          if (column + 1 < across && (column + 1) * down + row < n)
            fprintf (rl_outstream, "%*s", width - text_width (text), "");
        }
      fputc ('\n', rl_outstream);
    }
  if (n > across * down || n >= PH_MAX_COMPLETIONS)
    fprintf (rl_outstream, "%s%d more: type some more letters\n", n >= PH_MAX_COMPLETIONS ? "at least " : "",
             MAX (n - across * down, 0));
  rl_forced_update_display ();
}

void
ph_completion_list_init (void)
{
  rl_completion_display_matches_hook = show_matches;
  rl_completion_query_items = -1;
}
