/* import.c: an LLVM function as a graph. An instruction is a node, a register a value, a block a scope ("loop/%sum"). Control edges along
 * the control flow order instructions with effects and branches; a register defined later (a loop's phi) is no input but listed in the
 * attribute "back".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/llvm/import.h"

#include "core/io/as-before.h"
#include "core/io/own-place.h"

typedef struct
{
  PhImporter *importer;
  GStringChunk *strings;
  PhLlvmFunction *function;
  GHashTable *defined;                /* registers whose nodes exist already                 */
  GHashTable *exist;                  /* all registers of the function                       */
  GHashTable *taken;                  /* names of values                                     */
  GHashTable *counts;                 /* name -> the last suffix used                        */
  GHashTable *blocks;                 /* name -> PhLlvmBlock                                 */
  GHashTable *last;                   /* PhLlvmBlock -> the value that represents its completion */
  GArray *nodes;                      /* (element-type PhImportNode)                         */
  GArray *constants, *outputs;        /* (element-type PhImportValue)             */
  GPtrArray *owned, *memory;          /* arrays and attributes needed until the graph is built */
  GPtrArray *back, *fixed, *incoming; /* of the instruction that is being read        */
  GHashTable *functions;              /* name -> PhLlvmFunction: those that a call can open      */
} Import;

static const char *format_name (Import *i, const char *format, ...) G_GNUC_PRINTF (2, 3);

static const char *
format_name (Import *i, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_importer_name (i->importer, text);
}

/* Returns a name that no other value of the function has, with the next free suffix. */
static const char *
new_name (Import *i, const char *base)
{
  const char *first = ph_importer_name (i->importer, base), *name = first;
  guint k = GPOINTER_TO_UINT (g_hash_table_lookup (i->counts, first));

  if (k > 0)
    name = format_name (i, "%s.%u", base, k);
  for (; !g_hash_table_add (i->taken, (gpointer) name); name = format_name (i, "%s.%u", base, k))
    k++;
  g_hash_table_insert (i->counts, (gpointer) first, GUINT_TO_POINTER (k));
  return name;
}

static const char *
register_name (Import *i, const char *name)
{
  const gsize size = strlen (name);
  char text[64];

  if (size + 2 > sizeof text)
    return format_name (i, "%%%s", name);
  *text = '%';
  memcpy (text + 1, name, size + 1);
  return ph_importer_name (i->importer, text);
}

/* Returns TRUE if a call with @n arguments matches a known function, so that its node can be opened. */
static gboolean
takes (Import *i, const char *name, guint n)
{
  const PhLlvmFunction *function = g_hash_table_lookup (i->functions, name);

  return function != NULL && function->parameters->len == n;
}

static void
drop_array (gpointer data)
{
  g_ptr_array_unref (data);
}

static GPtrArray *
new_array (Import *i)
{
  GPtrArray *array = g_ptr_array_new ();

  g_ptr_array_add (i->owned, array);
  return array;
}

/* Returns the number @text as a scalar of @type, or repeated in a vector. (transfer full) (nullable) */
static PhTensor *
number (const char *text, const PhType *type)
{
  double value;
  char *end;

  if (type == NULL || type->kind != PH_KIND_TENSOR || type->rank > 0)
    return NULL;
  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    return type->dtype == PH_BOOL ? ph_tensor_new_scalar (PH_BOOL, *text == 't') : NULL;
  if (g_str_has_prefix (text, "0x")) /* the bits of a double, whatever the type; a letter after "0x" marks other formats */
    {
      guint64 bits = g_ascii_strtoull (text + 2, &end, 16);

      if (*end != '\0' || (type->dtype != PH_FLOAT && type->dtype != PH_DOUBLE))
        return NULL;
      memcpy (&value, &bits, sizeof value);
      return ph_tensor_new_scalar (type->dtype, value);
    }
  if (type->dtype == PH_INT64) /* a double cannot hold all of them */
    {
      gint64 whole = g_ascii_strtoll (text, &end, 10);
      g_autoptr (GBytes) bytes = g_bytes_new (&whole, sizeof whole);

      return *end == '\0' ? ph_tensor_new_from_bytes (PH_INT64, 0, NULL, bytes) : NULL;
    }
  value = g_ascii_strtod (text, &end);
  return *end == '\0' ? ph_tensor_new_scalar (type->dtype, value) : NULL;
}

