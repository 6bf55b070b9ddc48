/* bounds.h: the range that the producer of a value guarantees for its elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Every finite element lies in [low, high], and is not -0 where low >= 0. */
typedef struct
{
  double low, high;
} PhBounds;

#define PH_BOUNDS_NONE ((PhBounds) { -G_MAXDOUBLE, G_MAXDOUBLE })

PhBounds ph_value_bounds (const PhValue *value);

G_END_DECLS
