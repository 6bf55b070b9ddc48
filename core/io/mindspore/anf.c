/* anf.c: MindSpore's graphs in the format of its passes (anf_ir.proto), and code shared with MindIR.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/mindspore/anf.h"

gboolean
ph_anf_is (const guint8 *head, gsize size)
{
  const PhSpan span = { head, size };
  PhWireField field, inner;
  gsize at = 1, inside = 0;

  if (size < 8 || head[0] != 0x0a)
    return FALSE;
  while (at < size && (head[at] & 0x80) != 0)
    at++;
  if (++at >= size)
    return FALSE;
  field.span = (PhSpan) { span.data + at, span.size - at };
  if (!ph_wire_next (field.span, &inside, &field) || field.id != 1 || field.type != PH_WIRE_BYTES || field.span.size < 4
      || field.span.data[0] != 0x0a)
    return FALSE;
  inside = 0;
  return ph_wire_next (field.span, &inside, &inner) && inner.id == 1 && ph_wire_next (field.span, &inside, &inner)
         && inner.id == 2 && inner.type == PH_WIRE_VARINT && inside == field.span.size;
}

const PhType *
ph_mindspore_type (PhDType dtype, const gint64 *sizes, guint rank)
{
  PhDim dims[PH_MAX_RANK];

  if (dtype == PH_UNDEFINED)
    return NULL;
  for (guint i = 0; i < rank; i++)
    {
      if (sizes[i] == -2) /* MindSpore's word for an unknown rank */
        return ph_type_unranked (dtype);
      dims[i] = sizes[i] >= 0 ? PH_DIM (sizes[i]) : PH_DIM_UNKNOWN;
    }
  return ph_type_tensor (dtype, rank, dims);
}

const char *
ph_mindspore_claim (GHashTable *names, PhSketch *draft, const char *raw)
{
  g_autofree char *name = g_utf8_make_valid (raw, -1);
  const char *value = ph_sketch_claim (draft, name);

  g_hash_table_insert (names, (gpointer) ph_intern (name), (gpointer) value);
  return value;
}

static PhDType
anf_dtype (guint64 number)
{
  static const PhDType types[] = { PH_UNDEFINED, PH_BOOL,   PH_INT8,   PH_INT16,   PH_INT32, PH_INT64,  PH_UINT8,
                                   PH_UINT16,    PH_UINT32, PH_UINT64, PH_FLOAT16, PH_FLOAT, PH_DOUBLE, PH_STRING };

  return number < G_N_ELEMENTS (types) ? types[number] : PH_UNDEFINED;
}

static const PhType *
anf_type (PhSpan type)
{
  const PhSpan tensor = ph_wire_message (type, 2);
  const PhDType dtype = anf_dtype (ph_wire_number (tensor, 1, 0));
  gint64 dims[PH_MAX_RANK];
  guint rank = 0;

  if (tensor.size == 0)
    return NULL;
  PH_WIRE_FOREACH (field, ph_wire_message (tensor, 2))
    if (field.id == 1 && field.type == PH_WIRE_BYTES && rank < PH_MAX_RANK)
      dims[rank++] = (gint64) ph_wire_number (field.span, 1, 0);
  return ph_mindspore_type (dtype, dims, rank);
}

/* (nullable) */
static PhAttr *
anf_attr (const char *name, PhSpan value)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  PhWireField field;

  for (guint id = 2; id <= 4; id++)
    if (ph_wire_find (value, id, &field) && field.type == PH_WIRE_VARINT)
      return ph_attr_new_int (name, (gint64) field.number);
  if (ph_wire_find (value, 5, &field))
    return ph_attr_new_float (name, ph_float_of_bits (field.number));
  if (ph_wire_find (value, 6, &field))
    return ph_attr_new_float (name, (float) ph_double_of_bits (field.number));
  if (ph_wire_find (value, 7, &field) && field.type == PH_WIRE_BYTES)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (field.span.data, field.span.size);

      return ph_attr_new_bytes (name, PH_ATTR_STRING, bytes);
    }
  PH_WIRE_FOREACH (item, value)
    if (item.id == 18 && item.type == PH_WIRE_BYTES)
      {
        if (ph_wire_find (item.span, 7, &field) && field.type == PH_WIRE_BYTES)
          g_ptr_array_add (texts, g_bytes_new (field.span.data, field.span.size));
        for (guint id = 2; id <= 4; id++)
          if (ph_wire_find (item.span, id, &field) && field.type == PH_WIRE_VARINT)
            g_array_append_val (ints, field.number);
      }
  if (texts->len > 0)
    return ph_attr_new_strings (name, (GBytes *const *) texts->pdata, texts->len);
  return ints->len > 0 ? ph_attr_new_ints (name, (const gint64 *) ints->data, ints->len) : NULL;
}

