/* dnnl-pack.c: weights in the order that a primitive of oneDNN likes, put in it once.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/run/dnnl.h"
#include "core/run/recipe.h"
#include "core/run/scaled.h"
#include "core/tensor/blocks.h"

void
ph_dnnl_unpack (PhDnnlArg *arg)
{
  if (arg->packed != NULL)
    ph_block_free (g_steal_pointer (&arg->packed), arg->bytes);
  g_clear_pointer (&arg->packed_of, ph_tensor_unref);
}

#define PART ((gsize) 1 << 20) /* bytes of a weight that are put in order at once: the copy is not much larger */

/* A weight that is being packed. */
typedef struct
{
  PhTensor *tensor; /* (unowned) unless @scaled, its elements are there or in a file */
  PhScaled *scaled; /* (nullable) (unowned) computes parts of it                     */
} Weight;

/* Where a part of it is copied to. */
typedef struct
{
  gpointer data; /* (nullable) */
  gsize size;
} Room;

static gboolean
copy_weight (const Weight *weight, gsize first, gsize n, gpointer to)
{
  return weight->scaled != NULL ? ph_scaled_part (weight->scaled, first, n, to)
                                : ph_tensor_copy_part (weight->tensor, first, n, to);
}

/* Elements @first to @first + @n of @weight, in @room where they have to be copied. (nullable) */
static gconstpointer
part_of (const Weight *weight, gsize first, gsize n, Room *room)
{
  if (weight->scaled == NULL && ph_tensor_is_in_memory (weight->tensor))
    return (const float *) ph_tensor_data (weight->tensor) + first;
  if (room->data == NULL && (room->data = ph_block_new (room->size = MAX (n * sizeof (float), 64), FALSE)) == NULL)
    return NULL;
  return copy_weight (weight, first, n, room->data) ? room->data : NULL;
}

/* Packs @n slices from @first on along @axis, the outermost one in memory. Returns FALSE if that is not possible. */
static gboolean
pack_slices (PhDnnlArg *arg, const Weight *weight, int axis, gint64 first, gint64 n, Room *room)
{
  const dnnl_memory_desc_t *given = &arg->orders->given;
  const gint64 stride = given->format_desc.blocking.strides[axis];
  dnnl_memory_desc_t from, to;
  dnnl_dims_t dims, offsets = { 0 };
  PhDnnlArg slices = { .index = arg->index };
  gboolean ok;

  memcpy (dims, given->dims, sizeof dims);
  dims[axis] = n;
  offsets[axis] = first;
  ok = dnnl_memory_desc_init_by_strides (&from, given->ndims, dims, dnnl_f32, given->format_desc.blocking.strides) == dnnl_success
       && (n == given->dims[axis] ? (to = arg->orders->wished, TRUE)
                                  : dnnl_memory_desc_init_submemory (&to, &arg->orders->wished, dims, offsets) == dnnl_success)
       && ph_dnnl_make_reorder (&slices, &from, &to)
       && dnnl_memory_create (&slices.to, &to, ph_dnnl_engine (), DNNL_MEMORY_NONE) == dnnl_success
       && ph_dnnl_reorder (&slices, (gpointer) part_of (weight, (gsize) (first * stride), (gsize) (n * stride), room),
                           arg->packed);
  if (slices.reorder != NULL)
    dnnl_primitive_destroy (slices.reorder);
  if (slices.from != NULL)
    dnnl_memory_destroy (slices.from);
  if (slices.to != NULL)
    dnnl_memory_destroy (slices.to);
  return ok;
}

/* Packs slice by slice, as many at once as PART holds and oneDNN's blocks allow. */
static gboolean
pack_in_parts (PhDnnlArg *arg, const Weight *weight)
{
  const dnnl_memory_desc_t *given = &arg->orders->given;
  const dnnl_dim_t *strides = given->format_desc.blocking.strides;
  gboolean ok = FALSE;
  int axis = 0;

  for (int i = 1; i < given->ndims; i++)
    if (given->dims[i] > 1 && (given->dims[axis] == 1 || strides[i] > strides[axis]))
      axis = i;
  /* Outer channels are in blocks of 8 to 64. */
  for (gint64 least = 64; !ok; least *= 3)
    {
      const gint64 all = given->dims[axis];
      const gint64 fit = MAX (1, (gint64) (PART / sizeof (float)) / MAX (1, strides[axis])) / least * least;
      const gint64 n = least > 192 || MAX (fit, least) > all ? all : MAX (fit, least);
      Room room = { NULL, 0 };

      ok = TRUE;
      for (gint64 first = 0; first < all && ok; first += n)
        ok = pack_slices (arg, weight, axis, first, MIN (n, all - first), &room);
      if (room.data != NULL)
        ph_block_free (room.data, room.size);
      if (n == all)
        break;
    }
  return ok;
}

/* Makes room for the packed elements. */
static gboolean
make_room (PhDnnlArg *arg)
{
  ph_dnnl_unpack (arg);
  arg->packed = ph_block_new_lasting (arg->bytes);
  return arg->packed != NULL;
}

gboolean
ph_dnnl_pack_bytes (PhDnnlArg *arg, PhTensor *weight, gpointer bytes)
{
  if (bytes == NULL || (arg->packed == NULL && !make_room (arg)))
    return FALSE;
  if (arg->reorder == NULL)
    memcpy (arg->packed, bytes, arg->bytes);
  g_clear_pointer (&arg->packed_of, ph_tensor_unref);
  arg->packed_of = weight != NULL ? ph_tensor_ref (weight) : NULL;
  return arg->reorder != NULL ? ph_dnnl_reorder (arg, bytes, arg->packed)
                              : dnnl_memory_set_data_handle (arg->to, arg->packed) == dnnl_success;
}

/* Reorders a weight once. A splat or deferred weight only takes memory now. */
gboolean
ph_dnnl_pack (PhDnnlArg *arg, PhTensor *tensor)
{
  g_autoptr (PhScaled) scaled = NULL;
  g_autoptr (PhTensor) once = NULL;
  Weight weight;
  gboolean ok;

  if (arg->packed_of == tensor)
    return dnnl_memory_set_data_handle (arg->to, arg->packed) == dnnl_success;
  if (!make_room (arg))
    return FALSE;
  scaled = ph_recipe_scaled (tensor);
  once = scaled == NULL ? ph_tensor_dup_computed (tensor) : NULL;
  weight = (Weight) { once, scaled };
  if (scaled == NULL && once == NULL)
    ok = FALSE;
  else if (arg->packs)
    ok = pack_in_parts (arg, &weight);
  else
    ok = copy_weight (&weight, 0, ph_tensor_count (tensor), arg->packed);
  ok = ok && dnnl_memory_set_data_handle (arg->to, arg->packed) == dnnl_success;
  if (ok)
    arg->packed_of = ph_tensor_ref (tensor);
  else
    ph_dnnl_unpack (arg);
  return ok;
}
