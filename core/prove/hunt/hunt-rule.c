/* hunt-rule.c: finds the guilty rule on the reduced model, the guilty one among a program's own passes, and both sides of a step that
 * cannot be repeated.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/hunt-private.h"

#include <string.h>

#include "core/analyze/region-private.h"
#include "core/ops/op-list.h"
#include "core/prove/hunt/cut.h"
#include "core/prove/hunt/shrink.h"
#include "core/prove/pair.h"
#include "core/prove/prover-private.h"

/* The most rewrites on a reduced model that are told apart by running the pass with a limit. */
#define MOST_LIMITS 12
/* The number of times that the region of a step that cannot be repeated is extended, and its largest size in nodes if it must read the same
 * on both sides. */
#define TIED_ROUNDS   3
#define UNTIED_ROUNDS 12
#define UNTIED_NODES  10

/* ── the rule ── */

static const PhRewrite *
rewrite_at (PhHistory *history, guint index)
{
  return index < history->rewrites->len ? &g_array_index (history->rewrites, PhRewrite, index) : NULL;
}

static void
take_rule (PhHunt *hunt, const PhRewrite *rewrite)
{
  if (rewrite == NULL)
    return;
  hunt->rule = g_strdup (rewrite->rule);
  hunt->why = g_strdup (rewrite->why);
}

static guint
count_rule (PhHistory *history, const char *rule)
{
  guint n = 0;

  for (guint i = 0; i < history->rewrites->len; i++)
    n += rewrite_at (history, i)->rule == rule;
  return n;
}

/* Takes the rule that is named in the error of one that is refused or never ends: "casts: rule cast-cast would change the type". */
static void
take_rule_said (PhHunt *hunt, const PhHuntStage *stage)
{
  g_autofree char *head = g_strdup_printf ("%s: ", stage->pass->name);
  const char *said = hunt->reduced->fault->message, *at = said != NULL ? strstr (said, head) : NULL;

  at = at != NULL && stage->arguments == NULL ? strstr (at, "rule ") : NULL;
  if (at != NULL)
    hunt->rule = g_strndup (at + strlen ("rule "), strcspn (at + strlen ("rule "), " :"));
}

/* Finds the first rewrite that causes the fault, by running the pass with a limit. */
static void
find_rule (PhHunting *self, const PhHuntStage *stage)
{
  PhHunt *hunt = self->hunt;
  const PhFault *fault = hunt->reduced->fault;
  g_autoptr (PhHistory) last = NULL;

  if (fault->history == NULL || fault->history->rewrites->len == 0)
    {
      take_rule_said (hunt, stage);
      return;
    }
  if (fault->history->rewrites->len == 1 || fault->history->rewrites->len > MOST_LIMITS)
    {
      take_rule (hunt, rewrite_at (fault->history, 0));
      return;
    }
  for (guint limit = 1; limit <= fault->history->rewrites->len && !ph_hunting_is_over (self); limit++)
    {
      PhFaultPass pass = ph_hunting_pass (self, stage);
      g_autoptr (PhModel) model = ph_model_clone (hunt->reduced->model);
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhFault) found = NULL;
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      pass.limit = limit;
      found = ph_fault_find (&pass, hunt->reduced->model, fault->witness, FALSE, self->error);
      hunt->n_runs++;
      if (found != NULL && found->kind == fault->kind && found->history != NULL)
        {
          const PhRewrite *guilty = rewrite_at (found->history, found->history->rewrites->len - 1);

          /* The rewrites of a plug-in are in the order of the graph: take the one that was not there before. */
          for (guint i = 0; last != NULL && i < found->history->rewrites->len; i++)
            if (count_rule (found->history, rewrite_at (found->history, i)->rule)
                > count_rule (last, rewrite_at (found->history, i)->rule))
              guilty = rewrite_at (found->history, i);
          take_rule (hunt, guilty);
          return;
        }
      options.allow = pass.allow;
      options.arguments = (const char *const *) pass.arguments;
      options.folder = pass.folder;
      options.limit = limit;
      options.cancellable = pass.cancellable;
      if (!ph_pass_run (pass.pass, model, history, &options, NULL))
        break;
      g_clear_pointer (&last, ph_history_free);
      last = g_steal_pointer (&history);
    }
  take_rule (hunt, rewrite_at (fault->history, 0));
}

/* ── switches ── */

static void
find_switch (PhHunting *self, const PhHuntStage *stage)
{
  PhHunt *hunt = self->hunt;
  g_autofree char *line = stage->arguments != NULL && !stage->pass->takes_file ? g_strjoinv (" ", stage->arguments) : NULL;
  const PhSwitches *switches = line == NULL                      ? NULL
                               : self->options->switches != NULL ? self->options->switches
                                                                 : ph_switches_find (line, self->options->folder);
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GString) text = NULL;
  PhFaultPass pass = ph_hunting_pass (self, stage);

  if (switches == NULL)
    return;
  ph_hunting_say (self, -1, "%s: which of its own passes", stage->pass->name);
  names = ph_switches_reduce (switches, &pass, hunt->reduced->model, hunt->reduced->fault, self->deadline, &hunt->n_runs,
                              self->error);
  if (names == NULL)
    return;
  text = g_string_new (NULL);
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", (char *) names->pdata[i]);
  hunt->optimizer = g_strdup (text->str);
}

