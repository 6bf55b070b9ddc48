/* window.h: the geometry of sliding windows: convolutions and pools share it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

#define PH_WINDOW_MAX 8 /* spatial dimensions */

typedef struct
{
  guint n; /* spatial dimensions                                  */
  gint64 in[PH_WINDOW_MAX], out[PH_WINDOW_MAX];
  gint64 kernel[PH_WINDOW_MAX], stride[PH_WINDOW_MAX], dilation[PH_WINDOW_MAX];
  gint64 begin[PH_WINDOW_MAX], end[PH_WINDOW_MAX]; /* pads, after auto_pad                                */
  gint64 output_padding[PH_WINDOW_MAX];            /* of transposed convolutions                          */
} PhWindow;

/* Reads strides, dilations, pads, auto_pad (and ceil_mode) of @node; @in: the spatial sizes, @kernel: the window's, or NULL
 * for attribute kernel_shape. Returns NULL, or what is wrong. */
const char *ph_window_init (PhWindow *window, const PhNode *node, guint n, const gint64 *in, const gint64 *kernel);
/* The same for a transposed convolution. */
const char *ph_window_init_transposed (PhWindow *window, const PhNode *node, guint n, const gint64 *in, const gint64 *kernel);
/* Sets output 0 to (batch, channels, spatial), symbolically where sizes are symbols. @kernel as above. */
gboolean ph_infer_window (PhInfer *infer, const PhType *input, PhDim channels, const gint64 *kernel, GError **error);
static inline gint64
ph_window_kernel_count (const PhWindow *window)
{
  return ph_dims_product (window->kernel, 0, window->n);
}

G_END_DECLS
