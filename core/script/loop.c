/* loop.c: compiles a loop to a Loop; the variables that its body changes become states.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/copy.h"
#include "core/ops/infer.h"
#include "core/script/compile-private.h"
#include "core/script/script-alias.h"
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* The result of one attempt to compile the body. */
typedef struct
{
  PhGraph *body;
  GHashTable *variables;
  PhScriptValue *test; /* (nullable) owned: whether another iteration follows                  */
  guint n_inputs;
} Turn;

/* ── one try at the body ── */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names that the body sets and that have a value before it: they go round. */
void
ph_script_loop_find_carried (PhScriptMachine *machine, PhScriptLoop *loop)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer key;

  ph_script_assigned (loop->py->body, loop->py->n_body, names, TRUE);
  loop->names = g_ptr_array_new ();
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhScriptValue *value = ph_script_variable (machine, key);

      if (value != NULL && value->kind != PH_SCRIPT_UNSET && value->kind != PH_SCRIPT_FUNCTION && value->kind != PH_SCRIPT_WORD
          && value->kind != PH_SCRIPT_STRING && value->kind != PH_SCRIPT_NONE && value->kind != PH_SCRIPT_DTYPE)
        g_ptr_array_add (loop->names, key);
    }
  g_ptr_array_sort (loop->names, compare_names);
}

static const PhType *
leaf_type (PhScriptValue *value)
{
  const PhType *type = ph_script_is_number (value) ? NULL : ph_script_type (value);

  if (type == NULL)
    return ph_type_static (ph_script_dtype (value), 0, NULL);
  return value->weak && ph_script_number_kind (value) == PH_SCRIPT_NONE && type->dtype == PH_DOUBLE
             ? ph_type_with_dtype (type, PH_FLOAT)
             : type;
}

/* Sets each loop-carried name to an input of the body. */
static gboolean
add_inputs (PhScriptMachine *machine, PhScriptLoop *loop, Turn *turn, GError **error)
{
  guint n = 0;

  for (guint i = 0; i < loop->names->len; i++)
    {
      const char *name = loop->names->pdata[i];
      g_autoptr (GArray) leaves = ph_script_leaves_new ();
      g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
      PhScriptValue *old = ph_script_variable (machine, name);
      g_autoptr (PhScriptValue) value = NULL;
      g_autofree char *why = NULL;
      guint next = 0;

      if (!ph_script_unify (machine, old, old, TRUE, leaves, &why))
        return ph_script_fail (machine, loop->py, error, PH_ERROR_TYPE, "'%s' cannot go round a loop", name) != NULL;
      for (guint k = 0; k < leaves->len; k++, n++)
        {
          const PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, k);
          PhValue *input;

          if (n == loop->types->len)
            g_ptr_array_add (loop->types, (gpointer) leaf_type (leaf->a));
          input = ph_graph_add_input (turn->body, ph_graph_unique_name (ph_graph_root (turn->body), name), loop->types->pdata[n],
                                      NULL, G_MAXUINT, error);
          if (input == NULL)
            return FALSE;
          g_ptr_array_add (
              made, ph_script_wrap (machine, input, leaf->weak && !g_hash_table_contains (loop->strong, GUINT_TO_POINTER (n))));
          if (leaf->a->kind == PH_SCRIPT_TENSOR)
            ((PhScriptValue *) made->pdata[made->len - 1])->memory = leaf->a->memory;
        }
      value = ph_script_rebuild (old, old, TRUE, (PhScriptValue *const *) made->pdata, &next);
      ph_script_set (machine, name, value);
    }
  turn->n_inputs = n;
  return TRUE;
}

