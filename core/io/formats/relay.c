/* relay.c: TVM's older text, Relay. The function main, or the first one, is the main graph; inner functions, branches and arms of a match are
 * bodies. After TVM's parser of this text (python/tvm/relay/grammar in TVM 0.6 to 0.16).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/tvm/script.h"

#define DOMAIN    "relay"
#define FUNCTION  "relay.func"
#define MAX_DEPTH 200

typedef struct { PhSource *source; const char *p, *begin, *end; guint line, depth; PhSketch *sketch; GError *error; } Parser;
typedef struct { Parser *r; PhSketchGraph *graph; GHashTable *names; } Scope;       /* @names: interned name -> value's name */

static const char *expr (Scope *scope, guint least);
static const char *body (Scope *scope, char close);

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  if (memchr (head, 0, size) != NULL)
    return 0;
  if (strstr (text, "#[version = \"0.0.") != NULL)
    return 95;
  if (name != NULL && (g_str_has_suffix (name, ".rly") || g_str_has_suffix (name, ".relay")))
    return 90;
  return strstr (text, "def @main") != NULL || strstr (text, "fn (%") != NULL ? 75 : 0;
}

static gpointer
fail (Parser *r, const char *wanted)
{
  static const int mark;
  const char *start = r->p;

  while (start > r->begin && start[-1] != '\n')
    start--;
  if (r->error == NULL)
    {
      ph_source_mark (r->source, &mark, r->line, (guint) (r->p - start) + 1);
      ph_source_fail (r->source, &r->error, PH_ERROR_INVALID, &mark, "%s was expected", wanted);
    }
  return NULL;
}

