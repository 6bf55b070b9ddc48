/* parser.c: Python text as a tree: expressions; statements are in statement.c.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/python/parser.h"

#define CHUNK (64 * 1024)

gpointer
ph_py_alloc (PhPyModule *module, gsize size)
{
  gpointer result;

  size = (size + 15) & ~(gsize) 15;
  if (size > module->left)
    {
      const gsize chunk = MAX (size, (gsize) CHUNK);

      module->free = g_malloc0 (chunk);
      module->left = chunk;
      g_ptr_array_add (module->chunks, module->free);
    }
  result = module->free;
  module->free += size;
  module->left -= size;
  return result;
}

const char *
ph_py_strndup (PhPyModule *module, const char *text, gsize size)
{
  char *copy = ph_py_alloc (module, size + 1);

  memcpy (copy, text, size);
  return copy;
}

/* ── shared with statement.c ── */

gboolean
ph_py_is (const PhPyParser *parser, const char *text)
{
  const PhPyToken *token = parser->token;
  const gsize n = token->kind == PH_PY_T_OP || token->kind == PH_PY_T_NAME ? (gsize) (token->end - token->start) : 0;

  return n > 0 && *token->start == *text && strncmp (token->start, text, n) == 0 && text[n] == '\0';
}

void
ph_py_next (PhPyParser *parser)
{
  if (parser->token->kind != PH_PY_T_END)
    parser->token++;
}

gboolean
ph_py_take (PhPyParser *parser, const char *text)
{
  if (!ph_py_is (parser, text))
    return FALSE;
  ph_py_next (parser);
  return TRUE;
}

gpointer
ph_py_unexpected (PhPyParser *parser, const char *wanted)
{
  const PhPyToken *token = parser->token;
  g_autofree char *found = token->kind == PH_PY_T_END       ? g_strdup ("the end of the text")
                           : token->kind == PH_PY_T_NEWLINE ? g_strdup ("the end of the line")
                           : token->kind == PH_PY_T_INDENT || token->kind == PH_PY_T_DEDENT
                               ? g_strdup ("another indentation")
                               : g_strdup_printf ("'%.*s'", (int) MIN (token->end - token->start, 40), token->start);

  if (*parser->error == NULL)
    {
      g_autofree char *valid = g_utf8_make_valid (found, -1);

      ph_py_fail (parser->module, token->line, token->column, parser->error, "%s was expected, not %s", wanted, valid);
    }
  return NULL;
}

gboolean
ph_py_expect (PhPyParser *parser, const char *text)
{
  g_autofree char *wanted = NULL;

  if (ph_py_take (parser, text))
    return TRUE;
  wanted = g_strdup_printf ("'%s'", text);
  ph_py_unexpected (parser, wanted);
  return FALSE;
}

gboolean
ph_py_enter (PhPyParser *parser)
{
  if (++parser->depth <= PH_PY_MAX_DEPTH)
    return TRUE;
  if (*parser->error == NULL)
    ph_py_fail (parser->module, parser->token->line, parser->token->column, parser->error,
                "more than %d brackets and blocks are in each other", PH_PY_MAX_DEPTH);
  return FALSE;
}

PhPy *
ph_py_new (PhPyParser *parser, PhPyKind kind, const PhPyToken *at)
{
  PhPy *py = ph_py_alloc (parser->module, sizeof *py);

  py->kind = kind;
  py->line = at->line;
  py->column = at->column;
  py->depth = 1;
  return py;
}

gboolean
ph_py_set (PhPyParser *parser, PhPy *py, PhPy *const *items, guint n)
{
  py->items = ph_py_alloc (parser->module, MAX (n, 1) * sizeof *items);
  py->n = n;
  for (guint i = 0; i < n; i++)
    {
      py->items[i] = items[i];
      if (items[i] != NULL)
        py->depth = MAX (py->depth, items[i]->depth + 1);
    }
  if (py->depth <= PH_PY_MAX_DEPTH * 5)
    return TRUE;
  if (*parser->error == NULL)
    ph_py_fail (parser->module, py->line, py->column, parser->error, "this expression is more than %d deep", PH_PY_MAX_DEPTH * 5);
  return FALSE;
}

