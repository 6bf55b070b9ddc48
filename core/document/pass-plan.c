/* pass-plan.c: the passes to run, which of them a history already has, and where a run stops.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/pass-plan.h"

void
ph_pass_plan_init (PhPassPlan *plan)
{
  *plan = (PhPassPlan) { .entries = g_array_new (FALSE, TRUE, sizeof (PhPipelineEntry)),
                         .rules_off = g_ptr_array_new_with_free_func (g_free),
                         .breaks = g_ptr_array_new_with_free_func (g_free) };
}

void
ph_pass_plan_clear (PhPassPlan *plan)
{
  g_clear_pointer (&plan->name, g_free);
  g_clear_pointer (&plan->entries, g_array_unref);
  g_clear_pointer (&plan->rules_off, g_ptr_array_unref);
  g_clear_pointer (&plan->breaks, g_ptr_array_unref);
}

gboolean
ph_pass_plan_set (PhPassPlan *plan, const char *text, const PhPipelineFile *file, GError **error)
{
  PhExactness allow;
  g_autoptr (GArray) entries = ph_pipeline_parse (text, file, &allow, error);
  g_autofree char *own_name = g_strdup (text);

  if (entries == NULL)
    return FALSE;
  g_array_unref (plan->entries);
  plan->entries = g_steal_pointer (&entries);
  plan->allow = allow;
  plan->file = *file;
  g_free (plan->name);
  plan->name = g_steal_pointer (&own_name);
  return TRUE;
}

const char *
ph_pass_plan_get_idle (const PhPassPlan *plan)
{
  const PhPipeline *listed = ph_pipeline_find (plan->name);

  return listed != NULL && listed->passes[0] != NULL && plan->entries->len == 0 ? plan->file.idle : NULL;
}

/* Maps each step to the next enabled entry with its pass, or to -1 if another pass was run in between. */
int *
ph_pass_plan_map_steps (const PhPassPlan *plan, const PhHistory *history, guint base)
{
  guint n_steps = history != NULL ? history->steps->len : 0;
  int *map = g_new (int, n_steps + 1);
  guint next = 0;

  for (guint s = 0; s < n_steps; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      const PhPipelineEntry *entry;

      map[s] = -1;
      while (next < plan->entries->len && !g_array_index (plan->entries, PhPipelineEntry, next).enabled)
        next++;
      if (next == plan->entries->len)
        continue;
      entry = &g_array_index (plan->entries, PhPipelineEntry, next);
      if (g_str_equal (step->pass, entry->pass->name)
          && (s >= base || ph_pass_plan_is_first (entry->pass) || entry->pass == ph_pass_plan_convert ()))
        map[s] = (int) next++;
    }
  return map;
}

static const char *
break_of (const PhPassPlan *plan, const PhHistory *history, const PhStep *step, const PhRewrite *rewrite)
{
  g_autofree char *full = g_strdup_printf ("%s/%s", step->pass, rewrite->rule);

  for (guint i = 0; i < plan->breaks->len; i++)
    {
      const char *text = plan->breaks->pdata[i];
      guint64 id;

      if (g_str_equal (text, rewrite->rule) || g_str_equal (text, full))
        return text;
      if (*text != 'n' || !g_ascii_string_to_unsigned (text + 1, 10, 1, G_MAXUINT32, &id, NULL))
        continue;
      if (rewrite->node == id)
        return text;
      for (guint e = 0; e < rewrite->n_edits; e++)
        if (((const PhEdit *) history->edits->pdata[rewrite->first_edit + e])->id == id)
          return text;
    }
  return NULL;
}

const char *
ph_pass_plan_find_break (const PhPassPlan *plan, const PhHistory *history, PhPosition at)
{
  const PhStep *step;

  if (history == NULL || at.step >= history->steps->len)
    return NULL;
  step = &g_array_index (history->steps, PhStep, at.step);
  return at.rewrite < step->n_rewrites
             ? break_of (plan, history, step, &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + at.rewrite))
             : NULL;
}

PhPosition
ph_pass_plan_next_break (const PhPassPlan *plan, const PhHistory *history, PhPosition from, PhPosition end)
{
  if (plan->breaks->len == 0)
    return end;
  for (guint s = from.step; s < history->steps->len && s < end.step; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);

      for (guint r = s == from.step ? from.rewrite : 0; r < step->n_rewrites; r++)
        if (break_of (plan, history, step, &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + r)) != NULL)
          return (PhPosition) { s, r };
    }
  return end;
}
