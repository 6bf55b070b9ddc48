/* convert-index.c: gather and scatter of StableHLO, HLO and jaxpr in ONNX's operators: by places in the flat operand.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <string.h>

typedef struct
{
  const gint64 *values;
  gsize n;
} List;

static List
list (PhConvert *l, const char *name)
{
  List found;

  found.values = ph_convert_ints (l, name, &found.n);
  return found;
}

static gboolean
holds (List list, gint64 value)
{
  for (gsize i = 0; i < list.n; i++)
    if (list.values[i] == value)
      return TRUE;
  return FALSE;
}

/* The location of gathered or scattered elements: [indices..., window...] of int64 indices, and a mask of those in range. */
typedef struct
{
  List window;  /* dimensions of the result or of the updates that run in the window         */
  List dropped; /* dimensions of the operand that a window has not: collapsed, inserted      */
  List operand_batch, index_batch;
  List start_map;
  gint64 vector, sizes[PH_MAX_RANK], dims[PH_MAX_RANK], batch[PH_MAX_RANK];
  guint rank, n_batch, n_window;
  gint64 window_sizes[PH_MAX_RANK], window_dims[PH_MAX_RANK];
} Places;

static gboolean
prepare (PhConvert *l, Places *p)
{
  const guint index_rank = ph_convert_rank (l->in[1]);
  gint64 index_dims[PH_MAX_RANK];

  p->rank = ph_convert_rank (l->in[0]);
  if (!ph_convert_dims (l, l->in[0], p->dims) || !ph_convert_dims (l, l->in[1], index_dims))
    return FALSE;
  p->n_batch = p->n_window = 0;
  for (guint i = 0; i < index_rank; i++)
    if ((gint64) i != p->vector)
      p->batch[p->n_batch++] = index_dims[i];
  for (guint i = 0; i < p->rank; i++)
    if (!holds (p->dropped, i) && !holds (p->operand_batch, i))
      {
        p->window_dims[p->n_window] = i;
        p->window_sizes[p->n_window++] = p->sizes[i];
      }
  if (p->n_window != p->window.n || p->n_batch + p->n_window > PH_MAX_RANK || p->operand_batch.n != p->index_batch.n)
    return ph_convert_stay (l, "its dimension numbers do not fit its operands");
  for (gsize i = 0; i < p->start_map.n; i++)
    if (p->start_map.values[i] < 0 || p->start_map.values[i] >= p->rank)
      return ph_convert_stay (l, "its dimension numbers do not fit its operands");
  return TRUE;
}

/* Returns the indices of all elements, [batch..., window...]. With @clamp, starts are clamped so that the window fits; otherwise @inside
 * tells which indices are in bounds. */
static PhValue *
places_of (PhConvert *l, const Places *p, gboolean clamp, PhValue **inside)
{
  const guint rank = p->n_batch + p->n_window, index_rank = ph_convert_rank (l->in[1]);
  PhValue *indices = ph_convert_cast (l, l->in[1], PH_INT64), *sum = ph_convert_number (l, PH_INT64, 0);
  gint64 stride = 1, shape[PH_MAX_RANK];

  *inside = NULL;
  for (guint i = 0; i < rank; i++)
    shape[i] = i < p->n_batch ? p->batch[i] : 1;
  for (guint d = p->rank; d-- > 0;)
    {
      PhValue *at = NULL;

      for (gsize k = 0; k < p->start_map.n; k++)
        if (p->start_map.values[k] == (gint64) d)
          {
            at = p->vector < index_rank ? PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", p->vector)), indices,
                                                         ph_convert_number (l, PH_INT64, (double) k))
                                        : indices;
            if (clamp)
              at = PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, at, ph_convert_number (l, PH_INT64, 0)),
                             ph_convert_number (l, PH_INT64, (double) (p->dims[d] - p->sizes[d])));
            at = ph_convert_reshape (l, at, shape, rank);
          }
      for (gsize k = 0; k < p->operand_batch.n; k++)
        if (p->operand_batch.values[k] == (gint64) d)
          {
            gint64 axis = p->index_batch.values[k];

            axis -= axis > p->vector;
            at = ph_convert_iota (l, p->dims[d], (guint) axis, rank);
          }
      for (guint k = 0; k < p->n_window; k++)
        if (p->window_dims[k] == (gint64) d && p->sizes[d] != 1)
          {
            PhValue *offset = ph_convert_iota (l, p->sizes[d], p->n_batch + k, rank);

            at = at != NULL ? PH_BUILD (l->b, Add, at, offset) : offset;
          }
      if (at != NULL)
        {
          if (!clamp)
            {
              PhValue *fits = PH_BUILD (l->b, And, PH_BUILD (l->b, GreaterOrEqual, at, ph_convert_number (l, PH_INT64, 0)),
                                        PH_BUILD (l->b, Less, at, ph_convert_number (l, PH_INT64, (double) p->dims[d])));

              *inside = *inside != NULL ? PH_BUILD (l->b, And, *inside, fits) : fits;
            }
          sum = PH_BUILD (l->b, Add, sum, PH_BUILD (l->b, Mul, at, ph_convert_number (l, PH_INT64, (double) stride)));
        }
      stride *= p->dims[d];
    }
  return sum;
}

