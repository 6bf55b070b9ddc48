/* conformance.c: runs ONNX-style cases (model.onnx, test_data_set_N/) through the executor and compares.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/run/executor.h"
#include "core/tensor/compare.h"

/* conformance [--reference] [--verbose] FOLDER... [-- WORD]: cases are the folders below FOLDER that hold a model.onnx; with
 * WORD, only those with it in their name. A case that needs an operator that is not there is counted as skipped. */

typedef struct { guint passed, failed, skipped; } Tally;

static gboolean reference, verbose;
static const char *only;
static GHashTable *families;        /* name -> Tally: by the first operator of the model */
static GHashTable *missing;         /* operator -> how many cases need it                */
static Tally total;

static PhTolerance
case_tolerance (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "data.json", NULL);
  g_autoptr(JsonParser) parser = json_parser_new ();
  PhTolerance tolerance = PH_TOLERANCE_ONNX;
  JsonObject *object;

  /* What another runtime computed, rather than a formula: it may add in another order. */
  if (strstr (folder, "models/") != NULL)
    tolerance.atol = 1e-4;
  if (!g_file_test (path, G_FILE_TEST_EXISTS) || !json_parser_load_from_file (parser, path, NULL))
    return tolerance;
  object = json_node_get_object (json_parser_get_root (parser));
  tolerance.rtol = json_object_get_double_member_with_default (object, "rtol", tolerance.rtol);
  tolerance.atol = json_object_get_double_member_with_default (object, "atol", tolerance.atol);
  return tolerance;
}

static gboolean
is_function (PhModel *model, const PhNode *node)
{
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      if (g_str_equal (function->name, node->op_type) && g_str_equal (function->domain, node->domain))
        return TRUE;
    }
  return FALSE;
}

/* (nullable) an operator of @graph that cannot be executed. */
static const char *
missing_operator (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (!ph_node_is_fused (node) && !is_function (graph->model, node) && (node->op == NULL || node->op->kernel == NULL))
        return node->op_type;
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        {
          const char *inner = missing_operator (node->graphs->pdata[i]);

          if (inner != NULL)
            return inner;
        }
    }
  return NULL;
}

static GHashTable *
load_inputs (PhModel *model, const char *folder, GError **error)
{
  g_autoptr(GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *value = model->graph->inputs->pdata[i];
      g_autofree char *name = g_strdup_printf ("input_%u.pb", i), *path = g_build_filename (folder, name, NULL);
      PhTensor *tensor;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      tensor = ph_tensor_load (path, value->type, NULL, error);
      if (tensor == NULL)
        return NULL;
      g_hash_table_insert (feeds, value, tensor);
    }
  return g_steal_pointer (&feeds);
}

/* (transfer full) (nullable) why the data set does not come out as it should. */
static char *
run_data_set (PhModel *model, const char *folder, PhTolerance tolerance)
{
  g_autoptr(GHashTable) feeds = NULL, results = NULL;
  g_autoptr(GError) error = NULL;

  feeds = load_inputs (model, folder, &error);
  if (feeds == NULL)
    return g_strdup_printf ("inputs: %s", error->message);
  results = ph_run_model (model, feeds, NULL, &(PhRunOptions) { .seed = 1, .reference = reference }, &error);
  if (results == NULL)
    return g_strdup (error != NULL ? error->message : "failed without an error");
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      PhValue *value = model->graph->outputs->pdata[i];
      g_autofree char *name = g_strdup_printf ("output_%u.pb", i), *path = g_build_filename (folder, name, NULL);
      PhTensor *actual = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));
      g_autoptr(PhTensor) expected = NULL;
      g_auto(PhComparison) comparison = { 0 };

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      expected = ph_tensor_load (path, value->type, NULL, &error);
      if (expected == NULL)
        return g_strdup_printf ("%s: %s", name, error->message);
      comparison = ph_tensor_compare (actual, expected, tolerance);
      if (!comparison.close)
        return g_strdup_printf ("output %u '%s': %s (%" G_GSIZE_FORMAT " differ)", i, value->name, comparison.why,
                                comparison.n_different);
    }
  return NULL;
}

