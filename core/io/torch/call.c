/* call.c: calls of PyTorch's code as nodes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/alias.h"
#include "core/io/torch/call.h"
#include "core/io/torch/script.h"
#include "core/io/torch/torch.h"

#define MAX_WORK 2000000

/* ── calls ── */

static void
target_clear (PhTorchTarget *target)
{
  g_free (target->domain);
  g_free (target->op);
  g_free (target->overload);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhTorchTarget, target_clear)

/* "torch.ops.aten.add.Tensor", "torch.relu", "operator.getitem", ... */
static void
resolve (const char *dotted, gboolean script, PhTorchTarget *target)
{
  static const char *const spaces[] = { "torch.ops.", "ops." }, *const groups[] = { "fft", "linalg", "special" };
  /* clang-format off */
  static const char *const functions[] = {
    "torch.nn.functional.", "torch.functional.", "torch._C._nn.", "torch._C._linalg.", "torch._C._special.", "torch._C._fft.",
    "torch.special.", "torch.linalg.", "torch._VF.", "F.", "torch."
  };
  /* clang-format on */
  static const struct
  {
    const char *python, *aten;
  } operators[] = { { "truediv", "div" },       { "floordiv", "floor_divide" },
                    { "mod", "remainder" },     { "getitem", "__getitem__" },
                    { "and_", "bitwise_and" },  { "or_", "bitwise_or" },
                    { "not_", "logical_not" },  { "iadd", "add_" },
                    { "xor", "bitwise_xor" },   { "invert", "bitwise_not" },
                    { "lshift", "__lshift__" }, { "rshift", "__rshift__" },
                    { "imul", "mul_" },         { "isub", "sub_" },
                    { "itruediv", "div_" } };
  const char *last = strrchr (dotted, '.') != NULL ? strrchr (dotted, '.') + 1 : dotted;

  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    if (g_str_has_prefix (dotted, spaces[i]))
      {
        g_auto (GStrv) parts = g_strsplit (g_str_equal (dotted, "ops.prim.data")  ? "aten.detach"
                                           : g_str_equal (dotted, "ops.prim.abs") ? "aten.abs"
                                                                                  : dotted + strlen (spaces[i]),
                                           ".", 3);

        if (g_strv_length (parts) >= 2)
          {
            target->domain = g_strdup (parts[0]);
            target->op = g_strdup (g_str_equal (parts[0], PH_TORCH_ATEN) ? ph_torch_other_name (parts[1]) : parts[1]);
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
  if (!script && *last == '_' && ph_torch_signature (last) == NULL && ph_torch_signature (last + 1) != NULL)
    last++;
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) /* torch.fft.fft is fft_fft */
    {
      g_autofree char *whole = g_strdup_printf ("torch.%s.%s", groups[i], last), *op = g_strdup_printf ("%s_%s", groups[i], last);

      if (g_str_equal (dotted, whole) && ph_torch_signature (ph_torch_other_name (op)) != NULL)
        {
          *target = (PhTorchTarget) { .domain = g_strdup (PH_TORCH_ATEN), .op = g_strdup (ph_torch_other_name (op)) };
          return;
        }
    }
  last = ph_torch_other_name (last);
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_has_prefix (dotted, functions[i]) && strchr (dotted + strlen (functions[i]), '.') == NULL
        && (script || ph_torch_signature (last) != NULL))
      {
        *target = (PhTorchTarget) { .domain = g_strdup (PH_TORCH_ATEN), .op = g_strdup (last) };
        return;
      }
  *target = (PhTorchTarget) { .domain = g_strdup (PH_TORCH_OTHER), .op = g_strdup (dotted) };
}

/* Returns TRUE if an operator accepts numbers in place of its last list operand: x.view (2, -1). */
static gboolean
takes_rest (const char *op, const char *parameter)
{
  static const char *const ops[] = { "view", "reshape", "permute", "expand", "repeat",    "tile",     "flip",      "zeros",
                                     "ones", "empty",   "rand",    "randn",  "new_zeros", "new_ones", "new_empty", NULL };
  static const char *const parameters[] = { "size", "shape", "dims", "repeats", NULL };

  return g_strv_contains (ops, op) && g_strv_contains (parameters, parameter);
}

