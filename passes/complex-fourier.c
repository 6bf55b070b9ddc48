/* complex-fourier.c: Fourier transforms of StableHLO, PyTorch and TensorFlow as ONNX's DFT, one dimension after the other.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/complex.h"

#include <math.h>
#include <string.h>

#define BUILD(op_, ...) PH_BUILD (b, op_, __VA_ARGS__)
#define MOST            (1 << 26) /* frames, or elements of one, that are added up */

static PhValue *
ints (PhBuilder *b, gint64 number)
{
  return ph_build_ints (b, &number, 1);
}

static PhValue *
unsqueezed (PhBuilder *b, PhValue *x)
{
  return x != NULL ? BUILD (Unsqueeze, x, ints (b, -1)) : NULL;
}

/* Elements from @from to @to along @axis, the other way round where @back. */
static PhValue *
part (PhBuilder *b, PhValue *x, int axis, gint64 from, gint64 to, gboolean back)
{
  return back ? BUILD (Slice, x, ints (b, to - 1), ints (b, from > 0 ? from - 1 : G_MININT64), ints (b, axis), ints (b, -1))
              : BUILD (Slice, x, ints (b, from), ints (b, to), ints (b, axis));
}

static PhValue *
behind (PhBuilder *b, PhValue *x, PhValue *y, int axis)
{
  PhValue *both[] = { x, y };

  return ph_build_node (b, &ph_op_Concat, both, 2, PH_ATTRS (ph_attr_new_int ("axis", axis)), 1);
}

/* Cuts or fills up with zeros to @n elements along @axis. */
static PhValue *
sized (PhBuilder *b, PhValue *x, int axis, gint64 n)
{
  const gint64 has = ph_value_dim (x, axis);
  gint64 pads[2 * PH_MAX_RANK] = { 0 };

  if (x == NULL || ph_value_rank (x) <= axis)
    return NULL;
  if (has == n)
    return x;
  if (has > n)
    return part (b, x, axis, 0, n, FALSE);
  pads[ph_value_rank (x) + axis] = n - has;
  return BUILD (Pad, x, ph_build_ints (b, pads, 2 * (gsize) ph_value_rank (x)));
}

/* The transform along @axis of all of @n elements. */
static PhComplexPair
transform (PhBuilder *b, PhComplexPair x, int axis, gint64 n, gboolean inverse)
{
  PhValue *both, *found;

  x.re = sized (b, x.re, axis, n);
  x.im = x.im != NULL ? sized (b, x.im, axis, n) : NULL;
  both = unsqueezed (b, x.re);
  if (x.im != NULL)
    both = behind (b, both, unsqueezed (b, x.im), -1);
  found = ph_build_node (b, &ph_op_DFT, PH_VALUES_ (both, NULL, ph_build_scalar (b, PH_INT64, axis)), 3,
                         PH_ATTRS (ph_attr_new_int ("inverse", inverse)), 1);
  for (guint i = 0; i < 2; i++)
    *(i == 0 ? &x.re : &x.im) = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)), found,
                                               ph_build_scalar (b, PH_INT64, i));
  return x;
}

/* The second half of the transform of real numbers is the conjugate of the first, backwards. */
static PhComplexPair
completed (PhBuilder *b, PhComplexPair x, int axis, gint64 n)
{
  const gint64 half = n / 2 + 1;

  x.re = sized (b, x.re, axis, half);
  x.im = sized (b, ph_complex_imaginary (b, x), axis, half);
  if (n > 2 || n == 2)
    {
      const gint64 end = (n + 1) / 2;

      if (end > 1)
        {
          x.re = behind (b, x.re, part (b, x.re, axis, 1, end, TRUE), axis);
          x.im = behind (b, x.im, BUILD (Neg, part (b, x.im, axis, 1, end, TRUE)), axis);
        }
    }
  /* What makes no difference to real numbers is left out: the imaginary part of the first element. */
  return x;
}

static PhComplexPair
times (PhBuilder *b, PhComplexPair x, double factor)
{
  if (factor == 1)
    return x;
  return (PhComplexPair) { BUILD (Mul, x.re, ph_complex_number (b, x.re, factor)),
                           x.im != NULL ? BUILD (Mul, x.im, ph_complex_number (b, x.im, factor)) : NULL };
}

