/* runner.c: one text file a rule: what fires, before, after; and all that follows from that.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>
#include <string.h>

#include "core/io/io.h"
#include "fixture.h"

static gboolean bless;

/* "pass/rule" -> 1: a fixture fires it, 2: one says that it must not, 3: both */
static GHashTable *shown;

static PhModel *
parse (const char *text, const char *path)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = fixture_parse (text, path, &error);

  g_assert_no_error (error);
  return model;
}

static char *
print (PhModel *model)
{
  return ph_onnx_text_print (model, G_MAXSIZE);
}

static void
check_print_is_stable (PhModel *model, const char *path)
{
  g_autofree char *once = print (model);
  g_autoptr (PhModel) again = parse (once, path);
  g_autofree char *twice = print (again);

  g_assert_cmpstr (once, ==, twice);
}

static PhHistory *
run_pass (Fixture *self, PhModel *model, guint64 seed)
{
  PhHistory *history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GError) error = NULL;

  options.allow = self->allow;
  options.verify = TRUE;
  options.seed = seed;
  options.arguments = (const char *const *) self->arguments;
  ph_pass_run (self->pass, model, history, &options, &error);
  g_assert_no_error (error);
  return history;
}

static void
check_what_fired (Fixture *self, PhHistory *history)
{
  g_autoptr (GHashTable) fired = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer rule, count;

  for (guint i = 0; i < history->rewrites->len; i++)
    {
      const char *name = g_array_index (history->rewrites, PhRewrite, i).rule;

      count = g_hash_table_lookup (fired, name);
      g_hash_table_insert (fired, (gpointer) name, GUINT_TO_POINTER (GPOINTER_TO_UINT (count) + 1));
    }
  g_hash_table_iter_init (&iter, self->fires);
  while (g_hash_table_iter_next (&iter, &rule, &count))
    if (g_hash_table_lookup (fired, rule) != count)
      g_error ("%s: %s fired %u times, should %u times", self->path, (char *) rule,
               GPOINTER_TO_UINT (g_hash_table_lookup (fired, rule)), GPOINTER_TO_UINT (count));
  g_hash_table_iter_init (&iter, fired);
  while (g_hash_table_iter_next (&iter, &rule, &count))
    if (!g_hash_table_contains (self->fires, rule))
      g_error ("%s: %s fired as well", self->path, (char *) rule);
}

static void
check_same_values (Fixture *self, PhModel *before, PhModel *after)
{
  PhExactness exactness = fixture_exactness (self);

  for (guint64 seed = 0; self->runs && seed < 4; seed++)
    {
      /* Of the types after it, which may say more. */
      g_autoptr (GHashTable) feeds = sample_feeds (self->arguments != NULL ? after : before, exactness, self->ranges, seed);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) a = sample_outputs (before, feeds, &error), b = NULL;
      g_autofree char *difference = NULL;

      g_assert_no_error (error);
      b = sample_outputs (after, feeds, &error);
      g_assert_no_error (error);
      difference = sample_compare (a, b, exactness);
      if (difference != NULL)
        g_error ("%s: seed %" G_GUINT64_FORMAT ": %s", self->path, seed, difference);
    }
}

static void
check_walk (Fixture *self, PhModel *model, PhHistory *history, const char *first, const char *last)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *back = NULL, *forth = NULL;

  ph_history_go (history, model, (PhPosition) { 0, 0 }, &error);
  g_assert_no_error (error);
  back = print (model);
  g_assert_cmpstr (back, ==, first);
  ph_history_go (history, model, (PhPosition) { 1, 0 }, &error);
  g_assert_no_error (error);
  forth = print (model);
  g_assert_cmpstr (forth, ==, last);
}

static void
fixture_bless (Fixture *self, const char *after, gboolean changed)
{
  g_autofree char *text = changed ? g_strdup_printf ("%s# before\n%s# after\n%s", self->head, self->before, after)
                                  : g_strdup_printf ("%s# before\n%s", self->head, self->before);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (self->path, text, -1, &error);
  g_assert_no_error (error);
}

