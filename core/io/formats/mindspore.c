/* mindspore.c: MindSpore's .mindir (mind_ir.proto), and its graphs as passes leave them (anf.h).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/mindspore/anf.h"
#include "core/ops/op.h"

typedef struct
{
  PhSource *source;
  PhImporter *importer;
  GHashTable *functions, *primitives;
} File; /* interned names; -> PhSpan* */

static gboolean
is_mindir (PhSpan span)
{
  PhWireField field;
  gsize at = 0;

  return ph_wire_next (span, &at, &field) && field.id == 1 && field.type == PH_WIRE_BYTES && field.span.size > 0
         && field.span.size < 32 && g_ascii_isdigit (field.span.data[0]) && ph_wire_next (span, &at, &field) && field.id == 2
         && ph_span_is (field.span, "MindSpore");
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  if (is_mindir ((PhSpan) { head, size }))
    return 95;
  if (ph_anf_is (head, size))
    return 85;
  return g_str_has_suffix (name, ".mindir") ? 60 : 0;
}

/* ── values ── */

static PhDType
mindir_dtype (guint64 number)
{
  return number == 17 ? PH_DOUBLE : number <= PH_BFLOAT16 ? (PhDType) number : PH_UNDEFINED;
}

/* @dims: room for PH_MAX_RANK. */
static gboolean
read_dims (PhSpan message, guint id, gint64 *dims, guint *rank)
{
  g_autoptr (GArray) numbers = ph_wire_numbers (message, id, PH_WIRE_VARINT);

  *rank = numbers->len;
  for (guint i = 0; i < numbers->len && i < PH_MAX_RANK; i++)
    dims[i] = g_array_index (numbers, gint64, i);
  return numbers->len <= PH_MAX_RANK;
}

static const PhType *
type_of_tensor (PhSpan tensor)
{
  gint64 dims[PH_MAX_RANK];
  guint rank;

  return tensor.size > 0 && read_dims (tensor, 1, dims, &rank)
             ? ph_mindspore_type (mindir_dtype (ph_wire_number (tensor, 2, 0)), dims, rank)
             : NULL;
}

/* Reads a tensor from another file of the folder. */
static PhTensor *
read_external (File *file, PhSpan where, PhDType dtype, guint rank, const gint64 *dims, gsize bytes, const char *name,
               GError **error)
{
  g_autofree char *location = ph_wire_string (where, 1);
  const guint64 offset = ph_wire_number (where, 2, 0);
  g_autoptr (GError) reason = NULL;
  PhFile *weights = *location != '\0' ? ph_source_open_beside (file->source, location, NULL, name, &reason) : NULL;

  if (reason != NULL)
    ph_source_problem (file->source, "%s", reason->message);
  if (weights == NULL)
    return NULL;
  if (offset > ph_file_get_size (weights) || bytes > ph_file_get_size (weights) - offset)
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                           "'%s' lies past the end of %s: the file is of another model, or cut short", name, location),
           NULL;
  return ph_tensor_new_from_file (dtype, rank, dims, weights, (gsize) offset, error);
}

/* Reads a tensor. Returns NULL without an error if its elements are missing. */
static PhTensor *
read_tensor (File *file, PhSpan tensor, const char *name, GError **error)
{
  static const struct
  {
    guint id, wire;
  } fields[]
      = { { 3, PH_WIRE_FIXED32 }, { 4, PH_WIRE_VARINT }, { 6, PH_WIRE_VARINT }, { 10, PH_WIRE_FIXED64 }, { 11, PH_WIRE_VARINT } };
  const PhDType dtype = mindir_dtype (ph_wire_number (tensor, 2, 0));
  const PhSpan raw = ph_wire_message (tensor, 9), external = ph_wire_message (tensor, 12);
  gint64 dims[PH_MAX_RANK];
  guint rank;
  gsize count;

  if (!read_dims (tensor, 1, dims, &rank) || !ph_tensor_count_elements (rank, dims, &count) || count > G_MAXSIZE / 16)
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL, "'%s' has a shape that cannot be", name), NULL;
  if (dtype == PH_UNDEFINED || dtype == PH_STRING || ph_wire_number (tensor, 16, 0) != 0)
    return NULL;
  if (external.size > 0)
    return read_external (file, external, dtype, rank, dims, count * ph_dtype_size (dtype), name, error);
  if (raw.size > 0 || count == 0)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (raw.data, raw.size);

      if (raw.size != count * ph_dtype_size (dtype))
        return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                               "'%s' has %" G_GSIZE_FORMAT " elements of type %s, but %" G_GSIZE_FORMAT
                               " bytes of them: the file is damaged",
                               name, count, ph_dtype_name (dtype), raw.size),
               NULL;
      return ph_tensor_new_from_bytes (dtype, rank, dims, bytes);
    }
  for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
    {
      g_autoptr (GArray) numbers = ph_wire_numbers (tensor, fields[k].id, fields[k].wire);
      PhTensor *made = numbers->len == count && count > 0 ? ph_tensor_new (dtype, rank, dims) : NULL;

      for (guint i = 0; made != NULL && i < numbers->len; i++)
        {
          const guint64 bits = g_array_index (numbers, guint64, i);

          if (fields[k].id == 3 || fields[k].id == 10)
            ph_dtype_store (dtype, ph_tensor_writable (made), i,
                            fields[k].id == 3 ? ph_float_of_bits (bits) : ph_double_of_bits (bits));
          else
            ph_dtype_store_int (dtype, ph_tensor_writable (made), i, (gint64) bits);
        }
      if (made != NULL)
        return made;
    }
  return NULL;
}

