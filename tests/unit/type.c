/* type.c: tests of types and of the algebra of dimensions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/type.h"

#define S(text) ph_dim_symbol (text)

static void
assert_dim (PhDim dim, const char *expected)
{
  g_autofree char *text = ph_dim_to_string (dim);

  g_assert_cmpstr (text, ==, expected);
  if (dim.symbol != NULL) /* what is printed reads back as the same symbol */
    g_assert_true (ph_dim_symbol (text).symbol == dim.symbol);
}

static void
test_dim_algebra (void)
{
  const PhDim n = S ("n"), m = S ("m"), two = PH_DIM (2), three = PH_DIM (3);

  assert_dim (ph_dim_add (n, n), "2*n");
  assert_dim (ph_dim_add (ph_dim_mul (two, S ("batch")), PH_DIM (1)), "2*batch + 1");
  assert_dim (ph_dim_sub (n, n), "0");
  assert_dim (ph_dim_sub (n, PH_DIM (1)), "n - 1");
  assert_dim (ph_dim_sub (PH_DIM (1), n), "-n + 1");
  assert_dim (ph_dim_mul (ph_dim_add (n, m), ph_dim_sub (n, m)), "-m*m + n*n");
  assert_dim (ph_dim_mul (m, n), "m*n");
  assert_dim (ph_dim_mul (n, m), "m*n");
  assert_dim (ph_dim_mul (n, PH_DIM (0)), "0");
  assert_dim (ph_dim_sub (three, PH_DIM (5)), "?");
  assert_dim (ph_dim_add (n, PH_DIM_UNKNOWN), "?");
  assert_dim (ph_dim_mul (PH_DIM (G_MAXINT64), two), "?");
}

static void
test_dim_division (void)
{
  const PhDim n = S ("n"), two = PH_DIM (2);

  assert_dim (ph_dim_div (PH_DIM (7), two), "3");
  assert_dim (ph_dim_div (n, PH_DIM (0)), "?");
  assert_dim (ph_dim_div (ph_dim_mul (n, PH_DIM (64)), PH_DIM (64)), "n");
  assert_dim (ph_dim_div (ph_dim_mul (n, S ("m")), S ("m")), "n");
  assert_dim (ph_dim_div (ph_dim_mul (S ("n + 1"), S ("m + 2")), S ("n + 1")), "m + 2");
  assert_dim (ph_dim_div (n, two), "floor(n/2)");
  assert_dim (ph_dim_div (S ("2*n + 1"), two), "n");
  assert_dim (ph_dim_div (S ("n - 1"), two), "floor((n + 1)/2) - 1");
  assert_dim (ph_dim_add (ph_dim_div (S ("n - 1"), two), PH_DIM (1)), "floor((n + 1)/2)");
  assert_dim (ph_dim_div (S ("2*n + 1"), PH_DIM (4)), "floor(n/2)");
  assert_dim (ph_dim_div (S ("floor(n/2)"), two), "floor(n/4)");
  assert_dim (ph_dim_div (S ("floor((n + 1)/2) + 1"), two), "floor((n + 3)/4)");
  assert_dim (ph_dim_div (n, S ("m")), "floor(n/m)");
  assert_dim (ph_dim_mul (ph_dim_div (n, two), two), "2*floor(n/2)");
  assert_dim (ph_dim_div (S ("n + m"), S ("2*m")), "floor((m + n)/(2*m))");
}

static void
test_dim_names (void)
{
  assert_dim (S ("batch-size"), "batch-size");
  assert_dim (ph_dim_mul (S ("batch-size"), PH_DIM (2)), "2*batch-size");
  assert_dim (S ("a name with spaces"), "a name with spaces");
  assert_dim (S ("past_sequence_length + 1"), "past_sequence_length + 1");
  assert_dim (S ("1 + n*2"), "2*n + 1");
  assert_dim (S ("f(x)"), "f(x)");
  assert_dim (S (""), "?");
  g_assert_true (ph_dim_equal (S ("n*2"), S ("n + n")));
  g_assert_false (ph_dim_equal (S ("n"), S ("m")));
  g_assert_false (ph_dim_equal (PH_DIM_UNKNOWN, PH_DIM_UNKNOWN));
}

static const PhType *
tensor (guint rank, PhDim a, PhDim b)
{
  return ph_type_tensor (PH_FLOAT, rank, (PhDim[]) { a, b });
}

static void
test_interning (void)
{
  const PhDim n = S ("n");
  g_autoptr (PhTensor) value = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 2, 3 });

  g_assert_true (tensor (2, n, PH_DIM (3)) == tensor (2, n, PH_DIM (3)));
  g_assert_true (tensor (2, n, PH_DIM (3)) != tensor (2, n, PH_DIM (4)));
  g_assert_true (tensor (1, n, n) != ph_type_unranked (PH_FLOAT));
  g_assert_true (ph_type_of_tensor (value) == tensor (2, PH_DIM (2), PH_DIM (3)));
  g_assert_true (ph_type_fits (tensor (2, n, PH_DIM (3)), value));
  g_assert_false (ph_type_fits (tensor (2, n, PH_DIM (4)), value));
  g_assert_cmpint (ph_type_bytes (ph_type_of_tensor (value)), ==, 24);
  g_assert_cmpint (ph_type_count (tensor (2, n, PH_DIM (4))), ==, -1);
}

