/* tf-sketch.c: TensorFlow's nodes as nodes of a model. Placeholders become inputs, Const constants; functions that an operator takes as
 * attributes become its bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/tensorflow/tf.h"

#include <string.h>

#define MAX_DEPTH    32    /* of bodies in bodies                                        */
#define MAX_EXPANDED 20000 /* most nodes of bodies: a shared function is copied for each use */

typedef struct
{
  PhTfFile *file;
  PhTfGraph *graph;
  PhSketch *draft;
  GHashTable *names;
  guint depth;
} Making; /* node -> its outputs' names */

/* ── types ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
is_one_of (const char *op, const char *const *list)
{
  return g_strv_contains (list, op);
}

static gboolean
type_attr (const PhTfNode *node, const char *name, guint index, guint64 *dtype)
{
  PhSpan value;

  if (!ph_tf_node_attr (node, name, &value))
    return FALSE;
  *dtype = ph_wire_number (value, 6, 0);
  if (*dtype != 0)
    return TRUE;
  {
    g_autoptr (GArray) types = ph_wire_numbers (ph_wire_message (value, 1), 6, PH_WIRE_VARINT);

    if (index < types->len)
      *dtype = g_array_index (types, guint64, index);
    return index < types->len;
  }
}

enum
{
  TF_FLOAT = 1,
  TF_INT32 = 3,
  TF_COMPLEX64 = 8,
  TF_INT64 = 9,
  TF_BOOL = 10
};

/* Returns the element type of output @index according to the attributes, or 0 if unknown. */
static guint64
output_dtype (const PhTfNode *node, guint index)
{
  /* clang-format off */
  static const char *const logical[] = {
    "Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual", "LogicalAnd", "LogicalOr", "LogicalNot", "IsNan",
    "IsInf", "IsFinite", "All", "Any", "LoopCond", "VarIsInitializedOp", "IsVariableInitialized", NULL
  };
  /* clang-format on */
  static const char *const floats[] = { "ResizeBilinear", "ResizeBicubic", "CropAndResize", "NonMaxSuppressionV3", NULL };
  static const char *const handles[] = { "VarHandleOp",
                                         "HashTableV2",
                                         "MutableHashTableV2",
                                         "IteratorV2",
                                         "TensorArrayV3",
                                         "MergeV2Checkpoints",
                                         "SaveV2",
                                         "NoOp",
                                         "Assert",
                                         "RestoreV2",
                                         "ParseExample",
                                         "ParseExampleV2",
                                         "ParseSingleExample",
                                         "DecodeRaw",
                                         "StringToNumber",
                                         "TensorArrayWriteV3",
                                         "TensorArrayScatterV3",
                                         "TensorArraySplitV3",
                                         NULL };
  static const char *const named[] = { "DstT",         "output_type",     "out_type", "output_types", "Tout", "dtype",
                                       "output_dtype", "component_types", "type",     "Tparams",      NULL };
  static const char *const parts[] = { "Real", "Imag", "ComplexAbs", "Angle", NULL };
  static const char *const elements[] = { "TensorListGetItem",  "TensorListStack",   "TensorListGather",
                                          "TensorListConcatV2", "TensorListPopBack", NULL };
  guint64 dtype = 0;

  if (is_one_of (node->op, elements) && (strcmp (node->op, "TensorListPopBack") == 0) == (index == 1))
    return type_attr (node, "element_dtype", 0, &dtype) ? dtype : 0;
  if (strcmp (node->op, "TensorListLength") == 0 || strcmp (node->op, "TensorArraySizeV3") == 0)
    return TF_INT32;
  if (strstr (node->op, "FFT") != NULL && g_str_has_prefix (node->op, "IRFFT"))
    return type_attr (node, "Treal", 0, &dtype) ? dtype : TF_FLOAT;
  if (strstr (node->op, "FFT") != NULL)
    return type_attr (node, "Tcomplex", 0, &dtype) ? dtype : TF_COMPLEX64;
  if (is_one_of (node->op, parts) || strcmp (node->op, "Complex") == 0)
    return type_attr (node, "Tout", 0, &dtype) ? dtype : is_one_of (node->op, parts) ? TF_FLOAT : TF_COMPLEX64;
  if (is_one_of (node->op, logical))
    return TF_BOOL;
  if (is_one_of (node->op, floats))
    return strcmp (node->op, "NonMaxSuppressionV3") == 0 ? TF_INT32 : TF_FLOAT;
  if (is_one_of (node->op, handles))
    return 0;
  if ((strcmp (node->op, "TopKV2") == 0 || strcmp (node->op, "TopK") == 0 || strcmp (node->op, "Merge") == 0) && index == 1)
    return TF_INT32;
  if (strcmp (node->op, "Where") == 0)
    return TF_INT64;
  if (g_str_has_prefix (node->op, "FusedBatchNorm") && index > 0)
    return type_attr (node, "U", 0, &dtype) ? dtype : TF_FLOAT;
  if (g_str_has_prefix (node->op, "Unique") && index > 0)
    return type_attr (node, "out_idx", 0, &dtype) ? dtype : TF_INT32;
  for (guint i = 0; named[i] != NULL; i++)
    if (type_attr (node, named[i], index, &dtype))
      return dtype;
  if (strcmp (node->op, "Shape") == 0 || strcmp (node->op, "ShapeN") == 0 || strcmp (node->op, "Size") == 0
      || strcmp (node->op, "Rank") == 0)
    return TF_INT32;
  if (g_str_has_prefix (node->op, "Arg"))
    return TF_INT64;
  if (type_attr (node, "T", index, &dtype) || type_attr (node, "Tidx", index, &dtype))
    return dtype;
  return 0;
}

