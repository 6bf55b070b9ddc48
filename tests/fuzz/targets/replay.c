/* replay.c: a fuzzer's corpus as a test: each of its files, and each of them cut short, is answered. Behind the last byte stands
 * a page that cannot be read, so that a reader that goes past its buffer is seen without a sanitizer too.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target.h"

/* How many of a file's beginnings are tried. */
#define CUTS 60

static void
answer (const char *data, gsize size)
{
  const gsize page = (gsize) sysconf (_SC_PAGESIZE), room = (size + page - 1) / page * page;
  char *place = mmap (NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (place != MAP_FAILED);
  g_assert_cmpint (mprotect (place + room, page, PROT_NONE), ==, 0);
  memcpy (place + room - size, data, size);
  LLVMFuzzerTestOneInput ((const guint8 *) place + room - size, size);
  munmap (place, room + page);
}

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
      answer (data, size);
      /* small files are cut everywhere */
      for (gsize cut = size / 2; cut < size; cut += MAX (size / 2 / CUTS, 1))
        answer (data, cut);
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