/* A name is known by its address, but no other place in it is. */
static void
test_names (void)
{
  const char *name = ph_intern ("a name of some length"), *empty = ph_intern ("");
  g_autofree char *copy = g_strdup (name);

  g_assert_true (ph_intern (name) == name && ph_intern (copy) == name);
  g_assert_true (ph_intern (name + 2) != name + 2 && ph_intern (name + 2) == ph_intern ("name of some length"));
  g_assert_true (ph_intern (name + strlen (name)) == empty && ph_intern (empty) == empty);
  for (guint i = 0; i < 20000; i++) /* more than one block, and than the table has room for at first */
    {
      g_autofree char *text = g_strdup_printf ("%u of many", i), *again = g_strdup (text);

      g_assert_true (ph_intern (text) == ph_intern (again) && ph_intern (text) != text);
    }
  g_assert_true (ph_intern (copy) == name);
}

static void
assert_type (const PhType *type, const char *expected)
{
  g_autofree char *text = ph_type_to_string (type);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_lattice (void)
{
  const PhDim n = S ("n"), unknown = PH_DIM_UNKNOWN;
  const PhType *types[2];

  assert_type (ph_type_merge (tensor (2, n, unknown), tensor (2, unknown, PH_DIM (4))), "float[n,4]");
  assert_type (ph_type_merge (tensor (2, n, unknown), tensor (2, PH_DIM (7), n)), "float[7,n]");
  g_assert_null (ph_type_merge (tensor (1, PH_DIM (2), n), tensor (1, PH_DIM (3), n)));
  assert_type (ph_type_merge (ph_type_unranked (PH_FLOAT), tensor (1, n, n)), "float[n]");
  g_assert_true (ph_type_accepts (tensor (2, unknown, n), tensor (2, PH_DIM (1), n)));
  g_assert_false (ph_type_accepts (tensor (2, n, n), tensor (2, PH_DIM (1), n)));
  types[0] = tensor (2, n, PH_DIM (1));
  types[1] = tensor (1, PH_DIM (5), n);
  assert_type (ph_type_broadcast (PH_BOOL, types, 2), "bool[n,5]");
  types[1] = tensor (2, S ("m"), PH_DIM (5));
  assert_type (ph_type_broadcast (PH_FLOAT, types, 2), "float[?,5]");
  types[0] = tensor (1, PH_DIM (4), n);
  g_assert_null (ph_type_broadcast (PH_FLOAT, types, 2));
  assert_type (ph_type_sequence (PH_KIND_SEQUENCE, tensor (1, PH_DIM (4), n)), "seq(float[4])");
  assert_type (ph_type_unranked (PH_INT64), "int64[]");
  assert_type (ph_type_static (PH_INT64, 0, NULL), "int64");
  assert_type (NULL, "?");
}

static void
test_opaque (void)
{
  const PhType *pointer = ph_type_opaque ("ptr"), *boxed;

  assert_type (pointer, "ptr");
  g_assert_true (pointer == ph_type_opaque ("ptr"));
  g_assert_true (pointer != ph_type_opaque ("token[]"));
  g_assert_null (ph_type_opaque (""));
  g_assert_null (ph_type_opaque ("\xff"));
  /* Only itself is like it, and no tensor is of it. */
  g_assert_true (ph_type_accepts (pointer, pointer) && ph_type_merge (pointer, pointer) == pointer);
  g_assert_false (ph_type_accepts (pointer, ph_type_opaque ("token[]"))
                  || ph_type_accepts (ph_type_unranked (PH_UNDEFINED), pointer));
  g_assert_null (ph_type_merge (pointer, ph_type_opaque ("token[]")));
  g_assert_null (ph_type_merge (pointer, ph_type_unranked (PH_UNDEFINED)));
  g_assert_true (ph_type_with_dtype (pointer, PH_FLOAT) == pointer);
  g_assert_false (ph_type_is_static (pointer) || ph_type_same_shape (pointer, pointer));
  g_assert_cmpint (ph_type_bytes (pointer), ==, -1);
  boxed = ph_type_sequence (PH_KIND_SEQUENCE, pointer);
  assert_type (boxed, "seq(ptr)");
  g_assert_true (ph_type_accepts (boxed, boxed) && ph_type_merge (boxed, boxed) == boxed);
}

static gpointer
intern_many (gpointer data)
{
  const PhType *last = NULL;

  for (int i = 0; i < 2000; i++)
    last = ph_type_static (PH_INT8, 1, (gint64[]) { i });
  return (gpointer) last;
}

static void
test_threads (void)
{
  GThread *one = g_thread_new ("one", intern_many, NULL), *two = g_thread_new ("two", intern_many, NULL);
  gpointer first = g_thread_join (one);

  g_assert_true (first == g_thread_join (two));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/type/dim-algebra", test_dim_algebra);
  g_test_add_func ("/type/dim-division", test_dim_division);
  g_test_add_func ("/type/dim-names", test_dim_names);
  g_test_add_func ("/type/interning", test_interning);
  g_test_add_func ("/type/names", test_names);
  g_test_add_func ("/type/lattice", test_lattice);
  g_test_add_func ("/type/opaque", test_opaque);
  g_test_add_func ("/type/threads", test_threads);
  return g_test_run ();
}
