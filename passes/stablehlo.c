/* stablehlo.c: helpers for rules that write ONNX's operators in StableHLO's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/stablehlo.h"

PhValue *
ph_stable_in (PhConvert *l, guint i)
{
  return ph_node_input (l->node, i);
}

static guint
dims_of (const PhType *type, gint64 *dims)
{
  for (guint i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  return type->rank;
}

guint
ph_stable_dims (const PhValue *value, gint64 *dims)
{
  return dims_of (value->type, dims);
}

guint
ph_stable_out_dims (PhConvert *l, guint i, gint64 *dims)
{
  return dims_of (ph_node_output (l->node, i)->type, dims);
}

/* ── nodes ── */

static PhNode *
add_node (PhConvert *l, const char *op, const PhType *type, PhValue *const *in, guint n, PhAttr **attrs)
{
  PhNode *node = NULL;
  gboolean ok = l->b->error == NULL;
  guint n_attrs = 0;

  while (attrs != NULL && attrs[n_attrs] != NULL)
    n_attrs++;
  for (guint i = 0; i < n; i++)
    ok = ok && in[i] != NULL;
  if (ok)
    node = ph_graph_add_node (l->b->graph,
                              &(PhNodeSpec) { .op_type = op,
                                              .domain = g_str_equal (op, "erf") ? "chlo" : "stablehlo",
                                              .inputs = (PhValue **) in,
                                              .n_inputs = n,
                                              .n_outputs = 1,
                                              .output_types = &type,
                                              .attrs = attrs,
                                              .n_attrs = n_attrs,
                                              .before = l->b->before,
                                              .output_names = &l->b->name,
                                              .role = l->b->role,
                                              .partner = l->b->partner,
                                              .device = l->b->device },
                              &l->b->error);
  for (guint i = 0; i < n_attrs; i++)
    ph_attr_unref (attrs[i]);
  return node;
}

PhValue *
ph_stable_node (PhConvert *l, const char *op, const PhType *type, PhValue *const *in, guint n, PhAttr **attrs)
{
  PhNode *node = add_node (l, op, type, in, n, attrs);

  return node != NULL ? ph_node_output (node, 0) : NULL;
}

PhValue *
ph_stable_unary (PhConvert *l, const char *op, PhValue *x)
{
  return x != NULL ? ph_stable_node (l, op, x->type, &x, 1, NULL) : NULL;
}

PhValue *
ph_stable_binary (PhConvert *l, const char *op, PhValue *a, PhValue *b)
{
  return a != NULL ? ph_stable_node (l, op, a->type, PH_VALUES_ (a, b), 2, NULL) : NULL;
}

PhValue *
ph_stable_compare (PhConvert *l, const char *direction, PhValue *a, PhValue *b)
{
  return a != NULL ? ph_stable_node (l, "compare", ph_type_with_dtype (a->type, PH_BOOL), PH_VALUES_ (a, b), 2,
                                     PH_ATTRS (ph_attr_new_string ("comparison_direction", direction)))
                   : NULL;
}

PhValue *
ph_stable_select (PhConvert *l, PhValue *condition, PhValue *a, PhValue *b)
{
  return a != NULL ? ph_stable_node (l, "select", a->type, PH_VALUES_ (condition, a, b), 3, NULL) : NULL;
}

PhValue *
ph_stable_convert (PhConvert *l, PhValue *x, PhDType dtype)
{
  return x == NULL || x->type->dtype == dtype ? x
                                              : ph_stable_node (l, "convert", ph_type_with_dtype (x->type, dtype), &x, 1, NULL);
}

static gboolean
has_dims (const PhValue *x, const gint64 *dims, guint rank)
{
  gboolean same = x->type->rank == rank;

  for (guint i = 0; same && i < rank; i++)
    same = x->type->dims[i].size == dims[i];
  return same;
}

PhValue *
ph_stable_reshape (PhConvert *l, PhValue *x, const gint64 *dims, guint rank)
{
  return x == NULL || has_dims (x, dims, rank)
             ? x
             : ph_stable_node (l, "reshape", ph_type_static (x->type->dtype, rank, dims), &x, 1, NULL);
}

PhValue *
ph_stable_transpose (PhConvert *l, PhValue *x, const gint64 *perm)
{
  gint64 dims[PH_MAX_RANK];
  gboolean same = TRUE;

  if (x == NULL)
    return NULL;
  for (guint i = 0; i < x->type->rank; i++)
    {
      dims[i] = x->type->dims[perm[i]].size;
      same = same && perm[i] == (gint64) i;
    }
  return same ? x
              : ph_stable_node (l, "transpose", ph_type_static (x->type->dtype, x->type->rank, dims), &x, 1,
                                PH_ATTRS (ph_attr_new_ints ("permutation", perm, x->type->rank)));
}

PhValue *
ph_stable_spread (PhConvert *l, PhValue *x, const gint64 *dims, guint rank, const gint64 *map)
{
  return x == NULL || has_dims (x, dims, rank)
             ? x
             : ph_stable_node (l, "broadcast_in_dim", ph_type_static (x->type->dtype, rank, dims), &x, 1,
                               PH_ATTRS (ph_attr_new_ints ("broadcast_dimensions", map, x->type->rank)));
}

PhValue *
ph_stable_expand (PhConvert *l, PhValue *x, const gint64 *dims, guint rank)
{
  gint64 map[PH_MAX_RANK];

  if (x == NULL || x->type->rank > rank)
    return x;
  for (guint i = 0; i < x->type->rank; i++)
    map[i] = (gint64) i + rank - x->type->rank;
  return ph_stable_spread (l, x, dims, rank, map);
}