/* Finds the shape of output @index in "_output_shapes". */
static gboolean
output_shape (const PhTfNode *node, guint index, PhSpan *shape)
{
  PhSpan value;
  guint i = 0;

  if (!ph_tf_node_attr (node, "_output_shapes", &value))
    return FALSE;
  PH_WIRE_FOREACH (field, ph_wire_message (value, 1))
    if (field.id == 7 && field.type == PH_WIRE_BYTES && i++ == index)
      {
        *shape = field.span;
        return TRUE;
      }
  return FALSE;
}

/* Finds the shape that a signature declares for the value it feeds. */
static gboolean
fed_shape (const PhTfNode *node, guint index, PhSpan *shape)
{
  PhSpan info, value;
  PhWireField field;

  if (!ph_tf_node_attr (node, "_fed", &info)
      || index != (ph_tf_node_attr (node, "fed", &value) ? ph_wire_number (value, 3, 0) : 0) || !ph_wire_find (info, 3, &field)
      || field.type != PH_WIRE_BYTES || field.span.size == 0 || ph_wire_number (field.span, 3, 0) != 0)
    return FALSE;
  *shape = field.span;
  return TRUE;
}

static const PhType *
output_type (const PhTfNode *node, guint index)
{
  PhSpan shape = { 0 }, value;
  gboolean has_shape = output_shape (node, index, &shape);
  const gboolean unknown = has_shape && ph_wire_number (shape, 3, 0) != 0;

  if ((!has_shape || unknown || ph_wire_message (shape, 2).size == 0) && g_str_has_prefix (node->op, "Placeholder")
      && ph_tf_node_attr (node, "shape", &value))
    {
      PhWireField field;

      /* By the operator's definition, no dimensions mean any shape. */
      has_shape = ph_wire_find (value, 7, &field) && field.type == PH_WIRE_BYTES && ph_wire_message (field.span, 2).size > 0;
      shape = has_shape ? field.span : shape;
    }
  if (!has_shape || ph_wire_number (shape, 3, 0) != 0)
    has_shape = fed_shape (node, index, &shape);
  if (strcmp (node->op, "_Arg") == 0 && ph_tf_node_attr (node, "ArgDef", &value))
    return ph_tf_type (ph_wire_number (value, 3, 0), shape, has_shape);
  return ph_tf_type (output_dtype (node, index), shape, has_shape);
}

