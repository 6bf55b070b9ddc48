/* pipeline.c: a document's plan. A change drops the steps that no longer follow from it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

#include <string.h>

int *
ph_document_map_steps (PhDocument *document)
{
  return ph_pass_plan_map_steps (&document->plan, document->history, document->base);
}

int
ph_document_entry_step (PhDocument *document, guint index)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), -1);

  guint n_steps = document->history != NULL ? document->history->steps->len : 0;
  g_autofree int *map = ph_document_map_steps (document);

  for (guint s = 0; s < n_steps; s++)
    if (map[s] == (int) index)
      return (int) s;
  return -1;
}

guint
ph_document_next_entry (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), G_MAXUINT);

  guint n_done = ph_document_get_position (document).step, next = 0;
  g_autofree int *map = ph_document_map_steps (document);

  for (guint s = 0; s < n_done; s++)
    if (map[s] >= 0)
      next = (guint) map[s] + 1;
  while (next < document->plan.entries->len && !g_array_index (document->plan.entries, PhPipelineEntry, next).enabled)
    next++;
  return next < document->plan.entries->len ? next : G_MAXUINT;
}

const char *
ph_document_get_pipeline (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->plan.name;
}

PhExactness
ph_document_get_allow (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), PH_ROUNDING);
  return document->plan.allow;
}

const char *
ph_document_get_idle (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return ph_pass_plan_get_idle (&document->plan);
}

void
ph_document_set_idle (PhDocument *document)
{
  g_autofree char *name = ph_document_pipeline_to_text (document, ",");

  document->file.foreign = FALSE;
  ph_pass_plan_set (&document->plan, name, &document->file, NULL);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

GArray *
ph_document_get_entries (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->plan.entries;
}

gboolean
ph_document_set_pipeline (PhDocument *document, const char *name, GError **error)
{
  PhPosition end;

  g_return_val_if_fail (PH_IS_DOCUMENT (document) && name != NULL, FALSE);

  end = ph_document_get_position (document);
  if (!ph_pass_plan_set (&document->plan, name, &document->file, error))
    return FALSE;
  /* The passes follow what was recorded, wherever the document stands in it. */
  if (end.step < document->n_recorded)
    end = (PhPosition) { document->n_recorded, 0 };
  ph_document_truncate (document, end);
  document->base = end.step;
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
  return TRUE;
}

/* Drops the steps from the first one that no longer follows from the changed entries. */
static void
drop_steps_of_another_pipeline (PhDocument *document, const int *old_map)
{
  guint n_steps = document->history != NULL ? document->history->steps->len : 0;
  g_autofree int *map = ph_document_map_steps (document);

  for (guint s = 0; s < n_steps; s++)
    if (old_map[s] >= 0 && map[s] < 0)
      {
        ph_document_truncate (document, (PhPosition) { s, 0 });
        return;
      }
}

void
ph_document_set_entry (PhDocument *document, guint index, const PhPipelineEntry *entry)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && index < document->plan.entries->len);

  PhPipelineEntry *own = &g_array_index (document->plan.entries, PhPipelineEntry, index);
  g_autofree int *map = ph_document_map_steps (document);
  gboolean switched = own->enabled != entry->enabled, differs = own->limit != entry->limit || own->repeat != entry->repeat;
  int step = ph_document_entry_step (document, index);

  own->enabled = entry->enabled;
  own->breakpoint = entry->breakpoint;
  own->limit = entry->limit;
  own->repeat = entry->repeat;
  if (differs && step >= 0)
    ph_document_truncate (document, (PhPosition) { (guint) step, 0 });
  else if (switched)
    drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

void
ph_document_move_entry (PhDocument *document, guint from, guint to)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && from < document->plan.entries->len && to < document->plan.entries->len);

  if (from == to)
    return;

  PhPipelineEntry entry = g_array_index (document->plan.entries, PhPipelineEntry, from);
  g_autofree int *map = ph_document_map_steps (document);

  g_array_remove_index (document->plan.entries, from);
  g_array_insert_val (document->plan.entries, to, entry);
  drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

void
ph_document_insert_entry (PhDocument *document, guint at, const PhPass *pass)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && at <= document->plan.entries->len && pass != NULL);

  PhPipelineEntry entry = { .pass = pass, .enabled = TRUE, .limit = G_MAXUINT };
  g_autofree int *map = ph_document_map_steps (document);

  g_array_insert_val (document->plan.entries, at, entry);
  drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

void
ph_document_remove_entry (PhDocument *document, guint index)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && index < document->plan.entries->len);

  g_autofree int *map = ph_document_map_steps (document);

  g_array_remove_index (document->plan.entries, index);
  drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

/* ── rules ── */

GPtrArray *
ph_document_get_rules_off (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->plan.rules_off;
}

/* Removes @text, or adds it. */
static void
set_member (GPtrArray *array, const char *text, gboolean member)
{
  guint at;

  if (g_ptr_array_find_with_equal_func (array, text, g_str_equal, &at))
    {
      if (!member)
        g_ptr_array_remove_index (array, at);
    }
  else if (member)
    g_ptr_array_add (array, g_strdup (text));
}

/* Steps of the pass in the history were made with the other setting of the rule. */
void
ph_document_set_rule (PhDocument *document, const char *rule, gboolean enabled)
{
  g_autofree char *pass = g_strndup (rule, strcspn (rule, "/"));

  g_return_if_fail (PH_IS_DOCUMENT (document));

  set_member (document->plan.rules_off, rule, !enabled);
  for (guint s = document->n_recorded; document->history != NULL && s < document->history->steps->len; s++)
    if (g_str_equal (g_array_index (document->history->steps, PhStep, s).pass, pass))
      {
        ph_document_truncate (document, (PhPosition) { s, 0 });
        break;
      }
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

GPtrArray *
ph_document_get_breaks (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->plan.breaks;
}

void
ph_document_toggle_break (PhDocument *document, const char *rule_or_node)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  set_member (document->plan.breaks, rule_or_node,
              !g_ptr_array_find_with_equal_func (document->plan.breaks, rule_or_node, g_str_equal, NULL));
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

const char *
ph_document_find_break (PhDocument *document, PhPosition at)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return ph_pass_plan_find_break (&document->plan, document->history, at);
}

PhPosition
ph_document_next_break (PhDocument *document, PhPosition from, PhPosition end)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), end);
  return ph_pass_plan_next_break (&document->plan, document->history, from, end);
}

gboolean
ph_document_pipeline_is_own (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), FALSE);
  return ph_pass_plan_is_own (&document->plan);
}

char *
ph_document_pipeline_to_text (PhDocument *document, const char *separator)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document) && separator != NULL, NULL);
  return ph_pass_plan_to_text (&document->plan, separator);
}
