/* signal.h: gradients of Fourier transforms.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

gboolean ph_grad_dft (PhGrad *grad, GError **error);
gboolean ph_grad_stft (PhGrad *grad, GError **error);

G_END_DECLS
