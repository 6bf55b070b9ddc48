/* key.c: what decides the outcome of a trial, so that equal rewrites are tried once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/prove/trial.h"
#include "core/tensor/origin.h"

/* Constants up to so many bytes are told by what they hold, larger ones by which tensor they are. */
#define SMALL 64

static void
add (GByteArray *key, gconstpointer data, gsize size)
{
  g_byte_array_append (key, data, (guint) size);
}

static void
add_int (GByteArray *key, gint64 value)
{
  add (key, &value, sizeof value);
}

static void
add_pointer (GByteArray *key, gconstpointer pointer)
{
  add (key, &pointer, sizeof pointer);
}

static void
add_bytes (GByteArray *key, GBytes *bytes)
{
  gsize         size = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  add_int (key, (gint64) size);
  if (size > 0)
    add (key, data, size);
}

static void
add_tensor (GByteArray *key, PhTensor *tensor)
{
  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING || ph_tensor_bytes (tensor) > SMALL ||
      ph_tensor_get_origin (tensor) != NULL)
    {
      add_pointer (key, tensor);
      return;
    }
  add_int (key, ph_tensor_dtype (tensor));
  add_int (key, ph_tensor_rank (tensor));
  add (key, ph_tensor_dims (tensor), ph_tensor_rank (tensor) * sizeof (gint64));
  add (key, ph_tensor_data (tensor), ph_tensor_bytes (tensor));
}

static void
add_attr (GByteArray *key, const PhAttr *attr)
{
  add_pointer (key, attr->name);
  add_int (key, attr->kind);
  add_int (key, (gint64) attr->n);
  add_int (key, attr->i);
  add (key, &attr->f, sizeof attr->f);
  add_bytes (key, attr->s);
  add_tensor (key, attr->tensor);
  if (attr->ints != NULL)
    add (key, attr->ints, attr->n * sizeof *attr->ints);
  if (attr->floats != NULL)
    add (key, attr->floats, attr->n * sizeof *attr->floats);
  for (gsize i = 0; attr->strings != NULL && i < attr->n; i++)
    add_bytes (key, attr->strings[i]);
  for (gsize i = 0; attr->tensors != NULL && i < attr->n; i++)
    add_tensor (key, attr->tensors[i]);
}

/* Values are numbered in the order in which they are met; both sides share them. */
static void
add_value (GByteArray *key, GHashTable *numbers, const PhValue *value)
{
  gpointer number;

  if (value == NULL)
    {
      add_int (key, -1);
      return;
    }
  number = g_hash_table_lookup (numbers, GUINT_TO_POINTER (value->id));
  if (number == NULL)
    {
      number = GUINT_TO_POINTER (g_hash_table_size (numbers) + 1);
      g_hash_table_insert (numbers, GUINT_TO_POINTER (value->id), number);
      add_tensor (key, value->tensor);
    }
  add_int (key, GPOINTER_TO_UINT (number));
}

static gboolean
add_nodes (GByteArray *key, GHashTable *numbers, GPtrArray *nodes)
{
  add_int (key, nodes->len);
  for (guint n = 0; n < nodes->len; n++)
    {
      const PhNode *node = nodes->pdata[n];

      if (node->graphs != NULL && node->graphs->len > 0)
        return FALSE;
      add_pointer (key, node->op);
      add_pointer (key, node->op_type);
      add_pointer (key, node->domain);
      add_int (key, node->inputs->len);
      for (guint i = 0; i < node->inputs->len; i++)
        add_value (key, numbers, ph_node_input (node, i));
      add_int (key, node->outputs->len);
      for (guint i = 0; i < node->outputs->len; i++)
        {
          add_pointer (key, ph_node_output (node, i)->type);
          add_value (key, numbers, ph_node_output (node, i));
        }
      add_int (key, node->attrs->len);
      for (guint i = 0; i < node->attrs->len; i++)
        add_attr (key, node->attrs->pdata[i]);
    }
  return TRUE;
}

GBytes *
ph_region_key (const PhRegion *region, PhModel *before, PhModel *after, const PhTrialOptions *options)
{
  g_autoptr(GHashTable) numbers = g_hash_table_new (NULL, NULL);
  GByteArray           *key = g_byte_array_sized_new (512);

  add_int (key, options->promise);
  add_int (key, options->cost > options->flops);
  add_int (key, ph_model_opset (before, ""));
  add_int (key, ph_model_opset (after, ""));
  add_int (key, region->inputs->len);
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId     id = g_array_index (region->inputs, PhId, i);
      const PhValue *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

      add_pointer (key, was != NULL ? was->type : NULL);
      add_pointer (key, is != NULL ? is->type : NULL);
      add_value (key, numbers, was != NULL ? was : is);
      add (key, &options->bounds[i], sizeof (PhBounds));
      add_int (key, options->is_free != NULL && options->is_free[i]);
      /* Of captured values only the shapes count: what flows there differs each time and is as good as any. */
      add_pointer (key, options->captured != NULL && options->captured[i] != NULL ? ph_type_of_tensor (options->captured[i]) : NULL);
    }
  if (!add_nodes (key, numbers, region->before) || !add_nodes (key, numbers, region->after))
    {
      g_byte_array_unref (key);
      return NULL;
    }
  for (guint k = 0; k < region->outputs->len; k++)
    {
      const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, k);

      add_value (key, numbers, ph_model_find_value (before, pair->before));
      add_value (key, numbers, ph_model_find_value (after, pair->after));
    }
  return g_byte_array_free_to_bytes (key);
}
