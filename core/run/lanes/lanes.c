/* lanes.c: selects loops over floats by the processor's instruction sets.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/lanes.h"

#include <math.h>

extern const PhLanes ph_lanes_base;
#ifdef __x86_64__
extern const PhLanes ph_lanes_v3, ph_lanes_v4;
#endif

#ifdef __x86_64__
/* What oneDNN is told to do without (ONEDNN_MAX_CPU_ISA), these loops do without, too. */
static const PhLanes *
choose (void)
{
  const char *most = g_getenv ("ONEDNN_MAX_CPU_ISA");
  const gboolean is_old = most != NULL && (g_str_equal (most, "SSE41") || g_str_equal (most, "AVX"));
  const gboolean is_narrow = is_old || (most != NULL && g_str_has_prefix (most, "AVX2"));

  __builtin_cpu_init ();
  if (!is_narrow && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl")
      && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512bw"))
    return &ph_lanes_v4;
  return !is_old && __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma") ? &ph_lanes_v3 : &ph_lanes_base;
}
#endif

const PhLanes *
ph_lanes (void)
{
#ifdef __x86_64__
  static const PhLanes *chosen;
  const PhLanes *lanes = __atomic_load_n (&chosen, __ATOMIC_RELAXED);

  if (lanes == NULL)
    {
      lanes = choose ();
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
