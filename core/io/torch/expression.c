/* expression.c: the expressions of PyTorch's code; arithmetic on known numbers is evaluated here.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/torch/alias.h"
#include "core/io/torch/call.h"
#include "core/io/torch/script.h"
#include "core/io/torch/torch.h"

gboolean
ph_torch_is_int (const PhTorchVal *val, gint64 *value)
{
  return val->kind == PH_TORCH_LITERAL && ph_py_int (val->py, value);
}

/* Evaluates "in" for a list or dictionary whose elements or keys are all known. (nullable) */
static PhTorchVal *
contains (PhTorch *torch, const PhTorchVal *of, const PhPy *item)
{
  g_autofree char *text = ph_py_to_string (item);
  const gboolean dict = of->py != NULL && of->py->kind == PH_PY_DICT;

  if (of->items == NULL)
    return NULL;
  for (guint i = 0; i < of->items->len; i++)
    {
      const PhTorchVal *val = of->items->pdata[i];
      const PhPy *py = dict ? of->py->items[2 * i] : val->kind == PH_TORCH_LITERAL ? val->py : NULL;
      g_autofree char *each = py != NULL ? ph_py_to_string (py) : NULL;

      if (each == NULL)
        return NULL;
      if (g_str_equal (each, text))
        return ph_torch_bool (torch, TRUE);
    }
  return ph_torch_bool (torch, FALSE);
}

/* Evaluates items (), keys (), values () and get () of a dictionary whose keys are known. (nullable) */
PhTorchVal *
ph_torch_of_dict (PhTorch *torch, const char *op, GPtrArray *args)
{
  const PhTorchVal *dict = args->len > 0 ? args->pdata[0] : NULL, *key = args->len > 1 ? args->pdata[1] : NULL;
  const gboolean items = g_str_equal (op, "items"), keys = g_str_equal (op, "keys");
  PhTorchVal *all;

  if (dict == NULL || dict->py == NULL || dict->py->kind != PH_PY_DICT || dict->items == NULL
      || dict->py->n < 2 * dict->items->len)
    return NULL;
  if (g_str_equal (op, "get") && key != NULL && key->kind == PH_TORCH_LITERAL)
    {
      g_autofree char *text = ph_py_to_string (key->py);

      for (guint i = 0; i < dict->items->len; i++)
        {
          g_autofree char *each = dict->py->items[2 * i] != NULL ? ph_py_to_string (dict->py->items[2 * i]) : NULL;

          if (g_strcmp0 (each, text) == 0)
            return dict->items->pdata[i];
        }
      return args->len > 2 ? args->pdata[2] : ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "None"));
    }
  if ((!items && !keys && !g_str_equal (op, "values")) || args->len > 1)
    return NULL;
  all = ph_torch_list (torch, FALSE);
  for (guint i = 0; i < dict->items->len; i++)
    {
      PhTorchVal *name = keys || items ? dict->py->items[2 * i] != NULL ? ph_torch_literal (torch, dict->py->items[2 * i]) : NULL
                                       : dict->items->pdata[i],
                 *pair = name;

      if (name == NULL
          || (name->kind == PH_TORCH_LITERAL && (keys || items) && name->py->kind != PH_PY_STRING && name->py->kind != PH_PY_INT))
        return NULL;
      if (items)
        {
          pair = ph_torch_list (torch, TRUE);
          g_ptr_array_add (pair->items, name);
          g_ptr_array_add (pair->items, dict->items->pdata[i]);
        }
      g_ptr_array_add (all->items, pair);
    }
  return all;
}

/* The largest of known integers, or the smallest. (nullable) */
static PhTorchVal *
extreme (PhTorch *torch, const GPtrArray *items, gboolean largest)
{
  gint64 found = 0, item;

  for (guint i = 0; i < items->len; i++)
    {
      if (!ph_torch_is_int (items->pdata[i], &item))
        return NULL;
      found = i == 0 || (item > found) == largest ? item : found;
    }
  return ph_torch_int (torch, found);
}

