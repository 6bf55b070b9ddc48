/* proof.c: the result of comparing two positions, assembled rewrite by rewrite.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/proof-private.h"

/* ── one rewrite ── */

PhRewriteProof *
ph_rewrite_proof_new (void)
{
  PhRewriteProof *one = g_new0 (PhRewriteProof, 1);

  one->verdict = PH_VERDICT_PROVED;
  return one;
}

void
ph_rewrite_proof_free (PhRewriteProof *one)
{
  g_free (one->why);
  g_free (one->value);
  g_free (one->place);
  g_free (one->expected);
  g_free (one->actual);
  g_free (one);
}

/* Returns the worse verdict: different is worst, and unknown is worse than close. */
PhVerdict
ph_verdict_worse (PhVerdict a, PhVerdict b)
{
  static const guint8 rank[] = { [PH_VERDICT_PROVED] = 0,  [PH_VERDICT_SAME] = 1, [PH_VERDICT_CLOSE] = 2,
                                 [PH_VERDICT_NOTHING] = 3, [PH_VERDICT_NONE] = 4, [PH_VERDICT_DIFFERENT] = 5 };

  return rank[a] >= rank[b] ? a : b;
}

void
ph_rewrite_proof_add (PhRewriteProof *one, const PhTrial *trial, const char *name)
{
  const gboolean first = trial->verdict == PH_VERDICT_DIFFERENT && one->verdict != PH_VERDICT_DIFFERENT;

  if (trial->why != NULL && ph_verdict_worse (one->verdict, trial->verdict) != one->verdict)
    {
      g_free (one->why);
      one->why = g_strdup (trial->why);
    }
  one->verdict = ph_verdict_worse (one->verdict, trial->verdict);
  one->n_sets = MAX (one->n_sets, trial->n_sets);
  one->kinds |= trial->kinds;
  one->error = MAX (one->error, trial->error);
  one->max_abs = MAX (one->max_abs, trial->max_abs);
  one->tolerance = MAX (one->tolerance, trial->tolerance);
  one->n_unbounded += trial->n_unbounded;
  one->n_out_of_range += trial->n_out_of_range;
  one->n_narrow += trial->n_narrow;
  one->loses_accuracy |= trial->loses_accuracy;
  one->same_nodes |= trial->same_nodes;
  one->reworded |= trial->reworded;
  one->at_one_run |= trial->at_one_run;
  if (trial->verdict == PH_VERDICT_PROVED && trial->field != NULL)
    {
      one->log2_bound = one->log2_bound < 0 ? MAX (one->log2_bound, trial->field->log2_bound) : trial->field->log2_bound;
      one->conjecture |= trial->field->conjecture;
      one->rounded_constants |= trial->field->rounded_constants;
      one->for_these_shapes |= trial->any_size;
    }
  if (!first)
    return;
  one->value = g_strdup (name);
  one->place = g_strdup (trial->place);
  one->expected = g_strdup (trial->expected);
  one->actual = g_strdup (trial->actual);
  one->element = trial->element;
  one->shown_by = trial->shown_by;
}

void
ph_rewrite_proof_join (PhRewriteProof *one, PhVerdict verdict)
{
  one->verdict = verdict;
  g_free (one->why);
  one->why = verdict == PH_VERDICT_NOTHING
                 ? g_strdup ("it differs alone, but together with what it reads all that comes out is the same whatever goes in")
                 : g_strdup_printf ("it differs alone, and is %s together with the others of its step",
                                    ph_verdict_name (verdict));
}

/* ── a proof ── */

static void
clear_output (gpointer data)
{
  g_free (((PhProofOutput *) data)->name);
}

static void
clear_difference (gpointer data)
{
  PhProofDifference *difference = data;

  g_free (difference->value);
  g_free (difference->place);
  g_free (difference->expected);
  g_free (difference->actual);
}

