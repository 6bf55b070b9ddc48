/* diff.h: what changed between two positions of a history, read from the journal.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/tensor-change.h"
#include "core/graph/history.h"

G_BEGIN_DECLS

typedef enum
{
  PH_CHANGE_NONE,
  PH_CHANGE_ADDED,
  PH_CHANGE_REMOVED,
  PH_CHANGE_CHANGED
} PhChange;

/* "input 1 'W'", "attribute pads", "type of y", "inside", "inside n4 Relu: attribute alpha". */
typedef struct
{
  const char *field;
  char *before, *after;
  PhTensorChange *tensor; /* (nullable) owned: of an input that was another constant of its type    */
} PhFieldChange;
typedef struct
{
  PhId id; /* a node                                                                 */
  PhChange change;
  char *label;        /* "Conv 'conv1'"; of removed ones too                                    */
  GArray *fields;     /* (nullable) (element-type PhFieldChange) of changed ones                */
  GArray *fused_into; /* (nullable) (element-type PhId) of removed ones: what came for them     */
  GArray *fused_from; /* (nullable) (element-type PhId) of added ones: what they came for       */
  PhId follows;       /* PH_NO_ID, or the node whose change brought its types, which is all that changed of it */
  GArray *followers;  /* (nullable) (element-type PhId) of the cause: those                     */
} PhNodeChange;

typedef struct
{
  GPtrArray *nodes;  /* (element-type PhNodeChange) removed, added, changed, each by id; then those that follow */
  GHashTable *by_id; /* id -> PhNodeChange                                                     */
  guint n_added, n_removed, n_changed; /* without those that follow                             */
  guint n_following;
} PhDiff;

/* Net effect: what was added and removed again between the two does not show, nor what was changed back. @a may be after
 * @b. What changed in a body shows at the node
 * that owns it; nodes of fused bodies do not show by themselves. Costs what the edits in between cost. @model may stand anywhere. */
PhDiff *ph_diff_new (PhHistory *history, PhModel *model, PhPosition a, PhPosition b);
void ph_diff_free (PhDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhDiff, ph_diff_free)

/* Provenance of node @id, present or removed: the rewrite that made it, the nodes that this rewrite removed, what made
 * those, and so on back to the file. */
typedef struct
{
  PhId id;
  char *label;
  int step, rewrite;             /* that made it, counted from 1; 0: it is in the file                     */
  const char *pass, *rule, *why; /* NULL for the file                                                      */
  guint depth;                   /* 0: the node asked for                                                  */
} PhOrigin;
GArray *ph_origin_chain (PhHistory *history, PhModel *model, PhId id); /* (element-type PhOrigin) (transfer full) */
/* The last node that the journal knows by @name, which is its id ("n42"), its own name or that of a value it made; PH_NO_ID. */
PhId ph_history_find_node (PhHistory *history, const char *name);
/* The position before the rewrite that removed node @id. FALSE: it was not removed. */
gboolean ph_history_find_removal (PhHistory *history, PhId id, PhPosition *at);

G_END_DECLS
