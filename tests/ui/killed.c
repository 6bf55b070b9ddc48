/* killed.c: the program is killed in the middle of its work, again and again; who starts it anew finds everything where it was.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "tests/ui/driver.h"
#include "views/tab-state.h"

static char *program;

static gboolean
is_restored (gpointer data)
{
  return ph_document_is_open (driver_document ()) && !ph_tab_state_is_restoring (ph_window_get_view (driver_window ()));
}

/* --- who is killed ------------------------------------------------------------------------------------------------------- */

static guint
bookmark (guint i)
{
  PhPosition at;

  return ph_document_get_bookmark (driver_document (), i, &at) ? at.step : 0;
}

/* Everything but the position, which goes on changing. */
static void
check (void)
{
  g_autofree char *pipeline = ph_document_pipeline_to_text (driver_document (), ",");
  g_autofree char *name = g_path_get_basename (ph_document_get_path (driver_document ()));
  PhTensor *x1 = g_hash_table_lookup (ph_document_get_feeds (driver_document ()), "x1");

  g_assert_cmpstr (name, ==, "seed.onnxtxt");
  g_assert_nonnull (strstr (pipeline, "cse,dce:break,algebraic"));
  g_assert_cmpuint (bookmark (1), ==, 2);
  g_assert_cmpuint (bookmark (7), ==, 3);
  g_assert_nonnull (x1);
  g_assert_cmpfloat (ph_tensor_get (x1, 0), ==, 2.5);
  g_assert_cmpuint (ph_console_get_expressions (driver_console ())->len, ==, 2);
}

/* Steps forward and back for ever: each is saved. */
static void
test_work (void)
{
  g_autofree char *ready = g_build_filename (g_get_user_state_dir (), "ready", NULL);

  if (driver_document () && g_getenv ("PEEPHOLE_UI_FIRST"))
    {
      g_autofree char *path = driver_example ("seed");
      driver_open (path);
      driver_run ("pipeline cse,dce,algebraic");
      driver_run ("breakpoint dce");
      driver_run ("goto end");
      driver_run ("feed x1 2.5");
      driver_run ("a = 3");
      driver_run ("b = exp(a) * a");
      driver_run ("goto 2");
      driver_run ("bookmark 1 --set");
      driver_run ("goto 3");
      driver_run ("bookmark 7 --set");
      /* What was answered is kept: who kills may do so from now on. */
    }
  else
    driver_wait (is_restored, NULL, 60, "what was open is there");
  check ();
  g_assert_true (g_file_set_contents (ready, "", 0, NULL));
  if (!g_getenv ("PEEPHOLE_UI_LAST"))
    for (guint i = 0;; i++)
      {
        driver_key (i % 4 < 2 ? "shift+F10" : "F10");
        driver_pause (0.05);
      }
}

static gboolean
has_expressions (gpointer data)
{
  return ph_console_get_expressions (driver_console ())->len == 2;
}

/* Only computes at the console: no model is open. */
static void
test_bare_work (void)
{
  g_autofree char *ready = g_build_filename (g_get_user_state_dir (), "ready", NULL);

  if (g_getenv ("PEEPHOLE_UI_FIRST"))
    {
      driver_run ("a = 3");
      driver_run ("b = a * a");
    }
  driver_wait (has_expressions, NULL, 60, "what was computed is there");
  g_assert_cmpuint (driver_n_tabs (), ==, 1);
  driver_run ("b");
  g_assert_nonnull (strstr (driver_last_text (), "9"));
  g_assert_true (g_file_set_contents (ready, "", 0, NULL));
  if (!g_getenv ("PEEPHOLE_UI_LAST"))
    driver_pause (60);
}

/* --- who kills ----------------------------------------------------------------------------------------------------------- */

static gboolean
has_ended (GPid pid)
{
  return waitpid (pid, NULL, WNOHANG) == pid;
}

static GPid
start (const char *state, const char *role, const char *work)
{
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "PEEPHOLE_UI_HOME", state, TRUE);
  char *words[] = { program, (char *) "-p", (char *) work, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;

  environment = g_environ_setenv (g_steal_pointer (&environment), role, "1", TRUE);
  environment = g_environ_setenv (g_steal_pointer (&environment), "PEEPHOLE_UI_WORKS", "1", TRUE);
  g_spawn_async (NULL, words, environment, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, &pid, &error);
  g_assert_no_error (error);
  return pid;
}

static void
wait_for (const char *path, GPid pid)
{
  for (int i = 0; i < 6000 && !g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      if (has_ended (pid))
        g_error ("The program ended by itself");
      g_usleep (10000);
    }
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
kill_at_random (GPid pid, int from_ms, int to_ms)
{
  g_usleep ((gulong) g_test_rand_int_range (from_ms * 1000, to_ms * 1000));
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
}

static void
test_killed (void)
{
  g_autofree char *state = g_dir_make_tmp ("peephole-killed-XXXXXX", NULL), *ready = g_build_filename (state, "ready", NULL);
  int status = -1;

  GPid pid = start (state, "PEEPHOLE_UI_FIRST", "/killed/work");
  wait_for (ready, pid);
  kill_at_random (pid, 0, 1200);
  /* On the way back, at any moment. */
  kill_at_random (start (state, "PEEPHOLE_UI_NEXT", "/killed/work"), 100, 1500);
  g_unlink (ready);
  pid = start (state, "PEEPHOLE_UI_NEXT", "/killed/work");
  wait_for (ready, pid);
  kill_at_random (pid, 0, 1200);
  pid = start (state, "PEEPHOLE_UI_LAST", "/killed/work");
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  driver_remove (state);
}

static void
test_bare (void)
{
  g_autofree char *state = g_dir_make_tmp ("peephole-killed-XXXXXX", NULL), *ready = g_build_filename (state, "ready", NULL);
  int status = -1;

  GPid pid = start (state, "PEEPHOLE_UI_FIRST", "/killed/bare-work");
  wait_for (ready, pid);
  kill_at_random (pid, 0, 200);
  pid = start (state, "PEEPHOLE_UI_LAST", "/killed/bare-work");
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  driver_remove (state);
}

int
main (int argc, char **argv)
{
  program = argv[0];
  if (g_getenv ("PEEPHOLE_UI_WORKS"))
    {
      if (!driver_init (&argc, &argv))
        return 0;
      g_test_add_func ("/killed/work", test_work);
      g_test_add_func ("/killed/bare-work", test_bare_work);
      return driver_main ();
    }
  g_test_init (&argc, &argv, NULL);
  if (!g_getenv ("DISPLAY"))
    {
      g_print ("1..0 # SKIP no X display with XTEST: run this below xvfb-run\n");
      return 0;
    }
  g_test_add_func ("/killed/restart", test_killed);
  g_test_add_func ("/killed/bare", test_bare);
  return g_test_run ();
}
