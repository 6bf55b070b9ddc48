/* parameter.c: what a gradient may be asked for by.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/parameter.h"

#include "core/ops/grad.h"

PhId
ph_model_first_made (PhModel *model)
{
  const PhHistory *history = model->journal;

  for (guint i = 0; history != NULL && i < history->edits->len; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_ADD_VALUE || edit->kind == PH_EDIT_ADD_GRAPH)
        return edit->id;
    }
  return model->next_id;
}

gboolean
ph_value_is_parameter (const PhValue *value)
{
  return value->tensor != NULL && value->producer == NULL && ph_value_has_gradient (value) &&
         value->id < ph_model_first_made (value->graph->model);
}
