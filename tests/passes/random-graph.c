/* random-graph.c: seeded random models: inputs, pool, and the trial of each new node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "random-gen.h"

#include <math.h>
#include <string.h>

#include "core/io/io.h"
#include "core/run/executor.h"
#include "core/tensor/compare.h"
#include "sample.h"

#define MAX_ELEMENTS 4096

int
gen_below (Gen *gen, int n)
{
  return n > 0 ? g_rand_int_range (gen->rand, 0, n) : 0;
}

PhValue *
gen_any (Gen *gen)
{
  guint n = gen->pool->len, i = gen_below (gen, 2) ? n - 1 - gen_below (gen, MIN (n, 4)) : (guint) gen_below (gen, n);

  return g_ptr_array_index (gen->pool, i);
}

gboolean
gen_keep (Gen *gen, PhValue *value)
{
  if (value == NULL || value->type == NULL)
    return FALSE;
  if (value->type->kind != PH_KIND_TENSOR)
    {
      g_ptr_array_add (gen->others, value);
      return TRUE;
    }
  if (!value->type->has_rank || value->type->rank > 5 || value->type->dtype == PH_UNDEFINED)
    return FALSE;
  if (ph_value_is_static (value) && ph_type_count (value->type) > MAX_ELEMENTS)
    return FALSE;
  g_ptr_array_add (gen->pool, value);
  return TRUE;
}

PhTensor *
gen_tensor (Gen *gen, PhDType dtype, guint rank, const gint64 *dims)
{
  static const double nice[] = { 0, 1, -1, 2, 0.5 }, awkward[] = { -0.0, NAN, INFINITY, -INFINITY, 3e38, 1e-45 };
  static const char *const words[] = { "", "a", "b", "Ab c", "12" };
  gboolean same = gen_below (gen, 3) == 0;
  double value = nice[gen_below (gen, G_N_ELEMENTS (nice))];
  PhTensor *tensor = ph_tensor_new (dtype, rank, dims);

  if (!gen->smooth && ph_dtype_is_float (dtype) && gen_below (gen, 6) == 0)
    value = awkward[gen_below (gen, G_N_ELEMENTS (awkward))];
  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    {
      gpointer data = ph_tensor_writable (tensor);

      if (dtype == PH_STRING)
        ph_tensor_set_string (tensor, i, words[same ? 1 : gen_below (gen, G_N_ELEMENTS (words))]);
      else if (dtype == PH_COMPLEX64)
        ((float *) data)[2 * i] = (float) value, ((float *) data)[2 * i + 1] = (float) gen_below (gen, 3);
      else if (dtype == PH_COMPLEX128)
        ((double *) data)[2 * i] = value, ((double *) data)[2 * i + 1] = gen_below (gen, 3);
      else if (dtype == PH_BOOL)
        ph_dtype_store_int (dtype, data, i, same ? value != 0 : gen_below (gen, 2));
      else if (ph_dtype_is_integer (dtype))
        ph_dtype_store_int (dtype, data, i, same ? fabs (floor (value)) : gen_below (gen, 4));
      else
        ph_dtype_store (dtype, data, i, same ? value : g_rand_double_range (gen->rand, -1.5, 1.5));
    }
  return tensor;
}

int
gen_dims (Gen *gen, const PhValue *value, gint64 *dims)
{
  PhTensor *tensor = value->tensor != NULL ? value->tensor : g_hash_table_lookup (gen->tensors, value);

  if (tensor != NULL)
    {
      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
        return -1;
      memcpy (dims, ph_tensor_dims (tensor), ph_tensor_rank (tensor) * sizeof *dims);
      return (int) ph_tensor_rank (tensor);
    }
  if (value->type == NULL || value->type->kind != PH_KIND_TENSOR || !value->type->has_rank)
    return -1;
  for (guint i = 0; i < value->type->rank; i++)
    dims[i] = value->type->dims[i].size >= 0 ? value->type->dims[i].size : 1;
  return (int) value->type->rank;
}

PhValue *
gen_constant_like (Gen *gen, const PhValue *like)
{
  int rank = ph_value_rank (like), own = gen_below (gen, rank + 1);
  gint64 dims[PH_MAX_RANK];

  for (int i = 0; i < own; i++)
    {
      gint64 size = ph_value_dim (like, rank - own + i);

      dims[i] = size < 0 || gen_below (gen, 3) == 0 ? 1 : size;
    }
  if (gen_below (gen, 12) == 0 && rank < 4)
    {
      memmove (&dims[1], &dims[0], own * sizeof *dims);
      dims[0] = 1 + gen_below (gen, 2);
      own++;
    }
  return ph_build_tensor (&gen->b, gen_tensor (gen, ph_value_dtype (like), own, dims));
}

/* The trial of a node */

