/* keys.c: every key that a panel handles by itself, from the list that the window of shortcuts shows, is pressed where its panel has
 * the keyboard, and does what the table below says of it. A key of the list without a row here fails, and a row that is not listed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/driver.h"
#include "views/bottom-pane.h"
#include "views/console-pane.h"
#include "views/history-private.h"
#include "views/history-slider.h"
#include "app/shortcuts.h"
#include "views/step-row.h"

#define PIPELINE "In the Pipeline"
#define HISTORY  "In the History Below the Graph"
#define GRAPH    "In the Graph"
#define LOOK     "Parts and Look of the Graph"
#define CONSOLE  "In the Console"
#define ANYWHERE "Anywhere"

typedef struct
{
  const char *panel, *key;         /* as in ph_own_key_list()                     */
  void      (*start) (void);       /* gives the panel the keyboard                */
  gboolean  (*effect) (void);      /* what is otherwise, compared to @before      */
  int         direction;           /* of the effect, where it has one: -1 or 1    */
} Row;

static struct
{
  double x, y, zoom, place;
  PhPosition at;
  PhId selection;
  guint n_entries, n_lines, steps;
  gboolean enabled, breakpoint, partial, show_diff, compact, grouped, open, since;
} before;
static const Row *row;
static const char few_passes[] = "dce,cse,merge-casts";

/* --- where things are -------------------------------------------------------------------------------------------------- */

static PhHistoryPanel *
history_panel (void)
{
  return PH_HISTORY_PANEL (driver_find (GTK_WIDGET (driver_window ()), PH_TYPE_HISTORY_PANEL));
}

static GtkWidget *
slider (void)
{
  return driver_find (GTK_WIDGET (driver_pane ()), PH_TYPE_HISTORY_SLIDER);
}

static const PhPipelineEntry *
entry (guint index)
{
  return &g_array_index (ph_document_get_entries (driver_document ()), PhPipelineEntry, index);
}

static gboolean
property (const char *name)
{
  gboolean value;

  g_object_get (driver_canvas (), name, &value, NULL);
  return value;
}

static PhNode *
node_called (const char *value)
{
  PhModel *model = ph_document_get_model (driver_document ());

  for (guint i = 1; i < model->nodes->len; i++)
    {
      PhNode *node = model->nodes->pdata[i];
      if (node && g_str_equal (((PhValue *) node->outputs->pdata[0])->name, value))
        return node;
    }
  g_error ("nothing makes %s", value);
}

static gboolean
group_is_open (void)
{
  PhScene *scene = ph_graph_canvas_get_scene (driver_canvas ());
  PhId id = ph_document_get_selection (driver_document ());
  int box = id && scene ? ph_scene_find (scene, id, NULL) : -1;

  return box >= 0 && ph_scene_box (scene, box)->open;
}

/* Any menu that hangs on a widget of the window. */
static GtkWidget *
find_menu (GtkWidget *root)
{
  if (GTK_IS_POPOVER_MENU (root) && gtk_widget_get_mapped (root))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_menu (child);
      if (found)
        return found;
    }
  return NULL;
}

/* --- the keyboard is given -------------------------------------------------------------------------------------------- */

static PhStepRow *
find_row (GtkWidget *root, int index)
{
  PhStepItem *item = PH_IS_STEP_ROW (root) && gtk_widget_get_mapped (root) ? ph_step_row_get_item (PH_STEP_ROW (root)) : NULL;

  if (item && item->entry == index)
    return PH_STEP_ROW (root);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child; child = gtk_widget_get_next_sibling (child))
    {
      PhStepRow *found = find_row (child, index);
      if (found)
        return found;
    }
  return NULL;
}

/* Lines wait for each other: one rest after several is enough. */
static void
send (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *line = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  ph_document_view_run (ph_window_get_view (driver_window ()), line);
}

/* At its start: what was run would stay in another pipeline. */
static void
use (const char *example, const char *pipeline)
{
  static const char *used;        /* the very string */

  if (used == pipeline && !g_str_equal (row->panel, PIPELINE))
    {
      send ("goto 0");
      return;
    }
  if (used != pipeline)
    driver_open_example (example, NULL);
  send ("goto 0");
  driver_run ("pipeline %s", pipeline);
  used = pipeline;
}

