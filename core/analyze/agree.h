/* agree.h: whether two positions of a history compute the same: the same inputs through both, compared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/inputs.h"
#include "core/graph/history.h"
#include "core/tensor/compare.h"
#include "passes/pass.h"

G_BEGIN_DECLS

typedef struct
{
  char     *name;               /* of a graph output that both have                       */
  double    max_abs_error;
  guint64   max_ulp;
  gboolean  same, close;        /* same: every bit                                        */
} PhAgreeOutput;

typedef struct
{
  PhVerdict  verdict;
  double     max_abs_error;
  GArray    *outputs;           /* (element-type PhAgreeOutput), the worst over all inputs */
  char      *first_difference;  /* (nullable) which output, which element, which inputs   */
  guint      n_sets;            /* of inputs that were tried                              */
} PhAgreement;

void         ph_agreement_free  (PhAgreement *agreement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhAgreement, ph_agreement_free)

/* Whether it draws random numbers: then two computations cannot be compared. */
gboolean     ph_model_draws     (PhModel *model);

/* What may differ between the two: the least exact of the rules that fired. */
PhExactness  ph_history_exactness (PhHistory *history, PhPosition a, PhPosition b);

/* Runs the fed inputs, if every input is fed, and generated ones, from @seed on, through both. EXACT compares every bit and
 * includes NaN, infinities, huge and subnormal numbers; EXACT_FINITE tolerates the sign of zero; ROUNDING tolerates
 * a relative 1e-3 and 1e-5 of the output's scale. Large models (over 1e9 operations) get one set only. NULL: neither side can be computed with anything that was tried. */
PhAgreement *ph_agree           (PhModel *before, PhModel *after, GHashTable *feeds, PhExactness exactness, guint64 seed,
                                 const PhRunOptions *options, GError **error);

G_END_DECLS
