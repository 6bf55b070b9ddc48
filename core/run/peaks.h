/* peaks.h: the peak speed of this machine in operations and in bytes, measured.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/profile.h"

G_BEGIN_DECLS

/* Measured at the first call, and again when the number of threads has changed. From any thread, but it takes a tenth of a second: the
 * window reads those of a profile. */
PhPeaks ph_machine_peaks (void);

/* What a node could reach at most, in 10^9 operations a second, by the operations that it does for each byte that it moves. */
double ph_peaks_roof (const PhPeaks *peaks, double flops_per_byte);
/* The share of the roof that @time reaches: of the operations where there are any, of the bytes else. Above 1 where the caches hold what it
 * reads. -1: it took no time that can be told. */
double ph_peaks_reached (const PhPeaks *peaks, const PhNodeTime *time);

G_END_DECLS
