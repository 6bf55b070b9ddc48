/* dtype.c: element types and the conversions between them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/dtype.h"

#include <math.h>
#include <string.h>

/* The encoding of special values in a small float format. */
/* clang-format off */
typedef enum
{
  STYLE_IEEE,      /* the highest exponent is infinity and NaN                     */
  STYLE_FN,        /* no infinity; all ones is NaN                                 */
  STYLE_FNUZ,      /* no infinity, no -0; the pattern of -0 is NaN                 */
  STYLE_FINITE,    /* no infinity, no NaN                                          */
} FloatStyle;
/* clang-format on */

typedef struct
{
  int exponent_bits, fraction_bits, bias;
  FloatStyle style;
  double max;
} SmallFloat;

typedef struct
{
  const char *name;
  gsize size;
  gsize file_bits;
  enum
  {
    CLASS_NONE,
    CLASS_FLOAT,
    CLASS_SIGNED,
    CLASS_UNSIGNED
  } class;
  SmallFloat format; /* of floats narrower than 32 bits with a sign */
} DTypeInfo;

/* clang-format off */
static const DTypeInfo infos[PH_N_DTYPES] = {
  [PH_UNDEFINED]      = { "undefined",      0,  0,   CLASS_NONE },
  [PH_FLOAT]          = { "float",          4,  32,  CLASS_FLOAT },
  [PH_UINT8]          = { "uint8",          1,  8,   CLASS_UNSIGNED },
  [PH_INT8]           = { "int8",           1,  8,   CLASS_SIGNED },
  [PH_UINT16]         = { "uint16",         2,  16,  CLASS_UNSIGNED },
  [PH_INT16]          = { "int16",          2,  16,  CLASS_SIGNED },
  [PH_INT32]          = { "int32",          4,  32,  CLASS_SIGNED },
  [PH_INT64]          = { "int64",          8,  64,  CLASS_SIGNED },
  [PH_STRING]         = { "string",         sizeof (char *), 0, CLASS_NONE },
  [PH_BOOL]           = { "bool",           1,  8,   CLASS_NONE },
  [PH_FLOAT16]        = { "float16",        2,  16,  CLASS_FLOAT, { 5, 10, 15, STYLE_IEEE, 65504.0 } },
  [PH_DOUBLE]         = { "double",         8,  64,  CLASS_FLOAT },
  [PH_UINT32]         = { "uint32",         4,  32,  CLASS_UNSIGNED },
  [PH_UINT64]         = { "uint64",         8,  64,  CLASS_UNSIGNED },
  [PH_COMPLEX64]      = { "complex64",      8,  64,  CLASS_NONE },
  [PH_COMPLEX128]     = { "complex128",     16, 128, CLASS_NONE },
  [PH_BFLOAT16]       = { "bfloat16",       2,  16,  CLASS_FLOAT, { 8, 7, 127, STYLE_IEEE, 0x1.fep127 } },
  [PH_FLOAT8E4M3FN]   = { "float8e4m3fn",   1,  8,   CLASS_FLOAT, { 4, 3, 7, STYLE_FN, 448.0 } },
  [PH_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", 1,  8,   CLASS_FLOAT, { 4, 3, 8, STYLE_FNUZ, 240.0 } },
  [PH_FLOAT8E5M2]     = { "float8e5m2",     1,  8,   CLASS_FLOAT, { 5, 2, 15, STYLE_IEEE, 57344.0 } },
  [PH_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", 1,  8,   CLASS_FLOAT, { 5, 2, 16, STYLE_FNUZ, 57344.0 } },
  [PH_UINT4]          = { "uint4",          1,  4,   CLASS_UNSIGNED },
  [PH_INT4]           = { "int4",           1,  4,   CLASS_SIGNED },
  [PH_FLOAT4E2M1]     = { "float4e2m1",     1,  4,   CLASS_FLOAT, { 2, 1, 1, STYLE_FINITE, 6.0 } },
  [PH_FLOAT8E8M0]     = { "float8e8m0",     1,  8,   CLASS_FLOAT },
  [PH_UINT2]          = { "uint2",          1,  2,   CLASS_UNSIGNED },
  [PH_INT2]           = { "int2",           1,  2,   CLASS_SIGNED },
};
/* clang-format on */

static const DTypeInfo *
info_of (PhDType dtype)
{
  return &infos[(guint) dtype < PH_N_DTYPES ? dtype : PH_UNDEFINED];
}

const char *
ph_dtype_name (PhDType dtype)
{
  return info_of (dtype)->name;
}

PhDType
ph_dtype_from_name (const char *name)
{
  for (guint i = 1; i < PH_N_DTYPES; i++)
    if (g_str_equal (infos[i].name, name))
      return i;
  return PH_UNDEFINED;
}

gsize
ph_dtype_size (PhDType dtype)
{
  return info_of (dtype)->size;
}

gsize
ph_dtype_file_bits (PhDType dtype)
{
  return info_of (dtype)->file_bits;
}

gboolean
ph_dtype_is_float (PhDType dtype)
{
  return info_of (dtype)->class == CLASS_FLOAT;
}

gboolean
ph_dtype_is_integer (PhDType dtype)
{
  return info_of (dtype)->class == CLASS_SIGNED || info_of (dtype)->class == CLASS_UNSIGNED;
}

gboolean
ph_dtype_is_signed (PhDType dtype)
{
  return info_of (dtype)->class == CLASS_SIGNED || info_of (dtype)->class == CLASS_FLOAT;
}

/* Small floats: one decoder and one encoder serve them all. */

static double
small_decode (const SmallFloat *format, guint bits)
{
  const guint sign_bit = 1u << (format->exponent_bits + format->fraction_bits);
  const guint magnitude = bits & (sign_bit - 1);
  const int exponent = (int) (magnitude >> format->fraction_bits);
  const int highest = (1 << format->exponent_bits) - 1;
  const guint fraction = magnitude & ((1u << format->fraction_bits) - 1);
  double value;

  if ((format->style == STYLE_IEEE && exponent == highest && fraction != 0)
      || (format->style == STYLE_FN && magnitude == sign_bit - 1) || (format->style == STYLE_FNUZ && bits == sign_bit))
    return bits & sign_bit && format->style != STYLE_FNUZ ? -NAN : NAN;
  if (format->style == STYLE_IEEE && exponent == highest)
    value = INFINITY;
  else if (exponent == 0)
    value = ldexp (fraction, 1 - format->bias - format->fraction_bits);
  else
    value = ldexp (fraction + (1u << format->fraction_bits), exponent - format->bias - format->fraction_bits);
  return bits & sign_bit ? -value : value;
}

static guint
small_special (const SmallFloat *format, gboolean negative, gboolean nan)
{
  const guint sign_bit = 1u << (format->exponent_bits + format->fraction_bits);
  const guint infinity = ((1u << format->exponent_bits) - 1) << format->fraction_bits;
  const guint sign = negative ? sign_bit : 0;

  switch (format->style)
    {
    case STYLE_IEEE: return sign | infinity | (nan ? 1u << (format->fraction_bits - 1) : 0);
    case STYLE_FN: return sign | (sign_bit - 1);
    case STYLE_FNUZ: return sign_bit;
    case STYLE_FINITE:
    default: return nan ? sign_bit : sign | (sign_bit - 1); /* -0, for lack of anything better */
    }
}

/* Rounds to nearest, ties to even. The quotient below is exact, for the quantum is a power of two. */
static guint
small_encode (const SmallFloat *format, double value, gboolean saturate)
{
  const guint sign_bit = 1u << (format->exponent_bits + format->fraction_bits);
  const int lowest = 1 - format->bias;
  const gboolean negative = signbit (value) != 0;
  double magnitude = fabs (value), quantum;
  int exponent;
  guint bits;

  if (isnan (value))
    return small_special (format, negative, TRUE);
  if (isfinite (magnitude))
    {
      frexp (magnitude, &exponent);
      exponent = MAX (exponent - 1, lowest);
      if (magnitude == 0)
        exponent = lowest;
      quantum = ldexp (1.0, exponent - format->fraction_bits);
      magnitude = rint (magnitude / quantum);
    }
  if (!isfinite (magnitude) || magnitude * quantum > format->max)
    {
      if (!saturate && format->style != STYLE_FINITE)
        return small_special (format, negative, FALSE);
      return small_encode (format, negative ? -format->max : format->max, TRUE);
    }
  /* Addition lets the hidden bit, and a carry out of the fraction, increment the exponent. */
  bits = (guint) magnitude + ((guint) (exponent - lowest) << format->fraction_bits);
  if (bits == 0 && format->style == STYLE_FNUZ)
    return 0;
  return bits | (negative ? sign_bit : 0);
}

guint8
ph_float8_from_double (PhDType dtype, double value, gboolean saturate)
{
  return small_encode (&infos[dtype].format, value, saturate);
}

guint8
ph_e8m0_from_double (double value, PhRoundMode mode)
{
  double magnitude = fabs (value), fraction;
  int exponent;

  if (isnan (value))
    return 0xff;
  if (magnitude == 0)
    return 0;
  if (isinf (magnitude))
    return 0xfe;
  fraction = frexp (magnitude, &exponent) * 2; /* in [1, 2), times 2^exponent */
  exponent--;
  if ((mode == PH_ROUND_UP && fraction > 1) || (mode == PH_ROUND_NEAREST && fraction >= 1.5))
    exponent++;
  return CLAMP (exponent + 127, 0, 254);
}

float
ph_half_to_float (guint16 half)
{
  const guint32 sign = (guint32) (half & 0x8000) << 16;
  guint32 magnitude = half & 0x7fff, bits;
  float value;

  if (magnitude >= 0x7c00)
    bits = 0x7f800000 | (magnitude & 0x3ff) << 13;
  else if (magnitude >= 0x400)
    bits = (magnitude << 13) + ((127 - 15) << 23);
  else
    {
      value = (float) magnitude * 0x1p-24f;
      memcpy (&bits, &value, sizeof bits);
    }
  bits |= sign;
  memcpy (&value, &bits, sizeof value);
  return value;
}

guint16
ph_half_from_float (float value)
{
  guint32 bits, magnitude;
  guint16 sign;

  memcpy (&bits, &value, sizeof bits);
  sign = (bits >> 16) & 0x8000;
  magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000) /* 65520 and more round to infinity */
    return sign | 0x7c00;
  if (magnitude < 0x38800000) /* below 2^-14: adding 0.5 lets the processor round at 2^-24 */
    {
      float small;

      memcpy (&small, &magnitude, sizeof small);
      small += 0.5f;
      memcpy (&magnitude, &small, sizeof magnitude);
      return sign | (magnitude - 0x3f000000);
    }
  magnitude += 0xfff + ((magnitude >> 13) & 1);
  return sign | ((magnitude - ((127 - 15) << 23)) >> 13);
}

float
ph_bfloat_to_float (guint16 bits)
{
  const guint32 wide = (guint32) bits << 16;
  float value;

  memcpy (&value, &wide, sizeof value);
  return value;
}

guint16
ph_bfloat_from_float (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return (bits >> 16) | 0x40;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/* Wraps modulo 2^64; NaN becomes 0. */
static gint64
wrap_double (double value)
{
  if (value >= -0x1p63 && value < 0x1p63)
    return (gint64) value;
  if (!isfinite (value))
    return isnan (value) ? 0 : G_MININT64;
  value = fmod (trunc (value), 0x1p64);
  return value < 0 ? (gint64) (0 - (guint64) -value) : (gint64) (guint64) value;
}

#define AT(type) (((const type *) data)[index])

double
ph_dtype_load (PhDType dtype, gconstpointer data, gsize index)
{
  switch (dtype)
    {
    case PH_FLOAT: return AT (float);
    case PH_DOUBLE: return AT (double);
    case PH_FLOAT16: return ph_half_to_float (AT (guint16));
    case PH_BFLOAT16: return ph_bfloat_to_float (AT (guint16));
    case PH_UINT64: return AT (guint64);
    case PH_FLOAT8E4M3FN:
    case PH_FLOAT8E4M3FNUZ:
    case PH_FLOAT8E5M2:
    case PH_FLOAT8E5M2FNUZ:
    case PH_FLOAT4E2M1: return small_decode (&infos[dtype].format, AT (guint8));
    case PH_FLOAT8E8M0: return AT (guint8) == 0xff ? NAN : ldexp (1.0, AT (guint8) - 127);
    default: return ph_dtype_load_int (dtype, data, index);
    }
}

gint64
ph_dtype_load_int (PhDType dtype, gconstpointer data, gsize index)
{
  switch (dtype)
    {
    case PH_INT64:
    case PH_UINT64: return AT (gint64);
    case PH_INT32: return AT (gint32);
    case PH_UINT32: return AT (guint32);
    case PH_INT16: return AT (gint16);
    case PH_UINT16: return AT (guint16);
    case PH_INT8:
    case PH_INT4:
    case PH_INT2: return AT (gint8);
    case PH_UINT8:
    case PH_BOOL:
    case PH_UINT4:
    case PH_UINT2: return AT (guint8);
    default: return ph_dtype_is_float (dtype) ? wrap_double (ph_dtype_load (dtype, data, index)) : 0;
    }
}

#undef AT
#define PUT(type, what) (((type *) data)[index] = (type) (what))

void
ph_dtype_store (PhDType dtype, gpointer data, gsize index, double value)
{
  switch (dtype)
    {
    case PH_FLOAT: PUT (float, value); break;
    case PH_DOUBLE: PUT (double, value); break;
    case PH_FLOAT16:
      PUT (guint16, (double) (float) value == value || isnan (value) ? ph_half_from_float ((float) value)
                                                                     : small_encode (&infos[dtype].format, value, FALSE));
      break;
    case PH_BFLOAT16:
      PUT (guint16, (double) (float) value == value || isnan (value) ? ph_bfloat_from_float ((float) value)
                                                                     : small_encode (&infos[dtype].format, value, FALSE));
      break;
    case PH_FLOAT8E4M3FN:
    case PH_FLOAT8E4M3FNUZ:
    case PH_FLOAT8E5M2:
    case PH_FLOAT8E5M2FNUZ:
    case PH_FLOAT4E2M1: PUT (guint8, small_encode (&infos[dtype].format, value, TRUE)); break;
    case PH_FLOAT8E8M0: PUT (guint8, ph_e8m0_from_double (value, PH_ROUND_UP)); break;
    case PH_BOOL: PUT (guint8, value != 0); break;
    default: ph_dtype_store_int (dtype, data, index, wrap_double (value)); break;
    }
}

void
ph_dtype_store_int (PhDType dtype, gpointer data, gsize index, gint64 value)
{
  switch (dtype)
    {
    case PH_INT64:
    case PH_UINT64: PUT (gint64, value); break;
    case PH_INT32:
    case PH_UINT32: PUT (guint32, value); break;
    case PH_INT16:
    case PH_UINT16: PUT (guint16, value); break;
    case PH_INT8:
    case PH_UINT8: PUT (guint8, value); break;
    case PH_BOOL: PUT (guint8, value != 0); break;
    case PH_UINT4: PUT (guint8, value & 15); break;
    case PH_UINT2: PUT (guint8, value & 3); break;
    case PH_INT4: PUT (gint8, ((value & 15) ^ 8) - 8); break;
    case PH_INT2: PUT (gint8, ((value & 3) ^ 2) - 2); break;
    default:
      if (ph_dtype_is_float (dtype))
        ph_dtype_store (dtype, data, index, value);
      break;
    }
}
