/* adjoint.c: the traces of the textbook in the window: a row selects its node, a selected node its rows, and values follow the inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/draw/export.h"
#include "core/scene/scene-read.h"
#include "tests/ui/driver.h"
#include "views/adjoint-pane.h"
#include "views/execution-pane.h"

typedef struct
{
  GtkWidget *list;
  const char *text;
} Row;

static GListModel *
rows_of (GtkWidget *list)
{
  return G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (list)));
}

/* The index of the row that begins so, or -1. */
static int
find_row (GtkWidget *list, const char *text)
{
  for (guint i = 0; i < g_list_model_get_n_items (rows_of (list)); i++)
    {
      g_autoptr (GtkStringObject) row = g_list_model_get_item (rows_of (list), i);
      if (g_str_has_prefix (gtk_string_object_get_string (row), text))
        return (int) i;
    }
  return -1;
}

static gboolean
has_row (gpointer data)
{
  const Row *row = data;

  return find_row (row->list, row->text) >= 0;
}

static void
expect_row (GtkWidget *list, const char *text)
{
  Row row = { list, text };

  driver_wait (has_row, &row, 30, text);
}

static GtkWidget *
find_label (GtkWidget *root, const char *text)
{
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = GTK_IS_LABEL (child) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (child)), text)
                             ? child
                             : find_label (child, text);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static guint
selected_row (GtkWidget *list)
{
  return gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (gtk_list_view_get_model (GTK_LIST_VIEW (list))));
}

static void
test_traces (void)
{
  GtkWidget *pane, *forward, *reverse;
  PhModel *model;

  driver_open_example ("seed", "none");
  ph_window_show_bottom (driver_window (), "adjoint");
  driver_settle ();
  pane = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_ADJOINT_PANE);
  forward = driver_find_named (pane, "forward_list");
  reverse = driver_find_named (pane, "reverse_list");
  expect_row (forward, "v1  = ln v-1   = float");

  /* Values come with the inputs. */
  driver_run ("feed x1 2");
  driver_run ("feed x2 5");
  expect_row (forward, "v1  = ln v-1   = 0.693");
  expect_row (reverse, "v0'  = v0' + v2' * v-1  = 1.716");
  expect_row (reverse, "v-1' = v-1' + v1' / v-1 = 5.5");

  /* A row lights its node, and that its row in the other trace. */
  driver_settle ();
  driver_click_middle (find_label (forward, "v1  = ln v-1"));
  model = ph_document_get_model (driver_document ());
  PhNode *node = ph_model_find_node (model, ph_document_get_selection (driver_document ()));
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op_type, ==, "Log");
  g_assert_cmpuint (selected_row (reverse), ==, (guint) find_row (reverse, "v-1' = v-1' + v1' / v-1"));

  /* Down the trace with the arrows. */
  driver_key ("Down");
  node = ph_model_find_node (model, ph_document_get_selection (driver_document ()));
  g_assert_cmpstr (node->op_type, ==, "Mul");

  /* And back: a node of the picture lights its rows. */
  PH_FOREACH_NODE (sin, model->graph)
    if (g_str_equal (sin->op_type, "Sin"))
      ph_document_set_selection (driver_document (), sin->id);
  driver_settle ();
  g_assert_cmpuint (selected_row (forward), ==, (guint) find_row (forward, "v3  = sin v0"));
  g_assert_cmpuint (selected_row (reverse), ==, (guint) find_row (reverse, "v0'  = v3' * cos v0"));

  /* With the gradient appended, a row of the reverse trace lights what was built for it. */
  driver_run ("grad y");
  driver_run ("feed x1 3");
  expect_row (forward, "v1  = ln v-1   = 1.099");
  driver_settle ();
  driver_click_middle (find_label (reverse, "v0'  = v3' * cos v0"));
  model = ph_document_get_model (driver_document ());
  node = ph_model_find_node (model, ph_document_get_selection (driver_document ()));
  g_assert_nonnull (node);
  g_assert_cmpint (node->role, ==, PH_ROLE_BACKWARD);

  /* Nothing open: it says so. */
  driver_run ("close");
  driver_expect_text (pane, "Open a model");
}

/* The row whose text begins so lights the node whose result stands in it, and that the row. */
static void
check_row (GtkWidget *reverse, const char *text, const char *op, const char *input)
{
  PhModel *model = ph_document_get_model (driver_document ());
  PhNode *node;
  PhId id;

  gtk_single_selection_set_selected (GTK_SINGLE_SELECTION (rows_of (reverse)), (guint) find_row (reverse, text));
  driver_settle ();
  id = ph_document_get_selection (driver_document ());
  node = ph_model_find_node (model, id);
  g_assert_nonnull (node);
  g_assert_cmpstr (node->op_type, ==, op);
  if (input != NULL)
    g_assert_true (g_str_equal (ph_node_input (node, 0)->name, input) || g_str_equal (ph_node_input (node, 1)->name, input));
  ph_document_set_selection (driver_document (), PH_NO_ID);
  driver_settle ();
  ph_document_set_selection (driver_document (), id);
  driver_settle ();
  g_assert_cmpuint (selected_row (reverse), ==, (guint) find_row (reverse, text));
}

