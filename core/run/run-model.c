/* run-model.c: runs whole models on tensors: feeds, requested values, and the upgrade before.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/run-private.h"

#include "core/graph/history.h"
#include "core/ops/op-list.h"
#include "core/opset/upgrade.h"
#include "core/run/double.h"
#include "core/tensor/placement.h"

/* ── older models ── */

/* Returns TRUE if there is a Gradient, which has no kernel: it has to be expanded first. */
static gboolean
has_gradient_node (PhModel *model)
{
  if (ph_model_opset (model, "ai.onnx.preview.training") == 0)
    return FALSE;
  PH_FOREACH_NODE (node, model->graph)
    if (node->op == &ph_op_Gradient)
      return TRUE;
  return FALSE;
}

/* Set by the passes, on which this layer may not depend: differentiation is a pass, and passes run models. */
static PhGradientExpander expander;

void
ph_run_set_gradient_expander (PhGradientExpander func)
{
  expander = func;
}

/* Returns for each node that @history added the node at which its rewrite started. */
static GHashTable *
origins_of (PhHistory *history)
{
  GHashTable *origins = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < history->rewrites->len; i++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, i);
      gpointer origin = g_hash_table_lookup (origins, GUINT_TO_POINTER (rewrite->node));

      if (origin == NULL)
        origin = GUINT_TO_POINTER (rewrite->node);
      for (guint k = 0; k < rewrite->n_edits; k++)
        {
          const PhEdit *edit = history->edits->pdata[rewrite->first_edit + k];

          if (edit->kind == PH_EDIT_ADD_NODE)
            g_hash_table_insert (origins, GUINT_TO_POINTER (edit->id), origin);
        }
    }
  return origins;
}

/* Operators are declared at their newest version only, so an older model is brought up to it on a clone. */
PhModel *
ph_run_upgraded_clone (PhModel *model, const PhRunOptions *options, GHashTable **origins, GError **error)
{
  g_autoptr (PhModel) clone = ph_model_clone (model);
  g_autoptr (PhHistory) history = ph_history_new ();
  GCancellable *cancellable = options != NULL ? options->cancellable : NULL;

  if (!ph_model_upgrade (clone, history, cancellable, error))
    return NULL;
  if (expander != NULL && has_gradient_node (clone) && !expander (clone, history, cancellable, error))
    return NULL;
  if (origins != NULL)
    *origins = origins_of (history);
  return g_steal_pointer (&clone);
}

/* ── feeds and results ── */

/* Returns @tensor in the form that input @value requires. Files often store a scalar as a tensor of one element, so a scalar input accepts
 * one. (transfer full) (nullable) */
static PhTensor *
fit_feed (const PhValue *value, PhTensor *tensor, gboolean in_double, GError **error)
{
  const PhType *type = in_double ? ph_run_widened_type (value->type) : value->type;
  g_autoptr (PhTensor) wide = in_double ? ph_run_widen (tensor) : NULL;
  g_autofree char *expected = NULL, *given = NULL;

  if (wide != NULL)
    tensor = wide;
  if (type == NULL || ph_type_fits (type, tensor))
    return ph_tensor_ref (tensor);
  if (type->kind == PH_KIND_TENSOR && type->has_rank && type->rank == 0 && ph_tensor_kind (tensor) == PH_KIND_TENSOR
      && ph_tensor_dtype (tensor) == type->dtype && ph_tensor_count (tensor) == 1)
    return ph_tensor_reshaped (tensor, 0, NULL);
  expected = ph_type_to_string (value->type);
  given = ph_type_to_string (ph_type_of_tensor (tensor));
  g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "input '%s' is %s, but %s was given", value->name, expected, given);
  return NULL;
}

