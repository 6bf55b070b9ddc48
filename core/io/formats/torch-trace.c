/* torch-trace.c: reads the log that TORCH_TRACE writes of a compilation as a history: Dynamo's graph, then those of AOT autograd, then
 * Inductor's. A record is one line with a JSON object; its payload follows, indented by tabs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <json-glib/json-glib.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/graph/made-from.h"
#include "core/io/format.h"
#include "core/io/torch/torch.h"

typedef struct
{
  const char *text;
  gsize size;
  guint line;
  char *pass, *compile;
} Graph;

static void
graph_free (gpointer data)
{
  Graph *graph = data;

  g_free (graph->pass);
  g_free (graph->compile);
  g_free (graph);
}

/* Recognizes V0516 11:47:27.920000 139733182882816 torch/_dynamo/output_graph.py:1278] {"dynamo_output_graph": ... */
static gboolean
is_record (const char *line, gsize size)
{
  return size > 6 && strchr ("VDIWE", *line) != NULL && g_ascii_isdigit (line[1]) && g_ascii_isdigit (line[2])
         && g_ascii_isdigit (line[3]) && g_ascii_isdigit (line[4]) && line[5] == ' '
         && g_strstr_len (line, (gssize) size, "] {") != NULL;
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  const char *text = (const char *) head, *end = memchr (head, '\n', size);

  return memchr (head, 0, size) == NULL && is_record (text, end != NULL ? (gsize) (end - text) : size) ? 93 : 0;
}

/* Returns the name of the graph that a record holds, or NULL if it holds none. (transfer full) */
static char *
graph_of (JsonObject *object)
{
  static const char *const graphs[] = { "dynamo_output_graph",      "aot_joint_graph",         "aot_forward_graph",
                                        "aot_backward_graph",       "aot_inference_graph",     "inductor_pre_grad_graph",
                                        "inductor_post_grad_graph", "compiled_autograd_graph", "exported_program" };

  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    if (json_object_has_member (object, graphs[i]))
      return g_strdup (graphs[i]);
  if (json_object_has_member (object, "artifact") && JSON_NODE_HOLDS_OBJECT (json_object_get_member (object, "artifact")))
    {
      const char *name = json_object_get_string_member_with_default (json_object_get_object_member (object, "artifact"), "name",
                                                                     "");

      if (name != NULL
          && (g_str_has_suffix (name, "_graph") || g_str_has_suffix (name, "_nodes")
              || g_str_has_suffix (name, "_node_mappings")))
        return g_strdup (name);
    }
  return NULL;
}

/* Returns the numbers that identify the compilation a record belongs to ("frame/compile/attempt"); frames are compiled one after the
 * other. */
static char *
compile_of (JsonObject *object)
{
  static const char *const names[] = { "frame_id", "frame_compile_id", "attempt" };
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      JsonNode *node = json_object_get_member (object, names[i]);

      if (node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_INT64)
        g_string_append_printf (out, "%s%" G_GINT64_FORMAT, out->len > 0 ? "/" : "", json_node_get_int (node));
    }
  return g_string_free (out, FALSE);
}

/* Reads provenance such as "mm_default_1": [{"name": "mm", "from_node": [{"name": "addmm", "from_node": [{"name": "linear"}]}]}]: maps each
 * name to the innermost name it comes from, across the graphs in between. */
