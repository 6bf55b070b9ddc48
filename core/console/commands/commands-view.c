/* commands-view.c: view: the settings of the picture, also set by the window's menus and used by `render`.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/other-code.h"
#include "core/console/reply-table.h"
#include "core/nearest.h"
#include "core/number.h"

char **
ph_view_names (const char *name)
{
  g_autoptr (GStrvBuilder) out = g_strv_builder_new ();
  PhViewField field;

  for (guint i = 0; name == NULL && i < PH_N_VIEW_FIELDS; i++)
    g_strv_builder_add (out, ph_view_row (i)->name);
  if (name != NULL && ph_view_find (name, &field))
    {
      for (const PhViewWord *word = ph_view_row (field)->words; word->word != NULL; word++)
        g_strv_builder_add (out, word->word);
      g_strv_builder_add (out, "default");
    }
  return g_strv_builder_end (out);
}

static void
say_field (PhCall *call, PhViewField field)
{
  PhViewState *view = ph_document_get_view (call->document);
  const PhViewRow *row = ph_view_row (field);
  JsonObject *object = ph_json_add_object (json_object_get_array_member (call->reply->json, "view"));
  g_autofree char *value = ph_view_state_text (view, field);
  g_autoptr (GString) words = g_string_new (NULL);

  for (const PhViewWord *word = row->words; word->word != NULL; word++)
    g_string_append_printf (words, "%s%s", words->len > 0 ? " " : "", word->word);
  if (row->more != NULL)
    g_string_append_printf (words, " %s", row->more);
  ph_json_set (object, "field", row->name);
  ph_json_set (object, "value", value);
  ph_json_set (object, "default", row->words[0].word);
  ph_json_set (object, "words", words->str);
  ph_json_set (object, "summary", row->summary);
}

static gboolean
find_field (PhCall *call, PhViewField *field, GError **error)
{
  g_auto (GStrv) names = NULL;
  const char *nearest;

  if (ph_view_find (call->argv[0], field))
    return TRUE;
  names = ph_view_names (NULL);
  nearest = ph_nearest (call->argv[0], (const char *const *) names, PH_N_VIEW_FIELDS);
  if (nearest != NULL)
    return ph_call_usage (call, error, "a view has no '%s'; did you mean '%s'?", call->argv[0], nearest);
  return ph_call_usage (call, error, "a view has no '%s': `view` lists what it has", call->argv[0]);
}

/* A requested value is not repeated, and neither is the window's current viewport. */
static void
say_value (PhCall *call, PhViewField field, const char *value)
{
  g_autofree char *asked = g_strjoinv (" ", call->argv + 1);

  if (field != PH_VIEW_ZOOM && !g_str_equal (value, asked))
    ph_reply_say (call->reply, "%s: %s\n", ph_view_row (field)->name, value);
}

static gboolean
view_begin (PhCall *call, GError **error)
{
  static const PhColumn columns[] = { { "field", "FIELD", .style = PH_STYLE_KEY },
                                      { "value", "VALUE" },
                                      { "words", "CAN BE", .minor = TRUE, .sentence = TRUE },
                                      { "summary", "IS", .sentence = TRUE } };
  PhViewState *view = ph_document_get_view (call->document);
  JsonArray *rows = ph_reply_array (call->reply, "view");
  PhViewField field = PH_N_VIEW_FIELDS;

  if (call->argc == 1 && g_str_equal (call->argv[0], "default"))
    {
      static const char *const words[] = { "default", NULL };

      for (guint i = 0; i < PH_N_VIEW_FIELDS; i++)
        if (!ph_view_state_is_default (view, i) && (i != PH_VIEW_ZOOM || ph_document_is_open (call->document)))
          ph_view_state_set (view, i, words, NULL);
    }
  else if (call->argc > 0 && !find_field (call, &field, error))
    return FALSE;
  if (call->argc > 1 && !ph_view_state_set (view, field, (const char *const *) call->argv + 1, error))
    return FALSE;
  for (guint i = 0; i < PH_N_VIEW_FIELDS; i++)
    if (field == PH_N_VIEW_FIELDS || field == i)
      say_field (call, i);
  if (call->argc > 1)
    say_value (call, field, json_object_get_string_member (json_array_get_object_element (rows, 0), "value"));
  else
    ph_reply_table (call->reply, rows, columns, G_N_ELEMENTS (columns));
  if (call->argc > 1 && field == PH_VIEW_COLOR && !ph_view_state_knows_color (view))
    ph_reply_say (call->reply, "nothing is known of it yet: %s\n",
                  ph_view_state_get (view, field) == PH_COLOR_ERROR   ? "`along` compares the values of two positions"
                  : ph_view_state_get (view, field) == PH_COLOR_QUERY ? "`view color query SQL` asks"
                                                                      : "`profile` measures");
  return TRUE;
}

