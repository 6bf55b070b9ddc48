/* pass-plan.c: a plan of passes without a document: its words, which steps are its own, where a run stops.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/pass-plan.h"

static void
add_step (PhHistory *history, const char *pass, const char *const *rules)
{
  PhStep step = { .pass = pass, .first_rewrite = history->rewrites->len };

  for (; rules != NULL && *rules != NULL; rules++)
    {
      const PhRewrite rewrite = { .rule = *rules, .node = 10 + step.n_rewrites };

      g_array_append_val (history->rewrites, rewrite);
      step.n_rewrites++;
    }
  g_array_append_val (history->steps, step);
}

static void
check_text (const char *text, int opset, const char *expected, guint n_entries)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *said = NULL;
  PhPassPlan plan;

  ph_pass_plan_init (&plan);
  g_assert_true (ph_pass_plan_set (&plan, text, &(PhPipelineFile) { .opset = opset }, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (plan.entries->len, ==, n_entries);
  said = ph_pass_plan_to_text (&plan, ",");
  g_assert_cmpstr (said, ==, expected);
  ph_pass_plan_clear (&plan);
}

/* What was said is said again; what stands in front of an old file's passes goes without saying. */
static void
test_text (void)
{
  check_text ("cse,dce", 0, "cse,dce", 2);
  check_text ("cse:off,dce:limit=3:break", PH_OPSET_NEWEST, "cse:off,dce:limit=3:break", 2);
  check_text ("cse,dce", 9, "cse,dce", 3);
  check_text ("none", 9, "none", 0);
}

/* A pipeline of the list converts another system's operators first, and has no passes where none knows any of them; one's own is as
 * it was written. */
static void
test_foreign (void)
{
  static const PhPipelineFile foreign = { .foreign = TRUE }, idle = { .idle = "no pass knows them" };
  static const struct
  {
    const char *text;
    const PhPipelineFile *file;
    const char *first, *idle;
  } rows[] = {
    { "O2", &foreign, "convert-to-onnx", NULL }, { "none", &foreign, NULL, NULL }, { "cse,dce", &foreign, "cse", NULL },
    { "O2", &idle, NULL, "no pass knows them" }, { "none", &idle, NULL, NULL },    { "cse,dce", &idle, "cse", NULL },
  };
  PhPassPlan plan;

  ph_pass_plan_init (&plan);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *said = NULL;

      g_assert_true (ph_pass_plan_set (&plan, rows[i].text, rows[i].file, NULL));
      g_assert_cmpstr (plan.entries->len > 0 ? g_array_index (plan.entries, PhPipelineEntry, 0).pass->name : NULL, ==,
                       rows[i].first);
      g_assert_cmpstr (ph_pass_plan_get_idle (&plan), ==, rows[i].idle);
      said = ph_pass_plan_to_text (&plan, ",");
      g_assert_cmpstr (said, ==, rows[i].text);
    }
  ph_pass_plan_clear (&plan);
}

/* What converted the file before the pipeline was chosen is the pipeline's. */
static void
test_converted (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autofree int *map = NULL;
  PhPassPlan plan;

  ph_pass_plan_init (&plan);
  g_assert_true (ph_pass_plan_set (&plan, "O1", &(PhPipelineFile) { .foreign = TRUE }, NULL));
  add_step (history, "convert-to-onnx", NULL);
  add_step (history, "cse", NULL);
  map = ph_pass_plan_map_steps (&plan, history, 2);
  g_assert_cmpint (map[0], ==, 0);
  g_assert_cmpint (map[1], ==, -1);
  ph_pass_plan_clear (&plan);
}

static void
test_changed (void)
{
  g_autofree char *said = NULL;
  PhPassPlan plan;

  ph_pass_plan_init (&plan);
  g_assert_true (ph_pass_plan_set (&plan, "O1", &(PhPipelineFile) { 0 }, NULL));
  g_assert_false (ph_pass_plan_is_own (&plan));
  g_array_index (plan.entries, PhPipelineEntry, 0).enabled = FALSE;
  g_assert_true (ph_pass_plan_is_own (&plan));
  said = ph_pass_plan_to_text (&plan, ",");
  g_assert_true (g_strrstr (said, ":off") != NULL);
  ph_pass_plan_clear (&plan);
}

/* What is no plan changes nothing. */
static void
test_refused (void)
{
  static const char *const wrong[] = { "cse,no-such-pass", "cse:often", "cse:limit=0", "allow=everything,cse", "autodiff" };
  PhPassPlan plan;

  ph_pass_plan_init (&plan);
  g_assert_true (ph_pass_plan_set (&plan, "cse,dce", &(PhPipelineFile) { 0 }, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (ph_pass_plan_set (&plan, wrong[i], &(PhPipelineFile) { 0 }, &error));
      g_assert_nonnull (error);
      g_assert_cmpuint (plan.entries->len, ==, 2);
      g_assert_cmpstr (plan.name, ==, "cse,dce");
    }
  ph_pass_plan_clear (&plan);
}

/* Steps are the enabled entries', in their order; what was run between, or before the plan was chosen, is nobody's. */
static void
test_steps (void)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassPlan plan;
  int *map;

  ph_pass_plan_init (&plan);
  g_assert_true (ph_pass_plan_set (&plan, "cse,dce:off,algebraic", &(PhPipelineFile) { 0 }, NULL));
  add_step (history, "cse", NULL);
  add_step (history, "cse", NULL);
  add_step (history, "dce", NULL);
  add_step (history, "algebraic", NULL);
  map = ph_pass_plan_map_steps (&plan, history, 1);
  g_assert_cmpint (map[0], ==, -1);
  g_assert_cmpint (map[1], ==, 0);
  g_assert_cmpint (map[2], ==, -1);
  g_assert_cmpint (map[3], ==, 2);
  g_free (map);
  map = ph_pass_plan_map_steps (&plan, NULL, 0);
  g_free (map);
  ph_pass_plan_clear (&plan);
}

/* By a rule, by a rule of one pass, by a node. */
static void
test_breaks (void)
{
  static const char *const cse[] = { "same-constant", "same-node", NULL }, *const dce[] = { "same-node", "unused", NULL };
  static const struct
  {
    const char *at;
    PhPosition found;
  } rows[] = {
    { "same-node", { 0, 1 } }, { "dce/same-node", { 1, 0 } }, { "unused", { 1, 1 } }, { "n10", { 0, 0 } }, { "n99", { 2, 0 } }
  };
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassPlan plan;

  add_step (history, "cse", cse);
  add_step (history, "dce", dce);
  ph_pass_plan_init (&plan);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const PhPosition end = { 2, 0 };

      g_ptr_array_set_size (plan.breaks, 0);
      g_ptr_array_add (plan.breaks, g_strdup (rows[i].at));
      const PhPosition found = ph_pass_plan_next_break (&plan, history, (PhPosition) { 0, 0 }, end);

      g_assert_cmpint (ph_position_compare (found, rows[i].found), ==, 0);
      g_assert_cmpstr (ph_pass_plan_find_break (&plan, history, found), ==, found.step < 2 ? rows[i].at : NULL);
    }
  ph_pass_plan_clear (&plan);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pass-plan/text", test_text);
  g_test_add_func ("/pass-plan/foreign", test_foreign);
  g_test_add_func ("/pass-plan/converted", test_converted);
  g_test_add_func ("/pass-plan/changed", test_changed);
  g_test_add_func ("/pass-plan/refused", test_refused);
  g_test_add_func ("/pass-plan/steps", test_steps);
  g_test_add_func ("/pass-plan/breaks", test_breaks);
  return g_test_run ();
}
