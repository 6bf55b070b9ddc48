/* norm.h: what the files of the norms share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

/* Whether a gradient arrived at the moments that a norm hands out; then the gradient of the whole. */
gboolean ph_grad_wants_statistics (const PhGrad *grad);
gboolean ph_grad_statistics (PhGrad *grad, GError **error);

#define PH_NORM_EPSILON(node_) ph_node_attr_float (node_, "epsilon", 1e-5f)
#define PH_NORM_NOT_ALSO       G_MAXUINT

/* norm.c. Reduces axes @from to @to, and @also where that is before them. */
PhValue *ph_norm_along (PhBuilder *b, const PhOp *op, PhValue *value, guint from, guint to, guint also, gboolean keep);
gboolean ph_norm_known_rank (PhGrad *grad, guint *rank, GError **error);
typedef struct
{
  PhValue *hat, *inverse;
} PhNormal; /* x^ and 1 / deviation */
PhNormal ph_norm_normalise (PhGrad *grad, PhValue *x, double epsilon, guint from, guint to, guint also);
/* dx of @g = dL/dx^. */
PhValue *ph_norm_gradient (PhGrad *grad, PhNormal normal, PhValue *g, guint from, guint to, guint also);
gint64 ph_norm_flops (const PhNode *node);

G_END_DECLS
