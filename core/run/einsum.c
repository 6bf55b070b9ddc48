/* einsum.c: Einsum as matrix products.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <math.h>
#include <string.h>

#include "core/ops/onnx/equation.h"
#include "core/ops/op-list.h"
#include "core/ops/support.h"
#include "core/run/lanes.h"
#include "core/run/product.h"

/* The kind of a letter, given two operands. The sum is a batched matrix product [ROW, SUM] x [SUM, COLUMN]; operands in another order are
 * copied first, and so is the result. A single operand has no rows and columns. */
typedef enum
{
  BATCH,
  ROW,
  COLUMN,
  SUM,
  N_KINDS
} Kind;

typedef struct
{
  guint n;
  guint8 label[PH_EQUATION_LABELS];
} Labels;

/* Elements in the order of some letters. */
typedef struct
{
  guint rank;
  gint64 dims[PH_MAX_RANK], strides[PH_MAX_RANK]; /* of the elements in memory */
  gsize count;
  gboolean is_dense; /* the strides are row-major */
} Box;

/* An operand whose letters all occur in another one: the other is multiplied by it first. */
typedef struct
{
  guint of, by; /* inputs of the kernel */
  guint rank;
  gint64 dims[PH_MAX_RANK], strides[PH_MAX_RANK]; /* of @of; of @by along its axes */
} Factor;

typedef struct
{
  guint n_factors;
  Factor factors[PH_EQUATION_OPERANDS];
  guint operands[2], n; /* the remaining inputs of the kernel       */
  guint left, right;    /* of these                                 */
  gboolean transposed;  /* the right box is [COLUMN, SUM]           */
  Box boxes[3];         /* left, right, result                      */
  gsize size[N_KINDS];
  guint rank; /* of the result */
  gint64 dims[PH_MAX_RANK];
} Einsum;

/* The properties of each label of the equation. */
typedef struct
{
  PhEquation equation;
  gint64 size[PH_EQUATION_LABELS], strides[3][PH_EQUATION_LABELS]; /* of the operands, and of the result at the end */
  gboolean has[3][PH_EQUATION_LABELS];
  Labels kinds[N_KINDS];
} Letters;

static gboolean
add_operand (Letters *letters, guint k, const gint64 *dims)
{
  const PhEquation *equation = &letters->equation;
  gint64 own[PH_MAX_RANK];

  ph_strides (equation->rank[k], dims, own);
  for (guint i = 0; i < equation->rank[k]; i++)
    {
      const guint label = equation->label[k][i];
      gint64 *size = &letters->size[label];

      if (*size > 0 && *size != dims[i] && (letters->has[k][label] || (*size != 1 && dims[i] != 1)))
        return FALSE;
      *size = MAX (*size, dims[i]);
      letters->strides[k][label] += dims[i] != 1 ? own[i] : 0;
      letters->has[k][label] = TRUE;
    }
  return TRUE;
}

static void
add_label (Labels *labels, guint label)
{
  for (guint i = 0; i < labels->n; i++)
    if (labels->label[i] == label)
      return;
  labels->label[labels->n++] = (guint8) label;
}

/* Returns FALSE if a letter occurs twice in the result or in no operand, or if one is summed that only one of two operands has. */
static gboolean
classify (Letters *letters, guint n, guint left, guint right, Einsum *einsum)
{
  const PhEquation *equation = &letters->equation;
  gint64 own[PH_MAX_RANK];

  einsum->rank = equation->rank[n];
  for (guint i = 0; i < einsum->rank; i++)
    {
      const guint label = equation->label[n][i];

      if (letters->has[2][label] || letters->size[label] == 0)
        return FALSE;
      letters->has[2][label] = TRUE;
      einsum->dims[i] = letters->size[label];
    }
  ph_strides (einsum->rank, einsum->dims, own);
  for (guint i = 0; i < einsum->rank; i++)
    {
      const guint label = equation->label[n][i];
      const gboolean in_left = letters->has[left][label], in_right = letters->has[right][label];

      letters->strides[2][label] = own[i];
      add_label (&letters->kinds[in_left && in_right ? BATCH : in_left ? ROW : COLUMN], label);
    }
  for (guint i = 0; i < equation->rank[left]; i++)
    if (!letters->has[2][equation->label[left][i]])
      add_label (&letters->kinds[SUM], equation->label[left][i]);
  for (guint i = 0; i < letters->kinds[SUM].n; i++)
    if (!letters->has[right][letters->kinds[SUM].label[i]])
      return FALSE;
  for (guint i = 0; i < equation->rank[right]; i++)
    if (!letters->has[2][equation->label[right][i]] && !letters->has[left][equation->label[right][i]])
      return FALSE;
  return TRUE;
}