/* view color query */

/* "n42" and 42 are both node 42. */
static PhId
node_of (JsonNode *cell)
{
  if (!JSON_NODE_HOLDS_VALUE (cell))
    return PH_NO_ID;
  if (json_node_get_value_type (cell) == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (cell);

      return (PhId) g_ascii_strtoull (*text == 'n' ? text + 1 : text, NULL, 10);
    }
  return (PhId) json_node_get_int (cell);
}

/* Reads colours from the result of a query: a node in the first column, a number or name in the second. */
static PhMeasure *
measure_of (JsonObject *answer, const char *title, GError **error)
{
  JsonArray *columns = json_object_has_member (answer, "columns") ? json_object_get_array_member (answer, "columns") : NULL;
  JsonArray *rows = json_object_has_member (answer, "rows") ? json_object_get_array_member (answer, "rows") : NULL;
  g_autoptr (GHashTable) numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  gboolean is_number = TRUE;

  if (columns == NULL || rows == NULL || json_array_get_length (columns) < 2)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "A query for colours has two columns: the node's id, and a number or a name");
      return NULL;
    }
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonArray *row = json_array_get_array_element (rows, i);
      JsonNode *cell = json_array_get_element (row, 1);
      const gpointer id = GUINT_TO_POINTER (node_of (json_array_get_element (row, 0)));

      if (id == NULL || !JSON_NODE_HOLDS_VALUE (cell))
        continue;
      if (json_node_get_value_type (cell) == G_TYPE_STRING)
        {
          is_number = FALSE;
          g_hash_table_replace (names, id, json_node_dup_string (cell));
          continue;
        }

      double *number = g_new (double, 1);

      *number = json_node_get_double (cell);
      g_hash_table_replace (numbers, id, number);
      g_hash_table_replace (names, id, ph_number_to_string ("%g", *number));
    }
  if (g_hash_table_size (names) == 0)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_NOT_FOUND, "The query found no nodes: its first column must be their id");
      return NULL;
    }
  return is_number ? ph_measure_new_numbers (PH_COLOR_QUERY, title, "", g_steal_pointer (&numbers))
                   : ph_measure_new_names (PH_COLOR_QUERY, title, g_steal_pointer (&names));
}

/* Returns the query as typed: SQL that contains a > must be one quoted word. (transfer full) */
static char *
query_text (PhCall *call)
{
  return g_strjoinv (" ", call->argv);
}

/* An argument that is not a query is an expression for each row of the table nodes. */
static gboolean
query_begin (PhCall *call, GError **error)
{
  static const char *const alone[] = { "query", NULL };
  const char *text = call->argc == 1 ? call->argv[0] : call->rest;
  char *line;

  if (call->argc == 0)
    return ph_view_state_set (ph_document_get_view (call->document), PH_VIEW_COLOR, alone, error);
  if (!ph_call_need_open (call, error))
    return FALSE;
  if (g_ascii_strncasecmp (text, "select", 6) == 0 || g_ascii_strncasecmp (text, "with", 4) == 0)
    line = g_strdup (text);
  else
    line = g_strdup_printf ("select id, %s from nodes", text);
  g_free (call->line);
  call->rest = call->line = line;
  return ph_sql_begin (call, error);
}

static gboolean
query_work (PhCall *call, GError **error)
{
  return call->argc == 0 || ph_sql_work (call, error);
}

