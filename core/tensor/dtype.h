/* dtype.h: element types, numbered as in ONNX's TensorProto.DataType.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_UNDEFINED, PH_FLOAT, PH_UINT8, PH_INT8, PH_UINT16, PH_INT16, PH_INT32, PH_INT64, PH_STRING, PH_BOOL,
  PH_FLOAT16, PH_DOUBLE, PH_UINT32, PH_UINT64, PH_COMPLEX64, PH_COMPLEX128, PH_BFLOAT16,
  PH_FLOAT8E4M3FN, PH_FLOAT8E4M3FNUZ, PH_FLOAT8E5M2, PH_FLOAT8E5M2FNUZ, PH_UINT4, PH_INT4, PH_FLOAT4E2M1,
  PH_FLOAT8E8M0, PH_UINT2, PH_INT2,
  PH_N_DTYPES
} PhDType;
/* clang-format on */

const char *ph_dtype_name (PhDType dtype);     /* ONNX text's word: "float", "int64", "bfloat16", ... */
PhDType ph_dtype_from_name (const char *name); /* PH_UNDEFINED when unknown                            */

/* Bytes of one element in memory. Strings are char pointers. Types of less than a byte (int4, ...) are kept one
 * element a byte in memory and packed only in files. 0 for PH_UNDEFINED. */
gsize ph_dtype_size (PhDType dtype);
/* Bits of one element in a file's raw_data: 4 for int4, 0 for strings. */
gsize ph_dtype_file_bits (PhDType dtype);

gboolean ph_dtype_is_float (PhDType dtype);   /* real floating point of any width, not complex */
gboolean ph_dtype_is_integer (PhDType dtype); /* signed or unsigned, not bool                  */
gboolean ph_dtype_is_signed (PhDType dtype);  /* floats and signed integers                    */

/* One element as a double or integer and back, as ONNX's Cast does: floats round to nearest even, integers truncate
 * towards zero and wrap, float8 and float4 saturate. @data points to element 0, @index counts elements. Not for strings
 * or complex. */
double ph_dtype_load (PhDType dtype, gconstpointer data, gsize index);
void ph_dtype_store (PhDType dtype, gpointer data, gsize index, double value);
gint64 ph_dtype_load_int (PhDType dtype, gconstpointer data, gsize index);
void ph_dtype_store_int (PhDType dtype, gpointer data, gsize index, gint64 value);

float ph_half_to_float (guint16 half);
guint16 ph_half_from_float (float value);
float ph_bfloat_to_float (guint16 bits);
guint16 ph_bfloat_from_float (float value);

/* Float8 (and float4) with a sign. Without @saturate, what is too large becomes infinity, or NaN where there is none. */
guint8 ph_float8_from_double (PhDType dtype, double value, gboolean saturate);
/* FLOAT8E8M0 is a bare exponent; ONNX's Cast rounds it up unless told otherwise. */
typedef enum
{
  PH_ROUND_UP,
  PH_ROUND_DOWN,
  PH_ROUND_NEAREST
} PhRoundMode;
guint8 ph_e8m0_from_double (double value, PhRoundMode mode);

G_END_DECLS
