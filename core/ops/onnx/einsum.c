/* einsum.c: Einsum.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/onnx/elementwise.h"
#include "core/ops/onnx/equation.h"
#include "core/ops/support.h"

#define MAX_LABELS 64

/* Makes @size the common size of an axis, which open sizes leave open: any of them may be 1, also along a letter, as in ONNX Runtime. */
static gboolean
broadcast (PhDim *size, PhDim other)
{
  const PhType *types[] = { ph_type_tensor (PH_FLOAT, 1, size), ph_type_tensor (PH_FLOAT, 1, &other) };
  const PhType *common = ph_type_broadcast (PH_FLOAT, types, 2);

  if (common != NULL)
    *size = common->dims[0];
  return common != NULL;
}

static gboolean
infer_einsum (PhInfer *infer, GError **error)
{
  const PhNode *node = ph_infer_node_of (infer);
  const PhType *first = ph_infer_type (infer, 0);
  guint ranks[PH_EQUATION_OPERANDS + 1] = { 0, }, n = node->inputs->len;
  PhDim size[128], dims[PH_MAX_RANK];
  gboolean seen[128] = {
    FALSE,
  };
  PhEquation equation;

  for (guint k = 0; k < MIN (n, PH_EQUATION_OPERANDS); k++)
    {
      const PhType *type = ph_infer_type (infer, k);

      if (type == NULL || !type->has_rank)
        {
          if (first != NULL)
            ph_infer_set (infer, 0, ph_type_unranked (first->dtype));
          return TRUE;
        }
      ranks[k] = type->rank;
    }
  if (!ph_equation_parse (&equation, ph_node_attr_string (node, "equation", ""), ranks, n))
    return ph_infer_fail (infer, error, "%s", equation.error);
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < equation.rank[k]; i++)
      {
        guint label = equation.label[k][i];
        PhDim dim = ph_infer_type (infer, k)->dims[i];
        gboolean again = FALSE; /* on a diagonal no size is broadcast */

        for (guint j = 0; j < i && !again; j++)
          again = equation.label[k][j] == label;
        if (!seen[label])
          size[label] = dim;
        else if (again ? !ph_dim_merge (size[label], dim, &size[label]) : !broadcast (&size[label], dim))
          return ph_infer_fail (infer, error,
                                "its equation gives one letter the sizes %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
                                size[label].size, dim.size);
        seen[label] = TRUE;
      }
  for (guint i = 0; i < equation.rank[n]; i++)
    {
      guint label = equation.label[n][i];

      if (!seen[label])
        return ph_infer_fail (infer, error, "its equation's result has a letter that no term has");
      dims[i] = size[label];
    }
  ph_infer_set_shape (infer, 0, first->dtype, equation.rank[n], dims);
  return TRUE;
}

/* The letters of an equation in the order of the walk, those of the result first. */
typedef struct
{
  PhEquation equation;
  gint64 size[128]; /* by letter, where @seen */
  gboolean seen[128];
  guint place[128];         /* its axis of the walk */
  gint64 sizes[MAX_LABELS]; /* of the walk's axes */
  guint n_labels;
  gint64 dims[PH_MAX_RANK]; /* of the result */
} Letters;

