/* match.c: matches the nodes of two graphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/match.h"

#include <string.h>

#include "core/graph/made-from.h"

#define MAX_READERS 64 /* users of a value that are compared */
#define ENOUGH      4  /* points; see likeness()                                      */
#define MAX_ROUNDS  8
#define NEAR        4
#define RELEASED    G_MAXUINT8 /* in @how: a node of the partial graph that need not stay */

/* ── the state of the matching ──────────────────────────────────────────────────────────────────────────────────────── */

void
ph_match_init (PhMatching *match, PhModel *model, const PhModel *target)
{
  *match = (PhMatching) { .model = model, .ours = g_ptr_array_new (), .how = g_byte_array_new (), .loose = g_ptr_array_new () };
  g_ptr_array_set_size (match->ours, (gint) target->next_id);
}

void
ph_match_clear (PhMatching *match)
{
  g_ptr_array_unref (match->ours);
  g_byte_array_unref (match->how);
  g_ptr_array_unref (match->loose);
}

PhNode *
ph_match_node (const PhMatching *match, const PhNode *of_target)
{
  return of_target->id < match->ours->len ? match->ours->pdata[of_target->id] : NULL;
}

PhValue *
ph_match_value (const PhMatching *match, const PhValue *of_target)
{
  return of_target->id < match->ours->len ? match->ours->pdata[of_target->id] : NULL;
}

PhMatchHow
ph_match_how (const PhMatching *match, const PhNode *node)
{
  const guint8 how = node->id < match->how->len ? match->how->data[node->id] : PH_MATCH_NONE;

  if (how == PH_MATCH_NONE && node->graph == match->partial)
    return PH_MATCH_SAME;
  return how != RELEASED ? how : PH_MATCH_NONE;
}

void
ph_match_set_value (PhMatching *match, PhValue *value, const PhValue *of_target)
{
  match->ours->pdata[of_target->id] = value;
}

static void
set_how (PhMatching *match, const PhNode *node, guint8 how)
{
  const guint old = match->how->len;

  if (node->id >= old)
    {
      g_byte_array_set_size (match->how, MAX (node->id + 1, match->model->next_id));
      memset (match->how->data + old, PH_MATCH_NONE, match->how->len - old);
    }
  match->how->data[node->id] = how;
}

void
ph_match_keep (PhMatching *match, const PhGraph *graph)
{
  match->partial = graph;
  g_ptr_array_set_size (match->loose, 0);
}

void
ph_match_release (PhMatching *match, PhNode *node)
{
  set_how (match, node, RELEASED);
  g_ptr_array_add (match->loose, node);
}

void
ph_match_set (PhMatching *match, PhNode *node, const PhNode *of_target, PhMatchHow how)
{
  set_how (match, node, how);
  match->ours->pdata[of_target->id] = node;
  for (guint i = 0; i < node->outputs->len; i++)
    ph_match_set_value (match, node->outputs->pdata[i], of_target->outputs->pdata[i]);
  match->n[how]++;
}