typedef struct
{
  gboolean inverse, real; /* of or to real numbers */
  guint n;
  int axes[PH_MAX_RANK];
  gint64 sizes[PH_MAX_RANK]; /* of what is not in frequencies                                        */
  double factor;             /* on top of 1 / n for the inverse                                      */
} Plan;

static gboolean
run (PhBuilder *b, PhComplexPair x, const Plan *plan, PhComplexPair *result)
{
  const int last = plan->axes[plan->n - 1];
  const gint64 size = plan->sizes[plan->n - 1];

  if (plan->real && plan->inverse)
    {
      for (guint i = 0; i + 1 < plan->n; i++)
        x = transform (b, x, plan->axes[i], plan->sizes[i], TRUE);
      x = transform (b, completed (b, x, last, size), last, size, TRUE);
      x.im = NULL;
    }
  else
    for (guint i = plan->n; i-- > 0;)
      {
        x = transform (b, x, plan->axes[i], plan->sizes[i], plan->inverse);
        if (plan->real && i + 1 == plan->n)
          {
            x.re = part (b, x.re, last, 0, size / 2 + 1, FALSE);
            x.im = part (b, x.im, last, 0, size / 2 + 1, FALSE);
          }
      }
  *result = times (b, x, plan->factor);
  return TRUE;
}

static gboolean
stay (char **stays, const char *why)
{
  g_free (*stays);
  *stays = g_strdup (why);
  return FALSE;
}

/* The size that is computed, where that is a known number: fft_irfft (x, x.size (-1)). -1: there is none, -2: it is not known. */
static gint64
computed_size (PhNode *node)
{
  const gint64 index = ph_node_attr_int (node, "n_input", -1);
  PhValue *value = index >= 0 && index < node->inputs->len ? ph_node_input (node, (guint) index) : NULL;
  PhTensor *known = value != NULL ? ph_value_constant (value) : NULL;

  if (index < 0)
    return -1;
  return known != NULL && ph_dtype_is_integer (ph_tensor_dtype (known)) && ph_tensor_count (known) == 1
                 && ph_tensor_get_int (known, 0) > 0
             ? ph_tensor_get_int (known, 0)
             : -2;
}

/* fft_fft2 (self, s, dim, norm), fft_rfft (self, n, dim, norm), ... */
static gboolean
plan_torch (PhNode *node, const char *name, PhComplexPair x, Plan *plan, char **stays)
{
  const char *kind = name + strlen ("aten:fft_"), *norm = ph_node_attr_string (node, "norm", "backward");
  const gboolean inverse = kind[0] == 'i', real = strstr (kind, "rfft") != NULL;
  const gboolean one = g_str_has_suffix (kind, "fft"), two = g_str_has_suffix (kind, "2");
  const PhAttr *sizes = ph_node_attr (node, one ? "n" : "s"), *dims = ph_node_attr (node, "dim");
  const int rank = ph_value_rank (x.re);
  double all = 1;

  if (strstr (kind, "hfft") != NULL || (dims != NULL && dims->kind != PH_ATTR_INT && dims->kind != PH_ATTR_INTS)
      || (sizes != NULL && sizes->kind != PH_ATTR_INT && sizes->kind != PH_ATTR_INTS) || computed_size (node) == -2
      || ph_node_attr (node, "s_input") != NULL || ph_node_attr (node, "dim_input") != NULL)
    return stay (stays, "its sizes or dimensions are not known");
  plan->n = dims != NULL && dims->kind == PH_ATTR_INTS     ? (guint) dims->n
            : one                                          ? 1
            : two                                          ? 2
            : sizes != NULL && sizes->kind == PH_ATTR_INTS ? (guint) sizes->n
                                                           : (guint) rank;
  if (plan->n < 1 || plan->n > (guint) rank || (sizes != NULL && sizes->kind == PH_ATTR_INTS && sizes->n != plan->n))
    return stay (stays, "its sizes and dimensions are not as many");
  for (guint i = 0; i < plan->n; i++)
    {
      const gint64 axis = dims == NULL ? (gint64) i - (gint64) plan->n : dims->kind == PH_ATTR_INTS ? dims->ints[i] : dims->i;
      gint64 size = sizes == NULL ? computed_size (node) : sizes->kind == PH_ATTR_INTS ? sizes->ints[i] : sizes->i;

      plan->axes[i] = (int) (axis < 0 ? axis + rank : axis);
      if (plan->axes[i] < 0 || plan->axes[i] >= rank)
        return stay (stays, "its operand has no such dimension");
      if (size < 0)
        {
          size = ph_value_dim (x.re, plan->axes[i]);
          if (real && inverse && i + 1 == plan->n)
            size = 2 * (size - 1);
        }
      if (size < 1)
        return stay (stays, "the size of its dimension is not known");
      plan->sizes[i] = size;
      all *= (double) size;
    }
  plan->inverse = inverse;
  plan->real = real;
  plan->factor = strcmp (norm, "ortho") == 0     ? (inverse ? sqrt (all) : 1 / sqrt (all))
                 : strcmp (norm, "forward") == 0 ? (inverse ? all : 1 / all)
                                                 : 1;
  return TRUE;
}

