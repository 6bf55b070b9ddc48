/* compile.c: compiles statements to nodes: an if whose condition is computed by the graph becomes an If.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/ops/copy.h"
#include "core/ops/infer.h"
#include "core/script/compile-private.h"
#include "core/script/script-alias.h"
#include "core/script/script-emit.h"
#include "core/script/script-execute.h"
#include "core/script/script-operate.h"

/* ── conditions under which the rest is skipped ── */

PhScriptValue *
ph_script_variable (PhScriptMachine *machine, const char *name)
{
  return g_hash_table_lookup (machine->frame->scope->variables, name);
}

void
ph_script_set_flag (PhScriptMachine *machine, const char *name, gboolean is)
{
  g_autoptr (PhScriptValue) value = ph_script_bool (is);

  ph_script_set (machine, name, value);
}

int
ph_script_left (PhScriptMachine *machine, gboolean of_loop, PhScriptValue **go_on, GError **error)
{
  static const char *const names[] = { PH_SCRIPT_RETURNED, PH_SCRIPT_BROKEN, PH_SCRIPT_CONTINUED };
  g_autoptr (PhScriptValue) any = NULL;

  *go_on = NULL;
  /* A continue ends this iteration only: the loop itself goes on. */
  for (guint i = 0; i < (of_loop ? 2 : 3); i++)
    {
      PhScriptValue *value = ph_script_variable (machine, names[i]);

      if (value != NULL && value->kind == PH_SCRIPT_BOOL && value->i)
        return 1;
    }
  for (guint i = 0; i < (of_loop ? 2 : 3); i++)
    {
      PhScriptValue *value = ph_script_variable (machine, names[i]);
      g_autoptr (PhScriptValue) truth = NULL;

      if (value == NULL || value->kind == PH_SCRIPT_BOOL)
        continue;
      truth = ph_script_cast (machine, value, PH_BOOL, error);
      if (truth == NULL)
        return -2;
      if (any == NULL)
        any = g_steal_pointer (&truth);
      else
        {
          PhScriptValue *either = PH_EMIT (machine, Or, error, any, truth);

          if (either == NULL)
            return -2;
          ph_script_value_unref (any);
          any = either;
        }
    }
  if (any == NULL)
    return 0;
  *go_on = PH_EMIT (machine, Not, error, any);
  return *go_on != NULL ? -1 : -2;
}

/* Ends with a jump on every path. */
static gboolean
always_leaves (PhPy *const *body, guint n)
{
  const PhPy *last = n > 0 ? body[n - 1] : NULL;

  if (last == NULL)
    return FALSE;
  if (last->kind == PH_PY_IF)
    return always_leaves (last->body, last->n_body) && always_leaves (last->orelse, last->n_orelse);
  return last->kind == PH_PY_RETURN || last->kind == PH_PY_BREAK || last->kind == PH_PY_CONTINUE;
}

/* ── branches ── */