static gboolean
same_operator (const PhNode *a, const PhNode *b)
{
  const guint n_a = a->graphs != NULL ? a->graphs->len : 0, n_b = b->graphs != NULL ? b->graphs->len : 0;

  if (a->op_type != b->op_type || a->domain != b->domain || a->outputs->len != b->outputs->len || n_a != n_b)
    return FALSE;
  for (guint i = 0; i < n_a; i++)
    if (ph_node_graph (b, ((PhGraph *) a->graphs->pdata[i])->attr) == NULL)
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the compiler gives @of_target an origin other than @node or the origins of @node. */
static gboolean
contradicts (const PhNode *node, const PhNode *of_target)
{
  const char *theirs = ph_node_attr_string (of_target, PH_ATTR_FROM, NULL),
             *ours = theirs != NULL ? ph_node_attr_string (node, PH_ATTR_FROM, NULL) : NULL;
  g_auto (GStrv) names = NULL;

  if (theirs == NULL)
    return FALSE;
  if (ours != NULL)
    return strcmp (ours, theirs) != 0;
  names = g_strsplit (theirs, ", ", -1);
  return node->outputs->len == 0 || !g_strv_contains ((const char *const *) names, ph_node_output (node, 0)->name);
}

static gboolean
is_free (const PhMatching *match, const PhNode *node, const PhNode *of_target)
{
  return node != NULL && ph_match_how (match, node) == PH_MATCH_NONE && ph_match_node (match, of_target) == NULL
         && same_operator (node, of_target) && !contradicts (node, of_target)
         && (match->blocks == NULL || ph_match_may_be_of_block (match, node, of_target));
}

/* ── matches given by the compiler ──────────────────────────────────────────────────────────────────────────────────── */

/* Matches nodes of the same operator if the compiler names one as the origin of the other. */
static void
match_given (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  PH_FOREACH_NODE (node, target)
    {
      const char *from = ph_node_attr_string (node, PH_ATTR_FROM, NULL);
      PhValue *value = from != NULL ? ph_graph_find_value_named (graph, from) : NULL;

      if (value != NULL && value->producer != NULL && value->graph == graph
          && ph_node_attr (value->producer, PH_ATTR_FROM) == NULL && is_free (match, value->producer, node))
        ph_match_set (match, value->producer, node, PH_MATCH_GIVEN);
    }
}

/* ── names ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Returns TRUE for names like "%5", "2/%4" or, in a jaxpr, "b": they number the values, and shift when one is added or removed. */
static gboolean
only_counts (const char *name, const char *domain)
{
  gboolean digits = FALSE;

  if (domain[0] == 'j' && strcmp (domain, "jax") == 0 && strlen (name) <= 2)
    return TRUE;
  for (const char *c = name; *c != '\0'; c++)
    if (*c == '/')
      {
        if (digits)
          return TRUE;
      }
    else if (g_ascii_isdigit (*c))
      digits = TRUE;
    else if (*c != '%' && *c != '_' && *c != ':' && *c != '#' && *c != '.')
      {
        /* A word: on to the next part. */
        c = strchr (c, '/');
        if (c == NULL)
          return FALSE;
        digits = FALSE;
      }
  return digits;
}

static gboolean
has_own_name (const PhNode *node)
{
  return *node->name != '\0' && !only_counts (node->name, node->domain);
}

static void
add_own_name (GHashTable *names, PhNode *node)
{
  if (has_own_name (node))
    g_hash_table_insert (names, (gpointer) node->name, g_hash_table_contains (names, node->name) ? NULL : node);
}

/* Maps the names of unmatched nodes to these; a name used several times maps to NULL. */
static GHashTable *
own_names (const PhMatching *match, const GPtrArray *loose)
{
  GHashTable *names = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < loose->len; i++)
    if (ph_match_how (match, loose->pdata[i]) == PH_MATCH_NONE)
      add_own_name (names, loose->pdata[i]);
  return names;
}

static GHashTable *
own_names_of_target (const PhMatching *match, const PhGraph *target)
{
  GHashTable *names = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, target)
    if (ph_match_node (match, node) == NULL)
      add_own_name (names, node);
  return names;
}

/* Returns the producer of the value with that name in @graph. (nullable) */
static PhNode *
maker_of (const PhGraph *graph, const char *name)
{
  const PhValue *value = ph_graph_find_value_named (graph, name);

  return value != NULL && value->graph == graph ? value->producer : NULL;
}

/* Matches by names. Two snapshots are mostly equal and in the same order, so both are walked in parallel, and names are looked up only
 * where they differ. */
