/* text-type.c: names, integers and types of the text form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/onnx/onnx-tensor.h"
#include "core/io/onnx/text-parser.h"

gpointer
ph_text_list_add (PhTextParser *parser, PhTextList *list, gsize size)
{
  if (list->n == list->room)
    {
      gsize room = MAX (8, list->room * 2);
      gpointer wider = ph_arena_alloc (parser->arena, room * size);

      if (list->n > 0)
        memcpy (wider, list->data, list->n * size);
      list->data = wider;
      list->room = room;
    }
  return (char *) list->data + size * list->n++;
}

char *
ph_text_name (PhTextParser *parser, const char *what)
{
  PhLexer *lexer = &parser->lexer;
  char *text = lexer->token.text;

  if (lexer->token.kind != PH_TOKEN_NAME && lexer->token.kind != PH_TOKEN_STRING)
    {
      ph_lexer_fail (lexer, "%s is expected here, not %s", what, ph_lexer_describe (lexer));
      return NULL;
    }
  return ph_lexer_next (lexer) ? text : NULL;
}

char *
ph_text_string (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  char *text = lexer->token.text;

  if (lexer->token.kind != PH_TOKEN_STRING)
    {
      ph_lexer_fail (lexer, "a string in quotes is expected here, not %s", ph_lexer_describe (lexer));
      return NULL;
    }
  return ph_lexer_next (lexer) ? text : NULL;
}

gboolean
ph_text_int (PhTextParser *parser, gint64 *value)
{
  PhLexer *lexer = &parser->lexer;

  if (lexer->token.kind != PH_TOKEN_INT)
    return ph_lexer_fail (lexer, "an integer is expected here, not %s", ph_lexer_describe (lexer));
  *value = lexer->token.i;
  return ph_lexer_next (lexer);
}

static gboolean
is_type_word (const char *word)
{
  return ph_dtype_from_name (word) != PH_UNDEFINED || g_str_equal (word, "seq") || g_str_equal (word, "optional")
         || g_str_equal (word, "map") || g_str_equal (word, "sparse_tensor") || g_str_equal (word, "opaque");
}

/* Returns TRUE if the token begins a type and is not a name that looks like one. */
gboolean
ph_text_at_type (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  char next;

  if (lexer->token.kind != PH_TOKEN_NAME || !is_type_word (lexer->token.text))
    return FALSE;
  next = ph_lexer_peek (lexer);
  if (ph_dtype_from_name (lexer->token.text) == PH_UNDEFINED)
    return next == '(';
  return next == '[' || next == '"' || next == '{' || next == '_' || g_ascii_isalpha (next);
}

static Onnx__TensorShapeProto *
parse_shape (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__TensorShapeProto *shape = ph_proto_new (parser->arena, Onnx__TensorShapeProto, onnx__tensor_shape_proto);
  PhTextList dims = { 0 };

  do
    {
      Onnx__TensorShapeProto__Dimension *dim = ph_proto_new (parser->arena, Onnx__TensorShapeProto__Dimension,
                                                             onnx__tensor_shape_proto__dimension);

      LIST_ADD (&dims, gpointer, dim);
      if (ph_lexer_take (lexer, '?'))
        continue;
      if (lexer->token.kind == PH_TOKEN_INT)
        {
          dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
          dim->dim_value = lexer->token.i;
          if (dim->dim_value < 0)
            {
              ph_lexer_fail (lexer, "a dimension cannot be negative");
              return NULL;
            }
          ph_lexer_next (lexer);
        }
      else
        {
          dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
          dim->dim_param = ph_text_name (parser, "a dimension (a number, a name or ?)");
        }
      if (lexer->failed)
        return NULL;
    }
  while (ph_lexer_take (lexer, ','));
  shape->dim = dims.data;
  shape->n_dim = dims.n;
  return ph_lexer_expect (lexer, ']') ? shape : NULL;
}

