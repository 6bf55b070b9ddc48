/* commands-node.c: one node, its neighbourhood, the paths between two, and search.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"
#include "core/ops/dialect.h"
#include "core/ops/op.h"

static void
node_row (PhNode *node, JsonObject *row)
{
  g_autofree char *id = g_strdup_printf ("n%u", node->id), *label = ph_node_label (node);

  json_object_set_string_member (row, "id", id);
  ph_json_set (row, "op", node->op_type);
  ph_json_set (row, "name", node->name);
  ph_json_set (row, "label", label);
}

static void
values_row (GPtrArray *values, JsonArray *array)
{
  for (guint i = 0; i < values->len; i++)
    {
      PhValue *value = values->pdata[i];
      JsonObject *row = ph_json_add_object (array);
      g_autofree char *type = value != NULL ? ph_type_to_string (value->type) : NULL;

      ph_json_set (row, "name", value != NULL ? value->name : "");
      ph_json_set (row, "type", type);
      if (value != NULL && value->producer != NULL)
        {
          g_autofree char *id = g_strdup_printf ("n%u", value->producer->id);
          json_object_set_string_member (row, "producer", id);
        }
      if (value != NULL)
        {
          JsonArray *users = json_array_new ();

          for (guint u = 0; u < value->uses->len; u++)
            {
              g_autofree char *id = g_strdup_printf ("n%u", g_array_index (value->uses, PhUse, u).node->id);
              json_array_add_string_element (users, id);
            }
          json_object_set_array_member (row, "users", users);
        }
    }
}

static PhNode *
node_argument (PhCall *call, guint i, GError **error)
{
  PhModel *model = ph_document_get_model (call->document);

  if (i < call->argc)
    return ph_call_find_node (call, call->argv[i], error);

  PhNode *node = ph_model_find_node (model, ph_document_get_selection (call->document));
  if (node == NULL)
    ph_call_usage (call, error, "nothing is selected: click a node, or name one");
  return node;
}

static void
say_values (PhReply *reply, const char *what, GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];
      g_autofree char *type = value != NULL ? ph_type_to_string (value->type) : NULL;

      if (value == NULL)
        ph_reply_say (reply, "  %s %u: none\n", what, i);
      else if (value->producer != NULL)
        ph_reply_say (reply, "  %s %u: %s: %s  (%s n%u)\n", what, i, value->name, type, value->producer->op_type,
                      value->producer->id);
      else
        ph_reply_say (reply, "  %s %u: %s: %s\n", what, i, value->name, type);
    }
}

static gboolean
node_begin (PhCall *call, GError **error)
{
  JsonObject *json = call->reply->json, *attrs;
  PhNode *node;
  g_autofree char *label = NULL, *scope = NULL;
  gint64 flops;
  const PhForeignOp *foreign;
  const char *doc;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  node = node_argument (call, 0, error);
  if (node == NULL)
    return FALSE;
  ph_document_set_selection (call->document, node->id);

  label = ph_node_label (node);
  scope = ph_node_scope (node);
  flops = ph_node_flops (node);
  node_row (node, json);
  ph_json_set (json, "domain", node->domain);
  ph_json_set (json, "scope", scope);
  foreign = node->op == NULL ? ph_dialect_find_foreign (node->domain, node->op_type) : NULL;
  doc = node->op != NULL ? node->op->doc : foreign != NULL ? foreign->doc : NULL;
  ph_json_set (json, "doc", doc);
  json_object_set_boolean_member (json, "fused", ph_node_is_fused (node));
  if (flops >= 0)
    json_object_set_int_member (json, "flops", flops);
  else
    json_object_set_null_member (json, "flops");
  if (node->partner != PH_NO_ID)
    {
      g_autofree char *partner = g_strdup_printf ("n%u", node->partner);
      json_object_set_string_member (json, "differentiates", partner);
    }

  ph_reply_say (call->reply, PH_STYLE_BOLD "%s" PH_STYLE_RESET "\n", label);
  if (doc != NULL)
    ph_reply_say (call->reply, "  %s\n", doc);
  else if (ph_node_is_fused (node))
    ph_reply_say (call->reply, "  a fused operator: it keeps the nodes that it replaced\n");
  else if (ph_node_function (node) != NULL)
    ph_reply_say (call->reply, "  a call of a function of the model: `enter n%u` shows what is inside\n", node->id);
  else if (node->op == NULL)
    ph_reply_say (call->reply, "  an operator that Peephole does not know: it can be drawn, not run\n");
  if (node->where != NULL)
    {
      g_autofree char *where = ph_where_to_string (node->where, TRUE);

      json_object_set_string_member (json, "where", where);
      ph_reply_say (call->reply, "  from %s\n", where);
    }
  for (guint i = 0; node->control != NULL && i < node->control->len; i++)
    {
      g_autofree char *first = ph_node_label (node->control->pdata[i]);

      ph_reply_say (call->reply, "  runs after %s\n", first);
    }
  attrs = json_object_new ();
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      g_autofree char *text = ph_attr_value_to_string (attr);

      ph_json_set (attrs, attr->name, text);
      ph_reply_say (call->reply, "  %s = %s\n", attr->name, text);
    }
  json_object_set_object_member (json, "attributes", attrs);
  values_row (&node->inputs->array, ph_reply_array (call->reply, "inputs"));
  values_row (&node->outputs->array, ph_reply_array (call->reply, "outputs"));
  say_values (call->reply, "input", &node->inputs->array);
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];
      g_autofree char *type = ph_type_to_string (value->type);

      ph_reply_say (call->reply, "  output %u: %s: %s  (%u use%s)\n", i, value->name, type, ph_value_n_uses (value),
                    ph_value_n_uses (value) == 1 ? "" : "s");
    }
  if (flops > 0)
    ph_reply_say (call->reply, "  %" G_GINT64_FORMAT " floating point operations\n", flops);
  return TRUE;
}

/* Finds anything that the picture shows, including inputs and nodes that the present position no longer has. */
static gboolean
find_shown (PhCall *call, const char *name, PhId *id, GError **error)
{
  guint64 number;

  if (*name == 'n' && g_ascii_string_to_unsigned (name + 1, 10, 1, G_MAXUINT32, &number, NULL)
      && ph_model_find_value (ph_document_get_model (call->document), (PhId) number) != NULL)
    {
      *id = (PhId) number;
      return TRUE;
    }
  return ph_call_find_any_node (call, name, id, error);
}

