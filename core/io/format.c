/* format.c: the list of formats; opens and saves files by it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/format.h"

#include <math.h>
#include <string.h>

#include "core/io/choose.h"
#include "core/io/format-list.h"
#include "core/io/infer.h"
#include "core/io/io.h"

/* Files that are no models, but that people try to open: formats/strangers.c. */
extern const PhFormat ph_format_strangers[];
extern const guint ph_format_n_strangers;

#define FORMAT(name) extern const PhFormat ph_format_##name;
PH_FORMAT_LIST
#undef FORMAT

static const PhFormat *const readers[] = {
#define FORMAT(name) &ph_format_##name,
  PH_FORMAT_LIST
#undef FORMAT
};

const PhFormat *const *
ph_format_list (guint *n)
{
  static const PhFormat **all;

  if (g_once_init_enter (&all))
    {
      const PhFormat **list = g_new (const PhFormat *, G_N_ELEMENTS (readers) + ph_format_n_strangers);

      memcpy (list, readers, sizeof readers);
      for (guint i = 0; i < ph_format_n_strangers; i++)
        list[G_N_ELEMENTS (readers) + i] = &ph_format_strangers[i];
      g_once_init_leave (&all, list);
    }
  *n = G_N_ELEMENTS (readers) + ph_format_n_strangers;
  return all;
}

#define FOREACH_FORMAT(format)                                      \
  for (guint n_ = 0, i_ = (ph_format_list (&n_), 0); i_ < n_; i_++) \
    for (const PhFormat *format = ph_format_list (&n_)[i_]; format != NULL; format = NULL)

const PhFormat *
ph_format_find (const char *name)
{
  FOREACH_FORMAT (format)
  if (g_str_equal (format->name, name))
    return format;
  return NULL;
}

static guint
probe (const PhFormat *format, const guint8 *head, gsize size, const char *name)
{
  gsize length;

  if (format->probe != NULL)
    return format->probe (head, size, name);
  length = format->magic != NULL ? strlen (format->magic) : 0;
  return length > 0 && size >= length && memcmp (head, format->magic, length) == 0 ? 90 : 0;
}

/* Returns FALSE if there are control characters that text does not have. */
static gboolean
is_text (const guint8 *head, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (head[i] < 0x20 && (head[i] == 0 || strchr ("\t\n\v\f\r\033", head[i]) == NULL))
      return FALSE;
  return TRUE;
}

const PhFormat *
ph_format_recognise (GBytes *head, const char *name)
{
  const PhFormat *best = NULL;
  guint surest = 0;
  gsize size;
  const guint8 *data = g_bytes_get_data (head, &size);
  const gboolean text = is_text (data, MIN (size, PH_FORMAT_HEAD));

  FOREACH_FORMAT (format)
  {
    /* A binary file may contain the text of another format. */
    if (format->text && !text)
      continue;

    const guint sure = probe (format, data, MIN (size, PH_FORMAT_HEAD), name != NULL ? name : "");

    if (sure > surest)
      {
        surest = sure;
        best = format;
      }
  }
  return best;
}

gboolean
ph_format_has_pattern (const PhFormat *format, const char *path)
{
  for (guint i = 0; format->patterns != NULL && format->patterns[i] != NULL; i++)
    if (g_str_has_suffix (path, format->patterns[i] + 1))
      return TRUE;
  return FALSE;
}

const PhFormat *
ph_format_for_saving (const char *path)
{
  FOREACH_FORMAT (format)
  if (format->write != NULL && ph_format_has_pattern (format, path))
    return format;
  return NULL;
}

/* ── opening and saving ─────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns FALSE with an error for an empty source in memory; files on disk were checked before. */
static gboolean
has_bytes (PhSource *source, GError **error)
{
  return source->bytes == NULL || g_bytes_get_size (source->bytes) > 0
         || ph_source_fail (source, error, PH_ERROR_FILE, NULL, "it is empty");
}

/* @before, @parts: (nullable) see ph_io_open_next(). */
static PhModel *
read_source (const PhFormat *format, PhSource *source, PhStatements **before, GPtrArray **parts, GError **error)
{
  if (!has_bytes (source, error))
    return NULL;
  if (before != NULL && format->statements != NULL)
    {
      g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
      gsize size;
      const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

      return text != NULL ? ph_statements_read (format->statements, before, source, text, size, 1, parts, error) : NULL;
    }
  if (format->read != NULL)
    {
      GError *reason = NULL;
      PhModel *model = format->read (source, &reason);

      /* A reader may return nothing at all for an empty file. */
      if (model == NULL && reason == NULL)
        ph_source_fail (source, &reason, PH_ERROR_FILE, NULL, "it is empty");
      if (reason != NULL)
        g_propagate_error (error, reason);
      return model;
    }
  ph_source_fail (source, error, PH_ERROR_FILE, NULL, "not a model: this is %s%s%s", format->title,
                  format->instead != NULL ? ". " : "", format->instead != NULL ? format->instead : "");
  return NULL;
}

