/* line-editor.c: readline's features beyond editing: the console's completion, hints in grey after the cursor, history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/line-editor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <readline/history.h>
#include <readline/readline.h>

#include "core/escape.h"
#include "views/completion-list.h"

static PhConsole *(*get_console) (void);
static gboolean hints, shown; /* whether hints are enabled; whether one is displayed after the cursor */

/* ── completion ── */

/* Readline calls twice: for the start of the word, then for the words. */
static char **found; /* (nullable) */

/* Returns the longest common prefix of @words, in whole characters. (transfer full) */
static char *
common_start (char **words)
{
  gsize n = strlen (words[0]);

  for (guint i = 1; words[i] != NULL; i++)
    {
      gsize k = 0;

      while (k < n && words[0][k] == words[i][k])
        k++;
      n = k;
    }
  while (n > 0 && (words[0][n] & 0xc0) == 0x80)
    n--;
  return g_strndup (words[0], n);
}

static char **
complete (const char *text, int start, int end)
{
  g_auto (GStrv) words = g_steal_pointer (&found);
  const guint n = words != NULL ? g_strv_length (words) : 0;
  g_autofree char *common = n > 0 ? common_start (words) : NULL;
  char **matches;

  rl_attempted_completion_over = 1;
  if (n == 0)
    return NULL;
  matches = calloc (n + 2, sizeof (char *));
  /* Words that only hold the letters that were typed are listed; nothing typed is taken back for them. */
  matches[0] = strdup (n > 1 && !g_str_has_prefix (common, text) ? text : common);
  for (guint i = 0; n > 1 && i < n; i++)
    matches[i + 1] = strdup (words[i]);
  /* A folder's path continues, so no space is added. */
  if (g_str_has_suffix (matches[0], "/"))
    rl_completion_suppress_append = 1;
  return matches;
}

/* Begins the word to complete where the console says, rather than at readline's break characters. */
static char *
word_break (void)
{
  static char breaks[2];
  guint word = 0;
  PhConsole *console = get_console ();
  g_autofree char *line = g_strndup (rl_line_buffer, (gsize) rl_point);

  g_clear_pointer (&found, g_strfreev);
  found = console != NULL ? ph_console_complete (console, line, (guint) rl_point, &word) : NULL;

  /* The character before the word is a break; none inside it is. */
  breaks[0] = word > 0 ? line[word - 1] : ' ';
  breaks[1] = '\0';
  return breaks;
}

/* ── hints ── */

static guint
char_width (gunichar c)
{
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

/* Returns the columns of @text, without readline's invisible parts; G_MAXUINT if it has control characters. */
static guint
width_of (const char *text)
{
  guint width = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (*p == RL_PROMPT_START_IGNORE)
      {
        p = strchr (p, RL_PROMPT_END_IGNORE);
        if (p == NULL)
          return G_MAXUINT;
      }
    else if ((guchar) *p < 0x20 || *p == 0x7f)
      return G_MAXUINT;
    else
      width += char_width (g_utf8_get_char (p));
  return width;
}

void
ph_line_editor_clear_hint (void)
{
  if (!shown)
    return;
  fputs ("\033[K", rl_outstream);
  shown = FALSE;
}

static void
show_hint (void)
{
  PhConsole *console = get_console ();
  g_autofree char *hint = NULL, *escaped = NULL;
  int rows, columns;
  guint before, line, at, width = 0;
  const char *end;

  if (console == NULL || rl_point != rl_end || rl_end == 0 || rl_prompt == NULL || !g_utf8_validate (rl_line_buffer, rl_end, NULL)
      || RL_ISSTATE (RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_COMPLETING | RL_STATE_DONE))
    return;
  hint = ph_console_hint (console, rl_line_buffer);
  if (hint == NULL)
    return;
  before = width_of (rl_prompt);
  line = width_of (rl_line_buffer);
  rl_get_screen_size (&rows, &columns);
  if (before == G_MAXUINT || line == G_MAXUINT || columns < 1 || (before + line) % (guint) columns == 0)
    return;
  /* The hint stays in the row of the cursor. */
  at = (before + line) % (guint) columns;
  escaped = ph_escape (hint, FALSE);
  for (end = escaped; *end != '\0' && at + width + char_width (g_utf8_get_char (end)) < (guint) columns;
       end = g_utf8_next_char (end))
    width += char_width (g_utf8_get_char (end));
  if (width == 0)
    return;
  fprintf (rl_outstream, "\033[90m%.*s\033[0m\033[%uD", (int) (end - escaped), escaped, width);
  shown = TRUE;
}

#define TALL 10000 /* rows */

static void
redisplay (void)
{
  int rows, columns;

  ph_line_editor_clear_hint ();
  /* A paste may have more rows than the screen: readline would overwrite the last row, while a terminal can scroll. */
  rl_get_screen_size (&rows, &columns);
  rl_set_screen_size (TALL, 0);
  rl_redisplay ();
  rl_set_screen_size (rows, 0);
  if (hints)
    show_hint ();
  fflush (rl_outstream);
}

static int
accept_line (int count, int key)
{
  ph_line_editor_clear_hint ();
  return rl_newline (count, key);
}

/* ── history ── */

static char *history_file; /* (nullable) */
static int most_lines;

void
ph_line_editor_open_history (int most)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "peephole", NULL);

  g_free (history_file);
  history_file = g_mkdir_with_parents (folder, 0700) == 0 ? g_build_filename (folder, "history", NULL) : NULL;
  most_lines = most;
  using_history ();
  clear_history ();
  if (history_file != NULL)
    read_history (history_file);
  stifle_history (most);
}

