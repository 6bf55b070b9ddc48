/* source.c: the pane with the file's own text: a selected node's line is marked, a click on a line selects what it made.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gtksourceview/gtksource.h>
#include <string.h>

#include "tests/ui/driver.h"
#include "views/source-pane.h"

static PhSourcePane *
open_pane (const char *file)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", file, NULL);

  driver_open (path);
  ph_window_show_bottom (driver_window (), "source");
  driver_settle ();
  return PH_SOURCE_PANE (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_SOURCE_PANE));
}

static char *
marked_text (PhSourcePane *pane)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW)));
  GtkTextIter from, to;

  if (!gtk_text_buffer_get_iter_at_line (buffer, &from, (int) ph_source_pane_get_line (pane) - 1))
    return g_strdup ("");
  to = from;
  gtk_text_iter_forward_to_line_end (&to);
  g_assert_true (gtk_text_iter_has_tag (&from, gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), "selected")));
  return gtk_text_buffer_get_text (buffer, &from, &to, FALSE);
}

/* Clicks on the first letter of @words, and waits for the selection. */
static void
click_on (PhSourcePane *pane, const char *words)
{
  GtkTextView *view = GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW));
  GtkTextIter from, to;
  GdkRectangle place;
  int x, y;

  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (view), &from);
  g_assert_true (gtk_text_iter_forward_search (&from, words, 0, &from, &to, NULL));
  gtk_text_view_scroll_to_iter (view, &from, 0.1, FALSE, 0, 0);
  driver_settle ();
  gtk_text_view_get_iter_location (view, &from, &place);
  gtk_text_view_buffer_to_window_coords (view, GTK_TEXT_WINDOW_WIDGET, place.x + 2, place.y + place.height / 2, &x, &y);
  driver_click (GTK_WIDGET (view), x, y, 1);
  driver_settle ();
}

/* Line by line: each node's own is marked, and a click there selects it again; a pass keeps the lines. */
static void
test_hlo (void)
{
  PhSourcePane *pane = open_pane ("linear-selu.hlo");
  GtkTextView *view = GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW));
  guint n = 0;

  g_assert_cmpstr (
      gtk_source_language_get_id (gtk_source_buffer_get_language (GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (view)))), ==,
      "hlo");
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    {
      g_autofree char *id = g_strdup_printf ("n%u", node->id), *text = NULL;

      driver_run ("select-node %s", id);
      g_assert_cmpuint (ph_source_pane_get_line (pane), >, 1);
      text = marked_text (pane);
      g_assert_nonnull (strstr (text, node->op_type));
      n++;
    }
  g_assert_cmpuint (n, >, 3);
  driver_run ("select-node");
  g_assert_cmpuint (ph_source_pane_get_line (pane), ==, 0);
  click_on (pane, " add(");
  {
    PhNode *node = ph_model_find_node (ph_document_get_model (driver_document ()),
                                       ph_document_get_selection (driver_document ()));

    g_assert_nonnull (node);
    g_assert_cmpstr (node->op_type, ==, "add");
  }
  driver_run ("run convert-to-onnx");
  {
    PhNode *node = ph_document_get_model (driver_document ())->graph->last;

    driver_run ("select-node n%u", node->id);
    g_assert_nonnull (node->op);
    g_assert_cmpuint (ph_source_pane_get_line (pane), >, 0);
  }
}

/* Another file in its place; one that is no text says so. */
static void
test_others (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-source-XXXXXX", NULL), *path = g_build_filename (folder, "m.onnx", NULL);
  PhSourcePane *pane = open_pane ("seed.mlir");
  GtkTextView *view = GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW));
  GtkTextIter from, to;

  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (view), &from);
  g_assert_true (gtk_text_iter_forward_search (&from, "stablehlo.", 0, &from, &to, NULL));
  driver_run ("save %s", path);
  driver_open (path);
  driver_expect_text (GTK_WIDGET (pane), "is not a text");
  driver_remove (folder);
}

static const char *
language_of (PhSourcePane *pane)
{
  GtkTextView *view = GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW));
  GtkSourceLanguage *language = gtk_source_buffer_get_language (GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (view)));

  return language != NULL ? gtk_source_language_get_id (language) : NULL;
}

