/* custom.c: parses the custom forms in which dialects print operations. Each clause is recognised by its first token, so unknown forms are
 * read as well.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/forms.h"

typedef struct
{
  PhMlirOp *op;
  GArray *arguments; /* (element-type PhMlirValue): of the regions that follow                      */
  GArray *types;     /* (element-type PhMlirType): after ":"                                        */
  gboolean isolated, typed, sure;
} Form;

static gboolean parse_clauses (PhMlirParser *parser, Form *form, char close);

gboolean
ph_mlir_begins_operation (PhMlirParser *parser)
{
  PhMlirToken token = parser->token;
  gboolean begins;

  if (token.kind == PH_MLIR_END || ph_mlir_is (parser, '}'))
    return TRUE;
  if (!token.fresh)
    return ph_mlir_is_word (parser, "func.return");
  if (token.kind == PH_MLIR_QUOTED || token.kind == PH_MLIR_CARET)
    {
      ph_mlir_next (parser);
      if (token.kind == PH_MLIR_CARET && ph_mlir_is (parser, '(')) /* a label, or a branch target? */
        ph_mlir_skip (parser);
      begins = ph_mlir_is (parser, token.kind == PH_MLIR_CARET ? ':' : '(');
      ph_mlir_seek (parser, &token);
      return begins;
    }
  if ((ph_mlir_is (parser, '{') && parser->end - token.start > 2 && token.start[1] == '-'))
    return TRUE;
  if (token.kind == PH_MLIR_HASH || token.kind == PH_MLIR_BANG)
    return ph_mlir_alias (parser, ph_mlir_text (parser)) != NULL && token.column == 1;
  if (token.kind == PH_MLIR_ID)
    {
      static const char *const words[] = { "return", "call", "call_indirect", "module", "func", "br", "cond_br", NULL };
      g_autofree char *word = g_strndup (token.start, (gsize) (token.end - token.start));

      return g_strv_contains (words, word) || (strchr (word, '.') != NULL && !g_str_has_suffix (word, "."));
    }
  if (token.kind != PH_MLIR_PERCENT)
    return FALSE;
  ph_mlir_next (parser);
  while (ph_mlir_is (parser, ':') || ph_mlir_is (parser, ',') || parser->token.kind == PH_MLIR_INTEGER
         || parser->token.kind == PH_MLIR_PERCENT)
    ph_mlir_next (parser);
  begins = ph_mlir_is (parser, '=');
  ph_mlir_seek (parser, &token);
  return begins;
}

/* "{": attributes, or a region? */
static gboolean
begins_dictionary (PhMlirParser *parser, Form *form)
{
  PhMlirToken token = parser->token;
  gboolean dictionary = FALSE;

  ph_mlir_next (parser);
  if (ph_mlir_is (parser, '}'))
    dictionary = !form->isolated && form->arguments->len == 0;
  else if (parser->token.kind == PH_MLIR_ID || parser->token.kind == PH_MLIR_QUOTED)
    {
      const char *word = ph_mlir_text (parser);

      ph_mlir_next (parser);
      dictionary = ph_mlir_is (parser, '=') || ph_mlir_is (parser, ',')
                   || (ph_mlir_is (parser, '}') && !g_str_has_suffix (word, "return") && !g_str_has_suffix (word, "yield")
                       && !g_str_has_suffix (word, "terminator") && !g_str_has_suffix (word, "unreachable"));
    }
  ph_mlir_seek (parser, &token);
  return dictionary;
}

/* "{["linalg.matmul"]}" */
static gboolean
begins_list (PhMlirParser *parser)
{
  const PhMlirToken token = parser->token;
  gboolean list;

  ph_mlir_next (parser);
  list = ph_mlir_is (parser, '[');
  ph_mlir_seek (parser, &token);
  return list;
}

/* Parses an operand, or the name of a region's argument: "%a", "%a: type", "%a = %b". */
static gboolean
parse_name (PhMlirParser *parser, Form *form, gboolean in_parentheses)
{
  PhMlirValue value = ph_mlir_take_value (parser);
  gboolean is_argument = (form->isolated && in_parentheses) || (!ph_mlir_is_defined (parser, value.name) && !form->sure);

  if (ph_mlir_take (parser, '='))
    {
      g_array_append_val (form->arguments, value);
      if (parser->token.kind != PH_MLIR_PERCENT)
        return TRUE;
      value = ph_mlir_take_value (parser);
      g_array_append_val (form->op->operands, value);
      return TRUE;
    }
  if (in_parentheses && ph_mlir_is (parser, ':'))
    {
      ph_mlir_next (parser);
      if (parser->token.kind == PH_MLIR_PERCENT) /* "init: %c" */
        ;
      else if (!ph_mlir_type (parser, &value.type))
        return FALSE;
      if (form->isolated && ph_mlir_is (parser, '{'))
        ph_mlir_skip (parser);
      if (ph_mlir_is_word (parser, "loc") && !ph_mlir_loc (parser, &(PhMlirLoc) { 0 }))
        return FALSE;
    }
  g_array_append_val (is_argument ? form->arguments : form->op->operands, value);
  return TRUE;
}

