/* dnnl.c: fast float32 kernels through oneDNN. What a kernel here declines, the operator's reference kernel does.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/run-private.h"

#include <float.h>
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <string.h>

#include "core/ops/onnx/window.h"
#include "core/ops/op-list.h"
#include "core/run/kernels.h"
#include "core/tensor/broadcast.h"

#define MAX_SPATIAL 3

static dnnl_engine_t
cpu_engine (void)
{
  static dnnl_engine_t engine = NULL;
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      if (dnnl_engine_create (&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
      g_once_init_leave (&once, 1);
    }
  return engine;
}

/* The elements of a float tensor. A splat is expanded into @temporary, so that a model full of them stays small. */
static const float *
elements (PhTensor *tensor, float **temporary)
{
  if (!ph_tensor_is_splat (tensor))
    return ph_tensor_data (tensor);
  *temporary = g_try_malloc (MAX (ph_tensor_bytes (tensor), 1));
  if (*temporary != NULL)
    ph_tensor_copy_data (tensor, *temporary);
  return *temporary;
}

static gboolean
is_float_tensor (const PhTensor *tensor)
{
  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_FLOAT
         && ph_tensor_count (tensor) > 0;
}

/* Primitives: what oneDNN calls an operation. */

typedef struct
{
  int                index;         /* DNNL_ARG_SRC, ... */
  dnnl_memory_desc_t plain;         /* as the tensor is  */
  void              *data;
} Operand;

typedef struct
{
  dnnl_stream_t stream;
  dnnl_memory_t memory[16];
  guint         n_memory;
  gboolean      ok;
} Session;

static dnnl_memory_t
session_memory (Session *session, const dnnl_memory_desc_t *desc, void *data)
{
  dnnl_memory_t memory = NULL;

  if (session->ok && session->n_memory < G_N_ELEMENTS (session->memory)
      && dnnl_memory_create (&memory, desc, cpu_engine (), data) == dnnl_success)
    session->memory[session->n_memory++] = memory;
  else
    session->ok = FALSE;
  return memory;
}

static void
session_reorder (Session *session, dnnl_memory_t from, const dnnl_memory_desc_t *from_desc, dnnl_memory_t to,
                 const dnnl_memory_desc_t *to_desc)
{
  dnnl_primitive_desc_t desc = NULL;
  dnnl_primitive_t primitive = NULL;
  dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };

  session->ok = session->ok
                && dnnl_reorder_primitive_desc_create (&desc, from_desc, cpu_engine (), to_desc, cpu_engine (), NULL) == dnnl_success
                && dnnl_primitive_create (&primitive, desc) == dnnl_success
                && dnnl_primitive_execute (primitive, session->stream, 2, args) == dnnl_success;
  if (primitive != NULL)
    dnnl_primitive_destroy (primitive);
  if (desc != NULL)
    dnnl_primitive_desc_destroy (desc);
}

static const dnnl_memory_desc_t *
wished_desc (dnnl_primitive_desc_t desc, int index)
{
  static const struct { int index; dnnl_query_t query; } queries[] = {
    { DNNL_ARG_SRC, dnnl_query_src_md }, { DNNL_ARG_WEIGHTS, dnnl_query_weights_md }, { DNNL_ARG_DST, dnnl_query_dst_md },
  };
  const dnnl_memory_desc_t *wished = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    if (queries[i].index == index && dnnl_primitive_desc_query (desc, queries[i].query, 0, &wished) == dnnl_success)
      return wished;
  return NULL;
}

/* Runs @op on @operands, the last of which is the result. Where oneDNN likes another layout better than the tensor's own,
 * the elements are reordered on the way in or out. */
