/* document-private.h: the document itself, its signals, and what its files call in each other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document-parts.h"

G_BEGIN_DECLS

#define PH_N_BOOKMARKS 9

struct _PhDocument
{
  GObject parent_instance;

  char *path;                   /* (nullable)                                                              */
  char *program, *program_text; /* (nullable) of the language, that the model was made from            */
  PhModel *model;               /* (nullable) owned                                                        */
  PhHistory *history;           /* (nullable) owned                                                        */
  PhCopy *copy;                 /* (nullable) what workers read                                            */
  PhCopy *runner;               /* (nullable) what eval runs: it keeps what it was compiled to              */
  PhCopy *spare;                /* (nullable) where there is no @copy: what one worker after the other takes and leaves */
  gboolean copied;              /* it is made and kept when first asked for                                */
  GPtrArray *files;             /* (nullable) (element-type PhFile) what the model was read from            */
  GPtrArray *parts;             /* (nullable) (element-type char*) paths of the modules that the file holds */
  GPtrArray *problems;          /* (element-type char*) owned                                              */
  guint generation;
  PhPipelineFile file; /* as it is at position 0                                             */
  PhId selection;
  gboolean busy;

  PhPassPlan plan;   /* what is going to run                                                    */
  guint base;        /* steps before it belong to no entry, but for upgrade-opset               */
  guint n_recorded;  /* the first steps, which were made elsewhere: no pass makes them again    */
  PhFindings found;  /* what was computed and measured                                          */
  PhProofs proofs;   /* of the steps                                                            */
  PhCompared since;  /* what is shown is compared with                                          */
  PhViewState *view; /* how its picture is seen                                                 */
  GArray *trail;     /* (element-type PhTrailPart) replaced, not changed                        */
  PhPosition bookmarks[PH_N_BOOKMARKS];
  guint bookmarked; /* bit i: bookmark i + 1 is set                                            */
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
/* For each step which entry it is, or -1: a reading of the history. (transfer full) */
int *ph_document_map_steps (PhDocument *document);

/* findings.c, position.c: as a document begins; as another file is opened. */
void ph_document_init_values (PhDocument *document);
void ph_document_clear_values (PhDocument *document);
void ph_document_clear_since (PhDocument *document);

/* pipeline.c: convert-to-onnx found nothing to convert: it is not asked again. */
void ph_document_set_idle (PhDocument *document);

/* position.c: the model is at the end of the history, to which the passes themselves brought it; the caller emits the signals. */
void ph_document_arrive (PhDocument *document);

/* trail.c: leaves what is not there any more. */
void ph_document_check_trail (PhDocument *document);

/* along.c */
void ph_document_drop_along (PhDocument *document, guint from); /* when steps from @from on are others */

/* prove.c */
void ph_document_drop_proofs (PhDocument *document, guint from); /* those of the steps from @from on */
void ph_document_update_proving (PhDocument *document);          /* what there is to prove changed   */

G_END_DECLS
