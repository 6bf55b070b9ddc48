/* convert-ragged.c: products of matrices, group by group: the groups are stretches of an axis, and the last operand has their lengths.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

typedef struct
{
  const gint64 *lb, *rb, *lc, *rc;
  gsize n_lb, n_rb, n_lc, n_rc;
} Product;

/* Returns how many axes of an operand before @axis are neither batch nor contracting. */
static guint
n_free (const gint64 *batch, gsize n_batch, const gint64 *contracting, gsize n_contracting, guint axis)
{
  guint n = 0;

  for (guint i = 0; i < axis; i++)
    n += !ph_convert_has_axis (batch, n_batch, i) && !ph_convert_has_axis (contracting, n_contracting, i);
  return n;
}

/* Builds where a place along axis @along, of @count, belongs to a group of axis @groups, in a tensor of @rank axes. The lengths have one axis,
 * or others before it, which are the axes @outer there. */
static PhValue *
members (PhConvert *l, guint rank, guint along, gint64 count, guint groups, const gint64 *outer, guint n_outer)
{
  gint64 sizes[PH_MAX_RANK], dims[PH_MAX_RANK], perm[PH_MAX_RANK];
  const guint n = ph_convert_rank (l->in[2]);
  PhValue *lengths = ph_convert_cast (l, l->in[2], PH_INT64), *bounds[2], *places = ph_convert_iota (l, count, along, rank);
  guint k = 0;

  if (!ph_convert_dims (l, l->in[2], sizes))
    return NULL;
  if (n == 0 || (n > 1 && n - 1 != n_outer) || rank > PH_MAX_RANK)
    {
      ph_convert_stay (l, "the lengths of its groups do not fit its operands");
      return NULL;
    }
  /* The axes of the lengths in the order in which they stand there. */
  for (guint axis = 0; axis < rank; axis++)
    {
      dims[axis] = 1;
      if (axis == groups)
        perm[k++] = n - 1;
      for (guint i = 0; n > 1 && i < n_outer; i++)
        if (outer[i] == axis)
          perm[k++] = i;
      if (k > 0 && (axis == groups || (n > 1 && ph_convert_has_axis (outer, n_outer, axis))))
        dims[axis] = sizes[perm[k - 1]];
    }
  bounds[1] = PH_BUILD (l->b, CumSum, lengths, ph_convert_number (l, PH_INT64, n - 1));
  bounds[0] = PH_BUILD (l->b, Sub, bounds[1], lengths);
  for (guint i = 0; i < 2; i++)
    bounds[i] = ph_convert_reshape (l, ph_convert_transpose (l, bounds[i], perm, n), dims, rank);
  return PH_BUILD (l->b, And, PH_BUILD (l->b, LessOrEqual, bounds[0], places), PH_BUILD (l->b, Less, places, bounds[1]));
}

/* The groups are of rows: all are multiplied with the matrix of each group, and those of the group are taken. */
static gboolean
of_rows (PhConvert *l, const Product *p, gint64 ragged, gint64 group, PhValue **out)
{
  gint64 dims[PH_MAX_RANK], outer[PH_MAX_RANK];
  const guint free = n_free (p->lb, p->n_lb, p->lc, p->n_lc, ph_convert_rank (l->in[0]));
  const guint along = (guint) p->n_lb + n_free (p->lb, p->n_lb, p->lc, p->n_lc, (guint) ragged);
  const guint groups = (guint) p->n_lb + free + n_free (p->rb, p->n_rb, p->rc, p->n_rc, (guint) group);
  PhValue *all = NULL, *mask;

  if (!ph_convert_product (l, p->lb, p->rb, p->n_lb, p->lc, p->rc, p->n_lc, &all) || all == NULL
      || !ph_convert_dims (l, l->in[0], dims))
    return FALSE;
  for (guint i = 0; i < along; i++)
    outer[i] = i;
  mask = members (l, ph_convert_rank (all), along, dims[ragged], groups, outer, along);
  if (mask == NULL)
    return FALSE;
  *out = PH_BUILD_WITH (l->b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)),
                        PH_BUILD (l->b, Where, mask, all, ph_convert_like (l, all, 0)),
                        ph_convert_ints_value (l, (gint64[]) { groups }, 1));
  return *out != NULL;
}