static gboolean
run_primitive (const_dnnl_op_desc_t op, const Operand *operands, guint n)
{
  dnnl_primitive_desc_t desc = NULL;
  dnnl_primitive_t primitive = NULL;
  dnnl_exec_arg_t args[4] = { 0 };
  Session session = { .ok = TRUE };
  const Operand *result = &operands[n - 1];
  dnnl_memory_t plain_result = NULL;

  g_assert (n <= G_N_ELEMENTS (args));

  session.ok = dnnl_primitive_desc_create (&desc, op, NULL, cpu_engine (), NULL) == dnnl_success
               && dnnl_primitive_create (&primitive, desc) == dnnl_success
               && dnnl_stream_create (&session.stream, cpu_engine (), dnnl_stream_default_flags) == dnnl_success;
  for (guint i = 0; i < n && session.ok; i++)
    {
      const dnnl_memory_desc_t *wished = wished_desc (desc, operands[i].index);
      dnnl_memory_t plain = session_memory (&session, &operands[i].plain, operands[i].data);

      args[i] = (dnnl_exec_arg_t) { operands[i].index, plain };
      if (wished != NULL && !dnnl_memory_desc_equal (wished, &operands[i].plain))
        {
          args[i].memory = session_memory (&session, wished, DNNL_MEMORY_ALLOCATE);
          if (&operands[i] == result)
            plain_result = plain;
          else
            session_reorder (&session, plain, &operands[i].plain, args[i].memory, wished);
        }
    }
  session.ok = session.ok && dnnl_primitive_execute (primitive, session.stream, n, args) == dnnl_success;
  if (plain_result != NULL)
    session_reorder (&session, args[n - 1].memory, wished_desc (desc, result->index), plain_result, &result->plain);
  if (session.stream != NULL)
    {
      session.ok = dnnl_stream_wait (session.stream) == dnnl_success && session.ok;
      dnnl_stream_destroy (session.stream);
    }
  for (guint i = 0; i < session.n_memory; i++)
    dnnl_memory_destroy (session.memory[i]);
  if (primitive != NULL)
    dnnl_primitive_destroy (primitive);
  if (desc != NULL)
    dnnl_primitive_desc_destroy (desc);
  return session.ok;
}

static void
plain_desc (dnnl_memory_desc_t *desc, guint rank, const gint64 *dims)
{
  dnnl_dims_t sizes, strides;
  gint64 own[PH_MAX_RANK];

  ph_strides (rank, dims, own);
  for (guint i = 0; i < rank; i++)
    {
      sizes[i] = dims[i];
      strides[i] = own[i];
    }
  dnnl_memory_desc_init_by_strides (desc, rank, sizes, dnnl_f32, strides);
}

/* The same shape in whatever layout oneDNN likes best. */
static dnnl_memory_desc_t
any_layout (const dnnl_memory_desc_t *desc)
{
  dnnl_memory_desc_t any;

  dnnl_memory_desc_init_by_tag (&any, desc->ndims, desc->dims, dnnl_f32, dnnl_format_tag_any);
  return any;
}

/* Windows of convolutions and pooling, as oneDNN wants them. */

typedef struct { dnnl_dims_t kernel, strides, dilations, before, after; } Geometry;

/* FALSE: not a case for this file. */
static gboolean
geometry_of (const PhWindow *window, Geometry *geometry)
{
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 extent = (window->kernel[i] - 1) * window->dilation[i] + 1;

      geometry->kernel[i] = window->kernel[i];
      geometry->strides[i] = window->stride[i];
      geometry->dilations[i] = window->dilation[i] - 1;       /* oneDNN counts the elements left out */
      geometry->before[i] = window->begin[i];
      geometry->after[i] = window->end[i];
      if (window->begin[i] < 0 || window->begin[i] >= extent || window->end[i] >= extent || window->out[i] < 1)
        return FALSE;
    }
  return window->n >= 1 && window->n <= MAX_SPATIAL;
}

/* Convolutions. Weights are [M, C/group, k...], of the transposed one [C, M/group, k...]; oneDNN wants the output channels
 * first and a dimension for the groups. */
static void
weights_desc (dnnl_memory_desc_t *desc, PhTensor *weights, gint64 groups, gboolean transposed)
{
  const guint rank = ph_tensor_rank (weights);
  const gint64 *dims = ph_tensor_dims (weights);
  dnnl_dims_t sizes, strides;
  gint64 own[PH_MAX_RANK];
  guint at = 0;

  ph_strides (rank, dims, own);
  if (groups > 1)
    {
      sizes[at] = groups;
      strides[at++] = own[0] * (dims[0] / groups);
    }
  sizes[at] = transposed ? dims[1] : dims[0] / groups;
  strides[at++] = transposed ? own[1] : own[0];
  sizes[at] = transposed ? dims[0] / groups : dims[1];
  strides[at++] = transposed ? own[0] : own[1];
  for (guint i = 2; i < rank; i++)
    {
      sizes[at] = dims[i];
      strides[at++] = own[i];
    }
  dnnl_memory_desc_init_by_strides (desc, at, sizes, dnnl_f32, strides);
}

