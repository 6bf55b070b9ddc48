/* terminal-colors.h: colours of a terminal that follow the window's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <vte/vte.h>

G_BEGIN_DECLS

/* Text as the style of @terminal says, the background that of what lies behind it, the eight colours readable on that. */
void ph_terminal_colors_apply (VteTerminal *terminal);

G_END_DECLS
