/* prove.c: positions of a history, computed on the same inputs and compared.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/proof-private.h"

#include <string.h>

/* Inputs of so many elements may miss the one that shows it. */
#define FEW 1000

/* What is tried, in this order. A few numbers more do not cost much where they are few. */
static const struct { PhInputsKind kind; gboolean more; } tries[] = {
  { PH_INPUTS_FED }, { PH_INPUTS_NORMAL }, { PH_INPUTS_WIDE }, { PH_INPUTS_TINY }, { PH_INPUTS_SPECIAL },
  { PH_INPUTS_NORMAL, TRUE }, { PH_INPUTS_NORMAL, TRUE }, { PH_INPUTS_SPECIAL, TRUE },
};

/* One set of inputs, and what the last few positions made of it. */
typedef struct
{
  PhInputsKind kind;
  guint64      seed;
  GHashTable  *feeds;            /* (nullable) input name -> PhTensor, once found                  */
  struct { guint at, used; GHashTable *outputs; char *problem; } cache[3];   /* by edit index; output name -> PhTensor */
  guint        clock;
} Set;

struct _PhProver
{
  PhModel   *walker;
  PhHistory *history;
  GHashTable *fed;               /* name -> PhTensor                                               */
  Set        sets[G_N_ELEMENTS (tries)];
};

/* ── the journal ── */

static PhExactness
rewrite_exactness (const PhPass *pass, const char *rule)
{
  for (guint i = 0; i < pass->n_rules; i++)
    if (g_str_equal (pass->rules[i].name, rule))
      return pass->rules[i].exactness;
  return ph_pass_exactness (pass);
}

/* What may differ between two positions: the least exact of the rules that fired between them. */
static PhExactness
exactness_between (PhHistory *history, PhPosition a, PhPosition b)
{
  PhExactness exactness = PH_EXACT;
  guint       first, last;

  if (ph_position_compare (a, b) > 0)
    return exactness_between (history, b, a);
  first = ph_history_edit_index (history, a);
  last = ph_history_edit_index (history, b);
  for (guint s = a.step; s < history->steps->len && s <= b.step; s++)
    {
      const PhStep    *step = &g_array_index (history->steps, PhStep, s);
      g_autofree char *name = g_strndup (step->pass, strcspn (step->pass, " "));
      const PhPass    *pass = ph_pass_find (name);

      for (guint r = 0; r < step->n_rewrites; r++)
        {
          const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, step->first_rewrite + r);

          if (rewrite->first_edit >= first && rewrite->first_edit < last)
            exactness = MAX (exactness, pass != NULL ? rewrite_exactness (pass, rewrite->rule) : PH_ROUNDING);
        }
    }
  return exactness;
}

/* Rewrites counted over the whole history, and back. */
static guint
index_of (PhHistory *history, PhPosition at)
{
  if (at.step >= history->steps->len)
    return history->rewrites->len;
  return g_array_index (history->steps, PhStep, at.step).first_rewrite + at.rewrite;
}

static PhPosition
position_of (PhHistory *history, guint index)
{
  for (guint s = 0; s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);

      if (index < step->first_rewrite + step->n_rewrites)
        return (PhPosition) { s, index - step->first_rewrite };
    }
  return (PhPosition) { history->steps->len, 0 };
}

const PhRewrite *
ph_history_rewrite_at (PhHistory *history, PhPosition position)
{
  guint index = index_of (history, position);

  return index < history->rewrites->len ? &g_array_index (history->rewrites, PhRewrite, index) : NULL;
}

/* ── computing ── */

PhProver *
ph_prover_new (PhModel *walker, PhHistory *history, GHashTable *feeds, guint64 seed)
{
  PhProver *prover = g_new0 (PhProver, 1);

  prover->walker = walker;
  prover->history = history;
  prover->fed = feeds != NULL ? g_hash_table_ref (feeds) : g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    {
      prover->sets[i].kind = tries[i].kind;
      prover->sets[i].seed = seed + (tries[i].more ? i : 0);
    }
  return prover;
}