/* Notes recursive functions: they can be shown, as other systems have them, but ONNX has none. */
static void
note_recursion (PhModel *model, GPtrArray *problems)
{
  g_autoptr (GHashTable) counted = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (guint i = 0; problems != NULL && i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      if (isinf (ph_function_n_nodes (function, counted)))
        g_ptr_array_add (
            problems,
            g_strdup_printf (
                "Function %s%s%s calls itself, directly or through others: it can be shown, but neither run nor inlined",
                function->domain, *function->domain != 0 ? "." : "", function->name));
    }
}

PhModel *
ph_format_read_bytes (const PhFormat *format, GBytes *bytes, const char *path, GPtrArray *problems, GError **error)
{
  g_auto (PhSource) source = { 0 };
  PhModel *model;

  ph_source_init (&source, path, problems);
  if (path != NULL && (strchr (path, '/') != NULL || g_file_test (path, G_FILE_TEST_EXISTS)))
    source.folder = g_path_get_dirname (path);
  source.bytes = bytes;
  model = read_source (format, &source, NULL, NULL, error);
  if (model != NULL)
    {
      ph_io_infer (model, problems);
      note_recursion (model, problems);
    }
  return model;
}

static void
keep_files (PhModel *model, PhSource *source)
{
  GHashTableIter iter;
  gpointer file;

  model->files = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_file_unref);
  if (source->disk != NULL)
    g_ptr_array_add (model->files, ph_file_ref (source->disk));
  g_hash_table_iter_init (&iter, source->beside);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    g_ptr_array_add (model->files, ph_file_ref (file));
  if (source->parts != NULL)
    model->parts = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; source->parts != NULL && i < source->parts->len; i++)
    g_ptr_array_add (model->parts, g_build_filename (source->path, source->parts->pdata[i], NULL));
}

static PhFile *
open_disk (PhSource *source, GError **error)
{
  g_autoptr (PhFile) file = NULL;
  g_autoptr (GError) reason = NULL;
  const char *why = NULL;

  if (g_file_test (source->path, G_FILE_TEST_IS_DIR))
    why = "this is a folder; open the model file in it";
  else if (g_file_test (source->path, G_FILE_TEST_EXISTS) && !g_file_test (source->path, G_FILE_TEST_IS_REGULAR))
    why = "this is not a regular file";
  else if ((file = ph_file_open (source->path, &reason)) == NULL)
    why = g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT) ? "there is no such file" : "it cannot be read";
  else if (ph_file_get_size (file) == 0)
    why = "the file is empty";
  if (why == NULL)
    return g_steal_pointer (&file);
  if (reason != NULL && !g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "%s: %s", why, reason->message);
  else
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "%s", why);
  return NULL;
}

/* Splits "trace.log/1/0" into the file and its part, unless a file has that very name. */
static const char *
split_part (PhSource *source, const char *path)
{
  g_autofree char *whole = g_strdup (path);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  for (char *slash = strrchr (whole, '/'); slash != NULL && slash > whole; slash = strrchr (whole, '/'))
    {
      *slash = '\0';
      if (!g_file_test (whole, G_FILE_TEST_IS_REGULAR))
        continue;
      source->part = path + (slash - whole) + 1;
      return source->whole = g_steal_pointer (&whole);
    }
  return path;
}

/* Opens @path into @source, which keeps @file while it is read. */
static const PhFormat *
open_source (PhSource *source, const char *path, GPtrArray *problems, GCancellable *cancellable, PhFile **file, GError **error)
{
  g_autoptr (GBytes) head = NULL;
  const PhFormat *format;

  ph_source_init (source, path, problems);
  path = source->path = split_part (source, path);
  *file = open_disk (source, error);
  if (*file == NULL)
    return NULL;
  head = ph_file_read_bytes (*file, 0, MIN (ph_file_get_size (*file), PH_FORMAT_HEAD), error);
  if (head == NULL)
    return NULL;
  source->disk = *file;
  source->cancellable = cancellable;
  source->folder = g_path_get_dirname (path);
  format = ph_format_recognise (head, path);
  if (format == NULL)
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "no format that can be opened. `formats` lists those that can");
  else if (source->part != NULL && !format->parts)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, NULL, "it is one file, of which '%s' is not a part: open it without that",
                      source->part);
      return NULL;
    }
  return format;
}

