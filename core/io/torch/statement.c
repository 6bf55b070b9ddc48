/* statement.c: the statements of PyTorch's code as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/alias.h"
#include "core/io/torch/branch.h"
#include "core/io/torch/call.h"
#include "core/io/torch/torch.h"

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
      const PhPy at = { .line = 1, .column = 1 };

      ph_sketch_add_output (scope->graph, ph_torch_as_value (scope, &at, val));
    }
}

/* Assigns x[...] = y, which writes into x, or self.x = y, which sets an attribute of the module. */
static gboolean
assign_part (PhTorchScope *scope, const PhPy *target, PhTorchVal *val)
{
  PhTorchVal *of = ph_torch_expr (scope, target->items[0], NULL, NULL);
  g_autoptr (GPtrArray) args = g_ptr_array_new ();

  if (of == NULL)
    return FALSE;
  if (target->kind == PH_PY_ATTRIBUTE)
    {
      if (of->kind != PH_TORCH_MODULE)
        return TRUE;
      if (scope->graph->root != scope->graph || scope->graph != scope->torch->sketch->main)
        return ph_torch_fail (scope, target, "it sets '%s' of a module in a branch or loop", target->text);
      g_hash_table_replace (scope->torch->set, g_strdup_printf ("%p.%s", (const void *) of->object, target->text), val);
      return TRUE;
    }
  g_ptr_array_add (args, of);
  if (of->items != NULL)
    {
      PhTorchVal *index = ph_torch_expr (scope, target->items[1], NULL, NULL);

      if (index == NULL)
        return FALSE;
      g_ptr_array_add (args, index);
      g_ptr_array_add (args, val);
      return ph_torch_write_list (scope, target, "_set_item", args) != NULL;
    }
  if (of->kind != PH_TORCH_VALUE)
    return ph_torch_fail (scope, target, "what it writes a part of is not a tensor of the program");
  if ((of = ph_torch_index (scope, target, of, target->items[1], NULL, NULL)) == NULL)
    return FALSE;
  args->pdata[0] = of;
  g_ptr_array_add (args, val);
  return ph_torch_call_target (scope, target, "torch.ops.aten.copy_.default", &(PhTorchCall) { .args = args }) != NULL;
}

