/* convert-aten-python.c: run-time queries of Python objects: whether a value is None, its element type or rank, strings, lists.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/schema.h"
#include "core/run/executor.h"
#include "passes/convert-aten.h"

/* Numbers of Python's and sizes are as few as this, weights are more. */
#define FEW 16

/* ── values that are no tensors ── */

static const char *
constant_text (const PhValue *value)
{
  const PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && ph_aten_is_list (node) ? ph_node_attr_string (node, "value", NULL) : NULL;
}

gboolean
ph_aten_is_none (const PhValue *value)
{
  return g_strcmp0 (constant_text (value), "None") == 0;
}

/* Returns the parameter as the text between its quotes. (transfer full) (nullable) */
static char *
string (PhConvert *l, guint k, const char *name)
{
  const PhAttr *attr = ph_node_attr (l->node, name);
  const char *text = constant_text (ph_aten_tensor (l, k));
  const gsize n = text != NULL ? strlen (text) : 0;

  if (attr != NULL && attr->kind == PH_ATTR_STRING)
    return g_strdup (ph_node_attr_string (l->node, name, ""));
  return n >= 2 && (*text == '"' || *text == '\'') ? g_strndup (text + 1, n - 2) : NULL;
}

static PhValue *
string_value (PhConvert *l, const char *text)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\"", text);
  PhNode *node = l->b->error == NULL ? ph_graph_add_node (
                     l->b->graph,
                     &(PhNodeSpec) { .op_type = "Constant", .domain = "prim", .n_outputs = 1, .before = l->b->before },
                     &l->b->error)
                                     : NULL;
  PhAttr *attr = ph_attr_new_string ("value", quoted);

  if (node == NULL || !ph_node_set_attr (node, "value", attr, &l->b->error))
    node = NULL;
  ph_attr_unref (attr);
  return node != NULL ? ph_node_output (node, 0) : NULL;
}

/* Returns the tensor whose element type dtype (x) gives. (nullable) */
static const PhValue *
asks_dtype (const PhValue *value)
{
  const PhNode *node = value != NULL ? value->producer : NULL;

  return node != NULL && strcmp (node->domain, "prim") == 0 && strcmp (node->op_type, "dtype") == 0 ? ph_node_input (node, 0)
                                                                                                    : NULL;
}

/* Compares element types and strings. Returns FALSE if the operands are neither, or unknown. */
gboolean
ph_aten_python_equal (PhConvert *l, PhValue **out)
{
  const gboolean equal = strcmp (ph_aten_name (l), "eq") == 0;
  const PhValue *a = asks_dtype (ph_aten_tensor (l, 0)), *b = asks_dtype (ph_aten_tensor (l, 1));
  g_autofree char *x = NULL, *y = NULL;
  gboolean same;

  if (a != NULL || b != NULL)
    {
      const PhDType first = a != NULL ? ph_value_dtype (a) : ph_aten_dtype (l, "self"),
                    second = b != NULL ? ph_value_dtype (b) : ph_aten_dtype (l, "other");

      if (first == PH_UNDEFINED || second == PH_UNDEFINED)
        return FALSE;
      same = first == second;
    }
  else
    {
      if ((x = string (l, 0, "self")) == NULL || (y = string (l, 1, "other")) == NULL)
        return FALSE;
      same = strcmp (x, y) == 0;
    }
  out[0] = ph_build_scalar (l->b, PH_BOOL, same == equal);
  return TRUE;
}

static gboolean
is_none (PhConvert *l, PhValue **out)
{
  const PhValue *x = ph_node_input (l->node, 0);
  const PhNode *from = x != NULL ? x->producer : NULL;

  if (l->node->inputs->len > 1 && l->in[1] != NULL) /* two tensors: the same object or not */
    {
      if (l->in[0] != NULL && (from == NULL || !ph_aten_is_control (from)))
        out[0] = ph_build_scalar (l->b, PH_BOOL, (l->in[0] == l->in[1]) == (strcmp (ph_aten_name (l), "__is__") == 0));
      return out[0] != NULL || ph_convert_stay (l, "whether both are the same object depends on a branch");
    }
  if (ph_node_attr (l->node, "obj") != NULL)
    return ph_convert_stay (l, "it compares two objects");
  if (from != NULL && ph_aten_is_control (from))
    return ph_convert_stay (l, "whether it is None depends on a branch");
  out[0] = ph_build_scalar (l->b, PH_BOOL, (x == NULL || ph_aten_is_none (x)) == (strcmp (ph_aten_name (l), "__is__") == 0));
  return TRUE;
}

