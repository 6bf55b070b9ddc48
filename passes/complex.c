/* complex.c: complex numbers as pairs of real ones, for conversions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   z = complex (a, b)        z: a, b
 *   y = transpose (z)    =>   y: transpose (a), transpose (b)
 *   r = abs (y)               r = ...
 */
#include "passes/complex.h"

#include <string.h>

#include "core/intern.h"
#include "core/ops/copy.h"
#include "passes/convert-aten.h"

PhComplex *
ph_complex_new (void)
{
  PhComplex *self = g_new (PhComplex, 1);

  self->pairs = g_hash_table_new (NULL, NULL);
  self->inputs = g_hash_table_new (NULL, NULL);
  self->split = g_array_new (FALSE, FALSE, sizeof (PhId));
  return self;
}

void
ph_complex_free (PhComplex *self)
{
  g_hash_table_unref (self->pairs);
  g_hash_table_unref (self->inputs);
  g_array_unref (self->split);
  g_free (self);
}

/* PyTorch's numbers of the types complex64 and complex128. */
static PhDType
asked_type (const PhNode *node)
{
  const gint64 code = ph_node_attr_int (node, "dtype", -1);

  return code == 9 ? PH_COMPLEX64 : code == 10 ? PH_COMPLEX128 : PH_UNDEFINED;
}

/* FFT, IRFFT2D and the like. */
static gboolean
is_tf_fourier (const char *op)
{
  return g_str_has_prefix (op, "FFT") || g_str_has_prefix (op, "IFFT") || g_str_has_prefix (op, "RFFT")
         || g_str_has_prefix (op, "IRFFT");
}

gboolean
ph_complex_touches (PhComplex *self, PhNode *node)
{
  static const char *const makers[] = { "complex", "polar", "view_as_complex", "stft", NULL };
  gboolean found = FALSE;

  if (strcmp (node->domain, "prim") == 0 || strcmp (node->op_type, "custom_call") == 0)
    return FALSE;
  if (strcmp (node->domain, "aten") == 0)
    found = g_strv_contains (makers, node->op_type)
            || (g_str_has_prefix (node->op_type, "fft_") && strstr (node->op_type, "freq") == NULL
                && strstr (node->op_type, "shift") == NULL)
            || asked_type (node) != PH_UNDEFINED;
  if (strcmp (node->domain, "tf") == 0)
    found = strcmp (node->op_type, "Complex") == 0 || is_tf_fourier (node->op_type);
  for (guint i = 0; i < node->inputs->len && !found; i++)
    found = ph_complex_is (self, node->inputs->pdata[i]);
  for (guint i = 0; i < node->outputs->len && !found; i++)
    found = ph_complex_is_type (ph_value_dtype (ph_node_output (node, i)));
  return found;
}

/* ── the same operator on each part ── */

static gboolean
set_real (PhGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    if (!ph_value_set_type (graph->inputs->pdata[i], ph_complex_real_type (((PhValue *) graph->inputs->pdata[i])->type), error))
      return FALSE;
  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; i < node->outputs->len; i++)
      if (!ph_value_set_type (ph_node_output (node, i), ph_complex_real_type (ph_node_output (node, i)->type), error))
        return FALSE;
  return TRUE;
}

/* Returns TRUE if all bodies only add, or take one of their operands: they do so with each part. */
static gboolean
has_linear_bodies (const PhNode *node)
{
  static const char *const simple[] = { "add", "return", NULL };

  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    PH_FOREACH_NODE (each, (PhGraph *) node->graphs->pdata[i])
      if (!g_strv_contains (simple, each->op_type))
        return FALSE;
  return TRUE;
}

