/* select.c: TopK and Unique: results that depend on an order of the elements.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/support.h"

#include <math.h>

/* Orders two elements; NaN is greater than every number, as numpy sorts it. */
static int
compare_elements (PhDType dtype, gconstpointer data, gsize i, gsize j)
{
  if (dtype == PH_STRING)
    {
      const char *const *strings = data;

      return g_strcmp0 (strings[i] != NULL ? strings[i] : "", strings[j] != NULL ? strings[j] : "");
    }
  if (dtype == PH_INT64)
    {
      const gint64 a = ((const gint64 *) data)[i], b = ((const gint64 *) data)[j];

      return (a > b) - (a < b);
    }
  if (dtype == PH_UINT64)
    {
      guint64 a = ((const guint64 *) data)[i], b = ((const guint64 *) data)[j];

      return (a > b) - (a < b);
    }
  if (ph_dtype_is_float (dtype))
    {
      double a = ph_dtype_load (dtype, data, i), b = ph_dtype_load (dtype, data, j);

      if (isnan (a) || isnan (b))
        return !!isnan (a) - !!isnan (b);
      return (a > b) - (a < b);
    }
  else
    {
      gint64 a = ph_dtype_load_int (dtype, data, i), b = ph_dtype_load_int (dtype, data, j);

      return (a > b) - (a < b);
    }
}

/* ── TopK ── */

static gboolean
infer_top_k (PhInfer *infer, GError **error)
{
  const PhType *type = ph_infer_ranked (infer, 0);
  PhDim dims[PH_MAX_RANK];
  const PhDim *held;
  gint64 k;
  guint axis;

  if (type == NULL)
    {
      ph_infer_set (infer, 1, ph_type_unranked (PH_INT64));
      return TRUE;
    }
  if (!ph_axis (ph_node_attr_int (ph_infer_node_of (infer), "axis", -1), type->rank, &axis))
    return ph_infer_fail (infer, error, "axis is outside the input's rank %u", type->rank);
  memcpy (dims, type->dims, type->rank * sizeof (PhDim));
  if (ph_infer_int (infer, 1, &k))
    {
      if (k < 0 || (ph_dim_known (dims[axis]) && k > dims[axis].size))
        return ph_infer_fail (infer, error, "k is %" G_GINT64_FORMAT ", more than axis %u has, or negative", k, axis);
      dims[axis] = PH_DIM (k);
    }
  else
    dims[axis] = ph_infer_dims (infer, 1, &held) == 1 ? held[0] : PH_DIM_UNKNOWN;
  ph_infer_set_shape (infer, 0, type->dtype, type->rank, dims);
  ph_infer_set_shape (infer, 1, PH_INT64, type->rank, dims);
  return TRUE;
}

typedef struct
{
  PhDType dtype;
  gconstpointer data;
  gint64 base, stride;
  int sign;
} Order;

static int
compare_ranked (gconstpointer a, gconstpointer b, gpointer user)
{
  const Order *order = user;
  gint64 i = *(const gint64 *) a, j = *(const gint64 *) b;
  int c = order->sign
          * compare_elements (order->dtype, order->data, order->base + i * order->stride, order->base + j * order->stride);

  return c != 0 ? c : (i > j) - (i < j);
}

#define FEW 64 /* up to this k the best are kept sorted; above it in a heap, whose first element is the worst */

static void
sift_down (Order *order, gint64 *heap, gint64 n, gint64 at)
{
  for (gint64 child; (child = 2 * at + 1) < n; at = child)
    {
      const gint64 own = heap[at];

      if (child + 1 < n && compare_ranked (&heap[child + 1], &heap[child], order) > 0)
        child++;
      if (compare_ranked (&own, &heap[child], order) >= 0)
        return;
      heap[at] = heap[child];
      heap[child] = own;
    }
}

/* Puts the first @k of the elements 0 to @whole in order; the rest of @ranked is arbitrary. */
static void
rank_elements (Order *order, gint64 *ranked, gint64 whole, gint64 k)
{
  const gboolean all = k > whole / 4;

  for (gint64 t = 0; t < (all ? whole : k); t++)
    ranked[t] = t;
  for (gint64 t = k / 2; t-- > 0 && !all;)
    sift_down (order, ranked, k, t);
  for (gint64 t = k; !all && k > 0 && t < whole; t++)
    if (compare_ranked (&t, &ranked[0], order) < 0)
      {
        ranked[0] = t;
        sift_down (order, ranked, k, 0);
      }
  g_qsort_with_data (ranked, (int) (all ? whole : k), sizeof (gint64), compare_ranked, order);
}

