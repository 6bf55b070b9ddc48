/* relax.c: builds graphs from Relax functions. A binding is a node; a function of the module is opened from its call; branches of an if and
 * inner functions are bodies; control edges order operations with effects.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/tvm/script.h"

static const char *lower (PhTvmScope *scope, const PhPy *py, const char *name, const PhType *type);
static void lower_block (PhTvmScope *scope, PhPy *const *body, guint n);

static void
set_name (PhTvmScope *scope, PhSketchNode *node, const char *output)
{
  if (scope->prefix != NULL)
    {
      g_autofree char *name = g_strconcat (scope->prefix, output, NULL);

      node->node.name = ph_importer_name (&scope->tvm->sketch->importer, name);
    }
}

/* Returns TRUE if @py is a value of the graph, thus an input of the node; otherwise it becomes an attribute. */
static gboolean
is_value (PhTvmScope *scope, const PhPy *py, guint depth)
{
  g_autofree char *name = NULL;

  if (depth > 50)
    return FALSE;
  switch (py->kind)
    {
    case PH_PY_NAME: return ph_tvm_find (scope, py->text) != NULL;
    case PH_PY_TUPLE:
    case PH_PY_LIST:
      for (guint i = 0; i < py->n; i++)
        if (is_value (scope, py->items[i], depth + 1))
          return TRUE;
      return FALSE;
    case PH_PY_SUBSCRIPT: return is_value (scope, py->items[0], depth + 1);
    case PH_PY_BINARY: return is_value (scope, py->items[0], depth + 1) || is_value (scope, py->items[1], depth + 1);
    case PH_PY_UNARY: return is_value (scope, py->items[0], depth + 1);
    case PH_PY_CALL:
      name = ph_py_dotted (py->items[0]);
      if (name == NULL || g_str_has_prefix (name, "T.") || g_str_has_prefix (name, "I.") || g_str_equal (name, "R.Tensor")
          || g_str_equal (name, "R.Tuple") || g_str_equal (name, "R.Shape") || g_str_equal (name, "R.Prim")
          || g_str_equal (name, "R.Object") || g_str_equal (name, "R.Any") || g_str_equal (name, "R.Callable")
          || g_str_equal (name, "R.shape") || g_str_equal (name, "R.prim_value") || g_str_equal (name, "R.dtype")
          || g_str_equal (name, "R.str"))
        return FALSE;
      return g_str_has_prefix (name, "R.") || g_str_has_prefix (name, "relax.op.") || strchr (name, '.') == NULL
             || g_str_has_prefix (name, "cls.");
    default: return FALSE;
    }
}

static const char *
simple_node (PhTvmScope *scope, const PhPy *at, const char *op, const char *name, const PhType *type, const char *const *inputs,
             guint n)
{
  PhSketchNode *node = ph_sketch_add_node (scope->graph, op, PH_TVM_RELAX, at->line, at->column);
  const char *output;

  for (guint i = 0; i < n; i++)
    ph_sketch_node_input (node, inputs[i]);
  output = ph_sketch_node_output (node, name != NULL ? name : op, type);
  set_name (scope, node, output);
  return output;
}

/* Returns the module's own function that @callee refers to: "cls.f", "Module.f", "f". (nullable) */
static const PhPy *
own_function (PhTvmScope *scope, const PhPy *callee, const char **name)
{
  if (callee->kind == PH_PY_ATTRIBUTE && callee->items[0]->kind == PH_PY_NAME && !g_str_equal (callee->items[0]->text, "R")
      && !g_str_equal (callee->items[0]->text, "T"))
    *name = callee->text;
  else if (callee->kind == PH_PY_NAME)
    *name = callee->text;
  else
    return NULL;
  return g_hash_table_lookup (scope->tvm->defs, *name);
}