/* Returns TRUE for a list of numbers rather than a tensor: x.size (), a part of it, or a concatenation with another. */
static gboolean
gives_sizes (const char *op, GPtrArray *args)
{
  const PhTorchVal *first = args->len > 0 ? args->pdata[0] : NULL;

  if (g_str_equal (op, "size") || g_str_equal (op, "shape"))
    return args->len == 1;
  return first != NULL && first->sizes && (g_str_equal (op, "slice") || g_str_equal (op, "list") || g_str_equal (op, "add"));
}

/* Chooses the overload of an operator by the number or kind of operands. */
static const char *
form_of (const char *op, GPtrArray *args)
{
  const PhTorchVal *second = args->len > 1 ? args->pdata[1] : NULL;

  if (g_str_has_prefix (op, "upsample_")
      && args->len == (strstr (op, "linear") != NULL || strstr (op, "cubic") != NULL ? 5u : 4u))
    return strstr (op, "linear") != NULL || strstr (op, "cubic") != NULL ? "*input output_size align_corners scales_h scales_w"
                                                                         : "*input output_size scales_h scales_w";
  /* Of a packed sequence, the lengths are second. */
  if ((g_str_equal (op, "lstm") || g_str_equal (op, "gru") || g_str_has_prefix (op, "rnn_")) && args->len == 9
      && ((const PhTorchVal *) args->pdata[3])->items != NULL)
    return "*data *batch_sizes *hx *params has_biases num_layers dropout train bidirectional";
  if (g_str_equal (op, "arange") && args->len >= 5)
    return args->len == 5   ? "start dtype layout device pin_memory"
           : args->len == 6 ? "start end dtype layout device pin_memory"
                            : "start end step dtype layout device pin_memory";
  /* A part of a list has no dimension: slice (l, start, end, step). */
  if (g_str_equal (op, "slice") && args->len > 0
      && (((const PhTorchVal *) args->pdata[0])->sizes || ((const PhTorchVal *) args->pdata[0])->whole))
    return "*self start end step";
  if (g_str_equal (op, "to") && second != NULL
      && ((second->kind == PH_TORCH_UNKNOWN && second->py != NULL && second->py->kind == PH_PY_CALL)
          || (second->kind == PH_TORCH_LITERAL && second->py->kind == PH_PY_STRING)))
    return "*self device dtype non_blocking copy memory_format";
  return ph_torch_signature (op);
}

