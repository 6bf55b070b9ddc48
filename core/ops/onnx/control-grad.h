/* control-grad.h: gradients of operators with bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/grad.h"

G_BEGIN_DECLS

gboolean ph_grad_if (PhGrad *grad, GError **error);
gboolean ph_grad_loop (PhGrad *grad, GError **error);
gboolean ph_grad_scan (PhGrad *grad, GError **error);

G_END_DECLS
