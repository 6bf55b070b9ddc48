/* build.c: builds models from HLO modules. Tuples are flattened: tuple and get-tuple-element make no node, and an instruction that makes a
 * tuple has one output per element, named after the get-tuple-element that takes it. A called computation becomes a body of its caller.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/hlo/hlo.h"
#include "core/io/import.h"
#include "core/io/own-place.h"

/* One array among the flattened results of an instruction. */
typedef struct
{
  const char *name;
  const PhHloShape *shape;
  const PhHloInstruction *producer;
  gboolean named;
} Leaf;

/* The flattened result of an instruction. */
typedef struct
{
  PhHloInstruction *instruction;
  GPtrArray *leaves;
  const PhHloShape *shape;
} Result;

typedef struct
{
  PhImportGraph graph;
  double n;
  guint depth;
} Built;

typedef struct
{
  PhHlo *hlo;
  PhHloModule *module;
  PhImporter importer;
  double budget; /* instructions that may be copied into bodies, counted per call */
  GError **error;
} Build;

/* Blames a part of an instruction, whose location is that of the whole instruction. */
static gboolean
blame (Build *build, const PhHloInstruction *instruction, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (instruction->line > 0)
    ph_source_mark (build->hlo->source, instruction, instruction->line, instruction->column);
  return ph_source_fail (build->hlo->source, build->error, PH_ERROR_INVALID, instruction, "%s", text);
}

static gboolean
is (const PhHloInstruction *instruction, const char *opcode)
{
  return g_str_equal (instruction->opcode, opcode);
}

/* ── tuples ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
add_leaves (Build *build, GPtrArray *leaves, const PhHloInstruction *instruction, const PhHloShape *shape)
{
  if (shape != NULL && shape->tuple)
    {
      for (guint i = 0; i < shape->n_items; i++)
        add_leaves (build, leaves, instruction, shape->items[i]);
      return;
    }
  {
    Leaf *leaf = ph_hlo_alloc (build->hlo, sizeof *leaf);

    *leaf = (Leaf) { .shape = shape, .producer = instruction };
    g_ptr_array_add (leaves, leaf);
  }
}

static gboolean
resolve_tuple (Build *build, Result *result, GHashTable *results)
{
  PhHloInstruction *instruction = result->instruction;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  static const PhHloShape unknown = { .n_leaves = 1 };

  for (guint i = 0; i < instruction->operands->len; i++)
    {
      const Result *operand = g_hash_table_lookup (results, g_array_index (instruction->operands, char *, i));

      g_ptr_array_extend (result->leaves, operand->leaves, NULL, NULL);
      g_ptr_array_add (items, (gpointer) (operand->shape != NULL ? operand->shape : &unknown));
      if (result->leaves->len > 1000000)
        return blame (build, instruction, "'%s' holds more than a million values, which no compiler writes", instruction->name);
    }
  result->shape = ph_hlo_tuple_shape (build->hlo, (PhHloShape *const *) items->pdata, items->len);
  return TRUE;
}

static gboolean
resolve_element (Build *build, Result *result, GHashTable *results)
{
  PhHloInstruction *instruction = result->instruction;
  const Result *operand = instruction->operands->len == 1
                              ? g_hash_table_lookup (results, g_array_index (instruction->operands, char *, 0))
                              : NULL;
  guint first = 0;

  if (operand == NULL || operand->shape == NULL || !operand->shape->tuple || instruction->number < 0
      || instruction->number >= operand->shape->n_items)
    return blame (build, instruction, "'%s' takes element %" G_GINT64_FORMAT " of what has no such element", instruction->name,
                  instruction->number);
  for (gint64 i = 0; i < instruction->number; i++)
    first += operand->shape->items[i]->n_leaves;
  result->shape = operand->shape->items[instruction->number];
  for (guint i = 0; i < result->shape->n_leaves; i++)
    g_ptr_array_add (result->leaves, operand->leaves->pdata[first + i]);
  if (!result->shape->tuple && result->leaves->len == 1)
    {
      Leaf *leaf = result->leaves->pdata[0];

      if (!leaf->named && leaf->producer->shape != NULL && leaf->producer->shape->tuple)
        {
          leaf->name = instruction->name;
          leaf->named = TRUE;
        }
    }
  return TRUE;
}

/* Returns the shape of the first operand. (nullable) */
static const PhHloShape *
operand_shape (GHashTable *results, const PhHloInstruction *instruction)
{
  return instruction->operands->len == 0
             ? NULL
             : ((const Result *) g_hash_table_lookup (results, g_array_index (instruction->operands, char *, 0)))->shape;
}

