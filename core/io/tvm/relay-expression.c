/* relay-expression.c: expressions and functions of Relay. Inner functions, branches and arms of a match are bodies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/relay.h"
#include "core/io/tvm/script.h"

#define MAX_DEPTH 200

static const char *expr (PhRelayScope *scope, guint least);

static const PhType *
type_of (const char *text)
{
  const char *open = strchr (text, '['), *list = open != NULL ? strchr (open, '(') : NULL,
             *close = list != NULL ? strchr (list, ')') : NULL;
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;
  PhDType dtype;

  if (!g_str_has_prefix (text, "Tensor"))
    return (dtype = ph_tvm_dtype (text)) != PH_UNDEFINED ? ph_type_tensor (dtype, 0, NULL) : NULL;
  if (close == NULL)
    return NULL;
  {
    g_autofree char *inside = g_strndup (list + 1, (gsize) (close - list - 1)), *rest = g_strdup (close + 1);
    g_auto (GStrv) parts = g_strsplit (inside, ",", PH_MAX_RANK + 1);

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
bind (PhRelayScope *scope, const char *name, const char *value)
{
  g_hash_table_insert (scope->names, (gpointer) ph_intern (name), (gpointer) value);
}

static PhRelayScope
inner (PhRelayScope *outer, PhSketchGraph *graph)
{
  PhRelayScope scope = { outer->r, graph, g_hash_table_new (NULL, NULL) };
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, outer->names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_insert (scope.names, name, value);
  return scope;
}

static PhSketchNode *
node_new (PhRelayScope *scope, const char *op, const char *domain)
{
  guint line, column;

  ph_text_place (&scope->r->line, scope->r->begin, scope->r->p, &line, &column);
  return ph_sketch_add_node (scope->graph, op, domain, line, 1);
}

static const char *
text_node (PhRelayScope *scope, const char *op, const char *text)
{
  PhSketchNode *node = node_new (scope, op, PH_RELAY);

  ph_sketch_node_text (node, "text", text);
  return ph_sketch_node_output (node, op, NULL);
}

gboolean
ph_relay_function (PhRelayScope *scope)
{
  PhRelay *r = scope->r;
  const char *result;

  if (ph_relay_take (r, "["))
    {
      g_free (ph_relay_raw (r, "]"));
      ph_relay_expect (r, "]");
    }
  if (!ph_relay_expect (r, "("))
    return FALSE;
  while (r->error == NULL && !ph_relay_take (r, ")"))
    {
      ph_relay_skip (r);
      if (*r->p == '%')
        {
          g_autofree char *name = ph_relay_name (r), *about = ph_relay_take (r, "{") ? ph_relay_raw (r, "}") : NULL, *type = NULL;

          if (about != NULL && !ph_relay_expect (r, "}")) /* %x {virtual_device=meta[VirtualDevice][0]}: Tensor[...] */
            return FALSE;
          type = ph_relay_take (r, ":") ? ph_relay_raw (r, ",)") : NULL;
          bind (scope, name, ph_sketch_add_input (scope->graph, name, type != NULL ? type_of (type) : NULL));
        }
      else
        g_free (ph_relay_raw (r, ",)")); /* an attribute of the function */
      if (!ph_relay_take (r, ",") && !ph_relay_looks (r, ")"))
        return ph_relay_fail (r, "',' or ')'") != NULL;
    }
  if (ph_relay_take (r, "->"))
    g_free (ph_relay_raw (r, "{"));
  if (!ph_relay_expect (r, "{") || (result = ph_relay_body (scope, '}')) == NULL)
    return FALSE;
  ph_sketch_add_output (scope->graph, result);
  return ph_relay_expect (r, "}");
}

/* Reads a body of @node in brackets, or of one expression. */
static gboolean
part (PhRelayScope *scope, PhSketchNode *node, const char *attr, gboolean brackets, const char *pattern)
{
  PhRelayScope own = inner (scope, ph_sketch_add_body (node, attr));
  const char *result = NULL;

  for (const char *p = pattern; p != NULL && (p = strchr (p, '%')) != NULL;) /* the variables that the pattern binds */
    {
      const char *start = ++p;
      g_autofree char *name = NULL;

      while (ph_relay_is_word (*p))
        p++;
      name = g_strndup (start, (gsize) (p - start));
      if (*name != '\0')
        bind (&own, name, ph_sketch_add_input (own.graph, name, NULL));
    }
  if (!brackets || ph_relay_expect (scope->r, "{"))
    result = brackets                                                             ? ph_relay_body (&own, '}')
             : ph_relay_looks (scope->r, "%") || ph_relay_looks (scope->r, "let") ? ph_relay_body (&own, ',')
                                                                                  : expr (&own, 0);
  if (result != NULL)
    ph_sketch_add_output (own.graph, result);
  g_hash_table_unref (own.names);
  return result != NULL && (!brackets || ph_relay_expect (scope->r, "}"));
}

