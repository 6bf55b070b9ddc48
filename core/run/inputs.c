/* inputs.c: tensors for the inputs of a model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/run/inputs.h"

#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/ops/infer.h"
#include "core/splitmix.h"

/* ── one tensor ── */

static double
draw (PhInputsKind kind, guint64 *state)
{
  static const double specials[] = { 0.0,   -0.0,   1.0, -1.0,     1e-45,     -1e-40, 1e-38, 1e30,
                                     -1e30, 3.4e38, NAN, INFINITY, -INFINITY, 0.5,    -2.0,  1e-8 };

  if (kind == PH_INPUTS_SPECIAL && ph_splitmix (state) % 3 == 0)
    return specials[ph_splitmix (state) % G_N_ELEMENTS (specials)];
  if (kind == PH_INPUTS_WIDE || kind == PH_INPUTS_TINY)
    {
      guint64 r = ph_splitmix (state) % 16;
      double magnitude = pow (10, kind == PH_INPUTS_WIDE ? ph_splitmix_uniform (state) * 6 - 3
                                                         : ph_splitmix_uniform (state) * 41 - 44);

      return r == 0 ? 0.0 : r == 1 ? -0.0 : r % 2 == 0 ? magnitude : -magnitude;
    }
  return ph_splitmix_normal (state);
}

PhTensor *
ph_generate_tensor (const PhType *type, PhInputsKind kind, guint64 seed, GHashTable *sizes, gint64 size, gint64 most)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;
  guint64 state = seed;

  if (type == NULL || type->kind == PH_KIND_OPAQUE)
    return NULL;
  if (type->kind != PH_KIND_TENSOR)
    {
      g_autoptr (PhTensor) item = ph_generate_tensor (type->item, kind, seed, sizes, size, most);

      return item != NULL ? ph_tensor_new_sequence (type->kind, &item, 1) : NULL;
    }
  if (!type->has_rank || type->dtype == PH_UNDEFINED)
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    {
      PhDim dim = type->dims[i];
      gpointer known = dim.symbol != NULL && sizes != NULL ? g_hash_table_lookup (sizes, dim.symbol) : NULL;

      dims[i] = ph_dim_known (dim)         ? dim.size
                : known != NULL            ? (gint64) GPOINTER_TO_SIZE (known)
                : size < 0                 ? (i == type->rank - 1 ? -size : 1)
                : i == 0 && type->rank > 1 ? MIN (size, 2)
                                           : size;
      if (!ph_dim_known (dim) && known == NULL && dim.symbol != NULL && sizes != NULL)
        g_hash_table_insert (sizes, (gpointer) dim.symbol, GSIZE_TO_POINTER (dims[i]));
    }

  tensor = ph_tensor_new (type->dtype, type->rank, dims);
  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    if (type->dtype == PH_STRING)
      {
        char text[2] = { (char) ('a' + ph_splitmix (&state) % 4), '\0' };
        ph_tensor_set_string (tensor, i, text);
      }
    else if (type->dtype == PH_COMPLEX64 || type->dtype == PH_COMPLEX128)
      {
        PhDType part = type->dtype == PH_COMPLEX64 ? PH_FLOAT : PH_DOUBLE;

        ph_dtype_store (part, ph_tensor_writable (tensor), 2 * i, ph_splitmix_normal (&state));
        ph_dtype_store (part, ph_tensor_writable (tensor), 2 * i + 1, ph_splitmix_normal (&state));
      }
    else if (type->dtype == PH_BOOL)
      ph_dtype_store_int (type->dtype, ph_tensor_writable (tensor), i, (gint64) (ph_splitmix (&state) & 1));
    else if (ph_dtype_is_integer (type->dtype))
      {
        gint64 value = (gint64) (ph_splitmix (&state) % (guint64) (most + 1));

        /* A wide range means that these are no indices: negative numbers matter too. */
        if (most > 8 && ph_dtype_is_signed (type->dtype) && (ph_splitmix (&state) & 1))
          value = -value;
        ph_dtype_store_int (type->dtype, ph_tensor_writable (tensor), i, value);
      }
    else
      ph_dtype_store (type->dtype, ph_tensor_writable (tensor), i, draw (kind, &state));
  return tensor;
}

