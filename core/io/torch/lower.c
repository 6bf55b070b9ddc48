/* lower.c: the expressions of PyTorch's code as nodes. Constants stand as attributes at the node that uses them, under the name of the
 * parameter; what is known when the model is read (modules, lists, numbers) makes no node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/torch.h"

#define MAX_WORK 2000000

static void
val_free (gpointer data)
{
  g_free (data);
}

static PhTorchVal *
new_val (PhTorch *torch, PhTorchKind kind)
{
  PhTorchVal *val = g_new0 (PhTorchVal, 1);

  val->kind = kind;
  if (kind == PH_TORCH_LIST || kind == PH_TORCH_TUPLE)
    g_ptr_array_add (torch->lists, val->items = g_ptr_array_new ());
  g_ptr_array_add (torch->values, val);
  return val;
}

PhTorchVal *
ph_torch_value (PhTorch *torch, const char *name)
{
  PhTorchVal *val = new_val (torch, PH_TORCH_VALUE);

  val->name = name;
  return val;
}

PhTorchVal *
ph_torch_module (PhTorch *torch, const PhPickle *object, const char *path)
{
  PhTorchVal *val = new_val (torch, PH_TORCH_MODULE);

  val->object = object;
  val->path = ph_intern (path);
  return val;
}

PhTorchVal *
ph_torch_literal (PhTorch *torch, const PhPy *py)
{
  PhTorchVal *val = new_val (torch, PH_TORCH_LITERAL);

  val->py = py;
  return val;
}

PhTorchVal *
ph_torch_list (PhTorch *torch, gboolean tuple)
{
  return new_val (torch, tuple ? PH_TORCH_TUPLE : PH_TORCH_LIST);
}

static PhTorchVal *
unknown (PhTorch *torch, const PhPy *py)
{
  PhTorchVal *val = new_val (torch, PH_TORCH_UNKNOWN);

  val->py = py;
  return val;
}

PhPy *
ph_torch_new_literal (PhTorch *torch, PhPyKind kind, const char *text)
{
  PhPy *py = ph_py_alloc (torch->own, sizeof *py);

  py->kind = kind;
  py->line = py->column = py->depth = 1;
  py->text = ph_py_strndup (torch->own, text, strlen (text));
  return py;
}

static PhTorchVal *
int_literal (PhTorch *torch, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  PhPy *py = ph_torch_new_literal (torch, PH_PY_INT, text);

  py->i = value;
  return ph_torch_literal (torch, py);
}

static PhTorchVal *
bool_literal (PhTorch *torch, gboolean value)
{
  return ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, value ? "True" : "False"));
}

void
ph_torch_init (PhTorch *torch, PhSource *source, PhSketch *sketch, GError **error)
{
  *torch = (PhTorch) { .sketch = sketch, .source = source, .error = error };
  torch->values = g_ptr_array_new_with_free_func (val_free);
  torch->lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  torch->modules = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_py_free);
  torch->texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  torch->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  torch->weights = g_hash_table_new (NULL, NULL);
  torch->own = ph_py_parse (source, "", 0, 1, NULL, NULL);
}

void
ph_torch_clear (PhTorch *torch)
{
  g_ptr_array_unref (torch->values);
  g_ptr_array_unref (torch->lists);
  g_ptr_array_unref (torch->modules);
  g_ptr_array_unref (torch->texts);
  g_hash_table_unref (torch->files);
  g_hash_table_unref (torch->weights);
  ph_py_free (torch->own);
}

/* ── nodes ── */

static PhSketchNode *
add_node (PhTorchScope *scope, const PhPy *at, const char *op, const char *domain)
{
  const gboolean own = scope->file == NULL;
  PhSketchNode *node = ph_sketch_add_node (scope->graph, op, domain, own ? at->line : 0, own ? at->column : 0);
  const char *place = scope->place != NULL ? strstr (scope->place, "File: ") : NULL;
  g_autoptr (GMatchInfo) match = NULL;

  if (scope->file != NULL)
    node->node.where = ph_where_new (ph_intern (scope->file), at->line, at->column, FALSE, NULL);
  if (place != NULL)
    {
      static GRegex *regex;

      if (g_once_init_enter (&regex))
        g_once_init_leave (&regex, g_regex_new ("File: (.+?):([0-9]{1,9})(?: in |, code|$)", G_REGEX_OPTIMIZE | G_REGEX_RAW, 0, NULL));
      if (g_regex_match (regex, place, 0, &match))
        {
          g_autofree char *file = g_match_info_fetch (match, 1), *line = g_match_info_fetch (match, 2), *valid = g_utf8_make_valid (file, -1);

          node->node.where = ph_where_new (ph_intern (valid), (guint) g_ascii_strtoull (line, NULL, 10), 0, FALSE, NULL);
        }
    }
  return node;
}