static gboolean
convolve (PhKernel *kernel, const PhWindow *window, const Geometry *geometry, gint64 groups, gint64 channels, gboolean transposed)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  g_autofree float *x_copy = NULL, *w_copy = NULL, *bias_copy = NULL;
  gint64 dims[2 + MAX_SPATIAL] = { ph_tensor_dims (x)[0], channels };
  dnnl_memory_desc_t any_x, any_w, any_y;
  Operand operands[4] = { 0 }, *result;
  guint n = 0;
  union { dnnl_convolution_desc_t forward; dnnl_deconvolution_desc_t backward; } op;
  dnnl_status_t status;
  PhTensor *y;

  memcpy (dims + 2, window->out, window->n * sizeof *dims);
  y = ph_tensor_new (PH_FLOAT, 2 + window->n, dims);
  if (y == NULL)
    return FALSE;
  operands[n].index = DNNL_ARG_SRC;
  operands[n].data = (void *) elements (x, &x_copy);
  plain_desc (&operands[n++].plain, ph_tensor_rank (x), ph_tensor_dims (x));
  operands[n].index = DNNL_ARG_WEIGHTS;
  operands[n].data = (void *) elements (w, &w_copy);
  weights_desc (&operands[n++].plain, w, groups, transposed);
  if (bias != NULL)
    {
      operands[n].index = DNNL_ARG_BIAS;
      operands[n].data = (void *) elements (bias, &bias_copy);
      plain_desc (&operands[n++].plain, 1, &channels);
    }
  result = &operands[n++];
  result->index = DNNL_ARG_DST;
  result->data = ph_tensor_writable (y);
  plain_desc (&result->plain, 2 + window->n, dims);

  any_x = any_layout (&operands[0].plain);
  any_w = any_layout (&operands[1].plain);
  any_y = any_layout (&result->plain);
  if (transposed)
    status = dnnl_dilated_deconvolution_forward_desc_init (&op.backward, dnnl_forward_inference, dnnl_deconvolution_direct,
                                                           &any_x, &any_w, bias != NULL ? &operands[2].plain : NULL, &any_y,
                                                           geometry->strides, geometry->dilations, geometry->before, geometry->after);
  else
    status = dnnl_dilated_convolution_forward_desc_init (&op.forward, dnnl_forward_inference, dnnl_convolution_direct,
                                                         &any_x, &any_w, bias != NULL ? &operands[2].plain : NULL, &any_y,
                                                         geometry->strides, geometry->dilations, geometry->before, geometry->after);
  if (operands[0].data == NULL || operands[1].data == NULL || (bias != NULL && operands[2].data == NULL)
      || status != dnnl_success || !run_primitive (&op, operands, n))
    {
      ph_tensor_unref (y);
      return FALSE;
    }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

static gboolean
conv_operands_fit (PhKernel *kernel, gint64 groups)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);

  return is_float_tensor (x) && is_float_tensor (w) && (bias == NULL || is_float_tensor (bias))
         && ph_tensor_rank (x) >= 3 && ph_tensor_rank (x) <= 2 + MAX_SPATIAL && ph_tensor_rank (w) == ph_tensor_rank (x)
         && groups >= 1 && ph_tensor_dims (w)[0] % groups == 0;
}

static gboolean
conv (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  const gint64 groups = ph_node_attr_int (kernel->node, "group", 1);
  Geometry geometry;
  PhWindow window;

  return conv_operands_fit (kernel, groups) && ph_tensor_dims (x)[1] == ph_tensor_dims (w)[1] * groups
         && (bias == NULL || (gint64) ph_tensor_count (bias) == ph_tensor_dims (w)[0])
         && ph_window_init (&window, kernel->node, ph_tensor_rank (x) - 2, ph_tensor_dims (x) + 2, ph_tensor_dims (w) + 2) == NULL
         && geometry_of (&window, &geometry)
         && convolve (kernel, &window, &geometry, groups, ph_tensor_dims (w)[0], FALSE);
}

