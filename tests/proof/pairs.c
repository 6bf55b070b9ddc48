/* pairs.c: the pairs of models of the data folder, before and after a change, by the console as a user does it: the verdict must be
 * what the file `expected` says, whatever the seed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>
#include <string.h>

#include "tests/share.h"

#define SEEDS 5

/* The last line that peep answers with. (transfer full) */
static char *
answer_of (const char *folder, guint seed)
{
  g_autofree char *peep = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "app", "peep", NULL);
  g_autofree char *before = g_build_filename (folder, "before.onnx", NULL),
                  *after = g_build_filename (folder, "after.onnx", NULL);
  g_autofree char *quoted = g_shell_quote (after), *exec = g_strdup_printf ("run exec \"cat %s\" --verify", quoted);
  g_autofree char *verify = g_strdup_printf ("verify --seed %u", seed), *output = NULL, *complaint = NULL;
  const char *argv[] = { peep, "--json", before, "-c", "run upgrade-opset", "-c", exec, "-c", verify, NULL };
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, &complaint, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (g_strstrip (output), "\n", -1);
  if (g_strv_length (lines) == 0 || strstr (lines[g_strv_length (lines) - 1], "\"verdict\"") == NULL)
    g_error ("%s: %s%s", folder, output, complaint);
  return g_strdup (lines[g_strv_length (lines) - 1]);
}

static void
test_pair (gconstpointer folder)
{
  g_autofree char *path = g_build_filename (folder, "expected", NULL), *expected = NULL;
  gboolean different;

  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  different = g_str_has_prefix (expected, "different");
  for (guint seed = 1; seed <= SEEDS; seed++)
    {
      if (!test_share_takes (seed - 1))
        continue;

      g_autofree char *answer = answer_of (folder, seed);

      if ((strstr (answer, "\"verdict\": \"different\"") != NULL) != different)
        g_error ("%s, seed %u: expected %s: %s", (const char *) folder, seed, g_strstrip (expected), answer);
    }
}

static void
test_none (void)
{
  g_test_skip ("the pairs are not there: set PEEPHOLE_DATA_DIR to a folder whose mutants/ has them");
}

int
main (int argc, char *argv[])
{
  const char *data, *name;
  g_autofree char *path = NULL;
  g_autoptr (GDir) dir = NULL;

  g_test_init (&argc, &argv, NULL);
  data = g_getenv ("PEEPHOLE_DATA_DIR");
  path = g_build_filename (data != NULL ? data : "", "mutants", NULL);
  dir = g_dir_open (path, 0, NULL);
  if (dir == NULL)
    g_test_add_func ("/proof/pairs", test_none);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *title = g_strdup_printf ("/proof/pairs/%s", name);

      g_test_add_data_func_full (title, g_build_filename (path, name, NULL), test_pair, g_free);
    }
  return g_test_run ();
}
