/* text-tensor.c: numbers and tensors of the text form, their elements in braces or in another file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/text-parser.h"

gboolean
ph_text_number (PhTextParser *parser, double *f, gint64 *i)
{
  PhLexer *lexer = &parser->lexer;
  PhToken *token = &lexer->token;

  if (token->kind == PH_TOKEN_INT)
    {
      *i = token->i;
      *f = token->f;
    }
  else if (token->kind == PH_TOKEN_FLOAT)
    {
      *f = token->f;
      *i = token->f >= -9.2e18 && token->f <= 9.2e18 ? (gint64) token->f : 0;
    }
  else if (token->kind == PH_TOKEN_NAME && (g_str_equal (token->text, "true") || g_str_equal (token->text, "false")))
    {
      *i = g_str_equal (token->text, "true");
      *f = (double) *i;
    }
  else if (token->kind == PH_TOKEN_NAME
           && (g_ascii_strcasecmp (token->text, "inf") == 0 || g_ascii_strcasecmp (token->text, "nan") == 0))
    {
      *f = g_ascii_strtod (token->text, NULL);
      *i = 0;
    }
  else if (ph_lexer_is (lexer, '.'))
    return ph_lexer_fail (lexer, "the elements were left out when this text was printed, so it cannot be read back");
  else
    return ph_lexer_fail (lexer, "a number is expected here, not %s", ph_lexer_describe (lexer));
  return ph_lexer_next (lexer);
}

static gboolean
parse_element (PhTextParser *parser, Onnx__TensorProto *tensor, PhTextList *list)
{
  PhDType dtype = (PhDType) tensor->data_type;
  guint8 bits[16] = { 0 };
  double f = 0;
  gint64 i = 0;

  if (dtype == PH_STRING)
    {
      gsize length = parser->lexer.token.length;
      char *text = ph_text_string (parser);

      if (text == NULL)
        return FALSE;
      LIST_ADD (list, ProtobufCBinaryData, ((ProtobufCBinaryData) { length, (guint8 *) text }));
      return TRUE;
    }
  if (!ph_text_number (parser, &f, &i))
    return FALSE;
  switch (dtype)
    {
    case PH_FLOAT:
    case PH_COMPLEX64: LIST_ADD (list, float, (float) f); break;
    case PH_DOUBLE:
    case PH_COMPLEX128: LIST_ADD (list, double, f); break;
    case PH_INT64:
    case PH_UINT64:
    case PH_UINT32: LIST_ADD (list, gint64, i); break;
    default:
      if (ph_dtype_is_float (dtype))
        ph_dtype_store (dtype, bits, 0, f);
      else
        ph_dtype_store_int (dtype, bits, 0, i);
      LIST_ADD (list, gint32,
                ph_dtype_size (dtype) == 4   ? *(gint32 *) (gpointer) bits
                : ph_dtype_size (dtype) == 2 ? *(guint16 *) (gpointer) bits
                                             : bits[0]);
    }
  return TRUE;
}

static gboolean
parse_external (PhTextParser *parser, Onnx__TensorProto *tensor)
{
  PhLexer *lexer = &parser->lexer;
  PhTextList entries = { 0 };

  tensor->has_data_location = TRUE;
  tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  do
    {
      Onnx__StringStringEntryProto *entry = ph_proto_new (parser->arena, Onnx__StringStringEntryProto,
                                                          onnx__string_string_entry_proto);

      entry->key = ph_text_string (parser);
      if (entry->key == NULL || !ph_lexer_expect (lexer, ':') || (entry->value = ph_text_string (parser)) == NULL)
        return FALSE;
      LIST_ADD (&entries, gpointer, entry);
    }
  while (ph_lexer_take (lexer, ','));
  tensor->external_data = entries.data;
  tensor->n_external_data = entries.n;
  return ph_lexer_expect (lexer, ']');
}

/* Parses a tensor from the current token "{" on. */
Onnx__TensorProto *
ph_text_tensor (PhTextParser *parser, const Onnx__TypeProto *type, char *name)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__TensorProto *tensor = ph_proto_new (parser->arena, Onnx__TensorProto, onnx__tensor_proto);
  Onnx__TensorShapeProto *shape;
  PhTextList list = { 0 };

  ph_lexer_mark (lexer, tensor, &lexer->token);
  if (type == NULL || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || type->tensor_type->shape == NULL)
    {
      ph_lexer_fail (lexer, "elements need a tensor type with a shape before them");
      return NULL;
    }
  shape = type->tensor_type->shape;
  tensor->name = name;
  tensor->has_data_type = TRUE;
  tensor->data_type = type->tensor_type->elem_type;
  tensor->n_dims = shape->n_dim;
  tensor->dims = ph_arena_alloc (parser->arena, shape->n_dim * sizeof *tensor->dims);
  for (gsize i = 0; i < shape->n_dim; i++)
    {
      if (shape->dim[i]->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
        {
          ph_lexer_fail (lexer, "a tensor with elements needs numbers as dimensions");
          return NULL;
        }
      tensor->dims[i] = shape->dim[i]->dim_value;
    }
  if (ph_lexer_take (lexer, '['))
    return parse_external (parser, tensor) ? tensor : NULL;
  if (!ph_lexer_expect (lexer, '{'))
    return NULL;
  while (!ph_lexer_is (lexer, '}'))
    if (!parse_element (parser, tensor, &list) || (!ph_lexer_is (lexer, '}') && !ph_lexer_expect (lexer, ',')))
      return NULL;
  if (!ph_lexer_expect (lexer, '}'))
    return NULL;
  switch ((PhDType) tensor->data_type)
    {
    case PH_FLOAT:
    case PH_COMPLEX64:
      tensor->float_data = list.data;
      tensor->n_float_data = list.n;
      break;
    case PH_DOUBLE:
    case PH_COMPLEX128:
      tensor->double_data = list.data;
      tensor->n_double_data = list.n;
      break;
    case PH_INT64:
      tensor->int64_data = list.data;
      tensor->n_int64_data = list.n;
      break;
    case PH_UINT64:
    case PH_UINT32:
      tensor->uint64_data = list.data;
      tensor->n_uint64_data = list.n;
      break;
    case PH_STRING:
      tensor->string_data = list.data;
      tensor->n_string_data = list.n;
      break;
    default:
      tensor->int32_data = list.data;
      tensor->n_int32_data = list.n;
      break;
    }
  return tensor;
}
