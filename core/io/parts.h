/* parts.h: which nodes of a snapshot in a dump are which of the snapshot before, told by the text of both: then a snapshot need only hold what
 * changed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of one graph of a snapshot. Names (element-type interned utf8) are the text's own, and stay when the compiler counts anew. */
typedef struct
{
  const char *function; /* (nullable) interned; NULL: the main graph                              */
  gboolean whole;       /* the graph holds all of it, not only what changed                       */
  gboolean owned;       /* a constant is only read by one node, and goes with it                  */
  gboolean apart;       /* its step is shown in connected parts, as one without names is          */
  GPtrArray *names;     /* of the graph's nodes, in order                                         */
  GPtrArray *standing;  /* those that only stand for what is there under that name                */
  GPtrArray *same;      /* those that are what is there under that name, with other operands      */
  GPtrArray *gone;      /* that were there in the snapshot before, and are not any more           */
} PhTextPart;

static inline PhTextPart *
ph_text_part_new (const char *function, gboolean whole)
{
  PhTextPart *part = g_new0 (PhTextPart, 1);

  part->function = function;
  part->whole = whole;
  part->names = g_ptr_array_new ();
  part->standing = g_ptr_array_new ();
  part->same = g_ptr_array_new ();
  part->gone = g_ptr_array_new ();
  return part;
}

static inline void
ph_text_part_free (gpointer data)
{
  PhTextPart *part = data;

  g_ptr_array_unref (part->names);
  g_ptr_array_unref (part->standing);
  g_ptr_array_unref (part->same);
  g_ptr_array_unref (part->gone);
  g_free (part);
}

G_END_DECLS