static gboolean
select_node_begin (PhCall *call, GError **error)
{
  g_autofree char *label = NULL;
  PhNode *node;
  PhId id;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (call->argc == 0)
    {
      ph_document_set_selection (call->document, PH_NO_ID);
      return TRUE;
    }
  if (!find_shown (call, call->argv[0], &id, error))
    return FALSE;
  ph_document_set_selection (call->document, id);
  node = ph_model_find_node (ph_document_get_model (call->document), id);
  if (node == NULL)
    return TRUE;
  label = ph_node_label (node);
  node_row (node, call->reply->json);
  ph_reply_say (call->reply, "%s\n", label);
  return TRUE;
}

/* ── neighbourhood and paths ── */

typedef void (*Visit) (PhNode *node, gpointer data);

static void
visit_producers (PhNode *node, Visit visit, gpointer data)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_node_input (node, i)->producer != NULL)
      visit (ph_node_input (node, i)->producer, data);
}

static void
visit_users (PhNode *node, Visit visit, gpointer data)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];

      for (guint u = 0; u < value->uses->len; u++)
        visit (g_array_index (value->uses, PhUse, u).node, data);
    }
}

typedef struct
{
  GHashTable *distance;
  GQueue *queue;
  int at;
} Walk;

static void
reach (PhNode *node, gpointer data)
{
  Walk *walk = data;

  if (g_hash_table_contains (walk->distance, node))
    return;
  g_hash_table_insert (walk->distance, node, GINT_TO_POINTER (walk->at + 1));
  g_queue_push_tail (walk->queue, node);
}

/* Distances from @start along producers, users, or both, as far as @limit. */
static GHashTable *
distances (PhNode *start, gboolean up, gboolean down, int limit)
{
  g_autoptr (GQueue) queue = g_queue_new ();
  Walk walk = { g_hash_table_new (NULL, NULL), queue, 0 };
  PhNode *node;

  g_hash_table_insert (walk.distance, start, GINT_TO_POINTER (0));
  g_queue_push_tail (queue, start);
  while ((node = g_queue_pop_head (queue)) != NULL)
    {
      walk.at = GPOINTER_TO_INT (g_hash_table_lookup (walk.distance, node));
      if (walk.at >= limit)
        continue;
      if (up)
        visit_producers (node, reach, &walk);
      if (down)
        visit_users (node, reach, &walk);
    }
  return walk.distance;
}

static int
by_distance (gconstpointer a, gconstpointer b, gpointer data)
{
  const PhNode *na = *(PhNode *const *) a, *nb = *(PhNode *const *) b;
  int da = GPOINTER_TO_INT (g_hash_table_lookup (data, na)), db = GPOINTER_TO_INT (g_hash_table_lookup (data, nb));

  return da != db ? da - db : na->id < nb->id ? -1 : na->id > nb->id;
}

