/* graph-search.c: nodes that match a few words or a pattern.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-search.h"

#include <string.h>

struct _PhGraphSearch
{
  GRegex *regex;   /* (nullable)                                                  */
  char **words;    /* lower case                                                  */
  GString *text;   /* of the node looked at                                       */
  GArray *found;   /* (element-type PhId)                                         */
  GPtrArray *path; /* (element-type PhNode) next node per open graph              */
};

static void
describe (const PhNode *node, GString *text)
{
  g_string_printf (text, "n%u %s %s", node->id, node->op_type, node->name);
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      g_autofree char *value = ph_attr_value_to_string (attr);
      g_string_append_printf (text, " %s=%s", attr->name, value);
    }
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];
      g_autofree char *type = ph_type_to_string (value->type);
      g_string_append_printf (text, " %s %s", value->name, type);
    }
}

static gboolean
matches (PhGraphSearch *search)
{
  if (search->regex)
    return g_regex_match (search->regex, search->text->str, 0, NULL);
  g_autofree char *lower = g_utf8_strdown (search->text->str, -1);
  for (guint i = 0; search->words[i]; i++)
    if (!strstr (lower, search->words[i]))
      return FALSE;
  return TRUE;
}

static void
enter (PhGraphSearch *search, PhGraph *graph)
{
  if (graph->first)
    g_ptr_array_add (search->path, graph->first);
}

/* Examines one node and schedules its bodies; they are pushed in reverse, since the last one pushed is next. */
static void
look (PhGraphSearch *search)
{
  PhNode *node = search->path->pdata[search->path->len - 1];

  if (node->next)
    search->path->pdata[search->path->len - 1] = node->next;
  else
    g_ptr_array_set_size (search->path, (int) search->path->len - 1);
  describe (node, search->text);
  if (matches (search))
    g_array_append_val (search->found, node->id);
  if (node->graphs)
    for (guint i = node->graphs->len; i-- > 0;)
      enter (search, node->graphs->pdata[i]);
}

gboolean
ph_graph_search_step (PhGraphSearch *search, gint64 us)
{
  gint64 end = g_get_monotonic_time () + us;

  for (guint i = 1; search->path->len > 0; i++)
    {
      look (search);
      if (i % 16 == 0 && g_get_monotonic_time () > end)
        return search->path->len > 0;
    }
  return FALSE;
}

GArray *
ph_graph_search_get (PhGraphSearch *search)
{
  return search->found;
}

PhGraphSearch *
ph_graph_search_new (PhModel *model, const char *text, gboolean regex, GError **error)
{
  g_autoptr (GRegex) compiled = NULL;
  g_autofree char *lower = g_utf8_strdown (text, -1);

  if (regex)
    {
      compiled = g_regex_new (text, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, error);
      if (!compiled)
        return NULL;
    }
  PhGraphSearch *search = g_new0 (PhGraphSearch, 1);
  search->regex = g_steal_pointer (&compiled);
  search->words = g_strsplit (lower, " ", -1);
  search->text = g_string_new (NULL);
  search->found = g_array_new (FALSE, FALSE, sizeof (PhId));
  search->path = g_ptr_array_new ();
  for (guint i = model->functions->len; i-- > 0;)
    enter (search, ((const PhFunction *) model->functions->pdata[i])->graph);
  enter (search, model->graph);
  return search;
}

void
ph_graph_search_free (PhGraphSearch *search)
{
  g_clear_pointer (&search->regex, g_regex_unref);
  g_strfreev (search->words);
  g_string_free (search->text, TRUE);
  g_array_unref (search->found);
  g_ptr_array_unref (search->path);
  g_free (search);
}