/* Evaluates @op on known numbers and lists. (nullable) */
PhTorchVal *
ph_torch_fold (PhTorch *torch, const char *op, PhTorchVal *a, PhTorchVal *b)
{
  gint64 x, y;

  if (b == NULL)
    {
      if (g_str_equal (op, "len") && a->items != NULL)
        return ph_torch_int (torch, a->items->len);
      if (g_str_equal (op, "len") && a->kind == PH_TORCH_LITERAL && a->py->kind == PH_PY_STRING)
        return ph_torch_int (torch, g_utf8_strlen (a->py->text, -1));
      if ((g_str_equal (op, "min") || g_str_equal (op, "max")) && a->items != NULL && a->items->len > 0)
        return extreme (torch, a->items, g_str_equal (op, "max"));
      if (g_str_equal (op, "abs") && ph_torch_is_int (a, &x) && x != G_MININT64)
        return ph_torch_int (torch, ABS (x));
      if (g_str_equal (op, "neg") && ph_torch_is_int (a, &x) && x != G_MININT64)
        return ph_torch_int (torch, -x);
      if (g_str_equal (op, "__not__") && a->kind == PH_TORCH_LITERAL && a->py->kind == PH_PY_CONSTANT)
        return ph_torch_bool (torch, a->py->text[0] != 'T');
      return NULL;
    }
  if ((g_str_equal (op, "__is__") || g_str_equal (op, "__isnot__"))
      && (a->kind == PH_TORCH_LITERAL || (a->kind == PH_TORCH_VALUE && !a->maybe_none) || a->items != NULL)
      && b->kind == PH_TORCH_LITERAL && ph_py_is_none (b->py))
    return ph_torch_bool (torch, (a->kind == PH_TORCH_LITERAL && ph_py_is_none (a->py)) == g_str_equal (op, "__is__"));
  if (g_str_equal (op, "__getitem__") && a->items != NULL && ph_torch_is_int (b, &x))
    {
      x += x < 0 ? (gint64) a->items->len : 0;
      return x >= 0 && x < (gint64) a->items->len ? a->items->pdata[x] : NULL;
    }
  if (g_str_equal (op, "__contains__") && b->kind == PH_TORCH_LITERAL)
    return contains (torch, a, b->py);
  if (a->kind == PH_TORCH_LITERAL && b->kind == PH_TORCH_LITERAL && a->py->kind == PH_PY_STRING && b->py->kind == PH_PY_STRING
      && (g_str_equal (op, "eq") || g_str_equal (op, "ne")))
    return ph_torch_bool (torch, g_str_equal (a->py->text, b->py->text) == g_str_equal (op, "eq"));
  if (!ph_torch_is_int (a, &x) || !ph_torch_is_int (b, &y) || ABS (x) > G_MAXINT32 || ABS (y) > G_MAXINT32)
    return NULL;
  if (g_str_equal (op, "add"))
    return ph_torch_int (torch, x + y);
  if (g_str_equal (op, "sub"))
    return ph_torch_int (torch, x - y);
  if (g_str_equal (op, "mul"))
    return ph_torch_int (torch, x * y);
  if (g_str_equal (op, "min") || g_str_equal (op, "max"))
    return ph_torch_int (torch, g_str_equal (op, "min") ? MIN (x, y) : MAX (x, y));
  if (g_str_equal (op, "floordiv") && y > 0 && x >= 0)
    return ph_torch_int (torch, x / y);
  if (g_str_equal (op, "remainder") && y > 0 && x >= 0)
    return ph_torch_int (torch, x % y);
  if (g_str_equal (op, "eq"))
    return ph_torch_bool (torch, x == y);
  if (g_str_equal (op, "ne"))
    return ph_torch_bool (torch, x != y);
  if (g_str_equal (op, "lt"))
    return ph_torch_bool (torch, x < y);
  if (g_str_equal (op, "le"))
    return ph_torch_bool (torch, x <= y);
  if (g_str_equal (op, "gt"))
    return ph_torch_bool (torch, x > y);
  return g_str_equal (op, "ge") ? ph_torch_bool (torch, x >= y) : NULL;
}

PhTorchVal *
ph_torch_fold_range (PhTorch *torch, const char *op, GPtrArray *args)
{
  gint64 n[3];

  for (guint i = 0; i < 3; i++)
    if (args->len != 3 || !ph_torch_is_int (args->pdata[i], &n[i]) || ABS (n[i]) > G_MAXINT32)
      return NULL;
  if (g_str_equal (op, "__derive_index"))
    return ph_torch_int (torch, n[1] + n[0] * n[2]);
  if (g_str_equal (op, "__range_length") && n[2] != 0)
    return ph_torch_int (torch, MAX ((n[1] - n[0] + n[2] - (n[2] > 0 ? 1 : -1)) / n[2], 0));
  return NULL;
}

