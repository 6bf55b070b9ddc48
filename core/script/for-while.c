/* for-while.c: for and while: the number of iterations, which of them are peeled off, and unrolling of loops that cannot be compiled to a
 * Loop.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/compile-private.h"
#include "core/script/script-call.h"
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

#define MAX_UNROLLED 64

void
ph_script_loop_clear (PhScriptLoop *loop)
{
  ph_script_value_unref (loop->over);
  ph_script_value_unref (loop->count);
  ph_script_value_unref (loop->start);
  ph_script_value_unref (loop->step);
  g_clear_pointer (&loop->names, g_ptr_array_unref);
  g_clear_pointer (&loop->types, g_ptr_array_unref);
  g_clear_pointer (&loop->strong, g_hash_table_unref);
}
/* ── unrolled ── */

gboolean
ph_script_unroll (PhScriptMachine *machine, const PhPy *py, GPtrArray *items, guint turn, GError **error)
{
  for (; turn < items->len; turn++)
    {
      g_autoptr (PhScriptValue) go_on = NULL;
      int left;

      ph_script_set_flag (machine, PH_SCRIPT_CONTINUED, FALSE);
      if (!ph_script_assign (machine, py->items[0], items->pdata[turn], error)
          || !ph_script_block (machine, py->body, py->n_body, error))
        return FALSE;
      left = ph_script_left (machine, TRUE, &go_on, error);
      if (left == -2)
        return FALSE;
      if (left == 1)
        return TRUE;
      if (left == -1)
        return turn + 1 == items->len
               || ph_script_branch (machine, py, go_on,
                                    &(PhScriptWay) { .loop = py, .items = items, .turn = turn + 1, .fresh = TRUE },
                                    &(PhScriptWay) { .skipped = TRUE }, error);
    }
  return TRUE;
}

GPtrArray *
ph_script_list_items (PhScriptMachine *machine, PhScriptValue *over, gint64 limit)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);

  if (over->kind == PH_SCRIPT_TUPLE)
    for (guint i = 0; i < over->n; i++)
      g_ptr_array_add (items, ph_script_value_ref (over->items[i]));
  else if (over->kind == PH_SCRIPT_RANGE)
    {
      for (guint i = 0; i < 3; i++)
        if (over->items[i]->kind != PH_SCRIPT_INT)
          return NULL;
      for (gint64 i = over->items[0]->i; over->items[2]->i > 0 ? i < over->items[1]->i : i > over->items[1]->i;
           i += over->items[2]->i)
        {
          if (items->len == limit)
            return NULL;
          g_ptr_array_add (items, ph_script_int (i));
        }
    }
  else if (over->kind == PH_SCRIPT_TENSOR && over->weak && over->value == NULL && ph_script_rank (over) == 1)
    for (gint64 i = 0; i < ph_script_dim (over, 0); i++)
      {
        const PhDType dtype = ph_script_dtype (over);

        g_ptr_array_add (items, ph_dtype_is_integer (dtype) ? ph_script_int (ph_tensor_get_int (over->tensor, (gsize) i))
                                : dtype == PH_BOOL          ? ph_script_bool (ph_tensor_get_int (over->tensor, (gsize) i) != 0)
                                : dtype == PH_STRING        ? ph_script_string (ph_tensor_get_string (over->tensor, (gsize) i))
                                                            : ph_script_float (ph_tensor_get (over->tensor, (gsize) i)));
      }
  else
    return NULL;
  return g_steal_pointer (&items);
}

/* ── how often ── */

static PhScriptValue *
number (PhScriptMachine *machine, PhScriptValue *value, GError **error)
{
  g_autoptr (PhScriptValue) cast = ph_script_cast (machine, value, PH_INT64, error);

  if (cast == NULL || value->kind == PH_SCRIPT_INT)
    return cast != NULL ? ph_script_value_ref (value) : NULL;
  cast->weak = TRUE;
  return g_steal_pointer (&cast);
}

