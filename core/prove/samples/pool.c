/* pool.c: collects the critical numbers of a pair of models: those they compare with, and their neighbours.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/samples/pool.h"

#include "core/ops/facts.h"
#include "core/ops/op-list.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void
add_number (PhPool *pool, double value)
{
  const double magnitude = fabs (value);
  GArray *numbers = magnitude > 1e6 || (magnitude > 0 && magnitude < 1e-30) ? pool->extreme : pool->numbers;
  const guint64 *known = (const guint64 *) (gconstpointer) numbers->data;
  gboolean is_known = FALSE;
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  for (guint i = 0; i < numbers->len; i++) /* without an early exit the compiler compares several at once */
    is_known |= known[i] == bits;
  if (!is_known && numbers->len < 400)
    g_array_append_val (numbers, value);
}

/* The distance from a jump. */
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

#define MAX_PLAIN 7

/* Adds a value used in comparisons, with its neighbours. */
static void
add_threshold (PhPool *pool, double value)
{
  const float narrow = (float) value;
  gboolean is_new = pool->plain->len < MAX_PLAIN;

  if (!isfinite (value))
    return;
  for (guint i = 0; i < pool->plain->len; i++)
    is_new = is_new && g_array_index (pool->plain, double, i) != value;
  if (is_new)
    g_array_append_val (pool->plain, value);
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
  /* Rounding to multiples of it has ties there. */
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

/* Made-up integers cover the values below FAR anyway; those from FARTHER on mean "to the end". */
#define FAR     64
#define FARTHER ((gint64) 1 << 20)
#define MAX_FAR 16

/* The most compared lengths that are tried one by one. */
#define MAX_LENGTHS 12

static void
add_length (PhPool *pool, gint64 value)
{
  for (guint i = 0; i < pool->lengths->len; i++)
    if (g_array_index (pool->lengths, gint64, i) == value)
      return;
  if (value > 0 && value < FARTHER && pool->lengths->len < MAX_LENGTHS)
    g_array_append_val (pool->lengths, value);
}

/* Adds an index into an axis, or its length: some trial has a dimension that goes a few elements beyond it. */
static void
add_bound (PhPool *pool, gint64 value)
{
  add_length (pool, value);
  if (value > 0 && value < FAR)
    pool->size = MAX (pool->size, value + MIN (value, 3));
  if (value < FAR || value >= FARTHER)
    return;
  for (guint i = 0; i < pool->far->len; i++)
    if (g_array_index (pool->far, gint64, i) == value)
      return;
  if (pool->far->len < MAX_FAR)
    g_array_append_val (pool->far, value);
}

#define MAX_POOLED 16

#define MAX_STRINGS 40

static void
add_string (PhPool *pool, const char *string)
{
  if (string == NULL || pool->strings->len >= MAX_STRINGS
      || g_ptr_array_find_with_equal_func (pool->strings, string, g_str_equal, NULL))
    return;
  g_ptr_array_add (pool->strings, g_strdup (string));
}

static void
add_tensor (PhPool *pool, PhTensor *tensor)
{
  gsize n;

  for (gsize i = 0; tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_STRING
                    && i < MIN (ph_tensor_count (tensor), MAX_POOLED);
       i++)
    add_string (pool, ph_tensor_get_string (tensor, i));
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
  else if (attr->kind == PH_ATTR_STRINGS)
    for (gsize i = 0; i < MIN (attr->n, MAX_POOLED); i++)
      {
        g_autofree char *string = ph_attr_dup_string (attr, i);

        add_string (pool, string);
      }
  else if (attr->kind == PH_ATTR_INTS)
    for (gsize i = 0; i < MIN (attr->n, MAX_POOLED); i++)
      add_integer (pool, attr->ints[i]);
}

/* Adds values near the limits of a narrower type, and near whole numbers. */
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
  static const double halves[] = { 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5 }; /* of the eight numbers of float4e2m1 */
  const PhDType to = node->op == &ph_op_Cast ? (PhDType) ph_node_attr_int (node, "to", PH_FLOAT) : PH_FLOAT;

  if (node->op == &ph_op_Floor || node->op == &ph_op_Ceil || node->op == &ph_op_Round
      || (node->op == &ph_op_Cast && ph_dtype_is_integer (to)))
    for (guint i = 0; i < G_N_ELEMENTS (whole); i++)
      {
        add_point (pool, whole[i] + BESIDE);
        add_point (pool, whole[i] - BESIDE);
      }
  if (to == PH_FLOAT4E2M1)
    for (guint i = 0; i < G_N_ELEMENTS (halves); i++)
      add_point (pool, halves[i]);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    if (to == ends[i].dtype)
      {
        add_point (pool, ends[i].largest);
        add_point (pool, 1.5 * ends[i].largest);
        add_point (pool, ends[i].least);
        add_point (pool, 0.25 * ends[i].least);
      }
}

