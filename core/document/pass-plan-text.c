/* pass-plan-text.c: a pipeline as text: "allow=rounding", then passes, each with its settings, such as "cse:off:limit=3".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/pass-plan.h"

#include <string.h>

#include "core/nearest.h"

const PhPass *
ph_pass_plan_upgrade (void)
{
  return ph_pass_find ("upgrade-opset");
}

const PhPass *
ph_pass_plan_convert (void)
{
  return ph_pass_find ("convert-to-onnx");
}

/* Returns TRUE for the passes that only update the form of operators and that the user did not request. */
gboolean
ph_pass_plan_is_first (const PhPass *pass)
{
  return pass == ph_pass_plan_upgrade () || pass == ph_pass_find ("newest-form");
}

static gboolean
parse_option (const char *word, const char *option, PhPipelineEntry *entry, GError **error)
{
  guint64 limit;

  if (g_str_equal (option, "off"))
    entry->enabled = FALSE;
  else if (g_str_equal (option, "break"))
    entry->breakpoint = TRUE;
  else if (g_str_equal (option, "repeat"))
    entry->repeat = TRUE;
  else if (g_str_equal (option, "keep") && ph_pass_plan_is_first (entry->pass))
    entry->implied = TRUE;
  else if (g_str_has_prefix (option, "limit=")
           && g_ascii_string_to_unsigned (option + strlen ("limit="), 10, 1, G_MAXUINT - 1, &limit, NULL))
    entry->limit = (guint) limit;
  else
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE,
                   "'%s': a pass of a pipeline can be followed by :off, :break, :repeat or :limit=N", word);
      return FALSE;
    }
  return TRUE;
}

void
ph_pipeline_set_unknown (const char *name, GError **error)
{
  guint n, n_pipelines;
  const PhPass *const *list = ph_pass_list (&n);
  const PhPipeline *pipelines = ph_pipeline_list (&n_pipelines);
  g_autofree const char **names = g_new (const char *, n + n_pipelines + 1);
  const char *nearest;

  for (guint i = 0; i < n_pipelines; i++)
    names[i] = pipelines[i].name;
  for (guint i = 0; i < n; i++)
    names[n_pipelines + i] = list[i]->name;
  nearest = ph_nearest (name, names, n + n_pipelines);
  if (nearest != NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pipeline or pass '%s'; did you mean '%s'?", name, nearest);
  else
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no pipeline or pass '%s': `passes` and `pipeline` list them",
                 name);
}

