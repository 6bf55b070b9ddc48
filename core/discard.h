/* discard.h: frees what is large where nobody waits for it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Calls @free_func on @data, which nobody else has any more, in a thread, some time later. NULL is let pass. Not for what has to be
 * let go in the main thread, such as objects with signals. */
void ph_discard (gpointer data, GDestroyNotify free_func);
/* The same of what has @n_parts: few are freed at once, which costs less than to wake a thread. */
void ph_discard_parts (gpointer data, GDestroyNotify free_func, gsize n_parts);

G_END_DECLS
