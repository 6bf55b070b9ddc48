/* intern.h: one copy of each name, for the life of the process, so that names are compared as pointers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Like g_intern_string(), but for the hundred thousands of names that models bring: GLib's table, made for the few names of
 * types and properties, lets go of its old array each time it grows. NULL stays NULL. From any thread. */
const char *ph_intern (const char *string);
/* The same of @length bytes, none of which is 0. */
const char *ph_intern_sized (const char *text, gsize length);
/* That many names are about to come. */
void ph_intern_reserve (gsize n);
/* Whether it is known, at a glance, to have come from ph_intern(). */
gboolean ph_intern_is (const char *string);
/* "BASE_NUMBER" */
const char *ph_intern_numbered (const char *base, guint number);

/* A name from there would not be equal to one from here. */
#pragma GCC poison g_intern_string

G_END_DECLS