static PhTensor *
whole_numbers (PhNode *node, guint input)
{
  PhTensor *tensor = node->inputs->len > input && ph_node_input (node, input) != NULL
                         ? ph_value_constant (ph_node_input (node, input))
                         : NULL;

  return tensor != NULL && ph_dtype_is_integer (ph_tensor_dtype (tensor)) && ph_tensor_count (tensor) <= PH_MAX_RANK ? tensor
                                                                                                                     : NULL;
}

/* FFT2D (x), IRFFT (x, fft_length), ... over the last dimensions; FFTND (x, fft_length, axes). */
static gboolean
plan_tensorflow (PhNode *node, const char *name, PhComplexPair x, Plan *plan, char **stays)
{
  const char *kind = name + strlen ("tf:");
  const int rank = ph_value_rank (x.re);
  const gboolean any = g_str_has_suffix (kind, "ND");
  PhTensor *length = whole_numbers (node, 1), *axes = any ? whole_numbers (node, 2) : NULL;

  plan->inverse = kind[0] == 'I';
  plan->real = strstr (kind, "RFFT") != NULL;
  plan->factor = 1;
  plan->n = g_str_has_suffix (kind, "2D")   ? 2
            : g_str_has_suffix (kind, "3D") ? 3
            : axes != NULL                  ? (guint) ph_tensor_count (axes)
                                            : 1;
  if (plan->n < 1 || plan->n > (guint) rank || (any && axes == NULL)
      || ((plan->real || any) && (length == NULL || ph_tensor_count (length) != plan->n)))
    return stay (stays, "its length is not known, or has more dimensions than its operand");
  for (guint i = 0; i < plan->n; i++)
    {
      const gint64 axis = axes != NULL ? ph_tensor_get_int (axes, i) : (gint64) i - plan->n;

      if (axis < -rank || axis >= rank)
        return stay (stays, "its operand has no such dimension");
      plan->axes[i] = (int) (axis < 0 ? axis + rank : axis);
      plan->sizes[i] = plan->real || any ? ph_tensor_get_int (length, i) : ph_value_dim (x.re, plan->axes[i]);
      if (plan->sizes[i] < 1)
        return stay (stays, "the size of its dimension is not known: give the inputs their sizes first, by bind-dimensions");
    }
  return TRUE;
}

/* fft_type is in the attribute's text, fft_length says of how many dimensions. */
static gboolean
plan_hlo (PhNode *node, PhComplexPair x, Plan *plan, char **stays)
{
  const char *type = ph_node_attr_string (node, "fft_type", "FFT");
  const PhAttr *length = ph_node_attr (node, "fft_length");
  const int rank = ph_value_rank (x.re);

  if (length == NULL || (length->kind != PH_ATTR_INTS && length->kind != PH_ATTR_INT))
    return stay (stays, "its length is not known");
  plan->n = length->kind == PH_ATTR_INTS ? (guint) length->n : 1;
  plan->inverse = strstr (type, "IFFT") != NULL || strstr (type, "IRFFT") != NULL;
  plan->real = strstr (type, "RFFT") != NULL;
  plan->factor = 1;
  if (plan->n < 1 || plan->n > (guint) rank)
    return stay (stays, "its length has more dimensions than its operand");
  for (guint i = 0; i < plan->n; i++)
    {
      plan->axes[i] = rank - (int) plan->n + (int) i;
      plan->sizes[i] = length->kind == PH_ATTR_INTS ? length->ints[i] : length->i;
      if (plan->sizes[i] < 1)
        return stay (stays, "its length is not known");
    }
  return TRUE;
}