/* ── attributes ── */

static PhAttr *
new_attr (File *file, const char *name, PhSpan message)
{
  PhWireField field;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GArray) ints = ph_wire_numbers (message, 10, PH_WIRE_VARINT), floats = ph_wire_numbers (message, 8, PH_WIRE_FIXED32);

  if (ph_wire_find (message, 3, &field))
    return ph_attr_new_int (name, (gint64) field.number);
  if (ph_wire_find (message, 2, &field))
    return ph_attr_new_float (name, ph_float_of_bits (field.number));
  if (ph_wire_find (message, 4, &field))
    return ph_attr_new_float (name, (float) ph_double_of_bits (field.number));
  if (ph_wire_find (message, 5, &field))
    {
      g_autoptr (GBytes) bytes = g_bytes_new (field.span.data, field.span.size);

      return ph_attr_new_bytes (name, PH_ATTR_STRING, bytes);
    }
  if (ints->len > 0)
    return ph_attr_new_ints (name, (const gint64 *) ints->data, ints->len);
  if (floats->len > 0)
    {
      g_autofree float *values = g_new (float, floats->len);

      for (guint i = 0; i < floats->len; i++)
        values[i] = ph_float_of_bits (g_array_index (floats, guint64, i));
      return ph_attr_new_floats (name, values, floats->len);
    }
  PH_WIRE_FOREACH (item, message)
    if (item.id == 11 && item.type == PH_WIRE_BYTES)
      g_ptr_array_add (texts, g_bytes_new (item.span.data, item.span.size));
    else if (item.id == 17 && item.type == PH_WIRE_BYTES)
      {
        g_autoptr (PhAttr) inner = ph_wire_find (item.span, 17, &field) ? NULL : new_attr (file, "item", item.span);
        g_autofree char *text = inner != NULL ? ph_attr_value_to_string (inner) : g_strdup ("...");

        g_ptr_array_add (texts, g_bytes_new (text, strlen (text)));
      }
  if (texts->len > 0)
    return ph_attr_new_strings (name, (GBytes *const *) texts->pdata, texts->len);
  for (guint id = 6; id <= 12; id += 6)
    if (ph_wire_find (message, id, &field) && field.type == PH_WIRE_BYTES)
      {
        g_autoptr (PhTensor) tensor = read_tensor (file, field.span, name, NULL);

        if (tensor != NULL)
          return ph_attr_new_tensor (name, tensor);
      }
  return NULL;
}

/* Adds the attributes of a node, or of the primitive that it names. */
static void
add_attrs (File *file, PhSketchNode *node, PhSpan message, guint id)
{
  PH_WIRE_FOREACH (field, message)
    if (field.id == id && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_wire_string (field.span, 1), *name = g_utf8_make_valid (raw, -1),
                        *kind = ph_wire_string (field.span, 15);
        PhAttr *attr;

        if (*name == '\0' || g_str_has_prefix (kind, "shape:") || strcmp (name, "input_names") == 0
            || strcmp (name, "output_names") == 0)
          continue;
        attr = new_attr (file, name, field.span);
        if (attr != NULL)
          ph_sketch_node_attr (node, attr);
      }
}

/* Returns the type of the single output from the attribute with its shape. */
static const PhType *
output_type (PhSpan node)
{
  PH_WIRE_FOREACH (field, node)
    if (field.id == 5 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *kind = ph_wire_string (field.span, 15), *name = ph_wire_string (field.span, 1);
        guint n = 0;

        if (!g_str_has_prefix (kind, "shape:") && strcmp (name, "shape") != 0)
          continue;
        PH_WIRE_FOREACH (tensor, field.span)
          n += tensor.id == 12 ? 1 : 0;
        return n == 1 && strstr (kind, "Tuple[") == NULL ? type_of_tensor (ph_wire_message (field.span, 12)) : NULL;
      }
  return NULL;
}

