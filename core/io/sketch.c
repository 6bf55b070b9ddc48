/* sketch.c: a model as a reader draws it up; see sketch.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/edit.h"
#include "core/io/own-place.h"
#include "core/io/sketch.h"

static void
value_clear (gpointer data)
{
  g_clear_pointer (&((PhImportValue *) data)->tensor, ph_tensor_unref);
}

static PhSketchGraph *
new_graph (PhSketch *sketch, PhSketchGraph *root, const char *name)
{
  PhSketchGraph *graph = g_new0 (PhSketchGraph, 1);

  graph->sketch = sketch;
  graph->root = root != NULL ? root : graph;
  graph->name = ph_importer_name (&sketch->importer, name);
  graph->inputs = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  graph->constants = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  graph->outputs = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  graph->nodes = g_ptr_array_new ();
  g_array_set_clear_func (graph->constants, value_clear);
  if (root == NULL)
    {
      graph->names = g_hash_table_new (NULL, NULL);
      graph->types = g_hash_table_new (NULL, NULL);
    }
  g_ptr_array_add (sketch->graphs, graph);
  return graph;
}

static void
graph_free (gpointer data)
{
  PhSketchGraph *graph = data;

  g_array_unref (graph->inputs);
  g_array_unref (graph->constants);
  g_array_unref (graph->outputs);
  g_ptr_array_unref (graph->nodes);
  g_clear_pointer (&graph->names, g_hash_table_unref);
  g_clear_pointer (&graph->types, g_hash_table_unref);
  g_free (graph);
}

static void
node_free (gpointer data)
{
  PhSketchNode *node = data;

  g_ptr_array_unref (node->inputs);
  g_ptr_array_unref (node->outputs);
  g_ptr_array_unref (node->types);
  g_ptr_array_unref (node->attrs);
  g_ptr_array_unref (node->bodies);
  g_ptr_array_unref (node->after);
  g_free (node);
}

static PhSketch *
new_sketch (PhImporter importer, gboolean owns_model, const char *name)
{
  PhSketch *sketch = g_new0 (PhSketch, 1);

  sketch->source = importer.source;
  sketch->importer = importer;
  sketch->owns_model = owns_model;
  sketch->graphs = g_ptr_array_new_with_free_func (graph_free);
  sketch->nodes = g_ptr_array_new_with_free_func (node_free);
  sketch->blocks = g_ptr_array_new_with_free_func (g_free);
  sketch->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_sketch_free);
  sketch->functions = g_ptr_array_new ();
  sketch->main = new_graph (sketch, NULL, name);
  return sketch;
}

PhSketch *
ph_sketch_new (PhSource *source)
{
  return new_sketch ((PhImporter) { source, ph_model_new () }, TRUE, "main");
}

PhSketch *
ph_sketch_new_part (PhImporter *importer, const char *name)
{
  return new_sketch (*importer, FALSE, name);
}

void
ph_sketch_free (PhSketch *sketch)
{
  g_ptr_array_unref (sketch->functions);
  g_ptr_array_unref (sketch->nodes);
  g_ptr_array_unref (sketch->graphs);
  g_ptr_array_unref (sketch->blocks);
  g_ptr_array_unref (sketch->parts);
  if (sketch->owns_model)
    g_clear_pointer (&sketch->importer.model, ph_model_free);
  g_free (sketch);
}

PhSketchGraph *
ph_sketch_find_function (PhSketch *sketch, const char *domain, const char *name)
{
  for (guint i = 0; i < sketch->functions->len; i++)
    {
      PhSketchGraph *function = sketch->functions->pdata[i];

      if (g_str_equal (function->name, name) && g_str_equal (function->domain, domain))
        return function;
    }
  return NULL;
}

PhSketchGraph *
ph_sketch_add_function (PhSketch *sketch, const char *domain, const char *name)
{
  g_autofree char *own = g_strdup (name);
  PhSketchGraph *function;

  for (guint i = 1; ph_sketch_find_function (sketch, domain, own) != NULL; i++)
    {
      g_free (own);
      own = g_strdup_printf ("%s.%u", name, i);
    }
  function = new_graph (sketch, NULL, own);
  function->domain = ph_intern (domain);
  g_ptr_array_add (sketch->functions, function);
  return function;
}

PhSketchGraph *
ph_sketch_add_body (PhSketchNode *node, const char *attr)
{
  PhSketchGraph *body = new_graph (node->graph->sketch, node->graph->root, attr);

  body->attr = ph_intern (attr);
  g_ptr_array_add (node->bodies, body);
  return body;
}

/* ── contents ── */