PhTorchVal *
ph_torch_add_call (PhTorchScope *scope, const PhPy *at, const PhTorchTarget *target, const PhTorchCall *call)
{
  GPtrArray *args = call->args, *keywords = call->keywords;
  PhTorch *torch = scope->torch;
  const char *signature = g_str_equal (target->domain, PH_TORCH_ATEN) ? form_of (target->op, args) : NULL;
  g_auto (GStrv) parameters = signature != NULL ? g_strsplit (signature, " ", -1) : NULL;
  const guint known = parameters != NULL ? g_strv_length (parameters) : 0;
  PhSketchNode *node = ph_torch_add_node (scope, at, target->op, target->domain);
  g_autoptr (GPtrArray) used = g_ptr_array_new ();
  const gboolean variance = g_str_has_prefix (target->op, "var") || g_str_has_prefix (target->op, "std");
  PhTorchVal *result;
  gint64 whole;

  if (target->overload != NULL)
    ph_sketch_node_text (node, "overload", target->overload);
  for (guint i = 0; i < MAX (args->len, known); i++)
    {
      const char *parameter = i < known ? parameters[i] : NULL;
      const gboolean tensor = parameter == NULL || *parameter == '*';
      g_autofree char *other = g_strdup_printf ("arg%u", i);
      const char *name = parameter != NULL ? parameter + (*parameter == '*' ? 1 : 0) : other;
      PhTorchVal *val = i < args->len ? args->pdata[i] : NULL;

      if (parameter != NULL && val != NULL && val->items == NULL && takes_rest (target->op, name)
          && (args->len > i + 1 || ph_torch_is_int (val, &whole)))
        {
          PhTorchVal *all = ph_torch_list (torch, FALSE);

          for (guint k = i; k < args->len; k++)
            g_ptr_array_add (all->items, args->pdata[k]);
          ph_torch_add_operand (scope, node, at, name, FALSE, all);
          break;
        }
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
      if (parameter == NULL && !ph_torch_has_value (val))
        ph_torch_add_attr (node, name, val);
      else
        ph_torch_add_operand (scope, node, at, name, tensor, val);
    }
  for (guint k = 0; keywords != NULL && k + 1 < keywords->len; k += 2)
    if (!g_ptr_array_find (used, keywords->pdata[k], NULL))
      ph_torch_add_operand (scope, node, at, keywords->pdata[k],
                            known == 0 && ph_torch_has_value (keywords->pdata[k + 1])
                                && ((PhTorchVal *) keywords->pdata[k + 1])->kind == PH_TORCH_VALUE,
                            keywords->pdata[k + 1]);
  while (node->inputs->len > 0 && *(const char *) node->inputs->pdata[node->inputs->len - 1] == '\0')
    g_ptr_array_set_size (node->inputs, (int) node->inputs->len - 1);
  if (call->n_names <= 1)
    {
      const char *base = call->n_names == 1 && call->names[0] != NULL ? call->names[0]
                         : strrchr (target->op, '.') != NULL          ? strrchr (target->op, '.') + 1
                                                                      : target->op;

      result = ph_torch_value (torch, ph_sketch_node_output (node, base, call->type));
      result->node = node;
      result->sizes = gives_sizes (target->op, args);
      result->whole = ph_torch_gives_list (node);
    }
  else
    {
      result = ph_torch_list (torch, TRUE);
      for (guint i = 0; i < call->n_names; i++)
        {
          PhTorchVal *one = ph_torch_value (torch,
                                            ph_sketch_node_output (node, call->names[i] != NULL ? call->names[i] : "_", NULL));

          one->node = node;
          g_ptr_array_add (result->items, one);
        }
    }
  ph_torch_name_node (scope, node);
  return result;
}

PhTorchVal *
ph_torch_simple_call (PhTorchScope *scope, const PhPy *at, const char *domain, const char *op, PhTorchVal *a, PhTorchVal *b,
                      const char *name, const PhType *type)
{
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  PhTorchTarget target = { (char *) domain, (char *) op, NULL };

  g_ptr_array_add (args, a);
  if (b != NULL)
    g_ptr_array_add (args, b);
  return ph_torch_add_call (scope, at, &target, &(PhTorchCall) { args, NULL, &name, 1, type });
}

static gboolean
callee_is (const PhPy *call, const char *dotted)
{
  g_autofree char *name = ph_py_dotted (call->items[0]);

  return g_strcmp0 (name, dotted) == 0;
}

