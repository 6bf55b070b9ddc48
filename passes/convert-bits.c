/* convert-bits.c: bitcast_convert: the same bits as elements of another type, also of another width.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

static guint
width_of (PhDType dtype)
{
  return dtype == PH_BOOL ? 1 : (guint) ph_dtype_file_bits (dtype);
}

/* Returns the unsigned type in which elements of @width bits are shifted. ONNX Runtime shifts none of 16 bits. */
static PhDType
register_of (guint width)
{
  return width <= 8 ? PH_UINT8 : width <= 32 ? PH_UINT32 : PH_UINT64;
}

static PhDType
unsigned_of (guint width)
{
  return width == 16 ? PH_UINT16 : register_of (width);
}

static PhValue *
reinterpret (PhConvert *l, PhValue *value, PhDType dtype)
{
  if (value == NULL || ph_convert_dtype (value) == dtype)
    return value;
  return PH_BUILD_WITH (l->b, BitCast, PH_ATTRS (ph_attr_new_int ("to", dtype)), value);
}

/* Builds the bits of @value as unsigned integers: of 8 bits, the upper ones 0, where its elements have fewer. */
static PhValue *
to_unsigned (PhConvert *l, PhValue *value)
{
  const PhDType dtype = ph_convert_dtype (value);
  const guint width = width_of (dtype);

  if (width >= 8)
    return reinterpret (l, value, unsigned_of (width));
  if (dtype == PH_UINT4 || dtype == PH_UINT2 || dtype == PH_BOOL)
    return ph_convert_cast (l, value, PH_UINT8);
  return PH_BUILD (l->b, BitwiseAnd, reinterpret (l, ph_convert_cast (l, value, PH_INT8), PH_UINT8),
                   ph_convert_number (l, PH_UINT8, (1 << width) - 1));
}

/* The reverse: @value holds no other bits. */
static PhValue *
from_unsigned (PhConvert *l, PhValue *value, PhDType dtype)
{
  const guint width = width_of (dtype);
  const double sign = 1 << (width % 8 == 0 ? 0 : width - 1);

  value = ph_convert_cast (l, value, unsigned_of (width));
  if (width >= 8)
    return reinterpret (l, value, dtype);
  if (dtype == PH_INT4 || dtype == PH_INT2) /* (x xor sign) - sign extends the sign */
    value = PH_BUILD (l->b, Sub,
                      reinterpret (l, PH_BUILD (l->b, BitwiseXor, value, ph_convert_number (l, PH_UINT8, sign)), PH_INT8),
                      ph_convert_number (l, PH_INT8, sign));
  return ph_convert_cast (l, value, dtype);
}

static PhValue *
shifted (PhConvert *l, PhValue *value, guint by, const char *direction)
{
  if (by == 0)
    return value;
  return PH_BUILD_WITH (l->b, BitShift, PH_ATTRS (ph_attr_new_string ("direction", direction)), value,
                        ph_convert_number (l, ph_convert_dtype (value), by));
}

/* Builds several narrow elements of each wide one along a new last axis, the lowest bits first. */
static PhValue *
split (PhConvert *l, guint wide, guint narrow)
{
  PhValue *bits = ph_convert_cast (l, to_unsigned (l, l->in[0]), register_of (wide)), *parts[64], *last;

  if (bits == NULL)
    return NULL;
  bits = PH_BUILD (l->b, Unsqueeze, bits, ph_convert_ints_value (l, (gint64[]) { -1 }, 1));
  for (guint k = 0; k < wide / narrow; k++)
    parts[k] = shifted (l, bits, k * narrow, "RIGHT");
  last = ph_build_node (l->b, &ph_op_Concat, parts, wide / narrow, PH_ATTRS (ph_attr_new_int ("axis", -1)), 1);
  return PH_BUILD (l->b, BitwiseAnd, last,
                   ph_convert_number (l, register_of (wide), (double) ((G_GUINT64_CONSTANT (1) << narrow) - 1)));
}

/* Builds one wide element of the narrow ones along the last axis. */
static PhValue *
join (PhConvert *l, guint wide, guint narrow)
{
  PhValue *bits = ph_convert_cast (l, to_unsigned (l, l->in[0]), register_of (wide)), *all = NULL;

  for (guint k = 0; bits != NULL && k < wide / narrow; k++)
    {
      PhValue *part = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)), bits,
                                     ph_convert_number (l, PH_INT64, k));

      part = shifted (l, part, k * narrow, "LEFT");
      all = all != NULL ? PH_BUILD (l->b, BitwiseOr, all, part) : part;
    }
  return all;
}

gboolean
ph_convert_bitcast (PhConvert *l, PhValue **out)
{
  const PhType *type = ph_convert_type (l, 0);
  const PhDType from = ph_convert_dtype (l->in[0]), to = type != NULL ? type->dtype : PH_UNDEFINED;
  const guint before = width_of (from), after = width_of (to);
  const int rank = ph_value_rank (l->in[0]);

  if (before == 0 || after == 0)
    return ph_convert_stay (l, "an element type is not known");
  if (before == after && before >= 8)
    return (*out = reinterpret (l, l->in[0], to)) != NULL;
  if ((before < 8 && before > 1 && !ph_dtype_is_integer (from)) || (after < 8 && after > 1 && !ph_dtype_is_integer (to))
      || MAX (before, after) > 64 || MAX (before, after) % MIN (before, after) != 0)
    return ph_convert_stay (l, "ONNX has no operator for the bits of %s", ph_dtype_name (before < after ? from : to));
  if (before > after)
    *out = from_unsigned (l, split (l, before, after), to);
  else if (before == after)
    *out = from_unsigned (l, to_unsigned (l, l->in[0]), to);
  else if (rank < 1 || ph_value_dim (l->in[0], rank - 1) != after / before)
    return ph_convert_stay (l, "the last size of its operand does not make up an element of its result");
  else
    *out = from_unsigned (l, join (l, after, before), to);
  return *out != NULL;
}
