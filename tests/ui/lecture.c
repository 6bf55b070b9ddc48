/* lecture.c: a lecturer's twenty minutes, wholly by key and pointer: a function with its values, its run node by node, its gradient, both traces row by
 * row, a slide; common subexpressions; a fusion; a loop. With PEEPHOLE_UI_PICTURES=FOLDER it leaves a picture of each state.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/draw/export.h"
#include "tests/ui/driver.h"
#include "views/adjoint-pane.h"
#include "views/bottom-pane.h"
#include "views/console-pane.h"
#include "views/execution-bar.h"
#include "views/execution-pane.h"
#include "views/export-dialog.h"

static GtkWidget *
window (void)
{
  return GTK_WIDGET (driver_window ());
}

static GtkWidget *
find_label (GtkWidget *root, const char *text)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (root)), text))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_label (child, text);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* --- what is waited for -------------------------------------------------------------------------------------------- */

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

static void
expect_values (const char *const *texts)
{
  for (guint i = 0; texts[i] != NULL; i++)
    driver_wait (has_label, (gpointer) texts[i], 60, texts[i]);
}

static gboolean
is_at (gpointer step)
{
  const PhPosition at = ph_document_get_position (driver_document ());

  return !ph_console_is_running (driver_console ()) && at.step + (at.rewrite > 0) == GPOINTER_TO_UINT (step);
}

static gboolean
is_idle (gpointer unused)
{
  return !ph_console_is_running (driver_console ());
}

static gboolean
is_differentiated (gpointer unused)
{
  return is_idle (NULL) && ph_model_find_value_named (ph_document_get_model (driver_document ()), "grad_x1") != NULL;
}

static gboolean
has_popover (gpointer found)
{
  GtkWidget *around = gtk_widget_get_parent (GTK_WIDGET (driver_canvas ()));

  for (GtkWidget *child = gtk_widget_get_first_child (around); child != NULL; child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_POPOVER (child) && gtk_widget_get_mapped (child))
      return TRUE;
  return FALSE;
}

static gboolean
has_no_popover (gpointer unused)
{
  return !has_popover (NULL) && is_idle (NULL);
}

/* --- hands --------------------------------------------------------------------------------------------------------- */

/* A line at the console, and back to the picture. */
static void
say (const char *line)
{
  driver_key ("F12");
  driver_send_text (line);
  driver_send_text ("\n");
  driver_expect_line (line);
  driver_key ("ctrl+F12");
}

static void
open_example (const char *name, const char *pipeline)
{
  g_autofree char *path = driver_example (name), *line = g_strdup_printf ("open '%s'", path);

  say (line);
  if (pipeline != NULL)
    say (pipeline);
}

static void
picture (const char *state, const char *what)
{
  g_autofree char *name = g_strdup_printf ("lecture-%s-%s", state, what);

  driver_picture (name);
}

/* By its name in the palette. */
static void
choose (const char *name)
{
  driver_key ("ctrl+k");
  driver_type (name);
  driver_key ("Return");
  driver_wait (is_idle, NULL, 60, name);
  driver_settle ();
}

static void
point_at (PhId id, int times)
{
  graphene_rect_t rect;

  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), id, &rect));
  driver_send_click (GTK_WIDGET (driver_canvas ()), rect.origin.x + rect.size.width / 2, rect.origin.y + rect.size.height / 2, 1,
                     times, NULL);
  driver_settle ();
}

/* In the picture: two clicks on the input, the number, Enter. */
static void
type_input (const char *name, const char *text)
{
  point_at (ph_model_find_value_named (ph_document_get_model (driver_document ()), name)->id, 2);
  driver_wait (has_popover, NULL, 30, "an entry for the input");
  driver_key ("ctrl+a");
  driver_type (text);
  picture ("type", name);
  driver_key ("Return");
  driver_wait (has_no_popover, NULL, 30, "the input is fed");
  driver_settle ();
}

static GtkWidget *
find_icon (GtkWidget *root, const char *name)
{
  if (GTK_IS_BUTTON (root) && g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (root)), name) == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_icon (child, name);
      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
