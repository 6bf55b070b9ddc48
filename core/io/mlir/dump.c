/* dump.c: what mlir-opt prints after or before each of its passes, as a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/mlir/dump.h"

#include <string.h>

#include "core/io/mlir/mlir.h"

#define HEADER    "// -----// IR Dump "
#define MAX_DEPTH 32 /* of folders */
#define MAX_FILES 20000

typedef struct
{
  PhSource *source;
  GPtrArray *modules; /* (element-type PhMlirModule) all that were read: the state is made of their parts */
  GPtrArray *ops;     /* (element-type PhMlirOp) the state: what stands in the module now                 */
  const char *entry;  /* (nullable) the function that is the main graph, as long as it is there           */
  char *pending;      /* (nullable) the pass that was about to run                                        */
  gboolean begun;
  GHashTable *texts; /* first line of what was dumped -> GBytes of all of it, while that is how it is */
  PhRecordFunc each;
  gpointer data;
} Dump;

/* "CSE (cse)" of "// -----// IR Dump After CSE (cse) ('func.func' operation: @f) //----- //": "cse". (transfer full) */
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

/* The operation with @like's name and symbol, in @ops or in the modules in them, is replaced by @like. */
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

/* The state is @module now, or what it holds takes the place of what it was; nothing else of it is left: what was read before can go. */
static void
take_over (Dump *dump, PhMlirModule *module)
{
  const PhMlirBlock *block = module->top->blocks->pdata[0];
  guint n = 0;

  for (guint i = 0; i < block->ops->len; i++)
    {
      PhMlirOp *op = block->ops->pdata[i];

      if (is_module (op) && op->regions->len == 1)
        {
          const PhMlirBlock *inside = ((PhMlirRegion *) op->regions->pdata[0])->blocks->pdata[0];

          g_ptr_array_set_size (dump->ops, 0);
          for (n = 0; n < inside->ops->len; n++)
            g_ptr_array_add (dump->ops, inside->ops->pdata[n]);
          continue;
        }
      if (!replace (dump->ops, op, 0))
        g_ptr_array_add (dump->ops, op);
      n += g_ptr_array_find (dump->ops, op, NULL) ? 1 : 0;
    }
  if (n == dump->ops->len && dump->modules->len > 0)
    g_ptr_array_set_size (dump->modules, 0);
  g_ptr_array_add (dump->modules, module);
}

/* The same function all along: which one nobody calls changes with inlining. */
static const PhMlirOp *
entry_of (Dump *dump, GPtrArray *modules)
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

/* The state as a model. */
static PhModel *
build (Dump *dump, GError **error)
{
  PhMlirBlock block = { NULL, NULL, dump->ops };
  g_autoptr (GPtrArray) blocks = g_ptr_array_new (), modules = g_ptr_array_new ();
  PhMlirRegion top = { NULL, blocks };
  PhMlirModule module = { .source = dump->source, .top = &top };
  PhModel *model;

  g_ptr_array_add (blocks, &block);
  g_ptr_array_add (modules, &module);
  block.arguments = g_array_new (FALSE, FALSE, sizeof (PhMlirValue));
  model = ph_mlir_build (dump->source, modules, entry_of (dump, modules), NULL, error);
  g_array_free (block.arguments, TRUE);
  return model;
}

/* Most passes change nothing, and the same text is dumped again. Of a module it is all that is known. */
static gboolean
is_same (Dump *dump, const char *text, const char *end)
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
  module = g_str_has_prefix (first, "module") || g_str_has_prefix (first, "\"builtin.module");
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
set_pending (Dump *dump, char *name)
{
  g_free (dump->pending);
  dump->pending = name;
}

/* A dump before a pass shows what the one before it did; behind a dump after that one it shows nothing new. */
static gboolean
skip_section (Dump *dump, char *name, gboolean before, GError **error)
{
  const char *step = before ? dump->pending : name;
  gboolean ok = step == NULL || dump->each (step, NULL, dump->data, error);

  set_pending (dump, before ? g_strdup (name) : NULL);
  return ok;
}

