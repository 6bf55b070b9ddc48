/* dim.c: dimensions and their arithmetic: polynomials over symbols, in a canonical form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/type.h"

#include <string.h>

#include "core/intern.h"

/* A term is a coefficient and a product of atoms: names, and "floor(a/b)" for inexact divisions. Terms are sorted by falling degree, then
 * by atoms, so that equal polynomials print alike: the printed form, interned, is the symbol. A polynomial beyond these limits is
 * unknown. */
#define MAX_DEGREE 8
#define MAX_TERMS  24
#define MAX_LENGTH 400

typedef struct
{
  gint64 coefficient;
  guint n;
  const char *atoms[MAX_DEGREE];
} Term;
typedef struct
{
  guint n;
  Term terms[MAX_TERMS];
} Poly;

static gboolean poly_divide (const Poly *a, const Poly *b, Poly *result);

static int
compare_monomials (const Term *a, const Term *b)
{
  if (a->n != b->n)
    return a->n > b->n ? -1 : 1;
  for (guint i = 0; i < a->n; i++)
    if (a->atoms[i] != b->atoms[i])
      return strcmp (a->atoms[i], b->atoms[i]);
  return 0;
}

/* Adds @term to @poly in order. Returns FALSE if the polynomial gets too large. */
static gboolean
poly_add_term (Poly *poly, const Term *term)
{
  guint i = 0;
  int order = 1;

  while (i < poly->n && (order = compare_monomials (&poly->terms[i], term)) < 0)
    i++;
  if (i < poly->n && order == 0)
    {
      if (__builtin_add_overflow (poly->terms[i].coefficient, term->coefficient, &poly->terms[i].coefficient))
        return FALSE;
      if (poly->terms[i].coefficient == 0)
        memmove (&poly->terms[i], &poly->terms[i + 1], (--poly->n - i) * sizeof *term);
      return TRUE;
    }
  if (term->coefficient == 0)
    return TRUE;
  if (poly->n == MAX_TERMS)
    return FALSE;
  memmove (&poly->terms[i + 1], &poly->terms[i], (poly->n++ - i) * sizeof *term);
  poly->terms[i] = *term;
  return TRUE;
}

static gboolean
multiply_terms (const Term *a, const Term *b, Term *result)
{
  guint i = 0, j = 0;

  result->n = 0;
  if (a->n + b->n > MAX_DEGREE || __builtin_mul_overflow (a->coefficient, b->coefficient, &result->coefficient))
    return FALSE;
  while (i < a->n || j < b->n)
    if (j == b->n || (i < a->n && strcmp (a->atoms[i], b->atoms[j]) <= 0))
      result->atoms[result->n++] = a->atoms[i++];
    else
      result->atoms[result->n++] = b->atoms[j++];
  return TRUE;
}

/* Returns FALSE if @b does not divide @a. */
static gboolean
divide_terms (const Term *a, const Term *b, Term *result)
{
  guint j = 0;

  result->n = 0;
  if (b->coefficient == 0 || b->coefficient == -1 || a->coefficient % b->coefficient != 0)
    return FALSE;
  result->coefficient = a->coefficient / b->coefficient;
  for (guint i = 0; i < a->n; i++)
    if (j < b->n && a->atoms[i] == b->atoms[j])
      j++;
    else
      result->atoms[result->n++] = a->atoms[i];
  return j == b->n;
}

static Poly
poly_constant (gint64 value)
{
  Poly poly = { 0 };

  poly_add_term (&poly, &(Term) { .coefficient = value });
  return poly;
}

static Poly
poly_atom (const char *name)
{
  Poly poly = { 0 };

  poly_add_term (&poly, &(Term) { .coefficient = 1, .n = 1, .atoms = { ph_intern (name) } });
  return poly;
}

static gboolean
poly_is_constant (const Poly *poly, gint64 *value)
{
  if (poly->n > 1 || (poly->n == 1 && poly->terms[0].n > 0))
    return FALSE;
  *value = poly->n == 0 ? 0 : poly->terms[0].coefficient;
  return TRUE;
}

/* Computes @a + @factor * @b. */
static gboolean
poly_add (const Poly *a, const Poly *b, gint64 factor, Poly *result)
{
  Poly sum = *a;

  for (guint i = 0; i < b->n; i++)
    {
      Term term = b->terms[i];

      if (__builtin_mul_overflow (term.coefficient, factor, &term.coefficient) || !poly_add_term (&sum, &term))
        return FALSE;
    }
  *result = sum;
  return TRUE;
}

