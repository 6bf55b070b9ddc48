/* convert-aten-control.c: PyTorch's loops and branches in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/copy.h"
#include "passes/convert-aten.h"
#include "passes/loop.h"

static PhValue *
own_output (PhBuilder *b, PhValue *value)
{
  return value != NULL && (value->graph != b->graph || value->is_input) ? PH_BUILD (b, Identity, value) : value;
}

/* What a body hands on of a value from outside is behind an Identity. */
static const PhValue *
behind_identity (const PhValue *value)
{
  while (value != NULL && value->producer != NULL && value->producer->op == &ph_op_Identity)
    value = ph_node_input (value->producer, 0);
  return value;
}

/* Whether nothing reads @value before it is set. */
static gboolean
is_unset (const PhValue *value)
{
  value = behind_identity (value);
  return value != NULL && value->producer != NULL && ph_aten_is_unset (value->producer);
}

/* What stands for a value of @type that is not set: no elements, in as many dimensions. */
static PhValue *
empty_of (PhBuilder *b, const PhType *type)
{
  const gint64 zeros[PH_MAX_RANK] = { 0 };

  return !type->has_rank || type->rank == 0 ? ph_build_scalar (b, type->dtype, 0)
                                            : ph_build_tensor (b, ph_tensor_new (type->dtype, type->rank, zeros));
}

/* @list as a sequence of @type. */
static PhValue *
as_sequence (PhBuilder *b, const PhValue *list, const PhType *type)
{
  if (list->producer->inputs->len > 0)
    return ph_build_node (b, &ph_op_SequenceConstruct, (PhValue **) list->producer->inputs->pdata, list->producer->inputs->len,
                          NULL, 1);
  return ph_build_node (b, &ph_op_SequenceEmpty, NULL, 0, PH_ATTRS (ph_attr_new_int ("dtype", type->item->dtype)), 1);
}

/* @types: (nullable) of the outputs; a list for which that is a sequence becomes one. */
static gboolean
take_over (PhConvert *l, PhBuilder *inside, PhGraph *to, PhGraph *from, PhValue *const *inputs, const PhType *const *types)
{
  g_autofree PhValue **outputs = g_new0 (PhValue *, from->outputs->len + 1);
  gboolean ok = ph_build_copy (inside, from, inputs, outputs, NULL);

  for (guint i = 0; ok && i < from->outputs->len && inside->error == NULL; i++)
    {
      const gboolean list = types != NULL && types[i] != NULL && types[i]->kind == PH_KIND_SEQUENCE
                            && ph_aten_is_tensors (behind_identity (outputs[i]));
      PhValue *output = list ? as_sequence (inside, behind_identity (outputs[i]), types[i])
                        : types != NULL && types[i] != NULL && types[i]->kind == PH_KIND_TENSOR && is_unset (outputs[i])
                            ? own_output (inside, empty_of (inside, types[i]))
                            : own_output (inside, outputs[i]);

      ok = inside->error == NULL && ph_graph_set_output (to, i, output, &inside->error);
    }
  if (inside->error != NULL && l->b->error == NULL)
    g_propagate_error (&l->b->error, inside->error);
  else
    g_clear_error (&inside->error);
  return ok;
}

/* Makes the sequence with which a loop begins, of a list that is known. @last: what the loop makes of it. */
static PhValue *
sequence_of (PhConvert *l, const PhValue *list, const PhValue *last)
{
  const PhType *item = ph_aten_is_sequence (last) ? last->type->item : NULL;
  const PhDType dtype = item != NULL && item->kind == PH_KIND_TENSOR ? item->dtype : PH_FLOAT;

  return as_sequence (l->b, list, ph_type_sequence (PH_KIND_SEQUENCE, ph_type_unranked (dtype)));
}

/* @type without its sizes. */
static const PhType *
open_type (const PhType *type)
{
  PhDim dims[PH_MAX_RANK];

  for (guint i = 0; type->has_rank && i < type->rank; i++)
    dims[i] = PH_DIM_UNKNOWN;
  return type->has_rank ? ph_type_tensor (type->dtype, type->rank, dims) : ph_type_unranked (type->dtype);
}

