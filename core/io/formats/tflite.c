/* tflite.c: reads TensorFlow Lite's flatbuffers. Buffers stay in the file until something reads them; the quantisation of a tensor becomes
 * attributes of the nodes that use and produce it (in0_scale, in0_zero_point, out0_scale, ...).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/flatbuffer.h"
#include "core/io/format.h"
#include "core/io/sketch.h"
#include "core/io/tflite/schema.h"
#include "core/ops/op.h"

#define MAX_DEPTH    16    /* of subgraphs in subgraphs */
#define MAX_EXPANDED 20000 /* most operators of bodies: a shared subgraph is copied for each use */

enum
{
  MODEL_VERSION,
  MODEL_CODES,
  MODEL_SUBGRAPHS,
  MODEL_DESCRIPTION,
  MODEL_BUFFERS
};
enum
{
  GRAPH_TENSORS,
  GRAPH_INPUTS,
  GRAPH_OUTPUTS,
  GRAPH_OPERATORS,
  GRAPH_NAME
};
/* clang-format off */
enum { TENSOR_SHAPE, TENSOR_TYPE, TENSOR_BUFFER, TENSOR_NAME, TENSOR_QUANTIZATION, TENSOR_VARIABLE, TENSOR_SPARSITY, TENSOR_SIGNATURE,
       TENSOR_HAS_RANK };
enum { OPERATOR_CODE, OPERATOR_INPUTS, OPERATOR_OUTPUTS, OPERATOR_OPTIONS_TYPE, OPERATOR_OPTIONS, OPERATOR_CUSTOM, OPERATOR_OPTIONS_2_TYPE = 11,
       OPERATOR_OPTIONS_2 };
enum { CODE_OLD, CODE_CUSTOM, CODE_VERSION, CODE_BUILTIN };
enum { QUANTIZATION_SCALE = 2, QUANTIZATION_ZERO_POINT, QUANTIZATION_DIMENSION = 6 };

typedef struct
{
  PhSource    *source;
  PhImporter  *importer;
  PhFlat       flat;
  gboolean     on_disk;
  PhFlatVector codes, graphs, buffers;
  GHashTable  *used, *open;      /* numbers of the subgraphs that operators hold; of those that are being read */
  guint        depth, n_expanded;
} File;
/* clang-format on */

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  return ph_flat_is (head, size, "TFL") && g_ascii_isdigit (head[7]) ? 95 : 0;
}

/* ── tensors ── */

static PhDType
dtype_of (gint64 type)
{
  static const PhDType types[] = { PH_FLOAT,    PH_FLOAT16,   PH_INT32,     PH_UINT8,        PH_INT64,     PH_STRING,
                                   PH_BOOL,     PH_INT16,     PH_COMPLEX64, PH_INT8,         PH_DOUBLE,    PH_COMPLEX128,
                                   PH_UINT64,   PH_UNDEFINED, PH_UNDEFINED, PH_UINT32,       PH_UINT16,    PH_INT4,
                                   PH_BFLOAT16, PH_INT2,      PH_UINT4,     PH_FLOAT8E4M3FN, PH_FLOAT8E5M2 };

  return type >= 0 && type < (gint64) G_N_ELEMENTS (types) ? types[type] : PH_UNDEFINED;
}

static PhFlatVector
find_data (File *file, gsize tensor)
{
  const gint64 index = ph_flat_int (file->flat, tensor, TENSOR_BUFFER, 4, 0);
  const gsize buffer = index > 0 ? ph_flat_item (file->flat, file->buffers, (guint) index) : 0;
  const guint64 offset = (guint64) ph_flat_int (file->flat, buffer, 1, 8, 0),
                size = (guint64) ph_flat_int (file->flat, buffer, 2, 8, 0);

  if (offset > 1 && size > 0 && offset <= file->flat.size && size <= file->flat.size - offset && size <= G_MAXUINT)
    return (PhFlatVector) { (gsize) offset, (guint) size };
  return ph_flat_vector (file->flat, buffer, 0, 1);
}