static void
skip (Parser *r)
{
  while (r->p < r->end)
    if (*r->p == '\n')
      {
        r->line++;
        r->p++;
      }
    else if (g_ascii_isspace (*r->p))
      r->p++;
    else if (r->end - r->p >= 2 && r->p[0] == '/' && r->p[1] == '/')
      while (r->p < r->end && *r->p != '\n')
        r->p++;
    else if (r->end - r->p >= 2 && r->p[0] == '/' && r->p[1] == '*')
      {
        guint depth = 0;

        do
          {
            if (r->end - r->p >= 2 && r->p[0] == '/' && r->p[1] == '*')
              depth++, r->p++;
            else if (r->end - r->p >= 2 && r->p[0] == '*' && r->p[1] == '/')
              depth--, r->p++;
            else if (*r->p == '\n')
              r->line++;
            r->p++;
          }
        while (r->p < r->end && depth > 0);
      }
    else
      break;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

static gboolean
looks (Parser *r, const char *text)
{
  const gsize n = strlen (text);

  skip (r);
  return (gsize) (r->end - r->p) >= n && memcmp (r->p, text, n) == 0 && !(is_word (text[n - 1]) && r->p + n < r->end && is_word (r->p[n]));
}

static gboolean
take (Parser *r, const char *text)
{
  if (!looks (r, text))
    return FALSE;
  r->p += strlen (text);
  return TRUE;
}

static gboolean
expect (Parser *r, const char *text)
{
  g_autofree char *wanted = NULL;

  if (take (r, text))
    return TRUE;
  wanted = g_strdup_printf ("'%s'", text);
  fail (r, wanted);
  return FALSE;
}

/* What is written up to one of @stops outside of brackets, on one line. (transfer full) */
static char *
raw (Parser *r, const char *stops)
{
  g_autoptr (GString) out = g_string_new (NULL);
  guint depth = 0;

  skip (r);
  while (r->p < r->end && (depth > 0 || strchr (stops, *r->p) == NULL))
    {
      const char *before = r->p;

      if (*r->p == '"')
        {
          for (r->p++; r->p < r->end && *r->p != '"'; r->p++)
            if (*r->p == '\\' && r->p + 1 < r->end)
              r->p++;
          r->p = MIN (r->p + 1, r->end);
          g_string_append_len (out, before, r->p - before);
          continue;
        }
      if (strchr ("([{", *r->p) != NULL)
        depth++;
      else if (strchr (")]}", *r->p) != NULL)
        {
          if (depth == 0)
            break;
          depth--;
        }
      else if (*r->p == '-' && r->p + 1 < r->end && r->p[1] == '>')
        g_string_append_c (out, *r->p++);
      g_string_append_c (out, *r->p++);
      before = r->p;
      skip (r);
      if (r->p > before)
        g_string_append_c (out, ' ');
    }
  return g_utf8_make_valid (g_strstrip (out->str), -1);
}

static char *
word (Parser *r)
{
  const char *start;

  skip (r);
  for (start = r->p; r->p < r->end && is_word (*r->p);)
    r->p++;
  return g_strndup (start, (gsize) (r->p - start));
}

/* %x, %%x, @f: (transfer full), without the sign. */
static char *
sign_word (Parser *r)
{
  const gboolean local = r->p < r->end && *r->p == '%';
  const char *start;

  while (r->p < r->end && (*r->p == '%' || *r->p == '@'))
    r->p++;
  if (!local)
    return word (r);
  for (start = r->p; r->p < r->end && *r->p != '.' && is_word (*r->p);)       /* %0.1 is a member of %0 */
    r->p++;
  return g_strndup (start, (gsize) (r->p - start));
}

static const PhType *
type_of (const char *text)
{
  const char *open = strchr (text, '['), *list = open != NULL ? strchr (open, '(') : NULL, *close = list != NULL ? strchr (list, ')') : NULL;
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;
  PhDType dtype;

  if (!g_str_has_prefix (text, "Tensor"))
    return (dtype = ph_tvm_dtype (text)) != PH_UNDEFINED ? ph_type_tensor (dtype, 0, NULL) : NULL;
  if (close == NULL)
    return NULL;
  {
    g_autofree char *inside = g_strndup (list + 1, (gsize) (close - list - 1)), *rest = g_strdup (close + 1);
    g_auto(GStrv) parts = g_strsplit (inside, ",", PH_MAX_RANK + 1);

    for (char **part = parts; *part != NULL && rank < PH_MAX_RANK; part++)
      {
        char *end, *bare = g_strstrip (*part);
        const gint64 size = g_ascii_strtoll (bare, &end, 10);

        if (*bare != '\0')
          dims[rank++] = *end == '\0' && size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
      }
    g_strdelimit (rest, ",]", ' ');
    return (dtype = ph_tvm_dtype (g_strstrip (rest))) != PH_UNDEFINED ? ph_type_tensor (dtype, rank, dims) : NULL;
  }
}

static void
bind (Scope *scope, const char *name, const char *value)
{
  g_hash_table_insert (scope->names, (gpointer) ph_intern (name), (gpointer) value);
}

static Scope
inner (Scope *outer, PhSketchGraph *graph)
{
  Scope scope = { outer->r, graph, g_hash_table_new (NULL, NULL) };
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, outer->names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_insert (scope.names, name, value);
  return scope;
}

static PhSketchNode *
node_new (Scope *scope, const char *op, const char *domain)
{
  return ph_sketch_add_node (scope->graph, op, domain, scope->r->line, 1);
}

static const char *
text_node (Scope *scope, const char *op, const char *text)
{
  PhSketchNode *node = node_new (scope, op, DOMAIN);

  ph_sketch_node_text (node, "text", text);
  return ph_sketch_node_output (node, op, NULL);
}

/* [A, B] (%x: type, ...) -> type { ... }: FALSE: failed. */
static gboolean
function (Scope *scope)
{
  Parser *r = scope->r;
  const char *result;

  if (take (r, "["))
    {
      g_free (raw (r, "]"));
      expect (r, "]");
    }
  if (!expect (r, "("))
    return FALSE;
  while (r->error == NULL && !take (r, ")"))
    {
      skip (r);
      if (*r->p == '%')
        {
          g_autofree char *name = sign_word (r), *type = take (r, ":") ? raw (r, ",)") : NULL;

          bind (scope, name, ph_sketch_add_input (scope->graph, name, type != NULL ? type_of (type) : NULL));
        }
      else
        g_free (raw (r, ",)"));             /* an attribute of the function */
      if (!take (r, ",") && !looks (r, ")"))
        return fail (r, "',' or ')'") != NULL;
    }
  if (take (r, "->"))
    g_free (raw (r, "{"));
  if (!expect (r, "{") || (result = body (scope, '}')) == NULL)
    return FALSE;
  ph_sketch_add_output (scope->graph, result, NULL);
  return expect (r, "}");
}

/* A body of @node in brackets, or of one expression. */
static gboolean
part (Scope *scope, PhSketchNode *node, const char *attr, gboolean brackets, const char *pattern)
{
  Scope own = inner (scope, ph_sketch_add_body (node, attr));
  const char *result = NULL;

  for (const char *p = pattern; p != NULL && (p = strchr (p, '%')) != NULL;)       /* what the pattern names */
    {
      const char *start = ++p;
      g_autofree char *name = NULL;

      while (is_word (*p))
        p++;
      name = g_strndup (start, (gsize) (p - start));
      if (*name != '\0')
        bind (&own, name, ph_sketch_add_input (own.graph, name, NULL));
    }
  if (!brackets || expect (scope->r, "{"))
    result = brackets ? body (&own, '}') : looks (scope->r, "%") || looks (scope->r, "let") ? body (&own, ',') : expr (&own, 0);
  if (result != NULL)
    ph_sketch_add_output (own.graph, result, NULL);
  g_hash_table_unref (own.names);
  return result != NULL && (!brackets || expect (scope->r, "}"));
}

static const char *
match (Scope *scope)
{
  Parser *r = scope->r;
  const char *of = expr (scope, 0);
  PhSketchNode *node;
  GString *patterns = NULL;
  g_autofree char *text = NULL;

  if (of == NULL || !expect (r, "{"))
    return NULL;
  node = node_new (scope, "match", DOMAIN);
  ph_sketch_node_input (node, of);
  patterns = g_string_new (NULL);
  for (guint i = 0; r->error == NULL && !take (r, "}"); i++)
    {
      g_autofree char *attr = g_strdup_printf ("case%u", i), *pattern = raw (r, "=");

      g_string_append_printf (patterns, "%s%s", i > 0 ? "; " : "", pattern);
      if (!expect (r, "=>") || !part (scope, node, attr, looks (r, "{"), pattern))
        break;
      take (r, ",");
    }
  text = g_string_free (patterns, FALSE);
  ph_sketch_node_text (node, "cases", text);
  return r->error == NULL ? ph_sketch_node_output (node, "match", NULL) : NULL;
}

static const char *
number (Scope *scope)
{
  Parser *r = scope->r;
  char *end;
  const gsize left = MIN ((gsize) (r->end - r->p), 60);
  g_autofree char *text = g_strndup (r->p, left), *suffix = NULL;
  double value = g_ascii_strtod (text, &end);
  gboolean real = memchr (text, '.', (gsize) (end - text)) != NULL || memchr (text, 'e', (gsize) (end - text)) != NULL;
  PhDType dtype;

  r->p += MAX (end - text, 1);
  suffix = word (r);
  dtype = *suffix == 'f' ? g_str_equal (suffix, "f64") ? PH_DOUBLE : g_str_equal (suffix, "f16") ? PH_FLOAT16 : PH_FLOAT
          : *suffix == 'i' ? g_str_equal (suffix, "i64") ? PH_INT64 : PH_INT32 : real ? PH_FLOAT : PH_INT32;
  return ph_sketch_add_constant (scope->graph, "const", ph_tensor_new_scalar (dtype, value));
}

static const char *
primary (Scope *scope)
{
  Parser *r = scope->r;
  PhSketchNode *node;
  const char *value;

  skip (r);
  if (r->p >= r->end)
    return fail (r, "an expression");
  if (*r->p == '%')
    {
      g_autofree char *name = sign_word (r);

      if ((value = g_hash_table_lookup (scope->names, ph_intern (name))) == NULL)
        bind (scope, name, value = text_node (scope, "variable", name));
      return value;
    }
  if (*r->p == '@')
    {
      g_autofree char *name = sign_word (r);

      return text_node (scope, "global", name);
    }
  if (g_ascii_isdigit (*r->p))
    return number (scope);
  if (*r->p == '"')
    {
      g_autofree char *text = raw (r, ",);=}");

      return text_node (scope, "string", text);
    }
  if (take (r, "-"))
    {
      if ((value = expr (scope, 4)) == NULL)
        return NULL;
      node = node_new (scope, "negative", DOMAIN);
      ph_sketch_node_input (node, value);
      return ph_sketch_node_output (node, "negative", NULL);
    }
  if (take (r, "{"))
    return (value = body (scope, '}')) != NULL && expect (r, "}") ? value : NULL;
  if (looks (r, "(") || looks (r, "["))
    {
      const char *close = *r->p == '(' ? ")" : "]";
      g_autoptr (GPtrArray) items = g_ptr_array_new ();
      gboolean comma = FALSE;

      for (r->p++; !take (r, close); comma = take (r, ","))
        {
          if (items->len > 0 && !comma)
            return fail (r, "',' or a closing bracket");
          if ((value = looks (r, "let") ? body (scope, ')') : expr (scope, 0)) == NULL)
            return NULL;
          g_ptr_array_add (items, (gpointer) value);
        }
      if (items->len == 1 && !comma && *close == ')')
        return items->pdata[0];
      node = node_new (scope, "tuple", DOMAIN);
      for (guint i = 0; i < items->len; i++)
        ph_sketch_node_input (node, items->pdata[i]);
      return ph_sketch_node_output (node, "tuple", NULL);
    }
  if (take (r, "fn"))
    {
      Scope own;
      gboolean ok;

      node = node_new (scope, "fn", DOMAIN);
      own = inner (scope, ph_sketch_add_body (node, "body"));
      ok = function (&own);
      g_hash_table_unref (own.names);
      return ok ? ph_sketch_node_output (node, "fn", NULL) : NULL;
    }
  if (take (r, "if"))
    {
      if ((value = expr (scope, 0)) == NULL)
        return NULL;
      node = node_new (scope, "if", DOMAIN);
      ph_sketch_node_input (node, value);
      if (!part (scope, node, "then", TRUE, NULL) || !expect (r, "else") || !part (scope, node, "else", TRUE, NULL))
        return NULL;
      return ph_sketch_node_output (node, "if", NULL);
    }
  if (take (r, "match") || take (r, "match?"))
    {
      take (r, "?");
      return match (scope);
    }
  if (take (r, "True") || take (r, "False"))
    return ph_sketch_add_constant (scope->graph, "const", ph_tensor_new_scalar (PH_BOOL, r->p[-1] == 'e' && r->p[-2] == 'u'));
  if (is_word (*r->p))
    {
      g_autofree char *name = word (r);

      if (g_str_equal (name, "meta"))
        {
          g_autofree char *text = raw (r, ",;)}=");

          return text_node (scope, "constant", text);
        }
      return text_node (scope, "operator", name);
    }
  return fail (r, "an expression");
}

/* What is called with the arguments that follow. */
static const char *
call (Scope *scope, PhSketchNode *callee, const char *value)
{
  Parser *r = scope->r;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), attrs = g_ptr_array_new_with_free_func (g_free);
  const PhAttr *text = callee != NULL && callee->attrs->len > 0 ? callee->attrs->pdata[0] : NULL;
  PhSketchNode *node;
  g_autofree char *name = text != NULL && text->kind == PH_ATTR_STRING ? g_strndup (g_bytes_get_data (text->s, NULL), g_bytes_get_size (text->s)) : NULL;
  const gboolean global = callee != NULL && g_str_equal (callee->node.op_type, "global"), plain = global || (callee != NULL && g_str_equal (callee->node.op_type, "operator"));

  if (plain)                               /* the node is named after it, and this one goes */
    g_ptr_array_remove (scope->graph->nodes, callee);
  while (!take (r, ")"))
    {
      const char *start, *input;

      skip (r);
      start = r->p;
      while (r->p < r->end && is_word (*r->p))
        r->p++;
      if (r->p > start && !g_ascii_isdigit (*start) && (looks (r, "=") && !looks (r, "==")))
        {
          g_ptr_array_add (attrs, g_strndup (start, strcspn (start, " =\t\n")));
          take (r, "=");
          g_ptr_array_add (attrs, raw (r, ",)"));
        }
      else
        {
          r->p = start;
          if ((input = expr (scope, 0)) == NULL)
            return NULL;
          g_ptr_array_add (inputs, (gpointer) input);
        }
      if (!take (r, ",") && !looks (r, ")"))
        return fail (r, "',' or ')'");
    }
  node = node_new (scope, plain && name != NULL && *name != '\0' ? name : "call", global && ph_sketch_find_function (r->sketch, FUNCTION, name != NULL ? name : "") != NULL ? FUNCTION : DOMAIN);
  if (!plain)
    ph_sketch_node_input (node, value);
  for (guint i = 0; i < inputs->len; i++)
    ph_sketch_node_input (node, inputs->pdata[i]);
  for (guint i = 0; i + 1 < attrs->len; i += 2)
    ph_sketch_node_text (node, attrs->pdata[i], attrs->pdata[i + 1]);
  return ph_sketch_node_output (node, plain && name != NULL ? name : "call", NULL);
}

