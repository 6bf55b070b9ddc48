/* compare.c: adds a step with the changes that turn this model into another one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "passes/adopt.h"

/* Inlines the functions of both models if one has another interface in each, so that their bodies are compared. */
static gboolean
inline_changed_functions (PhModel *ours, PhModel *theirs, GError **error)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  gboolean differ = FALSE;

  for (guint i = 0; i < theirs->functions->len; i++)
    {
      const PhFunction *function = theirs->functions->pdata[i],
                       *known = ph_model_find_function (ours, function->domain, function->name);

      differ |= known != NULL && !ph_function_same_interface (known, function);
    }
  if (!differ)
    return TRUE;
  if (!ph_pass_run (ph_pass_find ("inline-functions"), theirs, history, NULL, error))
    return FALSE;
  while (theirs->functions->len > 0)
    if (!ph_model_remove_function (theirs->functions->pdata[theirs->functions->len - 1], error))
      return FALSE;
  return TRUE;
}

/* Matched nodes keep their ids, so all views of a step also work for the difference between two models. */
static gboolean
run_compare (PhPassRun *run, GError **error)
{
  const PhPassOptions *options = ph_pass_run_options (run);
  const char *path = options->arguments[0];
  g_autofree char *name = g_filename_display_basename (path), *why = NULL;
  g_autoptr (PhModel) other = ph_io_open (path, NULL, options->cancellable, error);
  g_autoptr (PhHistory) history = ph_history_new ();
  const PhPass *upgrade = ph_pass_find ("upgrade-opset");

  if (other == NULL)
    return FALSE;
  /* The same operator may differ between opsets, so both models are upgraded to the newest first. */
  if (ph_model_opset (other, "") < PH_OPSET_NEWEST && upgrade != NULL && !ph_pass_run (upgrade, other, history, NULL, error))
    return FALSE;
  if (!inline_changed_functions (ph_pass_run_model (run), other, error))
    return FALSE;
  why = g_strdup_printf ("%s has these nodes instead.", name);
  if (ph_pass_adopt (run, other, "compare", why, NULL, error))
    return TRUE;
  g_prefix_error (error, "%s cannot be compared: ", path);
  return FALSE;
}

/* clang-format off */
const PhPass ph_pass_compare = {
  .name = "compare", .group = "foreign", .summary = "Shows how another model differs, with nodes matched by name and structure",
  .run = run_compare, .exactness = PH_LOSSY, .needs_arguments = TRUE, .takes_file = TRUE,
};
/* clang-format on */
