/* infer.c: the types of a model that was just read.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/infer.h"

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/ops/op.h"
#include "core/opset/upgrade.h"

static void
copy_types (PhModel *to, PhModel *from)
{
  for (guint i = 0; i < to->values->len && i < from->values->len; i++)
    {
      PhValue *value = to->values->pdata[i];
      const PhValue *known = from->values->pdata[i];

      if (value != NULL && known != NULL && known->type != NULL && known->type != value->type)
        ph_value_set_type (value, known->type, NULL);
    }
}

void
ph_io_infer (PhModel *model, GPtrArray *problems)
{
  g_autoptr (PhModel) clone = NULL;
  g_autoptr (GError) reason = NULL;
  int opset = ph_model_opset (model, "");

  if (opset == 0 || opset >= PH_OPSET_NEWEST || !ph_upgrade_changes_nodes (model))
    {
      ph_infer_model (model, FALSE, problems, NULL);
      return;
    }
  clone = ph_model_clone (model);
  if (!ph_model_upgrade (clone, NULL, NULL, &reason))
    {
      if (problems != NULL)
        g_ptr_array_add (problems, g_strdup_printf ("Types are not known: %s", reason->message));
      return;
    }
  ph_infer_model (clone, FALSE, problems, NULL);
  copy_types (model, clone);
}

PhModel *
ph_io_open_function (const PhFunction *function, const PhNode *call, GError **error)
{
  PhModel *model = ph_function_instance (function, call, error);

  if (model != NULL)
    ph_io_infer (model, NULL);
  return model;
}
