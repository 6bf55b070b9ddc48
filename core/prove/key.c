/* key.c: what decides the outcome of a trial, so that equal rewrites are tried once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/prove/key.h"
#include "core/prove/trial.h"
#include "core/tensor/origin.h"

/* Constants up to so many bytes are told by what they hold, larger ones by which tensor they are. */
#define SMALL 64

void
ph_key_init (PhKey *key)
{
  key->words = key->first;
  key->n = 0;
  key->size = G_N_ELEMENTS (key->first);
}

void
ph_key_clear (PhKey *key)
{
  if (key->words != key->first)
    g_free (key->words);
}

GBytes *
ph_key_to_bytes (const PhKey *key)
{
  return g_bytes_new (key->words, key->n * sizeof *key->words);
}

static guint64 *
add_words (PhKey *key, gsize n)
{
  if (key->n + n > key->size)
    {
      key->size = 2 * (key->n + n);
      key->words = key->words == key->first ? memcpy (g_new (guint64, key->size), key->first, key->n * sizeof *key->words)
                                            : g_renew (guint64, key->words, key->size);
    }
  key->n += n;
  return key->words + key->n - n;
}

void
ph_key_add (PhKey *key, gconstpointer data, gsize size)
{
  const gsize n = (size + sizeof (guint64) - 1) / sizeof (guint64);
  guint64    *words = add_words (key, n);

  if (n == 0)
    return;
  words[n - 1] = 0;
  memcpy (words, data, size);
}

void
ph_key_add_int (PhKey *key, gint64 value)
{
  *add_words (key, 1) = (guint64) value;
}

void
ph_key_add_pointer (PhKey *key, gconstpointer pointer)
{
  ph_key_add_int (key, (gint64) GPOINTER_TO_SIZE (pointer));
}

static void
add_bytes (PhKey *key, GBytes *bytes)
{
  gsize         size = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  ph_key_add_int (key, (gint64) size);
  if (size > 0)
    ph_key_add (key, data, size);
}

static void
add_tensor (PhKey *key, PhTensor *tensor, gpointer data)
{
  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING || ph_tensor_bytes (tensor) > SMALL ||
      ph_tensor_get_origin (tensor) != NULL)
    {
      ph_key_add_pointer (key, tensor);
      return;
    }
  ph_key_add_int (key, ph_tensor_dtype (tensor));
  ph_key_add_int (key, ph_tensor_rank (tensor));
  ph_key_add (key, ph_tensor_dims (tensor), ph_tensor_rank (tensor) * sizeof (gint64));
  ph_key_add (key, ph_tensor_data (tensor), ph_tensor_bytes (tensor));
}

void
ph_key_add_attr (PhKey *key, const PhAttr *attr, PhKeyTensor tensor_of, gpointer data)
{
  ph_key_add_pointer (key, attr->name);
  ph_key_add_int (key, attr->kind);
  ph_key_add_int (key, (gint64) attr->n);
  ph_key_add_int (key, attr->i);
  ph_key_add (key, &attr->f, sizeof attr->f);
  add_bytes (key, attr->s);
  tensor_of (key, attr->tensor, data);
  if (attr->ints != NULL)
    ph_key_add (key, attr->ints, attr->n * sizeof *attr->ints);
  if (attr->floats != NULL)
    ph_key_add (key, attr->floats, attr->n * sizeof *attr->floats);
  for (gsize i = 0; attr->strings != NULL && i < attr->n; i++)
    add_bytes (key, attr->strings[i]);
  for (gsize i = 0; attr->tensors != NULL && i < attr->n; i++)
    tensor_of (key, attr->tensors[i], data);
}

/* Most regions are small: the numbers of their first values need no table. */
typedef struct { PhId first[32]; guint n; GHashTable *table; } Numbers;

static gboolean
number_of (Numbers *numbers, PhId id, guint *number)
{
  guint known;

  for (*number = 0; *number < MIN (numbers->n, G_N_ELEMENTS (numbers->first)); (*number)++)
    if (numbers->first[*number] == id)
      return TRUE;
  known = numbers->table != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (numbers->table, GUINT_TO_POINTER (id))) : 0;
  *number = known > 0 ? known - 1 : numbers->n;
  return known > 0;
}

