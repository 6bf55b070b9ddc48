/* dump-changes.c: reads only the changed operations of a large function in a dump.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/as-before.h"
#include "core/io/mlir/dump-private.h"

/* Returns the graph of @model for the function. (nullable) */
static PhGraph *
graph_of (PhMlirDump *dump, PhModel *model, const char *symbol)
{
  PhFunction *function;

  if (symbol == dump->entry)
    return model->graph;
  function = ph_model_find_function (model, "func", symbol);
  return function != NULL ? function->graph : NULL;
}

/* Returns TRUE if the names are those of the nodes, in order; a duplicate name may have a suffix. */
static gboolean
names_nodes (const PhTextPart *part, const PhGraph *graph)
{
  guint i = 0;

  PH_FOREACH_NODE (node, graph)
    {
      const char *name = i < part->names->len ? part->names->pdata[i] : NULL, *value = ph_node_output (node, 0)->name;

      if (name == NULL || (*name != '(' && !g_str_has_prefix (*value == '%' ? value + 1 : value, name)))
        return FALSE;
      i++;
    }
  return i == part->names->len;
}

/* Finds the graph that each of @parts describes. Returns FALSE if one has none. */
static gboolean
place_parts (PhMlirDump *dump, GPtrArray *parts, PhModel *model)
{
  for (guint i = 0; i < parts->len; i++)
    {
      PhTextPart *part = parts->pdata[i];
      const PhGraph *graph = graph_of (dump, model, part->function);

      if (graph == NULL || !names_nodes (part, graph))
        return FALSE;
      if (graph == model->graph)
        part->function = NULL;
    }
  return TRUE;
}

static PhModel *
build (PhMlirDump *dump, PhMlirModule *module, GPtrArray *same)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new (), functions = NULL;
  g_autoptr (GHashTable) as_before = g_hash_table_new (NULL, NULL);
  const PhMlirOp *entry = NULL;

  g_ptr_array_add (modules, module);
  functions = ph_mlir_functions (modules);
  for (guint i = 0; i < functions->len; i++)
    {
      const PhMlirOp *function = functions->pdata[i];

      if (function->symbol == dump->entry)
        entry = function;
      if (g_ptr_array_find (same, function->symbol, NULL))
        g_hash_table_add (as_before, (gpointer) function);
    }
  return entry != NULL ? ph_mlir_build_part (dump->source, modules, entry, as_before, NULL) : NULL;
}

PhModel *
ph_mlir_dump_changes (PhMlirDump *dump, const PhMlirSection *section, GPtrArray **parts)
{
  const gboolean whole = ph_mlir_dump_is_whole (section->text, section->end);
  g_autoptr (PhMlirLines) lines = ph_mlir_lines_new (section->text, (gsize) (section->end - section->text), whole, dump->lines);
  g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (ph_text_part_free), same = g_ptr_array_new ();
  g_autoptr (GString) text = lines != NULL ? ph_mlir_lines_compare (dump->lines, lines, told, same) : NULL;
  g_autoptr (PhMlirModule) module = text != NULL ? ph_mlir_parse (dump->source, text->str, text->len, section->line, NULL) : NULL;
  g_autoptr (PhModel) model = module != NULL ? build (dump, module, same) : NULL;

  if (model == NULL || !place_parts (dump, told, model))
    return NULL;
  ph_mlir_lines_free (dump->lines);
  dump->lines = g_steal_pointer (&lines);
  *parts = g_steal_pointer (&told);
  return g_steal_pointer (&model);
}

GPtrArray *
ph_mlir_dump_follow (PhMlirDump *dump, const PhMlirSection *section, PhModel *model)
{
  const gboolean whole = ph_mlir_dump_is_whole (section->text, section->end);
  g_autoptr (PhMlirLines) before = g_steal_pointer (&dump->lines);
  g_autoptr (PhMlirLines) lines = NULL;
  g_autoptr (GPtrArray) symbols = NULL, parts = g_ptr_array_new_with_free_func (ph_text_part_free);

  if (dump->shape == NULL || dump->entry == NULL || (!whole && before == NULL && dump->ops->len != 1)
      || ph_model_find_function (model, "func", dump->entry) != NULL)
    return NULL;
  lines = ph_mlir_lines_new (section->text, (gsize) (section->end - section->text), whole, before);
  if (lines == NULL)
    return NULL;
  symbols = ph_mlir_lines_followed (lines);
  for (guint i = 0; i < symbols->len; i++)
    {
      const PhGraph *graph = graph_of (dump, model, symbols->pdata[i]);
      const gboolean as_before = graph != NULL && ph_graph_is_as_before (graph);
      PhTextPart *part = graph != NULL && !as_before ? ph_mlir_lines_all (lines, symbols->pdata[i]) : NULL;

      if (as_before && ph_mlir_lines_keep (lines, before, symbols->pdata[i]))
        continue;
      if (part != NULL && names_nodes (part, graph))
        {
          part->function = graph == model->graph ? NULL : symbols->pdata[i];
          g_ptr_array_add (parts, g_steal_pointer (&part));
        }
      else
        ph_mlir_lines_forget (lines, symbols->pdata[i]);
      g_clear_pointer (&part, ph_text_part_free);
    }
  dump->lines = g_steal_pointer (&lines);
  return parts->len > 0 ? g_steal_pointer (&parts) : NULL;
}