static void
add_strings (Import *i, GPtrArray *attrs, const char *name, GPtrArray *texts)
{
  g_autoptr (GPtrArray) bytes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  if (texts->len == 0)
    return;
  for (guint t = 0; t < texts->len; t++)
    g_ptr_array_add (bytes, g_bytes_new (texts->pdata[t], strlen (texts->pdata[t])));
  g_ptr_array_add (attrs, ph_attr_new_strings (ph_intern (name), (GBytes *const *) bytes->pdata, bytes->len));
}

gboolean
ph_llvm_has_effect (const char *opcode)
{
  static const char *const opcodes[] = { "store", "fence",  "atomicrmw",  "cmpxchg",  "call",       "invoke", "callbr",
                                         "load",  "va_arg", "landingpad", "catchpad", "cleanuppad", NULL };

  return g_strv_contains (opcodes, opcode);
}

static gboolean
has_effect (const PhLlvmInstruction *instruction)
{
  return instruction->targets != NULL || instruction->result == NULL || ph_llvm_has_effect (instruction->opcode);
}

/* Adds the flags before the operands; the last one of a comparison is its predicate. */
static void
add_flags (GPtrArray *attrs, const PhLlvmInstruction *from)
{
  const gboolean compare = g_str_equal (from->opcode, "icmp") || g_str_equal (from->opcode, "fcmp"),
                 atomic = g_str_equal (from->opcode, "atomicrmw");
  const char *last = from->flags != NULL ? strrchr (from->flags, ' ') : NULL;
  g_autofree char *before = last != NULL ? g_strndup (from->flags, (gsize) (last - from->flags)) : NULL;

  if (from->metadata != NULL)
    g_ptr_array_add (attrs, ph_attr_new_string (ph_intern ("metadata"), from->metadata));
  if (from->flags == NULL)
    return;
  if (compare || atomic)
    g_ptr_array_add (attrs,
                     ph_attr_new_string (ph_intern (compare ? "predicate" : "operation"), last != NULL ? last + 1 : from->flags));
  else
    {
      g_free (before);
      before = g_strdup (from->flags);
    }
  if (before != NULL)
    g_ptr_array_add (attrs, ph_attr_new_string (ph_intern ("flags"), before));
}

/* ── nodes ── */

/* A node of which only the value is of interest, since it is as in the dump before. */
static void
add_standing (Import *i, const PhLlvmInstruction *from)
{
  gpointer *output = g_new (gpointer, 2);
  PhImportNode node = { .op_type = ph_importer_name (i->importer, from->opcode), .domain = "llvm", .part = from };

  g_ptr_array_add (i->memory, output);
  output[0] = (gpointer) (from->result != NULL ? register_name (i, from->result) : new_name (i, from->opcode));
  output[1] = (gpointer) ph_llvm_type (from->type);
  node.name = output[0];
  node.outputs = (const char *const *) &output[0];
  node.n_outputs = 1;
  node.output_types = (const PhType *const *) &output[1];
  g_array_append_val (i->nodes, node);
  if (from->result != NULL)
    g_hash_table_add (i->defined, (gpointer) from->result);
}