static PhPy *
make (PhPyParser *parser, PhPyKind kind, const PhPyToken *at, const char *text, PhPy *a, PhPy *b)
{
  PhPy *py = ph_py_new (parser, kind, at);

  py->text = text;
  return ph_py_set (parser, py, (PhPy *[]) { a, b }, b != NULL ? 2 : 1) ? py : NULL;
}

const char *
ph_py_token_text (PhPyParser *parser, const PhPyToken *token)
{
  return ph_py_strndup (parser->module, token->start, (gsize) (token->end - token->start));
}

/* ── words ── */

static gboolean
is_reserved (const PhPyParser *parser)
{
  static const char *const words[] = { "and",      "or",     "not", "if",    "else", "elif",   "for",     "while", "in",
                                       "is",       "return", "def", "class", "with", "as",     "lambda",  "pass",  "break",
                                       "continue", "assert", "del", "raise", "try",  "except", "finally", "import" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (ph_py_is (parser, words[i]))
      return TRUE;
  return FALSE;
}

/* ── expressions ── */

static PhPy *
parse_comprehension (PhPyParser *parser, const PhPyToken *at, const char *brackets, PhPy *element)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  PhPy *py = ph_py_new (parser, PH_PY_COMPREHENSION, at);

  py->text = brackets;
  g_ptr_array_add (items, element);
  for (;;)
    {
      PhPy *a, *b = NULL;

      if (ph_py_take (parser, "async"))
        continue;
      if (ph_py_take (parser, "for"))
        {
          if ((a = ph_py_targets (parser)) == NULL || !ph_py_expect (parser, "in") || (b = ph_py_binary (parser, 2)) == NULL)
            return NULL;
        }
      else if (!ph_py_take (parser, "if"))
        return ph_py_set (parser, py, (PhPy **) items->pdata, items->len) ? py : NULL;
      else if ((a = ph_py_binary (parser, 2)) == NULL)
        return NULL;
      g_ptr_array_add (items, a);
      g_ptr_array_add (items, b);
    }
}

/* Parses the items of a display up to @close; the opening bracket has been consumed. */
static PhPy *
parse_display (PhPyParser *parser, const PhPyToken *at, PhPyKind kind, const char *close)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  PhPy *py = ph_py_new (parser, kind, at);
  gboolean comma = FALSE, dict = FALSE;

  if (!ph_py_enter (parser))
    return NULL;
  while (!ph_py_is (parser, close))
    {
      const PhPyToken *start = parser->token;
      PhPy *item;

      if (kind == PH_PY_SET && ph_py_take (parser, "**"))
        {
          g_ptr_array_add (items, NULL);
          dict = TRUE;
          if ((item = ph_py_binary (parser, 6)) == NULL)
            return NULL;
        }
      else if (ph_py_take (parser, "*"))
        {
          if ((item = ph_py_binary (parser, 6)) == NULL || (item = make (parser, PH_PY_STARRED, start, NULL, item, NULL)) == NULL)
            return NULL;
        }
      else if ((item = ph_py_expr (parser)) == NULL)
        return NULL;
      if (kind == PH_PY_SET && ph_py_take (parser, ":"))
        {
          g_ptr_array_add (items, item);
          dict = TRUE;
          if ((item = ph_py_expr (parser)) == NULL)
            return NULL;
        }
      if (items->len == (dict ? 1 : 0) && (ph_py_is (parser, "for") || ph_py_is (parser, "async")))
        {
          if (dict && (item = make (parser, PH_PY_SLICE, start, NULL, items->pdata[0], item)) != NULL)
            ph_py_set (parser, item, (PhPy *[]) { item->items[0], item->items[1], NULL }, 3);
          parser->depth--;
          item = item != NULL ? parse_comprehension (parser, at,
                                                     kind == PH_PY_TUPLE  ? "()"
                                                     : kind == PH_PY_LIST ? "[]"
                                                                          : "{}",
                                                     item)
                              : NULL;
          return item != NULL && ph_py_expect (parser, close) ? item : NULL;
        }
      g_ptr_array_add (items, item);
      if (!(comma = ph_py_take (parser, ",")))
        break;
    }
  parser->depth--;
  if (!ph_py_expect (parser, close))
    return NULL;
  if (kind == PH_PY_TUPLE && items->len == 1 && !comma)
    return items->pdata[0];
  if (kind == PH_PY_SET && (dict || items->len == 0))
    {
      py->kind = PH_PY_DICT;
      if (items->len % 2 != 0)
        return ph_py_unexpected (parser, "a dictionary of keys and values before this");
    }
  return ph_py_set (parser, py, (PhPy **) items->pdata, items->len) ? py : NULL;
}

