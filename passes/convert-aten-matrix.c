/* convert-aten-matrix.c: PyTorch's linear algebra in ONNX, which has products and determinants only.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-aten.h"
#include "passes/loop.h"

/* ── linear equations ── */

static PhValue *
unsqueeze (PhConvert *l, PhValue *x, gint64 axis)
{
  return PH_BUILD (l->b, Unsqueeze, x, ph_convert_ints_value (l, &axis, 1));
}

static PhValue *
gather (PhConvert *l, PhValue *x, PhValue *index, gint64 axis)
{
  return PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), x, index);
}

/* One column of Gauss's and Jordan's elimination: the row with the largest element below comes up, is divided by it, and is taken
 * away from all others so often that their elements in the column vanish. */
static PhValue *
eliminate (PhConvert *l, PhValue *m, PhValue *k, PhValue *rows, PhDType dtype)
{
  const gint64 row_axis = -2;
  PhValue *column = gather (l, m, k, -1), *here = PH_BUILD (l->b, Equal, rows, k), *pivot, *there, *up, *down, *divisor, *factor;

  pivot = PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, rows, k), ph_convert_number (l, dtype, -1), PH_BUILD (l->b, Abs, column));
  pivot = PH_BUILD_WITH (l->b, ArgMax, PH_ATTRS (ph_attr_new_int ("axis", -1), ph_attr_new_int ("keepdims", 1)), pivot);
  there = PH_BUILD (l->b, Equal, rows, pivot); /* [.., n] */
  up = PH_BUILD (l->b, Where, unsqueeze (l, there, -1), m, ph_convert_number (l, dtype, 0));
  up = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 1)), up, ph_convert_ints_value (l, &row_axis, 1));
  down = unsqueeze (l, gather (l, m, k, -2), -2);
  m = PH_BUILD (l->b, Where, unsqueeze (l, here, -1), up, PH_BUILD (l->b, Where, unsqueeze (l, there, -1), down, m));
  divisor = unsqueeze (l, gather (l, up, k, -1), -1);
  factor = PH_BUILD (l->b, Sub, unsqueeze (l, gather (l, m, k, -1), -1),
                     unsqueeze (l, ph_convert_cast (l, here, dtype), -1)); /* the row itself is divided so */
  return PH_BUILD (l->b, Sub, m, PH_BUILD (l->b, Mul, factor, PH_BUILD (l->b, Div, up, divisor)));
}

/* Expands both to as many matrices, as their leading dimensions broadcast. */
static void
share_batch (PhConvert *l, PhValue **a, PhValue **b)
{
  PhValue **each[] = { a, b }, *first[2], *lead;
  const int rank = MAX (ph_value_rank (*a), ph_value_rank (*b));
  gint64 axes[PH_MAX_RANK];
  gboolean same = ph_value_rank (*a) == ph_value_rank (*b);

  for (int i = 0; i < rank; i++)
    {
      axes[i] = i;
      same = same && (i + 2 >= rank || (ph_value_dim (*a, i) >= 0 && ph_value_dim (*a, i) == ph_value_dim (*b, i)));
    }
  for (guint i = 0; i < 2 && !same; i++)
    {
      const gint64 zeros[] = { 0, 0 }, ones[] = { 1, 1 }, last[] = { -2, -1 };
      const gsize more = (gsize) (rank - ph_value_rank (*each[i]));

      if (more > 0)
        *each[i] = PH_BUILD (l->b, Unsqueeze, *each[i], ph_convert_ints_value (l, axes, more));
      first[i] = PH_BUILD (l->b, Slice, *each[i], ph_convert_ints_value (l, zeros, 2), ph_convert_ints_value (l, ones, 2),
                           ph_convert_ints_value (l, last, 2));
    }
  if (same || *a == NULL || *b == NULL)
    return;
  lead = ph_aten_shape_part (l, PH_BUILD (l->b, Add, first[0], first[1]), 0, rank - 2);
  for (guint i = 0; i < 2; i++)
    *each[i] = PH_BUILD (l->b, Expand, *each[i],
                         ph_aten_concat (l, (PhValue *[]) { lead, ph_aten_shape_part (l, *each[i], rank - 2, rank) }, 2, 0));
}

