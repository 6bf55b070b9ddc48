/* intern.c: one copy of each name, so that names are compared by address. An open hash table under a lock, strings in blocks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"

#include <string.h>

#define BLOCK  (64 * 1024)
#define RECENT 4096              /* a power of two */

typedef struct { const char *text; guint hash; guint length; } Slot;

static GMutex lock;
static Slot  *slots;             /* a power of two of them, at most three quarters in use */
static gsize  n_slots, n_used;
static char  *block;             /* what is left of the one in use */
static gsize  block_left;

/* What this thread asked for lately, by hash: files name the same things again and again, and threads that read several of them
 * would wait for each other. */
static _Thread_local const char *recent[RECENT];

static guint
hash_text (const char *text, guint *length)
{
  guint hash = 2166136261u;
  const char *at = text;

  for (; *at != '\0'; at++)
    hash = (hash ^ (guchar) *at) * 16777619u;
  *length = (guint) (at - text);
  return hash ^ hash >> 15;
}

static char *
store (const char *text, gsize length)
{
  char *copy;

  if (length + 1 > BLOCK / 8)
    return g_strdup (text);
  if (length + 1 > block_left)
    {
      block = g_malloc (BLOCK);
      block_left = BLOCK;
    }
  copy = memcpy (block, text, length + 1);
  block += length + 1;
  block_left -= length + 1;
  return copy;
}

static void
grow (void)
{
  gsize n = MAX (n_slots * 2, 4096);
  Slot *wider = g_new0 (Slot, n);

  for (gsize i = 0; i < n_slots; i++)
    if (slots[i].text != NULL)
      {
        gsize at = slots[i].hash & (n - 1);

        while (wider[at].text != NULL)
          at = (at + 1) & (n - 1);
        wider[at] = slots[i];
      }
  g_free (slots);
  slots = wider;
  n_slots = n;
}

const char *
ph_intern (const char *string)
{
  const char *found = NULL;
  guint length, hash;
  gsize at;

  if (string == NULL)
    return NULL;
  hash = hash_text (string, &length);
  found = recent[hash & (RECENT - 1)];
  if (found != NULL && strcmp (found, string) == 0)
    return found;
  found = NULL;
  g_mutex_lock (&lock);
  if (n_used * 4 >= n_slots * 3)
    grow ();
  for (at = hash & (n_slots - 1); slots[at].text != NULL && found == NULL; at = (at + 1) & (n_slots - 1))
    if (slots[at].hash == hash && slots[at].length == length && memcmp (slots[at].text, string, length) == 0)
      found = slots[at].text;
  if (found == NULL)
    {
      found = store (string, length);
      slots[at] = (Slot) { found, hash, length };
      n_used++;
    }
  g_mutex_unlock (&lock);
  recent[hash & (RECENT - 1)] = found;
  return found;
}
