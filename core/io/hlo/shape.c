/* shape.c: shapes and literals of HLO text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "core/io/hlo/lexer.h"

/* ── shapes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns TRUE at a layout such as "{1,0:T(8,128)S(5)}", as opposed to the "{" of "-> f32[] {" that begins a computation. */
static gboolean
is_layout (PhHloParser *parser)
{
  const char *p = parser->p;

  if (ph_hlo_peek (parser) != '{')
    {
      parser->p = p;
      return FALSE;
    }
  for (p = parser->p + 1; *p == ' '; p++)
    ;
  return g_ascii_isdigit (*p) || *p == ':' || *p == '}';
}

static char *
read_layout (PhHloParser *parser)
{
  const char *from = parser->p + 1;
  char *layout, *to;

  if (!ph_hlo_skip_bracket (parser))
    return NULL;
  layout = ph_hlo_span (from, parser->p - 1);
  to = layout;
  for (const char *p = layout; *p != '\0'; p++)
    if (*p != ' ')
      *to++ = *p;
  *to = '\0';
  return layout;
}

static gboolean
read_dims (PhHloParser *parser, gint64 *dims, gboolean *dynamic, guint *rank)
{
  *rank = 0;
  if (!ph_hlo_expect (parser, "["))
    return FALSE;
  while (!ph_hlo_take (parser, "]"))
    {
      if (*rank > 0 && !ph_hlo_expect (parser, ","))
        return FALSE;
      if (*rank >= PH_MAX_RANK)
        return ph_hlo_fail (parser, parser->p, "an array of more than %d dimensions cannot be read", PH_MAX_RANK);
      dynamic[*rank] = ph_hlo_take (parser, "<=");
      if (!dynamic[*rank] && ph_hlo_take (parser, "?"))
        {
          dynamic[*rank] = TRUE;
          dims[(*rank)++] = -1;
          continue;
        }
      if (dynamic[*rank] && ph_hlo_take (parser, "?"))
        dims[*rank] = -1;
      else if (!ph_hlo_int (parser, &dims[*rank]) || dims[*rank] < 0)
        return ph_hlo_fail (parser, parser->p, "a dimension (12, <=12, ?) is expected here");
      (*rank)++;
    }
  return TRUE;
}

static PhHloShape *
read_array (PhHloParser *parser)
{
  const char *word = ph_hlo_word (parser);
  g_autofree char *element = g_strdup (word), *layout = NULL;
  gint64 dims[PH_MAX_RANK];
  gboolean dynamic[PH_MAX_RANK];
  guint rank;

  if (element != NULL && g_str_equal (element, "b") && ph_hlo_peek (parser) == '(') /* a buffer */
    {
      PhHloShape *shape = ph_hlo_alloc (parser->hlo, sizeof *shape);
      const char *from = parser->p;
      g_autofree char *text = NULL, *inside = NULL;

      if (!ph_hlo_skip_bracket (parser))
        return NULL;
      inside = ph_hlo_span (from, parser->p);
      text = g_strconcat ("b", inside, NULL);
      shape->n_leaves = 1;
      shape->text = ph_intern (text);
      return shape;
    }
  if (element == NULL || !read_dims (parser, dims, dynamic, &rank))
    {
      ph_hlo_fail (parser, parser->p, "a shape (f32[2,3], (f32[], s32[4])) is expected here");
      return NULL;
    }
  if (is_layout (parser) && (layout = read_layout (parser)) == NULL)
    return NULL;
  return ph_hlo_array_shape (parser->hlo, element, dims, dynamic, rank, layout);
}

PhHloShape *
ph_hlo_shape (PhHloParser *parser)
{
  g_autoptr (GPtrArray) items = NULL;

  if (!ph_hlo_take (parser, "("))
    return read_array (parser);
  items = g_ptr_array_new ();
  if (!ph_hlo_enter (parser))
    return NULL;
  while (!ph_hlo_take (parser, ")"))
    {
      PhHloShape *item;

      if (items->len > 0 && !ph_hlo_expect (parser, ","))
        return NULL;
      item = ph_hlo_shape (parser);
      if (item == NULL)
        return NULL;
      g_ptr_array_add (items, item);
    }
  parser->depth--;
  if (is_layout (parser)) /* old texts have one after a tuple too */
    {
      g_autofree char *layout = read_layout (parser);

      if (layout == NULL)
        return NULL;
    }
  return ph_hlo_tuple_shape (parser->hlo, (PhHloShape *const *) items->pdata, items->len);
}

