/* fourier.h: fast Fourier transforms of any length.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double re, im;
} PhComplex;

/* What transforms of one length share. Not for two threads at once: it has scratch space. */
typedef struct _PhFourier PhFourier;

/* y[k] = sum of x[i] e^(@sign 2 pi i k / n). @sign: 1 or -1. (transfer full) */
PhFourier *ph_fourier_new (gint64 n, int sign);
void ph_fourier_free (PhFourier *fourier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFourier, ph_fourier_free)
/* @x and @y do not overlap. */
void ph_fourier_run (PhFourier *fourier, const PhComplex *x, PhComplex *y);

G_END_DECLS