/* Sets @perm to the permutation from [batch..., window...] to the order of a result whose dimensions @window are the window's. */
static void
result_order (const Places *p, gint64 *perm)
{
  const guint rank = p->n_batch + p->n_window;
  guint batch = 0, window = 0;

  for (guint i = 0; i < rank; i++)
    if (holds (p->window, i))
      perm[i] = p->n_batch + window++;
    else
      perm[i] = batch++;
}

/* Returns the last index along @axis, also where that has an open size. */
static PhValue *
last_index (PhConvert *l, PhValue *value, gint64 axis)
{
  const gint64 size = ph_value_dim (value, (int) axis);

  if (size >= 0)
    return ph_convert_number (l, PH_INT64, (double) (size - 1));
  return PH_BUILD (l->b, Sub,
                   PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), PH_BUILD (l->b, Shape, value),
                                  ph_convert_number (l, PH_INT64, (double) axis)),
                   ph_convert_number (l, PH_INT64, 1));
}

/* Builds ONNX's Gather itself, of whole slices along one dimension. It needs no size but those of the slices. (nullable) it is another one */
static PhValue *
gather_whole (PhConvert *l, const Places *p)
{
  const guint rank = ph_convert_rank (l->in[0]), index_rank = ph_convert_rank (l->in[1]);
  const guint n_batch = index_rank - (p->vector < index_rank);
  const gint64 axis = p->start_map.n == 1 ? p->start_map.values[0] : -1;
  PhValue *indices = l->in[1];
  gint64 perm[PH_MAX_RANK];

  if (axis < 0 || axis >= rank || p->dropped.n != 1 || p->dropped.values[0] != axis || p->operand_batch.n != 0
      || p->index_batch.n != 0 || p->window.n != rank - 1 || n_batch + rank - 1 > PH_MAX_RANK || p->vector < 0
      || p->vector > index_rank || (p->vector < index_rank && ph_value_dim (indices, (int) p->vector) != 1))
    return NULL;
  for (guint i = 0; i < rank; i++)
    if (p->sizes[i] != (i == axis ? 1 : ph_value_dim (l->in[0], (int) i)))
      return NULL;
  indices = ph_convert_cast (l, indices, PH_INT64);
  if (p->vector < index_rank)
    indices = PH_BUILD (l->b, Squeeze, indices, ph_convert_ints_value (l, &p->vector, 1));
  indices = PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, indices, ph_convert_number (l, PH_INT64, 0)),
                      last_index (l, l->in[0], axis));
  /* The permutation from [window before the axis, batch, window after it] to the order of the result. */
  for (guint i = 0, batch = 0, window = 0; i < n_batch + rank - 1; i++)
    if (holds (p->window, i))
      {
        perm[i] = window < axis ? window : window + n_batch;
        window++;
      }
    else
      perm[i] = axis + batch++;
  return ph_convert_transpose (l, PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", axis)), l->in[0], indices),
                               perm, n_batch + rank - 1);
}

static gboolean
gather (PhConvert *l, PhValue **out)
{
  Places p = { .window = list (l, "offset_dims"),
               .dropped = list (l, "collapsed_slice_dims"),
               .operand_batch = list (l, "operand_batching_dims"),
               .index_batch = list (l, "start_indices_batching_dims"),
               .start_map = list (l, "start_index_map") };
  List sizes = list (l, "slice_sizes");
  g_autofree gint64 *computed = NULL;
  gint64 perm[PH_MAX_RANK], shape[PH_MAX_RANK];
  const gint64 flat = -1;
  PhValue *places, *inside, *result;

  if (l->n_in == 3 && g_str_equal (l->op, "dynamic_gather"))
    {
      if (!ph_value_ints (l->in[2], &computed, &sizes.n))
        return ph_convert_stay (l, "the sizes of its slices are not constant");
      sizes.values = computed;
    }
  p.vector = ph_convert_int (l, "index_vector_dim", 0);
  if (sizes.n != ph_convert_rank (l->in[0]) || sizes.n > PH_MAX_RANK)
    return ph_convert_stay (l, "its slices do not fit its operand");
  for (gsize i = 0; i < sizes.n; i++)
    p.sizes[i] = sizes.values[i];
  if ((*out = gather_whole (l, &p)) != NULL)
    return TRUE;
  if (!prepare (l, &p))
    return FALSE;
  places = places_of (l, &p, TRUE, &inside);
  for (guint i = 0; i < p.n_batch + p.n_window; i++)
    shape[i] = i < p.n_batch ? p.batch[i] : p.window_sizes[i - p.n_batch];
  places = ph_convert_expand (l, places, shape, p.n_batch + p.n_window);
  result = PH_BUILD_WITH (l->b, Gather, PH_ATTRS (ph_attr_new_int ("axis", 0)), ph_convert_reshape (l, l->in[0], &flat, 1),
                          places);
  result_order (&p, perm);
  *out = ph_convert_transpose (l, result, perm, p.n_batch + p.n_window);
  return TRUE;
}

