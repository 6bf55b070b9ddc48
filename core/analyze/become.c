/* become.c: turns a model into another one by edits. First the nodes of both are matched, then the target's graph is walked in topological
 * order and each of its nodes is reproduced in the model. This order avoids cycles on the way: the operands of a node are finished already,
 * and nothing finished depends on a later node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/become-private.h"

#include <string.h>

#include "core/io/as-before.h"

/* ── becoming ───────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean become_graph (PhBecome *become, PhGraph *graph, PhGraph *target);

static PhValue *
translate (PhBecome *become, PhValue *of_target)
{
  return of_target != NULL ? ph_match_value (&become->match, of_target) : NULL;
}

static gboolean
add_values (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  for (guint i = 0; i < target->inputs->len; i++)
    {
      PhValue *of_target = target->inputs->pdata[i], *value = translate (become, of_target);

      if (value == NULL)
        {
          value = ph_graph_add_input (graph, of_target->name, of_target->type, of_target->tensor, G_MAXUINT, become->error);
          if (value == NULL)
            return FALSE;
          ph_match_set_value (&become->match, value, of_target);
          g_ptr_array_add (become->fresh, of_target);
        }
      else if (of_target->type != NULL && value->type != of_target->type
               && !ph_value_set_type (value, of_target->type, become->error))
        return FALSE;
    }
  for (guint i = 0; i < target->constants->len; i++)
    {
      PhValue *of_target = target->constants->pdata[i], *value;

      if (translate (become, of_target) != NULL)
        continue;
      value = ph_graph_add_constant (graph, of_target->name, of_target->tensor, become->error);
      if (value == NULL)
        return FALSE;
      ph_match_set_value (&become->match, value, of_target);
      g_ptr_array_add (become->fresh, of_target);
    }
  return TRUE;
}

static gboolean
change_node (PhBecome *become, PhNode *node, PhNode *of_target)
{
  for (guint i = 0; i < of_target->inputs->len; i++)
    if (!ph_node_set_input (node, i, translate (become, of_target->inputs->pdata[i]), become->error))
      return FALSE;
  if (!ph_node_truncate_inputs (node, of_target->inputs->len, become->error))
    return FALSE;
  for (guint i = node->attrs->len; i-- > 0;)
    {
      const char *name = ((PhAttr *) node->attrs->pdata[i])->name;

      if (!(become->blocks != NULL && strcmp (name, PH_BLOCK_ATTR) == 0) && ph_node_attr (of_target, name) == NULL
          && !ph_node_set_attr (node, name, NULL, become->error))
        return FALSE;
    }
  for (guint i = 0; i < of_target->attrs->len; i++)
    {
      g_autoptr (PhAttr) attr = ph_become_attr (become, of_target->attrs->pdata[i]);

      if (!ph_become_is_link (become, attr) && !ph_node_set_attr (node, attr->name, attr, become->error))
        return FALSE;
    }
  if (become->blocks != NULL && !ph_become_block (become, node, of_target))
    return FALSE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhType *type = ph_node_output (of_target, i)->type;

      if (type != NULL && !ph_value_set_type (node->outputs->pdata[i], type, become->error))
        return FALSE;
    }
  return TRUE;
}

static PhNode *
add_node (PhBecome *become, PhGraph *graph, PhNode *of_target)
{
  g_autofree PhValue **inputs = g_new (PhValue *, of_target->inputs->len + 1);
  g_autofree const char **names = g_new (const char *, of_target->outputs->len + 1);
  g_autofree const PhType **types = g_new (const PhType *, of_target->outputs->len + 1);
  g_autoptr (GPtrArray) attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  g_autofree char *block = become->blocks != NULL ? ph_match_block (become->blocks, of_target) : NULL;
  const char *rest = strrchr (of_target->name, '/');
  g_autofree char *name = block != NULL && rest != NULL ? g_strconcat (block, rest, NULL) : g_strdup (of_target->name);
  PhNode *node;

  for (guint i = 0; i < of_target->attrs->len; i++)
    if (!ph_become_is_link (become, of_target->attrs->pdata[i]))
      g_ptr_array_add (attrs, ph_become_attr (become, of_target->attrs->pdata[i]));

  for (guint i = 0; i < of_target->inputs->len; i++)
    inputs[i] = translate (become, of_target->inputs->pdata[i]);
  for (guint i = 0; i < of_target->outputs->len; i++)
    {
      names[i] = ph_node_output (of_target, i)->name;
      types[i] = ph_node_output (of_target, i)->type;
    }
  node = ph_graph_add_node (graph,
                            &(PhNodeSpec) { .op = of_target->op,
                                            .op_type = of_target->op_type,
                                            .domain = of_target->domain,
                                            .name = name,
                                            .inputs = inputs,
                                            .n_inputs = of_target->inputs->len,
                                            .n_outputs = of_target->outputs->len,
                                            .output_names = names,
                                            .output_types = types,
                                            .attrs = (PhAttr *const *) attrs->pdata,
                                            .n_attrs = attrs->len,
                                            .role = of_target->role,
                                            .device = of_target->device,
                                            .extra = of_target->extra },
                            become->error);
  if (node == NULL)
    return NULL;
  for (guint i = 0; i < node->outputs->len; i++)
    g_ptr_array_add (become->fresh, of_target->outputs->pdata[i]);
  ph_match_set (&become->match, node, of_target, PH_MATCH_MADE);
  return node;
}

static gboolean
become_bodies (PhBecome *become, PhNode *node, PhNode *of_target)
{
  for (guint i = 0; of_target->graphs != NULL && i < of_target->graphs->len; i++)
    {
      PhGraph *theirs = of_target->graphs->pdata[i], *ours = ph_node_graph (node, theirs->attr);

      if (ours == NULL)
        ours = ph_node_add_graph (node, theirs->attr, theirs->name, become->error);
      if (ours == NULL)
        return FALSE;
      ph_match_graph (&become->match, ours, theirs);
      if (!become_graph (become, ours, theirs))
        return FALSE;
    }
  return TRUE;
}

static void
keep_all (PhBecome *become, GHashTable *kept, GPtrArray *of_target)
{
  for (guint i = 0; i < of_target->len; i++)
    g_hash_table_add (kept, translate (become, of_target->pdata[i]));
}

/* Removes the nodes without a counterpart, users before producers. */
static gboolean
remove_rest (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) loose = ph_match_loose (&become->match, graph);

  for (guint i = loose->len; i-- > 0;)
    {
      PhNode *node = loose->pdata[i];

      if (ph_match_how (&become->match, node) != PH_MATCH_NONE)
        continue;
      if (!ph_graph_remove_node (node, become->error))
        return FALSE;
      become->removed++;
    }
  keep_all (become, kept, target->inputs);
  keep_all (become, kept, target->constants);
  for (guint i = graph->constants->len; i-- > 0;)
    if ((graph == become->match.partial ? g_hash_table_contains (become->gone, graph->constants->pdata[i])
                                        : !g_hash_table_contains (kept, graph->constants->pdata[i]))
        && !ph_graph_remove_value (graph->constants->pdata[i], become->error))
      return FALSE;
  for (guint i = graph->inputs->len; i-- > 0;)
    if (!g_hash_table_contains (kept, graph->inputs->pdata[i]) && !ph_graph_remove_value (graph->inputs->pdata[i], become->error))
      return FALSE;
  return TRUE;
}

