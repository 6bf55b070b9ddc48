/* inputs.h: tensors for the inputs of a model: those that were fed, and generated ones.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/run/executor.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_INPUTS_FED,               /* nothing is generated: an input without tensor and default is an error         */
  PH_INPUTS_NORMAL,            /* around 0, both signs                                                          */
  PH_INPUTS_WIDE,              /* magnitudes from 1e-3 to 1e3, both signs, with zeros and -0                    */
  PH_INPUTS_TINY,              /* magnitudes from 1e-45, which is subnormal, to 1e-3, both signs, with zeros and -0 */
  PH_INPUTS_SPECIAL,           /* with NaN, infinities, huge, tiny and subnormal numbers                        */
  PH_INPUTS_N_KINDS
} PhInputsKind;
/* clang-format on */

/* One tensor of @type. Symbols take their size from @sizes (interned symbol -> GSIZE_TO_POINTER (size)); what has none
 * takes @size; below 0, the last axis takes -@size and the others 1, as for sounds. Integers are from 0 to @most. NULL: a type of
 * which nothing can be made. */
PhTensor *ph_generate_tensor (const PhType *type, PhInputsKind kind, guint64 seed, GHashTable *sizes, gint64 size, gint64 most);

/* Tensors for every input of @model: those of @named (name -> PhTensor) first; then ones for a cotangent grad_OUTPUT; the
 * rest is generated, or is an error that names the input. Returns PhValue -> PhTensor (owned), for ph_run_model(). */
GHashTable *ph_inputs_collect (PhModel *model, GHashTable *named, PhInputsKind kind, guint64 seed, gint64 size, gint64 most,
                               const PhRunOptions *options, GError **error);

/* As above, and tries sizes and integer ranges until the model can be computed with them; sizes by which a value has no elements come last. The result of that computation
 * goes to @results (nullable): as ph_run_model() gives it for @wanted. */
GHashTable *ph_inputs_find (PhModel *model, GHashTable *named, PhInputsKind kind, guint64 seed, GPtrArray *wanted,
                            const PhRunOptions *options, GHashTable **results, GError **error);

/* One input that has two names before and after a change is fed the same on both sides: @named (name -> PhTensor) gains it under the name that is
 * missing. What only @after knows the shape of is made up by that. */
void ph_inputs_join (GHashTable *named, PhModel *before, PhModel *after, guint64 seed);

/* Names and tensors (name -> PhTensor) for a worker. @feeds: (nullable) none. (transfer full) */
GHashTable *ph_feeds_copy (GHashTable *feeds);
/* What was given (PhValue -> PhTensor) is among the results (PhId -> PhTensor) too: an input is a value that one looks at. */
void ph_results_add (GHashTable *results, GHashTable *given);

G_END_DECLS