static void
match_names (PhMatching *match, PhGraph *graph, PhGraph *target, const GPtrArray *loose)
{
  g_autoptr (GHashTable) ours = NULL, theirs = NULL;
  PhNode *at = graph->first;

  PH_FOREACH_NODE (node, target)
    {
      PhNode *found;

      if (node->outputs->len == 0 || !has_own_name (node))
        continue;
      found = at != NULL && at->outputs->len > 0 && ph_node_output (at, 0)->name == ph_node_output (node, 0)->name
                  ? at
                  : maker_of (graph, ph_node_output (node, 0)->name);
      if (found == NULL || found->name != node->name || !is_free (match, found, node))
        continue;
      ph_match_set (match, found, node, PH_MATCH_NAME);
      at = found->next;
    }
  PH_FOREACH_NODE (node, target)
    {
      PhNode *found;

      if (ph_match_node (match, node) != NULL || !has_own_name (node))
        continue;
      if (ours == NULL)
        {
          ours = own_names (match, loose);
          theirs = own_names_of_target (match, target);
        }
      found = g_hash_table_lookup (theirs, node->name) == node ? g_hash_table_lookup (ours, node->name) : NULL;
      if (is_free (match, found, node))
        ph_match_set (match, found, node, PH_MATCH_NAME);
    }
}

static void
match_outputs (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  PH_FOREACH_NODE (node, target)
    for (guint i = 0; i < node->outputs->len && ph_match_node (match, node) == NULL; i++)
      {
        const char *name = ph_node_output (node, i)->name;
        PhNode *found = only_counts (name, node->domain) ? NULL : maker_of (graph, name);

        if (is_free (match, found, node))
          ph_match_set (match, found, node, PH_MATCH_OUTPUT);
      }
}

/* ── structure ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/* Hashes operator, attributes and inputs; with @match, a node of the target in terms of the model. Returns FALSE if an input is
 * unmatched. */
static gboolean
signature (const PhMatching *match, const PhNode *node, guint *hash)
{
  *hash = g_direct_hash (node->op_type) * 31 + g_direct_hash (node->domain);
  for (guint i = 0; i < node->attrs->len; i++)
    *hash += ph_attr_hash (node->attrs->pdata[i]) * 2654435761u; /* in any order */
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = node->inputs->pdata[i];

      if (value != NULL && match != NULL && (value = ph_match_value (match, value)) == NULL)
        return FALSE;
      *hash = *hash * 33 + (value != NULL ? value->id : 0);
    }
  return TRUE;
}

static gboolean
same_attrs (const PhNode *a, const PhNode *b)
{
  if (a->attrs->len != b->attrs->len)
    return FALSE;
  for (guint i = 0; i < a->attrs->len; i++)
    {
      const PhAttr *attr = a->attrs->pdata[i], *other = ph_node_attr (b, attr->name);

      if (other == NULL || !ph_attr_equal (attr, other))
        return FALSE;
    }
  return TRUE;
}

static gboolean
same_inputs (const PhMatching *match, const PhNode *node, const PhNode *of_target)
{
  if (node->inputs->len != of_target->inputs->len)
    return FALSE;
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = of_target->inputs->pdata[i];

      if (node->inputs->pdata[i] != (value != NULL ? ph_match_value (match, value) : NULL))
        return FALSE;
    }
  return TRUE;
}

/* Finds among the free nodes with the same computation the one with the same name, else the first. (nullable) */
static GList *
find_same (const PhMatching *match, GQueue *queue, const PhNode *of_target)
{
  GList *first = NULL;

  for (GList *l = queue != NULL ? queue->head : NULL; l != NULL; l = l->next)
    if (is_free (match, l->data, of_target) && same_attrs (l->data, of_target) && same_inputs (match, l->data, of_target))
      {
        const PhNode *node = l->data;

        if (node->outputs->len == 0 || ph_node_output (node, 0)->name == ph_node_output (of_target, 0)->name)
          return l;
        first = first != NULL ? first : l;
      }
  return first;
}

/* Finds a match among the next few loose nodes from @at on. It is mostly the first, as two snapshots are mostly the same in the same order.
 * (nullable) */
static PhNode *
find_near (const PhMatching *match, const GPtrArray *loose, guint *at, const PhNode *of_target)
{
  for (guint i = *at; i < MIN (*at + NEAR, loose->len); i++)
    {
      PhNode *node = loose->pdata[i];

      if (is_free (match, node, of_target) && !has_own_name (node) && same_inputs (match, node, of_target)
          && same_attrs (node, of_target))
        {
          *at = i + 1;
          return node;
        }
    }
  return NULL;
}

