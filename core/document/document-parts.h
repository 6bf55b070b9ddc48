/* document-parts.h: what a document keeps of one concern each: findings, proofs, what is compared, the copy for workers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/document/document.h"
#include "core/document/pass-plan.h"

G_BEGIN_DECLS

/* snapshot.c: the copy of a document's model that workers read. */
typedef struct _PhCopy PhCopy;
/* @model (transfer full) stands at @history's position. */
PhCopy *ph_copy_new (PhModel *model, PhHistory *history);
void ph_copy_unref (PhCopy *copy);
/* Leaves @model, which is as @history ends, in @spare for the next worker. Consumes @model. */
void ph_copy_put (PhCopy *spare, PhModel *model, PhHistory *history);

/* findings.c: inputs, and what runs on them found out. */
typedef struct
{
  GHashTable *feeds;      /* owned name -> owned PhTensor                                            */
  PhId shown_value;       /* 0: none was asked for yet                                               */
  GHashTable *values;     /* (nullable) PhId -> owned PhTensor                                       */
  PhExecution *execution; /* (nullable) a run that is walked through                                 */
  guint executed;         /* of its events                                                           */
  PhProfile *profile;     /* (nullable)                                                              */
  PhAlong *along;         /* (nullable) of @along_from and @along_to                                 */
  PhPosition along_from, along_to;
} PhFindings;

/* prove.c: each step compared with the one before it. */
typedef struct
{
  GPtrArray *list; /* (element-type PhProof) (nullable elements) owned, by step                */
  guint serial;    /* changes whenever proofs are dropped                                     */
  gboolean wanted; /* in the background                                                       */
  guint timer;
  GCancellable *running; /* (nullable) of the thread that is at it                                  */
} PhProofs;

/* position.c: from where changes are counted. */
typedef struct
{
  gboolean by_rewrite; /* what brought here was a single rewrite                                  */
  gboolean is_set;     /* else it is the position before the present one                          */
  PhPosition from;
  PhDiff *diff; /* (nullable) from @a to @b                                                */
  PhPosition a, b;
} PhCompared;

G_END_DECLS
