/* large-pages.c: has pages made before they are reached.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/large-pages.h"

#include <stdlib.h>

#define LEAST (4 * PH_LARGE_PAGE) /* bytes: less is written before another thread has begun */

/* Changes no byte, so it does no harm where @data has been freed meanwhile and its addresses serve others. Systems before Linux 5.14 refuse:
 * there the writer makes its pages itself, as ever. */
static void
make_pages (gpointer data, gpointer unused)
{
#ifdef MADV_POPULATE_WRITE
  madvise (data, PH_FILLING_STEP, MADV_POPULATE_WRITE);
#endif
}

static gpointer
new_pool (gpointer unused)
{
  return g_thread_pool_new (make_pages, NULL, 1, FALSE, NULL);
}

void
ph_filling_start (PhFilling *filling, gpointer data, gsize bytes)
{
  const gsize start = ((gsize) data + PH_LARGE_PAGE - 1) & ~(PH_LARGE_PAGE - 1);

  *filling = (PhFilling) { NULL, NULL };
  ph_large_pages (data, bytes);
  if (bytes < LEAST)
    return;
  filling->next = (char *) start + PH_LARGE_PAGE; /* the writer is at the first one already */
  filling->end = (char *) data + bytes;
}

void
ph_fill_all (gpointer data, gsize bytes)
{
  PhFilling filling;

  ph_filling_start (&filling, data, bytes);
  while (filling.next < filling.end)
    ph_filling_go_on (&filling);
}

void
ph_filling_go_on (PhFilling *filling)
{
  static GOnce once = G_ONCE_INIT;

  if (filling->next + PH_FILLING_STEP <= filling->end)
    g_thread_pool_push (g_once (&once, new_pool, NULL), filling->next, NULL);
  filling->next += PH_FILLING_STEP;
}

/* glibc cuts its heap down, and maps what is large apart, by two bounds that it raises when such a block is freed. */
static gpointer
raise_bounds (gpointer unused)
{
  g_free (g_malloc (PH_HEAP_MOST + PH_LARGE_PAGE)); /* not malloc(), which compilers leave out here */
  return NULL;
}

void
ph_heap_ready (gsize bytes)
{
  static GOnce once = G_ONCE_INIT;
  static _Thread_local gsize made; /* the heap of this thread is there up to here */
  const gsize page = 4096, n = MIN (bytes, PH_HEAP_MOST);
  void *block;
  gsize start, end;

  if (bytes < PH_HEAP_LEAST)
    return;
  g_once (&once, raise_bounds, NULL);
  block = malloc (n); /* at the end of the heap, which it becomes again */
  start = MAX ((gsize) block & ~(page - 1), made);
  end = ((gsize) block + n) & ~(page - 1);
#ifdef MADV_POPULATE_WRITE
  if (block != NULL && end > start)
    madvise ((void *) start, end - start, MADV_POPULATE_WRITE);
#endif
  made = MAX (made, end);
  free (block);
}
