/* convert-window.c: helpers of the rules for oneDNN, MindSpore and TVM: numbers in attributes, convolutions and pools in any layout.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "passes/convert-foreign.h"

gboolean
ph_foreign_as (PhConvert *l, const char *name, PhValue **out)
{
  const PhConvertRule *rule = ph_convert_find (name);
  const char *own = l->op;
  gboolean ok;

  if (rule == NULL)
    return ph_convert_stay (l, "it has no rule");
  l->op = name;
  ok = rule->lower (l, out);
  l->op = own;
  return ok;
}

/* ── numbers ── */

/* Returns the integers listed in @text; NULL if it contains a name beyond the words that may surround numbers. */
static GArray *
listed (const char *text)
{
  static const char *const words[] = { "R", "T", "shape", "int64", "int32", "None", "prim_value", NULL };
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));

  while (*text != '\0')
    if (g_ascii_isdigit (*text) || (*text == '-' && g_ascii_isdigit (text[1])))
      {
        char *end;
        const gint64 number = g_ascii_strtoll (text, &end, 10);

        if (*end == '.' || *end == 'e' || *end == '*' || *end == '+' || *end == '/')
          return NULL;
        g_array_append_val (ints, number);
        text = end;
      }
    else if (g_ascii_isalpha (*text) || *text == '_')
      {
        const gsize n = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        g_autofree char *word = g_strndup (text, n);

        if (!g_strv_contains (words, word))
          return NULL;
        text += n;
      }
    else if (strchr ("*+/%", *text) != NULL)
      return NULL;
    else
      text++;
  return g_steal_pointer (&ints);
}

GArray *
ph_foreign_attr_ints (const PhConvert *l, const char *name)
{
  const PhAttr *attr = ph_node_attr (l->node, name);
  GArray *ints;

  if (attr == NULL)
    return NULL;
  if (attr->kind == PH_ATTR_STRING)
    return listed (ph_node_attr_string (l->node, name, ""));
  if (attr->kind != PH_ATTR_INT && attr->kind != PH_ATTR_INTS)
    return NULL;
  ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_vals (ints, attr->kind == PH_ATTR_INT ? &attr->i : attr->ints, attr->kind == PH_ATTR_INT ? 1 : (guint) attr->n);
  return ints;
}

gint64
ph_foreign_attr_int (const PhConvert *l, const char *name, gint64 fallback)
{
  g_autoptr (GArray) ints = ph_foreign_attr_ints (l, name);
  const char *text = ph_node_attr_string (l->node, name, "");

  if (strcmp (text, "True") == 0 || strcmp (text, "true") == 0)
    return 1;
  return ints != NULL && ints->len > 0 ? g_array_index (ints, gint64, 0) : fallback;
}

double
ph_foreign_attr_number (const PhConvert *l, const char *name, double fallback)
{
  const PhAttr *attr = ph_node_attr (l->node, name);
  const char *text;
  char *end;
  double number;

  if (attr == NULL)
    return fallback;
  if (attr->kind == PH_ATTR_FLOAT)
    return (double) attr->f;
  if (attr->kind == PH_ATTR_INT)
    return (double) attr->i;
  text = ph_node_attr_string (l->node, name, "");
  number = g_ascii_strtod (text, &end);
  return end != text ? number : fallback;
}

gboolean
ph_foreign_fill (const PhConvert *l, const char *name, gint64 *to, guint n)
{
  g_autoptr (GArray) ints = ph_foreign_attr_ints (l, name);

  if (ints == NULL)
    return ph_node_attr (l->node, name) == NULL;
  for (guint i = 0; i < n && ints->len > 0; i++)
    if (ints->len == 1)
      to[i] = g_array_index (ints, gint64, 0);
    else if (ints->len >= n)
      to[i] = g_array_index (ints, gint64, ints->len - n + i);
  return TRUE;
}

/* ── axes ── */

PhValue *
ph_foreign_swapped (PhConvert *l, PhValue *value)
{
  const int rank = value != NULL ? ph_value_rank (value) : -1;
  gint64 perm[PH_MAX_RANK];

  if (rank < 0)
    {
      ph_convert_stay (l, "the rank of its operands is not known");
      return NULL;
    }
  if (rank < 2)
    return value;
  for (int i = 0; i < rank; i++)
    perm[i] = i < rank - 2 ? i : i == rank - 2 ? rank - 1 : rank - 2;
  return ph_convert_transpose (l, value, perm, (guint) rank);
}

static PhValue *
move_channels (PhConvert *l, PhValue *value, gboolean to_second)
{
  const int rank = value != NULL ? ph_value_rank (value) : -1;
  gint64 perm[PH_MAX_RANK] = { 0 };

  if (rank < 2)
    {
      ph_convert_stay (l, "the rank of its operand is not known");
      return NULL;
    }
  for (int i = 1; i < rank; i++)
    perm[i] = to_second ? (i == 1 ? rank - 1 : i - 1) : (i == rank - 1 ? 1 : i + 1);
  return ph_convert_transpose (l, value, perm, (guint) rank);
}

PhValue *
ph_foreign_channels_second (PhConvert *l, PhValue *value)
{
  return move_channels (l, value, TRUE);
}

PhValue *
ph_foreign_channels_last (PhConvert *l, PhValue *value)
{
  return move_channels (l, value, FALSE);
}

