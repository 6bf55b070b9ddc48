/* rows.c: kernels of single operators by loops over floats.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/chain.h"
#include "core/run/lanes.h"

/* ── elementwise ── */

static gpointer
prepare_elementwise (PhKernel *kernel)
{
  PhNode *node = (PhNode *) kernel->node;

  return ph_chain_takes (node) ? ph_chain_new (kernel, &node, 1, &node->inputs->array, NULL)
                               : ph_kernel_refuse (kernel, "a chain takes two inputs, and one output");
}

static gboolean
run_elementwise (PhKernel *kernel, gpointer prepared)
{
  PhTensor *y = ph_chain_run (prepared, kernel, NULL);

  if (y != NULL)
    ph_kernel_take (kernel, 0, y);
  return y != NULL;
}

static void
free_chain (gpointer chain)
{
  ph_chain_free (chain);
}

/* ── rows ── */

/* Makes output 0, of the type of input 0, where that input lies if nobody reads it any more. (nullable) */
static float *
make_over (PhKernel *kernel)
{
  PhTensor *x = kernel->inputs[0];

  if ((kernel->dying & 1) == 0 || !ph_tensor_is_sole (x) || ph_tensor_format (x) != PH_MEMORY_PLAIN)
    return ph_kernel_output_unset (kernel, 0, PH_FLOAT, ph_tensor_rank (x), ph_tensor_dims (x), NULL);
  ph_kernel_take (kernel, 0, ph_tensor_ref (x));
  return ph_tensor_writable (x);
}

#define LINE 512 /* exponentials at once */

static gpointer
prepare_softmax (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint axis;

  return ph_dnnl_is_float (x) && ph_axis (ph_node_attr_int (kernel->node, "axis", -1), ph_tensor_rank (x), &axis)
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, PH_NOT_FLOAT);
}

static void
log_softmax (gsize n, float *y, const float *x)
{
  const float greatest = ph_lanes ()->extreme (n, x, FALSE);
  float powers[LINE], total;
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    y[i] = x[i] - greatest;
  for (gsize i = 0; i < n; i += LINE)
    {
      const gsize part = MIN (LINE, n - i);

      ph_lanes ()->unary[PH_LANE_EXP](part, powers, y + i, NULL);
      sum += ph_lanes ()->total (part, powers, PH_LANE_SUM);
    }
  total = (float) log (sum);
  for (gsize i = 0; i < n; i++)
    y[i] -= total;
}

static void
softmax_line (const PhKernel *kernel, gsize n, float *y, const float *x)
{
  (kernel->node->op == &ph_op_Softmax ? ph_lanes ()->softmax : log_softmax) (n, y, x);
}

#define TOGETHER 16 /* floats of a line of the cache */

/* Gathers strided elements first, so that the result does not depend on the axis. @lines: @n elements for each of @width. */
static void
softmax_apart (const PhKernel *kernel, const float *in, float *out, gsize n, gsize width, gsize stride, float *lines)
{
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < width; k++)
      lines[k * n + i] = in[i * stride + k];
  for (gsize k = 0; k < width; k++)
    softmax_line (kernel, n, lines + k * n, lines + k * n);
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < width; k++)
      out[i * stride + k] = lines[k * n + i];
}

static gboolean
run_softmax (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const gsize count = ph_tensor_count (x);
  const float *in = ph_tensor_data (x);
  guint axis = 0;
  const gsize n = ph_axis (ph_node_attr_int (kernel->node, "axis", -1), ph_tensor_rank (x), &axis)
                      ? (gsize) ph_tensor_dims (x)[axis]
                      : count;
  float *out = in != NULL ? make_over (kernel) : NULL;

  const gsize inner = (gsize) ph_dims_product (ph_tensor_dims (x), axis + 1, ph_tensor_rank (x));
  g_autofree float *lines = inner > 1 ? g_new (float, n *TOGETHER) : NULL;

  for (gsize at = 0; out != NULL && at < count; at += n * inner)
    if (inner == 1)
      softmax_line (kernel, n, out + at, in + at);
    else
      for (gsize i = 0; i < inner; i += TOGETHER)
        softmax_apart (kernel, in + at + i, out + at + i, n, MIN (TOGETHER, inner - i), inner, lines);
  return out != NULL;
}

