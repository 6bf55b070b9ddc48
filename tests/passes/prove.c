/* prove.c: proof after each step: verdicts, the first value that differs, the inputs that show it, the rewrite to blame.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/document/document.h"
#include "core/io/io.h"
#include "core/ops/infer.h"

/* Rules that are wrong in one way each. */
static const PhRule drop_relu[] = { { "drop-relu", P (Relu, X), P (Identity, X), .why = "Wrong below zero." } };
static const PhRule drop_clip[] = {
  { "max-self-ish", P (Max, X, NUM (-1e30)), P (Identity, X), .why = "Wrong for what is smaller yet.", .exactness = PH_EXACT },
};
static const PhRule rough[] = {
  { "rough", P (Mul, X, NUM (3)), P (Mul, X, NUM (3.00001)), .why = "A little off.", .exactness = PH_ROUNDING },
};
/* clang-format off */
static const PhRule swap[] = {
  { "neg-to-abs", P (Neg, X), P (Abs, X), .why = "Right below zero only." },
  { "sqrt-square", P (Sqrt, P (Mul, X, X)), P (Abs, X), .why = "Right but where the square overflows.", .exactness = PH_EXACT_FINITE },
};
/* clang-format on */
static const PhRule flip[] = { { "flip", P (Floor, P (Mul, X, NUM (0.5))), P (Floor, P (Mul, P (Mul, X, X), NUM (0.5))),
                                 .why = "Unseen from 0 to 1.", .exactness = PH_ROUNDING } };
static const PhPass flip_pass = { .name = "flip", .group = "algebra", .rules = flip, .n_rules = 1 };
static const PhPass drop_relu_pass = { .name = "drop-relu", .group = "algebra", .rules = drop_relu, .n_rules = 1 };
static const PhPass drop_clip_pass = { .name = "drop-clip", .group = "algebra", .rules = drop_clip, .n_rules = 1 };
static const PhPass rough_pass = { .name = "rough", .group = "algebra", .rules = rough, .n_rules = 1 };
static const PhPass swap_pass = { .name = "swap", .group = "algebra", .rules = swap, .n_rules = 2 };

static PhDocument *
open_text (const char *body)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>\n%s", PH_OPSET_NEWEST, body);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "test", &error);
  PhDocument *document = ph_document_new ();

  g_assert_no_error (error);
  ph_infer_model (model, TRUE, NULL, &error);
  g_assert_no_error (error);
  ph_document_take_model (document, model, "test.onnxtxt", NULL);
  return document;
}

static void
run (PhDocument *document, const PhPass *pass)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhJob) job = ph_job_new (document, ph_document_get_position (document));

  ph_job_get_options (job)->allow = PH_LOSSY;
  ph_job_get_options (job)->limit = pass == &flip_pass ? 1 : G_MAXUINT;
  ph_job_add_pass (job, pass, NULL);
  ph_job_run (job, NULL, &error);
  g_assert_no_error (error);
  ph_document_take_job (document, job, TRUE, &error);
  g_assert_no_error (error);
}

static const PhProof *
prove (PhDocument *document, guint step)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhProofJob) job = ph_proof_job_new (document, 0, G_MAXUINT);

  ph_proof_job_run (job, NULL, &error);
  g_assert_no_error (error);
  ph_document_take_proofs (document, job);
  g_assert_nonnull (ph_document_get_proof (document, step));
  return ph_document_get_proof (document, step);
}

