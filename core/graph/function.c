/* function.c: functions of the model: lookup, the number of nodes of a call, comparison.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/graph/graph-private.h"
#include "core/graph/growth.h"

/* ── life and death ─────────────────────────────────────────────────────────────────────────────────────────────── */

PhFunctionRecord *
ph_function_record_new (const PhFunction *function)
{
  PhFunctionRecord *record = g_new0 (PhFunctionRecord, 1);

  record->name = function->name;
  record->domain = function->domain;
  record->parameters = g_ptr_array_ref (function->parameters);
  record->defaults = g_ptr_array_ref (function->defaults);
  record->opsets = g_hash_table_ref (function->opsets);
  record->extra = function->extra != NULL ? g_bytes_ref (function->extra) : NULL;
  return record;
}

void
ph_function_record_free (PhFunctionRecord *record)
{
  g_ptr_array_unref (record->parameters);
  g_ptr_array_unref (record->defaults);
  g_hash_table_unref (record->opsets);
  g_clear_pointer (&record->extra, g_bytes_unref);
  g_free (record);
}

PhFunction *
ph_function_alloc (PhModel *model, PhId id, const PhFunctionRecord *record)
{
  PhFunction *function = g_new0 (PhFunction, 1);

  function->name = record->name;
  function->domain = record->domain;
  function->parameters = g_ptr_array_ref (record->parameters);
  function->defaults = g_ptr_array_ref (record->defaults);
  function->opsets = g_hash_table_ref (record->opsets);
  function->extra = record->extra != NULL ? g_bytes_ref (record->extra) : NULL;
  function->graph = ph_graph_alloc (model, id, NULL, NULL, record->name);
  function->graph->function = function;
  return function;
}

void
ph_function_free (PhFunction *function)
{
  ph_graph_free (function->graph);
  g_ptr_array_unref (function->parameters);
  g_ptr_array_unref (function->defaults);
  g_hash_table_unref (function->opsets);
  g_clear_pointer (&function->extra, g_bytes_unref);
  g_free (function);
}

/* ── lookups ── */

static guint
hash_called (gconstpointer data)
{
  const PhFunction *function = data;

  return g_direct_hash (function->name) * 31 + g_direct_hash (function->domain);
}

static gboolean
called_alike (gconstpointer a, gconstpointer b)
{
  const PhFunction *first = a, *second = b;

  return first->name == second->name && first->domain == second->domain;
}

GHashTable *
ph_function_table_new (void)
{
  return g_hash_table_new (hash_called, called_alike);
}

void
ph_model_list_function (PhModel *model, guint index, PhFunction *function)
{
  const PhFunction *known = g_hash_table_lookup (model->called, function);
  guint at = G_MAXUINT;

  g_ptr_array_insert (model->functions, (int) index, function);
  if (known != NULL)
    g_ptr_array_find (model->functions, known, &at);
  if (known == NULL || index < at)
    g_hash_table_add (model->called, function);
}

void
ph_model_unlist_function (PhModel *model, guint index)
{
  PhFunction *function = g_ptr_array_steal_index (model->functions, index);

  if (g_hash_table_lookup (model->called, function) == function)
    {
      g_hash_table_remove (model->called, function);
      for (guint i = 0; i < model->functions->len; i++)
        if (called_alike (model->functions->pdata[i], function))
          {
            g_hash_table_add (model->called, model->functions->pdata[i]);
            break;
          }
    }
  ph_function_free (function);
}

/* Finds a function; both names are interned. */
static PhFunction *
find (PhModel *model, const char *domain, const char *name)
{
  const PhFunction wanted = { .name = name, .domain = domain };
  PhFunction *function = NULL;

  for (; model != NULL && function == NULL; model = model->library)
    function = g_hash_table_lookup (model->called, &wanted);
  return function;
}

PhFunction *
ph_model_find_function (PhModel *model, const char *domain, const char *name)
{
  return find (model, ph_intern (domain), ph_intern (name));
}

PhFunction *
ph_node_function (const PhNode *node)
{
  return node->op == NULL && !ph_node_is_fused (node) ? find (node->graph->model, node->domain, node->op_type) : NULL;
}

/* ── the number of nodes in a call ────────────────────────────────────────────────────────────────────────────────── */

static double
count_graph (const PhGraph *graph, GHashTable *counted)
{
  double count = graph->n_nodes;

  PH_FOREACH_NODE (node, graph)
    {
      const PhFunction *function = ph_node_function (node);

      if (function != NULL)
        count += ph_function_n_nodes (function, counted);
      for (guint i = 0; node->graphs != NULL && !ph_node_is_fused (node) && i < node->graphs->len; i++)
        count += count_graph (node->graphs->pdata[i], counted);
    }
  return count;
}

