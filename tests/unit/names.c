/* names.c: tests of the tables that names are looked up in.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/intern.h"
#include "core/names.h"

#include <string.h>

/* The same as GLib's table after any number of random changes. */
static void
test_against_table (void)
{
  g_autoptr (GHashTable) expected = g_hash_table_new (NULL, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  PhNames *names = ph_names_new ();
  const char *known[500];

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    known[i] = ph_intern_numbered ("name", i);
  for (guint i = 0; i < 20000; i++)
    {
      const char *name = known[g_rand_int_range (random, 0, i < 10000 ? G_N_ELEMENTS (known) : 40)];
      gpointer value = GUINT_TO_POINTER (g_rand_int_range (random, 0, 3)); /* one that stands for nothing is there as well */

      if (g_rand_boolean (random))
        {
          ph_names_set (names, name, value);
          g_hash_table_insert (expected, (gpointer) name, value);
        }
      else
        {
          ph_names_remove (names, name);
          g_hash_table_remove (expected, name);
        }
      g_assert_cmpuint (ph_names_size (names), ==, g_hash_table_size (expected));
      for (guint k = 0; k < G_N_ELEMENTS (known) && i % 97 == 0; k++)
        {
          g_assert_cmpint (ph_names_contain (names, known[k]), ==, g_hash_table_contains (expected, known[k]));
          g_assert_true (ph_names_find (names, known[k]) == g_hash_table_lookup (expected, known[k]));
        }
    }
  ph_names_free (names);
}

static void
test_intern (void)
{
  static const char text[] = "one two";
  g_autofree char *copy = g_strdup ("one");
  const char *one = ph_intern (copy);

  ph_intern_reserve (100000);
  g_assert_true (ph_intern_sized (text, 3) == one);
  g_assert_cmpstr (ph_intern_sized (text + 4, 3), ==, "two");
  g_assert_true (ph_intern_is (one));
  g_assert_false (ph_intern_is (copy));
  g_assert_true (ph_intern (one) == one);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/names/against-table", test_against_table);
  g_test_add_func ("/names/intern", test_intern);
  return g_test_run ();
}
