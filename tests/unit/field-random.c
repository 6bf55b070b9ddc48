/* field-random.c: random graphs and random changes of them: what exact evaluation calls equal gives the same in double.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/history.h"
#include "core/io/io.h"
#include "core/ops/builder.h"
#include "core/ops/infer.h"
#include "core/prove/field/field.h"
#include "core/run/executor.h"

#include <math.h>

#define GRAPHS  60
#define CHANGES 12
#define LIMIT   1e-9 /* relative; a last bit of a float constant moves more than that */

/* ── random graphs: every value is [3, 3], so that anything may take the place of anything ── */

/* clang-format off */
static const PhOp *const unary[] = {
  &ph_op_Neg, &ph_op_Relu, &ph_op_Abs, &ph_op_Exp, &ph_op_Sigmoid, &ph_op_Tanh, &ph_op_Erf, &ph_op_Softplus, &ph_op_HardSwish, &ph_op_Identity,
  &ph_op_Sqrt, &ph_op_Reciprocal, &ph_op_Floor, &ph_op_Sign, &ph_op_Gelu, &ph_op_LeakyRelu, &ph_op_HardSigmoid, &ph_op_Swish, &ph_op_Elu,
};
static const PhOp *const binary[] = {
  &ph_op_Add, &ph_op_Sub, &ph_op_Mul, &ph_op_Div, &ph_op_Max, &ph_op_Min, &ph_op_MatMul, &ph_op_Sum, &ph_op_Mean, &ph_op_PRelu, &ph_op_Gemm,
};
/* clang-format on */
static const PhOp *const compares[] = { &ph_op_Greater, &ph_op_GreaterOrEqual, &ph_op_Less, &ph_op_LessOrEqual, &ph_op_Equal };
static const PhOp *const reductions[] = { &ph_op_ReduceSum,       &ph_op_ReduceMean, &ph_op_ReduceMax, &ph_op_ReduceMin,
                                          &ph_op_ReduceSumSquare, &ph_op_ReduceL2,   &ph_op_ReduceL1 };

#define PICK(rand_, array_) (array_)[g_rand_int_range (rand_, 0, G_N_ELEMENTS (array_))]

static PhTensor *
random_constant (GRand *rand)
{
  static const float short_numbers[] = { 0, 1, -1, 2, 0.5f, 3, 6, -3 };
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, g_rand_boolean (rand) ? 0 : 2, (gint64[]) { 3, 3 });
  float *data = ph_tensor_writable (tensor);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    data[i] = g_rand_boolean (rand) ? PICK (rand, short_numbers) : (float) g_rand_double_range (rand, -2, 2);
  return tensor;
}

static PhValue *
any (GRand *rand, GPtrArray *values)
{
  const guint recent = values->len > 5 && g_rand_boolean (rand) ? values->len - 5 : 0;

  return values->pdata[g_rand_int_range (rand, recent, values->len)];
}

static PhValue *
add_node (GRand *rand, PhBuilder *b, GPtrArray *values)
{
  PhValue *x = any (rand, values), *y = any (rand, values);
  const gint64 axis = g_rand_int_range (rand, 0, 2), all[2] = { 3, 3 };

  switch (g_rand_int_range (rand, 0, 10))
    {
    case 0:
    case 1: return ph_build_node (b, PICK (rand, unary), &x, 1, NULL, 1);
    case 2:
    case 3:
    case 4: return ph_build_node (b, PICK (rand, binary), PH_VALUES_ (x, y), 2, NULL, 1);
    case 5:
      return PH_BUILD (b, Where, ph_build_node (b, PICK (rand, compares), PH_VALUES_ (x, y), 2, NULL, 1), any (rand, values),
                       any (rand, values));
    case 6:
      return PH_BUILD (b, Expand,
                       ph_build_node (b, PICK (rand, reductions), PH_VALUES_ (x, ph_build_ints (b, &axis, 1)), 2, NULL, 1),
                       ph_build_ints (b, all, 2));
    case 7: return PH_BUILD_WITH (b, Softmax, PH_ATTRS (ph_attr_new_int ("axis", axis)), x);
    case 8: return PH_BUILD (b, Transpose, x);
    default: return PH_BUILD (b, Add, x, ph_build_tensor (b, random_constant (rand)));
    }
}

