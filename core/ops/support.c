/* support.c: helpers of kernels, infer functions and gradients of several families.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"
#include "core/tensor/transpose.h"

gboolean
ph_axis (gint64 axis, guint rank, guint *normal)
{
  if (axis < -(gint64) rank || axis >= (gint64) rank)
    return FALSE;
  *normal = axis < 0 ? axis + rank : axis;
  return TRUE;
}

gboolean
ph_axes (const gint64 *axes, gsize n, guint rank, guint *normal, guint64 *mask)
{
  *mask = 0;
  if (n > rank)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      if (!ph_axis (axes[i], rank, &normal[i]) || (*mask >> normal[i] & 1))
        return FALSE;
      *mask |= G_GUINT64_CONSTANT (1) << normal[i];
    }
  return TRUE;
}

gboolean
ph_node_axes_or_all (const PhNode *node, guint rank, guint *axes, gsize *n)
{
  const gint64 *given = ph_node_attr_ints (node, "axes", n);
  guint64 mask;

  if (given != NULL)
    return ph_axes (given, *n, rank, axes, &mask);
  *n = rank;
  for (guint i = 0; i < rank; i++)
    axes[i] = i;
  return TRUE;
}

gint64
ph_dims_product (const gint64 *dims, guint from, guint to)
{
  gint64 product = 1;

  for (guint i = from; i < to; i++)
    product *= dims[i];
  return product;
}

/* ── kernels ── */

gint64 *
ph_kernel_ints (PhKernel *kernel, guint input, gsize *n)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);
  gint64 *values;

  *n = 0;
  if (tensor == NULL)
    return NULL;
  *n = ph_tensor_count (tensor);
  values = g_new (gint64, *n + 1);
  if (ph_tensor_dtype (tensor) == PH_INT64 && ph_tensor_copy_data (tensor, values))
    return values;
  for (gsize i = 0; i < *n; i++)
    values[i] = ph_tensor_get_int (tensor, i);
  return values;
}

static gboolean
is_number (PhDType dtype)
{
  return ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL;
}

PhTensor *
ph_kernel_input_as (PhKernel *kernel, guint input, PhDType dtype, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);

  if (tensor == NULL)
    {
      ph_kernel_fail (kernel, error, "input %u is missing", input);
      return NULL;
    }
  if (ph_tensor_dtype (tensor) != dtype && (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !is_number (ph_tensor_dtype (tensor))))
    {
      ph_kernel_fail (kernel, error, "input %u is %s, and it is only computed on numbers", input,
                      ph_dtype_name (ph_tensor_dtype (tensor)));
      return NULL;
    }
  tensor = ph_tensor_dtype (tensor) == dtype ? ph_tensor_ref (tensor) : ph_tensor_cast (tensor, dtype);
  if (tensor != NULL && !ph_tensor_bring (tensor, NULL))
    g_clear_pointer (&tensor, ph_tensor_unref);
  if (tensor == NULL)
    ph_kernel_fail (kernel, error, "no memory for input %u as %s", input, ph_dtype_name (dtype));
  return tensor;
}

gboolean
ph_kernel_take_as (PhKernel *kernel, guint i, PhTensor *result, PhDType dtype, GError **error)
{
  g_autoptr (PhTensor) owned = result;
  PhTensor *cast;

  if (result == NULL)
    return ph_kernel_fail (kernel, error, "no memory for output %u", i);
  cast = ph_tensor_dtype (result) == dtype ? ph_tensor_ref (result) : ph_tensor_cast (result, dtype);
  if (cast == NULL)
    return ph_kernel_fail (kernel, error, "no memory for output %u as %s", i, ph_dtype_name (dtype));
  ph_kernel_take (kernel, i, cast);
  return TRUE;
}

void
ph_kernel_own_strings (PhKernel *kernel, guint i)
{
  PhTensor *tensor = kernel->outputs[i];
  const char **strings;

  if (tensor == NULL || ph_tensor_dtype (tensor) != PH_STRING)
    return;
  strings = ph_tensor_writable (tensor);
  for (gsize k = 0; k < ph_tensor_count (tensor); k++)
    {
      const char *string = g_steal_pointer (&strings[k]);

      if (string != NULL)
        ph_tensor_set_string (tensor, k, string);
    }
}

