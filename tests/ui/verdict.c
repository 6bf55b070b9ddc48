/* verdict.c: the card of a step that changes the results, by pointer and key: it names what differs, and leads to it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <adwaita.h>

#include "core/ops/op.h"
#include "passes/pass.h"
#include "tests/ui/driver.h"
#include "views/history-private.h"
#include "views/inspector.h"
#include "views/step-row.h"

/* Wrong below zero. */
static const PhRule drop_relu[] = { { "drop-relu", P (Relu, X), P (Identity, X), .why = "Wrong below zero." } };
static const PhPass drop_relu_pass
    = { .name = "drop-relu", .group = "algebra", .summary = "Drops Relu", .rules = drop_relu, .n_rules = 1 };

static const char model[] = "g (float[2,3] x) => (float[2,3] first, float[2,3] second, float[2,3] third)\n"
                            "{ a = Relu (x) first = Tanh (a) m = Neg (x) b = Relu (m) second = Sigmoid (b) third = Abs (x) }\n";

static char *
model_path (void)
{
  return g_build_filename (g_get_user_state_dir (), "verdict", "wrong.onnxtxt", NULL);
}

static void
write_model (void)
{
  g_autofree char *path = model_path (),
                  *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : %d]>\n%s", PH_OPSET_NEWEST, model);
  g_autofree char *folder = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static gboolean
is_compared (gpointer unused)
{
  return ph_document_get_proof (driver_document (), 0) != NULL;
}

/* The model, with a step of two rewrites that are wrong. */
static void
open_wrong (void)
{
  g_autofree char *path = model_path ();
  g_autoptr (GError) error = NULL;

  write_model ();
  driver_open (path);
  driver_run ("pipeline none");
  g_autoptr (PhJob) job = ph_job_new (driver_document (), (PhPosition) { 0, 0 });
  ph_job_add_pass (job, &drop_relu_pass, NULL);
  g_assert_true (ph_job_run (job, NULL, &error));
  g_assert_true (ph_document_take_job (driver_document (), job, TRUE, &error));
  driver_settle ();
  g_assert_cmpuint (ph_document_get_history (driver_document ())->rewrites->len, ==, 2);
  driver_wait (is_compared, NULL, 60, "the step is compared");
  g_assert_cmpint (ph_document_get_proof (driver_document (), 0)->verdict, ==, PH_VERDICT_DIFFERENT);
  driver_settle ();
}

static GtkWidget *
find_row (GtkWidget *root)
{
  if (PH_IS_STEP_ROW (root) && gtk_widget_get_mapped (root) && ph_step_row_get_item (PH_STEP_ROW (root))
      && ph_step_row_get_item (PH_STEP_ROW (root))->kind == PH_STEP_ITEM_STEP)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_row (child);
      if (found)
        return found;
    }
  return NULL;
}

static GtkMenuButton *
verdict_button (void)
{
  GtkWidget *row = find_row (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL));

  g_assert_nonnull (row);
  return GTK_MENU_BUTTON (driver_find_named (row, "verdict"));
}

static gboolean
is_open (gpointer button)
{
  GtkPopover *popover = gtk_menu_button_get_popover (button);

  return popover && gtk_widget_get_mapped (GTK_WIDGET (popover)) && gtk_widget_get_width (GTK_WIDGET (popover)) > 0;
}

static gboolean
is_closed (gpointer button)
{
  return !is_open (button);
}

static GtkWidget *
open_card (void)
{
  GtkMenuButton *button = verdict_button ();

  driver_click_middle (GTK_WIDGET (button));
  driver_wait (is_open, button, 20, "the card is open");
  driver_settle ();
  return GTK_WIDGET (gtk_menu_button_get_popover (button));
}

static GtkWidget *
find_link (GtkWidget *root, const char *title)
{
  if (ADW_IS_ACTION_ROW (root) && strstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (root)), title))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_link (child, title);
      if (found)
        return found;
    }
  return NULL;
}

static void
click_link (const char *title)
{
  GtkWidget *row = find_link (open_card (), title);

  if (!row)
    g_error ("no row '%s'", title);
  driver_click_middle (row);
  driver_wait (is_closed, verdict_button (), 20, "the card is closed");
  driver_settle ();
}

static gboolean
is_there (gpointer text)
{
  g_autofree char *at = ph_position_to_string (ph_document_get_position (driver_document ()));

  return g_str_equal (at, text);
}

static gboolean
is_titled (gpointer name)
{
  GtkWidget *inspector = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_INSPECTOR);

  return g_str_equal (gtk_label_get_text (GTK_LABEL (driver_find_named (inspector, "title"))), name);
}

static PhId
producer_of (const char *name)
{
  return ph_model_find_value_named (ph_document_get_model (driver_document ()), name)->producer->id;
}

