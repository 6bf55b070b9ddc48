/* large-pages.h: tables that are read here and there all over, in pages of 2 MB: fewer to fill in, fewer to look up.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <sys/mman.h>

G_BEGIN_DECLS

#define PH_LARGE_PAGE ((gsize) 2 << 20)

/* To be asked before @data is touched. What is small stays as it is. */
static inline void
ph_large_pages (gpointer data, gsize bytes)
{
#ifdef MADV_HUGEPAGE
  const gsize start = ((gsize) data + PH_LARGE_PAGE - 1) & ~(PH_LARGE_PAGE - 1),
              end = ((gsize) data + bytes) & ~(PH_LARGE_PAGE - 1);

  if (bytes >= 2 * PH_LARGE_PAGE && end > start)
    madvise ((gpointer) start, end - start, MADV_HUGEPAGE);
#endif
}

/* Large memory that is written from its start on. Its pages are made shortly before they are reached, by a thread of their own: the
 * system clears each page that it gives, which takes a third of the time in which a graph of a million nodes is read. */
typedef struct
{
  char *next, *end; /* not yet asked for */
} PhFilling;

#define PH_FILLING_STEP (2 * PH_LARGE_PAGE)

/* Asks for pages of 2 MB, too. What is small is left to the one who writes it. @data may be freed at any time. */
void ph_filling_start (PhFilling *filling, gpointer data, gsize bytes);
void ph_filling_go_on (PhFilling *filling);

/* All of @data is soon written or read, in any order. */
void ph_fill_all (gpointer data, gsize bytes);

/* It is written up to @at. */
static inline void
ph_filling_reach (PhFilling *filling, gconstpointer at)
{
  if (filling->next < filling->end && (const char *) at + PH_FILLING_STEP > filling->next)
    ph_filling_go_on (filling);
}

/* The next @bytes that this thread allocates in small pieces are written soon: their pages are made in one call, since each takes an
 * exception otherwise (on a virtual machine 16 us, and 1 us so). Few stay as they are, and at most PH_HEAP_MOST are made. */
void ph_heap_ready (gsize bytes);

#define PH_HEAP_LEAST ((gsize) 256 << 10)
#define PH_HEAP_MOST  (2 * PH_LARGE_PAGE)

/* An array with room for @n elements of @size bytes; it grows as any other beyond them. @clear: see g_array_new(). */
static inline GArray *
ph_large_array (gboolean clear, gsize size, guint n)
{
  GArray *array = g_array_sized_new (FALSE, clear, size, n);

  if (n > 0)
    ph_fill_all (array->data, n * size);
  return array;
}

G_END_DECLS