static const char *
postfix (Scope *scope)
{
  Parser *r = scope->r;
  const guint before = scope->graph->nodes->len;
  const char *value = primary (scope);

  while (value != NULL)
    if (take (r, "("))
      {
        PhSketchNode *last = scope->graph->nodes->len > before ? scope->graph->nodes->pdata[scope->graph->nodes->len - 1] : NULL;

        value = call (scope, last != NULL && last->outputs->len == 1 && last->outputs->pdata[0] == value ? last : NULL, value);
      }
    else if (skip (r), r->end - r->p >= 2 && *r->p == '.' && g_ascii_isdigit (r->p[1]))
      {
        PhSketchNode *node = node_new (scope, "tuple_get_item", DOMAIN);

        ph_sketch_node_input (node, value);
        ph_sketch_node_int (node, "index", (gint64) g_ascii_strtoull (r->p + 1, NULL, 10));
        for (r->p++; r->p < r->end && g_ascii_isdigit (*r->p);)
          r->p++;
        value = ph_sketch_node_output (node, "item", NULL);
      }
    else
      break;
  return value;
}

static const char *
expr (Scope *scope, guint least)
{
  static const struct { const char *text, *op; guint strength; } operators[] = {
    { "==", "equal", 1 }, { "!=", "not_equal", 1 }, { "<=", "less_equal", 1 }, { ">=", "greater_equal", 1 }, { "<", "less", 1 }, { ">", "greater", 1 },
    { "+", "add", 2 }, { "-", "subtract", 2 }, { "*", "multiply", 3 }, { "/", "divide", 3 },
  };
  Parser *r = scope->r;
  const char *left, *right;

  if (++r->depth > MAX_DEPTH)
    return fail (r, "less than 200 expressions in each other");
  left = postfix (scope);
  for (guint i = 0; left != NULL && i < G_N_ELEMENTS (operators);)
    if (operators[i].strength >= MAX (least, 1) && looks (r, operators[i].text) && !looks (r, "=>"))
      {
        PhSketchNode *node;

        r->p += strlen (operators[i].text);
        if ((right = expr (scope, operators[i].strength + 1)) == NULL)
          return NULL;
        node = node_new (scope, operators[i].op, DOMAIN);
        ph_sketch_node_input (node, left);
        ph_sketch_node_input (node, right);
        left = ph_sketch_node_output (node, operators[i].op, NULL);
        i = 0;
      }
    else
      i++;
  r->depth--;
  return left;
}

