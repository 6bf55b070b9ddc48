/* loop.c: loops of PyTorch's code as prim's Loop, whose body takes and gives what the loop changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/alias.h"
#include "core/io/torch/branch.h"
#include "core/io/torch/torch.h"

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

static gboolean
leaves (PhPy *const *body, guint n)
{
  for (guint i = 0; i < n; i++)
    if (body[i]->kind == PH_PY_BREAK || body[i]->kind == PH_PY_CONTINUE
        || (body[i]->kind != PH_PY_FOR && body[i]->kind != PH_PY_WHILE
            && (leaves (body[i]->body, body[i]->n_body) || leaves (body[i]->orelse, body[i]->n_orelse))))
      return TRUE;
  return FALSE;
}

/* A list that the body changes is a value from here on: how long it will be is not known. */
static void
lists_to_values (PhTorchScope *scope, const PhPy *at, GHashTable *written)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, written);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      PhTorchVal *val = g_hash_table_lookup (scope->names, name);

      if (val == NULL || val->kind != PH_TORCH_LIST || val->graph != scope->graph)
        continue;
      val->name = ph_torch_as_value (scope, at, val);
      val->kind = PH_TORCH_VALUE;
      val->items = NULL;
    }
}

#define MOST_TURNS 64
#define MOST_WORK  2000000

static gboolean
names_list (PhTorchScope *scope, const PhPy *py, guint depth)
{
  const PhTorchVal *val = py != NULL && py->kind == PH_PY_NAME ? g_hash_table_lookup (scope->names, py->text) : NULL;
  gboolean found = val != NULL && (val->kind == PH_TORCH_LIST || (val->kind == PH_TORCH_TUPLE && val->py != NULL));

  for (guint i = 0; py != NULL && !found && depth < PH_PY_MAX_DEPTH && i < py->n; i++)
    found = names_list (scope, py->items[i], depth + 1);
  return found;
}

/* Statements that name a list or a dictionary whose elements are known: they stay known where the loop is written out. */
static gboolean
uses_lists (PhTorchScope *scope, PhPy *const *body, guint n, guint depth)
{
  for (guint i = 0; i < n; i++)
    if (names_list (scope, body[i], 0)
        || (depth < PH_PY_MAX_DEPTH
            && (uses_lists (scope, body[i]->body, body[i]->n_body, depth + 1)
                || uses_lists (scope, body[i]->orelse, body[i]->n_orelse, depth + 1))))
      return TRUE;
  return FALSE;
}

