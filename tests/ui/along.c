/* along.c: the values of two positions side by side: a row selects its node, a node its row, a bar its row; the picture coloured by error.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/scene/scene-read.h"
#include "tests/ui/driver.h"
#include "views/along-pane.h"
#include "views/bottom-pane.h"
#include "views/error-line.h"
#include "views/inspector.h"

static const char model[]
    = "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float[2,3] x) => (float[2,3] first, float[2,3] second)\n"
      "{ a = Neg (x) b = Exp (a) c = Relu (b) d = Sigmoid (c) first = Tanh (d) e = Abs (x) f = Sqrt (e) second = Neg (f) }\n";

static GtkWidget *
pane (void)
{
  return driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_ALONG_PANE);
}

static GtkWidget *
list (void)
{
  return driver_find_named (pane (), "list");
}

static guint
n_rows (void)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list ()))));
}

static guint
selected_row (void)
{
  return gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (list ()))));
}

static char *
write_file (const char *name, const char *text)
{
  char *path = g_build_filename (g_get_user_state_dir (), name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* The cell of the list that says @text. */
static GtkWidget *
find_cell (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_cell (child, text);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static PhId
node_of (const char *value)
{
  return ph_model_find_value_named (ph_document_get_model (driver_document ()), value)->producer->id;
}

static gboolean
has_table (gpointer n)
{
  return gtk_widget_get_mapped (list ()) && n_rows () == GPOINTER_TO_UINT (n);
}

/* The tab of the bottom pane, by the pointer. */
static void
open_pane (void)
{
  GtkWidget *bottom = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_BOTTOM_PANE);

  driver_click_middle (find_cell (driver_find (bottom, GTK_TYPE_STACK_SWITCHER), "Values"));
}

static gboolean
has_step (gpointer unused)
{
  PhHistory *history = ph_document_get_history (driver_document ());

  return history != NULL && history->steps->len > 0
         && g_str_has_prefix (g_array_index (history->steps, PhStep, history->steps->len - 1).pass, "compare");
}

static void
compare_files (void)
{
  g_autofree char *first = write_file ("first.onnxtxt", model), *text = g_strdup (model), *second = NULL;
  g_autoptr (GFile) file = NULL;

  memcpy (strstr (text, "Relu"), "Tanh", 4);
  second = write_file ("second.onnxtxt", text);
  file = g_file_new_for_path (second);
  driver_open (first);
  driver_run ("pipeline none");
  ph_window_compare (driver_window (), file);
  driver_wait (has_step, NULL, 60, "the files are compared");
  driver_settle ();
}

static guint
color_mode (void)
{
  guint mode;

  mode = ph_view_state_get (ph_document_get_view (driver_document ()), PH_VIEW_COLOR);
  return mode;
}

static gboolean
is_coloured (gpointer mode)
{
  return color_mode () == GPOINTER_TO_UINT (mode);
}

static double
error_of (const char *value)
{
  PhPosition from, to;
  const PhAlong *along = ph_document_get_along (driver_document (), &from, &to);

  for (guint i = 0; along != NULL && i < along->values->len; i++)
    if (g_str_equal (g_array_index (along->values, PhAlongValue, i).name, value))
      return g_array_index (along->values, PhAlongValue, i).error;
  g_error ("%s was not compared", value);
}

