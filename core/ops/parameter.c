/* parameter.c: parameters, the initializers with respect to which gradients are computed by default.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/parameter.h"

#include "core/ops/grad.h"

static PhId
first_added (const PhHistory *history, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      const PhEdit *edit = history->edits->pdata[i];

      if (edit->kind == PH_EDIT_ADD_NODE || edit->kind == PH_EDIT_ADD_VALUE || edit->kind == PH_EDIT_ADD_GRAPH
          || edit->kind == PH_EDIT_ADD_FUNCTION)
        return edit->id;
    }
  return PH_NO_ID;
}

/* Returns the first id that a pass created according to the journal; smaller ids come from the file. */
static PhId
first_made (PhModel *model)
{
  const PhHistory *history = model->journal;
  PhId id = PH_NO_ID;

  if (history != NULL && history->past != NULL)
    id = first_added (history->past, ph_history_edit_index (history->past, history->past_end));
  if (history != NULL && id == PH_NO_ID)
    id = first_added (history, history->edits->len);
  return id != PH_NO_ID ? id : model->next_id;
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