/* ── mindir ── */

/* Returns the tensor of a Constant node. (nullable) */
static PhTensor *
constant_of (File *file, PhSpan node)
{
  PH_WIRE_FOREACH (field, node)
    if (field.id == 5 && field.type == PH_WIRE_BYTES && ph_span_is (ph_wire_message (field.span, 1), "value"))
      {
        g_autoptr (GArray) ints = ph_wire_numbers (field.span, 10, PH_WIRE_VARINT);
        const PhDType dtype = mindir_dtype (ph_wire_number (field.span, 16, 0));
        PhWireField value;

        for (guint id = 6; id <= 12; id += 6)
          if (ph_wire_find (field.span, id, &value) && value.type == PH_WIRE_BYTES)
            return read_tensor (file, value.span, "a constant", NULL);
        if (ints->len > 0)
          return ph_tensor_new_int64s ((const gint64 *) ints->data, ints->len);
        if (ph_wire_find (field.span, 3, &value))
          {
            PhTensor *tensor = ph_tensor_new (ph_dtype_is_integer (dtype) || dtype == PH_BOOL ? dtype : PH_INT64, 0, NULL);

            ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), 0, (gint64) value.number);
            return tensor;
          }
        if (ph_wire_find (field.span, 2, &value))
          return ph_tensor_new_scalar (PH_FLOAT, ph_float_of_bits (value.number));
        if (ph_wire_find (field.span, 4, &value))
          return ph_tensor_new_scalar (PH_DOUBLE, ph_double_of_bits (value.number));
      }
  return NULL;
}

static gboolean
add_node (File *file, PhSketch *draft, GHashTable *names, PhSpan message, GError **error)
{
  g_autofree char *raw_op = ph_wire_string (message, 4), *op = g_utf8_make_valid (raw_op, -1),
                  *full = ph_wire_string (message, 7);
  const char *type = g_str_has_prefix (op, "REF::") ? op + 5 : op;
  const PhSpan *primitive = type != op ? g_hash_table_lookup (file->primitives, ph_intern (type)) : NULL;
  g_autofree char *own = primitive != NULL ? ph_wire_string (*primitive, 2) : NULL, *output = ph_wire_string (message, 2);
  PhSketchNode *node;
  guint i = 0;

  if (*type == '\0')
    return ph_source_fail (file->source, error, PH_ERROR_INVALID, NULL,
                           "the node that makes '%s' has no operator: the file is damaged", output);
  if (strcmp (op, "Constant") == 0)
    {
      PhTensor *tensor = constant_of (file, message);

      if (tensor != NULL)
        {
          ph_sketch_add_named_constant (draft->main, ph_mindspore_claim (names, draft, output), tensor);
          return TRUE;
        }
    }
  node = ph_sketch_add_named_node (draft->main, own != NULL && *own != '\0' ? own : type, "mindspore", full);
  PH_WIRE_FOREACH (field, message)
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_span_to_string (field.span), *input = g_utf8_make_valid (raw, -1);
        const char *value = g_hash_table_lookup (names, ph_intern (input));

        if (value == NULL
            && g_hash_table_contains (file->functions, ph_intern (g_str_has_prefix (input, "REF::") ? input + 5 : input)))
          {
            g_autofree char *attr = g_strdup_printf ("graph_%u", i);

            ph_sketch_node_attr (node, ph_attr_new_string (attr, g_str_has_prefix (input, "REF::") ? input + 5 : input));
          }
        else
          ph_sketch_node_input (node, value != NULL ? value : input);
        i++;
      }
  ph_sketch_node_named_output (node, ph_mindspore_claim (names, draft, output), output_type (message));
  add_attrs (file, node, message, 5);
  if (primitive != NULL)
    add_attrs (file, node, *primitive, 3);
  return TRUE;
}

static gboolean
add_parameters (File *file, PhSketch *draft, GHashTable *names, PhSpan graph, GError **error)
{
  PH_WIRE_FOREACH (field, graph)
    if (field.id == 5 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *name = ph_wire_string (field.span, 1);

        ph_sketch_add_named_input (draft->main, ph_mindspore_claim (names, draft, name),
                                   type_of_tensor (ph_wire_message (field.span, 2)));
      }
    else if (field.id == 3 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *name = ph_wire_string (field.span, 7);
        const char *value = ph_mindspore_claim (names, draft, name);
        GError *reason = NULL;
        PhTensor *tensor = read_tensor (file, field.span, name, &reason);

        if (reason != NULL)
          {
            g_propagate_error (error, reason);
            return FALSE;
          }
        if (tensor != NULL)
          {
            ph_sketch_add_named_constant (draft->main, value, tensor);
            continue;
          }
        ph_source_problem (file->source, "The elements of the parameter '%s' are not there: it became an input", value);
        ph_sketch_add_named_input (draft->main, value, type_of_tensor (field.span));
      }
  return TRUE;
}

