/* foreign.c: a change by another program, as one step of a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "foreign.h"

#include "core/io/io.h"
#include "core/prove/prover.h"
#include "oracle.h"
#include "passes/adopt.h"

static GBytes *wanted;

static gboolean
run_wanted (PhPassRun *run, GError **error)
{
  g_autoptr (PhModel) after = ph_onnx_read (wanted, "after", NULL, error);

  return after != NULL && ph_pass_adopt (run, after, "exec", "Another program made this.", NULL, error);
}

PhProof *
prove_foreign (PhModel *model, PhModel *after, guint64 seed, GError **error)
{
  PhPass pass
      = { .name = "exec", .group = "foreign", .summary = "Another program.", .run = run_wanted, .exactness = PH_ROUNDING };
  PhModel *walker = ph_model_clone (model);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhProver) prover = NULL;
  gboolean ok;

  wanted = ph_onnx_write (after, error);
  ok = wanted != NULL && ph_pass_run (&pass, walker, history, NULL, error);
  g_clear_pointer (&wanted, g_bytes_unref);
  if (!ok)
    {
      ph_model_free (walker);
      return NULL;
    }
  prover = ph_prover_new (walker, g_steal_pointer (&history), NULL, seed);
  return ph_prover_compare (prover, (PhPosition) { 0, 0 }, (PhPosition) { 1, 0 }, &(PhRunOptions) { .cancellable = patience () },
                            error);
}
