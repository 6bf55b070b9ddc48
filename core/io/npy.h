/* npy.h: NumPy's array files.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

PhTensor *ph_npy_read (GBytes *bytes, const char *path, GError **error); /* @path: for messages */
GBytes *ph_npy_write (PhTensor *tensor, GError **error);

G_END_DECLS
