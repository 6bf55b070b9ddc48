/* ahead.h: tables of names that are far larger than the caches: their places are brought before they are asked for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/names.h"

G_BEGIN_DECLS

/* @string is interned soon. */
void ph_intern_expect (const char *string, gsize length);
/* @name is asked for, or set, soon. */
void ph_names_expect (const PhNames *names, const char *name);
/* Room for @n more, which come soon. */
void ph_names_reserve (PhNames *names, gsize n);

G_END_DECLS
