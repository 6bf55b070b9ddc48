/* dnnl.c: the fast kernels against the reference kernels.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/graph/edit.h"
#include "core/ops/op-list.h"
#include "core/ops/op.h"
#include "core/run/executor.h"
#include "core/run/program.h"
#include "core/tensor/compare.h"

typedef struct
{
  const char *name, *op;
  gint64 shapes[3][5]; /* of the inputs, ended by 0; a scalar is not needed here */
  struct
  {
    const char *name;
    gint64 n, values[6];
    const char *text;
    float number;
  } attrs[4];         /* n 0: one int, text or a number that is not 0          */
  gboolean splat;     /* the second (or only) input is one number repeated     */
  gboolean large;     /* one set of numbers takes long enough                  */
  const char *kernel; /* (nullable) it has to run, and gives the same bits from any number of threads */
} Case;

#define IS(...) .n = G_N_ELEMENTS (((gint64[]) { __VA_ARGS__ })), .values = { __VA_ARGS__ }

/* clang-format off */
static const Case cases[] = {
  { "conv", "Conv", { { 2, 3, 9, 8 }, { 4, 3, 3, 2 }, { 4 } } },
  { "conv-padded", "Conv", { { 1, 17, 9, 8 }, { 5, 17, 3, 3 } }, { { "pads", IS (1, 0, 2, 1) }, { "strides", IS (2, 1) } } },
  { "conv-groups", "Conv", { { 1, 6, 7, 7 }, { 4, 3, 3, 3 }, { 4 } }, { { "group", .values = { 2 } } } },
  { "conv-depthwise", "Conv", { { 1, 6, 7, 7 }, { 6, 1, 3, 3 } }, { { "group", .values = { 6 } } } },
  { "conv-dilated", "Conv", { { 1, 2, 11, 11 }, { 3, 2, 3, 3 } }, { { "dilations", IS (2, 3) } } },
  { "conv-same", "Conv", { { 1, 2, 10, 7 }, { 3, 2, 4, 3 } }, { { "auto_pad", .text = "SAME_LOWER" }, { "strides", IS (2, 2) } } },
  { "conv-few-pixels", "Conv", { { 3, 15, 3, 4 }, { 8000, 15, 3, 3 }, { 8000 } }, { { "pads", IS (1, 0, 2, 1) }, { "strides", IS (2, 1) } },
    .large = TRUE, .kernel = "panels" },
  { "conv-few-pixels-dilated", "Conv", { { 70, 15, 5, 5 }, { 8001, 15, 3, 3 } }, { { "dilations", IS (1, 2) }, { "strides", IS (1, 2) } },
    .large = TRUE, .kernel = "panels" },
  { "conv-one-pixel", "Conv", { { 1, 130, 1, 1 }, { 8100, 130, 1, 1 } }, .large = TRUE, .kernel = "panels" },
  { "conv-1d", "Conv", { { 2, 3, 12 }, { 4, 3, 5 } } },
  { "conv-3d", "Conv", { { 1, 2, 5, 6, 7 }, { 3, 2, 2, 3, 2 }, { 3 } } },
  { "conv-splat", "Conv", { { 1, 3, 9, 8 }, { 18, 3, 3, 3 } }, .splat = TRUE },
  { "conv-transpose", "ConvTranspose", { { 1, 3, 5, 4 }, { 3, 2, 3, 3 }, { 2 } } },
  { "conv-transpose-strided", "ConvTranspose", { { 1, 4, 5, 4 }, { 4, 2, 3, 3 } },
    { { "strides", IS (2, 3) }, { "pads", IS (1, 1, 1, 1) }, { "output_padding", IS (1, 0) }, { "group", .values = { 2 } } } },
  { "max-pool", "MaxPool", { { 2, 3, 9, 8 } }, { { "kernel_shape", IS (3, 2) }, { "strides", IS (2, 2) }, { "pads", IS (1, 0, 1, 1) } } },
  { "max-pool-dilated", "MaxPool", { { 1, 2, 11 } }, { { "kernel_shape", IS (3) }, { "dilations", IS (2) } } },
  { "max-pool-dilated-padded", "MaxPool", { { 1, 2, 4 } },
    { { "kernel_shape", IS (2) }, { "dilations", IS (3) }, { "pads", IS (1, 2) } } },
  { "max-pool-splat", "MaxPool", { { 1, 2, 10 } }, { { "kernel_shape", IS (3) } }, .splat = TRUE },
  { "max-pool-ceil", "MaxPool", { { 1, 2, 10 } }, { { "kernel_shape", IS (3) }, { "strides", IS (2) }, { "ceil_mode", .values = { 1 } } } },
  { "average-pool", "AveragePool", { { 2, 3, 9, 8 } }, { { "kernel_shape", IS (3, 3) }, { "pads", IS (1, 1, 1, 1) } } },
  { "average-pool-include", "AveragePool", { { 2, 3, 9, 8 } },
    { { "kernel_shape", IS (3, 3) }, { "pads", IS (1, 1, 1, 1) }, { "count_include_pad", .values = { 1 } } } },
  { "gemm", "Gemm", { { 5, 7 }, { 7, 3 }, { 3 } } },
  { "gemm-transposed", "Gemm", { { 7, 5 }, { 3, 7 }, { 5, 1 } }, { { "transA", .values = { 1 } }, { "transB", .values = { 1 } } } },
  { "gemm-splat", "Gemm", { { 5, 7 }, { 7, 3 }, { 1, 3 } }, .splat = TRUE },
  { "matmul", "MatMul", { { 4, 5, 7 }, { 7, 3 } } },
  { "matmul-batched", "MatMul", { { 2, 1, 5, 7 }, { 3, 7, 2 } } },
  { "matmul-splat", "MatMul", { { 2, 5, 7 }, { 7, 2 } }, .splat = TRUE },
  { "matmul-vector", "MatMul", { { 7 }, { 7, 2 } } },
  { "matmul-panels", "MatMul", { { 2, 13, 33 }, { 33, 101 } } },
  { "gemm-panels", "Gemm", { { 13, 33 }, { 101, 33 }, { 101 } }, { { "transB", .values = { 1 } } } },
  { "matmul-deep", "MatMul", { { 3, 520 }, { 520, 101 } } },
  { "matmul-many-rows", "MatMul", { { 270, 530 }, { 530, 260 } }, .large = TRUE },
  { "matmul-few-panels", "MatMul", { { 270, 60 }, { 60, 230 } } },
  { "matmul-stretched", "MatMul", { { 3, 1, 150, 64 }, { 4, 64, 100 } }, .large = TRUE },
  { "matmul-long-row", "MatMul", { { 1, 530 }, { 530, 2500 } }, .large = TRUE },
  { "gemm-long-row", "Gemm", { { 1, 541 }, { 541, 2003 }, { 1 } }, { { "alpha", .number = 0.5f }, { "beta", .number = 3 } }, .large = TRUE },
  { "gemm-long-row-transposed", "Gemm", { { 541, 1 }, { 2003, 541 }, { 2003 } },
    { { "alpha", .number = 0.5f }, { "beta", .number = 3 }, { "transA", .values = { 1 } }, { "transB", .values = { 1 } } }, .large = TRUE },
  { "conv-transpose-tiles", "ConvTranspose", { { 1, 24, 5, 4 }, { 24, 3, 2, 2 }, { 3 } }, { { "strides", IS (2, 2) } } },
  { "global-average-pool", "GlobalAveragePool", { { 2, 19, 9, 8 } } },
  { "lrn", "LRN", { { 2, 19, 5, 4 } }, { { "size", .values = { 5 } } } },
  { "lrn-even", "LRN", { { 2, 19, 5, 4 } }, { { "size", .values = { 4 } } } },
  { "softmax", "Softmax", { { 3, 5, 37 } } },
  { "softmax-middle", "Softmax", { { 3, 37, 5 } }, { { "axis", .values = { 1 } } } },
  { "layer-normalization", "LayerNormalization", { { 3, 5, 37 }, { 37 }, { 37 } } },
  { "layer-normalization-two", "LayerNormalization", { { 3, 5, 37 }, { 5, 37 } }, { { "axis", .values = { 1 } } } },
  { "rms-normalization", "RMSNormalization", { { 3, 5, 37 }, { 37 } } },
  { "rms-normalization-column", "RMSNormalization", { { 2, 2 }, { 2, 1 } } },
  { "layer-normalization-stretched", "LayerNormalization", { { 3, 4, 4 }, { 4, 1 }, { 1, 4, 4 } }, { { "axis", .values = { 1 } } } },
  { "concat", "Concat", { { 3, 5, 7 }, { 3, 2, 7 } }, { { "axis", .values = { 1 } } } },
  { "add", "Add", { { 3, 5, 37 }, { 3, 5, 37 } } },
  { "add-row", "Add", { { 3, 5, 37 }, { 37 } } },
  { "sub-column", "Sub", { { 3, 5, 37 }, { 3, 1, 1 } } },
  { "mul-both", "Mul", { { 3, 1, 37 }, { 5, 1 } } },
  { "mul-splat", "Mul", { { 3, 5, 37 }, { 5, 37 } }, .splat = TRUE },
  { "div-long", "Div", { { 3, 1234 }, { 1 } } },
  { "max", "Max", { { 3, 5, 37 }, { 5, 1 } } },
  { "min", "Min", { { 3, 5, 37 }, { 5, 1 } } },
  { "relu", "Relu", { { 3, 5, 37 } } },
  { "leaky-relu", "LeakyRelu", { { 3, 5, 37 } } },
  { "hard-sigmoid", "HardSigmoid", { { 3, 5, 37 } } },
  { "hard-swish", "HardSwish", { { 3, 5, 37 } } },
  { "sigmoid", "Sigmoid", { { 3, 5, 37 } } },
  { "tanh", "Tanh", { { 3, 5, 37 } } },
  { "exp", "Exp", { { 3, 5, 37 } } },
  { "erf", "Erf", { { 3, 5, 37 } } },
  { "gelu", "Gelu", { { 3, 5, 37 } } },
  { "gelu-tanh", "Gelu", { { 3, 5, 37 } }, { { "approximate", .text = "tanh" } } },
  { "swish", "Swish", { { 3, 5, 37 } } },
  { "sqrt", "Sqrt", { { 3, 5, 37 } } },
  { "neg", "Neg", { { 3, 5, 37 } } },
  { "abs", "Abs", { { 3, 5, 37 } } },
  { "reciprocal", "Reciprocal", { { 3, 5, 37 } } },
};
/* clang-format on */