/* ── all inputs ── */

/* Learns the sizes of symbols from fed tensors, for the generated ones. */
static void
learn_sizes (const PhType *type, PhTensor *tensor, GHashTable *sizes)
{
  if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || ph_tensor_kind (tensor) != PH_KIND_TENSOR
      || type->rank != ph_tensor_rank (tensor))
    return;
  for (guint i = 0; i < type->rank; i++)
    if (type->dims[i].symbol != NULL)
      g_hash_table_insert (sizes, (gpointer) type->dims[i].symbol, GSIZE_TO_POINTER ((gsize) ph_tensor_dims (tensor)[i]));
}

/* "grad_y" where y is a float value of the model: its cotangent. (nullable) */
static PhValue *
cotangent_of (PhModel *model, const PhValue *input)
{
  PhValue *value;

  if (!g_str_has_prefix (input->name, "grad_"))
    return NULL;
  value = ph_model_find_value_named (model, input->name + strlen ("grad_"));
  return value != NULL && value->graph == model->graph ? value : NULL;
}

static PhTensor *
ones (const PhType *type, PhTensor *like)
{
  PhDType dtype = like != NULL ? ph_tensor_dtype (like) : type->dtype;
  gint64 dims[PH_MAX_RANK];
  guint rank = like != NULL ? ph_tensor_rank (like) : type->rank;
  g_autoptr (PhTensor) one = ph_tensor_new_scalar (dtype, 1);

  for (guint i = 0; i < rank; i++)
    dims[i] = like != NULL ? ph_tensor_dims (like)[i] : type->dims[i].size;
  return ph_tensor_new_splat (dtype, rank, dims, ph_tensor_data (one));
}

static gboolean
add_cotangent (PhModel *model, PhValue *input, PhValue *of, GHashTable *feeds, const PhRunOptions *options, GError **error)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) results = NULL;
  PhTensor *like;

  if (input->type != NULL && ph_type_is_static (input->type))
    {
      g_hash_table_insert (feeds, input, ones (input->type, NULL));
      return TRUE;
    }
  g_ptr_array_add (wanted, of);
  results = ph_run_model (model, feeds, wanted, options, error);
  if (results == NULL)
    return FALSE;
  like = g_hash_table_lookup (results, GUINT_TO_POINTER (of->id));
  if (like == NULL || ph_tensor_kind (like) != PH_KIND_TENSOR)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_TYPE, "input '%s' is not fed, and '%s' does not give it a shape", input->name,
                   of->name);
      return FALSE;
    }
  g_hash_table_insert (feeds, input, ones (NULL, like));
  return TRUE;
}

GHashTable *
ph_inputs_collect (PhModel *model, GHashTable *named, PhInputsKind kind, guint64 seed, gint64 size, gint64 most,
                   const PhRunOptions *options, GError **error)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GHashTable) sizes = g_hash_table_new (NULL, NULL);
  GPtrArray *inputs = model->graph->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      PhValue *input = inputs->pdata[i];
      PhTensor *tensor = named != NULL ? g_hash_table_lookup (named, input->name) : NULL;

      if (tensor == NULL)
        continue;
      g_hash_table_insert (feeds, input, ph_tensor_ref (tensor));
      learn_sizes (input->type, tensor, sizes);
    }

  for (guint i = 0; i < inputs->len; i++)
    {
      PhValue *input = inputs->pdata[i];
      PhTensor *tensor;
      g_autofree char *type = NULL;

      if (g_hash_table_contains (feeds, input) || input->tensor != NULL || cotangent_of (model, input) != NULL)
        continue;
      type = ph_type_to_string (input->type);
      if (kind == PH_INPUTS_FED)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "input '%s' (%s) is not fed: `feed %s VALUE`, or `feed %s random 1`",
                       input->name, type, input->name, input->name);
          return NULL;
        }
      tensor = ph_generate_tensor (input->type, kind, seed * 1000003 + i, sizes, size, most);
      if (tensor == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "nothing can be generated for input '%s' (%s): feed it",
                       input->name, type);
          return NULL;
        }
      g_hash_table_insert (feeds, input, tensor);
    }

  for (guint i = 0; i < inputs->len; i++)
    {
      PhValue *input = inputs->pdata[i], *of = cotangent_of (model, input);

      if (of != NULL && input->tensor == NULL && !g_hash_table_contains (feeds, input)
          && !add_cotangent (model, input, of, feeds, options, error))
        return NULL;
    }
  return g_steal_pointer (&feeds);
}