static void
name_node (PhTorchScope *scope, PhSketchNode *node)
{
  if (*scope->scope != '\0' && node->outputs->len > 0)
    {
      g_autofree char *name = g_strconcat (scope->scope, node->outputs->pdata[0], NULL);

      node->node.name = ph_importer_name (&scope->torch->sketch->importer, name);
    }
}

static PhTensor *
scalar (const PhPy *py)
{
  double value;

  if (py->kind == PH_PY_CONSTANT && (py->text[0] == 'T' || py->text[0] == 'F'))
    return ph_tensor_new_scalar (PH_BOOL, py->text[0] == 'T');
  if (py->kind == PH_PY_INT)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (&py->i, sizeof py->i);

      return ph_tensor_new_from_bytes (PH_INT64, 0, NULL, bytes);
    }
  if (!ph_py_float (py, &value))
    return NULL;
  return ph_tensor_new_scalar (py->kind == PH_PY_FLOAT || (py->n > 0 && py->items[0]->kind == PH_PY_FLOAT) ? PH_DOUBLE : PH_INT64, value);
}

const char *
ph_torch_as_value (PhTorchScope *scope, const PhPy *at, PhTorchVal *val)
{
  PhSketchNode *node;
  g_autoptr (PhTensor) tensor = NULL;
  const char *output;

  if (val->kind == PH_TORCH_VALUE)
    return val->name;
  if (val->kind == PH_TORCH_MODULE && val->object == NULL && *val->path != '\0')       /* what FX's module holds */
    {
      PhTorch *torch = scope->torch;

      if ((output = g_hash_table_lookup (torch->weights, val->path)) == NULL)
        g_hash_table_insert (torch->weights, (gpointer) val->path, (gpointer) (output = ph_sketch_add_input (torch->sketch->main, val->path, NULL)));
      return output;
    }
  if (val->kind == PH_TORCH_LITERAL && (tensor = scalar (val->py)) != NULL)
    return ph_sketch_add_constant (scope->graph, "const", g_steal_pointer (&tensor));
  if (val->kind == PH_TORCH_LIST || val->kind == PH_TORCH_TUPLE)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

      for (guint i = 0; i < val->items->len; i++)
        g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (scope, at, val->items->pdata[i]));
      node = add_node (scope, at, val->kind == PH_TORCH_LIST ? "ListConstruct" : "TupleConstruct", PH_TORCH_PRIM);
      for (guint i = 0; i < inputs->len; i++)
        ph_sketch_node_input (node, inputs->pdata[i]);
      output = ph_sketch_node_output (node, val->kind == PH_TORCH_LIST ? "list" : "tuple", NULL);
    }
  else
    {
      g_autofree char *text = val->py != NULL ? ph_py_to_string (val->py) : g_strdup (val->path);

      node = add_node (scope, at, val->kind == PH_TORCH_MODULE ? "GetAttr" : "Constant", PH_TORCH_PRIM);
      ph_sketch_node_text (node, val->kind == PH_TORCH_MODULE ? "name" : "value", text);
      output = ph_sketch_node_output (node, "constant", NULL);
    }
  name_node (scope, node);
  return output;
}

static gboolean
has_value (const PhTorchVal *val)
{
  if (val->kind == PH_TORCH_VALUE || (val->kind == PH_TORCH_MODULE && val->object == NULL && *val->path != '\0'))
    return TRUE;
  for (guint i = 0; val->items != NULL && i < val->items->len; i++)
    if (has_value (val->items->pdata[i]))
      return TRUE;
  return FALSE;
}

static void
print_val (GString *out, const PhTorchVal *val)
{
  g_autofree char *text = NULL;

  if (val->items != NULL)
    {
      g_string_append_c (out, val->kind == PH_TORCH_LIST ? '[' : '(');
      for (guint i = 0; i < val->items->len; i++)
        {
          g_string_append (out, i > 0 ? ", " : "");
          print_val (out, val->items->pdata[i]);
        }
      g_string_append_c (out, val->kind == PH_TORCH_LIST ? ']' : ')');
      return;
    }
  text = val->py != NULL ? ph_py_to_string (val->py) : g_strdup (val->name != NULL ? val->name : val->path);
  g_string_append (out, text);
}

