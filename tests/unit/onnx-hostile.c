/* onnx-hostile.c: tests of files that are no models, of graphs that break ONNX's rules, and of external data.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

/* @bytes are refused with @code; the message holds the file's name and each of @words (separated by |). */
static void
assert_refused (GBytes *bytes, int code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_read (bytes, "test.onnx", NULL, &error);
  g_auto (GStrv) parts = g_strsplit (words, "|", -1);

  g_assert_null (model);
  g_assert_error (error, PH_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, "test.onnx: "));
  for (guint i = 0; parts[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, parts[i]));
}

static char *temporary;

static char *
write_file (const char *name, gconstpointer data, gsize size)
{
  char *path = g_build_filename (temporary, name, NULL);

  g_assert_true (g_file_set_contents (path, data != NULL ? data : "", (gssize) size, NULL));
  return path;
}

static void
assert_not_opened (const char *path, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_auto (GStrv) parts = g_strsplit (words, "|", -1);

  g_assert_null (model);
  g_assert_nonnull (error);
  g_assert_true (error->domain == PH_ERROR);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, path));
  for (guint i = 0; parts[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, parts[i]));
}

/* ── files that are no models ───────────────────────────────────────────────────────────────────────────────────── */

static void
test_strangers (void)
{
  static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", lfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0";
  static const char garbage[] = "\x08\x08\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  g_autofree char *empty = write_file ("empty.onnx", NULL, 0);
  g_autofree char *picture = write_file ("picture.onnx", png, sizeof png);
  g_autofree char *pointer = write_file ("pointer.onnx", lfs, sizeof lfs - 1);
  g_autofree char *damaged = write_file ("damaged.onnx", garbage, sizeof garbage - 1);
  g_autofree char *prose = write_file ("prose.onnx", "Dear reader,\n", 13);
  g_autofree char *none = g_build_filename (temporary, "none.onnx", NULL);

  assert_not_opened (empty, "empty");
  assert_not_opened (picture, "PNG");
  assert_not_opened (pointer, "git lfs pull");
  assert_not_opened (damaged, "byte");
  assert_not_opened (prose, "no format|`formats` lists");
  assert_not_opened (none, "no such file");
  assert_not_opened (temporary, "folder");
}

static void
test_zeros (void)
{
  g_autofree char *path = g_build_filename (temporary, "zeros.onnx", NULL);
  int fd = g_open (path, O_CREAT | O_RDWR, 0600);
  const clock_t start = clock (); /* of this program alone */

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (ftruncate (fd, (off_t) 3 << 30), ==, 0);
  close (fd);
  assert_not_opened (path, "byte 0");
  g_assert_cmpint (clock () - start, <, 2 * CLOCKS_PER_SEC);
  g_unlink (path);
}

static void
test_truncated (void)
{
  float values[256] = { 0 };
  Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Add", "x w", "y", "add") });
  g_autoptr (GBytes) whole = NULL;
  gsize size;
  const guint8 *data;

  wire_message (graph, 5, wire_tensor ("w", 1, 1, (gint64[]) { 256 }, values, sizeof values));
  whole = wire_model (graph);
  data = g_bytes_get_data (whole, &size);
  for (gsize i = 0; i < size; i++)
    {
      g_autoptr (GBytes) part = g_bytes_new (data, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_read (part, "test.onnx", NULL, &error);

      g_assert_true (model == NULL ? error != NULL : error == NULL);
    }
}

/* Sequences of sequences of ..., and graphs in graphs: a stack overflow for a reader that trusts. */
static void
test_deep (void)
{
  Wire *type = g_byte_array_new (), *graph = wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) });
  Wire *info = g_byte_array_new ();
  g_autoptr (GBytes) types = NULL;
  g_autoptr (GBytes) graphs = NULL;

  for (guint i = 0; i < 20000; i++)
    {
      Wire *item = g_byte_array_new (), *outer = g_byte_array_new ();

      wire_message (item, 1, type);
      wire_message (outer, 4, item);
      type = outer;
    }
  wire_string (info, 1, "deep");
  wire_message (info, 2, type);
  wire_message (graph, 13, info);
  types = wire_model (graph);
  assert_refused (types, PH_ERROR_FILE, "nested");

  graph = wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) });
  for (guint i = 0; i < 2000; i++)
    {
      Wire *attr = g_byte_array_new (), *node = wire_node ("If", "x", "y", NULL), *outer;

      wire_string (attr, 1, "then_branch");
      wire_message (attr, 6, graph);
      wire_int (attr, 20, 5);
      wire_message (node, 5, attr);
      outer = g_byte_array_new ();
      wire_message (outer, 1, node);
      graph = outer;
    }
  graphs = wire_model (graph);
  assert_refused (graphs, PH_ERROR_FILE, "nested");
}