/* What tensors of types @a and @b have in common; NULL: they have different ranks or element types, or one is not known. */
static const PhType *
common_type (const PhType *a, const PhType *b)
{
  PhDim dims[PH_MAX_RANK];

  if (a == NULL || b == NULL || a->kind != PH_KIND_TENSOR || b->kind != PH_KIND_TENSOR || !a->has_rank || !b->has_rank
      || a->rank != b->rank || a->dtype != b->dtype)
    return NULL;
  for (guint i = 0; i < a->rank; i++)
    dims[i] = ph_dim_known (a->dims[i]) && ph_dim_equal (a->dims[i], b->dims[i]) ? a->dims[i] : PH_DIM_UNKNOWN;
  return ph_type_tensor (a->dtype, a->rank, dims);
}

/* Collects in @type what all items have in common that are appended between a loop's @list and @value, what becomes
 * of it in a turn. FALSE: it is not known. */
static gboolean
see_items (const PhValue *value, const PhValue *list, const PhType **type)
{
  const PhNode *node = value->producer;

  if (value == list)
    return TRUE;
  if (node == NULL)
    return FALSE;
  if (node->op == &ph_op_Identity)
    return see_items (ph_node_input (node, 0), list, type);
  if (node->op == &ph_op_If)
    return see_items (ph_node_graph (node, "then_branch")->outputs->pdata[value->output], list, type)
           && see_items (ph_node_graph (node, "else_branch")->outputs->pdata[value->output], list, type);
  if (node->op != &ph_op_SequenceInsert || ph_node_input (node, 1) == NULL)
    return FALSE;
  *type = common_type (*type != NULL ? *type : ph_node_input (node, 1)->type, ph_node_input (node, 1)->type);
  return *type != NULL && see_items (ph_node_input (node, 0), list, type);
}

/* The type of the list that is @inside a loop and @last after a turn of it, where the ranks of all its items are known, or that of @begin. */
static const PhType *
list_type (const PhValue *begin, const PhValue *inside, const PhValue *last)
{
  const PhType *item = begin->producer->op == &ph_op_SequenceConstruct ? begin->type->item : NULL;

  if (!see_items (last, inside, &item) || item == NULL || item->kind != PH_KIND_TENSOR || !item->has_rank)
    return begin->type;
  return ph_type_sequence (PH_KIND_SEQUENCE, item);
}

static gboolean
loop (PhConvert *l, PhValue **out)
{
  PhGraph *body = ph_node_graph (l->node, "body");
  const guint n = l->n_in >= 2 ? l->n_in - 2 : 0;
  g_autofree const PhType **types = g_new0 (const PhType *, n + 1), **results = g_new0 (const PhType *, n + 1);
  PhBuilder inside = { .name = l->b->name };
  PhNode *made;

  if (body == NULL || l->n_in < 2 || body->inputs->len != l->n_in || body->outputs->len != n + 1 || (l->n_out != n && n > 0))
    return ph_convert_stay (l, "its body does not have an input for each operand");
  if (n == 0)
    return ph_convert_stay (l, "it computes nothing");
  for (guint i = 0; i < n; i++)
    {
      const PhValue *first = l->in[2 + i], *last = body->outputs->pdata[1 + i];
      const PhDType from = first != NULL ? ph_value_dtype (first) : PH_UNDEFINED, next = ph_value_dtype (last);

      if (first == NULL || (from != PH_UNDEFINED && next != PH_UNDEFINED && from != next))
        return ph_convert_stay (l, "'%s' starts as %s and continues as %s", ((PhValue *) body->inputs->pdata[2 + i])->name,
                                ph_dtype_name (from), ph_dtype_name (next));
      types[i] = ((PhValue *) body->inputs->pdata[2 + i])->type;
      if (is_unset (first))
        {
          const PhType *type = last->type;

          if (next == PH_UNDEFINED)
            return ph_convert_stay (l, "the type of '%s' is not known", ((PhValue *) body->inputs->pdata[2 + i])->name);
          l->in[2 + i] = empty_of (l->b, type);
          types[i] = open_type (type);
        }
      if (ph_aten_is_sequence (body->inputs->pdata[2 + i]) && ph_aten_is_tensors (first))
        {
          PhValue *begin = sequence_of (l, first, last);

          if (begin == NULL)
            return FALSE;
          l->in[2 + i] = begin;
          types[i] = list_type (begin, body->inputs->pdata[2 + i], last);
        }
      results[i] = types[i];
    }
  made = ph_loop_new (l->b, l->in[0], l->in[1], l->in + 2, types, n, results, n);
  if (made == NULL)
    return FALSE;
  inside.graph = ph_node_graph (made, "body");
  for (guint i = 0; i < n; i++)
    out[i] = ph_node_output (made, i);
  return take_over (l, &inside, inside.graph, body, (PhValue **) inside.graph->inputs->pdata, NULL);
}