static gboolean
measure_letters (PhKernel *kernel, Letters *letters, GError **error)
{
  const PhEquation *equation = &letters->equation;

  for (guint k = 0; k < kernel->n_inputs; k++)
    for (guint i = 0; i < equation->rank[k]; i++)
      {
        const guint label = equation->label[k][i];
        const gint64 dim = ph_tensor_dims (ph_kernel_input (kernel, k))[i], size = letters->size[label];
        gboolean again = FALSE; /* on a diagonal no dimension is broadcast */

        for (guint j = 0; j < i && !again; j++)
          again = equation->label[k][j] == label;
        if (letters->seen[label] && size != dim && (again || (size != 1 && dim != 1)))
          return ph_kernel_fail (kernel, error,
                                 "its equation gives one letter the sizes %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, size, dim);
        letters->size[label] = letters->seen[label] && dim == 1 ? size : dim;
        letters->seen[label] = TRUE;
      }
  return TRUE;
}

static gboolean
place_letters (PhKernel *kernel, Letters *letters, GError **error)
{
  const PhEquation *equation = &letters->equation;
  const guint n = kernel->n_inputs;
  gboolean placed[128] = {
    FALSE,
  };

  for (guint k = n + 1; k-- > 0;)
    for (guint i = 0; i < equation->rank[k]; i++)
      {
        const guint label = equation->label[k][i];

        if (!letters->seen[label])
          return ph_kernel_fail (kernel, error, "its equation's result has a letter that no term has");
        if (k == n)
          letters->dims[i] = letters->size[label];
        if (!placed[label] && letters->n_labels < MAX_LABELS)
          {
            placed[label] = TRUE;
            letters->sizes[letters->n_labels] = letters->size[label];
            letters->place[label] = letters->n_labels++;
          }
      }
  return TRUE;
}

/* Walks all letters. The stride of an operand along a letter is the sum of its strides on the axes with that letter. */
static gboolean
einsum_kernel (PhKernel *kernel, GError **error)
{
  const guint n = kernel->n_inputs;
  guint ranks[PH_EQUATION_OPERANDS + 1] = {
    0,
  };
  const PhDType dtype = ph_tensor_dtype (ph_kernel_input (kernel, 0));
  const PhDType works_in = ph_dtype_is_float (dtype) ? PH_DOUBLE : PH_INT64;
  PhTensor *wide[PH_EQUATION_OPERANDS] = {
    NULL,
  };
  g_autoptr (PhTensor) result = NULL;
  Letters letters = { .n_labels = 0 };
  const PhEquation *equation = &letters.equation;
  gboolean ok = FALSE;
  PhWalk walk;

  for (guint k = 0; k < MIN (n, PH_EQUATION_OPERANDS); k++)
    ranks[k] = ph_tensor_rank (ph_kernel_input (kernel, k));
  if (!ph_equation_parse (&letters.equation, ph_node_attr_string (kernel->node, "equation", ""), ranks, n))
    return ph_kernel_fail (kernel, error, "%s", equation->error);
  if (!measure_letters (kernel, &letters, error) || !place_letters (kernel, &letters, error))
    return FALSE;
  result = ph_tensor_new (works_in, equation->rank[n], letters.dims);
  if (result == NULL)
    return ph_kernel_exceed (kernel, error, "the result is too large for memory");
  ph_walk_init (&walk, letters.n_labels, letters.sizes);
  for (guint k = 0; k <= n; k++)
    {
      gint64 own[PH_MAX_RANK], strides[MAX_LABELS] = {
        0,
      };
      const gint64 *own_dims = k < n ? ph_tensor_dims (ph_kernel_input (kernel, k)) : letters.dims;

      ph_strides (equation->rank[k], own_dims, own);
      for (guint i = 0; i < equation->rank[k]; i++)
        if (own_dims[i] != 1)
          strides[letters.place[equation->label[k][i]]] += own[i];
      ph_walk_add_strided (&walk, strides);
      if (k < n && (wide[k] = ph_convert (ph_kernel_input (kernel, k), works_in)) == NULL)
        goto out;
    }

/* clang-format off */
#define SUM_OF_PRODUCTS(type_)                                                                                         \
  for (gsize i = 0; i < walk.count; i++, ph_walk_next (&walk))                                                         \
    {                                                                                                                  \
      type_ product = ((const type_ *) ph_tensor_data (wide[0]))[walk.offset[0]];                                      \
      for (guint k = 1; k < n; k++)                                                                                    \
        product *= ((const type_ *) ph_tensor_data (wide[k]))[walk.offset[k]];                                         \
      ((type_ *) ph_tensor_writable (result))[walk.offset[n]] += product;                                              \
    }
  /* clang-format on */
  /* The sum starts at -0, the neutral element of addition, so that a sum of one product equals that product. */
  for (gsize i = 0; works_in == PH_DOUBLE && walk.count > 0 && i < ph_tensor_count (result); i++)
    ((double *) ph_tensor_writable (result))[i] = -0.0;
  if (works_in == PH_DOUBLE)
    SUM_OF_PRODUCTS (double)
  else
    SUM_OF_PRODUCTS (guint64)
  ok = ph_kernel_take_as (kernel, 0, g_steal_pointer (&result), dtype, error);
out:
  for (guint k = 0; k < n; k++)
    g_clear_pointer (&wide[k], ph_tensor_unref);
  if (!ok && (error == NULL || *error == NULL))
    ph_kernel_exceed (kernel, error, "the operands are too large for memory");
  return ok;
}

static char
label_letter (guint label)
{
  return label < 26 ? 'a' + label : 'A' + label - 26;
}

static guint
label_of (char letter)
{
  return g_ascii_islower (letter) ? letter - 'a' : letter - 'A' + 26;
}

/* Returns a letter that neither the equation nor @used contains, and adds it to @used. */
static char
free_letter (const PhEquation *equation, guint n, gboolean *used)
{
  for (guint k = 0; k <= n; k++)
    for (guint i = 0; i < equation->rank[k]; i++)
      used[equation->label[k][i]] = TRUE;
  for (guint label = 0; label < 52; label++)
    if (!used[label])
      {
        used[label] = TRUE;
        return label_letter (label);
      }
  return '\0';
}

/* If a term lacks "...", a factor's gradient sums over its axes, which runtimes only accept as letters: each of these axes gets one, unless
 * sizes of 1 are broadcast along it. */
static void
spell_dots (PhGrad *grad, PhEquation *equation, guint n)
{
  gboolean used[128] = { FALSE, }, all = TRUE;
  PhDim size[PH_EQUATION_LABELS - PH_EQUATION_DOTS];
  char letter[PH_EQUATION_LABELS - PH_EQUATION_DOTS] = "";

  for (guint k = 0; k <= n; k++)
    all &= equation->dots[k];
  for (guint k = 0; k < n && !all; k++)
    for (guint i = 0; i < equation->rank[k]; i++)
      if (equation->label[k][i] >= PH_EQUATION_DOTS)
        {
          const guint dot = equation->label[k][i] - PH_EQUATION_DOTS;
          const PhDim dim = ph_grad_in (grad, k)->type->dims[i];

          if (letter[dot] != '\0' ? !ph_dim_equal (size[dot], dim) : (letter[dot] = free_letter (equation, n, used)) == '\0')
            return;
          size[dot] = dim;
        }
  for (guint k = 0; k <= n && !all; k++)
    {
      equation->dots[k] = FALSE;
      for (guint i = 0; i < equation->rank[k]; i++)
        if (equation->label[k][i] >= PH_EQUATION_DOTS)
          equation->label[k][i] = label_of (letter[equation->label[k][i] - PH_EQUATION_DOTS]);
    }
}

/* Appends the letters of @term, and "..." where it stands. */
static void
append_term (GString *text, const PhEquation *equation, guint term)
{
  gboolean dots = !equation->dots[term];

  for (guint i = 0; i < equation->rank[term]; i++)
    if (equation->label[term][i] < PH_EQUATION_DOTS)
      g_string_append_c (text, label_letter (equation->label[term][i]));
    else if (!dots)
      {
        g_string_append (text, "...");
        dots = TRUE;
      }
  if (!dots) /* "..." stands for no axis */
    g_string_append (text, "...");
}

/* Sets @places to where each axis of @term stands if "..." comes first. */
static void
lead_dots (const PhEquation *equation, guint term, gint64 *places)
{
  gint64 next = 0;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < equation->rank[term]; i++)
      if ((equation->label[term][i] < PH_EQUATION_DOTS) == (pass == 1))
        places[i] = next++;
}

