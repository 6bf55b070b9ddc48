/* contrast.c: compares source, trace and compiled graph of a function on further inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/saved.h"
#include "core/script/compare.h"
#include "core/script/script-emit.h"
#include "core/script/script-graph.h"
#include "core/script/script-machine.h"
#include "core/splitmix.h"
#include "core/tensor/compare.h"
#include "passes/pass.h"

#define TIMED_RUNS    5
#define MADE_UP_STEPS 10000 /* allowed for a generated input, plus 100 times those of the given one */

static void
row_free (PhScriptRow *row)
{
  g_free (row->text);
  g_ptr_array_unref (row->traced);
  g_ptr_array_unref (row->compiled);
  g_free (row);
}

void
ph_script_comparison_free (PhScriptComparison *comparison)
{
  if (comparison == NULL)
    return;
  g_free (comparison->name);
  g_ptr_array_unref (comparison->rows);
  g_free (comparison->trace_input);
  g_free (comparison->trace_why);
  g_free (comparison->trace_eager);
  g_free (comparison->trace_gave);
  g_free (comparison->compiled_input);
  g_free (comparison->compiled_why);
  g_free (comparison->trace_error);
  g_free (comparison->compile_error);
  g_free (comparison);
}

/* ── lines and their nodes ── */

static guint
last_line (const PhPy *py)
{
  guint last = py->line;

  for (guint i = 0; i < py->n; i++)
    if (py->items[i] != NULL)
      last = MAX (last, last_line (py->items[i]));
  for (guint i = 0; i < py->n_body; i++)
    last = MAX (last, last_line (py->body[i]));
  for (guint i = 0; i < py->n_orelse; i++)
    last = MAX (last, last_line (py->orelse[i]));
  return last;
}

static void
add_nodes (GPtrArray *rows, PhScriptGraph *graph, gboolean traced)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (graph->model);

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];

      for (guint r = 0; r < rows->len && node->where != NULL && g_str_equal (node->where->file, graph->file); r++)
        {
          PhScriptRow *row = rows->pdata[r];

          if (row->line == node->where->line)
            g_ptr_array_add (traced ? row->traced : row->compiled, g_strdup_printf ("n%u %s", node->id, node->op_type));
        }
    }
}

static GPtrArray *
source_rows (PhScriptFunction *function)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) row_free);
  g_auto (GStrv) lines = g_strsplit (function->text->text, "\n", -1);
  const guint n = g_strv_length (lines), last = MIN (last_line (function->def), n);

  for (guint i = function->def->line; i <= last && i > 0; i++)
    {
      PhScriptRow *row = g_new0 (PhScriptRow, 1);

      row->line = i;
      row->text = g_strchomp (g_strdup (lines[i - 1]));
      row->traced = g_ptr_array_new_with_free_func (g_free);
      row->compiled = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (rows, row);
    }
  return rows;
}

/* ── other inputs ── */

static PhScriptValue *
other_value (PhScriptValue *value, guint which, guint64 *state)
{
  PhTensor *tensor;
  gsize n;
  PhDType dtype;

  if (value->kind == PH_SCRIPT_TUPLE)
    {
      g_autofree PhScriptValue **items = g_new (PhScriptValue *, value->n + 1);
      PhScriptValue *result;

      for (guint i = 0; i < value->n; i++)
        items[i] = other_value (value->items[i], which, state);
      result = ph_script_tuple (items, value->n, value->list);
      for (guint i = 0; i < value->n; i++)
        ph_script_value_unref (items[i]);
      return result;
    }
  dtype = ph_script_dtype (value);
  if (value->kind != PH_SCRIPT_TENSOR || ph_script_is_own_list (value)
      || (!ph_dtype_is_float (dtype) && !ph_dtype_is_integer (dtype) && dtype != PH_BOOL))
    return ph_script_value_ref (value);
  n = ph_tensor_count (value->tensor);
  tensor = ph_tensor_new (dtype, ph_tensor_rank (value->tensor), ph_tensor_dims (value->tensor));
  if (tensor == NULL)
    return ph_script_value_ref (value);
  for (gsize i = 0; i < n; i++)
    {
      const double old = ph_tensor_get (value->tensor, i), draw = ph_splitmix_normal (state);
      /* The opposite, nothing, a little, much; then anything. */
      const double other = which == 0   ? -old
                           : which == 1 ? 0
                           : which == 2 ? old / 8
                           : which == 3 ? old * 8
                                        : draw * (double) (1 << (which % 4));

      if (dtype == PH_BOOL)
        ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, which == 0 ? old == 0 : draw > 0);
      else if (ph_dtype_is_integer (dtype))
        ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i,
                            ph_dtype_is_signed (dtype) ? (gint64) other : (gint64) fabs (other));
      else
        ph_dtype_store (dtype, ph_tensor_writable (tensor), i, other);
    }
  return ph_script_number_kind (value) != PH_SCRIPT_NONE ? ph_script_weak (ph_script_tensor (tensor)) : ph_script_tensor (tensor);
}

