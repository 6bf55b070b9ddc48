/* convert-aten-combine.c: PyTorch's operators that combine the elements of vectors, and common divisors, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"
#include "passes/loop.h"

#define MOST (1 << 20) /* indices that are written down */

/* Each vector along a dimension of its own, expanded to the sizes of all. */
static gboolean
cartesian (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);
  PhValue *sizes[PH_MAX_RANK], *columns[PH_MAX_RANK], *shape;

  for (guint i = 0; i < n && n <= PH_MAX_RANK; i++)
    if (ph_aten_tensor (l, i) == NULL || ph_value_rank (ph_aten_tensor (l, i)) != 1)
      return ph_convert_stay (l, "its operands are not vectors");
    else
      sizes[i] = ph_aten_shape_part (l, ph_aten_tensor (l, i), 0, 1);
  if (n == 0 || n > PH_MAX_RANK)
    return ph_convert_stay (l, "its operands are not known");
  if (n == 1)
    return ph_aten_same (l, out);
  shape = ph_aten_concat (l, sizes, n, 0);
  for (guint i = 0; i < n; i++)
    {
      gint64 dims[PH_MAX_RANK];

      for (guint k = 0; k < n; k++)
        dims[k] = k == i ? -1 : 1;
      columns[i] = PH_BUILD (l->b, Expand, ph_convert_reshape (l, ph_aten_tensor (l, i), dims, n), shape);
      columns[i] = ph_convert_reshape (l, columns[i], (gint64[]) { -1, 1 }, 2);
    }
  out[0] = ph_aten_concat (l, columns, n, 1);
  return out[0] != NULL;
}

/* Appends all rows of @r ascending indices below @n to @rows, which begin with the @k at @row. */
static void
add_rows (GArray *rows, gint64 *row, guint k, guint r, gint64 n, gboolean again)
{
  if (k == r)
    {
      g_array_append_vals (rows, row, r);
      return;
    }
  /* As many larger ones as are still to come must be left. */
  for (row[k] = k == 0 ? 0 : row[k - 1] + !again; row[k] < n - (again ? 0 : r - 1 - k) && rows->len < MOST; row[k]++)
    add_rows (rows, row, k + 1, r, n, again);
}

static gboolean
combinations (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const gint64 r = ph_aten_int (l, "r", 2), again = ph_aten_int (l, "with_replacement", 0);
  const gint64 n = x != NULL && ph_value_rank (x) == 1 ? ph_value_dim (x, 0) : -1;
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 row[PH_MAX_RANK];
  PhTensor *indices;

  if (n < 0 || r < 1 || r > PH_MAX_RANK)
    return ph_convert_stay (l, "the length of its operand, or how many are combined, is not known");
  add_rows (rows, row, 0, (guint) r, n, again != 0);
  if (rows->len >= MOST)
    return ph_convert_stay (l, "there are too many combinations");
  indices = ph_tensor_new (PH_INT64, 2, (gint64[]) { rows->len / r, r });
  if (rows->len > 0)
    memcpy (ph_tensor_writable (indices), rows->data, rows->len * sizeof (gint64));
  out[0] = PH_BUILD (l->b, Gather, x, ph_build_tensor (l->b, indices));
  return out[0] != NULL;
}

/* The powers of each element, the highest first unless they increase. */
static gboolean
vander (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *n, *powers;
  PhDType dtype = x != NULL ? ph_convert_dtype (x) : PH_UNDEFINED;

  if (dtype == PH_UNDEFINED || ph_value_rank (x) != 1)
    return ph_convert_stay (l, "its operand is no vector of a known type");
  dtype = ph_dtype_is_float (dtype) ? dtype : PH_INT64;
  n = ph_aten_has (l, "N") ? ph_aten_one (l, "N", 0) : ph_aten_shape_part (l, x, 0, 1);
  n = ph_convert_reshape (l, n, NULL, 0);
  powers = PH_BUILD (l->b, Range, ph_build_scalar (l->b, PH_INT64, 0), n, ph_build_scalar (l->b, PH_INT64, 1));
  if (ph_aten_int (l, "increasing", 0) == 0)
    powers = PH_BUILD (l->b, Sub, PH_BUILD (l->b, Sub, n, ph_build_scalar (l->b, PH_INT64, 1)), powers);
  out[0] = PH_BUILD (l->b, Pow, ph_convert_reshape (l, ph_convert_cast (l, x, dtype), (gint64[]) { -1, 1 }, 2), powers);
  return out[0] != NULL;
}