/* @special: one in so many is no ordinary number; 0: none is. */
static float
random_number (GRand *random, guint special)
{
  static const float specials[] = { NAN, INFINITY, -INFINITY, -INFINITY, -0.0f, 0, 1e-40f, -1e-40f };

  if (special > 0 && g_rand_int_range (random, 0, special) == 0)
    return specials[g_rand_int_range (random, 0, G_N_ELEMENTS (specials))];
  return (float) g_rand_double_range (random, -1, 1);
}

static PhTensor *
random_tensor (GRand *random, const gint64 *shape, gboolean splat, guint special)
{
  const float number = random_number (random, special);
  PhTensor *tensor;
  guint rank = 0;

  while (rank < 5 && shape[rank] > 0)
    rank++;
  if (splat)
    return ph_tensor_new_splat (PH_FLOAT, rank, shape, &number);
  tensor = ph_tensor_new (PH_FLOAT, rank, shape);
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ((float *) ph_tensor_writable (tensor))[i] = random_number (random, special);
  return tensor;
}

static void
add_attrs (const Case *c, PhNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (c->attrs) && c->attrs[i].name != NULL; i++)
    {
      const char *name = c->attrs[i].name;
      g_autoptr (PhAttr) attr = c->attrs[i].text != NULL  ? ph_attr_new_string (name, c->attrs[i].text)
                                : c->attrs[i].number != 0 ? ph_attr_new_float (name, c->attrs[i].number)
                                : c->attrs[i].n > 0       ? ph_attr_new_ints (name, c->attrs[i].values, c->attrs[i].n)
                                                          : ph_attr_new_int (name, c->attrs[i].values[0]);
      g_autoptr (GError) error = NULL;

      ph_node_set_attr (node, name, attr, &error);
      g_assert_no_error (error);
    }
}

