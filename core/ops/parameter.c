/* parameter.c: parameters, the initializers with respect to which gradients are computed by default.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/parameter.h"

#include "core/ops/grad.h"

/* Returns the first id that a pass may have created according to the journal; smaller ids come from the file. */
static PhId
first_made (const PhModel *model)
{
  const PhHistory *history = model->journal;

  if (history != NULL && history->past != NULL && ph_history_edit_index (history->past, history->past_end) > 0)
    return history->past->first_id;
  return history != NULL && history->edits->len > 0 ? history->first_id : model->next_id;
}

gboolean
ph_value_is_parameter (const PhValue *value)
{
  return value->tensor != NULL && value->producer == NULL && ph_value_has_gradient (value)
         && value->id < first_made (value->graph->model);
}

gboolean
ph_value_is_setting (const PhValue *value)
{
  for (guint i = 0; i < value->uses->len; i++)
    {
      const PhUse *use = &g_array_index (value->uses, PhUse, i);

      if (use->node->op == NULL || ph_node_input_gradient (use->node, use->index) != PH_GRADIENT_REFUSED)
        return FALSE;
    }
  return value->uses->len > 0 && value->n_output_uses == 0;
}
