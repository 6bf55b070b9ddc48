/* control-carried.h: the types of what goes from one turn of a loop into the next.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/infer.h"

G_BEGIN_DECLS

/* What holds for both types; NULL when not even the kind does. */
const PhType *ph_type_common (const PhType *a, const PhType *b);
/* Infers @body with @types for its inputs. The @n_state values from input @first on come out again (from output @first_out
 * on) and go in the next time: their types are widened until one more round does not change them. */
gboolean ph_infer_carried (PhInfer *infer, const PhType **types, guint n_types, guint first, guint first_out, guint n_state,
                           GError **error);

G_END_DECLS
