/* blocks.c: memory of elements: an address range, in which freed blocks are merged with free neighbours and reused.
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
#define MOST_KEPT     ((gsize) 192 << 20) /* bytes of gaps that keep their pages, of what lives briefly */
#define STRETCH       ((gsize) 64 << 30)  /* of addresses                                           */
#define LEAST_STRETCH ((gsize) 1 << 30)
#define ALIGNMENT     ((gsize) 64)       /* a line of the cache, the widest register               */
#define CHUNK         ((gsize) 64 << 10) /* granularity at which resident pages are tracked */
#define LARGE_PAGE    ((gsize) 2 << 20)

typedef struct
{
  gsize start, size;
} Gap;

/* An address range; all of it under @lock. */
typedef struct
{
  char *base; /* (nullable) of @length */
  gsize length;
  gboolean tried;
  gsize most_kept; /* bytes of gaps that keep their pages                   */
  gsize small;     /* of @top: below, what large pages would hold of several blocks stays in small ones */
  gsize top;       /* above, nothing was ever touched                       */
  gsize large;     /* up to here, large pages were asked for where they may be */
  Gap *gaps;       /* by start, never adjacent                              */
  guint n_gaps, room;
  gsize used;       /* bytes of blocks                                      */
  gsize most;       /* the greatest @used                                   */
  guint8 *is_there; /* per chunk, whether its pages are resident            */
  gsize n_there;    /* how many are                                         */
} Stretch;

