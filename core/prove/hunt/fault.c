/* fault.c: the fault of a pass on a model, and the inputs that show it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/fault.h"

#include <math.h>
#include <string.h>

#include "core/prove/distance.h"
#include "core/prove/hunt/runner.h"
#include "core/prove/prover-private.h"
#include "core/prove/run-side.h"
#include "core/prove/samples/turns.h"
#include "core/prove/trial.h"
#include "core/run/inputs.h"

/* Smaller differences are rounding, in any implementation. */
#define RTOL 1e-3
#define ATOL 1e-5
/* A search on made-up inputs may take so many operations. */
#define SEARCH_FLOPS 2e7
/* The operations that take as long as making up one number. */
#define DRAW_FLOPS 20
#define SIGNATURE  200

const char *
ph_fault_kind_name (PhFaultKind kind)
{
  static const char *const names[] = { "none", "wrong", "error", "invalid", "crash" };

  return names[kind];
}

PhFaultKind
ph_fault_of_error (const GError *error)
{
  if (g_error_matches (error, PH_ERROR, PH_ERROR_BAD_MODEL))
    return PH_FAULT_INVALID;
  if (g_error_matches (error, PH_ERROR, PH_ERROR_CRASHED) || g_error_matches (error, PH_ERROR, PH_ERROR_BAD_RULE)
      || g_error_matches (error, PH_ERROR, PH_ERROR_NOT_CONVERGED))
    return PH_FAULT_CRASH;
  return PH_FAULT_NONE;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || (c != '\0' && strchr ("_./:-+[]", c) != NULL);
}

char *
ph_fault_signature (const char *message)
{
  GString *out = g_string_new (NULL);

  while (*message != '\0' && out->len < SIGNATURE)
    {
      gboolean name = FALSE;
      const char *end = message, *close;

      if ((*message == '\'' || *message == '"') && (close = strchr (message + 1, *message)) != NULL)
        {
          g_string_append (out, "'#'");
          message = close + 1;
          continue;
        }
      for (; is_word (*end); end++)
        name |= g_ascii_isdigit (*end) || *end == '/' || *end == '_';
      if (end == message)
        g_string_append_c (out, *message++);
      else
        {
          if (name)
            g_string_append_c (out, '#');
          else
            g_string_append_len (out, message, end - message);
          message = end;
        }
    }
  return g_string_free (out, FALSE);
}

PhFault *
ph_fault_new (PhFaultKind kind, const char *message)
{
  PhFault *fault = g_new0 (PhFault, 1);

  fault->kind = kind;
  fault->message = g_strdup (message);
  fault->witness = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  return fault;
}

void
ph_fault_free (PhFault *fault)
{
  g_free (fault->message);
  g_free (fault->output);
  g_free (fault->place);
  g_free (fault->expected);
  g_free (fault->actual);
  g_clear_pointer (&fault->after, ph_model_free);
  g_clear_pointer (&fault->history, ph_history_free);
  g_hash_table_unref (fault->witness);
  g_free (fault);
}

/* ── comparing ── */

