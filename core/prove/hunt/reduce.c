/* reduce.c: finds the smallest part of a model on which a pass goes wrong in the same way: windows, then delta debugging over nodes (Zeller
 * and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002), then sizes and digits. The inputs of a part are the values
 * captured there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/reduce.h"

#include "core/analyze/region-private.h"
#include "core/ops/op-list.h"
#include "core/prove/hunt/cut.h"
#include "core/prove/hunt/shrink.h"
#include "core/prove/prover-private.h"

/* Inputs are made up for parts of so many nodes. */
#define SEARCHED 40
/* Below this many nodes, windows give way to delta debugging. */
#define WINDOWED 16
/* Sizes and digits have so many tests at least. */
#define SHRINKING 40
/* Microseconds: external programs are slow. */
#define LEAST_SHRINKING (4 * G_USEC_PER_SEC)

typedef struct
{
  PhFaultPass *pass;
  const PhReduceOptions *options;
  PhFaultKind kind; /* that counts; NONE: results that differ or cannot be computed  */
  char *signature;  /* (nullable) of the message that counts                         */
  PhModel *base;    /* the model from which parts are cut; owned except for the first */
  gboolean own_base;
  GHashTable *values; /* name -> PhTensor: of every value of @base                     */
  GPtrArray *set;     /* (element-type PhNode) of @base: the smallest that shows it    */
  GHashTable *failed; /* parts of @base that do not show it, as GBytes                 */
  PhReduced *best;    /* (nullable)                                                    */
  guint n_tests;
  guint last_test; /* 0 while nodes are removed, which has no limit */
  gboolean out_of_time;
  GError **error; /* set: cancelled, or the pass cannot be run                     */
} Reduction;

void
ph_reduced_free (PhReduced *reduced)
{
  g_clear_pointer (&reduced->model, ph_model_free);
  g_clear_pointer (&reduced->fault, ph_fault_free);
  g_free (reduced);
}

static gboolean
counts (Reduction *self, const PhFault *fault)
{
  g_autofree char *signature = NULL;

  /* Wrong results are looked for: that a pass refuses a part of the model is another matter. */
  if (self->kind == PH_FAULT_NONE)
    return fault->kind == PH_FAULT_WRONG || fault->kind == PH_FAULT_ERROR;
  if (fault->kind != self->kind)
    return FALSE;
  if (self->signature == NULL || fault->message == NULL || fault->kind < PH_FAULT_INVALID)
    return TRUE;
  signature = ph_fault_signature (fault->message);
  return g_str_equal (signature, self->signature);
}

/* Returns TRUE if the same rules fire: other sizes must not make others fire. */
static gboolean
has_rules (Reduction *self, const PhFault *fault)
{
  const GArray *was = self->last_test > 0 && self->best->fault->history != NULL ? self->best->fault->history->rewrites : NULL;
  const GArray *is = fault->history != NULL ? fault->history->rewrites : NULL;

  if (was == NULL)
    return TRUE;
  if (is == NULL || is->len != was->len)
    return FALSE;
  for (guint i = 0; i < was->len; i++)
    if (g_array_index (was, PhRewrite, i).rule != g_array_index (is, PhRewrite, i).rule)
      return FALSE;
  return TRUE;
}

static void
like (Reduction *self, const PhFault *fault)
{
  self->kind = fault->kind;
  g_free (self->signature);
  self->signature = fault->message != NULL && fault->kind >= PH_FAULT_INVALID ? ph_fault_signature (fault->message) : NULL;
}

static gboolean
is_over (Reduction *self)
{
  if (*self->error != NULL || (self->last_test > 0 && self->n_tests >= self->last_test))
    return TRUE;
  self->out_of_time |= self->options->deadline > 0 && g_get_monotonic_time () > self->options->deadline;
  return self->out_of_time;
}

/* Returns TRUE if @model shows the fault on @feeds, or, with @search, on made-up inputs; it becomes the best one. */
static gboolean
try_model (Reduction *self, PhModel *model, GHashTable *feeds, gboolean search)
{
  const guint n = ph_model_n_computing (model);
  g_autoptr (PhFault) fault = NULL;

  self->n_tests++;
  if (self->options->progress != NULL)
    self->options->progress (self->n_tests, self->best != NULL ? self->best->n_nodes : n, self->options->data);
  fault = ph_fault_find (self->pass, model, feeds,
                         search && n <= SEARCHED && (self->kind == PH_FAULT_NONE || self->kind == PH_FAULT_WRONG), self->error);
  if (fault == NULL || !counts (self, fault) || !has_rules (self, fault))
    return FALSE;
  if (self->best == NULL)
    {
      like (self, fault);
      self->best = g_new0 (PhReduced, 1);
    }
  g_clear_pointer (&self->best->model, ph_model_free);
  g_clear_pointer (&self->best->fault, ph_fault_free);
  self->best->model = ph_model_clone (model);
  self->best->fault = g_steal_pointer (&fault);
  self->best->n_nodes = n;
  return TRUE;
}

