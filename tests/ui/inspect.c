/* inspect.c: the rows of the inspector lead where they say, by pointer and key: along values, back to where a node comes from, between a
 * node and its gradient; and what was computed is saved.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/ops/dialect.h"
#include "tests/ui/driver.h"
#include "views/inspector.h"

static GtkWidget *
inspector (void)
{
  return driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_INSPECTOR);
}

static GtkWidget *
find_label (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) && g_str_equal (gtk_label_get_text (GTK_LABEL (root)), text))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, text);
      if (found)
        return found;
    }
  return NULL;
}

static GtkWidget *
find_row (const char *heading, int n)
{
  driver_expect_text (inspector (), heading);
  GtkWidget *list = gtk_widget_get_next_sibling (find_label (inspector (), heading));
  GtkWidget *row = GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), n));

  g_assert_nonnull (row);
  return row;
}

/* The @n-th row below the heading, which the page is scrolled to. The page before, which may have such a row as well, is gone a
 * moment after a step. */
static GtkWidget *
row_below (const char *heading, int n)
{
  driver_pause (0.4);
  gtk_widget_grab_focus (find_row (heading, n));
  driver_settle ();
  return find_row (heading, n);
}

static PhNode *
selected (void)
{
  return ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));
}

static PhNode *
find_node (PhRole role)
{
  PhModel *model = ph_document_get_model (driver_document ());

  for (guint i = 1; i < model->nodes->len; i++)
    {
      PhNode *node = model->nodes->pdata[i];
      if (node && node->role == role && (role != PH_ROLE_BACKWARD || node->partner))
        return node;
    }
  g_error ("there is no such node");
}

static void
test_gradient (void)
{
  driver_open_example ("seed", "none");
  driver_run ("grad y");
  PhNode *backward = find_node (PH_ROLE_BACKWARD);
  PhId partner = backward->partner, id = backward->id;

  driver_run ("select-node n%u", id);
  driver_click_middle (row_below ("Differentiates", 0));
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, partner);
  /* And back, by key. */
  row_below ("Differentiated By", 0);
  driver_key ("Return");
  g_assert_nonnull (selected ());
  g_assert_cmpuint (selected ()->partner, ==, partner);
}

static void
test_origin (void)
{
  driver_open_example ("cse", "dce,cse");
  driver_run ("goto end");
  driver_run ("goto 0");
  driver_run ("select-node n%u", find_node (PH_ROLE_FORWARD)->id);
  /* A node of the file comes from there. */
  driver_run ("goto end");
  driver_expect_text (inspector (), "Where It Comes From");
  GtkWidget *row = row_below ("Where It Comes From", 1); /* below its line in the file */
  driver_click_middle (row);
  PhPosition at = ph_document_get_position (driver_document ());
  g_assert_true (g_str_has_prefix (driver_last_line (), "goto "));
  g_assert_cmpuint (at.step, <, ph_document_get_history (driver_document ())->steps->len);
}

static gboolean
has_file (gpointer path)
{
  g_autofree char *text = NULL;
  gsize length;

  return g_file_get_contents (path, &text, &length, NULL) && length > 64 && memcmp (text, "\x93NUMPY", 6) == 0;
}

static gboolean
has_dialog (gpointer open)
{
  return (driver_front () != GTK_WINDOW (driver_window ())) == GPOINTER_TO_INT (open);
}

/* From the node to its output, which is computed by a click, and saved. */
static void
test_value (void)
{
  g_autofree char *path = g_build_filename (g_get_home_dir (), "value.npy", NULL);

  driver_open_example ("seed", "none");
  driver_run ("goto 0");
  driver_run ("select-node n%u", find_node (PH_ROLE_FORWARD)->id);
  driver_click_middle (row_below ("Outputs", 0));
  driver_expect_text (inspector (), "Not computed yet");
  GtkWidget *evaluate = gtk_widget_get_ancestor (find_label (inspector (), "Evaluate"), GTK_TYPE_BUTTON);
  gtk_widget_grab_focus (evaluate);
  driver_settle ();
  driver_click_middle (evaluate);
  driver_expect_text (inspector (), "Save as .npy");
  g_assert_false (driver_has_text (inspector (), "Deviation")); /* of one number that says nothing */
  driver_settle ();
  gtk_widget_grab_focus (driver_find_named (inspector (), "save"));
  driver_settle ();
  driver_click_middle (driver_find_named (inspector (), "save"));
  driver_wait (has_dialog, GINT_TO_POINTER (TRUE), 20, "the place is asked for");
  driver_key ("ctrl+a");
  driver_type (path);
  driver_key ("Return");
  driver_wait (has_file, path, 20, "the values are saved");
  driver_wait (has_dialog, GINT_TO_POINTER (FALSE), 20, "the dialog is gone");
  g_unlink (path);
}