/* let %x = ...; %0 = ...; and what it all comes to. */
static const char *
body (Scope *scope, char close)
{
  Parser *r = scope->r;
  const char *value = NULL;

  for (;;)
    {
      g_autofree char *name = NULL;
      const char *start;
      guint line;

      skip (r);
      if (r->p >= r->end || *r->p == close)
        return value != NULL ? value : close == '\0' ? NULL : fail (r, "an expression");
      start = r->p;
      line = r->line;
      if (take (r, "let"))
        {
          skip (r);
          name = sign_word (r);
          if (take (r, ":"))
            g_free (raw (r, "="));
          if (!expect (r, "="))
            return NULL;
        }
      else if (*r->p == '%')
        {
          name = sign_word (r);
          if (!looks (r, "=") || looks (r, "==") || looks (r, "=>"))
            {
              g_clear_pointer (&name, g_free);
              r->p = start;
              r->line = line;
            }
          else
            take (r, "=");
        }
      if ((value = expr (scope, 0)) == NULL)
        return NULL;
      if (name != NULL && *name != '\0')
        bind (scope, name, value);
      if (!take (r, ";"))
        return value;
    }
}

static gboolean
top (Parser *r, Scope *main, gboolean *has_main)
{
  skip (r);
  if (r->end - r->p >= 2 && r->p[0] == '#' && r->p[1] == '[')
    {
      r->p += 2;
      g_free (raw (r, "]"));
      return expect (r, "]");
    }
  if (take (r, "Program:") || (r->end - r->p >= 2 && memcmp (r->p, "%s", 2) == 0 && (r->p += 2) != NULL))
    return TRUE;
  if (take (r, "extern") || looks (r, "type"))
    {
      take (r, "type");
      g_free (word (r));
      if (take (r, "["))
        {
          g_free (raw (r, "]"));
          expect (r, "]");
        }
      if (take (r, "{"))
        {
          g_free (raw (r, "}"));
          return expect (r, "}");
        }
      take (r, "=");
      take (r, ";");
      return r->error == NULL;
    }
  if (take (r, "def"))
    {
      g_autofree char *name = NULL;
      Scope scope;
      gboolean ok;

      skip (r);
      name = sign_word (r);
      scope = (Scope) { r, !*has_main && g_str_equal (name, "main") ? r->sketch->main : ph_sketch_add_function (r->sketch, FUNCTION, name), g_hash_table_new (NULL, NULL) };
      *has_main = *has_main || scope.graph == r->sketch->main;
      ok = function (&scope);
      g_hash_table_unref (scope.names);
      return ok;
    }
  {
    const char *value = body (main, '\0');

    if (value != NULL)
      ph_sketch_add_output (main->graph, value, NULL);
    return value != NULL;
  }
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autofree char *copy = NULL;
  Parser r = { .source = source, .line = 1 };
  Scope main = { &r, NULL, names };
  gboolean has_main = FALSE;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (text == NULL)
    return NULL;
  copy = g_strndup (text, size);
  if (strstr (copy, "%%") != NULL)             /* a template, as in TVM's tests */
    {
      g_autoptr (GString) filled = g_string_new (copy);

      g_string_replace (filled, "%%", "%", 0);
      g_string_replace (filled, "%s (", "match (", 0);
      g_free (copy);
      copy = g_strdup (filled->str);
    }
  r.p = r.begin = copy;
  r.end = copy + strlen (copy);
  r.sketch = sketch = ph_sketch_new (source);
  main.graph = sketch->main;
  for (skip (&r); r.p < r.end && r.error == NULL; skip (&r))
    if (!top (&r, &main, &has_main) && r.error == NULL)
      fail (&r, "a definition or an expression");
  if (r.error != NULL)
    {
      g_propagate_error (error, r.error);
      return NULL;
    }
  return ph_sketch_finish (sketch, DOMAIN, error);
}

const PhFormat ph_format_relay = {
  .name = "relay", .title = "TVM Relay text", .patterns = (const char *const[]) { "*.rly", "*.relay", NULL },
  .mime = "text/x-relay", .mime_parent = "text/plain", .probe = probe, .read = read_model, .dialect = &ph_dialect_relay,
};