gboolean
ph_hlo_is_shape (PhHloParser *parser)
{
  const char *from = parser->p;
  const char first = ph_hlo_peek (parser);
  gboolean is;

  if (first == '(')
    return TRUE;
  is = first != '%' && ph_hlo_word (parser) != NULL
       && (*parser->p == '[' || (g_str_equal (parser->word->str, "b") && *parser->p == '(')
           || (*parser->p == ' ' && ph_hlo_dtype (parser->word->str) != PH_UNDEFINED && ph_hlo_peek (parser) == '['));
  parser->p = from;
  return is;
}

/* ── literals ───────────────────────────────────────────────────────────────────────────────────────────────────── */

typedef struct
{
  PhHloParser *parser;
  PhDType dtype;
  guint rank;
  const gint64 *dims;
  gpointer data;
  gsize n; /* elements so far */
  gboolean elided;
} Literal;

static gboolean
read_real (PhHloParser *parser, double *value)
{
  const char *from = parser->p;
  char *end;

  *value = g_ascii_strtod (from, &end);
  if (end == from)
    return ph_hlo_fail (parser, from, "a number is expected here");
  if (*end == '(' && (end[-1] == 'n' || end[-1] == 'N')) /* nan(0x7fc00000) */
    end = (char *) memchr (end, ')', (gsize) (parser->end - end));
  if (end == NULL)
    return ph_hlo_fail (parser, from, "a number is expected here");
  parser->p = end + (*end == ')' && end > from && memchr (from, '(', (gsize) (end - from)) != NULL);
  return TRUE;
}

static gboolean
read_integer (Literal *literal)
{
  PhHloParser *parser = literal->parser;
  const char *from = parser->p;
  char *end;
  gint64 value;

  errno = 0;
  value = *from == '-' ? g_ascii_strtoll (from, &end, 0) : (gint64) g_ascii_strtoull (from, &end, 0);
  if (end == from || *end == '.' || *end == 'e')
    return ph_hlo_fail (parser, from, "an integer is expected here");
  if (errno == 0)
    ph_dtype_store_int (literal->dtype, literal->data, literal->n, value);
  if (errno != 0 || ph_dtype_load_int (literal->dtype, literal->data, literal->n) != value)
    return ph_hlo_fail (parser, from, "the number does not fit into %s", ph_dtype_name (literal->dtype));
  parser->p = end;
  return TRUE;
}

static gboolean
read_element (Literal *literal)
{
  PhHloParser *parser = literal->parser;
  double value, imaginary = 0;

  switch (literal->dtype)
    {
    case PH_BOOL:
      if (ph_hlo_take (parser, "true") || ph_hlo_take (parser, "1"))
        value = 1;
      else if (ph_hlo_take (parser, "false") || ph_hlo_take (parser, "0"))
        value = 0;
      else
        return ph_hlo_fail (parser, parser->p, "true or false is expected here");
      ph_dtype_store (PH_BOOL, literal->data, literal->n, value);
      return TRUE;
    case PH_COMPLEX64:
    case PH_COMPLEX128:
      if (ph_hlo_take (parser, "("))
        {
          ph_hlo_peek (parser);
          if (!read_real (parser, &value) || !ph_hlo_expect (parser, ","))
            return FALSE;
          ph_hlo_peek (parser);
          if (!read_real (parser, &imaginary) || !ph_hlo_expect (parser, ")"))
            return FALSE;
        }
      else if (!read_real (parser, &value))
        return FALSE;
      if (literal->dtype == PH_COMPLEX64)
        {
          ((float *) literal->data)[2 * literal->n] = (float) value;
          ((float *) literal->data)[2 * literal->n + 1] = (float) imaginary;
        }
      else
        {
          ((double *) literal->data)[2 * literal->n] = value;
          ((double *) literal->data)[2 * literal->n + 1] = imaginary;
        }
      return TRUE;
    default:
      if (ph_dtype_is_integer (literal->dtype))
        return read_integer (literal);
      if (!read_real (parser, &value))
        return FALSE;
      ph_dtype_store (literal->dtype, literal->data, literal->n, value);
      return TRUE;
    }
}

