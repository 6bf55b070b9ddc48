/* newest-form.c: converts operators to the form of the newest opset, which other passes expect, without changing the file's opset.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

extern const PhPass ph_pass_upgrade_opset;

/* Updates operators like upgrade-opset, but keeps the model's opset. It goes first in a pipeline without upgrade-opset: rewrites that would
 * need a newer opset are then refused. */
static gboolean
newest_form (PhPassRun *run, GError **error)
{
  const PhPassOptions *given = run->options;
  PhPassOptions options = *given;
  gboolean ok;

  options.keep_opset = TRUE;
  run->options = &options;
  ok = ph_pass_upgrade_opset.run (run, error);
  run->options = given;
  return ok;
}

/* clang-format off */
const PhPass ph_pass_newest_form = {
  .name = "newest-form", .group = "upgrade", .summary = "Rewrites operators in their newest form; the file keeps its opset",
  .keeps_values = TRUE, .run = newest_form, .exactness = PH_EXACT,
};
/* clang-format on */
