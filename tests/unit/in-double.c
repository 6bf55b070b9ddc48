/* in-double.c: a run in float64 of a model that declares narrower floats, operator by operator, and what its casts round.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/run/executor.h"
#include "tests/unit/ops-cases.h"

static const Case more_cases[] = {
#include "tests/unit/ops-sweep-cases.inc"
#include "tests/unit/ops-sweep-moves.inc"
};

static char *
replaced (const char *text, const char *from, const char *to)
{
  g_auto (GStrv) parts = g_strsplit (text, from, -1);

  return g_strjoinv (to, parts);
}

/* "x[2,3] s" with floats (or doubles) as a model. */
static PhModel *
model_of (const Case *row, const char *type)
{
  g_autoptr (GString) text = g_string_new ("<ir_version: 10, opset_import: [\"\" : 26, \"com.microsoft\" : 1]> row (");
  g_auto (GStrv) inputs = g_strsplit (row->inputs, " ", -1);
  g_autofree char *body = g_str_equal (type, "double") ? g_strdup (row->body) : replaced (row->body, "double", type);
  g_autofree char *casts = g_str_equal (type, "double") ? g_strdup (body) : replaced (body, "to = 11", "to = 1");
  g_autoptr (GError) error = NULL;
  PhModel *model;

  for (guint i = 0; inputs[i] != NULL; i++)
    {
      const char *bracket = strchr (inputs[i], '[');
      g_autofree char *name = bracket != NULL ? g_strndup (inputs[i], bracket - inputs[i]) : g_strdup (inputs[i]);

      if (*name != '\0')
        g_string_append_printf (text, "%s%s%s %s", i > 0 ? ", " : "", type, bracket != NULL ? bracket : "", name);
    }
  g_string_append_printf (text, ") => (%s[] y) { %s }", type, casts);
  model = ph_onnx_text_read (text->str, -1, row->body, &error);
  g_assert_no_error (error);
  ph_infer_model (model, FALSE, NULL, NULL);
  return model;
}

/* Numbers that float32 has, as @dtype. */
static GHashTable *
draw (PhModel *model, const Case *row, PhDType dtype)
{
  GHashTable *feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GRand) random = g_rand_new_with_seed (20);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *value = model->graph->inputs->pdata[i];
      gint64 dims[PH_MAX_RANK];
      PhTensor *tensor;

      for (guint k = 0; k < value->type->rank; k++)
        dims[k] = value->type->dims[k].size;
      tensor = ph_tensor_new (dtype, value->type->rank, dims);
      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        ph_dtype_store (dtype, ph_tensor_writable (tensor), k, (float) g_rand_double_range (random, row->low, row->high));
      g_hash_table_insert (feeds, value, tensor);
    }
  return feeds;
}

/* (transfer full) (nullable) the first output */
static PhTensor *
result_of (PhModel *model, GHashTable *feeds, gboolean in_double, guint *narrow, GError **error)
{
  const PhRunOptions options = { .seed = 1, .in_double = in_double, .narrow = narrow };
  g_autoptr (GHashTable) results = ph_run_model (model, feeds, NULL, &options, error);
  const PhValue *y = model->graph->outputs->pdata[0];

  return results != NULL ? ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (y->id))) : NULL;
}

/* What a model in float32 can say: the constants of @model lose what it cannot. */
static void
round_constants (PhModel *model)
{
  PH_FOREACH_NODE (node, model->graph)
    {
      const PhAttr *attr = ph_node_attr (node, "value");
      g_autoptr (PhTensor) rounded = NULL, widened = NULL;
      g_autoptr (PhAttr) other = NULL;

      if (attr == NULL || attr->tensor == NULL || ph_tensor_dtype (attr->tensor) != PH_DOUBLE)
        continue;
      rounded = ph_tensor_cast (attr->tensor, PH_FLOAT);
      widened = ph_tensor_cast (rounded, PH_DOUBLE);
      other = ph_attr_new_tensor ("value", widened);
      g_assert_true (ph_node_set_attr (node, "value", other, NULL));
    }
}

