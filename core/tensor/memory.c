/* memory.c: the budget of what tensors may occupy.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/number.h"

#include "core/tensor/tensor-private.h"

#define COUNTED 4096          /* bytes: smaller tensors cost more in their heads than in their elements */

static gsize budget;          /* atomic; 0: the default */
static gsize used;            /* atomic                 */

static gsize
default_budget (void)
{
  static gsize known;            /* atomic; the system takes its time to say it */
  const gsize before = __atomic_load_n (&known, __ATOMIC_RELAXED);
  long pages, size;
  gsize memory;

  if (before > 0)
    return before;
  pages = sysconf (_SC_PHYS_PAGES);
  size = sysconf (_SC_PAGESIZE);
  memory = pages > 0 && size > 0 ? (gsize) pages * (gsize) size : (gsize) 4 << 30;

  memory = MAX (memory / 4, (gsize) 1 << 30);
  __atomic_store_n (&known, memory, __ATOMIC_RELAXED);
  return memory;
}

void
ph_tensor_set_budget (gsize bytes)
{
  __atomic_store_n (&budget, bytes, __ATOMIC_RELAXED);
}

gsize
ph_tensor_get_budget (void)
{
  const gsize bytes = __atomic_load_n (&budget, __ATOMIC_RELAXED);

  return bytes > 0 ? bytes : default_budget ();
}

gsize
ph_tensor_get_used (void)
{
  return __atomic_load_n (&used, __ATOMIC_RELAXED);
}

gboolean
ph_memory_take (gsize bytes)
{
  gsize now;

  if (bytes < COUNTED)
    return TRUE;
  now = __atomic_add_fetch (&used, bytes, __ATOMIC_RELAXED);
  if (now <= ph_tensor_get_budget () && now >= bytes)
    return TRUE;
  __atomic_sub_fetch (&used, bytes, __ATOMIC_RELAXED);
  return FALSE;
}

void
ph_memory_give (gsize bytes)
{
  if (bytes >= COUNTED)
    __atomic_sub_fetch (&used, bytes, __ATOMIC_RELAXED);
}

char *
ph_tensor_why_not (PhDType dtype, guint rank, const gint64 *dims)
{
  const gsize left = ph_tensor_get_budget () - MIN (ph_tensor_get_used (), ph_tensor_get_budget ());
  gsize bytes = ph_dtype_size (dtype);
  gboolean empty = FALSE, overflow = bytes == 0;
  g_autofree char *needs = NULL, *all = NULL;

  for (guint i = 0; i < rank; i++)
    {
      empty = empty || dims[i] == 0;
      overflow = overflow || dims[i] < 0 || __builtin_mul_overflow (bytes, (gsize) dims[i], &bytes);
    }
  if (rank > PH_MAX_RANK || (!empty && (overflow || bytes > G_MAXSSIZE)))
    return g_strdup ("there is no memory of that size");
  needs = ph_size_to_string (empty ? 0 : bytes);
  if (bytes <= left)
    return g_strdup_printf ("it takes %s, which the system does not give", needs);
  all = ph_size_to_string (ph_tensor_get_budget ());
  return g_strdup_printf ("it takes %s, which is over the budget of %s for what is computed; 'set memory SIZE' raises that", needs, all);
}

/* ── blocks ── */

/* The system hands large blocks out page by page, each zeroed at its first touch: a run that lets go of one and asks for the
 * next pays for that again and again. So they are kept by their class of size, an eighth of a power of two apart. */
#define KEPT       (64 << 10)                 /* bytes: smaller ones malloc keeps itself */
#define MOST_KEPT  ((gsize) 192 << 20)
#define N_CLASSES  (64 * 8)
#define ALIGNMENT  64                         /* a line of the cache, the widest register */

typedef struct _Block Block;
struct _Block { Block *next; };

static GMutex   blocks_lock;
static Block   *blocks[N_CLASSES];            /* under blocks_lock */
static gsize    kept;                         /* under blocks_lock */
static gboolean poison;

/* The class of blocks of @bytes, and how large those are. */
static guint
class_of (gsize bytes, gsize *size)
{
  const guint log = 63 - (guint) __builtin_clzl (bytes);
  const gsize step = (gsize) 1 << (log - 3);

  *size = (bytes + step - 1) / step * step;
  return (63 - (guint) __builtin_clzl (*size)) * 8 + (guint) ((*size >> (63 - (guint) __builtin_clzl (*size) - 3)) & 7);
}

static gboolean
keeps_blocks (void)
{
#if defined __SANITIZE_ADDRESS__
  return FALSE;                               /* it looks for blocks that are used after they were let go of */
#elif defined __has_feature
#if __has_feature (address_sanitizer)
  return FALSE;
#else
  return TRUE;
#endif
#else
  return TRUE;
#endif
}

gpointer
ph_block_new (gsize bytes, gboolean zeroed)
{
  gpointer block = NULL;
  gsize size = bytes;

  if (bytes < KEPT)
    block = zeroed ? g_try_malloc0 (bytes) : g_try_malloc (bytes);
  else
    {
      const guint class = class_of (bytes, &size);

      g_mutex_lock (&blocks_lock);
      if (blocks[class] != NULL)
        {
          block = blocks[class];
          blocks[class] = blocks[class]->next;
          kept -= size;
        }
      g_mutex_unlock (&blocks_lock);
      if (block != NULL && zeroed)
        memset (block, 0, bytes);
      else if (block == NULL && zeroed)
        block = g_try_malloc0 (size);
      else if (block == NULL && posix_memalign (&block, ALIGNMENT, size) != 0)
        block = NULL;
    }
  if (block != NULL && !zeroed && poison)
    memset (block, 0xff, bytes);
  return block;
}

void
ph_block_free (gpointer block, gsize bytes)
{
  gsize size;

  if (bytes >= KEPT && keeps_blocks ())
    {
      const guint class = class_of (bytes, &size);

      g_mutex_lock (&blocks_lock);
      if (kept + size <= MOST_KEPT)
        {
          ((Block *) block)->next = blocks[class];
          blocks[class] = block;
          kept += size;
          block = NULL;
        }
      g_mutex_unlock (&blocks_lock);
    }
  g_free (block);
}

void
ph_tensor_trim (void)
{
  g_mutex_lock (&blocks_lock);
  for (guint i = 0; i < N_CLASSES; i++)
    while (blocks[i] != NULL)
      {
        Block *next = blocks[i]->next;

        g_free (blocks[i]);
        blocks[i] = next;
      }
  kept = 0;
  g_mutex_unlock (&blocks_lock);
}

void
ph_tensor_set_poison (gboolean on)
{
  poison = on;
}
