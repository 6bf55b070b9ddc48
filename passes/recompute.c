/* recompute.c: recomputes forward values for the backward graph instead of keeping them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/saved.h"
#include "passes/run.h"

#include <math.h>

/*     forward   a ──► b ──► c ──► d            a ──► b ──► c ──► d
 *               │     │     │     │      =>    │           │     │
 *     backward  ◄─────◄─────◄─────◄            ◄── b' ◄────◄─────◄          b' = b, computed again from a
 *
 * The forward nodes are divided into segments. Values that a later segment reads are kept. Other values that the backward graph
 * reads are recomputed from these, each copy directly before its first user. The last segment is kept, because the backward graph
 * begins there. Copies have the role of the backward graph and the forward node as their partner; cse merges only nodes of
 * the same role and therefore does not undo this.
 *
 * Arguments: all (one segment, nothing in it is kept), sqrt (the number of segments is the root of the number of nodes), or a
 * number of bytes: the division with the fewest operations whose peak memory stays below it. */

typedef struct
{
  guint n_segments, n_again;
} Cut; /* number of segments, and how many of them, from the first on, are recomputed */

/* A forward node, by its place among them. */
typedef struct
{
  GPtrArray *nodes;
  GHashTable *place;
  GHashTable *order;
} Forward;

static Forward
find_forward (PhGraph *graph)
{
  Forward forward = { g_ptr_array_new (), g_hash_table_new (NULL, NULL), g_hash_table_new (NULL, NULL) };
  guint n = 0;

  PH_FOREACH_NODE (node, graph)
    {
      g_hash_table_insert (forward.order, node, GUINT_TO_POINTER (n++));
      if (node->role == PH_ROLE_BACKWARD)
        continue;
      g_hash_table_insert (forward.place, node, GUINT_TO_POINTER (forward.nodes->len));
      g_ptr_array_add (forward.nodes, node);
    }
  return forward;
}

static void
forward_clear (Forward *forward)
{
  g_ptr_array_unref (forward->nodes);
  g_hash_table_unref (forward->place);
  g_hash_table_unref (forward->order);
}

static guint
segment_of (const Forward *forward, const PhNode *node, const Cut *cut)
{
  return (guint) ((guint64) GPOINTER_TO_UINT (g_hash_table_lookup (forward->place, node)) * cut->n_segments
                  / MAX (forward->nodes->len, 1));
}

/* Returns TRUE if a second evaluation gives the same result and no control dependence forbids it. */
static gboolean
can_repeat (const PhNode *node)
{
  return node->op != NULL && !(node->op->flags & PH_OP_RANDOM) && node->graphs == NULL && !ph_node_is_tied (node);
}

static gboolean
is_kept (const Forward *forward, const PhValue *value, const Cut *cut)
{
  guint segment;

  if (value->producer == NULL || value->graph->owner != NULL || value->producer->role == PH_ROLE_BACKWARD
      || !can_repeat (value->producer) || value->n_output_uses > 0)
    return TRUE;
  segment = segment_of (forward, value->producer, cut);
  if (segment >= cut->n_again)
    return TRUE;
  for (guint i = 0; i < value->uses->len; i++)
    {
      const PhNode *reader = ph_node_ancestor_in (g_array_index (value->uses, PhUse, i).node, value->graph);

      if (reader != NULL && reader->role != PH_ROLE_BACKWARD && segment_of (forward, reader, cut) != segment)
        return TRUE;
    }
  return FALSE;
}

/* Returns the first backward node that reads @value, by the order of nodes, and its position in @at; G_MAXUINT if there is none. */
static PhNode *
first_reader (const Forward *forward, const PhValue *value, guint *at)
{
  PhNode *first = NULL;

  *at = G_MAXUINT;
  for (guint i = 0; i < value->uses->len; i++)
    {
      PhNode *reader = ph_node_ancestor_in (g_array_index (value->uses, PhUse, i).node, value->graph);
      gpointer place;

      if (reader == NULL || reader->role != PH_ROLE_BACKWARD
          || !g_hash_table_lookup_extended (forward->order, reader, NULL, &place) || GPOINTER_TO_UINT (place) >= *at)
        continue;
      *at = GPOINTER_TO_UINT (place);
      first = reader;
    }
  return first;
}

/* Copies @node to the place before @before. (nullable) */
static PhNode *
repeat (PhNode *node, PhNode *before, GError **error)
{
  g_autofree const PhType **types = g_new0 (const PhType *, node->outputs->len + 1);
  g_autofree const char **names = g_new0 (const char *, node->outputs->len + 1);
  /* clang-format off */
  PhNodeSpec spec = {
    .op = node->op, .op_type = node->op_type, .domain = node->domain, .inputs = (PhValue **) node->inputs->pdata,
    .n_inputs = node->inputs->len, .n_outputs = node->outputs->len, .output_types = types, .output_names = names,
    .attrs = (PhAttr *const *) node->attrs->pdata, .n_attrs = node->attrs->len, .before = before, .role = PH_ROLE_BACKWARD,
    .partner = node->id, .device = node->device, .where = node->where
  };
  /* clang-format on */

  for (guint i = 0; i < node->outputs->len; i++)
    {
      types[i] = ph_node_output (node, i)->type;
      names[i] = ph_node_output (node, i)->name;
    }
  return ph_graph_add_node (node->graph, &spec, error);
}