static PhNode *
copy_for (PhComplex *self, PhNode *node, guint which, PhBuilder *b)
{
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  PhNode *copy;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *input = node->inputs->pdata[i];
      PhComplexPair pair;

      if (!ph_complex_is (self, input))
        continue;
      if (!ph_complex_parts (self, input, b, &pair))
        return NULL;
      g_hash_table_insert (map, input, which == 0 ? pair.re : ph_complex_imaginary (b, pair));
    }
  if (b->error != NULL)
    return NULL;
  copy = ph_copy_node (node, b->graph, b->before, map, &b->error);
  for (guint i = 0; copy != NULL && copy->graphs != NULL && i < copy->graphs->len; i++)
    if (!set_real (copy->graphs->pdata[i], &b->error))
      return NULL;
  for (guint i = 0; copy != NULL && i < copy->outputs->len; i++)
    if (!ph_value_set_type (ph_node_output (copy, i), ph_complex_real_type (ph_node_output (copy, i)->type), &b->error))
      return NULL;
  if (copy != NULL && asked_type (copy) != PH_UNDEFINED)
    {
      PhAttr *attr = ph_attr_new_int ("dtype", asked_type (copy) == PH_COMPLEX64 ? 6 : 7);

      if (!ph_node_set_attr (copy, "dtype", attr, &b->error))
        copy = NULL;
      ph_attr_unref (attr);
    }
  return copy;
}

static gboolean
split_linear (PhComplex *self, PhNode *node, PhBuilder *b)
{
  PhNode *copies[2];
  gboolean any = FALSE;

  for (guint i = 0; i < node->inputs->len; i++)
    any = any || ph_complex_is (self, node->inputs->pdata[i]);
  for (guint i = 0; i < 2; i++)
    if ((copies[i] = i == 0 || any ? copy_for (self, node, i, b) : NULL) == NULL && (i == 0 || any))
      return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    if (!ph_complex_keep (
            self, ph_node_output (node, i),
            (PhComplexPair) { ph_node_output (copies[0], i), copies[1] != NULL ? ph_node_output (copies[1], i) : NULL }, b))
      return FALSE;
  return TRUE;
}

/* Products of each part of one operand with each of the other. */
static gboolean
split_bilinear (PhComplex *self, PhNode *node, PhBuilder *b)
{
  PhComplexPair x, y;
  PhValue *product[2][2] = { { NULL } };

  if (node->inputs->len < 2 || ph_node_attr_int (node, "adj_x", 0) != 0 || ph_node_attr_int (node, "adj_y", 0) != 0
      || !ph_complex_parts (self, node->inputs->pdata[0], b, &x) || !ph_complex_parts (self, node->inputs->pdata[1], b, &y))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < 2; k++)
      {
        g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
        PhValue *u = i == 0 ? x.re : x.im, *v = k == 0 ? y.re : y.im;
        PhNode *copy;

        if (u == NULL || v == NULL || b->error != NULL)
          continue;
        g_hash_table_insert (map, node->inputs->pdata[0], u);
        g_hash_table_insert (map, node->inputs->pdata[1], v);
        copy = ph_copy_node (node, b->graph, b->before, map, &b->error);
        if (copy == NULL
            || !ph_value_set_type (ph_node_output (copy, 0), ph_complex_real_type (ph_node_output (copy, 0)->type), &b->error))
          return FALSE;
        /* One value squared: the map has one of both. */
        if (node->inputs->pdata[0] == node->inputs->pdata[1] && u != v
            && (!ph_node_set_input (copy, 0, u, &b->error) || !ph_node_set_input (copy, 1, v, &b->error)))
          return FALSE;
        /* An operand or a result past those is complex: the copies would be split for ever. */
        if (ph_complex_touches (self, copy))
          return FALSE;
        product[i][k] = ph_node_output (copy, 0);
      }
  return ph_complex_keep (
      self, ph_node_output (node, 0),
      (PhComplexPair) { product[1][1] != NULL ? PH_BUILD (b, Sub, product[0][0], product[1][1]) : product[0][0],
                        product[0][1] == NULL   ? product[1][0]
                        : product[1][0] == NULL ? product[0][1]
                                                : PH_BUILD (b, Add, product[0][1], product[1][0]) },
      b);
}

/* ── arithmetic ── */

