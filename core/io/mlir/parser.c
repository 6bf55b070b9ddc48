/* parser.c: operations, blocks and regions of MLIR text; an operation in the generic form. The forms that dialects print: custom.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/forms.h"

/* ── names in scope ── */

static void
push_scope (PhMlirParser *parser, gboolean isolated)
{
  GHashTable *scope = g_hash_table_new (NULL, NULL);

  if (isolated)
    g_hash_table_add (scope, (gpointer) "");
  g_ptr_array_add (parser->scopes, scope);
}

static void
define (PhMlirParser *parser, const char *name)
{
  g_hash_table_add (parser->scopes->pdata[parser->scopes->len - 1], (gpointer) name);
}

gboolean
ph_mlir_is_defined (PhMlirParser *parser, const char *name)
{
  for (guint i = parser->scopes->len; i-- > 0;)
    {
      if (g_hash_table_contains (parser->scopes->pdata[i], name))
        return TRUE;
      if (g_hash_table_contains (parser->scopes->pdata[i], ""))
        return FALSE;
    }
  return FALSE;
}

/* ── parts of both forms ── */

/* Returns the name without "%". "%0#1" names the second result of "%0:2"; a number keeps its "%", since a bare number means a node. */
static const char *
value_name (const char *text)
{
  return g_ascii_isdigit (text[1]) ? ph_intern (text) : ph_intern (text + 1);
}

/* "%0" is "%0#0" of several results, and "%0#0" the only one, "%0". */
static const char *
first_result (PhMlirParser *parser, const char *text, const char *name)
{
  g_autofree char *other = g_str_has_suffix (text, "#0") ? g_strndup (text, strlen (text) - 2)
                           : strchr (text, '#') == NULL  ? g_strconcat (text, "#0", NULL)
                                                         : NULL;
  const char *found = other != NULL ? value_name (other) : name;

  return ph_mlir_is_defined (parser, found) ? found : name;
}

PhMlirValue
ph_mlir_take_value (PhMlirParser *parser)
{
  PhMlirValue value = { .line = parser->token.line, .column = parser->token.column };
  const char *text = ph_mlir_text (parser);

  value.name = value_name (text);
  if (!ph_mlir_is_defined (parser, value.name))
    value.name = first_result (parser, text, value.name);
  ph_mlir_next (parser);
  return value;
}

gboolean
ph_mlir_types (PhMlirParser *parser, GArray *types, char close)
{
  while (!ph_mlir_is (parser, close))
    {
      PhMlirType type;

      if (!ph_mlir_type (parser, &type))
        return FALSE;
      g_array_append_val (types, type);
      if (ph_mlir_is (parser, '{')) /* attributes of a result */
        ph_mlir_skip (parser);
      if (ph_mlir_is_word (parser, "loc") && !ph_mlir_loc (parser, &(PhMlirLoc) { 0 }))
        return FALSE;
      if (!ph_mlir_is (parser, close) && !ph_mlir_expect (parser, ','))
        return FALSE;
    }
  ph_mlir_next (parser);
  return TRUE;
}

/* Parses the types after "->": a single one, or several in parentheses. */
gboolean
ph_mlir_results (PhMlirParser *parser, GArray *types)
{
  PhMlirType type;

  if (ph_mlir_take (parser, '('))
    return ph_mlir_types (parser, types, ')');
  if (!ph_mlir_type (parser, &type))
    return FALSE;
  g_array_append_val (types, type);
  return TRUE;
}

static PhMlirOp *
new_op (PhMlirParser *parser)
{
  PhMlirOp *op = ph_mlir_new (parser, sizeof *op);

  op->results = ph_mlir_array (parser, sizeof (PhMlirValue));
  op->operands = ph_mlir_array (parser, sizeof (PhMlirValue));
  op->result_types = ph_mlir_array (parser, sizeof (PhMlirType));
  op->attrs = ph_mlir_ptr_array (parser);
  op->regions = ph_mlir_ptr_array (parser);
  op->successors = ph_mlir_ptr_array (parser);
  op->line = parser->token.line;
  op->column = parser->token.column;
  return op;
}

