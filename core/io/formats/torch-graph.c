/* torch-graph.c: TorchScript's graphs as text, as print (model.graph) and the dumps of its passes have them: "graph(%x : Tensor): ...".
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/torch/branch.h"
#include "core/io/torch/call.h"
#include "core/io/torch/graph-words.h"
#include "core/io/torch/script.h"
#include "core/io/torch/torch.h"

#define MAX_DEPTH 100

typedef PhTorchWords Reader;

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);
  const char *start = text;

  if (memchr (head, 0, size) != NULL)
    return 0;
  while (g_ascii_isspace (*start) || *start == '#') /* comments above it */
    start = *start == '#' ? start + strcspn (start, "\n") : start + 1;
  if (!g_str_has_prefix (start, "graph("))
    return 0;
  return strstr (start, "::") != NULL || (start[6] == '%' && strstr (start, "[num_users") == NULL) ? 92 : 0;
}

/* ── values ── */

static const char *
own (Reader *r, const char *text)
{
  return ph_py_strndup (r->torch->own, text, strlen (text));
}

static PhTorchVal *
none (Reader *r)
{
  return ph_torch_literal (r->torch, ph_torch_new_literal (r->torch, PH_PY_CONSTANT, "None"));
}

/* Parses numbers and lists of them in Python's syntax. (nullable) */
static PhTorchVal *
read_literal (Reader *r, PhTorchScope *scope, const char *text)
{
  PhPyModule *module = ph_py_parse (r->torch->source, own (r, text), strlen (text), r->line, NULL, NULL);

  if (module == NULL)
    return NULL;
  g_ptr_array_add (r->torch->modules, module);
  if (module->n_body != 1 || module->body[0]->kind != PH_PY_EXPRESSION)
    return NULL;
  return ph_torch_expr (scope, module->body[0]->items[0], NULL, NULL);
}

static PhTorchVal *
read_constant (Reader *r, PhTorchScope *scope, const PhPy *at, const char *name, const char *type, const char *value)
{
  static const char *const plain[] = { "int", "float", "int[]", "float[]", "bool[]", "str", "str[]", "Scalar", "Device", NULL };
  const PhType *tensor = ph_torch_script_type (type);
  PhSketchNode *node;
  PhTorchVal *val;
  char *end;

  if (value == NULL)
    return none (r);
  if (g_str_equal (type, "bool"))
    return ph_torch_bool (r->torch, *value == '1' || *value == 'T');
  if (g_strv_contains (plain, type) && (val = read_literal (r, scope, value)) != NULL && !(val->kind == PH_TORCH_UNKNOWN))
    return val;
  if (*r->torch->error != NULL)
    return NULL;
  if (*value == '{' && tensor != NULL && tensor->dtype != PH_UNDEFINED) /* {2}: a tensor of one number */
    {
      const double number = g_ascii_strtod (value + 1, &end);

      if (*end == '}' && (ph_dtype_is_float (tensor->dtype) || ph_dtype_is_integer (tensor->dtype) || tensor->dtype == PH_BOOL))
        return ph_torch_value (r->torch,
                               ph_sketch_add_constant (scope->graph, name, ph_tensor_new_scalar (tensor->dtype, number)));
    }
  /* Tensors are printed rounded, or not at all: their values are unknown. */
  node = ph_torch_add_node (scope, at, "Constant", PH_TORCH_PRIM);
  ph_sketch_node_text (node, "value", value);
  return ph_torch_value (r->torch, ph_sketch_node_output (node, name, tensor));
}

static PhTorchVal *
find (Reader *r, PhTorchScope *scope, const char *name)
{
  PhTorchVal *val = g_hash_table_lookup (scope->names, name);

  if (val == NULL && *r->torch->error == NULL)
    ph_source_fail (r->torch->source, r->torch->error, PH_ERROR_INVALID, NULL, "line %u: nothing before it makes '%%%s'", r->line,
                    name);
  return val;
}

static gboolean read_block (Reader *r, PhTorchScope *scope, const char *last);

