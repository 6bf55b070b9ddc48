/* stability.h: measures the layout of a whole history against layouts of its single positions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/history.h"
#include "core/layered/layout.h"

G_BEGIN_DECLS

typedef struct
{
  guint samples; /* rewrites that are laid out alone at most, beside every step */
  PhLayoutEngine engine;
  const char *pipeline; /* (nullable) only this one                                    */
  gboolean positions;   /* a line for each position that was laid out alone            */
} PhStabilityOptions;

/* Prints a row for @model after each of O2, O3 and train with the gradients of its outputs; takes @model. */
void ph_bench_stability (PhModel *model, const char *name, const PhStabilityOptions *options);
void ph_bench_stability_title (void);

G_END_DECLS
