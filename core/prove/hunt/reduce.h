/* reduce.h: the smallest part of a model on which a pass goes wrong in the same way.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/hunt/fault.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 deadline; /* by the monotonic clock; then the best so far is the answer; 0: none */
  void (*progress) (guint tests, guint nodes, gpointer data); /* (nullable) */
  gpointer data;
} PhReduceOptions;

typedef struct
{
  PhModel *model;         /* owned                                                */
  PhFault *fault;         /* owned: how the pass goes wrong on it                 */
  guint n_tests, n_nodes; /* models tried; nodes of it, constants not counted     */
  gboolean out_of_time;
} PhReduced;

void ph_reduced_free (PhReduced *reduced);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhReduced, ph_reduced_free)

/* @nodes (a set of PhNode of @model's main graph) is where to begin, on @values (name -> PhTensor: of every value of @model, those of a run that shows it where
 * there is one). @like: (nullable) the fault that is looked for: another kind, or another message of a crash, does not count. Without it the pass has to compute
 * something wrong, or nothing.  * NULL without error: the pass does nothing wrong there. (transfer full) */
PhReduced *ph_reduce (PhFaultPass *pass, PhModel *model, GHashTable *nodes, GHashTable *values, const PhFault *like,
                      const PhReduceOptions *options, GError **error);

G_END_DECLS