/* Reads "# model.py:12:0" and ", scope: __module.fc1" after a node. */
static void
read_place (Reader *r, PhTorchScope *scope)
{
  scope->place = NULL;
  scope->scope = "";
  while (r->at < r->end && *r->at == ' ')
    r->at++;
  if (r->at + 8 < r->end && g_str_has_prefix (r->at, ", scope:"))
    {
      g_autofree char *text = NULL;
      const char *stop = memchr (r->at, '\n', (gsize) (r->end - r->at)), *hash, *last;

      stop = stop != NULL ? stop : r->end;
      hash = g_strstr_len (r->at, stop - r->at, " #");
      text = g_strstrip (g_strndup (r->at + 8, (gsize) ((hash != NULL ? hash : stop) - r->at - 8)));
      r->at = hash != NULL ? hash + 1 : stop;
      last = strrchr (text, '/') != NULL ? strrchr (text, '/') + 1 : text;
      last = g_str_has_prefix (last, "__module.") ? last + strlen ("__module.")
             : strstr (last, "::") != NULL        ? strstr (last, "::") + 2
                                                  : last;
      if (*last != '\0')
        {
          g_autofree char *path = g_strconcat (last, "/", NULL);

          scope->scope = own (r, g_strdelimit (path, ".", '/'));
        }
    }
  if (r->at < r->end && *r->at == '#')
    {
      const char *stop = memchr (r->at, '\n', (gsize) (r->end - r->at));
      g_autofree char *text = g_strstrip (g_strndup (r->at + 1, (gsize) ((stop != NULL ? stop : r->end) - r->at - 1)));
      char *colon = strrchr (text, ':');

      if (colon != NULL && g_ascii_isdigit (colon[1])) /* file:line:column */
        {
          g_autofree char *place = NULL;

          *colon = '\0';
          place = g_strconcat ("File: ", text, NULL);
          scope->place = own (r, place);
        }
    }
}

/* ── nodes ── */

/* Reads a body of prim::If or prim::Loop: block0(%i : int): ... -> (%a). */
static gboolean
read_body (Reader *r, PhTorchScope *outer, PhSketchNode *node, const char *attr, gboolean loop)
{
  PhTorch *torch = r->torch;
  PhTorchScope inner = ph_torch_inner_scope (outer, ph_sketch_add_body (node, attr));
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free), types = g_ptr_array_new_with_free_func (g_free);
  gboolean ok;

  torch->graph = inner.graph;
  ok = ++r->depth <= MAX_DEPTH || ph_torch_words_fail (r, "its blocks are too deep");
  ok = ok && ph_torch_words_need (r, "block");
  while (ok && r->at < r->end && g_ascii_isdigit (*r->at))
    r->at++;
  ok = ok && ph_torch_words_need (r, "(") && ph_torch_words_typed_names (r, names, types, ",)") && ph_torch_words_need (r, ")")
       && ph_torch_words_need (r, ":");
  for (guint i = 0; ok && i < names->len; i++)
    {
      g_hash_table_insert (
          inner.names, (gpointer) own (r, names->pdata[i]),
          ph_torch_value (torch, ph_sketch_add_input (inner.graph, names->pdata[i], ph_torch_script_type (types->pdata[i]))));
      if (i == 0 && loop)
        ph_sketch_add_input (inner.graph, "condition",
                             ph_type_tensor (PH_BOOL, 0, NULL)); /* so that it is as ONNX's Loop has it */
    }
  ok = ok && read_block (r, &inner, "->");
  torch->graph = outer->graph;
  r->depth--;
  g_hash_table_unref (inner.names);
  return ok;
}

static gboolean
read_control (Reader *r, PhTorchScope *scope, PhSketchNode *node, GPtrArray *args, const PhPy *at)
{
  const gboolean loop = g_str_equal (node->node.op_type, "Loop");

  for (guint i = 0; i < args->len; i++)
    ph_sketch_node_input (node, ph_torch_as_value (scope, at, args->pdata[i]));
  if (loop)
    return read_body (r, scope, node, "body", TRUE);
  return read_body (r, scope, node, "then_branch", FALSE) && read_body (r, scope, node, "else_branch", FALSE);
}

