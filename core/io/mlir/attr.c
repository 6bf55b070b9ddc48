/* attr.c: attributes, locations and aliases of MLIR text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/lexer.h"

static PhMlirAttr *
new_attr (PhMlirParser *parser, PhMlirAttrKind kind)
{
  PhMlirAttr *attr = ph_mlir_new (parser, sizeof *attr);

  attr->kind = kind;
  return attr;
}

static PhMlirAttr *
new_text (PhMlirParser *parser, PhMlirAttrKind kind, const char *text)
{
  PhMlirAttr *attr = new_attr (parser, kind);

  attr->text = text;
  return attr;
}

PhMlirAlias *
ph_mlir_alias (PhMlirParser *parser, const char *name)
{
  return g_hash_table_lookup (parser->aliases, name);
}

static gboolean
parse_number (PhMlirParser *parser, gboolean negative, PhMlirAttr **attr)
{
  const gsize length = (gsize) (parser->token.end - parser->token.start);
  char text[64];

  if (length >= sizeof text)
    return ph_mlir_fail (parser, "a number of %" G_GSIZE_FORMAT " digits cannot be read", length);
  memcpy (text, parser->token.start, length);
  text[length] = '\0';
  *attr = new_attr (parser, parser->token.kind == PH_MLIR_REAL ? PH_MLIR_FLOAT : PH_MLIR_INT);
  if ((*attr)->kind == PH_MLIR_INT)
    {
      const guint64 bits = g_ascii_strtoull (text, NULL, 0 + (g_str_has_prefix (text, "0x") ? 16 : 10));

      (*attr)->i = (gint64) (negative ? 0 - bits : bits);
      (*attr)->f = negative ? -(double) bits : (double) bits;
    }
  else
    (*attr)->f = negative ? -g_ascii_strtod (text, NULL) : g_ascii_strtod (text, NULL);
  ph_mlir_next (parser);
  if (ph_mlir_is (parser, ':'))
    {
      PhMlirToken colon = parser->token;
      PhMlirType type;

      ph_mlir_next (parser);
      /* "dim = 0 : tensor<4xi32>" ends with the type of the result, not of the number. */
      if ((parser->token.kind != PH_MLIR_ID && parser->token.kind != PH_MLIR_BANG) || ph_mlir_is_word (parser, "tensor")
          || ph_mlir_is_word (parser, "memref") || ph_mlir_is_word (parser, "vector"))
        {
          ph_mlir_seek (parser, &colon);
          return TRUE;
        }
      if (!ph_mlir_type (parser, &type))
        return FALSE;
      (*attr)->type = type;
      if (type.type != NULL && ph_dtype_is_float (type.type->dtype) && (*attr)->kind == PH_MLIR_INT)
        {
          guint64 bits = (guint64) (*attr)->i; /* hexadecimal: the bits of the number */
          gint64 wide;

          (*attr)->kind = PH_MLIR_FLOAT;
          wide = (gint64) bits;
          if (g_str_has_prefix (text, "0x"))
            (*attr)->f = ph_dtype_load (type.type->dtype, &wide, 0);
        }
    }
  return TRUE;
}

/* "array<i64: 1, 2>" */
static PhMlirAttr *
parse_array_attr (PhMlirParser *parser)
{
  PhMlirAttr *array = new_attr (parser, PH_MLIR_ARRAY);
  PhMlirType type;

  array->items = ph_mlir_ptr_array (parser);
  ph_mlir_next (parser);
  if (!ph_mlir_expect (parser, '<') || !ph_mlir_type (parser, &type))
    return NULL;
  if (ph_mlir_take (parser, ':'))
    do
      {
        PhMlirAttr *item = ph_mlir_value (parser);

        if (item == NULL)
          return NULL;
        g_ptr_array_add (array->items, item);
      }
    while (ph_mlir_take (parser, ','));
  array->type = type;
  return ph_mlir_expect (parser, '>') ? array : NULL;
}

/* "#hal.device<...> : !hal.device": the type of any attribute among others. */
static gboolean
take_type (PhMlirParser *parser, PhMlirAttr *attr)
{
  PhMlirType type;

  if (!ph_mlir_take (parser, ':'))
    return TRUE;
  if (!ph_mlir_type (parser, &type))
    return FALSE;
  if (attr->type.text == NULL)
    attr->type = type;
  return TRUE;
}