static gboolean
make_box (Box *box, const Letters *letters, guint of, const Kind *kinds, guint n_kinds)
{
  gint64 expected = 1;

  memset (box, 0, sizeof *box);
  for (guint k = 0; k < n_kinds; k++)
    for (guint i = 0; i < letters->kinds[kinds[k]].n; i++)
      {
        const guint label = letters->kinds[kinds[k]].label[i];

        if (box->rank == PH_MAX_RANK)
          return FALSE;
        box->dims[box->rank] = letters->size[label];
        box->strides[box->rank++] = letters->strides[of][label];
      }
  box->is_dense = TRUE;
  for (guint i = box->rank; i-- > 0;)
    {
      box->is_dense = box->is_dense && (box->dims[i] == 1 || box->strides[i] == expected);
      expected *= box->dims[i];
    }
  box->count = (gsize) expected;
  return TRUE;
}

static gboolean
make_boxes (Einsum *einsum, const Letters *letters)
{
  static const Kind left[] = { BATCH, ROW, SUM }, right[] = { BATCH, SUM, COLUMN }, across[] = { BATCH, COLUMN, SUM },
                    result[] = { BATCH, ROW, COLUMN };
  Box other;

  for (Kind kind = 0; kind < N_KINDS; kind++)
    {
      einsum->size[kind] = 1;
      for (guint i = 0; i < letters->kinds[kind].n; i++)
        einsum->size[kind] *= (gsize) letters->size[letters->kinds[kind].label[i]];
    }
  if (!make_box (&einsum->boxes[0], letters, einsum->left, left, G_N_ELEMENTS (left))
      || !make_box (&einsum->boxes[1], letters, einsum->right, right, G_N_ELEMENTS (right))
      || !make_box (&other, letters, einsum->right, across, G_N_ELEMENTS (across))
      || !make_box (&einsum->boxes[2], letters, 2, result, G_N_ELEMENTS (result)))
    return FALSE;
  einsum->transposed = !einsum->boxes[1].is_dense && other.is_dense;
  if (einsum->transposed)
    einsum->boxes[1] = other;
  return TRUE;
}

/* Chooses the operand whose letters come first in the result as the left one, so that the result need not be copied. */
static guint
left_operand (const Letters *letters, guint n)
{
  const PhEquation *equation = &letters->equation;

  for (guint i = 0; n == 2 && i < equation->rank[n]; i++)
    {
      const guint label = equation->label[n][i];

      if (letters->has[0][label] != letters->has[1][label])
        return letters->has[0][label] ? 0 : 1;
    }
  return 0;
}

/* Returns FALSE unless @of has each letter of @by with the same length. */
static gboolean
make_factor (Factor *factor, const PhEquation *equation, PhKernel *kernel, guint of, guint by)
{
  const gint64 *dims = ph_tensor_dims (kernel->inputs[by]);
  gint64 own[PH_MAX_RANK];

  *factor = (Factor) { .of = of, .by = by, .rank = equation->rank[of] };
  memcpy (factor->dims, ph_tensor_dims (kernel->inputs[of]), factor->rank * sizeof *factor->dims);
  ph_strides (equation->rank[by], dims, own);
  for (guint i = 0; i < equation->rank[by]; i++)
    {
      guint axis = factor->rank;

      for (guint k = 0; k < factor->rank; k++)
        if (equation->label[of][k] == equation->label[by][i])
          axis = axis == factor->rank ? k : PH_MAX_RANK; /* a diagonal */
      if (axis >= factor->rank || (dims[i] != 1 && dims[i] != factor->dims[axis]))
        return FALSE;
      factor->strides[axis] += dims[i] != 1 ? own[i] : 0;
    }
  return TRUE;
}

