/* pipeline-file.c: whether the passes of a pipeline know the operators of a file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/pipeline-file.h"

#include "core/ops/dialect.h"
#include "passes/convert.h"

/* Writes the clause for a model of which no operator is known. Interned. */
static const char *
say_idle (PhModel *model, const PhDialect *dialect)
{
  const char *title = ph_dialect_name_foreign (model), *instead = dialect == NULL          ? NULL
                                                                  : dialect->rules != NULL ? "`coverage` says why"
                                                                                           : dialect->instead;
  g_autofree char *text = g_strdup_printf (
      "no pass of Peephole's knows %s operators of %s%s%s", dialect != NULL && dialect->rules != NULL ? "these" : "the",
      title != NULL ? title : "the file", instead != NULL ? ": " : "", instead != NULL ? instead : "");

  return ph_intern (text);
}

PhPipelineFile
ph_pipeline_look (PhModel *model)
{
  PhPipelineFile file = { .opset = ph_model_opset (model, "") };
  const PhDialect *dialect = NULL;
  const char *domain = NULL;

  if (model->graph->n_nodes == 0 && model->functions->len > 0)
    {
      file.idle = "the file has no main function, and no pass changes another one: `functions` lists those that it has";
      return file;
    }
  for (guint i = 0; i < model->nodes->len && !(file.known && file.foreign); i++)
    {
      const PhNode *node = model->nodes->pdata[i];
      const char *name;

      /* Calls, fusions and boxes are known by what is in them. */
      if (node == NULL || ph_node_is_fused (node) || ph_node_function (node) != NULL || ph_dialect_is_box (node))
        continue;
      file.known = file.known || node->op != NULL;
      if (node->op != NULL)
        continue;
      if (domain != node->domain)
        dialect = ph_dialect_find (domain = node->domain);
      name = !file.foreign && dialect != NULL && dialect->rules != NULL ? ph_convert_name (node) : NULL;
      file.foreign = file.foreign || (name != NULL && ph_convert_find (name) != NULL);
    }
  if (domain != NULL && !file.known)
    file.idle = say_idle (model, dialect);
  return file;
}
