/* dnnl.c: primitives of oneDNN, prepared once for a node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/dnnl.h"

#include <stdlib.h>
#include <string.h>

#include "core/run/run-private.h"
#include "core/tensor/blocks.h"
#include "core/tensor/broadcast.h"

dnnl_engine_t
ph_dnnl_engine (void)
{
  static dnnl_engine_t engine = NULL;
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      if (dnnl_engine_create (&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
      g_once_init_leave (&once, 1);
    }
  return engine;
}

static void
destroy_stream (gpointer stream)
{
  dnnl_stream_destroy (stream);
}

/* Returns this thread's. */
static dnnl_stream_t
own_stream (void)
{
  static GPrivate own = G_PRIVATE_INIT (destroy_stream);
  dnnl_stream_t stream = g_private_get (&own);

  if (stream == NULL && dnnl_stream_create (&stream, ph_dnnl_engine (), dnnl_stream_default_flags) == dnnl_success)
    g_private_set (&own, stream);
  return stream;
}

gboolean
ph_dnnl_is_float (const PhTensor *tensor)
{
  return tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_dtype (tensor) == PH_FLOAT
         && ph_tensor_count (tensor) > 0;
}

/* ── memory ── */

void
ph_dnnl_plain (dnnl_memory_desc_t *desc, guint rank, const gint64 *dims)
{
  dnnl_dims_t sizes, strides;
  gint64 own[PH_MAX_RANK];

  ph_strides (rank, dims, own);
  for (guint i = 0; i < rank; i++)
    {
      sizes[i] = dims[i];
      strides[i] = own[i];
    }
  dnnl_memory_desc_init_by_strides (desc, (int) rank, sizes, dnnl_f32, strides);
}

/* Returns FALSE if the order does not exist for this rank. */
static gboolean
laid_out_desc (dnnl_memory_desc_t *desc, guint rank, const gint64 *dims, PhMemoryFormat layout)
{
  static const dnnl_format_tag_t tags[PH_N_MEMORY_FORMATS][PH_DNNL_SPATIAL] = {
    [PH_MEMORY_CHANNELS_LAST] = { dnnl_nwc, dnnl_nhwc, dnnl_ndhwc },
    [PH_MEMORY_BLOCKED_8] = { dnnl_nCw8c, dnnl_nChw8c, dnnl_nCdhw8c },
    [PH_MEMORY_BLOCKED_16] = { dnnl_nCw16c, dnnl_nChw16c, dnnl_nCdhw16c },
  };
  dnnl_dims_t sizes;

  if (layout == PH_MEMORY_PLAIN)
    {
      ph_dnnl_plain (desc, rank, dims);
      return TRUE;
    }
  if (rank < 3 || rank > 2 + PH_DNNL_SPATIAL)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    sizes[i] = dims[i];
  return dnnl_memory_desc_init_by_tag (desc, (int) rank, sizes, dnnl_f32, tags[layout][rank - 3]) == dnnl_success;
}

/* Describes @tensor in its present layout. */
static void
desc_of (dnnl_memory_desc_t *desc, const PhTensor *tensor)
{
  laid_out_desc (desc, ph_tensor_rank (tensor), ph_tensor_dims (tensor), ph_tensor_format (tensor));
}

dnnl_memory_desc_t
ph_dnnl_any (const dnnl_memory_desc_t *desc)
{
  dnnl_memory_desc_t any;

  dnnl_memory_desc_init_by_tag (&any, desc->ndims, desc->dims, dnnl_f32, dnnl_format_tag_any);
  return any;
}

/* Scratch memory of this thread's primitives; it only grows. */
typedef struct
{
  gpointer data;
  gsize size;
} Room;

static void
free_room (gpointer data)
{
  Room *room = data;

  free (room->data);
  g_free (room);
}

static gpointer
room_of (gsize size)
{
  static GPrivate own = G_PRIVATE_INIT (free_room);
  Room *room = g_private_get (&own);

  if (room == NULL)
    g_private_set (&own, room = g_new0 (Room, 1));
  if (room->size < size)
    {
      free (room->data);
      room->size = 0;
      if (posix_memalign (&room->data, 64, size) != 0)
        room->data = NULL;
      else
        room->size = size;
    }
  return room->data;
}

