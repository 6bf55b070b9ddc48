/* slab.c: objects of one size are zeros when they come, keep what is written to them, and lie nowhere twice.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/slab.h"

typedef struct
{
  gpointer next;
  guint64 number[4];
} Object;

static void
check_zero (const Object *object)
{
  g_assert_null (object->next);
  for (guint i = 0; i < G_N_ELEMENTS (object->number); i++)
    g_assert_cmpuint (object->number[i], ==, 0);
}

static void
mark (Object *object, guint64 number)
{
  object->next = object;
  for (guint i = 0; i < G_N_ELEMENTS (object->number); i++)
    object->number[i] = number + i;
}

static void
check_mark (const Object *object, guint64 number)
{
  g_assert_true (object->next == object);
  for (guint i = 0; i < G_N_ELEMENTS (object->number); i++)
    g_assert_cmpuint (object->number[i], ==, number + i);
}

/* 400,000 turns: more are made than freed, so that chunks of all sizes come, and places are used again. */
static void
test_random (void)
{
  g_auto (PhSlab) slab = PH_SLAB (Object);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) objects = g_ptr_array_new ();
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  for (guint64 turn = 1; turn <= 400000; turn++)
    if (objects->len == 0 || g_rand_int_range (random, 0, 3) > 0)
      {
        Object *object = ph_slab_alloc0 (&slab);

        check_zero (object);
        mark (object, turn * 8);
        g_ptr_array_add (objects, object);
        g_array_append_vals (numbers, &(guint64) { turn * 8 }, 1);
      }
    else
      {
        const guint at = (guint) g_rand_int_range (random, 0, (gint32) objects->len);

        check_mark (objects->pdata[at], g_array_index (numbers, guint64, at));
        ph_slab_free (&slab, objects->pdata[at]);
        g_ptr_array_remove_index_fast (objects, at);
        g_array_remove_index_fast (numbers, at);
      }
  g_assert_cmpuint (objects->len, >, 100000);
  while (objects->len > 0)
    {
      const guint last = objects->len - 1;

      check_mark (objects->pdata[last], g_array_index (numbers, guint64, last));
      ph_slab_free (&slab, objects->pdata[last]);
      g_ptr_array_set_size (objects, (int) last);
    }
}

/* It serves again after it was cleared. */
static void
test_clear (void)
{
  g_auto (PhSlab) slab = PH_SLAB (Object);

  for (guint turn = 0; turn < 3; turn++)
    {
      Object *object = ph_slab_alloc0 (&slab);

      check_zero (object);
      mark (object, turn);
      ph_slab_free (&slab, object);
      ph_slab_clear (&slab);
    }
}

typedef struct
{
  Object objects[250];
} Large;

/* Objects larger than a first chunk lie nowhere twice either. */
static void
test_large (void)
{
  g_auto (PhSlab) slab = PH_SLAB (Large);
  Large *all[40];

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      all[i] = ph_slab_alloc0 (&slab);
      for (guint k = 0; k < G_N_ELEMENTS (all[i]->objects); k++)
        {
          check_zero (&all[i]->objects[k]);
          mark (&all[i]->objects[k], i * 1000 + k);
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      for (guint k = 0; k < G_N_ELEMENTS (all[i]->objects); k++)
        check_mark (&all[i]->objects[k], i * 1000 + k);
      ph_slab_free (&slab, all[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/slab/random", test_random);
  g_test_add_func ("/slab/clear", test_clear);
  g_test_add_func ("/slab/large", test_large);
  return g_test_run ();
}
