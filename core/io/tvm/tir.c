/* tir.c: builds graphs from TIR functions. A loop, block or branch is a node with a body; a store is a node with the buffer as its output,
 * on which later readers depend; the source line is kept as the attribute "text".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/script.h"

static void lower_block (PhTvmScope *scope, PhPy *const *body, guint n);

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
add_uses (PhTvmScope *scope, PhSketchNode *node, const PhPy *py)
{
  const char *value;

  if (py == NULL)
    return;
  if (py->kind == PH_PY_NAME && (value = ph_tvm_find (scope, py->text)) != NULL && !g_ptr_array_find (node->inputs, value, NULL))
    ph_sketch_node_input (node, value);
  for (guint i = 0; i < py->n; i++)
    add_uses (scope, node, py->items[i]);
}

static void
add_text (PhSketchNode *node, const char *name, const PhPy *py)
{
  g_autofree char *text = ph_py_to_string (py);

  ph_sketch_node_text (node, name, text);
}

static PhSketchNode *
add_node (PhTvmScope *scope, const PhPy *at, const char *op)
{
  return ph_sketch_add_node (scope->graph, op, PH_TVM_TIR, at->line, at->column);
}

static void
store (PhTvmScope *scope, const PhPy *py, const PhPy *target)
{
  const PhPy *buffer = target->items[0];
  const char *before = buffer->kind == PH_PY_NAME ? ph_tvm_find (scope, buffer->text) : NULL, *after;
  PhSketchNode *node = add_node (scope, py, "store");

  if (before != NULL)
    ph_sketch_node_input (node, before);
  for (guint i = 0; i < py->n; i++)
    add_uses (scope, node, py->items[i]);
  add_text (node, "text", py);
  after = ph_sketch_node_output (node, buffer->kind == PH_PY_NAME ? buffer->text : "store",
                                 ph_sketch_type (scope->graph, before));
  if (buffer->kind == PH_PY_NAME)
    ph_tvm_bind (scope, buffer->text, after);
}

/* Adds a node for a call, whether or not its result gets a name. */
static void
statement_call (PhTvmScope *scope, const PhPy *at, const PhPy *value, const char *name, const PhType *type)
{
  g_autofree char *op = value->kind == PH_PY_CALL ? ph_tvm_op_name (value->items[0]) : g_strdup ("let");
  PhSketchNode *node = add_node (scope, at, op);
  const char *output;

  add_uses (scope, node, value);
  add_text (node, "text", value);
  output = ph_sketch_node_output (node,
                                  name != NULL                ? name
                                  : strrchr (op, '.') != NULL ? strrchr (op, '.') + 1
                                                              : op,
                                  type != NULL ? type : ph_tvm_type (value));
  if (name != NULL)
    ph_tvm_bind (scope, name, output);
  else
    ph_tvm_effect (scope, node);
}

/* Reads vi, vj = T.axis.remap("SS", [i, j]): each depends on its loop's variable. */
static void
remap (PhTvmScope *scope, const PhPy *py, const PhPy *targets, const PhPy *value)
{
  const PhPy *kinds = ph_py_argument (value, 0, NULL), *from = ph_py_argument (value, 1, NULL);
  const gboolean pairs = kinds != NULL && kinds->kind == PH_PY_STRING && from != NULL
                         && (from->kind == PH_PY_LIST || from->kind == PH_PY_TUPLE) && from->n == targets->n;

  for (guint i = 0; i < targets->n; i++)
    {
      const char kind = pairs && strlen (kinds->text) == targets->n ? kinds->text[i] : '\0';
      PhSketchNode *node = add_node (scope, py, kind == 'S' ? "axis.spatial" : kind == 'R' ? "axis.reduce" : "axis");

      add_uses (scope, node, pairs ? from->items[i] : value);
      add_text (node, "text", pairs ? from->items[i] : value);
      if (targets->items[i]->kind == PH_PY_NAME)
        ph_tvm_bind (scope, targets->items[i]->text,
                     ph_sketch_node_output (node, targets->items[i]->text, ph_type_tensor (PH_INT32, 0, NULL)));
      else
        ph_sketch_node_output (node, "axis", NULL);
    }
}

/* Makes the names that @inner has rebound outputs of @node and of its body. */
static void
carry_out (PhTvmScope *scope, PhSketchNode *node, PhTvmScope *inners, guint n, const char *base)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name, value;

  for (guint i = 0; i < n; i++)
    {
      g_hash_table_iter_init (&iter, scope->names);
      while (g_hash_table_iter_next (&iter, &name, &value))
        if (g_hash_table_lookup (inners[i].names, name) != value
            && !g_ptr_array_find_with_equal_func (changed, name, g_str_equal, NULL))
          g_ptr_array_add (changed, name);
    }
  g_ptr_array_sort (changed, by_name);
  for (guint c = 0; c < changed->len; c++)
    {
      const char *text = changed->pdata[c], *before = ph_tvm_find (scope, text);

      for (guint i = 0; i < n; i++)
        ph_sketch_add_output (inners[i].graph, ph_tvm_find (&inners[i], text));
      ph_tvm_bind (scope, text, ph_sketch_node_output (node, text, ph_sketch_type (scope->graph, before)));
    }
  if (node->outputs->len == 0)
    {
      for (guint i = 0; i < n; i++)
        if (inners[i].graph->nodes->len > 0)
          {
            PhSketchNode *last = inners[i].graph->nodes->pdata[inners[i].graph->nodes->len - 1];

            if (last->outputs->len > 0 && n == 1)
              ph_sketch_add_output (inners[i].graph, last->outputs->pdata[0]);
          }
      ph_sketch_node_output (node, base, NULL);
      ph_tvm_effect (scope, node);
    }
  for (guint i = 0; i < n; i++)
    {
      g_hash_table_unref (inners[i].names);
      g_ptr_array_unref (inners[i].effects);
    }
}

