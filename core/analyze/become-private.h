/* become-private.h: the state of a model that becomes another one. Private to become.c and become-blocks.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/become.h"
#include "core/analyze/match.h"

G_BEGIN_DECLS

typedef struct
{
  PhModel *model, *target;
  PhMatching match;
  const PhNamedPart *parts;
  guint n_parts;
  GPtrArray *fresh; /* (element-type PhValue) of the target, that were added                     */
  guint removed;
  GHashTable *standing; /* (nullable) nodes of the target that only represent those of the model */
  GHashTable *gone;     /* (nullable) values of the model to remove; all others stay               */
  const PhNamed *named; /* (nullable) of the graph that is worked on                               */
  GHashTable *blocks;   /* (nullable) of the graph that is worked on, see ph_match_blocks()        */
  GError **error;
} PhBecome;

/* Where the graph has blocks: labels as the model has them. (transfer full) */
PhAttr *ph_become_attr (PhBecome *become, PhAttr *attr);
/* It names values that may not be there yet: ph_become_links() sets it. */
gboolean ph_become_is_link (PhBecome *become, const PhAttr *attr);
/* Notes that a node is in another block than its name says, as blocks were joined or split. */
gboolean ph_become_block (PhBecome *become, PhNode *node, PhNode *of_target);
/* Sets the links once all values are there and have their names. */
gboolean ph_become_links (PhBecome *become, PhGraph *target);

G_END_DECLS
