/* names.c: an open-addressing hash table keyed by interned names.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/names.h"

#include "core/ahead.h"
#include "core/large-pages.h"

#define FEWEST 8

typedef struct
{
  const char *name; /* NULL: free */
  gpointer value;
} Slot;

struct _PhNames
{
  Slot *slots; /* a power of two, at most three quarters used */
  gsize n_slots, n_used;
  guint shift; /* 64 less the power */
};

static gsize
first_place (const PhNames *names, const char *name)
{
  return (gsize) (((guint64) (gintptr) name * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> names->shift);
}

static gsize
place_of (const PhNames *names, const char *name)
{
  gsize at = first_place (names, name);

  while (names->slots[at].name != NULL && names->slots[at].name != name)
    at = (at + 1) & (names->n_slots - 1);
  return at;
}

static void
resize (PhNames *names, gsize n)
{
  Slot *before = names->slots;
  const gsize n_before = names->n_slots;

  names->slots = g_new0 (Slot, n);
  ph_fill_all (names->slots, n * sizeof (Slot));
  names->n_slots = n;
  names->shift = 64;
  for (gsize i = n; i > 1; i /= 2)
    names->shift--;
  for (gsize i = 0; i < n_before; i++)
    if (before[i].name != NULL)
      names->slots[place_of (names, before[i].name)] = before[i];
  g_free (before);
}

PhNames *
ph_names_new (void)
{
  PhNames *names = g_new0 (PhNames, 1);

  resize (names, FEWEST);
  return names;
}

void
ph_names_free (PhNames *names)
{
  g_free (names->slots);
  g_free (names);
}

gboolean
ph_names_contain (const PhNames *names, const char *name)
{
  return names->slots[place_of (names, name)].name != NULL;
}

gpointer
ph_names_find (const PhNames *names, const char *name)
{
  return names->slots[place_of (names, name)].value;
}

void
ph_names_reserve (PhNames *names, gsize n)
{
  gsize slots = names->n_slots;

  while (4 * (names->n_used + n) > 3 * slots)
    slots *= 2;
  if (slots > names->n_slots)
    resize (names, slots);
}

void
ph_names_expect (const PhNames *names, const char *name)
{
  __builtin_prefetch (&names->slots[first_place (names, name)], 1);
}

guint
ph_names_size (const PhNames *names)
{
  return (guint) names->n_used;
}

void
ph_names_set (PhNames *names, const char *name, gpointer value)
{
  gsize at = place_of (names, name);

  if (names->slots[at].name == NULL && 4 * ++names->n_used > 3 * names->n_slots)
    {
      resize (names, 2 * names->n_slots);
      at = place_of (names, name);
    }
  names->slots[at] = (Slot) { name, value };
}

/* Removes @name. Later entries up to the next free slot move back where their hash allows, so that no gap ends a search early. */
void
ph_names_remove (PhNames *names, const char *name)
{
  const gsize mask = names->n_slots - 1;
  gsize gap = place_of (names, name);

  if (names->slots[gap].name == NULL)
    return;
  names->n_used--;
  for (gsize at = (gap + 1) & mask; names->slots[at].name != NULL; at = (at + 1) & mask)
    if (((at - first_place (names, names->slots[at].name)) & mask) >= ((at - gap) & mask))
      {
        names->slots[gap] = names->slots[at];
        gap = at;
      }
  names->slots[gap] = (Slot) { NULL, NULL };
}
