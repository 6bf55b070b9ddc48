/* values.c: parses tensors that users type, and formats them for replies.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/console/command-code.h"
#include "core/console/reply-rows.h"

/* ── out ── */

static void
add_element (JsonArray *array, PhTensor *tensor, gsize i)
{
  PhDType dtype = ph_tensor_dtype (tensor);

  if (dtype == PH_STRING)
    {
      g_autofree char *valid = g_utf8_make_valid (ph_tensor_get_string (tensor, i), -1);
      json_array_add_string_element (array, valid);
    }
  else if (dtype == PH_BOOL)
    json_array_add_boolean_element (array, ph_tensor_get_int (tensor, i) != 0);
  else if (dtype == PH_UINT64 && ph_tensor_get_int (tensor, i) < 0)
    json_array_add_double_element (array, (double) (guint64) ph_tensor_get_int (tensor, i));
  else if (ph_dtype_is_integer (dtype))
    json_array_add_int_element (array, ph_tensor_get_int (tensor, i));
  else if (dtype == PH_DOUBLE)
    json_array_add_double_element (array, ph_tensor_get (tensor, i));
  else
    json_array_add_double_element (array, ph_float_value ((float) ph_tensor_get (tensor, i)));
}

static void
set_number (JsonObject *row, const char *name, double value, PhDType dtype)
{
  json_object_set_double_member (row, name, dtype == PH_DOUBLE ? value : ph_float_value ((float) value));
}

static gboolean
is_complex (PhDType dtype)
{
  return dtype == PH_COMPLEX64 || dtype == PH_COMPLEX128;
}

void
ph_tensor_to_json (PhTensor *tensor, JsonObject *row, gsize limit)
{
  JsonArray *data = json_array_new (), *shape;
  gsize n = MIN (ph_tensor_count (tensor), limit);
  PhTensorStats stats;
  PhDType dtype = ph_tensor_dtype (tensor);

  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
    {
      json_object_set_string_member (row, "type", ph_tensor_kind (tensor) == PH_KIND_SEQUENCE ? "seq" : "optional");
      json_object_set_int_member (row, "count", (gint64) ph_tensor_count (tensor));
      for (gsize i = 0; i < n; i++)
        if (ph_tensor_item (tensor, i) != NULL)
          ph_tensor_to_json (ph_tensor_item (tensor, i), ph_json_add_object (data), limit);
        else
          json_array_add_null_element (data);
      json_object_set_array_member (row, "data", data);
      return;
    }

  shape = json_array_new ();
  for (guint i = 0; i < ph_tensor_rank (tensor); i++)
    json_array_add_int_element (shape, ph_tensor_dims (tensor)[i]);
  json_object_set_string_member (row, "type", ph_dtype_name (dtype));
  json_object_set_array_member (row, "shape", shape);
  if (is_complex (dtype))
    n = ph_tensor_data (tensor) != NULL ? 2 * n : 0;
  for (gsize i = 0; i < n; i++)
    if (is_complex (dtype))
      json_array_add_double_element (data,
                                     ph_dtype_load (dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE, ph_tensor_data (tensor), i));
    else
      add_element (data, tensor, i);
  json_object_set_array_member (row, "data", data);
  if (n < ph_tensor_count (tensor))
    json_object_set_boolean_member (row, "truncated", TRUE);
  if (!is_complex (dtype) && ph_tensor_stats (tensor, &stats))
    {
      set_number (row, "min", stats.min, dtype);
      set_number (row, "max", stats.max, dtype);
      json_object_set_double_member (row, "mean", stats.mean);
      json_object_set_double_member (row, "std", stats.std);
      json_object_set_int_member (row, "nans", (gint64) stats.nans);
      json_object_set_int_member (row, "infs", (gint64) stats.infs);
    }
  else
    {
      json_object_set_null_member (row, "min");
      json_object_set_null_member (row, "max");
      json_object_set_null_member (row, "mean");
    }
}

/* ── in ── */

typedef struct
{
  const char *text, *at;
  GArray *numbers;    /* (element-type double)                                             */
  GArray *integers;   /* (element-type gint64) the same, exactly, where they are integers  */
  GPtrArray *strings; /* (element-type char*)                                              */
  gint64 dims[PH_MAX_RANK];
  guint rank;
  gboolean fractions; /* some number is not an integer                                     */
} Literal;

static gboolean
literal_error (Literal *literal, GError **error, const char *what)
{
  g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "column %u of '%s': %s", (guint) (literal->at - literal->text) + 1, literal->text,
               what);
  return FALSE;
}

static void
skip_blanks (Literal *literal)
{
  while (g_ascii_isspace (*literal->at))
    literal->at++;
}

