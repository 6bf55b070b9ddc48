/* value.c: the values of expressions in PyTorch's code: values of the graph, or constants known while reading. A constant becomes an
 * attribute of the node that uses it, under the name of the parameter, and makes no node of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/own-place.h"
#include "core/io/torch/alias.h"
#include "core/io/torch/torch.h"

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
  val->graph = torch->graph;
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

PhTorchVal *
ph_torch_unknown (PhTorch *torch, const PhPy *py)
{
  PhTorchVal *val = new_val (torch, PH_TORCH_UNKNOWN);
  PhPy *kept = ph_py_alloc (torch->own, sizeof *kept);

  *kept = *py; /* which a caller may have made up for a message */
  val->py = kept;
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

PhTorchVal *
ph_torch_int (PhTorch *torch, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  PhPy *py = ph_torch_new_literal (torch, PH_PY_INT, text);

  py->i = value;
  return ph_torch_literal (torch, py);
}

PhTorchVal *
ph_torch_bool (PhTorch *torch, gboolean value)
{
  return ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, value ? "True" : "False"));
}

PhTorchVal *
ph_torch_unset (PhTorch *torch, const PhPy *type, guint depth)
{
  g_autofree char *text = NULL, *whole = NULL;
  PhTorchVal *tuple;

  if (type->kind == PH_PY_SUBSCRIPT && type->n == 2 && ph_py_is_name (type->items[0], "Tuple") && depth < PH_PY_MAX_DEPTH)
    {
      const PhPy *types = type->items[1];

      tuple = ph_torch_list (torch, TRUE);
      for (guint i = 0; i < (types->kind == PH_PY_TUPLE ? types->n : 1); i++)
        g_ptr_array_add (tuple->items, ph_torch_unset (torch, types->kind == PH_PY_TUPLE ? types->items[i] : types, depth + 1));
      return tuple;
    }
  text = ph_py_to_string (type);
  whole = g_strdup_printf ("uninitialized(%s)", text);
  return ph_torch_unknown (torch, ph_torch_new_literal (torch, PH_PY_NAME, whole));
}

gboolean
ph_torch_is_unset (const PhTorchVal *val)
{
  return val->kind == PH_TORCH_UNKNOWN && val->py->kind == PH_PY_NAME && g_str_has_prefix (val->py->text, "uninitialized(");
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
  torch->set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  torch->graph = sketch->main;
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
  g_hash_table_unref (torch->set);
  ph_py_free (torch->own);
}

gboolean
ph_torch_fail (PhTorchScope *scope, const PhPy *at, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (*scope->torch->error != NULL)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return ph_source_fail (scope->torch->source, scope->torch->error, PH_ERROR_UNSUPPORTED, NULL, "%s%s%u: %s",
                         scope->file != NULL ? scope->file : "line ", scope->file != NULL ? ":" : "", at->line, text);
}

/* ── nodes ── */

PhSketchNode *
ph_torch_add_node (PhTorchScope *scope, const PhPy *at, const char *op, const char *domain)
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
        g_once_init_leave (&regex,
                           g_regex_new ("File: (.+?):([0-9]{1,9})(?: in |, code|$)", G_REGEX_OPTIMIZE | G_REGEX_RAW, 0, NULL));
      if (g_regex_match (regex, place, 0, &match))
        {
          g_autofree char *file = g_match_info_fetch (match, 1), *line = g_match_info_fetch (match, 2),
                          *valid = g_utf8_make_valid (file, -1);

          node->node.where = ph_where_in_file (
              ph_where_new (ph_intern (valid), (guint) g_ascii_strtoull (line, NULL, 10), 0, FALSE, NULL), node->node.where);
        }
    }
  return node;
}

void
ph_torch_name_node (PhTorchScope *scope, PhSketchNode *node)
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
  return ph_tensor_new_scalar (py->kind == PH_PY_FLOAT || (py->n > 0 && py->items[0]->kind == PH_PY_FLOAT) ? PH_DOUBLE : PH_INT64,
                               value);
}

static gboolean
is_list_node (const PhSketchNode *node)
{
  for (guint i = 0; i < node->attrs->len; i++)
    if (g_str_equal (((const PhAttr *) node->attrs->pdata[i])->name, PH_TORCH_WHOLE))
      return TRUE;
  return FALSE;
}

/* Makes @list's node anew, so that one gives the list, and one its items. */
static PhSketchNode *
make_again (PhTorchScope *scope, const PhPy *at, PhTorchVal *list)
{
  PhSketchNode *again = ph_torch_add_node (scope, at, list->node->node.op_type, list->node->node.domain);

  if (list->base != NULL && (ph_torch_root (list)->spoiled != NULL || list->seen != ph_torch_root (list)->version))
    ph_torch_fail (scope, at, "'%s' was written into in place after it was taken apart: write x = x + y instead of x += y there",
                   ph_torch_root (list)->name);
  for (guint i = 0; i < list->node->inputs->len; i++)
    ph_sketch_node_input (again, list->node->inputs->pdata[i]);
  for (guint i = 0; i < list->node->attrs->len; i++)
    if (!g_str_equal (((const PhAttr *) list->node->attrs->pdata[i])->name, PH_TORCH_WHOLE))
      ph_sketch_node_attr (again, ph_attr_ref (list->node->attrs->pdata[i]));
  ph_sketch_node_output (again, list->node->outputs->pdata[0], NULL);
  ph_torch_name_node (scope, again);
  return again;
}

