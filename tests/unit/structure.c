/* structure.c: what is proved without computing anything, and what must not be.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/region.h"
#include "core/io/io.h"
#include "core/ops/builder.h"
#include "core/ops/infer.h"
#include "core/prove/structure/shape-elements.h"
#include "core/prove/structure/structure.h"
#include "core/prove/version.h"

/* Both models whole: what is written alike has the same ids. */
static PhRegion *
region_of (PhModel *models[2], const char *const texts[2])
{
  for (guint side = 0; side < 2; side++)
    {
      g_autoptr (GError) error = NULL;

      models[side] = ph_onnx_text_read (texts[side], -1, "test", &error);
      g_assert_no_error (error);
    }
  return ph_region_whole (models[0], models[1]);
}

static gboolean
is_same_with (const char *before, const char *after, gboolean folds, gboolean shapes)
{
  PhModel *models[2];
  g_autoptr (PhRegion) region = region_of (models, (const char *const[]) { before, after });
  g_autoptr (PhStructure) structure = ph_structure_new (region, models[0], models[1], folds, shapes);
  const gboolean same = structure != NULL && ph_structure_same (structure);

  g_clear_pointer (&structure, ph_structure_free);
  ph_model_free (models[0]);
  ph_model_free (models[1]);
  return same;
}

static gboolean
is_same (const char *before, const char *after)
{
  return is_same_with (before, after, FALSE, FALSE);
}

/* clang-format off */
#define MODEL(opset_, constants_, nodes_) \
  "<ir_version: 8, opset_import: [\"\" : " opset_ "]>\ng (float[4,4] x, float[4,4] z) => (float[4,4] y) <" constants_ ">\n{\n" nodes_ "}\n"
#define NET(nodes_) MODEL ("23", "float c = {2}, float d = {3}", nodes_)
/* clang-format on */

static void
test_same (void)
{
  g_assert_true (is_same (NET ("a = Add (x, z)\ny = Relu (a)\n"), NET ("b = Add (z, x)\ny = Relu (b)\n")));
  g_assert_true (is_same (NET ("a = Relu (x)\nb = Relu (x)\ny = Sub (a, b)\n"), NET ("a = Relu (x)\ny = Sub (a, a)\n")));
  g_assert_true (
      is_same (NET ("a = Relu (x)\nb = Identity (a)\ny = Neg (b)\n"), NET ("u = Exp (z)\na = Relu (x)\ny = Neg (a)\n")));
  g_assert_true (is_same (NET ("y = Mul (x, c)\n"), NET ("k = Constant <value = float {2}> ()\ny = Mul (x, k)\n")));
}

/* clang-format off */
#define FOLDED(opset_, nodes_) \
  "<ir_version: 8, opset_import: [\"\" : " opset_ "]>\ng (float[500,1000,1000] x) => (float[500,1000,1000] y)\n" \
  "<int64[3] s = {500, 1000, 1000}, float c = {2}, float d = {3}, float e = {5}, float f = {5.0000005}>\n{\n" nodes_ "}\n"
/* clang-format on */

/* What depends on constants alone is what executing it gives, to the last bit; a splat of two gigabytes is one element. */
static void
test_folds (void)
{
  const char *sum = FOLDED ("23", "a = Add (c, d)\ny = Mul (x, a)\n");
  const char *splat = FOLDED ("23", "a = ConstantOfShape <value = float[1] {3}> (s)\ny = Mul (x, a)\n");

  g_assert_false (is_same (sum, FOLDED ("23", "y = Mul (x, e)\n")));
  g_assert_true (is_same_with (sum, FOLDED ("23", "y = Mul (x, e)\n"), TRUE, FALSE));
  g_assert_false (is_same_with (sum, FOLDED ("23", "y = Mul (x, f)\n"), TRUE, FALSE));
  g_assert_false (is_same_with (sum, FOLDED ("23", "y = Mul (x, c)\n"), TRUE, FALSE));
  g_assert_true (is_same_with (splat, FOLDED ("23", "a = Expand (d, s)\ny = Mul (x, a)\n"), TRUE, FALSE));
  g_assert_false (is_same_with (splat, FOLDED ("23", "a = Expand (c, s)\ny = Mul (x, a)\n"), TRUE, FALSE));
  /* A kernel reads the newest form alone. */
  g_assert_false (
      is_same_with (FOLDED ("12", "a = Add (c, d)\ny = Mul (x, a)\n"), FOLDED ("12", "y = Mul (x, e)\n"), TRUE, FALSE));
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
  g_assert_false (
      is_same (NET ("a = RandomNormalLike (x)\ny = Add (a, x)\n"), NET ("a = RandomNormalLike (x)\ny = Add (a, x)\n")));
}