static gboolean
has_any (PhGraph *graph, const PhOp *const *ops)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (ph_op_is_any (node->op, ops))
        return TRUE;
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (has_any (node->graphs->pdata[i], ops))
          return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if places are numbers in the graph: those that they are compared with may be floats. */
static gboolean
counts_places (PhGraph *graph)
{
  static const PhOp *const counting[] = { &ph_op_Shape,   &ph_op_Size, &ph_op_Range, &ph_op_CumSum, &ph_op_NonZero,
                                          &ph_op_EyeLike, &ph_op_Loop, &ph_op_Scan,  NULL };

  return has_any (graph, counting);
}

/* Returns TRUE if an integer is made of @dtype, a float of few digits: a count, perhaps, of the elements of an axis. */
static gboolean
counts_in (PhGraph *graph, PhDType dtype)
{
  PH_FOREACH_NODE (node, graph)
    {
      const PhValue *from = ph_node_input (node, 0);

      if (node->op == &ph_op_Cast && ph_dtype_is_integer ((PhDType) ph_node_attr_int (node, "to", PH_FLOAT)) && from != NULL
          && from->type != NULL && from->type->kind == PH_KIND_TENSOR && from->type->dtype == dtype)
        return TRUE;
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        if (counts_in (node->graphs->pdata[i], dtype))
          return TRUE;
    }
  return FALSE;
}

/* Adds lengths of an axis that a float of few digits cannot count. It may still hold the number that is counted by chance, so there are
 * several lengths. */
static void
add_counts (PhPool *pool, const PhPair *pair)
{
  static const struct
  {
    PhDType dtype;
    gint64 most;
  } counting[] = { { PH_FLOAT16, 1 << 11 }, { PH_BFLOAT16, 1 << 8 } };
  static const gint64 times[] = { 3, 7, 13 };

  for (guint i = 0; i < G_N_ELEMENTS (counting); i++)
    if (counts_in (pair->before->graph, counting[i].dtype) || counts_in (pair->after->graph, counting[i].dtype))
      {
        pool->counts_in_floats = TRUE;
        for (guint k = 0; k < G_N_ELEMENTS (times); k++)
          add_bound (pool, times[k] * counting[i].most);
      }
}

/* Returns TRUE if the graph makes a decision or takes a remainder. */
static gboolean
decides (PhGraph *graph)
{
  static const PhOp *const deciding[] = { &ph_op_Equal,   &ph_op_Less,           &ph_op_LessOrEqual,
                                          &ph_op_Greater, &ph_op_GreaterOrEqual, &ph_op_Mod,
                                          &ph_op_If,      &ph_op_Where,          NULL };

  return has_any (graph, deciding);
}

/* Returns TRUE for the input that gives the shape of the result. */
static gboolean
is_target (const PhNode *node, guint input)
{
  return input == 1 && (node->op == &ph_op_Reshape || node->op == &ph_op_Expand);
}

