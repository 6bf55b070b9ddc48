/* dump.c: reads mlir-opt's output after or before each pass as a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/dump-private.h"

#define HEADER PH_MLIR_DUMP_HEADER
/* Returns "cse" for "CSE (cse)" of "// -----// IR Dump After CSE (cse) ('func.func' operation: @f) //----- //". (transfer full) */
static char *
pass_name (const char *p, const char *eol)
{
  g_autofree char *line = g_strndup (p, (gsize) (eol - p));
  char *words = line + strlen (HEADER), *open, *close;

  words += strcspn (words, " ");
  words += strspn (words, " ");
  open = strchr (words, '(');
  close = open != NULL ? strchr (open, ')') : NULL;
  if (close != NULL && open[1] != '\'' && close > open + 1)
    return g_strndup (open + 1, (gsize) (close - open - 1));
  return g_strndup (words, strcspn (words, " :("));
}

static gboolean
is_module (const PhMlirOp *op)
{
  return g_str_equal (op->name, "builtin.module");
}

/* Replaces the operation with @like's name and symbol, in @ops or in modules within, by @like. */
static gboolean
replace (GPtrArray *ops, PhMlirOp *like, guint depth)
{
  for (guint i = 0; i < ops->len; i++)
    {
      PhMlirOp *op = ops->pdata[i];

      if (g_str_equal (op->name, like->name) && g_strcmp0 (op->symbol, like->symbol) == 0)
        {
          ops->pdata[i] = like;
          return TRUE;
        }
    }
  for (guint i = 0; i < ops->len && depth < 16; i++)
    {
      PhMlirOp *op = ops->pdata[i];

      if (!g_str_has_suffix (op->name, "module"))
        continue;
      for (guint r = 0; r < op->regions->len; r++)
        {
          PhMlirRegion *region = op->regions->pdata[r];

          if (replace (((PhMlirBlock *) region->blocks->pdata[0])->ops, like, depth + 1))
            return TRUE;
        }
    }
  return FALSE;
}

/* Records @module as the owner of @op and its contents unless another owner is known, and adds the owners to @used. */
static void
note_owner (PhMlirDump *dump, PhMlirOp *op, PhMlirModule *module, GHashTable *used, guint depth)
{
  PhMlirModule *known = g_hash_table_lookup (dump->owner, op);

  if (known == NULL)
    g_hash_table_insert (dump->owner, op, known = module);
  g_hash_table_add (used, known);
  for (guint r = 0; g_str_has_suffix (op->name, "module") && depth < PH_MLIR_MAX_DEPTH && r < op->regions->len; r++)
    {
      const PhMlirBlock *block = ((PhMlirRegion *) op->regions->pdata[r])->blocks->pdata[0];

      for (guint i = 0; i < block->ops->len; i++)
        note_owner (dump, block->ops->pdata[i], module, used, depth + 1);
    }
}

/* Frees the modules of which the state has no part any more. */
static void
drop_unused (PhMlirDump *dump)
{
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  PhMlirModule *newest = dump->modules->len > 0 ? dump->modules->pdata[dump->modules->len - 1] : NULL;
  GHashTableIter iter;
  gpointer module;

  for (guint i = 0; i < dump->ops->len; i++)
    note_owner (dump, dump->ops->pdata[i], newest, used, 0);
  g_hash_table_iter_init (&iter, dump->owner);
  while (g_hash_table_iter_next (&iter, NULL, &module))
    if (!g_hash_table_contains (used, module))
      g_hash_table_iter_remove (&iter);
  for (guint i = dump->modules->len; i-- > 0;)
    if (!g_hash_table_contains (used, dump->modules->pdata[i]))
      g_ptr_array_remove_index (dump->modules, i);
}

/* Replaces the state by @module, or only those operations that @module contains. @same: (element-type PhMlirOp) the unchanged ones, in the
 * order of their PH_MLIR_SAME placeholders. */