/* ── attributes ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static char *
shape_text (PhSpan shape)
{
  const PhType *type = ph_tf_type (TF_FLOAT, shape, TRUE);
  g_autofree char *text = ph_type_to_string (type);

  return g_strdup (type->has_rank ? text + strlen ("float") : "unknown rank");
}

static GBytes *
valid_bytes (PhSpan span)
{
  return g_bytes_new (span.data, span.size);
}

static PhAttr *
list_attr (const char *name, PhSpan list)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GArray) numbers = NULL;
  PhWireField first;
  gsize at = 0;

  if (!ph_wire_next (list, &at, &first))
    return ph_attr_new_ints (name, NULL, 0);
  if (first.id == 3 || first.id == 5)
    {
      numbers = ph_wire_numbers (list, first.id, PH_WIRE_VARINT);
      return ph_attr_new_ints (name, (const gint64 *) numbers->data, numbers->len);
    }
  if (first.id == 4)
    {
      g_autoptr (GArray) floats = g_array_new (FALSE, FALSE, sizeof (float));

      numbers = ph_wire_numbers (list, 4, PH_WIRE_FIXED32);
      for (guint i = 0; i < numbers->len; i++)
        {
          const float value = ph_float_of_bits (g_array_index (numbers, guint64, i));

          g_array_append_val (floats, value);
        }
      return ph_attr_new_floats (name, (const float *) floats->data, floats->len);
    }
  if (first.id == 6)
    {
      numbers = ph_wire_numbers (list, 6, PH_WIRE_VARINT);
      for (guint i = 0; i < numbers->len; i++)
        {
          const char *type = ph_tf_dtype_name (g_array_index (numbers, guint64, i));

          g_ptr_array_add (texts, g_bytes_new_static (type, strlen (type)));
        }
    }
  else
    PH_WIRE_FOREACH (field, list)
      if (field.type == PH_WIRE_BYTES && field.id == first.id)
        {
          g_autofree char *text = field.id == 7 ? shape_text (field.span) : field.id == 9 ? ph_wire_string (field.span, 1) : NULL;

          if (field.id == 8)
            continue;
          g_ptr_array_add (texts, text != NULL ? g_bytes_new (text, strlen (text)) : valid_bytes (field.span));
        }
  return ph_attr_new_strings (name, (GBytes *const *) texts->pdata, texts->len);
}

/* (nullable): of a kind that is not kept. */
static PhAttr *
new_attr (PhTfFile *file, const char *name, PhSpan value)
{
  PhWireField field;
  gsize at = 0;

  if (!ph_wire_next (value, &at, &field))
    return NULL;
  switch (field.id)
    {
    case 1: return list_attr (name, field.span);
    case 2:
      {
        g_autoptr (GBytes) bytes = valid_bytes (field.span);

        return ph_attr_new_bytes (name, PH_ATTR_STRING, bytes);
      }
    case 3: return ph_attr_new_int (name, (gint64) field.number);
    case 4: return ph_attr_new_float (name, ph_float_of_bits (field.number));
    case 5: return ph_attr_new_int (name, field.number != 0);
    case 6: return ph_attr_new_string (name, ph_tf_dtype_name (field.number));
    case 7:
      {
        g_autofree char *text = shape_text (field.span);

        return ph_attr_new_string (name, text);
      }
    case 8:
      {
        g_autoptr (PhTensor) tensor = ph_tf_tensor (file, field.span, name, NULL);

        return tensor != NULL ? ph_attr_new_tensor (name, tensor) : NULL;
      }
    case 9:
    case 10:
      {
        g_autofree char *raw = field.id == 9 ? ph_span_to_string (field.span) : ph_wire_string (field.span, 1);
        g_autofree char *text = g_utf8_make_valid (raw, -1);

        return ph_attr_new_string (name, text);
      }
    default: return NULL;
    }
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char **
names_of (Making *making, const PhTfNode *node)
{
  const char **names = g_hash_table_lookup (making->names, node);

  if (names != NULL)
    return names;
  names = g_new (const char *, node->n_outputs);
  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_autofree char *name = i == 0 ? g_strdup (node->name) : g_strdup_printf ("%s:%u", node->name, i);

      names[i] = ph_sketch_claim (making->draft, name);
    }
  g_hash_table_insert (making->names, (gpointer) node, names);
  return names;
}

/* Returns TRUE for a node that computes its value: not a constant or an input. */
static gboolean
runs (const PhTfNode *node)
{
  static const char *const still[] = { "_Arg", "Placeholder", "PlaceholderV2", "Const", NULL };

  return !node->gone && !is_one_of (node->op, still);
}

static gboolean
add_body (Making *making, PhSketchNode *draft, const PhTfNode *node, const char *attr, PhSpan function, GError **error)
{
  g_autoptr (PhTfGraph) graph = NULL;
  PhSketch *body;

  if (making->depth >= MAX_DEPTH || making->file->n_expanded > MAX_EXPANDED
      || g_hash_table_contains (making->file->open, function.data))
    {
      ph_source_problem (making->file->source,
                         "What '%s' of '%s' holds is not shown: functions are nested too deep, or one holds itself", attr,
                         node->name);
      return TRUE;
    }
  graph = ph_tf_parse_function (making->file, function, error);
  if (graph == NULL)
    return FALSE;
  ph_tf_structure (making->file, graph);
  making->file->n_expanded += graph->nodes->len;
  g_hash_table_add (making->file->open, (gpointer) function.data);
  body = ph_tf_sketch (making->file, graph, making->depth + 1, error);
  g_hash_table_remove (making->file->open, function.data);
  if (body == NULL)
    return FALSE;
  ph_sketch_node_body (draft, attr, body);
  return TRUE;
}