/* Reads "[0:2, 0:4:2]" after an operand. */
static gboolean
parse_slice (PhMlirParser *parser, Form *form)
{
  static const char *const names[3] = { "start_indices", "limit_indices", "strides" };
  PhMlirAttr *lists[3];

  for (guint k = 0; k < 3; k++)
    {
      lists[k] = ph_mlir_new (parser, sizeof **lists);
      lists[k]->kind = PH_MLIR_ARRAY;
      lists[k]->items = ph_mlir_ptr_array (parser);
    }
  ph_mlir_next (parser);
  while (!ph_mlir_is (parser, ']'))
    {
      for (guint k = 0; k < 3; k++)
        {
          PhMlirAttr *item = ph_mlir_new (parser, sizeof *item);

          item->i = 1;
          if (k == 0 || ph_mlir_take (parser, ':'))
            {
              if (parser->token.kind != PH_MLIR_INTEGER)
                return ph_mlir_fail (parser, "a bound of a slice is expected here, as in [0:2, 0:4:2]");
              item->i = (gint64) ph_mlir_count (parser);
              ph_mlir_next (parser);
            }
          g_ptr_array_add (lists[k]->items, item);
        }
      if (!ph_mlir_is (parser, ']') && !ph_mlir_expect (parser, ','))
        return FALSE;
    }
  for (guint k = 0; k < 3; k++)
    ph_mlir_add_attr (form->op, names[k], lists[k]);
  ph_mlir_next (parser);
  return TRUE;
}

/* Returns TRUE if a value occurs before the next "]". */
static gboolean
holds_value (PhMlirParser *parser)
{
  const PhMlirToken token = parser->token;
  gboolean holds;

  while (parser->token.kind != PH_MLIR_END && parser->token.kind != PH_MLIR_PERCENT && !ph_mlir_is (parser, ']'))
    ph_mlir_next (parser);
  holds = parser->token.kind == PH_MLIR_PERCENT;
  ph_mlir_seek (parser, &token);
  return holds;
}

/* Reads "[0, %i, 4]": constant sizes mixed with operands. */
static gboolean
parse_mixed (PhMlirParser *parser, Form *form)
{
  PhMlirAttr *list = ph_mlir_new (parser, sizeof *list);

  list->kind = PH_MLIR_ARRAY;
  list->items = ph_mlir_ptr_array (parser);
  while (!ph_mlir_is (parser, ']'))
    {
      PhMlirAttr *item;

      if (parser->token.kind == PH_MLIR_PERCENT)
        {
          item = ph_mlir_new (parser, sizeof *item);
          item->kind = PH_MLIR_TEXT;
          item->text = ph_mlir_text (parser);
          if (!parse_name (parser, form, FALSE))
            return FALSE;
        }
      else
        item = ph_mlir_value (parser);
      if (item == NULL)
        return FALSE;
      g_ptr_array_add (list->items, item);
      if (!ph_mlir_is (parser, ']') && !ph_mlir_expect (parser, ','))
        return FALSE;
    }
  ph_mlir_next (parser);
  ph_mlir_add_attr (form->op, "index", list);
  return TRUE;
}

static gboolean
parse_bracket (PhMlirParser *parser, Form *form)
{
  PhMlirToken open = parser->token;

  ph_mlir_next (parser);
  if (parser->token.kind == PH_MLIR_INTEGER && holds_value (parser))
    return parse_mixed (parser, form);
  if (parser->token.kind == PH_MLIR_INTEGER)
    {
      gboolean slice;

      ph_mlir_next (parser);
      slice = ph_mlir_is (parser, ':');
      ph_mlir_seek (parser, &open);
      if (slice)
        return parse_slice (parser, form);
      {
        PhMlirAttr *list = ph_mlir_value (parser);

        if (list != NULL)
          ph_mlir_add_attr (form->op, "index", list);
        return list != NULL;
      }
    }
  return parse_clauses (parser, form, ']');
}

