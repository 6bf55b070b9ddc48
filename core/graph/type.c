/* type.c: the type of a value. Types are interned: equal types are the same pointer.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/type.h"

#include "core/intern.h"

static GMutex interned_lock;
static GHashTable *interned; /* (element-type PhType): a set, under the lock; types are never freed */

static guint
type_hash (gconstpointer data)
{
  const PhType *type = data;
  guint hash = type->kind * 31 + type->dtype;

  hash = hash * 31 + type->has_rank;
  hash = hash * 31 + type->rank;
  hash = hash * 31 + g_direct_hash (type->item);
  hash = hash * 31 + g_direct_hash (type->name);
  for (guint i = 0; i < type->rank; i++)
    hash = hash * 31 + g_int64_hash (&type->dims[i].size) + g_direct_hash (type->dims[i].symbol);
  return hash;
}

static gboolean
dims_identical (PhDim a, PhDim b)
{
  return a.size == b.size && a.symbol == b.symbol;
}

static gboolean
type_equal (gconstpointer one, gconstpointer other)
{
  const PhType *a = one, *b = other;

  if (a->kind != b->kind || a->dtype != b->dtype || a->has_rank != b->has_rank || a->rank != b->rank || a->item != b->item
      || a->name != b->name)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (!dims_identical (a->dims[i], b->dims[i]))
      return FALSE;
  return TRUE;
}

static PhType *
make (PhKind kind, PhDType dtype, guint rank)
{
  PhType *type = g_malloc0 (sizeof *type + rank * sizeof *type->dims);

  type->kind = kind;
  type->dtype = dtype;
  type->rank = rank;
  return type;
}

/* @type: (transfer full) */
static const PhType *
intern (PhType *type)
{
  PhType *known;

  g_mutex_lock (&interned_lock);
  if (interned == NULL)
    interned = g_hash_table_new (type_hash, type_equal);
  known = g_hash_table_lookup (interned, type);
  if (known == NULL)
    g_hash_table_add (interned, known = g_steal_pointer (&type));
  g_mutex_unlock (&interned_lock);
  g_free (type);
  return known;
}

const PhType *
ph_type_tensor (PhDType dtype, guint rank, const PhDim *dims)
{
  PhType *type = make (PH_KIND_TENSOR, dtype, rank);

  type->has_rank = TRUE;
  for (guint i = 0; i < rank; i++)
    type->dims[i] = (PhDim) { dims[i].size >= 0 ? dims[i].size : -1, dims[i].size >= 0 ? NULL : dims[i].symbol };
  return intern (type);
}

const PhType *
ph_type_static (PhDType dtype, guint rank, const gint64 *dims)
{
  PhDim known[PH_MAX_RANK];

  g_return_val_if_fail (rank <= PH_MAX_RANK, NULL);

  for (guint i = 0; i < rank; i++)
    known[i] = PH_DIM (dims[i]);
  return ph_type_tensor (dtype, rank, known);
}

const PhType *
ph_type_unranked (PhDType dtype)
{
  return intern (make (PH_KIND_TENSOR, dtype, 0));
}

const PhType *
ph_type_sequence (PhKind kind, const PhType *item)
{
  PhType *type = make (kind, item->dtype, 0);

  type->item = item;
  return intern (type);
}

const PhType *
ph_type_opaque (const char *name)
{
  PhType *type;

  if (name == NULL || *name == '\0' || !g_utf8_validate (name, -1, NULL))
    return NULL;
  type = make (PH_KIND_OPAQUE, PH_UNDEFINED, 0);
  type->name = ph_intern (name);
  return intern (type);
}

/* Returns the most specific type that covers both @a and @b. */
static const PhType *
generalise (const PhType *a, const PhType *b)
{
  PhDim dims[PH_MAX_RANK];

  if (a == b)
    return a;
  if (a->kind != PH_KIND_TENSOR || b->kind != PH_KIND_TENSOR || a->dtype != b->dtype)
    return ph_type_unranked (a->dtype == b->dtype ? a->dtype : PH_UNDEFINED);
  if (!a->has_rank || !b->has_rank || a->rank != b->rank)
    return ph_type_unranked (a->dtype);
  for (guint i = 0; i < a->rank; i++)
    dims[i] = ph_dim_equal (a->dims[i], b->dims[i]) ? a->dims[i] : PH_DIM_UNKNOWN;
  return ph_type_tensor (a->dtype, a->rank, dims);
}

