/* candidates.c: the kernels that could run a node, tried in the middle of a run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/candidates.h"

#include <math.h>

#include "core/intern.h"
#include "core/number.h"
#include "core/run/kernels.h"
#include "core/run/run-private.h"
#include "core/tensor/broadcast.h"
#include "core/tensor/compare.h"

struct _PhKernelStudy
{
  PhId node;
  guint runs;
  gboolean compare;
  GHashTable *origins; /* (nullable) see ph_run_upgraded_clone() */
  GArray *candidates;  /* (nullable) until the node runs         */
};

/* ── candidates for a node ── */

static void
add_candidate (GArray *candidates, const PhKernel *kernel, const char *name, int priority)
{
  const PhCandidate candidate = { .node = kernel->node->id, .name = name, .priority = priority, .ns = -1, .max_abs = -1 };

  g_array_append_val (candidates, candidate);
}

/* Returns TRUE if @row can run the inputs of @kernel, without computing anything. @why: (out) the reason if not. */
static gboolean
takes (const PhKernel *kernel, const PhKernelRow *row, const char **why)
{
  PhNodeState state = { .constants = kernel->state->constants };
  PhKernel own = *kernel;
  gpointer prepared;

  own.state = &state;
  prepared = row->prepare (&own);
  *why = prepared != NULL ? NULL : state.refusal != NULL ? state.refusal : "not with such inputs";
  if (prepared != NULL && row->free != NULL)
    row->free (prepared);
  return prepared != NULL;
}

/* Describes how the reference runs a node without a kernel: its body, or its expansion. */
static const char *
reference_why (const PhNode *node)
{
  if (node->op == NULL)
    return ph_node_is_fused (node) ? "runs the body, node by node" : "runs the function's body";
  return node->op->kernel == NULL ? "runs what the operator is spelt out as" : NULL;
}

void
ph_candidates_add (GArray *candidates, const PhKernel *kernel, const PhKernelRow *ran)
{
  const PhNode *node = kernel->node;
  const gboolean has_rows = node->op != NULL || ph_node_is_fused (node);
  const char *wish = kernel->run->options->kernel != NULL ? kernel->run->options->kernel : kernel->state->wish;
  const PhKernelRow *const *rows = has_rows ? ph_kernel_rows (node->op) : NULL;
  const guint first = candidates->len;
  const char *name = ran != NULL ? ran->name : PH_KERNEL_REFERENCE;

  for (; rows != NULL && *rows != NULL; rows++)
    {
      PhCandidate *candidate;

      add_candidate (candidates, kernel, (*rows)->name, (*rows)->priority);
      candidate = &g_array_index (candidates, PhCandidate, candidates->len - 1);
      candidate->ran = *rows == ran;
      candidate->takes = *rows == ran || takes (kernel, *rows, &candidate->why);
    }
  add_candidate (candidates, kernel, PH_KERNEL_REFERENCE, 0);
  g_array_index (candidates, PhCandidate, candidates->len - 1).takes = TRUE;
  g_array_index (candidates, PhCandidate, candidates->len - 1).ran = ran == NULL;
  for (guint i = first; i < candidates->len; i++)
    {
      PhCandidate *candidate = &g_array_index (candidates, PhCandidate, i);
      const char *own = i + 1 == candidates->len ? reference_why (node) : NULL;
      const char *remark = candidate->ran ? ph_node_state_remark (kernel->state) : NULL;
      g_autofree char *text = NULL, *whole = NULL;

      candidate->name = ph_intern (candidate->name);
      if (candidate->why != NULL)
        text = g_strdup_printf ("does not take it: %s", candidate->why);
      else if (candidate->ran && wish != NULL && g_str_equal (wish, candidate->name))
        text = g_strdup ("chosen: it is set");
      else if (candidate->ran && i == first)
        text = g_strdup (candidates->len - first == 1 ? own != NULL ? own : "the only one" : "chosen: the first that is asked");
      else if (candidate->ran)
        text = g_strdup ("chosen: the first that takes it");
      else if (i + 1 < candidates->len && candidate->takes && !candidate->ran && ran == NULL
               && (wish == NULL || !g_str_equal (wish, name)))
        text = g_strdup ("takes such inputs, but not these numbers");
      else
        text = g_strdup_printf ("takes it too, but %s",
                                wish != NULL && g_str_equal (wish, name) ? "another one is set" : "is asked later");
      whole = remark != NULL ? g_strdup_printf ("%s; %s", text, remark) : NULL;
      candidate->why = ph_intern (whole != NULL ? whole : text);
    }
}

/* ── one node in depth ── */