void
ph_mlir_add_attr (PhMlirOp *op, const char *name, PhMlirAttr *attr)
{
  attr->name = ph_intern (name);
  g_ptr_array_add (op->attrs, attr);
}

PhMlirAttr *
ph_mlir_attr (const PhMlirOp *op, const char *name)
{
  for (guint i = 0; i < op->attrs->len; i++)
    {
      PhMlirAttr *attr = op->attrs->pdata[i];

      if (g_str_equal (attr->name, name))
        return attr;
    }
  return NULL;
}

/* ── the generic form ── */

static gboolean
parse_generic (PhMlirParser *parser, PhMlirOp *op)
{
  g_autofree char *name = ph_mlir_unquote (parser), *valid = g_utf8_make_valid (name, -1);

  op->name = ph_intern (valid);
  op->known = TRUE;
  ph_mlir_next (parser);
  if (!ph_mlir_expect (parser, '('))
    return FALSE;
  while (!ph_mlir_is (parser, ')'))
    {
      PhMlirValue value;

      if (parser->token.kind != PH_MLIR_PERCENT)
        return ph_mlir_fail (parser, "an operand (%%name) is expected here");
      value = ph_mlir_take_value (parser);
      g_array_append_val (op->operands, value);
      if (!ph_mlir_is (parser, ')') && !ph_mlir_expect (parser, ','))
        return FALSE;
    }
  ph_mlir_next (parser);
  if (ph_mlir_take (parser, '['))
    {
      while (!ph_mlir_is (parser, ']') && parser->token.kind != PH_MLIR_END)
        {
          if (parser->token.kind == PH_MLIR_CARET)
            g_ptr_array_add (op->successors, (gpointer) ph_mlir_text (parser));
          ph_mlir_skip (parser);
        }
      if (!ph_mlir_expect (parser, ']'))
        return FALSE;
    }
  if (ph_mlir_take (parser, '<'))
    if (!ph_mlir_dict (parser, op->attrs) || !ph_mlir_expect (parser, '>'))
      return FALSE;
  if (ph_mlir_take (parser, '('))
    {
      do
        {
          PhMlirRegion *region = ph_mlir_region (parser, NULL, FALSE);

          if (region == NULL)
            return FALSE;
          g_ptr_array_add (op->regions, region);
        }
      while (ph_mlir_take (parser, ','));
      if (!ph_mlir_expect (parser, ')'))
        return FALSE;
    }
  if (ph_mlir_is (parser, '{') && !ph_mlir_dict (parser, op->attrs))
    return FALSE;
  if (ph_mlir_take (parser, ':'))
    {
      PhMlirType type;

      if (!ph_mlir_take (parser, '('))
        return ph_mlir_fail (parser, "the types of the operands, '(...) -> ...', are expected here");
      while (!ph_mlir_is (parser, ')'))
        {
          if (!ph_mlir_type (parser, &type) || (!ph_mlir_is (parser, ')') && !ph_mlir_expect (parser, ',')))
            return FALSE;
        }
      ph_mlir_next (parser);
      if (parser->token.kind != PH_MLIR_ARROW)
        return ph_mlir_fail (parser, "'->' and the types of the results are expected here");
      ph_mlir_next (parser);
      if (!ph_mlir_results (parser, op->result_types))
        return FALSE;
    }
  {
    const PhMlirAttr *symbol = ph_mlir_attr (op, "sym_name");

    op->symbol = symbol != NULL && symbol->kind == PH_MLIR_STRING ? symbol->text : NULL;
  }
  return TRUE;
}

/* ── operations, blocks, regions ── */

static void
name_results (PhMlirParser *parser, PhMlirOp *op)
{
  for (guint i = 0; i < op->results->len; i++)
    {
      PhMlirValue *result = &g_array_index (op->results, PhMlirValue, i);

      define (parser, result->name);
      if (i < op->result_types->len)
        result->type = g_array_index (op->result_types, PhMlirType, i);
    }
}

/* Parses a custom form. If that fails for an unknown dialect, falls back to a lenient parse, so that no custom form keeps a file from
 * opening. */
