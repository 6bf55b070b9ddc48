/* engine.c: runs a table of rules to its fixpoint.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/run.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "core/ops/verify.h"
#include "core/opset/opset.h"

/* The engine's guarantees for each rule:
 *  1. the replacement has the type of the replaced value, or the rewrite is refused with the rule's name; if an operator of
 *     the replacement, or a user of it, does not support that element type, the rule does not apply;
 *  2. x => f(x) makes no cycle: ph_value_replace_uses() does not change the nodes on which the replacement depends;
 *  3. commutative operators match in both orders (pattern.c);
 *  4. rules are indexed by the operator of their root, nodes are processed from a worklist, and the number of rewrites is
 *     bounded by the size of the graph: exceeding it is an error that names the rule;
 *  5. a rule less exact than the pipeline allows does not run;
 *  6. each rewrite is a transaction of the journal, and the graph is valid between any two. */

/* The rules that can match at one operator, including those that can match anywhere: @n of Engine.rules from @first on, in table order. @all: with
 * those that lack another operator. */
typedef struct
{
  const PhOp *op;
  guint first, n, all;
} Root;

typedef struct
{
  PhPassRun *run;
  GArray *roots;      /* (element-type Root) of the operators that were met */
  GPtrArray *rules;   /* (element-type PhRule)                              */
  GPtrArray *missing; /* (element-type PhOp) that rules left out for them would find */
  GArray *queue;      /* (element-type PhId) nodes to visit, from @at on */
  guint at;
  GByteArray *queued; /* by id: is in the queue, or about to be added */
  guint budget;
  gboolean fired; /* since the queue was filled with the whole model */
} Engine;

/* Nodes that look at a hub (one mask for every layer) are not all worth a second look: the next round sees them. */
#define MANY_USES 16

static void
engine_enqueue (Engine *self, PhNode *node)
{
  if (node->id >= self->queued->len)
    {
      guint old = self->queued->len;

      g_byte_array_set_size (self->queued, MAX (node->id + 1, old * 2));
      memset (self->queued->data + old, 0, self->queued->len - old);
    }
  if (self->queued->data[node->id])
    return;
  self->queued->data[node->id] = TRUE;
  g_array_append_val (self->queue, node->id);
}

static const PhOp *
root_of (const PhRule *rule)
{
  return rule->find != NULL ? rule->find->op : rule->root;
}

static gboolean
may_run (PhPassRun *run, const PhRule *rule)
{
  return rule->exactness <= run->options->allow && ph_pass_has_rule (run, rule->name);
}

/* Returns the rules for @op, listed when the operator is first met: models have few operators. */
static Root
engine_root (Engine *self, const PhOp *op)
{
  const PhPass *pass = self->run->pass;
  Root root = { op, self->rules->len, 0, 0 };

  for (guint i = 0; i < self->roots->len; i++)
    if (g_array_index (self->roots, Root, i).op == op)
      return g_array_index (self->roots, Root, i);
  for (guint i = 0; i < pass->n_rules; i++)
    {
      const PhRule *rule = &pass->rules[i];
      const PhOp *at = root_of (rule);

      if ((at != NULL && at != op) || !may_run (self->run, rule))
        continue;
      root.all++;
      if (ph_rule_may_match (rule, self->run->model, self->missing))
        g_ptr_array_add (self->rules, (gpointer) rule);
    }
  root.n = self->rules->len - root.first;
  g_array_append_val (self->roots, root);
  return root;
}

/* After a rewrite: lists the rules anew if it made an operator that one of those left out would find. */
static void
engine_take_up (Engine *self)
{
  for (guint i = 0; i < self->missing->len; i++)
    if (ph_model_has_op (self->run->model, self->missing->pdata[i]))
      {
        g_array_set_size (self->roots, 0);
        g_ptr_array_set_size (self->rules, 0);
        g_ptr_array_set_size (self->missing, 0);
      }
}

#define AHEAD 16 /* ids or places in the queue: a large graph is in no cache */