/* while test: ..., for i in range (n): ... */
gboolean
ph_torch_loop (PhTorchScope *scope, const PhPy *py)
{
  PhTorch *torch = scope->torch;
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) carried = g_ptr_array_new ();
  const gboolean range = py->kind == PH_PY_FOR;
  g_autoptr (GPtrArray) objects = NULL, own = g_ptr_array_new ();
  g_autoptr (GHashTable) written = g_hash_table_new (g_str_hash, g_str_equal);
  PhTorchVal *test, *count, *after;
  PhTorchScope inner;
  PhSketchNode *node;
  PhSketchGraph *body;
  GHashTableIter iter;
  gpointer name;
  const char *index, *first, *second;
  gint64 turns;
  gboolean ok;

  if (ph_torch_returns (py->body, py->n_body))
    return ph_torch_fail (
        scope, py,
        "a loop from whose middle a function returns is not read: keep the result in a variable and leave the loop by its condition");
  if (py->n_orelse > 0 || leaves (py->body, py->n_body))
    return ph_torch_fail (scope, py, "a loop with break, continue or else is not read: leave it by its condition");
  if (range)
    {
      const PhPy *call = py->items[1], *bound = call->kind == PH_PY_CALL && call->n >= 2 ? call->items[1] : NULL;

      if (bound == NULL || call->n != 2 || !ph_py_is_name (call->items[0], "range") || py->items[0]->kind != PH_PY_NAME)
        return ph_source_fail (torch->source, torch->error, PH_ERROR_UNSUPPORTED, NULL,
                               "%s:%u: a loop over something else than range (n) is not read",
                               scope->file != NULL ? scope->file : "line", py->line);
      if ((count = ph_torch_expr (scope, bound, NULL, NULL)) == NULL)
        return FALSE;
      if (ph_torch_is_int (count, &turns) && turns >= 0 && turns <= MOST_TURNS && uses_lists (scope, py->body, py->n_body, 0))
        {
          for (gint64 i = 0; i < turns; i++)
            {
              torch->work += py->n_body;
              g_hash_table_insert (scope->names, (gpointer) py->items[0]->text, ph_torch_int (torch, i));
              if (torch->work > MOST_WORK)
                return ph_torch_fail (scope, py, "its loops go round too often for their lists to be followed");
              if (!ph_torch_block (scope, py->body, py->n_body))
                return FALSE;
            }
          return TRUE;
        }
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
  ph_torch_written (py->body, py->n_body, written);
  lists_to_values (scope, py, written);
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_hash_table_remove (written, name); /* carried anyway */
  objects = ph_torch_objects_written (scope, written);
  g_ptr_array_sort (objects, ph_torch_by_value);
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_hash_table_contains (scope->names, name) && (range || !ph_py_is_name (py->items[0], name)))
      {
        const PhTorchVal *before = g_hash_table_lookup (scope->names, name);

        if (before->kind != PH_TORCH_MODULE && before->kind != PH_TORCH_UNKNOWN)
          g_ptr_array_add (carried, name);
      }
  g_ptr_array_sort (carried, ph_torch_by_name);
  first = ph_torch_as_value (scope, py, count);
  second = ph_torch_as_value (scope, py, test);
  {
    g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

    for (guint i = 0; i < carried->len; i++)
      g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (scope, py, g_hash_table_lookup (scope->names, carried->pdata[i])));
    for (guint i = 0; i < objects->len; i++)
      g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (scope, py, objects->pdata[i]));
    node = ph_sketch_add_node (scope->graph, "Loop", PH_TORCH_PRIM, scope->file == NULL ? py->line : 0, py->column);
    ph_sketch_node_input (node, first);
    ph_sketch_node_input (node, second);
    for (guint i = 0; i < inputs->len; i++)
      ph_sketch_node_input (node, inputs->pdata[i]);
    body = ph_sketch_add_body (node, "body");
    inner = ph_torch_inner_scope (scope, body);
    torch->graph = body;
    index = ph_sketch_add_input (body, range ? py->items[0]->text : "i", ph_type_tensor (PH_INT64, 0, NULL));
    ph_sketch_add_input (body, "condition", ph_type_tensor (PH_BOOL, 0, NULL)); /* so that it is as ONNX's Loop has it */
    if (range)
      g_hash_table_insert (inner.names, (gpointer) py->items[0]->text, ph_torch_value (torch, index));
    for (guint i = 0; i < carried->len; i++)
      {
        const PhType *type = ph_sketch_type (scope->graph, inputs->pdata[i]);

        g_hash_table_insert (
            inner.names, carried->pdata[i],
            ph_torch_value (torch, ph_sketch_add_input (body, carried->pdata[i],
                                                        type != NULL && type->rank == 0 && type->has_rank ? type : NULL)));
      }
    for (guint i = 0; i < objects->len; i++)
      {
        PhTorchVal *object = objects->pdata[i];

        g_ptr_array_add (own, ph_torch_own_object (&inner, object, ph_sketch_add_input (body, object->name, NULL)));
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
          torch->graph = scope->graph;
          g_hash_table_insert (
              scope->names, carried->pdata[i],
              ph_torch_value (torch, ph_sketch_node_output (node, carried->pdata[i],
                                                            type != NULL && type->has_rank && type->rank == 0 ? type : NULL)));
          torch->graph = body;
        }
      torch->graph = scope->graph;
      for (guint i = 0; ok && i < objects->len; i++)
        {
          PhTorchVal *object = objects->pdata[i];

          ph_sketch_add_output (body, ph_torch_as_value (&inner, py, own->pdata[i]), NULL);
          ok = ph_torch_write (scope, py, object, ph_sketch_node_output (node, object->name, NULL));
        }
      if (!range && py->items[0]->kind == PH_PY_NAME)
        g_hash_table_insert (scope->names, (gpointer) py->items[0]->text,
                             ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "False")));
    }
  else
    ok = FALSE;
  torch->graph = scope->graph;
  if (node->outputs->len == 0)
    ph_sketch_node_output (node, "loop", NULL);
  g_hash_table_unref (inner.names);
  return ok && *torch->error == NULL;
}