static gboolean
parse_custom (PhMlirParser *parser, PhMlirOp *op)
{
  const PhMlirToken name = parser->token;
  const guint depth = parser->depth, n_scopes = parser->scopes->len;

  if (ph_mlir_custom (parser, op))
    return TRUE;
  if (op->known || g_str_equal (op->name, "func.func") || g_str_has_suffix (op->name, "module"))
    parser->final = TRUE;
  if (parser->final || !g_error_matches (parser->error, PH_ERROR, PH_ERROR_INVALID)
      || parser->read_again > 16 * (gsize) (parser->end - parser->begin))
    return FALSE;
  parser->read_again += (gsize) (parser->p - name.start);
  g_clear_error (&parser->error);
  parser->depth = depth;
  g_ptr_array_set_size (parser->scopes, (int) n_scopes);
  ph_mlir_seek (parser, &name);
  g_array_set_size (op->operands, 0);
  g_array_set_size (op->result_types, 0);
  g_ptr_array_set_size (op->attrs, 0);
  g_ptr_array_set_size (op->regions, 0);
  g_ptr_array_set_size (op->successors, 0);
  op->symbol = NULL;
  return ph_mlir_unknown (parser, op);
}

static PhMlirOp *
parse_op (PhMlirParser *parser)
{
  PhMlirOp *op = new_op (parser);
  const gboolean names_results = parser->token.kind == PH_MLIR_PERCENT;

  while (parser->token.kind == PH_MLIR_PERCENT)
    {
      PhMlirValue result = { .line = parser->token.line, .column = parser->token.column };
      g_autofree char *base = g_strdup (ph_mlir_text (parser));
      guint64 count = 1;

      ph_mlir_next (parser);
      if (ph_mlir_take (parser, ':'))
        {
          count = parser->token.kind == PH_MLIR_INTEGER ? ph_mlir_count (parser) : G_MAXUINT64;
          if (count > 100000)
            {
              ph_mlir_fail (parser, "the number of results is expected here, up to 100000");
              return NULL;
            }
          ph_mlir_next (parser);
        }
      for (guint64 i = 0; i < count; i++)
        {
          g_autofree char *name = count > 1 ? g_strdup_printf ("%s#%" G_GUINT64_FORMAT, base, i) : g_strdup (base);

          result.name = value_name (name);
          g_array_append_val (op->results, result);
        }
      if (!ph_mlir_take (parser, ','))
        break;
    }
  if (names_results && !ph_mlir_expect (parser, '='))
    return NULL;
  if (parser->token.kind == PH_MLIR_QUOTED ? !parse_generic (parser, op)
      : parser->token.kind == PH_MLIR_ID
          ? !parse_custom (parser, op)
          : !ph_mlir_fail (parser, "an operation (\"dialect.name\" (...) or dialect.name ...) is expected here"))
    return NULL;
  if (ph_mlir_is_word (parser, "loc") && !ph_mlir_loc (parser, &op->loc))
    return NULL;
  if (parser->error != NULL)
    return NULL;
  name_results (parser, op);
  return op;
}

static PhMlirBlock *
new_block (PhMlirParser *parser, PhMlirRegion *region)
{
  PhMlirBlock *block = ph_mlir_new (parser, sizeof *block);

  block->arguments = ph_mlir_array (parser, sizeof (PhMlirValue));
  block->ops = ph_mlir_ptr_array (parser);
  g_ptr_array_add (region->blocks, block);
  return block;
}

/* "^bb1(%a: t, %b: t):" */
static gboolean
parse_label (PhMlirParser *parser, PhMlirBlock *block)
{
  block->label = ph_mlir_text (parser);
  ph_mlir_next (parser);
  if (ph_mlir_take (parser, '('))
    {
      while (!ph_mlir_is (parser, ')'))
        {
          PhMlirValue value;

          if (parser->token.kind != PH_MLIR_PERCENT)
            return ph_mlir_fail (parser, "an argument of the block (%%name: type) is expected here");
          value = ph_mlir_take_value (parser);
          if (!ph_mlir_expect (parser, ':') || !ph_mlir_type (parser, &value.type)
              || (ph_mlir_is_word (parser, "loc") && !ph_mlir_loc (parser, &(PhMlirLoc) { 0 })))
            return FALSE;
          define (parser, value.name);
          g_array_append_val (block->arguments, value);
          if (!ph_mlir_is (parser, ')') && !ph_mlir_expect (parser, ','))
            return FALSE;
        }
      ph_mlir_next (parser);
    }
  return ph_mlir_expect (parser, ':');
}