const PhType *
ph_type_of_tensor (PhTensor *tensor)
{
  const PhType *item = NULL;

  if (ph_tensor_kind (tensor) == PH_KIND_TENSOR)
    return ph_type_static (ph_tensor_dtype (tensor), ph_tensor_rank (tensor), ph_tensor_dims (tensor));
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      const PhType *type = ph_type_of_tensor (ph_tensor_item (tensor, i));

      item = item != NULL ? generalise (item, type) : type;
    }
  return ph_type_sequence (ph_tensor_kind (tensor), item != NULL ? item : ph_type_unranked (PH_UNDEFINED));
}

const PhType *
ph_type_with_dtype (const PhType *type, PhDType dtype)
{
  if (type->kind == PH_KIND_OPAQUE)
    return type;
  if (type->kind != PH_KIND_TENSOR)
    return ph_type_sequence (type->kind, ph_type_with_dtype (type->item, dtype));
  return type->has_rank ? ph_type_tensor (dtype, type->rank, type->dims) : ph_type_unranked (dtype);
}

gboolean
ph_type_is_whole (const PhType *type)
{
  return type != NULL && type->kind == PH_KIND_TENSOR && (ph_dtype_is_integer (type->dtype) || type->dtype == PH_BOOL);
}

gboolean
ph_type_is_static (const PhType *type)
{
  if (type->kind != PH_KIND_TENSOR || !type->has_rank)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!ph_dim_known (type->dims[i]))
      return FALSE;
  return TRUE;
}

gint64
ph_type_count (const PhType *type)
{
  gint64 count = 1;

  if (!ph_type_is_static (type))
    return -1;
  for (guint i = 0; i < type->rank; i++)
    if (__builtin_mul_overflow (count, type->dims[i].size, &count))
      return -1;
  return count;
}

gint64
ph_type_bytes (const PhType *type)
{
  const gint64 count = ph_type_count (type);
  gint64 bytes;

  if (count < 0 || __builtin_mul_overflow (count, (gint64) ph_dtype_size (type->dtype), &bytes))
    return -1;
  return bytes;
}

gboolean
ph_type_same_shape (const PhType *a, const PhType *b)
{
  if (a->kind != PH_KIND_TENSOR || b->kind != PH_KIND_TENSOR || !a->has_rank || !b->has_rank || a->rank != b->rank)
    return FALSE;
  for (guint i = 0; i < a->rank; i++)
    if (!ph_dim_equal (a->dims[i], b->dims[i]))
      return FALSE;
  return TRUE;
}

gboolean
ph_type_accepts (const PhType *general, const PhType *specific)
{
  if (general == specific)
    return TRUE;
  if (general->kind != specific->kind || general->kind == PH_KIND_OPAQUE)
    return FALSE;
  if (general->kind != PH_KIND_TENSOR)
    return ph_type_accepts (general->item, specific->item);
  if (general->dtype != specific->dtype && general->dtype != PH_UNDEFINED)
    return FALSE;
  if (!general->has_rank)
    return TRUE;
  if (!specific->has_rank || specific->rank != general->rank)
    return FALSE;
  for (guint i = 0; i < general->rank; i++)
    if (ph_dim_known (general->dims[i]) || general->dims[i].symbol != NULL)
      if (!ph_dim_equal (general->dims[i], specific->dims[i]))
        return FALSE;
  return TRUE;
}