static void
add_feeds (PhScriptValue *value, GPtrArray *tensors)
{
  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    add_feeds (value->items[i], tensors);
  if (value->kind == PH_SCRIPT_TENSOR && !ph_script_is_own_list (value))
    g_ptr_array_add (tensors, value->tensor);
}

/* (transfer full) (element-type PhTensor) of the outputs. */
static GPtrArray *
run_graph (PhModel *model, const PhScriptBound *bound, GCancellable *cancellable, GError **error)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new (), outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  PhRunOptions options = { .cancellable = cancellable };

  for (guint i = 0; i < bound->function->def->n; i++)
    add_feeds (bound->arguments[i], tensors);
  for (guint i = 0; i < model->graph->inputs->len && i < tensors->len; i++)
    g_hash_table_insert (feeds, model->graph->inputs->pdata[i], ph_tensor_ref (tensors->pdata[i]));
  results = ph_run_model (model, feeds, NULL, &options, error);
  if (results == NULL)
    return NULL;
  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_ptr_array_add (outputs, ph_tensor_ref (g_hash_table_lookup (
                                  results, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[i])->id))));
  return g_steal_pointer (&outputs);
}

/* Describes the difference, or returns NULL if they agree. (transfer full) */
static char *
difference (GPtrArray *actual, GPtrArray *expected, GHashTable *numbers)
{
  if (actual->len != expected->len)
    return g_strdup_printf ("%u values instead of %u", actual->len, expected->len);
  for (guint i = 0; i < actual->len; i++)
    {
      /* A Python number has no element type: s = 0, to which no iteration added a tensor. */
      g_autoptr (PhTensor) number = g_hash_table_contains (numbers, expected->pdata[i])
                                        ? ph_tensor_cast (expected->pdata[i], ph_tensor_dtype (actual->pdata[i]))
                                        : ph_tensor_ref (expected->pdata[i]);
      g_auto (PhComparison) comparison = ph_tensor_compare (actual->pdata[i], number, (PhTolerance) { 1e-4, 1e-6 });

      if (!comparison.close)
        return g_strdup (comparison.why != NULL ? comparison.why : "the values differ");
    }
  return NULL;
}

static char *
describe_inputs (const PhScriptBound *bound)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < bound->function->def->n; i++)
    {
      g_autofree char *text = ph_script_value_text (bound->arguments[i], 6);

      g_string_append_printf (out, "%s%s = %s", i > 0 ? ", " : "", bound->function->def->items[i]->text, text);
    }
  return g_string_free (out, FALSE);
}

static char *
describe_outputs (GPtrArray *tensors)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < tensors->len; i++)
    {
      g_autofree char *text = ph_tensor_to_string (tensors->pdata[i], 6);

      g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", text);
    }
  return g_string_free (out, FALSE);
}

/* Returns the line of the first decision that differs from the traced one. */
static guint
parting (GArray *traced, GArray *now)
{
  for (guint i = 0; i < traced->len || i < now->len; i++)
    {
      const PhScriptDecision *a = i < traced->len ? &g_array_index (traced, PhScriptDecision, i) : NULL;
      const PhScriptDecision *b = i < now->len ? &g_array_index (now, PhScriptDecision, i) : NULL;

      if (a == NULL || b == NULL)
        return (a != NULL ? a : b)->line;
      if (a->line != b->line || a->outcome != b->outcome)
        return b->line;
    }
  return 0;
}