/* Returns TRUE if @tensor has one element per normalized element: the axes before @axis are 1, and no other is broadcast. */
static gboolean
is_of_row (PhTensor *tensor, PhTensor *x, guint axis)
{
  const guint rank = ph_tensor_rank (tensor), of = ph_tensor_rank (x);

  if (!ph_dnnl_is_float (tensor) || rank > of || rank < of - axis)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (ph_tensor_dims (tensor)[i] != (of - rank + i < axis ? 1 : ph_tensor_dims (x)[of - rank + i]))
      return FALSE;
  return TRUE;
}

static gpointer
prepare_normalise (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *bias = ph_kernel_input (kernel, 2);
  guint axis;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  return ph_axis (ph_node_attr_int (kernel->node, "axis", -1), ph_tensor_rank (x), &axis)
                 && is_of_row (ph_kernel_input (kernel, 1), x, axis) && (bias == NULL || is_of_row (bias, x, axis))
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, "scale and bias are not float32 of one row");
}

/* Makes the mean of each row (output 1) or the reciprocal of its deviation (output 2), where they are used. */
static gboolean
run_statistics (PhKernel *kernel, gsize n, float epsilon)
{
  PhTensor *x = kernel->inputs[0];
  const float *in = ph_tensor_data (x);
  const PhDType dtype = ph_kernel_dtype (kernel, ph_node_attr_int (kernel->node, "stash_type", PH_FLOAT));
  const guint rank = ph_tensor_rank (x);
  gpointer kept[3] = { NULL };
  gint64 dims[PH_MAX_RANK];
  guint axis = 0;

  ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis);
  for (guint i = 0; i < rank; i++)
    dims[i] = i < axis ? ph_tensor_dims (x)[i] : 1;
  for (guint i = 1; i < 3; i++)
    if (ph_kernel_wants (kernel, i) && (kept[i] = ph_kernel_output (kernel, i, dtype, rank, dims, NULL)) == NULL)
      return FALSE;
  for (gsize row = 0; (kept[1] != NULL || kept[2] != NULL) && row < ph_tensor_count (x) / n; row++, in += n)
    {
      double mean, inverse;

      ph_lanes_moments (n, in, epsilon, TRUE, &mean, &inverse);
      if (kept[1] != NULL)
        ph_dtype_store (dtype, kept[1], row, mean);
      if (kept[2] != NULL)
        ph_dtype_store (dtype, kept[2], row, inverse);
    }
  return TRUE;
}

static gboolean
run_normalise (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *scale = kernel->inputs[1], *bias = ph_kernel_input (kernel, 2);
  const gsize n = ph_tensor_count (scale), count = ph_tensor_count (x);
  const float *in = ph_tensor_data (x), *factors = ph_tensor_data (scale), *offsets = bias != NULL ? ph_tensor_data (bias) : NULL;
  const float epsilon = ph_node_attr_float (kernel->node, "epsilon", 1e-5f);
  const gboolean centre = kernel->node->op == &ph_op_LayerNormalization;
  float *out = in != NULL && factors != NULL && (bias == NULL || offsets != NULL) ? make_over (kernel) : NULL;

  if (out == NULL || (centre && !run_statistics (kernel, n, epsilon)))
    return FALSE;
  for (gsize at = 0; at < count; at += n)
    ph_lanes ()->normalise (n, out + at, in + at, factors, offsets, epsilon, centre);
  return TRUE;
}

/* ── of images ── */

static gpointer
prepare_global_average (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  return ph_tensor_rank (x) >= 3 && ph_tensor_count (x) > 0 ? PH_PREPARED : ph_kernel_refuse (kernel, "no image");
}

#define MOST_BLOCK 256 /* sums at once */

