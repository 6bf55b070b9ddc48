/* document.h: what is open: file, model, history, pipeline, feeds, selection. Views bind to it and never edit it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/analyze/diff.h"
#include "core/document/execution.h"
#include "core/document/view-state.h"
#include "core/prove/along.h"
#include "core/prove/prove.h"
#include "core/run/profile.h"
#include "passes/pass.h"

G_BEGIN_DECLS

#define PH_TYPE_DOCUMENT (ph_document_get_type ())
G_DECLARE_FINAL_TYPE (PhDocument, ph_document, PH, DOCUMENT, GObject)

/* Lives in one thread (the main one in the window). Signals:
 *   opened ()            another file, or none: everything is new
 *   history-changed ()   steps were appended or dropped
 *   position-changed ()  the model was moved along its history
 *   pipeline-changed ()  passes switched off, reordered, another pipeline
 *   feeds-changed ()     inputs set; values-changed (): results of an evaluation are there
 *   profile-changed ()   how long the nodes take was measured
 *   along-changed ()     the values of two positions were compared
 *   execution-changed () another event of the run that is walked through is the last one, or there is no such run any more
 *   verdicts-changed ()  the comparison of a step with the one before it is known, or comparing began or ended
 *   inside-changed ()    the picture shall show another inside (ph_document_get_inside())
 *   value-shown ()       somebody asked for all about a value (ph_document_get_shown_value())
 *   problems-changed ()
 *   bookmarks-changed ()
 *   since-changed ()     what is shown is compared with another position
 *   diff-changed ()      what changed since then is known
 * Properties: file (char*), selection (guint, node id, 0 none), busy (boolean). */
PhDocument *ph_document_new (void);

gboolean ph_document_is_open (PhDocument *document);
PhModel *ph_document_get_model (PhDocument *document);     /* (nullable) at the present position; do not edit */
PhHistory *ph_document_get_history (PhDocument *document); /* (nullable) */
PhPosition ph_document_get_position (PhDocument *document);
PhViewState *ph_document_get_view (PhDocument *document);   /* how the picture is seen */
const char *ph_document_get_path (PhDocument *document);    /* (nullable) */
GPtrArray *ph_document_get_problems (PhDocument *document); /* (element-type char*) */
/* FALSE, once: a file that the model was read from was written since, which is a problem from now on, the last of them. */
gboolean ph_document_check_files (PhDocument *document);
/* What is on disk by the names of these files is what was read: reading them again would change nothing. */
gboolean ph_document_is_current (PhDocument *document);

/* Takes over what a worker read: replaces everything, emits opened. @problems: (nullable) (transfer full). */
void ph_document_take_model (PhDocument *document, PhModel *model, const char *path, GPtrArray *problems);
/* The same with a copy of @model (nullable) (transfer full) for workers, which was made where the model was read. */
void ph_document_take_models (PhDocument *document, PhModel *model, PhModel *copy, const char *path, GPtrArray *problems);
/* Steps that were recorded elsewhere and lead on from the model that was just taken over. @history: (transfer full) */
void ph_document_take_recording (PhDocument *document, PhHistory *history);
/* Keeps one copy of the model for workers to read (snapshot.h), so that nothing has to be cloned in the document's thread. */
void ph_document_set_copied (PhDocument *document, gboolean copied);
gboolean ph_document_get_copied (PhDocument *document);
void ph_document_close (PhDocument *document);
/* Likewise by a single rewrite: then changes are counted from the one before, also where it ends its step. */
gboolean ph_document_go_rewrite (PhDocument *document, PhPosition to, GError **error);
gboolean ph_document_go (PhDocument *document, PhPosition to, GError **error);
/* Changes whenever steps are dropped or another file is opened: what a worker computed from an older one is stale. */
guint ph_document_get_generation (PhDocument *document);
/* Drops the steps after @at; moves there first when the document stands beyond. */
void ph_document_truncate (PhDocument *document, PhPosition at);

gboolean ph_document_get_busy (PhDocument *document);
void ph_document_set_busy (PhDocument *document, gboolean busy);
guint ph_document_get_selection (PhDocument *document);
void ph_document_set_selection (PhDocument *document, guint node);
/* Selects the node that makes @value, and asks whoever tells of what is selected for the value. */
void ph_document_show_value (PhDocument *document, PhId value);
PhId ph_document_get_shown_value (PhDocument *document);
/* What the picture shows: a body or function in a body ..., outermost first; PH_NO_ID and nothing: the main graph. What a
 * position does not have is left. */
