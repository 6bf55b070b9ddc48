/* pipeline.c: the passes that a document is going to run, and which of them its history has already.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document-private.h"

#include <string.h>

const PhPass *
ph_document_upgrade (void)
{
  return ph_pass_find ("upgrade-opset");
}

static gboolean
pass_takes_arguments (const PhPass *pass, const char *name, GError **error)
{
  if (!pass->needs_arguments)
    return FALSE;
  g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "pass '%s' needs arguments, so it cannot stand in a pipeline: run it alone",
               name);
  return TRUE;
}

gboolean
ph_document_fill_entries (PhDocument *document, const char *name, GError **error)
{
  const PhPipeline  *pipeline = ph_pipeline_find (name);
  g_auto(GStrv)      own = pipeline == NULL ? g_strsplit_set (name, ", ", -1) : NULL;
  const char *const *passes = pipeline != NULL ? pipeline->passes : (const char *const *) own;
  g_autoptr(GArray)  entries = g_array_new (FALSE, TRUE, sizeof (PhPipelineEntry));
  g_autofree char   *own_name = g_strdup (name);
  const PhPass      *upgrade = ph_document_upgrade ();

  for (guint i = 0; passes != NULL && passes[i] != NULL; i++)
    {
      const PhPass *pass = ph_pass_find (passes[i]);

      if (*passes[i] == '\0')
        continue;
      if (pass == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pipeline or pass '%s': `passes` and `pipeline` list them",
                       passes[i]);
          return FALSE;
        }
      if (pass_takes_arguments (pass, passes[i], error))
        return FALSE;
      if (pass == upgrade)
        continue;
      g_array_append_val (entries, ((PhPipelineEntry) { pass, TRUE, FALSE }));
    }

  if (upgrade != NULL && entries->len > 0 && document->file_opset > 0 && document->file_opset < PH_OPSET_NEWEST)
    g_array_prepend_val (entries, ((PhPipelineEntry) { upgrade, TRUE, FALSE }));

  g_array_unref (document->entries);
  document->entries = g_steal_pointer (&entries);
  document->allow = pipeline != NULL ? pipeline->allow : PH_LOSSY;
  g_free (document->pipeline);
  document->pipeline = g_steal_pointer (&own_name);
  return TRUE;
}

/* A step belongs to an entry when it is the next enabled one's pass. Whatever else was run between is nobody's. */
int *
ph_document_map_steps (PhDocument *document)
{
  guint n_steps = document->history != NULL ? document->history->steps->len : 0;
  int  *map = g_new (int, n_steps + 1);
  guint next = 0;

  for (guint s = 0; s < n_steps; s++)
    {
      const PhStep          *step = &g_array_index (document->history->steps, PhStep, s);
      const PhPipelineEntry *entry;

      map[s] = -1;
      while (next < document->entries->len && !g_array_index (document->entries, PhPipelineEntry, next).enabled)
        next++;
      if (next == document->entries->len)
        continue;
      entry = &g_array_index (document->entries, PhPipelineEntry, next);
      if (g_str_equal (step->pass, entry->pass->name) && (s >= document->base || entry->pass == ph_document_upgrade ()))
        map[s] = (int) next++;
    }
  return map;
}

int
ph_document_entry_step (PhDocument *document, guint index)
{
  g_return_val_if_fail (PH_IS_DOCUMENT (document), -1);

  guint           n_steps = document->history != NULL ? document->history->steps->len : 0;
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

  guint           n_done = ph_document_get_position (document).step, next = 0;
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
  guint           n_steps = document->history != NULL ? document->history->steps->len : 0;
  g_autofree int *map = ph_document_map_steps (document);

  for (guint s = 0; s < n_steps; s++)
    if (old_map[s] >= 0 && map[s] < 0)
      {
        ph_document_truncate (document, (PhPosition) { s, 0 });
        return;
      }
}

void
ph_document_set_entry (PhDocument *document, guint index, gboolean enabled, gboolean breakpoint)
{
  g_return_if_fail (PH_IS_DOCUMENT (document) && index < document->entries->len);

  PhPipelineEntry *entry = &g_array_index (document->entries, PhPipelineEntry, index);
  g_autofree int  *map = ph_document_map_steps (document);
  gboolean         changed = entry->enabled != enabled;

  entry->enabled = enabled;
  entry->breakpoint = breakpoint;
  if (changed)
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

  set_member (document->breaks, rule_or_node, !g_ptr_array_find_with_equal_func (document->breaks, rule_or_node, g_str_equal, NULL));
  ph_document_emit (document, SIGNAL_PIPELINE_CHANGED);
}

static gboolean
is_break (PhDocument *document, const PhStep *step, const PhRewrite *rewrite)
{
  g_autofree char *full = g_strdup_printf ("%s/%s", step->pass, rewrite->rule);

  for (guint i = 0; i < document->breaks->len; i++)
    {
      const char *text = document->breaks->pdata[i];
      guint64     id;

      if (g_str_equal (text, rewrite->rule) || g_str_equal (text, full))
        return TRUE;
      if (*text != 'n' || !g_ascii_string_to_unsigned (text + 1, 10, 1, G_MAXUINT32, &id, NULL))
        continue;
      if (rewrite->node == id)
        return TRUE;
      for (guint e = 0; e < rewrite->n_edits; e++)
        if (((const PhEdit *) document->history->edits->pdata[rewrite->first_edit + e])->id == id)
          return TRUE;
    }
  return FALSE;
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
        if (is_break (document, step, &g_array_index (document->history->rewrites, PhRewrite, step->first_rewrite + r)))
          return (PhPosition) { s, r };
    }
  return end;
}
