/* proto.c: HloModuleProto as the modules of hlo.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/hlo/proto.h"

#include <string.h>

#include "core/io/choose.h"
#include "core/io/hlo/proto-schema.h"

enum
{
  TUPLE = 13
};

/* ── reading ────────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhHlo *hlo;
  GHashTable *computations, *names; /* id -> name; @names: of the instructions of one computation */
  guint depth;
  GError **error;
} Reader;

static gboolean
fail (Reader *reader, const char *format, const char *what)
{
  g_autofree char *text = NULL;
  GString *made = g_string_new (format);

  g_string_replace (made, "@", what, 0);
  text = g_string_free (made, FALSE);
  return ph_source_fail (reader->hlo->source, reader->error, PH_ERROR_INVALID, NULL, "%s", text);
}

static const char *
intern_field (PhSpan message, guint id)
{
  g_autofree char *raw = ph_wire_string (message, id), *valid = g_utf8_make_valid (raw, -1);

  return ph_intern (valid);
}

static gpointer
key_of (guint64 id)
{
  return GSIZE_TO_POINTER ((gsize) id + 1);
}

static PhHloShape *
read_shape (Reader *reader, PhSpan message)
{
  const guint64 element = ph_wire_number (message, 2, 0);
  g_autoptr (GArray) sizes = NULL, open = NULL, minor = NULL;
  g_autoptr (GPtrArray) items = NULL;
  g_autoptr (GString) layout_text = NULL;
  gint64 dims[PH_MAX_RANK];
  gboolean dynamic[PH_MAX_RANK] = { FALSE };

  if (reader->depth >= PH_HLO_MAX_DEPTH)
    {
      fail (reader, "shapes are nested more than 200 deep", "");
      return NULL;
    }
  if (element == TUPLE)
    {
      items = g_ptr_array_new ();
      reader->depth++;
      PH_WIRE_FOREACH (field, message)
        if (field.id == 4 && field.type == PH_WIRE_BYTES)
          {
            PhHloShape *item = read_shape (reader, field.span);

            if (item == NULL)
              return NULL;
            g_ptr_array_add (items, item);
          }
      reader->depth--;
      return ph_hlo_tuple_shape (reader->hlo, (PhHloShape *const *) items->pdata, items->len);
    }
  sizes = ph_wire_numbers (message, 3, PH_WIRE_VARINT);
  open = ph_wire_numbers (message, 6, PH_WIRE_VARINT);
  minor = ph_wire_numbers (ph_wire_message (message, 5), 1, PH_WIRE_VARINT);
  if (sizes->len > PH_MAX_RANK)
    {
      fail (reader, "an array of more than 64 dimensions cannot be read", "");
      return NULL;
    }
  for (guint i = 0; i < sizes->len; i++)
    {
      dims[i] = (gint64) g_array_index (sizes, guint64, i);
      dynamic[i] = dims[i] < 0 || (i < open->len && g_array_index (open, guint64, i) != 0);
    }
  layout_text = g_string_new (NULL);
  for (guint i = 0; i < minor->len && i < PH_MAX_RANK; i++)
    g_string_append_printf (layout_text, "%s%" G_GUINT64_FORMAT, i > 0 ? "," : "", g_array_index (minor, guint64, i));
  return ph_hlo_array_shape (reader->hlo, ph_hlo_element_name (element), dims, dynamic, sizes->len,
                             minor->len > 0 ? layout_text->str : NULL);
}

