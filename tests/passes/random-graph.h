/* random-graph.h: seeded random models, and how far rounding may carry their results.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

typedef struct
{
  guint *made; /* per row of the registry: nodes that can be computed                        */
  guint *tried;
  GString *faults; /* what an operator does against its own inference, or fast against plain     */
} RandomTally;

/* A valid model of about @n_nodes nodes, which can be computed on @feeds (out) (input name -> PhTensor). @smooth: only finite
 * numbers of moderate size, and nothing whose result jumps where an operand changes a little, so that pipelines that round
 * can be compared. */
PhModel *random_graph (guint64 seed, guint n_nodes, gboolean smooth, RandomTally *tally, GHashTable **feeds);

typedef struct
{
  guint refused, poles, compared, bounded, slopes;
} RandomGradients;

/* What goes wrong with the gradient of an output of @before: it must be the same after train, and the same after O2 of that; NULL:
 * nothing, or it is refused with a message. */
char *random_gradient_fault (PhModel *before, GHashTable *feeds, guint64 seed, const char **culprit, RandomGradients *tally);

/* Whether @output of @model, a value that was differentiated, moves as its gradients say when what they are by moves a little; NULL: it does,
 * or that cannot be seen. @compared (inout) counts what was seen. */
char *random_slope_fault (PhModel *model, GHashTable *feeds, const char *output, guint64 seed, guint *compared);

/* Whether a value of @model is complex: convert-to-onnx gives it an axis more, for real and imaginary parts. */
gboolean random_has_complex (PhModel *model);
/* What goes wrong when @before is saved as ONNX, ONNX text and, as far as it can be written so, as StableHLO and HLO, and opened
 * again. @culprit: the ending. (nullable) */
char *random_files_fault (PhModel *before, GHashTable *feeds, GPtrArray *expected, const char **culprit, guint *bounded);

/* Whether @actual differs from @expected by more than @exactness permits. Where rounding is allowed and the tolerance is
 * exceeded, the model itself says how far rounding can carry an element: it is computed several times with every value off by a
 * few units in its last place (stochastic arithmetic), and an element may differ by a small multiple of what that moves it.
 * (nullable): what differs. @bounded (inout): counts results that the bound let pass. */
char *random_differs (PhModel *model, GHashTable *feeds, GPtrArray *expected, GPtrArray *actual, PhExactness exactness,
                      guint *bounded);
