/* hand-steps.c: steps that no pipeline recreates, such as a backward graph or another model, with the lines that made them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/hand-steps.h"

#include <glib/gi18n.h>

#include "views/model-copy.h"
#include "views/tab-state.h"

typedef struct
{
  guint step; /* index                                                                    */
  double ms;  /* duration; distinguishes it from a later step in its place                */
  char *line; /* NULL: made by the line of the step before; runs in any folder            */
} Made;

typedef struct
{
  GArray *made;                        /* (element-type Made) in the order of steps */
  char *base_pipeline, *base_position; /* (nullable)                                */
  char *compares;                      /* (nullable) the file with which the tab compares */
  GPtrArray *loads;                    /* (element-type char*) lines that loaded user passes */
  GHashTable *trusted;                 /* (element-type char*) foreign lines that were run here, or allowed to */
  GKeyFile *waiting_file;              /* (nullable) state to restore once the user allows its foreign lines */
  char *waiting_group;
} HandSteps;

static const char key[] = "hand-steps";

static void
clear_made (gpointer data)
{
  g_free (((Made *) data)->line);
}

static void
hand_steps_free (gpointer data)
{
  HandSteps *self = data;

  g_array_unref (self->made);
  g_ptr_array_unref (self->loads);
  g_hash_table_unref (self->trusted);
  g_clear_pointer (&self->waiting_file, g_key_file_unref);
  g_free (self->waiting_group);
  g_free (self->compares);
  g_free (self->base_pipeline);
  g_free (self->base_position);
  g_free (self);
}

static HandSteps *
steps_of (PhDocumentView *view)
{
  return g_object_get_data (G_OBJECT (view), key);
}

/* --- watching -------------------------------------------------------------------------------------------------------- */

static void
drop_gone (HandSteps *self, PhHistory *history)
{
  for (guint i = self->made->len; i-- > 0;)
    {
      const Made *made = &g_array_index (self->made, Made, i);
      if (!history || made->step >= history->steps->len || g_array_index (history->steps, PhStep, made->step).ms != made->ms)
        g_array_remove_index (self->made, i);
    }
}

static gboolean
is_known (HandSteps *self, guint step)
{
  for (guint i = 0; i < self->made->len; i++)
    if (g_array_index (self->made, Made, i).step == step)
      return TRUE;
  return FALSE;
}

static int
by_step (gconstpointer a, gconstpointer b)
{
  return (int) ((const Made *) a)->step - (int) ((const Made *) b)->step;
}

static void
drop_waiting (HandSteps *self)
{
  g_clear_pointer (&self->waiting_file, g_key_file_unref);
  g_clear_pointer (&self->waiting_group, g_free);
}

/* Trusts a line that the user typed or chose, so that it may run when the state is restored. */
static void
trust_line (HandSteps *self, const char *line)
{
  if (!ph_line_is_foreign (line))
    return;
  g_hash_table_add (self->trusted, g_strdup (line));
  if (g_str_has_prefix (line, "load-pass ") && !g_ptr_array_find_with_equal_func (self->loads, line, g_str_equal, NULL))
    g_ptr_array_add (self->loads, g_strdup (line));
}

/* Returns for each step whether the pipeline made it. (transfer full) */
static gboolean *
listed_steps (PhDocument *document)
{
  gboolean *listed = g_new0 (gboolean, ph_document_get_history (document)->steps->len);

  for (guint i = 0; i < ph_document_get_entries (document)->len; i++)
    {
      int step = ph_document_entry_step (document, i);
      if (step >= 0)
        listed[step] = TRUE;
    }
  return listed;
}

