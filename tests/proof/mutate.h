/* mutate.h: one seeded small mistake in a model, as a wrong rewrite could make it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"

typedef struct
{
  const char *kind;
  char *what;
} Mutation;

/* Changes one place of @model, chosen by @seed. FALSE: nothing could be changed there, or what came out is no valid model with
 * the same interface; then @model is spent. @mutation: (out), its @what to be freed. */
gboolean mutate (PhModel *model, guint64 seed, Mutation *mutation);
