/* schema.h: TensorFlow Lite's operators and their options by number.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

const char *ph_tflite_operator (gint64 code); /* (nullable) "CONV_2D" */
/* The fields of the options table: "stride_w:i padding:p ...". Kinds: i int, 1 int whose default is 1, l long, b byte or bool, f float,
 * s string, I ints, L longs, F floats, p padding, a activation, t element type, m mode of mirroring, g number of a subgraph.
 * @union_number: 1 or 2. "" for one that is not known. */
const char *ph_tflite_options (guint union_number, gint64 type);

G_END_DECLS
