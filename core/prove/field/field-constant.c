/* field-constant.c: reads constants into the field, exactly or as the numbers that they round.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-tensor.h"

#include <math.h>

/* 2^k for the exponents of doubles, modulo the prime of now: weights are many. */
#define LEAST_POWER (-1130)
#define N_POWERS    2200

/* Computes a power for one prime of many, which only needs a few. */
static PhNum
single_power_of_two (PhNum half, int k)
{
  PhNum power = { 1, 1 }, base = k < 0 ? half : (PhNum) { 2, 2 };

  for (guint left = (guint) (k < 0 ? -k : k); left > 0; left >>= 1)
    {
      if (left & 1)
        power = ph_num_mul (power, base);
      base = ph_num_mul (base, base);
    }
  return power;
}

/* Returns the powers of two modulo the usual prime, from the least. */
static const PhNum *
usual_powers (void)
{
  static __thread PhNum table[N_POWERS];
  /* 1/2 = (m + 1) / 2 */
  const PhNum half = { (PH_FIELD_USUAL_P + 1) / 2, (PH_FIELD_Q + 1) / 2 }, two = { 2, 2 };

  if (table[-LEAST_POWER].p == 1)
    return table;
  table[-LEAST_POWER] = (PhNum) { 1, 1 };
  for (int i = -LEAST_POWER; i > 0; i--)
    table[i - 1] = ph_num_mul (table[i], half);
  for (int i = -LEAST_POWER; i + 1 < N_POWERS; i++)
    table[i + 1] = ph_num_mul (table[i], two);
  return table;
}

/* Splits a finite number: it is its mantissa of 53 bits times 2^@exponent. */
static guint64
mantissa_of (double number, int *exponent)
{
  guint64 bits, biased;

  memcpy (&bits, &number, sizeof bits);
  biased = bits >> 52 & 0x7ff;
  *exponent = (int) MAX (biased, 1) - 1075;
  return (bits & ((G_GUINT64_CONSTANT (1) << 52) - 1)) | (guint64) (biased > 0) << 52;
}

static PhNum
exactly (double number)
{
  const PhNum half = { (guint32) (((guint64) PH_FIELD_P + 1) / 2), (guint32) (((guint64) PH_FIELD_Q + 1) / 2) };
  int exponent;
  const PhNum size = ph_num_int ((gint64) mantissa_of (number, &exponent));
  const PhNum scaled = ph_num_mul (size, PH_FIELD_P == PH_FIELD_USUAL_P ? usual_powers ()[exponent - LEAST_POWER]
                                                                        : single_power_of_two (half, exponent));

  return number < 0 ? ph_num_neg (scaled) : scaled;
}

/* Returns TRUE for a short number such as 0, 1, 6, 0.5 or -1.75, which is taken at face value. */
static gboolean
is_short (double number)
{
  int exponent;
  const double mantissa = ldexp (frexp (number, &exponent), 11);

  return mantissa == floor (mantissa);
}

/* Returns TRUE if @exact rounds to @number in @dtype. */
static gboolean
rounds_to (PhDType dtype, double number, double exact)
{
  return number == exact || (dtype != PH_DOUBLE && number == (double) (float) exact);
}

typedef enum
{
  ROOT_NONE,
  ROOT_TWO,
  ROOT_TWO_BY_PI
} Root;

/* Returns the whole number below 1e5 that @size approximates, or 0 if there is none. */
static double
whole_near (double size)
{
  const double whole = size < 1e5 ? (double) (gint64) (size + 0.5) : 0;

  return fabs (size - whole) <= 1e-6 * size ? whole : 0;
}

/* Recognizes @number as factor * over / under, where the factor is 1, sqrt (2) or sqrt (2 / pi). */
static gboolean
recognise (PhDType dtype, double number, Root *root, gint64 *over, gint64 *under)
{
  static const double factors[] = { 1, 1.41421356237309504880, 0.79788456080286535588 };
  const double size = fabs (number);

  for (guint f = 0; f < G_N_ELEMENTS (factors); f++)
    {
      static const gint64 unders[] = { 1, 2, 3, 4, 6, 7, 9, 12 };

      for (guint i = 0; i < G_N_ELEMENTS (unders); i++)
        {
          const double times = whole_near (size / factors[f] * unders[i]);

          if (times >= 1 && times <= 64 && rounds_to (dtype, size, factors[f] * times / unders[i]))
            {
              *root = f;
              *over = (gint64) times;
              *under = unders[i];
              return TRUE;
            }
        }
    }
  /* up to five decimal digits */
  *root = ROOT_NONE;
  *under = 10;
  for (guint digits = 1; digits <= 15 && size * *under < 1e5; digits++, *under *= 10)
    {
      const double times = whole_near (size * *under);

      if (times >= 1 && rounds_to (dtype, size, times / *under))
        {
          *over = (gint64) times;
          return TRUE;
        }
    }
  return FALSE;
}