static void
reply_nodes (PhCall *call, GPtrArray *nodes, GHashTable *distance)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "id", "id", .style = PH_STYLE_KEY }, { "op", "op" }, { "name", "name" }, { "distance", "distance", .right = TRUE },
  };
  /* clang-format on */
  JsonArray *rows = ph_reply_array (call->reply, "nodes");

  for (guint i = 0; i < nodes->len; i++)
    {
      JsonObject *row = ph_json_add_object (rows);

      node_row (nodes->pdata[i], row);
      if (distance != NULL)
        json_object_set_int_member (row, "distance", GPOINTER_TO_INT (g_hash_table_lookup (distance, nodes->pdata[i])));
    }
  ph_reply_table (call->reply, rows, columns, distance != NULL ? 4 : 3);
}

static gboolean
neighbours_begin (PhCall *call, GError **error)
{
  PhNode *node;
  guint64 k = 1;
  g_autoptr (GHashTable) distance = NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 0, 2, error))
    return FALSE;
  node = node_argument (call, 0, error);
  if (node == NULL)
    return FALSE;
  if (call->argc > 1 && !g_ascii_string_to_unsigned (call->argv[1], 10, 0, 1000000, &k, NULL))
    return ph_call_usage (call, error, "a number of steps is expected, not '%s'", call->argv[1]);
  distance = distances (node, TRUE, TRUE, (int) k);
  g_hash_table_iter_init (&iter, distance);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (nodes, key);
  g_ptr_array_sort_with_data (nodes, by_distance, distance);
  reply_nodes (call, nodes, distance);
  return TRUE;
}

/* Nodes on any path from A to B; and one shortest path, first to last. */
static gboolean
paths_begin (PhCall *call, GError **error)
{
  PhNode *a, *b;
  g_autoptr (GHashTable) down = NULL, up = NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new (), shortest = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;
  JsonArray *path;

  if (!ph_call_need_open (call, error) || !ph_call_need_args (call, 2, 2, error)
      || (a = ph_call_find_node (call, call->argv[0], error)) == NULL
      || (b = ph_call_find_node (call, call->argv[1], error)) == NULL)
    return FALSE;
  down = distances (a, FALSE, TRUE, G_MAXINT);
  if (!g_hash_table_contains (down, b))
    {
      PhNode *other = a;

      a = b;
      b = other;
      g_hash_table_unref (down);
      down = distances (a, FALSE, TRUE, G_MAXINT);
    }
  if (!g_hash_table_contains (down, b))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "no path leads from %s to %s, nor back", call->argv[0], call->argv[1]);
      return FALSE;
    }
  up = distances (b, TRUE, FALSE, G_MAXINT);
  g_hash_table_iter_init (&iter, down);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (g_hash_table_contains (up, key))
      g_ptr_array_add (nodes, key);
  g_ptr_array_sort_with_data (nodes, by_distance, down);

  for (PhNode *at = b; at != NULL;)
    {
      PhNode *next = NULL;

      g_ptr_array_insert (shortest, 0, at);
      for (guint i = 0; at != a && i < at->inputs->len && next == NULL; i++)
        {
          PhNode *producer = ph_node_input (at, i) != NULL ? ph_node_input (at, i)->producer : NULL;

          if (producer != NULL && g_hash_table_contains (down, producer)
              && GPOINTER_TO_INT (g_hash_table_lookup (down, producer)) + 1 == GPOINTER_TO_INT (g_hash_table_lookup (down, at)))
            next = producer;
        }
      at = next;
    }
  path = ph_reply_array (call->reply, "shortest");
  for (guint i = 0; i < shortest->len; i++)
    {
      g_autofree char *id = g_strdup_printf ("n%u", ((PhNode *) shortest->pdata[i])->id);

      json_array_add_string_element (path, id);
      ph_reply_say (call->reply, "%s%s", i > 0 ? " → " : "shortest: ", id);
    }
  ph_reply_say (call->reply, "\n");
  reply_nodes (call, nodes, down);
  return TRUE;
}

/* ── search ── */

static gboolean
text_matches (const char *text, const char *needle, GRegex *regex)
{
  g_autofree char *valid = NULL, *folded = NULL;

  if (text == NULL || *text == '\0')
    return FALSE;
  valid = g_utf8_make_valid (text, -1);
  if (regex != NULL)
    return g_regex_match (regex, valid, 0, NULL);
  folded = g_utf8_casefold (valid, -1);
  return strstr (folded, needle) != NULL;
}