static PhSketch *
draft_mindir (File *file, PhSpan graph, GError **error)
{
  g_autofree char *raw = ph_wire_string (graph, 2), *name = g_utf8_make_valid (raw, -1);
  g_autoptr (PhSketch) draft = ph_sketch_new_part (file->importer, *name != '\0' ? name : "graph");
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);

  if (!add_parameters (file, draft, names, graph, error))
    return NULL;
  PH_WIRE_FOREACH (field, graph)
    if (field.id == 1 && field.type == PH_WIRE_BYTES
        && (g_cancellable_set_error_if_cancelled (file->source->cancellable, error)
            || !add_node (file, draft, names, field.span, error)))
      return NULL;
  PH_WIRE_FOREACH (field, graph)
    if (field.id == 6 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *output_raw = ph_wire_string (field.span, 1), *output = g_utf8_make_valid (output_raw, -1);
        const char *value = g_hash_table_lookup (names, ph_intern (output));

        ph_sketch_add_output (draft->main, value != NULL ? value : output);
      }
  return g_steal_pointer (&draft);
}

static gboolean
read_mindir (File *file, PhSpan whole, GError **error)
{
  PhModel *model = file->importer->model;
  g_autoptr (GPtrArray) functions = g_ptr_array_new (), graphs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PhSketch) draft = NULL;

  PH_WIRE_FOREACH (field, whole)
    {
      const guint name_id = field.id == 8 ? 2 : 1;
      g_autofree char *raw = field.type == PH_WIRE_BYTES && (field.id == 8 || field.id == 12)
                                 ? ph_wire_string (field.span, name_id)
                                 : NULL;
      g_autofree char *name = raw != NULL ? g_utf8_make_valid (raw, -1) : NULL;

      if (name == NULL || *name == '\0')
        continue;
      if (field.id == 12)
        g_hash_table_insert (file->primitives, (gpointer) ph_intern (name), g_memdup2 (&field.span, sizeof field.span));
      else if (g_hash_table_add (file->functions, (gpointer) ph_intern (name)))
        {
          PhFunction *function = ph_model_add_function (model, &(PhFunctionSpec) { .name = name, .domain = "mindspore" }, error);

          if (function == NULL)
            return FALSE;
          g_ptr_array_add (functions, function);
          g_ptr_array_add (graphs, g_memdup2 (&field.span, sizeof field.span));
        }
    }
  for (guint i = 0; i < functions->len; i++)
    {
      g_autoptr (PhSketch) inner = draft_mindir (file, *(PhSpan *) graphs->pdata[i], error);

      if (inner == NULL || !ph_sketch_import (inner, ((PhFunction *) functions->pdata[i])->graph, error))
        return FALSE;
    }
  draft = draft_mindir (file, ph_wire_message (whole, 7), error);
  return draft != NULL && ph_sketch_import (draft, model->graph, error);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) functions = g_hash_table_new (NULL, NULL), primitives = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  PhImporter importer = { source, model };
  File file = { source, &importer, functions, primitives };
  PhSpan whole;
  gboolean mindir;

  if (bytes == NULL)
    return NULL;
  whole.data = g_bytes_get_data (bytes, &whole.size);
  mindir = is_mindir (whole);
  if (!mindir && !ph_anf_is (whole.data, MIN (whole.size, PH_FORMAT_HEAD)))
    return ph_source_fail (source, error, PH_ERROR_UNSUPPORTED, NULL,
                           "this is a MindIR file that is encrypted, or damaged: load it with its key "
                           "(mindspore.load (FILE, dec_key=...)) and export it again without enc_key"),
           NULL;
  if (!ph_wire_is_message (whole, 100))
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL,
                           "not a readable graph of MindSpore: the file is damaged or cut short. Get it again"),
           NULL;
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "mindspore", 1);
  return (mindir ? read_mindir (&file, whole, error) : ph_anf_read (&importer, whole, error)) ? g_steal_pointer (&model) : NULL;
}

/* clang-format off */
const PhFormat ph_format_mindspore = {
  .name = "mindspore", .title = "MindSpore model (MindIR)", .patterns = (const char *const[]) { "*.mindir", "*.pb", NULL },
  .mime = "application/x-mindir", .probe = probe, .read = read_model, .dialect = &ph_dialect_mindspore,
};
/* clang-format on */
