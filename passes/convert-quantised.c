/* convert-quantised.c: operators on quantised types; see convert-quantised.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert-quantised.h"

#include <string.h>

typedef struct
{
  PhDType dtype; /* type of the stored elements           */
  gint64 low, high;
  int axis; /* -1: one scale for all                 */
  guint n;
  double *scales, *zeros; /* owned                                 */
} Quantisation;

static void
clear (Quantisation *q)
{
  g_free (q->scales);
  g_free (q->zeros);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Quantisation, clear)

/* clang-format off */
static const struct { const char *name; PhDType dtype; gint64 low, high; } stored[] = {
  { "i8", PH_INT8, -128, 127 }, { "ui8", PH_UINT8, 0, 255 }, { "u8", PH_UINT8, 0, 255 }, { "i16", PH_INT16, -32768, 32767 },
  { "ui16", PH_UINT16, 0, 65535 }, { "i4", PH_INT4, -8, 7 }, { "ui4", PH_UINT4, 0, 15 }, { "i32", PH_INT32, G_MININT32, G_MAXINT32 },
};
/* clang-format on */

/* Parses "!quant.uniform<i8<-127:127>:f32:1, {0.1:0, 0.2:3}>". */
static gboolean
parse (const char *text, Quantisation *q)
{
  const char *p = strstr (text, "!quant.uniform<");
  g_autofree char *word = NULL;
  gsize n;
  char *end;
  g_autoptr (GArray) scales = g_array_new (FALSE, FALSE, sizeof (double)), zeros = g_array_new (FALSE, FALSE, sizeof (double));

  *q = (Quantisation) { .axis = -1 };
  if (p == NULL)
    return FALSE;
  p += strlen ("!quant.uniform<");
  n = strcspn (p, ":<");
  word = g_strndup (p, n);
  for (gsize i = 0; i < G_N_ELEMENTS (stored); i++)
    if (g_str_equal (stored[i].name, word))
      {
        q->dtype = stored[i].dtype;
        q->low = stored[i].low;
        q->high = stored[i].high;
      }
  p += n;
  if (*p == '<')
    {
      q->low = g_ascii_strtoll (p + 1, &end, 10);
      q->high = *end == ':' ? g_ascii_strtoll (end + 1, &end, 10) : q->high;
      p = *end == '>' ? end + 1 : end;
    }
  if (*p != ':' || q->dtype == PH_UNDEFINED)
    return FALSE;
  p += 1 + strcspn (p + 1, ":,"); /* the expressed type */
  if (*p == ':')
    {
      q->axis = (int) g_ascii_strtoll (p + 1, &end, 10);
      p = end;
    }
  if (*p != ',')
    return FALSE;
  do
    {
      double scale, zero = 0;

      p += 1 + strspn (p + 1, " {");
      scale = g_ascii_strtod (p, &end);
      if (end == p)
        return FALSE;
      p = end;
      if (*p == ':')
        {
          zero = g_ascii_strtod (p + 1, &end);
          p = end;
        }
      g_array_append_val (scales, scale);
      g_array_append_val (zeros, zero);
    }
  while (*p == ',');
  q->n = scales->len;
  q->scales = g_memdup2 (scales->data, q->n * sizeof (double));
  q->zeros = g_memdup2 (zeros->data, q->n * sizeof (double));
  return q->axis >= 0 || q->n == 1;
}

/* Builds a single number, or one per element of the axis. */
static PhValue *
numbers (PhConvert *l, const Quantisation *q, const double *values, guint rank, PhDType dtype)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  if (q->axis < 0)
    return ph_convert_number (l, dtype, values[0]);
  if ((guint) q->axis >= rank)
    {
      ph_convert_stay (l, "its type is quantised along dimension %d, which it has not", q->axis);
      return NULL;
    }
  for (guint i = 0; i < rank; i++)
    dims[i] = i == (guint) q->axis ? q->n : 1;
  tensor = ph_tensor_new (dtype, rank, dims);
  for (guint i = 0; tensor != NULL && i < q->n; i++)
    ph_dtype_store (dtype, ph_tensor_writable (tensor), i, values[i]);
  return ph_build_tensor (l->b, tensor);
}

static PhValue *
dequantise (PhConvert *l, PhValue *value, const Quantisation *q, PhDType work)
{
  const guint rank = ph_convert_rank (value);

  return PH_BUILD (l->b, Mul, PH_BUILD (l->b, Sub, ph_convert_cast (l, value, work), numbers (l, q, q->zeros, rank, work)),
                   numbers (l, q, q->scales, rank, work));
}

