/* nearest.h: what a mistyped word meant.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The nearest of @names to what was typed, or NULL. */
const char *ph_nearest (const char *typed, const char *const *names, guint n);

G_END_DECLS
