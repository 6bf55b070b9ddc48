/* convert-openvino-bodies.c: OpenVINO's operators with bodies, TensorIterator, Loop and If, in ONNX's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/copy.h"
#include "passes/convert-body.h"
#include "passes/convert-foreign.h"

/* A row of a port map or of the back edges: which of the body's inputs or outputs is which of the node's. */
typedef struct
{
  char kind; /* of an 'i'nput, an 'o'utput, or an 'e'dge from an output to an input */
  gint64 body, port, from, to, axis, start, end, stride, part_size;
  gboolean sliced, counts, decides; /* the input is the turn; the output says whether to go on */
} Row;

/* How an input is cut: @first is the place of the first part. */
typedef struct
{
  PhValue *first;
  gint64 axis, step, size;
} Slices;

static void
read_row (const char *text, Row *row)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  struct
  {
    const char *name;
    gint64 *to;
  } numbers[] = { { "body", &row->body },   { "port", &row->port },     { "from", &row->from },          { "to", &row->to },
                  { "start", &row->start }, { "stride", &row->stride }, { "part_size", &row->part_size } };

  *row = (Row) { .body = -1, .port = -1, .from = -1, .to = -1, .end = -1, .stride = 1, .part_size = 1 };
  row->kind = words[0] != NULL ? *words[0] : '\0';
  for (guint i = 1; words[0] != NULL && words[i] != NULL; i++)
    {
      const char *value = strchr (words[i], '=') != NULL ? strchr (words[i], '=') + 1 : "";
      const gsize n = *value != '\0' ? (gsize) (value - words[i]) - 1 : 0;
      const gint64 number = CLAMP (g_ascii_strtoll (value, NULL, 10), -G_MAXINT, G_MAXINT);

      for (guint k = 0; k < G_N_ELEMENTS (numbers); k++)
        if (strlen (numbers[k].name) == n && strncmp (numbers[k].name, words[i], n) == 0)
          *numbers[k].to = number;
      if (g_str_has_prefix (words[i], "axis="))
        {
          row->sliced = TRUE;
          row->axis = number;
        }
      else if (g_str_has_prefix (words[i], "end="))
        row->end = number;
      row->counts = row->counts || g_str_equal (words[i], "purpose=current_iteration");
      row->decides = row->decides || g_str_equal (words[i], "purpose=execution_condition");
    }
}

static void
read_rows (const PhNode *node, const char *name, GArray *rows)
{
  const PhAttr *attr = ph_node_attr (node, name);

  for (gsize i = 0; attr != NULL && attr->kind == PH_ATTR_STRINGS && i < attr->n; i++)
    {
      gsize size;
      const char *bytes = g_bytes_get_data (attr->strings[i], &size);
      g_autofree char *text = g_strndup (bytes != NULL ? bytes : "", size);
      Row row;

      read_row (text, &row);
      g_array_append_val (rows, row);
    }
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const Row *x = a, *y = b;
  const gint64 p = x->kind == 'e' ? x->to : x->body, q = y->kind == 'e' ? y->to : y->body;

  return x->kind != y->kind ? x->kind - y->kind : (p > q) - (p < q);
}

/* Returns the row of the body's input or output @place, or of the edge to that input. @rows: in order. */
static const Row *
find_row (GArray *rows, char kind, gint64 place)
{
  const Row wanted = { .kind = kind, .body = place, .to = place };
  guint i;

  return g_array_binary_search (rows, &wanted, by_place, &i) ? &g_array_index (rows, Row, i) : NULL;
}