static gboolean
contains (PhConvert *l, PhValue **out)
{
  gint64 list[64];
  guint n = G_N_ELEMENTS (list);
  PhValue *item = ph_aten_tensor (l, ph_aten_computed (l, "l") != NULL || ph_node_attr (l->node, "l") != NULL ? 0 : 1);
  PhTensor *constant = item != NULL ? ph_value_constant (item) : NULL;
  gboolean found = FALSE;

  if (!ph_aten_ints (l, "l", list, &n) || constant == NULL || ph_tensor_count (constant) != 1
      || !ph_dtype_is_integer (ph_tensor_dtype (constant)))
    return ph_convert_stay (l, "the element that it looks for, or the list, is not known");
  for (guint i = 0; i < n; i++)
    found = found || list[i] == ph_tensor_get_int (constant, 0);
  out[0] = ph_build_scalar (l->b, PH_BOOL, found);
  return TRUE;
}

static gboolean
is_floating (PhConvert *l, PhValue **out)
{
  PhValue *x = ph_aten_operand (l);

  if (x == NULL || ph_value_dtype (x) == PH_UNDEFINED)
    return ph_convert_stay (l, "its element type is not known");
  out[0] = ph_build_scalar (l->b, PH_BOOL, ph_dtype_is_float (ph_value_dtype (x)));
  return TRUE;
}

/* Converts queries of the device and the mode: a CPU with gradients enabled, as when the model was written. */
static gboolean
surroundings (PhConvert *l, PhValue **out)
{
  const gboolean on = strcmp (ph_aten_name (l), "requires_grad") == 0 || strcmp (ph_aten_name (l), "is_grad_enabled") == 0;

  out[0] = ph_build_scalar (l->b, PH_BOOL, on);
  return TRUE;
}

/* str (device), format (...): of messages, mostly. */
static gboolean
text (PhConvert *l, PhValue **out)
{
  const PhValue *x = ph_node_input (l->node, 0);
  const gboolean device = x != NULL && x->producer != NULL && strcmp (x->producer->op_type, "device") == 0;
  g_autofree char *known = device ? g_strdup ("cpu") : string (l, 0, strcmp (ph_aten_name (l), "format") == 0 ? "self" : "arg0");

  if (known == NULL)
    return ph_convert_stay (l, "its text is not known");
  out[0] = string_value (l, known);
  return out[0] != NULL;
}

static gboolean
find (PhConvert *l, PhValue **out)
{
  g_autofree char *in = string (l, 0, "self"), *part = string (l, 1, "substr");
  const char *at = in != NULL && part != NULL ? strstr (in, part) : NULL;

  if (in == NULL || part == NULL)
    return ph_convert_stay (l, "its text is not known");
  out[0] = ph_build_scalar (l->b, PH_INT64, at != NULL ? (double) (at - in) : -1);
  return TRUE;
}

/* Evaluates len () of a string or a list. Returns FALSE for anything else. */
gboolean
ph_aten_python_length (PhConvert *l, PhValue **out)
{
  g_autofree char *known = string (l, 0, "a");
  const PhValue *x = ph_aten_tensor (l, 0);

  if (known != NULL)
    out[0] = ph_build_scalar (l->b, PH_INT64, (double) g_utf8_strlen (known, -1));
  else if (x != NULL && x->producer != NULL && strcmp (x->producer->domain, "prim") == 0
           && g_str_has_suffix (x->producer->op_type, "Construct"))
    out[0] = ph_build_scalar (l->b, PH_INT64, x->producer->inputs->len);
  else if (ph_aten_is_sequence (x))
    out[0] = PH_BUILD (l->b, SequenceLength, (PhValue *) x);
  return out[0] != NULL;
}

