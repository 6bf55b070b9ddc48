/* sample.h: seeded inputs for comparing two models, and the comparison.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

/* Where a value's elements are drawn from, when a test wants something else than the class of the pass implies. */
typedef struct
{
  double low, high;
} SampleRange;

/* A value for @type: what it leaves open is chosen by symbol, the same for the same @seed. Floats include, as far as
 * @exactness permits, negative, zero, -0, tiny, huge and subnormal numbers, infinities and NaN. */
PhTensor *sample_tensor (const PhType *type, PhExactness exactness, const SampleRange *range, guint64 seed, guint input);
/* Feeds for all inputs of @model without a default, by name. @ranges: (nullable) input name -> SampleRange. */
GHashTable *sample_feeds (PhModel *model, PhExactness exactness, GHashTable *ranges, guint64 seed);
/* The outputs of @model, in order. @feeds: input name -> PhTensor. NULL with @error. (transfer full) (element-type PhTensor) */
GPtrArray *sample_outputs (PhModel *model, GHashTable *feeds, GError **error);
/* Compares as @exactness promises: by bits, by value, or within a tolerance that follows the scale of the values.
 * (nullable): what differs. */
char *sample_compare (GPtrArray *before, GPtrArray *after, PhExactness exactness);