/* Computes the outputs, or returns NULL if that fails. Made-up inputs are added to @feeds. */
static GHashTable *
run_model (PhModel *model, GHashTable *feeds, guint64 seed, gboolean keep_all, gboolean in_double, GCancellable *cancellable,
           GError **error)
{
  PhRunOptions options
      = { .cancellable = cancellable, .keep_all = keep_all, .in_double = in_double, .most_turns = ph_prove_turns (model, feeds) };
  g_autoptr (GHashTable) given = NULL;
  GHashTable *results = NULL;
  GHashTableIter iter;
  gpointer value, tensor;

  given = ph_inputs_find (model, feeds, PH_INPUTS_NORMAL, seed, NULL, &options, &results, error);
  if (given == NULL)
    return NULL;
  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    if (!g_hash_table_contains (feeds, ((PhValue *) value)->name))
      g_hash_table_insert (feeds, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
  if (keep_all)
    ph_results_add (results, given);
  return results;
}

/* The factor by which a close search divides the tolerance of float32. */
#define CLOSELY 20

static double
rtol_of (PhDType dtype)
{
  return dtype == PH_FLOAT16 ? 4 * RTOL : dtype == PH_BFLOAT16 ? 32 * RTOL : RTOL;
}

/* Returns the elements if they are plain floats, as most are. (nullable) */
static const float *
floats_of (PhTensor *tensor)
{
  return ph_tensor_dtype (tensor) == PH_FLOAT ? ph_tensor_data (tensor) : NULL;
}

static inline double
get (PhTensor *tensor, const float *floats, gsize at)
{
  return floats != NULL ? floats[at] : ph_tensor_get (tensor, at);
}

static double
largest (PhTensor *tensor)
{
  const float *floats = floats_of (tensor);
  const gsize n = ph_tensor_count (tensor);
  double most = 0;

  for (gsize i = 0; i < n; i++)
    {
      const double value = get (tensor, floats, i);

      if (isfinite (value))
        most = MAX (most, fabs (value));
    }
  return most;
}

static gboolean
differs (double was, double is, double rtol, double atol)
{
  if (isnan (was) || isnan (is))
    return isnan (was) != isnan (is);
  if (isinf (was) || isinf (is))
    return was != is;
  return was != is && !(fabs (was - is) <= atol + rtol * fabs (was));
}

/* Returns FALSE if both agree; otherwise records in @fault where they differ most. */
static gboolean
compare_output (PhFault *fault, const char *name, PhTensor *was, PhTensor *is, double parts)
{
  const gboolean is_float = ph_tensor_kind (was) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (was));
  const float *floats[2];
  double atol, rtol, worst = -1;
  gsize at = 0, n;

  if (ph_tensor_kind (was) != PH_KIND_TENSOR || ph_tensor_kind (is) != PH_KIND_TENSOR || ph_tensor_dtype (was) == PH_STRING
      || ph_tensor_dtype (was) != ph_tensor_dtype (is) || ph_tensor_rank (was) != ph_tensor_rank (is)
      || memcmp (ph_tensor_dims (was), ph_tensor_dims (is), ph_tensor_rank (was) * sizeof (gint64)) != 0)
    {
      g_auto (PhDistance) distance = ph_distance (is, was);

      if (distance.why == NULL && distance.n_exact == 0)
        return FALSE;
      if (fault->output == NULL)
        {
          fault->output = g_strdup (name);
          fault->message = distance.why != NULL ? g_strdup_printf ("%s: %s", name, distance.why) : NULL;
        }
      return TRUE;
    }
  n = ph_tensor_count (was);
  if (n == 0 || memcmp (ph_tensor_data (was), ph_tensor_data (is), ph_tensor_bytes (was)) == 0)
    return FALSE;
  floats[0] = floats_of (was);
  floats[1] = floats_of (is);
  rtol = is_float ? rtol_of (ph_tensor_dtype (was)) / parts : 0;
  atol = is_float ? ATOL * MAX (largest (was), 1) * rtol / RTOL : 0;
  for (gsize i = 0; i < n; i++)
    {
      const double a = get (was, floats[0], i), b = get (is, floats[1], i);
      const double apart = isfinite (a) && isfinite (b) ? fabs (a - b) : G_MAXDOUBLE;

      if (!differs (a, b, rtol, atol))
        continue;
      fault->unbounded |= apart == G_MAXDOUBLE;
      if (apart > worst)
        {
          worst = apart;
          at = i;
        }
    }
  if (worst < 0)
    return FALSE;
  if (worst < G_MAXDOUBLE)
    fault->max_error = MAX (fault->max_error, worst);
  if (fault->output == NULL)
    {
      fault->output = g_strdup (name);
      fault->place = ph_element_place (was, at);
      fault->expected = ph_element_to_string (was, at);
      fault->actual = ph_element_to_string (is, at);
    }
  return TRUE;
}

static void
take_witness (PhFault *fault, PhModel *model, GHashTable *feeds)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (tensor != NULL)
        g_hash_table_insert (fault->witness, g_strdup (input->name), ph_tensor_ref (tensor));
    }
}

/* Returns the feeds for inputs of @model. */
static GHashTable *
feeds_of (PhModel *model, GHashTable *feeds)
{
  GHashTable *own = ph_prove_new_feeds ();

  for (guint i = 0; feeds != NULL && i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (feeds, input->name);

      if (tensor != NULL)
        g_hash_table_insert (own, g_strdup (input->name), ph_tensor_ref (tensor));
    }
  return own;
}