const PhType *
ph_type_merge (const PhType *a, const PhType *b)
{
  PhDim dims[PH_MAX_RANK];
  PhDType dtype;

  if (a == b)
    return a;
  if (a->kind != b->kind || a->kind == PH_KIND_OPAQUE)
    return NULL;
  if (a->kind != PH_KIND_TENSOR)
    {
      const PhType *item = ph_type_merge (a->item, b->item);

      return item != NULL ? ph_type_sequence (a->kind, item) : NULL;
    }
  if (a->dtype != b->dtype && a->dtype != PH_UNDEFINED && b->dtype != PH_UNDEFINED)
    return NULL;
  dtype = a->dtype != PH_UNDEFINED ? a->dtype : b->dtype;
  if (!a->has_rank || !b->has_rank)
    return ph_type_with_dtype (a->has_rank ? a : b, dtype);
  if (a->rank != b->rank)
    return NULL;
  for (guint i = 0; i < a->rank; i++)
    {
      const PhDim x = a->dims[i], y = b->dims[i];

      if (ph_dim_known (x) && ph_dim_known (y) && x.size != y.size)
        return NULL;
      if (ph_dim_known (x) || ph_dim_known (y))
        dims[i] = ph_dim_known (x) ? x : y;
      else
        dims[i] = x.symbol != NULL ? x : y;
    }
  return ph_type_tensor (dtype, a->rank, dims);
}

/* Returns FALSE if @a and @b are known and cannot be broadcast. */
static gboolean
broadcast_dim (PhDim a, PhDim b, PhDim *result)
{
  if (ph_dim_known (a) && a.size == 1)
    *result = b;
  else if ((ph_dim_known (b) && b.size == 1) || ph_dim_equal (a, b))
    *result = a;
  else if (ph_dim_known (a) && ph_dim_known (b))
    return FALSE;
  else if (ph_dim_known (a) || ph_dim_known (b))
    *result = ph_dim_known (a) ? a : b; /* the other is the same, or 1 */
  else
    *result = PH_DIM_UNKNOWN;
  return TRUE;
}

const PhType *
ph_type_broadcast (PhDType dtype, const PhType *const *types, guint n)
{
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;

  for (guint i = 0; i < n; i++)
    if (types[i] == NULL || types[i]->kind != PH_KIND_TENSOR || !types[i]->has_rank)
      return ph_type_unranked (dtype);
    else
      rank = MAX (rank, types[i]->rank);
  for (guint d = 0; d < rank; d++)
    dims[d] = PH_DIM (1);
  for (guint i = 0; i < n; i++)
    for (guint d = 0; d < types[i]->rank; d++)
      {
        const guint at = d + rank - types[i]->rank;

        if (!broadcast_dim (dims[at], types[i]->dims[d], &dims[at]))
          return NULL;
      }
  return ph_type_tensor (dtype, rank, dims);
}

gboolean
ph_type_fits (const PhType *type, PhTensor *tensor)
{
  if (type->kind != ph_tensor_kind (tensor))
    return FALSE;
  if (type->kind != PH_KIND_TENSOR)
    {
      for (gsize i = 0; i < ph_tensor_count (tensor); i++)
        if (!ph_type_fits (type->item, ph_tensor_item (tensor, i)))
          return FALSE;
      return TRUE;
    }
  if (type->dtype != PH_UNDEFINED && type->dtype != ph_tensor_dtype (tensor))
    return FALSE;
  if (!type->has_rank)
    return TRUE;
  if (type->rank != ph_tensor_rank (tensor))
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (ph_dim_known (type->dims[i]) && type->dims[i].size != ph_tensor_dims (tensor)[i])
      return FALSE;
  return TRUE;
}

/* Formats a type in ONNX's text syntax: "float[2,n]" has a shape, "float" is a scalar, "float[]" has an unknown rank. */
char *
ph_type_to_string (const PhType *type)
{
  GString *out;

  if (type == NULL)
    return g_strdup ("?");
  if (type->kind == PH_KIND_OPAQUE)
    return g_strdup (type->name);
  out = g_string_new (NULL);
  if (type->kind != PH_KIND_TENSOR)
    {
      g_autofree char *item = ph_type_to_string (type->item);

      g_string_append_printf (out, "%s(%s)", type->kind == PH_KIND_SEQUENCE ? "seq" : "optional", item);
      return g_string_free (out, FALSE);
    }
  g_string_append (out, ph_dtype_name (type->dtype));
  if (!type->has_rank)
    g_string_append (out, "[]");
  for (guint i = 0; i < type->rank; i++)
    {
      g_autofree char *dim = ph_dim_to_string (type->dims[i]);

      g_string_append_printf (out, "%c%s", i == 0 ? '[' : ',', dim);
    }
  if (type->rank > 0)
    g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}