static gboolean
poly_multiply (const Poly *a, const Poly *b, Poly *result)
{
  Poly product = { 0 };

  for (guint i = 0; i < a->n; i++)
    for (guint j = 0; j < b->n; j++)
      {
        Term term;

        if (!multiply_terms (&a->terms[i], &b->terms[j], &term) || !poly_add_term (&product, &term))
          return FALSE;
      }
  *result = product;
  return TRUE;
}

static void
poly_print (const Poly *poly, GString *out)
{
  if (poly->n == 0)
    g_string_append_c (out, '0');
  for (guint i = 0; i < poly->n; i++)
    {
      const Term *term = &poly->terms[i];
      const gboolean negative = term->coefficient < 0;
      const guint64 size = negative ? 0 - (guint64) term->coefficient : (guint64) term->coefficient;

      g_string_append (out, i == 0 ? (negative ? "-" : "") : (negative ? " - " : " + "));
      if (size != 1 || term->n == 0)
        g_string_append_printf (out, "%" G_GUINT64_FORMAT "%s", size, term->n > 0 ? "*" : "");
      for (guint k = 0; k < term->n; k++)
        g_string_append_printf (out, "%s%s", k > 0 ? "*" : "", term->atoms[k]);
    }
}

/* ── parsing ── Names may contain almost anything, for example "batch-size" and "unk__7", so an operator between two operands must be
 * surrounded by spaces. */

typedef struct
{
  const char *at;
  guint depth;
} Cursor;

static gboolean parse_sum (Cursor *cursor, Poly *result);

static void
skip_spaces (Cursor *cursor)
{
  while (*cursor->at == ' ')
    cursor->at++;
}

static gboolean
parse_quotient (Cursor *cursor, Poly *above, Poly *below)
{
  if (!parse_sum (cursor, above) || *cursor->at != '/')
    return FALSE;
  cursor->at++;
  if (!parse_sum (cursor, below) || *cursor->at != ')')
    return FALSE;
  cursor->at++;
  return TRUE;
}

static gboolean
parse_factor (Cursor *cursor, Poly *result)
{
  g_autofree char *word = NULL;
  const char *start;

  skip_spaces (cursor);
  if (g_str_has_prefix (cursor->at, "floor("))
    {
      Poly above, below;

      cursor->at += strlen ("floor(");
      return parse_quotient (cursor, &above, &below) && poly_divide (&above, &below, result);
    }
  if (*cursor->at == '(')
    {
      cursor->at++;
      if (!parse_sum (cursor, result) || *cursor->at != ')')
        return FALSE;
      cursor->at++;
      return TRUE;
    }
  start = cursor->at;
  cursor->at += strcspn (cursor->at, " */(),");
  if (cursor->at == start || *cursor->at == '(')
    return FALSE;
  word = g_strndup (start, cursor->at - start);
  if (strspn (word, "0123456789") == strlen (word))
    {
      guint64 number;

      if (!g_ascii_string_to_unsigned (word, 10, 0, G_MAXINT64, &number, NULL))
        return FALSE;
      *result = poly_constant (number);
    }
  else if (g_ascii_isdigit (word[0]) || strchr ("+-", word[0]) != NULL)
    return FALSE;
  else
    *result = poly_atom (word);
  return TRUE;
}

static gboolean
parse_product (Cursor *cursor, Poly *result)
{
  gboolean ok = parse_factor (cursor, result);

  skip_spaces (cursor);
  while (ok && *cursor->at == '*')
    {
      Poly factor;

      cursor->at++;
      ok = parse_factor (cursor, &factor) && poly_multiply (result, &factor, result);
      skip_spaces (cursor);
    }
  return ok;
}

static gboolean
parse_sum (Cursor *cursor, Poly *result)
{
  gint64 sign = 1;
  gboolean ok;
  Poly term;

  if (cursor->depth > 16)
    return FALSE;
  cursor->depth++;
  *result = (Poly) { 0 };
  skip_spaces (cursor);
  if (*cursor->at == '-')
    {
      cursor->at++;
      sign = -1;
    }
  for (;;)
    {
      ok = parse_product (cursor, &term) && poly_add (result, &term, sign, result);
      if (!ok || (*cursor->at != '+' && *cursor->at != '-') || cursor->at[1] != ' ')
        break;
      sign = *cursor->at == '+' ? 1 : -1;
      cursor->at++;
    }
  cursor->depth--;
  return ok;
}

static gboolean
poly_parse (const char *text, Poly *result)
{
  Cursor cursor = { text, 0 };

  return strlen (text) <= MAX_LENGTH && parse_sum (&cursor, result) && *cursor.at == '\0';
}

