/* lanes.c: selects loops over floats by the processor's instruction sets.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/lanes.h"

#include <math.h>

extern const PhLanes ph_lanes_base;
#ifdef __x86_64__
extern const PhLanes ph_lanes_v3, ph_lanes_v4;
#endif

const PhLanes *
ph_lanes (void)
{
#ifdef __x86_64__
  static const PhLanes *chosen;
  const PhLanes *lanes = __atomic_load_n (&chosen, __ATOMIC_RELAXED);

  if (lanes == NULL)
    {
      __builtin_cpu_init ();
      lanes = __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("avx512dq")
                      && __builtin_cpu_supports ("avx512bw")
                  ? &ph_lanes_v4
              : __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") ? &ph_lanes_v3
                                                                                  : &ph_lanes_base;
      __atomic_store_n (&chosen, lanes, __ATOMIC_RELAXED);
    }
  return lanes;
#else
  return &ph_lanes_base;
#endif
}

void
ph_lanes_moments (gsize n, const float *x, double epsilon, gboolean centre, double *mean, double *inverse)
{
  double squares = 0;

  *mean = 0;
  for (gsize i = 0; centre && i < n; i++)
    *mean += x[i] / (double) n;
  for (gsize i = 0; i < n; i++)
    squares += (x[i] - *mean) * (x[i] - *mean);
  *inverse = 1 / sqrt (squares / (double) n + epsilon);
}
