/* proof.c: what the comparison of two positions found, put together set by set.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/proof-private.h"

static void
clear_output (gpointer data)
{
  g_free (((PhAgreeOutput *) data)->name);
}

PhProof *
ph_proof_new (PhPosition a, PhPosition b, PhExactness exactness)
{
  PhProof *proof = g_new0 (PhProof, 1);

  proof->a = a;
  proof->b = b;
  proof->exactness = exactness;
  proof->limit = ph_agree_limit (exactness);
  proof->outputs = g_array_new (FALSE, TRUE, sizeof (PhAgreeOutput));
  g_array_set_clear_func (proof->outputs, clear_output);
  return proof;
}

void
ph_proof_free (PhProof *proof)
{
  g_free (proof->problem);
  g_free (proof->inputs);
  g_array_unref (proof->outputs);
  g_free (proof->first_difference);
  g_free (proof->output);
  g_free (proof->value);
  g_free (proof->expected);
  g_free (proof->actual);
  g_clear_pointer (&proof->feeds, g_hash_table_unref);
  g_free (proof);
}

void
ph_proof_set_sentence (PhProof *proof, const char *why)
{
  g_free (proof->first_difference);
  if (proof->value != NULL && proof->output != NULL && !g_str_equal (proof->value, proof->output))
    proof->first_difference = g_strdup_printf ("output '%s' differs, first value '%s': %s, with %s inputs", proof->output, proof->value,
                                               why, proof->shown_by);
  else if (proof->output != NULL)
    proof->first_difference = g_strdup_printf ("output '%s': %s, with %s inputs", proof->output, why, proof->shown_by);
  else
    proof->first_difference = g_strdup_printf ("%s, with %s inputs", why, proof->shown_by);
}

void
ph_proof_show (PhProof *proof, PhInputsKind kind, guint64 seed)
{
  proof->shown_by = ph_inputs_kind_name (kind);
  proof->shown_kind = kind;
  proof->seed = seed;
}

void
ph_proof_set_element (PhProof *proof, PhTensor *expected, PhTensor *actual, const PhComparison *result)
{
  gboolean numbers = ph_tensor_kind (expected) == PH_KIND_TENSOR && ph_tensor_kind (actual) == PH_KIND_TENSOR &&
                     ph_tensor_dtype (expected) != PH_STRING && result->first_different < ph_tensor_count (expected) &&
                     ph_tensor_count (expected) == ph_tensor_count (actual) && ph_tensor_dtype (expected) == ph_tensor_dtype (actual);

  g_clear_pointer (&proof->expected, g_free);
  g_clear_pointer (&proof->actual, g_free);
  proof->element = result->first_different;
  if (numbers)
    {
      proof->expected = g_strdup_printf ("%.9g", ph_tensor_get (expected, result->first_different));
      proof->actual = g_strdup_printf ("%.9g", ph_tensor_get (actual, result->first_different));
    }
}

static PhAgreeOutput *
output_row (PhProof *proof, const char *name)
{
  for (guint i = 0; i < proof->outputs->len; i++)
    {
      PhAgreeOutput *row = &g_array_index (proof->outputs, PhAgreeOutput, i);

      if (g_str_equal (row->name, name))
        return row;
    }
  g_array_append_val (proof->outputs, ((PhAgreeOutput) { .name = g_strdup (name), .same = TRUE, .close = TRUE }));
  return &g_array_index (proof->outputs, PhAgreeOutput, proof->outputs->len - 1);
}

void
ph_proof_add_set (PhProof *proof, PhInputsKind kind, guint64 seed, GHashTable *before, GHashTable *after, GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      const char          *name = names->pdata[i];
      PhTensor            *expected = g_hash_table_lookup (before, name), *actual = g_hash_table_lookup (after, name);
      PhAgreeOutput       *row = expected != NULL && actual != NULL ? output_row (proof, name) : NULL;
      g_auto(PhComparison) result = { 0 };

      if (row == NULL)
        continue;
      result = ph_agree_tensors (actual, expected, proof->exactness, kind == PH_INPUTS_SPECIAL, &proof->n_unbounded);
      row->same = row->same && ph_tensor_equal (expected, actual);
      row->max_abs_error = MAX (row->max_abs_error, result.max_abs_error);
      row->max_scaled_error = MAX (row->max_scaled_error, ph_agree_scaled (result.max_abs_error, expected));
      row->max_ulp = MAX (row->max_ulp, result.max_ulp);
      proof->max_abs_error = MAX (proof->max_abs_error, result.max_abs_error);
      proof->max_scaled_error = MAX (proof->max_scaled_error, row->max_scaled_error);
      if (result.close)
        continue;
      row->close = FALSE;
      if (proof->output == NULL)
        {
          proof->output = g_strdup (name);
          ph_proof_show (proof, kind, seed);
          ph_proof_set_element (proof, expected, actual, &result);
          ph_proof_set_sentence (proof, result.why != NULL ? result.why : "differs");
        }
    }
}

void
ph_proof_conclude (PhProof *proof)
{
  if (proof->n_sets == 0 && proof->shown_by == NULL)
    {
      proof->verdict = PH_VERDICT_NONE;
      return;
    }
  g_clear_pointer (&proof->problem, g_free);
  if (proof->verdict == PH_VERDICT_NONE)
    proof->verdict = proof->n_unbounded > 0 ? PH_VERDICT_CLOSE : PH_VERDICT_SAME;
  for (guint i = 0; i < proof->outputs->len; i++)
    {
      const PhAgreeOutput *output = &g_array_index (proof->outputs, PhAgreeOutput, i);
      PhVerdict            verdict = !output->close ? PH_VERDICT_DIFFERENT : output->same ? PH_VERDICT_SAME : PH_VERDICT_CLOSE;

      proof->verdict = MAX (proof->verdict, verdict);
    }
}
