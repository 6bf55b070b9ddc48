/* convert-loop.c: While of TensorFlow, StableHLO, HLO and jaxpr in ONNX's Loop.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   while (i < n) { y = f (...); list[i] = y; i = i + 1 }    =>    list = Loop (n) { y = f (...); gather y }
 */
#include <string.h>

#include "core/ops/copy.h"
#include "passes/convert-body.h"
#include "passes/convert-tensorflow-lists.h"

/* What becomes of an operand of the While. */
typedef enum
{
  STATE,    /* a state of the Loop                                                                    */
  FIXED,    /* it never changes: the body uses the operand itself                                     */
  GATHERED, /* a list whose elements are set in order: what the Loop gathers                          */
  ROWS,     /* a tensor whose rows are all set in order: what the Loop gathers                        */
  LAST,     /* a list whose first element is set in each turn: the last of what the Loop gathers      */
  FILLED    /* a list that is a state, of zeros at the beginning                                      */
} Fate;

typedef struct
{
  PhGraph *cond, *body;
  guint n, n_states, n_gathered;
  Fate *fates;
  guint *slots;          /* by operand: the number of its state, or of what is gathered */
  PhTfListWrite *writes; /* by operand that is a list                                   */
  PhValue **first;       /* by operand: before the first turn                           */
  PhValue *turns;        /* (nullable) how often the Loop runs                          */
} While;

static gboolean
is_gathered (Fate fate)
{
  return fate == GATHERED || fate == ROWS || fate == LAST;
}

static gboolean
is_number (PhValue *value, gint64 number)
{
  PhTensor *constant = value != NULL ? ph_value_constant (value) : NULL;

  return constant != NULL && ph_tensor_count (constant) == 1 && ph_dtype_is_integer (ph_tensor_dtype (constant))
         && ph_tensor_get_int (constant, 0) == number;
}

/* Reads a constant that a double can hold. */
static gboolean
whole_number (PhValue *value, gint64 *number)
{
  PhTensor *constant = ph_value_constant (value);

  if (constant == NULL || ph_tensor_count (constant) != 1 || !ph_dtype_is_integer (ph_tensor_dtype (constant)))
    return FALSE;
  *number = ph_tensor_get_int (constant, 0);
  return *number > -(1LL << 51) && *number < 1LL << 51;
}

static gboolean
is_fixed (const While *w, guint i)
{
  return ph_tf_origin (w->body->outputs->pdata[i]) == w->body->inputs->pdata[i];
}

/* Whether the body adds 1 to operand @i. */
static gboolean
counts (const While *w, guint i)
{
  const PhValue *next = ph_tf_origin (w->body->outputs->pdata[i]);
  const PhNode *add = next != NULL ? next->producer : NULL;

  for (guint k = 0; add != NULL && add->op == &ph_op_Add && k < 2; k++)
    if (ph_tf_origin (ph_node_input (add, k)) == w->body->inputs->pdata[i] && is_number (ph_node_input (add, 1 - k), 1))
      return TRUE;
  return FALSE;
}

/* Returns the number of the operand that @value, in @graph, is; -1: it is none. */
static int
operand_of (const PhGraph *graph, PhValue *value)
{
  value = ph_tf_origin (value);
  for (guint i = 0; value != NULL && value->is_input && value->graph == graph && i < graph->inputs->len; i++)
    if (graph->inputs->pdata[i] == value)
      return (int) i;
  return -1;
}

/* ── how often it runs ── */

/* The turns for which "counter < limit" holds. NULL: it is not of this form. */
static PhValue *
turns_below (PhConvert *l, const While *w, PhValue *counter, PhValue *limit)
{
  const int i = operand_of (w->cond, counter), k = operand_of (w->cond, limit);
  PhTensor *constant = limit != NULL ? ph_value_constant (limit) : NULL;
  gint64 from, to;

  if (i < 0 || !counts (w, (guint) i) || limit == NULL
      || (k >= 0             ? !is_fixed (w, (guint) k)
          : constant == NULL ? limit->graph == w->cond
                             : !whole_number (limit, &to)))
    return NULL;
  if (k >= 0)
    limit = l->in[k];
  if (whole_number (limit, &to) && whole_number (l->in[i], &from))
    return ph_build_scalar (l->b, PH_INT64, (double) (to - from));
  limit = whole_number (limit, &to) ? ph_build_scalar (l->b, PH_INT64, (double) to) : ph_foreign_int64 (l, limit);
  return is_number (l->in[i], 0) ? limit : PH_BUILD (l->b, Sub, limit, ph_foreign_int64 (l, l->in[i]));
}

