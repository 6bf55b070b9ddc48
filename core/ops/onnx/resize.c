/* resize.c: Resize. Every mode is separable: along each axis an output element is a weighted sum of a few input elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/resize.h"

#include <math.h>

typedef PhTaps Taps;

typedef struct
{
  guint rank;
  gint64 out[PH_MAX_RANK];
  double scale[PH_MAX_RANK], start[PH_MAX_RANK], end[PH_MAX_RANK];
  guint64 resized; /* bit i: axis i is named */
} Plan;

void
ph_taps_clear (PhTaps *taps)
{
  g_clear_pointer (&taps->index, g_free);
  g_clear_pointer (&taps->weight, g_free);
}

/* Reads @scales or @sizes, one per named axis. Returns NULL, or a text with the fault. */
static const char *
make_plan (const PhNode *node, guint rank, const gint64 *in, const double *scales, gsize n_scales, const gint64 *sizes,
           gsize n_sizes, const double *roi, gsize n_roi, Plan *plan)
{
  const char *policy = ph_node_attr_string (node, "keep_aspect_ratio_policy", "stretch");
  guint axes[PH_MAX_RANK];
  double common = 0;
  gsize n;

  if (!ph_node_axes_or_all (node, rank, axes, &n))
    return "axes do not fit the input's rank";
  if ((n_scales > 0) == (n_sizes > 0) && n > 0)
    return "exactly one of scales and sizes must be given";
  if ((n_scales > 0 && n_scales != n) || (n_sizes > 0 && n_sizes != n) || (n_roi > 0 && n_roi != 2 * n && n_roi != 2 * rank))
    return "scales, sizes or roi do not have as many elements as there are axes";
  plan->rank = rank;
  plan->resized = 0;
  for (guint i = 0; i < rank; i++)
    {
      plan->out[i] = in[i];
      plan->scale[i] = 1;
      plan->start[i] = 0;
      plan->end[i] = 1;
    }
  for (gsize i = 0; i < n && n_sizes > 0; i++)
    {
      double scale = (double) sizes[i] / MAX (1, in[axes[i]]);

      if (i == 0 || (g_str_equal (policy, "not_larger") ? scale < common : scale > common))
        common = scale;
    }
  for (gsize i = 0; i < n; i++)
    {
      guint a = axes[i];

      if (n_sizes > 0 && g_str_equal (policy, "stretch"))
        {
          plan->out[a] = sizes[i];
          plan->scale[a] = (double) sizes[i] / MAX (1, in[a]);
        }
      else if (n_sizes > 0)
        {
          plan->out[a] = floor (common * in[a] + 0.5);
          plan->scale[a] = common;
        }
      else
        {
          if (!(scales[i] > 0 && scales[i] < 1e9))
            return "scales must be above 0";
          plan->scale[a] = scales[i];
          plan->out[a] = floor (in[a] * scales[i]);
        }
      if (plan->out[a] < 0 || plan->out[a] > G_MAXINT32)
        return "a size of the output is negative or too large";
      if (in[a] == 0 && plan->out[a] > 0)
        return "nothing cannot be resized to something";
      if (n_roi > 0)
        {
          plan->start[a] = n_roi == 2 * n ? roi[i] : roi[a];
          plan->end[a] = n_roi == 2 * n ? roi[n + i] : roi[rank + a];
        }
      if (plan->out[a] != in[a] || plan->scale[a] != 1 || n_roi > 0)
        plan->resized |= G_GUINT64_CONSTANT (1) << a;
    }
  return NULL;
}

