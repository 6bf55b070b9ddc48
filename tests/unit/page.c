/* page.c: a history as a page: everything is in it, each part is there at its times, and a model's texts stay texts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "session.h"

static const char model[] = "<\n ir_version: 8,\n opset_import: [\"\" : 17]\n>\n"
                            "g (float[2,3] x, float[2,3] z) => (float[2,3] y)\n{\n"
                            "  a = Identity (x)\n  b = Add (a, z)\n  c = Add (a, z)\n  d = Mul (b, c)\n"
                            "  [\"</script><img src=q onerror=p>\"] e = Relu (d)\n  y = Softmax (e)\n}\n";

/* A card of the page: whose it is, and when it is there. */
typedef struct
{
  guint id;
  int born, died;
  gboolean hidden;
} Card;

typedef struct
{
  GArray *cards;
  GString *stack;
  guint n_elements;
} Reader;

static void
start_element (GMarkupParseContext *context, const char *element, const char **names, const char **values, gpointer data,
               GError **error)
{
  Reader *reader = data;
  Card card = { 0, 0, G_MAXINT, FALSE };
  gboolean is_card = FALSE;

  reader->n_elements++;
  for (guint i = 0; names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], "class"))
        {
          g_auto (GStrv) classes = g_strsplit (values[i], " ", -1);

          is_card = g_strv_contains ((const char *const *) classes, "c");
          card.hidden = g_strv_contains ((const char *const *) classes, "off");
        }
      else if (g_str_equal (names[i], "data-i"))
        card.id = values[i][0] == 'y' ? PH_NO_ID
                                      : (guint) g_ascii_strtoull (values[i], NULL, 10); /* "y3": an output, which has no number */
      else if (g_str_equal (names[i], "data-b"))
        card.born = (int) g_ascii_strtoll (values[i], NULL, 10);
      else if (g_str_equal (names[i], "data-d"))
        card.died = (int) g_ascii_strtoll (values[i], NULL, 10);
      g_assert_false (g_str_equal (names[i], "src"));
      g_assert_false (g_str_has_prefix (names[i], "on"));
      g_assert_true (!g_str_equal (names[i], "href") || values[i][0] == '#');
    }
  if (is_card)
    g_array_append_val (reader->cards, card);
}

/* The picture in it, which is well-formed XML. (transfer full) */
static GArray *
read_cards (const char *page)
{
  const GMarkupParser parser = { .start_element = start_element };
  Reader reader = { .cards = g_array_new (FALSE, FALSE, sizeof (Card)) };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &reader, NULL);
  g_autoptr (GError) error = NULL;
  const char *start = strstr (page, "<svg id=\"picture\""), *end = start != NULL ? strstr (start, "</svg>") : NULL;

  g_assert_nonnull (end);
  g_markup_parse_context_parse (context, start, end + strlen ("</svg>") - start, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (reader.n_elements, >, 20);
  return reader.cards;
}