/* Adds constants that @node uses as indices into an axis, or as its length. */
static void
add_bounds_of (PhPool *pool, const PhNode *node, gboolean counts)
{
  static const PhOp *const taking[] = { &ph_op_Slice, &ph_op_Gather, &ph_op_GatherElements, &ph_op_GatherND,
                                        &ph_op_Split, &ph_op_Pad,    &ph_op_Trilu,          NULL };

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = ph_node_input (node, i);
      PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;

      if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR)
        continue;
      for (guint k = 0; i == 0 && k < ph_tensor_rank (tensor) && ph_op_is_any (node->op, taking); k++)
        add_bound (pool, ph_tensor_dims (tensor)[k]);
      if (is_target (node, i))
        continue;
      for (gsize k = 0; ph_dtype_is_integer (ph_tensor_dtype (tensor)) && k < MIN (ph_tensor_count (tensor), MAX_POOLED); k++)
        add_bound (pool, ABS (ph_tensor_get_int (tensor, k)));
      if (counts && (ph_tensor_dtype (tensor) == PH_FLOAT || ph_tensor_dtype (tensor) == PH_DOUBLE)
          && ph_tensor_count (tensor) == 1 && fabs (ph_tensor_get (tensor, 0)) < (double) FARTHER)
        add_bound (pool, (gint64) fabs (ph_tensor_get (tensor, 0)));
    }
}

static void
add_graph (PhPool *pool, PhGraph *graph, gboolean counts)
{
  for (guint i = 0; i < graph->constants->len; i++)
    add_tensor (pool, ((PhValue *) graph->constants->pdata[i])->tensor);
  PH_FOREACH_NODE (node, graph)
    {
      add_ends (pool, node);
      add_bounds_of (pool, node, counts);
      for (guint i = 0; i < node->attrs->len; i++)
        add_attr (pool, node->attrs->pdata[i]);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        add_graph (pool, node->graphs->pdata[i], counts);
    }
}

#define MAX_DIMS 16

static void
add_dim (PhPool *pool, gint64 dim)
{
  for (guint i = 0; i < pool->dims->len; i++)
    if (g_array_index (pool->dims, gint64, i) == dim)
      return;
  if (pool->dims->len < MAX_DIMS)
    g_array_append_val (pool->dims, dim);
}

/* Adds the dimensions of inputs and constants: others may have to be equal to them. */
static void
add_dims (PhPool *pool, const PhPair *pair)
{
  const GPtrArray *constants = pair->before->graph->constants;

  for (guint i = 0; i < pair->types->len; i++)
    {
      const PhType *type = pair->types->pdata[i];

      for (guint k = 0; type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && type->rank > 1 && k < type->rank; k++)
        if (type->dims[k].symbol == NULL && type->dims[k].size >= 0)
          add_dim (pool, type->dims[k].size);
    }
  for (guint i = 0; i < constants->len; i++)
    {
      PhTensor *tensor = ((PhValue *) constants->pdata[i])->tensor;

      for (guint k = 0; tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_rank (tensor) > 1
                        && k < ph_tensor_rank (tensor);
           k++)
        add_dim (pool, ph_tensor_dims (tensor)[k]);
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
  pool->far = g_array_new (FALSE, FALSE, sizeof (gint64));
  pool->lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  pool->strings = g_ptr_array_new_with_free_func (g_free);
  pool->plain = g_array_new (FALSE, FALSE, sizeof (double));
  pool->dims = g_array_new (FALSE, FALSE, sizeof (gint64));
  add_dims (pool, pair);
  add_graph (pool, pair->before->graph, counts_places (pair->before->graph));
  add_graph (pool, pair->after->graph, counts_places (pair->after->graph));
  add_counts (pool, pair);
  for (guint i = 0; i < G_N_ELEMENTS (always); i++)
    add_number (pool, always[i]);
  for (gint64 length = 1; length <= 4; length++) /* remainders */
    add_length (pool, length);
  pool->counts_places = counts_places (pair->before->graph) || counts_places (pair->after->graph);
  if (!(pool->counts_places && (decides (pair->before->graph) || decides (pair->after->graph))))
    g_array_set_size (pool->lengths, 0);
  return pool;
}

void
ph_pool_free (PhPool *pool)
{
  g_array_unref (pool->numbers);
  g_array_unref (pool->points);
  g_array_unref (pool->extreme);
  g_array_unref (pool->integers);
  g_array_unref (pool->far);
  g_array_unref (pool->lengths);
  g_ptr_array_unref (pool->strings);
  g_array_unref (pool->plain);
  g_array_unref (pool->dims);
  g_free (pool);
}
