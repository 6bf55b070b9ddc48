/* terminal.c: peep's terminal: prompt, Ctrl+C, progress.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <readline/readline.h>

#include "core/console/pager.h"
#include "core/escape.h"
#include "views/line-editor.h"

#define HISTORY_LINES  10000
#define PROGRESS_DELAY (300 * G_TIME_SPAN_MILLISECOND)

static PhConsole *the_console;
static GCancellable *cancellable; /* of the line that runs                           */
static GMutex lock;               /* over @cancellable                               */
static int wake[2] = { -1, -1 };  /* Ctrl+C writes, a thread reads and cancels */
static volatile sig_atomic_t interrupted, running;
static gint64 begin_time; /* of the line that runs                           */
static gboolean progress_shown;
static const char *the_prompt; /* of a line that continues no other               */
static gboolean gave_up;       /* earlier lines of the statement were given up    */

/* ── Ctrl+C ── */

static void
on_interrupt (int signal)
{
  int saved = errno;

  interrupted = 1;
  if (running && write (wake[1], "c", 1) < 0)
    _exit (130);
  if (!running && !isatty (STDIN_FILENO))
    _exit (130);
  errno = saved;
}

/* Cancels in a thread, since a signal handler may not run that code. */
static gpointer
cancel_in_thread (gpointer data)
{
  sigset_t signals;
  char byte;

  /* Blocks Ctrl+C in this thread: it has to interrupt the thread that waits for keys. */
  sigemptyset (&signals);
  sigaddset (&signals, SIGINT);
  pthread_sigmask (SIG_BLOCK, &signals, NULL);
  while (read (wake[0], &byte, 1) == 1)
    {
      g_mutex_lock (&lock);
      if (cancellable != NULL)
        g_cancellable_cancel (cancellable);
      g_mutex_unlock (&lock);
    }
  return NULL;
}

