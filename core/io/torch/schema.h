/* schema.h: the parameters of ATen's operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The attribute of a node whose one output stands for a whole list of tensors, not for its first element. */
#define PH_TORCH_WHOLE "peephole_list"
/* That of a node which was given True or False to make a tensor of, not 1 or 0. */
#define PH_TORCH_TRUTH "peephole_truth"

/* Names of the parameters of ATen's operator, separated by spaces, "*" before those that are tensors. (nullable) */
const char *ph_torch_signature (const char *op);
const char *ph_torch_other_name (const char *op); /* "log1p" for "special_log1p", which is the same */

G_END_DECLS
