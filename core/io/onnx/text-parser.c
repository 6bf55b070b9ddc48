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

#include "core/io/onnx/text-parser.h"
#include "core/ops/op.h"

/* ── nodes and graphs ───────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
parse_names (PhTextParser *parser, PhTextList *names, char end, const char *what)
{
  PhLexer *lexer = &parser->lexer;

  while (!ph_lexer_is (lexer, end))
    {
      /* An empty place between two commas is an absent value, like "". */
      char *name = ph_lexer_is (lexer, ',') ? ph_arena_strndup (parser->arena, "", 0) : ph_text_name (parser, what);

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
parse_operator (PhTextParser *parser, Onnx__NodeProto *node)
{
  PhLexer *lexer = &parser->lexer;

  node->op_type = ph_text_name (parser, "an operator");
  while (node->op_type != NULL && ph_lexer_take (lexer, '.'))
    {
      g_autofree char *domain = node->domain != NULL ? g_strconcat (node->domain, ".", node->op_type, NULL)
                                                     : g_strdup (node->op_type);

      node->domain = ph_arena_strndup (parser->arena, domain, strlen (domain));
      node->op_type = ph_text_name (parser, "an operator");
    }
  if (node->op_type != NULL && ph_lexer_take (lexer, ':'))
    {
      char *overload = ph_text_name (parser, "an overload");
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
parse_node (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__NodeProto *node = ph_proto_new (parser->arena, Onnx__NodeProto, onnx__node_proto);
  PhTextList outputs = { 0 }, inputs = { 0 }, attrs = { 0 };

  ph_lexer_mark (lexer, node, &lexer->token);
  if (ph_lexer_take (lexer, '['))
    {
      node->name = ph_text_name (parser, "the name of a node");
      if (node->name == NULL || !ph_lexer_expect (lexer, ']'))
        return NULL;
    }
  if (!parse_names (parser, &outputs, '=', "the name of a value"))
    return NULL;
  if (!parse_operator (parser, node) || (ph_lexer_take (lexer, '<') && !ph_text_attrs (parser, &attrs))
      || !ph_lexer_expect (lexer, '(') || !parse_names (parser, &inputs, ')', "the name of a value")
      || (ph_lexer_is (lexer, '<') && attrs.n == 0 && ph_lexer_take (lexer, '<') && !ph_text_attrs (parser, &attrs)))
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
parse_nodes (PhTextParser *parser, PhTextList *nodes)
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
parse_values (PhTextParser *parser, char end, PhTextList *infos, PhTextList *initializers, gboolean both)
{
  PhLexer *lexer = &parser->lexer;

  while (!ph_lexer_is (lexer, end))
    {
      Onnx__ValueInfoProto *info = ph_proto_new (parser->arena, Onnx__ValueInfoProto, onnx__value_info_proto);
      gboolean has_elements = FALSE;

      ph_lexer_mark (lexer, info, &lexer->token);
      if (ph_text_at_type (parser))
        {
          info->type = ph_text_type (parser);
          if (info->type == NULL)
            return FALSE;
        }
      info->name = ph_text_name (parser, "a value (a type and a name)");
      if (info->name == NULL)
        return FALSE;
      if (initializers != NULL && ph_lexer_take (lexer, '='))
        {
          Onnx__TensorProto *tensor = ph_text_tensor (parser, info->type, info->name);

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

Onnx__GraphProto *
ph_text_graph (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__GraphProto *graph = ph_proto_new (parser->arena, Onnx__GraphProto, onnx__graph_proto);
  PhTextList inputs = { 0 }, outputs = { 0 }, infos = { 0 }, initializers = { 0 }, nodes = { 0 };
  gboolean ok;

  if (parser->depth >= PH_TEXT_MAX_DEPTH)
    {
      ph_lexer_fail (lexer, "graphs are nested more than %d deep", PH_TEXT_MAX_DEPTH);
      return NULL;
    }
  parser->depth++;
  graph->name = ph_text_name (parser, "the name of a graph");
  ok = graph->name != NULL && ph_lexer_expect (lexer, '(') && parse_values (parser, ')', &inputs, &initializers, TRUE)
       && ph_lexer_expect_arrow (lexer) && ph_lexer_expect (lexer, '(') && parse_values (parser, ')', &outputs, NULL, TRUE)
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
parse_opsets (PhTextParser *parser, PhTextList *sets)
{
  PhLexer *lexer = &parser->lexer;

  if (!ph_lexer_expect (lexer, '['))
    return FALSE;
  while (!ph_lexer_is (lexer, ']'))
    {
      Onnx__OperatorSetIdProto *set = ph_proto_new (parser->arena, Onnx__OperatorSetIdProto, onnx__operator_set_id_proto);

      ph_lexer_mark (lexer, set, &lexer->token);
      set->domain = ph_text_string (parser);
      set->has_version = TRUE;
      if (set->domain == NULL || !ph_lexer_expect (lexer, ':') || !ph_text_int (parser, &set->version))
        return FALSE;
      LIST_ADD (sets, gpointer, set);
      if (!ph_lexer_is (lexer, ']') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

static gboolean
parse_properties (PhTextParser *parser, PhTextList *entries)
{
  PhLexer *lexer = &parser->lexer;

  if (!ph_lexer_expect (lexer, '['))
    return FALSE;
  while (!ph_lexer_is (lexer, ']'))
    {
      Onnx__StringStringEntryProto *entry = ph_proto_new (parser->arena, Onnx__StringStringEntryProto,
                                                          onnx__string_string_entry_proto);

      entry->key = ph_text_string (parser);
      if (entry->key == NULL || !ph_lexer_expect (lexer, ':') || (entry->value = ph_text_string (parser)) == NULL)
        return FALSE;
      LIST_ADD (entries, gpointer, entry);
      if (!ph_lexer_is (lexer, ']') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  return ph_lexer_next (lexer);
}

/* Parses the keys of a model or function, up to ">". */
static gboolean
parse_keys (PhTextParser *parser, Onnx__ModelProto *model, Onnx__FunctionProto *function)
{
  PhLexer *lexer = &parser->lexer;
  PhTextList sets = { 0 }, properties = { 0 };

  while (!ph_lexer_is (lexer, '>'))
    {
      PhToken token = lexer->token;
      char *key = ph_text_name (parser, "a key such as ir_version or opset_import");
      char **text = NULL;

      if (key == NULL || !ph_lexer_expect (lexer, ':'))
        return FALSE;
      if (g_str_equal (key, "opset_import"))
        parse_opsets (parser, &sets);
      else if (model != NULL && g_str_equal (key, "ir_version"))
        model->has_ir_version = ph_text_int (parser, &model->ir_version);
      else if (model != NULL && g_str_equal (key, "model_version"))
        model->has_model_version = ph_text_int (parser, &model->model_version);
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
          return ph_lexer_fail (lexer, "there is no key '%s'; the keys are %s", key,
                                model != NULL ? "ir_version, opset_import, producer_name, "
                                                "producer_version, domain, model_version, doc_string, metadata_props"
                                              : "domain, opset_import, doc_string");
        }
      if (text != NULL)
        *text = ph_text_string (parser);
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

static gboolean
parse_function_attrs (PhTextParser *parser, Onnx__FunctionProto *function)
{
  PhLexer *lexer = &parser->lexer;
  PhTextList names = { 0 };

  while (!ph_lexer_is (lexer, '>'))
    {
      char next = ph_lexer_peek (lexer);

      if (next == ':' || next == '=')
        {
          Onnx__AttributeProto *attr = ph_text_attr (parser);

          if (attr == NULL)
            return FALSE;
          /* Default values are newer than Debian's onnx.proto, so they are added as an unknown field. */
          ph_proto_append (parser->arena, &function->base, PH_FUNCTION_ATTRIBUTE_PROTO, &attr->base);
        }
      else
        {
          char *name = ph_text_name (parser, "the name of an attribute");

          if (name == NULL)
            return FALSE;
          LIST_ADD (&names, gpointer, name);
        }
      if (!ph_lexer_is (lexer, '>') && !ph_lexer_expect (lexer, ','))
        return FALSE;
    }
  function->attribute = names.data;
  function->n_attribute = names.n;
  return ph_lexer_next (lexer);
}

static Onnx__FunctionProto *
parse_function (PhTextParser *parser)
{
  PhLexer *lexer = &parser->lexer;
  Onnx__FunctionProto *function = ph_proto_new (parser->arena, Onnx__FunctionProto, onnx__function_proto);
  PhTextList inputs = { 0 }, outputs = { 0 }, nodes = { 0 }, infos = { 0 };

  if (!ph_lexer_expect (lexer, '<') || !parse_keys (parser, NULL, function))
    return NULL;
  function->name = ph_text_name (parser, "the name of a function");
  if (function->name == NULL || (ph_lexer_take (lexer, '<') && !parse_function_attrs (parser, function))
      || !ph_lexer_expect (lexer, '(') || !parse_names (parser, &inputs, ')', "the name of a value")
      || !ph_lexer_expect_arrow (lexer) || !ph_lexer_expect (lexer, '(')
      || !parse_names (parser, &outputs, ')', "the name of a value")
      || (ph_lexer_take (lexer, '<') && !parse_values (parser, '>', &infos, NULL, FALSE)) || !parse_nodes (parser, &nodes))
    return NULL;
  function->input = inputs.data;
  function->n_input = inputs.n;
  function->output = outputs.data;
  function->n_output = outputs.n;
  function->node = nodes.data;
  function->n_node = nodes.n;
  for (gsize i = 0; i < infos.n; i++)
    ph_proto_append (parser->arena, &function->base, PH_FUNCTION_VALUE_INFO, &((Onnx__ValueInfoProto **) infos.data)[i]->base);
  return lexer->failed ? NULL : function;
}

/* Keeps all fields but graph, functions and opset imports, as the reader of the binary form does. */
static void
take_extra (PhOnnxSource *source, const Onnx__ModelProto *model)
{
  Onnx__ModelProto rest = *model;

  rest.has_ir_version = FALSE;
  rest.graph = NULL;
  rest.n_functions = rest.n_opset_import = 0;
  if (protobuf_c_message_get_packed_size (&rest.base) > 0)
    source->extra = ph_proto_to_bytes (&rest.base);
}

Onnx__ModelProto *
ph_text_parse (PhOnnxSource *source, PhArena *arena, const char *text, gsize length, GError **error)
{
  PhTextParser parser_, *parser = &parser_;
  Onnx__ModelProto *model = ph_proto_new (arena, Onnx__ModelProto, onnx__model_proto);
  PhLexer *lexer = &parser->lexer;
  const char *end;

  parser_ = (PhTextParser) { .arena = arena };
  ph_lexer_init (lexer, source, arena, text, length, error);
  if (!g_utf8_validate (text, (gssize) length, &end))
    {
      PhTextLine last = { NULL, 0 };
      guint line, column;

      ph_text_place (&last, text, end, &line, &column);
      g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "%s:%u:1: this line is not UTF-8 text", source->base->path, line);
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
  model->graph = ph_text_graph (parser);
  if (model->graph == NULL)
    return NULL;
  source->parsed = g_ptr_array_new ();
  while (lexer->token.kind != PH_TOKEN_END)
    {
      Onnx__FunctionProto *function;

      if (!ph_lexer_is (lexer, '<'))
        {
          ph_lexer_fail (lexer, "the end of the text, or '<' of a function, is expected here, not %s", ph_lexer_describe (lexer));
          return NULL;
        }
      function = parse_function (parser);
      if (function == NULL)
        return NULL;
      g_ptr_array_add (source->parsed, function);
    }
  if (lexer->failed)
    return NULL;
  take_extra (source, model);
  return model;
}