/* Returns the columns of the terminal that shows replies, or 0 if there is none. */
static guint
columns (void)
{
  struct winsize size;

  return isatty (STDOUT_FILENO) && ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

GCancellable *
ph_terminal_begin_command (void)
{
  ph_console_set_width (the_console, columns ());
  g_mutex_lock (&lock);
  g_clear_object (&cancellable);
  cancellable = g_cancellable_new ();
  g_mutex_unlock (&lock);
  begin_time = g_get_monotonic_time ();
  running = 1;
  return cancellable;
}

void
ph_terminal_end_command (void)
{
  running = 0;
  if (progress_shown)
    fprintf (stderr, "\r\033[K");
  progress_shown = FALSE;
}

static void
on_progress (PhConsole *console, const char *what, double fraction, gpointer data)
{
  g_autofree char *shown = NULL;

  if (g_get_monotonic_time () - begin_time < PROGRESS_DELAY)
    return;
  shown = ph_escape (what, FALSE);
  if (fraction >= 0)
    fprintf (stderr, "\r\033[K%3.0f%% %.60s", fraction * 100, shown);
  else
    fprintf (stderr, "\r\033[K%.60s…", shown);
  progress_shown = TRUE;
}

gboolean
ph_terminal_was_interrupted (void)
{
  return interrupted != 0;
}

/* Respects NO_COLOR with any value but an empty one (no-color.org). */
static gboolean
wants_colour (int fd)
{
  const char *no = g_getenv ("NO_COLOR"), *term = g_getenv ("TERM");

  return isatty (fd) && (no == NULL || *no == '\0') && (term == NULL || !g_str_equal (term, "dumb"));
}

const char *
ph_terminal_error_prefix (void)
{
  return wants_colour (STDERR_FILENO) ? "\033[31merror:\033[0m " : "error: ";
}

void
ph_terminal_init (PhConsole *console, gboolean json)
{
  /* The handler has a stack of its own: oneDNN's kernels keep data below the stack pointer, which it would overwrite. */
  static char stack[128 << 10];
  const stack_t own = { .ss_sp = stack, .ss_size = sizeof stack };
  struct sigaction action = { .sa_handler = on_interrupt, .sa_flags = sigaltstack (&own, NULL) == 0 ? SA_ONSTACK : 0 };

  the_console = console;
  ph_console_set_colour (console, !json && wants_colour (STDOUT_FILENO));
  if (isatty (STDERR_FILENO))
    g_signal_connect (console, "progress", G_CALLBACK (on_progress), NULL);
  if (pipe (wake) == 0)
    {
      g_thread_unref (g_thread_new ("interrupt", cancel_in_thread, NULL));
      sigaction (SIGINT, &action, NULL);
    }
}

/* ── readline ── */

static PhConsole *
get_console (void)
{
  return the_console;
}

/* Handles Ctrl+C at the prompt, which readline shows as ^C: starts an empty line, and gives up lines that were waiting for this one. */
static int
on_signal (void)
{
  if (!interrupted)
    return 0;
  interrupted = 0;
  gave_up = TRUE;
  ph_line_editor_clear_hint ();
  fputc ('\n', rl_outstream);
  rl_set_prompt (the_prompt);
  rl_replace_line ("", 0);
  rl_on_new_line ();
  rl_redisplay ();
  return 0;
}

void
ph_terminal_open (PhConsole *console)
{
  const char *term = g_getenv ("TERM");

  ph_preferences_load ();
  rl_readline_name = "peep";
  rl_signal_event_hook = on_signal;
  ph_line_editor_init (get_console, wants_colour (STDOUT_FILENO));
  rl_catch_signals = 1;
  /* Debian's readline disables it. ~/.inputrc, read once more, still decides. */
  rl_initialize ();
  if (isatty (STDOUT_FILENO) && term != NULL && *term != '\0' && !g_str_equal (term, "dumb"))
    {
      rl_variable_bind ("enable-bracketed-paste", "on");
      rl_read_init_file (NULL);
    }
  ph_line_editor_open_history (HISTORY_LINES);
}

/* ── paging ── */

static void
put (char *text)
{
  fputs (text, stdout);
  fflush (stdout);
  g_free (text);
}

gboolean
ph_terminal_page (const char *text)
{
  const char *term = g_getenv ("TERM");
  g_autoptr (PhPager) pager = NULL;
  struct winsize size;
  struct termios before, raw;

  if (!ph_preferences_get ()->pager || !isatty (STDIN_FILENO) || !isatty (STDOUT_FILENO) || term == NULL
      || g_str_equal (term, "dumb") || ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || tcgetattr (STDIN_FILENO, &before) != 0)
    return FALSE;
  pager = ph_pager_new (text, size.ws_row, size.ws_col);
  if (pager == NULL)
    return FALSE;
  raw = before;
  raw.c_lflag &= ~(tcflag_t) (ICANON | ECHO | ISIG);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  tcsetattr (STDIN_FILENO, TCSADRAIN, &raw);
  put (ph_pager_draw (pager));
  while (!ph_pager_is_done (pager))
    {
      char keys[64];
      gsize used = 0;
      ssize_t n = read (STDIN_FILENO, keys, sizeof keys);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        ph_pager_resize (pager, size.ws_row, size.ws_col);
      put (ph_pager_type (pager, keys, (gsize) n, &used));
      /* Keys left over by the pager are for the prompt. */
      for (gsize i = used; i < (gsize) n; i++)
        rl_stuff_char (keys[i]);
    }
  put (ph_pager_leave (pager));
  put (ph_pager_page (pager));
  tcsetattr (STDIN_FILENO, TCSADRAIN, &before);
  return TRUE;
}

/* Lines that a paste brought and that wait for their turn. */
static GQueue pasted = G_QUEUE_INIT;

char *
ph_terminal_read (const char *prompt)
{
  g_autoptr (GString) joined = g_string_new (NULL);
  PhJoin join = PH_JOIN_MORE;

  if (!g_queue_is_empty (&pasted))
    return g_queue_pop_head (&pasted);
  the_prompt = prompt;
  while (join == PH_JOIN_MORE)
    {
      char *line;

      interrupted = 0;
      gave_up = FALSE;
      line = readline (joined->len > 0 ? "  ... " : prompt);
      if (gave_up)
        g_string_truncate (joined, 0);
      if (line == NULL && joined->len == 0)
        {
          /* With bracketed paste readline has ended the line itself. */
          if (g_strcmp0 (rl_variable_value ("enable-bracketed-paste"), "on") != 0)
            printf ("\n");
          return NULL;
        }
      if (line == NULL)
        break;
      /* A paste may contain several lines. */
      if (joined->len == 0 && strchr (line, '\n') != NULL)
        {
          g_autoptr (GPtrArray) lines = ph_lines_join (line, NULL);

          ph_line_editor_remember (line);
          free (line);
          for (guint i = 0; i < lines->len; i++)
            g_queue_push_tail (&pasted, g_strdup (lines->pdata[i]));
          return g_queue_is_empty (&pasted) ? g_strdup ("") : g_queue_pop_head (&pasted);
        }
      join = ph_line_join (joined, line, TRUE);
      if (join == PH_JOIN_BEFORE)
        g_queue_push_tail (&pasted, g_strdup (line));
      free (line);
    }
  g_strchomp (joined->str);
  ph_line_editor_remember (joined->str);
  return g_strdup (joined->str);
}

void
ph_terminal_close (void)
{
  g_queue_clear_full (&pasted, g_free);
  ph_preferences_unload ();
  ph_line_editor_close_history ();
}
