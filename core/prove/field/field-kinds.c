/* field-kinds.c: the kind of each operator over the field: movement, arithmetic, a body, or an opaque function.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/field/field-graph.h"
#include "core/prove/field/field-number.h"
#include "core/prove/field/field-rules.h"
#include "core/prove/field/field-tensor.h"

#include "core/io/io.h"
#include "core/ops/facts.h"
#include "core/run/executor.h"

/* ── running the operator itself ── */

static const PhRunOptions run_options = { .reference = TRUE };

static void
unref_or_null (gpointer tensor)
{
  if (tensor != NULL)
    ph_tensor_unref (tensor);
}

gboolean
ph_field_run_on (PhFieldNode *self, PhTensor *const *inputs, PhTensor **outputs)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GError) error = NULL;
  g_autofree PhValue **values = g_new0 (PhValue *, self->n_in + 1);
  /* clang-format off */
  PhNodeSpec spec = {
    .op = self->node->op, .op_type = self->node->op_type, .domain = self->node->domain, .inputs = values, .n_inputs = self->n_in,
    .n_outputs = self->n_out, .attrs = (PhAttr *const *) self->node->attrs->pdata, .n_attrs = self->node->attrs->len,
  };
  /* clang-format on */
  PhNode *node;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  if (*self->node->domain != '\0')
    ph_model_set_opset (model, self->node->domain, MAX (1, ph_model_opset (self->node->graph->model, self->node->domain)));
  for (guint i = 0; i < self->n_in && error == NULL; i++)
    if (inputs[i] != NULL)
      values[i] = ph_graph_add_input (model->graph, "i", ph_type_of_tensor (inputs[i]), NULL, G_MAXUINT, &error);
  node = error == NULL ? ph_graph_add_node (model->graph, &spec, &error) : NULL;
  if (node == NULL || !ph_run_node (node, inputs, outputs, &run_options, &error))
    return ph_field_fail (self, "%s", error != NULL ? error->message : "cannot be run");
  return TRUE;
}

/* Executes a node whose inputs are all known. (transfer none) (element-type PhTensor) (nullable) */
static GPtrArray *
run_known (PhFieldNode *self)
{
  PhField *field = self->field;
  GPtrArray *made = field->loops == 0 ? g_hash_table_lookup (field->known, self->node) : NULL;
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, self->n_in + 1), **outputs = g_new0 (PhTensor *, self->n_out + 1);

  if (made != NULL)
    return made;
  for (guint i = 0; i < self->n_in; i++)
    inputs[i] = ph_field_known (self, i);
  if (!ph_run_node (self->node, inputs, outputs, &run_options, NULL))
    return NULL;
  made = g_ptr_array_new_with_free_func (unref_or_null);
  for (guint k = 0; k < self->n_out; k++)
    g_ptr_array_add (made, outputs[k]);
  g_hash_table_replace (field->known, (gpointer) self->node, made);
  return made;
}

/* ── movement ── */

/* Returns TRUE if the formal argument of input @i has the element type of output 0. */
static gboolean
is_data (const PhOp *op, guint i)
{
  const PhOpArg *arg = ph_op_input (op, i);

  return arg != NULL && arg->group != '\0' && arg->group == op->outputs[0].group;
}

/* Runs the operator on element numbers, to see which element goes where. Elements of the data inputs are numbered from 1 on across all
 * inputs; 0 is a zero that the operator inserts. */