/* A proof being assembled: bits of PH_SAMPLE_..., and data for the sentence besides the public fields. */
typedef struct
{
  PhProof proof;
  guint kinds;
  guint n_reworded;   /* rewrites that are                                            */
  guint n_same_nodes; /* rewrites that are proved by that alone                      */
  guint n_joint;      /* rewrites that are proved together                           */
  guint n_at_one_run; /* rewrites that hold at the shapes of one run of the model    */
  double log2_bound;
  gboolean conjecture, rounded_constants, for_these_shapes;
  PhVerdict whole; /* NONE: not compared */
  char *whole_why, *local_why;
} Draft;

static Draft *
draft_of (PhProof *proof)
{
  return (Draft *) proof;
}

PhProof *
ph_proof_new (PhPosition a, PhPosition b, PhExactness exactness)
{
  PhProof *proof = &((Draft *) g_new0 (Draft, 1))->proof;

  proof->a = a;
  proof->b = b;
  proof->exactness = exactness;
  proof->verdict = PH_VERDICT_PROVED;
  proof->outputs = g_array_new (FALSE, TRUE, sizeof (PhProofOutput));
  g_array_set_clear_func (proof->outputs, clear_output);
  proof->differences = g_array_new (FALSE, TRUE, sizeof (PhProofDifference));
  g_array_set_clear_func (proof->differences, clear_difference);
  return proof;
}

void
ph_proof_free (PhProof *proof)
{
  g_free (draft_of (proof)->whole_why);
  g_free (draft_of (proof)->local_why);
  g_free (proof->sentence);
  g_free (proof->problem);
  g_free (proof->inputs);
  g_array_unref (proof->outputs);
  g_array_unref (proof->differences);
  g_free (proof->first_difference);
  g_free (proof->output);
  g_free (proof->value);
  g_free (proof->place);
  g_free (proof->expected);
  g_free (proof->actual);
  g_clear_pointer (&proof->feeds, g_hash_table_unref);
  g_free (draft_of (proof));
}

void
ph_proof_add_rewrite (PhProof *proof, const PhRewriteProof *one, PhPosition at)
{
  Draft *draft = draft_of (proof);

  if (one->why != NULL && one->verdict != PH_VERDICT_PROVED && ph_verdict_worse (proof->verdict, one->verdict) != proof->verdict)
    {
      g_free (draft->local_why);
      draft->local_why = g_strdup (one->why);
    }
  proof->verdict = ph_verdict_worse (proof->verdict, one->verdict);
  proof->n_rewrites++;
  proof->n_proved += one->verdict == PH_VERDICT_PROVED;
  proof->n_same += one->verdict == PH_VERDICT_SAME;
  proof->n_close += one->verdict == PH_VERDICT_CLOSE;
  proof->n_nothing += one->verdict == PH_VERDICT_NOTHING;
  proof->n_none += one->verdict == PH_VERDICT_NONE;
  proof->n_different += one->verdict == PH_VERDICT_DIFFERENT;
  proof->n_sets = MAX (proof->n_sets, one->n_sets);
  proof->max_abs_error = MAX (proof->max_abs_error, one->max_abs);
  proof->max_scaled_error = MAX (proof->max_scaled_error, one->error);
  proof->tolerance = MAX (proof->tolerance, one->tolerance);
  proof->n_unbounded += one->n_unbounded;
  proof->n_out_of_range += one->n_out_of_range;
  proof->n_narrow += one->n_narrow;
  proof->loses_accuracy |= one->loses_accuracy;
  draft->kinds |= one->kinds;
  draft->n_at_one_run += one->at_one_run;
  draft->n_reworded += one->verdict == PH_VERDICT_PROVED && one->reworded;
  draft->n_same_nodes += one->verdict == PH_VERDICT_PROVED && one->same_nodes && one->log2_bound >= 0;
  if (one->log2_bound < 0)
    draft->log2_bound = draft->log2_bound < 0 ? MAX (draft->log2_bound, one->log2_bound) : one->log2_bound;
  draft->conjecture |= one->conjecture;
  draft->rounded_constants |= one->rounded_constants;
  draft->for_these_shapes |= one->for_these_shapes;
  if (one->verdict == PH_VERDICT_DIFFERENT && proof->differences->len < PH_PROOF_MAX_DIFFERENCES)
    {
      PhProofDifference difference
          = { at,         g_strdup (one->value), g_strdup (one->place), g_strdup (one->expected), g_strdup (one->actual),
              one->error, one->shown_by };

      g_array_append_val (proof->differences, difference);
    }
}