static JsonObject *
read_facts (const char *page)
{
  const char *start = strstr (page, "id=\"data\">") + strlen ("id=\"data\">"), *end = strstr (start, "</script>");
  g_autofree char *text = g_strndup (start, end - start);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (strchr (text, '<'));
  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

static char *
render (Session *session, const char *arguments)
{
  g_autofree char *path = in_folder ("page.html"), *page = NULL;
  g_autoptr (GError) error = NULL;

  TELL (session, "render %s%s", path, arguments);
  g_file_get_contents (path, &page, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  return g_steal_pointer (&page);
}

static gboolean
is_there (GArray *cards, guint id, int time)
{
  guint n = 0;

  for (guint i = 0; i < cards->len; i++)
    {
      const Card *card = &g_array_index (cards, Card, i);

      n += card->id == id && card->born <= time && time < card->died;
    }
  g_assert_cmpuint (n, <=, 1);
  return n == 1;
}

static void
start (Session *session)
{
  open_text (session, model);
  TELL (session, "run eliminate-identity cse strength-reduction");
}

/* At each position the page shows the nodes that the model has there. */
static void
test_times (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *page = NULL;
  g_autoptr (GArray) cards = NULL;
  PhHistory *history;
  int end;

  session_init (&session);
  start (&session);
  page = render (&session, "");
  cards = read_cards (page);
  history = ph_document_get_history (session.document);
  g_assert_cmpuint (history->steps->len, >=, 3);
  end = (int) history->rewrites->len;
  for (guint step = 0; step <= history->steps->len; step++)
    {
      const int time = step == history->steps->len ? end : (int) g_array_index (history->steps, PhStep, step).first_rewrite;
      PhModel *at;
      guint n = 0;

      TELL (&session, "goto %u", step);
      at = ph_document_get_model (session.document);
      for (guint id = 1; id < at->nodes->len; id++)
        {
          if (id < at->values->len && at->values->pdata[id] != NULL)
            continue; /* inputs have cards too */
          g_assert_cmpint (is_there (cards, id, time), ==, at->nodes->pdata[id] != NULL);
          n += at->nodes->pdata[id] != NULL;
        }
      g_assert_cmpuint (n, >, 0);
    }
  /* Without JavaScript: what is there at the end, and nothing else. */
  for (guint i = 0; i < cards->len; i++)
    {
      const Card *card = &g_array_index (cards, Card, i);

      g_assert_cmpint (card->hidden, ==, !(card->born <= end && end < card->died));
    }
}

/* The texts of a model are shown, and do nothing. */
static void
test_texts (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *page = NULL;
  g_autoptr (JsonObject) facts = NULL;

  session_init (&session);
  start (&session);
  page = render (&session, "");
  g_assert_null (strstr (page, "<img"));
  g_assert_false (g_regex_match_simple ("<[a-z]+[^<>]*\\ssrc=", page, 0, 0));
  g_assert_null (strstr (page, "<link"));
  g_assert_null (strstr (page, "@import"));
  /* The one address is the name of SVG. */
  for (const char *at = page; (at = strstr (at, "http")) != NULL; at += 4)
    g_assert_true (g_str_has_prefix (at, "http://www.w3.org/2000/svg"));
  facts = read_facts (page);
  {
    JsonArray *words = json_object_get_array_member (facts, "words");
    gboolean found = FALSE;

    for (guint i = 0; i < json_array_get_length (words) && !found; i++)
      found = g_str_equal (json_array_get_string_element (words, i), "</script><img src=q onerror=p>");
    g_assert_true (found);
  }
}

/* Steps with what they did; rewrites with their rule and the node; what is known of each node. */
static void
test_facts (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *page = NULL;
  g_autoptr (JsonObject) facts = NULL;
  PhHistory *history;
  JsonArray *steps, *rewrites, *words;

  session_init (&session);
  start (&session);
  page = render (&session, "");
  facts = read_facts (page);
  history = ph_document_get_history (session.document);
  steps = json_object_get_array_member (facts, "steps");
  rewrites = json_object_get_array_member (facts, "rewrites");
  words = json_object_get_array_member (facts, "words");
  g_assert_cmpuint (json_array_get_length (rewrites), ==, history->rewrites->len);
  for (guint i = 0; i < history->rewrites->len; i++)
    {
      const PhRewrite *rewrite = &g_array_index (history->rewrites, PhRewrite, i);
      JsonArray *row = json_array_get_array_element (rewrites, i);

      g_assert_cmpstr (json_array_get_string_element (words, (guint) json_array_get_int_element (row, 0)), ==, rewrite->rule);
      g_assert_cmpint (json_array_get_int_element (row, 2), ==, rewrite->node);
    }
  for (guint i = 0, k = 0; i < json_array_get_length (steps); i++)
    {
      JsonObject *step = json_array_get_object_element (steps, i);
      const PhStep *known;

      k = (guint) json_object_get_int_member (step, "k");
      known = &g_array_index (history->steps, PhStep, k - 1);
      g_assert_cmpstr (json_object_get_string_member (step, "p"), ==, known->pass);
      g_assert_cmpint (json_object_get_int_member (step, "t"), ==, known->first_rewrite + known->n_rewrites);
    }
  {
    /* The node that eliminate-identity removed is explained too. */
    JsonObject *nodes = json_object_get_object_member (facts, "nodes");
    g_autoptr (GList) names = json_object_get_members (nodes);
    gboolean found = FALSE;

    for (GList *l = names; l != NULL; l = l->next)
      {
        JsonArray *first = json_array_get_array_element (json_object_get_array_member (nodes, l->data), 0);

        found |= g_str_equal (json_array_get_string_element (words, (guint) json_array_get_int_element (first, 0)), "Identity");
      }
    g_assert_true (found);
  }
}

/* A range has nothing of what was before it or came after. */
static void
test_range (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *page = NULL, *wrong = NULL, *path = in_folder ("x.html");
  g_autoptr (GArray) cards = NULL;
  g_autoptr (JsonObject) facts = NULL;

  session_init (&session);
  start (&session);
  page = render (&session, " 1 2");
  cards = read_cards (page);
  facts = read_facts (page);
  g_assert_cmpint (json_object_get_int_member (facts, "first"), ==, 1);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (facts, "steps")), ==, 1);
  for (guint i = 0; i < cards->len; i++)
    {
      const Card *card = &g_array_index (cards, Card, i);

      g_assert_true (card->died > 1 && card->born <= json_object_get_int_member (facts, "last"));
    }
  wrong = ask (&session, FALSE, "render %s 2 1", path);
  g_assert_nonnull (strstr (wrong, "earlier"));
  g_clear_pointer (&wrong, g_free);
  wrong = ask (&session, FALSE, "render %s --diff", path);
  g_assert_nonnull (strstr (wrong, "--diff"));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* A model that nothing was done to is a page too. */
static void
test_no_history (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *page = NULL;
  g_autoptr (GArray) cards = NULL;

  session_init (&session);
  open_text (&session, model);
  page = render (&session, "");
  cards = read_cards (page);
  for (guint i = 0; i < cards->len; i++)
    g_assert_false (g_array_index (cards, Card, i).hidden);
  g_assert_cmpuint (cards->len, ==, 6 + 3); /* operators; inputs and output */
}

int
main (int argc, char **argv)
{
  session_test_init (&argc, &argv);
  g_test_add_func ("/page/times", test_times);
  g_test_add_func ("/page/texts", test_texts);
  g_test_add_func ("/page/facts", test_facts);
  g_test_add_func ("/page/range", test_range);
  g_test_add_func ("/page/no-history", test_no_history);
  return session_test_run ();
}