void
ph_prover_free (PhProver *prover)
{
  for (guint k = 0; k < G_N_ELEMENTS (tries); k++)
    {
      Set *set = &prover->sets[k];

      g_clear_pointer (&set->feeds, g_hash_table_unref);
      for (guint i = 0; i < G_N_ELEMENTS (set->cache); i++)
        {
          g_clear_pointer (&set->cache[i].outputs, g_hash_table_unref);
          g_free (set->cache[i].problem);
        }
    }
  ph_model_free (prover->walker);
  ph_history_free (prover->history);
  g_hash_table_unref (prover->fed);
  g_free (prover);
}

PhHistory *
ph_prover_get_history (PhProver *prover)
{
  return prover->history;
}

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
}

static gboolean
is_cotangent (PhModel *model, const PhValue *input)
{
  return g_str_has_prefix (input->name, "grad_") && ph_model_find_value_named (model, input->name + strlen ("grad_")) != NULL;
}

static gboolean
all_named (PhModel *model, GHashTable *named)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      if (input->tensor == NULL && (named == NULL || !g_hash_table_contains (named, input->name)) && !is_cotangent (model, input))
        return FALSE;
    }
  return TRUE;
}

/* Finds the set's inputs for the position of the walker, where it has none yet or the position asks for more. */
static GHashTable *
complete_feeds (PhProver *prover, Set *set, const PhRunOptions *options, GError **error)
{
  GHashTable           *named = set->feeds != NULL ? set->feeds : prover->fed;
  g_autoptr(GHashTable) found = NULL;
  GHashTableIter        iter;
  gpointer              value, tensor;

  if (set->feeds != NULL && all_named (prover->walker, set->feeds))
    return ph_inputs_collect (prover->walker, set->feeds, PH_INPUTS_FED, set->seed, 2, 1, options, error);

  /* Everything is generated where that works; else what was fed is kept, and the rest is generated. */
  if (set->feeds == NULL && set->kind != PH_INPUTS_FED && g_hash_table_size (prover->fed) > 0)
    found = ph_inputs_find (prover->walker, NULL, set->kind, set->seed, NULL, options, NULL, NULL);
  if (found == NULL)
    found = ph_inputs_find (prover->walker, named, set->kind, set->seed, NULL, options, NULL, error);
  if (found == NULL)
    return NULL;
  if (set->feeds == NULL)
    set->feeds = new_table ();
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    if (!is_cotangent (prover->walker, value))
      g_hash_table_insert (set->feeds, g_strdup (((PhValue *) value)->name), ph_tensor_ref (tensor));
  return g_steal_pointer (&found);
}

static gboolean
was_cancelled (const PhRunOptions *options, GError **error)
{
  return options != NULL && g_cancellable_set_error_if_cancelled (options->cancellable, error);
}

/* The outputs by name at @at, computed or remembered. FALSE: cancelled. What cannot be computed has no @outputs. */
static gboolean
compute (PhProver *prover, Set *set, PhPosition at, GHashTable **outputs, const char **problem, const PhRunOptions *options,
         GError **error)
{
  guint                 index = ph_history_edit_index (prover->history, at) + 1, slot = 0;
  g_autoptr(GHashTable) feeds = NULL, results = NULL;
  g_autoptr(GError)     own = NULL;
  GPtrArray            *names;

  for (guint i = 0; i < G_N_ELEMENTS (set->cache); i++)
    if (set->cache[i].at == index)
      {
        set->cache[i].used = ++set->clock;
        *outputs = set->cache[i].outputs;
        *problem = set->cache[i].problem;
        return TRUE;
      }

  if (!ph_history_go (prover->history, prover->walker, at, error))
    return FALSE;
  feeds = complete_feeds (prover, set, options, &own);
  results = feeds != NULL ? ph_run_model (prover->walker, feeds, NULL, options, &own) : NULL;
  if (results == NULL && was_cancelled (options, error))
    return FALSE;

  /* The least recently used goes, so the two that are being compared stay. */
  for (guint i = 1; i < G_N_ELEMENTS (set->cache); i++)
    if (set->cache[i].used < set->cache[slot].used)
      slot = i;
  set->cache[slot].used = ++set->clock;
  set->cache[slot].at = index;
  g_clear_pointer (&set->cache[slot].outputs, g_hash_table_unref);
  g_free (set->cache[slot].problem);
  set->cache[slot].problem = own != NULL ? g_strdup (own->message) : NULL;
  if (results != NULL)
    {
      set->cache[slot].outputs = new_table ();
      names = prover->walker->graph->outputs;
      for (guint i = 0; i < names->len; i++)
        {
          const PhValue *value = names->pdata[i];
          PhTensor      *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));

          if (tensor != NULL)
            g_hash_table_insert (set->cache[slot].outputs, g_strdup (value->name), ph_tensor_ref (tensor));
        }
    }
  *outputs = set->cache[slot].outputs;
  *problem = set->cache[slot].problem;
  return TRUE;
}

