/* window.c: the geometry of sliding windows, for convolutions and pools.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/window.h"

/* Reads strides, dilations, pads and the window's size from the attributes; pads are -1 if auto_pad determines them. */
static const char *
read_attributes (PhWindow *w, const PhNode *node, guint n, const gint64 *kernel)
{
  gint64 pads[2 * PH_WINDOW_MAX];

  if (n == 0 || n > PH_WINDOW_MAX)
    return "the input must have 1 to 8 spatial dimensions";
  w->n = n;
  if (kernel != NULL)
    {
      gsize n_shape = 0;
      const gint64 *shape = ph_node_attr_ints (node, "kernel_shape", &n_shape);

      memcpy (w->kernel, kernel, n * sizeof (gint64));
      if (shape != NULL && n_shape > 0 && (n_shape != n || memcmp (shape, kernel, n * sizeof (gint64)) != 0))
        return "kernel_shape is not the shape of its weights";
    }
  else if (!ph_node_ints (node, "kernel_shape", n, 0, w->kernel))
    return "kernel_shape does not have one number for each spatial dimension";
  if (!ph_node_ints (node, "strides", n, 1, w->stride) || !ph_node_ints (node, "dilations", n, 1, w->dilation))
    return "strides and dilations must have one number for each spatial dimension";
  if (!ph_node_ints (node, "pads", 2 * n, 0, pads))
    return "pads must have two numbers for each spatial dimension";
  for (guint i = 0; i < n; i++)
    {
      w->begin[i] = pads[i];
      w->end[i] = pads[n + i];
      if (w->kernel[i] <= 0 || w->stride[i] <= 0 || w->dilation[i] <= 0)
        return "kernel_shape, strides and dilations must be above 0";
      if (w->kernel[i] > G_MAXINT32 || w->stride[i] > G_MAXINT32 || w->dilation[i] > G_MAXINT32 || ABS (w->begin[i]) > G_MAXINT32
          || ABS (w->end[i]) > G_MAXINT32)
        return "kernel_shape, strides, dilations and pads must be below 2^31";
    }
  return NULL;
}

static gboolean
auto_pad (const PhNode *node, gboolean *same, gboolean *upper)
{
  const char *how = ph_node_attr_string (node, "auto_pad", "NOTSET");

  *upper = g_str_equal (how, "SAME_UPPER");
  *same = *upper || g_str_equal (how, "SAME_LOWER");
  return *same || g_str_equal (how, "VALID");
}