static gboolean
has_open_sizes (PhModel *model, GHashTable *named)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];

      if (input->tensor == NULL && (named == NULL || !g_hash_table_contains (named, input->name)) && input->type != NULL
          && !ph_type_is_static (input->type))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if some input is of integers, which are generated up to a bound. */
static gboolean
has_open_integers (PhModel *model, GHashTable *named)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      const PhValue *input = model->graph->inputs->pdata[i];
      const PhType *type = input->type;

      while (type != NULL && type->kind != PH_KIND_TENSOR && type->kind != PH_KIND_OPAQUE)
        type = type->item;
      if (input->tensor == NULL && (named == NULL || !g_hash_table_contains (named, input->name)) && type != NULL
          && type->kind == PH_KIND_TENSOR && ph_dtype_is_integer (type->dtype))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if some value has no elements: its users would be tested on nothing. */
static gboolean
comes_to_nothing (PhModel *model, GHashTable *feeds)
{
  g_autoptr (PhModel) clone = ph_model_clone (model);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhTensor *tensor = g_hash_table_lookup (feeds, model->graph->inputs->pdata[i]);

      if (tensor != NULL)
        ph_value_set_type (clone->graph->inputs->pdata[i], ph_type_of_tensor (tensor), NULL);
    }
  ph_infer_model (clone, FALSE, NULL, NULL);
  PH_FOREACH_NODE (node, clone->graph)
    for (guint k = 0; k < node->outputs->len; k++)
      {
        const PhValue *value = node->outputs->pdata[k];

        if (ph_value_n_uses (value) > 0 && value->type != NULL && value->type->kind == PH_KIND_TENSOR
            && ph_type_count (value->type) == 0 && ph_value_constant (value) == NULL)
          return TRUE;
      }
  return FALSE;
}

typedef struct
{
  gint64 size, most; /* audio models need many samples, at the price of as many everywhere else */
} Try;

static const Try tries[] = {
  { 2, 100 }, { 2, 1 },  { 4, 1 },   { 1, 1 },   { 1, 0 },    { 3, 2 },    { 8, 1 },     { 32, 1 },
  { 64, 1 },  { 16, 1 }, { 224, 1 }, { -64, 1 }, { -256, 1 }, { -512, 1 }, { -4096, 1 },
};

/* The number of sizes examined for empty values; in some models all lead to them. */
#define MOST_EMPTY 6

/* Orders the tries so that sizes with empty values come last. */
static void
order_tries (PhModel *model, GHashTable *named, PhInputsKind kind, const PhRunOptions *options, const Try **order)
{
  gint64 empty[MOST_EMPTY];
  guint n = 0, n_late = 0, n_empty = 0, looked = 0;
  const Try *late[G_N_ELEMENTS (tries)];

  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    {
      gboolean is_empty = FALSE;

      for (guint k = 0; k < n_empty && !is_empty; k++)
        is_empty = empty[k] == tries[i].size;
      if (!is_empty && n == 0 && looked < MOST_EMPTY)
        {
          g_autoptr (GHashTable) feeds = ph_inputs_collect (model, named, kind, 0, tries[i].size, tries[i].most, options, NULL);

          looked++;
          is_empty = feeds != NULL && comes_to_nothing (model, feeds);
          if (is_empty)
            empty[n_empty++] = tries[i].size;
        }
      if (is_empty)
        late[n_late++] = &tries[i];
      else
        order[n++] = &tries[i];
    }
  for (guint i = 0; i < n_late; i++)
    order[n++] = late[i];
}

/* ── what says a shape ── */