/* The value that @value only casts or copies. */
static const PhValue *
uncast (const PhValue *value)
{
  while (value->producer != NULL && (value->producer->op == &ph_op_Cast || value->producer->op == &ph_op_Identity))
    value = ph_node_input (value->producer, 0);
  return value;
}

static PhValue *
least (PhConvert *l, PhValue *a, PhValue *b)
{
  PhTensor *x = a != NULL ? ph_value_constant (a) : NULL, *y = b != NULL ? ph_value_constant (b) : NULL;

  if (a == NULL || b == NULL || uncast (a) == uncast (b))
    return b != NULL ? a : NULL;
  if (x != NULL && y != NULL && ph_tensor_count (x) == 1 && ph_tensor_count (y) == 1)
    return ph_tensor_get_int (x, 0) <= ph_tensor_get_int (y, 0) ? a : b;
  return PH_BUILD (l->b, Min, a, b);
}

static PhValue *
turns_of (PhConvert *l, const While *w, PhValue *condition, guint depth)
{
  const PhNode *node = (condition = ph_tf_origin (condition)) != NULL ? condition->producer : NULL;

  if (node == NULL || node->inputs->len != 2 || depth > 16)
    return NULL;
  if (node->op == &ph_op_And)
    return least (l, turns_of (l, w, ph_node_input (node, 0), depth + 1), turns_of (l, w, ph_node_input (node, 1), depth + 1));
  if (node->op == &ph_op_Less)
    return turns_below (l, w, ph_node_input (node, 0), ph_node_input (node, 1));
  return node->op == &ph_op_Greater ? turns_below (l, w, ph_node_input (node, 1), ph_node_input (node, 0)) : NULL;
}

/* ── what becomes of each operand ── */

/* Whether nothing else uses what lies between @value and @from, of which it is a copy. */
static gboolean
is_used_once (PhValue *value, const PhValue *from)
{
  for (; value != from; value = ph_node_input (value->producer, 0))
    if (ph_value_n_uses (value) != 1)
      return FALSE;
  return ph_value_n_uses (value) == 1;
}

/* Whether operand @i is a list that is only read to write to it, once in each turn. */
static gboolean
is_only_written (PhGraph *cond, PhGraph *body, guint i, PhTfListWrite *write)
{
  PhValue *value = body->inputs->pdata[i], *next = body->outputs->pdata[i];

  return ph_tf_list_write (next, write) && write->node->graph == body && ph_tf_origin (write->list) == value
         && ph_value_n_uses (cond->inputs->pdata[i]) == 0 && is_used_once (write->list, value)
         && is_used_once (next, ph_node_output (write->node, 0));
}

/* Whether @value, in the body, is the number of the turn in each of @turns turns: a counter from 0 on, kept within bounds that it does not
 * reach. */
static gboolean
is_turn (PhConvert *l, const While *w, PhValue *value, gint64 turns, guint depth)
{
  const int i = operand_of (w->body, value);
  const PhNode *node = (value = ph_tf_origin (value)) != NULL ? value->producer : NULL;
  PhValue *a = node != NULL && node->inputs->len > 0 ? ph_node_input (node, 0) : NULL,
          *b = node != NULL && node->inputs->len > 1 ? ph_node_input (node, 1) : NULL;
  gint64 bound;

  if (i >= 0)
    return counts (w, (guint) i) && is_number (l->in[i], 0);
  if (a == NULL || depth > 16)
    return FALSE;
  if (node->op == &ph_op_Cast || node->op == &ph_op_Reshape || node->op == &ph_op_Unsqueeze || node->op == &ph_op_Squeeze)
    return is_turn (l, w, a, turns, depth + 1);
  if ((node->op == &ph_op_Max || node->op == &ph_op_Min) && node->inputs->len == 2 && b != NULL && whole_number (b, &bound))
    return (node->op == &ph_op_Max ? bound <= 0 : bound >= turns - 1) && is_turn (l, w, a, turns, depth + 1);
  if (node->op == &ph_op_Where && node->inputs->len == 3) /* i < 0 ? i + n : i */
    return a->producer != NULL && a->producer->op == &ph_op_Less && is_number (ph_node_input (a->producer, 1), 0)
           && is_turn (l, w, ph_node_input (a->producer, 0), turns, depth + 1)
           && is_turn (l, w, ph_node_input (node, 2), turns, depth + 1);
  return FALSE;
}

