/* blocks.c: memory of elements: one address range, in which freed blocks are merged with free neighbours and reused.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/tensor/blocks.h"
#include "core/tensor/placement.h"
#include "core/tensor/tensor-private.h"

/* The system provides large blocks page by page, each zeroed at its first touch: a run that frees one block and allocates the next would
 * pay for that again and again. So freed pages are kept, and blocks go into the smallest gap that fits, so that the process grows by little
 * more than the peak of live blocks. Address space costs nothing until it is touched. */
#define KEPT          (64 << 10)          /* bytes: smaller ones malloc keeps itself                */
#define MOST_KEPT     ((gsize) 192 << 20) /* bytes of gaps that keep their pages                    */
#define STRETCH       ((gsize) 64 << 30)  /* of addresses                                           */
#define LEAST_STRETCH ((gsize) 1 << 30)
#define ALIGNMENT     ((gsize) 64)       /* a line of the cache, the widest register               */
#define CHUNK         ((gsize) 64 << 10) /* granularity at which resident pages are tracked */

typedef struct
{
  gsize start, size;
} Gap;

static GMutex lock;
static char *stretch; /* (nullable) under lock; of @length */
static gsize length;
static gboolean tried;
static gsize top; /* under lock: above, nothing was ever touched            */
static Gap *gaps; /* under lock: by start, never adjacent                   */
static guint n_gaps, room;
static gsize used;       /* under lock: bytes of blocks                            */
static gsize most;       /* under lock: the greatest @used                         */
static guint8 *is_there; /* under lock: per chunk, whether its pages are resident */
static gsize n_there;    /* under lock: how many are                               */
static gboolean poison;

static gboolean
uses_stretch (void)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  return FALSE; /* they detect the use of freed blocks */
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

/* Reserves the address range once, in a smaller size or not at all if addresses are limited. */
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
      is_there = g_new0 (guint8, length / CHUNK + 1);
      break;
    }
  return stretch != NULL;
}

static void
remove_gap (guint i)
{
  memmove (&gaps[i], &gaps[i + 1], (--n_gaps - i) * sizeof *gaps);
}

static void
insert_gap (guint i, Gap gap)
{
  if (n_gaps == room)
    gaps = g_renew (Gap, gaps, room = MAX (64, 2 * room));
  memmove (&gaps[i + 1], &gaps[i], (n_gaps++ - i) * sizeof *gaps);
  gaps[i] = gap;
}

/* Returns the index of the first gap that begins at or after @start. */
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

/* Returns the pages from @start to @end to the system. */
static void
drop_pages (gsize start, gsize end)
{
  const gsize first = (start + CHUNK - 1) / CHUNK, last = end / CHUNK;

  if (last <= first)
    return;
  madvise (stretch + first * CHUNK, (last - first) * CHUNK, MADV_DONTNEED);
  for (gsize i = first; i < last; i++)
    {
      n_there -= is_there[i];
      is_there[i] = FALSE;
    }
}

static gsize
count_there (gsize start, gsize end)
{
  gsize n = 0;

  for (gsize i = start / CHUNK; i < (end + CHUNK - 1) / CHUNK; i++)
    n += is_there[i];
  return n;
}

/* Marks @size bytes at @at as resident. @first_time: in the first run with these sizes existing gaps may be too small for later blocks;
 * they give up their pages so that the process holds little more than the peak of live blocks. */
static void
touch (gsize at, gsize size, gboolean first_time)
{
  const gsize first = at / CHUNK, last = (at + size + CHUNK - 1) / CHUNK;
  const gsize fresh = last - first - count_there (at, at + size), allowed = (most + most / 16) / CHUNK + 2;

  while (first_time && fresh > 0 && n_there + fresh > allowed)
    {
      guint widest = n_gaps;
      gsize most_there = 2; /* its ends are others' too */

      for (guint i = 0; i < n_gaps; i++)
        {
          const gsize n = count_there (gaps[i].start, gaps[i].start + gaps[i].size);

          if (n > most_there)
            {
              widest = i;
              most_there = n;
            }
        }
      if (widest == n_gaps)
        break;
      drop_pages (gaps[widest].start, gaps[widest].start + gaps[widest].size);
    }
  for (gsize i = first; i < last; i++)
    {
      n_there += !is_there[i];
      is_there[i] = TRUE;
    }
}