/* The dimensions of what is fed, of which a shape that has to fit consists most likely. (element-type gint64) */
static GArray *
find_dims (GHashTable *feeds)
{
  GArray *dims = g_array_new (FALSE, FALSE, sizeof (gint64));
  GHashTableIter iter;
  gpointer tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, NULL, &tensor))
    if (ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_rank (tensor) > 1)
      g_array_append_vals (dims, ph_tensor_dims (tensor), ph_tensor_rank (tensor));
  return dims;
}

static gboolean
may_say_shape (const PhValue *input, GHashTable *named)
{
  return input->tensor == NULL && (named == NULL || !g_hash_table_contains (named, input->name)) && input->type != NULL
         && input->type->kind == PH_KIND_TENSOR && input->type->has_rank && input->type->rank <= 1
         && ph_dtype_is_integer (input->type->dtype);
}

static gboolean
may_say_shapes (PhModel *model, GHashTable *named)
{
  for (guint i = 0; i < model->graph->inputs->len; i++)
    if (may_say_shape (model->graph->inputs->pdata[i], named))
      return TRUE;
  return FALSE;
}

/* Puts dimensions and small numbers into the generated vectors of integers. */
static void
fit_shapes (PhModel *model, GHashTable *named, GHashTable *feeds, guint64 seed)
{
  g_autoptr (GArray) dims = find_dims (feeds);
  guint64 state = seed * 7919 + 13;

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *input = model->graph->inputs->pdata[i];
      PhTensor *made = may_say_shape (input, named) ? g_hash_table_lookup (feeds, input) : NULL, *tensor;

      if (made == NULL || ph_tensor_count (made) == 0)
        continue;
      tensor = ph_tensor_new (ph_tensor_dtype (made), ph_tensor_rank (made), ph_tensor_dims (made));
      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        {
          const guint64 r = ph_splitmix (&state);
          const gint64 value = dims->len > 0 && r % 4 > 0 ? g_array_index (dims, gint64, r / 4 % dims->len)
                                                          : (gint64) (r / 4 % 4);

          ph_dtype_store_int (ph_tensor_dtype (tensor), ph_tensor_writable (tensor), k, value);
        }
      g_hash_table_insert (feeds, input, tensor);
    }
}

/* The model was computed, and some output has an element. */
static gboolean
has_elements (PhModel *model, GHashTable *results)
{
  const GPtrArray *outputs = model->graph->outputs;

  for (guint i = 0; i < outputs->len; i++)
    {
      PhTensor *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (((PhValue *) outputs->pdata[i])->id));

      if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || ph_tensor_count (tensor) > 0)
        return TRUE;
    }
  return outputs->len == 0;
}

/* So many more tries where vectors of integers may say shapes. */
#define N_FITTING 24

typedef struct
{
  GHashTable *feeds, *results; /* (nullable) those that came to something, or to what is empty at least */
  GError *first;
} Found;

/* Returns TRUE if nothing more is to be tried. @fit: 0, or which of the shapes that fit from 1. */
static gboolean
try_inputs (Found *found, PhModel *model, GHashTable *named, PhInputsKind kind, guint64 seed, const Try *sizes, guint fit,
            GPtrArray *wanted, const PhRunOptions *options)
{
  g_autoptr (GError) own = NULL;
  g_autoptr (GHashTable) feeds = ph_inputs_collect (model, named, kind, seed, sizes->size, sizes->most, options, &own),
                         computed = NULL;

  if (feeds != NULL && fit > 0)
    fit_shapes (model, named, feeds, seed + fit);
  if (feeds != NULL)
    computed = ph_run_model (model, feeds, wanted, options, &own);
  if (computed != NULL)
    {
      const gboolean is_full = wanted != NULL || has_elements (model, computed);

      if (found->feeds == NULL || is_full)
        {
          g_clear_pointer (&found->feeds, g_hash_table_unref);
          g_clear_pointer (&found->results, g_hash_table_unref);
          found->feeds = g_steal_pointer (&feeds);
          found->results = g_steal_pointer (&computed);
        }
      return is_full;
    }
  if (found->first == NULL)
    found->first = g_steal_pointer (&own);
  return g_error_matches (found->first, PH_ERROR, PH_ERROR_CANCELLED)
         || (options != NULL && g_cancellable_is_cancelled (options->cancellable));
}