/* Returns the input coordinate of output element @i. */
static double
source (const char *mode, const Plan *plan, guint axis, gint64 in, gint64 i)
{
  double scale = plan->scale[axis], length = plan->out[axis];

  if (g_str_equal (mode, "align_corners")) /* by the length before it is rounded down, as ONNX's reference does */
    return length == 1 ? 0 : i * (double) (in - 1) / (in * scale - 1);
  if (g_str_equal (mode, "asymmetric"))
    return i / scale;
  if (g_str_equal (mode, "pytorch_half_pixel"))
    return length > 1 ? (i + 0.5) / scale - 0.5 : 0;
  if (g_str_equal (mode, "tf_half_pixel_for_nn"))
    return (i + 0.5) / scale;
  if (g_str_equal (mode, "tf_crop_and_resize"))
    return length > 1 ? plan->start[axis] * (in - 1) + i * (plan->end[axis] - plan->start[axis]) * (in - 1) / (length - 1)
                      : 0.5 * (plan->start[axis] + plan->end[axis]) * (in - 1);
  if (g_str_equal (mode, "half_pixel_symmetric"))
    {
      double adjustment = length / (in * scale), centre = in / 2.0;

      return centre * (1 - adjustment) + (i + 0.5) / scale - 0.5;
    }
  return (i + 0.5) / scale - 0.5;
}