/* Searches operator, name, attributes, and names and types of outputs. */
static const char *
match_of (PhNode *node, const char *needle, GRegex *regex)
{
  g_autofree char *id = g_strdup_printf ("n%u", node->id);

  if (text_matches (id, needle, regex) && regex == NULL && strlen (needle) == strlen (id))
    return "id";
  if (text_matches (node->op_type, needle, regex))
    return "operator";
  if (text_matches (node->name, needle, regex))
    return "name";
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const PhValue *value = node->outputs->pdata[i];
      g_autofree char *type = ph_type_to_string (value->type);

      if (text_matches (value->name, needle, regex))
        return "output";
      if (text_matches (type, needle, regex))
        return "type";
    }
  for (guint i = 0; i < node->inputs->len; i++)
    if (ph_node_input (node, i) != NULL && ph_node_input (node, i)->producer == NULL
        && text_matches (ph_node_input (node, i)->name, needle, regex))
      return "input";
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      g_autofree char *value = ph_attr_value_to_string (attr), *text = g_strdup_printf ("%s=%s", attr->name, value);

      if (text_matches (text, needle, regex))
        return "attribute";
    }
  return NULL;
}

static void
find_below (PhGraph *graph, const char *needle, GRegex *regex, JsonArray *rows, GCancellable *cancellable)
{
  PH_FOREACH_NODE (node, graph)
    {
      if (g_cancellable_is_cancelled (cancellable))
        return;

      const char *match = match_of (node, needle, regex);

      if (match != NULL)
        {
          JsonObject *row = ph_json_add_object (rows);

          node_row (node, row);
          json_object_set_string_member (row, "match", match);
        }
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        find_below (node->graphs->pdata[i], needle, regex, rows, cancellable);
    }
}

typedef struct
{
  char *needle;
  GRegex *regex;
} Find;

static void
find_free (gpointer data)
{
  Find *find = data;

  g_free (find->needle);
  g_clear_pointer (&find->regex, g_regex_unref);
  g_free (find);
}

static gboolean
find_begin (PhCall *call, GError **error)
{
  g_autofree char *text = g_strdup (call->rest), *needle = NULL;
  g_autoptr (GRegex) regex = NULL;
  gsize n;
  Find *find;

  if (!ph_call_need_open (call, error))
    return FALSE;
  g_strstrip (text);
  n = strlen (text);
  if (n == 0)
    return ph_call_usage (call, error, "say what to look for");
  if (n > 2 && text[0] == '/' && text[n - 1] == '/')
    {
      g_autofree char *pattern = g_strndup (text + 1, n - 2);
      GError *own = NULL;

      regex = g_regex_new (pattern, G_REGEX_OPTIMIZE, 0, &own);
      if (regex == NULL)
        {
          g_set_error (error, PH_ERROR, PH_ERROR_PARSE, "%s", own->message);
          g_error_free (own);
          return FALSE;
        }
    }
  else
    needle = g_utf8_casefold (call->argc == 1 ? call->argv[0] : text, -1);

  find = g_new0 (Find, 1);
  find->needle = g_steal_pointer (&needle);
  find->regex = g_steal_pointer (&regex);
  ph_call_set_data (call, find, find_free);
  ph_call_read (call, ph_document_get_position (call->document));
  return TRUE;
}

static gboolean
find_work (PhCall *call, GError **error)
{
  /* clang-format off */
  static const PhColumn columns[] = {
    { "id", "id", .style = PH_STYLE_KEY }, { "op", "op" }, { "name", "name" }, { "match", "found in" },
  };
  /* clang-format on */
  const Find *find = call->data;
  JsonArray *rows = ph_reply_array (call->reply, "nodes");

  ph_call_progress (call, "searching", -1);
  find_below (call->model->graph, find->needle, find->regex, rows, call->cancellable);
  for (guint i = 0; i < call->model->functions->len; i++)
    find_below (((const PhFunction *) call->model->functions->pdata[i])->graph, find->needle, find->regex, rows,
                call->cancellable);
  if (g_cancellable_set_error_if_cancelled (call->cancellable, error))
    return FALSE;
  json_object_set_int_member (call->reply->json, "found", json_array_get_length (rows));
  ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  ph_reply_say (call->reply, "%u found\n", json_array_get_length (rows));
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "node", "[NODE]", "Select a node and say everything about it", "A node is n42, its name, or the name of a value that it makes.",
    NULL, NULL, NULL, PH_CODE (node_begin) },
  { "select-node", "[NODE]", "Select a node, or nothing", NULL, NULL, NULL, NULL, PH_CODE (select_node_begin) },
  { "neighbours", "[NODE [K]]", "The nodes within K steps of one", NULL, NULL, NULL, NULL, PH_CODE (neighbours_begin) },
  { "paths", "NODE NODE", "The nodes on the paths between two, and the shortest path", NULL, NULL, NULL, NULL,
    PH_CODE (paths_begin) },
  { "find", "TEXT|/REGEX/", N_ ("Search operators, names, attributes and types"), "`find Conv`, `find /layer.[0-3]/`, `find [1,64,`.",
    N_ ("_Find"), "<Control>f|F3", "edit-find-symbolic", PH_CODE (find_begin, find_work) },
};
/* clang-format on */
const PhCommandGroup ph_commands_node = { rows, G_N_ELEMENTS (rows) };