static void
take_over (PhMlirDump *dump, PhMlirModule *module, GPtrArray *same)
{
  const PhMlirBlock *block = module->top->blocks->pdata[0];
  guint n_same = 0;

  for (guint i = 0; i < block->ops->len; i++)
    {
      PhMlirOp *op = block->ops->pdata[i];

      if (is_module (op) && op->regions->len == 1)
        {
          const PhMlirBlock *inside = ((PhMlirRegion *) op->regions->pdata[0])->blocks->pdata[0];

          g_ptr_array_set_size (dump->ops, 0);
          for (guint n = 0; n < inside->ops->len; n++)
            {
              const PhMlirOp *own = inside->ops->pdata[n];
              const gboolean stands = g_str_equal (own->name, PH_MLIR_SAME) && n_same < same->len;

              g_ptr_array_add (dump->ops, stands ? same->pdata[n_same++] : inside->ops->pdata[n]);
            }
          continue;
        }
      if (!replace (dump->ops, op, 0))
        g_ptr_array_add (dump->ops, op);
    }
  g_ptr_array_add (dump->modules, module);
}

/* Returns the same entry function throughout, though inlining changes which function has no caller. */
static const PhMlirOp *
entry_of (PhMlirDump *dump, GPtrArray *modules)
{
  g_autoptr (GPtrArray) functions = ph_mlir_functions (modules);
  const PhMlirOp *entry;

  entry = ph_mlir_entry (modules);
  for (guint i = 0; i < functions->len && dump->entry != NULL && entry != NULL && !g_str_equal (entry->symbol, "main"); i++)
    if (g_str_equal (((PhMlirOp *) functions->pdata[i])->symbol, dump->entry))
      return functions->pdata[i];
  dump->entry = entry != NULL ? entry->symbol : NULL;
  return entry;
}

/* Returns a text with the names of the functions in @model and the main graph. (transfer full) */
static char *
shape_of (const PhModel *model, const PhMlirOp *entry)
{
  GString *shape = g_string_new (entry != NULL ? entry->symbol : "");

  for (guint i = 0; i < model->functions->len; i++)
    g_string_append_printf (shape, "\n%s", ((PhFunction *) model->functions->pdata[i])->name);
  return g_string_free (shape, FALSE);
}

/* Notes which functions the last model shows, and frees the modules that are no longer needed. */
static void
settle (PhMlirDump *dump, GPtrArray *functions, char *shape)
{
  g_hash_table_remove_all (dump->told);
  for (guint i = 0; shape != NULL && i < functions->len; i++)
    g_hash_table_add (dump->told, functions->pdata[i]);
  g_free (dump->shape);
  dump->shape = shape;
  drop_unused (dump);
}

/* Returns TRUE if the state contains only functions. */
static gboolean
only_functions (PhMlirDump *dump, GPtrArray *functions)
{
  return functions->len == dump->ops->len;
}

/* Builds a model of the state. Functions unchanged since the previous model are marked so. */
static PhModel *
build (PhMlirDump *dump, GError **error)
{
  PhMlirBlock block = { NULL, NULL, dump->ops };
  g_autoptr (GPtrArray) blocks = g_ptr_array_new (), modules = g_ptr_array_new (), functions = NULL;
  PhMlirRegion top = { NULL, blocks };
  PhMlirModule module = { .source = dump->source, .top = &top };
  const PhMlirOp *entry;
  g_autofree char *shape = NULL;
  PhModel *model;

  g_ptr_array_add (blocks, &block);
  g_ptr_array_add (modules, &module);
  block.arguments = g_array_new (FALSE, FALSE, sizeof (PhMlirValue));
  functions = ph_mlir_functions (modules);
  entry = entry_of (dump, modules);
  model = ph_mlir_build_part (dump->source, modules, entry, dump->shape != NULL ? dump->told : NULL, error);
  shape = model != NULL ? shape_of (model, entry) : NULL;
  if (model != NULL && dump->shape != NULL && !g_str_equal (shape, dump->shape))
    {
      ph_model_free (model);
      model = ph_mlir_build_part (dump->source, modules, entry, NULL, error);
    }
  g_array_free (block.arguments, TRUE);
  /* Other operations of a module are shown in the main graph, which must then be parsed again each time. */
  settle (dump, functions, model != NULL && only_functions (dump, functions) ? g_steal_pointer (&shape) : NULL);
  return model;
}