/* Entry 2 is cse: newest-form comes first by itself. */
static void
in_pipeline (void)
{
  use ("cse", few_passes);
  send ("goto 3");
  driver_settle ();
  gtk_widget_grab_focus (gtk_widget_get_parent (GTK_WIDGET (find_row (GTK_WIDGET (history_panel ()->steps), 2))));
  driver_settle ();
}

/* The row with the keyboard is not the one of the position. */
static void
in_pipeline_at_start (void)
{
  in_pipeline ();
  driver_run ("goto 0");
  gtk_widget_grab_focus (gtk_widget_get_parent (GTK_WIDGET (find_row (GTK_WIDGET (history_panel ()->steps), 2))));
  driver_settle ();
}

static void
at_end (int which)
{
  GtkWidget *handle = gtk_widget_get_first_child (slider ());

  /* The third step has several rewrites. */
  use ("attention", "eliminate-identity,propagate-shapes,dce,cse,dce,merge-casts");
  send ("goto 3");
  for (; handle && gtk_widget_has_css_class (handle, "since") != (which == 0); handle = gtk_widget_get_next_sibling (handle))
    ;
  gtk_widget_grab_focus (handle);
  driver_settle ();
}

static void
at_end_now (void)
{
  at_end (1);
}

static void
at_end_enlarged (void)
{
  at_end (1);
  driver_key ("plus");
}

static void
at_end_since (void)
{
  at_end (1);
  driver_run ("compare 0 3");
}

static void at_loop (void);
static void in_loop (void);

static void
in_graph (void)
{
  if (row->start == at_loop || row->start == in_loop)
    use ("loop-branch", "none");
  else
    use ("cse", few_passes);
  send ("select-node");
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  ph_graph_canvas_set_view (driver_canvas (), 40, 60, 0.77);
  driver_settle ();
}

static void
at_node (const char *value)
{
  in_graph ();
  ph_document_set_selection (driver_document (), node_called (value)->id);
  ph_graph_canvas_set_view (driver_canvas (), 40, 60, 0.77);
}

static void
at_first_row (void)
{
  at_node ("bc1");
}

static void
at_second_row (void)
{
  at_node ("d");
}

/* The one of the two products at the other side of where the key leads. */
static void
at_side (void)
{
  graphene_rect_t one, other;

  at_node ("bc1");
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), node_called ("bc1")->id, &one));
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), node_called ("bc2")->id, &other));
  if ((one.origin.x < other.origin.x) != (row->direction > 0))
    at_node ("bc2");
}

static void
at_loop (void)
{
  at_node ("y");
}

static void
in_loop (void)
{
  at_node ("y");
  driver_run ("enter");
  gtk_widget_grab_focus (GTK_WIDGET (driver_canvas ()));
  driver_settle ();
}

static gboolean
goes_out (void)
{
  return ph_document_get_inside (driver_document ()) == PH_NO_ID;
}

static void
in_part (void)
{
  at_node ("bc1");
  ph_graph_canvas_show_neighbourhood (driver_canvas (), node_called ("bc1")->id, 2);
  driver_settle ();
}

static void
at_change (void)
{
  in_graph ();
  driver_run ("goto 3");
}

static void
in_console (void)
{
  gtk_widget_activate_action (GTK_WIDGET (driver_window ()), "win.focus-console", NULL);
  driver_settle ();
  driver_type (g_str_equal (row->key, "Tab") ? "inf" : g_str_equal (row->key, "<Control>c") ? "no such line" : "");
}

/* --- what a key does -------------------------------------------------------------------------------------------------- */

static gboolean
moves_position (void)
{
  return ph_position_compare (ph_document_get_position (driver_document ()), before.at) * row->direction > 0;
}

/* Also where that part of the line was not seen. */
static gboolean
moves_handle (void)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver_window ()));

  return moves_position () && focus && gtk_widget_get_parent (focus) == slider () && gtk_widget_get_child_visible (focus);
}

static gboolean
goes_on_one (void)
{
  int step = (int) ph_document_get_position (driver_document ()).step;

  return step == (int) before.at.step + row->direction;
}

static gboolean
moves_by_rewrite (void)
{
  return moves_position () && ph_document_get_position (driver_document ()).rewrite != before.at.rewrite;
}

static gboolean
switches_pass (void)
{
  return entry (2)->enabled != before.enabled;
}

static gboolean
breaks_pass (void)
{
  return entry (2)->breakpoint != before.breakpoint;
}