/* @parts: the tolerance is divided by this. */
static PhFault *
fault_of_results (PhModel *before, PhModel *after, GHashTable *was, GHashTable *is, double parts)
{
  g_autoptr (PhFault) fault = ph_fault_new (PH_FAULT_WRONG, NULL);
  gboolean wrong = FALSE;

  if (before->graph->outputs->len != after->graph->outputs->len)
    {
      fault->message = g_strdup_printf ("%u outputs are %u", before->graph->outputs->len, after->graph->outputs->len);
      return g_steal_pointer (&fault);
    }
  for (guint k = 0; k < before->graph->outputs->len; k++)
    {
      const PhValue *a = before->graph->outputs->pdata[k], *b = after->graph->outputs->pdata[k];
      PhTensor *x = g_hash_table_lookup (was, GUINT_TO_POINTER (a->id)), *y = g_hash_table_lookup (is, GUINT_TO_POINTER (b->id));

      if (x != NULL && y != NULL)
        wrong |= compare_output (fault, a->name, x, y, parts);
    }
  return wrong ? g_steal_pointer (&fault) : NULL;
}

PhFault *
ph_fault_of_results (PhModel *before, PhModel *after, GHashTable *was, GHashTable *is)
{
  return fault_of_results (before, after, was, is, 1);
}

/* Compares in float32, or in double, which excludes rounding as a cause. */
static PhFault *
compare (PhModel *before, PhModel *after, GHashTable *feeds, gboolean in_double, double parts, GCancellable *cancellable)
{
  g_autoptr (GHashTable) own = feeds_of (before, feeds), was = NULL, is = NULL;
  g_autoptr (PhFault) fault = NULL, found = NULL;
  g_autoptr (GError) why = NULL;

  ph_inputs_join (own, before, after, 1);
  was = run_model (before, own, 1, FALSE, in_double, cancellable, NULL);
  if (was == NULL)
    return NULL;
  ph_inputs_join (own, before, after, 1);
  is = run_model (after, own, 1, FALSE, in_double, cancellable, &why);
  if (is == NULL)
    {
      fault = ph_fault_new (PH_FAULT_ERROR, why->message);
      take_witness (fault, before, own);
      return g_cancellable_is_cancelled (cancellable) || !ph_model_is_known (after) ? NULL : g_steal_pointer (&fault);
    }
  found = fault_of_results (before, after, was, is, parts);
  if (found != NULL)
    take_witness (found, before, own);
  return g_steal_pointer (&found);
}

/* Compares both models. Ties and jumps turn small differences into large ones: a difference by rounding alone disappears in double. One
 * that leaves the range of float32 may disappear too, but is wrong all the same. */
PhFault *
ph_fault_compare (PhModel *before, PhModel *after, GHashTable *feeds, gboolean closely, GCancellable *cancellable)
{
  g_autoptr (PhFault) fault = compare (before, after, feeds, FALSE, 1, cancellable), real = NULL;

  if (fault == NULL && closely)
    {
      real = compare (before, after, feeds, TRUE, CLOSELY, cancellable);
      if (real == NULL || real->kind != PH_FAULT_WRONG)
        return NULL;
      real->in_double = TRUE;
      return g_steal_pointer (&real);
    }
  if (fault == NULL || fault->kind != PH_FAULT_WRONG || fault->unbounded)
    return g_steal_pointer (&fault);
  real = compare (before, after, fault->witness, TRUE, 1, cancellable);
  return real != NULL ? g_steal_pointer (&fault) : NULL;
}

GHashTable *
ph_fault_values (PhModel *model, GHashTable *feeds, guint64 seed, GCancellable *cancellable)
{
  g_autoptr (GHashTable) own = feeds_of (model, feeds), results = run_model (model, own, seed, TRUE, FALSE, cancellable, NULL);
  GHashTable *values;
  GHashTableIter iter;
  gpointer id, tensor;

  if (results == NULL)
    return NULL;
  values = ph_prove_new_feeds ();
  g_hash_table_iter_init (&iter, results);
  while (g_hash_table_iter_next (&iter, &id, &tensor))
    {
      const PhValue *value = ph_model_find_value (model, GPOINTER_TO_UINT (id));

      if (value != NULL)
        g_hash_table_insert (values, g_strdup (value->name), ph_tensor_ref (tensor));
    }
  return values;
}

/* ── finding ── */