static gboolean
go (PhScriptMachine *machine, const PhScriptWay *way, GError **error)
{
  g_autoptr (PhScriptValue) value = way->value != NULL ? ph_script_value_ref (way->value) : NULL;
  static const char *const flags[] = { PH_SCRIPT_RETURNED, PH_SCRIPT_BROKEN, PH_SCRIPT_CONTINUED };

  for (guint i = 0; way->fresh && i < G_N_ELEMENTS (flags); i++)
    if (ph_script_variable (machine, flags[i]) != NULL)
      ph_script_set_flag (machine, flags[i], FALSE);
  if (way->skipped)
    {
      const char *only = NULL;
      guint n = 0;

      for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
        if (ph_script_variable (machine, flags[i]) != NULL && ph_script_variable (machine, flags[i])->kind != PH_SCRIPT_BOOL
            && n++ == 0)
          only = flags[i];
      if (n == 1)
        ph_script_set_flag (machine, only, TRUE);
    }
  if (way->expression != NULL)
    {
      value = ph_script_evaluate (machine, way->expression, error);
      if (value == NULL)
        return FALSE;
    }
  if (value != NULL && way->truth)
    {
      PhScriptValue *condition = NULL;
      const int truth = ph_script_truth (machine, way->expression, value, &condition, error);

      if (truth == -2)
        return FALSE;
      ph_script_value_unref (value);
      value = truth == -1 ? condition : ph_script_tensor (ph_tensor_new_scalar (PH_BOOL, truth));
    }
  if (value != NULL)
    ph_script_set (machine, PH_SCRIPT_CHOSEN, value);
  if (way->run != NULL)
    return way->run (machine, way->data, error);
  if (way->first != NULL && !ph_script_block (machine, way->first, way->n_first, error))
    return FALSE;
  if (way->then != NULL)
    {
      g_autoptr (PhScriptValue) go_on = NULL;
      const int left = ph_script_left (machine, FALSE, &go_on, error);

      if (left == -2)
        return FALSE;
      if (left == 0 && !ph_script_block (machine, way->then, way->n_then, error))
        return FALSE;
      if (left == -1
          && !ph_script_branch (machine, way->then[0], go_on,
                                &(PhScriptWay) { .first = way->then, .n_first = way->n_then, .fresh = TRUE },
                                &(PhScriptWay) { .skipped = TRUE }, error))
        return FALSE;
    }
  return way->loop == NULL || ph_script_unroll (machine, way->loop, way->items, way->turn, error);
}

typedef struct
{
  GHashTable *variables;
  PhGraph *body;
  gboolean left, returned;
} Side;

static gboolean
go_side (PhScriptMachine *machine, PhNode *node, const char *attr, const PhScriptWay *way, Side *side, GError **error)
{
  PhGraph *outer = machine->graph;
  PhScriptScope *scope = machine->frame->scope;
  GHashTable *variables = scope->variables;
  g_autoptr (PhScriptValue) go_on = NULL;
  gboolean ok;

  side->body = ph_node_add_graph (node, attr, attr, error);
  if (side->body == NULL)
    return FALSE;
  machine->graph = side->body;
  scope->variables = ph_script_variables_copy (variables);
  ok = go (machine, way, error);
  if (ok)
    {
      PhScriptValue *flags[3] = { ph_script_variable (machine, PH_SCRIPT_RETURNED),
                                  ph_script_variable (machine, PH_SCRIPT_BROKEN),
                                  ph_script_variable (machine, PH_SCRIPT_CONTINUED) };

      for (guint i = 0; i < 3; i++)
        side->left = side->left || (flags[i] != NULL && flags[i]->kind == PH_SCRIPT_BOOL && flags[i]->i);
      side->returned = flags[0] != NULL && flags[0]->kind == PH_SCRIPT_BOOL && flags[0]->i;
    }
  side->variables = scope->variables;
  scope->variables = variables;
  machine->graph = outer;
  return ok;
}

typedef struct
{
  char *name;
  PhScriptValue *a, *b;
} Joined;

static void
joined_clear (gpointer data)
{
  Joined *joined = data;

  g_free (joined->name);
  ph_script_value_unref (joined->a);
  ph_script_value_unref (joined->b);
}

static int
compare_joined (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Joined *) a)->name, ((const Joined *) b)->name);
}

static PhScriptValue *
strong_alone (PhScriptMachine *machine, PhScriptValue *value, GError **error)
{
  return value->kind == PH_SCRIPT_TENSOR && value->weak && ph_script_number_kind (value) == PH_SCRIPT_NONE
             ? ph_script_strong (machine, value, error)
             : ph_script_value_ref (value);
}

