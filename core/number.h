/* number.h: numbers as text, the same in every locale.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* printf's %f, %e and %g write a comma where the user's language does, and what is drawn, exported or read by a program must
 * not. @format: one such conversion and nothing else, "%.3g". */
void ph_number_append (GString *out, const char *format, double value);
char *ph_number_to_string (const char *format, double value);
/* "0.693", "10", "-0.959": three decimals where they say something, as the tables of textbooks have them. */
char *ph_number_brief (double value);
char *ph_size_to_string (guint64 bytes); /* "5.8 GiB" */

G_END_DECLS