static void
add_attr (PhSketchNode *node, const char *name, const PhTorchVal *val)
{
  g_autoptr (GString) text = NULL;
  double real;

  if (val->kind == PH_TORCH_LITERAL)
    {
      gint64 whole;

      if (ph_py_is_none (val->py))
        return;
      if (ph_py_int (val->py, &whole))
        ph_sketch_node_int (node, name, whole);
      else if (val->py->kind == PH_PY_CONSTANT)
        ph_sketch_node_int (node, name, val->py->text[0] == 'T');
      else if (ph_py_float (val->py, &real))
        ph_sketch_node_attr (node, ph_attr_new_float (ph_intern (name), (float) real));
      else if (val->py->kind == PH_PY_STRING)
        ph_sketch_node_text (node, name, val->py->text);
      return;
    }
  if (val->items != NULL)
    {
      g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64)), floats = g_array_new (FALSE, FALSE, sizeof (float));
      gboolean all = TRUE, whole = TRUE;

      for (guint i = 0; all && i < val->items->len; i++)
        {
          const PhTorchVal *item = val->items->pdata[i];
          gint64 n = 0;
          float f;

          all = item->kind == PH_TORCH_LITERAL && (ph_py_float (item->py, &real) || (item->py->kind == PH_PY_CONSTANT && strchr ("TF", item->py->text[0]) != NULL));
          if (!all)
            break;
          if (item->py->kind == PH_PY_CONSTANT)
            real = (double) (n = item->py->text[0] == 'T');
          else
            whole = ph_py_int (item->py, &n) && whole;
          f = (float) real;
          g_array_append_val (ints, n);
          g_array_append_val (floats, f);
        }
      if (all && val->items->len > 0)
        {
          ph_sketch_node_attr (node, whole ? ph_attr_new_ints (ph_intern (name), (const gint64 *) (gpointer) ints->data, ints->len)
                                           : ph_attr_new_floats (ph_intern (name), (const float *) (gpointer) floats->data, floats->len));
          return;
        }
    }
  text = g_string_new (NULL);
  print_val (text, val);
  ph_sketch_node_text (node, name, text->str);
}

void
ph_torch_add_operand (PhTorchScope *scope, PhSketchNode *node, const PhPy *at, const char *attr, gboolean tensor, PhTorchVal *val)
{
  if (val->kind == PH_TORCH_VALUE || (val->kind == PH_TORCH_MODULE && has_value (val)))
    {
      ph_sketch_node_input (node, ph_torch_as_value (scope, at, val));
      if (!tensor)                          /* a number that is computed: which parameter it is */
        {
          g_autofree char *where = g_strdup_printf ("%s_input", attr);

          ph_sketch_node_int (node, where, (gint64) node->inputs->len - 1);
        }
    }
  else if (tensor && val->items != NULL)
    for (guint i = 0; i < val->items->len; i++)
      {
        PhTorchVal *item = val->items->pdata[i];

        ph_sketch_node_input (node, item->kind == PH_TORCH_LITERAL && ph_py_is_none (item->py) ? "" : ph_torch_as_value (scope, at, item));
      }
  else if (has_value (val))
    {
      g_autofree char *where = g_strdup_printf ("%s_input", attr);

      ph_sketch_node_input (node, ph_torch_as_value (scope, at, val));
      ph_sketch_node_int (node, where, (gint64) node->inputs->len - 1);
    }
  else
    {
      if (tensor)
        ph_sketch_node_input (node, "");
      add_attr (node, attr, val);
    }
}

/* ── calls ── */

typedef struct { char *domain, *op, *overload; } Target;

static void
target_clear (Target *target)
{
  g_free (target->domain);
  g_free (target->op);
  g_free (target->overload);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Target, target_clear)

