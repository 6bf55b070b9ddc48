/* large-pages.c: pages of memory that is written from its start are there before they are reached, and none beyond its end is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/large-pages.h"

#include <stdlib.h>
#include <sys/resource.h>

#define ROOM (32 * PH_LARGE_PAGE)

/* Addresses from the start of a large page on, with no page behind them yet. */
static char *
reserve (gsize bytes)
{
  char *data = mmap (NULL, bytes + PH_LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  g_assert_true (data != MAP_FAILED);
  return (char *) (((gsize) data + PH_LARGE_PAGE - 1) & ~(PH_LARGE_PAGE - 1));
}

static gboolean
is_there (char *at)
{
  unsigned char page = 0;

  g_assert_cmpint (mincore (at, 1, &page), ==, 0);
  return (page & 1) != 0;
}

static void
wait_for (char *at)
{
  for (guint i = 0; i < 60000 && !is_there (at); i++)
    g_usleep (1000);
  g_assert_true (is_there (at));
}

static gboolean
is_supported (void)
{
#ifdef MADV_POPULATE_WRITE
  char *probe = reserve (PH_LARGE_PAGE);

  if (madvise (probe, 4096, MADV_POPULATE_WRITE) == 0)
    return TRUE;
#endif
  g_test_skip ("this system makes pages only when they are written");
  return FALSE;
}

static void
test_ahead (void)
{
  char *data = reserve (2 * ROOM), *end = data + ROOM;
  PhFilling filling;

  if (!is_supported ())
    return;
  ph_filling_start (&filling, data, ROOM);
  g_assert_false (is_there (data + PH_LARGE_PAGE)); /* who writes nothing needs none */
  for (char *at = data; at < end; at += PH_LARGE_PAGE / 2)
    {
      ph_filling_reach (&filling, at);
      if (at + 2 * PH_LARGE_PAGE < end)
        wait_for (at + PH_LARGE_PAGE);
      if (at + 8 * PH_LARGE_PAGE < end)
        g_assert_false (is_there (at + 7 * PH_LARGE_PAGE)); /* and no more than are needed soon */
    }
  ph_filling_reach (&filling, end);
  for (gsize i = 0; i < ROOM; i += 4096)
    g_assert_false (is_there (end + i));
}

static void
test_all (void)
{
  char *data = reserve (2 * ROOM);

  if (!is_supported ())
    return;
  ph_fill_all (data, ROOM);
  for (gsize i = PH_LARGE_PAGE; i + PH_FILLING_STEP <= ROOM; i += 4096)
    wait_for (data + i);
  g_assert_false (is_there (data + ROOM));
}

/* What was written stays, also where pages are made only afterwards. */
static void
test_contents (void)
{
  char *data = reserve (ROOM);

  for (gsize i = 0; i < ROOM; i += 4096)
    data[i] = (char) (i >> 12 | 1);
  ph_fill_all (data, ROOM);
  for (gsize i = 0; i < ROOM; i += 4096)
    g_assert_cmpint (data[i], ==, (char) (i >> 12 | 1));
}

static void
test_small (void)
{
  char *data = reserve (ROOM);
  PhFilling filling;

  ph_filling_start (&filling, data, PH_LARGE_PAGE);
  ph_filling_reach (&filling, data + PH_LARGE_PAGE);
  g_assert_true (filling.next == filling.end);
  ph_filling_start (&filling, NULL, 0);
  ph_filling_reach (&filling, NULL);
  g_assert_true (filling.next == filling.end);
}

static glong
count_exceptions (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

/* Writes 2 MB in pieces of 1 KB from malloc(), and returns for how many pages the system was called. They are not freed before the end. */
static glong
write_pieces (void **pieces)
{
  glong before = count_exceptions ();

  for (guint i = 0; i < 2048; i++)
    {
      pieces[i] = malloc (1000);
      g_assert_nonnull (pieces[i]);
      memset (pieces[i], (int) i, 1000);
    }
  return count_exceptions () - before;
}

static void
test_heap (void)
{
  static void *pieces[2][2048];
  glong alone, ready;

#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("with these sanitizers pieces of a size lie apart");
  return;
#endif
  if (!is_supported ())
    return;
  alone = write_pieces (pieces[0]);
  ph_heap_ready (PH_LARGE_PAGE + (PH_LARGE_PAGE >> 2));
  ready = write_pieces (pieces[1]);
  g_test_message ("%ld and %ld exceptions", alone, ready);
  g_assert_cmpint (ready, <, 16);
  for (guint i = 0; i < 2048; i++)
    {
      free (pieces[0][i]);
      free (pieces[1][i]);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/large-pages/ahead", test_ahead);
  g_test_add_func ("/large-pages/all", test_all);
  g_test_add_func ("/large-pages/contents", test_contents);
  g_test_add_func ("/large-pages/small", test_small);
  g_test_add_func ("/large-pages/heap", test_heap);
  return g_test_run ();
}