/* Multiplies operands by those whose letters they contain, until two are left. Sums must wait for all factors: the sum of parts, times
 * infinity, differs from the sum of the products. */
static gboolean
join_operands (Einsum *einsum, PhEquation *equation, PhKernel *kernel)
{
  guint left[PH_EQUATION_OPERANDS], n = kernel->n_inputs;
  PhEquation whole = *equation;

  for (guint i = 0; i < n; i++)
    left[i] = i;
  while (n > 2)
    {
      gboolean found = FALSE;

      for (guint i = 0; i < n && !found; i++)
        for (guint k = 0; k < n && !found; k++)
          if (i != k && make_factor (&einsum->factors[einsum->n_factors], &whole, kernel, left[i], left[k]))
            {
              einsum->n_factors++;
              memmove (left + k, left + k + 1, (--n - k) * sizeof *left);
              found = TRUE;
            }
      if (!found)
        return FALSE;
    }
  einsum->n = n;
  for (guint i = 0; i < n; i++)
    {
      einsum->operands[i] = left[i];
      equation->rank[i] = whole.rank[left[i]];
      memcpy (equation->label[i], whole.label[left[i]], sizeof whole.label[0]);
    }
  equation->rank[n] = whole.rank[kernel->n_inputs];
  memcpy (equation->label[n], whole.label[kernel->n_inputs], sizeof whole.label[0]);
  return TRUE;
}

static gpointer
prepare_einsum (PhKernel *kernel)
{
  g_autofree Letters *letters = g_new0 (Letters, 1);
  g_autofree Einsum *einsum = g_new0 (Einsum, 1);
  guint ranks[PH_EQUATION_OPERANDS] = { 0 };

  if (kernel->n_inputs < 1 || kernel->n_inputs > PH_EQUATION_OPERANDS)
    return ph_kernel_refuse (kernel, "too many operands");
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      if (!ph_dnnl_is_float (ph_kernel_input (kernel, i)))
        return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
      ranks[i] = ph_tensor_rank (kernel->inputs[i]);
    }
  if (!ph_equation_parse (&letters->equation, ph_node_attr_string (kernel->node, "equation", ""), ranks, kernel->n_inputs))
    return ph_kernel_refuse (kernel, "its equation does not fit the operands");
  if (!join_operands (einsum, &letters->equation, kernel))
    return ph_kernel_refuse (kernel, "more than two operands with letters of their own");
  for (guint i = 0; i < einsum->n; i++)
    if (!add_operand (letters, i, ph_tensor_dims (kernel->inputs[einsum->operands[i]])))
      return ph_kernel_refuse (kernel, "its equation does not fit the operands");
  einsum->left = left_operand (letters, einsum->n);
  einsum->right = einsum->n == 2 ? 1 - einsum->left : 0;
  if (!classify (letters, einsum->n, einsum->left, einsum->right, einsum) || !make_boxes (einsum, letters))
    return ph_kernel_refuse (kernel, "it sums a letter that only one operand has, or writes a diagonal");
  return g_steal_pointer (&einsum);
}

/* Returns the product of @tensor and one of its factors. (transfer full) (nullable) */
static PhTensor *
multiply_by_factor (const Factor *factor, PhTensor *tensor, PhTensor *by)
{
  g_autoptr (PhTensor) wide = ph_tensor_new_unset (PH_FLOAT, factor->rank, factor->dims);
  const float *a = ph_tensor_data (tensor), *b = ph_tensor_data (by);
  gint64 strides[PH_MAX_RANK];
  float *out;

  if (wide == NULL || a == NULL || b == NULL)
    return NULL;
  out = ph_tensor_writable (wide);
  ph_strides (factor->rank, factor->dims, strides);
  ph_copy_strided (factor->rank, factor->dims, out, strides, b, factor->strides, sizeof *out);
  ph_lanes ()->binary[PH_LANE_MUL](ph_tensor_count (wide), out, a, out);
  return g_steal_pointer (&wide);
}