/* Maps the name of every instruction of @computation to its result. */
static GHashTable *
resolve (Build *build, PhHloComputation *computation, GPtrArray *order)
{
  GHashTable *results = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (build->hlo->tables, results);
  for (guint i = 0; i < computation->instructions->len; i++)
    {
      PhHloInstruction *instruction = computation->instructions->pdata[i];
      Result *result = ph_hlo_alloc (build->hlo, sizeof *result);
      gboolean ok = TRUE;

      *result = (Result) { instruction, ph_hlo_ptr_array (build->hlo), instruction->shape };
      for (guint j = 0; ok && j < instruction->operands->len; j++)
        {
          const char *name = g_array_index (instruction->operands, char *, j);

          if (!g_hash_table_contains (results, name))
            ok = blame (build, instruction, "'%s' uses '%s', which nothing above it in computation '%s' defines",
                        instruction->name, name, computation->name);
        }
      if (ok && instruction->shape == NULL)
        result->shape = instruction->shape = ph_hlo_implied_shape (build->module, instruction,
                                                                   operand_shape (results, instruction));
      if (ok && is (instruction, "tuple"))
        ok = resolve_tuple (build, result, results);
      else if (ok && is (instruction, "get-tuple-element"))
        ok = resolve_element (build, result, results);
      else if (ok)
        add_leaves (build, result->leaves, instruction, result->shape);
      if (ok && g_hash_table_contains (results, instruction->name))
        ok = blame (build, instruction, "'%s' is defined twice in computation '%s'. Every instruction needs a name of its own",
                    instruction->name, computation->name);
      if (!ok)
        return NULL;
      g_hash_table_insert (results, (gpointer) instruction->name, result);
      g_ptr_array_add (order, result);
    }
  for (guint i = 0; i < order->len; i++)
    {
      const Result *result = order->pdata[i];
      const gboolean plain = result->leaves->len == 1 && (result->shape == NULL || !result->shape->tuple);

      for (guint j = 0; j < result->leaves->len; j++)
        {
          Leaf *leaf = result->leaves->pdata[j];

          if (leaf->name == NULL && plain)
            leaf->name = leaf->producer->name;
          else if (leaf->name == NULL)
            {
              g_autofree char *name = g_strdup_printf ("%s#%u", leaf->producer->name, j);

              leaf->name = ph_intern (name);
            }
        }
    }
  return results;
}

/* ── nodes ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static Built *build_computation (Build *build, PhHloComputation *computation, guint depth);

static const PhType *
leaf_type (const Leaf *leaf)
{
  return leaf->shape == NULL ? NULL : leaf->shape->type != NULL ? leaf->shape->type : ph_type_opaque (leaf->shape->text);
}

/* Adds an attribute with the layouts of all outputs, or with the parts of their shapes that types cannot express. */
static void
add_texts (Build *build, PhHloInstruction *instruction, const GPtrArray *leaves, const char *attr, gboolean layouts)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  gboolean any = FALSE;

  for (guint i = 0; i < leaves->len; i++)
    {
      const PhHloShape *shape = ((const Leaf *) leaves->pdata[i])->shape;
      const char *text = shape == NULL ? NULL : layouts ? shape->layout : shape->type != NULL ? shape->text : NULL;

      any = any || text != NULL;
      g_ptr_array_add (texts, g_bytes_new (text != NULL ? text : "", text != NULL ? strlen (text) : 0));
    }
  if (any && leaves->len == 1)
    ph_hlo_add_attr (build->hlo, instruction, ph_attr_new_bytes (attr, PH_ATTR_STRING, texts->pdata[0]));
  else if (any)
    ph_hlo_add_attr (build->hlo, instruction, ph_attr_new_strings (attr, (GBytes *const *) texts->pdata, texts->len));
}