gboolean
ph_script_loop_set_target (PhScriptMachine *machine, PhScriptLoop *loop, PhScriptValue *index, GError **error)
{
  g_autoptr (PhScriptValue) scaled = NULL, item = NULL;

  if (loop->over->kind == PH_SCRIPT_RANGE)
    {
      const gboolean plain = loop->step->kind == PH_SCRIPT_INT && loop->step->i == 1,
                     zero = loop->start->kind == PH_SCRIPT_INT && loop->start->i == 0;

      scaled = plain ? ph_script_value_ref (index) : ph_script_binary (machine, loop->py, "*", index, loop->step, error);
      item = scaled == NULL ? NULL
             : zero         ? ph_script_value_ref (scaled)
                            : ph_script_binary (machine, loop->py, "+", scaled, loop->start, error);
    }
  else
    {
      g_autoptr (PhScriptValue) later = loop->start != NULL ? ph_script_binary (machine, loop->py, "+", index, loop->start, error)
                                                            : ph_script_value_ref (index);
      g_autoptr (PhScriptValue) strong = later != NULL ? ph_script_cast (machine, later, PH_INT64, error) : NULL;

      item = strong != NULL ? ph_script_row (machine, loop->py->items[1], loop->over, strong, error) : NULL;
    }
  return item != NULL && ph_script_assign (machine, loop->py->items[0], item, error);
}

/* Ends the iteration. @turn->test is TRUE while the loop continues. */
static gboolean
end_turn (PhScriptMachine *machine, PhScriptLoop *loop, Turn *turn, GError **error)
{
  g_autoptr (PhScriptValue) go_on = NULL, value = NULL, condition = NULL;
  const int left = ph_script_left (machine, TRUE, &go_on, error);
  int truth = 1;

  if (left == -2)
    return FALSE;
  if (left != 1 && loop->over == NULL)
    {
      value = ph_script_evaluate (machine, loop->py->items[0], error);
      truth = value != NULL ? ph_script_truth (machine, loop->py->items[0], value, &condition, error) : -2;
      if (truth == -2)
        return FALSE;
    }
  if (left == 1 || truth == 0)
    turn->test = ph_script_tensor (ph_tensor_new_scalar (PH_BOOL, 0));
  else if (left == 0 && truth == 1)
    turn->test = ph_script_tensor (ph_tensor_new_scalar (PH_BOOL, 1));
  else if (left == 0 || truth == 1)
    turn->test = ph_script_value_ref (left == 0 ? condition : go_on);
  else
    turn->test = PH_EMIT (machine, And, error, go_on, condition);
  return turn->test != NULL;
}

static gboolean
try_body (PhScriptMachine *machine, PhScriptLoop *loop, PhNode *trial, Turn *turn, GError **error)
{
  PhGraph *outer = machine->graph;
  PhScriptScope *scope = machine->frame->scope;
  GHashTable *variables = scope->variables;
  g_autoptr (PhScriptValue) index = NULL;
  PhValue *iteration, *condition;
  gboolean ok;

  turn->body = ph_node_add_graph (trial, "body", "body", error);
  if (turn->body == NULL)
    return FALSE;
  iteration = ph_graph_add_input (turn->body, ph_graph_unique_name (ph_graph_root (outer), "turn"),
                                  ph_type_static (PH_INT64, 0, NULL), NULL, G_MAXUINT, error);
  condition = iteration != NULL ? ph_graph_add_input (turn->body, ph_graph_unique_name (ph_graph_root (outer), "go_on"),
                                                      ph_type_static (PH_BOOL, 0, NULL), NULL, G_MAXUINT, error)
                                : NULL;
  if (condition == NULL)
    return FALSE;
  index = ph_script_wrap (machine, iteration, TRUE);
  machine->graph = turn->body;
  scope->variables = ph_script_variables_copy (variables);
  machine->frame->loops++;
  ph_script_set_flag (machine, PH_SCRIPT_BROKEN, FALSE);
  ph_script_set_flag (machine, PH_SCRIPT_CONTINUED, FALSE);
  ok = add_inputs (machine, loop, turn, error) && (loop->over == NULL || ph_script_loop_set_target (machine, loop, index, error))
       && ph_script_block (machine, loop->py->body, loop->py->n_body, error) && end_turn (machine, loop, turn, error);
  machine->frame->loops--;
  turn->variables = scope->variables;
  scope->variables = variables;
  machine->graph = outer;
  return ok;
}

/* ── the loop ── */