typedef struct
{
  PhScript *script;
  PhScriptGraph *trace, *compiled;
  GArray *decisions;
  GCancellable *cancellable;
  PhScriptComparison *comparison;
} Contrast;

static gboolean
try_input (Contrast *contrast, const PhScriptBound *bound, GError **error)
{
  PhScriptComparison *comparison = contrast->comparison;
  g_autoptr (GArray) decisions = g_array_new (FALSE, FALSE, sizeof (PhScriptDecision));
  g_autoptr (GError) reason = NULL;
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) eager = ph_script_eager (contrast->script, bound, decisions, numbers, contrast->cancellable, &reason);

  if (g_cancellable_set_error_if_cancelled (contrast->cancellable, error))
    return FALSE;
  comparison->n_inputs++;
  if (eager == NULL)
    {
      comparison->n_refused++;
      comparison->n_endless += g_error_matches (reason, PH_ERROR, PH_ERROR_CANCELLED);
      return TRUE;
    }
  for (guint which = 0; which < 2; which++)
    {
      PhScriptGraph *graph = which == 0 ? contrast->trace : contrast->compiled;
      g_autoptr (GError) failed = NULL;
      g_autoptr (GPtrArray) outputs = graph != NULL ? run_graph (graph->model, bound, contrast->cancellable, &failed) : NULL;
      g_autofree char *why = NULL;

      if (graph == NULL)
        continue;
      why = outputs != NULL ? difference (outputs, eager, numbers) : g_strdup (failed->message);
      if (why == NULL)
        continue;
      if (which == 0 && comparison->n_trace_wrong++ == 0)
        {
          comparison->trace_input = describe_inputs (bound);
          comparison->trace_line = parting (contrast->decisions, decisions);
          comparison->trace_eager = describe_outputs (eager);
          comparison->trace_gave = outputs != NULL ? describe_outputs (outputs) : g_strdup (why);
          comparison->trace_why = g_steal_pointer (&why);
        }
      else if (which == 1 && comparison->n_compiled_wrong++ == 0)
        {
          comparison->compiled_input = describe_inputs (bound);
          comparison->compiled_why = g_steal_pointer (&why);
        }
    }
  return TRUE;
}

/* ── times ── */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Milliseconds, the median; of @model, or where that is NULL of the eager run. */
static double
time_runs (Contrast *contrast, PhModel *model, const PhScriptBound *bound)
{
  double times[TIMED_RUNS];

  for (guint i = 0; i < TIMED_RUNS; i++)
    {
      const gint64 start = g_get_monotonic_time ();
      g_autoptr (GPtrArray) outputs = model != NULL
                                          ? run_graph (model, bound, contrast->cancellable, NULL)
                                          : ph_script_eager (contrast->script, bound, NULL, NULL, contrast->cancellable, NULL);

      times[i] = (double) (g_get_monotonic_time () - start) / 1000;
      if (outputs == NULL)
        return 0;
    }
  qsort (times, TIMED_RUNS, sizeof *times, compare_doubles);
  return times[TIMED_RUNS / 2];
}

/* Returns the peak of a graph; that of a loop's or branch's body adds to the values around it, while a fused body is one kernel. */
static gint64
peak_of (const PhGraph *graph)
{
  gint64 bytes = ph_graph_peak (graph, NULL), most = 0;

  for (const PhNode *node = graph->first; node != NULL && bytes >= 0; node = node->next)
    for (guint i = 0;
         node->graphs != NULL && (node->op == &ph_op_If || node->op == &ph_op_Loop) && i < node->graphs->len && most >= 0; i++)
      {
        const gint64 inside = peak_of (node->graphs->pdata[i]);

        most = inside < 0 ? -1 : MAX (most, inside);
      }
  return bytes < 0 || most < 0 ? -1 : bytes + most;
}

static gboolean
optimise (PhModel *model, GCancellable *cancellable)
{
  const PhPipeline *pipeline = ph_pipeline_find ("O2");
  g_autoptr (PhHistory) history = ph_history_new ();
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  options.allow = pipeline->allow;
  options.cancellable = cancellable;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    if (ph_pass_find (pipeline->passes[i]) != NULL
        && !ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, NULL))
      return FALSE;
  return TRUE;
}