/* @is_constant: an empty shape is that of a scalar. */
static const PhType *
type_of (File *file, gsize tensor, gboolean is_constant)
{
  const PhDType dtype = dtype_of (ph_flat_int (file->flat, tensor, TENSOR_TYPE, 1, 0));
  PhFlatVector shape = ph_flat_vector (file->flat, tensor, TENSOR_SHAPE, 4),
               signature = ph_flat_vector (file->flat, tensor, TENSOR_SIGNATURE, 4);
  PhDim dims[PH_MAX_RANK];

  if (dtype == PH_UNDEFINED)
    return NULL;
  if (signature.n > 0 && signature.n == shape.n)
    shape = signature;
  if (shape.n > PH_MAX_RANK || (shape.n == 0 && !is_constant && ph_flat_int (file->flat, tensor, TENSOR_HAS_RANK, 1, 0) == 0))
    return ph_type_unranked (dtype);
  for (guint i = 0; i < shape.n; i++)
    {
      const gint64 size = ph_flat_load (file->flat, shape.at + 4 * i, 4);

      dims[i] = size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
    }
  return ph_type_tensor (dtype, shape.n, dims);
}

/* Reads strings: their number, the offsets at which each begins and the last ends, then the text. */
static PhTensor *
read_strings (File *file, PhFlatVector data, guint rank, const gint64 *dims, gsize count)
{
  const PhFlat inner = { file->flat.data + data.at, data.n };
  PhTensor *tensor;

  if (count > data.n / 4 || (gsize) ph_flat_load (inner, 0, 4) != count || (count + 2) * 4 > data.n)
    return NULL;
  tensor = ph_tensor_new (PH_STRING, rank, dims);
  for (gsize i = 0; tensor != NULL && i < count; i++)
    {
      const gsize from = (guint32) ph_flat_load (inner, 4 + 4 * i, 4), to = (guint32) ph_flat_load (inner, 8 + 4 * i, 4);

      if (from <= to && to <= data.n)
        {
          g_autofree char *raw = g_strndup ((const char *) inner.data + from, to - from), *text = g_utf8_make_valid (raw, -1);

          ph_tensor_set_string (tensor, i, text);
        }
    }
  return tensor;
}

static PhTensor *
read_packed (File *file, PhFlatVector data, PhDType dtype, guint rank, const gint64 *dims, gsize count)
{
  const guint bits = (guint) ph_dtype_file_bits (dtype);
  PhTensor *tensor = ph_tensor_new (dtype, rank, dims);

  for (gsize i = 0; tensor != NULL && i < count; i++)
    {
      const int value = (file->flat.data[data.at + i * bits / 8] >> (i * bits % 8)) & ((1 << bits) - 1);

      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i,
                          ph_dtype_is_signed (dtype) && value >= 1 << (bits - 1) ? value - (1 << bits) : value);
    }
  return tensor;
}

/* Returns NULL without error if tensors of this kind are not supported. */
static PhTensor *
read_tensor (File *file, gsize tensor, PhFlatVector data, const char *name, GError **error)
{
  const PhDType dtype = dtype_of (ph_flat_int (file->flat, tensor, TENSOR_TYPE, 1, 0));
  const PhFlatVector shape = ph_flat_vector (file->flat, tensor, TENSOR_SHAPE, 4);
  gint64 dims[PH_MAX_RANK];
  gsize count, bits = dtype != PH_UNDEFINED ? ph_dtype_file_bits (dtype) : 0;
  PhTensor *made;

  if (dtype == PH_UNDEFINED || ph_flat_table (file->flat, tensor, TENSOR_SPARSITY) != 0)
    return NULL;
  for (guint i = 0; i < shape.n && i < PH_MAX_RANK; i++)
    dims[i] = ph_flat_load (file->flat, shape.at + 4 * i, 4);
  if (shape.n > PH_MAX_RANK || !ph_tensor_count_elements (shape.n, dims, &count) || count > G_MAXSIZE / 128)
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "the constant '%s' has a shape that cannot be", name),
           NULL;
  if (dtype == PH_STRING)
    {
      made = read_strings (file, data, shape.n, dims, count);
      if (made == NULL)
        ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "the texts of the constant '%s' are damaged", name);
      return made;
    }
  if (data.n != (count * bits + 7) / 8)
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                           "the constant '%s' has %" G_GSIZE_FORMAT " elements of type %s, but %u bytes of "
                           "them: the file is damaged",
                           name, count, ph_dtype_name (dtype), data.n),
           NULL;
  if (bits < 8)
    return read_packed (file, data, dtype, shape.n, dims, count);
  if (file->on_disk && data.n > 256)
    return ph_tensor_new_from_file (dtype, shape.n, dims, file->source->disk, data.at, error);
  {
    g_autoptr (GBytes) bytes = g_bytes_new (file->flat.data + data.at, data.n);

    return ph_tensor_new_from_bytes (dtype, shape.n, dims, bytes);
  }
}

/* ── operators ── */

