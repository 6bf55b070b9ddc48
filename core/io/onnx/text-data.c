/* text-data.c: names, types, numbers and tensors as ONNX's own text syntax.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/text-printer.h"

#include "core/io/onnx/onnx-tensor.h"
#include "core/tensor/digest.h"

#include <math.h>
#include <string.h>

void
ph_text_new_line (PhTextPrinter *printer)
{
  g_string_append_c (printer->out, '\n');
  for (guint i = 0; i < printer->indent; i++)
    g_string_append (printer->out, "  ");
}

void
ph_text_print_string (PhTextPrinter *printer, const char *text, gsize length)
{
  g_string_append_c (printer->out, '"');
  for (gsize i = 0; i < length;)
    {
      guchar c = (guchar) text[i];

      if (c >= 0x80)
        {
          gunichar wide = g_utf8_get_char_validated (text + i, (gssize) (length - i));

          if (wide != (gunichar) -1 && wide != (gunichar) -2)
            {
              gsize n = (gsize) (g_utf8_next_char (text + i) - (text + i));

              g_string_append_len (printer->out, text + i, (gssize) n);
              i += n;
              continue;
            }
        }
      if (c == '"' || c == '\\')
        g_string_append_printf (printer->out, "\\%c", c);
      else if (c == '\n')
        g_string_append (printer->out, "\\n");
      else if (c == '\t')
        g_string_append (printer->out, "\\t");
      else if (c < 0x20 || c >= 0x7f)
        g_string_append_printf (printer->out, "\\x%02x", c);
      else
        g_string_append_c (printer->out, (char) c);
      i++;
    }
  g_string_append_c (printer->out, '"');
}

void
ph_text_print_name (PhTextPrinter *printer, const char *name)
{
  if (name != NULL && ph_text_is_name (name))
    g_string_append (printer->out, name);
  else
    ph_text_print_string (printer, name != NULL ? name : "", name != NULL ? strlen (name) : 0);
}

/* ── types ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
print_shape (PhTextPrinter *printer, const Onnx__TensorShapeProto *shape)
{
  if (shape == NULL)
    g_string_append (printer->out, "[]");
  else if (shape->n_dim > 0)
    {
      g_string_append_c (printer->out, '[');
      for (gsize i = 0; i < shape->n_dim; i++)
        {
          const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];

          if (i > 0)
            g_string_append_c (printer->out, ',');
          if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0)
            g_string_append_printf (printer->out, "%" G_GINT64_FORMAT, (gint64) dim->dim_value);
          else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && dim->dim_param[0] != '\0')
            ph_text_print_name (printer, dim->dim_param);
          else
            g_string_append_c (printer->out, '?');
        }
      g_string_append_c (printer->out, ']');
    }
}

static const char *
dtype_word (gint32 dtype)
{
  return dtype > PH_UNDEFINED && dtype < PH_N_DTYPES ? ph_dtype_name ((PhDType) dtype) : "undefined";
}

/* Returns FALSE, having printed nothing, if the type is unknown. */
gboolean
ph_text_print_type (PhTextPrinter *printer, const Onnx__TypeProto *type)
{
  if (type == NULL)
    return FALSE;
  switch (type->value_case)
    {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
      if (type->tensor_type->elem_type <= PH_UNDEFINED || type->tensor_type->elem_type >= PH_N_DTYPES)
        return FALSE;
      g_string_append (printer->out, dtype_word (type->tensor_type->elem_type));
      print_shape (printer, type->tensor_type->shape);
      return TRUE;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      g_string_append (printer->out, "seq(");
      if (!ph_text_print_type (printer, type->sequence_type->elem_type))
        g_string_append (printer->out, "undefined");
      break;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      g_string_append (printer->out, "optional(");
      if (!ph_text_print_type (printer, type->optional_type->elem_type))
        g_string_append (printer->out, "undefined");
      break;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
      g_string_append_printf (printer->out, "map(%s, ", dtype_word (type->map_type->key_type));
      if (!ph_text_print_type (printer, type->map_type->value_type))
        g_string_append (printer->out, "undefined");
      break;
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
      g_string_append_printf (printer->out, "sparse_tensor(%s", dtype_word (type->sparse_tensor_type->elem_type));
      print_shape (printer, type->sparse_tensor_type->shape);
      break;
    case ONNX__TYPE_PROTO__VALUE__NOT_SET:
    default:
      {
        g_autofree char *opaque = ph_type_proto_opaque (type);

        if (opaque == NULL)
          return FALSE;
        g_string_append (printer->out, "opaque(");
        ph_text_print_string (printer, opaque, strlen (opaque));
      }
    }
  g_string_append_c (printer->out, ')');
  return TRUE;
}

