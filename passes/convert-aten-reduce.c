/* convert-aten-reduce.c: PyTorch's operators that reduce, sort, convert, create tensors or query sizes, in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/io/torch/schema.h"
#include "passes/convert-aten.h"

/* ── reductions ── */

/* Reduces @x over @axes. Absent dimensions, None and [] mean all. */
static PhValue *
reduce_over (PhConvert *l, const PhOp *op, PhValue *x, const gint64 *axes, guint n, gboolean keep)
{
  PhValue *inputs[] = { x, n > 0 ? ph_convert_ints_value (l, axes, n) : NULL };

  return ph_build_node (l->b, op, inputs, n > 0 ? 2 : 1, PH_ATTRS (ph_attr_new_int ("keepdims", keep)), 1);
}

static gboolean
read_dims (PhConvert *l, gint64 *axes, guint *n, gboolean *keep)
{
  const PhAttr *dim = ph_node_attr (l->node, "dim");

  *keep = ph_aten_int (l, "keepdim", 0) != 0;
  if (!ph_aten_ints (l, "dim", axes, n) && ph_aten_has (l, "dim") && (dim == NULL || dim->kind != PH_ATTR_STRING))
    return ph_convert_stay (l, "its dim is not known");
  return TRUE;
}

static gboolean
reduce (PhConvert *l, PhValue **out)
{
  /* clang-format off */
  static const struct { const char *name; const PhOp *op; } kinds[] = {
    { "sum", &ph_op_ReduceSum }, { "mean", &ph_op_ReduceMean }, { "prod", &ph_op_ReduceProd }, { "amax", &ph_op_ReduceMax }, { "amin", &ph_op_ReduceMin }, { "all", &ph_op_ReduceMin },
    { "any", &ph_op_ReduceMax }, { "logsumexp", &ph_op_ReduceLogSumExp },
  };
  /* clang-format on */
  const char *op = ph_aten_name (l);
  const gboolean truth = strcmp (op, "all") == 0 || strcmp (op, "any") == 0,
                 adds = strcmp (op, "sum") == 0 || strcmp (op, "prod") == 0;
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;
  gboolean keep, bytes;
  PhValue *x = ph_aten_operand (l);
  PhDType dtype = ph_aten_dtype (l, "dtype");

  if (x == NULL || !read_dims (l, axes, &n, &keep))
    return FALSE;
  x = ph_aten_list_as_tensor (l, x);
  if (strcmp (op, "sum") == 0 && ph_aten_n_tensors (l) > 1) /* sum ([1, 2, 3]) */
    {
      for (guint i = 1; i < ph_aten_n_tensors (l); i++)
        x = PH_BUILD (l->b, Add, x, ph_convert_cast (l, ph_aten_tensor (l, i), ph_value_dtype (x)));
      out[0] = x;
      return x != NULL;
    }
  if (truth && ph_aten_n_tensors (l) > 1) /* all ([a, b, c]) */
    x = ph_aten_several (l);
  if (strcmp (op, "logsumexp") == 0)
    x = ph_aten_float (l);
  if (dtype == PH_UNDEFINED && adds && (ph_convert_dtype (x) == PH_BOOL || ph_dtype_is_integer (ph_convert_dtype (x))))
    dtype = PH_INT64;
  bytes = ph_convert_dtype (x) == PH_UINT8;
  if (truth)
    x = ph_convert_cast (l, ph_convert_cast (l, x, PH_BOOL), PH_UINT8);
  else if (dtype != PH_UNDEFINED)
    x = ph_convert_cast (l, x, dtype);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].name, op) == 0)
      out[0] = ph_value_rank (x) == 0 ? x : reduce_over (l, kinds[i].op, x, axes, n, keep);
  if (truth) /* of bytes PyTorch gives a byte */
    out[0] = ph_convert_cast (l, out[0], bytes ? PH_UINT8 : PH_BOOL);
  return out[0] != NULL;
}