static guint
literal_field (PhDType dtype, guint *wire)
{
  *wire = PH_WIRE_VARINT;
  switch (dtype)
    {
    case PH_BOOL: return 2;
    case PH_INT32: return 4;
    case PH_INT64: return 5;
    case PH_UINT32: return 6;
    case PH_UINT64: return 7;
    case PH_FLOAT: *wire = PH_WIRE_FIXED32; return 8;
    case PH_COMPLEX64: *wire = PH_WIRE_FIXED32; return 12;
    case PH_DOUBLE: *wire = PH_WIRE_FIXED64; return 9;
    case PH_COMPLEX128: *wire = PH_WIRE_FIXED64; return 18;
    case PH_UINT8: *wire = PH_WIRE_BYTES; return 3;
    case PH_INT8: *wire = PH_WIRE_BYTES; return 15;
    case PH_FLOAT16: *wire = PH_WIRE_BYTES; return 11;
    case PH_BFLOAT16: *wire = PH_WIRE_BYTES; return 13;
    case PH_UINT16: *wire = PH_WIRE_BYTES; return 16;
    case PH_INT16: *wire = PH_WIRE_BYTES; return 17;
    default: return 0;
    }
}

static gboolean read_literals (Reader *reader, PhSpan message, const PhHloShape *of, GPtrArray *into);

/* Reads an array; NULL in @into if it is missing or of an unsupported type. Elements in other than the default layout are not read. */
static gboolean
read_array (Reader *reader, PhSpan message, const PhHloShape *of, GPtrArray *into)
{
  gint64 dims[PH_MAX_RANK];
  guint wire, id = of->type != NULL && of->text == NULL && of->layout == NULL ? literal_field (of->type->dtype, &wire) : 0, parts;
  PhTensor *tensor = NULL;
  gsize count, size;

  for (guint i = 0; id != 0 && i < of->type->rank; i++)
    dims[i] = of->type->dims[i].size;
  if (id == 0 || message.size == 0 || !ph_tensor_count_elements (of->type->rank, dims, &count) || count > message.size)
    {
      g_ptr_array_add (into, NULL);
      return TRUE;
    }
  parts = of->type->dtype == PH_COMPLEX64 || of->type->dtype == PH_COMPLEX128 ? 2 : 1;
  size = ph_dtype_size (of->type->dtype);
  if (wire == PH_WIRE_BYTES)
    {
      const PhSpan span = ph_wire_message (message, id);
      g_autoptr (GBytes) bytes = g_bytes_new (span.data, span.size);

      if (span.size == count * size)
        tensor = ph_tensor_new_from_bytes (of->type->dtype, of->type->rank, dims, bytes);
    }
  else
    {
      g_autoptr (GArray) values = ph_wire_numbers (message, id, wire);

      if (values->len == count * parts && (tensor = ph_tensor_new (of->type->dtype, of->type->rank, dims)) != NULL)
        for (guint i = 0; i < values->len; i++)
          {
            const guint64 value = g_array_index (values, guint64, i);

            if (wire == PH_WIRE_FIXED32)
              ((float *) ph_tensor_writable (tensor))[i] = ph_float_of_bits (value);
            else if (wire == PH_WIRE_FIXED64)
              ((double *) ph_tensor_writable (tensor))[i] = ph_double_of_bits (value);
            else
              ph_dtype_store_int (of->type->dtype, ph_tensor_writable (tensor), i, (gint64) value);
          }
    }
  if (tensor != NULL)
    g_ptr_array_add (reader->hlo->tensors, tensor);
  g_ptr_array_add (into, tensor);
  return TRUE;
}

static gboolean
read_literals (Reader *reader, PhSpan message, const PhHloShape *of, GPtrArray *into)
{
  guint i = 0;

  if (!of->tuple)
    return read_array (reader, message, of, into);
  PH_WIRE_FOREACH (field, message)
    if (field.id == 10 && field.type == PH_WIRE_BYTES && i < of->n_items
        && !read_literals (reader, field.span, of->items[i++], into))
      return FALSE;
  for (; i < of->n_items; i++)
    if (!read_literals (reader, (PhSpan) { 0 }, of->items[i], into))
      return FALSE;
  return TRUE;
}