/* Each input of the body gets a value, and each output of the node comes from one of the body's. */
static gboolean
is_connected (PhConvert *l, const PhGraph *body, GArray *rows)
{
  for (guint i = 0; i < body->inputs->len; i++)
    {
      const Row *row = find_row (rows, 'i', i);

      if (row == NULL || (!row->counts && (row->port < 0 || row->port >= l->n_in || l->in[row->port] == NULL)))
        return ph_convert_stay (
            l, "nothing gives its body the input '%s': the .bin of the model, with its constants, belongs beside it",
            ((PhValue *) body->inputs->pdata[i])->name);
    }
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      if ((row->kind == 'i' && row->body >= body->inputs->len)
          || (row->kind == 'o' && (row->body < 0 || row->body >= body->outputs->len))
          || (row->kind == 'o' && row->port >= l->n_out) || row->part_size < 1
          || (row->kind == 'e'
              && (row->to < 0 || row->to >= body->inputs->len || row->from < 0 || row->from >= body->outputs->len)))
        return ph_convert_stay (l, "it connects what its body or the node does not have");
    }
  return TRUE;
}

static PhValue *
as_shape (PhConvert *l, PhValue *value, guint rank)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

  if (value == NULL || ph_value_rank (value) == (int) rank)
    return value;
  if (tensor != NULL && ph_tensor_count (tensor) == 1 && rank == 0)
    return ph_build_scalar (l->b, ph_tensor_dtype (tensor), (double) ph_tensor_get_int (tensor, 0));
  return PH_BUILD (l->b, Reshape, value, ph_convert_ints_value (l, (const gint64[]) { 1 }, rank));
}

/* ── slices and turns ── */

/* Returns the size of @axis, a number where it is known. */
static PhValue *
size_of (PhConvert *l, PhValue *value, gint64 axis)
{
  if (ph_value_dim (value, (int) axis) >= 0)
    return ph_build_scalar (l->b, PH_INT64, (double) ph_value_dim (value, (int) axis));
  return PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), PH_BUILD (l->b, Shape, value),
                        ph_build_scalar (l->b, PH_INT64, (double) axis));
}

static PhValue *
place_of (PhConvert *l, PhValue *value, gint64 axis, gint64 place)
{
  if (place >= 0 || ph_value_dim (value, (int) axis) >= 0)
    return ph_build_scalar (l->b, PH_INT64, (double) (place < 0 ? place + ph_value_dim (value, (int) axis) : place));
  return PH_BUILD (l->b, Add, size_of (l, value, axis), ph_build_scalar (l->b, PH_INT64, (double) place));
}

/* Reads how @value is cut; its bounds both belong to the range. @turns (nullable, NULL inside): receives the number of parts. */
static gboolean
read_slices (PhConvert *l, PhValue *value, const Row *row, Slices *slices, PhValue **turns)
{
  const int rank = ph_value_rank (value);
  const gint64 axis = row->axis < 0 ? row->axis + rank : row->axis,
               size = axis >= 0 && axis < rank ? ph_value_dim (value, (int) axis) : -1;
  const gboolean back = row->stride < 0;
  gint64 low = back ? row->end : row->start, high = back ? row->start : row->end;
  PhValue *from, *to;

  if (axis < 0 || axis >= rank)
    return ph_convert_stay (l, "the rank of '%s', which it slices, is not known, or less than its axis", value->name);
  if (size >= 0)
    {
      low += low < 0 ? size : 0;
      high += high < 0 ? size : 0;
    }
  if (ABS (row->stride) != row->part_size || ((low < 0) == (high < 0) ? low > high : low < 0))
    return ph_convert_stay (l, "its slices overlap, leave gaps, or run against their bounds");
  from = place_of (l, value, axis, low);
  to = place_of (l, value, axis, high);
  *slices = (Slices) { from, axis, row->stride, row->part_size };
  if (back) /* the last part begins its size before the end */
    slices->first = row->part_size == 1 ? to
                                        : PH_BUILD (l->b, Sub, to, ph_build_scalar (l->b, PH_INT64, (double) row->part_size - 1));
  if (*turns != NULL)
    return TRUE;
  if ((low < 0) == (high < 0))
    *turns = ph_build_scalar (l->b, PH_INT64, (double) ((high - low + 1) / row->part_size));
  else
    {
      *turns = size_of (l, value, axis);
      if (high - low + 1 != 0)
        *turns = PH_BUILD (l->b, Add, *turns, ph_build_scalar (l->b, PH_INT64, (double) (high - low + 1)));
      if (row->part_size > 1)
        *turns = PH_BUILD (l->b, Div, *turns, ph_build_scalar (l->b, PH_INT64, (double) row->part_size));
    }
  return *turns != NULL;
}