show_page (const char *title)
{
  GtkWidget *bottom = driver_find (window (), PH_TYPE_BOTTOM_PANE);

  driver_click_middle (find_label (driver_find (bottom, GTK_TYPE_STACK_SWITCHER), title));
}

static GtkWidget *
list_of (GtkWidget *pane, const char *id)
{
  return id != NULL ? driver_find_named (pane, id) : driver_find (pane, GTK_TYPE_LIST_VIEW);
}

static PhNode *
selected (void)
{
  return ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));
}

/* --- the twenty minutes -------------------------------------------------------------------------------------------- */

static void
test_seed (void)
{
  static const char *const values[] = { "0.693", "10", "-0.959", "10.693", "11.652", NULL };
  GtkWidget *execution, *traces, *forward, *reverse;
  guint at;

  open_example ("seed", "pipeline none");
  driver_picture ("lecture-01-open");
  type_input ("x1", "2");
  type_input ("x2", "5");
  choose ("Values in the Picture");
  expect_values (values);
  driver_picture ("lecture-02-values");

  /* The run, node by node, there and back. */
  show_page ("Traces");
  execution = driver_find (window (), PH_TYPE_EXECUTION_PANE);
  driver_picture ("lecture-03-traces");
  driver_click_middle (driver_find_button (execution, "_Run Node by Node"));
  driver_expect_line ("exec start");
  driver_key ("ctrl+F12");
  for (guint i = 1; i <= 3; i++)
    {
      driver_key ("period");
      driver_wait (is_idle, NULL, 30, "a node further");
      ph_document_get_execution (driver_document (), &at);
      g_assert_cmpuint (at, ==, i);
    }
  driver_expect_text (execution, "= -0.959");
  driver_picture ("lecture-04-run-3");
  driver_key ("comma");
  driver_wait (is_idle, NULL, 30, "a node back");
  ph_document_get_execution (driver_document (), &at);
  g_assert_cmpuint (at, ==, 2);
  driver_picture ("lecture-05-run-back");

  /* The gradient: as a step, and rule by rule. */
  driver_key ("ctrl+F12");
  driver_key ("ctrl+d");
  driver_wait (is_differentiated, NULL, 60, "differentiated");
  driver_settle ();
  expect_values ((const char *const[]) { "5.5", "1.716", NULL });
  driver_picture ("lecture-06-gradient");
  driver_key ("F9");
  driver_key ("F9");
  say ("goto 0");
  for (guint i = 0; i < 3; i++)
    {
      driver_key ("F11");
      driver_wait (is_idle, NULL, 30, "a rewrite further");
      driver_settle ();
    }
  driver_picture ("lecture-07-gradient-stepped");
  /* What the gradient has so far has its value, though nothing reads it yet. */
  driver_wait (has_label, (gpointer) "-1", 30, "the value of Neg");
  say ("goto end");
  show_page ("Traces");

  /* Both traces, row by row: each row lights its node. */
  traces = driver_find (window (), PH_TYPE_ADJOINT_PANE);
  forward = list_of (traces, "forward_list");
  reverse = list_of (traces, "reverse_list");
  driver_expect_text (traces, "v1  = ln v-1   = 0.693");
  driver_settle ();
  driver_scroll (forward, 60, 40, -20, NULL);
  driver_click_middle (find_label (forward, "v1  = ln v-1"));
  static const char *const ops[] = { "Log", "Mul", "Sin", "Add", "Sub" };
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_assert_nonnull (selected ());
      g_assert_cmpstr (selected ()->op_type, ==, ops[i]);
      picture ("08-forward", ops[i]);
      driver_key ("Down");
    }
  driver_scroll (reverse, 60, 40, 20, NULL);
  driver_expect_text (traces, "v-1' = v-1' + v1' / v-1 = 5.5");
  driver_scroll (reverse, 60, 40, -20, NULL);
  driver_click_middle (find_label (reverse, "v5' "));
  for (guint i = 0; i < 4; i++)
    {
      driver_key ("Down");
      g_assert_nonnull (selected ());
      /* The derivatives of Add, and of Sub's first operand, are 1: nothing was built for them. */
      g_assert_true (selected ()->role == PH_ROLE_BACKWARD || g_str_equal (selected ()->op_type, "Add")
                     || g_str_equal (selected ()->op_type, "Sub"));
      picture ("09-reverse", ((const char *[]) { "1", "2", "3", "4" })[i]);
    }
}

