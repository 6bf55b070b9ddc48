/* autodiff-sequence.c: resolves reads of sequences at constant positions to the tensors put in, so that gradients pass to these
 * directly.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/builder.h"
#include "core/ops/copy.h"
#include "passes/autodiff.h"
#include "passes/loop.h"

/*   a ──► SequenceConstruct ──► SequenceAt (1) ──► y          a
 *   b ──┘                                              =>     b ──► Identity ──► y   */

#define MAX_ITEMS  1000
#define MAX_COPIES 10000 /* nodes that copies of the body of a SequenceMap may have */

typedef struct
{
  PhBuilder *b;      /* inserts before the node that is replaced                       */
  GHashTable *parts; /* SplitToSequence, SequenceMap -> GPtrArray of parts (owned)      */
  GPtrArray *loops;  /* loops that were replaced by ones without a list                */
} Opening;

static PhBuilder
builder_before (PhNode *node)
{
  return (PhBuilder) { .graph = node->graph,
                       .before = node,
                       .name = ph_node_output (node, 0)->name,
                       .role = node->role,
                       .partner = node->partner,
                       .device = node->device };
}

/* Reads a single constant integer. */
static gboolean
constant_int (const PhValue *value, gint64 *number)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (tensor == NULL || ph_tensor_count (tensor) != 1)
    return FALSE;
  *number = ph_tensor_get_int (tensor, 0);
  return TRUE;
}

/* Returns the sizes along @axis of the parts that @node splits off. (transfer full) (nullable) */
static GArray *
part_sizes (const PhNode *node, const PhType *type, gint64 *axis)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const PhValue *given = ph_node_input (node, 1);
  PhTensor *split = given != NULL ? ph_value_constant (given) : NULL;
  gint64 whole, chunk = 1;

  *axis = ph_node_attr_int (node, "axis", 0);
  if (type == NULL || !type->has_rank || (given != NULL && split == NULL))
    return NULL;
  *axis += *axis < 0 ? type->rank : 0;
  if (*axis < 0 || *axis >= type->rank)
    return NULL;
  whole = type->dims[*axis].size;
  if (split != NULL && ph_tensor_rank (split) == 1)
    for (gsize i = 0; i < ph_tensor_count (split); i++)
      {
        gint64 size = ph_tensor_get_int (split, i);

        g_array_append_val (sizes, size);
      }
  else
    {
      if ((split != NULL && (ph_tensor_count (split) != 1 || (chunk = ph_tensor_get_int (split, 0)) < 1)) || whole < 0
          || whole / chunk > MAX_ITEMS)
        return NULL;
      for (gint64 at = 0; at < whole; at += chunk)
        {
          gint64 size = MIN (chunk, whole - at);

          g_array_append_val (sizes, size);
        }
    }
  return sizes->len > 0 && sizes->len <= MAX_ITEMS ? g_steal_pointer (&sizes) : NULL;
}

/* Returns the parts of a SplitToSequence, made by a new Split before it. (nullable) */
static GPtrArray *
cut (Opening *self, PhNode *node)
{
  GPtrArray *parts = g_hash_table_lookup (self->parts, node);
  PhValue *x = ph_node_input (node, 0), *first;
  g_autoptr (GArray) sizes = NULL;
  PhBuilder b = builder_before (node);
  gint64 axis;

  if (parts != NULL || x == NULL || (sizes = part_sizes (node, x->type, &axis)) == NULL)
    return parts;
  first = ph_build_node (&b, &ph_op_Split, PH_VALUES_ (x, ph_build_ints (&b, (gint64 *) sizes->data, sizes->len)), 2,
                         PH_ATTRS (ph_attr_new_int ("axis", axis)), sizes->len);
  parts = g_ptr_array_new ();
  for (guint i = 0; first != NULL && i < sizes->len; i++)
    {
      PhValue *part = ph_node_output (first->producer, i);

      if (ph_node_input (node, 1) == NULL && ph_node_attr_int (node, "keepdims", 1) == 0)
        part = PH_BUILD (&b, Squeeze, part, ph_build_ints (&b, &axis, 1));
      g_ptr_array_add (parts, part);
    }
  if (b.error != NULL)
    {
      g_propagate_error (&self->b->error, b.error);
      g_ptr_array_unref (parts);
      return NULL;
    }
  g_hash_table_insert (self->parts, node, parts);
  return parts;
}

