/* image.c: ImageDecoder.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <openjpeg.h>
#include <webp/decode.h>

#define MAX_PIXELS (G_GINT64_CONSTANT (1) << 28) /* a small file may declare a huge size */

/* Rows of 3 or 4 bytes a pixel, red first. */
typedef struct
{
  gint64 width, height, stride, channels;
  const guint8 *pixels;
} Picture;

static void
limit_size (GdkPixbufLoader *loader, int width, int height, gpointer data)
{
  if ((gint64) width * height > MAX_PIXELS)
    {
      *(gboolean *) data = TRUE;
      gdk_pixbuf_loader_set_size (loader, 1, 1);
    }
}

/* ── JPEG 2000, from memory ── */

typedef struct
{
  const guint8 *data;
  gsize size, at;
} Stream;

static OPJ_SIZE_T
read_stream (void *buffer, OPJ_SIZE_T n, void *data)
{
  Stream *stream = data;

  n = MIN (n, stream->size - stream->at);
  if (n == 0)
    return (OPJ_SIZE_T) -1;
  memcpy (buffer, stream->data + stream->at, n);
  stream->at += n;
  return n;
}

static OPJ_BOOL
seek_stream (OPJ_OFF_T at, void *data)
{
  Stream *stream = data;

  if (at < 0 || (gsize) at > stream->size)
    return OPJ_FALSE;
  stream->at = (gsize) at;
  return OPJ_TRUE;
}

static OPJ_OFF_T
skip_stream (OPJ_OFF_T n, void *data)
{
  return seek_stream ((OPJ_OFF_T) ((Stream *) data)->at + n, data) ? n : -1;
}

static gboolean
is_jpeg2000 (const guint8 *data, gsize size, OPJ_CODEC_FORMAT *format)
{
  static const guint8 box[] = { 0, 0, 0, 12, 'j', 'P', ' ', ' ' }, bare[] = { 0xff, 0x4f, 0xff, 0x51 };

  *format = size > sizeof box && memcmp (data, box, sizeof box) == 0 ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K;
  return *format == OPJ_CODEC_JP2 || (size > sizeof bare && memcmp (data, bare, sizeof bare) == 0);
}

/* All channels have 8 bits and equal sizes. */
static gboolean
is_plain (const opj_image_t *image)
{
  if ((image->numcomps != 1 && image->numcomps < 3) || (gint64) image->comps[0].w * image->comps[0].h > MAX_PIXELS)
    return FALSE;
  for (guint c = 0; c < MIN (image->numcomps, 3); c++)
    if (image->comps[c].w != image->comps[0].w || image->comps[c].h != image->comps[0].h || image->comps[c].prec != 8
        || image->comps[c].sgnd)
      return FALSE;
  return TRUE;
}

/* Returns the pixels, three bytes each. (transfer full) (nullable) */
static guint8 *
load_jpeg2000 (const guint8 *data, gsize size, OPJ_CODEC_FORMAT format, Picture *picture)
{
  Stream bytes = { data, size, 0 };
  opj_codec_t *codec = opj_create_decompress (format);
  opj_stream_t *stream = opj_stream_create (1 << 16, OPJ_TRUE);
  opj_dparameters_t parameters;
  opj_image_t *image = NULL;
  guint8 *pixels = NULL;

  opj_set_default_decoder_parameters (&parameters);
  opj_stream_set_read_function (stream, read_stream);
  opj_stream_set_skip_function (stream, skip_stream);
  opj_stream_set_seek_function (stream, seek_stream);
  opj_stream_set_user_data (stream, &bytes, NULL);
  opj_stream_set_user_data_length (stream, size);
  if (opj_setup_decoder (codec, &parameters) && opj_read_header (stream, codec, &image) && is_plain (image)
      && opj_decode (codec, stream, image) && opj_end_decompress (codec, stream) && is_plain (image)
      && image->comps[0].data != NULL)
    {
      const gsize n = (gsize) image->comps[0].w * image->comps[0].h;

      *picture = (Picture) { image->comps[0].w, image->comps[0].h, 3 * (gint64) image->comps[0].w, 3, NULL };
      pixels = g_try_malloc (3 * n + 1);
      for (gsize i = 0; pixels != NULL && i < 3 * n; i++)
        {
          const OPJ_INT32 *channel = image->comps[image->numcomps == 1 ? 0 : i % 3].data;

          pixels[i] = channel != NULL ? (guint8) CLAMP (channel[i / 3], 0, 255) : 0;
        }
      picture->pixels = pixels;
    }
  if (image != NULL)
    opj_image_destroy (image);
  opj_stream_destroy (stream);
  opj_destroy_codec (codec);
  return pixels;
}

static GdkPixbuf *
load (const guint8 *data, gsize size, char **problem)
{
  g_autoptr (GdkPixbufLoader) loader = gdk_pixbuf_loader_new ();
  g_autoptr (GError) error = NULL;
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
  if (format == 'G') /* the weights of ITU-R 601, in 16 bits */
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
      convert_pixel (picture->pixels + y * picture->stride + x * picture->channels, format,
                     to + (y * picture->width + x) * channels);
  return to != NULL;
}

static gboolean
run_image_decoder (PhKernel *kernel, GError **error)
{
  PhTensor *stream = ph_kernel_input (kernel, 0);
  const char *name = ph_node_attr_string (kernel->node, "pixel_format", "RGB");
  const guint8 *data = ph_tensor_data (stream);
  const gsize size = ph_tensor_count (stream);
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  g_autofree char *problem = NULL;
  OPJ_CODEC_FORMAT jpeg2000;
  int width, height;

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
  if (is_jpeg2000 (data, size, &jpeg2000))
    {
      Picture picture;
      g_autofree guint8 *pixels = load_jpeg2000 (data, size, jpeg2000, &picture);

      return pixels != NULL ? give (kernel, &picture, *name, error)
                            : ph_kernel_fail (kernel, error, "the picture is damaged, or not of 8 bits a channel");
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

/* clang-format off */
const PhOp ph_op_ImageDecoder = {
  .name = "ImageDecoder", .since = 20, .flags = PH_OP_NO_GRADIENT,
  .family = PH_FAMILY_MOVEMENT,
  .doc = "The pixels of a picture in a file format: what GdkPixbuf reads (PNG, JPEG, BMP, PNM, TIFF, ...), WebP and JPEG 2000.",
  .inputs = { { "encoded_stream", 0, PH_T (UINT8) } }, .outputs = { { "image", 0, PH_T (UINT8) } },
  .attrs = { { "pixel_format", PH_ATTR_STRING, "\"RGB\"", .words = "RGB|BGR|Grayscale" } },
  .infer = infer_image_decoder, .kernel = run_image_decoder,
};
/* clang-format on */