/* @out: @width sums of pixels of so many channels. Few channels are added up several pixels at a time. */
static void
sum_pixels (const float *in, gsize pixels, gsize width, double *out)
{
  const gsize together = MAX (1, MOST_BLOCK / width), whole = pixels / together * together;
  double sums[MOST_BLOCK] = { 0 };

  memset (out, 0, width * sizeof *out);
  if (together == 1)
    {
      for (gsize p = 0; p < pixels; p++)
        ph_lanes ()->accumulate (width, out, in + p * width);
      return;
    }
  for (gsize p = 0; p < whole; p += together)
    ph_lanes ()->accumulate (together * width, sums, in + p * width);
  for (gsize i = 0; i < together * width; i++)
    out[i % width] += sums[i];
  for (gsize i = whole * width; i < pixels * width; i++)
    out[i % width] += in[i];
}

static gboolean
run_global_average (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const PhMemoryFormat format = ph_tensor_format (x);
  const guint rank = ph_tensor_rank (x);
  const gint64 *dims = ph_tensor_dims (x);
  const gsize batch = (gsize) dims[0], channels = (gsize) dims[1], pixels = (gsize) ph_dims_product (dims, 2, rank);
  const gsize width = format == PH_MEMORY_BLOCKED_8 ? 8 : format == PH_MEMORY_BLOCKED_16 ? 16 : channels;
  const float *in = format == PH_MEMORY_PLAIN ? ph_tensor_data (x) : ph_tensor_packed (x);
  gint64 sizes[PH_MAX_RANK];
  g_autofree double *sums = g_new (double, channels + width);
  float *out;

  for (guint i = 0; i < rank; i++)
    sizes[i] = i < 2 ? dims[i] : 1;
  out = in != NULL ? ph_kernel_output_unset (kernel, 0, PH_FLOAT, rank, sizes, NULL) : NULL;
  if (out == NULL)
    return FALSE;
  for (gsize b = 0; b < batch; b++, out += channels)
    {
      if (format == PH_MEMORY_PLAIN)
        for (gsize c = 0; c < channels; c++, in += pixels)
          sums[c] = ph_lanes ()->total (pixels, in, PH_LANE_SUM);
      else
        for (gsize c = 0; c < channels; c += width, in += pixels * width)
          sum_pixels (in, pixels, width, sums + c);
      for (gsize c = 0; c < channels; c++)
        out[c] = (float) (sums[c] / (double) pixels);
    }
  return TRUE;
}

/* Returns TRUE if the channels of all inputs lie last, so that pixels can be put together. In any other order they are read row by row. */
static gboolean
all_last (const PhKernel *kernel, guint axis)
{
  for (guint i = 0; i < kernel->n_inputs; i++)
    if (ph_tensor_format (kernel->inputs[i]) != PH_MEMORY_CHANNELS_LAST)
      return FALSE;
  return axis == 1;
}

/* Concatenates along the axis for which each input contributes contiguous pieces. */
static gpointer
prepare_concat (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint axis;

  if (!ph_dnnl_is_float (x))
    return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
  if (ph_tensor_rank (x) == 0 || ph_node_attr (kernel->node, "axis") == NULL
      || !ph_axis (ph_node_attr_int (kernel->node, "axis", 0), ph_tensor_rank (x), &axis))
    return ph_kernel_refuse (kernel, "no axis");
  for (guint i = 1; i < kernel->n_inputs; i++)
    {
      PhTensor *other = ph_kernel_input (kernel, i);

      if (!ph_dnnl_is_float (other))
        return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
      if (ph_tensor_rank (other) != ph_tensor_rank (x))
        return ph_kernel_refuse (kernel, "the sizes do not fit");
      for (guint d = 0; d < ph_tensor_rank (x); d++)
        if (d != axis && ph_tensor_dims (other)[d] != ph_tensor_dims (x)[d])
          return ph_kernel_refuse (kernel, "the sizes do not fit");
    }
  return PH_PREPARED;
}