static void
test_files (void)
{
  compare_files ();
  open_pane ();
  driver_wait (has_table, GUINT_TO_POINTER (8), 60, "all values are there");
  driver_expect_text (pane (), "3 of 8 values differ, first c");
  g_assert_cmpfloat (error_of ("b"), <=, PH_ALONG_ROUNDING);
  g_assert_cmpfloat (error_of ("c"), >, 0.01);
  driver_picture ("along-1-files");

  /* A row leads to its node, and the inspector to its value. */
  driver_click_middle (find_cell (list (), "d"));
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node_of ("d"));
  GtkWidget *inspector = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_INSPECTOR);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (driver_find_named (inspector, "title"))), ==, "d");
  driver_key ("Down");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node_of ("first"));

  /* A node leads to its row. */
  graphene_rect_t rect;
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), node_of ("f"), &rect));
  driver_click (GTK_WIDGET (driver_canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node_of ("f"));
  g_assert_nonnull (find_cell (list (), "f"));
  const guint row = selected_row ();
  g_assert_cmpuint (row, <, n_rows ());

  /* A bar leads to its row, and so to its node. */
  GtkWidget *line = driver_find (pane (), PH_TYPE_ERROR_LINE);
  PhPosition from, to;
  const guint first = ph_document_get_along (driver_document (), &from, &to)->first;
  driver_click (line, ph_error_line_get_x (PH_ERROR_LINE (line), first), gtk_widget_get_height (line) - 2, 1);
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, node_of ("c"));
  g_assert_cmpuint (selected_row (), !=, row);
  driver_picture ("along-2-bar");

  driver_click_middle (driver_find_named (pane (), "only_different"));
  driver_wait (has_table, GUINT_TO_POINTER (3), 20, "only what differs");

  /* Colours by error, with their legend. */
  driver_activate ("view.color::error");
  driver_wait (is_coloured, GUINT_TO_POINTER (PH_COLOR_ERROR), 20, "the picture is coloured");
  driver_settle ();
  PhPaint *paint = ph_graph_canvas_get_paint (driver_canvas ());
  g_assert_nonnull (strstr (ph_paint_title (paint), "Difference of the values"));
  driver_picture ("along-3-coloured");
  driver_click_middle (driver_find_named (pane (), "only_different"));
  driver_key ("ctrl+w");
}

/* Along the steps of a history: it follows the position, and is told of what the console compares. */
static void
test_steps (void)
{
  g_autofree char *path = write_file ("steps.onnxtxt", model);

  driver_open (path);
  driver_run ("pipeline none");
  ph_window_show_bottom (driver_window (), "along");
  driver_expect_text (pane (), "Step on, or compare with a file");
  driver_run ("run cse");
  driver_wait (has_table, GUINT_TO_POINTER (8), 60, "what cse left");
  driver_expect_text (pane (), "0 of 8 values differ");
  /* Other inputs: once more. */
  driver_run ("feed x 2");
  driver_wait (has_table, GUINT_TO_POINTER (8), 60, "on other inputs");
  g_assert_cmpfloat (error_of ("c"), <=, PH_ALONG_ROUNDING);
  /* Nothing is hot where nothing differs. */
  driver_activate ("view.color::error");
  driver_wait (is_coloured, GUINT_TO_POINTER (PH_COLOR_ERROR), 20, "the picture is coloured");
  driver_settle ();
  const int box = ph_scene_find (ph_graph_canvas_get_scene (driver_canvas ()), node_of ("c"), NULL);
  const PhColor color = ph_paint_color (ph_graph_canvas_get_paint (driver_canvas ()), box, PH_THEME_LIGHT),
                cold = ph_heat_color (0, PH_THEME_LIGHT);
  g_assert_cmpfloat (color.red, ==, cold.red);
  g_assert_cmpfloat (color.blue, ==, cold.blue);
  driver_activate ("view.color::kind");
  driver_run ("close");
  driver_expect_text (pane (), "Open a model");
}

/* From the menu of colours alone: it is computed by a line of the console. */
static void
test_menu (void)
{
  ph_window_show_bottom (driver_window (), "console");
  compare_files ();
  driver_activate ("view.color::error");
  driver_wait (is_coloured, GUINT_TO_POINTER (PH_COLOR_ERROR), 60, "the picture is coloured");
  driver_settle ();
  g_assert_cmpstr (driver_last_line (), ==, "along 1 2");
  driver_key ("ctrl+w");
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/along/files", test_files);
  g_test_add_func ("/along/steps", test_steps);
  g_test_add_func ("/along/menu", test_menu);
  return driver_main ();
}