gboolean
ph_torch_gives_list (const PhSketchNode *node)
{
  static const char *const lists[]
      = { "split",        "nonzero_numpy", "split_with_sizes",  "chunk",  "unbind", "tensor_split", "meshgrid",
          "unsafe_split", "unsafe_chunk",  "broadcast_tensors", "hsplit", "vsplit", "dsplit",       NULL };

  if (!g_str_equal (node->node.domain, PH_TORCH_ATEN))
    return FALSE;
  /* Where of the condition alone gives places. */
  return g_strv_contains (lists, node->node.op_type)
         || (g_str_equal (node->node.op_type, "where") && node->inputs->len == 1 && node->attrs->len == 0);
}

/* Returns an item of a result that is a list of tensors. Its length is unknown, so the node gains outputs as items are requested. */
PhTorchVal *
ph_torch_list_item (PhTorchScope *scope, const PhPy *at, PhTorchVal *of, gint64 index)
{
  PhSketchNode *parts;
  PhTorchVal *val;

  if (of->kind != PH_TORCH_VALUE || of->node == NULL || !of->whole || index < 0 || index > 1000)
    return NULL;
  parts = ph_torch_parts (scope, at, of);
  while ((gint64) parts->outputs->len <= index)
    ph_sketch_node_output (parts, parts->outputs->pdata[0], NULL);
  val = ph_torch_value (scope->torch, parts->outputs->pdata[index]);
  val->node = parts;
  val->base = of->base;
  val->seen = of->seen;
  return val;
}

/* Splits a slice, also one written slice (a, b, c), into its bounds. */
static gboolean
is_slice (const PhPy *py, const PhPy *bounds[3])
{
  bounds[0] = bounds[1] = bounds[2] = NULL;
  if (py->kind == PH_PY_SLICE)
    for (guint i = 0; i < 3 && i < py->n; i++)
      bounds[i] = py->items[i];
  else if (py->kind == PH_PY_CALL && ph_py_is_name (py->items[0], "slice") && py->n == 4)
    for (guint i = 0; i < 3; i++)
      bounds[i] = py->items[i + 1];
  else
    return FALSE;
  for (guint i = 0; i < 3; i++)
    if (bounds[i] != NULL && ph_py_is_none (bounds[i]))
      bounds[i] = NULL;
  return TRUE;
}

static gboolean
is_ellipsis (const PhPy *py)
{
  return (py->kind == PH_PY_CONSTANT && g_str_equal (py->text, "...")) || ph_py_is_name (py, "Ellipsis");
}

static PhTorchVal *
step (PhTorchScope *scope, const PhPy *at, const char *op, PhTorchVal *of, gint64 dim, PhTorchVal *const *more, guint n,
      const char *name)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  PhTorchTarget target = { (char *) PH_TORCH_ATEN, (char *) op, NULL };
  PhTorchVal *made;

  g_ptr_array_add (args, of);
  g_ptr_array_add (args, ph_torch_int (scope->torch, dim));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (args, more[i]);
  made = ph_torch_add_call (scope, at, &target, &(PhTorchCall) { args, NULL, &name, 1, NULL });
  ph_torch_note_view (made, op, of);
  return made;
}

