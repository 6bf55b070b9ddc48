/* bytecode-builtin.c: the types and attributes of MLIR itself in its binary form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/bytecode-text.h"

/* ── text ── */

void
ph_mlir_write_quoted (GString *out, PhSpan text)
{
  g_string_append_c (out, '"');
  for (gsize i = 0; i < text.size; i++)
    if (text.data[i] < 32 || text.data[i] > 126 || text.data[i] == '"' || text.data[i] == '\\')
      g_string_append_printf (out, "\\%02X", text.data[i]);
    else
      g_string_append_c (out, (char) text.data[i]);
  g_string_append_c (out, '"');
}

void
ph_mlir_write_key (GString *out, const char *text)
{
  const gsize length = strlen (text);
  gboolean bare = length > 2 && text[0] == '"' && (g_ascii_isalpha (text[1]) || text[1] == '_');

  for (gsize i = 1; bare && i + 1 < length; i++)
    bare = g_ascii_isalnum (text[i]) || strchr ("_$.", text[i]) != NULL;
  if (bare)
    g_string_append_len (out, text + 1, (gssize) length - 2);
  else
    g_string_append (out, text);
}

guint
ph_mlir_bit_width (const char *type)
{
  if (g_str_equal (type, "index"))
    return 64;
  if (g_str_equal (type, "tf32"))
    return 19;
  type += strspn (type, "suib");
  return (guint) g_ascii_strtoull (*type == 'f' ? type + 1 : type, NULL, 10);
}

void
ph_mlir_write_number (GString *out, const char *type, guint64 bits)
{
  const guint width = ph_mlir_bit_width (type);

  if (g_str_equal (type, "i1"))
    g_string_append (out, bits & 1 ? "true" : "false");
  else if (*type == 'f' || *type == 'b' || *type == 't')
    g_string_append_printf (out, "0x%0*" G_GINT64_MODIFIER "X : %s", (int) (MIN (width, 64) + 3) / 4, bits, type);
  else if (*type == 'u' || width == 0 || width > 64)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT " : %s", bits, type);
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT " : %s", (gint64) (bits << (64 - width)) >> (64 - width), type);
}

void
ph_mlir_write_dims (PhMlirBytes *bytes, GString *out)
{
  const guint n = ph_mlir_take_count (bytes);

  for (guint i = 0; i < n; i++)
    {
      const gint64 size = ph_mlir_take_signed (bytes);

      if (size < 0) /* the least number stands for a size that is open */
        g_string_append (out, "?x");
      else
        g_string_append_printf (out, "%" G_GINT64_FORMAT "x", size);
    }
}

void
ph_mlir_write_list (PhMlirBytes *bytes, GString *out, const char *(*take) (PhMlirBytes *bytes))
{
  const guint n = ph_mlir_take_count (bytes);

  for (guint i = 0; i < n; i++)
    {
      const char *text = take (bytes);

      if (!ph_mlir_code_spend (bytes->code, strlen (text))) /* a long one may be listed many times */
        return;
      g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", text);
    }
}

void
ph_mlir_write_dictionary (PhMlirBytes *bytes, GString *out)
{
  const guint n = ph_mlir_take_count (bytes);

  g_string_append_c (out, '{');
  for (guint i = 0; i < n; i++)
    {
      const char *name = ph_mlir_take_attr (bytes), *value = ph_mlir_take_attr (bytes);

      if (!ph_mlir_code_spend (bytes->code, strlen (name) + strlen (value)))
        return;
      g_string_append (out, i > 0 ? ", " : "");
      ph_mlir_write_key (out, name);
      if (!g_str_equal (value, "unit"))
        g_string_append_printf (out, " = %s", value);
    }
  g_string_append_c (out, '}');
}

void
ph_mlir_write_function (PhMlirBytes *bytes, GString *out)
{
  g_string_append_c (out, '(');
  ph_mlir_write_list (bytes, out, ph_mlir_take_type);
  g_string_append (out, ") -> (");
  ph_mlir_write_list (bytes, out, ph_mlir_take_type);
  g_string_append_c (out, ')');
}

