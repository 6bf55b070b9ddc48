/* strangers.c: other files that users may try to open. Each is recognized by its first bytes, and the error advises what to do instead.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/flatbuffer.h"
#include "core/io/format.h"

extern const PhFormat ph_format_strangers[];
extern const guint ph_format_n_strangers;

static guint
probe_html (const guint8 *head, gsize size, const char *name)
{
  return (size >= 5 && memcmp (head, "<html", 5) == 0) || (size >= 9 && memcmp (head, "<!DOCTYPE", 9) == 0) ? 90 : 0;
}

/* Weights beside a model of OpenVINO. */
static guint
probe_bin (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *xml = g_str_has_suffix (name, ".bin") ? g_strdup_printf ("%.*s.xml", (int) strlen (name) - 4, name) : NULL;

  return xml != NULL && g_file_test (xml, G_FILE_TEST_IS_REGULAR) ? 96 : 0;
}

/* Recognises the other files in the folder of a SavedModel. */
static guint
probe_saved_part (const guint8 *head, gsize size, const char *name)
{
  return g_str_has_suffix (name, "fingerprint.pb") || g_str_has_suffix (name, "keras_metadata.pb") ? 95 : 0;
}

/* Detects ncnn: 7767517 on the first line, and the numbers of layers and blobs on the second. */
static guint
probe_ncnn (const guint8 *head, gsize size, const char *name)
{
  return size > 8 && memcmp (head, "7767517", 7) == 0 && (head[7] == '\n' || head[7] == '\r') ? 95 : 0;
}

/* Detects Core ML: a Model begins with its specificationVersion, followed by a description or one of the kinds of models. */
static guint
probe_coreml (const guint8 *head, gsize size, const char *name)
{
  return g_str_has_suffix (name, ".mlmodel") && size > 2 && head[0] == 0x08 ? 85 : 0;
}

static guint
probe_pte (const guint8 *head, gsize size, const char *name)
{
  return ph_flat_is (head, size, "ET") && g_ascii_isdigit (head[6]) && g_ascii_isdigit (head[7]) ? 95 : 0;
}

static guint
probe_ort (const guint8 *head, gsize size, const char *name)
{
  return ph_flat_is (head, size, "ORTM") ? 95 : 0;
}

/* Recognises a pickle by its protocol and the first opcodes. PyTorch's old files begin with a pickled number. */
static guint
probe_pickle (const guint8 *head, gsize size, const char *name)
{
  return size > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 ? 85 : 0;
}

/* Ranks an array low: "[" also begins a section of an INI file, and readers that recognise the elements should win. */
static guint
probe_json (const guint8 *head, gsize size, const char *name)
{
  gsize at = 0;

  while (at < size && g_ascii_isspace (head[at]))
    at++;
  if (at < size && head[at] == '{')
    return at == 0 ? 90 : 10;
  if (at == size || head[at] != '[')
    return 0;
  for (at++; at < size && g_ascii_isspace (head[at]);)
    at++;
  return at < size && (g_ascii_isdigit (head[at]) || strchr ("{[]\"-", head[at]) != NULL) ? 10 : 0;
}

static gboolean
has (const guint8 *head, gsize size, const char *text)
{
  return g_strstr_len ((const char *) head, (gssize) size, text) != NULL;
}

/* Detects a checkpoint, the variables next to a graph: an index and the values. */
static guint
probe_checkpoint (const guint8 *head, gsize size, const char *name)
{
  return name != NULL && (g_str_has_suffix (name, ".index") || strstr (name, ".data-00000-of-") != NULL) ? 85 : 0;
}

static guint
probe_lite (const guint8 *head, gsize size, const char *name)
{
  return ph_flat_is (head, size, "MSL") ? 95 : 0;
}

/* Networks of Caffe and Caffe2 as text. */
static guint
probe_caffe (const guint8 *head, gsize size, const char *name)
{
  return (has (head, size, "layer {") || has (head, size, "layers {") || has (head, size, "input_dim:"))
                 && (has (head, size, "bottom:") || has (head, size, "top:") || has (head, size, "input_dim:"))
             ? 85
             : 0;
}

static guint
probe_caffe2 (const guint8 *head, gsize size, const char *name)
{
  if (name != NULL && (g_str_has_suffix (name, "predict_net.pb") || g_str_has_suffix (name, "init_net.pb")))
    return 85;
  return ((size > 4 && memcmp (head, "op {", 4) == 0) || has (head, size, "\nop {"))
                 && (has (head, size, "\n  type:") || has (head, size, "\n  output:") || has (head, size, "\n  input:"))
             ? 85
             : 0;
}

static guint
probe_mediapipe (const guint8 *head, gsize size, const char *name)
{
  return has (head, size, "input_stream:") || has (head, size, "output_stream:") || has (head, size, "calculator:") ? 85 : 0;
}

static guint
probe_xml (const guint8 *head, gsize size, const char *name)
{
  return size >= 5 && memcmp (head, "<?xml", 5) == 0 ? 10 : 0;
}

/* clang-format off */
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
  { .name = "openvino-weights", .title = "the weights of an OpenVINO model", .probe = probe_bin, .instead = "Open the .xml beside it" },
  { .name = "ncnn", .title = "an ncnn model", .probe = probe_ncnn, .instead = "Open the ONNX model from which it was converted" },
  { .name = "coreml", .title = "a Core ML model", .probe = probe_coreml, .instead = "Open the model from which it was converted" },
  { .name = "executorch", .title = "an ExecuTorch program (.pte)", .probe = probe_pte,
    .instead = "Open the program of torch.export from which it was lowered (.pt2)" },
  { .name = "ort", .title = "an ONNX Runtime flatbuffer (.ort)", .probe = probe_ort,
    .instead = "Open the .onnx from which it was made; an optimised one is saved with session_options.optimized_model_filepath" },
  { .name = "pickle", .title = "a bare pickle, which is a program and no graph", .probe = probe_pickle,
    .instead = "Save the model with torch.jit.save, torch.export.save or torch.onnx.export" },
  { .name = "saved-model-part", .title = "a part of a SavedModel that holds no graph", .probe = probe_saved_part, .instead = "Open its folder, or saved_model.pb in it" },
  { .name = "checkpoint", .title = "the variables of a TensorFlow model", .probe = probe_checkpoint, .instead = "Open the SavedModel's folder, or the .meta beside it" },
  { .name = "mindspore-lite", .title = "a MindSpore Lite model (.ms)", .probe = probe_lite, .instead = "Open the .mindir from which it was converted" },
  { .name = "caffe", .title = "a Caffe network", .probe = probe_caffe, .instead = "Convert the network to ONNX" },
  { .name = "caffe2", .title = "a Caffe2 network", .probe = probe_caffe2, .instead = "Convert the network to ONNX" },
  { .name = "mediapipe", .title = "a MediaPipe graph, which connects programs, not operators", .probe = probe_mediapipe, .instead = "Open the model that one of them runs" },
  { .name = "lfs", .title = "a Git LFS pointer, not the model itself", .magic = "version https://git-lfs", .instead = "Run git lfs pull" },
  { .name = "html", .title = "a web page", .probe = probe_html, .instead = "The download went wrong" },
  { .name = "xml", .title = "XML, but no OpenVINO model", .probe = probe_xml, .instead = "An OpenVINO model begins with <net name=...>: openvino.save_model (model, FILE) writes one" },
  { .name = "json", .title = "JSON", .probe = probe_json, .instead = "Export the model to ONNX" },
};
/* clang-format on */
const guint ph_format_n_strangers = G_N_ELEMENTS (ph_format_strangers);
