/* jvp.c: forward mode against reverse mode, <v, J u> = <J^T v, u>, on all operators and on nets; and against the textbook.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/io/io.h"
#include "core/ops/infer.h"
#include "core/ops/verify.h"
#include "core/splitmix.h"
#include "tests/share.h"
#include "tests/unit/differentiate.h"
#include "tests/unit/ops-cases.h"

static const Case more_cases[] = {
#include "tests/unit/ops-sweep-cases.inc"
#include "tests/unit/ops-sweep-forms.inc"
#include "tests/unit/ops-sweep-inputs.inc"
#include "tests/unit/ops-sweep-moves.inc"
};

/* Weights are tens of millions: the usual kinds without a call for each element. */
static double
dot (PhTensor *a, PhTensor *b)
{
  PhTensor *const sides[] = { a, b };
  const float *floats[2] = { NULL };
  const double *doubles[2] = { NULL };
  const gsize n = ph_tensor_count (a);
  double sum = 0;

  g_assert_cmpuint (n, ==, ph_tensor_count (b));
  for (guint k = 0; k < 2; k++)
    if (ph_tensor_dtype (sides[k]) == PH_FLOAT)
      floats[k] = ph_tensor_data (sides[k]);
    else if (ph_tensor_dtype (sides[k]) == PH_DOUBLE)
      doubles[k] = ph_tensor_data (sides[k]);
#define ELEMENT(k) (floats[k] != NULL ? (double) floats[k][i] : doubles[k] != NULL ? doubles[k][i] : ph_tensor_get (sides[k], i))
  for (gsize i = 0; i < n; i++)
    sum += ELEMENT (0) * ELEMENT (1);
#undef ELEMENT
  return sum;
}

static PhTensor *
doubles (const gint64 *n, const double *data)
{
  PhTensor *tensor = ph_tensor_new (PH_DOUBLE, 1, n);

  memcpy (ph_tensor_writable (tensor), data, (gsize) *n * sizeof *data);
  return tensor;
}

static PhTensor *
random_tensor (PhDType dtype, guint rank, const gint64 *dims, guint64 *random, double low, double high)
{
  PhTensor *tensor = ph_tensor_new (dtype, rank, dims);

  gpointer out = ph_tensor_writable (tensor);
  const gsize n = ph_tensor_count (tensor);

  for (gsize i = 0; i < n; i++)
    {
      const double drawn = low + (high - low) * ph_splitmix_uniform (random);

      if (dtype == PH_DOUBLE)
        ((double *) out)[i] = drawn;
      else
        ((float *) out)[i] = (float) drawn;
    }
  return tensor;
}

/* Feeds @values (by name) to what @model asks for, and computes the values of @prefix and each of @names, in one run. */
static GPtrArray *
compute_all (PhModel *model, GHashTable *values, const char *prefix, const char *const *names, gboolean in_double,
             const char *what)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL), results = NULL;
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  guint narrow = 0;
  const PhRunOptions options
      = { .seed = 1, .reference = !in_double, .in_double = in_double, .narrow = in_double ? &narrow : NULL };

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *name = g_strconcat (prefix, names[i], NULL);

      g_ptr_array_add (wanted, ph_model_find_value_named (model, name));
      if (wanted->pdata[i] == NULL)
        g_error ("%s: there is no value %s", what, name);
    }
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];

      if (g_hash_table_contains (values, input->name))
        g_hash_table_insert (feeds, input, g_hash_table_lookup (values, input->name));
    }
  results = ph_run_model (model, feeds, wanted, &options, &error);
  if (results == NULL)
    g_error ("%s: %s", what, error->message);
  /* What ran in float32 would hide in its rounding what is looked for. */
  if (narrow > 0)
    g_error ("%s: %u nodes did not run in double", what, narrow);
  for (guint i = 0; i < wanted->len; i++)
    g_ptr_array_add (tensors,
                     ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) wanted->pdata[i])->id))));
  return tensors;
}

static PhTensor *
compute_named (PhModel *model, GHashTable *values, const char *name, const char *what)
{
  g_autoptr (GPtrArray) tensors = compute_all (model, values, "", (const char *[]) { name, NULL }, FALSE, what);

  return ph_tensor_ref (tensors->pdata[0]);
}

