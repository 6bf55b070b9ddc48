/* adjoint.c: the forward primal and the reverse adjoint trace.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/adjoint.h"

#include <string.h>

#include "core/ops/formula.h"
#include "core/ops/grad.h"
#include "core/ops/parameter.h"
#include "core/run/inputs.h"
#include "passes/pass.h"

#define MOST_KEPT 1024 /* elements of a tensor whose value is stored */

/* A contribution reported by autodiff. */
typedef struct
{
  PhId node, of, gradient;
  guint input;
  char *formula;
} Contribution;

typedef struct
{
  PhModel *model;
  PhAdjoint *adjoint;
  PhId seed;          /* the cotangent's value */
  GHashTable *row_of; /* PhId of a value -> its row + 1 */
  GArray *contributions;
} Tracer;

static void
row_free (gpointer data)
{
  PhAdjointRow *row = data;

  g_free (row->name);
  g_free (row->formula);
  g_clear_pointer (&row->tensor, ph_tensor_unref);
  g_clear_pointer (&row->adjoint, ph_tensor_unref);
  g_free (row);
}

static void
step_free (gpointer data)
{
  PhAdjointStep *step = data;

  g_free (step->formula);
  g_clear_pointer (&step->tensor, ph_tensor_unref);
  g_free (step);
}

void
ph_adjoint_free (PhAdjoint *adjoint)
{
  g_free (adjoint->output);
  g_free (adjoint->not_computed);
  g_ptr_array_unref (adjoint->rows);
  g_ptr_array_unref (adjoint->steps);
  g_free (adjoint);
}

static void
contribution_clear (gpointer data)
{
  g_free (((Contribution *) data)->formula);
}

/* Returns the number of a constant with one element, and a symbol for everything else. */
static char *
symbol_of (const PhValue *value, gboolean gradient, gpointer data)
{
  const Tracer *tracer = data;
  const guint index = GPOINTER_TO_UINT (g_hash_table_lookup (tracer->row_of, GUINT_TO_POINTER (value->id)));
  const PhAdjointRow *row = index > 0 ? tracer->adjoint->rows->pdata[index - 1] : NULL;
  PhTensor *constant = row == NULL && !gradient ? ph_value_constant (value) : NULL;

  if (constant != NULL && ph_tensor_kind (constant) == PH_KIND_TENSOR && ph_tensor_dtype (constant) != PH_STRING
      && ph_tensor_count (constant) == 1)
    return ph_adjoint_text (constant, NULL);
  return g_strconcat (row != NULL ? row->name : value->name, gradient ? "'" : NULL, NULL);
}

/* The forward trace */

static PhAdjointRow *
add_row (Tracer *tracer, const PhValue *value, char *name, char *formula)
{
  PhAdjointRow *row = g_new0 (PhAdjointRow, 1);

  row->value = value->id;
  row->node = value->producer != NULL ? value->producer->id : PH_NO_ID;
  row->name = name;
  row->formula = formula;
  row->type = value->type;
  g_ptr_array_add (tracer->adjoint->rows, row);
  g_hash_table_insert (tracer->row_of, GUINT_TO_POINTER (value->id), GUINT_TO_POINTER (tracer->adjoint->rows->len));
  return row;
}

static void mark_needed (const PhGraph *graph, PhValue *value, GHashTable *needed);

/* Marks the values that bodies of @node capture. */
static void
mark_captures (const PhGraph *graph, const PhGraph *body, GHashTable *needed)
{
  for (guint i = 0; i < body->outputs->len; i++)
    mark_needed (graph, body->outputs->pdata[i], needed);
  PH_FOREACH_NODE (node, body)
    {
      for (guint i = 0; i < node->inputs->len; i++)
        if (node->inputs->pdata[i] != NULL)
          mark_needed (graph, node->inputs->pdata[i], needed);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        mark_captures (graph, node->graphs->pdata[i], needed);
    }
}

/* Marks @value, if it is in @graph, for the walk over the nodes. */
static void
mark_needed (const PhGraph *graph, PhValue *value, GHashTable *needed)
{
  if (value->graph == graph)
    g_hash_table_add (needed, value);
}

static gboolean
is_needed (const PhNode *node, GHashTable *needed)
{
  for (guint i = 0; i < node->outputs->len; i++)
    if (g_hash_table_contains (needed, node->outputs->pdata[i]))
      return TRUE;
  return FALSE;
}

