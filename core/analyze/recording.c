/* recording.c: makes a history from the models that another compiler wrote after each of its passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/recording.h"

#include <string.h>

#include "core/analyze/become.h"
#include "core/analyze/hunks.h"
#include "core/analyze/recording-xla.h"
#include "core/io/as-before.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/io/mlir/dump.h"
#include "core/io/parts.h"

#define MAX_FILES 10000

static void
recorded_free (PhRecorded *recorded)
{
  g_free (recorded->pass);
  g_clear_pointer (&recorded->model, ph_model_free);
  g_clear_pointer (&recorded->parts, g_ptr_array_unref);
  g_free (recorded);
}

static void add_problem (GPtrArray *problems, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_problem (GPtrArray *problems, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (problems != NULL)
    g_ptr_array_add (problems, g_strdup_vprintf (format, args));
  va_end (args);
}

/* ── replaying ──────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhHistory *history;
  PhModel *model;
  const char *pass;
} Following;

static gboolean
begin_part (const PhRegion *hunk, gpointer data)
{
  Following *following = data;
  g_autofree char *what = hunk != NULL && hunk->before->len + hunk->after->len > 0 ? ph_hunk_describe (hunk) : NULL;
  g_autofree char *why = what != NULL ? g_strdup_printf ("As it was recorded: %s.", what) : g_strdup ("As it was recorded.");
  const PhNode *last = hunk != NULL && hunk->before->len > 0 ? hunk->before->pdata[hunk->before->len - 1] : NULL;

  ph_history_begin_rewrite (following->history, following->pass, last != NULL ? last->id : PH_NO_ID, why);
  return TRUE;
}

static void
end_part (gpointer data)
{
  ph_history_end_rewrite (((Following *) data)->history);
}

static void
abort_part (gpointer data)
{
  ph_history_abort_rewrite (((Following *) data)->history, ((Following *) data)->model);
}

static void
named_free (gpointer data)
{
  ph_named_clear (data);
  g_free (data);
}

/* Returns the map of a dump's names to ids in the main graph, or in a function. */
static PhNamed *
names_of (GHashTable *names, const char *function)
{
  PhNamed *named = g_hash_table_lookup (names, function != NULL ? function : "");

  if (named == NULL)
    {
      named = g_new (PhNamed, 1);
      *named = (PhNamed) { g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL) };
      g_hash_table_insert (names, (gpointer) (function != NULL ? function : ""), named);
    }
  return named;
}

/* (nullable) @name: interned. */
static const PhFunction *
function_called (const PhModel *model, const char *name)
{
  for (guint i = 0; i < model->functions->len; i++)
    if (((PhFunction *) model->functions->pdata[i])->name == name)
      return model->functions->pdata[i];
  return NULL;
}

/* Records the names of @parts, which describe @first. */
static void
learn_parts (GHashTable *names, PhModel *first, const GPtrArray *parts)
{
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    {
      const PhTextPart *part = parts->pdata[i];
      const PhFunction *function = part->function != NULL ? function_called (first, part->function) : NULL;

      if (part->function == NULL || function != NULL)
        ph_named_learn (names_of (names, part->function), function != NULL ? function->graph : first->graph, part->names);
    }
}

/* Returns what @parts (nullable) tell of the model. (nullable) */
static PhNamedPart *
tell_parts (GHashTable *names, const GPtrArray *parts)
{
  PhNamedPart *told = parts != NULL && names != NULL ? g_new0 (PhNamedPart, parts->len) : NULL;

  for (guint i = 0; told != NULL && i < parts->len; i++)
    {
      const PhTextPart *part = parts->pdata[i];

      told[i] = (PhNamedPart) { .named = names_of (names, part->function),
                                .function = part->function,
                                .whole = part->whole,
                                .owned = part->owned,
                                .names = part->names,
                                .standing = part->standing,
                                .same = part->same,
                                .gone = part->gone };
    }
  return told;
}