static double
cubic (double x, double a)
{
  x = fabs (x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? a * (((x - 5) * x + 8) * x - 4) : 0;
}

static gint64
nearest (double x, const char *how)
{
  double low = floor (x);

  if (g_str_equal (how, "floor"))
    return low;
  if (g_str_equal (how, "ceil"))
    return ceil (x);
  return g_str_equal (how, "round_prefer_ceil") ? floor (x + 0.5) : ceil (x - 0.5);
}

/* More taps for all elements of an axis are a faulty scale rather than a filter. */
#define MAX_TAPS        (1 << 26)
#define TAPS_ANYWAY     0x1p20
#define TAPS_EACH       64 /* per element of input and output */
#define FILTER_TOO_WIDE "its filter along axis %u is too wide at scale %g: leave antialias out"

/* Returns FALSE, with nothing to free, if the antialiasing filter is too wide to store. */
static gboolean
taps_init (Taps *taps, const PhNode *node, const Plan *plan, guint axis, gint64 in)
{
  const char *mode = ph_node_attr_string (node, "mode", "nearest");
  const char *where = ph_node_attr_string (node, "coordinate_transformation_mode", "half_pixel");
  const char *how = ph_node_attr_string (node, "nearest_mode", "round_prefer_floor");
  gboolean crop = g_str_equal (where, "tf_crop_and_resize"), exclude = ph_node_attr_int (node, "exclude_outside", 0) != 0;
  gboolean is_cubic = g_str_equal (mode, "cubic"), is_nearest = g_str_equal (mode, "nearest");
  double a = ph_node_attr_float (node, "cubic_coeff_a", -0.75f), reach = is_cubic ? 2 : 1, shrink = 1;
  gint64 first;

  /* Antialiasing widens the filter to the input elements that one output element covers. */
  if (ph_node_attr_int (node, "antialias", 0) != 0 && !is_nearest)
    shrink = MIN (plan->scale[axis], 1);
  if (!(reach / shrink < MAX_TAPS))
    return FALSE;
  first = (gint64) floor (-reach / shrink) + 1;
  taps->in = in;
  taps->out = plan->out[axis];
  taps->n = is_nearest ? 1 : 2 - 2 * first;
  if (!is_nearest && (double) taps->n * (double) taps->out > MAX (TAPS_ANYWAY, TAPS_EACH * (double) (in + taps->out)))
    return FALSE;
  taps->index = g_new (gint64, taps->out * taps->n + 1);
  taps->weight = g_new (double, taps->out * taps->n + 1);
  for (gint64 i = 0; i < taps->out; i++)
    {
      double x = CLAMP (source (where, plan, axis, in, i), -1e15, 1e15), base, sum = 0;
      gint64 *index = taps->index + i * taps->n;
      double *weight = taps->weight + i * taps->n;

      if (isnan (x))
        x = 0;
      base = ceil (x) - 1;
      if (crop && (x < 0 || x > in - 1))
        {
          for (guint t = 0; t < taps->n; t++)
            index[t] = -1;
          continue;
        }
      if (is_nearest)
        {
          index[0] = CLAMP (nearest (x, how), 0, in - 1);
          weight[0] = 1;
          continue;
        }
      for (guint t = 0; t < taps->n; t++)
        {
          gint64 at = (gint64) base + first + t;
          double distance = (first + (gint64) t - (x - base)) * shrink;

          weight[t] = is_cubic ? cubic (distance, a) : MAX (0, 1 - fabs (distance));
          if (exclude && (at < 0 || at >= in))
            weight[t] = 0;
          index[t] = CLAMP (at, 0, in - 1);
          sum += weight[t];
        }
      if (sum != 0 && (exclude || shrink < 1))
        for (guint t = 0; t < taps->n; t++)
          weight[t] /= sum;
    }
  return TRUE;
}

/* ── inference ── */

static gboolean
infer_resize (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *type = ph_infer_ranked (infer, 0);
  PhTensor *scales = ph_infer_constant (infer, 2);
  guint axes[PH_MAX_RANK];
  PhDim dims[PH_MAX_RANK];
  const PhDim *sizes = NULL;
  int n_sizes;
  gsize n;

  if (type == NULL)
    return TRUE;
  if (!ph_node_axes_or_all (node, type->rank, axes, &n))
    return ph_infer_fail (infer, error, "axes do not fit the input's rank %u", type->rank);
  n_sizes = ph_infer_has (infer, 3) ? ph_infer_dims (infer, 3, &sizes) : -1;
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  for (gsize i = 0; i < n; i++)
    {
      PhDim in = type->dims[axes[i]], out = PH_DIM_UNKNOWN;

      if ((gsize) MAX (0, n_sizes) == n && n > 0)
        out = g_str_equal (ph_node_attr_string (node, "keep_aspect_ratio_policy", "stretch"), "stretch") ? sizes[i]
                                                                                                         : PH_DIM_UNKNOWN;
      else if (scales != NULL && ph_tensor_count (scales) == n)
        {
          double scale = ph_tensor_get (scales, i);

          if (!(scale > 0 && scale < 1e9))
            return ph_infer_fail (infer, error, "scale %zu is %g, must be above 0", i, scale);
          if (ph_dim_known (in))
            out = PH_DIM ((gint64) floor (in.size * scale));
          else if (scale == floor (scale))
            out = scale == 1 ? in : ph_dim_mul (in, PH_DIM ((gint64) scale));
          else if (1 / scale == floor (1 / scale))
            out = ph_dim_div (in, PH_DIM ((gint64) (1 / scale)));
        }
      dims[axes[i]] = out;
    }
  /* With all sizes known, the arithmetic is that of the kernel. */
  if (ph_type_is_static (type) && sizes != NULL && n_sizes >= 0 && (gsize) n_sizes == n)
    {
      gint64 in[PH_MAX_RANK], wanted[PH_MAX_RANK];
      gboolean known = TRUE;
      const char *wrong;
      Plan plan;

      for (guint i = 0; i < type->rank; i++)
        in[i] = type->dims[i].size;
      for (gsize i = 0; i < n; i++)
        known = ph_dim_get_int (sizes[i], &wanted[i]) && known;
      if (known)
        {
          wrong = make_plan (node, type->rank, in, NULL, 0, wanted, n, NULL, 0, &plan);
          if (wrong != NULL)
            return ph_infer_fail (infer, error, "%s", wrong);
          for (guint i = 0; i < type->rank; i++)
            dims[i] = PH_DIM (plan.out[i]);
        }
    }
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  return TRUE;
}

/* ── kernel ── */

static double *
doubles_of (PhTensor *tensor, gsize *n)
{
  double *values;

  *n = tensor != NULL ? ph_tensor_count (tensor) : 0;
  values = g_new (double, *n + 1);
  for (gsize i = 0; i < *n; i++)
    values[i] = ph_tensor_get (tensor, i);
  return values;
}

static const char *
plan_of (const PhNode *node, PhTensor *x, const PhType *type, PhTensor *roi, PhTensor *scales, PhTensor *sizes, Plan *plan)
{
  gsize n_scales, n_sizes = sizes != NULL ? ph_tensor_count (sizes) : 0, n_roi;
  g_autofree double *scale = doubles_of (scales, &n_scales), *box = doubles_of (roi, &n_roi);
  g_autofree gint64 *size = g_new (gint64, n_sizes + 1);
  gint64 in[PH_MAX_RANK];
  guint rank = x != NULL ? ph_tensor_rank (x) : type->rank;

  if (!g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", ""), "tf_crop_and_resize"))
    n_roi = 0;
  for (gsize i = 0; i < n_sizes; i++)
    size[i] = ph_tensor_get_int (sizes, i);
  for (guint i = 0; i < rank; i++)
    in[i] = x != NULL ? ph_tensor_dims (x)[i] : type->dims[i].size;
  for (gsize i = 0; i < n_scales; i++) /* float even in a run in double: a size must not depend on the last bit */
    scale[i] = (float) scale[i];
  return make_plan (node, rank, in, scale, n_scales, size, n_sizes, box, n_roi, plan);
}

static gboolean
run_nearest (PhKernel *kernel, const Plan *plan, double outside, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhDType dtype = ph_tensor_dtype (x);
  Taps taps[PH_MAX_RANK] = { 0 };
  gint64 *maps[PH_MAX_RANK] = { NULL };
  guint64 fill[2] = { 0 };
  gpointer to = ph_kernel_output (kernel, 0, dtype, plan->rank, plan->out, error);

  if (to == NULL)
    return FALSE;
  if (dtype != PH_STRING && dtype != PH_COMPLEX64 && dtype != PH_COMPLEX128)
    ph_dtype_store (dtype, fill, 0, outside);
  for (guint i = 0; i < plan->rank; i++)
    if (plan->resized >> i & 1)
      {
        taps_init (&taps[i], kernel->node, plan, i, ph_tensor_dims (x)[i]);
        maps[i] = taps[i].index;
      }
  ph_copy_mapped (plan->rank, plan->out, to, ph_tensor_dims (x), ph_tensor_data (x), maps, fill, ph_dtype_size (dtype));
  for (guint i = 0; i < plan->rank; i++)
    ph_taps_clear (&taps[i]);
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

gboolean
ph_resize_taps (const PhNode *node, PhTensor *x, PhTensor *scales, PhTensor *sizes, PhTaps *taps)
{
  gboolean ok;
  Plan plan;

  memset (taps, 0, PH_MAX_RANK * sizeof *taps);
  ok = !g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", ""), "tf_crop_and_resize")
       && plan_of (node, x, NULL, NULL, scales, sizes, &plan) == NULL;
  for (guint i = 0; ok && i < plan.rank; i++)
    if (plan.resized >> i & 1)
      ok = taps_init (&taps[i], node, &plan, i, ph_tensor_dims (x)[i]);
  for (guint i = 0; !ok && i < PH_MAX_RANK; i++)
    ph_taps_clear (&taps[i]);
  return ok;
}

static PhTensor *
along_axis (PhTensor *x, guint axis, const Taps *taps, double outside)
{
  guint rank = ph_tensor_rank (x);
  gint64 dims[PH_MAX_RANK], outer = ph_dims_product (ph_tensor_dims (x), 0, axis),
                            inner = ph_dims_product (ph_tensor_dims (x), axis + 1, rank);
  const double *from = ph_tensor_data (x);
  PhTensor *result;
  double *to;

  memcpy (dims, ph_tensor_dims (x), rank * sizeof (gint64));
  dims[axis] = taps->out;
  result = ph_tensor_new (PH_DOUBLE, rank, dims);
  if (result == NULL)
    return NULL;
  to = ph_tensor_writable (result);
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < taps->out; i++, to += inner)
      for (guint t = 0; t < taps->n; t++)
        {
          gint64 at = taps->index[i * taps->n + t];
          double weight = taps->weight[i * taps->n + t];
          const double *line = from + (o * taps->in + at) * inner;

          if (at < 0)
            for (gint64 k = 0; k < inner; k++)
              to[k] = outside;
          else if (weight != 0)
            for (gint64 k = 0; k < inner; k++)
              to[k] += weight * line[k];
        }
  return result;
}

static gboolean
run_resize (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const char *mode = ph_node_attr_string (kernel->node, "mode", "nearest"), *wrong;
  double outside = ph_node_attr_float (kernel->node, "extrapolation_value", 0);
  g_autoptr (PhTensor) wide = NULL;
  Plan plan;

  wrong = plan_of (kernel->node, x, NULL, ph_kernel_input (kernel, 1), ph_kernel_input (kernel, 2), ph_kernel_input (kernel, 3),
                   &plan);
  if (wrong != NULL)
    return ph_kernel_fail (kernel, error, "%s", wrong);
  if (plan.resized == 0)
    {
      ph_kernel_take (kernel, 0, ph_tensor_ref (x));
      return TRUE;
    }
  if (g_str_equal (mode, "nearest"))
    return run_nearest (kernel, &plan, outside, error);
  if (ph_tensor_dtype (x) == PH_STRING)
    return ph_kernel_fail (kernel, error, "mode '%s' is not for strings", mode);
  /* Each axis is filtered into a new tensor, so a result that is too large is refused before the first. */
  if (!ph_kernel_may_make (kernel, 0, plan.rank, plan.out, error))
    return FALSE;
  wide = ph_kernel_input_as (kernel, 0, PH_DOUBLE, error);
  if (wide == NULL)
    return FALSE;
  for (guint i = 0; i < plan.rank && wide != NULL; i++)
    if (plan.resized >> i & 1)
      {
        PhTensor *next;
        Taps taps;

        if (!taps_init (&taps, kernel->node, &plan, i, ph_tensor_dims (wide)[i]))
          return ph_kernel_fail (kernel, error, FILTER_TOO_WIDE, i, plan.scale[i]);
        next = along_axis (wide, i, &taps, outside);
        ph_taps_clear (&taps);
        ph_tensor_unref (wide);
        wide = next;
      }
  return ph_kernel_take_as (kernel, 0, g_steal_pointer (&wide), ph_tensor_dtype (x), error);
}

/* ── gradient ──
 * y is x multiplied by one matrix for each axis; dx is dy multiplied by their transposes. */

static PhValue *
times_matrix (PhGrad *grad, PhValue *dy, const Taps *taps, guint axis, guint rank)
{
  PhBuilder *b = grad->b;
  PhDType dtype = ph_grad_in (grad, 0)->type->dtype;
  PhTensor *matrix = ph_tensor_new (dtype, 2, (gint64[]) { taps->out, taps->in });
  gint64 perm[PH_MAX_RANK];
  PhValue *constant;

  if (matrix != NULL)
    {
      gpointer data = ph_tensor_writable (matrix);

      for (gint64 i = 0; i < taps->out; i++)
        for (guint t = 0; t < taps->n; t++)
          {
            gint64 at = taps->index[i * taps->n + t];

            if (at >= 0)
              ph_dtype_store (dtype, data, i * taps->in + at,
                              ph_dtype_load (dtype, data, i * taps->in + at) + taps->weight[i * taps->n + t]);
          }
    }
  constant = ph_build_tensor (b, matrix);
  if (axis == rank - 1)
    return PH_BUILD (b, MatMul, dy, constant);
  for (guint i = 0; i < rank; i++)
    perm[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
  dy = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), dy);
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), PH_BUILD (b, MatMul, dy, constant));
}