static gboolean
run_concat (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0], *y;
  const guint rank = ph_tensor_rank (x);
  gint64 dims[PH_MAX_RANK];
  gsize outer, row = 0;
  gboolean last;
  float *out;
  guint axis;

  ph_axis (ph_node_attr_int (kernel->node, "axis", 0), rank, &axis);
  last = all_last (kernel, axis);
  memcpy (dims, ph_tensor_dims (x), rank * sizeof *dims);
  for (guint i = 1; i < kernel->n_inputs; i++)
    dims[axis] += ph_tensor_dims (kernel->inputs[i])[axis];
  y = last ? ph_tensor_new_packed (rank, dims, PH_MEMORY_CHANNELS_LAST) : ph_tensor_new_unset (PH_FLOAT, rank, dims);
  if (y == NULL)
    return FALSE;
  out = last ? ph_tensor_packed (y) : ph_tensor_writable (y);
  outer = last ? ph_tensor_count (y) / (gsize) dims[1] : (gsize) ph_dims_product (dims, 0, axis);
  row = ph_tensor_count (y) / outer;
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      const gsize part = ph_tensor_count (kernel->inputs[i]) / outer;
      const float *in = last ? ph_tensor_packed (kernel->inputs[i]) : ph_tensor_data (kernel->inputs[i]);

      if (in == NULL)
        {
          ph_tensor_unref (y);
          return FALSE;
        }
      for (gsize o = 0; o < outer; o++)
        memcpy (out + o * row, in + o * part, part * sizeof *out);
      out += part;
    }
  ph_kernel_take (kernel, 0, y);
  return TRUE;
}

/* Splits channels-last tensors along the channels, which keeps their order for the users. Row-major ones the reference kernel copies as
 * fast. */
static gpointer
prepare_split (PhKernel *kernel)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  guint axis;

  return ph_dnnl_is_float (x) && ph_tensor_format (x) == PH_MEMORY_CHANNELS_LAST && ph_tensor_count (x) > 0
                 && ph_axis (ph_node_attr_int (kernel->node, "axis", 0), ph_tensor_rank (x), &axis) && axis == 1
             ? PH_PREPARED
             : ph_kernel_refuse (kernel, "not along channels that lie last, where only that pays");
}

static gboolean
run_split (PhKernel *kernel, gpointer prepared)
{
  PhTensor *x = kernel->inputs[0];
  const guint rank = ph_tensor_rank (x), n = kernel->n_outputs;
  const gint64 whole = ph_tensor_dims (x)[1], parts = ph_node_attr_int (kernel->node, "num_outputs", n);
  const gint64 chunk = parts > 0 ? whole / parts + (whole % parts != 0) : 0;
  const gsize rows = ph_tensor_count (x) / (gsize) whole;
  gsize n_given = n;
  g_autofree gint64 *given = ph_kernel_ints (kernel, 1, &n_given), *lengths = g_new (gint64, n + 1);
  g_autoptr (GPtrArray) made = NULL;
  const float *in = ph_tensor_packed (x);
  gint64 dims[PH_MAX_RANK], sum = 0;

  /* The reference kernel reports wrong arguments. */
  for (guint i = 0; i < n && n_given == n; i++)
    {
      lengths[i] = given != NULL ? given[i] : CLAMP (whole - (gint64) i * chunk, 0, chunk);
      if (lengths[i] <= 0 || lengths[i] > whole - sum)
        return FALSE;
      sum += lengths[i];
    }
  if (n_given != n || sum != whole)
    return FALSE;
  memcpy (dims, ph_tensor_dims (x), rank * sizeof *dims);
  made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < n; i++)
    {
      PhTensor *y;

      dims[1] = lengths[i];
      y = ph_tensor_new_packed (rank, dims, PH_MEMORY_CHANNELS_LAST);
      if (y == NULL)
        return FALSE;
      g_ptr_array_add (made, y);
    }
  for (guint i = 0; i < n; in += lengths[i++])
    {
      float *out = ph_tensor_packed (made->pdata[i]);

      if (!ph_kernel_wants (kernel, i))
        continue;
      for (gsize r = 0; r < rows; r++)
        memcpy (out + r * (gsize) lengths[i], in + r * (gsize) whole, (gsize) lengths[i] * sizeof *out);
      ph_kernel_take (kernel, i, ph_tensor_ref (made->pdata[i]));
    }
  return TRUE;
}

