/* foreign.h: a change by another program, as one step of a history.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/prove.h"

/* What the proof says of a step, as `run exec` makes it, that makes @after of @model. (transfer full) (nullable) */
PhProof *prove_foreign (PhModel *model, PhModel *after, guint64 seed, GError **error);