PhValue *
ph_stable_fill (PhConvert *l, PhDType dtype, double number, const gint64 *dims, guint rank)
{
  return ph_stable_expand (l, ph_build_scalar (l->b, dtype, number), dims, rank);
}

PhValue *
ph_stable_like (PhConvert *l, PhValue *x, double number)
{
  gint64 dims[PH_MAX_RANK];
  guint rank = x != NULL ? ph_stable_dims (x, dims) : 0;

  return x != NULL ? ph_stable_fill (l, x->type->dtype, number, dims, rank) : NULL;
}

PhValue *
ph_stable_iota (PhConvert *l, PhDType dtype, guint axis, const gint64 *dims, guint rank)
{
  return ph_stable_node (l, "iota", ph_type_static (dtype, rank, dims), NULL, 0,
                         PH_ATTRS (ph_attr_new_int ("iota_dimension", axis)));
}

/* Adds the body of a reduction: one operator on two scalars. */
static PhValue *
with_reducer (PhConvert *l, PhNode *node, const char *op, PhDType dtype)
{
  PhGraph *body = node != NULL ? ph_node_add_graph (node, "reducer", "reducer", &l->b->error) : NULL;
  const PhType *type = ph_type_static (dtype, 0, NULL);
  PhValue *both[2] = { NULL };
  PhNode *made;

  for (guint i = 0; body != NULL && i < 2; i++)
    both[i] = ph_graph_add_input (body, ph_graph_unique_name (body, i == 0 ? "left" : "right"), type, NULL, G_MAXUINT,
                                  &l->b->error);
  if (both[1] == NULL)
    return NULL;
  made = ph_graph_add_node (
      body,
      &(PhNodeSpec) {
          .op_type = op, .domain = "stablehlo", .inputs = both, .n_inputs = 2, .n_outputs = 1, .output_types = &type },
      &l->b->error);
  if (made == NULL || !ph_graph_set_output (body, 0, ph_node_output (made, 0), &l->b->error))
    return NULL;
  return ph_node_output (node, 0);
}

PhValue *
ph_stable_reduce (PhConvert *l, const char *op, PhValue *x, double start, const gint64 *axes, guint n)
{
  gint64 dims[PH_MAX_RANK];
  guint rank = 0;
  PhValue *init;

  if (x == NULL || n == 0)
    return x;
  for (guint i = 0; i < x->type->rank; i++)
    {
      gboolean gone = FALSE;

      for (guint k = 0; k < n; k++)
        gone = gone || axes[k] == (gint64) i;
      if (!gone)
        dims[rank++] = x->type->dims[i].size;
    }
  init = ph_build_scalar (l->b, x->type->dtype, start);
  return with_reducer (l,
                       add_node (l, "reduce", ph_type_static (x->type->dtype, rank, dims), PH_VALUES_ (x, init), 2,
                                 PH_ATTRS (ph_attr_new_ints ("dimensions", axes, n))),
                       op, x->type->dtype);
}

PhValue *
ph_stable_windows (PhConvert *l, const char *op, PhValue *x, double start, const gint64 *size, const gint64 *stride,
                   const gint64 *dilation, const gint64 *pads, const gint64 *dims)
{
  const guint rank = x != NULL ? x->type->rank : 0;
  PhValue *init = x != NULL ? ph_build_scalar (l->b, x->type->dtype, start) : NULL;

  if (x == NULL)
    return NULL;
  return with_reducer (
      l,
      add_node (l, "reduce_window", ph_type_static (x->type->dtype, rank, dims), PH_VALUES_ (x, init), 2,
                PH_ATTRS (ph_attr_new_ints ("window_dimensions", size, rank), ph_attr_new_ints ("window_strides", stride, rank),
                          ph_attr_new_ints ("window_dilations", dilation, rank), ph_attr_new_ints ("padding", pads, 2 * rank))),
      op, x->type->dtype);
}

PhValue *
ph_stable_slice (PhConvert *l, PhValue *x, const gint64 *from, const gint64 *to, const gint64 *by)
{
  gint64 dims[PH_MAX_RANK];
  gboolean same = TRUE;

  if (x == NULL)
    return NULL;
  for (guint i = 0; i < x->type->rank; i++)
    {
      dims[i] = to[i] > from[i] ? (to[i] - from[i] + by[i] - 1) / by[i] : 0;
      same = same && dims[i] == x->type->dims[i].size;
    }
  return same ? x
              : ph_stable_node (l, "slice", ph_type_static (x->type->dtype, x->type->rank, dims), &x, 1,
                                PH_ATTRS (ph_attr_new_ints ("start_indices", from, x->type->rank),
                                          ph_attr_new_ints ("limit_indices", to, x->type->rank),
                                          ph_attr_new_ints ("strides", by, x->type->rank)));
}

PhValue *
ph_stable_pad (PhConvert *l, PhValue *x, PhValue *number, const gint64 *low, const gint64 *high)
{
  gint64 dims[PH_MAX_RANK], none[PH_MAX_RANK] = { 0 };

  if (x == NULL)
    return NULL;
  for (guint i = 0; i < x->type->rank; i++)
    dims[i] = x->type->dims[i].size + low[i] + high[i];
  return ph_stable_node (l, "pad", ph_type_static (x->type->dtype, x->type->rank, dims), PH_VALUES_ (x, number), 2,
                         PH_ATTRS (ph_attr_new_ints ("edge_padding_low", low, x->type->rank),
                                   ph_attr_new_ints ("edge_padding_high", high, x->type->rank),
                                   ph_attr_new_ints ("interior_padding", none, x->type->rank)));
}