/* Collects names whose values differ between both sides; one that only one side sets cannot be read afterwards. */
static gboolean
join (PhScriptMachine *machine, const PhPy *at, Side *yes, Side *no, GArray *all, GArray *leaves, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer key, value;

  for (guint s = 0; s < 2; s++)
    {
      g_hash_table_iter_init (&iter, s == 0 ? yes->variables : no->variables);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        g_hash_table_add (names, key);
    }
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      PhScriptValue *a = g_hash_table_lookup (yes->variables, key), *b = g_hash_table_lookup (no->variables, key);
      g_autoptr (PhScriptValue) made_a = NULL, made_b = NULL;

      if (a == b)
        {
          /* Both branches set it to the same value, which may differ from the one before. */
          ph_script_set (machine, key, a);
          continue;
        }
      /* A branch that jumped away needs no value, and one that returned needs no variables. */
      const gboolean result = g_str_equal (key, PH_SCRIPT_RESULT), own = *(const char *) key == '$';

      if (b != NULL && b->kind != PH_SCRIPT_UNSET && (a == NULL ? yes->left || result : yes->returned && !own))
        made_a = ph_script_dummy (b);
      else if (a != NULL && a->kind != PH_SCRIPT_UNSET && (b == NULL ? no->left || result : no->returned && !own))
        made_b = ph_script_dummy (a);
      a = made_a != NULL ? made_a : a;
      b = made_b != NULL ? made_b : b;
      if (a == NULL || b == NULL || a->kind == PH_SCRIPT_UNSET || b->kind == PH_SCRIPT_UNSET)
        {
          PhScriptValue *unset = a != NULL && a->kind == PH_SCRIPT_UNSET ? a : b != NULL && b->kind == PH_SCRIPT_UNSET ? b : NULL;

          value = unset != NULL ? ph_script_value_ref (unset)
                                : ph_script_unset (g_strdup_printf ("'%s' has a value on one way through the if in line %u alone",
                                                                    (char *) key, at->line));
          g_hash_table_insert (machine->frame->scope->variables, g_strdup (key), value);
          continue;
        }
      g_array_append_val (all, ((Joined) { g_strdup (key), ph_script_value_ref (a), ph_script_value_ref (b) }));
    }
  g_array_sort (all, compare_joined);
  for (guint i = 0; i < all->len; i++)
    {
      Joined *joined = &g_array_index (all, Joined, i);
      g_autofree char *why = NULL;

      if (ph_script_unify (machine, joined->a, joined->b, FALSE, leaves, &why))
        continue;
      if (g_str_equal (joined->name, PH_SCRIPT_RESULT) || g_str_equal (joined->name, PH_SCRIPT_CHOSEN))
        return ph_script_fail (machine, at, error, PH_ERROR_TYPE, "the two ways give %s: a graph wants one type", why) != NULL;
      /* It fails only when it is read. */
      {
        PhScriptValue *unset = ph_script_unset (g_strdup_printf (
            "'%s' is %s after the two ways through the if in line %u: a graph wants one type", joined->name, why, at->line));

        ph_script_value_unref (joined->a);
        ph_script_value_unref (joined->b);
        joined->a = unset;
        joined->b = ph_script_value_ref (unset);
      }
    }
  return TRUE;
}