static const char *
match (PhRelayScope *scope)
{
  PhRelay *r = scope->r;
  const char *of = expr (scope, 0);
  PhSketchNode *node;
  GString *patterns = NULL;
  g_autofree char *text = NULL;

  if (of == NULL || !ph_relay_expect (r, "{"))
    return NULL;
  node = node_new (scope, "match", PH_RELAY);
  ph_sketch_node_input (node, of);
  patterns = g_string_new (NULL);
  for (guint i = 0; r->error == NULL && !ph_relay_take (r, "}"); i++)
    {
      g_autofree char *attr = g_strdup_printf ("case%u", i), *pattern = ph_relay_raw (r, "=");

      g_string_append_printf (patterns, "%s%s", i > 0 ? "; " : "", pattern);
      if (!ph_relay_expect (r, "=>") || !part (scope, node, attr, ph_relay_looks (r, "{"), pattern))
        break;
      ph_relay_take (r, ",");
    }
  text = g_string_free (patterns, FALSE);
  ph_sketch_node_text (node, "cases", text);
  return r->error == NULL ? ph_sketch_node_output (node, "match", NULL) : NULL;
}

static const char *
number (PhRelayScope *scope)
{
  PhRelay *r = scope->r;
  char *end;
  const gsize left = MIN ((gsize) (r->end - r->p), 60);
  g_autofree char *text = g_strndup (r->p, left), *suffix = NULL;
  double value = g_ascii_strtod (text, &end);
  gboolean real = memchr (text, '.', (gsize) (end - text)) != NULL || memchr (text, 'e', (gsize) (end - text)) != NULL;
  PhDType dtype;

  r->p += MAX (end - text, 1);
  suffix = ph_relay_word (r);
  dtype = *suffix == 'f'   ? g_str_equal (suffix, "f64")   ? PH_DOUBLE
                             : g_str_equal (suffix, "f16") ? PH_FLOAT16
                                                           : PH_FLOAT
          : *suffix == 'i' ? g_str_equal (suffix, "i64") ? PH_INT64 : PH_INT32
          : real           ? PH_FLOAT
                           : PH_INT32;
  return ph_sketch_add_constant (scope->graph, "const", ph_tensor_new_scalar (dtype, value));
}

/* Parses an expression in parentheses, or a tuple. */
static const char *
bracketed (PhRelayScope *scope)
{
  PhRelay *r = scope->r;
  const char *close = *r->p == '(' ? ")" : "]", *value;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gboolean comma = FALSE;
  PhSketchNode *node;

  for (r->p++; !ph_relay_take (r, close); comma = ph_relay_take (r, ","))
    {
      if (items->len > 0 && !comma)
        return ph_relay_fail (r, "',' or a closing bracket");
      if ((value = ph_relay_looks (r, "let") ? ph_relay_body (scope, ')') : expr (scope, 0)) == NULL)
        return NULL;
      g_ptr_array_add (items, (gpointer) value);
    }
  if (items->len == 1 && !comma && *close == ')')
    return items->pdata[0];
  node = node_new (scope, "tuple", PH_RELAY);
  for (guint i = 0; i < items->len; i++)
    ph_sketch_node_input (node, items->pdata[i]);
  return ph_sketch_node_output (node, "tuple", NULL);
}

/* fn (...) { ... }, its first word read. */
static const char *
closure (PhRelayScope *scope)
{
  PhSketchNode *node = node_new (scope, "fn", PH_RELAY);
  PhRelayScope own = inner (scope, ph_sketch_add_body (node, "body"));
  const gboolean ok = ph_relay_function (&own);

  g_hash_table_unref (own.names);
  return ok ? ph_sketch_node_output (node, "fn", NULL) : NULL;
}

/* Parses if (...) { ... } else { ... } after the "if". */
static const char *
branches (PhRelayScope *scope)
{
  const char *test = expr (scope, 0);
  PhSketchNode *node;

  if (test == NULL)
    return NULL;
  node = node_new (scope, "if", PH_RELAY);
  ph_sketch_node_input (node, test);
  if (!part (scope, node, "then", TRUE, NULL) || !ph_relay_expect (scope->r, "else") || !part (scope, node, "else", TRUE, NULL))
    return NULL;
  return ph_sketch_node_output (node, "if", NULL);
}

