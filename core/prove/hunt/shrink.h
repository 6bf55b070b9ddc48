/* shrink.h: the same model on smaller sizes and rounder numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum { PH_GRAIN_WHOLE, PH_GRAIN_TENTH, PH_GRAIN_DIGITS, /* two of them, wherever the point is */ PH_N_GRAINS } PhGrain;
/* clang-format on */

/* One change: what is @from long, in inputs, constants, and sizes that small integer constants name, is @to long; or, where @to is 0, float constants and
 * what is fed are rounded to @grain: @only (nullable) this one, or all. */
typedef struct
{
  gint64 from, to;
  PhGrain grain;
  const char *only;
} PhShrink;

/* A copy of @model, changed. @feeds (name -> PhTensor) is what it reads, @changed receives the same, changed. NULL: nothing would change, or such a model
 * is not valid. */
PhModel *ph_shrink_apply (const PhShrink *shrink, PhModel *model, GHashTable *feeds, GHashTable *changed);

typedef struct _PhShrinking PhShrinking;
struct _PhShrinking
{
  PhModel *model; /* the smallest so far, and what it reads; @try sets both, which stay its own */
  GHashTable *feeds;
  gboolean (*try) (PhShrinking *shrinking, const PhShrink *shrink, gpointer data);
  gpointer data;
};

/* Tries sizes, the largest first, then digits. */
void ph_shrink_all (PhShrinking *shrinking);

G_END_DECLS
