/* hunt-private.h: a hunt on its way.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/hunt/hunt.h"

G_BEGIN_DECLS

typedef struct
{
  const PhHuntOptions *options;
  PhHunt *hunt;
  PhModel *model; /* that the stages run on                                       */
  PhHistory *history;
  GHashTable *values;     /* (nullable) name -> PhTensor: of the model before the stage   */
  PhSampleKind furthest;  /* kind of inputs that the suspect needs, at the least DENSE        */
  gboolean closely;       /* what differs is too small for float32's tolerance               */
  gint64 start, deadline; /* by the monotonic clock                           */
  GError **error;
} PhHunting;

gboolean ph_hunting_is_over (PhHunting *self);
void ph_hunting_say (PhHunting *self, double fraction, const char *format, ...) G_GNUC_PRINTF (3, 4);
PhFaultPass ph_hunting_pass (PhHunting *self, const PhHuntStage *stage);
/* A stage that cannot run again: both sides of the rewrite that begins at @at, cut out. */
gboolean ph_hunting_cut_pair (PhHunting *self, PhModel *after, PhPosition at);

/* hunt-stage.c: runs the pass and tries what it did. FALSE: it cannot be run, and that is nothing of the pass's. */
gboolean ph_hunting_run_stage (PhHunting *self, const PhHuntStage *stage, PhHuntStep *step);
/* hunt-rule.c: which rule, which names of the program's own passes, once there is a reduced model. */
void ph_hunting_name (PhHunting *self, const PhHuntStage *stage);

G_END_DECLS
