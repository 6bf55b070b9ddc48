/* memory.h: how much memory tensors may occupy.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/dtype.h"
#include "core/tensor/tensor-type.h"

G_BEGIN_DECLS

/* What all tensors together may occupy that were computed, not read from a file: more is an error, not a machine that
 * swaps itself to death. Bytes; 0 is the default, a quarter of the machine's memory. */
void ph_tensor_set_budget (gsize bytes);
gsize ph_tensor_get_budget (void);
gsize ph_tensor_get_used (void);
/* For tests: what is not set is NaN. */
void ph_tensor_set_poison (gboolean poison);

/* Why ph_tensor_new() answered NULL: "output 0 ... " is for the caller to put in front. (transfer full) */
char *ph_tensor_why_not (PhDType dtype, guint rank, const gint64 *dims);
/* TRUE: ph_tensor_peek() would have to read a file first. */
gboolean ph_tensor_is_on_disk (const PhTensor *tensor);
/* Whether this reference is the only one and the elements are its own: then they may be written over. */
gboolean ph_tensor_is_sole (const PhTensor *tensor);

G_END_DECLS
