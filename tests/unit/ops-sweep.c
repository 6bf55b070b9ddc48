/* ops-sweep.c: one sweep over the registry: what every operator declares, and every gradient against central differences.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/ops/formula.h"
#include "core/ops/infer.h"
#include "core/ops/op.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "passes/pass.h"
#include "tests/unit/ops-cases.h"

/* An operator's example is the first row; these are the others. */
static const Case more_cases[] = {
#include "tests/unit/ops-sweep-cases.inc"
#include "tests/unit/ops-sweep-forms.inc"
#include "tests/unit/ops-sweep-inputs.inc"
#include "tests/unit/ops-sweep-moves.inc"
};

static GArray *cases; /* (element-type Case) all */

typedef enum
{
  PLAIN,
  SYMBOLIC,
  OPTIMISED
} Manner;

/* Declarations */

static gboolean
makes_floats (const PhOp *op)
{
  for (guint k = 0; k < PH_MAX_ARGS && op->outputs[k].name != NULL; k++)
    if (op->outputs[k].types & PH_FLOATS)
      return TRUE;
  return FALSE;
}

/* A gradient that a function builds is told to people as well. */
static void
check_grad_text (const PhOp *op, GString *wrong)
{
  gboolean any = op->grad_build == NULL;

  for (guint i = 0; op->grad_build != NULL && i < PH_MAX_ARGS && op->inputs[i].name != NULL; i++)
    {
      g_autofree char *text = ph_op_gradient_text (op, NULL, i);

      any |= text != NULL;
      if (text == NULL && op->grad[i] == NULL && (op->inputs[i].types & PH_FLOATS) != 0
          && ((op->no_grad | op->no_rule) >> i & 1) == 0)
        g_string_append_printf (wrong, "\n%s does not say its gradient by %s in grad_text", op->name, op->inputs[i].name);
    }
  g_autofree char *captures = ph_op_gradient_text (op, NULL, G_MAXUINT);
  if (!any && captures == NULL)
    g_string_append_printf (wrong, "\n%s does not say its gradient in grad_text", op->name);
}

static void
test_declared (void)
{
  guint n;
  const PhOp *const *ops = ph_op_list (&n);
  g_autoptr (GString) wrong = g_string_new (NULL);

  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < n; i++)
    {
      const PhOp *op = ops[i];

      if (op->doc == NULL || strlen (op->doc) < 10 || !g_str_has_suffix (op->doc, "."))
        g_string_append_printf (wrong, "\n%s has no sentence of documentation", op->name);
      if (ph_op_find (op->domain, op->name) != op)
        g_string_append_printf (wrong, "\n%s is listed twice", op->name);
      if (op->family == PH_FAMILY_OTHER || op->family >= PH_FAMILY_FUSED)
        g_string_append_printf (wrong, "\n%s has no family", op->name);
      for (guint k = 0; k < G_N_ELEMENTS (op->main_attrs) && op->main_attrs[k] != NULL; k++)
        if (ph_op_attr (op, op->main_attrs[k]) == NULL)
          g_string_append_printf (wrong, "\n%s has no attribute %s, which is to be its main one", op->name, op->main_attrs[k]);
      if (op->since < 1 || op->since > 28)
        g_string_append_printf (wrong, "\n%s says since %d", op->name, op->since);
      if (op->infer == NULL)
        g_string_append_printf (wrong, "\n%s infers no types", op->name);
      if (!ph_op_executable (op) && strstr (op->doc, "execute") == NULL)
        g_string_append_printf (wrong, "\n%s has no kernel and its documentation does not say that it cannot be executed",
                                op->name);
      if (ph_op_differentiable (op) && op->flags & PH_OP_NO_GRADIENT)
        g_string_append_printf (wrong, "\n%s has a gradient and says that it has none", op->name);
      if (op->expand != NULL && op->flags & PH_OP_NO_GRADIENT && makes_floats (op))
        g_string_append_printf (wrong, "\n%s is spelt out in operators that may have gradients, and says that it has none",
                                op->name);
      check_grad_text (op, wrong);
    }
  if (wrong->len > 0)
    g_error ("in the registry:%s", wrong->str);
  g_assert_null (ph_op_find (NULL, "Conjure"));
  g_assert_null (ph_op_find ("com.example", "Add"));
  g_assert_true (ph_op_find ("ai.onnx", "Add") == ph_op_find (NULL, "Add"));
}