static PhTorchVal *
get_attr (Reader *r, PhTorchScope *scope, const PhPy *at, PhTorchVal *of, const char *name, const char *type)
{
  g_autofree char *path = NULL;
  PhTorchVal *val;

  if (of->kind != PH_TORCH_MODULE)
    return ph_torch_get_attr (scope, at, of, name);
  path = g_strdup_printf ("%s%s%s", of->path, *of->path != '\0' ? "." : "", name);
  val = ph_torch_module (r->torch, NULL, path);
  if (g_str_has_prefix (type, "__torch__"))
    return val;
  return ph_torch_value (r->torch, ph_torch_as_value (scope, at, val)); /* the contents of a module are inputs */
}

/* Evaluates prim operators whose result is known while reading. Returns NULL without error if the operator needs a node. */
static PhTorchVal *
known (Reader *r, PhTorchScope *scope, const PhPy *at, const char *op, GPtrArray *args, const char *attr, const char *text,
       const char *type)
{
  PhTorchVal *val = NULL;

  if (g_str_equal (op, "GetAttr") && args->len == 1 && attr != NULL)
    return get_attr (r, scope, at, args->pdata[0], text, type);
  if (g_str_equal (op, "ListConstruct") || g_str_equal (op, "TupleConstruct"))
    {
      val = ph_torch_list (r->torch, *op == 'T');
      g_ptr_array_extend (val->items, args, NULL, NULL);
    }
  else if (g_str_equal (op, "DictConstruct"))
    {
      val = ph_torch_list (r->torch, TRUE);
      for (guint i = 1; i < args->len; i += 2)
        g_ptr_array_add (val->items, args->pdata[i]);
      val->py = NULL;
    }
  else if (g_str_equal (op, "TupleIndex") && args->len == 2)
    val = ph_torch_fold (r->torch, "__getitem__", args->pdata[0], args->pdata[1]);
  else if ((g_str_equal (op, "unchecked_cast") || g_str_equal (op, "unchecked_unwrap_optional")) && args->len == 1)
    val = args->pdata[0];
  return val;
}

static gboolean
unpack (Reader *r, PhTorchScope *scope, const PhPy *at, PhTorchVal *of, GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *digits = g_strdup_printf ("%u", i);
      PhPy *index = ph_torch_new_literal (r->torch, PH_PY_INT, digits);
      PhTorchVal *item;

      index->i = i;
      if ((item = ph_torch_index (scope, at, of, index, names->pdata[i], NULL)) == NULL)
        return FALSE;
      g_hash_table_insert (scope->names, (gpointer) own (r, names->pdata[i]), item);
    }
  return TRUE;
}

/* The parts of a node's line: "domain::op[name=value, ...](%a, %b)", with the names and types of its results. */
typedef struct
{
  char *domain, *op; /* owned */
  GPtrArray *args;   /* PhTorchVal */
  GPtrArray *attrs;  /* owned char: a name, its value, ... */
  GPtrArray *names;  /* char: of the results */
  GPtrArray *types;  /* char: by index in @names */
} Line;