/* ── graphs that break ONNX's rules ─────────────────────────────────────────────────────────────────────────────── */

static void
test_broken_graphs (void)
{
  g_autoptr (GBytes) cycle = wire_simple_model (3, (Wire *[]) { wire_node ("Add", "x b", "a", "first"),
                                                                wire_node ("Relu", "a", "b", "second"),
                                                                wire_node ("Relu", "a", "y", "third") });
  g_autoptr (GBytes) self = wire_simple_model (1, (Wire *[]) { wire_node ("Add", "x y", "y", "self") });
  g_autoptr (GBytes) twice = wire_simple_model (
      2, (Wire *[]) { wire_node ("Relu", "x", "y", "one"), wire_node ("Abs", "x", "y", "two") });
  g_autoptr (GBytes) input_twice = wire_simple_model (
      2, (Wire *[]) { wire_node ("Relu", "x", "x", "one"), wire_node ("Abs", "x", "y", "two") });
  g_autoptr (GBytes) missing = wire_simple_model (1, (Wire *[]) { wire_node ("Add", "x ghost", "y", "add") });
  g_autoptr (GBytes) no_output = wire_simple_model (1, (Wire *[]) { wire_node ("Relu", "x", "z", "relu") });
  g_autoptr (GBytes) no_op = wire_simple_model (1, (Wire *[]) { wire_node ("", "x", "y", "relu") });
  Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) }), *branching = wire_node ("If", "x", "y", "if");
  g_autoptr (GBytes) repeated = NULL, two_branches = NULL;
  g_autoptr (GBytes) no_graph = g_bytes_new_static ("\x08\x08", 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  wire_message (graph, 12, wire_value ("y", 2));
  repeated = wire_model (graph);
  for (guint i = 0; i < 2; i++)
    {
      Wire *attr = g_byte_array_new ();

      wire_string (attr, 1, "then_branch");
      wire_message (attr, 6, wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) }));
      wire_int (attr, 20, 5);
      wire_message (branching, 5, attr);
    }
  two_branches = wire_simple_model (1, (Wire *[]) { branching });
  assert_refused (cycle, PH_ERROR_INVALID, "cycle|'first'|'second'");
  assert_refused (self, PH_ERROR_INVALID, "cycle|'self'");
  assert_refused (twice, PH_ERROR_INVALID, "'y'|twice|'one'|'two'");
  assert_refused (input_twice, PH_ERROR_INVALID, "'x'|twice|input|'one'");
  assert_refused (missing, PH_ERROR_INVALID, "'ghost'|'add'");
  assert_refused (no_output, PH_ERROR_INVALID, "output|'y'");
  assert_refused (no_op, PH_ERROR_INVALID, "no operator");
  assert_refused (two_branches, PH_ERROR_INVALID, "'if'|then_branch");
  assert_refused (no_graph, PH_ERROR_FILE, "no graph");
  /* Runtimes take an output that is listed twice. */
  model = ph_onnx_read (repeated, "test.onnx", NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->outputs->len, ==, 2);
}

