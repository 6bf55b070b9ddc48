/* infer.c: type and shape inference.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/infer-private.h"

#include "core/graph/edit.h"

/* The number of contradictions reported individually. */
#define MAX_LIES 20

static gboolean infer_graph (PhInferRun *run, PhGraph *graph, GError **error);

/* The interface for infer functions */

const PhNode *
ph_infer_node_of (PhInfer *infer)
{
  return infer->node;
}

const PhType *
ph_infer_type (PhInfer *infer, guint input)
{
  PhValue *value = ph_node_input (infer->node, input);

  return value != NULL ? value->type : NULL;
}

gboolean
ph_infer_has (PhInfer *infer, guint input)
{
  return ph_node_input (infer->node, input) != NULL;
}

PhTensor *
ph_infer_constant (PhInfer *infer, guint input)
{
  PhValue *value = ph_node_input (infer->node, input);

  return value != NULL ? ph_value_constant (value) : NULL;
}

void
ph_infer_set (PhInfer *infer, guint output, const PhType *type)
{
  if (output < infer->node->outputs->len)
    infer->types[output] = type;
}

void
ph_infer_set_shape (PhInfer *infer, guint output, PhDType dtype, guint rank, const PhDim *dims)
{
  ph_infer_set (infer, output, ph_type_tensor (dtype, rank, dims));
}

gboolean
ph_infer_fail (PhInfer *infer, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ph_node_fail_valist (infer->node, error, PH_ERROR_TYPE, format, args);
  va_end (args);
  return FALSE;
}

void
ph_infer_distrust (PhInfer *infer, const PhValue *value, const PhType *declared, const PhType *found)
{
  g_autofree char *said = ph_type_to_string (declared), *is = ph_type_to_string (found);
  g_autoptr (GError) problem = NULL;

  if (infer->run->problems == NULL || infer->run->n_lies++ >= MAX_LIES)
    return;
  ph_node_fail (infer->node, &problem, PH_ERROR_TYPE, "'%s' is declared %s, but its body returns %s: its shape is left open",
                value->name, said, is);
  g_ptr_array_add (infer->run->problems, g_strdup (problem->message));
}

gboolean
ph_infer_restore (PhInfer *infer, PhValue *value, const PhType *declared, GError **error)
{
  if (infer->run->declared != NULL)
    g_hash_table_remove (infer->run->declared, value);
  return ph_value_set_type (value, declared, error);
}

/* Setting types */

/* Returns the inferred type, completed by the declared one where inference is uncertain. @lies: they contradict each other; a declared
 * number does so too if the inferred dimension depends on an open one of an input. */
static const PhType *
inferred_first (const PhType *declared, const PhType *inferred, gboolean *lies)
{
  PhDim dims[PH_MAX_RANK];

  if (declared->kind != PH_KIND_TENSOR || inferred->kind != PH_KIND_TENSOR)
    {
      const PhType *merged = ph_type_merge (declared, inferred);

      *lies = merged == NULL;
      return merged != NULL ? merged : inferred;
    }
  *lies = declared->dtype != inferred->dtype || (declared->has_rank && inferred->has_rank && declared->rank != inferred->rank);
  if (*lies || !declared->has_rank)
    return inferred;
  if (!inferred->has_rank)
    return declared;
  for (guint i = 0; i < inferred->rank; i++)
    {
      const PhDim said = declared->dims[i], found = inferred->dims[i];
      const gboolean unknown = !ph_dim_known (found) && found.symbol == NULL;

      dims[i] = unknown ? said : found;
      *lies |= ph_dim_known (said) && !unknown && !ph_dim_equal (said, found);
    }
  return ph_type_tensor (inferred->dtype, inferred->rank, dims);
}

/* Returns the type of @value, preferring the inferred type over the declared one: the file's may be left over from other input shapes, and
 * rules rely on types. A body is inferred several times; from the second time on its types come from here. */
static const PhType *
correct (PhInferRun *run, const PhNode *node, const PhValue *value, const PhType *inferred)
{
  gboolean lies = FALSE;
  const PhType *type;

  if (run->declared == NULL)
    run->declared = g_hash_table_new (NULL, NULL);
  if (!g_hash_table_add (run->declared, (gpointer) value))
    return ph_type_merge (value->type, inferred);
  type = inferred_first (value->type, inferred, &lies);
  /* A body's inputs are inferred from one iteration, and may be narrower than their declaration for all iterations. */
  if (value->is_input && (type = ph_type_merge (value->type, inferred)) != NULL)
    return type;
  type = type != NULL ? type : inferred;
  if (lies && run->told == NULL)
    run->told = g_hash_table_new (NULL, NULL);
  if (lies && run->problems != NULL && g_hash_table_add (run->told, (gpointer) value) && run->n_lies++ < MAX_LIES)
    {
      g_autofree char *said = ph_type_to_string (value->type), *found = ph_type_to_string (inferred);
      g_autoptr (GError) problem = NULL;

      ph_node_fail (node, &problem, PH_ERROR_TYPE, "'%s' is declared %s, but follows to be %s, which is taken", value->name, said,
                    found);
      g_ptr_array_add (run->problems, g_strdup (problem->message));
    }
  return type;
}