static void
test_row (gconstpointer data)
{
  const Case *row = data;
  g_autoptr (PhModel) narrow = model_of (row, "float"), wide = model_of (row, "double");
  g_autoptr (GHashTable) floats = draw (narrow, row, PH_FLOAT), doubles = draw (wide, row, PH_DOUBLE);
  g_autoptr (PhTensor) single = NULL, in_double = NULL, declared = NULL;
  g_autoptr (GError) error = NULL;
  const PhOp *op = ph_op_find (strstr (row->body, "com.microsoft.") != NULL ? "com.microsoft" : NULL, row->op);
  const gboolean spelt_out = op->kernel == NULL; /* with constants of the declared type */
  double largest = 0, rounding;
  guint n_narrow = 0;

  round_constants (wide);
  single = result_of (narrow, floats, FALSE, NULL, &error);
  g_assert_no_error (error);
  in_double = result_of (narrow, floats, TRUE, &n_narrow, &error);
  g_assert_no_error (error);
  declared = result_of (wide, doubles, FALSE, NULL, &error);
  g_assert_no_error (error);

  g_assert_cmpuint (n_narrow, ==, 0);
  g_assert_cmpint (ph_tensor_dtype (in_double), ==, PH_DOUBLE);
  g_assert_cmpuint (ph_tensor_count (in_double), ==, ph_tensor_count (single));
  for (gsize i = 0; i < ph_tensor_count (single); i++)
    largest = MAX (largest, fabs (ph_tensor_get (in_double, i)));
  rounding = 1e-5 * MAX (largest, 1);
  for (gsize i = 0; i < ph_tensor_count (single); i++)
    {
      if (!(fabs (ph_tensor_get (single, i) - ph_tensor_get (in_double, i)) <= rounding))
        g_error ("%s: y[%" G_GSIZE_FORMAT "] is %.10g in float32, %.17g in double", row->body, i, ph_tensor_get (single, i),
                 ph_tensor_get (in_double, i));
      if (spelt_out ? fabs (ph_tensor_get (declared, i) - ph_tensor_get (in_double, i)) > rounding / 100
                    : ph_tensor_get (declared, i) != ph_tensor_get (in_double, i))
        g_error ("%s: y[%" G_GSIZE_FORMAT "] is %.17g declared in double, %.17g computed so", row->body, i,
                 ph_tensor_get (declared, i), ph_tensor_get (in_double, i));
    }
}

/* What a small model makes of one number (or a tensor of text), in double. */
static double
number_of (const char *model_text, double x, PhDType dtype, guint *narrow)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23, \"local\" : 1]>\n%s", model_text);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "cast", &error);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (PhTensor) y = NULL;

  g_assert_no_error (error);
  ph_infer_model (model, FALSE, NULL, NULL);
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ph_tensor_new_scalar (dtype, x));
  y = result_of (model, feeds, TRUE, narrow, &error);
  g_assert_no_error (error);
  g_assert_true (!ph_dtype_is_float (ph_tensor_dtype (y)) || ph_tensor_dtype (y) == PH_DOUBLE);
  return ph_tensor_get (y, 0);
}

