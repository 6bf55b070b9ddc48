/* contract.c: what scripts rely on: peep's JSON, its exit status, the order of things.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/wait.h>

typedef struct
{
  int status;
  char *out, *err;
  GPtrArray *replies;
} Run;

static void
run_clear (Run *run)
{
  g_free (run->out);
  g_free (run->err);
  g_ptr_array_unref (run->replies);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static char *
example (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", name, NULL);
}

/* Arguments up to NULL. With --json each line of the output becomes a reply. */
static Run
peep (const char *input, const char *first, ...)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autofree char *program = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "app", "peep", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  Run run = { 0 };
  gboolean json = FALSE;
  va_list rest;

  g_ptr_array_add (arguments, program);
  va_start (rest, first);
  for (const char *argument = first; argument != NULL; argument = va_arg (rest, const char *))
    {
      g_ptr_array_add (arguments, (gpointer) argument);
      json |= g_str_equal (argument, "--json");
    }
  va_end (rest);
  g_ptr_array_add (arguments, NULL);

  process = g_subprocess_newv ((const char *const *) arguments->pdata,
                               G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, input != NULL ? input : "", NULL, &run.out, &run.err, &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_get_if_exited (process));
  run.status = g_subprocess_get_exit_status (process);
  run.replies = g_ptr_array_new_with_free_func ((GDestroyNotify) json_object_unref);
  if (json)
    {
      g_auto (GStrv) lines = g_strsplit (g_strchomp (run.out), "\n", -1);

      for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
        {
          g_autoptr (JsonNode) node = json_from_string (lines[i], &error);

          g_assert_no_error (error);
          g_ptr_array_add (run.replies, json_object_ref (json_node_get_object (node)));
        }
    }
  return run;
}

static JsonObject *
first_of (JsonObject *reply, const char *member)
{
  JsonArray *array = json_object_get_array_member (reply, member);

  g_assert_cmpint (json_array_get_length (array), >, 0);
  return json_array_get_object_element (array, 0);
}

static JsonObject *
named (JsonObject *reply, const char *member, const char *name)
{
  JsonArray *array = json_object_get_array_member (reply, member);

  for (guint i = 0; i < json_array_get_length (array); i++)
    if (g_str_equal (json_object_get_string_member (json_array_get_object_element (array, i), "name"), name))
      return json_array_get_object_element (array, i);
  g_error ("no %s in %s", name, member);
}

/* clang-format off */
#define assert_members(object_, ...) \
  G_STMT_START { const char *const names_[] = { __VA_ARGS__ }; \
                 for (guint i_ = 0; i_ < G_N_ELEMENTS (names_); i_++) \
                   if (!json_object_has_member (object_, names_[i_])) \
                     g_error ("no member %s", names_[i_]); } G_STMT_END
/* clang-format on */

/* What a file's names are does nothing to the terminal that errors go to. */
static void
test_hostile_errors (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "peep-hostile.onnxtxt", NULL);
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] \"x\\x1b]0;T\\x07\") => (float[2] y) {\n"
                             "  [\"n\\x1b[2J\"] y = \"Op\\x1b[31m\" (\"x\\x1b]0;T\\x07\") }\n";

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_auto (Run) run = peep ("eval --random 1\neval\nfeed \"x\033[2J\" 1\ngoto \033[31m\nnonsense\007\n", "--keep-going", path,
                           NULL);

  g_assert_cmpint (run.status, ==, 1);
  g_assert_null (strchr (run.err, '\033'));
  g_assert_null (strchr (run.err, '\007'));
  g_assert_null (strchr (run.out, '\033'));
  g_assert_nonnull (strstr (run.err, "\\x1b[31m"));
  g_remove (path);
}

/* A list of nodes is gone through once and each of them looked up; the other way round takes as many steps as both together. */
static void
test_join_order (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "peep-join.onnxtxt", NULL);
  g_autoptr (GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] v0) => (float[2] v2000) {\n");

  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (text, "  v%u = Relu (v%u)\n", i + 1, i);
  g_string_append (text, "}\n");
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_auto (Run) run = peep (
      NULL, path, "-c",
      "explain query plan select count(*) from json_each(ancestors('v2000')) p join nodes n on n.id = p.value "
      "where n.op = 'Relu'",
      NULL);
  const char *list = strstr (run.out, "SCAN p"), *nodes = strstr (run.out, "SCAN n");

  g_assert_cmpint (run.status, ==, 0);
  g_assert_true (list != NULL && nodes != NULL && list < nodes);
  g_remove (path);
}