/* An operator of another system is explained as one of ONNX's is. */
static void
test_foreign (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "linear-selu.hlo", NULL);
  g_autofree char *line = g_strdup_printf ("open '%s'", path);
  const PhForeignOp *dot = ph_dialect_find_foreign ("hlo", "dot");

  g_assert_nonnull (dot);
  driver_run ("%s", line);
  driver_run ("select-node dot.3");
  driver_expect_text (inspector (), dot->doc);
}

static gboolean
is_shown (gpointer name)
{
  g_autofree char *shown = ph_document_dup_name (driver_document ());

  return g_strcmp0 (shown, name) == 0;
}

/* Of a file with several modules each has a row that opens it; so has a folder of XLA's dumps. */
static void
test_modules (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "console", "data", "modules.hlo", NULL),
                  *dump = g_test_build_filename (G_TEST_DIST, "console", "data", "xla", NULL);

  driver_open (path);
  driver_click_middle (row_below ("In the File", 1));
  driver_wait (is_shown, (gpointer) "modules.hlo/second", 10, "the second module is open");
  driver_click_middle (row_below ("In the File", 0));
  driver_wait (is_shown, (gpointer) "modules.hlo/first", 10, "the first module is open");
  g_assert_true (g_str_has_prefix (gtk_window_get_title (GTK_WINDOW (driver_window ())), "modules.hlo/first"));
  driver_open (dump);
  driver_click_middle (row_below ("In the File", 1));
  driver_wait (is_shown, (gpointer) "xla/module_0004", 10, "the other module of the dump is open");
}

/* The page of an input is as wide when it is fed as before: the picture beside it stays where it is. */
static void
test_feeding (void)
{
  int width;

  driver_open_example ("seed", "none");
  ph_document_set_selection (driver_document (),
                             ph_model_find_value_named (ph_document_get_model (driver_document ()), "x1")->id);
  driver_expect_text (inspector (), "Feed this input");
  driver_settle ();
  width = gtk_widget_get_width (inspector ());
  driver_run ("feed x1 2.5");
  driver_expect_text (inspector (), "This input is fed");
  driver_settle ();
  g_assert_cmpint (gtk_widget_get_width (inspector ()), ==, width);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (driver_find (inspector (), GTK_TYPE_ENTRY))), ==, "2.5");
}

/* Beside a name of one long word a short value stays on its line. */
static void
test_long_name (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n"
        "g (float[2,4] x, float[2,4] s, float[4] k) => (float[2,4] y) { y = com.microsoft.SkipSimplifiedLayerNormalization (x, s, k) }\n";
  g_autofree char *path = g_build_filename (g_get_user_cache_dir (), "long-name.onnxtxt", NULL);
  GtkWidget *box, *value;

  g_mkdir_with_parents (g_get_user_cache_dir (), 0700);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  driver_open (path);
  driver_run ("profile --random 1");
  driver_expect_text (inspector (), "Whole run");
  driver_settle ();
  box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row_below ("Time", 1)));
  value = gtk_widget_get_next_sibling (gtk_widget_get_first_child (box));
  g_assert_nonnull (
      strstr (gtk_label_get_text (GTK_LABEL (gtk_widget_get_first_child (box))), "SkipSimplifiedLayerNormalization"));
  g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (value))), ==, 1);
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (value))));
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/inspect/gradient", test_gradient);
  g_test_add_func ("/inspect/origin", test_origin);
  g_test_add_func ("/inspect/value", test_value);
  g_test_add_func ("/inspect/feeding", test_feeding);
  g_test_add_func ("/inspect/foreign", test_foreign);
  g_test_add_func ("/inspect/modules", test_modules);
  g_test_add_func ("/inspect/long-name", test_long_name);
  return driver_main ();
}