static gboolean
moves_pass (void)
{
  return g_str_equal (entry ((guint) (2 + row->direction))->pass->name, "cse");
}

static gboolean
removes_pass (void)
{
  return ph_document_get_entries (driver_document ())->len == before.n_entries - 1;
}

static gboolean
opens_menu (void)
{
  return find_menu (GTK_WIDGET (driver_window ())) != NULL;
}

static gboolean
moves_selection (void)
{
  PhId selection = ph_document_get_selection (driver_document ());

  return selection != 0 && selection != before.selection;
}

static gboolean
moves_across (void)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  return (x - before.x) * row->direction > 0 && y == before.y && zoom == before.zoom;
}

static gboolean
moves_along (void)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  return (y - before.y) * row->direction > 0 && x == before.x && zoom == before.zoom;
}

static gboolean
zooms (void)
{
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  return row->direction == 0 ? zoom == 1 : (zoom - before.zoom) * row->direction > 0;
}

/* The whole of it is in the window, or the one node that is selected is large in it. */
static gboolean
fits (void)
{
  GtkWidget *widget = GTK_WIDGET (driver_canvas ());
  PhId selected = ph_document_get_selection (driver_document ());
  graphene_rect_t one, all = GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget), (float) gtk_widget_get_height (widget));
  double x, y, zoom;

  ph_graph_canvas_get_view (driver_canvas (), &x, &y, &zoom);
  g_assert_true (ph_graph_canvas_node_rect (driver_canvas (), selected ? selected : node_called ("d")->id, &one));
  return (x != before.x || y != before.y) && graphene_rect_contains_rect (&all, &one);
}

static gboolean
opens_group (void)
{
  return group_is_open () != before.open;
}

static gboolean
shows_around (void)
{
  guint id, steps;

  return ph_graph_canvas_get_neighbourhood (driver_canvas (), &id, &steps) && (int) steps == (int) before.steps + row->direction;
}

static gboolean
asks_for_paths (void)
{
  gboolean asks = ph_graph_pane_get_path_start (driver_pane ()) == before.selection;

  driver_key ("Escape");
  return asks;
}

static gboolean
shows_part (void)
{
  return ph_graph_canvas_is_partial (driver_canvas ()) != before.partial;
}

static gboolean
toggles_diff (void)
{
  return property ("show-diff") != before.show_diff;
}

static gboolean
toggles_compact (void)
{
  return property ("compact") != before.compact;
}

static gboolean
toggles_groups (void)
{
  return property ("grouped") != before.grouped;
}

static gboolean
widens_steps (void)
{
  double place = ph_history_slider_get_x (PH_HISTORY_SLIDER (slider ()), (PhPosition) { 4, 0 })
                 - ph_history_slider_get_x (PH_HISTORY_SLIDER (slider ()), (PhPosition) { 3, 0 });

  return (place - before.place) * row->direction > 0;
}

static gboolean
forgets_since (void)
{
  return before.since && !ph_document_has_since (driver_document ());
}

/* What stands in the line is then run. */
static gboolean
runs_info (void)
{
  driver_type (g_str_equal (row->key, "<Control>r") ? "inf\n" : g_str_equal (row->key, "<Control>c") ? "info\n" : "\n");
  driver_expect_line ("info");
  return driver_n_lines () == before.n_lines + 1;
}

static gboolean
leaves_console (void)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (driver_window ()));

  return focus && !gtk_widget_get_ancestor (focus, PH_TYPE_CONSOLE_PANE);
}

static gboolean
marks_place (void)
{
  g_autofree char *line = g_strdup_printf ("bookmark %c", row->key[strlen (row->key) - 1]);
  PhPosition at;

  return g_str_equal (driver_last_line (), line) && ph_document_get_bookmark (driver_document (), (guint) (line[9] - '0'), &at);
}

