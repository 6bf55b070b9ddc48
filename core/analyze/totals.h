/* totals.h: sums over the nodes of a model: parameters, operations, bytes, operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/model.h"

G_BEGIN_DECLS

/* The nodes of the main graph and of the bodies in it. The body of a fused node is what the node does, so it counts once; a function
 * counts where it is called. */
typedef struct
{
  gint64 nodes, edges; /* an edge: a node that reads what a node makes                 */
  gint64 flops;        /* of the nodes whose cost is known                             */
  gint64 unknown;      /* nodes whose cost is not                                      */
  gint64 bytes;        /* of the tensors that are attributes: exporters' Constants     */
  GHashTable *ops;     /* (owned) (element-type utf8 gsize) operator -> how many nodes */
  guint next;          /* index among the model's nodes of the first to be added       */
} PhTotals;

void ph_totals_init (PhTotals *totals);
void ph_totals_clear (PhTotals *totals);
/* Adds the next @n_nodes of @model's list; FALSE when all are added. The model must not change between two calls. */
gboolean ph_totals_add (PhTotals *totals, const PhModel *model, guint n_nodes);
gsize ph_totals_of_op (const PhTotals *totals, const char *op_type); /* @op_type: a node's own string */

G_END_DECLS