/* The model is made as well: only the readers know what a file holds. */
char **
ph_io_list_parts (const char *path)
{
  g_auto (PhSource) source = { 0 };
  g_autoptr (PhFile) file = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const PhFormat *format = open_source (&source, path, NULL, NULL, &file, NULL);

  if (format == NULL || !format->parts)
    return NULL;
  model = read_source (format, &source, NULL, NULL, NULL);
  for (guint i = 0; source.parts != NULL && i < source.parts->len; i++)
    g_ptr_array_add (names, g_strdup (source.parts->pdata[i]));
  g_ptr_array_add (names, NULL);
  return names->len > 1 ? (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE) : NULL;
}

/* Completes each model after reading. */
static PhModel *
finish (PhModel *model, PhSource *source)
{
  keep_files (model, source);
  ph_io_infer (model, source->problems);
  note_recursion (model, source->problems);
  return model;
}

PhModel *
ph_io_open_next (const char *path, PhStatements **before, GPtrArray **parts, GPtrArray *problems, GCancellable *cancellable,
                 GError **error)
{
  g_auto (PhSource) source = { 0 };
  g_autoptr (PhFile) file = NULL;
  g_autoptr (PhModel) model = NULL;
  const PhFormat *format = open_source (&source, path, problems, cancellable, &file, error);

  if (format == NULL)
    return NULL;
  model = read_source (format, &source, before, parts, error);
  if (model != NULL && !g_cancellable_set_error_if_cancelled (cancellable, error) && ph_file_check (file, error))
    return finish (g_steal_pointer (&model), &source);
  if (model != NULL && before != NULL) /* nobody gets this snapshot, so the next one is read whole */
    {
      g_clear_pointer (before, ph_statements_free);
      g_clear_pointer (parts, g_ptr_array_unref);
    }
  return NULL;
}

PhModel *
ph_io_open (const char *path, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  return ph_io_open_next (path, NULL, NULL, problems, cancellable, error);
}

/* Each snapshot of a dump has the problems of the one before. */
static void
say_once (GPtrArray *problems)
{
  g_autoptr (GHashTable) said = g_hash_table_new (g_str_hash, g_str_equal);
  guint kept = 0;

  if (problems == NULL)
    return;
  for (guint i = 0; i < problems->len; i++)
    {
      char *problem = problems->pdata[i];

      if (!g_hash_table_contains (said, problem))
        {
          problems->pdata[i] = problems->pdata[kept];
          problems->pdata[kept++] = problem;
          g_hash_table_add (said, problem);
        }
    }
  g_ptr_array_set_size (problems, (int) kept);
}

typedef struct
{
  PhSource *source;
  PhRecordFunc each;
  gpointer data;
} Recording;

static gboolean
finish_each (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  Recording *recording = data;

  if (recording->source->cancellable != NULL && g_cancellable_set_error_if_cancelled (recording->source->cancellable, error))
    {
      g_clear_pointer (&model, ph_model_free);
      g_clear_pointer (&parts, g_ptr_array_unref);
      return FALSE;
    }
  return recording->each (pass, model != NULL ? finish (model, recording->source) : NULL, parts, recording->data, error);
}

gboolean
ph_format_record (const char *path, PhRecordFunc each, gpointer data, GPtrArray *problems, GCancellable *cancellable,
                  GError **error)
{
  g_auto (PhSource) source = { 0 };
  g_autoptr (PhFile) file = NULL;
  const PhFormat *format = open_source (&source, path, problems, cancellable, &file, error);
  Recording recording = { &source, each, data };
  PhModel *model;

  if (format == NULL)
    return FALSE;
  if (format->record != NULL)
    {
      gboolean done = format->record (&source, finish_each, &recording, error) && ph_file_check (file, error);

      say_once (problems);
      return done;
    }
  model = read_source (format, &source, NULL, NULL, error);
  if (model != NULL && !ph_file_check (file, error))
    g_clear_pointer (&model, ph_model_free);
  return model != NULL && finish_each (NULL, model, NULL, &recording, error);
}

gboolean
ph_format_record_bytes (const PhFormat *format, GBytes *bytes, const char *path, PhRecordFunc each, gpointer data,
                        GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_auto (PhSource) source = { 0 };
  Recording recording = { &source, each, data };
  gboolean done;

  ph_source_init (&source, path, problems);
  source.bytes = bytes;
  source.cancellable = cancellable;
  done = has_bytes (&source, error) && format->record (&source, finish_each, &recording, error);
  say_once (problems);
  return done;
}

gboolean
ph_format_record_text (const PhFormat *format, const char *text, const char *path, PhRecordFunc each, gpointer data,
                       GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return ph_format_record_bytes (format, bytes, path, each, data, problems, cancellable, error);
}

