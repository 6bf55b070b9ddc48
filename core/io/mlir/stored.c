/* stored.c: models and functions out of MLIR's binary form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/choose.h"
#include "core/io/mlir/build.h"
#include "core/io/mlir/stored.h"

gboolean
ph_mlir_is_bytecode (const guint8 *data, gsize size)
{
  return size >= 4 && memcmp (data, "ML\xefR", 4) == 0;
}

static PhMlirModule *
parse_bytecode (PhSource *source, GBytes *bytes, GError **error)
{
  g_autoptr (GHashTable) blobs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_autofree char *text = NULL;
  gsize size;

  text = ph_mlir_bytecode_text (source, bytes, blobs, &size, error);
  return text != NULL ? ph_mlir_parse_with (source, text, size, 1, blobs, error) : NULL;
}

PhModel *
ph_mlir_read_bytecode (PhSource *source, GBytes *bytes, GError **error)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new (), functions = NULL, names = g_ptr_array_new ();
  g_autoptr (PhMlirModule) module = NULL;
  guint chosen;

  source->is_made_up = TRUE;
  module = parse_bytecode (source, bytes, error);
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

const char *
ph_mlir_import_stored (PhImporter *importer, GBytes *bytes, GError **error)
{
  PhSource *source = importer->source;
  const gboolean is_made_up = source->is_made_up;
  g_autoptr (PhMlirModule) module = NULL;
  const char *entry = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  source->is_made_up = TRUE; /* its lines are none of the file */
  module = ph_mlir_is_bytecode ((const guint8 *) data, size) ? parse_bytecode (source, bytes, error)
                                                             : ph_mlir_parse (source, data, size, 1, error);
  if (module != NULL)
    entry = ph_mlir_import (importer, module, error);
  source->is_made_up = is_made_up;
  return entry;
}