void
ph_proof_blame (PhProof *proof, const PhRewriteProof *one, PhPosition at, const PhRewrite *rewrite)
{
  if (proof->blamed)
    return;
  proof->blamed = TRUE;
  proof->blame = at;
  proof->value = g_strdup (one->value);
  proof->place = g_strdup (one->place);
  proof->element = one->element;
  proof->expected = g_strdup (one->expected);
  proof->actual = g_strdup (one->actual);
  proof->shown_by = ph_sample_kind_name (one->shown_by);
  if (one->value != NULL)
    proof->first_difference = g_strdup_printf ("'%s', where %s ends: %s, with %s inputs", one->value, rewrite->rule,
                                               one->why != NULL ? one->why : "differs", proof->shown_by);
  else
    proof->first_difference = g_strdup_printf ("%s: %s, with %s inputs", rewrite->rule, one->why != NULL ? one->why : "differs",
                                               proof->shown_by);
}

void
ph_proof_join (PhProof *proof, const PhTrial *trial)
{
  Draft *draft = draft_of (proof);

  draft->n_at_one_run += trial->at_one_run;
  draft->n_joint = trial->verdict == PH_VERDICT_PROVED ? proof->n_different : 0;
  if (trial->verdict == PH_VERDICT_PROVED && trial->field != NULL)
    draft->log2_bound = draft->log2_bound < 0 ? MAX (draft->log2_bound, trial->field->log2_bound) : trial->field->log2_bound;
  *(trial->verdict == PH_VERDICT_PROVED    ? &proof->n_proved
    : trial->verdict == PH_VERDICT_CLOSE   ? &proof->n_close
    : trial->verdict == PH_VERDICT_NOTHING ? &proof->n_nothing
                                           : &proof->n_same)
      += proof->n_different;
  draft->kinds |= trial->kinds;
  proof->n_sets = MAX (proof->n_sets, trial->n_sets);
  proof->n_different = 0;
  proof->verdict = proof->n_none > 0      ? PH_VERDICT_NONE
                   : proof->n_nothing > 0 ? PH_VERDICT_NOTHING
                   : proof->n_close > 0   ? PH_VERDICT_CLOSE
                   : proof->n_same > 0    ? PH_VERDICT_SAME
                                          : PH_VERDICT_PROVED;
  proof->max_abs_error = trial->max_abs;
  proof->max_scaled_error = trial->error;
  proof->tolerance = trial->tolerance;
  g_array_set_size (proof->differences, 0);
  proof->blamed = FALSE;
  proof->blame = (PhPosition) { 0, 0 };
  g_clear_pointer (&proof->value, g_free);
  g_clear_pointer (&proof->place, g_free);
  g_clear_pointer (&proof->expected, g_free);
  g_clear_pointer (&proof->actual, g_free);
  g_clear_pointer (&proof->first_difference, g_free);
  g_clear_pointer (&proof->feeds, g_hash_table_unref);
  proof->shown_by = NULL;
}

gboolean
ph_proof_leans_on_whole (const PhProof *proof)
{
  return ((const Draft *) proof)->n_at_one_run > 0;
}