static gboolean
fill_branch (PhScriptMachine *machine, PhNode *node, const char *attr, PhGraph *from, guint n, GError **error)
{
  PhGraph *body = ph_node_add_graph (node, attr, attr, error);
  PhBuilder builder = { .graph = body };
  g_autofree PhValue **outputs = g_new0 (PhValue *, n + 1);

  if (body == NULL)
    return FALSE;
  ph_build_copy (&builder, from, NULL, outputs, NULL);
  if (!ph_builder_finish (&builder, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!ph_graph_set_output (body, i, outputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
set_outputs (PhScriptMachine *machine, PhGraph *body, GArray *leaves, gboolean second, GError **error)
{
  PhGraph *outer = machine->graph;
  gboolean ok = TRUE;

  machine->graph = body;
  for (guint i = 0; i < leaves->len && ok; i++)
    {
      PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, i);
      PhValue *value = ph_script_body_output (machine, second ? leaf->b : leaf->a, leaf->dtype, error);

      ok = value != NULL && ph_graph_set_output (body, i, value, error);
    }
  machine->graph = outer;
  return ok;
}

static void
take_joined (PhScriptMachine *machine, GArray *all, PhScriptValue *const *made)
{
  guint next = 0;

  for (guint i = 0; i < all->len; i++)
    {
      Joined *joined = &g_array_index (all, Joined, i);
      g_autoptr (PhScriptValue) value = ph_script_rebuild (joined->a, joined->b, FALSE, made, &next);

      ph_script_set (machine, joined->name, value);
    }
}

/* Both sides were compiled inside @trial, which only served that purpose: their bodies are copied into an If with the right number of
 * outputs. */
static gboolean
build_if (PhScriptMachine *machine, const PhPy *at, PhValue *condition, Side *yes, Side *no, GArray *all, GArray *leaves,
          GError **error)
{
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_value_unref);
  GError *reason = NULL;
  PhNode *node;

  if (leaves->len > 0)
    {
      if (!set_outputs (machine, yes->body, leaves, FALSE, error) || !set_outputs (machine, no->body, leaves, TRUE, error))
        return FALSE;
      node = ph_script_add_owner (machine, at, &ph_op_If, &condition, 1, leaves->len, error);
      if (node == NULL)
        return FALSE;
      if (!fill_branch (machine, node, "then_branch", yes->body, leaves->len, &reason)
          || !fill_branch (machine, node, "else_branch", no->body, leaves->len, &reason) || !ph_infer_one (node, &reason))
        return ph_script_blame (machine, at, reason, error) != NULL;
      for (guint i = 0; i < leaves->len; i++)
        {
          const PhScriptLeaf *leaf = &g_array_index (leaves, PhScriptLeaf, i);

          PhScriptValue *value = ph_script_wrap (machine, ph_node_output (node, i), leaf->weak);

          /* The result may share memory with either array. */
          if (leaf->a->kind == PH_SCRIPT_TENSOR && leaf->b->kind == PH_SCRIPT_TENSOR && ph_script_rank (value) != 0)
            {
              ph_script_join_memory (machine, leaf->a->memory, leaf->b->memory);
              value->memory = leaf->a->memory;
            }
          g_ptr_array_add (made, value);
        }
    }
  take_joined (machine, all, (PhScriptValue *const *) made->pdata);
  return TRUE;
}

gboolean
ph_script_branch (PhScriptMachine *machine, const PhPy *at, PhScriptValue *condition, const PhScriptWay *yes,
                  const PhScriptWay *no, GError **error)
{
  PhValue *truth = ph_script_graph_value (machine, condition, PH_BOOL, error);
  Side sides[2] = { { NULL } };
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Joined)), leaves = ph_script_leaves_new ();
  PhNode *trial;
  gboolean ok;

  g_array_set_clear_func (all, joined_clear);
  if (truth == NULL || ++machine->depth > PH_PY_MAX_DEPTH * 3 || !ph_script_go_on (machine, error))
    return error != NULL && *error != NULL
               ? FALSE
               : ph_script_fail (machine, at, error, PH_ERROR_UNSUPPORTED, "this is nested too deeply") != NULL;
  trial = ph_script_add_owner (machine, at, &ph_op_If, &truth, 1, 1, error);
  if (trial == NULL)
    return FALSE;
  ok = go_side (machine, trial, "then_branch", yes, &sides[0], error)
       && go_side (machine, trial, "else_branch", no, &sides[1], error)
       && join (machine, at, &sides[0], &sides[1], all, leaves, error)
       && build_if (machine, at, truth, &sides[0], &sides[1], all, leaves, error);
  for (guint i = 0; i < 2; i++)
    if (sides[i].variables != NULL)
      g_hash_table_unref (sides[i].variables);
  ph_graph_remove_node (trial, NULL);
  machine->depth--;
  return ok;
}

/* ── statements ── */

/* Compiles an if. Sets @done to TRUE if the statements after it were compiled too. */
static gboolean
compile_if (PhScriptMachine *machine, const PhPy *py, PhPy *const *rest, guint n_rest, gboolean *done, GError **error)
{
  g_autoptr (PhScriptValue) value = ph_script_evaluate (machine, py->items[0], error), condition = NULL;
  const int truth = value != NULL ? ph_script_truth (machine, py->items[0], value, &condition, error) : -2;
  PhScriptWay yes = { .first = py->body, .n_first = py->n_body }, no = { .first = py->orelse, .n_first = py->n_orelse };

  if (truth == -2)
    return FALSE;
  if (truth != -1)
    return ph_script_block (machine, truth ? py->body : py->orelse, truth ? py->n_body : py->n_orelse, error);
  /* if c: return a;  rest   is   if c: return a; else: rest */
  if (n_rest > 0 && always_leaves (py->body, py->n_body))
    {
      no.then = rest;
      no.n_then = n_rest;
      *done = TRUE;
    }
  else if (n_rest > 0 && always_leaves (py->orelse, py->n_orelse))
    {
      yes.then = rest;
      yes.n_then = n_rest;
      *done = TRUE;
    }
  return ph_script_branch (machine, py, condition, &yes, &no, error);
}