/* Builds an identity matrix of the size of axis @axis of @x. */
static PhValue *
build_diagonal (PhGrad *grad, PhValue *x, gint64 axis)
{
  PhBuilder *b = grad->b;
  PhValue *shape = PH_BUILD (b, Gather, ph_grad_shape (grad, x), ph_build_ints (b, (gint64[]) { axis, axis }, 2));

  return PH_BUILD (b, EyeLike, PH_BUILD (b, Expand, ph_grad_like (grad, x, 0), shape));
}

/* Returns TRUE if another term than @k surely has the size of its axis @axis along that letter. */
static gboolean
has_size (PhGrad *grad, const PhEquation *equation, guint k, guint axis)
{
  const PhDim size = ph_grad_in (grad, k)->type->dims[axis];
  const guint n = grad->node->inputs->len;

  for (guint term = 0; term <= n; term++)
    for (guint i = 0; term != k && i < equation->rank[term]; i++)
      if (equation->label[term][i] == equation->label[k][axis]
          && (term == n || ph_dim_equal (ph_grad_in (grad, term)->type->dims[i], size)))
        return TRUE;
  return ph_dim_equal (size, PH_DIM (1));
}

/* Brings the einsum that is the gradient of factor @k, with "..." in front, to the shape of the factor: its axes @missing were summed
 * away, and sizes of 1 in its "..." were broadcast, which can only be reduced while "..." leads. */