static GPtrArray *
find_places (PhFieldNode *self)
{
  PhField *field = self->field;
  GPtrArray *places = field->loops == 0 ? g_hash_table_lookup (field->places, self->node) : NULL;
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, self->n_in + 1), **outputs = g_new0 (PhTensor *, self->n_out + 1);
  gint64 first = 1;
  gboolean ok = TRUE;

  if (places != NULL)
    return places;
  for (guint i = 0; i < self->n_in && ok; i++)
    {
      PhFieldTensor *in = self->in[i];

      if (in == NULL)
        continue;
      if (is_data (self->node->op, i))
        {
          gint64 *at;

          inputs[i] = ph_tensor_new (PH_INT64, in->rank, in->dims);
          at = inputs[i] != NULL ? ph_tensor_writable (inputs[i]) : NULL;
          for (gsize k = 0; at != NULL && k < in->count; k++)
            at[k] = first++;
          ok = at != NULL || ph_field_fail (self, "too large");
        }
      else if (in->known != NULL)
        inputs[i] = ph_tensor_ref (in->known);
      else
        ok = ph_field_fail (self, "where its elements come from is not known");
    }
  if (ok && ph_field_run_on (self, inputs, outputs))
    {
      places = g_ptr_array_new_with_free_func (unref_or_null);
      for (guint k = 0; k < self->n_out; k++)
        g_ptr_array_add (places, outputs[k]);
      g_hash_table_replace (field->places, (gpointer) self->node, places);
    }
  for (guint i = 0; i < self->n_in; i++)
    g_clear_pointer (&inputs[i], ph_tensor_unref);
  return places;
}

gboolean
ph_field_moves (PhFieldNode *self, gconstpointer data)
{
  GPtrArray *places = find_places (self);
  g_autofree gint64 *first = g_new0 (gint64, self->n_in + 2);
  PhFieldTensor *any = NULL;
  double over = 0, under = 0;

  if (places == NULL)
    return FALSE;
  first[0] = 1;
  for (guint i = 0; i < self->n_in; i++)
    {
      PhFieldTensor *in = self->in[i];

      first[i + 1] = first[i];
      if (in == NULL || !is_data (self->node->op, i))
        continue;
      ph_field_parts (self->field, in);
      first[i + 1] += (gint64) in->count;
      any = any != NULL ? any : in;
      over = MAX (over, in->over);
      under = MAX (under, in->under);
    }
  if (any == NULL)
    return ph_field_fail (self, "nothing to move");
  for (guint k = 0; k < self->n_out; k++)
    {
      PhTensor *from = places->pdata[k];
      const gint64 *at;
      PhFieldTensor *out;
      guint i = 0;

      if (from == NULL || ph_tensor_kind (from) != PH_KIND_TENSOR || ph_tensor_dtype (from) != PH_INT64)
        continue;
      out = ph_field_tensor_new (self->field, any->dtype, ph_tensor_rank (from), ph_tensor_dims (from));
      if (out == NULL)
        return FALSE;
      at = ph_tensor_data (from);
      for (gsize n = 0; n < out->count; n++)
        {
          if (at[n] < 0 || at[n] >= first[self->n_in])
            {
              ph_field_tensor_unref (out);
              return ph_field_fail (self, "does more than move elements");
            }
          if (at[n] == 0)
            continue;
          while (at[n] < first[i])
            i--;
          while (at[n] >= first[i + 1])
            i++;
          ph_field_put (out, n, ph_field_at (self->in[i], (gsize) (at[n] - first[i])));
        }
      out->over = over;
      out->under = under;
      self->out[k] = out;
    }
  return TRUE;
}

/* ── opaque functions ── */

static guint64
hash_bytes (guint64 hash, gconstpointer data, gsize n)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < n; i++)
    hash = ph_mix (hash, bytes[i]);
  return hash;
}

static guint64
hash_tensor (PhField *field, guint64 hash, PhFieldTensor *tensor)
{
  ph_field_parts (field, tensor);
  hash = ph_mix (ph_mix (hash, tensor->dtype), tensor->rank);
  for (guint i = 0; i < tensor->rank; i++)
    hash = ph_mix (hash, (guint64) tensor->dims[i]);
  for (gsize i = 0; i < tensor->count; i++)
    hash = ph_mix (hash, tensor->p[i]);
  return hash;
}

