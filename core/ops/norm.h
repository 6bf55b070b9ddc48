/* norm.h: what the files of the norms share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

/* Whether a gradient arrived at the moments that a norm hands out; then the gradient of the whole. */
gboolean ph_grad_wants_statistics (const PhGrad *grad);
gboolean ph_grad_statistics       (PhGrad *grad, GError **error);

G_END_DECLS