/* ── tables in files ── */

#define MANY_BYTES ((gsize) 1 << 20)  /* of a table: fewer are soon in memory */
#define KEPT_BYTES ((gsize) 16 << 20) /* of rows that were read, at most      */

/* Rows of a table of embeddings are read from its file, since the whole one would take memory for the few that are wanted; those that were
 * read stay, since a call of the system for each takes longer than all else. */
typedef struct
{
  PhTensor *table;   /* (nullable) owned: what they are rows of    */
  GHashTable *kept;  /* (element-type gsize guint): from 1 on      */
  GByteArray *bytes; /* of the kept ones, one after the other      */
} TableRows;

static void
forget_rows (TableRows *rows)
{
  g_hash_table_remove_all (rows->kept);
  g_byte_array_set_size (rows->bytes, 0);
}

static void
free_rows (gpointer data)
{
  TableRows *rows = data;

  g_clear_pointer (&rows->table, ph_tensor_unref);
  g_hash_table_unref (rows->kept);
  g_byte_array_unref (rows->bytes);
  g_free (rows);
}

static gsize
packed_rows (gpointer data)
{
  return ((const TableRows *) data)->bytes->len;
}

/* Copies row @row, of @width elements of @bytes in all. Returns FALSE if it cannot be read. */
static gboolean
copy_row (TableRows *rows, gsize row, gsize width, gsize bytes, char *out)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (rows->kept, GSIZE_TO_POINTER (row)));

  if (at == 0)
    {
      if (!ph_tensor_copy_part (rows->table, row * width, width, out))
        return FALSE;
      if (rows->bytes->len + bytes > KEPT_BYTES)
        forget_rows (rows);
      if (bytes > KEPT_BYTES)
        return TRUE;
      g_byte_array_append (rows->bytes, (const guint8 *) out, (guint) bytes);
      g_hash_table_insert (rows->kept, GSIZE_TO_POINTER (row), GUINT_TO_POINTER ((guint) (rows->bytes->len / bytes)));
      return TRUE;
    }
  memcpy (out, rows->bytes->data + (at - 1) * bytes, bytes);
  return TRUE;
}

static gpointer
prepare_gather (PhKernel *kernel)
{
  PhTensor *table = ph_kernel_input (kernel, 0), *indices = ph_kernel_input (kernel, 1);
  TableRows *rows;
  guint axis = 1;

  if (!ph_tensor_is_on_disk (table) || ph_tensor_bytes (table) < MANY_BYTES)
    return ph_kernel_refuse (kernel, "the table is in memory, or soon is");
  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", 0), ph_tensor_rank (table), &axis) || axis != 0
      || ph_tensor_rank (table) + ph_tensor_rank (indices) - 1 > PH_MAX_RANK
      || ph_tensor_count (indices) > (gsize) ph_tensor_dims (table)[0] / 4)
    return ph_kernel_refuse (kernel, "it does not read a few rows of a table");
  rows = g_new0 (TableRows, 1);
  rows->kept = g_hash_table_new (NULL, NULL);
  rows->bytes = g_byte_array_new ();
  return rows;
}