void
ph_mlir_write_tensor (PhMlirBytes *bytes, gboolean is_encoded, GString *out)
{
  const char *encoding = is_encoded ? ph_mlir_take_attr (bytes) : NULL;

  g_string_append (out, "tensor<");
  ph_mlir_write_dims (bytes, out);
  g_string_append_printf (out, "%s%s%s>", ph_mlir_take_type (bytes), encoding != NULL ? ", " : "",
                          encoding != NULL ? encoding : "");
}

/* ── types ── */

enum
{
  TYPE_INTEGER,
  TYPE_INDEX,
  TYPE_FUNCTION,
  TYPE_BF16,
  TYPE_F16,
  TYPE_F32,
  TYPE_F64,
  TYPE_F80,
  TYPE_F128,
  TYPE_COMPLEX,
  TYPE_MEMREF,
  TYPE_MEMREF_IN_SPACE,
  TYPE_NONE,
  TYPE_TENSOR,
  TYPE_TENSOR_ENCODED,
  TYPE_TUPLE,
  TYPE_UNRANKED_MEMREF,
  TYPE_UNRANKED_MEMREF_IN_SPACE,
  TYPE_UNRANKED_TENSOR,
  TYPE_VECTOR,
  TYPE_SCALABLE_VECTOR
};

/* "memref<2x?xf32, layout, space>" */
static void
write_memref (PhMlirBytes *bytes, gboolean in_space, GString *out)
{
  const char *space = in_space ? ph_mlir_take_attr (bytes) : NULL;

  g_string_append (out, "memref<");
  ph_mlir_write_dims (bytes, out);
  g_string_append (out, ph_mlir_take_type (bytes));
  {
    const char *layout = ph_mlir_take_attr (bytes);

    if (!g_str_has_prefix (layout, "affine_map<(d0") || strstr (layout, "s0") != NULL)
      g_string_append_printf (out, ", %s", layout);
  }
  if (space != NULL)
    g_string_append_printf (out, ", %s", space);
  g_string_append_c (out, '>');
}

gboolean
ph_mlir_builtin_type (PhMlirBytes *bytes, GString *out)
{
  static const char *const words[] = { [TYPE_INDEX] = "index", [TYPE_BF16] = "bf16", [TYPE_F16] = "f16",   [TYPE_F32] = "f32",
                                       [TYPE_F64] = "f64",     [TYPE_F80] = "f80",   [TYPE_F128] = "f128", [TYPE_NONE] = "none" };
  const guint64 kind = ph_mlir_take_number (bytes);
  guint64 number;
  const char *text;

  if (kind < G_N_ELEMENTS (words) && words[kind] != NULL)
    {
      g_string_append (out, words[kind]);
      return TRUE;
    }
  switch (kind)
    {
    case TYPE_INTEGER:
      number = ph_mlir_take_number (bytes);
      g_string_append_printf (out, "%si%" G_GUINT64_FORMAT, (number & 3) == 1 ? "s" : (number & 3) == 2 ? "u" : "", number >> 2);
      return TRUE;
    case TYPE_FUNCTION: ph_mlir_write_function (bytes, out); return TRUE;
    case TYPE_COMPLEX: g_string_append_printf (out, "complex<%s>", ph_mlir_take_type (bytes)); return TRUE;
    case TYPE_MEMREF:
    case TYPE_MEMREF_IN_SPACE: write_memref (bytes, kind == TYPE_MEMREF_IN_SPACE, out); return TRUE;
    case TYPE_TENSOR:
    case TYPE_TENSOR_ENCODED: ph_mlir_write_tensor (bytes, kind == TYPE_TENSOR_ENCODED, out); return TRUE;
    case TYPE_TUPLE:
      g_string_append (out, "tuple<");
      ph_mlir_write_list (bytes, out, ph_mlir_take_type);
      g_string_append_c (out, '>');
      return TRUE;
    case TYPE_UNRANKED_MEMREF: g_string_append_printf (out, "memref<*x%s>", ph_mlir_take_type (bytes)); return TRUE;
    case TYPE_UNRANKED_MEMREF_IN_SPACE:
      text = ph_mlir_take_attr (bytes);
      g_string_append_printf (out, "memref<*x%s, %s>", ph_mlir_take_type (bytes), text);
      return TRUE;
    case TYPE_UNRANKED_TENSOR: g_string_append_printf (out, "tensor<*x%s>", ph_mlir_take_type (bytes)); return TRUE;
    case TYPE_VECTOR:
    case TYPE_SCALABLE_VECTOR:
      g_string_append (out, "vector<");
      if (kind == TYPE_SCALABLE_VECTOR)
        {
          const guint n = ph_mlir_take_count (bytes); /* flags: which sizes are scaled */

          for (guint i = 0; i < n; i++)
            ph_mlir_take_number (bytes);
        }
      ph_mlir_write_dims (bytes, out);
      g_string_append_printf (out, "%s>", ph_mlir_take_type (bytes));
      return TRUE;
    default: return FALSE;
    }
}