static guint64
hash_attr (PhField *field, guint64 hash, const PhAttr *attr)
{
  hash = hash_bytes (ph_mix (hash, attr->kind), attr->name, strlen (attr->name));
  hash = ph_mix (ph_mix (hash, (guint64) attr->i), attr->n);
  hash = hash_bytes (hash, &attr->f, sizeof attr->f);
  for (gsize i = 0; i < attr->n; i++)
    {
      if (attr->ints != NULL)
        hash = ph_mix (hash, (guint64) attr->ints[i]);
      if (attr->floats != NULL)
        hash = hash_bytes (hash, &attr->floats[i], sizeof (float));
      if (attr->strings != NULL)
        hash = hash_bytes (ph_mix (hash, 7), g_bytes_get_data (attr->strings[i], NULL), g_bytes_get_size (attr->strings[i]));
      if (attr->tensors != NULL)
        hash = ph_mix (hash, ph_tensor_hash (attr->tensors[i]));
    }
  if (attr->s != NULL)
    hash = hash_bytes (hash, g_bytes_get_data (attr->s, NULL), g_bytes_get_size (attr->s));
  if (attr->tensor != NULL)
    {
      g_autoptr (PhFieldTensor) tensor = ph_field_tensor_known (attr->tensor);

      hash = hash_tensor (field, hash, tensor);
    }
  return hash;
}

/* Hashes the operator and its attributes, independent of their order. */
guint64
ph_field_hash_node (PhFieldNode *self)
{
  guint64 hash = ph_field_salt (self->field, self->node->op_type), attrs = 0;

  hash = hash_bytes (hash, self->node->domain, strlen (self->node->domain));
  for (guint i = 0; i < self->node->attrs->len; i++)
    {
      const PhAttr *attr = self->node->attrs->pdata[i];
      const PhOpAttr *declared = self->node->op != NULL ? ph_op_attr (self->node->op, attr->name) : NULL;

      /* a default value may be omitted */
      if (declared != NULL && declared->fallback != NULL)
        {
          g_autofree char *text = ph_attr_value_to_string (attr);
          const double number = attr->kind == PH_ATTR_FLOAT ? (double) attr->f : 0;

          if (g_str_equal (text, declared->fallback)
              || (attr->kind == PH_ATTR_FLOAT && (float) g_ascii_strtod (declared->fallback, NULL) == (float) number))
            continue;
        }
      attrs += hash_attr (self->field, self->field->salt, attr);
    }
  return ph_mix (hash, attrs);
}

/* Infers the types of the outputs for the present shapes of the inputs. */
static gboolean
infer_outputs (PhFieldNode *self, const PhType **types)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GError) error = NULL;
  g_autofree PhValue **values = g_new0 (PhValue *, self->n_in + 1);
  PhBuilder b = { .graph = model->graph };
  g_autofree PhAttr **attrs = g_new0 (PhAttr *, self->node->attrs->len + 1);
  PhValue *first;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  if (*self->node->domain != '\0')
    ph_model_set_opset (model, self->node->domain, MAX (1, ph_model_opset (self->node->graph->model, self->node->domain)));
  for (guint i = 0; i < self->n_in && error == NULL; i++)
    if (self->in[i] != NULL)
      values[i] = self->in[i]->known != NULL
                      ? ph_graph_add_constant (model->graph, "c", self->in[i]->known, &error)
                      : ph_graph_add_input (model->graph, "i",
                                            ph_type_static (self->in[i]->dtype, self->in[i]->rank, self->in[i]->dims), NULL,
                                            G_MAXUINT, &error);
  if (error != NULL)
    return FALSE;
  for (guint i = 0; i < self->node->attrs->len; i++)
    attrs[i] = ph_attr_ref (self->node->attrs->pdata[i]);
  first = ph_build_node (&b, self->node->op, values, self->n_in, attrs, self->n_out);
  if (!ph_builder_finish (&b, &error) || first == NULL)
    return FALSE;
  for (guint k = 0; k < self->n_out; k++)
    types[k] = ph_node_output (first->producer, k)->type;
  return TRUE;
}