/* ── attributes ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
add_list (Reader *reader, PhHloInstruction *made, PhSpan message, guint id, const char *name, gboolean always)
{
  g_autoptr (GArray) values = ph_wire_numbers (message, id, PH_WIRE_VARINT);

  if (values->len > 0 || always)
    ph_hlo_add_attr (reader->hlo, made, ph_attr_new_ints (name, (const gint64 *) (gpointer) values->data, values->len));
}

static void
add_int (Reader *reader, PhHloInstruction *made, PhSpan message, guint id, const char *name)
{
  PhWireField field;

  if (ph_wire_find (message, id, &field))
    ph_hlo_add_attr (reader->hlo, made, ph_attr_new_int (name, (gint64) field.number));
}

static void
add_text (Reader *reader, PhHloInstruction *made, PhSpan message, guint id, const char *name)
{
  const char *text = intern_field (message, id);

  if (*text != '\0')
    ph_hlo_add_attr (reader->hlo, made, ph_attr_new_string (name, text));
}

/* Reads field @id of each message @each in @message, @fallback if it is absent. */
static void
add_each (Reader *reader, PhHloInstruction *made, PhSpan message, guint each, guint id, guint second, const char *name,
          gint64 fallback)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean any = FALSE;

  PH_WIRE_FOREACH (field, message)
    if (field.id == each && field.type == PH_WIRE_BYTES)
      for (guint k = 0; k < (second != 0 ? 2 : 1); k++)
        {
          const gint64 value = (gint64) ph_wire_number (field.span, k == 0 ? id : second, (guint64) fallback);

          any = any || value != fallback;
          g_array_append_val (values, value);
        }
  if (values->len > 0
      && (any || fallback == G_MININT64 || each == 17 || g_str_has_suffix (name, "_padding") || g_str_has_prefix (name, "edge_")))
    ph_hlo_add_ints (reader->hlo, made, name, values);
}

