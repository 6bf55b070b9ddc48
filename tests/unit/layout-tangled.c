/* layout-tangled.c: what the layout does where no order is a good one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/layout-sample.h"

/* Thousands of boxes joined at random have a picture in bounded work: the search for a better order ends, and says so. */
static void
test_tangled (void)
{
  g_autoptr (PhLayout) layout = layout_random (4000, 8000, 1, FALSE), chain = layout_random (4000, 3999, 1, FALSE);

  g_assert_true (ph_layout_layered (layout, NULL, NULL));
  g_assert_true (layout->coarse);
  layout_assert_apart (layout);
  for (guint e = 0; e < chain->n_edges; e++)
    {
      chain->edges[e].from = e;
      chain->edges[e].to = e + 1;
    }
  g_assert_true (ph_layout_layered (chain, NULL, NULL));
  g_assert_false (chain->coarse);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout-tangled/random", test_tangled);
  return g_test_run ();
}