/* The type of the items of @list, one that is known or a sequence, as far as it joins @item (nullable). */
static const PhType *
join_items (const PhValue *list, const PhType *item)
{
  const gboolean known = ph_aten_is_tensors (list);
  const guint n = known ? list->producer->inputs->len : 1;

  for (guint i = 0; i < n; i++)
    {
      const PhType *own = known ? ((PhValue *) list->producer->inputs->pdata[i])->type : list->type->item;
      const PhType *both = common_type (item != NULL ? item : own, own);

      if (own == NULL || own->kind != PH_KIND_TENSOR || (item != NULL && item->dtype != own->dtype))
        return NULL;
      item = both != NULL ? both : ph_type_unranked (own->dtype);
    }
  return item;
}

/* The type of the sequence that two branches give, where they give lists; NULL: they give something else, or other items. */
static const PhType *
branch_list (const PhValue *then, const PhValue *other)
{
  const PhType *item = NULL;

  then = behind_identity (then);
  other = behind_identity (other);
  if ((!ph_aten_is_tensors (then) && !ph_aten_is_sequence (then))
      || (!ph_aten_is_tensors (other) && !ph_aten_is_sequence (other)))
    return NULL;
  if (ph_aten_is_tensors (then) && then->producer->inputs->len == 0)
    item = join_items (other, NULL);
  else if ((item = join_items (then, NULL)) != NULL)
    item = join_items (other, item);
  return item != NULL ? ph_type_sequence (PH_KIND_SEQUENCE, item) : NULL;
}