/* Solves a x = b, all of [.., n, n] and [.., n, m]. (nullable) */
static PhValue *
solved (PhConvert *l, PhValue *a, PhValue *b)
{
  const int rank = ph_value_rank (a);
  const gint64 n = rank >= 2 ? ph_value_dim (a, rank - 1) : -1;
  const PhDType dtype = ph_value_dtype (a);
  PhValue *both, *out[1], *rows;
  const PhType *type;
  PhBuilder *outer = l->b, inside;
  PhNode *loop;

  if (n < 1 || ph_value_dim (a, rank - 2) != n || !ph_dtype_is_float (dtype) || b == NULL || ph_value_rank (b) < 2)
    {
      ph_convert_stay (l, "its matrices are not square floats of a known size");
      return NULL;
    }
  share_batch (l, &a, &b);
  if (a == NULL || b == NULL)
    return NULL;
  both = ph_aten_concat (l, (PhValue *[]) { a, b }, 2, -1);
  rows = ph_convert_iota (l, n, 0, 1);
  type = both != NULL ? both->type : NULL;
  if (type == NULL)
    return NULL;
  loop = ph_loop_new (l->b, ph_build_scalar (l->b, PH_INT64, (double) n), NULL, &both, &type, 1, &type, 1);
  if (loop == NULL)
    return NULL;
  inside = (PhBuilder) { .graph = ph_node_graph (loop, "body"), .name = outer->name };
  l->b = &inside;
  out[0] = eliminate (l, inside.graph->inputs->pdata[2], inside.graph->inputs->pdata[0], rows, dtype);
  both = out[0] != NULL ? PH_BUILD (l->b, Identity, inside.graph->inputs->pdata[1]) : NULL;
  l->b = outer;
  if (inside.error != NULL || both == NULL || !ph_graph_set_output (inside.graph, 0, both, &inside.error)
      || !ph_graph_set_output (inside.graph, 1, out[0], &inside.error))
    {
      if (inside.error != NULL && outer->error == NULL)
        g_propagate_error (&outer->error, inside.error);
      return NULL;
    }
  return ph_aten_slice (l, ph_node_output (loop, 0), -1, n, G_MAXINT64);
}

static PhValue *
identity_like (PhConvert *l, PhValue *a)
{
  const int rank = ph_value_rank (a);
  const gint64 n = rank >= 2 ? ph_value_dim (a, rank - 1) : -1;
  PhValue *one;

  if (n < 1)
    return NULL;
  one = ph_convert_cast (l, PH_BUILD (l->b, Equal, ph_convert_iota (l, n, 0, 2), ph_convert_iota (l, n, 1, 2)),
                         ph_value_dtype (a));
  return PH_BUILD (l->b, Expand, one, PH_BUILD (l->b, Shape, a));
}

/* Whether @b is a vector for each matrix @a, not a matrix. */
static gboolean
is_column (const PhValue *a, const PhValue *b)
{
  const int rank = ph_value_rank (b);

  for (int i = 0; i < rank && rank > 1; i++)
    if (rank + 1 != ph_value_rank (a) || ph_value_dim (b, i) < 0 || ph_value_dim (b, i) != ph_value_dim (a, i))
      return FALSE;
  return rank > 0;
}

static gboolean
solve (PhConvert *l, PhValue **out)
{
  const gboolean inverse = strstr (ph_aten_name (l), "inv") != NULL;
  PhValue *a = ph_aten_operand (l), *b;
  const gint64 last = -1;
  gboolean column = FALSE;

  if (a == NULL)
    return FALSE;
  if (inverse)
    b = identity_like (l, a);
  else
    {
      b = ph_aten_tensor (l, 1);
      column = b != NULL && is_column (a, b);
      if (ph_aten_int (l, "left", 1) == 0)
        return ph_convert_stay (l, "it solves x a = b");
      if (column)
        b = unsqueeze (l, b, -1);
    }
  out[0] = solved (l, a, b);
  if (column && out[0] != NULL)
    out[0] = PH_BUILD (l->b, Squeeze, out[0], ph_convert_ints_value (l, &last, 1));
  if (inverse && l->n_out > 1) /* inv_ex */
    out[1] = ph_convert_cast (l, PH_BUILD_WITH (l->b, ConstantOfShape, NULL, ph_aten_shape_part (l, a, 0, -2)), PH_INT32);
  return out[0] != NULL;
}