static void
add_operand (PhTvmScope *scope, PhSketchNode *node, const char *attr, const PhPy *py)
{
  if (!is_value (scope, py, 0))
    {
      if (!ph_py_is_none (py))
        ph_tvm_attr (node, attr, py);
    }
  else
    ph_sketch_node_input (node, lower (scope, py, NULL, NULL));
}

/* Adds the outputs of a call, with types from an annotation or out_ty. */
static void
add_outputs (PhTvmScope *scope, PhSketchNode *node, const PhPy *types, const char *name, const PhType *type)
{
  g_autofree char *text = NULL;

  if (types != NULL && (types->kind == PH_PY_LIST || (types->kind == PH_PY_TUPLE && types->n > 1)))
    {
      for (guint i = 0; i < types->n; i++)
        {
          g_autofree char *each = g_strdup_printf ("%s.%u", name, i);

          ph_sketch_node_output (node, each, ph_tvm_type (types->items[i]));
        }
      return;
    }
  if (types != NULL && types->kind == PH_PY_TUPLE && types->n == 1)
    types = types->items[0];
  ph_sketch_node_output (node, name, type != NULL ? type : ph_tvm_type (types));
}

static const char *
lower_call_tir (PhTvmScope *scope, const PhPy *py, const char *op, const char *name, const PhType *type)
{
  const PhPy *callee = ph_py_argument (py, 0, "gvar"), *args = ph_py_argument (py, 1, "args");
  const PhPy *types = ph_py_keyword (py, "out_ty"), *own = NULL;
  PhSketchNode *node;
  const char *function = NULL;
  g_autofree char *text = NULL;
  guint last = 2;

  for (guint i = 3; types == NULL && i < py->n; i++) /* the first argument with types */
    if (py->items[i]->kind != PH_PY_KEYWORD && !g_str_equal (op, "call_tir_inplace"))
      {
        types = py->items[i];
        last = i;
        break;
      }
  if (types == NULL)
    types = ph_py_keyword (py, "out_sinfo");
  if (callee == NULL)
    return NULL;
  own = own_function (scope, callee, &function);
  if (own != NULL && (args == NULL || args->n <= own->n || (args->kind != PH_PY_TUPLE && args->kind != PH_PY_LIST)))
    {
      node = ph_sketch_add_node (scope->graph, function, ph_tvm_is_prim_func (own) ? PH_TVM_KERNEL : PH_TVM_FUNCTION, py->line,
                                 py->column);
      if (!g_str_equal (op, "call_tir"))
        ph_sketch_node_text (node, "via", op);
      ph_tvm_add_function_attrs (node, own);
    }
  else
    {
      node = ph_sketch_add_node (scope->graph, op, PH_TVM_RELAX, py->line, py->column);
      text = callee->kind == PH_PY_STRING ? g_strdup (callee->text) : ph_py_to_string (callee);
      ph_sketch_node_text (node, "callee", text);
    }
  if (args != NULL && (args->kind == PH_PY_TUPLE || args->kind == PH_PY_LIST))
    for (guint i = 0; i < args->n; i++)
      add_operand (scope, node, "args", args->items[i]);
  else if (args != NULL)
    add_operand (scope, node, "args", args);
  for (guint i = last + 1; i < py->n; i++)
    {
      const PhPy *more = py->items[i];

      if (more->kind == PH_PY_KEYWORD && !g_str_equal (more->text, "out_ty") && !g_str_equal (more->text, "out_sinfo")
          && !g_str_equal (more->text, "args"))
        ph_tvm_attr (node, more->text, more->items[0]);
      else if (more->kind != PH_PY_KEYWORD && more != types && more != args)
        ph_tvm_attr (node, g_str_equal (op, "call_tir_inplace") && i == 3 ? "inplace_indices" : "tir_vars", more);
    }
  add_outputs (scope, node, types, name != NULL ? name : function != NULL ? function : "call", type);
  set_name (scope, node, node->outputs->pdata[0]);
  if (ph_tvm_relax_has_effect (op))
    ph_tvm_effect (scope, node);
  return node->outputs->len == 1
             ? node->outputs->pdata[0]
             : simple_node (scope, py, "tuple", name, NULL, (const char *const *) node->outputs->pdata, node->outputs->len);
}