static const char *
unique_name (PhSketchGraph *graph, const char *base)
{
  GHashTable *names = graph->root->names;
  const char *name = ph_importer_name (&graph->sketch->importer, base != NULL && *base != '\0' ? base : "v"), *first = name;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (names, first));

  for (; g_hash_table_contains (names, name); n++)
    {
      g_autofree char *other = g_strdup_printf ("%s.%u", first, MAX (n, 1));

      name = ph_intern (other);
    }
  g_hash_table_insert (names, (gpointer) first, GUINT_TO_POINTER (MAX (n, 1)));
  if (name != first)
    g_hash_table_insert (names, (gpointer) name, GUINT_TO_POINTER (1));
  return name;
}

const char *
ph_sketch_claim (PhSketch *sketch, const char *name)
{
  GHashTable *names = sketch->main->names;
  const char *base = ph_importer_name (&sketch->importer, name), *free_name;

  if (*base == '\0')
    base = ph_intern ("value");
  free_name = base;
  while (g_hash_table_contains (names, free_name))
    {
      const guint last = GPOINTER_TO_UINT (g_hash_table_lookup (names, base)) + 1;
      g_autofree char *numbered = g_strdup_printf ("%s_%u", base, last);

      g_hash_table_insert (names, (gpointer) base, GUINT_TO_POINTER (last));
      free_name = ph_intern (numbered);
    }
  g_hash_table_insert (names, (gpointer) free_name, GUINT_TO_POINTER (0));
  return free_name;
}

static const char *
add_value (PhSketchGraph *graph, GArray *values, const char *name, const PhType *type, PhTensor *tensor)
{
  PhImportValue value = { .name = name, .type = type, .tensor = tensor };

  g_array_append_val (values, value);
  if (type != NULL)
    g_hash_table_insert (graph->root->types, (gpointer) name, (gpointer) type);
  return name;
}

const char *
ph_sketch_add_input (PhSketchGraph *graph, const char *base, const PhType *type)
{
  return add_value (graph, graph->inputs, unique_name (graph, base), type, NULL);
}

void
ph_sketch_add_named_input (PhSketchGraph *graph, const char *name, const PhType *type)
{
  add_value (graph, graph->inputs, name, type, NULL);
}

void
ph_sketch_add_named_constant (PhSketchGraph *graph, const char *name, PhTensor *tensor)
{
  add_value (graph, graph->constants, name, NULL, tensor);
}

const char *
ph_sketch_add_constant (PhSketchGraph *graph, const char *base, PhTensor *tensor)
{
  const char *name = add_value (graph, graph->constants, unique_name (graph, base), NULL, tensor);

  g_hash_table_insert (graph->root->types, (gpointer) name, (gpointer) ph_type_of_tensor (tensor));
  return name;
}

void
ph_sketch_add_output (PhSketchGraph *graph, const char *name)
{
  PhImportValue value = { .name = ph_importer_name (&graph->sketch->importer, name) };

  g_array_append_val (graph->outputs, value);
}

const PhType *
ph_sketch_type (PhSketchGraph *graph, const char *name)
{
  return name != NULL ? g_hash_table_lookup (graph->root->types, name) : NULL;
}

PhSketchNode *
ph_sketch_add_node (PhSketchGraph *graph, const char *op_type, const char *domain, guint line, guint column)
{
  PhSketchNode *node = g_new0 (PhSketchNode, 1);

  node->graph = graph;
  node->node.op_type = ph_importer_name (&graph->sketch->importer, op_type);
  node->node.domain = ph_importer_name (&graph->sketch->importer, domain);
  node->node.name = "";
  node->node.part = node;
  node->inputs = g_ptr_array_new ();
  node->outputs = g_ptr_array_new ();
  node->types = g_ptr_array_new ();
  node->bodies = g_ptr_array_new ();
  node->after = g_ptr_array_new ();
  node->attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  ph_sketch_node_place (node, line, column);
  g_ptr_array_add (graph->sketch->nodes, node);
  g_ptr_array_add (graph->nodes, node);
  return node;
}

