/* shape-elements.h: the elements of a value that is computed from shapes, without any inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/key.h"

G_BEGIN_DECLS

/* Each element is a literal number, if it has no symbol, or the size of a dimension. */
typedef struct
{
  guint rank; /* 0 or 1; a scalar has one element */
  guint n;
  PhDim at[PH_MAX_RANK];
} PhShapeElements;

/* Follows an int64 value through the operators that cut and join shapes, to constants and to the types of floats and of the model's
 * inputs. It is independent of inference, on which the passes rely. Returns FALSE if an element is not found. */
gboolean ph_shape_elements_find (const PhValue *value, PhShapeElements *elements);
/* The target of the Reshape @node, which is @constant (nullable) if that is known: what it copies from its input is written out. Returns
 * FALSE if it is not found. */
gboolean ph_shape_elements_of_target (const PhNode *node, PhTensor *constant, PhShapeElements *elements);
/* Returns TRUE if one of @nodes reads or makes integers that may be a shape. */
gboolean ph_shapes_are_in (const GPtrArray *nodes);
/* Returns TRUE if all shapes of @model's main graph follow from its inputs and constants. Otherwise a file declares what only a run can
 * tell, such as how many elements a mask picks, and its word proves nothing. */
gboolean ph_shapes_follow (PhModel *model);
/* (transfer full) NULL: an element is a dimension */
PhTensor *ph_shape_elements_to_tensor (const PhShapeElements *elements);
void ph_shape_elements_add_to_key (const PhShapeElements *elements, PhKey *key);

G_END_DECLS