/* Tries one set of inputs. Returns NULL if none can be made up or both agree. */
static PhFault *
try_sample (const PhPair *pair, PhSampler *sampler, PhSampleKind kind, guint turn, guint sizes, gboolean like,
            PhTensor *const *captured, const PhFaultSearch *search)
{
  g_autoptr (GPtrArray) inputs = ph_sampler_draw (sampler, kind, turn,
                                                  (PhSampleShapes) { .sizes = sizes, .captured = like, .crop = 1 }, captured);
  g_autoptr (GHashTable) feeds = NULL;
  PhFault *fault;

  if (inputs == NULL)
    return NULL;
  feeds = ph_prove_new_feeds ();
  for (guint i = 0; i < inputs->len; i++)
    g_hash_table_insert (feeds, g_strdup (((PhValue *) pair->before->graph->inputs->pdata[i])->name),
                         ph_tensor_ref (inputs->pdata[i]));
  fault = ph_fault_compare (pair->before, pair->after, feeds, search->closely, search->cancellable);
  if (fault != NULL)
    fault->shown_by = kind;
  return fault;
}

/* A number of sets of a kind from a turn on. */
typedef struct
{
  PhSampleKind kind;
  guint first, n;
} Draws;
#define MAX_DRAWS 20
/* Inputs with fewer elements miss most critical numbers in a few sets: these many more are drawn. */
#define FEW         200
#define MOST_REACH  24
#define MOST_POINTS 60
#define N_MANY      4

/* Lists the samples to draw: ordinary values first, which give a witness that everybody understands; extremes, NaN and infinities last, and
 * only if the proof needed them, since another order of computation overflows elsewhere without being a fault. @n: elements of the largest
 * input. */
static guint
list_draws (PhSampler *sampler, gsize n, Draws *draws)
{
  const guint reaching = ph_sampler_n_reaching (sampler, n), few = n < FEW;
  /* clang-format off */
  const Draws all[] = {
    { PH_SAMPLE_NORMAL, 0, 1 }, { PH_SAMPLE_REACH, 0, 1 }, { PH_SAMPLE_WIDE, 0, 1 }, { PH_SAMPLE_DENSE, 0, 1 }, { PH_SAMPLE_NORMAL, 1, 1 },
    { PH_SAMPLE_REACH, 1, 1 }, { PH_SAMPLE_WIDE, 1, 1 }, { PH_SAMPLE_DENSE, 1, 1 }, { PH_SAMPLE_REACH, 2, 1 }, { PH_SAMPLE_NORMAL, 2, 1 },
    { PH_SAMPLE_WIDE, 2, 1 }, { PH_SAMPLE_DENSE, 2, 1 },
    { PH_SAMPLE_REACH, PH_SAMPLER_FIRST_ALL, few ? MIN (reaching, MOST_REACH) : 0 },
    { PH_SAMPLE_DENSE, PH_SAMPLER_FIRST_JOINT, few ? ph_sampler_n_joint (sampler) : 0 },
    { PH_SAMPLE_REACH, PH_SAMPLER_FIRST_POINT, few ? MIN (ph_sampler_n_points (sampler), MOST_POINTS) : 0 },
    { PH_SAMPLE_EXTREME, 0, 1 }, { PH_SAMPLE_NONFINITE, 0, 3 }, { PH_SAMPLE_NONFINITE, PH_SAMPLER_FIRST_MANY, few ? N_MANY : 1 },
  };
  /* clang-format on */

  memcpy (draws, all, sizeof all);
  return G_N_ELEMENTS (all);
}
#define LEAST_DRAWS 3