/* Makes the users of @value in the backward graph, including copies, read @copy. */
static gboolean
read_copy (PhValue *value, PhValue *copy, GError **error)
{
  g_autoptr (GArray) uses = g_array_new (FALSE, FALSE, sizeof (PhUse));

  g_array_append_vals (uses, value->uses->data, value->uses->len);
  for (guint i = 0; i < uses->len; i++)
    {
      const PhUse *use = &g_array_index (uses, PhUse, i);
      const PhNode *reader = ph_node_ancestor_in (use->node, value->graph);

      if (reader != NULL && reader->role == PH_ROLE_BACKWARD && !ph_node_set_input (use->node, use->index, copy, error))
        return FALSE;
    }
  return TRUE;
}

/* The recomputation, from the last node to the first: a copy reads the original operands until these are recomputed in turn. So each
 * rewrite replaces one node by its copy. */
typedef struct
{
  const Forward *forward;
  const Cut *cut;
  GHashTable *before; /* forward node -> the backward node before which its copy is wanted       */
  GHashTable *top;    /* backward node -> the first copy among those before it                   */
  guint n_copies;
} Work;

static gboolean
recompute_node (Work *work, PhNode *node, GError **error)
{
  PhNode *wanted = g_hash_table_lookup (work->before, node), *above = g_hash_table_lookup (work->top, wanted), *copy;

  copy = repeat (node, above != NULL ? above : wanted, error);
  for (guint k = 0; copy != NULL && k < node->outputs->len; k++)
    if (!is_kept (work->forward, node->outputs->pdata[k], work->cut)
        && !read_copy (node->outputs->pdata[k], copy->outputs->pdata[k], error))
      return FALSE;
  g_hash_table_insert (work->top, wanted, copy);
  work->n_copies++;
  return copy != NULL;
}

/* Determines where the copy of @node goes: before its first reader in the backward graph, or before the copies that read it. Returns FALSE
 * if nothing reads it. */
static gboolean
place_copy (Work *work, PhNode *node)
{
  PhNode *wanted = g_hash_table_lookup (work->before, node);

#define PLACE(node_) GPOINTER_TO_UINT (g_hash_table_lookup (work->forward->order, node_))
  for (guint k = 0; k < node->outputs->len; k++)
    {
      guint at;
      PhNode *reader = is_kept (work->forward, node->outputs->pdata[k], work->cut)
                           ? NULL
                           : first_reader (work->forward, node->outputs->pdata[k], &at);

      if (reader != NULL && (wanted == NULL || at < PLACE (wanted)))
        wanted = reader;
    }
  if (wanted == NULL)
    return FALSE;
  g_hash_table_insert (work->before, node, wanted);
  for (guint k = 0; k < node->inputs->len; k++)
    {
      PhValue *value = node->inputs->pdata[k];
      PhNode *other;

      if (value == NULL || is_kept (work->forward, value, work->cut))
        continue;
      other = g_hash_table_lookup (work->before, value->producer);
      if (other == NULL || PLACE (wanted) < PLACE (other))
        g_hash_table_insert (work->before, value->producer, wanted);
    }
#undef PLACE
  return TRUE;
}

/* @run: (nullable) where each node is a rewrite. */
static gboolean
recompute (PhPassRun *run, const Forward *forward, const Cut *cut, guint *n_copies, GError **error)
{
  g_autoptr (GHashTable) before = g_hash_table_new (NULL, NULL), top = g_hash_table_new (NULL, NULL);
  Work work = { forward, cut, before, top, 0 };

  for (guint i = forward->nodes->len; i-- > 0;)
    {
      PhNode *node = forward->nodes->pdata[i];

      if (segment_of (forward, node, cut) >= cut->n_again || !place_copy (&work, node))
        continue;
      if (run != NULL
          && !ph_pass_begin (
              run, "recompute-node", node,
              "The backward graph reads it, so it is recomputed just before instead of kept: more operations, less memory."))
        break;
      if (!recompute_node (&work, node, error))
        {
          if (run != NULL)
            ph_pass_abort (run);
          return FALSE;
        }
      if (run != NULL)
        ph_pass_end (run);
    }
  *n_copies = work.n_copies;
  return TRUE;
}