/* Returns the name as StableHLO or PyTorch have it, without a system's. */
static const char *
plain (const char *name)
{
  /* clang-format off */
  static const char *const tf[][2] = {
    { "tf:ComplexAbs", "abs" }, { "tf:AddV2", "add" }, { "tf:RealDiv", "div" }, { "tf:Cast", "convert" }, { "tf:Equal", "eq" }, { "tf:NotEqual", "ne" }, { "tf:BatchMatMul", "matmul" },
    { "tf:BatchMatMulV2", "matmul" }, { "tf:BatchMatMulV3", "matmul" }, { "tf:ConcatV2", "concat" }, { "tf:Pack", "stack" }, { "tf:Unpack", "unbind" }, { "tf:ExpandDims", "unsqueeze" },
    { "tf:StridedSlice", "slice" }, { "tf:GatherV2", "gather" }, { "tf:GatherNd", "gather" }, { "tf:ReverseV2", "reverse" }, { "tf:BroadcastTo", "expand" }, { "tf:SelectV2", "select" },
    { "tf:Identity", "copy" }, { "tf:IdentityN", "copy" }, { "tf:StopGradient", "detach" }, { "tf:Snapshot", "copy" }, { "tf:SplitV", "split" }, { "tf:ZerosLike", "zeros_like" },
    { "tf:AddN", "sum" }, { "tf:ScatterNd", "scatter" },
  };
  /* clang-format on */
  const char *op = strchr (name, ':') != NULL ? strchr (name, ':') + 1 : name;
  g_autofree char *lower = g_str_has_prefix (name, "tf:") ? g_ascii_strdown (op, -1) : NULL;

  for (guint i = 0; lower != NULL && i < G_N_ELEMENTS (tf); i++)
    if (strcmp (tf[i][0], name) == 0)
      return tf[i][1];
  return lower != NULL ? ph_intern (lower) : op;
}

/* The second operand: a value, or PyTorch's number. */
static gboolean
second (PhComplex *self, PhNode *node, PhBuilder *b, PhValue *like, PhComplexPair *pair)
{
  const PhAttr *attr = ph_node_attr (node, "other");

  if (attr == NULL)
    attr = ph_node_attr (node, "exponent");
  if (node->inputs->len > 1)
    {
      if (!ph_complex_parts (self, node->inputs->pdata[1], b, pair))
        return FALSE;
      if (pair->im == NULL && ph_value_dtype (pair->re) != ph_value_dtype (like) && ph_value_dtype (like) != PH_UNDEFINED)
        pair->re = PH_BUILD (b, CastLike, pair->re, like);
      return TRUE;
    }
  if (attr == NULL || (attr->kind != PH_ATTR_INT && attr->kind != PH_ATTR_FLOAT))
    return FALSE;
  *pair = (PhComplexPair) { ph_complex_number (b, like, attr->kind == PH_ATTR_INT ? (double) attr->i : (double) attr->f), NULL };
  return TRUE;
}

static PhComplexPair
conjugate (PhBuilder *b, PhComplexPair x)
{
  return (PhComplexPair) { x.re, x.im != NULL ? PH_BUILD (b, Neg, x.im) : NULL };
}

static gboolean
add_sub (PhComplex *self, PhNode *node, const char *op, PhBuilder *b, PhComplexPair x, PhComplexPair y)
{
  const gboolean minus = op[0] == 's';
  PhValue *im = x.im;

  if (ph_node_attr (node, "alpha") != NULL && ph_node_attr_int (node, "alpha", 0) != 1)
    return FALSE;
  if (y.im != NULL)
    im = x.im == NULL ? (minus ? PH_BUILD (b, Neg, y.im) : y.im)
         : minus      ? PH_BUILD (b, Sub, x.im, y.im)
                      : PH_BUILD (b, Add, x.im, y.im);
  else if (x.im != NULL && ph_value_rank (y.re) != 0) /* as wide as the real part */
    im = PH_BUILD (b, Add, x.im, PH_BUILD (b, Expand, ph_complex_number (b, x.re, 0), PH_BUILD (b, Shape, y.re)));
  return ph_complex_keep (self, ph_node_output (node, 0),
                          (PhComplexPair) { minus ? PH_BUILD (b, Sub, x.re, y.re) : PH_BUILD (b, Add, x.re, y.re), im }, b);
}

