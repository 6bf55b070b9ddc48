/* replies.c: what somebody asked for is where he looks: an answer in words opens the console, a key works in the console too, an input has
 * its page, the list of rewrites lies still under the pointer, and numbers are the same in every country.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <string.h>
#include <sys/wait.h>

#include "app/palette.h"
#include "tests/ui/driver.h"
#include "views/console-pane.h"
#include "views/inspector.h"
#include "views/rewrite-row.h"

static char *program;

static GtkWidget *
find (GType type)
{
  return driver_find (GTK_WIDGET (driver_window ()), type);
}

static gboolean
ends_with (gpointer line)
{
  return g_str_has_prefix (driver_last_line (), line);
}

/* --- answers --------------------------------------------------------------------------------------------------------------- */

static void
test_answers (void)
{
  static const struct
  {
    const char *keys, *line;
  } asked[] = { { "F1", "why" }, { "ctrl+i", "info" }, { "ctrl+shift+v", "verify" } };

  driver_open_example ("seed", NULL);
  ph_document_set_selection (driver_document (), ((PhNode *) ph_document_get_model (driver_document ())->graph->first)->id);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      driver_look ("view bottom off");
      driver_settle ();
      gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
      driver_key (asked[i].keys);
      driver_wait (ends_with, (gpointer) asked[i].line, 20, asked[i].keys);
      if (!gtk_widget_get_mapped (find (PH_TYPE_CONSOLE_PANE)))
        g_error ("%s answers where nobody sees it", asked[i].keys);
    }
  /* Nor behind another page. */
  ph_window_show_bottom (driver_window (), "text");
  driver_settle ();
  g_assert_false (gtk_widget_get_mapped (find (PH_TYPE_CONSOLE_PANE)));
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_key ("F1");
  g_assert_true (gtk_widget_get_mapped (find (PH_TYPE_CONSOLE_PANE)));
}

/* Readline has Ctrl+E and Ctrl+D; these do the same from wherever the keyboard is. */
static void
test_in_console (void)
{
  driver_open_example ("seed", "none");
  driver_run ("feed x1 2");
  driver_run ("feed x2 5");
  driver_key ("F12");
  driver_key ("F4");
  g_assert_cmpstr (driver_last_line (), ==, "eval");
  driver_key ("shift+F4");
  driver_wait (ends_with, (gpointer) "grad y", 20, "shift+F4");
  driver_key ("shift+F1");
  driver_wait (ends_with, (gpointer) "info", 20, "shift+F1");
}

/* --- an input of the graph -------------------------------------------------------------------------------------------------- */

static void
test_input (void)
{
  graphene_rect_t rect;

  driver_open_example ("seed", "none");
  const PhValue *input = ph_document_get_model (driver_document ())->graph->inputs->pdata[0];
  ph_graph_canvas_fit (driver_canvas ());
  driver_settle ();
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), input->id, &rect));
  driver_click (GTK_WIDGET (driver_canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, input->id);
  driver_expect_text (find (PH_TYPE_INSPECTOR), "Read By");
  g_assert_false (driver_has_text (find (PH_TYPE_INSPECTOR), "Not in the graph"));
  g_assert_true (driver_has_text (find (PH_TYPE_INSPECTOR), input->name));
  /* It is no page on top of another one. */
  g_assert_false (gtk_widget_get_visible (driver_find_named (find (PH_TYPE_INSPECTOR), "back")));
}

static GtkWidget *
find_entry (GtkWidget *root, const char *placeholder)
{
  if (GTK_IS_ENTRY (root) && gtk_widget_get_mapped (root)
      && g_strcmp0 (gtk_entry_get_placeholder_text (GTK_ENTRY (root)), placeholder) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_entry (child, placeholder);
      if (found)
        return found;
    }
  return NULL;
}

static gboolean
has_entry (gpointer placeholder)
{
  return find_entry (find (PH_TYPE_INSPECTOR), placeholder) != NULL;
}

static gboolean
has_no_entry (gpointer placeholder)
{
  return !has_entry (placeholder);
}

static void
type_into (const char *placeholder, const char *text)
{
  driver_wait (has_entry, (gpointer) placeholder, 30, placeholder);
  GtkWidget *entry = find_entry (find (PH_TYPE_INSPECTOR), placeholder);

  gtk_widget_grab_focus (entry);
  driver_type (text);
}

