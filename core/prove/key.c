/* key.c: a key of everything that decides the outcome of a trial, so that equal rewrites are tried once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/prove/key.h"

#include "core/prove/field/field-sizes.h"
#include "core/prove/region-form.h"
#include "core/prove/rows.h"
#include "core/prove/samples/usage.h"
#include "core/run/recipe.h"
#include "core/tensor/origin.h"

/* Constants up to this many bytes are identified by content, larger ones by pointer. */
#define SMALL 64

void
ph_key_init (PhKey *key)
{
  key->words = key->first;
  key->n = 0;
  key->size = G_N_ELEMENTS (key->first);
  key->tensors = NULL;
}

void
ph_key_clear (PhKey *key)
{
  if (key->words != key->first)
    g_free (key->words);
}

/* For a table, with ph_key_hash() and g_bytes_equal(). (transfer full) */
static GBytes *
to_bytes (const PhKey *key)
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

static void
add_data (PhKey *key, gconstpointer data, gsize size)
{
  const gsize n = (size + sizeof (guint64) - 1) / sizeof (guint64);
  guint64 *words = add_words (key, n);

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
  gsize size = 0;
  gconstpointer data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  ph_key_add_int (key, (gint64) size);
  if (size > 0)
    add_data (key, data, size);
}

/* How a key identifies a tensor. */
enum
{
  OF_POINTER,
  OF_CONTENT,
  OF_VARIABLE,
  OF_RECIPE
};

/* Adds @dims of a constant, or of a value, whose images are cut small. */
static void
add_dims (PhKey *key, PhDType dtype, guint rank, const gint64 *dims, gboolean is_value, const PhRegionForm *form)
{
  gint64 few[PH_MAX_RANK];

  memcpy (few, dims, rank * sizeof *few);
  for (guint i = 0; is_value && rank > 2 && i < rank; i++)
    if (i != 1)
      few[i] = MIN (few[i], i == 0 ? form->batch : form->image + i - 2);
  ph_field_sizes_apply (form->sizes, rank, few);
  ph_key_add_int (key, dtype);
  ph_key_add_int (key, rank);
  add_data (key, few, rank * sizeof *few);
}

static void add_recipe (PhKey *key, PhModel *recipe, const PhRegionForm *form);

/* Keeps @tensor, whose address is in the key, so that no other tensor gets that address. */
static void
note_tensor (PhKey *key, PhTensor *tensor)
{
  if (key->tensors != NULL && tensor != NULL)
    g_ptr_array_add (key->tensors, tensor);
}

/* @form: (nullable). */
static void
add_tensor (PhKey *key, PhTensor *tensor, gpointer data)
{
  const PhRegionForm *form = data;
  const guint variable = form != NULL && tensor != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (form->variables, tensor)) : 0;

  if (variable > 0 || (form != NULL && tensor != NULL && g_ptr_array_find (form->made, tensor, NULL)))
    {
      ph_key_add_int (key, variable > 0 ? OF_VARIABLE : OF_RECIPE);
      if (form->sizes != NULL && variable == 0)
        ph_key_add_int (key, ph_tensor_dtype (tensor)); /* its shape follows from the recipe */
      else if (form->sizes != NULL)
        add_dims (key, ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor), FALSE, form);
      else
        ph_key_add_pointer (key, ph_type_of_tensor (tensor));
      if (variable > 0)
        ph_key_add_int (key, variable);
      else
        {
          note_tensor (key, tensor); /* its recipe may have bodies, identified by pointer */
          add_recipe (key, ph_recipe_of (tensor), form);
        }
      return;
    }
  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_dtype (tensor) == PH_STRING
      || ph_tensor_bytes (tensor) > SMALL || ph_tensor_get_origin (tensor) != NULL)
    {
      ph_key_add_int (key, OF_POINTER);
      ph_key_add_pointer (key, tensor);
      note_tensor (key, tensor);
      return;
    }
  ph_key_add_int (key, OF_CONTENT);
  ph_key_add_int (key, ph_tensor_dtype (tensor));
  ph_key_add_int (key, ph_tensor_rank (tensor));
  add_data (key, ph_tensor_dims (tensor), ph_tensor_rank (tensor) * sizeof (gint64));
  for (gsize i = 0; form != NULL && form->sizes != NULL && ph_tensor_dtype (tensor) == PH_INT64 && i < ph_tensor_count (tensor);
       i++)
    ph_key_add_int (key, ph_field_sizes_fewer (form->sizes, ph_tensor_get_int (tensor, i)));
  if (form == NULL || form->sizes == NULL || ph_tensor_dtype (tensor) != PH_INT64)
    add_data (key, ph_tensor_data (tensor), ph_tensor_bytes (tensor));
}