/* max (x), max (x, dim), max (x, y) */
static gboolean
extreme (PhConvert *l, PhValue **out)
{
  const gboolean most = strcmp (ph_aten_name (l), "max") == 0;
  PhValue *x = ph_aten_operand (l), *other = ph_aten_tensor (l, 1) != NULL ? ph_aten_tensor (l, 1) : ph_aten_computed (l, "dim");
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;
  gboolean keep;

  if (x == NULL)
    return FALSE;
  if (other != NULL && l->n_out == 1)
    {
      PhAtenArg a = { .value = x, .dtype = ph_value_dtype (x), .level = 2 },
                b = { .value = other, .dtype = ph_value_dtype (other), .level = 2 };

      return ph_aten_binary (l, most ? &ph_op_Max : &ph_op_Min, &a, &b, out);
    }
  if (!read_dims (l, axes, &n, &keep) || n > 1)
    return ph_convert_stay (l, "its dim is not known");
  if (n == 1 && l->n_out > 1 && ph_value_n_uses (ph_node_output (l->node, 1)) > 0)
    out[1] = ph_build_node (l->b, most ? &ph_op_ArgMax : &ph_op_ArgMin, &x, 1,
                            PH_ATTRS (ph_attr_new_int ("axis", axes[0]), ph_attr_new_int ("keepdims", keep)), 1);
  out[0] = ph_value_rank (x) == 0 ? x : reduce_over (l, most ? &ph_op_ReduceMax : &ph_op_ReduceMin, x, axes, n, keep);
  return TRUE;
}

static gboolean
place (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const gint64 axis = ph_aten_int (l, "dim", 0), all = -1;

  if (x == NULL)
    return FALSE;
  if (!ph_aten_has (l, "dim"))
    x = ph_convert_reshape (l, x, &all, 1);
  out[0] = ph_build_node (
      l->b, strcmp (ph_aten_name (l), "argmax") == 0 ? &ph_op_ArgMax : &ph_op_ArgMin, &x, 1,
      PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("keepdims", ph_aten_int (l, "keepdim", 0) != 0)), 1);
  return TRUE;
}

/* Computes the sum of squared deviations from the mean, divided by the count less one, or less "correction". */
static gboolean
variance (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  double less = 1;
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;
  gboolean keep;
  PhValue *x = ph_aten_float (l), *mean, *off, *sum, *count;

  if (x == NULL || !read_dims (l, axes, &n, &keep))
    return FALSE;
  if (ph_node_attr (l->node, "unbiased") != NULL)
    less = (double) ph_aten_int (l, "unbiased", 1);
  else if (ph_node_attr (l->node, "correction") != NULL)
    less = ph_aten_number (l, "correction", 1);
  mean = reduce_over (l, &ph_op_ReduceMean, x, axes, n, TRUE);
  off = PH_BUILD (l->b, Sub, x, mean);
  sum = reduce_over (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, off, off), axes, n, keep);
  /* The count of elements for each mean. */
  count = PH_BUILD (l->b, Div, PH_BUILD (l->b, Size, x), PH_BUILD (l->b, Size, mean));
  if (count == NULL)
    return FALSE;
  count = PH_BUILD (l->b, Sub, ph_convert_cast (l, count, ph_convert_dtype (x)), ph_convert_like (l, x, less));
  sum = PH_BUILD (l->b, Div, sum, count);
  out[0] = g_str_has_prefix (op, "std") ? PH_BUILD (l->b, Sqrt, sum) : sum;
  if (l->n_out > 1 && g_str_has_suffix (op, "_mean"))
    out[1] = keep ? mean : reduce_over (l, &ph_op_ReduceMean, x, axes, n, FALSE);
  return TRUE;
}

