/* reduce.c: sums, products, extremes and norms along axes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/reduce.h"

#include "core/ops/onnx/elementwise.h"

/* Walking */

gboolean
ph_reduction_init (PhReduction *reduction, guint rank, const gint64 *dims, guint64 mask)
{
  gint64 strides[PH_MAX_RANK], outer[PH_MAX_RANK], outer_strides[PH_MAX_RANK], kept[PH_MAX_RANK];
  guint n_outer = 0;
  PhWalk walk;

  *reduction = (PhReduction) { .rank = rank, .run = 1, .stride = 1 };
  ph_strides (rank, dims, strides);
  for (guint i = 0; i < rank; i++)
    reduction->dims[i] = mask >> i & 1 ? 1 : dims[i];

  /* Adjacent reduced axes are merged as far as possible. */
  for (guint i = rank; i > 0; i--)
    if (mask >> (i - 1) & 1 && dims[i - 1] != 1)
      {
        if (n_outer == 0 && reduction->run == 1 && dims[i - 1] > 0)
          {
            reduction->run = dims[i - 1];
            reduction->stride = strides[i - 1];
          }
        else if (n_outer == 0 && strides[i - 1] == reduction->stride * (gint64) reduction->run && dims[i - 1] > 0)
          reduction->run *= dims[i - 1];
        else
          {
            outer[n_outer] = dims[i - 1];
            outer_strides[n_outer++] = strides[i - 1];
          }
      }

  reduction->n_blocks = 1;
  for (guint i = 0; i < n_outer; i++)
    reduction->n_blocks *= outer[i];
  reduction->count = reduction->n_blocks * reduction->run;
  reduction->n_results = ph_dims_product (reduction->dims, 0, rank);

  reduction->blocks = g_try_new (gint64, reduction->n_blocks + 1);
  reduction->bases = g_try_new (gint64, reduction->n_results + 1);
  if (reduction->blocks == NULL || reduction->bases == NULL)
    {
      ph_reduction_clear (reduction);
      return FALSE;
    }
  for (guint i = 0; i < n_outer / 2; i++) /* outermost first: memory is read forwards */
    {
      gint64 size = outer[i], step = outer_strides[i];

      outer[i] = outer[n_outer - 1 - i];
      outer_strides[i] = outer_strides[n_outer - 1 - i];
      outer[n_outer - 1 - i] = size;
      outer_strides[n_outer - 1 - i] = step;
    }
  ph_walk_init (&walk, n_outer, outer);
  ph_walk_add_strided (&walk, outer_strides);
  for (gsize i = 0; i < reduction->n_blocks; i++, ph_walk_next (&walk))
    reduction->blocks[i] = walk.offset[0];

  for (guint i = 0; i < rank; i++)
    kept[i] = mask >> i & 1 ? 0 : strides[i];
  ph_walk_init (&walk, rank, reduction->dims);
  ph_walk_add_strided (&walk, kept);
  for (gsize i = 0; i < reduction->n_results; i++, ph_walk_next (&walk))
    reduction->bases[i] = walk.offset[0];
  return TRUE;
}

void
ph_reduction_clear (PhReduction *reduction)
{
  g_clear_pointer (&reduction->blocks, g_free);
  g_clear_pointer (&reduction->bases, g_free);
}

/* Computes the result's shape without the reduced axes. Returns its rank. */
static guint
reduced_dims (guint rank, const gint64 *dims, guint64 mask, gboolean keep, gint64 *reduced)
{
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    if (!(mask >> i & 1))
      reduced[n++] = dims[i];
    else if (keep)
      reduced[n++] = 1;
  return n;
}

static guint64
all_axes (guint rank)
{
  return rank >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << rank) - 1;
}