void
ph_key_add_attr (PhKey *key, const PhAttr *attr, PhKeyTensor tensor_of, gpointer data)
{
  ph_key_add_pointer (key, attr->name);
  ph_key_add_int (key, attr->kind);
  ph_key_add_int (key, (gint64) attr->n);
  ph_key_add_int (key, attr->i);
  add_data (key, &attr->f, sizeof attr->f);
  add_bytes (key, attr->s);
  tensor_of (key, attr->tensor, data);
  if (attr->ints != NULL)
    add_data (key, attr->ints, attr->n * sizeof *attr->ints);
  if (attr->floats != NULL)
    add_data (key, attr->floats, attr->n * sizeof *attr->floats);
  for (gsize i = 0; attr->strings != NULL && i < attr->n; i++)
    add_bytes (key, attr->strings[i]);
  for (gsize i = 0; attr->tensors != NULL && i < attr->n; i++)
    tensor_of (key, attr->tensors[i], data);
}

/* Most regions are small, and the numbers of their first values fit in an array. */
typedef struct
{
  PhId first[32];
  guint n;
  GHashTable *table;
  const char *symbols[16];
  guint n_symbols;
  guint64 rows; /* core/prove/rows.h: axes along which more elements show nothing more */
} Numbers;

/* Lengths from this on are equivalent for an axis along which nothing is computed. */
#define MANY_ROWS 8

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

/* Symbols are numbered as well, since names of dimensions are irrelevant. */
static gint64
number_of_symbol (Numbers *numbers, const char *symbol)
{
  guint i = 0;

  while (i < numbers->n_symbols && numbers->symbols[i] != symbol)
    i++;
  if (i == G_N_ELEMENTS (numbers->symbols))
    return (gint64) GPOINTER_TO_SIZE (symbol);
  if (i == numbers->n_symbols)
    numbers->symbols[numbers->n_symbols++] = symbol;
  return i;
}

static void
add_type (PhKey *key, Numbers *numbers, const PhType *type, const PhRegionForm *form)
{
  if (form != NULL && form->sizes != NULL && type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank
      && ph_type_is_static (type))
    {
      gint64 dims[PH_MAX_RANK];

      for (guint i = 0; i < type->rank; i++)
        dims[i] = type->dims[i].size;
      add_dims (key, type->dtype, type->rank, dims, TRUE, form);
      return;
    }
  if (numbers->rows != 0 && type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && ph_type_is_static (type))
    {
      ph_key_add_int (key, type->dtype);
      ph_key_add_int (key, type->rank);
      for (guint i = 0; i < type->rank; i++)
        ph_key_add_int (key, ph_rows_limit (numbers->rows, type->dims[i].size, i, type->rank, MANY_ROWS));
      return;
    }
  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || ph_type_is_static (type))
    {
      ph_key_add_pointer (key, type);
      return;
    }
  ph_key_add_int (key, type->dtype);
  ph_key_add_int (key, -1 - (gint64) type->rank);
  for (guint i = 0; i < type->rank; i++)
    if (ph_dim_known (type->dims[i]))
      ph_key_add_int (key, form != NULL && form->sizes != NULL && (type->rank < 4 || i < 2)
                               ? ph_field_sizes_fewer (form->sizes, type->dims[i].size)
                               : ph_rows_limit (numbers->rows, type->dims[i].size, i, type->rank, MANY_ROWS));
    else
      {
        ph_key_add_int (key, -1);
        ph_key_add_int (key, type->dims[i].symbol != NULL ? number_of_symbol (numbers, type->dims[i].symbol) : -1);
      }
}

/* Values are numbered in order of occurrence; both sides share the numbers. */
static void
add_value (PhKey *key, Numbers *numbers, const PhValue *value, const PhRegionForm *form)
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
      add_tensor (key, value->tensor, (gpointer) form);
    }
  ph_key_add_int (key, number);
}

static gboolean
add_node (PhKey *key, Numbers *numbers, const PhNode *node, const PhRegionForm *form)
{
  if (node->graphs != NULL && node->graphs->len > 0)
    return FALSE;
  ph_key_add_pointer (key, node->op);
  ph_key_add_pointer (key, node->op_type);
  ph_key_add_pointer (key, node->domain);
  ph_key_add_int (key, node->inputs->len);
  for (guint i = 0; i < node->inputs->len; i++)
    add_value (key, numbers, ph_node_input (node, i), form);
  ph_key_add_int (key, node->outputs->len);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      if (form == NULL || form->sizes == NULL) /* or it follows from the inputs */
        add_type (key, numbers, ph_node_output (node, i)->type, form);
      add_value (key, numbers, ph_node_output (node, i), form);
    }
  ph_key_add_int (key, node->attrs->len);
  for (guint i = 0; i < node->attrs->len; i++)
    if (form != NULL && form->sizes != NULL && g_str_equal (((PhAttr *) node->attrs->pdata[i])->name, "group"))
      {
        ph_key_add_pointer (key, ((PhAttr *) node->attrs->pdata[i])->name);
        ph_key_add_int (key, ph_field_sizes_fewer (form->sizes, ((PhAttr *) node->attrs->pdata[i])->i));
      }
    else
      ph_key_add_attr (key, node->attrs->pdata[i], add_tensor, (gpointer) form);
  return TRUE;
}

