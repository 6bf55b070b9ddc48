/* error.c: tests of the error domain.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/error.h"

static void
test_code_names (void)
{
  g_autoptr (GError) error = g_error_new (PH_ERROR, PH_ERROR_NOT_FOUND, "no such node");

  g_assert_cmpstr (ph_error_code_name (error), ==, "not-found");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/code-names", test_code_names);
  return g_test_run ();
}
