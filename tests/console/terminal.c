/* terminal.c: peep at a terminal: a pty, keys, and what is seen there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  int fd;
  pid_t pid;
  GString *seen;
  gsize read;
} Terminal;

static gushort columns = 200;

static char *state; /* a state folder of our own: a history nobody else writes */

static Terminal
terminal_start (const char *variable, const char *first, ...)
{
  g_autofree char *program = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "app", "peep", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  Terminal terminal = { .seen = g_string_new (NULL) };
  struct winsize size = { .ws_row = 24, .ws_col = columns };
  va_list rest;

  g_ptr_array_add (argv, program);
  va_start (rest, first);
  for (const char *argument = first; argument != NULL; argument = va_arg (rest, const char *))
    g_ptr_array_add (argv, (gpointer) argument);
  va_end (rest);
  g_ptr_array_add (argv, NULL);

  terminal.pid = forkpty (&terminal.fd, NULL, NULL, &size);
  g_assert_cmpint (terminal.pid, >=, 0);
  if (terminal.pid == 0)
    {
      g_auto (GStrv) pair = g_strsplit (variable, "=", 2);

      g_setenv ("XDG_STATE_HOME", state, TRUE);
      g_setenv ("XDG_CONFIG_HOME", state, TRUE);
      g_setenv ("TERM", "xterm", TRUE);
      g_setenv ("INPUTRC", "/dev/null", TRUE);
      g_unsetenv ("NO_COLOR");
      g_setenv (pair[0], pair[1], TRUE);
      execv (program, (char **) argv->pdata);
      _exit (127);
    }
  return terminal;
}

/* Reads until @text is seen after what was waited for before. FALSE: it was not within @seconds, or the program ended. */
static gboolean
terminal_see_within (Terminal *terminal, const char *text, guint seconds)
{
  gint64 end = g_get_monotonic_time () + seconds * G_USEC_PER_SEC;

  while (g_get_monotonic_time () < end)
    {
      const char *found = strstr (terminal->seen->str + terminal->read, text);
      struct pollfd poll_fd = { terminal->fd, POLLIN, 0 };
      char bytes[4096];
      gssize n;

      if (found != NULL)
        {
          terminal->read = (gsize) (found - terminal->seen->str) + strlen (text);
          return TRUE;
        }
      if (poll (&poll_fd, 1, 1000) <= 0)
        continue;
      n = read (terminal->fd, bytes, sizeof bytes);
      if (n <= 0)
        return FALSE;
      g_string_append_len (terminal->seen, bytes, n);
    }
  return FALSE;
}

static gboolean
terminal_see (Terminal *terminal, const char *text)
{
  return terminal_see_within (terminal, text, 60);
}

static void
terminal_type (Terminal *terminal, const char *keys)
{
  g_assert_cmpint (write (terminal->fd, keys, strlen (keys)), ==, strlen (keys));
}

/* Ctrl+C until @text is seen: one that comes while readline comes or goes is lost, or noticed with the next key. */
static gboolean
terminal_interrupt (Terminal *terminal, const char *text)
{
  for (guint i = 0; i < 20; i++)
    {
      g_usleep (100000);
      terminal_type (terminal, "\003");
      if (terminal_see_within (terminal, text, 3))
        return TRUE;
    }
  return FALSE;
}

/* The exit status. */
static int
terminal_end (Terminal *terminal)
{
  int status = 0;

  terminal_see_within (terminal, "never there", 20);
  kill (terminal->pid, SIGKILL);
  g_assert_cmpint (waitpid (terminal->pid, &status, 0), ==, terminal->pid);
  close (terminal->fd);
  g_string_free (terminal->seen, TRUE);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

/* clang-format off */
#define assert_sees(terminal_, text_) \
  G_STMT_START { if (!terminal_see (&terminal_, text_)) g_error ("'%s' is not in: %s", text_, terminal_.seen->str); } G_STMT_END
/* clang-format on */

#define ENDLESS "with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) from t"

/* Ctrl+C at the prompt gives up the line, and those it goes on from; while a line runs it cancels that. */
static void
test_interrupt (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);

  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "nonsense");
  assert_sees (terminal, "nonsense");
  g_assert_true (terminal_interrupt (&terminal, "peep> "));
  terminal_type (&terminal, "select 1, \\\n");
  assert_sees (terminal, "... ");
  g_assert_true (terminal_interrupt (&terminal, "peep> "));
  terminal_type (&terminal, "select 20 + 3\n");
  assert_sees (terminal, "23");
  assert_sees (terminal, "1 row");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, ENDLESS "\n");
  assert_sees (terminal, "from t\r\n");
  g_assert_true (terminal_interrupt (&terminal, "the query was cancelled"));
  assert_sees (terminal, "peep> ");
  g_assert_null (strstr (terminal.seen->str, "no command"));
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* Ctrl+C in the middle of a product, whose kernels use the memory below the end of the stack. */
static void
test_interrupted_product (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);

  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "x = random(1500, 1500)\n");
  assert_sees (terminal, "x = float");
  assert_sees (terminal, "peep> ");
  for (guint i = 0; i < 3; i++)
    {
      terminal_type (&terminal, "while True: y = x @ x\n\n");
      assert_sees (terminal, "... ");
      g_assert_true (terminal_interrupt (&terminal, "ancelled"));
      assert_sees (terminal, "peep> ");
    }
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* A script that is interrupted ends, also where failures do not end it. */
static void
test_interrupted_script (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=1", "--keep-going", "-c", "select 'first'", "-c", ENDLESS, "-c", "select 'last'",
                                      NULL);

  assert_sees (terminal, "1 row");
  g_assert_true (terminal_interrupt (&terminal, "the query was cancelled"));
  g_assert_false (terminal_see (&terminal, "last"));
  g_assert_cmpint (terminal_end (&terminal), ==, 1);
}