/* Each differs in one thing that a value's number has to hold. */
static void
test_not_quite_same (void)
{
  /* Constants: the sign of zero, the element type and the rank, though what is added is the same number. */
  g_assert_false (
      is_same (MODEL ("23", "float k = {0}", "y = Add (x, k)\n"), MODEL ("23", "float k = {-0.0}", "y = Add (x, k)\n")));
  g_assert_false (
      is_same (MODEL ("23", "float k = {2}", "y = Mul (x, k)\n"), MODEL ("23", "float[1] k = {2}", "y = Mul (x, k)\n")));
  g_assert_false (
      is_same (MODEL ("23", "int64[1] k = {1}", "y = Tile (x, k)\n"), MODEL ("23", "int32[1] k = {1}", "y = Tile (x, k)\n")));
  g_assert_false (is_same (MODEL ("23", "int64[2] k = {1, 2}", "y = Reshape (x, k)\n"),
                           MODEL ("23", "int64[2] k = {2, 1}", "y = Reshape (x, k)\n")));
  /* Attributes of each kind; one that is not there; two whose values are changed over. */
  g_assert_false (is_same (NET ("y = Gelu <approximate = \"tanh\"> (x)\n"), NET ("y = Gelu <approximate = \"none\"> (x)\n")));
  g_assert_false (is_same (NET ("y = Gelu <approximate = \"tanh\"> (x)\n"), NET ("y = Gelu (x)\n")));
  g_assert_false (is_same (NET ("y = Transpose <perm = [1, 0]> (x)\n"), NET ("y = Transpose <perm = [0, 1]> (x)\n")));
  g_assert_false (
      is_same (NET ("y = HardSigmoid <alpha = 0.1, beta = 0.2> (x)\n"), NET ("y = HardSigmoid <alpha = 0.2, beta = 0.1> (x)\n")));
  g_assert_true (
      is_same (NET ("y = HardSigmoid <alpha = 0.1, beta = 0.2> (x)\n"), NET ("y = HardSigmoid <beta = 0.2, alpha = 0.1> (x)\n")));
  g_assert_false (is_same (NET ("s = Shape (x)\ny = ConstantOfShape <value = float[1] {1}> (s)\n"),
                           NET ("s = Shape (x)\ny = ConstantOfShape <value = float[1] {2}> (s)\n")));
  g_assert_false (is_same (NET ("k = Constant <value_ints = [0]> ()\ny = Unsqueeze (x, k)\n"),
                           NET ("k = Constant <value_ints = [1]> ()\ny = Unsqueeze (x, k)\n")));
  /* Inputs: their places, one that is left out, the third of a sum; outputs: which one. */
  g_assert_false (is_same (NET ("y = Clip (x, c)\n"), NET ("y = Clip (x, , c)\n")));
  g_assert_false (is_same (NET ("y = Clip (x, c, d)\n"), NET ("y = Clip (x, c)\n")));
  g_assert_true (is_same (NET ("y = Clip (x, c, )\n"), NET ("y = Clip (x, c)\n")));
  g_assert_false (is_same (NET ("y = Sum (x, z, c)\n"), NET ("y = Sum (x, c, z)\n")));
  g_assert_false (is_same (NET ("y = Pow (x, z)\n"), NET ("y = Pow (z, x)\n")));
  g_assert_false (is_same (NET ("y = MatMul (x, z)\n"), NET ("y = MatMul (z, x)\n")));
  g_assert_false (
      is_same (NET ("a, y = Split <axis = 0, num_outputs = 2> (x)\n"), NET ("y, b = Split <axis = 0, num_outputs = 2> (x)\n")));
  g_assert_false (
      is_same (NET ("a, b = Split <axis = 0> (x)\ny = Relu (a)\n"), NET ("a, b, e = Split <axis = 0> (x)\ny = Relu (a)\n")));
  /* The same words at another opset mean something else. */
  g_assert_false (is_same (MODEL ("12", "", "y = Softmax (x)\n"), MODEL ("13", "", "y = Softmax (x)\n")));
  /* What is not known may be anything, what draws is another number each time: also in training, in a body, and in part. */
  g_assert_false (is_same (NET ("y = Mystery (x)\n"), NET ("y = Mystery (x)\n")));
  g_assert_false (is_same (MODEL ("23", "float r = {0.5}, bool t = {1}", "y = Dropout (x, r, t)\n"),
                           MODEL ("23", "float r = {0.5}, bool t = {1}", "y = Dropout (x, r, t)\n")));
  g_assert_true (is_same (MODEL ("23", "float r = {0.5}, bool t = {0}", "y = Dropout (x, r, t)\n"),
                          MODEL ("23", "float r = {0.5}, bool t = {0}", "y = Dropout (x, r, t)\n")));
}