/* Scripts as other programs write them: with a byte order mark, with a NUL byte, with a line of a megabyte. */
static void
test_strange_scripts (void)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "peep-script.txt", NULL), *deep = g_strnfill (1000000, '('),
                  *word = g_strnfill (1000000, 'a'), *input = g_strdup_printf ("x = %s\n%s\n", deep, word);

  g_assert_true (g_file_set_contents (path, "\xef\xbb\xbfselect 20 + 3 as n\n", -1, NULL));
  g_auto (Run) marked = peep (NULL, "-f", path, NULL);
  g_assert_cmpint (marked.status, ==, 0);
  g_autofree char *source = g_strdup_printf ("source %s", path);
  g_auto (Run) again = peep (NULL, "-c", source, NULL);
  g_assert_cmpint (again.status, ==, 0);
  g_assert_nonnull (strstr (again.out, "23"));

  static const char with_nul[] = "help\0junk\nselect 20 + 3 as n\n";
  g_assert_true (g_file_set_contents (path, with_nul, sizeof with_nul - 1, NULL));
  g_auto (Run) holed = peep (NULL, "--keep-going", "-f", path, NULL);
  g_assert_cmpint (holed.status, ==, 1);
  g_assert_nonnull (strstr (holed.err, "NUL"));
  g_assert_null (strstr (holed.out, "algebraic"));
  g_assert_nonnull (strstr (holed.out, "23"));
  g_remove (path);

  g_auto (Run) endless = peep (input, "--keep-going", NULL);
  g_assert_cmpint (endless.status, ==, 1);
  g_assert_cmpuint (strlen (endless.err), <, 10000);
}

/* A script made of it does the same again: what failed is not in it. */
static void
test_history_of_what_went_well (void)
{
  g_auto (Run) run = peep ("a = 1\nnonsense\na = = 2\nb = a + 1\nhistory\n", "--keep-going", NULL);

  g_assert_nonnull (strstr (run.out, "a = 1\nb = a + 1\n"));
  g_assert_null (strstr (run.out, "nonsense"));
}

static void
test_usage (void)
{
  g_auto (Run) wrong = peep (NULL, "--nothing", NULL);
  g_auto (Run) two = peep (NULL, "a.onnx", "b.onnx", NULL);
  g_auto (Run) help = peep (NULL, "--help", NULL);
  g_auto (Run) manual = peep (NULL, "--help-man", NULL);

  g_assert_cmpint (wrong.status, ==, 2);
  g_assert_cmpint (two.status, ==, 2);
  g_assert_cmpint (help.status, ==, 0);
  g_assert_cmpint (manual.status, ==, 0);
  g_assert_nonnull (strstr (manual.out, ".SH COMMANDS"));
}

static void
test_failure_stops (void)
{
  g_autofree char *file = example ("seed.onnxtxt");
  g_auto (Run) stops = peep (NULL, "--json", file, "-c", "info", "-c", "nonsense", "-c", "info", NULL);
  g_auto (Run) goes_on = peep (NULL, "--json", "--keep-going", file, "-c", "info", "-c", "nonsense", "-c", "info", NULL);
  g_auto (Run) missing = peep (NULL, "--json", "/nowhere/at/all.onnx", "-c", "info", NULL);
  JsonObject *error;

  g_assert_cmpint (stops.status, ==, 1);
  g_assert_cmpint (stops.replies->len, ==, 2);
  g_assert_true (json_object_get_boolean_member (stops.replies->pdata[0], "ok"));
  g_assert_false (json_object_get_boolean_member (stops.replies->pdata[1], "ok"));
  g_assert_cmpstr (json_object_get_string_member (stops.replies->pdata[1], "command"), ==, "nonsense");
  error = json_object_get_object_member (stops.replies->pdata[1], "error");
  g_assert_cmpstr (json_object_get_string_member (error, "code"), ==, "not-found");
  assert_members (error, "message");
  g_assert_cmpint (goes_on.status, ==, 1);
  g_assert_cmpint (goes_on.replies->len, ==, 3);
  g_assert_cmpint (missing.status, ==, 1);
  g_assert_cmpint (missing.replies->len, ==, 1);
  g_assert_cmpstr (json_object_get_string_member (json_object_get_object_member (missing.replies->pdata[0], "error"), "code"), ==,
                   "file");
}

