/* replay.c: a fuzzer's corpus as a test: each of its files, and each of them cut short, is answered.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "target.h"

static void
test_corpus (gconstpointer folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;
  guint n = 0;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *data = NULL;
      gsize size;

      g_assert_true (g_file_get_contents (path, &data, &size, NULL));
      g_test_message ("%s", name);
      LLVMFuzzerTestOneInput ((const guint8 *) data, size);
      LLVMFuzzerTestOneInput ((const guint8 *) data, size / 2);
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  LLVMFuzzerInitialize (&argc, &argv);
  g_test_add_data_func ("/fuzz/corpus", argv[1], test_corpus);
  return g_test_run ();
}
