/* random-graph.h: seeded random models.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

/* A valid model of about @n_nodes nodes. @smooth: nothing whose result jumps where an operand changes by a rounding error
 * (comparisons, rounding, casts to integers of computed floats), so that pipelines that round can be compared. */
PhModel *random_graph (guint64 seed, guint n_nodes, gboolean smooth);