static gboolean
add_bodies (Build *build, PhHloInstruction *instruction, PhImportNode *node, Built *built, guint depth)
{
  const GArray *calls = instruction->calls;
  PhImportGraph **bodies = ph_hlo_alloc (build->hlo, calls->len * sizeof *bodies + 1);

  for (guint i = 0; i < calls->len; i++)
    {
      const PhHloCall *call = &g_array_index (calls, PhHloCall, i);
      PhHloComputation *computation = call->inside != NULL ? call->inside
                                                           : g_hash_table_lookup (build->module->by_name, call->name);
      const Built *inner = NULL;
      gboolean again = FALSE;

      for (gsize j = 0; j < node->n_bodies; j++)
        again = again || bodies[j]->attr == call->attr;
      if (computation != NULL && computation->busy)
        return blame (build, instruction, "computation '%s' calls itself, by '%s'", computation->name, instruction->name);
      if (computation != NULL && !again)
        {
          inner = build_computation (build, computation, depth + 1);
          if (inner == NULL)
            return FALSE;
        }
      if (inner == NULL || built->n + inner->n > build->budget)
        {
          ph_hlo_add_attr (build->hlo, instruction, ph_attr_new_string (call->attr, call->name));
          ph_source_problem (build->hlo->source,
                             computation == NULL
                                 ? "'%s' calls the computation '%s', which the file does not have"
                                 : "The computation that '%s' calls, '%s', is called too often to be shown everywhere",
                             instruction->name, call->name);
          continue;
        }
      built->n += inner->n;
      bodies[node->n_bodies] = ph_hlo_alloc (build->hlo, sizeof **bodies);
      *bodies[node->n_bodies] = inner->graph;
      bodies[node->n_bodies++]->attr = call->attr;
    }
  node->bodies = (PhImportGraph *const *) bodies;
  /* Bodies of fused nodes must match their node's inputs and outputs; this one does not, so it is only kept as an attribute. */
  if (node->n_bodies == 1 && is (instruction, "fusion")
      && (bodies[0]->n_inputs != node->n_inputs || bodies[0]->n_outputs != node->n_outputs))
    bodies[0]->attr = ph_intern ("calls");
  return TRUE;
}

static const char *
node_name (const PhHloInstruction *instruction)
{
  g_autofree char *name = NULL;

  if (instruction->scope == NULL)
    return instruction->name;
  name = g_strdup_printf ("%s/%s", instruction->scope, instruction->name);
  return ph_intern (name);
}

static void
add_after (Build *build, PhHloInstruction *instruction, PhImportNode *node, GHashTable *results)
{
  const char **after = ph_hlo_alloc (build->hlo, instruction->after->len * sizeof *after + 1);

  for (guint i = 0; i < instruction->after->len; i++)
    {
      const Result *first = g_hash_table_lookup (results, g_array_index (instruction->after, char *, i));
      const Leaf *leaf = first != NULL && first->leaves->len > 0 ? first->leaves->pdata[0] : NULL;

      if (leaf != NULL && !is (leaf->producer, "parameter")
          && !(is (leaf->producer, "constant") && leaf->producer->literals->pdata[0] != NULL))
        after[node->n_after++] = leaf->name;
    }
  node->after = after;
}