void
ph_sketch_node_place (PhSketchNode *node, guint line, guint column)
{
  PhSource *source = node->graph->sketch->source;

  if (line == 0)
    return;
  node->node.where = ph_where_own (source, line, column);
  ph_source_mark (source, node, line, column);
}

PhSketchNode *
ph_sketch_add_named_node (PhSketchGraph *graph, const char *op_type, const char *domain, const char *name)
{
  PhSketchNode *node = ph_sketch_add_node (graph, op_type, domain, 0, 0);

  node->node.name = ph_importer_name (&graph->sketch->importer, name);
  return node;
}

void
ph_sketch_node_input (PhSketchNode *node, const char *name)
{
  g_ptr_array_add (node->inputs, (gpointer) ph_importer_name (&node->graph->sketch->importer, name));
}

void
ph_sketch_node_after (PhSketchNode *node, const char *name)
{
  g_ptr_array_add (node->after, (gpointer) ph_importer_name (&node->graph->sketch->importer, name));
}

void
ph_sketch_node_body (PhSketchNode *node, const char *attr, PhSketch *body)
{
  body->main->attr = ph_intern (attr);
  g_ptr_array_add (node->bodies, body->main);
  g_ptr_array_add (node->graph->sketch->parts, body);
}

void
ph_sketch_node_named_output (PhSketchNode *node, const char *name, const PhType *type)
{
  g_ptr_array_add (node->outputs, (gpointer) name);
  g_ptr_array_add (node->types, (gpointer) type);
  if (type != NULL)
    g_hash_table_insert (node->graph->root->types, (gpointer) name, (gpointer) type);
}

const char *
ph_sketch_node_output (PhSketchNode *node, const char *base, const PhType *type)
{
  const char *name = unique_name (node->graph, base);

  ph_sketch_node_named_output (node, name, type);
  return name;
}

void
ph_sketch_node_type (PhSketchNode *node, guint output, const PhType *type)
{
  node->types->pdata[output] = (gpointer) type;
  if (type != NULL)
    g_hash_table_insert (node->graph->root->types, node->outputs->pdata[output], (gpointer) type);
}

/* The first of two attributes of one name wins. */
void
ph_sketch_node_attr (PhSketchNode *node, PhAttr *attr)
{
  if (*attr->name == '\0') /* a damaged file may have such a one; none could be saved */
    attr->name = ph_importer_name (&node->graph->sketch->importer, "value");
  for (guint i = 0; i < node->attrs->len; i++)
    if (((PhAttr *) node->attrs->pdata[i])->name == attr->name)
      {
        ph_attr_unref (attr);
        return;
      }
  g_ptr_array_add (node->attrs, attr);
}

void
ph_sketch_node_text (PhSketchNode *node, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  ph_sketch_node_attr (node, ph_attr_new_string (ph_importer_name (&node->graph->sketch->importer, name), valid));
}

void
ph_sketch_node_int (PhSketchNode *node, const char *name, gint64 value)
{
  ph_sketch_node_attr (node, ph_attr_new_int (ph_importer_name (&node->graph->sketch->importer, name), value));
}

/* ── the model ── */

static gpointer
new_block (PhSketch *sketch, gsize size)
{
  gpointer block = g_malloc0 (MAX (size, 1));

  g_ptr_array_add (sketch->blocks, block);
  return block;
}

