/* conformance.c: runs ONNX-style cases (model.onnx, test_data_set_N/) through the executor and compares.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/prove/cases/cases.h"
#include "core/run/kernels.h"
#include "tests/share.h"

/* conformance [--reference] [--each-kernel] [--verbose] [--atol=NUMBER] [--pipeline=NAME] FOLDER... [-- WORD]: runs the cases below each
 * FOLDER; with WORD, only those with it in their name.
 * --each-kernel: once for each name of a kernel, which runs each node that it takes. A case that needs an operator that is not there is counted
 * as skipped. */

typedef struct
{
  guint passed, failed, skipped;
} Tally;

static PhCaseOptions options = { .allow = PH_ROUNDING, .rtol = -1, .atol = -1 };
static gboolean verbose, each_kernel;
static const char *only;
static GHashTable *families; /* name -> Tally: by the first operator of the model */
static GHashTable *missing;  /* operator -> how many cases need it                */
static Tally total;

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
      if (!ph_node_is_fused (node) && !is_function (graph->model, node) && (node->op == NULL || !ph_op_executable (node->op)))
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
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 start = g_get_monotonic_time ();
  const char *needs;
  Tally *family;
  gboolean ok;

  model = ph_io_open (path, NULL, NULL, &error);
  family = family_of (model);
  ok = model != NULL && ph_case_run (folder, &options, NULL, &error);
  /* Asked only now: an operator that is gone from ONNX is upgraded to another when the model runs. */
  needs = !ok && model != NULL ? missing_operator (model->graph) : NULL;
  if (needs != NULL)
    {
      g_hash_table_insert (missing, (gpointer) needs,
                           GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (missing, needs)) + 1));
      family->skipped++;
      total.skipped++;
      if (verbose)
        g_print ("SKIP %s: needs %s\n", folder, needs);
      return;
    }
  if (!ok)
    {
      g_print ("FAIL %s: %s\n", folder, error != NULL ? error->message : "failed without an error");
      family->failed++;
      total.failed++;
      return;
    }
  family->passed++;
  total.passed++;
  if (verbose)
    g_print ("ok %s (%.1f ms)\n", folder, (g_get_monotonic_time () - start) / 1000.0);
}

/* With each kernel its share of the cases, so that each case has some kernel. */
static void
run_cases (const char *folder, guint kernel)
{
  g_autoptr (GPtrArray) cases = ph_case_find (folder, NULL, NULL);

  for (guint i = 0; cases != NULL && i < cases->len; i++)
    if ((!each_kernel || test_share_takes (i + kernel)) && (only == NULL || strstr (cases->pdata[i], only) != NULL))
      run_case (cases->pdata[i]);
}

static void
print_tables (void)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (families), (GCompareFunc) (void (*) (void)) strcmp);
  g_autoptr (GList) lacking = g_list_sort (g_hash_table_get_keys (missing), (GCompareFunc) (void (*) (void)) strcmp);

  for (GList *l = names; l != NULL; l = l->next)
    {
      const Tally *tally = g_hash_table_lookup (families, l->data);

      if (verbose || tally->failed > 0)
        g_print ("%-32s %4u passed %4u failed %4u skipped\n", (char *) l->data, tally->passed, tally->failed, tally->skipped);
    }
  for (GList *l = lacking; l != NULL; l = l->next)
    g_print ("needs %-26s %4u cases\n", (char *) l->data, GPOINTER_TO_UINT (g_hash_table_lookup (missing, l->data)));
}

static gboolean
choose_pipeline (const char *name)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);
  GPtrArray *passes;

  if (pipeline == NULL)
    return FALSE;
  passes = g_ptr_array_new ();
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    g_ptr_array_add (passes, (gpointer) ph_pass_find (pipeline->passes[i]));
  options.n_passes = passes->len;
  options.passes = (const PhPass *const *) g_ptr_array_free (passes, FALSE);
  options.allow = pipeline->allow;
  return TRUE;
}

int
main (int argc, char *argv[])
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new ();

  families = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  missing = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], "--") && i + 1 < argc)
      only = argv[++i];
    else if (g_str_equal (argv[i], "--reference"))
      options.reference = TRUE;
    else if (g_str_equal (argv[i], "--each-kernel"))
      each_kernel = TRUE;
    else if (g_str_equal (argv[i], "--verbose"))
      verbose = TRUE;
    else if (g_str_has_prefix (argv[i], "--atol="))
      options.atol = g_ascii_strtod (argv[i] + strlen ("--atol="), NULL);
    else if (g_str_has_prefix (argv[i], "--pipeline="))
      {
        if (!choose_pipeline (argv[i] + strlen ("--pipeline=")))
          {
            g_printerr ("there is no pipeline %s\n", argv[i] + strlen ("--pipeline="));
            return 2;
          }
      }
    else if (g_file_test (argv[i], G_FILE_TEST_IS_DIR))
      g_ptr_array_add (folders, argv[i]);
  if (folders->len == 0)
    {
      g_printerr (
          "no cases: name their folder, or set PEEPHOLE_DATA_DIR (with meson: -Ddata_dir=) to one that has onnx-backend/\n");
      return 77;
    }
  ph_tensor_set_poison (TRUE); /* what a kernel does not write shows */
  for (guint i = 0; i < folders->len && !each_kernel; i++)
    run_cases (folders->pdata[i], 0);
  for (const char *const *name = ph_kernel_names (); each_kernel && *name != NULL; name++)
    {
      guint took = 0;

      options.kernel = *name;
      options.took = &took;
      for (guint i = 0; i < folders->len; i++)
        run_cases (folders->pdata[i], (guint) (name - ph_kernel_names ()));
      if (!g_str_equal (*name, PH_KERNEL_REFERENCE))
        g_print ("%s took %u nodes\n", *name, took);
    }
  print_tables ();
  g_print ("%u passed, %u failed, %u skipped\n", total.passed, total.failed, total.skipped);
  g_hash_table_unref (families);
  g_hash_table_unref (missing);
  g_free ((gpointer) options.passes);
  return total.failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