static const char *
lower_call (PhTvmScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  const PhPy *callee = py->items[0], *own;
  g_autofree char *op = ph_tvm_op_name (callee);
  const gboolean standard = callee->kind == PH_PY_ATTRIBUTE && (own = callee->items[0]) != NULL && own->kind != PH_PY_CALL;
  const char *signature, *function = NULL, *output;
  g_auto (GStrv) parameters = NULL;
  PhSketchNode *node;
  guint known = 0, at = 0;

  if (g_str_equal (op, "const") && standard)
    {
      g_autoptr (PhTensor) tensor = ph_tvm_constant (py);

      if (tensor != NULL)
        return ph_sketch_add_constant (scope->graph, name != NULL ? name : "const", g_steal_pointer (&tensor));
    }
  if ((g_str_equal (op, "tuple") || g_str_equal (op, "Tuple")) && standard)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

      for (guint i = 1; i < py->n; i++)
        if (is_value (scope, py->items[i], 0))
          g_ptr_array_add (inputs, (gpointer) lower (scope, py->items[i], NULL, NULL));
      return simple_node (scope, py, "tuple", name, type, (const char *const *) inputs->pdata, inputs->len);
    }
  if (g_str_has_prefix (op, "call_tir") || g_str_equal (op, "call_dps_packed"))
    if ((output = lower_call_tir (scope, py, op, name, type)) != NULL)
      return output;
  own = standard || callee->kind == PH_PY_NAME ? own_function (scope, callee, &function) : NULL;
  if (callee->kind == PH_PY_NAME && ph_tvm_find (scope, callee->text) != NULL)
    {
      node = ph_sketch_add_node (scope->graph, "call", PH_TVM_RELAX, py->line, py->column);
      ph_sketch_node_input (node, ph_tvm_find (scope, callee->text));
    }
  else if (own != NULL && py->n - 1 <= own->n)
    {
      node = ph_sketch_add_node (scope->graph, function, ph_tvm_is_prim_func (own) ? PH_TVM_KERNEL : PH_TVM_FUNCTION, py->line,
                                 py->column);
      ph_tvm_add_function_attrs (node, own);
    }
  else if (callee->kind == PH_PY_NAME)
    {
      node = ph_sketch_add_node (scope->graph, "call", PH_TVM_RELAX, py->line, py->column);
      ph_sketch_node_text (node, "callee", callee->text);
    }
  else
    node = ph_sketch_add_node (scope->graph, op, PH_TVM_RELAX, py->line, py->column);
  if ((signature = ph_tvm_relax_signature (op)) != NULL)
    parameters = g_strsplit (signature, " ", -1);
  known = parameters != NULL ? g_strv_length (parameters) : 0;
  for (guint i = 1; i < py->n; i++)
    {
      const PhPy *argument = py->items[i];
      const char *attr = at < known ? parameters[at] : NULL;
      g_autofree char *other = NULL;

      if (argument->kind == PH_PY_KEYWORD)
        {
          if ((g_str_equal (argument->text, "ty_args") || g_str_equal (argument->text, "sinfo_args")
               || g_str_equal (argument->text, "out_ty"))
              && type == NULL)
            type = ph_tvm_type (argument->items[0]->kind != PH_PY_CALL && argument->items[0]->n == 1
                                    ? argument->items[0]->items[0]
                                    : argument->items[0]);
          add_operand (scope, node, argument->text, argument->items[0]);
          continue;
        }
      at++;
      if (attr == NULL)
        attr = other = g_strdup_printf ("arg%u", i - 1);
      /* A list of values becomes several inputs, unless it is the only operand of an operator that takes a tuple. */
      add_operand (scope, node, attr, argument);
      if (g_str_equal (op, "match_cast") && i == 2 && type == NULL)
        type = ph_tvm_type (argument);
    }
  if (standard)
    ph_tvm_relax_complete (node, op);
  output = ph_sketch_node_output (node, name != NULL ? name : strrchr (op, '.') != NULL ? strrchr (op, '.') + 1 : op, type);
  set_name (scope, node, output);
  if (ph_tvm_relax_has_effect (op))
    ph_tvm_effect (scope, node);
  return output;
}

