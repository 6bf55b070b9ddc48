/* shortcuts-effects.h: what each action of the list should do.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "tests/ui/driver.h"

G_BEGIN_DECLS

typedef struct
{
  const char *action;
  const char *prepare;                /* (nullable) a line of the console that comes first           */
  const char *line;                   /* (nullable) what the console then runs: its beginning        */
  gboolean (*effect) (gpointer data); /* (nullable) what has changed, compared to @before            */
  const char *state;                  /* (nullable) of the effect: a property of the canvas, a type  */
} Row;

extern struct ShortcutsBefore
{
  double x, y, zoom;
  guint tabs, windows, open, color;
  gboolean property, visible;
  PhPosition at;
  PhId selection;
} before;
extern const Row *row;  /* the one that is tried */
extern guint activated; /* how often the action of the row was, since the key */

GtkWidget *find (GType type);
PhGraphCanvas *canvas (void);
gboolean property (void);
GtkWidget *panel (void);
guint n_windows (void);
gboolean changed_property (gpointer data);
gboolean toggled_panel (gpointer data);
gboolean focused_panel (gpointer data);
gboolean moved_focus (gpointer data);
gboolean opened_window (gpointer data);
gboolean opened_palette (gpointer data);
gboolean zoomed (gpointer data);
gboolean opened_tab (gpointer data);
gboolean searching (gpointer data);
gboolean shows_text (gpointer data);
PhForm form (void);
gboolean side_by_side (gpointer data);
gboolean as_text (gpointer data);
gboolean in_one_picture (gpointer data);
gboolean is_partial (gpointer data);
gboolean is_whole (gpointer data);
gboolean asks_for_paths (gpointer data);
gboolean selected (gpointer data);
gboolean selected_other (gpointer data);
gboolean went_forward (gpointer data);
gboolean went_back (gpointer data);
guint n_open (void);
gboolean opened_groups (gpointer data);
gboolean closed_groups (gpointer data);
gboolean is_wider (gpointer data);
gboolean is_narrower (gpointer data);
guint color (void);
gboolean other_colours (gpointer data);
gboolean usual_colours (gpointer data);
gboolean hunted (gpointer data);
gboolean toggled_legend (gpointer data);
gboolean asks_for_query (gpointer data);
gboolean was_asked (gpointer data);

G_END_DECLS
