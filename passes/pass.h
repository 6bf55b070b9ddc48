/* pass.h: a pass is one struct: a table of rules, or a function.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gmodule.h>

#include "core/ops/facts.h"
#include "core/ops/pattern.h"
#include "passes/pass-options.h"

G_BEGIN_DECLS

typedef struct _PhPassRun PhPassRun;

/* @find and @replace are templates; or @when refuses and @build makes the replacement of output 0 of the root.
 * A rule without @find starts at any node of operator @root (or, without one, at every node) and has @when do the matching. */
typedef struct
{
  const char *name; /* unique in its pass, kebab-case                                     */
  const PhPattern *find, *replace;
  gboolean (*when) (PhMatch *match);
  PhValue *(*build) (PhMatch *match, PhBuilder *builder); /* NULL without error: does not apply after all */
  const PhOp *root;
  const char *becomes; /* the right-hand side as text, where @build makes it                 */
  const char *why;     /* one sentence for a student                                         */
  PhExactness exactness;
  gboolean allow_shared; /* inner nodes may have other users                                   */
  /* The way out for rules with several outputs: does the whole rewrite itself, through edits. FALSE without error: did
   * not apply (and changed nothing). */
  gboolean (*apply) (PhMatch *match, PhBuilder *builder);
  const char *matches;      /* (nullable) the left-hand side as text, where @when or a function does the matching */
  const PhOp *const *needs; /* (nullable) where @when does it: without one of these, up to NULL, it matches nothing */
} PhRule;

typedef struct
{
  const char *name, *group,
      *summary; /* groups: upgrade simplify constants cse dce algebra fusion layout control quantisation autodiff */
  const PhRule *rules;
  guint n_rules;
  gboolean (*run) (PhPassRun *run, GError **error); /* a function; rules are then only what `passes` shows of it */
  PhExactness exactness;                            /* of a pass with a function; else the least exact of its rules  */
  gboolean needs_arguments;                         /* "autodiff y": cannot stand alone in a pipeline                */
  gboolean keeps_values; /* may run while a Gradient names values of the graph: none goes or means less */
  gboolean takes_file;   /* its argument is a path: its steps are named after the file    */
  const char *elsewhere; /* (nullable) who else does it, and by what name; where it comes from */
  const char *trap;      /* (nullable) what one gets wrong about it, for a student        */
} PhPass;

const PhPass *const *ph_pass_list (guint *n);  /* from the list in passes/meson.build */
const PhPass *ph_pass_find (const char *name); /* (nullable) */
/* Adds a pass, which lives for ever, to the list; its name must be free, or be that of one that was added so before. */
gboolean ph_pass_register (const PhPass *pass, GError **error);
gboolean ph_pass_is_builtin (const PhPass *pass);
PhExactness ph_pass_exactness (const PhPass *pass);
char *ph_rule_to_string (const PhRule *rule); /* "Add(x, 0) => x" */

/* Runs @pass as one step of @history, which is recorded even when nothing changed. An error (bad rule, no fixed point,
 * cancelled) names pass and rule and leaves model and history as they were; but that another program failed is a step without rewrites. */
gboolean ph_pass_run (const PhPass *pass, PhModel *model, PhHistory *history, const PhPassOptions *options, GError **error);

/* For passes with a function: each rewrite is a transaction. */
PhModel *ph_pass_run_model (PhPassRun *run);
const PhPassOptions *ph_pass_run_options (PhPassRun *run);
/* FALSE: limit reached or cancelled; end the pass with success (the manager sees to the rest). */
gboolean ph_pass_begin (PhPassRun *run, const char *rule, PhNode *node, const char *why);
void ph_pass_end (PhPassRun *run);
void ph_pass_abort (PhPassRun *run);
gboolean ph_pass_close (PhPassRun *run, gboolean ok);         /* ends the rewrite, or aborts it if not @ok; returns @ok */
gboolean ph_pass_has_rule (PhPassRun *run, const char *rule); /* not switched off */

/* Your own passes, in a shared object built against these headers (pkg-config peephole):
 *   static const PhPass my_pass = { .name = "my-pass", ... };   PH_PLUGIN (&my_pass)
 * It is loaded by a process of its own, each time that one of them runs. */
#define PH_PLUGIN_ABI 1
/* clang-format off */
#define PH_PLUGIN(...) \
  G_MODULE_EXPORT extern const guint ph_plugin_abi; \
  G_MODULE_EXPORT extern const PhPass *const ph_plugin_passes[]; \
  const guint ph_plugin_abi = PH_PLUGIN_ABI; \
  const PhPass *const ph_plugin_passes[] = { __VA_ARGS__, NULL };
/* clang-format on */
/* What the shared object at @path holds. (transfer container) (element-type PhPass), to be registered. */
GPtrArray *ph_pass_load (const char *path, GCancellable *cancellable, GError **error);
/* The shared object that has it: what has to be loaded before it can run. (nullable) */
const char *ph_pass_get_file (const PhPass *pass);
gboolean ph_pass_load_here (const char *path, GError **error); /* into this process: what its own process does */

/* Pipelines: none O1 O2 O3 train, and your own. */
typedef struct
{
  const char *name;
  const char *summary;
  const char *const *passes;
  PhExactness allow;
} PhPipeline;
const PhPipeline *ph_pipeline_list (guint *n);
const PhPipeline *ph_pipeline_find (const char *name);

G_END_DECLS