static PhModel *
random_model (GRand *rand)
{
  PhModel *model = ph_model_new ();
  PhBuilder b = { .graph = model->graph };
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  const guint n = g_rand_int_range (rand, 2, 9);

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  for (guint i = 0; i < 2; i++)
    g_ptr_array_add (values, ph_graph_add_input (model->graph, "x", ph_type_static (PH_FLOAT, 2, (gint64[]) { 3, 3 }), NULL,
                                                 G_MAXUINT, &b.error));
  g_ptr_array_add (values, ph_build_tensor (&b, ph_tensor_new_splat (PH_FLOAT, 2, (gint64[]) { 3, 3 }, (float[]) { 2 })));
  for (guint i = 0; i < n && b.error == NULL; i++)
    g_ptr_array_add (values, add_node (rand, &b, values));
  g_assert_no_error (b.error);
  /* whatever nothing reads is seen */
  for (guint i = values->len; i-- > 0;)
    if (((PhValue *) values->pdata[i])->uses->len > 0 || ((PhValue *) values->pdata[i])->producer == NULL)
      g_ptr_array_remove_index (values, i);
  ph_graph_set_output (
      model->graph, 0,
      ph_build_node (&b, &ph_op_Concat, (PhValue **) values->pdata, values->len, PH_ATTRS (ph_attr_new_int ("axis", 0)), 1),
      &b.error);
  g_assert_no_error (b.error);
  return model;
}

/* ── random changes ── */

static PhNode *
any_node (GRand *rand, PhModel *model)
{
  guint at = g_rand_int_range (rand, 0, MAX (model->graph->n_nodes, 1));

  PH_FOREACH_NODE (node, model->graph)
    if (at-- == 0)
      return node;
  return NULL;
}

static void
change_constant (GRand *rand, PhModel *model)
{
  PhValue *value = model->graph->constants->pdata[g_rand_int_range (rand, 0, model->graph->constants->len)], *next;
  PhTensor *tensor;
  GError *error = NULL;
  gsize at;

  if (ph_tensor_dtype (value->tensor) != PH_FLOAT)
    return;
  tensor = ph_tensor_new (PH_FLOAT, ph_tensor_rank (value->tensor), ph_tensor_dims (value->tensor));
  ph_tensor_copy_data (value->tensor, ph_tensor_writable (tensor));
  at = g_rand_int_range (rand, 0, (gint) ph_tensor_count (tensor));
  switch (g_rand_int_range (rand, 0, 3))
    {
    case 0: ((float *) ph_tensor_writable (tensor))[at] = nextafterf (((float *) ph_tensor_writable (tensor))[at], 10); break;
    case 1: ((float *) ph_tensor_writable (tensor))[at] *= -1; break;
    default: ((float *) ph_tensor_writable (tensor))[at] += 0.25f; break;
    }
  next = ph_graph_add_constant (model->graph, ph_model_unique_name (model, "c"), tensor, &error);
  ph_tensor_unref (tensor);
  g_assert_no_error (error);
  ph_value_replace_uses (value, next, &error);
  g_clear_error (&error);
}

/* Another operator of the same kind, the operands the other way round, another value in the place of one, a node less. */
static void
change_node (GRand *rand, PhModel *model)
{
  PhNode *node = any_node (rand, model), *other = any_node (rand, model);
  GError *error = NULL;
  PhBuilder b = { .graph = model->graph, .before = node };
  PhValue *y = NULL, *x = ph_node_input (node, 0), *z = ph_node_input (node, 1);

  switch (g_rand_int_range (rand, 0, 5))
    {
    case 0:
      if (z != NULL && x->type == z->type)
        {
          ph_node_set_input (node, 0, z, &error);
          ph_node_set_input (node, 1, x, NULL);
        }
      break;
    case 1:
      for (guint i = 0; i < G_N_ELEMENTS (unary); i++)
        y = unary[i] == node->op ? ph_build_node (&b, PICK (rand, unary), &x, 1, NULL, 1) : y;
      for (guint i = 0; i < G_N_ELEMENTS (binary); i++)
        y = binary[i] == node->op ? ph_build_node (&b, PICK (rand, binary), PH_VALUES_ (x, z), 2, NULL, 1) : y;
      for (guint i = 0; i < G_N_ELEMENTS (compares); i++)
        y = compares[i] == node->op ? ph_build_node (&b, PICK (rand, compares), PH_VALUES_ (x, z), 2, NULL, 1) : y;
      for (guint i = 0; i < G_N_ELEMENTS (reductions); i++)
        y = reductions[i] == node->op ? ph_build_node (&b, PICK (rand, reductions), PH_VALUES_ (x, z), 2, NULL, 1) : y;
      break;
    case 2:
      if (node->op == &ph_op_Softmax)
        {
          PhAttr *axis = ph_attr_new_int ("axis", g_rand_int_range (rand, 0, 2));

          ph_node_set_attr (node, "axis", axis, &error);
          ph_attr_unref (axis);
        }
      else
        y = x;
      break;
    case 3: y = ph_node_output (other, 0); break;
    default: /* what changes nothing, so that some pairs are equal */
      y = PH_BUILD (&b, Sub, PH_BUILD (&b, Add, ph_node_output (node, 0), model->graph->inputs->pdata[0]),
                    model->graph->inputs->pdata[0]);
      break;
    }
  g_clear_error (&b.error);
  if (y != NULL && y != ph_node_output (node, 0) && y->type == ph_node_output (node, 0)->type)
    ph_value_replace_uses (ph_node_output (node, 0), y, &error);
  g_clear_error (&error);
}