static void
add_quantization (File *file, PhSketchNode *node, gsize tensor, const char *side, guint index)
{
  const gsize quantization = ph_flat_table (file->flat, tensor, TENSOR_QUANTIZATION);
  const PhFlatVector scale = ph_flat_vector (file->flat, quantization, QUANTIZATION_SCALE, 4);
  const PhFlatVector zero = ph_flat_vector (file->flat, quantization, QUANTIZATION_ZERO_POINT, 8);
  g_autofree char *scale_name = g_strdup_printf ("%s%u_scale", side, index),
                  *zero_name = g_strdup_printf ("%s%u_zero_point", side, index);
  g_autofree char *axis_name = g_strdup_printf ("%s%u_axis", side, index);
  g_autofree float *scales = g_new (float, scale.n + 1);
  g_autofree gint64 *zeros = g_new (gint64, zero.n + 1);

  if (scale.n == 0)
    return;
  for (guint i = 0; i < scale.n; i++)
    scales[i] = ph_flat_load_float (file->flat, scale.at + 4 * i);
  for (guint i = 0; i < zero.n; i++)
    zeros[i] = ph_flat_load (file->flat, zero.at + 8 * i, 8);
  ph_sketch_node_attr (node, ph_attr_new_floats (scale_name, scales, scale.n));
  ph_sketch_node_attr (node, ph_attr_new_ints (zero_name, zeros, zero.n));
  if (scale.n > 1)
    ph_sketch_node_attr (node, ph_attr_new_int (axis_name, ph_flat_int (file->flat, quantization, QUANTIZATION_DIMENSION, 4, 0)));
}

static PhSketch *draft_graph (File *file, guint index, GError **error);

static gboolean
add_body (File *file, PhSketchNode *node, const char *name, gint64 index, GError **error)
{
  PhSketch *body;

  if (index < 0 || index >= file->graphs.n)
    return TRUE;
  g_hash_table_add (file->used, GUINT_TO_POINTER ((guint) index));
  if (file->depth >= MAX_DEPTH || file->n_expanded > MAX_EXPANDED
      || g_hash_table_contains (file->open, GUINT_TO_POINTER ((guint) index)))
    {
      ph_source_problem (file->source, "A subgraph is not shown: they are nested too deep, or one holds itself");
      return TRUE;
    }
  file->depth++;
  g_hash_table_add (file->open, GUINT_TO_POINTER ((guint) index));
  body = draft_graph (file, (guint) index, error);
  g_hash_table_remove (file->open, GUINT_TO_POINTER ((guint) index));
  file->depth--;
  if (body != NULL)
    ph_sketch_node_body (node, name, body);
  return body != NULL;
}

static const char *
enum_word (char kind, gint64 value)
{
  static const char *const paddings[] = { "SAME", "VALID" }, *const activations[] = { "NONE",  "RELU", "RELU_N1_TO_1",
                                                                                      "RELU6", "TANH", "SIGN_BIT" };
  static const char *const modes[] = { "REFLECT", "SYMMETRIC" };

  if (kind == 'p')
    return value >= 0 && value < 2 ? paddings[value] : "?";
  if (kind == 'a')
    return value >= 0 && value < 6 ? activations[value] : "?";
  if (kind == 'm')
    return value >= 0 && value < 2 ? modes[value] : "?";
  return dtype_of (value) != PH_UNDEFINED ? ph_dtype_name (dtype_of (value)) : "?";
}

static gboolean
add_option (File *file, PhSketchNode *node, gsize table, guint field, const char *name, char kind, GError **error)
{
  switch (kind)
    {
    case 'i':
    case '1':
      ph_sketch_node_attr (node, ph_attr_new_int (name, ph_flat_int (file->flat, table, field, 4, kind == '1' ? 1 : 0)));
      break;
    case 'l': ph_sketch_node_attr (node, ph_attr_new_int (name, ph_flat_int (file->flat, table, field, 8, 0))); break;
    case 'b': ph_sketch_node_attr (node, ph_attr_new_int (name, ph_flat_int (file->flat, table, field, 1, 0))); break;
    case 'f': ph_sketch_node_attr (node, ph_attr_new_float (name, ph_flat_float (file->flat, table, field, 0))); break;
    case 'p':
    case 'a':
    case 't':
    case 'm':
      ph_sketch_node_attr (node, ph_attr_new_string (name, enum_word (kind, ph_flat_int (file->flat, table, field, 1, 0))));
      break;
    case 's':
      {
        g_autofree char *text = ph_flat_string (file->flat, table, field);

        ph_sketch_node_attr (node, ph_attr_new_string (name, text));
        break;
      }
    case 'I':
    case 'L':
    case 'F':
      {
        const guint width = kind == 'L' ? 8 : 4;
        const PhFlatVector vector = ph_flat_vector (file->flat, table, field, width);
        g_autofree gint64 *ints = g_new (gint64, vector.n + 1);
        g_autofree float *floats = g_new (float, vector.n + 1);

        for (guint i = 0; i < vector.n; i++)
          {
            ints[i] = ph_flat_load (file->flat, vector.at + (gsize) width * i, width);
            floats[i] = ph_flat_load_float (file->flat, vector.at + (gsize) width * i);
          }
        ph_sketch_node_attr (node,
                             kind == 'F' ? ph_attr_new_floats (name, floats, vector.n) : ph_attr_new_ints (name, ints, vector.n));
        break;
      }
    case 'g': return add_body (file, node, name, ph_flat_int (file->flat, table, field, 4, 0), error);
    default: break;
    }
  return TRUE;
}