/* ── floats: each becomes an integer whose order is that of the ranks, with its index in the low half ── */

static inline guint64
key_of_float (float x, gint64 index, gboolean largest)
{
  guint32 bits;

  memcpy (&bits, &x, sizeof bits);
  if (x != x)
    bits = G_MAXUINT32;
  else if (x == 0)
    bits = 0x80000000u;
  else
    bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return (guint64) (largest ? ~bits : bits) << 32 | (guint64) index;
}

static inline void
sift_key (guint64 *heap, gint64 n, gint64 at)
{
  const guint64 own = heap[at];

  for (gint64 child; (child = 2 * at + 1) < n; at = child)
    {
      child += child + 1 < n && heap[child + 1] > heap[child] ? 1 : 0;
      if (own >= heap[child])
        break;
      heap[at] = heap[child];
    }
  heap[at] = own;
}

/* Ranks elements as rank_elements() does, for floats. @keys: scratch space of @k elements. */
static void
rank_floats (const Order *order, guint64 *keys, gint64 *ranked, gint64 whole, gint64 k)
{
  const float *floats = (const float *) order->data + order->base;
  const gboolean largest = order->sign < 0;
  gint64 n = 0;

  for (; n < k; n++)
    {
      const guint64 key = key_of_float (floats[n * order->stride], n, largest);
      gint64 at = n;

      for (; k <= FEW && at > 0 && key < keys[at - 1]; at--)
        keys[at] = keys[at - 1];
      keys[at] = key;
    }
  for (gint64 t = k / 2; t-- > 0 && k > FEW;)
    sift_key (keys, k, t);
  for (float bar = NAN; n < whole && k > 0; n++) /* the worst of the kept ones */
    {
      const float x = floats[n * order->stride];
      guint64 key;
      gint64 at = k - 1;

      if (largest ? x < bar : x > bar)
        continue;
      key = key_of_float (x, n, largest);
      if (key >= keys[k > FEW ? 0 : at])
        {
          bar = floats[(gint64) (keys[k > FEW ? 0 : at] & G_MAXUINT32) * order->stride];
          continue;
        }
      if (k > FEW)
        {
          keys[0] = key;
          sift_key (keys, k, 0);
          continue;
        }
      for (; at > 0 && key < keys[at - 1]; at--)
        keys[at] = keys[at - 1];
      keys[at] = key;
    }
  for (gint64 rest = k; --rest > 0 && k > FEW;)
    {
      const guint64 last = keys[0];

      keys[0] = keys[rest];
      keys[rest] = last;
      sift_key (keys, rest, 0);
    }
  for (gint64 t = 0; t < k; t++)
    ranked[t] = (gint64) (keys[t] & G_MAXUINT32);
}

static gboolean
run_top_k (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0), *wanted = ph_kernel_input (kernel, 1);
  guint rank = ph_tensor_rank (x), axis;
  gsize size = ph_dtype_size (ph_tensor_dtype (x));
  gint64 dims[PH_MAX_RANK], k, whole, outer, inner, *indices;
  Order order = { ph_tensor_dtype (x), ph_tensor_data (x), 0, 0, ph_node_attr_int (kernel->node, "largest", 1) ? -1 : 1 };
  g_autofree gint64 *ranked = NULL;
  g_autofree guint64 *keys = NULL;
  gpointer values;

  if (!ph_axis (ph_node_attr_int (kernel->node, "axis", -1), rank, &axis) || ph_tensor_count (wanted) != 1)
    return ph_kernel_fail (kernel, error, "axis is outside the input's rank %u, or k is not one number", rank);
  memcpy (dims, ph_tensor_dims (x), rank * sizeof (gint64));
  whole = dims[axis];
  k = ph_tensor_get_int (wanted, 0);
  if (k < 0 || k > whole)
    return ph_kernel_fail (kernel, error, "k is %" G_GINT64_FORMAT ", axis %u has %" G_GINT64_FORMAT " elements", k, axis, whole);
  dims[axis] = k;
  values = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  indices = kernel->n_outputs > 1 && values != NULL ? ph_kernel_output (kernel, 1, PH_INT64, rank, dims, error) : NULL;
  if (values == NULL || (kernel->n_outputs > 1 && indices == NULL))
    return FALSE;
  outer = ph_dims_product (dims, 0, axis);
  inner = order.stride = ph_dims_product (dims, axis + 1, rank);
  ranked = g_new (gint64, whole + 1);
  if (order.dtype == PH_FLOAT && whole <= G_MAXUINT32)
    keys = g_new (guint64, k + 1);
  for (gint64 o = 0; o < outer; o++)
    for (gint64 i = 0; i < inner; i++)
      {
        order.base = o * whole * inner + i;
        if (keys != NULL)
          rank_floats (&order, keys, ranked, whole, k);
        else
          rank_elements (&order, ranked, whole, k);
        for (gint64 t = 0; t < k; t++)
          {
            ph_move (values, (o * k + t) * inner + i, order.data, order.base + ranked[t] * inner, size);
            if (indices != NULL)
              indices[(o * k + t) * inner + i] = ranked[t];
          }
      }
  return TRUE;
}