gboolean
ph_node_ints (const PhNode *node, const char *name, gsize n, gint64 fallback, gint64 *values)
{
  gsize given;
  const gint64 *ints = ph_node_attr_ints (node, name, &given);

  for (gsize i = 0; i < n; i++)
    values[i] = ints != NULL && i < given ? ints[i] : fallback;
  return ints == NULL || given == n;
}

#define COPY_LINE(type_)         \
  for (gint64 i = 0; i < n; i++) \
  ((type_ *) to)[i * to_stride] = ((const type_ *) from)[i * from_stride]

/* Fills @to with @n copies of @from, doubling the copied part each time. */
static void
repeat (gint64 n, char *to, const char *from, gsize size)
{
  memcpy (to, from, size);
  for (gint64 done = 1; done < n; done *= 2)
    memcpy (to + (gsize) done * size, to, (gsize) MIN (done, n - done) * size);
}

static void
copy_line (gint64 n, char *to, gint64 to_stride, const char *from, gint64 from_stride, gsize size)
{
  if (to_stride == 1 && from_stride == 1)
    memcpy (to, from, n * size);
  else if (to_stride == 1 && from_stride == 0)
    repeat (n, to, from, size);
  else if (size == 1)
    COPY_LINE (guint8);
  else if (size == 2)
    COPY_LINE (guint16);
  else if (size == 4)
    COPY_LINE (guint32);
  else if (size == 8)
    COPY_LINE (guint64);
  else
    for (gint64 i = 0; i < n; i++)
      memcpy (to + i * to_stride * (gint64) size, from + i * from_stride * (gint64) size, size);
}

#define TILE 16

/* Copies columns of @from to rows of @to in tiles, which use each cache line completely while it is cached. */
static void
copy_transposed (gint64 rows, gint64 columns, char *to, gint64 to_row, const char *from, gint64 from_column, gsize size)
{
  const gint64 bytes = (gint64) size;

  if (size == 4)
    {
      ph_transpose_words ((gsize) columns, (gsize) rows, (const guint32 *) (gconstpointer) from, (gsize) from_column,
                          (guint32 *) (gpointer) to, (gsize) to_row);
      return;
    }
  for (gint64 i = 0; i < rows; i += TILE)
    for (gint64 j = 0; j < columns; j += TILE)
      for (gint64 k = i; k < MIN (i + TILE, rows); k++)
        copy_line (MIN (TILE, columns - j), to + (k * to_row + j) * bytes, 1, from + (k + j * from_column) * bytes, from_column,
                   size);
}

/* Moves dimension @d to the end, and the later ones before it. */
static void
move_last (guint r, guint d, gint64 *n, gint64 *ts, gint64 *fs)
{
  gint64 *const all[] = { n, ts, fs };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      const gint64 moved = all[i][d];

      memmove (all[i] + d, all[i] + d + 1, (r - 1 - d) * sizeof *all[i]);
      all[i][r - 1] = moved;
    }
}

/* Looks for a dimension along which elements are adjacent in the source, and another for the target: the two become the last. */
static gboolean
find_planes (guint r, gint64 *n, gint64 *ts, gint64 *fs)
{
  guint target = 0, source = 0;

  while (target < r && ts[target] != 1)
    target++;
  while (source < r && fs[source] != 1)
    source++;
  if (target >= r || source >= r || fs[target] <= 1 || ts[source] <= 1)
    return FALSE;
  move_last (r, source, n, ts, fs);
  move_last (r, target > source ? target - 1 : target, n, ts, fs);
  return TRUE;
}

void
ph_copy_strided (guint rank, const gint64 *dims, gpointer to, const gint64 *to_strides, gconstpointer from,
                 const gint64 *from_strides, gsize size)
{
  gint64 n[PH_MAX_RANK + 1] = { 1 }, ts[PH_MAX_RANK + 1] = { 1 }, fs[PH_MAX_RANK + 1] = { 1 }, at[PH_MAX_RANK + 1] = { 0 };
  gint64 t = 0, f = 0;
  gboolean planes;
  guint r = 0; /* dimensions left when those of size 1 are dropped and neighbours joined */

  for (guint i = 0; i < rank; i++)
    {
      if (dims[i] == 0)
        return;
      if (dims[i] == 1)
        continue;
      if (r > 0 && ts[r - 1] == to_strides[i] * dims[i] && fs[r - 1] == from_strides[i] * dims[i])
        n[r - 1] *= dims[i];
      else
        n[r++] = dims[i];
      ts[r - 1] = to_strides[i];
      fs[r - 1] = from_strides[i];
    }
  if (r == 0)
    r = 1;
  planes = find_planes (r, n, ts, fs);

  for (;;)
    {
      guint i;

      if (planes)
        copy_transposed (n[r - 2], n[r - 1], (char *) to + t * (gint64) size, ts[r - 2], (const char *) from + f * (gint64) size,
                         fs[r - 1], size);
      else
        copy_line (n[r - 1], (char *) to + t * (gint64) size, ts[r - 1], (const char *) from + f * (gint64) size, fs[r - 1],
                   size);
      for (i = r - 1 - (planes ? 1 : 0); i > 0; i--)
        {
          t += ts[i - 1];
          f += fs[i - 1];
          if (++at[i - 1] < n[i - 1])
            break;
          t -= ts[i - 1] * n[i - 1];
          f -= fs[i - 1] * n[i - 1];
          at[i - 1] = 0;
        }
      if (i == 0)
        return;
    }
}