void
ph_proof_add_whole (PhProof *proof, const PhTrial *trial, GPtrArray *names)
{
  Draft *draft = draft_of (proof);

  draft->whole = trial->verdict;
  draft->whole_why = g_strdup (trial->why);
  draft->kinds |= trial->kinds;
  proof->n_whole = trial->n_sets;
  proof->n_sets = MAX (proof->n_sets, trial->n_sets);
  proof->max_abs_error = MAX (proof->max_abs_error, trial->max_abs);
  proof->max_scaled_error = MAX (proof->max_scaled_error, trial->error);
  proof->tolerance = MAX (proof->tolerance, trial->tolerance);
  proof->n_unbounded += trial->n_unbounded;
  proof->n_out_of_range += trial->n_out_of_range;
  proof->n_narrow += trial->n_narrow;
  proof->loses_accuracy |= trial->loses_accuracy;
  for (guint k = 0; k < names->len && trial->n_sets > 0; k++)
    {
      const PhTrialOutput *of = &trial->outputs[k];
      PhProofOutput output = { g_strdup (names->pdata[k]), of->max_abs, of->error, of->max_ulp };

      output.close = !(trial->verdict == PH_VERDICT_DIFFERENT && trial->output == k);
      output.same = output.close && of->max_abs == 0;
      g_array_append_val (proof->outputs, output);
    }
  if (trial->verdict != PH_VERDICT_DIFFERENT)
    return;
  proof->output = g_strdup (trial->output < names->len ? names->pdata[trial->output] : NULL);
  if (proof->first_difference == NULL)
    {
      proof->element = trial->element;
      proof->place = g_strdup (trial->place);
      proof->expected = g_strdup (trial->expected);
      proof->actual = g_strdup (trial->actual);
      proof->shown_by = ph_sample_kind_name (trial->shown_by);
      proof->first_difference = g_strdup_printf ("output '%s': %s, with %s inputs", proof->output, trial->why, proof->shown_by);
    }
  else
    {
      g_autofree char *local = g_steal_pointer (&proof->first_difference);

      proof->first_difference = g_strdup_printf ("output '%s' differs; first %s", proof->output, local);
    }
}

/* ── sentences ── */

