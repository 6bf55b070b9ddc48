/* driver-events.c: keys and the pointer, sent by the X server, so that they take the same way as a person's.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/ui/driver-private.h"

#include <X11/XKBlib.h>
#include <X11/extensions/XTest.h>
#include <gdk/x11/gdkx.h>
#include <string.h>

/* There is no window manager under Xvfb: the newest visible window is given the keyboard by hand. */
GtkWindow *
driver_front (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());
  GtkWindow *front = GTK_WINDOW (driver_window ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      if (gtk_widget_get_mapped (GTK_WIDGET (window)) && gtk_window_get_transient_for (window) == GTK_WINDOW (driver_window ()))
        front = window;
    }
  return front;
}

Window
driver_xid (GtkNative *native)
{
  return gdk_x11_surface_get_xid (gtk_native_get_surface (native));
}

static gboolean
is_active (gpointer window)
{
  return gtk_window_is_active (window);
}

static int
ignore_error (Display *d, XErrorEvent *event)
{
  return 0;
}

/* A window may go away in the moment when it is spoken of: X's errors are no errors here. */
static void
focus_front (void)
{
  GtkWindow *window = driver_front ();

  if (gtk_window_is_active (window))
    return;
  XErrorHandler before = XSetErrorHandler (ignore_error);
  XSetInputFocus (driver_display, driver_xid (GTK_NATIVE (window)), RevertToParent, CurrentTime);
  XSync (driver_display, False);
  XSetErrorHandler (before);
  /* A menu that is open keeps the keyboard from it. */
  g_object_ref (window);
  for (int i = 0; i < 300 && !is_active (window); i++)
    driver_pause (0.01);
  g_object_unref (window);
}

static void
press_key (KeySym symbol)
{
  KeyCode code = XKeysymToKeycode (driver_display, symbol);
  KeyCode shift = XKeysymToKeycode (driver_display, XK_Shift_L);

  if (code == 0)
    g_error ("No key gives %s", XKeysymToString (symbol));
  gboolean shifted = XkbKeycodeToKeysym (driver_display, code, 0, 0) != symbol
                     && XkbKeycodeToKeysym (driver_display, code, 0, 1) == symbol;
  if (shifted)
    XTestFakeKeyEvent (driver_display, shift, True, CurrentTime);
  XTestFakeKeyEvent (driver_display, code, True, CurrentTime);
  XTestFakeKeyEvent (driver_display, code, False, CurrentTime);
  if (shifted)
    XTestFakeKeyEvent (driver_display, shift, False, CurrentTime);
  driver_drain ();
}

static KeySym
modifier_of (const char *name)
{
  /* clang-format off */
  static const struct { const char *name; KeySym key; } modifiers[] = {
    { "ctrl", XK_Control_L }, { "shift", XK_Shift_L }, { "alt", XK_Alt_L }, { "super", XK_Super_L },
  };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (modifiers); i++)
    if (g_str_equal (modifiers[i].name, name))
      return modifiers[i].key;
  g_error ("There is no modifier %s", name);
}

static void
hold (const char *modifiers, gboolean down)
{
  g_auto (GStrv) words = g_strsplit (modifiers ? modifiers : "", "+", -1);

  for (guint i = 0; words[i] && *words[i]; i++)
    XTestFakeKeyEvent (driver_display, XKeysymToKeycode (driver_display, modifier_of (words[i])), down, CurrentTime);
}

void
driver_send_key (const char *keys)
{
  const char *plus = strrchr (keys, '+');
  g_autofree char *modifiers = plus ? g_strndup (keys, (gsize) (plus - keys)) : NULL;
  const char *name = plus ? plus + 1 : keys;
  KeySym symbol = XStringToKeysym (name);

  if (symbol == NoSymbol)
    g_error ("There is no key %s", name);
  focus_front ();
  hold (modifiers, TRUE);
  press_key (symbol);
  hold (modifiers, FALSE);
  driver_drain ();
}