static void
read_attrs (Reader *reader, PhHloInstruction *made, PhSpan message)
{
  static const struct
  {
    guint id;
    const char *name;
  } ints[] = {
    { 18, "exponent_bits" },
    { 19, "mantissa_bits" },
    { 25, "feature_index" },
    { 26, "channel_id" },
    { 50, "feature_group_count" },
    { 58, "batch_group_count" },
    { 60, "is_stable" },
    { 65, "custom_call_has_side_effect" },
    { 66, "delta" },
    { 67, "indices_are_sorted" },
    { 69, "unique_indices" },
    { 71, "use_global_device_ids" },
    { 81, "k" },
    { 85, "largest" },
  };
  static const struct
  {
    guint id;
    const char *name;
  } texts[] = {
    { 11, "kind" }, { 28, "custom_call_target" }, { 43, "backend_config" }, { 63, "direction" }, { 72, "type" },
  };
  static const char *const dots[] = { "lhs_contracting_dims", "rhs_contracting_dims", "lhs_batch_dims", "rhs_batch_dims" };
  const PhSpan slices = message, pads = ph_wire_message (message, 21), windows = ph_wire_message (message, 15);
  static const struct
  {
    guint id;
    const PhTextMessage *fields;
  } groups[] = { { 33, &ph_hlo_gather_schema }, { 48, &ph_hlo_scatter_schema }, { 16, &ph_hlo_convolution_schema } };
  PhWireField field;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    add_text (reader, made, message, texts[i].id, texts[i].name);
  for (gsize i = 0; i < G_N_ELEMENTS (ints); i++)
    add_int (reader, made, message, ints[i].id, ints[i].name);
  add_list (reader, made, message, 14, g_str_equal (made->opcode, "iota") ? "iota_dimension" : "dimensions",
            g_str_equal (made->opcode, "broadcast"));
  add_list (reader, made, message, 20, "dynamic_slice_sizes", FALSE);
  add_list (reader, made, message, 32, "fft_length", FALSE);
  add_list (reader, made, message, 34, "slice_sizes", FALSE);
  if (ph_wire_find (message, 24, &field))
    ph_hlo_add_attr (reader->hlo, made, ph_attr_new_float ("epsilon", ph_float_of_bits (field.number)));
  for (guint i = 0; i < G_N_ELEMENTS (dots); i++)
    add_list (reader, made, ph_wire_message (message, 30), i + 1, dots[i], i < 2 && ph_wire_find (message, 30, &field));
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    if (ph_wire_find (message, groups[i].id, &field) && field.type == PH_WIRE_BYTES)
      for (const PhTextField *row = groups[i].fields->fields; row->name != NULL; row++)
        {
          if (g_str_equal (row->name, "index_vector_dim") || g_str_has_suffix (row->name, "_dimension"))
            ph_hlo_add_attr (reader->hlo, made, ph_attr_new_int (row->name, (gint64) ph_wire_number (field.span, row->id, 0)));
          else
            add_list (reader, made, field.span, row->id, row->name, !strstr (row->name, "batching"));
        }
  add_each (reader, made, slices, 17, 1, 0, "start_indices", 0);
  add_each (reader, made, slices, 17, 2, 0, "limit_indices", 0);
  add_each (reader, made, slices, 17, 3, 0, "strides", 1);
  add_each (reader, made, pads, 1, 1, 0, "edge_padding_low", 0);
  add_each (reader, made, pads, 1, 2, 0, "edge_padding_high", 0);
  add_each (reader, made, pads, 1, 3, 0, "interior_padding", 0);
  add_each (reader, made, windows, 1, 1, 0, "window_dimensions", G_MININT64);
  add_each (reader, made, windows, 1, 2, 0, "window_strides", 1);
  add_each (reader, made, windows, 1, 3, 4, "padding", 0);
  add_each (reader, made, windows, 1, 6, 0, g_str_equal (made->opcode, "convolution") ? "lhs_dilation" : "base_dilations", 1);
  add_each (reader, made, windows, 1, 5, 0, g_str_equal (made->opcode, "convolution") ? "rhs_dilation" : "window_dilations", 1);
  add_each (reader, made, windows, 1, 7, 0, "window_reversal", 0);
}