/* oneDNN has no output padding, but a smaller padding at the end comes to the same. */
static gboolean
conv_transpose (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *w = ph_kernel_input (kernel, 1), *bias = ph_kernel_input (kernel, 2);
  const gint64 groups = ph_node_attr_int (kernel->node, "group", 1);
  Geometry geometry;
  PhWindow window;
  gint64 channels;

  if (!conv_operands_fit (kernel, groups) || ph_tensor_dims (x)[1] != ph_tensor_dims (w)[0])
    return FALSE;
  channels = ph_tensor_dims (w)[1] * groups;
  if ((bias != NULL && (gint64) ph_tensor_count (bias) != channels)
      || ph_window_init_transposed (&window, kernel->node, ph_tensor_rank (x) - 2, ph_tensor_dims (x) + 2,
                                    ph_tensor_dims (w) + 2) != NULL
      || !geometry_of (&window, &geometry))
    return FALSE;
  for (guint i = 0; i < window.n; i++)
    {
      const gint64 extent = (window.kernel[i] - 1) * window.dilation[i] + 1;

      geometry.after[i] = (window.in[i] - 1) * window.stride[i] + extent - window.begin[i] - window.out[i];
      if (geometry.after[i] < 0)
        return FALSE;
    }
  return convolve (kernel, &window, &geometry, groups, channels, TRUE);
}

/* Where ceil_mode adds a window, it hangs over the end: that is padding too, but never counted. FALSE: oneDNN would. */
static gboolean
overhang (const PhWindow *window, Geometry *geometry, gboolean counts_padding)
{
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 extent = (window->kernel[i] - 1) * window->dilation[i] + 1;
      const gint64 needed = (window->out[i] - 1) * window->stride[i] + extent - window->in[i] - window->begin[i];

      if (needed > window->end[i])
        {
          if (counts_padding || needed >= extent)
            return FALSE;
          geometry->after[i] = needed;
        }
    }
  return TRUE;
}

static gboolean
pool (PhKernel *kernel, dnnl_alg_kind_t algorithm)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  g_autofree float *x_copy = NULL;
  gint64 dims[2 + MAX_SPATIAL];
  dnnl_pooling_v2_desc_t op;
  Operand operands[2];
  Geometry geometry;
  PhWindow window;
  PhTensor *y;

  if (!is_float_tensor (x) || ph_tensor_rank (x) < 3 || ph_tensor_rank (x) > 2 + MAX_SPATIAL || ph_kernel_wants (kernel, 1)
      || ph_window_init (&window, kernel->node, ph_tensor_rank (x) - 2, ph_tensor_dims (x) + 2, NULL) != NULL
      || !geometry_of (&window, &geometry) || !overhang (&window, &geometry, algorithm == dnnl_pooling_avg_include_padding))
    return FALSE;
  memcpy (dims, ph_tensor_dims (x), 2 * sizeof *dims);
  memcpy (dims + 2, window.out, window.n * sizeof *dims);
  y = ph_tensor_new (PH_FLOAT, 2 + window.n, dims);
  if (y == NULL)
    return FALSE;
  operands[0] = (Operand) { DNNL_ARG_SRC, .data = (void *) elements (x, &x_copy) };
  plain_desc (&operands[0].plain, 2 + window.n, ph_tensor_dims (x));
  operands[1] = (Operand) { DNNL_ARG_DST, .data = ph_tensor_writable (y) };
  plain_desc (&operands[1].plain, 2 + window.n, dims);
  if (operands[0].data == NULL
      || dnnl_pooling_v2_forward_desc_init (&op, dnnl_forward_inference, algorithm, &operands[0].plain, &operands[1].plain,
                                            geometry.strides, geometry.kernel, geometry.dilations, geometry.before,
                                            geometry.after) != dnnl_success
      || !run_primitive (&op, operands, 2))
    {
      ph_tensor_unref (y);
      return FALSE;
    }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

/* Whether the larger of a number and NaN is NaN depends on the instructions that oneDNN finds on this machine; and it starts from
 * the least finite number, which is more than -infinity. */