static GBytes *
key_of (GPtrArray *nodes)
{
  g_autoptr (GArray) ids = g_array_sized_new (FALSE, FALSE, sizeof (PhId), nodes->len);

  for (guint i = 0; i < nodes->len; i++)
    g_array_append_val (ids, ((PhNode *) nodes->pdata[i])->id);
  return g_bytes_new (ids->data, ids->len * sizeof (PhId));
}

static void take_base (Reduction *self, PhModel *base, gboolean own);

/* Returns TRUE if the witness has generated inputs, so that inner values must be recomputed. */
static gboolean
was_made_up (Reduction *self)
{
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, self->best->fault->witness);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    if (g_hash_table_lookup (self->values, name) != tensor)
      return TRUE;
  return FALSE;
}

static void
rebase (Reduction *self)
{
  GHashTable *values = ph_fault_values (self->best->model, self->best->fault->witness, self->pass->seed, self->pass->cancellable);

  if (values == NULL)
    return;
  g_hash_table_unref (self->values);
  self->values = values;
  take_base (self, ph_model_clone (self->best->model), TRUE);
}

/* Returns TRUE if @nodes show the fault; they then become @self->set. */
static gboolean
try_nodes (Reduction *self, GPtrArray *nodes)
{
  g_autoptr (GHashTable) set = NULL;
  g_autoptr (GBytes) key = NULL;
  g_autoptr (PhModel) model = NULL;

  if (nodes->len == 0 || is_over (self))
    return FALSE;
  key = key_of (nodes);
  if (g_hash_table_contains (self->failed, key))
    return FALSE;
  set = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < nodes->len; i++)
    g_hash_table_add (set, nodes->pdata[i]);
  model = ph_model_cut (self->base, set, NULL);
  if (model == NULL || !try_model (self, model, self->values, TRUE))
    {
      if (!is_over (self))
        g_hash_table_add (self->failed, g_steal_pointer (&key));
      return FALSE;
    }
  if (was_made_up (self))
    rebase (self);
  else
    {
      g_ptr_array_unref (self->set);
      self->set = g_ptr_array_copy (nodes, NULL, NULL);
    }
  return TRUE;
}

static void
take_base (Reduction *self, PhModel *base, gboolean own)
{
  if (self->own_base)
    ph_model_free (self->base);
  self->base = base;
  self->own_base = own;
  g_hash_table_remove_all (self->failed);
  g_clear_pointer (&self->set, g_ptr_array_unref);
  self->set = g_ptr_array_new ();
  PH_FOREACH_NODE (node, base->graph)
    if (!ph_node_is (node, &ph_op_Constant))
      g_ptr_array_add (self->set, node);
}

/* ── windows ── */

static gboolean
try_range (Reduction *self, guint first, guint n)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  for (guint i = first; i < first + n; i++)
    g_ptr_array_add (nodes, self->set->pdata[i]);
  return try_nodes (self, nodes);
}

/* Halves in program order: the first, the last, the middle. */
static void
halve (Reduction *self)
{
  while (self->set->len > WINDOWED && !is_over (self))
    {
      const guint n = self->set->len, half = (n + 1) / 2;

      if (!try_range (self, 0, half) && !try_range (self, n - half, half) && !try_range (self, (n - half) / 2, half))
        break;
    }
}

/* ── delta debugging ── */

