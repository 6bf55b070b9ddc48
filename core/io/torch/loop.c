/* loop.c: loops of PyTorch's code as prim's Loop, which carries the variables that the loop changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/torch/alias.h"
#include "core/io/torch/branch.h"
#include "core/io/torch/torch.h"

/* Collects the names that statements of @body set. */
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

/* Returns TRUE if the statements use a list or dictionary with known elements: these stay known only if the loop is unrolled. */
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

/* Whether a variable that the body sets is None before: then what the body does differs from turn to turn. */
static gboolean
begins_as_none (PhTorchScope *scope, const PhPy *py)
{
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer name;

  collect_targets (py->body, py->n_body, set);
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      const PhTorchVal *before = g_hash_table_lookup (scope->names, name);

      if (before != NULL && before->kind == PH_TORCH_LITERAL && ph_py_is_none (before->py))
        return TRUE;
    }
  return FALSE;
}

/* A loop while it is read. */
typedef struct
{
  PhTorchScope *scope;
  PhTorchScope inner;
  const PhPy *py;
  gboolean range;      /* for i in range (n), not while */
  PhTorchVal *count;   /* greatest number of iterations */
  PhTorchVal *test;    /* whether the first iteration runs */
  GPtrArray *carried;  /* names of loop-carried values */
  GPtrArray *objects;  /* PhTorchVal: written in the body */
  GPtrArray *own;      /* the body's own copies of @objects */
  GHashTable *changed; /* names: carried, and written into in place */
  PhSketchNode *node;
} Loop;

static gboolean
check_form (PhTorchScope *scope, const PhPy *py)
{
  if (ph_torch_returns (py->body, py->n_body))
    return ph_torch_fail (
        scope, py,
        "a loop from whose middle a function returns is not read: keep the result in a variable and leave the loop by its condition");
  if (py->n_orelse > 0 || leaves (py->body, py->n_body))
    return ph_torch_fail (scope, py, "a loop with break, continue or else is not read: leave it by its condition");
  return TRUE;
}

/* Unrolls the loop: reads the body once per iteration, with the iteration number as a constant. */
static gboolean
write_out (PhTorchScope *scope, const PhPy *py, gint64 turns)
{
  for (gint64 i = 0; i < turns; i++)
    {
      scope->torch->work += py->n_body;
      g_hash_table_insert (scope->names, (gpointer) py->items[0]->text, ph_torch_int (scope->torch, i));
      if (scope->torch->work > MOST_WORK)
        return ph_torch_fail (scope, py, "its loops go round too often for their lists to be followed");
      if (!ph_torch_block (scope, py->body, py->n_body))
        return FALSE;
    }
  return TRUE;
}

/* Sets @count and @test. */
static gboolean
read_header (Loop *loop)
{
  const PhPy *py = loop->py;
  PhTorch *torch = loop->scope->torch;

  if (loop->range)
    {
      const PhPy *call = py->items[1], *bound = call->kind == PH_PY_CALL && call->n >= 2 ? call->items[1] : NULL;

      if (bound == NULL || call->n != 2 || !ph_py_is_name (call->items[0], "range") || py->items[0]->kind != PH_PY_NAME)
        return ph_source_fail (torch->source, torch->error, PH_ERROR_UNSUPPORTED, NULL,
                               "%s:%u: only loops over range (n) can be read",
                               loop->scope->file != NULL ? loop->scope->file : "line", py->line);
      loop->count = ph_torch_expr (loop->scope, bound, NULL, NULL);
      loop->test = ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "True"));
    }
  else
    {
      PhPy *most = ph_torch_new_literal (torch, PH_PY_INT, "9223372036854775807");

      most->i = G_MAXINT64;
      loop->count = ph_torch_literal (torch, most);
      loop->test = ph_torch_expr (loop->scope, py->items[0], NULL, NULL);
    }
  return loop->count != NULL && loop->test != NULL;
}

/* Finds the loop-carried values and objects: @carried and @objects. */
static void
find_carried (Loop *loop)
{
  const PhPy *py = loop->py;
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) written = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer name;

  collect_targets (py->body, py->n_body, set);
  ph_torch_written (py->body, py->n_body, written);
  ph_torch_lists_to_values (loop->scope, py, written);
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (g_hash_table_remove (written, name)) /* carried anyway */
      g_hash_table_add (loop->changed, name);
  loop->objects = ph_torch_objects_written (loop->scope, written, set);
  g_ptr_array_sort (loop->objects, ph_torch_by_value);

  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      const PhTorchVal *before = g_hash_table_lookup (loop->scope->names, name);

      if (before != NULL && (loop->range || !ph_py_is_name (py->items[0], name)) && before->kind != PH_TORCH_MODULE
          && (before->kind != PH_TORCH_UNKNOWN || ph_torch_is_unset (before)))
        g_ptr_array_add (loop->carried, name);
    }
  g_ptr_array_sort (loop->carried, ph_torch_by_name);
}