/* Node @id, if there is such a one, is looked at soon. */
static void
engine_expect (Engine *self, PhId id)
{
  const PhModel *model = self->run->model;
  const PhNode *node = id < model->next_id ? model->nodes->pdata[id] : NULL;

  if (node == NULL)
    return;
  __builtin_prefetch (node);
  __builtin_prefetch (&node->next);
  __builtin_prefetch (&node->graphs);
}

/* Queues the nodes of @graph and of its bodies at which a rule can start; where their order is shuffled, all nodes. */
static void
engine_enqueue_graph (Engine *self, const PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    {
      engine_expect (self, node->id + 2 * AHEAD);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len && !ph_node_is_fused (node); i++)
        engine_enqueue_graph (self, node->graphs->pdata[i]);
      if (self->run->options->seed != 0 || engine_root (self, node->op).all > 0)
        engine_enqueue (self, node);
    }
}

/* Queues the whole model in program order, or in an order that depends on the seed: a sound and confluent rule set gives the same graph
 * either way, and tests check this. */
static void
engine_fill (Engine *self)
{
  guint64 seed = self->run->options->seed;

  g_array_set_size (self->queue, 0);
  self->at = 0;
  self->fired = FALSE;
  engine_enqueue_graph (self, self->run->model->graph);
  if (seed != 0)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) (seed ^ seed >> 32));
      PhId *ids = (PhId *) self->queue->data;

      for (guint i = self->queue->len; i > 1; i--)
        {
          guint k = g_rand_int_range (rand, 0, i);
          PhId last = ids[i - 1];

          ids[i - 1] = ids[k];
          ids[k] = last;
        }
    }
}

static void
engine_enqueue_users (Engine *self, PhValue *value, guint depth)
{
  for (guint u = 0; u < MIN (value->uses->len, MANY_USES); u++)
    {
      PhNode *user = g_array_index (value->uses, PhUse, u).node;

      engine_enqueue (self, user);
      for (guint k = 0; depth > 1 && k < user->outputs->len; k++)
        engine_enqueue_users (self, g_ptr_array_index (user->outputs, k), depth - 1);
    }
}

static void
note_users (GArray *ids, const PhValue *value)
{
  for (guint u = 0; u < MIN (value->uses->len, MANY_USES); u++)
    g_array_append_val (ids, g_array_index (value->uses, PhUse, u).node->id);
}

/* Returns the nodes around a match: their shared values lose a user by the rewrite, so they may match afterwards. */
static GArray *
note_around (const PhMatch *match)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  for (guint m = 0; m < match->n_nodes; m++)
    {
      const PhNode *node = match->node[m];

      g_array_append_val (ids, node->id);
      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *value = g_ptr_array_index (node->inputs, i);

          if (value == NULL)
            continue;
          if (value->producer != NULL)
            g_array_append_val (ids, value->producer->id);
          note_users (ids, value);
        }
      for (guint k = 0; k < node->outputs->len; k++)
        note_users (ids, g_ptr_array_index (node->outputs, k));
    }
  return ids;
}

static void
engine_enqueue_all (Engine *self, GArray *ids)
{
  for (guint i = 0; i < ids->len; i++)
    {
      PhNode *node = ph_model_find_node (self->run->model, g_array_index (ids, PhId, i));

      if (node != NULL)
        engine_enqueue (self, node);
    }
}

/* Enqueues the nodes that the rewrite's edits changed, and their users. */
static void
engine_enqueue_edited (Engine *self, guint first_edit)
{
  GPtrArray *edits = self->run->history->edits;

  for (guint i = first_edit; i < edits->len; i++)
    {
      const PhEdit *edit = g_ptr_array_index (edits, i);
      PhNode *node;

      switch (edit->kind)
        {
        case PH_EDIT_ADD_NODE:
        case PH_EDIT_SET_INPUT:
        case PH_EDIT_SET_ATTR:
          node = ph_model_find_node (self->run->model, edit->id);
          if (node == NULL || (node->graph->owner != NULL && ph_node_is_fused (node->graph->owner)))
            break;
          engine_enqueue (self, node);
          for (guint k = 0; k < node->outputs->len; k++)
            engine_enqueue_users (self, g_ptr_array_index (node->outputs, k), 2);
          break;

        default: break;
        }
    }
}

