/* budget.c: tests of what a model may take: memory, nodes, threads, and time that is cut short.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <string.h>

#include "core/io/io.h"
#include "core/ops/verify.h"
#include "core/run/run-private.h"

/* Ctrl+C keeps the passes that were done. */
static void
on_progress (PhConsole *console, const char *what, double fraction, gpointer cancellable)
{
  if (g_str_has_prefix (what, "cse"))
    g_cancellable_cancel (cancellable);
}

static void
test_cancelled_run (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) {\n v0 = Neg (x)\n");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PhReply) reply = NULL;
  g_auto (Session) session = { 0 };
  PhHistory *history;

  for (int i = 1; i < 4000; i++)
    g_string_append_printf (text, "a%d = Sin (v%d)\nb%d = Sin (v%d)\nv%d = Add (a%d, b%d)\n", i, i - 1, i, i - 1, i, i, i);
  g_string_append (text, "y = Neg (v3999) }\n");
  session_init (&session);
  open_text (&session, text->str);
  g_signal_connect (session.console, "progress", G_CALLBACK (on_progress), cancellable);
  reply = ph_console_run (session.console, "run eliminate-identity dce cse algebraic --no-verify", cancellable);
  g_assert_false (reply->ok);
  g_assert_error (reply->error, PH_ERROR, PH_ERROR_CANCELLED);
  history = ph_document_get_history (session.document);
  g_assert_cmpuint (history->steps->len, ==, 2); /* those before cse */
  TELL (&session, "run cse --no-verify");
}

/* A small model is computed by one thread, a large one by as many as there are. */
static gboolean
is_small (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "text", &error);
  g_autoptr (PhProgram) program = ph_program_new ();

  g_assert_no_error (error);
  return ph_code_is_small (ph_program_code (program, model->graph, model->graph->outputs, NULL), NULL);
}

static void
test_threads (void)
{
  g_assert_true (is_small (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[8,64] x, float[64,64] w) => (float[8,64] y) { t = MatMul (x, w) y = Relu (t) }\n"));
  g_assert_false (is_small (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[512,512] x, float[512,512] w) => (float[512,512] y) { y = MatMul (x, w) }\n"));
  /* Nodes that lack what they work on. */
  g_assert_true (is_small (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y, float[2] z) { y = Softmax () z = Einsum <equation = \"i,i->i\"> (x, \"\") }\n"));
  g_assert_true (is_small (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[N,K] x, float[K,M] w) => (float[N,M] y) { y = MatMul (x, w) }\n"));
}

/* Sixty doublings: nothing of it is begun with, and the message says what raises the budget. */
static void
test_doubling (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[N] y) {\n v0 = Identity (x)\n");
  g_auto (Session) session = { 0 };
  g_autofree char *answer = NULL;
  const gsize used = ph_tensor_get_used ();

  for (int i = 0; i < 60; i++)
    g_string_append_printf (text, "v%d = Concat <axis = 0> (v%d, v%d)\n", i + 1, i, i);
  g_string_append (text, "y = Identity (v60) }\n");
  session_init (&session);
  open_text (&session, text->str);
  answer = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (answer, "too large for memory"));
  g_assert_nonnull (strstr (answer, "set memory"));
  TELL (&session, "run");
  g_assert_cmpuint (ph_tensor_get_used (), ==, used);
}

/* The same where sizes are not known beforehand. */
static void
test_doubling_unknown (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[N] x, int64[1] n) => (float[M] y) {\n v0 = Expand (x, n)\n");
  g_auto (Session) session = { 0 };
  g_autofree char *answer = NULL;

  for (int i = 0; i < 30; i++)
    g_string_append_printf (text, "v%d = Concat <axis = 0> (v%d, v%d)\n", i + 1, i, i);
  g_string_append (text, "y = Identity (v30) }\n");
  session_init (&session);
  open_text (&session, text->str);
  TELL (&session, "set memory 4M");
  TELL (&session, "feed x [1, 2]");
  TELL (&session, "feed n [2]");
  answer = ask (&session, FALSE, "eval");
  g_assert_nonnull (strstr (answer, "which is over the budget of 4.0 MiB"));
  g_assert_nonnull (strstr (answer, "set memory"));
  TELL (&session, "set memory default");
  g_clear_pointer (&answer, g_free);
  answer = ask (&session, FALSE, "set memory much");
  g_assert_nonnull (strstr (answer, "not a size"));
}

/* Forty functions, each calling the next one twice, stand for 10^12 nodes. */
static void
test_functions_in_functions (void)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23, \"d\" : 1]>\ng (float[2] x) => (float[2] y) { y = d.F0 (x) }\n");
  g_auto (Session) session = { 0 };
  g_autofree char *run = NULL, *eval = NULL;

  for (int i = 0; i < 40; i++)
    g_string_append_printf (
        text,
        i < 39 ? "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nF%d (a) => (b) { t = d.F%d (a) b = d.F%d (t) }\n"
               : "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nF%d (a) => (b) { b = Relu (a) }\n",
        i, i + 1, i + 1);
  session_init (&session);
  open_text (&session, text->str);
  run = ask (&session, FALSE, "run inline-functions");
  eval = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (run, "set growth"));
  g_assert_nonnull (strstr (eval, "set growth"));

  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23, \"d\" : 1]>\ng (float[2] x) => (float[2] y) { y = d.R (x) }\n"
                       "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nR (a) => (b) { t = Relu (a) b = d.R (t) }\n");
  g_free (run);
  run = ask (&session, TRUE, "run inline-functions");
  g_free (eval);
  eval = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (eval, "calls itself"));
}