/* Allocates at @at in the address range, if that is free. */
static gboolean
take_at (gsize at, gsize size)
{
  const guint i = find_gap (at + 1);
  Gap *gap = i > 0 ? &gaps[i - 1] : NULL, right;

  if (size > length || at > length - size)
    return FALSE;
  if (at >= top)
    {
      if (at > top && n_gaps > 0 && gaps[n_gaps - 1].start + gaps[n_gaps - 1].size == top)
        gaps[n_gaps - 1].size += at - top;
      else if (at > top)
        insert_gap (n_gaps, (Gap) { top, at - top });
      top = at + size;
      return TRUE;
    }
  if (gap == NULL || at + size > gap->start + gap->size)
    return FALSE;
  right = (Gap) { at + size, gap->start + gap->size - at - size };
  gap->size = at - gap->start;
  if (right.size > 0)
    insert_gap (i, right);
  if (gaps[i - 1].size == 0)
    remove_gap (i - 1);
  return TRUE;
}

/* Allocates in the smallest gap that fits, or after all blocks. @is_new: (out) the memory was never touched, so it is zero. Returns FALSE
 * if the stretch is full. */
static gboolean
take (gsize size, gsize *at, gboolean *is_new)
{
  guint best = n_gaps;

  for (guint i = 0; i < n_gaps; i++)
    if (gaps[i].size >= size && (best == n_gaps || gaps[i].size < gaps[best].size))
      best = i;
  *is_new = FALSE;
  if (best < n_gaps)
    {
      *at = gaps[best].start;
      gaps[best].start += size;
      gaps[best].size -= size;
      if (gaps[best].size == 0)
        remove_gap (best);
      return TRUE;
    }
  *is_new = n_gaps == 0 || gaps[n_gaps - 1].start + gaps[n_gaps - 1].size != top;
  *at = *is_new ? top : gaps[n_gaps - 1].start; /* extends the last gap */
  if (size > length - *at)
    return FALSE;
  n_gaps -= !*is_new;
  top = *at + size;
  return TRUE;
}

static void
give (gsize start, gsize size)
{
  guint i = find_gap (start);

  used -= size;
  if (i > 0 && gaps[i - 1].start + gaps[i - 1].size == start)
    gaps[--i].size += size;
  else
    insert_gap (i, (Gap) { start, size });
  if (i + 1 < n_gaps && gaps[i].start + gaps[i].size == gaps[i + 1].start)
    {
      gaps[i].size += gaps[i + 1].size;
      remove_gap (i + 1);
    }
  if (n_there * CHUNK > used + MOST_KEPT)
    drop_pages (gaps[i].start, gaps[i].start + gaps[i].size);
}

/* (nullable) the stretch is full. */
static char *
take_block (gsize size, PhPlacement *placement, gboolean *is_new)
{
  gsize at;

  if (placement == NULL || !ph_placement_next (placement, size, &at) || !take_at (at, size))
    if (!take (size, &at, is_new))
      return NULL;
  used += size;
  most = MAX (most, used);
  touch (at, size, placement != NULL && ph_placement_get_bytes (placement) == 0);
  return stretch + at;
}

gpointer
ph_block_new (gsize bytes, gboolean zeroed)
{
  const gsize size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  PhPlacement *placement = ph_placement_current ();
  gboolean is_new = FALSE;
  gpointer block = NULL;

  if (bytes >= KEPT && size >= bytes && uses_stretch ())
    {
      g_mutex_lock (&lock);
      if (has_stretch ())
        block = take_block (size, placement, &is_new);
      g_mutex_unlock (&lock);
      if (block != NULL && placement != NULL)
        ph_placement_note (placement, block, size);
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
  if (ph_placement_current () != NULL)
    ph_placement_forget (ph_placement_current (), block);
  g_mutex_lock (&lock);
  give ((gsize) (at - stretch), size);
  g_mutex_unlock (&lock);
}

gsize
ph_block_reserve (gsize bytes, gboolean trim)
{
  guint best = G_MAXUINT;
  gsize at;

  g_mutex_lock (&lock);
  for (guint i = 0; i < n_gaps; i++)
    if (gaps[i].size >= bytes && (best == G_MAXUINT || gaps[i].size < gaps[best].size))
      best = i;
  if (best != G_MAXUINT)
    {
      at = gaps[best].start;
      if (trim)
        drop_pages (at + bytes, at + gaps[best].size);
    }
  else
    at = n_gaps > 0 && gaps[n_gaps - 1].start + gaps[n_gaps - 1].size == top ? gaps[n_gaps - 1].start : top;
  g_mutex_unlock (&lock);
  return at;
}

gsize
ph_block_get_extent (void)
{
  gsize extent;

  g_mutex_lock (&lock);
  extent = top;
  g_mutex_unlock (&lock);
  return extent;
}

void
ph_tensor_set_poison (gboolean on)
{
  poison = on;
}