/* <v, J u> and <J^T v, u> for random u and v; @names: NULL-terminated, the values that move, behind the output. Both passes run
 * on clones of @model. @values has the inputs and gets the tangents and the cotangent. */
static gboolean
check_adjoint (PhModel *model, const char *const *names, GHashTable *values, gboolean in_double, double tolerance,
               const char *what, GError **error)
{
  g_autoptr (PhModel) forward = ph_model_clone (model), reverse = ph_model_clone (model);
  g_autoptr (PhHistory) f_history = ph_history_new (), r_history = ph_history_new ();
  guint64 random = 5;
  g_autoptr (GPtrArray) moves = NULL, slopes = NULL;
  g_autofree char *cotangent = g_strconcat ("grad_", names[0], NULL);
  PhTensor *moved;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  double left, right = 0, scale = 0;

  options.verify = TRUE;
  options.arguments = names;
  if (!ph_pass_run (ph_pass_find ("autodiff"), reverse, r_history, &options, error))
    return FALSE;
  if (!ph_pass_run (ph_pass_find ("jvp"), forward, f_history, &options, error))
    return FALSE;
  for (guint i = 1; names[i] != NULL; i++)
    {
      PhValue *source = ph_model_find_value_named (model, names[i]);
      PhTensor *at = source->tensor != NULL ? source->tensor : g_hash_table_lookup (values, names[i]);

      g_hash_table_insert (values, g_strconcat ("tangent_", names[i], NULL),
                           random_tensor (ph_tensor_dtype (at), ph_tensor_rank (at), ph_tensor_dims (at), &random, -1, 1));
    }
  moves = compute_all (forward, values, "tangent_", (const char *[]) { names[0], NULL }, in_double, what);
  moved = moves->pdata[0];
  g_hash_table_insert (values, g_strdup (cotangent),
                       random_tensor (ph_tensor_dtype (moved), ph_tensor_rank (moved), ph_tensor_dims (moved), &random, -1, 1));
  left = dot (moved, g_hash_table_lookup (values, cotangent));
  slopes = compute_all (reverse, values, "grad_", names + 1, in_double, what);
  for (guint i = 1; names[i] != NULL; i++)
    {
      g_autofree char *of = g_strconcat ("tangent_", names[i], NULL);
      double part = dot (slopes->pdata[i - 1], g_hash_table_lookup (values, of));

      right += part;
      scale += fabs (part);
    }
  for (gsize i = 0; i < ph_tensor_count (moved); i++)
    scale += fabs (ph_tensor_get (moved, i) * ph_tensor_get (g_hash_table_lookup (values, cotangent), i));
  if (!(fabs (left - right) <= tolerance * (in_double ? scale : 1 + scale)))
    g_error ("%s: <v, J u> is %.12g, <J^T v, u> is %.12g", what, left, right);
  /* All of it cancels, or vanishes: that says nothing. */
  if (in_double && !(fabs (left) > 1e-6 * scale))
    g_error ("%s: <v, J u> is %.12g, of parts that sum up to %.12g", what, left, scale);
  g_test_message ("%s: <v, J u> = %.17g, <J^T v, u> = %.17g: %.2g of the sum of the parts", what, left, right,
                  fabs (left - right) / MAX (scale, G_MINDOUBLE));
  return TRUE;
}

static void
test_row (gconstpointer data)
{
  const Case *row = data;

  for (guint symbolic = 0; symbolic < 2; symbolic++)
    {
      g_autoptr (GArray) inputs = parse_inputs (row->inputs);
      g_autofree char *text = model_text (row, inputs, symbolic);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, row->body, &error);
      g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
      g_autoptr (GPtrArray) names = g_ptr_array_new ();
      guint64 random = 20;

      g_assert_no_error (error);
      ph_infer_model (model, FALSE, NULL, NULL);
      g_ptr_array_add (names, (gpointer) "y");
      for (guint i = 0; i < inputs->len; i++)
        {
          const Input *input = &g_array_index (inputs, Input, i);

          g_ptr_array_add (names, input->name);
          g_hash_table_insert (values, g_strdup (input->name),
                               random_tensor (PH_DOUBLE, input->rank, input->dims, &random, row->low, row->high));
        }
      g_ptr_array_add (names, NULL);
      /* Some gradients need a rank or a size; then they say so. */
      if (!check_adjoint (model, (const char *const *) names->pdata, values, FALSE, row->single ? 1e-4 : 1e-9, row->body, &error)
          && (!symbolic || !g_error_matches (error, PH_ERROR, PH_ERROR_UNSUPPORTED)))
        g_error ("%s: %s", row->body, error->message);
    }
}

