/* shortcuts.h: the window of keyboard shortcuts, made from the list of actions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

GtkWindow *ph_shortcuts_new (GtkWindow *parent);

/* Keys that a widget handles by itself, where it has the keyboard, so that no action has them. Not translated. */
typedef struct
{
  const char *panel; /* "In the Pipeline": heading                          */
  const char *keys;  /* GTK accelerators, separated by blanks; 1...9: nine  */
  const char *title;
} PhOwnKey;
const PhOwnKey *ph_own_key_list (guint *n);

G_END_DECLS