static void
check_case (const Case *c, guint special, guint seed)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;
  g_auto (PhComparison) comparison = { 0 };
  PhTensor *inputs[3] = { NULL }, *fast[2] = { NULL }, *slow[2] = { NULL };
  const PhOp *op = ph_op_find ("", c->op);
  /* Whether a weight that is infinite is multiplied by the zeros around the image, ONNX leaves open. */
  const guint padded = g_str_has_prefix (c->op, "Conv") ? 1 : 3;
  PhValue *values[3];
  PhNode *node;
  guint n = 0;

  g_assert_true (op != NULL && op->kernel != NULL);
  for (; n < 3 && c->shapes[n][0] > 0; n++)
    {
      inputs[n] = random_tensor (random, c->shapes[n], c->splat && (n == 1 || c->shapes[1][0] == 0), n == padded ? 0 : special);
      values[n] = ph_graph_add_constant (model->graph, "input", inputs[n], &error);
      if (values[n] == NULL)
        values[n] = ph_graph_add_constant (model->graph, ph_model_unique_name (model, "input"), inputs[n], NULL);
      g_clear_error (&error);
    }
  node = ph_graph_add_node (model->graph, &(PhNodeSpec) { .op = op, .inputs = values, .n_inputs = n, .n_outputs = 1 }, &error);
  g_assert_no_error (error);
  add_attrs (c, node);

  ph_run_node (node, inputs, fast, NULL, &error);
  g_assert_no_error (error);
  ph_run_node (node, inputs, slow, &(PhRunOptions) { .reference = TRUE }, &error);
  g_assert_no_error (error);
  comparison = ph_tensor_compare (fast[0], slow[0], (PhTolerance) { 1e-5, 1e-5 });
  g_assert_cmpstr (comparison.why, ==, NULL);
  for (guint threads = 1; c->kernel != NULL && threads < 4; threads++)
    {
      PhTensor *again[2] = { NULL };
      guint took = 0;

      ph_run_set_threads (threads);
      ph_run_node (node, inputs, again, &(PhRunOptions) { .kernel = c->kernel, .took = &took }, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (took, ==, 1);
      g_assert_true (ph_tensor_equal (again[0], fast[0]));
      ph_tensor_unref (again[0]);
    }
  ph_run_set_threads (0);
  ph_tensor_unref (fast[0]);
  ph_tensor_unref (slow[0]);
  for (guint i = 0; i < n; i++)
    ph_tensor_unref (inputs[i]);
}

