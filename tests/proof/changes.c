/* changes.c: pairs of small models, before and after a change, of which it is known whether they are equal. A wrong change must be
 * called different, whoever made it and in whichever direction; a right one must not be accused.
 *   tests/proof/changes/THEME.onnxtxt: pairs of
 *     ## NAME: different | different-bits (either with -forwards) | different-range | equal | not-ticked | not-told |
 *              nothing-varies
 *     # before
 *     ONNX text; without a header it is at the newest opset
 *     # after
 *     ONNX text
 * -forwards: the way back is no loss; different-bits: in NaN, infinities or signs of zero alone, which a rule of Peephole's own may
 * except; different-range: only where an element type overflows or vanishes; not-ticked: nothing can be told; not-told: nor is
 * anything wrong; nothing-varies: both give the same, whatever goes in.
 * PEEPHOLE_CHANGES_SEEDS: how often each way is tried (1), as the program of others after the first time.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/prove/prove.h"
#include "core/prove/prover.h"
#include "passes/adopt.h"
#include "tests/share.h"

typedef struct
{
  char *name, *expected, *before, *after;
  guint place; /* in its file */
} Change;

static void
change_free (gpointer data)
{
  Change *change = data;

  g_free (change->name);
  g_free (change->expected);
  g_free (change->before);
  g_free (change->after);
  g_free (change);
}

static PhModel *
parse (const char *text, const char *name)
{
  g_autofree char *whole = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  PhModel *model;

  while (g_ascii_isspace (*text))
    text++;
  if (*text != '<')
    text = whole = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>\n%s", PH_OPSET_NEWEST, text);
  model = ph_onnx_text_read (text, -1, name, &error);
  if (model != NULL && ph_model_opset (model, "") < PH_OPSET_NEWEST)
    ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, NULL, &error);
  else if (model != NULL)
    ph_infer_model (model, TRUE, NULL, &error);
  if (error == NULL)
    return model;
  g_test_message ("%s: %s", name, error->message);
  g_test_fail ();
  g_clear_pointer (&model, ph_model_free);
  return NULL;
}

/* ── a step that makes the one of the other, as `run exec` does ── */

static PhModel *wanted;

static gboolean
run_change (PhPassRun *run, GError **error)
{
  g_autoptr (PhModel) model = g_steal_pointer (&wanted);

  return ph_pass_adopt (run, model, "exec", "Somebody made it so.", NULL, error);
}

static PhProof *
prove (const Change *change, gboolean backwards, gboolean foreign, guint64 seed)
{
  /* A rule of Peephole's own promises more than a program of others, and is forgiven more. */
  PhPass pass = { .name = foreign ? "exec" : "convert-to-onnx",
                  .group = foreign ? "foreign" : "algebra",
                  .summary = "A change.",
                  .run = run_change,
                  .exactness = PH_ROUNDING };
  PhModel *walker = parse (backwards ? change->after : change->before, change->name);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  PhProof *proof;

  if (walker == NULL)
    return NULL;
  wanted = parse (backwards ? change->before : change->after, change->name);
  if (wanted == NULL || !ph_pass_run (&pass, walker, history, NULL, &error))
    {
      g_test_message ("%s: %s", change->name, error != NULL ? error->message : "no model");
      g_test_fail ();
      ph_model_free (walker);
      return NULL;
    }
  prover = ph_prover_new (walker, g_steal_pointer (&history), NULL, seed);
  proof = ph_prover_compare (prover, (PhPosition) { 0, 0 }, (PhPosition) { 1, 0 }, NULL, &error);
  g_assert_no_error (error);
  return proof;
}

static gboolean
is_as_expected (const Change *change, gboolean foreign, gboolean backwards, PhVerdict verdict)
{
  if (g_str_has_suffix (change->expected, "-forwards")
      && (backwards || (!foreign && g_str_has_prefix (change->expected, "different-bits"))))
    return TRUE;
  if (g_str_equal (change->expected, "different") || g_str_has_suffix (change->expected, "-forwards")
      || (foreign && g_str_equal (change->expected, "different-bits")))
    return verdict == PH_VERDICT_DIFFERENT;
  /* Peephole's own rules are equal one by one; parts of what others did may be so only together. */
  if (g_str_equal (change->expected, "equal"))
    return !foreign || ph_verdict_is_good (verdict);
  if (g_str_equal (change->expected, "not-told"))
    return verdict == PH_VERDICT_NONE;
  if (g_str_equal (change->expected, "nothing-varies"))
    return verdict == PH_VERDICT_NOTHING;
  if (g_str_equal (change->expected, "not-ticked"))
    return !ph_verdict_is_good (verdict);
  /* In numbers that an element type cannot hold: a rule of Peephole's own may do better, but that is not proved. */
  if (g_str_equal (change->expected, "different-range"))
    return foreign ? verdict == PH_VERDICT_DIFFERENT : verdict != PH_VERDICT_PROVED && verdict != PH_VERDICT_SAME;
  g_assert_cmpstr (change->expected, ==, "different-bits");
  return TRUE;
}

