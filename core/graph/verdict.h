/* verdict.h: the verdicts of a comparison, and the levels of exactness of a rule.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_VERDICT_NONE,               /* could not be compared                                                       */
  PH_VERDICT_PROVED,             /* equal as real numbers, up to a stated chance of error                       */
  PH_VERDICT_SAME,               /* equal on all inputs that were tried                                         */
  PH_VERDICT_CLOSE,              /* as far apart as the rounding of changed constants explains                   */
  PH_VERDICT_NOTHING,            /* computed, but no result that could have contradicted it                      */
  PH_VERDICT_DIFFERENT
} PhVerdict;
/* clang-format on */

const char *ph_verdict_name (PhVerdict verdict); /* "none" "proved" "same" "close" "nothing shown" "different" */
gboolean ph_verdict_is_good (PhVerdict verdict); /* PROVED, SAME or CLOSE: a tick */

/* What a rule does to float results. Pipelines allow up to one of these. */
/* clang-format off */
typedef enum
{
  PH_EXACT,            /* bit-exact, or a precondition was proved that makes it so                */
  PH_EXACT_FINITE,     /* exact but for -0, NaN and infinities                                    */
  PH_ROUNDING,         /* rounding differs                                                        */
  PH_LOSSY,            /* by design                                                               */
} PhExactness;
/* clang-format on */

const char *ph_exactness_name (PhExactness exactness); /* "exact" "exact-finite" "rounding" "lossy" */

G_END_DECLS