static const char *
primary (PhRelayScope *scope)
{
  PhRelay *r = scope->r;
  PhSketchNode *node;
  const char *value;

  ph_relay_skip (r);
  if (r->p >= r->end)
    return ph_relay_fail (r, "an expression");
  if (*r->p == '%')
    {
      g_autofree char *name = ph_relay_name (r);

      if ((value = g_hash_table_lookup (scope->names, ph_intern (name))) == NULL)
        bind (scope, name, value = text_node (scope, "variable", name));
      return value;
    }
  if (*r->p == '@')
    {
      g_autofree char *name = ph_relay_name (r);

      return text_node (scope, "global", name);
    }
  if (g_ascii_isdigit (*r->p))
    return number (scope);
  if (*r->p == '"')
    {
      g_autofree char *text = ph_relay_raw (r, ",);=}");

      return text_node (scope, "string", text);
    }
  if (ph_relay_take (r, "-"))
    {
      if ((value = expr (scope, 4)) == NULL)
        return NULL;
      node = node_new (scope, "negative", PH_RELAY);
      ph_sketch_node_input (node, value);
      return ph_sketch_node_output (node, "negative", NULL);
    }
  if (ph_relay_take (r, "{"))
    return (value = ph_relay_body (scope, '}')) != NULL && ph_relay_expect (r, "}") ? value : NULL;
  if (ph_relay_looks (r, "(") || ph_relay_looks (r, "["))
    return bracketed (scope);
  if (ph_relay_take (r, "fn"))
    return closure (scope);
  if (ph_relay_take (r, "if"))
    return branches (scope);
  if (ph_relay_take (r, "match") || ph_relay_take (r, "match?"))
    {
      ph_relay_take (r, "?");
      return match (scope);
    }
  if (ph_relay_take (r, "True") || ph_relay_take (r, "False"))
    return ph_sketch_add_constant (scope->graph, "const", ph_tensor_new_scalar (PH_BOOL, r->p[-1] == 'e' && r->p[-2] == 'u'));
  if (ph_relay_is_word (*r->p))
    {
      g_autofree char *name = ph_relay_word (r);

      if (g_str_equal (name, "meta"))
        {
          g_autofree char *text = ph_relay_raw (r, ",;)}=");

          return text_node (scope, "constant", text);
        }
      return text_node (scope, "operator", name);
    }
  return ph_relay_fail (r, "an expression");
}

/* Parses the arguments of a call of @callee. */
static const char *
call (PhRelayScope *scope, PhSketchNode *callee, const char *value)
{
  PhRelay *r = scope->r;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), attrs = g_ptr_array_new_with_free_func (g_free);
  const PhAttr *text = callee != NULL && callee->attrs->len > 0 ? callee->attrs->pdata[0] : NULL;
  PhSketchNode *node;
  g_autofree char *name = text != NULL && text->kind == PH_ATTR_STRING
                              ? g_strndup (g_bytes_get_data (text->s, NULL), g_bytes_get_size (text->s))
                              : NULL;
  const gboolean global = callee != NULL && g_str_equal (callee->node.op_type, "global"),
                 plain = global || (callee != NULL && g_str_equal (callee->node.op_type, "operator"));

  if (plain) /* the node gets its name, and this one is removed */
    g_ptr_array_remove (scope->graph->nodes, callee);
  while (!ph_relay_take (r, ")"))
    {
      const char *start, *input;

      ph_relay_skip (r);
      start = r->p;
      while (r->p < r->end && ph_relay_is_word (*r->p))
        r->p++;
      if (r->p > start && !g_ascii_isdigit (*start) && (ph_relay_looks (r, "=") && !ph_relay_looks (r, "==")))
        {
          g_ptr_array_add (attrs, g_strndup (start, strcspn (start, " =\t\n")));
          ph_relay_take (r, "=");
          g_ptr_array_add (attrs, ph_relay_raw (r, ",)"));
        }
      else
        {
          r->p = start;
          if ((input = expr (scope, 0)) == NULL)
            return NULL;
          g_ptr_array_add (inputs, (gpointer) input);
        }
      if (!ph_relay_take (r, ",") && !ph_relay_looks (r, ")"))
        return ph_relay_fail (r, "',' or ')'");
    }
  node = node_new (scope, plain && name != NULL && *name != '\0' ? name : "call",
                   global && ph_sketch_find_function (r->sketch, PH_RELAY_FUNCTION, name != NULL ? name : "") != NULL
                       ? PH_RELAY_FUNCTION
                       : PH_RELAY);
  if (!plain)
    ph_sketch_node_input (node, value);
  for (guint i = 0; i < inputs->len; i++)
    ph_sketch_node_input (node, inputs->pdata[i]);
  for (guint i = 0; i + 1 < attrs->len; i += 2)
    ph_sketch_node_text (node, attrs->pdata[i], attrs->pdata[i + 1]);
  return ph_sketch_node_output (node, plain && name != NULL ? name : "call", NULL);
}