static const PhType *
wider (const PhType *a, const PhType *b)
{
  PhDim dims[PH_MAX_RANK];

  if (b == NULL || a == b)
    return b == NULL && a != NULL ? ph_type_unranked (a->dtype) : a;
  if (!a->has_rank || !b->has_rank || a->rank != b->rank)
    return ph_type_unranked (a->dtype);
  for (guint i = 0; i < a->rank; i++)
    dims[i] = ph_dim_equal (a->dims[i], b->dims[i]) ? a->dims[i] : PH_DIM_UNKNOWN;
  return ph_type_tensor (a->dtype, a->rank, dims);
}

/* Returns TRUE if Nones, texts and functions stay the same in all iterations: the body was compiled for those of the first. */
static gboolean
keeps_constants (PhScriptMachine *machine, PhScriptLoop *loop, Turn *turn, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer key;
  guint unused;

  ph_script_assigned (loop->py->body, loop->py->n_body, names, TRUE);
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhScriptValue *before = ph_script_variable (machine, key), *after = g_hash_table_lookup (turn->variables, key);

      if (before == NULL || before->kind == PH_SCRIPT_UNSET || after == before
          || g_ptr_array_find_with_equal_func (loop->names, key, g_str_equal, &unused))
        continue;
      if (after->kind == PH_SCRIPT_FUNCTION && before->kind == PH_SCRIPT_FUNCTION
          && after->function->def == before->function->def)
        continue;
      if (after->kind == before->kind && after->kind != PH_SCRIPT_FUNCTION && after->op == before->op
          && after->word == before->word && after->i == before->i && g_strcmp0 (after->text, before->text) == 0)
        continue;
      loop->changed = TRUE;
      if (after->kind == PH_SCRIPT_UNSET)
        return ph_script_fail (machine, loop->py, error, PH_ERROR_TYPE, "%s", after->text) != NULL;
      return ph_script_fail (machine, loop->py, error, PH_ERROR_TYPE,
                             "'%s' is %s before a turn of the loop and %s after it: a graph wants one type", (char *) key,
                             ph_script_kind_name (before), ph_script_kind_name (after))
             != NULL;
    }
  return TRUE;
}

/* Collects the values that each name carries to the next iteration. Returns FALSE with an error, or without one if types were widened and
 * the body must be compiled again. */
static gboolean
collect_leaves (PhScriptMachine *machine, PhScriptLoop *loop, Turn *turn, GArray *leaves, GError **error)
{
  gboolean holds = TRUE;

  for (guint i = 0; i < loop->names->len; i++)
    {
      const char *name = loop->names->pdata[i];
      PhScriptValue *before = ph_script_variable (machine, name), *after = g_hash_table_lookup (turn->variables, name);
      g_autofree char *why = NULL;
      const guint first = leaves->len;

      if (after->kind == PH_SCRIPT_UNSET)
        return ph_script_fail (machine, loop->py, error, PH_ERROR_TYPE, "%s", after->text) != NULL;
      if (!ph_script_unify (machine, before, after, TRUE, leaves, &why))
        {
          loop->changed = TRUE;
          return ph_script_fail (
                     machine, loop->py, error, PH_ERROR_TYPE,
                     "'%s' is %s before and after a turn of the loop: a graph wants one type; begin with a tensor of the type that it will have",
                     name, why)
                 != NULL;
        }
      for (guint k = first; k < leaves->len; k++)
        {
          PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, k);
          const PhType *type = leaf->weak ? ph_type_static (leaf->dtype, 0, NULL) : leaf_type (leaf->b),
                       *old = loop->types->pdata[k];
          const PhType *wide = leaf->weak ? (old->dtype == type->dtype ? old : type)
                                          : wider (old->dtype != type->dtype ? ph_type_with_dtype (old, type->dtype) : old, type);

          /* A number that became a tensor is compiled as a tensor from the beginning. */
          if (!leaf->weak && ph_script_number_kind (leaf->a) != PH_SCRIPT_NONE
              && g_hash_table_add (loop->strong, GUINT_TO_POINTER (k)))
            holds = FALSE;

          if (wide != old)
            {
              loop->types->pdata[k] = (gpointer) wide;
              holds = FALSE;
            }
        }
    }
  return holds;
}

