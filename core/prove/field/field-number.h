/* field-number.h: functions of numbers modulo the primes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/field/field-private.h"

G_BEGIN_DECLS

/* ── functions of numbers (field-number.c; field-constant.c reads constants) ── */
void ph_field_set_point (PhField *field, guint64 salt); /* the numbers of infinities, too */
/* Exactly, or as recognised: one of @dtype; an attribute or a number of a formula. */
PhNum ph_field_constant (PhField *field, PhDType dtype, double number);
/* The same of each of @tensor's elements, which are @numbers. */
void ph_field_floats (PhField *field, PhFieldTensor *tensor, const float *numbers);
PhNum ph_field_double (PhField *field, double number);
PhNum ph_field_ratio (PhField *field, gint64 over, gint64 under);
PhNum ph_field_inverse (PhField *field, PhNum a);         /* of 0: asks for another point */
PhNum ph_field_hash (PhField *field, guint64 hash);       /* the number of a hash          */
guint64 ph_field_salt (PhField *field, const char *name); /* of a function                 */
gboolean ph_field_positive (PhField *field, PhNum a);     /* its sign; 0 counts as either  */
gboolean ph_field_special (PhField *field, PhNum a);      /* stands for an infinity or NaN */
PhNum ph_field_exp (PhField *field, PhNum a);
PhNum ph_field_sqrt (PhField *field, PhNum a);
PhNum ph_field_function (PhField *field, const char *name, PhNum a); /* an uninterpreted one          */
PhNum ph_field_power (PhField *field, PhNum a, double exponent);
/* The sign of constants must be what Euler's criterion says, where it is used. */
void ph_field_check_sign (PhField *field, double number, PhNum a);

G_END_DECLS
