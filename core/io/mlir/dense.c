/* dense.c: the elements of constants in MLIR text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/lexer.h"

GBytes *
ph_mlir_hex (const char *text, gsize size)
{
  guint8 *bytes;

  if (size < 2 || size % 2 != 0 || text[0] != '0' || text[1] != 'x')
    return NULL;
  bytes = g_try_malloc (size / 2);
  if (bytes == NULL)
    return NULL;
  for (gsize i = 2; i < size; i += 2)
    {
      const int high = g_ascii_xdigit_value (text[i]), low = g_ascii_xdigit_value (text[i + 1]);

      if (high < 0 || low < 0)
        {
          g_free (bytes);
          return NULL;
        }
      bytes[i / 2 - 1] = (guint8) (high * 16 + low);
    }
  return g_bytes_new_take (bytes, size / 2 - 1);
}

static PhTensor *
own (PhMlirParser *parser, PhTensor *tensor)
{
  if (tensor != NULL)
    g_ptr_array_add (parser->module->tensors, tensor);
  return tensor;
}

/* Elements as they lie in memory on the machine that wrote them, bits packed where they are bool. */
static PhTensor *
tensor_of_bytes (PhMlirParser *parser, const PhType *type, const gint64 *dims, gsize count, GBytes *bytes)
{
  const gsize size = ph_dtype_size (type->dtype), have = g_bytes_get_size (bytes);
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  PhTensor *tensor;

  if (type->dtype == PH_BOOL && have == 1 && count > 1 && (data[0] == 0 || data[0] == 255))
    {
      const guint8 element = data[0] != 0;

      return ph_tensor_new_splat (type->dtype, type->rank, dims, &element);
    }
  if (type->dtype == PH_BOOL && have == (count + 7) / 8 && have != count)
    {
      tensor = ph_tensor_new (type->dtype, type->rank, dims);
      for (gsize i = 0; tensor != NULL && i < count; i++)
        ((guint8 *) ph_tensor_writable (tensor))[i] = (data[i / 8] >> (i % 8)) & 1;
      return tensor;
    }
  if (have == size && count > 1)
    return ph_tensor_new_splat (type->dtype, type->rank, dims, data);
  if (have != count * size)
    {
      ph_mlir_fail (parser, "the constant has %" G_GSIZE_FORMAT " bytes, but its type needs %" G_GSIZE_FORMAT, have,
                    count * size);
      return NULL;
    }
  return ph_tensor_new_from_bytes (type->dtype, type->rank, dims, bytes);
}

typedef struct
{
  gdouble re, im;
  gint64 i;
} Element;

static gboolean
parse_real (PhMlirParser *parser, PhDType dtype, double *value, gint64 *number)
{
  gboolean negative = ph_mlir_take (parser, '-');
  char text[64];
  const gsize length = (gsize) (parser->token.end - parser->token.start);

  if (length >= sizeof text)
    return ph_mlir_fail (parser, "a number of %" G_GSIZE_FORMAT " digits cannot be read", length);
  memcpy (text, parser->token.start, length);
  text[length] = '\0';
  if (parser->token.kind == PH_MLIR_ID && (strcmp (text, "true") == 0 || strcmp (text, "false") == 0))
    *value = (double) (*number = text[0] == 't');
  else if (parser->token.kind == PH_MLIR_INTEGER && g_str_has_prefix (text, "0x")
           && (ph_dtype_is_float (dtype) || dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128))
    {
      const guint64 bits = g_ascii_strtoull (text, NULL, 16);
      const PhDType part = dtype == PH_COMPLEX64 ? PH_FLOAT : dtype == PH_COMPLEX128 ? PH_DOUBLE : dtype;

      *value = ph_dtype_load (part, &bits, 0);
    }
  else if (parser->token.kind == PH_MLIR_INTEGER)
    {
      const guint64 bits = g_ascii_strtoull (text, NULL, g_str_has_prefix (text, "0x") ? 16 : 10);

      *number = (gint64) (negative ? 0 - bits : bits);
      *value = negative ? -(double) bits : (double) bits;
    }
  else if (parser->token.kind == PH_MLIR_REAL)
    *value = negative ? -g_ascii_strtod (text, NULL) : g_ascii_strtod (text, NULL);
  else
    return ph_mlir_fail (parser, "an element of the constant is expected here");
  ph_mlir_next (parser);
  return TRUE;
}

static gboolean
parse_element (PhMlirParser *parser, PhDType dtype, Element *element)
{
  *element = (Element) { 0 };
  if (!ph_mlir_take (parser, '('))
    return parse_real (parser, dtype, &element->re, &element->i);
  return parse_real (parser, dtype, &element->re, &element->i) && ph_mlir_expect (parser, ',')
         && parse_real (parser, dtype, &element->im, &element->i) && ph_mlir_expect (parser, ')');
}

static void
store (PhDType dtype, gpointer data, gsize index, const Element *element)
{
  if (dtype == PH_COMPLEX64)
    {
      ((float *) data)[2 * index] = (float) element->re;
      ((float *) data)[2 * index + 1] = (float) element->im;
    }
  else if (dtype == PH_COMPLEX128)
    {
      ((double *) data)[2 * index] = element->re;
      ((double *) data)[2 * index + 1] = element->im;
    }
  else if (ph_dtype_is_float (dtype))
    ph_dtype_store (dtype, data, index, element->re);
  else
    ph_dtype_store_int (dtype, data, index, element->i);
}

