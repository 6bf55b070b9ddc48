/* tf-text.c: the messages of TensorFlow that are read, for their text form (.pbtxt).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tensorflow/tf.h"

#include <string.h>

/* clang-format off */
#define INT(name, id)      { name, id, PH_TEXT_INT, NULL }
#define BOOL(name, id)     { name, id, PH_TEXT_BOOL, NULL }
#define STRING(name, id)   { name, id, PH_TEXT_STRING, NULL }
#define ENUM(name, id)     { name, id, PH_TEXT_ENUM, NULL }
#define FLOAT(name, id)    { name, id, PH_TEXT_FLOAT, NULL }
#define DOUBLE(name, id)   { name, id, PH_TEXT_DOUBLE, NULL }
#define MESSAGE(name, id, of) { name, id, PH_TEXT_MESSAGE, &of }
/* clang-format on */

static const PhTextMessage dim = { { INT ("size", 1), STRING ("name", 2) } };
static const PhTextMessage shape = { { MESSAGE ("dim", 2, dim), BOOL ("unknown_rank", 3) } };
static const PhTextMessage tensor
    = { { ENUM ("dtype", 1), MESSAGE ("tensor_shape", 2, shape), INT ("version_number", 3), STRING ("tensor_content", 4),
          FLOAT ("float_val", 5), DOUBLE ("double_val", 6), INT ("int_val", 7), STRING ("string_val", 8),
          FLOAT ("scomplex_val", 9), INT ("int64_val", 10), BOOL ("bool_val", 11), DOUBLE ("dcomplex_val", 12),
          INT ("half_val", 13), INT ("uint32_val", 16), INT ("uint64_val", 17), STRING ("float8_val", 18) } };
static const PhTextMessage function_name = { { STRING ("name", 1) } };
static const PhTextMessage list = { { STRING ("s", 2), INT ("i", 3), FLOAT ("f", 4), BOOL ("b", 5), ENUM ("type", 6),
                                      MESSAGE ("shape", 7, shape), MESSAGE ("tensor", 8, tensor),
                                      MESSAGE ("func", 9, function_name) } };
static const PhTextMessage value = { { MESSAGE ("list", 1, list), STRING ("s", 2), INT ("i", 3), FLOAT ("f", 4), BOOL ("b", 5),
                                       ENUM ("type", 6), MESSAGE ("shape", 7, shape), MESSAGE ("tensor", 8, tensor),
                                       STRING ("placeholder", 9), MESSAGE ("func", 10, function_name) } };
static const PhTextMessage attr = { { STRING ("key", 1), MESSAGE ("value", 2, value) } };
static const PhTextMessage node = {
  { STRING ("name", 1), STRING ("op", 2), STRING ("input", 3), STRING ("device", 4), MESSAGE ("attr", 5, attr) }, PH_TF_LINE
};
static const PhTextMessage argument = { { STRING ("name", 1), ENUM ("type", 3), STRING ("type_attr", 4),
                                          STRING ("number_attr", 5), STRING ("type_list_attr", 6) } };
static const PhTextMessage op = { { STRING ("name", 1), MESSAGE ("input_arg", 2, argument),
                                    MESSAGE ("output_arg", 3, argument) } };
static const PhTextMessage pair = { { STRING ("key", 1), STRING ("value", 2) } };
static const PhTextMessage function = { { MESSAGE ("signature", 1, op), MESSAGE ("node_def", 3, node), MESSAGE ("ret", 4, pair),
                                          MESSAGE ("attr", 5, attr) } };
static const PhTextMessage library = { { MESSAGE ("function", 1, function) } };
static const PhTextMessage versions = { { INT ("producer", 1), INT ("min_consumer", 2) } };
static const PhTextMessage graph = { { MESSAGE ("node", 1, node), MESSAGE ("library", 2, library),
                                       MESSAGE ("versions", 4, versions) } };
static const PhTextMessage op_list = { { MESSAGE ("op", 1, op) } };
static const PhTextMessage meta_info = { { STRING ("meta_graph_version", 1), MESSAGE ("stripped_op_list", 2, op_list),
                                           STRING ("tags", 4), STRING ("tensorflow_version", 5) } };
static const PhTextMessage tensor_info = { { STRING ("name", 1), ENUM ("dtype", 2), MESSAGE ("tensor_shape", 3, shape) } };
static const PhTextMessage named_info = { { STRING ("key", 1), MESSAGE ("value", 2, tensor_info) } };
static const PhTextMessage signature = { { MESSAGE ("inputs", 1, named_info), MESSAGE ("outputs", 2, named_info),
                                           STRING ("method_name", 3) } };
static const PhTextMessage named_signature = { { STRING ("key", 1), MESSAGE ("value", 2, signature) } };
static const PhTextMessage meta_graph = { { MESSAGE ("meta_info_def", 1, meta_info), MESSAGE ("graph_def", 2, graph),
                                            MESSAGE ("signature_def", 5, named_signature) } };
static const PhTextMessage saved_model = { { INT ("saved_model_schema_version", 1), MESSAGE ("meta_graphs", 2, meta_graph) } };

/* Returns the number of a word of DataType. */
static gint64
number_of (const char *word)
{
  /* clang-format off */
  static const char *const names[] = {
    "INVALID", "FLOAT", "DOUBLE", "INT32", "UINT8", "INT16", "INT8", "STRING", "COMPLEX64", "INT64", "BOOL", "QINT8", "QUINT8",
    "QINT32", "BFLOAT16", "QINT16", "QUINT16", "UINT16", "COMPLEX128", "HALF", "RESOURCE", "VARIANT", "UINT32", "UINT64",
    "FLOAT8_E5M2", "FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ", "FLOAT8_E4M3B11FNUZ", "FLOAT8_E5M2FNUZ", "INT4", "UINT4", "INT2", "UINT2"
  };
  /* clang-format on */
  const gboolean ref = g_str_has_suffix (word, "_REF");

  if (!g_str_has_prefix (word, "DT_"))
    return -1;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strncmp (word + 3, names[i], strlen (names[i])) == 0 && strlen (word) == 3 + strlen (names[i]) + (ref ? 4 : 0))
      return i + (ref ? 100 : 0);
  return -1;
}

GBytes *
ph_tf_from_text (PhSource *source, GBytes *bytes, const char *name, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  g_autofree char *start = g_strndup (text, MIN (size, 4096));
  const PhTextMessage *message = strstr (start, "meta_graphs") != NULL                                            ? &saved_model
                                 : strstr (start, "meta_info_def") != NULL || strstr (start, "graph_def") != NULL ? &meta_graph
                                                                                                                  : &graph;
  GByteArray *out;
  guint line, column;
  const char *why;

  out = ph_wire_from_text (text, size, message, number_of, &line, &column, &why);
  if (out != NULL)
    return g_byte_array_free_to_bytes (out);
  ph_source_mark (source, text, line, column);
  ph_source_fail (source, error, PH_ERROR_FILE, text, "not a readable TensorFlow graph: %s", why);
  return NULL;
}
