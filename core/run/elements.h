/* elements.h: brings the elements of inputs into memory, in the order that a kernel reads.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/run-private.h"

G_BEGIN_DECLS

/* elements.c: FALSE: an input is missing, or would be too large. */
gboolean ph_kernel_check_inputs (PhKernel *kernel, GError **error);
/* Kernels read elements without asking whether they can be had: those that lie in a file, or wait to be computed, are brought here.
 * @weights: also of constants. */
gboolean ph_kernel_bring (PhKernel *kernel, gboolean weights, GError **error);
/* Copies of those inputs that are not in memory take their place until @copies (nullable) (element-type PhTensor) is unreferenced. */
gboolean ph_kernel_copy_inputs (PhKernel *kernel, GPtrArray **copies, GError **error);
/* For a reference kernel: splats are written out too, and what lies in another order than row-major is put in order. */
gboolean ph_kernel_bring_all (PhKernel *kernel, GError **error);

G_END_DECLS
