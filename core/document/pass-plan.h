/* pass-plan.h: the passes that are going to run, the rules that they leave out, and where the run stops. Knows no document.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"
#include "passes/pass.h"
#include "passes/pipeline-file.h"

G_BEGIN_DECLS

typedef struct
{
  const PhPass *pass;
  gboolean enabled, breakpoint;
  gboolean repeat;  /* the pass runs again, within its step, until it finds nothing more */
  guint limit;      /* rewrites at most; G_MAXUINT: no limit                             */
  gboolean implied; /* upgrade-opset that nobody asked for: the file keeps its opset     */
} PhPipelineEntry;

/* pass-plan-text.c: a name of ph_pipeline_list(), or words separated by commas: passes, each with :off, :break, :repeat or :limit=N
 * behind it, and allow=CLASS (else all is allowed). An old file's operators are brought into their newest form first; of a pipeline
 * of the list, another system's are converted first, and none of its passes is there where none would do anything. (transfer full)
 * (element-type PhPipelineEntry) */
GArray *ph_pipeline_parse (const char *text, const PhPipelineFile *file, PhExactness *allow, GError **error);
/* There is no pipeline or pass of that name; which one is near. */
void ph_pipeline_set_unknown (const char *name, GError **error);

typedef struct
{
  char *name; /* of a pipeline, or its words                                             */
  PhExactness allow;
  GArray *entries;      /* (element-type PhPipelineEntry)                                          */
  GPtrArray *rules_off; /* (element-type char*) "pass/rule"                                        */
  GPtrArray *breaks;    /* (element-type char*) rules, "pass/rule" or "n42", before which a run stops */
  PhPipelineFile file;  /* for which it was set                                                    */
} PhPassPlan;

void ph_pass_plan_init (PhPassPlan *plan);
void ph_pass_plan_clear (PhPassPlan *plan);
/* FALSE: as it was. */
gboolean ph_pass_plan_set (PhPassPlan *plan, const char *text, const PhPipelineFile *file, GError **error);
/* Why it has no passes although it is to have some. (nullable) */
const char *ph_pass_plan_get_idle (const PhPassPlan *plan);
/* The entries are not, or no longer, one of ph_pipeline_list(); such words as above, or the name. (transfer full) */
gboolean ph_pass_plan_is_own (const PhPassPlan *plan);
char *ph_pass_plan_to_text (const PhPassPlan *plan, const char *separator);

/* For each step of @history (nullable) which entry it is, or -1; steps before @base are nobody's. (transfer full) */
int *ph_pass_plan_map_steps (const PhPassPlan *plan, const PhHistory *history, guint base);
/* The breakpoint on the rewrite that @at stands before. (nullable) */
const char *ph_pass_plan_find_break (const PhPassPlan *plan, const PhHistory *history, PhPosition at);
/* The first position from @from on, before @end, at which such a rewrite is next; @end when there is none. */
PhPosition ph_pass_plan_next_break (const PhPassPlan *plan, const PhHistory *history, PhPosition from, PhPosition end);

const PhPass *ph_pass_plan_upgrade (void);           /* (nullable) the pass upgrade-opset */
const PhPass *ph_pass_plan_convert (void);           /* convert-to-onnx                   */
gboolean ph_pass_plan_is_first (const PhPass *pass); /* upgrade-opset, or newest-form: before all others */

G_END_DECLS
