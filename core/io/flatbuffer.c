/* flatbuffer.c: flatbuffers; see flatbuffer.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/flatbuffer.h"

#include <string.h>

static gboolean
inside (PhFlat flat, gsize at, gsize width)
{
  return at <= flat.size && width <= flat.size - at;
}

gboolean
ph_flat_is (const guint8 *head, gsize size, const char *name)
{
  return size > 8 && memcmp (head + 4, name, strlen (name)) == 0 && head[2] == 0 && head[3] == 0;
}

gint64
ph_flat_load (PhFlat flat, gsize at, guint width)
{
  guint64 value = 0;

  for (guint i = 0; i < width && inside (flat, at, width); i++)
    value |= (guint64) flat.data[at + i] << (8 * i);
  return width < 8 && (value >> (8 * width - 1)) != 0 ? (gint64) (value | ~G_GUINT64_CONSTANT (0) << (8 * width))
                                                      : (gint64) value;
}

static void
set_broken (PhFlat flat)
{
  if (flat.broken != NULL)
    *flat.broken = TRUE;
}

static guint32
load_offset (PhFlat flat, gsize at)
{
  return (guint32) ph_flat_load (flat, at, 4);
}

float
ph_flat_load_float (PhFlat flat, gsize at)
{
  const guint32 bits = load_offset (flat, at);
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

/* Follows the offset stored at @at; returns 0 unless @width bytes fit at its target. */
static gsize
follow (PhFlat flat, gsize at, guint width)
{
  const gsize to = at + load_offset (flat, at);

  if (inside (flat, at, 4) && to > at && inside (flat, to, width))
    return to;
  if (to != at || !inside (flat, at, 4))
    set_broken (flat);
  return 0;
}

gsize
ph_flat_root (PhFlat flat)
{
  return follow (flat, 0, 4);
}

/* Returns the position of a scalar field in @table, or 0 if the table does not have it and the default applies. */
static gsize
find_field (PhFlat flat, gsize table, guint field, guint width)
{
  gint64 vtable;
  gsize size, slot = 4 + 2 * (gsize) field, offset;

  if (table == 0 || !inside (flat, table, 4))
    return 0;
  vtable = (gint64) table - ph_flat_load (flat, table, 4);
  size = vtable >= 0 && inside (flat, (gsize) vtable, 4) ? (guint16) ph_flat_load (flat, (gsize) vtable, 2) : 0;
  if (size < 4 || !inside (flat, (gsize) vtable, size))
    {
      set_broken (flat);
      return 0;
    }
  if (slot + 2 > size)
    return 0;
  offset = (guint16) ph_flat_load (flat, (gsize) vtable + slot, 2);
  if (offset == 0)
    return 0;
  if (!inside (flat, table + offset, width))
    set_broken (flat);
  return inside (flat, table + offset, width) ? table + offset : 0;
}

gsize
ph_flat_table (PhFlat flat, gsize table, guint field)
{
  const gsize at = find_field (flat, table, field, 4);

  return at != 0 ? follow (flat, at, 4) : 0;
}

PhFlatVector
ph_flat_vector (PhFlat flat, gsize table, guint field, guint width)
{
  const gsize at = ph_flat_table (flat, table, field);
  const guint32 n = at != 0 ? load_offset (flat, at) : 0;

  if (at == 0)
    return (PhFlatVector) { 0, 0 };
  if (n > (flat.size - at - 4) / width)
    {
      set_broken (flat);
      return (PhFlatVector) { 0, 0 };
    }
  return (PhFlatVector) { at + 4, n };
}

gsize
ph_flat_item (PhFlat flat, PhFlatVector vector, guint index)
{
  return index < vector.n ? follow (flat, vector.at + 4 * (gsize) index, 4) : 0;
}

char *
ph_flat_string (PhFlat flat, gsize table, guint field)
{
  const PhFlatVector text = ph_flat_vector (flat, table, field, 1);
  g_autofree char *raw = text.n > 0 ? g_strndup ((const char *) flat.data + text.at, text.n) : g_strdup ("");

  return g_utf8_make_valid (raw, -1);
}

gint64
ph_flat_int (PhFlat flat, gsize table, guint field, guint width, gint64 fallback)
{
  const gsize at = find_field (flat, table, field, width);

  return at != 0 ? ph_flat_load (flat, at, width) : fallback;
}

float
ph_flat_float (PhFlat flat, gsize table, guint field, float fallback)
{
  const gsize at = find_field (flat, table, field, 4);

  return at != 0 ? ph_flat_load_float (flat, at) : fallback;
}
