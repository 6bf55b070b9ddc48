/* double-not.c: a pass of your own, as a shared object.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   cc -shared -fPIC double-not.c -o double-not.so $(pkg-config --cflags --libs peephole)
 *   peep model.onnx -c 'load-pass ./double-not.so' -c 'run double-not' -c diff */
#include <passes/pass.h>

static const PhRule rules[] = {
  { "not-not", P (Not, P (Not, X)), X, .why = "Not undoes Not." },
  { "neg-neg", P (Neg, P (Neg, X)), X, .why = "Neg undoes Neg, for -0, infinities and NaN too." },
};

/* clang-format off */
static const PhPass double_not = {
  .name = "double-not", .group = "simplify", .summary = "Removes Not(Not(x)) and Neg(Neg(x))",
  .rules = rules, .n_rules = G_N_ELEMENTS (rules),
};
/* clang-format on */

PH_PLUGIN (&double_not)
