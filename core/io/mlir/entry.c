/* entry.c: chooses the function of an MLIR module that is the main graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/build.h"

void
ph_mlir_note_calls (const PhMlirRegion *region, GHashTable *called)
{
  for (guint b = 0; b < region->blocks->len; b++)
    {
      const PhMlirBlock *block = region->blocks->pdata[b];

      for (guint i = 0; i < block->ops->len; i++)
        {
          const PhMlirOp *op = block->ops->pdata[i];

          if (op->symbol != NULL && !ph_mlir_is_function (op))
            g_hash_table_add (
                called, (gpointer) (strrchr (op->symbol, '@') != NULL ? ph_intern (strrchr (op->symbol, '@') + 1) : op->symbol));
          for (guint k = 0; k < op->attrs->len; k++)
            {
              const PhMlirAttr *attr = op->attrs->pdata[k];

              if (attr->kind == PH_MLIR_STRING && !g_str_equal (attr->name, "sym_name") && attr->text != NULL)
                g_hash_table_add (called, (gpointer) attr->text);
            }
          for (guint r = 0; r < op->regions->len; r++)
            ph_mlir_note_calls (op->regions->pdata[r], called);
        }
    }
}

/* Returns @main, or else the first function without a caller. */
const PhMlirOp *
ph_mlir_choose_entry (GPtrArray *functions, GHashTable *called)
{
  const PhMlirOp *root = NULL;

  for (guint i = 0; i < functions->len; i++)
    {
      const PhMlirOp *function = functions->pdata[i];

      if (g_str_equal (function->symbol, "main"))
        return function;
      if (root == NULL && !g_hash_table_contains (called, function->symbol))
        root = function;
    }
  return root != NULL || functions->len == 0 ? root : functions->pdata[0];
}

const PhMlirOp *
ph_mlir_entry (GPtrArray *modules)
{
  g_autoptr (GHashTable) called = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) functions = ph_mlir_functions (modules);

  for (guint i = 0; i < modules->len; i++)
    ph_mlir_note_calls (((PhMlirModule *) modules->pdata[i])->top, called);
  return ph_mlir_choose_entry (functions, called);
}
