/* keys-effects.h: where each key of the list is pressed, and what it should do there.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tests/ui/driver.h"
#include "views/history-slider.h"

G_BEGIN_DECLS

#define PIPELINE "In the Pipeline"
#define HISTORY  "In the History Below the Graph"
#define GRAPH    "In the Graph"
#define LOOK     "Parts and Look of the Graph"
#define CONSOLE  "In the Console"
#define ANYWHERE "Anywhere"

typedef struct
{
  const char *panel, *key;   /* as in ph_own_key_list()                     */
  void (*start) (void);      /* gives the panel the keyboard                */
  gboolean (*effect) (void); /* what is otherwise, compared to @before      */
  int direction;             /* of the effect, where it has one: -1 or 1    */
} Row;

extern struct KeysBefore
{
  double x, y, zoom, place;
  PhPosition at;
  PhId selection;
  guint n_entries, n_lines, steps;
  gboolean enabled, breakpoint, partial, show_diff, compact, grouped, open, since;
} before;
extern const Row *row; /* the one that is tried */

GtkWidget *slider (void);
const PhPipelineEntry *entry (guint index);
gboolean group_is_open (void);
GtkWidget *find_menu (GtkWidget *root);
void in_pipeline (void);
void in_pipeline_at_start (void);
void at_end_now (void);
void at_end_enlarged (void);
void at_end_since (void);
void in_graph (void);
void at_first_row (void);
void at_second_row (void);
void at_side (void);
void at_loop (void);
void in_loop (void);
gboolean goes_out (void);
void in_part (void);
void at_change (void);
void in_console (void);
gboolean moves_position (void);
gboolean moves_handle (void);
gboolean goes_on_one (void);
gboolean moves_by_rewrite (void);
gboolean switches_pass (void);
gboolean breaks_pass (void);
gboolean moves_pass (void);
gboolean removes_pass (void);
gboolean opens_menu (void);
gboolean moves_selection (void);
gboolean moves_across (void);
gboolean moves_along (void);
gboolean zooms (void);
gboolean fits (void);
gboolean opens_group (void);
gboolean shows_around (void);
gboolean asks_for_paths (void);
gboolean shows_part (void);
gboolean toggles_diff (void);
gboolean toggles_compact (void);
gboolean toggles_groups (void);
gboolean widens_steps (void);
gboolean forgets_since (void);
gboolean runs_info (void);
gboolean leaves_console (void);
gboolean marks_place (void);

G_END_DECLS
