/* history.h: the journal. Stepping, diffs, provenance, bisection and undo are readings of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"
#include "core/graph/verdict.h"

G_BEGIN_DECLS

/* One application of one rule. */
typedef struct
{
  const char *rule; /* interned; the pass's own name where it has no rules         */
  const char *why;  /* interned; the sentence for a student                        */
  PhId node;        /* where it matched; PH_NO_ID for the whole graph              */
  guint first_edit, n_edits;
} PhRewrite;

/* One run of one pass. */
typedef struct
{
  const char *pass; /* interned; with its parameters where it has some: "autodiff y" */
  guint first_rewrite, n_rewrites;
  guint n_added, n_removed, n_changed; /* nodes, net, fused bodies not counted */
  guint n_nodes;                       /* left in the main graph and its bodies afterwards      */
  double ms;
  PhVerdict verdict;                      /* of the comparison with the position before it         */
  double max_abs_error, max_scaled_error; /* the second against the largest element, where that is over 1 */
  char *first_difference;                 /* (nullable) owned                                      */
  const char *note;                       /* (nullable) interned: what its pass left undone, and why */
  const char *failure;                    /* (nullable) interned: its pass failed, which changed nothing, and said so */
} PhStep;

/* Position: @step whole steps done, and @rewrite rewrites of the one after. (0, 0) is the file. People write "3" for the
 * position after step 3, and "3.2" for two rewrites into step 3: that is { 2, 2 }. */
typedef struct
{
  guint step, rewrite;
} PhPosition;

struct _PhHistory
{
  GPtrArray *edits; /* (element-type PhEdit) owned */
  GArray *rewrites; /* (element-type PhRewrite)    */
  GArray *steps;    /* (element-type PhStep)       */
  PhPosition position;
  PhId first_id;       /* where there are edits: whatever has a smaller one was there before them */
  gboolean shared;     /* snapshots read @edits: whoever changes it calls ph_history_own_edits() first */
  PhHistory *past;     /* (nullable) owned: of a worker's journal, what was done before it began       */
  PhPosition past_end; /* where in @past this journal begins                                           */
};

PhHistory *ph_history_new (void);
void ph_history_free (PhHistory *history);
void ph_history_discard (PhHistory *history); /* (nullable) the same where nobody waits for it: later, if it is long */
/* The edits that led to the present state from the model as it came, oldest first, the past included. (transfer container) */
GPtrArray *ph_history_all_edits (PhHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhHistory, ph_history_free)

/* Recording, on a model whose journal is @history. Steps after the present position are dropped first. */
void ph_history_begin_step (PhHistory *history, PhModel *model, const char *pass);
void ph_history_begin_rewrite (PhHistory *history, const char *rule, PhId node, const char *why);
gboolean ph_history_end_rewrite (PhHistory *history);               /* FALSE: it had no edits, dropped */
void ph_history_abort_rewrite (PhHistory *history, PhModel *model); /* reverts its edits */
PhStep *ph_history_end_step (PhHistory *history, PhModel *model, double ms);
void ph_history_abort_step (PhHistory *history, PhModel *model);

/* Moves @model along the journal. The position must exist. */
gboolean ph_history_go (PhHistory *history, PhModel *model, PhPosition to, GError **error);
gboolean ph_history_has (PhHistory *history, PhPosition position);
PhPosition ph_history_next (PhHistory *history, PhPosition at, gboolean by_rewrite);     /* stays at the end   */
PhPosition ph_history_previous (PhHistory *history, PhPosition at, gboolean by_rewrite); /* stays at the start */
int ph_position_compare (PhPosition a, PhPosition b);
char *ph_position_to_string (PhPosition position);
gboolean ph_position_parse (PhHistory *history, const char *text, PhPosition *position, GError **error);
guint ph_history_edit_index (PhHistory *history, PhPosition position); /* edits done before it */

/* What there is now, for a worker that reads it while the original grows or drops steps; the edits are shared. */
PhHistory *ph_history_snapshot (PhHistory *history);
/* The first @n of its edits at least, in an array that no snapshot reads. */
void ph_history_own_edits (PhHistory *history, guint n);

/* Takes over the steps that a clone's journal has beyond @history's end, without applying them. */
void ph_history_append (PhHistory *history, PhHistory *from);

G_END_DECLS
