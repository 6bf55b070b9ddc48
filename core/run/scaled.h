/* scaled.h: weights times factors, the commonest recipe, a part at a time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* A float32 tensor that is a float32 constant times a factor in double for each index of one axis or several adjacent ones, rounded once.
 * A whole weight in double, with the product beside it, takes five times its size. */
typedef struct _PhScaled PhScaled;

/* @recipe: see ph_recipe_of(). (nullable) It is another expression. It has to outlive the result. */
PhScaled *ph_scaled_new (PhModel *recipe);
void ph_scaled_free (PhScaled *scaled);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhScaled, ph_scaled_free)

/* Elements @first to @first + @n. Returns FALSE if the constant cannot be read, which leaves a fault. */
gboolean ph_scaled_part (PhScaled *scaled, gsize first, gsize n, float *out);

G_END_DECLS
