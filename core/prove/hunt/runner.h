/* runner.h: a model computed where it really runs, by a program, beside what is computed here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/along.h"
#include "core/prove/hunt/fault.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_RUNNER_AGREES,              /* here and there, before and after                                  */
  PH_RUNNER_PASS,                /* before and after differ, here and there alike                     */
  PH_RUNNER_KERNEL,              /* here before and after are equal; the program computes otherwise   */
  PH_RUNNER_BOTH,
  PH_RUNNER_FLICKERS,            /* the same model on the same inputs twice is not the same           */
} PhRunnerVerdict;
/* clang-format on */

typedef struct
{
  PhRunnerVerdict verdict;
  gboolean before, after;                   /* the program computes the model before, after, otherwise than here */
  char *output, *place, *expected, *actual; /* (nullable) where that shows               */
  char *sentence;
} PhRunnerReport;

const char *ph_runner_verdict_name (PhRunnerVerdict verdict); /* "agrees" "pass" "kernel" "both" "flickers" */
/* Computes @before and @after here and by @program, on @named (name -> PhTensor) and what is made up from @seed. */
PhRunnerReport *ph_runner_judge (const char *program, PhModel *before, PhModel *after, GHashTable *named, guint64 seed,
                                 GCancellable *cancellable, GError **error);
void ph_runner_report_free (PhRunnerReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhRunnerReport, ph_runner_report_free)

/* How @after, as the program computes it, goes wrong against @before as it does; @feeds: name -> PhTensor. NULL: it does not, or @before cannot be computed. */
PhFault *ph_runner_fault (const char *program, PhModel *before, PhModel *after, GHashTable *feeds, GCancellable *cancellable);

/* Every value of @model that has a name, here and by @program: where its kernels begin to differ. */
PhAlong *ph_runner_along (const char *program, PhModel *model, GHashTable *named, guint64 seed, GCancellable *cancellable,
                          GError **error);

G_END_DECLS
