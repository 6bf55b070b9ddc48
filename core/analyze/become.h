/* become.h: edits a model until it is the one that another program made of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/part.h"
#include "core/graph/edit.h"

G_BEGIN_DECLS

typedef struct
{
  guint kept, added, removed; /* nodes                                                                    */
  GArray *guessed;            /* (nullable) (element-type PhId) set it to get those that were kept by a guess */
} PhBecame;

/* Changes @model by edits (recorded when it has a journal) until it computes what @target computes, with the same interface. Which
 * node is which says core/analyze/match.h; nodes that are kept keep their ids, and values that stay keep their names. Node names, order,
 * roles and devices of nodes that stay are left alone; so is a graph that is as before in @target. @became: (nullable) (inout). After an error, abort the rewrite: some edits may
 * have been made. */
gboolean ph_model_become (PhModel *model, PhModel *target, PhBecame *became, GError **error);
/* The same where graphs of @target hold only the part that changed, or where names are learned: @parts, one at most for each graph. */
gboolean ph_model_become_parts (PhModel *model, PhModel *target, const PhNamedPart *parts, guint n_parts, PhBecame *became,
                                GError **error);

G_END_DECLS