gboolean
ph_field_opaque (PhFieldNode *self, gconstpointer data)
{
  guint64 hash = ph_field_hash_node (self);
  g_autofree const PhType **types = g_new0 (const PhType *, self->n_out + 1);

  if (self->node->op == NULL || self->node->graphs != NULL)
    return ph_field_fail (self, "nothing is known of it");
  if (!infer_outputs (self, types))
    return ph_field_fail (self, "the shape of its outputs is not known");
  for (guint i = 0; i < self->n_in; i++)
    hash = self->in[i] != NULL ? hash_tensor (self->field, ph_mix (hash, i), self->in[i]) : hash;
  for (guint k = 0; k < self->n_out; k++)
    {
      gint64 dims[PH_MAX_RANK];
      PhFieldTensor *out;

      if (types[k] == NULL || types[k]->kind != PH_KIND_TENSOR || !ph_type_is_static (types[k]))
        continue; /* an error, where something reads it */
      for (guint i = 0; i < types[k]->rank; i++)
        dims[i] = types[k]->dims[i].size;
      out = ph_field_tensor_new (self->field, types[k]->dtype, types[k]->rank, dims);
      if (out == NULL)
        return FALSE;
      for (gsize i = 0; i < out->count; i++)
        {
          PhNum number = ph_field_hash (self->field, ph_mix (ph_mix (hash, k), i));

          ph_field_put (out, i, types[k]->dtype == PH_BOOL ? ph_num_int (number.p & 1) : number);
        }
      self->field->hashed += (double) out->count;
      if (types[k]->dtype == PH_BOOL)
        self->field->least_signs = MIN (self->field->least_signs, out->count);
      self->out[k] = out;
    }
  return TRUE;
}

/* ── bodies ── */

static gboolean
run_body (PhFieldNode *self, PhGraph *body, PhFieldTensor *const *in, guint n_in, PhFieldTensor **out, guint n_out)
{
  PhField *field = self->field;
  gboolean ok;

  if (field->depth >= 48 || n_in > body->inputs->len || n_out > body->outputs->len)
    return ph_field_fail (self, "its body does not fit");
  for (guint i = 0; i < n_in; i++)
    if (in[i] != NULL)
      g_hash_table_insert (field->values, body->inputs->pdata[i], ph_field_tensor_ref (in[i]));
    else
      g_hash_table_remove (field->values, body->inputs->pdata[i]);
  field->depth++;
  ok = ph_field_run_graph (field, body);
  field->depth--;
  for (guint k = 0; k < n_out && ok; k++)
    {
      PhFieldTensor *made = ph_field_value (field, body->outputs->pdata[k]);

      ok = made != NULL || ph_field_fail (self, "an output of its body has no value");
      out[k] = made != NULL ? ph_field_tensor_ref (made) : NULL;
    }
  return ok;
}

static gboolean
run_if (PhFieldNode *self)
{
  PhTensor *condition = ph_field_known (self, 0);
  PhGraph *branch;

  if (condition == NULL || ph_tensor_count (condition) != 1)
    return ph_field_fail (self, "its condition depends on the inputs");
  branch = ph_node_graph (self->node, ph_tensor_get_int (condition, 0) ? "then_branch" : "else_branch");
  return branch != NULL && run_body (self, branch, NULL, 0, self->out, self->n_out);
}

/* Runs the call of a model-local function. */
static gboolean
run_function (PhFieldNode *self, const PhFunction *function)
{
  g_autoptr (GError) error = NULL;
  PhField *field = self->field;
  PhModel *model = g_hash_table_lookup (field->functions, self->node);

  if (model == NULL)
    {
      model = ph_io_open_function (function, self->node, &error);
      if (model == NULL)
        return ph_field_fail (self, "%s", error->message);
      g_hash_table_insert (field->functions, (gpointer) self->node, model);
      if (ph_model_opset (model, "") > 0 && ph_model_opset (model, "") < PH_OPSET_NEWEST)
        return ph_field_fail (self, "its function is of an older opset");
    }
  return run_body (self, model->graph, self->in, self->n_in, self->out, self->n_out);
}

/* ── one node ── */