/* ceil ((stop - start) / step), of numbers that the graph knows. */
static PhScriptValue *
count_range (PhScriptMachine *machine, const PhPy *py, PhScriptValue *range, GError **error)
{
  g_autoptr (PhScriptValue) stop = number (machine, range->items[1], error),
                            start = stop != NULL ? number (machine, range->items[0], error) : NULL;
  g_autoptr (PhScriptValue) step = start != NULL ? number (machine, range->items[2], error) : NULL, length = NULL, back = NULL,
                            turns = NULL, count = NULL, zero = ph_script_tensor (ph_tensor_new_scalar (PH_INT64, 0));

  if (step == NULL || (length = ph_script_binary (machine, py, "-", start, stop, error)) == NULL
      || (back = ph_script_binary (machine, py, "//", length, step, error)) == NULL
      || (turns = ph_script_unary (machine, py, "-", back, error)) == NULL)
    return NULL;
  /* A step that is known and positive. */
  if ((count = ph_script_cast (machine, turns, PH_INT64, error)) == NULL)
    return NULL;
  return PH_EMIT (machine, Max, error, count, zero);
}

static gboolean
prepare_for (PhScriptMachine *machine, PhScriptLoop *loop, GError **error)
{
  PhScriptValue *over = loop->over;

  if (over->kind == PH_SCRIPT_RANGE)
    {
      loop->start = ph_script_value_ref (over->items[0]);
      loop->step = ph_script_value_ref (over->items[2]);
      if (over->items[0]->kind == PH_SCRIPT_INT && over->items[1]->kind == PH_SCRIPT_INT && over->items[2]->kind == PH_SCRIPT_INT)
        {
          const gint64 start = over->items[0]->i, stop = over->items[1]->i, step = over->items[2]->i;

          loop->trips = step > 0
                            ? (stop > start ? (gint64) (((guint64) stop - (guint64) start - 1) / (guint64) step) + 1 : 0)
                            : (stop < start ? (gint64) (((guint64) start - (guint64) stop - 1) / (0 - (guint64) step)) + 1 : 0);
        }
      else
        loop->count = count_range (machine, loop->py->items[1], over, error);
    }
  else if (over->kind == PH_SCRIPT_TENSOR && ph_script_rank (over) > 0)
    {
      PhScriptValue *strong = ph_script_strong (machine, over, error);

      if (strong == NULL)
        return FALSE;
      ph_script_value_unref (loop->over);
      loop->over = over = strong;
      loop->trips = ph_script_dim (over, 0);
      if (loop->trips < 0)
        {
          g_autoptr (PhScriptValue) sizes = ph_script_attribute (machine, loop->py->items[1], over, "shape", error);

          loop->count = sizes != NULL ? ph_script_cast (machine, sizes->items[0], PH_INT64, error) : NULL;
        }
    }
  else
    return ph_script_fail (machine, loop->py->items[1], error, PH_ERROR_TYPE, "for goes over a range, a tensor or a list, not %s",
                           ph_script_kind_name (over))
           != NULL;
  if (loop->trips >= 0)
    loop->count = ph_script_tensor (ph_tensor_new_int64s (&loop->trips, 1));
  if (loop->trips >= 0)
    {
      PhTensor *scalar = ph_tensor_reshaped (loop->count->tensor, 0, NULL);

      ph_tensor_unref (loop->count->tensor);
      loop->count->tensor = scalar;
    }
  return loop->count != NULL;
}

/* ── the forms ── */

/* Compiles the first iteration in front of the loop if it certainly runs: the variables it creates then have their final types. Returns the
 * same as ph_script_left(). */
static int
peel (PhScriptMachine *machine, PhScriptLoop *loop, PhScriptValue **go_on)
{
  g_autoptr (PhScriptValue) first = ph_script_int (0);
  gboolean ok;

  ph_script_set_flag (machine, PH_SCRIPT_BROKEN, FALSE);
  ph_script_set_flag (machine, PH_SCRIPT_CONTINUED, FALSE);
  machine->frame->loops++;
  ok = (loop->over == NULL || ph_script_loop_set_target (machine, loop, first, NULL))
       && ph_script_block (machine, loop->py->body, loop->py->n_body, NULL);
  machine->frame->loops--;
  return ok ? ph_script_left (machine, TRUE, go_on, NULL) : -2;
}

static gboolean
restore (PhScriptMachine *machine, GHashTable *variables)
{
  g_hash_table_unref (machine->frame->scope->variables);
  machine->frame->scope->variables = ph_script_variables_copy (variables);
  return TRUE;
}

static gboolean
is_final (const GError *error)
{
  return error->domain != PH_ERROR || error->code == PH_ERROR_CANCELLED || error->code == PH_ERROR_NOT_FOUND
         || error->code == PH_ERROR_USAGE || error->code == PH_ERROR_PARSE;
}

