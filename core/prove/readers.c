/* readers.c: decides whether the users of a region hide a difference at its border.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/prover-private.h"

/* The number of times that a region is extended by its readers, and its largest size in nodes. */
#define MAX_FOLLOWED  3
#define MAX_FOLLOWING 160
#define FAR           0x1p-7

/* Returns TRUE if the results are also good in float32: a value that leaves its range still agrees in double. */
static gboolean
is_good_in_float (const PhTrial *trial, guint n_outputs)
{
  if (!ph_verdict_is_good (trial->verdict) || trial->n_unbounded > 0 || trial->n_out_of_range > 0 || trial->loses_accuracy)
    return FALSE;
  for (guint k = 0; trial->outputs != NULL && k < n_outputs; k++)
    if (trial->outputs[k].float_error > FAR)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if @trial, of a region with its readers, excuses a difference at the border of @region. For a change that promises nothing,
 * a few inputs on which the readers hide the difference are not enough: it must be proved. But if one side is empty, the readers' inputs
 * are made up directly, thresholds and ties included, and enough samples suffice. */
static gboolean
excuses (const PhTrial *trial, const PhRegion *region, guint n_outputs, PhPromise promise)
{
  if (!is_good_in_float (trial, n_outputs))
    return FALSE;
  return promise != PH_PROMISE_NONE || trial->verdict == PH_VERDICT_PROVED
         || (trial->verdict == PH_VERDICT_SAME && trial->n_sets >= PH_PROVE_ENOUGH_SETS
             && (region->before->len == 0 || region->after->len == 0));
}

/* Returns TRUE if made-up shapes do not fit together: shapes differ or the computation fails, but no number differs. */
static gboolean
may_not_fit (const PhTrial *trial)
{
  return trial->verdict == PH_VERDICT_DIFFERENT && trial->expected == NULL && trial->shown_by != PH_SAMPLE_CAPTURED;
}

PhTrial *
ph_prover_follow_readers (PhProver *prover, const PhRegion *region, PhTrial *trial, PhPromise promise, double flops,
                          GError **error)
{
  g_autoptr (PhRegion) wider = NULL;

  for (guint round = 0; round < MAX_FOLLOWED && trial != NULL && trial->verdict == PH_VERDICT_DIFFERENT; round++)
    {
      PhTrial *next;

      if (wider == NULL)
        wider = ph_region_copy (region);
      if (!ph_region_follow (wider, prover->model[0], prover->model[1]) || wider->before->len + wider->after->len > MAX_FOLLOWING)
        break;
      next = ph_prover_try_region (prover, wider, promise, flops, FALSE, error);
      if (promise == PH_PROMISE_NONE && next != NULL && may_not_fit (next) && prover->captured != NULL)
        {
          PhTrial *flowing;

          prover->flowing = TRUE;
          flowing = ph_prover_try_region (prover, wider, promise, flops, FALSE, error);
          prover->flowing = FALSE;
          if (flowing != NULL && excuses (flowing, region, wider->outputs->len, promise))
            {
              ph_trial_free (trial);
              ph_trial_free (next);
              flowing->at_one_run = TRUE;
              flowing->verdict = PH_VERDICT_SAME;
              return flowing;
            }
          g_clear_pointer (&flowing, ph_trial_free);
        }
      if (next != NULL && !excuses (next, region, wider->outputs->len, promise))
        {
          ph_trial_free (next);
          continue;
        }
      ph_trial_free (trial);
      trial = next;
    }
  return trial;
}
