/* placement.c: assigns offsets to blocks with known live ranges: each goes into the lowest gap among the blocks live at the same time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/placement.h"

#define MOST_BLOCKS 4096              /* of a run: planning compares each with each                                        */
#define LARGE       ((gsize) 1 << 20) /* bytes: a smaller plan returns no pages to the system, which costs more than it saves */
#define AHEAD       16                /* blocks that a run may skip: the first run reorders weights, the next does not */

typedef struct
{
  gconstpointer block; /* NULL: freed                                                   */
  gsize size, offset;
  guint start, end; /* counts of events; end G_MAXUINT: it outlives the run         */
} Block;

struct _PhPlacement
{
  GArray *now, *planned; /* (element-type Block) of this run; of the one before, with offsets */
  guint clock, next;     /* events of this run; in @planned, the next one                     */
  gsize base, bytes, live;
  gboolean is_new; /* the offsets were not used yet */
};

static _Thread_local PhPlacement *current;

PhPlacement *
ph_placement_new (void)
{
  PhPlacement *placement = g_new0 (PhPlacement, 1);

  placement->now = g_array_new (FALSE, FALSE, sizeof (Block));
  placement->planned = g_array_new (FALSE, FALSE, sizeof (Block));
  return placement;
}

void
ph_placement_free (PhPlacement *placement)
{
  g_array_unref (placement->now);
  g_array_unref (placement->planned);
  g_free (placement);
}

/* ── planning ── */

typedef int (*Order) (gconstpointer a, gconstpointer b, gpointer blocks);

static int
by_size (gconstpointer a, gconstpointer b, gpointer blocks)
{
  const Block *x = &((const Block *) blocks)[*(const guint *) a], *y = &((const Block *) blocks)[*(const guint *) b];

  return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : (x->start > y->start) - (x->start < y->start);
}

static int
by_area (gconstpointer a, gconstpointer b, gpointer blocks)
{
  const Block *x = &((const Block *) blocks)[*(const guint *) a], *y = &((const Block *) blocks)[*(const guint *) b];
  const double p = (double) x->size * (x->end - x->start), q = (double) y->size * (y->end - y->start);

  return p != q ? (p < q) - (p > q) : (x->start > y->start) - (x->start < y->start);
}

static int
by_lifetime (gconstpointer a, gconstpointer b, gpointer blocks)
{
  const Block *x = &((const Block *) blocks)[*(const guint *) a], *y = &((const Block *) blocks)[*(const guint *) b];
  const guint p = x->end - x->start, q = y->end - y->start;

  return p != q ? (p < q) - (p > q) : by_size (a, b, blocks);
}

static int
by_offset (gconstpointer a, gconstpointer b, gpointer offsets)
{
  const gsize x = ((const gsize *) offsets)[*(const guint *) a], y = ((const gsize *) offsets)[*(const guint *) b];

  return (x > y) - (x < y);
}

/* Returns the lowest offset of a sufficient gap among the placed blocks with overlapping lifetimes. @beside: scratch for n indices. */
static gsize
find_offset (const Block *blocks, const gsize *offsets, const guint *order, guint n_placed, guint which, guint *beside)
{
  const Block *block = &blocks[which];
  gsize at = 0;
  guint n = 0;

  for (guint i = 0; i < n_placed; i++)
    if (blocks[order[i]].start < block->end && block->start < blocks[order[i]].end)
      beside[n++] = order[i];
  g_qsort_with_data (beside, (int) n, sizeof *beside, by_offset, (gpointer) offsets);
  for (guint i = 0; i < n; i++)
    {
      if (offsets[beside[i]] >= at + block->size)
        break;
      at = MAX (at, offsets[beside[i]] + blocks[beside[i]].size);
    }
  return at;
}

/* Offsets for @blocks, and up to where they reach. */
static gsize
place_in_order (const Block *blocks, guint n, Order compare, gsize *offsets)
{
  g_autofree guint *order = g_new (guint, n + 1), *beside = g_new (guint, n + 1);
  gsize bytes = 0;
  guint n_placed = 0;

  for (guint i = 0; i < n; i++)
    if (blocks[i].end != G_MAXUINT)
      order[n_placed++] = i;
  g_qsort_with_data (order, (int) n_placed, sizeof *order, compare, (gpointer) blocks);
  for (guint i = 0; i < n_placed; i++)
    {
      offsets[order[i]] = find_offset (blocks, offsets, order, i, order[i], beside);
      bytes = MAX (bytes, offsets[order[i]] + blocks[order[i]].size);
    }
  return bytes;
}