/* Measures @cut on a copy of @model: its peak and its operations. */
static gboolean
try_cut (PhModel *model, const Cut *cut, gint64 *peak, gint64 *flops, GError **error)
{
  g_autoptr (PhModel) clone = ph_model_clone (model);
  Forward forward = find_forward (clone->graph);
  guint n;
  gboolean ok = recompute (NULL, &forward, cut, &n, error);

  forward_clear (&forward);
  *peak = ph_graph_peak (clone->graph, NULL);
  *flops = ph_graph_flops (clone->graph);
  return ok;
}

#define MOST_TRIES 400 /* of graphs of MANY_NODES nodes; the fewer the larger */
#define MANY_NODES 1000

/* Finds the cut with the fewest operations whose peak is at most @budget. */
static gboolean
find_cut (PhPassRun *run, PhModel *model, guint n_nodes, gint64 budget, Cut *best, GError **error)
{
  gint64 least = G_MAXINT64, fewest = G_MAXINT64;
  guint tries = (guint) (MOST_TRIES * MIN (1.0, (double) MANY_NODES / MAX (n_nodes, 1))) + 16;

  for (guint n = 2; n <= n_nodes && tries > 0; n += 1 + n / 8)
    for (guint again = 1; again < n && tries > 0; again += 1 + n / 12, tries--)
      {
        const Cut cut = { n, again };
        gint64 peak, flops;

        if (g_cancellable_set_error_if_cancelled (ph_pass_run_options (run)->cancellable, error)
            || !try_cut (model, &cut, &peak, &flops, error))
          return FALSE;
        least = MIN (least, peak);
        if (peak > budget || flops >= fewest)
          continue;
        fewest = flops;
        *best = cut;
      }
  if (fewest != G_MAXINT64)
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
               "recompute: no cut that was tried stays below %" G_GINT64_FORMAT " bytes; the least takes %" G_GINT64_FORMAT,
               budget, least);
  return FALSE;
}

static gboolean
run_recompute (PhPassRun *run, GError **error)
{
  const char *const *arguments = ph_pass_run_options (run)->arguments;
  PhModel *model = ph_pass_run_model (run);
  g_autoptr (GPtrArray) saved = ph_graph_saved (model->graph);
  const gint64 peak = ph_graph_peak (model->graph, NULL), flops = ph_graph_flops (model->graph);
  Forward forward = find_forward (model->graph);
  Cut cut = { 1, 1 };
  guint n_copies = 0;
  gboolean ok = TRUE;
  char *end = NULL;
  gint64 budget = arguments != NULL && arguments[0] != NULL ? g_ascii_strtoll (arguments[0], &end, 10) : 0;

  if (arguments == NULL || arguments[0] == NULL
      || (!g_str_equal (arguments[0], "all") && !g_str_equal (arguments[0], "sqrt") && (budget <= 0 || *end != '\0')))
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_USAGE,
                           "recompute needs an argument: recompute all, sqrt, or the number of bytes that the peak may take");
      ok = FALSE;
    }
  else if (saved->len == 0)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_NOT_FOUND,
                           "recompute: no backward node reads what a forward node computes: `grad` first");
      ok = FALSE;
    }
  else if (budget > 0 && peak < 0)
    {
      g_set_error_literal (error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                           "recompute: the size of a value is not known: bind-dimensions gives open dimensions a size");
      ok = FALSE;
    }
  else if (g_str_equal (arguments[0], "sqrt"))
    {
      cut.n_segments = MAX (2, (guint) round (sqrt (forward.nodes->len)));
      cut.n_again = cut.n_segments - 1;
    }
  else if (budget > 0 && peak <= budget)
    {
      ph_pass_note (run, "the peak is %" G_GINT64_FORMAT " bytes: nothing needs to be recomputed", peak);
      cut.n_again = 0;
    }
  else if (budget > 0)
    ok = find_cut (run, model, forward.nodes->len, budget, &cut, error);
  if (ok && cut.n_again > 0)
    ok = recompute (run, &forward, &cut, &n_copies, error);
  forward_clear (&forward);
  if (ok && n_copies > 0 && peak < 0)
    ph_pass_note (run, "%u nodes recomputed; the size of a value is not known, so the peak is not known either", n_copies);
  else if (ok && n_copies > 0)
    ph_pass_note (run,
                  "peak %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
                  " FLOPs, %u nodes recomputed",
                  peak, ph_graph_peak (model->graph, NULL), flops, ph_graph_flops (model->graph), n_copies);
  return ok;
}

/* clang-format off */
const PhPass ph_pass_recompute = {
  .name            = "recompute",
  .group           = "autodiff",
  .summary         = "Recomputes forward values for the backward graph instead of keeping them: less memory, more operations",
  .elsewhere = "Griewank 1992; Chen et al. 2016 (sqrt n); torch.utils.checkpoint, jax.checkpoint, XLA's rematerialization",
  .trap = "a recomputed random operator would draw new values, so its values are kept; cse leaves the copies alone because they are backward nodes.",
  .run             = run_recompute,
  .exactness       = PH_EXACT,
  .needs_arguments = TRUE,
};
/* clang-format on */
