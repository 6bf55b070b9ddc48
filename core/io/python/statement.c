/* statement.c: Python's statements as a tree.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/python/parser.h"
#include "core/io/python/tokens.h"

static gboolean parse_block (PhPyParser *parser, PhPy ***body, guint *n);
static gboolean parse_statements (PhPyParser *parser, GPtrArray *into);

static void
keep (PhPyParser *parser, GPtrArray *array, PhPy ***body, guint *n)
{
  *body = ph_py_alloc (parser->module, MAX (array->len, 1) * sizeof **body);
  if (array->len > 0)
    memcpy (*body, array->pdata, array->len * sizeof **body);
  *n = array->len;
}

gboolean
ph_py_parameters (PhPyParser *parser, PhPy *into, const char *close)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  while (!ph_py_is (parser, close))
    {
      PhPy *parameter, *annotation = NULL, *fallback = NULL;
      const guint stars = ph_py_take (parser, "*") ? 1 : ph_py_take (parser, "**") ? 2 : 0;
      const PhPyToken *at = parser->token;

      if (at->kind == PH_PY_T_NAME)
        {
          ph_py_next (parser);
          if (*close == ')' && ph_py_take (parser, ":") && (annotation = ph_py_expr (parser)) == NULL)
            return FALSE;
          if (ph_py_take (parser, "=") && (fallback = ph_py_expr (parser)) == NULL)
            return FALSE;
          parameter = ph_py_new (parser, PH_PY_PARAMETER, at);
          parameter->text = ph_py_token_text (parser, at);
          parameter->i = stars;
          if (!ph_py_set (parser, parameter, (PhPy *[]) { annotation, fallback }, 2))
            return FALSE;
          g_ptr_array_add (items, parameter);
        }
      else if (stars != 1 && !ph_py_take (parser, "/"))
        {
          ph_py_unexpected (parser, "the name of a parameter");
          return FALSE;
        }
      if (!ph_py_take (parser, ","))
        break;
    }
  return ph_py_expect (parser, close) && ph_py_set (parser, into, (PhPy **) items->pdata, items->len);
}

static PhPy *
parse_def (PhPyParser *parser, const PhPyToken *at)
{
  PhPy *py = ph_py_new (parser, PH_PY_DEF, at);

  if (parser->token->kind != PH_PY_T_NAME)
    return ph_py_unexpected (parser, "the name of a function");
  py->text = ph_py_token_text (parser, parser->token);
  ph_py_next (parser);
  if (!ph_py_expect (parser, "(") || !ph_py_parameters (parser, py, ")"))
    return NULL;
  if (ph_py_take (parser, "->") && (py->returns = ph_py_expr (parser)) == NULL)
    return NULL;
  return parse_block (parser, &py->body, &py->n_body) ? py : NULL;
}

static PhPy *
parse_class (PhPyParser *parser, const PhPyToken *at)
{
  PhPy *py = ph_py_new (parser, PH_PY_CLASS, at), *bases = NULL;
  const gboolean lambda = ph_py_take (parser, "<"); /* class <lambda>(torch.nn.Module): of AOT autograd's graphs */

  if (parser->token->kind != PH_PY_T_NAME)
    return ph_py_unexpected (parser, "the name of a class");
  py->text = ph_py_token_text (parser, parser->token);
  ph_py_next (parser);
  if (lambda && !ph_py_expect (parser, ">"))
    return NULL;
  if (ph_py_take (parser, "(") && !ph_py_take (parser, ")")
      && ((bases = ph_py_exprs (parser)) == NULL || !ph_py_expect (parser, ")")))
    return NULL;
  if (bases != NULL && !ph_py_set (parser, py, &bases, 1))
    return NULL;
  return parse_block (parser, &py->body, &py->n_body) ? py : NULL;
}

/* Returns TRUE if the bracket at the token closes right before the ":" of its statement, as in: with (a as b, c as d): */
static gboolean
is_bracketed (const PhPyParser *parser)
{
  guint depth = 0;

  for (const PhPyToken *token = parser->token;
       token->kind == PH_PY_T_OP || token->kind == PH_PY_T_NAME || token->kind == PH_PY_T_NUMBER || token->kind == PH_PY_T_STRING;
       token++)
    if (token->kind == PH_PY_T_OP && strchr ("([{", *token->start) != NULL)
      depth++;
    else if (token->kind == PH_PY_T_OP && strchr (")]}", *token->start) != NULL && (depth == 0 || --depth == 0))
      return token[1].kind == PH_PY_T_OP && *token[1].start == ':';
  return FALSE;
}