/* Groups the free nodes by operator, attributes and inputs. (transfer full) */
static GHashTable *
by_signature (const PhMatching *match, const GPtrArray *loose)
{
  GHashTable *by_hash = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_queue_free);

  for (guint i = 0; i < loose->len; i++)
    if (ph_match_how (match, loose->pdata[i]) == PH_MATCH_NONE)
      {
        GQueue *queue;
        guint hash;

        signature (NULL, loose->pdata[i], &hash);
        queue = g_hash_table_lookup (by_hash, GUINT_TO_POINTER (hash));
        if (queue == NULL)
          g_hash_table_insert (by_hash, GUINT_TO_POINTER (hash), queue = g_queue_new ());
        g_queue_push_tail (queue, loose->pdata[i]);
      }
  return by_hash;
}

/* Matches forwards: nodes that compute the same from the same operands. */
static gboolean
match_same (PhMatching *match, PhGraph *target, const GPtrArray *loose)
{
  g_autoptr (GHashTable) by_hash = NULL;
  guint at = 0;
  gboolean any = FALSE;

  PH_FOREACH_NODE (node, target)
    {
      PhNode *near;
      guint hash;
      GQueue *queue;
      GList *found;

      if (ph_match_node (match, node) != NULL)
        continue;
      while (at < loose->len && ph_match_how (match, loose->pdata[at]) != PH_MATCH_NONE)
        at++;
      near = find_near (match, loose, &at, node);
      if (near != NULL)
        {
          ph_match_set (match, near, node, PH_MATCH_SAME);
          any = TRUE;
          continue;
        }
      if (!signature (match, node, &hash))
        continue;
      if (by_hash == NULL)
        by_hash = by_signature (match, loose);
      queue = g_hash_table_lookup (by_hash, GUINT_TO_POINTER (hash));
      found = find_same (match, queue, node);
      if (found == NULL)
        continue;
      ph_match_set (match, found->data, node, PH_MATCH_SAME);
      g_queue_delete_link (queue, found);
      any = TRUE;
    }
  return any;
}

static gboolean
match_makers (PhMatching *match, const PhGraph *graph, const PhValue *value, const PhGraph *target, const PhValue *of_target)
{
  if (value == NULL || of_target == NULL || value->producer == NULL || of_target->producer == NULL
      || value->output != of_target->output || value->graph != graph || of_target->graph != target
      || !is_free (match, value->producer, of_target->producer))
    return FALSE;
  ph_match_set (match, value->producer, of_target->producer, PH_MATCH_PLACE);
  return TRUE;
}

/* Matches backwards: the producers of the same output of the graph, or of the same operand of matched nodes. */
static gboolean
match_places (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  gboolean any = FALSE;

  for (guint i = 0; i < MIN (graph->outputs->len, target->outputs->len); i++)
    any = match_makers (match, graph, graph->outputs->pdata[i], target, target->outputs->pdata[i]) || any;
  for (PhNode *node = target->last; node != NULL; node = node->prev)
    {
      const PhNode *ours = ph_match_node (match, node);

      for (guint i = 0; ours != NULL && i < MIN (node->inputs->len, ours->inputs->len); i++)
        any = match_makers (match, graph, ours->inputs->pdata[i], target, node->inputs->pdata[i]) || any;
    }
  return any;
}

/* ── likeness ───────────────────────────────────────────────────────────────────────────────────────────────────── */

/* The value that a new cast, transposition or the like of one operand stands before: passes that change types or layouts put them
 * everywhere. (nullable) */
static const PhValue *
seen_through (const PhMatching *match, const PhValue *of_target)
{
  const PhNode *made = of_target != NULL ? of_target->producer : NULL;

  if (made == NULL || made->inputs->len != 1 || made->inputs->pdata[0] == NULL || ph_match_value (match, of_target) != NULL)
    return NULL;
  return ph_match_value (match, made->inputs->pdata[0]);
}

/* Scores the likeness: three points for an operand at its place and one elsewhere, two for one behind a new node, two for a user with the same operand index, two for the
 * attributes, one for the type and one for a numbered name. */
