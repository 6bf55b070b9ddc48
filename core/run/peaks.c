/* peaks.c: measures the peak performance of this machine.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/peaks.h"

#include <oneapi/dnnl/dnnl.h>
#include <string.h>

#include "core/run/program.h"
#include "core/run/run-private.h"

#define SIDE   384                /* of the matrices               */
#define COPIED ((gsize) 24 << 20) /* bytes: more than caches hold  */
#define TRIES  12                 /* the best one counts           */

/* 10^9 operations a second. */
static double
measure_product (guint threads)
{
  const int before = ph_run_push_threads (threads);

  const gsize n = (gsize) SIDE * SIDE;
  g_autofree float *a = g_new (float, n), *b = g_new (float, n), *c = g_new (float, n);
  gint64 least = G_MAXINT64;

  for (gsize i = 0; i < n; i++)
    a[i] = b[i] = (float) (i % 7) * 0.25f;
  for (guint i = 0; i < TRIES; i++)
    {
      const gint64 start = ph_profile_now ();

      if (dnnl_sgemm ('N', 'N', SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE) != dnnl_success)
        break;
      least = MIN (least, ph_profile_now () - start);
    }
  ph_run_pop_threads (before);
  return least < G_MAXINT64 ? 2.0 * SIDE * SIDE * SIDE / (double) MAX (least, 1) : 0;
}

/* 10^9 bytes a second. */
static double
measure_copy (void)
{
  g_autofree char *from = g_try_malloc (COPIED), *to = g_try_malloc (COPIED);
  gint64 least = G_MAXINT64;

  if (from == NULL || to == NULL)
    return 0;
  memset (from, 1, COPIED);
  for (guint i = 0; i < TRIES; i++)
    {
      const gint64 start = ph_profile_now ();

      memcpy (to, from, COPIED);
      if (to[i] != 1)
        return 0;
      least = MIN (least, ph_profile_now () - start);
    }
  return 2.0 * (double) COPIED / (double) MAX (least, 1);
}

PhPeaks
ph_machine_peaks (void)
{
  static GMutex lock;
  static PhPeaks peaks;
  const guint threads = ph_run_get_threads ();
  PhPeaks found;

  g_mutex_lock (&lock);
  if (peaks.threads != threads)
    {
      /* On a busy machine several threads are slower than one; and waiting threads slow a single one down. */
      const double one = measure_product (1), many = threads > 1 ? measure_product (threads) : 0;

      peaks = (PhPeaks) { MAX (one, many), peaks.gbytes > 0 ? peaks.gbytes : measure_copy (), threads };
    }
  found = peaks;
  g_mutex_unlock (&lock);
  return found;
}

double
ph_peaks_roof (const PhPeaks *peaks, double flops_per_byte)
{
  return MIN (peaks->gflops, flops_per_byte * peaks->gbytes);
}

double
ph_peaks_reached (const PhPeaks *peaks, const PhNodeTime *time)
{
  const gboolean counts = time->flops > 0 && time->bytes > 0;
  const double roof = counts ? ph_peaks_roof (peaks, (double) time->flops / (double) time->bytes) : peaks->gbytes;

  if (time->ns <= 0 || roof <= 0 || (!counts && time->bytes <= 0))
    return -1;
  return (double) (counts ? time->flops : time->bytes) / (double) time->ns / roof;
}
