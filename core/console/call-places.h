/* call-places.h: what the words of a command name: nodes, steps, positions, entries of the pipeline.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"

G_BEGIN_DECLS

PhNode *ph_call_find_node (PhCall *call, const char *name, GError **error); /* with did-you-mean */
/* Also of a node that was removed: the journal knows it by id and by name. */
gboolean ph_call_find_any_node (PhCall *call, const char *name, PhId *id, GError **error);
/* A step of the pass @name, from 0: the last one that changed something, or the last. FALSE: it did not run. */
gboolean ph_call_find_step_of (PhCall *call, const char *name, guint *step);
/* "3", "3.2", "end", "." for here, or the name of a pass for the position after it. */
gboolean ph_call_find_position (PhCall *call, const char *text, PhPosition *position, GError **error);

/* commands-pipeline.c: an entry of the pipeline, by its place from 1 or by its pass */
gboolean ph_call_find_entry (PhCall *call, const char *text, guint *index, GError **error);

G_END_DECLS