/* Evaluates annotate (T, x), getattr (m, "0"), int (x), ... Returns NULL without error for other calls. */
static PhTorchVal *
builtin_call (PhTorchScope *scope, const PhPy *py, GPtrArray *args, const char *name, const PhType *type)
{
  const char *callee = py->items[0]->kind == PH_PY_NAME ? py->items[0]->text : "";
  PhTorchVal *first = args->len > 0 ? args->pdata[0] : NULL, *last = args->len > 0 ? args->pdata[args->len - 1] : NULL;
  double real;

  if ((g_str_equal (callee, "annotate") || g_str_equal (callee, "unchecked_cast")) && args->len == 2)
    return last;
  if (g_str_equal (callee, "uninitialized") && py->n == 2)
    return ph_torch_unset (scope->torch, py->items[1], 0);
  if (g_str_equal (callee, "print"))
    return ph_torch_literal (scope->torch, ph_torch_new_literal (scope->torch, PH_PY_CONSTANT, "None"));
  if (g_str_equal (callee, "sorted") && args->len == 1 && first->kind == PH_TORCH_LIST)
    return ph_torch_sorted (scope->torch, first->items);
  if (callee_is (py, "ops.prim.type") && args->len == 1) /* of a device */
    return ph_torch_literal (scope->torch, ph_torch_new_literal (scope->torch, PH_PY_STRING, "cpu"));
  if (callee_is (py, "torch.device") || callee_is (py, "torch.Size"))
    return ph_torch_unknown (scope->torch, py);
  if (g_str_equal (callee, "getattr") && args->len >= 2 && last->kind == PH_TORCH_LITERAL && last->py->kind == PH_PY_STRING)
    return ph_torch_get_attr (scope, py, first, last->py->text);
  if ((g_str_equal (callee, "int") || g_str_equal (callee, "float") || g_str_equal (callee, "bool")) && args->len == 1)
    {
      const char *op = *callee == 'i' ? "Int" : *callee == 'f' ? "Float" : "Bool";

      if (first->kind == PH_TORCH_LITERAL && (first->py->kind == PH_PY_FLOAT || first->py->kind == PH_PY_UNARY) && *callee == 'i'
          && ph_py_float (first->py, &real) && ABS (real) < G_MAXINT32)
        return ph_torch_int (scope->torch, (gint64) real);
      if (first->kind != PH_TORCH_VALUE)
        return first;
      return ph_torch_simple_call (scope, py, PH_TORCH_ATEN, op, first, NULL, name,
                                   type != NULL ? type
                                                : ph_type_tensor (*callee == 'i'   ? PH_INT64
                                                                  : *callee == 'f' ? PH_DOUBLE
                                                                                   : PH_BOOL,
                                                                  0, NULL));
    }
  if (g_str_equal (callee, "len") && args->len == 1)
    {
      PhTorchVal *n = ph_torch_fold (scope->torch, "len", first, NULL);

      return n != NULL
                 ? n
                 : ph_torch_simple_call (scope, py, PH_TORCH_ATEN, "len", first, NULL, name, ph_type_tensor (PH_INT64, 0, NULL));
    }
  return NULL;
}

/* Returns the number of results of an operator that returns a tuple in Python, else 1. */
static guint
n_results (const char *op, GPtrArray *args, GPtrArray *keywords)
{
  /* clang-format off */
  static const struct { const char *op; guint n; } several[] = {
    { "topk", 2 }, { "sort", 2 }, { "aminmax", 2 }, { "kthvalue", 2 }, { "mode", 2 }, { "var_mean", 2 }, { "std_mean", 2 }, { "native_layer_norm", 3 }, { "native_group_norm", 3 },
    { "native_batch_norm", 3 }, { "_native_batch_norm_legit", 3 }, { "_native_batch_norm_legit_no_training", 3 }, { "_native_batch_norm_legit_functional", 5 }, { "native_dropout", 2 },
    { "max_pool2d_with_indices", 2 }, { "adaptive_max_pool2d", 2 }, { "lstm", 3 }, { "gru", 2 }, { "rnn_tanh", 2 }, { "rnn_relu", 2 }, { "convolution_backward", 3 }, { "log_sigmoid_forward", 2 },
    { "native_layer_norm_backward", 3 }, { "native_batch_norm_backward", 3 }, { "native_group_norm_backward", 3 }, { "frexp", 2 }, { "linalg_qr", 2 }, { "_linalg_svd", 3 },
    { "_pack_padded_sequence", 2 }, { "_pad_packed_sequence", 2 }, { "_unique2", 3 }, { "_unique", 2 }, { "unique_dim", 3 }, { "unique_consecutive", 3 }, { "linalg_slogdet", 2 }, { "_linalg_det", 3 }, { "slogdet", 2 }, { "triangular_solve", 2 }, { "linalg_inv_ex", 2 }, { "linalg_cholesky_ex", 2 },
    { "cummax", 2 }, { "lstm_cell", 2 }, { "nll_loss_forward", 2 }, { "nll_loss2d_forward", 2 }, { "max_pool1d_with_indices", 2 }, { "max_pool3d_with_indices", 2 }, { "cummin", 2 }, { "_weight_norm_interface", 2 }, { "_native_multi_head_attention", 2 },
  };
  /* clang-format on */
  gint64 whole;
  const PhTorchVal *second = args->len > 1 ? args->pdata[1] : NULL;

  for (guint k = 0; keywords != NULL && k + 1 < keywords->len; k += 2)
    if (g_str_equal (keywords->pdata[k], "dim") && second == NULL)
      second = keywords->pdata[k + 1];
  if (g_str_equal (op, "max") || g_str_equal (op, "min") || g_str_equal (op, "median"))
    return second != NULL && ph_torch_is_int (second, &whole) ? 2 : 1;
  if (g_str_has_prefix (op, "split") && second != NULL && second->items != NULL && second->items->len <= 1000)
    return second->items->len;
  for (guint i = 0; i < G_N_ELEMENTS (several); i++)
    if (g_str_equal (several[i].op, op))
      return several[i].n;
  return 1;
}

