/* wire.c: protobuf's wire format; see wire.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/wire.h"

#include <string.h>

static inline gboolean
read_varint (PhSpan message, gsize *at, guint64 *value)
{
  guint64 result = 0;

  for (guint i = 0; i < 10 && *at + i < message.size; i++)
    {
      const guint8 byte = message.data[*at + i];

      if (i < 9 || byte <= 1)
        result |= (guint64) (byte & 0x7f) << (7 * i);
      if ((byte & 0x80) == 0)
        {
          *at += i + 1;
          *value = result;
          return TRUE;
        }
    }
  return FALSE;
}

gboolean
ph_wire_varint (PhSpan message, gsize *at, guint64 *value)
{
  return read_varint (message, at, value);
}

static guint64
read_fixed (const guint8 *data, guint n)
{
  guint64 value = 0;

  for (guint i = 0; i < n; i++)
    value |= (guint64) data[i] << (8 * i);
  return value;
}

gboolean
ph_wire_next (PhSpan message, gsize *at, PhWireField *field)
{
  gsize next = *at;
  guint64 tag, length;
  guint width;

  if (next >= message.size || !read_varint (message, &next, &tag) || tag >> 3 == 0 || tag >> 3 > G_MAXUINT >> 3)
    return FALSE;
  *field = (PhWireField) { .id = (guint) (tag >> 3), .type = (guint) (tag & 7) };
  switch (field->type)
    {
    case PH_WIRE_VARINT:
      if (!read_varint (message, &next, &field->number))
        return FALSE;
      break;
    case PH_WIRE_FIXED32:
    case PH_WIRE_FIXED64:
      width = field->type == PH_WIRE_FIXED32 ? 4 : 8;
      if (message.size - next < width)
        return FALSE;
      field->number = read_fixed (message.data + next, width);
      field->span = (PhSpan) { message.data + next, width };
      next += width;
      break;
    case PH_WIRE_BYTES:
      if (!read_varint (message, &next, &length) || length > message.size - next)
        return FALSE;
      field->span = (PhSpan) { message.data + next, (gsize) length };
      next += (gsize) length;
      break;
    default: return FALSE;
    }
  *at = next;
  return TRUE;
}

gboolean
ph_wire_is_message (PhSpan message, guint last)
{
  PhWireField field;
  gsize at = 0;

  while (ph_wire_next (message, &at, &field))
    if (field.id > last)
      return FALSE;
  return at == message.size;
}

gboolean
ph_wire_find (PhSpan message, guint id, PhWireField *found)
{
  gboolean any = FALSE;

  PH_WIRE_FOREACH (field, message)
    if (field.id == id)
      {
        *found = field;
        any = TRUE;
      }
  return any;
}

PhSpan
ph_wire_message (PhSpan message, guint id)
{
  PhWireField field;

  return ph_wire_find (message, id, &field) && field.type == PH_WIRE_BYTES ? field.span : (PhSpan) { message.data, 0 };
}

guint64
ph_wire_number (PhSpan message, guint id, guint64 fallback)
{
  PhWireField field;

  return ph_wire_find (message, id, &field) && field.type != PH_WIRE_BYTES ? field.number : fallback;
}

float
ph_float_of_bits (guint64 bits)
{
  const guint32 narrow = (guint32) bits;
  float value;

  memcpy (&value, &narrow, sizeof value);
  return value;
}

double
ph_double_of_bits (guint64 bits)
{
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

char *
ph_span_to_string (PhSpan span)
{
  return span.size > 0 ? g_strndup ((const char *) span.data, span.size) : g_strdup ("");
}

char *
ph_wire_string (PhSpan message, guint id)
{
  return ph_span_to_string (ph_wire_message (message, id));
}

gboolean
ph_span_is (PhSpan span, const char *text)
{
  return span.size == strlen (text) && memcmp (span.data, text, span.size) == 0;
}

GArray *
ph_wire_numbers (PhSpan message, guint id, guint type)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  PH_WIRE_FOREACH (field, message)
    {
      if (field.id != id)
        continue;
      if (field.type != PH_WIRE_BYTES)
        {
          g_array_append_val (numbers, field.number);
          continue;
        }
      for (gsize at = 0; at < field.span.size;)
        {
          const guint width = type == PH_WIRE_FIXED32 ? 4 : 8;
          guint64 value;

          if (type == PH_WIRE_VARINT)
            {
              if (!read_varint (field.span, &at, &value))
                break;
            }
          else if (field.span.size - at < width)
            break;
          else
            {
              value = read_fixed (field.span.data + at, width);
              at += width;
            }
          g_array_append_val (numbers, value);
        }
    }
  return numbers;
}

/* ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────── */

void
ph_wire_put_varint (GByteArray *out, guint64 value)
{
  do
    {
      const guint8 byte = (guint8) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

      g_byte_array_append (out, &byte, 1);
      value >>= 7;
    }
  while (value > 0);
}

void
ph_wire_put_number (GByteArray *out, guint id, guint64 value)
{
  ph_wire_put_varint (out, (guint64) id << 3 | PH_WIRE_VARINT);
  ph_wire_put_varint (out, value);
}

void
ph_wire_put_bytes (GByteArray *out, guint id, gconstpointer data, gsize size)
{
  ph_wire_put_varint (out, (guint64) id << 3 | PH_WIRE_BYTES);
  ph_wire_put_varint (out, size);
  g_byte_array_append (out, data, (guint) size);
}

void
ph_wire_put_fixed (GByteArray *out, guint id, guint64 bits, gboolean wide)
{
  guint8 bytes[8];

  for (guint i = 0; i < 8; i++)
    bytes[i] = (guint8) (bits >> (8 * i));
  ph_wire_put_varint (out, (guint64) id << 3 | (wide ? PH_WIRE_FIXED64 : PH_WIRE_FIXED32));
  g_byte_array_append (out, bytes, wide ? 8 : 4);
}