/* ── comparing ── */

/* Every value of the main graph at @at, by name. (nullable) */
static GHashTable *
compute_all (PhProver *prover, Set *set, PhPosition at, GPtrArray *order, const PhRunOptions *options)
{
  PhRunOptions          all = options != NULL ? *options : (PhRunOptions) { 0 };
  g_autoptr(GHashTable) feeds = NULL, results = NULL;
  GHashTable           *named;

  all.keep_all = TRUE;
  if (!ph_history_go (prover->history, prover->walker, at, NULL))
    return NULL;
  feeds = complete_feeds (prover, set, options, NULL);
  results = feeds != NULL ? ph_run_model (prover->walker, feeds, NULL, &all, NULL) : NULL;
  if (results == NULL)
    return NULL;
  named = new_table ();
  PH_FOREACH_NODE (node, prover->walker->graph)
    for (guint k = 0; k < node->outputs->len; k++)
      {
        const PhValue *value = ph_node_output (node, k);
        PhTensor      *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));

        if (tensor == NULL)
          continue;
        g_hash_table_insert (named, g_strdup (value->name), ph_tensor_ref (tensor));
        if (order != NULL)
          g_ptr_array_add (order, g_strdup (value->name));
      }
  return named;
}

/* The first value in program order that both positions have, by name, and that differs. */
static void
find_first_value (PhProver *prover, Set *set, PhProof *proof, const PhRunOptions *options)
{
  g_autoptr(GPtrArray)  order = g_ptr_array_new_with_free_func (g_free);
  g_autoptr(GHashTable) before = compute_all (prover, set, proof->a, NULL, options);
  g_autoptr(GHashTable) after = before != NULL ? compute_all (prover, set, proof->b, order, options) : NULL;

  for (guint i = 0; after != NULL && i < order->len; i++)
    {
      PhTensor            *expected = g_hash_table_lookup (before, order->pdata[i]);
      PhTensor            *actual = g_hash_table_lookup (after, order->pdata[i]);
      gsize                unbounded = 0;
      g_auto(PhComparison) result = { .close = TRUE };

      if (expected == NULL)
        continue;
      result = ph_agree_tensors (actual, expected, proof->exactness, set->kind == PH_INPUTS_SPECIAL, &unbounded);
      if (result.close)
        continue;
      proof->value = g_strdup (order->pdata[i]);
      ph_proof_set_element (proof, expected, actual, &result);
      ph_proof_set_sentence (proof, result.why != NULL ? result.why : "differs");
      return;
    }
}

static GHashTable *
copy_table (GHashTable *table)
{
  GHashTable    *copy = new_table ();
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (copy, g_strdup (name), ph_tensor_ref (tensor));
  return copy;
}

static GPtrArray *
output_names (PhModel *model)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_ptr_array_add (names, (gpointer) ((PhValue *) model->graph->outputs->pdata[i])->name);
  return names;
}

