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
    .why = "The logarithm undoes the exponential, except where that overflowed." },
  { "exp-log",     P (Exp, P (Log, X)),                 X, .when = ph_match_always, .exactness = PH_LOSSY,
    .why = "The exponential undoes the logarithm, except of negative numbers." },
  { "exp-times-exp", P (Mul, P (Exp, X), P (Exp, Y)),   P (Exp, P (Add, X, Y)), .exactness = PH_LOSSY,
    .why = "Powers of one base multiply by adding exponents." },
  { "log-plus-log", P (Add, P (Log, X), P (Log, Y)),    P (Log, P (Mul, X, Y)), .exactness = PH_LOSSY,
    .why = "Logarithms add where their arguments multiply." },
  { "log-softmax", P (Log, P (Softmax, X)), .when = same_axis_everywhere, .build = build_log_softmax, .becomes = "LogSoftmax(x)",
    .exactness = PH_LOSSY, .why = "LogSoftmax does not underflow where Softmax gives 0." },
};

const PhPass ph_pass_exp_log = {
  .name = "exp-log", .group = "algebra", .summary = "Cancels exponentials and logarithms, which changes where they overflow",
  .elsewhere = "XLA algebraic simplifier; onnxoptimizer fuse_consecutive_log_softmax",
  .trap = "Exp overflows; the logarithm of a negative number is NaN, so Exp(Log(x)) is not x.",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */
