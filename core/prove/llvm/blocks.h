/* blocks.h: a function of LLVM's as blocks that branch to each other. Private to core/prove/llvm/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

typedef struct
{
  const char *label;       /* of its names, owned by the graph's strings */
  GPtrArray *phis, *nodes; /* (element-type PhNode) neither has @end */
  const PhNode *end;       /* br, switch, ret or unreachable          */
  GArray *next;            /* (element-type guint) blocks, in the order of "to" */
} PhBlock;

typedef struct
{
  GArray *blocks; /* (element-type PhBlock) */
  guint entry;
  GHashTable *values;   /* name -> PhValue                                          */
  GHashTable *incoming; /* phi -> its PhValue (nullable) from each block            */
} PhBlocks;

/* NULL: it does not hang together. (transfer full) */
PhBlocks *ph_blocks_new (const PhGraph *graph);
void ph_blocks_free (PhBlocks *blocks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhBlocks, ph_blocks_free)
/* What @phi is where block @from came before. (nullable) */
const PhValue *ph_blocks_incoming (const PhBlocks *blocks, const PhNode *phi, guint from);

G_END_DECLS