/* ── modules ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static const char *
call_attr (const char *opcode, guint index)
{
  return g_str_equal (opcode, "while")                ? (index == 0 ? "body" : "condition")
         : g_str_equal (opcode, "fusion")             ? "calls"
         : g_str_equal (opcode, "conditional")        ? "branch_computations"
         : g_str_equal (opcode, "select-and-scatter") ? (index == 0 ? "select" : "scatter")
         : g_str_equal (opcode, "custom-call")        ? "called_computations"
                                                      : "to_apply";
}

static gboolean
add_names (Reader *reader, PhSpan message, guint id, GArray *into, const char *of)
{
  g_autoptr (GArray) ids = ph_wire_numbers (message, id, PH_WIRE_VARINT);

  for (guint i = 0; i < ids->len; i++)
    {
      const char *name = g_hash_table_lookup (reader->names, key_of (g_array_index (ids, guint64, i)));

      if (name == NULL)
        return fail (reader, "'@' uses an instruction that is not defined before it", of);
      g_array_append_val (into, name);
    }
  return TRUE;
}

static gboolean
read_instruction (Reader *reader, PhHloComputation *into, PhSpan message, guint64 root)
{
  PhHloInstruction *made = ph_hlo_new_instruction (reader->hlo, intern_field (message, 1));
  const PhSpan meta = ph_wire_message (message, 7);
  const char *op_name = intern_field (meta, 2), *file = intern_field (meta, 3);
  const guint64 id = ph_wire_number (message, 35, 0), line = ph_wire_number (meta, 4, 0);
  g_autoptr (GArray) called = ph_wire_numbers (message, 38, PH_WIRE_VARINT);

  made->opcode = intern_field (message, 2);
  if (*made->name == '\0' || *made->opcode == '\0')
    return fail (reader, "an instruction of '@' has no name or no opcode", into->name);
  made->shape = read_shape (reader, ph_wire_message (message, 3));
  if (made->shape == NULL)
    return FALSE;
  made->scope = ph_hlo_scope (op_name);
  if (*file != '\0')
    made->where = ph_where_new (file, (guint) MIN (line, G_MAXINT), 0, FALSE, NULL);
  if (!add_names (reader, message, 36, made->operands, made->name) || !add_names (reader, message, 37, made->after, made->name))
    return FALSE;
  if (g_str_equal (made->opcode, "parameter"))
    made->number = (gint64) ph_wire_number (message, 9, 0);
  else if (g_str_equal (made->opcode, "get-tuple-element"))
    made->number = (gint64) ph_wire_number (message, 13, 0);
  else if (g_str_equal (made->opcode, "constant"))
    {
      made->literals = ph_hlo_ptr_array (reader->hlo);
      if (!read_literals (reader, ph_wire_message (message, 8), made->shape, made->literals))
        return FALSE;
    }
  read_attrs (reader, made, message);
  for (guint i = 0; i < called->len; i++)
    {
      const char *name = g_hash_table_lookup (reader->computations, key_of (g_array_index (called, guint64, i)));
      PhHloCall call = { .attr = ph_hlo_body_name (made->opcode, call_attr (made->opcode, i),
                                                   g_str_equal (made->opcode, "while") ? 0 : i),
                         .name = name != NULL ? name : ph_intern ("?") };

      g_array_append_val (made->calls, call);
    }
  g_hash_table_insert (reader->names, key_of (id), (gpointer) made->name);
  g_ptr_array_add (into->instructions, made);
  if (id == root)
    into->root = made;
  return TRUE;
}

static gboolean
read_module (Reader *reader, PhSpan message)
{
  PhHloModule *module = ph_hlo_add_module (reader->hlo, intern_field (message, 1));
  const char *entry = intern_field (message, 2);
  const guint64 entry_id = ph_wire_number (message, 6, G_MAXUINT64);

  PH_WIRE_FOREACH (field, message)
    if (field.id == 3 && field.type == PH_WIRE_BYTES)
      g_hash_table_insert (reader->computations, key_of (ph_wire_number (field.span, 5, 0)),
                           (gpointer) intern_field (field.span, 1));
  PH_WIRE_FOREACH (field, message)
    if (field.id == 3 && field.type == PH_WIRE_BYTES)
      {
        const char *name = intern_field (field.span, 1);
        const guint64 root = ph_wire_number (field.span, 6, G_MAXUINT64);
        PhHloComputation *into;

        if (g_hash_table_contains (module->by_name, name))
          return fail (reader, "computation '@' is there twice", name);
        into = ph_hlo_add_computation (reader->hlo, module, name);
        into->entry = ph_wire_number (field.span, 5, G_MAXUINT64 - 1) == entry_id || (entry_id == G_MAXUINT64 && name == entry);
        g_hash_table_remove_all (reader->names);
        PH_WIRE_FOREACH (each, field.span)
          if (each.id == 2 && each.type == PH_WIRE_BYTES && !read_instruction (reader, into, each.span, root))
            return FALSE;
        if (into->instructions->len == 0)
          return fail (reader, "computation '@' has no instructions", name);
        if (into->root == NULL)
          into->root = into->instructions->pdata[into->instructions->len - 1];
      }
  return module->computations->len > 0
         || fail (reader, "the module '@' holds no computation: this is not an HLO module, or it is damaged", module->name);
}

static const char *
skip_comments (const char *text)
{
  for (;;)
    {
      text += strspn (text, " \t\r\n");
      if (*text != '#')
        return text;
      text += strcspn (text, "\n");
    }
}

gboolean
ph_hlo_is_proto_text (const char *text)
{
  static const char *const words[] = { "hlo_module", "entry_computation_name", "computations" };
  const char *p = skip_comments (text);

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      const char *behind = p + strlen (words[i]);

      if (!g_str_has_prefix (p, words[i]))
        continue;
      behind += strspn (behind, " \t");
      if (*behind == '{' || *behind == ':')
        return TRUE;
    }
  return g_str_has_prefix (p, "name:") && strstr (p, "entry_computation_name:") != NULL;
}

/* Returns the module: field 1 of an HloProto, or @message itself. In a module field 3 holds the computations, and field 1 is its name. */
static PhSpan
module_of (PhSpan message)
{
  const PhSpan inner = ph_wire_message (message, 1);

  return ph_wire_message (message, 3).size == 0
                 || (inner.size > 0 && ph_wire_is_message (inner, 100) && ph_wire_message (inner, 3).size > 0)
             ? inner
             : message;
}

