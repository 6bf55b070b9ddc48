/* blocks.c: takes a graph of LLVM's instructions apart into its blocks: an instruction says which it is in.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/blocks.h"

#include <string.h>

static gboolean
is (const PhNode *node, const char *name)
{
  return g_str_equal (node->op_type, name);
}

static gboolean
is_end (const PhNode *node)
{
  return is (node, "br") || is (node, "switch") || is (node, "ret") || is (node, "unreachable");
}

static void
clear_block (PhBlock *block)
{
  g_ptr_array_unref (block->phis);
  g_ptr_array_unref (block->nodes);
  g_array_unref (block->next);
}

void
ph_blocks_free (PhBlocks *blocks)
{
  g_array_unref (blocks->blocks);
  g_hash_table_unref (blocks->values);
  g_hash_table_unref (blocks->incoming);
  g_free (blocks);
}

static PhBlock *
block_of (PhBlocks *blocks, GHashTable *at, const PhNode *node)
{
  g_autofree char *label = ph_node_block (node);
  const gsize known = GPOINTER_TO_SIZE (g_hash_table_lookup (at, label));

  if (known == 0)
    {
      const PhBlock fresh = { ph_intern (label), g_ptr_array_new (), g_ptr_array_new (), NULL,
                              g_array_new (FALSE, FALSE, sizeof (guint)) };

      g_array_append_val (blocks->blocks, fresh);
      g_hash_table_insert (at, (gpointer) fresh.label, GSIZE_TO_POINTER (blocks->blocks->len));
      return &g_array_index (blocks->blocks, PhBlock, blocks->blocks->len - 1);
    }
  return &g_array_index (blocks->blocks, PhBlock, known - 1);
}

/* Finds the blocks that each branches to, and the first that none branches to: others that none does are never reached. */
static gboolean
connect (PhBlocks *blocks, GHashTable *at)
{
  g_autofree gboolean *reached = g_new0 (gboolean, blocks->blocks->len + 1);

  for (guint b = 0; b < blocks->blocks->len; b++)
    {
      PhBlock *block = &g_array_index (blocks->blocks, PhBlock, b);
      const PhAttr *to = block->end != NULL ? ph_node_attr (block->end, PH_TARGETS_ATTR) : NULL;

      if (block->end == NULL)
        return FALSE;
      for (gsize i = 0; to != NULL && to->kind == PH_ATTR_STRINGS && i < to->n; i++)
        {
          g_autofree char *label = ph_attr_dup_string (to, i);
          const gsize known = GPOINTER_TO_SIZE (g_hash_table_lookup (at, label));
          const guint next = (guint) known - 1;

          if (known == 0)
            return FALSE;
          reached[next] = TRUE;
          g_array_append_val (block->next, next);
        }
    }
  for (guint b = 0; b < blocks->blocks->len; b++)
    if (!reached[b])
      {
        blocks->entry = b;
        return TRUE;
      }
  return FALSE;
}

PhBlocks *
ph_blocks_new (const PhGraph *graph)
{
  g_autoptr (GHashTable) at = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (PhBlocks) blocks = g_new0 (PhBlocks, 1);

  blocks->blocks = g_array_new (FALSE, FALSE, sizeof (PhBlock));
  g_array_set_clear_func (blocks->blocks, (GDestroyNotify) clear_block);
  blocks->values = g_hash_table_new (g_str_hash, g_str_equal);
  blocks->incoming = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  PH_FOREACH_NODE (node, graph)
    {
      PhBlock *block = block_of (blocks, at, node);

      if (node->outputs->len > 0)
        g_hash_table_insert (blocks->values, (gpointer) ph_node_output (node, 0)->name, ph_node_output (node, 0));
      if (is_end (node) && block->end != NULL)
        return NULL;
      if (is_end (node))
        block->end = node;
      else
        g_ptr_array_add (is (node, "phi") ? block->phis : block->nodes, (gpointer) node);
    }
  return connect (blocks, at) ? g_steal_pointer (&blocks) : NULL;
}

static const PhValue *
find_incoming (const PhBlocks *blocks, const PhNode *phi, guint from)
{
  const PhAttr *incoming = ph_node_attr (phi, PH_INCOMING_ATTR), *links = ph_node_attr (phi, PH_LINKS_ATTR);
  const char *label = g_array_index (blocks->blocks, PhBlock, from).label;

  for (gsize i = 0; incoming != NULL && incoming->kind == PH_ATTR_STRINGS && i < incoming->n; i++)
    {
      g_autofree char *block = ph_attr_dup_string (incoming, i);

      if (!g_str_equal (block, label))
        continue;
      if (i < phi->inputs->len && ph_node_input (phi, (guint) i) != NULL)
        return ph_node_input (phi, (guint) i);
      for (gsize k = 0; links != NULL && links->kind == PH_ATTR_STRINGS && k < links->n; k++)
        {
          g_autofree char *link = ph_attr_dup_string (links, k), *behind = g_strconcat (" from ", label, NULL);

          if (!g_str_has_suffix (link, behind))
            continue;
          link[strlen (link) - strlen (behind)] = '\0';
          return g_hash_table_lookup (blocks->values, link);
        }
    }
  return NULL;
}

const PhValue *
ph_blocks_incoming (const PhBlocks *blocks, const PhNode *phi, guint from)
{
  const PhValue **values = g_hash_table_lookup (blocks->incoming, phi);

  if (values == NULL)
    {
      values = g_new (const PhValue *, blocks->blocks->len);
      for (guint b = 0; b < blocks->blocks->len; b++)
        values[b] = find_incoming (blocks, phi, b);
      g_hash_table_insert (blocks->incoming, (gpointer) phi, values);
    }
  return values[from];
}