/* Forty places, of which the rule is wrong at one only: the others are never negative. */
static void
test_blame (void)
{
  g_autoptr (GString) body = g_string_new ("g (float[4] x) => (float[4] y) { a0 = Abs(x) ");
  g_autoptr (PhDocument) document = NULL;
  const PhProof *proof;
  PhHistory *history;
  gboolean negative = FALSE;

  for (guint i = 0; i < 40; i++)
    if (i == 24)
      g_string_append_printf (body, "s%u = Sub(a%u, x) t%u = Tanh(x) u%u = Relu(t%u) v%u = Mul(s%u, u%u) a%u = Abs(v%u) ", i, i,
                              i, i, i, i, i, i, i + 1, i);
    else
      g_string_append_printf (body, "r%u = Relu(a%u) a%u = Tanh(r%u) b%u = Tanh(a%u) ", i, i, i + 1, i, i, i + 1);
  g_string_append (body, "y = Identity(a25) }");

  document = open_text (body->str);
  run (document, &drop_relu_pass);
  history = ph_document_get_history (document);
  g_assert_cmpuint (history->rewrites->len, ==, 40);
  proof = prove (document, 0);
  g_test_message ("%s, %s, %s", proof->sentence, proof->first_difference, proof->inputs);
  g_assert_cmpint (proof->verdict, ==, PH_VERDICT_DIFFERENT);
  g_assert_cmpuint (proof->n_different, ==, 1);
  g_assert_true (proof->blamed);
  g_assert_cmpstr (ph_history_rewrite_at (history, proof->blame)->rule, ==, "drop-relu");
  g_assert_cmpuint (proof->blame.rewrite, ==, 24);
  g_assert_cmpstr (proof->output, ==, "y");
  g_assert_cmpstr (proof->value, ==, "u24");
  g_assert_cmpuint (proof->differences->len, ==, 1);
  g_assert_cmpuint (g_array_index (proof->differences, PhProofDifference, 0).at.rewrite, ==, 24);
  g_assert_cmpstr (g_array_index (proof->differences, PhProofDifference, 0).value, ==, "u24");
  g_assert_cmpfloat (g_ascii_strtod (proof->expected, NULL), ==, 0);
  g_assert_cmpfloat (g_ascii_strtod (proof->actual, NULL), <, 0);

  /* The inputs that it names do show it. */
  PhTensor *x = g_hash_table_lookup (proof->feeds, "x");

  g_assert_nonnull (x);
  for (gsize i = 0; i < ph_tensor_count (x); i++)
    negative |= ph_tensor_get (x, i) < 0;
  g_assert_true (negative);
  g_assert_cmpint (g_array_index (history->steps, PhStep, 0).verdict, ==, PH_VERDICT_DIFFERENT);
}

/* An exact rule is held to huge numbers and infinities, one that excepts them is not; what is a little off is told from rounding,
 * though float32 alone could not tell. */
static void
test_classes (void)
{
  g_autoptr (PhDocument) document = open_text ("g (float[64] x) => (float[64] y, float[64] z, float[64] w) <float k = {-1e30}, "
                                               "float three = {3}> "
                                               "{ y = Max(x, k) z = Mul(x, three) i = Mul(x, x) w = Sqrt(i) }");
  const PhProof *proof;

  run (document, &drop_clip_pass);
  run (document, &rough_pass);
  run (document, &swap_pass);
  proof = prove (document, 0);
  g_assert_cmpint (proof->exactness, ==, PH_EXACT);
  g_assert_cmpint (proof->verdict, ==, PH_VERDICT_DIFFERENT);
  g_assert_cmpstr (proof->value, ==, "y");

  proof = ph_document_get_proof (document, 1);
  g_assert_cmpint (proof->exactness, ==, PH_ROUNDING);
  g_assert_cmpint (proof->verdict, ==, PH_VERDICT_DIFFERENT);
  g_assert_cmpfloat (proof->max_scaled_error, <, 1e-5);

  proof = ph_document_get_proof (document, 2);
  g_assert_cmpint (proof->exactness, ==, PH_EXACT_FINITE);
  g_assert_true (ph_verdict_is_good (proof->verdict));
  g_assert_cmpuint (proof->n_sets, >, 5);
  g_assert_nonnull (strstr (proof->inputs, "nonfinite"));
}

/* What comes out is the same whatever goes in: that is no tick. */
static void
test_nothing (void)
{
  g_autoptr (PhDocument) document = open_text (
      "g (float[8] x) => (float[8] y) <float half = {0.5}> { s = Sigmoid(x) m = Mul(s, half) y = Floor(m) }");
  const PhProof *proof;

  run (document, &flip_pass);
  proof = prove (document, 0);
  g_assert_cmpint (proof->verdict, ==, PH_VERDICT_NOTHING);
  g_assert_nonnull (proof->problem);
}

