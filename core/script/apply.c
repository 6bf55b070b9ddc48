/* apply.c: operators: computed at once and recorded, or put into the graph that is compiled.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/discard.h"
#include "core/ops/infer.h"
#include "core/run/executor.h"
#include "core/script/script-emit.h"
#include "core/script/script-operate.h"

/* ── errors ── */

const char *
ph_script_file (PhScriptMachine *machine)
{
  PhScriptFrame *frame = machine->call_of_word != NULL ? machine->frame_of_word : machine->frame;

  for (; frame != NULL; frame = frame->outer)
    if (frame->text != NULL)
      return frame->text->file != NULL ? frame->text->file : "line";
  return "line";
}

/* "\n  y = a + b\n          ^" */
static char *
quote (const char *text, guint line, guint column)
{
  const char *start = text, *end;
  GString *out;

  for (guint i = 1; i < line && start != NULL; i++)
    {
      start = strchr (start, '\n');
      start = start != NULL ? start + 1 : NULL;
    }
  if (start == NULL || line == 0 || column == 0)
    return g_strdup ("");
  end = start + strcspn (start, "\r\n");
  if (end - start > 100 || column > (guint) (end - start) + 1)
    return g_strdup ("");
  out = g_string_new ("\n  ");
  g_string_append_len (out, start, end - start);
  g_string_append (out, "\n  ");
  for (guint i = 0; i + 1 < column; i++)
    if (((guchar) start[i] & 0xc0) != 0x80)
      g_string_append_c (out, start[i] == '\t' ? '\t' : ' ');
  g_string_append_c (out, '^');
  return g_string_free (out, FALSE);
}

/* Returns the place to report for @at: a word written in the language counts as one call. */
const PhPy *
ph_script_place (PhScriptMachine *machine, const PhPy *at)
{
  return machine->call_of_word != NULL ? machine->call_of_word : at;
}

static void
set_error (PhScriptMachine *machine, const PhPy *at, GError **error, GQuark domain, int code, const char *message)
{
  const PhScriptText *text = NULL;
  g_autofree char *quoted = NULL;

  at = ph_script_place (machine, at != NULL ? at : machine->at);
  for (PhScriptFrame *frame = machine->call_of_word != NULL ? machine->frame_of_word : machine->frame;
       frame != NULL && text == NULL; frame = frame->outer)
    text = frame->text;
  quoted = at != NULL && text != NULL ? quote (text->text, at->line, at->column) : g_strdup ("");
  if (at != NULL)
    g_set_error (error, domain, code, "%s:%u:%u: %s%s", ph_script_file (machine), at->line, at->column, message, quoted);
  else
    g_set_error (error, domain, code, "%s: %s", ph_script_file (machine), message);
}

gpointer
ph_script_fail (PhScriptMachine *machine, const PhPy *at, GError **error, PhError code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  set_error (machine, at, error, PH_ERROR, code, message);
  return NULL;
}

gpointer
ph_script_blame (PhScriptMachine *machine, const PhPy *at, GError *reason, GError **error)
{
  if (reason->domain == G_IO_ERROR)
    g_propagate_error (error, reason);
  else
    {
      set_error (machine, at, error, reason->domain, reason->code, reason->message);
      g_error_free (reason);
    }
  return NULL;
}

gboolean
ph_script_go_on (PhScriptMachine *machine, GError **error)
{
  if (++machine->n_steps > machine->script->limit && machine->script->limit > 0)
    return ph_script_fail (machine, NULL, error, PH_ERROR_CANCELLED, "this takes more than %u steps", machine->script->limit)
           != NULL;
  return !g_cancellable_set_error_if_cancelled (machine->cancellable, error);
}

void
ph_script_decide (PhScriptMachine *machine, const PhPy *at, gint64 outcome)
{
  at = ph_script_place (machine, at);
  /* Only decisions in the outermost function are distinguished by line. */
  if (machine->decisions != NULL && machine->decisions->len < 1000000)
    g_array_append_val (machine->decisions,
                        ((PhScriptDecision) { at != NULL ? at->line : 0, at != NULL ? at->column : 0, outcome }));
}