/* Each text has its colours, by the name of its file or, where that says nothing, by what it holds. */
static void
test_languages (void)
{
  static const struct
  {
    const char *file, *language;
  } rows[] = {
    { "linear-selu.jaxpr", "jaxpr" }, { "linear-selu.graph", "graph-text" }, { "seed.pbtxt", "pbtxt" }, { "seed.mlir", "mlir" },
    { "registers.ll", "llvm" },
  };
  g_autofree char *folder = g_dir_make_tmp ("peephole-source-XXXXXX", NULL), *path = g_build_filename (folder, "a.txt", NULL);
  const char *text = "{ lambda ; a:f32[]. let b:f32[] = sin a in (b,) }\n";
  PhSourcePane *pane = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      pane = open_pane (rows[i].file);
      g_assert_cmpstr (language_of (pane), ==, rows[i].language);
    }
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  driver_open (path);
  driver_settle ();
  g_assert_cmpstr (language_of (pane), ==, "jaxpr");
  driver_remove (folder);
}

/* A function of a program: its graphs stand beside the program's text, as it was when they were made. */
static void
test_program (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-source-XXXXXX", NULL), *path = g_build_filename (folder, "net.py", NULL);
  const char *text = "def f(x):\n    s = sum(x)\n    if s > 0:\n        s = tanh(s)\n    return x * s\n";
  PhSourcePane *pane;
  PhNode *node;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  pane = open_pane ("seed.mlir");
  driver_run ("source %s", path);
  driver_run ("compile f(array([1.0, 2.0]))");
  driver_settle ();
  g_assert_true (g_file_set_contents (path, "# changed since\n", -1, NULL));
  click_on (pane, "s = sum");
  node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op_type, ==, "ReduceSum");
  PH_FOREACH_NODE (other, ph_document_get_model (driver_document ())->graph)
    if (g_str_equal (other->op_type, "If"))
      {
        g_autofree char *marked = NULL;

        driver_run ("select-node n%u", other->id);
        marked = marked_text (pane);
        g_assert_cmpstr (marked, ==, "    if s > 0:");
      }
  driver_remove (folder);
}

static gboolean
has_op (const char *op_type)
{
  PH_FOREACH_NODE (node, ph_document_get_model (driver_document ())->graph)
    if (g_str_equal (node->op_type, op_type))
      return TRUE;
  return FALSE;
}

static GtkWidget *
button_of (PhSourcePane *pane, const char *label)
{
  GtkWidget *found = driver_find_button (GTK_WIDGET (pane), label);

  g_assert_nonnull (found);
  return found;
}

/* Its buttons are lines of the console; what fails says so beside them. */
static void
test_buttons (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-source-XXXXXX", NULL), *path = g_build_filename (folder, "net.py", NULL);
  const char *text = "def f(x):\n    if sum(x) > 0:\n        x = tanh(x)\n    return x\n\nf(array([1.0, 2.0]))\n";
  PhSourcePane *pane;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  pane = open_pane ("seed.mlir");
  driver_run ("source %s", path);
  driver_run ("compile f");
  driver_settle ();
  g_assert_true (has_op ("If"));
  driver_click_middle (button_of (pane, "Trace"));
  driver_settle ();
  g_assert_false (has_op ("If"));
  driver_click_middle (button_of (pane, "Compile"));
  driver_settle ();
  g_assert_true (has_op ("If"));
  g_assert_true (g_file_set_contents (path, "def f(x):\n    return exp(x)\n\nf(array([1.0, 2.0]))\n", -1, NULL));
  driver_click_middle (button_of (pane, "Run Program"));
  driver_settle ();
  driver_click_middle (button_of (pane, "Compile"));
  driver_settle ();
  g_assert_true (has_op ("Exp"));
  driver_picture ("source-program");
  g_assert_true (g_file_set_contents (path, "def f(x):\n    return exp(x\n", -1, NULL));
  driver_click_middle (button_of (pane, "Run Program"));
  driver_expect_text (GTK_WIDGET (pane), "net.py:");
  driver_remove (folder);
}

static char *
text_of (PhSourcePane *pane)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW)));
  GtkTextIter from, to;

  gtk_text_buffer_get_bounds (buffer, &from, &to);
  return gtk_text_buffer_get_text (buffer, &from, &to, TRUE);
}

