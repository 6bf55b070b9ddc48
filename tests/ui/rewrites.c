/* rewrites.c: the list of a step's rewrites: what it says of each, and a million of them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <time.h>

#include "passes/pass.h"
#include "tests/ui/driver.h"
#include "views/history-private.h"
#include "views/rewrite-row.h"

static PhHistoryPanel *
history_panel (void)
{
  return PH_HISTORY_PANEL (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL));
}

static gboolean
lists_so_many (gpointer n)
{
  return g_list_model_get_n_items (G_LIST_MODEL (history_panel ()->rewrite_list)) == GPOINTER_TO_UINT (n);
}

/* Why it is right, which node it took, made or changed, and what of it. The label of the rewrite before may be seen until then. */
static gboolean
detail_shown (gpointer data)
{
  const PhHistoryPanel *panel = history_panel ();
  const char *effect = gtk_label_get_text (panel->detail_effect);

  return gtk_widget_get_visible (GTK_WIDGET (panel->detail_effect)) && *gtk_label_get_text (panel->detail_why) != '\0'
         && (strpbrk (effect, "+~") || strstr (effect, "−"));
}

/* 0: none is. */
static gboolean
is_row_chosen (gpointer number)
{
  PhRewriteItem *item = gtk_single_selection_get_selected_item (history_panel ()->rewrite_selection);

  return (item != NULL ? item->number : 0) == GPOINTER_TO_UINT (number);
}

static void
test_rewrites (void)
{
  driver_open_example ("attention", "propagate-shapes,fold-constants,cse,dce");
  PhHistory *history = ph_document_get_history (driver_document ());
  guint best = 0;
  for (guint s = 0; s < history->steps->len; s++)
    if (g_array_index (history->steps, PhStep, s).n_rewrites > g_array_index (history->steps, PhStep, best).n_rewrites)
      best = s;
  g_autofree char *line = g_strdup_printf ("goto %u", best + 1);
  driver_run ("%s", line);
  guint total = g_array_index (history->steps, PhStep, best).n_rewrites;
  driver_wait (lists_so_many, GUINT_TO_POINTER (total), 20, "all rewrites of the step are listed");

  /* A step into it shows the reason of the rewrite. */
  g_autofree char *into = g_strdup_printf ("goto %u.1", best + 1);
  if (total > 1)
    {
      driver_run ("%s", into);
      driver_wait (detail_shown, NULL, 20, "the rewrite is explained");
    }

  /* So does the last one, behind which the whole step is done; the step as a whole says what the pass does. */
  driver_run ("goto %u.%u", best + 1, total);
  driver_wait (is_row_chosen, GUINT_TO_POINTER (total), 20, "the last rewrite is selected");
  g_assert_true (detail_shown (NULL));
  driver_run ("goto %u", best + 1);
  driver_wait (is_row_chosen, GUINT_TO_POINTER (0), 20, "no rewrite is selected");
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (history_panel ()->detail_effect)));

  driver_click_middle (GTK_WIDGET (history_panel ()->rewrites_search));
  driver_type ("no rule is called so");
  driver_wait (lists_so_many, GUINT_TO_POINTER (0), 20, "no rewrite is listed");
  driver_key ("Escape");
  driver_wait (lists_so_many, GUINT_TO_POINTER (total), 20, "all rewrites are listed again");
}

/* Milliseconds that this thread has computed: what other programs take meanwhile is not counted. */
static double
computed_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

/* A model of the list, with a history of a million rewrites: what is shown costs, what is there does not. */
static void
test_million (void)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autofree char *path = driver_example ("cse");
  g_autoptr (PhRewriteList) list = ph_rewrite_list_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *line = g_strdup_printf ("open '%s'", path);
  g_autoptr (PhReply) opened = ph_console_run (console, line, NULL), ran = ph_console_run (console, "run cse", NULL);

  g_assert_true (opened->ok && ran->ok);
  PhHistory *history = ph_document_get_history (document);
  PhStep *step = &g_array_index (history->steps, PhStep, history->steps->len - 1);
  PhRewrite rewrite = g_array_index (history->rewrites, PhRewrite, step->first_rewrite);
  guint real = step->n_rewrites, n = 1000000;
  g_array_set_size (history->rewrites, step->first_rewrite);
  for (guint i = 0; i < n; i++)
    g_array_append_val (history->rewrites, rewrite);
  step->n_rewrites = n;

  double start = computed_ms ();
  ph_rewrite_list_show (list, document, history->steps->len - 1);
  GtkWidget *view = gtk_list_view_new (GTK_SELECTION_MODEL (gtk_single_selection_new (g_object_ref (G_LIST_MODEL (list)))), NULL);
  g_object_ref_sink (view);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, n);
  g_autoptr (PhRewriteItem) last = g_list_model_get_item (G_LIST_MODEL (list), n - 1);
  g_assert_cmpuint (last->number, ==, n);
  double show = computed_ms () - start;
  start = computed_ms ();
  ph_rewrite_list_filter (list, rewrite.rule);
  double filter = computed_ms () - start;
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, n);
  g_test_message ("a million rewrites: shown in %.1f ms, filtered in %.1f ms", show, filter);
  g_assert_cmpfloat (show, <, 200);
  g_assert_cmpfloat (filter, <, 1000);
  step->n_rewrites = real;
  g_array_set_size (history->rewrites, step->first_rewrite + real);
  g_object_unref (view);
}