static gboolean
skip_alias_or_resources (PhMlirParser *parser)
{
  if (parser->token.kind == PH_MLIR_HASH || parser->token.kind == PH_MLIR_BANG)
    {
      const gboolean is_type = parser->token.kind == PH_MLIR_BANG;
      PhMlirType type;

      ph_mlir_next (parser);
      if (!ph_mlir_expect (parser, '='))
        return FALSE;
      if (ph_mlir_is_word (parser, "loc"))
        return ph_mlir_loc (parser, &(PhMlirLoc) { 0 });
      if (is_type ? !ph_mlir_type (parser, &type) : ph_mlir_value (parser) == NULL)
        return FALSE;
      return !ph_mlir_take (parser, ':') || ph_mlir_type (parser, &type);
    }
  if (!ph_mlir_is (parser, '{'))
    return FALSE;
  ph_mlir_skip (parser);
  return parser->error == NULL;
}

static gboolean
parse_ops (PhMlirParser *parser, PhMlirRegion *region, PhMlirBlock *block, gboolean top)
{
  guint n = 0;

  while (parser->error == NULL)
    {
      PhMlirOp *op;

      if (parser->token.kind == PH_MLIR_END || (!top && ph_mlir_is (parser, '}')))
        return TRUE;
      if (++n % 1024 == 0 && g_cancellable_set_error_if_cancelled (parser->source->cancellable, &parser->error))
        return FALSE;
      if (!top && parser->token.kind == PH_MLIR_CARET)
        {
          if (block->ops->len > 0 || block->label != NULL)
            block = new_block (parser, region);
          if (!parse_label (parser, block))
            return FALSE;
          continue;
        }
      if (top && (parser->token.kind == PH_MLIR_HASH || parser->token.kind == PH_MLIR_BANG || ph_mlir_is (parser, '{')))
        {
          if (!skip_alias_or_resources (parser))
            return FALSE;
          continue;
        }
      op = parse_op (parser);
      if (op == NULL)
        return FALSE;
      g_ptr_array_add (block->ops, op);
    }
  return FALSE;
}

PhMlirRegion *
ph_mlir_region (PhMlirParser *parser, GArray *arguments, gboolean isolated)
{
  PhMlirRegion *region = ph_mlir_new (parser, sizeof *region);
  PhMlirBlock *block;
  gboolean ok;

  region->blocks = ph_mlir_ptr_array (parser);
  block = new_block (parser, region);
  if (!ph_mlir_enter (parser) || !ph_mlir_expect (parser, '{'))
    return NULL;
  push_scope (parser, isolated);
  if (parser->token.kind == PH_MLIR_CARET) /* its own label declares the arguments */
    arguments = NULL;
  for (guint i = 0; arguments != NULL && i < arguments->len; i++)
    {
      const PhMlirValue *value = &g_array_index (arguments, PhMlirValue, i);

      if (g_hash_table_contains (parser->scopes->pdata[parser->scopes->len - 1], value->name))
        continue;
      define (parser, value->name);
      g_array_append_val (block->arguments, *value);
    }
  ok = parse_ops (parser, region, block, FALSE) && ph_mlir_expect (parser, '}');
  g_ptr_array_set_size (parser->scopes, (int) parser->scopes->len - 1);
  parser->depth--;
  return ok ? region : NULL;
}

gboolean
ph_mlir_parse_top (PhMlirParser *parser)
{
  PhMlirRegion *region = ph_mlir_new (parser, sizeof *region);

  region->blocks = ph_mlir_ptr_array (parser);
  parser->module->top = region;
  push_scope (parser, TRUE);
  ph_mlir_next (parser);
  return parse_ops (parser, region, new_block (parser, region), TRUE);
}
