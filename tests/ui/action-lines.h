/* action-lines.h: which line of the console each action of the window is, or why it is none.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The beginning of the line that `history` has of the action @name, "history.go". (nullable) */
const char *action_line (const char *name);
/* Why the action is no line. (nullable) */
const char *action_reason (const char *name);

G_END_DECLS
