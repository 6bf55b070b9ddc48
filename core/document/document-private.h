/* document-private.h: the fields of a document, for the files of this folder.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_N_BOOKMARKS 9

/* snapshot.c: the copy of a document's model that workers read. */
typedef struct _PhCopy PhCopy;
/* @model (transfer full) stands at @history's position. */
PhCopy *ph_copy_new (PhModel *model, PhHistory *history);
void ph_copy_unref (PhCopy *copy);

struct _PhDocument
{
  GObject parent_instance;

  char *path;          /* (nullable)                                                              */
  PhModel *model;      /* (nullable) owned                                                        */
  PhHistory *history;  /* (nullable) owned                                                        */
  PhCopy *copy;        /* (nullable) what workers read                                            */
  PhCopy *runner;      /* (nullable) what eval runs: it keeps what it was compiled to              */
  gboolean copied;     /* it is made and kept when first asked for                                */
  GPtrArray *files;    /* (nullable) (element-type PhFile) what the model was read from            */
  GPtrArray *problems; /* (element-type char*) owned                                              */
  guint generation;
  int file_opset; /* of ONNX's own domain, at position 0                                     */
  PhId selection;
  gboolean busy;

  char *pipeline; /* its name, or the passes separated by commas                             */
  PhExactness allow;
  GArray *entries; /* (element-type PhPipelineEntry)                                          */
  guint base;      /* steps before it belong to no entry, but for upgrade-opset               */

  GPtrArray *rules_off; /* (element-type char*) "pass/rule"                                        */
  GPtrArray *breaks;    /* (element-type char*) rules, "pass/rule" or "n42", before which run stops */

  GHashTable *feeds;      /* owned name -> owned PhTensor                                            */
  PhId shown_value;       /* 0: none was asked for yet                                               */
  GHashTable *values;     /* (nullable) PhId -> owned PhTensor                                       */
  PhExecution *execution; /* (nullable) a run that is walked through                                 */
  guint executed;         /* of its events                                                           */
  PhProfile *profile;     /* (nullable)                                                              */
  PhAlong *along;         /* (nullable) of @along_from and @along_to                                 */
  PhPosition along_from, along_to;
  GPtrArray *proofs;  /* (element-type PhProof) (nullable elements) owned, by step                */
  guint proof_serial; /* changes whenever proofs are dropped                                     */
  gboolean proves;    /* in the background                                                       */
  PhViewState *view;  /* how its picture is seen                                                 */
  GArray *trail;      /* (element-type PhTrailPart) replaced, not changed                        */
  guint proof_timer;
  GCancellable *proving; /* (nullable) of the thread that is at it                                  */
  PhPosition bookmarks[PH_N_BOOKMARKS];
  guint bookmarked;    /* bit i: bookmark i + 1 is set                                            */
  gboolean by_rewrite; /* what brought here was a single rewrite                                  */
  gboolean has_since;  /* else what is shown is compared with the position before it              */
  PhPosition since;
  PhDiff *diff; /* (nullable) from @diff_a to @diff_b                                      */
  PhPosition diff_a, diff_b;
};

enum
{
  SIGNAL_OPENED,
  SIGNAL_HISTORY_CHANGED,
  SIGNAL_POSITION_CHANGED,
  SIGNAL_PIPELINE_CHANGED,
  SIGNAL_FEEDS_CHANGED,
  SIGNAL_VALUES_CHANGED,
  SIGNAL_VERDICTS_CHANGED,
  SIGNAL_PROBLEMS_CHANGED,
  SIGNAL_SINCE_CHANGED,
  SIGNAL_DIFF_CHANGED,
  SIGNAL_BOOKMARKS_CHANGED,
  SIGNAL_PROFILE_CHANGED,
  SIGNAL_VALUE_SHOWN,
  SIGNAL_INSIDE_CHANGED,
  SIGNAL_EXECUTION_CHANGED,
  SIGNAL_ALONG_CHANGED,
  N_SIGNALS
};

extern const char *const ph_document_signal_names[N_SIGNALS];

void ph_document_emit (PhDocument *document, guint signal);
/* Fills the entries from the pipeline's name. */
gboolean ph_document_fill_entries (PhDocument *document, const char *name, GError **error);
const PhPass *ph_document_upgrade (void);           /* (nullable) the pass upgrade-opset */
gboolean ph_document_is_first (const PhPass *pass); /* it, or newest-form: before all others of a pipeline */
/* For each step which entry it is, or -1: a reading of the history. (transfer full) */
int *ph_document_map_steps (PhDocument *document);

/* trail.c: leaves what is not there any more. */
void ph_document_check_trail (PhDocument *document);

/* along.c */
void ph_document_drop_along (PhDocument *document, guint from); /* when steps from @from on are others */

/* prove.c */
void ph_document_drop_proofs (PhDocument *document, guint from); /* those of the steps from @from on */
void ph_document_update_proving (PhDocument *document);          /* what there is to prove changed   */

G_END_DECLS
