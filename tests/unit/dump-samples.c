/* dump-samples.c: the last position of a dump's history is its last snapshot, compared as graphs: every real dump that is there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/analyze/recording.h"
#include "core/io/as-before.h"
#include "core/io/io.h"
#include "core/io/mlir/dump.h"
#include "core/io/parts.h"
#include "core/ops/verify.h"
#include "graph-hash.h"

/* What a dump told last of each graph. */
typedef struct
{
  GHashTable *hashes; /* name of a function, "" for the main graph -> hash, PARTLY */
  GPtrArray *present; /* names of the functions of the last snapshot               */
} Told;

#define PARTLY GSIZE_TO_POINTER (1) /* only what changed was read: tests of generated dumps hold that against the whole */

static gpointer
hash_of (const PhGraph *graph)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);

  return GSIZE_TO_POINTER (graph_hash (graph, values) | 2);
}

static void
tell_graph (Told *told, const char *name, const PhGraph *graph, const GPtrArray *parts)
{
  gpointer hash = NULL;

  if (ph_graph_is_as_before (graph))
    return;
  for (guint i = 0; parts != NULL && i < parts->len && hash == NULL; i++)
    {
      const PhTextPart *part = parts->pdata[i];

      if (!part->whole && g_strcmp0 (part->function != NULL ? part->function : "", name) == 0)
        hash = PARTLY;
    }
  g_hash_table_insert (told->hashes, (gpointer) name, hash != NULL ? hash : hash_of (graph));
}

static void
tell_model (Told *told, const PhModel *model, const GPtrArray *parts)
{
  g_ptr_array_set_size (told->present, 0);
  tell_graph (told, "", model->graph, parts);
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      g_ptr_array_add (told->present, (gpointer) function->name);
      tell_graph (told, function->name, function->graph, parts);
    }
}

static gboolean
tell (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  if (model != NULL)
    tell_model (data, model, parts);
  g_clear_pointer (&parts, g_ptr_array_unref);
  g_clear_pointer (&model, ph_model_free);
  return TRUE;
}

/* The file that the last step of a folder of models was made from. (nullable) (transfer full) */
static char *
last_file (const char *folder, PhHistory *history)
{
  const char *pass = g_array_index (history->steps, PhStep, history->steps->len - 1).pass;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  char *found = NULL;

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *base = g_path_get_basename (path);

      if (strrchr (base, '.') != NULL)
        *strrchr (base, '.') = '\0';
      if (g_str_has_suffix (base, pass) && !g_str_has_suffix (name, ".ort"))
        {
          g_assert_null (found);
          found = g_steal_pointer (&path);
        }
    }
  return found;
}

static void
read_last (const char *path, PhHistory *history, Told *told)
{
  g_autofree char *tree = g_file_test (path, G_FILE_TEST_IS_DIR) ? ph_mlir_dump_tree (path) : NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (tree != NULL)
    ph_format_record_text (ph_format_find ("mlir-dump"), tree, path, tell, told, problems, NULL, &error);
  else if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    ph_format_record (path, tell, told, problems, NULL, &error);
  else
    {
      g_autofree char *file = last_file (path, history);
      g_autoptr (PhModel) model = ph_io_open (file, NULL, NULL, &error);

      if (model != NULL)
        tell_model (told, model, NULL);
    }
  g_assert_no_error (error);
}

/* Returns FALSE if the file holds one model only, or none. */
static gboolean
check (const char *path)
{
  g_autoptr (GHashTable) hashes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) present = g_ptr_array_new (), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) recorded = NULL, history = ph_history_new ();
  g_autoptr (PhModel) model = ph_recording_open (path, &recorded, problems, NULL, &error);
  Told told = { hashes, present };

  /* One of the logs ended before mlir-opt printed anything. */
  if (error != NULL && strstr (error->message, "mlir-opt stopped before it printed anything") != NULL)
    return FALSE;
  g_assert_no_error (error);
  if (recorded == NULL)
    return FALSE;
  read_last (path, recorded, &told);
  ph_history_append (history, recorded);
  ph_history_go (history, model, (PhPosition) { history->steps->len, 0 }, &error);
  g_assert_no_error (error);
  g_assert_true (ph_model_verify (model, &error));
  if (g_hash_table_lookup (hashes, "") != PARTLY && g_hash_table_lookup (hashes, "") != hash_of (model->graph))
    g_error ("%s: the main graph is another one at the end (%s)", path, problems->len > 0 ? (char *) problems->pdata[0] : "");
  g_assert_cmpuint (model->functions->len, ==, present->len);
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];
      gpointer hash = g_hash_table_lookup (hashes, function->name);

      if (hash != PARTLY && hash != hash_of (function->graph))
        g_error ("%s: the function %s is another one at the end", path, function->name);
    }
  return TRUE;
}

static void
test_kind (gconstpointer kind)
{
  g_autofree char *folder = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR"), "foreign", kind, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("the dumps are not there: set PEEPHOLE_DATA_DIR to a folder whose foreign/ has them");
      return;
    }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *inner = g_build_filename (path, "FW", NULL);

      if (strstr (name, ".input.") == NULL)
        n += check (g_file_test (inner, G_FILE_TEST_IS_DIR) ? inner : path);
    }
  g_test_message ("%u dumps", n);
  g_assert_cmpuint (n, >, 0);
}

int
main (int argc, char **argv)
{
  static const char *const kinds[] = { "llvm-dump", "mlir-dump", "mlir-stages", "ort-levels", "torch-trace", "tvmscript" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *name = g_strconcat ("/dump-samples/", kinds[i], NULL);

      g_test_add_data_func (name, kinds[i], test_kind);
    }
  return g_test_run ();
}
