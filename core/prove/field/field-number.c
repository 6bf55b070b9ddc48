/* field-number.c: constants and functions of numbers of the field.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"

#include <math.h>

__thread guint32 ph_field_p = PH_FIELD_USUAL_P;

/* clang-format off */
#define POWER(modulus_)                                                                                                \
  for (; exponent > 0; exponent >>= 1)                                                                                 \
    {                                                                                                                  \
      if (exponent & 1)                                                                                                \
        result = result * power % (modulus_);                                                                          \
      power = power * power % (modulus_);                                                                              \
    }
/* clang-format on */

static guint32
mod_pow (guint32 base, guint64 exponent, guint32 m)
{
  guint64 result = 1, power = base;

  if (m == PH_FIELD_USUAL_P) /* a constant divisor is quick */
    POWER (PH_FIELD_USUAL_P)
  else if (m == PH_FIELD_Q)
    POWER (PH_FIELD_Q)
  else
    POWER (m)
  return (guint32) result;
}

/* Inverts @a by Euclid's algorithm; 0 for 0. */
static guint32
mod_inverse (guint32 a, guint32 m)
{
  gint64 x = a, y = m, of_x = 1, of_y = 0;

  while (x > 0)
    {
      const gint64 times = y / x, rest = y - times * x, of_rest = of_y - times * of_x;

      y = x;
      of_y = of_x;
      x = rest;
      of_x = of_rest;
    }
  return y != 1 ? 0 : (guint32) (of_y < 0 ? of_y + m : of_y);
}

/* Euler's criterion, a^((p-1)/2) = 1, by Jacobi's symbol, which needs no powers. */
static gboolean
is_square (guint32 a, guint32 p)
{
  guint32 minus = 0;

  while (a != 0)
    {
      const guint32 twos = (guint32) __builtin_ctz (a), odd = a >> twos, low = MIN (odd, p), high = MAX (odd, p);

      /* (2/p) = -1 where p = 3 or 5 mod 8; exchanged, both 3 mod 4, the sign turns. */
      minus ^= twos & ((p >> 1) ^ (p >> 2));
      minus ^= (guint32) (odd < p) & ((odd & p) >> 1);
      a = high - low;
      p = low;
    }
  return p == 1 && !(minus & 1);
}

/* Tests primality by Miller and Rabin; these bases have no strong pseudoprime below 3,215,031,751. Most composites have a small divisor. */
static gboolean
is_prime (guint32 n)
{
  static const guint32 bases[] = { 2, 3, 5, 7 }, small[] = { 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61 };
  guint32 odd = n - 1, twos = 0;

  for (guint i = 0; i < G_N_ELEMENTS (small); i++)
    if (n % small[i] == 0)
      return n == small[i];

  for (; odd % 2 == 0; odd /= 2)
    twos++;
  for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
    {
      guint64 x = mod_pow (bases[i], odd, n);
      gboolean witness = x != 1 && x != n - 1;

      for (guint k = 1; k < twos && witness; k++)
        {
          x = x * x % n;
          witness = x != n - 1;
        }
      if (witness)
        return FALSE;
    }
  return TRUE;
}

guint32
ph_field_prime (guint64 seed, guint n)
{
  guint32 p = 23 + 24 * (guint32) (40000000 + ph_mix (ph_mix (seed, 0x9121e), n) % 49000000);

  while (!is_prime (p))
    p -= 24;
  return p;
}

PhNum
ph_num_int (gint64 number)
{
  const gint64 p = number % (gint64) PH_FIELD_P, q = number % (gint64) PH_FIELD_Q;

  return (PhNum) { (guint32) (p < 0 ? p + PH_FIELD_P : p), (guint32) (q < 0 ? q + PH_FIELD_Q : q) };
}

/* ── uninterpreted functions ── */

guint64
ph_field_salt (PhField *field, const char *name)
{
  guint64 hash = field->salt;

  for (; *name != '\0'; name++)
    hash = ph_mix (hash, (guint8) *name);
  return hash;
}

PhNum
ph_field_hash (PhField *field, guint64 hash)
{
  /* the upper half as a fraction of the modulus: no division */
  return (PhNum) { (guint32) ((ph_mix (hash, 1) >> 32) * PH_FIELD_P >> 32),
                   (guint32) ((ph_mix (hash, 2) >> 32) * PH_FIELD_Q >> 32) };
}

PhNum
ph_field_function (PhField *field, const char *name, PhNum a)
{
  field->hashed++;
  return ph_field_hash (field, ph_mix (ph_field_salt (field, name), a.p));
}

/* ── infinities and NaN: opaque numbers ── */

void
ph_field_set_point (PhField *field, guint64 salt)
{
  field->salt = salt;
  for (guint i = 0; i < G_N_ELEMENTS (field->special); i++)
    field->special[i] = ph_field_hash (field, ph_mix (ph_field_salt (field, "special"), i));
}

