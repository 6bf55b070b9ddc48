/* become.h: what another program made of a model, said as edits.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"

G_BEGIN_DECLS

typedef struct
{
  guint by_name, by_output, by_structure;      /* nodes that stay, and how they were recognised */
  guint added, removed;
} PhMatchCounts;

/* Changes @model by edits (recorded when it has a journal) until it computes what @target computes, with the same interface.
 * A node of @target's main graph is recognised in @model's by its name, then by the name of an output, then by operator,
 * attributes and recognised inputs, then by its recognised user; always of the same operator. Recognised nodes keep their ids,
 * and values that stay keep their names. Node names, order, roles and devices of nodes that stay are left alone. @counts
 * (nullable) (out). After an error, abort the rewrite: some edits may have been made. */
gboolean    ph_model_become (PhModel *model, PhModel *target, PhMatchCounts *counts, GError **error);

G_END_DECLS
