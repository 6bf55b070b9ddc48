/* page-facts.c: the data of a page besides the picture: steps, rewrites, and each node's inspector.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <json-glib/json-glib.h>
#include <string.h>

#include "core/draw/page-private.h"
#include "core/graph/where.h"
#include "core/ops/dialect.h"
#include "core/scene/scene-read.h"
#include "core/scene/short-type.h"

#define ELEMENTS 6     /* elements of a constant that are listed  */
#define LONGEST  160   /* bytes of an attribute that are          */
#define REWRITES 20000 /* most rewrites that are listed one by one */

static const char help[]
    = "<h2>This page</h2><p>Each step is a pass of the compiler: what it adds is green with a +, what it removes red with a \u2212, what it changes amber with a ~. Nothing moves.</p>"
      "<dl><dt>\u2190 \u2192</dt><dd>a step back or on</dd><dt>\u2191 \u2193</dt><dd>a rewrite back or on</dd><dt>Home End</dt><dd>the first, the last</dd>"
      "<dt>/</dt><dd>search</dd><dt>c</dt><dd>changes on and off</dd><dt>+ \u2212 f</dt><dd>zoom, fit</dd><dt>t</dt><dd>light or dark</dd></dl>"
      "<p>Choose a node to see what it is and where it comes from.</p>";

typedef struct
{
  GHashTable *index;
  JsonArray *list;
} Words;

static gint64
word_of (Words *words, const char *text)
{
  gpointer known;

  if (text == NULL)
    return -1;
  if (g_hash_table_lookup_extended (words->index, text, NULL, &known))
    return GPOINTER_TO_INT (known);
  {
    g_autofree char *valid = g_utf8_make_valid (text, -1);

    json_array_add_string_element (words->list, valid);
  }
  g_hash_table_insert (words->index, g_strdup (text), GINT_TO_POINTER ((int) json_array_get_length (words->list) - 1));
  return json_array_get_length (words->list) - 1;
}

static void
add_pair (JsonArray *to, Words *words, const char *name, const char *text)
{
  json_array_add_int_element (to, word_of (words, name));
  json_array_add_int_element (to, word_of (words, text));
}

static void
add_values (JsonArray *to, const GPtrArray *values, Words *words)
{
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];
      g_autofree char *text = NULL;

      if (value == NULL || (*value->name == '\0' && value->type == NULL))
        continue;
      if (value->tensor != NULL && ph_tensor_count (value->tensor) <= ELEMENTS)
        text = ph_tensor_to_string (value->tensor, ELEMENTS);
      else
        text = ph_type_to_shown (value->type);
      add_pair (to, words, value->name, text);
    }
}

/* Encodes a node as indices of words, -1 for none: operator, name, source location, summary; then pairs of attributes, of inputs, of
 * outputs. */
static JsonArray *
facts_of (const PhNode *node, Words *words)
{
  JsonArray *facts = json_array_new (), *lists[] = { json_array_new (), json_array_new (), json_array_new () };
  const PhForeignOp *foreign = node->op == NULL ? ph_dialect_find_foreign (node->domain, node->op_type) : NULL;
  g_autofree char *where = node->where != NULL ? ph_where_to_string (node->where, FALSE) : NULL;
  g_autofree char *type = *node->domain != '\0' ? g_strdup_printf ("%s.%s", node->domain, node->op_type)
                                                : g_strdup (node->op_type);

  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      g_autofree char *text = ph_attr_value_to_string (attr), *valid = g_utf8_make_valid (text, -1);

      if (strlen (valid) > LONGEST)
        {
          *g_utf8_find_prev_char (valid, valid + LONGEST) = '\0';
          g_free (text);
          text = g_strconcat (valid, "…", NULL);
        }
      add_pair (lists[0], words, attr->name, text);
    }
  add_values (lists[1], &node->inputs->array, words);
  add_values (lists[2], &node->outputs->array, words);
  json_array_add_int_element (facts, word_of (words, type));
  json_array_add_int_element (facts, word_of (words, *node->name != '\0' ? node->name : NULL));
  json_array_add_int_element (facts, word_of (words, where));
  json_array_add_int_element (facts, word_of (words, node->op != NULL ? node->op->doc : foreign != NULL ? foreign->doc : NULL));
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    json_array_add_array_element (facts, lists[i]);
  return facts;
}