static void
anf_constant (PhSketch *draft, GHashTable *names, PhSpan entry)
{
  g_autofree char *name = ph_wire_string (entry, 1);
  const char *value = ph_mindspore_claim (names, draft, name);
  const PhSpan of = ph_wire_message (entry, 2);
  PhWireField field;
  PhSketchNode *node;
  PhAttr *attr;

  for (guint id = 2; id <= 4; id++)
    if (ph_wire_find (of, id, &field) && field.type == PH_WIRE_VARINT)
      {
        const PhDType dtype = anf_dtype (ph_wire_number (of, 1, 0));
        PhTensor *tensor = ph_tensor_new (ph_dtype_is_integer (dtype) || dtype == PH_BOOL ? dtype : PH_INT64, 0, NULL);

        ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), 0, (gint64) field.number);
        ph_sketch_add_named_constant (draft->main, value, tensor);
        return;
      }
  if (ph_wire_find (of, 5, &field))
    {
      ph_sketch_add_named_constant (draft->main, value, ph_tensor_new_scalar (PH_FLOAT, ph_float_of_bits (field.number)));
      return;
    }
  node = ph_sketch_add_named_node (draft->main, "Value", "mindspore", name);
  ph_sketch_node_named_output (node, value, NULL);
  attr = anf_attr ("value", of);
  if (attr != NULL)
    ph_sketch_node_attr (node, attr);
}

static void
anf_node (PhSketch *draft, GHashTable *names, PhSpan message, const char *value)
{
  g_autofree char *op = ph_wire_string (message, 3), *scope = ph_wire_string (message, 4), *full = ph_wire_string (message, 8);
  PhSketchNode *node = ph_sketch_add_named_node (draft->main, *op != '\0' ? op : "?", "mindspore", *full != '\0' ? full : scope);

  ph_sketch_node_named_output (node, value, anf_type (ph_wire_message (message, 6)));
  PH_WIRE_FOREACH (field, message)
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_wire_string (field.span, 1), *name = g_utf8_make_valid (raw, -1);
        const char *input = g_hash_table_lookup (names, ph_intern (name));

        if (ph_wire_number (field.span, 2, 0) == 1)
          ph_sketch_node_after (node, input != NULL ? input : name);
        else
          ph_sketch_node_input (node, input != NULL ? input : name);
      }
    else if (field.id == 5 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *raw = ph_wire_string (field.span, 1), *name = g_utf8_make_valid (raw, -1);
        PhAttr *attr = *name != '\0' ? anf_attr (name, ph_wire_message (field.span, 2)) : NULL;

        if (attr != NULL)
          ph_sketch_node_attr (node, attr);
      }
}

gboolean
ph_anf_read (PhImporter *importer, PhSpan whole, GError **error)
{
  const PhSpan graph = whole.size > 0 && whole.data[0] == 0x08 ? ph_wire_message (whole, 4) : whole;
  g_autofree char *raw = ph_wire_string (graph, 2), *name = g_utf8_make_valid (raw, -1);
  g_autoptr (PhSketch) draft = ph_sketch_new_part (importer, *name != '\0' ? name : "graph");
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) made = g_ptr_array_new ();
  guint i = 0;

  PH_WIRE_FOREACH (field, graph)
    if (field.id == 3 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *parameter = ph_wire_string (field.span, 1);

        ph_sketch_add_named_input (draft->main, ph_mindspore_claim (names, draft, parameter),
                                   anf_type (ph_wire_message (field.span, 2)));
      }
    else if (field.id == 5 && field.type == PH_WIRE_BYTES)
      anf_constant (draft, names, field.span);
  PH_WIRE_FOREACH (field, graph)
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *value = ph_wire_string (field.span, 2);

        g_ptr_array_add (made, (gpointer) ph_mindspore_claim (names, draft, value));
      }
  PH_WIRE_FOREACH (field, graph)
    if (field.id == 1 && field.type == PH_WIRE_BYTES)
      anf_node (draft, names, field.span, made->pdata[i++]);
    else if (field.id == 4 && field.type == PH_WIRE_BYTES)
      {
        g_autofree char *output_raw = ph_wire_string (field.span, 1), *output = g_utf8_make_valid (output_raw, -1);
        const char *value = g_hash_table_lookup (names, ph_intern (output));

        ph_sketch_add_output (draft->main, value != NULL ? value : output);
      }
  return ph_sketch_import (draft, importer->model->graph, error);
}
