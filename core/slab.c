/* slab.c: objects of one size, in chunks that grow with their number.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/slab.h"

#include <string.h>

#include "core/large-pages.h"

#define LEAST_CHUNK    ((gsize) 1 << 10)
#define GREATEST_CHUNK (32 * PH_LARGE_PAGE) /* its ends, which lie in small pages, are a small part of it */

/* Under AddressSanitizer each object is an allocation of its own, so that the use of a freed one is found. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED TRUE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED TRUE
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED FALSE
#endif

/* Objects and chunks begin with the address of the next one of their list. */
static void
push (gpointer *list, gpointer object)
{
  *(gpointer *) object = *list;
  *list = object;
}

static gpointer
pop (gpointer *list)
{
  gpointer object = *list;

  *list = *(gpointer *) object;
  return object;
}

static void
add_chunk (PhSlab *slab)
{
  gpointer chunk;

  slab->chunk_bytes = CLAMP (slab->chunk_bytes * 2, LEAST_CHUNK, GREATEST_CHUNK);
  chunk = g_malloc0 (slab->chunk_bytes);
  ph_filling_start (&slab->filling, chunk, slab->chunk_bytes);
  push (&slab->chunks, chunk);
  slab->at = (char *) chunk + sizeof (gpointer);
  slab->left = slab->chunk_bytes - sizeof (gpointer);
}

gpointer
ph_slab_alloc0 (PhSlab *slab)
{
  gpointer object;

  if (IS_SANITIZED)
    return g_malloc0 (slab->size);
  if (slab->free_objects != NULL)
    return memset (pop (&slab->free_objects), 0, slab->size);
  while (slab->left < slab->size)
    add_chunk (slab);
  object = slab->at;
  slab->at += slab->size;
  slab->left -= slab->size;
  ph_filling_reach (&slab->filling, slab->at);
  return object;
}

void
ph_slab_free (PhSlab *slab, gpointer object)
{
  if (IS_SANITIZED)
    g_free (object);
  else
    push (&slab->free_objects, object);
}

void
ph_slab_clear (PhSlab *slab)
{
  while (slab->chunks != NULL)
    g_free (pop (&slab->chunks));
  *slab = (PhSlab) { .size = slab->size };
}