/* Returns TRUE if @memory is reachable at the end of an iteration other than through leaf @k. */
static gboolean
is_held (PhScriptMachine *machine, Turn *turn, GArray *leaves, guint k, guint64 memory)
{
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < leaves->len; i++)
    {
      const PhScriptValue *after = g_array_index (leaves, PhScriptLeaf, i).b;

      if (i != k && ph_script_holds_memory (machine, after, memory))
        return TRUE;
    }
  g_hash_table_iter_init (&iter, machine->frame->scope->variables);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (g_hash_table_lookup (turn->variables, key) == value && ph_script_holds_memory (machine, value, memory))
      return TRUE;
  return machine->frame->given != NULL && g_hash_table_contains (machine->frame->given, GSIZE_TO_POINTER (memory));
}

/* Elements shared after an iteration are shared from the start of the next, and names unreadable after one are so in the next. Returns
 * FALSE if that is new, so that the body must be compiled again. */
static gboolean
settle_sharing (PhScriptMachine *machine, Turn *turn, GArray *leaves)
{
  GHashTable *variables = machine->frame->scope->variables;
  gboolean settled = TRUE;
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < leaves->len; i++)
    {
      const PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, i);

      if (leaf->a->kind != PH_SCRIPT_TENSOR || leaf->b->kind != PH_SCRIPT_TENSOR || ph_script_rank (leaf->b) == 0
          || ph_script_same_memory (machine, leaf->a->memory, leaf->b->memory)
          || !is_held (machine, turn, leaves, i, leaf->b->memory))
        continue;
      ph_script_join_memory (machine, leaf->a->memory, leaf->b->memory);
      settled = FALSE;
    }
  g_hash_table_iter_init (&iter, turn->variables);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      const PhScriptValue *before = g_hash_table_lookup (variables, key);

      if (((PhScriptValue *) value)->kind != PH_SCRIPT_UNSET || before == NULL || before->kind == PH_SCRIPT_UNSET)
        continue;
      ph_script_set (machine, key, value);
      settled = FALSE;
    }
  return settled;
}

/* Collects the names that are read after the loop but only set inside, and the result of a return inside. */
static void
add_extras (PhScriptMachine *machine, PhScriptLoop *loop, Turn *turn, GPtrArray *extras)
{
  PhScriptValue *returned = g_hash_table_lookup (turn->variables, PH_SCRIPT_RETURNED),
                *broken = g_hash_table_lookup (turn->variables, PH_SCRIPT_BROKEN);

  /* The else clause needs it. */
  if (loop->py->n_orelse > 0 && !(broken->kind == PH_SCRIPT_BOOL && !broken->i))
    g_ptr_array_add (extras, PH_SCRIPT_BROKEN);

  if (returned != NULL && !(returned->kind == PH_SCRIPT_BOOL && !returned->i))
    {
      g_ptr_array_add (extras, PH_SCRIPT_RETURNED);
      if (g_hash_table_contains (turn->variables, PH_SCRIPT_RESULT))
        g_ptr_array_add (extras, PH_SCRIPT_RESULT);
    }
  if (loop->trips > 0 && machine->frame->function != NULL)
    {
      g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal), set = g_hash_table_new (g_str_hash, g_str_equal);
      g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
      GHashTableIter iter;
      gpointer key;

      ph_script_read (machine->frame->function->def, loop->py, names);
      ph_script_assigned ((PhPy *const *) &loop->py, 1, set, TRUE);
      g_hash_table_iter_init (&iter, set);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        {
          PhScriptValue *after = g_hash_table_lookup (turn->variables, key);
          guint unused;

          if (g_hash_table_contains (names, key) && after != NULL && after->kind != PH_SCRIPT_UNSET
              && after->kind != PH_SCRIPT_FUNCTION && !g_ptr_array_find_with_equal_func (loop->names, key, g_str_equal, &unused))
            g_ptr_array_add (sorted, key);
        }
      g_ptr_array_sort (sorted, compare_names);
      for (guint i = 0; i < sorted->len; i++)
        g_ptr_array_add (extras, sorted->pdata[i]);
    }
}