/* Lowers x[1:, None, ..., 0, i] to select (), slice (), unsqueeze (), and index () for the remaining tensors, as TorchScript does. */
static PhTorchVal *
index_tensor (PhTorchScope *scope, const PhPy *at, PhTorchVal *of, const PhPy *index, const char *name)
{
  PhPy *const one[] = { (PhPy *) index };
  PhPy *const *items = index->kind == PH_PY_TUPLE ? index->items : one;
  const guint n = index->kind == PH_PY_TUPLE ? index->n : 1;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  gint64 dim = 0, number;
  gboolean behind = FALSE, any = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const PhPy *item = items[i], *bounds[3];
      PhTorchVal *val;

      if (is_ellipsis (item))
        {
          guint left = 0;

          for (guint k = i + 1; k < n; k++)
            left += !ph_py_is_none (items[k]);
          dim = -(gint64) left;
          behind = TRUE;
          if (any || left == 0)
            break;
          continue;
        }
      if (ph_py_is_none (item))
        {
          of = step (scope, at, "unsqueeze", of, behind ? dim - 1 : dim, NULL, 0, name);
          dim += !behind;
          continue;
        }
      if (is_slice (item, bounds))
        {
          PhTorchVal *given[3];

          for (guint k = 0; k < 3; k++)
            if ((given[k] = bounds[k] != NULL ? ph_torch_expr (scope, bounds[k], NULL, NULL)
                            : k == 2
                                ? ph_torch_int (scope->torch, 1)
                                : ph_torch_literal (scope->torch, ph_torch_new_literal (scope->torch, PH_PY_CONSTANT, "None")))
                == NULL)
              return NULL;
          if (bounds[0] != NULL || bounds[1] != NULL || bounds[2] != NULL)
            of = step (scope, at, "slice", of, dim, given, 3, name);
          dim++;
          if (!behind)
            g_ptr_array_add (tensors, NULL);
          continue;
        }
      if ((val = ph_torch_expr (scope, item, NULL, NULL)) == NULL)
        return NULL;
      if (ph_torch_is_int (val, &number)
          || (val->kind == PH_TORCH_VALUE && ph_sketch_type (scope->graph, val->name) != NULL
              && ph_sketch_type (scope->graph, val->name)->has_rank && ph_sketch_type (scope->graph, val->name)->rank == 0
              && !any))
        {
          of = step (scope, at, "select", of, dim, &val, 1, name);
          dim += behind;
          continue;
        }
      if (!ph_torch_has_value (val) || behind)
        return ph_torch_fail (scope, at,
                              "an index that is a list, or a tensor after ..., cannot be read: write it as torch.index_select")
                   ? of
                   : NULL;
      g_ptr_array_add (tensors, val);
      any = TRUE;
      dim++;
    }
  if (any)
    {
      g_autoptr (GPtrArray) args = g_ptr_array_new ();
      PhTorchTarget target = { (char *) PH_TORCH_ATEN, (char *) "index", NULL };
      PhTorchVal *list = ph_torch_list (scope->torch, FALSE);

      for (guint i = 0; i < tensors->len; i++)
        g_ptr_array_add (list->items,
                         tensors->pdata[i] != NULL
                             ? tensors->pdata[i]
                             : ph_torch_literal (scope->torch, ph_torch_new_literal (scope->torch, PH_PY_CONSTANT, "None")));
      g_ptr_array_add (args, of);
      g_ptr_array_add (args, list);
      of = ph_torch_add_call (scope, at, &target, &(PhTorchCall) { args, NULL, &name, 1, NULL });
    }
  return of;
}