static PhValue *
pair (PhBuilder *b, PhValue *one, PhValue *other)
{
  return ph_build_node (b, &ph_op_Concat, PH_VALUES_ (one, other), 2, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1);
}

/* Builds the gradient if sizes or scales are only known at run time: the matrix of an axis is the operator applied to an identity matrix.
 * @constant: the constant inputs. */
static gboolean
grad_resize_open (PhGrad *grad, PhTensor *const *constant, GError **error)
{
  static const char *const kept[] = { "mode", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "antialias" };
  PhBuilder *b = grad->b;
  const PhNode *node = grad->node;
  PhValue *x = ph_grad_in (grad, 0), *y = ph_grad_out (grad, 0), *scales = ph_grad_in (grad, 2), *sizes = ph_grad_in (grad, 3),
          *dx = grad->dy[0];
  const PhType *type;
  gsize n;
  const gint64 *axes = ph_node_attr_ints (node, "axes", &n);
  guint rank = x->type != NULL && x->type->has_rank ? x->type->rank : 0;

  n = axes != NULL ? n : rank;
  if (g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", ""), "tf_crop_and_resize")
      && ph_grad_in (grad, 1) != NULL && constant[1] == NULL)
    return ph_node_fail (
        node, error, PH_ERROR_UNSUPPORTED,
        "its gradient needs the region that it crops to be constant, and '%s' is computed: give it as an initializer",
        ph_grad_in (grad, 1)->name);
  if (rank == 0 || rank > PH_MAX_RANK || dx == NULL || (scales == NULL && sizes == NULL)
      || g_str_equal (ph_node_attr_string (node, "coordinate_transformation_mode", ""), "tf_crop_and_resize")
      || (sizes != NULL && !g_str_equal (ph_node_attr_string (node, "keep_aspect_ratio_policy", "stretch"), "stretch")))
    return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED,
                         "its gradient needs the input's shape, scales and sizes to be known; fix them first");
  for (gsize k = 0; k < n; k++)
    {
      gint64 at = k, axis = axes != NULL ? axes[k] + (axes[k] < 0 ? rank : 0) : (gint64) k, perm[PH_MAX_RANK];
      PhValue *length, *unit, *inputs[4] = { NULL };
      PhAttr *attrs[G_N_ELEMENTS (kept) + 1] = { NULL };
      guint n_attrs = 0;

      if (axis < 0 || axis >= rank)
        return ph_node_fail (node, error, PH_ERROR_UNSUPPORTED, "its axes are outside of rank %u", rank);
      if (scales != NULL && constant[2] != NULL ? ph_tensor_get (constant[2], k) == 1
                                                : scales == NULL && y->type != NULL && y->type->has_rank && y->type->rank == rank
                                                      && ph_dim_equal (x->type->dims[axis], y->type->dims[axis]))
        continue;
      length = PH_BUILD (b, Gather, ph_grad_shape (grad, x), ph_build_ints (b, &axis, 1));
      unit = inputs[0] = PH_BUILD (b, EyeLike, PH_BUILD (b, Expand, ph_grad_like (grad, x, 0), pair (b, length, length)));
      if (scales != NULL)
        inputs[2] = pair (b, ph_build_tensor (b, ph_tensor_new_floats ((float[]) { 1 }, 1)),
                          PH_BUILD (b, Gather, scales, ph_build_ints (b, &at, 1)));
      else
        inputs[3] = pair (b, length, PH_BUILD (b, Gather, sizes, ph_build_ints (b, &at, 1)));
      for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
        if (ph_node_attr (node, kept[i]) != NULL)
          attrs[n_attrs++] = ph_attr_ref (ph_node_attr (node, kept[i]));
      unit = PH_BUILD (b, Transpose, ph_build_node (b, &ph_op_Resize, inputs, scales != NULL ? 3 : 4, attrs, 1));
      for (guint i = 0; i < rank; i++)
        perm[i] = i == axis ? rank - 1 : i == rank - 1 ? axis : i;
      dx = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), dx);
      dx = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), PH_BUILD (b, MatMul, dx, unit));
    }
  type = dx != NULL && dx->type != NULL ? ph_type_merge (x->type, dx->type) : NULL;
  if (type != NULL && !dx->is_input)
    ph_value_set_type (dx, type, &b->error);
  grad->dx[0] = dx;
  return TRUE;
}