static char *
print_json (JsonObject *object, JsonArray *array)
{
  g_autoptr (JsonNode) root = json_node_alloc ();

  if (object != NULL)
    json_node_init_object (root, object);
  else
    json_node_init_array (root, array);
  return json_to_string (root, FALSE);
}

typedef struct
{
  PhScene *scene;
  JsonObject *nodes;
  GHashTable *last; /* id -> the last text about it, owned */
  Words *words;
} Facts;

/* Records the facts that are new about nodes of @model, which is at @time. */
static void
note_nodes (Facts *self, PhModel *model, int time)
{
  for (guint i = 0; i < model->nodes->len; i++)
    {
      const PhNode *node = model->nodes->pdata[i];
      g_autoptr (JsonArray) facts = NULL;
      g_autofree char *key = NULL, *text = NULL;
      JsonArray *list;
      int pill;

      if (node == NULL || ph_scene_find (self->scene, node->id, &pill) < 0 || pill >= 0)
        continue;
      facts = facts_of (node, self->words);
      text = print_json (NULL, facts);
      if (g_strcmp0 (text, g_hash_table_lookup (self->last, GUINT_TO_POINTER (node->id))) == 0)
        continue;
      g_hash_table_insert (self->last, GUINT_TO_POINTER (node->id), g_steal_pointer (&text));
      json_array_add_int_element (facts, time);
      key = g_strdup_printf ("%u", node->id);
      if (!json_object_has_member (self->nodes, key))
        json_object_set_array_member (self->nodes, key, json_array_new ());
      list = json_object_get_array_member (self->nodes, key);
      json_array_add_array_element (list, g_steal_pointer (&facts));
    }
}

/* Returns the groups with their number of nodes and, for each step where it differs, the changes inside. */
static JsonArray *
groups_of (PhScene *scene, const int *stops, guint n_stops)
{
  JsonArray *groups = json_array_new ();

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, (int) b);
      g_autofree char *last = NULL;
      JsonObject *group;
      JsonArray *states;

      if (box->kind != PH_BOX_GROUP || box->open || !box->shown)
        continue;
      group = json_object_new ();
      states = json_array_new ();
      for (guint s = 0; s < n_stops; s++)
        {
          g_autofree char *text = ph_scene_group_text (scene, (int) b, stops[s]);
          g_autoptr (GString) changes = g_string_new (NULL);
          guint counts[3] = { 0, 0, 0 };
          static const char *const signs[] = { "+", "\u2212", "~" };

          if (s > 0)
            ph_scene_count_changes (scene, (int) b, stops[s - 1], stops[s], &counts[0], &counts[1], &counts[2]);
          for (guint c = 0; c < 3; c++)
            if (counts[c] > 0)
              g_string_append_printf (changes, "%s%s%u", changes->len > 0 ? " " : "", signs[c], counts[c]);
          if (g_strcmp0 (text, last) == 0 && changes->len == 0)
            continue;
          {
            JsonArray *state = json_array_new ();

            json_array_add_int_element (state, stops[s]);
            json_array_add_string_element (state, text);
            json_array_add_string_element (state, changes->str);
            json_array_add_array_element (states, state);
          }
          g_free (last);
          last = g_steal_pointer (&text);
        }
      json_object_set_int_member (group, "k", b);
      json_object_set_array_member (group, "s", states);
      json_array_add_object_element (groups, group);
    }
  return groups;
}

static JsonArray *
steps_of (PhHistory *history, int first, int last, GArray *stops)
{
  JsonArray *steps = json_array_new ();

  g_array_append_val (stops, first);
  for (guint s = 0; history != NULL && s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      const int end = (int) (step->first_rewrite + step->n_rewrites);
      g_autofree char *pass = g_utf8_make_valid (step->pass, -1);
      JsonObject *row;

      if ((int) step->first_rewrite >= last || end <= first)
        continue;
      row = json_object_new ();
      json_object_set_int_member (row, "k", s + 1);
      json_object_set_string_member (row, "p", pass);
      json_object_set_int_member (row, "t", end);
      json_object_set_int_member (row, "n", step->n_rewrites);
      json_array_add_object_element (steps, row);
      if (end <= last && step->n_rewrites > 0)
        g_array_append_val (stops, end);
    }
  return steps;
}

