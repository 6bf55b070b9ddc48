/* statement.c: the statements of PyTorch's code as nodes: branches and loops as prim's If and Loop with bodies, as TorchScript has them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/torch.h"

static PhTorchScope
inner_scope (PhTorchScope *outer, PhSketchGraph *graph)
{
  PhTorchScope scope = *outer;
  GHashTableIter iter;
  gpointer name, val;

  scope.graph = graph;
  scope.returned = FALSE;
  scope.result = NULL;
  scope.names = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_iter_init (&iter, outer->names);
  while (g_hash_table_iter_next (&iter, &name, &val))
    g_hash_table_insert (scope.names, name, val);
  return scope;
}

static gint
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

void
ph_torch_output (PhTorchScope *scope, PhTorchVal *val)
{
  if (val->items != NULL)
    for (guint i = 0; i < val->items->len; i++)
      {
        PhTorchVal *item = val->items->pdata[i];

        if (item->kind != PH_TORCH_LITERAL || !ph_py_is_none (item->py))
          ph_torch_output (scope, item);
      }
  else if (val->kind != PH_TORCH_LITERAL || !ph_py_is_none (val->py))
    {
      PhPy at = { .line = 1, .column = 1 };

      ph_sketch_add_output (scope->graph, ph_torch_as_value (scope, &at, val), NULL);
    }
}

static gboolean
lower_if (PhTorchScope *scope, const PhPy *py)
{
  PhTorch *torch = scope->torch;
  PhTorchVal *test = ph_torch_expr (scope, py->items[0], NULL, NULL);
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();
  PhTorchScope inner[2];
  PhSketchNode *node;
  GHashTableIter iter;
  gpointer name, val;
  gboolean ok = TRUE;

  if (test == NULL)
    return FALSE;
  if (test->kind == PH_TORCH_LITERAL && test->py->kind == PH_PY_CONSTANT)
    return test->py->text[0] == 'T' ? ph_torch_block (scope, py->body, py->n_body) : ph_torch_block (scope, py->orelse, py->n_orelse);
  node = ph_sketch_add_node (scope->graph, "If", PH_TORCH_PRIM, scope->file == NULL ? py->line : 0, py->column);
  ph_sketch_node_input (node, ph_torch_as_value (scope, py, test));
  /* A constant that is made for the condition stands before the node. */
  for (guint branch = 0; branch < 2; branch++)
    {
      inner[branch] = inner_scope (scope, ph_sketch_add_body (node, branch == 0 ? "then_branch" : "else_branch"));
      ok = ok && ph_torch_block (&inner[branch], branch == 0 ? py->body : py->orelse, branch == 0 ? py->n_body : py->n_orelse);
    }
  g_hash_table_iter_init (&iter, inner[0].names);
  while (ok && g_hash_table_iter_next (&iter, &name, &val))
    {
      PhTorchVal *other = g_hash_table_lookup (inner[1].names, name);

      if (other != NULL && other != val && (val != g_hash_table_lookup (scope->names, name) || other != g_hash_table_lookup (scope->names, name)))
        g_ptr_array_add (changed, name);
    }
  g_ptr_array_sort (changed, by_name);
  for (guint i = 0; i < changed->len; i++)
    {
      const PhType *type = NULL;

      for (guint branch = 0; branch < 2; branch++)
        {
          const char *value = ph_torch_as_value (&inner[branch], py, g_hash_table_lookup (inner[branch].names, changed->pdata[i]));

          ph_sketch_add_output (inner[branch].graph, value, NULL);
          type = branch == 0 ? ph_sketch_type (scope->graph, value) : type == ph_sketch_type (scope->graph, value) ? type : NULL;
        }
      g_hash_table_insert (scope->names, changed->pdata[i], ph_torch_value (torch, ph_sketch_node_output (node, changed->pdata[i], type)));
    }
  if (ok && inner[0].returned && inner[1].returned && inner[0].result != NULL && inner[1].result != NULL)
    {
      for (guint branch = 0; branch < 2; branch++)
        ph_sketch_add_output (inner[branch].graph, ph_torch_as_value (&inner[branch], py, inner[branch].result), NULL);
      scope->result = ph_torch_value (torch, ph_sketch_node_output (node, "result", NULL));
      scope->returned = TRUE;
    }
  if (node->outputs->len == 0)
    ph_sketch_node_output (node, "if", NULL);
  for (guint branch = 0; branch < 2; branch++)
    {
      if (inner[branch].graph->outputs->len == 0 && inner[branch].graph->nodes->len > 0 && ok)
        {
          PhSketchNode *last = inner[branch].graph->nodes->pdata[inner[branch].graph->nodes->len - 1];

          ph_sketch_add_output (inner[branch].graph, last->outputs->pdata[0], NULL);
        }
      g_hash_table_unref (inner[branch].names);
    }
  return ok;
}