static gboolean
read_section (Dump *dump, const char *header, const char *eol, const char *end, guint line, GError **error)
{
  g_autofree char *name = pass_name (header, eol);
  const gboolean before = g_str_has_prefix (header + strlen (HEADER), "Before");
  const char *text = eol < end ? eol + 1 : end;
  PhMlirModule *module;
  PhModel *model;
  g_autoptr (GError) reason = NULL;

  if (is_same (dump, text, end))
    return skip_section (dump, name, before, error);
  /* What does not parse (a dump after a failure is cut short) is left out, and said. */
  module = ph_mlir_parse (dump->source, text, (gsize) (end - text), line + 1, &reason);
  if (module == NULL && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  if (module == NULL)
    {
      ph_source_problem (dump->source, "The dump at line %u (%s) was left out: %s", line, name, reason->message);
      return TRUE;
    }
  take_over (dump, module);
  model = build (dump, &reason);
  if (model == NULL)
    {
      ph_source_problem (dump->source, "The dump at line %u (%s) was left out: %s", line, name, reason->message);
      return TRUE;
    }
  if (!dump->each (!dump->begun            ? NULL
                   : !before               ? name
                   : dump->pending != NULL ? dump->pending
                                           : "start",
                   model, dump->data, error))
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
  Dump dump = {
    source, g_ptr_array_new_with_free_func ((GDestroyNotify) ph_mlir_free), g_ptr_array_new (), NULL, NULL, FALSE,
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref), each, data
  };
  /* clang-format on */
  gboolean ok = TRUE;

  for (const char *p = text; ok && p <= end; line++)
    {
      const char *eol = p < end ? memchr (p, '\n', (gsize) (end - p)) : NULL;
      gboolean starts;

      if (eol == NULL)
        eol = end;
      starts = (gsize) (eol - p) > strlen (HEADER) && memcmp (p, HEADER, strlen (HEADER)) == 0;
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
  g_hash_table_unref (dump.texts);
  g_ptr_array_unref (dump.modules);
  g_ptr_array_unref (dump.ops);
  return ok;
}

/* ── trees ── */

typedef struct
{
  char *path;
  GArray *numbers;
} TreeFile;

static void
tree_file_free (gpointer data)
{
  TreeFile *file = data;

  g_free (file->path);
  g_array_unref (file->numbers);
  g_free (file);
}

/* "0_1_canonicalize.mlir" is number 1 in the pipeline that is number 0. */
static GArray *
numbers_of (const char *name)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (char *end; g_ascii_isdigit (*name); name = end + 1)
    {
      const guint64 number = g_ascii_strtoull (name, &end, 10);

      g_array_append_val (numbers, number);
      if (*end != '_')
        break;
    }
  return numbers;
}

static int
compare_files (gconstpointer a, gconstpointer b)
{
  const TreeFile *x = *(TreeFile *const *) a, *y = *(TreeFile *const *) b;

  for (guint i = 0; i < MIN (x->numbers->len, y->numbers->len); i++)
    if (g_array_index (x->numbers, guint64, i) != g_array_index (y->numbers, guint64, i))
      return g_array_index (x->numbers, guint64, i) < g_array_index (y->numbers, guint64, i) ? -1 : 1;
  if (x->numbers->len != y->numbers->len)
    return x->numbers->len < y->numbers->len ? -1 : 1;
  return strcmp (x->path, y->path);
}

static void
collect (const char *folder, guint depth, GPtrArray *files)
{
  g_autoptr (GDir) dir = depth < MAX_DEPTH ? g_dir_open (folder, 0, NULL) : NULL;

  for (const char *name; dir != NULL && files->len < MAX_FILES && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        continue;
      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        collect (path, depth + 1, files);
      else if (g_ascii_isdigit (*name) && g_str_has_suffix (name, ".mlir"))
        {
          TreeFile *file = g_new0 (TreeFile, 1);

          file->path = g_steal_pointer (&path);
          file->numbers = numbers_of (name);
          g_ptr_array_add (files, file);
        }
    }
}

/* Its folders are named after what is in them: "builtin_module_no-symbol-name". */
static gboolean
is_tree (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *base = g_path_get_basename (folder);

  if (g_str_has_prefix (base, "builtin_module_"))
    return TRUE;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_prefix (name, "builtin_module_"))
      return TRUE;
  return FALSE;
}

char *
ph_mlir_dump_tree (const char *folder)
{
  g_autoptr (GPtrArray) files = NULL;
  GString *all;

  if (!is_tree (folder))
    return NULL;
  files = g_ptr_array_new_with_free_func (tree_file_free);
  collect (folder, 0, files);
  if (files->len == 0)
    return NULL;
  g_ptr_array_sort (files, compare_files);
  all = g_string_new (NULL);
  for (guint i = 0; i < files->len; i++)
    {
      const TreeFile *file = files->pdata[i];
      g_autofree char *text = NULL, *base = g_path_get_basename (file->path);
      gsize size;

      if (!g_file_get_contents (file->path, &text, &size, NULL))
        continue;
      if (g_strstr_len (text, (gssize) MIN (size, 200), HEADER) == NULL)
        {
          const char *name = base + strspn (base, "0123456789_");

          g_string_append_printf (all, HEADER "After %.*s (%.*s) //----- //\n", (int) strcspn (name, "."), name,
                                  (int) strcspn (name, "."), name);
        }
      g_string_append_len (all, text, (gssize) size);
      g_string_append_c (all, '\n');
    }
  return g_string_free (all, FALSE);
}