static PhMlirAttr *
parse_list (PhMlirParser *parser)
{
  PhMlirAttr *array = new_attr (parser, PH_MLIR_ARRAY);

  array->items = ph_mlir_ptr_array (parser);
  ph_mlir_next (parser);
  while (!ph_mlir_is (parser, ']'))
    {
      PhMlirAttr *item = ph_mlir_value (parser);

      if (item == NULL)
        return NULL;
      g_ptr_array_add (array->items, item);
      if (!take_type (parser, item) || (!ph_mlir_is (parser, ']') && !ph_mlir_expect (parser, ',')))
        return NULL;
    }
  ph_mlir_next (parser);
  return array;
}

/* "#stablehlo.gather<offset_dims = [1], index_vector_dim = 1>" as a dictionary; any other body as text. */
static PhMlirAttr *
parse_dialect_attr (PhMlirParser *parser)
{
  const char *from = parser->token.start;
  PhMlirToken open;
  const gboolean is_conv = g_str_has_suffix (ph_mlir_text (parser), ".conv");
  PhMlirAttr *dict;
  guint depth;

  ph_mlir_next (parser);
  if (!ph_mlir_is (parser, '<'))
    return new_text (parser, PH_MLIR_TEXT, ph_mlir_span (parser, from));
  open = parser->token;
  ph_mlir_next (parser);
  if (is_conv && ph_mlir_is (parser, '['))
    {
      dict = ph_mlir_dim_numbers (parser);
      return dict != NULL && ph_mlir_expect (parser, '>') ? dict : NULL;
    }
  if (parser->token.kind == PH_MLIR_ID)
    {
      const char *word = ph_mlir_text (parser);

      ph_mlir_next (parser);
      if (ph_mlir_take (parser, '>'))
        return new_text (parser, PH_MLIR_STRING, word); /* #stablehlo<precision DEFAULT>, #chlo.x<Y> */
      if (parser->token.kind == PH_MLIR_ID)
        {
          const char *second = ph_mlir_text (parser);

          ph_mlir_next (parser);
          if (ph_mlir_take (parser, '>'))
            return new_text (parser, PH_MLIR_STRING, second);
        }
      else if (ph_mlir_is (parser, '='))
        {
          ph_mlir_seek (parser, &open);
          ph_mlir_next (parser);
          dict = new_attr (parser, PH_MLIR_DICT);
          dict->items = ph_mlir_ptr_array (parser);
          depth = parser->depth;
          while (parser->token.kind == PH_MLIR_ID)
            {
              const char *name = ph_mlir_text (parser);
              PhMlirAttr *value;

              ph_mlir_next (parser);
              if (!ph_mlir_take (parser, '='))
                break;
              value = ph_mlir_value (parser);
              if (value == NULL)
                break;
              value->name = name;
              g_ptr_array_add (dict->items, value);
              if (!ph_mlir_take (parser, ','))
                break;
            }
          if (parser->error == NULL && ph_mlir_take (parser, '>'))
            return dict;
          if (parser->final || (parser->error != NULL && !g_error_matches (parser->error, PH_ERROR, PH_ERROR_INVALID)))
            return NULL;
          g_clear_error (&parser->error); /* a dialect may have its own syntax, such as "members = {<#root, 0>}" */
          parser->depth = depth;
        }
    }
  ph_mlir_seek (parser, &open);
  ph_mlir_skip (parser);
  return new_text (parser, PH_MLIR_TEXT, ph_mlir_span (parser, from));
}

static PhMlirAttr *
parse_alias (PhMlirParser *parser, PhMlirAlias *alias, const char *name)
{
  PhMlirToken after;
  PhMlirAttr *copy;

  if (alias->busy)
    {
      ph_mlir_fail (parser, "the alias %s is defined by itself", name);
      return NULL;
    }
  ph_mlir_next (parser);
  after = parser->token;
  if (!alias->done)
    {
      alias->busy = TRUE;
      parser->p = alias->p;
      parser->line = alias->line;
      parser->line_start = alias->p;
      ph_mlir_next (parser);
      alias->attr = ph_mlir_value (parser);
      alias->busy = FALSE;
      alias->done = TRUE;
      if (parser->error == NULL)
        ph_mlir_seek (parser, &after);
    }
  if (alias->attr == NULL || parser->error != NULL)
    return NULL;
  copy = new_attr (parser, alias->attr->kind);
  *copy = *alias->attr;
  return copy;
}