typedef struct
{
  PhId node, inside;
} PhTrailPart;                                        /* entered through @node (PH_NO_ID: by its name); ph_graph_is_shown() */
GArray *ph_document_get_trail (PhDocument *document); /* (transfer none) (element-type PhTrailPart) */
PhId ph_document_get_inside (PhDocument *document);
gboolean ph_document_enter (PhDocument *document, const PhNode *node, GError **error); /* from wherever it stands */
void ph_document_enter_function (PhDocument *document, const PhFunction *function);
gboolean ph_document_leave (PhDocument *document, guint levels);  /* FALSE: there is nothing to leave */
gboolean ph_document_reveal (PhDocument *document, PhId node);    /* goes where it is seen; FALSE: it is already */
char *ph_document_trail_text (PhDocument *document, guint index); /* "n7 FusedAddRelu", "local.scale" (transfer full) */
/* A run that is walked through, and how many of its events are done. Its values are those of the document, and what ran last is
 * selected. (transfer full) (nullable): none any more. Another position, or other inputs, end it. */
void ph_document_take_execution (PhDocument *document, PhExecution *execution);
PhExecution *ph_document_get_execution (PhDocument *document, guint *at); /* (nullable) both */
void ph_document_go_execution (PhDocument *document, guint at);
/* Bookmarks 1 to 9: positions. */
void ph_document_set_bookmark (PhDocument *document, guint number, PhPosition position);
gboolean ph_document_get_bookmark (PhDocument *document, guint number, PhPosition *position);
/* What changes are counted from: the position before the present one (by a step, or inside a step by a rewrite), unless one
 * is set; NULL: that again. */
void ph_document_set_since (PhDocument *document, const PhPosition *since);
gboolean ph_document_has_since (PhDocument *document);
PhPosition ph_document_get_since (PhDocument *document);
/* What changed from there to here, when a worker has found it out. The second gives it: (transfer full) (nullable). */
PhDiff *ph_document_get_diff (PhDocument *document); /* (nullable) */
void ph_document_take_diff (PhDocument *document, PhDiff *diff, PhPosition a, PhPosition b);

/* The pipeline: the chosen one's passes. Where the file is old, upgrade-opset goes first in those that come with Peephole, for the
 * form of the operators only; in one's own it has to be named, else what needs a newer opset stands aside. */
typedef struct
{
  const PhPass *pass;
  gboolean enabled, breakpoint;
  gboolean repeat;  /* the pass runs again, within its step, until it finds nothing more */
  guint limit;      /* rewrites at most; G_MAXUINT: no limit                             */
  gboolean implied; /* upgrade-opset that nobody asked for: the file keeps its opset     */
} PhPipelineEntry;
#define PH_PIPELINE_DEFAULT "O2"
const char *ph_document_get_pipeline (PhDocument *document);
PhExactness ph_document_get_allow (PhDocument *document);
/* A name of ph_pipeline_list(), or words separated by commas: passes, each with :off, :break, :repeat or :limit=N behind it, and
 * allow=CLASS (else all is allowed). Steps ahead of the present position are dropped, and the
 * whole of it runs from there. */
gboolean ph_document_set_pipeline (PhDocument *document, const char *name, GError **error);
/* Not, or no longer, one of ph_pipeline_list(); such words as above, or the name. (transfer full) */
gboolean ph_document_pipeline_is_own (PhDocument *document);
char *ph_document_pipeline_to_text (PhDocument *document, const char *separator);
/* (transfer full) (element-type PhPipelineEntry) */
GArray *ph_pipeline_parse (const char *text, PhExactness *allow, GError **error);
GArray *ph_document_get_entries (PhDocument *document); /* (element-type PhPipelineEntry) */
/* These drop the steps that were made by a pipeline which is no longer this one. The pass of an entry stays. */
void ph_document_set_entry (PhDocument *document, guint index, const PhPipelineEntry *entry);
void ph_document_move_entry (PhDocument *document, guint from, guint to);
void ph_document_insert_entry (PhDocument *document, guint at, const PhPass *pass);
void ph_document_remove_entry (PhDocument *document, guint index);
/* The entry that the next step would run, G_MAXUINT past the last; which step entry @index became, or -1. */
guint ph_document_next_entry (PhDocument *document);
int ph_document_entry_step (PhDocument *document, guint index);

/* Rules that no pass uses: "pass/rule". */
GPtrArray *ph_document_get_rules_off (PhDocument *document); /* (element-type char*) */
void ph_document_set_rule (PhDocument *document, const char *rule, gboolean enabled);
/* Where `run` stops although there is more: before a rewrite by this rule ("rule" or "pass/rule"), or that touches this
 * node ("n42"). Breakpoints on passes stand in the pipeline. */
