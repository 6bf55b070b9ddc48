/* graph.c: reads the IR: models, lookups, constants, scopes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

#include <string.h>

#include "core/discard.h"
#include "core/large-pages.h"

/* ── life and death ─────────────────────────────────────────────────────────────────────────────────────────────── */

static void
value_free (PhValue *value)
{
  g_clear_pointer (&value->tensor, ph_tensor_unref);
  g_clear_pointer (&value->extra, g_bytes_unref);
  if (value->uses->data != value->uses->few)
    g_free (value->uses->data);
  ph_slab_free (&value->graph->model->memory->values, value);
}

void
ph_node_free (PhNode *node)
{
  for (guint i = 0; i < node->outputs->len; i++)
    value_free (node->outputs->pdata[i]);
  ph_values_clear (node->inputs);
  ph_values_clear (node->outputs);
  if (node->use_at != node->few_use_at)
    g_free (node->use_at);
  g_ptr_array_unref (node->attrs);
  g_clear_pointer (&node->graphs, g_ptr_array_unref);
  g_clear_pointer (&node->control, g_ptr_array_unref);
  g_clear_pointer (&node->followers, g_ptr_array_unref);
  g_clear_pointer (&node->extra, g_bytes_unref);
  ph_slab_free (&node->graph->model->memory->nodes, node);
}

void
ph_graph_free (PhGraph *graph)
{
  for (PhNode *node = graph->first, *next; node != NULL; node = next)
    {
      next = node->next;
      ph_node_free (node);
    }
  g_ptr_array_unref (graph->inputs);
  g_ptr_array_unref (graph->outputs);
  g_ptr_array_unref (graph->constants);
  g_clear_pointer (&graph->names, ph_names_free);
  g_clear_pointer (&graph->suffixes, g_hash_table_unref);
  g_clear_pointer (&graph->extra, g_bytes_unref);
  g_free (graph);
}

/* Enters @object under @id. All three tables are kept as long as the ids. */
void
ph_model_enter (PhModel *model, GPtrArray *table, PhId id, gpointer object)
{
  if (id >= model->next_id)
    {
      model->next_id = id + 1;
      g_ptr_array_set_size (model->nodes, (int) model->next_id);
      g_ptr_array_set_size (model->values, (int) model->next_id);
      g_ptr_array_set_size (model->graphs, (int) model->next_id);
    }
  g_ptr_array_index (table, id) = object;
}

void
ph_model_reserve (PhModel *model, gsize n)
{
  GPtrArray **tables[] = { &model->nodes, &model->values, &model->graphs };
  const gsize room = MIN (model->next_id + n, G_MAXINT);

  if (n < model->next_id) /* growing as they come costs no more */
    return;
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      GPtrArray *wider = g_ptr_array_sized_new ((guint) room);

      ph_fill_all (wider->pdata, room * sizeof (gpointer));
      g_ptr_array_extend (wider, *tables[i], NULL, NULL);
      g_ptr_array_unref (*tables[i]);
      *tables[i] = wider;
    }
}

PhGraph *
ph_graph_alloc (PhModel *model, PhId id, PhNode *owner, const char *attr, const char *name)
{
  PhGraph *graph = g_new0 (PhGraph, 1);

  graph->id = id;
  graph->name = ph_intern (name != NULL ? name : "");
  graph->model = model;
  graph->owner = owner;
  graph->attr = attr;
  graph->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) value_free);
  graph->outputs = g_ptr_array_new ();
  graph->constants = g_ptr_array_new_with_free_func ((GDestroyNotify) value_free);
  if (owner == NULL)
    {
      graph->names = ph_names_new ();
      graph->suffixes = g_hash_table_new (NULL, NULL);
    }
  ph_model_enter (model, model->graphs, id, graph);
  model->n_graphs++;
  return graph;
}