static gboolean
add_node (Build *build, const Result *result, GHashTable *results, PhImportNode *node, Built *built, guint depth)
{
  PhHloInstruction *instruction = result->instruction;
  const char **outputs = ph_hlo_alloc (build->hlo, (result->leaves->len + 1) * sizeof *outputs), **inputs;
  const PhType **types = ph_hlo_alloc (build->hlo, (result->leaves->len + 1) * sizeof *types);
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();

  *node = (PhImportNode) {
    .op_type = instruction->opcode, .domain = ph_intern ("hlo"), .name = node_name (instruction), .part = instruction
  };
  for (guint i = 0; i < instruction->operands->len; i++)
    {
      const Result *operand = g_hash_table_lookup (results, g_array_index (instruction->operands, char *, i));

      for (guint j = 0; j < operand->leaves->len; j++)
        g_ptr_array_add (operands, (gpointer) ((const Leaf *) operand->leaves->pdata[j])->name);
    }
  inputs = ph_hlo_alloc (build->hlo, operands->len * sizeof *inputs + 1);
  for (guint i = 0; i < operands->len; i++)
    inputs[i] = operands->pdata[i];
  node->inputs = inputs;
  node->n_inputs = operands->len;
  for (guint i = 0; i < result->leaves->len; i++)
    {
      const Leaf *leaf = result->leaves->pdata[i];

      outputs[i] = leaf->name;
      types[i] = leaf_type (leaf);
    }
  node->n_outputs = result->leaves->len;
  if (node->n_outputs == 0) /* an empty tuple: gives the node an output, since drawing and traversal rely on one */
    outputs[node->n_outputs++] = instruction->name;
  node->outputs = outputs;
  node->output_types = types;
  if (!add_bodies (build, instruction, node, built, depth))
    return FALSE;
  add_texts (build, instruction, result->leaves, "layout", TRUE);
  add_texts (build, instruction, result->leaves, "shape", FALSE);
  if (is (instruction, "bitcast") && instruction->operands->len == 1) /* its result depends on both layouts */
    {
      const Result *operand = g_hash_table_lookup (results, g_array_index (instruction->operands, char *, 0));

      add_texts (build, instruction, operand->leaves, "operand_layout", TRUE);
    }
  node->attrs = (PhAttr *const *) instruction->attrs->pdata;
  node->n_attrs = instruction->attrs->len;
  add_after (build, instruction, node, results);
  node->where = instruction->where;
  if (instruction->line > 0)
    node->where = ph_where_in_file (node->where, ph_where_own (build->hlo->source, instruction->line, instruction->column));
  if (instruction->line > 0)
    ph_source_mark (build->hlo->source, instruction, instruction->line, instruction->column);
  return TRUE;
}

static gboolean
add_inputs (Build *build, const GPtrArray *order, PhHloComputation *computation, PhImportGraph *graph)
{
  g_autoptr (GPtrArray) parameters = g_ptr_array_new ();
  g_autoptr (GPtrArray) leaves = g_ptr_array_new ();
  PhImportValue *inputs;

  for (guint i = 0; i < order->len; i++)
    {
      const Result *result = order->pdata[i];

      if (!is (result->instruction, "parameter"))
        continue;
      if (result->instruction->number >= computation->instructions->len)
        return blame (build, result->instruction, "parameter %" G_GINT64_FORMAT " of a computation with fewer parameters",
                      result->instruction->number);
      if (parameters->len <= result->instruction->number)
        g_ptr_array_set_size (parameters, (int) result->instruction->number + 1);
      if (parameters->pdata[result->instruction->number] != NULL)
        return blame (build, result->instruction, "parameter %" G_GINT64_FORMAT " is there twice", result->instruction->number);
      parameters->pdata[result->instruction->number] = (gpointer) result;
    }
  for (guint i = 0; i < parameters->len; i++)
    {
      const Result *result = parameters->pdata[i];

      if (result == NULL)
        return blame (build, computation->root, "computation '%s' has no parameter %u, but has a later one", computation->name,
                      i);
      g_ptr_array_extend (leaves, result->leaves, NULL, NULL);
    }
  inputs = ph_hlo_alloc (build->hlo, leaves->len * sizeof *inputs + 1);
  for (guint i = 0; i < leaves->len; i++)
    {
      const Leaf *leaf = leaves->pdata[i];

      inputs[i] = (PhImportValue) { .name = leaf->name, .type = leaf_type (leaf) };
    }
  graph->inputs = inputs;
  graph->n_inputs = leaves->len;
  return TRUE;
}