static PhTorchVal *
finish_call (PhTorchScope *scope, const PhPy *at, const PhTorchTarget *target, const PhTorchCall *call)
{
  static const char *const growing[] = { "append", "extend", "insert", "reverse", NULL };
  GPtrArray *args = call->args, *keywords = call->keywords;
  PhTorch *torch = scope->torch;
  const gboolean aten = g_str_equal (target->domain, PH_TORCH_ATEN);
  PhTorchVal *first = args->len > 0 ? args->pdata[0] : NULL, *val;
  const guint n = aten && call->n_names <= 1 ? n_results (target->op, args, keywords) : call->n_names;

  if (aten && (val = ph_torch_of_lists (scope, at, target->op, args)) != NULL)
    return val;
  /* Lists of numbers that are concatenated or compared: their items are unknown. */
  if (aten && args->len == 2 && (g_str_equal (target->op, "eq") || g_str_equal (target->op, "ne"))
      && (first->sizes || ((PhTorchVal *) args->pdata[1])->sizes))
    {
      const PhTorchTarget lists = { target->domain, target->op, (char *) "int_list" };

      for (guint i = 0; i < 2; i++)
        if (((PhTorchVal *) args->pdata[i])->items != NULL)
          args->pdata[i] = ph_torch_value (torch, ph_torch_as_value (scope, at, args->pdata[i]));
      return ph_torch_add_call (scope, at, &lists, call);
    }
  for (guint i = 0; aten && args->len == 2 && i < 2
                    && (g_str_equal (target->op, "add") || (g_str_equal (target->op, "add_") && first->kind == PH_TORCH_VALUE));
       i++)
    if (((PhTorchVal *) args->pdata[i])->kind == PH_TORCH_LIST && ph_torch_has_value (args->pdata[i]))
      {
        PhTorchVal *list = ph_torch_value (torch, ph_torch_as_value (scope, at, args->pdata[i]));

        list->sizes = TRUE;
        args->pdata[i] = list;
        first = args->pdata[0];
      }
  if (args->len >= 1 && args->len <= 2 && (keywords == NULL || keywords->len == 0)
      && (aten || g_str_equal (target->domain, PH_TORCH_PRIM))
      && (val = ph_torch_fold (torch, target->op, first, args->len == 2 ? args->pdata[1] : NULL)) != NULL)
    return val;
  if (aten
      && ((val = ph_torch_fold_range (torch, target->op, args)) != NULL
          || (val = ph_torch_of_dict (torch, target->op, args)) != NULL))
    return val;
  if ((val = ph_torch_write_list (scope, at, target->op, args)) != NULL || *torch->error != NULL)
    return *torch->error == NULL ? val : NULL;
  if (n > 1 && call->n_names <= 1)
    {
      g_autofree const char **all = g_new0 (const char *, n + 1);

      for (guint i = 0; i < n; i++)
        all[i] = call->n_names == 1 && call->names[0] != NULL ? call->names[0] : target->op;
      val = ph_torch_add_call (scope, at, target, &(PhTorchCall) { args, keywords, all, n, NULL });
    }
  else
    val = ph_torch_add_call (scope, at, target, call);
  if (!aten || *torch->error != NULL)
    return *torch->error == NULL ? val : NULL;
  if (val->items != NULL)
    for (guint i = 0; i < val->items->len; i++)
      ph_torch_note_view (val->items->pdata[i], target->op, first);
  else
    ph_torch_note_view (val, target->op, first);
  /* A list that is carried by a loop is a value, which grows. */
  if ((ph_torch_is_in_place (target->op) || g_strv_contains (growing, target->op)) && first != NULL
      && first->kind == PH_TORCH_VALUE && val->kind == PH_TORCH_VALUE)
    return ph_torch_write (scope, at, first, val->name) ? first : NULL;
  return val;
}