static gboolean
is_last_output_that_is_used (PhNode *node)
{
  for (guint k = 1; k < node->outputs->len; k++)
    if (ph_value_n_uses (g_ptr_array_index (node->outputs, k)) > 0)
      return FALSE;
  return TRUE;
}

/* Checks duty 1. If shapes are unknown, a rule with code (.when, .build) is trusted; for a template alone the shape must be proved equal,
 * or at least be inferred the same. */
static gboolean
engine_check_type (Engine *self, const PhRule *rule, PhNode *root, PhValue *value, gboolean *applies, GError **error)
{
  PhValue *old = ph_node_output (root, 0);
  gboolean vouched = rule->when != NULL || rule->build != NULL;
  const PhType *merged;

  *applies = TRUE;
  if (old->type == value->type && old->type != NULL)
    {
      *applies = vouched || rule->replace->kind == PH_PATTERN_NODE || ph_type_same_shape (old->type, value->type);
      return TRUE;
    }
  if (old->type == NULL || value->type == NULL)
    {
      *applies = vouched;
      if (vouched && old->type != NULL && !value->is_input)
        return ph_value_set_type (value, old->type, error);
      return TRUE;
    }

  merged = ph_type_merge (old->type, value->type);
  if (merged == NULL)
    {
      g_autofree char *label = ph_node_label (root);
      g_autofree char *before = ph_type_to_string (old->type);
      g_autofree char *after = ph_type_to_string (value->type);

      g_set_error (error, PH_ERROR, PH_ERROR_BAD_RULE,
                   "%s: rule %s would change the type of %s from %s to %s; switch the rule off and report it",
                   self->run->pass->name, rule->name, label, before, after);
      return FALSE;
    }
  if (!vouched)
    *applies = ph_type_same_shape (old->type, value->type);
  else if (merged != value->type && !value->is_input)
    return ph_value_set_type (value, merged, error);
  return TRUE;
}

/* Returns TRUE if the operators of new nodes and of their users accept their element types. */
static gboolean
engine_types_are_taken (Engine *self, guint first_edit)
{
  GPtrArray *edits = self->run->history->edits;

  for (guint i = first_edit; i < edits->len; i++)
    {
      const PhEdit *edit = g_ptr_array_index (edits, i);
      g_autoptr (GError) error = NULL;
      PhNode *node;

      if (edit->kind != PH_EDIT_ADD_NODE && edit->kind != PH_EDIT_SET_INPUT)
        continue;
      node = ph_model_find_node (self->run->model, edit->id);
      if (node != NULL && node->op != NULL && !ph_op_check (node->op, node, &error)
          && g_error_matches (error, PH_ERROR, PH_ERROR_ELEMENT_TYPE))
        return FALSE;
    }
  return TRUE;
}

/* Returns TRUE if a node of the replacement does not support these element types: the rule then does not apply. */
static gboolean
was_refused (GError **error)
{
  if (!g_error_matches (*error, PH_ERROR, PH_ERROR_ELEMENT_TYPE))
    return FALSE;
  g_clear_error (error);
  return TRUE;
}

