/* text-parser.c: ONNX's own text syntax becomes a ModelProto. Beyond what ONNX's parser takes: names in quotes anywhere,
 * numbers of every element type, inf and nan, comments.
 *
 *   model    = [ "<" key ":" value, ... ">" ] graph function*
 *   graph    = name "(" value, ... ")" "=>" "(" value, ... ")" [ "<" value, ... ">" ] "{" node* "}"
 *   value    = [ type ] name [ "=" "{" number, ... "}" ]
 *   node     = [ "[" name "]" ] name, ... "=" [ domain "." ] op [ "<" attribute, ... ">" ] "(" name, ... ")"
 *   function = "<" key ":" value, ... ">" name [ "<" name, ... ">" ] "(" name, ... ")" "=>" "(" name, ... ")" "{" node* "}"
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/text-lexer.h"
#include "core/ops/op.h"

#define MAX_DEPTH 100

typedef struct
{
  PhLexer  lexer;
  PhArena *arena;
  guint    depth;
} Parser;

static Onnx__GraphProto *parse_graph (Parser *parser);

/* A repeated field while it grows: the arena keeps what is left behind. */
typedef struct { gpointer data; gsize n, room; } List;

static gpointer
list_add (Parser *parser, List *list, gsize size)
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

#define LIST_ADD(list, Type, item) (*(Type *) list_add (parser, (list), sizeof (Type)) = (item))

/* ── names and types ────────────────────────────────────────────────────────────────────────────────────────────── */

static char *
parse_name (Parser *parser, const char *what)
{
  PhLexer *lexer = &parser->lexer;
  char *text = lexer->token.text;

  if (lexer->token.kind != PH_TOKEN_NAME && lexer->token.kind != PH_TOKEN_STRING)
    {
      ph_lexer_fail (lexer, "%s is wanted here, not %s", what, ph_lexer_describe (lexer));
      return NULL;
    }
  return ph_lexer_next (lexer) ? text : NULL;
}

static char *
parse_string (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  char *text = lexer->token.text;

  if (lexer->token.kind != PH_TOKEN_STRING)
    {
      ph_lexer_fail (lexer, "a string in quotes is wanted here, not %s", ph_lexer_describe (lexer));
      return NULL;
    }
  return ph_lexer_next (lexer) ? text : NULL;
}

static gboolean
parse_int (Parser *parser, gint64 *value)
{
  PhLexer *lexer = &parser->lexer;

  if (lexer->token.kind != PH_TOKEN_INT)
    return ph_lexer_fail (lexer, "an integer is wanted here, not %s", ph_lexer_describe (lexer));
  *value = lexer->token.i;
  return ph_lexer_next (lexer);
}

static gboolean
is_type_word (const char *word)
{
  return ph_dtype_from_name (word) != PH_UNDEFINED || g_str_equal (word, "seq") || g_str_equal (word, "optional")
         || g_str_equal (word, "map") || g_str_equal (word, "sparse_tensor");
}

/* Whether the token begins a type, and is not a name that happens to be spelt like one. */
static gboolean
at_type (Parser *parser)
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
parse_shape (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__TensorShapeProto *shape = ph_proto_new (parser->arena, Onnx__TensorShapeProto, onnx__tensor_shape_proto);
  List dims = { 0 };

  do
    {
      Onnx__TensorShapeProto__Dimension *dim =
        ph_proto_new (parser->arena, Onnx__TensorShapeProto__Dimension, onnx__tensor_shape_proto__dimension);

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
          dim->dim_param = parse_name (parser, "a dimension (a number, a name or ?)");
        }
      if (lexer->failed)
        return NULL;
    }
  while (ph_lexer_take (lexer, ','));
  shape->dim = dims.data;
  shape->n_dim = dims.n;
  return ph_lexer_expect (lexer, ']') ? shape : NULL;
}