void
ph_line_editor_remember (const char *line)
{
  if (*line == '\0' || (history_length > 0 && g_str_equal (history_get (history_base + history_length - 1)->line, line)))
    return;
  add_history (line);
  if (history_file != NULL && append_history (1, history_file) != 0)
    write_history (history_file);
}

void
ph_line_editor_close_history (void)
{
  if (history_file != NULL)
    {
      history_truncate_file (history_file, most_lines);
      g_chmod (history_file, 0600);
    }
  g_clear_pointer (&history_file, g_free);
  clear_history ();
}

#define PASTE_BEGIN "\033[200~"
#define PASTE_END   "\033[201~"
#define MAX_PASTE   30000 /* bytes of a paste that readline takes as one, which the pipe to it holds as a whole */

gboolean
ph_line_editor_take_keys (GByteArray *waiting, gboolean *pasting, const char *text, gsize size)
{
  const gsize mark = strlen (PASTE_BEGIN);
  guint8 *begin, *end;

  if (size >= mark && memcmp (text, PASTE_BEGIN, mark) == 0)
    *pasting = TRUE;
  g_byte_array_append (waiting, (const guint8 *) text, (guint) size);
  if (!*pasting)
    return TRUE;
  end = memmem (waiting->data, waiting->len, PASTE_END, mark);
  if (end == NULL && waiting->len < 100 * MAX_PASTE)
    return FALSE;
  *pasting = FALSE;
  begin = memmem (waiting->data, waiting->len, PASTE_BEGIN, mark);
  if (waiting->len <= MAX_PASTE || begin == NULL)
    return TRUE;
  /* The paste is handled as typed input. */
  if (end != NULL)
    g_byte_array_remove_range (waiting, (guint) (end - waiting->data), (guint) mark);
  g_byte_array_remove_range (waiting, (guint) (begin - waiting->data), (guint) mark);
  return TRUE;
}

void
ph_line_editor_init (PhConsole *(*get) (void), gboolean with_hints)
{
  get_console = get;
  hints = with_hints;
  shown = FALSE;
  rl_attempted_completion_function = complete;
  rl_completion_word_break_hook = word_break;
  rl_completer_quote_characters = "";
  for (guint i = 0; i < 2; i++)
    {
      rl_bind_key_in_map ("\r\n"[i], accept_line, emacs_standard_keymap);
      rl_bind_key_in_map ("\r\n"[i], accept_line, vi_insertion_keymap);
      rl_bind_key_in_map ("\r\n"[i], accept_line, vi_movement_keymap);
    }
  ph_completion_list_init ();
  /* readline queries the terminal's abilities only while it uses its own function to draw, and without them it assumes a single row. */
  rl_initialize ();
  rl_redisplay_function = redisplay;
}