static gboolean
is_floats (PhTensor *tensor)
{
  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor));
}

static gboolean
is_moderate (PhTensor *tensor)
{
  if (ph_tensor_kind (tensor) != PH_KIND_TENSOR)
    {
      for (gsize i = 0; i < ph_tensor_count (tensor); i++)
        if (!is_moderate (ph_tensor_item (tensor, i)))
          return FALSE;
      return TRUE;
    }
  if (is_floats (tensor))
    for (gsize i = 0; i < ph_tensor_count (tensor); i++)
      if (!(fabs (ph_tensor_get (tensor, i)) < 1e4))
        return FALSE;
  return TRUE;
}

static double
largest (PhTensor *tensor)
{
  double max = 0.1;

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    max = MAX (max, fabs (ph_tensor_get (tensor, i)));
  return max;
}

/* @seed decides, not the order in which the tensors come: that of a hash table differs from run to run. */
static PhTensor *
shifted (PhTensor *tensor, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  PhDType dtype = ph_tensor_dtype (tensor);
  double amount = dtype == PH_FLOAT16 ? 4e-3 : dtype == PH_BFLOAT16 ? 3e-2 : 1e-4;
  PhTensor *other = ph_tensor_new (dtype, ph_tensor_rank (tensor), ph_tensor_dims (tensor));

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    ph_dtype_store (dtype, ph_tensor_writable (other), i,
                    ph_tensor_get (tensor, i) * (1 + amount * g_rand_double_range (rand, -1, 1))
                        + 0.1 * amount * g_rand_double_range (rand, -1, 1));
  return other;
}

/* Takes from @all what @node and its bodies read of the main graph: what bodies hold is no input to anything outside. */
static void
take_operands (Gen *gen, GHashTable *all, PhNode *node, GHashTable *into)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhTensor *tensor = value != NULL && value->graph == gen->model->graph ? g_hash_table_lookup (all, value) : NULL;

      if (tensor != NULL)
        g_hash_table_insert (into, value, tensor);
    }
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = node->graphs->pdata[i];

      PH_FOREACH_NODE (inner, body)
        take_operands (gen, all, inner, into);
      for (guint k = 0; k < body->outputs->len; k++)
        {
          PhValue *value = body->outputs->pdata[k];
          PhTensor *tensor = value->graph == gen->model->graph ? g_hash_table_lookup (all, value) : NULL;

          if (tensor != NULL)
            g_hash_table_insert (into, value, tensor);
        }
    }
}

static GHashTable *
compute (Gen *gen, GHashTable *all, PhNode *node, gboolean reference, GError **error)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new (NULL, NULL);

  take_operands (gen, all, node, feeds);
  return ph_run_model (gen->model, feeds, &node->outputs->array, &(PhRunOptions) { .seed = 1, .reference = reference }, error);
}

/* Whether all outputs of @node move little when its operands do. */
static gboolean
is_steady (Gen *gen, PhNode *node, GHashTable *results)
{
  for (guint turn = 0; turn < 2; turn++)
    {
      g_autoptr (GHashTable) operands = g_hash_table_new (NULL, NULL), moved = NULL;
      g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
      GHashTableIter iter;
      const guint32 draw = g_rand_int (gen->rand);
      gpointer key, tensor;

      take_operands (gen, gen->tensors, node, operands);
      g_hash_table_iter_init (&iter, operands);
      while (g_hash_table_iter_next (&iter, &key, &tensor))
        g_hash_table_insert (feeds, key,
                             is_floats (tensor) ? shifted (tensor, draw + ((PhValue *) key)->id) : ph_tensor_ref (tensor));
      moved = compute (gen, feeds, node, FALSE, NULL);
      if (moved == NULL)
        return FALSE;
      for (guint i = 0; i < node->outputs->len; i++)
        {
          gpointer id = GUINT_TO_POINTER (ph_node_output (node, i)->id);
          PhTensor *a = g_hash_table_lookup (results, id), *b = g_hash_table_lookup (moved, id);
          double much = !is_floats (a)                       ? 0
                        : ph_tensor_dtype (a) == PH_FLOAT16  ? 0.1
                        : ph_tensor_dtype (a) == PH_BFLOAT16 ? 0.5
                                                             : 0.02;
          g_auto (PhComparison) comparison = ph_tensor_compare (b, a,
                                                                (PhTolerance) { 0, is_floats (a) ? much * largest (a) : 0 });

          /* Coarse floats jump by themselves. */
          if (!comparison.close || (is_floats (a) && ph_dtype_size (ph_tensor_dtype (a)) == 1))
            return FALSE;
        }
    }
  return TRUE;
}

