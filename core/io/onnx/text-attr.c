/* text-attr.c: attributes in the text form; an attribute without a type gets it from its value.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/text-parser.h"

static PhAttrKind
parse_attr_type (PhTextParser *parser)
{
  /* clang-format off */
  static const struct { const char *name; PhAttrKind kind; } types[] = {
    { "float", PH_ATTR_FLOAT }, { "int", PH_ATTR_INT }, { "string", PH_ATTR_STRING }, { "tensor", PH_ATTR_TENSOR },
    { "graph", PH_ATTR_GRAPH }, { "floats", PH_ATTR_FLOATS }, { "ints", PH_ATTR_INTS }, { "strings", PH_ATTR_STRINGS },
    { "tensors", PH_ATTR_TENSORS }, { "graphs", PH_ATTR_GRAPHS }, { "sparse_tensor", (PhAttrKind) 11 },
    { "sparse_tensors", (PhAttrKind) 12 }, { "type_proto", (PhAttrKind) 13 }, { "type_protos", (PhAttrKind) 14 },
    { PH_TEXT_OPAQUE, PH_ATTR_OPAQUE },
  };
  /* clang-format on */
  PhLexer *lexer = &parser->lexer;

  for (gsize i = 0; i < G_N_ELEMENTS (types) && lexer->token.kind == PH_TOKEN_NAME; i++)
    if (g_str_equal (lexer->token.text, types[i].name))
      {
        ph_lexer_next (lexer);
        return types[i].kind;
      }
  ph_lexer_fail (lexer, "the type of an attribute (int, floats, tensor, ...) is expected here, not %s",
                 ph_lexer_describe (lexer));
  return (PhAttrKind) 0;
}

/* Parses the serialised message of an attribute that has no textual form. */
static Onnx__AttributeProto *
parse_opaque (PhTextParser *parser, char *name)
{
  ProtobufCAllocator allocator = ph_arena_allocator (parser->arena);
  const PhToken token = parser->lexer.token;
  const char *bytes = ph_text_string (parser);
  Onnx__AttributeProto *attr = bytes != NULL ? onnx__attribute_proto__unpack (&allocator, token.length, (const guint8 *) bytes)
                                             : NULL;

  if (bytes != NULL && attr == NULL)
    {
      parser->lexer.token = token;
      ph_lexer_fail (&parser->lexer, "the bytes of an attribute are expected here; these are damaged");
    }
  if (attr != NULL)
    attr->name = name;
  return attr;
}

/* Returns TRUE for a name or string before "(", which is a graph, even "inf" or "float"; but "seq (" begins a type. */
static gboolean
is_graph (PhTextParser *parser)
{
  static const char *const types[] = { "seq", "optional", "map", "sparse_tensor", NULL };
  const PhLexer before = parser->lexer;
  gboolean found;

  if (before.token.kind != PH_TOKEN_STRING && (before.token.kind != PH_TOKEN_NAME || g_strv_contains (types, before.token.text)))
    return FALSE;
  found = ph_lexer_next (&parser->lexer) && ph_lexer_is (&parser->lexer, '(');
  if (!parser->lexer.failed)
    parser->lexer = before;
  return found;
}