/* Reads the axes from @input (nullable) into @mask. No axes mean all, or none with noop_with_empty_axes. Returns FALSE with an error. */
static gboolean
kernel_axes (PhKernel *kernel, guint input, guint rank, guint64 *mask, GError **error)
{
  gsize n;
  g_autofree gint64 *axes = ph_kernel_ints (kernel, input, &n);
  guint normal[PH_MAX_RANK];

  if (n == 0)
    {
      *mask = ph_node_attr_int (kernel->node, "noop_with_empty_axes", 0) ? 0 : all_axes (rank);
      return TRUE;
    }
  if (!ph_axes (axes, n, rank, normal, mask))
    return ph_kernel_fail (kernel, error, "its axes are outside of rank %u, or one is named twice", rank);
  return TRUE;
}

/* Kernels. Floats are summed in double: the order of summation then hardly shows. */

typedef void (*ReduceLoop) (const PhReduction *reduction, gconstpointer in, gpointer out);

typedef struct
{
  ReduceLoop f32, f64, i64, u64;
  ReduceLoop i32; /* (nullable) of int32 and narrower: what is above would be dropped again */
} ReduceLoops;

/* The expressions see the element x, the state acc (and n, their number), and the state m that only some need. Adjacent elements have a loop
 * of their own, which the vectoriser takes where the order does not matter. */
/* clang-format off */
#define REDUCE(name_, type_, acc_, start_, step_, result_)                                                             \
  static void name_ (const PhReduction *reduction, gconstpointer in_, gpointer out_)                                   \
  {                                                                                                                    \
    const type_ *in = in_;                                                                                             \
    type_ *out = out_;                                                                                                 \
    const gsize n = reduction->count;                                                                                  \
    (void) n;                                                                                                          \
    for (gsize i = 0; i < reduction->n_results; i++)                                                                   \
      {                                                                                                                \
        acc_ acc = start_;                                                                                             \
        for (gsize block = 0; block < reduction->n_blocks; block++)                                                    \
          {                                                                                                            \
            const type_ *own = in + reduction->bases[i] + reduction->blocks[block];                                    \
            if (reduction->stride == 1)                                                                                \
              for (gsize k = 0; k < reduction->run; k++)                                                               \
                {                                                                                                      \
                  const type_ x = own[k];                                                                              \
                  step_;                                                                                               \
                }                                                                                                      \
            else                                                                                                       \
              for (gsize k = 0; k < reduction->run; k++, own += reduction->stride)                                     \
                {                                                                                                      \
                  const type_ x = *own;                                                                                \
                  step_;                                                                                               \
                }                                                                                                      \
          }                                                                                                            \
        out[i] = (type_) (result_);                                                                                    \
      }                                                                                                                \
  }