/* Names inputs v(1-n) to v0 and results v1, v2, ...; parameters keep their names, which people know. */
static void
trace_forward (Tracer *tracer, const PhGraph *graph, PhValue *output)
{
  g_autoptr (GHashTable) needed = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), inputs = g_ptr_array_new ();
  int next = 1;

  g_hash_table_add (needed, output);
  PH_FOREACH_NODE (node, graph)
    g_ptr_array_add (nodes, node);
  for (guint n = nodes->len; n-- > 0;)
    {
      const PhNode *node = nodes->pdata[n];

      if (!is_needed (node, needed))
        continue;
      for (guint i = 0; i < node->inputs->len; i++)
        if (node->inputs->pdata[i] != NULL)
          mark_needed (graph, node->inputs->pdata[i], needed);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        mark_captures (graph, node->graphs->pdata[i], needed);
    }
  for (guint i = 0; i < graph->inputs->len; i++)
    if (g_hash_table_contains (needed, graph->inputs->pdata[i]))
      g_ptr_array_add (inputs, graph->inputs->pdata[i]);
  for (guint i = 0; i < inputs->len; i++)
    {
      const PhValue *input = inputs->pdata[i];
      add_row (tracer, input, g_strdup_printf ("v%d", (int) i + 1 - (int) inputs->len), g_strdup (input->name));
    }
  for (guint i = 0; i < graph->constants->len; i++)
    {
      PhValue *value = graph->constants->pdata[i];
      if (g_hash_table_contains (needed, value) && ph_value_is_parameter (value))
        {
          PhAdjointRow *row = add_row (tracer, value, g_strdup (value->name), g_strdup (""));
          row->tensor = ph_tensor_count (value->tensor) <= MOST_KEPT ? ph_tensor_ref (value->tensor) : NULL;
        }
    }
  for (guint n = 0; n < nodes->len; n++)
    {
      const PhNode *node = nodes->pdata[n];

      if (!is_needed (node, needed))
        continue;

      g_autofree char *formula = ph_formula_of_node (node, symbol_of, tracer);
      for (guint i = 0; i < node->outputs->len; i++)
        if (g_hash_table_contains (needed, node->outputs->pdata[i]) && ph_value_constant (node->outputs->pdata[i]) == NULL)
          add_row (tracer, node->outputs->pdata[i], g_strdup_printf ("v%d", next++),
                   node->outputs->len > 1 ? g_strdup_printf ("%s[%u]", formula, i) : g_strdup (formula));
    }
  tracer->adjoint->output_row = GPOINTER_TO_UINT (g_hash_table_lookup (tracer->row_of, GUINT_TO_POINTER (output->id))) - 1;
}

/* The reverse trace */

/* Called by autodiff; first for the cotangent, when the forward graph has its final form, with fused nodes inlined. */
static void
on_contribution (PhNode *node, PhValue *of, guint input, PhValue *gradient, gpointer data)
{
  Tracer *tracer = data;

  if (node == NULL)
    {
      trace_forward (tracer, of->graph, of);
      tracer->seed = gradient->id;
      return;
    }

  Contribution contribution = { node->id, of->id, gradient->id, input, ph_formula_of_gradient (node, input, symbol_of, tracer) };

  /* Broadcast elements are summed. */
  if (contribution.formula != NULL && input != G_MAXUINT && node->op->grad[input] != NULL && of->type != NULL
      && !ph_type_same_shape (of->type, ((PhValue *) ph_node_output (node, 0))->type))
    {
      g_autofree char *spread = g_steal_pointer (&contribution.formula);

      if (g_str_has_suffix (spread, " * 1"))
        spread[strlen (spread) - strlen (" * 1")] = '\0';
      contribution.formula = g_strdup_printf ("sum(%s)", spread);
    }
  if (contribution.formula == NULL)
    {
      g_autofree char *dy = symbol_of (ph_node_output (node, 0), TRUE, tracer);
      contribution.formula = g_strdup_printf ("the gradient of %s at %s", node->op_type, dy);
    }
  g_array_append_val (tracer->contributions, contribution);
}

static gboolean
is_small (const PhValue *value)
{
  gint64 count = 1;

  if (value->type == NULL || !value->type->has_rank)
    return TRUE;
  for (guint i = 0; i < value->type->rank; i++)
    if (!ph_dim_known (value->type->dims[i]) || (count *= value->type->dims[i].size) > MOST_KEPT)
      return FALSE;
  return value->type->dtype != PH_STRING;
}

