/* splitmix.h: random numbers, the same on every machine.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/* SplitMix64: one multiplication-and-shift mix of a counter, after Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014. */
static inline guint64
ph_splitmix (guint64 *state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* In [0, 1). */
static inline double
ph_splitmix_uniform (guint64 *state)
{
  return (double) (ph_splitmix (state) >> 11) * 0x1p-53;
}

/* Box and Muller's transform, one of the pair. */
static inline double
ph_splitmix_normal (guint64 *state)
{
  const double u = ph_splitmix_uniform (state), v = ph_splitmix_uniform (state);

  return sqrt (-2 * log (u + 1e-300)) * cos (2 * G_PI * v);
}

G_END_DECLS