static PhPy *
parse_with (PhPyParser *parser, const PhPyToken *at)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  PhPy *py = ph_py_new (parser, PH_PY_WITH, at);
  const gboolean bracket = ph_py_is (parser, "(") && is_bracketed (parser) && ph_py_take (parser, "(");

  do
    {
      PhPy *context, *target = NULL;

      if (bracket && ph_py_is (parser, ")"))
        break;
      if ((context = ph_py_expr (parser)) == NULL)
        return NULL;
      if (ph_py_take (parser, "as") && (target = ph_py_expr (parser)) == NULL)
        return NULL;
      g_ptr_array_add (items, context);
      g_ptr_array_add (items, target);
    }
  while (ph_py_take (parser, ","));
  if (bracket && !ph_py_expect (parser, ")"))
    return NULL;
  return ph_py_set (parser, py, (PhPy **) items->pdata, items->len) && parse_block (parser, &py->body, &py->n_body) ? py : NULL;
}

/* @at: its "if", "elif", "while" or "for", which is passed. */
static PhPy *
parse_branch (PhPyParser *parser, const PhPyToken *at, PhPyKind kind)
{
  PhPy *py = ph_py_new (parser, kind, at), *first, *second = NULL, *other;
  const PhPyToken *next;

  if (kind == PH_PY_FOR)
    {
      if ((first = ph_py_targets (parser)) == NULL || !ph_py_expect (parser, "in") || (second = ph_py_exprs (parser)) == NULL)
        return NULL;
    }
  else if ((first = ph_py_expr (parser)) == NULL)
    return NULL;
  if (!ph_py_set (parser, py, (PhPy *[]) { first, second }, second != NULL ? 2 : 1)
      || !parse_block (parser, &py->body, &py->n_body))
    return NULL;
  next = parser->token;
  if (kind == PH_PY_IF && ph_py_take (parser, "elif"))
    {
      if (!ph_py_enter (parser) || (other = parse_branch (parser, next, PH_PY_IF)) == NULL)
        return NULL;
      parser->depth--;
      py->orelse = ph_py_alloc (parser->module, sizeof *py->orelse);
      py->orelse[0] = other;
      py->n_orelse = 1;
    }
  else if (ph_py_take (parser, "else"))
    return parse_block (parser, &py->orelse, &py->n_orelse) ? py : NULL;
  return py;
}

static PhPy *
parse_try (PhPyParser *parser, const PhPyToken *at)
{
  g_autoptr (GPtrArray) other = g_ptr_array_new ();
  PhPy *py = ph_py_new (parser, PH_PY_TRY, at);

  if (!parse_block (parser, &py->body, &py->n_body))
    return NULL;
  while (ph_py_is (parser, "except") || ph_py_is (parser, "finally") || ph_py_is (parser, "else"))
    {
      PhPy **body;
      guint n;

      ph_py_next (parser);
      if (!ph_py_is (parser, ":") && (ph_py_exprs (parser) == NULL || (ph_py_take (parser, "as") && ph_py_expr (parser) == NULL)))
        return NULL;
      if (!parse_block (parser, &body, &n))
        return NULL;
      for (guint i = 0; i < n; i++)
        g_ptr_array_add (other, body[i]);
    }
  keep (parser, other, &py->orelse, &py->n_orelse);
  return py;
}

static PhPy *
parse_line (PhPyParser *parser, PhPyKind kind)
{
  const PhPyToken *at = parser->token;
  PhPy *py = ph_py_new (parser, kind, at);
  const char *end = at->end;

  for (; parser->token->kind != PH_PY_T_NEWLINE && parser->token->kind != PH_PY_T_END && !ph_py_is (parser, ";");
       ph_py_next (parser))
    end = parser->token->end;
  py->text = ph_py_strndup (parser->module, at->start, (gsize) (end - at->start));
  return py;
}

