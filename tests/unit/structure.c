/* structure.c: what is proved without computing anything, and what must not be.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/prove/structure.h"
#include "core/prove/version.h"

/* Both models whole: what is written alike has the same ids. */
static PhRegion *
region_of (PhModel *models[2], const char *const texts[2])
{
  for (guint side = 0; side < 2; side++)
    {
      g_autoptr(GError) error = NULL;

      models[side] = ph_onnx_text_read (texts[side], -1, "test", &error);
      g_assert_no_error (error);
    }
  return ph_region_whole (models[0], models[1]);
}

static gboolean
is_same (const char *before, const char *after)
{
  PhModel *models[2];
  g_autoptr(PhRegion) region = region_of (models, (const char *const[]) { before, after });
  g_autoptr(PhStructure) structure = ph_structure_new (region, models[0], models[1]);
  const gboolean same = structure != NULL && ph_structure_same (structure);

  g_clear_pointer (&structure, ph_structure_free);
  ph_model_free (models[0]);
  ph_model_free (models[1]);
  return same;
}

#define MODEL(opset_, constants_, nodes_) \
  "<ir_version: 8, opset_import: [\"\" : " opset_ "]>\ng (float[4,4] x, float[4,4] z) => (float[4,4] y) <" constants_ ">\n{\n" nodes_ "}\n"
#define NET(nodes_) MODEL ("23", "float c = {2}, float d = {3}", nodes_)

static void
test_same (void)
{
  g_assert_true (is_same (NET ("a = Add (x, z)\ny = Relu (a)\n"), NET ("b = Add (z, x)\ny = Relu (b)\n")));
  g_assert_true (is_same (NET ("a = Relu (x)\nb = Relu (x)\ny = Sub (a, b)\n"), NET ("a = Relu (x)\ny = Sub (a, a)\n")));
  g_assert_true (is_same (NET ("a = Relu (x)\nb = Identity (a)\ny = Neg (b)\n"), NET ("u = Exp (z)\na = Relu (x)\ny = Neg (a)\n")));
  g_assert_true (is_same (NET ("y = Mul (x, c)\n"), NET ("k = Constant <value = float {2}> ()\ny = Mul (x, k)\n")));
}

static void
test_not_same (void)
{
  g_assert_false (is_same (NET ("y = Sub (x, z)\n"), NET ("y = Sub (z, x)\n")));
  g_assert_false (is_same (NET ("y = Mul (x, c)\n"), NET ("y = Mul (x, d)\n")));
  g_assert_false (is_same (NET ("y = LeakyRelu <alpha = 0.1> (x)\n"), NET ("y = LeakyRelu <alpha = 0.2> (x)\n")));
  g_assert_false (is_same (NET ("y = Relu (x)\n"), NET ("y = Relu (z)\n")));
  g_assert_false (is_same (NET ("a = Max (x, z)\ny = Neg (a)\n"), NET ("a = Max (z, x)\ny = Neg (a)\n")));
  g_assert_false (is_same (NET ("a, b = Split <axis = 0, num_outputs = 2> (x)\ny = Concat <axis = 0> (a, b)\n"),
                           NET ("a, b = Split <axis = 0, num_outputs = 2> (x)\ny = Concat <axis = 0> (b, a)\n")));
  /* It draws: two of them are not one. */
  g_assert_false (is_same (NET ("a = RandomNormalLike (x)\ny = Add (a, x)\n"), NET ("a = RandomNormalLike (x)\ny = Add (a, x)\n")));
}

/* Bodies are what they compute, whatever their values are called. */
static void
test_bodies (void)
{
#define IF(then_, else_) NET ("p = ReduceMax <keepdims = 0> (x)\nq = Cast <to = 9> (p)\ny = If (q) <then_branch = t () => (float[4,4] r) { " then_ \
                              " }, else_branch = e () => (float[4,4] s) { " else_ " }>\n")
  g_assert_true (is_same (IF ("r = Neg (x)", "s = Abs (z)"), IF ("r = Neg (x)", "s = Abs (z)")));
  g_assert_false (is_same (IF ("r = Neg (x)", "s = Abs (z)"), IF ("r = Neg (x)", "s = Abs (x)")));
  g_assert_false (is_same (IF ("r = Neg (x)", "s = Abs (z)"), IF ("r = Abs (z)", "s = Neg (x)")));
#undef IF
}

static gboolean
is_reworded (const char *before, const char *after)
{
  PhModel *models[2];
  g_autoptr(PhRegion) region = region_of (models, (const char *const[]) { before, after });
  const gboolean reworded = ph_region_is_reworded (region, models[0], models[1]);

  ph_model_free (models[0]);
  ph_model_free (models[1]);
  return reworded;
}

static void
test_reworded (void)
{
#define CLIP(node_) MODEL ("10", "float lo = {0}, float hi = {6}", node_)
#define SUM(node_) MODEL ("11", "int64[1] a = {1}, int64[1] b = {0}", node_)
  g_assert_true (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (x, lo, hi)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 5.0> (x)\n"), CLIP ("y = Clip (x, lo, hi)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (x, hi, lo)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (x, lo)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (z, lo, hi)\n")));
  g_assert_true (is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 1> (x, a)\n")));
  g_assert_false (is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 1> (x, b)\n")));
  g_assert_false (is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 0> (x, a)\n")));
  g_assert_false (is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 1> (x)\n")));
  /* Softmax of all from the axis on is that of one axis where it is the last. */
  g_assert_true (is_reworded (SUM ("y = Softmax (x)\n"), SUM ("y = Softmax <axis = -1> (x)\n")));
  g_assert_false (is_reworded (SUM ("y = Softmax <axis = 0> (x)\n"), SUM ("y = Softmax <axis = -1> (x)\n")));
  g_assert_false (is_reworded (SUM ("y = Softmax <axis = 0> (x)\n"), SUM ("y = Softmax <axis = 1> (x)\n")));
#undef CLIP
#undef SUM
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/structure/same", test_same);
  g_test_add_func ("/structure/not-same", test_not_same);
  g_test_add_func ("/structure/bodies", test_bodies);
  g_test_add_func ("/structure/reworded", test_reworded);
  return g_test_run ();
}
