/* oracle.c: what a model computes on many inputs, in double, so that a mutant can be told from it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <time.h>

#include "core/ops/op-list.h"
#include "tests/passes/sample.h"

#define TRIES 96 /* sets of inputs that are tried       */
#define SETS  40 /* that can be computed and are kept   */

/* A mutant that differs by less, relative to the output's largest element, counts as the same. */
#define LEAST 1e-6

typedef struct
{
  GHashTable *feeds;
  GPtrArray *outputs;
  guint turn;
} Set;

struct _Oracle
{
  PhModel *model;
  GArray *pool;    /* (element-type double) numbers that the model has in it, their neighbours */
  GPtrArray *sets; /* (element-type Set)                                                       */
};

static void
set_free (gpointer data)
{
  Set *set = data;

  g_hash_table_unref (set->feeds);
  g_ptr_array_unref (set->outputs);
  g_free (set);
}

/* ── inputs ── */

static void
add_number (GArray *pool, double x)
{
  const double near[]
      = { x, -x, nextafterf ((float) x, INFINITY), nextafterf ((float) x, -INFINITY), x + 1, x - 1, 2 * x, 1.5 * x };

  g_array_append_vals (pool, near, G_N_ELEMENTS (near));
}

static void
add_tensor (GArray *pool, PhTensor *tensor)
{
  if (tensor != NULL && ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor))
      && ph_tensor_count (tensor) <= 8)
    for (gsize i = 0; i < ph_tensor_count (tensor); i++)
      if (isfinite (ph_tensor_get (tensor, i)))
        add_number (pool, ph_tensor_get (tensor, i));
}

static GArray *
pool_of (PhModel *model)
{
  static const double always[] = { 0, -0.0, 1, -1, 0.5, -2, 3, -3, 6, 100, -100, 1e-8, 1e4, -1e5, 1e-40, 1e30, -1e30 };
  GArray *pool = g_array_new (FALSE, FALSE, sizeof (double));

  g_array_append_vals (pool, always, G_N_ELEMENTS (always));
  for (guint i = 0; i < model->values->len; i++)
    if (model->values->pdata[i] != NULL)
      add_tensor (pool, ((PhValue *) model->values->pdata[i])->tensor);
  for (guint i = 0; i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];

      for (guint k = 0; node != NULL && k < node->attrs->len; k++)
        {
          const PhAttr *attr = node->attrs->pdata[k];

          if (attr->kind == PH_ATTR_FLOAT)
            add_number (pool, attr->f);
          add_tensor (pool, attr->tensor);
        }
    }
  return pool;
}

static double
draw_float (Oracle *self, GRand *rand, guint turn)
{
  const double sign = g_rand_boolean (rand) ? 1 : -1;

  switch (turn % 8)
    {
    case 0:
    case 1: return g_rand_double_range (rand, -3, 3);
    case 2: return sign * pow (10, g_rand_double_range (rand, -3, 3));
    case 3: return g_array_index (self->pool, double, g_rand_int_range (rand, 0, (gint32) self->pool->len));
    case 4: return g_rand_double_range (rand, 0.1, 1);
    case 5: return sign * pow (10, g_rand_double_range (rand, -8, 8));
    case 6: return g_rand_int_range (rand, -4, 5);
    default:
      return g_rand_int_range (rand, 0, 6) > 0 ? g_rand_double_range (rand, -3, 3)
                                               : ((const double[]) { NAN, INFINITY, -INFINITY })[g_rand_int_range (rand, 0, 3)];
    }
}

static gint64
draw_integer (GRand *rand, PhDType dtype, gboolean counts, guint turn)
{
  static const gint64 most[] = { 1, 3, 1, 7, 2, 5, 20, 127 };
  const gboolean is_signed = ph_dtype_is_signed (dtype);
  const guint bits = (guint) ph_dtype_size (dtype) * 8;

  switch (counts ? turn / 2 % 3 : turn / 2 % 4)
    {
    case 0:
    case 1: return g_rand_int_range (rand, 0, (gint32) most[turn % 8] + 1);
    case 2: return g_rand_int_range (rand, is_signed ? -(gint32) most[turn % 8] : 0, (gint32) most[turn % 8] + 1);
    default:
      return ((gint64) 1 << g_rand_int_range (rand, 0, (gint32) bits - 1)) * (is_signed && g_rand_boolean (rand) ? -1 : 1)
             + g_rand_int_range (rand, 0, 2);
    }
}