static PhFieldRule
rule_of (const PhOp *op, gconstpointer *data)
{
  PhFieldRule rule = ph_field_elementwise_rule (op, data);

  if (rule == NULL)
    rule = ph_field_copy_rule (op, data);
  if (rule == NULL)
    rule = ph_field_linear_rule (op, data);
  if (rule == NULL)
    rule = ph_field_quantize_rule (op, data);
  if (rule == NULL)
    rule = ph_field_reduce_rule (op, data);
  if (rule == NULL)
    rule = ph_field_spelt_rule (op, data);
  if (rule == NULL && ((op->flags & PH_OP_DATA_MOVEMENT) || op == &ph_op_Trilu))
    rule = ph_field_moves;
  return rule;
}

/* Returns TRUE if all inputs from @first on are known. */
static gboolean
are_known (PhFieldNode *self, guint first)
{
  for (guint i = first; i < self->n_in; i++)
    if (self->in[i] != NULL && self->in[i]->known == NULL)
      return FALSE;
  return TRUE;
}

/* Runs the node on zeros of @dtype in the shape of its first input. Its result is the same at each point, so it is kept. (transfer none)
 * (element-type PhTensor) (nullable) */
static GPtrArray *
run_on_zeros (PhFieldNode *self, PhDType dtype)
{
  PhField *field = self->field;
  GPtrArray *made = field->loops == 0 ? g_hash_table_lookup (field->places, self->node) : NULL;
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, self->n_in + 1), **outputs = g_new0 (PhTensor *, self->n_out + 1);
  static const guint8 zero[16] = { 0 };
  gboolean ok;

  if (made != NULL)
    return made;
  for (guint i = 1; i < self->n_in; i++)
    inputs[i] = ph_field_known (self, i);
  inputs[0] = ph_tensor_new_splat (dtype, self->in[0]->rank, self->in[0]->dims, zero);
  ok = inputs[0] != NULL ? ph_field_run_on (self, inputs, outputs) : ph_field_fail (self, "too large");
  g_clear_pointer (&inputs[0], ph_tensor_unref);
  if (!ok)
    return NULL;
  made = g_ptr_array_new_with_free_func (unref_or_null);
  for (guint k = 0; k < self->n_out; k++)
    g_ptr_array_add (made, outputs[k]);
  g_hash_table_replace (field->places, (gpointer) self->node, made);
  return made;
}

/* Reads only the shape of its first input. */
static gboolean
run_shape (PhFieldNode *self)
{
  GPtrArray *made;

  if (!are_known (self, 1))
    return ph_field_opaque (self, NULL);
  made = run_on_zeros (self, PH_FLOAT);
  for (guint k = 0; made != NULL && k < self->n_out; k++)
    if (made->pdata[k] != NULL)
      self->out[k] = ph_field_tensor_known (made->pdata[k]);
  return made != NULL;
}

static gboolean
any_float (PhFieldNode *self, gboolean computed)
{
  for (guint i = 0; i < self->n_in; i++)
    if (self->in[i] != NULL && ph_dtype_is_float (self->in[i]->dtype) && (!computed || self->in[i]->p != NULL))
      return TRUE;
  return FALSE;
}

/* Evaluates a node that depends on constants alone. Floats keep their exact value beside the computed one, unless the computed one is asked
 * for. */