static gboolean
norm (PhConvert *l, PhValue **out)
{
  const double p = ph_aten_number (l, ph_aten_has (l, "ord") ? "ord" : "p", 2);
  gint64 axes[PH_MAX_RANK];
  guint n = PH_MAX_RANK;
  gboolean keep;
  PhValue *x = ph_aten_float (l);
  const PhDType dtype = ph_aten_dtype (l, "dtype");

  if (x == NULL || !read_dims (l, axes, &n, &keep))
    return FALSE;
  if (dtype != PH_UNDEFINED)
    x = ph_convert_cast (l, x, dtype);
  if (x != NULL && ph_value_rank (x) == 0)
    n = 0;
  if (isinf (p))
    out[0] = reduce_over (l, p > 0 ? &ph_op_ReduceMax : &ph_op_ReduceMin, PH_BUILD (l->b, Abs, x), axes, n, keep);
  else if (p == 1 || p == 2)
    out[0] = reduce_over (l, p == 1 ? &ph_op_ReduceL1 : &ph_op_ReduceL2, x, axes, n, keep);
  else if (p == 0)
    out[0] = reduce_over (
        l, &ph_op_ReduceSum,
        ph_convert_cast (l, PH_BUILD (l->b, Not, PH_BUILD (l->b, Equal, x, ph_convert_like (l, x, 0))), ph_convert_dtype (x)),
        axes, n, keep);
  else
    out[0] = PH_BUILD (l->b, Pow,
                       reduce_over (l, &ph_op_ReduceSum, PH_BUILD (l->b, Pow, PH_BUILD (l->b, Abs, x), ph_convert_like (l, x, p)),
                                    axes, n, keep),
                       ph_convert_like (l, x, 1 / p));
  return TRUE;
}

static gboolean
cumsum (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  PhDType dtype = ph_aten_dtype (l, "dtype");

  if (x == NULL)
    return FALSE;
  if (dtype == PH_UNDEFINED && (ph_convert_dtype (x) == PH_BOOL || ph_dtype_is_integer (ph_convert_dtype (x))))
    dtype = PH_INT64;
  if (dtype != PH_UNDEFINED)
    x = ph_convert_cast (l, x, dtype);
  if (strcmp (ph_aten_name (l), "cumprod") == 0)
    out[0] = PH_BUILD (l->b, CumProd, x, ph_build_scalar (l->b, PH_INT64, (double) ph_aten_int (l, "dim", 0)));
  else
    out[0] = PH_BUILD (l->b, CumSum, x, ph_build_scalar (l->b, PH_INT64, (double) ph_aten_int (l, "dim", 0)));
  return TRUE;
}

static gboolean
cosine (PhConvert *l, PhValue **out)
{
  const gint64 axis = ph_aten_int (l, "dim", 1);
  const double eps = ph_aten_number (l, "eps", 1e-8);
  PhValue *a = ph_aten_tensor (l, 0), *b = ph_aten_tensor (l, 1), *lengths[2];

  if (a == NULL || b == NULL)
    return ph_convert_stay (l, "it does not have two operands");
  lengths[0] = PH_BUILD (l->b, Max, reduce_over (l, &ph_op_ReduceL2, a, &axis, 1, FALSE), ph_convert_like (l, a, eps));
  lengths[1] = PH_BUILD (l->b, Max, reduce_over (l, &ph_op_ReduceL2, b, &axis, 1, FALSE), ph_convert_like (l, b, eps));
  out[0] = PH_BUILD (l->b, Div, reduce_over (l, &ph_op_ReduceSum, PH_BUILD (l->b, Mul, a, b), &axis, 1, FALSE),
                     PH_BUILD (l->b, Mul, lengths[0], lengths[1]));
  return TRUE;
}

static gboolean
top (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean all = strcmp (op, "topk") != 0,
                 largest = all ? ph_aten_int (l, "descending", 0) != 0 : ph_aten_int (l, "largest", 1) != 0;
  const gint64 axis = strcmp (op, "msort") == 0 ? 0 : ph_aten_int (l, "dim", -1);
  PhValue *x = ph_aten_operand (l), *made, *k;

  if (x == NULL)
    return FALSE;
  if (all)
    k = axis == -1
            ? PH_BUILD_WITH (l->b, Shape, PH_ATTRS (ph_attr_new_int ("start", -1)), x)
            : PH_BUILD_WITH (l->b, Shape, PH_ATTRS (ph_attr_new_int ("start", axis), ph_attr_new_int ("end", axis + 1)), x);
  else
    k = ph_aten_one (l, "k", 1);
  made = ph_build_node (l->b, &ph_op_TopK, PH_VALUES_ (x, k), 2,
                        PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_int ("largest", largest)), 2);
  if (made == NULL)
    return FALSE;
  if (strcmp (op, "argsort") == 0)
    out[0] = ph_node_output (made->producer, 1);
  else
    {
      out[0] = made;
      if (l->n_out > 1)
        out[1] = ph_node_output (made->producer, 1);
    }
  return TRUE;
}