gboolean
ph_field_special (PhField *field, PhNum a)
{
  return a.p == field->special[0].p || a.p == field->special[1].p || a.p == field->special[2].p;
}

/* ── inverses, roots, powers ── */

PhNum
ph_field_inverse (PhField *field, PhNum a)
{
  field->redraw = field->redraw || a.p == 0 || (a.q == 0 && (field->reading & PH_FIELD_EXP));
  return (PhNum) { mod_inverse (a.p, PH_FIELD_P), mod_inverse (a.q, PH_FIELD_Q) };
}

PhNum
ph_field_ratio (PhField *field, gint64 over, gint64 under)
{
  /* An operator asks for the same ones at each element. */
  PhFieldRatio *known = &field->ratios[(gsize) under % G_N_ELEMENTS (field->ratios)];
  PhNum ratio;

  if (known->over == over && known->under == under)
    return known->number;
  ratio = ph_num_mul (ph_num_int (over), ph_field_inverse (field, ph_num_int (under)));
  *known = (PhFieldRatio) { over, under, ratio };
  ph_field_check_sign (field, (double) over / (double) under, ratio);
  return ratio;
}

/* m = 3 mod 4: the root of a square a is a^((m+1)/4), or its negative. */
static PhNum
root_two (PhField *field)
{
  return (PhNum) { mod_pow (2, (PH_FIELD_P + 1) / 4, PH_FIELD_P), mod_pow (2, (PH_FIELD_Q + 1) / 4, PH_FIELD_Q) };
}

/* Returns a random square: numbers that are not negative over the reals must pass Euler's criterion. */
static PhNum
positive_function (PhField *field, const char *name, PhNum a)
{
  PhNum root = ph_field_function (field, name, a);

  return ph_num_mul (root, root);
}

#define MAX_ROOT (64 * 64)

PhNum
ph_field_sqrt (PhField *field, PhNum a)
{
  for (guint32 i = 0; i * i <= MAX_ROOT && i * i <= a.p; i++)
    if (a.p == i * i)
      return ph_num_int (i);
  if (a.p == 2)
    {
      PhNum root = root_two (field);

      /* the root that counts as positive */
      return is_square (root.p, PH_FIELD_P) ? root : ph_num_neg (root);
    }
  return positive_function (field, "sqrt", a);
}

PhNum
ph_field_exp (PhField *field, PhNum a)
{
  PhNum result;

  field->met |= PH_FIELD_EXP;
  if (a.p == field->special[PH_FIELD_MINUS_INFINITY].p)
    return (PhNum) { 0, 0 };
  if (ph_field_special (field, a))
    return ph_field_function (field, "exp", a);
  if (a.p == 0 && (a.q == 0 || !(field->reading & PH_FIELD_EXP)))
    return (PhNum) { 1, 1 };
  if (!(field->reading & PH_FIELD_EXP))
    return positive_function (field, "exp", a);
  result.p = mod_pow (4, a.q, PH_FIELD_P);
  /* The power modulo q is unknown: an opaque function. */
  result.q = ph_field_hash (field, ph_mix (ph_field_salt (field, "exp"), result.p)).q;
  return result;
}

PhNum
ph_field_power (PhField *field, PhNum a, double exponent)
{
  guint64 bits;

  if (exponent == 0.5)
    return ph_field_sqrt (field, a);
  if (exponent == -0.5)
    return ph_field_inverse (field, ph_field_sqrt (field, a));
  if (fabs (exponent) <= 64 && exponent == floor (exponent))
    {
      const guint64 k = (guint64) fabs (exponent);
      PhNum result = { mod_pow (a.p, k, PH_FIELD_P), mod_pow (a.q, k, PH_FIELD_Q) };

      return exponent < 0 ? ph_field_inverse (field, result) : result;
    }
  memcpy (&bits, &exponent, sizeof bits);
  field->hashed++;
  return ph_field_hash (field, ph_mix (ph_mix (ph_field_salt (field, "pow"), bits), a.p));
}

/* ── signs ── */

gboolean
ph_field_positive (PhField *field, PhNum a)
{
  field->met |= PH_FIELD_EULER;
  if (a.p == 0)
    return TRUE;
  if (field->reading & PH_FIELD_EULER)
    return is_square (a.p, PH_FIELD_P);
  return ((ph_mix (ph_field_salt (field, "sign"), MIN (a.p, PH_FIELD_P - a.p)) >> 17) & 1) ^ (a.p > PH_FIELD_P / 2);
}

void
ph_field_check_sign (PhField *field, double number, PhNum a)
{
  if ((field->reading & PH_FIELD_EULER) && number != 0 && isfinite (number) && !field->bad_sign)
    field->bad_sign = is_square (a.p, PH_FIELD_P) != (number > 0);
}