/* ── a primitive ── */

gsize
ph_dnnl_packed_of (gpointer data)
{
  const PhDnnl *dnnl = data;
  gsize bytes = 0;

  for (guint i = 0; i < dnnl->n; i++)
    bytes += dnnl->args[i].packed != NULL ? dnnl->args[i].bytes : 0;
  return bytes;
}

PhDnnl *
ph_dnnl_new (void)
{
  return g_new0 (PhDnnl, 1);
}

void
ph_dnnl_free (gpointer data)
{
  PhDnnl *dnnl = data;

  for (guint i = 0; i < dnnl->n; i++)
    {
      PhDnnlArg *arg = &dnnl->args[i];

      ph_dnnl_unpack (arg);
      g_free (arg->orders);
      if (arg->reorder != NULL)
        dnnl_primitive_destroy (arg->reorder);
      if (arg->from != NULL)
        dnnl_memory_destroy (arg->from);
      if (arg->to != NULL)
        dnnl_memory_destroy (arg->to);
    }
  if (dnnl->scratchpad != NULL)
    dnnl_memory_destroy (dnnl->scratchpad);
  if (dnnl->primitive != NULL)
    dnnl_primitive_destroy (dnnl->primitive);
  g_free (dnnl);
}

PhDnnlArg *
ph_dnnl_add (PhDnnl *dnnl, PhKernel *kernel, int index, guint input)
{
  PhDnnlArg *arg = &dnnl->args[dnnl->n++];

  g_assert (dnnl->n < PH_DNNL_ARGS);
  arg->index = index;
  arg->input = input;
  arg->constant = ph_kernel_is_constant (kernel, input);
  arg->orders = g_new (PhDnnlOrders, 1);
  desc_of (&arg->orders->given, kernel->inputs[input]);
  arg->orders->wished = arg->orders->given;
  return arg;
}

void
ph_dnnl_result (PhDnnl *dnnl, guint rank, const gint64 *dims)
{
  PhDnnlArg *arg = &dnnl->args[dnnl->n++];

  g_assert (dnnl->n <= PH_DNNL_ARGS);
  arg->index = DNNL_ARG_DST;
  dnnl->rank = rank;
  memcpy (dnnl->dims, dims, rank * sizeof *dims);
  arg->orders = g_new (PhDnnlOrders, 1);
  ph_dnnl_plain (&arg->orders->given, rank, dims);
  arg->orders->wished = arg->orders->given;
}

PhDnnlArg *
ph_dnnl_add_as (PhDnnl *dnnl, PhKernel *kernel, int index, guint input, const dnnl_memory_desc_t *given)
{
  PhDnnlArg *arg = ph_dnnl_add (dnnl, kernel, index, input);

  arg->orders->given = arg->orders->wished = *given;
  arg->plain = TRUE;
  return arg;
}

void
ph_dnnl_result_as (PhDnnl *dnnl, int index, guint rank, const gint64 *dims, const dnnl_memory_desc_t *given)
{
  PhDnnlArg *arg = &dnnl->args[dnnl->n];

  ph_dnnl_result (dnnl, rank, dims);
  arg->index = index;
  arg->orders->given = arg->orders->wished = *given;
}

/* Asks for oneDNN's preferred order of @arg; without an answer the order stays as given. */
static void
query_wish (const_dnnl_primitive_desc_t desc, PhDnnlArg *arg)
{
  /* clang-format off */
  static const struct { int index; dnnl_query_t query; } queries[] = {
    { DNNL_ARG_SRC, dnnl_query_src_md }, { DNNL_ARG_WEIGHTS, dnnl_query_weights_md }, { DNNL_ARG_DST, dnnl_query_dst_md },
    { DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md }, { DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md },
  };
  /* clang-format on */
  const dnnl_memory_desc_t *wished = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    if (queries[i].index == arg->index && dnnl_primitive_desc_query (desc, queries[i].query, 0, (void *) &wished) == dnnl_success
        && wished != NULL)
      arg->orders->wished = *wished;
}