PhValue *
ph_value_alloc (PhGraph *graph, PhId id, const char *name, const PhType *type)
{
  PhValue *value = ph_slab_alloc0 (&graph->model->memory->values);

  value->id = id;
  value->name = name;
  value->type = type;
  value->graph = graph;
  ph_uses_init (value->uses, 1);
  ph_model_enter (graph->model, graph->model->values, id, value);
  ph_names_set (ph_graph_names (graph), name, value);
  return value;
}

PhModel *
ph_model_alloc (void)
{
  PhModel *model = g_new0 (PhModel, 1);

  model->memory = g_new (PhModelMemory, 1);
  *model->memory = (PhModelMemory) { PH_SLAB (PhNode), PH_SLAB (PhValue) };
  model->nodes = g_ptr_array_new ();
  model->values = g_ptr_array_new ();
  model->graphs = g_ptr_array_new ();
  model->opsets = g_hash_table_new (NULL, NULL);
  model->census = g_hash_table_new (NULL, NULL);
  model->functions = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_function_free);
  model->called = ph_function_table_new ();
  model->ir_version = 8;
  return model;
}

PhModel *
ph_model_new (void)
{
  PhModel *model = ph_model_alloc ();

  model->graph = ph_graph_alloc (model, 1, NULL, NULL, "graph");
  return model;
}

void
ph_model_drop_program (PhModel *model)
{
  if (model->program != NULL)
    model->free_program (g_steal_pointer (&model->program));
}

void
ph_model_set_kernels (PhModel *model, GHashTable *kernels)
{
  if (kernels == model->kernels)
    return;
  ph_model_drop_program (model);
  g_clear_pointer (&model->kernels, g_hash_table_unref);
  model->kernels = kernels != NULL ? g_hash_table_ref (kernels) : NULL;
}

void
ph_model_free (PhModel *model)
{
  ph_model_set_kernels (model, NULL);
  ph_model_drop_program (model);
  g_clear_pointer (&model->graph, ph_graph_free);
  g_ptr_array_unref (model->nodes);
  g_ptr_array_unref (model->values);
  g_ptr_array_unref (model->graphs);
  g_hash_table_unref (model->census);
  g_hash_table_unref (model->opsets);
  g_hash_table_unref (model->called);
  g_ptr_array_unref (model->functions);
  g_clear_pointer (&model->extra, g_bytes_unref);
  g_clear_pointer (&model->files, g_ptr_array_unref);
  g_clear_pointer (&model->parts, g_ptr_array_unref);
  ph_slab_clear (&model->memory->nodes);
  ph_slab_clear (&model->memory->values);
  g_free (model->memory);
  g_free (model);
}

void
ph_model_discard (PhModel *model)
{
  if (model != NULL)
    ph_discard_parts (model, (GDestroyNotify) ph_model_free, model->next_id);
}

/* ── lookups ── */

PhNode *
ph_model_find_node (PhModel *model, PhId id)
{
  return id < model->next_id ? g_ptr_array_index (model->nodes, id) : NULL;
}

PhValue *
ph_model_find_value (PhModel *model, PhId id)
{
  return id < model->next_id ? g_ptr_array_index (model->values, id) : NULL;
}

PhGraph *
ph_model_find_graph (PhModel *model, PhId id)
{
  return id < model->next_id ? g_ptr_array_index (model->graphs, id) : NULL;
}

PhValue *
ph_model_find_value_named (PhModel *model, const char *name)
{
  return ph_graph_find_value_named (model->graph, name);
}

PhGraph *
ph_graph_root (const PhGraph *graph)
{
  while (graph->owner != NULL)
    graph = graph->owner->graph;
  return (PhGraph *) graph;
}

gboolean
ph_graph_in_function (const PhGraph *graph)
{
  return ph_graph_root (graph)->function != NULL;
}

PhNames *
ph_graph_names (const PhGraph *graph)
{
  return ph_graph_root (graph)->names;
}

PhValue *
ph_graph_find_value_named (const PhGraph *graph, const char *name)
{
  return ph_names_find (ph_graph_names (graph), ph_intern (name));
}