/* Casts round where the model says that precision is lost, and only there. */
static void
test_casts (void)
{
  const double third = 1.0 / 3;
  guint narrow = 0;

  g_assert_cmpfloat (number_of ("g (float x) => (float y) { y = Neg(x) }", third, PH_DOUBLE, NULL), ==, -third);
  g_assert_cmpfloat (number_of ("g (float x) => (float y) { y = Neg(x) }", third, PH_FLOAT, NULL), ==, -(double) (float) third);
  g_assert_cmpfloat (number_of ("g (float16 x) => (float y) { y = Cast<to = 1>(x) }", third, PH_DOUBLE, NULL), ==, third);
  g_assert_cmpfloat (number_of ("g (float x) => (double y) { y = Cast<to = 11>(x) }", third, PH_DOUBLE, NULL), ==, third);
  g_assert_cmpfloat (number_of ("g (float x) => (float y) { y = Cast<to = 1>(x) }", third, PH_DOUBLE, NULL), ==, third);
  g_assert_cmpfloat (number_of ("g (double x) => (float y) { y = Cast<to = 1>(x) }", third, PH_DOUBLE, NULL), ==, (float) third);
  g_assert_cmpfloat (
      number_of ("g (double x) => (double y) { z = Cast<to = 1>(x) y = Cast<to = 11>(z) }", third, PH_DOUBLE, NULL), ==,
      (float) third);
  g_assert_cmpfloat (number_of ("g (float x) => (float16 y) { y = Cast<to = 10>(x) }", third, PH_DOUBLE, NULL), ==,
                     ph_half_to_float (ph_half_from_float ((float) third)));
  g_assert_cmpfloat (number_of ("g (float x) => (float y) { z = Cast<to = 16>(x) y = Cast<to = 1>(z) }", third, PH_DOUBLE, NULL),
                     ==, ph_bfloat_to_float (ph_bfloat_from_float ((float) third)));
  g_assert_cmpfloat (number_of ("g (float16 x) => (bfloat16 y) { y = Cast<to = 16>(x) }", third, PH_DOUBLE, NULL), ==,
                     ph_bfloat_to_float (ph_bfloat_from_float ((float) third)));
  g_assert_cmpfloat (number_of ("g (float x) => (float y) { z = Cast<to = 17>(x) y = Cast<to = 1>(z) }", third, PH_DOUBLE, NULL),
                     ==, 0.34375);
  g_assert_cmpfloat (number_of ("g (int64 x) => (float y) { y = Cast<to = 1>(x) }", 16777217, PH_INT64, NULL), ==, 16777216);
  g_assert_cmpfloat (number_of ("g (int64 x) => (double y) { y = Cast<to = 11>(x) }", 16777217, PH_INT64, NULL), ==, 16777217);
  g_assert_cmpfloat (number_of ("g (float x) => (int32 y) { y = Cast<to = 6>(x) }", 2.75, PH_DOUBLE, NULL), ==, 2);
  g_assert_cmpfloat (number_of ("g (float x) => (float16 y) <float16 l = {1}> { y = CastLike(x, l) }", third, PH_DOUBLE, NULL),
                     ==, ph_half_to_float (ph_half_from_float ((float) third)));
  g_assert_cmpfloat (number_of ("g (float x) => (float y) <float l = {1}> { y = CastLike(x, l) }", third, PH_DOUBLE, NULL), ==,
                     third);

  /* The digits of a number are those of its declared type; so are its bits. */
  g_assert_cmpfloat (
      number_of ("g (float x) => (double y) { z = Cast<to = 8>(x) y = Cast<to = 11>(z) }", 0.1f, PH_DOUBLE, &narrow), ==, 0.1);
  g_assert_cmpuint (narrow, ==, 1);
}

/* The types of a function's values follow from its call, and so does what its casts lose. */
static void
test_insides (void)
{
  const double third = 1.0 / 3, half = ph_half_to_float (ph_half_from_float ((float) third));

  g_assert_cmpfloat (number_of ("g (float x) => (float16 y) <float16 l = {1}> { y = local.f(x, l) }\n"
                                "<domain: \"local\", opset_import: [\"\" : 23]> f (a, b) => (c) { c = CastLike(a, b) }",
                                third, PH_DOUBLE, NULL),
                     ==, half);
  g_assert_cmpfloat (number_of ("g (float x) => (float y) <float l = {1}> { y = local.f(x, l) }\n"
                                "<domain: \"local\", opset_import: [\"\" : 23]> f (a, b) => (c) { c = CastLike(a, b) }",
                                third, PH_DOUBLE, NULL),
                     ==, third);
  g_assert_cmpfloat (number_of ("g (float x) => (float y) <bool c = {1}> { y = If(c)<then_branch = t () => (float u) { "
                                "v = Cast<to = 10>(x) u = Cast<to = 1>(v) }, else_branch = e () => (float u) { u = Neg(x) }> }",
                                third, PH_DOUBLE, NULL),
                     ==, half);
  g_assert_cmpfloat (number_of ("g (float x) => (float y) <float w = {0.1}, int64 i = {0}> { s = SequenceConstruct(x, w) "
                                "z = SequenceAt(s, i) y = Add(z, w) }",
                                third, PH_DOUBLE, NULL),
                     ==, third + (double) 0.1f);
  g_assert_cmpfloat (number_of ("g (float x) => (uint8 y) <float s = {0.1}, uint8 z = {3}> { y = QuantizeLinear(x, s, z) }",
                                third, PH_DOUBLE, NULL),
                     ==, 6);
  g_assert_cmpfloat (number_of ("g (uint8 x) => (float y) <float s = {0.1}, uint8 z = {3}> { y = DequantizeLinear(x, s, z) }", 6,
                                PH_UINT8, NULL),
                     ==, 3 * (double) 0.1f);
  g_assert_cmpfloat (number_of ("g (float x) => (float y) { q, y, z = DynamicQuantizeLinear(x) }", third, PH_DOUBLE, NULL), ==,
                     third / 255);
  g_assert_cmpfloat (
      number_of ("g (float x) => (float y) { h = Constant<value = float16 {0.1}>() k = Cast<to = 1>(h) y = Add(x, k) }", third,
                 PH_DOUBLE, NULL),
      ==, third + ph_half_to_float (ph_half_from_float (0.1f)));
}