/* max (a, b), min ([a, b, c]) of numbers. */
static gboolean
extreme (PhConvert *l, PhValue **out)
{
  const PhOp *op = strcmp (ph_aten_name (l), "max") == 0 ? &ph_op_Max : &ph_op_Min;
  PhAtenArg a, b;
  PhValue *x = ph_aten_tensor (l, 0);

  if (x != NULL && x->producer != NULL && ph_aten_is_list (x->producer))
    {
      PhValue *all = ph_aten_list_as_tensor (l, x);

      out[0] = ph_build_node (l->b, op == &ph_op_Max ? &ph_op_ReduceMax : &ph_op_ReduceMin, &all, 1,
                              PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
      return TRUE;
    }
  if (x == NULL && ph_node_attr (l->node, "arg0") != NULL
      && ph_node_attr (l->node, "arg0")->kind == PH_ATTR_INTS) /* min ([a, b]) */
    {
      PhValue *all = ph_convert_ints_value (l, ph_node_attr (l->node, "arg0")->ints, ph_node_attr (l->node, "arg0")->n);

      out[0] = ph_build_node (l->b, op == &ph_op_Max ? &ph_op_ReduceMax : &ph_op_ReduceMin, &all, 1,
                              PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
      return TRUE;
    }
  if (x != NULL && l->n_in == 1 && ph_node_attr (l->node, "arg0") == NULL && ph_node_attr (l->node, "arg1") == NULL
      && ph_value_rank (x) == 1) /* of a list of sizes */
    {
      out[0] = ph_build_node (l->b, op == &ph_op_Max ? &ph_op_ReduceMax : &ph_op_ReduceMin, &x, 1,
                              PH_ATTRS (ph_attr_new_int ("keepdims", 0)), 1);
      return TRUE;
    }
  if (!ph_aten_arg (l, ph_node_attr (l->node, "arg0") != NULL ? G_MAXUINT : 0, "arg0", &a)
      || !ph_aten_arg (l, ph_node_attr (l->node, "arg0") != NULL ? 0 : 1, "arg1", &b))
    return ph_convert_stay (l, "its numbers are not known");
  return ph_aten_binary (l, op, &a, &b, out);
}

/* Computes the number of iterations of range (lo, hi, step). Where all are known, it is known since the file was read. */
static gboolean
range_length (PhConvert *l, PhValue **out)
{
  const gint64 step = ph_aten_int (l, "step", 1);
  PhValue *span;

  if (l->stays != NULL || step == 0 || ABS (step) > G_MAXINT32)
    return ph_convert_stay (l, "its step is not known");
  span = PH_BUILD (l->b, Sub, ph_aten_one (l, "hi", 0), ph_aten_one (l, "lo", 0));
  span = PH_BUILD (l->b, Add, span, ph_convert_ints_value (l, (gint64[]) { step - (step > 0 ? 1 : -1) }, 1));
  span = PH_BUILD (l->b, Div, span, ph_convert_ints_value (l, &step, 1));
  out[0] = ph_convert_reshape (l, PH_BUILD (l->b, Max, span, ph_convert_ints_value (l, (gint64[]) { 0 }, 1)), NULL, 0);
  return out[0] != NULL;
}

static gboolean
range_index (PhConvert *l, PhValue **out)
{
  PhValue *i = ph_aten_one (l, "index", 0), *at;

  at = PH_BUILD (l->b, Add, ph_aten_one (l, "start", 0), PH_BUILD (l->b, Mul, i, ph_aten_one (l, "step", 1)));
  out[0] = at != NULL ? ph_convert_reshape (l, at, NULL, 0) : NULL;
  return out[0] != NULL;
}

/* ── numbers that are known ── */

static gboolean
is_number (PhTensor *tensor)
{
  return ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_tensor_count (tensor) <= FEW
         && (ph_tensor_rank (tensor) == 0
             || (ph_tensor_rank (tensor) == 1
                 && (ph_dtype_is_integer (ph_tensor_dtype (tensor)) || ph_tensor_dtype (tensor) == PH_BOOL)));
}

/* Returns TRUE if all operands are known numbers, so that the result is known too. */
static gboolean
takes_numbers (const PhNode *node)
{
  gboolean any = FALSE;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *input = node->inputs->pdata[i];
      PhTensor *tensor = input != NULL ? ph_value_constant (input) : NULL;
      const PhNode *list = input != NULL ? input->producer : NULL;

      if (input == NULL || ph_aten_is_none (input))
        continue;
      if (tensor == NULL && list != NULL && ph_aten_is_list (list) && list->inputs->len > 0)
        {
          if (!takes_numbers (list))
            return FALSE;
        }
      else if (tensor == NULL || !is_number (tensor))
        return FALSE;
      any = TRUE;
    }
  return any;
}

static void
unref_tensor (gpointer tensor)
{
  if (tensor != NULL) /* of an input that is left out, or is not known */
    ph_tensor_unref (tensor);
}

#define MOST 65536 /* elements of what is computed on the way to a number */

static gboolean
is_too_large (const PhNode *node)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhType *type = ph_node_output (node, i)->type;

      if (type != NULL && type->kind == PH_KIND_TENSOR && ph_type_count (type) > MOST)
        return TRUE;
    }
  return FALSE;
}

