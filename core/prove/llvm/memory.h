/* memory.h: the memory that a function of LLVM's works on while it is run: its stack slots, and what its parameters point to. Private to
 * core/prove/llvm/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/prove/llvm/intrinsics.h"

G_BEGIN_DECLS

/* Objects lie apart from each other. What a parameter points to has the same contents in each memory of one seed, and so has what a pointer
 * points to that is read from there. Bytes that were written as a number of one width and are read as another's are nothing that can be
 * followed: their order depends on the target. */
typedef struct _PhMemory PhMemory;

typedef enum
{
  PH_ACCESS_DONE,
  PH_ACCESS_UNDEFINED, /* past the end of an object, say */
  PH_ACCESS_UNKNOWN    /* it may be defined, and cannot be followed */
} PhAccess;

#define PH_OBJECT_NULL  1u
#define PH_OBJECT_FIRST 2u /* of the first parameter */

PhMemory *ph_memory_new (void);
void ph_memory_free (PhMemory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhMemory, ph_memory_free)
void ph_memory_reset (PhMemory *memory, guint64 seed);
PhInteger ph_memory_add_slot (PhMemory *memory, guint64 size); /* a pointer to it; poison: there is no room for more */
/* @r: its width, 0 for a pointer, says how much is read; what was never written is poison. */
PhAccess ph_memory_load (PhMemory *memory, const PhInteger *at, PhInteger *r);
PhAccess ph_memory_store (PhMemory *memory, const PhInteger *at, const PhInteger *value);
/* All of an object has no value any more, as at the start and the end of its life. */
PhAccess ph_memory_forget (PhMemory *memory, const PhInteger *at);
PhAccess ph_memory_fill (PhMemory *memory, const PhInteger *at, const PhInteger *byte, guint64 n);
/* @apart: where both overlap it is undefined. */
PhAccess ph_memory_copy (PhMemory *memory, const PhInteger *to, const PhInteger *from, guint64 n, gboolean apart);
/* Compares two pointers as "icmp eq" or "ult" does: @equal, @less. */
PhAccess ph_memory_compare (PhMemory *memory, const PhInteger *a, const PhInteger *b, gboolean *equal, gboolean *less);
/* The pointer @delta bytes behind @at; poison where that is out of its object and @inbounds. */
PhInteger ph_memory_move (PhMemory *memory, const PhInteger *at, gint64 delta, gboolean inbounds);
/* Finds a byte that the caller of a function sees: @before has a value there, and @after has not the same one. UNDEFINED: it did. */
PhAccess ph_memory_find_change (PhMemory *before, PhMemory *after, guint *object, guint64 *offset);

/* How many bytes a slot of the type at @text has: that of a pointer 8, on which nothing else depends. FALSE: it depends on the target, or the
 * type is none of integers, arrays and structures. */
gboolean ph_llvm_type_size (const char *text, guint64 *size);
/* The bytes by which each of the @n indices of a getelementptr goes on, and, as one more, those of its fields together. FALSE: they depend on
 * the target. */
gboolean ph_llvm_strides (const PhNode *node, gint64 *strides, guint n);
gboolean ph_llvm_is_pointer (const PhType *type);

G_END_DECLS
