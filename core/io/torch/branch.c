/* branch.c: branches of PyTorch's code as prim's If with two bodies, as TorchScript has them. If a branch returns early, the following
 * statements belong to the other one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/alias.h"
#include "core/io/torch/branch.h"
#include "core/io/torch/torch.h"

PhTorchScope
ph_torch_inner_scope (PhTorchScope *outer, PhSketchGraph *graph)
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

gint
ph_torch_by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

gboolean
ph_torch_returns (PhPy *const *body, guint n)
{
  for (guint i = 0; i < n; i++)
    if (body[i]->kind == PH_PY_RETURN
        || (body[i]->kind != PH_PY_DEF && body[i]->kind != PH_PY_CLASS
            && (ph_torch_returns (body[i]->body, body[i]->n_body) || ph_torch_returns (body[i]->orelse, body[i]->n_orelse))))
      return TRUE;
  return FALSE;
}

/* Returns TRUE for a list in which @object or a view of it is. */
static gboolean
holds (const PhTorchVal *list, const PhTorchVal *object, guint depth)
{
  for (guint i = 0; list->items != NULL && depth < 100 && i < list->items->len; i++)
    {
      PhTorchVal *item = list->items->pdata[i];

      if (item != NULL && (ph_torch_root (item) == object || holds (item, object, depth + 1)))
        return TRUE;
    }
  return FALSE;
}

/* Returns the objects of @scope that a body may modify, each under one of its names. Only variables hold them and their views, not lists.
 * @again: (nullable): names that a loop gives again, and that are no views from then on. */
GPtrArray *
ph_torch_objects_written (PhTorchScope *scope, GHashTable *written, GHashTable *again)
{
  GPtrArray *objects = g_ptr_array_new ();
  GHashTableIter iter, others;
  gpointer name, other_name, held;

  g_hash_table_iter_init (&iter, written);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      PhTorchVal *found = g_hash_table_lookup (scope->names, name), *val = found != NULL ? ph_torch_root (found) : NULL;
      gboolean alone = val != NULL && val->kind == PH_TORCH_VALUE && val->graph == scope->graph
                       && !g_ptr_array_find (objects, val, NULL);

      g_hash_table_iter_init (&others, scope->names);
      while (alone && g_hash_table_iter_next (&others, &other_name, &held))
        alone = !holds (held, val, 0)
                && (held == val || ph_torch_root (held) != val || again == NULL || !g_hash_table_contains (again, other_name));
      if (alone)
        g_ptr_array_add (objects, val);
    }
  return objects;
}

/* Returns a view of @own in place of @view, which is one of @val; it is computed when it is used. @views: those made before. */
static PhTorchVal *
own_view (PhTorchScope *inner, PhTorchVal *view, const PhTorchVal *val, PhTorchVal *own, GHashTable *views)
{
  PhTorchVal *made = view == val ? own : g_hash_table_lookup (views, view);

  if (made != NULL)
    return made;
  made = ph_torch_value (inner->torch, view->name);
  made->node = view->node;
  made->graph = inner->graph;
  made->base = own_view (inner, view->base, val, own, views);
  made->seen = G_MAXUINT;
  made->stands_for = view;
  g_hash_table_insert (views, view, made);
  return made;
}

/* Replaces @val by @inner's own object, under all its names, and its views by views of that. */
PhTorchVal *
ph_torch_own_object (PhTorchScope *inner, PhTorchVal *val, const char *name)
{
  g_autoptr (GHashTable) views = g_hash_table_new (NULL, NULL);
  PhTorchVal *own = ph_torch_value (inner->torch, name);
  GHashTableIter iter;
  gpointer held;

  own->graph = inner->graph;
  own->stands_for = val;
  g_hash_table_iter_init (&iter, inner->names);
  while (g_hash_table_iter_next (&iter, NULL, &held))
    if (ph_torch_root (held) == val)
      g_hash_table_iter_replace (&iter, own_view (inner, held, val, own, views));
  return own;
}

void
ph_torch_lists_to_values (PhTorchScope *scope, const PhPy *at, GHashTable *written)
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

gint
ph_torch_by_value (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const PhTorchVal *const *) a)->name, (*(const PhTorchVal *const *) b)->name);
}

static gboolean
is_none (const PhTorchVal *val)
{
  return val->kind == PH_TORCH_LITERAL && ph_py_is_none (val->py);
}

