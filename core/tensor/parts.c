/* parts.c: complex numbers as pairs of real ones.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/parts.h"

#include <string.h>

PhTensor *
ph_tensor_parts (PhTensor *tensor)
{
  const gboolean narrow = ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_COMPLEX64;
  gint64 dims[PH_MAX_RANK];
  PhTensor *parts;
  guint rank;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || (!narrow && ph_tensor_dtype (tensor) != PH_COMPLEX128)
      || ph_tensor_rank (tensor) >= PH_MAX_RANK)
    return ph_tensor_ref (tensor);
  rank = ph_tensor_rank (tensor);
  memcpy (dims, ph_tensor_dims (tensor), rank * sizeof *dims);
  dims[rank] = 2;
  parts = ph_tensor_new (narrow ? PH_FLOAT : PH_DOUBLE, rank + 1, dims);
  memcpy (ph_tensor_writable (parts), ph_tensor_data (tensor), ph_tensor_bytes (tensor));
  return parts;
}