static gboolean
take_first (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  PhModel **first = data;

  g_clear_pointer (&parts, g_ptr_array_unref);
  *first = model;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the rest is not wanted");
  return FALSE;
}

PhModel *
ph_format_read_first (PhSource *source, gboolean (*record) (PhSource *source, PhRecordFunc each, gpointer data, GError **error),
                      GError **error)
{
  PhModel *first = NULL;
  GError *reason = NULL;

  if (!(has_bytes (source, &reason) && record (source, take_first, &first, &reason)) && first == NULL)
    g_propagate_error (error, reason);
  else
    g_clear_error (&reason);
  return first;
}

gboolean
ph_io_save (PhModel *model, const char *path, GCancellable *cancellable, GError **error)
{
  const PhFormat *format = ph_format_for_saving (path);
  g_autoptr (GString) known = g_string_new (NULL);
  g_autofree const char **patterns = NULL;

  if (format != NULL)
    return format->write (model, path, cancellable, error);
  patterns = ph_format_patterns (TRUE);
  for (guint i = 0; patterns[i] != NULL; i++)
    g_string_append_printf (known, "%s%s", i == 0 ? "" : patterns[i + 1] == NULL ? " or " : ", ", patterns[i] + 1);
  g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "%s: models are saved as %s; give the file one of these endings", path,
               known->str);
  return FALSE;
}

/* ── derived from the list ──────────────────────────────────────────────────────────────────────────────────────────── */

const char **
ph_format_patterns (gboolean saving)
{
  GPtrArray *all = g_ptr_array_new ();

  FOREACH_FORMAT (format)
  if (saving ? format->write != NULL && format->patterns != NULL : format->read != NULL)
    for (guint i = 0; format->patterns[i] != NULL && (!saving || i == 0); i++)
      g_ptr_array_add (all, (gpointer) format->patterns[i]);
  g_ptr_array_add (all, NULL);
  return (const char **) g_ptr_array_free (all, FALSE);
}

char *
ph_format_mime_xml (void)
{
  GString *out = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                               "<mime-info xmlns=\"http://www.freedesktop.org/standards/shared-mime-info\">\n");

  FOREACH_FORMAT (format)
  if (format->read != NULL && format->mime != NULL)
    {
      g_string_append_printf (out, "  <mime-type type=\"%s\">\n", format->mime);
      if (format->mime_parent != NULL)
        g_string_append_printf (out, "    <sub-class-of type=\"%s\"/>\n", format->mime_parent);
      g_string_append_printf (out, "    <comment>%s</comment>\n", format->title);
      g_string_append_printf (out, "    <glob pattern=\"%s\"/>\n", format->patterns[0]);
      g_string_append (out, "  </mime-type>\n");
    }
  g_string_append (out, "</mime-info>\n");
  return g_string_free (out, FALSE);
}

char *
ph_format_fill (const char *template)
{
  g_auto (GStrv) lines = g_strsplit (template, "\n", -1);
  g_autoptr (GString) types = g_string_new (NULL);
  GString *out = g_string_new (NULL);

  FOREACH_FORMAT (format)
  if (format->read != NULL && format->mime != NULL)
    g_string_append_printf (types, "%s;", format->mime);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *end = lines[i + 1] != NULL ? "\n" : "";

      if (strstr (lines[i], "@MIME_TYPE@") == NULL)
        {
          g_autoptr (GString) line = g_string_new (lines[i]);

          g_string_replace (line, "@MIME_TYPES@", types->str, 0);
          g_string_append_printf (out, "%s%s", line->str, end);
          continue;
        }
      FOREACH_FORMAT (format)
      if (format->read != NULL && format->mime != NULL)
        {
          g_autoptr (GString) line = g_string_new (lines[i]);

          g_string_replace (line, "@MIME_TYPE@", format->mime, 0);
          g_string_append_printf (out, "%s%s", line->str, end);
        }
    }
  return g_string_free (out, FALSE);
}

char *
ph_format_manual (void)
{
  GString *out = g_string_new ("| format | files | |\n| --- | --- | --- |\n");

  FOREACH_FORMAT (format)
  if (format->read != NULL || format->instead != NULL)
    {
      g_autofree char *files = format->patterns != NULL ? g_strjoinv ("`, `", (char **) format->patterns) : NULL;

      g_string_append_printf (out, "| %s | %s%s%s | %s |\n", format->title, files != NULL ? "`" : "", files != NULL ? files : "",
                              files != NULL ? "`" : "",
                              format->write != NULL  ? "opened and saved"
                              : format->read != NULL ? "opened"
                                                     : format->instead);
    }
  return g_string_free (out, FALSE);
}
