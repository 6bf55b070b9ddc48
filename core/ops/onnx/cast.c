/* cast.c: converts numbers, or reinterprets bits, as another element type.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/grad.h"
#include "core/ops/onnx/elementwise.h"

static gboolean
is_number (PhDType dtype)
{
  return ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL;
}

static gboolean
is_float8 (PhDType dtype)
{
  return dtype >= PH_FLOAT8E4M3FN && dtype <= PH_FLOAT8E5M2FNUZ;
}

/* Prints a number like numpy: the fewest digits that read back as the same number, with a decimal point, without an exponent from 0.0001 up
 * to 10^16. */
static char *
number_to_text (PhDType dtype, PhTensor *tensor, gsize i)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];
  double value;
  int digits, exponent;

  if (dtype == PH_BOOL)
    return g_strdup (ph_tensor_get_int (tensor, i) ? "1" : "0");
  if (dtype == PH_UINT64)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) ph_tensor_get_int (tensor, i));
  if (ph_dtype_is_integer (dtype))
    return g_strdup_printf ("%" G_GINT64_FORMAT, ph_tensor_get_int (tensor, i));

  value = ph_tensor_get (tensor, i);
  if (isnan (value))
    return g_strdup ("NaN");
  if (isinf (value))
    return g_strdup (value > 0 ? "INF" : "-INF");
  for (digits = 1; digits <= 17; digits++)
    {
      guint64 back = 0, again = 0;

      g_snprintf (format, sizeof format, "%%.%de", digits - 1);
      g_ascii_formatd (text, sizeof text, format, value);
      ph_dtype_store (dtype, &back, 0, g_ascii_strtod (text, NULL));
      ph_dtype_store (dtype, &again, 0, value);
      if (back == again)
        break;
    }
  exponent = (int) g_ascii_strtoll (strchr (text, 'e') + 1, NULL, 10);
  if (exponent < -4 || exponent >= 16)
    return g_strdup (text);
  g_snprintf (format, sizeof format, "%%.%df", MAX (digits - 1 - exponent, 1));
  return g_strdup (g_ascii_formatd (text, sizeof text, format, value));
}

