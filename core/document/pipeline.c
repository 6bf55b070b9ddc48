/* pipeline.c: the passes that a document is going to run, and which of them its history has already.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

#include <string.h>

const PhPass *
ph_document_upgrade (void)
{
  return ph_pass_find ("upgrade-opset");
}

/* For the operators' form only: nobody asked for it. */
gboolean
ph_document_is_first (const PhPass *pass)
{
  return pass == ph_document_upgrade () || pass == ph_pass_find ("newest-form");
}

gboolean
ph_document_fill_entries (PhDocument *document, const char *name, GError **error)
{
  PhExactness allow;
  g_autoptr (GArray) entries = ph_pipeline_parse (name, &allow, error);
  g_autofree char *own_name = g_strdup (name);
  PhPipelineEntry first = { .pass = ph_pipeline_find (name) != NULL ? ph_document_upgrade () : ph_pass_find ("newest-form"),
                            .enabled = TRUE,
                            .limit = G_MAXUINT,
                            .implied = TRUE };

  if (entries == NULL)
    return FALSE;
  for (guint i = 0; i < entries->len;)
    if (ph_document_is_first (g_array_index (entries, PhPipelineEntry, i).pass))
      {
        first = g_array_index (entries, PhPipelineEntry, i);
        g_array_remove_index (entries, i);
      }
    else
      i++;
  if ((entries->len > 0 || !first.implied) && document->file_opset > 0 && document->file_opset < PH_OPSET_NEWEST)
    g_array_prepend_val (entries, first);

  g_array_unref (document->entries);
  document->entries = g_steal_pointer (&entries);
  document->allow = allow;
  g_free (document->pipeline);
  document->pipeline = g_steal_pointer (&own_name);
  return TRUE;
}

/* A step belongs to an entry when it is the next enabled one's pass. Whatever else was run between is nobody's. */
int *
ph_document_map_steps (PhDocument *document)
{
  guint n_steps = document->history != NULL ? document->history->steps->len : 0;
  int *map = g_new (int, n_steps + 1);
  guint next = 0;

  for (guint s = 0; s < n_steps; s++)
    {
      const PhStep *step = &g_array_index (document->history->steps, PhStep, s);
      const PhPipelineEntry *entry;

      map[s] = -1;
      while (next < document->entries->len && !g_array_index (document->entries, PhPipelineEntry, next).enabled)
        next++;
      if (next == document->entries->len)
        continue;
      entry = &g_array_index (document->entries, PhPipelineEntry, next);
      if (g_str_equal (step->pass, entry->pass->name) && (s >= document->base || ph_document_is_first (entry->pass)))
        map[s] = (int) next++;
    }
  return map;
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
  while (next < document->entries->len && !g_array_index (document->entries, PhPipelineEntry, next).enabled)
    next++;
  return next < document->entries->len ? next : G_MAXUINT;
}

const char *
ph_document_get_pipeline (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->pipeline;
}

PhExactness
ph_document_get_allow (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), PH_ROUNDING);
  return document->allow;
}

GArray *
ph_document_get_entries (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->entries;
}

gboolean
ph_document_set_pipeline (PhDocument *document, const char *name, GError **error)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document) && name != NULL, FALSE);

  if (!ph_document_fill_entries (document, name, error))
    return FALSE;
  ph_document_truncate (document, ph_document_get_position (document));
  document->base = ph_document_get_position (document).step;
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
  return TRUE;
}

/* After the entries changed: back to before the first step that no longer follows from them. */
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
  g_return_if_fail (PH_IS_DOCUMENT (document) && index < document->entries->len);

  PhPipelineEntry *own = &g_array_index (document->entries, PhPipelineEntry, index);
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
  g_return_if_fail (PH_IS_DOCUMENT (document) && from < document->entries->len && to < document->entries->len);

  if (from == to)
    return;

  PhPipelineEntry entry = g_array_index (document->entries, PhPipelineEntry, from);
  g_autofree int *map = ph_document_map_steps (document);

  g_array_remove_index (document->entries, from);
  g_array_insert_val (document->entries, to, entry);
  drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

void
ph_document_insert_entry (PhDocument *document, guint at, const PhPass *pass)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && at <= document->entries->len && pass != NULL);

  PhPipelineEntry entry = { .pass = pass, .enabled = TRUE, .limit = G_MAXUINT };
  g_autofree int *map = ph_document_map_steps (document);

  g_array_insert_val (document->entries, at, entry);
  drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

void
ph_document_remove_entry (PhDocument *document, guint index)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && index < document->entries->len);

  g_autofree int *map = ph_document_map_steps (document);

  g_array_remove_index (document->entries, index);
  drop_steps_of_another_pipeline (document, map);
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

/* ── rules ── */

GPtrArray *
ph_document_get_rules_off (PhDocument *document)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);
  return document->rules_off;
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

/* The steps that such a pass has made already are not those that it would make now. */
void
ph_document_set_rule (PhDocument *document, const char *rule, gboolean enabled)
{
  g_autofree char *pass = g_strndup (rule, strcspn (rule, "/"));

  g_return_if_fail (PH_IS_DOCUMENT (document));

  set_member (document->rules_off, rule, !enabled);
  for (guint s = 0; document->history != NULL && s < document->history->steps->len; s++)
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
  return document->breaks;
}

void
ph_document_toggle_break (PhDocument *document, const char *rule_or_node)
{
  g_return_if_fail (PH_IS_DOCUMENT (document));

  set_member (document->breaks, rule_or_node,
              !g_ptr_array_find_with_equal_func (document->breaks, rule_or_node, g_str_equal, NULL));
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

static const char *
break_of (PhDocument *document, const PhStep *step, const PhRewrite *rewrite)
{
  g_autofree char *full = g_strdup_printf ("%s/%s", step->pass, rewrite->rule);

  for (guint i = 0; i < document->breaks->len; i++)
    {
      const char *text = document->breaks->pdata[i];
      guint64 id;

      if (g_str_equal (text, rewrite->rule) || g_str_equal (text, full))
        return text;
      if (*text != 'n' || !g_ascii_string_to_unsigned (text + 1, 10, 1, G_MAXUINT32, &id, NULL))
        continue;
      if (rewrite->node == id)
        return text;
      for (guint e = 0; e < rewrite->n_edits; e++)
        if (((const PhEdit *) document->history->edits->pdata[rewrite->first_edit + e])->id == id)
          return text;
    }
  return NULL;
}

const char *
ph_document_find_break (PhDocument *document, PhPosition at)
{
  const PhStep *step;

  g_return_val_if_fail (PH_IS_DOCUMENT (document), NULL);

  if (document->history == NULL || at.step >= document->history->steps->len)
    return NULL;
  step = &g_array_index (document->history->steps, PhStep, at.step);
  return at.rewrite < step->n_rewrites ? break_of (
             document, step, &g_array_index (document->history->rewrites, PhRewrite, step->first_rewrite + at.rewrite))
                                       : NULL;
}

PhPosition
ph_document_next_break (PhDocument *document, PhPosition from, PhPosition end)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), end);

  if (document->breaks->len == 0)
    return end;
  for (guint s = from.step; s < document->history->steps->len && s < end.step; s++)
    {
      const PhStep *step = &g_array_index (document->history->steps, PhStep, s);

      for (guint r = s == from.step ? from.rewrite : 0; r < step->n_rewrites; r++)
        if (break_of (document, step, &g_array_index (document->history->rewrites, PhRewrite, step->first_rewrite + r)) != NULL)
          return (PhPosition) { s, r };
    }
  return end;
}