/* What is merged is a border value that one kernel made and the other recomputes: with its producer they are one. */
static void
test_merged (void)
{
  g_autoptr (PhDocument) document = open_text ("g (float[1,64,9,9] x, float[8,64,3,3] w) => (float[1,8,7,7] y) "
                                               "{ a = Conv(x, w) b = Conv(x, w) r = Relu(a) s = Relu(b) y = Add(r, s) }");
  const PhProof *proof;

  run (document, ph_pass_find ("cse"));
  proof = prove (document, 0);
  g_assert_cmpuint (proof->n_rewrites, >, 0);
  g_test_message ("%s", proof->sentence);
  g_assert_true (ph_verdict_is_good (proof->verdict));
}

static gboolean
on_timeout (gpointer data)
{
  g_error ("nothing was proved in time");
  return G_SOURCE_REMOVE;
}

static void
wait_for_proofs (PhDocument *document)
{
  guint timeout = g_timeout_add_seconds (20, on_timeout, NULL);

  while (ph_document_is_proving (document))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (timeout);
}

/* In the background: by itself after a step, anew after feeds, never for steps that are gone. */
static void
test_background (void)
{
  g_autoptr (PhDocument) document = open_text ("g (float[8] x) => (float[8] y) { n = Neg(x) r = Relu(n) y = Tanh(r) }");
  g_autoptr (PhTensor) fed = ph_tensor_new_floats ((const float[]) { 1, 2, 3, 4, 5, 6, 7, 8 }, 8);
  const PhProof *proof;

  ph_document_set_proves (document, TRUE);
  run (document, &swap_pass);
  run (document, &drop_relu_pass);
  g_assert_true (ph_document_is_proving (document));
  wait_for_proofs (document);
  proof = ph_document_get_proof (document, 0);
  g_assert_nonnull (proof);
  g_assert_cmpint (proof->verdict, ==, PH_VERDICT_DIFFERENT);
  g_assert_true (ph_verdict_is_good (ph_document_get_proof (document, 1)->verdict));

  ph_document_set_feed (document, "x", fed);
  g_assert_null (ph_document_get_proof (document, 0));
  wait_for_proofs (document);
  proof = ph_document_get_proof (document, 0);
  g_assert_cmpstr (proof->shown_by, ==, "captured");
  g_assert_true (ph_tensor_equal (g_hash_table_lookup (proof->feeds, "x"), fed));

  ph_document_truncate (document, (PhPosition) { 1, 0 });
  wait_for_proofs (document);
  g_assert_nonnull (ph_document_get_proof (document, 0));
  g_assert_null (ph_document_get_proof (document, 1));

  /* A change right away, and closing while it runs. */
  run (document, &drop_relu_pass);
  ph_document_set_feed (document, "x", NULL);
  while (ph_document_is_proving (document) && ph_document_get_proof (document, 0) == NULL)
    g_main_context_iteration (NULL, TRUE);
  ph_document_close (document);
  g_assert_null (ph_document_get_proof (document, 0));
  ph_document_set_proves (document, FALSE);
}

static void
test_unprovable (void)
{
  g_autoptr (PhDocument) document = open_text (
      "g (float[8] x) => (float[8] y) { n = RandomNormalLike(x) m = Add(n, x) y = Relu(m) }");
  const PhProof *proof;

  run (document, &drop_relu_pass);
  proof = prove (document, 0);
  g_assert_cmpint (proof->verdict, ==, PH_VERDICT_NONE);
  g_assert_nonnull (strstr (proof->problem, "random"));
}

int
main (int argc, char **argv)
{
  static const PhPass *const passes[] = { &flip_pass, &drop_relu_pass, &drop_clip_pass, &rough_pass, &swap_pass };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    g_assert_true (ph_pass_register (passes[i], NULL));
  g_test_add_func ("/prove/blame", test_blame);
  g_test_add_func ("/prove/classes", test_classes);
  g_test_add_func ("/prove/nothing", test_nothing);
  g_test_add_func ("/prove/merged", test_merged);
  g_test_add_func ("/prove/background", test_background);
  g_test_add_func ("/prove/unprovable", test_unprovable);
  return g_test_run ();
}