static gboolean
cast_strings (PhKernel *kernel, PhTensor *from, PhDType to, GError **error)
{
  gsize n = ph_tensor_count (from);
  gpointer out = ph_kernel_output (kernel, 0, to, ph_tensor_rank (from), ph_tensor_dims (from), error);

  if (out == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (to == PH_STRING)
      {
        g_autofree char *text = number_to_text (ph_tensor_dtype (from), from, i);

        ph_tensor_set_string (kernel->outputs[0], i, text);
      }
    else
      {
        const char *text = ph_tensor_get_string (from, i);
        char *end;

        if (ph_dtype_is_integer (to) && strpbrk (text, ".eE") == NULL)
          ph_dtype_store_int (to, out, i,
                              ph_dtype_is_signed (to) ? g_ascii_strtoll (text, &end, 10)
                                                      : (gint64) g_ascii_strtoull (text, &end, 10));
        else
          ph_dtype_store (to, out, i, g_ascii_strtod (text, &end));
        if (end == text || *end != '\0')
          return ph_kernel_fail (kernel, error, "\"%s\" is not a number", text);
      }
  return TRUE;
}

static gboolean
cast (PhKernel *kernel, PhDType to, GError **error)
{
  PhTensor *from = ph_kernel_input (kernel, 0), *result;
  PhDType dtype = ph_tensor_dtype (from);
  gboolean saturate = ph_node_attr_int (kernel->node, "saturate", 1) != 0;
  gsize n = ph_tensor_count (from);

  if (dtype == to)
    {
      ph_kernel_take (kernel, 0, ph_tensor_ref (from));
      return TRUE;
    }
  if ((dtype == PH_STRING && is_number (to)) || (to == PH_STRING && is_number (dtype)))
    return cast_strings (kernel, from, to, error);
  if (!is_number (dtype) || !is_number (to))
    return ph_kernel_fail (kernel, error, "cannot convert %s to %s", ph_dtype_name (dtype), ph_dtype_name (to));

  if ((is_float8 (to) && !saturate) || to == PH_FLOAT8E8M0)
    {
      const char *mode = ph_node_attr_string (kernel->node, "round_mode", "up");
      PhRoundMode round = mode[0] == 'd' ? PH_ROUND_DOWN : mode[0] == 'n' ? PH_ROUND_NEAREST : PH_ROUND_UP;
      guint8 *out = ph_kernel_output (kernel, 0, to, ph_tensor_rank (from), ph_tensor_dims (from), error);

      for (gsize i = 0; out != NULL && i < n; i++)
        out[i] = to == PH_FLOAT8E8M0 ? ph_e8m0_from_double (ph_tensor_get (from, i), round)
                                     : ph_float8_from_double (to, ph_tensor_get (from, i), FALSE);
      return out != NULL;
    }

  result = ph_convert (from, to);
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  ph_kernel_take (kernel, 0, result);
  return TRUE;
}

static gboolean
infer_as (PhInfer *infer, PhDType dtype)
{
  const PhType *type = ph_infer_type (infer, 0);
  const PhDim *dims;
  int n = ph_dtype_is_integer (dtype) ? ph_infer_dims (infer, 0, &dims) : -1;

  ph_infer_set (infer, 0, type != NULL ? ph_type_with_dtype (type, dtype) : ph_type_unranked (dtype));
  if (n >= 0)
    ph_infer_set_dims (infer, 0, dims, n);
  return TRUE;
}

static gboolean
infer_to (PhInfer *infer, GError **error)
{
  gint64 to = ph_node_attr_int (ph_infer_node_of (infer), "to", PH_UNDEFINED);

  if (to <= PH_UNDEFINED || to >= PH_N_DTYPES)
    return ph_infer_fail (infer, error, "its attribute 'to' is %" G_GINT64_FORMAT ", which is not an element type", to);
  return infer_as (infer, to);
}

static gboolean
infer_cast_like (PhInfer *infer, GError **error)
{
  const PhType *like = ph_infer_type (infer, 1);

  return like == NULL || infer_as (infer, like->dtype);
}

static gboolean
cast_kernel (PhKernel *kernel, GError **error)
{
  return cast (kernel, ph_node_attr_int (kernel->node, "to", PH_UNDEFINED), error);
}

static gboolean
cast_like_kernel (PhKernel *kernel, GError **error)
{
  return cast (kernel, ph_tensor_dtype (ph_kernel_input (kernel, 1)), error);
}

/* Casts the gradient back to the input's type if both are floats; the gradient of a cast from or to integers is zero. */
static gboolean
grad_cast (PhGrad *grad, GError **error)
{
  const PhType *from = ph_grad_in (grad, 0)->type, *to = grad->dy[0]->type;

  if (from == NULL || to == NULL || !ph_dtype_is_float (from->dtype) || !ph_dtype_is_float (to->dtype))
    return TRUE;
  grad->dx[0] = from->dtype == to->dtype
                    ? grad->dy[0]
                    : PH_BUILD_WITH (grad->b, Cast, PH_ATTRS (ph_attr_new_int ("to", from->dtype)), grad->dy[0]);
  return TRUE;
}

/* ONNX has no casts from or to complex numbers. */
#define CASTABLE (PH_ANY & ~(PH_T (COMPLEX64) | PH_T (COMPLEX128)))

/* clang-format off */
const PhOp ph_op_Cast = {
  "Cast", .since = 25, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_MOVEMENT, .main_attrs = { "to" }, .example = { "x[3]", "f = Cast <to = 11> (x) y = Mul (f, x)", -1, 1 },
  .doc     = "Elementwise conversion to another element type.",
  .inputs  = { { "input", 0, CASTABLE } }, .outputs = { { "output", 0, CASTABLE } },
  .attrs   = { { "to", PH_ATTR_INT, .required = TRUE }, { "saturate", PH_ATTR_INT, "1" },
               { "round_mode", PH_ATTR_STRING, "\"up\"", .words = "up|down|nearest" } },
  .infer   = infer_to, .kernel = cast_kernel, .grad_build = grad_cast,
  .grad_text = "dinput = Cast(dY)",
};

const PhOp ph_op_CastLike = {
  "CastLike", .since = 25, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[3]", "l = Constant <value = double {1.0}> () f = CastLike (x, l) y = Mul (f, x)", -1, 1 },
  .doc     = "Elementwise conversion to the element type of a second tensor.",
  .inputs  = { { "input", 0, CASTABLE }, { "target_type", 'T', CASTABLE } }, .outputs = { { "output", 'T', CASTABLE } },
  .attrs   = { { "saturate", PH_ATTR_INT, "1" }, { "round_mode", PH_ATTR_STRING, "\"up\"", .words = "up|down|nearest" } },
  .infer   = infer_cast_like, .kernel = cast_like_kernel, .grad_build = grad_cast, .no_grad = 1 << 1,
  .grad_text = "dinput = Cast(dY)",
};
/* clang-format on */

static gsize
bits_of (PhDType dtype)
{
  return dtype == PH_BOOL ? 8 : ph_dtype_file_bits (dtype);
}

static gboolean
bit_cast_kernel (PhKernel *kernel, GError **error)
{
  PhTensor *from = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (from), to = ph_node_attr_int (kernel->node, "to", PH_UNDEFINED);
  gpointer out;

  if (dtype == PH_STRING || to == PH_STRING || bits_of (dtype) != bits_of (to))
    return ph_kernel_fail (kernel, error, "%s and %s do not have the same number of bits", ph_dtype_name (dtype),
                           ph_dtype_name (to));
  out = ph_kernel_output (kernel, 0, to, ph_tensor_rank (from), ph_tensor_dims (from), error);
  if (out == NULL)
    return FALSE;
  memcpy (out, ph_tensor_data (from), ph_tensor_bytes (from));
  for (gsize i = 0; bits_of (to) < 8 && i < ph_tensor_count (from); i++) /* each has a byte, whose sign is that of its type */
    {
      ((guint8 *) out)[i] &= (guint8) ((1 << bits_of (to)) - 1);
      if (ph_dtype_is_integer (to))
        ph_dtype_store_int (to, out, i, ((guint8 *) out)[i]);
    }
  if (to == PH_BOOL) /* which has only two values */
    for (gsize i = 0; i < ph_tensor_count (from); i++)
      ((guint8 *) out)[i] = ((guint8 *) out)[i] != 0;
  return TRUE;
}

static gboolean
infer_bit_cast (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_type (infer, 0);
  gint64 to = ph_node_attr_int (ph_infer_node_of (infer), "to", PH_UNDEFINED);

  if (to <= PH_UNDEFINED || to >= PH_N_DTYPES)
    return ph_infer_fail (infer, error, "its attribute 'to' is %" G_GINT64_FORMAT ", which is not an element type", to);
  if (type != NULL && bits_of (type->dtype) != bits_of (to))
    return ph_infer_fail (infer, error, "%s and %s do not have the same number of bits", ph_dtype_name (type->dtype),
                          ph_dtype_name (to));
  ph_infer_set (infer, 0, type != NULL ? ph_type_with_dtype (type, to) : ph_type_unranked (to));
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_BitCast = {
  "BitCast", .since = 26, .flags = PH_OP_ELEMENTWISE,
  .family = PH_FAMILY_MOVEMENT,
  .doc     = "The same bits, read as another element type of the same width.",
  .inputs  = { { "input", 0, PH_ANY } }, .outputs = { { "output", 0, PH_ANY } },
  .attrs   = { { "to", PH_ATTR_INT, .required = TRUE } },
  .infer   = infer_bit_cast, .kernel = bit_cast_kernel,
};
/* clang-format on */