/* Returns the value that each iteration of @loop appends to its state @k, a list used for nothing else. (nullable) */
static PhValue *
appended (const PhNode *loop, guint k)
{
  PhGraph *body = ph_node_graph (loop, "body");
  const PhValue *out, *list;
  const PhType *type;
  PhNode *insert;
  gint64 turns;

  if (!ph_loop_is_regular (loop, body) || k + 2 >= loop->inputs->len || (turns = ph_loop_turns (loop, body)) < 1
      || turns > MAX_ITEMS)
    return NULL;
  list = body->inputs->pdata[2 + k];
  out = body->outputs->pdata[1 + k];
  insert = out->producer;
  if (insert == NULL || !ph_node_is (insert, &ph_op_SequenceInsert) || ph_node_input (insert, 0) != list
      || ph_node_input (insert, 2) != NULL || ph_value_n_uses (list) != 1 || ph_value_n_uses (out) != 1)
    return NULL;
  type = ph_node_input (insert, 1)->type;
  return type != NULL && ph_type_is_static (type) && type->rank < PH_MAX_RANK ? ph_node_input (insert, 1) : NULL;
}

/* Replaces the Loop of @list by one that stacks the appended tensor of each iteration instead of carrying the sequence. The slices of the
 * stack are appended to @items. */
static gboolean
stack_instead (Opening *self, PhValue *list, PhValue *item, GPtrArray *items)
{
  PhNode *loop = list->producer, *other;
  PhGraph *from = ph_node_graph (loop, "body"), *body;
  const guint k = list->output, n_in = loop->inputs->len, n_out = loop->outputs->len, n_states = n_in - 2;
  const gint64 turns = ph_loop_turns (loop, from);
  g_autofree PhValue **states = g_new0 (PhValue *, n_in), **inside = g_new0 (PhValue *, n_in),
                     **outputs = g_new0 (PhValue *, n_out + 1);
  g_autofree const PhType **types = g_new0 (const PhType *, n_in), **results = g_new0 (const PhType *, n_out);
  g_autofree gint64 *ones = g_new (gint64, turns);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  PhBuilder b = builder_before (loop), in_body = { .name = b.name, .role = b.role, .partner = b.partner, .device = b.device };
  PhDim dims[PH_MAX_RANK + 1] = { PH_DIM (turns) };
  PhValue *part;

  for (guint i = 0, n = 0; i < n_states; i++)
    if (i != k)
      {
        states[n] = ph_node_input (loop, 2 + i);
        types[n++] = ((PhValue *) from->inputs->pdata[2 + i])->type;
      }
  for (guint i = 0, n = 0; i < n_out; i++)
    if (i != k)
      results[n++] = ph_node_output (loop, i)->type;
  memcpy (dims + 1, item->type->dims, item->type->rank * sizeof (PhDim));
  results[n_out - 1] = ph_type_tensor (item->type->dtype, item->type->rank + 1, dims);
  other = ph_loop_new (&b, ph_node_input (loop, 0), ph_node_input (loop, 1), states, types, n_states - 1, results, n_out);
  if (other == NULL)
    return FALSE;
  body = ph_node_graph (other, "body");
  in_body.graph = body;
  for (guint i = 0, n = 0; i < n_in; i++)
    inside[i] = i == 2 + k ? ph_node_input (loop, i) : body->inputs->pdata[n++];
  if (!ph_build_copy (&in_body, from, inside, outputs, map))
    return FALSE;
  for (guint i = 0, n = 0; i < n_out + 1; i++)
    if (i != 1 + k && !ph_graph_set_output (body, n++, outputs[i], NULL))
      return FALSE;
  part = g_hash_table_lookup (map, item);
  if (!ph_graph_set_output (body, n_out, part != NULL ? part : item, NULL))
    return FALSE;
  ph_graph_remove_dead (outputs[1 + k]->producer);
  for (guint i = 0, n = 0; i < n_out; i++)
    if (i != k && !ph_value_replace_uses (ph_node_output (loop, i), ph_node_output (other, n++), NULL))
      return FALSE;
  for (gint64 i = 0; i < turns; i++)
    ones[i] = 1;
  part = ph_build_node (&b, &ph_op_Split, PH_VALUES_ (ph_node_output (other, n_out - 1), ph_build_ints (&b, ones, turns)), 2,
                        PH_ATTRS (ph_attr_new_int ("axis", 0)), turns);
  for (gint64 i = 0; part != NULL && i < turns; i++)
    g_ptr_array_add (items, PH_BUILD (&b, Squeeze, ph_node_output (part->producer, i), ph_build_ints (&b, (gint64[]) { 0 }, 1)));
  g_clear_error (&b.error);
  if (!g_ptr_array_find (self->loops, loop, NULL))
    g_ptr_array_add (self->loops, loop);
  return part != NULL;
}