static gboolean
has_popover (gpointer type)
{
  GtkWidget *popover = driver_find (GTK_WIDGET (driver_window ()), (GType) GPOINTER_TO_SIZE (type));

  return popover && gtk_widget_get_mapped (popover);
}

/* Types the size behind the line that the console shows. */
static void
expect_asked (const char *size, const char *line, const char *expected)
{
  driver_settle ();
  driver_type (size);
  driver_expect_line (line);

  const PhValue *input = ph_document_get_model (driver_document ())->graph->inputs->pdata[0];
  g_autofree char *type = ph_type_to_string (input->type);
  g_assert_cmpstr (type, ==, expected);
}

/* A dimension gets its size by the palette; the reason of the rewrite says which. */
static void
test_dimension (void)
{
  driver_open_example ("mlp", "none");
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_key ("ctrl+k");
  driver_wait (has_popover, GSIZE_TO_POINTER (PH_TYPE_PALETTE), 20, "the palette is there");
  driver_type ("fix a dim\n");
  expect_asked ("8\n", "run bind-dimensions batch=8", "float[8,4]");
  driver_run ("rewrites");
  g_assert_nonnull (strstr (driver_last_text (), "batch is 8. "));
}

/* A value, or the size of a dimension, is typed where the input is looked at. */
static void
test_typed (void)
{
  driver_open_example ("mlp", "none");
  const PhValue *input = ph_document_get_model (driver_document ())->graph->inputs->pdata[0];
  ph_document_set_selection (driver_document (), input->id);
  type_into ("Fix batch at…", "2\n");
  g_assert_cmpstr (driver_last_line (), ==, "run bind-dimensions 'batch=2'");
  input = ph_document_get_model (driver_document ())->graph->inputs->pdata[0];
  g_autofree char *type = ph_type_to_string (input->type);
  g_assert_cmpstr (type, ==, "float[2,4]");
  driver_wait (has_no_entry, (gpointer) "Fix batch at…", 30, "the size is no longer asked for");
  type_into ("2.5, or [[1, 2], [3, 4]]", "[[1, 2, 3, 4], [5, 6, 7, 8]]\n");
  PhTensor *fed = g_hash_table_lookup (ph_document_get_feeds (driver_document ()), "x");
  g_assert_nonnull (fed);
  g_assert_cmpfloat (ph_tensor_get (fed, 7), ==, 8);
  /* What is wrong stays, and says why. */
  type_into ("2.5, or [[1, 2], [3, 4]]", "seven\n");
  GtkWidget *entry = find_entry (find (PH_TYPE_INSPECTOR), "2.5, or [[1, 2], [3, 4]]");
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "seven");
}

/* Weights that an exporter wrote as Constant nodes are weights. */
static void
test_weights (void)
{
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n"
                             "  w = Constant <value = float[2] {1.5, 0.25}> ()\n  b = Mul (a, w)\n}\n";
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "weights.onnxtxt", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  driver_open (path);
  driver_run ("pipeline none");
  driver_run ("select-node");
  driver_expect_text (find (PH_TYPE_INSPECTOR), "8 bytes");
}

/* The bar below the picture counts as the row of the step does, also what has no box of its own. */
static void
test_counts (void)
{
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] a) => (float[2] b)\n{\n"
                             "  u = Constant <value = float[2] {1.5, 0.25}> ()\n  v = Constant <value = float[2] {2, 3}> ()\n"
                             "  w = Add (u, v)\n  b = Mul (a, w)\n}\n";
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "counts.onnxtxt", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  driver_open (path);
  driver_run ("pipeline fold-constants");
  driver_run ("goto end");
  driver_pause (0.5);
  PhHistory *history = ph_document_get_history (driver_document ());
  const PhStep *step = &g_array_index (history->steps, PhStep, history->steps->len - 1);
  g_autofree char *removed = g_strdup_printf ("−%u", step->n_removed);
  g_assert_cmpuint (step->n_removed, ==, 3);
  g_assert_true (
      g_str_has_suffix (gtk_label_get_text (GTK_LABEL (driver_find_named (GTK_WIDGET (driver_pane ()), "removed"))), removed));
}

/* --- the list of rewrites --------------------------------------------------------------------------------------------------- */

