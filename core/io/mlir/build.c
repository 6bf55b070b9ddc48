/* build.c: builds a model from a tree of MLIR operations: operands are names, regions are bodies, the terminator gives the outputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/as-before.h"
#include "core/io/import.h"
#include "core/io/mlir/build.h"
#include "core/io/own-place.h"
#include "core/ops/op.h"

typedef struct
{
  PhSource *source;
  PhImporter importer;
  GHashTable *functions; /* symbol -> PhMlirOp: those of the module that is being built */
  GHashTable *names;     /* PhMlirOp -> the name of its function                    */
  GPtrArray *owned;      /* memory of the import structures                         */
  GPtrArray *attrs;      /* (element-type GPtrArray of PhAttr), for each node        */
  const char *inputs_of;
  GHashTable *same; /* (nullable) (element-type PhMlirOp) functions that need not be built */
  GArray *inputs;   /* (element-type PhImportValue) from a call of it          */
  guint depth;
  GError *error;
} Builder;

/* Names that can be seen, with their types (nullable), by frame. */
typedef struct _Frame Frame;
struct _Frame
{
  const Frame *outer;
  GHashTable *names;
  gboolean closed;
};

static gpointer
own (Builder *builder, gpointer data)
{
  g_ptr_array_add (builder->owned, data);
  return data;
}

#define NEW(builder_, type_, n_) ((type_ *) own (builder_, g_new0 (type_, MAX ((n_), 1))))

static gboolean
is_visible (const Frame *frame, const char *name)
{
  for (; frame != NULL; frame = frame->closed ? NULL : frame->outer)
    if (g_hash_table_contains (frame->names, name))
      return TRUE;
  return FALSE;
}

static const PhType *
type_in (const Frame *frame, const char *name)
{
  for (; frame != NULL; frame = frame->closed ? NULL : frame->outer)
    if (g_hash_table_contains (frame->names, name))
      return g_hash_table_lookup (frame->names, name);
  return NULL;
}

static gboolean
fail_at (Builder *builder, guint line, guint column, const char *text)
{
  return builder->error != NULL ? FALSE : ph_source_fail_at (builder->source, &builder->error, line, column, "%s", text);
}

/* ── nodes ── */

static gboolean build_region (Builder *builder, PhImportGraph *graph, const PhMlirRegion *region, const Frame *outer,
                              gboolean closed);

static void
place (Builder *builder, PhImportNode *node, const PhMlirOp *op)
{
  node->part = op;
  ph_source_mark (builder->source, op, op->line, op->column);
  node->where = ph_where_in_file (op->loc.where, ph_where_own (builder->source, op->line, op->column));
  node->name = op->loc.name != NULL ? ph_importer_name (&builder->importer, op->loc.name) : "";
}

/* "@gpu::@kernel": the last part. */
static const char *
last_part (const char *symbol)
{
  const char *at = strrchr (symbol, '@');

  return at != NULL ? ph_intern (at + 1) : symbol;
}

/* Makes the function's name the operator of a call. */
static void
set_callee (Builder *builder, PhImportNode *node, const PhMlirOp *op)
{
  const PhMlirAttr *attr = ph_mlir_attr (op, "callee");
  const char *symbol = attr != NULL && attr->text != NULL ? attr->text : op->symbol;
  const PhMlirOp *callee;

  if (symbol == NULL || !g_str_equal (op->name, "func.call"))
    return;
  callee = g_hash_table_lookup (builder->functions, last_part (symbol));
  if (callee != NULL)
    node->op_type = g_hash_table_lookup (builder->names, callee);
}

static void
set_name (PhImportNode *node, const PhMlirOp *op)
{
  const char *dot = strchr (op->name, '.');
  g_autofree char *domain = dot != NULL ? g_strndup (op->name, (gsize) (dot - op->name)) : g_strdup ("mlir");

  node->domain = ph_intern (domain);
  node->op_type = dot != NULL && dot[1] != '\0' ? ph_intern (dot + 1) : op->name;
}