/* Parses an expression or an assignment. */
static PhPy *
parse_assignment (PhPyParser *parser)
{
  static const char *const augmented[] = { "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", ">>=", "<<=", "@=" };
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const PhPyToken *at = parser->token;
  PhPy *py, *first = ph_py_exprs (parser), *second, *third = NULL;

  if (first == NULL)
    return NULL;
  if (ph_py_take (parser, ":"))
    {
      if ((second = ph_py_expr (parser)) == NULL || (ph_py_take (parser, "=") && (third = ph_py_exprs (parser)) == NULL))
        return NULL;
      py = ph_py_new (parser, PH_PY_ANNOTATED, at);
      return ph_py_set (parser, py, (PhPy *[]) { first, second, third }, 3) ? py : NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (augmented); i++)
    if (ph_py_take (parser, augmented[i]))
      {
        py = ph_py_new (parser, PH_PY_AUGMENTED, at);
        py->text = ph_py_strndup (parser->module, augmented[i], strlen (augmented[i]) - 1);
        return (second = ph_py_exprs (parser)) != NULL && ph_py_set (parser, py, (PhPy *[]) { first, second }, 2) ? py : NULL;
      }
  g_ptr_array_add (items, first);
  while (ph_py_take (parser, "="))
    {
      if ((second = ph_py_exprs (parser)) == NULL)
        return NULL;
      g_ptr_array_add (items, second);
    }
  py = ph_py_new (parser, items->len > 1 ? PH_PY_ASSIGN : PH_PY_EXPRESSION, at);
  return ph_py_set (parser, py, (PhPy **) items->pdata, items->len) ? py : NULL;
}

static PhPy *
parse_simple (PhPyParser *parser)
{
  /* clang-format off */
  static const struct { const char *word; PhPyKind kind; } words[] = {
    { "pass", PH_PY_PASS }, { "break", PH_PY_BREAK }, { "continue", PH_PY_CONTINUE }, { "return", PH_PY_RETURN }, { "assert", PH_PY_ASSERT },
    { "del", PH_PY_DELETE }, { "raise", PH_PY_RAISE },
  };
  /* clang-format on */
  const PhPyToken *at = parser->token;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (ph_py_take (parser, words[i].word))
      {
        g_autoptr (GPtrArray) items = g_ptr_array_new ();
        PhPy *py = ph_py_new (parser, words[i].kind, at), *item;

        /* assert TEST, WHY: no tuple. */
        if (py->kind == PH_PY_ASSERT)
          {
            if ((item = ph_py_expr (parser)) == NULL)
              return NULL;
            g_ptr_array_add (items, item);
          }
        if (py->kind == PH_PY_ASSERT ? ph_py_take (parser, ",")
                                     : i >= 3 && parser->token->kind != PH_PY_T_NEWLINE && parser->token->kind != PH_PY_T_END
                                           && !ph_py_is (parser, ";"))
          {
            if ((item = ph_py_exprs (parser)) == NULL || (ph_py_take (parser, "from") && ph_py_expr (parser) == NULL))
              return NULL;
            g_ptr_array_add (items, item);
          }
        return ph_py_set (parser, py, (PhPy **) items->pdata, items->len) ? py : NULL;
      }
  if (ph_py_is (parser, "import") || (ph_py_is (parser, "from") && at[1].kind == PH_PY_T_NAME)
      || (ph_py_is (parser, "from") && at[1].end > at[1].start && *at[1].start == '.'))
    return parse_line (parser, PH_PY_IMPORT);
  if ((ph_py_is (parser, "global") || ph_py_is (parser, "nonlocal") || ph_py_is (parser, "yield")) && at[1].kind == PH_PY_T_NAME)
    return parse_line (parser, PH_PY_GLOBAL);
  return parse_assignment (parser);
}

/* Parses a compound statement. Returns NULL without an error if it is a simple one. */
static PhPy *
parse_compound (PhPyParser *parser)
{
  const PhPyToken *at = parser->token;

  if (ph_py_is (parser, "async") && at[1].kind == PH_PY_T_NAME)
    ph_py_next (parser);
  if (ph_py_take (parser, "def"))
    return parse_def (parser, at);
  if (ph_py_take (parser, "class"))
    return parse_class (parser, at);
  if (ph_py_take (parser, "with"))
    return parse_with (parser, at);
  if (ph_py_take (parser, "for"))
    return parse_branch (parser, at, PH_PY_FOR);
  if (ph_py_take (parser, "while"))
    return parse_branch (parser, at, PH_PY_WHILE);
  if (ph_py_take (parser, "if"))
    return parse_branch (parser, at, PH_PY_IF);
  if (ph_py_take (parser, "try"))
    return parse_try (parser, at);
  return NULL;
}

static gboolean
parse_decorated (PhPyParser *parser, GPtrArray *into)
{
  g_autoptr (GPtrArray) decorators = g_ptr_array_new ();
  PhPy *py;

  while (ph_py_take (parser, "@"))
    {
      if ((py = ph_py_expr (parser)) == NULL)
        return FALSE;
      g_ptr_array_add (decorators, py);
      if (parser->token->kind == PH_PY_T_NEWLINE)
        ph_py_next (parser);
    }
  if (!ph_py_is (parser, "def") && !ph_py_is (parser, "class") && !ph_py_is (parser, "async"))
    {
      ph_py_unexpected (parser, "a function or class after its decorators");
      return FALSE;
    }
  if ((py = parse_compound (parser)) == NULL)
    {
      if (*parser->error == NULL) /* it only begins like one */
        ph_py_unexpected (parser, "a function or class after its decorators");
      return FALSE;
    }
  keep (parser, decorators, &py->decorators, &py->n_decorators);
  g_ptr_array_add (into, py);
  return TRUE;
}

