/* verify-cost.h: whether a model is small enough to be computed after each step without being asked.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* (transfer full) NULL: it is cheap; else why not, for people. Takes a moment at most, however large the model. */
char *ph_verify_cost (PhModel *model);

G_END_DECLS
