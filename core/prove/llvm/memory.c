/* memory.c: objects of bytes that say what was written into them, for functions of LLVM's that are run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/memory.h"

#include <string.h>

#include "core/splitmix.h"

#define SIZE_GIVEN 512      /* bytes of what a parameter points to */
#define FIRST_READ 1000u    /* objects behind pointers that are read from what a parameter points to */
#define FIRST_SLOT 1000000u /* the function's own */
#define MOST_READ  200      /* objects */
#define LARGEST    100000u  /* bytes of all slots together */
#define POINTER    8        /* bytes; nothing that is proved depends on it */

typedef struct
{
  guint8 bits;
  guint8 known;       /* else poison                                                     */
  guint8 left;        /* as the caller of the function left it                           */
  guint8 part, width; /* byte @part of a number of @width bytes; 0: nothing said so yet  */
  guint32 object;     /* of a pointer, of which this is a part, else 0                   */
  gint64 offset;
} Cell;

typedef struct
{
  guint64 size;
  Cell cells[];
} Object;

struct _PhMemory
{
  GHashTable *objects; /* number -> Object                                 */
  guint n_slots, n_read;
  guint64 slots; /* bytes of them together */
  guint64 seed;
};

PhMemory *
ph_memory_new (void)
{
  PhMemory *memory = g_new0 (PhMemory, 1);

  memory->objects = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return memory;
}

void
ph_memory_free (PhMemory *memory)
{
  g_hash_table_unref (memory->objects);
  g_free (memory);
}

void
ph_memory_reset (PhMemory *memory, guint64 seed)
{
  g_hash_table_remove_all (memory->objects);
  memory->n_slots = memory->n_read = 0;
  memory->slots = 0;
  memory->seed = seed;
}

static Object *
add (PhMemory *memory, guint number, guint64 size)
{
  Object *object = g_malloc0 (sizeof (Object) + size * sizeof (Cell));

  object->size = size;
  g_hash_table_insert (memory->objects, GUINT_TO_POINTER (number), object);
  return object;
}

PhInteger
ph_memory_add_slot (PhMemory *memory, guint64 size)
{
  const guint number = FIRST_SLOT + memory->n_slots++;

  memory->slots += size;
  if (memory->slots > LARGEST) /* in a loop, say */
    return (PhInteger) { .poison = TRUE };
  add (memory, number, size);
  return (PhInteger) { .width = 64, .object = number };
}

/* Finds an object; what a parameter points to comes to be, with what the seed says, when it is first looked at. (nullable) */
static Object *
find (PhMemory *memory, guint number)
{
  Object *object = g_hash_table_lookup (memory->objects, GUINT_TO_POINTER (number));
  guint64 random = memory->seed ^ (guint64) number << 32;

  if (object != NULL || number <= PH_OBJECT_NULL || number >= FIRST_SLOT)
    return object;
  object = add (memory, number, SIZE_GIVEN);
  for (guint i = 0; i < SIZE_GIVEN; i += 8)
    {
      /* Numbers of any width, many of them small: the higher bytes of every second word are 0 or 255. */
      const guint64 word = ph_splitmix (&random), kind = ph_splitmix (&random) % 4;

      for (guint k = 0; k < 8; k++)
        object->cells[i + k] = (Cell) { .bits = kind < 2 || k % 4 == 0 ? (guint8) (word >> 8 * k)
                                                : kind == 2            ? 0
                                                                       : 255,
                                        .known = TRUE,
                                        .left = TRUE };
    }
  return object;
}

/* The @n bytes at a pointer, NULL: it is poison, or they are not there. */
static Cell *
cells_at (PhMemory *memory, const PhInteger *at, guint64 n)
{
  Object *object = at->poison || at->object == 0 ? NULL : find (memory, at->object);

  if (object == NULL || (gint64) at->bits < 0 || at->bits > object->size || n > object->size - at->bits)
    return NULL;
  return object->cells + at->bits;
}

/* The number of the object behind a pointer at a place that is as the caller left it: the same in each memory. */
static guint
pointed_to (PhMemory *memory, const PhInteger *at)
{
  guint64 random = (guint64) at->object << 32 ^ at->bits;

  return memory->n_read++ < MOST_READ ? FIRST_READ + (guint) (ph_splitmix (&random) % (FIRST_SLOT - FIRST_READ)) : 0;
}