static gboolean
run_gather (PhKernel *kernel, gpointer prepared)
{
  PhTensor *table = kernel->inputs[0], *indices = kernel->inputs[1];
  const guint rank = ph_tensor_rank (table), more = ph_tensor_rank (indices);
  const gint64 height = ph_tensor_dims (table)[0];
  const gsize width = (gsize) ph_dims_product (ph_tensor_dims (table), 1, rank);
  const gsize bytes = width * ph_dtype_size (ph_tensor_dtype (table));
  TableRows *rows = prepared;
  gint64 dims[PH_MAX_RANK + 1];
  g_autofree gint64 *at = NULL;
  gsize n;
  char *out;

  memcpy (dims, ph_tensor_dims (indices), more * sizeof *dims);
  memcpy (dims + more, ph_tensor_dims (table) + 1, (rank - 1) * sizeof *dims);
  at = ph_kernel_ints (kernel, 1, &n);
  if (rows->table != table)
    {
      forget_rows (rows);
      g_clear_pointer (&rows->table, ph_tensor_unref);
      rows->table = ph_tensor_ref (table);
    }
  for (gsize i = 0; i < n; i++)
    if (at[i] < -height || at[i] >= height)
      return FALSE; /* the reference kernel says so */
  out = ph_kernel_output_unset (kernel, 0, ph_tensor_dtype (table), more + rank - 1, dims, NULL);
  for (gsize i = 0; out != NULL && i < n; i++)
    if (!copy_row (rows, (gsize) (at[i] < 0 ? at[i] + height : at[i]), width, bytes, out + i * bytes))
      {
        ph_kernel_take (kernel, 0, NULL);
        return FALSE;
      }
  return out != NULL;
}

/* clang-format off */
#define ELEMENTWISE(name_) { &ph_op_##name_, PH_DEVICE_CPU, "chain", 10, prepare_elementwise, run_elementwise, free_chain }

const PhKernelRow ph_kernels_rows[] = {
  ELEMENTWISE (Abs), ELEMENTWISE (Acos), ELEMENTWISE (Add), ELEMENTWISE (Asin), ELEMENTWISE (Atan), ELEMENTWISE (Ceil), ELEMENTWISE (Celu), ELEMENTWISE (Clip), ELEMENTWISE (Cos), ELEMENTWISE (Div),
  ELEMENTWISE (Elu), ELEMENTWISE (Erf), ELEMENTWISE (Exp), ELEMENTWISE (Floor), ELEMENTWISE (Gelu), ELEMENTWISE (HardSigmoid),
  ELEMENTWISE (HardSwish), ELEMENTWISE (LeakyRelu), ELEMENTWISE (Log), ELEMENTWISE (Max), ELEMENTWISE (Min), ELEMENTWISE (Mish),
  ELEMENTWISE (Mul), ELEMENTWISE (Neg), ELEMENTWISE (Pow), ELEMENTWISE (PRelu), ELEMENTWISE (Reciprocal), ELEMENTWISE (Relu),
  ELEMENTWISE (Round), ELEMENTWISE (Selu), ELEMENTWISE (Shrink), ELEMENTWISE (Sigmoid), ELEMENTWISE (Sign), ELEMENTWISE (Sin),
  ELEMENTWISE (Softplus), ELEMENTWISE (Softsign), ELEMENTWISE (Sqrt), ELEMENTWISE (Sub), ELEMENTWISE (Swish), ELEMENTWISE (Tanh),
  ELEMENTWISE (ThresholdedRelu), ELEMENTWISE (Where),
  { &ph_op_Concat, PH_DEVICE_CPU, "rows", 10, prepare_concat, run_concat, NULL },
  { &ph_op_Gather, PH_DEVICE_CPU, "file", 10, prepare_gather, run_gather, free_rows, packed_rows, NULL, TRUE },
  { &ph_op_GlobalAveragePool, PH_DEVICE_CPU, "rows", 10, prepare_global_average, run_global_average, NULL },
  { &ph_op_LogSoftmax, PH_DEVICE_CPU, "rows", 10, prepare_softmax, run_softmax, NULL },
  { &ph_op_LayerNormalization, PH_DEVICE_CPU, "rows", 10, prepare_normalise, run_normalise, NULL },
  { &ph_op_RMSNormalization, PH_DEVICE_CPU, "rows", 10, prepare_normalise, run_normalise, NULL },
  { &ph_op_Softmax, PH_DEVICE_CPU, "rows", 10, prepare_softmax, run_softmax, NULL },
  { &ph_op_Split, PH_DEVICE_CPU, "rows", 10, prepare_split, run_split, NULL },
  { NULL },
};
/* clang-format on */
