/* program.c: the compiled form of a model, kept until the model is edited.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/program.h"

#include <string.h>

#include "core/run/run-private.h"
#include "core/tensor/placement.h"

#define MOST_CODES 4 /* for different outputs of one model */

static void
slots_free (gpointer data)
{
  PhSlots *slots = data;

  g_hash_table_unref (slots->by_value);
  g_ptr_array_unref (slots->values);
  g_free (slots);
}

static void
code_free (gpointer data)
{
  PhCode *code = data;

  for (guint i = 0; i < code->n_steps; i++)
    {
      g_free (code->steps[i].inputs);
      g_free (code->steps[i].outputs);
      g_free (code->steps[i].release);
      ph_node_state_clear (&code->steps[i].state);
      g_clear_pointer (&code->steps[i].made, ph_tensor_unref);
    }
  g_free (code->steps);
  g_clear_pointer (&code->placement, ph_placement_free);
  g_clear_pointer (&code->wanted, g_array_unref);
  g_clear_pointer (&code->given, g_array_unref);
  g_free (code);
}

PhProgram *
ph_program_new (void)
{
  PhProgram *program = g_new0 (PhProgram, 1);

  program->slots = g_hash_table_new_full (NULL, NULL, NULL, slots_free);
  program->lasting = g_hash_table_new (NULL, NULL);
  program->bodies = g_hash_table_new_full (NULL, NULL, NULL, code_free);
  program->codes = g_ptr_array_new_with_free_func (code_free);
  program->functions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_model_free);
  program->expansions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_expansion_free);
  return program;
}

void
ph_program_free (PhProgram *program)
{
  g_ptr_array_unref (program->codes);
  g_hash_table_unref (program->bodies);
  g_hash_table_unref (program->slots);
  g_hash_table_unref (program->lasting);
  g_hash_table_unref (program->functions);
  g_hash_table_unref (program->expansions);
  g_clear_pointer (&program->origins, g_hash_table_unref);
  g_clear_pointer (&program->types, g_array_unref);
  g_clear_pointer (&program->upgraded, ph_model_free);
  g_free (program);
}

PhProgram *
ph_program_take (PhModel *model)
{
  PhProgram *program = __atomic_exchange_n (&model->program, NULL, __ATOMIC_ACQ_REL);

  return program != NULL ? program : ph_program_new ();
}

void
ph_program_give (PhModel *model, PhProgram *program)
{
  gpointer none = NULL;

  model->free_program = (GDestroyNotify) ph_program_free;
  if (!__atomic_compare_exchange_n (&model->program, &none, program, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    ph_program_free (program); /* another thread was faster */
}

static void
add_slot (PhSlots *slots, PhValue *value)
{
  g_ptr_array_add (slots->values, value);
  g_hash_table_insert (slots->by_value, value, GUINT_TO_POINTER (slots->values->len));
}

static PhSlots *
slots_of (PhProgram *program, PhGraph *graph)
{
  PhSlots *slots = g_hash_table_lookup (program->slots, graph);

  if (slots != NULL)
    return slots;
  slots = g_new0 (PhSlots, 1);
  slots->by_value = g_hash_table_new (NULL, NULL);
  slots->values = g_ptr_array_new ();
  for (guint i = 0; i < graph->inputs->len; i++)
    add_slot (slots, graph->inputs->pdata[i]);
  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; i < node->outputs->len; i++)
      add_slot (slots, node->outputs->pdata[i]);
  g_hash_table_insert (program->slots, graph, slots);
  return slots;
}

static PhTaskInput
source_of (PhProgram *program, const PhGraph *graph, PhValue *value)
{
  PhTaskInput source = { .value = value };
  const PhGraph *at = graph;
  guint slot;

  if (value == NULL)
    return source;
  if (value->tensor != NULL && !value->is_input)
    {
      source.constant = value->tensor;
      return source;
    }
  for (; at != NULL && at != value->graph; at = at->owner != NULL ? at->owner->graph : NULL)
    source.up++;
  slot = at != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (slots_of (program, value->graph)->by_value, value)) : 0;
  if (slot == 0)
    source.constant = ph_value_constant (value);
  source.slot = slot - 1;
  return source;
}

/* Returns TRUE if @value is the same tensor in every run: a constant, a constant input of the enclosing fused node, or a result of such
 * values. */
static gboolean
is_constant (PhProgram *program, PhValue *value)
{
  const PhNode *owner = value->graph->owner;
  guint at;

  if (ph_value_constant (value) != NULL || (value->tensor != NULL && !value->is_input))
    return TRUE;
  if (value->producer != NULL)
    return g_hash_table_contains (program->lasting, value);
  if (owner == NULL || !ph_node_is_fused (owner) || !g_ptr_array_find (value->graph->inputs, value, &at)
      || at >= owner->inputs->len)
    return FALSE;
  value = owner->inputs->pdata[at];
  return value != NULL && is_constant (program, value);
}

/* Returns TRUE if a step in a fused node depends on constants alone: it is computed once. In the main graph folding is left to passes,
 * where it is visible. */
