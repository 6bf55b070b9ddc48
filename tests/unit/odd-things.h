/* odd-things.h: types, operands and attributes that no sound file holds: without elements, of too many dimensions, of extreme numbers.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/graph/graph.h"

#define MAX_ITEMS 80
#define MANY      70 /* more than PH_MAX_RANK */

/* clang-format off */
static const struct { PhDType dtype; guint rank; gint64 dims[8]; } odd_types[] = {      /* -1: the size is not known */
  { PH_FLOAT, 0, { 0 } }, { PH_FLOAT, 1, { 3 } }, { PH_FLOAT, 2, { 2, 3 } }, { PH_FLOAT, 4, { 1, 4, 5, 5 } }, { PH_FLOAT, 3, { 1, 4, 5 } },
  { PH_FLOAT, 8, { 2, 1, 2, 1, 2, 1, 2, 1 } }, { PH_FLOAT, 1, { -1 } }, { PH_FLOAT, 4, { -1, -1, -1, -1 } }, { PH_FLOAT, 2, { 0, 3 } },
  { PH_FLOAT, 4, { 0, 0, 0, 0 } }, { PH_INT64, 1, { 3 } }, { PH_INT64, 0, { 0 } }, { PH_INT32, 2, { 2, 2 } }, { PH_BOOL, 0, { 0 } }, { PH_BOOL, 2, { 2, 3 } },
  { PH_STRING, 1, { 2 } }, { PH_COMPLEX64, 2, { 2, 2 } }, { PH_FLOAT16, 4, { 2, 3, 4, 4 } }, { PH_UINT8, 2, { 2, 2 } }, { PH_INT4, 1, { 4 } },
  { PH_FLOAT, 2, { (gint64) 1 << 40, (gint64) 1 << 40 } }, { PH_INT64, 1, { (gint64) 1 << 40 } }, { PH_UNDEFINED, 2, { 2, 3 } },
};
/* clang-format on */
static const gint64 extremes[]
    = { 0, 1, -1, 2, 7, -3, G_MININT64, G_MAXINT64, (gint64) 1 << 33, -((gint64) 1 << 62), (gint64) 1 << 62, G_MAXINT32 };
static const guint lengths[] = { 0, 1, 2, 3, 4, 6, MANY };
static const char *const odd_texts[]
    = { "",
        "abc",
        "[]",
        "[1, -9223372036854775808]",
        "9223372036854775807",
        "NCHW4c",
        "(n, 2)",
        "[[1, 2], [3]]",
        "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
        "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
        "\xff" };

static guint
n_odd_types (void)
{
  return G_N_ELEMENTS (odd_types) + 5;
}

static const PhType *
odd_type (guint k)
{
  PhDim dims[PH_MAX_RANK];

  if (k < G_N_ELEMENTS (odd_types))
    {
      for (guint i = 0; i < odd_types[k].rank; i++)
        dims[i] = odd_types[k].dims[i] < 0 ? PH_DIM_UNKNOWN : PH_DIM (odd_types[k].dims[i]);
      return ph_type_tensor (odd_types[k].dtype, odd_types[k].rank, dims);
    }
  for (guint i = 0; i < PH_MAX_RANK; i++)
    dims[i] = PH_DIM (1);
  switch (k - G_N_ELEMENTS (odd_types))
    {
    case 0: return ph_type_unranked (PH_FLOAT);
    case 1: return ph_type_opaque ("!my.token");
    case 2: return ph_type_sequence (PH_KIND_SEQUENCE, ph_type_unranked (PH_FLOAT));
    case 3: return ph_type_tensor (PH_FLOAT, PH_MAX_RANK, dims);
    default: return NULL;
    }
}

static PhTensor *
odd_tensor (PhDType dtype, guint n, gint64 number)
{
  const gint64 dims[] = { n };
  g_autoptr (PhTensor) wide = ph_tensor_new (PH_INT64, 1, dims);
  gint64 *data = ph_tensor_writable (wide);

  for (guint i = 0; i < n; i++)
    data[i] = number;
  return ph_tensor_cast (wide, dtype);
}

/* Inputs and constants of every odd kind, as operands: the first is missing. (element-type PhValue) (transfer container) */
static GPtrArray *
odd_values (PhModel *model)
{
  static const PhDType dtypes[] = { PH_INT64, PH_FLOAT, PH_BOOL };
  GPtrArray *values = g_ptr_array_new ();

  g_ptr_array_add (values, NULL);
  for (guint k = 0; k < n_odd_types (); k++)
    g_ptr_array_add (values,
                     ph_graph_add_input (model->graph, ph_model_unique_name (model, "odd"), odd_type (k), NULL, G_MAXUINT, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (extremes); i++)
    {
      g_autoptr (PhTensor) tensor = odd_tensor (dtypes[i % 4 == 3 ? i / 4 : 0], lengths[i % G_N_ELEMENTS (lengths)], extremes[i]);

      g_ptr_array_add (values, ph_graph_add_constant (model->graph, ph_model_unique_name (model, "constant"), tensor, NULL));
    }
  return values;
}

/* @like: (nullable) what the attribute is in a sound node. */
static PhAttr *
odd_attr (const char *name, const PhAttr *like, GRand *random)
{
  const gint64 number = extremes[g_rand_int_range (random, 0, G_N_ELEMENTS (extremes))];
  guint n = lengths[g_rand_int_range (random, 0, G_N_ELEMENTS (lengths))];
  gint64 ints[MAX_ITEMS];
  float floats[MAX_ITEMS];

  switch (g_rand_int_range (random, 0, 9))
    {
    case 0:
    case 1: return ph_attr_new_int (name, number);
    case 2:
    case 3:
      if (like != NULL && like->kind == PH_ATTR_INTS && like->n <= MAX_ITEMS) /* of its length, with one or all odd */
        {
          const guint at = g_rand_int_range (random, 0, MAX_ITEMS);

          n = (guint) like->n;
          for (guint i = 0; i < n; i++)
            ints[i] = at % 2 == 0 || at % n == i ? number : like->ints[i];
          return ph_attr_new_ints (name, ints, n);
        }
      /* fall through */
    case 4:
      for (guint i = 0; i < n; i++)
        ints[i] = number;
      return ph_attr_new_ints (name, ints, n);
    case 5:
      for (guint i = 0; i < n; i++)
        floats[i] = (float) number;
      return n == 1 ? ph_attr_new_float (name, n % 2 == 0 ? (float) NAN : (float) number) : ph_attr_new_floats (name, floats, n);
    case 6:
      {
        g_autoptr (PhTensor) tensor = odd_tensor (n % 2 == 0 ? PH_INT64 : PH_FLOAT, n, number);

        return ph_attr_new_tensor (name, tensor);
      }
    case 7:
      {
        g_autoptr (GBytes) bytes = g_bytes_new_static ("text", 4);

        return ph_attr_new_strings (name, (GBytes *[]) { bytes, bytes }, n % 3);
      }
    default:
      {
        const char *text = odd_texts[g_rand_int_range (random, 0, G_N_ELEMENTS (odd_texts))];
        g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

        return ph_attr_new_bytes (name, PH_ATTR_STRING, bytes);
      }
    }
}
