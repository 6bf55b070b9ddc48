/* formula.c: nodes and their gradients as formulas.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/formula.h"

#include <string.h>

#include "core/number.h"
#include "core/ops/pattern.h"

/* The precedence of a part of a formula. */
typedef enum
{
  CHOICE,
  COMPARISON,
  SUM,
  PRODUCT,
  POWER,
  WORD,
  ATOM
} Binding;

typedef struct
{
  const PhNode *node;
  PhSymbolFunc symbol;
  gpointer data;
} Writer;

typedef struct
{
  char *text;
  Binding binding;
} Piece;

static Binding
binding_of_symbol (const char *symbol)
{
  switch (*symbol)
    {
    case '+':
    case '-': return SUM;
    case '^': return POWER;
    case '<':
    case '>':
    case '=': return COMPARISON;
    default: return PRODUCT;
    }
}

/* Returns the text of @piece, in parentheses if it binds less tightly than @least. (transfer full) */
static char *
enclose (Piece *piece, Binding least)
{
  char *text = g_steal_pointer (&piece->text);

  if (piece->binding < least)
    {
      char *enclosed = g_strdup_printf ("(%s)", text);
      g_free (text);
      return enclosed;
    }
  return text;
}

/* Applies @op to @n pieces, which it consumes. */
static Piece
apply (const PhOp *op, const char *name, Piece *in, guint n)
{
  const gboolean is_sign = op != NULL && op->symbol != NULL && *op->symbol != '\0' && !g_ascii_isalpha (*op->symbol);

  if (n == 1 && op != NULL && g_strcmp0 (op->symbol, "") == 0)
    return in[0];
  if (n == 3 && op != NULL && g_strcmp0 (op->symbol, "where") == 0)
    {
      g_autofree char *condition = enclose (&in[0], COMPARISON), *then = enclose (&in[1], SUM),
                      *otherwise = enclose (&in[2], SUM);
      return (Piece) { g_strdup_printf ("%s where %s else %s", then, condition, otherwise), CHOICE };
    }
  if (is_sign && n == 2)
    {
      const Binding own = binding_of_symbol (op->symbol);
      /* The right operand needs parentheses at equal precedence: a - (b - c), a / (b / c). A chain of + or of * needs none. */
      const gboolean chains = *op->symbol == '+' || *op->symbol == '*';
      g_autofree char *left = enclose (&in[0], own == POWER ? ATOM : own), *right = enclose (&in[1], chains ? own : own + 1);

      return (Piece) { g_strdup_printf ("%s %s %s", left, op->symbol, right), own };
    }
  if (is_sign && n == 1)
    {
      g_autofree char *operand = enclose (&in[0], PRODUCT);
      return (Piece) { g_strconcat (op->symbol, operand, NULL), SUM };
    }
  if (n == 1 && op != NULL && (op->flags & PH_OP_ELEMENTWISE))
    {
      g_autofree char *word = op->symbol != NULL ? g_strdup (op->symbol) : g_ascii_strdown (op->name, -1),
                      *operand = enclose (&in[0], ATOM);
      return (Piece) { g_strdup_printf (*operand == '(' ? "%s%s" : "%s %s", word, operand), WORD };
    }

  GString *text = g_string_new (name);

  g_string_append_c (text, '(');
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", in[i].text);
      g_free (in[i].text);
    }
  g_string_append_c (text, ')');
  return (Piece) { g_string_free (text, FALSE), ATOM };
}

static Piece
value_piece (const Writer *writer, const PhValue *value, gboolean gradient)
{
  char *text = writer->symbol (value, gradient, writer->data);

  return (Piece) { text, *text == '-' ? SUM : ATOM };
}

/* Missing inputs at the end are omitted; one in between is written "none". */
static Piece
node_piece (const Writer *writer, const PhNode *node)
{
  guint n = node->inputs->len;
  g_autofree Piece *in = g_new0 (Piece, n + 1);

  while (n > 0 && node->inputs->pdata[n - 1] == NULL)
    n--;
  for (guint i = 0; i < n; i++)
    in[i] = node->inputs->pdata[i] != NULL ? value_piece (writer, node->inputs->pdata[i], FALSE)
                                           : (Piece) { g_strdup ("none"), ATOM };
  return apply (node->op, node->op_type, in, n);
}

char *
ph_formula_of_node (const PhNode *node, PhSymbolFunc symbol, gpointer data)
{
  const Writer writer = { node, symbol, data };

  return node_piece (&writer, node).text;
}

/* Substitutes the variables of a template. */
static Piece
pattern_piece (const Writer *writer, const PhPattern *pattern)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (pattern->kind)
    {
    case PH_PATTERN_NUMBER:
      g_ascii_formatd (number, sizeof number, "%.6g", pattern->number);
      return (Piece) { g_strdup (number), pattern->number < 0 ? SUM : ATOM };

    case PH_PATTERN_NODE:
      {
        Piece in[PH_PATTERN_INPUTS];
        guint n = 0;

        for (; n < PH_PATTERN_INPUTS && pattern->in[n] != NULL; n++)
          in[n] = pattern_piece (writer, pattern->in[n]);
        return apply (pattern->op, pattern->op->name, in, n);
      }

    case PH_PATTERN_VAR:
    case PH_PATTERN_CONSTANT:
    default:
      {
        const PhValue *value = pattern->slot >= 14 ? ph_node_output (writer->node, 0)
                                                   : ph_node_input (writer->node, pattern->slot);

        return value != NULL ? value_piece (writer, value, pattern->slot == 14) : (Piece) { g_strdup ("none"), ATOM };
      }
    }
}

