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

#define MOST_NOTED 10

/* Says how another function than the main graph is opened, where the file is a collection of modules. */
static void
note_others (PhSource *source, GPtrArray *modules)
{
  g_autofree char *list = ph_source_list_parts (source);
  const PhMlirOp *entry = ph_mlir_entry (modules);

  if (modules->len > 1 && source->parts != NULL && entry != NULL)
    ph_source_problem (source,
                       "The file holds %u modules; this is @%s. For another function: open %s/NAME, where NAME is one of %s",
                       modules->len, entry->symbol, source->path, list);
}

static void
note_broken (PhSource *source, const GPtrArray *parts)
{
  guint broken = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      const PhMlirPart *part = parts->pdata[i];

      broken += part->error != NULL;
      if (part->error != NULL && broken <= MOST_NOTED)
        ph_source_problem (source, "What is written from line %u to the next '// -----' was left out: %s", part->line,
                           part->error->message);
    }
  if (broken > MOST_NOTED)
    ph_source_problem (source, "%u more parts of the file were left out", broken - MOST_NOTED);
}

/* Finds the function that was asked for, and the part that it is in; NULL: none was. */
static gboolean
choose_function (PhSource *source, const GPtrArray *parts, const PhMlirPart **holder, const PhMlirOp **entry, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new (), holders = g_ptr_array_new (), names = g_ptr_array_new ();
  guint chosen;

  for (guint m = 0; m < parts->len; m++)
    {
      const PhMlirPart *part = parts->pdata[m];
      g_autoptr (GPtrArray) alone = g_ptr_array_new (), own = NULL;

      if (part->module != NULL)
        g_ptr_array_add (alone, part->module);
      own = ph_mlir_functions (alone);
      for (guint i = 0; i < (part->module != NULL ? own->len : part->symbols->len); i++)
        {
          const PhMlirOp *function = part->module != NULL ? own->pdata[i] : NULL;

          g_ptr_array_add (functions, (gpointer) function);
          g_ptr_array_add (holders, (gpointer) part);
          g_ptr_array_add (names, function != NULL ? (gpointer) function->symbol : part->symbols->pdata[i]);
        }
    }
  if (!ph_source_choose (source, names, "function", &chosen, error))
    return FALSE;
  *holder = chosen != G_MAXUINT ? holders->pdata[chosen] : NULL;
  *entry = chosen != G_MAXUINT ? functions->pdata[chosen] : NULL;
  return TRUE;
}

/* Returns the modules that hold something, in order. Of those whose parts are together broken, each is tried alone with @build. */
static GPtrArray *
list_sound (PhSource *source, const GPtrArray *parts, gboolean build)
{
  GPtrArray *modules = g_ptr_array_new (), *problems = g_steal_pointer (&source->problems);

  for (guint i = 0; i < parts->len; i++)
    {
      PhMlirPart *part = parts->pdata[i];

      if (part->module != NULL && part->error == NULL && build)
        {
          g_autoptr (GPtrArray) alone = g_ptr_array_new ();
          g_autoptr (PhModel) model = NULL;

          g_ptr_array_add (alone, part->module);
          model = ph_mlir_build (source, alone, NULL, NULL, &part->error);
        }
      if (part->error == NULL && ((const PhMlirBlock *) part->module->top->blocks->pdata[0])->ops->len > 0)
        g_ptr_array_add (modules, part->module);
    }
  source->problems = problems;
  return modules;
}

/* Builds all modules that can be built, or none where something else than the text is wrong. */
static PhModel *
build_all (PhSource *source, const GPtrArray *parts, GError **error)
{
  g_autoptr (GPtrArray) modules = list_sound (source, parts, FALSE);
  g_autoptr (GError) reason = NULL;
  const guint n_problems = source->problems != NULL ? source->problems->len : 0;
  PhModel *model = NULL;

  for (guint i = 0; modules->len == 0 && i < parts->len; i++)
    if (((const PhMlirPart *) parts->pdata[i])->error != NULL)
      {
        g_propagate_error (error, g_error_copy (((const PhMlirPart *) parts->pdata[i])->error));
        return NULL;
      }
  model = ph_mlir_build (source, modules, NULL, NULL, &reason);
  if (model == NULL && modules->len > 1 && g_error_matches (reason, PH_ERROR, PH_ERROR_INVALID))
    {
      g_ptr_array_unref (modules);
      modules = list_sound (source, parts, TRUE);
      if (modules->len > 0)
        {
          g_clear_error (&reason);
          if (source->problems != NULL)
            g_ptr_array_set_size (source->problems, (int) n_problems);
          model = ph_mlir_build (source, modules, NULL, NULL, &reason);
        }
    }
  if (model == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  else
    {
      note_broken (source, parts);
      note_others (source, modules);
    }
  return model;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (GPtrArray) parts = NULL, alone = g_ptr_array_new ();
  const PhMlirPart *holder = NULL;
  const PhMlirOp *entry = NULL;
  const char *text;
  gsize size;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  parts = ph_mlir_parse_all (source, text, size, error);
  if (parts == NULL || !choose_function (source, parts, &holder, &entry, error))
    return NULL;
  if (holder == NULL)
    return build_all (source, parts, error);
  if (holder->module == NULL)
    {
      g_propagate_error (error, g_error_copy (holder->error));
      return NULL;
    }
  g_ptr_array_add (alone, holder->module);
  return ph_mlir_build (source, alone, entry, NULL, error);
}

/* clang-format off */
const PhFormat ph_format_mlir = {
  .name = "mlir", .title = "MLIR text (StableHLO)", .patterns = (const char *const[]) { "*.mlir", NULL },
  .mime = "text/x-mlir", .mime_parent = "text/plain",
  .text = TRUE, .probe = probe, .read = read_model, .write = ph_mlir_save, .parts = TRUE, .dialect = &ph_dialect_stablehlo,
};
/* clang-format on */
