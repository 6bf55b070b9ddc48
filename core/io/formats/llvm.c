/* llvm.c: LLVM's assembly text. A module's first function, or main, is the main graph; the others are functions of the model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/llvm/import.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  static const char *const begins[] = { "define ", "declare ", "; ModuleID", "source_filename", "target triple", "target datalayout", "@", "%" };
  g_autofree char *text = g_strndup ((const char *) head, size);
  guint sure = g_str_has_suffix (name, ".ll") ? 80 : 0;

  for (char *line = text; line != NULL && *line != '\0' && sure < 90; line = strchr (line, '\n') != NULL ? strchr (line, '\n') + 1 : NULL)
    for (guint i = 0; i < G_N_ELEMENTS (begins) - 2; i++)
      if (g_str_has_prefix (line, begins[i]) && (i != 0 || strchr (line, '@') != NULL) && (i != 1 || strchr (line, '@') != NULL))
        sure = MAX (sure, 70);
  return strlen (text) < size && memchr (head, 0, size) != NULL ? 0 : sure;
}

gboolean
ph_llvm_functions_takes (const PhLlvmFunctions *functions, const char *name, guint n)
{
  const PhLlvmFunction *function = g_hash_table_lookup ((GHashTable *) functions, name);

  return function != NULL && function->parameters->len == n;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr(GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr(PhLlvmModule) module = NULL;
  g_autoptr(PhModel) model = NULL;
  g_autoptr(GHashTable) others = g_hash_table_new (g_str_hash, g_str_equal);
  PhImporter importer = { source, NULL };
  guint first = 0;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (text == NULL || (module = ph_llvm_parse (source, text, size, error)) == NULL)
    return NULL;
  if (module->functions->len == 0)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "no function in it has a body, so there is nothing to draw: 'define TYPE @NAME() { ... }' is one");
      return NULL;
    }
  for (guint i = 0; i < module->functions->len; i++)
    if (g_str_equal (((PhLlvmFunction *) module->functions->pdata[i])->name, "main"))
      first = i;
  importer.model = model = ph_model_new ();
  ph_model_set_opset (model, "llvm", 1);
  for (guint i = 0; i < module->functions->len; i++)
    {
      PhLlvmFunction *function = module->functions->pdata[i];

      if (i == first)
        continue;
      if (!g_hash_table_insert (others, (gpointer) function->name, function))
        {
          ph_source_mark (source, function, function->line, function->column);
          ph_source_fail (source, error, PH_ERROR_INVALID, function, "the function '%s' is defined twice", function->name);
          return NULL;
        }
      if (ph_model_add_function (model, &(PhFunctionSpec) { .name = ph_importer_name (&importer, function->name), .domain = PH_LLVM_FUNCTION_DOMAIN }, error) == NULL)
        return NULL;
    }
  model->graph->name = ph_importer_name (&importer, ((PhLlvmFunction *) module->functions->pdata[first])->name);
  for (guint i = 0; i < module->functions->len; i++)
    {
      PhLlvmFunction *function = module->functions->pdata[i];
      PhFunction *into = i != first ? ph_model_find_function (model, PH_LLVM_FUNCTION_DOMAIN, ph_importer_name (&importer, function->name)) : NULL;

      if (!ph_llvm_import (&importer, into != NULL ? into->graph : model->graph, function, others, error))
        return NULL;
    }
  return g_steal_pointer (&model);
}

const PhFormat ph_format_llvm = {
  .name = "llvm", .title = "LLVM assembly", .patterns = (const char *const[]) { "*.ll", NULL },
  .mime = "text/x-llvm", .mime_parent = "text/plain", .probe = probe, .read = read_model, .dialect = &ph_dialect_llvm,
};