static gboolean
split_binary (PhComplex *self, PhNode *node, const char *op, PhBuilder *b)
{
  PhComplexPair x, y, z;

  if (node->inputs->len < 1 || !ph_complex_parts (self, node->inputs->pdata[0], b, &x) || !second (self, node, b, x.re, &y))
    return FALSE;
  if (x.im == NULL && y.im != NULL && ph_value_dtype (x.re) != ph_value_dtype (y.re))
    x.re = PH_BUILD (b, CastLike, x.re, y.re);
  if (strcmp (op, "rsub") == 0)
    return add_sub (self, node, "sub", b, y, x);
  if (strcmp (op, "add") == 0 || strcmp (op, "sub") == 0 || strcmp (op, "subtract") == 0)
    return add_sub (self, node, op, b, x, y);
  if (strcmp (op, "mul") == 0 || strcmp (op, "multiply") == 0)
    z = ph_complex_multiply (b, x, y);
  else if (strcmp (op, "div") == 0 || strcmp (op, "divide") == 0)
    z = ph_complex_divide (b, x, y);
  else if (strcmp (op, "pow") == 0 && ph_node_attr_int (node, "exponent", 0) == 2)
    z = ph_complex_multiply (b, x, x);
  else if (strcmp (op, "maximum") == 0 || strcmp (op, "minimum") == 0)
    z = ph_complex_extreme (b, x, y, op[1] == 'a');
  else if (strcmp (op, "atan2") == 0)
    z = ph_complex_atan2 (b, x, y);
  else
    z = ph_complex_power (b, x, y);
  return ph_complex_keep (self, ph_node_output (node, 0), z, b);
}

/* The results that are real replace those of the node at once. */
static gboolean
give_real (PhNode *node, PhValue *value, PhBuilder *b)
{
  return b->error == NULL && value != NULL && node->outputs->len == 1 && ph_node_replace_all (node, &value, b);
}

static gboolean
split_compare (PhComplex *self, PhNode *node, const char *op, PhBuilder *b, gboolean *gone)
{
  const char *how = ph_node_attr_string (node, "comparison_direction", ph_node_attr_string (node, "direction", op));
  const gboolean same = g_ascii_strcasecmp (how, "eq") == 0;
  PhComplexPair x, y;
  PhValue *both;

  if ((!same && g_ascii_strcasecmp (how, "ne") != 0) || node->inputs->len < 1
      || !ph_complex_parts (self, node->inputs->pdata[0], b, &x) || !second (self, node, b, x.re, &y))
    return FALSE;
  both = PH_BUILD (b, And, PH_BUILD (b, Equal, x.re, y.re),
                   PH_BUILD (b, Equal, ph_complex_imaginary (b, x), ph_complex_imaginary (b, y)));
  *gone = TRUE;
  return give_real (node, same ? both : PH_BUILD (b, Not, both), b);
}

/* ── one node ── */

