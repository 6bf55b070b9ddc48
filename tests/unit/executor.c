/* executor.c: tests of the executor on small graphs made here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/io.h"
#include "core/ops/builder.h"
#include "core/run/profile.h"
#include "core/run/program.h"
#include "core/tensor/compare.h"

#include <math.h>
#include <string.h>

typedef struct
{
  PhModel *model;
  PhGraph *graph;
  PhBuilder b;
} Net;

static void
net_init (Net *net)
{
  net->model = ph_model_new ();
  ph_model_set_opset (net->model, "", PH_OPSET_NEWEST);
  net->graph = net->model->graph;
  net->b = (PhBuilder) { .graph = net->graph };
}

static PhValue *
net_input (Net *net, const char *name, const char *dim)
{
  PhDim dims[] = { ph_dim_symbol (dim) };
  g_autoptr (GError) error = NULL;
  PhValue *value = ph_graph_add_input (net->graph, name, ph_type_tensor (PH_FLOAT, 1, dims), NULL, G_MAXUINT, &error);

  g_assert_no_error (error);
  return value;
}

static void
net_output (Net *net, PhValue *value)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ph_builder_finish (&net->b, &error));
  g_assert_no_error (error);
  ph_graph_set_output (net->graph, net->graph->outputs->len, value, &error);
  g_assert_no_error (error);
}

static void
feed (GHashTable *feeds, PhValue *value, float a, float b)
{
  g_hash_table_insert (feeds, value, ph_tensor_new_floats ((float[]) { a, b }, 2));
}

static GHashTable *
feeds_new (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
}

static float
result (GHashTable *results, PhValue *value, gsize index)
{
  PhTensor *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));

  g_assert_nonnull (tensor);
  return (float) ph_tensor_get (tensor, index);
}

static void
test_run (void)
{
  g_autoptr (GHashTable) feeds = feeds_new (), results = NULL, all = NULL;
  g_autoptr (GError) error = NULL;
  PhValue *x, *y, *sum, *product, *unused;
  Net net;

  net_init (&net);
  x = net_input (&net, "x", "n");
  y = net_input (&net, "y", "n");
  sum = PH_BUILD (&net.b, Add, x, y);
  product = PH_BUILD (&net.b, Mul, sum, sum);
  unused = PH_BUILD (&net.b, Exp, sum);
  net_output (&net, product);

  feed (feeds, x, 1, 2);
  feed (feeds, y, 3, 4);
  results = ph_run_model (net.model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (result (results, product, 0), ==, 16);
  g_assert_cmpfloat (result (results, product, 1), ==, 36);
  g_assert_cmpint (g_hash_table_size (results), ==, 1);

  all = ph_run_model (net.model, feeds, NULL, &(PhRunOptions) { .keep_all = TRUE }, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (result (all, sum, 1), ==, 6);
  g_assert_false (g_hash_table_contains (all, GUINT_TO_POINTER (unused->id)));
  ph_model_free (net.model);
}

static void
test_errors (void)
{
  g_autoptr (GHashTable) feeds = feeds_new (), results = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  GError *error = NULL;
  PhValue *x, *y, *exp, *strange;
  PhNode *node;
  Net net;

  net_init (&net);
  x = net_input (&net, "x", "n");
  y = net_input (&net, "y", "3");
  exp = PH_BUILD (&net.b, Exp, x);
  net_output (&net, exp);
  net_output (&net, PH_BUILD (&net.b, Neg, y));
  node = ph_graph_add_node (
      net.graph, &(PhNodeSpec) { .op_type = "Strange", .domain = "far", .inputs = &x, .n_inputs = 1, .n_outputs = 1 }, &error);
  g_assert_no_error (error);
  strange = ph_node_output (node, 0);

  g_assert_null (ph_run_model (net.model, feeds, NULL, NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_NOT_FOUND);
  g_assert_cmpstr (error->message, ==, "input 'x' (float[n]) has no value: feed one");
  g_clear_error (&error);

  feed (feeds, y, 1, 2);
  g_assert_null (ph_run_model (net.model, feeds, NULL, NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_TYPE);
  g_clear_error (&error);

  /* What is not wanted needs no feeds and no kernels. */
  g_hash_table_remove_all (feeds);
  feed (feeds, x, 0, 1);
  g_ptr_array_add (wanted, exp);
  results = ph_run_model (net.model, feeds, wanted, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (result (results, exp, 0), ==, 1);

  g_ptr_array_add (wanted, strange);
  g_assert_null (ph_run_model (net.model, feeds, wanted, NULL, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED);
  g_clear_error (&error);

  g_cancellable_cancel (cancellable);
  g_ptr_array_set_size (wanted, 1);
  g_assert_null (ph_run_model (net.model, feeds, wanted, &(PhRunOptions) { .cancellable = cancellable }, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_CANCELLED);
  g_clear_error (&error);
  ph_model_free (net.model);
}

/* A fused node runs its body. */
static void
test_fused (void)
{
  g_autoptr (GHashTable) feeds = feeds_new (), results = NULL;
  g_autoptr (GError) error = NULL;
  PhValue *x, *inner;
  PhNode *node;
  PhGraph *body;
  PhBuilder b;
  Net net;

  net_init (&net);
  x = net_input (&net, "x", "n");
  node = ph_graph_add_node (
      net.graph,
      &(PhNodeSpec) {
          .op_type = "MulAdd", .domain = "peephole", .inputs = (PhValue *[]) { x, x }, .n_inputs = 2, .n_outputs = 1 },
      &error);
  g_assert_no_error (error);
  body = ph_node_add_graph (node, "body", "MulAdd", &error);
  g_assert_no_error (error);
  b = (PhBuilder) { .graph = body };
  for (guint i = 0; i < 2; i++)
    ph_graph_add_input (body, i == 0 ? "a" : "b", x->type, NULL, G_MAXUINT, &error);
  g_assert_no_error (error);
  inner = PH_BUILD (&b, Add, body->inputs->pdata[0], body->inputs->pdata[1]);
  inner = PH_BUILD (&b, Mul, inner, inner);
  g_assert_true (ph_builder_finish (&b, &error));
  ph_graph_set_output (body, 0, inner, &error);
  g_assert_no_error (error);
  net_output (&net, ph_node_output (node, 0));

  feed (feeds, x, 1, 2);
  results = ph_run_model (net.model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (result (results, ph_node_output (node, 0), 1), ==, 16);
  ph_model_free (net.model);
}

/* Nothing is said of the input's type, so that only running it can tell. */
static void
test_wrong_kind (void)
{
  g_autoptr (PhTensor) two = ph_tensor_new_floats ((float[]) { 2, 3 }, 2), words = ph_tensor_new (PH_STRING, 1, (gint64[]) { 2 });
  g_autoptr (PhTensor) sequence = ph_tensor_new_sequence (PH_KIND_SEQUENCE, &two, 1);
  PhTensor *wrong[] = { sequence, words };
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL);
  GError *error = NULL;
  PhNode *node;
  PhValue *x;
  Net net;

  net_init (&net);
  x = ph_graph_add_input (net.graph, "x", NULL, NULL, G_MAXUINT, &error);
  g_assert_no_error (error);
  node = ph_graph_add_node (
      net.graph, &(PhNodeSpec) { .op = &ph_op_Add, .inputs = (PhValue *[]) { x, x }, .n_inputs = 2, .n_outputs = 1 }, &error);
  g_assert_no_error (error);
  net_output (&net, ph_node_output (node, 0));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_hash_table_insert (feeds, x, wrong[i]);
      g_assert_null (ph_run_model (net.model, feeds, NULL, NULL, &error));
      g_assert_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED);
      g_clear_error (&error);
    }
  ph_model_free (net.model);
}