/* d sin (x y) = cos (x y) (y dx + x dy), and no node of the scaffolding is left. */
static void
test_textbook (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (
      "<ir_version: 8, opset_import: [\"\" : 23]> f (double[2] x, double[1] y) => (double[2] z) "
      "{ p = Mul (x, y)  q = Exp (x)  z = Sin (p) }",
      -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  const double x[] = { 0.5, 2 }, dx[] = { 1, -3 }, y = 0.7, dy = 0.25;
  const gint64 two = 2, one = 1;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  options.verify = TRUE;
  options.arguments = (const char *[]) { "z", NULL };
  ph_pass_run (ph_pass_find ("jvp"), model, history, &options, &error);
  g_assert_no_error (error);
  g_hash_table_insert (values, g_strdup ("x"), doubles (&two, x));
  g_hash_table_insert (values, g_strdup ("tangent_x"), doubles (&two, dx));
  g_hash_table_insert (values, g_strdup ("y"), doubles (&one, &y));
  g_hash_table_insert (values, g_strdup ("tangent_y"), doubles (&one, &dy));
  g_autoptr (PhTensor) tangent = compute_named (model, values, "tangent_z", "textbook");
  for (guint i = 0; i < 2; i++)
    g_assert_cmpfloat_with_epsilon (ph_tensor_get (tangent, i), cos (x[i] * y) * (y * dx[i] + x[i] * dy), 1e-12);
  PH_FOREACH_NODE (node, model->graph)
    for (guint i = 0; i < node->outputs->len; i++)
      if (ph_value_n_uses (ph_node_output (node, i)) == 0 && !g_str_equal (ph_node_output (node, i)->name, "q"))
        g_error ("%s is left over", ph_node_output (node, i)->name);
}

/* x1 and x2 of the seed function move; then the gradient of the tangent is the second derivative in a direction. */
static void
test_second (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read ("<ir_version: 8, opset_import: [\"\" : 23]> f (double x) => (double y) "
                                                 "{ a = Mul (x, x)  y = Mul (a, x) }",
                                                 -1, "test", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  options.arguments = (const char *[]) { "y", "x", NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  options.arguments = (const char *[]) { "grad_x", "x", NULL };
  ph_pass_run (ph_pass_find ("jvp"), model, history, &options, &error);
  g_assert_no_error (error);
  g_hash_table_insert (values, g_strdup ("x"), ph_tensor_new_scalar (PH_DOUBLE, 3));
  g_autoptr (PhTensor) second = compute_named (model, values, "tangent_grad_x", "second");
  g_assert_cmpfloat_with_epsilon (ph_tensor_get (second, 0), 18, 1e-12);
}

/* Weights that a file makes all alike (ConstantOfShape) become numbers of a size that keeps what flows about as large. */
static void
draw_weights (PhModel *model, guint64 *random)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  PH_FOREACH_NODE (node, model->graph)
    if (node->op == &ph_op_ConstantOfShape && ph_node_output (node, 0)->type->dtype == PH_FLOAT
        && ph_type_is_static (ph_node_output (node, 0)->type))
      g_ptr_array_add (nodes, node);
  for (guint i = 0; i < nodes->len; i++)
    {
      PhValue *made = ph_node_output (nodes->pdata[i], 0), *constant;
      const guint rank = made->type->rank;
      gint64 dims[PH_MAX_RANK], fan = 1;
      double size;
      g_autoptr (PhTensor) tensor = NULL;

      for (guint d = 0; d < rank; d++)
        {
          dims[d] = made->type->dims[d].size;
          fan *= d > 0 ? dims[d] : 1;
        }
      size = sqrt (3.0 / (double) fan);
      /* One number a channel: a bias, or what a normalisation has, whose variance is above zero. */
      tensor = random_tensor (PH_FLOAT, rank, dims, random, rank > 1 ? -size : 0.5, rank > 1 ? size : 1.5);
      constant = ph_graph_add_constant (model->graph, NULL, tensor, NULL);
      ph_value_replace_uses (made, constant, NULL);
    }
}

/* In double VGG takes minutes; PEEPHOLE_LARGE_MODELS=1 does it all the same. */
static gboolean
is_large (PhModel *model)
{
  double operations = 0;

  PH_FOREACH_NODE (node, model->graph)
    operations += (double) MAX (ph_node_flops (node), 0);
  return operations > 1e10 / test_share () && g_getenv ("PEEPHOLE_LARGE_MODELS") == NULL;
}

/* By the float inputs, and constants of more than 4 floats. */
static void
check_net (const char *path, const char *folder, gboolean in_double)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint64 random = 15;
  guint fed = 0;
  PhValue *end;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  ph_pass_run (ph_pass_find ("upgrade-opset"), model, history, &options, &error);
  g_assert_no_error (error);
  if (is_large (model))
    {
      g_test_skip ("it takes more than 1e10 operations: PEEPHOLE_LARGE_MODELS=1 does it all the same");
      return;
    }
  draw_weights (model, &random);
  /* A softmax of large numbers is flat: what it reads is not. */
  end = model->graph->outputs->pdata[0];
  if (end->producer->op == &ph_op_Softmax)
    end = ph_node_input (end->producer, 0);
  g_ptr_array_add (names, (gpointer) end->name);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      g_autofree char *file = NULL;
      PhTensor *tensor;

      /* Old files have their initializers among the inputs. */
      if (input->tensor != NULL)
        continue;
      file = g_strdup_printf ("%s/test_data_set_0/input_%u.pb", folder, fed++);
      tensor = ph_tensor_load (file, NULL, NULL, &error);
      g_assert_no_error (error);
      g_hash_table_insert (values, g_strdup (input->name), tensor);
      if (ph_dtype_is_float (ph_tensor_dtype (tensor)))
        g_ptr_array_add (names, (gpointer) input->name);
    }
  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhValue *value = model->graph->constants->pdata[i];

      if (value->type->dtype == PH_FLOAT && ph_tensor_count (value->tensor) > 4 && ph_value_n_uses (value) > 0)
        g_ptr_array_add (names, (gpointer) value->name);
    }
  g_ptr_array_add (names, NULL);
  check_adjoint (model, (const char *const *) names->pdata, values, in_double, in_double ? 1e-12 : 1e-4, path, &error);
  g_assert_no_error (error);
}

