/* large-pages.c: has pages made before they are reached.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/large-pages.h"

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