static void
describe (PhSketch *sketch, const PhSketchGraph *graph, PhImportGraph *into)
{
  PhImportNode *nodes = new_block (sketch, graph->nodes->len * sizeof *nodes);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PhSketchNode *from = graph->nodes->pdata[i];
      PhImportGraph **bodies = new_block (sketch, from->bodies->len * sizeof *bodies);

      for (guint b = 0; b < from->bodies->len; b++)
        describe (sketch, from->bodies->pdata[b], bodies[b] = new_block (sketch, sizeof **bodies));
      nodes[i] = from->node;
      nodes[i].inputs = (const char *const *) from->inputs->pdata;
      nodes[i].n_inputs = from->inputs->len;
      nodes[i].outputs = (const char *const *) from->outputs->pdata;
      nodes[i].n_outputs = from->outputs->len;
      nodes[i].output_types = (const PhType *const *) from->types->pdata;
      nodes[i].attrs = (PhAttr *const *) from->attrs->pdata;
      nodes[i].n_attrs = from->attrs->len;
      nodes[i].after = (const char *const *) from->after->pdata;
      nodes[i].n_after = from->after->len;
      nodes[i].bodies = bodies;
      nodes[i].n_bodies = from->bodies->len;
    }
  *into = (PhImportGraph) {
    .name = graph->name,
    .attr = graph->attr,
    .nodes = nodes,
    .n_nodes = graph->nodes->len,
    .inputs = (const PhImportValue *) (gpointer) graph->inputs->data,
    .n_inputs = graph->inputs->len,
    .constants = (const PhImportValue *) (gpointer) graph->constants->data,
    .n_constants = graph->constants->len,
    .outputs = (const PhImportValue *) (gpointer) graph->outputs->data,
    .n_outputs = graph->outputs->len,
  };
}

PhModel *
ph_sketch_finish (PhSketch *sketch, const char *domain, GError **error)
{
  PhModel *model = sketch->importer.model;
  PhImportGraph file;

  ph_model_set_opset (model, ph_intern (domain), 1);
  for (guint i = 0; i < sketch->functions->len; i++)
    {
      PhSketchGraph *function = sketch->functions->pdata[i];

      if (ph_model_add_function (model, &(PhFunctionSpec) { .name = function->name, .domain = function->domain }, error) == NULL)
        return NULL;
    }
  model->graph->name = sketch->main->name;
  describe (sketch, sketch->main, &file);
  if (!ph_import_graph (&sketch->importer, model->graph, &file, error))
    return NULL;
  for (guint i = 0; i < sketch->functions->len; i++)
    {
      PhSketchGraph *function = sketch->functions->pdata[i];

      describe (sketch, function, &file);
      if (!ph_import_graph (&sketch->importer, ph_model_find_function (model, function->domain, function->name)->graph, &file,
                            error))
        return NULL;
    }
  return g_steal_pointer (&sketch->importer.model);
}

/* ── extracting a part ── */

/* The chain of enclosing graphs whose values a body may use. */
typedef struct _Seen Seen;
struct _Seen
{
  const Seen *outer;
  PhSketchGraph *graph;
};

static gboolean
is_seen (const Seen *seen, const char *name)
{
  for (; seen != NULL; seen = seen->outer)
    if (g_hash_table_contains (seen->graph->root->names, name))
      return TRUE;
  return FALSE;
}

static void
need (const Seen *seen, const char *name, const char *by)
{
  PhSketch *sketch = seen->graph->sketch;

  if (*name == '\0' || is_seen (seen, name))
    return;
  ph_source_problem (sketch->source, "'%s' uses '%s', which nothing in graph '%s' makes: it became an input", by, name,
                     seen->graph->name);
  ph_sketch_add_named_input (seen->graph, ph_sketch_claim (sketch, name), NULL);
}

static void
add_missing (PhSketchGraph *graph, const Seen *outer)
{
  const Seen seen = { outer, graph };

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const PhSketchNode *node = graph->nodes->pdata[i];

      for (guint j = 0; j < node->inputs->len; j++)
        need (&seen, node->inputs->pdata[j], node->node.name);
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    need (&seen, g_array_index (graph->outputs, PhImportValue, i).name, graph->name);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const PhSketchNode *node = graph->nodes->pdata[i];

      for (guint j = 0; j < node->bodies->len; j++)
        add_missing (node->bodies->pdata[j], &seen);
    }
}

gboolean
ph_sketch_import (PhSketch *part, PhGraph *graph, GError **error)
{
  PhImportGraph file;

  add_missing (part->main, NULL);
  describe (part, part->main, &file);
  graph->name = part->main->name;
  return ph_import_graph (&part->importer, graph, &file, error);
}