/* Division. */

static gboolean
divide_exactly (const Poly *a, const Poly *b, Poly *result)
{
  Poly rest = *a, quotient = { 0 };

  for (guint steps = 0; rest.n > 0; steps++)
    {
      Poly factor = { 0 };
      Term lead;

      if (steps == MAX_TERMS || b->n == 0 || !divide_terms (&rest.terms[0], &b->terms[0], &lead))
        return FALSE;
      poly_add_term (&factor, &lead);
      if (!poly_add_term (&quotient, &lead) || !poly_multiply (&factor, b, &factor) || !poly_add (&rest, &factor, -1, &rest))
        return FALSE;
    }
  *result = quotient;
  return TRUE;
}

static gint64
floor_quotient (gint64 a, gint64 b)
{
  return a / b - (a % b < 0 ? 1 : 0); /* b > 0 */
}

static gint64
common_divisor (gint64 a, gint64 b)
{
  while (b != 0)
    {
      const gint64 rest = a % b;

      a = b;
      b = rest;
    }
  return a < 0 ? -a : a;
}

static gboolean
quotient_atom (const Poly *a, const Poly *b, Poly *result)
{
  g_autoptr (GString) text = g_string_new ("floor(");
  const gboolean bare_a = a->n == 1 && a->terms[0].coefficient > 0;
  const gboolean bare_b = b->n == 1 && b->terms[0].coefficient > 0 && b->terms[0].n + (b->terms[0].coefficient != 1) <= 1;

  g_string_append (text, bare_a ? "" : "(");
  poly_print (a, text);
  g_string_append (text, bare_a ? "/" : ")/");
  g_string_append (text, bare_b ? "" : "(");
  poly_print (b, text);
  g_string_append (text, bare_b ? ")" : "))");
  if (text->len > MAX_LENGTH)
    return FALSE;
  *result = poly_atom (text->str);
  return TRUE;
}

/* floor ((floor (x/a) + k) / b) = floor ((x + k*a) / (a*b)) */
static gboolean
divide_nested (const Poly *a, gint64 divisor, Poly *result)
{
  const gint64 k = a->n == 2 && a->terms[1].n == 0 ? a->terms[1].coefficient : 0;
  Cursor cursor;
  Poly above, below, shift;
  gint64 inner, product;

  if (a->n == 0 || a->n > 2 || (a->n == 2 && a->terms[1].n != 0) || a->terms[0].n != 1 || a->terms[0].coefficient != 1
      || !g_str_has_prefix (a->terms[0].atoms[0], "floor("))
    return FALSE;
  cursor = (Cursor) { a->terms[0].atoms[0] + strlen ("floor("), 0 };
  if (!parse_quotient (&cursor, &above, &below) || *cursor.at != '\0' || !poly_is_constant (&below, &inner) || inner <= 0
      || __builtin_mul_overflow (inner, divisor, &product))
    return FALSE;
  shift = poly_constant (1);
  if (__builtin_mul_overflow (k, inner, &shift.terms[0].coefficient) || !poly_add (&above, &shift, k != 0, &above))
    return FALSE;
  shift = poly_constant (product);
  return poly_divide (&above, &shift, result);
}

/* Divides by a constant: multiples of it leave the floor, and the rest is reduced. */
static gboolean
divide_by_constant (const Poly *a, gint64 divisor, Poly *result)
{
  Poly whole = { 0 }, rest = { 0 }, atom, below;
  gint64 constant, common = divisor;

  for (guint i = 0; i < a->n; i++)
    {
      Term out = a->terms[i], in = a->terms[i];

      out.coefficient = floor_quotient (out.coefficient, divisor);
      in.coefficient -= out.coefficient * divisor;
      if (!poly_add_term (&whole, &out) || !poly_add_term (&rest, &in))
        return FALSE;
      if (in.n > 0)
        common = common_divisor (common, in.coefficient);
    }
  if (poly_is_constant (&rest, &constant)) /* in 0 .. divisor - 1 */
    {
      *result = whole;
      return TRUE;
    }
  for (guint i = 0; i < rest.n; i++)
    rest.terms[i].coefficient = floor_quotient (rest.terms[i].coefficient, common);
  if (rest.n > 0 && rest.terms[rest.n - 1].coefficient == 0)
    rest.n--;
  divisor /= common;
  below = poly_constant (divisor);
  return (divide_nested (&rest, divisor, &atom) || quotient_atom (&rest, &below, &atom)) && poly_add (&whole, &atom, 1, result);
}