/* "torch.ops.aten.add.Tensor", "torch.relu", "operator.getitem", ... */
static void
resolve (const char *dotted, gboolean script, Target *target)
{
  static const char *const spaces[] = { "torch.ops.", "ops." };
  static const char *const functions[] = { "torch.nn.functional.", "torch._C._nn.", "torch.special.", "torch.linalg.", "torch._VF.", "F.", "torch." };
  static const struct { const char *python, *aten; } operators[] = { { "truediv", "div" }, { "floordiv", "floor_divide" }, { "mod", "remainder" }, { "getitem", "__getitem__" },
                                                                     { "and_", "bitwise_and" }, { "or_", "bitwise_or" }, { "not_", "logical_not" }, { "iadd", "add_" }, { "imul", "mul_" },
                                                                     { "isub", "sub_" }, { "itruediv", "div_" } };
  const char *last = strrchr (dotted, '.') != NULL ? strrchr (dotted, '.') + 1 : dotted;

  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    if (g_str_has_prefix (dotted, spaces[i]))
      {
        g_auto (GStrv) parts = g_strsplit (dotted + strlen (spaces[i]), ".", 3);

        if (g_strv_length (parts) >= 2)
          {
            target->domain = g_strdup (parts[0]);
            target->op = g_strdup (parts[1]);
            target->overload = parts[2] != NULL && !g_str_equal (parts[2], "default") ? g_strdup (parts[2]) : NULL;
            return;
          }
      }
  if (g_str_has_prefix (dotted, "operator.") || g_str_has_prefix (dotted, "_operator."))
    {
      target->domain = g_strdup (PH_TORCH_ATEN);
      for (guint i = 0; i < G_N_ELEMENTS (operators) && target->op == NULL; i++)
        if (g_str_equal (operators[i].python, last))
          target->op = g_strdup (operators[i].aten);
      if (target->op == NULL)
        target->op = g_strdup (last);
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_has_prefix (dotted, functions[i]) && strchr (dotted + strlen (functions[i]), '.') == NULL && (script || ph_torch_signature (last) != NULL))
      {
        target->domain = g_strdup (PH_TORCH_ATEN);
        target->op = g_strdup (last);
        return;
      }
  target->domain = g_strdup (PH_TORCH_OTHER);
  target->op = g_strdup (dotted);
}

/* @args: values of the positional arguments; @names: those of @n_names results (nullable). */
static PhTorchVal *
add_call (PhTorchScope *scope, const PhPy *at, const Target *target, GPtrArray *args, GPtrArray *keywords, const char *const *names, guint n_names, const PhType *type)
{
  PhTorch *torch = scope->torch;
  const char *signature = g_str_equal (target->domain, PH_TORCH_ATEN) ? ph_torch_signature (target->op) : NULL;
  g_auto (GStrv) parameters = signature != NULL ? g_strsplit (signature, " ", -1) : NULL;
  const guint known = parameters != NULL ? g_strv_length (parameters) : 0;
  PhSketchNode *node = add_node (scope, at, target->op, target->domain);
  g_autoptr (GPtrArray) used = g_ptr_array_new ();
  const gboolean variance = g_str_equal (target->op, "var") || g_str_equal (target->op, "std");
  PhTorchVal *result;

  if (target->overload != NULL)
    ph_sketch_node_text (node, "overload", target->overload);
  for (guint i = 0; i < MAX (args->len, known); i++)
    {
      const char *parameter = i < known ? parameters[i] : NULL;
      const gboolean tensor = parameter == NULL || *parameter == '*';
      g_autofree char *other = g_strdup_printf ("arg%u", i);
      const char *name = parameter != NULL ? parameter + (*parameter == '*' ? 1 : 0) : other;
      PhTorchVal *val = i < args->len ? args->pdata[i] : NULL;

      if (variance && i == 1 && val != NULL && val->kind == PH_TORCH_LITERAL && val->py->kind == PH_PY_CONSTANT)
        name = "unbiased";
      for (guint k = 0; val == NULL && keywords != NULL && k + 1 < keywords->len; k += 2)
        if (g_str_equal (keywords->pdata[k], name))
          {
            val = keywords->pdata[k + 1];
            g_ptr_array_add (used, keywords->pdata[k]);
          }
      if (val == NULL)
        {
          gboolean more = FALSE;

          for (guint k = 0; keywords != NULL && parameter != NULL && k < keywords->len; k += 2)
            more = more || strstr (signature, keywords->pdata[k]) != NULL;
          if (more && tensor && parameter != NULL)
            ph_sketch_node_input (node, "");
          continue;
        }
      if (parameter == NULL && !has_value (val))
        add_attr (node, name, val);
      else
        ph_torch_add_operand (scope, node, at, name, tensor, val);
    }
  for (guint k = 0; keywords != NULL && k + 1 < keywords->len; k += 2)
    if (!g_ptr_array_find (used, keywords->pdata[k], NULL))
      ph_torch_add_operand (scope, node, at, keywords->pdata[k], has_value (keywords->pdata[k + 1]) && ((PhTorchVal *) keywords->pdata[k + 1])->kind == PH_TORCH_VALUE, keywords->pdata[k + 1]);
  while (node->inputs->len > 0 && *(const char *) node->inputs->pdata[node->inputs->len - 1] == '\0')
    g_ptr_array_set_size (node->inputs, (int) node->inputs->len - 1);
  if (n_names <= 1)
    {
      const char *base = n_names == 1 && names[0] != NULL ? names[0] : strrchr (target->op, '.') != NULL ? strrchr (target->op, '.') + 1 : target->op;

      result = ph_torch_value (torch, ph_sketch_node_output (node, base, type));
    }
  else
    {
      result = ph_torch_list (torch, TRUE);
      for (guint i = 0; i < n_names; i++)
        g_ptr_array_add (result->items, ph_torch_value (torch, ph_sketch_node_output (node, names[i] != NULL ? names[i] : "_", NULL)));
    }
  name_node (scope, node);
  return result;
}