static gboolean
split_unary (PhComplex *self, PhNode *node, const char *name, PhBuilder *b, gboolean *gone, char **stays)
{
  const char *op = plain (name);
  PhComplexPair x, z = { NULL, NULL };

  if (node->inputs->len < 1 || !ph_complex_parts (self, node->inputs->pdata[0], b, &x))
    return FALSE;
  if (strcmp (op, "real") == 0 || strcmp (op, "imag") == 0 || strcmp (op, "abs") == 0 || strcmp (op, "angle") == 0
      || strcmp (op, "view_as_real") == 0)
    {
      *gone = TRUE;
      return give_real (node,
                        op[0] == 'r'              ? x.re
                        : op[0] == 'i'            ? ph_complex_imaginary (b, x)
                        : op[0] == 'v'            ? ph_complex_stacked (b, x)
                        : strcmp (op, "abs") == 0 ? ph_complex_abs (b, x)
                                                  : ph_complex_angle (b, x),
                        b);
    }
  if (strcmp (op, "view_as_complex") == 0)
    z = ph_complex_unstacked (b, x.re);
  else if (strcmp (op, "conj") == 0 || strcmp (op, "_conj") == 0 || strcmp (op, "conj_physical") == 0)
    z = conjugate (b, x);
  else if (strcmp (op, "resolve_conj") == 0 || strcmp (op, "resolve_neg") == 0)
    z = x;
  else if (strcmp (op, "fft") == 0 || strcmp (op, "stft") == 0 || strcmp (op, "istft") == 0 || g_str_has_prefix (op, "fft_")
           || is_tf_fourier (node->op_type))
    {
      if (!ph_complex_fourier (b, node, name, x, &z, stays))
        return FALSE;
      if (z.im == NULL) /* back to real numbers */
        {
          *gone = TRUE;
          return give_real (node, z.re, b);
        }
      if (strcmp (op, "stft") == 0 && ph_node_attr_int (node, "return_complex", 0) == 0)
        {
          *gone = TRUE;
          return give_real (node, ph_complex_stacked (b, z), b);
        }
    }
  else if (!ph_complex_function (b, op, &x, &z))
    return FALSE;
  return ph_complex_keep (self, ph_node_output (node, 0), z, b);
}

static gboolean
split_made (PhComplex *self, PhNode *node, const char *op, PhBuilder *b)
{
  PhValue *x = node->inputs->len > 0 ? ph_node_input (node, 0) : NULL,
          *y = node->inputs->len > 1 ? ph_node_input (node, 1) : NULL;

  if (x == NULL || y == NULL)
    return FALSE;
  if (strcmp (op, "polar") == 0)
    return ph_complex_keep (
        self, ph_node_output (node, 0),
        (PhComplexPair) { PH_BUILD (b, Mul, x, PH_BUILD (b, Cos, y)), PH_BUILD (b, Mul, x, PH_BUILD (b, Sin, y)) }, b);
  return ph_complex_keep (self, ph_node_output (node, 0), (PhComplexPair) { x, y }, b);
}

/* A constant of StableHLO is a node. */
static gboolean
split_constant (PhComplex *self, PhNode *node, PhBuilder *b)
{
  const PhAttr *value = ph_node_attr (node, "value");

  if (value == NULL || value->kind != PH_ATTR_TENSOR || !ph_complex_is_type (ph_tensor_dtype (value->tensor)))
    return FALSE;
  return ph_complex_keep (self, ph_node_output (node, 0),
                          (PhComplexPair) { ph_build_tensor (b, ph_complex_part_of (value->tensor, 0)),
                                            ph_build_tensor (b, ph_complex_part_of (value->tensor, 1)) },
                          b);
}

/* An element type to another: also from and to real numbers. */
static gboolean
split_cast (PhComplex *self, PhNode *node, PhBuilder *b, gboolean *gone)
{
  const PhType *type = ph_node_output (node, 0)->type;
  const PhDType asked = asked_type (node), dtype = type != NULL && type->kind == PH_KIND_TENSOR ? type->dtype : asked;
  PhComplexPair x;

  if (dtype == PH_UNDEFINED || !ph_complex_parts (self, node->inputs->pdata[0], b, &x))
    return FALSE;
  if (!ph_complex_is_type (dtype))
    {
      *gone = TRUE;
      return give_real (node, PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype)), x.re), b);
    }
  for (guint i = 0; i < 2; i++)
    {
      PhValue **part = i == 0 ? &x.re : &x.im;

      if (*part != NULL)
        *part = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE)), *part);
    }
  return ph_complex_keep (self, ph_node_output (node, 0), x, b);
}