static void
count_progress (guint done, guint total, gpointer data)
{
  g_assert_cmpint (done, <=, total);
  *(guint *) data = total;
}

static void
test_single_node (void)
{
  g_autoptr (PhTensor) two = ph_tensor_new_floats ((float[]) { 2, 3 }, 2);
  g_autoptr (GHashTable) feeds = feeds_new (), results = NULL;
  g_autoptr (GError) error = NULL;
  PhTensor *inputs[2] = { two, two }, *output = NULL;
  PhValue *x, *product;
  guint total = 0;
  Net net;

  net_init (&net);
  x = net_input (&net, "x", "n");
  product = PH_BUILD (&net.b, Mul, x, x);
  net_output (&net, product);
  g_assert_true (ph_run_node (product->producer, inputs, &output, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (ph_tensor_get (output, 1), ==, 9);
  ph_tensor_unref (output);

  feed (feeds, x, 0, 0);
  results = ph_run_model (net.model, feeds, NULL, &(PhRunOptions) { .progress = count_progress, .progress_data = &total },
                          &error);
  g_assert_no_error (error);
  g_assert_cmpint (total, ==, 1);
  ph_model_free (net.model);
}

/* Every node is timed, a loop's body as often as it runs, and flops are those of the shapes that were fed. */
static void
test_profile (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 10, opset_import: [\"\" : 23]> g (float[N] x) => (float[M] y) <int64 n = {3}, bool go = {1}> { "
      "e = Exp (x) "
      "y = Loop (n, go, e) <body = b (int64 i, bool c, float[N] s) => (bool d, float[N] t) { d = Identity (c) t = Neg (s) }> }",
      -1, "profile.onnxtxt", &error);
  g_autoptr (PhProfile) profile = NULL;
  const PhNode *exp, *loop, *neg;
  const PhNodeTime *time;

  g_assert_no_error (error);
  exp = ph_model_find_node_named (model, "e");
  loop = ph_model_find_node_named (model, "y");
  neg = ph_model_find_node_named (model, "t");
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ph_tensor_new_floats ((float[]) { 1, 2, 3, 4 }, 4));
  profile = ph_profile_model (model, feeds, 3, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ph_profile_n_runs (profile), ==, 3);
  time = ph_profile_find (profile, exp->id);
  g_assert_nonnull (time);
  g_assert_cmpuint (time->calls, ==, 1);
  g_assert_cmpint (time->flops, ==, 4);
  g_assert_cmpint (time->bytes, ==, 32);
  g_assert_false (time->inside);
  time = ph_profile_find (profile, neg->id);
  g_assert_nonnull (time);
  g_assert_cmpuint (time->calls, ==, 3);
  g_assert_cmpint (time->flops, ==, 12);
  g_assert_true (time->inside);
  g_assert_cmpint (time->ns, <=, ph_profile_find (profile, loop->id)->ns);
  g_assert_cmpint (ph_profile_find (profile, loop->id)->ns, <=, ph_profile_total (profile));
  g_assert_null (ph_profile_find (profile, 9999));
}

/* A filter that is wider than can be kept, and elements that are no numbers, are errors of the node. */
static void
test_resize_limits (void)
{
  static const char *const bodies[] = {
    "float[1,1,4,4] x) => (float[1,1,a,b] y) <float[4] s = {1, 1, 1e-30, 1}> { y = Resize <mode = \"linear\", antialias = 1> (x, \"\", s) }",
    "float[1,1,4,4] x) => (float[1,1,a,b] y) <float[4] s = {1, 1, 1e-9, 1}> { y = Resize <mode = \"cubic\", antialias = 1> (x, \"\", s) }",
    "complex64[1,1,4,4] x) => (complex64[1,1,a,b] y) <float[4] s = {1, 1, 2, 2}> { y = Resize <mode = \"linear\"> (x, \"\", s) }",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *text = g_strconcat ("<ir_version: 10, opset_import: [\"\" : 23]> g (", bodies[i], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "resize", &error);
      g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
      g_autoptr (PhTensor) x = NULL;

      g_assert_no_error (error);
      x = ph_tensor_new (i == 2 ? PH_COMPLEX64 : PH_FLOAT, 4, (gint64[]) { 1, 1, 4, 4 });
      g_hash_table_insert (feeds, g_ptr_array_index (model->graph->inputs, 0), x);
      results = ph_run_model (model, feeds, NULL, NULL, &error);
      g_assert_null (results);
      g_assert_nonnull (error);
      g_assert_nonnull (strstr (error->message, i == 2 ? "complex64" : "too wide"));
    }
}

/* A convolution of no channels is the sum of nothing. */
static void
test_no_channels (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 10, opset_import: [\"\" : 23]> g (uint8[1,0,3,3] x, uint8[2,0,2,2] w) => "
      "(int32[1,2,2,2] y) { y = ConvInteger (x, w) }",
      -1, "conv", &error);
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
  g_autoptr (PhTensor) x = ph_tensor_new (PH_UINT8, 4, (gint64[]) { 1, 0, 3, 3 }),
                       w = ph_tensor_new (PH_UINT8, 4, (gint64[]) { 2, 0, 2, 2 });
  PhTensor *y;

  g_assert_no_error (error);
  g_hash_table_insert (feeds, g_ptr_array_index (model->graph->inputs, 0), x);
  g_hash_table_insert (feeds, g_ptr_array_index (model->graph->inputs, 1), w);
  results = ph_run_model (model, feeds, NULL, NULL, &error);
  g_assert_no_error (error);
  y = g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (model, "y")->id));
  g_assert_cmpuint (ph_tensor_count (y), ==, 8);
  for (gsize i = 0; i < 8; i++)
    g_assert_cmpfloat (ph_tensor_get (y, i), ==, 0);
}