static PhValue *
slice_at (PhConvert *l, PhValue *value, const Slices *slices, PhValue *turn)
{
  PhTensor *constant = ph_value_constant (slices->first);
  PhValue *at = slices->size == 1 ? turn : PH_BUILD (l->b, Mul, turn, ph_build_scalar (l->b, PH_INT64, (double) slices->size));
  const gint64 one = 1, axis = slices->axis;

  if (slices->step < 0)
    at = PH_BUILD (l->b, Sub, slices->first, at);
  else if (constant == NULL || ph_tensor_get_int (constant, 0) != 0)
    at = PH_BUILD (l->b, Add, slices->first, at);
  at = PH_BUILD (l->b, Reshape, at, ph_convert_ints_value (l, &one, 1));
  if (slices->size == 1)
    return PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), value, at);
  return PH_BUILD (l->b, Slice, value, at, PH_BUILD (l->b, Add, at, ph_convert_ints_value (l, &slices->size, 1)),
                   ph_convert_ints_value (l, &axis, 1));
}

/* ── TensorIterator and Loop ── */

typedef struct
{
  PhGraph *body;
  GArray *rows;
  PhValue **states;        /* before the first turn                     */
  gint64 *states_from;     /* by state: the body's output that it is    */
  gint64 *state_of;        /* by input of the body, or -1               */
  gint64 *state_by_output; /* by output of the body: the number of the state that it becomes, or -1 */
  guint n_states;
  Slices *slices; /* by input of the body */
  PhValue *turns, *condition;
} Iteration;

/* Finds the states, which back edges carry from turn to turn, and the slices. */
static gboolean
read_inputs (PhConvert *l, Iteration *it)
{
  for (guint i = 0; i < it->body->inputs->len; i++)
    {
      const Row *row = find_row (it->rows, 'i', i), *edge;

      it->state_of[i] = -1;
      if (row->counts)
        continue;
      if (row->sliced && !read_slices (l, l->in[row->port], row, &it->slices[i], &it->turns))
        return FALSE;
      if (row->sliced || (edge = find_row (it->rows, 'e', i)) == NULL)
        continue;
      it->state_of[i] = it->n_states;
      it->states_from[it->n_states] = edge->from;
      if (it->state_by_output[edge->from] < 0)
        it->state_by_output[edge->from] = it->n_states;
      it->states[it->n_states++] = l->in[row->port];
    }
  return TRUE;
}

/* Returns whether the output of the node that @row describes consists of the parts of all turns, or must be found as the last of them. */
static gboolean
is_gathered (const Iteration *it, const Row *row)
{
  return row->kind == 'o' && row->port >= 0 && (row->sliced || it->state_by_output[row->body] < 0);
}

