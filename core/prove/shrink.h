/* shrink.h: the same model on smaller sizes and rounder numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* The sizes of axes that @model's inputs (as declared, and as @feeds has them) and constants have, and that are above 2, largest first.
 * (element-type gint64) (transfer full) */
GArray *ph_shrink_sizes (PhModel *model, GHashTable *feeds);
/* A copy of @model in which what is @from long is @to long: inputs, constants, and sizes that small integer constants name. @feeds (name -> PhTensor) is what
 * it reads, @cut receives the same at the new sizes. NULL: such a model is not valid. */
PhModel *ph_shrink_size (PhModel *model, gint64 from, gint64 to, GHashTable *feeds, GHashTable *cut);

/* clang-format off */
typedef enum { PH_GRAIN_WHOLE, PH_GRAIN_TENTH, PH_GRAIN_DIGITS, /* two of them, wherever the point is */ PH_N_GRAINS } PhGrain;
/* clang-format on */

/* A copy of @model whose float constants, and what it reads, are rounded. @only: (nullable) the one input or constant; NULL: all. NULL: nothing would change. */
PhModel *ph_shrink_digits (PhModel *model, PhGrain grain, const char *only, GHashTable *feeds, GHashTable *rounded);

G_END_DECLS
