/* branch.h: an If whose condition is constant, for the passes that take its branch.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/pass.h"

G_BEGIN_DECLS

gboolean ph_branch_is_decided (PhMatch *match);               /* the root's condition is constant           */
gboolean ph_branch_take (PhMatch *match, PhBuilder *builder); /* the branch that is taken replaces the root */

G_END_DECLS