/* @function: (nullable) (out) which the node calls. */
static const char *
called_function (Making *making, const PhTfNode *node)
{
  static const char *const calls[] = { "PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall", "RemoteCall", NULL };
  PhSpan value;

  if (g_hash_table_contains (making->file->functions, node->op))
    return node->op;
  if (is_one_of (node->op, calls) && ph_tf_node_attr (node, "f", &value))
    {
      g_autofree char *raw = ph_wire_string (ph_wire_message (value, 10), 1), *name = g_utf8_make_valid (raw, -1);

      if (g_hash_table_contains (making->file->functions, ph_intern (name)))
        return ph_intern (name);
    }
  return NULL;
}

static guint
count_returns (PhSpan function)
{
  guint n = 0;

  PH_WIRE_FOREACH (field, ph_wire_message (function, 1))
    n += field.id == 3 ? 1 : 0;
  return n;
}

static gboolean
add_attrs (Making *making, PhSketchNode *draft, const PhTfNode *node, gboolean calls, GError **error)
{
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhTfAttr *attr = &g_array_index (node->attrs, PhTfAttr, i);
      const PhSpan named = ph_wire_message (attr->value, 10);
      PhAttr *made;

      if (strcmp (attr->name, "_output_shapes") == 0 || strcmp (attr->name, "_fed") == 0
          || (node->module != NULL && strcmp (attr->name, "module") == 0))
        continue;
      if (named.size > 0 && !calls)
        {
          g_autofree char *raw = ph_wire_string (named, 1), *name = g_utf8_make_valid (raw, -1);
          const PhSpan *function = g_hash_table_lookup (making->file->functions, ph_intern (name));

          if (function != NULL)
            {
              if (!add_body (making, draft, node, attr->name, *function, error))
                return FALSE;
              continue;
            }
        }
      made = new_attr (making->file, attr->name, attr->value);
      if (made != NULL)
        ph_sketch_node_attr (draft, made);
    }
  return TRUE;
}

/* Adds the attribute "value" to a variable whose value is in a checkpoint beside the graph. */
static gboolean
add_value (Making *making, PhSketchNode *draft, const PhTfNode *node, GError **error)
{
  static const char *const variables[] = { "VarHandleOp", "VariableV2", "Variable", NULL };
  g_autoptr (PhTensor) tensor = NULL;
  g_autofree char *raw = NULL, *name = NULL;
  GError *reason = NULL;
  PhSpan value;

  if (making->file->checkpoint == NULL || !is_one_of (node->op, variables))
    return TRUE;
  raw = ph_tf_node_attr (node, "shared_name", &value) ? ph_wire_string (value, 2) : NULL;
  name = g_utf8_make_valid (raw != NULL && *raw != '\0' ? raw : node->name, -1);
  tensor = ph_tf_checkpoint_value (making->file->checkpoint, name, &reason);
  if (reason != NULL)
    {
      g_propagate_error (error, reason);
      return FALSE;
    }
  if (tensor != NULL)
    ph_sketch_node_attr (draft, ph_attr_new_tensor ("value", tensor));
  return TRUE;
}

static gboolean
add_loop (Making *making, PhSketchNode *draft, const PhTfNode *node, GError **error)
{
  PhTfGraph *const parts[] = { node->cond, node->body };
  static const char *const names[] = { "cond", "body" };

  for (guint i = 0; i < 2; i++)
    {
      PhSketch *body = ph_tf_sketch (making->file, parts[i], making->depth + 1, error);

      if (body == NULL)
        return FALSE;
      ph_sketch_node_body (draft, names[i], body);
    }
  return TRUE;
}

/* Lists the edges that close cycles as links, which are drawn but are no inputs. */
static void
add_back (Making *making, PhSketchNode *draft, const PhTfNode *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; node->back != NULL && i < node->back->len; i++)
    {
      const PhTfEdge *edge = &g_array_index (node->back, PhTfEdge, i);
      const PhTfNode *from = g_hash_table_lookup (making->graph->by_name, edge->from);
      const char *name = from != NULL ? names_of (making, from)[MIN (edge->output, from->n_outputs - 1)] : NULL;

      if (name != NULL)
        g_ptr_array_add (names, g_bytes_new (name, strlen (name)));
    }
  if (names->len > 0)
    ph_sketch_node_attr (draft, ph_attr_new_strings (PH_LINKS_ATTR, (GBytes *const *) names->pdata, names->len));
}