static void
test_sources (void)
{
  g_autofree char *file = example ("seed.onnxtxt"), *script = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("peep-XXXXXX", &script, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  g_file_set_contents (script, "# a script\n\nfeed x1 2\nfeed x2 5\n", -1, &error);
  g_assert_no_error (error);

  g_auto (Run) ordered = peep (NULL, "--json", file, "-c", "info", "-f", script, "-c", "eval", NULL);
  g_auto (Run) input = peep ("info\n\n# nothing\nquit\ninfo\n", "--json", file, NULL);
  g_auto (Run) text = peep ("info\nnonsense\n", file, NULL);

  g_assert_cmpint (ordered.status, ==, 0);
  g_assert_cmpint (ordered.replies->len, ==, 4);
  g_assert_cmpstr (json_object_get_string_member (ordered.replies->pdata[1], "command"), ==, "feed x1 2");
  g_assert_cmpint (input.status, ==, 0);
  g_assert_cmpint (input.replies->len, ==, 2);
  g_assert_cmpint (text.status, ==, 1);
  g_assert_nonnull (strstr (text.err, "nonsense"));
  g_unlink (script);
}

/* A script's error says where it stands, also of a script that a script runs; a backslash joins lines. */
static void
test_places (void)
{
  g_autofree char *file = example ("seed.onnxtxt"), *folder = g_dir_make_tmp ("peep-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename (folder, "inner", NULL), *outer = g_build_filename (folder, "outer", NULL);
  g_autofree char *source = g_strdup_printf ("info\nsource %s\ninfo\n", inner), *wanted = g_strdup_printf ("%s:3", inner);
  g_autofree char *both = g_strdup_printf ("error: %s:2: %s:3: ", outer, inner);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (inner, "# two lines are one\n\nselect nothing \\\nfrom nodes\n", -1, &error);
  g_assert_no_error (error);
  g_file_set_contents (outer, source, -1, &error);
  g_assert_no_error (error);

  g_auto (Run) alone = peep (NULL, "--json", file, "-f", inner, NULL);
  g_auto (Run) nested = peep (NULL, file, "-f", outer, NULL);
  g_auto (Run) binary = peep ("info\n\xff\xfe\n", "--json", file, NULL);
  g_auto (Run) missing = peep (NULL, "--json", "-f", "/nowhere/script", NULL);
  g_auto (Run) joined = peep ("select count(*) \\\n from \\\nnodes\ninfo\\\n", "--json", file, NULL);

  g_assert_cmpint (alone.status, ==, 1);
  g_assert_cmpint (alone.replies->len, ==, 1);
  g_assert_cmpstr (json_object_get_string_member (alone.replies->pdata[0], "place"), ==, wanted);
  g_assert_cmpint (nested.status, ==, 1);
  g_assert_true (g_str_has_prefix (nested.err, both));
  g_assert_cmpint (binary.status, ==, 1);
  g_assert_cmpint (binary.replies->len, ==, 2);
  g_assert_cmpint (missing.replies->len, ==, 1);
  g_assert_cmpint (joined.status, ==, 0);
  g_assert_cmpint (joined.replies->len, ==, 2);
  g_unlink (inner);
  g_unlink (outer);
  g_rmdir (folder);
}

/* A file's name is bytes; a line of a script is text. */
static void
test_bytes (void)
{
  g_autofree char *file = example ("seed.onnxtxt"), *folder = g_dir_make_tmp ("peep-XXXXXX", NULL);
  g_autofree char *odd = g_build_filename (folder, "\xff\xfe'\" \\.onnxtxt", NULL), *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (file, &text, NULL, &error);
  g_assert_no_error (error);
  g_file_set_contents (odd, text, -1, &error);
  g_assert_no_error (error);

  g_auto (Run) run = peep (NULL, "--json", odd, "-c", "info", NULL);

  g_assert_cmpint (run.status, ==, 0);
  g_assert_cmpint (json_object_get_int_member (run.replies->pdata[0], "nodes"), ==, 5);
  g_unlink (odd);
  g_rmdir (folder);
}

/* A stream that is full, closed or a folder is a failure that is said, and nothing else is read or written in its place. */
static void
test_streams (void)
{
  static const struct
  {
    const char *arguments, *message; /* a shell's, with its redirection */
  } rows[] = {
    { "-c info -c passes > /dev/full", "cannot be written: No space left on device" },
    { "-c info >&-", "cannot be written: Bad file descriptor" },
    { "<&-", "standard input cannot be read: Bad file descriptor" },
    { "-f - < /", "standard input cannot be read: Is a directory" },
    { "-f / -c info", "/ cannot be read: Is a directory" },
  };
  g_autofree char *file = example ("seed.onnxtxt"),
                  *program = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), "app", "peep", NULL);

  if (!g_file_test ("/dev/full", G_FILE_TEST_EXISTS))
    {
      g_test_skip ("there is no /dev/full: mount /dev, as a usual container has it");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strdup_printf ("sh -c \"timeout 60 '%s' '%s' %s\"", program, file, rows[i].arguments),
                      *err = NULL;
      int status;

      g_assert_true (g_spawn_command_line_sync (line, NULL, &err, &status, NULL));
      g_assert_cmpint (WEXITSTATUS (status), ==, 1);
      g_assert_nonnull (strstr (err, rows[i].message));
    }
}