gboolean
ph_foreign_batch_norm (PhConvert *l, gboolean last, PhValue **out)
{
  PhValue *x = last ? ph_foreign_channels_second (l, l->in[0]) : l->in[0], *y;

  if (x == NULL || l->n_in < 5)
    return ph_convert_stay (l, "it has fewer than 5 operands");
  y = PH_BUILD_WITH (l->b, BatchNormalization,
                     PH_ATTRS (ph_attr_new_float ("epsilon", (float) ph_foreign_attr_number (l, "epsilon", 1e-5))), x, l->in[1],
                     l->in[2], l->in[3], l->in[4]);
  out[0] = y != NULL && last ? ph_foreign_channels_last (l, y) : y;
  return out[0] != NULL;
}

PhValue *
ph_foreign_along (PhConvert *l, PhValue *bias, int rank, int axis)
{
  gint64 dims[PH_MAX_RANK];

  if (rank <= 0 || axis >= rank || axis < -rank)
    {
      ph_convert_stay (l, "the rank of its operand is not known");
      return NULL;
    }
  axis += axis < 0 ? rank : 0;
  if (axis == rank - 1 || bias == NULL)
    return bias;
  for (int i = 0; i < rank - axis; i++)
    dims[i] = i == 0 ? -1 : 1;
  return PH_BUILD (l->b, Reshape, bias, ph_convert_ints_value (l, dims, (gsize) (rank - axis)));
}

/* ── convolutions and pools ── */

gboolean
ph_foreign_conv (PhConvert *l, PhForeignWindow *window, gboolean transposed, const gint64 *more, gboolean channels_last,
                 const char *filters, PhValue *x, PhValue *w, PhValue *bias, PhValue **out)
{
  const int rank = w != NULL ? ph_value_rank (w) : -1;
  const char *o = strchr (filters, transposed ? 'I' : 'O'), *i = strchr (filters, transposed ? 'O' : 'I');
  gint64 perm[5], at[2];
  guint n = 2;
  PhValue *y, *weights;
  gboolean open = FALSE;

  if (rank < 3 || rank > 5 || x == NULL || (guint) rank - 2 != window->n)
    return ph_convert_stay (l, "the rank of its filters is not known");
  if (o == NULL || i == NULL)
    return ph_convert_stay (l, "the layout of its filters is %s", filters);
  /* "OIX": X covers all axes of the image. */
  at[0] = strchr (filters, 'X') != NULL && strchr (filters, 'X') < o ? (o - filters) + rank - 3 : o - filters;
  at[1] = strchr (filters, 'X') != NULL && strchr (filters, 'X') < i ? (i - filters) + rank - 3 : i - filters;
  if (at[0] >= rank || at[1] >= rank)
    return ph_convert_stay (l, "the layout of its filters is %s", filters);
  perm[0] = at[0];
  perm[1] = at[1];
  for (int k = 0; k < rank; k++)
    if (k != at[0] && k != at[1])
      perm[n++] = k;
  for (guint k = 0; k < window->n; k++)
    {
      window->kernel[k] = ph_value_dim (w, (int) perm[k + 2]);
      open = open || window->kernel[k] < 0;
      if (window->kernel[k] == 0 || window->stride[k] <= 0 || window->dilation[k] <= 0)
        return ph_convert_stay (l, "its window has no size");
    }
  if (channels_last)
    x = ph_foreign_channels_second (l, x);
  weights = ph_convert_transpose (l, w, perm, (guint) rank);
  if (x == NULL || weights == NULL)
    return FALSE;
  if (transposed)
    {
      PhValue *inputs[] = { x, weights, bias };

      y = ph_build_node (l->b, &ph_op_ConvTranspose, inputs, bias != NULL ? 3 : 2,
                         PH_ATTRS (ph_attr_new_ints ("strides", window->stride, window->n),
                                   ph_attr_new_ints ("dilations", window->dilation, window->n),
                                   ph_attr_new_ints ("pads", window->explicit_pads, 2 * window->n),
                                   ph_attr_new_ints ("output_padding", more, window->n), ph_attr_new_int ("group", window->group),
                                   open ? NULL : ph_attr_new_ints ("kernel_shape", window->kernel, window->n)),
                         1);
    }
  else
    y = ph_foreign_window (l, &ph_op_Conv, window, x, weights, bias);
  out[0] = y != NULL && channels_last ? ph_foreign_channels_last (l, y) : y;
  return out[0] != NULL;
}

gboolean
ph_foreign_pool (PhConvert *l, const PhOp *op, const PhForeignWindow *window, gboolean channels_last, gboolean ceil,
                 gboolean with_pads, PhValue **out)
{
  PhValue *x = channels_last ? ph_foreign_channels_second (l, l->in[0]) : l->in[0], *y;
  PhAttr *attrs[8] = { NULL };
  guint n = 0;

  for (guint i = 0; i < window->n; i++)
    if (window->kernel[i] <= 0 || window->stride[i] <= 0)
      return ph_convert_stay (l, "its window has no size");
  if (x == NULL)
    return FALSE;
  attrs[n++] = ph_attr_new_ints ("kernel_shape", window->kernel, window->n);
  attrs[n++] = ph_attr_new_ints ("strides", window->stride, window->n);
  if (strcmp (window->padding, "SAME") == 0)
    attrs[n++] = ph_attr_new_string ("auto_pad", "SAME_UPPER");
  else
    attrs[n++] = ph_attr_new_ints ("pads", window->explicit_pads, 2 * window->n);
  attrs[n++] = ph_attr_new_int ("ceil_mode", ceil);
  if (op == &ph_op_MaxPool)
    attrs[n++] = ph_attr_new_ints ("dilations", window->dilation, window->n);
  else
    attrs[n++] = ph_attr_new_int ("count_include_pad", with_pads);
  y = ph_build_node (l->b, op, &x, 1, attrs, 1);
  out[0] = y != NULL && channels_last ? ph_foreign_channels_last (l, y) : y;
  return out[0] != NULL;
}