static const Row rows[] = {
  { PIPELINE, "Up",              in_pipeline,    goes_on_one,      -1 },
  { PIPELINE, "Down",            in_pipeline,    goes_on_one,       1 },
  { PIPELINE, "Return",          in_pipeline_at_start, moves_position, 1 },
  { PIPELINE, "space",           in_pipeline,    switches_pass,     0 },
  { PIPELINE, "<Alt>Up",         in_pipeline,    moves_pass,       -1 },
  { PIPELINE, "<Alt>Down",       in_pipeline,    moves_pass,        1 },
  { PIPELINE, "b",               in_pipeline,    breaks_pass,       0 },
  { PIPELINE, "Delete",          in_pipeline,    removes_pass,      0 },
  { PIPELINE, "Menu",            in_pipeline,    opens_menu,        0 },
  { HISTORY,  "Left",            at_end_now,     moves_position,   -1 },
  { HISTORY,  "Right",           at_end_now,     moves_position,    1 },
  { HISTORY,  "<Shift>Left",     at_end_now,     moves_by_rewrite, -1 },
  { HISTORY,  "<Shift>Right",    at_end_now,     moves_position,    1 },
  { HISTORY,  "Page_Up",         at_end_now,     moves_position,    1 },
  { HISTORY,  "Page_Down",       at_end_now,     moves_position,   -1 },
  { HISTORY,  "Home",            at_end_enlarged, moves_handle,    -1 },
  { HISTORY,  "End",             at_end_now,     moves_position,    1 },
  { HISTORY,  "plus",            at_end_now,     widens_steps,      1 },
  { HISTORY,  "minus",           at_end_enlarged,     widens_steps,     -1 },
  { HISTORY,  "Delete",          at_end_since,   forgets_since,     0 },
  { HISTORY,  "Escape",          at_end_since,   forgets_since,     0 },
  { GRAPH,    "Left",            at_side,        moves_selection,  -1 },
  { GRAPH,    "Right",           at_side,        moves_selection,   1 },
  { GRAPH,    "Up",              at_second_row,  moves_selection,   0 },
  { GRAPH,    "Down",            at_first_row,   moves_selection,   0 },
  { GRAPH,    "<Shift>Left",     in_graph,       moves_across,     -1 },
  { GRAPH,    "<Shift>Right",    in_graph,       moves_across,      1 },
  { GRAPH,    "<Shift>Up",       in_graph,       moves_along,      -1 },
  { GRAPH,    "<Shift>Down",     in_graph,       moves_along,       1 },
  { GRAPH,    "Page_Up",         in_graph,       moves_along,      -1 },
  { GRAPH,    "Page_Down",       in_graph,       moves_along,       1 },
  { GRAPH,    "Home",            in_graph,       moves_along,      -1 },
  { GRAPH,    "End",             in_graph,       moves_along,      -1 },     /* which is above: the graph is small */
  { GRAPH,    "plus",            in_graph,       zooms,             1 },
  { GRAPH,    "minus",           in_graph,       zooms,            -1 },
  { GRAPH,    "0",               in_graph,       zooms,             0 },
  { GRAPH,    "f",               in_graph,       fits,              0 },
  { GRAPH,    "<Shift>f",        at_second_row,  fits,              0 },
  { LOOK,     "n",               in_part,        shows_around,      1 },
  { LOOK,     "<Shift>n",        in_part,        shows_around,     -1 },
  { LOOK,     "p",               at_first_row,   asks_for_paths,    0 },
  { LOOK,     "t",               at_change,      shows_part,        0 },
  { LOOK,     "a",               in_part,        shows_part,        0 },
  { LOOK,     "Escape",          in_part,        shows_part,        0 },
  { GRAPH,    "Menu",            at_first_row,   opens_menu,        0 },
  { LOOK,     "d",               in_graph,       toggles_diff,      0 },
  { LOOK,     "c",               in_graph,       toggles_compact,   0 },
  { LOOK,     "g",               in_graph,       toggles_groups,    0 },
  { CONSOLE,  "Tab",             in_console,     runs_info,         0 },
  { CONSOLE,  "<Shift>Tab",      in_console,     leaves_console,    0 },
  { CONSOLE,  "<Control>r",      in_console,     runs_info,         0 },
  { CONSOLE,  "<Control>c",      in_console,     runs_info,         0 },
  { ANYWHERE, "<Control><Alt>1", in_graph,       marks_place,       0 },
  { ANYWHERE, "<Control><Alt>2", in_console,     marks_place,       0 },
  { ANYWHERE, "<Control><Alt>3", in_pipeline,    marks_place,       0 },
  { ANYWHERE, "<Control><Alt>4", at_end_now,     marks_place,       0 },
  { ANYWHERE, "<Control><Alt>5", in_graph,       marks_place,       0 },
  { ANYWHERE, "<Control><Alt>6", in_graph,       marks_place,       0 },
  { ANYWHERE, "<Control><Alt>7", in_graph,       marks_place,       0 },
  { ANYWHERE, "<Control><Alt>8", in_graph,       marks_place,       0 },
  { ANYWHERE, "<Control><Alt>9", in_graph,       marks_place,       0 },
  { GRAPH,    "BackSpace",       in_loop,        goes_out,          0 },
  { GRAPH,    "<Alt>Up",         in_loop,        goes_out,          0 },
  { GRAPH,    "Return",          at_loop,        opens_group,       0 },
};

