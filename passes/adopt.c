/* adopt.c: replaces the model of a pass by another one, part by part.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/adopt.h"

#include "core/analyze/hunks.h"

typedef struct
{
  PhPassRun *run;
  const char *rule, *why;
  JsonArray *rewrites; /* (nullable) */
} Adopting;

static gboolean
names_node (JsonObject *row, const PhNode *node)
{
  JsonArray *nodes = json_object_has_member (row, "nodes") ? json_object_get_array_member (row, "nodes") : NULL;
  g_autofree char *label = *node->name != '\0' ? g_strdup_printf ("%s '%s'", node->op_type, node->name) : NULL;

  for (guint i = 0; label != NULL && nodes != NULL && i < json_array_get_length (nodes); i++)
    if (g_str_equal (json_array_get_string_element (nodes, i), label))
      return TRUE;
  return FALSE;
}

/* Finds the rules that made @hunk ("one + other"), and the first one's sentence. Returns FALSE if they are unknown. */
static gboolean
find_rule (JsonArray *rewrites, const PhRegion *hunk, GString *rules, const char **why)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char *only = NULL, *only_why = NULL;
  gboolean all_same = TRUE;

  for (guint i = 0; i < json_array_get_length (rewrites); i++)
    {
      JsonObject *row = json_array_get_object_element (rewrites, i);
      const char *rule = json_object_get_string_member_with_default (row, "rule", "");
      gboolean here = FALSE;

      all_same &= only == NULL || g_str_equal (only, rule);
      if (only == NULL)
        {
          only = rule;
          only_why = json_object_get_string_member_with_default (row, "why", "");
        }
      for (guint k = 0; hunk != NULL && k < hunk->before->len && !here; k++)
        here = names_node (row, hunk->before->pdata[k]);
      if (here && g_hash_table_add (seen, (gpointer) rule))
        {
          if (rules->len == 0)
            *why = json_object_get_string_member_with_default (row, "why", "");
          g_string_append_printf (rules, "%s%s", rules->len > 0 ? " + " : "", rule);
        }
    }
  if (rules->len == 0 && only != NULL && all_same)
    {
      g_string_append (rules, only);
      *why = only_why;
    }
  return rules->len > 0;
}

static gboolean
begin (const PhRegion *hunk, gpointer data)
{
  Adopting *adopting = data;
  PhPassRun *run = adopting->run;
  g_autoptr (GString) rules = g_string_new (NULL), sentence = g_string_new (NULL);
  const PhNode *last = hunk != NULL && hunk->before->len > 0 ? hunk->before->pdata[hunk->before->len - 1] : NULL;
  const char *why = adopting->why;

  if (hunk == NULL)
    return ph_pass_begin (run, adopting->rule, NULL, why);
  if (adopting->rewrites != NULL && find_rule (adopting->rewrites, hunk, rules, &why))
    return ph_pass_begin (run, ph_intern (rules->str), last != NULL ? ph_model_find_node (run->model, last->id) : NULL,
                          ph_intern (why));
  if (hunk->before->len + hunk->after->len > 0)
    {
      g_autofree char *what = ph_hunk_describe (hunk);

      g_string_append_printf (sentence, "%s (%s)", why, what);
      why = sentence->str;
    }
  return ph_pass_begin (run, adopting->rule, last != NULL ? ph_model_find_node (run->model, last->id) : NULL, ph_intern (why));
}

static void
end (gpointer data)
{
  ph_pass_end (((Adopting *) data)->run);
}

static void
abort_hunk (gpointer data)
{
  ph_pass_abort (((Adopting *) data)->run);
}

gboolean
ph_pass_adopt (PhPassRun *run, PhModel *wanted, const char *rule, const char *why, JsonArray *rewrites, GError **error)
{
  Adopting adopting = { run, rule, why, rewrites };

  return ph_model_become_by_hunks (ph_pass_run_model (run), wanted, NULL, 0, &(PhHunkSink) { begin, end, abort_hunk, &adopting },
                                   error);
}