/* A node of @op with inputs of @dtype. */
static PhNode *
node_of (PhModel *model, const PhOp *op, guint n_inputs, PhDType dtype)
{
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_inputs + 1);
  PhNodeSpec spec = { .op = op,
                      .op_type = op->name,
                      .domain = op->domain != NULL ? op->domain : "",
                      .inputs = inputs,
                      .n_inputs = n_inputs,
                      .n_outputs = 1 };
  g_autoptr (GError) error = NULL;
  PhNode *node;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);

      inputs[i] = ph_graph_add_input (model->graph, name, ph_type_unranked (dtype), NULL, G_MAXUINT, &error);
      g_assert_no_error (error);
    }
  node = ph_graph_add_node (model->graph, &spec, &error);
  g_assert_no_error (error);
  return node;
}

static void
test_rejects (void)
{
  guint n_ops;
  const PhOp *const *ops = ph_op_list (&n_ops);

  for (guint i = 0; i < n_ops; i++)
    {
      const PhOp *op = ops[i];
      guint min;
      gboolean variadic;
      guint n = ph_op_n_inputs (op, &min, &variadic);
      g_autoptr (PhModel) few = ph_model_new (), many = ph_model_new (), wrong = ph_model_new ();
      g_autoptr (GError) error = NULL;
      PhDType refused = PH_UNDEFINED;

      if (min > 0)
        {
          g_assert_false (ph_op_check (op, node_of (few, op, min - 1, PH_FLOAT), &error));
          g_assert_error (error, PH_ERROR, PH_ERROR_TYPE);
          g_assert_nonnull (strstr (error->message, op->name));
          g_clear_error (&error);
        }
      if (!variadic)
        {
          g_assert_false (ph_op_check (op, node_of (many, op, n + 1, PH_FLOAT), &error));
          g_assert_error (error, PH_ERROR, PH_ERROR_TYPE);
          g_clear_error (&error);
        }
      for (PhDType dtype = PH_FLOAT; n > 0 && dtype < PH_N_DTYPES; dtype++)
        if (!(op->inputs[0].types & (G_GUINT64_CONSTANT (1) << dtype)))
          refused = dtype;
      if (refused != PH_UNDEFINED && min > 0)
        {
          g_assert_false (ph_op_check (op, node_of (wrong, op, min, refused), &error));
          g_assert_true (g_error_matches (error, PH_ERROR, PH_ERROR_TYPE)
                         || g_error_matches (error, PH_ERROR, PH_ERROR_ELEMENT_TYPE));
        }
    }
}

/* Gradients */

static GHashTable *
run (PhModel *model, GHashTable *feeds, GPtrArray *wanted)
{
  g_autoptr (GError) error = NULL;
  GHashTable *results = ph_run_model (model, feeds, wanted, &(PhRunOptions) { .seed = 1, .reference = TRUE }, &error);

  g_assert_no_error (error);
  return results;
}

/* sum (y * cotangent) */
static double
loss (PhModel *model, GHashTable *feeds, PhValue *y, PhTensor *cotangent)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) results = NULL;
  PhTensor *tensor;
  double sum = 0;

  g_ptr_array_add (wanted, y);
  results = run (model, feeds, wanted);
  tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (y->id));
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    sum += ph_tensor_get (tensor, i) * ph_tensor_get (cotangent, i);
  return sum;
}

static void
check_cost (PhModel *model, const Case *row)
{
  PH_FOREACH_NODE (node, model->graph)
    if (g_str_equal (node->op_type, row->op) && node->op != NULL)
      {
        gint64 flops = ph_node_flops (node);

        if (!ph_type_is_static (ph_node_output (node, 0)->type))
          continue;
        if (flops < 0 || (flops == 0 && !(node->op->flags & (PH_OP_DATA_MOVEMENT | PH_OP_SHAPE_ONLY))))
          g_error ("%s costs %" G_GINT64_FORMAT " in: %s", row->op, flops, row->body);
      }
}

static void
run_pipeline (PhModel *model, PhHistory *history, const char *name, const Case *row)
{
  const PhPipeline *pipeline = ph_pipeline_find (name);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  g_autoptr (GError) error = NULL;

  options.verify = TRUE;
  options.allow = pipeline->allow;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    if (!ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error))
      g_error ("%s: %s: %s", row->body, pipeline->passes[i], error->message);
}

