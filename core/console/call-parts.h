/* call-parts.h: the parts of a line around its command: programs, files, assertions, and lines inside the line.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/call.h"

G_BEGIN_DECLS

/* around.c. In @line from byte @from on the next $NAME or $(LINE), which ends at @end: the line whose answer stands there. (transfer full)
 * (nullable) */
char *ph_line_find_inner (PhConsole *console, const char *line, gsize *from, gsize *end);
char *ph_reply_to_words (PhReply *reply); /* (transfer full) the answer, for the line around it */
PhLineKind ph_call_split (PhCall *call);  /* fills what stands around the line */
/* Likewise of a query, where only what SQL does not understand is such a sign. TRUE: there was one. */
gboolean ph_call_split_sql (PhCall *call, gboolean (*parses) (const char *text, gpointer data), gpointer data);
void ph_call_check (PhCall *call);    /* what is asserted; before the text is done */
void ph_call_redirect (PhCall *call); /* files, and the time; when it is done */
GSubprocess *ph_call_start_program (PhCall *call, GError **error);
void ph_call_take_output (PhCall *call, GSubprocess *program, GBytes *output, GError *error);
gboolean ph_command_is_time (const PhCommand *command);
gboolean ph_command_is_assert (const PhCommand *command);

G_END_DECLS
