/* adjoint-text.c: the traces of differentiation as text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/adjoint.h"

#include "core/number.h"

#define MOST_SHOWN 4  /* elements up to which a tensor is listed; of a larger one the type is */
#define WIDEST     48 /* a formula that is longer does not push the values of the others away */

char *
ph_adjoint_text (PhTensor *tensor, const PhType *type)
{
  GString *text;
  gsize count;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING
      || ph_tensor_count (tensor) > MOST_SHOWN || ph_tensor_rank (tensor) > 1)
    return type != NULL ? ph_type_to_string (type) : g_strdup ("?");
  count = ph_tensor_count (tensor);
  text = g_string_new (NULL);
  for (gsize i = 0; i < count; i++)
    {
      g_autofree char *number = ph_number_brief (ph_dtype_load (ph_tensor_dtype (tensor), ph_tensor_data (tensor), i));
      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", number);
    }
  if (ph_tensor_rank (tensor) > 0)
    {
      g_string_prepend_c (text, '[');
      g_string_append_c (text, ']');
    }
  return g_string_free (text, FALSE);
}

char *
ph_adjoint_step_formula (const PhAdjoint *adjoint, const PhAdjointStep *step)
{
  const PhAdjointRow *row = adjoint->rows->pdata[step->row];

  return step->at.adds ? g_strdup_printf ("%s' + %s", row->name, step->formula) : g_strdup (step->formula);
}

/* A line before it is set in columns. */
typedef struct
{
  char *name, *formula, *value;
  PhAdjointPlace at;
} Cells;

static void
cells_clear (gpointer data)
{
  Cells *cells = data;

  g_free (cells->name);
  g_free (cells->formula);
  g_free (cells->value);
}

static void
line_free (gpointer data)
{
  PhAdjointLine *line = data;

  g_free (line->text);
  g_free (line);
}

static void
append_column (GString *text, const char *cell, guint width)
{
  const guint length = (guint) g_utf8_strlen (cell, -1);

  g_string_append_printf (text, "%s%*s", cell, length < width ? (int) (width - length) : 0, "");
}

static GPtrArray *
set_in_columns (GArray *all)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (line_free);
  guint names = 0, formulas = 0;

  for (guint i = 0; i < all->len; i++)
    {
      const Cells *cells = &g_array_index (all, Cells, i);
      const guint length = (guint) g_utf8_strlen (cells->formula, -1);

      names = MAX (names, (guint) g_utf8_strlen (cells->name, -1));
      formulas = length <= WIDEST ? MAX (formulas, length) : formulas;
    }
  for (guint i = 0; i < all->len; i++)
    {
      const Cells *cells = &g_array_index (all, Cells, i);
      PhAdjointLine *line = g_new (PhAdjointLine, 1);
      GString *text = g_string_new (NULL);

      append_column (text, cells->name, names);
      if (*cells->formula != '\0')
        {
          g_string_append (text, " = ");
          append_column (text, cells->formula, formulas);
        }
      g_string_append_printf (text, " = %s", cells->value);
      line->text = g_string_free (text, FALSE);
      line->at = cells->at;
      g_ptr_array_add (lines, line);
    }
  return lines;
}

GPtrArray *
ph_adjoint_forward_lines (const PhAdjoint *adjoint)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Cells));
  const PhAdjointRow *output = adjoint->rows->pdata[adjoint->output_row];
  Cells last = {
    g_strdup (adjoint->output), g_strdup (output->name), ph_adjoint_text (output->tensor, output->type), { .node = output->node }
  };

  g_array_set_clear_func (all, cells_clear);
  for (guint i = 0; i < adjoint->rows->len; i++)
    {
      const PhAdjointRow *row = adjoint->rows->pdata[i];
      Cells cells
          = { g_strdup (row->name), g_strdup (row->formula), ph_adjoint_text (row->tensor, row->type), { .node = row->node } };

      g_array_append_val (all, cells);
    }
  g_array_append_val (all, last);
  return set_in_columns (all);
}

GPtrArray *
ph_adjoint_reverse_lines (const PhAdjoint *adjoint)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Cells));

  g_array_set_clear_func (all, cells_clear);
  for (guint i = 0; i < adjoint->steps->len; i++)
    {
      const PhAdjointStep *step = adjoint->steps->pdata[i];
      const PhAdjointRow *row = adjoint->rows->pdata[step->row];
      Cells cells = { g_strconcat (row->name, "'", NULL), ph_adjoint_step_formula (adjoint, step),
                      ph_adjoint_text (step->tensor, row->type), step->at };

      g_array_append_val (all, cells);
    }
  return set_in_columns (all);
}