static void
restore_axes (PhGrad *grad, const PhEquation *equation, guint k, gint64 *missing, guint n_missing)
{
  PhBuilder *b = grad->b;
  PhValue *like = ph_grad_in (grad, k);
  const guint rank = equation->rank[k];
  gint64 places[PH_MAX_RANK] = { 0 }, perm[PH_MAX_RANK] = { 0 };
  gboolean moved = FALSE;

  lead_dots (equation, k, places);
  for (guint m = 0; m < n_missing; m++)
    missing[m] = places[missing[m]] - rank; /* from the end: other factors may have more axes in "..." */
  for (guint i = 0; i < rank; i++)
    {
      perm[places[i]] = i;
      moved |= places[i] != i;
    }
  if (moved)
    like = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, rank)), like);
  if (n_missing > 0)
    grad->dx[k] = PH_BUILD (b, Expand, PH_BUILD (b, Unsqueeze, grad->dx[k], ph_build_ints (b, missing, n_missing)),
                            ph_grad_shape (grad, like));
  if (moved)
    grad->dx[k] = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", places, rank)),
                                 ph_grad_reduce_to (b, grad->dx[k], like));
}

/* The gradient with respect to a factor is the einsum of dY with the other factors, with that factor's letters as output. A letter that no
 * other operand has was summed away: the gradient is constant along it. Where the others may have one element that was repeated, a factor of
 * ones has the size. A letter that the factor has twice took a diagonal: a factor of ones on the diagonal puts the gradient there. */