/* Whether the body only sets one row of operand @i in each turn, and all of them in order. */
static gboolean
sets_rows (PhConvert *l, const While *w, guint i, PhTfListWrite *write)
{
  PhValue *value = w->body->inputs->pdata[i], *next = w->body->outputs->pdata[i], *set = ph_tf_origin (next), *index;
  PhNode *node = set != NULL && set->graph == w->body ? set->producer : NULL;
  gint64 turns;

  if (node == NULL || node->op != &ph_op_ScatterND || node->inputs->len != 3 || ph_node_attr (node, "reduction") != NULL
      || w->turns == NULL || !whole_number (w->turns, &turns) || turns < 1 || ph_value_dim (l->in[i], 0) != turns)
    return FALSE;
  index = ph_node_input (node, 1);
  *write = (PhTfListWrite) { node, ph_node_input (node, 0), index, ph_node_input (node, 2), FALSE };
  return write->list != NULL && index != NULL && write->element != NULL && ph_tf_origin (write->list) == value
         && ph_value_n_uses (w->cond->inputs->pdata[i]) == 0 && is_used_once (write->list, value)
         && is_used_once (next, ph_node_output (node, 0)) && ph_value_rank (index) == 2 && ph_value_dim (index, 0) == 1
         && ph_value_dim (index, 1) == 1 && is_turn (l, w, index, turns, 0);
}

static gboolean
choose (PhConvert *l, While *w, guint i)
{
  const PhNode *made = ph_tf_new_list (l->in[i]);
  const gboolean written = is_only_written (w->cond, w->body, i, &w->writes[i]), pushed = written && w->writes[i].index == NULL;
  const int at = written && !pushed ? operand_of (w->body, w->writes[i].index) : -1;

  w->first[i] = l->in[i];
  w->writes[i].grows = w->writes[i].grows || (made != NULL && ph_node_attr_int (made, "dynamic_size", 0) != 0);
  if (is_fixed (w, i))
    w->fates[i] = FIXED;
  else if (made == NULL)
    w->fates[i] = sets_rows (l, w, i, &w->writes[i]) ? ROWS : STATE;
  else if (!written || pushed != g_str_equal (made->op_type, "EmptyTensorList"))
    return ph_convert_stay (
        l,
        "it does more with the list '%s' than to set an element in each turn: give the list the sizes of its elements, as element_shape",
        l->in[i]->name);
  else if (pushed || (at >= 0 && counts (w, (guint) at) && is_number (l->in[at], 0)))
    w->fates[i] = GATHERED;
  else if (is_number (at >= 0 && is_fixed (w, (guint) at) ? l->in[at] : w->writes[i].index, 0))
    w->fates[i] = LAST;
  else
    {
      const PhType *type = w->writes[i].element->type;

      w->fates[i] = FILLED;
      w->first[i] = ph_tf_list_zeros (l, made, NULL);
      if (w->first[i] == NULL && type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && ph_type_is_static (type))
        {
          gint64 dims[PH_MAX_RANK];

          g_clear_pointer (&l->stays, g_free);
          for (guint k = 0; k < type->rank; k++)
            dims[k] = type->dims[k].size;
          w->first[i] = ph_tf_list_zeros (l, made,
                                          ph_convert_expand (l, ph_convert_number (l, type->dtype, 0), dims, type->rank));
        }
      if (w->first[i] == NULL)
        return FALSE;
    }
  w->slots[i] = is_gathered (w->fates[i]) ? w->n_gathered++ : w->fates[i] == FIXED ? 0 : w->n_states++;
  return TRUE;
}

/* ── the Loop ── */