static PhTorchVal *
simple_call (PhTorchScope *scope, const PhPy *at, const char *domain, const char *op, PhTorchVal *a, PhTorchVal *b, const char *name, const PhType *type)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  Target target = { (char *) domain, (char *) op, NULL };

  g_ptr_array_add (args, a);
  if (b != NULL)
    g_ptr_array_add (args, b);
  return add_call (scope, at, &target, args, NULL, &name, 1, type);
}

static gboolean
literal_int (const PhTorchVal *val, gint64 *value)
{
  return val->kind == PH_TORCH_LITERAL && ph_py_int (val->py, value);
}

/* What is asked of numbers and lists that are known. (nullable) */
static PhTorchVal *
fold (PhTorch *torch, const char *op, PhTorchVal *a, PhTorchVal *b)
{
  gint64 x, y;

  if (b == NULL)
    {
      if (g_str_equal (op, "len") && a->items != NULL)
        return int_literal (torch, a->items->len);
      if (g_str_equal (op, "neg") && literal_int (a, &x) && x != G_MININT64)
        return int_literal (torch, -x);
      if (g_str_equal (op, "__not__") && a->kind == PH_TORCH_LITERAL && a->py->kind == PH_PY_CONSTANT)
        return bool_literal (torch, a->py->text[0] != 'T');
      return NULL;
    }
  if ((g_str_equal (op, "__is__") || g_str_equal (op, "__isnot__")) && (a->kind == PH_TORCH_LITERAL || a->kind == PH_TORCH_VALUE || a->items != NULL) && b->kind == PH_TORCH_LITERAL && ph_py_is_none (b->py))
    return bool_literal (torch, (a->kind == PH_TORCH_LITERAL && ph_py_is_none (a->py)) == g_str_equal (op, "__is__"));
  if (g_str_equal (op, "__getitem__") && a->items != NULL && literal_int (b, &x))
    {
      x += x < 0 ? (gint64) a->items->len : 0;
      return x >= 0 && x < (gint64) a->items->len ? a->items->pdata[x] : NULL;
    }
  if (a->kind == PH_TORCH_LITERAL && b->kind == PH_TORCH_LITERAL && a->py->kind == PH_PY_STRING && b->py->kind == PH_PY_STRING && (g_str_equal (op, "eq") || g_str_equal (op, "ne")))
    return bool_literal (torch, g_str_equal (a->py->text, b->py->text) == g_str_equal (op, "eq"));
  if (!literal_int (a, &x) || !literal_int (b, &y) || ABS (x) > G_MAXINT32 || ABS (y) > G_MAXINT32)
    return NULL;
  if (g_str_equal (op, "add"))
    return int_literal (torch, x + y);
  if (g_str_equal (op, "sub"))
    return int_literal (torch, x - y);
  if (g_str_equal (op, "mul"))
    return int_literal (torch, x * y);
  if (g_str_equal (op, "floordiv") && y > 0 && x >= 0)
    return int_literal (torch, x / y);
  if (g_str_equal (op, "remainder") && y > 0 && x >= 0)
    return int_literal (torch, x % y);
  if (g_str_equal (op, "eq"))
    return bool_literal (torch, x == y);
  if (g_str_equal (op, "ne"))
    return bool_literal (torch, x != y);
  if (g_str_equal (op, "lt"))
    return bool_literal (torch, x < y);
  if (g_str_equal (op, "le"))
    return bool_literal (torch, x <= y);
  if (g_str_equal (op, "gt"))
    return bool_literal (torch, x > y);
  return g_str_equal (op, "ge") ? bool_literal (torch, x >= y) : NULL;
}

