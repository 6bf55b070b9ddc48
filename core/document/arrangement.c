/* arrangement.c: the options that determine a picture's layout, shared and compared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/arrangement.h"

static gpointer
ref_set (GHashTable *set)
{
  return set != NULL ? g_hash_table_ref (set) : NULL;
}

void
ph_arrangement_clear (PhArrangement *arrangement)
{
  g_clear_pointer (&arrangement->opened, g_hash_table_unref);
  g_clear_pointer (&arrangement->closed, g_hash_table_unref);
  g_clear_pointer (&arrangement->also, g_array_unref);
  g_clear_pointer (&arrangement->keep, g_hash_table_unref);
}

void
ph_arrangement_copy (PhArrangement *to, const PhArrangement *from)
{
  PhArrangement before = *to;

  *to = *from;
  ref_set (to->opened);
  ref_set (to->closed);
  ref_set (to->keep);
  if (to->also != NULL)
    g_array_ref (to->also);
  ph_arrangement_clear (&before);
}

/* Compares sets by pointer: equal copies differ, which at worst costs one layout. */
gboolean
ph_arrangement_equal (const PhArrangement *a, const PhArrangement *b)
{
  return a->compact == b->compact && a->group == b->group && a->open == b->open && a->opened == b->opened
         && a->closed == b->closed && a->keep == b->keep;
}

void
ph_arrangement_fill (const PhArrangement *arrangement, gboolean grouped, PhSceneOptions *options)
{
  options->by_scope = arrangement->keep == NULL
                      && (arrangement->group == PH_GROUP_ON || (arrangement->group == PH_GROUP_AUTO && grouped));
  options->open = arrangement->open;
  options->opened = arrangement->opened;
  options->closed = arrangement->closed;
  options->keep = arrangement->keep;
}
