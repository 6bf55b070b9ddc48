/* rnn.h: what is known of a recurrent layer from its attributes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;
  double alpha, beta;
} PhRecurrentActivation;

typedef struct
{
  char kind;                  /* 'R', 'G' or 'L'                                              */
  guint gates, per_direction; /* gates in the weights; activations for each direction         */
  gint64 steps, batch, input, hidden, directions;
  gboolean reverse, batch_first, coupled, linear_before_reset;
  double clip;
  PhRecurrentActivation f[6];
} PhRecurrent;

/* Returns NULL, or what is wrong. Sizes are left alone. */
const char *ph_recurrent_init (PhRecurrent *cell, const PhNode *node);
gboolean ph_grad_recurrent (PhGrad *grad, GError **error);

G_END_DECLS