static double
difference (PhTensor *actual, PhTensor *expected, gsize i)
{
  const double a = ph_tensor_get (actual, i), b = ph_tensor_get (expected, i);

  if ((isnan (a) && isnan (b)) || a == b)
    return 0;
  return isfinite (a) && isfinite (b) ? fabs (a - b) : INFINITY;
}

/* Records the error of output @k and its position. */
static void
compare_output (PhCandidate *candidate, guint k, PhTensor *actual, PhTensor *expected)
{
  g_auto (PhComparison) comparison = ph_tensor_compare (actual, expected, PH_TOLERANCE_EXACT);
  g_autoptr (GString) text = NULL;
  gint64 strides[PH_MAX_RANK];
  double worst = -1;
  gsize at = 0;

  candidate->max_abs = MAX (candidate->max_abs, 0);
  if (comparison.close)
    return;
  text = g_string_new (NULL);
  g_string_printf (text, "output %u", k);
  if (comparison.max_abs_error <= candidate->max_abs && candidate->place != NULL)
    return;
  candidate->max_abs = comparison.max_abs_error;
  if (ph_tensor_kind (actual) != PH_KIND_TENSOR || ph_tensor_dtype (actual) != ph_tensor_dtype (expected)
      || ph_tensor_count (actual) != ph_tensor_count (expected) || !ph_dtype_is_float (ph_tensor_dtype (actual)))
    {
      candidate->max_abs = INFINITY;
      g_string_append_printf (text, ": %s", comparison.why);
      g_free (candidate->place);
      candidate->place = g_strdup (text->str);
      return;
    }
  for (gsize i = 0; i < ph_tensor_count (actual); i++)
    {
      const double apart = difference (actual, expected, i);

      if (apart > worst)
        {
          worst = apart;
          at = i;
        }
    }
  ph_strides (ph_tensor_rank (actual), ph_tensor_dims (actual), strides);
  g_string_append (text, ", [");
  for (guint d = 0; d < ph_tensor_rank (actual); d++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, d > 0 ? "," : "", (gint64) at / strides[d] % ph_tensor_dims (actual)[d]);
  g_string_append (text, "]: ");
  ph_number_append (text, "%.9g", ph_tensor_get (actual, at));
  g_string_append (text, " is not ");
  ph_number_append (text, "%.9g", ph_tensor_get (expected, at));
  g_free (candidate->place);
  candidate->place = g_strdup (text->str);
}

/* Computes the outputs of @kernel's node with the kernel that @candidate names; its time is the least of @runs. Returns FALSE if that
 * fails. */
static gboolean
run_candidate (const PhKernel *kernel, PhCandidate *candidate, guint runs, PhTensor **outputs)
{
  const gboolean is_reference = g_str_equal (candidate->name, PH_KERNEL_REFERENCE);
  PhNodeState state = { .constants = kernel->state->constants, .wish = candidate->name };
  PhRunOptions options = *kernel->run->options;
  PhRun run = *kernel->run;
  PhKernel own = *kernel;
  gboolean ok = TRUE;

  /* The measurement must leave no trace in the enclosing run. */
  options.kernel = NULL;
  options.profile = NULL;
  options.study = NULL;
  options.ran = NULL;
  run.options = &options;
  run.sources = NULL;
  run.draws = NULL;
  run.spare = NULL;
  own.run = &run;
  own.state = &state;
  own.outputs = outputs;
  own.dying = 0;
  for (guint i = 0; i < runs && ok; i++)
    {
      const gint64 start = ph_profile_now ();
      gint64 ns;

      for (guint k = 0; k < kernel->n_outputs; k++)
        g_clear_pointer (&outputs[k], ph_tensor_unref);
      ok = ph_run_kernel (&run, &own, NULL)
           && (is_reference ? state.ran == NULL : state.ran != NULL && g_str_equal (state.ran->name, candidate->name));
      ns = ph_profile_now () - start;
      if (ok && i > 0 && (candidate->ns < 0 || ns < candidate->ns)) /* the first one prepares it */
        candidate->ns = ns;
    }
  candidate->packed = ph_node_state_packed (&state);
  ph_node_state_clear (&state);
  kernel->run->wide = run.wide;
  g_clear_pointer (&run.sources, g_hash_table_unref);
  g_clear_pointer (&run.draws, g_hash_table_unref);
  g_clear_pointer (&run.spare, g_ptr_array_unref);
  return ok;
}

static PhTensor **
new_outputs (const PhKernel *kernel)
{
  return g_new0 (PhTensor *, kernel->n_outputs + 1);
}

