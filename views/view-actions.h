/* view-actions.h: the actions "view.*" of a picture, made from the table of its view: each runs its line, and has its state.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/console/console.h"

G_BEGIN_DECLS

/* "view.compact", "view.color::cost": the action of one word. (transfer full) */
char *ph_view_action_name (const PhViewRow *row, const PhViewWord *word);

/* Before the line of an action is run: TRUE: that is done, or asked for, in another way. */
typedef gboolean (*PhViewAsk) (gpointer owner, PhViewField field, const char *word);
/* @owner outlives the group. */
GSimpleActionGroup *ph_view_actions_new (PhConsole *console, PhViewAsk ask, gpointer owner);

G_END_DECLS