/* annotate (T, x), getattr (m, "0"), int (x), ...: NULL without error is none of them. */
static PhTorchVal *
builtin_call (PhTorchScope *scope, const PhPy *py, GPtrArray *args, const char *name, const PhType *type)
{
  const char *callee = py->items[0]->kind == PH_PY_NAME ? py->items[0]->text : "";
  PhTorchVal *first = args->len > 0 ? args->pdata[0] : NULL, *last = args->len > 0 ? args->pdata[args->len - 1] : NULL;

  if ((g_str_equal (callee, "annotate") || g_str_equal (callee, "unchecked_cast")) && args->len == 2)
    return last;
  if (g_str_equal (callee, "uninitialized"))
    return unknown (scope->torch, py);
  if (g_str_equal (callee, "getattr") && args->len >= 2 && last->kind == PH_TORCH_LITERAL && last->py->kind == PH_PY_STRING)
    return ph_torch_get_attr (scope, py, first, last->py->text);
  if ((g_str_equal (callee, "int") || g_str_equal (callee, "float") || g_str_equal (callee, "bool")) && args->len == 1)
    {
      const char *op = *callee == 'i' ? "Int" : *callee == 'f' ? "Float" : "Bool";

      if (first->kind != PH_TORCH_VALUE)
        return first;
      return simple_call (scope, py, PH_TORCH_ATEN, op, first, NULL, name, type != NULL ? type : ph_type_tensor (*callee == 'i' ? PH_INT64 : *callee == 'f' ? PH_DOUBLE : PH_BOOL, 0, NULL));
    }
  if (g_str_equal (callee, "len") && args->len == 1)
    {
      PhTorchVal *n = fold (scope->torch, "len", first, NULL);

      return n != NULL ? n : simple_call (scope, py, PH_TORCH_ATEN, "len", first, NULL, name, ph_type_tensor (PH_INT64, 0, NULL));
    }
  return NULL;
}

