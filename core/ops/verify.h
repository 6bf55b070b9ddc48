/* verify.h: checks a whole model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Structure (lists, uses, order, scopes, unique names, output counts) and schemas of known operators. The first fault is
 * reported, with the node's label. */
gboolean ph_model_verify (PhModel *model, GError **error);

G_END_DECLS