void
ph_script_machine_clear (PhScriptMachine *machine)
{
  /* Many are freed on another thread: a stopped loop may leave hundreds of thousands of them. */
  if (machine->constants != NULL)
    ph_discard_parts (machine->constants, (GDestroyNotify) g_hash_table_unref, g_hash_table_size (machine->constants));
  machine->constants = NULL;
  g_clear_pointer (&machine->shared, g_hash_table_unref);
}

/* ── values of the graph ── */

static PhValue *
add_constant (PhScriptMachine *machine, PhTensor *tensor, gboolean outermost, const char *name, GError **error)
{
  PhBuilder builder = { .graph = outermost ? ph_graph_root (machine->graph) : machine->graph };
  PhValue *value;

  /* A weight is called as the program calls it. */
  if (name != NULL)
    return ph_graph_add_constant (builder.graph, ph_model_unique_name (builder.graph->model, name), tensor, error);
  value = ph_build_tensor (&builder, ph_tensor_ref (tensor));
  return ph_builder_finish (&builder, error) ? value : NULL;
}

static PhValue *
add_cast (PhScriptMachine *machine, PhValue *value, PhDType dtype, GError **error)
{
  g_autoptr (PhScriptValue) wrapped = ph_script_tensor (NULL), cast = NULL;

  if (value->type != NULL && value->type->dtype == dtype)
    return value;
  wrapped->value = value;
  wrapped->recorder = machine->recorder;
  cast = ph_script_cast (machine, wrapped, dtype, error);
  return cast != NULL ? cast->value : NULL;
}

PhValue *
ph_script_graph_value (PhScriptMachine *machine, PhScriptValue *value, PhDType dtype, GError **error)
{
  PhValue *made;

  if (ph_script_is_number (value))
    {
      g_autoptr (PhTensor) tensor = ph_script_number_tensor (value, dtype);

      return add_constant (machine, tensor, FALSE, NULL, error);
    }
  if (value->kind != PH_SCRIPT_TENSOR)
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s is not a tensor", ph_script_kind_name (value));
  if (value->value != NULL && value->recorder == machine->recorder)
    return dtype == PH_UNDEFINED || machine->compiling
               ? (dtype == PH_UNDEFINED ? value->value : add_cast (machine, value->value, dtype, error))
               : value->value;
  if (dtype != PH_UNDEFINED && dtype != ph_tensor_dtype (value->tensor))
    {
      g_autoptr (PhTensor) tensor = ph_tensor_cast (value->tensor, dtype);

      return add_constant (machine, tensor, FALSE, NULL, error);
    }
  made = machine->constants != NULL ? g_hash_table_lookup (machine->constants, value) : NULL;
  if (made == NULL)
    {
      made = add_constant (machine, value->tensor, TRUE, value->text, error);
      if (made != NULL && machine->constants != NULL)
        g_hash_table_insert (machine->constants, ph_script_value_ref (value), made);
    }
  return made;
}

/* ── operators ── */

static const PhOpArg *
formal (const PhOp *op, guint i)
{
  guint last = 0;

  while (last + 1 < PH_MAX_ARGS && op->inputs[last + 1].name != NULL)
    last++;
  return &op->inputs[MIN (i, last)];
}

static gboolean
gives_way (const PhScriptValue *value)
{
  return ph_script_is_number (value) || (value->kind == PH_SCRIPT_TENSOR && value->weak);
}

static gboolean
takes (const PhOpArg *arg, PhDType dtype)
{
  return dtype < PH_N_DTYPES && (arg->types & (G_GUINT64_CONSTANT (1) << dtype)) != 0;
}

/* Returns the element type that numpy promotes the inputs of @i's group to: float if any tensor or number is. UNDEFINED: no tensor
 * determines it. */