static void
lower_for (PhTvmScope *scope, const PhPy *py)
{
  g_autofree char *kind = py->items[1]->kind == PH_PY_CALL ? ph_tvm_op_name (py->items[1]->items[0]) : g_strdup ("in");
  PhSketchNode *node = add_node (scope, py, "for");
  PhSketchGraph *body = ph_sketch_add_body (node, "body");
  PhTvmScope inner;
  const PhPy *target = py->items[0];

  add_uses (scope, node, py->items[1]);
  add_text (node, "vars", target);
  ph_sketch_node_text (node, "kind", kind);
  add_text (node, "over", py->items[1]);
  ph_tvm_scope_init (&inner, scope->tvm, scope, body);
  for (guint i = 0; i < (target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST ? target->n : 1); i++)
    {
      const PhPy *variable = target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST ? target->items[i] : target;

      if (variable->kind == PH_PY_NAME)
        {
          const char *name = ph_sketch_add_input (body, variable->text, ph_type_tensor (PH_INT32, 0, NULL));

          g_hash_table_insert (inner.names, (gpointer) variable->text, (gpointer) name);
        }
    }
  lower_block (&inner, py->body, py->n_body);
  for (guint i = 0; i < (target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST ? target->n : 1); i++)
    {
      const PhPy *variable = target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST ? target->items[i] : target;
      const char *outside = variable->kind == PH_PY_NAME ? ph_tvm_find (scope, variable->text) : NULL;

      if (outside != NULL)
        g_hash_table_insert (inner.names, (gpointer) variable->text, (gpointer) outside);
    }
  carry_out (scope, node, &inner, 1, "for");
}

static void
lower_with (PhTvmScope *scope, const PhPy *py)
{
  const PhPy *context = py->items[0];
  g_autofree char *op = context->kind == PH_PY_CALL ? ph_tvm_op_name (context->items[0]) : g_strdup ("with");
  PhSketchNode *node = add_node (scope, py, op);
  PhTvmScope inner;

  for (guint i = 0; i < py->n; i += 2)
    add_uses (scope, node, py->items[i]);
  if (g_str_equal (op, "block") || g_str_equal (op, "sblock"))
    {
      const PhPy *label = ph_py_argument (context, 0, "name");

      if (label != NULL && label->kind == PH_PY_STRING)
        ph_sketch_node_text (node, "name", label->text);
    }
  else
    add_text (node, "text", context);
  ph_tvm_scope_init (&inner, scope->tvm, scope, ph_sketch_add_body (node, "body"));
  for (guint i = 1; i < py->n; i += 2)
    if (py->items[i] != NULL && py->items[i]->kind == PH_PY_NAME)
      {
        const char *name = ph_sketch_add_input (inner.graph, py->items[i]->text, ph_tvm_type (py->items[i - 1]));

        g_hash_table_insert (inner.names, (gpointer) py->items[i]->text, (gpointer) name);
      }
  /* The buffers that a block reads and writes become attributes, as do its own. */
  for (guint i = 0; i < py->n_body; i++)
    {
      const PhPy *call = py->body[i]->kind == PH_PY_EXPRESSION ? py->body[i]->items[0] : NULL;
      g_autofree char *name = call != NULL && call->kind == PH_PY_CALL ? ph_tvm_op_name (call->items[0]) : NULL;

      if (name != NULL && (g_str_equal (name, "reads") || g_str_equal (name, "writes") || g_str_equal (name, "where")))
        add_text (node, name, call);
      else if (name != NULL && (g_str_equal (name, "sblock_attr") || g_str_equal (name, "block_attr")))
        ph_tvm_dict_attrs (node, ph_py_argument (call, 0, NULL));
      else
        lower_block (&inner, &py->body[i], 1);
    }
  carry_out (scope, node, &inner, 1, strrchr (op, '.') != NULL ? strrchr (op, '.') + 1 : op);
}