static PhRewriteRow *
find_row (GtkWidget *root, guint number)
{
  if (PH_IS_REWRITE_ROW (root) && gtk_widget_get_mapped (root))
    {
      PhRewriteItem *item = ph_rewrite_row_get_item (PH_REWRITE_ROW (root));
      return item && item->number == number ? PH_REWRITE_ROW (root) : NULL;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      PhRewriteRow *found = find_row (child, number);
      if (found)
        return found;
    }
  return NULL;
}

static double
top_of (guint number)
{
  PhRewriteRow *row = find_row (GTK_WIDGET (driver_window ()), number);
  graphene_rect_t bounds;

  g_assert_nonnull (row);
  g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (row), GTK_WIDGET (driver_window ()), &bounds));
  return bounds.origin.y;
}

/* Whoever clicks one after another, from where nothing is chosen, hits the one that the pointer is on. */
static void
test_rewrites (void)
{
  driver_open_example ("seed", "none");
  driver_run ("grad y");
  driver_run ("goto end");
  driver_pause (0.3);
  const double first = top_of (1), third = top_of (3);
  for (guint number = 3; number-- > 1;)
    {
      driver_click_middle (GTK_WIDGET (find_row (GTK_WIDGET (driver_window ()), number)));
      driver_pause (0.3);
      g_assert_cmpuint (ph_document_get_position (driver_document ()).rewrite, ==, number);
      g_assert_cmpfloat (top_of (1), ==, first);
      g_assert_cmpfloat (top_of (3), ==, third);
    }
}

/* --- one locale ------------------------------------------------------------------------------------------------------------- */

/* Run below a locale that has a comma where C has a point. */
static void
test_point (void)
{
  g_autofree char *path = g_build_filename (g_get_user_state_dir (), "drawn.dot", NULL), *dot = NULL;

  g_assert_cmpstr (localeconv ()->decimal_point, ==, ".");
  driver_open_example ("conv-bn-relu", "none");
  driver_run ("render %s", path);
  g_assert_true (g_file_get_contents (path, &dot, NULL, NULL));
  g_assert_nonnull (strstr (dot, "[1, 0.5, 2]"));
  g_assert_null (strstr (dot, "0,5, 2"));
}

static void
test_locale (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-locale-XXXXXX", NULL),
                  *out = g_build_filename (folder, "de_DE.UTF-8", NULL);
  const char *make[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", out, NULL };
  char *words[] = { program, (char *) "-p", (char *) "/replies/point", NULL };
  int status = -1;

  if (!g_spawn_sync (NULL, (char **) make, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                     NULL, NULL, NULL, NULL, &status, NULL)
      || !g_file_test (out, G_FILE_TEST_IS_DIR))
    g_test_skip ("localedef makes no locale that has a decimal comma: the package locales is not there");
  else
    {
      g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "LOCPATH", folder, TRUE);
      g_autoptr (GError) error = NULL;

      environment = g_environ_setenv (g_steal_pointer (&environment), "LC_ALL", "de_DE.UTF-8", TRUE);
      environment = g_environ_setenv (g_steal_pointer (&environment), "PEEPHOLE_UI_COMMA", "1", TRUE);
      /* glibc keeps the list of LOCPATH's folders to the end; this program itself is judged without it. */
      environment = g_environ_setenv (g_steal_pointer (&environment), "ASAN_OPTIONS", "detect_leaks=0", TRUE);
      g_spawn_sync (NULL, words, environment, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_cmpint (status, ==, 0);
    }
  driver_remove (folder);
}

int
main (int argc, char **argv)
{
  program = argv[0];
  if (!driver_init (&argc, &argv))
    return 0;
  if (g_getenv ("PEEPHOLE_UI_COMMA"))
    {
      g_test_add_func ("/replies/point", test_point);
      return driver_main ();
    }
  g_test_add_func ("/replies/answers", test_answers);
  g_test_add_func ("/replies/in-console", test_in_console);
  g_test_add_func ("/replies/input", test_input);
  g_test_add_func ("/replies/typed", test_typed);
  g_test_add_func ("/replies/dimension", test_dimension);
  g_test_add_func ("/replies/weights", test_weights);
  g_test_add_func ("/replies/counts", test_counts);
  g_test_add_func ("/replies/rewrites", test_rewrites);
  g_test_add_func ("/replies/locale", test_locale);
  return driver_main ();
}