/* Performs the rewrite inside a transaction. */
static gboolean
engine_rewrite (Engine *self, const PhRule *rule, PhMatch *match, gboolean *applied, GError **error)
{
  PhNode *root = match->root;
  /* clang-format off */
  PhBuilder builder = {
    .graph = root->graph, .before = root, .role = root->role, .partner = root->partner, .device = root->device,
    .name = root->outputs->len > 0 ? ph_model_base_name (root->graph->model, ph_node_output (root, 0)->name) : root->name,
  };
  /* clang-format on */
  PhValue *value;

  *applied = FALSE;
  if (ph_node_is_tied (root))
    return TRUE;
  for (guint i = 0; i < match->n_nodes; i++)
    if (ph_node_is_tied (match->node[i]))
      return TRUE;
  if (rule->apply != NULL)
    {
      *applied = rule->apply (match, &builder);
      return ph_builder_finish (&builder, error);
    }

  if (!is_last_output_that_is_used (root))
    return TRUE;
  value = rule->build != NULL ? rule->build (match, &builder) : ph_pattern_build (rule->replace, match, &builder);
  if (!ph_builder_finish (&builder, error))
    return FALSE;
  if (value == NULL || value == ph_node_output (root, 0))
    return TRUE;

  if (!engine_check_type (self, rule, root, value, applied, error))
    return FALSE;
  if (*applied)
    {
      GError *local = NULL;

      *applied = ph_node_replace (root, value, &local);
      if (local != NULL)
        {
          g_propagate_error (error, local);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
engine_not_converged (Engine *self, const PhRule *rule, PhNode *node, GError **error)
{
  g_autofree char *label = ph_node_label (node);

  g_set_error (error, PH_ERROR, PH_ERROR_NOT_CONVERGED,
               "%s: no fixpoint after %u rewrites; rule %s keeps firing, last at %s: switch it off or run with a limit",
               self->run->pass->name, self->run->n_rewrites, rule->name, label);
  return FALSE;
}

/* Returns FALSE if a new node needs a newer opset than the run may use. */
static gboolean
engine_check_opset (Engine *self, const PhRule *rule, guint first_edit)
{
  PhPassRun *run = self->run;

  for (guint i = first_edit; i < run->history->edits->len; i++)
    {
      const PhEdit *edit = run->history->edits->pdata[i];
      const PhNode *node = edit->kind == PH_EDIT_ADD_NODE ? ph_model_find_node (run->model, edit->id) : NULL;
      g_autofree char *why = NULL;

      if (node != NULL && !ph_opset_reaches (node, run->options->max_opset, &why))
        {
          ph_pass_note (run, "%s/%s is skipped: %s needs an opset above %d: %s", run->pass->name, rule->name, node->op_type,
                        run->options->max_opset, why);
          return FALSE;
        }
    }
  return TRUE;
}

/* ── a rule that crashes ── */

/* The rule and node that this thread is trying. */
static _Thread_local struct
{
  const char *pass, *rule, *node;
} trying;

static void
on_crash (int number)
{
  const char *const parts[] = { trying.pass, ": rule ", trying.rule, " at '", trying.node, "'\n" };

  signal (number, SIG_DFL);
  for (guint i = 0; trying.rule != NULL && i < G_N_ELEMENTS (parts); i++)
    if (write (STDERR_FILENO, parts[i], strlen (parts[i])) < 0)
      break;
  raise (number);
}

void
ph_engine_say_crashes (void)
{
  static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    signal (numbers[i], on_crash);
}

/* Tries @rule at @node. */
static gboolean
engine_try (Engine *self, const PhRule *rule, PhNode *node, gboolean *applied, GError **error)
{
  PhPassRun *run = self->run;
  PhMatch match = { .root = node, .node = { node }, .n_nodes = 1 };
  guint first_edit = run->history->edits->len;
  g_autoptr (GArray) around = NULL;

  *applied = FALSE;
  trying.pass = run->pass->name;
  trying.rule = rule->name;
  trying.node = node->name;
  if (rule->find != NULL)
    {
      if (!ph_pattern_match (rule->find, node, rule->allow_shared, rule->when, &match))
        return TRUE;
    }
  else if (rule->when != NULL && !rule->when (&match))
    return TRUE;

  if (run->n_rewrites >= self->budget)
    return engine_not_converged (self, rule, node, error);
  if (!ph_pass_begin (run, rule->name, node, rule->why))
    return TRUE;
  around = note_around (&match);
  if (!engine_rewrite (self, rule, &match, applied, error))
    {
      if (was_refused (error))
        {
          *applied = FALSE;
          ph_pass_abort (run);
          return TRUE;
        }
      ph_pass_abort (run);
      (*error)->code = PH_ERROR_BAD_RULE;
      if (strstr ((*error)->message, rule->name) == NULL)
        {
          g_autofree char *place = g_strdup_printf ("%s: rule %s: ", run->pass->name, rule->name);

          g_prefix_error_literal (error, place);
        }
      return FALSE;
    }
  if (*applied && run->options->max_opset > 0)
    *applied = engine_check_opset (self, rule, first_edit);
  if (!*applied || !engine_types_are_taken (self, first_edit))
    {
      *applied = FALSE;
      ph_pass_abort (run);
      return TRUE;
    }

  self->fired = TRUE;
  engine_take_up (self);
  engine_enqueue_all (self, around);
  engine_enqueue_edited (self, first_edit);
  ph_pass_end (run);
  if (run->options->verify && run->model->graph->n_nodes < 1000 && !ph_model_verify (run->model, error))
    {
      (*error)->code = PH_ERROR_BAD_RULE;
      g_prefix_error (error, "%s: rule %s broke the graph: ", run->pass->name, rule->name);
      return FALSE;
    }
  return TRUE;
}

/* Tries every rule that can start at node @id, until one fires. */
static gboolean
engine_visit (Engine *self, PhId id, GError **error)
{
  PhNode *node = ph_model_find_node (self->run->model, id);
  Root root;

  self->queued->data[id] = FALSE;
  if (node == NULL || node->outputs->len == 0) /* dce handles nodes without outputs */
    return TRUE;
  root = engine_root (self, node->op);
  for (guint i = 0; i < root.n && !self->run->stopped; i++)
    {
      gboolean applied;

      /* If a rewrite was aborted, the node exists again as a new object. */
      node = ph_model_find_node (self->run->model, id);
      if (node == NULL)
        return TRUE;

      if (!engine_try (self, g_ptr_array_index (self->rules, root.first + i), node, &applied, error))
        return FALSE;
      if (applied)
        break;
    }
  return TRUE;
}

/* Returns FALSE if the model has no operator at which a rule of the pass starts, or each rule lacks another one, so that it need not be walked;
 * most passes do not apply to a given model. */
static gboolean
has_a_root (PhPassRun *run)
{
  for (guint i = 0; i < run->pass->n_rules; i++)
    if (ph_rule_may_match (&run->pass->rules[i], run->model, NULL) && may_run (run, &run->pass->rules[i]))
      return TRUE;
  return FALSE;
}

gboolean
ph_pass_run_rules (PhPassRun *run, GError **error)
{
  g_autoptr (GArray) roots = NULL, queue = NULL;
  g_autoptr (GPtrArray) rules = NULL, missing = NULL;
  g_autoptr (GByteArray) queued = NULL;
  Engine self = { .run = run };

  if (!has_a_root (run))
    return TRUE;
  self.roots = roots = g_array_new (FALSE, FALSE, sizeof (Root));
  self.rules = rules = g_ptr_array_new ();
  self.missing = missing = g_ptr_array_new ();
  self.queue = queue = g_array_new (FALSE, FALSE, sizeof (PhId));
  self.queued = queued = g_byte_array_new ();
  self.budget = 256 + 16 * ph_model_n_nodes (run->model, TRUE);
  g_byte_array_set_size (queued, run->model->next_id + 64);
  memset (queued->data, 0, queued->len);

  /* Nodes enqueued by a rewrite are the most likely to match. The fixpoint is reached after a whole round in which no rule fires. */
  engine_fill (&self);
  while (self.at < self.queue->len && !run->stopped)
    {
      if (self.at + AHEAD < self.queue->len)
        engine_expect (&self, g_array_index (self.queue, PhId, self.at + AHEAD));
      if (!engine_visit (&self, g_array_index (self.queue, PhId, self.at++), error))
        return FALSE;
      if (self.at % 64 == 0 && g_cancellable_is_cancelled (run->options->cancellable))
        run->stopped = TRUE;
      if (self.at == self.queue->len && self.fired)
        engine_fill (&self);
    }
  trying.rule = NULL;
  return TRUE;
}
