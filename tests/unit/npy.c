/* npy.c: tests of tensors in files: .npy, TensorProto, SequenceProto, OptionalProto.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"

#include <glib/gstdio.h>
#include <string.h>

static char *temporary;

static char *
path_of (const char *name)
{
  return g_build_filename (temporary, name, NULL);
}

static PhTensor *
load (const char *path, const PhType *type)
{
  g_autoptr (GError) error = NULL;
  PhTensor *tensor = ph_tensor_load (path, type, NULL, &error);

  g_assert_no_error (error);
  return tensor;
}

static PhTensor *
load_npy (const char *header, gconstpointer data, gsize size)
{
  g_autofree char *path = path_of ("x.npy");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const guint16 length = GUINT16_TO_LE ((guint16) strlen (header));

  g_byte_array_append (bytes, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (bytes, (const guint8 *) &length, 2);
  g_byte_array_append (bytes, (const guint8 *) header, (guint) strlen (header));
  g_byte_array_append (bytes, data, (guint) size);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  return load (path, NULL);
}

static void
test_round_trip (void)
{
  static const PhDType types[] = { PH_FLOAT,  PH_DOUBLE, PH_FLOAT16, PH_INT8, PH_INT16,    PH_INT32, PH_INT64, PH_UINT8,
                                   PH_UINT16, PH_UINT32, PH_UINT64,  PH_BOOL, PH_BFLOAT16, PH_INT4,  PH_UINT4, PH_FLOAT8E4M3FN };
  static const gint64 shapes[][3] = { { 2, 3, 1 }, { 5, 1, 1 }, { 0, 3, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (types) * 4; i++)
    {
      const guint rank = i % 4 == 3 ? 0 : 3;
      g_autoptr (PhTensor) tensor = ph_tensor_new (types[i / 4], rank, shapes[i % 4 % 3]);
      g_autofree char *pb = path_of ("x.pb"), *npy = path_of ("x.npy"), *name = NULL;
      g_autoptr (PhTensor) again = NULL;
      g_autoptr (PhTensor) array = NULL;
      g_autoptr (GError) error = NULL;

      for (gsize j = 0; j < ph_tensor_count (tensor); j++)
        ph_dtype_store (types[i / 4], ph_tensor_writable (tensor), j, types[i / 4] == PH_BOOL ? j % 2 : j % 7);
      g_assert_true (ph_tensor_save (tensor, "named", pb, &error));
      g_assert_no_error (error);
      again = ph_tensor_load (pb, NULL, &name, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (name, ==, "named");
      g_assert_true (ph_tensor_equal (tensor, again));
      g_assert_true (ph_tensor_save (tensor, NULL, npy, &error));
      g_assert_no_error (error);
      array = load (npy, NULL);
      g_assert_cmpuint (ph_tensor_count (array), ==, ph_tensor_count (tensor));
      for (gsize j = 0; j < ph_tensor_count (tensor); j++)
        g_assert_cmpfloat (ph_tensor_get (tensor, j), ==, ph_tensor_get (array, j));
    }
}

static void
test_layouts (void)
{
  static const float rows[6] = { 0, 1, 2, 3, 4, 5 };
  static const guint8 big[8] = { 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe };
  static const guint32 words[4] = { 'a', 'b', 0x20ac, 0 };
  g_autoptr (PhTensor) fortran = load_npy ("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", rows, sizeof rows);
  g_autoptr (PhTensor) swapped = load_npy ("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }\n", big, sizeof big);
  g_autoptr (PhTensor) scalar = load_npy ("{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", rows, 4);
  g_autoptr (PhTensor) text = load_npy ("{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }\n", words, sizeof words);
  static const float wanted[6] = { 0, 2, 4, 1, 3, 5 };

  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (ph_tensor_get (fortran, i), ==, wanted[i]);
  g_assert_cmpint (ph_tensor_get_int (swapped, 0), ==, 1);
  g_assert_cmpint (ph_tensor_get_int (swapped, 1), ==, -2);
  g_assert_cmpuint (ph_tensor_rank (scalar), ==, 0);
  g_assert_cmpstr (ph_tensor_get_string (text, 0), ==, "ab");
  g_assert_cmpstr (ph_tensor_get_string (text, 1), ==, "€");
}

static void
test_broken (void)
{
  /* clang-format off */
  static const char *const headers[] = {
    "{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }\n",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }\n", "{}", "{'descr': '<U999999999', 'fortran_order': False, 'shape': (9,)}",
    "{'descr': '<U', 'fortran_order': False, 'shape': (72158758,)}", "{'descr': '<U4611686018427387904', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f4', 'fortran_order': True, 'shape': (x,), }\n", "{'shape': '", "{'descr': '<f4', 'fortran_order': False, 'shape': (",
  };
  /* clang-format on */
  g_autofree char *path = path_of ("bad.npy");

  for (gsize i = 0; i < G_N_ELEMENTS (headers); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      const guint16 length = GUINT16_TO_LE ((guint16) strlen (headers[i]));
      g_autoptr (GError) error = NULL;
      g_autoptr (PhTensor) tensor = NULL;

      g_byte_array_append (bytes, (const guint8 *) "\x93NUMPY\x01\x00", 8);
      g_byte_array_append (bytes, (const guint8 *) &length, 2);
      g_byte_array_append (bytes, (const guint8 *) headers[i], (guint) strlen (headers[i]));
      g_byte_array_append (bytes, (const guint8 *) "\0\0\0\0", 4);
      g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
      tensor = ph_tensor_load (path, NULL, NULL, &error);
      g_assert_null (tensor);
      g_assert_error (error, PH_ERROR, PH_ERROR_FILE);
      g_assert_nonnull (strstr (error->message, path));
    }
}