/* Returns the elements of @tensor in the order of @box. @copy: (out) (nullable) to be unreferenced. (nullable) */
static const float *
in_order (const Box *box, PhTensor *tensor, PhTensor **copy)
{
  const float *from = ph_tensor_data (tensor);
  gint64 strides[PH_MAX_RANK];

  if (from == NULL || box->is_dense)
    return from;
  *copy = ph_tensor_new_unset (PH_FLOAT, 1, (gint64[]) { (gint64) box->count });
  if (*copy == NULL)
    return NULL;
  ph_strides (box->rank, box->dims, strides);
  ph_copy_strided (box->rank, box->dims, ph_tensor_writable (*copy), strides, from, box->strides, sizeof *from);
  return ph_tensor_data (*copy);
}

/* Without a sum, @out[i, j] is one product. @room: n floats. */
static void
multiply_out (gsize m, gsize n, const float *a, const float *b, float *out, float *room)
{
  for (gsize i = 0; i < m; i++)
    {
      ph_lanes ()->fill (n, room, a[i]);
      ph_lanes ()->binary[PH_LANE_MUL](n, out + i * n, room, b);
    }
}

static gboolean
run_two (const Einsum *einsum, const float *a, const float *b, float *out)
{
  const gsize batch = einsum->size[BATCH], m = einsum->size[ROW], n = einsum->size[COLUMN], k = einsum->size[SUM];
  g_autofree float *room = k == 1 ? g_try_new (float, MAX (n, 1)) : ph_product_new_room (n, k);

  if (room == NULL)
    return FALSE;
  if (k == 1 && m == 1 && n == 1)
    ph_lanes ()->binary[PH_LANE_MUL](batch, out, a, b);
  for (gsize i = 0; i < batch && (k > 1 || m > 1 || n > 1); i++, a += m * k, b += k * n, out += m * n)
    if (k == 1)
      multiply_out (m, n, a, b, out, room);
    else if (!ph_product_of (m, n, k, a, b, einsum->transposed, out, room))
      return FALSE;
  return TRUE;
}

static void
run_one (const Einsum *einsum, const float *a, float *out)
{
  const gsize batch = einsum->size[BATCH], k = einsum->size[SUM];

  if (k == 1)
    memcpy (out, a, batch * sizeof *out);
  for (gsize i = 0; i < batch && k > 1; i++)
    out[i] = (float) ph_lanes ()->total (k, a + i * k, PH_LANE_SUM);
}

/* @r: (nullable) of two operands. (transfer full) (nullable) */
static PhTensor *
sum_products (const Einsum *einsum, PhTensor *l, PhTensor *r)
{
  const Box *result = &einsum->boxes[2];
  g_autoptr (PhTensor) left = NULL, right = NULL, apart = NULL;
  g_autoptr (PhTensor) y = ph_tensor_new_unset (PH_FLOAT, einsum->rank, einsum->dims);
  const float *a = in_order (&einsum->boxes[0], l, &left), *b = r != NULL ? in_order (&einsum->boxes[1], r, &right) : NULL;
  gint64 strides[PH_MAX_RANK];
  float *out;

  if (!result->is_dense)
    apart = ph_tensor_new_unset (PH_FLOAT, 1, (gint64[]) { (gint64) result->count });
  if (a == NULL || y == NULL || (!result->is_dense && apart == NULL) || (r != NULL && b == NULL))
    return NULL;
  out = ph_tensor_writable (apart != NULL ? apart : y);
  if (r == NULL)
    run_one (einsum, a, out);
  else if (!run_two (einsum, a, b, out))
    return NULL;
  if (apart != NULL)
    {
      ph_strides (result->rank, result->dims, strides);
      ph_copy_strided (result->rank, result->dims, ph_tensor_writable (y), result->strides, out, strides, sizeof *out);
    }
  return g_steal_pointer (&y);
}

