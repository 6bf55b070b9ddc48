/* power.c: powers and remainders.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/grad.h"
#include "core/ops/onnx/elementwise.h"

/* Pow */

static guint64
power (guint64 x, guint64 exponent)
{
  guint64 result = 1;

  for (; exponent > 0; exponent >>= 1, x *= x)
    if (exponent & 1)
      result *= x;
  return result;
}

/* For a negative exponent, returns 1 / x^n truncated to an integer. */
static guint64
signed_power (gint64 x, gint64 exponent)
{
  if (exponent >= 0)
    return power (x, exponent);
  return x == 1 ? 1 : x == -1 ? (exponent & 1 ? (guint64) -1 : 1) : 0;
}

PH_BINARY_LOOP (pow_f32, float, float, powf (x, z))
PH_BINARY_LOOP (pow_f64, double, double, pow (x, z))
PH_BINARY_LOOP (pow_i64, gint64, guint64, signed_power (x, z))
PH_BINARY_LOOP (pow_u64, guint64, guint64, power (x, z))
PH_UNARY_LOOP (square_f32, float, float, x *x)
PH_UNARY_LOOP (square_f64, double, double, x *x)

/* Base and exponent may have different types; the result has that of the base. */
static gboolean
pow_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoops loops = { pow_f32, pow_f64, pow_i64, pow_u64 }, square = { square_f32, square_f64 };
  PhTensor *base = ph_kernel_input (kernel, 0), *exponent = ph_kernel_input (kernel, 1);
  PhDType dtype = ph_tensor_dtype (base), other = ph_tensor_dtype (exponent), common;
  g_autoptr (PhTensor) x = NULL, z = NULL, y = NULL;
  g_autoptr (GError) problem = NULL;
  PhTensor *result;

  if (ph_dtype_is_float (dtype) && ph_tensor_count (exponent) == 1 && ph_tensor_get (exponent, 0) == 2
      && ph_tensor_rank (exponent) <= ph_tensor_rank (base))
    y = ph_elementwise (&square, base, NULL, NULL, &problem);
  else
    {
      if (dtype == other)
        common = dtype;
      else if (ph_dtype_is_float (dtype) || ph_dtype_is_float (other))
        common = PH_DOUBLE;
      else
        common = ph_dtype_is_signed (dtype) || ph_dtype_is_signed (other) ? PH_INT64 : PH_UINT64;
      x = ph_convert (base, common);
      z = ph_convert (exponent, common);
      y = x != NULL && z != NULL ? ph_elementwise (&loops, x, z, NULL, &problem) : NULL;
    }
  result = y != NULL ? ph_convert (y, dtype) : NULL;
  if (result == NULL)
    return ph_kernel_pass_on (kernel, error, problem);
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

static PhValue *
cast_like (PhBuilder *b, PhValue *value, PhValue *like)
{
  if (value == NULL || like == NULL || value->type == NULL || like->type == NULL || value->type->dtype == like->type->dtype)
    return value;
  return PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", like->type->dtype)), value);
}

/* dx = dy b x^(b-1), and 0 where b = 0; db = dy y log x, and 0 where x <= 0. The masks are applied before the multiplication, which would
 * otherwise compute 0 * inf. */
static gboolean
grad_pow (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *raw = ph_grad_in (grad, 1), *dy = grad->dy[0], *out = ph_grad_out (grad, 0);
  PhTensor *constant = ph_value_constant (raw);
  PhValue *one = ph_grad_like (grad, x, 1), *zero = ph_grad_like (grad, x, 0), *exponent;

  if (grad->wanted[0] && constant != NULL && ph_tensor_count (constant) == 1 && ph_tensor_rank (constant) == 0)
    {
      double n = ph_tensor_get (constant, 0);

      if (n == 2)
        grad->dx[0] = PH_BUILD (b, Mul, dy, PH_BUILD (b, Mul, ph_grad_like (grad, x, 2), x));
      else if (n != 0)
        grad->dx[0] = PH_BUILD (
            b, Mul, dy, PH_BUILD (b, Mul, ph_grad_like (grad, x, n), PH_BUILD (b, Pow, x, ph_grad_like (grad, x, n - 1))));
      grad->zero[0] = n == 0;
      if (!grad->wanted[1])
        return TRUE;
    }

  exponent = cast_like (b, raw, x);
  if (grad->wanted[0] && grad->dx[0] == NULL && !grad->zero[0])
    {
      PhValue *slope = PH_BUILD (b, Mul, exponent, PH_BUILD (b, Pow, x, PH_BUILD (b, Sub, exponent, one)));

      grad->dx[0] = PH_BUILD (b, Mul, dy, PH_BUILD (b, Where, PH_BUILD (b, Equal, exponent, zero), zero, slope));
    }
  if (grad->wanted[1] && raw->type != NULL && ph_dtype_is_float (raw->type->dtype))
    {
      PhValue *positive = PH_BUILD (b, Greater, x, zero);
      PhValue *log = PH_BUILD (b, Log, PH_BUILD (b, Where, positive, x, one));
      PhValue *slope = PH_BUILD (b, Where, positive, PH_BUILD (b, Mul, out, log), zero);

      grad->dx[1] = cast_like (b, PH_BUILD (b, Mul, dy, slope), raw);
    }
  return TRUE;
}