static void
test_sequences (void)
{
  g_autofree char *path = path_of ("s.pb");
  g_autoptr (PhTensor) one = ph_tensor_new_floats ((float[]) { 1, 2 }, 2);
  g_autoptr (PhTensor) two = ph_tensor_new_floats ((float[]) { 3 }, 1);
  g_autoptr (PhTensor) sequence = ph_tensor_new_sequence (PH_KIND_SEQUENCE, (PhTensor *[]) { one, two }, 2);
  g_autoptr (PhTensor) full = ph_tensor_new_sequence (PH_KIND_OPTIONAL, &sequence, 1);
  g_autoptr (PhTensor) empty = ph_tensor_new_sequence (PH_KIND_OPTIONAL, NULL, 0);
  const PhType *item = ph_type_unranked (PH_FLOAT), *list = ph_type_sequence (PH_KIND_SEQUENCE, item);
  const PhType *maybe = ph_type_sequence (PH_KIND_OPTIONAL, list);
  g_autoptr (PhTensor) sequence_again = NULL;
  g_autoptr (PhTensor) full_again = NULL;
  g_autoptr (PhTensor) empty_again = NULL;

  g_assert_true (ph_tensor_save (sequence, "s", path, NULL));
  sequence_again = load (path, list);
  g_assert_true (ph_tensor_equal (sequence, sequence_again));
  g_assert_true (ph_tensor_save (full, NULL, path, NULL));
  full_again = load (path, maybe);
  g_assert_true (ph_tensor_equal (full, full_again));
  g_assert_true (ph_tensor_save (empty, NULL, path, NULL));
  empty_again = load (path, maybe);
  g_assert_true (ph_tensor_equal (empty, empty_again));
}

/* Every value of the ONNX cases can be read, written and read again. */
static guint
visit (const char *folder, guint depth)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += depth > 0 ? visit (path, depth - 1) : 0;
      else if (g_str_has_suffix (name, ".pb") && strstr (folder, "sequence") == NULL && strstr (folder, "optional") == NULL
               && strstr (folder, "_seq") == NULL && strstr (folder, "opt_") == NULL)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (PhTensor) tensor = ph_tensor_load (path, NULL, NULL, &error);
          g_autofree char *copy = path_of ("copy.pb");
          g_autoptr (PhTensor) again = NULL;

          if (tensor == NULL)
            continue; /* a sequence or map: the model would say so */
          g_assert_true (ph_tensor_save (tensor, NULL, copy, NULL));
          again = load (copy, NULL);
          g_assert_true (ph_tensor_equal (tensor, again));
          n++;
        }
    }
  return n;
}

static void
test_data (void)
{
  g_autofree char *cases = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR") != NULL ? g_getenv ("PEEPHOLE_DATA_DIR") : "",
                                             "onnx-backend", "simple", NULL);

  if (!g_file_test (cases, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("the cases are not there: set PEEPHOLE_DATA_DIR to a folder whose onnx-backend/simple has them");
      return;
    }
  g_test_message ("%u values", visit (cases, 2));
}

int
main (int argc, char *argv[])
{
  static const char *const files[] = { "x.npy", "x.pb", "bad.npy", "s.pb", "copy.pb" };
  int result;

  g_test_init (&argc, &argv, NULL);
  temporary = g_dir_make_tmp ("peephole-XXXXXX", NULL);
  g_test_add_func ("/tensor-file/round-trip", test_round_trip);
  g_test_add_func ("/tensor-file/layouts", test_layouts);
  g_test_add_func ("/tensor-file/broken", test_broken);
  g_test_add_func ("/tensor-file/sequences", test_sequences);
  g_test_add_func ("/tensor-file/data", test_data);
  result = g_test_run ();
  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = path_of (files[i]);
      g_unlink (path);
    }
  g_rmdir (temporary);
  g_free (temporary);
  return result;
}