void
driver_key (const char *keys)
{
  driver_send_key (keys);
  driver_settle ();
}

void
driver_send_text (const char *text)
{
  focus_front ();
  for (const char *p = text; *p; p++)
    press_key (*p == '\n' ? XK_Return : *p == '\t' ? XK_Tab : (KeySym) (guchar) *p);
}

void
driver_type (const char *text)
{
  driver_send_text (text);
  driver_settle ();
}

/* FALSE: the widget is not on the screen. */
static gboolean
move_to (GtkWidget *widget, double x, double y)
{
  GtkNative *native = gtk_widget_get_native (widget);
  graphene_point_t point;
  double offset_x, offset_y;
  int root_x, root_y;
  Window child;

  if (!native || !gtk_widget_get_mapped (widget)
      || !gtk_widget_compute_point (widget, GTK_WIDGET (native), &GRAPHENE_POINT_INIT ((float) x, (float) y), &point))
    return FALSE;
  gtk_native_get_surface_transform (native, &offset_x, &offset_y);
  XErrorHandler before = XSetErrorHandler (ignore_error);
  gboolean known = XTranslateCoordinates (driver_display, driver_xid (native), DefaultRootWindow (driver_display),
                                          (int) (point.x + offset_x), (int) (point.y + offset_y), &root_x, &root_y, &child)
                   != 0;
  XSetErrorHandler (before);
  if (known)
    XTestFakeMotionEvent (driver_display, -1, root_x, root_y, CurrentTime);
  driver_drain ();
  return known;
}

void
driver_move (GtkWidget *widget, double x, double y)
{
  move_to (widget, x, y);
}

void
driver_send_click (GtkWidget *widget, double x, double y, int button, int times, const char *modifiers)
{
  if (!move_to (widget, x, y))
    return;
  hold (modifiers, TRUE);
  for (int i = 0; i < times; i++)
    {
      XTestFakeButtonEvent (driver_display, (guint) button, True, CurrentTime);
      XTestFakeButtonEvent (driver_display, (guint) button, False, CurrentTime);
    }
  hold (modifiers, FALSE);
  driver_drain ();
}

void
driver_click (GtkWidget *widget, double x, double y, int button)
{
  driver_send_click (widget, x, y, button, 1, NULL);
  driver_settle ();
}

void
driver_click_middle (GtkWidget *widget)
{
  driver_click (widget, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0, 1);
}

void
driver_send_drag (GtkWidget *widget, double from_x, double from_y, double to_x, double to_y, int button)
{
  const int moves = 6;
  /* What is dragged may be gone before it is dropped; the button comes up all the same. */
  g_autoptr (GtkWidget) held = g_object_ref (widget);

  if (!move_to (held, from_x, from_y))
    return;
  XTestFakeButtonEvent (driver_display, (guint) button, True, CurrentTime);
  driver_drain ();
  for (int i = 1; i <= moves; i++)
    {
      move_to (held, from_x + (to_x - from_x) * i / moves, from_y + (to_y - from_y) * i / moves);
      /* Motion comes in with a frame. Then what is under the pointer is asked whether it takes what is dragged, and answers. */
      driver_frame ();
      for (int answers = 0; answers < 6; answers++)
        driver_drain ();
    }
  XTestFakeButtonEvent (driver_display, (guint) button, False, CurrentTime);
  driver_drain ();
}

void
driver_drag (GtkWidget *widget, double from_x, double from_y, double to_x, double to_y, int button)
{
  driver_send_drag (widget, from_x, from_y, to_x, to_y, button);
  driver_settle ();
}

void
driver_send_scroll (GtkWidget *widget, double x, double y, int notches, const char *modifiers)
{
  driver_send_click (widget, x, y, notches > 0 ? Button5 : Button4, ABS (notches), modifiers);
}

void
driver_scroll (GtkWidget *widget, double x, double y, int notches, const char *modifiers)
{
  driver_send_scroll (widget, x, y, notches, modifiers);
  driver_settle ();
}