static PhTensor *
result_of (GHashTable *results, PhId id)
{
  PhTensor *tensor = results != NULL ? g_hash_table_lookup (results, GUINT_TO_POINTER (id)) : NULL;

  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_count (tensor) <= MOST_KEPT ? tensor : NULL;
}

/* (transfer full) (nullable): the sum, in doubles. */
static PhTensor *
add (PhTensor *a, PhTensor *b)
{
  if (a == NULL || b == NULL || ph_tensor_count (a) != ph_tensor_count (b))
    return NULL;

  PhTensor *sum = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (a), ph_tensor_dims (a));
  double *out = sum != NULL ? ph_tensor_writable (sum) : NULL;
  for (gsize i = 0; out != NULL && i < ph_tensor_count (b); i++)
    out[i] = ph_dtype_load (ph_tensor_dtype (a), ph_tensor_data (a), i)
             + ph_dtype_load (ph_tensor_dtype (b), ph_tensor_data (b), i);
  return sum;
}

/* Finds the position of the node that made @gradient among the backward nodes of @place->node. */
static void
find_part (PhModel *model, PhId gradient, PhId first_of_run, PhAdjointPlace *place)
{
  const PhValue *value = ph_model_find_value (model, gradient);
  const PhNode *maker = value != NULL ? value->producer : NULL;
  int before = 0;

  PH_FOREACH_NODE (node, model->graph)
    if (node->role == PH_ROLE_BACKWARD && node->partner == place->node && node->id >= first_of_run)
      {
        place->n_parts++;
        before += maker != NULL && node->id < maker->id;
        if (node == maker)
          place->part = 0;
      }
  if (place->part == 0)
    place->part = before;
}

/* Returns the node that adds @node's result to another one. */
static PhId
find_sum (const PhNode *node)
{
  const PhValue *value = ph_node_output (node, 0);

  for (guint i = 0; value != NULL && i < value->uses->len; i++)
    {
      const PhNode *user = value->uses->data[i].node;

      if (user->role == PH_ROLE_BACKWARD && (ph_node_is (user, &ph_op_Add) || ph_node_is (user, &ph_op_Sum)))
        return user->id;
    }
  return node->id;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  const PhId x = *(const PhId *) a, y = *(const PhId *) b;

  return x < y ? -1 : x > y;
}

PhId
ph_adjoint_place_find (const PhAdjointPlace *place, PhModel *model)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (PhId));

  if (place->node == PH_NO_ID)
    return PH_NO_ID;
  PH_FOREACH_NODE (node, model->graph)
    if (node->role == PH_ROLE_BACKWARD && node->partner == place->node)
      g_array_append_val (parts, node->id);
  g_array_sort (parts, compare_ids);
  /* Passes over the gradient may have changed its parts; then the first one is returned. */
  if (parts->len > 0 && place->part >= 0)
    {
      const guint part = place->n_parts > 0 && parts->len % place->n_parts == 0 ? (guint) place->part : 0;
      const PhNode *node = ph_model_find_node (model, g_array_index (parts, PhId, part));

      return place->adds ? find_sum (node) : node->id;
    }
  return ph_model_find_node (model, place->node) != NULL ? place->node : PH_NO_ID;
}

static void
add_step (PhAdjoint *adjoint, guint index, PhAdjointPlace at, char *formula, PhTensor *tensor)
{
  PhAdjointRow *row = adjoint->rows->pdata[index];
  PhAdjointStep *step = g_new0 (PhAdjointStep, 1);

  step->row = index;
  step->at = at;
  step->formula = formula;
  step->at.adds = row->has_adjoint;
  step->tensor = !row->has_adjoint ? (tensor != NULL ? ph_tensor_ref (tensor) : NULL) : add (row->adjoint, tensor);
  row->has_adjoint = TRUE;
  g_clear_pointer (&row->adjoint, ph_tensor_unref);
  row->adjoint = step->tensor != NULL ? ph_tensor_ref (step->tensor) : NULL;
  g_ptr_array_add (adjoint->steps, step);
}