static PhNode *
node_by_number (PhModel *model, const char *digits)
{
  char *end;
  guint64 id;

  if (!g_ascii_isdigit (*digits))
    return NULL;
  id = g_ascii_strtoull (digits, &end, 10);
  return *end == '\0' && id < model->next_id ? ph_model_find_node (model, (PhId) id) : NULL;
}

PhNode *
ph_model_find_node_named (PhModel *model, const char *name)
{
  const char *interned = ph_intern (name);
  PhValue *value;

  if (name[0] == 'n' && node_by_number (model, name + 1) != NULL)
    return node_by_number (model, name + 1);
  for (PhId id = 1; id < model->next_id; id++)
    {
      PhNode *node = g_ptr_array_index (model->nodes, id);
      if (node != NULL && node->name == interned && *name != '\0')
        return node;
    }
  value = ph_model_find_value_named (model, name);
  for (guint i = 0; (value == NULL || value->producer == NULL) && i < model->functions->len; i++)
    value = ph_graph_find_value_named (((const PhFunction *) model->functions->pdata[i])->graph, name);
  if (value != NULL && value->producer != NULL)
    return value->producer;
  /* Numbers come last, because exporters often name values "42". */
  return node_by_number (model, name);
}

const char *
ph_model_unique_name (PhModel *model, const char *base)
{
  return ph_graph_unique_name (model->graph, base);
}

const char *
ph_graph_unique_name (const PhGraph *graph, const char *base)
{
  const PhGraph *root = ph_graph_root (graph);
  const char *interned = ph_intern (*base != '\0' ? base : "value");
  guint suffix;

  if (!ph_names_contain (root->names, interned))
    return interned;
  suffix = GPOINTER_TO_UINT (g_hash_table_lookup (root->suffixes, interned));
  for (;;)
    {
      const char *candidate = ph_intern_numbered (interned, ++suffix);

      if (!ph_names_contain (root->names, candidate))
        {
          g_hash_table_insert (root->suffixes, (gpointer) interned, GUINT_TO_POINTER (suffix));
          return candidate;
        }
    }
}

int
ph_model_opset (PhModel *model, const char *domain)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (model->opsets, ph_intern (domain != NULL ? domain : "")));
}

int
ph_model_file_opset (PhModel *model)
{
  int opset = ph_model_opset (model, PH_FILE_OPSET);

  return opset > 0 ? opset : ph_model_opset (model, "");
}

gboolean
ph_graph_is_fused (const PhGraph *graph)
{
  for (; graph->owner != NULL; graph = graph->owner->graph)
    if (ph_node_is_fused (graph->owner))
      return TRUE;
  return FALSE;
}

void
ph_model_count (PhModel *model, const PhOp *op, int difference)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (model->census, op));

  g_hash_table_insert (model->census, (gpointer) op, GUINT_TO_POINTER (n + difference));
}

gboolean
ph_model_has_op (PhModel *model, const PhOp *op)
{
  return g_hash_table_lookup (model->census, op) != NULL;
}

guint
ph_model_n_nodes (PhModel *model, gboolean with_bodies)
{
  guint n = model->graph->n_nodes, seen = 0;

  /* Most models have only the main graph. */
  for (PhId id = 1; with_bodies && model->n_graphs > 1 && seen < model->n_graphs; id++)
    {
      const PhGraph *graph = g_ptr_array_index (model->graphs, id);

      seen += graph != NULL;
      if (graph != NULL && graph->owner != NULL && !ph_graph_is_fused (graph) && ph_graph_root (graph) == model->graph)
        n += graph->n_nodes;
    }
  return n;
}

/* ── values and scopes ──────────────────────────────────────────────────────────────────────────────────────────── */

static PhTensor *
tensor_of_strings (GBytes *const *strings, gsize n, guint rank)
{
  gint64 dim = (gint64) n;
  PhTensor *tensor = ph_tensor_new (PH_STRING, rank, &dim);

  for (gsize i = 0; i < n; i++)
    {
      gsize size;
      const char *bytes = g_bytes_get_data (strings[i], &size);
      g_autofree char *copy = g_strndup (bytes != NULL ? bytes : "", size);

      ph_tensor_set_string (tensor, i, copy);
    }
  return tensor;
}

