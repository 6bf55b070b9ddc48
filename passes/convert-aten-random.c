/* convert-aten-random.c: PyTorch's random numbers, and numbers that a formula makes of their place, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "passes/convert-aten.h"

#define MOST (1 << 22)

/* Numbers in the shape of @like, or of the sizes that are given. */
static gboolean
random_numbers (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean normal = strstr (op, "norm") != NULL || strstr (op, "randn") != NULL,
                 sized = !g_str_has_suffix (op, "_like") && strncmp (op, "rand", 4) == 0;
  PhValue *like = sized ? ph_aten_sizes (l, "size", -1) : ph_aten_operand (l);
  const PhDType given = ph_aten_dtype (l, "dtype"), dtype = given != PH_UNDEFINED ? given
                                                            : sized || ph_value_dtype (like) == PH_UNDEFINED
                                                                ? PH_FLOAT
                                                                : ph_value_dtype (like);
  PhAttr **attrs = normal ? PH_ATTRS (ph_attr_new_int ("dtype", dtype),
                                      ph_attr_new_float ("mean", (float) ph_aten_number (l, "mean", 0)),
                                      ph_attr_new_float ("scale", (float) ph_aten_number (l, "std", 1)))
                          : PH_ATTRS (ph_attr_new_int ("dtype", dtype),
                                      ph_attr_new_float ("low", (float) ph_aten_number (l, "from", 0)),
                                      ph_attr_new_float ("high", (float) ph_aten_number (l, "to", 1)));

  if (like != NULL && sized)
    like = PH_BUILD (l->b, ConstantOfShape, like);
  if (like != NULL)
    out[0] = ph_build_node (l->b, normal ? &ph_op_RandomNormalLike : &ph_op_RandomUniformLike, &like, 1, attrs, 1);
  else
    for (PhAttr **attr = attrs; *attr != NULL; attr++)
      ph_attr_unref (*attr);
  return out[0] != NULL || ph_convert_stay (l, "its sizes are not known");
}

static gboolean
bernoulli (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL || ph_aten_has (l, "p"))
    return ph_convert_stay (l, "its probability is a number");
  out[0] = PH_BUILD (l->b, Bernoulli, x);
  return out[0] != NULL;
}

/* The modified Bessel function of order 0, by its series: all terms are positive. */
static double
bessel_i0 (double x)
{
  double sum = 1, term = 1;

  for (guint k = 1; k < 500 && term > sum * 1e-17; k++)
    {
      term *= x / 2 / k * (x / 2 / k);
      sum += term;
    }
  return sum;
}

/* Place @i of a window that has @last + 1 of them. */
static double
window_at (PhConvert *l, const char *op, double i, double last)
{
  const double beta = ph_aten_number (l, "beta", 12), half = last > 0 ? 2 * i / last - 1 : 0;

  return strcmp (op, "bartlett_window") == 0 ? 1 - fabs (half)
                                             : bessel_i0 (beta * sqrt (fmax (0, 1 - half * half))) / bessel_i0 (beta);
}

static gboolean
series (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean steps = strcmp (op, "logspace") == 0, periodic = ph_aten_int (l, "periodic", 1) != 0;
  const gint64 n = ph_aten_int (l, steps ? "steps" : "window_length", -1);
  const double from = ph_aten_number (l, "start", 0), to = ph_aten_number (l, "end", 0), base = ph_aten_number (l, "base", 10);
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  g_autofree float *data = NULL;

  if (l->stays != NULL || n < 0 || n > MOST)
    return ph_convert_stay (l, "the number of its elements is not known");
  data = g_new (float, (gsize) n + 1);
  for (gint64 i = 0; i < n; i++)
    data[i] = (float) (steps    ? pow (base, from + (n > 1 ? (to - from) * (double) i / (double) (n - 1) : 0))
                       : n == 1 ? 1
                                : window_at (l, op, (double) i, (double) (periodic ? n : n - 1)));
  out[0] = ph_convert_cast (l, ph_build_tensor (l->b, ph_tensor_new_floats (data, (gsize) n)),
                            dtype != PH_UNDEFINED ? dtype : PH_FLOAT);
  return out[0] != NULL;
}

static const char drawn[] = "Both draw from the same distribution; the numbers differ.";
static const char constant[] = "It depends on no tensor, so it is a constant.";

/* clang-format off */
#define UNIFORM(name_) { "aten:" name_, random_numbers, "RandomUniformLike", drawn }
#define NORMAL(name_)  { "aten:" name_, random_numbers, "RandomNormalLike", drawn }
const PhConvertRule ph_convert_aten_random[] = {
  UNIFORM ("rand"), UNIFORM ("rand_like"), UNIFORM ("uniform"), NORMAL ("randn"), NORMAL ("randn_like"), NORMAL ("normal"), NORMAL ("normal_functional"),
  { "aten:bernoulli", bernoulli, "Bernoulli", drawn },
  { "aten:logspace", series, "a constant", constant }, { "aten:kaiser_window", series, "a constant", constant }, { "aten:bartlett_window", series, "a constant", constant },
  { NULL }
};
/* clang-format on */