/* Returns TRUE if the elements of a constant are known; it then becomes a value. Otherwise they were elided, and it becomes a node. */
static gboolean
is_known (const PhHloInstruction *instruction)
{
  if (!is (instruction, "constant") || instruction->literals == NULL || instruction->literals->len == 0)
    return FALSE;
  for (guint i = 0; i < instruction->literals->len; i++)
    if (instruction->literals->pdata[i] == NULL)
      return FALSE;
  return TRUE;
}

static Built *
build_computation (Build *build, PhHloComputation *computation, guint depth)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  GHashTable *results;
  Built *built = computation->built;
  PhImportNode *nodes;
  PhImportValue *outputs;
  GArray *constants;
  const Result *root;

  computation->called = computation->called || depth > 0;
  if (built != NULL && built->depth + depth <= PH_HLO_MAX_DEPTH)
    return built;
  if (depth >= PH_HLO_MAX_DEPTH)
    {
      blame (build, computation->root, "computations call each other more than %d deep", PH_HLO_MAX_DEPTH);
      return NULL;
    }
  built = computation->built = ph_hlo_alloc (build->hlo, sizeof *built);
  computation->busy = TRUE;
  results = resolve (build, computation, order);
  if (results == NULL)
    return NULL;
  nodes = ph_hlo_alloc (build->hlo, order->len * sizeof *nodes + 1);
  constants = ph_hlo_array (build->hlo, sizeof (PhImportValue));
  built->n = order->len;
  built->graph = (PhImportGraph) { .name = computation->name, .nodes = nodes };
  if (!add_inputs (build, order, computation, &built->graph))
    return NULL;
  for (guint i = 0; i < order->len; i++)
    {
      const Result *result = order->pdata[i];
      const PhHloInstruction *instruction = result->instruction;

      if (is (instruction, "parameter") || is (instruction, "tuple") || is (instruction, "get-tuple-element"))
        continue;
      if (is_known (instruction))
        for (guint j = 0; j < result->leaves->len; j++)
          {
            PhImportValue value = { .name = ((const Leaf *) result->leaves->pdata[j])->name,
                                    .tensor = instruction->literals->pdata[j] };

            g_array_append_val (constants, value);
          }
      else if (!add_node (build, result, results, &nodes[built->graph.n_nodes++], built, depth))
        return NULL;
    }
  built->graph.constants = (const PhImportValue *) (gpointer) constants->data;
  built->graph.n_constants = constants->len;
  root = g_hash_table_lookup (results, computation->root->name);
  outputs = ph_hlo_alloc (build->hlo, root->leaves->len * sizeof *outputs + 1);
  for (guint i = 0; i < root->leaves->len; i++)
    outputs[i].name = ((const Leaf *) root->leaves->pdata[i])->name;
  built->graph.outputs = outputs;
  built->graph.n_outputs = root->leaves->len;
  computation->busy = FALSE;
  return built;
}

/* ── modules ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Builds all computations, because those without a caller are only known then. */
static PhHloComputation *
find_entry (Build *build)
{
  PhHloComputation *last = NULL;

  for (guint i = 0; i < build->module->computations->len; i++)
    if (build_computation (build, build->module->computations->pdata[i], 0) == NULL)
      return NULL;
  for (guint i = 0; i < build->module->computations->len; i++)
    {
      PhHloComputation *computation = build->module->computations->pdata[i];

      if (computation->entry)
        return computation;
      if (!computation->called)
        last = computation;
    }
  return last;
}