static void
line_clear (Line *line)
{
  g_free (line->domain);
  g_free (line->op);
  g_ptr_array_unref (line->args);
  g_ptr_array_unref (line->attrs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Line, line_clear)

static gboolean
read_line (Reader *r, PhTorchScope *scope, Line *line)
{
  char *name, *colon;

  line->domain = ph_torch_words_until (r, "[( \n");
  if ((colon = strstr (line->domain, "::")) == NULL)
    return ph_torch_words_fail (r, "an operator such as aten::relu is expected here");
  line->op = g_strdup (colon + 2);
  *colon = '\0';
  if (ph_torch_words_take (r, "["))
    while (!ph_torch_words_take (r, "]"))
      {
        g_ptr_array_add (line->attrs, ph_torch_words_until (r, "=]"));
        if (!ph_torch_words_need (r, "="))
          return FALSE;
        g_ptr_array_add (line->attrs, ph_torch_words_until (r, ",]"));
        if (!ph_torch_words_take (r, ",") && (r->at >= r->end || *r->at != ']'))
          return ph_torch_words_fail (r, "an attribute does not end");
      }
  if (!ph_torch_words_need (r, "("))
    return FALSE;
  while ((name = ph_torch_words_name (r)) != NULL)
    {
      g_autofree char *mine = name;
      PhTorchVal *val = find (r, scope, mine);

      if (val == NULL)
        return FALSE;
      g_ptr_array_add (line->args, val);
      if (!ph_torch_words_take (r, ","))
        break;
    }
  if (!ph_torch_words_need (r, ")"))
    return FALSE;
  read_place (r, scope);
  return TRUE;
}

/* Returns the first attribute's value, without quotes unless it belongs to a constant. (nullable) (transfer full) */
static char *
first_value (const Line *line)
{
  const char *text = line->attrs->len > 1 ? line->attrs->pdata[1] : NULL;
  const gsize n = text != NULL ? strlen (text) : 0;

  return n >= 2 && *text == '"' && !g_str_equal (line->op, "Constant") ? g_strndup (text + 1, n - 2) : g_strdup (text);
}

/* Adds a node for an operator that Peephole knows only by name. */
static gboolean
add_plain (Reader *r, PhTorchScope *scope, const Line *line, const PhPy *at)
{
  PhSketchNode *node = ph_torch_add_node (scope, at, line->op, line->domain);

  for (guint i = 0; i + 1 < line->attrs->len; i += 2)
    ph_sketch_node_text (node, line->attrs->pdata[i], line->attrs->pdata[i + 1]);
  if (g_str_equal (line->domain, PH_TORCH_PRIM) && (g_str_equal (line->op, "If") || g_str_equal (line->op, "Loop")))
    {
      if (!read_control (r, scope, node, line->args, at))
        return FALSE;
    }
  else
    for (guint i = 0; i < line->args->len; i++)
      ph_sketch_node_input (node, ph_torch_as_value (scope, at, line->args->pdata[i]));
  for (guint i = 0; i < line->names->len; i++)
    {
      const char *output = ph_sketch_node_output (node, line->names->pdata[i], ph_torch_script_type (line->types->pdata[i]));

      g_hash_table_insert (scope->names, (gpointer) own (r, line->names->pdata[i]), ph_torch_value (r->torch, output));
    }
  if (line->names->len == 0)
    ph_sketch_node_output (node, line->op, NULL);
  ph_torch_name_node (scope, node);
  return *r->torch->error == NULL;
}

static gboolean
read_node (Reader *r, PhTorchScope *scope, GPtrArray *names, GPtrArray *types)
{
  const PhPy at = { .line = r->line, .column = 1 };
  const char *type = types->len > 0 ? types->pdata[0] : "", *first = names->len > 0 ? names->pdata[0] : NULL;
  g_auto (Line) line = { NULL, NULL, g_ptr_array_new (), g_ptr_array_new_with_free_func (g_free), names, types };
  g_autofree char *text = NULL;
  PhTorchVal *val = NULL;

  if (!read_line (r, scope, &line))
    return FALSE;
  text = first_value (&line);
  if (g_str_equal (line.domain, PH_TORCH_PRIM))
    {
      const char *attr = line.attrs->len > 0 ? line.attrs->pdata[0] : NULL;

      if ((g_str_equal (line.op, "TupleUnpack") || g_str_equal (line.op, "ListUnpack")) && line.args->len == 1)
        return unpack (r, scope, &at, line.args->pdata[0], names);
      if (g_str_equal (line.op, "Constant"))
        {
          if ((val = read_constant (r, scope, &at, first, type, text)) == NULL)
            return ph_torch_words_fail (r, "the constant is not read");
        }
      else if ((val = known (r, scope, &at, line.op, line.args, attr, text, type)) == NULL && *r->torch->error != NULL)
        return FALSE;
    }
  else if (g_str_equal (line.domain, PH_TORCH_ATEN))
    {
      const PhTorchCall call = { line.args, NULL, (const char *const *) names->pdata, names->len, ph_torch_script_type (type) };
      g_autofree char *target = g_strdup_printf ("torch.ops.aten.%s.default", line.op);

      if ((val = ph_torch_call_target (scope, &at, target, &call)) == NULL)
        return FALSE;
    }
  if (val == NULL)
    return add_plain (r, scope, &line, &at);
  if (names->len > 1 && val->items != NULL && val->items->len == names->len)
    for (guint i = 0; i < names->len; i++)
      g_hash_table_insert (scope->names, (gpointer) own (r, names->pdata[i]), val->items->pdata[i]);
  else if (first != NULL)
    g_hash_table_insert (scope->names, (gpointer) own (r, first), val);
  return *r->torch->error == NULL;
}

/* Reads nodes until "return (%a)" or "-> (%a)"; the values listed there become the outputs. */
static gboolean
read_block (Reader *r, PhTorchScope *scope, const char *last)
{
  const PhPy at = { .line = r->line, .column = 1 };

  for (;;)
    {
      g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free), types = g_ptr_array_new_with_free_func (g_free);

      if (ph_torch_words_take (r, last))
        break;
      ph_torch_words_take (r, ""); /* to the next word */
      if (r->at >= r->end)
        return ph_torch_words_fail (r, "the text ends before the graph does: the dump was cut off");
      ph_torch_words_typed_names (r, names, types, ",=\n");
      if (!ph_torch_words_need (r, "=") || !read_node (r, scope, names, types))
        return FALSE;
    }
  if (!ph_torch_words_need (r, "("))
    return FALSE;
  for (;;)
    {
      g_autofree char *name = ph_torch_words_name (r);
      PhTorchVal *val;

      if (name == NULL)
        break;
      if ((val = find (r, scope, name)) == NULL)
        return FALSE;
      if (g_str_equal (last, "->"))
        ph_sketch_add_output (scope->graph, ph_torch_as_value (scope, &at, val));
      else
        ph_torch_output (scope, val);
      if (!ph_torch_words_take (r, ","))
        break;
    }
  return ph_torch_words_need (r, ")") && *r->torch->error == NULL;
}