/* The first of the platforms that a module is for. */
static const char *
add_platform (Making *making, const PhTfNode *node)
{
  g_autofree char *base = g_strconcat (node->name, "/platform", NULL);
  const char *name = ph_sketch_claim (making->draft, ph_intern (base));
  const gint32 first = 0;

  ph_sketch_add_named_constant (making->draft->main, name, ph_tensor_new_splat (PH_INT32, 0, NULL, &first));
  return name;
}

static gboolean
add_node (Making *making, const PhTfNode *node, GError **error)
{
  const char *function = called_function (making, node);
  guint n_outputs = node->n_outputs;
  PhSketchNode *draft = ph_sketch_add_named_node (making->draft->main,
                                                  function != NULL       ? function
                                                  : node->module != NULL ? node->module
                                                                         : node->op,
                                                  node->module != NULL ? "func" : "tf", node->name);
  const char **names = names_of (making, node);

  ph_sketch_node_place (draft, node->line, 0);
  if (node->for_platforms)
    ph_sketch_node_input (draft, add_platform (making, node));
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhTfEdge *edge = &g_array_index (node->inputs, PhTfEdge, i);
      const PhTfNode *from = g_hash_table_lookup (making->graph->by_name, edge->from);

      if (!edge->control)
        ph_sketch_node_input (draft, from != NULL ? names_of (making, from)[MIN (edge->output, from->n_outputs - 1)] : "");
      else if (from != NULL && from != node && runs (from))
        ph_sketch_node_after (draft, names_of (making, from)[0]);
    }
  for (guint i = 0; i < n_outputs; i++)
    ph_sketch_node_named_output (draft, names[i], output_type (node, i));
  if (function != NULL && node->op != function)
    ph_sketch_node_attr (draft, ph_attr_new_string ("call", node->op));
  if (!add_attrs (making, draft, node, function != NULL, error) || !add_value (making, draft, node, error))
    return FALSE;
  if (node->device != NULL)
    ph_sketch_node_attr (draft, ph_attr_new_string ("device", node->device));
  add_back (making, draft, node);
  return node->body == NULL || add_loop (making, draft, node, error);
}

static gboolean
add (Making *making, PhTfNode *node, GError **error)
{
  PhSpan value;

  if (strcmp (node->op, "_Arg") == 0 || strcmp (node->op, "Placeholder") == 0 || strcmp (node->op, "PlaceholderV2") == 0)
    {
      ph_sketch_add_named_input (making->draft->main, names_of (making, node)[0], output_type (node, 0));
      return TRUE;
    }
  if (strcmp (node->op, "Const") == 0 && ph_tf_node_attr (node, "value", &value))
    {
      const PhSpan tensor = ph_wire_message (value, 8);
      g_autofree char *what = g_strdup_printf ("the constant '%s'", node->name);

      if (ph_tf_dtype (ph_wire_number (tensor, 1, 0)) != PH_UNDEFINED)
        {
          PhTensor *made = ph_tf_tensor (making->file, tensor, what, error);

          if (made == NULL)
            return FALSE;
          ph_sketch_add_named_constant (making->draft->main, names_of (making, node)[0], made);
          return TRUE;
        }
    }
  return add_node (making, node, error);
}

PhSketch *
ph_tf_sketch (PhTfFile *file, PhTfGraph *graph, guint depth, GError **error)
{
  g_autoptr (PhSketch) draft = ph_sketch_new_part (file->importer, graph->name);
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Making making = { file, graph, draft, names, depth };

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i];
      const char *function = node->gone ? NULL : called_function (&making, node);

      if (!node->gone && !ph_tf_take_module (file, node, error))
        return NULL;

      if (function != NULL)
        node->n_outputs = MAX (node->n_outputs, count_returns (*(PhSpan *) g_hash_table_lookup (file->functions, function)));
      if (!node->gone)
        names_of (&making, node); /* assigned up front, independent of the order below */
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhTfNode *node = graph->nodes->pdata[i];

      if (g_cancellable_set_error_if_cancelled (file->source->cancellable, error) || (!node->gone && !add (&making, node, error)))
        return NULL;
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      const PhTfEdge *edge = &g_array_index (graph->outputs, PhTfEdge, i);
      const PhTfNode *from = g_hash_table_lookup (graph->by_name, edge->from);

      if (from != NULL && !from->gone)
        ph_sketch_add_output (draft->main, names_of (&making, from)[MIN (edge->output, from->n_outputs - 1)]);
    }
  return g_steal_pointer (&draft);
}
