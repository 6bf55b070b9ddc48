/* onnx-reader.c: converts a ModelProto to a model: its functions, versions and graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-import.h"

static gboolean
parse_functions (PhImport *import, GPtrArray *protos, GError **error)
{
  const PhOnnxSource *source = import->source;
  const guint n_bytes = source->functions != NULL ? source->functions->len : 0;

  for (guint i = 0; i < n_bytes; i++)
    {
      Onnx__FunctionProto *proto = ph_proto_parse (import->arena, &onnx__function_proto__descriptor, source->functions->pdata[i]);

      if (proto == NULL)
        return ph_source_fail (source->base, error, PH_ERROR_FILE, NULL, "function %u is damaged and cannot be read", i);
      g_ptr_array_add (protos, proto);
    }
  for (guint i = 0; source->parsed != NULL && i < source->parsed->len; i++)
    g_ptr_array_add (protos, source->parsed->pdata[i]);
  for (guint i = protos->len; i-- > 0;) /* of several functions of one name, calls mean the first */
    {
      const Onnx__FunctionProto *proto = protos->pdata[i];

      g_hash_table_insert (import->functions,
                           g_strdup_printf ("%s\n%s", ph_importer_name (&import->base, proto->domain),
                                            ph_importer_name (&import->base, proto->name)),
                           (gpointer) proto);
    }
  return TRUE;
}

static gboolean
is_own (const Onnx__FunctionProto *proto)
{
  return g_strcmp0 (proto->domain, PH_OWN_DOMAIN) == 0;
}

/* Imports functions. Those that Peephole wrote come last: only when all callers are read is it known which are bodies of fused nodes. */
static gboolean
import_functions (PhImport *import, GPtrArray *protos, gboolean own, GError **error)
{
  g_autoptr (GPtrArray) made = g_ptr_array_new (), of = g_ptr_array_new ();

  for (guint i = 0; i < protos->len; i++)
    {
      Onnx__FunctionProto *proto = protos->pdata[i];
      PhFunction *function = is_own (proto) != own || g_hash_table_contains (import->fused, proto)
                                 ? NULL
                                 : ph_import_add_function (import, proto, error);

      if (function != NULL)
        {
          g_ptr_array_add (made, function);
          g_ptr_array_add (of, proto);
        }
      else if (is_own (proto) == own && !g_hash_table_contains (import->fused, proto))
        return FALSE;
    }
  for (guint i = 0; i < made->len; i++)
    if (!ph_import_fill_function (import, made->pdata[i], of->pdata[i], error))
      return g_prefix_error (error, "function %s.%s: ", ((PhFunction *) made->pdata[i])->domain,
                             ((PhFunction *) made->pdata[i])->name),
             FALSE;
  return TRUE;
}

PhModel *
ph_onnx_import (PhOnnxSource *source, PhArena *arena, Onnx__ModelProto *proto, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) fused = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) protos = g_ptr_array_new ();
  g_autoptr (GPtrArray) tables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
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
          ph_source_fail (source->base, error, PH_ERROR_INVALID, proto->opset_import[i],
                          "it imports version %" G_GINT64_FORMAT " of the operators of '%s', which cannot be", version, domain);
          return NULL;
        }
      ph_model_set_opset (model, g_str_equal (domain, "ai.onnx") ? "" : domain, (int) version);
    }
  if (ph_model_opset (model, "") == 0 && proto->n_opset_import == 0)
    {
      ph_source_problem (source->base, "The file gives no version of ONNX's operators; 1 is assumed");
      ph_model_set_opset (model, "", 1);
    }
  model->graph->name = ph_importer_name (&import.base, proto->graph->name);
  if (!parse_functions (&import, protos, error) || !ph_import_proto (&import, NULL, FALSE, model->graph, proto->graph, error)
      || !import_functions (&import, protos, FALSE, error) || !import_functions (&import, protos, TRUE, error))
    return NULL;
  model->extra = source->extra != NULL ? g_bytes_ref (source->extra) : NULL;
  return g_steal_pointer (&model);
}