/* stft (self, n_fft, hop_length, win_length, window, normalized, onesided, return_complex). */
static gboolean
short_time (PhBuilder *b, PhNode *node, PhComplexPair x, PhComplexPair *result, char **stays)
{
  const gint64 n = ph_node_attr_int (node, "n_fft", -1), hop = ph_node_attr_int (node, "hop_length", n / 4),
               length = ph_node_attr_int (node, "win_length", n);
  const gboolean onesided = ph_node_attr_int (node, "onesided", 1) != 0;
  PhValue *signal = x.re, *window = node->inputs->len > 1 ? ph_node_input (node, 1) : NULL, *found;
  const int rank = ph_value_rank (x.re);
  gint64 perm[] = { 0, 2, 1 };

  if (n < 1 || hop < 1 || length < 1 || length > n || x.im != NULL || (rank != 1 && rank != 2))
    return stay (stays, "its sizes are not known, or its signal is complex");
  if (window == NULL)
    window = BUILD (Expand, ph_complex_number (b, signal, 1), ints (b, length));
  if (length < n)
    {
      const gint64 low = (n - length) / 2, pads[] = { low, n - length - low };

      window = BUILD (Pad, window, ph_build_ints (b, pads, 2));
    }
  if (rank == 1)
    signal = BUILD (Unsqueeze, signal, ints (b, 0));
  found = PH_BUILD_WITH (b, STFT, PH_ATTRS (ph_attr_new_int ("onesided", onesided)), unsqueezed (b, signal),
                         ph_build_scalar (b, PH_INT64, (double) hop), window, ph_build_scalar (b, PH_INT64, (double) n));
  for (guint i = 0; i < 2; i++)
    {
      PhValue *each = PH_BUILD_WITH (b, Gather, PH_ATTRS (ph_attr_new_int ("axis", -1)), found, ph_build_scalar (b, PH_INT64, i));

      each = PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 3)), each);
      *(i == 0 ? &result->re : &result->im) = rank == 1 ? BUILD (Squeeze, each, ints (b, 0)) : each;
    }
  *result = times (b, *result, ph_node_attr_int (node, "normalized", 0) != 0 ? 1 / sqrt ((double) n) : 1);
  return TRUE;
}

/* Adds up frames, of [batch, n, count], at every @hop-th place, and cuts out what lies from @start to @end. */
static PhValue *
overlapped (PhBuilder *b, PhValue *frames, gint64 n, gint64 hop, gint64 whole, gint64 start, gint64 end)
{
  const gint64 image[] = { 1, whole }, block[] = { 1, n }, steps[] = { 1, hop }, axes[] = { 1, 2 };
  PhValue *sum = PH_BUILD_WITH (b, Col2Im, PH_ATTRS (ph_attr_new_ints ("strides", steps, 2)), frames, ph_build_ints (b, image, 2),
                                ph_build_ints (b, block, 2));

  return part (b, PH_BUILD (b, Squeeze, sum, ph_build_ints (b, axes, 2)), 1, start, end, FALSE);
}

/* istft (self, n_fft, hop_length, win_length, window, center, normalized, onesided, length): the frames, each in its window, are added up and
 * divided by what the windows add up to. */