/* ── element types, numbers ── */

static gboolean
to (PhConvert *l, PhValue **out)
{
  static const char *const names[] = { "dtype", "arg2", "arg3" };
  static const struct
  {
    const char *op;
    PhDType dtype;
  } fixed[] = { { "float", PH_FLOAT }, { "double", PH_DOUBLE }, { "half", PH_FLOAT16 },      { "long", PH_INT64 },
                { "int", PH_INT32 },   { "bool", PH_BOOL },     { "_cast_Float", PH_FLOAT }, { "_cast_Long", PH_INT64 } };
  PhValue *x = ph_aten_operand (l),
          *other = ph_aten_tensor (l, 1) != NULL ? ph_aten_tensor (l, 1) : ph_aten_computed (l, "dtype");
  PhDType dtype = PH_UNDEFINED;

  if (x == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (fixed); i++)
    if (strcmp (fixed[i].op, ph_aten_name (l)) == 0)
      dtype = fixed[i].dtype;
  for (guint i = 0; i < G_N_ELEMENTS (names) && dtype == PH_UNDEFINED; i++)
    dtype = ph_aten_dtype (l, names[i]);
  if (dtype == PH_UNDEFINED && other != NULL && other != x && (other->producer == NULL || !ph_aten_is_list (other->producer)))
    {
      const PhDType given = ph_value_dtype (ph_node_output (l->node, 0)); /* whatever the other one's turns out to be */

      return (out[0] = given != PH_UNDEFINED ? ph_convert_cast (l, x, given) : PH_BUILD (l->b, CastLike, x, other)) != NULL;
    }
  out[0] = dtype != PH_UNDEFINED ? ph_convert_cast (l, x, dtype) : x;
  return TRUE;
}

/* Converts Int (x), Float (x), Bool (x), item (x) and NumToTensor (n) to one element without dimensions. */
static gboolean
number (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_tensor (l, 0);
  PhAtenArg known;

  if (x == NULL && ph_aten_arg (l, G_MAXUINT, "arg0", &known))
    x = ph_build_scalar (l->b, known.dtype, known.number);
  if (x == NULL)
    return ph_convert_stay (l, "it has no operand");
  if (ph_value_rank (x) != 0)
    x = ph_convert_reshape (l, x, NULL, 0);
  out[0] = strcmp (op, "Int") == 0     ? ph_convert_cast (l, x, PH_INT64)
           : strcmp (op, "Float") == 0 ? ph_convert_cast (l, x, PH_DOUBLE)
           : strcmp (op, "Bool") == 0  ? ph_convert_cast (l, x, PH_BOOL)
                                       : x;
  return out[0] != NULL;
}

static gboolean
size (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  PhValue *x = ph_aten_tensor (l, 0);
  gint64 axis;
  const int rank = x != NULL ? ph_value_rank (x) : -1;

  if (strcmp (op, "len") == 0 && ph_aten_python_length (l, out))
    return TRUE;
  if (x == NULL)
    return ph_convert_stay (l, "it has no operand");
  if (l->n_out > 1) /* n, m = x.size () */
    {
      for (guint i = 0; i < l->n_out; i++)
        out[i] = ph_value_dim (x, (int) i) >= 0 ? ph_build_scalar (l->b, PH_INT64, (double) ph_value_dim (x, (int) i))
                                                : PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                                                                 PH_BUILD (l->b, Shape, x), ph_build_scalar (l->b, PH_INT64, i));
      return TRUE;
    }
  if (strcmp (op, "numel") == 0)
    out[0] = PH_BUILD (l->b, Size, x);
  else if (strcmp (op, "dim") == 0)
    out[0] = rank >= 0                                                     ? ph_build_scalar (l->b, PH_INT64, rank)
             : ph_convert_stay (l, "the rank of its operand is not known") ? x
                                                                           : NULL;
  else if (!ph_aten_has (l, "dim") && strcmp (op, "len") != 0)
    out[0] = ph_aten_shape_part (l, x, 0, G_MAXINT64);
  else
    {
      axis = strcmp (op, "len") == 0 ? 0 : ph_aten_int (l, "dim", 0);
      axis += axis < 0 && rank >= 0 ? rank : 0;
      if (ph_value_dim (x, (int) axis) >= 0)
        out[0] = ph_build_scalar (l->b, PH_INT64, (double) ph_value_dim (x, (int) axis));
      else
        out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), PH_BUILD (l->b, Shape, x),
                                ph_build_scalar (l->b, PH_INT64, (double) axis));
    }
  return out[0] != NULL;
}