/* Checks that every input that is read or requested is fed. */
static gboolean
check_fed (PhCode *code, PhGraph *graph, GHashTable *feeds, GPtrArray *wanted, GError **error)
{
  g_autoptr (GHashTable) running = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      PhValue *value = graph->inputs->pdata[i];

      if (value->tensor == NULL && (feeds == NULL || !g_hash_table_contains (feeds, value)))
        break;
      if (i + 1 == graph->inputs->len)
        return TRUE;
    }
  for (guint i = 0; i < code->n_steps; i++)
    g_hash_table_add (running, code->steps[i].node);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      PhValue *value = graph->inputs->pdata[i];
      gboolean read = g_ptr_array_find (wanted, value, NULL);
      g_autofree char *type = NULL;

      if (value->tensor != NULL || (feeds != NULL && g_hash_table_contains (feeds, value)))
        continue;
      for (guint k = 0; k < value->uses->len && !read; k++)
        {
          PhNode *user = ph_node_ancestor_in (g_array_index (value->uses, PhUse, k).node, graph);

          read = user != NULL && g_hash_table_contains (running, user);
        }
      if (!read)
        continue;
      type = ph_type_to_string (value->type);
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "input '%s' (%s) has no value: feed one", value->name, type);
      return FALSE;
    }
  return TRUE;
}

static GHashTable *
collect_results (PhRun *run, GPtrArray *wanted, const guint *ids, GError **error)
{
  g_autoptr (GHashTable) results = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);

  if (run->options->keep_all)
    {
      const PhSlots *slots = run->frame->code->slots;

      for (guint i = 0; i < slots->values->len; i++)
        {
          PhTensor *tensor = run->frame->values[i];

          if (tensor != NULL && run->options->in_double)
            tensor = ph_run_widen_constant (run, tensor);
          if (tensor != NULL)
            g_hash_table_insert (results, GUINT_TO_POINTER (((PhValue *) slots->values->pdata[i])->id), ph_tensor_ref (tensor));
        }
    }
  for (guint i = 0; i < wanted->len; i++)
    {
      const PhValue *value = wanted->pdata[i];
      PhTensor *tensor = ph_run_lookup (run, value);

      if (tensor == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "value '%s' cannot be computed on its own", value->name);
          return NULL;
        }
      g_hash_table_insert (results, GUINT_TO_POINTER (ids[i]), ph_tensor_ref (tensor));
    }
  return g_steal_pointer (&results);
}

/* Fails early if a value is known to exceed the budget: doubling a value forty times would fill the memory before failing. Operators that
 * may return a splat are left to the kernels. */
static gboolean
check_sizes (PhCode *code, GError **error)
{
  const gint64 budget = (gint64) MIN (ph_tensor_get_budget (), (gsize) G_MAXINT64);

  for (guint i = 0; i < code->n_steps; i++)
    {
      const PhNode *node = code->steps[i].node;

      if (node->op == NULL || (node->op->flags & PH_OP_ELEMENTWISE) || node->op == &ph_op_ConstantOfShape
          || node->op == &ph_op_Expand || node->op == &ph_op_Reshape || node->op == &ph_op_Identity)
        continue;
      for (guint k = 0; k < node->outputs->len; k++)
        {
          const PhType *type = ph_node_output (node, k)->type;
          gint64 dims[PH_MAX_RANK], bytes;
          g_autofree char *why = NULL;
          gboolean empty = FALSE;

          if (type == NULL || !ph_type_is_static (type))
            continue;
          bytes = ph_type_bytes (type); /* negative: not countable */
          for (guint d = 0; d < type->rank; d++)
            empty = (dims[d] = type->dims[d].size) == 0 || empty;
          if (empty || (bytes >= 0 && bytes <= budget))
            continue;
          why = ph_tensor_why_not (type->dtype, type->rank, dims);
          return ph_node_fail (node, error, PH_ERROR_LIMIT, "output %u is too large for memory: %s", k, why);
        }
    }
  return TRUE;
}

/* OpenMP's, present if oneDNN uses it. */
extern int omp_get_max_threads (void) __attribute__ ((weak));
extern void omp_set_num_threads (int n) __attribute__ ((weak));

static guint wished_threads; /* atomic; 0: one for each processor */

void
ph_run_set_threads (guint n)
{
  __atomic_store_n (&wished_threads, n, __ATOMIC_RELAXED);
}

static gboolean is_eager;

void
ph_run_set_eager (gboolean eager)
{
  is_eager = eager;
}

guint
ph_run_get_threads (void)
{
  const guint n = __atomic_load_n (&wished_threads, __ATOMIC_RELAXED);

  return n > 0 ? n : ph_run_max_threads ();
}

