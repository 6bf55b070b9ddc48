/* escape.h: text of a file, made fit to be shown.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A hostile file's names hold sequences that retitle or clear a terminal, and marks that turn the direction of what follows.
 * Whatever comes of a file goes through here where it leaves for a terminal, a label or a file that is no model: control
 * characters become \x1b, invalid bytes U+FFFD. Lines and tabs stay where @lines says so. */
void ph_escape_append (GString *out, const char *text, gboolean lines);
char *ph_escape (const char *text, gboolean lines);
gboolean ph_escape_is_plain (const char *text); /* it is ASCII, and nothing in it is escaped */

G_END_DECLS
