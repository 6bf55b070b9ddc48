/* summary.c: the text and the statistics of a tensor.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/tensor/tensor-private.h"

/* The shortest decimal that reads back as the same number of @dtype. */
static void
append_float (GString *out, PhDType dtype, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.0g";

  if (isnan (value) || isinf (value))
    {
      g_string_append (out, isnan (value) ? "nan" : value < 0 ? "-inf" : "inf");
      return;
    }
  for (int digits = 1; digits <= 9; digits++)
    {
      guint8 back[8] = { 0 }, self[8] = { 0 };

      format[2] = '0' + digits;
      g_ascii_formatd (text, sizeof text, format, value);
      ph_dtype_store (dtype, back, 0, g_ascii_strtod (text, NULL));
      ph_dtype_store (dtype, self, 0, value);
      if (memcmp (back, self, 8) == 0)
        {
          /* Prints a number as short as possible, but 10 rather than 1e+01. */
          if (strchr (text, 'e') != NULL && digits < 6)
            g_ascii_formatd (text, sizeof text, "%.6g", value);
          g_string_append (out, text);
          return;
        }
    }
  g_ascii_formatd (text, sizeof text, "%.17g", value);
  g_string_append (out, text);
}

static void
append_element (GString *out, PhTensor *tensor, gsize index)
{
  const PhDType dtype = ph_tensor_dtype (tensor);
  PhElement room;
  gconstpointer at = ph_tensor_element (tensor, index, &room);

  if (dtype == PH_STRING)
    {
      g_autofree char *escaped = g_strescape (ph_tensor_get_string (tensor, index), NULL);

      g_string_append_printf (out, "\"%s\"", escaped);
    }
  else if (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128)
    {
      const PhDType part = dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE;

      append_float (out, part, ph_dtype_load (part, at, 0));
      if (!signbit (ph_dtype_load (part, at, 1)))
        g_string_append_c (out, '+');
      append_float (out, part, ph_dtype_load (part, at, 1));
      g_string_append_c (out, 'i');
    }
  else if (ph_dtype_is_float (dtype))
    append_float (out, dtype, ph_dtype_load (dtype, at, 0));
  else if (dtype == PH_BOOL)
    g_string_append (out, ph_dtype_load_int (PH_BOOL, at, 0) ? "true" : "false");
  else if (dtype == PH_UINT64)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, *(const guint64 *) at);
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT, ph_dtype_load_int (dtype, at, 0));
}

static void
append_tensor (GString *out, PhTensor *tensor, gsize max_elements)
{
  const PhKind kind = ph_tensor_kind (tensor);

  if (kind == PH_KIND_TENSOR)
    {
      g_string_append (out, ph_dtype_name (ph_tensor_dtype (tensor)));
      for (guint i = 0; i < ph_tensor_rank (tensor); i++)
        g_string_append_printf (out, "%c%" G_GINT64_FORMAT, i == 0 ? '[' : ',', ph_tensor_dims (tensor)[i]);
      if (ph_tensor_rank (tensor) > 0)
        g_string_append_c (out, ']');
    }
  else
    g_string_append (out, kind == PH_KIND_SEQUENCE ? "seq" : "optional");
  g_string_append (out, " {");
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      if (i >= max_elements)
        {
          g_string_append (out, "...");
          break;
        }
      if (kind == PH_KIND_TENSOR)
        append_element (out, tensor, i);
      else
        append_tensor (out, ph_tensor_item (tensor, i), max_elements);
    }
  g_string_append_c (out, '}');
}

char *
ph_tensor_to_string (PhTensor *tensor, gsize max_elements)
{
  GString *out = g_string_new (NULL);

  append_tensor (out, tensor, max_elements);
  return g_string_free (out, FALSE);
}

static gboolean
is_measured (const PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_count (tensor) > 0
         && (ph_dtype_is_float (dtype) || ph_dtype_is_integer (dtype) || dtype == PH_BOOL);
}

/* Mean and deviation are those of the finite elements, in one pass (Welford's method); minimum and maximum include infinities. */
gboolean
ph_tensor_stats (PhTensor *tensor, PhTensorStats *stats)
{
  const gsize count = ph_tensor_count (tensor), n = ph_tensor_is_splat (tensor) ? 1 : count,
              weight = ph_tensor_is_splat (tensor) ? count : 1;
  double mean = 0, spread = 0;
  gsize finite = 0;

  memset (stats, 0, sizeof *stats);
  if (!is_measured (tensor))
    return FALSE;
  stats->min = INFINITY;
  stats->max = -INFINITY;
  for (gsize i = 0; i < n; i++)
    {
      const double x = ph_tensor_get (tensor, i);

      if (isnan (x))
        {
          stats->nans += weight;
          continue;
        }
      stats->zeros += x == 0 ? weight : 0;
      stats->min = x < stats->min ? x : stats->min;
      stats->max = x > stats->max ? x : stats->max;
      if (isinf (x))
        stats->infs += weight;
      else
        {
          const double off = x - mean;

          mean += off / ++finite;
          spread += off * (x - mean);
        }
    }
  if (stats->nans == count)
    stats->min = stats->max = NAN;
  stats->mean = finite > 0 ? mean : NAN;
  stats->std = finite > 0 ? sqrt (spread / finite) : NAN;
  return TRUE;
}