static void
note_fault (Gen *gen, const PhNode *node, const char *what)
{
  g_autofree char *text = ph_onnx_text_print (gen->model, 64);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *out = gen->tally->faults;

  if (out->len > 100000)
    return;
  /* The line of the node, and what it reads. */
  g_string_append_printf (out, "%s: %s\n", node->op_type, what);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_autofree char *start = g_strdup_printf ("%s = %s ", ph_node_output (node, 0)->name, node->op_type);
      g_autofree char *several = g_strdup_printf ("%s, ", ph_node_output (node, 0)->name);

      if (strstr (lines[i], start) != NULL || strstr (lines[i], several) != NULL)
        g_string_append_printf (out, "  %.300s\n", lines[i]);
    }
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhTensor *tensor = value == NULL ? NULL : value->tensor != NULL ? value->tensor : g_hash_table_lookup (gen->tensors, value);
      g_autofree char *shown = tensor != NULL ? ph_tensor_to_string (tensor, 24) : NULL;

      if (shown != NULL)
        g_string_append_printf (out, "  %s = %s\n", value->name, shown);
    }
}

/* Whether sums of what @node reads may overflow, in one order and not in another. */
static gboolean
may_overflow (Gen *gen, const PhNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);
      PhTensor *tensor = value == NULL ? NULL : value->tensor != NULL ? value->tensor : g_hash_table_lookup (gen->tensors, value);

      for (gsize k = 0; tensor != NULL && is_floats (tensor) && k < ph_tensor_count (tensor); k++)
        if (isfinite (ph_tensor_get (tensor, k)) && fabs (ph_tensor_get (tensor, k)) > 1e18)
          return TRUE;
    }
  return FALSE;
}

/* Fast and plain kernels must agree. */
static void
check_kernels (Gen *gen, PhNode *node, GHashTable *results)
{
  /* An operator that is spelt out may hide an overflow: the sigmoid of infinity is 1. */
  g_autoptr (GHashTable) plain = node->op->kernel == NULL && may_overflow (gen, node)
                                     ? NULL
                                     : compute (gen, gen->tensors, node, TRUE, NULL);

  for (guint i = 0; plain != NULL && i < node->outputs->len; i++)
    {
      gpointer id = GUINT_TO_POINTER (ph_node_output (node, i)->id);
      PhTensor *a = g_hash_table_lookup (plain, id), *b = g_hash_table_lookup (results, id);
      double atol = is_floats (a) ? 1e-5 * largest (a) : 0;
      g_auto (PhComparison) comparison = ph_tensor_compare (b, a, (PhTolerance) { 1e-4, isfinite (atol) ? atol : 1e-5 });

      if (!comparison.close && is_moderate (a))
        note_fault (gen, node, comparison.why);
    }
}

/* Which of the many NaNs an operation makes is its own affair, so no model may depend on it. */
static gboolean
reads_bits_of_nan (Gen *gen, const PhNode *node)
{
  PhValue *value = node->op == &ph_op_BitCast ? ph_node_input (node, 0) : NULL;
  PhTensor *tensor = value == NULL ? NULL : value->tensor != NULL ? value->tensor : g_hash_table_lookup (gen->tensors, value);

  for (gsize i = 0; tensor != NULL && is_floats (tensor) && i < ph_tensor_count (tensor); i++)
    if (isnan (ph_tensor_get (tensor, i)))
      return TRUE;
  return FALSE;
}