/* "reduce (%x init: %c) applies stablehlo.add": its body works on values of the type of %c. */
static void
type_applied (const PhMlirOp *op, const Frame *frame)
{
  const guint n = op->operands->len / 2;
  PhMlirBlock *block = op->regions->len == 1 ? ((PhMlirRegion *) op->regions->pdata[0])->blocks->pdata[0] : NULL;

  if (block == NULL || n != 1 || block->arguments->len != 2 || g_array_index (block->arguments, PhMlirValue, 0).type.text != NULL
      || !g_str_has_suffix (op->name, ".reduce") || block->ops->len == 0)
    return;
  for (guint i = 0; i < 2; i++)
    g_array_index (block->arguments, PhMlirValue, i).type.type = type_in (frame,
                                                                          g_array_index (op->operands, PhMlirValue, 1).name);
  for (guint i = 0; i < ((PhMlirOp *) block->ops->pdata[0])->results->len; i++)
    g_array_index (((PhMlirOp *) block->ops->pdata[0])->results, PhMlirValue, i).type.type = type_in (
        frame, g_array_index (op->operands, PhMlirValue, 1).name);
}

static gboolean
build_node (Builder *builder, PhImportNode *node, const PhMlirOp *op, const Frame *frame)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) bodies = g_ptr_array_new ();
  GPtrArray *attrs;
  const guint n_outputs = MAX (op->results->len, 1);
  const char **outputs = NEW (builder, const char *, n_outputs);
  const PhType **types = NEW (builder, const PhType *, n_outputs);

  set_name (node, op);
  set_callee (builder, node, op);
  place (builder, node, op);
  for (guint i = 0; i < op->operands->len; i++)
    {
      const PhMlirValue *operand = &g_array_index (op->operands, PhMlirValue, i);

      if (is_visible (frame, operand->name))
        g_ptr_array_add (inputs, (gpointer) operand->name);
      else if (op->known)
        {
          g_autofree char *text = g_strdup_printf ("'%s' is used here, but no operation before or around makes it",
                                                   operand->name);

          return fail_at (builder, operand->line, operand->column, text);
        }
      else
        ph_source_problem (builder->source, "%s:%u: '%s' of %s could not be found and is left out", builder->source->path,
                           operand->line, operand->name, op->name);
    }
  for (guint i = 0; i < op->results->len; i++)
    {
      const PhMlirValue *result = &g_array_index (op->results, PhMlirValue, i);

      outputs[i] = result->name;
      types[i] = result->type.type;
    }
  if (op->results->len == 0)
    outputs[0] = "";
  type_applied (op, frame);
  for (guint r = 0; r < op->regions->len; r++)
    {
      PhImportGraph *body = NEW (builder, PhImportGraph, 1);

      body->attr = ph_intern (ph_mlir_region_name (op, r));
      body->name = body->attr;
      if (!build_region (builder, body, op->regions->pdata[r], frame, ph_mlir_is_function (op)))
        return FALSE;
      g_ptr_array_add (bodies, body);
    }
  node->inputs = own (builder, g_memdup2 (inputs->pdata, MAX (inputs->len, 1) * sizeof (gpointer)));
  if (inputs->len == 0)
    node->inputs = NULL;
  node->n_inputs = inputs->len;
  node->outputs = outputs;
  node->n_outputs = n_outputs;
  node->output_types = types;
  attrs = ph_mlir_build_attrs (op);
  g_ptr_array_add (builder->attrs, attrs);
  node->n_attrs = attrs->len;
  node->attrs = (PhAttr *const *) attrs->pdata;
  node->n_bodies = bodies->len;
  node->bodies = own (builder, g_memdup2 (bodies->pdata, MAX (bodies->len, 1) * sizeof (gpointer)));
  return builder->error == NULL;
}

/* ── graphs ── */

static gboolean
is_terminator (const PhMlirOp *op)
{
  const char *dot = strrchr (op->name, '.');

  return op->results->len == 0 && op->regions->len == 0 && op->successors->len == 0 && dot != NULL
         && (g_str_has_suffix (dot, "return") || g_str_has_suffix (dot, "yield") || g_str_equal (dot, ".terminator"));
}

/* Builds the node that marks the start of a block other than the first; its outputs are the block's arguments. */
static void
build_label (Builder *builder, PhImportNode *node, const PhMlirBlock *block)
{
  const guint n = MAX (block->arguments->len, 1);
  const char **outputs = NEW (builder, const char *, n);
  const PhType **types = NEW (builder, const PhType *, n);
  GPtrArray *attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);

  node->op_type = "block";
  node->domain = "mlir";
  node->name = "";
  node->part = block;
  outputs[0] = "";
  for (guint i = 0; i < block->arguments->len; i++)
    {
      outputs[i] = g_array_index (block->arguments, PhMlirValue, i).name;
      types[i] = g_array_index (block->arguments, PhMlirValue, i).type.type;
    }
  g_ptr_array_add (attrs, ph_attr_new_string ("label", block->label != NULL ? block->label : ""));
  g_ptr_array_add (builder->attrs, attrs);
  node->outputs = outputs;
  node->n_outputs = n;
  node->output_types = types;
  node->attrs = (PhAttr *const *) attrs->pdata;
  node->n_attrs = attrs->len;
}

