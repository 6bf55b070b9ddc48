/* become-blocks.c: labels of blocks and links to values, in the words of the model: both count anew in each text of a compiler.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/become-private.h"
#include "core/intern.h"

PhAttr *
ph_become_attr (PhBecome *become, PhAttr *attr)
{
  return become->blocks != NULL ? ph_match_labels (become->blocks, attr) : ph_attr_ref (attr);
}

gboolean
ph_become_is_link (PhBecome *become, const PhAttr *attr)
{
  return become->blocks != NULL && strcmp (attr->name, PH_LINKS_ATTR) == 0;
}

gboolean
ph_become_block (PhBecome *become, PhNode *node, PhNode *of_target)
{
  g_autofree char *block = ph_match_block (become->blocks, of_target), *scope = ph_node_scope (node);
  g_autoptr (PhAttr) attr = strcmp (block, scope) != 0 ? ph_attr_new_string (ph_intern (PH_BLOCK_ATTR), block) : NULL;

  return (attr == NULL && ph_node_attr (node, PH_BLOCK_ATTR) == NULL)
         || ph_node_set_attr (node, PH_BLOCK_ATTR, attr, become->error);
}

static const PhValue *
find_named (const char *name, gpointer data)
{
  const PhBecome *become = data;
  const PhNode *node = become->named != NULL ? ph_named_node (become->named, become->model, ph_intern (name)) : NULL;

  return node != NULL && node->outputs->len > 0 ? ph_node_output (node, 0) : NULL;
}

gboolean
ph_become_links (PhBecome *become, PhGraph *target)
{
  PH_FOREACH_NODE (of_target, target)
    {
      PhAttr *attr = ph_node_attr (of_target, PH_LINKS_ATTR);
      PhNode *node = attr != NULL ? ph_match_node (&become->match, of_target) : NULL;
      g_autoptr (PhAttr) links = NULL;

      if (node == NULL || !ph_become_is_link (become, attr) || g_hash_table_contains (become->standing, of_target))
        continue;
      links = ph_match_links (&become->match, become->blocks, attr, target, find_named, become);
      if (!ph_node_set_attr (node, PH_LINKS_ATTR, links, become->error))
        return FALSE;
    }
  return TRUE;
}