/* ── attributes ── */

enum
{
  ATTR_ARRAY,
  ATTR_DICTIONARY,
  ATTR_STRING,
  ATTR_TYPED_STRING,
  ATTR_FLAT_SYMBOL,
  ATTR_SYMBOL,
  ATTR_TYPE,
  ATTR_UNIT,
  ATTR_INTEGER,
  ATTR_FLOAT,
  LOC_CALL_SITE,
  LOC_FILE,
  LOC_FUSED,
  LOC_FUSED_WITH_DATA,
  LOC_NAME,
  LOC_UNKNOWN,
  ATTR_DENSE_RESOURCE,
  ATTR_DENSE_ARRAY,
  ATTR_DENSE,
  ATTR_DENSE_STRINGS,
  ATTR_SPARSE,
  ATTR_DISTINCT,
  LOC_FILE_RANGE
};

/* "array<i64: 1, 2>" */
static void
write_array (PhMlirBytes *bytes, GString *out)
{
  const char *type = ph_mlir_take_type (bytes);
  const guint n = ph_mlir_take_count (bytes);
  const guint width = (ph_mlir_bit_width (type) + 7) / 8;
  PhSpan data = ph_mlir_take_span (bytes, ph_mlir_take_number (bytes));

  g_string_append_printf (out, "array<%s", type);
  for (gsize i = 0; i < n && width > 0 && width <= 8 && (i + 1) * width <= data.size; i++)
    {
      g_autoptr (GString) item = g_string_new (NULL);
      guint64 bits = 0;

      for (guint k = width; k-- > 0;)
        bits = bits << 8 | data.data[i * width + k];
      ph_mlir_write_number (item, type, bits);
      g_string_append_printf (out, "%s%.*s", i > 0 ? ", " : ": ", (int) strcspn (item->str, " "), item->str);
    }
  g_string_append_c (out, '>');
}

static void
write_symbol (PhMlirBytes *bytes, gboolean nested, GString *out)
{
  g_string_append_c (out, '@');
  ph_mlir_write_key (out, ph_mlir_take_attr (bytes));
  if (nested)
    {
      const guint n = ph_mlir_take_count (bytes);

      for (guint i = 0; i < n; i++)
        g_string_append_printf (out, "::%s", ph_mlir_take_attr (bytes));
    }
}

