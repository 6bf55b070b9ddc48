/* einsum-to-matmul.c: replaces Einsums that are matrix products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* With two operands, each subscript is of one kind: in both and in the result (batch), in the first and the result (row), in the second and
 * the result (column), in both only (summed). With one row, one column and one summed subscript it is a MatMul of transposed operands. A
 * subscript repeated within an operand is a diagonal; one in a single operand but not in the result is a sum: the pass leaves both alone,
 * as well as an ellipsis. */

typedef struct
{
  char in[2][16], out[16];
  char batch[16], row, column, summed;
} Equation;

static gboolean
has_duplicates (const char *letters)
{
  for (; *letters != '\0'; letters++)
    if (strchr (letters + 1, *letters) != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
parse (const char *text, guint n_operands, Equation *e)
{
  char *targets[3] = { e->in[0], n_operands == 2 ? e->in[1] : e->out, e->out };
  guint part = 0, n = 0;

  memset (e, 0, sizeof *e);
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == ' ')
        continue;
      if (*p == ',' || (*p == '-' && p[1] == '>'))
        {
          gboolean arrow = *p == '-';

          if (part + 1 > n_operands || arrow != (part == n_operands - 1))
            return FALSE;
          p += arrow;
          part++;
          n = 0;
          continue;
        }
      if (!g_ascii_isalpha (*p) || n >= 8)
        return FALSE;
      targets[part][n++] = *p;
    }
  return part == n_operands && !has_duplicates (e->in[0]) && !has_duplicates (e->in[1]) && !has_duplicates (e->out);
}

static gboolean
classify (Equation *e)
{
  guint n_batch = 0;

  for (const char *p = e->in[0]; *p != '\0'; p++)
    {
      gboolean second = strchr (e->in[1], *p) != NULL, out = strchr (e->out, *p) != NULL;
      char *slot = second && out ? &e->batch[n_batch++] : out ? &e->row : second ? &e->summed : NULL;

      if (slot == NULL || *slot != '\0')
        return FALSE;
      *slot = *p;
    }
  for (const char *p = e->in[1]; *p != '\0'; p++)
    if (strchr (e->in[0], *p) == NULL)
      {
        if (strchr (e->out, *p) == NULL || e->column != '\0')
          return FALSE;
        e->column = *p;
      }
  return e->row != '\0' && e->column != '\0' && e->summed != '\0' && strlen (e->out) == n_batch + 2;
}

static gboolean
read_equation (const PhNode *node, guint n, Equation *e)
{
  const char *text = ph_node_attr_string (node, "equation", "");

  return node->inputs->len == n && parse (text, n, e);
}

/* Sizes must agree: a MatMul broadcasts a batch of 1, Einsum may too, but not alike in all versions. */
static gboolean
sizes_agree (const PhNode *node, const Equation *e)
{
  const PhValue *a = ph_node_input (node, 0), *b = ph_node_input (node, 1);

  if (ph_value_rank (a) != (int) strlen (e->in[0]) || ph_value_rank (b) != (int) strlen (e->in[1]))
    return FALSE;
  for (guint i = 0; e->in[0][i] != '\0'; i++)
    {
      const char *at = strchr (e->in[1], e->in[0][i]);

      if (at != NULL && !ph_dim_equal (a->type->dims[i], b->type->dims[at - e->in[1]]))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_product (PhMatch *match)
{
  Equation e;

  return read_equation (match->root, 2, &e) && classify (&e) && sizes_agree (match->root, &e)
         && ph_value_is_float (ph_node_input (match->root, 0));
}

/* Transposes @value from axes named @from to the order @to. */
static PhValue *
permuted (PhBuilder *b, PhValue *value, const char *from, const char *to)
{
  gint64 perm[16];
  guint n = strlen (to);

  if (g_str_equal (from, to))
    return value;
  for (guint i = 0; i < n; i++)
    perm[i] = strchr (from, to[i]) - from;
  return PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, n)), value);
}

static PhValue *
build_product (PhMatch *match, PhBuilder *b)
{
  Equation e;
  char left[20], right[20], out[20];

  read_equation (match->root, 2, &e);
  classify (&e);
  g_snprintf (left, sizeof left, "%s%c%c", e.batch, e.row, e.summed);
  g_snprintf (right, sizeof right, "%s%c%c", e.batch, e.summed, e.column);
  g_snprintf (out, sizeof out, "%s%c%c", e.batch, e.row, e.column);
  return permuted (b,
                   PH_BUILD (b, MatMul, permuted (b, ph_node_input (match->root, 0), e.in[0], left),
                             permuted (b, ph_node_input (match->root, 1), e.in[1], right)),
                   out, e.out);
}

static gboolean
is_transposition (PhMatch *match)
{
  Equation e;

  if (!read_equation (match->root, 1, &e) || strlen (e.in[0]) != strlen (e.out)
      || ph_value_rank (ph_node_input (match->root, 0)) != (int) strlen (e.in[0]))
    return FALSE;
  for (const char *p = e.in[0]; *p != '\0'; p++)
    if (strchr (e.out, *p) == NULL)
      return FALSE;
  return TRUE;
}

static PhValue *
build_transposition (PhMatch *match, PhBuilder *b)
{
  Equation e;

  read_equation (match->root, 1, &e);
  return permuted (b, ph_node_input (match->root, 0), e.in[0], e.out);
}

static const PhRule rules[] = {
  { "einsum-matmul", .root = &ph_op_Einsum, .when = is_product, .build = build_product, .becomes = "Transpose(MatMul(x, y))",
    .exactness = PH_ROUNDING,
    .why = "One subscript is summed and each operand keeps one of its own, which is a matrix product." },
  { "einsum-transpose", .root = &ph_op_Einsum, .when = is_transposition, .build = build_transposition, .becomes = "Transpose(x)",
    .why = "The result has the subscripts of the operand in another order, which is a transposition." },
};

/* clang-format off */
const PhPass ph_pass_einsum_to_matmul = {
  .name = "einsum-to-matmul", .group = "algebra", .summary = "Turns an Einsum that is a matrix product or a permutation into MatMul or Transpose",
  .elsewhere = "ONNX Runtime; onnxoptimizer replace_einsum_with_matmul",
  .trap = "repeated letters are a diagonal; a letter of one operand only is summed; an ellipsis may be empty.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