static PhDType
group_dtype (const PhOp *op, guint i, PhScriptValue *const *inputs, guint n)
{
  const char group = formal (op, i)->group;
  PhDType dtype = PH_UNDEFINED;
  gboolean fraction = FALSE;

  for (guint k = 0; group != '\0' && k < n; k++)
    {
      const PhDType own = inputs[k] != NULL ? ph_script_dtype (inputs[k]) : PH_UNDEFINED;

      if (own == PH_UNDEFINED || formal (op, k)->group != group)
        continue;
      if (!ph_dtype_is_float (own) && !ph_dtype_is_integer (own) && own != PH_BOOL)
        return PH_UNDEFINED;
      if (gives_way (inputs[k]))
        fraction = fraction || ph_dtype_is_float (own);
      else
        dtype = dtype == PH_UNDEFINED ? own : ph_script_common_dtype (dtype, own);
    }
  return dtype != PH_UNDEFINED && fraction && !ph_dtype_is_float (dtype) ? PH_FLOAT : dtype;
}

/* Returns TRUE if @i's group has several inputs, all of them integers. */
static gboolean
has_companions (const PhOp *op, guint i, PhScriptValue *const *inputs, guint n)
{
  const char group = formal (op, i)->group;
  guint companions = 0;

  for (guint k = 0; group != '\0' && k < n; k++)
    if (inputs[k] != NULL && formal (op, k)->group == group)
      {
        if (ph_script_number_kind (inputs[k]) != PH_SCRIPT_INT && ph_script_number_kind (inputs[k]) != PH_SCRIPT_BOOL)
          return FALSE;
        companions += k != i;
      }
  return companions > 0;
}

/* Returns the element type for input @i: its own, or for a weak number that of other inputs of the same group, else the first float or
 * integer that the schema allows. UNDEFINED: unchanged. */
static PhDType
input_dtype (const PhOp *op, guint i, PhScriptValue *const *inputs, guint n)
{
  const PhOpArg *arg = formal (op, i);
  const PhDType own = ph_script_dtype (inputs[i]);
  PhDType group;

  if (!gives_way (inputs[i]) && own != PH_STRING && own != PH_UNDEFINED
      && (group = group_dtype (op, i, inputs, n)) != PH_UNDEFINED && group != own)
    return takes (arg, group) ? group : PH_UNDEFINED;
  if (!gives_way (inputs[i]))
    return own != PH_UNDEFINED && own != PH_STRING && !takes (arg, own) && (ph_dtype_is_integer (own) || own == PH_BOOL)
                   && takes (arg, PH_FLOAT)
               ? PH_FLOAT
               : PH_UNDEFINED;
  if (own == PH_STRING)
    return PH_UNDEFINED;
  if ((group = group_dtype (op, i, inputs, n)) != PH_UNDEFINED)
    return group;
  /* where(c, 1, 0) has integer elements. */
  if (takes (arg, PH_FLOAT) && !(own == PH_INT64 && takes (arg, PH_INT64) && has_companions (op, i, inputs, n)))
    return PH_FLOAT;
  if (takes (arg, PH_INT64))
    return PH_INT64;
  for (PhDType dtype = PH_FLOAT; dtype < PH_N_DTYPES; dtype++)
    if (takes (arg, dtype) && dtype != PH_STRING)
      return dtype;
  return PH_UNDEFINED;
}