/* What a model of constants makes of the text @body; NULL with @error. */
static PhTensor *
compute_text (const char *body, GError **error)
{
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]> g () => (float[] y) { %s }", body);
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "text", error);

  results = model != NULL ? ph_run_model (model, feeds, NULL, NULL, error) : NULL;
  return results != NULL
             ? ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (ph_model_find_value_named (model, "y")->id)))
             : NULL;
}

/* A loop of no turns makes an empty stack of what a turn would make, whether or not inference knows its shape. */
static void
test_no_turns (void)
{
  static const char *const rows[] = {
    "n = Constant <value_int = 3> () o = Constant <value = int64[1] {3}> () s = RandomUniform <shape = [2], dtype = 1> () k = NonZero (s) h = Shape (k) "
    "w = ConstantOfShape (h) t = Constant <value_int = 0> () u, y = Loop <body = b (int64 i, bool c, float[A,B] v) => (bool d, float[A,B] e, float[A,B] f) "
    "{ d = Identity (c) e = Neg (v) f = Neg (v) }> (t, \"\", w)",
    "x = Constant <value = float[1,0,2] {}> () z = ConstantOfShape (h) h = Constant <value_ints = [0, 1, 2]> () w = ConstantOfShape (g) g = Constant <value_ints = [1, 2]> () "
    "u, y = Scan <num_scan_inputs = 1, body = b (float[A,B] s, float[A,B] v) => (float[A,B] d, float[A,B] e) { d = Identity (s) e = Add (s, v) }> (w, z)",
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhTensor) y = compute_text (rows[i], &error);

      g_assert_no_error (error);
      g_assert_cmpuint (ph_tensor_rank (y), ==, 3);
      g_assert_cmpint (ph_tensor_dims (y)[0], ==, 0);
      g_assert_cmpint (ph_tensor_dims (y)[1], ==, 1);
      g_assert_cmpint (ph_tensor_dims (y)[2], ==, 2);
    }
}

