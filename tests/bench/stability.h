/* stability.h: measures the layout of a whole history against layouts of its single positions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"
#include "core/layout/layout.h"

G_BEGIN_DECLS

/* Prints a row for @model after each of O2, O3 and train with the gradients of its outputs; takes @model. @samples: rewrites
 * that are laid out alone at most, beside every step. */
void ph_bench_stability       (PhModel *model, const char *name, guint samples, PhLayoutEngine engine);
void ph_bench_stability_title (void);

G_END_DECLS