/* Takes out = y out of @keywords. (nullable) */
static PhTorchVal *
take_out (GPtrArray *keywords)
{
  for (guint k = 0; keywords != NULL && k + 1 < keywords->len; k += 2)
    if (g_str_equal (keywords->pdata[k], "out"))
      {
        PhTorchVal *out = keywords->pdata[k + 1];

        g_ptr_array_remove_range (keywords, k, 2);
        return out;
      }
  return NULL;
}

PhTorchVal *
ph_torch_call_target (PhTorchScope *scope, const PhPy *at, const char *dotted, const PhTorchCall *call)
{
  g_auto (PhTorchTarget) target = { NULL, NULL, NULL };
  PhTorchVal *out, *val;

  resolve (dotted, scope->torch->zip != NULL, &target);
  if (call->keywords != NULL && (g_str_has_prefix (dotted, "torch.nn.functional.") || g_str_has_prefix (dotted, "F.")))
    ph_torch_from_functional (scope->torch, &target, call->args, call->keywords);
  if (g_str_has_suffix (dotted, "tree_unflatten") && call->args->len > 0) /* results as a module gives them */
    return call->args->pdata[0];
  if (scope->torch->zip == NULL && call->args != NULL && g_str_equal (target.domain, PH_TORCH_ATEN))
    ph_torch_gather_tensors (scope->torch, target.op, call->args);
  out = take_out (call->keywords);
  val = finish_call (scope, at, &target, call);
  if (out == NULL || val == NULL || out->kind != PH_TORCH_VALUE || val->kind != PH_TORCH_VALUE)
    return val;
  return ph_torch_write (scope, at, out, ph_torch_as_value (scope, at, val)) ? out : NULL;
}

/* Reads the arguments of a call into @args and @keywords. */
static gboolean
read_arguments (PhTorchScope *scope, const PhPy *py, GPtrArray *args, GPtrArray *keywords)
{
  const PhPy *callee = py->items[0];
  const gboolean skip_type = ph_py_is_name (callee, "annotate") || ph_py_is_name (callee, "unchecked_cast")
                             || ph_py_is_name (callee, "uninitialized");

  for (guint i = 1; i < py->n; i++)
    {
      const PhPy *argument = py->items[i];
      const gboolean wrapped = argument->kind == PH_PY_KEYWORD || argument->kind == PH_PY_STARRED;
      PhTorchVal *val = skip_type && i == 1 ? ph_torch_unknown (scope->torch, argument)
                                            : ph_torch_expr (scope, wrapped ? argument->items[0] : argument, NULL, NULL);

      if (val == NULL)
        return FALSE;
      if (argument->kind == PH_PY_KEYWORD && *argument->text != '*')
        {
          g_ptr_array_add (keywords, (gpointer) argument->text);
          g_ptr_array_add (keywords, val);
        }
      else
        g_ptr_array_add (args, val);
    }
  return TRUE;
}

/* Calls OF.NAME (...), where @of is not a Python module. Sets @val to the result, or @target to the operator to call. */
static gboolean
call_member (PhTorchScope *scope, const PhPy *py, PhTorchVal *of, const PhTorchCall *call, PhTorchTarget *target,
             PhTorchVal **val)
{
  PhTorch *torch = scope->torch;
  const char *member = py->items[0]->text;
  gboolean known = FALSE;

  if (of->kind == PH_TORCH_MODULE && of->object != NULL)
    {
      *val = ph_torch_call_method (scope, py, of, member, call->args, &known);
      return known || *val == NULL;
    }
  if (of->kind == PH_TORCH_MODULE
      && !g_hash_table_contains (torch->weights, of->path)) /* self.fc1 (x): its contents are unknown */
    {
      g_autofree char *path = g_strdup_printf ("%s%s%s", of->path, *of->path != '\0' ? "." : "", member);

      target->domain = g_strdup (PH_TORCH_OTHER);
      target->op = g_strdup ("call_module");
      *val = ph_torch_add_call (scope, py, target, call);
      ph_sketch_node_text (scope->graph->nodes->pdata[scope->graph->nodes->len - 1], "target", path);
      return TRUE;
    }
  g_ptr_array_insert (call->args, 0, of);
  target->domain = g_strdup (ph_torch_signature (member) != NULL || torch->zip != NULL ? PH_TORCH_ATEN : PH_TORCH_OTHER);
  target->op = g_strdup (member);
  return FALSE;
}