static PhPy *
parse_atom (PhPyParser *parser)
{
  const PhPyToken *token = parser->token;
  PhPy *py;

  if (token->kind == PH_PY_T_NUMBER)
    return ph_py_number (parser);
  if (token->kind == PH_PY_T_STRING)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      gboolean formatted = FALSE;

      for (; parser->token->kind == PH_PY_T_STRING; ph_py_next (parser))
        {
          const gsize prefix = strcspn (parser->token->start, "'\"");

          formatted = formatted || g_strstr_len (parser->token->start, (gssize) prefix, "f") != NULL
                      || g_strstr_len (parser->token->start, (gssize) prefix, "F") != NULL;
          ph_py_append_string (text, parser->token);
        }
      py = ph_py_new (parser, PH_PY_STRING, token);
      py->i = formatted;
      py->text = ph_py_strndup (parser->module, text->str, text->len);
      return py;
    }
  if (ph_py_take (parser, "("))
    return parse_display (parser, token, PH_PY_TUPLE, ")");
  if (ph_py_take (parser, "["))
    return parse_display (parser, token, PH_PY_LIST, "]");
  if (ph_py_take (parser, "{"))
    return parse_display (parser, token, PH_PY_SET, "}");
  if (ph_py_is (parser, "...") || ph_py_is (parser, "None") || ph_py_is (parser, "True") || ph_py_is (parser, "False"))
    py = ph_py_new (parser, PH_PY_CONSTANT, token);
  else if (token->kind == PH_PY_T_NAME && !is_reserved (parser))
    py = ph_py_new (parser, PH_PY_NAME, token);
  else
    return ph_py_unexpected (parser, "an expression");
  py->text = ph_py_token_text (parser, token);
  ph_py_next (parser);
  return py;
}

static PhPy *
parse_index (PhPyParser *parser)
{
  const PhPyToken *at = parser->token;
  PhPy *parts[3] = { NULL, NULL, NULL }, *slice;
  guint n = 0;

  if (ph_py_take (parser, "*"))
    return (slice = ph_py_binary (parser, 6)) != NULL ? make (parser, PH_PY_STARRED, at, NULL, slice, NULL) : NULL;
  if (!ph_py_is (parser, ":") && (parts[0] = ph_py_expr (parser)) == NULL)
    return NULL;
  if (!ph_py_is (parser, ":"))
    return parts[0];
  while (n < 2 && ph_py_take (parser, ":"))
    {
      n++;
      if (!ph_py_is (parser, ":") && !ph_py_is (parser, ",") && !ph_py_is (parser, "]")
          && (parts[n] = ph_py_expr (parser)) == NULL)
        return NULL;
    }
  slice = ph_py_new (parser, PH_PY_SLICE, at);
  return ph_py_set (parser, slice, parts, 3) ? slice : NULL;
}

static PhPy *
parse_subscript (PhPyParser *parser, PhPy *of, const PhPyToken *at)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gboolean comma = FALSE;
  PhPy *index;

  if (!ph_py_enter (parser))
    return NULL;
  do
    {
      if (comma && ph_py_is (parser, "]"))
        break;
      if ((index = parse_index (parser)) == NULL)
        return NULL;
      g_ptr_array_add (items, index);
      comma = ph_py_is (parser, ",") || comma;
    }
  while (ph_py_take (parser, ","));
  parser->depth--;
  if (!ph_py_expect (parser, "]"))
    return NULL;
  if (comma)
    {
      index = ph_py_new (parser, PH_PY_TUPLE, at);
      if (!ph_py_set (parser, index, (PhPy **) items->pdata, items->len))
        return NULL;
    }
  return make (parser, PH_PY_SUBSCRIPT, at, NULL, of, index);
}