guint
ph_run_max_threads (void)
{
  return omp_get_max_threads != NULL ? (guint) MAX (omp_get_max_threads (), 1) : 1;
}

int
ph_run_push_threads (guint n)
{
  int before;

  if (n == 0 || omp_get_max_threads == NULL || omp_set_num_threads == NULL)
    return 0;
  before = omp_get_max_threads ();
  omp_set_num_threads ((int) MIN (n, 1024));
  return before;
}

void
ph_run_pop_threads (int before)
{
  if (before > 0)
    omp_set_num_threads (before);
}

/* On a busy machine a product of small matrices is ten times slower with a thread per core than with one. */
int
ph_run_take_threads (gboolean is_small)
{
  return ph_run_push_threads (is_small && !is_eager ? 1 : __atomic_load_n (&wished_threads, __ATOMIC_RELAXED));
}

/* @ids: under which id each of @wanted is returned. */
static GHashTable *
run_values (PhProgram *program, PhGraph *graph, GHashTable *feeds, GPtrArray *wanted, const guint *ids,
            const PhRunOptions *options, GError **error)
{
  PhPlacement *before;
  PhCode *code;
  g_autoptr (GHashTable) wants = g_hash_table_new (NULL, NULL), fitting = NULL;
  GHashTable *results = NULL;
  GHashTableIter iter;
  gpointer key, tensor;
  PhFrame frame;
  gint64 start;
  int threads;
  PhRun run;

  for (guint i = 0; i < wanted->len; i++)
    {
      const PhValue *value = wanted->pdata[i];

      if (value->graph != graph)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                       "value '%s' is inside a body, which may run many times or never: ask for a value of the main graph",
                       value->name);
          return NULL;
        }
      g_hash_table_add (wants, (gpointer) value);
    }
  fitting = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  if (feeds != NULL)
    {
      g_hash_table_iter_init (&iter, feeds);
      while (g_hash_table_iter_next (&iter, &key, &tensor))
        {
          PhTensor *fit = fit_feed (key, tensor, options != NULL && options->in_double, error);

          if (fit == NULL)
            return NULL;
          g_hash_table_insert (fitting, key, fit);
        }
    }
  code = ph_program_code (program, graph, wanted, feeds);
  if (!check_fed (code, graph, feeds, wanted, error))
    return NULL;

  if (!check_sizes (code, error) || !ph_model_check_functions (graph->model, error))
    return NULL;

  ph_run_init (&run, options);
  run.wanted = wants;
  run.total = code->n_steps;
  ph_run_push (&run, &frame, program, code);
  g_hash_table_iter_init (&iter, fitting);
  while (g_hash_table_iter_next (&iter, &key, &tensor))
    ph_frame_set (&frame, key, ph_tensor_ref (tensor));
  run.model = graph->model;
  if (code->is_small < 0)
    code->is_small = ph_code_is_small (code, fitting);
  threads = ph_run_take_threads (code->is_small);
  if (code->placement == NULL && !run.options->passing)
    code->placement = ph_placement_new ();
  before = ph_placement_begin (run.options->passing || run.options->keep_all ? NULL : code->placement);
  start = ph_profile_now ();
  if (ph_run_code (&run, code, error))
    {
      if (options != NULL && options->profile != NULL)
        ph_profile_add_run (options->profile, ph_profile_now () - start);
      results = collect_results (&run, wanted, ids, error);
    }
  ph_run_pop_threads (threads);
  ph_run_pop (&run);
  ph_placement_end (run.options->passing || run.options->keep_all ? NULL : code->placement, before);
  ph_run_clear (&run);
  return results;
}

/* Returns the value of @clone that corresponds to @value of @model: the same id, or the same name if an upgrade replaced its producer. */
static PhValue *
counterpart (PhModel *clone, PhModel *model, const PhValue *value, GError **error)
{
  PhValue *found = ph_model_find_value (clone, value->id);
  guint output;

  if (found == NULL && g_ptr_array_find (model->graph->outputs, value, &output) && output < clone->graph->outputs->len)
    found = clone->graph->outputs->pdata[output];
  if (found == NULL)
    found = ph_model_find_value_named (clone, value->name);
  if (found == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                 "value '%s' is not there at opset %d, to which the model is upgraded to be executed: run upgrade-opset first",
                 value->name, PH_OPSET_NEWEST);
  return found;
}