static gboolean
run_einsum (PhKernel *kernel, gpointer prepared)
{
  const Einsum *einsum = prepared;
  PhTensor *inputs[PH_EQUATION_OPERANDS], *y;
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  memcpy (inputs, kernel->inputs, kernel->n_inputs * sizeof *inputs);
  for (guint i = 0; i < einsum->n_factors; i++)
    {
      const Factor *factor = &einsum->factors[i];

      inputs[factor->of] = multiply_by_factor (factor, inputs[factor->of], inputs[factor->by]);
      if (inputs[factor->of] == NULL)
        return FALSE;
      g_ptr_array_add (made, inputs[factor->of]);
    }
  y = sum_products (einsum, inputs[einsum->operands[einsum->left]],
                    einsum->n == 2 ? inputs[einsum->operands[einsum->right]] : NULL);
  if (y != NULL)
    ph_kernel_take (kernel, 0, y);
  return y != NULL;
}

/* ── in pairs ── */

/* The product of two operands takes the place of the first one. */
typedef struct
{
  guint first, second;
  Einsum einsum;
} Pair;

typedef struct
{
  guint n;
  Pair pairs[PH_EQUATION_OPERANDS];
} Pairs;

/* The operands that are left, whose labels and sizes products have changed. */
typedef struct
{
  PhEquation equation;
  gint64 dims[PH_EQUATION_OPERANDS][PH_MAX_RANK];
  guint left[PH_EQUATION_OPERANDS], n;
} Rest;

static gboolean
has_label (const PhEquation *equation, guint k, guint label)
{
  return memchr (equation->label[k], (int) label, equation->rank[k]) != NULL;
}

/* Finds the equation of operands @i and @k of @rest alone, which keeps the labels that others or the result have. Returns FALSE if there
 * are too many. */
static gboolean
equation_of_pair (const Rest *rest, guint i, guint k, PhEquation *pair)
{
  const PhEquation *whole = &rest->equation;
  const guint both[] = { rest->left[i], rest->left[k] };

  memset (pair, 0, sizeof *pair);
  pair->n_operands = 2;
  for (guint o = 0; o < 2; o++)
    {
      pair->rank[o] = whole->rank[both[o]];
      memcpy (pair->label[o], whole->label[both[o]], sizeof pair->label[o]);
      for (guint j = 0; j < pair->rank[o]; j++)
        {
          const guint label = pair->label[o][j];
          gboolean stays = has_label (whole, whole->n_operands, label);

          for (guint m = 0; m < rest->n && !stays; m++)
            stays = m != i && m != k && has_label (whole, rest->left[m], label);
          if (!stays || has_label (pair, 2, label))
            continue;
          if (pair->rank[2] == PH_MAX_RANK)
            return FALSE;
          pair->label[2][pair->rank[2]++] = (guint8) label;
        }
    }
  return TRUE;
}

/* Plans the product of operands @i and @k of @rest. Returns the operations it takes; below 0: it cannot. */
static double
plan_pair (const Rest *rest, guint i, guint k, PhEquation *equation, Einsum *einsum)
{
  g_autofree Letters *letters = g_new0 (Letters, 1);

  if (!equation_of_pair (rest, i, k, equation))
    return -1;
  if (rest->n == 2)
    {
      equation->rank[2] = rest->equation.rank[rest->equation.n_operands];
      memcpy (equation->label[2], rest->equation.label[rest->equation.n_operands], sizeof equation->label[2]);
    }
  letters->equation = *equation;
  memset (einsum, 0, sizeof *einsum);
  einsum->n = 2;
  if (!add_operand (letters, 0, rest->dims[rest->left[i]]) || !add_operand (letters, 1, rest->dims[rest->left[k]]))
    return -1;
  einsum->left = left_operand (letters, 2);
  einsum->right = 1 - einsum->left;
  if (!classify (letters, 2, einsum->left, einsum->right, einsum) || !make_boxes (einsum, letters))
    return -1;
  return (double) einsum->size[BATCH] * (double) einsum->size[ROW] * (double) einsum->size[COLUMN] * (double) einsum->size[SUM];
}