static gboolean
attempt_rest (PhScriptMachine *machine, gpointer data, GError **error)
{
  PhScriptLoop *rest = data;

  ph_script_loop_find_carried (machine, rest);
  return ph_script_loop_attempt (machine, rest, NULL, error);
}

/* Compiles the first iteration, then a loop for the others. */
static gboolean
peel_for (PhScriptMachine *machine, PhScriptLoop *loop)
{
  g_autoptr (PhScriptValue) go_on = NULL;
  g_auto (PhScriptLoop) rest = { .py = loop->py, .trips = loop->trips - 1, .over = ph_script_value_ref (loop->over) };
  int left;

  if (loop->over->kind == PH_SCRIPT_RANGE)
    {
      rest.start = ph_script_int (loop->start->i + loop->step->i);
      rest.step = ph_script_value_ref (loop->step);
    }
  else
    rest.start = ph_script_int (1);
  rest.count = ph_script_tensor (ph_tensor_new_scalar (PH_INT64, (double) rest.trips));
  left = peel (machine, loop, &go_on);
  if (left == -1)
    return ph_script_branch (machine, loop->py, go_on, &(PhScriptWay) { .run = attempt_rest, .data = &rest, .fresh = TRUE },
                             &(PhScriptWay) { .skipped = TRUE }, NULL);
  return left == 1 || (left == 0 && attempt_rest (machine, &rest, NULL));
}

/* Returns the rows of a tensor. (transfer full) (nullable) */
static GPtrArray *
list_rows (PhScriptMachine *machine, PhScriptLoop *loop)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);

  for (gint64 i = 0; i < loop->trips; i++)
    {
      g_autoptr (PhScriptValue) index = ph_script_int (i);
      PhScriptValue *row = ph_script_row (machine, loop->py->items[1], loop->over, index, NULL);

      if (row == NULL)
        return NULL;
      g_ptr_array_add (rows, row);
    }
  return g_steal_pointer (&rows);
}