static void
add_node (Import *i, const PhLlvmBlock *block, const PhLlvmInstruction *from, const char **after, gsize n_after)
{
  GPtrArray *inputs = new_array (i), *back = i->back, *fixed = i->fixed, *incoming = i->incoming;
  gpointer *output = g_new (gpointer, 2); /* its name, its type */
  GPtrArray *attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  const PhType *type = ph_llvm_type (from->type);
  const char *callee = NULL;
  PhImportNode node = { .op_type = ph_importer_name (i->importer, from->opcode), .domain = "llvm" };

  g_ptr_array_add (i->owned, attrs);
  g_ptr_array_add (i->memory, output);
  g_ptr_array_set_size (back, 0);
  g_ptr_array_set_size (fixed, 0);
  g_ptr_array_set_size (incoming, 0);
  for (guint k = 0; k < from->operands->len; k++)
    {
      const PhLlvmOperand *operand = &g_array_index (from->operands, PhLlvmOperand, k);
      const char *name = operand->text, *input = "";
      PhTensor *tensor = NULL;

      if (operand->kind == PH_LLVM_VALUE && g_hash_table_contains (i->defined, name))
        input = register_name (i, name);
      else if (operand->kind == PH_LLVM_VALUE && g_hash_table_contains (i->exist, name))
        g_ptr_array_add (back, (gpointer) (operand->block != NULL ? format_name (i, "%%%s from %s", name, operand->block)
                                                                  : register_name (i, name)));
      else if (operand->kind == PH_LLVM_VALUE) /* the name of a type */
        {
          g_ptr_array_add (fixed, (gpointer) register_name (i, name));
          continue;
        }
      else if (operand->kind == PH_LLVM_CONSTANT && (tensor = number (name, ph_llvm_type (operand->type))) != NULL)
        {
          PhImportValue constant
              = { .name = new_name (i, format_name (i, "%s.%u", from->result != NULL ? from->result : from->opcode, k)),
                  .tensor = tensor };

          input = constant.name;
          g_array_append_val (i->constants, constant);
        }
      else if (callee == NULL && *name == '@' && (g_str_equal (from->opcode, "call") || g_str_equal (from->opcode, "invoke")))
        {
          callee = name + 1;
          continue;
        }
      else
        g_ptr_array_add (fixed, (gpointer) name);
      if (operand->block != NULL)
        g_ptr_array_add (incoming, (gpointer) operand->block);
      g_ptr_array_add (inputs, (gpointer) input);
    }
  while (inputs->len > 0 && *(const char *) inputs->pdata[inputs->len - 1] == '\0')
    g_ptr_array_set_size (inputs, (int) inputs->len - 1);
  if (callee != NULL)
    {
      g_ptr_array_add (attrs, ph_attr_new_string (ph_intern ("callee"), callee));
      if (back->len + fixed->len == 0 && takes (i, callee, inputs->len))
        {
          node.op_type = ph_importer_name (i->importer, callee);
          node.domain = PH_LLVM_FUNCTION_DOMAIN;
        }
    }
  add_flags (attrs, from);
  add_strings (i, attrs, "incoming", incoming);
  add_strings (i, attrs, PH_LINKS_ATTR, back);
  add_strings (i, attrs, "operands", fixed);
  if (from->targets != NULL)
    add_strings (i, attrs, "to", from->targets);
  if (*from->text != '\0')
    g_ptr_array_add (attrs, ph_attr_new_string (ph_intern ("text"), from->text));

  output[0] = (gpointer) (from->result != NULL ? register_name (i, from->result) : new_name (i, from->opcode));
  output[1] = (gpointer) type;
  node.name = format_name (i, "%s/%s", block->name, (const char *) output[0]);
  node.inputs = (const char *const *) inputs->pdata;
  node.n_inputs = inputs->len;
  node.outputs = (const char *const *) &output[0];
  node.n_outputs = 1;
  node.output_types = (const PhType *const *) &output[1];
  node.attrs = (PhAttr *const *) attrs->pdata;
  node.n_attrs = attrs->len;
  node.after = after;
  node.n_after = n_after;
  node.where = ph_where_own (i->importer->source, from->line, from->column);
  node.part = from;
  ph_source_mark (i->importer->source, from, from->line, from->column);
  g_array_append_val (i->nodes, node);
  if (from->result != NULL)
    g_hash_table_add (i->defined, (gpointer) from->result);
}