static gpointer
prepare_pairs (PhKernel *kernel)
{
  g_autofree Rest *rest = g_new0 (Rest, 1);
  g_autofree Pairs *plan = g_new0 (Pairs, 1);
  g_autofree Einsum *einsum = g_new (Einsum, 1);
  guint ranks[PH_EQUATION_OPERANDS] = { 0 };

  if (kernel->n_inputs < 3 || kernel->n_inputs > PH_EQUATION_OPERANDS)
    return ph_kernel_refuse (kernel, "fewer than three operands, or too many");
  for (guint i = 0; i < kernel->n_inputs; i++)
    {
      if (!ph_dnnl_is_float (ph_kernel_input (kernel, i)))
        return ph_kernel_refuse (kernel, PH_NOT_FLOAT);
      ranks[i] = ph_tensor_rank (kernel->inputs[i]);
      memcpy (rest->dims[i], ph_tensor_dims (kernel->inputs[i]), ranks[i] * sizeof (gint64));
      rest->left[rest->n++] = i;
    }
  if (!ph_equation_parse (&rest->equation, ph_node_attr_string (kernel->node, "equation", ""), ranks, kernel->n_inputs))
    return ph_kernel_refuse (kernel, "its equation does not fit the operands");
  while (rest->n > 1)
    {
      Pair *pair = &plan->pairs[plan->n];
      PhEquation equation, chosen = { 0 };
      double least = -1;
      guint second = 0;

      for (guint i = 0; i < rest->n; i++)
        for (guint k = i + 1; k < rest->n; k++)
          {
            const double cost = plan_pair (rest, i, k, &equation, einsum);

            if (cost < 0 || (least >= 0 && cost >= least))
              continue;
            least = cost;
            second = k;
            *pair = (Pair) { rest->left[i], rest->left[k], *einsum };
            chosen = equation;
          }
      if (least < 0)
        return ph_kernel_refuse (kernel, "no two operands have a product of matrices");
      rest->equation.rank[pair->first] = chosen.rank[2];
      memcpy (rest->equation.label[pair->first], chosen.label[2], sizeof chosen.label[2]);
      memcpy (rest->dims[pair->first], pair->einsum.dims, sizeof pair->einsum.dims);
      memmove (rest->left + second, rest->left + second + 1, (--rest->n - second) * sizeof *rest->left);
      plan->n++;
    }
  return g_steal_pointer (&plan);
}

/* Returns FALSE if the result is not finite: the sum of parts, times infinity, differs from the sum of the products. */
static gboolean
run_pairs (PhKernel *kernel, gpointer prepared)
{
  const Pairs *plan = prepared;
  PhTensor *inputs[PH_EQUATION_OPERANDS], *y = NULL;
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  memcpy (inputs, kernel->inputs, kernel->n_inputs * sizeof *inputs);
  for (guint i = 0; i < plan->n; i++)
    {
      const Pair *pair = &plan->pairs[i];
      PhTensor *both[] = { inputs[pair->first], inputs[pair->second] };

      y = sum_products (&pair->einsum, both[pair->einsum.left], both[pair->einsum.right]);
      if (y == NULL)
        return FALSE;
      g_ptr_array_add (made, y);
      inputs[pair->first] = y;
    }
  if (ph_lanes ()->has_nan_or_least (ph_tensor_data (y), ph_tensor_count (y))
      || (ph_tensor_count (y) > 0 && ph_lanes ()->extreme (ph_tensor_count (y), ph_tensor_data (y), FALSE) == INFINITY))
    return FALSE;
  ph_kernel_take (kernel, 0, ph_tensor_ref (y));
  return TRUE;
}

const PhKernelRow ph_kernels_einsum[] = {
  { &ph_op_Einsum, PH_DEVICE_CPU, "products", 10, prepare_einsum, run_einsum, g_free },
  { &ph_op_Einsum, PH_DEVICE_CPU, "pairs", 9, prepare_pairs, run_pairs, g_free },
  { NULL },
};