/* A pass may say more of an input than was known before: a size for a symbol. What was drawn for the symbol does not fit then,
 * and what is drawn for the size does for both. TRUE: it was drawn anew. */
static gboolean
draw_narrower (PhProver *prover, Set *set, PhPosition at, const PhRunOptions *options)
{
  g_autoptr(GHashTable) feeds = NULL;
  gboolean fits = TRUE;

  if (set->feeds == NULL || !ph_history_go (prover->history, prover->walker, at, NULL))
    return FALSE;
  for (guint i = 0; i < prover->walker->graph->inputs->len; i++)
    {
      const PhValue *input = prover->walker->graph->inputs->pdata[i];
      PhTensor      *tensor = g_hash_table_lookup (set->feeds, input->name);

      fits = fits && (tensor == NULL || input->type == NULL || ph_type_fits (input->type, tensor));
    }
  if (fits)
    return FALSE;
  g_clear_pointer (&set->feeds, g_hash_table_unref);
  for (guint i = 0; i < G_N_ELEMENTS (set->cache); i++)
    {
      set->cache[i].at = 0;
      g_clear_pointer (&set->cache[i].outputs, g_hash_table_unref);
      g_clear_pointer (&set->cache[i].problem, g_free);
    }
  feeds = complete_feeds (prover, set, options, NULL);
  return TRUE;
}

/* One set of inputs through both. FALSE: cancelled. */
static gboolean
compare_set (PhProver *prover, Set *set, PhProof *proof, GPtrArray *names, const PhRunOptions *options, GError **error)
{
  GHashTable *before, *after;
  const char *problem_before, *problem_after;
  gboolean    found = proof->shown_by != NULL;

  if (!compute (prover, set, proof->a, &before, &problem_before, options, error) ||
      (draw_narrower (prover, set, proof->b, options) &&
       !compute (prover, set, proof->a, &before, &problem_before, options, error)))
    return FALSE;
  if (before == NULL)
    {
      if (proof->problem == NULL)
        proof->problem = g_strdup (problem_before);
      return TRUE;
    }
  if (!compute (prover, set, proof->b, &after, &problem_after, options, error))
    return FALSE;

  if (proof->inputs == NULL)
    proof->inputs = g_strdup (ph_inputs_kind_name (set->kind));
  else if (strstr (proof->inputs, ph_inputs_kind_name (set->kind)) == NULL)
    {
      g_autofree char *inputs = g_steal_pointer (&proof->inputs);

      proof->inputs = g_strdup_printf ("%s, %s", inputs, ph_inputs_kind_name (set->kind));
    }
  proof->n_sets++;
  if (after == NULL)
    {
      if (!found)
        {
          g_autofree char *why = g_strdup_printf ("cannot be computed any more: %s", problem_after);

          ph_proof_show (proof, set->kind, set->seed);
          ph_proof_set_sentence (proof, why);
        }
      proof->verdict = PH_VERDICT_ERROR;
    }
  else
    ph_proof_add_set (proof, set->kind, set->seed, before, after, names);

  if (!found && proof->shown_by != NULL)
    {
      proof->feeds = copy_table (set->feeds);
      if (after != NULL)
        find_first_value (prover, set, proof, options);
      return !was_cancelled (options, error);
    }
  return TRUE;
}

/* Of the main graph; what is not known counts nothing. */
static gint64
flops_of (PhGraph *graph)
{
  gint64 flops = 0;

  PH_FOREACH_NODE (node, graph)
    flops += MAX (ph_node_flops (node), 0);
  return flops;
}

/* Of all inputs; unknown sizes are small ones. */
static gint64
n_elements (PhModel *model)
{
  gint64 n = 0;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhType *type = ((PhValue *) model->graph->inputs->pdata[i])->type;
      gint64        count = 1;

      for (guint d = 0; type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && d < type->rank; d++)
        count *= CLAMP (ph_dim_known (type->dims[d]) ? type->dims[d].size : 2, 1, FEW + 1);
      n = MIN (n + count, FEW + 1);
    }
  return n;
}

