/* unknown.c: parses an operation whose form only its dialect knows: its operands, results and regions. The rest stays text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/forms.h"

typedef struct
{
  PhMlirOp *op;
  GArray *arguments;  /* (element-type PhMlirValue): undefined names, taken as arguments of the next region */
  PhMlirToken result; /* the last "->", ":" or "to" outside of all brackets                               */
  const char *end;    /* (nullable) of the operation's own text: where the first region begins            */
  guint depth, angles;
} Unknown;

static gboolean
begins_region (PhMlirParser *parser)
{
  const PhMlirToken open = parser->token;
  gboolean begins;

  ph_mlir_next (parser);
  begins = parser->token.kind == PH_MLIR_CARET
           || (parser->token.fresh && !ph_mlir_is (parser, '}') && ph_mlir_begins_operation (parser));
  ph_mlir_seek (parser, &open);
  return begins;
}

/* Reads "{". Returns FALSE if it begins a region that cannot be parsed. */
static gboolean
read_brace (PhMlirParser *parser, Unknown *unknown)
{
  PhMlirRegion *region;

  if (unknown->depth > 0 || !begins_region (parser))
    {
      unknown->depth++;
      ph_mlir_next (parser);
      return TRUE;
    }
  if (unknown->end == NULL)
    unknown->end = parser->token.start;
  region = ph_mlir_region (parser, unknown->arguments, FALSE);
  if (region != NULL)
    g_ptr_array_add (unknown->op->regions, region);
  return region != NULL;
}

static void
read_name (PhMlirParser *parser, Unknown *unknown)
{
  PhMlirValue value = ph_mlir_take_value (parser);
  const PhMlirToken after = parser->token;

  if (unknown->depth > 0 && ph_mlir_take (parser, ':') && !ph_mlir_type (parser, &value.type))
    {
      g_clear_error (&parser->error);
      parser->final = FALSE;
      value.type = (PhMlirType) { 0 };
      ph_mlir_seek (parser, &after);
    }
  g_array_append_val (ph_mlir_is_defined (parser, value.name) ? unknown->op->operands : unknown->arguments, value);
}

static gboolean
read_token (PhMlirParser *parser, Unknown *unknown)
{
  const PhMlirToken token = parser->token;
  const gboolean outside = unknown->depth == 0 && unknown->angles == 0;

  switch (token.kind)
    {
    case PH_MLIR_PERCENT: read_name (parser, unknown); return TRUE;
    case PH_MLIR_AT:
      if (unknown->op->symbol == NULL)
        unknown->op->symbol = ph_intern (ph_mlir_text (parser) + 1);
      break;
    case PH_MLIR_CARET: g_ptr_array_add (unknown->op->successors, (gpointer) ph_mlir_text (parser)); break;
    case PH_MLIR_ID:
      if (outside && (ph_mlir_is_word (parser, "to") || ph_mlir_is_word (parser, "into")))
        unknown->result = token;
      break;
    case PH_MLIR_ARROW:
      if (outside)
        unknown->result = token;
      break;
    case PH_MLIR_PUNCT:
      if (token.punct == '{')
        return read_brace (parser, unknown);
      if (token.punct == ':' && outside)
        unknown->result = token;
      else if (token.punct == '<')
        unknown->angles++;
      else if (token.punct == '>')
        unknown->angles -= unknown->angles > 0;
      else if (token.punct == '(' || token.punct == '[')
        unknown->depth++;
      else if (strchr (")]}", token.punct) != NULL)
        unknown->depth -= unknown->depth > 0;
      break;
    case PH_MLIR_END:
    case PH_MLIR_HASH:
    case PH_MLIR_BANG:
    case PH_MLIR_INTEGER:
    case PH_MLIR_REAL:
    case PH_MLIR_QUOTED:
    default: break;
    }
  ph_mlir_next (parser);
  return TRUE;
}

/* Reads the types after the last ":" or "->", if they are types. */
static void
read_types (PhMlirParser *parser, Unknown *unknown)
{
  const PhMlirToken after = parser->token;
  GArray *types = ph_mlir_array (parser, sizeof (PhMlirType));
  gboolean typed = unknown->result.kind != PH_MLIR_PUNCT;
  gboolean ok;

  if (unknown->result.start == NULL)
    return;
  ph_mlir_seek (parser, &unknown->result);
  ph_mlir_next (parser);
  ok = ph_mlir_results (parser, typed ? unknown->op->result_types : types);
  while (ok && !typed && ph_mlir_take (parser, ','))
    ok = ph_mlir_results (parser, types);
  if (!ok)
    {
      g_clear_error (&parser->error);
      parser->final = FALSE;
      g_array_set_size (unknown->op->result_types, 0);
      g_array_set_size (types, 0);
    }
  ph_mlir_seek (parser, &after);
  ph_mlir_settle (unknown->op, types, typed && ok);
}

gboolean
ph_mlir_unknown (PhMlirParser *parser, PhMlirOp *op)
{
  Unknown unknown = { .op = op, .arguments = ph_mlir_array (parser, sizeof (PhMlirValue)) };
  PhMlirAttr *rest = ph_mlir_new (parser, sizeof *rest);
  const guint depth = parser->depth;
  const char *from;

  ph_mlir_next (parser);
  from = parser->token.start;
  while (unknown.depth > 0 ? parser->token.kind != PH_MLIR_END : !ph_mlir_begins_operation (parser))
    if (!read_token (parser, &unknown))
      return FALSE;
  if (unknown.depth > 0)
    return ph_mlir_expect (parser, ')');
  rest->kind = PH_MLIR_TEXT;
  if (unknown.end == NULL)
    rest->text = ph_mlir_span (parser, from);
  else
    {
      const PhMlirToken after = parser->token;

      parser->token.start = unknown.end;
      rest->text = ph_mlir_span (parser, from);
      parser->token = after;
    }
  ph_mlir_add_attr (op, "text", rest);
  read_types (parser, &unknown);
  parser->depth = depth;
  return parser->error == NULL;
}
