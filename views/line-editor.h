/* line-editor.h: what readline does beside editing: completion as the console has it, and hints in grey behind the cursor. The same in
 * a terminal and in the window; no toolkit in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"

G_BEGIN_DECLS

/* @get_console: (nullable) result: whose line is edited. @hints: whether the terminal has colours for them. */
void ph_line_editor_init (PhConsole *(*get_console) (void), gboolean hints);
/* Before something else is written where the cursor is. */
void ph_line_editor_clear_hint (void);

/* Puts @text, as the terminal sent it, behind @waiting. FALSE: it is part of a paste whose end is to come, which readline would wait for. */
gboolean ph_line_editor_take_keys (GByteArray *waiting, gboolean *pasting, const char *text, gsize size);

/* The lines that were typed, kept in a file from one time to the next; @most of them. */
void ph_line_editor_open_history (int most);
/* At once, and only this line: several programs may be at work, and one may be killed. */
void ph_line_editor_remember (const char *line);
void ph_line_editor_close_history (void);

G_END_DECLS