/* Tells most numbers that recognise() refuses by a few products, since weights are many. What is recognised is as near as a float to a
 * multiple of a factor over 252, of which all denominators are divisors, or to one over the power of ten that leaves five digits. */
static gboolean
may_be_recognised (double number)
{
#define NEAR_WHOLE(times_) (fabs ((times_) - (double) (gint64) ((times_) + 0.5)) <= 6.2e-8 * (times_))
  static const double tens[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
  const double size = fabs (number);
  int exponent;
  guint digits;

  if (size >= 1e5 || size < 0.99e-15)
    return FALSE;
  mantissa_of (size, &exponent);
  exponent += 53; /* size < 2^exponent; log10 (2) is 0.30103 */
  digits = (guint) CLAMP ((500000 - 30103 * exponent) / 100000, 1, 15);
  while (digits < 15 && size * tens[digits + 1] < 1e5)
    digits++;
  if (size * tens[digits] < 1e5 && NEAR_WHOLE (size * tens[digits]))
    return TRUE;
  return size >= 0.066 && size < 92
         && (NEAR_WHOLE (size * 252) || NEAR_WHOLE (size * (252 / 1.41421356237309504880))
             || NEAR_WHOLE (size * (252 / 0.79788456080286535588)));
}

gboolean
ph_field_may_recognise (PhDType dtype, double number)
{
  Root root;
  gint64 over, under;

  return !isfinite (number) || is_short (number)
         || (may_be_recognised (number) && recognise (dtype, number, &root, &over, &under));
}

PhNum
ph_field_constant (PhField *field, PhDType dtype, double number)
{
  Root root;
  gint64 over, under;
  PhNum a;

  if (!isfinite (number))
    field->salted = TRUE;
  if (isnan (number))
    return field->special[PH_FIELD_NAN];
  if (isinf (number))
    return field->special[number > 0 ? PH_FIELD_INFINITY : PH_FIELD_MINUS_INFINITY];
  if (number == 0)
    return (PhNum) { 0, 0 };
  /* Whether there is anything to recognise was found before signs are read modulo many primes. */
  if (is_short (number) || (field->reading & (PH_FIELD_EULER | PH_FIELD_RECOGNISE)) == PH_FIELD_EULER
      || !may_be_recognised (number) || !recognise (dtype, number, &root, &over, &under))
    a = exactly (number);
  else
    {
      field->met |= PH_FIELD_RECOGNISE;
      if (!(field->reading & PH_FIELD_RECOGNISE))
        a = exactly (number);
      else
        {
          field->used_recognised = TRUE;
          a = ph_num_mul (ph_num_int (number < 0 ? -over : over), ph_field_inverse (field, ph_num_int (under)));
          if (root == ROOT_TWO)
            a = ph_num_mul (a, ph_field_sqrt (field, ph_num_int (2)));
          else if (root == ROOT_TWO_BY_PI)
            field->salted = TRUE;
          if (root == ROOT_TWO_BY_PI)
            a = ph_num_mul (a, ph_field_sqrt (field, ph_field_hash (field, ph_field_salt (field, "2 / pi"))));
        }
    }
  ph_field_check_sign (field, number, a);
  return a;
}

/* Weights are many: what is taken at face value is read in few steps. */
void
ph_field_floats (PhField *field, PhFieldTensor *tensor, const float *numbers)
{
  const gboolean may_be_exact = !(field->reading & PH_FIELD_EULER) && PH_FIELD_P == PH_FIELD_USUAL_P;
  const PhNum *powers = may_be_exact ? usual_powers () : NULL;
  guint32 *p = tensor->p, *q = tensor->q;

  for (gsize i = 0; i < tensor->count; i++)
    {
      const double number = (double) numbers[i];

      if (may_be_exact && isfinite (number) && number != 0 && !may_be_recognised (number))
        {
          int exponent;
          const guint32 mantissa = (guint32) (mantissa_of (number, &exponent) >> 29); /* of 24 bits */
          const PhNum power = powers[exponent + 29 - LEAST_POWER];
          const guint32 of_p = (guint32) ((guint64) mantissa * power.p % PH_FIELD_USUAL_P);

          p[i] = number < 0 ? ph_mod_neg (of_p, PH_FIELD_USUAL_P) : of_p;
          if (q != NULL)
            {
              const guint32 of_q = (guint32) ((guint64) mantissa * power.q % PH_FIELD_Q);

              q[i] = number < 0 ? ph_mod_neg (of_q, PH_FIELD_Q) : of_q;
            }
        }
      else
        ph_field_put (tensor, i, ph_field_constant (field, PH_FLOAT, number));
    }
}

PhNum
ph_field_double (PhField *field, double number)
{
  return ph_field_constant (field, PH_FLOAT, number);
}
