/* strangers.c: what else people try to open. Each is known by how it begins, and the error says what to do instead.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"

extern const PhFormat ph_format_strangers[];
extern const guint ph_format_n_strangers;

static guint
probe_tflite (const guint8 *head, gsize size, const char *name)
{
  return size > 8 && memcmp (head + 4, "TFL3", 4) == 0 ? 90 : 0;
}

static guint
probe_html (const guint8 *head, gsize size, const char *name)
{
  return (size >= 5 && memcmp (head, "<html", 5) == 0) || (size >= 9 && memcmp (head, "<!DOCTYPE", 9) == 0) ? 90 : 0;
}

const PhFormat ph_format_strangers[] = {
  { .name = "png", .title = "a PNG picture", .magic = "\x89PNG" },
  { .name = "jpeg", .title = "a JPEG picture", .magic = "\xff\xd8\xff" },
  { .name = "gif", .title = "a GIF picture", .magic = "GIF8" },
  { .name = "pdf", .title = "a PDF document", .magic = "%PDF" },
  { .name = "zip", .title = "a zip archive (a PyTorch checkpoint is one)", .magic = "PK\x03\x04", .instead = "Unpack it, or export the model to ONNX" },
  { .name = "gzip", .title = "gzip-compressed", .magic = "\x1f\x8b", .instead = "Unpack it first" },
  { .name = "elf", .title = "a program", .magic = "\x7f" "ELF" },
  { .name = "npy", .title = "a NumPy array", .magic = "\x93NUMPY", .instead = "Feed it to an input, do not open it as a model" },
  { .name = "hdf5", .title = "an HDF5 file (Keras)", .magic = "\x89HDF", .instead = "Convert the model to ONNX" },
  { .name = "tflite", .title = "a TensorFlow Lite model", .probe = probe_tflite, .instead = "Convert it to ONNX" },
  { .name = "lfs", .title = "a Git LFS pointer, not the model itself", .magic = "version https://git-lfs", .instead = "Run git lfs pull" },
  { .name = "html", .title = "a web page", .probe = probe_html, .instead = "The download went wrong" },
  { .name = "json", .title = "JSON", .magic = "{", .instead = "Export the model to ONNX" },
};
const guint ph_format_n_strangers = G_N_ELEMENTS (ph_format_strangers);