static GtkWidget *
find_numbered_row (GtkWidget *root, guint number)
{
  if (PH_IS_REWRITE_ROW (root) && gtk_widget_get_mapped (root) && ph_rewrite_row_get_item (PH_REWRITE_ROW (root))
      && ph_rewrite_row_get_item (PH_REWRITE_ROW (root))->number == number)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_numbered_row (child, number);
      if (found)
        return found;
    }
  return NULL;
}

static gboolean
shows_rewrite (gpointer number)
{
  return find_numbered_row (GTK_WIDGET (history_panel ()->rewrites), GPOINTER_TO_UINT (number)) != NULL;
}

static gboolean
is_at_rewrite (gpointer number)
{
  return ph_document_get_position (driver_document ()).rewrite == GPOINTER_TO_UINT (number);
}

/* The same in the window, by wheel, pointer and key: of a journal whose last step has a million rewrites more, all without effect. */
static void
test_million_rows (void)
{
#ifdef __SANITIZE_ADDRESS__
  const guint more = 200000, slower = 8;
#else
  const guint more = 1000000, slower = 1;
#endif

  driver_open_example ("cse", "cse");
  driver_run ("goto end");
  driver_settle ();
  ph_document_set_proves (driver_document (), FALSE);

  PhHistory *history = ph_document_get_history (driver_document ());
  const guint last = history->steps->len - 1;
  PhStep *step = &g_array_index (history->steps, PhStep, last);
  const PhRewrite nothing = { .rule = step->pass, .why = step->pass, .node = PH_NO_ID, .first_edit = history->edits->len };
  for (guint i = 0; i < more; i++)
    g_array_append_val (history->rewrites, nothing);
  step->n_rewrites += more;
  const guint n = step->n_rewrites;

  double start = computed_ms ();
  g_signal_emit_by_name (driver_document (), "history-changed");
  driver_wait (lists_so_many, GUINT_TO_POINTER (n), 60, "a million rewrites are listed");
  driver_settle ();
  const double shown = computed_ms () - start;

  GtkWidget *list = GTK_WIDGET (history_panel ()->rewrites);
  GtkWidget *around = gtk_widget_get_ancestor (list, GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (around));
  double before = gtk_adjustment_get_value (place);
  start = computed_ms ();
  driver_scroll (list, 60, 40, 20, NULL);
  driver_settle ();
  const double scrolled = computed_ms () - start;
  g_assert_cmpfloat (gtk_adjustment_get_value (place), !=, before);

  /* A change gives the list its first rows only, for a moment; the key goes to the end all the same. */
  driver_run ("goto 2.1");
  g_signal_emit_by_name (driver_document (), "history-changed");
  start = computed_ms ();
  gtk_widget_grab_focus (list);
  driver_key ("End");
  driver_wait (shows_rewrite, GUINT_TO_POINTER (n), 20, "the last of a million rows is shown");
  driver_settle ();
  const double end = computed_ms () - start;
  driver_click_middle (find_numbered_row (list, n - 1));
  driver_wait (is_at_rewrite, GUINT_TO_POINTER (n - 1), 20, "a click on a row goes behind its rewrite");
  driver_settle ();
  /* Away and back before the first of the two is done: the last key counts. */
  driver_send_key ("Up");
  driver_send_key ("Down");
  driver_settle ();
  g_assert_cmpuint (ph_document_get_position (driver_document ()).rewrite, ==, n - 1);
  start = computed_ms ();
  driver_run ("back into");
  driver_run ("back into");
  driver_run ("step into");
  const double stepped = (computed_ms () - start) / 3;
  g_assert_cmpuint (ph_document_get_position (driver_document ()).rewrite, ==, n - 2);
  g_test_message ("a million rows: shown in %.1f ms, scrolled 20 notches in %.1f, to the end in %.1f, %.1f a step", shown,
                  scrolled, end, stepped);
  g_assert_cmpfloat (shown, <, 1500 * slower);
  g_assert_cmpfloat (scrolled, <, 500 * slower);
  g_assert_cmpfloat (end, <, 500 * slower);
  g_assert_cmpfloat (stepped, <, 300 * slower);
}

/* A step of one rewrite says its reason at once; one of several what the pass does. */
static void
test_step (void)
{
  const char *why;

  driver_open_example ("cse", "cse");
  driver_run ("goto 2");
  driver_wait (lists_so_many, GUINT_TO_POINTER (1), 20, "the only rewrite");
  driver_wait (detail_shown, NULL, 20, "the rewrite is explained");
  g_assert_nonnull (strstr (gtk_label_get_text (history_panel ()->detail_why), "same result"));
  driver_open_example ("attention", "propagate-shapes,fold-constants,cse,dce");
  driver_run ("goto fold-constants");
  driver_settle ();
  why = gtk_label_get_text (history_panel ()->detail_why);
  g_assert_true (g_str_has_prefix (why, ph_pass_find ("fold-constants")->summary));
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/rewrites/explained", test_rewrites);
  g_test_add_func ("/rewrites/step", test_step);
  g_test_add_func ("/rewrites/million", test_million);
  g_test_add_func ("/rewrites/million-rows", test_million_rows);
  return driver_main ();
}