static GMutex lock;
static Stretch passing = { .most_kept = MOST_KEPT, .small = (gsize) 64 << 20 };
static Stretch lasting = { .small = (gsize) 8 << 20 };
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
has_stretch (Stretch *in)
{
  if (in->tried)
    return in->base != NULL;
  in->tried = TRUE;
  for (in->length = STRETCH; in->base == NULL && in->length >= LEAST_STRETCH; in->length /= 4)
    {
      char *got = mmap (NULL, in->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

      if (got == MAP_FAILED)
        continue;
      in->base = got + (LARGE_PAGE - (gsize) got % LARGE_PAGE) % LARGE_PAGE;
      in->length -= LARGE_PAGE;
      in->is_there = g_new0 (guint8, in->length / CHUNK + 1);
      break;
    }
  return in->base != NULL;
}

static void
remove_gap (Stretch *in, guint i)
{
  memmove (&in->gaps[i], &in->gaps[i + 1], (--in->n_gaps - i) * sizeof *in->gaps);
}

static void
insert_gap (Stretch *in, guint i, Gap gap)
{
  if (in->n_gaps == in->room)
    in->gaps = g_renew (Gap, in->gaps, in->room = MAX (64, 2 * in->room));
  memmove (&in->gaps[i + 1], &in->gaps[i], (in->n_gaps++ - i) * sizeof *in->gaps);
  in->gaps[i] = gap;
}

/* Returns the index of the first gap that begins at or after @start. */
static guint
find_gap (Stretch *in, gsize start)
{
  guint low = 0, high = in->n_gaps;

  while (low < high)
    {
      const guint middle = (low + high) / 2;

      if (in->gaps[middle].start < start)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Returns the pages from @start to @end to the system. */
static void
drop_pages (Stretch *in, gsize start, gsize end)
{
  const gsize first = (start + CHUNK - 1) / CHUNK, last = end / CHUNK;

  if (last <= first)
    return;
  madvise (in->base + first * CHUNK, (last - first) * CHUNK, MADV_DONTNEED);
  for (gsize i = first; i < last; i++)
    {
      in->n_there -= in->is_there[i];
      in->is_there[i] = FALSE;
    }
}

static gsize
count_there (Stretch *in, gsize start, gsize end)
{
  gsize n = 0;

  for (gsize i = start / CHUNK; i < (end + CHUNK - 1) / CHUNK; i++)
    n += in->is_there[i];
  return n;
}

/* Marks @size bytes at @at as resident, and returns how many of their chunks were not. @first_time: in the first run with these sizes existing gaps may be too small for later blocks;
 * they give up their pages so that the process holds little more than the peak of live blocks. */
static gsize
touch (Stretch *in, gsize at, gsize size, gboolean first_time)
{
  const gsize first = at / CHUNK, last = (at + size + CHUNK - 1) / CHUNK;
  const gsize fresh = last - first - count_there (in, at, at + size), allowed = (in->most + in->most / 16) / CHUNK + 2;

  while (first_time && fresh > 0 && in->n_there + fresh > allowed)
    {
      guint widest = in->n_gaps;
      gsize most_there = 2; /* its ends are others' too */

      for (guint i = 0; i < in->n_gaps; i++)
        {
          const gsize n = count_there (in, in->gaps[i].start, in->gaps[i].start + in->gaps[i].size);

          if (n > most_there)
            {
              widest = i;
              most_there = n;
            }
        }
      if (widest == in->n_gaps)
        break;
      drop_pages (in, in->gaps[widest].start, in->gaps[widest].start + in->gaps[widest].size);
    }
  for (gsize i = first; i < last; i++)
    {
      in->n_there += !in->is_there[i];
      in->is_there[i] = TRUE;
    }
  return fresh;
}

/* Allocates at @at in the address range, if that is free. */
static gboolean
take_at (Stretch *in, gsize at, gsize size)
{
  const guint i = find_gap (in, at + 1);
  Gap *gap = i > 0 ? &in->gaps[i - 1] : NULL, right;

  if (size > in->length || at > in->length - size)
    return FALSE;
  if (at >= in->top)
    {
      if (at > in->top && in->n_gaps > 0 && in->gaps[in->n_gaps - 1].start + in->gaps[in->n_gaps - 1].size == in->top)
        in->gaps[in->n_gaps - 1].size += at - in->top;
      else if (at > in->top)
        insert_gap (in, in->n_gaps, (Gap) { in->top, at - in->top });
      in->top = at + size;
      return TRUE;
    }
  if (gap == NULL || at + size > gap->start + gap->size)
    return FALSE;
  right = (Gap) { at + size, gap->start + gap->size - at - size };
  gap->size = at - gap->start;
  if (right.size > 0)
    insert_gap (in, i, right);
  if (in->gaps[i - 1].size == 0)
    remove_gap (in, i - 1);
  return TRUE;
}

/* Allocates in the smallest gap that fits, or after all blocks. @is_new: (out) the memory was never touched, so it is zero. Returns FALSE
 * if it is full. */
static gboolean
take (Stretch *in, gsize size, gsize *at, gboolean *is_new)
{
  guint best = in->n_gaps;

  for (guint i = 0; i < in->n_gaps; i++)
    if (in->gaps[i].size >= size && (best == in->n_gaps || in->gaps[i].size < in->gaps[best].size))
      best = i;
  *is_new = FALSE;
  if (best < in->n_gaps)
    {
      *at = in->gaps[best].start;
      in->gaps[best].start += size;
      in->gaps[best].size -= size;
      if (in->gaps[best].size == 0)
        remove_gap (in, best);
      return TRUE;
    }
  *is_new = in->n_gaps == 0 || in->gaps[in->n_gaps - 1].start + in->gaps[in->n_gaps - 1].size != in->top;
  *at = *is_new ? in->top : in->gaps[in->n_gaps - 1].start; /* extends the last gap */
  if (size > in->length - *at)
    return FALSE;
  in->n_gaps -= !*is_new;
  in->top = *at + size;
  return TRUE;
}

static void
give (Stretch *in, gsize start, gsize size)
{
  guint i = find_gap (in, start);

  in->used -= size;
  if (i > 0 && in->gaps[i - 1].start + in->gaps[i - 1].size == start)
    in->gaps[--i].size += size;
  else
    insert_gap (in, i, (Gap) { start, size });
  if (i + 1 < in->n_gaps && in->gaps[i].start + in->gaps[i].size == in->gaps[i + 1].start)
    {
      in->gaps[i].size += in->gaps[i + 1].size;
      remove_gap (in, i + 1);
    }
  if (in->n_there * CHUNK > in->used + in->most_kept)
    drop_pages (in, in->gaps[i].start, in->gaps[i].start + in->gaps[i].size);
}

/* A page costs about as much at its first touch as copying it does. As long as there is little, only pages that one block fills are large. */
static void
ask_for_large_pages (Stretch *in, gsize at, gsize size)
{
  const gboolean is_little = in->top < in->small;
  const gsize start = is_little ? MAX ((at + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, in->large) : in->large;
  const gsize end = is_little ? (at + size) / LARGE_PAGE * LARGE_PAGE : (in->top + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;

  if (end <= start)
    return;
  madvise (in->base + start, end - start, MADV_HUGEPAGE);
  in->large = end;
}

/* Has the system fill in the small pages of @block, which is soon written: half of what they cost one by one. */
static void
fill_in (char *block, gsize size)
{
#ifdef MADV_POPULATE_WRITE
  char *start = (char *) ((gsize) block / CHUNK * CHUNK);

  if (size <= 2 * LARGE_PAGE) /* a greater one has large pages, and may not be written whole */
    madvise (start, (gsize) (block + size - start), MADV_POPULATE_WRITE);
#endif
}

/* (nullable) it is full. @fresh: (out) some of its pages are not there yet. */
static char *
take_block (Stretch *in, gsize size, PhPlacement *placement, gboolean *is_new, gboolean *fresh)
{
  gsize at;

  if (placement == NULL || !ph_placement_next (placement, size, &at) || !take_at (in, at, size))
    if (!take (in, size, &at, is_new))
      return NULL;
  in->used += size;
  in->most = MAX (in->most, in->used);
  ask_for_large_pages (in, at, size);
  *fresh = touch (in, at, size, placement != NULL && ph_placement_get_bytes (placement) == 0) > 0;
  return in->base + at;
}

/* (nullable) */
static gpointer
new_block (Stretch *in, PhPlacement *placement, gsize bytes, gboolean zeroed)
{
  const gsize size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  gboolean is_new = FALSE, fresh = FALSE;
  gpointer block = NULL;

  if (bytes >= KEPT && size >= bytes && uses_stretch ())
    {
      g_mutex_lock (&lock);
      if (has_stretch (in))
        block = take_block (in, size, placement, &is_new, &fresh);
      g_mutex_unlock (&lock);
      if (fresh)
        fill_in (block, size);
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

gpointer
ph_block_new (gsize bytes, gboolean zeroed)
{
  return new_block (&passing, ph_placement_current (), bytes, zeroed);
}

gpointer
ph_block_new_lasting (gsize bytes)
{
  gpointer block = NULL;

  if (bytes >= KEPT)
    return new_block (&lasting, NULL, bytes, FALSE);
  return posix_memalign (&block, ALIGNMENT, MAX (bytes, ALIGNMENT)) == 0 ? block : NULL;
}

static gboolean
has (const Stretch *in, const char *block)
{
  return in->base != NULL && block >= in->base && block < in->base + in->length;
}

void
ph_block_free (gpointer block, gsize bytes)
{
  const gsize size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  Stretch *in = has (&passing, block) ? &passing : has (&lasting, block) ? &lasting : NULL;

  if (bytes < KEPT || in == NULL)
    {
      g_free (block);
      return;
    }
  if (in == &passing && ph_placement_current () != NULL)
    ph_placement_forget (ph_placement_current (), block);
  g_mutex_lock (&lock);
  give (in, (gsize) ((char *) block - in->base), size);
  g_mutex_unlock (&lock);
}

gsize
ph_block_reserve (gsize bytes, gboolean trim)
{
  Stretch *in = &passing;
  guint best = G_MAXUINT;
  gsize at;

  g_mutex_lock (&lock);
  for (guint i = 0; i < in->n_gaps; i++)
    if (in->gaps[i].size >= bytes && (best == G_MAXUINT || in->gaps[i].size < in->gaps[best].size))
      best = i;
  if (best != G_MAXUINT)
    {
      at = in->gaps[best].start;
      if (trim)
        drop_pages (in, at + bytes, at + in->gaps[best].size);
    }
  else
    at = in->n_gaps > 0 && in->gaps[in->n_gaps - 1].start + in->gaps[in->n_gaps - 1].size == in->top
             ? in->gaps[in->n_gaps - 1].start
             : in->top;
  g_mutex_unlock (&lock);
  return at;
}

gsize
ph_block_get_extent (void)
{
  gsize extent;

  g_mutex_lock (&lock);
  extent = passing.top;
  g_mutex_unlock (&lock);
  return extent;
}

void
ph_tensor_set_poison (gboolean on)
{
  poison = on;
}