static gboolean
fill (PhConvert *l, const While *w, PhNode *loop)
{
  PhGraph *to = ph_node_graph (loop, "body");
  PhBuilder inside = { .graph = to, .name = l->b->name }, *outside = l->b;
  g_autofree PhValue **inputs = g_new0 (PhValue *, w->n + 1), **outputs = g_new0 (PhValue *, w->n + 1);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  PhValue *again = to->inputs->pdata[1];
  const gint64 first = 0;
  gboolean ok;

  l->b = &inside;
  for (guint i = 0; i < w->n; i++)
    inputs[i] = w->fates[i] == STATE || w->fates[i] == FILLED ? to->inputs->pdata[2 + w->slots[i]] : l->in[i];
  ok = ph_build_copy (&inside, w->body, inputs, outputs, map);
  for (guint i = 0; ok && i < w->n; i++)
    if (w->fates[i] == FILLED)
      {
        PhTfListWrite write;

        ok = ph_tf_list_write (outputs[i], &write)
             && (outputs[i] = ph_tf_list_with (l, inputs[i], write.index, write.element, w->writes[i].grows)) != NULL;
      }
  if (ok && w->turns == NULL)
    ok = ph_build_copy (&inside, w->cond, outputs, &again, NULL);
  if (ok)
    ph_convert_set_output (l, to, 0, again);
  for (guint i = 0; ok && i < w->n; i++)
    if (w->fates[i] == STATE || w->fates[i] == FILLED)
      ph_convert_set_output (l, to, 1 + w->slots[i], outputs[i]);
  for (guint i = 0; ok && i < w->n; i++)
    if (is_gathered (w->fates[i]))
      {
        PhTfListWrite write;
        PhValue *element = NULL;

        if (w->fates[i] == ROWS)
          element = PH_BUILD (l->b, Squeeze, ph_node_input (ph_tf_origin (outputs[i])->producer, 2),
                              ph_build_ints (l->b, &first, 1));
        else if (ph_tf_list_write (outputs[i], &write))
          element = write.element;
        ok = element != NULL;
        if (ok)
          ph_convert_set_output (l, to, 1 + w->n_states + w->slots[i], element);
      }
  for (guint i = 0; ok && inside.error == NULL && i < w->n; i++)
    if (w->fates[i] != STATE)
      {
        PhValue *left = g_hash_table_lookup (map, w->body->outputs->pdata[i]);

        if (left != NULL && left->producer != NULL)
          ph_graph_remove_dead (left->producer);
      }
  l->b = outside;
  return ph_convert_finish_body (l, &inside) && ok;
}

/* Whether the list @made is as long as the loop has turns. */
static gboolean
is_whole (const While *w, const PhNode *made)
{
  const guint at = g_str_equal (made->op_type, "TensorArrayV3") ? 0 : 1;

  return w->turns != NULL && made->inputs->len > at && uncast (w->turns) == uncast (ph_node_input (made, at));
}

/* The list that operand @i becomes: what was gathered, or the last of it, and zeros behind it where no element was set. */
static PhValue *
list_of (PhConvert *l, const While *w, guint i, PhValue *rows)
{
  const PhNode *made = ph_tf_new_list (l->in[i]);
  const gint64 first = 0, last = -1, end = G_MAXINT64;
  const gboolean grows = w->writes[i].grows;
  PhTensor *turns = w->turns != NULL ? ph_value_constant (w->turns) : NULL, *known;
  PhValue *wanted;
  gint64 n = turns != NULL ? ph_tensor_get_int (turns, 0) : -1;

  if (g_str_equal (made->op_type, "EmptyTensorList") || (w->fates[i] == GATHERED && is_whole (w, made)))
    return rows;
  if (w->fates[i] == LAST)
    {
      n = MIN (n, 1);
      rows = PH_BUILD (l->b, Slice, rows, ph_build_ints (l->b, &last, 1), ph_build_ints (l->b, &end, 1),
                       ph_build_ints (l->b, &first, 1));
    }
  wanted = ph_tf_list_length (l, made);
  known = wanted != NULL ? ph_value_constant (wanted) : NULL;
  if (known != NULL
      && ((n >= 0 && ph_tensor_get_int (known, 0) == n)
          || (grows && (ph_tensor_get_int (known, 0) == 0 || n > ph_tensor_get_int (known, 0)))))
    return rows;
  return ph_tf_list_padded (l, rows, wanted, grows);
}

/* Returns the type of a list in a loop: one that grows has an open number of elements. */
static const PhType *
list_type (const PhType *type, gboolean grows)
{
  PhDim dims[PH_MAX_RANK];

  if (type == NULL || !grows || !type->has_rank || type->rank == 0)
    return type;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = i == 0 ? PH_DIM_UNKNOWN : type->dims[i];
  return ph_type_tensor (type->dtype, type->rank, dims);
}

