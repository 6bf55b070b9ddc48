/* structure.h: shows that two sides compute the same node for node, without any inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/pair.h"

G_BEGIN_DECLS

/* Values are numbered on both sides: equal operators with equal attributes of equal values make equal values. Fused bodies
 * count as the nodes that they replaced, and what is computed twice as computed once. So new names, a fusion whose body is the
 * region itself, common subexpressions that are merged and dead nodes that go are proved. */
typedef struct _PhStructure PhStructure;

/* What depends on constants alone may be computed as well; so folded constants are proved. Their last bit is that of the kernels that folded them. */
typedef enum
{
  PH_FOLDS_NONE,
  PH_FOLDS_REFERENCE, /* by the reference kernels        */
  PH_FOLDS_CHOSEN,    /* by those that compute a run     */
  PH_N_FOLDS
} PhFolds;

/* Both sides of @region. @shapes: what is computed from shapes is told by its elements, and dimensions of one symbol are equal. NULL: something in it says too little, such as an operator that is not known or draws. (transfer full) */
PhStructure *ph_structure_new (const PhRegion *region, PhModel *before, PhModel *after, PhFolds folds, gboolean shapes);
void ph_structure_free (PhStructure *structure);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhStructure, ph_structure_free)
/* Every output is made in the same way. */
gboolean ph_structure_same (PhStructure *structure);
/* There is something in it that depends on constants alone: with folds it may be the same. */
gboolean ph_structure_has_folds (PhStructure *structure);
/* Adds to @values (PhId -> PhTensor) what the after side makes and is the same as a value that is there. FALSE: some are not. */
gboolean ph_structure_carry (PhStructure *structure, GHashTable *values);

G_END_DECLS