/* Of the backward nodes of one forward node each row lights its own, and a sum where it adds. */
static void
test_rows_of_gradient (void)
{
  GtkWidget *pane, *reverse;

  driver_open_example ("seed", "none");
  ph_window_show_bottom (driver_window (), "adjoint");
  driver_run ("feed x1 2");
  driver_run ("feed x2 5");
  driver_run ("grad y");
  pane = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_ADJOINT_PANE);
  reverse = driver_find_named (pane, "reverse_list");
  expect_row (reverse, "v-1' = v-1' + v1' / v-1 = 5.5");
  driver_settle ();
  check_row (reverse, "v4'  = v5' * 1", "Sub", NULL); /* nothing was built for it */
  check_row (reverse, "v3'  = v5' * (-1)", "Neg", NULL);
  check_row (reverse, "v0'  = v3' * cos v0", "Mul", "grad_v3");
  check_row (reverse, "v-1' = v2' * v0", "Mul", "x2");
  check_row (reverse, "v0'  = v0' + v2' * v-1", "Add", NULL);
  check_row (reverse, "v-1' = v-1' + v1' / v-1", "Add", NULL);
}

/* A label on the lines of the picture. */
static gboolean
has_label (gpointer text)
{
  PhPicture picture = { NULL };
  GHashTableIter iter;
  gpointer label;

  if (!ph_graph_canvas_get_picture (driver_canvas (), TRUE, &picture) || picture.options.values == NULL)
    return FALSE;
  g_hash_table_iter_init (&iter, picture.options.values);
  while (g_hash_table_iter_next (&iter, NULL, &label))
    if (g_strcmp0 (label, text) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_no_label (gpointer text)
{
  return !has_label (text);
}

static gboolean
has_no_labels (gpointer unused)
{
  PhPicture picture = { NULL };

  return ph_graph_canvas_get_picture (driver_canvas (), TRUE, &picture) && picture.options.values == NULL;
}

static void
expect_label (const char *text)
{
  driver_wait (has_label, (gpointer) text, 30, text);
}

/* Values on the lines: with the inputs, after a step, in a cheap model at once. */
static void
test_values (void)
{
  driver_open_example ("seed", "none");
  driver_activate ("view.values");
  driver_settle ();
  g_assert_true (has_no_labels (NULL)); /* nothing is fed */
  driver_run ("feed x1 2");
  driver_run ("feed x2 5");
  expect_label ("0.693");
  expect_label ("11.652");
  driver_run ("feed x1 3");
  expect_label ("1.099");
  driver_run ("feed x1 2");
  driver_run ("grad y");
  expect_label ("1.716");
  expect_label ("5.5");
  driver_activate ("view.values");
  driver_wait (has_no_label, (gpointer) "5.5", 30, "the labels are gone");
  /* What was typed stands where it was typed. */
  expect_label ("2");
  driver_run ("feed x1 none");
  driver_run ("feed x2 none");
  driver_wait (has_no_labels, NULL, 30, "nothing is fed");
}

/* The list of the run beside the traces: numbered, with values as they come; a row runs to there; a loop shows what runs in it. */
static void
test_execution (void)
{
  GtkWidget *pane, *list;
  guint at;

  driver_open_example ("seed", "none");
  driver_run ("feed x1 2");
  driver_run ("feed x2 5");
  ph_window_show_bottom (driver_window (), "adjoint");
  driver_settle ();
  pane = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_EXECUTION_PANE);
  driver_click_middle (driver_find_button (pane, "_Run Node by Node"));
  driver_expect_line ("exec start");
  list = driver_find (pane, GTK_TYPE_LIST_VIEW);
  driver_expect_text (pane, "v1 = Log (x1)");
  g_assert_false (driver_has_text (pane, "= 0.693"));
  g_assert_cmpuint (selected_row (list), ==, GTK_INVALID_LIST_POSITION);

  driver_run ("exec next 3");
  driver_expect_text (pane, "= 0.693");
  driver_expect_text (pane, "= -0.959");
  g_assert_false (driver_has_text (pane, "= 10.693"));
  g_assert_cmpuint (selected_row (list), ==, 2);

  /* Back and on by the pointer. */
  driver_click_middle (find_label (list, "v2 = Mul"));
  driver_expect_line ("exec back 1");
  g_assert_false (driver_has_text (pane, "= -0.959"));
  driver_click_middle (find_label (list, "v4 = Add"));
  driver_expect_line ("exec next 2");
  driver_expect_text (pane, "= 10.693");
  ph_document_get_execution (driver_document (), &at);
  g_assert_cmpuint (at, ==, 4);
  driver_run ("exec stop");
  g_assert_nonnull (driver_find_button (pane, "_Run Node by Node"));
}

static gboolean
is_seen (gpointer unused)
{
  const PhId node = ph_document_get_selection (driver_document ());
  PhScene *scene = ph_graph_canvas_get_scene (driver_canvas ());
  const int box = scene != NULL ? ph_scene_find (scene, node, NULL) : -1;

  for (guint t = 0; box >= 0 && t < ph_scene_box (scene, box)->n_tenants; t++)
    if (ph_scene_tenant_at (scene, ph_scene_box (scene, box)->first_tenant + t)->id == node)
      return TRUE;
  return FALSE;
}

static void
test_loop (void)
{
  GtkWidget *pane;

  driver_open_example ("loop-branch", "none");
  driver_run ("feed x [1, 2, 3]");
  driver_run ("feed count 3");
  ph_window_show_bottom (driver_window (), "adjoint");
  driver_settle ();
  pane = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_EXECUTION_PANE);
  driver_run ("exec turn");
  driver_wait (is_seen, NULL, 30, "the loop is open where it runs");
  driver_run ("exec next 2");
  driver_wait (is_seen, NULL, 30, "so is the branch");
  driver_expect_text (pane, "turn 1");
  driver_run ("exec end");
  driver_expect_text (pane, "turn 3");
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/adjoint/traces", test_traces);
  g_test_add_func ("/adjoint/rows-of-gradient", test_rows_of_gradient);
  g_test_add_func ("/adjoint/values", test_values);
  g_test_add_func ("/adjoint/execution", test_execution);
  g_test_add_func ("/adjoint/loop", test_loop);
  return driver_main ();
}
