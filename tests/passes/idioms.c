/* idioms.c: what exporters make of well-known networks: O3 collapses it, and it stays right.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/document.h"
#include "core/io/io.h"
#include "core/ops/verify.h"
#include "each-file.h"

/* tests/passes/idioms/NAME.onnxtxt: the network as the exporter writes it, at its opset, with a line
 *   # nodes: N        that O3 may leave, a fused node counting as one */

static guint
allowed_nodes (const char *text, const char *path)
{
  const char *line = strstr (text, "# nodes: ");

  if (line == NULL)
    g_error ("%s: has no line '# nodes: N'", path);
  return (guint) g_ascii_strtoull (line + strlen ("# nodes: "), NULL, 10);
}

static void
run_pipeline (PhDocument *document)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhJob) job = NULL;

  ph_document_set_pipeline (document, "O3", &error);
  g_assert_no_error (error);
  job = ph_job_new (document, (PhPosition) { 0, 0 });
  ph_job_get_options (job)->verify = TRUE;
  ph_job_add_pipeline (job, G_MAXUINT);
  ph_job_run (job, NULL, &error);
  g_assert_no_error (error);
  ph_document_take_job (document, job, TRUE, &error);
  g_assert_no_error (error);
}

static void
check_proofs (PhDocument *document, const char *path)
{
  PhHistory *history = ph_document_get_history (document);
  g_autoptr (PhProofJob) job = ph_proof_job_new (document, 0, G_MAXUINT);
  g_autoptr (GError) error = NULL;

  ph_proof_job_run (job, NULL, &error);
  g_assert_no_error (error);
  ph_document_take_proofs (document, job);
  for (guint s = 0; s < history->steps->len; s++)
    {
      const PhProof *proof = ph_document_get_proof (document, s);
      const char *pass = g_array_index (history->steps, PhStep, s).pass;

      if (proof->verdict == PH_VERDICT_DIFFERENT)
        g_error ("%s: %s changes the results: %s", path, pass, proof->first_difference);
      /* An upgrade is computed by itself, so it shows nothing. */
      if (!ph_verdict_is_good (proof->verdict) && !g_str_equal (pass, "upgrade-opset"))
        g_error ("%s: after %s: %s", path, pass, proof->problem);
    }
}

static void
test_idiom (gconstpointer data)
{
  const char *path = data;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhDocument) document = ph_document_new ();
  PhModel *model;
  guint before, after;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  model = ph_onnx_text_read (text, -1, path, &error);
  g_assert_no_error (error);
  before = model->graph->n_nodes;
  ph_document_take_model (document, model, path, NULL);
  run_pipeline (document);
  after = ph_document_get_model (document)->graph->n_nodes;
  g_test_message ("%u nodes became %u, %u are allowed", before, after, allowed_nodes (text, path));
  g_assert_cmpuint (after, <=, allowed_nodes (text, path));
  ph_model_verify (ph_document_get_model (document), &error);
  g_assert_no_error (error);
  check_proofs (document, path);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  test_each_file ("idioms", test_idiom);
  return g_test_run ();
}
