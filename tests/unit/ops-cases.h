/* ops-cases.h: uses of operators on which the sweeps run them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <string.h>

#include "core/ops/op.h"

/* Every operator that takes and makes real numbers has a row, its example; each such input of it is fed by a row and each such output
 * read by one; the sweep says which is missing. Each input is a double, drawn evenly from [low, high]; the body makes y. A row
 * runs with these shapes, with a symbol for every dimension, and with the pipeline train before the gradient and O2 after it.
 * @single: the operator computes in single precision, so that the steps of the differences must be large. */
typedef struct
{
  const char *op, *inputs, *body;
  double low, high;
  gboolean single;
} Case;

/* The examples of all operators, then @more. (element-type Case) */
static inline GArray *
collect_cases (const Case *more, guint n_more)
{
  GArray *cases = g_array_new (FALSE, FALSE, sizeof (Case));
  guint n;
  const PhOp *const *ops = ph_op_list (&n);

  for (guint i = 0; i < n; i++)
    if (ops[i]->example.body != NULL)
      {
        const PhOpExample *example = &ops[i]->example;
        const Case row = { ops[i]->name, example->inputs, example->body, example->low, example->high, example->single };

        g_array_append_val (cases, row);
      }
  return g_array_append_vals (cases, more, n_more);
}

/* A row as a model. */

typedef struct
{
  char *name;
  guint rank;
  gint64 dims[8];
} Input;

G_GNUC_UNUSED static void
input_clear (gpointer data)
{
  g_free (((Input *) data)->name);
}

/* "x[2,3] w[3] s": names with their dimensions. */
G_GNUC_UNUSED static GArray *
parse_inputs (const char *text)
{
  GArray *inputs = g_array_new (FALSE, TRUE, sizeof (Input));
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  g_array_set_clear_func (inputs, input_clear);
  for (guint i = 0; words[i] != NULL; i++)
    {
      Input input = {
        NULL,
      };
      char *bracket = strchr (words[i], '[');

      if (*words[i] == '\0')
        continue;
      input.name = bracket != NULL ? g_strndup (words[i], bracket - words[i]) : g_strdup (words[i]);
      while (bracket != NULL && *bracket != ']')
        input.dims[input.rank++] = g_ascii_strtoll (bracket + 1, &bracket, 10);
      g_array_append_val (inputs, input);
    }
  return inputs;
}

G_GNUC_UNUSED static char *
model_text (const Case *row, GArray *inputs, gboolean symbolic)
{
  GString *text = g_string_new (
      "<ir_version: 10, opset_import: [\"\" : 26, \"com.microsoft\" : 1, \"ai.onnx.ml\" : 5, \"ai.onnx.preview\" : 1]> row (");

  for (guint i = 0; i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);

      g_string_append_printf (text, "%sdouble", i > 0 ? ", " : "");
      for (guint k = 0; k < input->rank; k++)
        if (symbolic)
          g_string_append_printf (text, "%s%s_%u", k == 0 ? "[" : ",", input->name, k);
        else
          g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k == 0 ? "[" : ",", input->dims[k]);
      g_string_append_printf (text, "%s %s", input->rank > 0 ? "]" : "", input->name);
    }
  g_string_append_printf (text, ") => (double[] y) { %s }", row->body);
  return g_string_free (text, FALSE);
}
