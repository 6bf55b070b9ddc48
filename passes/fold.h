/* fold.h: folding of one node, shared by the passes that fold.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

gboolean ph_fold_can (PhMatch *match);                 /* all inputs constant, and nothing against it */
gboolean ph_fold (PhMatch *match, PhBuilder *builder); /* FALSE without error: too large, or it failed */
/* A Constant node that holds a tensor, and an initializer in its place. */
gboolean ph_fold_is_tensor_constant (PhMatch *match);
gboolean ph_fold_constant_to_initializer (PhMatch *match, PhBuilder *builder);

G_END_DECLS