static const char *
as_list (PhTorchScope *scope, const PhPy *at, PhTorchVal *list)
{
  PhSketchNode *node = list->node;

  if (is_list_node (node))
    return ph_torch_current (scope, at, list);
  if (list->parts != NULL)
    node = make_again (scope, at, list);
  ph_sketch_node_int (node, PH_TORCH_WHOLE, 1);
  if (node == list->node)
    return ph_torch_current (scope, at, list);
  if (scope->graph == list->graph)
    {
      list->node = node;
      list->name = node->outputs->pdata[0];
    }
  return node->outputs->pdata[0];
}

PhSketchNode *
ph_torch_parts (PhTorchScope *scope, const PhPy *at, PhTorchVal *list)
{
  PhSketchNode *parts = list->parts;

  if (parts == NULL)
    parts = is_list_node (list->node) ? make_again (scope, at, list) : list->node;
  if (parts == list->node || scope->graph == list->graph)
    list->parts = parts;
  return parts;
}

const char *
ph_torch_as_value (PhTorchScope *scope, const PhPy *at, PhTorchVal *val)
{
  PhSketchNode *node;
  g_autoptr (PhTensor) tensor = NULL;
  const char *output;

  if (val->kind == PH_TORCH_VALUE)
    {
      return val->whole ? as_list (scope, at, val) : ph_torch_current (scope, at, val);
    }
  if (val->kind == PH_TORCH_MODULE && val->object == NULL && *val->path != '\0') /* FX: the contents of a module */
    {
      PhTorch *torch = scope->torch;

      if ((output = g_hash_table_lookup (torch->weights, val->path)) == NULL)
        g_hash_table_insert (torch->weights, (gpointer) val->path,
                             (gpointer) (output = ph_sketch_add_input (torch->sketch->main, val->path, NULL)));
      return output;
    }
  if (val->kind == PH_TORCH_LITERAL && (tensor = scalar (val->py)) != NULL)
    return ph_sketch_add_constant (scope->graph, "const", g_steal_pointer (&tensor));
  if (val->kind == PH_TORCH_LIST || val->kind == PH_TORCH_TUPLE)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

      for (guint i = 0; i < val->items->len; i++)
        g_ptr_array_add (inputs, (gpointer) ph_torch_as_value (scope, at, val->items->pdata[i]));
      node = ph_torch_add_node (scope, at, val->kind == PH_TORCH_LIST ? "ListConstruct" : "TupleConstruct", PH_TORCH_PRIM);
      for (guint i = 0; i < inputs->len; i++)
        ph_sketch_node_input (node, inputs->pdata[i]);
      output = ph_sketch_node_output (node, val->kind == PH_TORCH_LIST ? "list" : "tuple", NULL);
    }
  else
    {
      g_autofree char *text = val->py != NULL ? ph_py_to_string (val->py) : g_strdup (val->path);

      node = ph_torch_add_node (scope, at, val->kind == PH_TORCH_MODULE ? "GetAttr" : "Constant", PH_TORCH_PRIM);
      ph_sketch_node_text (node, val->kind == PH_TORCH_MODULE ? "name" : "value", text);
      output = ph_sketch_node_output (node, "constant", NULL);
    }
  ph_torch_name_node (scope, node);
  return output;
}

gboolean
ph_torch_has_value (const PhTorchVal *val)
{
  if (val->kind == PH_TORCH_VALUE || (val->kind == PH_TORCH_MODULE && val->object == NULL && *val->path != '\0'))
    return TRUE;
  for (guint i = 0; val->items != NULL && i < val->items->len; i++)
    if (ph_torch_has_value (val->items->pdata[i]))
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

void
ph_torch_add_attr (PhSketchNode *node, const char *name, const PhTorchVal *val)
{
  g_autoptr (GString) text = NULL;
  const PhTorchVal *first = val->items != NULL && val->items->len > 0 ? val->items->pdata[0] : val;
  double real;

  if ((g_str_equal (name, "data") || g_str_equal (name, "fill_value")) && first->kind == PH_TORCH_LITERAL
      && first->py->kind == PH_PY_CONSTANT && !ph_py_is_none (first->py))
    ph_sketch_node_int (node, PH_TORCH_TRUTH, 1);
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

          all = item->kind == PH_TORCH_LITERAL
                && (ph_py_float (item->py, &real)
                    || (item->py->kind == PH_PY_CONSTANT && strchr ("TF", item->py->text[0]) != NULL));
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
          ph_sketch_node_attr (
              node, whole ? ph_attr_new_ints (ph_intern (name), (const gint64 *) (gpointer) ints->data, ints->len)
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
  if (val->kind == PH_TORCH_VALUE || (val->kind == PH_TORCH_MODULE && ph_torch_has_value (val)))
    {
      ph_sketch_node_input (node, ph_torch_as_value (scope, at, val));
      if (!tensor) /* a number that is computed: which parameter it is */
        {
          g_autofree char *where = g_strdup_printf ("%s_input", attr);

          ph_sketch_node_int (node, where, (gint64) node->inputs->len - 1);
        }
    }
  else if (tensor && val->items != NULL)
    for (guint i = 0; i < val->items->len; i++)
      {
        PhTorchVal *item = val->items->pdata[i];

        ph_sketch_node_input (
            node, item->kind == PH_TORCH_LITERAL && ph_py_is_none (item->py) ? "" : ph_torch_as_value (scope, at, item));
      }
  else if (ph_torch_has_value (val))
    {
      g_autofree char *where = g_strdup_printf ("%s_input", attr);

      ph_sketch_node_input (node, ph_torch_as_value (scope, at, val));
      ph_sketch_node_int (node, where, (gint64) node->inputs->len - 1);
    }
  else
    {
      if (tensor)
        ph_sketch_node_input (node, "");
      ph_torch_add_attr (node, attr, val);
    }
}
