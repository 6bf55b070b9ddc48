/* onnx-external.c: tensors whose elements are in a separate file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-tensor.h"
#include "core/io/onnx/proto.h"

static const char *
external_field (const Onnx__TensorProto *proto, const char *key)
{
  for (gsize i = 0; i < proto->n_external_data; i++)
    if (g_strcmp0 (proto->external_data[i]->key, key) == 0)
      return proto->external_data[i]->value;
  return NULL;
}

static gboolean
read_number (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *key, const char *what, guint64 *value,
             GError **error)
{
  const char *text = external_field (proto, key);

  if (text == NULL || text[0] == '\0')
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, value, NULL))
    return ph_source_fail (source->base, error, PH_ERROR_INVALID, proto,
                           "%s has external data with %s '%.40s', which is not a number", what, key, text);
  return TRUE;
}

PhFile *
ph_external_find (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *what, gsize *from, gsize *n, GError **error)
{
  const char *location = external_field (proto, "location");
  PhFile *file;
  guint64 offset = 0, length, size;

  if (location == NULL || location[0] == '\0')
    {
      ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "%s has external data but does not say where it is", what);
      return NULL;
    }
  file = ph_source_open_beside (source->base, location, proto, what, error);
  if (file == NULL)
    return NULL;
  if (!read_number (source, proto, "offset", what, &offset, error))
    return NULL;
  size = ph_file_get_size (file);
  length = size >= offset ? size - offset : 0;
  if (!read_number (source, proto, "length", what, &length, error))
    return NULL;
  if (offset > size || length > size - offset)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, proto,
                      "%s has its data in '%s' at byte %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
                      " bytes of it, but that file has only %" G_GUINT64_FORMAT ". It is cut short or another one",
                      what, location, offset, length, size);
      return NULL;
    }
  *from = offset;
  *n = length;
  return file;
}