static void
add_block (Import *i, PhLlvmBlock *block, GPtrArray *predecessors)
{
  GPtrArray *after = new_array (i);

  for (guint p = 0; predecessors != NULL && p < predecessors->len; p++)
    {
      gpointer last = g_hash_table_lookup (i->last, predecessors->pdata[p]);

      if (last != NULL)
        g_ptr_array_add (after, last);
    }
  for (guint k = 0; k < block->instructions->len; k++)
    {
      const PhLlvmInstruction *instruction = block->instructions->pdata[k];
      const gboolean effect = has_effect (instruction);

      if (i->function->standing != NULL
          && g_hash_table_contains (i->function->standing, GUINT_TO_POINTER (instruction->line - i->function->line)))
        add_standing (i, instruction);
      else
        add_node (i, block, instruction, effect ? (const char **) after->pdata : NULL, effect ? after->len : 0);
      if (!effect)
        continue;
      after = new_array (i);
      g_ptr_array_add (after, (gpointer) g_array_index (i->nodes, PhImportNode, i->nodes->len - 1).outputs[0]);
    }
  if (after->len > 0)
    g_hash_table_insert (i->last, block, after->pdata[after->len - 1]);
  if (block->instructions->len > 0)
    {
      const PhLlvmInstruction *end = block->instructions->pdata[block->instructions->len - 1];

      if (end->targets == NULL || end->targets->len == 0)
        {
          PhImportValue output = { .name = g_array_index (i->nodes, PhImportNode, i->nodes->len - 1).outputs[0] };

          g_array_append_val (i->outputs, output);
        }
    }
}

/* Orders the blocks in reverse postorder, so that each block follows its predecessors except along loops' back edges. */
static GPtrArray *
order_blocks (Import *i)
{
  GPtrArray *order = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint)); /* the next target of each block on the stack */
  g_autoptr (GPtrArray) way = g_ptr_array_new ();

  for (guint b = 0; b < i->function->blocks->len; b++)
    {
      guint zero = 0;
      const guint start = order->len;

      if (!g_hash_table_add (seen, i->function->blocks->pdata[b]))
        continue;
      g_ptr_array_add (way, i->function->blocks->pdata[b]);
      g_array_append_val (path, zero);
      while (way->len > 0)
        {
          PhLlvmBlock *block = way->pdata[way->len - 1];
          const PhLlvmInstruction *end = block->instructions->len > 0 ? block->instructions->pdata[block->instructions->len - 1]
                                                                      : NULL;
          guint *next = &g_array_index (path, guint, path->len - 1);
          const guint n = end != NULL && end->targets != NULL ? end->targets->len : 0;

          if (*next < n)
            {
              /* Targets are visited in reverse, so that the first one comes first in reverse postorder. */
              PhLlvmBlock *to = g_hash_table_lookup (i->blocks, end->targets->pdata[n - 1 - (*next)++]);

              if (to != NULL && g_hash_table_add (seen, to))
                {
                  g_ptr_array_add (way, to);
                  g_array_append_val (path, zero);
                }
              continue;
            }
          g_ptr_array_add (order, block);
          g_ptr_array_set_size (way, (int) way->len - 1);
          g_array_set_size (path, path->len - 1);
        }
      for (guint a = start, z = order->len; a + 1 < z; a++)
        {
          gpointer swap = order->pdata[a];

          order->pdata[a] = order->pdata[--z];
          order->pdata[z] = swap;
        }
    }
  return order;
}

static void
add_input (Import *i, GArray *inputs, const char *name, const char *type)
{
  PhImportValue input = { .name = new_name (i, register_name (i, name)), .type = ph_llvm_type (type), .part = i->function };

  g_array_append_val (inputs, input);
  g_hash_table_add (i->defined, (gpointer) name);
}