static gboolean
are_apart (const GPtrArray *parts)
{
  for (guint i = 0; i < parts->len; i++)
    if (!((PhTextPart *) parts->pdata[i])->apart)
      return FALSE;
  return TRUE;
}

/* @names: (nullable) NULL: models are complete. */
static gboolean
follow (PhHistory *history, PhModel *model, PhRecorded *recorded, GHashTable *names, GError **error)
{
  Following following = { history, model, recorded->pass };
  GHashTableIter iter;
  gpointer domain, version;
  g_autofree PhNamedPart *told = tell_parts (names, recorded->parts);
  const guint n_told = told != NULL ? recorded->parts->len : 0;
  const gboolean apart = told == NULL || are_apart (recorded->parts);
  gboolean ok;

  ph_history_begin_step (history, model, recorded->pass);
  ph_history_begin_rewrite (history, recorded->pass, PH_NO_ID, "As it was recorded.");
  g_hash_table_iter_init (&iter, recorded->model->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    if (ph_model_opset (model, domain) != GPOINTER_TO_INT (version))
      ph_model_set_opset (model, domain, GPOINTER_TO_INT (version));
  ok = apart || ph_model_become_parts (model, recorded->model, told, n_told, NULL, error);
  if (!ok)
    ph_history_abort_rewrite (history, model);
  else
    ph_history_end_rewrite (history);
  if (ok && apart)
    ok = ph_model_become_by_hunks (model, recorded->model, told, n_told,
                                   &(PhHunkSink) { begin_part, end_part, abort_part, &following }, error);
  if (!ok)
    {
      ph_history_abort_step (history, model);
      return FALSE;
    }
  ph_history_end_step (history, model, 0);
  return TRUE;
}

/* One thread reads the steps and another follows a few behind; the limit bounds the memory. */
#define BEHIND 4

typedef struct
{
  PhModel *first, *model;
  PhHistory *history;
  GHashTable *names;   /* function, or "", -> PhNamed                                            */
  GPtrArray *problems; /* (nullable)                                                             */
  GThread *follower;   /* (nullable) applies the models in @waiting                              */
  GQueue waiting;      /* (element-type PhRecorded) under @lock; a NULL model means no change    */
  GPtrArray *left_out; /* (nullable) (element-type utf8) messages of the follower                */
  gboolean ended;      /* under @lock: no further steps                                          */
  gboolean behind;     /* a step was left out after the last complete snapshot                   */
  GMutex lock;
  GCond moved;
} Replay;

static void
replay_clear (Replay *replay)
{
  if (replay->follower != NULL) /* reading failed or was cancelled: waiting steps are dropped */
    {
      g_mutex_lock (&replay->lock);
      replay->ended = TRUE;
      g_queue_clear_full (&replay->waiting, (GDestroyNotify) recorded_free);
      g_cond_signal (&replay->moved);
      g_mutex_unlock (&replay->lock);
      g_thread_join (replay->follower);
    }
  g_clear_pointer (&replay->left_out, g_ptr_array_unref);
  g_clear_pointer (&replay->names, g_hash_table_unref);
  g_clear_pointer (&replay->first, ph_model_free);
  g_clear_pointer (&replay->model, ph_model_free);
  g_clear_pointer (&replay->history, ph_history_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Replay, replay_clear)

/* Returns TRUE if parts of @model were not read again, as they equal the previous snapshot. */
static gboolean
is_part (const PhModel *model)
{
  gboolean part = ph_graph_is_as_before (model->graph);

  for (guint i = 0; i < model->functions->len && !part; i++)
    part = ph_graph_is_as_before (((PhFunction *) model->functions->pdata[i])->graph);
  return part;
}

static gboolean
is_partial (const GPtrArray *parts)
{
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    if (!((PhTextPart *) parts->pdata[i])->whole)
      return TRUE;
  return FALSE;
}

/* A pass that changed nothing gets a step without edits, so that the list shows it. */
static void
replay_now (Replay *replay, PhRecorded *recorded, GPtrArray *problems)
{
  const char *pass = recorded->pass;
  g_autoptr (GError) reason = NULL;

  if (replay->model == NULL)
    replay->model = ph_model_clone (replay->first);
  if (recorded->model == NULL)
    {
      ph_history_begin_step (replay->history, replay->model, pass);
      ph_history_end_step (replay->history, replay->model, 0);
    }
  else if (replay->behind && (is_part (recorded->model) || is_partial (recorded->parts)))
    add_problem (problems, "The step '%s' was left out: it goes on from one that was left out", pass);
  else
    {
      replay->behind = !follow (replay->history, replay->model, recorded, replay->names, &reason);
      if (replay->behind)
        add_problem (problems, "The step '%s' was left out: %s", pass, reason->message);
    }
}

static PhRecorded *
recorded_new (const char *pass, PhModel *model, GPtrArray *parts)
{
  PhRecorded *recorded = g_new (PhRecorded, 1);

  *recorded = (PhRecorded) { g_strdup (pass), model, parts };
  return recorded;
}

static gboolean
replay_step (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  Replay *replay = data;
  PhRecorded *recorded;

  if (replay->names == NULL)
    replay->names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, named_free);
  if (replay->first == NULL)
    {
      replay->first = model;
      replay->history = ph_history_new ();
      learn_parts (replay->names, model, parts);
      g_clear_pointer (&parts, g_ptr_array_unref);
      return TRUE;
    }
  recorded = recorded_new (pass, model, parts);
  replay_now (replay, recorded, replay->problems);
  recorded_free (recorded);
  return TRUE;
}

static gpointer
follow_waiting (gpointer data)
{
  Replay *replay = data;

  for (;;)
    {
      PhRecorded *recorded;

      g_mutex_lock (&replay->lock);
      while (replay->waiting.length == 0 && !replay->ended)
        g_cond_wait (&replay->moved, &replay->lock);
      recorded = g_queue_pop_head (&replay->waiting);
      g_cond_signal (&replay->moved);
      g_mutex_unlock (&replay->lock);
      if (recorded == NULL)
        return NULL;
      replay_now (replay, recorded, replay->left_out);
      recorded_free (recorded);
    }
}

/* Queues a step for replay_step() and returns before it is followed. */
static gboolean
queue_step (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  Replay *replay = data;
  PhRecorded *recorded;

  if (replay->first == NULL)
    return replay_step (pass, model, parts, data, error);
  recorded = recorded_new (pass, model, parts);
  if (replay->follower == NULL)
    {
      replay->left_out = g_ptr_array_new_with_free_func (g_free);
      replay->follower = g_thread_new ("follower", follow_waiting, replay);
    }
  g_mutex_lock (&replay->lock);
  while (replay->waiting.length >= BEHIND)
    g_cond_wait (&replay->moved, &replay->lock);
  g_queue_push_tail (&replay->waiting, recorded);
  g_cond_signal (&replay->moved);
  g_mutex_unlock (&replay->lock);
  return TRUE;
}

/* Waits until all is followed. (transfer full) */
static PhModel *
replay_end (Replay *replay, PhHistory **history)
{
  if (replay->follower != NULL)
    {
      g_mutex_lock (&replay->lock);
      replay->ended = TRUE;
      g_cond_signal (&replay->moved);
      g_mutex_unlock (&replay->lock);
      g_thread_join (g_steal_pointer (&replay->follower));
      if (replay->problems != NULL)
        g_ptr_array_extend_and_steal (replay->problems, g_steal_pointer (&replay->left_out));
    }
  if (replay->history != NULL && replay->history->steps->len > 0)
    *history = g_steal_pointer (&replay->history);
  return g_steal_pointer (&replay->first);
}

typedef struct
{
  Replay replay;
  const char *start;
} Continuing;

static gboolean
follow_step (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  Continuing *continuing = data;
  GArray *steps = continuing->replay.history->steps;

  if (!replay_step (pass != NULL ? pass : continuing->start, model, parts, &continuing->replay, error))
    return FALSE;
  if (pass == NULL && steps->len > 0 && g_array_index (steps, PhStep, steps->len - 1).n_rewrites == 0)
    ph_history_abort_step (continuing->replay.history, continuing->replay.model);
  return TRUE;
}

PhHistory *
ph_recording_follow (const PhFormat *format, GBytes *bytes, const char *path, PhModel *model, const char *start,
                     GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  Continuing continuing = { { .first = model, .model = model, .history = ph_history_new (), .problems = problems }, start };

  if (!ph_format_record_bytes (format, bytes, path, follow_step, &continuing, problems, cancellable, error))
    g_clear_pointer (&continuing.replay.history, ph_history_free);
  g_clear_pointer (&continuing.replay.names, g_hash_table_unref);
  return continuing.replay.history;
}

static PhModel *
open_file (const char *path, PhHistory **history, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_auto (Replay) replay = { .problems = problems };

  return ph_format_record (path, queue_step, &replay, problems, cancellable, error) ? replay_end (&replay, history) : NULL;
}

/* Opens the folders of mlir-opt -mlir-print-ir-tree-dir: one per module, and in it one per function. */
static PhModel *
open_tree (const char *text, const char *folder, PhHistory **history, GPtrArray *problems, GCancellable *cancellable,
           GError **error)
{
  g_auto (Replay) replay = { .problems = problems };

  return ph_format_record_text (ph_format_find ("mlir-dump"), text, folder, queue_step, &replay, problems, cancellable, error)
             ? replay_end (&replay, history)
             : NULL;
}

/* ── folders ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns TRUE for the first pass's input, which comes first whatever its name: "input.mlir" before "1_fuse.mlir", "before.py" before
 * "after.py". */
static gboolean
is_input (const char *name)
{
  return g_str_has_prefix (name, "input.") || g_str_has_prefix (name, "original.") || g_str_has_prefix (name, "before.");
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  if (is_input (*(char **) a) != is_input (*(char **) b))
    return is_input (*(char **) a) ? -1 : 1;
  g_autofree char *key_a = g_utf8_collate_key_for_filename (*(char **) a, -1),
                  *key_b = g_utf8_collate_key_for_filename (*(char **) b, -1);
  const int order = strcmp (key_a, key_b);

  return order != 0 ? order : strcmp (*(char **) a, *(char **) b);
}

/* Returns the format of the file, if Peephole can open it and the file has one of its extensions. (nullable) */
static const PhFormat *
format_of_file (const char *path)
{
  g_autoptr (PhFile) file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? ph_file_open (path, NULL) : NULL;
  g_autoptr (GBytes) head = file != NULL ? ph_file_read_bytes (file, 0, MIN (ph_file_get_size (file), PH_FORMAT_HEAD), NULL)
                                         : NULL;
  const PhFormat *format = head != NULL ? ph_format_recognise (head, path) : NULL;

  return format != NULL && format->read != NULL && ph_format_has_pattern (format, path) ? format : NULL;
}

/* Returns the files of @folder in the most frequent format that can be opened, in order. @alone: (out) there are no others. (transfer full)
 * (element-type char*) */
static GPtrArray *
list_models (const char *folder, gboolean *alone, GPtrArray *problems, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) formats = g_ptr_array_new ();
  GPtrArray *paths;
  const PhFormat *most = NULL;

  if (dir == NULL)
    return NULL;
  for (const char *name; (name = g_dir_read_name (dir)) != NULL && names->len < MAX_FILES;)
    if (*name != '.' && g_utf8_validate (name, -1, NULL))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      gpointer format = (gpointer) format_of_file (path);

      g_ptr_array_add (formats, format);
      if (format == NULL)
        continue;
      g_hash_table_insert (counts, format, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, format)) + 1));
      if (most == NULL
          || GPOINTER_TO_UINT (g_hash_table_lookup (counts, format)) > GPOINTER_TO_UINT (g_hash_table_lookup (counts, most)))
        most = format;
    }
  paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < names->len; i++)
    if (most != NULL && formats->pdata[i] == most)
      g_ptr_array_add (paths, g_build_filename (folder, names->pdata[i], NULL));
    else if (formats->pdata[i] != NULL)
      add_problem (problems, "%s is of another kind than the other files, and was left out", (char *) names->pdata[i]);
  *alone = paths->len == names->len;
  if (paths->len == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: no model in this folder. `formats` lists what can be opened", folder);
      g_clear_pointer (&paths, g_ptr_array_unref);
    }
  return paths;
}