static gboolean
is_type_word (PhMlirParser *parser)
{
  static const char *const words[] = { "tensor", "memref", "vector", "complex", "tuple", "none", "index", NULL };
  g_autofree char *word = g_strndup (parser->token.start, (gsize) (parser->token.end - parser->token.start));
  const char *p = word;

  if (g_strv_contains (words, word))
    return TRUE;
  p += *p == 's' || *p == 'u' || *p == 'b';
  if ((*p != 'i' && *p != 'f') || !g_ascii_isdigit (p[1]))
    return FALSE;
  return TRUE;
}

/* Keeps any other attribute as its text: affine_map<(d0) -> (d0)>, a function type, a dialect's own syntax. */
static PhMlirAttr *
parse_other (PhMlirParser *parser)
{
  const char *from = parser->token.start;
  const gboolean distinct = ph_mlir_is_word (parser, "distinct"); /* distinct[0]<42 : i32> */

  ph_mlir_skip (parser);
  if (distinct && ph_mlir_is (parser, '['))
    ph_mlir_skip (parser);
  while (parser->token.kind == PH_MLIR_ARROW || ph_mlir_is (parser, '<'))
    {
      if (parser->token.kind == PH_MLIR_ARROW)
        ph_mlir_next (parser);
      ph_mlir_skip (parser);
    }
  return new_text (parser, PH_MLIR_TEXT, ph_mlir_span (parser, from));
}

static PhMlirAttr *
parse_value (PhMlirParser *parser)
{
  const PhMlirTokenKind kind = parser->token.kind;
  const char *from = parser->token.start;
  PhMlirAttr *attr = NULL;

  if (kind == PH_MLIR_INTEGER || kind == PH_MLIR_REAL)
    return parse_number (parser, FALSE, &attr) ? attr : NULL;
  if (ph_mlir_take (parser, '-'))
    {
      if (parser->token.kind == PH_MLIR_INTEGER || parser->token.kind == PH_MLIR_REAL)
        return parse_number (parser, TRUE, &attr) ? attr : NULL;
      ph_mlir_skip (parser);
      return new_text (parser, PH_MLIR_TEXT, ph_mlir_span (parser, from));
    }
  if (kind == PH_MLIR_QUOTED)
    {
      g_autofree char *text = ph_mlir_unquote (parser), *valid = g_utf8_make_valid (text, -1);

      attr = new_text (parser, PH_MLIR_STRING, ph_intern (valid));
      ph_mlir_next (parser);
      if (ph_mlir_take (parser, ':') && !ph_mlir_type (parser, &attr->type))
        return NULL;
      return attr;
    }
  if (ph_mlir_is (parser, '['))
    return parse_list (parser);
  if (ph_mlir_is (parser, '{'))
    {
      attr = new_attr (parser, PH_MLIR_DICT);
      attr->items = ph_mlir_ptr_array (parser);
      return ph_mlir_dict (parser, attr->items) ? attr : NULL;
    }
  if (kind == PH_MLIR_AT)
    {
      attr = new_text (parser, PH_MLIR_STRING, ph_intern (ph_mlir_text (parser) + 1));
      ph_mlir_next (parser);
      return attr;
    }
  if (kind == PH_MLIR_HASH)
    {
      const char *name = ph_mlir_text (parser);
      PhMlirAlias *alias = ph_mlir_alias (parser, name);

      return alias != NULL ? parse_alias (parser, alias, name) : parse_dialect_attr (parser);
    }
  if (kind == PH_MLIR_BANG)
    {
      PhMlirType type;

      return ph_mlir_type (parser, &type) ? new_text (parser, PH_MLIR_TEXT, type.text) : NULL;
    }
  if (kind == PH_MLIR_ID)
    {
      if (ph_mlir_is_word (parser, "true") || ph_mlir_is_word (parser, "false"))
        {
          attr = new_attr (parser, PH_MLIR_BOOL);
          attr->i = ph_mlir_is_word (parser, "true");
          ph_mlir_next (parser);
          return attr;
        }
      if (ph_mlir_is_word (parser, "dense") || ph_mlir_is_word (parser, "dense_resource"))
        return ph_mlir_dense (parser);
      if (ph_mlir_is_word (parser, "array"))
        return parse_array_attr (parser);
      if (ph_mlir_is_word (parser, "loc"))
        {
          PhMlirLoc loc;

          return ph_mlir_loc (parser, &loc) ? new_text (parser, PH_MLIR_TEXT, ph_mlir_span (parser, from)) : NULL;
        }
      if (is_type_word (parser))
        {
          PhMlirType type;

          return ph_mlir_type (parser, &type) ? new_text (parser, PH_MLIR_TEXT, type.text) : NULL;
        }
      return parse_other (parser);
    }
  if (ph_mlir_is (parser, '(') || ph_mlir_is (parser, '<'))
    return parse_other (parser);
  if (ph_mlir_is (parser, '?') || ph_mlir_is (parser, '*')) /* a size that is not known */
    {
      ph_mlir_next (parser);
      return new_text (parser, PH_MLIR_TEXT, ph_intern (*from == '?' ? "?" : "*"));
    }
  ph_mlir_fail (parser, "an attribute (number, \"string\", [list], {dictionary}, dense<...>, ...) is expected here");
  return NULL;
}