static gboolean trace (Opening *self, PhValue *sequence, GPtrArray *items);

/* Appends what a SequenceMap made of each item, by a copy of its body each. The results of one item stand together in the parts
 * of the node. */
static gboolean
map_items (Opening *self, PhNode *node, guint output, GPtrArray *items)
{
  PhGraph *body = ph_node_graph (node, "body");
  const guint n_in = node->inputs->len, n_out = node->outputs->len;
  GPtrArray *made = g_hash_table_lookup (self->parts, node);
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  PhBuilder b = builder_before (node);

  if (made == NULL)
    {
      g_autofree PhValue **inputs = g_new0 (PhValue *, n_in + 1), **outputs = g_new0 (PhValue *, n_out + 1);
      guint n = 0;

      if (body == NULL || body->inputs->len != n_in || body->outputs->len != n_out)
        return FALSE;
      for (guint i = 0; i < n_in; i++)
        {
          PhValue *input = ph_node_input (node, i);
          GPtrArray *list = g_ptr_array_new ();

          g_ptr_array_add (lists, list);
          if (input == NULL || input->type == NULL)
            return FALSE;
          if (input->type->kind != PH_KIND_SEQUENCE)
            g_ptr_array_add (list, input);
          else if (!trace (self, input, list) || g_ptr_array_find (list, NULL, NULL) || (i > 0 && list->len != n))
            return FALSE;
          n = i == 0 ? list->len : n;
        }
      if (n * MAX (body->n_nodes, 1) > MAX_COPIES)
        return FALSE;
      made = g_ptr_array_new ();
      g_hash_table_insert (self->parts, node, made);
      for (guint t = 0; t < n; t++)
        {
          for (guint i = 0; i < n_in; i++)
            {
              GPtrArray *list = lists->pdata[i];

              inputs[i] = list->pdata[ph_node_input (node, i)->type->kind == PH_KIND_SEQUENCE ? t : 0];
            }
          if (!ph_build_copy (&b, body, inputs, outputs, NULL))
            {
              g_propagate_error (&self->b->error, b.error);
              return FALSE;
            }
          for (guint i = 0; i < n_out; i++)
            g_ptr_array_add (made, outputs[i]);
        }
    }
  for (guint t = 0; t < made->len; t += n_out)
    g_ptr_array_add (items, made->pdata[t + output]);
  return TRUE;
}

/* Appends the tensors of @sequence to @items. Returns FALSE if they are unknown. */
static gboolean
trace (Opening *self, PhValue *sequence, GPtrArray *items)
{
  PhNode *node = sequence != NULL ? sequence->producer : NULL;
  gint64 at;

  if (node == NULL)
    return FALSE;
  if (ph_node_is (node, &ph_op_SequenceConstruct))
    {
      for (guint i = 0; i < node->inputs->len; i++)
        g_ptr_array_add (items, ph_node_input (node, i));
      return TRUE;
    }
  if (ph_node_is (node, &ph_op_SequenceEmpty))
    return TRUE;
  if (ph_node_is (node, &ph_op_SplitToSequence))
    {
      GPtrArray *parts = cut (self, node);

      for (guint i = 0; parts != NULL && i < parts->len; i++)
        g_ptr_array_add (items, parts->pdata[i]);
      return parts != NULL;
    }
  if (ph_node_is (node, &ph_op_Loop))
    {
      PhValue *item = appended (node, sequence->output);

      return item != NULL && trace (self, ph_node_input (node, 2 + sequence->output), items)
             && stack_instead (self, sequence, item, items);
    }
  if (ph_node_is (node, &ph_op_SequenceMap))
    return map_items (self, node, sequence->output, items);
  if (ph_node_is (node, &ph_op_Identity))
    return trace (self, ph_node_input (node, 0), items);
  if (ph_node_is (node, &ph_op_SequenceInsert))
    {
      if (!trace (self, ph_node_input (node, 0), items))
        return FALSE;
      at = items->len;
      if (ph_node_input (node, 2) != NULL && !constant_int (ph_node_input (node, 2), &at))
        return FALSE;
      at += at < 0 ? items->len : 0;
      if (at < 0 || at > items->len)
        return FALSE;
      g_ptr_array_insert (items, at, ph_node_input (node, 1));
      return TRUE;
    }
  if (ph_node_is (node, &ph_op_SequenceErase))
    {
      at = -1;
      if (!trace (self, ph_node_input (node, 0), items)
          || (ph_node_input (node, 1) != NULL && !constant_int (ph_node_input (node, 1), &at)))
        return FALSE;
      at += at < 0 ? items->len : 0;
      if (at < 0 || at >= items->len)
        return FALSE;
      g_ptr_array_remove_index (items, at);
      return TRUE;
    }
  return FALSE;
}