static void
define_all (GHashTable *names, GArray *values)
{
  for (guint i = 0; i < values->len; i++)
    g_hash_table_insert (names, (gpointer) g_array_index (values, PhMlirValue, i).name,
                         (gpointer) g_array_index (values, PhMlirValue, i).type.type);
}

/* Returns TRUE for "%0:2 = call @inputs()" in a test: its results become inputs that default to the function's return values. */
static gboolean
is_input_call (Builder *builder, const PhMlirOp *op)
{
  return builder->inputs_of != NULL && g_str_equal (op->name, "func.call") && op->operands->len == 0
         && g_strcmp0 (op->symbol, builder->inputs_of) == 0;
}

static gboolean
build_input_call (Builder *builder, const PhMlirOp *op)
{
  const PhMlirOp *callee = g_hash_table_lookup (builder->functions, op->symbol);
  const PhMlirBlock *block = callee != NULL ? ((PhMlirRegion *) callee->regions->pdata[0])->blocks->pdata[0] : NULL;
  const PhMlirOp *last = block != NULL && block->ops->len > 0 ? block->ops->pdata[block->ops->len - 1] : NULL;

  if (last == NULL || last->operands->len != op->results->len)
    return FALSE;
  for (guint i = 0; i < op->results->len; i++)
    {
      const char *name = g_array_index (last->operands, PhMlirValue, i).name;
      PhImportValue input = { .name = g_array_index (op->results, PhMlirValue, i).name, .part = op };

      for (guint k = 0; k < block->ops->len; k++)
        {
          const PhMlirOp *constant = block->ops->pdata[k];
          const PhMlirAttr *value = ph_mlir_attr (constant, "value");

          if (constant->results->len == 1 && g_array_index (constant->results, PhMlirValue, 0).name == name && value != NULL)
            input.tensor = value->tensor;
        }
      if (input.tensor == NULL)
        return FALSE;
      input.type = ph_type_of_tensor (input.tensor);
      g_array_append_val (builder->inputs, input);
    }
  return TRUE;
}

static gboolean
build_region_inner (Builder *builder, PhImportGraph *graph, const PhMlirRegion *region, const Frame *outer, gboolean closed)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  const Frame frame = { outer, names, closed };
  const PhMlirBlock *first = region->blocks->pdata[0];
  guint n = 0, made = 0;
  const PhMlirOp *last = NULL;
  PhImportNode *nodes;
  PhImportValue *values;

  for (guint b = 0; b < region->blocks->len; b++)
    {
      const PhMlirBlock *block = region->blocks->pdata[b];

      n += block->ops->len + 1;
      define_all (names, block->arguments);
      for (guint i = 0; i < block->ops->len; i++)
        define_all (names, ((PhMlirOp *) block->ops->pdata[i])->results);
    }
  nodes = NEW (builder, PhImportNode, n);
  for (guint b = 0; b < region->blocks->len; b++)
    {
      const PhMlirBlock *block = region->blocks->pdata[b];

      if (b > 0)
        build_label (builder, &nodes[made++], block);
      for (guint i = 0; i < block->ops->len; i++)
        {
          const PhMlirOp *op = block->ops->pdata[i];

          if (i + 1 == block->ops->len && is_terminator (op))
            {
              last = op;
              if (region->blocks->len == 1)
                continue;
            }
          if (is_input_call (builder, op) && build_input_call (builder, op))
            continue;
          if (!build_node (builder, &nodes[made++], op, &frame))
            return FALSE;
        }
    }
  graph->nodes = nodes;
  graph->n_nodes = made;
  values = NEW (builder, PhImportValue, first->arguments->len);
  for (guint i = 0; i < first->arguments->len; i++)
    {
      const PhMlirValue *value = &g_array_index (first->arguments, PhMlirValue, i);

      values[i] = (PhImportValue) { .name = value->name,
                                    .type = value->type.opaque ? ph_type_opaque (value->type.text) : value->type.type };
    }
  graph->inputs = values;
  graph->n_inputs = first->arguments->len;
  if (last == NULL)
    return TRUE;
  values = NEW (builder, PhImportValue, last->operands->len);
  for (guint i = 0; i < last->operands->len; i++)
    {
      const PhMlirValue *value = &g_array_index (last->operands, PhMlirValue, i);

      if (!is_visible (&frame, value->name))
        {
          g_autofree char *text = g_strdup_printf ("'%s' is returned here, but nothing makes it", value->name);

          return fail_at (builder, value->line, value->column, text);
        }
      values[graph->n_outputs++] = (PhImportValue) { .name = value->name, .part = last };
    }
  ph_source_mark (builder->source, last, last->line, last->column);
  graph->outputs = values;
  return TRUE;
}