/* The names that statements of @body set. */
static void
collect_targets (PhPy *const *body, guint n, GHashTable *into)
{
  for (guint i = 0; i < n; i++)
    {
      const PhPy *py = body[i];

      if (py->kind == PH_PY_ASSIGN || py->kind == PH_PY_ANNOTATED || py->kind == PH_PY_AUGMENTED)
        for (guint t = 0; t + 1 < MAX (py->n, 2) && t < (py->kind == PH_PY_ASSIGN ? py->n - 1 : 1); t++)
          {
            const PhPy *target = py->items[t];

            if (target->kind == PH_PY_NAME)
              g_hash_table_add (into, (gpointer) target->text);
            for (guint k = 0; target->kind == PH_PY_TUPLE && k < target->n; k++)
              if (target->items[k]->kind == PH_PY_NAME)
                g_hash_table_add (into, (gpointer) target->items[k]->text);
          }
      collect_targets (py->body, py->n_body, into);
      collect_targets (py->orelse, py->n_orelse, into);
    }
}

/* while test: ..., for i in range (n): ... */
static gboolean
lower_loop (PhTorchScope *scope, const PhPy *py)
{
  PhTorch *torch = scope->torch;
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) carried = g_ptr_array_new ();
  const gboolean range = py->kind == PH_PY_FOR;
  PhTorchVal *test, *count, *after;
  PhTorchScope inner;
  PhSketchNode *node;
  PhSketchGraph *body;
  GHashTableIter iter;
  gpointer name;
  const char *index, *first, *second;
  gboolean ok;

  if (range)
    {
      const PhPy *call = py->items[1], *bound = call->kind == PH_PY_CALL && call->n >= 2 ? call->items[1] : NULL;

      if (bound == NULL || call->n != 2 || !ph_py_is_name (call->items[0], "range") || py->items[0]->kind != PH_PY_NAME)
        return ph_source_fail (torch->source, torch->error, PH_ERROR_UNSUPPORTED, NULL, "%s:%u: a loop over something else than range (n) is not read",
                               scope->file != NULL ? scope->file : "line", py->line);
      if ((count = ph_torch_expr (scope, bound, NULL, NULL)) == NULL)
        return FALSE;
      test = ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "True"));
    }
  else
    {
      PhPy *most = ph_torch_new_literal (torch, PH_PY_INT, "9223372036854775807");

      most->i = G_MAXINT64;
      count = ph_torch_literal (torch, most);
      if ((test = ph_torch_expr (scope, py->items[0], NULL, NULL)) == NULL)
        return FALSE;
    }
  collect_targets (py->body, py->n_body, set);
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_hash_table_contains (scope->names, name) && (range || !ph_py_is_name (py->items[0], name)))
      {
        const PhTorchVal *before = g_hash_table_lookup (scope->names, name);

        if (before->kind != PH_TORCH_MODULE && before->kind != PH_TORCH_UNKNOWN)
          g_ptr_array_add (carried, name);
      }
  g_ptr_array_sort (carried, by_name);
  first = ph_torch_as_value (scope, py, count);
  second = ph_torch_as_value (scope, py, test);
  {
    g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

    for (guint i = 0; i < carried->len; i++)
      g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (scope, py, g_hash_table_lookup (scope->names, carried->pdata[i])));
    node = ph_sketch_add_node (scope->graph, "Loop", PH_TORCH_PRIM, scope->file == NULL ? py->line : 0, py->column);
    ph_sketch_node_input (node, first);
    ph_sketch_node_input (node, second);
    for (guint i = 0; i < inputs->len; i++)
      ph_sketch_node_input (node, inputs->pdata[i]);
    body = ph_sketch_add_body (node, "body");
    inner = inner_scope (scope, body);
    index = ph_sketch_add_input (body, range ? py->items[0]->text : "i", ph_type_tensor (PH_INT64, 0, NULL));
    ph_sketch_add_input (body, "condition", ph_type_tensor (PH_BOOL, 0, NULL));       /* so that it is as ONNX's Loop has it */
    if (range)
      g_hash_table_insert (inner.names, (gpointer) py->items[0]->text, ph_torch_value (torch, index));
    for (guint i = 0; i < carried->len; i++)
      {
        const PhType *type = ph_sketch_type (scope->graph, inputs->pdata[i]);

        g_hash_table_insert (inner.names, carried->pdata[i], ph_torch_value (torch, ph_sketch_add_input (body, carried->pdata[i], type != NULL && type->rank == 0 && type->has_rank ? type : NULL)));
      }
  }
  ok = ph_torch_block (&inner, py->body, py->n_body);
  if (ok && (after = range ? test : ph_torch_expr (&inner, py->items[0], NULL, NULL)) != NULL)
    {
      ph_sketch_add_output (body, ph_torch_as_value (&inner, py, after), NULL);
      for (guint i = 0; i < carried->len; i++)
        {
          const char *value = ph_torch_as_value (&inner, py, g_hash_table_lookup (inner.names, carried->pdata[i]));
          const PhType *type = ph_sketch_type (scope->graph, value);

          ph_sketch_add_output (body, value, NULL);
          g_hash_table_insert (scope->names, carried->pdata[i], ph_torch_value (torch, ph_sketch_node_output (node, carried->pdata[i], type != NULL && type->has_rank && type->rank == 0 ? type : NULL)));
        }
      if (!range && py->items[0]->kind == PH_PY_NAME)
        g_hash_table_insert (scope->names, (gpointer) py->items[0]->text, ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "False")));
    }
  else
    ok = FALSE;
  if (node->outputs->len == 0)
    ph_sketch_node_output (node, "loop", NULL);
  g_hash_table_unref (inner.names);
  return ok;
}