static void
read_chain (JsonNode *node, GHashTable *between, guint depth)
{
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; array != NULL && depth < 50 && i < json_array_get_length (array); i++)
    {
      JsonNode *each = json_array_get_element (array, i), *from;
      JsonObject *object = JSON_NODE_HOLDS_OBJECT (each) ? json_node_get_object (each) : NULL, *last;
      const char *name = object != NULL ? json_object_get_string_member_with_default (object, "name", "") : "", *leaf;

      from = object != NULL ? json_object_get_member (object, "from_node") : NULL;
      if (from == NULL || !JSON_NODE_HOLDS_ARRAY (from) || json_array_get_length (json_node_get_array (from)) == 0)
        continue;
      read_chain (from, between, depth + 1);
      each = json_array_get_element (json_node_get_array (from), 0);
      last = JSON_NODE_HOLDS_OBJECT (each) ? json_node_get_object (each) : NULL;
      leaf = last != NULL ? json_object_get_string_member_with_default (last, "name", "") : "";
      from = last != NULL ? json_object_get_member (last, "from_node") : NULL;
      if (*name != '\0' && *leaf != '\0'
          && (from == NULL || !JSON_NODE_HOLDS_ARRAY (from) || json_array_get_length (json_node_get_array (from)) == 0))
        g_hash_table_replace (between, g_strdup (name), g_strdup (leaf));
    }
}

/* Reads from Inductor's mapping which node of the graph before autograd each node of the last graph comes from. */
static void
read_pairs (Graph *graph, GHashTable *pairs, GHashTable *between)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *object;
  GList *members;

  if (!json_parser_load_from_data (parser, graph->text, (gssize) graph->size, NULL) || json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return;
  object = json_node_get_object (json_parser_get_root (parser));
  if (g_str_equal (graph->pass, "inductor_post_to_pre_grad_nodes"))
    {
      members = json_object_get_members (object);
      for (GList *each = members; each != NULL; each = each->next)
        read_chain (json_object_get_member (object, each->data), between, 0);
      g_list_free (members);
      return;
    }
  if (!json_object_has_member (object, "postToPre") || !JSON_NODE_HOLDS_OBJECT (json_object_get_member (object, "postToPre")))
    return;
  object = json_object_get_object_member (object, "postToPre");
  members = json_object_get_members (object);
  for (GList *each = members; each != NULL; each = each->next)
    {
      JsonNode *from = json_object_get_member (object, each->data);
      GString *text;

      if (!JSON_NODE_HOLDS_ARRAY (from))
        continue;
      text = g_string_new (NULL);
      for (guint i = 0; i < json_array_get_length (json_node_get_array (from)); i++)
        {
          JsonNode *one = json_array_get_element (json_node_get_array (from), i);

          if (JSON_NODE_HOLDS_VALUE (one) && json_node_get_value_type (one) == G_TYPE_STRING)
            g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", json_node_get_string (one));
        }
      g_hash_table_replace (pairs, g_strdup (each->data), g_string_free (text, FALSE));
    }
  g_list_free (members);
}