PhFault *
ph_fault_of_pair (const PhPair *pair, GHashTable *values, const PhFaultSearch *search)
{
  const guint n = pair->before->graph->inputs->len;
  g_autofree PhBounds *bounds = g_new (PhBounds, n + 1);
  g_autofree PhTensor **captured = g_new0 (PhTensor *, n + 1);
  PhFault *fault = values != NULL ? ph_fault_compare (pair->before, pair->after, values, search->closely, search->cancellable)
                                  : NULL;
  g_autoptr (PhSampler) sampler = NULL;
  gboolean all_captured = values != NULL;
  Draws draws[MAX_DRAWS];
  double cost = 1;
  gsize largest = 0;
  guint n_sizes, n_draws, tried = 0;

  if (fault != NULL || !search->search || ph_model_draws (pair->before) || ph_model_draws (pair->after))
    return fault;
  for (guint i = 0; i < n; i++)
    {
      bounds[i] = PH_BOUNDS_NONE;
      captured[i] = values != NULL ? g_hash_table_lookup (values, ((PhValue *) pair->before->graph->inputs->pdata[i])->name)
                                   : NULL;
      all_captured &= captured[i] != NULL;
    }
  PH_FOREACH_NODE (node, pair->before->graph)
    cost += ph_node_cost (node) + PH_PROVE_NODE_FLOPS;
  for (guint i = 0; i < n; i++)
    if (captured[i] != NULL)
      {
        cost += DRAW_FLOPS * (double) ph_tensor_count (captured[i]);
        largest = MAX (largest, ph_tensor_count (captured[i]));
      }
  sampler = ph_sampler_new (pair, bounds, search->seed);
  n_sizes = MAX (ph_sampler_n_sizes (sampler), 1);
  n_draws = list_draws (sampler, largest, draws);
  for (guint d = 0; d < n_draws && draws[d].kind <= search->furthest; d++)
    for (guint k = 0; k < draws[d].n && fault == NULL && !g_cancellable_is_cancelled (search->cancellable); k++, tried++)
      {
        const guint turn = draws[d].first + k;

        if (tried >= LEAST_DRAWS && 2 * cost * tried > SEARCH_FLOPS)
          return NULL;
        if (all_captured)
          fault = try_sample (pair, sampler, draws[d].kind, turn, 0, TRUE, captured, search);
        if (fault == NULL && (n_sizes > 1 || !all_captured))
          fault = try_sample (pair, sampler, draws[d].kind, turn, tried % n_sizes, FALSE, captured, search);
      }
  return fault;
}

/* Searches made-up inputs. Returns NULL if none shows a fault. */
static PhFault *
find_inputs (const PhFaultPass *pass, PhModel *before, PhModel *after, GHashTable *feeds)
{
  const PhFaultSearch search = { TRUE, pass->furthest, pass->closely, pass->seed, pass->cancellable };
  g_autoptr (PhRegion) region = ph_region_whole (before, after);
  g_autoptr (PhPair) pair = ph_pair_new (region, before, after, NULL);

  return pair != NULL ? ph_fault_of_pair (pair, feeds, &search) : NULL;
}

PhFault *
ph_fault_find (PhFaultPass *pass, PhModel *model, GHashTable *feeds, gboolean search, GError **error)
{
  g_autoptr (PhModel) after = ph_model_clone (model);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) own = NULL;
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;
  PhFault *fault;

  options.allow = pass->allow;
  options.arguments = (const char *const *) pass->arguments;
  options.folder = pass->folder;
  options.rules_off = pass->rules_off;
  options.limit = pass->limit;
  options.cancellable = pass->cancellable;
  pass->n_runs++;
  if (!ph_pass_run (pass->pass, after, history, &options, &own))
    {
      const PhFaultKind kind = ph_fault_of_error (own);
      g_autoptr (GHashTable) values = NULL;

      if (kind == PH_FAULT_NONE || g_cancellable_is_cancelled (pass->cancellable))
        {
          g_propagate_error (error, g_steal_pointer (&own));
          return NULL;
        }
      fault = ph_fault_new (kind, own->message);
      values = ph_fault_values (model, feeds, pass->seed, pass->cancellable);
      if (values == NULL) /* a model that cannot be computed at all is no useful case */
        {
          ph_fault_free (fault);
          return NULL;
        }
      take_witness (fault, model, values);
      return fault;
    }
  fault = history->edits->len == 0 ? NULL
          : pass->runner != NULL   ? ph_runner_fault (pass->runner, model, after, feeds, pass->cancellable)
                                   : ph_fault_compare (model, after, feeds, pass->closely, pass->cancellable);
  if (fault == NULL && search && pass->runner == NULL && history->edits->len > 0)
    fault = find_inputs (pass, model, after, feeds);
  if (g_cancellable_set_error_if_cancelled (pass->cancellable, error))
    g_clear_pointer (&fault, ph_fault_free);
  if (fault != NULL)
    {
      fault->after = g_steal_pointer (&after);
      fault->history = g_steal_pointer (&history);
    }
  return fault;
}
