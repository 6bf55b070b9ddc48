/* random.c: seeded random actions. The window may refuse, but not crash, hang or lose its document. PEEPHOLE_UI_ACTIONS
 * says how many.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "app/actions.h"
#include "core/graph/verify.h"
#include "tests/ui/driver.h"

static const char *const examples[] = { "seed", "cse", "attention", "conv-bn-relu", "inception", "linear-selu", "loop-branch" };
static const char *const lines[] = {
  "step", "step into", "back", "back into", "run", "goto 0", "goto end", "steps", "rewrites", "diff", "diff 0 .", "info", "pipeline O1",
  "pipeline O2", "pipeline cse,dce", "pass off 1", "pass on 1", "pass move 1 2", "breakpoint 2", "run dce", "run nothing", "why n3",
  "select op, count(*) from nodes group by op", "z = 1 + 2", "garbage (", "goto 99", "feed x1 2", "feed x2 5", "eval", "eval --random 1",
  "node n2", "select-node", "grad y", "verify", "passes", "help", "bookmark 1 --set", "bookmark 1", "", "find Add", "problems",
};
static const char *const keys[] = {
  "F10", "shift+F10", "F11", "shift+F11", "Up", "Down", "Left", "Right", "Return", "Escape", "Tab", "ctrl+plus", "ctrl+minus", "ctrl+9",
  "F9", "shift+F9", "ctrl+F9", "F12", "ctrl+F12", "ctrl+g", "Home", "End", "a", "space", "BackSpace",
};
/* Dialogs would wait for somebody, and the window stays. */
static const char *const left_out[] = { "command.open", "command.save", "command.render", "command.quit", "command.source", "command.check",
                                        "app.about", "win.shortcuts", "win.fullscreen", NULL };

static void
run_action (void)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);
  const PhAction *action = &actions[g_test_rand_int_range (0, (int) n)];

  if (g_strv_contains (left_out, action->action))
    return;
  g_test_message ("action %s", action->action);
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), action->action, NULL);
}

static void
click_somewhere (void)
{
  GtkWidget *window = GTK_WIDGET (driver_window ());
  /* Not on the header, whose buttons close or open dialogs. */
  double x = g_test_rand_double_range (10, gtk_widget_get_width (window) - 10);
  double y = g_test_rand_double_range (90, gtk_widget_get_height (window) - 10);

  g_test_message ("click %.0f %.0f", x, y);
  driver_click (window, x, y, 1);
}

static void
close_dialogs (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      if (window != GTK_WINDOW (driver_window ()))
        gtk_window_destroy (window);
    }
}

static void
test_random (void)
{
  const char *wanted = g_getenv ("PEEPHOLE_UI_ACTIONS");
  guint n = wanted ? (guint) atoi (wanted) : 200;

  for (guint i = 0; i < n; i++)
    {
      PhDocumentView *view = ph_window_get_view (driver_window ());
      int dice = g_test_rand_int_range (0, 100);
      if (i % 40 == 0 || dice < 3)
        {
          g_autofree char *path = driver_example (examples[g_test_rand_int_range (0, G_N_ELEMENTS (examples))]);
          driver_open (path);
          g_assert_true (driver_last_ok ());
        }
      else if (dice < 50)
        {
          const char *line = lines[g_test_rand_int_range (0, G_N_ELEMENTS (lines))];
          ph_document_view_run (view, line);
        }
      else if (dice < 75)
        run_action ();
      else if (dice < 92)
        driver_key (keys[g_test_rand_int_range (0, G_N_ELEMENTS (keys))]);
      else
        click_somewhere ();
      /* Often enough the next comes before the last has ended. */
      if (g_test_rand_int_range (0, 3) > 0)
        driver_settle ();
      close_dialogs ();

      PhModel *model = ph_document_get_model (driver_document ());
      g_autoptr (GError) error = NULL;
      if (model)
        ph_model_verify (model, &error);
      g_assert_no_error (error);
    }
  driver_settle ();
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    {
      g_print ("1..0 # SKIP no display, or one without XTEST\n");
      return 0;
    }
  g_test_add_func ("/random/actions", test_random);
  int status = g_test_run ();
  driver_finish ();
  return status;
}