void
ph_hunting_name (PhHunting *self, const PhHuntStage *stage)
{
  PhHunt *hunt = self->hunt;

  if (!stage->only_once)
    find_rule (self, stage);
  find_switch (self, stage);
  if (hunt->nodes != NULL && hunt->nodes->len > 0)
    return;
  g_clear_pointer (&hunt->nodes, g_ptr_array_unref);
  hunt->nodes = g_ptr_array_new_with_free_func (g_free);
  PH_FOREACH_NODE (node, hunt->reduced->model->graph)
    if (*node->name != '\0' && !ph_node_is (node, &ph_op_Constant))
      g_ptr_array_add (hunt->nodes, g_strdup (node->name));
}

/* ── both sides ── */

/* Ensures that an output has a producer, and the same name as before. */
static gboolean
settle_output (PhModel *after, guint k, const char *name)
{
  PhValue *value = after->graph->outputs->pdata[k], *other = ph_model_find_value_named (after, name);

  for (guint j = 0; j < after->graph->outputs->len; j++)
    if (value->producer == NULL || (j < k && after->graph->outputs->pdata[j] == value))
      {
        PhNode *node = ph_graph_add_node (after->graph,
                                          &(PhNodeSpec) { .op = &ph_op_Identity,
                                                          .inputs = (PhValue *[]) { value },
                                                          .n_inputs = 1,
                                                          .n_outputs = 1,
                                                          .output_types = (const PhType *[]) { value->type } },
                                          NULL);

        if (node == NULL || !ph_graph_set_output (after->graph, k, ph_node_output (node, 0), NULL))
          return FALSE;
        value = ph_node_output (node, 0);
      }
  if (other != NULL && other != value && (other->is_input || !ph_value_rename (other, ph_model_unique_name (after, name), NULL)))
    return FALSE;
  return other == value || ph_value_rename (value, name, NULL);
}

static gboolean
settle_input_names (PhPair *pair)
{
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      PhValue *was = pair->before->graph->inputs->pdata[i], *is = pair->after->graph->inputs->pdata[i];
      PhValue *other = ph_model_find_value_named (pair->after, was->name);

      if (other != NULL && other != is && !ph_value_rename (other, ph_model_unique_name (pair->after, was->name), NULL))
        return FALSE;
      if (is->name != was->name && !ph_value_rename (is, was->name, NULL))
        return FALSE;
    }
  return TRUE;
}

/* Sets all known types, since the pair was computed with open sizes. */
static gboolean
settle_pair (PhPair *pair)
{
  for (guint i = 0; i < pair->inputs->len; i++)
    {
      PhValue *was = pair->before->graph->inputs->pdata[i], *is = pair->after->graph->inputs->pdata[i];

      if (pair->types->pdata[i] != NULL
          && (!ph_value_set_type (was, pair->types->pdata[i], NULL) || !ph_value_set_type (is, pair->types->pdata[i], NULL)))
        return FALSE;
    }
  for (guint k = 0; k < pair->outputs->len; k++)
    if (!settle_output (pair->after, k, ((PhValue *) pair->before->graph->outputs->pdata[k])->name))
      return FALSE;
  return TRUE;
}

static void reach (PhValue *value, gpointer data);

static void
reach_node (PhNode *node, GHashTable *seen)
{
  if (g_hash_table_add (seen, node))
    ph_each_read (node, reach, seen);
}

static void
reach (PhValue *value, gpointer data)
{
  g_hash_table_add (data, value);
  if (value->producer != NULL)
    reach_node (value->producer, data);
}

/* Returns TRUE if the new side reads an input that the old one does not: a common producer may tie them, as when common code is merged, and
 * made-up inputs would not reflect that. */
static gboolean
reads_more (const PhPair *pair)
{
  for (guint k = 0; k < pair->outputs->len; k++)
    {
      g_autoptr (GHashTable) was = g_hash_table_new (NULL, NULL), is = g_hash_table_new (NULL, NULL);

      reach (pair->before->graph->outputs->pdata[k], was);
      reach (pair->after->graph->outputs->pdata[k], is);
      for (guint i = 0; i < pair->inputs->len; i++)
        if (g_hash_table_contains (is, pair->after->graph->inputs->pdata[i])
            && !g_hash_table_contains (was, pair->before->graph->inputs->pdata[i]))
          return TRUE;
    }
  return FALSE;
}

/* Data for both sides at once. */
typedef struct
{
  PhHunting *hunting;
  PhReduced *reduced;
} Sides;