static gboolean
add_body (PhScriptMachine *machine, PhScriptLoop *loop, PhNode *node, Turn *turn, GArray *leaves, GError **error)
{
  PhGraph *body = ph_node_add_graph (node, "body", "body", error);
  PhBuilder builder = { .graph = body };
  g_autofree PhValue **inputs = NULL, **outputs = NULL;

  if (body == NULL)
    return FALSE;
  inputs = g_new0 (PhValue *, leaves->len + 3);
  outputs = g_new0 (PhValue *, leaves->len + 2);
  for (guint i = 0; i < leaves->len + 2; i++)
    {
      const PhValue *old = i < turn->body->inputs->len ? turn->body->inputs->pdata[i] : NULL;
      const PhScriptLeaf *leaf = i >= 2 ? &g_array_index (leaves, PhScriptLeaf, i - 2) : NULL;

      inputs[i] = ph_graph_add_input (body, ph_graph_unique_name (ph_graph_root (body), old != NULL ? old->name : "before"),
                                      old != NULL  ? old->type
                                      : leaf->weak ? ph_type_static (leaf->dtype, 0, NULL)
                                                   : ph_type_unranked (leaf->dtype),
                                      NULL, G_MAXUINT, error);
      if (inputs[i] == NULL)
        return FALSE;
    }
  ph_build_copy (&builder, turn->body, inputs, outputs, NULL);
  if (!ph_builder_finish (&builder, error))
    return FALSE;
  for (guint i = 0; i < leaves->len + 1; i++)
    if (!ph_graph_set_output (body, i, outputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
build_loop (PhScriptMachine *machine, PhScriptLoop *loop, Turn *turn, GArray *leaves, GPtrArray *extras, PhScriptValue *begin,
            GError **error)
{
  PhGraph *outer = machine->graph;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (),
                        made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  GError *reason = NULL;
  PhNode *node;
  PhValue *value;
  guint next = 0;
  gboolean ok = TRUE;

  machine->at = loop->py;
  machine->graph = turn->body;
  value = ph_script_body_output (machine, turn->test, PH_BOOL, error);
  ok = value != NULL && ph_graph_set_output (turn->body, 0, value, error);
  for (guint i = 0; i < leaves->len && ok; i++)
    {
      const PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, i);

      value = ph_script_body_output (machine, leaf->b, leaf->dtype, error);
      ok = value != NULL && ph_graph_set_output (turn->body, i + 1, value, error);
    }
  machine->graph = outer;
  if (!ok)
    return FALSE;
  if (loop->count != NULL && (value = ph_script_graph_value (machine, loop->count, PH_INT64, error)) == NULL)
    return FALSE;
  g_ptr_array_add (inputs, loop->count != NULL ? value : NULL);
  if (begin != NULL && (value = ph_script_graph_value (machine, begin, PH_BOOL, error)) == NULL)
    return FALSE;
  g_ptr_array_add (inputs, begin != NULL ? value : NULL);
  for (guint i = 0; i < leaves->len; i++)
    {
      const PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, i);

      if ((value = ph_script_graph_value (machine, leaf->a, leaf->dtype, error)) == NULL)
        return FALSE;
      g_ptr_array_add (inputs, value);
    }
  if (leaves->len == 0)
    return TRUE; /* it changes nothing that anybody sees */
  node = ph_script_add_owner (machine, loop->py, &ph_op_Loop, (PhValue **) inputs->pdata, inputs->len, leaves->len, error);
  if (node == NULL)
    return FALSE;
  if (!add_body (machine, loop, node, turn, leaves, &reason) || !ph_infer_one (node, &reason))
    return ph_script_blame (machine, loop->py, reason, error) != NULL;
  for (guint i = 0; i < leaves->len; i++)
    {
      const PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, i);
      PhScriptValue *result = ph_script_wrap (machine, ph_node_output (node, i), leaf->weak);

      if (leaf->b->kind == PH_SCRIPT_TENSOR && ph_script_rank (result) != 0)
        result->memory = leaf->b->memory;
      /* Without an iteration the result is the initial value. */
      if (loop->trips < 1 && leaf->a->kind == PH_SCRIPT_TENSOR)
        ph_script_join_memory (machine, leaf->a->memory, result->memory);
      g_ptr_array_add (made, result);
    }
  for (guint i = 0; i < loop->names->len + extras->len; i++)
    {
      const char *name = i < loop->names->len ? loop->names->pdata[i] : extras->pdata[i - loop->names->len];
      PhScriptValue *like = i < loop->names->len ? ph_script_variable (machine, name)
                                                 : g_hash_table_lookup (turn->variables, name);
      g_autoptr (PhScriptValue) result = ph_script_rebuild (like, like, TRUE, (PhScriptValue *const *) made->pdata, &next);

      ph_script_set (machine, name, result);
    }
  return TRUE;
}