static gboolean
build_region (Builder *builder, PhImportGraph *graph, const PhMlirRegion *region, const Frame *outer, gboolean closed)
{
  gboolean ok;

  if (builder->depth >= 2 * PH_MLIR_MAX_DEPTH)
    return fail_at (builder, 1, 1, "regions are nested too deep");
  builder->depth++;
  ok = build_region_inner (builder, graph, region, outer, closed);
  builder->depth--;
  return ok;
}

static gboolean
build_others (Builder *builder, PhImportGraph *graph, GPtrArray *modules)
{
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  const Frame frame = { NULL, names, TRUE };
  PhImportNode *nodes;

  /* If there are functions, only operations without results (globals, ...) are of interest. */
  for (guint i = 0; i < modules->len; i++)
    ph_mlir_find_others (((PhMlirModule *) modules->pdata[i])->top, graph->n_nodes == 0, ops);
  if (ops->len == 0)
    return TRUE;
  nodes = NEW (builder, PhImportNode, ops->len + graph->n_nodes);
  for (guint i = 0; i < ops->len; i++)
    {
      PhMlirOp *op = ops->pdata[i];

      if (!build_node (builder, &nodes[i], op, &frame))
        return FALSE;
      define_all (names, op->results);
    }
  if (graph->n_nodes > 0)
    memcpy (nodes + ops->len, graph->nodes, graph->n_nodes * sizeof *nodes);
  graph->nodes = nodes;
  graph->n_nodes += ops->len;
  return TRUE;
}

/* Enters the functions of a module under their names in it and in the model: "main_2" is that of the second module with a @main. */
static void
see_module (Builder *builder, PhMlirModule *module)
{
  g_autoptr (GPtrArray) one = g_ptr_array_new (), functions = NULL;

  g_ptr_array_add (one, module);
  functions = ph_mlir_functions (one);
  g_hash_table_remove_all (builder->functions);
  for (guint i = functions->len; i-- > 0;)
    g_hash_table_insert (builder->functions, (gpointer) ((PhMlirOp *) functions->pdata[i])->symbol, functions->pdata[i]);
}