/* Converts @i to an input of the operator: a strong tensor. (transfer full) */
static PhScriptValue *
prepare (PhScriptMachine *machine, const PhOp *op, guint i, PhScriptValue *const *inputs, guint n, GError **error)
{
  PhScriptValue *value = inputs[i];
  PhDType dtype;

  if (value->kind == PH_SCRIPT_TUPLE && value->n > 0)
    {
      g_autofree PhScriptValue **more = g_memdup2 (inputs, n * sizeof *inputs);
      g_autoptr (PhScriptValue) array = ph_script_as_array (machine, value, error);

      more[i] = array;
      return array != NULL ? prepare (machine, op, i, more, n, error) : NULL;
    }
  if (value->kind != PH_SCRIPT_TENSOR && !ph_script_is_number (value))
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s wants a tensor as its input %u, not %s", op->name, i + 1,
                           ph_script_kind_name (value));
  dtype = input_dtype (op, i, inputs, n);
  if (ph_script_is_number (value))
    {
      /* From here on it does not matter that the constant came from a number. */
      return ph_script_tensor (ph_script_number_tensor (value, dtype));
    }
  if (dtype == PH_UNDEFINED || dtype == ph_script_dtype (value))
    return ph_script_value_ref (value);
  if (value->weak && value->tensor != NULL && value->value == NULL)
    return ph_script_tensor (ph_tensor_cast (value->tensor, dtype));
  return ph_script_cast (machine, value, dtype, error);
}

static PhNode *
add_node (PhScriptMachine *machine, const PhOp *op, PhValue **values, guint n, PhAttr **attrs, guint n_outputs, GError **error)
{
  const char *name = op->name;
  const char *names[PH_MAX_ARGS + 64];
  guint n_attrs = 0;
  const PhWhere *where = NULL;
  PhNode *node;

  while (attrs != NULL && attrs[n_attrs] != NULL)
    n_attrs++;
  while (n > 0 && values[n - 1] == NULL)
    n--;
  for (guint i = 0; i < MIN (n_outputs, G_N_ELEMENTS (names)); i++)
    names[i] = name;
  if (machine->at != NULL)
    {
      const PhPy *at = ph_script_place (machine, machine->at);

      where = ph_where_new (ph_intern (ph_script_file (machine)), at->line, at->column, FALSE, NULL);
    }
  node = ph_graph_add_node (machine->graph,
                            &(PhNodeSpec) { .op = op,
                                            .op_type = op->name,
                                            .domain = op->domain != NULL ? op->domain : "",
                                            .name = name,
                                            .inputs = values,
                                            .n_inputs = n,
                                            .n_outputs = n_outputs,
                                            .output_names = n_outputs <= G_N_ELEMENTS (names) ? names : NULL,
                                            .attrs = attrs,
                                            .n_attrs = n_attrs,
                                            .where = where },
                            error);
  if (node == NULL)
    return NULL;
  machine->n_nodes++;
  if (!ph_infer_one (node, error))
    {
      ph_graph_remove_node (node, NULL);
      return NULL;
    }
  return node;
}

static gboolean
run_node (PhScriptMachine *machine, PhNode *node, PhTensor *const *tensors, PhScriptValue **outputs, guint n_outputs,
          GError **error)
{
  g_autofree PhTensor **results = g_new0 (PhTensor *, n_outputs + 1);
  PhRunOptions options = { .cancellable = machine->cancellable };

  if (!ph_run_node (node, tensors, results, &options, error))
    {
      ph_graph_remove_node (node, NULL); /* only this node: its operands may be variables */
      return FALSE;
    }
  for (guint i = 0; i < n_outputs; i++)
    {
      if (results[i] == NULL)
        {
          outputs[i] = ph_script_none ();
          continue;
        }
      outputs[i] = ph_script_tensor (results[i]);
      if (machine->keep)
        {
          outputs[i]->value = ph_node_output (node, i);
          outputs[i]->recorder = machine->recorder;
          if (ph_tensor_kind (results[i]) == PH_KIND_TENSOR)
            ph_value_set_type (outputs[i]->value, ph_type_of_tensor (results[i]), NULL);
        }
    }
  if (!machine->keep)
    ph_graph_remove_node (node, NULL); /* only this node, as above */
  return TRUE;
}