double
ph_function_n_nodes (const PhFunction *function, GHashTable *counted)
{
  g_autoptr (GHashTable) own = NULL;
  double *known;

  if (counted == NULL)
    counted = own = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  known = g_hash_table_lookup (counted, function);
  if (known == NULL)
    {
      known = g_new (double, 1);
      *known = INFINITY; /* provisional: a function met again before its count is known is recursive */
      g_hash_table_insert (counted, (gpointer) function, known);
      *known = MAX (count_graph (function->graph, counted), 1);
    }
  return *known;
}

gboolean
ph_model_check_functions (PhModel *model, GError **error)
{
  g_autoptr (GHashTable) counted = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  double all = 0;

  if (model->functions->len == 0)
    return TRUE;
  for (PhId id = 1; id < model->next_id; id++)
    {
      const PhNode *node = ph_model_find_node (model, id);
      const PhFunction *function = node != NULL ? ph_node_function (node) : NULL;
      double count = function != NULL ? ph_function_n_nodes (function, counted) : 0;

      if (isinf (count))
        return ph_node_fail (node, error, PH_ERROR_INVALID,
                             "the function that it calls calls itself, directly or through others, which ONNX does not allow");
      if (function == NULL || ph_graph_root (node->graph) != model->graph)
        continue;
      all += count;
      if (!ph_growth_check ((gint64) MIN (all, 9e18), NULL))
        {
          g_autoptr (GError) reason = NULL;

          ph_growth_check (G_MAXINT64, &reason);
          return ph_node_fail (node, error, PH_ERROR_FAILED, "it stands for %.0f nodes: %s", count, reason->message);
        }
    }
  return TRUE;
}

/* ── equality ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
bytes_equal (GBytes *a, GBytes *b)
{
  return a == b || (a != NULL && b != NULL && g_bytes_equal (a, b));
}

static gboolean
values_equal (const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const PhValue *x = a->pdata[i], *y = b->pdata[i];

      if ((x == NULL) != (y == NULL))
        return FALSE;
      if (x != NULL
          && (x->name != y->name || x->type != y->type || (x->tensor == NULL) != (y->tensor == NULL)
              || (x->tensor != NULL && !ph_tensor_equal (x->tensor, y->tensor))))
        return FALSE;
    }
  return TRUE;
}

static gboolean
attrs_equal (const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!ph_attr_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

static gboolean graph_equal (const PhGraph *a, const PhGraph *b);

static gboolean
node_equal (const PhNode *a, const PhNode *b)
{
  const guint n_graphs = a->graphs != NULL ? a->graphs->len : 0, n_control = a->control != NULL ? a->control->len : 0;

  if (a->op_type != b->op_type || a->domain != b->domain || a->name != b->name || a->role != b->role || a->device != b->device
      || n_graphs != (b->graphs != NULL ? b->graphs->len : 0) || n_control != (b->control != NULL ? b->control->len : 0)
      || !values_equal (&a->inputs->array, &b->inputs->array) || !values_equal (&a->outputs->array, &b->outputs->array)
      || !attrs_equal (a->attrs, b->attrs))
    return FALSE;
  for (guint i = 0; i < n_control; i++)
    {
      const PhNode *x = a->control->pdata[i], *y = b->control->pdata[i];

      if (x->outputs->len != y->outputs->len
          || (x->outputs->len > 0 && ph_node_output (x, 0)->name != ph_node_output (y, 0)->name))
        return FALSE;
    }
  for (guint i = 0; i < n_graphs; i++)
    if (!graph_equal (a->graphs->pdata[i], b->graphs->pdata[i]))
      return FALSE;
  return TRUE;
}

static gboolean
graph_equal (const PhGraph *a, const PhGraph *b)
{
  const PhNode *x = a->first, *y = b->first;

  if (a->n_nodes != b->n_nodes || a->attr != b->attr || !values_equal (a->inputs, b->inputs)
      || !values_equal (a->outputs, b->outputs) || !values_equal (a->constants, b->constants))
    return FALSE;
  for (; x != NULL && y != NULL; x = x->next, y = y->next)
    if (!node_equal (x, y))
      return FALSE;
  return x == y;
}

static gboolean
opsets_equal (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer domain, version;

  if (g_hash_table_size (a) != g_hash_table_size (b))
    return FALSE;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    if (g_hash_table_lookup (b, domain) != version)
      return FALSE;
  return TRUE;
}

gboolean
ph_function_same_interface (const PhFunction *a, const PhFunction *b)
{
  gboolean same = a->parameters->len == b->parameters->len && attrs_equal (a->defaults, b->defaults)
                  && opsets_equal (a->opsets, b->opsets) && a->graph->inputs->len == b->graph->inputs->len
                  && a->graph->outputs->len == b->graph->outputs->len;

  for (guint i = 0; i < a->parameters->len && same; i++)
    same = a->parameters->pdata[i] == b->parameters->pdata[i];
  return same;
}

gboolean
ph_function_equal (const PhFunction *a, const PhFunction *b)
{
  return a->name == b->name && a->domain == b->domain && bytes_equal (a->extra, b->extra) && ph_function_same_interface (a, b)
         && graph_equal (a->graph, b->graph);
}