static gboolean
build (PhConvert *l, While *w, PhValue **out)
{
  g_autofree const PhType **types = g_new0 (const PhType *, w->n + 1);
  g_autofree PhValue **states = g_new0 (PhValue *, w->n + 1);
  PhValue *condition = NULL;
  PhNode *loop;

  for (guint i = 0; i < w->n; i++)
    if (w->fates[i] == STATE || w->fates[i] == FILLED)
      {
        const PhType *type = ((PhValue *) w->body->inputs->pdata[i])->type;

        states[w->slots[i]] = w->first[i];
        types[w->slots[i]] = w->fates[i] == FILLED ? list_type (w->first[i]->type, w->writes[i].grows)
                             : type != NULL        ? type
                                                   : w->first[i]->type;
      }
  if (w->turns == NULL && !ph_build_copy (l->b, w->cond, l->in, &condition, NULL))
    return FALSE;
  for (guint i = 0; i < w->n; i++)
    if (is_gathered (w->fates[i]))
      types[w->n_states + w->slots[i]] = w->fates[i] == ROWS ? l->in[i]->type
                                                             : ph_convert_gathered_type (w->writes[i].element, w->turns);
  loop = ph_loop_new (l->b, w->turns, condition, states, types, w->n_states, types, w->n_states + w->n_gathered);
  if (loop == NULL || !fill (l, w, loop))
    return FALSE;
  for (guint i = 0; i < l->n_out; i++) /* a file counts only those that are used */
    switch (w->fates[i])
      {
      case FIXED: out[i] = l->in[i]; break;
      case STATE:
      case FILLED: out[i] = ph_node_output (loop, w->slots[i]); break;
      case ROWS: out[i] = ph_node_output (loop, w->n_states + w->slots[i]); break;
      case GATHERED:
      case LAST: out[i] = list_of (l, w, i, ph_node_output (loop, w->n_states + w->slots[i])); break;
      }
  return l->b->error == NULL;
}

gboolean
ph_convert_while (PhConvert *l, PhValue **out)
{
  const guint n = l->n_in;
  While w = { .cond = ph_node_graph (l->node, "cond"), .body = ph_node_graph (l->node, "body"), .n = n };
  gboolean ok = TRUE;

  if (w.cond == NULL || w.body == NULL || w.cond->inputs->len != n || w.body->inputs->len != n || w.body->outputs->len != n
      || w.cond->outputs->len != 1 || n == 0 || l->n_out > n)
    return ph_convert_stay (l, "its condition and body do not have an input for each operand");
  for (guint i = 0; i < n; i++)
    if (l->in[i] == NULL)
      return ph_convert_stay (l, "an operand is missing");
  w.fates = g_new0 (Fate, n);
  w.slots = g_new0 (guint, n);
  w.writes = g_new0 (PhTfListWrite, n);
  w.first = g_new0 (PhValue *, n);
  w.turns = turns_of (l, &w, w.cond->outputs->pdata[0], 0);
  for (guint i = 0; ok && i < n; i++)
    ok = choose (l, &w, i);
  ok = ok && build (l, &w, out);
  g_free (w.fates);
  g_free (w.slots);
  g_free (w.writes);
  g_free (w.first);
  return ok;
}

/* ── before the bodies ── */

gboolean
ph_tf_is_control (const PhNode *node)
{
  return g_str_equal (node->domain, "tf") && node->graphs != NULL && node->graphs->len == 2;
}

/* "[2,?]" or "unknown rank": whether the size of dimension @d is said not to change. */
static gboolean
keeps_size (const PhAttr *shapes, guint i, guint d, guint rank)
{
  g_auto (GStrv) words = NULL;
  g_autofree char *text = NULL;
  const char *bytes;
  gsize size;

  if (shapes == NULL || shapes->kind != PH_ATTR_STRINGS || i >= shapes->n)
    return FALSE;
  bytes = g_bytes_get_data (shapes->strings[i], &size);
  text = g_strndup (bytes != NULL ? bytes : "", size);
  words = g_strsplit_set (text, "[,]", -1);
  return *text == '[' && g_strv_length (words) == rank + 2 && g_ascii_isdigit (*g_strstrip (words[1 + d]));
}

