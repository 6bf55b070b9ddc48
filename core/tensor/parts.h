/* parts.h: complex numbers as pairs of real ones.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* @tensor; of complex numbers both parts along a last dimension, as reals. (transfer full) */
PhTensor *ph_tensor_parts (PhTensor *tensor);

G_END_DECLS
