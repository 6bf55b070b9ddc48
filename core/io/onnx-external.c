/* onnx-external.c: tensors whose elements lie in a file of their own. A model may come from anywhere, so it may name files
 * of its own folder and below only: no absolute path, no "..", no link that leads out.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/proto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static GBytes *
map_file (PhSource *source, const Onnx__TensorProto *proto, const char *location, const char *what, GError **error)
{
  g_autoptr(GMappedFile) mapped = NULL;
  g_autoptr(GError) reason = NULL;
  g_autofree char *path = g_build_filename (source->folder, location, NULL);
  char *folder = realpath (source->folder, NULL), *real = realpath (path, NULL);
  gsize length = folder != NULL ? strlen (folder) : 0;
  struct stat status;
  int fd = -1;

  if (folder == NULL || real == NULL)
    ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s has its data in '%s' beside the model, and that cannot be opened: %s. "
                    "Put the file there", what, location, g_strerror (errno));
  else if (strncmp (real, folder, length) != 0 || (real[length] != '/' && !g_str_equal (folder, "/")))
    ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s has its data in '%s', a link out of the model's folder; that is not "
                    "followed. Copy the file itself beside the model", what, location);
  else if ((fd = open (real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) < 0
           || fstat (fd, &status) < 0 || !S_ISREG (status.st_mode))
    ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s has its data in '%s', which is not a readable file", what, location);
  else
    {
      mapped = g_mapped_file_new_from_fd (fd, FALSE, &reason);
      if (mapped == NULL)
        ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s: '%s' cannot be mapped: %s", what, location, reason->message);
    }
  if (fd >= 0)
    close (fd);
  free (folder);
  free (real);
  return mapped != NULL ? g_mapped_file_get_bytes (mapped) : NULL;
}

static gboolean
read_number (PhSource *source, const Onnx__TensorProto *proto, const char *key, const char *what, guint64 *value, GError **error)
{
  const char *text = external_field (proto, key);

  if (text == NULL || text[0] == '\0')
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, value, NULL))
    return ph_source_fail (source, error, PH_ERROR_INVALID, proto, "%s has external data with %s '%.40s', which is not a number",
                           what, key, text);
  return TRUE;
}

GBytes *
ph_external_load (PhSource *source, const Onnx__TensorProto *proto, const char *what, GError **error)
{
  const char *location = external_field (proto, "location");
  GBytes *file;
  guint64 offset = 0, length;

  if (location == NULL || location[0] == '\0')
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, proto, "%s has external data and says not where", what);
      return NULL;
    }
  if (leads_out (location))
    {
      ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s has its data in '%s', outside the model's folder; that is not read. "
                      "External data must lie in the model's own folder", what, location);
      return NULL;
    }
  if (source->folder == NULL)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s has its data in '%s', but the model was not read from a file, so "
                      "there is no folder to look in. Open it as a file", what, location);
      return NULL;
    }
  file = g_hash_table_lookup (source->external, location);
  if (file == NULL)
    {
      file = map_file (source, proto, location, what, error);
      if (file == NULL)
        return NULL;
      g_hash_table_insert (source->external, g_strdup (location), file);
    }
  if (!read_number (source, proto, "offset", what, &offset, error))
    return NULL;
  length = g_bytes_get_size (file) >= offset ? g_bytes_get_size (file) - offset : 0;
  if (!read_number (source, proto, "length", what, &length, error))
    return NULL;
  if (offset > g_bytes_get_size (file) || length > g_bytes_get_size (file) - offset)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, proto, "%s has its data in '%s' at byte %" G_GUINT64_FORMAT ", %"
                      G_GUINT64_FORMAT " bytes of it, but that file has only %" G_GSIZE_FORMAT ". It is cut short or another one",
                      what, location, offset, length, g_bytes_get_size (file));
      return NULL;
    }
  return g_bytes_new_from_bytes (file, offset, length);
}