static PhAccess
load_pointer (PhMemory *memory, const PhInteger *at, Cell *cells, PhInteger *r)
{
  gboolean given = at->object < FIRST_SLOT, pointer = TRUE;

  *r = (PhInteger) { .width = 64 };
  for (guint i = 0; i < POINTER; i++)
    {
      given = given && cells[i].known && cells[i].width == 0;
      pointer = pointer && cells[i].object > 0 && cells[i].part == i && cells[i].width == POINTER;
      r->poison |= !cells[i].known;
    }
  if (r->poison || pointer)
    {
      r->object = cells[0].object;
      r->bits = (guint64) cells[0].offset;
      return PH_ACCESS_DONE;
    }
  if (!given || (r->object = pointed_to (memory, at)) == 0)
    return PH_ACCESS_UNKNOWN;
  ph_memory_store (memory, at, r);
  for (guint i = 0; i < POINTER; i++)
    cells[i].left = TRUE;
  return PH_ACCESS_DONE;
}

PhAccess
ph_memory_load (PhMemory *memory, const PhInteger *at, PhInteger *r)
{
  const guint n = r->width == 0 ? POINTER : (r->width + 7u) / 8;
  Cell *cells = cells_at (memory, at, n);
  gboolean whole = TRUE, alike = TRUE;

  if (cells == NULL)
    return PH_ACCESS_UNDEFINED;
  if (r->width == 0)
    return load_pointer (memory, at, cells, r);
  *r = (PhInteger) { .width = r->width };
  for (guint i = 0; i < n; i++)
    {
      if (cells[i].object > 0)
        return PH_ACCESS_UNKNOWN;
      r->poison |= !cells[i].known;
      r->bits |= (guint64) cells[i].bits << 8 * i;
      whole = whole && (cells[i].width == 0 || (cells[i].part == i && cells[i].width == n));
      alike = alike && cells[i].bits == cells[0].bits;
    }
  if (r->poison)
    return PH_ACCESS_DONE;
  if (!whole && !alike)
    return PH_ACCESS_UNKNOWN;
  for (guint i = 0; i < n && whole; i++)
    {
      cells[i].part = (guint8) i;
      cells[i].width = (guint8) n;
    }
  r->poison = (r->bits & ~ph_integer_mask (r->width)) != 0; /* a bool of more than one bit */
  return PH_ACCESS_DONE;
}

PhAccess
ph_memory_store (PhMemory *memory, const PhInteger *at, const PhInteger *value)
{
  const guint n = value->object > 0 ? POINTER : (value->width + 7u) / 8;
  Cell *cells = cells_at (memory, at, n);

  if (cells == NULL)
    return PH_ACCESS_UNDEFINED;
  for (guint i = 0; i < n; i++)
    cells[i] = (Cell) { .bits = value->object > 0 ? 0 : (guint8) (value->bits >> 8 * i),
                        .known = !value->poison,
                        .part = (guint8) i,
                        .width = (guint8) n,
                        .object = value->poison ? 0 : value->object,
                        .offset = (gint64) value->bits };
  return PH_ACCESS_DONE;
}

PhAccess
ph_memory_forget (PhMemory *memory, const PhInteger *at)
{
  Object *object = at->poison ? NULL : find (memory, at->object);

  if (object == NULL)
    return PH_ACCESS_UNDEFINED;
  for (guint64 i = 0; i < object->size; i++)
    object->cells[i] = (Cell) { .known = FALSE };
  return PH_ACCESS_DONE;
}

PhAccess
ph_memory_fill (PhMemory *memory, const PhInteger *at, const PhInteger *byte, guint64 n)
{
  Cell *cells = n > 0 ? cells_at (memory, at, n) : NULL;

  for (guint64 i = 0; i < n && cells != NULL; i++)
    cells[i] = (Cell) { .bits = (guint8) byte->bits, .known = !byte->poison, .width = 1 };
  return n > 0 && cells == NULL ? PH_ACCESS_UNDEFINED : PH_ACCESS_DONE;
}