static PhPy *
parse_call (PhPyParser *parser, PhPy *of, const PhPyToken *at)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  PhPy *call = ph_py_new (parser, PH_PY_CALL, at);

  g_ptr_array_add (items, of);
  if (!ph_py_enter (parser))
    return NULL;
  while (!ph_py_is (parser, ")"))
    {
      const PhPyToken *start = parser->token;
      const gboolean named = start->kind == PH_PY_T_NAME && start[1].kind == PH_PY_T_OP && start[1].end - start[1].start == 1
                             && *start[1].start == '=';
      const gboolean star = !named && ph_py_take (parser, "*"), mapping = !named && !star && ph_py_take (parser, "**");
      PhPy *item;

      if (named)
        parser->token += 2;
      if ((item = ph_py_expr (parser)) == NULL)
        return NULL;
      if (ph_py_is (parser, "for") && items->len == 1 && (item = parse_comprehension (parser, start, "()", item)) == NULL)
        return NULL;
      if (named || star || mapping)
        item = make (parser, star ? PH_PY_STARRED : PH_PY_KEYWORD, start,
                     named     ? ph_py_token_text (parser, start)
                     : mapping ? "**"
                               : NULL,
                     item, NULL);
      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
      if (!ph_py_take (parser, ","))
        break;
    }
  parser->depth--;
  return ph_py_expect (parser, ")") && ph_py_set (parser, call, (PhPy **) items->pdata, items->len) ? call : NULL;
}

static PhPy *
parse_primary (PhPyParser *parser)
{
  const PhPyToken *at = parser->token;
  PhPy *py = parse_atom (parser);

  while (py != NULL)
    if (ph_py_take (parser, "."))
      {
        const PhPyToken *name = parser->token;

        if (name->kind != PH_PY_T_NAME)
          return ph_py_unexpected (parser, "a name");
        ph_py_next (parser);
        py = make (parser, PH_PY_ATTRIBUTE, at, ph_py_token_text (parser, name), py, NULL);
      }
    else if (ph_py_take (parser, "["))
      py = parse_subscript (parser, py, at);
    else if (ph_py_take (parser, "("))
      py = parse_call (parser, py, at);
    else
      break;
  return py;
}

static PhPy *
parse_unary (PhPyParser *parser)
{
  static const char *const signs[] = { "-", "+", "~", "await" };
  const PhPyToken *at = parser->token;
  PhPy *py, *power;

  for (guint i = 0; i < G_N_ELEMENTS (signs); i++)
    if (ph_py_is (parser, signs[i]) && (i < 3 || at[1].kind == PH_PY_T_NAME))
      {
        if (!ph_py_enter (parser))
          return NULL;
        ph_py_next (parser);
        py = parse_unary (parser);
        parser->depth--;
        return py != NULL ? make (parser, PH_PY_UNARY, at, signs[i], py, NULL) : NULL;
      }
  py = parse_primary (parser);
  if (py == NULL || !ph_py_is (parser, "**"))
    return py;
  ph_py_next (parser);
  if (!ph_py_enter (parser))
    return NULL;
  power = parse_unary (parser);
  parser->depth--;
  return power != NULL ? make (parser, PH_PY_BINARY, at, "**", py, power) : NULL;
}

/* Returns the operator at the token, if it binds at least as tightly as @least. */
static const char *
find_operator (PhPyParser *parser, guint least, guint *strength)
{
  /* clang-format off */
  static const struct { const char *text; guint strength; } all[] = {
    { "or", 2 }, { "and", 3 }, { "<", 5 }, { ">", 5 }, { "<=", 5 }, { ">=", 5 }, { "==", 5 }, { "!=", 5 }, { "in", 5 }, { "is", 5 }, { "not", 5 },
    { "|", 6 }, { "^", 7 }, { "&", 8 }, { "<<", 9 }, { ">>", 9 }, { "+", 10 }, { "-", 10 }, { "*", 11 }, { "/", 11 }, { "//", 11 }, { "%", 11 }, { "@", 11 },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i].strength >= least && ph_py_is (parser, all[i].text))
      {
        *strength = all[i].strength;
        return all[i].text;
      }
  return NULL;
}