static gboolean
compile_statement (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  g_autoptr (PhScriptValue) value = NULL, condition = NULL, strong = NULL;
  int truth;

  switch (py->kind)
    {
    case PH_PY_FOR:
    case PH_PY_WHILE: return ph_script_loop (machine, py, error);
    case PH_PY_RETURN:
      value = py->n > 0 ? ph_script_evaluate (machine, py->items[0], error) : ph_script_none ();
      strong = value != NULL ? strong_alone (machine, value, error) : NULL;
      if (strong == NULL)
        return FALSE;
      ph_script_set (machine, PH_SCRIPT_RESULT, strong);
      ph_script_set_flag (machine, PH_SCRIPT_RETURNED, TRUE);
      return TRUE;
    case PH_PY_BREAK:
    case PH_PY_CONTINUE:
      if (machine->frame->loops == 0)
        return ph_script_fail (machine, py, error, PH_ERROR_PARSE, "%s stands in a loop",
                               py->kind == PH_PY_BREAK ? "break" : "continue")
               != NULL;
      ph_script_set_flag (machine, py->kind == PH_PY_BREAK ? PH_SCRIPT_BROKEN : PH_SCRIPT_CONTINUED, TRUE);
      return TRUE;
    case PH_PY_ASSERT:
      value = ph_script_evaluate (machine, py->items[0], error);
      truth = value != NULL ? ph_script_truth (machine, py->items[0], value, &condition, error) : -2;
      if (truth == 0)
        return ph_script_fail (machine, py, error, PH_ERROR_FAILED, "this does not hold") != NULL;
      return truth != -2; /* a graph does not check values at run time */
    default: return ph_script_simple (machine, py, error);
    }
}

gboolean
ph_script_block (PhScriptMachine *machine, PhPy *const *body, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (PhScriptValue) go_on = NULL;
      gboolean done = FALSE;
      int left;

      machine->at = body[i];
      if (body[i]->kind == PH_PY_IF ? !compile_if (machine, body[i], body + i + 1, n - i - 1, &done, error)
                                    : !compile_statement (machine, body[i], error))
        return FALSE;
      if (done || i + 1 == n)
        return TRUE;
      left = ph_script_left (machine, FALSE, &go_on, error);
      if (left == -2)
        return FALSE;
      if (left == 1)
        return TRUE;
      if (left == -1)
        return ph_script_branch (machine, body[i], go_on,
                                 &(PhScriptWay) { .first = body + i + 1, .n_first = n - i - 1, .fresh = TRUE },
                                 &(PhScriptWay) { .skipped = TRUE }, error);
    }
  return TRUE;
}

gboolean
ph_script_compile_body (PhScriptMachine *machine, PhPy *const *body, guint n, GError **error)
{
  PhScriptValue *returned, *result;

  ph_script_set_flag (machine, PH_SCRIPT_RETURNED, FALSE);
  if (!ph_script_block (machine, body, n, error))
    return FALSE;
  returned = ph_script_variable (machine, PH_SCRIPT_RETURNED);
  result = ph_script_variable (machine, PH_SCRIPT_RESULT);
  if (returned->kind != PH_SCRIPT_BOOL)
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s returns nothing on one way: a graph wants a value on each",
                           machine->frame->function->name)
           != NULL;
  if (returned->i && result->kind == PH_SCRIPT_UNSET)
    return ph_script_fail (machine, NULL, error, PH_ERROR_TYPE, "%s", result->text) != NULL;
  machine->frame->result = returned->i ? ph_script_value_ref (result) : ph_script_none ();
  return TRUE;
}