/* Takes an element of a list, or of a tensor's first dimension. */
static gboolean
get_item (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *index = ph_aten_computed (l, "idx");
  const PhNode *list = x != NULL ? x->producer : NULL;
  const PhAttr *known = ph_node_attr (l->node, "idx");

  if (x == NULL || (index == NULL && (known == NULL || known->kind != PH_ATTR_INT)))
    return ph_convert_stay (l, "its index is not a number");
  if (ph_aten_n_tensors (l) > 1) /* of a list that was written out here */
    {
      const gint64 i = ph_aten_int (l, "idx", 0), n = ph_aten_n_tensors (l);

      if (l->stays != NULL || i < -n || i >= n)
        return ph_convert_stay (l, "its index is not known, or not in the list");
      out[0] = ph_aten_tensor (l, (guint) (i < 0 ? i + n : i));
      return out[0] != NULL;
    }
  if (list != NULL && ph_aten_is_list (list))
    {
      const gint64 i = index == NULL || ph_value_constant (index) != NULL ? ph_aten_int (l, "idx", 0) : G_MAXINT64,
                   at = i < 0 ? i + list->inputs->len : i;

      if (at < 0 || at >= list->inputs->len || list->inputs->pdata[at] == NULL)
        return ph_convert_stay (l, "its index is not known, or not in the list");
      out[0] = list->inputs->pdata[at];
      return TRUE;
    }
  if (index == NULL)
    index = ph_build_scalar (l->b, PH_INT64, (double) known->i);
  if (ph_aten_is_sequence (x))
    {
      out[0] = PH_BUILD (l->b, SequenceAt, x, index);
      return TRUE;
    }
  out[0] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), x, index);
  return TRUE;
}

/* ── new tensors ── */

static PhValue *
filled (PhConvert *l, PhValue *sizes, PhDType dtype, double number)
{
  gint64 one = 1;
  PhTensor *scalar = ph_tensor_new_scalar (dtype, number), *value;

  if (sizes == NULL || scalar == NULL)
    {
      g_clear_pointer (&scalar, ph_tensor_unref);
      return NULL;
    }
  value = ph_tensor_new_splat (dtype, 1, &one, ph_tensor_data (scalar));
  ph_tensor_unref (scalar);
  if (value == NULL)
    return ph_build_tensor (l->b, NULL);
  {
    PhAttr *attr = ph_attr_new_tensor ("value", value);

    ph_tensor_unref (value);
    return PH_BUILD_WITH (l->b, ConstantOfShape, PH_ATTRS (attr), sizes);
  }
}

/* Converts zeros, ones, full and empty, and their variants shaped like another tensor. */
static gboolean
fill (PhConvert *l, PhValue **out)
{
  const char *op = ph_aten_name (l);
  const gboolean like = strstr (op, "_like") != NULL || g_str_has_prefix (op, "new_"), full = strstr (op, "full") != NULL;
  PhValue *x = like ? ph_aten_operand (l) : NULL, *sizes;
  PhAtenArg number = { .dtype = PH_INT64, .number = strstr (op, "ones") != NULL };
  PhDType dtype = ph_aten_dtype (l, "dtype");

  if (like && x == NULL)
    return FALSE;
  if (full && !ph_aten_arg (l, like ? 1 : 0, "fill_value", &number))
    return ph_convert_stay (l, "the value that fills it is not known");
  if (dtype == PH_UNDEFINED && !like && ph_node_attr (l->node, PH_TORCH_TRUTH) != NULL)
    dtype = PH_BOOL;
  if (dtype == PH_UNDEFINED)
    dtype = like ? ph_convert_dtype (x) : full ? number.dtype == PH_DOUBLE ? PH_FLOAT : number.dtype : PH_FLOAT;
  sizes = like && !g_str_has_prefix (op, "new_") ? ph_aten_shape_part (l, x, 0, G_MAXINT64) : ph_aten_sizes (l, "size", -1);
  if (dtype == PH_UNDEFINED || sizes == NULL)
    return ph_convert_stay (l, "its element type or shape is not known");
  out[0] = number.value == NULL ? filled (l, sizes, dtype, number.number)
                                : PH_BUILD (l->b, Expand, ph_convert_cast (l, number.value, dtype), sizes);
  return out[0] != NULL;
}