/* A location is defined once, as an alias, however many operations have it. */
static gboolean
write_location (PhMlirBytes *bytes, guint64 kind, guint index, GString *out)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *callee, *metadata = NULL;
  guint64 line;

  switch (kind)
    {
    case LOC_CALL_SITE:
      callee = ph_mlir_take_attr (bytes);
      g_string_append_printf (text, "callsite(%s at %s)", callee, ph_mlir_take_attr (bytes));
      break;
    case LOC_FILE:
      g_string_append (text, ph_mlir_take_attr (bytes));
      line = ph_mlir_take_number (bytes);
      g_string_append_printf (text, ":%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, line, ph_mlir_take_number (bytes));
      break;
    case LOC_FILE_RANGE:
      {
        const char *file = ph_mlir_take_attr (bytes);
        const guint n = ph_mlir_take_count (bytes); /* begin, and whether the end is said */
        guint64 numbers[2] = { 0, 0 };

        for (guint i = 0; i < n; i++)
          {
            const guint64 number = ph_mlir_take_number (bytes);

            if (i < 2)
              numbers[i] = number;
          }
        g_string_append_printf (text, "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, file, numbers[0], numbers[1]);
        break;
      }
    case LOC_FUSED:
    case LOC_FUSED_WITH_DATA:
      g_string_append (text, "fused[");
      ph_mlir_write_list (bytes, text, ph_mlir_take_attr);
      g_string_append_c (text, ']');
      if (kind == LOC_FUSED_WITH_DATA)
        metadata = ph_mlir_take_attr (bytes);
      if (metadata != NULL)
        {
          g_autofree char *data = g_strdup_printf ("<%s>", metadata);

          g_string_insert (text, strlen ("fused"), data);
        }
      break;
    case LOC_NAME:
      callee = ph_mlir_take_attr (bytes);
      g_string_append_printf (text, "%s(%s)", callee, ph_mlir_take_attr (bytes));
      break;
    case LOC_UNKNOWN:
    default: g_string_append (text, "unknown"); break;
    }
  ph_mlir_code_spend (bytes->code, text->len);
  g_string_append_printf (bytes->code->locations, "#loc%u = loc(%s)\n", index, text->str);
  g_string_append_printf (out, "#loc%u", index);
  return TRUE;
}

static void
write_strings (PhMlirBytes *bytes, GString *out)
{
  const char *type = ph_mlir_take_type (bytes);
  const gboolean splat = ph_mlir_take_number (bytes) != 0;
  guint n = 0;

  g_string_append (out, "dense<[");
  for (; bytes->p < bytes->end && bytes->code->error == NULL && (!splat || n == 0); n++)
    {
      const PhSpan text = ph_mlir_take_string (bytes);

      if (!ph_mlir_code_spend (bytes->code, text.size))
        return;
      g_string_append (out, n > 0 ? ", " : "");
      ph_mlir_write_quoted (out, text);
    }
  g_string_append_printf (out, "]> : %s", type);
}

gboolean
ph_mlir_builtin_attr (PhMlirBytes *bytes, guint index, GString *out)
{
  const guint64 kind = ph_mlir_take_number (bytes);
  const char *text;

  if ((kind >= LOC_CALL_SITE && kind <= LOC_UNKNOWN) || kind == LOC_FILE_RANGE)
    return write_location (bytes, kind, index, out);
  switch (kind)
    {
    case ATTR_ARRAY:
      g_string_append_c (out, '[');
      ph_mlir_write_list (bytes, out, ph_mlir_take_attr);
      g_string_append_c (out, ']');
      return TRUE;
    case ATTR_DICTIONARY: ph_mlir_write_dictionary (bytes, out); return TRUE;
    case ATTR_STRING:
    case ATTR_TYPED_STRING: ph_mlir_write_quoted (out, ph_mlir_take_string (bytes)); return TRUE;
    case ATTR_FLAT_SYMBOL:
    case ATTR_SYMBOL: write_symbol (bytes, kind == ATTR_SYMBOL, out); return TRUE;
    case ATTR_TYPE: g_string_append (out, ph_mlir_take_type (bytes)); return TRUE;
    case ATTR_UNIT: g_string_append (out, "unit"); return TRUE;
    case ATTR_INTEGER:
    case ATTR_FLOAT:
      text = ph_mlir_take_type (bytes);
      ph_mlir_write_number (out, text, ph_mlir_take_bits (bytes, ph_mlir_bit_width (text)));
      return TRUE;
    case ATTR_DENSE_RESOURCE:
      text = ph_mlir_take_type (bytes);
      g_string_append_printf (out, "dense_resource<resource%" G_GUINT64_FORMAT "> : %s", ph_mlir_take_number (bytes), text);
      return TRUE;
    case ATTR_DENSE_ARRAY: write_array (bytes, out); return TRUE;
    case ATTR_DENSE:
      text = ph_mlir_take_type (bytes);
      ph_mlir_write_dense (bytes->code, out, text, ph_mlir_take_span (bytes, ph_mlir_take_number (bytes)));
      return TRUE;
    case ATTR_DENSE_STRINGS: write_strings (bytes, out); return TRUE;
    case ATTR_SPARSE: g_string_append_printf (out, "sparse<%s>", ph_mlir_take_type (bytes)); return TRUE;
    case ATTR_DISTINCT: g_string_append_printf (out, "distinct[%u]<%s>", index, ph_mlir_take_attr (bytes)); return TRUE;
    default: return FALSE;
    }
}