/* --- pressing --------------------------------------------------------------------------------------------------------- */

static void
note_before (void)
{
  PhHistorySlider *line = PH_HISTORY_SLIDER (slider ());
  guint id;

  ph_graph_canvas_get_view (driver_canvas (), &before.x, &before.y, &before.zoom);
  before.at = ph_document_get_position (driver_document ());
  before.selection = ph_document_get_selection (driver_document ());
  before.since = ph_document_has_since (driver_document ());
  before.n_entries = ph_document_get_entries (driver_document ())->len;
  before.enabled = before.n_entries > 2 && entry (2)->enabled;
  before.breakpoint = before.n_entries > 2 && entry (2)->breakpoint;
  before.n_lines = driver_n_lines ();
  before.partial = ph_graph_canvas_is_partial (driver_canvas ());
  before.show_diff = property ("show-diff");
  before.compact = property ("compact");
  before.grouped = property ("grouped");
  before.open = group_is_open ();
  if (!ph_graph_canvas_get_neighbourhood (driver_canvas (), &id, &before.steps))
    before.steps = 0;
  before.place = ph_history_slider_get_x (line, (PhPosition) { 4, 0 }) - ph_history_slider_get_x (line, (PhPosition) { 3, 0 });
}

static gboolean
has_effect (gpointer data)
{
  return row->effect ();
}

static void
put_back (void)
{
  GtkWidget *menu = find_menu (GTK_WIDGET (driver_window ()));

  if (menu)
    driver_key ("Escape");
  g_object_set (driver_canvas (), "show-diff", before.show_diff, "compact", before.compact, "grouped", before.grouped, NULL);
  ph_graph_canvas_show_all (driver_canvas ());
}

static void
test_key (gconstpointer data)
{
  guint key;
  GdkModifierType modifiers;

  row = data;
  row->start ();
  note_before ();
  g_assert_true (gtk_accelerator_parse (row->key, &key, &modifiers));
  g_autofree char *keys = g_strdup_printf ("%s%s%s%s", modifiers & GDK_CONTROL_MASK ? "ctrl+" : "", modifiers & GDK_ALT_MASK ? "alt+" : "",
                                           modifiers & GDK_SHIFT_MASK ? "shift+" : "", gdk_keyval_name (key));
  driver_key (keys);
  if (row->effect == runs_info)
    g_assert_true (runs_info ());
  else
    driver_wait (has_effect, NULL, 10, row->key);
  put_back ();
}

/* Each key of the list once, "1...9" being nine. */
static GPtrArray *
listed_keys (void)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  guint n;
  const PhOwnKey *list = ph_own_key_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) words = g_strsplit (list[i].keys, " ", -1);
      for (guint k = 0; words[k]; k++)
        {
          char *dots = strstr (words[k], "1...9");
          for (char digit = '1'; digit <= (dots ? '9' : '1'); digit++)
            g_ptr_array_add (keys, dots ? g_strdup_printf ("%s: %.*s%c", list[i].panel, (int) (dots - words[k]), words[k], digit)
                                        : g_strdup_printf ("%s: %s", list[i].panel, words[k]));
        }
    }
  return keys;
}

static void
test_complete (void)
{
  g_autoptr (GPtrArray) listed = listed_keys ();

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s: %s", rows[i].panel, rows[i].key);
      guint at;
      if (!g_ptr_array_find_with_equal_func (listed, name, g_str_equal, &at))
        g_error ("'%s' has a row in tests/ui/keys.c, but stands only once or not at all in views/shortcuts.c", name);
      g_ptr_array_remove_index (listed, at);
    }
  for (guint i = 0; i < listed->len; i++)
    g_error ("'%s' of views/shortcuts.c has no row in tests/ui/keys.c that says what the key should do", (char *) listed->pdata[i]);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/keys/complete", test_complete);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/keys/%s/%s", rows[i].panel, rows[i].key);
      g_test_add_data_func (path, &rows[i], test_key);
    }
  return driver_main ();
}