static gboolean
add_functions (Builder *builder, PhModel *model, GPtrArray *functions, const PhMlirOp *entry, GHashTable *called, GError **error)
{
  for (guint i = 0; i < functions->len; i++)
    {
      PhMlirOp *function = functions->pdata[i];
      g_autofree char *name = g_strdup (function->symbol);

      for (guint k = 2; ph_model_find_function (model, "func", name) != NULL; k++)
        {
          g_free (name);
          name = g_strdup_printf ("%s_%u", function->symbol, k);
        }
      if (function == entry && !g_hash_table_contains (called, function->symbol))
        continue;
      g_hash_table_insert (builder->names, function, (gpointer) ph_intern (name));
      if (ph_model_add_function (model, &(PhFunctionSpec) { .name = ph_intern (name), .domain = "func" }, error) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
import_region (Builder *builder, PhGraph *into, const PhMlirOp *function, GPtrArray *others, GError **error)
{
  PhImportGraph graph = { .name = function != NULL ? function->symbol : "main" };
  GArray *inputs = builder->inputs;

  if (function != NULL && builder->same != NULL && g_hash_table_contains (builder->same, function))
    {
      g_autoptr (GPtrArray) ops = g_ptr_array_new ();

      for (guint i = 0; others != NULL && i < others->len; i++)
        ph_mlir_find_others (((PhMlirModule *) others->pdata[i])->top, FALSE, ops);
      if (ops->len == 0)
        {
          ph_graph_set_as_before (into);
          return TRUE;
        }
    }
  g_array_set_size (inputs, 0);
  if ((function != NULL && !build_region (builder, &graph, function->regions->pdata[0], NULL, TRUE))
      || (others != NULL && !build_others (builder, &graph, others)))
    {
      g_propagate_error (error, g_steal_pointer (&builder->error));
      return FALSE;
    }
  if (inputs->len > 0)
    {
      graph.inputs = (const PhImportValue *) (gpointer) inputs->data;
      graph.n_inputs = inputs->len;
    }
  return ph_import_graph (&builder->importer, into, &graph, error);
}

static Builder *
builder_new (PhImporter importer)
{
  Builder *builder = g_new0 (Builder, 1);

  builder->source = importer.source;
  builder->importer = importer;
  builder->functions = g_hash_table_new (NULL, NULL);
  builder->names = g_hash_table_new (NULL, NULL);
  builder->owned = g_ptr_array_new_with_free_func (g_free);
  builder->attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  builder->inputs = g_array_new (FALSE, TRUE, sizeof (PhImportValue));
  return builder;
}

static void
builder_free (Builder *builder)
{
  g_hash_table_unref (builder->functions);
  g_hash_table_unref (builder->names);
  g_ptr_array_unref (builder->owned);
  g_ptr_array_unref (builder->attrs);
  g_array_free (builder->inputs, TRUE);
  g_free (builder);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Builder, builder_free)

/* Fills the graphs of all functions, and that of @entry (nullable) into the main graph. */
static gboolean
fill (Builder *builder, GPtrArray *modules, const PhMlirOp *entry, const char *inputs_of, GError **error)
{
  PhModel *model = builder->importer.model;

  for (guint i = 0; i < modules->len; i++)
    {
      g_autoptr (GPtrArray) one = g_ptr_array_new (), functions = NULL;

      g_ptr_array_add (one, modules->pdata[i]);
      functions = ph_mlir_functions (one);
      see_module (builder, modules->pdata[i]);
      for (guint k = 0; k < functions->len; k++)
        {
          const PhMlirOp *function = functions->pdata[k];
          const char *name = g_hash_table_lookup (builder->names, function);

          builder->inputs_of = inputs_of != NULL && function == entry ? ph_intern (inputs_of) : NULL;
          if (function == entry && !import_region (builder, model->graph, function, modules, error))
            return FALSE;
          builder->inputs_of = NULL;
          if (name != NULL
              && !import_region (builder, ph_model_find_function (model, "func", name)->graph, function, NULL, error))
            return FALSE;
        }
    }
  return TRUE;
}

static PhModel *
build (PhSource *source, GPtrArray *modules, const PhMlirOp *entry, const char *inputs_of, GHashTable *same, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) called = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) functions = ph_mlir_functions (modules);
  g_autoptr (Builder) builder = builder_new ((PhImporter) { source, model, TRUE, NULL });

  builder->same = same;
  for (guint i = 0; i < modules->len; i++)
    ph_mlir_note_calls (((PhMlirModule *) modules->pdata[i])->top, called);
  if (entry == NULL)
    entry = ph_mlir_choose_entry (functions, called);
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  model->ir_version = 10;
  if (!add_functions (builder, model, functions, entry, called, error) || !fill (builder, modules, entry, inputs_of, error)
      || (entry == NULL && !import_region (builder, model->graph, NULL, modules, error)))
    return NULL;
  return g_steal_pointer (&model);
}

const char *
ph_mlir_import (PhImporter *importer, PhMlirModule *module, GError **error)
{
  g_autoptr (GHashTable) called = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) modules = g_ptr_array_new (), functions = NULL;
  g_autoptr (Builder) builder = builder_new (*importer);
  const PhMlirOp *entry;

  g_ptr_array_add (modules, module);
  functions = ph_mlir_functions (modules);
  ph_mlir_note_calls (module->top, called);
  entry = ph_mlir_choose_entry (functions, called);
  if (entry == NULL)
    return ph_source_fail (importer->source, error, PH_ERROR_INVALID, NULL, "a module in it has no function") ? "" : NULL;
  if (!add_functions (builder, importer->model, functions, NULL, called, error) || !fill (builder, modules, NULL, NULL, error))
    return NULL;
  return g_hash_table_lookup (builder->names, entry);
}

PhModel *
ph_mlir_build (PhSource *source, GPtrArray *modules, const PhMlirOp *entry, const char *inputs_of, GError **error)
{
  return build (source, modules, entry, inputs_of, NULL, error);
}

PhModel *
ph_mlir_build_part (PhSource *source, GPtrArray *modules, const PhMlirOp *entry, GHashTable *same, GError **error)
{
  return build (source, modules, entry, NULL, same, error);
}