static gint64
floor_div (gint64 a, gint64 b)
{
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

const char *
ph_window_init (PhWindow *w, const PhNode *node, guint n, const gint64 *in, const gint64 *kernel)
{
  gboolean same, upper, ceil_mode = ph_node_attr_int (node, "ceil_mode", 0) != 0;
  const char *wrong = read_attributes (w, node, n, kernel);

  if (wrong != NULL)
    return wrong;
  memcpy (w->in, in, n * sizeof (gint64));
  for (guint i = 0; i < n; i++)
    {
      gint64 extent = (w->kernel[i] - 1) * w->dilation[i] + 1, room;

      if (auto_pad (node, &same, &upper))
        {
          w->begin[i] = w->end[i] = 0;
          if (same)
            {
              gint64 total = ((in[i] + w->stride[i] - 1) / w->stride[i] - 1) * w->stride[i] + extent - in[i];

              total = MAX (total, 0);
              w->begin[i] = upper ? total / 2 : (total + 1) / 2;
              w->end[i] = total - w->begin[i];
            }
        }
      room = in[i] + w->begin[i] + w->end[i] - extent;
      w->out[i] = floor_div (room, w->stride[i]) + 1;
      if (ceil_mode && room >= 0)
        {
          w->out[i] = (room + w->stride[i] - 1) / w->stride[i] + 1;
          /* A window that starts in the padding at the end is dropped. */
          if ((w->out[i] - 1) * w->stride[i] >= in[i] + w->begin[i])
            w->out[i]--;
        }
      if (w->out[i] <= 0)
        return in[i] <= 0 ? "the input has no elements along a spatial dimension, where a window has no place"
                          : "the window (kernel_shape with its dilations) is larger than the padded input";
    }
  return NULL;
}

const char *
ph_window_init_transposed (PhWindow *w, const PhNode *node, guint n, const gint64 *in, const gint64 *kernel)
{
  gsize n_shape;
  const gint64 *shape = ph_node_attr_ints (node, "output_shape", &n_shape);
  gboolean same, upper, automatic = auto_pad (node, &same, &upper);
  const char *wrong = read_attributes (w, node, n, kernel);

  if (wrong != NULL)
    return wrong;
  if (!ph_node_ints (node, "output_padding", n, 0, w->output_padding))
    return "output_padding must have one number for each spatial dimension";
  if (shape != NULL && n_shape == n + 2) /* some exporters write the whole shape */
    {
      shape += 2;
      n_shape = n;
    }
  if (shape != NULL && n_shape != n)
    return "output_shape must have one number for each spatial dimension";
  memcpy (w->in, in, n * sizeof (gint64));
  for (guint i = 0; i < n; i++)
    {
      gint64 extent = (w->kernel[i] - 1) * w->dilation[i] + 1, full, total;

      if (w->output_padding[i] < 0 || w->output_padding[i] > G_MAXINT32)
        return "output_padding must not be negative";
      full = (in[i] - 1) * w->stride[i] + w->output_padding[i] + extent;
      if (shape != NULL || same)
        {
          w->out[i] = shape != NULL ? shape[i] : in[i] * w->stride[i];
          /* Excess is removed by pads; where the windows are short, the end stays empty. */
          total = MAX (full - w->out[i], 0);
          w->begin[i] = upper ? total / 2 : total - total / 2;
          w->end[i] = total - w->begin[i];
          if (full < w->out[i])
            w->output_padding[i] += w->out[i] - full;
        }
      else
        {
          if (automatic)
            w->begin[i] = w->end[i] = 0;
          w->out[i] = full - w->begin[i] - w->end[i];
        }
      if (w->out[i] <= 0)
        return "the pads take away all that there is";
    }
  return NULL;
}

/* ceil or floor of (in + pads - extent) / stride + 1 */
static PhDim
symbolic_out (const PhWindow *w, guint i, PhDim in, gboolean ceil_mode)
{
  gint64 extent = (w->kernel[i] - 1) * w->dilation[i] + 1, add = w->begin[i] + w->end[i] - extent;

  if (ceil_mode && w->stride[i] > 1)
    return PH_DIM_UNKNOWN;
  in = add >= 0 ? ph_dim_add (in, PH_DIM (add)) : ph_dim_sub (in, PH_DIM (-add));
  return ph_dim_add (ph_dim_div (in, PH_DIM (w->stride[i])), PH_DIM (1));
}

gboolean
ph_infer_window (PhInfer *infer, const PhType *input, PhDim channels, const gint64 *kernel, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  gboolean transposed = g_str_equal (node->op_type, "ConvTranspose"), same, upper, automatic = auto_pad (node, &same, &upper);
  PhDim dims[2 + PH_WINDOW_MAX];
  gint64 in[PH_WINDOW_MAX];
  const char *wrong;
  PhWindow w;
  guint n;

  if (input->rank < 3 || input->rank > 2 + PH_WINDOW_MAX)
    return ph_infer_fail (infer, error, "the input has rank %u, must be batch, channels and 1 to 8 spatial dimensions",
                          input->rank);
  n = input->rank - 2;
  for (guint i = 0; i < n; i++)
    in[i] = ph_dim_known (input->dims[2 + i]) ? input->dims[2 + i].size : G_MAXINT32;
  wrong = transposed ? ph_window_init_transposed (&w, node, n, in, kernel) : ph_window_init (&w, node, n, in, kernel);
  if (wrong != NULL)
    return ph_infer_fail (infer, error, "%s", wrong);
  dims[0] = input->dims[0];
  dims[1] = channels;
  for (guint i = 0; i < n; i++)
    {
      PhDim size = input->dims[2 + i], stride = PH_DIM (w.stride[i]);

      if (ph_dim_known (size))
        dims[2 + i] = PH_DIM (w.out[i]);
      else if (transposed && ph_node_attr (node, "output_shape") != NULL)
        dims[2 + i] = PH_DIM (w.out[i]);
      else if (same)
        dims[2 + i] = transposed         ? ph_dim_mul (size, stride)
                      : w.stride[i] == 1 ? size
                                         : ph_dim_div (ph_dim_add (size, PH_DIM (w.stride[i] - 1)), stride);
      else if (transposed)
        {
          gint64 add = (w.kernel[i] - 1) * w.dilation[i] + 1 + w.output_padding[i] - w.stride[i]
                       - (automatic ? 0 : w.begin[i] + w.end[i]);

          dims[2 + i] = ph_dim_mul (size, stride);
          dims[2 + i] = add >= 0 ? ph_dim_add (dims[2 + i], PH_DIM (add)) : ph_dim_sub (dims[2 + i], PH_DIM (-add));
        }
      else
        dims[2 + i] = symbolic_out (&w, i, size, ph_node_attr_int (node, "ceil_mode", 0) != 0);
    }
  ph_infer_set_shape (infer, 0, input->dtype, 2 + n, dims);
  return TRUE;
}
