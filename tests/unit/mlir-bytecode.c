/* mlir-bytecode.c: MLIR's binary form, assembled here in each of its versions, is the program that its text would be.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/io.h"
#include "tests/unit/bytecode-sample.h"

static PhModel *
read_bytes (GBytes *bytes, GPtrArray *problems, GError **error)
{
  const PhFormat *format = ph_format_recognise (bytes, NULL);

  return format != NULL ? ph_format_read_bytes (format, bytes, "m.mlirbc", problems, error) : NULL;
}

static char *
print (GBytes *bytes)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_bytes (bytes, problems, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (problems->len, ==, 0);
  return ph_onnx_text_print (model, 64);
}

static void
test_versions (void)
{
  static const char text[]
      = "func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>\n"
        "  %1 = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %2 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding<#sdy.mesh<[\"x\"=2]>, [{\"x\"}, {?}]>}"
        " : tensor<2x3xf32> loc(\"net.py\":300:5)\n"
        "  %3 = stablehlo.reduce(%2 init: %1) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
        "    reducer(%arg1: tensor<f32>, %arg2: tensor<f32>) {\n"
        "      %4 = stablehlo.add %arg1, %arg2 : tensor<f32>\n"
        "      stablehlo.return %4 : tensor<f32>\n"
        "    }\n"
        "  return %3 : tensor<2xf32>\n"
        "}\n";
  g_autoptr (GBytes) written = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_format_read_bytes (ph_format_find ("mlir"), written, "m.mlir", NULL, &error);
  g_autofree char *expected = NULL;

  g_assert_no_error (error);
  expected = ph_onnx_text_print (model, 64);
  for (guint version = 0; version <= 6; version++)
    {
      g_autoptr (GBytes) bytes = bytecode_assemble (version);
      g_autofree char *got = print (bytes);

      g_assert_cmpstr (got, ==, expected);
    }
}

/* The seeds of the fuzzers are what is assembled here. */
static void
test_corpus (void)
{
  g_autoptr (GBytes) alone = bytecode_assemble (6), exported = bytecode_assemble_export ();
  GBytes *const made[] = { alone, exported };
  static const char *const paths[][2] = { { "mlir-bytecode", "reduce.mlirbc" }, { "jax-export", "reduce.jax" } };

  for (guint i = 0; i < G_N_ELEMENTS (made); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", paths[i][0], paths[i][1], NULL), *data = NULL;
      g_autoptr (GError) error = NULL;
      gsize size;

      g_file_get_contents (path, &data, &size, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (data, size, g_bytes_get_data (made[i], NULL), g_bytes_get_size (made[i]));
    }
}

static void
test_export (void)
{
  g_autoptr (GBytes) alone = bytecode_assemble (6), exported = bytecode_assemble_export (), cut = NULL;
  g_autofree char *expected = print (alone), *got = print (exported);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (ph_format_recognise (exported, NULL)->name, ==, "jax-export");
  g_assert_cmpstr (got, ==, expected);
  cut = g_bytes_new_from_bytes (exported, 0, 200);
  g_assert_null (read_bytes (cut, NULL, &error));
  g_assert_cmpstr (error->message, ==, "m.mlirbc: the exported function's module is missing: the file is incomplete");
}

/* A short file whose attributes would be 88 GB of text, each but the last within what is allowed. */
static void
test_long (void)
{
  g_autoptr (GBytes) few = bytecode_assemble_long (1), many = bytecode_assemble_long (3);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_bytes (few, NULL, &error);

  g_assert_no_error (error);
  g_assert_null (read_bytes (many, NULL, &error));
  g_assert_cmpstr (error->message, ==, "m.mlirbc: its attributes, written out, are too long: the file is damaged");
}

static void
test_newer (void)
{
  g_autoptr (GBytes) bytes = bytecode_assemble (7);
  g_autoptr (GError) error = NULL;

  g_assert_null (read_bytes (bytes, NULL, &error));
  g_assert_cmpstr (error->message, ==,
                   "m.mlirbc: version 7 of MLIR's bytecode is newer than what is known (6): write the file as text");
}

/* An operation of a version that is not known may mean something else. */
static void
test_newer_operation (void)
{
  g_autoptr (GBytes) bytes = bytecode_assemble (6), changed = NULL;
  gsize size;
  g_autofree guint8 *data = g_bytes_unref_to_data (g_bytes_ref (bytes), &size);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;
  char *version = memmem (data, size, "add_v1", 6);

  g_assert_nonnull (version);
  version[5] = '3';
  changed = g_bytes_new (data, size);
  model = read_bytes (changed, problems, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_cmpstr (problems->pdata[0], ==,
                   "vhlo.add_v3 is of a newer version of StableHLO than what is known: it stays as it is");
}

/* Real files of StableHLO's own tests: each operation, in five of its versions. */
static void
test_samples (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR"), "foreign", "mlir-bytecode", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("the files are not there: set PEEPHOLE_DATA_DIR to a folder whose foreign/ has them");
      return;
    }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_io_open (path, problems, NULL, &error);
      const gboolean is_future = strstr (name, "future") != NULL;

      g_assert_no_error (error);
      g_assert_cmpuint (problems->len > 0, ==, is_future);
      g_assert_true (is_future || model->functions->len > 150);
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

/* Wherever the file ends, it is said; whatever a byte of it is, the answer is a model or an error. */
static void
test_damaged (void)
{
  for (guint version = 0; version <= 6; version += 3)
    {
      g_autoptr (GBytes) bytes = bytecode_assemble (version);
      const guint8 *data = g_bytes_get_data (bytes, NULL);
      const gsize size = g_bytes_get_size (bytes);

      for (gsize i = 4; i < size; i++)
        {
          g_autoptr (GBytes) cut = g_bytes_new (data, i);
          g_autoptr (GError) error = NULL;
          g_autoptr (PhModel) model = read_bytes (cut, NULL, &error);

          g_assert_true ((model == NULL) == (error != NULL));
          g_assert_true (error == NULL || g_str_has_prefix (error->message, "m.mlirbc: "));
          g_assert_true (error != NULL || version >= 5); /* what comes last there, the properties, may be missing */
          for (guint k = 0; k < 8; k++)
            {
              g_autofree guint8 *copy = g_memdup2 (data, size);
              g_autoptr (GBytes) changed = NULL;
              g_autoptr (GError) why = NULL;
              g_autoptr (PhModel) other = NULL;

              copy[i] ^= (guint8) (1 << k);
              changed = g_bytes_new (copy, size);
              other = read_bytes (changed, NULL, &why);
              g_assert_true ((other == NULL) == (why != NULL));
            }
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1) /* writes a file of the corpora anew */
    {
      g_autoptr (GBytes) bytes = g_str_has_suffix (argv[1], ".jax") ? bytecode_assemble_export () : bytecode_assemble (6);

      return g_file_set_contents (argv[1], g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), NULL) ? 0 : 1;
    }
  g_test_add_func ("/mlir-bytecode/versions", test_versions);
  g_test_add_func ("/mlir-bytecode/corpus", test_corpus);
  g_test_add_func ("/mlir-bytecode/export", test_export);
  g_test_add_func ("/mlir-bytecode/long", test_long);
  g_test_add_func ("/mlir-bytecode/newer", test_newer);
  g_test_add_func ("/mlir-bytecode/newer-operation", test_newer_operation);
  g_test_add_func ("/mlir-bytecode/samples", test_samples);
  g_test_add_func ("/mlir-bytecode/damaged", test_damaged);
  return g_test_run ();
}
