/* line-diff.h: finds the lines that two texts have in common.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* For each line of @a the index of its partner in @b, or -1; increasing. Lines are compared as interned pointers or any
 * other keys. Shortest edit script (Myers 1986, "An O(ND) Difference Algorithm and Its Variations") while that is cheap;
 * where the texts differ in thousands of places, lines that occur once on both sides are matched first. */
int *ph_line_diff (const guint *a, guint n_a, const guint *b, guint n_b);

G_END_DECLS
