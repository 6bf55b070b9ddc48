/* infer-private.h: one pass of inference: what infer.c and infer-contents.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/infer.h"

G_BEGIN_DECLS

/* One pass over a model, or one node. */
typedef struct
{
  GHashTable *contents; /* (nullable) PhValue -> Contents (of arena)                              */
  GPtrArray *arena;     /* (nullable) every Contents ever made, so that none moves under a reader  */
  gboolean whole;       /* all producers are visited: what is not in the table is not known        */
  gboolean stop_at_error;
  GPtrArray *problems;  /* (nullable) (element-type char*)                                         */
  GHashTable *declared; /* (nullable) values whose type, which the file declares, was looked at    */
  GHashTable *told;     /* (nullable) values whose declared type was reported as wrong            */
  guint n_lies;
  guint depth;
} PhInferRun;

struct _PhInfer
{
  PhNode *node;
  PhInferRun *run;
  const PhType **types; /* of the outputs, as inferred */
};

void ph_infer_run_clear (PhInferRun *run); /* infer-contents.c */

G_END_DECLS