#define MAX_FLOPS G_GINT64_CONSTANT (1000000000)

PhProof *
ph_prover_compare (PhProver *prover, PhPosition a, PhPosition b, const PhRunOptions *options, GError **error)
{
  g_autoptr(PhProof)   proof = ph_proof_new (a, b, exactness_between (prover->history, a, b));
  g_autoptr(GPtrArray) names = NULL;
  gint64               flops;

  if (ph_history_edit_index (prover->history, a) == ph_history_edit_index (prover->history, b))
    {
      proof->verdict = PH_VERDICT_SAME;
      return g_steal_pointer (&proof);
    }
  if (!ph_history_go (prover->history, prover->walker, a, error))
    return NULL;
  names = output_names (prover->walker);
  if (ph_model_draws (prover->walker))
    {
      proof->problem = g_strdup ("the model draws random numbers: two runs cannot be compared");
      return g_steal_pointer (&proof);
    }
  flops = flops_of (prover->walker->graph);

  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    {
      PhInputsKind kind = tries[i].kind;

      /* One computation of a large model takes seconds: the first kind of inputs that works will do. */
      if (proof->n_sets > 0 && flops > MAX_FLOPS)
        break;
      if (tries[i].more && (n_elements (prover->walker) > FEW || flops > MAX_FLOPS / 100))
        break;
      if (!ph_history_go (prover->history, prover->walker, a, error))
        return NULL;
      if (kind == PH_INPUTS_FED && !all_named (prover->walker, prover->fed))
        continue;
      if (prover->walker->graph->inputs->len == 0 && kind > PH_INPUTS_FED)
        break;
      if (!compare_set (prover, &prover->sets[i], proof, names, options, error))
        return NULL;
      if (was_cancelled (options, error))
        return NULL;
    }
  ph_proof_conclude (proof);
  return g_steal_pointer (&proof);
}

/* ── blaming ── */

/* Whether @at computes what @proof->a does, on the inputs that show the difference. */
static gboolean
agrees_at (PhProver *prover, Set *set, PhProof *proof, PhPosition at, gboolean *agrees, const PhRunOptions *options, GError **error)
{
  GHashTable    *before, *after;
  const char    *problem;
  GHashTableIter iter;
  gpointer       name, expected;

  if (!compute (prover, set, proof->a, &before, &problem, options, error) ||
      !compute (prover, set, at, &after, &problem, options, error))
    return FALSE;
  *agrees = before != NULL && after != NULL;
  if (!*agrees)
    return TRUE;
  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &name, &expected))
    {
      PhTensor *actual = g_hash_table_lookup (after, name);
      gsize     unbounded = 0;

      if (actual != NULL)
        {
          g_auto(PhComparison) result = ph_agree_tensors (actual, expected, proof->exactness, set->kind == PH_INPUTS_SPECIAL, &unbounded);

          *agrees = *agrees && result.close;
        }
    }
  return TRUE;
}

gboolean
ph_prover_blame (PhProver *prover, PhProof *proof, const PhRunOptions *options, GError **error)
{
  guint good = index_of (prover->history, proof->a), bad = index_of (prover->history, proof->b);
  Set  *set = NULL;

  if (proof->verdict <= PH_VERDICT_CLOSE || proof->shown_by == NULL || good >= bad)
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (tries) && set == NULL; i++)
    if (prover->sets[i].kind == proof->shown_kind && prover->sets[i].seed == proof->seed)
      set = &prover->sets[i];

  while (bad - good > 1)
    {
      guint    middle = good + (bad - good) / 2;
      gboolean agrees;

      if (!agrees_at (prover, set, proof, position_of (prover->history, middle), &agrees, options, error))
        return FALSE;
      if (agrees)
        good = middle;
      else
        bad = middle;
    }
  proof->blame = position_of (prover->history, good);
  proof->blamed = TRUE;
  return TRUE;
}
