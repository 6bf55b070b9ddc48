/* onnx-reader.c: a ModelProto becomes a model: its functions, versions and graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-import.h"

static gboolean
import_functions (PhImport *import, GError **error)
{
  PhOnnxSource *source = import->source;

  for (guint i = 0; source->functions != NULL && i < source->functions->len; i++)
    {
      GBytes *bytes = source->functions->pdata[i];
      Onnx__FunctionProto *proto = ph_proto_parse (import->arena, &onnx__function_proto__descriptor, bytes);
      PhFunction *function;

      if (proto == NULL)
        return ph_source_fail (source->base, error, PH_ERROR_FILE, NULL, "function %u is damaged and cannot be read", i);
      function = g_new0 (PhFunction, 1);
      function->name = ph_importer_name (&import->base, proto->name);
      function->domain = ph_importer_name (&import->base, proto->domain);
      function->proto = g_bytes_ref (bytes);
      g_ptr_array_add (import->model->functions, function);
      g_hash_table_insert (import->functions, g_strdup_printf ("%s\n%s", function->domain, function->name), proto);
    }
  return TRUE;
}

/* Functions that became bodies of fused nodes are written again from these. */
static void
drop_fused_functions (PhImport *import)
{
  GPtrArray *functions = import->model->functions;

  for (guint i = functions->len; i-- > 0;)
    {
      const PhFunction *function = functions->pdata[i];
      Onnx__FunctionProto *proto = ph_import_function (import, function->domain, function->name);

      if (proto != NULL && g_hash_table_contains (import->fused, proto))
        g_ptr_array_remove_index (functions, i);
    }
}

PhModel *
ph_onnx_import (PhOnnxSource *source, PhArena *arena, Onnx__ModelProto *proto, GError **error)
{
  g_autoptr(PhModel) model = ph_model_new ();
  g_autoptr(GHashTable) functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) fused = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  PhImport import = { { source->base, model }, source, arena, model, functions, fused, unknown, 0, tables };

  if (proto->graph == NULL)
    {
      ph_source_fail (source->base, error, PH_ERROR_FILE, NULL, "there is no graph in it: this is not an ONNX model");
      return NULL;
    }
  model->ir_version = proto->has_ir_version ? proto->ir_version : 0;
  for (gsize i = 0; i < proto->n_opset_import; i++)
    {
      const char *domain = ph_importer_name (&import.base, proto->opset_import[i]->domain);
      gint64 version = proto->opset_import[i]->version;

      if (version < 1 || version > G_MAXINT)
        {
          ph_source_fail (source->base, error, PH_ERROR_INVALID, proto->opset_import[i], "it imports version %" G_GINT64_FORMAT
                          " of the operators of '%s', which cannot be", version, domain);
          return NULL;
        }
      ph_model_set_opset (model, g_str_equal (domain, "ai.onnx") ? "" : domain, (int) version);
    }
  if (ph_model_opset (model, "") == 0 && proto->n_opset_import == 0)
    {
      ph_source_problem (source->base, "The file says no version of ONNX's operators; 1 is assumed");
      ph_model_set_opset (model, "", 1);
    }
  model->graph->name = ph_importer_name (&import.base, proto->graph->name);
  if (!import_functions (&import, error)
      || !ph_import_proto (&import, NULL, FALSE, model->graph, proto->graph, error))
    return NULL;
  drop_fused_functions (&import);
  model->extra = source->extra != NULL ? g_bytes_ref (source->extra) : NULL;
  return g_steal_pointer (&model);
}