static guint
likeness (const PhMatching *match, const PhNode *node, const PhNode *of_target)
{
  guint points = same_attrs (node, of_target) ? 2 : 0;

  for (guint i = 0; i < of_target->inputs->len; i++)
    {
      const PhValue *value = of_target->inputs->pdata[i], *here = value != NULL ? ph_match_value (match, value) : NULL;

      if (here != NULL && i < node->inputs->len && node->inputs->pdata[i] == here)
        points += 3;
      else if (here != NULL)
        points += ph_values_find (node->inputs, here) ? 1 : 0;
      else if (i < node->inputs->len && node->inputs->pdata[i] != NULL && node->inputs->pdata[i] == seen_through (match, value))
        points += 2;
    }
  for (guint i = 0; i < of_target->outputs->len; i++)
    {
      const PhValue *value = of_target->outputs->pdata[i], *here = node->outputs->pdata[i];

      points += value->type != NULL && value->type == here->type ? 1 : 0;
      points += value->name == here->name ? 1 : 0;
      for (guint u = 0; u < MIN (value->uses->len, MAX_READERS); u++)
        {
          const PhUse use = g_array_index (value->uses, PhUse, u);
          const PhNode *reader = ph_match_node (match, use.node);

          points += reader != NULL && use.index < reader->inputs->len && reader->inputs->pdata[use.index] == here ? 2 : 0;
        }
    }
  return points;
}

typedef struct
{
  const PhMatching *match;
  const PhNode *of_target;
  PhNode *best;
  guint points;
} Search;

static void
consider (Search *search, PhNode *node, const PhGraph *graph)
{
  guint points;

  if (node == NULL || node == search->best || node->graph != graph || !is_free (search->match, node, search->of_target))
    return;
  points = likeness (search->match, node, search->of_target);
  if (points > search->points)
    {
      search->best = node;
      search->points = points;
    }
}

/* Matches similar nodes: candidates share operands, or producers of their users' operands. */
static gboolean
match_like (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  gboolean any = FALSE;

  PH_FOREACH_NODE (node, target)
    {
      Search search = { match, node, NULL, ENOUGH - 1 };

      if (ph_match_node (match, node) != NULL)
        continue;
      for (guint i = 0; i < node->inputs->len; i++)
        {
          const PhValue *value = node->inputs->pdata[i], *here = value != NULL ? ph_match_value (match, value) : NULL;

          here = here != NULL ? here : seen_through (match, value);
          for (guint u = 0; here != NULL && u < MIN (here->uses->len, MAX_READERS); u++)
            consider (&search, g_array_index (here->uses, PhUse, u).node, graph);
        }
      for (guint i = 0; i < node->outputs->len; i++)
        for (guint u = 0; u < MIN (ph_node_output (node, i)->uses->len, MAX_READERS); u++)
          {
            const PhNode *reader = ph_match_node (match, g_array_index (ph_node_output (node, i)->uses, PhUse, u).node);

            for (guint k = 0; reader != NULL && k < reader->inputs->len; k++)
              consider (&search, reader->inputs->pdata[k] != NULL ? ((PhValue *) reader->inputs->pdata[k])->producer : NULL,
                        graph);
          }
      if (search.best == NULL)
        continue;
      ph_match_set (match, search.best, node, PH_MATCH_LIKE);
      any = TRUE;
    }
  return any;
}

void
ph_match_rest (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GPtrArray) loose = ph_match_loose (match, graph);
  gboolean more = TRUE;

  /* Certain matches lead to further certain ones; only then guess. */
  for (guint round = 0; more && round < MAX_ROUNDS; round++)
    {
      match_same (match, target, loose);
      more = match_places (match, graph, target) || match_like (match, graph, target);
    }
}

void
ph_match_graph (PhMatching *match, PhGraph *graph, PhGraph *target)
{
  g_autoptr (GPtrArray) loose = ph_match_loose (match, graph);

  ph_match_inputs (match, graph, target);
  if (graph != match->partial)
    ph_match_constants (match, graph, target);
  match_given (match, graph, target);
  match_names (match, graph, target, loose);
  match_outputs (match, graph, target);
  ph_match_rest (match, graph, target);
}