PhAccess
ph_memory_copy (PhMemory *memory, const PhInteger *to, const PhInteger *from, guint64 n, gboolean apart)
{
  Cell *source = n > 0 ? cells_at (memory, from, n) : NULL, *target = n > 0 ? cells_at (memory, to, n) : NULL;

  if (n == 0)
    return PH_ACCESS_DONE;
  if (source == NULL || target == NULL
      || (apart && source != target && source < target + n && target < source + n && to->object == from->object))
    return PH_ACCESS_UNDEFINED;
  memmove (target, source, n * sizeof (Cell));
  for (guint64 i = 0; i < n; i++)
    target[i].left = FALSE;
  return PH_ACCESS_DONE;
}

PhAccess
ph_memory_compare (PhMemory *memory, const PhInteger *a, const PhInteger *b, gboolean *equal, gboolean *less)
{
  Object *const x = find (memory, a->object), *const y = find (memory, b->object);

  *equal = a->object == b->object && a->bits == b->bits;
  *less = (gint64) a->bits < (gint64) b->bits;
  if (a->object == b->object)
    return PH_ACCESS_DONE;
  /* What lies where is not said, only that objects are apart: a pointer to the end of one may be the next one's beginning. */
  *less = a->object == PH_OBJECT_NULL;
  if ((x == NULL) != (a->object == PH_OBJECT_NULL) || (y == NULL) != (b->object == PH_OBJECT_NULL)
      || (x != NULL && a->bits >= x->size) || (y != NULL && b->bits >= y->size) || (x == NULL && a->bits != 0)
      || (y == NULL && b->bits != 0))
    return PH_ACCESS_UNKNOWN;
  return PH_ACCESS_DONE;
}

PhInteger
ph_memory_move (PhMemory *memory, const PhInteger *at, gint64 delta, gboolean inbounds)
{
  Object *object = find (memory, at->object);
  PhInteger moved = *at;
  const guint64 size = object != NULL ? object->size : 0;

  moved.bits = at->bits + (guint64) delta;
  moved.poison |= inbounds && (at->bits > size || moved.bits > size);
  return moved;
}

/* UNDEFINED: it is another one. Where both were read or written as parts of other widths, or one as a pointer, that depends on the target. */
static PhAccess
compare_cells (const Cell *a, const Cell *b)
{
  const gboolean alike = a->width == 0 || b->width == 0
                         || (a->width == b->width && a->part == b->part && (a->object > 0) == (b->object > 0));

  if (!a->known || a->object >= FIRST_SLOT) /* a pointer to what is gone when the function returns */
    return PH_ACCESS_DONE;
  if (a->left && b->left)
    return alike ? PH_ACCESS_DONE : PH_ACCESS_UNKNOWN;
  if (b->known && a->object == b->object && (a->object > 0 ? a->offset == b->offset : a->bits == b->bits))
    return PH_ACCESS_DONE;
  return b->known && !a->left && !b->left && !alike ? PH_ACCESS_UNKNOWN : PH_ACCESS_UNDEFINED;
}

PhAccess
ph_memory_find_change (PhMemory *before, PhMemory *after, guint *object, guint64 *offset)
{
  PhMemory *const both[2] = { before, after };
  PhAccess found = PH_ACCESS_DONE;

  for (guint side = 0; side < 2; side++)
    {
      g_autoptr (GList) numbers = g_hash_table_get_keys (both[side]->objects);

      for (GList *l = numbers; l != NULL; l = l->next)
        {
          const guint number = GPOINTER_TO_UINT (l->data);
          const Object *a = number < FIRST_SLOT ? find (before, number) : NULL, *b = a != NULL ? find (after, number) : NULL;

          for (guint64 i = 0; a != NULL && i < a->size; i++)
            {
              const PhAccess change = compare_cells (&a->cells[i], &b->cells[i]);

              found = change == PH_ACCESS_UNKNOWN ? change : found;
              if (change != PH_ACCESS_UNDEFINED)
                continue;
              *object = number;
              *offset = i;
              return change;
            }
        }
    }
  return found;
}