/* Returns the number of attributes that the head of a text names ("dA|transB"), or -1 if one of them is 0. */
static int
count_conditions (const PhNode *node, char **words)
{
  int n = 0;

  for (; words[n + 1] != NULL; n++)
    if (node == NULL || ph_node_attr_int (node, words[n + 1], 0) == 0)
      return -1;
  return n;
}

char *
ph_op_gradient_text (const PhOp *op, const PhNode *node, guint input)
{
  gboolean variadic;
  const guint formal = MIN (input, ph_op_n_inputs (op, NULL, &variadic) - 1);
  const char *name = formal < PH_MAX_ARGS ? op->inputs[formal].name : NULL, *best = NULL;
  int most = -1;

  if (name == NULL || op->grad_text == NULL)
    return NULL;
  /* One text covers all variadic inputs, and all values captured by a body. */
  if (input == G_MAXUINT || (op->inputs[formal].flags & PH_ARG_VARIADIC))
    name = "X";

  g_auto (GStrv) parts = g_strsplit (op->grad_text, "; ", -1);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      const char *equals = strstr (parts[i], " = ");

      if (equals == NULL || *parts[i] != 'd')
        continue;

      g_autofree char *head = g_strndup (parts[i] + 1, (gsize) (equals - parts[i]) - 1);
      g_auto (GStrv) words = g_strsplit (head, "|", -1);
      const int n = g_str_equal (words[0], name) ? count_conditions (node, words) : -1;
      if (n > most)
        {
          most = n;
          best = equals + strlen (" = ");
        }
    }
  return g_strdup (best);
}

/* Returns the value that the word @word of a declared text refers to. */
static const PhValue *
word_value (const PhNode *node, guint input, const char *word, gboolean *gradient)
{
  const PhOp *op = node->op;

  *gradient = FALSE;
  for (guint i = 0; i < PH_MAX_ARGS && op->inputs[i].name != NULL; i++)
    if (g_str_equal (op->inputs[i].name, word))
      return ph_node_input (node, i);
  for (guint i = 0; i < PH_MAX_ARGS && op->outputs[i].name != NULL; i++)
    {
      if (g_str_equal (op->outputs[i].name, word))
        return ph_node_output (node, i);
      *gradient = *word == 'd' && g_str_equal (op->outputs[i].name, word + 1);
      if (*gradient)
        return ph_node_output (node, i);
    }
  *gradient = g_str_equal (word, "dY");
  if (*gradient || g_str_equal (word, "Y"))
    return ph_node_output (node, 0);
  return g_str_equal (word, "X") ? ph_node_input (node, input) : NULL;
}

/* Reads the word @word as a numeric attribute of @node. */
static gboolean
word_attribute (const PhNode *node, const char *word, double *number)
{
  const PhOpAttr *attr = ph_op_attr (node->op, word);

  if (attr == NULL || (attr->kind != PH_ATTR_FLOAT && attr->kind != PH_ATTR_INT)
      || (ph_node_attr (node, word) == NULL && attr->fallback == NULL))
    return FALSE;
  if (attr->kind == PH_ATTR_INT)
    *number = ph_node_attr_int (node, word, attr->fallback != NULL ? g_ascii_strtoll (attr->fallback, NULL, 10) : 0);
  else
    *number = ph_node_attr_float (node, word, attr->fallback != NULL ? (float) g_ascii_strtod (attr->fallback, NULL) : 0);
  return TRUE;
}

/* Returns the declared text with the symbols of values and the numbers of attributes in place of the formal names. A factor of 1 from an
 * attribute is omitted. */
static char *
text_formula (const Writer *writer, guint input, const char *text)
{
  GString *formula = g_string_new (NULL);

  while (*text != '\0')
    {
      gsize length = 0;

      while (g_ascii_isalnum (text[length]) || text[length] == '_')
        length++;
      if (length == 0)
        {
          g_string_append_c (formula, *text++);
          continue;
        }

      g_autofree char *word = g_strndup (text, length), *written = NULL;
      gboolean gradient;
      const PhValue *value = word_value (writer->node, input, word, &gradient);
      double number;

      text += length;
      if (value != NULL)
        written = writer->symbol (value, gradient, writer->data);
      else if (word_attribute (writer->node, word, &number))
        {
          if (number == 1 && g_str_has_prefix (text, " * "))
            {
              text += strlen (" * ");
              continue;
            }
          written = ph_number_to_string ("%.6g", number);
        }
      g_string_append (formula, written != NULL ? written : word);
    }
  return g_string_free (formula, FALSE);
}

char *
ph_formula_of_gradient (const PhNode *node, guint input, PhSymbolFunc symbol, gpointer data)
{
  const Writer writer = { node, symbol, data };
  g_autofree char *text = NULL;

  if (node->op == NULL)
    return NULL;
  if (input < PH_MAX_ARGS && node->op->grad[input] != NULL)
    {
      const PhPattern *pattern = node->op->grad[input];
      Piece piece;

      /* The local derivative is written also where it is 1 or -1, as the textbooks do. */
      if (pattern->kind == PH_PATTERN_VAR)
        {
          piece = pattern_piece (&writer, pattern);
          text = piece.text;
          return g_strdup_printf ("%s * 1", text);
        }
      if (pattern->kind == PH_PATTERN_NODE && pattern->in[0] != NULL && pattern->in[1] == NULL
          && pattern->in[0]->kind == PH_PATTERN_VAR && pattern->op->symbol != NULL && *pattern->op->symbol == '-')
        {
          piece = pattern_piece (&writer, pattern->in[0]);
          text = piece.text;
          return g_strdup_printf ("%s * (-1)", text);
        }
      return pattern_piece (&writer, pattern).text;
    }
  text = ph_op_gradient_text (node->op, node, input);
  return text != NULL ? text_formula (&writer, input, text) : NULL;
}