static gboolean
add_options (File *file, PhSketchNode *node, gsize table, const char *fields, GError **error)
{
  g_auto (GStrv) names = g_strsplit (fields, " ", -1);

  for (guint i = 0; table != 0 && names[i] != NULL; i++)
    {
      char *colon = strchr (names[i], ':');

      if (colon == NULL)
        continue;
      *colon = '\0';
      if (!add_option (file, node, table, i, names[i], colon[1], error))
        return FALSE;
    }
  return TRUE;
}

static char *
operator_name (File *file, gsize operator)
{
  const gint64 index = ph_flat_int (file->flat, operator, OPERATOR_CODE, 4, 0);
  const gsize code = index >= 0 ? ph_flat_item (file->flat, file->codes, (guint) index) : 0;
  const gint64 number = MAX (ph_flat_int (file->flat, code, CODE_BUILTIN, 4, 0), ph_flat_int (file->flat, code, CODE_OLD, 1, 0));
  g_autofree char *custom = ph_flat_string (file->flat, code, CODE_CUSTOM);

  if (code == 0)
    return NULL;
  if (number == 32 && *custom != '\0')
    return g_steal_pointer (&custom);
  return ph_tflite_operator (number) != NULL ? g_strdup (ph_tflite_operator (number))
                                             : g_strdup_printf ("BUILTIN_%" G_GINT64_FORMAT, number);
}

static gboolean
add_operator (File *file, PhSketch *draft, gsize operator, guint index, PhFlatVector tensors, const char **names, GError **error)
{
  g_autofree char *op = operator_name (file, operator);
  const PhFlatVector inputs = ph_flat_vector (file->flat, operator, OPERATOR_INPUTS, 4);
  const PhFlatVector outputs = ph_flat_vector (file->flat, operator, OPERATOR_OUTPUTS, 4);
  const PhFlatVector custom = ph_flat_vector (file->flat, operator, OPERATOR_CUSTOM, 1);
  PhSketchNode *node;

  if (op == NULL)
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                           "operator %u has a kind that the file does not list: it is damaged", index);
  node = ph_sketch_add_named_node (draft->main, op, "tflite", "");
  for (guint i = 0; i < inputs.n; i++)
    {
      const gint64 tensor = ph_flat_load (file->flat, inputs.at + 4 * i, 4);

      if (tensor >= tensors.n)
        return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                               "operator %u (%s) uses tensor %" G_GINT64_FORMAT " of %u: the file is damaged", index, op, tensor,
                               tensors.n);
      ph_sketch_node_input (node, tensor >= 0 ? names[tensor] : "");
      if (tensor >= 0)
        add_quantization (file, node, ph_flat_item (file->flat, tensors, (guint) tensor), "in", i);
    }
  for (guint i = 0; i < outputs.n; i++)
    {
      const gint64 tensor = ph_flat_load (file->flat, outputs.at + 4 * i, 4);

      if (tensor < 0 || tensor >= tensors.n)
        return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                               "operator %u (%s) makes tensor %" G_GINT64_FORMAT " of %u: the file is damaged", index, op, tensor,
                               tensors.n);
      ph_sketch_node_named_output (node, names[tensor],
                                   type_of (file, ph_flat_item (file->flat, tensors, (guint) tensor), FALSE));
      add_quantization (file, node, ph_flat_item (file->flat, tensors, (guint) tensor), "out", i);
    }
  if (custom.n > 0)
    ph_sketch_node_attr (node, ph_attr_new_int ("custom_options_bytes", custom.n));
  return add_options (file, node, ph_flat_table (file->flat, operator, OPERATOR_OPTIONS),
                      ph_tflite_options (1, (guint8) ph_flat_int (file->flat, operator, OPERATOR_OPTIONS_TYPE, 1, 0)), error)
         && add_options (file, node, ph_flat_table (file->flat, operator, OPERATOR_OPTIONS_2),
                         ph_tflite_options (2, (guint8) ph_flat_int (file->flat, operator, OPERATOR_OPTIONS_2_TYPE, 1, 0)),
                         error);
}

