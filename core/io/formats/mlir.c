/* mlir.c: StableHLO and any other dialect of MLIR, as text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/choose.h"
#include "core/io/format.h"
#include "core/io/mlir/mlir.h"

static gboolean
has (const guint8 *head, gsize size, const char *text)
{
  return g_strstr_len ((const char *) head, (gssize) size, text) != NULL;
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  if (memchr (head, 0, size) != NULL || (size > 9 && memcmp (head, "HloModule", 9) == 0) || has (head, size, "\nHloModule"))
    return 0;
  if (g_str_has_suffix (name, ".mlir"))
    return 80;
  return has (head, size, "func.func") || has (head, size, "stablehlo.") || has (head, size, "\nmodule ")
                 || has (head, size, "module @") || has (head, size, "builtin.module")
                 || (size > 8 && memcmp (head, "module {", 8) == 0)
             ? 60
             : 0;
}

/* Says how another function than the main graph is opened, where the file is a collection of modules. */
static void
note_others (PhSource *source, GPtrArray *modules)
{
  g_autofree char *list = ph_source_list_parts (source);

  if (modules->len > 1 && source->parts != NULL)
    ph_source_problem (source,
                       "The file holds %u modules; this is @%s. For another function: open %s/NAME, where NAME is one of %s",
                       modules->len, ph_mlir_entry (modules)->symbol, source->path, list);
}

/* Finds the function that was asked for, and leaves the module that it is in. */
static gboolean
choose_function (PhSource *source, GPtrArray *modules, const PhMlirOp **entry, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new (), holders = g_ptr_array_new (), names = g_ptr_array_new ();
  guint chosen;

  for (guint m = 0; m < modules->len; m++)
    {
      g_autoptr (GPtrArray) alone = g_ptr_array_new (), own = NULL;

      g_ptr_array_add (alone, modules->pdata[m]);
      own = ph_mlir_functions (alone);
      for (guint i = 0; i < own->len; i++)
        {
          g_ptr_array_add (functions, own->pdata[i]);
          g_ptr_array_add (holders, modules->pdata[m]);
          g_ptr_array_add (names, (gpointer) ((const PhMlirOp *) own->pdata[i])->symbol);
        }
    }
  if (!ph_source_choose (source, names, "function", &chosen, error))
    return FALSE;
  if (chosen == G_MAXUINT)
    note_others (source, modules);
  for (guint m = modules->len; chosen != G_MAXUINT && m-- > 0;)
    if (modules->pdata[m] != holders->pdata[chosen])
      g_ptr_array_remove_index (modules, m);
  *entry = chosen != G_MAXUINT ? functions->pdata[chosen] : NULL;
  return TRUE;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (GPtrArray) modules = NULL;
  const PhMlirOp *entry = NULL;
  const char *text;
  gsize size;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  modules = ph_mlir_parse_all (source, text, size, error);
  return modules != NULL && choose_function (source, modules, &entry, error) ? ph_mlir_build (source, modules, entry, NULL, error)
                                                                             : NULL;
}

/* clang-format off */
const PhFormat ph_format_mlir = {
  .name = "mlir", .title = "MLIR text (StableHLO)", .patterns = (const char *const[]) { "*.mlir", NULL },
  .mime = "text/x-mlir", .mime_parent = "text/plain",
  .text = TRUE, .probe = probe, .read = read_model, .write = ph_mlir_save, .parts = TRUE, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