/* graph(%self : __torch__.Net, %x : Tensor): ... */
static gboolean
read_graph (Reader *r, PhSketchGraph *graph)
{
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free), types = g_ptr_array_new_with_free_func (g_free);
  PhTorchScope scope = { .torch = r->torch, .graph = graph, .scope = "", .names = values };

  r->torch->graph = graph;
  if (!ph_torch_words_need (r, "graph(") || !ph_torch_words_typed_names (r, names, types, ",)") || !ph_torch_words_need (r, ")")
      || !ph_torch_words_need (r, ":"))
    return FALSE;
  for (guint i = 0; i < names->len; i++)
    {
      PhTorchVal *val = g_str_has_prefix (types->pdata[i], "__torch__")
                            ? ph_torch_module (r->torch, NULL, "")
                            : ph_torch_value (
                                r->torch, ph_sketch_add_input (graph, names->pdata[i], ph_torch_script_type (types->pdata[i])));

      g_hash_table_insert (values, (gpointer) own (r, names->pdata[i]), val);
    }
  return read_block (r, &scope, "return");
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GError) reason = NULL;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  g_autofree char *copy = NULL;
  PhTorch torch;
  Reader r = { .torch = &torch, .line = 1 };
  gboolean ok;

  if (text == NULL)
    return NULL;
  r.at = copy = g_strndup (text, size);
  r.end = copy + strlen (copy);
  sketch = ph_sketch_new (source);
  ph_torch_init (&torch, source, sketch, &reason);
  ok = read_graph (&r, sketch->main);
  /* with prim::TensorExprGroup_0 = graph(...): the subgraphs of fusion groups */
  while (ok && ph_torch_words_take (&r, "with "))
    {
      g_autofree char *name = ph_torch_words_until (&r, "= \n");
      const char *colon = strstr (name, "::");

      ok = ph_torch_words_need (&r, "=")
           && (colon != NULL || ph_torch_words_fail (&r, "a name such as prim::Group_0 is expected here"))
           && read_graph (&r, ph_sketch_add_function (sketch, PH_TORCH_PRIM, colon + 2));
    }
  if (ok && reason == NULL)
    model = ph_sketch_finish (sketch, PH_TORCH_ATEN, &reason);
  ph_torch_clear (&torch);
  if (model == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return g_steal_pointer (&model);
}

/* clang-format off */
const PhFormat ph_format_torch_graph = {
  .name = "torch-graph", .title = "TorchScript graph text", .patterns = (const char *const[]) { "*.txt", "*.graph", NULL },
  .text = TRUE, .probe = probe, .read = read_model, .dialect = &ph_dialect_aten,
};
/* clang-format on */