static gboolean
if_ (PhConvert *l, PhValue **out)
{
  static const char *const names[] = { "then_branch", "else_branch" };
  g_autofree const PhType **types = g_new0 (const PhType *, l->n_out + 1);
  PhValue *condition = l->n_in > 0 ? l->in[0] : NULL;
  const gboolean cond = strcmp (ph_aten_name (l), "cond") == 0 && l->node->graphs != NULL
                        && l->node->graphs->len == 2; /* of torch.export: takes operands */
  PhGraph *bodies[2];
  PhNode *made;

  /* If one branch only raises an error, the other one is computed. */
  for (guint i = 0; i < 2; i++)
    {
      PhGraph *raises = ph_node_graph (l->node, names[i]), *other = ph_node_graph (l->node, names[1 - i]);

      if (raises != NULL && other != NULL && other->inputs->len == 0 && other->outputs->len == l->n_out
          && ph_aten_raises (raises))
        return ph_build_copy (l->b, other, NULL, out, NULL);
    }
  for (guint i = 0; i < 2; i++)
    if ((bodies[i] = cond ? l->node->graphs->pdata[i] : ph_node_graph (l->node, names[i])) == NULL
        || bodies[i]->inputs->len != (cond ? l->n_in - 1 : 0) || bodies[i]->outputs->len != l->n_out || condition == NULL)
      return ph_convert_stay (l, "its branches do not return as many values as it has outputs");
  for (guint i = 0; i < l->n_out; i++)
    {
      const PhDType a = ph_value_dtype (bodies[0]->outputs->pdata[i]), b = ph_value_dtype (bodies[1]->outputs->pdata[i]);

      if (a != b && a != PH_UNDEFINED && b != PH_UNDEFINED)
        return ph_convert_stay (l, "its branches return %s and %s", ph_dtype_name (a), ph_dtype_name (b));
      types[i] = a != PH_UNDEFINED || b != PH_UNDEFINED
                     ? ph_type_unranked (a != PH_UNDEFINED ? a : b)
                     : branch_list (bodies[0]->outputs->pdata[i], bodies[1]->outputs->pdata[i]);
      for (guint k = 0; k < 2; k++)
        if (is_unset (bodies[k]->outputs->pdata[i]) && types[i] != NULL)
          types[i] = open_type (((PhValue *) bodies[1 - k]->outputs->pdata[i])->type);
    }
  condition = ph_convert_cast (l, condition, PH_BOOL);
  made = ph_graph_add_node (l->b->graph,
                            &(PhNodeSpec) { .op = &ph_op_If,
                                            .inputs = &condition,
                                            .n_inputs = 1,
                                            .n_outputs = l->n_out,
                                            .output_types = types,
                                            .before = l->b->before },
                            &l->b->error);
  for (guint i = 0; made != NULL && i < 2; i++)
    {
      PhBuilder inside = { .graph = ph_node_add_graph (made, names[i], names[i], &l->b->error), .name = l->b->name };

      if (inside.graph == NULL || !take_over (l, &inside, inside.graph, bodies[i], cond ? l->in + 1 : NULL, types))
        return FALSE;
    }
  for (guint i = 0; made != NULL && i < l->n_out; i++)
    out[i] = ph_node_output (made, i);
  return made != NULL;
}

/* ── known before execution ── */

/* Skips the Identity behind which a body outputs a captured value, and records it for removal: it is useless once the body is inlined. */
static PhValue *
handed_on (PhValue *value, GArray *dead)
{
  while (value != NULL && value->producer != NULL && value->producer->op == &ph_op_Identity)
    {
      g_array_append_val (dead, value->producer->id);
      value = ph_node_input (value->producer, 0);
    }
  return value;
}

static void
remove_unused (PhModel *model, GArray *dead)
{
  for (guint i = 0; i < dead->len; i++)
    {
      PhNode *node = ph_model_find_node (model, g_array_index (dead, PhId, i)); /* NULL if it was removed with its user */

      if (node != NULL)
        ph_graph_remove_dead (node);
    }
}

/* Replaces an If with a constant condition by the branch taken. */
gboolean
ph_aten_take_branch (PhPassRun *run, PhNode *node, GError **error)
{
  PhValue *condition = ph_node_input (node, 0);
  PhTensor *known = condition != NULL ? ph_value_constant (condition) : NULL;
  PhGraph *branch;
  g_autofree PhValue **out = g_new0 (PhValue *, node->outputs->len + 1);
  PhBuilder b = { .graph = node->graph, .before = node };
  g_autoptr (GArray) dead = g_array_new (FALSE, FALSE, sizeof (PhId));
  gboolean used = FALSE;

  if (known == NULL || ph_tensor_kind (known) != PH_KIND_TENSOR || ph_tensor_count (known) != 1)
    return TRUE;
  branch = ph_node_graph (node, ph_tensor_get (known, 0) != 0 ? "then_branch" : "else_branch");
  if (branch == NULL || branch->inputs->len > 0 || (branch->outputs->len != node->outputs->len && branch->outputs->len != 0))
    return TRUE;
  for (guint i = 0; i < node->outputs->len; i++)
    used = used || ph_value_n_uses (ph_node_output (node, i)) > 0;
  /* A check goes as a whole: of a packed sequence, which is padded here, another rank is expected. */
  if ((branch->outputs->len == 0 && used) || (!used && ph_aten_raises (branch)))
    return TRUE;
  if (!ph_pass_begin (run, "prim:If", node, "The condition is constant, so the same branch is taken in every run."))
    return TRUE;
  if (ph_build_copy (&b, branch, NULL, out, NULL))
    {
      for (guint i = 0; i < node->outputs->len; i++)
        out[i] = handed_on (out[i], dead);
      if (ph_node_replace_all (node, out, &b))
        remove_unused (run->model, dead);
      else if (b.error == NULL)
        g_set_error_literal (&b.error, PH_ERROR, PH_ERROR_FAILED, "it could not be replaced");
    }
  if (b.error != NULL)
    {
      ph_pass_abort (run);
      g_clear_error (&b.error);
      return TRUE;
    }
  ph_pass_end (run);
  return TRUE;
}