/* Redirects uses without moving the name, unlike ph_value_replace_uses(). */
static gboolean
move_uses (PhBecome *become, PhValue *from, PhValue *to)
{
  while (from->uses->len > 0)
    {
      const PhUse use = g_array_index (from->uses, PhUse, from->uses->len - 1);

      if (!ph_node_set_input (use.node, use.index, to, become->error))
        return FALSE;
    }
  for (guint i = 0; i < become->model->graphs->len && from->n_output_uses > 0; i++)
    {
      PhGraph *graph = become->model->graphs->pdata[i];

      for (guint j = 0; graph != NULL && j < graph->outputs->len; j++)
        if (graph->outputs->pdata[j] == from && !ph_graph_set_output (graph, j, to, become->error))
          return FALSE;
    }
  return TRUE;
}

/* Brings inputs into the order of @target. New inputs were appended, so all from the first misplaced one on are made again. */
static gboolean
order_inputs (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  guint first = 0;

  while (first < target->inputs->len && graph->inputs->pdata[first] == translate (become, target->inputs->pdata[first]))
    first++;
  for (guint i = first; i < target->inputs->len; i++)
    {
      PhValue *of_target = target->inputs->pdata[i], *old = translate (become, of_target), *value;
      g_autofree char *name = g_strdup (old->name);

      value = ph_graph_add_input (graph, name, old->type, old->tensor, G_MAXUINT, become->error);
      if (value == NULL || !move_uses (become, old, value) || !ph_graph_remove_value (old, become->error))
        return FALSE;
      if (!g_str_equal (value->name, name) && !ph_value_rename (value, name, become->error))
        return FALSE;
      ph_match_set_value (&become->match, value, of_target);
    }
  return TRUE;
}