/* Returns the attribute of a Constant node as a tensor, made once and cached in the attribute. */
static PhTensor *
tensor_of_attr (PhAttr *attr)
{
  PhTensor *tensor = g_atomic_pointer_get (&attr->tensor);

  if (tensor != NULL)
    return tensor;
  switch (attr->kind)
    {
    case PH_ATTR_INT:
      tensor = ph_tensor_new (PH_INT64, 0, NULL);
      *(gint64 *) ph_tensor_writable (tensor) = attr->i;
      break;
    case PH_ATTR_FLOAT:
      tensor = ph_tensor_new (PH_FLOAT, 0, NULL);
      *(float *) ph_tensor_writable (tensor) = attr->f;
      break;
    case PH_ATTR_INTS: tensor = ph_tensor_new_int64s (attr->ints, attr->n); break;
    case PH_ATTR_FLOATS: tensor = ph_tensor_new_floats (attr->floats, attr->n); break;
    case PH_ATTR_STRING: tensor = attr->s != NULL ? tensor_of_strings (&attr->s, 1, 0) : NULL; break;
    case PH_ATTR_STRINGS: tensor = tensor_of_strings (attr->strings, attr->n, 1); break;
    default: return NULL;
    }
  if (tensor != NULL && !g_atomic_pointer_compare_and_exchange (&attr->tensor, NULL, tensor))
    {
      ph_tensor_unref (tensor);
      tensor = g_atomic_pointer_get (&attr->tensor);
    }
  return tensor;
}

PhTensor *
ph_value_constant (const PhValue *value)
{
  const PhNode *node = value != NULL ? value->producer : NULL;

  if (value == NULL)
    return NULL;
  if (value->tensor != NULL)
    return value->is_input && value->graph->model->ir_version > 3 ? NULL : value->tensor;
  if (node != NULL && node->attrs->len == 1 && strcmp (node->op_type, "Constant") == 0 && *node->domain == '\0')
    return tensor_of_attr (g_ptr_array_index (node->attrs, 0));
  return NULL;
}

gboolean
ph_value_is_output (const PhValue *value)
{
  return value->n_output_uses > 0;
}

guint
ph_value_n_uses (const PhValue *value)
{
  return value->uses->len + value->n_output_uses;
}

PhNode *
ph_node_ancestor_in (PhNode *node, PhGraph *graph)
{
  while (node != NULL && node->graph != graph)
    node = node->graph->owner;
  return node;
}

gboolean
ph_graph_is_inside (const PhGraph *graph, const PhGraph *outer)
{
  while (graph != NULL && graph != outer)
    graph = graph->owner != NULL ? graph->owner->graph : NULL;
  return graph != NULL;
}

PhId
ph_node_inside (const PhNode *node)
{
  const PhFunction *function = ph_node_function (node);

  return function != NULL ? function->graph->id : node->graphs != NULL && node->graphs->len > 0 ? node->id : PH_NO_ID;
}

gboolean
ph_model_has_inside (PhModel *model, PhId inside)
{
  const PhNode *node = ph_model_find_node (model, inside);
  const PhGraph *graph = ph_model_find_graph (model, inside);

  return inside == PH_NO_ID || (node != NULL && node->graphs != NULL) || (graph != NULL && graph->function != NULL);
}

gboolean
ph_graph_is_shown (const PhGraph *graph, PhId inside)
{
  for (; graph->owner != NULL; graph = graph->owner->graph)
    {
      if (inside != PH_NO_ID && graph->owner->id == inside)
        return TRUE;
      if (ph_node_is_fused (graph->owner))
        return FALSE;
    }
  return inside == PH_NO_ID ? graph == graph->model->graph : graph->id == inside;
}
