/* signal.c: Fourier transforms, windows, mel weights.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/signal.h"

#include <math.h>

#include "core/ops/onnx/fourier.h"

#define FLOATING (PH_T (FLOAT) | PH_T (DOUBLE) | PH_T (FLOAT16) | PH_T (BFLOAT16))

/* Reads the single number of an optional input. */
static gboolean
input_int (PhKernel *kernel, guint input, gint64 fallback, gint64 *value, GError **error)
{
  PhTensor *tensor = ph_kernel_input (kernel, input);

  *value = fallback;
  if (tensor != NULL && ph_tensor_count (tensor) != 1)
    return ph_kernel_fail (kernel, error, "input %u must be one number", input);
  if (tensor != NULL)
    *value = ph_tensor_get_int (tensor, 0);
  return TRUE;
}

/* ── DFT ── */

static gboolean
infer_dft (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const gboolean onesided = ph_node_attr_int (node, "onesided", 0) != 0, inverse = ph_node_attr_int (node, "inverse", 0) != 0;
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[PH_MAX_RANK], length;
  gint64 axis_number = -2, number;
  guint axis;

  if (type == NULL)
    return TRUE;
  if (ph_infer_has (infer, 2) && !ph_infer_int (infer, 2, &axis_number))
    {
      for (guint i = 0; i < type->rank; i++)
        dims[i] = PH_DIM_UNKNOWN;
      ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
      return TRUE;
    }
  if (!ph_axis (axis_number, type->rank, &axis) || axis + 1 == type->rank)
    return ph_infer_fail (infer, error, "axis is outside the input's rank %u, or the last one", type->rank);
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  length = dims[axis];
  if (ph_infer_has (infer, 1))
    length = ph_infer_int (infer, 1, &number) && number > 0 ? PH_DIM (number) : PH_DIM_UNKNOWN;
  else if (onesided && inverse)
    length = ph_dim_mul (ph_dim_sub (length, PH_DIM (1)), PH_DIM (2));
  dims[axis] = onesided && !inverse ? ph_dim_add (ph_dim_div (length, PH_DIM (2)), PH_DIM (1)) : length;
  dims[type->rank - 1] = PH_DIM (onesided && inverse ? 1 : 2);
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  return TRUE;
}

typedef struct
{
  gint64 n, given, bins, stride, parts, out_parts; /* parts: 1 real, 2 complex */
  gboolean mirror, inverse;
  PhDType dtype;
} Line;

/* Transforms one line along the axis. @from and @to are in elements of the last axis. */
static void
transform_line (const Line *line, PhFourier *fourier, gconstpointer data, gint64 from, gpointer out, gint64 to, PhComplex *x)
{
  for (gint64 i = 0; i < line->n; i++)
    {
      const gboolean mirrored = line->mirror && i > line->n / 2;
      const gint64 source = mirrored ? line->n - i : i, at = from + source * line->stride * line->parts;

      x[i] = (PhComplex) { 0, 0 };
      if (source >= line->given)
        continue;
      x[i].re = ph_dtype_load (line->dtype, data, at);
      if (line->parts == 2)
        x[i].im = ph_dtype_load (line->dtype, data, at + 1) * (mirrored ? -1 : 1);
    }
  ph_fourier_run (fourier, x, x + line->n);
  for (gint64 k = 0; k < line->bins; k++)
    {
      const PhComplex y = x[line->n + k];
      const double scale = line->inverse ? 1.0 / line->n : 1;
      const gint64 at = to + k * line->stride * line->out_parts;

      ph_dtype_store (line->dtype, out, at, y.re * scale);
      if (line->out_parts == 2)
        ph_dtype_store (line->dtype, out, at + 1, y.im * scale);
    }
}

