/* intern.c: interned names, compared by address: an open-addressing hash table under a lock, with the strings in blocks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"

#include <string.h>
#include <sys/mman.h>

#include "core/ahead.h"
#include "core/large-pages.h"

#define BLOCK  (64 * 1024)
#define REGION ((gsize) 4 << 30) /* addresses, not memory */
#define FEW    PH_LARGE_PAGE     /* bytes: so many names have small pages, as they need them */
#define RECENT 4096              /* a power of two */

typedef struct
{
  const char *text;
  guint hash;
  guint length;
} Slot;

static GMutex lock;
static Slot *slots; /* a power of two, at most three quarters used */
static gsize n_slots, n_used;
static char *block; /* the unused rest of the current block */
static gsize block_left;
static PhFilling filling; /* the region, once there are many names */
static char *region;      /* (nullable) atomic: the address range of the first blocks, by which interned names are recognized */

/* Recent lookups of this thread, by hash: files repeat the same names, and threads that read several files would otherwise contend for the
 * lock. */
static _Thread_local Slot recent[RECENT];

static guint
hash_text (const char *text, gsize length)
{
  guint64 hash = length, word;

  for (; length >= sizeof word; text += sizeof word, length -= sizeof word)
    {
      memcpy (&word, text, sizeof word);
      hash = (hash ^ word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
      hash ^= hash >> 32;
    }
  word = 0;
  memcpy (&word, text, length);
  hash = (hash ^ word) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (hash >> 32 ^ hash >> 15);
}

/* Returns TRUE if @string lies in the region and follows a NUL, that is, if it is an interned name. */
static gboolean
is_interned (const char *string)
{
  const char *start = g_atomic_pointer_get (&region);

  return start != NULL && string > start && string < start + REGION && string[-1] == '\0';
}

/* Starts a new block. The first one reserves the region, whose pages are allocated when first written. */
static void
new_block (void)
{
  static gsize used;

  if (used == 0)
    {
      void *addresses = mmap (NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

      used = BLOCK;
      if (addresses != MAP_FAILED)
        {
          ph_filling_start (&filling, (char *) addresses + FEW, REGION - FEW);
          g_atomic_pointer_set (&region, addresses);
        }
    }
  else if (region != NULL)
    used += BLOCK;
  if (region != NULL && used > FEW)
    ph_filling_reach (&filling, region + used);
  if (region != NULL && used <= REGION)
    block = region + used - BLOCK + 1; /* after a NUL */
  else
    block = g_malloc (BLOCK);
  block_left = BLOCK - 1;
}

static char *
store (const char *text, gsize length)
{
  char *copy;

  if (length + 1 > BLOCK / 8)
    return g_strndup (text, length);
  if (length + 1 > block_left)
    new_block ();
  copy = memcpy (block, text, length);
  copy[length] = '\0';
  block += length + 1;
  block_left -= length + 1;
  return copy;
}

static void
grow (gsize least)
{
  gsize n = MAX (n_slots * 2, 4096);
  Slot *wider;

  while (n * 3 < least * 4)
    n *= 2;
  wider = g_new0 (Slot, n);
  ph_fill_all (wider, n * sizeof *wider);
  for (gsize i = 0; i < n_slots; i++)
    if (slots[i].text != NULL)
      {
        gsize at = slots[i].hash & (n - 1);

        while (wider[at].text != NULL)
          at = (at + 1) & (n - 1);
        wider[at] = slots[i];
      }
  g_free (slots);
  __atomic_store_n (&slots, wider, __ATOMIC_RELAXED); /* for the lookup without the lock in ph_intern_expect() */
  __atomic_store_n (&n_slots, n, __ATOMIC_RELAXED);
}

const char *
ph_intern_numbered (const char *base, guint number)
{
  const gsize length = strlen (base);
  char few[256], digits[16], *name = length + sizeof digits < sizeof few ? few : g_malloc (length + sizeof digits);
  const char *interned;
  guint n = 0;

  memcpy (name, base, length);
  do
    digits[n++] = (char) ('0' + number % 10);
  while ((number /= 10) > 0);
  name[length] = '_';
  for (guint i = 0; i < n; i++)
    name[length + 1 + i] = digits[n - 1 - i];
  name[length + 1 + n] = '\0';
  interned = ph_intern (name);
  if (name != few)
    g_free (name);
  return interned;
}

void
ph_intern_reserve (gsize n)
{
  g_mutex_lock (&lock);
  if ((n_used + n) * 4 >= n_slots * 3)
    grow (n_used + n + 1);
  g_mutex_unlock (&lock);
}

void
ph_intern_expect (const char *string, gsize length)
{
  const Slot *now = __atomic_load_n (&slots, __ATOMIC_RELAXED);
  const gsize n = __atomic_load_n (&n_slots, __ATOMIC_RELAXED);

  if (n > 0)
    __builtin_prefetch (now + (hash_text (string, length) & (n - 1)), 1);
}

gboolean
ph_intern_is (const char *string)
{
  return is_interned (string);
}

const char *
ph_intern (const char *string)
{
  return string == NULL || is_interned (string) ? string : ph_intern_sized (string, strlen (string));
}

const char *
ph_intern_sized (const char *string, gsize length)
{
  const char *found = NULL;
  Slot *last;
  guint hash;
  gsize at;

  hash = hash_text (string, length);
  last = &recent[hash & (RECENT - 1)];
  if (last->hash == hash && last->length == length && last->text != NULL && memcmp (last->text, string, length) == 0)
    return last->text;
  g_mutex_lock (&lock);
  if (n_used * 4 >= n_slots * 3)
    grow (n_used + 1);
  for (at = hash & (n_slots - 1); slots[at].text != NULL && found == NULL; at = (at + 1) & (n_slots - 1))
    if (slots[at].hash == hash && slots[at].length == (guint) length && memcmp (slots[at].text, string, length) == 0)
      found = slots[at].text;
  if (found == NULL)
    {
      found = store (string, length);
      slots[at] = (Slot) { found, hash, (guint) length };
      n_used++;
    }
  g_mutex_unlock (&lock);
  *last = (Slot) { found, hash, (guint) length };
  return found;
}