/* Inside a body: node by node, on what one turn may see. */
static gboolean
try_in_body (Gen *gen, PhNode *node)
{
  g_autofree PhTensor **inputs = g_new0 (PhTensor *, node->inputs->len + 1),
                      **outputs = g_new0 (PhTensor *, node->outputs->len + 1);

  if (node->graphs != NULL)
    return TRUE;
  if (reads_bits_of_nan (gen, node))
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      PhValue *value = ph_node_input (node, i);

      if (value == NULL)
        continue;
      inputs[i] = value->tensor != NULL ? value->tensor : g_hash_table_lookup (gen->tensors, value);
      if (inputs[i] == NULL)
        return TRUE;
    }
  if (!ph_run_node (node, inputs, outputs, &(PhRunOptions) { .seed = 1 }, NULL))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    if (outputs[i] != NULL)
      g_hash_table_insert (gen->tensors, ph_node_output (node, i), outputs[i]);
  return TRUE;
}

/* Computes the nodes after @last. What they make must be of the type that inference gave it. */
gboolean
gen_try_since (Gen *gen, PhNode *last)
{
  if (gen->depth > 0)
    {
      for (PhNode *node = last != NULL ? last->next : gen->b.graph->first; node != NULL; node = node->next)
        if (!try_in_body (gen, node))
          return FALSE;
      return TRUE;
    }
  for (PhNode *node = last != NULL ? last->next : gen->model->graph->first; node != NULL; node = node->next)
    {
      g_autoptr (GHashTable) results = reads_bits_of_nan (gen, node) ? NULL : compute (gen, gen->tensors, node, FALSE, NULL);

      if (results == NULL)
        return FALSE;
      for (guint i = 0; i < node->outputs->len; i++)
        {
          PhValue *value = ph_node_output (node, i);
          PhTensor *tensor = g_hash_table_lookup (results, GUINT_TO_POINTER (value->id));

          if (value->type != NULL && !ph_type_fits (value->type, tensor))
            {
              g_autofree char *said = ph_type_to_string (value->type), *is = ph_tensor_to_string (tensor, 0);
              g_autofree char *what = g_strdup_printf ("inferred %s, computed %s", said, is);

              note_fault (gen, node, what);
              return FALSE;
            }
          if ((ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_count (tensor) > MAX_ELEMENTS)
              || (gen->smooth && !is_moderate (tensor)))
            return FALSE;
        }
      if (gen->smooth && node->inputs->len > 0 && !is_steady (gen, node, results))
        return FALSE;
      if (gen_below (gen, 4) == 0)
        check_kernels (gen, node, results);
      for (guint i = 0; i < node->outputs->len; i++)
        {
          PhValue *value = ph_node_output (node, i);

          g_hash_table_insert (gen->tensors, value, ph_tensor_ref (g_hash_table_lookup (results, GUINT_TO_POINTER (value->id))));
        }
    }
  return TRUE;
}

static void
forget (Gen *gen, const PhNode *node)
{
  for (guint i = 0; i < node->outputs->len; i++)
    g_hash_table_remove (gen->tensors, ph_node_output (node, i));
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      const PhGraph *body = g_ptr_array_index (node->graphs, i);

      for (guint k = 0; k < body->inputs->len; k++)
        g_hash_table_remove (gen->tensors, g_ptr_array_index (body->inputs, k));
      PH_FOREACH_NODE (inner, body)
        forget (gen, inner);
    }
}

void
gen_take_back (Gen *gen, PhNode *last, guint n_pool, guint n_others)
{
  PhGraph *graph = gen->b.graph;

  g_ptr_array_set_size (gen->pool, n_pool);
  g_ptr_array_set_size (gen->others, n_others);
  while (graph->last != last)
    {
      forget (gen, graph->last);
      if (!ph_graph_remove_node (graph->last, NULL))
        break;
    }
}

gboolean
gen_add_node (Gen *gen)
{
  PhNode *last = gen->b.graph->last;
  guint n_pool = gen->pool->len, n_others = gen->others->len;
  int choice = gen_below (gen, 20);
  gboolean by_schema = choice > 0 && choice < 10;
  gboolean ok = choice == 0 && gen->depth < 2 ? gen_body (gen) : by_schema ? gen_op (gen) : gen_kind (gen);

  ok = ok && gen->b.error == NULL && gen->b.graph->last != last && (by_schema || gen_try_since (gen, last));
  if (ok && gen->depth == 0)
    {
      for (PhNode *node = last != NULL ? last->next : gen->b.graph->first; ok && node != NULL; node = node->next)
        {
          guint n;
          const PhOp *const *ops = ph_op_list (&n);

          for (guint i = 0; i < n; i++)
            gen->tally->made[i] += ops[i] == node->op;
        }
    }
  if (!ok)
    {
      g_clear_error (&gen->b.error);
      gen_take_back (gen, last, n_pool, n_others);
    }
  return ok;
}

