/* hunks.c: applies another program's changes part by part, so that each part can be stepped through, proved and blamed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/hunks.h"

#include "core/analyze/become.h"
#include "core/analyze/region-private.h"
#include "core/graph/clone.h"
#include "core/io/as-before.h"
#include "core/ops/copy.h"

/* A difference of more parts is not taken apart. */
#define MAX_HUNKS 3000
#define MAX_NAMED 6

typedef struct
{
  PhModel *model;   /* that changes                                                           */
  PhModel *after;   /* a clone of @model edited to equal the target: unchanged nodes keep ids */
  PhId first_new;   /* from here on ids differ between the two                                */
  GHashTable *made; /* PhValue of @after -> PhValue of @model                                 */
  GError **error;
} Applying;

/* Returns the counterpart of @value in the model; NULL if another hunk has yet to make it. */
static PhValue *
resolve (Applying *applying, PhValue *value)
{
  PhValue *here = g_hash_table_lookup (applying->made, value);

  if (here == NULL && value->id < applying->first_new)
    here = ph_model_find_value (applying->model, value->id);
  if (here == NULL && value->tensor != NULL && !value->is_input && value->graph == applying->after->graph)
    here = ph_graph_add_constant (applying->model->graph, value->name, value->tensor, applying->error);
  if (here != NULL)
    g_hash_table_insert (applying->made, value, here);
  return here;
}

typedef struct
{
  Applying *applying;
  const PhNode *node;
  gboolean ok;
} Resolving;

static void
resolve_read (PhValue *value, gpointer data)
{
  Resolving *resolving = data;

  if (resolving->ok && resolve (resolving->applying, value) == NULL)
    resolving->ok = FALSE;
}

static gboolean
change_in_place (Applying *applying, PhNode *node, PhNode *wanted)
{
  if (node->graphs != NULL || node->op_type != wanted->op_type)
    return FALSE;
  for (guint i = 0; i < wanted->inputs->len; i++)
    {
      PhValue *value = ph_node_input (wanted, i);

      if (!ph_node_set_input (node, i, value != NULL ? resolve (applying, value) : NULL, applying->error))
        return FALSE;
    }
  if (!ph_node_truncate_inputs (node, wanted->inputs->len, applying->error))
    return FALSE;
  for (guint i = node->attrs->len; i-- > 0;)
    {
      const char *name = ((PhAttr *) node->attrs->pdata[i])->name;

      if (ph_node_attr (wanted, name) == NULL && !ph_node_set_attr (node, name, NULL, applying->error))
        return FALSE;
    }
  for (guint i = 0; i < wanted->attrs->len; i++)
    {
      PhAttr *attr = wanted->attrs->pdata[i];

      if (!ph_node_set_attr (node, attr->name, attr, applying->error))
        return FALSE;
    }
  for (guint i = 0; i < MIN (node->outputs->len, wanted->outputs->len); i++)
    {
      const PhType *type = ph_node_output (wanted, i)->type;

      if (type != NULL && !ph_value_set_type (ph_node_output (node, i), type, applying->error))
        return FALSE;
    }
  return TRUE;
}

/* Redirects users from @was to @is: all of them, if nothing uses @was afterwards, else those that changed. */
static gboolean
switch_readers (Applying *applying, PhValue *was, PhValue *is)
{
  const PhValue *left = ph_model_find_value (applying->after, was->id);
  PhGraph *graph = applying->model->graph;

  if (left == NULL || ph_value_n_uses (left) == 0)
    return ph_value_replace_uses (was, is, applying->error);
  for (guint u = was->uses->len; u-- > 0;)
    {
      const PhUse use = g_array_index (was->uses, PhUse, u);
      const PhNode *reader = ph_model_find_node (applying->after, use.node->id);

      if (use.node->id < applying->first_new && reader != NULL && ph_node_input (reader, use.index) != left
          && !ph_node_set_input (use.node, use.index, is, applying->error))
        return FALSE;
    }
  for (guint i = 0; i < MIN (graph->outputs->len, applying->after->graph->outputs->len); i++)
    if (graph->outputs->pdata[i] == was && applying->after->graph->outputs->pdata[i] != left
        && !ph_graph_set_output (graph, i, is, applying->error))
      return FALSE;
  return TRUE;
}