/* Unrolls a loop with a known number of iterations whose body fills lists or reads from them. */
gboolean
ph_aten_unroll (PhPassRun *run, PhNode *node, GError **error)
{
  enum
  {
    MOST = 64
  };
  PhGraph *body = ph_node_graph (node, "body");
  const guint n = node->inputs->len;
  PhTensor *turns = n >= 2 && node->inputs->pdata[0] != NULL ? ph_value_constant (node->inputs->pdata[0]) : NULL,
           *first = n >= 2 && node->inputs->pdata[1] != NULL ? ph_value_constant (node->inputs->pdata[1]) : NULL, *goes_on;
  PhBuilder b = { .graph = node->graph, .before = node };
  g_autofree PhValue **values = g_new0 (PhValue *, n + 1), **results = g_new0 (PhValue *, n + 1);
  g_autoptr (GArray) dead = g_array_new (FALSE, FALSE, sizeof (PhId));
  gboolean lists = FALSE;
  gint64 count;

  if (body == NULL || turns == NULL || first == NULL || ph_tensor_count (turns) != 1 || ph_tensor_count (first) != 1
      || !ph_dtype_is_integer (ph_tensor_dtype (turns)) || ph_tensor_get (first, 0) == 0 || body->inputs->len != n
      || body->outputs->len != n - 1 || node->outputs->len < n - 2)
    return TRUE;
  goes_on = ph_value_constant (body->outputs->pdata[0]);
  count = ph_tensor_get_int (turns, 0);
  if (count < 0 || count > MOST || goes_on == NULL || ph_tensor_count (goes_on) != 1 || ph_tensor_get (goes_on, 0) == 0)
    return TRUE;
  for (guint i = 2; i < n; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      lists = lists || (value != NULL && value->producer != NULL && ph_aten_is_list (value->producer));
    }
  PH_FOREACH_NODE (inner, body)
    lists = lists || strcmp (inner->op_type, "append") == 0 || strcmp (inner->op_type, "__getitem__") == 0;
  if (!lists)
    return TRUE;
  if (!ph_pass_begin (run, "prim:Loop", node,
                      "The number of iterations is known and the body uses lists, so the loop is unrolled."))
    return TRUE;
  memcpy (values, node->inputs->pdata, n * sizeof *values);
  for (gint64 turn = 0; turn < count && b.error == NULL; turn++)
    {
      values[0] = ph_build_scalar (&b, PH_INT64, (double) turn);
      if (b.error == NULL && ph_build_copy (&b, body, values, results, NULL))
        for (guint i = 2; i < n; i++)
          values[i] = handed_on (results[i - 1], dead);
    }
  if (b.error != NULL || !ph_node_replace_all (node, values + 2, &b) || b.error != NULL)
    {
      ph_pass_abort (run);
      g_clear_error (&b.error);
      return TRUE;
    }
  remove_unused (run->model, dead);
  ph_pass_end (run);
  return TRUE;
}

/* clang-format off */
const PhConvertRule ph_convert_aten_control[] = {
  { "prim:Loop", loop, "Loop", "Both run a body up to a number of times, as long as a condition holds." }, { "prim:If", if_, "If", "Both run one of two bodies, depending on a condition." },
  { "higher_order:cond", if_, "If", "A branch in ONNX has no operands: it reads values of the graph around it." },
  { NULL }
};
/* clang-format on */
