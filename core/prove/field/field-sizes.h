/* field-sizes.h: how many channels show what any number of them does.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Sizes of @variables (PhTensor -> which one) -> smaller ones that show the same: equal ones stay equal, others apart. NULL: there is an operator
 * to which a size is more than how often, or nothing gets smaller. (transfer full) (nullable) */
GHashTable *ph_field_sizes_find (PhModel *before, PhModel *after, GHashTable *variables);
/* Of a part of two models, which has a convolution. (element-type PhNode) (transfer full) (nullable) */
GHashTable *ph_field_sizes_of_nodes (GPtrArray *before, GPtrArray *after, GHashTable *variables);
gint64 ph_field_sizes_fewer (GHashTable *sizes, gint64 size);
/* Of an image the channels alone. @sizes: (nullable). */
void ph_field_sizes_apply (GHashTable *sizes, guint rank, gint64 *dims);

G_END_DECLS