/* The gradient by @input, which autodiff built, against central differences. */
static void
check_gradient (const Case *row, Manner manner, PhModel *model, GHashTable *feeds, PhTensor *cotangent, const Input *input)
{
  const double step = row->single ? 0.01 : 1e-6, tolerance = row->single ? 2e-4 : 1e-6;
  g_autofree char *name = g_strdup_printf ("grad_%s", input->name);
  PhValue *gradient = ph_model_find_value_named (model, name);
  PhValue *y = ph_model_find_value_named (model, "y"); /* another one where an operator was spelt out */
  PhTensor *at = g_hash_table_lookup (feeds, ph_model_find_value_named (model, input->name)), *slope;
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) found = NULL;
  double *data = (double *) ph_tensor_data (at);

  if (gradient == NULL)
    g_error ("%s: there is no gradient by %s", row->body, input->name);
  g_ptr_array_add (wanted, gradient);
  found = run (model, feeds, wanted);
  slope = g_hash_table_lookup (found, GUINT_TO_POINTER (gradient->id));
  if (ph_tensor_rank (slope) != input->rank || memcmp (ph_tensor_dims (slope), input->dims, input->rank * sizeof (gint64)) != 0)
    g_error ("%s: the gradient by %s has another shape", row->body, input->name);
  for (gsize k = 0; k < ph_tensor_count (at); k++)
    {
      double keep = data[k], up, down, expected, actual = ph_tensor_get (slope, k);

      data[k] = keep + step;
      up = loss (model, feeds, y, cotangent);
      data[k] = keep - step;
      down = loss (model, feeds, y, cotangent);
      data[k] = keep;
      expected = (up - down) / (2 * step);
      if (!(fabs (actual - expected) <= tolerance + 10 * tolerance * fabs (expected)))
        g_error ("%s%s: d/d%s[%" G_GSIZE_FORMAT "] is %.10g, central differences give %.10g", row->body,
                 manner == SYMBOLIC    ? " (symbolic shapes)"
                 : manner == OPTIMISED ? " (train, grad, O2)"
                                       : "",
                 input->name, k, actual, expected);
    }
}

/* Indices that a gradient moves about as its operator moves data go through no operator that runtimes have for floats only. */
static void
check_index_maps (const Case *row, PhModel *model)
{
  static const char *const floats_only[] = { "Resize",  "DepthToSpace", "SpaceToDepth", "GridSample",
                                             "MaxPool", "MaxUnpool",    "Col2Im",       NULL };

  for (const PhNode *node = model->graph->first; node != NULL; node = node->next)
    if (node->role == PH_ROLE_BACKWARD && g_strv_contains (floats_only, node->op_type) && ph_node_input (node, 0)->type != NULL
        && ph_node_input (node, 0)->type->dtype == PH_INT64)
      g_error ("%s: its gradient has %s of int64, which runtimes do not have", row->body, node->op->name);
}

static void
check_row (const Case *row, Manner manner)
{
  const gboolean symbolic = manner == SYMBOLIC;
  g_autoptr (GArray) inputs = parse_inputs (row->inputs);
  g_autofree char *text = model_text (row, inputs, symbolic);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, row->body, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free), wanted = g_ptr_array_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (20);
  g_autoptr (PhTensor) cotangent = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  const char *arguments[] = { "y", NULL };
  PhTensor *tensor;
  PhValue *y;

  g_assert_no_error (error);
  ph_infer_model (model, FALSE, problems, NULL);
  if (problems->len > 0)
    g_error ("%s: %s", row->body, (char *) problems->pdata[0]);
  if (!symbolic)
    check_cost (model, row);

  for (guint i = 0; i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);

      tensor = ph_tensor_new (PH_DOUBLE, input->rank, input->dims);
      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        ((double *) ph_tensor_writable (tensor))[k] = g_rand_double_range (random, row->low, row->high);
      g_hash_table_insert (feeds, ph_model_find_value_named (model, input->name), tensor);
    }

  /* The type that was inferred holds, and is complete unless the data decide on it, or a sequence whose items may differ. */
  y = ph_model_find_value_named (model, "y");
  g_ptr_array_add (wanted, y);
  results = run (model, feeds, wanted);
  tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (y->id));
  if (y->type == NULL || !ph_type_fits (y->type, tensor)
      || (!symbolic && !ph_type_is_static (y->type) && !g_str_equal (row->op, "Compress")
          && strstr (row->op, "Sequence") == NULL))
    {
      g_autofree char *type = ph_type_to_string (y->type), *value = ph_tensor_to_string (tensor, 0);

      g_error ("%s: y follows to be %s, but is %s", row->body, type, value);
    }
  cotangent = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
  for (gsize k = 0; k < ph_tensor_count (cotangent); k++)
    ((double *) ph_tensor_writable (cotangent))[k] = g_rand_double_range (random, -1, 1);

  if (manner == OPTIMISED)
    run_pipeline (model, history, "train", row);
  options.verify = TRUE;
  options.arguments = arguments;
  if (!ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error))
    {
      /* Some gradients need a rank or a size; then they say so. */
      if (!symbolic || !g_error_matches (error, PH_ERROR, PH_ERROR_UNSUPPORTED))
        g_error ("%s: %s", row->body, error->message);
      return;
    }
  check_index_maps (row, model);
  if (manner == OPTIMISED)
    run_pipeline (model, history, "O2", row);
  g_hash_table_insert (feeds, ph_model_find_value_named (model, "grad_y"), ph_tensor_ref (cotangent));

  for (guint i = 0; i < inputs->len; i++)
    check_gradient (row, manner, model, feeds, cotangent, &g_array_index (inputs, Input, i));
}