static gboolean
from_short_time (PhBuilder *b, PhNode *node, PhComplexPair x, PhComplexPair *result, char **stays)
{
  const gint64 n = ph_node_attr_int (node, "n_fft", -1), hop = ph_node_attr_int (node, "hop_length", n / 4),
               width = ph_node_attr_int (node, "win_length", n), asked = ph_node_attr_int (node, "length_input", -1);
  const gboolean centred = ph_node_attr_int (node, "center", 1) != 0;
  const int rank = ph_value_rank (x.re);
  const gint64 bins = rank >= 2 ? ph_value_dim (x.re, rank - 2) : -1, count = rank >= 2 ? ph_value_dim (x.re, rank - 1) : -1,
               middle = 1;
  PhTensor *known = asked >= 0 && asked < node->inputs->len ? ph_value_constant (ph_node_input (node, (guint) asked)) : NULL;
  gint64 length = known != NULL ? ph_tensor_get_int (known, 0) : ph_node_attr_int (node, "length", -1), start, end, whole;
  PhValue *window = node->inputs->len > 1 && asked != 1 ? ph_node_input (node, 1) : NULL, *frames, *sum, *weights;
  Plan plan = { .inverse = TRUE, .real = bins == n / 2 + 1, .n = 1, .axes = { 1 }, .sizes = { n }, .factor = 1 };

  if (n < 1 || n > MOST || hop < 1 || hop > MOST || width < 1 || width > n || count < 1 || count > MOST || length > MOST
      || rank > 3 || (bins != n && bins != n / 2 + 1) || (asked >= 0 && known == NULL)
      || ph_node_attr_int (node, "return_complex", 0) != 0)
    return stay (stays, "its sizes are not known");
  whole = (count - 1) * hop + n;
  if (window == NULL)
    window = BUILD (Expand, ph_complex_number (b, x.re, 1), ints (b, width));
  if (width < n)
    {
      const gint64 low = (n - width) / 2, pads[] = { low, n - width - low };

      window = BUILD (Pad, window, ph_build_ints (b, pads, 2));
    }
  window = PH_BUILD (b, Unsqueeze, window, ph_build_ints (b, &middle, 1));
  if (rank == 2)
    x = (PhComplexPair) { BUILD (Unsqueeze, x.re, ints (b, 0)), x.im != NULL ? BUILD (Unsqueeze, x.im, ints (b, 0)) : NULL };
  if (!run (b, x, &plan, result))
    return FALSE;
  frames
      = times (b, (PhComplexPair) { result->re, NULL }, ph_node_attr_int (node, "normalized", 0) != 0 ? sqrt ((double) n) : 1).re;
  frames = PH_BUILD (b, Mul, frames, window);
  weights = PH_BUILD (b, Expand, PH_BUILD (b, Mul, window, window), ph_build_ints (b, (gint64[]) { 1, n, count }, 3));
  start = centred ? n / 2 : 0;
  end = length >= 0 ? start + length : whole - start;
  sum = PH_BUILD (b, Div, overlapped (b, frames, n, hop, whole, start, MIN (end, whole)),
                  overlapped (b, weights, n, hop, whole, start, MIN (end, whole)));
  if (end > whole)
    sum = PH_BUILD (b, Pad, sum, ph_build_ints (b, (gint64[]) { 0, 0, 0, end - whole }, 4));
  *result = (PhComplexPair) { rank == 2 ? BUILD (Squeeze, sum, ints (b, 0)) : sum, NULL };
  return TRUE;
}

gboolean
ph_complex_fourier (PhBuilder *b, PhNode *node, const char *name, PhComplexPair x, PhComplexPair *result, char **stays)
{
  Plan plan = { 0 };

  if (x.re == NULL || ph_value_rank (x.re) < 1 || !ph_dtype_is_float (ph_value_dtype (x.re)))
    return stay (stays, "its operand is not of floats of a known rank");
  for (int i = 0; i < ph_value_rank (x.re); i++)
    if (ph_value_dim (x.re, i) == 0)
      return stay (stays, "its operand has no elements");
  if (strcmp (name, "aten:stft") == 0)
    return short_time (b, node, x, result, stays);
  if (strcmp (name, "aten:istft") == 0)
    return from_short_time (b, node, x, result, stays);
  return (g_str_has_prefix (name, "aten:") ? plan_torch (node, name, x, &plan, stays)
          : g_str_has_prefix (name, "tf:") ? plan_tensorflow (node, name, x, &plan, stays)
                                           : plan_hlo (node, x, &plan, stays))
         && run (b, x, &plan, result);
}