static gint64
bytes_of (const PhScriptValue *value, GHashTable *seen)
{
  gint64 bytes = 0;

  for (guint i = 0; value->kind == PH_SCRIPT_TUPLE && i < value->n; i++)
    bytes += bytes_of (value->items[i], seen);
  if (value->kind == PH_SCRIPT_TENSOR && value->tensor != NULL && ph_tensor_dtype (value->tensor) != PH_STRING
      && g_hash_table_add (seen, value->tensor))
    bytes += (gint64) (ph_tensor_count (value->tensor) * ph_dtype_size (ph_tensor_dtype (value->tensor)));
  return bytes;
}

/* Notes the peak memory: the variables of running functions without their arguments, and the operands and results of the current
 * operation. */
static void
note_peak (PhScriptMachine *machine, PhScriptValue **inputs, guint n, PhScriptValue **outputs, guint n_outputs)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gint64 bytes = 0;
  gpointer value;

  for (const PhScriptFrame *frame = machine->frame; frame != NULL && frame->function != NULL; frame = frame->outer)
    {
      GHashTableIter iter;

      g_hash_table_iter_init (&iter, frame->scope->variables);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        if (((PhScriptValue *) value)->kind != PH_SCRIPT_TENSOR
            || !g_hash_table_contains (frame->given, GSIZE_TO_POINTER (((PhScriptValue *) value)->memory)))
          bytes += bytes_of (value, seen);
        else
          g_hash_table_add (seen, ((PhScriptValue *) value)->tensor);
    }
  for (guint i = 0; i < n; i++)
    bytes += inputs[i] != NULL ? bytes_of (inputs[i], seen) : 0;
  for (guint i = 0; i < n_outputs; i++)
    bytes += bytes_of (outputs[i], seen);
  *machine->script->peak = MAX (*machine->script->peak, bytes);
}

/* Removes the constants made for a node that is not kept, except those that kept nodes use. */
static void
drop_constants (PhScriptMachine *machine, PhScriptValue *const *inputs, PhValue **values, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      PhValue *value = values[i];

      if (value == NULL || value == inputs[i]->value || value->producer != NULL || value->is_input)
        continue;
      if (machine->constants != NULL)
        g_hash_table_remove (machine->constants, inputs[i]);
      for (guint k = i + 1; k < n; k++)
        if (values[k] == value)
          values[k] = NULL;
      if (ph_value_n_uses (value) == 0)
        ph_graph_remove_value (value, NULL);
    }
}

static gboolean
emit (PhScriptMachine *machine, const PhOp *op, PhScriptValue **inputs, guint n, PhAttr **attrs, PhScriptValue **outputs,
      guint n_outputs, GError **error)
{
  g_autofree PhValue **values = g_new0 (PhValue *, n + 1);
  g_autofree PhTensor **tensors = g_new0 (PhTensor *, n + 1);
  PhNode *node;
  gboolean ok;

  for (guint i = 0; i < n; i++)
    if (inputs[i] != NULL)
      {
        values[i] = ph_script_graph_value (machine, inputs[i], PH_UNDEFINED, error);
        if (values[i] == NULL)
          return FALSE;
        tensors[i] = inputs[i]->tensor;
      }
  node = add_node (machine, op, values, n, attrs, n_outputs, error);
  if (node == NULL)
    return FALSE;
  if (!machine->compiling)
    {
      if (machine->n_nodes > machine->max_nodes)
        machine->keep = FALSE;
      ok = run_node (machine, node, tensors, outputs, n_outputs, error);
      if (ok && machine->script->peak != NULL)
        note_peak (machine, inputs, n, outputs, n_outputs);
      if (!machine->keep)
        drop_constants (machine, inputs, values, n);
      return ok;
    }
  for (guint i = 0; i < n_outputs; i++)
    {
      outputs[i] = ph_script_tensor (NULL);
      outputs[i]->value = ph_node_output (node, i);
      outputs[i]->recorder = machine->recorder;
    }
  return TRUE;
}