/* Writes a value into a tensor, keeping its shape and type. */
static gboolean
overwrite (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l), *sizes;
  PhAtenArg from = { .dtype = PH_INT64 };

  if (x == NULL)
    return FALSE;
  if (strcmp (ph_aten_name (l), "zero") != 0
      && !ph_aten_arg (l, 1, strcmp (ph_aten_name (l), "fill") == 0 ? "value" : "src", &from))
    return ph_convert_stay (l, "the type of the value that it writes is not known");
  sizes = ph_aten_shape_part (l, x, 0, G_MAXINT64);
  out[0] = PH_BUILD (l->b, Expand, ph_aten_as (l, &from, ph_convert_dtype (x), x), sizes);
  return TRUE;
}

static gboolean
arange (PhConvert *l, PhValue **out)
{
  static const char *const names[] = { "start", "end", "step" };
  PhAtenArg args[3] = { { .dtype = PH_INT64 }, { .dtype = PH_INT64 }, { .dtype = PH_INT64, .number = 1 } };
  PhDType dtype = ph_aten_dtype (l, "dtype");
  PhValue *values[3];
  gboolean has[3];

  for (guint i = 0; i < 3; i++)
    has[i] = ph_aten_has (l, names[i]) && ph_aten_arg (l, G_MAXUINT, names[i], &args[i]);
  if (has[0] && !has[1]) /* arange (n) */
    {
      args[1] = args[0];
      args[0] = (PhAtenArg) { .dtype = PH_INT64 };
    }
  else if (!has[1])
    return ph_convert_stay (l, "its end is not known");
  for (guint i = 0; i < 3; i++)
    args[i].level = 0;
  if (dtype == PH_UNDEFINED)
    dtype = ph_aten_promote (args, 3) == PH_DOUBLE ? PH_FLOAT : PH_INT64;
  for (guint i = 0; i < 3; i++)
    values[i] = ph_aten_as (l, &args[i], dtype, NULL);
  out[0] = ph_build_node (l->b, &ph_op_Range, values, 3, NULL, 1);
  return TRUE;
}

/* tensor (2.5), tensor ([1, 2]) */
static gboolean
tensor (PhConvert *l, PhValue **out)
{
  const PhAttr *data = ph_node_attr (l->node, "data") != NULL ? ph_node_attr (l->node, "data") : ph_node_attr (l->node, "s");
  PhDType dtype = ph_aten_dtype (l, "dtype");
  PhValue *x = ph_aten_computed (l, "data") != NULL ? ph_aten_computed (l, "data") : ph_aten_tensor (l, 0);

  if (dtype == PH_UNDEFINED && strcmp (ph_aten_name (l), "scalar_tensor") == 0)
    dtype = PH_FLOAT;
  else if (dtype == PH_UNDEFINED && ph_node_attr (l->node, PH_TORCH_TRUTH) != NULL)
    dtype = PH_BOOL;
  if (data != NULL && (data->kind == PH_ATTR_INT || data->kind == PH_ATTR_FLOAT))
    out[0] = ph_build_scalar (l->b,
                              dtype != PH_UNDEFINED       ? dtype
                              : data->kind == PH_ATTR_INT ? PH_INT64
                                                          : PH_FLOAT,
                              data->kind == PH_ATTR_INT ? (double) data->i : (double) data->f);
  else if (data != NULL && data->kind == PH_ATTR_INTS)
    out[0] = ph_build_tensor (l->b, ph_tensor_new_int64s (data->ints, data->n));
  else if (data != NULL && data->kind == PH_ATTR_FLOATS)
    out[0] = ph_build_tensor (l->b, ph_tensor_new_floats (data->floats, data->n));
  else if (ph_aten_is_sequence (x))
    out[0] = PH_BUILD_WITH (l->b, ConcatFromSequence, PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_int ("new_axis", 1)), x);
  else if (x != NULL && (x = ph_aten_list_as_tensor (l, x)) != NULL && (x->producer == NULL || !ph_aten_is_list (x->producer)))
    out[0] = x;
  else if (data != NULL && data->kind == PH_ATTR_STRING)
    out[0] = ph_aten_nested (l, ph_node_attr_string (l->node, data->name, ""));
  if (out[0] == NULL)
    return ph_convert_stay (l, "its elements are not known");
  if (dtype == PH_UNDEFINED && ph_value_dtype (out[0]) == PH_DOUBLE && out[0] != ph_aten_tensor (l, 0))
    dtype = PH_FLOAT; /* of Python's numbers */
  if (dtype != PH_UNDEFINED && out[0] != NULL)
    out[0] = ph_convert_cast (l, out[0], dtype);
  return out[0] != NULL;
}

