/* blocks.c: the memory of elements: one stretch of addresses, in which what was let go of is joined with its neighbours and used again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/tensor/blocks.h"
#include "core/tensor/tensor-private.h"

/* The system hands large blocks out page by page, each zeroed at its first touch: a run that lets go of one and asks for the next would
 * pay for that again and again. So their pages stay, and a run grows the process by little more than the greatest sum of what lives at
 * once, because whatever fits goes into the smallest gap that holds it. Addresses cost nothing before they are touched. */
#define KEPT          (64 << 10)          /* bytes: smaller ones malloc keeps itself                */
#define MOST_KEPT     ((gsize) 192 << 20) /* bytes of gaps whose pages stay                         */
#define STRETCH       ((gsize) 64 << 30)  /* of addresses                                           */
#define LEAST_STRETCH ((gsize) 1 << 30)
#define ALIGNMENT     ((gsize) 64) /* a line of the cache, the widest register               */
#define PAGE          ((gsize) 4096)

typedef struct
{
  gsize start, size, touched;
} Gap; /* touched: bytes of it whose pages are there, about */

static GMutex lock;
static char *stretch; /* (nullable) under lock; of @length */
static gsize length;
static gboolean tried;
static gsize top; /* under lock: above, nothing was ever touched            */
static Gap *gaps; /* under lock: by start, none next to another             */
static guint n_gaps, room;
static gsize kept; /* under lock: bytes of gaps whose pages are there        */
static gboolean poison;

static gboolean
uses_stretch (void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return FALSE; /* they look for blocks that are used after they were let go of */
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return FALSE;
#else
  return TRUE;
#endif
#else
  return TRUE;
#endif
}

/* A limit on addresses leaves less of them, or none. */
static gboolean
has_stretch (void)
{
  if (tried)
    return stretch != NULL;
  tried = TRUE;
  for (length = STRETCH; stretch == NULL && length >= LEAST_STRETCH; length /= 4)
    {
      gpointer got = mmap (NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

      if (got == MAP_FAILED)
        continue;
      stretch = got;
      break;
    }
  return stretch != NULL;
}

static void
remove_gap (guint i)
{
  memmove (&gaps[i], &gaps[i + 1], (--n_gaps - i) * sizeof *gaps);
}

/* The first gap that begins at or behind @start. */
static guint
find_gap (gsize start)
{
  guint low = 0, high = n_gaps;

  while (low < high)
    {
      const guint middle = (low + high) / 2;

      if (gaps[middle].start < start)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* @is_new: (out) it was never touched, so it is zeros. NULL: the stretch is full. */
static char *
take (gsize size, gboolean *is_new)
{
  guint best = n_gaps;
  gsize at;

  for (guint i = 0; i < n_gaps; i++)
    if (gaps[i].size >= size && (best == n_gaps || gaps[i].size < gaps[best].size))
      best = i;
  *is_new = FALSE;
  if (best < n_gaps)
    {
      Gap *gap = &gaps[best];
      const gsize touched = MIN (gap->touched, size);

      at = gap->start;
      gap->start += size;
      gap->size -= size;
      gap->touched -= touched;
      kept -= touched;
      if (gap->size == 0)
        remove_gap (best);
      return stretch + at;
    }
  at = top;
  if (n_gaps > 0 && gaps[n_gaps - 1].start + gaps[n_gaps - 1].size == top) /* what lies last grows */
    {
      at = gaps[n_gaps - 1].start;
      if (size > length - at)
        return NULL;
      kept -= gaps[n_gaps - 1].touched;
      n_gaps--;
    }
  else
    {
      if (size > length - at)
        return NULL;
      *is_new = TRUE;
    }
  top = at + size;
  return stretch + at;
}

/* The pages of gap @i go back to the system. */
static void
drop_pages (Gap *gap)
{
  const gsize first = (gap->start + PAGE - 1) / PAGE * PAGE, end = (gap->start + gap->size) / PAGE * PAGE;

  if (end > first)
    madvise (stretch + first, end - first, MADV_DONTNEED);
  kept -= gap->touched;
  gap->touched = 0;
}

static void
give (gsize start, gsize size)
{
  guint i = find_gap (start);

  kept += size;
  if (i > 0 && gaps[i - 1].start + gaps[i - 1].size == start)
    {
      gaps[--i].size += size;
      gaps[i].touched += size;
    }
  else
    {
      if (n_gaps == room)
        gaps = g_renew (Gap, gaps, room = MAX (64, 2 * room));
      memmove (&gaps[i + 1], &gaps[i], (n_gaps++ - i) * sizeof *gaps);
      gaps[i] = (Gap) { start, size, size };
    }
  if (i + 1 < n_gaps && gaps[i].start + gaps[i].size == gaps[i + 1].start)
    {
      gaps[i].size += gaps[i + 1].size;
      gaps[i].touched += gaps[i + 1].touched;
      remove_gap (i + 1);
    }
  if (kept > MOST_KEPT)
    drop_pages (&gaps[i]);
}

gpointer
ph_block_new (gsize bytes, gboolean zeroed)
{
  const gsize size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  gboolean is_new = FALSE;
  gpointer block = NULL;

  if (bytes >= KEPT && size >= bytes && uses_stretch ())
    {
      g_mutex_lock (&lock);
      if (has_stretch ())
        block = take (size, &is_new);
      g_mutex_unlock (&lock);
      if (block != NULL && zeroed && !is_new)
        memset (block, 0, bytes);
    }
  if (block == NULL && zeroed)
    block = g_try_malloc0 (bytes);
  else if (block == NULL && bytes < KEPT)
    block = g_try_malloc (bytes);
  else if (block == NULL && posix_memalign (&block, ALIGNMENT, bytes) != 0)
    block = NULL;
  if (block != NULL && !zeroed && poison)
    memset (block, 0xff, bytes);
  return block;
}

void
ph_block_free (gpointer block, gsize bytes)
{
  const gsize size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const char *at = block;

  if (bytes < KEPT || stretch == NULL || at < stretch || at >= stretch + length)
    {
      g_free (block);
      return;
    }
  g_mutex_lock (&lock);
  give ((gsize) (at - stretch), size);
  g_mutex_unlock (&lock);
}

void
ph_tensor_trim (void)
{
  g_mutex_lock (&lock);
  for (guint i = 0; i < n_gaps; i++)
    drop_pages (&gaps[i]);
  g_mutex_unlock (&lock);
}

void
ph_tensor_set_poison (gboolean on)
{
  poison = on;
}