static void
test_members (void)
{
  g_autofree char *file = example ("conv-bn-relu.onnxtxt");
  g_auto (Run) run = peep (NULL, "--json", file, "-c", "info", "-c", "passes", "-c", "run", "-c", "steps", "-c", "rewrites", "-c",
                           "diff 0 end", "-c", "verify", "-c", "eval --random 1", "-c", "why y", "-c", "back into", "-c",
                           "select op, n_inputs from nodes", "-c", "pipeline", NULL);
  JsonObject *row;

  g_assert_cmpint (run.status, ==, 0);
  g_assert_cmpint (run.replies->len, ==, 12);
  assert_members ((JsonObject *) run.replies->pdata[0], "nodes", "edges", "ops", "inputs", "outputs", "opset", "parameters",
                  "flops", "position");
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (run.replies->pdata[0], "ops"), "Conv"), ==, 1);
  row = named (run.replies->pdata[1], "passes", "algebraic");
  assert_members (row, "name", "group", "summary", "rules");
  assert_members (first_of (row, "rules"), "name", "text", "why", "exact");
  assert_members (first_of (run.replies->pdata[2], "steps"), "index", "pass", "rewrites", "added", "removed", "changed", "nodes",
                  "ms", "verdict", "max_abs_error");
  g_assert_cmpint (json_object_get_int_member (first_of (run.replies->pdata[3], "steps"), "index"), ==, 1);
  assert_members (first_of (run.replies->pdata[4], "rewrites"), "rule", "node", "why", "added", "removed");
  assert_members ((JsonObject *) run.replies->pdata[5], "added", "removed", "changed");
  assert_members ((JsonObject *) run.replies->pdata[6], "verdict", "outputs", "first_difference");
  assert_members (first_of (run.replies->pdata[6], "outputs"), "name", "max_abs_error", "max_ulp");
  assert_members (first_of (run.replies->pdata[7], "values"), "name", "type", "shape", "data", "min", "max", "mean");
  assert_members ((JsonObject *) run.replies->pdata[8], "chain");
  assert_members ((JsonObject *) run.replies->pdata[9], "position", "step", "rewrite");
  assert_members ((JsonObject *) run.replies->pdata[10], "columns", "rows");
  assert_members ((JsonObject *) run.replies->pdata[11], "pipeline", "passes");
}

/* Numbers that JSON cannot say, and numbers in full. */
static void
test_numbers (void)
{
  g_auto (Run) run = peep (NULL, "--json", "-c", "x = [0.1, nan, inf, -inf, -0.0, 16777217]", "-c", "y = x / 3", NULL);
  JsonArray *data = json_object_get_array_member (first_of (run.replies->pdata[0], "values"), "data");

  g_assert_cmpint (run.status, ==, 0);
  g_assert_nonnull (strstr (run.out, "[0.1, \"nan\", \"inf\", \"-inf\", -0, 16777216]"));
  g_assert_cmpfloat (json_array_get_double_element (data, 0), ==, 0.1);
  g_assert_cmpstr (json_array_get_string_element (data, 1), ==, "nan");
}

/* The acceptance of the textbook's function, static and from the saved file. */
static void
test_gradient (void)
{
  g_autofree char *file = example ("seed.onnxtxt"), *folder = g_dir_make_tmp ("peep-XXXXXX", NULL);
  g_autofree char *saved = g_build_filename (folder, "backward.onnx", NULL), *save = g_strdup_printf ("save %s", saved);
  g_auto (Run) run = peep (NULL, "--json", file, "-c", "feed x1 2", "-c", "feed x2 5", "-c", "eval", "-c", "grad y", "-c", "eval",
                           "-c", save, NULL);
  g_auto (Run) again = peep (NULL, "--json", saved, "-c", "select distinct domain from nodes", "-c", "feed x1 2", "-c",
                             "feed x2 5", "-c", "eval", NULL);
  JsonArray *values;

  g_assert_cmpint (run.status, ==, 0);
  g_assert_cmpfloat_with_epsilon (
      json_array_get_double_element (json_object_get_array_member (first_of (run.replies->pdata[2], "values"), "data"), 0),
      11.652, 1e-3);
  assert_members (first_of (run.replies->pdata[3], "gradients"), "name");
  values = json_object_get_array_member (run.replies->pdata[4], "values");
  g_assert_cmpint (json_array_get_length (values), ==, 3);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (values, 2), "name"), ==, "grad_x2");
  g_assert_cmpfloat_with_epsilon (
      json_array_get_double_element (json_object_get_array_member (json_array_get_object_element (values, 1), "data"), 0), 5.5,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      json_array_get_double_element (json_object_get_array_member (json_array_get_object_element (values, 2), "data"), 0), 1.716,
      1e-3);
  g_assert_cmpint (again.status, ==, 0);
  g_assert_nonnull (strstr (again.out, "\"rows\": [[\"\"]]"));
  g_assert_nonnull (strstr (again.out, "5.5"));
  g_unlink (saved);
  g_rmdir (folder);
}