static gboolean
split_bitcast (PhComplex *self, PhNode *node, PhBuilder *b, gboolean *gone)
{
  PhComplexPair x;

  if (!ph_complex_parts (self, ph_node_input (node, 0), b, &x) || !ph_complex_bitcast (b, node, &x))
    return FALSE;
  *gone = x.im == NULL;
  return *gone ? give_real (node, x.re, b) : ph_complex_keep (self, ph_node_output (node, 0), x, b);
}

gboolean
ph_complex_split_node (PhComplex *self, PhNode *node, const char *name, PhBuilder *b, gboolean *gone, char **stays)
{
  /* clang-format off */
  static const char *const linear[] = {
    "broadcast_in_dim", "dynamic_broadcast_in_dim", "reshape", "dynamic_reshape", "transpose", "slice", "dynamic_slice", "real_dynamic_slice", "dynamic_update_slice", "concatenate", "pad", "dynamic_pad",
    "select", "gather", "dynamic_gather", "reverse", "scatter", "reduce", "reduce_window", "copy", "optimization_barrier", "iota", "bitcast", "negate",
    "view", "flatten", "permute", "t", "mT", "numpy_T", "unsqueeze", "squeeze", "narrow", "expand", "expand_as", "repeat", "cat", "concat", "stack", "roll", "flip", "index", "index_select",
    "clone", "contiguous", "fill", "detach", "alias", "movedim", "swapaxes", "swapdims", "split", "split_with_sizes", "chunk", "unbind", "sum", "mean", "cumsum", "neg", "tril", "triu", "constant_pad_nd", "fft_fftshift", "fft_ifftshift",
    "zeros", "zeros_like", "new_zeros", "empty", "ones", "full", "copy_", "slice_scatter", "select_scatter", "__getitem__", "_unsafe_view", "view_as", "reshape_as", "unflatten", "diff", "index_put", "tile", "diagonal", "lift_fresh", NULL
  };
  static const char *const bilinear[] = { "dot_general", "convolution", "matmul", "mm", "bmm", "mv", "dot", "einsum", NULL };
  static const char *const binary[] = { "add", "sub", "subtract", "rsub", "mul", "multiply", "div", "divide", "pow", "power", "maximum", "minimum", "atan2", NULL };
  /* clang-format on */
  const char *op = plain (name);
  PhValue *empty = node->outputs->len == 1 && node->graphs == NULL ? ph_complex_empty (ph_node_output (node, 0)->type, b) : NULL;

  if (empty != NULL)
    {
      *gone = !ph_complex_is (self, ph_node_output (node, 0));
      return *gone ? give_real (node, empty, b)
                   : ph_complex_keep (self, ph_node_output (node, 0), (PhComplexPair) { empty, empty }, b);
    }
  if (node->graphs != NULL && !(g_strv_contains (linear, op) && has_linear_bodies (node)))
    return ph_complex_split_bodies (self, node, b, stays);
  if (strcmp (op, "complex") == 0 || strcmp (op, "polar") == 0)
    return split_made (self, node, op, b);
  if (strcmp (op, "constant") == 0)
    return split_constant (self, node, b);
  if (strcmp (op, "bitcast_convert") == 0)
    return split_bitcast (self, node, b, gone);
  if (strcmp (op, "convert") == 0 || strcmp (op, "to") == 0 || strcmp (op, "_to_copy") == 0)
    return split_cast (self, node, b, gone);
  if (strcmp (op, "compare") == 0 || strcmp (op, "eq") == 0 || strcmp (op, "ne") == 0)
    return split_compare (self, node, op, b, gone);
  if (g_strv_contains (linear, op))
    return split_linear (self, node, b);
  if (g_strv_contains (bilinear, op))
    return split_bilinear (self, node, b);
  if (g_strv_contains (binary, op))
    return split_binary (self, node, op, b);
  return split_unary (self, node, name, b, gone, stays);
}