static gboolean
run_dft (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  const gboolean onesided = ph_node_attr_int (kernel->node, "onesided", 0) != 0;
  const guint rank = ph_tensor_rank (x);
  gint64 dims[PH_MAX_RANK], axis_number, outer;
  g_autoptr (PhFourier) fourier = NULL;
  g_autofree PhComplex *scratch = NULL;
  Line line = { .dtype = ph_tensor_dtype (x), .inverse = ph_node_attr_int (kernel->node, "inverse", 0) != 0 };
  gpointer y;
  guint axis;

  if (!input_int (kernel, 2, -2, &axis_number, error))
    return FALSE;
  if (rank < 2 || !ph_axis (axis_number, rank, &axis) || axis + 1 == rank)
    return ph_kernel_fail (kernel, error, "axis is outside the input's rank %u, or the last one", rank);
  memcpy (dims, ph_tensor_dims (x), rank * sizeof *dims);
  line.parts = dims[rank - 1];
  line.given = dims[axis];
  line.mirror = onesided && line.inverse;
  if (!input_int (kernel, 1, line.mirror ? 2 * (line.given - 1) : line.given, &line.n, error))
    return FALSE;
  if (line.n < 1 || (line.parts != 1 && line.parts != 2))
    return ph_kernel_fail (kernel, error, "needs a length above 0, and 1 or 2 numbers along the last axis");
  line.bins = onesided && !line.inverse ? line.n / 2 + 1 : line.n;
  line.out_parts = line.mirror ? 1 : 2;
  line.stride = ph_dims_product (dims, axis + 1, rank - 1);
  outer = ph_dims_product (dims, 0, axis);
  dims[axis] = line.bins;
  dims[rank - 1] = line.out_parts;
  y = ph_kernel_output (kernel, 0, line.dtype, rank, dims, error);
  if (y == NULL)
    return FALSE;
  fourier = ph_fourier_new (line.n, line.inverse ? 1 : -1);
  scratch = g_new (PhComplex, 2 * line.n);
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < line.stride; i++)
      {
        if (ph_kernel_cancelled (kernel, error))
          return FALSE;
        transform_line (&line, fourier, ph_tensor_data (x), (o * line.given * line.stride + i) * line.parts, y,
                        (o * line.bins * line.stride + i) * line.out_parts, scratch);
      }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_DFT = {
  .name = "DFT", .since = 20,
  .family = PH_FAMILY_LINEAR, .example = { "x[2,5,2]", "y = DFT (x)", -1, 1 },
  .doc = "Discrete Fourier transform along an axis. The last axis holds real and imaginary parts.",
  .inputs = { { "input", 'T', FLOATING }, { "dft_length", 0, PH_INDICES, PH_ARG_OPTIONAL | PH_ARG_SHAPE },
              { "axis", 0, PH_T (INT64), PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', FLOATING } },
  .attrs = { { "inverse", PH_ATTR_INT, "0" }, { "onesided", PH_ATTR_INT, "0" } },
  .infer = infer_dft, .kernel = run_dft, .grad_build = ph_grad_dft, .no_grad = 1 << 1 | 1 << 2,
  .grad_text = "dinput = the conjugate transform of dY",
};
/* clang-format on */

/* ── STFT ── */

static gboolean
infer_stft (PhInfer *infer, GError **error)
{
  const gboolean onesided = ph_node_attr_int (ph_infer_node_of (infer), "onesided", 1) != 0;
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[4] = { PH_DIM_UNKNOWN, PH_DIM_UNKNOWN, PH_DIM_UNKNOWN, PH_DIM (2) };
  gint64 step, length = 0;

  if (type == NULL)
    return TRUE;
  if (type->rank != 3)
    return ph_infer_fail (infer, error, "its signal must be [batch, length, 1 or 2]");
  dims[0] = type->dims[0];
  if (ph_infer_has (infer, 3))
    ph_infer_int (infer, 3, &length);
  else if (ph_infer_has (infer, 2) && ph_infer_type (infer, 2) != NULL && ph_type_is_static (ph_infer_type (infer, 2)))
    length = ph_type_count (ph_infer_type (infer, 2));
  if (length > 0)
    dims[2] = PH_DIM (onesided ? length / 2 + 1 : length);
  if (length > 0 && ph_infer_int (infer, 1, &step) && step > 0)
    dims[1] = ph_dim_add (ph_dim_div (ph_dim_sub (type->dims[1], PH_DIM (length)), PH_DIM (step)), PH_DIM (1));
  ph_infer_set_shape (infer, 0, type->dtype, 4, dims);
  return TRUE;
}

static gboolean
run_stft (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *window = ph_kernel_input (kernel, 2);
  const gboolean onesided = ph_node_attr_int (kernel->node, "onesided", 1) != 0;
  const PhDType dtype = ph_tensor_dtype (x);
  const gint64 *shape = ph_tensor_dims (x);
  gint64 step, length, frames, bins, parts;
  g_autoptr (PhFourier) fourier = NULL;
  g_autofree PhComplex *frame = NULL;
  gconstpointer data = ph_tensor_data (x);
  gpointer y;

  if (ph_tensor_rank (x) != 3 || shape[2] < 1 || shape[2] > 2)
    return ph_kernel_fail (kernel, error, "its signal must be [batch, length, 1 or 2]");
  parts = shape[2];
  if (!input_int (kernel, 1, 1, &step, error)
      || !input_int (kernel, 3, window != NULL ? (gint64) ph_tensor_count (window) : shape[1], &length, error))
    return FALSE;
  if (step < 1 || length < 1 || length > shape[1] || (window != NULL && (gint64) ph_tensor_count (window) != length))
    return ph_kernel_fail (kernel, error, "a frame of %" G_GINT64_FORMAT " does not fit the signal or the window", length);
  frames = (shape[1] - length) / step + 1;
  bins = onesided ? length / 2 + 1 : length;
  y = ph_kernel_output (kernel, 0, dtype, 4, (gint64[]) { shape[0], frames, bins, 2 }, error);
  if (y == NULL)
    return FALSE;
  fourier = ph_fourier_new (length, -1);
  frame = g_new (PhComplex, 2 * length);
  for (gint64 f = 0; f < shape[0] * frames; f++)
    {
      const gint64 start = (f / frames) * shape[1] + (f % frames) * step;

      if (ph_kernel_cancelled (kernel, error))
        return FALSE;
      for (gint64 i = 0; i < length; i++)
        {
          const double weight = window != NULL ? ph_tensor_get (window, i) : 1;

          frame[i].re = weight * ph_dtype_load (dtype, data, (start + i) * parts);
          frame[i].im = parts == 2 ? weight * ph_dtype_load (dtype, data, (start + i) * parts + 1) : 0;
        }
      ph_fourier_run (fourier, frame, frame + length);
      for (gint64 k = 0; k < bins; k++)
        {
          const PhComplex bin = frame[length + k];

          ph_dtype_store (dtype, y, (f * bins + k) * 2, bin.re);
          ph_dtype_store (dtype, y, (f * bins + k) * 2 + 1, bin.im);
        }
    }
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_STFT = {
  .name = "STFT", .since = 17,
  .family = PH_FAMILY_LINEAR, .example = { "x[2,9,1] w[4]", "s = Constant <value = int64 {2}> () y = STFT (x, s, w)", -1, 1 },
  .doc = "Short-time Fourier transform: of each frame of a signal, perhaps windowed.",
  .inputs = { { "signal", 'T', FLOATING }, { "frame_step", 0, PH_INDICES, PH_ARG_SHAPE }, { "window", 'T', FLOATING, PH_ARG_OPTIONAL },
              { "frame_length", 0, PH_INDICES, PH_ARG_OPTIONAL | PH_ARG_SHAPE } },
  .outputs = { { "output", 'T', FLOATING } },
  .attrs = { { "onesided", PH_ATTR_INT, "1" } },
  .infer = infer_stft, .kernel = run_stft, .grad_build = ph_grad_stft, .no_grad = 1 << 1 | 1 << 3,
  .grad_text = "dsignal = the frames' conjugate transforms of dY * window, added up where they overlap; dwindow = the "
               "same, times signal, summed over the frames",
};
/* clang-format on */

/* ── windows: sums of cosines ── */

static gboolean
infer_window (PhInfer *infer, GError **error)
{
  const PhDType dtype = ph_node_attr_int (ph_infer_node_of (infer), "output_datatype", PH_FLOAT);
  const PhDim *dims;

  ph_infer_set_shape (infer, 0, dtype, 1, ph_infer_dims (infer, 0, &dims) == 1 ? dims : &PH_DIM_UNKNOWN);
  return TRUE;
}

static gboolean
run_window (PhKernel *kernel, double a, double b, double c, GError **error)
{
  const PhDType dtype = ph_node_attr_int (kernel->node, "output_datatype", PH_FLOAT);
  const gboolean periodic = ph_node_attr_int (kernel->node, "periodic", 1) != 0;
  gint64 n;
  gpointer y;

  if (!input_int (kernel, 0, 0, &n, error))
    return FALSE;
  if (n < 0 || !(ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype)))
    return ph_kernel_fail (kernel, error, "its size is negative, or output_datatype is not a number");
  y = ph_kernel_output (kernel, 0, dtype, 1, &n, error);
  for (gint64 i = 0; y != NULL && i < n; i++)
    {
      const double angle = 2 * G_PI * i / MAX (periodic ? n : n - 1, 1);

      ph_dtype_store (dtype, y, i, a - b * cos (angle) + c * cos (2 * angle));
    }
  return y != NULL;
}

static gboolean
run_hann (PhKernel *kernel, GError **error)
{
  return run_window (kernel, 0.5, 0.5, 0, error);
}

static gboolean
run_hamming (PhKernel *kernel, GError **error)
{
  return run_window (kernel, 25.0 / 46, 21.0 / 46, 0, error);
}

static gboolean
run_blackman (PhKernel *kernel, GError **error)
{
  return run_window (kernel, 0.42, 0.5, 0.08, error);
}

/* clang-format off */
#define WINDOW(kernel_)                                                                                                \
  .since = 17, .flags = PH_OP_NO_GRADIENT,                                                                             \
  .inputs = { { "size", 0, PH_INDICES, PH_ARG_SHAPE } }, .outputs = { { "output", 0, PH_NUMBERS } },                                 \
  .attrs = { { "output_datatype", PH_ATTR_INT, "1" }, { "periodic", PH_ATTR_INT, "1" } },                              \
  .infer = infer_window, .kernel = kernel_
/* clang-format on */

const PhOp ph_op_HannWindow
    = { .name = "HannWindow", .family = PH_FAMILY_CONSTANT, .doc = "A raised cosine.", WINDOW (run_hann) };
const PhOp ph_op_HammingWindow
    = { .name = "HammingWindow", .family = PH_FAMILY_CONSTANT, .doc = "A raised cosine on a pedestal.", WINDOW (run_hamming) };
const PhOp ph_op_BlackmanWindow
    = { .name = "BlackmanWindow", .family = PH_FAMILY_CONSTANT, .doc = "A sum of two cosines.", WINDOW (run_blackman) };

/* ── MelWeightMatrix ── */

static gboolean
infer_mel (PhInfer *infer, GError **error)
{
  const PhDType dtype = ph_node_attr_int (ph_infer_node_of (infer), "output_datatype", PH_FLOAT);
  PhDim dims[2] = { PH_DIM_UNKNOWN, PH_DIM_UNKNOWN };
  gint64 bins, length;

  if (ph_infer_int (infer, 1, &length) && length >= 0)
    dims[0] = PH_DIM (length / 2 + 1);
  if (ph_infer_int (infer, 0, &bins) && bins >= 0)
    dims[1] = PH_DIM (bins);
  ph_infer_set_shape (infer, 0, dtype, 2, dims);
  return TRUE;
}

static double
mel_of_hertz (double hertz)
{
  return 2595 * log10 (1 + hertz / 700);
}

static double
hertz_of_mel (double mel)
{
  return 700 * (pow (10, mel / 2595) - 1);
}

/* Triangles over the bins of a spectrogram, at equal distances on the mel scale. */
static gboolean
run_mel (PhKernel *kernel, GError **error)
{
  const PhDType dtype = ph_node_attr_int (kernel->node, "output_datatype", PH_FLOAT);
  gint64 n_mel, length, rate, rows;
  double low, high, step;
  gpointer y;

  if (!input_int (kernel, 0, 0, &n_mel, error) || !input_int (kernel, 1, 0, &length, error)
      || !input_int (kernel, 2, 0, &rate, error))
    return FALSE;
  if (ph_tensor_count (ph_kernel_input (kernel, 3)) != 1 || ph_tensor_count (ph_kernel_input (kernel, 4)) != 1)
    return ph_kernel_fail (kernel, error, "the edges in hertz must be scalars");
  if (n_mel < 0 || length < 0 || length > G_MAXINT32 || rate < 1 || !(ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype)))
    return ph_kernel_fail (kernel, error, "needs sizes that are not negative and a sample rate above 0");
  rows = length / 2 + 1;
  low = mel_of_hertz (ph_tensor_get (ph_kernel_input (kernel, 3), 0));
  high = mel_of_hertz (ph_tensor_get (ph_kernel_input (kernel, 4), 0));
  step = (high - low) / (n_mel + 2);
  y = ph_kernel_output (kernel, 0, dtype, 2, (gint64[]) { rows, n_mel }, error);
  for (gint64 i = 0; y != NULL && i < n_mel; i++)
    {
      gint64 bin[3];

      for (int k = 0; k < 3; k++)
        {
          double place = floor ((length + 1) * hertz_of_mel ((i + k) * step + low) / rate);

          bin[k] = place > 0 ? (gint64) MIN (place, rows - 1) : 0;
        }
      if (bin[0] == bin[1])
        ph_dtype_store (dtype, y, bin[1] * n_mel + i, 1);
      else
        for (gint64 j = bin[0]; j <= bin[1]; j++)
          ph_dtype_store (dtype, y, j * n_mel + i, (double) (j - bin[0]) / (bin[1] - bin[0]));
      for (gint64 j = bin[1]; j < bin[2]; j++)
        ph_dtype_store (dtype, y, j * n_mel + i, (double) (bin[2] - j) / (bin[2] - bin[1]));
    }
  return y != NULL;
}

/* clang-format off */
const PhOp ph_op_MelWeightMatrix = {
  .name = "MelWeightMatrix", .since = 17, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_CONSTANT,
  .doc = "Weights that turn a linear spectrum into a mel spectrum.",
  .inputs = { { "num_mel_bins", 0, PH_INDICES, PH_ARG_SHAPE }, { "dft_length", 0, PH_INDICES, PH_ARG_SHAPE }, { "sample_rate", 0, PH_INDICES },
              { "lower_edge_hertz", 'T', FLOATING }, { "upper_edge_hertz", 'T', FLOATING } },
  .outputs = { { "output", 0, PH_NUMBERS } },
  .attrs = { { "output_datatype", PH_ATTR_INT, "1" } },
  .infer = infer_mel, .kernel = run_mel,
};
/* clang-format on */
