/* onnx-wire.c: scans the wire format of a ModelProto before protobuf-c does. It records the position of each large raw_data and copies the
 * rest, so the cost of opening depends on the graph and not on the weights. It also rejects messages nested so deeply that unpacking them
 * would overflow the stack, which protobuf-c does not.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/proto.h"

#include "core/io/wire.h"
#include "core/large-pages.h"

#define LARGE      256                 /* bytes; smaller data is copied, and smaller messages are not searched */
#define MAX_DEPTH  100                 /* as protobuf's own readers have it                                       */
#define MAX_COPY   (1 << 30)           /* bytes of all that is copied                                             */
#define FIRST_COPY ((gsize) 256 << 20) /* bytes: room of it from the start */
#define LENGTH     5                   /* bytes of a length that is filled in later                               */
#define WINDOW     (1 << 16)           /* bytes of a file on disk that are read at once                           */

/* clang-format off */
typedef enum
{
  LEAF, MODEL, GRAPH, NODE, ATTRIBUTE, TENSOR, SPARSE, FUNCTION, TRAINING, VALUE_INFO, TYPE, TYPE_ITEM, TYPE_MAP
} Kind;
/* clang-format on */

typedef struct
{
  PhOnnxSource *source;
  const guint8 *data; /* a window of the file: @have bytes from @from on         */
  gsize from, have;
  gsize size;         /* of the file                                             */
  GByteArray *window; /* (nullable) that holds them, of a file on disk           */
  GByteArray *out;    /* (nullable) NULL inside a message that is kept verbatim  */
  PhFilling filling;  /* @out                                                    */
  GByteArray *extra;
  GError **error;
} Walk;

static Kind
child_kind (Kind kind, guint field)
{
  switch (kind)
    {
    case MODEL: return field == 7 ? GRAPH : field == 20 ? TRAINING : field == 25 ? FUNCTION : LEAF;
    case GRAPH:
      return field == 1 ? NODE : field == 5 ? TENSOR : field == 15 ? SPARSE : field >= 11 && field <= 13 ? VALUE_INFO : LEAF;
    case NODE: return field == 5 ? ATTRIBUTE : LEAF;
    case ATTRIBUTE:
      return field == 5 || field == 10    ? TENSOR
             : field == 6 || field == 11  ? GRAPH
             : field == 22 || field == 23 ? SPARSE
             : field == 14 || field == 15 ? TYPE
                                          : LEAF;
    case SPARSE: return field == 1 || field == 2 ? TENSOR : LEAF;
    case FUNCTION:
      return field == 7                             ? NODE
             : field == PH_FUNCTION_ATTRIBUTE_PROTO ? ATTRIBUTE
             : field == PH_FUNCTION_VALUE_INFO      ? VALUE_INFO
                                                    : LEAF;
    case TRAINING: return field == 1 || field == 2 ? GRAPH : LEAF;
    case VALUE_INFO: return field == 2 ? TYPE : LEAF;
    case TYPE: return field == 4 || field == 9 ? TYPE_ITEM : field == 5 ? TYPE_MAP : LEAF;
    case TYPE_ITEM: return field == 1 ? TYPE : LEAF;
    case TYPE_MAP: return field == 2 ? TYPE : LEAF;
    case LEAF:
    case TENSOR:
    default: return LEAF;
    }
}

static const char *
kind_name (Kind kind)
{
  static const char *const names[]
      = { "field", "model", "graph", "node", "attribute", "tensor", "sparse tensor", "function", "training information",
          "value", "type",  "type",  "type" };
  return names[kind];
}

static gboolean
damaged (Walk *walk, gsize at, Kind kind, const char *what)
{
  if (walk->error != NULL && *walk->error != NULL) /* it could not be read at all */
    return FALSE;
  return ph_source_fail (walk->source->base, walk->error, PH_ERROR_FILE, NULL,
                         "not a readable ONNX model: at byte %" G_GSIZE_FORMAT ", in a %s, %s. "
                         "The file is damaged or of another kind; get it again",
                         at, kind_name (kind), what);
}