static gboolean
try_smaller (PhShrinking *shrinking, const PhShrink *shrink, gpointer data)
{
  const Sides *sides = data;
  PhReduced *reduced = sides->reduced;
  g_autoptr (GHashTable) feeds = ph_prove_new_feeds (), same = ph_prove_new_feeds ();
  g_autoptr (PhModel) was = NULL, is = NULL;
  g_autoptr (PhFault) fault = NULL;

  if (ph_hunting_is_over (sides->hunting))
    return FALSE;
  was = ph_shrink_apply (shrink, reduced->model, reduced->fault->witness, feeds);
  is = was != NULL ? ph_shrink_apply (shrink, reduced->fault->after, reduced->fault->witness, same) : NULL;
  if (is == NULL)
    return FALSE;
  reduced->n_tests++;
  fault = ph_fault_compare (was, is, feeds, sides->hunting->closely, sides->hunting->options->cancellable);
  if (fault == NULL || fault->kind != reduced->fault->kind)
    return FALSE;
  ph_model_free (reduced->model);
  ph_fault_free (reduced->fault);
  reduced->model = g_steal_pointer (&was);
  fault->after = g_steal_pointer (&is);
  reduced->fault = g_steal_pointer (&fault);
  shrinking->model = reduced->model;
  shrinking->feeds = reduced->fault->witness;
  return TRUE;
}

/* Returns TRUE if no constant is new: one that a pass computed must not be cut or rounded by itself. */
static gboolean
has_same_constants (PhModel *was, PhModel *is)
{
  for (guint i = 0; i < is->graph->constants->len; i++)
    {
      const PhValue *one = is->graph->constants->pdata[i];
      gboolean found = FALSE;

      for (guint k = 0; k < was->graph->constants->len && !found; k++)
        found = ph_tensor_equal (one->tensor, ((PhValue *) was->graph->constants->pdata[k])->tensor);
      if (!found)
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_pair (PhHunting *self, const PhRegion *region, PhModel *was, PhModel *is, gboolean tied)
{
  g_autoptr (PhPair) pair = ph_pair_new (region, was, is, NULL);
  g_autoptr (PhFault) fault = NULL;
  PhFaultSearch search;
  PhReduced *reduced;

  if (pair == NULL || reads_more (pair) != tied || !settle_input_names (pair))
    return FALSE;
  search = (PhFaultSearch) { !tied, self->furthest, self->closely, self->options->seed, self->options->cancellable };
  fault = ph_fault_of_pair (pair, self->values, &search);
  if (fault == NULL || !settle_pair (pair))
    return FALSE;
  reduced = g_new0 (PhReduced, 1);
  reduced->model = ph_model_clone (pair->before);
  reduced->fault = g_steal_pointer (&fault);
  reduced->fault->after = ph_model_clone (pair->after);
  reduced->n_nodes = ph_model_n_computing (reduced->model);
  reduced->n_tests = 1;
  if (has_same_constants (reduced->model, reduced->fault->after))
    ph_shrink_all (&(PhShrinking) { reduced->model, reduced->fault->witness, try_smaller, &(Sides) { self, reduced } });
  self->hunt->reduced = reduced;
  return TRUE;
}

/* Tries a region, extended by its producers step by step. With @tied only captured values can show the fault; without it the case accepts
 * any inputs, which is worth a few more nodes. */
static gboolean
try_region (PhHunting *self, const PhRegion *from, PhModel *was, PhModel *is, gboolean tied)
{
  g_autoptr (PhRegion) region = ph_region_copy (from);

  for (guint round = 0; round < (tied ? TIED_ROUNDS : UNTIED_ROUNDS); round++)
    {
      if (!tied && round >= TIED_ROUNDS && region->before->len > UNTIED_NODES)
        break;
      if (region->outputs->len > 0 && region->before->len > 0 && take_pair (self, region, was, is, tied))
        return TRUE;
      if (!ph_region_widen (region, was, is, FALSE))
        break;
    }
  return FALSE;
}

gboolean
ph_hunting_cut_pair (PhHunting *self, PhModel *after, PhPosition at)
{
  g_autoptr (PhModel) was = ph_model_clone (after), is = ph_model_clone (after);
  g_autoptr (PhHistory) first = ph_history_snapshot (self->history), second = ph_history_snapshot (self->history);
  const PhRewrite *rewrite = ph_history_rewrite_at (self->history, at);
  g_autoptr (GPtrArray) regions = NULL;

  first->position = second->position = self->history->position;
  if (rewrite == NULL || !ph_history_go (first, was, at, NULL)
      || !ph_history_go (second, is, ph_prove_position_of (second, ph_prove_index_of (second, at) + 1), NULL))
    return FALSE;
  regions = ph_regions_find (was, is, self->history, rewrite->first_edit, rewrite->first_edit + rewrite->n_edits);
  for (guint i = 0; i < regions->len; i++)
    {
      const PhRegion *region = regions->pdata[i];
      g_autoptr (PhRegion) readers = ph_region_copy (region);
      /* A node inserted after an input has no counterpart on the other side: include its readers. */
      const gboolean read = ph_region_follow (readers, was, is);

      for (gboolean tied = FALSE; tied <= TRUE; tied++)
        if (try_region (self, region, was, is, tied) || (read && try_region (self, readers, was, is, tied)))
          return TRUE;
    }
  return FALSE;
}