static gboolean
one_hot (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);
  const gint64 n = ph_aten_int (l, "num_classes", -1);

  if (x == NULL || n < 0)
    return ph_convert_stay (l, "the number of classes is not known");
  out[0] = PH_BUILD (l->b, OneHot, x, ph_build_scalar (l->b, PH_INT64, (double) n),
                     ph_convert_ints_value (l, (gint64[]) { 0, 1 }, 2));
  return TRUE;
}

static gboolean
nonzero (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL)
    return FALSE;
  out[0] = PH_BUILD_WITH (l->b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", (gint64[]) { 1, 0 }, 2)),
                          PH_BUILD (l->b, NonZero, x));
  return TRUE;
}

/* Operators without effect at inference. */
static gboolean
drop (PhConvert *l, PhValue **out)
{
  if (ph_aten_int (l, "train", 0) != 0 && ph_aten_number (l, "p", 0.5) != 0)
    return ph_convert_stay (l, "it draws random numbers, as in training: export the model after model.eval ()");
  if (l->n_out > 1 && ph_aten_tensor (l, 0) != NULL) /* the mask of kept elements is all ones */
    out[1] = PH_BUILD (l->b, Expand, ph_build_scalar (l->b, PH_BOOL, 1),
                       ph_aten_shape_part (l, ph_aten_tensor (l, 0), 0, G_MAXINT64));
  return ph_aten_same (l, out);
}

static const char over[] = "Both reduce the given dimensions, or all dimensions if none is given.";
static const char same_type[] = "Both convert the element type; PyTorch and ONNX number the types differently.";
static const char alone[] = "In ONNX a number is a tensor of rank 0.";
static const char made[] = "The tensor is built from numbers and a shape.";
static const char nothing[] = "It has no effect at inference.";

/* clang-format off */
#define REDUCE(name, of) { "aten:" name, reduce, of, over }
#define TO(name) { "aten:" name, to, "Cast", same_type }
#define FILL(name) { "aten:" name, fill, "ConstantOfShape", made }
#define DROP(name) { "aten:" name, drop, "its operand", nothing }

