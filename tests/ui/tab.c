/* tab.c: the keyboard alone: Tab and Shift+Tab come to every panel and leave it again, and Escape goes back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/history-panel.h"
#include "views/inspector.h"

#define MOST 120 /* stops on the way around */

static GtkWidget *
focus (void)
{
  return gtk_window_get_focus (GTK_WINDOW (driver_window ()));
}

static gboolean
is_in (GType type)
{
  return focus () && (g_type_is_a (G_OBJECT_TYPE (focus ()), type) || gtk_widget_get_ancestor (focus (), type));
}

/* From the graph once around, through each of these, and back to the graph. */
static void
walk (const char *key, const GType *types, guint n)
{
  guint seen = 0;
  int stops = 0;

  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_settle ();
  do
    {
      GtkWidget *before = focus ();
      driver_key (key);
      g_assert_nonnull (focus ());
      if (focus () == before)
        g_error ("%s stays at %s for ever", key, G_OBJECT_TYPE_NAME (before));
      for (guint i = 0; i < n; i++)
        if (is_in (types[i]))
          seen |= 1u << i;
    }
  while (focus () != GTK_WIDGET (driver_canvas ()) && ++stops < MOST);
  g_test_message ("%s: %d stops", key, stops);
  g_assert_cmpint (stops, <, MOST);
  for (guint i = 0; i < n; i++)
    if (!(seen >> i & 1))
      g_error ("%s never comes to %s", key, g_type_name (types[i]));
}

static void
test_around (void)
{
  driver_open_example ("attention", "propagate-shapes,dce,cse");
  driver_run ("goto 2");

  /* clang-format off */
  const GType types[] = {
    ADW_TYPE_HEADER_BAR, PH_TYPE_HISTORY_PANEL, GTK_TYPE_LIST_VIEW, PH_TYPE_INSPECTOR, PH_TYPE_BOTTOM_PANE,
    g_type_from_name ("PhSliderHandle"), g_type_from_name ("VteTerminal")
  };
  /* clang-format on */

  walk ("Tab", types, G_N_ELEMENTS (types));
  walk ("shift+Tab", types, G_N_ELEMENTS (types));
}

/* The text of the graph stands where the console was. */
static void
test_text (void)
{
  const GType types[] = { PH_TYPE_HISTORY_PANEL, PH_TYPE_INSPECTOR, g_type_from_name ("PhTextSide") };

  driver_activate ("view.page::text");
  driver_settle ();
  walk ("Tab", types, G_N_ELEMENTS (types));
  walk ("shift+Tab", types, G_N_ELEMENTS (types));
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-console", NULL);
}

static void
test_escape (void)
{
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_settle ();
  driver_key ("ctrl+f");
  g_assert_true (is_in (GTK_TYPE_SEARCH_BAR));
  driver_key ("Escape");
  g_assert_true (focus () == GTK_WIDGET (driver_canvas ()));
  driver_key ("ctrl+k");
  g_assert_false (focus () == GTK_WIDGET (driver_canvas ()));
  driver_key ("Escape");
  g_assert_true (focus () == GTK_WIDGET (driver_canvas ()));
  driver_activate ("view.color::query");
  driver_settle ();
  g_assert_true (is_in (g_type_from_name ("PhQueryBar")));
  driver_key ("Escape");
  g_assert_true (focus () == GTK_WIDGET (driver_canvas ()));
  driver_click_middle (GTK_WIDGET (driver_find_named (GTK_WIDGET (driver_window ()), "rewrites_search")));
  driver_type ("x");
  driver_key ("Escape");
  g_assert_true (is_in (PH_TYPE_HISTORY_PANEL));
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/tab/around", test_around);
  g_test_add_func ("/tab/text", test_text);
  g_test_add_func ("/tab/escape", test_escape);
  return driver_main ();
}