static gboolean
is_gone (gpointer unused)
{
  return driver_front () == GTK_WINDOW (driver_window ());
}

static void
test_slide (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-slide-XXXXXX", NULL), *path = g_build_filename (folder, "slide.svg", NULL),
                  *text = NULL;

  open_example ("seed", "pipeline none");
  driver_key ("ctrl+shift+e");
  g_assert_true (PH_IS_EXPORT_DIALOG (driver_front ()));
  driver_picture ("lecture-10-export");
  ph_export_dialog_save (PH_EXPORT_DIALOG (driver_front ()), path);
  driver_wait (is_gone, NULL, 60, "the slide is written");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "<?xml"));
  driver_remove (folder);
}

/* F10 until the step is done: passes that change nothing are steps, too. */
static void
step_to (guint step)
{
  for (guint i = 0; i < 4 && !is_at (GUINT_TO_POINTER (step)); i++)
    {
      driver_key ("F10");
      driver_wait (is_idle, NULL, 60, "a step");
      driver_settle ();
    }
  driver_wait (is_at, GUINT_TO_POINTER (step), 30, "the step");
}

/* Step by step with the keys: one of two equal products goes, its user reads the other. */
static void
test_cse (void)
{
  open_example ("cse", "pipeline cse");
  say ("goto 0");
  driver_picture ("lecture-11-cse-before");
  step_to (2);
  g_assert_cmpuint (ph_document_get_model (driver_document ())->graph->n_nodes, ==, 3);
  driver_picture ("lecture-12-cse-at");
}

static void
test_fusion (void)
{
  open_example ("conv-bn-relu", "pipeline fuse-conv-bn,fuse-activation");
  say ("goto 0");
  driver_picture ("lecture-13-fusion-before");
  for (guint step = 2; step <= 3; step++)
    {
      step_to (step);
      driver_picture (step == 2 ? "lecture-14-fusion-bn" : "lecture-15-fusion-relu");
    }
  driver_key ("ctrl+2");
  driver_picture ("lecture-16-fusion-side");
  driver_key ("ctrl+1");
}

static gboolean
is_turn (gpointer turn)
{
  guint at;
  PhExecution *execution = ph_document_get_execution (driver_document (), &at);

  return is_idle (NULL) && execution != NULL && at > 0
         && ph_execution_turn (execution, at - 1, ph_document_get_model (driver_document ())) == GPOINTER_TO_UINT (turn);
}

static void
test_loop (void)
{
  open_example ("loop-branch", "pipeline none");
  type_input ("x", "[1, 2, 3]");
  type_input ("count", "3");
  driver_picture ("lecture-17-loop");
  say ("exec turn");
  for (guint turn = 1; turn <= 3; turn++)
    {
      GtkWidget *bar = driver_find (GTK_WIDGET (driver_pane ()), PH_TYPE_EXECUTION_BAR);

      if (turn > 1)
        driver_click_middle (find_icon (bar, "view-refresh-symbolic"));
      driver_wait (is_turn, GUINT_TO_POINTER (turn), 60, "the next turn");
      driver_settle ();
      picture ("18-turn", ((const char *[]) { "1", "2", "3" })[turn - 1]);
    }
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/lecture/seed", test_seed);
  g_test_add_func ("/lecture/slide", test_slide);
  g_test_add_func ("/lecture/cse", test_cse);
  g_test_add_func ("/lecture/fusion", test_fusion);
  g_test_add_func ("/lecture/loop", test_loop);
  return driver_main ();
}
