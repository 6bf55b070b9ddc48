/* autodiff-sequence.c: the tensors that a sequence holds, where it is made and read by constants: gradients pass from one to the
 * other, not through the sequence.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/builder.h"
#include "core/ops/infer.h"
#include "passes/autodiff.h"

/*   a ──► SequenceConstruct ──► SequenceAt (1) ──► y          a
 *   b ──┘                                              =>     b ──► Identity ──► y   */

#define MAX_ITEMS 1000

typedef struct
{
  PhBuilder *b;      /* stands before the node that is opened                          */
  GHashTable *parts; /* SplitToSequence -> GPtrArray of what it cuts (owned)           */
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

/* One integer that is known. */
static gboolean
constant_int (const PhValue *value, gint64 *number)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (tensor == NULL || ph_tensor_count (tensor) != 1)
    return FALSE;
  *number = ph_tensor_get_int (tensor, 0);
  return TRUE;
}

/* The sizes of the parts along @axis of what @node cuts. (transfer full) (nullable) */
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

/* What a SplitToSequence cuts, by a Split before it. (nullable) */
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

/* Appends the tensors of @sequence to @items. FALSE: they are not known. */
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

/* The tensor that @node reads out of a sequence. (nullable) */
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
        return NULL;
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

  for (guint i = 0; i < all->len; i++)
    {
      PhNode *node = all->pdata[i];
      PhBuilder b;
      Opening self = { &b, parts };
      PhValue *value;

      if (!ph_node_is (node, &ph_op_SequenceAt) && !ph_node_is (node, &ph_op_ConcatFromSequence))
        continue;
      if (!ph_pass_begin (run, "open-sequence", node, "What a sequence holds is known, so the gradient passes by it."))
        return TRUE;
      b = builder_before (node);
      value = read_out (&self, node);
      if (b.error == NULL && value == NULL)
        {
          ph_pass_abort (run); /* what cannot be opened is refused where a gradient comes to it */
          g_hash_table_remove_all (parts);
          continue;
        }
      if (b.error == NULL && ph_value_replace_uses (ph_node_output (node, 0), value, &b.error))
        ph_graph_remove_node (node, &b.error);
      if (!ph_builder_finish (&b, error))
        {
          ph_pass_abort (run);
          return FALSE;
        }
      ph_pass_end (run);
    }
  return TRUE;
}