/* Returns the nodes that must precede the counterpart of @of_target. */
static GHashTable *
wanted_control (PhBecome *become, PhNode *of_target)
{
  GHashTable *wanted = g_hash_table_new (NULL, NULL);

  for (guint i = 0; of_target->control != NULL && i < of_target->control->len; i++)
    {
      PhNode *first = ph_match_node (&become->match, of_target->control->pdata[i]);

      if (first != NULL)
        g_hash_table_add (wanted, first);
    }
  return wanted;
}

/* @of_target: (nullable) */
static gboolean
drop_control_of (PhBecome *become, PhNode *node, PhNode *of_target)
{
  g_autoptr (GHashTable) wanted = NULL;

  if (node->control == NULL)
    return TRUE;
  wanted = of_target != NULL ? wanted_control (become, of_target) : g_hash_table_new (NULL, NULL);
  for (guint i = node->control->len; i-- > 0 && node->control != NULL;)
    if (!g_hash_table_contains (wanted, node->control->pdata[i])
        && !ph_node_remove_control (node, node->control->pdata[i], become->error))
      return FALSE;
  return TRUE;
}

/* Removes control edges that the target does not have, since they might contradict its order. */
static gboolean
drop_control (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GPtrArray) loose = ph_match_loose (&become->match, graph);

  for (guint i = 0; i < loose->len; i++)
    if (ph_match_how (&become->match, loose->pdata[i]) == PH_MATCH_NONE && !drop_control_of (become, loose->pdata[i], NULL))
      return FALSE;
  PH_FOREACH_NODE (of_target, target)
    {
      PhNode *node = ph_match_node (&become->match, of_target);

      if (node != NULL && !(graph == become->match.partial && g_hash_table_contains (become->standing, of_target))
          && !drop_control_of (become, node, of_target))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_control (PhBecome *become, PhGraph *target)
{
  PH_FOREACH_NODE (of_target, target)
    for (guint i = 0; of_target->control != NULL && i < of_target->control->len; i++)
      {
        PhNode *node = ph_match_node (&become->match, of_target),
               *first = ph_match_node (&become->match, of_target->control->pdata[i]);

        if (!ph_node_add_control (node, first, become->error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
become_graph (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  if (!add_values (become, graph, target) || !drop_control (become, graph, target))
    return FALSE;
  PH_FOREACH_NODE (of_target, target)
    {
      PhNode *node = ph_match_node (&become->match, of_target);

      if (become->standing != NULL && g_hash_table_contains (become->standing, of_target))
        continue;
      if (node != NULL ? !change_node (become, node, of_target) : (node = add_node (become, graph, of_target)) == NULL)
        return FALSE;
      if (!become_bodies (become, node, of_target))
        return FALSE;
    }
  for (guint i = 0; i < target->outputs->len; i++)
    if (!ph_graph_set_output (graph, i, translate (become, target->outputs->pdata[i]), become->error))
      return FALSE;
  return add_control (become, target) && ph_graph_truncate_outputs (graph, target->outputs->len, become->error)
         && remove_rest (become, graph, target) && order_inputs (become, graph, target);
}

/* ── names, operator sets, functions ────────────────────────────────────────────────────────────────────────────── */

/* Renames @value to @name; a value that has the name gets another. */
static gboolean
take_name (PhBecome *become, PhValue *value, const char *name)
{
  PhValue *other = ph_graph_find_value_named (value->graph, name);

  if (value->name == name)
    return TRUE;
  if (other != NULL && !ph_value_rename (other, ph_graph_unique_name (value->graph, name), become->error))
    return FALSE;
  return ph_value_rename (value, name, become->error);
}

static gboolean
settle_names (PhBecome *become, PhGraph *target)
{
  for (guint i = 0; i < target->inputs->len; i++)
    if (!take_name (become, translate (become, target->inputs->pdata[i]), ((PhValue *) target->inputs->pdata[i])->name))
      return FALSE;
  for (guint i = 0; i < target->outputs->len; i++)
    if (!take_name (become, translate (become, target->outputs->pdata[i]), ((PhValue *) target->outputs->pdata[i])->name))
      return FALSE;
  for (guint i = 0; i < become->fresh->len; i++)
    {
      PhValue *of_target = become->fresh->pdata[i], *value = translate (become, of_target);

      if (value->name != of_target->name && ph_graph_find_value_named (value->graph, of_target->name) == NULL
          && !ph_value_rename (value, of_target->name, become->error))
        return FALSE;
    }
  return TRUE;
}

static void
settle_opsets (PhBecome *become)
{
  GHashTableIter iter;
  gpointer domain, version;

  g_hash_table_iter_init (&iter, become->target->opsets);
  while (g_hash_table_iter_next (&iter, &domain, &version))
    if (!g_str_equal (domain, PH_FILE_OPSET) && ph_model_opset (become->model, domain) != GPOINTER_TO_INT (version))
      ph_model_set_opset (become->model, domain, GPOINTER_TO_INT (version));
}

static gboolean
same_attributes (const PhFunction *a, const PhFunction *b)
{
  gboolean same = a->parameters->len == b->parameters->len && a->defaults->len == b->defaults->len;

  for (guint i = 0; same && i < a->parameters->len; i++)
    same = g_str_equal (a->parameters->pdata[i], b->parameters->pdata[i]);
  for (guint i = 0; same && i < a->defaults->len; i++)
    same = ph_attr_equal (a->defaults->pdata[i], b->defaults->pdata[i]);
  return same;
}

/* Returns the changed part of a function. @function: (nullable) interned; NULL: the main graph. */
static const PhNamedPart *
part_of (const PhBecome *become, const char *function)
{
  for (guint i = 0; i < become->n_parts; i++)
    if (become->parts[i].function == function)
      return &become->parts[i];
  return NULL;
}

/* Keeps the constants of a lasting node if they are equal in the target; the other constants of changed or removed nodes are removed. */
static void
settle_owned (PhBecome *become, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GPtrArray) loose = ph_match_loose (&become->match, graph);

  for (guint k = 0; k < loose->len; k++)
    {
      PhNode *node = loose->pdata[k];

      for (guint i = 0; ph_match_how (&become->match, node) == PH_MATCH_NONE && i < node->inputs->len; i++)
        g_hash_table_add (become->gone, node->inputs->pdata[i]);
    }
  for (guint i = 0; i < graph->constants->len; i++)
    if (ph_value_n_uses (graph->constants->pdata[i]) == 0) /* of a node that a hunk removed */
      g_hash_table_add (become->gone, graph->constants->pdata[i]);
  PH_FOREACH_NODE (of_target, target)
    {
      PhNode *node = ph_match_node (&become->match, of_target);

      if (node == NULL || g_hash_table_contains (become->standing, of_target))
        continue;
      for (guint i = 0; i < node->inputs->len; i++)
        {
          PhValue *value = node->inputs->pdata[i], *theirs = i < of_target->inputs->len ? of_target->inputs->pdata[i] : NULL;

          if (value != NULL && theirs != NULL && value->tensor != NULL && theirs->tensor != NULL
              && ph_tensor_equal (value->tensor, theirs->tensor))
            ph_match_set_value (&become->match, value, theirs);
          else
            g_hash_table_add (become->gone, value);
        }
    }
}

static gboolean
settle_graph (PhBecome *become, const char *function, PhGraph *graph, PhGraph *target)
{
  const PhNamedPart *part = part_of (become, function);
  gboolean ok;

  ph_match_keep (&become->match, NULL);
  if (part != NULL && !part->whole
      && !ph_part_match (part, &become->match, graph, target, become->standing, become->gone, become->error))
    return FALSE;
  ph_match_graph (&become->match, graph, target);
  become->named = part != NULL ? part->named : NULL;
  if (part == NULL || part->whole)
    become->blocks = ph_match_blocks (&become->match, graph, target);
  else if (ph_match_has_blocks (graph))
    become->blocks = part->named->blocks != NULL ? g_hash_table_ref (part->named->blocks) : g_hash_table_new (NULL, NULL);
  if (part != NULL && part->owned && !part->whole)
    settle_owned (become, graph, target);
  ok = become_graph (become, graph, target) && settle_names (become, target) && ph_become_links (become, target);
  if (ok && part != NULL && !part->trial)
    {
      ph_named_follow (part, &become->match, target);
      if (part->whole && become->blocks != NULL)
        part->named->blocks = g_hash_table_ref (become->blocks);
    }
  g_clear_pointer (&become->blocks, g_hash_table_unref);
  return ok;
}

/* Turns functions into those of the target, as the main graph. */
static gboolean
settle_functions (PhBecome *become)
{
  GPtrArray *theirs = become->target->functions;

  for (guint i = 0; i < theirs->len; i++)
    {
      const PhFunction *function = theirs->pdata[i];
      PhFunction *ours = ph_model_find_function (become->model, function->domain, function->name), *copy;
      const PhNamedPart *part = part_of (become, function->name);

      if (ours != NULL && (ph_graph_is_as_before (function->graph) || (part == NULL && ph_function_equal (function, ours))))
        continue;
      if (ours == NULL)
        {
          copy = ph_model_copy_function (become->model, function, become->error);
          if (copy == NULL)
            return FALSE;
          if (part != NULL && !part->trial)
            ph_named_learn (part->named, copy->graph, part->names);
          continue;
        }
      if (!same_attributes (function, ours))
        {
          g_set_error (become->error, PH_ERROR, PH_ERROR_UNSUPPORTED,
                       "the function %s.%s takes other attributes than the one that the model had; "
                       "give the new one another name",
                       function->domain, function->name);
          return FALSE;
        }
      if (!settle_graph (become, function->name, ours->graph, function->graph))
        return FALSE;
      g_ptr_array_set_size (become->fresh, 0);
    }
  return TRUE;
}

/* Removes functions that the target does not have once nothing calls them, callers first. */
static void
drop_functions (PhBecome *become)
{
  GPtrArray *ours = become->model->functions;

  for (gboolean again = TRUE; again;)
    {
      again = FALSE;
      for (guint i = ours->len; i-- > 0;)
        if (ph_model_find_function (become->target, ((PhFunction *) ours->pdata[i])->domain,
                                    ((PhFunction *) ours->pdata[i])->name)
            == NULL)
          again = ph_model_remove_function (ours->pdata[i], NULL) || again;
    }
}

/* ── the whole ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
report (const PhBecome *become, PhBecame *became)
{
  const PhMatching *match = &become->match;

  became->added = match->n[PH_MATCH_MADE];
  became->removed = become->removed;
  became->kept = 0;
  for (guint how = PH_MATCH_NAME; how < PH_MATCH_MADE; how++)
    became->kept += match->n[how];
  for (PhId id = 0; became->guessed != NULL && id < match->how->len; id++)
    if (match->how->data[id] == PH_MATCH_PLACE || match->how->data[id] == PH_MATCH_LIKE)
      g_array_append_val (became->guessed, id);
}

gboolean
ph_model_become_parts (PhModel *model, PhModel *target, const PhNamedPart *parts, guint n_parts, PhBecame *became, GError **error)
{
  /* clang-format off */
  PhBecome become = {
    .model = model, .target = target, .parts = parts, .n_parts = n_parts, .fresh = g_ptr_array_new (), .error = error
  };
  /* clang-format on */
  gboolean ok;

  ph_match_init (&become.match, model, target);
  become.standing = g_hash_table_new (NULL, NULL);
  become.gone = g_hash_table_new (NULL, NULL);
  ok = settle_functions (&become)
       && (ph_graph_is_as_before (target->graph) || settle_graph (&become, NULL, model->graph, target->graph));
  if (ok)
    {
      drop_functions (&become);
      settle_opsets (&become);
    }
  if (became != NULL)
    report (&become, became);
  ph_match_clear (&become.match);
  g_hash_table_unref (become.standing);
  g_hash_table_unref (become.gone);
  g_ptr_array_unref (become.fresh);
  return ok;
}

gboolean
ph_model_become (PhModel *model, PhModel *target, PhBecame *became, GError **error)
{
  return ph_model_become_parts (model, target, NULL, 0, became, error);
}
