/* field-modulo.h: numbers modulo two primes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* p = 2 q + 1, both prime; p = 7 mod 8 and q = 7 mod 8, so that 2 has a root in both. Signs that multiply are read modulo
 * other primes p = 23 mod 24, for which -1 is no square, but 2 and 3 are. */
#define PH_FIELD_USUAL_P 2147480927u
#define PH_FIELD_P       ph_field_p
#define PH_FIELD_Q       1073740463u

extern __thread guint32 ph_field_p __attribute__ ((tls_model ("initial-exec")));

/* A number, as it is modulo p and modulo q. The second part is for exponentials alone; 0 where they are not interpreted. */
typedef struct
{
  guint32 p, q;
} PhNum;

static inline guint32
ph_mod_add (guint32 a, guint32 b, guint32 m)
{
  const guint64 sum = (guint64) a + b;

  return (guint32) (sum >= m ? sum - m : sum);
}

static inline guint32
ph_mod_neg (guint32 a, guint32 m)
{
  return a == 0 ? 0 : m - a;
}

static inline PhNum
ph_num_add (PhNum a, PhNum b)
{
  return (PhNum) { ph_mod_add (a.p, b.p, PH_FIELD_P), ph_mod_add (a.q, b.q, PH_FIELD_Q) };
}

static inline PhNum
ph_num_neg (PhNum a)
{
  return (PhNum) { ph_mod_neg (a.p, PH_FIELD_P), ph_mod_neg (a.q, PH_FIELD_Q) };
}

static inline PhNum
ph_num_sub (PhNum a, PhNum b)
{
  return ph_num_add (a, ph_num_neg (b));
}

static inline PhNum
ph_num_mul (PhNum a, PhNum b)
{
  const guint64 p = (guint64) a.p * b.p;

  /* a constant divisor is quick */
  return (PhNum) { (guint32) (PH_FIELD_P == PH_FIELD_USUAL_P ? p % PH_FIELD_USUAL_P : p % PH_FIELD_P),
                   (guint32) ((guint64) a.q * b.q % PH_FIELD_Q) };
}

static inline guint64
ph_mix (guint64 hash, guint64 value)
{
  hash = (hash ^ value) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  hash = (hash ^ (hash >> 29)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  return hash ^ (hash >> 32);
}

/* A prime p = 23 mod 24 below 2^31, the @n-th of those that @seed tells. */
guint32 ph_field_prime (guint64 seed, guint n);
PhNum ph_num_int (gint64 number);

G_END_DECLS
