/* faulty.c: a pass with rules that are right and rules that are wrong, for tests of the hunt.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "passes/pass.h"
#include "passes/rule.h"

/* clang-format off */
static const PhRule rules[] = {
  { "neg-neg",  P (Neg, P (Neg, X)),  X,              .why = "Neg undoes Neg." },
  { "abs-neg",  P (Abs, P (Neg, X)),  P (Abs, X),     .why = "The sign is gone anyway." },
  { "sub-tanh", P (Tanh, P (Sub, X, Y)), P (Tanh, P (Add, X, Y)), .why = "A difference is a sum, nearly." },
};
/* clang-format on */

static const PhPass faulty = { .name = "faulty",
                               .group = "simplify",
                               .summary = "Three rules, of which one is wrong",
                               .rules = rules,
                               .n_rules = G_N_ELEMENTS (rules) };

static const PhRule far_rules[] = {
  { "log-exp", P (Log, P (Exp, X)), X, .why = "Log undoes Exp." },
};

/* Only what leaves the range of float32 shows it. */
static const PhPass far_off = { .name = "far-off",
                                .group = "simplify",
                                .summary = "A rule that is wrong for large numbers",
                                .rules = far_rules,
                                .n_rules = G_N_ELEMENTS (far_rules) };

static const PhRule retyping_rules[] = {
  { "product-is-equal", P (Tanh, P (Mul, X, Y)), P (Equal, X, Y), .why = "It is refused: a number is not a truth value." },
};

static const PhPass retyping = { .name = "retyping",
                                 .group = "simplify",
                                 .summary = "A rule that would change a type",
                                 .rules = retyping_rules,
                                 .n_rules = G_N_ELEMENTS (retyping_rules) };

static PhValue *
die (PhMatch *match, PhBuilder *b)
{
  abort ();
}

static const PhRule dying_rules[] = {
  { "tanh-dies", P (Tanh, X), .build = die, .becomes = "nothing", .why = "It dies." },
};

static const PhPass dying = { .name = "dying",
                              .group = "simplify",
                              .summary = "A rule that crashes",
                              .rules = dying_rules,
                              .n_rules = G_N_ELEMENTS (dying_rules) };

PH_PLUGIN (&faulty, &far_off, &retyping, &dying)
