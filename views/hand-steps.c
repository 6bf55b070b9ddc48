/* hand-steps.c: steps that no pipeline makes again, such as a backward graph or another model: by which lines they were made.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/hand-steps.h"

#include "views/model-copy.h"

typedef struct
{
  guint  step;       /* index                                                                    */
  double ms;         /* how long it took: tells it from another one that came in its place       */
  char  *line;       /* (nullable) made by the line of the step before                           */
} Made;

typedef struct
{
  GArray *made;                            /* (element-type Made) in the order of steps */
  char   *base_pipeline, *base_position;   /* (nullable)                                */
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
on_finished (PhDocumentView *view, PhReply *reply)
{
  HandSteps *self = steps_of (view);
  PhDocument *document = ph_document_view_get_document (view);
  PhHistory *history = ph_document_get_history (document);
  const char *line = reply->command;

  drop_gone (self, history);
  if (!history || !reply->ok || history->steps->len == 0)
    return;
  g_autofree gboolean *listed = g_new0 (gboolean, history->steps->len);
  for (guint i = 0; i < ph_document_get_entries (document)->len; i++)
    {
      int step = ph_document_entry_step (document, i);
      if (step >= 0)
        listed[step] = TRUE;
    }
  for (guint s = 0; s < history->steps->len; s++)
    if (!listed[s] && !is_known (self, s))
      {
        Made made = { s, g_array_index (history->steps, PhStep, s).ms, g_strdup (line) };
        g_array_append_val (self->made, made);
        line = NULL;
      }
  g_array_sort (self->made, by_step);
}

/* Another file, or the same again. */
static void
on_opened (PhDocumentView *view)
{
  HandSteps *self = steps_of (view);

  g_array_set_size (self->made, 0);
  g_clear_pointer (&self->base_pipeline, g_free);
  g_clear_pointer (&self->base_position, g_free);
}

void
ph_hand_steps_watch (PhDocumentView *view)
{
  HandSteps *self = g_new0 (HandSteps, 1);

  self->made = g_array_new (FALSE, FALSE, sizeof (Made));
  g_array_set_clear_func (self->made, clear_made);
  g_object_set_data_full (G_OBJECT (view), key, self, hand_steps_free);
  g_signal_connect_object (ph_document_view_get_console (view), "finished", G_CALLBACK (on_finished), view, G_CONNECT_SWAPPED);
  g_signal_connect_object (ph_document_view_get_document (view), "opened", G_CALLBACK (on_opened), view, G_CONNECT_SWAPPED);
}

void
ph_hand_steps_set_base (PhDocumentView *view, PhDocument *from)
{
  HandSteps *self = steps_of (view);
  PhPosition at = ph_document_get_position (from);

  g_return_if_fail (self != NULL);
  if (at.step == 0 && at.rewrite == 0)
    return;
  self->base_pipeline = ph_document_pipeline_to_text (from, ",");
  self->base_position = ph_position_to_string (at);
}

gboolean
ph_hand_steps_any (PhDocumentView *view)
{
  HandSteps *self = steps_of (view);

  drop_gone (self, ph_document_get_history (ph_document_view_get_document (view)));
  return self->made->len > 0;
}

/* --- the session ----------------------------------------------------------------------------------------------------- */

void
ph_hand_steps_save (PhDocumentView *view, GKeyFile *file, const char *group)
{
  HandSteps *self = steps_of (view);

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

typedef struct { GKeyFile *file; char *group; void (*queued) (gpointer data); gpointer data; } Restore;

static void
restore_lines (PhDocumentView *view, Restore *restore, gboolean lines)
{
  for (guint n = 0; lines; n++)
    {
      g_autofree char *name = g_strdup_printf ("hand-%u", n + 1), *step_name = g_strdup_printf ("hand-%u-step", n + 1);
      g_autofree char *line = g_key_file_get_string (restore->file, restore->group, name, NULL);
      g_autofree char *before = g_strdup_printf ("goto %d", g_key_file_get_integer (restore->file, restore->group, step_name, NULL));
      if (!line)
        break;
      ph_document_view_run (view, before);
      ph_document_view_run (view, line);
    }
  restore->queued (restore->data);
  g_key_file_unref (restore->file);
  g_free (restore->group);
  g_free (restore);
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

  *restore = (Restore) { g_key_file_ref (file), g_strdup (group), queued, data };
  if (base && text && !ph_document_view_has_work (view)
      && ph_position_parse (ph_document_get_history (ph_document_view_get_document (view)), text, &at, NULL))
    ph_model_copy_make (view, at, on_copied, restore);
  else
    restore_lines (view, restore, TRUE);
}