/* Parses one value. Returns its kind, or 0 on failure. */
static PhAttrKind
parse_attr_value (PhTextParser *parser, Onnx__AttributeProto *attr)
{
  PhLexer *lexer = &parser->lexer;
  PhToken token = lexer->token;

  if (is_graph (parser))
    {
      attr->g = ph_text_graph (parser);
      return attr->g != NULL ? PH_ATTR_GRAPH : (PhAttrKind) 0;
    }
  if (token.kind == PH_TOKEN_STRING)
    {
      attr->s = (ProtobufCBinaryData) { token.length, (guint8 *) token.text };
      attr->has_s = TRUE;
      return ph_lexer_next (lexer) ? PH_ATTR_STRING : (PhAttrKind) 0;
    }
  if (ph_text_at_type (parser))
    {
      Onnx__TypeProto *type = ph_text_type (parser);
      char *name = NULL;

      if (type == NULL)
        return (PhAttrKind) 0;
      if (lexer->token.kind == PH_TOKEN_NAME || lexer->token.kind == PH_TOKEN_STRING)
        name = ph_text_name (parser, "a name");
      if (name == NULL && !ph_lexer_is (lexer, '{') && !ph_lexer_is (lexer, '='))
        {
          attr->tp = type;
          return lexer->failed ? (PhAttrKind) 0 : (PhAttrKind) ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO;
        }
      ph_lexer_take (lexer, '=');
      attr->t = ph_text_tensor (parser, type, name);
      return attr->t != NULL ? PH_ATTR_TENSOR : (PhAttrKind) 0;
    }
  if (token.kind == PH_TOKEN_INT || token.kind == PH_TOKEN_FLOAT
      || (token.kind == PH_TOKEN_NAME
          && (g_ascii_strcasecmp (token.text, "inf") == 0 || g_ascii_strcasecmp (token.text, "nan") == 0)))
    {
      double f = 0;

      if (!ph_text_number (parser, &f, &attr->i))
        return (PhAttrKind) 0;
      attr->f = (float) f;
      return token.kind == PH_TOKEN_INT ? PH_ATTR_INT : PH_ATTR_FLOAT;
    }
  if (token.kind == PH_TOKEN_NAME)
    {
      attr->g = ph_text_graph (parser);
      return attr->g != NULL ? PH_ATTR_GRAPH : (PhAttrKind) 0;
    }
  ph_lexer_fail (lexer, "a value (number, \"string\", list, tensor or graph) is expected here, not %s",
                 ph_lexer_describe (lexer));
  return (PhAttrKind) 0;
}

static PhAttrKind
parse_attr_list (PhTextParser *parser, Onnx__AttributeProto *attr, PhAttrKind declared)
{
  PhLexer *lexer = &parser->lexer;
  PhTextList floats = { 0 }, ints = { 0 }, strings = { 0 }, tensors = { 0 }, graphs = { 0 }, types = { 0 };
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
      else if (kind != first
               && !((kind == PH_ATTR_INT || kind == PH_ATTR_FLOAT) && (first == PH_ATTR_INT || first == PH_ATTR_FLOAT)))
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

Onnx__AttributeProto *
ph_text_attr (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__AttributeProto *attr = ph_proto_new (parser->arena, Onnx__AttributeProto, onnx__attribute_proto);
  PhAttrKind declared = (PhAttrKind) 0, kind;
  PhToken token;

  ph_lexer_mark (lexer, attr, &lexer->token);
  attr->name = ph_text_name (parser, "the name of an attribute");
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
      attr->ref_attr_name = ph_text_name (parser, "the name of an attribute of the function");
      attr->type = (Onnx__AttributeProto__AttributeType) declared;
      return attr->ref_attr_name != NULL ? attr : NULL;
    }
  if (declared == PH_ATTR_OPAQUE)
    {
      Onnx__AttributeProto *opaque = parse_opaque (parser, attr->name);

      if (opaque != NULL)
        ph_lexer_mark (lexer, opaque, &lexer->token);
      return opaque;
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
      ph_lexer_fail (lexer, "the value is not of the type that is written before it");
      return NULL;
    }
  attr->type = (Onnx__AttributeProto__AttributeType) kind;
  attr->has_i = kind == PH_ATTR_INT;
  attr->has_f = kind == PH_ATTR_FLOAT;
  attr->has_s = kind == PH_ATTR_STRING;
  return attr;
}

gboolean
ph_text_attrs (PhTextParser *parser, PhTextList *attrs)
{
  PhLexer *lexer = &parser->lexer;

  while (!ph_lexer_is (lexer, '>'))
    {
      Onnx__AttributeProto *attr = ph_text_attr (parser);

      if (attr == NULL)
        return FALSE;
      LIST_ADD (attrs, gpointer, attr);
      if (!ph_lexer_is (lexer, '>') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}