/* Fills the body of @loop: the operands of the old body, its nodes, and what goes to the next turn. */
static gboolean
fill_body (PhConvert *l, const Iteration *it, PhNode *loop)
{
  PhGraph *to = ph_node_graph (loop, "body");
  PhBuilder inside = { .graph = to, .name = l->b->name }, *outside = l->b;
  g_autofree PhValue **inputs = g_new0 (PhValue *, it->body->inputs->len + 1),
                     **outputs = g_new0 (PhValue *, it->body->outputs->len + 1);
  PhValue *again = to->inputs->pdata[1];
  guint n = 1 + it->n_states;
  gboolean ok;

  l->b = &inside;
  for (guint i = 0; i < it->body->inputs->len; i++)
    {
      const PhValue *input = it->body->inputs->pdata[i];
      const Row *row = find_row (it->rows, 'i', i);

      if (row->counts)
        inputs[i] = as_shape (
            l, input->type != NULL ? ph_convert_cast (l, to->inputs->pdata[0], input->type->dtype) : to->inputs->pdata[0],
            ph_value_rank (input) == 1 ? 1 : 0);
      else if (it->state_of[i] >= 0)
        inputs[i] = to->inputs->pdata[2 + it->state_of[i]];
      else
        inputs[i] = row->sliced ? slice_at (l, l->in[row->port], &it->slices[i], to->inputs->pdata[0]) : l->in[row->port];
    }
  ok = inside.error == NULL && ph_build_copy (&inside, it->body, inputs, outputs, NULL);
  for (guint i = 0; ok && i < it->rows->len; i++)
    if (g_array_index (it->rows, Row, i).decides && g_array_index (it->rows, Row, i).kind == 'o')
      again = as_shape (l, outputs[g_array_index (it->rows, Row, i).body], 0);
  if (ok)
    ph_convert_set_output (l, to, 0, again);
  for (guint i = 0; ok && i < it->n_states; i++)
    ph_convert_set_output (l, to, 1 + i, outputs[it->states_from[i]]);
  for (guint i = 0; ok && i < it->rows->len; i++)
    if (is_gathered (it, &g_array_index (it->rows, Row, i)))
      ph_convert_set_output (l, to, n++, outputs[g_array_index (it->rows, Row, i).body]);
  l->b = outside;
  return ph_convert_finish_body (l, &inside) && ok;
}

/* Joins the parts of all turns, which @value has along its first axis, along @row's axis. @part: the type of one of them (nullable). */
static PhValue *
joined (PhConvert *l, PhValue *value, const Row *row, const PhType *part)
{
  const PhType *type = ph_convert_type (l, (guint) row->port);
  const int rank = part != NULL && part->has_rank ? (int) part->rank : -1;
  const gint64 first = 0, axis = row->axis < 0 ? row->axis + rank : row->axis, after = axis + 1;
  gint64 perm[PH_MAX_RANK], dims[PH_MAX_RANK];

  if (axis < 0 || axis >= PH_MAX_RANK - 1 || (rank < 0 && axis > 0) || (rank >= 0 && axis >= rank))
    return ph_convert_stay (l, "the rank of what its body computes is not known, or less than its axis"), NULL;
  if (row->stride < 0)
    value = ph_convert_reverse (l, value, &first, 1);
  for (int i = 0; i <= rank; i++)
    perm[i] = i < axis ? i + 1 : i == axis ? 0 : i;
  if (rank >= 0)
    value = ph_convert_transpose (l, value, perm, (guint) rank + 1);
  if (rank < 0 || part->dims[axis].size == 1)
    return PH_BUILD (l->b, Squeeze, value, ph_convert_ints_value (l, &after, 1));
  for (int i = 0; i < rank; i++)
    {
      const gint64 size = part->dims[i].size >= 0 || type == NULL || !type->has_rank || (int) type->rank != rank
                              ? part->dims[i].size
                              : type->dims[i].size;

      dims[i] = i == axis ? -1 : size;
      if (i != axis && size < 0)
        return ph_convert_stay (l, "the sizes of the parts that it joins are not known"), NULL;
    }
  return ph_convert_reshape (l, value, dims, (guint) rank);
}