/* After a rewrite that was given up: an input that it split is whole again. */
static void
forget_input (PhComplex *self, const PhValue *input)
{
  gpointer both = input != NULL ? g_hash_table_lookup (self->inputs, GUINT_TO_POINTER (input->id)) : NULL;

  if (both == NULL || ph_model_find_value (input->graph->model, GPOINTER_TO_UINT (both)) != NULL)
    return;
  g_hash_table_remove (self->inputs, GUINT_TO_POINTER (input->id));
  g_hash_table_remove (self->pairs, GUINT_TO_POINTER (input->id));
}

gboolean
ph_complex_split (PhComplex *self, PhPassRun *run, PhNode *node, const char *name, char **stays, GError **error)
{
  PhBuilder b = { .graph = node->graph, .before = node, .role = node->role, .partner = node->partner, .device = node->device };
  const PhId id = node->id;
  gboolean gone = FALSE, ok;

  if (!ph_pass_begin (run, "complex", node, "ONNX has no complex numbers, so both parts are computed as real ones."))
    return FALSE;
  if (ph_model_opset (run->model, "") == 0)
    ph_model_set_opset (run->model, "", PH_OPSET_NEWEST);
  ok = ph_complex_split_node (self, node, name, &b, &gone, stays) && b.error == NULL;
  if (ok)
    {
      if (!gone)
        g_array_append_val (self->split, id);
      ph_pass_end (run);
      return TRUE;
    }
  ph_pass_abort (run);
  for (guint i = 0; i < node->outputs->len; i++)
    g_hash_table_remove (self->pairs, GUINT_TO_POINTER (ph_node_output (node, i)->id));
  for (guint i = 0; i < node->inputs->len; i++)
    forget_input (self, ph_node_input (node, i));
  if (*stays == NULL)
    *stays = g_strdup (b.error != NULL ? b.error->message : "it has no rule for complex numbers");
  g_clear_error (&b.error);
  return TRUE;
}

/* ── the end ── */

static gboolean
finish_outputs (PhComplex *self, PhModel *model, GError **error)
{
  PhBuilder b = { .graph = model->graph };

  for (guint i = 0; i < model->graph->outputs->len; i++)
    {
      PhValue *output = model->graph->outputs->pdata[i], *both;
      PhComplexPair pair;

      if (!ph_complex_held (self, output, &pair))
        continue;
      both = ph_complex_stacked (&b, pair);
      if (b.error != NULL || !ph_graph_set_output (model->graph, i, both, &b.error))
        return ph_builder_finish (&b, error);
    }
  return ph_builder_finish (&b, error);
}

gboolean
ph_complex_finish (PhComplex *self, PhPassRun *run, GError **error)
{
  GHashTableIter iter;
  gpointer id, both;

  if (g_hash_table_size (self->pairs) == 0)
    return TRUE;
  if (!ph_pass_begin (run, "complex", NULL,
                      "Both parts of complex numbers stand for them, at the borders of the model along a last dimension."))
    return TRUE;
  if (!finish_outputs (self, run->model, error))
    return FALSE;
  for (guint i = self->split->len; i-- > 0;)
    {
      PhNode *node = ph_model_find_node (run->model, g_array_index (self->split, PhId, i));

      if (node != NULL)
        ph_graph_remove_dead (node);
    }
  g_hash_table_iter_init (&iter, self->pairs);
  while (g_hash_table_iter_next (&iter, &id, &both))
    {
      PhNode *holder = ph_model_find_node (run->model, GPOINTER_TO_UINT (both));

      if (holder != NULL)
        ph_graph_remove_dead (holder);
    }
  g_hash_table_iter_init (&iter, self->inputs);
  while (g_hash_table_iter_next (&iter, &id, &both))
    {
      PhValue *input = ph_model_find_value (run->model, GPOINTER_TO_UINT (id));
      g_autofree char *name = input != NULL ? g_strdup (input->name) : NULL;

      if (input == NULL || ph_value_n_uses (input) > 0)
        continue;
      if (!ph_graph_remove_value (input, error)
          || !ph_value_rename (ph_model_find_value (run->model, GPOINTER_TO_UINT (both)), name, error))
        return FALSE;
    }
  ph_pass_end (run);
  return TRUE;
}