/* Returns the upgraded clone of @model cached in @program: made at the first run, and again if the types of inputs change. */
static PhModel *
upgraded (PhProgram *program, PhModel *model, const PhRunOptions *options, GError **error)
{
  GPtrArray *inputs = model->graph->inputs;
  gboolean same = program->upgraded != NULL && program->types->len == inputs->len;

  for (guint i = 0; same && i < inputs->len; i++)
    same = g_array_index (program->types, const PhType *, i) == ((PhValue *) inputs->pdata[i])->type;
  if (same)
    return program->upgraded;
  g_clear_pointer (&program->upgraded, ph_model_free);
  g_clear_pointer (&program->origins, g_hash_table_unref);
  g_clear_pointer (&program->types, g_array_unref);
  program->upgraded = ph_run_upgraded_clone (model, options, &program->origins, error);
  if (program->upgraded == NULL)
    return NULL;
  program->types = g_array_new (FALSE, FALSE, sizeof (const PhType *));
  for (guint i = 0; i < inputs->len; i++)
    g_array_append_val (program->types, ((PhValue *) inputs->pdata[i])->type);
  return program->upgraded;
}

static GHashTable *
run_upgraded (PhProgram *program, PhModel *model, GHashTable *feeds, GPtrArray *wanted, const guint *ids,
              const PhRunOptions *options, GError **error)
{
  PhModel *clone = upgraded (program, model, options, error);
  PhProgram *own;
  g_autoptr (GHashTable) clone_feeds = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) clone_wanted = g_ptr_array_new ();
  GHashTable *results;
  GHashTableIter iter;
  gpointer key, tensor;
  PhValue *value;

  if (clone == NULL)
    return NULL;
  if (options != NULL && options->profile != NULL)
    ph_profile_set_origins (options->profile, g_hash_table_ref (program->origins));
  if (options != NULL && options->study != NULL)
    ph_kernel_study_set_origins (options->study, program->origins);
  for (guint i = 0; i < wanted->len; i++)
    {
      value = counterpart (clone, model, wanted->pdata[i], error);
      if (value == NULL)
        return NULL;
      g_ptr_array_add (clone_wanted, value);
    }
  if (feeds != NULL)
    {
      g_hash_table_iter_init (&iter, feeds);
      while (g_hash_table_iter_next (&iter, &key, &tensor))
        {
          value = counterpart (clone, model, key, error);
          if (value == NULL)
            return NULL;
          g_hash_table_insert (clone_feeds, value, tensor);
        }
    }
  own = ph_program_take (clone);
  results = run_values (own, clone->graph, clone_feeds, clone_wanted, ids, options, error);
  ph_program_give (clone, own);
  if (results != NULL) /* drops values that exist only in the clone: the model may later use their ids */
    {
      g_hash_table_iter_init (&iter, results);
      while (g_hash_table_iter_next (&iter, &key, &tensor))
        if (ph_model_find_value (model, GPOINTER_TO_UINT (key)) == NULL)
          g_hash_table_iter_remove (&iter);
    }
  return results;
}

GHashTable *
ph_run_model (PhModel *model, GHashTable *feeds, GPtrArray *wanted, const PhRunOptions *options, GError **error)
{
  const int opset = ph_model_opset (model, "");
  g_autofree guint *ids = NULL;
  PhProgram *program;
  GHashTable *results;

  if (wanted == NULL)
    wanted = model->graph->outputs;
  ids = g_new (guint, wanted->len + 1);
  for (guint i = 0; i < wanted->len; i++)
    ids[i] = ((PhValue *) wanted->pdata[i])->id;
  program = ph_program_take (model);
  if ((opset > 0 && opset < PH_OPSET_NEWEST) || has_gradient_node (model))
    results = run_upgraded (program, model, feeds, wanted, ids, options, error);
  else
    results = run_values (program, model->graph, feeds, wanted, ids, options, error);
  ph_program_give (model, program);
  return results;
}