/* Reads all records of interest: graphs, and the provenance of their nodes. */
static GPtrArray *
read_records (PhSource *source, const char *text, gsize size)
{
  g_autoptr (GPtrArray) graphs = g_ptr_array_new_with_free_func (graph_free);
  const char *end = text + size, *at = text;
  guint line = 1, broken = 0, broken_line = 0;

  while (at < end)
    {
      const char *stop = memchr (at, '\n', (gsize) (end - at)), *json, *payload;
      const guint own = line;
      g_autoptr (JsonParser) parser = json_parser_new ();
      Graph *graph;

      stop = stop != NULL ? stop : end;
      payload = MIN (stop + 1, end);
      line++;
      if (!is_record (at, (gsize) (stop - at)))
        {
          at = payload;
          continue;
        }
      json = g_strstr_len (at, stop - at, "] {") + 2;
      at = payload;
      while (at < end && *at == '\t')
        {
          const char *next = memchr (at, '\n', (gsize) (end - at));

          at = next != NULL ? next + 1 : end;
          line++;
        }
      if (!json_parser_load_from_data (parser, json, stop - json, NULL) || json_parser_get_root (parser) == NULL
          || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
        {
          broken_line = broken++ == 0 ? own : broken_line;
          continue;
        }
      graph = g_new0 (Graph, 1);
      graph->pass = graph_of (json_node_get_object (json_parser_get_root (parser)));
      graph->compile = compile_of (json_node_get_object (json_parser_get_root (parser)));
      graph->text = payload;
      graph->size = (gsize) (at - payload);
      graph->line = own + 1;
      if (graph->pass == NULL || graph->size == 0)
        graph_free (graph);
      else
        g_ptr_array_add (graphs, graph);
    }
  if (broken > 0)
    ph_source_problem (source, "line %u: %u records are not JSON: the log was cut or changed there; what they say is left out",
                       broken_line, broken);
  return g_steal_pointer (&graphs);
}

static gboolean
is_last (const Graph *graph)
{
  return g_str_equal (graph->pass, "inductor_post_grad_graph") || g_str_equal (graph->pass, "after_post_grad_graph");
}

static gboolean
is_middle (const Graph *graph)
{
  return g_str_has_prefix (graph->pass, "aot_") || g_str_equal (graph->pass, "before_post_grad_graph");
}

/* Returns TRUE if nothing would differ between the models of both. @before: (nullable) */
static gboolean
is_same (const Graph *before, const Graph *graph)
{
  return before != NULL && before->size == graph->size && memcmp (before->text, graph->text, graph->size) == 0
         && is_last (before) == is_last (graph) && is_middle (before) == is_middle (graph);
}

/* Reads the code of an exported program, which ends where its signature begins. */
static PhModel *
read_graph (PhSource *source, const Graph *graph, GHashTable *pairs, GHashTable *between, PhStatements **before,
            GPtrArray **parts, GError **error)
{
  const char *signature = g_strstr_len (graph->text, (gssize) graph->size, "Graph signature:"),
             *head = g_strstr_len (graph->text, (gssize) graph->size, "ExportedProgram:");
  const char *text = graph->text;
  gsize size = signature != NULL ? (gsize) (signature - text) : graph->size;
  guint line = graph->line;
  const gboolean last = is_last (graph), middle = is_middle (graph);
  PhModel *model;

  if (head != NULL && (signature == NULL || head < signature))
    {
      const char *newline = memchr (head, '\n', (gsize) (text + size - head));

      newline = newline != NULL ? newline + 1 : text + size;
      for (const char *p = text; p < newline; p++)
        line += *p == '\n';
      size -= (gsize) (newline - text);
      text = newline;
    }
  /* Where nodes have given origins, the text does not tell all of them. */
  if ((last && g_hash_table_size (pairs) > 0) || (middle && g_hash_table_size (between) + g_hash_table_size (pairs) > 0))
    {
      g_clear_pointer (before, ph_statements_free);
      model = ph_torch_read_fx (source, text, size, line, error);
    }
  else
    model = ph_statements_read (&ph_torch_fx_statements, before, source, text, size, line, parts, error);
  if (model == NULL)
    return NULL;
  PH_FOREACH_NODE (node, model->graph)
    {
      const char *name = node->outputs->len > 0 ? ph_node_output (node, 0)->name : "",
                 *from = middle ? g_hash_table_lookup (between, name) : NULL;

      /* A node that autograd made and Inductor kept has the same name in both graphs. */
      if (from == NULL && (last || middle))
        from = g_hash_table_lookup (pairs, name);
      if (from != NULL)
        {
          g_autoptr (PhAttr) attr = ph_attr_new_string (PH_ATTR_FROM, from);

          if (!ph_node_set_attr (node, PH_ATTR_FROM, attr, error))
            {
              ph_model_free (model);
              return NULL;
            }
        }
    }
  return model;
}
static void
add_part (PhSource *source, const char *name)
{
  if (source->parts == NULL)
    source->parts = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (source->parts, g_strdup (name));
}

static gboolean
is_graph (const Graph *graph)
{
  return g_str_has_suffix (graph->pass, "_graph") || g_str_equal (graph->pass, "exported_program");
}

/* Chooses the compilation to show: the requested one, else the first with the most graphs. Returns NULL with @error if there is none. */
static const char *
choose (PhSource *source, GPtrArray *graphs, GError **error)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GString) others = g_string_new (NULL);
  const char *best = NULL;
  guint most = 0;

  for (guint i = 0; i < graphs->len; i++)
    {
      const Graph *graph = graphs->pdata[i];

      if (is_graph (graph))
        g_hash_table_insert (counts, graph->compile,
                             GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, graph->compile)) + 1));
    }
  for (guint i = 0; i < graphs->len; i++)
    {
      const char *compile = ((Graph *) graphs->pdata[i])->compile;
      const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, compile));

      if (source->part != NULL ? n > 0 && best == NULL && g_str_equal (compile, source->part) : n > most)
        {
          best = compile;
          most = n;
        }
    }
  for (guint i = 0; i < graphs->len; i++)
    {
      const char *compile = ((Graph *) graphs->pdata[i])->compile;

      if (*compile != '\0' && g_hash_table_contains (counts, compile))
        add_part (source, compile);
      if (g_hash_table_remove (counts, compile) && compile != best && g_strcmp0 (compile, best) != 0 && others->len < 200)
        g_string_append_printf (others, "%s%s", others->len > 0 ? ", " : "", *compile != '\0' ? compile : "one without a number");
    }
  if (best == NULL && source->part != NULL)
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "no compilation '%s' in it has a graph; these have: %s", source->part,
                    others->str);
  else if (best == NULL)
    ph_source_fail (
        source, error, PH_ERROR_FILE, NULL,
        "the log holds no graph that is read: run the program again with TORCH_TRACE=folder, and take the whole file from the folder");
  else if (others->len > 0)
    ph_source_problem (source,
                       "The log holds several compilations; this is %s. For another: open %s/NUMBER, where NUMBER is one of %s",
                       best, source->path, others->str);
  return best;
}

