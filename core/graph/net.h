/* net.h: what a stretch of the journal did to each node in all: added, removed, changed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"

G_BEGIN_DECLS

typedef enum
{
  PH_NET_INPUT,
  PH_NET_ATTR,
  PH_NET_TYPE
} PhNetKind;

/* One thing about a node that was set, from what it was before the stretch to what it is after. */
typedef struct
{
  PhNetKind kind;
  guint index;                       /* INPUT: which                                        */
  const char *name;                  /* ATTR: which                                         */
  PhId value;                        /* TYPE: of which output                               */
  PhId before, after;                /* INPUT; PH_NO_ID: "" or no such input                */
  const PhAttr *old_attr, *new_attr; /* ATTR; (nullable) borrowed from the journal          */
  const PhType *old_type, *new_type; /* TYPE; (nullable)                                    */
} PhNetField;

typedef struct
{
  PhId id;
  gboolean before, after; /* exists at the start, at the end                     */
  gboolean hidden;        /* in a fused body, or in a function that came or went with a call of it */
  PhId follows;           /* PH_NO_ID, or the node whose change brought its types: nothing else of it changed */
  GArray *fields;         /* (nullable) (element-type PhNetField), only real differences */
  GArray *inside;         /* (nullable) (element-type PhId) nodes of its bodies that changed, came or went */
} PhNetNode;

/* id -> PhNetNode of the nodes that the edits [@first, @end) touch, without those that end as they began. @model stands
 * anywhere; it tells which node a value belongs to. (transfer full) */
GHashTable *ph_net_new (PhHistory *history, PhModel *model, guint first, guint end);
/* The same as people count it: an input that is another constant of the same elements is no difference, what changed in a
 * body changed its owner, and types that follow are known as such. */
GHashTable *ph_net_new_counted (PhHistory *history, PhModel *model, guint first, guint end);
/* What is neither hidden nor follows. */
gboolean ph_net_counts (const PhNetNode *node);

/* The constant that value @id is, though the model may not have it at its present position. @index: (inout) (nullable)
 * (transfer full) of the journal, made when it is needed, by this. (transfer none) (nullable) */
PhTensor *ph_history_find_tensor (PhHistory *history, PhModel *model, GHashTable **index, PhId id);

G_END_DECLS