static gboolean
parse_dim_numbers (PhMlirParser *parser, Form *form)
{
  PhMlirAttr *numbers = ph_mlir_dim_numbers (parser);

  for (guint i = 0; numbers != NULL && i < numbers->items->len; i++)
    {
      PhMlirAttr *item = numbers->items->pdata[i];

      ph_mlir_add_attr (form->op, item->name, item);
    }
  return numbers != NULL;
}

/* "name = value", with "name" just passed. */
static gboolean
parse_named (PhMlirParser *parser, Form *form, const char *name)
{
  PhMlirAttr *value;

  if (g_str_equal (name, "dim_numbers"))
    return parse_dim_numbers (parser, form);
  if (parser->token.kind == PH_MLIR_PERCENT)
    return parse_name (parser, form, TRUE);
  value = ph_mlir_value (parser);
  if (value == NULL)
    return FALSE;
  if (ph_mlir_is_word (parser, "x"))
    {
      g_autofree char *lhs = g_strconcat ("lhs_", name, NULL), *rhs = g_strconcat ("rhs_", name, NULL);

      ph_mlir_add_attr (form->op, lhs, value);
      ph_mlir_next (parser);
      value = ph_mlir_value (parser);
      if (value != NULL)
        ph_mlir_add_attr (form->op, rhs, value);
      return value != NULL;
    }
  ph_mlir_add_attr (form->op, name, value);
  return TRUE;
}

/* Parses the types after ":": "(a, b) -> c", "a, b", "a to b". */
static gboolean
parse_type_clause (PhMlirParser *parser, Form *form)
{
  PhMlirType type;

  if (parser->token.kind == PH_MLIR_PERCENT) /* "init: %c" */
    return TRUE;
  if (parser->token.kind != PH_MLIR_ID && parser->token.kind != PH_MLIR_BANG && !ph_mlir_is (parser, '('))
    return TRUE;
  if (ph_mlir_is (parser, '('))
    {
      PhMlirToken open = parser->token;

      ph_mlir_skip (parser);
      if (parser->token.kind == PH_MLIR_ARROW)
        {
          ph_mlir_next (parser);
          form->typed = TRUE;
          return ph_mlir_results (parser, form->op->result_types);
        }
      ph_mlir_seek (parser, &open);
      ph_mlir_next (parser);
      return ph_mlir_types (parser, form->types, ')');
    }
  do
    {
      if (!ph_mlir_type (parser, &type))
        return FALSE;
      g_array_append_val (form->types, type);
    }
  while (ph_mlir_take (parser, ',') && !ph_mlir_begins_operation (parser));
  if (ph_mlir_is_word (parser, "to") || ph_mlir_is_word (parser, "into") || parser->token.kind == PH_MLIR_ARROW)
    {
      ph_mlir_next (parser);
      form->typed = TRUE;
      return ph_mlir_results (parser, form->op->result_types);
    }
  return TRUE;
}

static gboolean
parse_word (PhMlirParser *parser, Form *form)
{
  const char *word = ph_mlir_text (parser);
  PhMlirOp *op = form->op;

  if (g_str_equal (word, "loc"))
    return ph_mlir_loc (parser, &op->loc);
  if (g_str_equal (word, "dense") || g_str_equal (word, "dense_resource") || g_str_equal (word, "true")
      || g_str_equal (word, "false"))
    {
      PhMlirAttr *value = ph_mlir_value (parser);

      if (value != NULL)
        {
          ph_mlir_add_attr (op, "value", value);
          if (value->type.text != NULL)
            g_array_append_val (form->types, value->type);
        }
      return value != NULL;
    }
  ph_mlir_next (parser);
  if (ph_mlir_take (parser, '='))
    return parse_named (parser, form, word);
  if (g_str_equal (word, "attributes") && ph_mlir_is (parser, '{'))
    return ph_mlir_dict (parser, op->attrs);
  if (g_str_equal (word, "applies") && parser->token.kind == PH_MLIR_ID)
    {
      ph_mlir_add_applied (parser, op, ph_mlir_text (parser));
      ph_mlir_next (parser);
      return TRUE;
    }
  if (ph_mlir_is (parser, '<') && parser->token.start == parser->token.end - 1)
    {
      ph_mlir_skip (parser);
      return TRUE;
    }
  ph_mlir_add_word (parser, op, word);
  return TRUE;
}