gboolean
ph_dnnl_make_reorder (PhDnnlArg *arg, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to)
{
  dnnl_primitive_desc_t desc = NULL;
  gboolean ok;

  ok = dnnl_reorder_primitive_desc_create (&desc, from, ph_dnnl_engine (), to, ph_dnnl_engine (), NULL) == dnnl_success
       && dnnl_primitive_create (&arg->reorder, desc) == dnnl_success
       && dnnl_memory_create (&arg->from, from, ph_dnnl_engine (), DNNL_MEMORY_NONE) == dnnl_success;
  if (desc != NULL)
    dnnl_primitive_desc_destroy (desc);
  return ok;
}

static gboolean
make_result (PhDnnl *dnnl, PhDnnlArg *arg)
{
  dnnl_memory_desc_t desc;

  for (PhMemoryFormat layout = 0; layout < PH_N_MEMORY_FORMATS && arg->index == DNNL_ARG_DST; layout++)
    if (laid_out_desc (&desc, dnnl->rank, dnnl->dims, layout) && dnnl_memory_desc_equal (&desc, &arg->orders->wished))
      {
        dnnl->layout = layout;
        return TRUE;
      }
  dnnl->layout = PH_MEMORY_PLAIN;
  if (dnnl_memory_desc_equal (&arg->orders->wished, &arg->orders->given))
    return TRUE;
  return ph_dnnl_make_reorder (arg, &arg->orders->wished, &arg->orders->given);
}

static gboolean
make_argument (PhDnnl *dnnl, PhDnnlArg *arg, const_dnnl_primitive_desc_t desc)
{
  PhDnnlOrders *orders = arg->orders;
  gboolean ok = TRUE;

  query_wish (desc, arg);
  if (arg == &dnnl->args[dnnl->n - 1])
    ok = make_result (dnnl, arg);
  else if (dnnl_memory_desc_equal (&orders->wished, &orders->given))
    arg->packs = FALSE;
  else if (arg->constant && orders->given.format_desc.blocking.inner_nblks == 0)
    arg->packs = TRUE;
  else
    ok = ph_dnnl_make_reorder (arg, &orders->given, &orders->wished);
  arg->bytes = dnnl_memory_desc_get_size (&orders->wished);
  ok = ok && dnnl_memory_create (&arg->to, &orders->wished, ph_dnnl_engine (), DNNL_MEMORY_NONE) == dnnl_success;
  if (!arg->packs)
    g_clear_pointer (&arg->orders, g_free);
  return ok;
}

#define FEW_PRODUCTS ((gint64) 4 << 20) /* a tenth of a millisecond */

static gint64
count_elements (const dnnl_memory_desc_t *desc)
{
  gint64 n = 1;

  for (int i = 0; i < desc->ndims; i++)
    n *= desc->dims[i];
  return n;
}

/* oneDNN chooses by the number of threads in which order some convolutions add up. Returns TRUE for those of floats that gain little from
 * more than one. */
static gboolean
is_small_convolution (const_dnnl_op_desc_t op)
{
  const dnnl_convolution_desc_t *conv = op; /* a deconvolution's is the same; what kind it is stands first in any */
  const dnnl_memory_desc_t *image;

  if ((conv->primitive_kind != dnnl_convolution && conv->primitive_kind != dnnl_deconvolution)
      || conv->prop_kind != dnnl_forward_inference || conv->accum_data_type != dnnl_f32)
    return FALSE;
  image = conv->primitive_kind == dnnl_convolution ? &conv->dst_desc : &conv->src_desc;
  return count_elements (image) / image->dims[1] * count_elements (&conv->weights_desc) <= FEW_PRODUCTS;
}