/* Invalidates the other names that the body sets, since they have no known value afterwards. */
static void
forget_rest (PhScriptMachine *machine, PhScriptLoop *loop, GPtrArray *extras)
{
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal), in = g_hash_table_new (g_str_hash, g_str_equal),
                         behind = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer key;
  guint unused;

  ph_script_assigned ((PhPy *const *) &loop->py, 1, set, TRUE);
  ph_script_assigned (loop->py->body, loop->py->n_body, in, TRUE);
  ph_script_assigned (loop->py->orelse, loop->py->n_orelse, behind, TRUE); /* names set in the else clause are set later */
  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if ((g_hash_table_contains (in, key) || !g_hash_table_contains (behind, key))
        && !g_ptr_array_find_with_equal_func (loop->names, key, g_str_equal, &unused)
        && !g_ptr_array_find_with_equal_func (extras, key, g_str_equal, &unused))
      g_hash_table_insert (
          machine->frame->scope->variables, g_strdup (key),
          ph_script_unset (g_strdup_printf ("'%s' gets its value in the loop in line %u, which may not run: set it before",
                                            (char *) key, loop->py->line)));
}

gboolean
ph_script_loop_attempt (PhScriptMachine *machine, PhScriptLoop *loop, PhScriptValue *begin, GError **error)
{
  PhValue *no_inputs[2] = { NULL, NULL };

  loop->types = g_ptr_array_new ();
  loop->strong = g_hash_table_new (NULL, NULL);
  for (guint round = 0; round < 8; round++)
    {
      PhNode *trial = ph_script_add_owner (machine, loop->py, &ph_op_Loop, no_inputs, 0, 1, error);
      g_autoptr (GArray) leaves = ph_script_leaves_new ();
      g_autoptr (GPtrArray) extras = g_ptr_array_new ();
      Turn turn = { NULL };
      GError *reason = NULL;
      gboolean ok, again = FALSE;

      if (trial == NULL)
        return FALSE;
      ok = try_body (machine, loop, trial, &turn, &reason);
      ok = ok && keeps_constants (machine, loop, &turn, &reason);
      if (ok && !collect_leaves (machine, loop, &turn, leaves, &reason))
        {
          ok = FALSE;
          again = reason == NULL;
        }
      if (ok && !settle_sharing (machine, &turn, leaves))
        {
          ok = FALSE;
          again = TRUE;
        }
      if (ok)
        add_extras (machine, loop, &turn, extras);
      for (guint i = 0; ok && i < extras->len; i++)
        {
          PhScriptValue *value = g_hash_table_lookup (turn.variables, extras->pdata[i]);
          g_autoptr (PhScriptValue) nothing = ph_script_dummy (value);
          g_autofree char *why = NULL;

          ok = ph_script_unify (machine, nothing, value, TRUE, leaves, &why);
          if (!ok)
            ph_script_fail (machine, loop->py, &reason, PH_ERROR_TYPE, "what the loop leaves is %s: a graph wants one type", why);
        }
      ok = ok && build_loop (machine, loop, &turn, leaves, extras, begin, &reason);
      if (ok)
        forget_rest (machine, loop, extras);
      ph_script_value_unref (turn.test);
      if (turn.variables != NULL)
        g_hash_table_unref (turn.variables);
      ph_graph_remove_node (trial, NULL);
      if (!again)
        {
          if (reason != NULL)
            g_propagate_error (error, reason);
          return ok;
        }
    }
  return ph_script_fail (machine, loop->py, error, PH_ERROR_TYPE, "the shapes in this loop do not settle") != NULL;
}
