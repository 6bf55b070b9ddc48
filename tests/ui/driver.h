/* driver.h: a real window in this process, driven by real key and pointer events.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "app/window.h"

G_BEGIN_DECLS

typedef gboolean (*DriverCondition) (gpointer data);

/* driver-leaks.c; driver_init() calls it. */
void driver_spare_glib (void);

/* FALSE: there is no display, or one without XTEST, and the harness was told so: main() should return 0. */
gboolean driver_init (int *argc, char ***argv);
/* Runs the tests and puts away what driver_init() made. Returns main()'s status. */
int driver_main (void);

PhWindow *driver_window (void);
gboolean driver_has_window (void);
void driver_open_window (void); /* where it was closed */
/* As somebody would who drags its border; the request may be refused. */
void driver_resize (int width, int height);
guint driver_n_tabs (void);
PhDocument *driver_document (void); /* of the present tab */
/* An action of the window, as menus name it: "view.color::cost". */
void driver_activate (const char *detailed);
/* "view compact on", without the console. */
void driver_look (const char *line);
gboolean driver_is_on (PhViewField field);
PhConsole *driver_console (void);

/* Runs the main loop until @condition holds; fails the test when it does not within @seconds. */
void driver_wait (DriverCondition condition, gpointer data, double seconds, const char *what);
/* Runs the main loop until no line runs, no pass runs ahead, and nothing is waiting. */
void driver_settle (void);
void driver_pause (double seconds);

/* Through the X server, to the window that has the keyboard. These settle afterwards, those named send_ do not. @keys are X's names:
 * "F10", "ctrl+k", "ctrl+shift+question"; @modifiers, (nullable), are what stands before the last +. Points are the widget's. */
void driver_key (const char *keys);
void driver_type (const char *text); /* ASCII; \n is Return */
void driver_move (GtkWidget *widget, double x, double y);
void driver_click (GtkWidget *widget, double x, double y, int button);
void driver_click_middle (GtkWidget *widget); /* of it, with the first button */
void driver_drag (GtkWidget *widget, double from_x, double from_y, double to_x, double to_y, int button);
void driver_scroll (GtkWidget *widget, double x, double y, int notches, const char *modifiers); /* > 0: down */
void driver_send_key (const char *keys);
void driver_send_text (const char *text);
void driver_send_click (GtkWidget *widget, double x, double y, int button, int times, const char *modifiers);
void driver_send_drag (GtkWidget *widget, double from_x, double from_y, double to_x, double to_y, int button);
void driver_send_scroll (GtkWidget *widget, double x, double y, int notches, const char *modifiers);

/* The newest dialog of the window that is open, or the window. */
GtkWindow *driver_front (void);
/* For driver_wait(): no layout helper of this process runs. */
gboolean driver_has_no_helper (gpointer unused);
/* Kills the layout helper. FALSE: none was running. */
gboolean driver_kill_helper (void);
/* Stops it, and lets it go on after @ms milliseconds; 0: never. */
gboolean driver_stop_helper (guint ms);

PhGraphCanvas *driver_canvas (void); /* of the present tab */
PhGraphPane *driver_pane (void);
/* Runs a line of the console and settles; fails when the line does. */
void driver_run (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* Opens an example or another file in the present tab and settles. */
void driver_open (const char *path);
char *driver_example (const char *name); /* (transfer full) the path of resources/examples/NAME.onnxtxt */
/* The example, with a pipeline (nullable), as it is in the file. */
void driver_open_example (const char *name, const char *pipeline);
/* What the console answered last, and how many lines it has. */
guint driver_n_lines (void);
const char *driver_last_line (void);
gboolean driver_last_ok (void);
const char *driver_last_text (void);
/* Waits until @line was the last one and settles; fails with what was the last one instead. */
void driver_expect_line (const char *line);

/* Writes the screen as NAME.png into the folder of PEEPHOLE_UI_PICTURES, for people to look at; without that it does nothing. */
void driver_picture (const char *name);
void driver_remove (const char *path); /* a file, or a folder with all that is in it */

/* The first widget below @root of @type, depth first. (nullable) */
GtkWidget *driver_find (GtkWidget *root, GType type);
/* The one that has this id in its template. (nullable) */
GtkWidget *driver_find_named (GtkWidget *root, const char *id);
GtkWidget *driver_find_button (GtkWidget *root, const char *label); /* that is on the screen */
/* A label below @root that can be seen contains @text; the second waits for one, and fails when none comes. */
gboolean driver_has_text (GtkWidget *root, const char *text);
void driver_expect_text (GtkWidget *root, const char *text);

G_END_DECLS