/* What each program may not have in it: a window, or Graphviz and readline together, whose licences do not go together. */
static void
test_link_line (void)
{
  /* clang-format off */
  static const struct { const char *file, *forbidden[8]; } programs[] = {
    { "app/peep", { "libgtk-", "libadwaita", "libvte", "libgvc", "libcgraph" } },
    { "app/peephole", { "libgvc", "libcgraph" } },
    { "libpeephole.so.0", { "libgtk-", "libadwaita", "libvte", "libreadline", "libgvc", "libcgraph" } },
    { "layout-helper/peephole-layout", { "libgtk-", "libreadline", "libpeephole" } },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *program = g_build_filename (g_getenv ("PEEPHOLE_BUILD_DIR"), programs[i].file, NULL);
      g_autofree char *line = g_strdup_printf ("ldd '%s'", program), *out = NULL;
      int status;

      if (!g_spawn_command_line_sync (line, &out, NULL, &status, NULL) || status != 0)
        {
          g_test_skip ("there is no ldd: install libc-bin");
          return;
        }
      g_assert_nonnull (strstr (out, "libc.so"));
      for (guint k = 0; programs[i].forbidden[k] != NULL; k++)
        if (strstr (out, programs[i].forbidden[k]) != NULL)
          g_error ("%s is linked with %s", programs[i].file, programs[i].forbidden[k]);
    }
}

/* The whole history of a model, forward and back by pass and by rewrite: the same print at each position. */
static void
test_walk (void)
{
  g_autofree char *file = example ("attention.onnxtxt");
  g_auto (Run) all = peep (NULL, "--json", file, "-c", "run", "-c", "select count(*) from rewrites", NULL);
  gint64 n = json_array_get_int_element (
      json_array_get_array_element (json_object_get_array_member (all.replies->pdata[1], "rows"), 0), 0);
  g_autoptr (GString) script = g_string_new ("run\ngoto 0\nprint\n");

  for (gint64 i = 0; i < n; i++)
    g_string_append (script, "step into\nprint\n");
  for (gint64 i = 0; i < n; i++)
    g_string_append (script, "back into\nprint\n");

  g_auto (Run) walk = peep (script->str, "--json", file, "--keep-going", NULL);
  GPtrArray *replies = walk.replies;
  guint last = replies->len - 1;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  g_assert_cmpint (n, >, 3);
  for (guint i = 1; i < last; i += 2)
    {
      JsonNode *position = json_object_get_member (replies->pdata[i], "position");
      g_autofree char *key = position != NULL ? json_to_string (position, FALSE) : NULL;
      const char *text = json_object_get_string_member (replies->pdata[i + 1], "text"), *before;

      if (key == NULL)
        continue;
      before = g_hash_table_lookup (seen, key);
      if (before != NULL)
        g_assert_cmpstr (text, ==, before);
      else
        g_hash_table_insert (seen, g_steal_pointer (&key), (gpointer) text);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/peep/join-order", test_join_order);
  g_test_add_func ("/peep/usage", test_usage);
  g_test_add_func ("/peep/failure-stops", test_failure_stops);
  g_test_add_func ("/peep/sources", test_sources);
  g_test_add_func ("/peep/places", test_places);
  g_test_add_func ("/peep/bytes", test_bytes);
  g_test_add_func ("/peep/streams", test_streams);
  g_test_add_func ("/peep/hostile-errors", test_hostile_errors);
  g_test_add_func ("/peep/strange-scripts", test_strange_scripts);
  g_test_add_func ("/peep/history", test_history_of_what_went_well);
  g_test_add_func ("/peep/members", test_members);
  g_test_add_func ("/peep/numbers", test_numbers);
  g_test_add_func ("/peep/gradient", test_gradient);
  g_test_add_func ("/peep/link-line", test_link_line);
  g_test_add_func ("/peep/walk", test_walk);
  return g_test_run ();
}