#define REDUCE_REALS(name_, start_, step_, result_)                                                                    \
  REDUCE (name_##_f32, float, double, start_, step_, result_)                                                          \
  REDUCE (name_##_f64, double, double, start_, step_, result_)
#define REDUCE_NUMBERS(name_, start_, step_, result_)                                                                  \
  REDUCE_REALS (name_, start_, step_, result_)                                                                         \
  REDUCE (name_##_u64, guint64, guint64, start_, step_, result_)                                                       \
  REDUCE (name_##_u32, guint32, guint32, start_, step_, result_)                                                       \
  static const ReduceLoops name_ = { name_##_f32, name_##_f64, name_##_u64, name_##_u64, name_##_u32 };
/* clang-format on */

REDUCE_NUMBERS (sum, 0, acc += x, acc)
REDUCE_NUMBERS (prod, 1, acc *= x, acc)
REDUCE_NUMBERS (sum_square, 0, acc += (typeof (acc)) x * (typeof (acc)) x, acc)

REDUCE_REALS (mean, 0, acc += x, acc / n)
REDUCE (mean_i64, gint64, gint64, 0, acc += x, n > 0 ? acc / (gint64) n : 0)
REDUCE (mean_u64, guint64, guint64, 0, acc += x, n > 0 ? acc / n : 0)
static const ReduceLoops mean = { mean_f32, mean_f64, mean_i64, mean_u64 };

REDUCE_REALS (l1, 0, acc += fabs (x), acc)
REDUCE (l1_i64, gint64, guint64, 0, acc += x < 0 ? 0 - (guint64) x : (guint64) x, acc)
REDUCE (l1_i32, gint32, guint32, 0, acc += x < 0 ? 0 - (guint32) x : (guint32) x, acc)
static const ReduceLoops l1 = { l1_f32, l1_f64, l1_i64, sum_u64, l1_i32 };

REDUCE_REALS (l2, 0, acc += (double) x * x, sqrt (acc))
static const ReduceLoops l2 = { l2_f32, l2_f64 };

REDUCE_REALS (log_sum, 0, acc += x, log (acc))
static const ReduceLoops log_sum = { log_sum_f32, log_sum_f64 };

/* NaN takes precedence; the extreme of no elements is the type's least or greatest number. */
REDUCE (max_f32, float, float, -INFINITY, acc = x > acc || x != x ? x : acc, acc)
REDUCE (max_f64, double, double, -INFINITY, acc = x > acc || x != x ? x : acc, acc)
REDUCE (max_i64, gint64, gint64, G_MININT64, acc = MAX (acc, x), acc)
REDUCE (max_u64, guint64, guint64, 0, acc = MAX (acc, x), acc)
REDUCE (min_f32, float, float, INFINITY, acc = x < acc || x != x ? x : acc, acc)
REDUCE (min_f64, double, double, INFINITY, acc = x < acc || x != x ? x : acc, acc)
REDUCE (min_i64, gint64, gint64, G_MAXINT64, acc = MIN (acc, x), acc)
REDUCE (min_u64, guint64, guint64, G_MAXUINT64, acc = MIN (acc, x), acc)
REDUCE (max_i32, gint32, gint32, G_MININT32, acc = MAX (acc, x), acc)
REDUCE (min_i32, gint32, gint32, G_MAXINT32, acc = MIN (acc, x), acc)
static const ReduceLoops max = { max_f32, max_f64, max_i64, max_u64, max_i32 },
                         min = { min_f32, min_f64, min_i64, min_u64, min_i32 };

/* Subtracting the maximum keeps exp from overflowing. */
/* clang-format off */
#define LOG_SUM_EXP(name_, type_)                                                                                      \
  static void name_ (const PhReduction *reduction, gconstpointer in_, gpointer out_)                                   \
  {                                                                                                                    \
    const type_ *in = in_;                                                                                             \
    type_ *out = out_;                                                                                                 \
    for (gsize i = 0; i < reduction->n_results; i++)                                                                   \
      {                                                                                                                \
        double greatest = -INFINITY, total = 0;                                                                        \
        PH_FOREACH_REDUCED (reduction, reduction->bases[i], at)                                                        \
          greatest = in[at] > greatest || in[at] != in[at] ? in[at] : greatest;                                        \
        PH_FOREACH_REDUCED (reduction, reduction->bases[i], at)                                                        \
          total += exp (in[at] - (isinf (greatest) ? 0 : greatest));                                                   \
        out[i] = (type_) (log (total) + (isinf (greatest) ? 0 : greatest));                                            \
      }                                                                                                                \
  }
/* clang-format on */
LOG_SUM_EXP (log_sum_exp_f32, float)
LOG_SUM_EXP (log_sum_exp_f64, double)
static const ReduceLoops log_sum_exp = { log_sum_exp_f32, log_sum_exp_f64 };

/* Clamps a 64-bit extreme of no elements to the range of a narrower integer type. */
static gint64
clamp_to (PhDType dtype, gint64 value)
{
  gsize bits = ph_dtype_size (dtype) * 8;

  if (dtype == PH_BOOL)
    return value > 0;
  if (!ph_dtype_is_integer (dtype) || bits >= 64)
    return value;
  if (ph_dtype_is_signed (dtype))
    return CLAMP (value, -(G_GINT64_CONSTANT (1) << (bits - 1)), (G_GINT64_CONSTANT (1) << (bits - 1)) - 1);
  return value < 0 ? (gint64) ((G_GUINT64_CONSTANT (1) << bits) - 1) : value;
}

static gboolean
reduce_kernel (PhKernel *kernel, const ReduceLoops *loops, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (tensor), works_in;
  guint rank = ph_tensor_rank (tensor), n;
  gint64 dims[PH_MAX_RANK];
  guint64 mask;
  ReduceLoop loop;
  PhReduction reduction;
  g_autoptr (PhTensor) wide = NULL, result = NULL;

  if (dtype == PH_DOUBLE || (!ph_dtype_is_float (dtype) && loops->i64 == NULL))
    works_in = PH_DOUBLE, loop = loops->f64;
  else if (ph_dtype_is_float (dtype))
    works_in = PH_FLOAT, loop = loops->f32;
  else if (loops->i32 != NULL
           && (dtype == PH_INT32 || (ph_dtype_is_integer (dtype) && ph_dtype_size (dtype) < 4 && ph_tensor_count (tensor) > 0)))
    works_in = PH_INT32, loop = loops->i32;
  else if (ph_dtype_is_signed (dtype) || dtype == PH_BOOL)
    works_in = PH_INT64, loop = loops->i64;
  else
    works_in = PH_UINT64, loop = loops->u64;

  if (!kernel_axes (kernel, 1, rank, &mask, error))
    return FALSE;
  n = reduced_dims (rank, ph_tensor_dims (tensor), mask, ph_node_attr_int (kernel->node, "keepdims", 1) != 0, dims);
  wide = ph_convert (tensor, works_in);
  result = ph_tensor_new (works_in, n, dims);
  if (wide == NULL || result == NULL || !ph_reduction_init (&reduction, rank, ph_tensor_dims (tensor), mask))
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");

  loop (&reduction, ph_tensor_data (wide), ph_tensor_writable (result));
  if (reduction.count == 0 && (works_in == PH_INT64 || works_in == PH_UINT64))
    for (gsize i = 0; i < reduction.n_results; i++)
      ((gint64 *) ph_tensor_writable (result))[i] = clamp_to (dtype, ((gint64 *) ph_tensor_writable (result))[i]);
  ph_reduction_clear (&reduction);
  return ph_kernel_take_as (kernel, 0, ph_convert (result, dtype), dtype, error);
}

/* clang-format off */
#define REDUCE_KERNEL(name_)                                                                                           \
  static gboolean name_##_kernel (PhKernel *kernel, GError **error)                                                    \
  {                                                                                                                    \
    return reduce_kernel (kernel, &name_, error);                                                                      \
  }
/* clang-format on */
REDUCE_KERNEL (sum)
REDUCE_KERNEL (mean)
REDUCE_KERNEL (max)
REDUCE_KERNEL (min)
REDUCE_KERNEL (prod)
REDUCE_KERNEL (l1)
REDUCE_KERNEL (l2)
REDUCE_KERNEL (log_sum)
REDUCE_KERNEL (log_sum_exp)
REDUCE_KERNEL (sum_square)

/* Inference */

static gboolean
infer_reduce (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_ranked (infer, 0);
  gboolean keep = ph_node_attr_int (node, "keepdims", 1) != 0, all;
  g_autofree gint64 *axes = NULL;
  guint normal[PH_MAX_RANK], rank = 0;
  guint64 mask;
  PhDim dims[PH_MAX_RANK];
  gsize n = 0;

  if (type == NULL)
    return TRUE;
  if (ph_infer_has (infer, 1) && !ph_infer_ints (infer, 1, &axes, &n))
    {
      const PhType *axes_type = ph_infer_type (infer, 1);
      gint64 n_axes = axes_type != NULL ? ph_type_count (axes_type) : -1;

      for (guint i = 0; i < type->rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      if (keep)
        ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
      else if (n_axes > 0 && n_axes <= type->rank)
        ph_infer_set_shape (infer, 0, type->dtype, type->rank - n_axes, dims);
      else
        ph_infer_set (infer, 0, ph_type_unranked (type->dtype));
      return TRUE;
    }

  all = n == 0 && !ph_node_attr_int (node, "noop_with_empty_axes", 0);
  if (!ph_axes (axes, n, type->rank, normal, &mask))
    {
      g_autofree char *text = ph_type_to_string (type);

      return ph_infer_fail (infer, error, "its axes are outside of %s, or one is named twice", text);
    }
  for (guint i = 0; i < type->rank; i++)
    if (!all && !(mask >> i & 1))
      dims[rank++] = type->dims[i];
    else if (keep)
      dims[rank++] = PH_DIM (1);
  ph_infer_set_shape (infer, 0, type->dtype, rank, dims);
  return TRUE;
}

/* Reduces the contents of a shape, for instance to its number of elements. */
static void
reduce_contents (PhInfer *infer, gint64 start, gboolean (*exact) (gint64, gint64, gint64 *), PhDim (*symbolic) (PhDim, PhDim))
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhDim *dims;
  int n = ph_infer_dims (infer, 0, &dims);
  PhDim total = ph_dim_from_int (start);
  g_autofree gint64 *axes = NULL;
  gsize n_axes = 0;

  if (n < 0 || ph_infer_type (infer, 0) == NULL || ph_infer_type (infer, 0)->rank != 1)
    return;
  /* Without axes, noop_with_empty_axes may mean that nothing is reduced. */
  if ((ph_infer_has (infer, 1) && !ph_infer_ints (infer, 1, &axes, &n_axes))
      || (n_axes == 0 && ph_node_attr_int (node, "noop_with_empty_axes", 0) != 0))
    return;
  for (int i = 0; i < n; i++)
    {
      gint64 x, z, result;

      if (ph_dim_get_int (total, &x) && ph_dim_get_int (dims[i], &z))
        total = exact (x, z, &result) ? ph_dim_from_int (result) : PH_DIM_UNKNOWN;
      else
        total = symbolic (total, dims[i]);
    }
  ph_infer_set_dims (infer, 0, &total, 1);
}

static gboolean
exact_sum (gint64 x, gint64 z, gint64 *result)
{
  return !__builtin_add_overflow (x, z, result);
}

static gboolean
exact_product (gint64 x, gint64 z, gint64 *result)
{
  return !__builtin_mul_overflow (x, z, result);
}

static gboolean
infer_reduce_sum (PhInfer *infer, GError **error)
{
  if (!infer_reduce (infer, error))
    return FALSE;
  reduce_contents (infer, 0, exact_sum, ph_dim_add);
  return TRUE;
}

static gboolean
infer_reduce_prod (PhInfer *infer, GError **error)
{
  if (!infer_reduce (infer, error))
    return FALSE;
  reduce_contents (infer, 1, exact_product, ph_dim_mul);
  return TRUE;
}

static gint64
reduce_flops (const PhNode *node)
{
  const PhType *in = ph_node_input (node, 0)->type;

  return in != NULL ? ph_type_count (in) : -1;
}

#define SUMMABLE (PH_FLOATS | PH_INDICES | PH_T (UINT32) | PH_T (UINT64))
/* clang-format off */
#define REDUCTION(since_, kernel_, infer_, grad_, types_)                                                              \
  .since = since_, .infer = infer_, .kernel = kernel_##_kernel, .grad_build = grad_, .no_grad = 1 << 1,                \
  .flops = reduce_flops,                                                                                               \
  .inputs = { { "data", 'T', types_ }, { "axes", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } },                                 \
  .outputs = { { "reduced", 'T', types_ } },                                                                           \
  .attrs = { { "keepdims", PH_ATTR_INT, "1" }, { "noop_with_empty_axes", PH_ATTR_INT, "0" } }

const PhOp ph_op_ReduceSum = {
  "ReduceSum", REDUCTION (13, sum, infer_reduce_sum, ph_grad_reduce_sum, SUMMABLE),
  .family = PH_FAMILY_POOL,
  .example = { "x[2,3,2]", "axes = Constant <value_ints = [0, -1]> () y = ReduceSum <keepdims = 0> (x, axes)", -1, 1 },
  .doc = "Sum along axes; along all of them when none are given.",
  .grad_text = "ddata = dY spread over what was summed",
};

const PhOp ph_op_ReduceMean = {
  "ReduceMean", REDUCTION (18, mean, infer_reduce, ph_grad_reduce_mean, SUMMABLE),
  .family = PH_FAMILY_POOL, .motif = PH_MOTIF_NORM,
  .example = { "x[2,3,2]", "axes = Constant <value_ints = [1]> () y = ReduceMean (x, axes)", -1, 1 },
  .doc = "Mean along axes.",
  .grad_text = "ddata = dY / count, spread over what was averaged",
};

const PhOp ph_op_ReduceMax = {
  "ReduceMax", REDUCTION (20, max, infer_reduce, ph_grad_reduce_extreme, PH_NUMBERS | PH_T (BOOL)),
  .family = PH_FAMILY_POOL,
  .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceMax <keepdims = 0> (x, axes)", -1, 1 },
  .doc = "Greatest along axes.",
  .grad_text = "ddata = dY where data is the largest",
};

const PhOp ph_op_ReduceMin = {
  "ReduceMin", REDUCTION (20, min, infer_reduce, ph_grad_reduce_extreme, PH_NUMBERS | PH_T (BOOL)),
  .family = PH_FAMILY_POOL, .example = { "x[2,3]", "axes = Constant <value_ints = [0]> () y = ReduceMin (x, axes)", -1, 1 },
  .doc = "Least along axes.",
  .grad_text = "ddata = dY where data is the smallest",
};

const PhOp ph_op_ReduceProd = {
  "ReduceProd", REDUCTION (18, prod, infer_reduce_prod, ph_grad_reduce_prod, SUMMABLE),
  .family = PH_FAMILY_POOL, .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceProd (x, axes)", -1, 1 },
  .doc = "Product along axes.",
  .grad_text = "ddata = dY * (product of the other elements)",
};

const PhOp ph_op_ReduceL1 = {
  "ReduceL1", REDUCTION (18, l1, infer_reduce, ph_grad_reduce_l1, SUMMABLE),
  .family = PH_FAMILY_POOL, .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceL1 (x, axes)", -1, 1 },
  .doc = "Sum of absolute values along axes.",
  .grad_text = "ddata = dY * sign(data)",
};

const PhOp ph_op_ReduceL2 = {
  "ReduceL2", REDUCTION (18, l2, infer_reduce, ph_grad_reduce_l2, SUMMABLE),
  .family = PH_FAMILY_POOL,
  .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceL2 <keepdims = 0> (x, axes)", -1, 1 },
  .doc = "Euclidean length along axes.",
  .grad_text = "ddata = dY * data / Y",
};

const PhOp ph_op_ReduceLogSum = {
  "ReduceLogSum", REDUCTION (18, log_sum, infer_reduce, ph_grad_reduce_log_sum, SUMMABLE),
  .family = PH_FAMILY_POOL, .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceLogSum (x, axes)", 0.3, 2 },
  .doc = "Logarithm of the sum along axes.",
  .grad_text = "ddata = dY / sum(data)",
};

const PhOp ph_op_ReduceLogSumExp = {
  "ReduceLogSumExp", REDUCTION (18, log_sum_exp, infer_reduce, ph_grad_reduce_log_sum_exp, SUMMABLE),
  .family = PH_FAMILY_POOL,
  .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceLogSumExp (x, axes)", -1, 1 },
  .doc = "Logarithm of the sum of exponentials along axes, a smooth greatest.",
  .grad_text = "ddata = dY * exp(data - Y)",
};

const PhOp ph_op_ReduceSumSquare = {
  "ReduceSumSquare", REDUCTION (18, sum_square, infer_reduce, ph_grad_reduce_sum_square, SUMMABLE),
  .family = PH_FAMILY_POOL,
  .example = { "x[2,3]", "axes = Constant <value_ints = [1]> () y = ReduceSumSquare <keepdims = 0> (x, axes)", -1, 1 },
  .doc = "Sum of squares along axes.",
  .grad_text = "ddata = dY * 2 * data",
};
/* clang-format on */