/* Returns the @n bytes at @at; NULL with an error if the file has changed. */
static const guint8 *
look (Walk *walk, gsize at, gsize n)
{
  if (at < walk->from || at + n > walk->from + walk->have)
    {
      walk->from = at;
      walk->have = 0;
      g_byte_array_set_size (walk->window, (guint) MIN (MAX (n, WINDOW), walk->size - at));
      if (!ph_file_read (walk->source->base->disk, at, walk->window->len, walk->window->data, walk->error))
        return NULL;
      walk->data = walk->window->data;
      walk->have = walk->window->len;
    }
  return walk->data + (at - walk->from);
}

static gboolean
read_varint (Walk *walk, gsize *at, gsize end, guint64 *value)
{
  const gsize n = MIN (end - *at, 10);
  const guint8 *data = n > 0 ? look (walk, *at, n) : NULL;
  gsize length = 0;

  if (data == NULL || !ph_wire_varint ((PhSpan) { data, n }, &length, value))
    return FALSE;
  *at += length;
  return TRUE;
}

/* Lengths below a message that was shortened are only known afterwards: five bytes are always enough and always legal. */
static void
fill_length (GByteArray *out, gsize at)
{
  gsize length = out->len - at - LENGTH;

  for (guint i = 0; i < LENGTH; i++)
    out->data[at + i] = (guint8) (((length >> (7 * i)) & 0x7f) | (i + 1 < LENGTH ? 0x80 : 0));
}

static gboolean
copy (Walk *walk, GByteArray *out, gsize from, gsize to)
{
  if (out == NULL)
    return TRUE;
  if (to - from > MAX_COPY - MIN (out->len, MAX_COPY))
    return ph_source_fail (walk->source->base, walk->error, PH_ERROR_UNSUPPORTED, NULL,
                           "at byte %" G_GSIZE_FORMAT ": more than %d MB that are not raw_data of a tensor. "
                           "Save the model with its weights as raw_data or as external data",
                           from, MAX_COPY >> 20);
  if (walk->window == NULL || (from >= walk->from && to <= walk->from + walk->have))
    {
      g_byte_array_append (out, walk->data + (from - walk->from), (guint) (to - from));
      if (out == walk->out)
        ph_filling_reach (&walk->filling, out->data + out->len);
    }
  else
    {
      const guint length = out->len;

      g_byte_array_set_size (out, length + (guint) (to - from));
      return ph_file_read (walk->source->base->disk, from, to - from, out->data + length, walk->error);
    }
  return TRUE;
}

static gboolean
add_function (Walk *walk, gsize at, gsize length)
{
  GBytes *bytes = walk->window == NULL ? g_bytes_new_from_bytes (walk->source->base->bytes, at, length)
                                       : ph_file_read_bytes (walk->source->base->disk, at, length, walk->error);

  if (bytes != NULL)
    g_ptr_array_add (walk->source->functions, bytes);
  return bytes != NULL;
}

static gboolean walk_message (Walk *walk, Kind kind, gsize at, gsize end, guint depth);

static gboolean
walk_delimited (Walk *walk, Kind kind, guint field, gsize tag, gsize at, gsize end, guint depth)
{
  Kind child = child_kind (kind, field);
  GByteArray *out = walk->out;

  if (kind == TENSOR && field == 9 && end - at >= LARGE && out != NULL)
    {
      PhSlice slice = { at, end - at };

      ph_wire_put_varint (out, (guint64) PH_TENSOR_SLICE << 3);
      ph_wire_put_varint (out, walk->source->slices->len);
      g_array_append_val (walk->source->slices, slice);
      return TRUE;
    }
  if (child == FUNCTION && kind == MODEL)
    {
      walk->out = NULL;
      if (!walk_message (walk, child, at, end, depth + 1))
        return FALSE;
      walk->out = out;
      return add_function (walk, at, end - at);
    }
  if (kind == MODEL && field != 7 && field != 8)
    {
      walk->out = NULL;
      if (child != LEAF && !walk_message (walk, child, at, end, depth + 1))
        return FALSE;
      walk->out = out;
      return copy (walk, walk->extra, tag, end);
    }
  if (child == LEAF || end - at < LARGE)
    return copy (walk, walk->out, tag, end);
  if (out != NULL)
    {
      gsize length;

      ph_wire_put_varint (out, (guint64) field << 3 | 2);
      length = out->len;
      g_byte_array_set_size (out, length + LENGTH);
      if (!walk_message (walk, child, at, end, depth + 1))
        return FALSE;
      fill_length (out, length);
      return TRUE;
    }
  return walk_message (walk, child, at, end, depth + 1);
}