static gboolean
apply (Applying *applying, const PhRegion *hunk)
{
  for (guint i = 0; i < hunk->after->len; i++)
    {
      PhNode *wanted = hunk->after->pdata[i],
             *node = wanted->id < applying->first_new ? ph_model_find_node (applying->model, wanted->id) : NULL;
      Resolving resolving = { applying, wanted, TRUE };

      ph_each_read (wanted, resolve_read, &resolving);
      if (!resolving.ok
          || (node != NULL ? !change_in_place (applying, node, wanted)
                           : ph_copy_node (wanted, applying->model->graph, NULL, applying->made, applying->error) == NULL))
        return FALSE;
    }
  for (guint i = 0; i < hunk->outputs->len; i++)
    {
      const PhBorderPair *pair = &g_array_index (hunk->outputs, PhBorderPair, i);
      PhValue *was = ph_model_find_value (applying->model, pair->before),
              *is = ph_model_find_value (applying->after, pair->after);

      is = is != NULL ? resolve (applying, is) : NULL;
      if (was == NULL || is == NULL || (was != is && !switch_readers (applying, was, is)))
        return FALSE;
    }
  for (guint i = hunk->before->len; i-- > 0;)
    {
      const PhId id = ((PhNode *) hunk->before->pdata[i])->id;
      PhNode *node = ph_model_find_node (applying->model, id);
      gboolean used = node == NULL || ph_model_find_node (applying->after, id) != NULL;

      for (guint k = 0; !used && k < node->outputs->len; k++)
        used = ph_value_n_uses (node->outputs->pdata[k]) > 0;
      if (!used && !ph_graph_remove_node (node, applying->error))
        return FALSE;
    }
  return TRUE;
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const PhRegion *x = *(PhRegion *const *) a, *y = *(PhRegion *const *) b;
  const guint64 at[] = { x->before->len > 0 ? ((PhNode *) x->before->pdata[0])->order : G_MAXUINT64,
                         y->before->len > 0 ? ((PhNode *) y->before->pdata[0])->order : G_MAXUINT64 };

  return at[0] < at[1] ? -1 : at[0] > at[1];
}

/* Applies all hunks that can be applied alone. Returns FALSE if the sink stops. */
static gboolean
apply_all (PhModel *model, PhModel *after, PhId first_new, GPtrArray *hunks, const PhHunkSink *sink)
{
  g_autoptr (GHashTable) made = g_hash_table_new (NULL, NULL);
  g_autoptr (GError) own = NULL;
  Applying applying = { model, after, first_new, made, &own };

  g_ptr_array_sort (hunks, by_place);
  for (guint i = 0; i < hunks->len; i++)
    {
      const PhRegion *hunk = hunks->pdata[i];
      g_autoptr (GHashTable) known = NULL;
      GHashTableIter iter;
      gpointer value, here;

      if (hunk->graph != model->graph->id || hunk->outputs->len == 0)
        continue;
      if (!sink->begin (hunk, sink->data))
        return FALSE;
      known = g_hash_table_new (NULL, NULL);
      g_hash_table_iter_init (&iter, made);
      while (g_hash_table_iter_next (&iter, &value, &here))
        g_hash_table_insert (known, value, here);
      if (apply (&applying, hunk))
        {
          sink->end (sink->data);
          continue;
        }
      sink->abort (sink->data);
      g_clear_error (&own);
      g_hash_table_unref (made);
      made = applying.made = g_steal_pointer (&known);
    }
  return TRUE;
}

