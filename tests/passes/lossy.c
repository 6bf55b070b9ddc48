/* lossy.c: what is lossy by design stays within what it promises.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "fixture.h"

#define SEEDS 64

/* By rule: how far a float may be off, as a part of the largest element and absolutely; how many steps a byte may. A sum of a few
 * products whose factors and result are rounded to 11 bits is off by a few 2^-11 of the largest. */
/* clang-format off */
static const struct { const char *rule; double part, absolute; int steps; } promises[] = {
  { "log-exp", 1e-6, 1e-6, 0 },         { "exp-log", 1e-6, 1e-6, 0 },     { "exp-times-exp", 2e-6, 0, 0 },
  { "log-plus-log", 1e-6, 2e-6, 0 },    { "log-softmax", 1e-6, 1e-6, 0 }, { "fast-gelu", 0, 1e-3, 0 },
  { "half-product", 8 * 0x1p-11, 0, 0 }, { "qlinear-matmul", 0, 0, 1 },    { "qlinear-conv", 0, 0, 1 },
  { "qlinear-conv-bias", 0, 0, 1 },     { "double-pair", 0, 0, 1 },       { "square-of-root", 1e-6, 0, 0 },
};
/* clang-format on */

static int
promise_of (const char *rule)
{
  for (guint i = 0; i < G_N_ELEMENTS (promises); i++)
    if (g_str_equal (promises[i].rule, rule))
      return i;
  return -1;
}

static double
largest (PhTensor *tensor)
{
  double most = 0;

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if (isfinite (ph_tensor_get (tensor, i)))
      most = MAX (most, fabs (ph_tensor_get (tensor, i)));
  return most;
}

static void
check_tensor (const Fixture *fixture, int promise, PhTensor *before, PhTensor *after, guint64 seed)
{
  const gboolean is_float = ph_dtype_is_float (ph_tensor_dtype (before));
  const double bound = is_float ? promises[promise].part * largest (before) + promises[promise].absolute
                                : promises[promise].steps;

  g_assert_cmpuint (ph_tensor_count (before), ==, ph_tensor_count (after));
  for (gsize i = 0; i < ph_tensor_count (before); i++)
    {
      const double x = ph_tensor_get (before, i), y = ph_tensor_get (after, i);

      if (!(isnan (x) && isnan (y)) && x != y && !(fabs (x - y) <= bound))
        g_error ("%s: seed %" G_GUINT64_FORMAT ": element %" G_GSIZE_FORMAT ": %.9g became %.9g, promised is %.3g", fixture->path,
                 seed, i, x, y, bound);
    }
}

/* The only lossy rule that fires in the fixture; -1: none does. */
static int
promise_of_fixture (const Fixture *fixture)
{
  int promise = -1;

  for (guint i = 0; i < fixture->pass->n_rules; i++)
    if (fixture->pass->rules[i].exactness == PH_LOSSY
        && g_hash_table_lookup (fixture->fires, fixture->pass->rules[i].name) != NULL)
      promise = promise_of (fixture->pass->rules[i].name);
  return promise;
}

static void
check_fixture (Fixture *fixture, gpointer data)
{
  int promise = promise_of_fixture (fixture);
  guint *checked = data;

  if (promise >= 0 && fixture->runs)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) before = fixture_parse (fixture->before, fixture->path, &error), model = NULL;
      g_autoptr (PhHistory) history = ph_history_new ();
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      g_assert_no_error (error);
      model = ph_model_clone (before);
      options.allow = PH_LOSSY;
      ph_pass_run (fixture->pass, model, history, &options, &error);
      g_assert_no_error (error);
      for (guint64 seed = 0; seed < SEEDS; seed++)
        {
          g_autoptr (GHashTable) feeds = sample_feeds (before, PH_LOSSY, fixture->ranges, seed);
          g_autoptr (GPtrArray) a = sample_outputs (before, feeds, &error), b = NULL;

          g_assert_no_error (error);
          b = sample_outputs (model, feeds, &error);
          g_assert_no_error (error);
          for (guint i = 0; i < a->len; i++)
            check_tensor (fixture, promise, a->pdata[i], b->pdata[i], seed);
        }
      checked[promise]++;
    }
  fixture_free (fixture);
}

static void
test_promises (void)
{
  guint checked[G_N_ELEMENTS (promises)] = { 0 }, n;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    for (guint r = 0; r < passes[i]->n_rules; r++)
      if (passes[i]->rules[r].exactness == PH_LOSSY && promise_of (passes[i]->rules[r].name) < 0)
        g_error ("%s/%s is lossy: say in the table how far it may be off", passes[i]->name, passes[i]->rules[r].name);
  fixture_each (check_fixture, checked);
  for (guint i = 0; i < G_N_ELEMENTS (promises); i++)
    if (checked[i] == 0)
      g_error ("no fixture that fires %s can be computed", promises[i].rule);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/lossy/promises", test_promises);
  return g_test_run ();
}