static void
test_broken_tensors (void)
{
  static const float two[2] = { 1, 2 };
  /* clang-format off */
  static const struct { gint64 dims[3]; guint rank, dtype; gsize size; int code; const char *words; } cases[] = {
    { { 3 }, 1, 1, 8, PH_ERROR_INVALID, "'w'|float[3]|12 bytes|8" },
    { { 1 }, 1, 1, 8, PH_ERROR_INVALID, "'w'|4 bytes|8" },
    { { -1 }, 1, 1, 8, PH_ERROR_INVALID, "'w'|impossible" },
    { { G_MAXINT64, G_MAXINT64, 4 }, 3, 1, 8, PH_ERROR_INVALID, "'w'|impossible" },
    { { G_MAXINT64 / 2 }, 1, 1, 8, PH_ERROR_INVALID, "'w'" },
    { { 2 }, 1, 99, 8, PH_ERROR_UNSUPPORTED, "'w'|99" },
    { { 2 }, 1, 0, 8, PH_ERROR_UNSUPPORTED, "'w'" },
    { { 2 }, 1, 8, 8, PH_ERROR_INVALID, "'w'" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Add", "x w", "y", NULL) });
      g_autoptr (GBytes) bytes = NULL;

      wire_message (graph, 5, wire_tensor ("w", cases[i].dtype, cases[i].rank, cases[i].dims, two, cases[i].size));
      bytes = wire_model (graph);
      assert_refused (bytes, cases[i].code, cases[i].words);
    }
}

/* ── external data ──────────────────────────────────────────────────────────────────────────────────────────────── */

static Wire *
external_tensor (const char *location, const char *offset, const char *length)
{
  const char *const pairs[][2] = { { "location", location }, { "offset", offset }, { "length", length } };
  Wire *tensor = wire_tensor ("w", 1, 1, (gint64[]) { 2 }, NULL, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (pairs[i][1] != NULL)
      {
        Wire *pair = g_byte_array_new ();

        wire_string (pair, 1, pairs[i][0]);
        wire_string (pair, 2, pairs[i][1]);
        wire_message (tensor, 13, pair);
      }
  wire_int (tensor, 14, 1);
  return tensor;
}

static char *
external_model (const char *location, const char *offset, const char *length)
{
  Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Add", "x w", "y", NULL) });
  g_autoptr (GBytes) bytes = NULL;

  wire_message (graph, 5, external_tensor (location, offset, length));
  bytes = wire_model (graph);
  return write_file ("external.onnx", g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static void
test_external (void)
{
  static const float data[4] = { 0, 0, 3, 4 };
  /* clang-format off */
  static const struct { const char *location, *offset, *length, *words; } refused[] = {
    { "../../etc/passwd", NULL, NULL, "outside" },
    { "sub/../../secret", NULL, NULL, "outside" },
    { "/etc/passwd", NULL, NULL, "outside" },
    { "link", NULL, NULL, "link" },
    { "none.bin", NULL, NULL, "'none.bin'" },
    { "weights.bin", "12", "8", "only 16" },
    { "weights.bin", "99999999999999999999", "8", "offset" },
    { "weights.bin", "8", "-1", "length" },
    { "weights.bin", "0", "16", "8 bytes" },
    { "", NULL, NULL, "where" },
    { ".", NULL, NULL, "." },
  };
  /* clang-format on */
  g_autofree char *weights = write_file ("weights.bin", data, sizeof data);
  g_autofree char *link = g_build_filename (temporary, "link", NULL);
  g_autofree char *path = NULL, *saved = g_build_filename (temporary, "saved.onnx", NULL), *saved_data = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *bad = external_model (refused[i].location, refused[i].offset, refused[i].length);

      assert_not_opened (bad, refused[i].words);
    }
  path = external_model ("weights.bin", "8", "8");
  model = ph_io_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (ph_tensor_get (ph_model_find_value_named (model, "w")->tensor, 1), ==, 4);
  g_assert_true (ph_io_save (model, saved, NULL, &error));
  g_assert_no_error (error);
  again = ph_io_open (saved, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (ph_tensor_get (ph_model_find_value_named (again, "w")->tensor, 0), ==, 3);
  saved_data = g_strconcat (saved, ".data", NULL);
  g_unlink (saved_data);
}

/* Large tensors go out again when the file had them outside. */
static void
test_external_save (void)
{
  g_autofree float *values = g_new0 (float, 1000);
  g_autofree char *weights = NULL, *path = NULL, *saved = g_build_filename (temporary, "saved.onnx", NULL);
  g_autofree char *saved_data = g_strconcat (saved, ".data", NULL), *text = NULL, *text_again = NULL;
  Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Add", "x w", "y", NULL) });
  Wire *tensor = wire_tensor ("w", 1, 1, (gint64[]) { 1000 }, NULL, 0), *pair = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (PhModel) again = NULL;
  g_autoptr (GError) error = NULL;

  values[999] = 7;
  weights = write_file ("w.bin", values, 1000 * sizeof *values);
  wire_string (pair, 1, "location");
  wire_string (pair, 2, "w.bin");
  wire_message (tensor, 13, pair);
  wire_int (tensor, 14, 1);
  wire_message (graph, 5, tensor);
  bytes = wire_model (graph);
  path = write_file ("out.onnx", g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  model = ph_io_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ph_io_save (model, saved, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_test (saved_data, G_FILE_TEST_EXISTS));
  again = ph_io_open (saved, NULL, NULL, &error);
  g_assert_no_error (error);
  text = ph_onnx_text_print (model, G_MAXSIZE);
  text_again = ph_onnx_text_print (again, G_MAXSIZE);
  g_assert_cmpstr (text, ==, text_again);
}

/* What is given up leaves the file that was there, and nothing beside it. */
static void
test_cancelled_save (void)
{
  static const char *const names[] = { "given-up.onnx", "given-up.onnxtxt" };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Wire *graph = wire_graph (1, (Wire *[]) { wire_node ("Relu", "x", "y", NULL) });
  g_autoptr (GBytes) bytes = wire_model (graph);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_read (bytes, "given-up", NULL, &error);

  g_assert_no_error (error);
  g_cancellable_cancel (cancellable);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = write_file (names[i], "old", 3), *text = NULL;
      g_autoptr (GDir) folder = NULL;
      const char *name;

      g_assert_false (ph_io_save (model, path, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_clear_error (&error);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, "old");
      g_unlink (path);
      folder = g_dir_open (temporary, 0, NULL);
      while ((name = g_dir_read_name (folder)) != NULL)
        g_assert_false (g_str_has_prefix (name, "given-up"));
    }
  g_assert_null (ph_onnx_text_try_print (model, 16, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char *argv[])
{
  int result;

  g_test_init (&argc, &argv, NULL);
  temporary = g_dir_make_tmp ("peephole-XXXXXX", NULL);
  g_test_add_func ("/onnx/strangers", test_strangers);
  g_test_add_func ("/onnx/zeros", test_zeros);
  g_test_add_func ("/onnx/truncated", test_truncated);
  g_test_add_func ("/onnx/deep", test_deep);
  g_test_add_func ("/onnx/broken-graphs", test_broken_graphs);
  g_test_add_func ("/onnx/broken-tensors", test_broken_tensors);
  g_test_add_func ("/onnx/external", test_external);
  g_test_add_func ("/onnx/external-save", test_external_save);
  g_test_add_func ("/onnx/cancelled-save", test_cancelled_save);
  result = g_test_run ();
  {
    g_autofree char *command = g_strdup_printf ("rm -rf '%s'", temporary);
    if (system (command) != 0)
      result = result != 0 ? result : 1;
  }
  g_free (temporary);
  return result;
}