static void
test_names (void)
{
  GtkWidget *card;

  open_wrong ();
  card = open_card ();
  g_assert_nonnull (find_link (card, "Output second"));
  g_assert_null (find_link (card, "Output third"));
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (find_link (card, "Output second"))),
                            "float[2,3] · largest difference "));
  g_assert_nonnull (find_link (card, "First to differ: a ["));
  g_assert_nonnull (
      strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (find_link (card, "First to differ: a ["))), "0 before, -"));
  driver_expect_text (card, "2 of 2 rewrites change the results");
  g_assert_nonnull (find_link (card, "1.1  drop-relu"));
  g_assert_nonnull (find_link (card, "1.2  drop-relu"));
  driver_key ("Escape");
  driver_wait (is_closed, verdict_button (), 20, "Escape closes the card");
}

static void
test_values (void)
{
  open_wrong ();
  driver_run ("goto 0");
  click_link ("Output second");
  driver_wait (is_there, "1", 20, "behind the step");
  driver_wait (is_titled, "second", 20, "the inspector tells of the output");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, producer_of ("second"));
  click_link ("First to differ: a");
  driver_wait (is_there, "0", 20, "before the rewrite");
  driver_wait (is_titled, "a", 20, "the inspector tells of the value");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, producer_of ("a"));
}

static void
test_rewrites (void)
{
  open_wrong ();
  click_link ("1.2  drop-relu");
  driver_wait (is_there, "1.1", 20, "before the second rewrite");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, producer_of ("b"));
}

static void
press (const char *label)
{
  GtkWidget *button = driver_find_button (open_card (), label);

  g_assert_nonnull (button);
  driver_click_middle (button);
  driver_wait (is_closed, verdict_button (), 20, "the card is closed");
  driver_settle ();
}

/* Also where only the whole was compared: then it is searched for. */
static void
test_culprit (void)
{
  open_wrong ();
  press ("_Find the Culprit");
  driver_wait (is_there, "0", 20, "before the first rewrite that is wrong");
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, producer_of ("a"));

  driver_run ("goto 1");
  ph_document_set_selection (driver_document (), PH_NO_ID);
  ((PhProof *) ph_document_get_proof (driver_document (), 0))->blamed = FALSE;
  press ("_Find the Culprit");
  driver_wait (is_there, "0", 60, "it is searched for, and gone to");
  driver_settle ();
  g_assert_cmpuint (ph_document_get_selection (driver_document ()), ==, producer_of ("a"));
}

static gboolean
is_fed (gpointer name)
{
  return g_hash_table_contains (ph_document_get_feeds (driver_document ()), name);
}

static gboolean
is_reduced (gpointer unused)
{
  const char *path = ph_document_get_path (driver_document ());

  return ph_document_get_model (driver_document ()) && path && g_str_has_suffix (path, "/reduced.onnx")
         && !ph_console_is_running (driver_console ());
}

static void
expect_reduced (guint tabs, const char *wrong)
{
  driver_wait (is_reduced, NULL, 120, "the reduced model is shown");
  driver_settle ();
  g_assert_cmpuint (driver_n_tabs (), ==, tabs + 1);
  PhModel *reduced = ph_document_get_model (driver_document ());
  PhHistory *history = ph_document_get_history (driver_document ());
  g_assert_cmpuint (reduced->graph->n_nodes, ==, 1);
  /* Both sides are there, and what shows it is fed. */
  g_assert_cmpuint (g_array_index (history->steps, PhStep, history->steps->len - 1).n_rewrites, ==, 1);
  g_assert_cmpint (ph_graph_pane_get_form (driver_pane ()), ==, PH_FORM_SIDE);
  g_assert_cmpuint (reduced->graph->inputs->len, ==, 1);
  g_assert_true (is_fed ((gpointer) ((PhValue *) reduced->graph->inputs->pdata[0])->name));
  const char *said = ph_document_view_get_banner (ph_window_get_view (driver_window ()));
  g_assert_nonnull (said);
  g_assert_nonnull (strstr (said, wrong));
  g_assert_nonnull (driver_find_button (GTK_WIDGET (ph_window_get_view (driver_window ())), "Open _Report"));
}

static gboolean
is_compared_last (gpointer unused)
{
  PhHistory *history = ph_document_get_history (driver_document ());

  return ph_document_get_proof (driver_document (), history->steps->len - 1) != NULL;
}

/* What the hunt found opens beside what it was found in. */
static void
test_hunt (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ph_pass_register (&drop_relu_pass, &error));
  open_wrong ();
  guint tabs = driver_n_tabs ();
  open_card ();
  driver_picture ("hunt-1-card");
  driver_key ("Escape");
  driver_wait (is_closed, verdict_button (), 20, "the card is closed");
  press ("_Hunt");
  expect_reduced (tabs, "Pass drop-relu is wrong, rule drop-relu: b [");
  driver_wait (is_compared_last, NULL, 60, "the step is compared");
  driver_picture ("hunt-2-reduced");
  driver_key ("ctrl+w");

  /* Nothing is wrong: it says so, and no tab opens. */
  g_autofree char *example = driver_example ("cse");
  driver_open (example);
  driver_run ("pipeline cse");
  driver_run ("goto end");
  tabs = driver_n_tabs ();
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "command.hunt", NULL);
  driver_settle ();
  driver_picture ("hunt-3-nothing");
  driver_expect_text (GTK_WIDGET (driver_window ()), "Nothing to hunt");
  g_assert_cmpuint (driver_n_tabs (), ==, tabs);
}