/* Converts the right side of an assignment, or an operand, to a value. */
static const char *
lower (PhTvmScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  /* clang-format off */
  static const struct { const char *text, *op; } operators[] = {
    { "+", "add" }, { "-", "subtract" }, { "*", "multiply" }, { "/", "divide" }, { "//", "floor_divide" }, { "%", "mod" }, { "**", "power" }, { "@", "matmul" },
    { "<", "less" }, { "<=", "less_equal" }, { ">", "greater" }, { ">=", "greater_equal" }, { "==", "equal" }, { "!=", "not_equal" },
    { "and", "logical_and" }, { "or", "logical_or" }, { "&", "bitwise_and" }, { "|", "bitwise_or" }, { "^", "bitwise_xor" },
  };
  /* clang-format on */
  g_autofree char *text = NULL;
  PhSketchNode *node;
  const char *output, *found;
  gint64 index;

  switch (py->kind)
    {
    case PH_PY_NAME:
      if ((found = ph_tvm_find (scope, py->text)) != NULL)
        return name != NULL
                   ? simple_node (scope, py, "bind", name, type != NULL ? type : ph_sketch_type (scope->graph, found), &found, 1)
                   : found;
      break;
    case PH_PY_CALL: return lower_call (scope, py, name, type);
    case PH_PY_TUPLE:
    case PH_PY_LIST:
      node = ph_sketch_add_node (scope->graph, "tuple", PH_TVM_RELAX, py->line, py->column);
      for (guint i = 0; i < py->n; i++)
        ph_sketch_node_input (node, lower (scope, py->items[i], NULL, NULL));
      output = ph_sketch_node_output (node, name != NULL ? name : "tuple", type);
      set_name (scope, node, output);
      return output;
    case PH_PY_SUBSCRIPT:
      if (ph_py_int (py->items[1], &index) && is_value (scope, py->items[0], 0))
        {
          const char *of = lower (scope, py->items[0], NULL, NULL);

          node = ph_sketch_add_node (scope->graph, "tuple_get_item", PH_TVM_RELAX, py->line, py->column);
          ph_sketch_node_input (node, of);
          ph_sketch_node_int (node, "index", index);
          if (type == NULL)
            type = ph_tvm_item_type (scope->tvm, ph_sketch_type (scope->graph, of), index);
          output = ph_sketch_node_output (node, name != NULL ? name : "item", type);
          set_name (scope, node, output);
          return output;
        }
      break;
    case PH_PY_BINARY:
      for (guint i = 0; i < G_N_ELEMENTS (operators) && is_value (scope, py, 0); i++)
        if (g_str_equal (operators[i].text, py->text))
          {
            const char *sides[] = { lower (scope, py->items[0], NULL, NULL), lower (scope, py->items[1], NULL, NULL) };

            return simple_node (scope, py, operators[i].op, name, type, sides, 2);
          }
      break;
    case PH_PY_UNARY:
      if (py->text[0] == '-' && is_value (scope, py, 0))
        {
          const char *of = lower (scope, py->items[0], NULL, NULL);

          return simple_node (scope, py, "negative", name, type, &of, 1);
        }
      break;
    default: break;
    }
  /* An expression of symbols and other Python objects. */
  node = ph_sketch_add_node (scope->graph, "expression", PH_TVM_RELAX, py->line, py->column);
  text = ph_py_to_string (py);
  ph_sketch_node_text (node, "text", text);
  output = ph_sketch_node_output (node, name != NULL ? name : "expression", type);
  set_name (scope, node, output);
  return output;
}