static gboolean
compile_for (PhScriptMachine *machine, PhScriptLoop *loop, GError **error)
{
  g_autoptr (GHashTable) before = ph_script_variables_copy (machine->frame->scope->variables);
  g_autoptr (GPtrArray) items = NULL;
  g_autoptr (GError) reason = NULL;

  if (loop->trips == 0)
    return TRUE;
  ph_script_loop_find_carried (machine, loop);
  if (ph_script_loop_attempt (machine, loop, NULL, &reason))
    return TRUE;
  if (is_final (reason))
    return g_propagate_error (error, g_steal_pointer (&reason)), FALSE;
  restore (machine, before);
  if (loop->changed && loop->trips > 1 && peel_for (machine, loop))
    return TRUE;
  /* A loop that cannot be compiled to a Loop is unrolled if it is short. */
  restore (machine, before);
  if (loop->trips >= 0 && loop->trips <= MAX_UNROLLED)
    items = loop->over->kind == PH_SCRIPT_RANGE ? ph_script_list_items (machine, loop->over, MAX_UNROLLED)
                                                : list_rows (machine, loop);
  if (items != NULL)
    {
      gboolean ok;

      ph_script_set_flag (machine, PH_SCRIPT_BROKEN, FALSE);
      machine->frame->loops++;
      ok = ph_script_unroll (machine, loop->py, items, 0, NULL);
      machine->frame->loops--;
      if (ok)
        return TRUE;
      restore (machine, before);
    }
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/* Evaluates the test: 0 or 1 if it is known, -1 if @condition decides, -2 on an error. */
static int
test_now (PhScriptMachine *machine, PhScriptLoop *loop, PhScriptValue **condition, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_evaluate (machine, loop->py->items[0], error);

  return value != NULL ? ph_script_truth (machine, loop->py->items[0], value, condition, error) : -2;
}

static gboolean
compile_while (PhScriptMachine *machine, PhScriptLoop *loop, GError **error)
{
  g_autoptr (GHashTable) before = ph_script_variables_copy (machine->frame->scope->variables);
  g_autoptr (GError) reason = NULL;
  gboolean settled = TRUE;

  /* Peels off iterations with a known test until the types are stable. */
  for (guint turns = 0; turns < MAX_UNROLLED && settled; turns++)
    {
      g_autoptr (PhScriptValue) condition = NULL, go_on = NULL;
      PhScriptLoop rest = { .py = loop->py, .trips = -1 };
      int truth = test_now (machine, loop, &condition, error);
      gboolean ok;

      if (truth == -2)
        return FALSE;
      if (truth == 0)
        return TRUE;
      ph_script_loop_find_carried (machine, &rest);
      g_clear_error (&reason);
      {
        g_autoptr (GHashTable) here = ph_script_variables_copy (machine->frame->scope->variables);

        ok = ph_script_loop_attempt (machine, &rest, truth == -1 ? condition : NULL, &reason);
        ph_script_loop_clear (&rest);
        if (ok)
          return TRUE;
        restore (machine, here);
      }
      if (is_final (reason) || truth == -1)
        break;
      settled = peel (machine, loop, &go_on) == 0;
    }
  restore (machine, before);
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

static gboolean
has_break (PhPy *const *body, guint n)
{
  for (guint i = 0; i < n; i++)
    if (body[i]->kind == PH_PY_BREAK
        || (body[i]->kind == PH_PY_IF
            && (has_break (body[i]->body, body[i]->n_body) || has_break (body[i]->orelse, body[i]->n_orelse)))
        || ((body[i]->kind == PH_PY_FOR || body[i]->kind == PH_PY_WHILE) && has_break (body[i]->orelse, body[i]->n_orelse)))
      return TRUE;
  return FALSE;
}

static gboolean
compile_loop (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_auto (PhScriptLoop) loop = { .py = py, .trips = -1 };
  g_autoptr (GPtrArray) items = NULL;
  gboolean ok;

  if (py->kind == PH_PY_WHILE)
    return compile_while (machine, &loop, error);
  loop.over = ph_script_evaluate (machine, py->items[1], error);
  if (loop.over == NULL)
    return FALSE;
  if (loop.over->kind != PH_SCRIPT_RANGE
      && (items = ph_script_is_list (loop.over) ? ph_script_items (machine, loop.over)
                                                : ph_script_list_items (machine, loop.over, 0))
             != NULL)
    {
      ph_script_set_flag (machine, PH_SCRIPT_BROKEN, FALSE);
      machine->frame->loops++;
      ph_script_begin_over (machine, loop.over);
      ok = ph_script_unroll (machine, py, items, 0, error);
      ph_script_end_over (machine);
      machine->frame->loops--;
      return ok;
    }
  ph_script_begin_over (machine, loop.over);
  ok = prepare_for (machine, &loop, error) && compile_for (machine, &loop, error);
  ph_script_end_over (machine);
  return ok;
}

gboolean
ph_script_loop (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) broken = ph_script_variable (machine, PH_SCRIPT_BROKEN) != NULL
                                         ? ph_script_value_ref (ph_script_variable (machine, PH_SCRIPT_BROKEN))
                                         : NULL;
  g_autoptr (PhScriptValue) continued = ph_script_variable (machine, PH_SCRIPT_CONTINUED) != NULL
                                            ? ph_script_value_ref (ph_script_variable (machine, PH_SCRIPT_CONTINUED))
                                            : NULL;
  g_autoptr (PhScriptValue) go_on = NULL;
  gboolean ok;
  int left;

  ph_script_set_flag (machine, PH_SCRIPT_BROKEN, FALSE);
  ok = compile_loop (machine, py, error);
  /* Returns whether the loop was left by break, which skips the else clause. */
  left = ok && py->n_orelse > 0 ? ph_script_left (machine, TRUE, &go_on, error) : 0;
  /* A break of this loop does not leave the enclosing one. */
  if (broken != NULL)
    ph_script_set (machine, PH_SCRIPT_BROKEN, broken);
  else
    g_hash_table_remove (machine->frame->scope->variables, PH_SCRIPT_BROKEN);
  if (continued != NULL)
    ph_script_set (machine, PH_SCRIPT_CONTINUED, continued);
  else
    g_hash_table_remove (machine->frame->scope->variables, PH_SCRIPT_CONTINUED);
  /* The loop ends only by a return. */
  if (ok && py->kind == PH_PY_WHILE && py->items[0]->kind == PH_PY_CONSTANT && g_str_equal (py->items[0]->text, "True")
      && !has_break (py->body, py->n_body))
    ph_script_set_flag (machine, PH_SCRIPT_RETURNED, TRUE);
  if (!ok || py->n_orelse == 0)
    return ok;
  if (left == -1)
    return ph_script_branch (machine, py, go_on, &(PhScriptWay) { .first = py->orelse, .n_first = py->n_orelse, .fresh = TRUE },
                             &(PhScriptWay) { .skipped = TRUE }, error);
  return left == 1 || (left == 0 && ph_script_block (machine, py->orelse, py->n_orelse, error));
}