gboolean
ph_dnnl_make (PhDnnl *dnnl, const_dnnl_op_desc_t op, const_dnnl_primitive_desc_t forward)
{
  const gboolean alone = is_small_convolution (op);
  const int threads = ph_run_push_threads (alone ? 1 : 0);
  dnnl_primitive_attr_t attr = NULL;
  dnnl_primitive_desc_t desc = NULL; /* a primitive has its own */
  const dnnl_memory_desc_t *scratch = NULL;
  gboolean ok;

  dnnl->alone = alone;
  ok = dnnl_primitive_attr_create (&attr) == dnnl_success
       && dnnl_primitive_attr_set_scratchpad_mode (attr, dnnl_scratchpad_mode_user) == dnnl_success
       && dnnl_primitive_desc_create (&desc, op, attr, ph_dnnl_engine (), forward) == dnnl_success
       && dnnl_primitive_create (&dnnl->primitive, desc) == dnnl_success;
  if (attr != NULL)
    dnnl_primitive_attr_destroy (attr);
  if (ok && dnnl_primitive_desc_query (desc, dnnl_query_scratchpad_md, 0, (void *) &scratch) == dnnl_success && scratch != NULL)
    {
      dnnl->scratch = dnnl_memory_desc_get_size (scratch);
      ok = dnnl_memory_create (&dnnl->scratchpad, scratch, ph_dnnl_engine (), DNNL_MEMORY_NONE) == dnnl_success;
    }
  for (guint i = 0; i < dnnl->n && ok; i++)
    ok = make_argument (dnnl, &dnnl->args[i], desc);
  if (desc != NULL)
    dnnl_primitive_desc_destroy (desc);
  ph_run_pop_threads (threads);
  return ok;
}

/* Memory in use while a primitive runs. */
typedef struct
{
  gpointer data;
  gsize size;
} Temporary;

static gpointer
temporary_new (Temporary *temporary, gsize size)
{
  temporary->size = MAX (size, 64);
  return temporary->data = ph_block_new (temporary->size, FALSE);
}

static void
temporary_clear (Temporary *temporary)
{
  if (temporary->data != NULL)
    ph_block_free (temporary->data, temporary->size);
  temporary->data = NULL;
}

/* Returns the elements of @tensor in their present layout; expands a splat into @copy. (nullable) */
static gpointer
elements (const PhDnnlArg *arg, PhTensor *tensor, Temporary *copy)
{
  if (!arg->plain && ph_tensor_format (tensor) != PH_MEMORY_PLAIN)
    return ph_tensor_packed (tensor);
  if (!ph_tensor_is_splat (tensor))
    return (gpointer) ph_tensor_data (tensor);
  return temporary_new (copy, ph_tensor_bytes (tensor)) != NULL && ph_tensor_copy_data (tensor, copy->data) ? copy->data : NULL;
}

gboolean
ph_dnnl_reorder (PhDnnlArg *arg, gpointer from, gpointer to)
{
  dnnl_exec_arg_t args[] = { { DNNL_ARG_FROM, arg->from }, { DNNL_ARG_TO, arg->to } };

  return from != NULL && to != NULL && dnnl_memory_set_data_handle (arg->from, from) == dnnl_success
         && dnnl_memory_set_data_handle (arg->to, to) == dnnl_success
         && dnnl_primitive_execute (arg->reorder, own_stream (), 2, args) == dnnl_success
         && dnnl_stream_wait (own_stream ()) == dnnl_success;
}

/* Points the memory of @arg to the elements of @tensor. @temporary: to be freed after use. */
static gboolean
bind (PhDnnlArg *arg, PhTensor *tensor, Temporary *temporary)
{
  Temporary copy = { NULL, 0 };
  gpointer from;
  gboolean ok;

  if (arg->packs || (arg->constant && ph_tensor_is_splat (tensor)))
    return ph_dnnl_pack (arg, tensor);
  from = elements (arg, tensor, &copy);
  if (arg->reorder == NULL)
    {
      *temporary = copy;
      return from != NULL && dnnl_memory_set_data_handle (arg->to, from) == dnnl_success;
    }
  ok = temporary_new (temporary, arg->bytes) != NULL && ph_dnnl_reorder (arg, from, temporary->data);
  temporary_clear (&copy);
  return ok;
}