/* Operands with the right number of elements in the wrong shape. */
static void
test_wrong_shapes (void)
{
  /* clang-format off */
  static const struct { const char *body, *says; } rows[] = {
    { "x = Constant <value = float[1,3] {1.0, 2.0, 3.0}> () i = Constant <value_ints = [0]> () y = ScatterND (x, i, x)", "updates must have the shape" },
    { "x = Constant <value = float[3,2,1] {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}> () i = Constant <value_ints = [0, 1]> () u = Constant <value = float {1.0}> () "
      "v = Constant <value = float[1,1] {1.0}> () y = ScatterND (x, i, v)", "updates must have the shape" },
    { "x = Constant <value = float[1,1,1,4] {1.0, 2.0, 3.0, 4.0}> () c = Constant <value = float[1,2] {1.0, 0.5}> () y = RotaryEmbedding (x, c, c)", "must be a cache" },
    { "x = Constant <value = float[1,1,1,4] {1.0, 2.0, 3.0, 4.0}> () c = Constant <value = float[1,1,2] {1.0, 0.5}> () p = Constant <value = int64[1,1] {0}> () "
      "y = RotaryEmbedding (x, c, c, p)", "must be a cache" },
    { "x = Constant <value = float[1,1,2,1] {1.0, 2.0}> () i = Constant <value = int64[1,1,1,2] {0, 1}> () y = MaxUnpool <kernel_shape = [1, 1]> (x, i)",
      "input, indices and output_shape do not fit together" },
    { "x = Constant <value = float[1,2] {1.0, 2.0}> () l = Constant <value_ints = [1]> () y = NegativeLogLikelihoodLoss (x, l, x)", "weights for 2 classes" },
    { "x = Constant <value = float[1,2,1] {1.0, 2.0}> () l = Constant <value_ints = [1]> () y = SoftmaxCrossEntropyLoss (x, l)", "labels for 1 places" },
    { "x = Constant <value = float[1,1,1,2] {1.0, 2.0}> () c = Constant <value = float[1,1] {1.0}> () p = Constant <value_ints = [0]> () y = RotaryEmbedding (x, c, c, p)",
      "its caches or positions do not fit" },
    { "x = Constant <value = float[1,1,1] {1.0}> () w = Constant <value = float[1,1,1] {1.0}> () b = Constant <value = float[1,1,2] {1.0, 0.5}> () "
      "y = RNN <hidden_size = 1> (x, w, w, b)", "input 3 is float[1,1,2] {...}, must have the shape [1,2]" },
    { "x = Constant <value = float[1,1,1] {1.0}> () l = Constant <value = int32 {1}> () y = RNN <hidden_size = 1> (x, x, x, \"\", l)", "sequence_lens for a batch of 1" },
    { "x = Constant <value = float[2,1] {1.0, 2.0}> () y = Einsum <equation = \"ii->i\"> (x)", "gives one letter the sizes 2 and 1" },
    { "x = Constant <value_floats = [1.0, 2.0]> () p = Constant <value_ints = [1, 1]> () y = Pad <mode = \"mirror\"> (x, p)", "must be one of: constant, reflect, edge, wrap" },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PhTensor) y = compute_text (rows[i].body, &error);

      g_assert_null (y);
      if (strstr (error->message, rows[i].says) == NULL)
        g_error ("%s: '%s' does not say '%s'", rows[i].body, error->message, rows[i].says);
    }
}