/* Parses nested lists. Their brackets need not agree with the shape, but the count must. */
static gboolean
parse_elements (PhMlirParser *parser, PhDType dtype, gpointer data, gsize count)
{
  gsize done = 0;
  guint depth = 0;

  do
    {
      if (ph_mlir_take (parser, '['))
        depth++;
      else if (ph_mlir_is (parser, ']'))
        {
          depth--;
          ph_mlir_next (parser);
          if (depth > 0)
            ph_mlir_take (parser, ',');
        }
      else
        {
          Element element;

          if (done >= count)
            return ph_mlir_fail (parser, "the constant has more elements than the %" G_GSIZE_FORMAT " of its type", count);
          if (!parse_element (parser, dtype, &element))
            return FALSE;
          store (dtype, data, done++, &element);
          if (!ph_mlir_is (parser, ']') && !ph_mlir_expect (parser, ','))
            return FALSE;
        }
    }
  while (depth > 0 && parser->error == NULL);
  if (parser->error == NULL && done != count)
    return ph_mlir_fail (parser, "the constant has %" G_GSIZE_FORMAT " elements, but its type needs %" G_GSIZE_FORMAT, done,
                         count);
  return parser->error == NULL;
}

static PhTensor *
parse_literal (PhMlirParser *parser, const PhType *type)
{
  gint64 dims[PH_MAX_RANK];
  gsize count;
  PhTensor *tensor = NULL;
  Element element;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  if (!ph_tensor_count_elements (type->rank, dims, &count))
    {
      ph_mlir_fail (parser, "a constant of this type is too large");
      return NULL;
    }
  if (parser->token.kind == PH_MLIR_QUOTED)
    {
      g_autoptr (GBytes) bytes = ph_mlir_hex (parser->token.start + 1, (gsize) (parser->token.end - parser->token.start) - 2);

      if (bytes == NULL)
        {
          ph_mlir_fail (parser, "the bytes of a constant are expected here, as \"0x...\"");
          return NULL;
        }
      return tensor_of_bytes (parser, type, dims, count, bytes);
    }
  if (ph_mlir_is (parser, '>') && count == 0)
    return ph_tensor_new (type->dtype, type->rank, dims);
  if (ph_mlir_is (parser, '['))
    {
      if (count > (gsize) (parser->end - parser->p))
        {
          ph_mlir_fail (parser, "the constant's type has more elements than the file has characters");
          return NULL;
        }
      tensor = ph_tensor_new (type->dtype, type->rank, dims);
      if (tensor != NULL && !parse_elements (parser, type->dtype, ph_tensor_writable (tensor), count))
        g_clear_pointer (&tensor, ph_tensor_unref);
      return tensor;
    }
  if (parse_element (parser, type->dtype, &element))
    {
      guint64 bits[2] = { 0, 0 };

      store (type->dtype, bits, 0, &element);
      tensor = ph_tensor_new_splat (type->dtype, type->rank, dims, bits);
    }
  return tensor;
}

/* Reads dense_resource<name>. */
static PhTensor *
resource (PhMlirParser *parser, const PhType *type, const char *name)
{
  GBytes *blob = g_hash_table_lookup (parser->resources, name);
  gint64 dims[PH_MAX_RANK];
  gsize count, size;

  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  if (blob == NULL || !ph_tensor_count_elements (type->rank, dims, &count))
    return NULL;
  size = g_bytes_get_size (blob);
  if (size != count * ph_dtype_size (type->dtype) && size != ph_dtype_size (type->dtype) && type->dtype != PH_BOOL)
    {
      ph_source_problem (parser->source,
                         "The resource '%s' has %" G_GSIZE_FORMAT
                         " bytes, but its type needs another number: its values are unknown",
                         name, size);
      return NULL;
    }
  return tensor_of_bytes (parser, type, dims, count, blob);
}

PhMlirAttr *
ph_mlir_dense (PhMlirParser *parser)
{
  const gboolean is_resource = ph_mlir_is_word (parser, "dense_resource");
  PhMlirAttr *attr = ph_mlir_new (parser, sizeof *attr);
  PhMlirToken open, after;
  const char *from = parser->token.start;

  attr->kind = PH_MLIR_TENSOR;
  ph_mlir_next (parser);
  open = parser->token;
  if (!ph_mlir_is (parser, '<'))
    {
      attr->kind = PH_MLIR_TEXT;
      attr->text = ph_mlir_span (parser, from);
      return attr;
    }
  ph_mlir_skip (parser);
  if (!ph_mlir_is (parser, ':')) /* the type comes first: memref.global */
    {
      attr->kind = PH_MLIR_TEXT;
      attr->text = "dense<...>";
      return attr;
    }
  if (!ph_mlir_expect (parser, ':') || !ph_mlir_type (parser, &attr->type))
    return NULL;
  after = parser->token;
  ph_mlir_seek (parser, &open);
  ph_mlir_next (parser);
  if (attr->type.type == NULL || attr->type.opaque || !ph_type_is_static (attr->type.type)
      || ph_dtype_size (attr->type.type->dtype) == 0 || attr->type.type->dtype == PH_STRING)
    ;
  else if (is_resource && parser->token.kind == PH_MLIR_ID)
    attr->tensor = own (parser, resource (parser, attr->type.type, ph_mlir_text (parser)));
  else if (is_resource || parser->token.kind == PH_MLIR_ID)
    {
      if (ph_mlir_is_word (parser, "true") || ph_mlir_is_word (parser, "false"))
        attr->tensor = own (parser, parse_literal (parser, attr->type.type));
    }
  else
    attr->tensor = own (parser, parse_literal (parser, attr->type.type));
  if (parser->error != NULL)
    return NULL;
  ph_mlir_seek (parser, &after);
  return attr;
}
