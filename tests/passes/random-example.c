/* random-example.c: the uses of operators on which the registry is swept, on what a random model has: shapes that fit each other, which the
 * schema does not say.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-gen.h"

#include "core/io/io.h"
#include "tests/unit/ops-cases.h"

static const Case more_cases[] = {
#include "tests/passes/random-example-cases.inc"
#include "tests/unit/ops-sweep-cases.inc"
#include "tests/unit/ops-sweep-forms.inc"
#include "tests/unit/ops-sweep-inputs.inc"
#include "tests/unit/ops-sweep-moves.inc"
};

/* One of the rows of @op by lot. (nullable) */
static const Case *
draw_case (Gen *gen, const PhOp *op)
{
  static GArray *cases;
  g_autoptr (GPtrArray) own = g_ptr_array_new ();

  if (cases == NULL)
    cases = collect_cases (more_cases, G_N_ELEMENTS (more_cases));
  for (guint i = 0; i < cases->len; i++)
    {
      Case *row = &g_array_index (cases, Case, i);

      if (strcmp (row->op, op->name) == 0 && (op->domain == NULL || strstr (row->body, op->domain) != NULL))
        g_ptr_array_add (own, row);
    }
  return own->len > 0 ? own->pdata[gen_below (gen, (int) own->len)] : NULL;
}

/* The row as a model, in single precision as most models are. (nullable) */
static PhModel *
read_case (const Case *row, GArray *inputs)
{
  g_autofree char *text = model_text (row, inputs, FALSE);
  g_autoptr (GString) single = g_string_new (text);

  g_string_replace (single, "double", "float", 0);
  g_string_replace (single, "\"ai.onnx.preview\" : 1", "\"ai.onnx.preview\" : 1, \"ai.onnx.preview.training\" : 1", 0);
  return ph_onnx_text_read (single->str, -1, "row", NULL);
}

/* Elements of a value of the pool, as many as there must be, over and over. (nullable) */
static PhValue *
take_elements (Gen *gen, const Input *input)
{
  gint64 n = 1, n_own = 1, dims[PH_MAX_RANK], all = -1;
  PhValue *x = gen_any (gen);
  int rank = gen_dims (gen, x, dims);
  PhTensor *indices;

  if (rank < 0 || ph_value_dtype (x) != PH_FLOAT)
    return NULL;
  for (int i = 0; i < rank; i++)
    n_own *= dims[i];
  for (guint i = 0; i < input->rank; i++)
    n *= input->dims[i];
  if (n_own == 0)
    return NULL;
  if ((guint) rank == input->rank && memcmp (dims, input->dims, input->rank * sizeof *dims) == 0)
    return x;
  if (n == n_own && ph_value_is_static (x))
    return PH_BUILD (&gen->b, Reshape, x, ph_build_ints (&gen->b, input->dims, input->rank));
  indices = ph_tensor_new (PH_INT64, input->rank, input->dims);
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) ph_tensor_writable (indices))[i] = i % n_own;
  return PH_BUILD (&gen->b, Gather, PH_BUILD (&gen->b, Reshape, x, ph_build_ints (&gen->b, &all, 1)),
                   ph_build_tensor (&gen->b, indices));
}

static PhValue *
make_constant (Gen *gen, const Case *row, const Input *input)
{
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, input->rank, input->dims);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ph_dtype_store (PH_FLOAT, ph_tensor_writable (tensor), i, g_rand_double_range (gen->rand, row->low, row->high));
  return ph_build_tensor (&gen->b, tensor);
}

/* @values: PhValue of the row -> PhValue of the random model. */
static gboolean
copy_node (Gen *gen, PhNode *node, GHashTable *values)
{
  g_autofree PhValue **inputs = g_new0 (PhValue *, node->inputs->len + 1);
  g_autofree PhAttr **attrs = g_new0 (PhAttr *, node->attrs->len + 1);
  PhValue *first;

  if (node->op == NULL || node->graphs != NULL)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);

      if (value == NULL)
        continue;
      if (value->tensor != NULL && !g_hash_table_contains (values, value))
        g_hash_table_insert (values, value, ph_build_tensor (&gen->b, ph_tensor_ref (value->tensor)));
      inputs[i] = g_hash_table_lookup (values, value);
      if (inputs[i] == NULL)
        return FALSE;
    }
  for (guint i = 0; i < node->attrs->len; i++)
    attrs[i] = ph_attr_ref (node->attrs->pdata[i]);
  first = ph_build_node (&gen->b, node->op, inputs, node->inputs->len, attrs, node->outputs->len);
  if (first == NULL)
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      PhValue *made = ph_node_output (first->producer, i);

      g_hash_table_insert (values, ph_node_output (node, i), made);
      if (node->op != &ph_op_Constant)
        gen_keep (gen, made);
    }
  return TRUE;
}

gboolean
gen_example (Gen *gen, const PhOp *op)
{
  const Case *row = draw_case (gen, op);
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) inputs = row != NULL ? parse_inputs (row->inputs) : NULL;
  g_autoptr (PhModel) model = row != NULL ? read_case (row, inputs) : NULL;

  if (model == NULL)
    return FALSE;
  for (guint i = 0; i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);
      PhValue *value = NULL;

      for (guint k = 0; k < 4 && value == NULL && (i == 0 || gen_below (gen, 4) == 0); k++)
        value = take_elements (gen, input);
      if (value == NULL)
        value = make_constant (gen, row, input);
      g_hash_table_insert (values, ph_model_find_value_named (model, input->name), value);
    }
  PH_FOREACH_NODE (node, model->graph)
    if (!copy_node (gen, node, values))
      return FALSE;
  return gen->b.error == NULL;
}