/* What an older model is compiled to stays with it until it is edited; the type of an input is asked again. */
static void
test_program (void)
{
  static const char text[]
      = "<ir_version: 7, opset_import: [\"\" : 12]>\ng (float[n,3] x) => (float[n,3] y) { y = Softmax (x) }\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "text", &error);
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  PhModel *upgraded = NULL;

  g_assert_no_error (error);
  for (guint rows = 1; rows < 4; rows++)
    {
      g_autoptr (PhTensor) x = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { rows, 3 });
      g_autoptr (GHashTable) results = NULL;
      PhProgram *program;
      PhTensor *y;

      g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ph_tensor_ref (x));
      results = ph_run_model (model, feeds, NULL, NULL, &error);
      g_assert_no_error (error);
      y = g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id));
      g_assert_cmpuint (ph_tensor_count (y), ==, 3 * rows);
      g_assert_cmpfloat_with_epsilon (ph_tensor_get (y, 0), 1. / 3, 1e-6);
      program = model->program;
      g_assert_nonnull (program);
      g_assert_nonnull (program->upgraded);
      g_assert_true (upgraded == NULL || upgraded == program->upgraded);
      upgraded = program->upgraded;
    }
  ph_value_rename (model->graph->outputs->pdata[0], "z", &error);
  g_assert_no_error (error);
  g_assert_null (model->program);
}

static PhTensor *
wave (guint rank, const gint64 *dims)
{
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, rank, dims);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ((float *) ph_tensor_writable (tensor))[i] = (float) sin (0.7 * (double) i);
  return tensor;
}