/* Converts operator.setitem (x, index, y), which writes into a part of x. */
static PhTorchVal *
set_item (PhTorchScope *scope, const PhPy *py, const PhTorchCall *call)
{
  g_auto (PhTorchTarget) target = { NULL, NULL, NULL };
  PhTorchVal *part = ph_torch_index (scope, py, call->args->pdata[0], py->items[2], NULL, NULL);

  if (part == NULL)
    return NULL;
  call->args->pdata[0] = part;
  g_ptr_array_remove_index (call->args, 1);
  target.domain = g_strdup (PH_TORCH_ATEN);
  target.op = g_strdup ("copy_");
  return finish_call (scope, py, &target, call);
}

PhTorchVal *
ph_torch_call (PhTorchScope *scope, const PhPy *py, const char *const *names, guint n_names, const PhType *type)
{
  PhTorch *torch = scope->torch;
  const PhPy *callee = py->items[0];
  g_autofree char *dotted = ph_py_dotted (callee);
  g_autoptr (GPtrArray) args = g_ptr_array_new (), keywords = g_ptr_array_new ();
  const PhTorchCall call = { args, keywords, names, n_names, type };
  g_auto (PhTorchTarget) target = { NULL, NULL, NULL };
  PhTorchVal *val = NULL, *of = NULL;
  const char *name = n_names == 1 ? names[0] : NULL;
  gboolean known = FALSE;

  if (++torch->work > MAX_WORK)
    {
      ph_source_fail (torch->source, torch->error, PH_ERROR_UNSUPPORTED, NULL, "its functions call each other more than %d times",
                      MAX_WORK);
      return NULL;
    }
  if (!read_arguments (scope, py, args, keywords))
    return NULL;
  if ((val = builtin_call (scope, py, args, name, type)) != NULL || *torch->error != NULL)
    return val;
  if (callee->kind == PH_PY_NAME && (of = g_hash_table_lookup (scope->names, callee->text)) != NULL
      && of->kind == PH_TORCH_UNKNOWN)
    {
      g_autofree char *function = ph_py_dotted (of->py); /* _0 = __torch__.torch.nn.functional.relu */

      if (function != NULL && g_str_has_prefix (function, "__torch__."))
        {
          g_free (dotted);
          dotted = g_steal_pointer (&function);
        }
    }
  else if (callee->kind == PH_PY_ATTRIBUTE
           && (dotted == NULL
               || g_hash_table_contains (scope->names, callee->items[0]->kind == PH_PY_NAME ? callee->items[0]->text : "")
               || g_str_has_prefix (dotted, "self.")))
    {
      if ((of = ph_torch_expr (scope, callee->items[0], NULL, NULL)) == NULL)
        return NULL;
      if (of->kind == PH_TORCH_UNKNOWN && g_str_equal (callee->text, "__init__"))
        return of;
      if (call_member (scope, py, of, &call, &target, &val))
        return val;
    }
  /* with torch.no_grad (): nothing is differentiated while a model runs */
  if (dotted != NULL && g_str_has_prefix (dotted, "__torch__.torch.autograd.grad_mode."))
    return ph_torch_unknown (torch, py);
  if (dotted != NULL && target.op == NULL && g_str_has_prefix (dotted, "__torch__."))
    {
      val = ph_torch_call_function (scope, py, dotted, args, &known);
      if (known || val == NULL)
        return val;
    }
  if (dotted != NULL && g_str_has_suffix (dotted, "operator.setitem") && args->len == 3)
    return set_item (scope, py, &call);
  if (dotted != NULL && g_str_has_suffix (dotted, "operator.getitem") && args->len == 2)
    return ph_torch_index (scope, py, args->pdata[0], py->items[2], name, type);
  if (target.op != NULL)
    return finish_call (scope, py, &target, &call);
  {
    g_autofree char *text = dotted != NULL ? g_strdup (dotted) : ph_py_to_string (callee);

    return ph_torch_call_target (scope, py, text, &call);
  }
}
