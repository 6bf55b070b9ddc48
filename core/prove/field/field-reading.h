/* field-reading.h: how functions and constants are read over the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How functions and constants are read; a pair is tried with the strictest reading first. */
/* clang-format off */
typedef enum
{
  PH_FIELD_EXP       = 1 << 0, /* exp (x) = 4^x                                                             */
  PH_FIELD_RECOGNISE = 1 << 1, /* constants are the numbers that they round: 1/3, sqrt (2), 0.1, ...        */
  PH_FIELD_FOLD      = 1 << 2, /* before: what depends on constants alone is what executing it gives, rounding and all */
  PH_FIELD_EULER     = 1 << 3, /* signs by Euler's criterion, which knows that signs multiply: only modulo many
                                  primes, since 5 = 2 + 3 has the wrong sign modulo every other one           */
} PhFieldReading;
/* clang-format on */

/* Infinities and NaN are numbers of which nothing is known. */
enum
{
  PH_FIELD_INFINITY,
  PH_FIELD_MINUS_INFINITY,
  PH_FIELD_NAN
};

G_END_DECLS