static gboolean
has_nan_or_least (PhTensor *tensor)
{
  const float *data = is_float_tensor (tensor) && !ph_tensor_is_splat (tensor) ? ph_tensor_data (tensor) : NULL;
  guint found = 0;

  if (is_float_tensor (tensor) && ph_tensor_is_splat (tensor))
    return !(ph_tensor_get (tensor, 0) >= -FLT_MAX);
  for (gsize i = 0, n = data != NULL ? ph_tensor_count (tensor) : 0; i < n; i++)
    found |= !(data[i] >= -FLT_MAX);
  return found != 0;
}

static gboolean
max_pool (PhKernel *kernel)
{
  return !has_nan_or_least (ph_kernel_input (kernel, 0)) && pool (kernel, dnnl_pooling_max);
}

static gboolean
average_pool (PhKernel *kernel)
{
  return pool (kernel, ph_node_attr_int (kernel->node, "count_include_pad", 0) ? dnnl_pooling_avg_include_padding
                                                                               : dnnl_pooling_avg_exclude_padding);
}

/* Products of matrices. */

/* 0 * infinity is NaN, but the sum of a row times infinity need not be. */
static gboolean
is_finite_splat (PhTensor *tensor)
{
  return ph_tensor_is_splat (tensor) && isfinite (ph_tensor_get (tensor, 0));
}

/* c[m, n] += alpha * a * b, where all elements of b are the same: sums of rows do it. */
static void
multiply_by_splat (gint64 m, gint64 n, gint64 k, float alpha, const float *a, gboolean a_transposed, float beta, float *c)
{
  for (gint64 i = 0; i < m; i++)
    {
      double sum = 0;

      for (gint64 j = 0; j < k; j++)
        sum += a_transposed ? a[j * m + i] : a[i * k + j];
      for (gint64 j = 0; j < n; j++)
        c[i * n + j] = (float) (alpha * sum) + (beta != 0 ? beta * c[i * n + j] : 0);
    }
}

static gboolean
multiply (gint64 m, gint64 n, gint64 k, float alpha, const float *a, gboolean a_transposed, const float *b,
          gboolean b_transposed, float beta, float *c)
{
  return dnnl_sgemm (a_transposed ? 'T' : 'N', b_transposed ? 'T' : 'N', m, n, k, alpha, a, a_transposed ? m : k, b,
                     b_transposed ? k : n, beta, c, n) == dnnl_success;
}

static gboolean
gemm (PhKernel *kernel)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1), *c = ph_kernel_input (kernel, 2);
  const float alpha = ph_node_attr_float (kernel->node, "alpha", 1), beta = ph_node_attr_float (kernel->node, "beta", 1);
  const gboolean ta = ph_node_attr_int (kernel->node, "transA", 0) != 0, tb = ph_node_attr_int (kernel->node, "transB", 0) != 0;
  g_autofree float *a_copy = NULL;
  gint64 m, n, k;
  const float *x;
  gboolean ok;
  PhTensor *y;
  float *out;

  if (!is_float_tensor (a) || !is_float_tensor (b) || (c != NULL && !is_float_tensor (c)) || ph_tensor_rank (a) != 2
      || ph_tensor_rank (b) != 2)
    return FALSE;
  m = ph_tensor_dims (a)[ta ? 1 : 0];
  k = ph_tensor_dims (a)[ta ? 0 : 1];
  n = ph_tensor_dims (b)[tb ? 0 : 1];
  if (ph_tensor_dims (b)[tb ? 1 : 0] != k)
    return FALSE;
  if (c != NULL)
    {
      gint64 dims[PH_MAX_RANK];
      guint rank;

      if (!ph_broadcast_dims (2, (gint64[]) { m, n }, ph_tensor_rank (c), ph_tensor_dims (c), &rank, dims) || rank != 2
          || dims[0] != m || dims[1] != n)
        return FALSE;
    }
  y = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { m, n });
  x = elements (a, &a_copy);
  if (y == NULL || x == NULL)
    {
      g_clear_pointer (&y, ph_tensor_unref);
      return FALSE;
    }
  out = ph_tensor_writable (y);
  if (c != NULL)
    {
      PhWalk walk;

      ph_walk_init (&walk, 2, (gint64[]) { m, n });
      ph_walk_add (&walk, ph_tensor_rank (c), ph_tensor_dims (c));
      do
        out[walk.index] = (float) ph_tensor_get (c, walk.offset[0]);
      while (ph_walk_next (&walk));
    }
  if (is_finite_splat (b))
    {
      multiply_by_splat (m, n, k, alpha * (float) ph_tensor_get (b, 0), x, ta, c != NULL ? beta : 0, out);
      ok = TRUE;
    }
  else
    ok = ph_tensor_bring (b, NULL) && multiply (m, n, k, alpha, x, ta, ph_tensor_data (b), tb, c != NULL ? beta : 0, out);
  if (ok)
    ph_kernel_take (kernel, 0, y);
  else
    ph_tensor_unref (y);
  return ok;
}

