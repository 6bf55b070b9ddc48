/* run.h: one run of one pass, as the engine and the manager share it. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

struct _PhPassRun
{
  const PhPass        *pass;
  PhModel             *model;
  PhHistory           *history;
  const PhPassOptions *options;
  guint                n_rewrites;
  gboolean             stopped;      /* limit reached or cancelled: ph_pass_begin() said so */
};

/* Runs the rules of @run->pass to their fixpoint. */
gboolean ph_pass_run_rules (PhPassRun *run, GError **error);

G_END_DECLS