PhPy *
ph_py_binary (PhPyParser *parser, guint least)
{
  const PhPyToken *at = parser->token;
  const char *text;
  guint strength;
  PhPy *left, *right, *last = NULL;

  if (least <= 4 && ph_py_is (parser, "not"))
    {
      if (!ph_py_enter (parser))
        return NULL;
      ph_py_next (parser);
      left = ph_py_binary (parser, 4);
      parser->depth--;
      left = left != NULL ? make (parser, PH_PY_UNARY, at, "not", left, NULL) : NULL;
    }
  else
    left = parse_unary (parser);
  while (left != NULL && (text = find_operator (parser, least, &strength)) != NULL)
    {
      ph_py_next (parser);
      if (g_str_equal (text, "not"))
        {
          if (!ph_py_expect (parser, "in"))
            return NULL;
          text = "not in";
        }
      else if (g_str_equal (text, "is") && ph_py_take (parser, "not"))
        text = "is not";
      if ((right = ph_py_binary (parser, strength + 1)) == NULL)
        return NULL;
      if (strength == 5 && last != NULL) /* a < b < c */
        {
          PhPy *next = make (parser, PH_PY_BINARY, at, text, last, right);

          left = next != NULL ? make (parser, PH_PY_BINARY, at, "and", left, next) : NULL;
        }
      else
        left = make (parser, PH_PY_BINARY, at, text, left, right);
      last = strength == 5 ? right : NULL;
    }
  return left;
}

static PhPy *
parse_lambda (PhPyParser *parser, const PhPyToken *at)
{
  PhPy *py = ph_py_new (parser, PH_PY_LAMBDA, at), *body;

  if (!ph_py_parameters (parser, py, ":") || (body = ph_py_expr (parser)) == NULL)
    return NULL;
  py->orelse = ph_py_alloc (parser->module, sizeof *py->orelse);
  py->orelse[0] = body;
  py->n_orelse = 1;
  py->depth = MAX (py->depth, body->depth + 1);
  return py;
}

PhPy *
ph_py_expr (PhPyParser *parser)
{
  const PhPyToken *at = parser->token;
  PhPy *py = NULL, *test, *other;

  if (!ph_py_enter (parser))
    return NULL;
  if (ph_py_take (parser, "lambda"))
    py = parse_lambda (parser, at);
  else if ((py = ph_py_binary (parser, 2)) != NULL && ph_py_take (parser, "if"))
    {
      PhPy *choice = ph_py_new (parser, PH_PY_IF_ELSE, at);

      if ((test = ph_py_binary (parser, 2)) == NULL || !ph_py_expect (parser, "else") || (other = ph_py_expr (parser)) == NULL)
        return NULL;
      py = ph_py_set (parser, choice, (PhPy *[]) { py, test, other }, 3) ? choice : NULL;
    }
  else if (py != NULL && ph_py_take (parser, ":="))
    py = (other = ph_py_expr (parser)) != NULL ? make (parser, PH_PY_NAMED, at, NULL, py, other) : NULL;
  parser->depth--;
  return py;
}

/* Parses "a, *b, c": a tuple if there is a comma. */
static PhPy *
parse_several (PhPyParser *parser, guint least)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  const PhPyToken *at = parser->token;
  gboolean comma = FALSE;
  PhPy *py;

  do
    {
      const PhPyToken *start = parser->token;

      if (comma
          && (parser->token->kind == PH_PY_T_NEWLINE || ph_py_is (parser, "=") || ph_py_is (parser, ")") || ph_py_is (parser, ";")
              || ph_py_is (parser, "in") || ph_py_is (parser, ":")))
        break;
      if (ph_py_take (parser, "*"))
        py = (py = ph_py_binary (parser, 6)) != NULL ? make (parser, PH_PY_STARRED, start, NULL, py, NULL) : NULL;
      else
        py = least > 0 ? ph_py_binary (parser, least) : ph_py_expr (parser);
      if (py == NULL)
        return NULL;
      g_ptr_array_add (items, py);
      comma = comma || ph_py_is (parser, ",");
    }
  while (ph_py_take (parser, ","));
  if (!comma)
    return py;
  py = ph_py_new (parser, PH_PY_TUPLE, at);
  return ph_py_set (parser, py, (PhPy **) items->pdata, items->len) ? py : NULL;
}

PhPy *
ph_py_exprs (PhPyParser *parser)
{
  return parse_several (parser, 0);
}

PhPy *
ph_py_targets (PhPyParser *parser)
{
  return parse_several (parser, 6);
}
