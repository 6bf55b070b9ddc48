/* intrinsics.c: LLVM's intrinsic functions on integers, by the language reference: passes like to write them (instcombine makes smax of a
 * comparison and a select).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/llvm/intrinsics.h"

#include <string.h>

__extension__ typedef __int128 Wide;

/* Of @low to @high the number nearest to @x. */
static guint64
saturated (Wide x, Wide low, Wide high)
{
  return (guint64) (x < low ? low : x > high ? high : x);
}

/* Returns the sum, difference or product that @kind, "sadd", "usub", ..., begins with; @low, @high: what the type can hold. */
static Wide
combine (const char *kind, const PhInteger *a, const PhInteger *b, Wide *low, Wide *high)
{
  const gboolean is_signed = *kind == 's';
  const Wide x = is_signed ? (Wide) ph_integer_signed (a) : (Wide) a->bits,
             y = is_signed ? (Wide) ph_integer_signed (b) : (Wide) b->bits;

  *low = is_signed ? -((Wide) 1 << (a->width - 1)) : 0;
  *high = is_signed ? ((Wide) 1 << (a->width - 1)) - 1 : (Wide) ph_integer_mask (a->width);
  if (g_str_has_prefix (kind + 1, "add"))
    return x + y;
  if (g_str_has_prefix (kind + 1, "sub"))
    return x - y;
  /* The product of two numbers of 64 bits without a sign may not fit; then it is past the end at any rate. */
  return !is_signed && y != 0 && x > *high / y ? *high + 1 + (Wide) (a->bits * b->bits) : x * y;
}

static void
shift_saturated (gboolean is_signed, const PhInteger *in, PhInteger *r)
{
  const Wide x = is_signed ? (Wide) ph_integer_signed (&in[0]) : (Wide) in[0].bits, end = (Wide) ph_integer_mask (r->width);

  if (in[1].bits >= r->width)
    r->poison = TRUE;
  else /* of at most 64 bits by at most 63 places */
    r->bits = is_signed ? saturated (x * ((Wide) 1 << in[1].bits), -(end / 2) - 1, end / 2)
                        : saturated (x > (end >> in[1].bits) ? end : x << in[1].bits, 0, end);
}

static void
funnel (gboolean left, const PhInteger *in, PhInteger *r)
{
  const guint by = (guint) (in[2].bits % r->width), other = r->width - by;

  if (by == 0)
    r->bits = in[left ? 0 : 1].bits;
  else if (left)
    r->bits = in[0].bits << by | in[1].bits >> other;
  else
    r->bits = in[0].bits << other | in[1].bits >> by;
}

static guint64
reversed (guint64 bits, guint width, guint unit)
{
  guint64 result = 0;

  for (guint i = 0; i < width; i += unit)
    result |= (bits >> i & ph_integer_mask (unit)) << (width - unit - i);
  return result;
}

static guint
zeros (const PhInteger *n, gboolean from_the_top)
{
  guint found = 0;

  while (found < n->width && (n->bits >> (from_the_top ? n->width - 1 - found : found) & 1) == 0)
    found++;
  return found;
}

static const struct
{
  const char *name; /* between "llvm." and the type */
  guint operands;
} known[] = {
  { "smax", 2 },
  { "smin", 2 },
  { "umax", 2 },
  { "umin", 2 },
  { "scmp", 2 },
  { "ucmp", 2 },
  { "abs", 2 },
  { "ctpop", 1 },
  { "ctlz", 2 },
  { "cttz", 2 },
  { "bswap", 1 },
  { "fshl", 3 },
  { "fshr", 3 },
  { "sadd.sat", 2 },
  { "uadd.sat", 2 },
  { "bitreverse", 1 },
  { "ssub.sat", 2 },
  { "usub.sat", 2 },
  { "sshl.sat", 2 },
  { "ushl.sat", 2 },
  { "sadd.with.overflow", 2 },
  { "uadd.with.overflow", 2 },
  { "ssub.with.overflow", 2 },
  { "usub.with.overflow", 2 },
  { "smul.with.overflow", 2 },
  { "umul.with.overflow", 2 },
  { "expect", 2 },
  { "assume", 1 },
};

/* The name without "llvm." and the type. (nullable) (transfer full) */
static char *
name_of (const char *callee)
{
  const char *end;

  if (!g_str_has_prefix (callee, "llvm."))
    return NULL;
  callee += strlen ("llvm.");
  end = strrchr (callee, '.');
  return end != NULL && end[1] == 'i' && g_ascii_isdigit (end[2]) ? g_strndup (callee, (gsize) (end - callee))
                                                                  : g_strdup (callee);
}

guint
ph_intrinsic_operands (const char *callee)
{
  g_autofree char *name = name_of (callee);

  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (known); i++)
    if (strcmp (name, known[i].name) == 0 || (g_str_has_prefix (name, known[i].name) && strstr (name, "cmp.") == name + 1))
      return known[i].operands;
  return 0;
}

gboolean
ph_intrinsic_evaluate (const char *callee, const PhInteger *in, PhInteger *r)
{
  g_autofree char *name = name_of (callee);
  const gboolean is_signed = *name == 's';
  const gint64 x = ph_integer_signed (&in[0]);

  if (strcmp (name, "assume") == 0)
    return in[0].bits != 0 && !in[0].poison;
  if (g_str_has_suffix (name, ".with.overflow") || g_str_has_prefix (name + 1, "add.sat")
      || g_str_has_prefix (name + 1, "sub.sat"))
    {
      Wide low, high;
      const Wide value = combine (name, &in[0], &in[1], &low, &high);

      r->overflow = value < low || value > high;
      r->bits = g_str_has_suffix (name, ".sat") ? saturated (value, low, high) : (guint64) value;
    }
  else if (strcmp (name + 1, "max") == 0 || strcmp (name + 1, "min") == 0)
    {
      const gboolean less = is_signed ? x < ph_integer_signed (&in[1]) : in[0].bits < in[1].bits;

      r->bits = in[less == (name[2] == 'i') ? 0 : 1].bits;
    }
  else if (g_str_has_prefix (name + 1, "cmp"))
    {
      const gboolean less = is_signed ? x < ph_integer_signed (&in[1]) : in[0].bits < in[1].bits;

      r->bits = less ? G_MAXUINT64 : in[0].bits != in[1].bits;
    }
  else if (strcmp (name, "abs") == 0)
    {
      r->bits = x < 0 ? -(guint64) x : (guint64) x;
      r->poison |= in[1].bits != 0 && x < 0 && (r->bits & ph_integer_mask (r->width)) == in[0].bits;
    }
  else if (strcmp (name, "ctlz") == 0 || strcmp (name, "cttz") == 0)
    {
      r->bits = zeros (&in[0], name[2] == 'l');
      r->poison |= in[1].bits != 0 && in[0].bits == 0;
    }
  else if (strcmp (name, "ctpop") == 0)
    r->bits = (guint64) __builtin_popcountll (in[0].bits);
  else if (strcmp (name, "bswap") == 0 || strcmp (name, "bitreverse") == 0)
    r->bits = reversed (in[0].bits, in[0].width, *name == 'b' && name[1] == 's' ? 8 : 1);
  else if (g_str_has_prefix (name, "fsh"))
    funnel (name[3] == 'l', in, r);
  else if (g_str_has_suffix (name, "shl.sat"))
    shift_saturated (is_signed, in, r);
  else
    r->bits = in[0].bits; /* expect */
  return TRUE;
}