/* ── scatter ── */

/* Updates out of bounds are written past the end, into a part that is sliced off. */
static gboolean
scatter (PhConvert *l, PhValue **out)
{
  PhGraph *body = ph_node_graph (l->node, "update_computation");
  const PhOp *combine;
  Places p = { .window = list (l, "update_window_dims"),
               .dropped = list (l, "inserted_window_dims"),
               .operand_batch = list (l, "input_batching_dims"),
               .index_batch = list (l, "scatter_indices_batching_dims"),
               .start_map = list (l, "scatter_dims_to_operand_dims") };
  gint64 update_dims[PH_MAX_RANK], perm[PH_MAX_RANK], order[PH_MAX_RANK], shape[PH_MAX_RANK], total = 1, zero = 0;
  const gint64 flat = -1;
  const char *reduction = NULL;
  PhValue *places, *inside, *updates, *target;
  PhDType dtype = ph_convert_dtype (l->in[0]), work = dtype;

  if (l->n_in != 3 || l->n_out != 1)
    return ph_convert_stay (l, "it scatters into more than one operand");
  if (body == NULL && l->node->graphs != NULL && l->node->graphs->len > 0)
    body = l->node->graphs->pdata[0];
  combine = ph_convert_monoid (body);
  if (body != NULL && body->outputs->len == 1 && body->inputs->len == 2 && body->outputs->pdata[0] == body->inputs->pdata[1])
    reduction = "none";
  else if (combine == &ph_op_Add)
    reduction = "add";
  else if (combine == &ph_op_Mul || combine == &ph_op_And)
    reduction = "mul";
  else if (combine == &ph_op_Max || combine == &ph_op_Or)
    reduction = "max";
  else if (combine == &ph_op_Min)
    reduction = "min";
  if (reduction == NULL)
    return ph_convert_stay (l, "its body is not +, *, max, min or the update itself");
  if (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
    return ph_convert_stay (l, "ONNX cannot scatter complex numbers");
  if (dtype == PH_BOOL && !g_str_equal (reduction, "none"))
    work = PH_INT32;
  p.vector = ph_convert_int (l, "index_vector_dim", 0);
  if (!ph_convert_dims (l, l->in[2], update_dims))
    return FALSE;
  p.rank = ph_convert_rank (l->in[0]);
  for (guint i = 0, k = 0; i < p.rank; i++)
    {
      p.sizes[i] = 1;
      if (!holds (p.dropped, i) && !holds (p.operand_batch, i) && k < p.window.n && p.window.values[k] >= 0
          && p.window.values[k] < ph_convert_rank (l->in[2]))
        p.sizes[i] = update_dims[p.window.values[k++]];
    }
  if (!prepare (l, &p))
    return FALSE;
  for (guint i = 0; i < p.rank; i++)
    total *= p.dims[i];
  places = places_of (l, &p, FALSE, &inside);
  if (inside != NULL)
    places = PH_BUILD (l->b, Where, inside, places, ph_convert_number (l, PH_INT64, (double) total));
  for (guint i = 0; i < p.n_batch + p.n_window; i++)
    shape[i] = i < p.n_batch ? p.batch[i] : p.window_sizes[i - p.n_batch];
  places = ph_convert_expand (l, places, shape, p.n_batch + p.n_window);
  result_order (&p, order);
  for (guint i = 0; i < p.n_batch + p.n_window; i++)
    perm[order[i]] = i;
  updates = ph_convert_transpose (l, ph_convert_cast (l, l->in[2], work), perm, p.n_batch + p.n_window);
  target = ph_convert_reshape (l, ph_convert_cast (l, l->in[0], work), &flat, 1);
  target = PH_BUILD (l->b, Pad, target, ph_convert_ints_value (l, (const gint64[]) { 0, 1 }, 2));
  target = PH_BUILD_WITH (l->b, ScatterElements,
                          PH_ATTRS (ph_attr_new_int ("axis", 0), ph_attr_new_string ("reduction", reduction)), target,
                          ph_convert_reshape (l, places, &flat, 1), ph_convert_reshape (l, updates, &flat, 1));
  target = ph_convert_slice (l, target, &zero, &total, NULL, 1);
  *out = ph_convert_cast (l, ph_convert_reshape (l, target, p.dims, p.rank), dtype);
  return TRUE;
}

/* clang-format off */
const PhConvertRule ph_convert_index[] = {
  { "gather", gather, "Gather, or Gather at computed places of the flat operand", "A start index is clamped so that its slice lies within the operand." },
  { "dynamic_gather", gather, "Gather at computed places of the flat operand", "The sizes of its slices are constant, so it is an ordinary gather." },
  { "scatter", scatter, "ScatterElements at computed places of the flat operand", "An update that lies outside the operand is skipped." },
  { NULL }
};
/* clang-format on */
