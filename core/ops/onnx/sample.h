/* sample.h: gradients of operators that read between the elements of an image.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

#define PH_SAMPLE_SPACE 3 /* spatial dimensions that can be differentiated */

gboolean ph_grad_grid_sample (PhGrad *grad, GError **error);
gboolean ph_grad_roi_align (PhGrad *grad, GError **error);
gboolean ph_grad_deform_conv (PhGrad *grad, GError **error);

G_END_DECLS
