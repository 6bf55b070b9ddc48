/* graph-search.c: nodes that match a few words or a pattern.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/graph-search.h"

#include <string.h>

typedef struct
{
  GRegex   *regex;       /* (nullable) */
  char    **words;       /* lower case */
  GString  *text;        /* of the node looked at */
  GArray   *found;
} Search;

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
matches (Search *search)
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
search_graph (Search *search, PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      describe (node, search->text);
      if (matches (search))
        g_array_append_val (search->found, node->id);
      if (node->graphs && node->op)
        for (guint i = 0; i < node->graphs->len; i++)
          search_graph (search, node->graphs->pdata[i]);
    }
}

GArray *
ph_graph_search (PhModel *model, const char *text, gboolean regex, GError **error)
{
  g_autoptr (GRegex) compiled = NULL;
  g_autofree char *lower = g_utf8_strdown (text, -1);
  g_auto (GStrv) words = g_strsplit (lower, " ", -1);

  if (regex)
    {
      compiled = g_regex_new (text, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, error);
      if (!compiled)
        return NULL;
    }
  g_autoptr (GString) scratch = g_string_new (NULL);
  Search search = { compiled, words, scratch, g_array_new (FALSE, FALSE, sizeof (PhId)) };
  search_graph (&search, model->graph);
  return search.found;
}