typedef struct
{
  const gint64 *dims;
  const gint64 *strides;
  gint64 *const *maps;
  gconstpointer from, fill;
  char *to;
  gsize size;
  guint last;   /* the last axis that has a map  */
  gint64 block; /* elements of the axes after it */
} Mapped;

/* Copies @n contiguous elements; a negative @at means the fill value. */
static void
copy_run (Mapped *m, gint64 at, gint64 n)
{
  const gsize bytes = (gsize) n * m->size;

  if (at >= 0 && n == 1)
    ph_move (m->to, 0, m->from, at, m->size);
  else if (at >= 0)
    memcpy (m->to, (const char *) m->from + (gsize) at * m->size, bytes);
  else if (m->fill != NULL)
    for (gint64 i = 0; i < n; i++)
      ph_move (m->to, i, m->fill, 0, m->size);
  m->to += bytes;
}

static void
copy_mapped (Mapped *m, guint axis, gint64 offset)
{
  const gint64 *map = m->maps[axis], n = m->dims[axis];

  for (gint64 i = 0, run; i < n; i += run)
    {
      const gint64 j = map != NULL ? map[i] : i, at = offset < 0 || j < 0 ? -1 : offset + j * m->strides[axis];

      run = 1;
      if (axis < m->last)
        {
          copy_mapped (m, axis + 1, at);
          continue;
        }
      while (i + run < n && (map == NULL || (j < 0 ? map[i + run] < 0 : map[i + run] == j + run)))
        run++;
      copy_run (m, at, run * m->block);
    }
}

void
ph_copy_mapped (guint rank, const gint64 *dims, gpointer to, const gint64 *from_dims, gconstpointer from, gint64 *const *maps,
                gconstpointer fill, gsize size)
{
  gint64 strides[PH_MAX_RANK];
  Mapped m = { dims, strides, maps, from, fill, to, size, rank > 0 ? rank - 1 : 0, 1 };

  ph_strides (rank, from_dims, strides);
  while (m.last > 0 && maps[m.last] == NULL)
    m.block *= dims[m.last--];
  if (rank == 0)
    ph_move (to, 0, from, 0, size);
  else
    copy_mapped (&m, 0, 0);
}

/* ── inference ── */

const PhType *
ph_infer_ranked (PhInfer *infer, guint input)
{
  const PhType *type = ph_infer_type (infer, input);

  if (type == NULL || type->kind != PH_KIND_TENSOR)
    return NULL;
  if (!type->has_rank)
    {
      const PhType *first = ph_infer_type (infer, 0);

      if (first != NULL && first->kind == PH_KIND_TENSOR)
        ph_infer_set (infer, 0, ph_type_unranked (first->dtype));
      return NULL;
    }
  return type;
}

gboolean
ph_infer_int (PhInfer *infer, guint input, gint64 *value)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  if (!ph_infer_ints (infer, input, &values, &n) || n != 1)
    return FALSE;
  *value = values[0];
  return TRUE;
}

gboolean
ph_dim_merge (PhDim a, PhDim b, PhDim *merged)
{
  *merged = ph_dim_known (a) || (a.symbol != NULL && !ph_dim_known (b)) ? a : b;
  return !ph_dim_known (a) || !ph_dim_known (b) || a.size == b.size;
}

/* ── gradients ── */