static gboolean
parse_scalar (Literal *literal, GError **error)
{
  char *end;
  double number = 0;
  gint64 integer = 0;

  if (*literal->at == '"' || *literal->at == '\'')
    {
      const char *close = strchr (literal->at + 1, *literal->at);

      if (close == NULL)
        return literal_error (literal, error, "this quote is not closed");
      g_ptr_array_add (literal->strings, g_strndup (literal->at + 1, (gsize) (close - literal->at - 1)));
      literal->at = close + 1;
      return TRUE;
    }
  if (g_ascii_strncasecmp (literal->at, "true", 4) == 0)
    {
      number = integer = 1;
      literal->at += 4;
    }
  else if (g_ascii_strncasecmp (literal->at, "false", 5) == 0)
    literal->at += 5;
  else
    {
      number = g_ascii_strtod (literal->at, &end);
      if (end == literal->at)
        return literal_error (literal, error, "a number is expected here");
      if (memchr (literal->at, '.', (gsize) (end - literal->at)) != NULL
          || memchr (literal->at, 'e', (gsize) (end - literal->at)) != NULL
          || memchr (literal->at, 'E', (gsize) (end - literal->at)) != NULL || !isfinite (number))
        literal->fractions = TRUE;
      else
        {
          errno = 0;
          integer = *literal->at == '-' ? g_ascii_strtoll (literal->at, NULL, 0)
                                        : (gint64) g_ascii_strtoull (literal->at, NULL, 0);
        }
      if (literal->fractions && isfinite (number) && fabs (number) < 0x1p62)
        integer = (gint64) number;
      literal->at = end;
    }
  g_array_append_val (literal->numbers, number);
  g_array_append_val (literal->integers, integer);
  return TRUE;
}

static gboolean
parse_array (Literal *literal, guint depth, GError **error)
{
  gint64 n = 0;

  skip_blanks (literal);
  if (*literal->at != '[')
    {
      if (literal->rank != G_MAXUINT && literal->rank != depth)
        return literal_error (literal, error, "the rows are not nested alike");
      literal->rank = depth;
      return parse_scalar (literal, error);
    }
  if (depth == PH_MAX_RANK)
    return literal_error (literal, error, "too many dimensions");

  literal->at++;
  for (skip_blanks (literal); *literal->at != ']'; skip_blanks (literal))
    {
      if (!parse_array (literal, depth + 1, error))
        return FALSE;
      n++;
      skip_blanks (literal);
      if (*literal->at == ',')
        literal->at++;
      else if (*literal->at != ']')
        return literal_error (literal, error, "',' or ']' is expected here");
    }
  if (n == 0 && literal->rank == G_MAXUINT)
    literal->rank = depth + 1;
  if (literal->dims[depth] >= 0 && literal->dims[depth] != n)
    return literal_error (literal, error, "this row is not as long as the one before");
  literal->dims[depth] = n;
  literal->at++;
  return TRUE;
}

static PhTensor *
literal_to_tensor (Literal *literal, const PhType *type, GError **error)
{
  gboolean strings = literal->strings->len > 0;
  PhDType dtype = type != NULL ? type->dtype : strings ? PH_STRING : literal->fractions ? PH_FLOAT : PH_INT64;
  gsize n = strings ? literal->strings->len : literal->numbers->len;
  g_autoptr (PhTensor) tensor = NULL;
  gint64 *dims = literal->dims;
  guint rank = literal->rank;

  if (strings != (dtype == PH_STRING))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "'%s' cannot become %s", literal->text, ph_dtype_name (dtype));
      return NULL;
    }
  tensor = ph_tensor_new (dtype, rank, dims);
  if (tensor == NULL || ph_tensor_count (tensor) != n)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "'%s' is not an array", literal->text);
      return NULL;
    }
  for (gsize i = 0; i < n; i++)
    if (strings)
      ph_tensor_set_string (tensor, i, literal->strings->pdata[i]);
    else if (ph_dtype_is_float (dtype))
      ph_dtype_store (dtype, ph_tensor_writable (tensor), i, g_array_index (literal->numbers, double, i));
    else
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, g_array_index (literal->integers, gint64, i));
  return g_steal_pointer (&tensor);
}

/* Fills an input of known shape with a single number. */
static PhTensor *
fill_type (PhTensor *scalar, const PhType *type)
{
  gint64 dims[PH_MAX_RANK];

  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank == 0 || ph_tensor_rank (scalar) > 0)
    return ph_tensor_ref (scalar);
  for (guint i = 0; i < type->rank; i++)
    dims[i] = ph_dim_known (type->dims[i]) ? type->dims[i].size : 1;
  if (ph_tensor_dtype (scalar) == PH_STRING)
    {
      const char *text = ph_tensor_get_string (scalar, 0);
      return ph_tensor_new_splat (PH_STRING, type->rank, dims, &text);
    }
  return ph_tensor_new_splat (ph_tensor_dtype (scalar), type->rank, dims, ph_tensor_data (scalar));
}

PhTensor *
ph_literal_parse (const char *text, const PhType *type, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) integers = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);
  Literal literal = { text, text, numbers, integers, strings, .rank = G_MAXUINT };
  g_autoptr (PhTensor) tensor = NULL;

  for (guint i = 0; i < PH_MAX_RANK; i++)
    literal.dims[i] = -1;
  if (!parse_array (&literal, 0, error))
    return NULL;
  skip_blanks (&literal);
  if (*literal.at != '\0')
    {
      literal_error (&literal, error, "this is more than one value");
      return NULL;
    }
  for (guint i = 0; i < literal.rank; i++)
    literal.dims[i] = MAX (literal.dims[i], 0);
  tensor = literal_to_tensor (&literal, type, error);
  return tensor != NULL ? fill_type (tensor, type) : NULL;
}
