/* digest.h: hashes all elements of a tensor.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* Of every byte, so that tensors which are not equal have others but for a coincidence; ph_tensor_hash() is of samples, for
 * looking up. Costs a reading of them all, once a tensor; keeps none of it. */
guint64 ph_tensor_digest (PhTensor *tensor);

G_END_DECLS