PhValue *
ph_grad_size (PhGrad *grad, PhValue *value)
{
  gint64 count = value != NULL && value->type != NULL ? ph_type_count (value->type) : -1;
  PhTensor *constant;

  if (count < 0)
    return PH_BUILD (grad->b, Size, value);
  constant = ph_tensor_new_scalar (PH_INT64, 0);
  *(gint64 *) ph_tensor_writable (constant) = count;
  return ph_build_tensor (grad->b, constant);
}

PhValue *
ph_grad_reshape_like (PhGrad *grad, PhValue *value, PhValue *like)
{
  PhValue *shape = ph_grad_shape (grad, like);

  /* A shape with a 0 in it means 0 here, never "copy". */
  return PH_BUILD_WITH (grad->b, Reshape, PH_ATTRS (ph_attr_new_int ("allowzero", 1)), value, shape);
}

gboolean
ph_grad_moved_as (PhGrad *grad, guint fill, PhDType dtype)
{
  PhBuilder *b = grad->b;
  const PhNode *node = grad->node;
  PhValue *x = ph_grad_in (grad, 0), *flat = ph_build_ints (b, (gint64[]) { -1 }, 1), *n, *end, *places, *sums;
  g_autofree PhValue **inputs = g_new0 (PhValue *, node->inputs->len);
  g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);

  n = end = ph_grad_size (grad, x);
  if (dtype != PH_INT64)
    end = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), n);
  places = PH_BUILD (b, Range, ph_build_scalar (b, dtype, 0), end, ph_build_scalar (b, dtype, 1));
  inputs[0] = ph_grad_reshape_like (grad, places, x);
  for (guint i = 1; i < node->inputs->len; i++)
    inputs[i] = fill != 0 && i == fill ? end : ph_node_input (node, i);
  for (guint i = 0; i < node->attrs->len; i++)
    attrs[i] = ph_attr_ref (g_ptr_array_index (node->attrs, i));
  places = PH_BUILD (b, Reshape, ph_build_node (b, node->op, inputs, node->inputs->len, attrs, 1), flat);
  if (dtype != PH_INT64)
    places = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_INT64)), places);
  sums = PH_BUILD (b, Expand, ph_grad_like (grad, x, 0), PH_BUILD (b, Reshape, n, flat));
  sums = PH_BUILD_WITH (b, ScatterElements, PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_string ("reduction", "add")), sums,
                        places, PH_BUILD (b, Reshape, grad->dy[0], flat));
  grad->dx[0] = ph_grad_reshape_like (grad, sums, x);
  return TRUE;
}

gboolean
ph_grad_moved (PhGrad *grad, guint fill)
{
  return ph_grad_moved_as (grad, fill, PH_INT64);
}

gboolean
ph_grad_through (PhGrad *grad, PhBuildInstead build, GError **error)
{
  guint n_in = grad->node->inputs->len, n_out = grad->node->outputs->len;
  g_autofree PhValue **inputs = g_new0 (PhValue *, MAX (n_in, PH_MAX_ARGS) + 1);
  g_autofree PhValue **outputs = g_new0 (PhValue *, MAX (n_out, PH_MAX_ARGS) + 1);
  g_autoptr (PhTape) tape = ph_tape_new (grad->b->graph);

  for (guint i = 0; i < n_in; i++)
    {
      inputs[i] = ph_grad_in (grad, i);
      if (!grad->wanted[i])
        continue;
      inputs[i] = PH_BUILD (grad->b, Identity, inputs[i]); /* separates the nodes built here from those before */
      if (inputs[i] == NULL)
        return TRUE; /* the builder keeps the error */
      ph_tape_watch (tape, inputs[i]);
    }
  if (!build (grad->b, grad->node, inputs, outputs, error))
    return FALSE;
  for (guint i = 0; i < n_out && grad->b->error == NULL; i++)
    if (grad->dy[i] != NULL && outputs[i] != NULL)
      ph_tape_seed (tape, outputs[i], grad->dy[i]);
    else if (grad->dy[i] != NULL)
      return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "its output %u '%s' is not differentiated", i,
                           ph_grad_out (grad, i)->name);
  if (grad->b->error == NULL && !ph_tape_run (tape, grad->b, NULL, error))
    return FALSE;
  for (guint i = 0; i < n_in && grad->b->error == NULL; i++)
    if (grad->wanted[i])
      {
        grad->dx[i] = ph_tape_gradient (tape, grad->b, inputs[i]);
        grad->zero[i] = TRUE; /* if nothing arrived */
      }
  return TRUE;
}
