/* upgrade-opset.c: upgrades a model of an older opset to the newest one (core/opset): each upgrade is a rewrite.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/upgrade.h"
#include "core/opset/upgrades.h"
#include "passes/run.h"

#define UPGRADE_RULE(name_, ops_, below_, func_, why_) \
  { .name = name_, .matches = ops_ " before opset " #below_, .becomes = "its newest version", .why = why_ },

/* clang-format off */
static const PhRule     rules[] = {
  UPGRADES (UPGRADE_RULE)
  { .name = "set-opset", .matches = "the model", .becomes = "the model at the newest opset",
    .why = "Every operator is at its newest version now." },
};
/* clang-format on */

static gboolean
begin (gpointer run, const char *rule, PhNode *node, const char *why)
{
  return ph_pass_begin (run, rule, node, why);
}

static void
end (gpointer run)
{
  ph_pass_end (run);
}

static void
abandon (gpointer run)
{
  ph_pass_abort (run);
}

static gboolean
stopped (gpointer run)
{
  return ((PhPassRun *) run)->stopped;
}

static gboolean
upgrade_opset (PhPassRun *run, GError **error)
{
  const PhUpgradeJournal journal = { begin, end, abandon, stopped, run };

  return ph_model_upgrade_by (run->model, &journal, run->options->keep_opset, error);
}

/* clang-format off */
const PhPass ph_pass_upgrade_opset = {
  .name = "upgrade-opset", .group = "upgrade", .summary = "Upgrades operators of older opsets to their newest version",
  .keeps_values = TRUE,
  .elsewhere = "onnx version_converter",
  .trap = "an attribute that became an input (axes, pads, ratio), a default that moved (Softmax's axis at 13), a "
          "meaning that changed (BatchNormalization at 14).",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules), .run = upgrade_opset, .exactness = PH_EXACT,
};
/* clang-format on */
