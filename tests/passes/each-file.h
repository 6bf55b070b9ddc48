/* each-file.h: a folder of fixtures is a list of tests.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include <string.h>

/* Adds a test /@folder/NAME for each file NAME.* of tests/passes/@folder; @test gets its path. */
static inline void
test_each_file (const char *folder, GTestDataFunc test)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "passes", folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *stem = g_strndup (name, strcspn (name, ".")), *title = g_strdup_printf ("/%s/%s", folder, stem);

      g_test_add_data_func_full (title, g_build_filename (path, name, NULL), test, g_free);
    }
}
