/* mutate.h: damages bytes at random.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

/* A few flips, nasty bytes, removals, repetitions and moves. */
void fuzz_mutate (GRand *rand, GByteArray *bytes);