/* ── statements ── */

/* Returns the name that both branches set last. */
static const char *
last_target (PhPy *const *body, guint n)
{
  for (; n > 0; n--)
    if (body[n - 1]->kind == PH_PY_ASSIGN || body[n - 1]->kind == PH_PY_ANNOTATED)
      return body[n - 1]->items[0]->kind == PH_PY_NAME ? body[n - 1]->items[0]->text : NULL;
    else if (body[n - 1]->kind == PH_PY_IF)
      return last_target (body[n - 1]->body, body[n - 1]->n_body);
    else if (body[n - 1]->kind == PH_PY_WITH)
      return last_target (body[n - 1]->body, body[n - 1]->n_body);
  return NULL;
}

static void
lower_if (PhTvmScope *scope, const PhPy *py)
{
  const char *condition = lower (scope, py->items[0], NULL, NULL), *target = last_target (py->body, py->n_body), *output;
  PhSketchNode *node = ph_sketch_add_node (scope->graph, "if", PH_TVM_RELAX, py->line, py->column);
  const PhType *type = NULL;
  gboolean returned = TRUE;

  ph_sketch_node_input (node, condition);
  output = ph_sketch_node_output (node, target != NULL ? target : "if", NULL);
  for (guint branch = 0; branch < 2; branch++)
    {
      PhSketchGraph *body = ph_sketch_add_body (node, branch == 0 ? "then" : "else");
      PhTvmScope inner;
      const char *result;

      ph_tvm_scope_init (&inner, scope->tvm, scope, body);
      inner.prefix = scope->prefix;
      lower_block (&inner, branch == 0 ? py->body : py->orelse, branch == 0 ? py->n_body : py->n_orelse);
      returned = returned && inner.returned;
      result = target != NULL ? ph_tvm_find (&inner, target) : NULL;
      if (!inner.returned && result != NULL)
        {
          ph_sketch_add_output (body, result);
          type = type != NULL ? type : ph_sketch_type (scope->graph, result);
        }
      g_hash_table_unref (inner.names);
      g_ptr_array_unref (inner.effects);
    }
  ph_sketch_node_type (node, 0, type);
  set_name (scope, node, output);
  ph_tvm_effect (scope, node);
  if (target != NULL)
    ph_tvm_bind (scope, target, output);
  if (returned)
    {
      ph_sketch_add_output (scope->graph, output);
      scope->returned = TRUE;
    }
}

static void
lower_inner (PhTvmScope *scope, const PhPy *def)
{
  PhSketchNode *node = ph_sketch_add_node (scope->graph, "function", PH_TVM_RELAX, def->line, def->column);
  PhSketchGraph *body = ph_sketch_add_body (node, "body");

  ph_tvm_add_function_attrs (node, def);
  if (ph_tvm_is_prim_func (def))
    ph_tvm_add_tir (scope->tvm, body, def);
  else
    {
      gpointer outer = g_hash_table_lookup (scope->names, def->text);

      g_hash_table_remove (scope->names, def->text); /* one that calls itself does so by its name */
      ph_tvm_add_relax (scope->tvm, body, def, scope);
      if (outer != NULL)
        g_hash_table_insert (scope->names, (gpointer) def->text, outer);
    }
  ph_tvm_bind (scope, def->text, ph_sketch_node_output (node, def->text, NULL));
}

static void
bind_targets (PhTvmScope *scope, const PhPy *target, const char *value)
{
  for (guint i = 0; i < target->n; i++)
    if (target->items[i]->kind == PH_PY_NAME)
      {
        PhSketchNode *node = ph_sketch_add_node (scope->graph, "tuple_get_item", PH_TVM_RELAX, target->line, target->column);

        ph_sketch_node_input (node, value);
        ph_sketch_node_int (node, "index", i);
        ph_tvm_bind (scope, target->items[i]->text, ph_sketch_node_output (node, target->items[i]->text, NULL));
        set_name (scope, node, node->outputs->pdata[0]);
      }
}

