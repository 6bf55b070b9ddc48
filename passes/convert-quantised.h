/* convert-quantised.h: operators on quantised types: the real numbers are computed with, and rounded again. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert.h"

G_BEGIN_DECLS

/* l's operator by @lower; where operands or results are quantised (@quantised: value id -> its type as it is written) with
 * DequantizeLinear's formula before and QuantizeLinear's behind it. */
gboolean ph_quantised_lower (PhConvert *l, PhConvertFunc lower, GHashTable *quantised, PhValue **out);

G_END_DECLS