static const char *
postfix (PhRelayScope *scope)
{
  PhRelay *r = scope->r;
  const guint before = scope->graph->nodes->len;
  const char *value = primary (scope);

  while (value != NULL)
    if (ph_relay_take (r, "("))
      {
        PhSketchNode *last = scope->graph->nodes->len > before ? scope->graph->nodes->pdata[scope->graph->nodes->len - 1] : NULL;

        value = call (scope, last != NULL && last->outputs->len == 1 && last->outputs->pdata[0] == value ? last : NULL, value);
      }
    else if (ph_relay_skip (r), r->end - r->p >= 2 && *r->p == '.' && g_ascii_isdigit (r->p[1]))
      {
        PhSketchNode *node = node_new (scope, "tuple_get_item", PH_RELAY);

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
expr (PhRelayScope *scope, guint least)
{
  /* clang-format off */
  static const struct { const char *text, *op; guint strength; } operators[] = {
    { "==", "equal", 1 }, { "!=", "not_equal", 1 }, { "<=", "less_equal", 1 }, { ">=", "greater_equal", 1 }, { "<", "less", 1 }, { ">", "greater", 1 },
    { "+", "add", 2 }, { "-", "subtract", 2 }, { "*", "multiply", 3 }, { "/", "divide", 3 },
  };
  /* clang-format on */
  PhRelay *r = scope->r;
  const char *left, *right;

  if (++r->depth > MAX_DEPTH)
    return ph_relay_fail (r, "less than 200 expressions in each other");
  left = postfix (scope);
  for (guint i = 0; left != NULL && i < G_N_ELEMENTS (operators);)
    if (operators[i].strength >= MAX (least, 1) && ph_relay_looks (r, operators[i].text) && !ph_relay_looks (r, "=>"))
      {
        PhSketchNode *node;

        r->p += strlen (operators[i].text);
        if ((right = expr (scope, operators[i].strength + 1)) == NULL)
          return NULL;
        node = node_new (scope, operators[i].op, PH_RELAY);
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

const char *
ph_relay_body (PhRelayScope *scope, char close)
{
  PhRelay *r = scope->r;
  const char *value = NULL;

  for (;;)
    {
      g_autofree char *name = NULL;
      const char *start;

      ph_relay_skip (r);
      if (r->p >= r->end || *r->p == close)
        return value != NULL ? value : close == '\0' ? NULL : ph_relay_fail (r, "an expression");
      start = r->p;
      if (ph_relay_looks (r, "free_var")) /* free_var %x: Tensor[(2), float32]; is an input */
        {
          g_autofree char *type = NULL;

          ph_relay_take (r, "free_var");
          ph_relay_skip (r);
          name = ph_relay_name (r);
          type = ph_relay_take (r, ":") ? ph_relay_raw (r, ";") : NULL;
          if (name == NULL || *name == '\0')
            return ph_relay_fail (r, "the name of a variable");
          bind (scope, name, ph_sketch_add_input (scope->graph->root, name, type != NULL ? type_of (type) : NULL));
          ph_relay_take (r, ";");
          continue;
        }
      if (ph_relay_take (r, "let"))
        {
          ph_relay_skip (r);
          name = ph_relay_name (r);
          if (ph_relay_take (r, ":"))
            g_free (ph_relay_raw (r, "="));
          if (!ph_relay_expect (r, "="))
            return NULL;
        }
      else if (*r->p == '%')
        {
          name = ph_relay_name (r);
          if (!ph_relay_looks (r, "=") || ph_relay_looks (r, "==") || ph_relay_looks (r, "=>"))
            {
              g_clear_pointer (&name, g_free);
              r->p = start;
            }
          else
            ph_relay_take (r, "=");
        }
      if ((value = expr (scope, 0)) == NULL)
        return NULL;
      if (name != NULL && *name != '\0')
        bind (scope, name, value);
      if (!ph_relay_take (r, ";"))
        return value;
    }
}