/* The gradient of the gradient by the first input, against differences of that. What cannot be differentiated twice says so. */
static void
test_twice (gconstpointer of)
{
  const Case *row = of;
  g_autoptr (GArray) inputs = parse_inputs (row->inputs);
  g_autofree char *text = model_text (row, inputs, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, row->body, &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GPtrArray) wanted = g_ptr_array_new (), arguments = g_ptr_array_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (21);
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  const double step = row->single ? 0.01 : 1e-6, tolerance = row->single ? 1e-3 : 1e-5;
  g_autofree char *name = g_strdup_printf ("grad_%s", g_array_index (inputs, Input, 0).name);
  g_autoptr (PhTensor) cotangent = NULL;
  PhValue *first, *seed;
  guint n_before;

  g_assert_no_error (error);
  ph_infer_model (model, FALSE, NULL, NULL);
  options.verify = TRUE;
  options.arguments = (const char *[]) { "y", g_array_index (inputs, Input, 0).name, NULL };
  ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error);
  g_assert_no_error (error);
  n_before = model->graph->outputs->len;
  g_ptr_array_add (arguments, name);
  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (arguments, g_array_index (inputs, Input, i).name);
  g_ptr_array_add (arguments, NULL);
  options.arguments = (const char *const *) arguments->pdata;
  if (!ph_pass_run (ph_pass_find ("autodiff"), model, history, &options, &error))
    g_error ("%s: twice: %s", row->body, error->message);
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      gint64 dims[PH_MAX_RANK];
      PhTensor *tensor;

      for (guint k = 0; k < input->type->rank; k++)
        dims[k] = input->type->dims[k].size;
      tensor = ph_tensor_new (PH_DOUBLE, input->type->rank, dims);
      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        ((double *) ph_tensor_writable (tensor))[k] = g_str_has_prefix (input->name, "grad_")
                                                          ? g_rand_double_range (random, -1, 1)
                                                          : g_rand_double_range (random, row->low, row->high);
      g_hash_table_insert (feeds, input, tensor);
    }
  first = ph_model_find_value_named (model, name);
  seed = model->graph->inputs->pdata[model->graph->inputs->len - 1];
  cotangent = ph_tensor_ref (g_hash_table_lookup (feeds, seed));
  for (guint i = 0; i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);
      PhTensor *at = g_hash_table_lookup (feeds, ph_model_find_value_named (model, input->name)), *slope;
      PhValue *second = model->graph->outputs->pdata[n_before + i];
      double *data = (double *) ph_tensor_data (at);
      g_autoptr (GHashTable) found = NULL;

      g_ptr_array_set_size (wanted, 0);
      g_ptr_array_add (wanted, second);
      found = run (model, feeds, wanted);
      slope = g_hash_table_lookup (found, GUINT_TO_POINTER (second->id));
      for (gsize k = 0; k < ph_tensor_count (at); k++)
        {
          double keep = data[k], up, down, expected, actual = ph_tensor_get (slope, k);

          data[k] = keep + step;
          up = loss (model, feeds, first, cotangent);
          data[k] = keep - step;
          down = loss (model, feeds, first, cotangent);
          data[k] = keep;
          expected = (up - down) / (2 * step);
          if (!(fabs (actual - expected) <= tolerance + 10 * tolerance * fabs (expected)))
            g_error ("%s: twice: d/d%s[%" G_GSIZE_FORMAT "] of the gradient by %s is %.10g, central differences give %.10g",
                     row->body, input->name, k, g_array_index (inputs, Input, 0).name, actual, expected);
        }
    }
}