static gint64
size_of (PhDim dim, guint turn)
{
  static const gint64 sizes[][4] = { { 2, 3, 1, 4 }, { 9, 10, 11, 12 }, { 5, 5, 5, 5 }, { 3, 2, 4, 2 }, { 1, 1, 1, 1 } };

  if (dim.symbol == NULL && dim.size >= 0)
    return dim.size;
  return sizes[turn / 3 % G_N_ELEMENTS (sizes)][(dim.symbol != NULL ? g_str_hash (dim.symbol) : 0) % 4];
}

static PhTensor *
draw (Oracle *self, const PhType *type, const SampleRange *range, GRand *rand, guint turn)
{
  gint64 dims[PH_MAX_RANK];
  PhTensor *tensor;

  if (type == NULL || type->kind != PH_KIND_TENSOR || type->dtype == PH_UNDEFINED)
    return NULL;
  for (guint i = 0; i < type->rank; i++)
    dims[i] = size_of (type->dims[i], turn);
  tensor = ph_tensor_new (type->dtype, type->rank, dims);
  for (gsize i = 0; tensor != NULL && i < ph_tensor_count (tensor); i++)
    {
      gpointer data = ph_tensor_writable (tensor);

      if (type->dtype == PH_STRING)
        ph_tensor_set_string (tensor, i, i % 2 ? "b" : "a");
      else if (type->dtype == PH_BOOL)
        ph_dtype_store_int (PH_BOOL, data, i, g_rand_boolean (rand));
      else if (ph_dtype_is_integer (type->dtype) && range != NULL && turn % 3 != 2)
        ph_dtype_store_int (type->dtype, data, i, g_rand_int_range (rand, (gint32) range->low, (gint32) range->high + 1));
      else if (ph_dtype_is_integer (type->dtype))
        ph_dtype_store_int (
            type->dtype, data, i,
            draw_integer (rand, type->dtype, type->rank == 0 && ph_model_has_op (self->model, &ph_op_Loop), turn));
      else
        ph_dtype_store (type->dtype, data, i,
                        range != NULL && turn % 3 != 2 ? g_rand_double_range (rand, range->low, range->high)
                                                       : draw_float (self, rand, turn));
    }
  return tensor;
}

/* ── runs ── */

static GCancellable *patient;
static gint64 give_up; /* of the processor's time: a machine that others load is no reason to give up */
static GMutex lock;

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gpointer
watch (gpointer data)
{
  for (;;)
    {
      g_usleep (50000);
      g_mutex_lock (&lock);
      if (now () > give_up)
        g_cancellable_cancel (patient);
      g_mutex_unlock (&lock);
    }
  return NULL;
}

GCancellable *
patience (void)
{
  g_mutex_lock (&lock);
  give_up = now () + 10 * G_USEC_PER_SEC;
  if (patient == NULL)
    {
      patient = g_cancellable_new ();
      g_thread_unref (g_thread_new ("patience", watch, NULL));
    }
  g_cancellable_reset (patient);
  g_mutex_unlock (&lock);
  return patient;
}

/* The outputs of @model in double, by order. */
static GPtrArray *
outputs_of (PhModel *model, GHashTable *feeds, GError **error)
{
  g_autoptr (GHashTable) by_value = g_hash_table_new (NULL, NULL), results = NULL;
  GPtrArray *outputs;
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      PhValue *value = ph_model_find_value_named (model, name);

      if (value != NULL && value->is_input)
        g_hash_table_insert (by_value, value, tensor);
    }
  results = ph_run_model (model, by_value, NULL, &(PhRunOptions) { .seed = 1, .in_double = TRUE, .cancellable = patience () },
                          error);
  if (results == NULL)
    return NULL;
  outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < model->graph->outputs->len; i++)
    g_ptr_array_add (outputs, ph_tensor_ref (g_hash_table_lookup (
                                  results, GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[i])->id))));
  return outputs;
}

Oracle *
oracle_new (PhModel *model, GHashTable *ranges)
{
  g_autoptr (Oracle) self = g_new0 (Oracle, 1);

  self->model = model;
  self->pool = pool_of (model);
  self->sets = g_ptr_array_new_with_free_func (set_free);
  for (guint turn = 0; turn < TRIES && self->sets->len < SETS; turn++)
    {
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) ph_tensor_unref);
      g_autoptr (GRand) rand = g_rand_new_with_seed (turn + 1);
      g_autoptr (GPtrArray) outputs = NULL;
      gboolean ok = TRUE;
      Set *set;

      for (guint i = 0; i < model->graph->inputs->len && ok; i++)
        {
          PhValue *value = model->graph->inputs->pdata[i];
          PhTensor *tensor;

          if (ph_value_constant (value) != NULL) /* up to IR 3 these are no defaults */
            continue;
          tensor = draw (self, value->type, ranges != NULL ? g_hash_table_lookup (ranges, value->name) : NULL, rand, turn);

          ok = tensor != NULL;
          if (ok)
            g_hash_table_insert (feeds, g_strdup (value->name), tensor);
        }
      outputs = ok ? outputs_of (model, feeds, NULL) : NULL;
      if (outputs == NULL)
        continue;
      set = g_new0 (Set, 1);
      *set = (Set) { g_steal_pointer (&feeds), g_steal_pointer (&outputs), turn };
      g_ptr_array_add (self->sets, set);
    }
  return self->sets->len > 0 ? g_steal_pointer (&self) : NULL;
}