/* Returns the name of the pass: "constant_fold" for "12_constant_fold.onnx". */
static char *
step_name (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  char *dot = strrchr (base, '.'), *name = base;

  if (dot != NULL && dot > base)
    *dot = '\0';
  while (g_ascii_isdigit (*name))
    name++;
  if (name > base && g_ascii_isalpha (name[0]) && strchr ("_-.", name[1]) != NULL && name[1] != '\0')
    name++; /* "9a_" */
  while (name > base && *name != '\0' && strchr ("_-. ", *name) != NULL)
    name++;
  return g_strdup (*name != '\0' ? name : base);
}

/* Makes one step per file. A file identical to the previous one is not read, unless other files that may hold weights lie beside it. */
static PhModel *
open_models (const char *folder, PhHistory **history, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_auto (Replay) replay = { .problems = problems };
  gboolean alone = FALSE;
  g_autoptr (GPtrArray) paths = list_models (folder, &alone, problems, error);
  g_autoptr (GBytes) before = NULL;
  g_autoptr (PhStatements) statements = NULL;

  for (guint i = 0; paths != NULL && i < paths->len; i++)
    {
      g_autofree char *pass = step_name (paths->pdata[i]);
      g_autoptr (GBytes) bytes = alone ? ph_file_load (paths->pdata[i], NULL) : NULL;
      const gboolean same = bytes != NULL && before != NULL && g_bytes_equal (bytes, before);
      g_autoptr (GError) reason = NULL;
      GPtrArray *parts = NULL;
      PhModel *model
          = !same ? ph_io_open_next (paths->pdata[i], &statements, &parts, i == 0 ? problems : NULL, cancellable, &reason) : NULL;

      if (reason != NULL && (i == 0 || g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED)))
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
      if (reason != NULL)
        add_problem (problems, "Left out: %s", reason->message);
      else if (!queue_step (pass, model, parts, &replay, error))
        return NULL;
      if (reason == NULL)
        {
          g_clear_pointer (&before, g_bytes_unref);
          before = g_steal_pointer (&bytes);
        }
    }
  return paths != NULL ? replay_end (&replay, history) : NULL;
}

PhModel *
ph_recording_open (const char *path, PhHistory **history, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_autofree char *tree = NULL;
  g_autofree char *saved = g_build_filename (path, "saved_model.pb", NULL);

  *history = NULL;
  if (ph_xla_is_dump (path))
    return ph_xla_open_dump (path, history, problems, cancellable, error);
  if (ph_xla_lacks_module (path, error))
    return NULL;
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return open_file (path, history, problems, cancellable, error);
  if (g_file_test (saved, G_FILE_TEST_IS_REGULAR))
    return ph_io_open (saved, problems, cancellable, error);
  tree = ph_mlir_dump_tree (path);
  if (tree != NULL)
    return open_tree (tree, path, history, problems, cancellable, error);
  return open_models (path, history, problems, cancellable, error);
}
