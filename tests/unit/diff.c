/* diff.c: tests of what a diff says of constants, bodies and types, and that the picture marks the same nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/become.h"
#include "core/analyze/diff.h"
#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/scene/record.h"
#include "core/scene/scene.h"
#include "core/tensor/digest.h"
#include "passes/pass.h"

#include <string.h>

static PhModel *
parse (const char *body)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]>\n%s", body);
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_onnx_text_read (text, -1, "t.onnxtxt", &error);

  g_assert_no_error (error);
  return model;
}

typedef struct
{
  PhModel *model;
  PhHistory *history;
  PhDiff *diff;
} Changed;

static void
changed_clear (Changed *self)
{
  g_clear_pointer (&self->diff, ph_diff_free);
  ph_history_free (self->history);
  ph_model_free (self->model);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Changed, changed_clear)

/* Whether the picture of the whole history marks node @id as changed. */
static gboolean
is_marked (Changed *self, PhId id)
{
  PhRecord *record;
  PhLife *life;
  const PhFace *first, *last;
  gboolean marked;

  g_assert_true (ph_history_go (self->history, self->model, (PhPosition) { 0, 0 }, NULL));
  record = ph_record_new (self->model, self->history, PH_NO_ID, NULL);
  life = &g_array_index (record->lives, PhLife, ph_record_life_of (record, id));
  first = ph_faces_get (record->faces, ph_life_face (life, 0)->face);
  last = ph_faces_get (record->faces, ph_life_face (life, life->n_faces - 1)->face);
  marked = first->signature != last->signature || first->own_types != last->own_types;
  ph_record_free (record);
  g_assert_true (ph_history_go (self->history, self->model, (PhPosition) { self->history->steps->len, 0 }, NULL));
  return marked;
}

static void
assert_marks_agree (Changed *self)
{
  PH_FOREACH_NODE (node, self->model->graph)
    {
      const PhNodeChange *change = g_hash_table_lookup (self->diff->by_id, GUINT_TO_POINTER (node->id));

      if (change == NULL || change->change == PH_CHANGE_CHANGED)
        g_assert_cmpint (is_marked (self, node->id), ==, change != NULL && change->follows == PH_NO_ID);
    }
}

static void
make_diff (Changed *self)
{
  self->diff = ph_diff_new (self->history, self->model, (PhPosition) { 0, 0 }, (PhPosition) { self->history->steps->len, 0 });
  g_assert_cmpuint (g_array_index (self->history->steps, PhStep, 0).n_changed, ==, self->diff->n_changed);
  assert_marks_agree (self);
}

/* What would have to change for @before to be @after. */
static void
compare (Changed *self, const char *before, const char *after)
{
  g_autoptr (PhModel) target = parse (after);
  g_autoptr (GError) error = NULL;

  *self = (Changed) { parse (before), ph_history_new (), NULL };
  ph_history_begin_step (self->history, self->model, "compare");
  ph_history_begin_rewrite (self->history, "compare", PH_NO_ID, "");
  ph_model_become (self->model, target, NULL, &error);
  g_assert_no_error (error);
  ph_history_end_rewrite (self->history);
  ph_history_end_step (self->history, self->model, 0);
  make_diff (self);
}

static const PhNodeChange *
change_of (Changed *self, const char *output)
{
  return g_hash_table_lookup (self->diff->by_id,
                              GUINT_TO_POINTER (ph_model_find_value_named (self->model, output)->producer->id));
}

static const PhFieldChange *
only_field (const PhNodeChange *change)
{
  g_assert_nonnull (change);
  g_assert_cmpint (change->change, ==, PH_CHANGE_CHANGED);
  g_assert_cmpuint (change->fields->len, ==, 1);
  return &g_array_index (change->fields, PhFieldChange, 0);
}

/* A model with a weight of 3 x 1,000 whose element [1,703] is @odd, which no sample of 512 elements sees. */
static char *
with_weight (double odd)
{
  GString *text = g_string_new ("g (float[2,3] x) => (float[2,1000] y)\n<float[3,1000] shift = {");
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < 3000; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", g_ascii_dtostr (number, sizeof number, i == 1703 ? odd : i % 7));
  g_string_append (text, "}>\n{\n  y = MatMul (x, shift)\n}");
  return g_string_free (text, FALSE);
}

static void
test_weight (void)
{
  g_autofree char *before = with_weight (2), *after = with_weight (16), *old_text = NULL, *new_text = NULL;
  g_autoptr (PhModel) a = parse (before), b = parse (after);
  g_auto (Changed) self = { 0 };
  const PhFieldChange *field;

  compare (&self, before, after);
  field = only_field (change_of (&self, "y"));
  g_assert_cmpstr (field->before, ==, "shift[1,703] = 2");
  g_assert_cmpstr (field->after, ==, "16, 1 of 3,000 elements, largest change 14 at [1,703]");
  g_assert_cmpuint (field->tensor->changed, ==, 1);
  g_assert_cmpuint (field->tensor->largest, ==, 1703);
  g_assert_cmpfloat (field->tensor->most, ==, 14);
  /* What is printed of a long constant tells them apart, and equal ones not. */
  old_text = ph_onnx_text_print (a, 16);
  new_text = ph_onnx_text_print (b, 16);
  g_assert_cmpstr (old_text, !=, new_text);
  g_assert_cmpuint (ph_tensor_digest (ph_model_find_value_named (a, "shift")->tensor), !=,
                    ph_tensor_digest (ph_model_find_value_named (b, "shift")->tensor));
}