/* Collects the registers. If the parameters are unknown, as in a diff that LLVM prints, undefined registers become parameters. */
static void
find_registers (Import *i, GArray *inputs)
{
  const gboolean unknown = g_str_has_prefix (i->function->header, PH_LLVM_UNKNOWN_HEADER);

  for (guint b = 0; b < i->function->blocks->len; b++)
    {
      const PhLlvmBlock *block = i->function->blocks->pdata[b];

      for (guint k = 0; k < block->instructions->len; k++)
        {
          const PhLlvmInstruction *instruction = block->instructions->pdata[k];

          if (instruction->result == NULL)
            continue;
          g_hash_table_add (i->exist, (gpointer) instruction->result);
          g_hash_table_add (i->taken, (gpointer) register_name (i, instruction->result));
        }
    }
  for (guint k = 0; k < i->function->parameters->len; k++)
    add_input (i, inputs, g_array_index (i->function->parameters, PhLlvmParameter, k).name,
               g_array_index (i->function->parameters, PhLlvmParameter, k).type);
  for (guint b = 0; unknown && b < i->function->blocks->len; b++)
    {
      const PhLlvmBlock *block = i->function->blocks->pdata[b];

      for (guint k = 0; k < block->instructions->len; k++)
        {
          const PhLlvmInstruction *instruction = block->instructions->pdata[k];

          for (guint o = 0; o < instruction->operands->len; o++)
            {
              const PhLlvmOperand *operand = &g_array_index (instruction->operands, PhLlvmOperand, o);

              if (operand->kind == PH_LLVM_VALUE && !g_hash_table_contains (i->exist, operand->text)
                  && !g_hash_table_contains (i->defined, operand->text))
                add_input (i, inputs, operand->text, operand->type);
            }
        }
    }
}

static void
value_clear (gpointer data)
{
  PhImportValue *value = data;

  g_clear_pointer (&value->tensor, ph_tensor_unref);
}

static gboolean
import_function (PhImporter *importer, PhGraph *graph, PhLlvmFunction *function, GHashTable *functions, GError **error)
{
  g_autoptr (GHashTable) defined = g_hash_table_new (g_str_hash, g_str_equal), exist = g_hash_table_new (g_str_hash, g_str_equal),
                         taken = g_hash_table_new (NULL, NULL), counts = g_hash_table_new (NULL, NULL),
                         blocks = g_hash_table_new (g_str_hash, g_str_equal), last = g_hash_table_new (NULL, NULL),
                         before = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (PhImportNode)),
                     inputs = g_array_new (FALSE, FALSE, sizeof (PhImportValue)),
                     constants = g_array_new (FALSE, FALSE, sizeof (PhImportValue)),
                     outputs = g_array_new (FALSE, FALSE, sizeof (PhImportValue));
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func (drop_array), memory = g_ptr_array_new_with_free_func (g_free),
                        back = g_ptr_array_new (), fixed = g_ptr_array_new (), incoming = g_ptr_array_new (), order = NULL;
  Import import = { importer, NULL,      function, defined, exist,  taken, counts, blocks,   last,
                    nodes,    constants, outputs,  owned,   memory, back,  fixed,  incoming, functions },
         *i = &import;

  g_array_set_clear_func (constants, value_clear);
  find_registers (i, inputs);
  ph_source_mark (importer->source, function, function->line, function->column);
  for (guint b = 0; b < function->blocks->len; b++)
    {
      PhLlvmBlock *block = function->blocks->pdata[b];

      if (!g_hash_table_insert (blocks, (gpointer) block->name, block))
        return ph_source_fail (importer->source, error, PH_ERROR_INVALID, function, "the function '%s' has two blocks '%s'",
                               function->name, block->name);
    }
  for (guint b = 0; b < function->blocks->len; b++)
    {
      PhLlvmBlock *block = function->blocks->pdata[b];
      const PhLlvmInstruction *end = block->instructions->len > 0 ? block->instructions->pdata[block->instructions->len - 1]
                                                                  : NULL;

      for (guint t = 0; end != NULL && end->targets != NULL && t < end->targets->len; t++)
        {
          PhLlvmBlock *to = g_hash_table_lookup (blocks, end->targets->pdata[t]);
          GPtrArray *list = to != NULL ? g_hash_table_lookup (before, to) : NULL;

          if (to == NULL)
            continue;
          if (list == NULL)
            g_hash_table_insert (before, to, list = g_ptr_array_new ());
          if (!g_ptr_array_find (list, block, NULL))
            g_ptr_array_add (list, block);
        }
    }
  order = order_blocks (i);
  function->in_order = order->len == function->blocks->len
                       && (order->len == 0
                           || memcmp (order->pdata, function->blocks->pdata, order->len * sizeof (gpointer)) == 0);
  for (guint b = 0; b < order->len; b++)
    add_block (i, order->pdata[b], g_hash_table_lookup (before, order->pdata[b]));
  /* An endless loop has no return: the last instruction is kept as the output. */
  if (outputs->len == 0 && nodes->len > 0)
    {
      PhImportValue output = { .name = g_array_index (nodes, PhImportNode, nodes->len - 1).outputs[0] };

      g_array_append_val (outputs, output);
    }
  return ph_import_graph (importer, graph,
                          &(PhImportGraph) { .name = ph_importer_name (importer, function->name),
                                             .inputs = (const PhImportValue *) (gpointer) inputs->data,
                                             .n_inputs = inputs->len,
                                             .constants = (const PhImportValue *) (gpointer) constants->data,
                                             .n_constants = constants->len,
                                             .nodes = (const PhImportNode *) (gpointer) nodes->data,
                                             .n_nodes = nodes->len,
                                             .outputs = (const PhImportValue *) (gpointer) outputs->data,
                                             .n_outputs = outputs->len },
                          error);
}

