/* file-watch.c: reports that a file was written, once it no longer changes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/file-watch.h"

#include "core/io/choose.h"

#define QUIET_MS 300

struct _PhFileWatch
{
  GSourceFunc settled;
  gpointer data;
  char *path;            /* (nullable) of the file                         */
  GFileMonitor *monitor; /* (nullable) nothing is watched, or it cannot be */
  guint timer;           /* 0: no notification is pending                  */
};

static gboolean
on_quiet (gpointer data)
{
  PhFileWatch *watch = data;
  guint timer = watch->timer;

  if (g_file_test (watch->path, G_FILE_TEST_EXISTS) && watch->settled (watch->data) == G_SOURCE_CONTINUE)
    return G_SOURCE_CONTINUE;
  /* The callback may have set another path, whose file may have changed since. */
  if (watch->timer == timer)
    watch->timer = 0;
  return G_SOURCE_REMOVE;
}

/* A program that writes a file does so in pieces. */
static void
on_changed (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, PhFileWatch *watch)
{
  if (event != G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT && event != G_FILE_MONITOR_EVENT_RENAMED
      && event != G_FILE_MONITOR_EVENT_MOVED_IN && event != G_FILE_MONITOR_EVENT_CREATED)
    return;
  g_clear_handle_id (&watch->timer, g_source_remove);
  watch->timer = g_timeout_add (QUIET_MS, on_quiet, watch);
}

PhFileWatch *
ph_file_watch_new (GSourceFunc settled, gpointer data)
{
  PhFileWatch *watch = g_new0 (PhFileWatch, 1);

  watch->settled = settled;
  watch->data = data;
  return watch;
}

void
ph_file_watch_free (PhFileWatch *watch)
{
  ph_file_watch_set_path (watch, NULL);
  g_free (watch);
}

void
ph_file_watch_set_path (PhFileWatch *watch, const char *path)
{
  g_clear_handle_id (&watch->timer, g_source_remove);
  if (watch->monitor)
    {
      g_signal_handlers_disconnect_by_data (watch->monitor, watch);
      g_file_monitor_cancel (watch->monitor);
    }
  g_clear_object (&watch->monitor);
  g_clear_pointer (&watch->path, g_free);
  if (!path)
    return;
  watch->path = ph_io_file_of (path);
  if (!watch->path)
    watch->path = g_strdup (path);
  g_autoptr (GFile) file = g_file_new_for_path (watch->path);
  watch->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (watch->monitor)
    g_signal_connect (watch->monitor, "changed", G_CALLBACK (on_changed), watch);
}