/* ── in double ── */

static PhTensor *
run (PhModel *model, guint seed)
{
  const PhRunOptions options = { .in_double = TRUE };
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;
  const PhValue *output = model->graph->outputs->pdata[0];

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhTensor *tensor = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 3, 3 });

      for (guint k = 0; k < 9; k++)
        ((float *) ph_tensor_writable (tensor))[k] = (float) g_rand_double_range (rand, -3, 3);
      g_hash_table_insert (feeds, model->graph->inputs->pdata[i], tensor);
    }
  results = ph_run_model (model, feeds, NULL, &options, &error);
  g_assert_no_error (error);
  return ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (output->id)));
}

/* Of elements that are numbers on both sides. */
static double
distance (PhModel *a, PhModel *b)
{
  double worst = 0;

  for (guint seed = 0; seed < 6; seed++)
    {
      g_autoptr (PhTensor) x = run (a, seed), y = run (b, seed);
      double most = 0, difference = 0;

      g_assert_cmpuint (ph_tensor_count (x), ==, ph_tensor_count (y));
      for (gsize i = 0; i < ph_tensor_count (x); i++)
        if (isfinite (ph_tensor_get (x, i)) && isfinite (ph_tensor_get (y, i)))
          {
            most = MAX (most, MAX (fabs (ph_tensor_get (x, i)), fabs (ph_tensor_get (y, i))));
            difference = MAX (difference, fabs (ph_tensor_get (x, i) - ph_tensor_get (y, i)));
          }
      if (most < 1e6)
        worst = MAX (worst, difference / MAX (most, 1e-3));
    }
  return worst;
}

static void
test_random (void)
{
  guint equal = 0, pairs = 0, different = 0;
  const char *more = g_getenv ("PEEPHOLE_FIELD_GRAPHS");
  const guint graphs = more != NULL ? (guint) g_ascii_strtoull (more, NULL, 10) : GRAPHS;

  for (guint g = 0; g < graphs; g++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (1000 + g);
      g_autoptr (PhModel) model = random_model (rand);

      for (guint c = 0; c < CHANGES; c++)
        {
          g_autoptr (PhModel) changed = ph_model_clone (model);
          g_autoptr (PhFieldReport) report = NULL;
          double apart;

          if (g_rand_int_range (rand, 0, 3) == 0)
            change_constant (rand, changed);
          else
            change_node (rand, changed);
          report = ph_field_compare (model, changed, NULL, NULL, g + c, NULL, NULL);
          apart = distance (model, changed);
          pairs++;
          different += apart > LIMIT;
          if (report->result != PH_FIELD_EQUAL)
            continue;
          equal++;
          if (apart > LIMIT)
            {
              g_autofree char *was = ph_onnx_text_print (model, 9), *is = ph_onnx_text_print (changed, 9);

              g_error ("graph %u, change %u: called equal, but %g apart in double\n%s\n%s", g, c, apart, was, is);
            }
        }
    }
  g_test_message ("%u pairs: %u differ in double, %u were proved equal", pairs, different, equal);
  g_assert_cmpuint (equal, >, pairs / 10);
  g_assert_cmpuint (different, >, pairs / 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field-random/changes", test_random);
  return g_test_run ();
}