PhModel *
ph_llvm_model (PhSource *source, GPtrArray *functions, GHashTable *same, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GHashTable) others = g_hash_table_new (g_str_hash, g_str_equal);
  PhImporter importer = { source, model };
  guint first = 0;

  if (functions->len == 0)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL,
                      "no function in it has a body, so there is nothing to draw: 'define TYPE @NAME() { ... }' is one");
      return NULL;
    }
  for (guint i = 0; i < functions->len; i++)
    if (g_str_equal (((PhLlvmFunction *) functions->pdata[i])->name, "main"))
      first = i;
  ph_model_set_opset (model, "llvm", 1);
  for (guint i = 0; i < functions->len; i++)
    {
      PhLlvmFunction *function = functions->pdata[i];

      ph_source_mark (source, function, function->line, function->column);
      if (i == first)
        continue;
      if (!g_hash_table_insert (others, (gpointer) function->name, function))
        {
          ph_source_fail (source, error, PH_ERROR_INVALID, function, "the function '%s' is defined twice", function->name);
          return NULL;
        }
      if (ph_model_add_function (
              model,
              &(PhFunctionSpec) { .name = ph_importer_name (&importer, function->name), .domain = PH_LLVM_FUNCTION_DOMAIN },
              error)
          == NULL)
        return NULL;
    }
  model->graph->name = ph_importer_name (&importer, ((PhLlvmFunction *) functions->pdata[first])->name);
  for (guint i = 0; i < functions->len; i++)
    {
      PhLlvmFunction *function = functions->pdata[i];
      PhFunction *into = i != first ? ph_model_find_function (model, PH_LLVM_FUNCTION_DOMAIN,
                                                              ph_importer_name (&importer, function->name))
                                    : NULL;

      if (same != NULL && g_hash_table_contains (same, function))
        ph_graph_set_as_before (into != NULL ? into->graph : model->graph);
      else if (!import_function (&importer, into != NULL ? into->graph : model->graph, function, others, error))
        return NULL;
    }
  return g_steal_pointer (&model);
}