/* ── tensors ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Prints the shortest decimal that reads back as the same number. */
void
ph_text_print_double (PhTextPrinter *printer, double value, guint least, guint most, gboolean as_float)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[8];

  if (isnan (value))
    {
      g_string_append (printer->out, "nan");
      return;
    }
  if (isinf (value))
    {
      g_string_append (printer->out, value > 0 ? "inf" : "-inf");
      return;
    }
  for (guint digits = least; digits <= most; digits++)
    {
      double back;

      g_snprintf (format, sizeof format, "%%.%ug", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      back = g_ascii_strtod (text, NULL);
      if (most > 9 ? back == value : (float) back == (float) value)
        break;
    }
  g_string_append (printer->out, text);
  if (as_float && strpbrk (text, ".e") == NULL)
    g_string_append (printer->out, ".0");
}

static void
print_element (PhTextPrinter *printer, PhTensor *tensor, gsize index)
{
  PhDType dtype = ph_tensor_dtype (tensor);

  if (dtype == PH_STRING)
    {
      const char *text = ph_tensor_get_string (tensor, index);

      ph_text_print_string (printer, text != NULL ? text : "", text != NULL ? strlen (text) : 0);
    }
  else if ((dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128) && ph_tensor_data (tensor) == NULL)
    g_string_append (printer->out, "0, 0"); /* a fault was left */
  else if (dtype == PH_COMPLEX64)
    {
      const float *data = ph_tensor_data (tensor);

      ph_text_print_double (printer, (double) data[2 * index], 6, 9, FALSE);
      g_string_append (printer->out, ", ");
      ph_text_print_double (printer, (double) data[2 * index + 1], 6, 9, FALSE);
    }
  else if (dtype == PH_COMPLEX128)
    {
      const double *data = ph_tensor_data (tensor);

      ph_text_print_double (printer, data[2 * index], 15, 17, FALSE);
      g_string_append (printer->out, ", ");
      ph_text_print_double (printer, data[2 * index + 1], 15, 17, FALSE);
    }
  else if (dtype == PH_DOUBLE)
    ph_text_print_double (printer, ph_tensor_get (tensor, index), 15, 17, FALSE);
  else if (dtype == PH_FLOAT8E8M0) /* exact, since what is read is rounded up to the next power of two */
    ph_text_print_double (printer, ph_tensor_get (tensor, index), 2, 17, FALSE);
  else if (ph_dtype_is_float (dtype))
    ph_text_print_double (printer, ph_tensor_get (tensor, index), dtype == PH_FLOAT ? 6 : 2, 9, FALSE);
  else if (dtype == PH_UINT64)
    g_string_append_printf (printer->out, "%" G_GUINT64_FORMAT, (guint64) ph_tensor_get_int (tensor, index));
  else
    g_string_append_printf (printer->out, "%" G_GINT64_FORMAT, ph_tensor_get_int (tensor, index));
}

void
ph_text_print_elements (PhTextPrinter *printer, const Onnx__TensorProto *proto)
{
  g_autoptr (PhTensor) read = NULL;
  PhTensor *tensor = printer->tensors != NULL ? g_hash_table_lookup (printer->tensors, proto) : NULL;
  gsize count;

  if (tensor == NULL)
    {
      g_auto (PhSource) base = { 0 };
      PhOnnxSource source = { .base = &base };

      ph_source_init (&base, NULL, NULL);
      tensor = read = ph_tensor_from_proto (&source, proto, "the tensor", NULL);
    }
  count = tensor != NULL ? ph_tensor_count (tensor) : 0;
  if (tensor == NULL)
    g_string_append (printer->out, "{...}");
  else if (count > printer->max_elements)
    g_string_append_printf (printer->out, "{... %" G_GSIZE_FORMAT " elements, %016" G_GINT64_MODIFIER "x}", count,
                            ph_tensor_digest (tensor));
  else
    {
      g_string_append_c (printer->out, '{');
      for (gsize i = 0; i < count && !(i % 4096 == 0 && g_cancellable_is_cancelled (printer->cancellable)); i++)
        {
          if (i > 0)
            g_string_append (printer->out, ", ");
          print_element (printer, tensor, i);
        }
      g_string_append_c (printer->out, '}');
    }
}

void
ph_text_print_tensor_type (PhTextPrinter *printer, const Onnx__TensorProto *tensor)
{
  g_string_append (printer->out, dtype_word (tensor->data_type));
  for (gsize i = 0; i < tensor->n_dims; i++)
    g_string_append_printf (printer->out, "%s%" G_GINT64_FORMAT, i == 0 ? "[" : ",", (gint64) tensor->dims[i]);
  if (tensor->n_dims > 0)
    g_string_append_c (printer->out, ']');
}

void
ph_text_print_tensor (PhTextPrinter *printer, const Onnx__TensorProto *tensor)
{
  ph_text_print_tensor_type (printer, tensor);
  g_string_append_c (printer->out, ' ');
  ph_text_print_elements (printer, tensor);
}