/* ── graphs ── */

/* Adds the tensors that are neither produced nor inputs: constants, and the state of operators. */
static gboolean
add_tensors (File *file, PhSketch *draft, PhFlatVector tensors, const guint8 *state, const char **names, GError **error)
{
  for (guint i = 0; i < tensors.n; i++)
    {
      const gsize tensor = ph_flat_item (file->flat, tensors, i);
      const PhFlatVector data = find_data (file, tensor);
      GError *reason = NULL;
      PhTensor *made = NULL;

      if (state[i] != 2) /* made already, or unused */
        continue;
      if (data.n > 0)
        made = read_tensor (file, tensor, data, names[i], &reason);
      if (reason != NULL)
        {
          g_propagate_error (error, reason);
          return FALSE;
        }
      if (made != NULL)
        {
          ph_sketch_add_named_constant (draft->main, names[i], made);
          continue;
        }
      ph_source_problem (file->source, "'%s' is made by no operator and has no elements that can be read: it became an input",
                         names[i]);
      ph_sketch_add_named_input (draft->main, names[i], type_of (file, tensor, data.n > 0));
    }
  return TRUE;
}

/* @state of each tensor: 0 unseen, 1 produced by an operator or an input, 2 used but not produced. */
static gboolean
mark (File *file, PhFlatVector list, guint n_tensors, guint8 *state, const char **names, gboolean makes, const char *what,
      GError **error)
{
  for (guint i = 0; i < list.n; i++)
    {
      const gint64 tensor = ph_flat_load (file->flat, list.at + 4 * i, 4);

      if (tensor < 0 || tensor >= n_tensors)
        {
          if (tensor == -1 && !makes)
            continue;
          return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                                 "the %s names tensor %" G_GINT64_FORMAT " of %u: the file is damaged", what, tensor, n_tensors);
        }
      if (makes && state[tensor] == 1)
        return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "tensor '%s' is made twice", names[tensor]);
      if (makes || state[tensor] == 0)
        state[tensor] = makes ? 1 : 2;
    }
  return TRUE;
}

static PhSketch *
draft_graph (File *file, guint index, GError **error)
{
  const gsize graph = ph_flat_item (file->flat, file->graphs, index);
  const PhFlatVector tensors = ph_flat_vector (file->flat, graph, GRAPH_TENSORS, 4),
                     inputs = ph_flat_vector (file->flat, graph, GRAPH_INPUTS, 4);
  const PhFlatVector outputs = ph_flat_vector (file->flat, graph, GRAPH_OUTPUTS, 4),
                     operators = ph_flat_vector (file->flat, graph, GRAPH_OPERATORS, 4);
  g_autofree char *name = ph_flat_string (file->flat, graph, GRAPH_NAME);
  g_autoptr (PhSketch) draft = ph_sketch_new_part (file->importer, *name != '\0' ? name : "main");
  g_autofree const char **names = g_new0 (const char *, tensors.n + 1);
  g_autofree guint8 *state = g_new0 (guint8, tensors.n + 1);

  file->n_expanded += operators.n;
  for (guint i = 0; i < tensors.n; i++)
    {
      g_autofree char *own = ph_flat_string (file->flat, ph_flat_item (file->flat, tensors, i), TENSOR_NAME);
      g_autofree char *made = *own == '\0' ? g_strdup_printf ("tensor_%u", i) : NULL;

      names[i] = ph_sketch_claim (draft, made != NULL ? made : own);
    }
  if (!mark (file, inputs, tensors.n, state, names, TRUE, "list of inputs", error))
    return NULL;
  for (guint i = 0; i < operators.n; i++)
    if (!mark (file, ph_flat_vector (file->flat, ph_flat_item (file->flat, operators, i), OPERATOR_OUTPUTS, 4), tensors.n, state,
               names, TRUE, "list of an operator's outputs", error))
      return NULL;
  for (guint i = 0; i < operators.n; i++)
    if (!mark (file, ph_flat_vector (file->flat, ph_flat_item (file->flat, operators, i), OPERATOR_INPUTS, 4), tensors.n, state,
               names, FALSE, "list of an operator's inputs", error))
      return NULL;
  if (!mark (file, outputs, tensors.n, state, names, FALSE, "list of outputs", error))
    return NULL;
  for (guint i = 0; i < inputs.n; i++)
    {
      const guint tensor = (guint) ph_flat_load (file->flat, inputs.at + 4 * i, 4);

      ph_sketch_add_named_input (draft->main, names[tensor], type_of (file, ph_flat_item (file->flat, tensors, tensor), FALSE));
    }
  if (!add_tensors (file, draft, tensors, state, names, error))
    return NULL;
  for (guint i = 0; i < operators.n; i++)
    if (g_cancellable_set_error_if_cancelled (file->source->cancellable, error)
        || !add_operator (file, draft, ph_flat_item (file->flat, operators, i), i, tensors, names, error))
      return NULL;
  for (guint i = 0; i < outputs.n; i++)
    {
      const gint64 tensor = ph_flat_load (file->flat, outputs.at + 4 * i, 4);

      if (tensor >= 0)
        ph_sketch_add_output (draft->main, names[tensor]);
    }
  return g_steal_pointer (&draft);
}

