/* source.c: an open file, its problems and the locations of its parts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

const char *
ph_text_line_after (const char *at, const char *end)
{
  const char *eol = memchr (at, '\n', (gsize) (end - at));

  return eol != NULL ? eol + 1 : end;
}

void
ph_text_place (PhTextLine *last, const char *begin, const char *at, guint *line, guint *column)
{
  if (last->start == NULL || at < last->start)
    *last = (PhTextLine) { begin, 1 };
  for (const char *next; (next = memchr (last->start, '\n', (gsize) (at - last->start))) != NULL; last->number++)
    last->start = next + 1;
  *line = last->number;
  *column = (guint) (at - last->start) + 1;
}

void
ph_source_init (PhSource *source, const char *path, GPtrArray *problems)
{
  *source = (PhSource) { .path = path != NULL ? path : "model", .problems = problems };
  source->beside = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_file_unref);
}

void
ph_source_clear (PhSource *source)
{
  g_clear_pointer (&source->whole, g_free);
  g_clear_pointer (&source->parts, g_ptr_array_unref);
  g_clear_pointer (&source->folder, g_free);
  g_clear_pointer (&source->beside, g_hash_table_unref);
  g_clear_pointer (&source->places, g_hash_table_unref);
}

GBytes *
ph_source_dup_bytes (PhSource *source, GError **error)
{
  return source->bytes != NULL ? g_bytes_ref (source->bytes)
                               : ph_file_read_bytes (source->disk, 0, ph_file_get_size (source->disk), error);
}

/* ── files in the same folder ── */

static gboolean
leads_out (const char *location)
{
  g_auto (GStrv) parts = g_strsplit_set (location, "/\\", -1);

  return g_path_is_absolute (location) || g_strv_contains ((const char *const *) parts, "..")
         || (g_ascii_isalpha (location[0]) && location[1] == ':');
}

static PhFile *
open_in_folder (PhSource *source, const char *location, gconstpointer part, const char *what, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *path = g_build_filename (source->folder, location, NULL);
  char *folder = realpath (source->folder, NULL), *real = realpath (path, NULL);
  const gsize length = folder != NULL ? strlen (folder) : 0;
  PhFile *file = NULL;
  int fd;

  if (folder == NULL || real == NULL)
    ph_source_fail (source, error, PH_ERROR_FILE, part,
                    "%s has its data in '%s' beside the model, and that cannot be opened: %s. "
                    "Put the file there",
                    what, location, g_strerror (errno));
  else if (strncmp (real, folder, length) != 0 || (real[length] != '/' && !g_str_equal (folder, "/")))
    ph_source_fail (source, error, PH_ERROR_FILE, part,
                    "%s has its data in '%s', a link out of the model's folder; that is not "
                    "followed. Copy the file itself beside the model",
                    what, location);
  else if ((fd = open (real, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)) < 0
           || (file = ph_file_new (fd, real, &reason)) == NULL)
    ph_source_fail (source, error, PH_ERROR_FILE, part, "%s has its data in '%s', which is not a readable file", what, location);
  free (folder);
  free (real);
  return file;
}

PhFile *
ph_source_open_beside (PhSource *source, const char *location, gconstpointer part, const char *what, GError **error)
{
  PhFile *file = g_hash_table_lookup (source->beside, location);

  if (file != NULL)
    return file;
  if (leads_out (location))
    ph_source_fail (source, error, PH_ERROR_FILE, part,
                    "%s has its data in '%s', outside the model's folder; that is not read. "
                    "External data must lie in the model's own folder",
                    what, location);
  else if (source->folder == NULL)
    ph_source_fail (source, error, PH_ERROR_FILE, part,
                    "%s has its data in '%s', but the model was not read from a file, so "
                    "there is no folder to look in. Open it as a file",
                    what, location);
  else
    file = open_in_folder (source, location, part, what, error);
  if (file != NULL)
    g_hash_table_insert (source->beside, g_strdup (location), file);
  return file;
}

void
ph_source_problem (PhSource *source, const char *format, ...)
{
  g_autofree char *raw = NULL;
  va_list args;

  if (source->problems == NULL || source->problems->len >= 1000)
    return;
  va_start (args, format);
  raw = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (source->problems, g_utf8_make_valid (raw, -1));
}

void
ph_source_mark (PhSource *source, gconstpointer part, guint line, guint column)
{
  guint *place;

  if (source->is_made_up)
    return;
  place = g_new (guint, 2);
  place[0] = line;
  place[1] = column;
  if (source->places == NULL)
    source->places = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_hash_table_insert (source->places, (gpointer) part, place);
}

gboolean
ph_source_find (PhSource *source, gconstpointer part, guint *line, guint *column)
{
  const guint *place = part != NULL && source->places != NULL ? g_hash_table_lookup (source->places, part) : NULL;

  if (place == NULL)
    return FALSE;
  *line = place[0];
  *column = place[1];
  return TRUE;
}

gboolean
ph_source_fail_at (PhSource *source, GError **error, guint line, guint column, const char *format, ...)
{
  g_autofree char *raw = NULL, *text = NULL;
  va_list args;

  va_start (args, format);
  raw = g_strdup_vprintf (format, args);
  va_end (args);
  text = g_utf8_make_valid (raw, -1);
  if (source->is_made_up)
    g_set_error (error, PH_ERROR, PH_ERROR_INVALID, "%s: %s", source->path, text);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_INVALID, "%s:%u:%u: %s", source->path, line, column, text);
  return FALSE;
}

gboolean
ph_source_fail (PhSource *source, GError **error, PhError code, gconstpointer part, const char *format, ...)
{
  g_autofree char *raw = NULL, *text = NULL;
  guint line, column;
  va_list args;

  va_start (args, format);
  raw = g_strdup_vprintf (format, args);
  va_end (args);
  text = g_utf8_make_valid (raw, -1); /* may contain text of the file */
  if (ph_source_find (source, part, &line, &column))
    g_set_error (error, PH_ERROR, code, "%s:%u:%u: %s", source->path, line, column, text);
  else
    g_set_error (error, PH_ERROR, code, "%s: %s", source->path, text);
  return FALSE;
}