static void
on_finished (PhDocumentView *view, PhReply *reply)
{
  HandSteps *self = steps_of (view);
  PhDocument *document = ph_document_view_get_document (view);
  PhHistory *history = ph_document_get_history (document);
  g_autofree char *folder = g_get_current_dir (), *absolute = ph_line_to_absolute (reply->command, folder);
  const char *line = absolute;

  drop_gone (self, history);
  if (reply->ok)
    trust_line (self, absolute);
  if (!history || !reply->ok || history->steps->len == 0)
    return;
  g_autofree gboolean *listed = listed_steps (document);
  for (guint s = ph_document_get_n_recorded (document); s < history->steps->len; s++)
    if (!listed[s] && !is_known (self, s))
      {
        Made made = { s, g_array_index (history->steps, PhStep, s).ms, g_strdup (line) };
        g_array_append_val (self->made, made);
        line = NULL;
        /* A user who continues by hand does not want the earlier steps instead. */
        if (self->waiting_file && !ph_tab_state_is_restoring (view))
          {
            drop_waiting (self);
            ph_document_view_set_banner (view, NULL, NULL, NULL, NULL);
          }
      }
  g_array_sort (self->made, by_step);
}

/* Handles opening of another file, or the same one again. */
static void
on_opened (PhDocumentView *view)
{
  HandSteps *self = steps_of (view);

  g_array_set_size (self->made, 0);
  g_clear_pointer (&self->base_pipeline, g_free);
  g_clear_pointer (&self->base_position, g_free);
  drop_waiting (self);
  /* A comparison tab runs no passes; a model opened in it now is like any other. */
  if (self->compares && g_strcmp0 (self->compares, ph_document_get_path (ph_document_view_get_document (view))) != 0)
    {
      g_clear_pointer (&self->compares, g_free);
      ph_document_set_pipeline (ph_document_view_get_document (view), PH_PIPELINE_DEFAULT, NULL);
    }
}