/* ── and, or, if-else ── */

/* Returns TRUE if the expression is cheap and cannot fail, so that it can be computed unconditionally. */
static gboolean
is_harmless (const PhPy *py)
{
  if (py->kind == PH_PY_CALL || py->kind == PH_PY_SUBSCRIPT || py->kind == PH_PY_IF_ELSE
      || (py->kind == PH_PY_BINARY
          && (g_str_equal (py->text, "//") || g_str_equal (py->text, "%") || g_str_equal (py->text, "@"))))
    return FALSE;
  for (guint i = 0; i < py->n; i++)
    if (py->items[i] != NULL && !is_harmless (py->items[i]))
      return FALSE;
  return TRUE;
}

static PhScriptValue *
choose (PhScriptMachine *machine, const PhPy *py, PhScriptValue *condition, const PhScriptWay *yes, const PhScriptWay *no,
        GError **error)
{
  GHashTable *variables = machine->frame->scope->variables;
  g_autoptr (PhScriptValue) chosen = NULL;

  g_hash_table_remove (variables, PH_SCRIPT_CHOSEN);
  if (!ph_script_branch (machine, py, condition, yes, no, error))
    return NULL;
  chosen = ph_script_variable (machine, PH_SCRIPT_CHOSEN) != NULL
               ? ph_script_value_ref (ph_script_variable (machine, PH_SCRIPT_CHOSEN))
               : NULL;
  g_hash_table_remove (variables, PH_SCRIPT_CHOSEN);
  if (chosen != NULL && chosen->kind == PH_SCRIPT_UNSET)
    return ph_script_fail (machine, py, error, PH_ERROR_TYPE, "%s", chosen->text);
  return g_steal_pointer (&chosen);
}

PhScriptValue *
ph_script_compile_and (PhScriptMachine *machine, const PhPy *py, GError **error)
{
  const gboolean choice = py->kind == PH_PY_IF_ELSE, both = !choice && g_str_equal (py->text, "and");
  const PhPy *first = py->items[choice ? 1 : 0];
  g_autoptr (PhScriptValue) left = ph_script_evaluate (machine, first, error), condition = NULL, right = NULL, second = NULL,
                            settled = NULL;
  int truth = left != NULL ? ph_script_truth (machine, first, left, &condition, error) : -2;
  PhScriptWay more = { .expression = py->items[1], .truth = TRUE }, end = { 0 };

  if (truth == -2)
    return NULL;
  if (choice && truth != -1)
    return ph_script_evaluate (machine, py->items[truth ? 0 : 2], error);
  if (choice)
    return choose (machine, py, condition, &(PhScriptWay) { .expression = py->items[0] },
                   &(PhScriptWay) { .expression = py->items[2] }, error);
  if (truth != -1)
    return truth == both ? ph_script_evaluate (machine, py->items[1], error) : g_steal_pointer (&left);
  if (ph_script_dtype (left) != PH_BOOL)
    return ph_script_fail (machine, first, error, PH_ERROR_UNSUPPORTED,
                           "'%s' of something that is not a bool gives one of the two: write a comparison", py->text);
  settled = ph_script_tensor (ph_tensor_new_scalar (PH_BOOL, !both));
  end.value = settled;
  if (!is_harmless (py->items[1]))
    return choose (machine, py, condition, both ? &more : &end, both ? &end : &more, error);
  right = ph_script_evaluate (machine, py->items[1], error);
  truth = right != NULL ? ph_script_truth (machine, py->items[1], right, &second, error) : -2;
  if (truth == -2)
    return NULL;
  if (ph_script_dtype (right) != PH_BOOL)
    return ph_script_fail (machine, py->items[1], error, PH_ERROR_UNSUPPORTED,
                           "'%s' of something that is not a bool gives one of the two: write a comparison", py->text);
  if (truth != -1)
    second = ph_script_tensor (ph_tensor_new_scalar (PH_BOOL, truth));
  return both ? PH_EMIT (machine, And, error, condition, second) : PH_EMIT (machine, Or, error, condition, second);
}
