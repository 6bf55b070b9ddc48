/* arena.h: memory that is freed at once, for messages and their strings.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "core/large-pages.h"

G_BEGIN_DECLS

/* Memory that is freed at once. Messages and their strings live in it. */
typedef struct
{
  GPtrArray *chunks;
  char *at;
  gsize left;
  PhFilling filling; /* the newest large chunk */
} PhArena;

void ph_arena_init (PhArena *arena);
void ph_arena_clear (PhArena *arena);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhArena, ph_arena_clear)
gpointer ph_arena_alloc (PhArena *arena, gsize size);     /* aligned, not cleared */
gpointer ph_arena_try_alloc (PhArena *arena, gsize size); /* NULL: no memory */
gpointer ph_arena_alloc0 (PhArena *arena, gsize size);
char *ph_arena_strndup (PhArena *arena, const char *text, gsize length);
ProtobufCAllocator ph_arena_allocator (PhArena *arena); /* valid while @arena stays where it is */

G_END_DECLS