static gboolean
record (PhSource *source, PhRecordFunc each, gpointer data, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (GHashTable) pairs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
                         between = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) graphs = NULL;
  g_autoptr (PhStatements) statements = NULL; /* of the last graph that was read */
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL, *chosen;
  const Graph *before = NULL; /* the last one that was read */
  guint n = 0;

  if (text == NULL)
    return FALSE;
  graphs = read_records (source, text, size);
  chosen = choose (source, graphs, error);
  for (guint i = graphs->len; chosen != NULL && i-- > 0;)
    if (!g_str_equal (((Graph *) graphs->pdata[i])->compile, chosen))
      g_ptr_array_remove_index (graphs, i);
  for (guint i = 0; chosen != NULL && i < graphs->len; i++)
    if (!is_graph (graphs->pdata[i]))
      read_pairs (graphs->pdata[i], pairs, between);
  for (guint i = 0; chosen != NULL && i < graphs->len; i++)
    {
      const Graph *graph = graphs->pdata[i];
      g_autoptr (GError) reason = NULL;
      PhModel *model = NULL;
      GPtrArray *parts = NULL;

      if (g_cancellable_set_error_if_cancelled (source->cancellable, error))
        return FALSE;
      if (!is_graph (graph))
        continue;
      if (!is_same (before, graph) && (model = read_graph (source, graph, pairs, between, &statements, &parts, &reason)) == NULL)
        {
          ph_source_problem (source, "%s is left out: %s", graph->pass, reason->message);
          continue;
        }
      n++;
      before = graph;
      if (!each (graph->pass, model, parts, data, error))
        return FALSE;
    }
  return chosen != NULL
         && (n > 0
             || ph_source_fail (source, error, PH_ERROR_FILE, NULL, "no graph of compilation %s in the log can be read", chosen));
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  return ph_format_read_first (source, record, error);
}

/* clang-format off */
const PhFormat ph_format_torch_trace = {
  .name = "torch-trace", .title = "PyTorch's compilations (TORCH_TRACE)", .patterns = (const char *const[]) { "*.log", "*.txt", NULL },
  .text = TRUE, .probe = probe, .read = read_model, .record = record, .parts = TRUE, .dialect = &ph_dialect_aten,
};
/* clang-format on */