/* Reads the item at an index that is computed, in a loop say, where all items have one static type: they are stacked where the list is
 * made. (nullable) */
static PhValue *
pick (Opening *self, PhNode *node, GPtrArray *items)
{
  const PhValue *index = ph_node_input (node, 1);
  const PhType *type = items->len > 0 ? ((PhValue *) items->pdata[0])->type : NULL;
  PhBuilder b = builder_before (ph_node_input (node, 0)->producer);
  const gint64 axis = 0;
  PhValue *stack;

  if (type == NULL || !ph_type_is_static (type) || type->rank >= PH_MAX_RANK || index->type == NULL || !index->type->has_rank
      || index->type->rank != 0)
    return NULL;
  for (guint i = 1; i < items->len; i++)
    if (((PhValue *) items->pdata[i])->type != type)
      return NULL;
  for (guint i = 0; i < items->len; i++)
    items->pdata[i] = PH_BUILD (&b, Unsqueeze, items->pdata[i], ph_build_ints (&b, &axis, 1));
  stack = ph_build_node (&b, &ph_op_Concat, (PhValue *const *) items->pdata, items->len, PH_ATTRS (ph_attr_new_int ("axis", 0)),
                         1);
  if (b.error != NULL)
    {
      g_propagate_error (&self->b->error, b.error);
      return NULL;
    }
  return PH_BUILD (self->b, Gather, stack, ph_node_input (node, 1));
}

/* Returns the tensor that @node reads from a sequence. (nullable) */
static PhValue *
read_out (Opening *self, PhNode *node)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gint64 at, axis = ph_node_attr_int (node, "axis", 0);

  if (!trace (self, ph_node_input (node, 0), items) || g_ptr_array_find (items, NULL, NULL))
    return NULL;
  if (ph_node_is (node, &ph_op_SequenceAt))
    {
      if (!constant_int (ph_node_input (node, 1), &at))
        return pick (self, node, items);
      at += at < 0 ? items->len : 0;
      return at >= 0 && at < items->len ? PH_BUILD (self->b, Identity, items->pdata[at]) : NULL;
    }
  if (items->len == 0)
    return NULL;
  for (guint i = 0; ph_node_attr_int (node, "new_axis", 0) != 0 && i < items->len; i++)
    items->pdata[i] = PH_BUILD (self->b, Unsqueeze, items->pdata[i], ph_build_ints (self->b, &axis, 1));
  return ph_build_node (self->b, &ph_op_Concat, (PhValue *const *) items->pdata, items->len,
                        PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
}

gboolean
ph_autodiff_open_sequences (PhPassRun *run, GError **error)
{
  g_autoptr (GPtrArray) all = ph_model_nodes (ph_pass_run_model (run));
  g_autoptr (GHashTable) parts = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GPtrArray) loops = g_ptr_array_new ();

  for (guint i = 0; i < all->len; i++)
    {
      PhNode *node = all->pdata[i];
      const guint n_loops = loops->len;
      PhBuilder b;
      Opening self = { &b, parts, loops };
      PhValue *value;

      if (!ph_node_is (node, &ph_op_SequenceAt) && !ph_node_is (node, &ph_op_ConcatFromSequence))
        continue;
      if (!ph_pass_begin (run, "open-sequence", node,
                          "The elements of the sequence are known, so the gradient can bypass the sequence."))
        return TRUE;
      b = builder_before (node);
      value = read_out (&self, node);
      if (b.error == NULL && value == NULL)
        {
          g_ptr_array_set_size (loops, n_loops);
          ph_pass_abort (run); /* refused later, if a gradient reaches it */
          g_hash_table_remove_all (parts);
          continue;
        }
      if (b.error == NULL && ph_value_replace_uses (ph_node_output (node, 0), value, &b.error))
        ph_graph_remove_node (node, &b.error);
      if (!ph_pass_close (run, ph_builder_finish (&b, error)))
        return FALSE;
    }
  if (loops->len > 0 && ph_pass_begin (run, "open-sequence", NULL, "The loops that built the sequences are dead code now."))
    {
      for (guint i = 0; i < loops->len; i++)
        ph_graph_remove_dead (loops->pdata[i]);
      ph_pass_end (run);
    }
  return TRUE;
}