/* The type of input @i of a body: that of the operand, but without the sizes that a loop may change. */
static const PhType *
type_inside (PhNode *node, const PhValue *operand, guint i, const PhValue *inside)
{
  const PhType *type = operand->type;
  PhGraph *body = ph_node_graph (node, "body");
  PhDim dims[PH_MAX_RANK];

  if (type == NULL || type->kind != PH_KIND_TENSOR || type->dtype == PH_UNDEFINED || !type->has_rank)
    return NULL;
  if (body == NULL
      || (i < body->outputs->len && i < body->inputs->len && ph_tf_origin (body->outputs->pdata[i]) == body->inputs->pdata[i]))
    return type;
  for (guint d = 0; d < type->rank; d++) /* of a list, which has no type yet, only the number of elements may change */
    dims[d] = (ph_tf_is_untyped (inside) ? d > 0 : keeps_size (ph_node_attr (node, "output_shapes"), i, d, type->rank))
                  ? type->dims[d]
                  : PH_DIM_UNKNOWN;
  return ph_type_tensor (type->dtype, type->rank, dims);
}

/* New lists that are more than filled in order become zeros, where their elements have known sizes. */
static void
make_lists (PhPassRun *run, PhNode *node)
{
  PhGraph *cond = ph_node_graph (node, "cond"), *body = ph_node_graph (node, "body");

  for (guint i = body != NULL ? 0 : 1; i < node->inputs->len; i++)
    {
      PhBuilder b = { .graph = node->graph, .before = node };
      PhConvert l = { .run = run, .node = node, .b = &b };
      PhValue *operand = node->inputs->pdata[i], *zeros;
      const PhNode *made = operand != NULL ? ph_tf_new_list (operand) : NULL;
      PhTfListWrite write;

      if (made == NULL
          || (body != NULL && cond != NULL && i < MIN (cond->inputs->len, MIN (body->inputs->len, body->outputs->len))
              && is_only_written (cond, body, i, &write)))
        continue;
      if (!ph_pass_begin (run, "tf:TensorListReserve", node, "The elements of a new list are zeros."))
        return;
      zeros = ph_tf_list_zeros (&l, made, NULL);
      if (zeros != NULL && b.error == NULL && ph_node_set_input (node, i, zeros, NULL))
        {
          if (ph_value_n_uses (operand) == 0 && operand->producer != NULL)
            ph_graph_remove_dead (operand->producer);
          ph_pass_end (run);
        }
      else
        ph_pass_abort (run);
      g_clear_error (&b.error);
      g_free (l.stays);
    }
}

void
ph_tf_enter (PhPassRun *run, PhNode *node)
{
  const gboolean loops = ph_node_graph (node, "body") != NULL;
  g_autoptr (GPtrArray) values = g_ptr_array_new (), types = g_ptr_array_new ();

  make_lists (run, node);
  for (guint g = 0; g < node->graphs->len; g++)
    {
      PhGraph *graph = node->graphs->pdata[g];

      for (guint i = 0; i < graph->inputs->len && i + !loops < node->inputs->len; i++)
        {
          PhValue *inside = graph->inputs->pdata[i], *operand = node->inputs->pdata[i + !loops];
          const PhType *type = operand != NULL && ph_tf_new_list (operand) == NULL ? type_inside (node, operand, i, inside)
                                                                                   : NULL,
                       *both = type != NULL && !ph_tf_is_untyped (inside) ? ph_type_merge (inside->type, type) : NULL;

          type = both != NULL ? both : type;
          if (type == NULL || type == inside->type)
            continue;
          g_ptr_array_add (values, inside);
          g_ptr_array_add (types, (gpointer) type);
        }
    }
  for (guint i = 0; i < node->outputs->len; i++) /* a list will be a tensor */
    if (ph_node_output (node, i)->type != NULL && ph_tf_is_untyped (ph_node_output (node, i)))
      {
        g_ptr_array_add (values, ph_node_output (node, i));
        g_ptr_array_add (types, NULL);
      }
  if (values->len == 0
      || !ph_pass_begin (run, loops ? "tf:While" : "tf:If", node, "The inputs of a body have the types of the operands."))
    return;
  for (guint i = 0; i < values->len; i++)
    ph_value_set_type (values->pdata[i], types->pdata[i], NULL);
  ph_pass_end (run);
}
