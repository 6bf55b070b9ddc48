/* flatbuffer.h: flatbuffers, read in place. Every offset is checked against the file; what is out of it reads as absent.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @broken: (nullable) set once an offset leads out of the file: what was read is not all of it. */
typedef struct
{
  const guint8 *data;
  gsize size;
  gboolean *broken;
} PhFlat;
/* @at: the place of the first element; of @n elements. */
typedef struct
{
  gsize at;
  guint n;
} PhFlatVector;

/* Whether a file of @head is a flatbuffer whose name of four letters begins with @name. Its first four bytes are where its root is, which is near the beginning: a
 * protobuf whose first string is such a name is none. */
gboolean ph_flat_is (const guint8 *head, gsize size, const char *name);
/* Tables are places in the file; 0: there is none. Fields are numbered from 0. */
gsize ph_flat_root (PhFlat flat);
gsize ph_flat_table (PhFlat flat, gsize table, guint field);
PhFlatVector ph_flat_vector (PhFlat flat, gsize table, guint field, guint width); /* of elements of @width bytes       */
gsize ph_flat_item (PhFlat flat, PhFlatVector vector, guint index);               /* a table of a vector of tables     */
char *ph_flat_string (PhFlat flat, gsize table, guint field);                     /* (transfer full) "" for none, valid UTF-8 */
gint64 ph_flat_int (PhFlat flat, gsize table, guint field, guint width, gint64 fallback); /* signed          */
float ph_flat_float (PhFlat flat, gsize table, guint field, float fallback);
gint64 ph_flat_load (PhFlat flat, gsize at, guint width); /* signed; @at is in the file        */
float ph_flat_load_float (PhFlat flat, gsize at);

G_END_DECLS