/* Returns the value that is @vals[0] after one branch and @vals[1] after the other; tuples are joined item by item. */
static PhTorchVal *
join (PhTorchScope *scope, PhTorchScope inner[2], PhSketchNode *node, const PhPy *py, PhTorchVal *const *vals, const char *name)
{
  PhTorch *torch = scope->torch;
  const PhType *type = NULL;
  PhTorchVal *made;

  if (vals[0] == vals[1] || (ph_torch_is_unset (vals[0]) && ph_torch_is_unset (vals[1])))
    return vals[0];
  if (vals[0]->kind == PH_TORCH_LITERAL && vals[1]->kind == PH_TORCH_LITERAL)
    {
      g_autofree char *a = ph_py_to_string (vals[0]->py), *b = ph_py_to_string (vals[1]->py);

      if (g_str_equal (a, b))
        return vals[0];
    }
  if (vals[0]->kind == PH_TORCH_TUPLE && vals[1]->kind == PH_TORCH_TUPLE && vals[0]->items->len == vals[1]->items->len
      && vals[0]->items->len > 0)
    {
      made = ph_torch_list (torch, TRUE);
      made->py = vals[0]->py;
      for (guint i = 0; i < vals[0]->items->len; i++)
        {
          PhTorchVal *const both[] = { vals[0]->items->pdata[i], vals[1]->items->pdata[i] };

          g_ptr_array_add (made->items, join (scope, inner, node, py, both, name));
        }
      return made;
    }
  for (guint branch = 0; branch < 2; branch++)
    {
      const char *value = ph_torch_as_value (&inner[branch], py, vals[branch]);

      ph_sketch_add_output (inner[branch].graph, value);
      type = branch == 0 ? ph_sketch_type (scope->graph, value) : type == ph_sketch_type (scope->graph, value) ? type : NULL;
    }
  made = ph_torch_value (torch, ph_sketch_node_output (node, name, type));
  made->graph = scope->graph;
  for (guint branch = 0; branch < 2 && (vals[0]->stands_for == NULL || vals[0]->stands_for != vals[1]->stands_for); branch++)
    ph_torch_share (torch, made, vals[branch]);
  for (guint branch = 0; branch < 2; branch++)
    made->maybe_none = made->maybe_none || vals[branch]->maybe_none || vals[branch]->kind == PH_TORCH_UNKNOWN
                       || is_none (vals[branch]);
  return made;
}

/* A branch being read: [0] is taken if the test holds, [1] otherwise. */
typedef struct
{
  PhTorchScope *scope;
  PhTorchScope inner[2];
  const PhPy *py;
  PhSketchNode *node;
  GPtrArray *objects; /* PhTorchVal: written in either branch */
  GPtrArray *own[2];  /* each branch's own copy of @objects */
} Branch;

static gboolean
read_bodies (Branch *branch, PhPy *const *rest, guint n_rest)
{
  PhTorchScope *scope = branch->scope;
  PhTorch *torch = scope->torch;
  const PhPy *py = branch->py;
  gboolean ok = TRUE;

  for (guint side = 0; side < 2; side++)
    {
      PhTorchScope *inner = &branch->inner[side];
      g_autoptr (GPtrArray) all = g_ptr_array_new ();

      *inner = ph_torch_inner_scope (scope, ph_sketch_add_body (branch->node, side == 0 ? "then_branch" : "else_branch"));
      branch->own[side] = g_ptr_array_new ();
      for (guint i = 0; i < branch->objects->len; i++)
        {
          PhTorchVal *object = branch->objects->pdata[i];

          g_ptr_array_add (branch->own[side], ph_torch_own_object (inner, object, object->name));
        }
      for (guint i = 0; i < (side == 0 ? py->n_body : py->n_orelse); i++)
        g_ptr_array_add (all, (side == 0 ? py->body : py->orelse)[i]);
      for (guint i = 0; i < n_rest; i++)
        g_ptr_array_add (all, rest[i]);
      torch->work += all->len;
      torch->graph = inner->graph;
      ok = ok && ph_torch_block (inner, (PhPy *const *) all->pdata, all->len);
      torch->graph = scope->graph;
    }
  return ok;
}

/* After the branches each object is one value again, written with the joined result. */
static gboolean
join_objects (Branch *branch)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < branch->objects->len; i++)
    {
      PhTorchVal *object = branch->objects->pdata[i], *const vals[] = { branch->own[0]->pdata[i], branch->own[1]->pdata[i] };

      if (!g_str_equal (vals[0]->name, object->name) || !g_str_equal (vals[1]->name, object->name))
        {
          const PhTorchVal *joined = join (branch->scope, branch->inner, branch->node, branch->py, vals, object->name);

          ok = ph_torch_write (branch->scope, branch->py, object, joined->name);
        }
      for (guint side = 0; side < 2; side++)
        {
          GHashTableIter iter;
          gpointer val;

          g_hash_table_iter_init (&iter, branch->inner[side].names);
          while (g_hash_table_iter_next (&iter, NULL, &val))
            if (val == vals[side])
              g_hash_table_iter_replace (&iter, object);
        }
    }
  return ok;
}