static gboolean
matmul (PhKernel *kernel)
{
  PhTensor *a = ph_kernel_input (kernel, 0), *b = ph_kernel_input (kernel, 1);
  g_autofree float *a_copy = NULL, *b_copy = NULL;
  gint64 dims[PH_MAX_RANK], m, n, k;
  const float *left, *right;
  gboolean ok = TRUE;
  guint rank, ra, rb;
  PhTensor *y;
  PhWalk walk;
  float *out;

  if (!is_float_tensor (a) || !is_float_tensor (b) || ph_tensor_rank (a) < 2 || ph_tensor_rank (b) < 2)
    return FALSE;
  ra = ph_tensor_rank (a) - 2;
  rb = ph_tensor_rank (b) - 2;
  m = ph_tensor_dims (a)[ra];
  k = ph_tensor_dims (a)[ra + 1];
  n = ph_tensor_dims (b)[rb + 1];
  if (ph_tensor_dims (b)[rb] != k || !ph_broadcast_dims (ra, ph_tensor_dims (a), rb, ph_tensor_dims (b), &rank, dims))
    return FALSE;
  dims[rank] = m;
  dims[rank + 1] = n;
  y = ph_tensor_new (PH_FLOAT, rank + 2, dims);
  left = elements (a, &a_copy);
  right = is_finite_splat (b) ? NULL : elements (b, &b_copy);
  if (y == NULL || left == NULL || (right == NULL && !is_finite_splat (b)))
    {
      g_clear_pointer (&y, ph_tensor_unref);
      return FALSE;
    }
  out = ph_tensor_writable (y);
  if (is_finite_splat (b))
    {
      /* Every batch of b is alike: walk those of a. */
      ph_walk_init (&walk, rank, dims);
      ph_walk_add (&walk, ra, ph_tensor_dims (a));
      do
        multiply_by_splat (m, n, k, (float) ph_tensor_get (b, 0), left + walk.offset[0] * m * k, FALSE, 0, out + walk.index * m * n);
      while (ph_walk_next (&walk));
    }
  else if (ph_tensor_count (b) == (gsize) (k * n))
    ok = multiply (ph_tensor_count (a) / k, n, k, 1, left, FALSE, right, FALSE, 0, out);
  else
    {
      ph_walk_init (&walk, rank, dims);
      ph_walk_add (&walk, ra, ph_tensor_dims (a));
      ph_walk_add (&walk, rb, ph_tensor_dims (b));
      do
        ok = ok && multiply (m, n, k, 1, left + walk.offset[0] * m * k, FALSE, right + walk.offset[1] * k * n, FALSE, 0,
                             out + walk.index * m * n);
      while (ph_walk_next (&walk));
    }
  if (ok)
    ph_kernel_take (kernel, 0, y);
  else
    ph_tensor_unref (y);
  return ok;
}

const PhKernelRow ph_kernels_dnnl[] = {
  { &ph_op_AveragePool, PH_DEVICE_CPU, "dnnl", 10, average_pool },
  { &ph_op_Conv, PH_DEVICE_CPU, "dnnl", 10, conv },
  { &ph_op_ConvTranspose, PH_DEVICE_CPU, "dnnl", 10, conv_transpose },
  { &ph_op_Gemm, PH_DEVICE_CPU, "dnnl", 10, gemm },
  { &ph_op_MatMul, PH_DEVICE_CPU, "dnnl", 10, matmul },
  { &ph_op_MaxPool, PH_DEVICE_CPU, "dnnl", 10, max_pool },
  { NULL },
};