static void
free_outputs (const PhKernel *kernel, PhTensor **outputs)
{
  for (guint k = 0; k < kernel->n_outputs; k++)
    g_clear_pointer (&outputs[k], ph_tensor_unref);
  g_free (outputs);
}

static void
clear_candidate (gpointer candidate)
{
  g_free (((PhCandidate *) candidate)->place);
}

/* Begins before the node runs, so that none of its operands is overwritten yet. */
void
ph_kernel_study_begin (PhKernelStudy *study, const PhKernel *kernel)
{
  gpointer origin = study->origins != NULL ? g_hash_table_lookup (study->origins, GUINT_TO_POINTER (kernel->node->id)) : NULL;
  PhTensor **expected;
  gboolean known;

  if (study->candidates != NULL || (kernel->node->id != study->node && GPOINTER_TO_UINT (origin) != study->node))
    return;
  study->candidates = g_array_new (FALSE, FALSE, sizeof (PhCandidate));
  g_array_set_clear_func (study->candidates, clear_candidate);
  ph_candidates_add (study->candidates, kernel, NULL);
  if (study->runs == 0 && !study->compare)
    return;
  expected = new_outputs (kernel);
  known = run_candidate (kernel, &g_array_index (study->candidates, PhCandidate, study->candidates->len - 1), study->runs + 1,
                         expected);
  for (guint i = 0; i + 1 < study->candidates->len; i++)
    {
      PhCandidate *candidate = &g_array_index (study->candidates, PhCandidate, i);
      PhTensor **outputs = new_outputs (kernel);

      if (candidate->takes && run_candidate (kernel, candidate, study->runs + 1, outputs) && known && study->compare)
        for (guint k = 0; k < kernel->n_outputs; k++)
          if (outputs[k] != NULL && expected[k] != NULL)
            compare_output (candidate, k, outputs[k], expected[k]);
      free_outputs (kernel, outputs);
    }
  free_outputs (kernel, expected);
}

/* Ends after the run, when the kernel that computed the outputs is known. */
void
ph_kernel_study_end (PhKernelStudy *study, const PhKernel *kernel)
{
  g_autoptr (GArray) now = NULL;
  gpointer origin = study->origins != NULL ? g_hash_table_lookup (study->origins, GUINT_TO_POINTER (kernel->node->id)) : NULL;

  if (study->candidates == NULL || (kernel->node->id != study->node && GPOINTER_TO_UINT (origin) != study->node)
      || g_array_index (study->candidates, PhCandidate, 0).node != kernel->node->id)
    return;
  now = g_array_new (FALSE, FALSE, sizeof (PhCandidate));
  ph_candidates_add (now, kernel, kernel->state->ran);
  for (guint i = 0; i < now->len; i++)
    {
      const PhCandidate *said = &g_array_index (now, PhCandidate, i);
      PhCandidate *candidate = &g_array_index (study->candidates, PhCandidate, i);

      candidate->takes = said->takes;
      candidate->ran = said->ran;
      candidate->why = said->why;
      candidate->node = study->node;
      if (said->ran && candidate->packed == 0)
        candidate->packed = ph_node_state_packed (kernel->state);
    }
  study->node = PH_NO_ID; /* the first time that it runs */
}

void
ph_kernel_study_set_origins (PhKernelStudy *study, GHashTable *origins)
{
  study->origins = origins;
}

GArray *
ph_kernel_study (PhModel *model, GHashTable *feeds, PhId node, guint runs, gboolean compare, const PhRunOptions *options,
                 GError **error)
{
  PhKernelStudy study = { .node = node, .runs = runs, .compare = compare };
  PhRunOptions own = options != NULL ? *options : (PhRunOptions) { 0 };
  g_autoptr (GHashTable) results = NULL;
  g_autoptr (GPtrArray) wanted = NULL;
  PhNode *found = ph_model_find_node (model, node), *outer = found != NULL ? ph_node_ancestor_in (found, model->graph) : NULL;

  own.study = &study;
  if (outer != NULL && outer->outputs->len > 0)
    {
      wanted = g_ptr_array_new ();
      g_ptr_array_add (wanted, outer->outputs->pdata[0]);
    }
  results = ph_run_model (model, feeds, wanted, &own, error);
  if (results == NULL)
    {
      g_clear_pointer (&study.candidates, g_array_unref);
      return NULL;
    }
  if (study.candidates == NULL)
    g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "n%u does not run with these inputs%s", node,
                 found != NULL && found->graph->owner != NULL && ph_node_is_fused (found->graph->owner)
                     ? ": ask for the fused node around it"
                     : "");
  return study.candidates;
}