/* What a loop computed before it was stopped is many thousands of values; the prompt does not wait for their end. The least of some tries
 * counts: on a machine that is busy one may be late. */
static void
test_interrupted_compare (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);
  gint64 least = G_MAXINT64;

  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "def g(n):\n  s = 0\n  while n > 0:\n    s += 1\n  return s\n\n");
  assert_sees (terminal, "peep> ");
  for (guint i = 0; i < 5; i++)
    {
      terminal_type (&terminal, "compare g(1)\n");
      g_usleep (500000);
      const gint64 start = g_get_monotonic_time ();
      terminal_type (&terminal, "\003");
      assert_sees (terminal, "ancelled");
      assert_sees (terminal, "peep> ");
      least = MIN (least, g_get_monotonic_time () - start);
    }
  g_test_message ("%.3f s from Ctrl+C to the prompt", (double) least / G_USEC_PER_SEC);
  g_assert_cmpint (least, <, G_USEC_PER_SEC / 5);
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

static void
test_completion (void)
{
  g_autofree char *file = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "seed.onnxtxt", NULL);
  Terminal terminal = terminal_start ("NO_COLOR=1", file, NULL);

  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "pipel\tO\t\t");
  assert_sees (terminal, "O3");
  terminal_type (&terminal, "2\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "step i\t\n");
  assert_sees (terminal, "position 1 of 1");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "\004");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* What a command takes stands in grey behind the cursor, which stays where it is; the line that is run has nothing of it. */
static void
test_hint (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=", NULL, NULL);

  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "verify ");
  assert_sees (terminal, "\033[90m[STEP STEP] [--steps]");
  terminal_type (&terminal, "1");
  assert_sees (terminal, "\033[K1\033[90m STEP [--steps]");
  terminal_type (&terminal, "\n");
  assert_sees (terminal, "\033[K\r\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "set hints off\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "diff x\n");
  assert_sees (terminal, "diff x\r\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);

  /* It was kept. */
  terminal = terminal_start ("NO_COLOR=", NULL, NULL);
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "set hints\n");
  assert_sees (terminal, "off");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "set hints on\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* What is longer than the screen stands on a screen of its own, page by page; then the last page is there, and the prompt. */
static void
test_pager (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);

  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "set pager on\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "select 1\n");
  assert_sees (terminal, "1 row");
  assert_sees (terminal, "peep> ");
  g_assert_null (strstr (terminal.seen->str, "\033[?1049h"));
  terminal_type (
      &terminal,
      "with recursive t(x) as (select 1 union all select x + 1 from t where x < 100) select x, 'row ' || x as name from t\n");
  assert_sees (terminal, "\033[?1049h");
  assert_sees (terminal, "1-23 of 102");
  terminal_type (&terminal, " ");
  assert_sees (terminal, "24-46 of 102");
  terminal_type (&terminal, "b");
  assert_sees (terminal, "1-23 of 102");
  terminal_type (&terminal, "\033[F");
  assert_sees (terminal, "80-102 of 102");
  terminal_type (&terminal, "\033[H");
  assert_sees (terminal, "1-23 of 102");
  terminal_type (&terminal, "/ROW 50\r");
  assert_sees (terminal, "51-73 of 102");
  terminal_type (&terminal, "/no such\r");
  assert_sees (terminal, "not found");
  terminal_type (&terminal, "q");
  assert_sees (terminal, "\033[?1049l");
  assert_sees (terminal, "row 50");
  assert_sees (terminal, "peep> ");
  /* A key that it does not know is the first of the next line. */
  terminal_type (&terminal, "help\n");
  assert_sees (terminal, "1-23 of");
  terminal_type (&terminal, "select 40 + 2\n");
  assert_sees (terminal, "42");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* A line that is longer than the terminal is wide goes on in the next row; what is pasted has its own lines. */