/* (nullable) it is not known, or takes too long */
static PhTensor *
compute (const PhValue *value, guint depth)
{
  PhTensor *tensor = ph_value_constant (value), *outputs[4] = { NULL };
  const PhNode *node = value->producer;
  g_autoptr (GPtrArray) inputs = NULL;
  gboolean ok = TRUE;

  if (tensor != NULL)
    return ph_tensor_ref (tensor);
  if (node == NULL || node->op == NULL || node->graphs != NULL || node->outputs->len > G_N_ELEMENTS (outputs) || depth > 32
      || is_too_large (node))
    return NULL;
  inputs = g_ptr_array_new_with_free_func (unref_tensor);
  for (guint i = 0; i < node->inputs->len && ok; i++)
    {
      PhTensor *input = node->inputs->pdata[i] != NULL ? compute (node->inputs->pdata[i], depth + 1) : NULL;

      ok = node->inputs->pdata[i] == NULL || input != NULL;
      g_ptr_array_add (inputs, input);
    }
  if (!ok || !ph_run_node (node, (PhTensor *const *) inputs->pdata, outputs, NULL, NULL))
    return NULL;
  tensor = outputs[value->output] != NULL ? ph_tensor_ref (outputs[value->output]) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    g_clear_pointer (&outputs[i], ph_tensor_unref);
  return tensor;
}

/* Replaces the nodes built for @node by their result, if it is a known number. */
PhValue *
ph_aten_settled (PhConvert *l, PhValue *value)
{
  g_autoptr (PhTensor) tensor = NULL;
  PhNode *made = value->producer;

  if (made == NULL || l->n_out > 1 || ph_value_constant (value) != NULL || !takes_numbers (l->node) || l->b->error != NULL
      || (tensor = compute (value, 0)) == NULL || !is_number (tensor))
    return value;
  ph_graph_remove_dead (made); /* first, because the number may be a constant that only it used */
  return ph_build_tensor (l->b, ph_tensor_ref (tensor));
}

/* What nothing reads before it is set, so any value will do. */
static gboolean
uninitialised (PhConvert *l, PhValue **out)
{
  static const struct
  {
    const char *text;
    PhDType dtype;
  } kinds[] = { { "uninitialized(bool)", PH_BOOL }, { "uninitialized(int)", PH_INT64 }, { "uninitialized(float)", PH_DOUBLE } };
  const char *text = ph_node_attr_string (l->node, "value", "");

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (text, kinds[i].text) == 0)
      return (out[0] = ph_build_scalar (l->b, kinds[i].dtype, 0)) != NULL;
  return ph_convert_stay (l, "its element type is not known, or it is no tensor");
}

static const char known[] = "It is known from the types of the operands.";
static const char machine[] = "For inference on a CPU the answer is always the same.";
static const char message[] = "It only formats the text of a message.";

/* clang-format off */
#define WHERE(name) { name, surroundings, "a constant", machine }

const PhConvertRule ph_convert_aten_python[] = {
  { "aten:__is__", is_none, "a constant", known }, { "aten:__isnot__", is_none, "a constant", known }, { "aten:__contains__", contains, "a constant", known },
  { "aten:is_floating_point", is_floating, "a constant", known }, { "prim:is_floating_point", is_floating, "a constant", known },
  WHERE ("prim:requires_grad"), WHERE ("aten:requires_grad"), WHERE ("aten:is_grad_enabled"), WHERE ("aten:is_autocast_enabled"), WHERE ("prim:is_cuda"), WHERE ("prim:is_nested"),
  WHERE ("prim:is_sparse"), WHERE ("prim:is_quantized"), WHERE ("prim:is_mkldnn"), WHERE ("prim:is_xpu"), WHERE ("prim:is_meta"), WHERE ("aten:is_scripting"), WHERE ("aten:is_complex"),
  { "torch:str", text, "a constant", message }, { "aten:str", text, "a constant", message }, { "aten:format", text, "a constant", message }, { "aten:find", find, "a constant", message },
  { "prim:Constant", uninitialised, "a constant", "Nothing reads it before it is set." },
  { "prim:max", extreme, "Max", "Both return the larger number." }, { "prim:min", extreme, "Min", "Both return the smaller number." },
  { "aten:__range_length", range_length, "Sub, Div and Max", "It is how often the step fits between the bounds." }, { "aten:__derive_index", range_index, "Add and Mul", "The index is the start plus the iteration number times the step." },
  { NULL }
};
/* clang-format on */