static gboolean
walk_message (Walk *walk, Kind kind, gsize at, gsize end, guint depth)
{
  if (depth > MAX_DEPTH)
    return ph_source_fail (walk->source->base, walk->error, PH_ERROR_FILE, NULL,
                           "at byte %" G_GSIZE_FORMAT ": messages are nested more than %d deep, which no real model needs; "
                           "the file is damaged, or made to do harm",
                           at, MAX_DEPTH);
  while (at < end)
    {
      gsize tag = at;
      guint64 key, value;
      guint field;

      if (!read_varint (walk, &at, end, &key) || key >> 3 == 0 || key >> 3 > 536870911)
        return damaged (walk, tag, kind, "there is no valid field");
      field = (guint) (key >> 3);
      switch (key & 7)
        {
        case 0:
          if (!read_varint (walk, &at, end, &value))
            return damaged (walk, tag, kind, "a number does not end");
          break;
        case 1:
        case 5:
          if (end - at < ((key & 7) == 1 ? 8u : 4u))
            return damaged (walk, tag, kind, "a number is cut off");
          at += (key & 7) == 1 ? 8 : 4;
          break;
        case 2:
          if (!read_varint (walk, &at, end, &value))
            return damaged (walk, tag, kind, "a length does not end");
          if (value > end - at)
            {
              g_autofree char *what = g_strdup_printf ("field %u needs %" G_GUINT64_FORMAT " bytes and %" G_GSIZE_FORMAT
                                                       " are left (a file cut short?)",
                                                       field, value, end - at);

              return damaged (walk, tag, kind, what);
            }
          if (!walk_delimited (walk, kind, field, tag, at, at + value, depth))
            return FALSE;
          at += value;
          continue;
        default: return damaged (walk, tag, kind, "there is a field of an unknown kind");
        }
      if (!copy (walk, kind == MODEL && field != 1 ? walk->extra : walk->out, tag, at))
        return FALSE;
    }
  return TRUE;
}

GByteArray *
ph_wire_walk (PhOnnxSource *source, GError **error)
{
  Walk walk = { .source = source, .error = error };
  GByteArray *out;
  gboolean ok;

  if (source->base->bytes != NULL)
    walk.data = g_bytes_get_data (source->base->bytes, &walk.have);
  else
    walk.window = g_byte_array_sized_new (WINDOW);
  walk.size = source->base->bytes != NULL ? walk.have : ph_file_get_size (source->base->disk);
  out = walk.out = g_byte_array_sized_new ((guint) MIN (walk.size, FIRST_COPY));
  ph_filling_start (&walk.filling, out->data, MIN (walk.size, FIRST_COPY));
  walk.extra = g_byte_array_new ();
  source->slices = g_array_new (FALSE, FALSE, sizeof (PhSlice));
  source->functions = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  ok = walk_message (&walk, MODEL, 0, walk.size, 0);
  g_clear_pointer (&walk.window, g_byte_array_unref);
  if (!ok)
    {
      g_byte_array_unref (out); /* walk.out is NULL inside a message that is not copied */
      g_byte_array_unref (walk.extra);
      return NULL;
    }
  if (walk.extra->len > 0)
    source->extra = g_byte_array_free_to_bytes (walk.extra);
  else
    g_byte_array_unref (walk.extra);
  return walk.out;
}
