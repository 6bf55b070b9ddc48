/* convert-session.h: what a graph of TensorFlow means to the session that runs it. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/run.h"

G_BEGIN_DECLS

/* Makes inputs of the values that the signature feeds. */
gboolean ph_session_cut_fed (PhPassRun *run, GError **error);
/* Removes the nodes of the main graph that no output needs, as one rewrite: nothing runs them, whatever their effects are. */
void ph_session_drop_unfetched (PhPassRun *run);
/* Removes the order between nodes of which the first has no effect. */
gboolean ph_session_drop_order (PhPassRun *run, GError **error);
/* Whether @node may do more than hand out values: write to a variable, print, save. */
gboolean ph_session_has_effect (const PhNode *node);

G_END_DECLS