static PhValue *
swapped (PhConvert *l, PhValue *x)
{
  const int rank = ph_value_rank (x);
  gint64 perm[PH_MAX_RANK];

  for (int i = 0; i < rank; i++)
    perm[i] = i + 2 < rank ? i : i + 2 == rank ? rank - 1 : rank - 2;
  return rank >= 2 ? ph_convert_transpose (l, x, perm, (guint) rank) : x;
}

/* Only one triangle of @a is read. */
static PhValue *
triangle (PhConvert *l, PhValue *a, gboolean upper)
{
  return PH_BUILD_WITH (l->b, Trilu, PH_ATTRS (ph_attr_new_int ("upper", upper)), a);
}

static PhValue *
with_unit_diagonal (PhConvert *l, PhValue *a)
{
  PhValue *one = identity_like (l, a);

  return one != NULL ? PH_BUILD (l->b, Where, ph_convert_cast (l, one, PH_BOOL), one, a) : a;
}

static gboolean
solve_triangle (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean old = strcmp (op, "triangular_solve") == 0, upper = ph_aten_int (l, "upper", 1) != 0,
                 transpose = old && ph_aten_int (l, "transpose", 0) != 0, unit = ph_aten_int (l, "unitriangular", 0) != 0,
                 left = ph_aten_int (l, "left", 1) != 0;
  PhValue *a = ph_aten_tensor (l, old ? 1 : 0), *b = ph_aten_tensor (l, old ? 0 : 1), *whole;

  if (a == NULL || b == NULL || l->stays != NULL)
    return ph_convert_stay (l, "its operands are not known");
  whole = a;
  a = triangle (l, a, upper);
  if (unit)
    a = with_unit_diagonal (l, a);
  if (transpose)
    a = swapped (l, a);
  out[0] = left ? solved (l, a, b) : solved (l, swapped (l, a), swapped (l, b));
  if (!left && out[0] != NULL)
    out[0] = swapped (l, out[0]);
  if (old && l->n_out > 1)
    out[1] = whole;
  return out[0] != NULL;
}

/* ── decompositions and powers ── */

/* By the rule that HLO's operator has. */
static PhValue *
cholesky_of (PhConvert *l, PhValue *a)
{
  const PhConvertRule *rule = ph_convert_find ("cholesky");
  PhValue **in = l->in, *found = NULL, *own[] = { a };

  l->in = own;
  if (!rule->lower (l, &found))
    found = NULL;
  l->in = in;
  return found;
}

static gboolean
cholesky (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *found;

  if (a == NULL)
    return FALSE;
  if ((found = cholesky_of (l, a)) == NULL)
    return FALSE;
  out[0] = ph_aten_int (l, "upper", 0) != 0 ? swapped (l, found) : found;
  if (l->n_out > 1) /* cholesky_ex */
    out[1] = ph_convert_cast (l, PH_BUILD_WITH (l->b, ConstantOfShape, NULL, ph_aten_shape_part (l, a, 0, -2)), PH_INT32);
  return TRUE;
}

/* (L L') x = b */
static gboolean
cholesky_solve (PhConvert *l, PhValue **out)
{
  PhValue *b = ph_aten_tensor (l, 0), *a = ph_aten_tensor (l, 1);
  const gboolean upper = ph_aten_int (l, "upper", 0) != 0;

  if (a == NULL || b == NULL)
    return ph_convert_stay (l, "its operands are not known");
  a = triangle (l, a, upper);
  out[0] = solved (l, upper ? PH_BUILD (l->b, MatMul, swapped (l, a), a) : PH_BUILD (l->b, MatMul, a, swapped (l, a)), b);
  return out[0] != NULL;
}

static gboolean
log_determinant (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *det, *size;

  if (a == NULL)
    return FALSE;
  det = PH_BUILD (l->b, Det, a);
  if (strcmp (ph_aten_name (l), "logdet") == 0)
    {
      out[0] = PH_BUILD (l->b, Log, det);
      return TRUE;
    }
  size = PH_BUILD (l->b, Log, PH_BUILD (l->b, Abs, det));
  out[0] = PH_BUILD (l->b, Sign, det);
  if (l->n_out > 1)
    out[1] = size;
  return TRUE;
}