/* "float" is a scalar, "float[]" says nothing of the shape. */
static gboolean
parse_tensor_type (Parser *parser, gint32 *dtype, Onnx__TensorShapeProto **shape)
{
  PhLexer *lexer = &parser->lexer;

  *dtype = lexer->token.kind == PH_TOKEN_NAME ? (gint32) ph_dtype_from_name (lexer->token.text) : PH_UNDEFINED;
  if (*dtype == PH_UNDEFINED)
    return ph_lexer_fail (lexer, "an element type is wanted here, not %s", ph_lexer_describe (lexer));
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

static Onnx__TypeProto *
parse_type (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__TypeProto *type = ph_proto_new (parser->arena, Onnx__TypeProto, onnx__type_proto), *item = NULL;
  const char *word = lexer->token.kind == PH_TOKEN_NAME ? lexer->token.text : "";

  if (parser->depth >= MAX_DEPTH)
    {
      ph_lexer_fail (lexer, "types are nested too deep");
      return NULL;
    }
  if (g_str_equal (word, "seq") || g_str_equal (word, "optional"))
    {
      ph_lexer_next (lexer);
      parser->depth++;
      if (ph_lexer_expect (lexer, '('))
        item = parse_type (parser);
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
        map->value_type = parse_type (parser);
      parser->depth--;
      if (map->value_type == NULL || !ph_lexer_expect (lexer, ')'))
        return NULL;
      type->value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
      type->map_type = map;
    }
  else if (g_str_equal (word, "sparse_tensor"))
    {
      Onnx__TypeProto__SparseTensor *sparse = ph_proto_new (parser->arena, Onnx__TypeProto__SparseTensor, onnx__type_proto__sparse_tensor);

      ph_lexer_next (lexer);
      if (!ph_lexer_expect (lexer, '(') || !parse_tensor_type (parser, &sparse->elem_type, &sparse->shape) || !ph_lexer_expect (lexer, ')'))
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

/* ── tensors ────────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
parse_number (Parser *parser, double *f, gint64 *i)
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
  else if (token->kind == PH_TOKEN_NAME && (g_ascii_strcasecmp (token->text, "inf") == 0 || g_ascii_strcasecmp (token->text, "nan") == 0))
    {
      *f = g_ascii_strtod (token->text, NULL);
      *i = 0;
    }
  else if (ph_lexer_is (lexer, '.'))
    return ph_lexer_fail (lexer, "the elements were left out when this text was printed, so it cannot be read back");
  else
    return ph_lexer_fail (lexer, "a number is wanted here, not %s", ph_lexer_describe (lexer));
  return ph_lexer_next (lexer);
}

static gboolean
parse_element (Parser *parser, Onnx__TensorProto *tensor, List *list)
{
  PhDType dtype = (PhDType) tensor->data_type;
  guint8 bits[16] = { 0 };
  double f = 0;
  gint64 i = 0;

  if (dtype == PH_STRING)
    {
      gsize length = parser->lexer.token.length;
      char *text = parse_string (parser);

      if (text == NULL)
        return FALSE;
      LIST_ADD (list, ProtobufCBinaryData, ((ProtobufCBinaryData) { length, (guint8 *) text }));
      return TRUE;
    }
  if (!parse_number (parser, &f, &i))
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
      LIST_ADD (list, gint32, ph_dtype_size (dtype) == 4 ? *(gint32 *) (gpointer) bits : ph_dtype_size (dtype) == 2 ?
                *(guint16 *) (gpointer) bits : bits[0]);
    }
  return TRUE;
}

static gboolean
parse_external (Parser *parser, Onnx__TensorProto *tensor)
{
  PhLexer *lexer = &parser->lexer;
  List entries = { 0 };

  tensor->has_data_location = TRUE;
  tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  do
    {
      Onnx__StringStringEntryProto *entry =
        ph_proto_new (parser->arena, Onnx__StringStringEntryProto, onnx__string_string_entry_proto);

      entry->key = parse_string (parser);
      if (entry->key == NULL || !ph_lexer_expect (lexer, ':') || (entry->value = parse_string (parser)) == NULL)
        return FALSE;
      LIST_ADD (&entries, gpointer, entry);
    }
  while (ph_lexer_take (lexer, ','));
  tensor->external_data = entries.data;
  tensor->n_external_data = entries.n;
  return ph_lexer_expect (lexer, ']');
}

/* The token stands on "{". */
static Onnx__TensorProto *
parse_tensor (Parser *parser, const Onnx__TypeProto *type, char *name)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__TensorProto *tensor = ph_proto_new (parser->arena, Onnx__TensorProto, onnx__tensor_proto);
  Onnx__TensorShapeProto *shape;
  List list = { 0 };

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
    case PH_COMPLEX64: tensor->float_data = list.data; tensor->n_float_data = list.n; break;
    case PH_DOUBLE:
    case PH_COMPLEX128: tensor->double_data = list.data; tensor->n_double_data = list.n; break;
    case PH_INT64: tensor->int64_data = list.data; tensor->n_int64_data = list.n; break;
    case PH_UINT64:
    case PH_UINT32: tensor->uint64_data = list.data; tensor->n_uint64_data = list.n; break;
    case PH_STRING: tensor->string_data = list.data; tensor->n_string_data = list.n; break;
    default: tensor->int32_data = list.data; tensor->n_int32_data = list.n; break;
    }
  return tensor;
}

/* ── attributes ─────────────────────────────────────────────────────────────────────────────────────────────────── */

static PhAttrKind
parse_attr_type (Parser *parser)
{
  static const struct { const char *name; PhAttrKind kind; } types[] = {
    { "float", PH_ATTR_FLOAT }, { "int", PH_ATTR_INT }, { "string", PH_ATTR_STRING }, { "tensor", PH_ATTR_TENSOR },
    { "graph", PH_ATTR_GRAPH }, { "floats", PH_ATTR_FLOATS }, { "ints", PH_ATTR_INTS }, { "strings", PH_ATTR_STRINGS },
    { "tensors", PH_ATTR_TENSORS }, { "graphs", PH_ATTR_GRAPHS }, { "sparse_tensor", (PhAttrKind) 11 },
    { "sparse_tensors", (PhAttrKind) 12 }, { "type_proto", (PhAttrKind) 13 }, { "type_protos", (PhAttrKind) 14 },
  };
  PhLexer *lexer = &parser->lexer;

  for (gsize i = 0; i < G_N_ELEMENTS (types) && lexer->token.kind == PH_TOKEN_NAME; i++)
    if (g_str_equal (lexer->token.text, types[i].name))
      {
        ph_lexer_next (lexer);
        return types[i].kind;
      }
  ph_lexer_fail (lexer, "the type of an attribute (int, floats, tensor, ...) is wanted here, not %s", ph_lexer_describe (lexer));
  return (PhAttrKind) 0;
}

/* One value; what kind it is, or 0 on failure. */
static PhAttrKind
parse_attr_value (Parser *parser, Onnx__AttributeProto *attr)
{
  PhLexer *lexer = &parser->lexer;
  PhToken token = lexer->token;

  if (token.kind == PH_TOKEN_STRING)
    {
      attr->s = (ProtobufCBinaryData) { token.length, (guint8 *) token.text };
      attr->has_s = TRUE;
      return ph_lexer_next (lexer) ? PH_ATTR_STRING : (PhAttrKind) 0;
    }
  if (at_type (parser))
    {
      Onnx__TypeProto *type = parse_type (parser);
      char *name = NULL;

      if (type == NULL)
        return (PhAttrKind) 0;
      if (lexer->token.kind == PH_TOKEN_NAME || lexer->token.kind == PH_TOKEN_STRING)
        name = parse_name (parser, "a name");
      if (name == NULL && !ph_lexer_is (lexer, '{') && !ph_lexer_is (lexer, '='))
        {
          attr->tp = type;
          return lexer->failed ? (PhAttrKind) 0 : (PhAttrKind) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO;
        }
      ph_lexer_take (lexer, '=');
      attr->t = parse_tensor (parser, type, name);
      return attr->t != NULL ? PH_ATTR_TENSOR : (PhAttrKind) 0;
    }
  if (token.kind == PH_TOKEN_INT || token.kind == PH_TOKEN_FLOAT
      || (token.kind == PH_TOKEN_NAME && (g_ascii_strcasecmp (token.text, "inf") == 0 || g_ascii_strcasecmp (token.text, "nan") == 0)))
    {
      double f = 0;

      if (!parse_number (parser, &f, &attr->i))
        return (PhAttrKind) 0;
      attr->f = (float) f;
      return token.kind == PH_TOKEN_INT ? PH_ATTR_INT : PH_ATTR_FLOAT;
    }
  if (token.kind == PH_TOKEN_NAME)
    {
      attr->g = parse_graph (parser);
      return attr->g != NULL ? PH_ATTR_GRAPH : (PhAttrKind) 0;
    }
  ph_lexer_fail (lexer, "a value (number, \"string\", list, tensor or graph) is wanted here, not %s", ph_lexer_describe (lexer));
  return (PhAttrKind) 0;
}

static PhAttrKind
parse_attr_list (Parser *parser, Onnx__AttributeProto *attr, PhAttrKind declared)
{
  PhLexer *lexer = &parser->lexer;
  List floats = { 0 }, ints = { 0 }, strings = { 0 }, tensors = { 0 }, graphs = { 0 }, types = { 0 };
  PhAttrKind first = (PhAttrKind) 0;
  gboolean any_float = FALSE;

  while (!ph_lexer_is (lexer, ']'))
    {
      Onnx__AttributeProto item = ONNX__ATTRIBUTE_PROTO__INIT;
      PhToken token = lexer->token;
      PhAttrKind kind = parse_attr_value (parser, &item);

      if (kind == 0)
        return kind;
      any_float = any_float || kind == PH_ATTR_FLOAT;
      if (first == 0)
        first = kind;
      else if (kind != first && !((kind == PH_ATTR_INT || kind == PH_ATTR_FLOAT) && (first == PH_ATTR_INT || first == PH_ATTR_FLOAT)))
        {
          lexer->token = token;
          ph_lexer_fail (lexer, "the items of a list must be of one kind");
          return (PhAttrKind) 0;
        }
      if (kind == PH_ATTR_INT || kind == PH_ATTR_FLOAT)
        {
          LIST_ADD (&floats, float, item.f);
          LIST_ADD (&ints, gint64, item.i);
        }
      else if (kind == PH_ATTR_STRING)
        LIST_ADD (&strings, ProtobufCBinaryData, item.s);
      else if (kind == PH_ATTR_TENSOR)
        LIST_ADD (&tensors, gpointer, item.t);
      else if (kind == PH_ATTR_GRAPH)
        LIST_ADD (&graphs, gpointer, item.g);
      else
        LIST_ADD (&types, gpointer, item.tp);
      if (!ph_lexer_is (lexer, ']') && !ph_lexer_expect (lexer, ','))
        return (PhAttrKind) 0;
    }
  ph_lexer_next (lexer);
  if (first == 0)
    return declared != 0 ? declared : PH_ATTR_INTS;
  switch ((int) first)
    {
    case PH_ATTR_STRING:
      attr->strings = strings.data;
      attr->n_strings = strings.n;
      return PH_ATTR_STRINGS;
    case PH_ATTR_TENSOR:
      attr->tensors = tensors.data;
      attr->n_tensors = tensors.n;
      return PH_ATTR_TENSORS;
    case PH_ATTR_GRAPH:
      attr->graphs = graphs.data;
      attr->n_graphs = graphs.n;
      return PH_ATTR_GRAPHS;
    case PH_ATTR_INT:
    case PH_ATTR_FLOAT:
      if (any_float || declared == PH_ATTR_FLOATS)
        {
          attr->floats = floats.data;
          attr->n_floats = floats.n;
          return PH_ATTR_FLOATS;
        }
      attr->ints = ints.data;
      attr->n_ints = ints.n;
      return PH_ATTR_INTS;
    default:
      attr->type_protos = types.data;
      attr->n_type_protos = types.n;
      return (PhAttrKind) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTOS;
    }
}

static Onnx__AttributeProto *
parse_attr (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__AttributeProto *attr = ph_proto_new (parser->arena, Onnx__AttributeProto, onnx__attribute_proto);
  PhAttrKind declared = (PhAttrKind) 0, kind;
  PhToken token;

  ph_lexer_mark (lexer, attr, &lexer->token);
  attr->name = parse_name (parser, "the name of an attribute");
  if (attr->name == NULL)
    return NULL;
  if (ph_lexer_take (lexer, ':'))
    {
      declared = parse_attr_type (parser);
      if (declared == 0)
        return NULL;
    }
  if (!ph_lexer_expect (lexer, '='))
    return NULL;
  attr->has_type = TRUE;
  if (ph_lexer_take (lexer, '@'))
    {
      attr->ref_attr_name = parse_name (parser, "the name of an attribute of the function");
      attr->type = (Onnx__AttributeProto__AttributeType) declared;
      return attr->ref_attr_name != NULL ? attr : NULL;
    }
  token = lexer->token;
  kind = ph_lexer_take (lexer, '[') ? parse_attr_list (parser, attr, declared) : parse_attr_value (parser, attr);
  if (kind == 0)
    return NULL;
  if (declared == PH_ATTR_FLOAT && kind == PH_ATTR_INT)
    kind = PH_ATTR_FLOAT;
  if (declared != 0 && kind != declared)
    {
      lexer->token = token;
      ph_lexer_fail (lexer, "the value is not of the type that stands before it");
      return NULL;
    }
  attr->type = (Onnx__AttributeProto__AttributeType) kind;
  attr->has_i = kind == PH_ATTR_INT;
  attr->has_f = kind == PH_ATTR_FLOAT;
  attr->has_s = kind == PH_ATTR_STRING;
  return attr;
}

static gboolean
parse_attrs (Parser *parser, List *attrs)
{
  PhLexer *lexer = &parser->lexer;

  while (!ph_lexer_is (lexer, '>'))
    {
      Onnx__AttributeProto *attr = parse_attr (parser);

      if (attr == NULL)
        return FALSE;
      LIST_ADD (attrs, gpointer, attr);
      if (!ph_lexer_is (lexer, '>') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

/* ── nodes and graphs ───────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
parse_names (Parser *parser, List *names, char end, const char *what)
{
  PhLexer *lexer = &parser->lexer;

  while (!ph_lexer_is (lexer, end))
    {
      /* Nothing between two commas is an absent value, like "". */
      char *name = ph_lexer_is (lexer, ',') ? ph_arena_strndup (parser->arena, "", 0) : parse_name (parser, what);

      if (name == NULL)
        return FALSE;
      LIST_ADD (names, gpointer, name);
      if (!ph_lexer_is (lexer, end) && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

/* "domain.part.Op": all but the last part is the domain. */
static gboolean
parse_operator (Parser *parser, Onnx__NodeProto *node)
{
  PhLexer *lexer = &parser->lexer;

  node->op_type = parse_name (parser, "an operator");
  while (node->op_type != NULL && ph_lexer_take (lexer, '.'))
    {
      g_autofree char *domain = node->domain != NULL ? g_strconcat (node->domain, ".", node->op_type, NULL) : g_strdup (node->op_type);

      node->domain = ph_arena_strndup (parser->arena, domain, strlen (domain));
      node->op_type = parse_name (parser, "an operator");
    }
  if (node->op_type != NULL && ph_lexer_take (lexer, ':'))
    {
      char *overload = parse_name (parser, "an overload");
      gsize length = overload != NULL ? strlen (overload) : 0;
      ProtobufCMessageUnknownField *field;

      if (overload == NULL || length > 127)
        return lexer->failed ? FALSE : ph_lexer_fail (lexer, "the overload's name is too long");
      field = ph_arena_alloc (parser->arena, sizeof *field);
      *field = (ProtobufCMessageUnknownField) { PH_NODE_OVERLOAD, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, length + 1,
                                                ph_arena_alloc (parser->arena, length + 1) };
      field->data[0] = (guint8) length;
      memcpy (field->data + 1, overload, length);
      node->base.unknown_fields = field;
      node->base.n_unknown_fields = 1;
    }
  return node->op_type != NULL && !lexer->failed;
}

static Onnx__NodeProto *
parse_node (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__NodeProto *node = ph_proto_new (parser->arena, Onnx__NodeProto, onnx__node_proto);
  List outputs = { 0 }, inputs = { 0 }, attrs = { 0 };

  ph_lexer_mark (lexer, node, &lexer->token);
  if (ph_lexer_take (lexer, '['))
    {
      node->name = parse_name (parser, "the name of a node");
      if (node->name == NULL || !ph_lexer_expect (lexer, ']'))
        return NULL;
    }
  if (!parse_names (parser, &outputs, '=', "the name of a value"))
    return NULL;
  if (!parse_operator (parser, node)
      || (ph_lexer_take (lexer, '<') && !parse_attrs (parser, &attrs))
      || !ph_lexer_expect (lexer, '(') || !parse_names (parser, &inputs, ')', "the name of a value")
      || (ph_lexer_is (lexer, '<') && attrs.n == 0 && ph_lexer_take (lexer, '<') && !parse_attrs (parser, &attrs)))
    return NULL;
  node->output = outputs.data;
  node->n_output = outputs.n;
  node->input = inputs.data;
  node->n_input = inputs.n;
  node->attribute = attrs.data;
  node->n_attribute = attrs.n;
  return lexer->failed ? NULL : node;
}

static gboolean
parse_nodes (Parser *parser, List *nodes)
{
  PhLexer *lexer = &parser->lexer;

  if (!ph_lexer_expect (lexer, '{'))
    return FALSE;
  while (!ph_lexer_is (lexer, '}'))
    {
      Onnx__NodeProto *node;

      if (lexer->token.kind == PH_TOKEN_END)
        return lexer->failed ? FALSE : ph_lexer_fail (lexer, "the text ends in the middle of a graph; a '}' is missing");
      node = parse_node (parser);
      if (node == NULL)
        return FALSE;
      LIST_ADD (nodes, gpointer, node);
      ph_lexer_take (lexer, ';');
    }
  return ph_lexer_next (lexer);
}

/* Values up to @end; those with elements go to @initializers, with @both to both lists. */
static gboolean
parse_values (Parser *parser, char end, List *infos, List *initializers, gboolean both)
{
  PhLexer *lexer = &parser->lexer;

  while (!ph_lexer_is (lexer, end))
    {
      Onnx__ValueInfoProto *info = ph_proto_new (parser->arena, Onnx__ValueInfoProto, onnx__value_info_proto);
      gboolean has_elements = FALSE;

      ph_lexer_mark (lexer, info, &lexer->token);
      if (at_type (parser))
        {
          info->type = parse_type (parser);
          if (info->type == NULL)
            return FALSE;
        }
      info->name = parse_name (parser, "a value (a type and a name)");
      if (info->name == NULL)
        return FALSE;
      if (initializers != NULL && ph_lexer_take (lexer, '='))
        {
          Onnx__TensorProto *tensor = parse_tensor (parser, info->type, info->name);

          if (tensor == NULL)
            return FALSE;
          LIST_ADD (initializers, gpointer, tensor);
          has_elements = TRUE;
        }
      if (both || !has_elements)
        LIST_ADD (infos, gpointer, info);
      if (!ph_lexer_is (lexer, end) && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

static Onnx__GraphProto *
parse_graph (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__GraphProto *graph = ph_proto_new (parser->arena, Onnx__GraphProto, onnx__graph_proto);
  List inputs = { 0 }, outputs = { 0 }, infos = { 0 }, initializers = { 0 }, nodes = { 0 };
  gboolean ok;

  if (parser->depth >= MAX_DEPTH)
    {
      ph_lexer_fail (lexer, "graphs are nested more than %d deep", MAX_DEPTH);
      return NULL;
    }
  parser->depth++;
  graph->name = parse_name (parser, "the name of a graph");
  ok = graph->name != NULL && ph_lexer_expect (lexer, '(')
       && parse_values (parser, ')', &inputs, &initializers, TRUE)
       && ph_lexer_expect_arrow (lexer) && ph_lexer_expect (lexer, '(')
       && parse_values (parser, ')', &outputs, NULL, TRUE)
       && (!ph_lexer_take (lexer, '<') || parse_values (parser, '>', &infos, &initializers, FALSE))
       && parse_nodes (parser, &nodes);
  parser->depth--;
  graph->input = inputs.data;
  graph->n_input = inputs.n;
  graph->output = outputs.data;
  graph->n_output = outputs.n;
  graph->value_info = infos.data;
  graph->n_value_info = infos.n;
  graph->initializer = initializers.data;
  graph->n_initializer = initializers.n;
  graph->node = nodes.data;
  graph->n_node = nodes.n;
  return ok && !lexer->failed ? graph : NULL;
}

/* ── models and functions ───────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
parse_opsets (Parser *parser, List *sets)
{
  PhLexer *lexer = &parser->lexer;

  if (!ph_lexer_expect (lexer, '['))
    return FALSE;
  while (!ph_lexer_is (lexer, ']'))
    {
      Onnx__OperatorSetIdProto *set = ph_proto_new (parser->arena, Onnx__OperatorSetIdProto, onnx__operator_set_id_proto);

      ph_lexer_mark (lexer, set, &lexer->token);
      set->domain = parse_string (parser);
      set->has_version = TRUE;
      if (set->domain == NULL || !ph_lexer_expect (lexer, ':') || !parse_int (parser, &set->version))
        return FALSE;
      LIST_ADD (sets, gpointer, set);
      if (!ph_lexer_is (lexer, ']') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

static gboolean
parse_properties (Parser *parser, List *entries)
{
  PhLexer *lexer = &parser->lexer;

  if (!ph_lexer_expect (lexer, '['))
    return FALSE;
  while (!ph_lexer_is (lexer, ']'))
    {
      Onnx__StringStringEntryProto *entry =
        ph_proto_new (parser->arena, Onnx__StringStringEntryProto, onnx__string_string_entry_proto);

      entry->key = parse_string (parser);
      if (entry->key == NULL || !ph_lexer_expect (lexer, ':') || (entry->value = parse_string (parser)) == NULL)
        return FALSE;
      LIST_ADD (entries, gpointer, entry);
      if (!ph_lexer_is (lexer, ']') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

/* The keys of a model and of a function, up to ">". */
static gboolean
parse_keys (Parser *parser, Onnx__ModelProto *model, Onnx__FunctionProto *function)
{
  PhLexer *lexer = &parser->lexer;
  List sets = { 0 }, properties = { 0 };

  while (!ph_lexer_is (lexer, '>'))
    {
      PhToken token = lexer->token;
      char *key = parse_name (parser, "a key such as ir_version or opset_import");
      char **text = NULL;

      if (key == NULL || !ph_lexer_expect (lexer, ':'))
        return FALSE;
      if (g_str_equal (key, "opset_import"))
        parse_opsets (parser, &sets);
      else if (model != NULL && g_str_equal (key, "ir_version"))
        model->has_ir_version = parse_int (parser, &model->ir_version);
      else if (model != NULL && g_str_equal (key, "model_version"))
        model->has_model_version = parse_int (parser, &model->model_version);
      else if (model != NULL && g_str_equal (key, "metadata_props"))
        parse_properties (parser, &properties);
      else if (model != NULL && g_str_equal (key, "producer_name"))
        text = &model->producer_name;
      else if (model != NULL && g_str_equal (key, "producer_version"))
        text = &model->producer_version;
      else if (g_str_equal (key, "domain"))
        text = model != NULL ? &model->domain : &function->domain;
      else if (g_str_equal (key, "doc_string"))
        text = model != NULL ? &model->doc_string : &function->doc_string;
      else
        {
          lexer->token = token;
          return ph_lexer_fail (lexer, "there is no key '%s'; there are %s", key, model != NULL ? "ir_version, opset_import, producer_name, "
                                "producer_version, domain, model_version, doc_string, metadata_props" : "domain, opset_import, doc_string");
        }
      if (text != NULL)
        *text = parse_string (parser);
      if (lexer->failed || (!ph_lexer_is (lexer, '>') && !ph_lexer_expect (lexer, ',')))
        return FALSE;
    }
  if (model != NULL)
    {
      model->opset_import = sets.data;
      model->n_opset_import = sets.n;
      model->metadata_props = properties.data;
      model->n_metadata_props = properties.n;
    }
  else
    {
      function->opset_import = sets.data;
      function->n_opset_import = sets.n;
    }
  return ph_lexer_next (lexer);
}

/* A default value is a field that is newer than Debian's onnx.proto, so it goes in as an unknown one. */
static void
add_default (Parser *parser, Onnx__FunctionProto *function, const Onnx__AttributeProto *attr, List *fields)
{
  gsize size = protobuf_c_message_get_packed_size (&attr->base), n = 0, rest = size;
  guint8 *data = ph_arena_alloc (parser->arena, size + 10);

  do
    {
      data[n++] = (guint8) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
      rest >>= 7;
    }
  while (rest != 0);
  protobuf_c_message_pack (&attr->base, data + n);
  LIST_ADD (fields, ProtobufCMessageUnknownField,
            ((ProtobufCMessageUnknownField) { PH_FUNCTION_ATTRIBUTE_PROTO, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, size + n, data }));
}

static gboolean
parse_function_attrs (Parser *parser, Onnx__FunctionProto *function)
{
  PhLexer *lexer = &parser->lexer;
  List names = { 0 }, fields = { 0 };

  while (!ph_lexer_is (lexer, '>'))
    {
      char next = ph_lexer_peek (lexer);

      if (next == ':' || next == '=')
        {
          Onnx__AttributeProto *attr = parse_attr (parser);

          if (attr == NULL)
            return FALSE;
          add_default (parser, function, attr, &fields);
        }
      else
        {
          char *name = parse_name (parser, "the name of an attribute");

          if (name == NULL)
            return FALSE;
          LIST_ADD (&names, gpointer, name);
        }
      if (!ph_lexer_is (lexer, '>') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  function->attribute = names.data;
  function->n_attribute = names.n;
  function->base.unknown_fields = fields.data;
  function->base.n_unknown_fields = fields.n;
  return ph_lexer_next (lexer);
}

static Onnx__FunctionProto *
parse_function (Parser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__FunctionProto *function = ph_proto_new (parser->arena, Onnx__FunctionProto, onnx__function_proto);
  List inputs = { 0 }, outputs = { 0 }, nodes = { 0 }, infos = { 0 };

  if (!ph_lexer_expect (lexer, '<') || !parse_keys (parser, NULL, function))
    return NULL;
  function->name = parse_name (parser, "the name of a function");
  if (function->name == NULL || (ph_lexer_take (lexer, '<') && !parse_function_attrs (parser, function))
      || !ph_lexer_expect (lexer, '(') || !parse_names (parser, &inputs, ')', "the name of a value") || !ph_lexer_expect_arrow (lexer)
      || !ph_lexer_expect (lexer, '(') || !parse_names (parser, &outputs, ')', "the name of a value")
      || (ph_lexer_take (lexer, '<') && !parse_values (parser, '>', &infos, NULL, FALSE))
      || !parse_nodes (parser, &nodes))
    return NULL;
  function->input = inputs.data;
  function->n_input = inputs.n;
  function->output = outputs.data;
  function->n_output = outputs.n;
  function->node = nodes.data;
  function->n_node = nodes.n;
  return lexer->failed ? NULL : function;
}

/* What is neither graph nor function nor opset import, as the reader of the binary form hands it over. */
static void
take_extra (PhSource *source, const Onnx__ModelProto *model)
{
  Onnx__ModelProto rest = *model;

  rest.has_ir_version = FALSE;
  rest.graph = NULL;
  rest.n_functions = rest.n_opset_import = 0;
  if (protobuf_c_message_get_packed_size (&rest.base) > 0)
    source->extra = ph_proto_to_bytes (&rest.base);
}

Onnx__ModelProto *
ph_text_parse (PhSource *source, PhArena *arena, const char *text, gsize length, GError **error)
{
  Parser parser_, *parser = &parser_;
  Onnx__ModelProto *model = ph_proto_new (arena, Onnx__ModelProto, onnx__model_proto);
  PhLexer *lexer = &parser->lexer;
  const char *end;

  parser_ = (Parser) { .arena = arena };
  ph_lexer_init (lexer, source, arena, text, length, error);
  if (!g_utf8_validate (text, (gssize) length, &end))
    {
      guint line = 1;

      for (const char *at = text; at < end; at++)
        line += *at == '\n';
      g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "%s:%u:1: this line is not UTF-8 text", source->path, line);
      return NULL;
    }
  if (!ph_lexer_next (lexer))
    return NULL;
  if (lexer->token.kind == PH_TOKEN_END)
    {
      ph_lexer_fail (lexer, "there is no model in this text");
      return NULL;
    }
  if (ph_lexer_take (lexer, '<'))
    {
      if (!parse_keys (parser, model, NULL))
        return NULL;
    }
  if (model->n_opset_import == 0)
    {
      Onnx__OperatorSetIdProto *set = ph_proto_new (arena, Onnx__OperatorSetIdProto, onnx__operator_set_id_proto);

      set->domain = (char *) "";
      set->has_version = TRUE;
      set->version = PH_OPSET_NEWEST;
      model->n_opset_import = 1;
      model->opset_import = ph_arena_alloc (arena, sizeof (gpointer));
      model->opset_import[0] = set;
    }
  if (!model->has_ir_version)
    {
      model->has_ir_version = TRUE;
      model->ir_version = 8;
    }
  model->graph = parse_graph (parser);
  if (model->graph == NULL)
    return NULL;
  source->functions = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  while (lexer->token.kind != PH_TOKEN_END)
    {
      Onnx__FunctionProto *function;

      if (!ph_lexer_is (lexer, '<'))
        {
          ph_lexer_fail (lexer, "the text should end here, or a function begin with '<'; there is %s", ph_lexer_describe (lexer));
          return NULL;
        }
      function = parse_function (parser);
      if (function == NULL)
        return NULL;
      g_ptr_array_add (source->functions, ph_proto_to_bytes (&function->base));
    }
  if (lexer->failed)
    return NULL;
  take_extra (source, model);
  return model;
}