void
oracle_free (Oracle *self)
{
  g_array_unref (self->pool);
  g_ptr_array_unref (self->sets);
  g_free (self);
}

static gboolean
same_shape (PhTensor *a, PhTensor *b)
{
  gboolean same = ph_tensor_rank (a) == ph_tensor_rank (b);

  for (guint i = 0; same && i < ph_tensor_rank (a); i++)
    same = ph_tensor_dims (a)[i] == ph_tensor_dims (b)[i];
  return same;
}

/* What sums of the inputs leave of them where they cancel. */
static double
noise_of (GHashTable *feeds)
{
  double largest = 0;
  GHashTableIter iter;
  gpointer tensor;

  g_hash_table_iter_init (&iter, feeds);
  while (g_hash_table_iter_next (&iter, NULL, &tensor))
    for (gsize i = 0; ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor))
                      && i < ph_tensor_count (tensor);
         i++)
      if (isfinite (ph_tensor_get (tensor, i)))
        largest = MAX (largest, fabs (ph_tensor_get (tensor, i)));
  return 64 * DBL_EPSILON * largest;
}

static char *
difference (PhTensor *a, PhTensor *b, double noise)
{
  double largest = 0;

  if (ph_tensor_kind (a) != ph_tensor_kind (b) || ph_tensor_dtype (a) != ph_tensor_dtype (b))
    return g_strdup ("another type");
  if (ph_tensor_kind (a) != PH_KIND_TENSOR)
    {
      if (ph_tensor_count (a) != ph_tensor_count (b))
        return g_strdup ("another length");
      for (gsize i = 0; i < ph_tensor_count (a); i++)
        {
          PhTensor *x = ph_tensor_item (a, i), *y = ph_tensor_item (b, i);
          char *found = x != NULL && y != NULL ? difference (x, y, noise) : NULL;

          if (found != NULL)
            return found;
        }
      return NULL;
    }
  if (!same_shape (a, b))
    return g_strdup ("another shape");
  if (!ph_dtype_is_float (ph_tensor_dtype (a)))
    return ph_tensor_equal (a, b) ? NULL : g_strdup ("other elements");
  for (gsize i = 0; i < ph_tensor_count (a); i++)
    if (isfinite (ph_tensor_get (a, i)))
      largest = MAX (largest, fabs (ph_tensor_get (a, i)));
  for (gsize i = 0; i < ph_tensor_count (a); i++)
    {
      const double x = ph_tensor_get (a, i), y = ph_tensor_get (b, i);

      if (isnan (x) != isnan (y) || isinf (x) != isinf (y)
          || (!isnan (x) && !isinf (x) ? fabs (x - y) > MAX (LEAST * largest, noise) : isinf (x) && x != y))
        return g_strdup_printf ("[%" G_GSIZE_FORMAT "] is %.9g, not %.9g", i, y, x);
    }
  return NULL;
}

char *
oracle_tell (Oracle *self, PhModel *mutant)
{
  for (guint s = 0; s < self->sets->len; s++)
    {
      const Set *set = self->sets->pdata[s];
      const double noise = noise_of (set->feeds);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) outputs = outputs_of (mutant, set->feeds, &error);

      if (outputs == NULL && g_error_matches (error, PH_ERROR, PH_ERROR_CANCELLED))
        return NULL;
      if (outputs == NULL)
        return g_strdup_printf ("inputs %u: cannot be computed: %s", set->turn, error->message);
      for (guint i = 0; i < outputs->len && i < set->outputs->len; i++)
        {
          g_autofree char *found = difference (set->outputs->pdata[i], outputs->pdata[i], noise);

          if (found != NULL)
            return g_strdup_printf ("inputs %u: %s %s", set->turn, ((PhValue *) self->model->graph->outputs->pdata[i])->name,
                                    found);
        }
    }
  return NULL;
}
