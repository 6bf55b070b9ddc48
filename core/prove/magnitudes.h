/* magnitudes.h: bounds the elements of constants, of computed ones by their expressions, without computing them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* What was found of each tensor, which it keeps. May be used in one thread at a time. */
typedef struct _PhMagnitudes PhMagnitudes;
PhMagnitudes *ph_magnitudes_new (void);
void ph_magnitudes_free (PhMagnitudes *magnitudes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhMagnitudes, ph_magnitudes_free)

/* All of @tensor, which is of floats, is finite. It is computed for this only where its expression leaves that open. */
gboolean ph_magnitudes_are_finite (PhMagnitudes *magnitudes, PhTensor *tensor);
/* What the recipe of @tensor gives loses no more than rounding where it is held as a float: it is not too large for that, nor so small
 * that nothing is left of it. FALSE: that cannot be told, or there is no recipe. */
gboolean ph_magnitudes_are_sound (PhMagnitudes *magnitudes, PhTensor *tensor);

G_END_DECLS