static void add (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add (GString *text, const char *format, ...)
{
  va_list args;

  if (text->len > 0)
    g_string_append (text, "; ");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
}

static char *
kinds_to_string (guint kinds)
{
  GString *text = g_string_new (NULL);

  for (guint kind = 0; kind < PH_SAMPLE_N_KINDS; kind++)
    if (kinds & (1u << kind))
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", ph_sample_kind_name (kind));
  return g_string_free (text, text->len == 0);
}

static void
add_proved (GString *text, const PhProof *proof, const Draft *draft)
{
  if (proof->n_proved == 0)
    return;
  add (text, "%u of %u rewrites proved", proof->n_proved, proof->n_rewrites);
  if (draft->n_reworded > 0)
    g_string_append_printf (text, ", %u as ONNX says of the operators' versions", draft->n_reworded);
  if (draft->n_same_nodes > 0)
    g_string_append_printf (text, ", %u node for node", draft->n_same_nodes);
  if (draft->n_joint > 0)
    g_string_append_printf (text, ", %u only together", draft->n_joint);
  if (draft->log2_bound < 0)
    g_string_append_printf (text, "%s by exact evaluation over a finite field (wrong with a chance below 2^%.0f%s%s)",
                            draft->n_reworded + draft->n_same_nodes > 0 ? ", the others" : "", draft->log2_bound,
                            draft->conjecture ? ", if exponentials behave as conjectured" : "",
                            draft->rounded_constants ? ", up to rounding of constants" : "");
  if (draft->for_these_shapes)
    g_string_append (text, ", for the shapes that were tried");
}

/* Formats a number, with a point in every locale, unlike snprintf. */
static char *
number (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%.2g", value));
}

static void
add_compared (GString *text, const PhProof *proof, const Draft *draft)
{
  g_autofree char *error = number (proof->max_scaled_error), *tolerance = number (proof->tolerance);

  if (proof->n_same + proof->n_close + (draft->whole != PH_VERDICT_NONE) == 0)
    return;
  if (proof->n_same + proof->n_close > 0)
    add (text, "%u equal on up to %u sets of inputs (%s)", proof->n_same + proof->n_close, proof->n_sets, proof->inputs);
  if (draft->whole == PH_VERDICT_SAME || draft->whole == PH_VERDICT_CLOSE || draft->whole == PH_VERDICT_PROVED)
    add (text, "the whole model agrees on %u %s of inputs", proof->n_whole, proof->n_whole == 1 ? "set" : "sets");
  if (draft->whole == PH_VERDICT_NOTHING)
    add (text, "the model's outputs do not vary, so as a whole it shows nothing");
  if (proof->max_scaled_error > 0)
    add (text, "largest difference in double %s, %s allowed", error, tolerance);
}

static void
conclude_sentence (PhProof *proof, const Draft *draft)
{
  GString *text = g_string_new (NULL);

  if (proof->n_rewrites == 0)
    add (text, "nothing was rewritten");
  add_proved (text, proof, draft);
  add_compared (text, proof, draft);
  if (proof->n_different > 0)
    add (text, "%u of %u rewrites differ", proof->n_different, proof->n_rewrites);
  if (proof->n_different > 0 && draft->whole != PH_VERDICT_NONE && draft->whole != PH_VERDICT_DIFFERENT)
    add (text, "no output of the model showed it on %u %s of inputs", proof->n_whole, proof->n_whole == 1 ? "set" : "sets");
  if (proof->n_nothing > 0)
    add (text, "nothing is shown of %u: %s", proof->n_nothing, draft->local_why != NULL ? draft->local_why : "they do not vary");
  if (proof->n_none > 0)
    add (text, "%u could not be tried alone: %s", proof->n_none,
         draft->local_why != NULL ? draft->local_why : "no inputs could be made");
  if (proof->n_unbounded > 0)
    add (text, "%" G_GSIZE_FORMAT " elements are NaN or infinite on one side, which the rules except", proof->n_unbounded);
  if (proof->n_out_of_range > 0)
    add (text, "%" G_GSIZE_FORMAT " elements overflowed or vanished in their element type before, and no longer do",
         proof->n_out_of_range);
  if (proof->n_narrow > 0)
    add (text, "%u runs of nodes were in float32, for want of a kernel in double", proof->n_narrow);
  if (proof->loses_accuracy)
    add (text, "it loses accuracy: in float32 the results are farther from double than before");
  proof->sentence = g_string_free (text, FALSE);
}

void
ph_proof_conclude (PhProof *proof)
{
  Draft *draft = draft_of (proof);

  proof->inputs = kinds_to_string (draft->kinds);
  if (draft->whole == PH_VERDICT_DIFFERENT)
    proof->verdict = PH_VERDICT_DIFFERENT;
  /* The run of the whole model covers rewrites that could not be tried alone. */
  else if (proof->verdict == PH_VERDICT_NONE && (draft->whole == PH_VERDICT_SAME || draft->whole == PH_VERDICT_CLOSE))
    proof->verdict = proof->n_close > 0 ? PH_VERDICT_CLOSE : draft->whole;
  else if (draft->n_at_one_run > 0 && ph_verdict_is_good (proof->verdict) && !ph_verdict_is_good (draft->whole))
    {
      proof->verdict = PH_VERDICT_NOTHING;
      g_free (draft->local_why);
      draft->local_why = g_strdup ("it holds at the sizes of one run, and the model could not be computed at others");
    }
  if (proof->n_out_of_range > 0 && (proof->verdict == PH_VERDICT_PROVED || proof->verdict == PH_VERDICT_SAME))
    proof->verdict = PH_VERDICT_CLOSE;
  if (proof->verdict == PH_VERDICT_NONE || proof->verdict == PH_VERDICT_NOTHING)
    proof->problem = g_strdup (draft->local_why != NULL   ? draft->local_why
                               : draft->whole_why != NULL ? draft->whole_why
                                                          : "nothing could be compared");
  conclude_sentence (proof, draft);
}