static gboolean
grad_resize (PhGrad *grad, GError **error)
{
  PhValue *x = ph_grad_in (grad, 0), *dy = grad->dy[0];
  PhTensor *constant[4] = { NULL };
  const char *wrong;
  Plan plan;
  gboolean known = x->type != NULL && ph_type_is_static (x->type);

  for (guint i = 1; i < 4; i++)
    if (ph_grad_in (grad, i) != NULL)
      {
        constant[i] = ph_value_constant (ph_grad_in (grad, i));
        known = known && constant[i] != NULL;
      }
  if (!known && g_str_equal (ph_node_attr_string (grad->node, "mode", "nearest"), "nearest")
      && !g_str_equal (ph_node_attr_string (grad->node, "coordinate_transformation_mode", ""), "tf_crop_and_resize"))
    return ph_grad_moved_as (grad, 0, PH_INT32);
  if (!known)
    return grad_resize_open (grad, constant, error);
  wrong = plan_of (grad->node, NULL, x->type, constant[1], constant[2], constant[3], &plan);
  if (wrong != NULL)
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "%s", wrong);
  for (guint i = plan.rank; i-- > 0;)
    if (plan.resized >> i & 1)
      {
        Taps taps;

        if (!taps_init (&taps, grad->node, &plan, i, x->type->dims[i].size))
          return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, FILTER_TOO_WIDE, i, plan.scale[i]);
        dy = times_matrix (grad, dy, &taps, i, plan.rank);
        ph_taps_clear (&taps);
      }
  grad->dx[0] = dy;
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Resize = {
  .name = "Resize", .since = 19, .flags = PH_OP_IN_DOUBLE,
  .family = PH_FAMILY_MOVEMENT,
  .main_attrs = { "mode", "coordinate_transformation_mode" },
  .example = { "x[1,1,3,4]", "s = Constant <value_floats = [1.0, 1.0, 2.0, 1.5]> () y = Resize <mode = \"linear\"> (x, \"\", s)", -1, 1 },
  .doc = "Scales a tensor up or down by nearest element, linear or cubic interpolation.",
  .inputs = { { "X", 'T', PH_ANY }, { "roi", 0, PH_FLOATS, PH_ARG_OPTIONAL }, { "scales", 0, PH_T (FLOAT), PH_ARG_OPTIONAL },
              { "sizes", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "Y", 'T', PH_ANY } },
  .attrs = { { "antialias", PH_ATTR_INT, "0" }, { "axes", PH_ATTR_INTS },
             { "coordinate_transformation_mode", PH_ATTR_STRING, "\"half_pixel\"", .words = "half_pixel|half_pixel_symmetric|pytorch_half_pixel|align_corners|asymmetric|tf_half_pixel_for_nn|tf_crop_and_resize" }, { "cubic_coeff_a", PH_ATTR_FLOAT, "-0.75" },
             { "exclude_outside", PH_ATTR_INT, "0" }, { "extrapolation_value", PH_ATTR_FLOAT, "0" },
             { "keep_aspect_ratio_policy", PH_ATTR_STRING, "\"stretch\"", .words = "stretch|not_larger|not_smaller" }, { "mode", PH_ATTR_STRING, "\"nearest\"", .words = "nearest|linear|cubic" },
             { "nearest_mode", PH_ATTR_STRING, "\"round_prefer_floor\"", .words = "round_prefer_floor|round_prefer_ceil|floor|ceil" } },
  .infer = infer_resize, .kernel = run_resize, .grad_build = grad_resize, .no_grad = 1 << 3, .no_rule = 1 << 1 | 1 << 2,
  .grad_text = "dX = dY added back to the pixels that were read, by their weights",
};
/* clang-format on */