gboolean
ph_script_emit (PhScriptMachine *machine, const PhOp *op, PhScriptValue *const *inputs, guint n, PhAttr **attrs,
                PhScriptValue **outputs, guint n_outputs, GError **error)
{
  g_autoptr (GPtrArray) prepared = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  GError *reason = NULL;
  gboolean ok = ph_script_go_on (machine, error), told = !ok;

  for (guint i = 0; i < n && ok; i++)
    {
      PhScriptValue *value = inputs[i] != NULL ? prepare (machine, op, i, inputs, n, error) : NULL;

      ok = value != NULL || inputs[i] == NULL;
      told = !ok;
      g_ptr_array_add (prepared, value);
    }
  if (ok && machine->compiling && machine->n_nodes > machine->max_nodes)
    {
      ph_script_fail (machine, NULL, error, PH_ERROR_UNSUPPORTED, "this becomes more than %u nodes", machine->max_nodes);
      ok = FALSE;
      told = TRUE;
    }
  for (guint i = 0; i < n_outputs; i++)
    outputs[i] = NULL;
  ok = ok && emit (machine, op, (PhScriptValue **) prepared->pdata, n, attrs, outputs, n_outputs, &reason);
  for (guint i = 0; attrs != NULL && attrs[i] != NULL; i++)
    ph_attr_unref (attrs[i]);
  if (!ok && !told)
    ph_script_blame (machine, NULL, reason, error);
  return ok;
}

PhScriptValue *
ph_script_emit1 (PhScriptMachine *machine, const PhOp *op, PhAttr **attrs, GError **error, guint n, ...)
{
  PhScriptValue *inputs[16] = { NULL }, *output;
  va_list args;

  va_start (args, n);
  for (guint i = 0; i < n; i++)
    inputs[i] = va_arg (args, PhScriptValue *);
  va_end (args);
  return ph_script_emit (machine, op, inputs, n, attrs, &output, 1, error) ? output : NULL;
}

PhScriptValue *
ph_script_cast (PhScriptMachine *machine, PhScriptValue *value, PhDType dtype, GError **error)
{
  PhScriptValue *output;

  if (ph_script_is_number (value))
    return ph_script_tensor (ph_script_number_tensor (value, dtype));
  if (value->kind == PH_SCRIPT_TENSOR && value->weak && value->tensor != NULL && value->value == NULL
      && ph_tensor_dtype (value->tensor) != PH_STRING)
    return ph_script_tensor (ph_tensor_cast (value->tensor, dtype));
  if (value->kind == PH_SCRIPT_TENSOR && value->weak)
    {
      /* The same value with a fixed type, which does not adapt to others. */
      g_autoptr (PhScriptValue) strong = ph_script_tensor (value->tensor != NULL ? ph_tensor_ref (value->tensor) : NULL);

      strong->value = value->value;
      strong->recorder = value->recorder;
      if (ph_script_dtype (strong) == dtype)
        return g_steal_pointer (&strong);
      return ph_script_cast (machine, strong, dtype, error);
    }
  if (value->kind == PH_SCRIPT_TENSOR && ph_script_dtype (value) == dtype)
    return ph_script_value_ref (value);
  if (value->kind != PH_SCRIPT_TENSOR)
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s is not a tensor", ph_script_kind_name (value));
  return ph_script_emit (machine, &ph_op_Cast, &value, 1, PH_ATTRS (ph_attr_new_int ("to", dtype)), &output, 1, error) ? output
                                                                                                                       : NULL;
}

PhScriptValue *
ph_script_strong (PhScriptMachine *machine, PhScriptValue *value, GError **error)
{
  PhDType dtype = ph_script_dtype (value);

  if (value->kind == PH_SCRIPT_TUPLE || dtype == PH_UNDEFINED)
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s is not a tensor", ph_script_kind_name (value));
  if (!gives_way (value))
    return ph_script_value_ref (value);
  if (dtype == PH_STRING)
    return ph_script_tensor (ph_tensor_ref (value->tensor));
  return ph_script_cast (machine, value,
                         dtype == PH_DOUBLE || (ph_script_rank (value) > 0 && dtype == PH_INT64) ? PH_FLOAT : dtype, error);
}