/* Returns the type of a carried scalar; tensors of other ranks may change shape between iterations. */
static const PhType *
scalar_type (PhSketchGraph *graph, const char *value)
{
  const PhType *type = ph_sketch_type (graph, value);

  return type != NULL && type->has_rank && type->rank == 0 ? type : NULL;
}

/* Whether a loop carries each item of @val instead. */
static gboolean
is_spread (const PhTorchVal *val)
{
  return val->kind == PH_TORCH_TUPLE && val->items->len > 0;
}

static void
add_operands (Loop *loop, PhTorchVal *val, GPtrArray *inputs)
{
  for (guint i = 0; is_spread (val) && i < val->items->len; i++)
    add_operands (loop, val->items->pdata[i], inputs);
  if (!is_spread (val))
    g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (loop->scope, loop->py, val));
}

/* Returns what @name stands for in the body, where it is @before outside; @inputs are the operands from @at on. */
static PhTorchVal *
add_inputs (Loop *loop, const char *name, const PhTorchVal *before, const GPtrArray *inputs, guint *at)
{
  PhTorch *torch = loop->scope->torch;
  PhTorchVal *tuple;

  if (!is_spread (before))
    return ph_torch_value (
        torch, ph_sketch_add_input (loop->inner.graph, name, scalar_type (loop->scope->graph, inputs->pdata[(*at)++])));
  tuple = ph_torch_list (torch, TRUE);
  tuple->py = before->py;
  for (guint i = 0; i < before->items->len; i++)
    g_ptr_array_add (tuple->items, add_inputs (loop, name, before->items->pdata[i], inputs, at));
  return tuple;
}

/* Makes the node with its inputs, and an empty body with the same. */
static void
begin_body (Loop *loop)
{
  PhTorchScope *scope = loop->scope;
  PhTorch *torch = scope->torch;
  const PhPy *py = loop->py;
  const char *first = ph_torch_as_value (scope, py, loop->count), *second = ph_torch_as_value (scope, py, loop->test), *index;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  PhSketchGraph *body;
  guint at = 0;

  /* Their constants are created before the node. */
  for (guint i = 0; i < loop->carried->len; i++)
    add_operands (loop, g_hash_table_lookup (scope->names, loop->carried->pdata[i]), inputs);
  for (guint i = 0; i < loop->objects->len; i++)
    g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (scope, py, loop->objects->pdata[i]));
  loop->node = ph_sketch_add_node (scope->graph, "Loop", PH_TORCH_PRIM, scope->file == NULL ? py->line : 0, py->column);
  ph_sketch_node_input (loop->node, first);
  ph_sketch_node_input (loop->node, second);
  for (guint i = 0; i < inputs->len; i++)
    ph_sketch_node_input (loop->node, inputs->pdata[i]);

  body = ph_sketch_add_body (loop->node, "body");
  loop->inner = ph_torch_inner_scope (scope, body);
  torch->graph = body;
  index = ph_sketch_add_input (body, loop->range ? py->items[0]->text : "i", ph_type_tensor (PH_INT64, 0, NULL));
  ph_sketch_add_input (body, "condition", ph_type_tensor (PH_BOOL, 0, NULL)); /* so that it is as ONNX's Loop has it */
  if (loop->range)
    g_hash_table_insert (loop->inner.names, (gpointer) py->items[0]->text, ph_torch_value (torch, index));
  for (guint i = 0; i < loop->carried->len; i++)
    {
      gpointer name = loop->carried->pdata[i];

      g_hash_table_insert (loop->inner.names, name,
                           add_inputs (loop, name, g_hash_table_lookup (scope->names, name), inputs, &at));
    }
  for (guint i = 0; i < loop->objects->len; i++)
    {
      PhTorchVal *object = loop->objects->pdata[i];

      g_ptr_array_add (loop->own, ph_torch_own_object (&loop->inner, object, ph_sketch_add_input (body, object->name, NULL)));
    }
}

/* What the body writes into by a carried name is known by that name alone from now on, before and after the writing. */
static gboolean
take_changed (Loop *loop)
{
  GHashTable *names = loop->scope->names;

  for (guint i = 0; i < loop->carried->len; i++)
    {
      const char *name = loop->carried->pdata[i];
      PhTorchVal *root = ph_torch_root (g_hash_table_lookup (names, name));

      if (root->kind != PH_TORCH_VALUE || !g_hash_table_contains (loop->changed, name))
        continue;
      for (guint k = 0; k < loop->carried->len; k++)
        if (k != i && ph_torch_root (g_hash_table_lookup (names, loop->carried->pdata[k])) == root)
          return ph_torch_fail (
              loop->scope, loop->py,
              "'%s' and '%s' share their memory, and the loop writes into it in place: write x = x + y instead of x += y there",
              name, (const char *) loop->carried->pdata[k]);
      root->spoiled = name;
    }
  return TRUE;
}

/* The items of a tuple that something gives as one value. */
static PhTorchVal *
unpack (Loop *loop, PhTorchVal *val, guint n)
{
  PhTorchVal *tuple = ph_torch_list (loop->scope->torch, TRUE);
  PhSketchNode *node = ph_torch_add_node (&loop->inner, loop->py, "TupleUnpack", PH_TORCH_PRIM);

  ph_sketch_node_input (node, ph_torch_as_value (&loop->inner, loop->py, val));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (tuple->items, ph_torch_value (loop->scope->torch, ph_sketch_node_output (node, "_", NULL)));
  return tuple;
}