/* The same where two files are compared: the button stands below the steps. */
static void
test_hunt_files (void)
{
  g_autofree char *path = model_path (), *text = NULL, *other = g_strconcat (path, ".other.onnxtxt", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (other);

  write_model ();
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  memcpy (strstr (text, "Relu (m)"), "Tanh", 4);
  g_assert_true (g_file_set_contents (other, text, -1, NULL));
  driver_open (path);
  driver_run ("pipeline none");
  GtkWidget *panel = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL);
  g_assert_null (driver_find_button (panel, "_Hunt"));
  ph_window_compare (driver_window (), file);
  driver_settle ();
  driver_wait (is_compared_last, NULL, 60, "the step is compared");
  driver_settle ();
  driver_picture ("hunt-4-compared");
  const guint tabs = driver_n_tabs ();
  GtkWidget *button = driver_find_button (panel, "_Hunt");
  g_assert_nonnull (button);
  driver_click_middle (button);
  expect_reduced (tabs, "wrong.onnxtxt.other.onnxtxt gives other results: b [");
  driver_picture ("hunt-5-compared-reduced");
  driver_key ("ctrl+w");
  driver_key ("ctrl+w");
}

static void
test_feed (void)
{
  open_wrong ();
  g_assert_false (is_fed ("x"));
  press ("Feed These _Inputs");
  driver_wait (is_fed, "x", 60, "the inputs that show it are fed");
}

/* The document changes under the card: it goes. */
static void
test_gone (void)
{
  GtkWidget *card;

  open_wrong ();
  card = g_object_ref (open_card ());
  ph_document_truncate (driver_document (), (PhPosition) { 0, 0 });
  driver_settle ();
  g_assert_false (gtk_widget_get_mapped (card));
  g_object_unref (card);

  g_autofree char *example = driver_example ("mlp");
  open_wrong ();
  card = g_object_ref (open_card ());
  driver_open (example);
  driver_settle ();
  g_assert_false (gtk_widget_get_mapped (card));
  g_assert_cmpuint (ph_document_get_shown_value (driver_document ()), ==, PH_NO_ID);
  g_object_unref (card);
}

/* What another program made of the model is one rewrite, of no node. */
static void
test_exec (void)
{
  g_autofree char *path = model_path (), *text = NULL, *bad = g_strconcat (path, ".bad.onnxtxt", NULL),
                  *saved = g_strconcat (path, ".bad.onnx", NULL);

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  memcpy (strstr (text, "Relu (m)"), "Sqrt", 4);
  g_assert_true (g_file_set_contents (bad, text, -1, NULL));
  driver_open (bad);
  driver_run ("save '%s'", saved);
  driver_open (path);
  driver_run ("pipeline none");
  driver_run ("run exec \"cat '%s'\"", saved);
  driver_wait (is_compared, NULL, 60, "the step is compared");
  driver_settle ();
  click_link ("Output second");
  driver_wait (is_titled, "second", 20, "the inspector tells of the output");
  click_link ("1.1  exec");
  driver_wait (is_there, "0", 20, "before the rewrite");
  /* Inputs that are fed drop the proof, which the row and the card stand on. */
  press ("Feed These _Inputs");
  driver_wait (is_fed, "x", 60, "the input is fed");
  driver_wait (is_compared, NULL, 60, "the step is compared again");
}

/* A program that fails is told from one that changed nothing. */
static void
test_failed (void)
{
  g_autofree char *path = model_path ();
  GtkWidget *panel;

  driver_open (path);
  driver_run ("pipeline none");
  ph_document_view_run (ph_window_get_view (driver_window ()), "run exec false");
  panel = driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL);
  driver_expect_text (panel, "exec false");
  driver_expect_text (panel, "failed");
  driver_expect_text (panel, "false failed with status 1");
  driver_settle ();
  g_assert_false (driver_has_text (panel, "This pass found nothing to do"));
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/verdict/names", test_names);
  g_test_add_func ("/verdict/values", test_values);
  g_test_add_func ("/verdict/rewrites", test_rewrites);
  g_test_add_func ("/verdict/culprit", test_culprit);
  g_test_add_func ("/verdict/feed", test_feed);
  g_test_add_func ("/verdict/exec", test_exec);
  g_test_add_func ("/verdict/failed", test_failed);
  g_test_add_func ("/verdict/gone", test_gone);
  g_test_add_func ("/verdict/hunt-files", test_hunt_files);
  g_test_add_func ("/verdict/hunt", test_hunt); /* last: it registers the pass */
  return driver_main ();
}
