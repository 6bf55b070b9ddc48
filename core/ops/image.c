/* image.c: ImageDecoder.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <webp/decode.h>

#define MAX_PIXELS (G_GINT64_CONSTANT (1) << 28)      /* a small file may claim to be any size */

/* Rows of 3 or 4 bytes a pixel, red first. */
typedef struct { gint64 width, height, stride, channels; const guint8 *pixels; } Picture;

static void
limit_size (GdkPixbufLoader *loader, int width, int height, gpointer data)
{
  if ((gint64) width * height > MAX_PIXELS)
    {
      *(gboolean *) data = TRUE;
      gdk_pixbuf_loader_set_size (loader, 1, 1);
    }
}

static GdkPixbuf *
load (const guint8 *data, gsize size, char **problem)
{
  g_autoptr(GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  g_autoptr(GError) error = NULL;
  gboolean too_large = FALSE, written;
  GdkPixbuf *pixbuf;

  g_signal_connect (loader, "size-prepared", G_CALLBACK (limit_size), &too_large);
  written = gdk_pixbuf_loader_write (loader, data, size, &error);
  if (!gdk_pixbuf_loader_close (loader, written ? &error : NULL) || !written || too_large)
    {
      *problem = g_strdup (too_large ? "it has too many pixels" : error != NULL ? error->message : "it cannot be read");
      return NULL;
    }
  pixbuf = gdk_pixbuf_loader_get_pixbuf (loader);
  if (pixbuf == NULL || gdk_pixbuf_get_bits_per_sample (pixbuf) != 8)
    {
      *problem = g_strdup ("there is no picture of 8 bits in it");
      return NULL;
    }
  return g_object_ref (pixbuf);
}

static void
convert_pixel (const guint8 *rgb, char format, guint8 *to)
{
  if (format == 'G')         /* the weights of ITU-R 601, in 16 bits */
    *to = (guint8) ((rgb[0] * 19595u + rgb[1] * 38470u + rgb[2] * 7471u + 0x8000) >> 16);
  else
    for (guint i = 0; i < 3; i++)
      to[i] = rgb[format == 'B' ? 2 - i : i];
}

static gboolean
give (PhKernel *kernel, const Picture *picture, char format, GError **error)
{
  const gint64 channels = format == 'G' ? 1 : 3;
  guint8 *to = ph_kernel_output (kernel, 0, PH_UINT8, 3, (gint64[]) { picture->height, picture->width, channels }, error);

  for (gint64 y = 0; to != NULL && y < picture->height; y++)
    for (gint64 x = 0; x < picture->width; x++)
      convert_pixel (picture->pixels + y * picture->stride + x * picture->channels, format, to + (y * picture->width + x) * channels);
  return to != NULL;
}

static gboolean
run_image_decoder (PhKernel *kernel, GError **error)
{
  PhTensor *stream = ph_kernel_input (kernel, 0);
  const char *name = ph_node_attr_string (kernel->node, "pixel_format", "RGB");
  const guint8 *data = ph_tensor_data (stream);
  const gsize size = ph_tensor_count (stream);
  g_autoptr(GdkPixbuf) pixbuf = NULL;
  g_autofree char *problem = NULL;
  int width, height;

  if (!g_str_equal (name, "RGB") && !g_str_equal (name, "BGR") && !g_str_equal (name, "Grayscale"))
    return ph_kernel_fail (kernel, error, "pixel_format is '%s', must be RGB, BGR or Grayscale", name);
  if (data == NULL || size == 0)
    return ph_kernel_fail (kernel, error, "the picture is empty");
  if (WebPGetInfo (data, size, &width, &height) && (gint64) width * height <= MAX_PIXELS)
    {
      guint8 *pixels = WebPDecodeRGB (data, size, &width, &height);
      Picture picture = { width, height, 3 * (gint64) width, 3, pixels };
      gboolean ok = pixels != NULL && give (kernel, &picture, *name, error);

      WebPFree (pixels);
      return ok || pixels != NULL || ph_kernel_fail (kernel, error, "the picture is damaged");
    }
  pixbuf = load (data, size, &problem);
  if (pixbuf == NULL)
    return ph_kernel_fail (kernel, error, "the picture: %s", problem);

  Picture picture = { gdk_pixbuf_get_width (pixbuf), gdk_pixbuf_get_height (pixbuf), gdk_pixbuf_get_rowstride (pixbuf),
                      gdk_pixbuf_get_n_channels (pixbuf), gdk_pixbuf_read_pixels (pixbuf) };

  return give (kernel, &picture, *name, error);
}

static gboolean
infer_image_decoder (PhInfer *infer, GError **error)
{
  const char *name = ph_node_attr_string (ph_infer_node_of (infer), "pixel_format", "RGB");

  ph_infer_set_shape (infer, 0, PH_UINT8, 3,
                      (PhDim[]) { PH_DIM_UNKNOWN, PH_DIM_UNKNOWN, PH_DIM (g_str_equal (name, "Grayscale") ? 1 : 3) });
  return TRUE;
}

const PhOp ph_op_ImageDecoder = {
  .name = "ImageDecoder", .since = 20, .flags = PH_OP_NO_GRADIENT,
  .doc = "The pixels of a picture in a file format: what GdkPixbuf reads (PNG, JPEG, BMP, PNM, TIFF, ...) and WebP.",
  .inputs = { { "encoded_stream", 0, PH_T (UINT8) } }, .outputs = { { "image", 0, PH_T (UINT8) } },
  .attrs = { { "pixel_format", PH_ATTR_STRING, "\"RGB\"" } },
  .infer = infer_image_decoder, .kernel = run_image_decoder,
};
