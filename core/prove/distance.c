/* distance.c: the distance between two results.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/distance.h"

#include <math.h>
#include <string.h>

static char *
dims_to_string (PhTensor *tensor)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < ph_tensor_rank (tensor); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", ph_tensor_dims (tensor)[i]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static char *
header_difference (PhTensor *a, PhTensor *b)
{
  g_autofree char *is = NULL, *was = NULL;

  if (ph_tensor_kind (a) != ph_tensor_kind (b))
    return g_strdup ("one is a sequence or an optional, the other is not");
  if (ph_tensor_kind (a) != PH_KIND_TENSOR)
    return ph_tensor_count (a) != ph_tensor_count (b)
               ? g_strdup_printf ("%" G_GSIZE_FORMAT " items are not %" G_GSIZE_FORMAT, ph_tensor_count (a), ph_tensor_count (b))
               : NULL;
  if (ph_tensor_dtype (a) != ph_tensor_dtype (b))
    return g_strdup_printf ("element type %s is not %s", ph_dtype_name (ph_tensor_dtype (a)),
                            ph_dtype_name (ph_tensor_dtype (b)));
  if (ph_tensor_rank (a) == ph_tensor_rank (b)
      && memcmp (ph_tensor_dims (a), ph_tensor_dims (b), ph_tensor_rank (a) * sizeof (gint64)) == 0)
    return NULL;
  is = dims_to_string (a);
  was = dims_to_string (b);
  return g_strdup_printf ("shape %s is not %s", is, was);
}

static void
add_element (PhDistance *distance, double a, double b, double *largest, gsize i)
{
  if (isfinite (a) && isfinite (b))
    {
      const double error = fabs (a - b);

      *largest = MAX (*largest, fabs (b));
      if (error > distance->max_abs)
        {
          distance->max_abs = error;
          distance->at = i;
        }
    }
  else if (isfinite (b))
    {
      if (distance->n_lost++ == 0)
        distance->lost_at = i;
    }
  else if (isfinite (a))
    {
      if (distance->n_gained++ == 0)
        distance->gained_at = i;
    }
  else if (!(isnan (a) && isnan (b)) && !(a == b))
    {
      if (distance->n_changed++ == 0)
        distance->changed_at = i;
    }
}

static gsize
count_of (PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  return ph_tensor_count (tensor) * (dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128 ? 2 : 1);
}

static double
element (PhTensor *tensor, gconstpointer data, gsize i)
{
  switch (ph_tensor_dtype (tensor))
    {
    case PH_DOUBLE:
    case PH_COMPLEX128: return ((const double *) data)[i];
    case PH_FLOAT:
    case PH_COMPLEX64: return (double) ((const float *) data)[i];
    default: return ph_dtype_load (ph_tensor_dtype (tensor), data, i);
    }
}

static gboolean
is_real (PhTensor *tensor)
{
  const PhDType dtype = ph_tensor_dtype (tensor);

  return ph_dtype_is_float (dtype) || dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128;
}

static void
compare_items (PhDistance *distance, PhTensor *a, PhTensor *b)
{
  for (gsize i = 0; i < ph_tensor_count (b) && distance->why == NULL; i++)
    {
      g_auto (PhDistance) item = ph_distance (ph_tensor_item (a, i), ph_tensor_item (b, i));

      distance->why = g_steal_pointer (&item.why);
      distance->error = MAX (distance->error, item.error);
      distance->max_abs = MAX (distance->max_abs, item.max_abs);
      distance->n_exact += item.n_exact;
      distance->n_lost += item.n_lost;
      distance->n_gained += item.n_gained;
      distance->n_changed += item.n_changed;
    }
}

PhDistance
ph_distance (PhTensor *a, PhTensor *b)
{
  PhDistance distance = { .why = header_difference (a, b) };
  double largest = 0;
  gconstpointer x, y;

  if (distance.why != NULL)
    return distance;
  if (ph_tensor_kind (b) != PH_KIND_TENSOR)
    {
      compare_items (&distance, a, b);
      return distance;
    }
  if (ph_tensor_count (b) == 0)
    return distance;
  if (!is_real (b))
    {
      for (gsize i = 0; i < ph_tensor_count (b); i++)
        if (ph_tensor_dtype (b) == PH_STRING ? strcmp (ph_tensor_get_string (a, i), ph_tensor_get_string (b, i)) != 0
                                             : ph_tensor_get_int (a, i) != ph_tensor_get_int (b, i))
          {
            if (distance.n_exact++ == 0)
              distance.at = i;
            if (ph_tensor_dtype (b) != PH_STRING)
              distance.max_abs = MAX (distance.max_abs, fabs (ph_tensor_get (a, i) - ph_tensor_get (b, i)));
          }
      return distance;
    }
  x = ph_tensor_data (a);
  y = ph_tensor_data (b);
  if (x == NULL || y == NULL)
    {
      distance.why = g_strdup ("memory is short");
      return distance;
    }
  for (gsize i = 0; i < count_of (b); i++)
    add_element (&distance, element (a, x, i), element (b, y, i), &largest, i);
  distance.error = distance.max_abs == 0 ? 0 : largest > 0 ? distance.max_abs / largest : INFINITY;
  return distance;
}

void
ph_distance_clear (PhDistance *distance)
{
  g_clear_pointer (&distance->why, g_free);
}

gboolean
ph_same_bits (PhTensor *a, PhTensor *b, gsize *at)
{
  g_autofree char *header = header_difference (a, b);

  *at = 0;
  if (header != NULL)
    return FALSE;
  if (ph_tensor_equal (a, b))
    return TRUE;
  if (ph_tensor_kind (b) != PH_KIND_TENSOR)
    {
      gsize inner;

      for (*at = 0; *at < ph_tensor_count (b); (*at)++)
        if (!ph_same_bits (ph_tensor_item (a, *at), ph_tensor_item (b, *at), &inner))
          return FALSE;
      return TRUE;
    }
  for (*at = 0; *at < ph_tensor_count (b); (*at)++)
    {
      double x, y;

      if (ph_tensor_dtype (b) == PH_STRING)
        {
          if (strcmp (ph_tensor_get_string (a, *at), ph_tensor_get_string (b, *at)) != 0)
            return FALSE;
          continue;
        }
      if (!ph_dtype_is_float (ph_tensor_dtype (b)))
        {
          if (ph_dtype_is_integer (ph_tensor_dtype (b)) || ph_tensor_dtype (b) == PH_BOOL
                  ? ph_tensor_get_int (a, *at) != ph_tensor_get_int (b, *at)
                  : !ph_tensor_equal (a, b))
            return FALSE;
          continue;
        }
      x = ph_tensor_get (a, *at);
      y = ph_tensor_get (b, *at);
      if (!(isnan (x) && isnan (y)) && (x != y || !signbit (x) != !signbit (y)))
        return FALSE;
    }
  return TRUE;
}

double
ph_distance_rms (PhTensor *a, PhTensor *b)
{
  gconstpointer x = ph_tensor_data (a), y = ph_tensor_data (b);
  double sum = 0;
  gsize n = 0;

  if (x == NULL || y == NULL || ph_tensor_count (a) != ph_tensor_count (b))
    return 0;
  for (gsize i = 0; i < ph_tensor_count (a); i++)
    {
      const double error = element (a, x, i) - element (b, y, i);

      if (isfinite (error))
        {
          sum += error * error;
          n++;
        }
    }
  return n > 0 ? sqrt (sum / (double) n) : 0;
}

char *
ph_element_to_string (PhTensor *tensor, gsize index)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || index >= ph_tensor_count (tensor))
    return NULL;
  if (ph_tensor_dtype (tensor) == PH_STRING)
    return g_strdup_printf ("\"%s\"", ph_tensor_get_string (tensor, index));
  if (ph_dtype_is_integer (ph_tensor_dtype (tensor)) || ph_tensor_dtype (tensor) == PH_BOOL)
    return g_strdup_printf ("%" G_GINT64_FORMAT, ph_tensor_get_int (tensor, index));
  if (!ph_dtype_is_float (ph_tensor_dtype (tensor)))
    return NULL;
  return g_strdup (g_ascii_formatd (number, sizeof number, "%.9g", ph_tensor_get (tensor, index)));
}

char *
ph_element_place (PhTensor *tensor, gsize index)
{
  GString *text;

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_rank (tensor) == 0 || index >= ph_tensor_count (tensor))
    return NULL;
  text = g_string_new ("]");
  for (guint i = ph_tensor_rank (tensor); i-- > 0; index /= (gsize) ph_tensor_dims (tensor)[i])
    {
      g_autofree char *at = g_strdup_printf ("%s%" G_GSIZE_FORMAT, i > 0 ? ", " : "[",
                                             index % (gsize) ph_tensor_dims (tensor)[i]);

      g_string_prepend (text, at);
    }
  return g_string_free (text, FALSE);
}