static void
test_net (gconstpointer data)
{
  g_autofree char *folder = g_path_get_dirname (data);

  check_net (data, folder, FALSE);
  check_net (data, folder, TRUE);
}

/* Models as they are used; in double, where nothing is left of rounding. */
static void
test_model (gconstpointer data)
{
  g_autofree char *path = g_build_filename (data, "model.onnx", NULL);

  check_net (path, data, TRUE);
}

int
main (int argc, char *argv[])
{
  g_autoptr (GArray) cases = NULL;
  g_autofree char *data_dir = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR") != NULL ? g_getenv ("PEEPHOLE_DATA_DIR") : ".",
                                                "gradients", NULL);
  g_autofree char *parent = g_path_get_dirname (data_dir), *models_dir = g_build_filename (parent, "models", "io", NULL);
  g_autoptr (GDir) dir = g_dir_open (data_dir, 0, NULL), models = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/jvp/textbook", test_textbook);
  g_test_add_func ("/jvp/second", test_second);
  cases = collect_cases (more_cases, G_N_ELEMENTS (more_cases));
  for (guint i = 0; i < cases->len; i++)
    {
      const Case *row = &g_array_index (cases, Case, i);
      g_autofree char *path = g_strdup_printf ("/jvp/row/%s/%u", row->op, i);

      g_test_add_data_func (path, row, test_row);
    }
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/jvp/net/%s", name);

      g_test_add_data_func_full (path, g_build_filename (data_dir, name, "model.onnx", NULL), test_net, g_free);
    }
  if (dir == NULL)
    g_print ("# %s is not there: no tangents of nets were compared\n", data_dir);
  models = g_dir_open (models_dir, 0, NULL);
  while (models != NULL && (name = g_dir_read_name (models)) != NULL)
    {
      g_autofree char *path = g_strdup_printf ("/jvp/model/%s", name);

      g_test_add_data_func_full (path, g_build_filename (models_dir, name, NULL), test_model, g_free);
    }
  return g_test_run ();
}