static void
test_long_line (void)
{
  columns = 40;
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);

  columns = 200;
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "select 'abcdefghijklmnopqrstuvwxyz0123456789'");
  assert_sees (terminal, "'abcdefghijklmnopqrstuvwxy");
  assert_sees (terminal, "56789'");
  terminal_type (&terminal, "\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "\033[200~def half(x):\n  y = x / 2\n  return y\n\033[201~");
  assert_sees (terminal, "  return y");
  terminal_type (&terminal, "\n");
  assert_sees (terminal, "peep> ");
  g_assert_null (strstr (terminal.seen->str, "\r<"));
  g_assert_null (strstr (terminal.seen->str, "^J"));
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* No line is wider than the terminal, and a pipe has all of it. */
static void
test_width (void)
{
  columns = 50;
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);

  columns = 200;
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "set pager off\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "passes\n");
  assert_sees (terminal, "passes\r\n\033[?2004l\r");
  const gsize begin = terminal.read;
  assert_sees (terminal, "peep> ");
  g_autofree char *reply = g_strndup (terminal.seen->str + begin, terminal.read - begin);
  g_auto (GStrv) lines = g_strsplit (reply, "\r\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >, 50);
  /* Sentences are broken between words, not cut. */
  g_assert_null (strstr (reply, "…"));
  g_assert_nonnull (strstr (reply, "\r\n   "));
  for (guint i = 0; lines[i] != NULL; i++)
    g_assert_cmpint (g_utf8_strlen (lines[i], -1), <=, 50);
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* A block goes on until an empty line, an open bracket until it is closed; what is pasted as a whole is run line by line. */
static void
test_blocks (void)
{
  Terminal terminal = terminal_start ("NO_COLOR=1", NULL, NULL);

  /* Or else a terminal sends what is pasted as if it were typed, and an empty line in a function ends it. */
  assert_sees (terminal, "\033[?2004h");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "def twice(x):\n");
  assert_sees (terminal, "... ");
  terminal_type (&terminal, "  if x[0] > 0:\n");
  assert_sees (terminal, "... ");
  terminal_type (&terminal, "    return x * 2\n");
  assert_sees (terminal, "... ");
  terminal_type (&terminal, "  return x\n");
  assert_sees (terminal, "... ");
  terminal_type (&terminal, "\n");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "twice([1,\n");
  assert_sees (terminal, "... ");
  terminal_type (&terminal, "4])\n");
  assert_sees (terminal, "float[2] {2, 8}");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "\033[200~def half(x):\n  y = x / 2\n\n  return y\na = half([3, 5])\nb = a + 1\n\033[201~\n");
  assert_sees (terminal, "a = float[2] {1.5, 2.5}");
  assert_sees (terminal, "b = float[2] {2.5, 3.5}");
  assert_sees (terminal, "peep> ");
  g_autoptr (GString) long_one = g_string_new ("\033[200~def pasted(x):\n    y = x\n\n");
  for (guint i = 0; i < 14; i++)
    g_string_append_printf (long_one, "    y = y + %u\n%s", i, i % 5 == 4 ? "\n" : "");
  g_string_append (long_one, "    return y\n\nc = pasted(array([1.0, 2.0]))\n\033[201~\n");
  terminal_type (&terminal, long_one->str);
  assert_sees (terminal, "c = float[2] {92, 93}");
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "while True: pass\n");
  assert_sees (terminal, "... ");
  terminal_type (&terminal, "\n");
  g_assert_true (terminal_interrupt (&terminal, "ancelled"));
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "\004");
  g_assert_cmpint (terminal_end (&terminal), ==, 1);
}