static gboolean
assign (PhTorchScope *scope, const PhPy *target, PhTorchVal *val)
{
  if (target->kind == PH_PY_NAME)
    g_hash_table_insert (scope->names, (gpointer) target->text, val);
  else if ((target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST) && val->items != NULL && val->items->len == target->n)
    for (guint i = 0; i < target->n; i++)
      {
        if (!assign (scope, target->items[i], val->items->pdata[i]))
          return FALSE;
      }
  else if (target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST)
    {
      PhSketchNode *node = ph_sketch_add_node (scope->graph, "TupleUnpack", PH_TORCH_PRIM, scope->file == NULL ? target->line : 0, target->column);

      ph_sketch_node_input (node, ph_torch_as_value (scope, target, val));
      for (guint i = 0; i < target->n; i++)
        {
          const PhPy *each = target->items[i];
          const char *output = ph_sketch_node_output (node, each->kind == PH_PY_NAME ? each->text : "_", NULL);

          if (each->kind == PH_PY_NAME)
            g_hash_table_insert (scope->names, (gpointer) each->text, ph_torch_value (scope->torch, output));
        }
      if (target->n == 0)
        ph_sketch_node_output (node, "_", NULL);
    }
  return TRUE;
}

static gboolean
lower_assignment (PhTorchScope *scope, const PhPy *py)
{
  const PhPy *target = py->items[0], *value = py->items[py->n - 1];
  PhTorchVal *val;

  if (target->kind == PH_PY_TUPLE && value->kind == PH_PY_CALL)
    {
      g_autofree const char **names = g_new0 (const char *, target->n + 1);

      for (guint i = 0; i < target->n; i++)
        names[i] = target->items[i]->kind == PH_PY_NAME ? target->items[i]->text : NULL;
      if (target->n == 1)
        val = ph_torch_expr (scope, value, names[0], NULL);
      else
        val = ph_torch_results (scope, value, names, target->n);
      if (val != NULL && target->n == 1 && val->items == NULL)
        return assign (scope, target->items[0], val);
    }
  else
    val = ph_torch_expr (scope, value, target->kind == PH_PY_NAME ? target->text : NULL, NULL);
  for (guint i = 0; val != NULL && i + 1 < py->n; i++)
    assign (scope, py->items[i], val);
  return val != NULL;
}

