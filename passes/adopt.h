/* adopt.h: makes one model into another by edits. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

/* Turns the main graph of @model into that of @wanted, which some other program made of it: nodes are matched by what they
 * make, by name, and by structure; what is matched keeps its identity and is rewired, the rest is added and removed. */
gboolean ph_model_adopt (PhModel *model, PhModel *wanted, GError **error);

G_END_DECLS