static PhValue *
quantise (PhConvert *l, PhValue *value, const Quantisation *q)
{
  const guint rank = ph_convert_rank (value);
  const PhDType work = ph_convert_dtype (value);

  value = PH_BUILD (l->b, Add, PH_BUILD (l->b, Div, value, numbers (l, q, q->scales, rank, work)),
                    numbers (l, q, q->zeros, rank, work));
  value = PH_BUILD (l->b, Round, value);
  value = PH_BUILD (l->b, Min, PH_BUILD (l->b, Max, value, ph_convert_number (l, work, (double) q->low)),
                    ph_convert_number (l, work, (double) q->high));
  return ph_convert_cast (l, value, q->dtype);
}

/* Returns TRUE if the operator only moves elements, which may stay quantised. */
static gboolean
only_moves (const char *op)
{
  /* clang-format off */
  static const char *const names[] = {
    "reshape", "transpose", "slice", "reverse", "broadcast_in_dim", "concatenate", "gather", "dynamic_slice", "dynamic_reshape",
    "dynamic_gather", "dynamic_broadcast_in_dim", "dynamic_update_slice", "select", NULL
  };
  /* clang-format on */

  return g_strv_contains (names, op);
}

gboolean
ph_quantised_lower (PhConvert *l, PhConvertFunc lower, GHashTable *quantised, PhValue **out)
{
  g_autofree PhValue **real = NULL;
  const char *text;
  gboolean any = FALSE,
           product = g_str_equal (l->op, "dot_general") || g_str_equal (l->op, "convolution") || g_str_equal (l->op, "dot");
  PhDType work = product ? PH_DOUBLE : PH_FLOAT;
  PhValue **stored_in = l->in;

  for (guint i = 0; i < l->n_in; i++)
    any = any || g_hash_table_contains (quantised, GUINT_TO_POINTER (l->in[i]->id));
  for (guint i = 0; i < l->n_out; i++)
    any = any || g_hash_table_contains (quantised, GUINT_TO_POINTER (ph_node_output (l->node, i)->id));
  if (!any || lower == NULL)
    return lower != NULL ? lower (l, out) : ph_convert_stay (l, "its types are not quantised");
  if (g_str_equal (l->op, "bitcast_convert")) /* of what is stored */
    return lower (l, out);
  if (only_moves (l->op))
    {
      gboolean same = TRUE;

      text = NULL;
      for (guint i = 0; i < l->n_in; i++)
        {
          const char *other = g_hash_table_lookup (quantised, GUINT_TO_POINTER (l->in[i]->id));

          if (text != NULL && other != NULL && !g_str_equal (strstr (text, "!quant"), strstr (other, "!quant")))
            same = FALSE;
          text = text != NULL ? text : other;
        }
      if (same)
        return lower (l, out);
    }
  real = g_new0 (PhValue *, l->n_in + PH_CONVERT_SPARE);
  for (guint i = 0; i < l->n_in; i++)
    {
      g_auto (Quantisation) q = { 0 };

      text = g_hash_table_lookup (quantised, GUINT_TO_POINTER (l->in[i]->id));
      real[i] = l->in[i];
      if (text == NULL)
        {
          if (product && ph_dtype_is_float (ph_convert_dtype (real[i])))
            real[i] = ph_convert_cast (l, real[i], work);
          continue;
        }
      if (!parse (text, &q))
        return ph_convert_stay (l, "the quantised type '%s' is not understood", text);
      real[i] = dequantise (l, l->in[i], &q, work);
    }
  if (g_str_equal (l->op, "uniform_quantize") || g_str_equal (l->op, "uniform_dequantize"))
    out[0] = real[0];
  else
    {
      gboolean ok;

      l->in = real;
      l->expressed = work;
      ok = lower (l, out);
      l->in = stored_in;
      l->expressed = PH_UNDEFINED;
      if (!ok)
        return FALSE;
    }
  for (guint i = 0; i < l->n_out; i++)
    {
      g_auto (Quantisation) q = { 0 };

      text = g_hash_table_lookup (quantised, GUINT_TO_POINTER (ph_node_output (l->node, i)->id));
      if (text == NULL)
        {
          const PhType *type = ph_node_output (l->node, i)->type;

          if (type != NULL && out[i] != NULL)
            out[i] = ph_convert_cast (l, out[i], type->dtype);
          continue;
        }
      if (!parse (text, &q) || out[i] == NULL)
        return ph_convert_stay (l, "the quantised type '%s' is not understood", text);
      out[i] = quantise (l, out[i], &q);
    }
  return TRUE;
}