/* The groups are of what is summed: the left operand has zeros outside each group. */
static gboolean
of_sums (PhConvert *l, const Product *p, gint64 ragged, PhValue **out)
{
  gint64 dims[PH_MAX_RANK], outer[PH_MAX_RANK], lb[PH_MAX_RANK], lc[PH_MAX_RANK], perm[PH_MAX_RANK];
  PhValue **given = l->in, *mask, *in[2], *all = NULL;
  const guint rank = ph_convert_rank (l->in[0]);
  guint n = 0;
  gboolean ok;

  if (!ph_convert_dims (l, l->in[0], dims) || rank + 1 > PH_MAX_RANK)
    return FALSE;
  for (gsize i = 0; i < p->n_lb; i++)
    outer[n++] = 1 + (lb[i] = p->lb[i]);
  for (gsize i = 0; i < p->n_lc && p->lc[i] != ragged; i++)
    outer[n++] = 1 + p->lc[i];
  mask = members (l, rank + 1, 1 + (guint) ragged, dims[ragged], 0, outer, n);
  if (mask == NULL)
    return FALSE;
  for (gsize i = 0; i < p->n_lb; i++)
    lb[i] = p->lb[i] + 1;
  for (gsize i = 0; i < p->n_lc; i++)
    lc[i] = p->lc[i] + 1;
  in[0] = PH_BUILD (l->b, Where, mask, PH_BUILD (l->b, Unsqueeze, l->in[0], ph_convert_ints_value (l, (gint64[]) { 0 }, 1)),
                    ph_convert_like (l, l->in[0], 0));
  in[1] = given[1];
  l->in = in;
  ok = in[0] != NULL && ph_convert_product (l, lb, p->rb, p->n_lb, lc, p->rc, p->n_lc, &all) && all != NULL;
  l->in = given;
  if (!ok)
    return FALSE;
  /* The groups are the first free axis, behind the batch; they go before it. */
  for (guint i = 0; i < ph_convert_rank (all); i++)
    perm[i] = i == 0 ? (gint64) p->n_lb : i <= p->n_lb ? i - 1 : i;
  *out = ph_convert_transpose (l, all, perm, ph_convert_rank (all));
  return *out != NULL;
}

gboolean
ph_convert_ragged_dot (PhConvert *l, PhValue **out)
{
  Product p;
  gsize n, n_group;
  const gint64 *ragged, *group;

  p.lb = ph_convert_ints (l, "lhs_batching_dimensions", &p.n_lb);
  p.rb = ph_convert_ints (l, "rhs_batching_dimensions", &p.n_rb);
  p.lc = ph_convert_ints (l, "lhs_contracting_dimensions", &p.n_lc);
  p.rc = ph_convert_ints (l, "rhs_contracting_dimensions", &p.n_rc);
  ragged = ph_convert_ints (l, "lhs_ragged_dimensions", &n);
  group = ph_convert_ints (l, "rhs_group_dimensions", &n_group);
  if (l->n_in != 3 || n != 1 || p.n_lb != p.n_rb || p.n_lc != p.n_rc || ragged[0] < 0 || ragged[0] >= ph_convert_rank (l->in[0])
      || !ph_convert_are_axes (p.lb, p.n_lb, p.lc, p.n_lc, ph_convert_rank (l->in[0]))
      || !ph_convert_are_axes (p.rb, p.n_rb, p.rc, p.n_rc, ph_convert_rank (l->in[1])))
    return ph_convert_stay (l, "its dimension numbers do not fit its operands");
  if (ph_convert_has_axis (p.lb, p.n_lb, ragged[0]))
    return ph_convert_product (l, p.lb, p.rb, p.n_lb, p.lc, p.rc, p.n_lc, out);
  if (ph_convert_has_axis (p.lc, p.n_lc, ragged[0]))
    return of_sums (l, &p, ragged[0], out);
  if (n_group != 1 || group[0] < 0 || group[0] >= ph_convert_rank (l->in[1]) || ph_convert_has_axis (p.rb, p.n_rb, group[0])
      || ph_convert_has_axis (p.rc, p.n_rc, group[0]))
    return ph_convert_stay (l, "its dimension numbers do not fit its operands");
  return of_rows (l, &p, ragged[0], group[0], out);
}
