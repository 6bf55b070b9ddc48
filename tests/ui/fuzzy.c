/* fuzzy.c: what the palette finds first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/fuzzy.h"

static void
test_fits (void)
{
  g_assert_cmpint (ph_fuzzy_score ("", "Step"), >, 0);
  g_assert_cmpint (ph_fuzzy_score ("si", "Step Into"), >, 0);
  g_assert_cmpint (ph_fuzzy_score ("STEP", "step"), >, 0);
  g_assert_cmpint (ph_fuzzy_score ("step in", "Step Into"), >, 0);
  g_assert_cmpint (ph_fuzzy_score ("xyz", "Step Into"), ==, 0);
  g_assert_cmpint (ph_fuzzy_score ("pets", "Step"), ==, 0);
  g_assert_cmpint (ph_fuzzy_score ("é", "Étape"), >, 0);
}

static void
test_order (void)
{
  g_assert_cmpint (ph_fuzzy_score ("step", "Step"), >, ph_fuzzy_score ("step", "Set the pipeline"));
  g_assert_cmpint (ph_fuzzy_score ("si", "Step Into"), >, ph_fuzzy_score ("si", "Version"));
  g_assert_cmpint (ph_fuzzy_score ("step", "Step"), >, ph_fuzzy_score ("step", "Step Back Into the Rewrite of the Pass"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fuzzy/fits", test_fits);
  g_test_add_func ("/fuzzy/order", test_order);
  return g_test_run ();
}