static PhTorchVal *
call_expr (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n_names, const PhType *type)
{
  PhTorch *torch = scope->torch;
  const PhPy *callee = py->items[0];
  g_autofree char *dotted = ph_py_dotted (callee);
  g_autoptr (GPtrArray) args = g_ptr_array_new (), keywords = g_ptr_array_new ();
  g_auto (Target) target = { NULL, NULL, NULL };
  PhTorchVal *val = NULL, *of = NULL;
  const char *name = n_names == 1 ? names[0] : NULL;
  gboolean known = FALSE, skip_type = ph_py_is_name (callee, "annotate") || ph_py_is_name (callee, "unchecked_cast") || ph_py_is_name (callee, "uninitialized");

  if (++torch->work > MAX_WORK)
    {
      ph_source_fail (torch->source, torch->error, PH_ERROR_UNSUPPORTED, NULL, "its functions call each other more than %d times", MAX_WORK);
      return NULL;
    }
  for (guint i = 1; i < py->n; i++)
    {
      const PhPy *argument = py->items[i];

      if (skip_type && i == 1)
        val = unknown (torch, argument);
      else if ((val = ph_torch_expr (scope, argument->kind == PH_PY_KEYWORD || argument->kind == PH_PY_STARRED ? argument->items[0] : argument, NULL, NULL)) == NULL)
        return NULL;
      if (argument->kind == PH_PY_KEYWORD && *argument->text != '*')
        {
          g_ptr_array_add (keywords, (gpointer) argument->text);
          g_ptr_array_add (keywords, val);
        }
      else
        g_ptr_array_add (args, val);
    }
  if ((val = builtin_call (scope, py, args, name, type)) != NULL || *torch->error != NULL)
    return val;
  if (callee->kind == PH_PY_ATTRIBUTE && (dotted == NULL || g_hash_table_contains (scope->names, callee->items[0]->kind == PH_PY_NAME ? callee->items[0]->text : "") || g_str_has_prefix (dotted, "self.")))
    {
      if ((of = ph_torch_expr (scope, callee->items[0], NULL, NULL)) == NULL)
        return NULL;
      if (of->kind == PH_TORCH_MODULE && of->object != NULL)
        {
          val = ph_torch_call_method (scope, py, of, callee->text, args, &known);
          if (known || val == NULL)
            return val;
        }
      else if (of->kind == PH_TORCH_MODULE)            /* self.fc1 (x): what is in it is not said */
        {
          g_autofree char *path = g_strdup_printf ("%s%s%s", of->path, *of->path != '\0' ? "." : "", callee->text);

          target.domain = g_strdup (PH_TORCH_OTHER);
          target.op = g_strdup ("call_module");
          val = add_call (scope, py, &target, args, keywords, names, n_names, type);
          ph_sketch_node_text (scope->graph->nodes->pdata[scope->graph->nodes->len - 1], "target", path);
          return val;
        }
      else
        {
          g_ptr_array_insert (args, 0, of);
          target.domain = g_strdup (ph_torch_signature (callee->text) != NULL || torch->zip != NULL ? PH_TORCH_ATEN : PH_TORCH_OTHER);
          target.op = g_strdup (callee->text);
        }
    }
  else if (dotted != NULL && g_str_has_prefix (dotted, "__torch__."))
    {
      val = ph_torch_call_function (scope, py, dotted, args, &known);
      if (known || val == NULL)
        return val;
    }
  if (target.op == NULL)
    {
      g_autofree char *text = dotted != NULL ? g_strdup (dotted) : ph_py_to_string (callee);

      resolve (text, torch->zip != NULL, &target);
    }
  if (args->len >= 1 && args->len <= 2 && keywords->len == 0 && g_str_equal (target.domain, PH_TORCH_ATEN)
      && (val = fold (torch, target.op, args->pdata[0], args->len == 2 ? args->pdata[1] : NULL)) != NULL)
    return val;
  val = add_call (scope, py, &target, args, keywords, names, n_names, type);
  /* One that writes into its first operand: who names that later means the result. */
  if (strlen (target.op) > 1 && g_str_has_suffix (target.op, "_") && !g_str_has_suffix (target.op, "__") && val->kind == PH_TORCH_VALUE)
    {
      const PhPy *first = of != NULL ? callee->items[0] : py->n > 1 ? py->items[1] : NULL;

      if (first != NULL && first->kind == PH_PY_NAME && g_hash_table_contains (scope->names, first->text))
        g_hash_table_insert (scope->names, (gpointer) first->text, val);
    }
  return val;
}

static PhTorchVal *
subscript (PhTorchScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  PhTorchVal *of = ph_torch_expr (scope, py->items[0], NULL, NULL), *index, *found;
  PhSketchNode *node;
  g_autofree char *text = NULL;
  gint64 at;

  if (of == NULL)
    return NULL;
  if (py->items[1]->kind != PH_PY_SLICE && py->items[1]->kind != PH_PY_TUPLE)
    {
      if ((index = ph_torch_expr (scope, py->items[1], NULL, NULL)) == NULL)
        return NULL;
      if ((found = fold (scope->torch, "__getitem__", of, index)) != NULL)
        return found;
      for (guint i = 0; of->py != NULL && of->py->kind == PH_PY_DICT && of->items != NULL && i < of->items->len; i++)
        {
          const PhPy *key = of->py->items[2 * i];

          if (key != NULL && key->kind == PH_PY_STRING && index->kind == PH_TORCH_LITERAL && index->py->kind == PH_PY_STRING && g_str_equal (key->text, index->py->text))
            return of->items->pdata[i];
        }
      if (of->kind == PH_TORCH_UNKNOWN)
        return unknown (scope->torch, py);
      if (index->kind == PH_TORCH_VALUE || literal_int (index, &at))
        return simple_call (scope, py, PH_TORCH_ATEN, "__getitem__", of, index, name, type);
    }
  if (of->kind == PH_TORCH_UNKNOWN)
    return unknown (scope->torch, py);
  node = add_node (scope, py, "__getitem__", PH_TORCH_ATEN);
  ph_sketch_node_input (node, ph_torch_as_value (scope, py, of));
  text = ph_py_to_string (py->items[1]);
  ph_sketch_node_text (node, "idx", text);
  found = ph_torch_value (scope->torch, ph_sketch_node_output (node, name != NULL ? name : "item", type));
  name_node (scope, node);
  return found;
}

