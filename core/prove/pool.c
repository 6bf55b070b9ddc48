/* pool.c: numbers that decide something in a pair of models: those that they compare with, and what lies beside them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/pool.h"

#include "core/ops/op-list.h"

#include <float.h>
#include <math.h>

static void
add_number (PhPool *pool, double value)
{
  const double magnitude = fabs (value);
  GArray *numbers = magnitude > 1e6 || (magnitude > 0 && magnitude < 1e-30) ? pool->extreme : pool->numbers;

  for (guint i = 0; i < numbers->len; i++)
    {
      const double known = g_array_index (numbers, double, i);

      if (known == value && !signbit (known) == !signbit (value))
        return;
    }
  if (numbers->len < 400)
    g_array_append_val (numbers, value);
}

/* So far from where something jumps. */
#define BESIDE 1e-4
/* Numbers at which something may jump; each is fed alone. */
#define MAX_POINTS 60

static void
add_point (PhPool *pool, double value)
{
  for (guint i = 0; i < pool->points->len; i++)
    if (g_array_index (pool->points, double, i) == value)
      return;
  if (pool->points->len < MAX_POINTS)
    g_array_append_val (pool->points, value);
}

/* A value that something may be compared with, and what lies just beside it. */
static void
add_threshold (PhPool *pool, double value)
{
  const float narrow = (float) value;

  if (!isfinite (value))
    return;
  add_number (pool, value);
  add_number (pool, nextafterf (narrow, INFINITY));
  add_number (pool, nextafterf (narrow, -INFINITY));
  add_number (pool, value * (1 + 5e-5));
  add_number (pool, value * (1 - 5e-5));
  add_number (pool, -value);
  add_number (pool, 2 * value);
  add_number (pool, 1.5 * value);
  add_number (pool, 1.01 * value);
  add_number (pool, value + 1);
  add_number (pool, value - 1);
  /* Rounding to multiples of it has its ties there. */
  add_point (pool, value);
  add_point (pool, 0.5 * value);
  add_point (pool, 2.5 * value);
  add_point (pool, 0.5 * value * (1 + BESIDE));
  add_point (pool, 0.5 * value * (1 - BESIDE));
}

static void
add_integer (PhPool *pool, gint64 value)
{
  for (guint i = 0; i < pool->integers->len; i++)
    if (g_array_index (pool->integers, gint64, i) == value)
      return;
  if (pool->integers->len < 200)
    g_array_append_val (pool->integers, value);
}

#define MAX_POOLED 16

static void
add_tensor (PhPool *pool, PhTensor *tensor)
{
  gsize n;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING
      || ph_tensor_dtype (tensor) == PH_COMPLEX64 || ph_tensor_dtype (tensor) == PH_COMPLEX128)
    return;
  n = ph_tensor_is_splat (tensor) ? MIN (ph_tensor_count (tensor), 1) : ph_tensor_count (tensor);
  if (ph_dtype_is_integer (ph_tensor_dtype (tensor)))
    for (gsize i = 0; i < MIN (n, MAX_POOLED); i++)
      {
        const gint64 value = ph_tensor_get_int (tensor, i);

        for (gint64 near = -1; near <= 1; near++)
          add_integer (pool, (gint64) ((guint64) value + (guint64) near));
        if (value > 0 && value < 64)
          pool->size = MAX (pool->size, value + 1);
      }
  if (n <= MAX_POOLED)
    for (gsize i = 0; i < n; i++)
      add_threshold (pool, ph_tensor_get (tensor, i));
}

static void
add_attr (PhPool *pool, const PhAttr *attr)
{
  if (attr->kind == PH_ATTR_FLOAT)
    add_threshold (pool, attr->f);
  else if (attr->kind == PH_ATTR_FLOATS)
    for (gsize i = 0; i < MIN (attr->n, MAX_POOLED); i++)
      add_threshold (pool, attr->floats[i]);
  else if (attr->kind == PH_ATTR_TENSOR)
    add_tensor (pool, attr->tensor);
  else if (attr->kind == PH_ATTR_INTS)
    for (gsize i = 0; i < MIN (attr->n, MAX_POOLED); i++)
      add_integer (pool, attr->ints[i]);
}

/* What a narrower type only just holds, and what it does not; what lies beside whole numbers. */
static void
add_ends (PhPool *pool, const PhNode *node)
{
  static const struct
  {
    PhDType dtype;
    double largest, least;
  } ends[] = {
    { PH_FLOAT16, 65504, 0x1p-24 },      { PH_BFLOAT16, 0x1.fep127, 0x1p-133 }, { PH_FLOAT8E4M3FN, 448, 0x1p-9 },
    { PH_FLOAT8E4M3FNUZ, 240, 0x1p-10 }, { PH_FLOAT8E5M2, 57344, 0x1p-16 },     { PH_FLOAT8E5M2FNUZ, 57344, 0x1p-17 },
  };
  static const double whole[] = { 1, 2, -1, 0.5, 1.5, -0.5, 3 };
  const PhDType to = node->op == &ph_op_Cast ? (PhDType) ph_node_attr_int (node, "to", PH_FLOAT) : PH_FLOAT;

  if (node->op == &ph_op_Floor || node->op == &ph_op_Ceil || node->op == &ph_op_Round
      || (node->op == &ph_op_Cast && ph_dtype_is_integer (to)))
    for (guint i = 0; i < G_N_ELEMENTS (whole); i++)
      {
        add_point (pool, whole[i] + BESIDE);
        add_point (pool, whole[i] - BESIDE);
      }
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (to == ends[i].dtype)
      {
        add_point (pool, ends[i].largest);
        add_point (pool, 1.5 * ends[i].largest);
        add_point (pool, ends[i].least);
        add_point (pool, 0.25 * ends[i].least);
      }
}

static void
add_graph (PhPool *pool, PhGraph *graph)
{
  for (guint i = 0; i < graph->constants->len; i++)
    add_tensor (pool, ((PhValue *) graph->constants->pdata[i])->tensor);
  PH_FOREACH_NODE (node, graph)
    {
      add_ends (pool, node);
      for (guint i = 0; i < node->attrs->len; i++)
        add_attr (pool, node->attrs->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        add_graph (pool, node->graphs->pdata[i]);
    }
}

PhPool *
ph_pool_new (const PhPair *pair)
{
  static const double always[] = { 0.0,     -0.0,     1,      -1,    0.5,    -0.5,    -2,   2,     3,    -3,
                                   6,       1e-45,    -1e-45, 1e-40, -1e-40, FLT_MIN, 1e-8, -1e-8, 1e30, -1e30,
                                   FLT_MAX, -FLT_MAX, 80,     -80,   90,     -90,     100,  -100,  1000, -1000 };
  PhPool *pool = g_new0 (PhPool, 1);

  pool->size = 5;
  pool->numbers = g_array_new (FALSE, FALSE, sizeof (double));
  pool->points = g_array_new (FALSE, FALSE, sizeof (double));
  pool->extreme = g_array_new (FALSE, FALSE, sizeof (double));
  pool->integers = g_array_new (FALSE, FALSE, sizeof (gint64));
  add_graph (pool, pair->before->graph);
  add_graph (pool, pair->after->graph);
  for (guint i = 0; i < G_N_ELEMENTS (always); i++)
    add_number (pool, always[i]);
  return pool;
}

void
ph_pool_free (PhPool *pool)
{
  g_array_unref (pool->numbers);
  g_array_unref (pool->points);
  g_array_unref (pool->extreme);
  g_array_unref (pool->integers);
  g_free (pool);
}