static void
test_case (gconstpointer data)
{
  static const guint special[] = { 0, 40, 8, 2, 1 };
  const Case *c = data;

  for (guint i = 0; i < (c->large ? 1 : G_N_ELEMENTS (special)); i++)
    for (guint seed = 7; seed < (special[i] > 0 ? 27 : 8); seed++)
      check_case (c, special[i], seed);
}

/* Filters that another convolution made lie in the order that it likes. */
static void
test_computed_filters (void)
{
  static const PhOp *const ops[] = { &ph_op_Conv, &ph_op_ConvTranspose };
  static const gint64 image[] = { 1, 16, 9, 9, 0 }, images[] = { 16, 3, 5, 5, 0 }, filters[] = { 16, 3, 3, 3, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (5);
      g_autoptr (PhModel) model = ph_model_new ();
      g_autoptr (GHashTable) fast = NULL, slow = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (PhTensor) x = random_tensor (random, image, FALSE, 0), a = random_tensor (random, images, FALSE, 0);
      g_autoptr (PhTensor) b = random_tensor (random, filters, FALSE, 0);
      PhComparison comparison;
      PhValue *parts[2], *w, *y;

      ph_model_set_opset (model, "", PH_OPSET_NEWEST);
      parts[0] = ph_graph_add_constant (model->graph, "a", a, &error);
      parts[1] = ph_graph_add_constant (model->graph, "b", b, &error);
      w = ph_node_output (ph_graph_add_node (model->graph,
                                             &(PhNodeSpec) { .op = &ph_op_Conv, .inputs = parts, .n_inputs = 2, .n_outputs = 1 },
                                             &error),
                          0);
      parts[0] = ph_graph_add_constant (model->graph, "x", x, &error);
      parts[1] = w;
      y = ph_node_output (ph_graph_add_node (model->graph,
                                             &(PhNodeSpec) { .op = ops[i], .inputs = parts, .n_inputs = 2, .n_outputs = 1 },
                                             &error),
                          0);
      g_assert_no_error (error);
      fast = ph_run_model (model, NULL, &y->producer->outputs->array, NULL, &error);
      g_assert_no_error (error);
      slow = ph_run_model (model, NULL, &y->producer->outputs->array, &(PhRunOptions) { .reference = TRUE }, &error);
      g_assert_no_error (error);
      comparison = ph_tensor_compare (g_hash_table_lookup (fast, GUINT_TO_POINTER (y->id)),
                                      g_hash_table_lookup (slow, GUINT_TO_POINTER (y->id)), (PhTolerance) { 1e-4, 1e-4 });
      g_assert_cmpstr (comparison.why, ==, NULL);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  ph_tensor_set_poison (TRUE); /* what a kernel does not write shows */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/dnnl/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/dnnl/computed-filters", test_computed_filters);
  return g_test_run ();
}
