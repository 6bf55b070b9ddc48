/* oracle.h: what a model computes on many inputs, in double, so that a mutant can be told from it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/executor.h"

typedef struct _Oracle Oracle;

/* @ranges: (nullable) input name -> SampleRange, where a fixture says what an input may hold. NULL: it cannot be computed on
 * any inputs. */
Oracle *oracle_new (PhModel *model, GHashTable *ranges);
void oracle_free (Oracle *oracle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Oracle, oracle_free)

/* Of computations that a mistake made endless: cancelled after ten seconds each. (transfer none) */
GCancellable *patience (void);

/* What tells @mutant from the model, in words; NULL: nothing does. (transfer full) */
char *oracle_tell (Oracle *oracle, PhModel *mutant);