GPtrArray *ph_document_get_breaks (PhDocument *document); /* (element-type char*) */
void ph_document_toggle_break (PhDocument *document, const char *rule_or_node);
/* The breakpoint on the rewrite that @at stands before. (nullable) */
const char *ph_document_find_break (PhDocument *document, PhPosition at);
/* The first position from @from on, before @end, at which such a rewrite is next; @end when there is none. */
PhPosition ph_document_next_break (PhDocument *document, PhPosition from, PhPosition end);

/* The kernel of that name is to run a node ("n12") or all nodes of an operator ("Conv"), here and at all other positions; NULL: whichever
 * is asked first. What was measured is forgotten. */
void ph_document_set_kernel (PhDocument *document, const char *key, const char *name);
GHashTable *ph_document_get_kernels (PhDocument *document);                           /* (nullable) key -> name */
GHashTable *ph_document_get_feeds (PhDocument *document);                             /* input name -> PhTensor */
void ph_document_set_feed (PhDocument *document, const char *name, PhTensor *tensor); /* NULL: takes it away */
PhTensor *ph_document_get_value (PhDocument *document, PhId value);                   /* (nullable) of the last evaluation */
/* Takes over the result of ph_run_model(). */
void ph_document_take_values (PhDocument *document, GHashTable *values);
GHashTable *ph_document_get_values (PhDocument *document); /* (nullable) PhId -> PhTensor */
/* How long the nodes took when that was last measured (`profile`), at whatever position: ask it by node id. */
PhProfile *ph_document_get_profile (PhDocument *document); /* (nullable) */
void ph_document_take_profile (PhDocument *document, PhProfile *profile);

/* The values that two positions have in common, as they were last compared (`along`) on the present inputs. */
const PhAlong *ph_document_get_along (PhDocument *document, PhPosition *from, PhPosition *to);      /* (nullable) */
void ph_document_take_along (PhDocument *document, PhAlong *along, PhPosition from, PhPosition to); /* takes it */

/* Passes run on a private clone: a job is made in the document's thread, run in any, and taken over in the document's. */
typedef struct _PhJob PhJob;
/* Starts at @at, which exists. What is taken over later replaces the steps after it. */
PhJob *ph_job_new (PhDocument *document, PhPosition at);
void ph_job_free (PhJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhJob, ph_job_free)
/* upgrade-opset comes first by itself when the model is old. @arguments: (nullable), of the pass. */
void ph_job_add_pass (PhJob *job, const PhPass *pass, const char *const *arguments);
/* The rest of the pipeline behind the job's start, up to and without the next breakpoint; at most @n passes. */
void ph_job_add_pipeline (PhJob *job, guint n);
guint ph_job_n_passes (PhJob *job);
PhPassOptions *ph_job_get_options (PhJob *job); /* limit, seed, progress, ... of every pass */
/* Runs the passes. What succeeded before an error stays in the job. */
gboolean ph_job_run (PhJob *job, GCancellable *cancellable, GError **error);
PhModel *ph_job_get_model (PhJob *job);     /* (nullable) as the passes left it      */
PhHistory *ph_job_get_history (PhJob *job); /* of the job's own steps only           */
/* The steps will be proved: then nothing need be undone for it. Before it runs. */
void ph_job_set_keeps_start (PhJob *job, gboolean keeps);
PhProver *ph_job_prover (PhJob *job, GHashTable *feeds); /* of its steps; after it ran. (transfer full) */
/* The steps that succeeded, also those before an error. @go: the document moves to their end. FALSE: the history moved
 * on meanwhile, nothing was taken over. */
gboolean ph_document_take_job (PhDocument *document, PhJob *job, gboolean go, GError **error);

/* Each step compared with the position before it, on real tensors. Setting feeds drops all proofs, dropping a step its own. */
const PhProof *ph_document_get_proof (PhDocument *document, guint step); /* (nullable) not compared yet */
void ph_document_take_proof (PhDocument *document, guint step, PhProof *proof);
/* In the background, in order, whenever there are steps that have not been compared; a change cancels and begins anew. */
void ph_document_set_proves (PhDocument *document, gboolean proves);
gboolean ph_document_get_proves (PhDocument *document);
gboolean ph_document_is_proving (PhDocument *document);

/* The same for a command: a job is made in the document's thread, run in any, and taken over in the document's. */
typedef struct _PhProofJob PhProofJob;
PhProofJob *ph_proof_job_new (PhDocument *document, guint first, guint last); /* steps before @last without proof */
void ph_proof_job_free (PhProofJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhProofJob, ph_proof_job_free)
gboolean ph_proof_job_run (PhProofJob *job, GCancellable *cancellable, GError **error); /* FALSE: cancelled */
void ph_document_take_proofs (PhDocument *document, PhProofJob *job);

G_END_DECLS