static PhTorchVal *
binary (PhTorchScope *scope, const PhPy *py, const char *name, const PhType *type)
{
  static const struct { const char *text, *op; } operators[] = {
    { "+", "add" }, { "-", "sub" }, { "*", "mul" }, { "/", "div" }, { "//", "floordiv" }, { "%", "remainder" }, { "**", "pow" }, { "@", "matmul" }, { "<", "lt" }, { "<=", "le" }, { ">", "gt" },
    { ">=", "ge" }, { "==", "eq" }, { "!=", "ne" }, { "is", "__is__" }, { "is not", "__isnot__" }, { "and", "__and__" }, { "or", "__or__" }, { "&", "bitwise_and" }, { "|", "bitwise_or" }, { "^", "bitwise_xor" },
    { "in", "__contains__" }, { "<<", "__lshift__" }, { ">>", "__rshift__" }, { "not in", "__not_contains__" },
  };
  PhTorchVal *a = ph_torch_expr (scope, py->items[0], NULL, NULL), *b = a != NULL ? ph_torch_expr (scope, py->items[1], NULL, NULL) : NULL, *folded;

  if (b == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_equal (operators[i].text, py->text))
      {
        if ((folded = fold (scope->torch, operators[i].op, a, b)) != NULL)
          return folded;
        if (has_value (a) || has_value (b))
          return simple_call (scope, py, PH_TORCH_ATEN, operators[i].op, a, b, name, type);
        break;
      }
  return unknown (scope->torch, py);
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
      return ph_py_float (py, &real) ? ph_torch_literal (torch, py) : unknown (torch, py);
    case PH_PY_INT: case PH_PY_FLOAT: case PH_PY_STRING: case PH_PY_CONSTANT: return ph_torch_literal (torch, py);
    case PH_PY_TUPLE: case PH_PY_LIST:
      val = ph_torch_list (torch, py->kind == PH_PY_TUPLE);
      for (guint i = 0; i < py->n; i++)
        {
          PhTorchVal *item = ph_torch_expr (scope, py->items[i], NULL, NULL);

          if (item == NULL)
            return NULL;
          g_ptr_array_add (val->items, item);
        }
      return val;
    case PH_PY_DICT:                      /* its values, in order; py has the keys */
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
    case PH_PY_CALL: return call_expr (scope, py, &name, 1, type);
    case PH_PY_ATTRIBUTE:
      if ((val = ph_torch_expr (scope, py->items[0], NULL, NULL)) == NULL)
        return NULL;
      if (val->kind == PH_TORCH_MODULE)
        return ph_torch_get_attr (scope, py, val, py->text);
      if (ph_py_is_name (py->items[0], "CONSTANTS") && torch->zip != NULL)
        return ph_torch_get_attr (scope, py, val, py->text);
      if (val->kind == PH_TORCH_VALUE)               /* x.shape, x.dtype */
        return simple_call (scope, py, PH_TORCH_PRIM, py->text, val, NULL, name, type);
      return ph_py_float (py, &real) ? ph_torch_literal (torch, py) : unknown (torch, py);
    case PH_PY_SUBSCRIPT: return subscript (scope, py, name, type);
    case PH_PY_BINARY: return binary (scope, py, name, type);
    case PH_PY_UNARY:
      if (ph_py_float (py, &real))
        return ph_torch_literal (torch, py);
      if ((val = ph_torch_expr (scope, py->items[0], NULL, NULL)) == NULL)
        return NULL;
      if ((folded = fold (torch, py->text[0] == 'n' ? "__not__" : "neg", val, NULL)) != NULL)
        return folded;
      return val->kind == PH_TORCH_VALUE ? simple_call (scope, py, PH_TORCH_ATEN, py->text[0] == 'n' ? "__not__" : py->text[0] == '~' ? "bitwise_not" : "neg", val, NULL, name, type) : unknown (torch, py);
    default:
      return unknown (torch, py);
    }
}

/* What @py, the right side of an assignment, gives @n names. */
PhTorchVal *
ph_torch_results (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n)
{
  return py->kind == PH_PY_CALL && !ph_py_is_name (py->items[0], "annotate") ? call_expr (scope, py, names, n, NULL) : ph_torch_expr (scope, py, NULL, NULL);
}