/* Returns TRUE if the section equals the previous one, as after most passes, which change nothing. The text of a whole module replaces all
 * known texts. */
static gboolean
is_same (PhMlirDump *dump, const char *text, const char *end)
{
  const char *first = text, *eol;
  char *key;
  GBytes *known, *bytes;
  gboolean same, module;

  while (first < end && g_ascii_isspace (*first))
    first++;
  while (end > first && g_ascii_isspace (end[-1]))
    end--;
  eol = memchr (first, '\n', (gsize) (end - first));
  module = ph_mlir_begins (first, end, "module") || ph_mlir_begins (first, end, "\"builtin.module");
  key = module ? g_strdup ("") : g_strndup (first, (gsize) ((eol != NULL ? eol : end) - first));
  bytes = g_bytes_new_static (first, (gsize) (end - first));
  known = g_hash_table_lookup (dump->texts, key);
  same = dump->begun && known != NULL && g_bytes_equal (known, bytes);
  if (!same && module)
    g_hash_table_remove_all (dump->texts);
  else if (!same)
    g_hash_table_remove (dump->texts, "");
  g_hash_table_replace (dump->texts, key, bytes);
  return same;
}

static void
set_pending (PhMlirDump *dump, char *name)
{
  g_free (dump->pending);
  dump->pending = name;
}

/* Skips an unchanged section. A dump before a pass shows the result of the pass before; after that pass's own dump it is redundant. */
static gboolean
skip_section (PhMlirDump *dump, char *name, gboolean before, GError **error)
{
  const char *step = before ? dump->pending : name;
  gboolean ok = step == NULL || dump->each (step, NULL, NULL, dump->data, error);

  set_pending (dump, before ? g_strdup (name) : NULL);
  return ok;
}

/* Parses sections completely whose changes alone were read, so that the state matches the last section. */
static void
catch_up (PhMlirDump *dump)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  gboolean ok = TRUE;

  for (guint i = 0; i < dump->unread->len; i++)
    {
      const PhMlirSection section = g_array_index (dump->unread, PhMlirSection, i);
      PhMlirModule *module = ph_mlir_parse (dump->source, section.text, (gsize) (section.end - section.text), section.line, NULL);

      ok = ok && module != NULL;
      if (module == NULL)
        continue;
      take_over (dump, module, none);
      ph_mlir_dump_learn_parts (dump, section.text, section.end);
      settle (dump, dump->ops, g_strdup (dump->shape));
    }
  if (!ok)
    settle (dump, dump->ops, NULL);
  g_array_set_size (dump->unread, 0);
}

/* Parses only the changes in @section, if possible. */
static PhModel *
read_changes (PhMlirDump *dump, const PhMlirSection *section, GPtrArray **parts)
{
  PhModel *model = dump->begun && dump->shape != NULL && dump->lines != NULL ? ph_mlir_dump_changes (dump, section, parts) : NULL;

  if (model != NULL && ph_mlir_dump_is_whole (section->text, section->end))
    g_array_set_size (dump->unread, 0);
  if (model != NULL)
    g_array_append_val (dump->unread, *section);
  return model;
}

/* Parses all of @section except for unchanged functions. (transfer full) */
static PhModel *
read_all (PhMlirDump *dump, const PhMlirSection *section, GPtrArray **parts, GError **error)
{
  g_autoptr (GPtrArray) same = g_ptr_array_new ();
  g_autoptr (GString) rest = NULL;
  PhMlirModule *module;
  PhModel *model;

  catch_up (dump);
  rest = ph_mlir_dump_without_same (dump, section->text, section->end, same);
  module = ph_mlir_parse (dump->source, rest != NULL ? rest->str : section->text,
                          rest != NULL ? rest->len : (gsize) (section->end - section->text), section->line, error);
  if (module == NULL)
    {
      g_hash_table_remove_all (dump->parts.ops);
      return NULL;
    }
  take_over (dump, module, same);
  ph_mlir_dump_learn_parts (dump, section->text, section->end);
  model = build (dump, error);
  if (model != NULL)
    *parts = ph_mlir_dump_follow (dump, section, model);
  return model;
}