static void
test_fixture (gconstpointer data)
{
  Fixture *self = (Fixture *) data;
  g_autoptr (PhModel) before = parse (self->before, self->path);
  g_autoptr (PhModel) model = ph_model_clone (before);
  g_autofree char *first = print (before), *last = NULL;
  g_autoptr (PhHistory) history = run_pass (self, model, 0);
  g_autoptr (PhHistory) nothing = NULL;

  check_what_fired (self, history);
  last = print (model);
  check_same_values (self, before, model);
  if (bless)
    {
      fixture_bless (self, last, !g_str_equal (first, last));
      return;
    }

  if (self->after != NULL)
    {
      g_autoptr (PhModel) wanted = parse (self->after, self->path);
      g_autofree char *text = print (wanted);

      g_assert_cmpstr (last, ==, text);
    }
  else
    g_assert_cmpstr (last, ==, first);
  check_print_is_stable (before, self->path);
  check_print_is_stable (model, self->path);
  check_walk (self, model, history, first, last);

  for (guint64 seed = 1; seed < 4; seed++)
    {
      g_autoptr (PhModel) other = ph_model_clone (before);
      g_autoptr (PhHistory) steps = run_pass (self, other, seed);
      g_autofree char *text = print (other);

      g_assert_cmpstr (text, ==, last);
    }

  nothing = run_pass (self, model, 0);
  if (nothing->rewrites->len > 0)
    g_error ("%s: not a fixpoint: %s fires again", self->path, g_array_index (nothing->rewrites, PhRewrite, 0).rule);
}

static void
note_shown (const Fixture *self)
{
  GHashTableIter iter;
  gpointer rule, count;

  g_hash_table_iter_init (&iter, self->fires);
  while (g_hash_table_iter_next (&iter, &rule, &count))
    {
      char *key = g_strdup_printf ("%s/%s", self->pass->name, (char *) rule);
      guint known = GPOINTER_TO_UINT (g_hash_table_lookup (shown, key));

      g_hash_table_insert (shown, key, GUINT_TO_POINTER (known | (GPOINTER_TO_UINT (count) > 0 ? 1 : 2)));
    }
}

static void
add_fixture (Fixture *fixture, gpointer data)
{
  g_autofree char *test = g_strdup_printf ("/passes/%s/%s", fixture->pass->name, fixture->name);

  note_shown (fixture);
  g_test_add_data_func_full (test, fixture, test_fixture, fixture_free);
}

/* Every rule of a pass is worth a file that fires and one that must not. */
static void
test_every_rule (void)
{
  guint n, missing = 0;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint i = 0; i < n; i++)
    for (guint r = 0; r < passes[i]->n_rules; r++)
      {
        g_autofree char *key = g_strdup_printf ("%s/%s", passes[i]->name, passes[i]->rules[r].name);
        guint known = GPOINTER_TO_UINT (g_hash_table_lookup (shown, key));

        if (!ph_pass_is_builtin (passes[i]) || known == 3)
          continue;
        missing++;
        g_printerr ("# %s has no fixture %s\n", key,
                    known == 1   ? "that must not fire it"
                    : known == 2 ? "that fires it"
                                 : "at all");
      }
  g_assert_cmpuint (missing, ==, 0);
}

int
main (int argc, char *argv[])
{
  for (int i = 1; i < argc; i++)
    if (g_str_equal (argv[i], "--bless"))
      {
        bless = TRUE;
        memmove (&argv[i], &argv[i + 1], (argc - i) * sizeof *argv);
        argc--;
      }
  g_test_init (&argc, &argv, NULL);
  shown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  fixture_each (add_fixture, NULL);
  g_test_add_func ("/passes/every-rule", test_every_rule);
  return g_test_run ();
}