static gboolean
collect (PhConvert *l, const Iteration *it, PhNode *loop, PhValue **out)
{
  guint n = it->n_states;

  for (guint i = 0; i < it->rows->len; i++)
    {
      const Row *row = &g_array_index (it->rows, Row, i);
      const gint64 state = row->kind == 'o' && row->port >= 0 ? it->state_by_output[row->body] : -1;

      if (row->kind != 'o' || row->port < 0)
        continue;
      if (!is_gathered (it, row))
        out[row->port] = ph_node_output (loop, (guint) state);
      else if (row->sliced)
        out[row->port] = joined (l, ph_node_output (loop, n++), row, ((PhValue *) it->body->outputs->pdata[row->body])->type);
      else
        out[row->port] = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_node_output (loop, n++),
                                        ph_build_scalar (l->b, PH_INT64, -1));
      if (out[row->port] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
run_iteration (PhConvert *l, Iteration *it, PhValue **out)
{
  const guint most = it->n_states + it->rows->len;
  g_autofree const PhType **types = g_new0 (const PhType *, most + 1);
  guint n = it->n_states;
  PhNode *loop;

  for (guint i = 0; i < it->body->inputs->len; i++)
    if (it->state_of[i] >= 0)
      {
        const PhType *type = ((PhValue *) it->body->inputs->pdata[i])->type;

        types[it->state_of[i]] = type != NULL ? type : it->states[it->state_of[i]]->type;
      }
  for (guint i = 0; i < it->rows->len; i++)
    if (is_gathered (it, &g_array_index (it->rows, Row, i)))
      types[n++] = ph_convert_gathered_type (it->body->outputs->pdata[g_array_index (it->rows, Row, i).body],
                                             it->condition == NULL ? it->turns : NULL);
  loop = ph_loop_new (l->b, it->turns, it->condition, it->states, types, it->n_states, types, n);
  return loop != NULL && fill_body (l, it, loop) && collect (l, it, loop, out);
}

/* How often a Loop runs at most: a negative number is no limit. */
static PhValue *
limit (PhConvert *l, PhValue *trips)
{
  PhTensor *constant = ph_value_constant (trips);

  trips = as_shape (l, ph_foreign_int64 (l, trips), 0);
  if (constant != NULL)
    return ph_tensor_count (constant) == 1 && ph_tensor_get_int (constant, 0) >= 0 ? trips : NULL;
  return PH_BUILD (l->b, Where, PH_BUILD (l->b, Less, trips, ph_build_scalar (l->b, PH_INT64, 0)),
                   ph_build_scalar (l->b, PH_INT64, (double) G_MAXINT), trips);
}

static gboolean
iterate (PhConvert *l, PhValue **out)
{
  const gboolean loop = g_str_has_suffix (l->op, ":Loop");
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  Iteration it = { .body = ph_node_graph (l->node, "loop_body"), .rows = rows };
  gboolean ok;

  if (it.body == NULL)
    return ph_convert_stay (l, "its body is not in the file");
  read_rows (l->node, "port_map", rows);
  read_rows (l->node, "back_edges", rows);
  g_array_sort (rows, by_place);
  if (!is_connected (l, it.body, rows))
    return FALSE;
  if (loop && (l->in[0] == NULL || l->in[1] == NULL))
    return ph_convert_stay (l, "how often it runs is not in the file");
  it.states = g_new0 (PhValue *, it.body->inputs->len + 1);
  it.states_from = g_new0 (gint64, it.body->inputs->len + 1);
  it.state_of = g_new0 (gint64, it.body->inputs->len + 1);
  it.state_by_output = g_new (gint64, it.body->outputs->len + 1);
  for (guint i = 0; i < it.body->outputs->len; i++)
    it.state_by_output[i] = -1;
  it.slices = g_new0 (Slices, it.body->inputs->len + 1);
  if (loop)
    {
      PhTensor *constant = ph_value_constant (l->in[1]);
      gboolean decides = FALSE;

      for (guint i = 0; i < rows->len; i++)
        decides = decides || g_array_index (rows, Row, i).decides;
      it.turns = ph_build_scalar (l->b, PH_INT64, 0); /* so that slices do not count */
      ok = read_inputs (l, &it);
      it.turns = limit (l, l->in[0]);
      if (decides || constant == NULL || ph_tensor_count (constant) != 1 || ph_tensor_get_int (constant, 0) == 0)
        it.condition = as_shape (l, l->in[1], 0);
    }
  else if ((ok = read_inputs (l, &it)) && it.turns == NULL)
    ok = ph_convert_stay (l, "it slices nothing, so how often it runs is not known");
  ok = ok && l->b->error == NULL && run_iteration (l, &it, out);
  g_free (it.states);
  g_free (it.states_from);
  g_free (it.state_of);
  g_free (it.state_by_output);
  g_free (it.slices);
  return ok;
}

/* ── If ── */

static gboolean
fill_branch (PhConvert *l, PhNode *choice, const char *branch, const char *part)
{
  g_autofree char *body_name = g_strconcat (part, "_body", NULL), *map_name = g_strconcat (part, "_port_map", NULL);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  PhGraph *body = ph_node_graph (l->node, body_name), *to;
  g_autofree PhValue **inputs = NULL, **outputs = NULL, **given = g_new0 (PhValue *, l->n_out + 1);
  PhBuilder inside = { .name = l->b->name }, *outside = l->b;
  guint n = 0;
  gboolean ok;

  read_rows (l->node, map_name, rows);
  g_array_sort (rows, by_place);
  if (body == NULL || !is_connected (l, body, rows))
    return ph_convert_stay (l, "one of its bodies is not in the file");
  inputs = g_new0 (PhValue *, body->inputs->len + 1);
  outputs = g_new0 (PhValue *, body->outputs->len + 1);
  for (guint i = 0; i < body->inputs->len; i++)
    {
      const Row *row = find_row (rows, 'i', i);

      if (row->counts)
        return ph_convert_stay (l, "its body counts turns");
      inputs[i] = l->in[row->port];
    }
  if ((to = ph_node_add_graph (choice, branch, branch, &l->b->error)) == NULL)
    return FALSE;
  inside.graph = to;
  l->b = &inside;
  ok = ph_build_copy (&inside, body, inputs, outputs, NULL);
  for (guint i = 0; ok && i < rows->len; i++)
    if (g_array_index (rows, Row, i).kind == 'o' && g_array_index (rows, Row, i).port >= 0)
      given[g_array_index (rows, Row, i).port] = outputs[g_array_index (rows, Row, i).body];
  for (n = 0; ok && n < l->n_out && given[n] != NULL; n++)
    ph_convert_set_output (l, to, n, given[n]);
  l->b = outside;
  return ph_convert_finish_body (l, &inside) && ok
         && (n == l->n_out || ph_convert_stay (l, "its bodies do not give all of its results"));
}

static gboolean
branch (PhConvert *l, PhValue **out)
{
  g_autofree const PhType **types = g_new0 (const PhType *, l->n_out + 1);
  PhValue *condition = as_shape (l, l->in[0], 0);
  PhNode *choice;

  if (condition == NULL)
    return ph_convert_stay (l, "its condition is missing");
  for (guint i = 0; i < l->n_out; i++)
    types[i] = ph_convert_type (l, i);
  choice = ph_graph_add_node (l->b->graph,
                              &(PhNodeSpec) { .op = &ph_op_If,
                                              .inputs = &condition,
                                              .n_inputs = 1,
                                              .n_outputs = l->n_out,
                                              .output_types = types,
                                              .before = l->b->before },
                              &l->b->error);
  if (choice == NULL || !fill_branch (l, choice, "then_branch", "then") || !fill_branch (l, choice, "else_branch", "else"))
    return FALSE;
  for (guint i = 0; i < l->n_out; i++)
    out[i] = ph_node_output (choice, i);
  return TRUE;
}

/* clang-format off */
const PhConvertRule ph_convert_openvino_bodies[] = {
  { "openvino:TensorIterator", iterate, "Loop", "ONNX's Loop passes states on, and its body takes the slice of each turn by Gather." },
  { "openvino:Loop", iterate, "Loop", "Both run a body as often as a number and a condition say." },
  { "openvino:If", branch, "If", "Both run one of two bodies, depending on a condition; those of ONNX use outer values directly." },
  { NULL }
};
/* clang-format on */
