/* driver-log.c: every warning ends the test, and says where in the window its widget is and who called.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/ui/driver-private.h"
#include "views/text-pane.h"

/* The widget that a message of GTK's speaks of by its address, if it is one of those that do. */
static GtkWidget *
widget_in (const char *message)
{
  const char *address = strstr (message, "0x");

  if (!address
      || !(strstr (message, "without a current allocation") || strstr (message, "for widget")
           || strstr (message, "reported min")))
    return NULL;
  return (GtkWidget *) g_ascii_strtoull (address, NULL, 16);
}

/* What GTK 4.8 says of itself, now and then, when real events come at unlucky moments. It is printed, and does not end the test:
 * - Its text view measures new lines while it is drawn, when it was not idle before; what stands around it in the text pane has no place
 *   for that one frame.
 * - Its list view, of which rows were taken away, is scrolled on (by a wheel's last notches, say) before it is given a new place: until
 *   then its scrolled window counts with the height of all rows. The next allocation puts both right, and later releases of GTK also do.
 * - Its tooltips ask where the pointer is over a popover whose parent is gone, and what is there. Nothing but GTK calls these two. */
static gboolean
is_of_gtk (const char *message)
{
  if (g_str_has_prefix (message, "Trying to snapshot Gtk"))
    return gtk_widget_get_ancestor (widget_in (message), PH_TYPE_TEXT_PANE) != NULL;
  return g_str_equal (message, "GtkListView failed to scroll to given position. Ignoring...")
         || g_str_equal (message, "gdk_surface_get_device_position: assertion 'GDK_IS_SURFACE (surface)' failed")
         || g_str_equal (message, "_gtk_widget_find_at_coords: assertion 'GDK_IS_SURFACE (surface)' failed");
}

/* What comes by the older way of logging passes by the writer below: this one prints, and the other one says what ends a test. */
static void
log_of_gtk (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if (is_of_gtk (message))
    g_printerr ("%s\n", message);
  else
    g_log_default_handler (domain, level, message, NULL);
}

static gboolean
ends_test (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  return !is_of_gtk (message);
}

/* From the root of its window down to the widget. */
static void
print_place (GtkWidget *widget)
{
  for (; widget; widget = gtk_widget_get_parent (widget))
    {
      const char *id = gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget));
      g_printerr ("  in %s %s%s%s\n", G_OBJECT_TYPE_NAME (widget), gtk_widget_get_css_name (widget), id ? " #" : "",
                  id ? id : "");
    }
}

extern void __sanitizer_print_stack_trace (void) __attribute__ ((weak));

/* Every warning ends the test. GTK's speak of a widget by its address only: say where in the window it is, and who called. */
static GLogWriterOutput
write_log (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  for (gsize i = 0; i < n_fields && (level & (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL)); i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      {
        GtkWidget *widget = widget_in (fields[i].value);
        g_printerr ("%s\n", (const char *) fields[i].value);
        if (widget)
          print_place (widget);
        if (is_of_gtk (fields[i].value))
          return G_LOG_WRITER_HANDLED;
        if (__sanitizer_print_stack_trace)
          __sanitizer_print_stack_trace ();
      }
  return g_log_writer_default (level, fields, n_fields, data);
}

void
driver_log_arm (void)
{
  g_test_log_set_fatal_handler (ends_test, NULL);
}

void
driver_log_init (void)
{
  g_log_set_writer_func (write_log, NULL, NULL);
  for (guint i = 0; i < 2; i++)
    g_log_set_handler (i == 0 ? "Gdk" : "Gtk", G_LOG_LEVEL_CRITICAL | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, log_of_gtk, NULL);
}