static gboolean
query_finish (PhCall *call, GError **error)
{
  g_autofree char *text = query_text (call);
  g_autoptr (PhMeasure) measure = NULL;

  if (call->argc == 0)
    return TRUE;
  measure = measure_of (call->reply->json, text, error);
  if (measure != NULL)
    ph_view_state_set_query (ph_document_get_view (call->document), text, measure);
  return measure != NULL;
}

/* layout */

static gboolean
layout_begin (PhCall *call, GError **error)
{
  PhViewState *view = ph_document_get_view (call->document);
  JsonArray *engines = ph_reply_array (call->reply, "engines");
  PhLayoutEngine engine;

  if (!ph_call_need_args (call, 0, 2, error))
    return FALSE;
  for (guint i = 0; i < call->argc; i++)
    if (!ph_layout_engine_find (call->argv[i], &engine) && strcmp (call->argv[i], "right") != 0
        && strcmp (call->argv[i], "down") != 0)
      return ph_call_usage (
          call, error,
          "'%s' lays out no pictures: say best, dot, layered, neato, fdp, sfdp, circo, twopi or osage; and down or right",
          call->argv[i]);
  for (guint i = 0; i < call->argc; i++)
    ph_view_state_set (view, ph_layout_engine_find (call->argv[i], &engine) ? PH_VIEW_LAYOUT : PH_VIEW_DIRECTION,
                       (const char *[]) { call->argv[i], NULL }, NULL);
  engine = ph_view_state_get (view, PH_VIEW_LAYOUT);
  for (PhLayoutEngine each = PH_LAYOUT_BEST; each < PH_N_LAYOUT_ENGINES; each++)
    json_array_add_string_element (engines, ph_layout_engine_name (each));
  ph_json_set (call->reply->json, "layout", ph_layout_engine_name (engine));
  ph_json_set (call->reply->json, "direction", ph_view_state_get (view, PH_VIEW_DIRECTION) == 1 ? "right" : "down");
  ph_reply_say (call->reply, "pictures are laid out by %s%s\n",
                engine == PH_LAYOUT_BEST      ? "dot, or by the layered engine where that does better"
                : engine == PH_LAYOUT_LAYERED ? "the layered engine"
                                              : ph_layout_engine_name (engine),
                ph_view_state_get (view, PH_VIEW_DIRECTION) == 1 ? ", from left to right" : "");
  return TRUE;
}

static const PhCommand rows[] = {
  { "view", "[FIELD [LOOK...]]", N_ ("Show or change how the picture is seen: form, colours, groups, part, zoom"),
    "`view` lists all fields with what they can be, `view color` says one, `view color cost` sets it, `view default` sets all back. "
    "`view part around n12 3` shows only what lies three steps around a node, `view part paths n3 n12` what lies between two, `view part touched` what the "
    "present step changed; `view open +layers.0` opens a group. The menus and keys of the window are such lines, sessions keep them, and `render` "
    "draws by them: what was set by hand can be saved as a script and drawn again.",
    NULL, NULL, NULL, PH_CODE (view_begin) },
  { "view color query", "[SQL]", N_ ("Colour the nodes by the answer to a query"),
    "The first column is a node's id, the second a number or a name: `view color query select id, flops from nodes`; or only the second: "
    "`view color query device`.",
    NULL, NULL, NULL, PH_CODE (query_begin, query_work, query_finish) },
  { "layout", "[ENGINE] [DIRECTION]", N_ ("Show or choose who lays out the picture"),
    "best: Graphviz's dot where its picture is not clearly worse than that of the layered engine and there in time; dot or layered: always "
    "that one; neato, fdp, sfdp, circo, twopi, osage: Graphviz's other engines. What Graphviz cannot lay out the layered engine does. "
    "down: from top to bottom; right: from left to right. `view layout` and `view direction` say the same. "
    "`render` draws with it, and its --json reply says who drew, in what time, and how many lines cross or run over boxes.",
    NULL, NULL, NULL, PH_CODE (layout_begin) },
};

const PhCommandGroup ph_commands_view = { rows, G_N_ELEMENTS (rows) };
