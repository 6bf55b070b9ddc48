/* promise.c: determines the guarantees that the passes in a range of the history give for results.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/prove/prover-private.h"
#include "core/prove/prover.h"

static PhExactness
rewrite_exactness (const PhPass *pass, const char *rule)
{
  for (guint i = 0; i < pass->n_rules; i++)
    if (g_str_equal (pass->rules[i].name, rule))
      return pass->rules[i].exactness;
  return ph_pass_exactness (pass);
}

static const PhPass *
pass_of (const PhStep *step)
{
  g_autofree char *name = g_strndup (step->pass, strcspn (step->pass, " "));

  return ph_pass_find (name);
}

/* Returns TRUE for changes by other programs, which promise nothing. */
static gboolean
is_foreign (const PhPass *pass)
{
  return pass == NULL || g_strcmp0 (pass->group, "foreign") == 0;
}

static PhPromise
promise_of (const PhPass *pass, const char *rule)
{
  static const PhPromise promises[] = { [PH_EXACT] = PH_PROMISE_BITS,
                                        [PH_EXACT_FINITE] = PH_PROMISE_FINITE,
                                        [PH_ROUNDING] = PH_PROMISE_REAL,
                                        [PH_LOSSY] = PH_PROMISE_NEAR };

  return is_foreign (pass) ? PH_PROMISE_NONE : promises[rewrite_exactness (pass, rule)];
}

PhPromise
ph_prover_promise (PhProver *prover, guint step, const PhRewrite *rewrite)
{
  if (prover->said.rule != rewrite->rule || prover->said.step != step)
    {
      prover->said.step = step;
      prover->said.rule = rewrite->rule;
      prover->said.promise = promise_of (pass_of (&g_array_index (prover->history[0]->steps, PhStep, step)), rewrite->rule);
    }
  return prover->said.promise;
}

PhExactness
ph_prove_exactness_between (PhHistory *history, guint first, guint last, gboolean *foreign)
{
  PhExactness exactness = PH_EXACT;
  const PhStep *at = NULL;
  const PhPass *pass = NULL;
  const char *known = NULL; /* the rule before; names are interned */

  for (guint i = first; i < last; i++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, ph_prove_position_of (history, i).step);
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, i);

      if (step == at && rewrite->rule == known)
        continue;
      if (step != at)
        pass = pass_of (step);
      at = step;
      known = rewrite->rule;
      *foreign |= is_foreign (pass);
      exactness = MAX (exactness, pass != NULL ? rewrite_exactness (pass, rewrite->rule) : PH_ROUNDING);
    }
  return exactness;
}

PhPromise
ph_prove_whole_promise (PhExactness exactness, gboolean foreign)
{
  /* Bits were compared rewrite by rewrite; here it is their sum as real numbers. */
  return exactness == PH_LOSSY && !foreign  ? PH_PROMISE_NEAR
         : exactness == PH_EXACT || foreign ? PH_PROMISE_NONE
                                            : PH_PROMISE_REAL;
}