static gboolean
power (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_operand (l), *result = NULL;
  gint64 n = ph_aten_int (l, "n", 1);

  if (a == NULL || l->stays != NULL || ABS (n) > 1000000)
    return ph_convert_stay (l, "its exponent is not known");
  if (n < 0 && (a = solved (l, a, identity_like (l, a))) == NULL)
    return FALSE;
  for (n = ABS (n); n > 0; n /= 2)
    {
      if (n % 2 == 1)
        result = result != NULL ? PH_BUILD (l->b, MatMul, result, a) : a;
      if (n > 1)
        a = PH_BUILD (l->b, MatMul, a, a);
    }
  out[0] = result != NULL ? result : identity_like (l, a);
  return out[0] != NULL;
}

/* ── products of several dimensions ── */

static gboolean
tensordot (PhConvert *l, PhValue **out)
{
  PhValue *x[2] = { ph_aten_tensor (l, 0), ph_aten_tensor (l, 1) };
  static const char *const names[] = { "dims_self", "dims_other" };
  gint64 dims[2][PH_MAX_RANK];
  guint n[2] = { PH_MAX_RANK, PH_MAX_RANK };
  char letters[2][PH_MAX_RANK + 1] = { "", "" }, result[2 * PH_MAX_RANK + 1] = "", next = 'a';
  guint at = 0;
  g_autofree char *equation = NULL;

  for (guint k = 0; k < 2; k++)
    if (x[k] == NULL || ph_value_rank (x[k]) < 0 || ph_value_rank (x[k]) > 10 || !ph_aten_ints (l, names[k], dims[k], &n[k]))
      return ph_convert_stay (l, "its dimensions are not known");
  if (n[0] != n[1])
    return ph_convert_stay (l, "it does not sum over as many dimensions of both");
  for (guint i = 0; i < n[0]; i++)
    for (guint k = 0; k < 2; k++)
      {
        const gint64 rank = ph_value_rank (x[k]), axis = dims[k][i] < 0 ? dims[k][i] + rank : dims[k][i];

        if (axis < 0 || axis >= rank)
          return ph_convert_stay (l, "it sums over a dimension that its operand does not have");
        letters[k][axis] = (char) (next + (char) i);
      }
  next = (char) (next + (char) n[0]);
  for (guint k = 0; k < 2; k++)
    for (int i = 0; i < ph_value_rank (x[k]); i++)
      if (letters[k][i] == '\0')
        letters[k][i] = result[at++] = next++;
  equation = g_strdup_printf ("%s,%s->%s", letters[0], letters[1], result);
  out[0] = ph_build_node (l->b, &ph_op_Einsum, x, 2, PH_ATTRS (ph_attr_new_string ("equation", equation)), 1);
  return TRUE;
}

/* Every element of one times all of the other. */
static gboolean
kronecker (PhConvert *l, PhValue **out)
{
  PhValue *a = ph_aten_tensor (l, 0), *b = ph_aten_tensor (l, 1);
  const int rank = a != NULL ? ph_value_rank (a) : -1;
  gint64 low[PH_MAX_RANK], high[PH_MAX_RANK], sizes[PH_MAX_RANK];

  if (b == NULL || rank < 1 || 2 * rank > PH_MAX_RANK || ph_value_rank (b) != rank)
    return ph_convert_stay (l, "its operands do not have as many dimensions");
  for (int i = 0; i < rank; i++)
    {
      low[i] = 2 * i;
      high[i] = 2 * i + 1;
      sizes[i] = ph_value_dim (a, i) * ph_value_dim (b, i);
      if (ph_value_dim (a, i) < 1 || ph_value_dim (b, i) < 1)
        return ph_convert_stay (l, "its sizes are not known");
    }
  out[0] = PH_BUILD (l->b, Mul, PH_BUILD (l->b, Unsqueeze, a, ph_convert_ints_value (l, high, (gsize) rank)),
                     PH_BUILD (l->b, Unsqueeze, b, ph_convert_ints_value (l, low, (gsize) rank)));
  out[0] = ph_convert_reshape (l, out[0], sizes, (guint) rank);
  return TRUE;
}

