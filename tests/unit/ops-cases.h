/* ops-cases.h: uses of operators on which the sweeps run them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

/* Every operator that takes and makes real numbers has a row, its example; each such input of it is fed by a row and each such output
 * read by one; the sweep says which is missing. Each input is a double, drawn evenly from [low, high]; the body makes y. A row
 * runs with these shapes, with a symbol for every dimension, and with the pipeline train before the gradient and O2 after it.
 * @single: the operator computes in single precision, so that the steps of the differences must be large. */
typedef struct { const char *op, *inputs, *body; double low, high; gboolean single; } Case;

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