/* More than fits is counted, not asked about: at readline's own questions Ctrl+C left it with matches that it had freed. */
static void
test_many_completions (void)
{
  g_autofree char *file = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "seed.onnxtxt", NULL);
  Terminal terminal = terminal_start ("NO_COLOR=1", file, NULL);

  assert_sees (terminal, "peep> ");
  g_assert_cmpint (ioctl (terminal.fd, TIOCSWINSZ, &(struct winsize) { .ws_row = 24, .ws_col = 80 }), ==, 0);
  for (guint i = 0; i < 3; i++)
    {
      terminal_type (&terminal, "help \t\t");
      assert_sees (terminal, "more: type some more letters");
      assert_sees (terminal, "peep> ");
      g_assert_true (terminal_interrupt (&terminal, "^C"));
      assert_sees (terminal, "peep> ");
      terminal_type (&terminal, " ");
    }
  terminal_type (&terminal, "select 20 + 3\n");
  assert_sees (terminal, "23");
  g_assert_null (strstr (terminal.seen->str, "Display all"));
  g_assert_null (strstr (terminal.seen->str, "--More--"));
  assert_sees (terminal, "peep> ");
  terminal_type (&terminal, "quit\n");
  g_assert_cmpint (terminal_end (&terminal), ==, 0);
}

/* What was typed is there again the next time, joined lines as one. */
static void
test_history (void)
{
  g_autofree char *history = g_build_filename (state, "peephole", "history", NULL), *text = NULL;
  Terminal first = terminal_start ("NO_COLOR=1", NULL, NULL), second;
  GStatBuf info;

  assert_sees (first, "peep> ");
  terminal_type (&first, "select 40 \\\n");
  assert_sees (first, "... ");
  terminal_type (&first, "+ 2\n");
  assert_sees (first, "42");
  assert_sees (first, "peep> ");
  terminal_type (&first, "quit\n");
  g_assert_cmpint (terminal_end (&first), ==, 0);
  g_assert_true (g_file_get_contents (history, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "select 40  + 2\nquit\n"));
  g_assert_cmpint (g_stat (history, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0600);

  second = terminal_start ("NO_COLOR=1", NULL, NULL);
  assert_sees (second, "peep> ");
  terminal_type (&second, "\033[A\033[A\n");
  assert_sees (second, "42");
  assert_sees (second, "peep> ");
  terminal_type (&second, "\004");
  g_assert_cmpint (terminal_end (&second), ==, 0);
}

/* Colours at a terminal, unless it cannot show them or the person does not want them. */
static void
test_colour (void)
{
  /* clang-format off */
  static const struct { const char *variable; gboolean colour; } cases[] = {
    { "TERM=xterm", TRUE }, { "TERM=dumb", FALSE }, { "NO_COLOR=1", FALSE }, { "NO_COLOR=", TRUE },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Terminal terminal = terminal_start (cases[i].variable, "--keep-going", "-c", "select 1", "-c", "nonsense", "-c", "quit",
                                          NULL);

      assert_sees (terminal, "no command");
      g_assert_cmpint (strstr (terminal.seen->str, "\033[1m") != NULL, ==, cases[i].colour);
      g_assert_cmpint (strstr (terminal.seen->str, "\033[31m") != NULL, ==, cases[i].colour);
      g_assert_cmpint (terminal_end (&terminal), ==, 1);
    }
}

int
main (int argc, char *argv[])
{
  int master, slave, status;

  g_test_init (&argc, &argv, NULL);
  state = g_dir_make_tmp ("peep-state-XXXXXX", NULL);
  if (openpty (&master, &slave, NULL, NULL, NULL) != 0)
    g_print ("1..0 # SKIP there is no pseudo-terminal: mount /dev/pts\n");
  else
    {
      close (master);
      close (slave);
      g_test_add_func ("/terminal/interrupt", test_interrupt);
      g_test_add_func ("/terminal/interrupted-product", test_interrupted_product);
      g_test_add_func ("/terminal/interrupted-script", test_interrupted_script);
      g_test_add_func ("/terminal/interrupted-compare", test_interrupted_compare);
      g_test_add_func ("/terminal/completion", test_completion);
      g_test_add_func ("/terminal/hint", test_hint);
      g_test_add_func ("/terminal/long-line", test_long_line);
      g_test_add_func ("/terminal/width", test_width);
      g_test_add_func ("/terminal/pager", test_pager);
      g_test_add_func ("/terminal/blocks", test_blocks);
      g_test_add_func ("/terminal/many-completions", test_many_completions);
      g_test_add_func ("/terminal/history", test_history);
      g_test_add_func ("/terminal/colour", test_colour);
      status = g_test_run ();

      g_autofree char *history = g_build_filename (state, "peephole", "history", NULL), *folder = g_path_get_dirname (history);
      g_autofree char *preferences = g_build_filename (folder, "console.ini", NULL);
      g_unlink (history);
      g_unlink (preferences);
      g_rmdir (folder);
      g_rmdir (state);
      g_free (state);
      return status;
    }
  return 0;
}