static JsonArray *
rewrites_of (PhHistory *history, int base, int last, Words *words)
{
  JsonArray *rewrites = json_array_new ();

  for (int r = base; history != NULL && r < MIN (last, base + REWRITES); r++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, r);
      JsonArray *row = json_array_new ();

      json_array_add_int_element (row, word_of (words, rewrite->rule));
      json_array_add_int_element (row, word_of (words, rewrite->why != NULL ? rewrite->why : ""));
      json_array_add_int_element (row, rewrite->node);
      json_array_add_array_element (rewrites, row);
    }
  return rewrites;
}

/* Returns the first rewrite of the step that contains @time. */
static int
start_of_step (PhHistory *history, int time)
{
  for (guint s = 0; history != NULL && s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);

      if ((int) step->first_rewrite <= time && time < (int) (step->first_rewrite + step->n_rewrites))
        return (int) step->first_rewrite;
    }
  return time;
}

void
ph_page_add_facts (GString *out, const PhPageOptions *options, PhScene *scene, int first, int last, const char *ends)
{
  PhHistory *history = options->history;
  JsonObject *all = json_object_new ();
  g_autoptr (JsonObject) owned = all;
  g_autoptr (GArray) stops = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GHashTable) index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                         told = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Words words = { index, json_array_new () };
  Facts facts = { scene, json_object_new (), told, &words };
  const int base = start_of_step (history, first);
  g_autofree char *text = NULL;

  json_object_set_int_member (all, "first", first);
  json_object_set_int_member (all, "last", last);
  json_object_set_int_member (all, "base", base);
  json_object_set_int_member (all, "count", history != NULL ? history->steps->len : 0);
  json_object_set_double_member (all, "width", ph_scene_width (scene));
  json_object_set_double_member (all, "height", ph_scene_height (scene));
  json_object_set_string_member (all, "help", help);
  json_object_set_array_member (all, "steps", steps_of (history, first, last, stops));
  json_object_set_array_member (all, "rewrites", rewrites_of (history, base, last, &words));
  json_object_set_array_member (all, "groups", groups_of (scene, (const int *) (gpointer) stops->data, stops->len));
  if (history == NULL)
    note_nodes (&facts, options->model, 0);
  else
    {
      const PhPosition was = history->position;

      for (guint s = 0; s <= history->steps->len; s++)
        {
          const PhPosition at = { s, 0 };
          const int time = ph_scene_time (history, at);

          if ((s > 0 && g_array_index (history->steps, PhStep, s - 1).n_rewrites == 0) || time > last)
            continue;
          /* The facts at the first position come from the last one before it. */
          if (s < history->steps->len && ph_scene_time (history, (PhPosition) { s + 1, 0 }) <= first)
            continue;
          if (ph_history_go (history, options->model, at, NULL))
            note_nodes (&facts, options->model, time);
        }
      ph_history_go (history, options->model, was, NULL);
    }
  json_object_set_object_member (all, "nodes", facts.nodes);
  json_object_set_array_member (all, "words", words.list);
  text = print_json (all, NULL);
  {
    /* Escapes "</script>" in text of the model, which would end the script. */
    g_autoptr (GString) safe = g_string_new (text);

    g_string_replace (safe, "<", "\\u003c", 0);
    g_string_truncate (safe, safe->len - 1);
    g_string_append_printf (out, "%s,\"slots\":%s}", safe->str, ends);
  }
}

void
ph_page_add_steps (GString *out, PhHistory *history, int first, int last)
{
  g_string_append_printf (out, "<li data-k=\"0\" data-t=\"%d\"><span>%s</span><span></span></li>\n", first,
                          first == 0 ? "the file" : "the start");
  for (guint s = 0; history != NULL && s < history->steps->len; s++)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, s);
      const int end = (int) (step->first_rewrite + step->n_rewrites);
      g_autoptr (GString) counts = g_string_new (NULL);

      if ((int) step->first_rewrite < first || end > last)
        continue;
      if (step->n_added > 0)
        g_string_append_printf (counts, "+%u ", step->n_added);
      if (step->n_removed > 0)
        g_string_append_printf (counts, "\u2212%u ", step->n_removed);
      if (step->n_changed > 0)
        g_string_append_printf (counts, "~%u", step->n_changed);
      g_string_append_printf (out, "<li%s data-k=\"%u\" data-t=\"%d\"><span>", step->n_rewrites == 0 ? " class=\"idle\"" : "",
                              s + 1, end);
      ph_page_append_text (out, step->pass);
      g_string_append_printf (out, "</span><span>%s</span></li>\n",
                              step->n_rewrites == 0 ? "no change" : g_strstrip (counts->str));
    }
}