/* Adds subgraphs that no operator contains, which have their own signature, as functions. */
static gboolean
add_functions (File *file, GError **error)
{
  PhModel *model = file->importer->model;

  for (guint i = 1; i < MIN (file->graphs.n, 1000); i++)
    {
      g_autofree char *own = ph_flat_string (file->flat, ph_flat_item (file->flat, file->graphs, i), GRAPH_NAME);
      g_autofree char *name = g_strdup_printf ("%s_%u", *own != '\0' ? own : "subgraph", i);
      g_autoptr (PhSketch) draft = NULL;
      PhFunction *function;

      if (g_hash_table_contains (file->used, GUINT_TO_POINTER (i)))
        continue;
      draft = draft_graph (file, i, error);
      function = draft != NULL ? ph_model_add_function (model, &(PhFunctionSpec) { .name = name, .domain = "tflite" }, error)
                               : NULL;
      if (function == NULL || !ph_sketch_import (draft, function->graph, error))
        return FALSE;
    }
  return TRUE;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL), open = g_hash_table_new (NULL, NULL);
  g_autoptr (PhSketch) draft = NULL;
  PhImporter importer = { source, model };
  File file = {
    .source = source, .importer = &importer, .used = used, .open = open, .on_disk = source->disk != NULL && source->bytes == NULL
  };
  gboolean broken = FALSE;
  gsize root;
  gint64 version;

  if (bytes == NULL)
    return NULL;
  file.flat.data = g_bytes_get_data (bytes, &file.flat.size);
  file.flat.broken = &broken;
  root = ph_flat_root (file.flat);
  version = ph_flat_int (file.flat, root, MODEL_VERSION, 4, 0);
  file.codes = ph_flat_vector (file.flat, root, MODEL_CODES, 4);
  file.graphs = ph_flat_vector (file.flat, root, MODEL_SUBGRAPHS, 4);
  file.buffers = ph_flat_vector (file.flat, root, MODEL_BUFFERS, 4);
  if (root == 0 || file.graphs.n == 0)
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL,
                           "not a readable TensorFlow Lite model: it is damaged or cut short. Get it again"),
           NULL;
  if (version != 3)
    return ph_source_fail (source, error, PH_ERROR_UNSUPPORTED, NULL,
                           "it is of version %" G_GINT64_FORMAT " of TensorFlow Lite's format; 3 can be read. "
                           "Convert the model again with a current TensorFlow",
                           version),
           NULL;
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "tflite", 1);
  draft = draft_graph (&file, 0, error);
  if (draft == NULL || !ph_sketch_import (draft, model->graph, error) || !add_functions (&file, error))
    return NULL;
  if (broken)
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL,
                           "not a readable TensorFlow Lite model: a part of it lies past the end of the file, "
                           "which is damaged or cut short. Get it again"),
           NULL;
  return g_steal_pointer (&model);
}

/* clang-format off */
const PhFormat ph_format_tflite = {
  .name = "tflite", .title = "TensorFlow Lite model", .patterns = (const char *const[]) { "*.tflite", NULL }, .mime = "application/x-tflite",
  .probe = probe, .read = read_model, .dialect = &ph_dialect_tflite,
};
/* clang-format on */
