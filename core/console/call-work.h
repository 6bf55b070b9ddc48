/* call-work.h: what a command does besides its reply: reading the model in a worker, progress, lines that follow.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"

G_BEGIN_DECLS

/* From begin: work is to find @call->model standing at @at. What a large model makes slow is left to work. */
void ph_call_read (PhCall *call, PhPosition at);
/* From begin, as its result: the command of that name does the call, with the words that are left. */
gboolean ph_call_hand_over (PhCall *call, const char *command, GError **error);
/* From work, any thread. @fraction < 0: unknown. */
void ph_call_progress (PhCall *call, const char *what, double fraction);
/* A line that runs after this one and those pushed before, and before whatever waits. @place: where it stands, "script:12". */
void ph_call_push_line (PhCall *call, const char *line, const char *place);
void ph_call_reply_position (PhCall *call);
/* Comparing a step takes some computations of the model: beyond this size that is left to be asked for. */
gboolean ph_call_is_quick (PhCall *call, guint nodes, gint64 flops);

G_END_DECLS