static void
test_other_shape (void)
{
  g_auto (Changed) self = { 0 };

  compare (&self, "g (float[2] x) => (float[2] y) <float[1] shift = {1}> { y = Add (x, shift) }",
           "g (float[2] x) => (float[2] y) <float[2] shift = {1, 1}> { y = Add (x, shift) }");
  g_assert_cmpstr (only_field (change_of (&self, "y"))->before, ==, "shift (float[1])");
  g_assert_cmpstr (only_field (change_of (&self, "y"))->after, ==, "shift (float[2])");
}

/* Another constant of the same elements is no change. */
static void
test_equal (void)
{
  g_auto (Changed) self = { parse ("g (float[2] x) => (float[2] y, float[2] z) <float[2] a = {1, 2}, float[2] b = {1, 2}> {\n"
                                   "y = Add (x, a)\n z = Mul (x, b)\n }"),
                            ph_history_new (), NULL };
  g_autoptr (GError) error = NULL;

  ph_pass_run (ph_pass_find ("dedupe-initializers"), self.model, self.history, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (self.history->rewrites->len, ==, 1);
  make_diff (&self);
  g_assert_cmpuint (self.diff->nodes->len, ==, 0);
}

/* A fused node changes with its body. */
static void
test_fused (void)
{
  g_auto (Changed) self = { parse ("g (float[1,2,4,4] x) => (float[1,2,4,4] y) <float[2,2,1,1] w = {1, 2, 3, 4}> {\n"
                                   "c = Conv (x, w)\n y = HardSigmoid <alpha = 0.2> (c)\n }"),
                            ph_history_new (), NULL };
  g_autoptr (PhHistory) first = ph_history_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PhAttr) alpha = ph_attr_new_float ("alpha", 0.21f);
  const PhFieldChange *field;
  PhNode *fused;

  ph_pass_run (ph_pass_find ("fuse-activation"), self.model, first, NULL, &error);
  g_assert_no_error (error);
  fused = self.model->graph->last;
  g_assert_true (ph_node_is_fused (fused));
  ph_history_begin_step (self.history, self.model, "by hand");
  ph_history_begin_rewrite (self.history, "by-hand", PH_NO_ID, "");
  ph_node_set_attr (ph_node_graph (fused, "body")->last, "alpha", alpha, &error);
  g_assert_no_error (error);
  ph_history_end_rewrite (self.history);
  ph_history_end_step (self.history, self.model, 0);
  make_diff (&self);
  g_assert_cmpuint (self.diff->n_changed, ==, 1);
  field = only_field (g_hash_table_lookup (self.diff->by_id, GUINT_TO_POINTER (fused->id)));
  g_assert_true (g_pattern_match_simple ("inside n* HardSigmoid*: attribute alpha", field->field));
  g_assert_cmpstr (field->before, ==, "0.2");
  g_assert_cmpstr (field->after, ==, "0.21");
}

static void
test_branch (void)
{
/* clang-format off */
#define WITH_ALPHA(alpha_) \
  "g (bool c, float[2] x) => (float[2] y) {\n" \
  "y = If (c) <then_branch = t () => (float[2] a) { a = LeakyRelu <alpha = " alpha_ "> (x) }, else_branch = e () => (float[2] b) { b = Neg (x) }>\n }"
  /* clang-format on */
  g_auto (Changed) self = { 0 };
  const PhFieldChange *field;

  compare (&self, WITH_ALPHA ("0.1"), WITH_ALPHA ("0.3"));
  g_assert_cmpuint (self.diff->n_changed, ==, 2);
  field = only_field (change_of (&self, "y"));
  g_assert_cmpstr (field->field, ==, "inside");
  g_assert_true (g_pattern_match_simple ("n* LeakyRelu", field->before));
  g_assert_cmpstr (field->after, ==, "changed");
}

/* Types that only follow stand under what changed. */
static void
test_following (void)
{
#define WITH_AXIS(axis_, shape_) \
  "g (float[2,3,4] x) => (float[" shape_ "] y) { f = Flatten <axis = " axis_ "> (x) a = Relu (f) y = Neg (a) }"
  g_auto (Changed) self = { 0 };
  const PhNodeChange *cause;

  compare (&self, WITH_AXIS ("1", "2,12"), WITH_AXIS ("2", "6,4"));
  g_assert_cmpuint (self.diff->n_changed, ==, 1);
  g_assert_cmpuint (self.diff->n_following, ==, 2);
  cause = change_of (&self, "f");
  g_assert_cmpuint (cause->follows, ==, PH_NO_ID);
  g_assert_cmpuint (cause->followers->len, ==, 2);
  g_assert_cmpuint (change_of (&self, "y")->follows, ==, cause->id);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diff/weight", test_weight);
  g_test_add_func ("/diff/other-shape", test_other_shape);
  g_test_add_func ("/diff/equal", test_equal);
  g_test_add_func ("/diff/fused", test_fused);
  g_test_add_func ("/diff/branch", test_branch);
  g_test_add_func ("/diff/following", test_following);
  return g_test_run ();
}
