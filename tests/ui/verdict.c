/* verdict.c: the card of a step that changes the results, and where its buttons lead, by real clicks.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include <glib/gstdio.h>

#include "tests/ui/driver.h"
#include "views/step-row.h"

#define HEAD "<ir_version: 10, opset_import: [\"\" : 21]>\nchain (float[2,8] x) => (float[2,8] y) {\n"
static const char before[] = HEAD "  a = Neg (x)\n  b = Relu (a)\n  c = Add (b, x)\n  y = Tanh (c)\n}\n";
static const char after[] = HEAD "  a = Neg (x)\n  b = Sigmoid (a)\n  c = Add (b, x)\n  y = Tanh (c)\n}\n";

static GtkWidget *
find_row (GtkWidget *root, guint step)
{
  PhStepItem *item = PH_IS_STEP_ROW (root) && gtk_widget_get_mapped (root) ? ph_step_row_get_item (PH_STEP_ROW (root)) : NULL;

  if (item && item->kind == PH_STEP_ITEM_STEP && item->step == step)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_row (child, step);
      if (found)
        return found;
    }
  return NULL;
}

static guint
last_step (void)
{
  return ph_document_get_history (driver_document ())->steps->len - 1;
}

static const PhProof *
last_proof (void)
{
  return ph_document_get_proof (driver_document (), last_step ());
}

/* The button, which can be clicked as soon as it is sensitive. */
static GtkWidget *
find_verdict (void)
{
  GtkWidget *row = find_row (GTK_WIDGET (driver_window ()), last_step ());
  GtkWidget *button = row ? driver_find_named (row, "verdict") : NULL;

  return button && gtk_widget_get_sensitive (button) ? button : NULL;
}

static gboolean
is_red (gpointer data)
{
  return last_proof () && last_proof ()->verdict == PH_VERDICT_DIFFERENT && find_verdict ();
}

static gboolean
has_button (gpointer label)
{
  return driver_find_button (GTK_WIDGET (driver_window ()), label) != NULL;
}

static gboolean
has_no_button (gpointer label)
{
  return !has_button (label);
}

static void
press (char *label)
{
  driver_wait (is_red, NULL, 60, "the step is known to change the results");
  driver_settle ();
  driver_click_middle (find_verdict ());
  driver_wait (has_button, label, 20, label);
  driver_settle ();
  driver_click_middle (driver_find_button (GTK_WIDGET (driver_window ()), label));
  driver_wait (has_no_button, label, 20, "the card is closed");
  driver_settle ();
}

static gboolean
is_selected (gpointer name)
{
  PhNode *node = ph_model_find_node (ph_document_get_model (driver_document ()), ph_document_get_selection (driver_document ()));

  return node && node->outputs->len > 0 && g_strcmp0 (((PhValue *) node->outputs->pdata[0])->name, name) == 0;
}

static gboolean
is_fed (gpointer name)
{
  return g_hash_table_contains (ph_document_get_feeds (driver_document ()), name);
}

static void
test_different (void)
{
  g_autofree char *folder = g_dir_make_tmp ("verdict-XXXXXX", NULL);
  g_autofree char *good = g_build_filename (folder, "good.onnxtxt", NULL), *bad = g_build_filename (folder, "bad.onnxtxt", NULL);
  g_autofree char *saved = g_build_filename (folder, "bad.onnx", NULL);
  GtkWidget *window = GTK_WIDGET (driver_window ());

  g_assert_true (g_file_set_contents (good, before, -1, NULL));
  g_assert_true (g_file_set_contents (bad, after, -1, NULL));
  driver_open (bad);
  driver_run ("save '%s'", saved);
  driver_open (good);
  driver_run ("pipeline none");
  driver_run ("run exec \"cat '%s'\"", saved);

  /* What the card says. */
  driver_wait (is_red, NULL, 60, "the step is known to change the results");
  driver_settle ();
  driver_click_middle (find_verdict ());
  driver_expect_text (window, "The results differ");
  driver_expect_text (window, "y  float[2,8]");
  driver_expect_text (window, "b, element [");
  driver_expect_text (window, " before, ");
  driver_key ("Escape");
  driver_wait (has_no_button, (char *) "_Show the Value", 20, "the card is closed");

  /* Where it leads: to the value, from anywhere. */
  driver_run ("goto 0");
  press ((char *) "_Show the Value");
  driver_wait (is_selected, (char *) "b", 20, "what makes the value is selected");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, last_step () + 1);
  press ((char *) "_Go There");
  g_assert_cmpuint (ph_document_get_position (driver_document ()).step, ==, last_step ());
  /* Inputs that are fed drop the proof, which the row and the card stand on. */
  press ((char *) "_Feed These Inputs");
  driver_wait (is_fed, (char *) "x", 60, "the input is fed");
  driver_wait (is_red, NULL, 60, "the step is compared again");
  driver_settle ();
  driver_remove (folder);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/verdict/different", test_different);
  return driver_main ();
}