static void
count_guesses (GPtrArray *hunks, const GArray *guessed)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < guessed->len; i++)
    g_hash_table_add (ids, GUINT_TO_POINTER (g_array_index (guessed, PhId, i)));
  for (guint i = 0; i < hunks->len; i++)
    {
      PhRegion *hunk = hunks->pdata[i];

      for (guint k = 0; k < hunk->before->len; k++)
        hunk->n_guessed += g_hash_table_contains (ids, GUINT_TO_POINTER (((PhNode *) hunk->before->pdata[k])->id)) ? 1 : 0;
    }
}

/* Whether @graph of a model may become another one when the model becomes @data: what it is as before stays. */
static gboolean
may_change (const PhGraph *graph, gconstpointer data)
{
  const PhModel *target = data;
  const PhFunction *function = graph->function;

  if (function == NULL)
    return !ph_graph_is_as_before (target->graph);
  for (guint i = 0; i < target->functions->len; i++)
    {
      const PhFunction *other = target->functions->pdata[i];

      if (other->name == function->name && other->domain == function->domain)
        return !ph_graph_is_as_before (other->graph);
    }
  return TRUE;
}

gboolean
ph_model_become_by_hunks (PhModel *model, PhModel *target, const PhNamedPart *parts, guint n_parts, const PhHunkSink *sink,
                          GError **error)
{
  g_autoptr (PhModel) after = ph_model_clone_graphs (model, may_change, target);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GPtrArray) hunks = NULL;
  g_autoptr (GArray) guessed = g_array_new (FALSE, FALSE, sizeof (PhId));
  const PhId first_new = model->next_id;
  g_autofree PhNamedPart *told = g_memdup2 (parts, n_parts * sizeof *parts);

  for (guint i = 0; i < n_parts; i++)
    told[i].trial = TRUE;
  ph_history_begin_step (history, after, "become");
  ph_history_begin_rewrite (history, "become", PH_NO_ID, "");
  if (ph_model_become_parts (after, target, told, n_parts, &(PhBecame) { .guessed = guessed }, NULL))
    hunks = ph_regions_find (model, after, history, 0, history->edits->len);
  if (hunks != NULL)
    count_guesses (hunks, guessed);
  if (hunks != NULL && hunks->len > 1 && hunks->len <= MAX_HUNKS && !apply_all (model, after, first_new, hunks, sink))
    return TRUE;
  if (!sink->begin (hunks != NULL && hunks->len == 1 ? hunks->pdata[0] : NULL, sink->data))
    return TRUE;
  for (guint i = 0; i < n_parts; i++)
    {
      told[i].trial = FALSE;
      told[i].loose_from = first_new; /* made by the hunks */
    }
  if (!ph_model_become_parts (model, target, told, n_parts, NULL, error))
    {
      sink->abort (sink->data);
      return FALSE;
    }
  sink->end (sink->data);
  return TRUE;
}

/* Operators in program order, constants not counted. */
static void
add_operators (GString *out, GPtrArray *nodes)
{
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      const PhNode *node = nodes->pdata[i];

      if (n++ < MAX_NAMED)
        g_string_append_printf (out, "%s%s", n > 1 ? ", " : "", node->op_type);
    }
  if (n > MAX_NAMED)
    g_string_append_printf (out, " and %u more", n - MAX_NAMED);
}

char *
ph_hunk_describe (const PhRegion *hunk)
{
  GString *out = g_string_new (NULL);

  add_operators (out, hunk->after->len > 0 ? hunk->after : hunk->before);
  if (hunk->after->len > 0 && hunk->before->len > 0)
    {
      g_string_append (out, " in place of ");
      add_operators (out, hunk->before);
    }
  else
    g_string_append (out, hunk->after->len > 0 ? " added" : hunk->before->len > 0 ? " removed" : "nothing but constants");
  if (hunk->n_guessed > 0)
    g_string_append_printf (out, " (%u of these taken for the same by place or likeness: a guess)", hunk->n_guessed);
  return g_string_free (out, FALSE);
}