/* Returns TRUE for "n = T.int64()" or "cls = Module", which name no value of the graph. */
static gboolean
is_declaration (PhTvmScope *scope, const PhPy *value)
{
  g_autofree char *name = value->kind == PH_PY_CALL ? ph_py_dotted (value->items[0]) : NULL;

  return (name != NULL && g_str_has_prefix (name, "T."))
         || (value->kind == PH_PY_NAME && ph_tvm_find (scope, value->text) == NULL) || value->kind == PH_PY_LAMBDA
         || value->kind == PH_PY_DICT;
}

static void
lower_statement (PhTvmScope *scope, const PhPy *py)
{
  const PhPy *value, *target, *call;
  g_autofree char *name = NULL;

  switch (py->kind)
    {
    case PH_PY_ASSIGN:
    case PH_PY_ANNOTATED:
      target = py->items[0];
      value = py->kind == PH_PY_ASSIGN ? py->items[py->n - 1] : py->items[2];
      if (value == NULL || is_declaration (scope, value))
        break;
      if (target->kind == PH_PY_NAME)
        ph_tvm_bind (scope, target->text,
                     lower (scope, value, target->text, py->kind == PH_PY_ANNOTATED ? ph_tvm_type (py->items[1]) : NULL));
      else if (target->kind == PH_PY_TUPLE || target->kind == PH_PY_LIST)
        bind_targets (scope, target, lower (scope, value, value->kind == PH_PY_NAME ? NULL : "tuple", NULL));
      break;
    case PH_PY_EXPRESSION:
      call = py->items[0];
      if (call->kind != PH_PY_CALL)
        break;
      name = ph_tvm_op_name (call->items[0]);
      if (g_str_equal (name, "output"))
        break;
      if (ph_tvm_function_attrs (py) == NULL)
        lower (scope, call, "_", NULL);
      break;
    case PH_PY_WITH:
      name = py->n > 0 && py->items[0]->kind == PH_PY_CALL ? ph_tvm_op_name (py->items[0]->items[0]) : NULL;
      {
        const char *outer = scope->prefix;

        if (name != NULL && g_str_equal (name, "dataflow"))
          scope->prefix = "dataflow/";
        lower_block (scope, py->body, py->n_body);
        scope->prefix = outer;
      }
      break;
    case PH_PY_IF: lower_if (scope, py); break;
    case PH_PY_DEF: lower_inner (scope, py); break;
    case PH_PY_RETURN:
      if (!scope->returned)
        {
          const char *result = py->n > 0 ? lower (scope, py->items[0], NULL, NULL) : NULL;

          if (result != NULL)
            ph_sketch_add_output (scope->graph, result);
          scope->returned = TRUE;
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
ph_tvm_add_relax (PhTvm *tvm, PhSketchGraph *graph, const PhPy *def, PhTvmScope *outer)
{
  PhTvmScope scope;

  ph_tvm_scope_init (&scope, tvm, outer, graph);
  for (guint i = 0; i < def->n; i++)
    ph_tvm_bind (&scope, def->items[i]->text,
                 ph_sketch_add_input (graph, def->items[i]->text, ph_tvm_type (def->items[i]->items[0])));
  lower_block (&scope, def->body, def->n_body);
  if (!scope.returned && graph->nodes->len > 0)
    {
      const PhSketchNode *last = graph->nodes->pdata[graph->nodes->len - 1];

      if (last->outputs->len > 0)
        ph_sketch_add_output (graph, last->outputs->pdata[0]);
    }
  g_hash_table_unref (scope.names);
  g_ptr_array_unref (scope.effects);
}
