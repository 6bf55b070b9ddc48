/* equation.c: the equation of an Einsum.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/equation.h"

#include <string.h>

static int
letter_index (char letter)
{
  return letter >= 'a' && letter <= 'z' ? letter - 'a' : letter >= 'A' && letter <= 'Z' ? letter - 'A' + 26 : -1;
}

/* Parses one comma-separated term; @rank -1: the result, whose "..." has @n_dots axes. */
static gboolean
parse_term (PhEquation *equation, guint k, const char *text, gsize length, int rank, guint n_dots)
{
  guint n = 0, letters = 0;

  for (gsize i = 0; i < length; i++)
    letters += letter_index (text[i]) >= 0;
  for (gsize i = 0; i < length; i++)
    if (letter_index (text[i]) >= 0 && n < PH_MAX_RANK)
      equation->label[k][n++] = letter_index (text[i]);
    else if (length - i >= 3 && strncmp (text + i, "...", 3) == 0 && !equation->dots[k])
      {
        guint dots = rank >= 0 ? MAX (rank, (int) letters) - letters : n_dots;

        equation->dots[k] = TRUE;
        for (guint d = dots; d > 0 && n < PH_MAX_RANK; d--)
          equation->label[k][n++] = PH_EQUATION_DOTS + d - 1;
        i += 2;
      }
    else
      {
        g_snprintf (equation->error, sizeof equation->error, "its equation is not understood at '%.*s'",
                    (int) MIN (length - i, 20), text + i);
        return FALSE;
      }
  if (rank >= 0 && n != (guint) rank)
    {
      g_snprintf (equation->error, sizeof equation->error, "term %u of its equation has %u letters for a tensor of rank %d", k, n,
                  rank);
      return FALSE;
    }
  equation->rank[k] = n;
  return TRUE;
}

gboolean
ph_equation_parse (PhEquation *equation, const char *text, const guint *ranks, guint n_operands)
{
  g_autoptr (GString) plain = g_string_new (NULL);
  g_auto (GStrv) terms = NULL;
  const char *arrow;
  guint n_dots = 0, count[52] = {
    0,
  };

  *equation = (PhEquation) { .n_operands = n_operands };
  for (const char *c = text; *c != '\0'; c++)
    if (!g_ascii_isspace (*c))
      g_string_append_c (plain, *c);
  arrow = strstr (plain->str, "->");
  if (n_operands > PH_EQUATION_OPERANDS)
    {
      g_snprintf (equation->error, sizeof equation->error, "has %u operands; up to %d are supported", n_operands,
                  PH_EQUATION_OPERANDS);
      return FALSE;
    }

  g_autofree char *left = arrow != NULL ? g_strndup (plain->str, arrow - plain->str) : g_strdup (plain->str);

  terms = g_strsplit (left, ",", -1);
  if (g_strv_length (terms) != n_operands && !(n_operands == 1 && left[0] == '\0'))
    {
      g_snprintf (equation->error, sizeof equation->error, "its equation has %u terms for %u inputs", g_strv_length (terms),
                  n_operands);
      return FALSE;
    }
  for (guint k = 0; k < n_operands; k++)
    {
      const char *term = terms[k] != NULL ? terms[k] : "";

      if (!parse_term (equation, k, term, strlen (term), ranks[k], 0))
        return FALSE;
      for (guint i = 0; i < equation->rank[k]; i++)
        if (equation->label[k][i] >= PH_EQUATION_DOTS)
          n_dots = MAX (n_dots, equation->label[k][i] - PH_EQUATION_DOTS + 1u);
        else
          count[equation->label[k][i]]++;
    }
  if (arrow != NULL)
    return parse_term (equation, n_operands, arrow + 2, strlen (arrow + 2), -1, n_dots);

  /* Builds the result of an equation without an arrow: the dots, then all letters that occur once, in alphabetical order (capitals
   * first). */
  guint n = 0;

  for (guint d = n_dots; d > 0; d--)
    equation->label[n_operands][n++] = PH_EQUATION_DOTS + d - 1;
  for (guint i = 0; i < 52; i++)
    if (count[(i + 26) % 52] == 1)
      equation->label[n_operands][n++] = (i + 26) % 52;
  equation->dots[n_operands] = n_dots > 0;
  equation->rank[n_operands] = n;
  return TRUE;
}
