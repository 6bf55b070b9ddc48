/* exp-log.c: simplifies exponentials of logarithms and logarithms of exponentials.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/rule.h"

/* All of these change the result if the exponential overflows or underflows: log (exp (1000)) is inf, x is 1000. That is mostly an
 * improvement but not the same, so they are lossy. */

static gboolean
same_axis_everywhere (PhMatch *match)
{
  return ph_value_is_float (match->slot[0]);
}

static PhValue *
build_log_softmax (PhMatch *match, PhBuilder *b)
{
  gint64 axis = ph_node_attr_int (match->node[1], "axis", -1); /* the attribute may be absent */

  return PH_BUILD_WITH (b, LogSoftmax, PH_ATTRS (ph_attr_new_int ("axis", axis)), match->slot[0]);
}

/* clang-format off */
static const PhRule rules[] = {
  { "log-exp",     P (Log, P (Exp, X)),                 X, .when = ph_match_always, .exactness = PH_LOSSY,
    .why = "log (exp (x)) is x, except where exp (x) overflows or underflows." },
  { "exp-log",     P (Exp, P (Log, X)),                 X, .when = ph_match_always, .exactness = PH_LOSSY,
    .why = "exp (log (x)) is x, except for negative x, whose logarithm is NaN." },
  { "exp-times-exp", P (Mul, P (Exp, X), P (Exp, Y)),   P (Exp, P (Add, X, Y)), .exactness = PH_LOSSY,
    .why = "exp (x) * exp (y) is exp (x + y), except where a factor overflows or underflows." },
  { "log-plus-log", P (Add, P (Log, X), P (Log, Y)),    P (Log, P (Mul, X, Y)), .exactness = PH_LOSSY,
    .why = "log (x) + log (y) is log (x * y) for positive x and y, unless the product overflows." },
  { "log-softmax", P (Log, P (Softmax, X)), .when = same_axis_everywhere, .build = build_log_softmax, .becomes = "LogSoftmax(x)",
    .exactness = PH_LOSSY, .why = "LogSoftmax is the logarithm of Softmax, computed without underflow where Softmax gives 0." },
};

const PhPass ph_pass_exp_log = {
  .name = "exp-log", .group = "algebra", .summary = "Cancels or merges exponentials and logarithms, which changes results where they overflow",
  .elsewhere = "XLA algebraic simplifier; onnxoptimizer fuse_consecutive_log_softmax",
  .trap = "Exp overflows; the logarithm of a negative number is NaN, so Exp(Log(x)) is not x.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