void
ph_hand_steps_watch (PhDocumentView *view)
{
  HandSteps *self = g_new0 (HandSteps, 1);

  self->made = g_array_new (FALSE, FALSE, sizeof (Made));
  g_array_set_clear_func (self->made, clear_made);
  self->loads = g_ptr_array_new_with_free_func (g_free);
  self->trusted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_object_set_data_full (G_OBJECT (view), key, self, hand_steps_free);
  g_signal_connect_object (ph_document_view_get_console (view), "finished", G_CALLBACK (on_finished), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (ph_document_view_get_document (view), "opened", G_CALLBACK (on_opened), view, G_CONNECT_SWAPPED);
}

void
ph_hand_steps_set_compares (PhDocumentView *view, const char *path)
{
  HandSteps *self = steps_of (view);

  g_return_if_fail (self != NULL);
  g_free (self->compares);
  self->compares = g_strdup (path);
}

void
ph_hand_steps_set_base (PhDocumentView *view, PhDocumentView *from, PhPosition at)
{
  HandSteps *self = steps_of (view), *other = steps_of (from);
  PhDocument *document = ph_document_view_get_document (from);

  g_return_if_fail (self != NULL && other != NULL);
  if (at.step == 0 && at.rewrite == 0)
    {
      self->base_pipeline = g_strdup (other->base_pipeline);
      self->base_position = g_strdup (other->base_position);
      return;
    }
  self->base_pipeline = ph_document_pipeline_to_text (document, ",");
  self->base_position = ph_position_to_string (at);
}

gboolean
ph_hand_steps_find_compare (PhDocument *document, guint *step)
{
  PhHistory *history = ph_document_get_history (document);

  for (guint s = history ? history->steps->len : 0; s-- > 0;)
    if (g_str_has_prefix (g_array_index (history->steps, PhStep, s).pass, "compare "))
      {
        *step = s;
        return TRUE;
      }
  return FALSE;
}

gboolean
ph_hand_steps_compares (PhDocumentView *view)
{
  guint step;

  return steps_of (view)->compares || ph_hand_steps_find_compare (ph_document_view_get_document (view), &step);
}

gboolean
ph_hand_steps_any (PhDocumentView *view)
{
  HandSteps *self = steps_of (view);
  PhDocument *document = ph_document_view_get_document (view);
  PhHistory *history = ph_document_get_history (document);

  drop_gone (self, history);
  if (self->made->len > 0 || !history)
    return self->made->len > 0;
  /* A step that was not made by a line would be lost. */
  g_autofree gboolean *listed = listed_steps (document);
  for (guint s = ph_document_get_n_recorded (document); s < history->steps->len; s++)
    if (!listed[s])
      return TRUE;
  return FALSE;
}

/* --- the session ----------------------------------------------------------------------------------------------------- */

static void
copy_key (HandSteps *self, GKeyFile *file, const char *group, const char *name)
{
  g_autofree char *value = g_key_file_get_value (self->waiting_file, self->waiting_group, name, NULL);

  if (value)
    g_key_file_set_value (file, group, name, value);
}

/* Saves steps that await permission unchanged, with the position after them. */
static void
save_waiting (HandSteps *self, GKeyFile *file, const char *group)
{
  g_auto (GStrv) names = g_key_file_get_keys (self->waiting_file, self->waiting_group, NULL, NULL);

  for (guint i = 0; names && names[i]; i++)
    if (g_str_has_prefix (names[i], "hand-") || g_str_has_prefix (names[i], "load-") || g_str_has_prefix (names[i], "bookmark-")
        || g_str_equal (names[i], "position") || g_str_equal (names[i], "pipeline"))
      copy_key (self, file, group, names[i]);
}

void
ph_hand_steps_save (PhDocumentView *view, GKeyFile *file, const char *group)
{
  HandSteps *self = steps_of (view);

  if (self->waiting_file)
    {
      save_waiting (self, file, group);
      return;
    }
  for (guint i = 0; i < self->loads->len; i++)
    {
      g_autofree char *name = g_strdup_printf ("load-%u", i + 1);
      g_key_file_set_string (file, group, name, self->loads->pdata[i]);
    }
  for (guint i = 0, n = 0; ph_hand_steps_any (view) && i < self->made->len; i++)
    {
      const Made *made = &g_array_index (self->made, Made, i);
      g_autofree char *name = g_strdup_printf ("hand-%u", n + 1), *step_name = g_strdup_printf ("hand-%u-step", n + 1);
      if (!made->line)
        continue;
      n++;
      g_key_file_set_string (file, group, name, made->line);
      g_key_file_set_integer (file, group, step_name, (int) made->step);
    }
  if (self->compares)
    g_key_file_set_string (file, group, "compares", self->compares);
  if (self->base_pipeline)
    {
      g_key_file_set_string (file, group, "base-pipeline", self->base_pipeline);
      g_key_file_set_string (file, group, "base-position", self->base_position);
    }
}

char *
ph_hand_steps_base (GKeyFile *file, const char *group)
{
  return g_key_file_get_string (file, group, "base-pipeline", NULL);
}

/* --- and back -------------------------------------------------------------------------------------------------------- */

typedef struct
{
  GKeyFile *file;
  char *group;
  void (*queued) (gpointer data);
  gpointer data;
} Restore;

/* Returns line @n, from 1: first those of loaded passes, then those of the steps. @step: G_MAXUINT, or the step at which it ran.
 * (nullable) */
static char *
line_of (GKeyFile *file, const char *group, guint n, guint *step)
{
  guint n_loads = 0;

  for (;; n_loads++)
    {
      g_autofree char *name = g_strdup_printf ("load-%u", n_loads + 1);
      if (!g_key_file_has_key (file, group, name, NULL))
        break;
    }
  *step = G_MAXUINT;
  g_autofree char *name = n <= n_loads ? g_strdup_printf ("load-%u", n) : g_strdup_printf ("hand-%u", n - n_loads);
  g_autofree char *step_name = g_strdup_printf ("%s-step", name);
  if (n > n_loads)
    *step = (guint) g_key_file_get_integer (file, group, step_name, NULL);
  return g_key_file_get_string (file, group, name, NULL);
}

static gboolean
is_allowed (HandSteps *self, const char *line)
{
  return !ph_line_is_foreign (line) || g_hash_table_contains (self->trusted, line);
}

/* Runs the saved lines. A foreign program only runs if the user allowed it in this session: otherwise it waits, with all later lines, which
 * would start from another state. */
static void
restore_lines (PhDocumentView *view, Restore *restore, gboolean lines)
{
  HandSteps *self = steps_of (view);
  guint step;

  for (guint n = 1; lines; n++)
    {
      g_autofree char *line = line_of (restore->file, restore->group, n, &step), *before = g_strdup_printf ("goto %u", step);
      if (!line)
        break;
      if (!is_allowed (self, line))
        {
          drop_waiting (self);
          self->waiting_file = g_key_file_ref (restore->file);
          self->waiting_group = g_strdup (restore->group);
          break;
        }
      if (step != G_MAXUINT)
        ph_document_view_run (view, before);
      ph_document_view_run (view, line);
    }
  restore->queued (restore->data);
  g_key_file_unref (restore->file);
  g_free (restore->group);
  g_free (restore);
}

/* The file is opened again, so some of the steps may exist already. */
static void
run_waiting (gpointer data)
{
  PhDocumentView *view = data;
  HandSteps *self = steps_of (view);
  g_autoptr (GKeyFile) file = g_steal_pointer (&self->waiting_file);
  g_autofree char *group = g_steal_pointer (&self->waiting_group), *line = NULL;
  guint step;

  for (guint n = 1; file && (line = line_of (file, group, n, &step)); n++)
    g_hash_table_add (self->trusted, g_steal_pointer (&line));
  if (!file)
    return;
  ph_document_view_run (view, "reload");
  ph_tab_state_restore (view, file, group, TRUE);
}

void
ph_hand_steps_ask (PhDocumentView *view)
{
  HandSteps *self = steps_of (view);
  g_autoptr (GString) lines = g_string_new (NULL);
  g_autofree char *line = NULL;
  guint step;

  if (!self->waiting_file)
    return;
  for (guint n = 1; (line = line_of (self->waiting_file, self->waiting_group, n, &step)); n++)
    {
      if (!is_allowed (self, line))
        g_string_append_printf (lines, "%s%s", lines->len > 0 ? ", " : "", line);
      g_clear_pointer (&line, g_free);
    }
  g_autofree char *text = g_strdup_printf (
      _ ("Programs of an earlier session run again only when you say so. The steps that they made wait: %s"), lines->str);
  ph_document_view_set_banner (view, text, _ ("_Run Again"), G_CALLBACK (run_waiting), view);
}

static void
set_compares (PhDocumentView *view, GKeyFile *file, const char *group)
{
  g_free (steps_of (view)->compares);
  steps_of (view)->compares = g_key_file_get_string (file, group, "compares", NULL);
}

static void
on_copied (PhDocumentView *view, PhModel *model, PhModel *copy, gpointer data)
{
  Restore *restore = data;
  PhDocument *document = ph_document_view_get_document (view);

  if (model)
    {
      g_autofree char *own = g_key_file_get_string (restore->file, restore->group, "pipeline", NULL);
      g_autofree char *path = g_strdup (ph_document_get_path (document));
      ph_document_set_pipeline (document, own && *own ? own : "none", NULL);
      ph_document_take_models (document, model, copy, path, NULL);
      set_compares (view, restore->file, restore->group);
      steps_of (view)->base_pipeline = ph_hand_steps_base (restore->file, restore->group);
      steps_of (view)->base_position = g_key_file_get_string (restore->file, restore->group, "base-position", NULL);
    }
  restore_lines (view, restore, model != NULL);
}

void
ph_hand_steps_restore (PhDocumentView *view, GKeyFile *file, const char *group, void (*queued) (gpointer data), gpointer data)
{
  g_autofree char *base = ph_hand_steps_base (file, group), *text = g_key_file_get_string (file, group, "base-position", NULL);
  Restore *restore = g_new0 (Restore, 1);
  PhPosition at;

  set_compares (view, file, group);
  *restore = (Restore) { g_key_file_ref (file), g_strdup (group), queued, data };
  if (base && text && !ph_document_view_has_work (view)
      && ph_position_parse (ph_document_get_history (ph_document_view_get_document (view)), text, &at, NULL))
    ph_model_copy_make (view, at, on_copied, restore);
  else
    restore_lines (view, restore, TRUE);
}