static gboolean
parse_clause (PhMlirParser *parser, Form *form, char close)
{
  PhMlirOp *op = form->op;

  switch (parser->token.kind)
    {
    case PH_MLIR_PERCENT: return parse_name (parser, form, close != '\0');
    case PH_MLIR_AT:
      if (op->symbol == NULL)
        op->symbol = ph_intern (ph_mlir_text (parser) + 1);
      ph_mlir_next (parser);
      return TRUE;
    case PH_MLIR_CARET:
      g_ptr_array_add (op->successors, (gpointer) ph_mlir_text (parser));
      ph_mlir_next (parser);
      return TRUE;
    case PH_MLIR_ID: return parse_word (parser, form);
    case PH_MLIR_ARROW:
      ph_mlir_next (parser);
      form->typed = TRUE;
      return ph_mlir_results (parser, op->result_types);
    case PH_MLIR_QUOTED:
    case PH_MLIR_INTEGER:
    case PH_MLIR_REAL:
    case PH_MLIR_HASH:
      {
        PhMlirAttr *value = ph_mlir_value (parser);

        if (value != NULL)
          {
            ph_mlir_add_attr (op, value->kind == PH_MLIR_STRING ? "name" : "value", value);
            if (value->type.text != NULL)
              g_array_append_val (form->types, value->type);
          }
        return value != NULL;
      }
    case PH_MLIR_PUNCT: break;
    case PH_MLIR_END:
    case PH_MLIR_BANG:
    default: ph_mlir_skip (parser); return parser->error == NULL;
    }
  switch (parser->token.punct)
    {
    case '(': ph_mlir_next (parser); return parse_clauses (parser, form, ')');
    case '[': return parse_bracket (parser, form);
    case '{':
      if (begins_dictionary (parser, form))
        return ph_mlir_dict (parser, op->attrs);
      if (begins_list (parser))
        {
          ph_mlir_skip (parser);
          return parser->error == NULL;
        }
      {
        PhMlirRegion *region = ph_mlir_region (parser, form->arguments, form->isolated);

        if (region != NULL)
          g_ptr_array_add (op->regions, region);
        return region != NULL;
      }
    case '<':
      {
        PhMlirToken open = parser->token;

        ph_mlir_next (parser);
        if (ph_mlir_is (parser, '{'))
          return ph_mlir_dict (parser, op->attrs) && ph_mlir_expect (parser, '>');
        ph_mlir_seek (parser, &open);
        ph_mlir_skip (parser);
        return parser->error == NULL;
      }
    case ':': ph_mlir_next (parser); return parse_type_clause (parser, form);
    case '-':
      {
        PhMlirAttr *value = ph_mlir_value (parser);

        if (value != NULL)
          ph_mlir_add_attr (op, "value", value);
        return value != NULL;
      }
    default: ph_mlir_next (parser); return TRUE;
    }
}

static gboolean
parse_clauses (PhMlirParser *parser, Form *form, char close)
{
  if (!ph_mlir_enter (parser))
    return FALSE;
  while (parser->error == NULL)
    {
      if (close != '\0' ? ph_mlir_is (parser, close) : ph_mlir_begins_operation (parser))
        break;
      if (parser->token.kind == PH_MLIR_END)
        return ph_mlir_expect (parser, close);
      if (!parse_clause (parser, form, close))
        return FALSE;
    }
  parser->depth--;
  return parser->error == NULL && (close == '\0' || ph_mlir_take (parser, close));
}

gboolean
ph_mlir_custom (PhMlirParser *parser, PhMlirOp *op)
{
  /* clang-format off */
  static const struct { const char *word, *name; } old[] = {
    { "return", "func.return" }, { "call", "func.call" }, { "module", "builtin.module" }, { "func", "func.func" }, { "br", "cf.br" },
    { "cond_br", "cf.cond_br" }, { "constant", "arith.constant" },
  };
  /* clang-format on */
  Form form = { .op = op };

  op->name = ph_mlir_text (parser);
  for (gsize i = 0; i < G_N_ELEMENTS (old); i++)
    if (g_str_equal (old[i].word, op->name))
      op->name = old[i].name;
  op->known = op->name != NULL && ph_mlir_is_known (op->name);
  form.sure = op->known && !g_str_has_suffix (op->name, ".reduce");
  form.isolated = g_str_has_suffix (op->name, "func");
  form.arguments = ph_mlir_array (parser, sizeof (PhMlirValue));
  form.types = ph_mlir_array (parser, sizeof (PhMlirType));
  ph_mlir_next (parser);
  if (!parse_clauses (parser, &form, '\0'))
    return FALSE;
  if (op->regions->len == 0 && form.arguments->len > 0) /* undefined names, and no region that could have them as arguments */
    g_array_append_vals (op->operands, form.arguments->data, form.arguments->len);
  ph_mlir_settle (op, form.types, form.typed);
  return TRUE;
}