static gboolean
grad_einsum (PhGrad *grad, GError **error)
{
  PhBuilder *b = grad->b;
  guint n = grad->node->inputs->len, ranks[PH_EQUATION_OPERANDS + 1] = {
    0,
  };
  PhEquation equation;

  for (guint k = 0; k < MIN (n, PH_EQUATION_OPERANDS); k++)
    {
      const PhType *type = ph_grad_in (grad, k)->type;

      if (type == NULL || !type->has_rank)
        return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                             "cannot be differentiated while the ranks of its inputs are unknown");
      ranks[k] = type->rank;
    }
  if (!ph_equation_parse (&equation, ph_node_attr_string (grad->node, "equation", ""), ranks, n))
    return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED, "%s", equation.error);
  spell_dots (grad, &equation, n);

  for (guint k = 0; k < n; k++)
    {
      g_autoptr (GString) text = g_string_new (NULL), back = g_string_new (NULL);
      g_autofree PhValue **inputs = g_new0 (PhValue *, n + PH_MAX_RANK);
      gboolean there[128] = { FALSE, }, mine[128] = { FALSE, }, used[128] = { FALSE, };
      gint64 missing[PH_MAX_RANK];
      guint n_missing = 0, n_inputs = 0;

      if (!grad->wanted[k])
        continue;
      inputs[n_inputs++] = grad->dy[0];
      for (guint t = n + 1; t > 0; t--) /* the result's term first, then the others */
        {
          guint term = t == n + 1 ? n : n - t;

          if (term == k)
            continue;
          if (text->len > 0 || term != n)
            g_string_append_c (text, ',');
          if (term != n)
            inputs[n_inputs++] = ph_grad_in (grad, term);
          append_term (text, &equation, term);
          for (guint i = 0; i < equation.rank[term]; i++)
            there[equation.label[term][i]] = TRUE;
        }
      if (equation.dots[k])
        g_string_append (back, "...");
      for (guint i = 0; i < equation.rank[k]; i++)
        {
          guint one = equation.label[k][i];
          char other = '\0';

          if ((one >= PH_EQUATION_DOTS && !equation.dots[n]) || (mine[one] && (other = free_letter (&equation, n, used)) == '\0'))
            return ph_node_fail (grad->node, error, PH_ERROR_UNSUPPORTED,
                                 "an einsum that %s is not differentiated; write it with %s",
                                 one >= PH_EQUATION_DOTS ? "sums over '...'" : "uses up all letters",
                                 one >= PH_EQUATION_DOTS ? "ReduceSum" : "fewer terms");
          if (mine[one])
            {
              g_string_append_printf (text, ",%c%c", label_letter (one), other);
              inputs[n_inputs++] = build_diagonal (grad, ph_grad_in (grad, k), i);
              for (guint m = n_missing; m-- > 0;)
                if (equation.label[k][missing[m]] == one) /* a letter that was summed away is present now */
                  missing[m] = missing[--n_missing];
              g_string_append_c (back, other);
              continue;
            }
          mine[one] = TRUE;
          if (one >= PH_EQUATION_DOTS)
            continue;
          if (!there[one])
            missing[n_missing++] = i;
          else if (!has_size (grad, &equation, k, i))
            {
              g_string_append_printf (text, ",%c", label_letter (one));
              inputs[n_inputs++] = PH_BUILD (
                  b, Expand, ph_grad_like (grad, ph_grad_in (grad, k), 1),
                  PH_BUILD (b, Gather, ph_grad_shape (grad, ph_grad_in (grad, k)), ph_build_ints (b, (gint64[]) { i }, 1)));
            }
          g_string_append_c (back, label_letter (one));
        }
      for (guint m = 0; m < n_missing; m++)
        g_string_erase (back, strchr (back->str, label_letter (equation.label[k][missing[m]])) - back->str, 1);
      g_string_append_printf (text, "->%s", back->str);
      grad->dx[k] = ph_build_node (b, &ph_op_Einsum, inputs, n_inputs, PH_ATTRS (ph_attr_new_string ("equation", text->str)), 1);
      restore_axes (grad, &equation, k, missing, n_missing);
    }
  return TRUE;
}

/* Counts a product for each factor but one, and a sum, for each combination of all letters. */
static gint64
einsum_flops (const PhNode *node)
{
  guint n = node->inputs->len, ranks[PH_EQUATION_OPERANDS + 1] = {
    0,
  };
  gint64 size[128] = { 0, }, total = MAX (n, 1);
  PhEquation equation;

  for (guint k = 0; k < MIN (n, PH_EQUATION_OPERANDS); k++)
    {
      const PhType *type = ph_node_input (node, k)->type;

      if (type == NULL || !type->has_rank || !ph_type_is_static (type))
        return -1;
      ranks[k] = type->rank;
    }
  if (!ph_equation_parse (&equation, ph_node_attr_string (node, "equation", ""), ranks, n))
    return -1;
  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < equation.rank[k]; i++)
      size[equation.label[k][i]] = MAX (size[equation.label[k][i]], ph_node_input (node, k)->type->dims[i].size);
  for (guint i = 0; i < 128; i++)
    if (size[i] > 0)
      total *= size[i];
  return total;
}

#define FACTORS (PH_FLOATS | PH_INTEGERS)

/* clang-format off */
const PhOp ph_op_Einsum = {
  "Einsum", .since = 12, .flags = PH_OP_MULTILINEAR,
  .family = PH_FAMILY_LINEAR,
  .main_attrs = { "equation" },
  .example = { "a[2,3] b[3,4]", "y = Einsum <equation = \"ij,jk->ik\"> (a, b)", -1, 1 },
  .doc     = "Sums of products over axes that an equation names by letters.",
  .inputs  = { { "Inputs", 'T', FACTORS, PH_ARG_VARIADIC } }, .outputs = { { "Output", 'T', FACTORS } },
  .attrs   = { { "equation", PH_ATTR_STRING, .required = TRUE, .words = PH_ANY_TEXT } },
  .infer   = infer_einsum, .kernel = einsum_kernel, .grad_build = grad_einsum, .flops = einsum_flops,
  .grad_text = "dX = einsum(dY, the other inputs), the letters of X its result",
};
/* clang-format on */