/* What a convolution leaves lying channels-last is split where it lies, into what its readers are given. */
static void
test_split_channels (void)
{
  static const gint64 image[] = { 2, 3, 6, 5 }, kernels[] = { 20, 3, 3, 3 };
  const struct
  {
    gint64 sizes[3];
    guint n;
  } parts[] = { { { 12, 8 }, 2 }, { { 1, 3, 16 }, 3 }, { { 7, 7, 6 }, 3 } };

  for (gsize c = 0; c < G_N_ELEMENTS (parts); c++)
    {
      Net net;
      g_autoptr (PhTensor) x = wave (4, image), w = wave (4, kernels), sizes = ph_tensor_new_int64s (parts[c].sizes, parts[c].n);
      g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), fast = NULL, slow = NULL;
      g_autoptr (GError) error = NULL;
      PhValue *input, *values[3];
      PhNode *conv, *split;

      net_init (&net);
      input = ph_graph_add_input (net.graph, "x", ph_type_static (PH_FLOAT, 4, image), NULL, G_MAXUINT, &error);
      values[0] = input;
      values[1] = ph_graph_add_constant (net.graph, "w", w, &error);
      conv = ph_graph_add_node (net.graph, &(PhNodeSpec) { .op = &ph_op_Conv, .inputs = values, .n_inputs = 2, .n_outputs = 1 },
                                &error);
      values[0] = ph_node_output (conv, 0);
      values[1] = ph_graph_add_constant (net.graph, "sizes", sizes, &error);
      split = ph_graph_add_node (
          net.graph, &(PhNodeSpec) { .op = &ph_op_Split, .inputs = values, .n_inputs = c == 2 ? 1 : 2, .n_outputs = parts[c].n },
          &error);
      g_assert_no_error (error);
      {
        g_autoptr (PhAttr) axis = ph_attr_new_int ("axis", 1), number = ph_attr_new_int ("num_outputs", 3);

        g_assert_true (ph_node_set_attr (split, "axis", axis, &error)
                       && (c != 2 || ph_node_set_attr (split, "num_outputs", number, &error)));
      }
      for (guint i = 0; i < parts[c].n; i++)
        g_assert_true (ph_graph_set_output (net.graph, i, ph_node_output (split, i), &error));
      g_hash_table_insert (feeds, input, x);
      fast = ph_run_model (net.model, feeds, NULL, &(PhRunOptions) { 0 }, &error);
      g_assert_no_error (error);
      slow = ph_run_model (net.model, feeds, NULL, &(PhRunOptions) { .reference = TRUE }, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < parts[c].n; i++)
        {
          gpointer id = GUINT_TO_POINTER (ph_node_output (split, i)->id);
          g_auto (PhComparison) comparison = ph_tensor_compare (g_hash_table_lookup (fast, id), g_hash_table_lookup (slow, id),
                                                                (PhTolerance) { 1e-5, 1e-5 });

          g_assert_cmpstr (comparison.why, ==, NULL);
          g_assert_cmpint (ph_tensor_dims (g_hash_table_lookup (fast, id))[1], ==, parts[c].sizes[i]);
        }
      ph_model_free (net.model);
    }
}

/* A few of the greatest are the first of all in order, ties and NaN among them. */
static void
test_few_of_many (void)
{
  float elements[200];

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    elements[i] = i % 50 == 49 ? NAN : (float) (i * 37 % 31) - 7;
  for (gint64 largest = 0; largest < 2; largest++)
    {
      g_autoptr (GHashTable) results = NULL;
      const gint64 counts[] = { 9, G_N_ELEMENTS (elements) };
      PhTensor *found[2];
      Net net;

      net_init (&net);
      for (guint i = 0; i < 2; i++)
        {
          PhValue *inputs[] = { ph_build_tensor (&net.b, ph_tensor_new_floats (elements, G_N_ELEMENTS (elements))),
                                ph_build_ints (&net.b, &counts[i], 1) };
          PhValue *values = ph_build_node (&net.b, &ph_op_TopK, inputs, 2, PH_ATTRS (ph_attr_new_int ("largest", largest)), 2);

          net_output (&net, ph_node_output (values->producer, 1));
        }
      results = ph_run_model (net.model, NULL, NULL, NULL, NULL);
      for (guint i = 0; i < 2; i++)
        found[i] = g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) net.graph->outputs->pdata[i])->id));
      g_assert_cmpmem (ph_tensor_data (found[0]), 9 * sizeof (gint64), ph_tensor_data (found[1]), 9 * sizeof (gint64));
      ph_model_free (net.model);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/executor/run", test_run);
  g_test_add_func ("/executor/errors", test_errors);
  g_test_add_func ("/executor/fused", test_fused);
  g_test_add_func ("/executor/wrong-kind", test_wrong_kind);
  g_test_add_func ("/executor/single-node", test_single_node);
  g_test_add_func ("/executor/profile", test_profile);
  g_test_add_func ("/executor/resize-limits", test_resize_limits);
  g_test_add_func ("/executor/no-channels", test_no_channels);
  g_test_add_func ("/executor/no-turns", test_no_turns);
  g_test_add_func ("/executor/wrong-shapes", test_wrong_shapes);
  g_test_add_func ("/executor/program", test_program);
  g_test_add_func ("/executor/split-channels", test_split_channels);
  g_test_add_func ("/executor/few-of-many", test_few_of_many);
  return g_test_run ();
}