/* Large weights are widened where they are read, not before: what comes out are the same doubles, bit for bit, as if they had been. */
static void
test_weights (void)
{
  static const char text[]
      = "<ir_version: 10, opset_import: [\"\" : 23, \"local\" : 1]> g (float[3,64] x, float[64,80] w, float[80,64] v) => "
        "(float[3,80] a, float[3,80] b, float[64,80] t, float[3,80] c, float[3,80] d, float[2,80] e, float[3,80] f, float[3,80] h, "
        "float[64,80] k) <bool yes = {1}, int64[2] s = {64, 80}, int64[2] i = {5, 63}> {\n"
        "a = MatMul(x, w) b = Gemm<transB = 1>(x, v) t = Transpose<perm = [1, 0]>(v) c = MatMul(x, t) r = Reshape(v, s) "
        "d = MatMul(x, r) e = Gather(w, i) k = Add(w, r) h = local.product(x, w)\n"
        "f = If(yes)<then_branch = th () => (float[3,80] p) { p = MatMul(x, w) }, else_branch = el () => (float[3,80] q) { q = "
        "Gemm(x, w) }> }\n"
        "<domain: \"local\", opset_import: [\"\" : 23]> product (l, m) => (n) { n = MatMul(l, m) }";
  const PhRunOptions options = { .in_double = TRUE };
  const Case numbers = { .low = -1, .high = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "weights", &error);
  g_autoptr (GHashTable) feeds = NULL, fed = NULL, kept = NULL;

  g_assert_no_error (error);
  feeds = draw (model, &numbers, PH_FLOAT);
  fed = ph_run_model (model, feeds, NULL, &options, &error);
  g_assert_no_error (error);
  for (guint i = 1; i < 3; i++)
    {
      PhValue *value = model->graph->inputs->pdata[i];

      value->tensor = ph_tensor_ref (g_hash_table_lookup (feeds, value));
      g_hash_table_remove (feeds, value);
    }
  kept = ph_run_model (model, feeds, NULL, &options, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      const PhValue *output = model->graph->outputs->pdata[i];
      PhTensor *was = g_hash_table_lookup (fed, GUINT_TO_POINTER (output->id)),
               *is = g_hash_table_lookup (kept, GUINT_TO_POINTER (output->id));

      g_assert_cmpint (ph_tensor_dtype (is), ==, PH_DOUBLE);
      if (!ph_tensor_equal (was, is))
        g_error ("%s differs", output->name);
    }
}

/* Keys of an operator are floats where what is looked up is a double. */
static void
test_labels (void)
{
  static const float given[] = { 0.1f, 1, 0.5f }, wanted[] = { 2.5f, 3.5f, 4 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 10, opset_import: [\"\" : 23, \"ai.onnx.ml\" : 4]> g (float[3] x) => (float[3] y) { y = ai.onnx.ml.LabelEncoder "
      "<keys_floats = [0.1, 1.0], values_floats = [2.5, 3.5], default_float = 4.0> (x) }",
      -1, "labels", &error);
  g_autoptr (PhTensor) x = ph_tensor_new_floats (given, 3), y = NULL;
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL);

  g_assert_no_error (error);
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], x);
  y = result_of (model, feeds, TRUE, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < 3; i++)
    g_assert_cmpfloat (ph_tensor_get (y, i), ==, wanted[i]);
}

int
main (int argc, char *argv[])
{
  GArray *cases;
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/in-double/casts", test_casts);
  g_test_add_func ("/in-double/insides", test_insides);
  g_test_add_func ("/in-double/labels", test_labels);
  g_test_add_func ("/in-double/weights", test_weights);
  cases = collect_cases (more_cases, G_N_ELEMENTS (more_cases));
  for (guint i = 0; i < cases->len; i++)
    {
      const Case *row = &g_array_index (cases, Case, i);
      g_autofree char *path = g_strdup_printf ("/in-double/%s/%u", row->op, i);

      if (!row->single)
        g_test_add_data_func (path, row, test_row);
    }
  status = g_test_run ();
  g_array_unref (cases);
  return status;
}
