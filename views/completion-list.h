/* completion-list.h: how readline lists what a word may become.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Readline's own way asks ("Display all 500 possibilities?") and pages ("--More--"), and goes on with matches that it has
 * freed when Ctrl+C comes meanwhile. This one shows what fits on the screen and says how many more there are. */
void ph_completion_list_init (void);