static gboolean
try_part (Reduction *self, guint part, guint parts, gboolean without)
{
  const guint n = self->set->len, first = part * n / parts, end = (part + 1) * n / parts;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  if (first == end || end - first == n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if ((i >= first && i < end) != without)
      g_ptr_array_add (nodes, self->set->pdata[i]);
  return try_nodes (self, nodes);
}

static void
debug_nodes (Reduction *self)
{
  guint parts = 2;

  while (self->set->len > 1 && !is_over (self))
    {
      gboolean smaller = FALSE;

      parts = MIN (parts, self->set->len);
      for (guint part = 0; part < parts && !smaller; part++)
        if (try_part (self, part, parts, FALSE))
          {
            smaller = TRUE;
            parts = 2;
          }
      for (guint part = parts; part-- > 0 && !smaller && parts > 2;)
        if (try_part (self, part, parts, TRUE))
          {
            smaller = TRUE;
            parts = MAX (parts - 1, 2);
          }
      if (!smaller && parts >= self->set->len)
        return;
      if (!smaller)
        parts *= 2;
    }
}

/* ── outputs ── */

/* Keeps a single output, preferably one that needs fewer nodes. */
static void
drop_outputs (Reduction *self)
{
  g_autoptr (PhModel) from = NULL;

  if (self->best->model->graph->outputs->len < 2)
    return;
  from = ph_model_clone (self->best->model);
  for (guint i = 0; i < from->graph->outputs->len && !is_over (self); i++)
    {
      const PhValue *value = from->graph->outputs->pdata[i];
      g_autoptr (GHashTable) keep = g_hash_table_new (g_str_hash, g_str_equal);
      g_autoptr (PhModel) model = NULL;

      if (self->best->fault->output != NULL && self->best->fault->kind == PH_FAULT_WRONG
          && !g_str_equal (self->best->fault->output, value->name))
        continue;
      g_hash_table_add (keep, (gpointer) value->name);
      model = ph_model_keep_outputs (from, keep, NULL);
      if (model != NULL && try_model (self, model, self->values, TRUE))
        {
          rebase (self);
          return;
        }
    }
}

/* ── sizes and numbers ── */

static gboolean
try_smaller (PhShrinking *shrinking, const PhShrink *shrink, gpointer data)
{
  Reduction *self = data;
  g_autoptr (GHashTable) feeds = ph_prove_new_feeds ();
  g_autoptr (PhModel) model = is_over (self) ? NULL : ph_shrink_apply (shrink, shrinking->model, shrinking->feeds, feeds);

  if (model == NULL || !try_model (self, model, feeds, shrink->to > 0))
    return FALSE;
  shrinking->model = self->best->model;
  shrinking->feeds = self->best->fault->witness;
  return TRUE;
}

/* Makes the model easier to read rather than smaller, within as many tests as the reduction took and half of its time. */
static void
shrink (Reduction *self, gint64 started)
{
  const gint64 now = g_get_monotonic_time (), end = now + MAX ((now - started) / 2, LEAST_SHRINKING),
               last = self->options->deadline;
  const PhReduceOptions own = { last > 0 ? MIN (last, end) : end, self->options->progress, self->options->data };
  const PhReduceOptions *options = self->options;
  const gboolean out_of_time = self->out_of_time;

  self->options = &own;
  self->last_test = self->n_tests + MAX (self->n_tests, SHRINKING);
  ph_shrink_all (&(PhShrinking) { self->best->model, self->best->fault->witness, try_smaller, self });
  self->options = options;
  self->out_of_time = out_of_time;
}

PhReduced *
ph_reduce (PhFaultPass *pass, PhModel *model, GHashTable *nodes, GHashTable *values, const PhFault *fault,
           const PhReduceOptions *options, GError **error)
{
  g_autoptr (GHashTable) failed = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  g_autoptr (GPtrArray) first = g_ptr_array_new ();
  const gint64 started = g_get_monotonic_time ();
  GError *own = NULL;
  Reduction self = { .pass = pass,
                     .options = options,
                     .failed = failed,
                     .error = &own,
                     .values = values != NULL ? g_hash_table_ref (values) : g_hash_table_new (g_str_hash, g_str_equal) };

  if (fault != NULL)
    like (&self, fault);
  take_base (&self, model, FALSE);
  for (guint i = 0; i < self.set->len; i++)
    if (g_hash_table_contains (nodes, self.set->pdata[i]))
      g_ptr_array_add (first, self.set->pdata[i]);
  if (try_nodes (&self, first))
    {
      halve (&self);
      debug_nodes (&self);
      drop_outputs (&self);
      debug_nodes (&self);
      shrink (&self, started);
      self.best->n_tests = self.n_tests;
      self.best->out_of_time = self.out_of_time;
    }
  if (self.own_base)
    ph_model_free (self.base);
  g_hash_table_unref (self.values);
  g_ptr_array_unref (self.set);
  g_free (self.signature);
  if (own != NULL && self.best == NULL)
    g_propagate_error (error, own);
  else
    g_clear_error (&own);
  return self.best;
}