GHashTable *
ph_inputs_find (PhModel *model, GHashTable *named, PhInputsKind kind, guint64 seed, GPtrArray *wanted,
                const PhRunOptions *options, GHashTable **results, GError **error)
{
  const Try *order[G_N_ELEMENTS (tries)];
  const gboolean open_sizes = kind != PH_INPUTS_FED && has_open_sizes (model, named),
                 open_integers = kind != PH_INPUTS_FED && has_open_integers (model, named);
  const guint n_fitting = kind != PH_INPUTS_FED && wanted == NULL && may_say_shapes (model, named) ? N_FITTING : 0;
  /* Sizes and bounds are all that the tries differ in: where the model has neither, the next one fails as the first one did. */
  const guint n_tries = open_sizes || open_integers ? G_N_ELEMENTS (tries) : 1;
  Found found = { 0 };
  gboolean ended = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    order[i] = &tries[i];
  if (open_sizes)
    order_tries (model, named, kind, options, order);
  for (guint i = 0; i < n_tries && found.feeds == NULL && !ended; i++)
    ended = try_inputs (&found, model, named, kind, seed, order[i], 0, wanted, options);
  for (guint i = 1; i <= n_fitting && !ended; i++)
    ended = try_inputs (&found, model, named, kind, seed, order[0], i, wanted, options);
  if (found.feeds == NULL)
    {
      g_propagate_error (error, found.first);
      return NULL;
    }
  g_clear_error (&found.first);
  if (results != NULL)
    *results = found.results;
  else
    g_hash_table_unref (found.results);
  return found.feeds;
}

static PhValue *
input_named (PhModel *model, const char *name)
{
  PhValue *value = ph_graph_find_value_named (model->graph, name);

  return value != NULL && value->is_input && value->graph == model->graph ? value : NULL;
}

static void
feed_unless_fed (GHashTable *named, const PhValue *input, PhTensor *tensor)
{
  if (!g_hash_table_contains (named, input->name))
    g_hash_table_insert (named, g_strdup (input->name), ph_tensor_ref (tensor));
}

void
ph_inputs_join (GHashTable *named, PhModel *before, PhModel *after, guint64 seed)
{
  for (guint i = 0; i < before->graph->inputs->len; i++)
    {
      PhValue *input = before->graph->inputs->pdata[i], *twin = input_named (after, input->name);
      const gboolean is_unknown = input->tensor == NULL && (input->type == NULL || !input->type->has_rank);
      g_autoptr (PhTensor) made = NULL;
      PhTensor *tensor;

      if (twin == NULL && (twin = ph_model_find_value (after, input->id)) != NULL
          && (!twin->is_input || twin->graph != after->graph || input_named (before, twin->name) != NULL))
        twin = NULL;
      if (twin == NULL)
        continue;
      tensor = g_hash_table_lookup (named, input->name);
      if (tensor == NULL)
        tensor = g_hash_table_lookup (named, twin->name);
      if (tensor == NULL && is_unknown)
        tensor = made = ph_generate_tensor (twin->type, PH_INPUTS_NORMAL, seed * 1000003 + i, NULL, 1, 1);
      if (tensor == NULL)
        continue;
      feed_unless_fed (named, input, tensor);
      feed_unless_fed (named, twin, tensor);
    }
}

GHashTable *
ph_feeds_copy (GHashTable *feeds)
{
  GHashTable *copy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
  GHashTableIter iter;
  gpointer name, tensor;

  if (feeds == NULL)
    return copy;
  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (copy, g_strdup (name), ph_tensor_ref (tensor));
  return copy;
}

void
ph_results_add (GHashTable *results, GHashTable *given)
{
  GHashTableIter iter;
  gpointer value, tensor;

  g_hash_table_iter_init (&iter, given);
  while (g_hash_table_iter_next (&iter, &value, &tensor))
    if (!g_hash_table_contains (results, GUINT_TO_POINTER (((PhValue *) value)->id)))
      g_hash_table_insert (results, GUINT_TO_POINTER (((PhValue *) value)->id), ph_tensor_ref (tensor));
}