/* Makes @last, what @name stands for after a turn, a result of the body. Returns what it stands for after the loop. (nullable) */
static PhTorchVal *
add_results (Loop *loop, const char *name, PhTorchVal *before, PhTorchVal *last)
{
  PhTorchScope *scope = loop->scope;
  PhTorch *torch = scope->torch;
  PhSketchGraph *body = loop->inner.graph;
  PhTorchVal *made, *root = ph_torch_root (last);
  const char *value;

  if (is_spread (before))
    {
      if (!is_spread (last))
        last = unpack (loop, last, before->items->len);
      made = ph_torch_list (torch, TRUE);
      made->py = before->py;
      if (last->items->len != before->items->len)
        ph_torch_fail (scope, loop->py, "'%s' begins as %u values, and is %u after a turn of the loop", name, before->items->len,
                       last->items->len);
      for (guint i = 0; *torch->error == NULL && i < before->items->len; i++)
        g_ptr_array_add (made->items, add_results (loop, name, before->items->pdata[i], last->items->pdata[i]));
      return *torch->error == NULL ? made : NULL;
    }
  value = ph_torch_as_value (&loop->inner, loop->py, last);
  if (g_hash_table_contains (loop->changed, name) && root->kind == PH_TORCH_VALUE
      && (root->graph != body || root->stands_for != NULL))
    {
      ph_torch_fail (scope, loop->py,
                     "the loop writes into '%s' in place, which may share its memory with '%s' after the first turn: "
                     "write x = x + y instead of x += y there",
                     name, root->name);
      return NULL;
    }
  ph_sketch_add_output (body, value);
  torch->graph = scope->graph;
  made = ph_torch_value (torch, ph_sketch_node_output (loop->node, name, scalar_type (scope->graph, value)));
  ph_torch_share (torch, made, before);
  ph_torch_share (torch, made, last);
  torch->graph = body;
  return made;
}

/* Makes the body's results the outputs of the node. */
static gboolean
end_body (Loop *loop)
{
  PhTorchScope *scope = loop->scope;
  PhTorch *torch = scope->torch;
  const PhPy *py = loop->py;
  PhSketchGraph *body = loop->inner.graph;
  PhTorchVal *after = loop->range ? loop->test : ph_torch_expr (&loop->inner, py->items[0], NULL, NULL);
  gboolean ok = TRUE;

  if (after == NULL)
    return FALSE;
  ph_sketch_add_output (body, ph_torch_as_value (&loop->inner, py, after));
  for (guint i = 0; i < loop->carried->len; i++)
    {
      gpointer name = loop->carried->pdata[i];
      PhTorchVal *made = add_results (loop, name, g_hash_table_lookup (scope->names, name),
                                      g_hash_table_lookup (loop->inner.names, name));

      if (made == NULL)
        return FALSE;
      g_hash_table_insert (scope->names, name, made);
    }
  torch->graph = scope->graph;
  for (guint i = 0; ok && i < loop->objects->len; i++)
    {
      PhTorchVal *object = loop->objects->pdata[i];

      ph_sketch_add_output (body, ph_torch_as_value (&loop->inner, py, loop->own->pdata[i]));
      ok = ph_torch_write (scope, py, object, ph_sketch_node_output (loop->node, object->name, NULL));
    }
  if (!loop->range && py->items[0]->kind == PH_PY_NAME)
    g_hash_table_insert (scope->names, (gpointer) py->items[0]->text,
                         ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "False")));
  return ok;
}

/* while test: ..., for i in range (n): ... */
gboolean
ph_torch_loop (PhTorchScope *scope, const PhPy *py)
{
  g_autoptr (GPtrArray) carried = g_ptr_array_new (), objects = NULL, own = g_ptr_array_new ();
  g_autoptr (GHashTable) changed = g_hash_table_new (g_str_hash, g_str_equal);
  Loop loop = { .scope = scope, .py = py, .range = py->kind == PH_PY_FOR, .carried = carried, .own = own, .changed = changed };
  gint64 turns;
  gboolean ok;

  if (!check_form (scope, py) || !read_header (&loop))
    return FALSE;
  if (loop.range && ph_torch_is_int (loop.count, &turns) && turns >= 0 && turns <= MOST_TURNS
      && (uses_lists (scope, py->body, py->n_body, 0) || begins_as_none (scope, py)))
    return write_out (scope, py, turns);
  find_carried (&loop);
  objects = loop.objects;
  begin_body (&loop);
  ok = take_changed (&loop) && ph_torch_block (&loop.inner, py->body, py->n_body) && end_body (&loop);
  scope->torch->graph = scope->graph;
  if (loop.node->outputs->len == 0)
    ph_sketch_node_output (loop.node, "loop", NULL);
  g_hash_table_unref (loop.inner.names);
  return ok && *scope->torch->error == NULL;
}