/* Adds a box for @computation, which has no caller. */
static void
add_box (Build *build, PhImportNode *node, const char *op, const char *name, PhHloComputation *computation)
{
  PhImportGraph **bodies = ph_hlo_alloc (build->hlo, sizeof *bodies);
  const char **outputs = ph_hlo_alloc (build->hlo, sizeof *outputs);
  g_autofree char *output = g_strdup_printf ("%s#", name);

  bodies[0] = ph_hlo_alloc (build->hlo, sizeof **bodies);
  *bodies[0] = ((const Built *) computation->built)->graph;
  bodies[0]->attr = ph_intern ("computation");
  outputs[0] = ph_intern (output);
  *node = (PhImportNode) { .op_type = ph_intern (op),
                           .domain = ph_intern ("hlo"),
                           .name = name,
                           .outputs = outputs,
                           .n_outputs = 1,
                           .bodies = (PhImportGraph *const *) bodies,
                           .n_bodies = 1 };
}

/* Builds the graph of @module: its entry, and a node with a body for each computation that nothing calls. */
static gboolean
build_module (Build *build, PhHloModule *module, PhImportGraph *graph)
{
  PhHloComputation *entry;
  PhImportNode *nodes;

  build->module = module;
  entry = module->computations->len > 0 ? find_entry (build) : NULL;
  if (module->computations->len == 0)
    {
      *graph = (PhImportGraph) { .name = module->name };
      return TRUE;
    }
  if (entry == NULL)
    return FALSE;
  *graph = ((const Built *) entry->built)->graph;
  nodes = ph_hlo_alloc (build->hlo, (graph->n_nodes + module->computations->len) * sizeof *nodes);
  if (graph->n_nodes > 0)
    memcpy (nodes, graph->nodes, graph->n_nodes * sizeof *nodes);
  for (guint i = 0; i < module->computations->len; i++)
    {
      PhHloComputation *computation = module->computations->pdata[i];

      if (computation != entry && !computation->called)
        add_box (build, &nodes[graph->n_nodes++], "computation", computation->name, computation);
    }
  graph->nodes = nodes;
  graph->name = *module->name != '\0' ? module->name : entry->name;
  return TRUE;
}

PhModel *
ph_hlo_build (PhHlo *hlo, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  Build build = { .hlo = hlo, .importer = { hlo->source, model } };
  PhImportGraph whole = { .name = "" };
  PhImportNode *boxes = ph_hlo_alloc (hlo, hlo->modules->len * sizeof *boxes + 1);
  guint n_built = 0;

  build.budget = MAX (100000, 10 * (double) ph_hlo_count (hlo));
  for (guint i = 0; i < hlo->modules->len; i++)
    {
      PhHloModule *module = hlo->modules->pdata[i];
      PhImportGraph *graph = ph_hlo_alloc (hlo, sizeof *graph);
      GError *reason = NULL;

      build.error = &reason;
      if (module->error == NULL && !build_module (&build, module, graph))
        ph_hlo_break_module (hlo, module, reason);
      if (module->error != NULL)
        continue;
      n_built++;
      if (hlo->modules->len == 1)
        whole = *graph;
      else
        {
          PhHloComputation box = { .built = &(Built) { .graph = *graph } };
          g_autofree char *name = g_strdup_printf ("%s#%u", *module->name != '\0' ? module->name : "module", i + 1);

          add_box (&build, &boxes[whole.n_nodes++], "module", ph_intern (name), &box);
          whole.nodes = boxes;
        }
    }
  if (!ph_hlo_note_broken (hlo, n_built > 0, error))
    return NULL;
  if (hlo->modules->len == 0)
    ph_source_problem (hlo->source, "The file holds no module: only comments");
  ph_model_set_opset (model, "hlo", 1);
  if (!ph_import_graph (&build.importer, model->graph, &whole, error))
    return NULL;
  return g_steal_pointer (&model);
}
