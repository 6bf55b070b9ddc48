/* bytecode-model.c: the model of MLIR's binary form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/choose.h"
#include "core/io/mlir/mlir.h"

PhModel *
ph_mlir_read_bytecode (PhSource *source, GBytes *bytes, GError **error)
{
  g_autoptr (GHashTable) blobs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) modules = g_ptr_array_new (), functions = NULL, names = g_ptr_array_new ();
  g_autoptr (PhMlirModule) module = NULL;
  g_autofree char *text = NULL;
  gsize size;
  guint chosen;

  text = ph_mlir_bytecode_text (source, bytes, blobs, &size, error);
  module = text != NULL ? ph_mlir_parse_with (source, text, size, 1, blobs, error) : NULL;
  if (module == NULL)
    return NULL;
  g_ptr_array_add (modules, module);
  functions = ph_mlir_functions (modules);
  for (guint i = 0; i < functions->len; i++)
    g_ptr_array_add (names, (gpointer) ((const PhMlirOp *) functions->pdata[i])->symbol);
  if (!ph_source_choose (source, names, "function", &chosen, error))
    return NULL;
  return ph_mlir_build (source, modules, chosen != G_MAXUINT ? functions->pdata[chosen] : NULL, NULL, error);
}