PhMlirAttr *
ph_mlir_value (PhMlirParser *parser)
{
  PhMlirAttr *attr;

  if (!ph_mlir_enter (parser))
    return NULL;
  attr = parse_value (parser);
  parser->depth--;
  return parser->error == NULL ? attr : NULL;
}

gboolean
ph_mlir_dict (PhMlirParser *parser, GPtrArray *into)
{
  if (!ph_mlir_expect (parser, '{'))
    return FALSE;
  while (!ph_mlir_is (parser, '}'))
    {
      const char *name = NULL;
      PhMlirAttr *value;

      if (parser->token.kind == PH_MLIR_ID || parser->token.kind == PH_MLIR_INTEGER)
        name = ph_mlir_text (parser);
      else if (parser->token.kind == PH_MLIR_QUOTED)
        {
          g_autofree char *text = ph_mlir_unquote (parser), *valid = g_utf8_make_valid (text, -1);

          name = ph_intern (valid);
        }
      if (name == NULL || *name == '\0')
        return ph_mlir_fail (parser, "the name of an attribute, or '}', is expected here");
      ph_mlir_next (parser);
      if (ph_mlir_take (parser, '='))
        value = ph_mlir_value (parser);
      else
        {
          value = new_attr (parser, PH_MLIR_BOOL);
          value->i = 1;
        }
      if (value == NULL)
        return FALSE;
      value->name = name;
      g_ptr_array_add (into, value);
      if (!take_type (parser, value) || (!ph_mlir_is (parser, '}') && !ph_mlir_expect (parser, ',')))
        return FALSE;
    }
  ph_mlir_next (parser);
  return parser->error == NULL;
}

/* ── locations ── */

static gboolean parse_loc_body (PhMlirParser *parser, PhMlirLoc *loc);

static gboolean
parse_loc_alias (PhMlirParser *parser, PhMlirLoc *loc)
{
  PhMlirAlias *alias = ph_mlir_alias (parser, ph_mlir_text (parser));
  PhMlirToken after;

  ph_mlir_next (parser);
  if (alias == NULL || alias->busy)
    return TRUE;
  after = parser->token;
  if (alias->loc == NULL)
    {
      alias->loc = ph_mlir_new (parser, sizeof *alias->loc);
      alias->busy = TRUE;
      parser->p = alias->p;
      parser->line = alias->line;
      parser->line_start = alias->p;
      ph_mlir_next (parser);
      if (ph_mlir_is_word (parser, "loc"))
        ph_mlir_loc (parser, alias->loc);
      alias->busy = FALSE;
      if (parser->error == NULL)
        ph_mlir_seek (parser, &after);
    }
  *loc = *alias->loc;
  return parser->error == NULL;
}