/* Names that both branches know afterwards. */
static void
join_names (Branch *branch)
{
  PhTorchScope *scope = branch->scope;
  g_autoptr (GPtrArray) changed = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer name, val;

  g_hash_table_iter_init (&iter, branch->inner[0].names);
  while (g_hash_table_iter_next (&iter, &name, &val))
    {
      const PhTorchVal *other = g_hash_table_lookup (branch->inner[1].names, name), *before;

      before = g_hash_table_lookup (scope->names, name);
      if (other != NULL && before != NULL && before == other->stands_for && before == ((PhTorchVal *) val)->stands_for)
        continue; /* a view in both branches, as before */
      if (other != NULL && other != val)
        g_ptr_array_add (changed, name);
      else if (other == val && before != val)
        g_hash_table_insert (scope->names, name, val); /* both set it to the same object */
    }
  g_ptr_array_sort (changed, ph_torch_by_name);
  for (guint i = 0; i < changed->len; i++)
    {
      PhTorchVal *const vals[] = { g_hash_table_lookup (branch->inner[0].names, changed->pdata[i]),
                                   g_hash_table_lookup (branch->inner[1].names, changed->pdata[i]) };

      g_hash_table_insert (scope->names, changed->pdata[i],
                           join (scope, branch->inner, branch->node, branch->py, vals, changed->pdata[i]));
    }
}

/* Joins the branches' return values into the function's. */
static gboolean
join_results (Branch *branch)
{
  PhTorchScope *scope = branch->scope;
  PhTorchVal *vals[2];

  for (guint side = 0; side < 2; side++)
    vals[side] = branch->inner[side].result != NULL
                     ? branch->inner[side].result
                     : ph_torch_literal (scope->torch, ph_torch_new_literal (scope->torch, PH_PY_CONSTANT, "None"));
  scope->returned = TRUE;
  if (is_none (vals[0]) != is_none (vals[1]))
    return ph_torch_fail (scope, branch->py, "one branch returns a value and the other one nothing");
  scope->result = join (scope, branch->inner, branch->node, branch->py, vals, "result");
  return TRUE;
}

/* A node needs at least one output, and so does each of its bodies. */
static void
give_outputs (Branch *branch)
{
  if (branch->node->outputs->len == 0)
    ph_sketch_node_output (branch->node, "if", NULL);
  for (guint side = 0; side < 2; side++)
    {
      PhSketchGraph *body = branch->inner[side].graph;
      const PhSketchNode *last = body->nodes->len > 0 ? body->nodes->pdata[body->nodes->len - 1] : NULL;

      if (body->outputs->len == 0 && last != NULL && last->outputs->len > 0)
        ph_sketch_add_output (body, last->outputs->pdata[0]);
    }
}

/* @rest: the following statements of the block: if a branch returns, they are part of the branches that do not. */
gboolean
ph_torch_if (PhTorchScope *scope, const PhPy *py, PhPy *const *rest, guint n_rest)
{
  PhTorchVal *test = ph_torch_expr (scope, py->items[0], NULL, NULL);
  g_autoptr (GHashTable) written = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) objects = NULL;
  Branch branch = { .scope = scope, .py = py };
  const char *condition;
  gboolean ok;

  if (test == NULL)
    return FALSE;
  if (test->kind == PH_TORCH_LITERAL && test->py->kind == PH_PY_CONSTANT)
    return (test->py->text[0] == 'T' ? ph_torch_block (scope, py->body, py->n_body)
                                     : ph_torch_block (scope, py->orelse, py->n_orelse))
           && (scope->returned || ph_torch_block (scope, rest, n_rest));
  ph_torch_written (py->body, py->n_body, written);
  ph_torch_written (py->orelse, py->n_orelse, written);
  ph_torch_written (rest, n_rest, written);
  ph_torch_lists_to_values (scope, py, written);
  branch.objects = objects = ph_torch_objects_written (scope, written, NULL);
  g_ptr_array_sort (objects, ph_torch_by_value);
  condition = ph_torch_as_value (scope, py, test); /* creates its constant before the node */
  branch.node = ph_sketch_add_node (scope->graph, "If", PH_TORCH_PRIM, scope->file == NULL ? py->line : 0, py->column);
  ph_sketch_node_input (branch.node, condition);

  ok = read_bodies (&branch, rest, n_rest) && join_objects (&branch);
  if (ok && n_rest == 0)
    join_names (&branch);
  if (ok && (branch.inner[0].returned || branch.inner[1].returned))
    ok = join_results (&branch);
  give_outputs (&branch);
  for (guint side = 0; side < 2; side++)
    {
      g_hash_table_unref (branch.inner[side].names);
      g_ptr_array_unref (branch.own[side]);
    }
  return ok && *scope->torch->error == NULL;
}