#define POWERS (PH_FLOATS | PH_INDICES)

/* clang-format off */
const PhOp ph_op_Pow = {
  "Pow", .since = 15, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[2,3] b[3]", "y = Pow (a, b)", 0.5, 2 },
  .doc     = "Elementwise x to the power of y, with broadcasting; the result has x's element type.",
  .inputs  = { { "X", 'T', POWERS }, { "Y", 0, PH_NUMBERS } },
  .outputs = { { "Z", 'T', POWERS } },
  .infer   = ph_infer_broadcast, .kernel = pow_kernel, .grad_build = grad_pow,
  .grad_text = "dX = dZ * Y * X^(Y - 1); dY = dZ * Z * ln X",
  .symbol = "^",
};
/* clang-format on */

/* Mod */

static gint64
c_remainder (gint64 x, gint64 z)
{
  return z == 0 || z == -1 ? 0 : x % z;
}

static gint64
python_remainder (gint64 x, gint64 z)
{
  gint64 rest = c_remainder (x, z);

  return rest != 0 && (rest < 0) != (z < 0) ? rest + z : rest;
}

static double
python_fmod (double x, double z)
{
  double rest = fmod (x, z);

  return rest != 0 && (rest < 0) != (z < 0) ? rest + z : rest;
}

static inline gint32
c_remainder_i32 (gint32 x, gint32 z)
{
  return (gint32) (((guint32) x - (guint32) ph_divide_i32 (x, z) * (guint32) z) & (guint32) - (z != 0));
}

static inline gint32
python_remainder_i32 (gint32 x, gint32 z)
{
  const gint32 rest = c_remainder_i32 (x, z);

  return rest + (z & -((rest != 0) & ((rest ^ z) < 0)));
}

PH_BINARY_LOOP (fmod_i32, gint32, gint32, c_remainder_i32 (x, z))
PH_BINARY_LOOP (mod_i32, gint32, gint32, python_remainder_i32 (x, z))
PH_BINARY_LOOP (fmod_f32, float, float, fmodf (x, z))
PH_BINARY_LOOP (fmod_f64, double, double, fmod (x, z))
PH_BINARY_LOOP (fmod_i64, gint64, gint64, c_remainder (x, z))
PH_BINARY_LOOP (mod_f32, float, float, python_fmod (x, z))
PH_BINARY_LOOP (mod_f64, double, double, python_fmod (x, z))
PH_BINARY_LOOP (mod_i64, gint64, gint64, python_remainder (x, z))
PH_BINARY_LOOP (mod_u64, guint64, guint64, z == 0 ? 0 : x % z)

static gboolean
mod_kernel (PhKernel *kernel, GError **error)
{
  static const PhLoops as_c = { fmod_f32, fmod_f64, fmod_i64, mod_u64, .own_type = PH_INT32, .own = fmod_i32 },
                       as_python = { mod_f32, mod_f64, mod_i64, mod_u64, .own_type = PH_INT32, .own = mod_i32 };

  return ph_elementwise_kernel (kernel, ph_node_attr_int (kernel->node, "fmod", 0) ? &as_c : &as_python, NULL, error);
}

/* x mod z = x - z q with q whole: dz = -dy q, where q is cut towards zero (fmod) or down. */
static gboolean
grad_mod (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *dy = grad->dy[0];

  if (grad->wanted[0])
    grad->dx[0] = dy;
  if (grad->wanted[1])
    {
      PhValue *ratio = PH_BUILD (b, Div, ph_grad_in (grad, 0), ph_grad_in (grad, 1)), *whole;

      if (ph_node_attr_int (grad->node, "fmod", 0))
        whole = PH_BUILD (b, Mul, PH_BUILD (b, Sign, ratio), PH_BUILD (b, Floor, PH_BUILD (b, Abs, ratio)));
      else
        whole = PH_BUILD (b, Floor, ratio);
      grad->dx[1] = PH_BUILD (b, Neg, PH_BUILD (b, Mul, dy, whole));
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Mod = {
  "Mod", .since = 13, PH_BINARY (mod, PH_NUMBERS), .flags = PH_OP_ELEMENTWISE, .grad_build = grad_mod,
  .family = PH_FAMILY_ARITHMETIC, .example = { "a[4] b[4]", "y = Mod <fmod = 1> (a, b)", 0.3, 2 },
  .doc   = "Elementwise remainder: with the divisor's sign, or (fmod) with the dividend's.",
  .attrs = { { "fmod", PH_ATTR_INT, "0" } },
  .grad_text = "dA = dC; dB = -dC * floor(A / B)",
};
/* clang-format on */