static gboolean
parse_statements (PhPyParser *parser, GPtrArray *into)
{
  const guint first = into->len;
  const PhPyToken *start = parser->token;
  PhPy *py;

  if (ph_py_is (parser, "@"))
    return parse_decorated (parser, into);
  if ((py = parse_compound (parser)) != NULL)
    {
      /* The comment of a block's first line is at the end of the block's head. */
      for (const PhPyToken *token = start; token < parser->token && py->comment == NULL; token++)
        if (token->kind == PH_PY_T_NEWLINE)
          {
            py->comment = token->comment;
            break;
          }
      g_ptr_array_add (into, py);
      return TRUE;
    }
  if (*parser->error != NULL)
    return FALSE;
  do
    {
      if (parser->token->kind == PH_PY_T_NEWLINE || parser->token->kind == PH_PY_T_END)
        break;
      if ((py = parse_simple (parser)) == NULL)
        return FALSE;
      g_ptr_array_add (into, py);
    }
  while (ph_py_take (parser, ";"));
  for (guint i = first; i < into->len && parser->token->kind == PH_PY_T_NEWLINE; i++)
    ((PhPy *) into->pdata[i])->comment = parser->token->comment;
  if (parser->token->kind != PH_PY_T_NEWLINE && parser->token->kind != PH_PY_T_END)
    {
      ph_py_unexpected (parser, "the end of the line");
      return FALSE;
    }
  ph_py_next (parser);
  return TRUE;
}

static gboolean
parse_block (PhPyParser *parser, PhPy ***body, guint *n)
{
  g_autoptr (GPtrArray) statements = g_ptr_array_new ();

  if (!ph_py_expect (parser, ":") || !ph_py_enter (parser))
    return FALSE;
  if (parser->token->kind != PH_PY_T_NEWLINE)
    {
      if (!parse_statements (parser, statements))
        return FALSE;
    }
  else
    {
      ph_py_next (parser);
      if (parser->token->kind == PH_PY_T_INDENT) /* otherwise the body contains only comments */
        {
          ph_py_next (parser);
          while (parser->token->kind != PH_PY_T_DEDENT && parser->token->kind != PH_PY_T_END)
            if (!parse_statements (parser, statements))
              return FALSE;
          if (parser->token->kind == PH_PY_T_DEDENT)
            ph_py_next (parser);
        }
    }
  parser->depth--;
  keep (parser, statements, body, n);
  return TRUE;
}

void
ph_py_free (PhPyModule *module)
{
  g_ptr_array_unref (module->chunks);
  g_free (module);
}

PhPyModule *
ph_py_parse (PhSource *source, const char *text, gsize size, guint line, const char *file, GError **error)
{
  g_autoptr (PhPyModule) module = g_new0 (PhPyModule, 1);
  g_autoptr (GArray) tokens = NULL;
  g_autoptr (GPtrArray) statements = g_ptr_array_new ();
  g_autoptr (GError) reason = NULL;
  PhPyParser parser = { module, NULL, 0, &reason };
  char *valid;

  module->source = source;
  module->file = file;
  module->chunks = g_ptr_array_new_with_free_func (g_free);
  if (!g_utf8_validate (text, (gssize) size, NULL)) /* names and strings point into the text */
    {
      text = valid = g_utf8_make_valid (text, (gssize) size);
      size = strlen (valid);
      g_ptr_array_add (module->chunks, valid);
    }
  if ((tokens = ph_py_tokens (module, text, size, line, error)) == NULL)
    return NULL;
  parser.token = (const PhPyToken *) (gpointer) tokens->data;
  while (parser.token->kind != PH_PY_T_END)
    if (parser.token->kind == PH_PY_T_INDENT || parser.token->kind == PH_PY_T_DEDENT || parser.token->kind == PH_PY_T_NEWLINE)
      ph_py_next (&parser);
    else if (g_cancellable_set_error_if_cancelled (source->cancellable, &reason) || !parse_statements (&parser, statements))
      {
        g_propagate_error (error, g_steal_pointer (&reason));
        return NULL;
      }
  keep (&parser, statements, &module->body, &module->n_body);
  return g_steal_pointer (&module);
}