const PhConvertRule ph_convert_aten_reduce[] = {
  REDUCE ("sum", "ReduceSum"), REDUCE ("mean", "ReduceMean"), REDUCE ("prod", "ReduceProd"), REDUCE ("amax", "ReduceMax"), REDUCE ("amin", "ReduceMin"), REDUCE ("logsumexp", "ReduceLogSumExp"),
  REDUCE ("all", "ReduceMin of truth values"), REDUCE ("any", "ReduceMax of truth values"),
  { "aten:max", extreme, "ReduceMax and ArgMax, or Max", "With a dimension, PyTorch also returns the indices." }, { "aten:min", extreme, "ReduceMin and ArgMin, or Min", "With a dimension, PyTorch also returns the indices." },
  { "aten:argmax", place, "ArgMax", over }, { "aten:argmin", place, "ArgMin", over },
  { "aten:var", variance, "ReduceMean of the squared differences from the mean", "By default, PyTorch divides by the number of elements minus one." }, { "aten:std", variance, "Sqrt of the variance", "By default, PyTorch divides by the number of elements minus one." },
  { "aten:var_mean", variance, "ReduceMean of the squared differences from the mean", "By default, PyTorch divides by the number of elements minus one." }, { "aten:std_mean", variance, "Sqrt of the variance", "By default, PyTorch divides by the number of elements minus one." },
  { "aten:norm", norm, "ReduceL1 or ReduceL2", over }, { "aten:linalg_vector_norm", norm, "ReduceL1 or ReduceL2", over }, { "aten:frobenius_norm", norm, "ReduceL2", over },
  { "aten:linalg_norm", norm, "ReduceL2", over }, { "aten:cosine_similarity", cosine, "the product divided by the norms", over }, { "aten:cumprod", cumsum, "CumProd", over },
  { "aten:cumsum", cumsum, "CumSum", over }, { "aten:topk", top, "TopK", "Both return the values and their indices." }, { "aten:sort", top, "TopK of all", "ONNX has no sort operator, but TopK of all elements sorts them." },
  { "aten:msort", top, "TopK of all", "ONNX has no sort operator, but TopK of all elements sorts them." }, { "aten:argsort", top, "TopK of all", "ONNX has no sort operator, but TopK of all elements sorts them." },
  TO ("to"), TO ("_to_copy"), TO ("type_as"), TO ("float"), TO ("double"), TO ("half"), TO ("long"), TO ("int"), TO ("bool"), TO ("_cast_Float"), TO ("_cast_Long"), { "prims:convert_element_type", to, "Cast", same_type },
  { "aten:Int", number, "Cast", alone }, { "aten:Float", number, "Cast", alone }, { "aten:Bool", number, "Cast", alone }, { "aten:item", number, "its operand", alone },
  { "aten:ScalarImplicit", number, "its operand", alone }, { "aten:IntImplicit", number, "its operand", alone }, { "prim:NumToTensor", number, "its operand", alone },
  { "aten:size", size, "Shape", "A known size is a constant." }, { "prim:shape", size, "Shape", "A known size is a constant." }, { "aten:numel", size, "Size", "Both count elements." },
  { "aten:dim", size, "a constant", "The rank is known, so it is a constant." }, { "aten:len", size, "Shape", "The length of a tensor is the size of its first dimension." }, { "aten:sym_size", size, "Shape", "A known size is a constant." },
  { "aten:__getitem__", get_item, "the element, or Gather", "In ONNX all sizes are one tensor." },
  FILL ("zeros"), FILL ("ones"), FILL ("full"), FILL ("empty"), FILL ("zeros_like"), FILL ("ones_like"), FILL ("full_like"), FILL ("empty_like"), FILL ("new_zeros"), FILL ("new_ones"), FILL ("new_full"),
  FILL ("new_empty"), FILL ("empty_strided"), FILL ("new_empty_strided"),
  { "aten:copy", overwrite, "Expand to its shape", "The written value takes the shape and element type of its destination." },
  { "aten:fill", overwrite, "Expand to its shape", "The written value takes the shape and element type of its destination." },
  { "aten:zero", overwrite, "Expand to its shape", "The written value takes the shape and element type of its destination." },
  { "aten:arange", arange, "Range", "In both, the end is not included." }, { "aten:tensor", tensor, "a constant", made }, { "aten:scalar_tensor", tensor, "a constant", made }, { "aten:as_tensor", tensor, "a constant", made },
  { "aten:one_hot", one_hot, "OneHot", "Both put the classes in the last dimension." }, { "aten:nonzero", nonzero, "Transpose(NonZero)", "PyTorch's indices have a row for each element, and ONNX's a column." },
  DROP ("_linalg_check_errors"), DROP ("dropout"), DROP ("feature_dropout"), DROP ("native_dropout"), DROP ("alpha_dropout"), DROP ("feature_alpha_dropout"), DROP ("clone"), DROP ("contiguous"), DROP ("detach"), DROP ("alias"), DROP ("lift_fresh"),
  DROP ("lift_fresh_copy"), DROP ("cpu"), DROP ("cuda"), DROP ("resolve_conj"), DROP ("resolve_neg"), DROP ("view_of"), DROP ("requires_grad_"), DROP ("real"), DROP ("conj"), DROP ("_conj"),
  DROP ("conj_physical"), { "prim:data", drop, "its operand", nothing }, { "prims:view_of", drop, "its operand", nothing },
  { NULL }
};
/* clang-format on */