static gboolean
add_nodes (PhKey *key, Numbers *numbers, GPtrArray *nodes, const PhRegionForm *form)
{
  ph_key_add_int (key, nodes->len);
  for (guint n = 0; n < nodes->len; n++)
    if (!add_node (key, numbers, nodes->pdata[n], form))
      return FALSE;
  return TRUE;
}

/* A recipe with a body is identified by pointer. */
static void
add_recipe (PhKey *key, PhModel *recipe, const PhRegionForm *form)
{
  Numbers numbers = { .n = 0 };

  ph_key_add_int (key, recipe->graph->n_nodes);
  PH_FOREACH_NODE (node, recipe->graph)
    if (!add_node (key, &numbers, node, form))
      ph_key_add_pointer (key, node);
  add_value (key, &numbers, recipe->graph->outputs->pdata[0], form);
  g_clear_pointer (&numbers.table, g_hash_table_unref);
}

static gboolean
are_pole_free (GPtrArray *nodes)
{
  for (guint n = 0; n < nodes->len; n++)
    if (!ph_node_is_pole_free (nodes->pdata[n]))
      return FALSE;
  return TRUE;
}

static gboolean
has_static_type (const PhValue *value)
{
  return value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR && ph_type_is_static (value->type);
}

/* Returns TRUE if each open dimension of @value is one of @rows, the axes along which each place is computed alone. Then the captured
 * sizes do not matter, unless another input has sizes that they are combined with. */
static gboolean
is_open_in_rows (const PhValue *value, guint64 rows)
{
  const PhType *type = value != NULL ? value->type : NULL;

  if (rows == 0 || type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!ph_dim_known (type->dims[i]) && (type->rank - 1 - i >= 64 || !(rows >> (type->rank - 1 - i) & 1)))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if @value, as an input of the model, might hold a shape. */
static gboolean
may_say_shapes (const PhValue *value)
{
  return value == NULL || value->type == NULL || value->type->kind != PH_KIND_TENSOR || !ph_dtype_is_float (value->type->dtype)
         || ph_value_says_shape (value);
}

GBytes *
ph_region_key (const PhRegion *region, PhModel *before, PhModel *after, const PhTrialOptions *options, const PhRegionForm *form,
               GPtrArray *tensors)
{
  const gboolean is_newest = ph_model_opset (before, "") >= PH_OPSET_NEWEST && ph_model_opset (after, "") >= PH_OPSET_NEWEST;
  /* The proof of a form without poles holds for any numbers. */
  const gboolean any_number = form != NULL && are_pole_free (region->before) && are_pole_free (region->after);
  Numbers numbers = { .n = 0, .rows = form == NULL && is_newest ? ph_rows_of (region) : 0 };
  PhKey own, *key = &own;
  GBytes *bytes;
  gboolean ok;

  ph_key_init (key);
  key->tensors = tensors;

  ph_key_add_int (key, options->promise);
  ph_key_add_int (key, form == NULL && options->cost > options->flops);
  ph_key_add_int (key, ph_model_opset (before, ""));
  ph_key_add_int (key, ph_model_opset (after, ""));
  ph_key_add_int (key, region->inputs->len);
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const PhId id = g_array_index (region->inputs, PhId, i);
      const PhValue *was = ph_model_find_value (before, id), *is = ph_model_find_value (after, id);

      add_type (key, &numbers, was != NULL ? was->type : NULL, form);
      add_type (key, &numbers, is != NULL ? is->type : NULL, form);
      add_value (key, &numbers, was != NULL ? was : is, form);
      if (!any_number)
        add_data (key, &options->bounds[i], sizeof (PhBounds));
      ph_key_add_int (key, options->is_free != NULL && options->is_free[i] && may_say_shapes (was != NULL ? was : is));
      /* Only the shapes of captured values matter: their elements differ in each run and are as good as any. A form is proved for any open
       * dimensions. */
      add_type (key, &numbers,
                form == NULL && !has_static_type (was != NULL ? was : is) && options->captured != NULL
                        && options->captured[i] != NULL
                        && !(region->inputs->len == 1 && is_open_in_rows (was != NULL ? was : is, numbers.rows))
                    ? ph_type_of_tensor (options->captured[i])
                    : NULL,
                NULL);
    }
  ok = add_nodes (key, &numbers, region->before, form) && add_nodes (key, &numbers, region->after, form);
  for (guint k = 0; ok && k < region->outputs->len; k++)
    {
      const PhBorderPair *pair = &g_array_index (region->outputs, PhBorderPair, k);

      add_value (key, &numbers, ph_model_find_value (before, pair->before), form);
      add_value (key, &numbers, ph_model_find_value (after, pair->after), form);
    }
  g_clear_pointer (&numbers.table, g_hash_table_unref);
  bytes = ok ? to_bytes (key) : NULL;
  ph_key_clear (key);
  return bytes;
}

guint
ph_key_hash (gconstpointer key)
{
  gsize size;
  const guint64 *words = g_bytes_get_data ((GBytes *) key, &size);
  guint64 hash = 0;

  for (gsize i = 0; i < size / sizeof *words; i++)
    hash = ((hash ^ words[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) ^ (hash >> 29);
  return (guint) (hash >> 32);
}