/* Computes the values of the rows. A failure is no error: the formulas are useful alone. */
static gboolean
compute (Tracer *tracer, PhModel *model, GHashTable *feeds, GCancellable *cancellable, GHashTable **results, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) given = NULL;
  g_autoptr (GError) local = NULL;
  PhRunOptions options = { .cancellable = cancellable };
  PhAdjoint *adjoint = tracer->adjoint;

  for (guint i = 0; i < adjoint->rows->len; i++)
    {
      PhValue *value = ph_model_find_value (model, ((PhAdjointRow *) adjoint->rows->pdata[i])->value);
      if (value != NULL && is_small (value))
        g_ptr_array_add (wanted, value);
    }
  for (guint i = 0; i < tracer->contributions->len; i++)
    {
      PhValue *value = ph_model_find_value (model, g_array_index (tracer->contributions, Contribution, i).gradient);
      if (value != NULL && is_small (value))
        g_ptr_array_add (wanted, value);
    }
  PhValue *seed = ph_model_find_value (model, tracer->seed);
  if (seed != NULL && is_small (seed))
    g_ptr_array_add (wanted, seed);
  given = ph_inputs_find (model, feeds, PH_INPUTS_FED, 0, wanted, &options, results, &local);
  if (given == NULL && g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (given == NULL)
    {
      adjoint->not_computed = g_strdup (local->message);
      return TRUE;
    }

  ph_results_add (*results, given);
  for (guint i = 0; i < adjoint->rows->len; i++)
    {
      PhAdjointRow *row = adjoint->rows->pdata[i];
      PhTensor *result = result_of (*results, row->value);

      if (row->tensor == NULL && result != NULL)
        row->tensor = ph_tensor_ref (result);
    }
  return TRUE;
}

static gboolean
run_pass (const char *name, PhModel *model, PhPassOptions *options, GError **error)
{
  const PhPass *pass = ph_pass_find (name);
  g_autoptr (PhHistory) history = ph_history_new ();

  return ph_pass_run (pass, model, history, options, error);
}

static PhValue *
find_output (PhModel *model, const char *name, GError **error)
{
  if (name != NULL)
    {
      PhValue *value = ph_model_find_value_named (model, name);
      if (value == NULL)
        g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "there is no value '%s' here: `find %s` searches", name, name);
      return value;
    }
  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      PhValue *output = model->graph->outputs->pdata[i];
      if (ph_value_has_gradient (output) && output->producer != NULL && output->producer->role != PH_ROLE_BACKWARD)
        return output;
    }
  g_set_error_literal (error, PH_ERROR, PH_ERROR_NOT_FOUND, "the model has no float output to differentiate: name a value");
  return NULL;
}

PhAdjoint *
ph_adjoint_new (PhModel *model, GHashTable *feeds, const char *output, GCancellable *cancellable, GError **error)
{
  g_autoptr (PhAdjoint) adjoint = g_new0 (PhAdjoint, 1);
  g_autoptr (GHashTable) row_of = g_hash_table_new (NULL, NULL), results = NULL;
  g_autoptr (GArray) contributions = g_array_new (FALSE, FALSE, sizeof (Contribution));
  Tracer tracer = { model, adjoint, PH_NO_ID, row_of, contributions };
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  const char *arguments[2] = { NULL, NULL };
  PhId first_of_run;
  PhValue *value;

  adjoint->rows = g_ptr_array_new_with_free_func (row_free);
  adjoint->steps = g_ptr_array_new_with_free_func (step_free);
  g_array_set_clear_func (contributions, contribution_clear);
  value = find_output (model, output, error);
  if (value == NULL)
    return NULL;
  adjoint->output = g_strdup (value->name);
  arguments[0] = adjoint->output;
  options.allow = PH_LOSSY;
  options.cancellable = cancellable;
  if (ph_model_opset (model, "") < PH_OPSET_NEWEST && !run_pass ("upgrade-opset", model, &options, error))
    return NULL;
  options.arguments = arguments;
  options.contribution = on_contribution;
  options.contribution_data = &tracer;
  first_of_run = model->next_id;
  if (!run_pass ("autodiff", model, &options, error) || !compute (&tracer, model, feeds, cancellable, &results, error))
    return NULL;

  add_step (adjoint, adjoint->output_row, (PhAdjointPlace) { .node = PH_NO_ID }, g_strdup_printf ("%s'", adjoint->output),
            result_of (results, tracer.seed));
  for (guint i = 0; i < contributions->len; i++)
    {
      Contribution *contribution = &g_array_index (contributions, Contribution, i);
      const guint index = GPOINTER_TO_UINT (g_hash_table_lookup (row_of, GUINT_TO_POINTER (contribution->of)));

      if (index > 0)
        {
          PhAdjointPlace at = { .node = contribution->node, .part = -1 };

          find_part (model, contribution->gradient, first_of_run, &at);
          add_step (adjoint, index - 1, at, g_steal_pointer (&contribution->formula),
                    result_of (results, contribution->gradient));
        }
    }
  return g_steal_pointer (&adjoint);
}