static gboolean
read_dense (Literal *literal, guint dim)
{
  PhHloParser *parser = literal->parser;

  ph_hlo_peek (parser);
  if (dim == literal->rank)
    {
      if (ph_hlo_take (parser, "..."))
        return literal->elided = TRUE;
      if (*parser->p == '{' && g_str_has_prefix (parser->p, "{...}"))
        {
          parser->p += strlen ("{...}");
          return literal->elided = TRUE;
        }
      if (!read_element (literal))
        return FALSE;
      literal->n++;
      return TRUE;
    }
  if (!ph_hlo_expect (parser, "{"))
    return FALSE;
  for (gint64 i = 0; i < literal->dims[dim]; i++)
    {
      if (i > 0)
        ph_hlo_take (parser, ","); /* XLA reads lists without commas too */
      if (ph_hlo_take (parser, "..."))
        {
          literal->elided = TRUE;
          break;
        }
      if (!read_dense (literal, dim + 1))
        return FALSE;
    }
  return ph_hlo_expect (parser, "}");
}

/* Skips a literal that no tensor can hold. */
static gboolean
skip_literal (PhHloParser *parser, GPtrArray *literals)
{
  g_ptr_array_add (literals, NULL);
  ph_hlo_peek (parser);
  return ph_hlo_skip (parser);
}

/* "f32[4096] constant(0)": one number for all elements. */
static gboolean
read_splat (Literal *literal, GPtrArray *literals)
{
  PhHloParser *parser = literal->parser;
  guint64 element[2] = { 0 };
  PhTensor *tensor;

  if (*parser->p == '.' || literal->dtype == PH_STRING)
    return skip_literal (parser, literals);
  literal->data = element;
  if (!read_element (literal))
    return FALSE;
  tensor = ph_tensor_new_splat (literal->dtype, literal->rank, literal->dims, element);
  if (tensor != NULL)
    g_ptr_array_add (parser->hlo->tensors, tensor);
  g_ptr_array_add (literals, tensor);
  return TRUE;
}

static gboolean
read_array_literal (PhHloParser *parser, const PhHloShape *shape, GPtrArray *literals)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;
  Literal literal = { parser, .dims = dims };
  gsize count;
  const char *from;

  if (ph_hlo_is_shape (parser) && ph_hlo_peek (parser) != '(' && ph_hlo_shape (parser) == NULL) /* old texts repeat it */
    return FALSE;
  if (shape->type == NULL || shape->text != NULL)
    return skip_literal (parser, literals);
  literal.dtype = shape->type->dtype;
  literal.rank = shape->type->rank;
  for (guint i = 0; i < literal.rank; i++)
    dims[i] = shape->type->dims[i].size;
  ph_hlo_peek (parser);
  from = parser->p;
  if (literal.rank > 0 && *from != '{')
    return read_splat (&literal, literals);
  if (!ph_tensor_count_elements (literal.rank, dims, &count) || count > (gsize) (parser->end - from))
    {
      if (literal.rank > 0 && *from == '{' && strspn (from + 1, " {") < 200
          && strncmp (from + 1 + strspn (from + 1, " {"), "...", 3) == 0)
        return skip_literal (parser, literals);
      return ph_hlo_fail (parser, from, "the constant has fewer elements than its shape");
    }
  if (count == 0)
    {
      if (!ph_hlo_skip (parser))
        return FALSE;
      tensor = ph_tensor_new (literal.dtype, literal.rank, dims);
    }
  else
    {
      tensor = ph_tensor_new (literal.dtype, literal.rank, dims);
      literal.data = tensor != NULL ? ph_tensor_writable (tensor) : NULL;
      if (literal.data != NULL && !read_dense (&literal, 0))
        {
          ph_tensor_unref (tensor);
          return FALSE;
        }
    }
  if (tensor == NULL)
    return ph_hlo_fail (parser, from, "there is no memory for a constant of %" G_GSIZE_FORMAT " elements", count);
  if (literal.elided)
    g_clear_pointer (&tensor, ph_tensor_unref);
  else
    g_ptr_array_add (parser->hlo->tensors, tensor);
  g_ptr_array_add (literals, tensor);
  return TRUE;
}

gboolean
ph_hlo_literal (PhHloParser *parser, const PhHloShape *shape, GPtrArray *literals)
{
  if (!shape->tuple)
    return read_array_literal (parser, shape, literals);
  if (ph_hlo_take (parser, "{")) /* fully elided */
    {
      for (guint i = 0; i < shape->n_leaves; i++)
        g_ptr_array_add (literals, NULL);
      return ph_hlo_expect (parser, "...") && ph_hlo_expect (parser, "}");
    }
  if (!ph_hlo_expect (parser, "("))
    return FALSE;
  for (guint i = 0; i < shape->n_items; i++)
    if ((i > 0 && !ph_hlo_expect (parser, ",")) || !ph_hlo_literal (parser, shape->items[i], literals))
      return FALSE;
  return ph_hlo_expect (parser, ")");
}
