/* keys.c: every key that a panel handles by itself, from the list that the window of shortcuts shows, is pressed where its panel has
 * the keyboard, and does what the table below says of it. A key of the list without a row here fails, and a row that is not listed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/keys-effects.h"

#include <string.h>

#include "app/shortcuts.h"
#include "tests/share.h"
#include "views/bottom-pane.h"
#include "views/console-pane.h"
#include "views/history-private.h"
#include "views/history-slider.h"
#include "views/step-row.h"

/* clang-format off */
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
/* clang-format on */

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
  before.show_diff = driver_is_on (PH_VIEW_DIFF);
  before.compact = driver_is_on (PH_VIEW_COMPACT);
  before.grouped = driver_is_on (PH_VIEW_GROUP);
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
  driver_look (before.show_diff ? "view diff on" : "view diff off");
  driver_look (before.compact ? "view compact on" : "view compact off");
  driver_look (before.grouped ? "view group on" : "view group off");
  driver_look ("view part all");
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
  g_autofree char *keys = g_strdup_printf ("%s%s%s%s", modifiers & GDK_CONTROL_MASK ? "ctrl+" : "",
                                           modifiers & GDK_ALT_MASK ? "alt+" : "", modifiers & GDK_SHIFT_MASK ? "shift+" : "",
                                           gdk_keyval_name (key));
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
    g_error ("'%s' of views/shortcuts.c has no row in tests/ui/keys.c that says what the key should do",
             (char *) listed->pdata[i]);
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
      if (!test_share_takes (i))
        continue;
      g_test_add_data_func (path, &rows[i], test_key);
    }
  return driver_main ();
}
