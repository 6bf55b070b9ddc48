/* discard.c: what has few parts is freed at once, what has many in a thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/discard.h"

static GThread *freed_by; /* atomic */
static int n_freed;       /* atomic */

static void
note (gpointer data)
{
  g_atomic_pointer_set (&freed_by, g_thread_self ());
  g_atomic_int_inc (&n_freed);
}

static void
test_few (void)
{
  g_atomic_int_set (&n_freed, 0);
  ph_discard_parts (&freed_by, note, 3);
  g_assert_cmpint (g_atomic_int_get (&n_freed), ==, 1);
  g_assert_true (g_atomic_pointer_get (&freed_by) == g_thread_self ());
}

static void
test_many (void)
{
  g_atomic_int_set (&n_freed, 0);
  ph_discard_parts (&freed_by, note, 1000000);
  ph_discard (&freed_by, note);
  for (guint i = 0; i < 60000 && g_atomic_int_get (&n_freed) < 2; i++)
    g_usleep (1000);
  g_assert_cmpint (g_atomic_int_get (&n_freed), ==, 2);
  g_assert_true (g_atomic_pointer_get (&freed_by) != g_thread_self ());
}

static void
test_none (void)
{
  g_atomic_int_set (&n_freed, 0);
  ph_discard_parts (NULL, note, 3);
  ph_discard_parts (NULL, note, 1000000);
  ph_discard (NULL, note);
  ph_discard_parts (&freed_by, note, 1000000); /* comes last of those that wait */
  while (g_atomic_int_get (&n_freed) == 0)
    g_usleep (1000);
  g_assert_cmpint (g_atomic_int_get (&n_freed), ==, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/discard/few", test_few);
  g_test_add_func ("/discard/many", test_many);
  g_test_add_func ("/discard/none", test_none);
  return g_test_run ();
}