/* Divides exactly if provable, else rounds down. */
static gboolean
poly_divide (const Poly *a, const Poly *b, Poly *result)
{
  gint64 constant;

  if (divide_exactly (a, b, result))
    return b->n > 0;
  if (poly_is_constant (b, &constant))
    return constant > 0 && divide_by_constant (a, constant, result);
  return quotient_atom (a, b, result);
}

/* Dimensions. */

static gboolean
poly_of_dim (PhDim dim, Poly *poly)
{
  if (ph_dim_known (dim))
    *poly = poly_constant (dim.size);
  else if (dim.symbol == NULL)
    return FALSE;
  else if (!poly_parse (dim.symbol, poly))
    *poly = poly_atom (dim.symbol);
  return TRUE;
}

/* Recent results of this thread, by operands: a network has few sizes, and computes the same ones again and again. */
#define RECENT 256 /* a power of two */

typedef struct
{
  PhDim a, b, result;
  gboolean (*compute) (const Poly *a, const Poly *b, Poly *result); /* NULL: unused */
} Computed;

static PhDim dim_of_poly (const Poly *poly);

static PhDim
combine (PhDim a, PhDim b, gboolean (*compute) (const Poly *a, const Poly *b, Poly *result))
{
  static _Thread_local Computed recent[RECENT];
  guint64 hash = (guint64) a.size * 31 + (guint64) b.size + (guint64) (gsize) a.symbol * 7 + (guint64) (gsize) b.symbol * 3
                 + (guint64) (gsize) compute;
  Computed *last = &recent[(hash * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 56];
  Poly x, y;

  G_STATIC_ASSERT (RECENT == 1 << (64 - 56));
  if (last->compute == compute && last->a.size == a.size && last->a.symbol == a.symbol && last->b.size == b.size
      && last->b.symbol == b.symbol)
    return last->result;
  *last = (Computed) { a, b, PH_DIM_UNKNOWN, compute };
  if (poly_of_dim (a, &x) && poly_of_dim (b, &y) && compute (&x, &y, &x))
    last->result = dim_of_poly (&x);
  return last->result;
}

static gboolean
poly_sum (const Poly *a, const Poly *b, Poly *result)
{
  return poly_add (a, b, 1, result);
}

static gboolean
poly_difference (const Poly *a, const Poly *b, Poly *result)
{
  return poly_add (a, b, -1, result);
}

static PhDim
dim_of_poly (const Poly *poly)
{
  g_autoptr (GString) text = NULL;
  gint64 constant;

  if (poly_is_constant (poly, &constant))
    return constant >= 0 ? PH_DIM (constant) : PH_DIM_UNKNOWN;
  text = g_string_new (NULL);
  poly_print (poly, text);
  return text->len <= MAX_LENGTH ? (PhDim) { -1, ph_intern (text->str) } : PH_DIM_UNKNOWN;
}

PhDim
ph_dim_symbol (const char *name)
{
  Poly poly;

  if (name == NULL || *name == '\0' || g_str_equal (name, "?"))
    return PH_DIM_UNKNOWN;
  if (poly_parse (name, &poly))
    return dim_of_poly (&poly);
  return (PhDim) { -1, ph_intern (name) };
}

gboolean
ph_dim_known (PhDim dim)
{
  return dim.size >= 0;
}

gboolean
ph_dim_equal (PhDim a, PhDim b)
{
  if (ph_dim_known (a) || ph_dim_known (b))
    return a.size == b.size;
  return a.symbol != NULL && a.symbol == b.symbol;
}

PhDim
ph_dim_add (PhDim a, PhDim b)
{
  return combine (a, b, poly_sum);
}

PhDim
ph_dim_sub (PhDim a, PhDim b)
{
  return combine (a, b, poly_difference);
}

PhDim
ph_dim_mul (PhDim a, PhDim b)
{
  return combine (a, b, poly_multiply);
}

PhDim
ph_dim_div (PhDim a, PhDim b)
{
  return combine (a, b, poly_divide);
}

const char *
ph_dim_name (PhDim dim)
{
  return dim.symbol != NULL && dim.symbol[strcspn (dim.symbol, "?+-*/() ")] == '\0' ? dim.symbol : NULL;
}

char *
ph_dim_to_string (PhDim dim)
{
  if (ph_dim_known (dim))
    return g_strdup_printf ("%" G_GINT64_FORMAT, dim.size);
  return g_strdup (dim.symbol != NULL ? dim.symbol : "?");
}