static gboolean
grad_top_k (PhGrad *grad, GError **error)
{
  gint64 axis = ph_node_attr_int (grad->node, "axis", -1);

  if (grad->dy[0] != NULL)
    grad->dx[0] = PH_BUILD_WITH (grad->b, ScatterElements,
                                 PH_ATTRS (ph_attr_new_int ("axis", axis), ph_attr_new_string ("reduction", "add")),
                                 ph_grad_zeros_like (grad, ph_grad_in (grad, 0)), ph_grad_out (grad, 1), grad->dy[0]);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_TopK = {
  .name = "TopK", .since = 11,
  .family = PH_FAMILY_POOL,
  .main_attrs = { "axis", "largest" },
  .example = { "x[2,5]", "k = Constant <value_ints = [2]> () y, i = TopK (x, k)", -1, 1 },
  .doc = "The k largest (or smallest) elements along an axis, and their indices.",
  .inputs = { { "X", 'T', PH_NUMBERS }, { "K", 0, PH_T (INT64), PH_ARG_SHAPE } },
  .outputs = { { "Values", 'T', PH_NUMBERS }, { "Indices", 0, PH_T (INT64) } },
  .attrs = { { "axis", PH_ATTR_INT, "-1" }, { "largest", PH_ATTR_INT, "1" }, { "sorted", PH_ATTR_INT, "1" } },
  .infer = infer_top_k, .kernel = run_top_k, .grad_build = grad_top_k, .no_grad = 1 << 1,
  .grad_text = "dX = dY put into zeros where the largest stood",
};
/* clang-format on */

/* ── Unique ── */

static gboolean
infer_unique (PhInfer *infer, GError **error)
{
  PhDim unknown = PH_DIM_UNKNOWN, all = PH_DIM_UNKNOWN;

  if (ph_infer_type (infer, 0) == NULL)
    return TRUE;
  if (!ph_infer_picked (infer, &all, error))
    return FALSE;
  ph_infer_set_shape (infer, 1, PH_INT64, 1, &unknown);
  ph_infer_set_shape (infer, 2, PH_INT64, 1, &all);
  ph_infer_set_shape (infer, 3, PH_INT64, 1, &unknown);
  return TRUE;
}

/* Slices are compared element by element; slice t has its elements at (o * n + t) * inner + i. */
typedef struct
{
  PhDType dtype;
  gconstpointer data;
  gint64 n, outer, inner;
} Slices;

static int
compare_slices (gconstpointer a, gconstpointer b, gpointer user)
{
  const Slices *s = user;
  gint64 i = *(const gint64 *) a, j = *(const gint64 *) b;

  for (gint64 o = 0; o < s->outer; o++)
    for (gint64 k = 0; k < s->inner; k++)
      {
        int c = compare_elements (s->dtype, s->data, (o * s->n + i) * s->inner + k, (o * s->n + j) * s->inner + k);

        if (c != 0)
          return c;
      }
  return 0;
}

/* As comparing them says, but equal bits are seen at once. */
static gboolean
are_equal (const Slices *s, gint64 i, gint64 j)
{
  const gsize size = ph_dtype_size (s->dtype) * (gsize) s->inner;
  const char *data = s->data;

  return (s->outer == 1 && memcmp (data + (gsize) i * size, data + (gsize) j * size, size) == 0)
         || compare_slices (&i, &j, (gpointer) s) == 0;
}

/* Returns what equal elements have in common. */
static inline guint64
key_of_element (PhDType dtype, gconstpointer data, gsize i)
{
  double x;
  guint64 bits;

  if (dtype == PH_STRING)
    return ((const char *const *) data)[i] != NULL ? g_str_hash (((const char *const *) data)[i]) : g_str_hash ("");
  if (dtype != PH_FLOAT && !ph_dtype_is_float (dtype))
    return (guint64) ph_dtype_load_int (dtype, data, i);
  x = dtype == PH_FLOAT ? ((const float *) data)[i] : ph_dtype_load (dtype, data, i);
  if (isnan (x))
    return G_MAXUINT64;
  x = x == 0 ? 0 : x;
  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static guint64
hash_slice (const Slices *s, gint64 t)
{
  guint64 hash = 0;

  for (gint64 o = 0; o < s->outer; o++)
    for (gint64 k = 0; k < s->inner; k++)
      {
        hash = (hash ^ key_of_element (s->dtype, s->data, (o * s->n + t) * s->inner + k))
               * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
      }
  return hash;
}

/* Numbers the unique slices in the order in which they first occur, which is then in @first; @group: of each slice, @times: how many are in
 * each. Returns their number. */
static gint64
group_slices (const Slices *s, gint64 *first, gint64 *group, gint64 *times)
{
  gsize mask = 63; /* the places of the table but one: it is no larger than what is found needs */
  gint64 *table = g_new0 (gint64, mask + 1), m = 0; /* group + 1, at the first free place from its hash on */
  g_autofree guint64 *hashes = g_new (guint64, s->n + 1);

  for (gint64 i = 0; i < s->n; i++)
    {
      const guint64 hash = hash_slice (s, i);
      gsize at = hash & mask;
      gint64 found;

      while ((found = table[at] - 1) >= 0 && (hashes[found] != hash || !are_equal (s, first[found], i)))
        at = (at + 1) & mask;
      if (found < 0)
        {
          hashes[m] = hash;
          first[m] = i;
          times[m] = 0;
          table[at] = (found = m++) + 1;
        }
      group[i] = found;
      times[found]++;
      if ((gsize) m * 2 <= mask)
        continue;
      g_free (table);
      mask = 4 * mask + 3;
      table = g_new0 (gint64, mask + 1);
      for (gint64 g = 0; g < m; g++)
        {
          for (at = hashes[g] & mask; table[at] != 0;)
            at = (at + 1) & mask;
          table[at] = g + 1;
        }
    }
  g_free (table);
  return m;
}

static gboolean
run_unique (PhKernel *kernel, GError **error)
{
  PhTensor *x = ph_kernel_input (kernel, 0);
  PhAttr *given = ph_node_attr (kernel->node, "axis");
  gboolean sorted = ph_node_attr_int (kernel->node, "sorted", 1) != 0;
  guint rank = given != NULL ? ph_tensor_rank (x) : 1, axis = 0;
  gsize size = ph_dtype_size (ph_tensor_dtype (x));
  gint64 dims[PH_MAX_RANK], count = ph_tensor_count (x), n, m;
  g_autofree gint64 *group = NULL, *first = NULL, *times = NULL, *place = NULL, *rank_of = NULL;
  Slices slices = { ph_tensor_dtype (x), ph_tensor_data (x), 0, 0, 0 };
  char *to;

  if (given != NULL && !ph_axis (given->i, rank, &axis))
    return ph_kernel_fail (kernel, error, "axis %" G_GINT64_FORMAT " is outside the input's rank %u", given->i, rank);
  memcpy (dims, given != NULL ? ph_tensor_dims (x) : &count, rank * sizeof (gint64));
  n = slices.n = dims[axis];
  slices.outer = ph_dims_product (dims, 0, axis);
  slices.inner = ph_dims_product (dims, axis + 1, rank);

  group = g_new (gint64, n + 1);
  first = g_new (gint64, n + 1);
  times = g_new (gint64, n + 1);
  m = group_slices (&slices, first, group, times);
  place = g_memdup2 (first, (m + 1) * sizeof (gint64)); /* output position -> unique one */
  rank_of = g_new (gint64, m + 1);                      /* and back                      */
  if (sorted)
    g_qsort_with_data (place, m, sizeof (gint64), compare_slices, &slices);
  for (gint64 i = 0; i < m; i++)
    {
      place[i] = group[place[i]];
      rank_of[place[i]] = i;
    }

  dims[axis] = m;
  to = ph_kernel_output (kernel, 0, ph_tensor_dtype (x), rank, dims, error);
  if (to == NULL)
    return FALSE;
  for (gint64 i = 0; i < m; i++)
    for (gint64 o = 0; o < slices.outer; o++)
      memcpy (to + (o * m + i) * slices.inner * size,
              (const char *) slices.data + (o * n + first[place[i]]) * slices.inner * size, slices.inner * size);
  for (guint k = 1; k < MIN (4, kernel->n_outputs); k++)
    {
      gint64 *out = ph_kernel_output (kernel, k, PH_INT64, 1, k == 2 ? &n : &m, error);

      if (out == NULL)
        return FALSE;
      for (gint64 i = 0; i < (k == 2 ? n : m); i++)
        out[i] = k == 1 ? first[place[i]] : k == 2 ? rank_of[group[i]] : times[place[i]];
    }
  ph_kernel_own_strings (kernel, 0);
  return TRUE;
}

/* Equal elements share what comes to their value: that is right where they are one number, and where all are different. */
static gboolean
grad_unique (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  PhValue *x = ph_grad_in (grad, 0), *counts = ph_grad_out (grad, 3), *which = ph_grad_out (grad, 2), *share;
  const PhAttr *axis = ph_node_attr (grad->node, "axis");
  gint64 shape[PH_MAX_RANK], at = axis != NULL ? ph_node_attr_int (grad->node, "axis", 0) : 0;

  if (grad->dy[0] == NULL)
    return TRUE;
  if (axis != NULL && (x->type == NULL || !x->type->has_rank))
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                         "cannot be differentiated while the rank of its input is unknown");
  at += axis != NULL && at < 0 ? x->type->rank : 0;
  if (counts == NULL || which == NULL) /* nobody asked for them */
    {
      PhAttr *sorted = ph_attr_new_int ("sorted", ph_node_attr_int (grad->node, "sorted", 1));
      PhValue *again = ph_build_node (b, &ph_op_Unique, &x, 1,
                                      axis != NULL ? PH_ATTRS (sorted, ph_attr_new_int ("axis", at)) : PH_ATTRS (sorted), 4);

      if (again == NULL)
        return TRUE;
      which = ph_node_output (again->producer, 2);
      counts = ph_node_output (again->producer, 3);
    }
  share = PH_BUILD_WITH (
      b, Cast, PH_ATTRS (ph_attr_new_int ("to", grad->dy[0]->type != NULL ? grad->dy[0]->type->dtype : PH_FLOAT)), counts);
  if (axis != NULL)
    {
      for (guint i = 0; i < x->type->rank; i++)
        shape[i] = i == at ? -1 : 1;
      share = PH_BUILD (b, Reshape, share, ph_build_ints (b, shape, x->type->rank));
    }
  grad->dx[0] = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", at)), PH_BUILD (b, Div, grad->dy[0], share), which);
  if (axis == NULL)
    grad->dx[0] = ph_grad_reshape_like (grad, grad->dx[0], x);
  return TRUE;
}

/* clang-format off */
const PhOp ph_op_Unique = {
  .name = "Unique", .since = 11,
  .family = PH_FAMILY_MOVEMENT,
  .example = { "x[2,3]", "u = Unique (x) s = Constant <value_ints = [6]> () y = Reshape (u, s)", -1, 1 },
  .doc = "The different elements (or slices along an axis), the index of the first of each, which one each element is, and how often each occurs.",
  .inputs = { { "X", 'T', PH_ANY } },
  .outputs = { { "Y", 'T', PH_ANY }, { "indices", 0, PH_T (INT64), PH_ARG_OPTIONAL },
               { "inverse_indices", 0, PH_T (INT64), PH_ARG_OPTIONAL }, { "counts", 0, PH_T (INT64), PH_ARG_OPTIONAL } },
  .attrs = { { "axis", PH_ATTR_INT }, { "sorted", PH_ATTR_INT, "1" } },
  .infer = infer_unique, .kernel = run_unique, .grad_build = grad_unique,
  .grad_text = "dX = dY at each element's own value, shared among those that are equal",
};
/* clang-format on */