/* A pass that writes out what is within the budget does, and one beyond it leaves the model as it was. */
static void
test_growth (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23, \"d\" : 1]>\ng (float[2] x) => (float[2] y) { a = d.F (x) b = d.F (a) y = d.F (b) }\n"
        "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nF (a) => (b) { t = Relu (a) u = Neg (t) b = Relu (u) }\n";
  g_auto (Session) session = { 0 };
  g_autofree char *answer = NULL;

  session_init (&session);
  open_text (&session, text);
  TELL (&session, "set growth 5");
  answer = ask (&session, FALSE, "run inline-functions");
  g_assert_nonnull (strstr (answer, "5 nodes that are allowed"));
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (session.document), TRUE), ==, 3);
  TELL (&session, "set growth default");
  TELL (&session, "run inline-functions");
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (session.document), TRUE), ==, 9);
}

/* Elements that cannot be had: what needs them is an error and no crash, what does not goes on. */
static void
test_no_memory (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[1,2000] x) => (float[1,1000] y, int64[2] s, float[1000,2000] t, float[2000,1000] a)\n{\n"
        " shape = Constant <value_ints = [2000, 1000]> ()\n v = ConstantOfShape <value = float[1] {1}> (shape)\n"
        " y = MatMul (x, v)\n s = Shape (v)\n t = Transpose (v)\n a = Add (v, v) }\n";
  g_auto (Session) session = { 0 };
  g_autofree char *answer = NULL;

  session_init (&session);
  open_text (&session, text);
  TELL (&session, "set memory 1M"); /* v takes 8 MB when it is not one element repeated */
  TELL (&session, "eval --random 1 y");
  TELL (&session, "eval --random 1 s");
  TELL (&session, "eval --random 1 a");
  answer = ask (&session, FALSE, "eval --random 1 t");
  g_assert_nonnull (strstr (answer, "too large for memory"));
  TELL (&session, "set memory default");
  TELL (&session, "eval --random 1 t");
}

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  g_test_add_func ("/budget/cancelled-run", test_cancelled_run);
  g_test_add_func ("/budget/threads", test_threads);
  g_test_add_func ("/budget/doubling", test_doubling);
  g_test_add_func ("/budget/doubling-unknown", test_doubling_unknown);
  g_test_add_func ("/budget/functions-in-functions", test_functions_in_functions);
  g_test_add_func ("/budget/growth", test_growth);
  g_test_add_func ("/budget/no-memory", test_no_memory);
  return session_test_run ();
}
