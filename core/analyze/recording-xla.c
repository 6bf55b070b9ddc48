/* recording-xla.c: reads the folders that XLA writes with --xla_dump_to: the states of a module before and after each pass.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/recording-xla.h"

#include <string.h>

#include "core/analyze/become.h"
#include "core/analyze/recording.h"
#include "core/io/format.h"
#include "core/io/hlo/lines.h"
#include "core/io/io.h"

/* A file of a dump; see ph_xla_parse_name(). */
typedef PhXlaFile File;

/* ── steps ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns the name of a step: pipeline and pass, "simplification/algsimp". The file at the end of a nested pipeline repeats the result of
 * its last pass. */
static char *
step_name (const GArray *files, guint index, gboolean *summary)
{
  const File *file = &g_array_index (files, File, index);

  *summary = FALSE;
  if (file->kind == PH_XLA_AFTER)
    {
      *summary = TRUE;
      return g_strdup ("after optimizations");
    }
  if (file->kind == PH_XLA_INSIDE)
    return g_strdup (file->pass);
  if (file->kind == PH_XLA_BEFORE || g_str_equal (file->pass, "pipeline-start"))
    {
      *summary = TRUE;
      return g_strdup_printf ("before %s", file->pipeline != NULL ? file->pipeline : "optimizations");
    }
  for (guint i = 0; i < index; i++)
    {
      const File *other = &g_array_index (files, File, i);

      *summary = *summary || (other->pipeline != NULL && g_str_equal (other->pipeline, file->pass));
    }
  return g_strdup_printf ("%s/%s", file->pipeline, file->pass);
}

static void
add_problem (GPtrArray *problems, const char *format, const char *a, const char *b)
{
  if (problems != NULL && problems->len < 1000)
    {
      GString *text = g_string_new (format);

      g_string_replace (text, "@1", a, 0);
      g_string_replace (text, "@2", b, 0);
      g_ptr_array_add (problems, g_string_free (text, FALSE));
    }
}

static void
note_guesses (PhHistory *history, guint n)
{
  PhStep *step = &g_array_index (history->steps, PhStep, history->steps->len - 1);
  g_autofree char *note = g_strdup_printf ("%u nodes are taken for the same by place or likeness: a guess", n);

  if (n > 0)
    step->note = ph_intern (note);
}

/* Edits @model in one step until it equals @target, or the part of it that @part (nullable) describes. */
static gboolean
follow (PhHistory *history, PhModel *model, const char *name, PhModel *target, const PhNamedPart *part, gboolean summary,
        GError **error)
{
  g_autoptr (GArray) guessed = g_array_new (FALSE, FALSE, sizeof (PhId));
  PhBecame became = { .guessed = guessed };
  gboolean changed;

  ph_history_begin_step (history, model, name);
  ph_history_begin_rewrite (history, name, PH_NO_ID, "As XLA dumped it.");
  if (!ph_model_become_parts (model, target, part, part != NULL ? 1 : 0, &became, error))
    {
      ph_history_abort_rewrite (history, model);
      ph_history_abort_step (history, model);
      return FALSE;
    }
  changed = ph_history_end_rewrite (history);
  if (!changed && summary)
    ph_history_abort_step (history, model);
  else
    {
      ph_history_end_step (history, model, 0);
      note_guesses (history, guessed->len);
    }
  return TRUE;
}

static void
add_empty_step (PhHistory *history, PhModel *model, const char *name, gboolean summary)
{
  if (summary)
    return;
  ph_history_begin_step (history, model, name);
  ph_history_end_step (history, model, 0);
}

/* ── reading ahead ──────────────────────────────────────────────────────────────────────────────────────────────── */

/* Several threads read files, but only a few ahead of the current one, so that memory does not grow with the dump. */
#define AHEAD 8

typedef struct
{
  const char *path, *before; /* @before: (nullable)                                                                */
  PhHloDelta *delta;         /* (nullable) against the file before: only what it tells is read                     */
  PhModel *model;            /* (nullable) of the file, or of @delta                                               */
  GError *error;
  gboolean done;
} Slot;

