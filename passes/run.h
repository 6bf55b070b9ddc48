/* run.h: one run of one pass, as the engine and the manager share it. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

struct _PhPassRun
{
  const PhPass *pass;
  PhModel *model;
  PhHistory *history;
  const PhPassOptions *options;
  guint n_rewrites;
  guint first_edit; /* of the rewrite                                    */
  guint n_nodes;    /* when it began                                     */
  PhId next_count;  /* nodes are counted again when ids have come here   */
  GError *error;    /* (nullable) why it was stopped, where that is one  */
  GString *note;    /* (nullable) owned: what stood aside, and why */
  gboolean stopped; /* limit reached or cancelled: ph_pass_begin() said so */
};

/* Once for the same text: what the step says of itself. */
void ph_pass_note (PhPassRun *run, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* Another pass as part of this one: its rewrites and what it says of itself are this run's. */
gboolean ph_pass_run_inside (PhPassRun *run, const char *name, GError **error);

/* Brings the types behind what the rewrite changed up to date, as part of it: a constant in the place of a computed shape, say,
 * tells the shapes of all that follows. */
void ph_pass_refine (PhPassRun *run);

/* Runs the rules of @run->pass to their fixpoint. */
gboolean ph_pass_run_rules (PhPassRun *run, GError **error);
/* From now on this process says on its standard error which rule is tried where, when it crashes or is told to end. */
void ph_engine_say_crashes (void);

/* Returns FALSE if @model lacks an operator without which @rule cannot match. @lacking: (nullable) (element-type PhOp) gets those of which one
 * must appear first. */
gboolean ph_rule_may_match (const PhRule *rule, PhModel *model, GPtrArray *lacking);

G_END_DECLS