static gboolean
run_constant (PhFieldNode *self, PhFieldRule rule, gconstpointer data)
{
  PhField *field = self->field;
  const gboolean fold = (field->reading & PH_FIELD_FOLD) && field->recipe_depth == 0;
  const gboolean exactly = rule == ph_field_moves ? any_float (self, TRUE) : rule != NULL && any_float (self, FALSE) && !fold;
  GPtrArray *made;

  if (exactly && field->recipe_depth > 0 && self->n_out == 1)
    return rule (self, data);
  made = run_known (self);
  if (made == NULL && rule == NULL)
    return ph_field_fail (self, "cannot be executed");
  if (rule != NULL && rule != ph_field_moves && any_float (self, FALSE))
    field->met |= PH_FIELD_FOLD;
  if ((exactly || made == NULL) && !rule (self, data))
    return FALSE;
  for (guint k = 0; k < self->n_out && made != NULL; k++)
    {
      PhTensor *tensor = made->pdata[k];

      if (tensor == NULL)
        continue;
      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
        return ph_field_fail (self, "gives a sequence or optional");
      if (self->out[k] == NULL || !ph_dtype_is_float (self->out[k]->dtype) || self->out[k]->count != ph_tensor_count (tensor))
        {
          g_clear_pointer (&self->out[k], ph_field_tensor_unref);
          self->out[k] = ph_field_tensor_known (tensor);
        }
      else
        {
          if (self->out[k]->known == NULL) /* or it is an input, handed through */
            self->out[k]->known = ph_tensor_ref (tensor);
          for (gsize i = 0; (field->reading & PH_FIELD_EULER) && i < self->out[k]->count; i++)
            ph_field_check_sign (field, ph_tensor_get (tensor, i), ph_field_at (self->out[k], i));
        }
    }
  return TRUE;
}

/* Returns TRUE if the operator gives its first input another shape: then no element need be looked at. */
static gboolean
keeps_order (const PhOp *op)
{
  static const PhOp *const ops[] = { &ph_op_Reshape, &ph_op_Squeeze, &ph_op_Unsqueeze, &ph_op_Flatten, NULL };

  return ph_op_is_any (op, ops);
}

static gboolean
run_reshape (PhFieldNode *self)
{
  GPtrArray *made;
  PhTensor *zeros;

  if (!are_known (self, 1))
    return ph_field_opaque (self, NULL);
  made = run_on_zeros (self, PH_BOOL);
  zeros = made != NULL ? made->pdata[0] : NULL;
  if (zeros != NULL)
    self->out[0] = ph_field_reshaped (self->field, self->in[0], ph_tensor_rank (zeros), ph_tensor_dims (zeros));
  return zeros != NULL;
}

gboolean
ph_field_node (PhFieldNode *self)
{
  const PhNode *node = self->node;
  const PhOp *op = node->op;
  gconstpointer data = NULL;
  PhFieldRule rule;

  if (ph_node_is_fused (node))
    return run_body (self, node->graphs->pdata[0], self->in, self->n_in, self->out, self->n_out);
  if (op == NULL)
    {
      const PhFunction *function = ph_node_function (node);

      return function != NULL ? run_function (self, function)
                              : ph_field_fail (self, "is an operator that Peephole does not know");
    }
  if (op == &ph_op_If)
    return run_if (self);
  if (node->graphs != NULL)
    return ph_field_fail (self, "has a body that runs many times");
  if (op->expand != NULL && (!(op->flags & PH_OP_RANDOM) || op->kernel == NULL))
    return ph_field_spell (self, op->expand);
  if ((op->flags & PH_OP_RANDOM) && op != &ph_op_Dropout)
    return ph_field_fail (self, "is random");
  rule = rule_of (op, &data);
  if (op == &ph_op_Dropout && rule == NULL)
    return ph_field_fail (self, "is random");
  if (are_known (self, 0) && op != &ph_op_Dropout)
    return run_constant (self, rule, data);
  if ((op->flags & PH_OP_SHAPE_ONLY) && self->in[0] != NULL)
    return run_shape (self);
  if (keeps_order (op) && self->in[0] != NULL && self->in[0]->known == NULL)
    return run_reshape (self);
  for (guint i = 0; i < self->n_in; i++)
    if (self->in[i] != NULL && self->in[i]->known == NULL)
      ph_field_parts (self->field, self->in[i]);
  if (rule != NULL)
    {
      const guint at = self->n_in;
      gboolean unknown_index = FALSE;

      for (guint i = 0; i < at && rule == ph_field_moves; i++)
        unknown_index = unknown_index || (self->in[i] != NULL && self->in[i]->known == NULL && !is_data (op, i));
      return unknown_index ? ph_field_opaque (self, NULL) : rule (self, data);
    }
  if (op->flags & PH_OP_ELEMENTWISE)
    return ph_field_unknown_elements (self, NULL);
  return ph_field_opaque (self, NULL);
}