typedef struct
{
  GThreadPool *pool;
  GMutex lock;
  GCond ready;
  GCancellable *cancellable;
  PhHloLines *lines; /* (nullable) of the last file that was pushed */
  Slot *slots;
  guint n, pushed;
} Reading;

/* Returns TRUE if the pass changed nothing: the text after it equals the text before it. */
static gboolean
is_same (const Slot *slot)
{
  g_autoptr (GBytes) bytes = ph_file_load (slot->path, NULL), before = bytes != NULL ? ph_file_load (slot->before, NULL) : NULL;

  return before != NULL && g_bytes_equal (bytes, before);
}

static void
read_slot (gpointer data, gpointer user_data)
{
  Slot *slot = data;
  Reading *reading = user_data;

  if (slot->delta != NULL && slot->delta->text != NULL)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (slot->delta->text, slot->delta->size);

      slot->model = ph_format_read_bytes (ph_format_find ("hlo"), bytes, slot->path, NULL, NULL);
    }
  else if (slot->delta == NULL && !is_same (slot))
    slot->model = ph_io_open (slot->path, NULL, reading->cancellable, &slot->error);
  g_mutex_lock (&reading->lock);
  slot->done = TRUE;
  g_cond_broadcast (&reading->ready);
  g_mutex_unlock (&reading->lock);
}

static PhHloLines *
lines_of (const char *path, PhHloLines *before)
{
  g_autoptr (GBytes) bytes = ph_file_load (path, NULL);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return text != NULL ? ph_hlo_lines_new (text, size, before) : NULL;
}

static void
reading_init (Reading *reading, const GArray *files, GCancellable *cancellable)
{
  *reading = (Reading) { .cancellable = cancellable, .n = files->len, .pushed = 1, .slots = g_new0 (Slot, files->len) };
  reading->lines = lines_of (g_array_index (files, File, 0).path, NULL);
  g_mutex_init (&reading->lock);
  g_cond_init (&reading->ready);
  for (guint i = 0; i < files->len; i++)
    {
      reading->slots[i].path = g_array_index (files, File, i).path;
      reading->slots[i].before = i > 0 ? g_array_index (files, File, i - 1).path : NULL;
    }
  reading->pool = g_thread_pool_new (read_slot, reading, (gint) CLAMP (g_get_num_processors (), 1, AHEAD), FALSE, NULL);
}

static void
reading_clear (Reading *reading)
{
  g_thread_pool_free (reading->pool, TRUE, TRUE);
  for (guint i = 0; i < reading->n; i++)
    {
      g_clear_pointer (&reading->slots[i].model, ph_model_free);
      g_clear_pointer (&reading->slots[i].delta, ph_hlo_delta_free);
      g_clear_error (&reading->slots[i].error);
    }
  g_free (reading->slots);
  g_clear_pointer (&reading->lines, ph_hlo_lines_free);
  g_cond_clear (&reading->ready);
  g_mutex_clear (&reading->lock);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, reading_clear)

static void
push_next (Reading *reading)
{
  Slot *slot = &reading->slots[reading->pushed++];
  PhHloLines *lines = lines_of (slot->path, reading->lines);

  if (lines != NULL && reading->lines != NULL)
    slot->delta = ph_hlo_lines_compare (reading->lines, lines);
  g_clear_pointer (&reading->lines, ph_hlo_lines_free);
  reading->lines = lines;
  g_thread_pool_push (reading->pool, slot, NULL);
}

/* Returns what was read of file @index; the files are requested in order. Without a model it equals the file before, or has an error. */
static Slot *
reading_take (Reading *reading, guint index)
{
  Slot *slot = &reading->slots[index];

  while (reading->pushed < reading->n && reading->pushed < index + AHEAD)
    push_next (reading);
  g_mutex_lock (&reading->lock);
  while (!slot->done)
    g_cond_wait (&reading->ready, &reading->lock);
  g_mutex_unlock (&reading->lock);
  return slot;
}