static gboolean
read_section (PhMlirDump *dump, const char *header, const char *eol, const char *end, guint line, GError **error)
{
  g_autofree char *name = pass_name (header, eol);
  const gboolean before = ph_mlir_begins (header + strlen (HEADER), eol, "Before");
  const PhMlirSection section = { eol < end ? eol + 1 : end, end, line + 1 };
  GPtrArray *parts = NULL;
  PhModel *model;
  g_autoptr (GError) reason = NULL;

  if (is_same (dump, section.text, end))
    return skip_section (dump, name, before, error);
  model = read_changes (dump, &section, &parts);
  if (model == NULL)
    model = read_all (dump, &section, &parts, &reason);
  if (model == NULL && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (model == NULL) /* a section that does not parse (a dump cut short by a failure) is skipped with a warning */
    {
      ph_source_problem (dump->source, "The dump at line %u (%s) was left out: %s", line, name, reason->message);
      return TRUE;
    }
  if (!dump->each (!dump->begun            ? NULL
                   : !before               ? name
                   : dump->pending != NULL ? dump->pending
                                           : "start",
                   model, parts, dump->data, error))
    return FALSE;
  dump->begun = TRUE;
  set_pending (dump, before ? g_steal_pointer (&name) : NULL);
  return TRUE;
}

gboolean
ph_mlir_dump_read (PhSource *source, const char *text, gsize size, PhRecordFunc each, gpointer data, GError **error)
{
  const char *end = text + size, *header = NULL, *header_eol = NULL;
  guint line = 1, header_line = 0;
  /* clang-format off */
  PhMlirDump dump = {
    source, g_ptr_array_new_with_free_func ((GDestroyNotify) ph_mlir_free), g_ptr_array_new (), NULL, NULL, FALSE,
    g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL), NULL, { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), NULL },
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref), NULL, g_array_new (FALSE, FALSE, sizeof (PhMlirSection)), each, data
  };
  /* clang-format on */
  gboolean ok = TRUE;

  for (const char *p = text; ok && p <= end; line++)
    {
      const char *eol = p < end ? memchr (p, '\n', (gsize) (end - p)) : NULL;
      gboolean starts;

      if (eol == NULL)
        eol = end;
      starts = ph_mlir_begins (p, eol, HEADER) && p + strlen (HEADER) < eol;
      if ((starts || eol == end) && header != NULL)
        ok = read_section (&dump, header, header_eol, starts ? p : end, header_line, error);
      if (starts)
        {
          header = p;
          header_eol = eol;
          header_line = line;
        }
      p = eol + 1;
    }
  if (ok && header == NULL && g_strstr_len (text, (gssize) size, ": error: ") != NULL)
    {
      const char *eol = memchr (text, '\n', size);

      ok = ph_source_fail (source, error, PH_ERROR_INVALID, NULL,
                           "mlir-opt stopped before it printed anything: '%.*s'. Let it run through, and keep what it prints",
                           (int) MIN (eol != NULL ? eol - text : (gssize) size, 200), text);
    }
  else if (ok && !dump.begun)
    ok = ph_source_fail (source, error, PH_ERROR_INVALID, NULL,
                         "no part of this dump could be read. mlir-opt writes one with -mlir-print-ir-after-all");
  g_free (dump.pending);
  g_free (dump.shape);
  g_free (dump.parts.aliases);
  g_hash_table_unref (dump.parts.ops);
  g_hash_table_unref (dump.owner);
  g_hash_table_unref (dump.told);
  g_hash_table_unref (dump.texts);
  g_clear_pointer (&dump.lines, ph_mlir_lines_free);
  g_array_unref (dump.unread);
  g_ptr_array_unref (dump.modules);
  g_ptr_array_unref (dump.ops);
  return ok;
}