static gboolean
block_diagonal (PhConvert *l, PhValue **out)
{
  const guint n = ph_aten_n_tensors (l);
  g_autofree PhValue **rows = g_new0 (PhValue *, n + 1);
  gint64 width = 0, from = 0;

  for (guint i = 0; i < n; i++)
    {
      PhValue *x = ph_aten_tensor (l, i);

      for (int rank = x != NULL ? ph_value_rank (x) : 9; rank < 2; rank++)
        x = unsqueeze (l, x, 0);
      if (x == NULL || ph_value_rank (x) != 2 || ph_value_dim (x, 1) < 0)
        return ph_convert_stay (l, "its operands are not matrices of known sizes");
      rows[i] = x;
      width += ph_value_dim (x, 1);
    }
  for (guint i = 0; i < n; i++)
    {
      const gint64 own = ph_value_dim (rows[i], 1), pads[4] = { 0, from, 0, width - from - own };

      rows[i] = PH_BUILD (l->b, Pad, rows[i], ph_convert_ints_value (l, pads, 4));
      from += own;
    }
  out[0] = n > 0 ? ph_aten_concat (l, rows, n, 0) : NULL;
  return out[0] != NULL;
}

/* ── functions that HLO has, too ── */

static gboolean
special (PhConvert *l, PhValue **out)
{
  static const char *const names[][2] = {
    { "erfinv", "erf_inv" }, { "lgamma", "lgamma" }, { "gammaln", "lgamma" }, { "digamma", "digamma" }, { "psi", "digamma" }
  };
  const PhConvertRule *rule = NULL;
  PhValue **in = l->in, *own[] = { ph_aten_float (l) };
  gboolean ok;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_has_suffix (ph_aten_name (l), names[i][0]))
      rule = ph_convert_find (names[i][1]);
  if (own[0] == NULL || rule == NULL)
    return FALSE;
  l->in = own;
  ok = rule->lower (l, out);
  l->in = in;
  return ok;
}

static const char gauss[]
    = "ONNX has no operator that solves linear equations, so Gauss's elimination is a Loop over the columns.";
static const char none[] = "ONNX has no identical operator, so it is composed of others.";

/* clang-format off */
#define SPECIAL(name) { "aten:" name, special, "a fit, as for HLO", none }

const PhConvertRule ph_convert_aten_matrix[] = {
  { "aten:linalg_inv", solve, "Loop", gauss }, { "aten:inverse", solve, "Loop", gauss }, { "aten:linalg_inv_ex", solve, "Loop", gauss }, { "aten:linalg_solve", solve, "Loop", gauss },
  { "aten:triangular_solve", solve_triangle, "Loop", gauss }, { "aten:linalg_solve_triangular", solve_triangle, "Loop", gauss }, { "aten:cholesky_solve", cholesky_solve, "Loop", gauss },
  { "aten:linalg_cholesky", cholesky, "the decomposition, column by column", "ONNX has no operator that decomposes matrices." }, { "aten:cholesky", cholesky, "the decomposition, column by column", "ONNX has no operator that decomposes matrices." },
  { "aten:linalg_cholesky_ex", cholesky, "the decomposition, column by column", "ONNX has no operator that decomposes matrices." },
  { "aten:linalg_slogdet", log_determinant, "Log of Det", none }, { "aten:slogdet", log_determinant, "Log of Det", none }, { "aten:logdet", log_determinant, "Log of Det", none },
  { "aten:linalg_matrix_power", power, "MatMuls", "Squares of squares reach a power in few products." }, { "aten:matrix_power", power, "MatMuls", "Squares of squares reach a power in few products." },
  { "aten:tensordot", tensordot, "Einsum", "Both sum products over dimensions that are named." }, { "aten:kron", kronecker, "Mul, then Reshape", none }, { "aten:block_diag", block_diagonal, "Pads and Concat", none },
  SPECIAL ("erfinv"), SPECIAL ("special_erfinv"), SPECIAL ("lgamma"), SPECIAL ("special_gammaln"), SPECIAL ("digamma"), SPECIAL ("special_psi"), SPECIAL ("special_digamma"),
  { NULL }
};
/* clang-format on */