static gboolean
assign (PhTorchScope *scope, const PhPy *target, PhTorchVal *val)
{
  if (target->kind == PH_PY_SUBSCRIPT || target->kind == PH_PY_ATTRIBUTE)
    return assign_part (scope, target, val);
  if (target->kind == PH_PY_NAME)
    g_hash_table_insert (scope->names, (gpointer) target->text, val);
  else if ((target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST) && val->items != NULL && val->items->len == target->n)
    for (guint i = 0; i < target->n; i++)
      {
        if (!assign (scope, target->items[i], val->items->pdata[i]))
          return FALSE;
      }
  else if ((target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST) && target->n > 0
           && ph_torch_list_item (scope, target, val, target->n - 1) != NULL)
    for (guint i = 0; i < target->n; i++)
      {
        if (!assign (scope, target->items[i], ph_torch_list_item (scope, target, val, i)))
          return FALSE;
      }
  else if (target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST)
    {
      PhSketchNode *node = ph_sketch_add_node (scope->graph, "TupleUnpack", PH_TORCH_PRIM, scope->file == NULL ? target->line : 0,
                                               target->column);

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
        {
          val->whole = FALSE; /* its first item */
          return assign (scope, target->items[0], val);
        }
    }
  else
    val = ph_torch_expr (scope, value, target->kind == PH_PY_NAME ? target->text : NULL, NULL);
  for (guint i = 0; val != NULL && i + 1 < py->n; i++)
    if (!assign (scope, py->items[i], val))
      return FALSE;
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

/* Recognizes x, y, = fx_pytree.tree_flatten_spec (...): the inputs of an exported module. */
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
                g_hash_table_insert (scope->names, (gpointer) each->text,
                                     ph_torch_value (scope->torch, ph_sketch_add_input (scope->graph, each->text, NULL)));
            }
          return TRUE;
        }
      return lower_assignment (scope, py);
    case PH_PY_ANNOTATED:
      if (py->items[0]->kind != PH_PY_NAME)
        return TRUE;
      if (py->items[2] == NULL) /* x: "f32[3]": assigned by tree_flatten_spec below */
        {
          if (py->items[1]->kind == PH_PY_STRING && scope->torch->zip == NULL
              && !g_hash_table_contains (scope->names, py->items[0]->text))
            g_hash_table_insert (scope->names, (gpointer) py->items[0]->text,
                                 ph_torch_value (scope->torch, ph_sketch_add_input (scope->graph, py->items[0]->text,
                                                                                    annotation (scope, py->items[1]))));
          return TRUE;
        }
      if ((val = ph_torch_expr (scope, py->items[2], py->items[0]->text, annotation (scope, py->items[1]))) == NULL)
        return FALSE;
      return assign (scope, py->items[0], val);
    case PH_PY_AUGMENTED:
      {
        static const struct
        {
          const char *text, *op;
        } in_place[] = { { "+", "add_" }, { "-", "sub_" }, { "*", "mul_" }, { "/", "div_" } };
        PhPy *binary = ph_py_alloc (scope->torch->own, sizeof *binary); /* a value may keep it */
        const char *name = py->items[0]->kind == PH_PY_NAME ? py->items[0]->text : NULL;

        *binary = *py;
        binary->kind = PH_PY_BINARY;
        binary->n = 2;
        /* Writes into a tensor, which all its aliases see; a number is rebound instead. */
        for (guint i = 0; i < G_N_ELEMENTS (in_place); i++)
          if (g_str_equal (in_place[i].text, py->text))
            {
              PhTorchVal *of = ph_torch_expr (scope, py->items[0], NULL, NULL),
                         *by = of != NULL ? ph_torch_expr (scope, py->items[1], NULL, NULL) : NULL;
              const PhType *type = of != NULL && of->kind == PH_TORCH_VALUE ? ph_sketch_type (scope->graph, of->name) : NULL;
              g_autofree char *target = g_strdup_printf ("torch.ops.aten.%s.default", in_place[i].op);
              g_autoptr (GPtrArray) args = g_ptr_array_new ();

              if (by == NULL)
                return FALSE;
              if (of->kind != PH_TORCH_VALUE || (type != NULL && type->has_rank && type->rank == 0 && type->dtype == PH_INT64))
                break;
              g_ptr_array_add (args, of);
              g_ptr_array_add (args, by);
              return ph_torch_call_target (scope, py, target, &(PhTorchCall) { args, NULL, &name, 1, NULL }) != NULL;
            }
        return (val = ph_torch_expr (scope, binary, name, NULL)) != NULL && (name == NULL || assign (scope, py->items[0], val));
      }
    case PH_PY_EXPRESSION: return py->items[0]->kind == PH_PY_STRING || ph_torch_expr (scope, py->items[0], NULL, NULL) != NULL;
    case PH_PY_IF: return ph_torch_if (scope, py, NULL, 0);
    case PH_PY_WHILE:
    case PH_PY_FOR: return ph_torch_loop (scope, py);
    case PH_PY_WITH: return ph_torch_block (scope, py->body, py->n_body);
    case PH_PY_RETURN:
      scope->returned = TRUE;
      if (py->n == 0)
        return TRUE;
      return (scope->result = ph_torch_expr (scope, py->items[0], NULL, NULL)) != NULL;
    default: return TRUE;
    }
}

gboolean
ph_torch_block (PhTorchScope *scope, PhPy *const *body, guint n)
{
  for (guint i = 0; i < n && !scope->returned; i++)
    {
      /* If a branch returns early, the following statements belong to the branches that go on. */
      if (body[i]->kind == PH_PY_IF && i + 1 < n
          && (ph_torch_returns (body[i]->body, body[i]->n_body) || ph_torch_returns (body[i]->orelse, body[i]->n_orelse)))
        return ph_torch_if (scope, body[i], body + i + 1, n - i - 1);
      if (!lower_statement (scope, body[i]))
        return FALSE;
    }
  return *scope->torch->error == NULL;
}