/* Parses a tensor type: "float" is a scalar, "float[]" has an unknown shape. */
static gboolean
parse_tensor_type (PhTextParser *parser, gint32 *dtype, Onnx__TensorShapeProto **shape)
{
  PhLexer *lexer = &parser->lexer;

  *dtype = lexer->token.kind == PH_TOKEN_NAME ? (gint32) ph_dtype_from_name (lexer->token.text) : PH_UNDEFINED;
  /* The printer's word for an unknown element type. */
  if (*dtype == PH_UNDEFINED && !(lexer->token.kind == PH_TOKEN_NAME && g_str_equal (lexer->token.text, "undefined")))
    return ph_lexer_fail (lexer, "an element type is expected here, not %s", ph_lexer_describe (lexer));
  ph_lexer_next (lexer);
  if (!ph_lexer_take (lexer, '['))
    *shape = ph_proto_new (parser->arena, Onnx__TensorShapeProto, onnx__tensor_shape_proto);
  else if (ph_lexer_take (lexer, ']'))
    *shape = NULL;
  else
    {
      *shape = parse_shape (parser);
      if (*shape != NULL && (*shape)->n_dim > PH_MAX_RANK)
        return ph_lexer_fail (lexer, "a tensor has at most %d dimensions", PH_MAX_RANK);
    }
  return !lexer->failed;
}

Onnx__TypeProto *
ph_text_type (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__TypeProto *type = ph_proto_new (parser->arena, Onnx__TypeProto, onnx__type_proto), *item = NULL;
  const char *word = lexer->token.kind == PH_TOKEN_NAME ? lexer->token.text : "";

  if (parser->depth >= PH_TEXT_MAX_DEPTH)
    {
      ph_lexer_fail (lexer, "types are nested too deep");
      return NULL;
    }
  if (g_str_equal (word, "seq") || g_str_equal (word, "optional"))
    {
      ph_lexer_next (lexer);
      parser->depth++;
      if (ph_lexer_expect (lexer, '('))
        item = ph_text_type (parser);
      parser->depth--;
      if (item == NULL || !ph_lexer_expect (lexer, ')'))
        return NULL;
      if (g_str_equal (word, "seq"))
        {
          type->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
          type->sequence_type = ph_proto_new (parser->arena, Onnx__TypeProto__Sequence, onnx__type_proto__sequence);
          type->sequence_type->elem_type = item;
        }
      else
        {
          type->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
          type->optional_type = ph_proto_new (parser->arena, Onnx__TypeProto__Optional, onnx__type_proto__optional);
          type->optional_type->elem_type = item;
        }
    }
  else if (g_str_equal (word, "map"))
    {
      Onnx__TypeProto__Map *map = ph_proto_new (parser->arena, Onnx__TypeProto__Map, onnx__type_proto__map);

      ph_lexer_next (lexer);
      if (!ph_lexer_expect (lexer, '('))
        return NULL;
      map->has_key_type = TRUE;
      map->key_type = lexer->token.kind == PH_TOKEN_NAME ? (gint32) ph_dtype_from_name (lexer->token.text) : PH_UNDEFINED;
      ph_lexer_next (lexer);
      parser->depth++;
      if (ph_lexer_expect (lexer, ','))
        map->value_type = ph_text_type (parser);
      parser->depth--;
      if (map->value_type == NULL || !ph_lexer_expect (lexer, ')'))
        return NULL;
      type->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
      type->map_type = map;
    }
  else if (g_str_equal (word, "opaque"))
    {
      const char *name;

      ph_lexer_next (lexer);
      if (!ph_lexer_expect (lexer, '(') || (name = ph_text_string (parser)) == NULL || !ph_lexer_expect (lexer, ')'))
        return NULL;
      ph_type_proto_set_opaque (parser->arena, type, name);
    }
  else if (g_str_equal (word, "sparse_tensor"))
    {
      Onnx__TypeProto__SparseTensor *sparse = ph_proto_new (parser->arena, Onnx__TypeProto__SparseTensor,
                                                            onnx__type_proto__sparse_tensor);

      ph_lexer_next (lexer);
      if (!ph_lexer_expect (lexer, '(') || !parse_tensor_type (parser, &sparse->elem_type, &sparse->shape)
          || !ph_lexer_expect (lexer, ')'))
        return NULL;
      sparse->has_elem_type = TRUE;
      type->value_case = ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE;
      type->sparse_tensor_type = sparse;
    }
  else
    {
      Onnx__TypeProto__Tensor *tensor = ph_proto_new (parser->arena, Onnx__TypeProto__Tensor, onnx__type_proto__tensor);

      if (!parse_tensor_type (parser, &tensor->elem_type, &tensor->shape))
        return NULL;
      tensor->has_elem_type = TRUE;
      type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
      type->tensor_type = tensor;
    }
  return lexer->failed ? NULL : type;
}