PhScriptComparison *
ph_script_compare (PhScript *script, PhScriptText *call, guint n_inputs, GCancellable *cancellable, GError **error)
{
  g_auto (PhScriptBound) bound = { NULL };
  g_autoptr (PhScriptComparison) comparison = g_new0 (PhScriptComparison, 1);
  g_autoptr (PhScriptGraph) trace = NULL, compiled = NULL;
  g_autoptr (PhModel) optimised = NULL;
  g_autoptr (GArray) decisions = g_array_new (FALSE, FALSE, sizeof (PhScriptDecision));
  g_autoptr (GError) no_trace = NULL, no_compiled = NULL;
  g_autoptr (GPtrArray) measured = NULL;
  Contrast contrast = { script, NULL, NULL, decisions, cancellable, comparison };
  guint64 state = 1;
  const gboolean unlimited = script->limit == 0;
  gboolean goes_on = TRUE;

  comparison->rows = g_ptr_array_new ();
  if (!ph_script_resolve (script, call, &bound, cancellable, error))
    return NULL;
  g_ptr_array_unref (comparison->rows);
  comparison->rows = source_rows (bound.function);
  comparison->name = g_strdup (bound.function->name);
  contrast.trace = trace = ph_script_graph_of (script, &bound, FALSE, decisions, cancellable, &no_trace);
  contrast.compiled = compiled = ph_script_graph_of (script, &bound, TRUE, NULL, cancellable, &no_compiled);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (trace != NULL)
    {
      add_nodes (comparison->rows, trace, TRUE);
      comparison->n_traced = ph_model_n_nodes (trace->model, TRUE);
    }
  else
    comparison->trace_error = g_strdup (no_trace->message);
  if (compiled != NULL)
    {
      add_nodes (comparison->rows, compiled, FALSE);
      comparison->n_compiled = ph_model_n_nodes (compiled->model, TRUE);
    }
  else
    comparison->compile_error = g_strdup (no_compiled->message);
  if (!try_input (&contrast, &bound, error))
    return NULL;
  /* A loop that ends on the given inputs may not end on made-up ones. */
  if (unlimited)
    script->limit = (guint) MIN (MADE_UP_STEPS + 100 * (guint64) script->steps, G_MAXUINT);
  comparison->limit = script->limit;
  for (guint i = 0; goes_on && i < n_inputs; i++)
    {
      g_auto (PhScriptBound) other = { ph_script_function_ref (bound.function),
                                       g_new0 (PhScriptValue *, bound.function->def->n + 1) };

      for (guint k = 0; k < bound.function->def->n; k++)
        other.arguments[k] = other_value (bound.arguments[k], i, &state);
      goes_on = try_input (&contrast, &other, error);
    }
  if (unlimited)
    script->limit = 0;
  if (!goes_on)
    return NULL;
  script->peak = &comparison->eager_bytes;
  measured = ph_script_eager (script, &bound, NULL, NULL, cancellable, NULL);
  script->peak = NULL;
  comparison->trace_bytes = trace != NULL ? peak_of (trace->model->graph) : -1;
  comparison->compiled_bytes = compiled != NULL ? peak_of (compiled->model->graph) : -1;
  comparison->optimised_bytes = -1;
  comparison->eager_ms = time_runs (&contrast, NULL, &bound);
  comparison->trace_ms = trace != NULL ? time_runs (&contrast, trace->model, &bound) : 0;
  if (compiled != NULL)
    {
      comparison->compiled_ms = time_runs (&contrast, compiled->model, &bound);
      optimised = ph_model_clone (compiled->model);
      if (optimise (optimised, cancellable))
        {
          comparison->n_optimised = ph_model_n_nodes (optimised, TRUE);
          comparison->optimised_ms = time_runs (&contrast, optimised, &bound);
          comparison->optimised_bytes = peak_of (optimised->graph);
        }
    }
  return g_cancellable_set_error_if_cancelled (cancellable, error) ? NULL : g_steal_pointer (&comparison);
}