static void
lower_branches (PhTvmScope *scope, const PhPy *py)
{
  const gboolean loop = py->kind == PH_PY_WHILE;
  PhSketchNode *node = add_node (scope, py, loop ? "while" : "if");
  PhTvmScope inners[2];

  add_uses (scope, node, py->items[0]);
  add_text (node, "text", py->items[0]);
  ph_tvm_scope_init (&inners[0], scope->tvm, scope, ph_sketch_add_body (node, loop ? "body" : "then"));
  lower_block (&inners[0], py->body, py->n_body);
  if (!loop)
    {
      ph_tvm_scope_init (&inners[1], scope->tvm, scope, ph_sketch_add_body (node, "else"));
      lower_block (&inners[1], py->orelse, py->n_orelse);
    }
  carry_out (scope, node, inners, loop ? 1 : 2, loop ? "while" : "if");
}

static void
lower_statement (PhTvmScope *scope, const PhPy *py)
{
  const PhPy *target, *value;

  switch (py->kind)
    {
    case PH_PY_ASSIGN:
    case PH_PY_ANNOTATED:
      target = py->items[0];
      value = py->kind == PH_PY_ASSIGN ? py->items[py->n - 1] : py->items[2];
      if (target->kind == PH_PY_SUBSCRIPT)
        store (scope, py, target);
      else if (target->kind == PH_PY_TUPLE && value != NULL)
        remap (scope, py, target, value);
      else if (target->kind == PH_PY_NAME)
        statement_call (scope, py, value != NULL ? value : py->items[1], target->text,
                        py->kind == PH_PY_ANNOTATED ? ph_tvm_type (py->items[1]) : NULL);
      break;
    case PH_PY_AUGMENTED:
      if (py->items[0]->kind == PH_PY_SUBSCRIPT)
        store (scope, py, py->items[0]);
      break;
    case PH_PY_EXPRESSION:
      if (ph_tvm_function_attrs (py) == NULL)
        statement_call (scope, py, py->items[0], NULL, NULL);
      break;
    case PH_PY_RETURN:
      if (py->n > 0 && !scope->returned)
        {
          PhSketchNode *node = add_node (scope, py, "return");

          add_uses (scope, node, py->items[0]);
          add_text (node, "text", py->items[0]);
          ph_sketch_add_output (scope->graph, ph_sketch_node_output (node, "return", NULL));
          scope->returned = TRUE;
        }
      break;
    case PH_PY_FOR: lower_for (scope, py); break;
    case PH_PY_WITH: lower_with (scope, py); break;
    case PH_PY_IF:
    case PH_PY_WHILE: lower_branches (scope, py); break;
    case PH_PY_ASSERT:
    case PH_PY_DELETE:
    case PH_PY_RAISE:
    case PH_PY_BREAK:
    case PH_PY_CONTINUE:
      {
        PhSketchNode *node = add_node (scope, py, py->kind == PH_PY_ASSERT ? "assert" : "statement");

        add_text (node, "text", py);
        ph_sketch_node_output (node, "statement", NULL);
        ph_tvm_effect (scope, node);
      }
      break;
    default: break;
    }
}

static void
lower_block (PhTvmScope *scope, PhPy *const *body, guint n)
{
  for (guint i = 0; i < n; i++)
    lower_statement (scope, body[i]);
}

void
ph_tvm_add_tir (PhTvm *tvm, PhSketchGraph *graph, const PhPy *def)
{
  PhTvmScope scope;
  g_autoptr (GHashTable) inputs = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  g_autoptr (GPtrArray) written = g_ptr_array_new ();
  gpointer name, value;
  gboolean returned;

  ph_tvm_scope_init (&scope, tvm, NULL, graph);
  for (guint i = 0; i < def->n; i++)
    {
      const char *input = ph_sketch_add_input (graph, def->items[i]->text, ph_tvm_type (def->items[i]->items[0]));

      ph_tvm_bind (&scope, def->items[i]->text, input);
      g_hash_table_insert (inputs, (gpointer) def->items[i]->text, (gpointer) input);
    }
  lower_block (&scope, def->body, def->n_body);
  returned = scope.returned;
  /* The function returns the buffers that it wrote: its own in the order of the parameters, then those matched to them. */
  for (guint i = 0; !returned && i < def->n; i++)
    if (ph_tvm_find (&scope, def->items[i]->text) != g_hash_table_lookup (inputs, def->items[i]->text))
      {
        ph_sketch_add_output (graph, ph_tvm_find (&scope, def->items[i]->text));
        scope.returned = TRUE;
      }
  if (graph->outputs->len == 0)
    {
      g_hash_table_iter_init (&iter, scope.names);
      while (g_hash_table_iter_next (&iter, &name, &value))
        if (!g_hash_table_contains (inputs, name) && !g_str_equal (name, value)) /* it was set more than once */
          g_ptr_array_add (written, name);
      g_ptr_array_sort (written, by_name);
      for (guint i = 0; i < written->len; i++)
        ph_sketch_add_output (graph, ph_tvm_find (&scope, written->pdata[i]));
    }
  if (graph->outputs->len == 0 && graph->nodes->len > 0)
    {
      const PhSketchNode *last = graph->nodes->pdata[graph->nodes->len - 1];

      if (last->outputs->len > 0)
        ph_sketch_add_output (graph, last->outputs->pdata[0]);
    }
  g_hash_table_unref (scope.names);
  g_ptr_array_unref (scope.effects);
}