typedef struct
{
  PhHistory *history;
  PhModel *model;
  PhNamed named;
  gboolean behind; /* a step was left out, and no whole module was followed since */
  GCancellable *cancellable;
} Following;

static void
following_clear (Following *following)
{
  g_clear_pointer (&following->history, ph_history_free);
  g_clear_pointer (&following->model, ph_model_free);
  ph_named_clear (&following->named);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Following, following_clear)

/* Follows only the changed part. Returns FALSE if the whole text is needed. */
static gboolean
follow_part (Following *following, Slot *slot, const char *name, gboolean summary)
{
  const PhNamedPart part
      = { .named = &following->named, .standing = slot->delta->standing, .same = slot->delta->same, .gone = slot->delta->gone };

  return slot->model != NULL && !following->behind
         && follow (following->history, following->model, name, slot->model, &part, summary, NULL);
}

static gboolean
follow_file (Following *following, Slot *slot, const char *name, gboolean summary, GError **error)
{
  const PhNamedPart whole = { .named = &following->named, .whole = TRUE };

  if (slot->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&slot->error));
      return FALSE;
    }
  if (!following->behind && (slot->delta != NULL ? slot->delta->text == NULL : slot->model == NULL))
    {
      add_empty_step (following->history, following->model, name, summary);
      return TRUE;
    }
  if (slot->delta != NULL && follow_part (following, slot, name, summary))
    return TRUE;
  if (slot->delta != NULL || slot->model == NULL)
    {
      g_clear_pointer (&slot->model, ph_model_free);
      slot->model = ph_io_open (slot->path, NULL, following->cancellable, error);
    }
  return slot->model != NULL && follow (following->history, following->model, name, slot->model, &whole, summary, error);
}

/* Of a dump that XLA prints, only the parts that a pass changed are parsed. */
static PhHistory *
replay (PhModel *first, const GArray *files, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_auto (Following) following = { .history = ph_history_new (), .model = ph_model_clone (first), .cancellable = cancellable };
  g_auto (Reading) reading = { 0 };

  reading_init (&reading, files, cancellable);
  ph_named_learn (&following.named, first->graph, NULL);
  for (guint i = 1; i < files->len; i++)
    {
      g_autoptr (GError) reason = NULL;
      Slot *slot;
      gboolean summary;
      g_autofree char *name = step_name (files, i, &summary);

      if (g_cancellable_set_error_if_cancelled (cancellable, error))
        return NULL;
      slot = reading_take (&reading, i);
      following.behind = !follow_file (&following, slot, name, summary, &reason);
      if (following.behind)
        add_problem (problems, "The step '@1' was left out: @2", name, reason->message);
      g_clear_pointer (&slot->model, ph_model_free);
      g_clear_pointer (&slot->delta, ph_hlo_delta_free);
    }
  return g_steal_pointer (&following.history);
}

PhModel *
ph_xla_open_dump (const char *path, PhHistory **history, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  const gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autofree char *folder = is_folder ? g_strdup (path) : g_path_get_dirname (path),
                  *prefix = is_folder ? NULL : g_path_get_basename (path);
  g_autoptr (GArray) files = ph_xla_list_files (folder, prefix);
  g_autoptr (GPtrArray) modules = NULL;
  g_autoptr (PhModel) first = NULL;

  *history = NULL;
  ph_xla_choose_module (files, folder, prefix, problems);
  first = ph_io_open (g_array_index (files, File, 0).path, problems, cancellable, error);
  if (first == NULL)
    return NULL;
  g_clear_pointer (&first->parts, g_ptr_array_unref);
  modules = ph_recording_list_modules (folder);
  for (guint i = 0; i < modules->len; i++)
    {
      g_autofree char *name = modules->pdata[i];

      modules->pdata[i] = g_build_filename (folder, name, NULL);
    }
  first->parts = modules->len > 1 ? g_steal_pointer (&modules) : NULL;
  if (files->len == 1)
    return g_steal_pointer (&first);
  *history = replay (first, files, problems, cancellable, error);
  return *history != NULL ? g_steal_pointer (&first) : NULL;
}