static gboolean
parse_entry (const char *word, PhPipelineEntry *entry, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (word, ":", -1);

  *entry = (PhPipelineEntry) { .pass = ph_pass_find (parts[0]), .enabled = TRUE, .limit = G_MAXUINT };
  if (entry->pass == NULL)
    {
      ph_pipeline_set_unknown (parts[0], error);
      return FALSE;
    }
  if (entry->pass->needs_arguments)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "pass '%s' needs arguments, so it cannot be part of a pipeline: run it alone",
                   parts[0]);
      return FALSE;
    }
  for (guint i = 1; parts[i] != NULL; i++)
    if (!parse_option (word, parts[i], entry, error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_allow (const char *name, PhExactness *allow, GError **error)
{
  for (PhExactness class = PH_EXACT; class <= PH_LOSSY; class ++)
    if (g_str_equal (ph_exactness_name (class), name))
      {
        *allow = class;
        return TRUE;
      }
  g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "allow=%s: a pipeline may allow exact, exact-finite, rounding or lossy", name);
  return FALSE;
}

/* Puts what the file needs in front of the passes of the pipeline @listed (nullable), or of one's own. */
static void
suit_file (GArray *entries, const PhPipeline *listed, const PhPipelineFile *file)
{
  PhPipelineEntry first = { .pass = listed != NULL ? ph_pass_plan_upgrade () : ph_pass_find ("newest-form"),
                            .enabled = TRUE,
                            .limit = G_MAXUINT,
                            .implied = TRUE };
  const PhPipelineEntry convert = { .pass = ph_pass_plan_convert (), .enabled = TRUE, .limit = G_MAXUINT };

  for (guint i = 0; i < entries->len;)
    if (ph_pass_plan_is_first (g_array_index (entries, PhPipelineEntry, i).pass))
      {
        first = g_array_index (entries, PhPipelineEntry, i);
        g_array_remove_index (entries, i);
      }
    else
      i++;
  if (listed != NULL && file->idle != NULL && !file->foreign)
    g_array_set_size (entries, 0);
  if (listed != NULL && file->foreign && entries->len > 0)
    g_array_prepend_val (entries, convert);
  if ((entries->len > 0 || !first.implied) && file->opset > 0 && file->opset < PH_OPSET_NEWEST)
    g_array_prepend_val (entries, first);
}

GArray *
ph_pipeline_parse (const char *text, const PhPipelineFile *file, PhExactness *allow, GError **error)
{
  const PhPipeline *pipeline = ph_pipeline_find (text);
  g_auto (GStrv) words = pipeline == NULL ? g_strsplit_set (text, ", ", -1) : NULL;
  g_autoptr (GArray) entries = g_array_new (FALSE, TRUE, sizeof (PhPipelineEntry));
  PhPipelineEntry entry;

  *allow = pipeline != NULL ? pipeline->allow : PH_LOSSY;
  for (guint i = 0; pipeline != NULL && pipeline->passes != NULL && pipeline->passes[i] != NULL; i++)
    {
      if (!parse_entry (pipeline->passes[i], &entry, error))
        return NULL;
      g_array_append_val (entries, entry);
    }
  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    {
      if (*words[i] == '\0')
        continue;
      if (g_str_has_prefix (words[i], "allow="))
        {
          if (!parse_allow (words[i] + strlen ("allow="), allow, error))
            return NULL;
          continue;
        }
      if (!parse_entry (words[i], &entry, error))
        return NULL;
      g_array_append_val (entries, entry);
    }
  suit_file (entries, pipeline, file);
  return g_steal_pointer (&entries);
}

static gboolean
same_entry (const PhPipelineEntry *a, const PhPipelineEntry *b)
{
  return a->pass == b->pass && a->enabled == b->enabled && a->breakpoint == b->breakpoint && a->repeat == b->repeat
         && a->limit == b->limit;
}

/* Returns TRUE for the entry that is added automatically for old files: upgrade-opset in Peephole's own pipelines, newest-form in
 * others. */
static gboolean
goes_without_saying (const PhPipelineEntry *entry, gboolean own)
{
  return ph_pass_plan_is_first (entry->pass) && entry->implied && own == (entry->pass != ph_pass_plan_upgrade ())
         && same_entry (entry, &(PhPipelineEntry) { .pass = entry->pass, .enabled = TRUE, .limit = G_MAXUINT });
}

/* Returns how many of the first entries go without saying. */
static guint
n_unsaid (const GArray *entries, gboolean own)
{
  return entries->len > 0 && goes_without_saying (&g_array_index (entries, PhPipelineEntry, 0), own) ? 1 : 0;
}

/* Returns TRUE if the entries no longer equal the named pipeline. */
static gboolean
is_changed (const PhPassPlan *plan)
{
  const gboolean own = ph_pipeline_find (plan->name) == NULL;
  PhExactness allow;
  g_autoptr (GArray) named = ph_pipeline_parse (plan->name, &plan->file, &allow, NULL);
  const guint at = n_unsaid (plan->entries, own), from = named != NULL ? n_unsaid (named, own) : 0;

  if (named == NULL || named->len - from != plan->entries->len - at)
    return TRUE;
  for (guint i = 0; from + i < named->len; i++)
    if (!same_entry (&g_array_index (named, PhPipelineEntry, from + i), &g_array_index (plan->entries, PhPipelineEntry, at + i)))
      return TRUE;
  return FALSE;
}

gboolean
ph_pass_plan_is_own (const PhPassPlan *plan)
{
  return ph_pipeline_find (plan->name) == NULL || is_changed (plan);
}

char *
ph_pass_plan_to_text (const PhPassPlan *plan, const char *separator)
{
  GString *out;

  if (!ph_pass_plan_is_own (plan) || (g_str_equal (separator, ",") && !is_changed (plan)))
    return g_strdup (plan->name);
  out = g_string_new (NULL);
  if (plan->allow != PH_LOSSY || plan->entries->len == 0) /* the default of an unnamed list */
    g_string_append_printf (out, "allow=%s", ph_exactness_name (plan->allow));
  for (guint i = 0; i < plan->entries->len; i++)
    {
      const PhPipelineEntry *entry = &g_array_index (plan->entries, PhPipelineEntry, i);

      if (goes_without_saying (entry, TRUE))
        continue;
      g_string_append_printf (out, "%s%s%s%s%s%s", out->len > 0 ? separator : "", entry->pass->name,
                              entry->implied ? ":keep" : "", entry->enabled ? "" : ":off", entry->breakpoint ? ":break" : "",
                              entry->repeat ? ":repeat" : "");
      if (entry->limit != G_MAXUINT)
        g_string_append_printf (out, ":limit=%u", entry->limit);
    }
  if (out->len == 0)
    g_string_append_printf (out, "allow=%s", ph_exactness_name (plan->allow));
  return g_string_free (out, FALSE);
}