static Tally *
family_of (PhModel *model)
{
  const char *name = model != NULL && model->graph->first != NULL ? model->graph->first->op_type : "(none)";
  Tally *tally = g_hash_table_lookup (families, name);

  if (tally == NULL)
    g_hash_table_insert (families, (gpointer) name, tally = g_new0 (Tally, 1));
  return tally;
}

static void
run_case (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL), *why = NULL;
  g_autoptr(PhModel) model = NULL;
  g_autoptr(GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();
  const char *needs;
  Tally *family;

  model = ph_io_open (path, NULL, NULL, &error);
  family = family_of (model);
  needs = model != NULL ? missing_operator (model->graph) : NULL;
  if (needs != NULL)
    {
      g_hash_table_insert (missing, (gpointer) needs, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (missing, needs)) + 1));
      family->skipped++;
      total.skipped++;
      if (verbose)
        g_print ("SKIP %s: needs %s\n", folder, needs);
      return;
    }
  if (model == NULL)
    why = g_strdup (error->message);
  for (guint set = 0; why == NULL; set++)
    {
      g_autofree char *name = g_strdup_printf ("test_data_set_%u", set), *data = g_build_filename (folder, name, NULL);

      if (!g_file_test (data, G_FILE_TEST_IS_DIR))
        break;
      why = run_data_set (model, data, case_tolerance (folder));
    }
  if (why != NULL)
    {
      g_print ("FAIL %s: %s\n", folder, why);
      family->failed++;
      total.failed++;
      return;
    }
  family->passed++;
  total.passed++;
  if (verbose)
    g_print ("ok %s (%.1f ms)\n", folder, (g_get_monotonic_time () - start) / 1000.0);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
walk (const char *folder)
{
  g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GDir) dir = NULL;
  const char *name;

  if (g_file_test (model, G_FILE_TEST_EXISTS))
    {
      if (only == NULL || strstr (folder, only) != NULL)
        run_case (folder);
      return;
    }
  dir = g_dir_open (folder, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    if (g_file_test (names->pdata[i], G_FILE_TEST_IS_DIR))
      walk (names->pdata[i]);
}

static void
print_tables (void)
{
  g_autoptr(GList) names = g_list_sort (g_hash_table_get_keys (families), (GCompareFunc) (void (*) (void)) strcmp);
  g_autoptr(GList) lacking = g_list_sort (g_hash_table_get_keys (missing), (GCompareFunc) (void (*) (void)) strcmp);

  for (GList *l = names; l != NULL; l = l->next)
    {
      const Tally *tally = g_hash_table_lookup (families, l->data);

      if (verbose || tally->failed > 0)
        g_print ("%-32s %4u passed %4u failed %4u skipped\n", (char *) l->data, tally->passed, tally->failed, tally->skipped);
    }
  for (GList *l = lacking; l != NULL; l = l->next)
    g_print ("needs %-26s %4u cases\n", (char *) l->data, GPOINTER_TO_UINT (g_hash_table_lookup (missing, l->data)));
}

int
main (int argc, char *argv[])
{
  gboolean any = FALSE;

  families = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  missing = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], "--") && i + 1 < argc)
      only = argv[++i];
  for (int i = 1; i < argc && !g_str_equal (argv[i], "--"); i++)
    if (g_str_equal (argv[i], "--reference"))
      reference = TRUE;
    else if (g_str_equal (argv[i], "--verbose"))
      verbose = TRUE;
    else if (g_file_test (argv[i], G_FILE_TEST_IS_DIR))
      {
        walk (argv[i]);
        any = TRUE;
      }
  if (!any)
    {
      g_print ("no cases: set data_dir\n");
      return 77;
    }
  print_tables ();
  g_print ("%u passed, %u failed, %u skipped\n", total.passed, total.failed, total.skipped);
  g_hash_table_unref (families);
  g_hash_table_unref (missing);
  return total.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