PhTorchVal *
ph_torch_index (PhTorchScope *scope, const PhPy *at, PhTorchVal *of, const PhPy *py, const char *name, const PhType *type)
{
  PhTorchVal *index, *found;
  const PhPy *bounds[3];
  gint64 number;

  if (!is_slice (py, bounds) && py->kind != PH_PY_TUPLE && !is_ellipsis (py) && !ph_py_is_none (py))
    {
      if ((index = ph_torch_expr (scope, py, NULL, NULL)) == NULL)
        return NULL;
      if ((found = ph_torch_fold (scope->torch, "__getitem__", of, index)) != NULL)
        return found;
      for (guint i = 0; of->py != NULL && of->py->kind == PH_PY_DICT && of->items != NULL && i < of->items->len; i++)
        {
          const PhPy *key = of->py->items[2 * i];

          if (key != NULL && key->kind == PH_PY_STRING && index->kind == PH_TORCH_LITERAL && index->py->kind == PH_PY_STRING
              && g_str_equal (key->text, index->py->text))
            return of->items->pdata[i];
        }
      if (of->kind == PH_TORCH_UNKNOWN)
        return ph_torch_unknown (scope->torch, at);
      if (of->kind == PH_TORCH_VALUE && ph_torch_is_int (index, &number)
          && (found = ph_torch_list_item (scope, at, of, number)) != NULL)
        return found;
      if (of->items != NULL || scope->torch->zip != NULL
          || (of->node != NULL
              && (g_str_equal (of->node->node.op_type, "size") || g_str_equal (of->node->node.op_type, "shape"))))
        return ph_torch_simple_call (scope, at, PH_TORCH_ATEN, "__getitem__", of, index, name, type);
    }
  if (of->kind == PH_TORCH_UNKNOWN)
    return ph_torch_unknown (scope->torch, at);
  if (of->items != NULL && is_slice (py, bounds)) /* a part of a list that is known */
    {
      gint64 from = 0, to = of->items->len;

      if ((bounds[0] == NULL || ph_py_int (bounds[0], &from)) && (bounds[1] == NULL || ph_py_int (bounds[1], &to))
          && bounds[2] == NULL)
        {
          found = ph_torch_list (scope->torch, of->kind == PH_TORCH_TUPLE);
          from = CLAMP (from < 0 ? from + (gint64) of->items->len : from, 0, (gint64) of->items->len);
          to = CLAMP (to < 0 ? to + (gint64) of->items->len : to, 0, (gint64) of->items->len);
          for (gint64 i = from; i < to; i++)
            g_ptr_array_add (found->items, of->items->pdata[i]);
          return found;
        }
    }
  if (of->kind != PH_TORCH_VALUE)
    {
      PhTorchVal *whole = ph_torch_value (scope->torch, ph_torch_as_value (scope, at, of));

      of = whole;
    }
  found = index_tensor (scope, at, of, py, name);
  return found;
}

static PhTorchVal *
subscript (PhTorchScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  PhTorchVal *of = ph_torch_expr (scope, py->items[0], NULL, NULL);

  return of != NULL ? ph_torch_index (scope, py, of, py->items[1], name, type) : NULL;
}

static PhTorchVal *
binary (PhTorchScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  /* clang-format off */
  static const struct { const char *text, *op; } operators[] = {
    { "+", "add" }, { "-", "sub" }, { "*", "mul" }, { "/", "div" }, { "//", "floordiv" }, { "%", "remainder" }, { "**", "pow" }, { "@", "matmul" }, { "<", "lt" }, { "<=", "le" }, { ">", "gt" },
    { ">=", "ge" }, { "==", "eq" }, { "!=", "ne" }, { "is", "__is__" }, { "is not", "__isnot__" }, { "and", "__and__" }, { "or", "__or__" }, { "&", "bitwise_and" }, { "|", "bitwise_or" }, { "^", "bitwise_xor" },
    { "in", "__contains__" }, { "<<", "__lshift__" }, { ">>", "__rshift__" }, { "not in", "__not_contains__" },
  };
  /* clang-format on */
  PhTorchVal *a = ph_torch_expr (scope, py->items[0], NULL, NULL),
             *b = a != NULL ? ph_torch_expr (scope, py->items[1], NULL, NULL) : NULL, *folded;
  g_autoptr (GPtrArray) both = g_ptr_array_new ();

  if (b == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_equal (operators[i].text, py->text))
      {
        if ((folded = ph_torch_fold (scope->torch, operators[i].op, a, b)) != NULL)
          return folded;
        g_ptr_array_add (both, a);
        g_ptr_array_add (both, b);
        if ((folded = ph_torch_of_lists (scope, py, operators[i].op, both)) != NULL || *scope->torch->error != NULL)
          return folded;
        if (ph_torch_has_value (a) || ph_torch_has_value (b))
          return ph_torch_simple_call (scope, py, PH_TORCH_ATEN, operators[i].op, a, b, name, type);
        break;
      }
  return ph_torch_unknown (scope->torch, py);
}

