/* actions.h: what can be done from a menu, the palette or a key: the console's commands and the window's own actions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* One row of the palette, the shortcuts window and the menu. Lives as long as the program. */
typedef struct
{
  const char *action;   /* "win.search", "command.step-into"                                   */
  const char *title;    /* translated                                                          */
  const char *summary;  /* (nullable) translated                                               */
  const char *shortcut; /* (nullable) GTK accelerators, separated by |                         */
  const char *icon;     /* (nullable)                                                          */
  const char *group;    /* translated: heading in the shortcuts window                         */
} PhAction;

const PhAction *ph_action_list (guint *n);
const PhAction *ph_action_find (const char *action); /* (nullable) */

/* The action name of a command: "step into" is "command.step-into". (transfer full) */
char *ph_action_name_of_command (const char *command);

/* Ctrl with one letter, without Shift or Alt: what readline reads as an editing key, so that it does something else in the console. */
gboolean ph_action_is_editing_key (const char *accelerator);

/* The menu of the header bar, with all actions in it by group. */
GMenuModel *ph_action_menu (void);

G_END_DECLS