static void
note_number (Numbers *numbers, PhId id)
{
  if (numbers->n < G_N_ELEMENTS (numbers->first))
    numbers->first[numbers->n] = id;
  else
    {
      if (numbers->table == NULL)
        numbers->table = g_hash_table_new (NULL, NULL);
      g_hash_table_insert (numbers->table, GUINT_TO_POINTER (id), GUINT_TO_POINTER (numbers->n + 1));
    }
  numbers->n++;
}

/* Values are numbered in the order in which they are met; both sides share them. */
static void
add_value (PhKey *key, Numbers *numbers, const PhValue *value)
{
  guint number;

  if (value == NULL)
    {
      ph_key_add_int (key, -1);
      return;
    }
  if (!number_of (numbers, value->id, &number))
    {
      note_number (numbers, value->id);
      add_tensor (key, value->tensor, NULL);
    }
  ph_key_add_int (key, number);
}

static gboolean
add_nodes (PhKey *key, Numbers *numbers, GPtrArray *nodes)
{
  ph_key_add_int (key, nodes->len);
  for (guint n = 0; n < nodes->len; n++)
    {
      const PhNode *node = nodes->pdata[n];

      if (node->graphs != NULL && node->graphs->len > 0)
        return FALSE;
      ph_key_add_pointer (key, node->op);
      ph_key_add_pointer (key, node->op_type);
      ph_key_add_pointer (key, node->domain);
      ph_key_add_int (key, node->inputs->len);
      for (guint i = 0; i < node->inputs->len; i++)
        add_value (key, numbers, ph_node_input (node, i));
      ph_key_add_int (key, node->outputs->len);
      for (guint i = 0; i < node->outputs->len; i++)
        {
          ph_key_add_pointer (key, ph_node_output (node, i)->type);
          add_value (key, numbers, ph_node_output (node, i));
        }
      ph_key_add_int (key, node->attrs->len);
      for (guint i = 0; i < node->attrs->len; i++)
        ph_key_add_attr (key, node->attrs->pdata[i], add_tensor, NULL);
    }
  return TRUE;
}

GBytes *
ph_region_key (const PhRegion *region, PhModel *before, PhModel *after, const PhTrialOptions *options)
{
  Numbers  numbers = { .n = 0 };
  PhKey    own, *key = &own;
  GBytes  *bytes;
  gboolean ok;

  ph_key_init (key);

  ph_key_add_int (key, options->promise);
  ph_key_add_int (key, options->cost > options->flops);
  ph_key_add_int (key, ph_model_opset (before, ""));
  ph_key_add_int (key, ph_model_opset (after, ""));
  ph_key_add_int (key, region->inputs->len);
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId     id = g_array_index (region->inputs, PhId, i);
      const PhValue *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

      ph_key_add_pointer (key, was != NULL ? was->type : NULL);
      ph_key_add_pointer (key, is != NULL ? is->type : NULL);
      add_value (key, &numbers, was != NULL ? was : is);
      ph_key_add (key, &options->bounds[i], sizeof (PhBounds));
      ph_key_add_int (key, options->is_free != NULL && options->is_free[i]);
      /* Of captured values only the shapes count: what flows there differs each time and is as good as any. */
      ph_key_add_pointer (key, options->captured != NULL && options->captured[i] != NULL ? ph_type_of_tensor (options->captured[i]) : NULL);
    }
  ok = add_nodes (key, &numbers, region->before) && add_nodes (key, &numbers, region->after);
  for (guint k = 0; ok && k < region->outputs->len; k++)
    {
      const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, k);

      add_value (key, &numbers, ph_model_find_value (before, pair->before));
      add_value (key, &numbers, ph_model_find_value (after, pair->after));
    }
  g_clear_pointer (&numbers.table, g_hash_table_unref);
  bytes = ok ? ph_key_to_bytes (key) : NULL;
  ph_key_clear (key);
  return bytes;
}

guint
ph_key_hash (gconstpointer key)
{
  gsize          size;
  const guint64 *words = g_bytes_get_data ((GBytes *) key, &size);
  guint64        hash = 0;

  for (gsize i = 0; i < size / sizeof *words; i++)
    hash = ((hash ^ words[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) ^ (hash >> 29);
  return (guint) (hash >> 32);
}