/* Returns a lower bound: the greatest sum of blocks that live at the same time. */
static gsize
greatest_sum (const Block *blocks, guint n, guint clock)
{
  g_autofree gint64 *changes = g_new0 (gint64, clock + 2);
  gint64 sum = 0, most = 0;

  for (guint i = 0; i < n; i++)
    if (blocks[i].end != G_MAXUINT)
      {
        changes[blocks[i].start] += (gint64) blocks[i].size;
        changes[blocks[i].end] -= (gint64) blocks[i].size;
      }
  for (guint i = 0; i <= clock; i++)
    {
      sum += changes[i];
      most = MAX (most, sum);
    }
  return (gsize) most;
}

static void
plan (PhPlacement *placement)
{
  static const Order orders[] = { by_size, by_area, by_lifetime };
  const guint n = placement->now->len;
  Block *blocks = (Block *) (gpointer) placement->now->data;
  g_autofree gsize *offsets = g_new0 (gsize, n + 1);

  placement->live = greatest_sum (blocks, n, placement->clock);
  placement->bytes = G_MAXSIZE;
  for (guint k = 0; k < G_N_ELEMENTS (orders) && placement->bytes > placement->live; k++)
    {
      const gsize bytes = place_in_order (blocks, n, orders[k], offsets);

      if (bytes >= placement->bytes)
        continue;
      placement->bytes = bytes;
      for (guint i = 0; i < n; i++)
        blocks[i].offset = offsets[i];
    }
}

/* ── a run ── */

PhPlacement *
ph_placement_current (void)
{
  return current;
}

PhPlacement *
ph_placement_begin (PhPlacement *placement)
{
  PhPlacement *before = current;

  current = placement;
  if (placement == NULL)
    return before;
  g_array_set_size (placement->now, 0);
  placement->clock = placement->next = 0;
  placement->base = placement->bytes > 0 ? ph_block_reserve (placement->bytes, placement->is_new && placement->bytes >= LARGE)
                                         : 0;
  placement->is_new = FALSE;
  return before;
}

static gboolean
is_as_planned (const PhPlacement *placement)
{
  if (placement->now->len != placement->planned->len)
    return FALSE;
  for (guint i = 0; i < placement->now->len; i++)
    {
      const Block *a = &g_array_index (placement->now, Block, i), *b = &g_array_index (placement->planned, Block, i);

      if (a->size != b->size || a->start != b->start || a->end != b->end)
        return FALSE;
    }
  return TRUE;
}

void
ph_placement_end (PhPlacement *placement, PhPlacement *before)
{
  GArray *planned;

  current = before;
  if (placement == NULL || is_as_planned (placement) || placement->now->len > MOST_BLOCKS)
    return;
  plan (placement);
  placement->is_new = TRUE;
  planned = placement->planned;
  placement->planned = placement->now;
  placement->now = planned;
}

gboolean
ph_placement_next (PhPlacement *placement, gsize size, gsize *offset)
{
  if (placement->now->len > MOST_BLOCKS)
    return FALSE;
  for (guint i = placement->next; i < MIN (placement->planned->len, placement->next + AHEAD); i++)
    {
      const Block *block = &g_array_index (placement->planned, Block, i);

      if (block->size != size)
        continue;
      placement->next = i + 1;
      *offset = placement->base + block->offset;
      return block->end != G_MAXUINT;
    }
  return FALSE;
}

void
ph_placement_note (PhPlacement *placement, gconstpointer block, gsize size)
{
  const Block noted = { .block = block, .size = size, .start = placement->clock, .end = G_MAXUINT };

  if (placement->now->len > MOST_BLOCKS)
    return;
  placement->clock++;
  g_array_append_val (placement->now, noted);
}

/* Searches from the end, since most blocks are freed soon. */
void
ph_placement_forget (PhPlacement *placement, gconstpointer block)
{
  for (guint i = placement->now->len > MOST_BLOCKS ? 0 : placement->now->len; i-- > 0;)
    {
      Block *noted = &g_array_index (placement->now, Block, i);

      if (noted->block != block)
        continue;
      noted->block = NULL;
      noted->end = placement->clock++;
      return;
    }
}

gsize
ph_placement_get_bytes (const PhPlacement *placement)
{
  return placement->bytes;
}

gsize
ph_placement_get_live (const PhPlacement *placement)
{
  return placement->live;
}