gboolean
ph_dnnl_execute (PhDnnl *dnnl)
{
  gpointer scratch = dnnl->scratch > 0 ? room_of (dnnl->scratch) : NULL;
  dnnl_exec_arg_t args[PH_DNNL_ARGS + 1];
  const int threads = ph_run_push_threads (dnnl->alone ? 1 : 0);
  gboolean ok;
  guint n;

  for (n = 0; n < dnnl->n; n++)
    args[n] = (dnnl_exec_arg_t) { dnnl->args[n].index, dnnl->args[n].to };
  if (dnnl->scratchpad != NULL)
    args[n++] = (dnnl_exec_arg_t) { DNNL_ARG_SCRATCHPAD, dnnl->scratchpad };
  ok = (dnnl->scratchpad == NULL || dnnl_memory_set_data_handle (dnnl->scratchpad, scratch) == dnnl_success)
       && (dnnl->scratch == 0 || scratch != NULL)
       && dnnl_primitive_execute (dnnl->primitive, own_stream (), (int) n, args) == dnnl_success
       && dnnl_stream_wait (own_stream ()) == dnnl_success;
  ph_run_pop_threads (threads);
  return ok;
}

gboolean
ph_dnnl_run (PhKernel *kernel, gpointer prepared)
{
  PhDnnl *dnnl = prepared;
  PhDnnlArg *result = &dnnl->args[dnnl->n - 1];
  Temporary temporaries[PH_DNNL_ARGS] = { { NULL, 0 } }, room = { NULL, 0 };
  gpointer data;
  PhTensor *y = dnnl->layout == PH_MEMORY_PLAIN ? ph_tensor_new_unset (PH_FLOAT, dnnl->rank, dnnl->dims)
                                                : ph_tensor_new_packed (dnnl->rank, dnnl->dims, dnnl->layout);
  gboolean ok = y != NULL;

  for (guint i = 0; i + 1 < dnnl->n && ok; i++)
    ok = bind (&dnnl->args[i], kernel->inputs[dnnl->args[i].input], &temporaries[i]);
  if (ok)
    {
      data = dnnl->layout == PH_MEMORY_PLAIN ? ph_tensor_writable (y) : ph_tensor_packed (y);
      if (result->reorder != NULL)
        ok = temporary_new (&room, result->bytes) != NULL;
      ok = ok && dnnl_memory_set_data_handle (result->to, room.data != NULL ? room.data : data) == dnnl_success
           && ph_dnnl_execute (dnnl);
      if (ok && room.data != NULL)
        {
          dnnl_exec_arg_t out[] = { { DNNL_ARG_FROM, result->to }, { DNNL_ARG_TO, result->from } };

          ok = dnnl_memory_set_data_handle (result->from, data) == dnnl_success
               && dnnl_primitive_execute (result->reorder, own_stream (), 2, out) == dnnl_success
               && dnnl_stream_wait (own_stream ()) == dnnl_success;
        }
    }
  temporary_clear (&room);
  for (guint i = 0; i < dnnl->n; i++)
    temporary_clear (&temporaries[i]);
  if (ok)
    ph_kernel_take (kernel, 0, y);
  else
    g_clear_pointer (&y, ph_tensor_unref);
  return ok;
}

gboolean
ph_dnnl_geometry (const PhWindow *window, PhDnnlGeometry *geometry)
{
  for (guint i = 0; i < window->n; i++)
    {
      const gint64 extent = (window->kernel[i] - 1) * window->dilation[i] + 1;

      geometry->kernel[i] = window->kernel[i];
      geometry->strides[i] = window->stride[i];
      geometry->dilations[i] = window->dilation[i] - 1; /* oneDNN counts the elements left out */
      geometry->before[i] = window->begin[i];
      geometry->after[i] = window->end[i];
      if (window->begin[i] < 0 || window->begin[i] >= extent || window->end[i] >= extent || window->out[i] < 1)
        return FALSE;
    }
  return window->n >= 1 && window->n <= PH_DNNL_SPATIAL;
}
