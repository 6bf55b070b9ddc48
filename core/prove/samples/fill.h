/* fill.h: puts numbers of a kind into a tensor: what a sampler draws for one input.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/samples/pool.h"
#include "core/prove/samples/samples.h"
#include "core/prove/samples/usage.h"

G_BEGIN_DECLS

struct _PhSampler
{
  const PhPair *pair;
  const PhBounds *bounds;
  guint64 seed;
  PhPool *pool;
  PhUsage *usage; /* of each input                                                              */
  guint modesty;
  gint64 short_axis[PH_SAMPLER_MOST_MODEST + 1]; /* of the inputs that are drawn: with modesty 1 longer than 1 */
};

/* In how many ways a number of the pool's points is fed alone. */
#define PH_FILL_STYLES 3

/* Counts the inputs before @input that hold floats. */
guint ph_fill_n_floats_before (PhSampler *sampler, guint input);
void ph_fill_floats (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, PhSampleKind kind, guint input, guint turn,
                     guint64 *state);
/* @known: (nullable) what flows there. */
void ph_fill_integers (PhSampler *sampler, PhTensor *tensor, guint input, PhBounds bounds, PhSampleKind kind, guint turn,
                       PhTensor *known, guint64 *state);
/* A few numbers, again and again: if any will do. */
void ph_fill_roughly (PhSampler *sampler, PhTensor *tensor, PhBounds bounds, PhSampleKind kind, guint64 *state);
/* Factors by which axes are scaled, some of them those that flow. @known: (nullable). */
void ph_fill_factors (PhTensor *tensor, PhTensor *known, guint64 *state);

G_END_DECLS
