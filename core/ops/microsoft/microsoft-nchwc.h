/* microsoft-nchwc.h: operators over tensors whose channels lie in blocks, which ONNX Runtime writes for the machine that it runs on.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/microsoft/microsoft.h"

G_BEGIN_DECLS

/* How many channels a block has on this machine: a file does not say it, and is right only where its numbers of channels fit. */
gint64 ph_nchwc_block (void);
/* The values of @graph whose elements lie in blocks of channels: what these operators make, and what all others make of it. (nullable): none.
 * (element-type PhId) (transfer full) */
GHashTable *ph_nchwc_values (PhGraph *graph);

G_END_DECLS
