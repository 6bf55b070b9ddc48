/* mutate.h: tries what random damage makes of good input.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

typedef gboolean (*FuzzTry) (const guint8 *data, gsize size); /* TRUE: it was something */

/* Tries each of @seeds (element-type GBytes), which must be something, and then, for PEEPHOLE_FUZZ_SECONDS (3), what comes of a
 * few flips, nasty bytes, removals, repetitions and moves in one of them. PEEPHOLE_FUZZ_SEED: of the random numbers (23). */
void fuzz_run (GPtrArray *seeds, FuzzTry try);