/* A program that was read is edited where it stands; lines keep their nodes while one types above them. */
static void
test_editing (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-source-XXXXXX", NULL), *path = g_build_filename (folder, "net.py", NULL);
  g_autofree char *beside = g_strconcat (path, ".edited", NULL), *saved = NULL, *shown = NULL, *kept = NULL, *there = NULL;
  PhSourcePane *pane;
  PhNode *node;

  g_assert_true (g_file_set_contents (path, "def f(x):\n    y = exp(x)\n    return sin(y)\n\nf(array([1.0, 2.0]))\n", -1, NULL));
  pane = open_pane ("seed.mlir");
  driver_run ("source %s", path);
  driver_settle ();
  shown = text_of (pane);
  g_assert_nonnull (strstr (shown, "return sin(y)"));
  click_on (pane, "def f");
  driver_click_middle (button_of (pane, "Compile"));
  driver_settle ();
  g_assert_true (has_op ("Sin"));

  click_on (pane, "def f");
  driver_key ("Home");
  driver_type ("# a line more\n");
  g_assert_true (g_file_get_contents (path, &saved, NULL, NULL));
  g_assert_null (strstr (saved, "a line more"));
  click_on (pane, "return sin");
  node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op_type, ==, "Sin");

  click_on (pane, "y = exp");
  driver_key ("End");
  driver_type (" * 3.0");
  driver_click_middle (button_of (pane, "Compile"));
  driver_settle ();
  g_assert_true (has_op ("Mul"));
  g_clear_pointer (&saved, g_free);
  g_assert_true (g_file_get_contents (path, &saved, NULL, NULL));
  g_assert_nonnull (strstr (saved, "# a line more\ndef f(x):\n    y = exp(x) * 3.0\n"));

  /* The walk stands before the line at the cursor, or at what it made. */
  click_on (pane, "return sin");
  driver_click_middle (button_of (pane, "Run to Line"));
  driver_settle ();
  node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op_type, ==, "Sin");
  g_assert_nonnull (ph_document_get_execution (driver_document (), NULL));

  /* What another program wrote meanwhile is not lost, nor is what was typed. */
  click_on (pane, "# a line");
  driver_key ("End");
  driver_type (" of mine");
  g_assert_true (g_file_set_contents (path, "def f(x):\n    return x\n", -1, NULL));
  driver_click_middle (button_of (pane, "Run Program"));
  driver_expect_text (GTK_WIDGET (pane), "has changed on the disk");
  driver_run ("open %s", g_test_get_filename (G_TEST_DIST, "..", "resources", "examples", "seed.mlir", NULL)); /* away from it */
  driver_settle ();
  g_assert_true (g_file_get_contents (path, &there, NULL, NULL));
  g_assert_true (g_str_has_prefix (there, "def f(x):\n    return x"));
  g_assert_true (g_file_get_contents (beside, &kept, NULL, NULL));
  g_assert_nonnull (strstr (kept, "# a line more of mine"));
  driver_remove (folder);
}

/* The line of a node that was selected before the page was shown is on the screen, also far down. */
static void
test_late (void)
{
  PhSourcePane *pane = open_pane ("seed.pbtxt");
  GtkTextView *view = GTK_TEXT_VIEW (driver_find (GTK_WIDGET (pane), GTK_SOURCE_TYPE_VIEW));
  g_autofree char *path = g_strdup (ph_document_get_path (driver_document ()));
  GdkRectangle seen, place;
  GtkTextIter at;

  driver_run ("view page console");
  driver_open (path);
  driver_run ("select-node Sub");
  driver_run ("view page source");
  driver_settle ();
  g_assert_cmpuint (ph_source_pane_get_line (pane), >, 30);
  g_assert_true (
      gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (view), &at, (int) ph_source_pane_get_line (pane) - 1));
  gtk_text_view_get_iter_location (view, &at, &place);
  gtk_text_view_get_visible_rect (view, &seen);
  g_assert_cmpint (place.y, >=, seen.y);
  g_assert_cmpint (place.y + place.height, <=, seen.y + seen.height);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/source/hlo", test_hlo);
  g_test_add_func ("/source/late", test_late);
  g_test_add_func ("/source/others", test_others);
  g_test_add_func ("/source/languages", test_languages);
  g_test_add_func ("/source/program", test_program);
  g_test_add_func ("/source/buttons", test_buttons);
  g_test_add_func ("/source/editing", test_editing);
  return driver_main ();
}