/* "file":3:5, with the string as the present token's text. */
static gboolean
parse_place (PhMlirParser *parser, const char *file, PhMlirLoc *loc)
{
  guint numbers[2] = { 0, 0 };

  for (guint i = 0; i < 2 && ph_mlir_take (parser, ':'); i++)
    {
      if (parser->token.kind != PH_MLIR_INTEGER)
        return ph_mlir_fail (parser, "a line or a column is expected here");
      numbers[i] = (guint) MIN (ph_mlir_count (parser), G_MAXUINT32);
      ph_mlir_next (parser);
    }
  if (ph_mlir_is_word (parser, "to"))
    while (parser->token.kind != PH_MLIR_END && !ph_mlir_is (parser, ')') && !ph_mlir_is (parser, ',')
           && !ph_mlir_is (parser, ']'))
      ph_mlir_skip (parser);
  loc->where = ph_where_new (file, numbers[0], numbers[1], FALSE, NULL);
  return TRUE;
}

static gboolean
parse_loc_inner (PhMlirParser *parser, PhMlirLoc *loc)
{
  if (parser->token.kind == PH_MLIR_HASH)
    return parse_loc_alias (parser, loc);
  if (parser->token.kind == PH_MLIR_QUOTED)
    {
      g_autofree char *text = ph_mlir_unquote (parser), *valid = g_utf8_make_valid (text, -1);
      const char *name = ph_intern (valid);

      ph_mlir_next (parser);
      if (ph_mlir_is (parser, ':'))
        return parse_place (parser, name, loc);
      if (ph_mlir_take (parser, '('))
        if (!parse_loc_body (parser, loc) || !ph_mlir_expect (parser, ')'))
          return FALSE;
      loc->name = name;
      return TRUE;
    }
  if (ph_mlir_is_word (parser, "fused"))
    {
      ph_mlir_next (parser);
      if (ph_mlir_is (parser, '<'))
        ph_mlir_skip (parser);
      if (!ph_mlir_expect (parser, '['))
        return FALSE;
      while (!ph_mlir_is (parser, ']'))
        {
          PhMlirLoc part = { 0 };

          if (!parse_loc_body (parser, &part))
            return FALSE;
          loc->name = loc->name != NULL ? loc->name : part.name;
          loc->where = loc->where != NULL ? loc->where : part.where;
          if (!ph_mlir_is (parser, ']') && !ph_mlir_expect (parser, ','))
            return FALSE;
        }
      ph_mlir_next (parser);
      return TRUE;
    }
  if (ph_mlir_is_word (parser, "callsite"))
    {
      PhMlirLoc caller = { 0 };

      ph_mlir_next (parser);
      if (!ph_mlir_expect (parser, '(') || !parse_loc_body (parser, loc))
        return FALSE;
      if (ph_mlir_is_word (parser, "at"))
        {
          ph_mlir_next (parser);
          if (!parse_loc_body (parser, &caller))
            return FALSE;
        }
      if (loc->where == NULL)
        loc->where = caller.where;
      else if (caller.where != NULL)
        loc->where = ph_where_new (loc->where->file, loc->where->line, loc->where->column, FALSE, caller.where);
      return ph_mlir_expect (parser, ')');
    }
  while (parser->token.kind != PH_MLIR_END && !ph_mlir_is (parser, ')') && !ph_mlir_is (parser, ',') && !ph_mlir_is (parser, ']'))
    ph_mlir_skip (parser); /* unknown */
  return TRUE;
}

static gboolean
parse_loc_body (PhMlirParser *parser, PhMlirLoc *loc)
{
  gboolean ok;

  if (!ph_mlir_enter (parser))
    return FALSE;
  ok = ph_mlir_is_word (parser, "loc") ? ph_mlir_loc (parser, loc) : parse_loc_inner (parser, loc);
  parser->depth--;
  return ok && parser->error == NULL;
}

gboolean
ph_mlir_loc (PhMlirParser *parser, PhMlirLoc *loc)
{
  *loc = (PhMlirLoc) { 0 };
  ph_mlir_next (parser);
  return ph_mlir_expect (parser, '(') && parse_loc_body (parser, loc) && ph_mlir_expect (parser, ')');
}