static gboolean
is_lasting (const PhTask *step)
{
  const PhNode *node = step->node, *owner = node->graph->owner;
  const guint n = step->n_inputs;

  return owner != NULL && ph_node_is_fused (owner) && n > 0 && n < 64 && step->n_outputs == 1
         && step->state.constants == (G_GUINT64_CONSTANT (1) << n) - 1 && step->state.wish == NULL && node->op != NULL
         && node->op->kernel != NULL && node->graphs == NULL && (node->op->flags & PH_OP_RANDOM) == 0
         && !ph_value_is_output (node->outputs->pdata[0]);
}

static void
make_step (PhProgram *program, PhSlots *slots, PhTask *step, PhNode *node, const GPtrArray *release)
{
  step->node = node;
  step->state.wish = ph_kernel_wish (node);
  step->n_inputs = node->inputs->len;
  step->n_outputs = node->outputs->len;
  step->inputs = g_new0 (PhTaskInput, step->n_inputs + 1);
  step->outputs = g_new0 (guint, step->n_outputs + 1);
  step->release = g_new0 (guint, (release != NULL ? release->len : 0) + 1);
  for (guint i = 0; i < step->n_inputs; i++)
    {
      step->inputs[i] = source_of (program, node->graph, node->inputs->pdata[i]);
      if (i < 64
          && (step->inputs[i].constant != NULL
              || (step->inputs[i].value != NULL && is_constant (program, step->inputs[i].value))))
        step->state.constants |= G_GUINT64_CONSTANT (1) << i;
    }
  for (guint i = 0; i < step->n_outputs; i++)
    step->outputs[i] = GPOINTER_TO_UINT (g_hash_table_lookup (slots->by_value, node->outputs->pdata[i])) - 1;
  for (guint i = 0; release != NULL && i < release->len; i++)
    {
      const guint slot = GPOINTER_TO_UINT (g_hash_table_lookup (slots->by_value, release->pdata[i]));
      guint reads = 0, at = 0;

      if (slot == 0) /* a constant */
        continue;
      step->release[step->n_release++] = slot - 1;
      for (guint k = 0; k < step->n_inputs; k++)
        if (node->inputs->pdata[k] == release->pdata[i])
          {
            reads++;
            at = k;
          }
      if (reads == 1 && at < 64 && (step->state.constants >> at & 1) == 0)
        step->dying |= G_GUINT64_CONSTANT (1) << at;
    }
  step->is_lasting = is_lasting (step);
  if (step->is_lasting)
    g_hash_table_add (program->lasting, node->outputs->pdata[0]);
}

static PhCode *
code_new (PhProgram *program, PhGraph *graph, GPtrArray *wanted, GHashTable *given)
{
  g_autoptr (PhPlan) plan = ph_plan_new (graph, wanted, given);
  PhCode *code = g_new0 (PhCode, 1);

  code->graph = graph;
  code->slots = slots_of (program, graph);
  code->n_steps = plan->nodes->len;
  code->steps = g_new0 (PhTask, code->n_steps + 1);
  code->is_small = -1;
  for (guint i = 0; i < code->n_steps; i++)
    make_step (program, code->slots, &code->steps[i], plan->nodes->pdata[i], plan->release[i]);
  return code;
}

PhCode *
ph_program_body (PhProgram *program, PhGraph *graph)
{
  PhCode *code = g_hash_table_lookup (program->bodies, graph);

  if (code == NULL)
    g_hash_table_insert (program->bodies, graph, code = code_new (program, graph, graph->outputs, NULL));
  return code;
}

static GArray *
ids_of (GPtrArray *values)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (PhId));

  for (guint i = 0; i < values->len; i++)
    g_array_append_val (ids, ((PhValue *) values->pdata[i])->id);
  return ids;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  const PhId x = *(const PhId *) a, y = *(const PhId *) b;

  return (x > y) - (x < y);
}

/* Returns those of @given that a node computes: they change what has to run. */
static GArray *
made_of (GHashTable *given)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (PhId));
  GHashTableIter iter;
  gpointer value;

  if (given == NULL)
    return ids;
  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &value, NULL))
    if (((PhValue *) value)->producer != NULL)
      g_array_append_val (ids, ((PhValue *) value)->id);
  g_array_sort (ids, compare_ids);
  return ids;
}

static gboolean
same_ids (const GArray *a, const GArray *b)
{
  return a->len == b->len && (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (PhId)) == 0);
}

PhCode *
ph_program_code (PhProgram *program, PhGraph *graph, GPtrArray *wanted, GHashTable *given)
{
  g_autoptr (GArray) wishes = ids_of (wanted), made = made_of (given);
  PhCode *code;

  for (guint i = 0; i < program->codes->len; i++)
    {
      code = program->codes->pdata[i];
      if (same_ids (code->wanted, wishes) && same_ids (code->given, made))
        {
          g_ptr_array_insert (program->codes, 0, g_ptr_array_steal_index (program->codes, i));
          return code;
        }
    }
  code = code_new (program, graph, wanted, given);
  code->wanted = g_steal_pointer (&wishes);
  code->given = g_steal_pointer (&made);
  g_ptr_array_insert (program->codes, 0, code);
  if (program->codes->len > MOST_CODES)
    g_ptr_array_set_size (program->codes, MOST_CODES);
  return code;
}
