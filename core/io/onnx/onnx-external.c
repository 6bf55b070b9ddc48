/* onnx-external.c: tensors whose elements lie in a file of their own. A model may come from anywhere, so it may name files
 * of its own folder and below only: no absolute path, no "..", no link that leads out.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/proto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *
external_field (const Onnx__TensorProto *proto, const char *key)
{
  for (gsize i = 0; i < proto->n_external_data; i++)
    if (g_strcmp0 (proto->external_data[i]->key, key) == 0)
      return proto->external_data[i]->value;
  return NULL;
}

static gboolean
leads_out (const char *location)
{
  g_auto(GStrv) parts = g_strsplit_set (location, "/\\", -1);

  return g_path_is_absolute (location) || g_strv_contains ((const char *const *) parts, "..")
         || (g_ascii_isalpha (location[0]) && location[1] == ':');
}

static PhFile *
open_file (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *location, const char *what, GError **error)
{
  g_autoptr(GError) reason = NULL;
  g_autofree char *path = g_build_filename (source->base->folder, location, NULL);
  char *folder = realpath (source->base->folder, NULL), *real = realpath (path, NULL);
  gsize length = folder != NULL ? strlen (folder) : 0;
  PhFile *file = NULL;
  int fd;

  if (folder == NULL || real == NULL)
    ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s has its data in '%s' beside the model, and that cannot be opened: %s. "
                    "Put the file there", what, location, g_strerror (errno));
  else if (strncmp (real, folder, length) != 0 || (real[length] != '/' && !g_str_equal (folder, "/")))
    ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s has its data in '%s', a link out of the model's folder; that is not "
                    "followed. Copy the file itself beside the model", what, location);
  else if ((fd = open (real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) < 0
           || (file = ph_file_new (fd, real, &reason)) == NULL)
    ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s has its data in '%s', which is not a readable file", what, location);
  free (folder);
  free (real);
  return file;
}

static gboolean
read_number (PhOnnxSource *source, const Onnx__TensorProto *proto, const char *key, const char *what, guint64 *value, GError **error)
{
  const char *text = external_field (proto, key);

  if (text == NULL || text[0] == '\0')
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, value, NULL))
    return ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "%s has external data with %s '%.40s', which is not a number",
                           what, key, text);
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
      ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "%s has external data and says not where", what);
      return NULL;
    }
  if (leads_out (location))
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s has its data in '%s', outside the model's folder; that is not read. "
                      "External data must lie in the model's own folder", what, location);
      return NULL;
    }
  if (source->base->folder == NULL)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s has its data in '%s', but the model was not read from a file, so "
                      "there is no folder to look in. Open it as a file", what, location);
      return NULL;
    }
  file = g_hash_table_lookup (source->base->beside, location);
  if (file == NULL)
    {
      file = open_file (source, proto, location, what, error);
      if (file == NULL)
        return NULL;
      g_hash_table_insert (source->base->beside, g_strdup (location), file);
    }
  if (!read_number (source, proto, "offset", what, &offset, error))
    return NULL;
  size = ph_file_get_size (file);
  length = size >= offset ? size - offset : 0;
  if (!read_number (source, proto, "length", what, &length, error))
    return NULL;
  if (offset > size || length > size - offset)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, proto, "%s has its data in '%s' at byte %" G_GUINT64_FORMAT ", %"
                      G_GUINT64_FORMAT " bytes of it, but that file has only %" G_GUINT64_FORMAT ". It is cut short or another one",
                      what, location, offset, length, size);
      return NULL;
    }
  *from = offset;
  *n = length;
  return file;
}