static gboolean
declare (PhInferRun *run, PhNode *node, PhValue *value, const PhType *inferred, GError **error)
{
  const PhType *merged = inferred;
  const guint n = node->op != NULL ? ph_op_n_outputs (node->op) : 0; /* a fused node declares none */
  const PhOpArg *arg = n > 0 ? &node->op->outputs[MIN (value->output, n - 1)] : NULL;

  if (inferred == NULL || (inferred->kind == PH_KIND_TENSOR && inferred->dtype == PH_UNDEFINED))
    return TRUE;
  /* An attribute may ask for an element type that does not exist or that the output does not allow. */
  if (inferred->dtype >= PH_N_DTYPES
      || (arg != NULL && arg->types != 0 && inferred->dtype != PH_UNDEFINED
          && !(arg->types & (G_GUINT64_CONSTANT (1) << inferred->dtype))))
    return ph_node_fail (node, error, PH_ERROR_ELEMENT_TYPE, "output %u '%s' of %s cannot be %s", value->output,
                         arg != NULL ? arg->name : "", node->op_type,
                         inferred->dtype < PH_N_DTYPES ? ph_dtype_name (inferred->dtype) : "of that type");
  if (value->type != NULL && value->type->dtype != PH_UNDEFINED)
    merged = run->stop_at_error ? ph_type_merge (value->type, inferred) : correct (run, node, value, inferred);
  else if (!run->stop_at_error && value->graph->owner != NULL) /* a graph that is no body is inferred once */
    {
      if (run->declared == NULL)
        run->declared = g_hash_table_new (NULL, NULL);
      g_hash_table_add (run->declared, value);
    }
  if (merged == NULL)
    {
      g_autofree char *said = ph_type_to_string (value->type), *found = ph_type_to_string (inferred);

      return ph_node_fail (node, error, PH_ERROR_TYPE, "'%s' is declared %s, but follows to be %s", value->name, said, found);
    }
  return merged == value->type || ph_value_set_type (value, merged, error);
}

/* An input that contradicts its declaration is an error, but what the others say of the body holds all the same. */
static gboolean
infer_body (PhInferRun *run, PhNode *node, PhGraph *body, const PhType *const *types, guint n, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < MIN (n, body->inputs->len); i++)
    {
      if (types[i] != NULL && !declare (run, node, g_ptr_array_index (body->inputs, i), types[i], ok ? error : NULL))
        ok = FALSE;
      if (!ok && run->stop_at_error)
        return FALSE;
    }
  return infer_graph (run, body, ok ? error : NULL) && ok;
}

gboolean
ph_infer_body (PhInfer *infer, const char *attr, const PhType *const *types, guint n, GError **error)
{
  PhGraph *body = ph_node_graph (infer->node, attr);

  if (body == NULL)
    return ph_infer_fail (infer, error, "has no body '%s'", attr);
  return infer_body (infer->run, infer->node, body, types, n, error);
}

const PhType *
ph_infer_body_type (PhInfer *infer, const char *attr, guint output)
{
  PhGraph *body = ph_node_graph (infer->node, attr);

  if (body == NULL || output >= body->outputs->len)
    return NULL;
  return ((PhValue *) g_ptr_array_index (body->outputs, output))->type;
}

/* Infers the outputs of a fused node from its body. */
static gboolean
infer_fused (PhInferRun *run, PhNode *node, GError **error)
{
  PhGraph *body = g_ptr_array_index (node->graphs, 0);
  g_autofree const PhType **types = g_new0 (const PhType *, node->inputs->len + 1);

  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *input = ph_node_input (node, i);

      types[i] = input != NULL ? input->type : NULL;
    }
  if (!infer_body (run, node, body, types, node->inputs->len, error))
    return FALSE;

  for (guint i = 0; i < MIN (node->outputs->len, body->outputs->len); i++)
    if (!declare (run, node, ph_node_output (node, i), ((PhValue *) g_ptr_array_index (body->outputs, i))->type, error))
      return FALSE;
  return TRUE;
}

/* Checks the schema without the declared types of outputs: inference decides whether those are right. */
static gboolean
check_schema (PhInferRun *run, PhNode *node, GError **error)
{
  const PhType *few[8], **declared = few;
  guint n = node->outputs->len;
  g_autofree const PhType **many = NULL;
  gboolean ok;

  if (run->stop_at_error || node->op->infer == NULL)
    return ph_op_check (node->op, node, error);
  if (n > G_N_ELEMENTS (few))
    declared = many = g_new (const PhType *, n);
  for (guint i = 0; i < n; i++)
    {
      declared[i] = ph_node_output (node, i)->type;
      ph_node_output (node, i)->type = NULL;
    }
  ok = ph_op_check (node->op, node, error);
  for (guint i = 0; i < n; i++)
    ph_node_output (node, i)->type = declared[i];
  return ok;
}

