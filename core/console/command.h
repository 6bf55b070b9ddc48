/* command.h: one command: its words, its help, its place in menus.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One command: from its row follow the verb, its help, its completion, its GAction, menu label and shortcut, and its line of
 * the manual page. */
typedef struct _PhCommand PhCommand;
struct _PhCommand
{
  const char *name;        /* "step into": words as typed                                        */
  const char *arguments;   /* "[A B]"; each word names a kind of completion: FILE NODE PASS STEP VALUE SQL */
  const char *summary;     /* one line                                                           */
  const char *help;        /* (nullable) more, with an example                                   */
  const char *title;       /* (nullable) menu and palette label; NULL: not in menus              */
  const char *shortcut;    /* (nullable) GTK accelerators, separated by |                        */
  const char *icon;        /* (nullable)                                                         */
  gpointer implementation; /* private to core/console                                            */
};
/* All rows. (transfer none) */
const PhCommand *const *ph_command_list (guint *n);
const PhCommand *ph_command_find (const char *name);

/* The manual page's section COMMANDS, in roff. */
char *ph_command_manual (void);

G_END_DECLS
