/* broadcast.c: walking tensors by strides; numpy's broadcasting.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/tensor/broadcast.h"

gboolean
ph_broadcast_dims (guint a_rank, const gint64 *a, guint b_rank, const gint64 *b, guint *rank, gint64 *dims)
{
  const guint n = MAX (a_rank, b_rank);

  for (guint i = 0; i < n; i++)
    {
      const gint64 x = i + a_rank < n ? 1 : a[i + a_rank - n];
      const gint64 y = i + b_rank < n ? 1 : b[i + b_rank - n];

      if (x != y && x != 1 && y != 1)
        return FALSE;
      dims[i] = x == 1 ? y : x;
    }
  *rank = n;
  return TRUE;
}

gboolean
ph_broadcasts_into (guint rank, const gint64 *dims, guint into_rank, const gint64 *into)
{
  if (rank > into_rank)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (dims[i] != 1 && dims[i] != into[i + into_rank - rank])
      return FALSE;
  return TRUE;
}

void
ph_strides (guint rank, const gint64 *dims, gint64 *strides)
{
  gint64 stride = 1;

  for (guint i = rank; i-- > 0;)
    {
      strides[i] = stride;
      stride *= dims[i];
    }
}

void
ph_walk_init (PhWalk *walk, guint rank, const gint64 *dims)
{
  g_return_if_fail (rank <= PH_MAX_RANK);

  walk->rank = rank;
  walk->n = 0;
  walk->index = 0;
  walk->count = 1;
  for (guint i = 0; i < rank; i++)
    {
      walk->dims[i] = dims[i];
      walk->at[i] = 0;
      walk->count *= dims[i];
    }
}

void
ph_walk_add (PhWalk *walk, guint rank, const gint64 *dims)
{
  gint64 strides[PH_MAX_RANK], own[PH_MAX_RANK];

  g_return_if_fail (rank <= walk->rank);

  ph_strides (rank, dims, own);
  for (guint i = 0; i < walk->rank; i++)
    {
      const guint j = i + rank - walk->rank; /* meaningful only where the operand has the axis */
      const gboolean has = i + rank >= walk->rank;

      strides[i] = has && dims[j] != 1 ? own[j] : 0;
    }
  ph_walk_add_strided (walk, strides);
}

void
ph_walk_add_strided (PhWalk *walk, const gint64 *strides)
{
  g_return_if_fail (walk->n < PH_WALK_MAX);

  for (guint i = 0; i < walk->rank; i++)
    walk->stride[walk->n][i] = strides[i];
  walk->offset[walk->n++] = 0;
}

gboolean
ph_walk_next (PhWalk *walk)
{
  if (++walk->index >= walk->count)
    return FALSE;
  for (guint i = walk->rank; i-- > 0;)
    {
      if (++walk->at[i] < walk->dims[i])
        {
          for (guint k = 0; k < walk->n; k++)
            walk->offset[k] += walk->stride[k][i];
          return TRUE;
        }
      walk->at[i] = 0;
      for (guint k = 0; k < walk->n; k++)
        walk->offset[k] -= walk->stride[k][i] * (walk->dims[i] - 1);
    }
  return FALSE;
}
