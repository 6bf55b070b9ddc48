/* run-side.h: one side of a pair on one set of inputs, and what a node costs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/prover.h"

G_BEGIN_DECLS

/* Turns of loops that made-up inputs may take: they need not be such as end it. */
#define PH_PROVE_TURNS 1000

/* Elements of a tensor that made-up inputs may make, where its size depends on them: scales of a billion are made up too. */
#define PH_PROVE_ELEMENTS ((gsize) 1 << 22)

guint ph_prove_turns (const PhModel *model, GHashTable *fed); /* (nullable) @fed: by name; where all inputs are, any number */

/* run-side.c: one side on one set of inputs; outputs in order. (transfer full) */
typedef struct
{
  gboolean in_double, reference, in_range;
  gboolean *left_range; /* (nullable) see PhRunOptions */
  GHashTable *ids, *values;
  guint most_turns;    /* see PhRunOptions */
  gsize most_elements; /* see PhRunOptions */
  guint *narrow;
  GCancellable *cancellable;
  PhProofWork *work;
  double cost;
} PhSideOptions;
GPtrArray *ph_side_run (PhModel *side, GPtrArray *inputs, const PhSideOptions *options, GError **error);
/* Operations of @node and of what its bodies hold; what is not known counts as little. */
double ph_node_cost (const PhNode *node);

G_END_DECLS
