/* pattern.c: matches, builds and prints patterns.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ops/pattern.h"

/* The remaining goals of a match as a list on the C stack, so that a choice (the order of a commutative operator's inputs) can be undone
 * after any later failure. */
typedef struct _Goal Goal;
struct _Goal
{
  const PhPattern *pattern;
  PhValue *value;
  const Goal *next;
};

typedef struct
{
  PhMatch match;
  gboolean shared[PH_MAX_SLOTS]; /* of match.node: the node may have other users */
  gboolean allow_shared;
  gboolean (*when) (PhMatch *match);
} Search;

/* Returns TRUE for a non-empty constant whose elements all equal @number, rounded to its element type. -0 equals 0. */
static gboolean
is_number (const PhValue *value, double number)
{
  PhTensor *tensor = value != NULL ? ph_value_constant (value) : NULL;
  guint8 element[16] = { 0 };
  PhDType dtype;
  gsize n;

  if (tensor == NULL || ph_tensor_kind (tensor) != PH_KIND_TENSOR || (n = ph_tensor_count (tensor)) == 0)
    return FALSE;
  dtype = ph_tensor_dtype (tensor);
  if (!ph_dtype_is_float (dtype) && !ph_dtype_is_integer (dtype))
    return FALSE;

  /* An integer cannot be one half, and a small unsigned one cannot be -1: storing would wrap. */
  ph_dtype_store (dtype, element, 0, number);
  if (ph_dtype_is_integer (dtype) && ph_dtype_load (dtype, element, 0) != number)
    return FALSE;
  number = ph_dtype_load (dtype, element, 0);

  if (ph_tensor_get (tensor, 0) != number)
    return FALSE;
  if (ph_tensor_is_splat (tensor))
    return TRUE;
  for (gsize i = 1; i < n; i++)
    if (ph_tensor_get (tensor, i) != number)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if no inner node of the match has a user outside of the match. */
static gboolean
inner_nodes_are_private (const Search *search)
{
  const PhMatch *match = &search->match;

  for (guint i = 1; i < match->n_nodes; i++)
    {
      const PhNode *node = match->node[i];

      if (search->allow_shared || search->shared[i] || node == match->root)
        continue;
      for (guint k = 0; k < node->outputs->len; k++)
        {
          const PhValue *value = g_ptr_array_index (node->outputs, k);

          if (value->n_output_uses > 0 || value->uses->len > 2 * match->n_nodes)
            return FALSE;
          for (guint u = 0; u < value->uses->len; u++)
            {
              const PhNode *user = g_array_index (value->uses, PhUse, u).node;
              gboolean inside = FALSE;

              for (guint j = 0; j < match->n_nodes && !inside; j++)
                inside = match->node[j] == user;
              if (!inside)
                return FALSE;
            }
        }
    }
  return TRUE;
}

static gboolean search_goals (Search *search, const Goal *goal);

/* Returns TRUE for a variadic operator: optional inputs beyond the written ones are free, but Max (x, y) is not Max (x, y, z). */
static gboolean
is_variadic (const PhOp *op)
{
  gboolean variadic;
  guint min;

  ph_op_n_inputs (op, &min, &variadic);
  return variadic;
}

/* Returns FALSE if @value alone tells that @pattern cannot match. */
static gboolean
may_be (const PhPattern *pattern, const PhValue *value)
{
  switch (pattern->kind)
    {
    case PH_PATTERN_CONSTANT:
    case PH_PATTERN_NUMBER: return value != NULL && ph_value_constant (value) != NULL;
    case PH_PATTERN_NODE: return value != NULL && value->producer != NULL && value->producer->op == pattern->op;
    default: return value != NULL;
    }
}

/* Looks at one input after the other before any search; at producers, which are in no cache, last. */
static gboolean
inputs_may_match (const PhPattern *pattern, const PhNode *node, gboolean swap)
{
  for (guint nodes = 0; nodes < 2; nodes++)
    for (guint i = 0; i < PH_PATTERN_INPUTS && pattern->in[i] != NULL; i++)
      if ((pattern->in[i]->kind == PH_PATTERN_NODE) == nodes
          && !may_be (pattern->in[i], ph_node_input (node, swap && i < 2 ? 1 - i : i)))
        return FALSE;
  return TRUE;
}

/* Matches @node against @pattern, with its first two inputs exchanged if @swap, then the remaining goals. */
static gboolean
search_inputs (Search *search, const PhPattern *pattern, PhNode *node, gboolean swap, const Goal *next)
{
  Goal goals[PH_PATTERN_INPUTS];
  guint n = 0;

  while (n < PH_PATTERN_INPUTS && pattern->in[n] != NULL)
    n++;
  if (node->inputs->len != n && is_variadic (pattern->op))
    return FALSE;
  for (guint i = n; i-- > 0;)
    {
      goals[i] = (Goal) { pattern->in[i], ph_node_input (node, swap && i < 2 ? 1 - i : i), next };
      if (goals[i].value == NULL)
        return FALSE;
      next = &goals[i];
    }
  return search_goals (search, next);
}

static gboolean
search_node (Search *search, const PhPattern *pattern, PhNode *node, const Goal *next)
{
  gboolean commutes;

  if (node->op != pattern->op || search->match.n_nodes == PH_MAX_SLOTS)
    return FALSE;
  commutes = (node->op->flags & PH_OP_COMMUTATIVE) && pattern->in[0] != NULL && pattern->in[1] != NULL
             && ph_node_input (node, 0) != ph_node_input (node, 1);
  for (guint swap = 0; swap <= (guint) commutes; swap++)
    if (inputs_may_match (pattern, node, swap))
      {
        const PhMatch before = search->match;

        search->shared[search->match.n_nodes] = pattern->shared;
        search->match.node[search->match.n_nodes++] = node;
        if (search_inputs (search, pattern, node, swap, next))
          return TRUE;
        search->match = before;
      }
  return FALSE;
}

static gboolean
search_goals (Search *search, const Goal *goal)
{
  PhMatch *match = &search->match;
  const PhPattern *pattern;
  PhValue *old;

  if (goal == NULL)
    return inner_nodes_are_private (search) && (search->when == NULL || search->when (match));

  pattern = goal->pattern;
  switch (pattern->kind)
    {
    case PH_PATTERN_CONSTANT:
      if (ph_value_constant (goal->value) == NULL)
        return FALSE;
      G_GNUC_FALLTHROUGH;
    case PH_PATTERN_VAR:
      old = match->slot[pattern->slot];
      if (old != NULL)
        return old == goal->value && search_goals (search, goal->next);
      match->slot[pattern->slot] = goal->value;
      if (search_goals (search, goal->next))
        return TRUE;
      match->slot[pattern->slot] = NULL;
      return FALSE;

    case PH_PATTERN_NUMBER: return is_number (goal->value, pattern->number) && search_goals (search, goal->next);

    case PH_PATTERN_NODE:
      if (goal->value->producer == NULL || goal->value->output != 0 || goal->value->graph != match->root->graph)
        return FALSE;
      return search_node (search, pattern, goal->value->producer, goal->next);

    default: g_assert_not_reached ();
    }
}

const PhOp *
ph_pattern_lacks (const PhPattern *pattern, PhModel *model)
{
  const PhOp *lacks = NULL;

  if (pattern->kind == PH_PATTERN_NODE && !ph_model_has_op (model, pattern->op))
    return pattern->op;
  for (guint i = 0; pattern->kind == PH_PATTERN_NODE && lacks == NULL && i < PH_PATTERN_INPUTS && pattern->in[i] != NULL; i++)
    lacks = ph_pattern_lacks (pattern->in[i], model);
  return lacks;
}

gboolean
ph_pattern_match (const PhPattern *pattern, PhNode *node, gboolean allow_shared, gboolean (*when) (PhMatch *match),
                  PhMatch *match)
{
  Search search = { .match.root = node, .allow_shared = allow_shared, .when = when };

  g_return_val_if_fail (pattern->kind == PH_PATTERN_NODE, FALSE);

  if (!search_node (&search, pattern, node, NULL))
    return FALSE;
  *match = search.match;
  return TRUE;
}

/* Builds a constant of @number with the element type of @like, as a number in a rule has none of its own. */
static PhValue *
build_number (double number, const PhValue *like, PhBuilder *builder)
{
  if (builder->error != NULL)
    return NULL;
  if (like == NULL || like->type == NULL || like->type->kind != PH_KIND_TENSOR)
    {
      builder->error = g_error_new (PH_ERROR, PH_ERROR_BAD_RULE,
                                    "the number %g has no element type here: combine it with a value of known type", number);
      return NULL;
    }
  return ph_build_scalar (builder, like->type->dtype, number);
}

/* Returns the value that gives input @i, a number, its element type: an input that the schema puts into the same group (the condition of a
 * Where is in another), else the output that is replaced. */
static const PhValue *
find_like (const PhPattern *pattern, PhValue *const *inputs, guint i, const PhMatch *match)
{
  const PhOpArg *args = pattern->op->inputs;

  for (guint k = 0; k < PH_PATTERN_INPUTS && k < PH_MAX_ARGS; k++)
    if (inputs[k] != NULL && i < PH_MAX_ARGS && args[k].group == args[i].group)
      return inputs[k];
  /* A variadic argument is declared once. */
  for (guint k = 0; k < PH_PATTERN_INPUTS; k++)
    if (inputs[k] != NULL && (args[0].flags & PH_ARG_VARIADIC) != 0)
      return inputs[k];
  return match->root != NULL ? ph_node_output (match->root, 0) : NULL;
}

PhValue *
ph_pattern_build (const PhPattern *pattern, const PhMatch *match, PhBuilder *builder)
{
  PhValue *inputs[PH_PATTERN_INPUTS] = { NULL };
  guint n = 0;

  switch (pattern->kind)
    {
    case PH_PATTERN_VAR:
    case PH_PATTERN_CONSTANT: return match->slot[pattern->slot];

    case PH_PATTERN_NUMBER:
      return build_number (pattern->number, match->root != NULL ? ph_node_output (match->root, 0) : NULL, builder);

    case PH_PATTERN_NODE:
      for (n = 0; n < PH_PATTERN_INPUTS && pattern->in[n] != NULL; n++)
        if (pattern->in[n]->kind != PH_PATTERN_NUMBER)
          {
            inputs[n] = ph_pattern_build (pattern->in[n], match, builder);
            if (inputs[n] == NULL)
              return NULL;
          }
      for (guint i = 0; i < n; i++)
        if (pattern->in[i]->kind == PH_PATTERN_NUMBER
            && (inputs[i] = build_number (pattern->in[i]->number, find_like (pattern, inputs, i, match), builder)) == NULL)
          return NULL;
      return ph_build_node (builder, pattern->op, inputs, n, NULL, 1);

    default: g_assert_not_reached ();
    }
}

static void
print_variable (guint slot, const PhOp *gradient, GString *out)
{
  static const char *const names[] = { "x", "y", "z", "w", "v", "u", "t", "s", "r", "q", "p", "o", "n", "m", "dY", "Y" };

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == PH_MAX_SLOTS);
  if (gradient != NULL && slot < PH_MAX_ARGS && gradient->inputs[slot].name != NULL)
    g_string_append (out, gradient->inputs[slot].name);
  else
    g_string_append (out, names[slot]);
}

void
ph_pattern_print (const PhPattern *pattern, const PhOp *gradient, GString *out)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (pattern->kind)
    {
    case PH_PATTERN_CONSTANT: g_string_append (out, "const "); G_GNUC_FALLTHROUGH;
    case PH_PATTERN_VAR: print_variable (pattern->slot, gradient, out); break;

    case PH_PATTERN_NUMBER: g_string_append (out, g_ascii_formatd (number, sizeof number, "%.6g", pattern->number)); break;

    case PH_PATTERN_NODE:
      g_string_append_printf (out, "%s(", pattern->op->name);
      for (guint i = 0; i < PH_PATTERN_INPUTS && pattern->in[i] != NULL; i++)
        {
          if (i > 0)
            g_string_append (out, ", ");
          ph_pattern_print (pattern->in[i], gradient, out);
        }
      g_string_append_c (out, ')');
      break;

    default: g_assert_not_reached ();
    }
}