static void
test_way (const Change *change, guint i)
{
  const gboolean foreign = i % 4 < 2 || i >= 4, backwards = i % 2 == 1;
  g_autoptr (PhProof) proof = prove (change, backwards, foreign, 1 + i);

  if (proof == NULL || is_as_expected (change, foreign, backwards, proof->verdict))
    return;
  g_test_message ("%s%s%s: expected %s, found %s: %s; %s", change->name, backwards ? ", backwards" : "",
                  foreign ? "" : ", as a rule", change->expected, ph_verdict_name (proof->verdict), proof->sentence,
                  proof->first_difference != NULL ? proof->first_difference
                  : proof->problem != NULL        ? proof->problem
                                                  : "");
  g_test_fail ();
}

static void
test_change (gconstpointer data)
{
  const Change *change = data;
  const char *seeds = g_getenv ("PEEPHOLE_CHANGES_SEEDS");

  /* A build that does a share of the cases does one way of each change, and another one of its neighbour. */
  for (guint i = 0; i < 4 * (seeds != NULL ? MAX (1, (guint) atoi (seeds)) : 1); i++)
    if (test_share_takes (i + change->place))
      test_way (change, i);
}

/* ── a part that is most of a model ── */

#define N_LINKS 240

/* A sum of many times a softmax, which is an output as well, and four times that; @own divides each term by the sum of its row and by a quarter,
 * and takes away what is below zero. @is_wrong: it adds the last one. */
static char *
make_chain (gboolean own, gboolean is_wrong)
{
  GString *text = g_string_new (
      "g (float[2,8] x) => (float[2,8] y, float[2,8] s) <int64[1] ax = {-1}, float k = {4}, float q = {0.25}> { s = Softmax (x) ");

  if (own)
    g_string_append (text, "r = ReduceSum (s, ax) v = Div (s, r) u0 = Div (v, q) n = Neg (u0) ");
  else
    g_string_append (text, "t0 = Identity (s) ");
  for (guint i = 0; i < N_LINKS; i++)
    if (own)
      g_string_append_printf (text, "u%u = %s (u%u, n) ", i + 1, is_wrong && i + 1 == N_LINKS ? "Add" : "Sub", i);
    else
      g_string_append_printf (text, "t%u = Add (t%u, s) ", i + 1, i);
  g_string_append_printf (text, own ? "y = Identity (u%u) }" : "y = Mul (t%u, k) }", N_LINKS);
  return g_string_free (text, FALSE);
}

/* What the chain reads cannot be made up, and it is too long for its producer to be taken in: the model speaks for it. */
static void
test_mostly (void)
{
  g_autofree char *before = make_chain (FALSE, FALSE), *after = make_chain (TRUE, FALSE), *wrong = make_chain (TRUE, TRUE);
  Change right = { (char *) "mostly", (char *) "equal", before, after, 0 },
         other = { (char *) "mostly-wrong", (char *) "different", before, wrong, 0 };

  for (guint i = 0; i < 2; i++)
    {
      test_way (&right, i);
      test_way (&other, i);
    }
}

/* ── the files ── */

static void
add_changes (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL), *text = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) parts = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  parts = g_strsplit (text, "\n## ", -1);
  for (guint i = 1; parts[i] != NULL; i++)
    {
      g_auto (GStrv) sides = g_regex_split_simple ("\n# (?:before|after)\n", parts[i], 0, 0), words = NULL;
      g_autofree char *title = NULL;
      Change *change;

      g_assert_cmpuint (g_strv_length (sides), ==, 3);
      words = g_strsplit (sides[0], ": ", 2);
      change = g_new0 (Change, 1);
      change->place = i;
      change->name = g_strdup (words[0]);
      change->expected = g_strdup (words[1]);
      change->before = g_strdup (sides[1]);
      change->after = g_strdup (sides[2]);
      title = g_strdup_printf ("/proof/changes/%.*s/%s", (int) strcspn (file, "."), file, change->name);
      g_test_add_data_func_full (title, change, test_change, change_free);
    }
}

int
main (int argc, char *argv[])
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "proof", "changes", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    add_changes (folder, name);
  g_test_add_func ("/proof/changes/mostly", test_mostly);
  return g_test_run ();
}