PhTorchVal *
ph_torch_expr (PhTorchScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  PhTorch *torch = scope->torch;
  PhTorchVal *val, *folded;
  double real;

  switch (py->kind)
    {
    case PH_PY_NAME:
      if ((val = g_hash_table_lookup (scope->names, py->text)) != NULL)
        return val;
      return ph_py_float (py, &real) ? ph_torch_literal (torch, py) : ph_torch_unknown (torch, py);
    case PH_PY_INT:
    case PH_PY_FLOAT:
    case PH_PY_STRING:
    case PH_PY_CONSTANT: return ph_torch_literal (torch, py);
    case PH_PY_TUPLE:
    case PH_PY_LIST:
      val = ph_torch_list (torch, py->kind == PH_PY_TUPLE);
      for (guint i = 0; i < py->n; i++)
        {
          PhTorchVal *item = ph_torch_expr (scope, py->items[i], NULL, NULL);

          if (item == NULL)
            return NULL;
          g_ptr_array_add (val->items, item);
        }
      return val;
    case PH_PY_DICT: /* its values, in order; py has the keys */
      val = ph_torch_list (torch, TRUE);
      val->py = py;
      for (guint i = 0; i + 1 < py->n; i += 2)
        {
          PhTorchVal *item = ph_torch_expr (scope, py->items[i + 1], NULL, NULL);

          if (item == NULL)
            return NULL;
          g_ptr_array_add (val->items, item);
        }
      return val;
    case PH_PY_CALL: return ph_torch_call (scope, py, &name, 1, type);
    case PH_PY_ATTRIBUTE:
      if ((val = ph_torch_expr (scope, py->items[0], NULL, NULL)) == NULL)
        return NULL;
      if (val->kind == PH_TORCH_MODULE)
        return ph_torch_get_attr (scope, py, val, py->text);
      if (val->kind == PH_TORCH_TUPLE && val->py != NULL && val->py->kind == PH_PY_DICT) /* of a named tuple */
        for (guint i = 0; i < val->items->len && 2 * i < val->py->n; i++)
          if (val->py->items[2 * i] != NULL && val->py->items[2 * i]->kind == PH_PY_STRING
              && g_str_equal (val->py->items[2 * i]->text, py->text))
            return val->items->pdata[i];
      if (ph_py_is_name (py->items[0], "CONSTANTS") && torch->zip != NULL)
        return ph_torch_get_attr (scope, py, val, py->text);
      if (val->kind == PH_TORCH_VALUE && torch->zip == NULL && (g_str_equal (py->text, "real") || g_str_equal (py->text, "imag")))
        return ph_torch_simple_call (scope, py, PH_TORCH_ATEN, py->text, val, NULL, name, type);
      if (val->kind == PH_TORCH_VALUE && torch->zip == NULL
          && (g_str_equal (py->text, "T") || g_str_equal (py->text, "mT") || g_str_equal (py->text, "H")))
        {
          PhTorchVal *turned = ph_torch_simple_call (scope, py, PH_TORCH_ATEN, g_str_equal (py->text, "T") ? "numpy_T" : "mT",
                                                     val, NULL, name, type);

          ph_torch_note_view (turned, turned->node->node.op_type, val);
          return turned;
        }
      if (val->kind == PH_TORCH_VALUE) /* x.shape, x.dtype */
        return ph_torch_simple_call (scope, py, PH_TORCH_PRIM, py->text, val, NULL, name, type);
      return ph_py_float (py, &real) ? ph_torch_literal (torch, py) : ph_torch_unknown (torch, py);
    case PH_PY_SUBSCRIPT: return subscript (scope, py, name, type);
    case PH_PY_BINARY: return binary (scope, py, name, type);
    case PH_PY_UNARY:
      if (ph_py_float (py, &real))
        return ph_torch_literal (torch, py);
      if ((val = ph_torch_expr (scope, py->items[0], NULL, NULL)) == NULL)
        return NULL;
      if ((folded = ph_torch_fold (torch, py->text[0] == 'n' ? "__not__" : "neg", val, NULL)) != NULL)
        return folded;
      return val->kind == PH_TORCH_VALUE ? ph_torch_simple_call (scope, py, PH_TORCH_ATEN,
                                                                 py->text[0] == 'n'   ? "__not__"
                                                                 : py->text[0] == '~' ? "bitwise_not"
                                                                                      : "neg",
                                                                 val, NULL, name, type)
                                         : ph_torch_unknown (torch, py);
    default: return ph_torch_unknown (torch, py);
    }
}

/* Evaluates @py, the right side of an assignment to @n names. */
PhTorchVal *
ph_torch_results (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n)
{
  return py->kind == PH_PY_CALL && !ph_py_is_name (py->items[0], "annotate") ? ph_torch_call (scope, py, names, n, NULL)
                                                                             : ph_torch_expr (scope, py, NULL, NULL);
}