/* Bodies are what they compute, whatever their values are called. */
static void
test_bodies (void)
{
/* clang-format off */
#define IF(then_, else_) NET ("p = ReduceMax <keepdims = 0> (x)\nq = Cast <to = 9> (p)\ny = If (q) <then_branch = t () => (float[4,4] r) { " then_ \
                              " }, else_branch = e () => (float[4,4] s) { " else_ " }>\n")
  /* clang-format on */
  g_assert_true (is_same (IF ("r = Neg (x)", "s = Abs (z)"), IF ("r = Neg (x)", "s = Abs (z)")));
  g_assert_false (is_same (IF ("r = Neg (x)", "s = Abs (z)"), IF ("r = Neg (x)", "s = Abs (x)")));
  g_assert_false (is_same (IF ("r = Neg (x)", "s = Abs (z)"), IF ("r = Abs (z)", "s = Neg (x)")));
  g_assert_false (is_same (IF ("r = RandomNormalLike (x)", "s = Abs (z)"), IF ("r = RandomNormalLike (x)", "s = Abs (z)")));
#undef IF
}

/* A body's inputs are told by its depth and their place: what an inner body captures of an outer one is not what it is handed. */
static void
test_nested_bodies (void)
{
/* clang-format off */
#define LOOP(inner_, outer_) MODEL ("23", "int64 n = {2}, bool t = {1}", \
  "y, m = Loop (n, t, x, z) <body = o (int64 i, bool p, float[4,4] a, float[4,4] b) => (bool q, float[4,4] c, float[4,4] d) {\n" \
  "q = Identity (p)\nc, w = Loop (n, t, a, b) <body = k (int64 j, bool f, float[4,4] e, float[4,4] g) => (bool h, float[4,4] u, float[4,4] v) {\n" \
  "h = Identity (f)\n" inner_ "}>\n" outer_ "}>\n")
  /* clang-format on */
  g_assert_true (
      is_same (LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (b)\n"), LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (b)\n")));
  g_assert_false (
      is_same (LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (b)\n"), LOOP ("u = Sub (e, g)\nv = Neg (g)\n", "d = Neg (b)\n")));
  g_assert_false (
      is_same (LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (b)\n"), LOOP ("u = Sub (e, x)\nv = Neg (g)\n", "d = Neg (b)\n")));
  g_assert_false (
      is_same (LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (b)\n"), LOOP ("u = Sub (e, a)\nv = Neg (e)\n", "d = Neg (b)\n")));
  g_assert_false (
      is_same (LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (b)\n"), LOOP ("u = Sub (e, a)\nv = Neg (g)\n", "d = Neg (a)\n")));
#undef LOOP
}

static gboolean
is_reworded (const char *before, const char *after)
{
  PhModel *models[2];
  g_autoptr (PhRegion) region = region_of (models, (const char *const[]) { before, after });
  const gboolean reworded = ph_region_is_reworded (region, models[0], models[1]);

  ph_model_free (models[0]);
  ph_model_free (models[1]);
  return reworded;
}

static void
test_reworded (void)
{
#define CLIP(node_) MODEL ("10", "float lo = {0}, float hi = {6}", node_)
#define SUM(node_)  MODEL ("11", "int64[1] a = {1}, int64[1] b = {0}", node_)
  g_assert_true (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (x, lo, hi)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 5.0> (x)\n"), CLIP ("y = Clip (x, lo, hi)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (x, hi, lo)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (x, lo)\n")));
  g_assert_false (is_reworded (CLIP ("y = Clip <min = 0.0, max = 6.0> (x)\n"), CLIP ("y = Clip (z, lo, hi)\n")));
  g_assert_true (
      is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 1> (x, a)\n")));
  g_assert_false (
      is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 1> (x, b)\n")));
  g_assert_false (
      is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 0> (x, a)\n")));
  g_assert_false (
      is_reworded (SUM ("y = ReduceSum <axes = [1], keepdims = 1> (x)\n"), SUM ("y = ReduceSum <keepdims = 1> (x)\n")));
  /* Softmax of all from the axis on is that of one axis where it is the last. */
  g_assert_true (is_reworded (SUM ("y = Softmax (x)\n"), SUM ("y = Softmax <axis = -1> (x)\n")));
  g_assert_false (is_reworded (SUM ("y = Softmax <axis = 0> (x)\n"), SUM ("y = Softmax <axis = -1> (x)\n")));
  g_assert_false (is_reworded (SUM ("y = Softmax <axis = 0> (x)\n"), SUM ("y = Softmax <axis = 1> (x)\n")));
#undef CLIP
#undef SUM
}

/* Nearly the same, in what the table of changes does not say. */
static void
test_not_reworded (void)
{
#define PAD(node_) MODEL ("10", "int64[4] p = {0, 0, 1, 1}, float k = {0}, float m = {-0.0}", node_)
#define PADS       "pads = [0, 0, 1, 1]"
#define CLIP(type_, node_)                                                                                            \
  "<ir_version: 8, opset_import: [\"\" : 10]>\ng (" type_ "[4,4] x) => (" type_ "[4,4] y) <" type_ " k = {0}, " type_ \
  " m = {-0.0}>\n{\n" node_ "}\n"
  g_assert_true (is_reworded (PAD ("y = Pad <" PADS ", value = 0.0> (x)\n"), PAD ("y = Pad (x, p)\n")));
  g_assert_true (is_reworded (PAD ("y = Pad <" PADS ", value = -0.0> (x)\n"), PAD ("y = Pad (x, p, m)\n")));
  g_assert_false (is_reworded (PAD ("y = Pad <" PADS ", value = -0.0> (x)\n"), PAD ("y = Pad (x, p)\n")));
  g_assert_false (is_reworded (PAD ("y = Pad <" PADS ", value = -0.0> (x)\n"), PAD ("y = Pad (x, p, k)\n")));
  g_assert_false (is_reworded (PAD ("y = Pad <" PADS ", mode = \"edge\"> (x)\n"), PAD ("y = Pad <mode = \"reflect\"> (x, p)\n")));
  /* The largest float is no bound of floats, and is one of doubles. */
  g_assert_true (is_reworded (CLIP ("float", "y = Clip <min = 0.0, max = 3.4028234663852886e38> (x)\n"),
                              CLIP ("float", "y = Clip (x, k)\n")));
  g_assert_false (is_reworded (CLIP ("double", "y = Clip <min = 0.0, max = 3.4028234663852886e38> (x)\n"),
                               CLIP ("double", "y = Clip (x, k)\n")));
  g_assert_false (is_reworded (CLIP ("float", "y = Clip <min = -0.0> (x)\n"), CLIP ("float", "y = Clip (x, k)\n")));
  g_assert_true (is_reworded (CLIP ("float", "y = Clip <min = -0.0> (x)\n"), CLIP ("float", "y = Clip (x, m)\n")));
  /* The numbers of an input that is called the same. */
  g_assert_false (is_reworded (MODEL ("10", "float k = {0}, float l = {6}", "y = Clip <min = 1.0> (x, k)\n"),
                               MODEL ("10", "float k = {1}, float l = {6}", "y = Clip <min = 1.0> (x, k)\n")));
#undef PAD
#undef PADS
#undef CLIP
}

/* clang-format off */
#define SHAPED(nodes_) \
  "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[batch,length,48] x, float[batch,48] z, float[4,other] u, int64[2] free) " \
  "=> (float[a,b,6,8] y)\n<int64 zero = {0}, int64 one = {1}, int64 two = {2}, int64[1] axis = {0}, int64[2] head = {6, 8}, " \
  "int64[1] last = {2}, int64[1] width = {48}, int64[4] kept = {0, 0, 6, 8}, int64[4] turned = {0, 0, 8, 6}, " \
  "int64[4] left = {0, -1, 6, 8}, int64[2] flat = {0, 48}>\n{\n" nodes_ "}\n"
/* clang-format on */

#define DIM(name_, of_, at_) \
  "s" name_ " = Shape (" of_ ")\nd" name_ " = Gather (s" name_ ", " at_ ")\n" name_ " = Unsqueeze (d" name_ ", axis)\n"

static gboolean
is_shaped (const char *before, const char *after)
{
  return is_same_with (before, after, FALSE, TRUE);
}

/* A shape that is computed is told by its elements: numbers, and dimensions that have a name. */
static void
test_shapes (void)
{
  const char *full = SHAPED (DIM ("i", "x", "zero")
                                 DIM ("j", "x", "one") "t = Concat <axis = 0> (i, j, head)\ny = Reshape (x, t)\n");
  const char *kept = SHAPED ("y = Reshape (x, kept)\n");

  g_assert_false (is_same (full, kept));
  g_assert_true (is_shaped (full, kept));
  g_assert_true (is_shaped (
      full, SHAPED (DIM ("i", "z", "zero") DIM ("j", "x", "one") "t = Concat <axis = 0> (i, j, head)\ny = Reshape (x, t)\n")));
  g_assert_true (
      is_shaped (full, SHAPED ("s = Shape <start = 0, end = 2> (x)\nt = Concat <axis = 0> (s, head)\ny = Reshape (x, t)\n")));
  g_assert_true (is_shaped (full, SHAPED ("s = Shape <end = -1> (x)\nt = Concat <axis = -1> (s, head)\ny = Reshape (x, t)\n")));
  /* Other dimensions, another order, numbers in another place, and what only a run can tell. */
  g_assert_false (is_shaped (full, SHAPED ("y = Reshape (x, turned)\n")));
  g_assert_false (is_shaped (full, SHAPED ("y = Reshape (x, left)\n")));
  g_assert_false (is_shaped (full, SHAPED ("y = Reshape <allowzero = 1> (x, kept)\n")));
  g_assert_false (is_shaped (
      full, SHAPED (DIM ("i", "x", "zero") DIM ("j", "x", "one") "t = Concat <axis = 0> (j, i, head)\ny = Reshape (x, t)\n")));
  g_assert_false (is_shaped (
      full, SHAPED (DIM ("i", "x", "zero") DIM ("j", "u", "one") "t = Concat <axis = 0> (i, j, head)\ny = Reshape (x, t)\n")));
  g_assert_false (is_shaped (full, SHAPED ("t = Concat <axis = 0> (free, head)\ny = Reshape (x, t)\n")));
  g_assert_false (is_shaped (SHAPED ("a = Relu (x)\ny = Reshape (a, kept)\n"), kept));
  /* 0 copies a dimension of what is reshaped. */
  g_assert_true (is_shaped (SHAPED (DIM ("i", "x", "zero") "t = Concat <axis = 0> (i, width)\ny = Reshape (z, t)\n"),
                            SHAPED ("y = Reshape (z, flat)\n")));
  g_assert_false (is_shaped (SHAPED (DIM ("i", "x", "one") "t = Concat <axis = 0> (i, width)\ny = Reshape (z, t)\n"),
                             SHAPED ("y = Reshape (z, flat)\n")));
  /* A known dimension is a number: of the rank that it is read with. */
  g_assert_true (is_shaped (SHAPED (DIM ("i", "x", "two") "y = Expand (z, i)\n"), SHAPED ("y = Expand (z, width)\n")));
  g_assert_true (
      is_shaped (SHAPED ("s = Shape (x)\ni = Gather (s, last)\ny = Expand (z, i)\n"), SHAPED ("y = Expand (z, width)\n")));
  g_assert_false (is_shaped (SHAPED (DIM ("i", "x", "two") "y = Mul (di, two)\n"), SHAPED ("y = Mul (width, two)\n")));
  g_assert_false (is_shaped (SHAPED (DIM ("i", "x", "one") "y = Expand (z, i)\n"), SHAPED ("y = Expand (z, width)\n")));
}
#undef SHAPED
#undef DIM

static gboolean
follow (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "test", &error);

  g_assert_no_error (error);
  return ph_shapes_follow (model);
}

/* What a file declares of sizes that only a run can tell proves nothing. */
static void
test_declared (void)
{
  g_assert_true (follow ("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N,4] x) => (int64[2] z) <float[N,4] y> "
                         "{ y = Relu (x) z = Shape (y) }"));
  g_assert_false (follow ("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[4] x, bool[4] c) => (int64[1] z) <float[4] y> "
                          "{ y = Compress <axis = 0> (x, c) z = Shape (y) }"));
  g_assert_false (follow ("<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[4] x, bool[4] c) => (int64[1] z) <float[M] y> "
                          "{ y = Compress <axis = 0> (x, c) z = Shape (y) }"));
}

/* A value of floats that was one of float16 is no border: what reads it is in the part that makes it, also where the reader stayed as it was. */
static void
test_border_elements (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 10, opset_import: [\"\" : 21]>\ng (float16[4] x) => (float16[4] y) "
      "<float16 k = {3}> { t = Tanh (x) n = Neg (t) y = Div (n, k) }",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhModel) before = NULL;
  g_autoptr (GPtrArray) regions = NULL;
  static const char *const read[] = { "x", "k" }, *const readers[] = { "t", "y" };

  g_assert_no_error (error);
  before = ph_model_clone (model);
  ph_history_begin_step (history, model, "by hand");
  ph_history_begin_rewrite (history, "by hand", PH_NO_ID, NULL);
  for (guint i = 0; i < 2; i++)
    {
      PhNode *reader = ph_model_find_value_named (model, readers[i])->producer;
      PhBuilder b = { .graph = model->graph, .before = reader };
      PhValue *wide = PH_BUILD_WITH (&b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT)),
                                     ph_model_find_value_named (model, read[i]));
      g_assert_no_error (b.error);
      ph_node_set_input (reader, i, wide, &error);
      g_assert_no_error (error);
    }
  ph_infer_model (model, FALSE, NULL, NULL);
  ph_history_end_rewrite (history);
  ph_history_end_step (history, model, 0);
  regions = ph_regions_find (before, model, history, 0, ph_history_edit_index (history, (PhPosition) { .step = 1 }));
  g_assert_cmpuint (regions->len, ==, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/structure/same", test_same);
  g_test_add_func ("/structure/folds", test_folds);
  g_test_add_func ("/structure/shapes", test_shapes);
  g_test_add_func ("/structure/not-same", test_not_same);
  g_test_add_func ("/structure/not-quite-same", test_not_quite_same);
  g_test_add_func ("/structure/bodies", test_bodies);
  g_test_add_func ("/structure/nested-bodies", test_nested_bodies);
  g_test_add_func ("/structure/reworded", test_reworded);
  g_test_add_func ("/structure/not-reworded", test_not_reworded);
  g_test_add_func ("/structure/declared", test_declared);
  g_test_add_func ("/structure/border-elements", test_border_elements);
  return g_test_run ();
}