static gboolean
infer_node (PhInferRun *run, PhNode *node, GError **error)
{
  if (ph_node_is_fused (node))
    return infer_fused (run, node, error);

  if (node->op == NULL)
    {
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (!infer_graph (run, g_ptr_array_index (node->graphs, i), error))
          return FALSE;
      return TRUE;
    }

  if (!check_schema (run, node, error))
    return FALSE;
  if (node->op->infer == NULL)
    return TRUE;

  const PhType *few[8] = {
    NULL,
  };
  guint n = node->outputs->len;
  g_autofree const PhType **many = n > G_N_ELEMENTS (few) ? g_new0 (const PhType *, n) : NULL;
  PhInfer infer = { node, run, many != NULL ? many : few };

  /* A body may be inferred again with other types, so the results of the first time are dropped. */
  if (run->contents != NULL && node->graph->owner != NULL)
    for (guint i = 0; i < n; i++)
      g_hash_table_remove (run->contents, ph_node_output (node, i));

  if (!node->op->infer (&infer, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!declare (run, node, ph_node_output (node, i), infer.types[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
infer_graph (PhInferRun *run, PhGraph *graph, GError **error)
{
  PH_FOREACH_NODE (node, graph)
    {
      g_autoptr (GError) problem = NULL;

      if (infer_node (run, node, &problem))
        continue;
      if (run->stop_at_error)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      if (run->problems != NULL)
        g_ptr_array_add (run->problems, g_strdup (problem->message));
    }
  return TRUE;
}

gboolean
ph_infer_one (PhNode *node, GError **error)
{
  PhInferRun run = { .stop_at_error = TRUE };
  gboolean ok = infer_node (&run, node, error);

  ph_infer_run_clear (&run);
  return ok;
}

gboolean
ph_infer_model (PhModel *model, gboolean stop_at_error, GPtrArray *problems, GError **error)
{
  PhInferRun run = { .whole = TRUE, .stop_at_error = stop_at_error, .problems = problems };
  gboolean ok = infer_graph (&run, model->graph, error);

  if (run.n_lies > MAX_LIES)
    g_ptr_array_add (problems, g_strdup_printf ("%u more declared types contradict what follows", run.n_lies - MAX_LIES));
  ph_infer_run_clear (&run);
  return ok;
}

/* ── infer functions shared by operators ── */

gboolean
ph_infer_same_as_input (PhInfer *infer, GError **error)
{
  ph_infer_set (infer, 0, ph_infer_type (infer, 0));
  return TRUE;
}

/* Sets the common shape of all inputs, with @dtype (PH_UNDEFINED: that of the first input with a known type). */
static gboolean
infer_common (PhInfer *infer, PhDType dtype, GError **error)
{
  guint n = infer->node->inputs->len, n_types = 0;
  const PhType *few[8];
  g_autofree const PhType **many = n > G_N_ELEMENTS (few) ? g_new (const PhType *, n) : NULL;
  const PhType **types = many != NULL ? many : few, *common;
  gboolean ranked = TRUE;

  for (guint i = 0; i < n; i++)
    {
      const PhType *type = ph_infer_type (infer, i);

      if (type != NULL && dtype == PH_UNDEFINED)
        dtype = type->dtype;
      if (type == NULL ? ph_infer_has (infer, i) : !type->has_rank)
        ranked = FALSE;
      if (type != NULL)
        types[n_types++] = type;
    }
  if (dtype == PH_UNDEFINED || n_types == 0)
    return TRUE;
  if (!ranked)
    {
      ph_infer_set (infer, 0, ph_type_unranked (dtype));
      return TRUE;
    }

  common = ph_type_broadcast (dtype, types, n_types);
  if (common == NULL)
    {
      g_autoptr (GString) shapes = g_string_new (NULL);

      for (guint i = 0; i < n_types; i++)
        {
          g_autofree char *text = ph_type_to_string (types[i]);

          g_string_append_printf (shapes, "%s%s", i > 0 ? ", " : "", text);
        }
      return ph_infer_fail (infer, error, "the shapes of its inputs cannot be broadcast together: %s", shapes->str);
    }
  ph_infer_set (infer, 0, common);
  return TRUE;
}

gboolean
ph_infer_broadcast (PhInfer *infer, GError **error)
{
  return infer_common (infer, PH_UNDEFINED, error);
}

gboolean
ph_infer_compare (PhInfer *infer, GError **error)
{
  return infer_common (infer, PH_BOOL, error);
}
