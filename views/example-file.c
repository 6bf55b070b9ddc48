/* example-file.c: the location of the bundled examples, ordinary files.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/example-file.h"

#include "config.h"

char *
ph_example_find (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnxtxt", NULL);
  const char *folders[] = { g_getenv ("PEEPHOLE_EXAMPLES_DIR"), EXAMPLES_DIR, SOURCE_EXAMPLES_DIR };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *path = folders[i] ? g_build_filename (folders[i], file, NULL) : NULL;
      if (path && g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
  return NULL;
}