static const PhType *
annotation (PhTorchScope *scope, const PhPy *py)
{
  if (py == NULL)
    return NULL;
  if (py->kind == PH_PY_STRING)
    return ph_torch_fx_type (py->text);
  return py->kind == PH_PY_NAME ? ph_torch_script_type (py->text) : NULL;
}

/* x, y, = fx_pytree.tree_flatten_spec (...): the inputs of an exported module. */
static gboolean
is_flatten (const PhPy *value)
{
  g_autofree char *name = value->kind == PH_PY_CALL ? ph_py_dotted (value->items[0]) : NULL;

  return name != NULL && g_str_has_suffix (name, "tree_flatten_spec");
}

static gboolean
lower_statement (PhTorchScope *scope, const PhPy *py)
{
  PhTorchVal *val;

  if (py->comment != NULL && (strstr (py->comment, "File: ") != NULL || strstr (py->comment, "No stacktrace") != NULL))
    scope->place = py->comment;
  switch (py->kind)
    {
    case PH_PY_ASSIGN:
      if (is_flatten (py->items[py->n - 1]))
        {
          const PhPy *target = py->items[0];

          for (guint i = 0; i < (target->kind == PH_PY_TUPLE ? target->n : 1); i++)
            {
              const PhPy *each = target->kind == PH_PY_TUPLE ? target->items[i] : target;
              PhTorchVal *known = each->kind == PH_PY_NAME ? g_hash_table_lookup (scope->names, each->text) : NULL;

              if (each->kind == PH_PY_NAME && (known == NULL || known->kind != PH_TORCH_VALUE))
                g_hash_table_insert (scope->names, (gpointer) each->text, ph_torch_value (scope->torch, ph_sketch_add_input (scope->graph, each->text, NULL)));
            }
          return TRUE;
        }
      return lower_assignment (scope, py);
    case PH_PY_ANNOTATED:
      if (py->items[0]->kind != PH_PY_NAME)
        return TRUE;
      if (py->items[2] == NULL)                      /* x: "f32[3]": what tree_flatten_spec gives below */
        {
          if (py->items[1]->kind == PH_PY_STRING && scope->torch->zip == NULL && !g_hash_table_contains (scope->names, py->items[0]->text))
            g_hash_table_insert (scope->names, (gpointer) py->items[0]->text,
                                 ph_torch_value (scope->torch, ph_sketch_add_input (scope->graph, py->items[0]->text, annotation (scope, py->items[1]))));
          return TRUE;
        }
      if ((val = ph_torch_expr (scope, py->items[2], py->items[0]->text, annotation (scope, py->items[1]))) == NULL)
        return FALSE;
      return assign (scope, py->items[0], val);
    case PH_PY_AUGMENTED:
      {
        PhPy call = { .kind = PH_PY_BINARY, .line = py->line, .column = py->column, .text = py->text, .items = py->items, .n = 2 };
        const char *name = py->items[0]->kind == PH_PY_NAME ? py->items[0]->text : NULL;

        return (val = ph_torch_expr (scope, &call, name, NULL)) != NULL && (name == NULL || assign (scope, py->items[0], val));
      }
    case PH_PY_EXPRESSION: return py->items[0]->kind == PH_PY_STRING || ph_torch_expr (scope, py->items[0], NULL, NULL) != NULL;
    case PH_PY_IF: return lower_if (scope, py);
    case PH_PY_WHILE: case PH_PY_FOR: return lower_loop (scope, py);
    case PH_PY_WITH: return ph_torch_block (scope, py->body, py->n_body);
    case PH_PY_RETURN:
      scope->returned = TRUE;
      if (py->n == 0)
        return TRUE;
      return (scope->result = ph_torch_expr (scope, py->items[0], NULL, NULL)) != NULL;
    default:
      return TRUE;
    }
}

gboolean
ph_torch_block (PhTorchScope *scope, PhPy *const *body, guint n)
{
  for (guint i = 0; i < n && !scope->returned; i++)
    if (!lower_statement (scope, body[i]))
      return FALSE;
  return TRUE;
}