/* The frequencies of a Fourier transform: 0, 1, ... over the time that it spans, the negative ones behind unless only half are there. */
static gboolean
frequencies (PhConvert *l, PhValue **out)
{
  const gint64 n = ph_aten_int (l, "n", -1);
  const gboolean half = strstr (ph_aten_name (l), "rfft") != NULL;
  const double span = (double) n * ph_aten_number (l, "d", 1);
  const PhDType dtype = ph_aten_dtype (l, "dtype");
  g_autoptr (PhTensor) numbers = NULL;
  gint64 count = half ? n / 2 + 1 : n;

  if (n < 1 || n > MOST || l->stays != NULL)
    return ph_convert_stay (l, "its length is not known");
  numbers = ph_tensor_new (PH_DOUBLE, 1, &count);
  for (gint64 i = 0; i < count; i++)
    ((double *) ph_tensor_writable (numbers))[i] = (double) (half || i < (n + 1) / 2 ? i : i - n) / span;
  out[0] = ph_build_tensor (l->b, ph_tensor_cast (numbers, dtype != PH_UNDEFINED ? dtype : PH_FLOAT));
  return out[0] != NULL;
}

/* ── common divisors ── */

/* Euclid's algorithm: (a, b) becomes (b, a mod b) where b is not 0, until there is none. Both are of one shape, and not negative. */
static PhValue *
euclid (PhConvert *l, PhDType dtype, PhValue *a, PhValue *b)
{
  PhValue *states[] = { a, b }, *zero, *any, *left, *rest;
  const PhType *types[] = { a->type, b->type };
  PhNode *loop = ph_loop_new (l->b, NULL, ph_build_scalar (l->b, PH_BOOL, 1), states, types, 2, types, 2);
  PhGraph *body = loop != NULL ? ph_node_graph (loop, "body") : NULL;
  PhBuilder in = { .graph = body, .name = l->b->name };

  if (body == NULL)
    return NULL;
  a = body->inputs->pdata[2];
  b = body->inputs->pdata[3];
  zero = ph_build_scalar (&in, dtype, 0);
  left = PH_BUILD (&in, Equal, b, zero);
  rest = PH_BUILD (&in, Where, left, zero,
                   PH_BUILD (&in, Mod, a, PH_BUILD (&in, Where, left, ph_build_scalar (&in, dtype, 1), b)));
  any = PH_BUILD_WITH (&in, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_INT64)),
                       PH_BUILD (&in, Not, PH_BUILD (&in, Equal, rest, zero)));
  any = PH_BUILD_WITH (&in, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), any);
  any = PH_BUILD (&in, Greater, any, ph_build_scalar (&in, PH_INT64, 0));
  a = PH_BUILD (&in, Where, left, a, b);
  if (in.error == NULL)
    {
      PhValue *results[] = { any, a, rest };

      for (guint i = 0; i < 3 && in.error == NULL; i++)
        ph_graph_set_output (body, i, results[i], &in.error);
    }
  if (in.error == NULL)
    return ph_node_output (loop, 0);
  if (l->b->error == NULL)
    l->b->error = g_steal_pointer (&in.error);
  g_clear_error (&in.error);
  return NULL;
}

static gboolean
divisor (PhConvert *l, PhValue **out)
{
  PhAtenArg a, b;
  PhValue *x, *y, *shape, *common;
  PhDType dtype, wide;

  if (!ph_aten_arg (l, 0, "self", &a) || !ph_aten_arg (l, 1, "other", &b))
    return ph_convert_stay (l, "its operands are not known");
  dtype = ph_aten_promote ((PhAtenArg[]) { a, b }, 2);
  if (!ph_dtype_is_integer (dtype))
    return ph_convert_stay (l, "its operands are not known to be integers");
  wide = dtype == PH_INT64 ? PH_INT64 : PH_INT32; /* in which C computes the product */
  x = ph_convert_cast (l, ph_aten_as (l, &a, dtype, NULL), wide);
  y = ph_convert_cast (l, ph_aten_as (l, &b, dtype, NULL), wide);
  shape = ph_aten_shape_part (l, PH_BUILD (l->b, Add, x, y), 0, G_MAXINT64);
  x = PH_BUILD (l->b, Abs, PH_BUILD (l->b, Expand, x, shape));
  y = PH_BUILD (l->b, Abs, PH_BUILD (l->b, Expand, y, shape));
  common = x != NULL && y != NULL ? euclid (l, wide, x, y) : NULL;
  if (strcmp (ph_aten_name (l), "lcm") == 0)
    common = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Div, x, PH_BUILD (l->b, Max, common, ph_build_scalar (l->b, wide, 1))), y);
  out[0] = ph_convert_cast (l, common, dtype);
  return out[0] != NULL;
}

static const char choices[] = "The indices are known from the length, so the elements are gathered.";
static const char common[] = "Euclid's algorithm, for all elements at once.";

/* clang-format off */
const PhConvertRule ph_convert_aten_combine[] = {
  { "aten:cartesian_prod", cartesian, "Expand and Concat", "Each vector is expanded along a dimension of its own." }, { "aten:combinations", combinations, "Gather", choices },
  { "aten:fft_fftfreq", frequencies, "a constant", "The length is known, so the frequencies are." },
  { "aten:fft_rfftfreq", frequencies, "a constant", "The length is known, so the frequencies are." }, { "aten:vander", vander, "Pow", "Each column is a power." }, { "aten:gcd", divisor, "a Loop of Mod", common }, { "aten:lcm", divisor, "a Loop of Mod, Div and Mul", common },
  { NULL }
};
/* clang-format on */