static void
test_gradient (gconstpointer data)
{
  check_row (data, PLAIN);
  check_row (data, SYMBOLIC);
  check_row (data, OPTIMISED);
}

/* What the rows feed and read: bit i of @fed: input i of the operator depends on an input of the row; of @read: output i is used. */
typedef struct
{
  guint fed, read;
} Seen;

static void
see_graph (PhGraph *graph, GHashTable *active, GHashTable *seen)
{
  PH_FOREACH_NODE (node, graph)
    {
      gboolean any = FALSE;
      Seen *of;

      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        see_graph (node->graphs->pdata[i], active, seen);
      if (node->op == NULL)
        continue;
      of = g_hash_table_lookup (seen, node->op);
      if (of == NULL)
        g_hash_table_insert (seen, (gpointer) node->op, of = g_new0 (Seen, 1));
      for (guint i = 0; i < node->inputs->len; i++)
        if (ph_node_input (node, i) != NULL && g_hash_table_contains (active, ph_node_input (node, i)))
          {
            of->fed |= 1u << MIN (i, 31);
            any = TRUE;
          }
      for (guint i = 0; i < node->outputs->len; i++)
        {
          if (ph_value_n_uses (ph_node_output (node, i)) > 0)
            of->read |= 1u << MIN (i, 31);
          if (any)
            g_hash_table_add (active, ph_node_output (node, i));
        }
    }
}

static void
test_all_have_rows (void)
{
  g_autoptr (GString) missing = g_string_new (NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint n;
  const PhOp *const *ops = ph_op_list (&n);

  for (guint k = 0; k < cases->len; k++)
    {
      const Case *row = &g_array_index (cases, Case, k);
      g_autoptr (GArray) inputs = parse_inputs (row->inputs);
      g_autofree char *text = model_text (row, inputs, FALSE);
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, row->body, &error);
      g_autoptr (GHashTable) active = g_hash_table_new (NULL, NULL);

      g_assert_no_error (error);
      for (guint i = 0; i < model->graph->inputs->len; i++)
        g_hash_table_add (active, model->graph->inputs->pdata[i]);
      see_graph (model->graph, active, seen);
    }
  for (guint i = 0; i < n; i++)
    {
      const PhOp *op = ops[i];
      const gboolean differentiable = ph_op_differentiable (op);
      const Seen *of = g_hash_table_lookup (seen, op);

      /* What is refused is tested by what it is refused for; what is spelt out, by what it is spelt in. */
      if (!makes_floats (op) || (!differentiable && !(op->flags & PH_OP_NO_GRADIENT)) || (op->flags & PH_OP_ANY_KIND)
          || op->kernel == NULL)
        continue;
      for (guint k = 0; k < PH_MAX_ARGS && op->inputs[k].name != NULL; k++)
        if ((op->inputs[k].types & (PH_T (DOUBLE) | PH_T (FLOAT))) != 0 && !(op->no_rule >> k & 1)
            && (of == NULL || !(of->fed >> k & 1)))
          g_string_append_printf (missing, "\n%s: its input %u '%s' is not fed", op->name, k, op->inputs[k].name);
      for (guint k = 0; differentiable && k < PH_MAX_ARGS && op->outputs[k].name != NULL; k++)
        if ((op->outputs[k].types & PH_T (FLOAT)) != 0 && (of == NULL || !(of->read >> k & 1)))
          g_string_append_printf (missing, "\n%s: its output %u '%s' is not read", op->name, k, op->outputs[k].name);
    }
  if (missing->len > 0)
    g_error ("without an example and a row of ops-sweep-*.inc:%s", missing->str);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/declared", test_declared);
  g_test_add_func ("/ops/rejects", test_rejects);
  g_test_add_func ("/ops/all-gradients-have-rows", test_all_have_rows);
  cases = collect_cases (more_cases, G_N_ELEMENTS (more_cases));
  for (guint i = 0; i < cases->len; i++)
    {
      const Case *row = &g_array_index (cases, Case, i);
      g_autofree char *path = g_strdup_printf ("/ops/gradient/%s/%u", row->op, i),
                      *twice = g_strdup_printf ("/ops/twice/%s/%u", row->op, i);

      g_test_add_data_func (path, row, test_gradient);
      g_test_add_data_func (twice, row, test_twice);
    }
  status = g_test_run ();
  g_array_unref (cases);
  return status;
}