static void
add_input (Gen *gen, guint i)
{
  static const PhDType types[] = { PH_FLOAT,     PH_FLOAT,        PH_FLOAT,      PH_DOUBLE,     PH_INT64,  PH_INT32,
                                   PH_BOOL,      PH_FLOAT16,      PH_UINT8,      PH_BFLOAT16,   PH_INT8,   PH_STRING,
                                   PH_INT4,      PH_UINT4,        PH_INT16,      PH_UINT16,     PH_UINT32, PH_UINT64,
                                   PH_COMPLEX64, PH_FLOAT8E4M3FN, PH_FLOAT8E5M2, PH_FLOAT4E2M1, PH_INT2,   PH_UINT2 };
  static const gint64 sizes[] = { 1, 2, 3, 4, 2, 3, 0 };
  g_autofree char *name = g_strdup_printf ("x%u", i);
  PhDType dtype = types[i < 2 ? 0 : gen_below (gen, G_N_ELEMENTS (types))];
  guint rank = i == 0 ? 2 : i == 1 ? 4 : gen_below (gen, 5);
  gboolean symbolic = gen_below (gen, 4) == 0;
  PhDim dims[8];

  for (guint k = 0; k < rank; k++)
    dims[k] = PH_DIM (i == 1 && k > 0 ? 3 + gen_below (gen, 2) : sizes[gen_below (gen, i < 2 ? 6 : G_N_ELEMENTS (sizes))]);
  if (symbolic && rank > 0)
    dims[0] = ph_dim_symbol ("N");
  g_ptr_array_add (gen->pool, ph_graph_add_input (gen->model->graph, name, ph_type_tensor (dtype, rank, dims), NULL, G_MAXUINT,
                                                  &gen->b.error));
}

static GHashTable *
feed_inputs (Gen *gen, guint64 seed)
{
  SampleRange moderate = { -2, 2 };
  g_autoptr (GHashTable) ranges = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *feeds;

  for (guint i = 0; i < gen->pool->len; i++)
    {
      const PhValue *value = g_ptr_array_index (gen->pool, i);

      if (gen->smooth && ph_dtype_is_float (value->type->dtype))
        g_hash_table_insert (ranges, (gpointer) value->name, &moderate);
    }
  feeds = sample_feeds (gen->model, gen->smooth ? PH_ROUNDING : PH_EXACT, ranges, seed);
  for (guint i = 0; i < gen->pool->len; i++)
    {
      PhValue *value = g_ptr_array_index (gen->pool, i);

      g_hash_table_insert (gen->tensors, value, ph_tensor_ref (g_hash_table_lookup (feeds, value->name)));
    }
  return feeds;
}

PhModel *
random_graph (guint64 seed, guint n_nodes, gboolean smooth, RandomTally *tally, GHashTable **feeds)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  g_autoptr (GPtrArray) pool = g_ptr_array_new (), others = g_ptr_array_new ();
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  PhModel *model = ph_model_new ();
  /* clang-format off */
  Gen gen = {
    .rand = rand, .model = model, .pool = pool, .others = others, .tensors = tensors, .smooth = smooth, .tally = tally,
    .draws = seed % 25 == 0, .b.graph = model->graph
  };
  /* clang-format on */
  guint n_outputs = 0, n_inputs = 2 + gen_below (&gen, 3);

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  model->ir_version = 10;
  for (guint i = 0; i < n_inputs; i++)
    add_input (&gen, i);
  g_assert_no_error (gen.b.error);
  *feeds = feed_inputs (&gen, seed);
  for (guint tries = 0; model->graph->n_nodes < n_nodes && tries < 20 * n_nodes; tries++)
    gen_add_node (&gen);

  g_ptr_array_extend (pool, others, NULL, NULL);
  for (guint i = 0; i < pool->len; i++)
    {
      PhValue *value = g_ptr_array_index (pool, i);

      if (value->producer != NULL && (value->uses->len == 0 || gen_below (&gen, 12) == 0))
        ph_graph_set_output (model->graph, n_outputs++, value, NULL);
    }
  return model;
}