/* Blanks all of @text but the module that was asked for, so that lines keep their numbers. */
static gboolean
choose_text (PhSource *source, char *text, GError **error)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new (), names = g_ptr_array_new_with_free_func (g_free);
  guint chosen;

  for (char *at = text; at != NULL;)
    {
      char *split = strstr (at, "\n// -----"), *name;

      if (split != NULL)
        split[1] = '\0';
      name = strstr (at, "name: \"");
      g_ptr_array_add (modules, at);
      g_ptr_array_add (names,
                       name != NULL ? g_strndup (name + strlen ("name: \""), strcspn (name + strlen ("name: \""), "\"")) : NULL);
      at = split != NULL ? strchr (split + 2, '\n') : NULL;
    }
  if (!ph_source_choose (source, names, "module", &chosen, error))
    return FALSE;
  if (source->part == NULL && source->parts != NULL)
    {
      g_autofree char *list = ph_source_list_parts (source);

      ph_source_problem (source,
                         "The file holds %u modules; this is the first. For another: open %s/NAME, where NAME is one of %s",
                         modules->len, source->path, list);
    }
  for (char *p = text; p < (char *) modules->pdata[chosen == G_MAXUINT ? 0 : chosen]; p++)
    if (*p != '\n')
      *p = ' ';
  return TRUE;
}

/* Returns TRUE if the only module is the one that was asked for. */
static gboolean
choose_only (PhHlo *hlo, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint chosen;

  for (guint i = 0; i < hlo->modules->len; i++)
    g_ptr_array_add (names, (gpointer) ((const PhHloModule *) hlo->modules->pdata[i])->name);
  return ph_source_choose (hlo->source, names, "module", &chosen, error);
}

gboolean
ph_hlo_read_proto (PhHlo *hlo, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (GHashTable) computations = g_hash_table_new (NULL, NULL), names = g_hash_table_new (NULL, NULL);
  g_autoptr (GByteArray) wire = NULL;
  Reader reader = { .hlo = hlo, .computations = computations, .names = names, .error = error };
  PhSpan message = { data, size };

  if (size > 0 && memchr (data, 0, size) == NULL)
    {
      g_autofree char *text = g_strndup ((const char *) data, size);

      if (ph_hlo_is_proto_text (text))
        {
          guint line, column;
          const char *why = NULL;
          gboolean whole;

          if (!choose_text (hlo->source, text, error))
            return FALSE;
          whole = g_str_has_prefix (skip_comments (text), "hlo_module");
          wire = ph_wire_from_text (text, strlen (text), whole ? &ph_hlo_proto_schema : &ph_hlo_module_schema,
                                    ph_hlo_element_number, &line, &column, &why);
          if (wire == NULL)
            return ph_source_fail_at (hlo->source, error, line, column, "%s", why != NULL ? why : "this is not protobuf text");
          message = (PhSpan) { wire->data, wire->len };
        }
    }
  return read_module (&reader, module_of (message)) && (wire != NULL || choose_only (hlo, error));
}
